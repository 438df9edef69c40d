//! The refusal of images that the feature `codecs` decodes, in a build without it.

use super::Problem;
use std::io;

/// The problem of a file that a build without the feature does not read. `found` describes the file.
pub(crate) fn unreadable(found: &str) -> Problem {
    Problem::whole("a format that this build reads", found).note("build lacuna with the feature codecs")
}

/// The error for writing a format that needs the feature.
pub(crate) fn missing() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "this build of lacuna is without the feature codecs")
}
