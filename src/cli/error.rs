//! What can go wrong, and the exit code for it.

use std::io;
use std::path::PathBuf;

use lacuna::backend::BackendError;
use lacuna::compare::{CompareError, read::ReadError as BarcodeError};
use lacuna::cubical::ecc::BinsError;
use lacuna::cubical::ecc::batch::BatchError;
use lacuna::cubical::ecc::scales::ScalesError;
use lacuna::cubical::ecc::stream::StreamError;
use lacuna::cubical::persistence::via_matrix::ViaMatrixError;
use lacuna::cubical::persistence::{MachineError, PersistenceError};
use lacuna::cubical::read::{Format as ImageFormat, ReadError as ImageError};
use lacuna::cubical::thinning::binary::OtsuError;
use lacuna::cubical::thinning::machine::MachineError as ThinError;
use lacuna::cubical::thinning::two_valued::TwoValuedError;
use lacuna::cubical::value::Inexact;
use lacuna::cubical::write::{UnknownName, Unwritable};
use lacuna::filtration::FiltrationError;
use lacuna::matrix::NotAComplex;
use lacuna::matrix::read::ReadError as MatrixError;
use lacuna::matrix::scan::ScanError;
use lacuna::metric::read::ReadError;
use lacuna::output::images::Format as BarsFormat;
use lacuna::rips::RipsError;

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
    #[error("--output: {0}")]
    ImageName(#[from] UnknownName),
    #[error(transparent)]
    Unwritable(#[from] Unwritable),
    #[error(transparent)]
    Thin(#[from] ThinError),
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
    Curve(#[from] BatchError),
    #[error("--scales, --sigma, --taps")]
    Scales(#[from] ScalesError),
    #[error("--bins, --range")]
    Bins(#[from] BinsError),
    #[error("{file}")]
    Bars { file: String, source: PersistenceError },
    #[error("--output {output}")]
    Inexact { output: BarsFormat, source: Inexact },
    #[error("{}: expected a directory with files for images, found none but hidden ones and what is no file", path.display())]
    NoFiles { path: PathBuf },
    #[error("{failed} of {all} images have no curve")]
    Images { failed: usize, all: usize },
    #[error("--output-file: expected a directory for the curves of several images, found none")]
    NeedsDirectory,
    #[error("{}: expected one image for each curve, found another for {}", image.display(), output.display())]
    SameOutput { image: PathBuf, output: PathBuf },
    #[error("{}: expected a directory that can be listed", path.display())]
    List { path: PathBuf, source: io::Error },
    #[error("{file}")]
    Check { file: String, source: NotAComplex },
    #[error("{variable}: {problem}")]
    Variable { variable: &'static str, problem: String },
    #[error("{}: expected a path that can be written", path.display())]
    Open { path: PathBuf, source: io::Error },
    #[error("{}: expected a path that can be written, found a directory", path.display())]
    Directory { path: PathBuf },
    #[error("{}: expected different files for the answer and the statistics, found the same", path.display())]
    SameFile { path: PathBuf },
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
    #[error("cannot write {target}")]
    Write { target: String, source: io::Error },
    #[error("cannot start {threads} threads")]
    Threads { threads: usize, source: rayon::ThreadPoolBuildError },
}

impl CliError {
    /// Whether the next image may do better.
    pub(crate) fn is_of_one_image(&self) -> bool {
        matches!(self, CliError::Curve(_) | CliError::Open { .. } | CliError::Directory { .. })
    }

    /// 2 for what the user can mend in the command or the input, 1 for what befell the run.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            // What was to be written does not fit into the format, which is no fault of the disk.
            CliError::Write { source, .. } if source.get_ref().is_some_and(|error| error.is::<Inexact>()) => {
                2
            }
            CliError::Write { .. }
            | CliError::Bars { source: PersistenceError::Memory(_), .. }
            | CliError::Cells { source: FiltrationError::Memory(_), .. }
            | CliError::ViaMatrix(ViaMatrixError::Filtration(FiltrationError::Memory(_)))
            | CliError::Curve(BatchError::Stream { error: StreamError::Spill { .. }, .. })
            | CliError::Threads { .. }
            | CliError::Backend(_)
            | CliError::Scan(_)
            | CliError::Thin(ThinError::Backend(_) | ThinError::Device(_) | ThinError::Check(_))
            | CliError::TwoValued {
                source:
                    TwoValuedError::Thin(ThinError::Backend(_) | ThinError::Device(_) | ThinError::Check(_)),
                ..
            }
            | CliError::ViaMatrix(ViaMatrixError::Scan(_))
            | CliError::Rips(RipsError::Threads(_) | RipsError::Backend(_) | RipsError::SelfCheck { .. }) => {
                1
            }
            _ => 2,
        }
    }
}
