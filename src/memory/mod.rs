//! The memory that this process may still take, and large allocations whose refusal is an error.
//!
//! A Rust collection that the system refuses memory aborts the process. Code that makes a table whose size depends on
//! the input therefore asks [`available`] first and refuses what cannot fit, with the numbers. It makes the table
//! through `filled`, `zeroed`, `push` or `reserve`, which turn a refusal by the system into an error. `budget` applies
//! a limit to the whole process, and `plan` predicts the memory of a run.

pub(crate) mod budget;
mod plan;

use std::fmt;
use std::path::Path;

use zerocopy::FromZeros;

use budget::Stage;
pub use budget::{TemporaryLimit, limit, limit_while, resident};
pub use plan::{DoesNotFit, MemoryPlan, MemoryStage, MemoryUse, Shed};

/// Memory was refused, by the system or by the limit of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub struct Refused {
    /// Number of bytes requested.
    pub bytes: u64,
    /// The limit in bytes that would be exceeded; `None` if the system refused.
    pub limit: Option<u64>,
    /// Whether the limit was given by the user, and not derived from the system.
    is_given: bool,
    /// Stage of the run, if known.
    stage: Option<Stage>,
}

impl Refused {
    /// A refusal of `bytes` bytes.
    #[doc(hidden)]
    pub fn of_bytes(bytes: u64) -> Refused {
        let (limit, is_given) = (budget::passed(bytes), budget::is_the_given());
        Refused { bytes, limit, is_given, stage: budget::stage() }
    }

    /// The error of a run that exceeds its limit by `bytes` bytes.
    fn at_limit(bytes: u64) -> Refused {
        Refused { limit: budget::passed(0), ..Refused::of_bytes(bytes) }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = Bytes(self.bytes);
        match self.limit {
            None => write!(f, "out of memory: the system refused {bytes}")?,
            Some(limit) if self.is_given => {
                write!(f, "out of memory: the limit of {} leaves no room for {bytes} more", Bytes(limit))?;
            }
            Some(limit) => {
                let limit = Bytes(limit);
                write!(f, "out of memory: the {limit} that the system leaves have no room for {bytes} more")?;
            }
        }
        if self.limit.is_some() && budget::spills() {
            f.write_str(", nor has the directory of --spill")?;
        }
        match self.stage {
            None => Ok(()),
            Some(Stage { name, dim: None }) => write!(f, ", in the stage {name}"),
            Some(Stage { name, dim: Some(dim) }) => write!(f, ", in the stage {name} of dimension {dim}"),
        }
    }
}

/// Reserves room for exactly `additional` more items.
///
/// # Errors
/// [`Refused`] if the memory is not available.
pub(crate) fn reserve<T>(items: &mut Vec<T>, additional: usize) -> Result<(), Refused> {
    let made = budget::asking(|| items.try_reserve_exact(additional));
    made.map_err(|_| refused::<T>(items.len().saturating_add(additional)))
}

/// An empty vector with room for exactly `len` items.
///
/// # Errors
/// [`Refused`] if the memory is not available.
pub(crate) fn with_room<T>(len: usize) -> Result<Vec<T>, Refused> {
    let mut items = Vec::new();
    reserve(&mut items, len)?;
    Ok(items)
}

/// The error for a refusal of room for `len` items.
fn refused<T>(len: usize) -> Refused {
    Refused::of_bytes((len as u64).saturating_mul(size_of::<T>() as u64))
}

/// Appends an item. A full vector doubles its room, as with [`Vec::push`].
///
/// # Errors
/// [`Refused`] if the memory is not available.
#[inline]
pub(crate) fn push<T>(items: &mut Vec<T>, item: T) -> Result<(), Refused> {
    if items.len() == items.capacity() {
        let made = budget::asking(|| items.try_reserve(1));
        made.map_err(|_| refused::<T>(items.len().saturating_mul(2)))?;
    }
    items.push(item);
    Ok(())
}

/// Reserves room for `more` items. It at least doubles a full vector, so that reallocations are rare. The system may
/// promise more memory than it has, so the available memory is checked before.
///
/// # Errors
/// [`Refused`] if the memory is not available.
pub(crate) fn make_room<T>(items: &mut Vec<T>, more: usize) -> Result<(), Refused> {
    if items.capacity() - items.len() >= more {
        return Ok(());
    }
    let more = more.max(items.len());
    probe((items.len().saturating_add(more) as u64).saturating_mul(size_of::<T>() as u64))?;
    reserve(items, more)
}

/// A vector of `len` zeros. The system provides zeroed memory, so unlike that of [`filled`] it is not written before it
/// is used.
///
/// # Errors
/// [`Refused`] if the memory is not available.
pub(crate) fn zeroed<T: FromZeros>(len: usize) -> Result<Vec<T>, Refused> {
    budget::asking(|| T::new_vec_zeroed(len)).map_err(|_| refused::<T>(len))
}

/// A vector of `len` copies of `value`.
///
/// # Errors
/// [`Refused`] if the memory is not available.
pub(crate) fn filled<T: Clone>(value: T, len: usize) -> Result<Vec<T>, Refused> {
    let mut items = Vec::new();
    reserve(&mut items, len)?;
    items.resize(len, value);
    Ok(items)
}

/// Up to this many bytes are requested without querying the available memory, which takes a third of a millisecond; the
/// system can still refuse.
pub(crate) const LITTLE: u64 = 16 << 20;

/// Whether a run may take so many bytes, as far as that is known.
pub(crate) fn has_room_for(bytes: u64) -> bool {
    bytes <= LITTLE || room().is_none_or(|room| bytes <= room)
}

/// Checks that `bytes` bytes, which are about to be allocated in parts, can be allocated, and frees them again.
///
/// # Errors
/// [`Refused`] if less is available, or the system refuses.
pub(crate) fn probe(bytes: u64) -> Result<(), Refused> {
    if !has_room_for(bytes) {
        return Err(Refused::of_bytes(bytes));
    }
    let length = usize::try_from(bytes).map_err(|_| Refused::of_bytes(bytes))?;
    budget::asking(|| Vec::<u8>::new().try_reserve_exact(length)).map_err(|_| Refused::of_bytes(bytes))
}

/// A number of bytes that displays with a suitable unit: `17 bytes`, `80.0 GB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(1e18, "EB"), (1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
        // Rounding to one decimal may reach the next unit: 999,960 bytes are 1.0 MB.
        let bytes = self.0 as f64;
        match units.into_iter().find(|(unit, _)| bytes >= 0.99995 * unit) {
            Some((unit, name)) => write!(f, "{:.1} {name}", bytes / unit),
            None if self.0 == 1 => write!(f, "1 byte"),
            None => write!(f, "{} bytes", self.0),
        }
    }
}

/// Bytes that this process may still take without swapping: the minimum of the memory available in the system and of
/// what is left by the control groups of the process (a container or batch job), by its resource limits (`ulimit -v`,
/// `ulimit -d`), and by its own limit ([`limit`]). `None` without a limit where the system does not report it, as
/// everywhere but on Linux.
pub fn available() -> Option<u64> {
    [available_to_system(), budget::left()].into_iter().flatten().min()
}

/// Like [`available`], plus the room in spill files (`--spill` of the program): all that a run may take.
pub(crate) fn room() -> Option<u64> {
    available().map(|available| available.saturating_add(budget::left_in_files()))
}

/// Like [`available`], without this process's own limit.
fn available_to_system() -> Option<u64> {
    available_under(Path::new("/"))
}

/// Like [`available_to_system`], for system files under `root`.
fn available_under(root: &Path) -> Option<u64> {
    let system = kibibytes(&read(root, "proc/meminfo")?, "MemAvailable:");
    [system, left_by_groups(root), left_by_limits(root)].into_iter().flatten().min()
}

fn read(root: &Path, file: &str) -> Option<String> {
    std::fs::read_to_string(root.join(file)).ok()
}

/// The number after `name`, in bytes, in a file of lines such as `MemAvailable:   24063120 kB`.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    number.checked_mul(1024)
}

/// The names of the files in a version of the control groups.
struct Names {
    folder: &'static str,
    limit: &'static str,
    usage: &'static str,
    /// Lines of `memory.stat` that count page cache, which the kernel reclaims when memory runs short.
    cached: [&'static str; 2],
}

const VERSION_1: Names = Names {
    folder: "sys/fs/cgroup/memory",
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    cached: ["total_inactive_file ", "total_active_file "],
};

const VERSION_2: Names = Names {
    folder: "sys/fs/cgroup",
    limit: "memory.max",
    usage: "memory.current",
    cached: ["inactive_file ", "active_file "],
};

/// Bytes left by the control groups of this process: a group is also limited by all its ancestors.
fn left_by_groups(root: &Path) -> Option<u64> {
    // One line per hierarchy: `4:memory:/path` in version 1 and `0::/path` in version 2. Both may be present.
    let groups = read(root, "proc/self/cgroup")?;
    let left = groups.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        let names = match controllers {
            "" => VERSION_2,
            _ if controllers.split(',').any(|name| name == "memory") => VERSION_1,
            _ => return None,
        };
        // In a container the path may be that of the host: then only the root group exists as a folder here.
        let folder = root.join(names.folder);
        let group = folder.join(path.trim_start_matches('/'));
        let around = group.ancestors().take_while(|group| group.starts_with(&folder));
        around.filter_map(|group| left_by_group(group, &names)).min()
    });
    left.min()
}

/// Bytes left by one control group; `None` without a limit.
fn left_by_group(group: &Path, names: &Names) -> Option<u64> {
    // Without a limit, version 2 says `max`; version 1 gives a number greater than any memory.
    let number = |file| read(group, file)?.trim().parse::<u64>().ok();
    let (limit, usage) = (number(names.limit)?, number(names.usage)?);
    let stat = read(group, "memory.stat").unwrap_or_default();
    let cached =
        |name| -> Option<u64> { stat.lines().find_map(|line| line.strip_prefix(name))?.parse().ok() };
    let cached = names.cached.into_iter().filter_map(cached).fold(0, u64::saturating_add);
    Some(limit.saturating_sub(usage.saturating_sub(cached)))
}

/// Bytes left by the resource limits of this process.
fn left_by_limits(root: &Path) -> Option<u64> {
    let (limits, status) = (read(root, "proc/self/limits")?, read(root, "proc/self/status")?);
    let left = |limit: &str, taken: &str| -> Option<u64> {
        Some(limit_among(&limits, limit)?.saturating_sub(kibibytes(&status, taken)?))
    };
    [left("Max address space", "VmSize:"), left("Max data size", "VmData:")].into_iter().flatten().min()
}

/// A resource limit of this process in bytes, such as `Max file size`; `None` if it is unlimited.
pub fn resource_limit(name: &str) -> Option<u64> {
    limit_among(&read(Path::new("/"), "proc/self/limits")?, name)
}

/// The limit of this name in the lines of `/proc/self/limits`; `unlimited` means none.
fn limit_among(limits: &str, name: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GB: u64 = 1 << 30;

    /// A root folder with these system files.
    fn system(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        root
    }

    const MEMINFO: (&str, &str) = ("proc/meminfo", "MemTotal: 33554432 kB\nMemAvailable:   16777216 kB\n");

    #[test]
    fn memory_of_this_system() {
        let available = available();
        assert_eq!(available.is_some(), cfg!(target_os = "linux"));
        assert!(available.is_none_or(|bytes| bytes > 1 << 20), "{available:?}");
    }

    #[test]
    fn without_limits_the_system_says() {
        assert_eq!(available_under(system(&[]).path()), None);
        assert_eq!(available_under(system(&[MEMINFO]).path()), Some(16 * GB));
        let unlimited = [
            MEMINFO,
            ("proc/self/cgroup", "0::/user\n"),
            ("sys/fs/cgroup/user/memory.max", "max\n"),
            ("sys/fs/cgroup/user/memory.current", "4096\n"),
            ("proc/self/limits", "Max address space   unlimited   unlimited   bytes\n"),
            ("proc/self/status", "VmSize:\t 1024 kB\n"),
        ];
        assert_eq!(available_under(system(&unlimited).path()), Some(16 * GB));
    }

    #[test]
    fn control_groups_of_both_versions_limit() {
        let two = [
            MEMINFO,
            ("proc/self/cgroup", "0::/batch/job\n"),
            ("sys/fs/cgroup/batch/job/memory.max", "max\n"),
            ("sys/fs/cgroup/batch/job/memory.current", "4096\n"),
            ("sys/fs/cgroup/batch/memory.max", "4294967296\n"),
            ("sys/fs/cgroup/batch/memory.current", "3221225472\n"),
            ("sys/fs/cgroup/batch/memory.stat", "anon 1\ninactive_file 1073741824\nactive_file 0\n"),
        ];
        assert_eq!(available_under(system(&two).path()), Some(2 * GB));
        // The path is that of the host; in the container the group is the root of the mount.
        let one = [
            MEMINFO,
            ("proc/self/cgroup", "5:cpu:/x\n4:blkio,memory:/docker/0123\n0::/\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "2147483648\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "1073741824\n"),
        ];
        assert_eq!(available_under(system(&one).path()), Some(GB));
        let none = [
            MEMINFO,
            ("proc/self/cgroup", "4:memory:/\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "1073741824\n"),
        ];
        assert_eq!(available_under(system(&none).path()), Some(16 * GB));
    }

    #[test]
    fn resource_limits_limit() {
        let files = [
            MEMINFO,
            (
                "proc/self/limits",
                "Max data size  unlimited  unlimited  bytes\nMax address space  3221225472  unlimited  bytes\n",
            ),
            ("proc/self/status", "VmPeak:\t 9 kB\nVmSize:\t 1048576 kB\nVmData:\t 5 kB\n"),
        ];
        assert_eq!(available_under(system(&files).path()), Some(2 * GB));
        let over = [files[0], files[1], ("proc/self/status", "VmSize:\t 9999999999 kB\n")];
        assert_eq!(available_under(system(&over).path()), Some(0));
    }

    #[test]
    fn what_is_refused_says_how_much() {
        let refused = filled(0u64, usize::MAX / 16).unwrap_err();
        assert_eq!(refused.bytes, (u64::MAX / 16) * 8);
        assert!(refused.to_string().starts_with("out of memory: the system refused 9.2 EB"), "{refused}");
        assert_eq!(filled(7u8, 3), Ok(vec![7; 3]));
        assert_eq!(zeroed::<u64>(usize::MAX / 16).unwrap_err().bytes, refused.bytes);
        assert_eq!(zeroed::<u16>(3), Ok(vec![0; 3]));
    }

    #[test]
    fn items_are_pushed_past_the_room_there_is() {
        let mut items = Vec::new();
        (0..1000).for_each(|k| push(&mut items, k).unwrap());
        assert_eq!(items, (0..1000).collect::<Vec<_>>());
    }

    #[test]
    fn bytes_read_well() {
        let text =
            [0, 1, 999, 1_000, 999_960, 1_500_000, 80_000_000_000].map(|bytes| Bytes(bytes).to_string());
        assert_eq!(text, ["0 bytes", "1 byte", "999 bytes", "1.0 kB", "1.0 MB", "1.5 MB", "80.0 GB"]);
    }
}
