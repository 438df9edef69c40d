//! Reads the Euler characteristic curves of image files for `lacuna ecc`, and explains why a file has none.

use std::error::Error;
use std::fs;
use std::path::Path;

use lacuna::cubical::curves::{CurveSource, CurvesFound, ImageCurves};
use lacuna::cubical::ecc::scales::Scales;
use lacuna::cubical::ecc::{BinsError, EccError, MachineError};
use lacuna::cubical::read::{self, ImageOptions};
use lacuna::internals::name_of;
use lacuna::progress::Progress;

use super::error::{CliError, with_causes};

/// An image file, or standard input when its path is `-`.
pub(crate) struct CurveFile<'a> {
    pub(crate) path: &'a Path,
    pub(crate) options: &'a ImageOptions,
}

impl CurveFile<'_> {
    /// Computes the curve, or the curves at several scales.
    pub(crate) fn curves(
        &self,
        curves: &mut ImageCurves,
        scales: Option<&Scales>,
        progress: &dyn Progress,
    ) -> Result<CurvesFound, CliError> {
        // A pipe can be read only once: to open it again would block for ever.
        let is_read_once =
            self.path == Path::new("-") || fs::metadata(self.path).is_ok_and(|found| !found.is_file());
        let open = || read::open(self.path, self.options);
        let source = CurveSource::new(&open, is_read_once);
        let found = curves.curves(&source, scales, progress);
        found.map_err(|error| no_curve(&name_of(self.path), error))
    }
}

/// The error of a file that has no curve: the file, the reason, and options that help.
pub(crate) fn no_curve(file: &str, error: MachineError) -> CliError {
    use EccError::{Bins, Checkpoint, Interrupted, Range, Read, Slabs, Spill};
    let option = match &error {
        // The errors of the reader and the backend are complete.
        MachineError::Stage(Read(_) | Checkpoint(_) | Interrupted(_)) | MachineError::Backend(_) => {
            return error.into();
        }
        MachineError::Stage(Spill { directory, limit, error: source }) => {
            let what = format!(
                "{file}: {}: cannot keep rows that {limit} bytes of memory have no room for (--temp-dir, --memory): {source}",
                directory.display()
            );
            return CliError::from(error).saying(what);
        }
        MachineError::Stage(Bins(BinsError::NoneFinite) | Range(_)) => " (--range)",
        MachineError::Stage(Slabs { .. }) => " (--memory)",
        _ => "",
    };
    let message = format!("{}{option}", with_causes(format!("{file}: {error}"), error.source()));
    CliError::from(error).saying(message)
}
