//! The bytes of a file, a pipe or a slice, in order, decompressed if needed.

use std::fs::{self, File};
#[cfg(feature = "codecs")]
use std::io::BufRead;
use std::io::{self, BufReader, Chain, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::read::MultiGzDecoder;

use super::error::{Fault, ImageProblem, Place};
use crate::input::source;

/// Number of bytes kept from the beginning of a file. They determine the format, and contain the header.
const HEAD: usize = 16 << 10;

/// Greatest length of a header of text. Segmentations list their segments there.
const LONGEST_HEADER: usize = 4 << 20;

/// A file that is read from beginning to end.
pub(super) struct Bytes {
    /// The first bytes: [`HEAD`] or fewer, unless a header of text goes on after them.
    head: Vec<u8>,
    /// The bytes after the head.
    rest: Box<dyn Read + Send>,
    /// Number of bytes that have been read.
    at: u64,
    /// Length of the file, if it is known before the file is read.
    length: Option<u64>,
    /// The file, if it is a regular file and not compressed.
    file: Option<Arc<File>>,
    /// Path of the file, if it is a regular file, perhaps a compressed one.
    path: Option<PathBuf>,
    /// How the bytes were compressed, if they are decompressed, so that an error of reading may be one of the content.
    packing: Option<&'static str>,
}

/// A reader that can seek.
#[cfg(feature = "codecs")]
pub(super) trait Seekable: BufRead + Seek + Send {}

#[cfg(feature = "codecs")]
impl<R: BufRead + Seek + Send> Seekable for R {}

impl Bytes {
    /// The bytes of the file at `path`, or of standard input if the path is `-`.
    pub(super) fn open(path: &Path) -> Result<Bytes, Fault> {
        if path == Path::new("-") {
            return Bytes::new(Box::new(io::stdin()), None, None);
        }
        Bytes::of_file(path, File::open(path)?)
    }

    /// The bytes of an open file.
    fn of_file(path: &Path, file: File) -> Result<Bytes, Fault> {
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Bytes::new(Box::new(BufReader::new(file)), None, None);
        }
        let bytes = Bytes::new(Box::new(file.try_clone()?), Some(metadata.len()), None)?;
        Ok(Bytes { file: Some(Arc::new(file)), path: Some(path.to_owned()), ..bytes })
    }

    /// The bytes of a file in memory.
    pub(super) fn of(file: Vec<u8>) -> Result<Bytes, Fault> {
        let length = file.len() as u64;
        Bytes::new(Box::new(Cursor::new(file)), Some(length), None)
    }

    pub(super) fn new(
        rest: Box<dyn Read + Send>,
        length: Option<u64>,
        packing: Option<&'static str>,
    ) -> Result<Bytes, Fault> {
        let mut bytes = Bytes { head: Vec::new(), rest, at: 0, length, file: None, path: None, packing };
        let mut head = vec![0; HEAD];
        let held = bytes.read(&mut head)?;
        head.truncate(held);
        // The length of a file that ends within its head is known.
        let length = if held < HEAD { Some(held as u64) } else { length };
        Ok(Bytes { head, at: 0, length, ..bytes })
    }

    /// The decompressed content of a gzip file from which nothing has been read.
    pub(super) fn unpack(self) -> Result<Bytes, Fault> {
        let path = self.path.clone();
        let packed = BufReader::with_capacity(HEAD, self.into_reader());
        Ok(Bytes { path, ..Bytes::new(Box::new(MultiGzDecoder::new(packed)), None, Some("gzip"))? })
    }

    /// Path of the file, if it is a regular file, perhaps a compressed one.
    pub(super) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The folder of the file, where files are that it names.
    pub(super) fn folder(&self) -> Folder {
        Folder(self.path().and_then(Path::parent).map(Path::to_owned))
    }

    /// The header of text with which the file begins, and its length: up to the offset that `end` finds in the bytes it
    /// is given, or the whole file if there is none.
    pub(super) fn header(&mut self, end: &dyn Fn(&[u8]) -> Option<usize>) -> Result<(String, u64), Fault> {
        loop {
            let held = self.head.len();
            let found = end(&self.head).or_else(|| (self.length == Some(held as u64)).then_some(held));
            if let Some(end) = found {
                let text = String::from_utf8_lossy(&self.head[..end]).into_owned();
                return Ok((text, end as u64));
            }
            if held >= LONGEST_HEADER {
                return Err(Fault::of(format!("the end of a header within {LONGEST_HEADER} bytes"), "none"));
            }
            let mut more = vec![0; held];
            self.at = held as u64;
            let count = self.read(&mut more)?;
            self.head.extend_from_slice(&more[..count]);
            self.at = 0;
            if count < held {
                self.length = Some(self.head.len() as u64);
            }
        }
    }

    /// Skips lines up to the end of the file.
    pub(super) fn skip_lines(&mut self, lines: u64) -> Result<(), Fault> {
        // Only in a regular file can what was read after the last line be read again.
        let mut block = vec![0; if self.file.is_some() { HEAD } else { 1 }];
        let mut left = lines;
        while left > 0 {
            let start = self.at;
            let count = self.read(&mut block)?;
            if count == 0 {
                break;
            }
            for place in memchr::memchr_iter(b'\n', &block[..count]) {
                left -= 1;
                if left == 0 {
                    self.at = start + place as u64 + 1;
                    return self.skip_to(self.at);
                }
            }
        }
        Ok(())
    }

    /// The first 16 KiB, or all bytes if there are fewer.
    pub(super) fn head(&self) -> &[u8] {
        &self.head
    }

    /// Length of the file, if it is known.
    pub(super) fn length(&self) -> Option<u64> {
        self.length
    }

    /// Number of bytes that have been read.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// The file, if it can be read at any offset.
    pub(super) fn file(&self) -> Option<&Arc<File>> {
        self.file.as_ref()
    }

    /// All bytes that have not been read.
    pub(super) fn into_reader(self) -> Chain<Cursor<Vec<u8>>, Box<dyn Read + Send>> {
        let mut head = Cursor::new(self.head);
        head.set_position(self.at);
        head.chain(self.rest)
    }

    /// All bytes that have not been read, in memory.
    pub(super) fn into_vec(self) -> Result<Vec<u8>, Fault> {
        let left = self.length.map_or(0, |length| length.saturating_sub(self.at));
        let left = usize::try_from(left).unwrap_or(usize::MAX);
        let packing = self.packing;
        let all = source::all_of(&mut self.into_reader(), left);
        all.map_err(|error| fault(packing, Place::Whole, error))
    }

    /// The whole file as a reader that can seek, and its length. A pipe or a compressed file is read into memory first.
    #[cfg(feature = "codecs")]
    pub(super) fn into_seekable(self) -> Result<(Box<dyn Seekable>, u64), Fault> {
        match (self.file, self.length) {
            (Some(file), Some(length)) => {
                let mut file = file.try_clone()?;
                file.rewind()?;
                Ok((Box::new(BufReader::new(file)), length))
            }
            (file, length) => {
                let all = Bytes { file, length, ..self }.into_vec()?;
                let length = all.len() as u64;
                Ok((Box::new(Cursor::new(all)), length))
            }
        }
    }

    /// Fills the front of the buffer and returns the number of bytes, which is less than its length only at the end of
    /// the file.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Fault> {
        let held = usize::try_from(self.at).ok().and_then(|at| self.head.get(at..)).unwrap_or_default();
        let mut filled = held.len().min(buffer.len());
        buffer[..filled].copy_from_slice(&held[..filled]);
        while filled < buffer.len() {
            match self.rest.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let place = Place::Byte(self.at as usize + filled);
                    return Err(fault(self.packing, place, error));
                }
            }
        }
        self.at += filled as u64;
        Ok(filled)
    }

    /// Skips the bytes up to an offset or the end of the file. Those of a regular file are not read.
    pub(super) fn skip_to(&mut self, place: u64) -> Result<(), Fault> {
        if let (Some(file), Some(length)) = (&self.file, self.length) {
            // The file and the reader of the rest share their position; bytes of the head are taken from the head.
            let place = place.min(length).max(self.at);
            (&**file).seek(SeekFrom::Start(place.max(self.head.len() as u64)))?;
            self.at = place;
            return Ok(());
        }
        let mut buffer = [0; 4096];
        while self.at < place {
            let wanted = usize::try_from(place - self.at).map_or(buffer.len(), |rest| rest.min(buffer.len()));
            if self.read(&mut buffer[..wanted])? == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Checks that nothing is left but what `tail` allows.
    pub(super) fn end(&mut self, tail: Tail) -> Result<(), Fault> {
        let mut byte = [0];
        loop {
            let place = self.at;
            let is_at_end = self.length.is_some_and(|length| length <= place);
            if matches!(tail, Tail::Anything { .. }) || is_at_end || self.read(&mut byte)? == 0 {
                return Ok(());
            }
            if tail == Tail::Nothing || !byte[0].is_ascii_whitespace() {
                let found = match self.length {
                    Some(length) => format!("{} more bytes", length - place),
                    None => "more bytes".to_owned(),
                };
                return Err(ImageProblem::at(place, "the end of the file", found).into());
            }
        }
    }
}

/// Opens a regular file, and returns its length. To open a pipe could block for ever, and a device may never end.
pub(super) fn regular(path: &Path) -> io::Result<(File, u64)> {
    match fs::metadata(path)? {
        found if found.is_file() => Ok((File::open(path)?, found.len())),
        _ => Err(io::Error::other("no regular file")),
    }
}

/// The folder of a file that names others; `None` if it is not known, as of a pipe.
#[derive(Debug, Clone)]
pub(super) struct Folder(Option<PathBuf>);

impl Folder {
    /// The paths of files in the folder; none if the folder is not known.
    pub(super) fn paths(&self, names: &[String]) -> Vec<PathBuf> {
        self.0.iter().flat_map(|folder| names.iter().map(|name| folder.join(name))).collect()
    }

    /// Opens a file by a name that a header states, which is relative to the folder.
    pub(super) fn open(&self, name: &str) -> Result<Bytes, Fault> {
        let expected = || format!("the file {name:?}, which the header names");
        let Some(folder) = &self.0 else {
            let found = "a header that does not come from a file, so that it is in no folder";
            return Err(Fault::of(expected(), found));
        };
        let path = folder.join(name);
        match regular(&path).map_err(Fault::from).and_then(|(file, _)| Bytes::of_file(&path, file)) {
            Err(Fault::System(error)) if error.kind() != io::ErrorKind::OutOfMemory => {
                Err(Fault::of(expected(), error))
            }
            opened => opened,
        }
    }
}

/// Bytes that may follow the last voxel in a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Tail {
    /// Nothing.
    Nothing,
    /// Blanks.
    Blanks,
    /// Any bytes, such as other frames or channels, in a file of `whole` bytes.
    Anything { whole: u64 },
}

/// The fault for an error of reading; for bytes decompressed from a packing it may be one of the content.
fn fault(packing: Option<&str>, place: Place, error: io::Error) -> Fault {
    let kinds = [io::ErrorKind::InvalidInput, io::ErrorKind::InvalidData, io::ErrorKind::UnexpectedEof];
    let Some(packing) = packing.filter(|_| kinds.contains(&error.kind())) else {
        return error.into();
    };
    let found = format!("its data broken: {error}");
    ImageProblem::new(place, format!("more of a file compressed with {packing}"), found).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_and_rest_are_one_file() {
        for length in [0, 1, HEAD - 1, HEAD, HEAD + 1, 3 * HEAD] {
            let file: Vec<u8> = (0..length).map(|k| (k % 251) as u8).collect();
            let mut bytes = Bytes::of(file.clone()).unwrap();
            assert_eq!((bytes.head(), bytes.length()), (&file[..length.min(HEAD)], Some(length as u64)));
            let mut buffer = vec![0; length + 7];
            let first = bytes.read(&mut buffer[..length / 3]).unwrap();
            assert_eq!((first, bytes.at()), (length / 3, length as u64 / 3));
            let rest = bytes.read(&mut buffer[first..]).unwrap();
            assert_eq!((first + rest, &buffer[..length]), (length, &file[..]));
            assert!(bytes.end(Tail::Nothing).is_ok());
            let mut all = Vec::new();
            let mut bytes = Bytes::of(file.clone()).unwrap();
            bytes.skip_to(5).unwrap();
            bytes.into_reader().read_to_end(&mut all).unwrap();
            assert_eq!(all, file[length.min(5)..]);
        }
    }

    #[test]
    fn what_is_left_is_counted_where_it_can_be() {
        let message = |mut bytes: Bytes| match bytes.end(Tail::Nothing).unwrap_err() {
            Fault::Content(problem) => problem.to_string(),
            Fault::System(error) => panic!("{error}"),
        };
        let mut bytes = Bytes::of(vec![0; 2 * HEAD]).unwrap();
        bytes.skip_to(HEAD as u64 + 5).unwrap();
        let expected =
            format!("byte {}: expected the end of the file, found {} more bytes", HEAD + 5, HEAD - 5);
        assert_eq!(message(bytes), expected);
        let pipe = Bytes::new(Box::new(Cursor::new(vec![0; 2 * HEAD])), None, None).unwrap();
        assert_eq!(message(pipe), "byte 0: expected the end of the file, found more bytes");
    }
}
