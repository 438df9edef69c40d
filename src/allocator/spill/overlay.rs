//! Finds the upper directory of an overlay file system.
//!
//! An overlay lays a directory over others. Writes go to that *upper* directory, on a file system of its own, which may
//! be in memory. The system describes only the overlay, but the list of mounts names the upper directory. In most
//! containers it cannot be reached from within; then it is assumed to be on disk.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The upper directory of the overlay on which a directory lies, if it can be reached.
pub(super) fn upper(directory: &Path) -> io::Result<Option<File>> {
    let device = fs::metadata(directory)?.dev();
    let device = format!("{}:{}", libc::major(device), libc::minor(device));
    let Ok(mounts) = fs::read("/proc/self/mountinfo") else { return Ok(None) };
    let upper = mounts.split(|&byte| byte == b'\n').find_map(|mount| upper_of(mount, device.as_bytes()));
    // The path was written by another process, so only an absolute one is usable.
    Ok(upper.filter(|path| path.is_absolute()).and_then(|path| File::open(path).ok()))
}

/// The upper directory of a mount, if it is an overlay with this device number. A line of the list has the mount's
/// number, its parent's, the device number and more; after a hyphen follow the type, source and options of the file
/// system.
fn upper_of(mount: &[u8], device: &[u8]) -> Option<PathBuf> {
    let mut words = mount.split(|&byte| byte == b' ');
    let found = words.nth(2)?;
    words.find(|word| *word == b"-")?;
    if found != device || words.next()? != b"overlay" {
        return None;
    }
    let options = words.nth(1)?.split(|&byte| byte == b',');
    let upper = options.into_iter().find_map(|option| option.strip_prefix(b"upperdir="))?;
    Some(PathBuf::from(OsString::from_vec(plain(upper))))
}

/// Decodes a word in which blanks, commas and backslashes are written in octal, as in `\040`.
fn plain(mut word: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(word.len());
    while let [first, rest @ ..] = word {
        let octal = rest.get(..3).filter(|_| *first == b'\\').and_then(|digits| str::from_utf8(digits).ok());
        match octal.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                plain.push(byte);
                word = &rest[3..];
            }
            None => {
                plain.push(*first);
                word = rest;
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlays_are_found_by_their_device() {
        let line = br"66 63 0:40 / /tmp/over rw,relatime shared:1 master:2 - overlay overlay rw,lowerdir=/a:/b,upperdir=/my\040own\054dir,workdir=/w";
        assert_eq!(upper_of(line, b"0:40"), Some(PathBuf::from("/my own,dir")));
        assert_eq!(upper_of(line, b"0:41"), None);
        let read_only = b"66 63 0:40 / / ro - overlay overlay ro,lowerdir=/a:/b";
        assert_eq!(upper_of(read_only, b"0:40"), None);
        let other = b"36 35 98:0 / /mnt rw,noatime - ext4 /dev/root rw,upperdir=/a";
        assert_eq!(upper_of(other, b"98:0"), None);
        assert_eq!(upper_of(b"", b"0:40"), None);
    }

    #[test]
    fn escapes_that_are_none_stay() {
        assert_eq!(plain(br"a\134b\9\77"), br"a\b\9\77");
    }
}
