//! Sources of bytes that several threads can read.

use std::io;

/// Bytes that several threads can read at any offset at the same time: a slice or an open file.
///
/// A file is read and not mapped: so memory does not hold the bytes in addition to their parsed form, and a file that
/// shrinks meanwhile is an error instead of a crash. A source without a length or without offsets, such as a pipe,
/// has to be read into memory first.
pub trait Source: Sync {
    /// Number of bytes.
    ///
    /// # Errors
    /// An error of the system.
    fn size(&self) -> io::Result<u64>;

    /// Fills the buffer with the bytes from `offset` on. A reader may hold a lock meanwhile, so this must not wait for
    /// work on rayon's pool.
    ///
    /// # Errors
    /// There are fewer bytes, or the system reports an error.
    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
}

impl<S: Source + ?Sized> Source for &S {
    fn size(&self) -> io::Result<u64> {
        (**self).size()
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        (**self).read_exact_at(offset, buffer)
    }
}

impl Source for [u8] {
    fn size(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.get(offset..));
        let bytes = rest.and_then(|rest| rest.get(..buffer.len())).ok_or(io::ErrorKind::UnexpectedEof)?;
        buffer.copy_from_slice(bytes);
        Ok(())
    }
}

impl Source for Vec<u8> {
    fn size(&self) -> io::Result<u64> {
        self.as_slice().size()
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.as_slice().read_exact_at(offset, buffer)
    }
}

/// Only for systems that can read at an offset without moving the file's position; elsewhere a file is read into
/// memory first.
#[cfg(unix)]
impl Source for std::fs::File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, buffer, offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &(impl Source + ?Sized), offset: u64, count: usize) -> io::Result<Vec<u8>> {
        let mut buffer = vec![0; count];
        source.read_exact_at(offset, &mut buffer).map(|()| buffer)
    }

    #[test]
    fn places_and_ends() {
        let bytes = *b"abc";
        assert_eq!(bytes[..].size().unwrap(), 3);
        assert_eq!(read(&bytes[..], 1, 2).unwrap(), b"bc");
        assert_eq!(read(&bytes[..], 3, 0).unwrap(), b"");
        for (offset, count) in [(2, 2), (4, 0), (u64::MAX, 1)] {
            let error = read(&bytes[..], offset, count).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_read_at_any_place() {
        use std::io::Write;
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"abcdef").unwrap();
        assert_eq!(file.size().unwrap(), 6);
        assert_eq!(read(&file, 4, 2).unwrap(), b"ef");
        assert_eq!(read(&file, 0, 3).unwrap(), b"abc");
        file.set_len(4).unwrap();
        assert_eq!(read(&file, 2, 3).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
