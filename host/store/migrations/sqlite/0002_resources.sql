-- Resources, and what is written with them: events, audit, journal.

CREATE TABLE resources (
    -- What never changes.
    id              TEXT    NOT NULL PRIMARY KEY,
    tenant          TEXT    NOT NULL REFERENCES tenants (id),
    project         TEXT,
    pool            TEXT    NOT NULL REFERENCES pools (id),
    account         TEXT    NOT NULL REFERENCES accounts (id),
    provider        TEXT    NOT NULL,
    kind            TEXT    NOT NULL,
    family          TEXT    NOT NULL,
    name            TEXT    NOT NULL,
    parent          TEXT    REFERENCES resources (id),
    identity        TEXT,
    provider_name   TEXT    NOT NULL,
    owner           TEXT    NOT NULL,
    input_digest    TEXT    NOT NULL,
    adopted         INTEGER NOT NULL CHECK (adopted IN (0, 1)),
    created_at      INTEGER NOT NULL,

    -- What does.
    description     TEXT,
    region          TEXT,
    desired         TEXT    NOT NULL,
    state           TEXT    NOT NULL,
    message         TEXT,
    version         INTEGER NOT NULL,
    spec            TEXT    NOT NULL,
    defaults        TEXT    NOT NULL,
    spec_generation TEXT    NOT NULL,
    unapplied       TEXT    NOT NULL,
    provider_id     TEXT,
    accepted_at     INTEGER,
    ready_at        INTEGER,
    outputs         TEXT    NOT NULL,
    secret_outputs  TEXT    NOT NULL,
    memo            TEXT,
    drift           TEXT    NOT NULL,
    intent          TEXT,
    missing_since   INTEGER,
    delete_sent_at  INTEGER,
    next_run_at     INTEGER,
    attempts        INTEGER NOT NULL,
    last_run        TEXT,
    last_digest     TEXT,
    updated_at      INTEGER NOT NULL,
    ended_at        INTEGER,
    -- 1 until it is deleted or released; follows from the state.
    live            INTEGER NOT NULL CHECK (live IN (0, 1)),

    -- Who may write: the revision counts writes, a lease lets one run at a time.
    revision        INTEGER NOT NULL,
    lease_host      TEXT,
    lease_until     INTEGER,
    lease_epoch     INTEGER NOT NULL,
    -- 1: someone wants it looked at, and no run was claimed since. No write moves next_run_at later.
    woken           INTEGER NOT NULL CHECK (woken IN (0, 1)),
    CHECK ((lease_host IS NULL) = (lease_until IS NULL)),
    FOREIGN KEY (tenant, project) REFERENCES projects (tenant, id)
) STRICT;

CREATE UNIQUE INDEX resources_live_name ON resources (tenant, kind, name) WHERE live = 1;
CREATE UNIQUE INDEX resources_live_identity_in_parent ON resources (parent, kind, identity)
    WHERE live = 1 AND parent IS NOT NULL AND identity IS NOT NULL;
CREATE UNIQUE INDEX resources_live_identity_in_account ON resources (account, kind, identity)
    WHERE live = 1 AND parent IS NULL AND identity IS NOT NULL;
CREATE UNIQUE INDEX resources_live_provider_id ON resources (account, kind, COALESCE(parent, ''), provider_id)
    WHERE live = 1 AND provider_id IS NOT NULL;
CREATE INDEX resources_by_age ON resources (tenant, created_at, id);
CREATE INDEX resources_due ON resources (next_run_at) WHERE next_run_at IS NOT NULL;
CREATE INDEX resources_due_of_kind ON resources (account, kind, next_run_at) WHERE next_run_at IS NOT NULL;
CREATE INDEX resources_leased ON resources (account) WHERE lease_until IS NOT NULL;
CREATE INDEX resources_children ON resources (parent) WHERE parent IS NOT NULL;

-- The outbox. AUTOINCREMENT: a sequence is never used again, even after old events are dropped.
CREATE TABLE events (
    sequence INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    id       TEXT    NOT NULL,
    tenant   TEXT    NOT NULL,
    resource TEXT    NOT NULL,
    event    TEXT    NOT NULL,
    payload  TEXT    NOT NULL,
    at       INTEGER NOT NULL
) STRICT;
CREATE INDEX events_of_tenant ON events (tenant, sequence);
CREATE INDEX events_of_resource ON events (resource, sequence);

CREATE TABLE audit (
    sequence   INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at         INTEGER NOT NULL,
    request_id TEXT,
    principal  TEXT,
    tenant     TEXT    NOT NULL,
    action     TEXT    NOT NULL,
    resource   TEXT    NOT NULL,
    outcome    TEXT    NOT NULL,
    detail     TEXT    NOT NULL,
    -- The sealed batch that it belongs to, once a sealer has chained it.
    seal       INTEGER
) STRICT;
CREATE INDEX audit_of_tenant ON audit (tenant, sequence);

-- Nothing that was audited is taken back or rewritten; sealing is the one thing that happens to it.
CREATE TRIGGER audit_is_never_deleted BEFORE DELETE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit is append-only');
END;
CREATE TRIGGER audit_is_never_rewritten
BEFORE UPDATE OF sequence, at, request_id, principal, tenant, action, resource, outcome, detail ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit is append-only');
END;

CREATE TABLE journal (
    id        TEXT    NOT NULL PRIMARY KEY,
    run       TEXT    NOT NULL,
    resource  TEXT    NOT NULL,
    account   TEXT    NOT NULL,
    operation TEXT    NOT NULL,
    method    TEXT    NOT NULL,
    target    TEXT    NOT NULL,
    body      TEXT,
    at        INTEGER NOT NULL,
    -- answered | notSent | lost; NULL: not known (yet).
    outcome   TEXT,
    -- The HTTP status of an answer.
    status    INTEGER,
    closed_at INTEGER
) STRICT;
CREATE INDEX journal_of_resource ON journal (resource, at);
CREATE INDEX journal_closed ON journal (at) WHERE outcome IS NOT NULL;
