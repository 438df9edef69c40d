//! The time limit of a run whose answer is all or nothing. When the time is up, the program ends wherever it is, as by
//! a signal, and leaves neither temporary files nor a child process behind.
//!
//! A file is put in its place only once it is complete, so an interrupted one never appears. Standard output, pipes and
//! files that cannot be replaced could be cut short; once such an answer has begun, it is written to its end. Runs that
//! can use partial results check for the end themselves, see [`interruption`](super::interruption).

use std::fmt;
use std::io::{self, Read};
use std::process::{Child, ChildStderr, ChildStdout, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::notes::{over_a_bar, tell};
use super::progress::told_last;
use super::temporary;

/// Exit code of a run whose time is up.
pub(crate) const TIME_IS_UP: u8 = 4;

/// Interval at which a child process is polled for its end.
const LOOK: Duration = Duration::from_millis(1);

/// Interval at which an answer that is still being written is polled.
const WAIT: Duration = Duration::from_millis(20);

/// Longest time that printing the last line may take.
const PATIENCE: Duration = Duration::from_secs(1);

/// Progress of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Ahead,
    /// Being written or put in its place.
    Begun,
    /// Complete and in its place, while the run continues.
    Written,
}

static ANSWER: Mutex<Answer> = Mutex::new(Answer::Ahead);

/// The child process that this one waits for.
static CHILD: Mutex<Option<Child>> = Mutex::new(None);

fn locked<T>(shared: &'static Mutex<T>) -> MutexGuard<'static, T> {
    // Each is a single value, which is valid even if a thread panicked.
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the program after `time`, counted from now. The error is that no timer thread could be started.
pub(crate) fn start(time: Duration) -> io::Result<()> {
    let wait = move || {
        thread::sleep(time);
        loop {
            // Held to the end, so that no answer begins that would then be cut short.
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

/// Marks the answer as begun: the program is not ended until it is complete.
pub(crate) fn begin_answer() {
    *locked(&ANSWER) = Answer::Begun;
}

/// Marks the answer as complete while the run continues.
pub(crate) fn go_on_after_answer() {
    *locked(&ANSWER) = Answer::Written;
}

fn end(answer: Answer) -> ! {
    let mut child = locked(&CHILD);
    if let Some(child) = &mut *child {
        // The call fails if the child has ended by itself, which is fine. An ended child makes no more files.
        let _ = child.kill().and_then(|()| child.wait());
    }
    let reached = told_last().map(|reached| format!(": {reached}")).unwrap_or_default();
    let answer = if answer == Answer::Written { "the result is written" } else { "no result is written" };
    end_saying(TIME_IS_UP, format_args!("{}time limit reached{reached}; {answer}", over_a_bar()))
}

/// Ends the program at once, with this exit code and a last line. No temporary files are left.
pub(super) fn end_saying(code: u8, line: fmt::Arguments<'_>) -> ! {
    let _no_other_file = temporary::remove_all();
    // Where standard error blocks, the program ends all the same.
    let _ = thread::Builder::new().spawn(move || {
        thread::sleep(PATIENCE);
        exit(code)
    });
    tell(line);
    exit(code)
}

/// Ends the process at once, without waiting for other threads.
#[cfg(unix)]
fn exit(code: u8) -> ! {
    signal_hook::low_level::exit(code.into())
}

#[cfg(not(unix))]
fn exit(code: u8) -> ! {
    std::process::exit(code.into())
}

/// Runs a child process and collects its output. The child is killed if this program ends first.
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

/// Starts a child process, registers it, and returns its output pipes.
fn begin_child(command: &mut Command) -> io::Result<(Option<ChildStdout>, Option<ChildStderr>)> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut waited_for = locked(&CHILD);
    let mut child = command.spawn()?;
    let pipes = (child.stdout.take(), child.stderr.take());
    *waited_for = Some(child);
    Ok(pipes)
}
