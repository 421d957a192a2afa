-- Seals chain the audit: each covers the rows that were committed since the one before, and hashes them
-- together with that one's hash. Nothing about a row changes when it is sealed: the column that was to mark
-- it stays empty, and no column may be rewritten any longer.
DROP TRIGGER audit_is_never_rewritten;
CREATE TRIGGER audit_is_never_rewritten BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit is append-only');
END;
-- REPLACE deletes what stands in its way without asking the trigger of deletes.
CREATE TRIGGER audit_is_never_replaced BEFORE INSERT ON audit
WHEN EXISTS (SELECT 1 FROM audit WHERE sequence = NEW.sequence)
BEGIN
    SELECT RAISE(ABORT, 'the audit is append-only');
END;

-- AUTOINCREMENT here and there: the highest sequence that was ever given stays known after its row is gone.
CREATE TABLE audit_seals (
    sequence  INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    -- How rows are written out for the hash.
    format    INTEGER NOT NULL,
    first_row INTEGER NOT NULL,
    last_row  INTEGER NOT NULL,
    row_count INTEGER NOT NULL,
    previous  TEXT    NOT NULL,
    hash      TEXT    NOT NULL UNIQUE,
    sealed_at INTEGER NOT NULL
) STRICT;

CREATE TRIGGER audit_seals_are_never_deleted BEFORE DELETE ON audit_seals
BEGIN
    SELECT RAISE(ABORT, 'the audit is append-only');
END;
CREATE TRIGGER audit_seals_are_never_rewritten BEFORE UPDATE ON audit_seals
BEGIN
    SELECT RAISE(ABORT, 'the audit is append-only');
END;
CREATE TRIGGER audit_seals_are_never_replaced BEFORE INSERT ON audit_seals
WHEN EXISTS (SELECT 1 FROM audit_seals WHERE sequence = NEW.sequence OR hash = NEW.hash)
BEGIN
    SELECT RAISE(ABORT, 'the audit is append-only');
END;
