//! Files are read, written and compared.

mod bars;
mod examples;
mod readers;
