//! The format of a file, from its content and name. The rules are the table in the parent module's docs.

use std::path::Path;

use super::error::{Place, Problem};
use super::{Format, Options, npy};

/// The format that is given, when it is; an error when what is given does not go together.
pub(super) fn given(options: &Options) -> Result<Option<Format>, Problem> {
    match (options.format, &options.raw) {
        (None | Some(Format::Raw), Some(_)) => Ok(Some(Format::Raw)),
        (Some(Format::Raw), None) => Err(no_shape()),
        (Some(format), Some(_)) => {
            let found = format!("them with format {format}, whose files say so themselves");
            Err(Problem::new(Place::Whole, "shape and type of voxels only with format raw", found))
        }
        (format, None) => Ok(format),
    }
}

/// The error that only shape and type make sense of a file without a header.
pub(super) fn no_shape() -> Problem {
    Problem::new(
        Place::Whole,
        "shape and type of the voxels, which a file without a header does not say",
        "none",
    )
}

/// The format of the file called `name` that begins with `head`, and why.
pub(super) fn detect(name: &str, head: &[u8]) -> Result<(Format, String), Problem> {
    if head.is_empty() {
        return Err(Problem::new(Place::Whole, "an image", "an empty file"));
    }
    if head.starts_with(npy::MAGIC) {
        return Ok((Format::Npy, "begins with NumPy's magic bytes".to_owned()));
    }
    let extension = Path::new(name).extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    match extension.as_deref() {
        Some("npy") => Ok((Format::Npy, "the name ends in .npy".to_owned())),
        _ => {
            let problem = Problem::new(Place::Byte(0), "the beginning of an image file", "other data");
            Err(problem.note(format!("--format can be {}", Format::names())))
        }
    }
}
