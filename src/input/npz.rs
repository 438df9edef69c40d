//! `npz`: several NumPy arrays in a zip archive, as written by `numpy.savez`, `numpy.savez_compressed` and
//! `scipy.sparse.save_npz`.
//!
//! Members are stored or deflated; large archives (zip64) are supported. A member is decompressed only up to the size
//! in the archive's directory, and its length and checksum are compared with the directory.

mod sparse;
#[cfg(test)]
pub(crate) mod tests;

use super::Problem;
use super::source::all_of;
use flate2::bufread::DeflateDecoder;
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveEntryWayfinder, ZipSliceArchive};
use std::io::{self, Read};

/// Magic bytes of an archive with members.
pub(crate) const MAGIC: &[u8] = b"PK\x03\x04";

/// Maximal number of arrays in an archive. NumPy writes a member for each argument of `savez`, so this is far more than
/// any script needs.
const MOST_ARRAYS: usize = 1 << 16;

const ARCHIVE: &str = "a zip archive of NumPy arrays";

/// An `.npz` file in memory.
pub(crate) struct Archive<'a> {
    zip: ZipSliceArchive<&'a [u8]>,
    members: Vec<Member>,
}

/// Names of the arrays in an archive; empty if the bytes are not an archive of arrays.
pub(crate) fn arrays_of_archive(bytes: &[u8]) -> Vec<String> {
    Archive::open(bytes).map(|archive| archive.names().map(str::to_owned).collect()).unwrap_or_default()
}

struct Member {
    /// Name as in `numpy.load`, without the extension `.npy`.
    name: String,
    place: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
    /// Uncompressed size in bytes, from the directory.
    size: u64,
}

impl<'a> Archive<'a> {
    /// Reads the directory of an archive.
    ///
    /// # Errors
    /// The file is not a zip archive, or its members are not arrays.
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Self, Problem> {
        let broken = |error: rawzip::Error| Problem::whole(ARCHIVE, error);
        let zip = ZipArchive::from_slice(bytes).map_err(broken)?;
        let mut members = Vec::new();
        let mut entries = zip.entries();
        while let Some(entry) = entries.next_entry().map_err(broken)? {
            let path = String::from_utf8_lossy(entry.file_path().as_ref()).into_owned();
            let Some(name) = path.strip_suffix(".npy") else {
                let note = "the file is not one that numpy.savez or scipy.sparse.save_npz writes";
                return Err(Problem::whole(ARCHIVE, format!("{path:?} in it")).note(note));
            };
            if members.len() == MOST_ARRAYS {
                return Err(Problem::whole("an archive of fewer arrays", format!("more than {MOST_ARRAYS}")));
            }
            members.push(Member {
                name: name.to_owned(),
                place: entry.wayfinder(),
                method: entry.compression_method(),
                size: entry.uncompressed_size_hint(),
            });
        }
        Ok(Archive { zip, members })
    }

    /// The names of the arrays, in the order of the archive.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|member| member.name.as_str())
    }

    /// Whether the archive has an array of this name.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.names().any(|member| member == name)
    }

    /// Reads the `npy` file of the archive's only array.
    ///
    /// # Errors
    /// The archive does not hold exactly one array, or the array is damaged. The error lists the arrays.
    pub(crate) fn single(&self) -> Result<Vec<u8>, Problem> {
        match &self.members[..] {
            [member] => self.unpack(member),
            [] => Err(Problem::whole("an archive with one array", "none")),
            members => {
                const SHOWN: usize = 8;
                let mut names: Vec<&str> = self.names().take(SHOWN).collect();
                if members.len() > SHOWN {
                    names.push("…");
                }
                let found = format!("{}: {}", members.len(), names.join(", "));
                let note = "save the one you mean with numpy.save";
                Err(Problem::whole("an archive with one array", found).note(note))
            }
        }
    }

    /// Reads the `npy` file of the array `name`.
    ///
    /// # Errors
    /// There is no array of that name, or it is damaged.
    pub(crate) fn read(&self, name: &str) -> Result<Vec<u8>, Problem> {
        match self.members.iter().find(|member| member.name == name) {
            Some(member) => self.unpack(member),
            None => Err(Problem::whole(format!("an array called {name:?} in the archive"), "none")),
        }
    }

    fn unpack(&self, member: &Member) -> Result<Vec<u8>, Problem> {
        let expected = || format!("a sound array {:?}", member.name);
        let damaged = |error: String| Problem::whole(expected(), error);
        let entry = self.zip.get_entry(member.place).map_err(|error| damaged(error.to_string()))?;
        let stream: Box<dyn Read> = match member.method {
            CompressionMethod::STORE => Box::new(entry.data()),
            CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(entry.data())),
            method => {
                let found = format!("zip's compression method {method:?}");
                let note = "save it with numpy.savez_compressed or numpy.savez";
                return Err(Problem::whole(expected(), found).note(note));
            }
        };
        // Read one byte more than promised, to detect a longer array without decompressing it.
        let mut stream = entry.verifying_reader(stream.take(member.size.saturating_add(1)));
        all_of(&mut stream, 0).map_err(|error| match error.kind() {
            io::ErrorKind::OutOfMemory => error.into(),
            _ => damaged(error.to_string()),
        })
    }
}
