//! Batches: several inputs of one command. Each answer goes into a directory, and an input that fails does not stop the
//! others.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;

use hashbrown::HashSet;
use lacuna::plot::Series;
use lacuna::progress::{Cost, Expected, Progress};
use serde::Serialize;

use super::answers::Answers;
use super::batch_pictures::BatchPictures;
use super::directory::files_of;
use super::error::{CliError, twice_standard_input, usage};
use super::naming::{OutputFormat, extension_of, format_or};
use super::notes::{Notes, counted};
use super::outputs::Inputs;
use super::progress::Meter;
use super::sink::{Content, Sink};

/// An input and the file of its answer.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) input: PathBuf,
    /// Stem of the names of its files in an output directory.
    pub(crate) name: OsString,
    /// Index (0-based) of the input within its file, where the file holds several.
    pub(crate) number: Option<usize>,
    /// The file of the answer; standard output when `None`.
    pub(crate) output: Option<PathBuf>,
    /// Place (1-based) of the task in its batch, and the number of tasks.
    pub(crate) place: Option<(usize, usize)>,
}

/// The inputs of a run and the places of their answers.
#[derive(Debug)]
pub(crate) struct Tasks {
    pub(crate) tasks: Vec<Task>,
    /// Whether several inputs, or a directory, were named. An input that fails then does not stop the others.
    pub(crate) is_batch: bool,
    /// The files that are read; none of them may be overwritten.
    pub(crate) inputs: Inputs,
    notes: Notes,
}

/// Describes the inputs, for the error that no output directory was given.
fn what_there_is(inputs: &[(PathBuf, Option<usize>)]) -> String {
    match inputs {
        [(file, Some(_)), ..] if inputs.iter().all(|(other, _)| other == file) => {
            format!("{}, an array of three axes, holds {}", file.display(), counted(inputs.len(), "input"))
        }
        _ => format!("there are {}", counted(inputs.len(), "input")),
    }
}

/// Number of inputs in the file at a path, if its format can hold several. A file that cannot be looked at counts as
/// one; its reader reports the error.
pub(crate) type Count<'a> = &'a dyn Fn(&Path) -> Option<usize>;

impl Tasks {
    /// Makes a task for each of `inputs`, directories replaced by their files, and chooses the format of all answers.
    /// Answers go to `output`, which is a directory, created if needed, where there are several.
    pub(crate) fn plan<F: OutputFormat>(
        inputs: &[PathBuf],
        output: Option<&Path>,
        format: Option<F>,
        default: F,
        notes: Notes,
    ) -> Result<(Tasks, F), CliError> {
        Tasks::plan_counted(inputs, output, format, default, notes, &|_| None)
    }

    /// Like [`plan`](Tasks::plan), for files that may each hold several inputs.
    pub(crate) fn plan_counted<F: OutputFormat>(
        inputs: &[PathBuf],
        output: Option<&Path>,
        format: Option<F>,
        default: F,
        notes: Notes,
        count: Count<'_>,
    ) -> Result<(Tasks, F), CliError> {
        let has_several = inputs.len() > 1 || inputs[0].is_dir();
        let inputs = listed(inputs, notes)?;
        let spared = Inputs::of(&inputs);
        let inputs = numbered(inputs, count);
        let is_batch = has_several || inputs.iter().any(|(_, number)| number.is_some());
        let into = output.filter(|path| is_batch || path.is_dir());
        let format = format_or(default, format, output.filter(|_| into.is_none()))?;
        let mut tasks = match into {
            Some(into) => {
                if !into.is_dir() {
                    fs::create_dir(into).map_err(|source| CliError::unwritable(into, &source))?;
                }
                beside_each_other(inputs, into, &extension_of(format))?
            }
            None if is_batch => {
                return Err(usage(format_args!(
                    "--output-file: expected a directory for the results of several inputs, found none, although {}; \
                     name one with -o DIR",
                    what_there_is(&inputs)
                )));
            }
            None => {
                let task = |(input, number): (PathBuf, Option<usize>)| {
                    let (name, output) = (name_of(&input), output.map(Path::to_path_buf));
                    Task { input, name, number, output, place: None }
                };
                inputs.into_iter().map(task).collect()
            }
        };
        let count = tasks.len();
        (1..).zip(&mut tasks).for_each(|(place, task)| task.place = is_batch.then_some((place, count)));
        Ok((Tasks { tasks, is_batch, inputs: spared, notes }, format))
    }

    /// The only task of a run that is not a batch.
    pub(crate) fn only(&self) -> Option<&Task> {
        self.tasks.first().filter(|_| !self.is_batch)
    }

    /// Opens the file of the statistics, if requested. It may not be one of the inputs.
    pub(crate) fn open_stats(&self, path: Option<&Path>) -> Result<Option<Sink>, CliError> {
        self.inputs.spare(path)?;
        path.map(|path| Sink::open(Some(path), Content::Text)).transpose()
    }

    /// Runs the tasks one after another. In a batch, a failure that concerns one input is reported, and the next task
    /// runs.
    pub(crate) fn run<T>(
        &self,
        mut run: impl FnMut(&Task) -> Result<T, CliError>,
    ) -> Result<Ran<T>, CliError> {
        let mut ran = Ran::new(self.tasks.len());
        for task in &self.tasks {
            ran.take(run(task), self.is_batch)?;
        }
        Ok(ran)
    }

    /// Runs the tasks in parallel, one on each of `workers` threads. `worker` makes the state of a thread, `run` does a
    /// task with it, and `then` receives the outcomes on the calling thread, in the order of the tasks. Failures are
    /// handled as in [`run`](Tasks::run).
    ///
    /// Within `run`, rayon sees a pool of the current thread only: the tasks are too small to be split.
    pub(crate) fn run_side_by_side<W, A: Send, T>(
        &self,
        workers: usize,
        worker: &(dyn Fn() -> W + Sync),
        run: &(dyn Fn(&mut W, &Task) -> Result<A, CliError> + Sync),
        mut then: impl FnMut(&Task, Result<A, CliError>) -> Result<T, CliError>,
    ) -> Result<Ran<T>, CliError> {
        let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let meter = Meter::new(self.notes.progress());
        meter.expect(&[Expected { stage: "files", dim: None, cost: Cost::Known(1.0) }]);
        meter.begin("files", None, self.tasks.len() as u64);
        let (sender, outcomes) = mpsc::channel();
        let work = |sender: Sender<(usize, Result<A, CliError>)>| {
            // The pool lives as long as the worker. If it cannot be made, tasks are split after all, which is slower
            // but correct.
            let _alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
            let mut worker = worker();
            while !is_over.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(task) = self.tasks.get(number) else { return };
                if sender.send((number, run(&mut worker, task))).is_err() {
                    return;
                }
            }
        };
        thread::scope(|scope| {
            for _ in 0..workers {
                let (work, sender) = (&work, sender.clone());
                // Fewer threads than requested are enough.
                if thread::Builder::new().spawn_scoped(scope, move || work(sender)).is_err() {
                    break;
                }
            }
            drop(sender);
            let mut ran = Ran::new(self.tasks.len());
            let mut early = BTreeMap::new();
            let mut told = 0;
            for (number, outcome) in &outcomes {
                early.insert(number, outcome);
                meter.advance(1);
                while let Some(outcome) = early.remove(&told) {
                    let taken = meter.aside(|| ran.take(then(&self.tasks[told], outcome), self.is_batch));
                    told += 1;
                    if let Err(error) = taken {
                        is_over.store(true, Ordering::Relaxed);
                        return Err(error);
                    }
                }
            }
            // Reached only if no thread could be started.
            for task in &self.tasks[told..] {
                ran.take(then(task, run(&mut worker(), task)), self.is_batch)?;
            }
            Ok(ran)
        })
    }
}

/// Outcomes of all tasks.
#[derive(Debug)]
pub(crate) struct Ran<T> {
    /// Results of the inputs that did not fail, in their order.
    pub(crate) found: Vec<T>,
    /// The number of inputs that failed.
    pub(crate) failed: usize,
    all: usize,
    /// Whether the system is the cause of at least one failure.
    is_of_system: bool,
}

impl<T> Ran<T> {
    /// Starts with no outcomes, for `all` tasks.
    fn new(all: usize) -> Self {
        Ran { found: Vec::new(), failed: 0, all, is_of_system: false }
    }

    /// Adds the outcome of a task. In a batch, a failure that concerns one input is reported.
    ///
    /// # Errors
    /// The failure of a task that ends the whole run.
    fn take(&mut self, outcome: Result<T, CliError>, is_batch: bool) -> Result<(), CliError> {
        match outcome {
            Ok(found) => self.found.push(found),
            Err(error) if is_batch && error.concerns_one_input() => {
                error.report();
                self.failed += 1;
                self.is_of_system |= error.is_of_system();
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Ends a run: commits the picture of all inputs and the statistics. If inputs failed, `answers` saves which ones have results.
    ///
    /// # Errors
    /// A file cannot be written, or at least one input failed.
    pub(crate) fn finish(
        &self,
        pictures: Option<BatchPictures<'_>>,
        series: &[Series],
        stats: Option<Sink>,
        record: &impl Serialize,
        answers: &Answers<'_>,
    ) -> Result<(), CliError> {
        pictures.map_or(Ok(()), |pictures| pictures.finish(series))?;
        if let Some(mut stats) = stats {
            stats.fill_json(record)?;
            stats.commit()?;
        }
        if self.failed == 0 {
            return Ok(());
        }
        answers.save();
        Err(CliError::unanswered(self.failed, self.all, self.is_of_system))
    }
}

/// Replaces directories among the inputs by their files.
fn listed(inputs: &[PathBuf], notes: Notes) -> Result<Vec<PathBuf>, CliError> {
    let mut all = Vec::new();
    for path in inputs {
        if path.is_dir() { all.extend(files_of(path, notes)?) } else { all.push(path.clone()) }
    }
    if all.iter().filter(|path| path.as_path() == Path::new("-")).count() > 1 {
        return Err(twice_standard_input());
    }
    Ok(all)
}

/// Pairs each file with the numbers of its inputs, where it holds several.
fn numbered(files: Vec<PathBuf>, count: Count<'_>) -> Vec<(PathBuf, Option<usize>)> {
    let inputs = files.into_iter().flat_map(|file| {
        let numbers = match count(&file) {
            None => vec![None],
            Some(count) => (0..count).map(Some).collect(),
        };
        numbers.into_iter().map(move |number| (file.clone(), number))
    });
    inputs.collect()
}

/// Makes a task for each input. Its answer is a file in the directory `into`, named after the input and its number, if
/// it has one.
fn beside_each_other(
    inputs: Vec<(PathBuf, Option<usize>)>,
    into: &Path,
    extension: &str,
) -> Result<Vec<Task>, CliError> {
    let mut taken = HashSet::new();
    // Numbers are padded to one width, so that names sort in the order of the inputs.
    let greatest = inputs.iter().filter_map(|(_, number)| *number).max().unwrap_or(0);
    let digits = greatest.to_string().len();
    let task = |(input, number): (PathBuf, Option<usize>)| {
        let mut name = name_of(&input);
        if let Some(number) = number {
            name.push(format!(".{number:0digits$}"));
        }
        let mut file = name.clone();
        file.push(".");
        file.push(extension);
        let output = into.join(file);
        if !taken.insert(output.clone()) {
            return Err(usage(format_args!(
                "{}: expected one input for each output, found another for {}",
                input.display(),
                output.display()
            )));
        }
        Ok(Task { input, name, number, output: Some(output), place: None })
    };
    inputs.into_iter().map(task).collect()
}

/// Name of an input: that of its file, or `stdin` for standard input. A path without a file name is reported by its
/// reader.
fn name_of(input: &Path) -> OsString {
    match input.file_name() {
        Some(name) if input != Path::new("-") => name.to_owned(),
        _ => "stdin".into(),
    }
}
