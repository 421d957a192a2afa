//! (the engine is being written)
