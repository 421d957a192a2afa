//! A new migration is a new file, which the compiler would not notice by itself.

#![expect(
    clippy::print_stdout,
    reason = "the way a build script speaks to cargo"
)]

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
