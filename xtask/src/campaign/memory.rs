//! Refused memory, during reading and afterwards: under a limit, the program gives its answer or an error of memory. It
//! never aborts, panics, blames the input, or gives an answer that differs from that without the limit.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::pools::Pools;
use super::subject::{Subject, same};
use lacuna::generate::Random;

/// Smallest limit, in units of 64 KiB: slightly less than the program itself takes.
const LEAST: usize = 188;

/// Runs of the program with memory limits.
pub(super) struct Limits;

/// Kinds of inputs and commands.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// Points as text, with no edges within the threshold.
    Points,
    /// A graph as a boundary matrix, in PHAT's text format.
    Matrix,
    /// An image of bytes: its bars.
    Bars,
    /// An image of bytes: its Euler characteristic curve.
    Curve,
    /// Two diagrams of bars as CSV.
    Distance,
}

/// A run of the program.
#[derive(Debug, Clone)]
pub(super) struct Case {
    kind: Kind,
    /// Number of points or edges, thousands of voxels, or number of bars.
    size: usize,
    is_packed: bool,
    threads: usize,
    /// Memory limit in units of 64 KiB.
    limit: usize,
    seed: u64,
}

impl Subject for Limits {
    type Case = Case;
    const NAME: &'static str = "memory";
    const CROSSED: &'static str = "command, compression, threads, limit in MiB";
    // A case runs the program twice.
    const SHARE: u32 = 1;

    fn draw(random: &mut Random) -> Case {
        let (magnitude, room) = (6 + random.below(8), 1 + random.below(9));
        let kind = random.pick(&[Kind::Points, Kind::Matrix, Kind::Bars, Kind::Curve, Kind::Distance]);
        Case {
            kind,
            size: 1 + random.below(1 << magnitude),
            is_packed: matches!(kind, Kind::Points | Kind::Matrix) && random.once_in(2),
            threads: random.pick(&[1, 2]),
            limit: LEAST + random.below(1 << room),
            seed: random.below(1 << 30) as u64,
        }
    }

    fn options(case: &Case) -> String {
        format!("{:?} {} {} {}", case.kind, case.is_packed, case.threads, case.limit / 16)
    }

    fn check(case: &Case, _: &Pools) -> Result<(), String> {
        let folder = Folder::new()?;
        let file = folder.0.join(if case.is_packed { "input.gz" } else { "input" });
        let written = case.bytes().and_then(|bytes| fs::write(&file, bytes));
        written.map_err(|error| format!("the input cannot be written: {error}"))?;
        let whole = case.run(&file, None)?;
        same("the exit code without a limit", &whole.status.code(), &Some(0))?;
        let limited = case.run(&file, Some(case.limit << 16))?;
        let said = String::from_utf8_lossy(&limited.stderr);
        match limited.status.code() {
            Some(0) if limited.stdout == whole.stdout => Ok(()),
            Some(0) => Err("another answer within a limit".to_owned()),
            Some(1) if said.contains("memory") && !said.contains("panicked") && limited.stdout.is_empty() => {
                Ok(())
            }
            _ => Err(format!("a run within a limit that ends with {:?}\n{said}", limited.status)),
        }
    }

    fn smaller(case: &Case) -> Vec<Case> {
        let sizes = [case.size / 2, case.size - case.size / 8, case.size - 1];
        let sizes = sizes.into_iter().filter(|&size| size > 0 && size < case.size);
        let plainer = [Case { is_packed: false, ..case.clone() }, Case { threads: 1, ..case.clone() }];
        let plainer = plainer
            .into_iter()
            .filter(|other| (other.is_packed, other.threads) != (case.is_packed, case.threads));
        sizes.map(|size| Case { size, ..case.clone() }).chain(plainer).collect()
    }
}

impl Case {
    /// Content of the input.
    fn bytes(&self) -> std::io::Result<Vec<u8>> {
        let mut random = Random::new(self.seed);
        let mut text = String::new();
        match self.kind {
            Kind::Bars | Kind::Curve => {
                return Ok((0..self.voxels()).map(|_| random.below(256) as u8).collect());
            }
            Kind::Points => {
                for _ in 0..8 * self.size {
                    let _ = writeln!(
                        text,
                        "{} {} {}",
                        random.below(1 << 20),
                        random.below(1 << 20),
                        random.below(1 << 20)
                    );
                }
            }
            Kind::Matrix => {
                let vertices = self.size + 1;
                text += &"0\n".repeat(vertices);
                for _ in 0..8 * self.size {
                    let (a, b) = (random.below(vertices), random.below(vertices));
                    if a != b {
                        let _ = writeln!(text, "1 {} {}", a.min(b), a.max(b));
                    }
                }
            }
            Kind::Distance => {
                text += "dim,birth,death\n";
                // Equal bars, which are matched at once.
                for k in 0..8 * self.size {
                    let _ = writeln!(text, "1,{k},{}", k + 1);
                }
            }
        }
        if !self.is_packed {
            return Ok(text.into_bytes());
        }
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(text.as_bytes())?;
        packed.finish()
    }

    fn voxels(&self) -> usize {
        64 * self.size
    }

    /// Runs the program with a memory limit in bytes, if there is one.
    fn run(&self, file: &Path, limit: Option<usize>) -> Result<Output, String> {
        let mut run = Command::new(program()?);
        match self.kind {
            Kind::Points => {
                run.args(["rips", "--threshold", "0", "--max-dim", "1", "--format", "point-cloud"])
            }
            Kind::Matrix => run.args(["reduce", "--format", "phat-ascii"]),
            Kind::Bars => run.arg("cubical"),
            Kind::Curve => run.arg("ecc"),
            Kind::Distance => run.args(["distance", "--dim", "1"]).arg(file),
        };
        if matches!(self.kind, Kind::Bars | Kind::Curve) {
            run.args(["--shape", &format!("{},8,8", self.size), "--dtype", "u8"]);
        }
        run.arg(file).args(["--threads", &self.threads.to_string(), "--quiet"]);
        if let Some(limit) = limit {
            run.args(["--memory", &limit.to_string()]);
        }
        run.output().map_err(|error| format!("the program does not start: {error}"))
    }
}

/// A folder of its own, which goes with it.
pub(super) struct Folder(pub(super) PathBuf);

impl Folder {
    pub(super) fn new() -> Result<Folder, String> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("lacuna-campaign-{}-{number}", std::process::id()));
        let made = fs::create_dir(&path);
        made.map(|()| Folder(path.clone())).map_err(|error| format!("{}: {error}", path.display()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that cannot be removed stays among the system's temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The program, built once with the profile of the campaign.
fn program() -> Result<&'static Path, String> {
    static PROGRAM: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    PROGRAM.get_or_init(build).as_deref().map_err(Clone::clone)
}

fn build() -> Result<PathBuf, String> {
    let own = env::current_exe().map_err(|error| format!("where the campaign lies: {error}"))?;
    // Test programs lie in a subfolder of the folder of programs.
    let folder = own.ancestors().skip(1).find(|folder| !folder.ends_with("deps"));
    let folder = folder.ok_or("expected the campaign in a folder of cargo's")?;
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["build", "--quiet", "--package", "lacuna", "--bin", "lacuna"]);
    if folder.ends_with("release") {
        build.arg("--release");
    }
    match build.status() {
        Ok(status) if status.success() => Ok(folder.join(format!("lacuna{}", env::consts::EXE_SUFFIX))),
        Ok(status) => Err(format!("the program cannot be built: {status}")),
        Err(error) => Err(format!("cargo does not start: {error}")),
    }
}
