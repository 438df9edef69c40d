//! What has no length: a pipe gives what the file gives, and no more memory than there are bytes.

use std::io::{Cursor, Read};

use super::*;

/// The bytes of a file as they come through a pipe.
fn piped(name: &str, file: impl Read + Send + 'static, options: &ImageOptions) -> Result<AnyImage, String> {
    let stream = open_bytes(name, Bytes::new(Box::new(file), None, None), options);
    stream.and_then(Stream::image).map_err(|error| error.to_string())
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
            let is_packed = path.extension().is_some_and(|extension| extension == "gz");
            let packed = if is_packed { file.clone() } else { gzip(&file) };
            assert_eq!(piped("-", Cursor::new(file), &options).as_ref(), Ok(&image), "{}", path.display());
            assert_eq!(
                read_bytes("a.gz", &packed, &options).as_ref().ok(),
                Some(&image),
                "{}",
                path.display()
            );
            assert_eq!(piped("-", Cursor::new(packed), &options), Ok(image), "{}", path.display());
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

#[test]
fn raw_voxels_that_begin_as_gzip_does() {
    let voxels = vec![0x1f, 0x8b, 8, 0, 7, 7];
    let raw = Raw { shape: vec![6], dtype: VoxelType::U8, order: Order::C };
    let options = ImageOptions { raw: Some(raw), ..ImageOptions::default() };
    let expected = || AnyImage::U8(image(&[6], Order::C, voxels.clone()));
    assert_eq!(read_bytes("a", &voxels, &options).unwrap(), expected());
    assert_eq!(read_bytes("a", &gzip(&voxels), &options).unwrap(), expected());
    let error = read_bytes("a", &gzip(&voxels[..5]), &options).unwrap_err().to_string();
    assert!(error.contains("expected 6 bytes, 6 voxels of type u8, found 5"), "{error}");
}

#[test]
fn what_is_compressed_is_detected_by_what_it_holds() {
    let file = plain::npy("|u1", false, "2,", &[1, 2]);
    let open = |name: &str, file: &[u8]| {
        let stream = open_bytes(name, Bytes::of(file.to_vec()), &ImageOptions::default());
        stream.map(|stream| stream.detection().unwrap().format).map_err(|error| error.to_string())
    };
    assert_eq!(open("a.nii.gz", &gzip(&file)), Ok(ImageFormat::Npy));
    let twice = open("a.npy.gz.gz", &gzip(&gzip(&file))).unwrap_err();
    assert!(twice.contains("expected the beginning of an image file, found the bytes 1f 8b"), "{twice}");
    let values: Vec<u8> = (0..100_000_u32).map(|k| (k.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let packed = gzip(&plain::npy("|u1", false, "100000,", &values));
    let broken = load("a.npy.gz", &packed[..packed.len() / 2], None).unwrap_err();
    assert!(broken.contains("expected more of a file compressed with gzip"), "{broken}");
}

/// Of a file with a hole of 64 GiB, nothing but the frame is read.
#[test]
fn frames_before_the_one_that_is_wanted_are_not_read() {
    let mut header = nifti::File::new(false, &[1024, 1024, 64, 1000], 2, 8, Vec::new());
    // Values that are scaled come in order alone.
    header.scaling = (2.0, 0.0);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), header.bytes()).unwrap();
    let frame = 1_u64 << 26;
    file.as_file().set_len(352 + 1000 * frame).unwrap();
    {
        use std::io::{Seek as _, SeekFrom, Write as _};
        let mut file = file.as_file();
        file.seek(SeekFrom::Start(352 + 900 * frame)).unwrap();
        file.write_all(&[7, 8]).unwrap();
    }
    let options = ImageOptions { frame: Some(900), ..ImageOptions::default() };
    let mut stream = open(file.path(), &options).unwrap();
    let mut voxels = [0.0; 3];
    stream.read(&mut voxels).unwrap();
    assert_eq!(voxels, [14.0, 16.0, 0.0]);
}
