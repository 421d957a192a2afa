-- One row that is written to find out whether anything can be written.
CREATE TABLE write_proof (
    one    INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    at     INTEGER NOT NULL,
    -- Rises with each proof: a row that is written as it stands already touches no page.
    proofs INTEGER NOT NULL
) STRICT;
