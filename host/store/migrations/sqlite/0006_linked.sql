-- What specs may name of their tenant: instances and networks, as operators record them.

CREATE TABLE linked (
    id         TEXT    NOT NULL PRIMARY KEY,
    -- instance | network
    sort       TEXT    NOT NULL CHECK (sort IN ('instance', 'network')),
    tenant     TEXT    NOT NULL REFERENCES tenants (id),
    account    TEXT    NOT NULL REFERENCES accounts (id),
    title      TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    -- When it was found to be gone; NULL: it lives.
    gone_at    INTEGER
) STRICT;
CREATE INDEX linked_of_account ON linked (tenant, account, sort, id);

-- Their objects at the provider: one of an instance, one a region of a network.
CREATE TABLE linked_objects (
    linked      TEXT    NOT NULL REFERENCES linked (id) ON DELETE CASCADE,
    region      TEXT    NOT NULL,
    provider_id TEXT    NOT NULL,
    account     TEXT    NOT NULL,
    sort        TEXT    NOT NULL,
    -- As the row that it belongs to.
    live        INTEGER NOT NULL CHECK (live IN (0, 1)),
    PRIMARY KEY (linked, region)
) STRICT;
CREATE UNIQUE INDEX linked_live_object ON linked_objects (account, sort, provider_id) WHERE live = 1;
CREATE INDEX linked_by_object ON linked_objects (account, sort, provider_id);

-- What an accepted spec names of them.
ALTER TABLE resources ADD COLUMN named TEXT NOT NULL DEFAULT '{}';

-- Whose an object is that a provider tells of.
CREATE INDEX resources_live_object ON resources (account, provider_id)
    WHERE live = 1 AND provider_id IS NOT NULL;
