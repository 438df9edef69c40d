//! The description of an array, which is a file of JSON beside its chunks: `.zarray` in version 2, `zarr.json` in 3.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;

use npyz::TypeStr;
use serde::Deserialize as _;
use serde_json::Value;

use super::block::transposed;
use super::codec::{Codec, check_length};
use crate::cubical::image::Voxel;
use crate::cubical::key::Coding;
use crate::cubical::read::bytes::regular;
use crate::cubical::read::error::{Fault, ImageProblem, Place};
use crate::cubical::read::layout::{Meaning, swap};
use crate::cubical::read::npy;
use crate::cubical::voxel::VoxelType;
use crate::input::source;
use crate::with_voxels;

/// The content of a chunk, in the byte order of this machine.
pub(super) enum Chunk<'a> {
    /// The chunk's numbers in C order.
    Numbers(Vec<u8>),
    /// The chunk is not stored; all its numbers have this value.
    Missing(&'a [u8]),
}

/// An array and how its chunks are stored.
#[derive(Debug)]
pub(super) struct Array {
    /// The directory of the array.
    pub(super) folder: PathBuf,
    /// Names of the axes, if they have any.
    pub(super) names: Vec<String>,
    pub(super) extents: Vec<usize>,
    /// Extents of a chunk; of one in a shard, if there are shards.
    pub(super) chunk: Vec<usize>,
    pub(super) numbers: VoxelType,
    pub(super) meaning: Meaning,
    big_endian: bool,
    /// Axes of a stored chunk, the slowest first.
    order: Vec<usize>,
    /// Steps of decoding, the first first.
    codecs: Vec<Codec>,
    /// Bytes of the value of missing chunks.
    fill: Option<Vec<u8>>,
    /// Beginning of the names of chunks, and the separator of their numbers.
    key: (&'static str, char),
    shards: Option<Shards>,
}

/// Files of several chunks each, with an index of them.
#[derive(Debug)]
struct Shards {
    /// Number of chunks along each axis.
    chunks: Vec<usize>,
    is_index_last: bool,
    /// Length of a checksum after the index.
    checksum: u64,
}

/// The remedy for arrays that are not read.
const REMEDY: &str =
    "in Python, zarr.save_array(\"x.zarr\", zarr.open(FILE)[:]) writes it with the usual codecs";

/// A file of JSON, for messages.
pub(super) struct Json<'a> {
    pub(super) file: &'a str,
    pub(super) value: &'a Value,
}

impl<'a> Json<'a> {
    pub(super) fn problem(&self, expected: impl Into<String>, found: impl Into<String>) -> ImageProblem {
        ImageProblem::new(Place::Named(self.file.to_owned()), expected, found)
    }

    /// The problem that the value of a key is not what it should be.
    fn wrong(&self, key: &str, expected: impl Into<String>) -> ImageProblem {
        let mut found = self.value.get(key).map_or_else(|| "none".to_owned(), Value::to_string);
        if found.chars().count() > 100 {
            found = found.chars().take(100).chain(['…']).collect();
        }
        self.problem(format!("{key}: {}", expected.into()), found)
    }

    fn text(&self, key: &str) -> Option<&'a str> {
        self.value[key].as_str()
    }

    /// The value of a key, which is null if there is none.
    fn at(&self, key: &str) -> Json<'a> {
        Json { file: self.file, value: &self.value[key] }
    }

    fn numbers(&self, key: &str) -> Result<Vec<usize>, ImageProblem> {
        Vec::deserialize(&self.value[key]).map_err(|_| self.wrong(key, "a list of whole numbers"))
    }

    /// Checks that there is nothing in the list of a key.
    fn none(&self, key: &str) -> Result<(), ImageProblem> {
        let none = Option::<[Value; 0]>::deserialize(&self.value[key]);
        none.map(drop).map_err(|_| self.wrong(key, "none").note(REMEDY))
    }
}

impl Array {
    /// The array in `folder` that the metadata of version 2 describe.
    pub(super) fn second(folder: PathBuf, json: &Json<'_>) -> Result<Array, ImageProblem> {
        let dtype = json.text("dtype").and_then(|dtype| dtype.parse::<TypeStr>().ok());
        let dtype = dtype.ok_or_else(|| json.wrong("dtype", "a type of numbers, such as \"<u2\""))?;
        let (numbers, big_endian, meaning) = npy::voxels(&dtype).map_err(|_| {
            json.wrong("dtype", "truth values, integers of 8 to 64 bits, or floats of 16 to 64")
        })?;
        json.none("filters")?;
        let compressor = json.at("compressor");
        let codecs = match compressor.text("id").and_then(Codec::named) {
            _ if compressor.value.is_null() => Vec::new(),
            Some(codec) if codec != Codec::Checksum => vec![codec],
            _ => return Err(json.wrong("compressor", "null, gzip, zlib, zstd or blosc").note(REMEDY)),
        };
        let separator = separator(json.text("dimension_separator"), '.');
        let separator = separator.ok_or_else(|| json.wrong("dimension_separator", "\".\" or \"/\""))?;
        let mut array = Array::new(folder, json, json.numbers("chunks")?, (numbers, meaning))?;
        match json.text("order") {
            Some("C") => {}
            Some("F") => array.order.reverse(),
            _ => return Err(json.wrong("order", "C or F")),
        }
        Array { big_endian, codecs, key: ("", separator), ..array }.checked(json)
    }

    /// The array in `folder` that the metadata of version 3 describe.
    pub(super) fn third(folder: PathBuf, json: &Json<'_>) -> Result<Array, ImageProblem> {
        let numbers = json.text("data_type").and_then(numbers_named);
        let expected = "bool, int8 to int64, uint8 to uint64, or float16 to float64";
        let numbers = numbers.ok_or_else(|| json.wrong("data_type", expected))?;
        let grid = json.at("chunk_grid");
        if grid.text("name") != Some("regular") {
            return Err(json.wrong("chunk_grid", "a regular grid"));
        }
        let chunk = grid.at("configuration").numbers("chunk_shape")?;
        let encoding = json.at("chunk_key_encoding");
        let given = encoding.at("configuration").text("separator");
        let key = match encoding.text("name") {
            Some("default") => separator(given, '/').map(|separator| ("c", separator)),
            Some("v2") => separator(given, '.').map(|separator| ("", separator)),
            _ => None,
        };
        let expected = "default or v2, with \".\" or \"/\"";
        let key = key.ok_or_else(|| json.wrong("chunk_key_encoding", expected))?;
        json.none("storage_transformers")?;
        let names = json.value["dimension_names"].as_array().map(|names| texts(names)).unwrap_or_default();
        let array = Array { names, key, ..Array::new(folder, json, chunk, numbers)? };
        array.with_codecs(json)?.checked(json)
    }

    /// An array of uncompressed chunks in C order, each in a file of its own.
    fn new(
        folder: PathBuf,
        json: &Json<'_>,
        chunk: Vec<usize>,
        (numbers, meaning): (VoxelType, Meaning),
    ) -> Result<Array, ImageProblem> {
        Ok(Array {
            folder,
            names: Vec::new(),
            extents: json.numbers("shape")?,
            order: (0..chunk.len()).collect(),
            chunk,
            numbers,
            meaning,
            big_endian: false,
            codecs: Vec::new(),
            fill: fill(json, numbers, meaning)?,
            key: ("", '.'),
            shards: None,
        })
    }

    /// Adds the codecs that are listed in version 3, in shards those of their chunks.
    fn with_codecs(mut self, json: &Json<'_>) -> Result<Array, ImageProblem> {
        let wrong = |expected: &str| json.wrong("codecs", expected).note(REMEDY);
        let list = json.value["codecs"].as_array().ok_or_else(|| wrong("a list"))?;
        let mut has_bytes = false;
        for value in list {
            let codec = Json { file: json.file, value };
            let options = codec.at("configuration");
            let name = codec.text("name").or(value.as_str()).unwrap_or_default();
            match (name, Codec::named(name)) {
                ("transpose", _) if !has_bytes => {
                    let given = options.numbers("order")?;
                    let mut sorted = given.clone();
                    sorted.sort_unstable();
                    if sorted.iter().copied().ne(0..self.chunk.len()) {
                        return Err(wrong("an order of all axes to transpose"));
                    }
                    self.order = given.iter().map(|&axis| self.order[axis]).collect();
                }
                ("bytes", _) if !has_bytes => {
                    has_bytes = true;
                    self.big_endian = match options.text("endian") {
                        Some("little") => false,
                        Some("big") => true,
                        None if self.numbers.bytes() == 1 => false,
                        _ => return Err(wrong("bytes, little or big endian")),
                    };
                }
                ("sharding_indexed", _) if !has_bytes && self.shards.is_none() && list.len() == 1 => {
                    return self.with_shards(&options);
                }
                (_, Some(codec)) if has_bytes => self.codecs.push(codec),
                _ => {
                    return Err(wrong(
                        "transpose, then bytes, then gzip, zstd, blosc or crc32c, or sharding_indexed with these",
                    ));
                }
            }
        }
        if !has_bytes {
            return Err(wrong("bytes, or sharding_indexed"));
        }
        if self.codecs.iter().filter(|codec| **codec != Codec::Checksum).count() > 1 {
            return Err(wrong("one compression"));
        }
        // Codecs are listed as they encode.
        self.codecs.reverse();
        Ok(self)
    }

    /// Adds shards and the codecs of their chunks.
    fn with_shards(mut self, options: &Json<'_>) -> Result<Array, ImageProblem> {
        let chunk = options.numbers("chunk_shape")?;
        let divides =
            |(&shard, &chunk): (&usize, &usize)| shard > 0 && chunk > 0 && shard.is_multiple_of(chunk);
        if chunk.len() != self.chunk.len() || !self.chunk.iter().zip(&chunk).all(divides) {
            return Err(options.wrong("chunk_shape", format!("a part of the shards of {:?}", self.chunk)));
        }
        let index = options.value["index_codecs"].as_array().map_or(&[][..], Vec::as_slice);
        let names: Vec<_> = index.iter().map(|codec| codec["name"].as_str()).collect();
        let is_big = index.iter().any(|codec| codec["configuration"]["endian"] == "big");
        let checksum = match names[..] {
            [Some("bytes")] if !is_big => 0,
            [Some("bytes"), Some("crc32c")] if !is_big => 4,
            _ => return Err(options.wrong("index_codecs", "bytes, little-endian, and crc32c").note(REMEDY)),
        };
        let is_index_last = match options.text("index_location") {
            None | Some("end") => true,
            Some("start") => false,
            _ => return Err(options.wrong("index_location", "start or end")),
        };
        let chunks = self.chunk.iter().zip(&chunk).map(|(shard, chunk)| shard / chunk).collect();
        self.shards = Some(Shards { chunks, is_index_last, checksum });
        self.chunk = chunk;
        self.with_codecs(options)
    }

    /// The array, after checking that its axes and chunks go together.
    fn checked(self, json: &Json<'_>) -> Result<Array, ImageProblem> {
        let (axes, chunk) = (self.extents.len(), &self.chunk);
        if axes == 0 || axes > 32 || chunk.len() != axes {
            let found = format!("shape {:?}, chunks {chunk:?}", self.extents);
            return Err(json.problem("as many axes of chunks as of the array, 1 to 32", found));
        }
        let mut bytes = chunk.iter().chain(self.shards.iter().flat_map(|shards| &shards.chunks));
        let bytes = bytes.try_fold(16_usize, |bytes, &extent| bytes.checked_mul(extent));
        if chunk.contains(&0) || bytes.is_none_or(|bytes| isize::try_from(bytes).is_err()) {
            let found = format!("chunks {chunk:?}");
            return Err(json.problem("chunks of at least one number, and of less than 2^59", found));
        }
        if !self.names.is_empty() && self.names.len() != axes {
            return Err(json.problem(format!("{axes} names of axes"), format!("{:?}", self.names)));
        }
        if self.extents.iter().any(|&extent| isize::try_from(extent).is_err()) {
            return Err(json.problem("extents below 2^63", format!("shape {:?}", self.extents)));
        }
        Ok(self)
    }

    /// The axis that is called by this letter, `t` or `c`, or by its word, `time` or `channel`.
    pub(super) fn axis(&self, letter: char) -> Option<usize> {
        let word = if letter == 't' { "time" } else { "channel" };
        let is_it = |name: &String| {
            name.eq_ignore_ascii_case(word) || name.eq_ignore_ascii_case(letter.encode_utf8(&mut [0; 4]))
        };
        self.names.iter().position(is_it)
    }

    /// Reads and decodes a chunk.
    pub(super) fn read(&self, chunk: &[usize]) -> Result<Chunk<'_>, Fault> {
        let size = self.numbers.bytes();
        let length = size * self.chunk.iter().product::<usize>();
        let file = match &self.shards {
            None => chunk.to_vec(),
            Some(shards) => chunk.iter().zip(&shards.chunks).map(|(chunk, chunks)| chunk / chunks).collect(),
        };
        let numbers: Vec<String> = file.iter().map(usize::to_string).collect();
        let (prefix, separator) = self.key;
        let mut name = numbers.join(&separator.to_string());
        if !prefix.is_empty() {
            name = format!("{prefix}{separator}{name}");
        }
        let in_chunk = |fault| match fault {
            Fault::Content(problem) => {
                ImageProblem { place: Place::Named(format!("chunk {name}")), ..problem }.into()
            }
            fault => fault,
        };
        let stored = match (regular(&self.folder.join(&name)), &self.shards) {
            (Err(error), _) if error.kind() == io::ErrorKind::NotFound => None,
            (stored, None) => Some(stored?),
            (stored, Some(shards)) => shards.find(stored?, chunk).map_err(in_chunk)?,
        };
        let Some((file, stored)) = stored else {
            let expected = "a file for each chunk, as there is no fill value";
            let missing = || ImageProblem::new(Place::Named(name), expected, "none");
            return Ok(Chunk::Missing(self.fill.as_deref().ok_or_else(missing)?));
        };
        let decode = || {
            let stored = usize::try_from(stored).unwrap_or(usize::MAX);
            if self.codecs.iter().all(|codec| *codec == Codec::Checksum) {
                check_length(stored, length + 4 * self.codecs.len())?;
            }
            let mut bytes = source::all_of(&mut file.take(stored as u64), stored)?;
            for (k, codec) in self.codecs.iter().enumerate() {
                // At most one step is not a checksum, and what comes after it are checksums of four bytes.
                bytes = codec.decode(bytes, length + 4 * (self.codecs.len() - k - 1))?;
            }
            check_length(bytes.len(), length)?;
            Ok(bytes)
        };
        let mut bytes = decode().map_err(in_chunk)?;
        if self.order.iter().copied().ne(0..self.chunk.len()) {
            bytes = transposed(&bytes, &self.chunk, &self.order, size)?;
        }
        if self.big_endian != cfg!(target_endian = "big") {
            swap(&mut bytes, size);
        }
        Ok(Chunk::Numbers(bytes))
    }
}

impl Shards {
    /// The file, at the bytes of a chunk, and their number; `None` if there are none.
    fn find(&self, (mut file, length): (File, u64), chunk: &[usize]) -> Result<Option<(File, u64)>, Fault> {
        let places = chunk.iter().zip(&self.chunks);
        let place = places.fold(0, |place, (chunk, chunks)| place * chunks + chunk % chunks) as u64;
        let index = 16 * self.chunks.iter().product::<usize>() as u64 + self.checksum;
        let Some(last) = length.checked_sub(index) else {
            let expected = format!("an index of {index} bytes");
            return Err(Fault::of(expected, format!("{length} bytes")));
        };
        let at = if self.is_index_last { last } else { 0 };
        file.seek(SeekFrom::Start(at + 16 * place))?;
        let mut entry = [[0; 8]; 2];
        file.read_exact(entry.as_flattened_mut())?;
        let [start, count] = entry.map(u64::from_le_bytes);
        if start == u64::MAX && count == u64::MAX {
            return Ok(None);
        }
        if start.checked_add(count).is_none_or(|end| end > length) {
            let expected = format!("chunks within {length} bytes");
            return Err(Fault::of(expected, format!("{count} bytes from {start} on")));
        }
        file.seek(SeekFrom::Start(start))?;
        Ok(Some((file, count)))
    }
}

/// The separator of the numbers in names of chunks: `.` or `/`, if it is given.
fn separator(given: Option<&str>, usual: char) -> Option<char> {
    match given {
        None => Some(usual),
        Some(".") => Some('.'),
        Some("/") => Some('/'),
        Some(_) => None,
    }
}

/// The numbers of a type of version 3.
fn numbers_named(name: &str) -> Option<(VoxelType, Meaning)> {
    match name {
        "bool" => return Some((VoxelType::U8, Meaning::Truths)),
        "float16" => return Some((VoxelType::U16, Meaning::Halves)),
        _ => {}
    }
    let names = [("uint", 'u'), ("int", 'i'), ("float", 'f')];
    let (letter, bits) = names.iter().find_map(|(word, letter)| Some((letter, name.strip_prefix(word)?)))?;
    let numbers = VoxelType::ALL.into_iter().find(|numbers| numbers.name() == format!("{letter}{bits}"));
    Some((numbers?, Meaning::Values))
}

/// The texts of a list; empty ones for what is no text.
pub(super) fn texts(list: &[Value]) -> Vec<String> {
    list.iter().map(|text| text.as_str().unwrap_or_default().to_owned()).collect()
}

/// The bytes of the fill value, in the byte order of this machine; `None` if there is none.
fn fill(json: &Json<'_>, numbers: VoxelType, meaning: Meaning) -> Result<Option<Vec<u8>>, ImageProblem> {
    fn bytes<T: Voxel + std::str::FromStr>(text: &str) -> Option<Vec<u8>> {
        text.parse::<T>().ok().map(|value| value.as_bytes().to_vec())
    }
    let text = match json.at("fill_value").value {
        Value::Null => return Ok(None),
        Value::Bool(value) => u8::from(*value).to_string(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    let found = if meaning == Meaning::Halves {
        text.parse::<f32>().ok().map(|value| half::f16::from_f32(value).to_ne_bytes().to_vec())
    } else {
        // Integers may be written as numbers with a fraction of 0.
        let is_whole = numbers.coding() != Coding::Float;
        let text = text.strip_suffix(".0").filter(|_| is_whole).unwrap_or(&text);
        with_voxels!(numbers, T => bytes::<T>(text))
    };
    found.map(Some).ok_or_else(|| json.wrong("fill_value", format!("a number of {numbers}")))
}
