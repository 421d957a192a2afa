//! `prices`: the price book. Operators write it, and never over what stands in it: a new price takes the
//! place of the old from its time on, so that what was billed can be counted again.

pub mod list;
pub mod put;
