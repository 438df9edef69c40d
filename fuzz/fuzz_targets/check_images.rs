//! What has to hold for any bytes: the readers of images give an image or an error, the same whole and in pieces; what
//! they read is no image when it is cut, reads back from a raw file, and has no voxel that is not a number. The fuzz
//! targets and the plain test of the corpus share it.
//!
//! The first byte of an input picks a format or a file name, the rest is the file.

use std::io::Write as _;

use lacuna::cubical::read::{ImageFormat, ImageOptions, ImageReadError, Raw, VoxelType, open, read_bytes};
use lacuna::cubical::{AnyImage, Image, Order, Voxel};
use lacuna::{with_image, with_voxels};

/// A file in the format that the first byte picks; of a raw file, the high bits pick the type.
pub(crate) fn image_formats(input: &[u8]) -> Option<AnyImage> {
    let (&choice, file) = input.split_first()?;
    let format = match usize::from(choice) {
        // A raw file has one of ten types.
        choice @ 80..128 => ImageFormat::ALL[8 + choice % (ImageFormat::ALL.len() - 8)],
        choice => ImageFormat::ALL[choice % 8],
    };
    if format == ImageFormat::Zarr {
        return zarr(file);
    }
    let raw = Raw {
        shape: vec![2, 3],
        dtype: VoxelType::ALL[usize::from(choice / 8) % VoxelType::ALL.len()],
        order: if choice & 128 == 0 { Order::C } else { Order::F },
    };
    let raw = (format == ImageFormat::Raw).then_some(raw);
    let options = ImageOptions { format: Some(format), raw, ..ImageOptions::default() };
    checked("f", file, &options)
}

/// A file whose format is not given.
pub(crate) fn image_detect(input: &[u8]) -> Option<AnyImage> {
    const NAMES: [&str; 12] = [
        "f",
        "f.npy",
        "f.png",
        "f.tif",
        "f.nii",
        "f.nii.gz",
        "f.complex",
        "f.txt",
        "f.nrrd",
        "f.mha",
        "f.vgi",
        "f.vol",
    ];
    let (&choice, file) = input.split_first()?;
    checked(NAMES[usize::from(choice) % NAMES.len()], file, &ImageOptions::default())
}

/// A directory of Zarr with the metadata before the first byte that is 0, and every chunk with the bytes after it.
fn zarr(file: &[u8]) -> Option<AnyImage> {
    let (metadata, chunk) = file.split_at(file.iter().position(|&byte| byte == 0)?);
    let folder = tempfile::tempdir().expect("a temporary directory");
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        std::fs::write(path, bytes).expect("writing a temporary file");
    };
    let is_third = metadata.windows(9).any(|word| word == b"node_type");
    write(if is_third { "zarr.json" } else { ".zarray" }, metadata);
    for name in ["0", "1", "0.0", "0.1", "1.0", "0.0.0", "0.0.1", "c/0/0", "c/0/1", "c/1/0"] {
        write(name, &chunk[1..]);
    }
    // Fill values make large images of a few bytes.
    let stream =
        open(folder.path(), &ImageOptions::default()).ok().filter(|stream| stream.bytes() < 1 << 20)?;
    let read = stream.image();
    if let Err(error @ ImageReadError::Malformed { .. }) = &read {
        let message = error.to_string();
        assert!(message.contains("expected") && message.contains("found"), "{message}");
    }
    read.ok().inspect(|image| with_image!(image, image => again(image)))
}

fn checked(name: &str, file: &[u8], options: &ImageOptions) -> Option<AnyImage> {
    let image = match read_bytes(name, file, options) {
        Ok(image) => image,
        Err(error) => {
            let message = error.to_string();
            assert!(message.contains("expected") && message.contains("found"), "{message}");
            return None;
        }
    };
    with_image!(&image, image => again(image));
    in_pieces(&image, file, options.format.is_none().then_some(name), options);
    Some(image)
}

/// The image as a raw file.
fn again<T: Voxel>(image: &Image<T>) {
    assert!(image.voxels().iter().all(|voxel| voxel.is_number()));
    let (shape, order) = (image.shape().axes(), image.shape().order());
    let file: Vec<u8> = image.voxels().iter().flat_map(|voxel| voxel.value().to_le_bytes()).collect();
    let raw = Raw { shape, dtype: VoxelType::F64, order };
    let again = read_bytes("again", &file, &ImageOptions { raw: Some(raw), ..ImageOptions::default() });
    let Ok(AnyImage::F64(again)) = again else { panic!("what was written") };
    assert_eq!(again.shape(), image.shape());
    assert!(again.voxels().iter().zip(image.voxels()).all(|(a, b)| *a == b.value()));
}

/// The image as a stream from a file on the disk.
fn in_pieces(image: &AnyImage, file: &[u8], name: Option<&str>, options: &ImageOptions) {
    let suffix = name.and_then(|name| name.find('.').map(|dot| &name[dot..])).unwrap_or("");
    let mut on_disk = tempfile::Builder::new().suffix(suffix).tempfile().expect("a temporary file");
    on_disk.write_all(file).expect("writing a temporary file");
    let mut stream = open(on_disk.path(), options).expect("what could be read");
    let expected = with_image!(image, image => values(image.voxels()));
    let found = with_voxels!(stream.voxel_type(), T => {
        let (mut all, mut piece) = (Vec::new(), vec![T::default(); 1 + expected.len() / 3]);
        loop {
            let count = stream.read(&mut piece).expect("what could be read");
            all.extend(values(&piece[..count]));
            if count < piece.len() {
                break all;
            }
        }
    });
    assert_eq!(found, expected);
}

fn values<T: Voxel>(voxels: &[T]) -> Vec<f64> {
    voxels.iter().map(|voxel| voxel.value()).collect()
}
