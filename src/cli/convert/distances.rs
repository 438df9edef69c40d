//! Converts distances or points to distances or points.

use lacuna::internals::Kind;
use lacuna::metric::read::{Diagonal, DistanceFormat, Input, Loaded, read_path_exactly};
use lacuna::metric::write::{DistanceFile, chosen};
use lacuna::metric::{Distances, Value};

use super::{Arguments, Converted};
use crate::cli::error::{CliError, Result};
use crate::cli::frame::Frame;
use crate::cli::notes::counted;

/// Reads the distances, makes those that are asked for, and checks that the format holds them.
pub(super) fn convert(
    arguments: &Arguments,
    input: Option<DistanceFormat>,
    format: DistanceFile,
    frame: &mut Frame<'_>,
) -> Result<Converted> {
    let name = frame.name.clone();
    let loaded = frame.read(|_| read(arguments, input))??;
    frame.detected(loaded.detection.as_ref().map(|why| format!("{} ({why})", loaded.format)));
    loaded.notes.iter().for_each(|note| frame.note(format_args!("{name}: {note}")));
    match loaded.input {
        Input::Single(distances) => become_of(arguments, distances, format, frame),
        Input::Double(distances) => become_of(arguments, distances, format, frame),
    }
}

/// Reads the distances in their own precision.
fn read(arguments: &Arguments, format: Option<DistanceFormat>) -> Result<Loaded> {
    let options = arguments.table.options(format, Diagonal::Zero, arguments.key.clone());
    arguments.table.with_paths(read_path_exactly(&arguments.input, options)?, &arguments.input)
}

fn become_of<T: Value>(
    arguments: &Arguments,
    distances: Distances<T>,
    format: DistanceFile,
    frame: &mut Frame<'_>,
) -> Result<Converted> {
    let name = frame.name.clone();
    let are_all = arguments.to == Some(Kind::Distances);
    let distances =
        chosen(distances, arguments.threshold, are_all).map_err(|why| CliError::about(&name, why))?;
    format.holds(&distances).map_err(|why| CliError::about(&name, why))?;
    if let Some(loss) = format.loses(&distances) {
        if format == DistanceFile::Binary && !arguments.round {
            return Err(CliError::about(format!("{name}: --round takes the nearest"), loss));
        }
        frame.note(format_args!(
            "{name}: numbers of double precision; Ripser and lacuna rips read files of {format} in single precision"
        ));
    }
    let points = counted(distances.len(), "point");
    let (kind, size) = match &distances {
        Distances::Points(cloud) => ("points", format!("{points} in dimension {}", cloud.dimension())),
        Distances::Matrix(_) => ("distances", format!("distances of {points}")),
        Distances::Sparse(graph) => ("edges", format!("{points}, {}", counted(graph.edges().len(), "edge"))),
    };
    let format_name = format.to_string();
    let write = Box::new(move |out: &mut dyn std::io::Write| format.write(&distances, out));
    Ok(Converted { format: format_name, kind, size, length: None, hint: None, write })
}
