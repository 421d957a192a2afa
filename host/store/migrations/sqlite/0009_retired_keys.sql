-- Master keys that seal nothing any longer. What a host that does not know so yet seals with one is refused,
-- so that once nothing is sealed with a key any more, nothing ever is.
CREATE TABLE retired_keys (
    -- As it stands in each sealed secret, after the layout's byte.
    key_id     BLOB    NOT NULL PRIMARY KEY,
    retired_at INTEGER NOT NULL
) STRICT;
