//! Snapshots as files: replaced as a whole, and read as a whole.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};
use zerocopy::little_endian::{U64, U128};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::Facts;
use super::checkpoint::Fill;
use super::error::SnapshotError;
use super::record::{Reader, Writer};
use crate::memory::budget;

/// Magic bytes of a snapshot.
pub const MAGIC: [u8; 8] = *b"\x89LAC\r\n\x1a\n";
/// Version of the format that is written, and the only one that can be read.
pub const VERSION: u64 = 1;
/// Length of a header in bytes.
pub const HEADER_LENGTH: usize = size_of::<Header>();

/// Extension of a snapshot that is being written.
pub(super) const PART: &str = ".part";

/// Header of a snapshot: identifies the file, its length and its checksum.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Header {
    magic: [u8; 8],
    version: U64,
    /// Length of the payload in bytes.
    length: U64,
    checksum: U128,
    /// Checksum of the other fields.
    own: U64,
}

impl Header {
    pub(super) fn new(length: u64, checksum: u128) -> Self {
        let (version, length, checksum) = (VERSION.into(), length.into(), checksum.into());
        let header = Header { magic: MAGIC, version, length, checksum, own: U64::ZERO };
        Header { own: header.sum().into(), ..header }
    }

    fn sum(&self) -> u64 {
        xxh3_64(&self.as_bytes()[..HEADER_LENGTH - size_of::<U64>()])
    }

    /// Parses the first bytes of a file.
    fn read(path: &Path, bytes: &[u8]) -> Result<Self, SnapshotError> {
        let magic = &bytes[..bytes.len().min(MAGIC.len())];
        if !MAGIC.starts_with(magic) || magic.is_empty() {
            let expected = format!("a snapshot of Lacuna, which begins with {MAGIC:02x?}");
            return Err(SnapshotError::content(path, "byte 0".to_owned(), expected, format!("{magic:02x?}")));
        }
        let header = Header::read_from_prefix(bytes);
        let (header, _) = header.map_err(|_| wrong_length(path, HEADER_LENGTH as u64, bytes.len() as u64))?;
        let (version, expected, found) = (header.version.get(), header.own.get(), header.sum());
        // A later version may use another checksum for its header.
        if version > VERSION || expected == found && version != VERSION {
            let found = format!("{version}; another version of lacuna wrote it");
            let expected = format!("version {VERSION}");
            return Err(SnapshotError::content(path, "byte 8".to_owned(), expected, found));
        }
        if expected != found {
            return Err(damaged(path, 0..HEADER_LENGTH - size_of::<U64>(), expected.into(), found.into()));
        }
        Ok(header)
    }
}

fn wrong_length(path: &Path, expected: u64, found: u64) -> SnapshotError {
    let is = if found < expected { "cut" } else { "too long" };
    let (expected, found) = (format!("{expected} bytes"), format!("{found}; the file is {is}"));
    SnapshotError::content(path, "length".to_owned(), expected, found)
}

fn damaged(path: &Path, bytes: std::ops::Range<usize>, expected: u128, found: u128) -> SnapshotError {
    let place = format!("bytes {} to {}", bytes.start, bytes.end - 1);
    let found = format!("{found:x}; the file is damaged");
    SnapshotError::content(path, place, format!("the checksum {expected:x}"), found)
}

/// Writes a snapshot to `path`, replacing what is there, and returns its length in bytes. It is written to a file
/// beside it with the additional extension `.part`, which is renamed to `path` once it is on the disk.
///
/// The name of that file can be guessed, and others may be able to write to the directory. Therefore the file is always
/// created anew, never opened through an existing link, and only its owner may read it.
///
/// # Errors
/// [`SnapshotError::System`]. What was at `path` then stays, and the file beside it is removed.
pub fn write(path: &Path, kind: &str, facts: &Facts, fill: Fill<'_>) -> Result<u64, SnapshotError> {
    let mut part = OsString::from(path);
    part.push(PART);
    let part = PathBuf::from(part);
    let written = write_part(&part, kind, facts, fill).and_then(|bytes| {
        fs::rename(&part, path)?;
        sync_directory(path.parent())?;
        Ok(bytes)
    });
    written.map_err(|error| {
        // A file that cannot be removed is removed by the next run on this directory.
        let _ = fs::remove_file(&part);
        SnapshotError::system(path, "write the snapshot", &error)
    })
}

fn write_part(part: &Path, kind: &str, facts: &Facts, fill: Fill<'_>) -> io::Result<u64> {
    let mut file = new_file(part)?;
    file.write_all(&[0; HEADER_LENGTH])?;
    let header = put(&mut file, kind, facts, fill)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(header.as_bytes())?;
    file.sync_all()?;
    Ok(header.length.get() + HEADER_LENGTH as u64)
}

/// Creates a file that belongs to this run. What a killed run left under this name is removed; for a link, the link but
/// not its target.
fn new_file(path: &Path) -> io::Result<File> {
    if let Err(error) = fs::remove_file(path)
        && error.kind() != ErrorKind::NotFound
    {
        return Err(error);
    }
    owned().write(true).create_new(true).open(path)
}

/// Options to open or create a file that only its owner may read.
pub(super) fn owned() -> OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has modes of files"))]
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Writes a payload.
fn put(out: &mut dyn Write, kind: &str, facts: &Facts, fill: Fill<'_>) -> io::Result<Header> {
    let mut writer = Writer::new(out);
    writer.record(&(kind, facts))?;
    fill(&mut writer)?;
    let (length, checksum) = writer.finish()?;
    Ok(Header::new(length, checksum))
}

/// Flushes the names of a directory's files to the disk, so that a renamed file survives a power failure. File systems
/// without this operation, such as some network ones, are ignored.
///
/// # Errors
/// Those of the system.
pub fn sync_directory(directory: Option<&Path>) -> io::Result<()> {
    let directory = directory.filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !cfg!(unix) {
        return Ok(());
    }
    match File::open(directory)?.sync_all() {
        // EINVAL and ENOTSUP.
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
        synced => synced,
    }
}

/// A complete and valid snapshot.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Snapshot {
    /// Path from which it was read.
    pub path: PathBuf,
    /// Bytes of the whole file.
    pub bytes: Vec<u8>,
    /// Checksum of the payload.
    pub checksum: u128,
    /// Kind of the content.
    pub kind: String,
    /// Description of the content in words.
    pub facts: Facts,
}

/// Reads the snapshot at `path`.
///
/// # Errors
/// [`SnapshotError`] if the file cannot be read, or is not a complete snapshot of this version.
pub fn read(path: &Path) -> Result<Snapshot, SnapshotError> {
    let failed = |error: &io::Error| SnapshotError::system(path, "read the snapshot", error);
    let file = File::open(path).map_err(|error| failed(&error))?;
    let mut bytes = Vec::new();
    // The header is checked first: a file that is not a snapshot may be of any length.
    (&file).take(HEADER_LENGTH as u64).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
    let header = Header::read(path, &bytes)?;
    let found = file.metadata().map_err(|error| failed(&error))?.len();
    let expected = header.length.get().saturating_add(HEADER_LENGTH as u64);
    if found != expected {
        return Err(wrong_length(path, expected, found));
    }
    let room = usize::try_from(header.length.get()).unwrap_or(usize::MAX);
    let room = budget::asking(|| bytes.try_reserve_exact(room));
    room.map_err(|_| failed(&io::ErrorKind::OutOfMemory.into()))?;
    (&file).take(header.length.get()).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
    Snapshot::whole(path.to_path_buf(), bytes)
}

impl Snapshot {
    /// Makes a snapshot in memory, filled by `fill`.
    ///
    /// # Errors
    /// Those of `fill`.
    pub fn of(name: &str, kind: &str, facts: &Facts, fill: Fill<'_>) -> Result<Self, SnapshotError> {
        let path = PathBuf::from(name);
        let mut bytes = vec![0; HEADER_LENGTH];
        let header = put(&mut bytes, kind, facts, fill);
        let header = header.map_err(|error| SnapshotError::system(&path, "fill the snapshot", &error))?;
        bytes[..HEADER_LENGTH].copy_from_slice(header.as_bytes());
        Snapshot::whole(path, bytes)
    }

    /// Makes a snapshot from the bytes of a file, which errors call `path`.
    ///
    /// # Errors
    /// [`SnapshotError`] if they are not a complete snapshot of this version.
    pub fn whole(path: PathBuf, bytes: Vec<u8>) -> Result<Self, SnapshotError> {
        let header = Header::read(&path, &bytes)?;
        let payload = &bytes[HEADER_LENGTH..];
        if payload.len() as u64 != header.length.get() {
            let expected = header.length.get().saturating_add(HEADER_LENGTH as u64);
            return Err(wrong_length(&path, expected, bytes.len() as u64));
        }
        let (expected, found) = (header.checksum.get(), xxh3_128(payload));
        if expected != found {
            return Err(damaged(&path, HEADER_LENGTH..bytes.len(), expected, found));
        }
        let (kind, facts) = Reader::new(&path, &bytes).record("description")?;
        Ok(Snapshot { path, bytes, checksum: expected, kind, facts })
    }

    /// Reader for the payload after the description, of a snapshot that must be of the kind `expected`.
    ///
    /// # Errors
    /// [`SnapshotError::Content`].
    pub fn payload_of(&self, expected: &str) -> Result<Reader<'_>, SnapshotError> {
        let mut reader = Reader::new(&self.path, &self.bytes);
        let (found, _): (&str, Facts) = reader.record("description")?;
        if found == expected {
            return Ok(reader);
        }
        Err(reader.unexpected("kind", expected, found))
    }
}
