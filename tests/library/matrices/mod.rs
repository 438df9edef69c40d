//! Pairs of boundary matrices and their cycles.

mod cycles;
mod reduction;
