//! Snapshots as files: replaced as a whole, and read as a whole.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_128;

use super::checkpoint::Fill;
use super::error::SnapshotError;
use super::header::{HEADER_LENGTH, Header, Kind};
use super::reader::Reader;
use super::writer::Writer;
use super::{Facts, VERSION};
use crate::memory::budget;

/// Extension of a snapshot that is being written.
pub(super) const PART: &str = ".part";

/// Size of the write buffer in bytes.
const BUFFER: usize = 1 << 18;

/// Writes a snapshot to `path`, replacing what is there, and returns its length in bytes. It is written to a file
/// beside it with the additional extension `.part`, which is renamed to `path` once it is on the disk.
///
/// The name of that file can be guessed, and others may be able to write to the directory. Therefore the file is always
/// created anew, never opened through an existing link, and only its owner may read it.
///
/// # Errors
/// [`SnapshotError::System`]. What was at `path` then stays, and the file beside it is removed.
pub fn write(path: &Path, kind: Kind, facts: &Facts, fill: Fill<'_>) -> Result<u64, SnapshotError> {
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

fn write_part(part: &Path, kind: Kind, facts: &Facts, fill: Fill<'_>) -> io::Result<u64> {
    let mut out = BufWriter::with_capacity(BUFFER, new_file(part)?);
    out.write_all(&[0; HEADER_LENGTH])?;
    let header = put(&mut out, kind, facts, fill)?;
    let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&header.bytes())?;
    file.sync_all()?;
    Ok(header.length + HEADER_LENGTH as u64)
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
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Writes a payload.
fn put(out: &mut dyn Write, kind: Kind, facts: &Facts, fill: Fill<'_>) -> io::Result<Header> {
    let mut writer = Writer::new(out);
    writer.record(facts)?;
    fill(&mut writer)?;
    Ok(writer.header(kind))
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
pub struct Snapshot {
    path: PathBuf,
    bytes: Vec<u8>,
    header: Header,
    facts: Facts,
}

/// Reads the snapshot at `path`.
///
/// # Errors
/// [`SnapshotError`] if the file cannot be read, or is not a complete snapshot of a supported version.
pub fn read(path: &Path) -> Result<Snapshot, SnapshotError> {
    let failed = |error: &io::Error| SnapshotError::system(path, "read the snapshot", error);
    let file = File::open(path).map_err(|error| failed(&error))?;
    let mut bytes = Vec::new();
    // The header is checked first: a file that is not a snapshot may be of any length.
    (&file).take(HEADER_LENGTH as u64).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
    let header = Header::read(path, &bytes)?;
    let found = file.metadata().map_err(|error| failed(&error))?.len();
    if found.saturating_sub(HEADER_LENGTH as u64) == header.length {
        let room = usize::try_from(header.length).unwrap_or(usize::MAX);
        let room = budget::asking(|| bytes.try_reserve_exact(room));
        room.map_err(|_| failed(&io::ErrorKind::OutOfMemory.into()))?;
        (&file).take(header.length).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
        return Snapshot::whole(path.to_path_buf(), bytes);
    }
    let expected = header.length.saturating_add(HEADER_LENGTH as u64);
    Err(SnapshotError::Length { path: path.to_path_buf(), expected, found })
}

impl Snapshot {
    /// Makes a snapshot in memory, filled by `fill`.
    ///
    /// # Errors
    /// Those of `fill`.
    pub fn of(name: &str, kind: Kind, facts: &Facts, fill: Fill<'_>) -> Result<Self, SnapshotError> {
        let path = PathBuf::from(name);
        let mut bytes = vec![0; HEADER_LENGTH];
        let header = put(&mut bytes, kind, facts, fill);
        let header = header.map_err(|error| SnapshotError::system(&path, "fill the snapshot", &error))?;
        bytes[..HEADER_LENGTH].copy_from_slice(&header.bytes());
        Ok(Snapshot { path, bytes, header, facts: facts.clone() })
    }

    /// Makes a snapshot from a payload as in a file, with the facts first.
    ///
    /// # Errors
    /// [`SnapshotError::Content`] if the facts are not valid.
    pub fn sealed(name: &str, kind: Kind, payload: &[u8]) -> Result<Self, SnapshotError> {
        let header = Header { kind, length: payload.len() as u64, checksum: xxh3_128(payload) };
        Snapshot::whole(PathBuf::from(name), [&header.bytes(), payload].concat())
    }

    /// Makes a snapshot from the bytes of a file, which errors call `path`.
    ///
    /// # Errors
    /// [`SnapshotError`] if they are not a complete snapshot of a supported version.
    pub fn whole(path: PathBuf, bytes: Vec<u8>) -> Result<Self, SnapshotError> {
        let header = Header::read(&path, &bytes)?;
        let payload = &bytes[HEADER_LENGTH..];
        if payload.len() as u64 != header.length {
            let expected = header.length.saturating_add(HEADER_LENGTH as u64);
            return Err(SnapshotError::Length { path, expected, found: bytes.len() as u64 });
        }
        let (expected, found) = (header.checksum, xxh3_128(payload));
        if expected != found {
            let (from, to) = (HEADER_LENGTH as u64, bytes.len() as u64 - 1);
            return Err(SnapshotError::Checksum { path, from, to, expected, found });
        }
        let facts = Reader::new(&path, payload).record("facts")?;
        Ok(Snapshot { path, bytes, header, facts })
    }

    /// Kind of the content.
    pub fn kind(&self) -> Kind {
        self.header.kind
    }

    /// Version of the format.
    pub fn version(&self) -> u32 {
        VERSION
    }

    /// Path from which it was read.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes of the whole file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Description of the content in words.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Checksum of the payload.
    pub fn checksum(&self) -> u128 {
        self.header.checksum
    }

    /// Reader for the payload after the facts.
    ///
    /// # Errors
    /// None in practice, since the facts have been read before.
    pub fn payload(&self) -> Result<Reader<'_>, SnapshotError> {
        let mut reader = Reader::new(&self.path, &self.bytes[HEADER_LENGTH..]);
        let _: Facts = reader.record("facts")?;
        Ok(reader)
    }

    /// Like [`payload`](Snapshot::payload), for a snapshot that must be of the kind `expected`.
    ///
    /// # Errors
    /// [`SnapshotError::OtherKind`].
    pub fn payload_of(&self, expected: Kind) -> Result<Reader<'_>, SnapshotError> {
        if self.kind() != expected {
            let (path, found) = (self.path.clone(), self.kind());
            return Err(SnapshotError::OtherKind { path, expected, found });
        }
        self.payload()
    }
}
