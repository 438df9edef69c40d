//! Devices: opened by the first call that uses them, and then kept open.

use std::sync::LazyLock;

use lacuna::backend::{Backend, Choice};

use crate::error::Failure;

/// The backend of the process, which keeps its devices open.
static MACHINES: LazyLock<Backend> = LazyLock::new(Backend::default);

/// The backend with the given name.
///
/// # Errors
/// There is no such backend.
pub(crate) fn backend(name: &str) -> Result<Backend, Failure> {
    let choice = match name {
        "auto" => Choice::Auto,
        "cpu" => Choice::Cpu,
        "cuda" => Choice::Cuda,
        _ => return Err(Failure::Value(format!("backend: expected auto, cpu or cuda, found {name:?}"))),
    };
    Ok(MACHINES.choosing(choice))
}
