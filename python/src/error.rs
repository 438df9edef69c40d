//! The library's errors as exceptions.
//!
//! | exception | what failed |
//! |---|---|
//! | `ValueError` | an input, or an option that does not suit it |
//! | `MemoryError` | there is not memory enough |
//! | `OSError`, of its kind | a file cannot be read |
//! | `RuntimeError` | the machine: threads that do not start, a device that is not there, or finds something else than the processor |
//! | `KeyboardInterrupt`, or what a handler of signals raises | the run was interrupted |
//!
//! Messages are the library's, with their causes.

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

/// Why there is no answer, without the interpreter's lock.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input's fault, or that of an option.
    Value(String),
    /// Too little memory.
    Memory(String),
    /// A file that cannot be read, and what kind of error the system gives.
    File(io::ErrorKind, String),
    /// The machine's fault.
    Runtime(String),
    /// The run was ended early.
    Interrupted,
}

impl Failure {
    /// The failure that a panic of the library is: a mistake of the library, which the user did not make.
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
            // FileNotFoundError and the others that are an OSError, by the kind.
            Failure::File(kind, text) => io::Error::new(kind, text).into(),
            Failure::Runtime(text) => PyRuntimeError::new_err(text),
            // Whoever interrupts a run raises what made them do so; this is for the case that nobody does.
            Failure::Interrupted => PyRuntimeError::new_err("interrupted"),
        }
    }
}

/// An error with its causes, one after another.
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

/// Errors that only an input, or an option that does not suit it, can cause.
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
