//! Tests of the program as users run it: exit codes, standard output and error, files, formats.

mod batch;
#[cfg(target_os = "linux")]
mod checkpoint;
mod compare;
mod compare_run;
mod completions;
mod convert;
mod cubical;
#[cfg(target_os = "linux")]
mod deadline;
mod distance;
mod distances;
mod ecc;
mod ect;
mod files;
mod foreign_images;
mod formats;
mod four_axes;
mod generate;
mod geometry;
mod image_representatives;
mod landmarks;
mod memory;
mod messages;
mod misuse;
mod mpi;
mod outputs;
mod phat;
mod plot;
mod reduce;
mod representatives;
#[cfg(target_os = "linux")]
mod resumed;
#[cfg(target_os = "linux")]
mod signals;
mod text;
mod thin;
mod threads;
mod vectorize;
mod weights;

use std::borrow::BorrowMut;
use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

/// A quadrilateral: one loop, born at 1.5, filled at 2.
const SQUARE: &str = "0 1 2 1.5\n1 0 1.25 2\n2 1.25 0 1\n1.5 2 1 0\n";

/// Hides every CUDA device from the program, so that none is found on any machine.
const NO_DEVICE: (&str, &str) = ("CUDA_VISIBLE_DEVICES", "");

/// What Ripser prints for [`SQUARE`].
const SQUARE_TEXT: &str = "\
value range: [1,2]
distance matrix with 4 points, using threshold at enclosing radius 2
persistence intervals in dim 0:
 [0,1)
 [0,1)
 [0,1.25)
 [0, )
persistence intervals in dim 1:
 [1.5,2)
";

/// Runs `lacuna` with these arguments.
fn lacuna<S: AsRef<std::ffi::OsStr>>(subcommand: &str, arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lacuna"));
    command.arg(subcommand).args(arguments);
    command
}

/// Runs `lacuna rips` with these arguments.
fn rips<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    lacuna("rips", arguments)
}

/// Runs `lacuna` with these arguments and `input` on standard input.
fn run_of(subcommand: &str, input: impl Into<Vec<u8>>, arguments: &[&str]) -> Command {
    let mut command = lacuna(subcommand, arguments);
    command.arg("-").write_stdin(input);
    command
}

/// Runs `lacuna rips` with these arguments and `input` on standard input.
fn rips_of(input: &str, arguments: &[&str]) -> Command {
    run_of("rips", input, arguments)
}

/// Standard output of a run that succeeds.
fn stdout_of(mut run: impl BorrowMut<Command>) -> Vec<u8> {
    run.borrow_mut().assert().success().get_output().stdout.clone()
}

/// Text on standard output of a run that succeeds.
fn text_of(run: impl BorrowMut<Command>) -> String {
    String::from_utf8(stdout_of(run)).unwrap()
}

/// JSON on standard output of a run that succeeds.
fn json_of(run: impl BorrowMut<Command>) -> serde_json::Value {
    serde_json::from_slice(&stdout_of(run)).unwrap()
}

/// A directory for one test.
struct Scratch(TempDir);

impl Scratch {
    fn new() -> Self {
        Scratch(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// Path of a file as text.
    fn name(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// Sorted names of all files.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// A file in data/.
fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name)
}

/// Little-endian 64-bit integers, as PHAT's binary files hold them.
fn words(numbers: &[i64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// A triangle with its faces, from PHAT's README.
const TRIANGLE: &str = "0\n0\n0\n1 0 1\n1 0 2\n1 1 2\n2 3 4 5\n";

/// Persistence pairs of [`TRIANGLE`].
const TRIANGLE_PAIRS: &str = "3\n1 3\n2 4\n5 6\n";

/// [`TRIANGLE`] as a binary file.
fn triangle_words() -> Vec<u8> {
    words(&[7, 0, 0, 0, 0, 0, 0, 1, 2, 0, 1, 1, 2, 0, 2, 1, 2, 1, 2, 2, 3, 3, 4, 5])
}

/// Makes a NumPy file. The shape is a tuple as Python writes it.
fn npy(descr: &str, is_fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if is_fortran { "True" } else { "False" };
    let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
    // With blanks up to a length of 128 bytes, as NumPy writes it.
    let header = format!("{header:<117}\n");
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
}

/// Makes a raw file of eight-byte voxels.
fn wide(scratch: &Scratch, voxels: impl IntoIterator<Item = [u8; 8]>) -> String {
    let bytes: Vec<u8> = voxels.into_iter().flatten().collect();
    scratch.file("wide.raw", bytes).to_str().unwrap().to_owned()
}

/// The bytes of doubles.
fn doubles(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// Compresses with gzip.
fn packed(content: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut packed, content).unwrap();
    packed.finish().unwrap()
}

/// Checks that the messages of a run with `-v` tell the time of each stage.
fn tells_seconds(text: &str, stages: &[&str]) {
    for stage in stages {
        let line = text.lines().find_map(|line| line.strip_prefix(stage));
        let seconds = line.and_then(|rest| rest.trim().strip_suffix(" s"));
        let seconds: f64 = seconds.unwrap_or_else(|| panic!("no {stage} in\n{text}")).parse().unwrap();
        assert!((0.0..60.0).contains(&seconds), "{stage}: {seconds}");
    }
}

/// Checks that the lines of `--explain` tell these choices, or any where one is empty.
fn tells_choices(text: &str, choices: &[(&str, &str)]) {
    for (what, choice) in choices {
        let line = text.lines().find_map(|line| line.strip_prefix(what));
        let line = line.unwrap_or_else(|| panic!("no {what} in\n{text}")).trim();
        assert!(line.starts_with(choice) && !line.is_empty(), "{what}: {line}");
    }
}

/// Reports a skipped test on the terminal, past the test harness, which captures the output of tests.
fn skipped(why: &str) {
    let mut line = format!("SKIPPED: {why}").into_bytes();
    line.push(b'\n');
    let _ = std::io::Write::write_all(&mut std::io::stderr(), &line);
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}
