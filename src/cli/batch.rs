//! Batches: several inputs of one command. Each answer goes into a directory, and an input that fails does not stop the
//! others.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hashbrown::HashSet;

use super::directory::{IsInput, files_of, is_batch, make};
use super::error::{CliError, Result, usage};
use super::naming::{OutputFormat, extension_of, format_or};
use super::notes::{Notes, counted};
use super::outputs::{Inputs, at_most_one_pipe};

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

impl Task {
    /// Name of the input in messages.
    pub(crate) fn label(&self) -> String {
        let name = lacuna::internals::name_of(&self.input);
        self.number.map_or_else(|| name.clone(), |number| format!("{name}[{number}]"))
    }
}

impl Tasks {
    /// The task of a run on one input.
    pub(crate) fn one(input: &Path, output: Option<&Path>) -> Tasks {
        let (inputs, output) = (Inputs::of([input]), output.map(Path::to_path_buf));
        let task =
            Task { input: input.to_path_buf(), name: name_of(input), number: None, output, place: None };
        Tasks { tasks: vec![task], is_batch: false, inputs }
    }

    /// Makes a task for each of `inputs`, directories replaced by their files, and files that hold several inputs, as
    /// `count` says, by these; and chooses the format of all answers. Answers go to `output`, which is a directory,
    /// created if needed, where there are several. A directory for which `is_input` holds is one input.
    pub(crate) fn plan<F: OutputFormat>(
        inputs: &[PathBuf],
        output: Option<&Path>,
        format: Option<F>,
        default: F,
        notes: Notes,
        count: Count<'_>,
        is_input: IsInput,
    ) -> Result<(Tasks, F)> {
        let has_several = inputs.len() > 1 || is_batch(&inputs[0], is_input);
        let inputs = listed(inputs, is_input, notes)?;
        let spared = Inputs::of(&inputs);
        let inputs = numbered(inputs, count);
        let is_batch = has_several || inputs.iter().any(|(_, number)| number.is_some());
        let into = output.filter(|path| is_batch || path.is_dir());
        let format = format_or(default, format, output.filter(|_| into.is_none()))?;
        let mut tasks = match into {
            Some(into) => {
                if !into.is_dir() {
                    make(into).map_err(|source| CliError::unwritable(into, &source))?;
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
                let task = |(input, _): (PathBuf, Option<usize>)| Tasks::one(&input, output).tasks;
                inputs.into_iter().flat_map(task).collect()
            }
        };
        let count = tasks.len();
        (1..).zip(&mut tasks).for_each(|(place, task)| task.place = is_batch.then_some((place, count)));
        Ok((Tasks { tasks, is_batch, inputs: spared }, format))
    }
}

/// Replaces directories among the inputs by their files.
fn listed(inputs: &[PathBuf], is_input: IsInput, notes: Notes) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for path in inputs {
        if is_batch(path, is_input) {
            all.extend(files_of(path, is_input, notes)?)
        } else {
            all.push(path.clone())
        }
    }
    at_most_one_pipe(&all)?;
    Ok(all)
}

/// Pairs each file with the numbers of its inputs, where it holds several.
fn numbered(files: Vec<PathBuf>, count: Count<'_>) -> Vec<(PathBuf, Option<usize>)> {
    let inputs = files.into_iter().flat_map(|file| {
        let numbers = count(&file).map_or_else(|| vec![None], |count| (0..count).map(Some).collect());
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
) -> Result<Vec<Task>> {
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
