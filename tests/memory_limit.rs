//! A limit of memory in a program whose allocator does not count: what reading would take past it is refused. The limit is that of the process, so this
//! is a program of its own.

#![cfg(all(target_os = "linux", feature = "codecs"))]

use std::fs::File;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use lacuna::matrix::read::{MatrixReadOptions, read_source};
use lacuna::metric::read::{DistanceOptions, read_bytes, read_path};
use lacuna::{Classified, ErrorKind};

#[test]
fn inputs_are_read_within_the_limit() {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    let line = b"0 0 0\n".repeat(1 << 10);
    for _ in 0..1 << 14 {
        packed.write_all(&line).unwrap();
    }
    let packed = packed.finish().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("points.txt");
    File::create(&plain).unwrap().set_len(96 << 20).unwrap();

    lacuna::memory::limit(64 << 20);
    let limit = "out of memory: the limit of 67.1 MB leaves no room for ";
    let error = read_bytes("points.txt.gz", &packed, DistanceOptions::default()).unwrap_err();
    assert!(
        error.error_kind() == ErrorKind::Memory && error.to_string().starts_with("points.txt.gz: "),
        "{error}"
    );
    assert!(error.to_string().contains(limit), "{error}");
    let error = read_source("matrix.gz", &packed[..], &MatrixReadOptions::default()).unwrap_err();
    assert!(error.error_kind() == ErrorKind::Memory && error.to_string().contains(limit), "{error}");
    let error = read_path(&plain, DistanceOptions::default()).unwrap_err();
    assert!(error.error_kind() == ErrorKind::Memory && error.to_string().contains(limit), "{error}");
    // What has room is read.
    assert!(read_bytes("points.txt", b"0 0\n3 4\n", DistanceOptions::default()).is_ok());
}
