//! Real inputs with the answers of reference programs, in a folder outside the repository named by `LACUNA_SHARED`
//! (default: `../shared` next to the checkout); and the program run on them.
//!
//! Tests that need the folder are ignored by default; with `--ignored` they fail if it is missing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A line of `golden/rips/cases.tsv`: a run of the reference program.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) format: String,
    pub(crate) file: PathBuf,
    pub(crate) arguments: Vec<String>,
    pub(crate) golden: PathBuf,
}

/// Finds the folder of real inputs.
pub(crate) fn folder() -> PathBuf {
    let named = std::env::var_os("LACUNA_SHARED").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    let is_there = folder.join("golden/rips/cases.tsv").is_file() && folder.join("data/rips").is_dir();
    assert!(
        is_there,
        "no data/rips and golden/rips/cases.tsv in {}: LACUNA_SHARED names the folder",
        folder.display()
    );
    folder
}

/// Reads the cases in the order of the file.
pub(crate) fn cases(folder: &Path) -> Vec<Case> {
    let rows = table(&folder.join("golden/rips/cases.tsv"));
    let case = |row: Vec<String>| {
        let [name, format, file, arguments, golden] = <[String; 5]>::try_from(row)
            .unwrap_or_else(|row| panic!("cases.tsv: expected 5 columns, found {row:?}"));
        Case {
            name,
            format,
            file: folder.join("data/rips").join(file),
            arguments: arguments.split_whitespace().map(str::to_owned).collect(),
            golden: folder.join("golden/rips").join(golden),
        }
    };
    rows.into_iter().map(case).collect()
}

/// Reads the tab-separated rows of a file, without comments.
pub(crate) fn table(path: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let rows = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    rows.map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// Runs `lacuna rips ARGUMENTS FILE` and waits for its end.
pub(crate) fn lacuna_rips(arguments: &[&str], file: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lacuna"));
    command.arg("rips").args(arguments).arg(file);
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}
