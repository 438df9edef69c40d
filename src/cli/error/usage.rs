//! Errors of usage: options or arguments that contradict each other.

use std::path::PathBuf;

use lacuna::cubical::read::ImageFormat;
use lacuna::matrix::Algorithm;
use lacuna::output::OutputFormat;
use lacuna::rips::RepresentativeKind;

/// Problems with the command line or an environment variable.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UsageError {
    #[error("a raw image: expected {missing}, found none")]
    RawNeeds { missing: &'static str },
    #[error("{option}: expected {expected}, which it is for, found {found}")]
    OnlyOfKind { option: &'static str, expected: &'static str, found: String },
    #[error(
        "--to {to}: expected a kind that the input can become, found that it is of kind {from}; --from says otherwise"
    )]
    NoConversion { from: String, to: String },
    #[error(
        "{option} {found}: expected a format of kind {kind}, one of {names}; --from and --to name the kinds"
    )]
    UnknownFormat { option: &'static str, kind: String, names: String, found: String },
    #[error("--output {found}: expected a format of {kind}, one of {names}")]
    UnknownOutput { kind: String, names: String, found: String },
    #[error("{name}: expected {option}, found none")]
    Needs { option: &'static str, name: String },
    #[error("{}: expected --output, or a name that tells a format of kind {kind}, one of {names}", out.display())]
    NoOutputFormat { out: PathBuf, kind: String, names: String },
    #[error(
        "{}: expected a name that ends in {endings}, or --output FORMAT, found one that tells no format",
        path.display()
    )]
    UnknownEnding { path: PathBuf, endings: String },
    #[error("{input}: expected a file of one kind, found what may be {kinds}; --from says which")]
    SeveralKinds { input: String, kinds: String },
    #[error("{option}: expected a raw image, found --format {format}")]
    OnlyRaw { option: &'static str, format: ImageFormat },
    #[error(
        "--thin: expected --construction t, whose voxels touch at corners as those of skeletons do, found v"
    )]
    ThinOfV,
    #[error("{option}: expected --kind image, which has two axes, found another kind")]
    OnlyImages { option: &'static str },
    #[error("{option}: expected --weights dtm, which it is for, found none")]
    OnlyDtm { option: &'static str },
    #[error(
        "--representatives: expected --output json, csv or npz, which have room for them, found {format}"
    )]
    NoRoom { format: OutputFormat },
    #[error(
        "--representatives: expected --output json or npz, which have room for cocycles and cycles, found {format}"
    )]
    NoRoomForChains { format: OutputFormat },
    #[error("{option}: expected {kind} among --representatives, which it is for, found none")]
    OnlyBeside { option: &'static str, kind: RepresentativeKind },
    #[error(
        "--ratio: expected 1 beside --representatives and --geometry, which count all bars, found {ratio}; --min-persistence and --longest choose bars"
    )]
    RatioOfRepresentatives { ratio: f64 },
    #[error("--geometry: expected a file named *.vtk, *.ply or *.obj, found {}", path.display())]
    GeometryName { path: PathBuf },
    #[error("a picture: expected a file named *.svg, *.png or *.pdf, found {}", path.display())]
    PictureName { path: PathBuf },
    #[error("--report: expected a file named *.html, found {}", path.display())]
    ReportName { path: PathBuf },
    #[error(
        "--report {}: expected a directory, which is to have a page for each of several inputs, found the name of a file", path.display()
    )]
    ReportOfSeveral { path: PathBuf },
    #[error("--checkpoint: expected a file, which the run that goes on can read again, found {found}")]
    CheckpointOfPipe { found: String },
    #[error(
        "--checkpoint: expected a run without --representatives and --geometry, whose simplices are not kept, found one of these"
    )]
    CheckpointOfRepresentatives,
    #[error(
        "--checkpoint: expected --via gradient, whose reduction is kept, found matrix; `lacuna reduce` keeps that of a boundary matrix"
    )]
    CheckpointViaMatrix,
    #[error(
        "--checkpoint: expected a directory for --plot, with a picture of each input, found a file for one picture of all"
    )]
    CheckpointOfOnePicture,
    #[error("--geometry: expected one input, whose cycles it is to hold, found several")]
    GeometryOfSeveral,
    #[error("--geometry: expected bars of dimension 2 or less, whose cycles can be drawn, found {found}")]
    GeometryDimension { found: String },
    #[error("--geometry-axes: expected two or three different axes, found {found:?}")]
    GeometryAxes { found: Vec<usize> },
    #[error("--representatives: expected --output json or npz, which have room for cycles, found {found}")]
    NoRoomForCycles { found: String },
    #[error(
        "--representatives and --geometry: expected --via gradient, which keeps what cycles are made of, found matrix; \
         `lacuna convert` and `lacuna reduce --representatives` find cycles of the boundary matrix"
    )]
    RepresentativesViaMatrix,
    #[error("--check: expected on beside --representatives, as the cycles rest on ∂∂ = 0, found off")]
    UncheckedCycles,
    #[error(
        "--run {reference}: expected a file of kind {kinds}, found one of kind {found}; --from says otherwise"
    )]
    ReferenceKind { reference: &'static str, kinds: String, found: String },
    #[error("--run: expected a file, which both programs can read, found standard input")]
    ReferenceOfPipe,
    #[error("--run dipha: expected --construction v, which DIPHA's images are of, found t")]
    DiphaOfT,
    #[error("expected two files, A and B, found {found}; --matrix takes any number")]
    TwoFiles { found: usize },
    #[error("{option}: expected --kind wasserstein, which it is for, found bottleneck")]
    OnlyWasserstein { option: &'static str },
    #[error(
        "--order: expected a finite number, found inf; --kind bottleneck is the distance of order infinity"
    )]
    InfiniteOrder,
    #[error("--output npy: expected --matrix and --dim, as an array holds the distances of one dimension")]
    ArrayOfOneDimension,
    #[error("{}: expected bars with values, found pairs of cells", path.display())]
    NotBars { path: PathBuf },
    #[error("expected different files, found standard input twice")]
    TwiceStandardInput,
    #[error(
        "--output-file: expected a directory for the answers of several inputs, found none; -o DIR names one, as {found}"
    )]
    NeedsDirectory { found: String },
    #[error("{}: expected one input for each answer, found another for {}", input.display(), output.display())]
    SameOutput { input: PathBuf, output: PathBuf },
    #[error("{variable}: {problem}")]
    Variable { variable: &'static str, problem: String },
    #[error("{}: expected different files for {what}, found the same", path.display())]
    SameFile { path: PathBuf, what: &'static str },
    #[error("--output {given}: expected a file of another name, found {}, which is that of {named}", path.display())]
    Contradiction { given: String, named: String, path: PathBuf },
    #[error(
        "--columns: expected an algorithm that has working columns to choose, found sieve, which has its own"
    )]
    SieveColumns,
    #[error(
        "--algorithm: expected one that scans, which a GPU can do (sieve, hypha, hypha-twist), found {algorithm}"
    )]
    NoScan { algorithm: Algorithm },
}
