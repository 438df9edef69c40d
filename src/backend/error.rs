//! Errors of backends and of stages that may run on a device.

use super::Difference;
use crate::cuda::CudaError;

/// The error of a requested backend that cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BackendError {
    /// A GPU was requested, and none can be used.
    #[error("backend cuda")]
    Cuda(#[from] CudaError),
}

/// The error of a stage that may run on a device. `E` is the error of the stage itself.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MachineError<E> {
    /// The input or the request does not suit the stage, on any backend.
    #[error(transparent)]
    Stage(E),
    /// A GPU was requested, and none can be used.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The device failed, and the processor may not replace it.
    #[error("backend cuda")]
    Device(#[from] CudaError),
    /// The results of the device differ from those of the processor.
    #[error("self-check: {0}")]
    Check(#[from] Difference),
}
