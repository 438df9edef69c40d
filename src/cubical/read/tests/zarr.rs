//! Directories of Zarr, versions 2 and 3, and of OME-Zarr.

mod numcodecs;

use std::fs;
use std::path::Path;

use super::*;

/// A directory with some files.
fn store(files: &[(&str, Vec<u8>)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}

fn read_store(folder: &Path, options: &ImageOptions) -> Result<AnyImage, String> {
    let clean = |error: ImageReadError| error.to_string().replace(&folder.display().to_string(), "a.zarr");
    let whole = read(folder, options).map_err(clean)?;
    // A stream in pieces that are no rows of chunks gives the same voxels.
    let mut stream = open(folder, options).unwrap();
    is_the_same_in_pieces(&mut stream, &whole, &[7]);
    Ok(whole)
}

fn load_store(files: &[(&str, Vec<u8>)]) -> Result<AnyImage, String> {
    read_store(store(files).path(), &ImageOptions::default())
}

/// The array of 3 × 4 × 5 whose numbers are 0 to 59 in C order.
fn expected() -> AnyImage {
    AnyImage::U16(image(&[3, 4, 5], Order::C, (0..60).collect()))
}

/// The numbers of a chunk of 2 × 3 × 4 of that array; those outside it are 999.
fn chunk([i, j, k]: [usize; 3]) -> Vec<u16> {
    let mut numbers = Vec::new();
    for i in 2 * i..2 * i + 2 {
        for j in 3 * j..3 * j + 3 {
            for k in 4 * k..4 * k + 4 {
                numbers.push(if i < 3 && j < 4 && k < 5 { (i * 20 + j * 5 + k) as u16 } else { 999 });
            }
        }
    }
    numbers
}

fn chunks() -> impl Iterator<Item = [usize; 3]> {
    (0..8).map(|n| [n / 4, n / 2 % 2, n % 2])
}

fn bytes(numbers: &[u16]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn swapped(numbers: &[u16]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}

/// The numbers of a chunk with the first axis fastest.
fn transposed(numbers: &[u16]) -> Vec<u16> {
    (0..24).map(|place| numbers[(place % 2 * 3 + place / 2 % 3) * 4 + place / 6]).collect()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

const SECOND: &str = r#"{"zarr_format": 2, "shape": [3, 4, 5], "chunks": [2, 3, 4], "dtype": "<u2",
    "compressor": null, "fill_value": 7, "filters": null, "order": "C"}"#;

const THIRD: &str = r#"{"zarr_format": 3, "node_type": "array", "shape": [3, 4, 5], "data_type": "uint16",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3, 4]}},
    "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
    "fill_value": 7, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}"#;

const BYTES: &str = r#"{"name": "bytes", "configuration": {"endian": "little"}}"#;

fn json(text: &str, from: &str, to: &str) -> Vec<u8> {
    assert!(text.contains(from), "{from}");
    text.replace(from, to).into_bytes()
}

/// The files of an array with these metadata, whose chunks are encoded and named in some way.
fn array(
    (file, metadata): (&'static str, Vec<u8>),
    name: impl Fn([usize; 3]) -> String,
    encode: impl Fn(&[u16]) -> Vec<u8>,
) -> tempfile::TempDir {
    let folder = store(&[(file, metadata)]);
    for number in chunks() {
        let path = folder.path().join(name(number));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, encode(&chunk(number))).unwrap();
    }
    folder
}

fn dotted([i, j, k]: [usize; 3]) -> String {
    format!("{i}.{j}.{k}")
}

fn nested([i, j, k]: [usize; 3]) -> String {
    format!("c/{i}/{j}/{k}")
}

#[test]
fn version_2() {
    let all = ImageOptions::default();
    let second = |from: &str, to: &str| (".zarray", json(SECOND, from, to));
    let none = ("\"order\"", "\"order\"");
    let swap = |numbers: &[u16]| swapped(numbers);
    for folder in [
        array(second(none.0, none.1), dotted, bytes),
        array(second("<u2", ">u2"), dotted, swap),
        array(second("\"C\"", "\"F\""), dotted, |numbers| bytes(&transposed(numbers))),
        array(
            second("\"C\"", "\"C\", \"dimension_separator\": \"/\""),
            |[i, j, k]| format!("{i}/{j}/{k}"),
            bytes,
        ),
        array(
            second("\"compressor\": null", "\"compressor\": {\"id\": \"zlib\", \"level\": 1}"),
            dotted,
            |n| zlib(&bytes(n)),
        ),
        array(
            second("\"compressor\": null", "\"compressor\": {\"id\": \"gzip\", \"level\": 1}"),
            dotted,
            |n| gzip(&bytes(n)),
        ),
    ] {
        assert_eq!(read_store(folder.path(), &all), Ok(expected()));
        let given = ImageOptions { format: Some(ImageFormat::Zarr), ..all.clone() };
        assert_eq!(read_store(folder.path(), &given), Ok(expected()));
        // Chunks that are missing have the fill value.
        fs::remove_file(folder.path().join("1.1.1"))
            .or_else(|_| fs::remove_file(folder.path().join("1/1/1")))
            .unwrap();
        let AnyImage::U16(filled) = read_store(folder.path(), &all).unwrap() else { panic!("another type") };
        assert_eq!((filled.voxels()[59], filled.voxels()[58]), (7, 58));
    }
    let stream = open(array(second(none.0, none.1), dotted, bytes).path(), &all).unwrap();
    assert_eq!(stream.detection().unwrap().to_string(), "zarr (a directory with metadata of Zarr)");
}

#[test]
fn version_3() {
    let all = ImageOptions::default();
    let third = |from: &str, to: &str| ("zarr.json", json(THIRD, from, to));
    let checked = |numbers: &[u16]| {
        let bytes = bytes(numbers);
        [&bytes[..], &sum(&bytes).to_le_bytes()].concat()
    };
    let transpose = r#"{"name": "transpose", "configuration": {"order": [2, 1, 0]}}"#;
    let both = |numbers: &[u16]| gzip(&checked(numbers));
    for folder in [
        array(third("uint16", "uint16"), nested, bytes),
        array(third("\"little\"", "\"big\""), nested, swapped),
        array(third("\"separator\": \"/\"", "\"separator\": \".\""), |n| format!("c.{}", dotted(n)), bytes),
        array(
            third("{\"name\": \"default\", \"configuration\": {\"separator\": \"/\"}}", "{\"name\": \"v2\"}"),
            dotted,
            bytes,
        ),
        array(third(BYTES, &format!("{transpose}, {BYTES}")), nested, |numbers| bytes(&transposed(numbers))),
        array(
            third(BYTES, &format!("{BYTES}, {{\"name\": \"gzip\", \"configuration\": {{\"level\": 1}}}}")),
            nested,
            |n| gzip(&bytes(n)),
        ),
        array(third(BYTES, &format!("{BYTES}, {{\"name\": \"crc32c\"}}")), nested, checked),
        array(
            third(BYTES, &format!("{BYTES}, {{\"name\": \"crc32c\"}}, {{\"name\": \"gzip\"}}")),
            nested,
            both,
        ),
    ] {
        assert_eq!(read_store(folder.path(), &all), Ok(expected()));
    }
    let broken = array(third(BYTES, &format!("{BYTES}, {{\"name\": \"crc32c\"}}")), nested, |numbers| {
        let mut bytes = checked(numbers);
        bytes[3] ^= 1;
        bytes
    });
    let message = read_store(broken.path(), &all).unwrap_err();
    assert!(message.starts_with("a.zarr: chunk c/0/0/0: expected bytes of the checksum "), "{message}");
}

/// CRC-32C, bit by bit.
fn sum(bytes: &[u8]) -> u32 {
    let step = |sum: u32, _| if sum & 1 == 1 { sum >> 1 ^ 0x82f6_3b78 } else { sum >> 1 };
    !bytes.iter().fold(u32::MAX, |sum, &byte| (0..8).fold(sum ^ u32::from(byte), step))
}

/// Shards of 2 × 6 × 4 numbers, in each of which there are two chunks.
#[test]
fn shards() {
    let all = ImageOptions::default();
    for (location, checksum) in [("end", true), ("start", false)] {
        let index = if checksum { format!("{BYTES}, {{\"name\": \"crc32c\"}}") } else { BYTES.to_owned() };
        let shards = format!(
            "{{\"name\": \"sharding_indexed\", \"configuration\": {{\"chunk_shape\": [2, 3, 4], \
             \"codecs\": [{BYTES}, {{\"name\": \"gzip\"}}], \"index_codecs\": [{index}], \"index_location\": \"{location}\"}}}}"
        );
        let metadata = json(THIRD, BYTES, &shards);
        let metadata = String::from_utf8(metadata).unwrap().replace("[2, 3, 4]}},\n", "[2, 6, 4]}},\n");
        let folder = store(&[("zarr.json", metadata.into_bytes())]);
        for (i, k) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let chunks = [0, 1].map(|j| gzip(&bytes(&chunk([i, j, k]))));
            let length = 32 + if checksum { 4 } else { 0 };
            let first = if location == "start" { length } else { 0 };
            let mut index = Vec::new();
            for (start, chunk) in [(first, &chunks[0]), (first + chunks[0].len(), &chunks[1])] {
                // The last chunk is missing.
                let is_missing = (i, k) == (1, 1) && start > first;
                let entry = if is_missing { [u64::MAX; 2] } else { [start as u64, chunk.len() as u64] };
                index.extend(entry.map(u64::to_le_bytes).concat());
            }
            if checksum {
                index.extend(sum(&index).to_le_bytes());
            }
            let shard = if location == "start" { [index, chunks.concat()] } else { [chunks.concat(), index] };
            let path = folder.path().join(format!("c/{i}/0/{k}"));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, shard.concat()).unwrap();
        }
        let AnyImage::U16(read) = read_store(folder.path(), &all).unwrap() else { panic!("another type") };
        let filled: Vec<u16> = (0..60).map(|k| if k == 59 { 7 } else { k }).collect();
        assert_eq!(read.voxels(), filled, "{location}");
        fs::write(folder.path().join("c/0/0/0"), [0; 20]).unwrap();
        let message = read_store(folder.path(), &all).unwrap_err();
        assert!(message.contains("a.zarr: chunk c/0/0/0: expected "), "{message}");
    }
}

#[test]
fn types_and_fill_values() {
    let second = |dtype: &str, fill: &str| {
        let metadata = json(SECOND, "<u2", dtype);
        String::from_utf8(metadata)
            .unwrap()
            .replace("\"fill_value\": 7", &format!("\"fill_value\": {fill}"))
            .into_bytes()
    };
    let filled = |dtype, fill| {
        load_store(&[(".zarray", second(dtype, fill))]).map(|image| (image.voxel_type(), image.value(0)))
    };
    assert_eq!(filled("|u1", "255"), Ok((VoxelType::U8, 255.0)));
    assert_eq!(filled("<i8", "-3.0"), Ok((VoxelType::I64, -3.0)));
    assert_eq!(filled("|b1", "true"), Ok((VoxelType::U8, 1.0)));
    assert_eq!(filled(">f4", "0.5"), Ok((VoxelType::F32, 0.5)));
    assert_eq!(filled("<f8", "\"-Infinity\""), Ok((VoxelType::F64, f64::NEG_INFINITY)));
    assert_eq!(filled("<f2", "-2"), Ok((VoxelType::F32, -2.0)));
    for (dtype, fill, message) in [
        ("<f8", "\"NaN\"", "voxel (0, 0, 0): expected a number, found NaN"),
        ("<f8", "null", "0.0.0: expected a file for each chunk, as there is no fill value, found none"),
        ("|u1", "256", ".zarray: expected fill_value: a number of u8, found 256"),
        (
            "<c8",
            "0",
            ".zarray: expected dtype: truth values, integers of 8 to 64 bits, or floats of 16 to 64, found \"<c8\"",
        ),
    ] {
        let found = filled(dtype, fill).unwrap_err();
        assert!(found.contains(message), "{found}");
    }
    let truths = load_store(&[(".zarray", second("|b1", "false")), ("0.0.0", vec![2; 24])]).unwrap_err();
    assert!(truths.contains("expected 0 or 1 as a truth value, found another number"), "{truths}");
    let halves = load_store(&[(".zarray", second("<f2", "0")), ("0.0.0", bytes(&[0x3c00; 24]))]).unwrap();
    assert_eq!((halves.value(0), halves.value(59)), (1.0, 0.0));
}

#[test]
fn images_of_ome_zarr() {
    let attributes = r#"{"multiscales": [{"version": "0.4", "axes": [{"name": "t"}, {"name": "c"}, {"name": "z"}, {"name": "y"}, {"name": "x"}],
        "datasets": [{"path": "0"}, {"path": "1"}]}]}"#;
    let array = |shape: &str| json(SECOND, "[3, 4, 5]", shape);
    let array = |shape: &str| {
        String::from_utf8(array(shape)).unwrap().replace("[2, 3, 4]", "[1, 1, 3, 4, 5]").into_bytes()
    };
    let numbers = |first: u16| bytes(&(first..first + 60).collect::<Vec<_>>());
    let group = |attributes: &str, shape: &str| {
        vec![
            (".zgroup", br#"{"zarr_format": 2}"#.to_vec()),
            (".zattrs", attributes.as_bytes().to_vec()),
            ("0/.zarray", array(shape)),
            ("1/.zarray", array("[1, 1, 1, 2, 2]")),
            ("0/0.0.0.0.0", numbers(0)),
            ("0/0.1.0.0.0", numbers(100)),
            ("0/1.0.0.0.0", numbers(200)),
            ("0/1.1.0.0.0", numbers(300)),
        ]
    };
    let AnyImage::U16(single) = load_store(&group(attributes, "[1, 1, 3, 4, 5]")).unwrap() else {
        panic!("another type")
    };
    assert_eq!((single.shape().axes(), single.voxels()[59]), (vec![1, 1, 3, 4, 5], 59));
    let folder = store(&group(attributes, "[2, 2, 3, 4, 5]"));
    let picked = |frame, channel| {
        let options = ImageOptions { frame, channel, ..ImageOptions::default() };
        read_store(folder.path(), &options)
    };
    for (frame, channel, first) in [(0, 0, 0), (0, 1, 100), (1, 0, 200), (1, 1, 300)] {
        let expected = AnyImage::U16(image(&[3, 4, 5], Order::C, (first..first + 60).collect()));
        assert_eq!(picked(Some(frame), Some(channel)), Ok(expected));
    }
    let message = picked(None, None).unwrap_err();
    assert!(message.contains("expected 1 to 3 axes of more than one voxel, found shape [2, 2, 3, 4, 5]; --frame N and --channel N take"), "{message}");
    let message = picked(Some(0), None).unwrap_err();
    assert!(
        message.contains("found shape [2, 3, 4, 5]; --channel N takes one place along the axis c"),
        "{message}"
    );
    let message = picked(Some(2), Some(0)).unwrap_err();
    assert!(message.contains("expected a frame from 0 to 1, found frame 2"), "{message}");
    let level = ImageOptions { key: Some("1".to_owned()), ..ImageOptions::default() };
    assert_eq!(read_store(folder.path(), &level).unwrap().shape().axes(), [1, 1, 1, 2, 2]);
    for (attributes, message) in [
        (
            "{}",
            "expected an array, or the images of OME-Zarr, found a group: arrays 0, 1; --key NAME takes one of the arrays",
        ),
        ("{", ".zattrs: expected JSON, found EOF while parsing"),
        (r#"{"multiscales": [{}]}"#, ".zattrs: expected the path of the finest image, found null"),
        (
            r#"{"multiscales": [{}, {}]}"#,
            ".zattrs: expected one image in multiscales, found 2; --key NAME takes",
        ),
        (
            r#"{"multiscales": [{"datasets": [{"path": "../a"}]}]}"#,
            ".zattrs: expected the path of an array, found \"../a\"",
        ),
        (
            r#"{"multiscales": [{"axes": ["y", "x"], "datasets": [{"path": "0"}]}]}"#,
            ".zattrs: expected 5 axes, found [\"y\", \"x\"]",
        ),
    ] {
        let found = load_store(&group(attributes, "[1, 1, 3, 4, 5]")).unwrap_err();
        assert!(found.contains(message), "{found}");
    }
    for key in ["2", "..", "../a"] {
        let options = ImageOptions { key: Some(key.to_owned()), ..ImageOptions::default() };
        let found = read_store(folder.path(), &options).unwrap_err();
        assert!(found.contains(&format!("expected an array called {key:?}, found arrays 0, 1")), "{found}");
    }
    // Version 0.5 has its attributes in the group's metadata of version 3.
    let group =
        br#"{"zarr_format": 3, "node_type": "group", "attributes": {"ome": {"version": "0.5", "multiscales":
        [{"axes": [{"name": "z"}, {"name": "y"}, {"name": "x"}], "datasets": [{"path": "full/0"}]}]}}}"#;
    let files = [("zarr.json", group.to_vec()), ("full/0/zarr.json", THIRD.as_bytes().to_vec())];
    assert_eq!(load_store(&files).unwrap().shape().axes(), [3, 4, 5]);
}

#[test]
fn stores_that_are_refused() {
    for (from, to, message) in [
        (
            "\"filters\": null",
            "\"filters\": [{\"id\": \"delta\"}]",
            "expected filters: none, found [{\"id\":\"delta\"}]; in Python, zarr.save_array(",
        ),
        (
            "\"compressor\": null",
            "\"compressor\": {\"id\": \"lzma\"}",
            "expected compressor: null, gzip, zlib, zstd or blosc, found {\"id\":\"lzma\"}; in Python, zarr.save_array(",
        ),
        (
            "[2, 3, 4]",
            "[2, 3]",
            "expected as many axes of chunks as of the array, 1 to 32, found shape [3, 4, 5], chunks [2, 3]",
        ),
        (
            "[2, 3, 4]",
            "[2, 0, 4]",
            "expected chunks of at least one number, and of less than 2^59, found chunks [2, 0, 4]",
        ),
        (
            "[2, 3, 4]",
            "[4294967296, 4294967296, 4]",
            "expected chunks of at least one number, and of less than 2^59",
        ),
        ("[3, 4, 5]", "[3, 4, -5]", "expected shape: a list of whole numbers, found [3,4,-5]"),
        ("[3, 4, 5]", "[3, 4, 0]", "expected at least one voxel along each axis, found shape [3, 4, 0]"),
        ("\"C\"", "\"K\"", "expected order: C or F, found \"K\""),
        ("\"<u2\"", "[]", "expected dtype: a type of numbers, such as \"<u2\", found []"),
        (
            "\"C\"",
            "\"C\", \"dimension_separator\": \"-\"",
            "expected dimension_separator: \".\" or \"/\", found \"-\"",
        ),
    ] {
        let found = load_store(&[(".zarray", json(SECOND, from, to))]).unwrap_err();
        assert!(found.contains(message), "{found}");
    }
    let codecs = |list: &str| json(THIRD, BYTES, list);
    let one_of = "expected codecs: transpose, then bytes, then gzip, zstd, blosc or crc32c, or sharding_indexed with these, found ";
    for (metadata, message) in [
        (
            json(THIRD, "uint16", "complex64"),
            "expected data_type: bool, int8 to int64, uint8 to uint64, or float16 to float64, found \"complex64\"",
        ),
        (json(THIRD, "\"regular\"", "\"rectangular\""), "expected chunk_grid: a regular grid, found {"),
        (
            json(THIRD, "\"default\"", "\"other\""),
            "expected chunk_key_encoding: default or v2, with \".\" or \"/\", found {",
        ),
        (codecs(&format!("{BYTES}, {{\"name\": \"pcodec\"}}")), one_of),
        (codecs("{\"name\": \"gzip\"}"), one_of),
        (codecs(""), "expected codecs: bytes, or sharding_indexed, found []; in Python, zarr.save_array("),
        (codecs("{\"name\": \"bytes\"}"), "expected codecs: bytes, little or big endian, found ["),
        (
            codecs(&format!("{BYTES}, {{\"name\": \"gzip\"}}, {{\"name\": \"zstd\"}}")),
            "expected codecs: one compression, found [",
        ),
        (
            codecs("{\"name\": \"transpose\", \"configuration\": {\"order\": [0, 0, 1]}}"),
            "expected codecs: an order of all axes to transpose, found [",
        ),
        (
            codecs("{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [2, 2, 4]}}"),
            "expected chunk_shape: a part of the shards of [2, 3, 4], found [2,2,4]",
        ),
        (
            String::from_utf8(codecs(
                "{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [1, 1, 1]}}",
            ))
            .unwrap()
            .replace("[2, 3, 4]", "[0, 0, 0]")
            .into_bytes(),
            "expected chunk_shape: a part of the shards of [0, 0, 0], found [1,1,1]",
        ),
        (
            codecs("{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [1, 3, 4]}}"),
            "expected index_codecs: bytes, little-endian, and crc32c, found none",
        ),
    ] {
        let found = load_store(&[("zarr.json", metadata)]).unwrap_err();
        assert!(found.contains(message), "{found}");
    }
    let short = load_store(&[(".zarray", SECOND.into()), ("0.0.0", vec![0; 47])]).unwrap_err();
    assert_eq!(
        short,
        "a.zarr: chunk 0.0.0: expected 48 bytes, found 47 (taken for zarr: a directory with metadata of Zarr; --format says otherwise)"
    );
    // A chunk of Blosc of 16 bytes promises a gibibyte, compressed with LZ4 in one block or in many.
    for block in [1_u32 << 30, 1 << 10] {
        let blosc = json(SECOND, "\"compressor\": null", "\"compressor\": {\"id\": \"blosc\"}");
        let blosc = String::from_utf8(blosc).unwrap().replace("[2, 3, 4]", "[512, 1024, 1024]");
        let words = [1_u32 << 30, block, 16].map(u32::to_le_bytes).concat();
        let chunk = [&[2, 1, 0x30, 2][..], &words].concat();
        let found = load_store(&[(".zarray", blosc.into_bytes()), ("0.0.0", chunk)]).unwrap_err();
        let expected = "expected a chunk of Blosc that can hold 1073741824 bytes, found one of 16 bytes";
        assert!(found.contains(expected), "{found}");
    }
    let empty = store(&[]);
    let given = ImageOptions { format: Some(ImageFormat::Zarr), ..ImageOptions::default() };
    let found = read_store(empty.path(), &given).unwrap_err();
    assert_eq!(
        found,
        "a.zarr: expected a directory of Zarr, in which there is a file zarr.json, .zarray or .zgroup, found none (format zarr)"
    );
    let file = load("file", b"x", Some(ImageFormat::Zarr)).unwrap_err();
    assert!(file.contains("expected a directory of Zarr"), "{file}");
    let unlike = ImageOptions { format: Some(ImageFormat::Npy), ..ImageOptions::default() };
    assert!(read_store(store(&[(".zarray", SECOND.into())]).path(), &unlike).is_err());
    // Ten bytes of metadata promise more than memory holds.
    let huge = json(SECOND, "[3, 4, 5]", "[1000000000000, 1000000000000, 1000]");
    let found = load_store(&[(".zarray", huge)]).unwrap_err();
    assert!(found.contains("expected fewer than 2^63 voxels"), "{found}");
}

#[test]
fn nothing_is_read_that_is_too_long() {
    let folder = store(&[(".zarray", SECOND.into()), ("0.0.0", Vec::new())]);
    // Sparse files, which would fill the memory.
    let long = |name: &str, length| fs::File::create(folder.path().join(name)).unwrap().set_len(length);
    long("0.0.0", 1 << 36).unwrap();
    let found = read_store(folder.path(), &ImageOptions::default()).unwrap_err();
    assert!(found.contains("chunk 0.0.0: expected 48 bytes, found more"), "{found}");
    long(".zarray", 1 << 36).unwrap();
    let found = read_store(folder.path(), &ImageOptions::default()).unwrap_err();
    let expected = ".zarray: expected at most 16777216 bytes of metadata, found 68719476736";
    assert!(found.contains(expected), "{found}");
}

#[test]
fn nothing_outside_of_a_store_is_opened() {
    let folder = store(&[("a/.zgroup", b"{}".to_vec()), ("b/.zarray", b"broken".to_vec())]);
    let (group, other) = (folder.path().join("a"), folder.path().join("b"));
    let refused = |options: &ImageOptions, expected: &str| {
        let found = read(&group, options).unwrap_err().to_string();
        assert!(found.contains(expected), "{found}");
    };
    for key in ["../b", "x/../../b", other.to_str().unwrap()] {
        let options = ImageOptions { key: Some(key.to_owned()), ..ImageOptions::default() };
        refused(&options, &format!("expected an array called {key:?}, found no arrays"));
    }
    for path in ["../b", other.to_str().unwrap()] {
        let attributes = format!(r#"{{"multiscales": [{{"datasets": [{{"path": {path:?}}}]}}]}}"#);
        fs::write(group.join(".zattrs"), attributes).unwrap();
        refused(&ImageOptions::default(), &format!("expected the path of an array, found {path:?}"));
    }
}

#[test]
fn reading_ends_within_a_row_of_missing_chunks() {
    // A row of 10,000 chunks, of which the last is broken.
    let metadata = json(SECOND, "[3, 4, 5]", "[1, 100, 100]");
    let metadata = String::from_utf8(metadata).unwrap().replace("[2, 3, 4]", "[1, 1, 1]");
    let folder = store(&[(".zarray", metadata.into_bytes()), ("0.99.99", vec![0; 7])]);
    let mut stream = open(folder.path(), &ImageOptions::default()).unwrap();
    let asked = std::cell::Cell::new(0);
    let stop = || asked.replace(asked.get() + 1) == 20;
    match stream.read_bytes(&mut [0; 20_000], &stop) {
        Err(ImageReadError::Io { error, .. }) => assert_eq!(error.kind(), std::io::ErrorKind::Interrupted),
        read => panic!("{read:?}"),
    }
    assert_eq!(asked.get(), 21);
    // Who reads the whole image may unwind.
    let stream = open(folder.path(), &ImageOptions::default()).unwrap();
    let asked = std::cell::Cell::new(0);
    let ends = |_| {
        if asked.replace(asked.get() + 1) == 20 {
            std::panic::resume_unwind(Box::new("the end"))
        }
    };
    let read = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| stream.image_watched(&ends)));
    assert_eq!(read.unwrap_err().downcast_ref::<&str>(), Some(&"the end"));
}
