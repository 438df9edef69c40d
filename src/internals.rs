//! Items for the program, benches, tests and tools of this repository, beside the public interface. There is no
//! promise: anything here may change or go in any version.

pub use crate::cubical::resident::{
    Arrays, ResidentError, ResidentForeground, ResidentImage, ResidentSkeleton,
};
pub use crate::cuda::{
    Buffer, Foreign, Gpu, KERNELS, MergeTreeKernels, Pending, Plain, Planes, Version, device_of, devices,
    has_driver,
};
pub use crate::input::kind::Kind;
pub use crate::input::source::{name_of, read_all};
pub use crate::matrix::cell_table::CellTable;
pub use crate::matrix::reduction_matrix::ReductionMatrix;
pub use crate::memory::budget::{
    asking, asks, counts, give, give_small, spill_into, spill_window, spilled, spilled_at_most, spilled_now,
    take, take_in_need, take_small, take_small_in_need, taken,
};
pub use crate::memory::{available, resource_limit};
pub use crate::output::naming::FileFormat;
pub use crate::parallel::side_by_side;
pub use crate::ranks::threads::on_ranks;
pub use crate::ranks::{
    Alone, Launched, Place, Portions, Ranks, RanksError, Traffic, World, launched, of_machine, start,
};
pub use crate::rips::binomial::binomial;
pub use crate::rips::code::Code;
pub use crate::rips::complex::Dense;
pub use crate::rips::field::Two;
pub use crate::rips::modulus::prime_modulus;
pub use crate::rips::pipeline::Prepared;
pub use crate::rips::pipeline::processes::take_part;
pub use crate::simd::{Kernel, Level, Rank, Simd};
pub use crate::snapshot::file::sync_directory;
