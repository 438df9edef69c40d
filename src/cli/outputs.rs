//! The output files of a run: the answer and, if requested, statistics, drawing, picture and page. Either all are
//! committed or none.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::arguments::picture::Picture;
use super::batch_pictures::BatchSinks;
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

/// The open outputs of a run.
#[derive(Debug)]
pub(crate) struct Outputs {
    pub(crate) answer: Sink,
    /// The drawing, if requested.
    pub(crate) geometry: Option<Sink>,
    /// The picture of the answer, if requested.
    pub(crate) picture: Option<Sink>,
    /// The page about the run, if requested.
    pub(crate) report: Option<Sink>,
    stats: Option<Sink>,
}

impl Outputs {
    /// Opens the answer and the statistics before the work starts. Neither may be an input; without a path, the answer
    /// goes to standard output.
    pub(crate) fn open(
        answer: Option<&Path>,
        content: Content,
        stats: Option<&Path>,
        inputs: &Inputs,
    ) -> Result<Outputs, CliError> {
        inputs.spare(answer)?;
        inputs.spare(stats)?;
        let answer = Sink::open(answer, content)?;
        let stats = stats.map(|path| Sink::open(Some(path), Content::Text)).transpose()?;
        differ(&answer, stats.as_ref(), "the answer and the statistics")?;
        Ok(Outputs { answer, geometry: None, picture: None, report: None, stats })
    }

    /// The outputs of one input of a batch, whose statistics are shared.
    pub(crate) fn of_task(answer: Sink, beside: BatchSinks) -> Outputs {
        let BatchSinks { picture, page } = beside;
        Outputs { answer, geometry: None, picture, report: page, stats: None }
    }

    /// Opens the file of the drawing. It may be neither an input nor another output.
    pub(crate) fn with_geometry(
        mut self,
        path: &Path,
        content: Content,
        inputs: &Inputs,
    ) -> Result<Outputs, CliError> {
        inputs.spare(Some(path))?;
        let geometry = Sink::open(Some(path), content)?;
        differ(&geometry, Some(&self.answer), "the geometry and the answer")?;
        differ(&geometry, self.stats.as_ref(), "the geometry and the statistics")?;
        self.geometry = Some(geometry);
        Ok(self)
    }

    /// Opens the file of the picture, if requested. It may be neither an input nor another output.
    pub(crate) fn with_picture(
        mut self,
        picture: Option<Picture<'_>>,
        inputs: &Inputs,
    ) -> Result<Outputs, CliError> {
        let Some(Picture { path, format, .. }) = picture else { return Ok(self) };
        inputs.spare(Some(path))?;
        let picture = Sink::open(Some(path), format.content())?;
        differ(&picture, Some(&self.answer), "the picture and the answer")?;
        differ(&picture, self.geometry.as_ref(), "the picture and the geometry")?;
        differ(&picture, self.stats.as_ref(), "the picture and the statistics")?;
        self.picture = Some(picture);
        Ok(self)
    }

    /// Opens the file of the page about the run, if requested. It may be neither an input nor another output.
    pub(crate) fn with_report(mut self, path: Option<&Path>, inputs: &Inputs) -> Result<Outputs, CliError> {
        let Some(path) = path else { return Ok(self) };
        inputs.spare(Some(path))?;
        let report = Sink::open(Some(path), Content::Text)?;
        differ(&report, Some(&self.answer), "the report and the answer")?;
        differ(&report, self.stats.as_ref(), "the report and the statistics")?;
        self.report = Some(report);
        Ok(self)
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

/// Rejects two outputs with the same file; `what` names both.
pub(crate) fn differ(output: &Sink, other: Option<&Sink>, what: &'static str) -> Result<(), CliError> {
    match (output.file(), other.and_then(Sink::file)) {
        (Some(path), Some(other)) if path == other => {
            let path = path.display();
            Err(usage(format_args!("{path}: expected different files for {what}, found the same")))
        }
        _ => Ok(()),
    }
}
