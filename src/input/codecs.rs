//! The decoders behind the feature `codecs`, and the refusal of what they decode where the feature is left out.

use super::{Place, Problem};
use std::io;

/// Whether this build has the feature.
const PRESENT: bool = cfg!(feature = "codecs");

/// An error that names the feature, in a build without it. `found` says what the file is.
pub(crate) fn require(found: &str) -> Result<(), Problem<Place>> {
    match PRESENT {
        true => Ok(()),
        false => Err(Problem::new(Place::Whole, "a format that this build reads", found)
            .note("build lacuna with the feature codecs")),
    }
}

/// The content of what `packed` holds compressed with gzip, one member after the other.
#[cfg(feature = "codecs")]
pub(crate) fn gzip<R: io::Read>(packed: R) -> io::Result<impl io::Read + use<R>> {
    Ok(flate2::read::MultiGzDecoder::new(packed))
}

/// Where the sound gzip members at the beginning of `packed` end, if anything else follows them.
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

/// The content of what `packed` holds deflated.
#[cfg(feature = "codecs")]
pub(crate) fn deflate<R: io::BufRead>(packed: R) -> io::Result<impl io::Read + use<R>> {
    Ok(flate2::bufread::DeflateDecoder::new(packed))
}

/// Without the feature nothing is decoded.
#[cfg(not(feature = "codecs"))]
pub(crate) fn gzip<R: io::Read>(_: R) -> io::Result<io::Empty> {
    Err(missing())
}

/// Without the feature nothing is decoded.
#[cfg(not(feature = "codecs"))]
pub(crate) fn deflate<R: io::BufRead>(_: R) -> io::Result<io::Empty> {
    Err(missing())
}

/// Without the feature nothing is decoded.
#[cfg(not(feature = "codecs"))]
pub(crate) fn end_of_members(_: &[u8]) -> Option<usize> {
    None
}

/// What is wrong with writing or reading a format that needs the feature.
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
