//! The groups of options that commands share, a file a group.
//!
//! A group has the words that suit most commands; a command that means something more says so (`mut_arg`).

pub(crate) mod bars;
pub(crate) mod dimensions;
pub(crate) mod distances;
pub(crate) mod filtration;
pub(crate) mod image;
pub(crate) mod limits;
pub(crate) mod machine;
pub(crate) mod matrix;
pub(crate) mod memory;
pub(crate) mod picture;
pub(crate) mod run;
pub(crate) mod weights;
