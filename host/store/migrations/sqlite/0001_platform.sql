-- Who uses the platform, and what it offers them.
--
-- Times are milliseconds since the Unix epoch, flags are 0 or 1, JSON is TEXT. Composite foreign keys
-- carry the tenant along: a row of one tenant can't hang on a row of another.

CREATE TABLE deployment (
    one        INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    id         TEXT    NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE tenants (
    id             TEXT    NOT NULL PRIMARY KEY,
    title          TEXT    NOT NULL,
    quotas         TEXT    NOT NULL,
    -- Counts every write of the tenant's policies, principals and attachments.
    policy_version INTEGER NOT NULL,
    created_at     INTEGER NOT NULL
) STRICT;
CREATE INDEX tenants_by_age ON tenants (created_at, id);

CREATE TABLE projects (
    id         TEXT    NOT NULL PRIMARY KEY,
    tenant     TEXT    NOT NULL REFERENCES tenants (id),
    title      TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (tenant, id)
) STRICT;

CREATE TABLE principals (
    id         TEXT    NOT NULL PRIMARY KEY,
    tenant     TEXT    NOT NULL REFERENCES tenants (id),
    title      TEXT    NOT NULL,
    groups     TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (tenant, id)
) STRICT;

CREATE TABLE policies (
    id         TEXT    NOT NULL PRIMARY KEY,
    tenant     TEXT    NOT NULL REFERENCES tenants (id),
    title      TEXT    NOT NULL,
    document   TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (tenant, id)
) STRICT;

CREATE TABLE principal_policies (
    tenant    TEXT    NOT NULL,
    principal TEXT    NOT NULL,
    policy    TEXT    NOT NULL,
    -- Policies are shown in the order in which they were attached.
    place     INTEGER NOT NULL,
    PRIMARY KEY (principal, policy),
    FOREIGN KEY (tenant, principal) REFERENCES principals (tenant, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant, policy) REFERENCES policies (tenant, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX principal_policies_by_policy ON principal_policies (tenant, policy);

CREATE TABLE tokens (
    id         TEXT    NOT NULL PRIMARY KEY,
    tenant     TEXT    NOT NULL,
    principal  TEXT    NOT NULL,
    -- Of the token's text, which is stored nowhere.
    hash       TEXT    NOT NULL UNIQUE,
    title      TEXT    NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    created_at INTEGER NOT NULL,
    FOREIGN KEY (tenant, principal) REFERENCES principals (tenant, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX tokens_by_tenant ON tokens (tenant, id);
CREATE INDEX tokens_by_principal ON tokens (tenant, principal);

CREATE TABLE accounts (
    id         TEXT    NOT NULL PRIMARY KEY,
    tenant     TEXT    NOT NULL REFERENCES tenants (id),
    title      TEXT    NOT NULL,
    provider   TEXT    NOT NULL,
    regions    TEXT    NOT NULL,
    previews   INTEGER NOT NULL CHECK (previews IN (0, 1)),
    egress     TEXT    NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX accounts_by_tenant ON accounts (tenant, id);

CREATE TABLE pools (
    id           TEXT    NOT NULL PRIMARY KEY,
    tenant       TEXT    NOT NULL REFERENCES tenants (id),
    title        TEXT    NOT NULL,
    pool_type    TEXT    NOT NULL,
    account      TEXT    REFERENCES accounts (id),
    billing_mode TEXT    NOT NULL,
    created_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX pools_by_tenant ON pools (tenant, id);

CREATE TABLE offers (
    id         TEXT    NOT NULL PRIMARY KEY,
    pool       TEXT    NOT NULL REFERENCES pools (id),
    tenant     TEXT    NOT NULL REFERENCES tenants (id),
    created_at INTEGER NOT NULL,
    UNIQUE (pool, tenant)
) STRICT;
CREATE INDEX offers_by_tenant ON offers (tenant, pool);

-- The current version of each secret, sealed: only the vault opens it.
CREATE TABLE secrets (
    tenant     TEXT    NOT NULL REFERENCES tenants (id),
    name       TEXT    NOT NULL,
    version    INTEGER NOT NULL,
    sealed     BLOB    NOT NULL,
    -- The resource that it is an output of.
    resource   TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, name)
) STRICT;
CREATE INDEX secrets_by_resource ON secrets (resource) WHERE resource IS NOT NULL;

CREATE TABLE generations (
    digest       TEXT    NOT NULL PRIMARY KEY,
    plugin       TEXT    NOT NULL,
    version      TEXT    NOT NULL,
    manifest     TEXT    NOT NULL,
    active       INTEGER NOT NULL CHECK (active IN (0, 1)),
    size         INTEGER NOT NULL,
    installed_at INTEGER NOT NULL,
    activated_at INTEGER
) STRICT;
CREATE UNIQUE INDEX generations_one_active ON generations (plugin) WHERE active = 1;
CREATE INDEX generations_by_age ON generations (plugin, installed_at);

-- Apart from their records, so that a list of generations reads no component.
CREATE TABLE components (
    digest    TEXT NOT NULL PRIMARY KEY REFERENCES generations (digest) ON DELETE CASCADE,
    component BLOB NOT NULL
) STRICT;
