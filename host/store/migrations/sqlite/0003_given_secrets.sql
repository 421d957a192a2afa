-- Versions of the spec's secrets that the provider was given: an object from reference to version.
ALTER TABLE resources ADD COLUMN given_secrets TEXT NOT NULL DEFAULT '{}';
