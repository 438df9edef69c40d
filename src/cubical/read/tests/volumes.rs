//! Volumes that a header of text describes: `nrrd`, `metaimage`, `vgi` and `vol`.

use std::fs;
use std::path::Path;

use super::*;

/// The numbers 0 to 23, of which the images are made: 2 × 3 × 4, the first axis fastest.
fn numbers() -> Vec<i16> {
    (0..24).map(|k| 7 * k - 60).collect()
}

fn expected() -> AnyImage {
    AnyImage::I16(image(&[2, 3, 4], Order::F, numbers()))
}

fn little() -> Vec<u8> {
    numbers().into_iter().flat_map(i16::to_le_bytes).collect()
}

fn big() -> Vec<u8> {
    numbers().into_iter().flat_map(i16::to_be_bytes).collect()
}

fn text() -> Vec<u8> {
    let words: Vec<String> = numbers().iter().map(i16::to_string).collect();
    (words.join(" ") + "\n").into_bytes()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn nrrd(lines: &str, data: &[u8]) -> Vec<u8> {
    let header = "NRRD0004\n# by hand\ndimension: 3\nsizes: 2 3 4\n";
    [header.as_bytes(), lines.as_bytes(), b"\n\n", data].concat()
}

fn metaimage(lines: &str, data: &[u8]) -> Vec<u8> {
    let header = "ObjectType = Image\nNDims = 3\nDimSize = 2 3 4\n";
    [header.as_bytes(), lines.as_bytes(), b"\n", data].concat()
}

fn vgi(lines: &str) -> Vec<u8> {
    let header = "{volume1}\n[representation]\nsize = 2 3 4\n[file1]\nRegionStart = 0 0 0\nRegionSize = 2 3 4\n\
                  FileFormat = raw\nName = C:\\scans\\a.vol\n";
    let rest = "\n{volumeprimitive12}\n[geometry]\nresolution = 0.1 0.1 0.1\n";
    [header, lines, rest].concat().into_bytes()
}

const VGI: &str = "Size = 2 3 4\nDatatype = signed integer\nBitsPerElement = 16\nEndian = Little";

fn vol(lines: &str, data: &[u8]) -> Vec<u8> {
    let header = "Center-X: 0\nCenter-Y: 0\nCenter-Z: 0\nX: 2\nY: 3\nZ: 4\nVoxel-Size: 1\nAlpha-Color: 0\n";
    [header.as_bytes(), lines.as_bytes(), b".\n", data].concat()
}

/// Reads the first of some files in a folder of their own, and checks that a stream in small pieces says the same.
fn read_files(files: &[(&str, Vec<u8>)], format: Option<ImageFormat>) -> Result<AnyImage, String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    read_in(folder.path(), files[0].0, format)
}

fn read_in(folder: &Path, name: &str, format: Option<ImageFormat>) -> Result<AnyImage, String> {
    let options = ImageOptions { format, ..ImageOptions::default() };
    let path = folder.join(name);
    let clean = |error: ImageReadError| error.to_string().replace(&format!("{}/", folder.display()), "");
    let whole = read(&path, &options).map_err(clean)?;
    let mut stream = open(&path, &options).unwrap();
    is_the_same_in_pieces(&mut stream, &whole, &[5, 1, 7, 24]);
    Ok(whole)
}

#[test]
fn nrrd_with_voxels_after_the_header() {
    for (lines, data) in [
        ("type: short\nencoding: raw\nendian: little", little()),
        ("type: int16_t\nencoding: raw\nendian: big\nkinds: domain space time", big()),
        ("type: signed short int\nencoding: gzip\nendian: little\nkey:=value of a key", gzip(&little())),
        ("type: short\nencoding: ascii", text()),
        (
            "type: short\nencoding: raw\nendian: little\nline skip: 2\nbyte skip: 3",
            [b"a\nb\nabc", &little()[..]].concat(),
        ),
        (
            "type: short\nencoding: raw\nendian: little\nline skip: 3",
            [&[b'a'; 40_000][..], b"\n\n", &[b'b'; 20_000], b"\n", &little()].concat(),
        ),
        ("type: short\nencoding: raw\nendian: little\nbyte skip: -1", [b"anything", &little()[..]].concat()),
        (
            "type: short\nencoding: gz\nendian: big\nbyteskip: 2\nlineskip: 1",
            [b"a\n", &gzip(&[b"ab", &big()[..]].concat())[..]].concat(),
        ),
    ] {
        let file = nrrd(lines, &data);
        assert_eq!(load("a", &file, None), Ok(expected()), "{lines}");
        assert_eq!(load("a", &file, Some(ImageFormat::Nrrd)), Ok(expected()), "{lines}");
        assert_eq!(read_files(&[("a.nrrd", file.clone())], None), Ok(expected()), "{lines}");
        let windows = lines.replace('\n', "\r\n");
        if !lines.contains("skip") {
            let header = format!("NRRD0005\r\ndimension: 3\r\nsizes: 2 3 4\r\n{windows}\r\n\r\n");
            assert_eq!(load("a", &[header.as_bytes(), &data].concat(), None), Ok(expected()), "{lines}");
        }
    }
}

/// A header longer than what is held of the beginning of a file.
#[test]
fn long_headers() {
    let segments: String = (0..2000).map(|k| format!("Segment{k}_Name:=a part of the body\n")).collect();
    let file = nrrd(&format!("{segments}type: short\nencoding: raw\nendian: little"), &little());
    assert_eq!(load("a.seg.nrrd", &file, None), Ok(expected()));
    assert_eq!(read_files(&[("a.nrrd", file.clone())], None), Ok(expected()));
    assert_eq!(load("a.nrrd.gz", &gzip(&file), None), Ok(expected()));
    let endless = [b"NRRD0004\n".to_vec(), b"# more\n".repeat(700_000)].concat();
    let message = load("a.nrrd", &endless, None).unwrap_err();
    assert!(message.contains("expected the end of a header within 4194304 bytes, found none"), "{message}");
}

#[test]
fn nrrd_with_voxels_in_other_files() {
    let header = |lines: &str| {
        format!("NRRD0004\ntype: short\ndimension: 3\nsizes: 2 3 4\nendian: little\n{lines}").into_bytes()
    };
    let slice = |k: usize| little()[12 * k..12 * (k + 1)].to_vec();
    let name = |k: usize| ["s08", "s09", "s10", "s11"][k];
    let slices: Vec<(&str, Vec<u8>)> = (0..4).map(|k| (name(k), slice(k))).collect();
    for lines in ["encoding: raw\ndata file: a.raw\n", "data file: ./a.raw\nencoding: raw\n\n"] {
        let files = [("a.nhdr", header(lines)), ("a.raw", little())];
        assert_eq!(read_files(&files, None), Ok(expected()), "{lines}");
    }
    let files = [("a.nhdr", header("encoding: gzip\ndatafile: a.raw.gz\n")), ("a.raw.gz", gzip(&little()))];
    assert_eq!(read_files(&files, None), Ok(expected()));
    for lines in
        ["encoding: raw\ndata file: s%02d 8 11 1\n", "encoding: raw\ndata file: LIST\ns08\ns09\ns10\ns11\n"]
    {
        let files = [vec![("a.nhdr", header(lines))], slices.clone()].concat();
        assert_eq!(read_files(&files, None), Ok(expected()), "{lines}");
    }
    let lines = "encoding: raw\nbyte skip: 1\ndata file: LIST 3\nfirst\nsecond\n";
    let halves = [("first", [b"x", &little()[..24]].concat()), ("second", [b"x", &little()[24..]].concat())];
    let files = [vec![("a.nhdr", header(lines))], halves.to_vec()].concat();
    assert_eq!(read_files(&files, None), Ok(expected()));
    let packed: Vec<(&str, Vec<u8>)> = (0..4).map(|k| (name(k), gzip(&slice(k)))).collect();
    let files = [vec![("a.nhdr", header("encoding: gzip\ndata file: s%02d 8 11 1\n"))], packed].concat();
    assert_eq!(read_files(&files, None), Ok(expected()));

    let detached = "(taken for nrrd: begins with NRRD's magic bytes; --format says otherwise)";
    let missing = read_files(&[("a.nhdr", header("encoding: raw\ndata file: a.raw\n"))], None).unwrap_err();
    assert!(
        missing.starts_with("a.nhdr: expected the file \"a.raw\", which the header names, found "),
        "{missing}"
    );
    assert!(missing.ends_with(detached), "{missing}");
    let files = [("a.nhdr", header("encoding: raw\ndata file: a.raw\n")), ("a.raw", little()[1..].to_vec())];
    assert_eq!(
        read_files(&files, None).unwrap_err(),
        format!(
            "a.nhdr: expected 48 bytes, 2x3x4 voxels of type i16, found 47; this is the file \"a.raw\", which the header names {detached}"
        )
    );
    let memory = load("a.nhdr", &header("encoding: raw\ndata file: a.raw\n"), None).unwrap_err();
    assert!(
        memory.contains("found a header that does not come from a file, so that it is in no folder"),
        "{memory}"
    );
    let files =
        [vec![("a.nhdr", header("encoding: raw\ndata file: s%02d 8 10 1\n"))], slices.clone()].concat();
    let message = read_files(&files, None).unwrap_err();
    assert!(
        message.contains("expected files that hold as many of 4 slices each, found 3 files"),
        "{message}"
    );
    let mut short = [vec![("a.nhdr", header("encoding: raw\ndata file: s%02d 8 11 1\n"))], slices].concat();
    short[3].1.pop();
    let message = read_files(&short, None).unwrap_err();
    assert!(
        message.contains("expected 12 bytes, 6 voxels of type i16, found 11; this is the file \"s10\""),
        "{message}"
    );
}

/// What a header names may be anything; to open or read it could take for ever.
#[cfg(unix)]
#[test]
fn only_regular_files_hold_voxels() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("zeros")).unwrap();
    for name in ["zeros", "/dev/zero", ".", "-"] {
        let lines = format!("type: short\nencoding: raw\nendian: little\nline skip: 1\ndata file: {name}");
        fs::write(folder.path().join("a.nhdr"), nrrd(&lines, &[])).unwrap();
        let message = read_in(folder.path(), "a.nhdr", None).unwrap_err();
        let found = if name == "-" { "No such file" } else { "no regular file" };
        let expected = format!("expected the file {name:?}, which the header names, found {found}");
        assert!(message.contains(&expected), "{message}");
    }
}

#[test]
fn nrrd_that_is_refused() {
    let good = "type: short\nencoding: raw\nendian: little";
    for (file, message) in [
        (
            nrrd(good, &little()[1..]),
            "expected 135 bytes, 2x3x4 voxels of type i16 from byte 87 on, found 134",
        ),
        (b"NRRD0009\n".to_vec(), "line 1: expected NRRD0001 to NRRD0005, found \"NRRD0009\""),
        (
            nrrd("type: block", &[]),
            "line 5: expected a type of integers of 8 to 64 bits, float or double, found type \"block\"",
        ),
        (
            nrrd("type float", &[]),
            "line 5: expected a field such as `type: float`, or a comment after #, found \"type float\"",
        ),
        (nrrd("encoding: raw", &[]), "expected a header with a line \"type\", found a header without one"),
        (nrrd("type: short\ntype: int", &[]), "line 6: expected one line \"type\", found another"),
        (
            nrrd("type: short\nencoding: raw", &[]),
            "expected a line \"endian\", little or big, for numbers of i16, found a header without one",
        ),
        (
            nrrd("type: short\nencoding: raw\nendian: pdp", &[]),
            "line 7: expected little or big, found endian \"pdp\"",
        ),
        (
            nrrd("type: short\nencoding: bzip2\nendian: little", &[]),
            "line 6: expected encoding raw, gzip or text, found encoding \"bzip2\"; in Python, nrrd.write(\"x.nrrd\", *nrrd.read(FILE)) writes it with gzip",
        ),
        (
            nrrd("type: short\nencoding: hex", &[]),
            "line 6: expected encoding raw, gzip or text, found encoding \"hex\"; in Python, nrrd.write(\"x.nrrd\", *nrrd.read(FILE)) writes it with gzip",
        ),
        (
            nrrd("kinds: RGB-color domain domain\ntype: short\nencoding: raw\nendian: little", &[]),
            "line 5: expected axes of space and time only, found 2 samples of kind RGB-color along axis 0, counted from 0; in Python, a, head = nrrd.read(FILE); numpy.save(\"x.npy\", a[0, :, :]) takes the first",
        ),
        (
            nrrd("kinds: domain\ntype: short", &[]),
            "line 5: expected a kind for each of 3 axes, found kinds \"domain\"",
        ),
        (
            nrrd("type: short\nencoding: gzip\nendian: big\nbyte skip: -1", &[]),
            "line 8: expected -1 with encoding raw only, found byte skip \"-1\"",
        ),
        (
            nrrd("type: short\nencoding: raw\nendian: big\nbyte skip: -2", &[]),
            "line 8: expected -1, or a number from 0 on, found byte skip \"-2\"",
        ),
        (
            nrrd("type: short\nencoding: raw\nendian: big\nline skip: x", &[]),
            "line 8: expected a whole number, found line skip \"x\"",
        ),
        (
            nrrd("type: short\nencoding: raw\nendian: big\nline skip: 9223372036854775807", &[0; 9]),
            "expected 172 bytes, 2x3x4 voxels of type i16 from byte 124 on, found 124",
        ),
        (
            nrrd("space directions: none (1, 0) (0, 1)\ntype: short\nencoding: raw\nendian: big", &[]),
            "line 5: expected axes of space and time only, found 2 samples without a direction in space along axis 0, counted from 0; in Python, a, head = nrrd.read(FILE); numpy.save(\"x.npy\", a[0, :, :]) takes the first",
        ),
        (
            nrrd("space directions: (1,0) none\ntype: short", &[]),
            "line 5: expected a direction for each of 3 axes, found space directions \"(1,0) none\"",
        ),
        (
            nrrd("type: short\nencoding: raw\nendian: big\nbyte skip: -1", &[0; 9]),
            "expected a file that ends with the 48 bytes of 2x3x4 voxels, found one of 107 bytes",
        ),
        (
            nrrd("type: short\nencoding: gzip\nendian: big", &gzip(&little()[1..])),
            "expected 48 bytes, 2x3x4 voxels of type i16, found 47",
        ),
        (
            nrrd("type: short\nencoding: text", b"1 2 3"),
            "byte 73: expected at least 47 bytes of values of 2x3x4 voxels, found 5",
        ),
        (
            nrrd("type: short\nencoding: text", &[&text()[..70], b" 1e5"].concat()),
            "expected the value of voxel [1, 1, 3], a number of i16, found \"1e5\"",
        ),
        (
            nrrd("type: short\nencoding: text", &[text(), b"5".to_vec()].concat()),
            "expected the end of the file after 24 values, found \"5\"",
        ),
        (
            nrrd("type: short\nencoding: raw\nendian: big\ndata file: LIST", &[]),
            "line 8: expected a line for each file after LIST, found data file \"LIST\"",
        ),
        (
            nrrd("type: short\nencoding: raw\nendian: big\ndata file: a%d 1 2", &[]),
            "expected the file \"a%d 1 2\", which the header names, found a header that does not come from a file, so that it is in no folder; this is the file \"a%d 1 2\", which the header names",
        ),
        (
            nrrd("type: short\nencoding: raw\nendian: big\ndata file: a%d 1 2 x", &[]),
            "line 8: expected a pattern, first and last number, and a step, found data file \"a%d 1 2 x\"",
        ),
        (
            b"NRRD0004\ntype: short\ndimension: 2\nsizes: 2 3 4\n\n".to_vec(),
            "line 3: expected 3, the number of sizes, found dimension \"2\"",
        ),
        (
            b"NRRD0004\ntype: short\ndimension: 1\nsizes: -2\n\n".to_vec(),
            "line 4: expected whole numbers, found sizes \"-2\"",
        ),
        (
            b"NRRD0004\ntype: short\ndimension: 4\nsizes: 2 2 2 2\n\n".to_vec(),
            "line 4: expected 1 to 3 axes of more than one voxel, or 4 with --frame all, found shape [2, 2, 2, 2]",
        ),
        (
            b"NRRD0004\ntype: short\ndimension: 1\nsizes: 0\n\n".to_vec(),
            "line 4: expected at least one voxel along each axis, found shape [0]",
        ),
    ] {
        refused(&file, ImageFormat::Nrrd, message);
    }
}

#[test]
fn metaimages_with_voxels_after_the_header() {
    let local = "\nElementDataFile = LOCAL";
    for (lines, data) in [
        ("ElementType = MET_SHORT\nBinaryDataByteOrderMSB = False", little()),
        ("ElementType = MET_SHORT\nElementByteOrderMSB = True\nHeaderSize = 0", big()),
        (
            "ElementType=MET_SHORT\nCompressedData = True\nBinaryDataByteOrderMSB = False\nCompressedDataSize = 9",
            zlib(&little()),
        ),
        ("ElementType = MET_SHORT\nBinaryData = False", text()),
        (
            "ElementType = MET_SHORT\nElementByteOrderMSB = F\nBinaryDataByteOrderMSB = False\nHeaderSize = -1",
            little(),
        ),
    ] {
        let file = metaimage(&format!("{lines}{local}"), &data);
        assert_eq!(load("a", &file, None), Ok(expected()), "{lines}");
        assert_eq!(read_files(&[("a.mha", file.clone())], None), Ok(expected()), "{lines}");
    }
    for (name, numbers) in metaimage::TYPES {
        let bytes = vec![0; 24 * numbers.bytes()];
        let file = metaimage(&format!("ElementType = {name}\nBinaryDataByteOrderMSB = False{local}"), &bytes);
        let read = load("a", &file, Some(ImageFormat::Metaimage)).unwrap();
        assert_eq!((read.voxel_type(), read.shape().axes()), (numbers, vec![2, 3, 4]), "{name}");
    }
}

#[test]
fn metaimages_with_voxels_in_other_files() {
    let typed = "ElementType = MET_SHORT\nBinaryDataByteOrderMSB = False\n";
    let slices: Vec<(&str, Vec<u8>)> =
        (0..4).map(|k| (["s1", "s2", "s3", "s4"][k], little()[12 * k..12 * (k + 1)].to_vec())).collect();
    for (lines, data) in [
        ("ElementDataFile = a.raw", little()),
        ("HeaderSize = 5\nElementDataFile = a.raw", [b"12345", &little()[..]].concat()),
        ("HeaderSize = -1\nElementDataFile = a.raw", [b"123", &little()[..]].concat()),
        ("CompressedData = True\nElementDataFile = a.raw", zlib(&little())),
    ] {
        let files = [("a.mhd", metaimage(&format!("{typed}{lines}"), &[])), ("a.raw", data)];
        assert_eq!(read_files(&files, None), Ok(expected()), "{lines}");
    }
    for lines in ["ElementDataFile = LIST\ns1\ns2\ns3\ns4", "ElementDataFile = s%d 1 4 1"] {
        let header = metaimage(&format!("{typed}{lines}"), &[]);
        let files = [vec![("a.mhd", header)], slices.clone()].concat();
        assert_eq!(read_files(&files, None), Ok(expected()), "{lines}");
    }
}

#[test]
fn metaimages_that_are_refused() {
    let good = "ElementType = MET_SHORT\nBinaryDataByteOrderMSB = False\nElementDataFile = LOCAL";
    let typed = |lines: &str| metaimage(&format!("ElementType = MET_SHORT\n{lines}"), &[]);
    for (file, message) in [
        (
            metaimage(good, &[little(), vec![0]].concat()),
            "expected 172 bytes, 2x3x4 voxels of type i16 from byte 124 on, found 173",
        ),
        (
            metaimage("ElementType = MET_FOO", &[]),
            "line 4: expected MET_UCHAR, MET_CHAR, MET_USHORT, MET_SHORT, MET_UINT, MET_INT, MET_ULONG_LONG, MET_LONG_LONG, MET_FLOAT, MET_DOUBLE, MET_ULONG, MET_LONG, found ElementType \"MET_FOO\"",
        ),
        (typed("a line"), "line 5: expected a line such as `NDims = 3`, found \"a line\""),
        (
            typed("ElementNumberOfChannels = 3"),
            "line 5: expected one channel, found ElementNumberOfChannels \"3\"; in Python, a = SimpleITK.ReadImage(FILE); SimpleITK.WriteImage(SimpleITK.VectorIndexSelectionCast(a, 0), \"x.mha\") takes the first",
        ),
        (
            typed("ElementDataFile = LOCAL"),
            "expected a line \"BinaryDataByteOrderMSB\", True or False, for numbers of i16, found a header without one",
        ),
        (
            typed("BinaryDataByteOrderMSB = False"),
            "expected a header with a line \"ElementDataFile\", found a header without one",
        ),
        (
            typed("BinaryDataByteOrderMSB = perhaps"),
            "line 5: expected True or False, found BinaryDataByteOrderMSB \"perhaps\"",
        ),
        (
            typed("BinaryDataByteOrderMSB = True\nElementByteOrderMSB = False"),
            "line 6: expected the same as BinaryDataByteOrderMSB, found ElementByteOrderMSB \"False\"",
        ),
        (
            typed("BinaryData = False\nCompressedData = True"),
            "line 6: expected text that is not compressed, as BinaryData is false, found CompressedData \"True\"",
        ),
        (
            typed("BinaryDataByteOrderMSB = False\nHeaderSize = 7\nElementDataFile = LOCAL"),
            "line 6: expected 0 or -1 for voxels that follow their header, found HeaderSize \"7\"",
        ),
        (
            typed("BinaryDataByteOrderMSB = False\nHeaderSize = -7\nElementDataFile = a"),
            "line 6: expected -1, or a number from 0 on, found HeaderSize \"-7\"",
        ),
        (
            typed(
                "BinaryDataByteOrderMSB = False\nCompressedData = True\nHeaderSize = -1\nElementDataFile = a",
            ),
            "line 7: expected -1 for voxels that are neither compressed nor text only, found HeaderSize \"-1\"",
        ),
        (
            b"ObjectType = Tube\nNDims = 3\n".to_vec(),
            "line 1: expected ObjectType Image, found ObjectType \"Tube\"",
        ),
        (
            b"NDims = 2\nDimSize = 2 3 4\nElementType = MET_CHAR\n".to_vec(),
            "line 1: expected 3, the number of extents in DimSize, found NDims \"2\"",
        ),
        (
            b"NDims = 1\nDimSize = 0\nElementType = MET_CHAR\n".to_vec(),
            "line 2: expected at least one voxel along each axis, found shape [0]",
        ),
    ] {
        refused(&file, ImageFormat::Metaimage, message);
    }
}

#[test]
fn volumes_of_vgstudio() {
    for names in [["a.vgi", "a.vol"], ["a.vol", "a.vgi"], ["a.vol", "a.vol.vgi"]] {
        let files = names.map(|name| (name, if name.ends_with("vgi") { vgi(VGI) } else { little() }));
        assert_eq!(read_files(&files, None), Ok(expected()), "{names:?}");
        assert_eq!(read_files(&files, Some(ImageFormat::Vgi)), Ok(expected()), "{names:?}");
    }
    // Voxels may begin with any bytes, such as those of gzip.
    let mut voxels = little();
    voxels[..4].copy_from_slice(&[0x1f, 0x8b, 8, 0]);
    let read = read_files(&[("a.vol", voxels), ("a.vgi", vgi(VGI))], None).unwrap();
    assert_eq!((read.value(0), read.value(1)), (f64::from(0x8b1f_u16.cast_signed()), 8.0));
    let floats: Vec<u8> = (0..24).flat_map(|k| (k as f32).to_be_bytes()).collect();
    let header = vgi("Size = 2 3 4\nDatatype = float\nBitsPerElement = 32\nEndian = big");
    let read = read_files(&[("a.vgi", header), ("a.vol", floats)], None);
    assert_eq!(read, Ok(AnyImage::F32(image(&[2, 3, 4], Order::F, (0..24).map(|k| k as f32).collect()))));
}

#[test]
fn volumes_of_vgstudio_that_are_refused() {
    let header = |lines: &str| String::from_utf8(vgi(lines)).unwrap();
    let replaced = |from: &str, to: &str| header(VGI).replace(from, to).into_bytes();
    for (file, message) in [
        (
            replaced("= raw", "= tiff"),
            "line 7: expected FileFormat raw, found FileFormat \"tiff\"; export the volume as raw",
        ),
        (
            replaced("RegionSize = 2", "RegionSize = 1"),
            "line 6: expected the Size of the file, found RegionSize \"1 3 4\"",
        ),
        (
            replaced("signed integer", "integer"),
            "line 10: expected unsigned integer, signed integer or float, found Datatype \"integer\"",
        ),
        (
            replaced("Element = 16", "Element = 12"),
            "line 11: expected 8, 16, 32 or 64 bits of an integer, 32 or 64 of a float, found BitsPerElement \"12\"",
        ),
        (
            replaced("\nEndian = Little", ""),
            "expected a line \"Endian\", little or big, for numbers of i16, found a header without one",
        ),
        (replaced("Little", "middle"), "line 12: expected little or big, found Endian \"middle\""),
        (
            replaced("[geometry]", "[geometry]\n{volume2}\n[file1]"),
            "line 16: expected one volume in one file, found \"[file1]\"; export the volume alone as one raw file",
        ),
        (
            replaced("Endian =", "[file2]\nEndian ="),
            "line 12: expected one volume in one file, found \"[file2]\"; export the volume alone as one raw file",
        ),
        (
            replaced("Endian =", "Endian"),
            "line 12: expected a line such as `Size = 64 64 64`, found \"Endian Little\"",
        ),
        (
            replaced("\nSize = 2 3 4", ""),
            "expected a header with a line \"Size\", found a header without one",
        ),
        (
            replaced("\nSize = 2 3 4", "\nSize = 2 3 0").to_vec(),
            "line 6: expected the Size of the file, found RegionSize \"2 3 4\"",
        ),
    ] {
        refused(&file, ImageFormat::Vgi, message);
    }
    let neither = "expected a header that begins with {volume1}, or voxels with one header beside them, found neither: \
                   there is no file with the ending .vgi or .vol.vgi";
    refused(&little(), ImageFormat::Vgi, neither);
    let taken = "(taken for vgi: its header is ";
    let files = [("a.vol", little()), ("a.vgi", vgi(VGI)), ("a.vol.vgi", vgi(VGI))];
    let message = read_files(&files, None).unwrap_err();
    assert!(message.contains("expected a header that begins with {volume1}, or voxels with one header beside them, found a.vgi and a.vol.vgi"), "{message}");
    let files = [("a.vol", little()[2..].to_vec()), ("a.vgi", vgi(VGI))];
    let message = read_files(&files, None).unwrap_err();
    assert!(
        message.starts_with(&format!("a.vol: expected 48 bytes, 2x3x4 voxels of type i16, found 46 {taken}")),
        "{message}"
    );
    let broken = header(VGI).replace("signed integer", "complex").into_bytes();
    let message = read_files(&[("a.vol", little()), ("a.vgi", broken)], None).unwrap_err();
    assert!(message.contains("found Datatype \"complex\"; this is its header, a.vgi "), "{message}");
    let message = read_files(&[("a.vol", little())], None).unwrap_err();
    let expected = "a.vol: expected a header of DGtal at its beginning, or one of VGStudio in a file .vgi or .vol.vgi beside \
                    it, found neither; voxels without a header are raw and need --shape and --dtype";
    assert_eq!(message, expected);
}

#[test]
fn volumes_of_dgtal() {
    let bytes: Vec<u8> = (0..24).map(|k| 9 * k).collect();
    let expected = || Ok(AnyImage::U8(image(&[2, 3, 4], Order::F, bytes.clone())));
    let again = [&[2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, b'\n'][..], &bytes].concat();
    for (lines, data) in
        [("Version: 2\n", bytes.clone()), ("Version: 3\n", zlib(&bytes)), ("Int-Endian: 0123\n", again)]
    {
        let file = vol(lines, &data);
        assert_eq!(load("a", &file, None), expected(), "{lines}");
        assert_eq!(read_files(&[("a.vol", file)], None), expected(), "{lines}");
    }
    for (file, message) in [
        (
            vol("Version: 2\n", &bytes[1..]),
            "expected 117 bytes, 2x3x4 voxels of type u8 from byte 93 on, found 116",
        ),
        (vol("Version: 4\n", &bytes), "line 9: expected 2 or 3, found Version \"4\""),
        (vol("Voxel-Size: 1\n", &bytes), "line 9: expected one line \"Voxel-Size\", found another"),
        (
            vol("Version\n", &bytes),
            "line 9: expected a line such as `X: 64`, or one with a period before the voxels, found \"Version\"",
        ),
        (
            vol("Version: 3\n", &bytes),
            "byte 0: expected more of a file compressed with zlib, found its data broken: corrupt deflate stream",
        ),
        (
            b"X: 2\nY: 3\nVersion: 2\n.\n".to_vec(),
            "expected a header with a line \"Z\", found a header without one",
        ),
        (b"X: 2\nY: 3\nZ: -4\nVersion: 2\n.\n".to_vec(), "line 3: expected a whole number, found Z \"-4\""),
        (
            b"X: 2\nY: 3\nZ: 4\nVoxel-Size: 2\n.\n".to_vec(),
            "line 4: expected voxels of 1 byte, found Voxel-Size \"2\"",
        ),
    ] {
        refused(&file, ImageFormat::Vol, message);
    }
}

/// A file whose content and whose neighbour suggest different formats.
#[test]
fn a_volume_that_may_be_one_of_two() {
    let bytes = [3; 24];
    let file = vol("Version: 2\n", &bytes);
    let files = [("a.vol", file.clone()), ("a.vgi", vgi(VGI))];
    let message = read_files(&files, None).unwrap_err();
    let expected = "a.vol: byte 0: expected a volume of DGtal, or voxels with a header of VGStudio, found one that begins as a \
                    volume of DGtal, and the header a.vgi; --format vol or --format vgi decides";
    assert_eq!(message, expected);
    let chosen = read_files(&files, Some(ImageFormat::Vol));
    assert_eq!(chosen, Ok(AnyImage::U8(image(&[2, 3, 4], Order::F, bytes.to_vec()))));
    let other = read_files(&files, Some(ImageFormat::Vgi)).unwrap_err();
    assert!(
        other.contains(&format!("expected 48 bytes, 2x3x4 voxels of type i16, found {}", file.len())),
        "{other}"
    );
}
