//! The program `lacuna`, run as whole processes.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::Failure;

/// The program: the file that the variable LACUNA names, or `lacuna` beside this program or beside its folder, as cargo puts it.
pub fn find() -> Result<PathBuf, Failure> {
    if let Some(named) = std::env::var_os("LACUNA") {
        return Ok(PathBuf::from(named));
    }
    let here = std::env::current_exe()?;
    let places: Vec<PathBuf> = here
        .ancestors()
        .skip(1)
        .take(2)
        .map(|folder| folder.join("lacuna"))
        .filter(|path| path.is_file())
        .collect();
    places.into_iter().next().ok_or_else(|| {
        format!(
            "{}: expected the program lacuna beside it, or its path in the variable LACUNA",
            here.display()
        )
        .into()
    })
}

/// Runs it with these arguments, and says how long it took from start to end.
pub fn time(program: &Path, arguments: &[impl AsRef<OsStr>]) -> Result<Duration, Failure> {
    let start = Instant::now();
    let done = Command::new(program).args(arguments).output()?;
    let took = start.elapsed();
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        return Err(format!("{}: {}: {}", program.display(), done.status, said.trim()).into());
    }
    Ok(took)
}
