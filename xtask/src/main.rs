//! Lacuna's chores.
fn main() {}
