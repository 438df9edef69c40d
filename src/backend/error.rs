//! Why no machine runs a stage.

use super::Difference;
use crate::cuda::CudaError;

/// Why the backend that was asked for cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BackendError {
    /// A GPU was asked for, and there is none that can be used.
    #[error("backend cuda")]
    Cuda(#[from] CudaError),
}

/// Why a stage that a device may run has no result. `E` is the error of the stage itself, `D` that of the code that drives the device.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MachineError<E, D = CudaError> {
    /// The input or the request does not suit the stage, whichever machine runs it.
    #[error(transparent)]
    Stage(E),
    /// A GPU was asked for, and there is none that can be used.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The device fails, and the processor may not replace it.
    #[error("backend cuda")]
    Device(#[source] D),
    /// The device finds something else than the processor.
    #[error("self-check: {0}")]
    Check(#[from] Difference),
}

impl<E, D: From<CudaError>> From<CudaError> for MachineError<E, D> {
    fn from(error: CudaError) -> Self {
        MachineError::Device(error.into())
    }
}
