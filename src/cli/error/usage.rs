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
    #[error("{option} applies only to {expected}, not to {found}")]
    OnlyOfKind { option: &'static str, expected: &'static str, found: String },
    #[error(
        "--to {to}: expected a kind that an input of kind {from} can become; --from KIND overrides the detected kind"
    )]
    NoConversion { from: String, to: String },
    #[error(
        "{option} {found}: expected a format of kind {kind}, one of {names}; --from and --to choose the kinds"
    )]
    UnknownFormat { option: &'static str, kind: String, names: String, found: String },
    #[error("--output {found}: expected a format of {kind}, one of {names}")]
    UnknownOutput { kind: String, names: String, found: String },
    #[error("{name}: expected {option}, found none")]
    Needs { option: &'static str, name: String },
    #[error("{}: expected --output, or a name with the extension of a format of kind {kind}, one of {names}", out.display())]
    NoOutputFormat { out: PathBuf, kind: String, names: String },
    #[error(
        "{}: expected a name that ends in {endings}, or --output FORMAT, found another name",
        path.display()
    )]
    UnknownEnding { path: PathBuf, endings: String },
    #[error("{input}: expected a file of one kind, found {kinds} possible; choose with --from")]
    SeveralKinds { input: String, kinds: String },
    #[error("{option}: expected a raw image, found --format {format}")]
    OnlyRaw { option: &'static str, format: ImageFormat },
    #[error("--thin: expected --construction t, as skeletons are connected across corners, found v")]
    ThinOfV,
    #[error("{option} applies only to --kind image, which has two axes")]
    OnlyImages { option: &'static str },
    #[error("{option} applies only to --weights dtm")]
    OnlyDtm { option: &'static str },
    #[error("--representatives: expected --output json, csv or npz, which can hold them, found {format}")]
    NoRoom { format: OutputFormat },
    #[error(
        "--representatives: expected --output json or npz, which can hold cocycles and cycles, found {format}"
    )]
    NoRoomForChains { format: OutputFormat },
    #[error("{option} applies only to --representatives {kind}")]
    OnlyBeside { option: &'static str, kind: RepresentativeKind },
    #[error(
        "--ratio: expected 1 with --representatives and --geometry, which index all bars, found {ratio}; use --min-persistence or --longest instead"
    )]
    RatioOfRepresentatives { ratio: f64 },
    #[error("--geometry: expected a file named *.vtk, *.ply or *.obj, found {}", path.display())]
    GeometryName { path: PathBuf },
    #[error("a picture: expected a file named *.svg, *.png or *.pdf, found {}", path.display())]
    PictureName { path: PathBuf },
    #[error("--report: expected a file named *.html, found {}", path.display())]
    ReportName { path: PathBuf },
    #[error(
        "--report {}: expected a directory for the reports of several inputs, found the name of a file", path.display()
    )]
    ReportOfSeveral { path: PathBuf },
    #[error("--checkpoint: expected a file, which the resumed run can read again, found {found}")]
    CheckpointOfPipe { found: String },
    #[error(
        "--checkpoint: expected a run without --representatives and --geometry, whose simplices are not saved, found one of these"
    )]
    CheckpointOfRepresentatives,
    #[error(
        "--checkpoint: expected --via gradient, whose state is saved, found matrix; `lacuna reduce` saves that of a boundary matrix"
    )]
    CheckpointViaMatrix,
    #[error(
        "--checkpoint: expected a directory for --plot, with one picture per input, found a file for one picture of all"
    )]
    CheckpointOfOnePicture,
    #[error("--geometry: expected one input, found several")]
    GeometryOfSeveral,
    #[error("--geometry: expected bars of dimension 2 or less, whose cycles can be drawn, found {found}")]
    GeometryDimension { found: String },
    #[error("--geometry-axes: expected two or three different axes, found {found:?}")]
    GeometryAxes { found: Vec<usize> },
    #[error("--representatives: expected --output json or npz, which can hold cycles, found {found}")]
    NoRoomForCycles { found: String },
    #[error(
        "--representatives and --geometry: expected --via gradient, found matrix; \
         `lacuna convert` and `lacuna reduce --representatives` find cycles of the boundary matrix"
    )]
    RepresentativesViaMatrix,
    #[error("--check: expected on with --representatives, as cycles require ∂∂ = 0, found off")]
    UncheckedCycles,
    #[error(
        "--run {reference}: expected a file of kind {kinds}, found one of kind {found}; --from KIND overrides the detected kind"
    )]
    ReferenceKind { reference: &'static str, kinds: String, found: String },
    #[error("--run: expected a file, which both programs can read, found standard input")]
    ReferenceOfPipe,
    #[error("--run dipha: expected --construction v, that of DIPHA's images, found t")]
    DiphaOfT,
    #[error("expected two files, A and B, found {found}; use --matrix for any number")]
    TwoFiles { found: usize },
    #[error("{option} applies only to --kind wasserstein, not to bottleneck")]
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
        "--output-file: expected a directory for the results of several inputs, found none, although {found}; name one with -o DIR"
    )]
    NeedsDirectory { found: String },
    #[error("{}: expected one input for each output, found another for {}", input.display(), output.display())]
    SameOutput { input: PathBuf, output: PathBuf },
    #[error("{variable}: {problem}")]
    Variable { variable: &'static str, problem: String },
    #[error("{}: expected different files for {what}, found the same", path.display())]
    SameFile { path: PathBuf, what: &'static str },
    #[error("--output {given}: expected another file name, found {}, whose extension stands for {named}", path.display())]
    Contradiction { given: String, named: String, path: PathBuf },
    #[error("--columns: expected an algorithm with a choice of columns, found sieve")]
    SieveColumns,
    #[error(
        "--algorithm: expected one with a scan, which a GPU can run (sieve, hypha, hypha-twist), found {algorithm}"
    )]
    NoScan { algorithm: Algorithm },
}
