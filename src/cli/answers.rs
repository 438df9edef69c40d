//! Which inputs of a batch have been answered, so that the run that goes on leaves them out.
//!
//! An input and its answer are known again by their lengths, when they were changed last, and their inodes. The input is looked at before it is read and again
//! when its answer is in its place: what was changed meanwhile is not kept as answered. What a run does not leave out it forgets, for until
//! the new answer is there nobody knows what lies in its place.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, PoisonError};

use lacuna::snapshot::{Checkpoint, Kind, Writer, checksum, facts};
use serde::{Deserialize, Serialize};

use super::batch::{Task, Tasks};
use super::error::CliError;
use super::input_identity;
use super::notes::Notes;
use super::sink;

/// The name under which they are kept.
const BATCH: &str = "batch";

/// By what an input that has been answered is known again, and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Known {
    input: String,
    answer: String,
}

/// The inputs that have been answered, by their names.
pub(crate) struct Answers<'a> {
    checkpoint: &'a dyn Checkpoint,
    answered: Mutex<BTreeMap<String, Known>>,
}

/// An input as it was before it was read; none where nothing is kept of it.
pub(crate) struct Before(Option<String>);

impl<'a> Answers<'a> {
    /// Those that another run has answered.
    pub(crate) fn load(checkpoint: &'a dyn Checkpoint) -> Result<Self, CliError> {
        let answered = match checkpoint.load(BATCH, Kind::Batch)? {
            None => BTreeMap::new(),
            Some(snapshot) => {
                let mut reader = snapshot.payload_of(Kind::Batch)?;
                let json = reader.bytes("inputs")?;
                let read = serde_json::from_slice(json);
                let read = read.map_err(|error| reader.unexpected("inputs", "inputs as JSON", error))?;
                reader.end()?;
                read
            }
        };
        Ok(Answers { checkpoint, answered: Mutex::new(answered) })
    }

    /// Leaves out of `tasks` what has been answered: the input is as it was, and so is its answer. The others have no answer from now on, and
    /// what is known of inputs that are not among the tasks stays.
    pub(crate) fn leave_out(&self, tasks: &mut Tasks, notes: Notes) {
        let all = tasks.tasks.len();
        let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        // Then no file need be looked at.
        if answered.is_empty() {
            return;
        }
        tasks.tasks.retain(|task| {
            let name = name(task);
            let Some(before) = answered.get(&name) else { return true };
            if known(task).as_ref() == Some(before) {
                return false;
            }
            answered.remove(&name);
            true
        });
        let left_out = all - tasks.tasks.len();
        if left_out > 0 {
            notes.note(format_args!("{left_out} of {all} inputs already have results"));
        }
    }

    /// Looks at an input that is about to be read.
    pub(crate) fn before(&self, task: &Task) -> Before {
        Before(if self.checkpoint.is_kept() { identity(task) } else { None })
    }

    /// Notes that an input has been answered, unless it has been changed since it was looked at.
    pub(crate) fn take(&self, task: &Task, before: Before) {
        let found = before.0.and_then(|before| known(task).filter(|found| found.input == before));
        let Some(found) = found else { return };
        self.answered.lock().unwrap_or_else(PoisonError::into_inner).insert(name(task), found);
        if self.checkpoint.takes_turn() {
            self.save();
        }
    }

    /// Keeps what has been answered.
    pub(crate) fn save(&self) {
        if !self.checkpoint.is_kept() {
            return;
        }
        let answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let told = facts([("inputs that are done", answered.len().to_string())]);
        self.checkpoint.save(BATCH, Kind::Batch, &told, &mut |out: &mut Writer<'_>| {
            // An answer that a power failure takes must not be known as one. Here nobody else saves meanwhile, and the time counts as that of saving.
            sink::settle()?;
            out.bytes(&serde_json::to_vec(&answered).map_err(io::Error::other)?)
        });
    }
}

/// What an input is called: its path, and its number in a file of several; and where its answer goes.
fn name(task: &Task) -> String {
    let number = task.number.map(|number| format!(", number {number}")).unwrap_or_default();
    let output = task.output.as_ref().map(|output| output.display().to_string()).unwrap_or_default();
    format!("{}{number}: {output}", task.input.display())
}

fn identity(task: &Task) -> Option<String> {
    input_identity::of_times(&task.input)
}

/// By what a task that is done is known again.
fn known(task: &Task) -> Option<Known> {
    Some(Known { input: identity(task)?, answer: input_identity::of_times(task.output.as_deref()?)? })
}

/// What the pieces of an input of a batch are called, which no other input's are. None of one that is not known again, such as a pipe.
pub(crate) fn prefix(task: &Task) -> Option<String> {
    let known = format!("{} {}", name(task), identity(task)?);
    let (sum, _) = checksum(&mut known.as_bytes()).expect("bytes in memory can be read");
    Some(format!("input-{sum:032x}-"))
}
