//! Numbers that stay in their file: pages of it are read when they are looked at, and given up when the system needs
//! their memory.
#![allow(unsafe_code)]

use std::fs::File;
use std::io::{self, ErrorKind};
use std::marker::PhantomData;

use memmap2::{Mmap, MmapOptions};
use zerocopy::{FromBytes, Immutable};

/// Numbers of one type that lie in a file one after the other, as they would in memory.
///
/// If the file becomes shorter, the system ends the process with `SIGBUS` when a page is missing.
#[derive(Debug)]
pub(crate) struct Mapped<T> {
    bytes: Mmap,
    numbers: PhantomData<T>,
}

impl<T: FromBytes + Immutable> Mapped<T> {
    /// The `count` numbers of a file from byte `start` on.
    ///
    /// # Errors
    /// The file is shorter; its numbers are not aligned; the system cannot map it.
    pub(crate) fn new(file: &File, start: u64, count: usize) -> io::Result<Self> {
        let length = count.checked_mul(size_of::<T>()).ok_or(ErrorKind::FileTooLarge)?;
        if file.metadata()?.len() < start.saturating_add(length as u64) {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        // SAFETY: any bytes are numbers of these types, so that a file which another program writes meanwhile has
        // other numbers, but no invalid ones. Users are told that input files must not change.
        let bytes = unsafe { MmapOptions::new().offset(start).len(length).map(file) }?;
        <[T]>::ref_from_bytes(&bytes).map_err(|_| ErrorKind::InvalidInput)?;
        Ok(Mapped { bytes, numbers: PhantomData })
    }
}

impl<T: FromBytes + Immutable> AsRef<[T]> for Mapped<T> {
    fn as_ref(&self) -> &[T] {
        <[T]>::ref_from_bytes(&self.bytes).expect("checked when the file was mapped")
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn numbers_are_those_of_the_file() {
        let mut file = tempfile::tempfile().unwrap();
        let bytes: Vec<u8> = (0..100).collect();
        file.write_all(&bytes).unwrap();
        let words = Mapped::<u16>::new(&file, 6, 47).unwrap();
        assert_eq!(words.as_ref()[1], u16::from_ne_bytes([8, 9]));
        assert_eq!(words.as_ref().len(), 47);
        let error = |start, count| Mapped::<u16>::new(&file, start, count).unwrap_err().kind();
        assert_eq!(error(5, 1), ErrorKind::InvalidInput);
        assert_eq!(error(6, 48), ErrorKind::UnexpectedEof);
        assert_eq!(error(0, usize::MAX), ErrorKind::FileTooLarge);
    }
}
