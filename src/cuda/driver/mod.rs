//! Calls into CUDA's driver by the crate cudarc, confined to this module with most of the `unsafe` code that they
//! need.
//!
//! | file | content |
//! |---|---|
//! | `device.rs` | discovery of devices, and open devices |
//! | `memory.rs` | device memory, and copies from and to it |
//! | `foreign.rs` | device memory that other libraries have allocated |
//! | `pinned.rs` | page-locked host memory for asynchronous copies |
//! | `inbox.rs` | device memory that is filled while the device works on other memory |
//! | `launch.rs` | kernels and launches |
//! | `plain.rs` | types with the same representation on device and host |
//!
//! All work is done in the order of the requests, on one stream: later work sees the results of earlier work. Only
//! copies into an [`Inbox`] are on a second stream, concurrently with work on other memory. Memory is counted: an
//! allocation past the limit fails as if the device were full.
#![allow(unsafe_code)]

mod device;
mod foreign;
mod inbox;
mod launch;
mod memory;
mod pinned;
mod plain;

pub use device::has_driver;
pub use device::{Gpu, devices};
pub use foreign::{Foreign, device_of};
pub(crate) use inbox::Inbox;
pub(crate) use launch::{Kernel, blocks_of};
pub use memory::Buffer;
pub(crate) use pinned::Pinned;
pub use plain::Plain;
