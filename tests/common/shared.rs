//! Real inputs with the reference programs' answers: a folder outside the repository, named by `LACUNA_SHARED`
//! (default: `../shared` beside the checkout), and the program run on them.
//!
//! Without the folder the suites say on stderr that they were skipped, and pass; they fail where the folder was
//! asked for by name, and on continuous integration (`CI` set).

use std::fs;
use std::io::Write;
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

/// The folder, or nothing when the suite is to be skipped.
pub(crate) fn folder(suite: &str) -> Option<PathBuf> {
    let named = std::env::var_os("LACUNA_SHARED").map(PathBuf::from);
    let required = named.is_some() || std::env::var_os("CI").is_some();
    let folder = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    if folder.join("golden/rips/cases.tsv").is_file() && folder.join("data/rips").is_dir() {
        return Some(folder);
    }
    let what = format!("{suite}: no data/rips and golden/rips/cases.tsv in {}", folder.display());
    assert!(!required, "{what}");
    // Not eprintln!, which the test harness keeps to itself when a test passes.
    let _ = writeln!(std::io::stderr(), "skipped: {what}");
    None
}

/// The cases, in the file's order.
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

/// The tab-separated rows of a file that are not comments.
pub(crate) fn table(path: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let rows = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    rows.map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// `lacuna rips ARGUMENTS FILE`, to its end.
pub(crate) fn lacuna_rips(arguments: &[&str], file: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lacuna"));
    command.arg("rips").args(arguments).arg(file);
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}
