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

use std::ffi::{OsStr, OsString};
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
use lacuna::internals::Kind::{self, Distances, Image, Matrix};

use crate::cli::convert::several_kinds;
use crate::cli::ending::output_of;
use crate::cli::error::{CliError, Result, check_options, usage};
use crate::cli::parse;
use crate::cli::record::VERSION;
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

/// A reference program: its names, how it is installed, and the files that it takes.
struct Known {
    /// Name in options and messages.
    name: &'static str,
    /// Name of its executable; `None` for a Python module.
    program: Option<&'static str>,
    /// How to install it.
    remedy: &'static str,
    /// The kinds of files that it accepts.
    kinds: &'static [Kind],
    /// Largest expected deviation from our values, relative to the greatest: by the digits that it prints or its
    /// precision.
    tolerance: f64,
}

impl Reference {
    fn known(self) -> Known {
        let known =
            |name, program, remedy, kinds, tolerance| Known { name, program, remedy, kinds, tolerance };
        let [ripser, ripserpp, phat, dipha] = [
            "it is built from https://github.com/Ripser/ripser by make",
            "it is built from https://github.com/simonzhang00/ripser-plusplus by cmake",
            "it is built from https://github.com/blazs/phat by cmake",
            "it is built from https://github.com/DIPHA/dipha by cmake",
        ];
        match self {
            Reference::Ripser => known("ripser", Some("ripser"), ripser, &[Distances], 1e-5),
            Reference::Ripserpp => known("ripserpp", Some("ripser++"), ripserpp, &[Distances], 1e-5),
            Reference::GiottoPh => known("giotto-ph", None, "pip install giotto-ph", &[Distances], 1e-6),
            Reference::Phat => known("phat", Some("phat"), phat, &[Matrix, Image], 0.0),
            Reference::Dipha => known("dipha", Some("dipha"), dipha, &[Matrix, Image, Distances], 0.0),
            Reference::Gudhi => {
                known("gudhi", None, "pip install gudhi scikit-learn", &[Distances, Image], 0.0)
            }
            Reference::Cripser => known("cripser", None, "pip install cripser", &[Image], 0.0),
        }
    }
}

/// The program to compare with, and the options of both programs.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Another program")]
pub(super) struct ReferenceArguments {
    /// Run this program on A and compare its result with lacuna's
    #[arg(long, value_name = "NAME", value_parser = parse::one_of::<Reference>())]
    pub(super) run: Option<Reference>,

    /// Path of the program [default: on the PATH]
    #[arg(long, value_name = "PATH", requires = "run", value_parser = parse::file())]
    pub(super) program: Option<PathBuf>,

    /// Python that has the module of the program [default: python3]
    #[arg(long, value_name = "PATH", requires = "run", value_parser = parse::file())]
    pub(super) python: Option<PathBuf>,

    /// Kind of A: image, matrix, distances, diagram [default: detected]
    #[arg(long, value_name = "KIND", requires = "run", hide_possible_values = true, value_parser = parse::one_of::<Kind>())]
    pub(super) from: Option<Kind>,

    /// Highest homology dimension [default: 1 for distances, else all]
    #[arg(long, value_name = "K", requires = "run", value_parser = parse::count, allow_hyphen_values = true)]
    pub(super) max_dim: Option<usize>,

    /// Largest diameter, for distances
    #[arg(long, value_name = "T", requires = "run", value_parser = parse::threshold, allow_hyphen_values = true)]
    pub(super) threshold: Option<f64>,

    /// Coefficients in Z/P, for distances, P a prime below 65536 [default: 2]
    ///
    /// ripser has to be built with coefficients.
    #[arg(long, value_name = "P", requires = "run", value_parser = parse::modulus, allow_hyphen_values = true)]
    pub(super) modulus: Option<u16>,

    /// Voxels are top-dimensional cells (t) or vertices (v), for images
    #[arg(long, value_name = "WHICH", requires = "run", hide_possible_values = true, value_parser = parse::one_of::<Construction>())]
    pub(super) construction: Option<Construction>,
}

/// The construction of an image: the requested one, or the default of the reference.
fn construction(reference: Reference, options: &ReferenceArguments) -> &'static str {
    match (reference, options.construction) {
        (Reference::Dipha | Reference::Cripser, None) | (_, Some(Construction::V)) => "v",
        (_, None | Some(Construction::T)) => "t",
    }
}

/// Rejects options that do not apply to the reference or to this kind of input.
fn check(reference: Reference, options: &ReferenceArguments, kind: Kind) -> Result<()> {
    let (is_distances, is_dipha) = (kind == Distances, reference == Reference::Dipha);
    check_options(
        kind,
        &[
            ("--threshold", options.threshold.is_some() && !is_distances, "distances"),
            ("--modulus", options.modulus.is_some() && !is_distances, "distances"),
            ("--construction", options.construction.is_some() && kind != Image, "an image"),
        ],
    )?;
    let Known { name, program, .. } = reference.known();
    let is_program = program.is_some();
    let has_coefficients = matches!(reference, Reference::Ripser | Reference::GiottoPh | Reference::Gudhi);
    let ends_at_threshold = "ripser, ripserpp, giotto-ph or gudhi";
    check_options(
        name,
        &[
            ("--program", options.program.is_some() && !is_program, "references that are programs"),
            ("--python", options.python.is_some() && is_program, "a module of Python"),
            (
                "--max-dim",
                options.max_dim.is_some() && reference == Reference::Phat,
                "any reference but phat",
            ),
            ("--threshold", options.threshold.is_some() && is_dipha, ends_at_threshold),
            ("--modulus", options.modulus.is_some() && !has_coefficients, "ripser, giotto-ph or gudhi"),
        ],
    )?;
    // DIPHA supports only the V-construction.
    if is_dipha && options.construction == Some(Construction::T) {
        return Err(usage("--run dipha: expected --construction v, that of DIPHA's images, found t"));
    }
    Ok(())
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

/// How both programs are run on one input.
struct Plan {
    /// Options of the conversion, and the name of the converted file.
    convert: Vec<OsString>,
    input: &'static str,
    /// The words of the reference before and after the input, and the file that it writes between them; it writes to
    /// standard output if there is none.
    before: Vec<OsString>,
    out: Option<&'static str>,
    after: Vec<OsString>,
    /// Format of its answer.
    format: BarcodeFormat,
    /// The command and options of this program, and the ending of its answer.
    ours: Vec<OsString>,
    ending: &'static str,
}

fn words<const N: usize>(words: [&str; N]) -> Vec<OsString> {
    words.map(OsString::from).to_vec()
}

/// A command in one line.
fn line<'a>(words: impl IntoIterator<Item = &'a OsStr>) -> String {
    words.into_iter().map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

/// A comparison with another program: the temporary folder has the converted input and both answers.
struct Bench<'a> {
    reference: Reference,
    input: &'a Path,
    kind: Kind,
    options: &'a ReferenceArguments,
    folder: TemporaryFolder,
    /// The path of this program.
    lacuna: PathBuf,
}

impl Bench<'_> {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program, or the Python interpreter that has its module.
    fn program(&self) -> &Path {
        let ReferenceArguments { program, python, .. } = self.options;
        match self.reference.known().program {
            Some(name) => program.as_deref().unwrap_or(Path::new(name)),
            None => python.as_deref().unwrap_or(Path::new("python3")),
        }
    }

    /// Runs a process; returns its output and its seconds.
    fn run(&self, command: &mut Command) -> io::Result<(Output, f64)> {
        let start = Instant::now();
        let output = output_of(command, self.folder.path())?;
        Ok((output, start.elapsed().as_secs_f64()))
    }

    /// Runs this program.
    fn lacuna(&self, words: &[OsString]) -> Result<f64> {
        let found = self.run(Command::new(&self.lacuna).args(words));
        let (output, seconds) = found.map_err(|error| failed("lacuna", error))?;
        if output.status.success() { Ok(seconds) } else { Err(failed("lacuna", last_lines(&output))) }
    }

    /// Converts the input for the reference. Other programs receive the absolute path of the converted file: a path
    /// that begins with `-` would be taken for an option.
    fn convert(&self, plan: &Plan) -> Result<PathBuf> {
        let out = self.path(plan.input);
        let mut words = words(["convert", "-q", "--from", self.kind.into()]);
        words.extend_from_slice(&plan.convert);
        words.extend(["--".into(), self.input.into(), out.clone().into()]);
        self.lacuna(&words).map(|_| out)
    }

    /// Runs the reference.
    fn theirs(&self, command: &mut Command) -> Result<(Output, f64)> {
        let Known { name, program, remedy, .. } = self.reference.known();
        let (is_module, at) = (program.is_none(), self.program().display());
        let missing = |found: &dyn Display| match is_module {
            false => usage(format_args!(
                "{name}: expected a program {at} on the PATH, or --program, found none; {remedy}"
            )),
            true => usage(format_args!(
                "{name}: expected a Python with its module, or --python, found none at {at}: {found}; {remedy}"
            )),
        };
        match self.run(command) {
            Ok((output, _)) if is_module && output.status.code() == Some(NO_MODULE) => {
                Err(missing(&last_lines(&output)))
            }
            Ok((output, _)) if !output.status.success() => Err(failed(name, last_lines(&output))),
            Ok(found) => Ok(found),
            Err(error) if is_module || error.kind() == io::ErrorKind::NotFound => Err(missing(&error)),
            Err(error) => Err(failed(name, error)),
        }
    }

    /// Runs this program on the converted input and reads what it wrote.
    fn ours(&self, plan: Plan, input: &Path) -> Result<Ran> {
        let (out, mut words) = (self.path(&format!("ours.{}", plan.ending)), plan.ours);
        words.extend(["-o".into(), out.clone().into(), "--".into(), input.into()]);
        let seconds = self.lacuna(&words)?;
        let barcode = read_path(&out, None)?.barcode;
        let command = format!("lacuna {}", line(words.iter().map(OsString::as_os_str)));
        Ok(Ran { barcode, who: format!("lacuna {VERSION}"), command, seconds, computation: None })
    }
}

/// Runs both programs, the reference first, since it may be missing. Returns their results, and the reference's
/// tolerance.
pub(super) fn run(
    reference: Reference,
    input: &Path,
    options: &ReferenceArguments,
) -> Result<([Ran; 2], f64)> {
    let Known { name, program, kinds, tolerance, .. } = reference.known();
    let among = || Kind::among(input, kinds).map_err(|kinds| several_kinds(input, &kinds));
    let kind = options.from.map_or_else(among, Ok)?;
    if !kinds.contains(&kind) {
        let kinds: Vec<&str> = kinds.iter().map(|&kind| kind.into()).collect();
        let kinds = kinds.join(" or ");
        return Err(usage(format_args!(
            "--run {name}: expected a file of kind {kinds}, found one of kind {kind}; \
             --from KIND overrides the detected kind"
        )));
    }
    check(reference, options, kind)?;
    let folder = TemporaryFolder::create().map_err(no_temporary)?;
    let lacuna = std::env::current_exe().map_err(no_temporary)?;
    let bench = Bench { reference, input, kind, options, folder, lacuna };
    let plan = match reference {
        Reference::Ripser | Reference::Ripserpp => bench.ripser()?,
        Reference::Phat => bench.phat(),
        Reference::Dipha => bench.dipha(),
        Reference::GiottoPh | Reference::Gudhi | Reference::Cripser => bench.python()?,
    };
    let input = bench.convert(&plan)?;
    let out = plan.out.map(|name| bench.path(name));
    let mut command = Command::new(bench.program());
    command.args(&plan.before).arg(&input).args(&out).args(&plan.after);
    let (output, seconds) = bench.theirs(&mut command)?;
    let said = String::from_utf8_lossy(&output.stdout);
    let (mut who, mut computation) = (name.to_owned(), None);
    let barcode = match &out {
        Some(out) => read_path(out, Some(plan.format))?.barcode,
        None => {
            // Ripser++ prints progress on standard output too.
            let is_bar =
                |line: &&str| line.starts_with("persistence intervals") || line.trim_start().starts_with('[');
            let bars: Vec<&str> = said.lines().filter(is_bar).collect();
            read_bytes(&who, bars.join("\n").as_bytes(), Some(plan.format))?.barcode
        }
    };
    if program.is_none() {
        let mut words = said.lines().last().unwrap_or_default().split_whitespace();
        who = format!("{name} {}", words.next().unwrap_or_default());
        computation = words.next().and_then(|word| word.parse().ok());
    }
    let command = line(std::iter::once(command.get_program()).chain(command.get_args()));
    let theirs = Ran { barcode, who, command, seconds, computation };
    Ok(([bench.ours(plan, &input)?, theirs], tolerance))
}

/// The options for dimension, threshold and coefficients, in the spelling that Ripser and `lacuna rips` share.
fn filtration(dim: &str, max_dim: usize, threshold: Option<f64>, modulus: Option<u16>) -> Vec<OsString> {
    let mut options = words([dim, &max_dim.to_string()]);
    options
        .extend(threshold.into_iter().flat_map(|threshold| words(["--threshold", &threshold.to_string()])));
    options.extend(modulus.into_iter().flat_map(|modulus| words(["--modulus", &modulus.to_string()])));
    options
}

impl Bench<'_> {
    fn ripser(&self) -> Result<Plan> {
        // A list of edges stays a list. It is cut at the threshold here, which Ripser would ignore.
        let is_graph = {
            let loaded = lacuna::metric::read::read_path(self.input, None)?;
            use lacuna::metric::{Distances, read::Input};
            matches!(loaded.input, Input::Single(Distances::Sparse(_)) | Input::Double(Distances::Sparse(_)))
        };
        let &ReferenceArguments { max_dim, threshold, modulus, .. } = self.options;
        let convert = match threshold {
            Some(cut) if is_graph => words(["--threshold", &cut.to_string()]),
            _ => words(["--to", "distances"]),
        };
        let (format, input) =
            if is_graph { ("sparse", "input.sparse") } else { ("lower-distance", "input.lower") };
        let threshold = threshold.filter(|_| !is_graph);
        let filtration = |dim| filtration(dim, max_dim.unwrap_or(1), threshold, modulus);
        let before = [words(["--format", format]), filtration("--dim")].concat();
        let ours = [words(["rips", "-q", "--format", format]), filtration("--max-dim")].concat();
        let (out, after, format, ending) = (None, Vec::new(), BarcodeFormat::Ripser, "csv");
        Ok(Plan { convert, input, before, out, after, format, ours, ending })
    }

    fn phat(&self) -> Plan {
        let mut convert = words(["--to", "matrix"]);
        if self.kind == Image {
            convert.extend(words(["--construction", construction(self.reference, self.options)]));
        }
        Plan {
            convert,
            input: "input.bin",
            before: words(["--binary"]),
            out: Some("theirs.bin"),
            after: Vec::new(),
            format: BarcodeFormat::PhatBinary,
            ours: words(["reduce", "-q", "--format", "phat-binary"]),
            ending: "bin",
        }
    }

    fn dipha(&self) -> Plan {
        let (mut before, mut ours) = (Vec::new(), words(["reduce", "-q", "--format", "dipha"]));
        if let Some(dim) = self.options.max_dim.or((self.kind == Distances).then_some(1)) {
            // DIPHA reads a signed 32-bit integer.
            let upper_dim = dim.saturating_add(1).min(i32::MAX as usize);
            before = words(["--upper_dim", &upper_dim.to_string()]);
            ours.extend(words(["--max-dim", &dim.to_string()]));
        }
        Plan {
            convert: words(["--to", self.kind.into()]),
            input: "input.dipha",
            before,
            out: Some("theirs.diagram"),
            after: Vec::new(),
            format: BarcodeFormat::Dipha,
            ours,
            ending: "diagram",
        }
    }

    fn python(&self) -> Result<Plan> {
        let is_image = self.kind == Image;
        let construction = if is_image { construction(self.reference, self.options) } else { "none" };
        let ours = match is_image {
            true => words(["cubical", "-q", "--format", "npy", "--construction", construction]),
            false => words(["rips", "-q", "--format", "npy"]),
        };
        let &ReferenceArguments { max_dim, threshold, modulus, .. } = self.options;
        let dim = max_dim.unwrap_or(if is_image { 2 } else { 1 });
        let filtration = filtration("--max-dim", dim, threshold, modulus);
        let threshold = threshold.map_or("inf".to_owned(), |threshold| threshold.to_string());
        let modulus = modulus.unwrap_or(2).to_string();
        let script = self.path("reference.py");
        fs::write(&script, SCRIPT).map_err(no_temporary)?;
        Ok(Plan {
            convert: words(["--to", self.kind.into()]),
            input: "input.npy",
            before: vec![script.into(), self.reference.known().name.into()],
            out: Some("theirs.npy"),
            after: words([&dim.to_string(), &threshold, construction, &modulus]),
            format: BarcodeFormat::Npy,
            ours: [ours, filtration].concat(),
            ending: "npy",
        })
    }
}

/// The last lines of a process on standard error, and its exit status.
fn last_lines(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = said.lines().rev().take(3).collect();
    let said: Vec<&str> = lines.into_iter().rev().collect();
    format!("{}: {}", output.status, said.join(" / "))
}
