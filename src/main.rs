//! The `lacuna` program.
fn main() {}
