//! What all computations on images are asked alike: the machine and, of those with a filtration, the filtration.

use crate::backend::{Backend, ThreadsError, on_threads};

/// Where a computation runs.
#[derive(Debug, Clone, Default)]
pub(super) struct Machine {
    pub(super) threads: Option<usize>,
    pub(super) backend: Backend,
}

impl Machine {
    /// Runs on the threads that are asked for.
    pub(super) fn on_threads<T: Send, E: From<ThreadsError> + Send>(
        &self,
        run: impl FnOnce() -> Result<T, E> + Send,
    ) -> Result<T, E> {
        on_threads(self.threads, run)
    }
}

/// The setters of a computation's `machine`, whose regular work is what the text says.
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

/// The setters of the filtration that a computation's `request` is about.
macro_rules! filtration_setters {
    ($computation:ident) => {
        impl $computation<'_> {
            /// How the image is made a complex (default [`Construction::T`](crate::cubical::Construction::T)).
            #[must_use]
            pub fn construction(mut self, construction: $crate::cubical::Construction) -> Self {
                self.request.construction = construction;
                self
            }

            /// Whether cells enter at descending values (default: no).
            #[must_use]
            pub fn superlevel(mut self, superlevel: bool) -> Self {
                self.request.superlevel = superlevel;
                self
            }
        }
    };
}

pub(super) use {filtration_setters, machine_setters};
