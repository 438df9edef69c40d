//! Whole processes: time and memory of a run of the program `lacuna`, from start to exit.
//!
//! The program is the one that the environment variable `LACUNA` names; otherwise the one next to this program or in
//! the folder above; otherwise the one that Cargo built with it.
//!
//! The peak memory is the one that the system reports at the exit (`wait4`). Linux counts the memory of the parent as
//! the child's own until the child's program is loaded, and this program may hold gigabytes. So it starts itself
//! again as a *launcher*, which only starts the program, waits for it, and reports the measurements.
#![allow(unsafe_code)]

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::Failure;

/// A process that succeeded.
pub struct Ran {
    /// Time from start to exit.
    pub time: Duration,
    /// Peak memory in bytes.
    pub peak: u64,
    /// The standard output.
    pub stdout: Vec<u8>,
}

/// The launcher's report of a process.
#[derive(Serialize, Deserialize)]
struct Report {
    seconds: f64,
    peak: u64,
    /// The exit code; `None` after a signal.
    code: Option<i32>,
}

/// Finds the program `lacuna`.
///
/// # Errors
/// The program does not exist in any of these places.
pub fn lacuna() -> Result<PathBuf, Failure> {
    if let Some(path) = env::var_os("LACUNA").map(PathBuf::from) {
        return if path.is_file() {
            Ok(path)
        } else {
            Err(format!("LACUNA: no program {}", path.display()).into())
        };
    }
    let name = format!("lacuna{}", env::consts::EXE_SUFFIX);
    let own = env::current_exe()?;
    let beside = own.ancestors().skip(1).take(2).map(|folder| folder.join(&name));
    let mut places = beside.chain([PathBuf::from(env!("CARGO_BIN_EXE_lacuna"))]);
    let found = places.find(|path| path.is_file());
    found.ok_or_else(|| format!("no program {name} beside {}; name one in LACUNA", own.display()).into())
}

/// Runs a program and waits for its exit. Its standard output goes through a file in `scratch`.
///
/// # Errors
/// The program could not be started, or its exit code is not 0; the error then contains the end of its standard
/// error.
pub fn run(program: &Path, arguments: &[OsString], scratch: &Path) -> Result<Ran, Failure> {
    let out = scratch.join("stdout");
    let mut launcher = Command::new(env::current_exe()?);
    launcher.arg("launch").arg(&out).arg(program).args(arguments);
    let launched = launcher.output()?;
    let said = String::from_utf8_lossy(&launched.stderr).into_owned();
    let failed = |why: String| -> Failure {
        let words: Vec<_> = arguments.iter().map(|word| word.to_string_lossy()).collect();
        let last = said.trim().lines().last().unwrap_or_default();
        format!("{} {}: {why}: {last}", program.display(), words.join(" ")).into()
    };
    if !launched.status.success() {
        return Err(failed(String::from("could not be started")));
    }
    let report: Report = serde_json::from_slice(&launched.stdout)?;
    match report.code {
        Some(0) => Ok(Ran {
            time: Duration::from_secs_f64(report.seconds),
            peak: report.peak,
            stdout: fs::read(&out)?,
        }),
        Some(code) => Err(failed(format!("exit code {code}"))),
        None => Err(failed(String::from("ended by a signal"))),
    }
}

/// Runs a program and measures its time.
///
/// # Errors
/// See [`run`].
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

/// The launcher: runs a command with its standard output in a file, and reports the measurements.
pub fn launch(stdout: &Path, command: &[OsString]) -> Result<(), Failure> {
    let (program, arguments) = command.split_first().ok_or("no command")?;
    let out = File::create(stdout).map_err(|error| format!("{}: {error}", stdout.display()))?;
    let report = wait(Command::new(program).args(arguments).stdout(out))?;
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}

/// Runs a command and waits for its exit.
#[cfg(unix)]
fn wait(command: &mut Command) -> Result<Report, Failure> {
    use std::os::unix::process::ExitStatusExt;

    let started = Instant::now();
    let child = command.spawn()?;
    let id = libc::pid_t::try_from(child.id())?;
    let (mut status, mut usage) = (0, std::mem::MaybeUninit::<libc::rusage>::zeroed());
    // SAFETY: `id` is a child of this process, which nothing else waits for; the call writes to the two given values.
    let waited = unsafe { libc::wait4(id, &mut status, 0, usage.as_mut_ptr()) };
    let seconds = started.elapsed().as_secs_f64();
    if waited != id {
        return Err(std::io::Error::last_os_error().into());
    }
    // SAFETY: the call succeeded; and all-zero bits are valid numbers.
    let usage = unsafe { usage.assume_init() };
    // Linux counts in units of 1024 bytes, macOS in bytes.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    let peak = u64::try_from(usage.ru_maxrss)? * unit;
    Ok(Report { seconds, peak, code: std::process::ExitStatus::from_raw(status).code() })
}

/// Whole processes cannot be measured on this system.
#[cfg(not(unix))]
fn wait(_: &mut Command) -> Result<Report, Failure> {
    Err("whole processes are measured on Unix only: elsewhere nobody says what a process took".into())
}
