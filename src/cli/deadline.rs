//! The time limit of a run that has its answer as a whole or not at all: when the time is up, the program ends wherever it is, as by a signal. It
//! leaves no temporary files, and no process that it waits for.
//!
//! What is written to a file is put in its place when it is whole, so it is not there. Standard output, a pipe, and a file that cannot be
//! replaced would have a part of it: once that has begun, it goes on to its end. Runs that have a use for what is done by then ask for it themselves, see
//! [`interruption`](super::interruption).

use std::fmt;
use std::io::{self, Read};
use std::process::{Child, ChildStderr, ChildStdout, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::notes::{over_a_bar, tell};
use super::progress::told_last;
use super::temporary;

/// The exit code of a run whose time is up.
pub(crate) const TIME_IS_UP: u8 = 4;

/// How often it is asked whether another process has ended.
const LOOK: Duration = Duration::from_millis(1);

/// How often it is asked whether an answer is written that was being written when the time was up.
const WAIT: Duration = Duration::from_millis(20);

/// How long the last line may take to be told.
const PATIENCE: Duration = Duration::from_secs(1);

/// How far an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Ahead,
    /// It is being written or put in its place.
    Begun,
    /// It is in its place, and the run goes on.
    Written,
}

static ANSWER: Mutex<Answer> = Mutex::new(Answer::Ahead);

/// The process that this one waits for.
static CHILD: Mutex<Option<Child>> = Mutex::new(None);

fn locked<T>(shared: &'static Mutex<T>) -> MutexGuard<'static, T> {
    // Each is a single value, which is valid whoever panicked.
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the program when so much time has passed from now. Where no thread can be started to wait for that, it is the error.
pub(crate) fn start(time: Duration) -> io::Result<()> {
    let wait = move || {
        thread::sleep(time);
        loop {
            // Held to the end, so that nothing is begun that would not be ended.
            let answer = locked(&ANSWER);
            if *answer != Answer::Begun {
                end(*answer);
            }
            drop(answer);
            thread::sleep(WAIT);
        }
    };
    thread::Builder::new().name("time limit".into()).spawn(wait).map(drop)
}

/// An answer is written or put in its place from now on: the program is not ended meanwhile.
pub(crate) fn begin_answer() {
    *locked(&ANSWER) = Answer::Begun;
}

/// The answer is in its place, and the run goes on with something else.
pub(crate) fn go_on_after_answer() {
    *locked(&ANSWER) = Answer::Written;
}

fn end(answer: Answer) -> ! {
    let mut child = locked(&CHILD);
    if let Some(child) = &mut *child {
        // One that has ended needs no end. It makes no more files once it has.
        let _ = child.kill().and_then(|()| child.wait());
    }
    let reached = told_last().map(|reached| format!(": {reached}")).unwrap_or_default();
    let answer = if answer == Answer::Written { "the result is written" } else { "no result is written" };
    end_saying(TIME_IS_UP, format_args!("{}time limit reached{reached}; {answer}", over_a_bar()))
}

/// Ends the program wherever it is, with this exit code and a last line. No temporary files are left.
pub(super) fn end_saying(code: u8, line: fmt::Arguments<'_>) -> ! {
    let _no_other_file = temporary::remove_all();
    // Where nobody reads what is said, the run ends all the same.
    let _ = thread::Builder::new().spawn(move || {
        thread::sleep(PATIENCE);
        exit(code)
    });
    tell(line);
    exit(code)
}

/// Ends the process at once: nobody waits for the other threads.
#[cfg(unix)]
fn exit(code: u8) -> ! {
    signal_hook::low_level::exit(code.into())
}

#[cfg(not(unix))]
fn exit(code: u8) -> ! {
    std::process::exit(code.into())
}

/// What another process says, and how it ends. It is ended with this one.
pub(crate) fn output_of(command: &mut Command) -> io::Result<Output> {
    let (stdout, stderr) = begin_child(command)?;
    let all = |pipe: Option<&mut dyn Read>| -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        pipe.map_or(Ok(0), |pipe| pipe.read_to_end(&mut bytes)).map(|_| bytes)
    };
    let (stdout, stderr) = thread::scope(|scope| {
        let beside = thread::Builder::new().spawn_scoped(scope, || {
            let mut stderr = stderr;
            all(stderr.as_mut().map(|pipe| pipe as &mut dyn Read))
        });
        let mut stdout = stdout;
        let stdout = all(stdout.as_mut().map(|pipe| pipe as &mut dyn Read));
        (stdout, beside.and_then(|beside| beside.join().unwrap_or_else(|_| Ok(Vec::new()))))
    });
    loop {
        let mut child = locked(&CHILD);
        let status = child.as_mut().map_or(Ok(None), Child::try_wait)?;
        if let Some(status) = status {
            *child = None;
            return Ok(Output { status, stdout: stdout?, stderr: stderr? });
        }
        drop(child);
        thread::sleep(LOOK);
    }
}

/// Starts a process, which is the one that is waited for, and gives its outputs.
fn begin_child(command: &mut Command) -> io::Result<(Option<ChildStdout>, Option<ChildStderr>)> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut waited_for = locked(&CHILD);
    let mut child = command.spawn()?;
    let pipes = (child.stdout.take(), child.stderr.take());
    *waited_for = Some(child);
    Ok(pipes)
}
