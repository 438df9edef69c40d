//! PHAT files: lines of numbers, or little-endian 64-bit integers without a header.
//!
//! | content | text | binary |
//! |---|---|---|
//! | persistence pairs | [`pairs::read_ascii`] | [`pairs::read_binary`] |
//!
//! Nothing in a binary file says what it is; a text file is one whose bytes are those of text.

mod error;
pub mod pairs;
mod text;

pub use error::{PhatError, Place};
