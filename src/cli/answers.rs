//! The record of the inputs of a batch that have been answered. A resumed run skips them.
//!
//! An input and its answer are recognised by length, time of the last change and inode. The input is looked at before
//! it is read and again when its answer is in place: if it changed in between, it is not recorded as answered. A run
//! deletes the entries of the inputs that it does not skip, since what lies at the place of their answers is unknown
//! until the new answers are there.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use lacuna::snapshot::{Checkpoint, Writer, checksum, facts};
use serde::{Deserialize, Serialize};

use super::batch::{Task, Tasks};
use super::error::CliError;
use super::input_identity;
use super::notes::Notes;
use super::sink;

/// Name of the entry in the checkpoint.
const BATCH: &str = "batch";
/// Kind of the entry.
const INPUTS: &str = "inputs of a batch";

/// Identity of an input that has been answered, and of its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Known {
    input: String,
    answer: String,
}

/// Record of the answered inputs, by name.
pub(crate) struct Answers<'a> {
    checkpoint: &'a dyn Checkpoint,
    answered: Mutex<BTreeMap<String, Known>>,
}

/// Identity of an input before it was read; `None` where the run keeps no record of it.
pub(crate) struct Before(Option<String>);

impl<'a> Answers<'a> {
    /// Loads the record of an earlier run, if there is one.
    pub(crate) fn load(checkpoint: &'a dyn Checkpoint) -> Result<Self, CliError> {
        let answered = match checkpoint.load(BATCH, INPUTS)? {
            None => BTreeMap::new(),
            Some(snapshot) => {
                let mut reader = snapshot.payload_of(INPUTS)?;
                let read = reader.record("inputs")?;
                reader.end()?;
                read
            }
        };
        Ok(Answers { checkpoint, answered: Mutex::new(answered) })
    }

    /// Removes from `tasks` those whose input and answer are both unchanged since they were recorded. The entries of
    /// the remaining tasks are deleted; entries of inputs that are not among the tasks stay.
    pub(crate) fn leave_out(&self, tasks: &mut Tasks, notes: Notes) {
        let all = tasks.tasks.len();
        let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        // Without entries, no file has to be looked at.
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

    /// Takes the identity of an input that is about to be read.
    pub(crate) fn before(&self, task: &Task) -> Before {
        Before(if self.checkpoint.is_kept() { identity(task) } else { None })
    }

    /// Records an input as answered, unless it has changed since [`before`](Self::before).
    pub(crate) fn take(&self, task: &Task, before: Before) {
        let found = before.0.and_then(|before| known(task).filter(|found| found.input == before));
        let Some(found) = found else { return };
        self.answered.lock().unwrap_or_else(PoisonError::into_inner).insert(name(task), found);
        if self.checkpoint.takes_turn() {
            self.save();
        }
    }

    /// Saves the record to the checkpoint.
    pub(crate) fn save(&self) {
        if !self.checkpoint.is_kept() {
            return;
        }
        let answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let told = facts([("inputs that are done", answered.len().to_string())]);
        self.checkpoint.save(BATCH, INPUTS, &told, &mut |out: &mut Writer<'_>| {
            // The answers must be on the disk before the record says so: a power failure could take them. No other
            // thread saves meanwhile, and the time counts as saving time.
            sink::settle()?;
            out.record(&answered)
        });
    }
}

/// The key of a task: the path of its input, its number in a file of several, and the path of its answer.
fn name(task: &Task) -> String {
    let number = task.number.map(|number| format!(", number {number}")).unwrap_or_default();
    let output = task.output.as_ref().map(|output| output.display().to_string()).unwrap_or_default();
    format!("{}{number}: {output}", task.input.display())
}

fn identity(task: &Task) -> Option<String> {
    input_identity::of_times(&task.input)
}

/// The identities of a finished task's input and answer.
fn known(task: &Task) -> Option<Known> {
    Some(Known { input: identity(task)?, answer: input_identity::of_times(task.output.as_deref()?)? })
}

/// Prefix for the checkpoint entries of one input of a batch, unique among the inputs; `None` for an input without
/// identity, such as a pipe.
pub(crate) fn prefix(task: &Task) -> Option<String> {
    let known = format!("{} {}", name(task), identity(task)?);
    let (sum, _) = checksum(&mut known.as_bytes()).expect("bytes in memory can be read");
    Some(format!("input-{sum:032x}-"))
}
