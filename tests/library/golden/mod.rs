//! Answers of other programs on real inputs, which are ignored unless their data is there.

mod dipha;
mod dipha_program;
mod matrices;
mod ripser;
mod table1;
