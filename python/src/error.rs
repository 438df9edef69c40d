//! Conversion of the library's errors to exceptions.
//!
//! | exception | cause |
//! |---|---|
//! | `ValueError` | an input, or an option that does not suit it |
//! | `MemoryError` | not enough memory |
//! | `OSError` or a subclass of it | a file cannot be read |
//! | `RuntimeError` | the machine: threads that cannot be started, a missing device, or a device whose results differ from the processor's |
//! | `KeyboardInterrupt`, or any exception of a signal handler | the run was interrupted |
//!
//! Messages are those of the library, with their causes.

use std::any::Any;
use std::error::Error;
use std::io;

use lacuna::backend::{BackendError, CudaError, MachineError};
use lacuna::cubical::ecc::BinsError;
use lacuna::cubical::ecc::cuda::DeviceError;
use lacuna::cubical::ecc::scales::ScalesError;
use lacuna::cubical::persistence::PersistenceError;
use lacuna::cubical::persistence::representatives::RepresentativesError;
use lacuna::cubical::thinning::ThinError;
use lacuna::cubical::thinning::binary::OtsuError;
use lacuna::cubical::value::Inexact;
use lacuna::cubical::{CubicalError, ShapeError};
use lacuna::diagram::distance::DistanceError;
use lacuna::internals::ResidentError;
use lacuna::interop::ndarray::ImageArrayError;
use lacuna::interop::sprs::BoundaryArrayError;
use lacuna::matrix::cycles::CyclesError;
use lacuna::matrix::read::MatrixReadError;
use lacuna::matrix::{MatrixError, NotAComplex};
use lacuna::metric::MetricError;
use lacuna::progress::Interrupted;
use lacuna::rips::RipsError;
use pyo3::PyErr;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};

/// An error that can be created without the interpreter's lock.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input is invalid, or an option does not suit it.
    Value(String),
    /// There is not enough memory.
    Memory(String),
    /// A file cannot be read; with the kind of the system's error.
    File(io::ErrorKind, String),
    /// The machine failed.
    Runtime(String),
    /// The run was interrupted.
    Interrupted,
}

impl Failure {
    /// The failure for a panic of the library, which is a bug in it.
    pub(crate) fn of_panic(panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().copied().map(str::to_owned);
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Failure::Runtime(format!("a mistake in Lacuna, please report it: {text}"))
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Value(text) => PyValueError::new_err(text),
            Failure::Memory(text) => PyMemoryError::new_err(text),
            // Depending on the kind this is a subclass of OSError, such as FileNotFoundError.
            Failure::File(kind, text) => io::Error::new(kind, text).into(),
            Failure::Runtime(text) => PyRuntimeError::new_err(text),
            // An interrupted run usually raises the exception of the interruption; this is for the case without one.
            Failure::Interrupted => PyRuntimeError::new_err("interrupted"),
        }
    }
}

/// The message of an error with its causes.
fn told(error: &dyn Error) -> String {
    let (mut text, mut cause) = (error.to_string(), error.source());
    while let Some(error) = cause {
        let own = error.to_string();
        if !text.ends_with(&own) {
            text = format!("{text}: {own}");
        }
        cause = error.source();
    }
    text
}

/// Errors that only an input, or an unsuitable option, can cause.
macro_rules! of_the_input {
    ($($error:ty),* $(,)?) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Failure::Value(told(&error))
            }
        }
    )*};
}

of_the_input!(
    MetricError,
    ShapeError,
    ImageArrayError,
    BoundaryArrayError,
    NotAComplex,
    BinsError,
    OtsuError,
    Inexact
);

impl From<RipsError> for Failure {
    fn from(error: RipsError) -> Self {
        let text = told(&error);
        match error {
            RipsError::Memory { .. } | RipsError::DoesNotFit(_) | RipsError::Refused(_) => {
                Failure::Memory(text)
            }
            RipsError::Backend(_) | RipsError::SelfCheck { .. } | RipsError::Threads(_) => {
                Failure::Runtime(text)
            }
            RipsError::Interrupted(error) => error.into(),
            _ => Failure::Value(text),
        }
    }
}

impl From<Interrupted> for Failure {
    fn from(error: Interrupted) -> Self {
        if error.memory.is_some() { Failure::Memory(told(&error)) } else { Failure::Interrupted }
    }
}

impl From<DistanceError> for Failure {
    fn from(error: DistanceError) -> Self {
        match error {
            DistanceError::Interrupted(error) => error.into(),
            error => Failure::Value(told(&error)),
        }
    }
}

impl From<BackendError> for Failure {
    fn from(error: BackendError) -> Self {
        Failure::Runtime(told(&error))
    }
}

impl From<PersistenceError> for Failure {
    fn from(error: PersistenceError) -> Self {
        match error {
            PersistenceError::Memory(refused) => Failure::Memory(told(&refused)),
            error => Failure::Value(told(&error)),
        }
    }
}

impl From<RepresentativesError> for Failure {
    fn from(error: RepresentativesError) -> Self {
        match error {
            RepresentativesError::Memory(refused) => Failure::Memory(told(&refused)),
            error => Failure::Value(told(&error)),
        }
    }
}

impl From<ThinError> for Failure {
    fn from(error: ThinError) -> Self {
        match error {
            ThinError::Memory(refused) => Failure::Memory(told(&refused)),
            error => Failure::Value(told(&error)),
        }
    }
}

impl From<ScalesError> for Failure {
    fn from(error: ScalesError) -> Self {
        match error {
            ScalesError::Device(DeviceError::Bins(bins)) => bins.into(),
            ScalesError::Device(error) => Failure::Runtime(told(&error)),
            error => Failure::Value(told(&error)),
        }
    }
}

impl<E, D> From<MachineError<E, D>> for Failure
where
    E: Error + Into<Failure> + 'static,
    D: Error + 'static,
{
    fn from(error: MachineError<E, D>) -> Self {
        match error {
            MachineError::Stage(error) => error.into(),
            error => Failure::Runtime(told(&error)),
        }
    }
}

impl From<CubicalError> for Failure {
    fn from(error: CubicalError) -> Self {
        match error {
            CubicalError::Shape(error) => error.into(),
            CubicalError::Persistence(error) => error.into(),
            CubicalError::Representatives(error) => error.into(),
            CubicalError::Curve(error) => error.into(),
            CubicalError::Thinning(error) => error.into(),
            CubicalError::Inexact(error) => error.into(),
            CubicalError::Interrupted(error) => error.into(),
            error => Failure::Runtime(told(&error)),
        }
    }
}

impl From<MatrixError> for Failure {
    fn from(error: MatrixError) -> Self {
        let text = told(&error);
        match error {
            MatrixError::Column(_) | MatrixError::NotAComplex(_) | MatrixError::Checkpoint(_) => {
                Failure::Value(text)
            }
            MatrixError::Scan(_) | MatrixError::Threads(_) => Failure::Runtime(text),
            MatrixError::Interrupted(error) => error.into(),
        }
    }
}

impl From<CudaError> for Failure {
    fn from(error: CudaError) -> Self {
        let text = told(&error);
        match error {
            CudaError::OutOfMemory { .. } => Failure::Memory(text),
            _ => Failure::Runtime(text),
        }
    }
}

impl From<ResidentError> for Failure {
    fn from(error: ResidentError) -> Self {
        match error {
            ResidentError::Shape(error) => error.into(),
            ResidentError::Cuda(error) => error.into(),
            error => Failure::Runtime(told(&error)),
        }
    }
}

impl From<CyclesError> for Failure {
    fn from(error: CyclesError) -> Self {
        match error {
            CyclesError::Refused(refused) => Failure::Memory(told(&refused)),
            CyclesError::Interrupted(error) => error.into(),
            error => Failure::Value(told(&error)),
        }
    }
}

impl From<MatrixReadError> for Failure {
    fn from(error: MatrixReadError) -> Self {
        let text = told(&error);
        match error {
            error if error.is_refusal_of_memory() => Failure::Memory(text),
            MatrixReadError::Io { error, .. } => Failure::File(error.kind(), text),
            _ => Failure::Value(text),
        }
    }
}
