//! The bytes of a file, in order: a file, a pipe, a slice, or what one of these holds compressed.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

use super::error::{Fault, Place, Problem};

/// The bytes at the beginning that are kept: they tell the format, and hold the headers that are read here.
const HEAD: usize = 16 << 10;

/// A file that is read from its beginning to its end.
pub(super) struct Bytes {
    /// The first bytes, at most [`HEAD`].
    head: Vec<u8>,
    /// All after them.
    rest: Box<dyn Read + Send>,
    /// How many have been read.
    at: u64,
    /// How many there are, where that is known before they are read.
    length: Option<u64>,
}

impl Bytes {
    /// Of the file at `path`, or of standard input when it is `-`.
    pub(super) fn open(path: &Path) -> io::Result<Bytes> {
        if path == Path::new("-") {
            return Bytes::new(Box::new(io::stdin()), None);
        }
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        let length = metadata.is_file().then_some(metadata.len());
        Bytes::new(Box::new(file), length)
    }

    /// Of a file in memory.
    pub(super) fn of(file: Vec<u8>) -> io::Result<Bytes> {
        let length = file.len() as u64;
        Bytes::new(Box::new(Cursor::new(file)), Some(length))
    }

    fn new(mut rest: Box<dyn Read + Send>, length: Option<u64>) -> io::Result<Bytes> {
        let mut head = Vec::with_capacity(HEAD);
        rest.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
        // What ends within its head is known to its end.
        let length = if head.len() < HEAD { Some(head.len() as u64) } else { length };
        Ok(Bytes { head, rest, at: 0, length })
    }

    /// The first bytes: 16 KiB, or all where there are fewer.
    pub(super) fn head(&self) -> &[u8] {
        &self.head
    }

    /// How many there are, where that is known.
    pub(super) fn length(&self) -> Option<u64> {
        self.length
    }

    /// How many have been read.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// Fills the front of the buffer, and says how many bytes that are; fewer than it holds only at the end of the file.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let held = usize::try_from(self.at).ok().and_then(|at| self.head.get(at..)).unwrap_or_default();
        let mut filled = held.len().min(buffer.len());
        buffer[..filled].copy_from_slice(&held[..filled]);
        while filled < buffer.len() {
            match self.rest.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.at += filled as u64;
        Ok(filled)
    }

    /// Passes over the bytes up to a place, or up to the end of the file where that comes first.
    pub(super) fn skip_to(&mut self, place: u64) -> io::Result<()> {
        let mut buffer = [0; 4096];
        while self.at < place {
            let wanted = usize::try_from(place - self.at).map_or(buffer.len(), |rest| rest.min(buffer.len()));
            if self.read(&mut buffer[..wanted])? == 0 {
                break;
            }
        }
        Ok(())
    }

    /// An error unless everything has been read.
    pub(super) fn end(&mut self) -> Result<(), Fault> {
        let place = Place::Byte(self.at);
        let more = match self.length {
            Some(length) => length.saturating_sub(self.at),
            None => self.read(&mut [0])? as u64,
        };
        match (more, self.length) {
            (0, _) => Ok(()),
            (more, Some(_)) => {
                Err(Problem::new(place, "the end of the file", format!("{more} more bytes")).into())
            }
            (_, None) => Err(Problem::new(place, "the end of the file", "more bytes").into()),
        }
    }
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
            assert!(bytes.end().is_ok());
        }
    }

    #[test]
    fn what_is_left_is_counted_where_it_can_be() {
        let message = |mut bytes: Bytes| match bytes.end().unwrap_err() {
            Fault::Content(problem) => problem.to_string(),
            Fault::System(error) => panic!("{error}"),
        };
        let mut bytes = Bytes::of(vec![0; 2 * HEAD]).unwrap();
        bytes.skip_to(HEAD as u64 + 5).unwrap();
        let expected =
            format!("byte {}: expected the end of the file, found {} more bytes", HEAD + 5, HEAD - 5);
        assert_eq!(message(bytes), expected);
        let pipe = Bytes::new(Box::new(Cursor::new(vec![0; 2 * HEAD])), None).unwrap();
        assert_eq!(message(pipe), "byte 0: expected the end of the file, found more bytes");
    }
}
