//! Answers of the library, and readers and writers of files. It is one program, since each one more compiles the library's generic code anew.

mod common;
mod files;
mod fuzz_corpus;
mod golden;
mod gpu;
mod images;
mod interruption;
mod matrices;
mod rips;
