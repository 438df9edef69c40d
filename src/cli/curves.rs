//! Reads the Euler characteristic curves of image files for `lacuna ecc`, and explains why a file has none.

use std::error::Error;
use std::fs;
use std::path::Path;

use lacuna::cubical::curves::{CurveSource, CurvesError, CurvesFound, ImageCurves};
use lacuna::cubical::ecc::BinsError;
use lacuna::cubical::ecc::cuda::DeviceError;
use lacuna::cubical::ecc::scales::{Scales, ScalesError};
use lacuna::cubical::ecc::slabs::SlabError;
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
        let found = match scales {
            Some(scales) => curves.curves(&source, scales, progress),
            None => curves.curve(&source, progress),
        };
        found.map_err(|error| no_curve(&name_of(self.path), error))
    }
}

/// The error of a file that has no curve: the file, the reason, and options that help.
pub(crate) fn no_curve(file: &str, error: CurvesError) -> CliError {
    let option = match &error {
        // The errors of the reader and the backend are complete.
        CurvesError::Read(_)
        | CurvesError::Backend(_)
        | CurvesError::Checkpoint(_)
        | CurvesError::Interrupted(_) => return error.into(),
        CurvesError::Slabs(SlabError::Spill { directory, limit, error: source }) => {
            let what = format!(
                "{file}: {}: cannot keep rows that {limit} bytes of memory have no room for (--temp-dir, --memory): {source}",
                directory.display()
            );
            return CliError::from(error).saying(what);
        }
        CurvesError::Scales(
            ScalesError::Bins(BinsError::NoneFinite)
            | ScalesError::Device(DeviceError::Bins(BinsError::NoneFinite)),
        )
        | CurvesError::Device(DeviceError::Bins(BinsError::NoneFinite))
        | CurvesError::Slabs(SlabError::Bins(BinsError::NoneFinite) | SlabError::Range(_))
        | CurvesError::Range { .. } => " (--range)",
        CurvesError::Slabs(SlabError::Slabs { .. }) => " (--memory)",
        _ => "",
    };
    let message = format!("{}{option}", with_causes(format!("{file}: {error}"), error.source()));
    CliError::from(error).saying(message)
}
