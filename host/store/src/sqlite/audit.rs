//! What only SQLite knows about the audit: the sequences that AUTOINCREMENT has given.

pub(super) const MARKS: &str = "SELECT \
     COALESCE((SELECT MAX(sequence) FROM audit), 0) AS row_there, \
     COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'audit'), 0) AS row_given, \
     COALESCE((SELECT MAX(sequence) FROM audit_seals), 0) AS seal_there, \
     COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'audit_seals'), 0) AS seal_given";
