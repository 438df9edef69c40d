//! Settings shared by the computations on images: threads and backend, and the parameters of the filtration.

use crate::backend::{Backend, ThreadsError, on_threads};

/// Threads and backend of a computation.
#[derive(Debug, Clone, Default)]
pub(super) struct Machine {
    pub(super) threads: Option<usize>,
    pub(super) backend: Backend,
}

impl Machine {
    /// Runs on the requested number of threads.
    pub(super) fn on_threads<T: Send, E: From<ThreadsError> + Send>(
        &self,
        run: impl FnOnce() -> Result<T, E> + Send,
    ) -> Result<T, E> {
        on_threads(self.threads, run)
    }
}

/// Defines the setters of a computation's `machine`; the literal names the work that the backend does.
macro_rules! machine_setters {
    ($computation:ident, $work:literal) => {
        impl $computation<'_> {
            /// Number of threads (default: those of the global rayon pool).
            #[must_use]
            pub fn threads(mut self, threads: usize) -> Self {
                self.machine.threads = Some(threads);
                self
            }

            #[doc = concat!("What ", $work, " (default: the processor).")]
            #[must_use]
            pub fn backend(mut self, backend: $crate::backend::Backend) -> Self {
                self.machine.backend = backend;
                self
            }
        }
    };
}

/// Defines the setters of the filtration in a computation's `request`.
macro_rules! filtration_setters {
    ($computation:ident) => {
        impl $computation<'_> {
            /// Construction of the cubical complex (default [`Construction::T`](crate::cubical::Construction::T)).
            #[must_use]
            pub fn construction(mut self, construction: $crate::cubical::Construction) -> Self {
                self.request.construction = construction;
                self
            }

            /// Whether to use superlevel sets: cells enter at descending values (default: no).
            #[must_use]
            pub fn superlevel(mut self, superlevel: bool) -> Self {
                self.request.superlevel = superlevel;
                self
            }
        }
    };
}

pub(super) use {filtration_setters, machine_setters};
