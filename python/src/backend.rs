//! Devices: opened by the first call that uses them, and open for those that follow.

use std::sync::{Mutex, PoisonError};

use lacuna::backend::{Backend, BackendRequest, Choice};

use crate::error::Failure;

/// The machines that have been asked for so far, each of which keeps its devices open.
static BACKENDS: Mutex<Vec<Backend>> = Mutex::new(Vec::new());

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
    let request = BackendRequest { choice, ..BackendRequest::default() };
    let mut backends = BACKENDS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(backend) = backends.iter().find(|backend| *backend.request() == request) {
        return Ok(backend.clone());
    }
    let backend = Backend::new(request);
    backends.push(backend.clone());
    Ok(backend)
}
