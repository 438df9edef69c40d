//! One writer per output format.
