//! Where the regular, independent work of a run is done.

use std::fmt;

/// What the user asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Choice {
    /// Whatever finishes first here.
    #[default]
    Auto,
    /// The processor's cores.
    Cpu,
    /// A CUDA device.
    Cuda,
}

/// What does the work: chosen once, matched once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// The processor's cores.
    Cpu,
}

/// Why there is no such backend.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    /// A GPU was asked for.
    #[error("backend: expected auto or cpu, found cuda: this build has no GPU support yet")]
    NoGpuSupport,
}

impl Backend {
    /// The backend for a choice.
    ///
    /// # Errors
    /// [`BackendError`]: this build or this machine has none such.
    pub fn choose(choice: Choice) -> Result<Self, BackendError> {
        match choice {
            Choice::Auto | Choice::Cpu => Ok(Backend::Cpu),
            Choice::Cuda => Err(BackendError::NoGpuSupport),
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Backend::Cpu => f.write_str("cpu"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_is_refused_not_replaced() {
        assert_eq!(Backend::choose(Choice::Auto), Ok(Backend::Cpu));
        assert_eq!(Backend::choose(Choice::Cpu), Ok(Backend::Cpu));
        assert_eq!(Backend::choose(Choice::Cuda), Err(BackendError::NoGpuSupport));
    }
}
