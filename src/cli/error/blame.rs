//! Assigns a fault to each error of the library. No match here has a wildcard, so each new kind of failure must be
//! assigned.

use std::convert::Infallible;
use std::error::Error;

use lacuna::backend::{BackendError, MachineError};
use lacuna::cells::ComplexError;
use lacuna::compare::{CompareError, read::ReadError as BarcodeError, write::UnwritableBarcode};
use lacuna::cubical::ShapeError;
use lacuna::cubical::curves::CurvesError;
use lacuna::cubical::ecc::BinsError;
use lacuna::cubical::ecc::cuda::DeviceError;
use lacuna::cubical::ecc::scales::ScalesError;
use lacuna::cubical::ecc::slabs::SlabError;
use lacuna::cubical::persistence::PersistenceError;
use lacuna::cubical::persistence::representatives::RepresentativesError;
use lacuna::cubical::persistence::via_matrix::ViaMatrixError;
use lacuna::cubical::read::ImageReadError;
use lacuna::cubical::thinning::ThinError;
use lacuna::cubical::thinning::binary::OtsuError;
use lacuna::cubical::thinning::two_valued::TwoValuedError;
use lacuna::cubical::value::Inexact;
use lacuna::cubical::write::{UnknownName, Unwritable};
use lacuna::diagram::distance::DistanceError;
use lacuna::generate::GenerateError;
use lacuna::matrix::cycles::CyclesError;
use lacuna::matrix::read::MatrixReadError;
use lacuna::matrix::write::UntoldDimension;
use lacuna::matrix::{MatrixError, NotAComplex};
use lacuna::memory::DoesNotFit;
use lacuna::metric::read::ReadError;
use lacuna::metric::write::{Loss, UnwritableDistances};
use lacuna::metric::{MetricError, ShortestPathsError};
use lacuna::output::geometry::GeometryError;
use lacuna::plot::{PlotError, SeriesError};
use lacuna::progress::Interrupted;
use lacuna::rips::RipsError;
use lacuna::snapshot::SnapshotError;

use crate::cli::compare::ReferenceError;
use crate::cli::curves::CurveFileError;

/// The party responsible for a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The input, or an option that does not suit it: the user can fix it.
    Input,
    /// The machine, which cannot do what was asked: the disk is full, threads do not start, a device is missing or its
    /// result differs from the processor's.
    Machine,
    /// No party: the run was asked to end.
    Nobody,
}

/// An error of the library to which a fault is assigned.
pub(crate) trait Blame: Error + Send + Sync + 'static {
    /// Party responsible for the error.
    fn fault(&self) -> Fault;

    /// Whether other inputs of the same run may still succeed.
    fn concerns_one_input(&self) -> bool {
        false
    }
}

/// Implements [`Blame`] for errors that only an input, or an option that does not suit it, can cause.
macro_rules! of_the_input {
    ($($error:ty),*) => {$(
        impl Blame for $error {
            fn fault(&self) -> Fault {
                Fault::Input
            }
        }
    )*};
}

of_the_input!(
    BinsError,
    CompareError,
    GeometryError,
    NotAComplex,
    OtsuError,
    ReferenceError,
    Loss,
    MetricError,
    ShapeError,
    PlotError,
    SeriesError,
    UnknownName,
    UntoldDimension,
    Unwritable,
    UnwritableBarcode
);

impl Blame for Inexact {
    fn fault(&self) -> Fault {
        Fault::Input
    }

    fn concerns_one_input(&self) -> bool {
        true
    }
}

impl Blame for SnapshotError {
    fn fault(&self) -> Fault {
        if self.is_of_machine() { Fault::Machine } else { Fault::Input }
    }
}

impl Blame for GenerateError {
    fn fault(&self) -> Fault {
        match self {
            GenerateError::NoPoints
            | GenerateError::Dimension { .. }
            | GenerateError::Number { .. }
            | GenerateError::Shape(_)
            | GenerateError::Metric(_) => Fault::Input,
            GenerateError::Memory(_) => Fault::Machine,
        }
    }
}

impl Blame for UnwritableDistances {
    fn fault(&self) -> Fault {
        match self {
            UnwritableDistances::NoPoints
            | UnwritableDistances::Alone { .. }
            | UnwritableDistances::Single { .. }
            | UnwritableDistances::Births { .. }
            | UnwritableDistances::Metric(_) => Fault::Input,
            UnwritableDistances::Memory(_) => Fault::Machine,
        }
    }
}

impl Blame for ShortestPathsError {
    fn fault(&self) -> Fault {
        match self {
            ShortestPathsError::Memory(_) => Fault::Machine,
            ShortestPathsError::Overflow { .. }
            | ShortestPathsError::NoGraph { .. }
            | ShortestPathsError::Metric(_) => Fault::Input,
        }
    }

    fn concerns_one_input(&self) -> bool {
        true
    }
}

impl Blame for Interrupted {
    fn fault(&self) -> Fault {
        // If memory ran out as well, the machine is at fault.
        if self.memory.is_some() { Fault::Machine } else { Fault::Nobody }
    }
}

/// Implements [`Blame`] for errors of reading: a bad input, or a refused allocation.
macro_rules! of_reading {
    ($($error:ty, $concerns_one_input:literal;)*) => {$(
        impl Blame for $error {
            fn fault(&self) -> Fault {
                if self.is_refusal_of_memory() { Fault::Machine } else { Fault::Input }
            }

            fn concerns_one_input(&self) -> bool {
                $concerns_one_input
            }
        }
    )*};
}

of_reading!(
    BarcodeError, false;
    ImageReadError, true;
    MatrixReadError, false;
    ReadError, true;
);

impl Blame for DistanceError {
    fn fault(&self) -> Fault {
        match self {
            DistanceError::NotANumber { .. }
            | DistanceError::TooMany { .. }
            | DistanceError::Order(_)
            | DistanceError::InternalP(_) => Fault::Input,
            DistanceError::Interrupted(error) => error.fault(),
        }
    }
}

impl Blame for BackendError {
    fn fault(&self) -> Fault {
        match self {
            BackendError::Cuda(_) => Fault::Machine,
        }
    }
}

impl<E: Blame, D: Error + Send + Sync + 'static> Blame for MachineError<E, D> {
    fn fault(&self) -> Fault {
        match self {
            MachineError::Stage(error) => error.fault(),
            MachineError::Backend(error) => error.fault(),
            MachineError::Device(_) | MachineError::Check(_) => Fault::Machine,
        }
    }
}

/// The processor's scan never fails.
impl Blame for Infallible {
    fn fault(&self) -> Fault {
        match *self {}
    }
}

impl Blame for DoesNotFit {
    fn fault(&self) -> Fault {
        Fault::Machine
    }

    fn concerns_one_input(&self) -> bool {
        true
    }
}

impl Blame for MatrixError {
    fn fault(&self) -> Fault {
        match self {
            MatrixError::Scan(error) => error.fault(),
            MatrixError::Column(_) | MatrixError::NotAComplex(_) => Fault::Input,
            MatrixError::Threads(_) => Fault::Machine,
            MatrixError::Checkpoint(error) => error.fault(),
            MatrixError::Interrupted(error) => error.fault(),
        }
    }
}

impl Blame for CyclesError {
    fn fault(&self) -> Fault {
        match self {
            CyclesError::NoSuchCell { .. }
            | CyclesError::NotABirth { .. }
            | CyclesError::NotThePairs { .. } => Fault::Input,
            CyclesError::Refused(_) => Fault::Machine,
            CyclesError::Interrupted(error) => error.fault(),
        }
    }
}

impl Blame for RipsError {
    fn fault(&self) -> Fault {
        match self {
            RipsError::Modulus(_)
            | RipsError::Threshold(_)
            | RipsError::TooWide { .. }
            | RipsError::TooManyPoints { .. }
            | RipsError::TooManyDistances
            | RipsError::TooManyEdges(_)
            | RipsError::MeasureExponent(_)
            | RipsError::TooFewNeighbours { .. }
            | RipsError::LandmarkCount { .. }
            | RipsError::LandmarksOfEdges
            | RipsError::WeightedLandmarks
            | RipsError::Selection(_)
            | RipsError::TooFarApart { .. } => Fault::Input,
            RipsError::Backend(error) => error.fault(),
            RipsError::Checkpoint(error) => error.fault(),
            RipsError::Memory { .. }
            | RipsError::DoesNotFit(_)
            | RipsError::SelfCheck { .. }
            | RipsError::Threads(_)
            | RipsError::Refused(_) => Fault::Machine,
            RipsError::Interrupted(error) => error.fault(),
        }
    }

    fn concerns_one_input(&self) -> bool {
        !matches!(self, RipsError::Backend(_) | RipsError::Interrupted(Interrupted { memory: None, .. }))
    }
}

impl Blame for PersistenceError {
    fn fault(&self) -> Fault {
        match self {
            PersistenceError::TooLarge { .. } => Fault::Input,
            PersistenceError::Memory(_) => Fault::Machine,
            PersistenceError::Checkpoint(error) => error.fault(),
        }
    }

    fn concerns_one_input(&self) -> bool {
        true
    }
}

impl Blame for RepresentativesError {
    fn fault(&self) -> Fault {
        match self {
            RepresentativesError::Selection(_) => Fault::Input,
            RepresentativesError::Memory(_) => Fault::Machine,
        }
    }

    fn concerns_one_input(&self) -> bool {
        true
    }
}

impl Blame for ThinError {
    fn fault(&self) -> Fault {
        match self {
            ThinError::Space { .. } => Fault::Input,
            ThinError::Memory(_) => Fault::Machine,
        }
    }
}

impl Blame for ComplexError {
    fn fault(&self) -> Fault {
        match self {
            ComplexError::Memory(_) => Fault::Machine,
            ComplexError::Shape { .. }
            | ComplexError::Voxels { .. }
            | ComplexError::NotANumber { .. }
            | ComplexError::Dimension { .. }
            | ComplexError::TooLarge { .. }
            | ComplexError::Column(_) => Fault::Input,
        }
    }
}

impl<E: Blame> Blame for SlabError<E> {
    fn fault(&self) -> Fault {
        match self {
            SlabError::Read(error) => error.fault(),
            SlabError::Memory(_)
            | SlabError::Slabs { .. }
            | SlabError::Spill { .. }
            | SlabError::Threads(_) => Fault::Machine,
            SlabError::Bins(_) | SlabError::Short { .. } | SlabError::Since(_) | SlabError::Range(_) => {
                Fault::Input
            }
        }
    }
}

impl Blame for ViaMatrixError {
    fn fault(&self) -> Fault {
        match self {
            ViaMatrixError::Complex(error) => error.fault(),
            ViaMatrixError::Scan(error) => error.fault(),
            ViaMatrixError::Reduce(error) => error.fault(),
        }
    }

    fn concerns_one_input(&self) -> bool {
        matches!(self, ViaMatrixError::Complex(_))
    }
}

impl Blame for TwoValuedError {
    fn fault(&self) -> Fault {
        match self {
            TwoValuedError::Third { .. } => Fault::Input,
            TwoValuedError::Thin(error) => error.fault(),
        }
    }

    fn concerns_one_input(&self) -> bool {
        true
    }
}

impl Blame for CurveFileError {
    fn fault(&self) -> Fault {
        match &self.error {
            CurvesError::Range { .. } | CurvesError::ReadOnce => Fault::Input,
            CurvesError::Read(error) => error.fault(),
            CurvesError::Slabs(error) => error.fault(),
            CurvesError::Backend(error) => error.fault(),
            CurvesError::Device(error) => error.fault(),
            CurvesError::Check(_) => Fault::Machine,
            CurvesError::Scales(error) => error.fault(),
            CurvesError::Checkpoint(error) => error.fault(),
            CurvesError::Interrupted(error) => error.fault(),
        }
    }

    fn concerns_one_input(&self) -> bool {
        !matches!(self.error, CurvesError::Backend(_))
    }
}

impl Blame for ScalesError {
    fn fault(&self) -> Fault {
        match self {
            ScalesError::Sigma { .. }
            | ScalesError::Taps { .. }
            | ScalesError::Infinite { .. }
            | ScalesError::Bins(_) => Fault::Input,
            ScalesError::Device(error) => error.fault(),
        }
    }
}

impl Blame for DeviceError {
    fn fault(&self) -> Fault {
        match self {
            DeviceError::Bins(_) | DeviceError::NoRange => Fault::Input,
            DeviceError::Cuda(_) | DeviceError::Threads(_) => Fault::Machine,
        }
    }
}
