//! The claims about any bytes given to the reader of snapshots: they are refused, or are a snapshot whose payload can
//! be read in any way. Bytes that do not begin as a snapshot does are taken for a payload, since no fuzzer guesses a
//! checksum. The fuzz target and the test of the corpus share them. The result says whether the bytes could be read.

use lacuna::snapshot::{Facts, MAGIC, Reader, Snapshot};
use std::path::PathBuf;

/// A file, or a payload behind a byte that says how it is read.
pub(crate) fn snapshots(input: &[u8]) -> bool {
    let Some((&ways, payload)) = input.split_first() else { return false };
    let snapshot = if input.starts_with(&MAGIC) {
        Snapshot::whole(PathBuf::from("fuzzed.lac"), input.to_vec())
    } else {
        Snapshot::of("fuzzed.lac", "fuzzed", &Facts::new(), &mut |out| out.bytes(payload))
    };
    let Ok(snapshot) = snapshot else { return false };
    let mut payload = snapshot.payload_of(&snapshot.kind).expect("its own kind");
    // Each bit pair of the byte says what is read next.
    let mut ways = ways;
    while read_next(&mut payload, ways & 3) {
        ways = ways.rotate_right(2);
    }
    let _ = payload.end();
    let again = Snapshot::whole(PathBuf::from("again.lac"), snapshot.bytes.clone());
    assert_eq!(again.expect("it was whole").facts, snapshot.facts);
    // A byte that is changed is noticed.
    let mut damaged = snapshot.bytes.clone();
    let place = usize::from(input[input.len() / 2]) * 257 % damaged.len();
    damaged[place] ^= 1;
    assert!(Snapshot::whole(PathBuf::from("damaged.lac"), damaged).is_err(), "byte {place}");
    true
}

/// Reads the next record as one of four types. Whether there was one.
fn read_next(payload: &mut Reader<'_>, way: u8) -> bool {
    match way {
        0 => payload.record::<Vec<(String, Option<u64>)>>("record").is_ok(),
        1 => payload.record::<Vec<u32>>("32 bits").is_ok(),
        2 => payload.record::<Vec<f64>>("numbers").is_ok(),
        _ => payload.record::<(bool, i64, Vec<Vec<u8>>)>("bytes").is_ok(),
    }
}
