//! Calls into CUDA's driver, by way of the crate cudarc: the only place of them, and of most of the `unsafe` that they take.
//!
//! | file | holds |
//! |---|---|
//! | `device.rs` | devices that the driver finds, and a device that is open |
//! | `memory.rs` | memory of a device, and copies from and to it |
//! | `foreign.rs` | memory of a device that others have allocated |
//! | `pinned.rs` | page-locked memory of the host, which a device copies by itself |
//! | `inbox.rs` | memory of a device that is filled while the device works on other memory |
//! | `launch.rs` | kernels and their launches |
//! | `plain.rs` | the types that a device holds as the host does |
//!
//! Everything on a device is done in the order in which it is asked for, on one stream: work that is asked for later sees what was done
//! before. Only copies into an [`Inbox`] are on a second stream, beside the work on other memory. Memory is counted: an allocation past the
//! limit fails as it does when the device is full.
//!
//! A build without the feature `cuda` has `absent.rs` in the place of this module.
#![allow(unsafe_code)]

mod device;
mod foreign;
mod inbox;
mod launch;
mod memory;
mod pinned;
mod plain;

pub(crate) use device::has_driver;
pub use device::{Gpu, devices};
pub use foreign::{Foreign, device_of};
pub(crate) use inbox::Inbox;
pub(crate) use launch::Kernel;
pub use memory::Buffer;
pub(crate) use pinned::Pinned;
pub(crate) use plain::Plain;
