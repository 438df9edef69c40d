//! Which inputs of a batch have been answered, so that the run that goes on leaves them out.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, PoisonError};

use lacuna::snapshot::{Checkpoint, Kind, Writer, checksum, facts};

use super::batch::{Task, Tasks};
use super::error::CliError;
use super::input_identity;
use super::notes::Notes;

/// The name under which they are kept.
const BATCH: &str = "batch";

/// The inputs that have been answered: their names, and by what they are known again.
pub(crate) struct Answers<'a> {
    checkpoint: &'a dyn Checkpoint,
    answered: Mutex<BTreeMap<String, String>>,
}

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

    /// Leaves out of `tasks` what has been answered: the input is as it was, and its answer is there.
    pub(crate) fn leave_out(&self, tasks: &mut Tasks, notes: Notes) {
        let all = tasks.tasks.len();
        let answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        // Then no file need be looked at.
        if answered.is_empty() {
            return;
        }
        tasks.tasks.retain(|task| {
            let is_there = task.output.as_ref().is_some_and(|output| output.exists());
            !is_there || identity(task).is_none_or(|found| answered.get(&name(task)) != Some(&found))
        });
        let left_out = all - tasks.tasks.len();
        if left_out > 0 {
            notes.note(format_args!("{left_out} of {all} inputs have been answered before"));
        }
    }

    /// Notes that an input has been answered.
    pub(crate) fn take(&self, task: &Task) {
        if !self.checkpoint.is_kept() {
            return;
        }
        let Some(found) = identity(task) else { return };
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

/// What the pieces of an input of a batch are called, which no other input's are. None of one that is not known again, such as a pipe.
pub(crate) fn prefix(task: &Task) -> Option<String> {
    let known = format!("{} {}", name(task), identity(task)?);
    let (sum, _) = checksum(&mut known.as_bytes()).expect("bytes in memory can be read");
    Some(format!("input-{sum:032x}-"))
}
