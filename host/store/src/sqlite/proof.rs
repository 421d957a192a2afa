//! Proving that the store can write.

/// Changing a row in place needs no new page, and so would go well in a database that is full by its own
/// limit (`maxPages`): sixteen pages, which a create with its index entries fits in, must be free as well.
/// That the disk has room shows when the write is made durable.
pub(super) const PROVE: &str = "INSERT INTO write_proof (one, at, proofs) \
     SELECT 1, $1, 1 \
     WHERE (SELECT max_page_count FROM pragma_max_page_count) \
         - (SELECT page_count FROM pragma_page_count) \
         + (SELECT freelist_count FROM pragma_freelist_count) >= 16 \
     ON CONFLICT (one) DO UPDATE SET at = excluded.at, proofs = write_proof.proofs + 1 \
     RETURNING proofs";
