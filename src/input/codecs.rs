//! Decoders behind the feature `codecs`; without it, compressed files are rejected.

use super::{Place, Problem};
use std::io;

/// Whether this build has the feature.
const PRESENT: bool = cfg!(feature = "codecs");

/// Fails in a build without the feature, with an error that names it. `found` describes the file.
pub(crate) fn require(found: &str) -> Result<(), Problem<Place>> {
    match PRESENT {
        true => Ok(()),
        false => Err(Problem::new(Place::Whole, "a format that this build reads", found)
            .note("build lacuna with the feature codecs")),
    }
}

/// Decompresses a gzip stream of one or several members.
#[cfg(feature = "codecs")]
pub(crate) fn gzip<R: io::Read>(packed: R) -> io::Result<impl io::Read + use<R>> {
    Ok(flate2::read::MultiGzDecoder::new(packed))
}

/// Offset of the end of the valid gzip members at the beginning of `packed`, if anything else follows them.
#[cfg(feature = "codecs")]
pub(crate) fn end_of_members(packed: &[u8]) -> Option<usize> {
    let mut rest = packed;
    while rest.starts_with(super::gzip::MAGIC) {
        let mut member = flate2::bufread::GzDecoder::new(rest);
        io::copy(&mut member, &mut io::sink()).ok()?;
        rest = member.into_inner();
    }
    (!rest.is_empty()).then(|| packed.len() - rest.len())
}

/// Decompresses a deflate stream.
#[cfg(feature = "codecs")]
pub(crate) fn deflate<R: io::BufRead>(packed: R) -> io::Result<impl io::Read + use<R>> {
    Ok(flate2::bufread::DeflateDecoder::new(packed))
}

/// Stub of a build without the feature: always an error.
#[cfg(not(feature = "codecs"))]
pub(crate) fn gzip<R: io::Read>(_: R) -> io::Result<io::Empty> {
    Err(missing())
}

/// Stub of a build without the feature: always an error.
#[cfg(not(feature = "codecs"))]
pub(crate) fn deflate<R: io::BufRead>(_: R) -> io::Result<io::Empty> {
    Err(missing())
}

/// Stub of a build without the feature: finds no members.
#[cfg(not(feature = "codecs"))]
pub(crate) fn end_of_members(_: &[u8]) -> Option<usize> {
    None
}

/// The error for reading or writing a format that needs the feature.
#[cfg(not(feature = "codecs"))]
pub(crate) fn missing() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "this build of lacuna is without the feature codecs")
}

#[cfg(all(test, not(feature = "codecs")))]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_decoded_names_the_feature() {
        let error = require("a PNG image").unwrap_err().to_string();
        assert_eq!(
            error,
            "expected a format that this build reads, found a PNG image; build lacuna with the feature codecs"
        );
        let packed = super::super::gzip::unpacked(b"\x1f\x8b..").unwrap_err().to_string();
        assert!(packed.contains("feature codecs"), "{packed}");
    }
}
