//! `lacuna compare --run`: runs a reference program and this one on the same input.
//!
//! | reference | inputs | what it is given |
//! |---|---|---|
//! | `ripser`, `ripserpp` | distances, points | the distances as text, of edges the list |
//! | `giotto-ph`, `gudhi` | distances, points; of `gudhi` images too | a NumPy array, absent edges past the threshold |
//! | `phat` | matrices; images as their boundary matrices | PHAT's binary file |
//! | `dipha` | matrices, images (V-construction), distances | DIPHA's file |
//! | `cripser` | images | a NumPy array |
//!
//! Both programs read the same converted file in processes of their own. The readers of `lacuna compare` read what they
//! write.

use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

use clap::ValueEnum;
use lacuna::compare::Barcode;
use lacuna::compare::read::{BarcodeFormat, read_bytes, read_path};
use lacuna::cubical::Construction;

use crate::cli::convert::kind::{self, Kind};
use crate::cli::deadline::output_of;
use crate::cli::error::{CliError, only_of, usage};
use crate::cli::temporary::TemporaryFolder;

/// The Python script that runs the reference modules.
const SCRIPT: &str = include_str!("reference.py");

/// Exit code of the script when a module cannot be imported.
const NO_MODULE: i32 = 77;

/// A program to compare with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Reference {
    Ripser,
    Ripserpp,
    GiottoPh,
    Phat,
    Dipha,
    Gudhi,
    Cripser,
}

impl Reference {
    /// Name in options and messages.
    fn name(self) -> &'static str {
        match self {
            Reference::Ripser => "ripser",
            Reference::Ripserpp => "ripserpp",
            Reference::GiottoPh => "giotto-ph",
            Reference::Phat => "phat",
            Reference::Dipha => "dipha",
            Reference::Gudhi => "gudhi",
            Reference::Cripser => "cripser",
        }
    }

    /// Name of its executable; `None` for a Python module.
    fn program(self) -> Option<&'static str> {
        match self {
            Reference::Ripserpp => Some("ripser++"),
            Reference::Ripser | Reference::Phat | Reference::Dipha => Some(self.name()),
            Reference::GiottoPh | Reference::Gudhi | Reference::Cripser => None,
        }
    }

    /// How to install it.
    fn remedy(self) -> &'static str {
        match self {
            Reference::Ripser => "it is built from https://github.com/Ripser/ripser by make",
            Reference::Ripserpp => {
                "it is built from https://github.com/simonzhang00/ripser-plusplus by cmake"
            }
            Reference::Phat => "it is built from https://github.com/blazs/phat by cmake",
            Reference::Dipha => "it is built from https://github.com/DIPHA/dipha by cmake",
            Reference::GiottoPh => "pip install giotto-ph",
            Reference::Gudhi => "pip install gudhi scikit-learn",
            Reference::Cripser => "pip install cripser",
        }
    }

    /// The kinds of files that it accepts.
    fn kinds(self) -> &'static [Kind] {
        match self {
            Reference::Ripser | Reference::Ripserpp | Reference::GiottoPh => &[Kind::Distances],
            Reference::Phat => &[Kind::Matrix, Kind::Image],
            Reference::Dipha => &[Kind::Matrix, Kind::Image, Kind::Distances],
            Reference::Gudhi => &[Kind::Distances, Kind::Image],
            Reference::Cripser => &[Kind::Image],
        }
    }

    /// Largest expected deviation from our values, relative to the greatest: by the digits that it prints or its
    /// precision.
    fn tolerance(self) -> f64 {
        match self {
            Reference::Ripser | Reference::Ripserpp => 1e-5,
            Reference::GiottoPh => 1e-6,
            Reference::Phat | Reference::Dipha | Reference::Gudhi | Reference::Cripser => 0.0,
        }
    }
}

/// One comparison: the reference, its input and the options for both programs.
#[derive(Debug)]
pub(super) struct Request<'a> {
    pub(super) reference: Reference,
    pub(super) input: &'a Path,
    pub(super) from: Option<Kind>,
    pub(super) program: Option<&'a Path>,
    pub(super) python: Option<&'a Path>,
    pub(super) max_dim: Option<usize>,
    pub(super) threshold: Option<f64>,
    pub(super) modulus: Option<u16>,
    pub(super) construction: Option<Construction>,
}

impl Request<'_> {
    /// The construction of an image: the requested one, or the default of the reference.
    fn construction(&self) -> &'static str {
        match (self.reference, self.construction) {
            (Reference::Dipha | Reference::Cripser, None) | (_, Some(Construction::V)) => "v",
            (_, None | Some(Construction::T)) => "t",
        }
    }

    /// The Python interpreter that has the reference's module.
    fn python(&self) -> &Path {
        self.python.unwrap_or(Path::new("python3"))
    }

    /// Rejects options that do not apply to the reference or to this kind of input.
    fn check_options(&self, kind: Kind) -> Result<(), CliError> {
        let name = self.reference.name();
        let is_program = self.reference.program().is_some();
        let ends_at_threshold = "ripser, ripserpp, giotto-ph or gudhi";
        let has_coefficients =
            matches!(self.reference, Reference::Ripser | Reference::GiottoPh | Reference::Gudhi);
        let options = [
            ("--program", self.program.is_some(), is_program, "references that are programs", name),
            ("--python", self.python.is_some(), !is_program, "a module of Python", name),
            (
                "--max-dim",
                self.max_dim.is_some(),
                self.reference != Reference::Phat,
                "any reference but phat",
                name,
            ),
            ("--threshold", self.threshold.is_some(), kind == Kind::Distances, "distances", kind.name()),
            (
                "--threshold",
                self.threshold.is_some(),
                self.reference != Reference::Dipha,
                ends_at_threshold,
                name,
            ),
            ("--modulus", self.modulus.is_some(), kind == Kind::Distances, "distances", kind.name()),
            ("--modulus", self.modulus.is_some(), has_coefficients, "ripser, giotto-ph or gudhi", name),
            ("--construction", self.construction.is_some(), kind == Kind::Image, "an image", kind.name()),
        ];
        match options.into_iter().find(|&(_, is_given, is_heeded, ..)| is_given && !is_heeded) {
            Some((option, _, _, expected, found)) => Err(only_of(option, expected, found)),
            // DIPHA supports only the V-construction.
            None if self.reference == Reference::Dipha && self.construction == Some(Construction::T) => {
                Err(usage("--run dipha: expected --construction v, that of DIPHA's images, found t"))
            }
            None => Ok(()),
        }
    }
}

/// A barcode and the cost of computing it.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) barcode: Barcode,
    /// The program and its version, if it reports one.
    pub(super) who: String,
    /// The command that reproduces the run.
    pub(super) command: String,
    /// Wall-clock time of the process.
    pub(super) seconds: f64,
    /// Time of the computation alone, if the program reports it.
    pub(super) computation: Option<f64>,
}

/// The failure of a program.
fn failed(who: &str, found: impl Display) -> CliError {
    usage(format_args!("{who}: expected an answer, found {found}"))
}

fn no_temporary(source: io::Error) -> CliError {
    usage(format_args!("a temporary file: expected it to be written: {source}"))
}

/// The temporary folder with the converted input and both answers, and the path of this program.
struct Bench {
    folder: TemporaryFolder,
    lacuna: PathBuf,
}

impl Bench {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs this program.
    fn lacuna(&self, words: &[OsString]) -> Result<(Output, f64), CliError> {
        let found = timed_run(Command::new(&self.lacuna).args(words));
        let (output, seconds) = found.map_err(|error| failed("lacuna", error))?;
        if output.status.success() {
            return Ok((output, seconds));
        }
        Err(failed("lacuna", last_lines(&output)))
    }

    /// Converts the input for the reference. Other programs receive the absolute path of the converted file: a path
    /// that begins with `-` would be taken for an option.
    fn convert(
        &self,
        request: &Request<'_>,
        kind: Kind,
        options: &[&str],
        name: &str,
    ) -> Result<PathBuf, CliError> {
        let out = self.path(name);
        let mut words: Vec<OsString> = ["convert", "-q", "--from"].map(Into::into).to_vec();
        words.push(kind.to_string().into());
        words.extend(options.iter().map(Into::into));
        words.extend(["--".into(), request.input.into(), out.clone().into()]);
        self.lacuna(&words).map(|_| out)
    }
}

/// Runs both programs, the reference first, since it may be missing.
pub(super) fn run(request: &Request<'_>) -> Result<([Ran; 2], f64), CliError> {
    let kind = match request.from {
        Some(kind) => kind,
        None => kind::among(request.input, request.reference.kinds())?,
    };
    if !request.reference.kinds().contains(&kind) {
        let kinds: Vec<String> = request.reference.kinds().iter().map(Kind::to_string).collect();
        let (reference, kinds) = (request.reference.name(), kinds.join(" or "));
        return Err(usage(format_args!(
            "--run {reference}: expected a file of kind {kinds}, found one of kind {kind}; \
             --from KIND overrides the detected kind"
        )));
    }
    request.check_options(kind)?;
    let folder = TemporaryFolder::create().map_err(no_temporary)?;
    let lacuna = std::env::current_exe().map_err(no_temporary)?;
    let bench = Bench { folder, lacuna };
    let ran = match request.reference {
        Reference::Ripser | Reference::Ripserpp => ripser(&bench, request),
        Reference::Phat => phat(&bench, request, kind),
        Reference::Dipha => dipha(&bench, request, kind),
        Reference::GiottoPh | Reference::Gudhi | Reference::Cripser => python(&bench, request, kind),
    }?;
    Ok((ran, request.reference.tolerance()))
}

/// The options for dimension, threshold and coefficients, in the spelling that Ripser and `lacuna rips` share.
fn filtration(request: &Request<'_>, dim: &str) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec![dim.into(), request.max_dim.unwrap_or(1).to_string().into()];
    if let Some(threshold) = request.threshold {
        words.extend(["--threshold".into(), threshold.to_string().into()]);
    }
    if let Some(modulus) = request.modulus {
        words.extend(["--modulus".into(), modulus.to_string().into()]);
    }
    words
}

fn ripser(bench: &Bench, request: &Request<'_>) -> Result<[Ran; 2], CliError> {
    // A list of edges stays a list. It is cut at the threshold here, which Ripser would ignore.
    let is_graph = {
        let loaded = lacuna::metric::read::read_path(request.input, None)?;
        use lacuna::metric::{Distances, read::Input};
        matches!(loaded.input, Input::Single(Distances::Sparse(_)) | Input::Double(Distances::Sparse(_)))
    };
    let cut = request.threshold.map(|threshold| threshold.to_string());
    let options: Vec<&str> = match (&cut, is_graph) {
        (Some(cut), true) => vec!["--threshold", cut],
        _ => vec!["--to", "distances"],
    };
    let (format, name) =
        if is_graph { ("sparse", "input.sparse") } else { ("lower-distance", "input.lower") };
    let input = bench.convert(request, Kind::Distances, &options, name)?;
    let mut theirs: Vec<OsString> = vec!["--format".into(), format.into()];
    let mut ours: Vec<OsString> = ["rips", "-q", "--format", format].map(Into::into).to_vec();
    let whole = Request { threshold: if is_graph { None } else { request.threshold }, ..*request };
    theirs.extend(filtration(&whole, "--dim"));
    ours.extend(filtration(&whole, "--max-dim"));
    theirs.push(input.clone().into());
    let (who, output, command, seconds) = program(request, &theirs)?;
    // Ripser++ prints progress on standard output too.
    let text = String::from_utf8_lossy(&output.stdout);
    let is_bar =
        |line: &&str| line.starts_with("persistence intervals") || line.trim_start().starts_with('[');
    let bars: Vec<&str> = text.lines().filter(is_bar).collect();
    let barcode = read_bytes(&who, bars.join("\n").as_bytes(), Some(BarcodeFormat::Ripser))?.barcode;
    let theirs = Ran { barcode, who, command, seconds, computation: None };
    Ok([own(bench, ours, &input, "csv")?, theirs])
}

fn phat(bench: &Bench, request: &Request<'_>, kind: Kind) -> Result<[Ran; 2], CliError> {
    let mut options = vec!["--to", "matrix"];
    if kind == Kind::Image {
        options.extend(["--construction", request.construction()]);
    }
    let input = bench.convert(request, kind, &options, "input.bin")?;
    let out = bench.path("theirs.bin");
    let (who, _, command, seconds) =
        program(request, &["--binary".into(), input.clone().into(), out.clone().into()])?;
    let barcode = read_path(&out, Some(BarcodeFormat::PhatBinary))?.barcode;
    let ours = ["reduce", "-q", "--format", "phat-binary"].map(Into::into).to_vec();
    Ok([own(bench, ours, &input, "bin")?, Ran { barcode, who, command, seconds, computation: None }])
}

fn dipha(bench: &Bench, request: &Request<'_>, kind: Kind) -> Result<[Ran; 2], CliError> {
    let to = kind.to_string();
    let input = bench.convert(request, kind, &["--to", &to], "input.dipha")?;
    let out = bench.path("theirs.diagram");
    let mut words: Vec<OsString> = Vec::new();
    let mut ours: Vec<OsString> = ["reduce", "-q", "--format", "dipha"].map(Into::into).to_vec();
    if let Some(dim) = request.max_dim.or((kind == Kind::Distances).then_some(1)) {
        // DIPHA reads a signed 32-bit integer.
        let upper_dim = dim.saturating_add(1).min(i32::MAX as usize);
        words.extend(["--upper_dim".into(), upper_dim.to_string().into()]);
        ours.extend(["--max-dim".into(), dim.to_string().into()]);
    }
    words.extend([input.clone().into(), out.clone().into()]);
    let (who, _, command, seconds) = program(request, &words)?;
    let barcode = read_path(&out, Some(BarcodeFormat::Dipha))?.barcode;
    Ok([own(bench, ours, &input, "diagram")?, Ran { barcode, who, command, seconds, computation: None }])
}

fn python(bench: &Bench, request: &Request<'_>, kind: Kind) -> Result<[Ran; 2], CliError> {
    let is_image = kind == Kind::Image;
    let to = kind.to_string();
    let input = bench.convert(request, kind, &["--to", &to], "input.npy")?;
    let mut ours: Vec<OsString> = if is_image {
        ["cubical", "-q", "--format", "npy", "--construction", request.construction()]
            .map(Into::into)
            .to_vec()
    } else {
        ["rips", "-q", "--format", "npy"].map(Into::into).to_vec()
    };
    let dim = request.max_dim.unwrap_or(if is_image { 2 } else { 1 });
    ours.extend(filtration(&Request { max_dim: Some(dim), ..*request }, "--max-dim"));
    let out = bench.path("theirs.npy");
    let name = request.reference.name();
    let threshold = request.threshold.map_or("inf".to_owned(), |threshold| threshold.to_string());
    let script = bench.path("reference.py");
    fs::write(&script, SCRIPT).map_err(no_temporary)?;
    let construction = if is_image { request.construction() } else { "none" };
    let mut command = Command::new(request.python());
    command
        .arg(&script)
        .arg(name)
        .arg(&input)
        .arg(&out)
        .args([&dim.to_string(), &threshold, construction])
        .arg(request.modulus.unwrap_or(2).to_string());
    let no_module = |found: String| {
        let (python, remedy) = (request.python().display(), request.reference.remedy());
        usage(format_args!(
            "{name}: expected a Python with its module, or --python, found none at {python}: {found}; {remedy}"
        ))
    };
    let (output, seconds) = timed_run(&mut command).map_err(|error| no_module(error.to_string()))?;
    if output.status.code() == Some(NO_MODULE) {
        return Err(no_module(last_lines(&output)));
    }
    if !output.status.success() {
        return Err(failed(name, last_lines(&output)));
    }
    let said = String::from_utf8_lossy(&output.stdout);
    let mut words = said.lines().last().unwrap_or_default().split_whitespace();
    let version = words.next().unwrap_or_default();
    let computation = words.next().and_then(|word| word.parse().ok());
    let barcode = read_path(&out, Some(BarcodeFormat::Npy))?.barcode;
    let who = format!("{name} {version}");
    Ok([
        own(bench, ours, &input, "npy")?,
        Ran { barcode, who, command: shown(&command), seconds, computation },
    ])
}

/// Runs the reference's program; returns its name, output, command and seconds.
fn program(request: &Request<'_>, words: &[OsString]) -> Result<(String, Output, String, f64), CliError> {
    let name = request.reference.name();
    let program = request
        .program
        .map_or_else(|| PathBuf::from(request.reference.program().unwrap_or(name)), Path::to_path_buf);
    let mut command = Command::new(&program);
    command.args(words);
    match timed_run(&mut command) {
        Ok((output, seconds)) if output.status.success() => {
            Ok((name.to_owned(), output, shown(&command), seconds))
        }
        Ok((output, _)) => Err(failed(name, last_lines(&output))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let (program, remedy) = (program.display(), request.reference.remedy());
            Err(usage(format_args!(
                "{name}: expected a program {program} on the PATH, or --program, found none; {remedy}"
            )))
        }
        Err(error) => Err(failed(name, error)),
    }
}

/// Runs this program on the converted input and reads what it wrote.
fn own(bench: &Bench, mut words: Vec<OsString>, input: &Path, ending: &str) -> Result<Ran, CliError> {
    let out = bench.path(&format!("ours.{ending}"));
    words.extend(["-o".into(), out.clone().into(), "--".into(), input.into()]);
    let (_, seconds) = bench.lacuna(&words)?;
    let barcode = read_path(&out, None)?.barcode;
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let who = format!("lacuna {}", env!("CARGO_PKG_VERSION"));
    Ok(Ran { barcode, who, command: format!("lacuna {}", words.join(" ")), seconds, computation: None })
}

fn timed_run(command: &mut Command) -> io::Result<(Output, f64)> {
    let start = Instant::now();
    let output = output_of(command)?;
    Ok((output, start.elapsed().as_secs_f64()))
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// The last lines of a process on standard error, and its exit status.
fn last_lines(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = said.lines().rev().take(3).collect();
    let said: Vec<&str> = lines.into_iter().rev().collect();
    format!("{}: {}", output.status, said.join(" / "))
}
