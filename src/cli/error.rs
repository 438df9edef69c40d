//! What can go wrong, whose fault it is, and so the exit code.

use std::io;
use std::path::PathBuf;

use lacuna::backend::BackendError;
use lacuna::cells::FiltrationError;
use lacuna::compare::{CompareError, read::ReadError as BarcodeError};
use lacuna::cubical::curves::CurvesError;
use lacuna::cubical::ecc::BinsError;
use lacuna::cubical::ecc::cuda::DeviceError;
use lacuna::cubical::ecc::scales::ScalesError;
use lacuna::cubical::ecc::slabs::SlabError;
use lacuna::cubical::persistence::via_matrix::ViaMatrixError;
use lacuna::cubical::persistence::{MachineError, PersistenceError};
use lacuna::cubical::read::{ImageFormat, ImageReadError as ImageError};
use lacuna::cubical::thinning::binary::OtsuError;
use lacuna::cubical::thinning::machine::MachineError as ThinError;
use lacuna::cubical::thinning::two_valued::TwoValuedError;
use lacuna::cubical::value::Inexact;
use lacuna::cubical::write::{UnknownName, Unwritable};
use lacuna::matrix::ReduceError;
use lacuna::matrix::leftmost_ones::ScanError;
use lacuna::matrix::read::ReadError as MatrixError;
use lacuna::metric::read::ReadError;
use lacuna::output::images::ImageBarsFormat as BarsFormat;
use lacuna::rips::RipsError;

use super::curves::CurveFileError;

/// Why the program fails.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Image(#[from] ImageError),
    #[error("a raw image: expected {missing}, found none")]
    RawNeeds { missing: &'static str },
    #[error("{option}: expected a raw image, found --format {format}")]
    OnlyRaw { option: &'static str, format: ImageFormat },
    #[error("{file}")]
    Otsu { file: String, source: OtsuError },
    #[error("--output")]
    ImageName(#[from] UnknownName),
    #[error(transparent)]
    Unwritable(#[from] Unwritable),
    #[error(transparent)]
    Thin(#[from] ThinError),
    #[error("--verify: {file}")]
    Verify { file: String, source: PersistenceError },
    #[error("--thin: {file}")]
    TwoValued { file: String, source: TwoValuedError },
    #[error(
        "--thin: expected --construction t, whose voxels touch at corners as those of skeletons do, found v"
    )]
    ThinOfV,
    #[error(transparent)]
    Barcode(#[from] BarcodeError),
    #[error("{a}, {b}")]
    Compare { a: String, b: String, source: CompareError },
    #[error(transparent)]
    Untold(Box<CliError>),
    #[error("expected different files A and B, found standard input twice")]
    TwiceStandardInput,
    #[error(transparent)]
    Rips(#[from] RipsError),
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    #[error(transparent)]
    Persistence(#[from] MachineError),
    #[error(transparent)]
    ViaMatrix(#[from] ViaMatrixError),
    #[error("{file}")]
    Cells { file: String, source: FiltrationError },
    #[error(transparent)]
    Curve(#[from] CurveFileError),
    #[error("--scales, --sigma, --taps")]
    Scales(#[from] ScalesError),
    #[error("--bins, --range")]
    Bins(#[from] BinsError),
    #[error("{failed} of {all} inputs have no answer")]
    Batch { failed: usize, all: usize, fault: Fault },
    #[error("{file}")]
    Bars { file: String, source: PersistenceError },
    #[error("--output {output}")]
    Inexact { output: BarsFormat, source: Inexact },
    #[error("{}: expected a directory with files for images, found none but hidden ones and what is no file", path.display())]
    NoFiles { path: PathBuf },
    #[error(
        "--output-file: expected a directory for the answers of several inputs, found none; -o DIR names one"
    )]
    NeedsDirectory,
    #[error("{}: expected one input for each answer, found another for {}", input.display(), output.display())]
    SameOutput { input: PathBuf, output: PathBuf },
    #[error("{}: expected a directory that can be listed", path.display())]
    List { path: PathBuf, source: io::Error },
    #[error("{file}")]
    Check { file: String, source: super::job::Refused },
    #[error("{variable}: {problem}")]
    Variable { variable: &'static str, problem: String },
    #[error("{}: expected a path that can be written", path.display())]
    Open { path: PathBuf, source: io::Error },
    #[error("{}: expected a path that can be written, found a directory", path.display())]
    Directory { path: PathBuf },
    #[error("{}: expected different files for the answer and the statistics, found the same", path.display())]
    SameFile { path: PathBuf },
    #[error("{}: expected an output that is not the input, found the file {}", path.display(), input.display())]
    Overwritten { path: PathBuf, input: PathBuf },
    #[error("--output {given}: expected a file of another name, found {}, which is that of {named}", path.display())]
    Contradiction { given: &'static str, named: &'static str, path: PathBuf },
    #[error(
        "{target}: expected a file or a pipe for a binary format, found a terminal; -o FILE names a file"
    )]
    Terminal { target: String },
    #[error(
        "--columns: expected an algorithm that has working columns to choose, found sieve, which has its own"
    )]
    SieveColumns,
    #[error(
        "--algorithm: expected one that scans, which a GPU can do (sieve, hypha, hypha-twist), found {algorithm}"
    )]
    NoScan { algorithm: &'static str },
    #[error(transparent)]
    Backend(#[from] BackendError),
    #[error(transparent)]
    Scan(#[from] ScanError),
    #[error(transparent)]
    Reduce(#[from] ReduceError),
    #[error("cannot write {target}")]
    Write { target: String, source: io::Error },
    #[error(
        "cannot start {threads} threads; --threads asks for fewer, and the system's limits of processes and memory \
         (ulimit -u, ulimit -v) may allow more"
    )]
    Threads { threads: usize, source: rayon::ThreadPoolBuildError },
}

/// Whose fault a failure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// The command's, the input's or an output path's, which the user can mend.
    Request,
    /// The machine's, which cannot do what was asked: a disk that is full, threads that do not start, a device that is not there or
    /// that finds something else than the processor.
    Machine,
}

impl Fault {
    /// What the program answers with.
    pub(crate) fn exit_code(self) -> u8 {
        match self {
            Fault::Machine => 1,
            Fault::Request => 2,
        }
    }
}

impl CliError {
    /// Whether the next input may do better.
    pub(crate) fn is_of_one_input(&self) -> bool {
        match self {
            CliError::Curve(CurveFileError { error: CurvesError::Backend(_), .. })
            | CliError::Rips(RipsError::Backend(_)) => false,
            CliError::Curve(_)
            | CliError::Rips(_)
            | CliError::Read(_)
            | CliError::Open { .. }
            | CliError::Directory { .. }
            | CliError::Overwritten { .. } => true,
            _ => false,
        }
    }
}

/// An error that says whose fault it is.
pub(crate) trait Blame {
    /// Whose.
    fn fault(&self) -> Fault;
}

// No arm of these is a wildcard: a new kind of failure has to say whose fault it is.

impl Blame for CliError {
    fn fault(&self) -> Fault {
        match self {
            CliError::Read(_)
            | CliError::Matrix(_)
            | CliError::Barcode(_)
            | CliError::RawNeeds { .. }
            | CliError::OnlyRaw { .. }
            | CliError::Otsu { .. }
            | CliError::ImageName(_)
            | CliError::Unwritable(_)
            | CliError::ThinOfV
            | CliError::Compare { .. }
            | CliError::TwiceStandardInput
            | CliError::Bins(_)
            | CliError::NeedsDirectory
            | CliError::NoFiles { .. }
            | CliError::Inexact { .. }
            | CliError::SameOutput { .. }
            | CliError::List { .. }
            | CliError::Check { .. }
            | CliError::Variable { .. }
            | CliError::Open { .. }
            | CliError::Directory { .. }
            | CliError::SameFile { .. }
            | CliError::Overwritten { .. }
            | CliError::Contradiction { .. }
            | CliError::Terminal { .. }
            | CliError::SieveColumns
            | CliError::NoScan { .. } => Fault::Request,
            // Of `compare`, the exit code of the machine's faults says that the files differ.
            CliError::Untold(_) => Fault::Request,
            // What was to be written does not fit into the format, which is no fault of the disk.
            CliError::Write { source, .. } if source.get_ref().is_some_and(|error| error.is::<Inexact>()) => {
                Fault::Request
            }
            CliError::Write { .. } | CliError::Threads { .. } => Fault::Machine,
            CliError::Bars { source, .. } | CliError::Verify { source, .. } => source.fault(),
            CliError::Cells { source, .. } => source.fault(),
            CliError::Image(error) => error.fault(),
            CliError::Batch { fault, .. } => *fault,
            CliError::Thin(error) => error.fault(),
            CliError::TwoValued { source, .. } => source.fault(),
            CliError::Rips(error) => error.fault(),
            CliError::Persistence(error) => error.fault(),
            CliError::ViaMatrix(error) => error.fault(),
            CliError::Curve(error) => error.fault(),
            CliError::Scales(error) => error.fault(),
            CliError::Backend(error) => error.fault(),
            CliError::Scan(error) => error.fault(),
            CliError::Reduce(error) => error.fault(),
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

impl Blame for ScanError {
    fn fault(&self) -> Fault {
        match self {
            ScanError::Backend(error) => error.fault(),
            ScanError::SelfCheck(_) => Fault::Machine,
        }
    }
}

impl Blame for ReduceError {
    fn fault(&self) -> Fault {
        match self {
            ReduceError::Scan(error) => error.fault(),
            ReduceError::Threads { .. } => Fault::Machine,
        }
    }
}

impl Blame for RipsError {
    fn fault(&self) -> Fault {
        match self {
            RipsError::Modulus(_)
            | RipsError::Threshold(_)
            | RipsError::TooWide { .. }
            | RipsError::PairStoreMemory { .. }
            | RipsError::Memory { .. }
            | RipsError::TooManyPoints { .. }
            | RipsError::TooManyDistances
            | RipsError::TooFarApart { .. } => Fault::Request,
            RipsError::Backend(error) => error.fault(),
            RipsError::SelfCheck { .. } | RipsError::Threads(_) | RipsError::Refused(_) => Fault::Machine,
        }
    }
}

impl Blame for ImageError {
    fn fault(&self) -> Fault {
        match self {
            ImageError::Io { error, .. } if error.kind() == io::ErrorKind::OutOfMemory => Fault::Machine,
            ImageError::Io { .. } | ImageError::Malformed { .. } => Fault::Request,
        }
    }
}

impl Blame for PersistenceError {
    fn fault(&self) -> Fault {
        match self {
            PersistenceError::TooLarge { .. } => Fault::Request,
            PersistenceError::Memory(_) => Fault::Machine,
        }
    }
}

impl Blame for FiltrationError {
    fn fault(&self) -> Fault {
        match self {
            FiltrationError::Memory(_) => Fault::Machine,
            FiltrationError::Shape { .. }
            | FiltrationError::Voxels { .. }
            | FiltrationError::NotANumber { .. }
            | FiltrationError::Dimension { .. }
            | FiltrationError::TooLarge { .. }
            | FiltrationError::Column(_) => Fault::Request,
        }
    }
}

impl<E: Blame> Blame for SlabError<E> {
    fn fault(&self) -> Fault {
        match self {
            SlabError::Read(error) => error.fault(),
            SlabError::Spill { .. } | SlabError::Threads(_) => Fault::Machine,
            SlabError::Bins(_) | SlabError::Short { .. } | SlabError::Range(_) | SlabError::Slabs { .. } => {
                Fault::Request
            }
        }
    }
}

impl Blame for MachineError {
    fn fault(&self) -> Fault {
        match self {
            MachineError::Persistence(error) => error.fault(),
            MachineError::Backend(error) => error.fault(),
            MachineError::Device(_) | MachineError::Check { .. } => Fault::Machine,
        }
    }
}

impl Blame for ViaMatrixError {
    fn fault(&self) -> Fault {
        match self {
            ViaMatrixError::Filtration(error) => error.fault(),
            ViaMatrixError::Scan(error) => error.fault(),
            ViaMatrixError::Reduce(error) => error.fault(),
        }
    }
}

impl Blame for ThinError {
    fn fault(&self) -> Fault {
        match self {
            ThinError::Thin(_) => Fault::Request,
            ThinError::Backend(error) => error.fault(),
            ThinError::Device(_) | ThinError::Check(_) => Fault::Machine,
        }
    }
}

impl Blame for TwoValuedError {
    fn fault(&self) -> Fault {
        match self {
            TwoValuedError::Third { .. } => Fault::Request,
            TwoValuedError::Thin(error) => error.fault(),
        }
    }
}

impl Blame for CurveFileError {
    fn fault(&self) -> Fault {
        match &self.error {
            CurvesError::Range { .. } | CurvesError::ReadOnce => Fault::Request,
            CurvesError::Read(error) => error.fault(),
            CurvesError::Slabs(error) => error.fault(),
            CurvesError::Backend(error) => error.fault(),
            CurvesError::Device(error) => error.fault(),
            CurvesError::Check(_) => Fault::Machine,
            CurvesError::Scales(error) => error.fault(),
        }
    }
}

impl Blame for ScalesError {
    fn fault(&self) -> Fault {
        match self {
            ScalesError::Sigma { .. }
            | ScalesError::Taps { .. }
            | ScalesError::Infinite { .. }
            | ScalesError::Bins(_) => Fault::Request,
            ScalesError::Device(error) => error.fault(),
        }
    }
}

impl Blame for DeviceError {
    fn fault(&self) -> Fault {
        match self {
            DeviceError::Bins(_) | DeviceError::NoRange => Fault::Request,
            DeviceError::Cuda(_) | DeviceError::Threads(_) => Fault::Machine,
        }
    }
}

#[cfg(test)]
mod tests {
    use lacuna::cuda::CudaError;

    use super::*;

    /// One device that is not there, as each command meets it.
    #[test]
    fn a_machine_that_cannot_is_the_machine_s_fault_everywhere() {
        let backend = || BackendError::Cuda(CudaError::NoDriver);
        let device = || DeviceError::Cuda(CudaError::NoDriver);
        let file = String::new;
        let curve = |error| CliError::Curve(CurveFileError { file: String::new(), error });
        for error in [
            CliError::Backend(backend()),
            CliError::Rips(RipsError::Backend(backend())),
            CliError::Scan(ScanError::Backend(backend())),
            CliError::Persistence(MachineError::Backend(backend())),
            CliError::Persistence(MachineError::Device(CudaError::NoDevice)),
            CliError::ViaMatrix(ViaMatrixError::Scan(ScanError::Backend(backend()))),
            CliError::Thin(ThinError::Backend(backend())),
            CliError::TwoValued { file: file(), source: TwoValuedError::Thin(ThinError::Backend(backend())) },
            curve(CurvesError::Backend(backend())),
            curve(CurvesError::Device(device())),
            curve(CurvesError::Scales(ScalesError::Device(device()))),
        ] {
            assert_eq!(error.fault().exit_code(), 1, "{error:?}");
        }
        let wrong =
            [CliError::Rips(RipsError::Modulus(4)), curve(CurvesError::ReadOnce), CliError::NeedsDirectory];
        assert!(wrong.iter().all(|error| error.fault().exit_code() == 2));
    }
}
