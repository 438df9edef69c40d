//! Reads files of bars or curves for `plot` and `vectorize`.

use std::path::Path;

use lacuna::compare::read::BarcodeFormat;
use lacuna::internals::name_of;
use lacuna::plot::Series;
use lacuna::plot::read::{LoadedSeries, read_path};

use super::error::CliError;
use super::notes::Notes;

/// Reads a file, reports its detected format, and warns of unfinished dimensions that `are_used`.
pub(crate) fn read_series(
    path: &Path,
    format: Option<BarcodeFormat>,
    notes: Notes,
    are_used: impl Fn(u32) -> bool,
) -> Result<Series, CliError> {
    let name = name_of(path);
    let LoadedSeries { series, detection, unfinished, .. } = read_path(path, format)?;
    notes.warn_of_unfinished(&name, &unfinished, are_used);
    if let Some(detection) = detection {
        notes.note(format_args!("{name}: {detection}"));
    }
    Ok(series)
}
