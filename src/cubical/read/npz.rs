//! `npz`: an array, the only one or one selected by name, of an archive of `numpy.savez` or `numpy.savez_compressed`.

use super::bytes::Bytes;
use super::error::{Fault, ImageProblem, some};
use super::options::ImageOptions;
use super::stream::Stream;
use crate::input::npz::Archive;

pub(super) use crate::input::npz::MAGIC;

pub(super) fn open(bytes: Bytes, options: &ImageOptions) -> Result<Stream, Fault> {
    let file = bytes.into_vec()?;
    let array = array(&file, options.key.as_deref())?;
    super::npy::open(Bytes::of(array)?, options)
}

fn array(file: &[u8], key: Option<&str>) -> Result<Vec<u8>, ImageProblem> {
    let archive = Archive::open(file)?;
    let (names, count) = (some(archive.names()), archive.names().count());
    match key {
        Some(key) if archive.contains(key) => Ok(archive.read(key)?),
        Some(key) => Err(ImageProblem::whole(format!("an array called {key:?}"), names)),
        None if count > 1 => {
            let problem = ImageProblem::whole("an archive of one array", format!("{count}: {names}"));
            Err(problem.note("--key NAME takes one of them"))
        }
        None => Ok(archive.single()?),
    }
}
