//! Long runs: the directory of the checkpoint, and the record of the inputs of a batch that have been answered. A
//! resumed run skips these.
//!
//! An input and its answer are recognised by length, time of the last change and inode. The input is looked at before
//! it is read and again when its answer is in place: if it changed in between, it is not recorded as answered. A run
//! deletes the entries of the inputs that it does not skip, since what lies at the place of their answers is unknown
//! until the new answers are there.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::sync::Mutex;

use clap::{ArgMatches, CommandFactory};
use lacuna::snapshot::{Checkpoint, CheckpointDirectory, Fingerprint, Writer, checksum, facts};
use serde::{Deserialize, Serialize};

use super::Cli;
use super::arguments::limits::CheckpointArguments;
use super::batch::{Task, Tasks};
use super::error::Result;
use super::input_identity::of_times;
use super::notes::Notes;
use super::{locked, sink};

/// Name of the entry of answered inputs in the checkpoint.
const BATCH: &str = "batch";
/// Kind of the entry.
const INPUTS: &str = "inputs of a batch";

/// Options that change only how the answer is found and where it goes. Inputs are known by their content instead.
const WITHOUT_EFFECT: &str = "file files images output_file plot plot_kind report stats temp_dir threads memory spill \
                              backend devices device_memory self_check pair_store columns check time_limit \
                              checkpoint every explain quiet verbose progress verify help";

/// Options that change only how the answer is written, after all that is saved.
const OF_OUTPUT: &str = "output ratio";

/// Identity of an input that has been answered, and of its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Known {
    input: String,
    answer: String,
}

/// The checkpoint of a run, if it has one.
pub(crate) struct LongRun {
    directory: Option<CheckpointDirectory>,
    /// The run, by its command and the options that have an effect.
    run: Fingerprint,
    /// The inputs that have been answered, by name.
    answered: Mutex<BTreeMap<String, Known>>,
    notes: Notes,
}

impl LongRun {
    /// Opens the checkpoint directory, before anything is read.
    pub(crate) fn open(checkpoint: &CheckpointArguments, run: Fingerprint, notes: Notes) -> Result<LongRun> {
        Ok(LongRun { directory: checkpoint.open(notes)?, run, answered: Mutex::default(), notes })
    }

    /// Compares the fingerprint of the run, and of its input if it has only one, with that of the checkpoint: the saved
    /// state is resumed from or rejected.
    pub(crate) fn begin(&self, input: Option<&dyn Fn() -> Result<String>>) -> Result<()> {
        let Some(directory) = &self.directory else { return Ok(()) };
        let run = match input {
            Some(identity) => self.run.clone().with("input", identity()?),
            None => self.run.clone(),
        };
        if directory.begin(&run)? {
            self.notes.note(format_args!("resumes from {}", directory.path().display()));
        }
        Ok(())
    }

    /// The checkpoint, which saves nothing if the run has no directory.
    pub(crate) fn checkpoint(&self) -> &dyn Checkpoint {
        match &self.directory {
            Some(directory) => directory,
            None => &(),
        }
    }

    /// Removes from `tasks` those whose input and answer are both unchanged since an earlier run recorded them. The
    /// entries of the remaining tasks are deleted; entries of inputs that are not among the tasks stay.
    pub(crate) fn leave_out(&self, tasks: &mut Tasks) -> Result<()> {
        // Without entries, no file has to be looked at.
        let Some(snapshot) = self.checkpoint().load(BATCH, INPUTS)? else { return Ok(()) };
        let mut reader = snapshot.payload_of(INPUTS)?;
        let mut before: BTreeMap<String, Known> = reader.record("inputs")?;
        reader.end()?;
        let all = tasks.tasks.len();
        tasks.tasks.retain(|task| {
            let name = name(task);
            let Some(found) = before.get(&name) else { return true };
            if known(task).as_ref() == Some(found) {
                return false;
            }
            before.remove(&name);
            true
        });
        let left_out = all - tasks.tasks.len();
        if left_out > 0 {
            self.notes.note(format_args!("{left_out} of {all} inputs already have results"));
        }
        *locked(&self.answered) = before;
        Ok(())
    }

    /// The identity of an input that is about to be read; `None` if no record of it is kept.
    pub(crate) fn before(&self, task: &Task) -> Option<String> {
        self.directory.as_ref().and_then(|_| of_times(&task.input))
    }

    /// Prefix for the checkpoint entries of one input of a batch, unique among the inputs; `None` for an input without
    /// identity, such as a pipe, and if nothing is saved.
    pub(crate) fn prefix(&self, task: &Task) -> Option<String> {
        let known = format!("{} {}", name(task), self.before(task)?);
        let (sum, _) = checksum(&mut known.as_bytes()).expect("bytes in memory can be read");
        Some(format!("input-{sum:032x}-"))
    }

    /// Records an input as answered, unless it has changed since [`before`](Self::before).
    pub(crate) fn take(&self, task: &Task, before: Option<String>) {
        let found = before.and_then(|before| known(task).filter(|found| found.input == before));
        let Some(found) = found else { return };
        locked(&self.answered).insert(name(task), found);
        if self.checkpoint().takes_turn() {
            self.save();
        }
    }

    /// Saves the record of answered inputs to the checkpoint.
    pub(crate) fn save(&self) {
        let Some(directory) = &self.directory else { return };
        let answered = locked(&self.answered).clone();
        let told = facts([("inputs that are done", answered.len().to_string())]);
        directory.save(BATCH, INPUTS, &told, &mut |out: &mut Writer<'_>| {
            // The answers must be on the disk before the record says so: a power failure could take them. No other
            // thread saves meanwhile, and the time counts as saving time.
            sink::settle()?;
            out.record(&answered)
        });
    }

    /// Removes the checkpoint of a finished run, once the answer is on the disk.
    pub(crate) fn finish(self) {
        let Some(directory) = self.directory else { return };
        if let Err(error) = sink::settle() {
            let kept = directory.path().display();
            return self.notes.warn(format_args!("{error}; the saved state stays in {kept}"));
        }
        if let Err(error) = directory.finish() {
            self.notes.warn(error);
        }
    }
}

/// Fingerprint of a run: its command, and all options that may have an effect, as they were given.
pub(crate) fn fingerprint(command: &str, of_batch: &str, given: &ArgMatches) -> Fingerprint {
    let mut program = Cli::command();
    program.build();
    let options = program.find_subcommand(command).into_iter().flat_map(clap::Command::get_arguments);
    let mut run = Fingerprint::new(&format!("{command}{of_batch}"));
    for option in options {
        let id = option.get_id().as_str();
        let is_of_output = of_batch.is_empty() && OF_OUTPUT.split(' ').any(|other| other == id);
        if !is_of_output && !WITHOUT_EFFECT.split(' ').any(|other| other == id) {
            let Some(values) = given.get_raw(id) else { continue };
            let values = values.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(",");
            run = run.with(&format!("--{}", option.get_long().unwrap_or_default()), values);
        }
    }
    run
}

/// The key of a task: the path of its input, its number in a file of several, and the path of its answer.
fn name(task: &Task) -> String {
    let number = task.number.map(|number| format!(", number {number}")).unwrap_or_default();
    let output = task.output.as_ref().map(|output| output.display().to_string()).unwrap_or_default();
    format!("{}{number}: {output}", task.input.display())
}

/// The identities of a finished task's input and answer.
fn known(task: &Task) -> Option<Known> {
    Some(Known { input: of_times(&task.input)?, answer: of_times(task.output.as_deref()?)? })
}
