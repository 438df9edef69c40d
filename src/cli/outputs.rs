//! The output files of a run: the answer and, if requested, statistics, drawing, picture and page. Either all are
//! committed or none.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::arguments::bars::Drawing;
use super::arguments::picture::Picture;
use super::error::{CliError, twice_standard_input, usage};
use super::naming::OutputFormat;
use super::sink::{Content, Sink};

/// The input files of a run, which it must not overwrite.
#[derive(Debug, Default)]
pub(crate) struct Inputs(Vec<(PathBuf, Identity)>);

/// Device and inode of a file, which identify it whatever its name.
#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = PathBuf;

/// Identity of a regular file, links followed. Devices and pipes have none: writing to them loses no input.
fn identity(path: &Path) -> Option<Identity> {
    let found = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some((found.dev(), found.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = found;
        fs::canonicalize(path).ok()
    }
}

impl Inputs {
    /// The files at `paths`; the path `-` stands for standard input.
    pub(crate) fn of<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Inputs {
        let input = |path: P| {
            let path = path.as_ref();
            let file = if path == Path::new("-") { Path::new("/dev/stdin") } else { path };
            Some((path.to_path_buf(), identity(file)?))
        };
        Inputs(paths.into_iter().filter_map(input).collect())
    }

    /// Rejects an output that is one of the inputs.
    pub(crate) fn spare(&self, output: Option<&Path>) -> Result<(), CliError> {
        let Some((path, identity)) = output.and_then(|path| Some((path, identity(path)?))) else {
            return Ok(());
        };
        match self.0.iter().find(|(_, input)| *input == identity) {
            Some((input, _)) => Err(CliError::input(format_args!(
                "{}: expected an output that is not the input, found the file {}",
                path.display(),
                input.display()
            ))),
            None => Ok(()),
        }
    }
}

/// Rejects standard input named more than once.
pub(crate) fn at_most_one_pipe(files: &[PathBuf]) -> Result<(), CliError> {
    if files.iter().filter(|path| path.as_path() == Path::new("-")).count() > 1 {
        return Err(twice_standard_input());
    }
    Ok(())
}

/// The outputs that are requested of a run, or of one input of a batch.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Files<'a> {
    /// File of the answer; standard output when `None`.
    pub(crate) answer: Option<&'a Path>,
    /// Whether the answer is text or binary.
    pub(crate) content: Content,
    /// File of the statistics.
    pub(crate) stats: Option<&'a Path>,
    /// The open file of the statistics of a batch.
    pub(crate) stats_of_batch: Option<&'a Sink>,
    /// The drawing of cycles.
    pub(crate) drawing: Option<Drawing<'a>>,
    /// The picture of the answer.
    pub(crate) picture: Option<Picture<'a>>,
    /// The page about the run.
    pub(crate) report: Option<&'a Path>,
}

/// The open outputs of a run.
#[derive(Debug)]
pub(crate) struct Outputs {
    pub(crate) answer: Sink,
    pub(crate) geometry: Option<Sink>,
    pub(crate) picture: Option<Sink>,
    pub(crate) report: Option<Sink>,
    stats: Option<Sink>,
}

impl Outputs {
    /// Opens the outputs before the work starts. None of them may be an input or another output.
    pub(crate) fn open(files: &Files<'_>, inputs: &Inputs) -> Result<Outputs, CliError> {
        let stats = files.stats_of_batch.and_then(Sink::file).map(Path::to_path_buf);
        let mut opened: Vec<(&str, PathBuf)> = stats.map(|path| ("statistics", path)).into_iter().collect();
        let mut open = |what: &'static str, path: Option<&Path>, content| -> Result<Sink, CliError> {
            inputs.spare(path)?;
            let sink = Sink::open(path, content)?;
            let Some(file) = sink.file() else { return Ok(sink) };
            if let Some((other, _)) = opened.iter().find(|(_, other)| other == file) {
                return Err(usage(format_args!(
                    "{}: expected different files for the {what} and the {other}, found the same",
                    file.display()
                )));
            }
            opened.push((what, file.to_path_buf()));
            Ok(sink)
        };
        let stats = files.stats.map(|path| open("statistics", Some(path), Content::Text)).transpose()?;
        let answer = open("answer", files.answer, files.content)?;
        let drawing = files.drawing.map(|Drawing { path, format }| (path, format.content()));
        let picture = files.picture.map(|Picture { path, format, .. }| (path, format.content()));
        let report = files.report.map(|path| (path, Content::Text));
        let mut open_some = |what, file: Option<(&Path, Content)>| {
            file.map(|(path, content)| open(what, Some(path), content)).transpose()
        };
        let geometry = open_some("geometry", drawing)?;
        let picture = open_some("picture", picture)?;
        Ok(Outputs { answer, geometry, picture, report: open_some("report", report)?, stats })
    }

    /// Writes the answer.
    pub(crate) fn fill(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), CliError> {
        self.answer.fill(write)
    }

    /// Commits the file of the answer, so that it stays even if the run or its statistics fail later.
    pub(crate) fn commit_answer(&mut self) -> Result<(), CliError> {
        std::mem::replace(&mut self.answer, Sink::Stdout).commit()
    }

    /// Writes the statistics, if requested, then commits all files.
    pub(crate) fn commit(self, record: &impl Serialize) -> Result<(), CliError> {
        let Outputs { answer, geometry, picture, report, mut stats } = self;
        if let Some(stats) = &mut stats {
            stats.fill_json(record)?;
        }
        answer.commit()?;
        geometry.map_or(Ok(()), Sink::commit)?;
        picture.map_or(Ok(()), Sink::commit)?;
        report.map_or(Ok(()), Sink::commit)?;
        stats.map_or(Ok(()), Sink::commit)
    }
}
