//! Reads the Euler characteristic curves of image files for `lacuna ecc`, and explains why a file has none.

use std::error::Error;
use std::fmt;
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
    ) -> Result<CurvesFound, CurveFileError> {
        // A pipe can be read only once: to open it again would block for ever.
        let is_read_once =
            self.path == Path::new("-") || fs::metadata(self.path).is_ok_and(|found| !found.is_file());
        let open = || read::open(self.path, self.options);
        let source = CurveSource::new(&open, is_read_once);
        let found = match scales {
            Some(scales) => curves.curves(&source, scales, progress),
            None => curves.curve(&source, progress),
        };
        found.map_err(|error| CurveFileError { file: name_of(self.path), error })
    }
}

/// Why a file has no curve: the file, the reason, and options that help.
#[derive(Debug)]
pub(crate) struct CurveFileError {
    pub(crate) file: String,
    pub(crate) error: CurvesError,
}

impl fmt::Display for CurveFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CurveFileError { file, error } = self;
        match error {
            // The errors of the reader and the backend are complete.
            CurvesError::Read(_)
            | CurvesError::Backend(_)
            | CurvesError::Checkpoint(_)
            | CurvesError::Interrupted(_) => write!(f, "{error}"),
            CurvesError::ReadOnce => write!(f, "{file}: {error}"),
            CurvesError::Range { .. } => write!(f, "{file}: {error} (--range)"),
            CurvesError::Device(DeviceError::Bins(source @ BinsError::NoneFinite)) => {
                write!(f, "{file}: {error}: {source} (--range)")
            }
            CurvesError::Scales(
                ScalesError::Bins(BinsError::NoneFinite)
                | ScalesError::Device(DeviceError::Bins(BinsError::NoneFinite)),
            )
            | CurvesError::Slabs(SlabError::Bins(BinsError::NoneFinite) | SlabError::Range(_)) => {
                write!(f, "{file}: {error} (--range)")
            }
            CurvesError::Device(_) | CurvesError::Check(_) => write!(f, "{file}: {error}"),
            CurvesError::Scales(_) => f.write_str(file),
            CurvesError::Slabs(SlabError::Slabs { .. }) => write!(f, "{file}: {error} (--memory)"),
            CurvesError::Slabs(SlabError::Spill { directory, limit, error }) => write!(
                f,
                "{file}: {}: cannot keep rows that {limit} bytes of memory have no room for (--temp-dir, --memory): {error}",
                directory.display()
            ),
            CurvesError::Slabs(error) => write!(f, "{file}: {error}"),
        }
    }
}

impl Error for CurveFileError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.error {
            CurvesError::Device(DeviceError::Bins(BinsError::NoneFinite)) => None,
            CurvesError::Scales(error) => Some(error),
            error => error.source(),
        }
    }
}
