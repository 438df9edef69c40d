use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use zerocopy::IntoBytes;

use super::*;

/// A temporary folder that is removed with its content.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

const RESIDUE: &str = "residue";

fn example() -> Snapshot {
    let facts = facts([("columns", "3".to_owned())]);
    let fill: Fill<'_> = &mut |out| {
        out.record(&("three", 3u8, Some(2.5f64)))?;
        out.list(2, [(7u32, u64::MAX), (8, 1)].into_iter())?;
        out.record(&[0.5, f64::INFINITY][..])
    };
    Snapshot::of("example.lac", RESIDUE, &facts, fill).unwrap()
}

fn whole(bytes: &[u8]) -> Result<Snapshot, SnapshotError> {
    Snapshot::whole(PathBuf::from("example.lac"), bytes.to_vec())
}

#[test]
fn what_is_written_is_read() {
    let found = whole(&example().bytes).unwrap();
    assert_eq!((&found.kind[..], &found.facts), (RESIDUE, &facts([("columns", "3".to_owned())])));
    let mut payload = found.payload_of(RESIDUE).unwrap();
    let record: (String, u8, Option<f64>) = payload.record("record").unwrap();
    assert_eq!(record, ("three".to_owned(), 3, Some(2.5)));
    assert_eq!(payload.record::<Vec<(u32, u64)>>("list").unwrap(), [(7, u64::MAX), (8, 1)]);
    assert!(payload.clone().end().is_err());
    assert_eq!(payload.record::<Vec<f64>>("numbers").unwrap(), [0.5, f64::INFINITY]);
    payload.end().unwrap();
    let error = found.payload_of(RUN).unwrap_err().to_string();
    assert!(error.ends_with(": kind: expected run, found residue"), "{error}");
    let fill: Fill<'_> = &mut |out| out.list(3, [1, 2].into_iter());
    assert!(Snapshot::of("short.lac", RESIDUE, &Facts::new(), fill).is_err());
}

/// A payload that is longer than what is gathered before it is written.
#[test]
fn long_tables_are_read_back() {
    let numbers: Vec<u64> = (0..200_000).map(|k| k * k * k).collect();
    let fill: Fill<'_> = &mut |out| out.record(&numbers);
    let snapshot = Snapshot::of("long.lac", RESIDUE, &Facts::new(), fill).unwrap();
    let mut payload = snapshot.payload_of(RESIDUE).unwrap();
    assert_eq!(payload.table::<Vec<u64>>("numbers").unwrap(), numbers);
}

/// Every change of a single bit is detected.
#[test]
fn each_byte_that_is_flipped_is_noticed() {
    let bytes = example().bytes;
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            let error = whole(&damaged).unwrap_err().to_string();
            let is_as_expected = match at {
                0..8 => error.contains("expected a snapshot of Lacuna"),
                8..16 => error.contains("byte 8: expected version 1") || error.contains("bytes 0 to 39"),
                16..48 => error.contains("bytes 0 to 39: expected the checksum"),
                _ => error.contains("bytes 48 to ") && error.ends_with("the file is damaged"),
            };
            assert!(is_as_expected, "byte {at}: {error}");
        }
    }
}

#[test]
fn each_length_that_is_not_the_right_one_is_noticed() {
    let bytes = example().bytes;
    let folder = folder();
    let path = folder.path().join("example.lac");
    for length in 0..bytes.len() {
        let error = whole(&bytes[..length]).unwrap_err().to_string();
        let expected = match length {
            0 => "expected a snapshot of Lacuna",
            _ => &format!(" bytes, found {length}; the file is cut"),
        };
        assert!(error.contains(expected), "{error}");
        fs::write(&path, &bytes[..length]).unwrap();
        let of_file = read(&path).unwrap_err().to_string();
        assert!(of_file.contains(expected), "{of_file}");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    fs::write(&path, &longer).unwrap();
    for error in [whole(&longer).unwrap_err(), read(&path).unwrap_err()] {
        assert!(error.to_string().ends_with("the file is too long"), "{error}");
    }
    fs::write(&path, &bytes).unwrap();
    assert_eq!(read(&path).unwrap().bytes, bytes);
}

/// Files with valid checksums but impossible lengths: a length is believed only as far as the bytes are present.
#[test]
fn lengths_are_believed_when_the_bytes_are_there() {
    for length in [3, u64::MAX, 1 << 61, 1 << 40] {
        let fill: Fill<'_> = &mut |out| out.record(&(length, 0));
        let snapshot = Snapshot::of("lengths.lac", RESIDUE, &Facts::new(), fill).unwrap();
        whole(&snapshot.bytes).unwrap();
        // The first number is read as the length of a text or list that exceeds the payload.
        assert!(snapshot.payload_of(RESIDUE).unwrap().record::<String>("text").is_err());
        assert!(snapshot.payload_of(RESIDUE).unwrap().table::<Vec<u64>>("list").is_err());
    }
    // A valid header in a file that is shorter than the header says.
    let header = file::Header::new(u64::MAX, 0).as_bytes().to_vec();
    let folder = folder();
    let path = folder.path().join("long.lac");
    fs::write(&path, &header).unwrap();
    for error in [whole(&header).unwrap_err(), read(&path).unwrap_err()] {
        assert!(error.to_string().contains("length: expected 18446744073709551615 bytes"), "{error}");
    }
}

#[test]
fn versions_to_come_are_told_as_such() {
    let mut bytes = example().bytes;
    bytes[8] = 2;
    let sum = xxhash_rust::xxh3::xxh3_64(&bytes[..40]);
    bytes[40..48].copy_from_slice(&sum.to_le_bytes());
    assert!(whole(&bytes).unwrap_err().to_string().contains("another version of lacuna wrote it"));
    let foreign = whole(b"PK\x03\x04 and so on, for long enough that a header would be there").unwrap_err();
    assert!(foreign.to_string().contains("expected a snapshot of Lacuna"), "{foreign}");
}

fn silent() -> Box<dyn Fn(&SnapshotError) + Send + Sync> {
    Box::new(|error| panic!("{error}"))
}

fn open(path: &Path) -> Result<CheckpointDirectory, SnapshotError> {
    CheckpointDirectory::open(path, Duration::ZERO, silent())
}

fn save(checkpoint: &dyn Checkpoint, name: &str, number: u64) {
    checkpoint.save(name, RESIDUE, &Facts::new(), &mut |out| out.record(&number));
}

fn number(checkpoint: &dyn Checkpoint, name: &str) -> Option<u64> {
    let snapshot = checkpoint.load(name, RESIDUE).unwrap()?;
    Some(snapshot.payload_of(RESIDUE).unwrap().record("number").unwrap())
}

#[test]
fn pieces_are_kept_replaced_and_removed() {
    let folder = folder();
    let path = folder.path().join("new").join("checkpoint");
    let run = Fingerprint::new("rips").with("--max-dim", 2);
    let directory = open(&path).unwrap();
    assert!(!directory.begin(&run).unwrap());
    assert_eq!(number(&directory, "one"), None);
    save(&directory, "one", 1);
    save(&directory, "one", 2);
    let again = Part { checkpoint: &directory, prefix: "again-" };
    save(&again, "one", 3);
    drop(directory);
    // A file that a killed run left.
    fs::write(path.join("one.lac.part"), "half").unwrap();
    let directory = open(&path).unwrap();
    assert!(!path.join("one.lac.part").exists());
    assert!(directory.begin(&run).unwrap());
    assert_eq!((number(&directory, "one"), number(&directory, "again-one")), (Some(2), Some(3)));
    assert!(directory.load("one", RUN).is_err());
    directory.forget("one");
    assert_eq!(number(&directory, "one"), None);
    directory.finish().unwrap();
    assert!(!path.exists());
    // Other files in the directory stay.
    let directory = open(&path).unwrap();
    fs::write(path.join("notes"), "mine").unwrap();
    directory.begin(&run).unwrap();
    directory.finish().unwrap();
    let left: Vec<_> = fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["notes"]);
    // So does a directory that no run has made.
    fs::remove_file(path.join("notes")).unwrap();
    let directory = open(&path).unwrap();
    directory.begin(&run).unwrap();
    drop(directory);
    open(&path).unwrap().finish().unwrap();
    assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
}

#[test]
fn a_run_that_has_not_begun_leaves_nothing() {
    let folder = folder();
    let names = |path: &Path| -> Vec<_> {
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    };
    let path = folder.path().join("new").join("checkpoint");
    drop(open(&path).unwrap());
    assert!(names(folder.path()).is_empty());
    // A directory that already existed stays, and so do other files in one that was created.
    let there = folder.path().join("there");
    fs::create_dir(&there).unwrap();
    drop(open(&there).unwrap());
    assert!(names(&there).is_empty());
    let directory = open(&path).unwrap();
    fs::write(path.join("notes"), "mine").unwrap();
    drop(directory);
    assert_eq!(names(&path), ["notes"]);
    // A checkpoint that has begun stays, however the run ends.
    let directory = open(&there).unwrap();
    directory.begin(&Fingerprint::new("rips")).unwrap();
    drop(directory);
    drop(open(&there).unwrap());
    assert!(there.join(directory::MANIFEST).exists() && there.join("lacuna.lock").exists());
}

#[test]
fn another_run_is_refused_and_told_what_differs() {
    let folder = folder();
    let run = || Fingerprint::new("rips").with("input", "3 points").with("--max-dim", 2);
    let directory = open(folder.path()).unwrap();
    directory.begin(&run()).unwrap();
    assert!(directory.begin(&run()).unwrap());
    let other = Fingerprint::new("rips").with("input", "3 points").with("--max-dim", 3).with("--modulus", 3);
    let error = directory.begin(&other).unwrap_err().to_string();
    assert!(error.contains("--max-dim was 2, is 3; --modulus was not given, is 3; name another"), "{error}");
    let error = directory.begin(&Fingerprint::new("ecc").with("input", "3 points")).unwrap_err().to_string();
    assert!(error.contains("command was rips, is ecc; --max-dim was 2, is not given"), "{error}");
    // Snapshots that are not a checkpoint are left alone.
    fs::rename(folder.path().join(directory::MANIFEST), folder.path().join("mine.lac")).unwrap();
    assert!(matches!(directory.begin(&run()), Err(SnapshotError::NoManifest { .. })));
}

#[test]
fn one_run_at_a_time() {
    let folder = folder();
    let first = open(folder.path()).unwrap();
    assert!(matches!(open(folder.path()), Err(SnapshotError::Locked { .. })));
    first.finish().unwrap();
    let _second = open(folder.path()).unwrap();
}

/// A failure to save is reported once; the previous version stays, and later saves can succeed.
#[test]
fn a_piece_that_cannot_be_kept_is_told_once() {
    let folder = folder();
    let told = Arc::new(Mutex::new(Vec::new()));
    let hear = Arc::clone(&told);
    let warn = Box::new(move |error: &SnapshotError| hear.lock().unwrap().push(error.to_string()));
    let directory = CheckpointDirectory::open(folder.path(), Duration::ZERO, warn).unwrap();
    directory.begin(&Fingerprint::new("rips")).unwrap();
    save(&directory, "one", 1);
    // A directory blocks the name of the file that is written first.
    fs::create_dir(folder.path().join("one.lac.part")).unwrap();
    save(&directory, "one", 2);
    save(&directory, "one", 3);
    assert_eq!(number(&directory, "one"), Some(1));
    let full = |_: &mut Writer<'_>| Err(std::io::ErrorKind::StorageFull.into());
    directory.save("two", RESIDUE, &Facts::new(), &mut { full });
    assert_eq!((told.lock().unwrap().len(), number(&directory, "two")), (1, None));
    fs::remove_dir(folder.path().join("one.lac.part")).unwrap();
    save(&directory, "one", 4);
    assert_eq!(number(&directory, "one"), Some(4));
}

#[test]
fn one_thread_takes_a_turn_and_saving_leaves_a_rest() {
    const HOUR: Duration = Duration::from_secs(3600);
    let folder = folder();
    let mut directory = CheckpointDirectory::open(folder.path(), HOUR, silent()).unwrap();
    assert!(!directory.takes_turn());
    directory.pass(HOUR);
    let turns = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..1000 {
                    turns
                        .fetch_add(usize::from(directory.takes_turn()), std::sync::atomic::Ordering::Relaxed);
                }
            });
        }
    });
    // The thread with the turn saved nothing: another gets the turn after the same interval.
    assert_eq!(turns.into_inner(), 1);
    directory.pass(HOUR);
    assert!(directory.takes_turn());
    let slowly = |directory: &CheckpointDirectory, milliseconds| {
        directory.save("slow", RESIDUE, &Facts::new(), &mut |out| {
            std::thread::sleep(Duration::from_millis(milliseconds));
            out.record(&1)
        })
    };
    let mut quick =
        CheckpointDirectory::open(&folder.path().join("quick"), Duration::from_millis(1), silent()).unwrap();
    let began = std::time::Instant::now();
    assert!(slowly(&quick, 50));
    // Forty times the duration: at least two seconds, and at most forty times the time elapsed here.
    if began.elapsed() < Duration::from_secs(2) {
        assert!(!quick.takes_turn());
    }
    quick.pass(began.elapsed() * 40);
    assert!(quick.takes_turn());
    // Computing it again takes less, or more, than saving it.
    assert!(!directory.is_worth_keeping(Duration::from_millis(999)));
    assert!(directory.is_worth_keeping(Duration::from_secs(1)));
    let far = CheckpointDirectory::open(&folder.path().join("far"), Duration::MAX, silent()).unwrap();
    assert!(!far.takes_turn() && far.is_worth_keeping(Duration::from_secs(1)));
    let began = std::time::Instant::now();
    assert!(slowly(&far, 1100));
    assert!(!far.is_worth_keeping(Duration::from_millis(1100)));
    assert!(far.is_worth_keeping(began.elapsed()));
    let often =
        CheckpointDirectory::open(&folder.path().join("often"), Duration::from_millis(1), silent()).unwrap();
    assert!(often.is_worth_keeping(Duration::from_millis(2)));
}

/// With an interval of zero it is always time to save.
#[test]
fn without_a_rest_it_is_always_the_turn_to_save() {
    let folder = folder();
    let directory = open(folder.path()).unwrap();
    for number in 0..3 {
        assert!(directory.takes_turn() && directory.is_worth_keeping(Duration::ZERO));
        save(&directory, "one", number);
    }
}

/// Another user with access to the directory can guess file names; a link under such a name must not redirect our
/// writes.
#[cfg(unix)]
#[test]
fn links_that_others_have_put_there_are_not_followed() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder();
    let victim = folder.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    let path = folder.path().join("shared");
    fs::create_dir(&path).unwrap();
    symlink(&victim, path.join("lacuna.lock")).unwrap();
    let error = open(&path).unwrap_err().to_string();
    assert!(error.contains("expected a file lacuna.lock, found a symbolic link"), "{error}");
    fs::remove_file(path.join("lacuna.lock")).unwrap();
    // A dangling link does not create its target.
    symlink(folder.path().join("nowhere"), path.join("lacuna.lock")).unwrap();
    assert!(open(&path).is_err() && !folder.path().join("nowhere").exists());
    fs::remove_file(path.join("lacuna.lock")).unwrap();
    let directory = open(&path).unwrap();
    for name in ["run.lac.part", "one.lac.part"] {
        symlink(&victim, path.join(name)).unwrap();
    }
    directory.begin(&Fingerprint::new("rips")).unwrap();
    save(&directory, "one", 1);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    assert_eq!(number(&directory, "one"), Some(1));
    for name in ["lacuna.lock", "run.lac", "one.lac"] {
        let found = fs::symlink_metadata(path.join(name)).unwrap();
        assert!(found.is_file() && found.permissions().mode() & 0o777 == 0o600, "{name}: {found:?}");
    }
}
