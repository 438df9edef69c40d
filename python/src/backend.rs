//! Devices: opened by the first call that uses them, and open for those that follow.

use std::sync::LazyLock;

use lacuna::backend::{Backend, Choice};

use crate::error::Failure;

/// The machines of the process, which keep their devices open.
static MACHINES: LazyLock<Backend> = LazyLock::new(Backend::default);

/// The machine that is called so.
///
/// # Errors
/// No machine is.
pub(crate) fn backend(name: &str) -> Result<Backend, Failure> {
    let choice = match name {
        "auto" => Choice::Auto,
        "cpu" => Choice::Cpu,
        "cuda" => Choice::Cuda,
        _ => return Err(Failure::Value(format!("backend: expected auto, cpu or cuda, found {name:?}"))),
    };
    Ok(MACHINES.choosing(choice))
}
