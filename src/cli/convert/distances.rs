//! Converts distances or points to distances or points.

use std::time::Instant;

use lacuna::metric::read::{Diagonal, DistanceFormat, Input, read_bytes, read_dipha};
use lacuna::metric::write::{DistanceFile, all_distances};
use lacuna::metric::{Distances, SparseDistances, Value};

use super::Arguments;
use super::kind::Kind;
use crate::cli::error::CliError;
use crate::cli::frame::Frame;
use crate::cli::naming::OutputFormat;
use crate::cli::notes::{counted, tell, timing_line};
use crate::cli::timing::timed;

/// Reads and writes.
pub(super) fn run(
    arguments: &Arguments,
    start: Instant,
    input: Option<DistanceFormat>,
    format: DistanceFile,
) -> Result<(), CliError> {
    let mut frame = arguments.open(start, format.content())?;
    frame.meter.stage("reading");
    let (input, read) = timed(|| read_input(arguments, input, &frame));
    let done = match input? {
        Input::Single(distances) => convert(arguments, distances, format, &mut frame)?,
        Input::Double(distances) => convert(arguments, distances, format, &mut frame)?,
    };
    if arguments.verbosity.verbose {
        tell(format_args!("{}: {}", arguments.name(), done.what));
        tell(timing_line("read", read.as_secs_f64()));
        tell(timing_line("write", done.write));
        tell(timing_line("total", frame.seconds()));
    }
    Ok(())
}

/// Reads the distances in their own precision. `lacuna rips` reduces DIPHA's to single precision; here they stay
/// doubles.
fn read_input(
    arguments: &Arguments,
    format: Option<DistanceFormat>,
    frame: &Frame,
) -> Result<Input, CliError> {
    let name = arguments.name();
    let bytes = lacuna::internals::read_all(&arguments.input)
        .map_err(|error| lacuna::metric::read::ReadError::Io { file: name.clone(), error })?;
    let options = arguments.table.options(format, Diagonal::Zero, arguments.key.clone());
    let symmetrized = options.symmetrize.is_some();
    let mut loaded = read_bytes(&name, &bytes, options)?;
    if loaded.format == DistanceFormat::Dipha
        && !symmetrized
        && let Ok(distances) = read_dipha::<f64>(&bytes)
    {
        loaded.input = Input::Double(distances);
    }
    let loaded = arguments.table.with_paths(loaded, &arguments.input)?;
    let notes = frame.notes;
    frame.meter.aside(|| {
        if let Some(why) = &loaded.detection {
            notes.note(format_args!("{name}: {} ({why})", loaded.format));
        }
        loaded.notes.iter().for_each(|note| notes.note(format_args!("{name}: {note}")));
    });
    Ok(loaded.input)
}

/// The description of what was written, and the seconds of writing.
struct Done {
    what: String,
    write: f64,
}

fn convert<T: Value>(
    arguments: &Arguments,
    distances: Distances<T>,
    format: DistanceFile,
    frame: &mut Frame,
) -> Result<Done, CliError> {
    let name = arguments.name();
    let mut distances = distances;
    if let Some(threshold) = arguments.threshold {
        distances = up_to(&distances, threshold).map_err(|why| CliError::about(&name, why))?.into();
    } else if arguments.to == Some(Kind::Distances) && matches!(distances, Distances::Points(_)) {
        distances = all_distances(&distances).map_err(|why| CliError::about(&name, why))?.into();
    }
    format.holds(&distances).map_err(|why| CliError::about(&name, why))?;
    if let Some(loss) = format.loses(&distances) {
        if format == DistanceFile::Binary && !arguments.round {
            return Err(CliError::about(format!("{name}: --round takes the nearest"), loss));
        }
        frame.notes.note(format_args!(
            "{name}: numbers of double precision; Ripser and lacuna rips read files of {format} in single precision"
        ));
    }
    let write = frame.write(|_, out| format.write(&distances, out))?;
    frame.commit_answer()?;
    let written = match &distances {
        Distances::Points(_) => "points",
        Distances::Matrix(_) => "distances",
        Distances::Sparse(_) => "edges",
    };
    arguments.say_written(frame.notes, format, written);
    let points = counted(distances.len(), "point");
    let what = match &distances {
        Distances::Points(cloud) => format!("{points} in dimension {}", cloud.dimension()),
        Distances::Matrix(_) => format!("distances of {points}"),
        Distances::Sparse(graph) => format!("{points}, {}", counted(graph.edges().len(), "edge")),
    };
    Ok(Done { what, write: write.as_secs_f64() })
}

/// Keeps the pairs whose distance is at most `threshold`.
fn up_to<T: Value>(
    distances: &Distances<T>,
    threshold: f64,
) -> Result<SparseDistances<T>, lacuna::metric::MetricError> {
    let near = |distance: T| Into::<f64>::into(distance) <= threshold && distance.into().is_finite();
    let pairs: Vec<(u32, u32, T)> = match distances {
        Distances::Sparse(graph) => graph
            .edges()
            .iter()
            .map(|edge| (edge.i, edge.j, edge.distance))
            .filter(|edge| near(edge.2))
            .collect(),
        Distances::Matrix(matrix) => pairs_of(matrix.len(), |i, j| matrix.get(i, j), near),
        Distances::Points(points) => pairs_of(points.len(), |i, j| points.distance(i, j), near),
    };
    SparseDistances::new(distances.len(), pairs)
}

fn pairs_of<T: Value>(
    points: usize,
    distance: impl Fn(usize, usize) -> T,
    near: impl Fn(T) -> bool,
) -> Vec<(u32, u32, T)> {
    let pairs = (0..points).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.map(|(i, j)| (i as u32, j as u32, distance(i, j))).filter(|&(_, _, d)| near(d)).collect()
}
