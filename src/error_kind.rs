//! The kind of each error of the library, from which the program takes its exit code and the Python package the exception.

use std::convert::Infallible;
use std::error::Error;
use std::io;

use crate::backend::{BackendError, CudaError, MachineError, ThreadsError};
use crate::cells::ComplexError;
use crate::compare::CompareError;
use crate::cubical::ecc::{BinsError, EccError};
use crate::cubical::persistence::PersistenceError;
use crate::cubical::persistence::via_matrix::ViaMatrixError;
use crate::cubical::resident::ResidentError;
use crate::cubical::thinning::ThinError;
use crate::cubical::thinning::binary::OtsuError;
use crate::cubical::thinning::graph::GraphError;
use crate::cubical::thinning::two_valued::TwoValuedError;
use crate::cubical::value::Inexact;
use crate::cubical::verify::VerifyError;
use crate::cubical::write::Unwritable;
use crate::cubical::{CubicalError, ShapeError};
use crate::diagram::distance::DistanceError;
use crate::ect::EctError;
use crate::input;
use crate::matrix::cycles::CyclesError;
use crate::matrix::write::UntoldDimension;
use crate::matrix::{MatrixError, NotAComplex};
use crate::memory::DoesNotFit;
use crate::metric::{DistancesError, MetricError};
use crate::progress::Interrupted;
use crate::ranks::RanksError;
use crate::rips::RipsError;
use crate::snapshot::SnapshotError;

/// What an error is about, and so who can do something about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input, or an option that does not suit it.
    Input,
    /// A file that the system cannot read.
    File(io::ErrorKind),
    /// Memory: the limit, or what the system has.
    Memory,
    /// The system: threads that do not start, a full disk, or a device whose results differ from the processor's.
    System,
    /// A requested device that is missing or fails.
    Device,
    /// None: the run was asked to end.
    Interrupted,
}

/// An error that has a kind.
pub trait Classified: Error {
    /// The kind of the error.
    fn error_kind(&self) -> ErrorKind;
}

/// Implements [`Classified`] by the kinds of some variants. All others are of the input.
macro_rules! classified {
    ($($error:ty { $($variant:pat => $kind:expr,)* })*) => {$(
        impl Classified for $error {
            fn error_kind(&self) -> ErrorKind {
                match self {
                    $($variant => $kind,)*
                    #[allow(unreachable_patterns, reason = "a type may name all its variants")]
                    _ => ErrorKind::Input,
                }
            }
        }
    )*};
}

classified! {
    BackendError { Self::Cuda(_) => ErrorKind::Device, }
    BinsError {}
    CompareError {}
    ComplexError { Self::Memory(_) => ErrorKind::Memory, }
    CubicalError {
        Self::Persistence(error) => error.error_kind(),
        Self::Matrix(error) => error.error_kind(),
        Self::Curve(error) => error.error_kind(),
        Self::Thinning(error) => error.error_kind(),
        Self::Threads(error) => error.error_kind(),
        Self::Interrupted(error) => error.error_kind(),
    }
    CudaError {
        Self::OutOfMemory { .. } => ErrorKind::Memory,
        _ => ErrorKind::System,
    }
    CyclesError {
        Self::Refused(_) => ErrorKind::Memory,
        Self::Interrupted(error) => error.error_kind(),
    }
    DistanceError { Self::Interrupted(error) => error.error_kind(), }
    DoesNotFit { _ => ErrorKind::Memory, }
    EccError {
        Self::Read(error) => error.error_kind(),
        Self::Checkpoint(error) => error.error_kind(),
        Self::Memory(_) | Self::Slabs { .. } => ErrorKind::Memory,
        Self::Spill { .. } | Self::Threads(_) => ErrorKind::System,
        Self::Interrupted(error) => error.error_kind(),
    }
    GraphError {
        Self::Memory(_) => ErrorKind::Memory,
        Self::Interrupted(error) => error.error_kind(),
    }
    EctError {
        Self::Memory(_) => ErrorKind::Memory,
        Self::Interrupted(error) => error.error_kind(),
    }
    Inexact {}
    DistancesError { Self::Memory(_) => ErrorKind::Memory, }
    Infallible {}
    Interrupted {
        Interrupted { memory: Some(_), .. } => ErrorKind::Memory,
        _ => ErrorKind::Interrupted,
    }
    MatrixError {
        Self::Scan(error) => error.error_kind(),
        Self::Threads(_) => ErrorKind::System,
        Self::Checkpoint(error) => error.error_kind(),
        Self::Interrupted(error) => error.error_kind(),
    }
    MetricError {}
    NotAComplex {}
    OtsuError {}
    PersistenceError {
        Self::Memory(_) => ErrorKind::Memory,
        Self::Checkpoint(error) => error.error_kind(),
    }
    ResidentError { Self::Cuda(error) => error.error_kind(), }
    RipsError {
        Self::Backend(error) => error.error_kind(),
        Self::Checkpoint(error) => error.error_kind(),
        Self::Memory { .. } | Self::DoesNotFit(_) | Self::Refused(_) => ErrorKind::Memory,
        Self::SelfCheck { .. } | Self::Threads(_) => ErrorKind::System,
        Self::Interrupted(error) => error.error_kind(),
    }
    RanksError { _ => ErrorKind::System, }
    ShapeError {}
    ThinError { Self::Memory(_) => ErrorKind::Memory, }
    ThreadsError { _ => ErrorKind::System, }
    TwoValuedError { Self::Thin(error) => error.error_kind(), }
    UntoldDimension {}
    Unwritable {}
    VerifyError {
        Self::Differs { .. } => ErrorKind::System,
        Self::Curve(error) => error.error_kind(),
        Self::Memory(_) => ErrorKind::Memory,
    }
    ViaMatrixError {
        Self::Complex(error) => error.error_kind(),
        Self::Scan(error) => error.error_kind(),
        Self::Reduce(error) => error.error_kind(),
        Self::Cycles(error) => error.error_kind(),
    }
}

#[cfg(feature = "generate")]
classified! {
    crate::generate::GenerateError { Self::Memory(_) => ErrorKind::Memory, }
}

#[cfg(feature = "plots")]
classified! {
    crate::plot::PlotError {}
    crate::plot::NoDimensions {}
}

#[cfg(feature = "ndarray")]
classified! { crate::interop::ndarray::ImageArrayError {} }

impl Classified for SnapshotError {
    fn error_kind(&self) -> ErrorKind {
        use io::ErrorKind::{OutOfMemory, QuotaExceeded, StorageFull};
        match self {
            SnapshotError::System { kind: OutOfMemory | QuotaExceeded | StorageFull, .. } => {
                ErrorKind::System
            }
            _ => ErrorKind::Input,
        }
    }
}

impl<F: input::Formats> Classified for input::ReadError<F> {
    fn error_kind(&self) -> ErrorKind {
        match self {
            // Memory for the content was refused.
            Self::Io { error, .. } if error.kind() == io::ErrorKind::OutOfMemory => ErrorKind::Memory,
            Self::Io { error, .. } => ErrorKind::File(error.kind()),
            Self::Malformed { .. } => ErrorKind::Input,
        }
    }
}

impl<E: Classified> Classified for MachineError<E> {
    fn error_kind(&self) -> ErrorKind {
        match self {
            MachineError::Stage(error) => error.error_kind(),
            MachineError::Backend(_) | MachineError::Device(_) | MachineError::Check(_) => ErrorKind::Device,
        }
    }
}
