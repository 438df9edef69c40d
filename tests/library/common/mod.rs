//! Random inputs, the configurations of a computation, brute-force computations, and the folder of real inputs with the
//! answers of other programs.

pub(crate) mod brute;
pub(crate) mod chains;
pub(crate) mod complexes;
pub(crate) mod cubes;
pub(crate) mod dense;
pub(crate) mod judge;
pub(crate) mod kept;
pub(crate) mod metrics;
pub(crate) mod phat;
pub(crate) mod shared;
pub(crate) mod spans;
pub(crate) mod variants;
