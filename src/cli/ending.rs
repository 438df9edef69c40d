//! The early end of a run: by a signal, if the run keeps its state, or by the time limit.
//!
//! A run that can save its state, or whose finished parts are an answer, is *asked* to end: stages check for a request
//! through their [`Progress`](lacuna::progress::Progress), save their state, and unwind. A signal ends a run without
//! saved state at once, as usual. Since an input may never arrive, the time limit ends the program at once while it
//! reads ([`while_reading`]). A signal does not, but a second one does.
//!
//! A run whose answer is *all or nothing* is ended wherever it is when the time is up, as by a signal, and leaves
//! neither temporary files nor a child process behind. A file is put in its place only once it is complete, so an
//! interrupted one never appears. Standard output, pipes and files that cannot be replaced could be cut short; once
//! such an answer has begun, it is written to its end.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use super::error::{Result, TIME_IS_UP, ended};
use super::locked;
use super::notes::{over_a_bar, tell};
use super::progress::told_last;
use super::ranks;
use super::stop_request::{self, Request, requested};
use super::temporary;

/// Interval at which a child process is polled for its end.
const LOOK: Duration = Duration::from_millis(1);

/// Interval at which an answer that is still being written is polled.
const WAIT: Duration = Duration::from_millis(20);

/// Longest time that printing the last line may take.
const PATIENCE: Duration = Duration::from_secs(1);

/// The state of a run, by which the program may end at once or has to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doing {
    Working,
    Reading,
    /// Writing the answer or putting it in its place: the time limit does not end the program until it is complete.
    Writing,
    /// Going on after the answer is complete and in its place.
    Written,
}

/// Locked to the end by the thread that ends the program, so that nothing begins that would then be lost.
static DOING: Mutex<Doing> = Mutex::new(Doing::Working);

/// The child process that this one waits for.
static CHILD: Mutex<Option<Child>> = Mutex::new(None);

/// Ends the run after `time`, counted from now: asks it to end, unless its answer is all or nothing.
///
/// # Errors
/// No timer thread could be started.
pub(crate) fn limit(time: Duration, is_all_or_nothing: bool) -> io::Result<()> {
    let wait = move || {
        thread::sleep(time);
        if !is_all_or_nothing {
            stop_request::request(Request::TimeLimit);
        }
        loop {
            let doing = locked(&DOING);
            match *doing {
                Doing::Writing if is_all_or_nothing => {}
                found if is_all_or_nothing => end(found),
                Doing::Reading => {
                    let ended = ended();
                    end_saying(ended.exit_code, format_args!("{}{ended}", over_a_bar()));
                }
                _ => return,
            }
            drop(doing);
            thread::sleep(WAIT);
        }
    };
    thread::Builder::new().name("time limit".into()).spawn(wait).map(drop)
}

/// Guard: the run counts as reading an input while this lives.
struct Reading;

impl Drop for Reading {
    fn drop(&mut self) {
        begin(Doing::Working);
    }
}

/// Reads an input. If the time is up meanwhile, the program ends at once: nothing has been computed yet, and no other
/// thread has work that would be lost.
///
/// # Errors
/// The run was asked to end before.
pub(crate) fn while_reading<T>(read: impl FnOnce() -> T) -> Result<T> {
    begin(Doing::Reading);
    let _reading = Reading;
    if requested().is_some() { Err(ended()) } else { Ok(read()) }
}

/// Says what the run is doing from now on.
pub(crate) fn begin(doing: Doing) {
    *locked(&DOING) = doing;
}

fn end(doing: Doing) -> ! {
    let mut child = locked(&CHILD);
    if let Some(child) = &mut *child {
        // The call fails if the child has ended by itself, which is fine. An ended child makes no more files.
        let _ = child.kill().and_then(|()| child.wait());
    }
    let reached = told_last().map(|reached| format!(": {reached}")).unwrap_or_default();
    let answer = if doing == Doing::Written { "the result is written" } else { "no result is written" };
    end_saying(TIME_IS_UP, format_args!("{}time limit reached{reached}; {answer}", over_a_bar()))
}

/// Ends the program at once, with this exit code and a last line. No temporary files are left.
fn end_saying(code: u8, line: fmt::Arguments<'_>) -> ! {
    let _no_other_file = temporary::remove_all();
    // Where standard error blocks, the program ends all the same.
    let _ = thread::Builder::new().spawn(move || {
        thread::sleep(PATIENCE);
        exit(code)
    });
    tell(line);
    exit(code)
}

/// Ends the process at once, and all ranks with it, without waiting for other threads.
#[cfg(unix)]
fn exit(code: u8) -> ! {
    ranks::abort(code);
    signal_hook::low_level::exit(code.into())
}

#[cfg(not(unix))]
fn exit(code: u8) -> ! {
    ranks::abort(code);
    std::process::exit(code.into())
}

/// Runs a child process and collects its output by way of files in `folder`. The child is killed if this program ends
/// first.
pub(crate) fn output_of(command: &mut Command, folder: &Path) -> io::Result<Output> {
    let [stdout, stderr] = ["stdout", "stderr"].map(|name| folder.join(name));
    command.stdin(Stdio::null()).stdout(File::create(&stdout)?).stderr(File::create(&stderr)?);
    let mut waited_for = locked(&CHILD);
    *waited_for = Some(command.spawn()?);
    drop(waited_for);
    loop {
        let mut child = locked(&CHILD);
        let status = child.as_mut().map_or(Ok(None), Child::try_wait)?;
        if let Some(status) = status {
            *child = None;
            return Ok(Output { status, stdout: fs::read(stdout)?, stderr: fs::read(stderr)? });
        }
        drop(child);
        thread::sleep(LOOK);
    }
}
