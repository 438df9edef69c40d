//! Directories of Zarr, versions 2 and 3, and of OME-Zarr.

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

/// Chunks that numcodecs 0.16 wrote: 24 numbers of `u16`, those of the first chunk, with each compressor.
#[test]
fn compressors_of_other_programs() {
    for (compressor, packed) in COMPRESSED {
        let packed: Vec<u8> = (0..packed.len() / 2)
            .map(|k| u8::from_str_radix(&packed[2 * k..2 * k + 2], 16).unwrap())
            .collect();
        let metadata = json(SECOND, "\"compressor\": null", &format!("\"compressor\": {compressor}"));
        let metadata = String::from_utf8(metadata)
            .unwrap()
            .replace("[2, 3, 4]", "[3, 4, 5]")
            .replace("[3, 4, 5]", "[2, 3, 400]");
        let files = [(".zarray", metadata.into_bytes()), ("0.0.0", packed)];
        let AnyImage::U16(read) = load_store(&files).unwrap() else { panic!("another type") };
        let expected: Vec<u16> = (0..2400).map(|k| k / 3 * 5 % 1000).collect();
        assert_eq!(read.voxels(), expected, "{compressor}");
        // A chunk that is cut, or of which a byte is another, is an error or other numbers, and no panic.
        for k in 0..files[1].1.len() {
            let mut broken = files.clone();
            broken[1].1[k] ^= 1 << (k % 8);
            let _ = load_store(&broken);
            broken[1].1.truncate(k);
            let cut = load_store(&broken).unwrap_err();
            assert!(cut.contains("chunk 0.0.0: expected "), "{cut}");
        }
    }
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

/// Configurations of numcodecs, and in hexadecimal digits what they make of the numbers ⌊k/3⌋ · 5 mod 1000 for k <
/// 2400.
#[rustfmt::skip]
const COMPRESSED: [(&str, &str); 5] = [
    (r#"{"id": "zstd", "level": 1, "checksum": false}"#,
     "28b52ffd60c0115d1b009433000000000000050a0f14191e23282d32373c41464b50555a5f64696e73787d82878c91969ba0a5aaafb4\
      b9bec3c8cdd2d7dce1e6ebf0f5faff0401090e13181d22272c31363b40454a4f54595e63686d72777c81868b90959a9fa4a9aeb3b8bd\
      c2c7ccd1d6dbe0e5eaeff4f9fe0302080d12171c21262b30353a3f44494e53585d62676c71767b80858a8f94999ea3a8adb2b7bcc1c6\
      cbd0d5dadfe4e9eef3f8fd0203070c11161b20252a2f34393e43484d52575c61666b70757a7f84898e93989da2a7acb1b6bbc0c5cacf\
      d4d9dee30000050a0f14191e23282d32373c41464b50555a5f64696e73787d82878c91969ba0a5aaafb4b9bec3c8cdd2d7dce1e6ebf0\
      f5faff0401090e13181d22272c31363b40454a4f54595e63686d72777c81868b90959a9fa4a9aeb3b8bdc2c7ccd1d6dbe0e5eaeff4f9\
      fe0302080d12171c21262b30353a3f44494e53585d62676c71767b80858a8f94999ea3a8adb2b7bcc1c6cbd0d5dadfe4e9eef3f8fd02\
      03070c11161b20252a2f34393e43484d52575c61666b70757a7f84898e93989da2a7acb1b6bbc0c5cacfd4d9dee30000050a0f14191e\
      23282d32373c41464b50555a5f64696e73787d82878c91969ba0a5aaafb4b9bec3c8cdd2d7dce1e6ebf0f5faff0401090e13181d2227\
      2c31363b40454a4f54595e63686d72777c81868b90959a9fa4a9aeb3b8bdc2c7ccd1d6dbe0e5eaeff4f9fe0302080d12171c21262b30\
      353a3f44494e53585d62676c71767b80858a8f94999ea3a8adb2b7bcc1c6cbd0d5dadfe4e9eef3f8fd0203070c11161b20252a2f3439\
      3e43484d52575c61666b70757a7f84898e93989da2a7acb1b6bbc0c5cacfd4d9dee30000050a0f14191e23282d32373c41464b50555a\
      5f64696e73787d82878c91969ba0a5aaafb4b9bec3c8cdd2d7dce1e6ebf0f5faff0401090e13181d22272c31363b40454a4f54595e63\
      686d72777c81868b90959a9fa4a9aeb3b8bdc2c7ccd1d6dbe0e5eaeff4f9fe0302080d12171c21262b30353a3f44494e53585d62676c\
      71767b80858a8f94999ea3a8adb2b7bcc1c6cbd0d5dadfe4e9eef3f8fd0203070c11161b20252a2f34393e43484d52575c61666b7075\
      7a7f84898e93989da2a7acb1b6bbc0c5cacfd4d9dee303e303e303831ea812c06fcde21f031260f007390389084504cb86d34bf12611\
      61d9e0f42ade28222c1b9c5e893745042dc84aad56"),
    (r#"{"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}"#,
     "02012102c0120000c0120000bc020000140000006b020000ffffff4b0000000505050a0a0a0f0f0f1414141919191e1e1e2323232828\
      282d2d2d3232323737373c3c3c4141414646464b4b4b5050505555555a5a5a5f5f5f6464646969696e6e6e7373737878787d7d7d8282\
      828787878c8c8c9191919696969b9b9ba0a0a0a5a5a5aaaaaaafafafb4b4b4b9b9b9bebebec3c3c3c8c8c8cdcdcdd2d2d2d7d7d7dcdc\
      dce1e1e1e6e6e6ebebebf0f0f0f5f5f5fafafaffffff0404040909090e0e0e1313131818181d1d1d2222222727272c2c2c3131313636\
      363b3b3b4040404545454a4a4a4f4f4f5454545959595e5e5e6363636868686d6d6d7272727777777c7c7c8181818686868b8b8b9090\
      909595959a9a9a9f9f9fa4a4a4a9a9a9aeaeaeb3b3b3b8b8b8bdbdbdc2c2c2c7c7c7ccccccd1d1d1d6d6d6dbdbdbe0e0e0e5e5e5eaea\
      eaefefeff4f4f4f9f9f9fefefe0303030808080d0d0d1212121717171c1c1c2121212626262b2b2b3030303535353a3a3a3f3f3f4444\
      444949494e4e4e5353535858585d5d5d6262626767676c6c6c7171717676767b7b7b8080808585858a8a8a8f8f8f9494949999999e9e\
      9ea3a3a3a8a8a8adadadb2b2b2b7b7b7bcbcbcc1c1c1c6c6c6cbcbcbd0d0d0d5d5d5dadadadfdfdfe4e4e4e9e9e9eeeeeef3f3f3f8f8\
      f8fdfdfd0202020707070c0c0c1111111616161b1b1b2020202525252a2a2a2f2f2f3434343939393e3e3e4343434848484d4d4d5252\
      525757575c5c5c6161616666666b6b6b7070707575757a7a7a7f7f7f8484848989898e8e8e9393939898989d9d9da2a2a2a7a7a7acac\
      acb1b1b1b6b6b6bbbbbbc0c0c0c5c5c5cacacacfcfcfd4d4d4d9d9d9dededee3e3e35802fffffffffffff650dedee3e3e3350000001f\
      000100881f010100851f020100851f030100760f5702881f005702851f015702851f025702760f5802ffffffff9d500303030303"),
    (r#"{"id": "blosc", "cname": "lz4hc", "clevel": 5, "shuffle": 2, "blocksize": 0}"#,
     "02012402c0120000c0120000fb00000014000000ad0000003f388ee30300ff173fc00ffc0300ff173f387e1c0300ff176fc08f1f3f70\
      e00600320f4b00cecf00f01fc07f00ff0fe03f80ff0c002c0f4b00cfff0800e0ff7f0000f0ff3f0000ffff1f0080ffff0f00c0ffff18\
      00200f4b00d010000f0010ff1b0000270010ff1b001000270010ff33001000270000330010003f003fffffff3000080f4b00d2150033\
      0015ff1b0005330015ff4b00010100051300153f13000163000f4b00cc50ffffffffff320000001e0001002df0ff01001e1f26001dc0\
      25000f4b00e10f0100002ee0ff01000f4b00e00f0100fffffffffffff5500000000000"),
    (r#"{"id": "blosc", "cname": "zlib", "clevel": 3, "shuffle": 0, "blocksize": 0}"#,
     "02016002c0120000c01200000a0300001400000077010000785eedd4f96b0e0000c6f1f15a8e1c6d96a3212c264766391a7234e4c8c8\
      9123232c262647438e98cc1a1a8b2d478e8c1c616de4c8912347434cb6c584e528532853a386decf7fb17a9fcf7ff0fcf00d0b0b2e9c\
      66b4228af67422861ef4219e410c65246398c064a6339b79a4b084e5ac661d9bd84a16bbc8259f431ce3246729e412d7b8c53d1ef194\
      1754f0862a3ef3951ffce20fff68d420a8292d694d3b3ad295587ad38f810c6104a319cf24a6318bb92c24953456b1968d64b09d9dec\
      218f831ce50467b8c045ae7293bb3ce409a59453c97b3e51cd776af8cd5f020d839ad08248dad2812e74a717710c6030c319c5389298\
      ca4c9259c06296b192356c600b99ec6037fb38c0110a38cd798ab9c20deef080c73ca78cd7bce3235ff8c64f6aa9c36181c634278236\
      44d3996ef4a42ffd496018898c65225398c11ce6b388a5ac209df56c661bd9e4b097fd1ce638a738471197b9ce6dee53c2335ef28ab7\
      7c40ae42bd0af52ad4ab50afea41affe03d49d50f977010000785eedd4f96b0e0000c6f1f15a8e1c6d96a3212c264766391a7234e4c8\
      c89123232c262647438e98cc1a1a8b2d478e8c1c616de4c8912347434cb6c584e528532853a386decf7fb17a9fcf7ff0fcf00d0b0b2e\
      9c66b4228af67422861ef4219e410c65246398c064a6339b79a4b084e5ac661d9bd84a16bbc8259f431ce3246729e412d7b8c53d1ef1\
      941754f0862a3ef3951ffce20fff68d420a8292d694d3b3ad295587ad38f810c6104a319cf24a6318bb92c24953456b1968d64b09d9d\
      ec218f831ce50467b8c045ae7293bb3ce409a59453c97b3e51cd776af8cd5f020d839ad08248dad2812e74a717710c6030c319c53892\
      98ca4c9259c06296b192356c600b99ec6037fb38c0110a38cd798ab9c20deef080c73ca78cd7bce3235ff8c64f6aa9c36181c6342782\
      3644d3996ef4a42ffd496018898c65225398c11ce6b388a5ac209df56c661bd9e4b097fd1ce638a738471197b9ce6dee53c2335ef28a\
      b77c40ae42bd0af52ad4ab50afea41affe03d49d50f9"),
    (r#"{"id": "blosc", "cname": "zstd", "clevel": 1, "shuffle": 2, "blocksize": 1600}"#,
     "02019402c012000040060000310200001c000000ce00000081010000ae00000028b52ffd60400525050062461018c0258d01c0fbe0f1\
      abfebf9381d90d50f5655e2550355329afff4595fe4d75fcabceffa9d63f51df9c27d26b5d747c3aa99b1d46c503140d6c0888c21841\
      20022d20c0029aa1f55750c1af8682e12802dc82020076835f064fe8010302349c37dcc09500113815e440230d9a00c112fe0d167081\
      89b43809e0e0dff082d304fac2138108d0bf84cf0acbb26dc17e8ed08be59512c10548a0c59f86631aee4487af00000028b52ffd6040\
      052d050082461018c0258d01c0fbe0f1abfebf9381d90d50f5655e2550355329aaaf3affa75aff44f5bfa8d2bfa98edf37e789f45a17\
      1d9f4eea668751b103140dc410b0c20882202e2000839119de165410219c93e0e040242e1c1705388033c1181024401379c180a086f3\
      8607701c340341813ed06c8322e024e1df80c00b26dee2348172e16100a717702fd6d5e61e06563b101b35caf03fed02e13041691637\
      0db769b8131c02ac00000028b52ffd604005150500b2861018c0258d01c0fbe0f1abfebf9381d90d50f5655e2550355329aafa1755fa\
      37d5b1feaaf37faaf54f544fdf9c27d26b5d747cc549ddec301ad8018a0262182b0804212c20d0029aa2735354a8708815c0496c09a7\
      0716386d380337013c31be6080c1b161030290588b53810efe0d7c8140010e9e368804dc25d01a2070f6423400734dd8bf60fb68ed17\
      cca495eaec3b723d01ef0321296e1aae69b8131d02"),
];
