//! The output files of a run: the answer and, if requested, statistics, drawing, picture and page. Either all are
//! committed or none.

use std::fs;
use std::path::{Path, PathBuf};

use lacuna::cubical::read::{ImageOptions, other_files};
use lacuna::plot::{Plot, PlotFormat, PlotKind, Series};

use super::arguments::bars::Drawing;
use super::error::{CliError, Result, twice_standard_input, usage};
use super::naming::OutputFormat;
use super::record::Record;
use super::sink::{Content, Sink};

/// The input files of a run, which it must not overwrite, and the files that images among them name.
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
        let mut inputs = Vec::new();
        for path in paths {
            let path = path.as_ref();
            let others = other_files(path, &ImageOptions::default());
            for path in others.into_iter().chain([path.to_path_buf()]) {
                let file = if path == Path::new("-") { Path::new("/dev/stdin") } else { &path };
                inputs.extend(identity(file).map(|identity| (path, identity)));
            }
        }
        Inputs(inputs)
    }

    /// Rejects an output that is one of the inputs.
    pub(crate) fn spare(&self, output: Option<&Path>) -> Result<()> {
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
pub(crate) fn at_most_one_pipe(files: &[PathBuf]) -> Result<()> {
    if files.iter().filter(|path| path.as_path() == Path::new("-")).count() > 1 {
        return Err(twice_standard_input());
    }
    Ok(())
}

/// Opens the answer of a command that reads all of `files` for it, none of which it may be.
pub(crate) fn open_answer(files: &[PathBuf], answer: Option<&Path>, content: Content) -> Result<Sink> {
    at_most_one_pipe(files)?;
    Inputs::of(files).spare(answer)?;
    Sink::open(answer, content)
}

/// A picture that is to be drawn.
#[derive(Debug, Clone)]
pub(crate) struct Picture {
    pub(crate) path: PathBuf,
    pub(crate) format: PlotFormat,
    pub(crate) kind: PlotKind,
}

impl Picture {
    /// Draws results over one another and writes the picture.
    pub(crate) fn put(&self, sink: &mut Sink, series: &[Series]) -> Result<()> {
        let canvas = Plot::new(self.kind).draw(series);
        let canvas = canvas.map_err(|error| CliError::about("--plot", error))?;
        sink.fill(|out| self.format.write(&canvas, out))
    }
}

/// The outputs that are requested of a run, or of one input of a batch.
#[derive(Debug, Default)]
pub(crate) struct Files<'a> {
    /// File of the answer; standard output when `None`.
    pub(crate) answer: Option<&'a Path>,
    /// Whether the answer is text or binary.
    pub(crate) content: Content,
    /// File of the statistics.
    pub(crate) stats: Option<&'a Path>,
    /// The file of the statistics of the whole run, which is open.
    pub(crate) stats_of_run: Option<&'a Path>,
    /// The drawing of cycles.
    pub(crate) drawing: Option<Drawing<'a>>,
    /// File of the graph of the skeleton.
    pub(crate) graph: Option<&'a Path>,
    /// The picture of the answer.
    pub(crate) picture: Option<Picture>,
    /// The page about the run.
    pub(crate) page: Option<PathBuf>,
}

/// The open outputs of a run.
#[derive(Debug)]
pub(crate) struct Outputs {
    pub(crate) answer: Sink,
    pub(crate) geometry: Option<Sink>,
    pub(crate) graph: Option<Sink>,
    pub(crate) picture: Option<(Picture, Sink)>,
    pub(crate) page: Option<Sink>,
    stats: Option<Sink>,
}

impl Outputs {
    /// Opens the outputs before the work starts. None of them may be an input or another output.
    pub(crate) fn open(files: Files<'_>, inputs: &Inputs) -> Result<Outputs> {
        let stats = files.stats_of_run.map(|path| ("statistics", path.to_path_buf()));
        let mut opened: Vec<(&str, PathBuf)> = stats.into_iter().collect();
        let mut open = |what: &'static str, path: Option<&Path>, content| -> Result<Sink> {
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
        let drawing =
            files.drawing.map(|drawing| open("geometry", Some(drawing.path), drawing.format.content()));
        let geometry = drawing.transpose()?;
        let graph = files.graph.map(|path| open("graph", Some(path), Content::Text)).transpose()?;
        let picture = files.picture.map(|picture| {
            let sink = open("picture", Some(&picture.path), picture.format.content())?;
            Ok::<_, CliError>((picture, sink))
        });
        let picture = picture.transpose()?;
        let page = files.page.map(|path| open("report", Some(&path), Content::Text)).transpose()?;
        Ok(Outputs { answer, geometry, graph, picture, page, stats })
    }

    /// Writes the statistics, if requested, then commits all files.
    pub(crate) fn commit(self, record: &Record) -> Result<()> {
        let Outputs { answer, geometry, graph, picture, page, mut stats } = self;
        if let Some(stats) = &mut stats {
            stats.fill(|out| writeln!(out, "{}", record.json()))?;
        }
        answer.commit()?;
        let sinks = [geometry, graph, picture.map(|(_, sink)| sink), page, stats];
        sinks.into_iter().flatten().try_for_each(Sink::commit)
    }
}
