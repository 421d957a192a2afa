-- What tenants may book, what ran and when, what it costs, and what may be spent.

-- How much of a capacity a tenant may book on a pool. What it has booked stands in its live rows and
-- nowhere else, so that the two can't differ.
CREATE TABLE capacity_quotas (
    tenant     TEXT    NOT NULL REFERENCES tenants (id),
    pool       TEXT    NOT NULL REFERENCES pools (id),
    capacity   TEXT    NOT NULL,
    amount     INTEGER NOT NULL CHECK (amount >= 0),
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, pool, capacity)
) STRICT;
CREATE INDEX capacity_quotas_of_pool ON capacity_quotas (pool);
CREATE INDEX resources_that_book ON resources (tenant, pool) WHERE live = 1 AND held <> '{}';

-- One row each time that a meter ran at one rate; until_at is NULL while it runs.
CREATE TABLE meter_spans (
    resource TEXT    NOT NULL REFERENCES resources (id),
    meter    TEXT    NOT NULL,
    from_at  INTEGER NOT NULL,
    until_at INTEGER,
    rate     INTEGER NOT NULL CHECK (rate > 0),
    -- The resource's, which never change: usage and bills are read without it.
    tenant   TEXT    NOT NULL,
    project  TEXT,
    pool     TEXT    NOT NULL,
    kind     TEXT    NOT NULL,
    PRIMARY KEY (resource, meter, from_at),
    CHECK (until_at IS NULL OR until_at >= from_at)
) STRICT;
CREATE UNIQUE INDEX meter_spans_running ON meter_spans (resource, meter) WHERE until_at IS NULL;
CREATE INDEX meter_spans_of_tenant ON meter_spans (tenant, resource, meter, from_at);
CREATE INDEX meter_spans_ended ON meter_spans (tenant, until_at);

-- An offer may rest, and may leave out regions of its pool.
ALTER TABLE offers ADD COLUMN suspended INTEGER NOT NULL DEFAULT 0 CHECK (suspended IN (0, 1));
ALTER TABLE offers ADD COLUMN excluded_regions TEXT NOT NULL DEFAULT '[]';

-- The price book. A price is never edited: a new one takes its place from its valid_from on.
CREATE TABLE prices (
    id            TEXT    NOT NULL PRIMARY KEY,
    meter         TEXT    NOT NULL,
    kind          TEXT,
    pool          TEXT    REFERENCES pools (id),
    currency      TEXT    NOT NULL,
    -- Millionths of the currency's unit, for one unit of the meter.
    micros        INTEGER NOT NULL CHECK (micros >= 0),
    valid_from    INTEGER NOT NULL,
    created_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX prices_of_meter ON prices (currency, meter, valid_from);
CREATE TRIGGER prices_are_never_rewritten BEFORE UPDATE ON prices
BEGIN
    SELECT RAISE(ABORT, 'a price is never edited; record a new one');
END;

-- What a tenant, or a project of it, may spend in a calendar month of UTC.
CREATE TABLE budgets (
    id         TEXT    NOT NULL PRIMARY KEY,
    tenant     TEXT    NOT NULL REFERENCES tenants (id),
    project    TEXT,
    currency   TEXT    NOT NULL,
    micros     INTEGER NOT NULL CHECK (micros >= 0),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    FOREIGN KEY (tenant, project) REFERENCES projects (tenant, id)
) STRICT;
CREATE UNIQUE INDEX budgets_one_each ON budgets (tenant, COALESCE(project, ''), currency);
