//! Submatrix reduction.
mod queue;
