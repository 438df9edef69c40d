//! What has no length: a pipe gives what the file gives, and no more memory than there are bytes.

use std::io::{Cursor, Read};

use super::*;

/// The bytes of a file as they come through a pipe.
fn piped(name: &str, file: impl Read + Send + 'static, options: &ImageOptions) -> Result<AnyImage, String> {
    let stream = open_bytes(name, Bytes::new(Box::new(file), None, false), options);
    stream.and_then(AnyStream::image).map_err(|error| error.to_string())
}

#[test]
fn a_pipe_holds_what_a_file_does() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data/images");
    let raw = Raw { shape: vec![4, 3, 5], dtype: VoxelType::I16, order: Order::C };
    let mut read = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let raw = path.ends_with("volume.i16").then(|| raw.clone());
        let options = ImageOptions { raw, ..ImageOptions::default() };
        let file = std::fs::read(&path).unwrap();
        if let Ok(image) = read_bytes("file", &file, &options) {
            assert_eq!(piped("-", Cursor::new(file), &options), Ok(image), "{}", path.display());
            read += 1;
        }
    }
    assert!(read >= 15, "only {read}");
}

#[test]
fn large_files_through_pipes() {
    let values: Vec<u16> = (0..500_000_u32).map(|k| (k % 65_521) as u16).collect();
    let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    let expected = AnyImage::U16(image(&[500, 1000], Order::C, values));
    let file = plain::npy("<u2", false, "500, 1000", &bytes);
    let options = ImageOptions::default();
    assert!(piped("-", Cursor::new(file.clone()), &options) == Ok(expected));
    let short = file[..file.len() - 5].to_vec();
    assert_eq!(
        piped("file", Cursor::new(short), &options).unwrap_err(),
        format!(
            "file: byte {}: expected 5 more bytes of voxels, found the end of the file (taken for npy: begins with NumPy's magic bytes; --format says otherwise)",
            file.len() - 5
        )
    );
    let longer = Cursor::new(file.clone()).chain(Cursor::new([0]));
    let error = piped("file", longer, &options).unwrap_err();
    let expected = format!("file: byte {}: expected the end of the file, found more bytes", file.len());
    assert!(error.starts_with(&expected), "{error}");
}

#[test]
fn a_pipe_that_promises_more_than_memory_holds() {
    let file = plain::npy("<f8", false, "90000, 90000, 9000", &vec![0; 1 << 20]);
    let error = piped("file", Cursor::new(file), &ImageOptions::default()).unwrap_err();
    assert!(error.contains("more bytes of voxels, found the end of the file"), "{error}");
    let mut text = b"3\n9000\n9000\n9000\n".to_vec();
    text.extend(b"1\n".repeat(20_000));
    let error = piped("file", Cursor::new(text), &ImageOptions::default()).unwrap_err();
    assert!(error.contains("line 20004: expected the value of voxel [2000, 2, 0]"), "{error}");
}

#[test]
fn a_pipe_that_breaks_is_no_fault_of_the_content() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("the disk is gone"))
        }
    }
    let file = plain::npy("|u1", false, "300, 300", &[0; 50_000]);
    let error = piped("file", Cursor::new(file).chain(Broken), &ImageOptions::default()).unwrap_err();
    assert_eq!(error, "file: the disk is gone");
}
