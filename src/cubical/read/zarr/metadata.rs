//! The description of an array, which is a file of JSON beside its chunks: `.zarray` in version 2, `zarr.json` in 3.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::iter::zip;
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
    /// Beginning of the names of files, and the separator of their numbers.
    key: (&'static str, &'static str),
    /// Number of chunks in a file along each axis: 1, unless there are shards.
    in_file: Vec<usize>,
    /// The index of the chunks in a file, if there are shards.
    index: Option<Index>,
}

/// Where a shard has its index.
#[derive(Debug)]
struct Index {
    is_last: bool,
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
    pub(super) fn problem(&self, expected: impl Into<String>, found: impl std::fmt::Display) -> ImageProblem {
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

    /// The value of a key as `read` interprets it, which receives null if there is no such key.
    ///
    /// # Errors
    /// `read` returns `None`.
    fn get<T>(&self, key: &str, expected: &str, read: fn(&Value) -> Option<T>) -> Result<T, ImageProblem> {
        read(&self.value[key]).ok_or_else(|| self.wrong(key, expected))
    }

    fn numbers(&self, key: &str) -> Result<Vec<usize>, ImageProblem> {
        self.get(key, "a list of whole numbers", |list| Vec::deserialize(list).ok())
    }

    /// Checks that there is nothing in the list of a key.
    fn none(&self, key: &str) -> Result<(), ImageProblem> {
        let none = self.get(key, "none", |list| Option::<[Value; 0]>::deserialize(list).ok());
        none.map(drop).map_err(|problem| problem.note(REMEDY))
    }
}

impl Array {
    /// The array in `folder` that the metadata of version 2 describe.
    pub(super) fn second(folder: PathBuf, json: &Json<'_>) -> Result<Array, ImageProblem> {
        let expected = "a type of numbers, such as \"<u2\"";
        let dtype: TypeStr = json.get("dtype", expected, |dtype| dtype.as_str()?.parse().ok())?;
        let expected = "truth values, integers of 8 to 64 bits, or floats of 16 to 64";
        let (numbers, big_endian, meaning) =
            npy::voxels(&dtype).map_err(|_| json.wrong("dtype", expected))?;
        json.none("filters")?;
        let codecs = match json.value["compressor"]["id"].as_str().map(str::parse) {
            _ if json.value["compressor"].is_null() => Vec::new(),
            Some(Ok(codec)) if codec != Codec::Checksum => vec![codec],
            _ => return Err(json.wrong("compressor", "null, gzip, zlib, zstd or blosc").note(REMEDY)),
        };
        let key = json.get("dimension_separator", "\".\" or \"/\"", |given| match given.as_str() {
            None | Some(".") => Some(("", ".")),
            Some("/") => Some(("", "/")),
            _ => None,
        })?;
        let chunk = json.numbers("chunks")?;
        let array = Array::new(folder, json, chunk, (numbers, meaning), key)?;
        let mut array = Array { big_endian, codecs, ..array };
        match json.value["order"].as_str() {
            Some("C") => {}
            Some("F") => array.order.reverse(),
            _ => return Err(json.wrong("order", "C or F")),
        }
        array.checked(json)
    }

    /// The array in `folder` that the metadata of version 3 describe.
    pub(super) fn third(folder: PathBuf, json: &Json<'_>) -> Result<Array, ImageProblem> {
        let expected = "bool, int8 to int64, uint8 to uint64, or float16 to float64";
        let numbers = json.get("data_type", expected, |name| numbers_named(name.as_str()?))?;
        json.get("chunk_grid", "a regular grid", |grid| (grid["name"] == "regular").then_some(()))?;
        let grid = Json { file: json.file, value: &json.value["chunk_grid"]["configuration"] };
        let chunk = grid.numbers("chunk_shape")?;
        let expected = "default or v2, with \".\" or \"/\"";
        let key = json.get("chunk_key_encoding", expected, |encoding| {
            match (encoding["name"].as_str()?, encoding["configuration"]["separator"].as_str()) {
                ("default", None | Some("/")) => Some(("c/", "/")),
                ("default", Some(".")) => Some(("c.", ".")),
                ("v2", None | Some(".")) => Some(("", ".")),
                ("v2", Some("/")) => Some(("", "/")),
                _ => None,
            }
        })?;
        json.none("storage_transformers")?;
        let names = json.value["dimension_names"].as_array().map(|names| texts(names)).unwrap_or_default();
        let array = Array::new(folder, json, chunk, numbers, key)?;
        Array { names, ..array }.with_codecs(json)?.checked(json)
    }

    /// An array of uncompressed chunks in C order, each in a file of its own.
    fn new(
        folder: PathBuf,
        json: &Json<'_>,
        chunk: Vec<usize>,
        (numbers, meaning): (VoxelType, Meaning),
        key: (&'static str, &'static str),
    ) -> Result<Array, ImageProblem> {
        Ok(Array {
            folder,
            names: Vec::new(),
            extents: json.numbers("shape")?,
            order: (0..chunk.len()).collect(),
            in_file: vec![1; chunk.len()],
            chunk,
            numbers,
            meaning,
            big_endian: false,
            codecs: Vec::new(),
            fill: fill(json, numbers, meaning)?,
            key,
            index: None,
        })
    }

    /// Adds the codecs that are listed in version 3, in shards those of their chunks.
    fn with_codecs(mut self, json: &Json<'_>) -> Result<Array, ImageProblem> {
        let wrong = |expected: &str| json.wrong("codecs", expected).note(REMEDY);
        let steps = "transpose, then bytes, then gzip, zstd, blosc or crc32c, or sharding_indexed with these";
        let list = json.value["codecs"].as_array().ok_or_else(|| wrong("a list"))?;
        let mut has_bytes = false;
        for value in list {
            let options = Json { file: json.file, value: &value["configuration"] };
            match (value["name"].as_str().or(value.as_str()).unwrap_or_default(), has_bytes) {
                ("transpose", false) => {
                    let given = options.numbers("order")?;
                    let mut sorted = given.clone();
                    sorted.sort_unstable();
                    if sorted.into_iter().ne(0..self.chunk.len()) {
                        return Err(wrong("an order of all axes to transpose"));
                    }
                    self.order = given.iter().map(|&axis| self.order[axis]).collect();
                }
                ("bytes", false) => {
                    has_bytes = true;
                    self.big_endian = match options.value["endian"].as_str() {
                        Some("little") => false,
                        Some("big") => true,
                        None if self.numbers.bytes() == 1 => false,
                        _ => return Err(wrong("bytes, little or big endian")),
                    };
                }
                ("sharding_indexed", false) if self.index.is_none() && list.len() == 1 => {
                    return self.with_shards(&options);
                }
                (name, true) => self.codecs.push(name.parse().map_err(|_| wrong(steps))?),
                _ => return Err(wrong(steps)),
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
    fn with_shards(self, options: &Json<'_>) -> Result<Array, ImageProblem> {
        let chunk = options.numbers("chunk_shape")?;
        let is_part = |(&shard, &chunk): (&usize, &usize)| shard > 0 && chunk > 0 && shard % chunk == 0;
        if chunk.len() != self.chunk.len() || !zip(&self.chunk, &chunk).all(is_part) {
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
        let is_last = match options.value["index_location"].as_str() {
            None | Some("end") => true,
            Some("start") => false,
            _ => return Err(options.wrong("index_location", "start or end")),
        };
        let in_file = zip(&self.chunk, &chunk).map(|(shard, chunk)| shard / chunk).collect();
        let index = Some(Index { is_last, checksum });
        Array { chunk, in_file, index, ..self }.with_codecs(options)
    }

    /// The array, after checking that its axes and chunks go together.
    fn checked(self, json: &Json<'_>) -> Result<Array, ImageProblem> {
        let (axes, chunk) = (self.extents.len(), &self.chunk);
        if axes == 0 || axes > 32 || chunk.len() != axes {
            let found = format!("shape {:?}, chunks {chunk:?}", self.extents);
            return Err(json.problem("as many axes of chunks as of the array, 1 to 32", found));
        }
        let mut shard = chunk.iter().chain(&self.in_file);
        let bytes = shard.try_fold(16_usize, |bytes, &extent| bytes.checked_mul(extent));
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

    /// The axis that is called by one of these names.
    pub(super) fn axis(&self, names: [&str; 2]) -> Option<usize> {
        self.names.iter().position(|name| names.iter().any(|known| name.eq_ignore_ascii_case(known)))
    }

    /// Reads and decodes a chunk.
    pub(super) fn read(&self, chunk: &[usize]) -> Result<Chunk<'_>, Fault> {
        let size = self.numbers.bytes();
        let length = size * self.chunk.iter().product::<usize>();
        let (prefix, separator) = self.key;
        let file = zip(chunk, &self.in_file).map(|(chunk, chunks)| (chunk / chunks).to_string());
        let name = format!("{prefix}{}", file.collect::<Vec<_>>().join(separator));
        let in_chunk = |fault| match fault {
            Fault::Content(problem) => {
                ImageProblem { place: Place::Named(format!("chunk {name}")), ..problem }.into()
            }
            fault => fault,
        };
        let stored = match (regular(&self.folder.join(&name)), &self.index) {
            (Err(error), _) if error.kind() == io::ErrorKind::NotFound => None,
            (stored, None) => Some(stored?),
            (stored, Some(index)) => self.find(index, stored?, chunk).map_err(in_chunk)?,
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

    /// The file of a shard, at the bytes of a chunk, and their number; `None` if there are none.
    fn find(
        &self,
        index: &Index,
        (mut file, length): (File, u64),
        chunk: &[usize],
    ) -> Result<Option<(File, u64)>, Fault> {
        let places = zip(chunk, &self.in_file);
        let place = places.fold(0, |place, (chunk, chunks)| place * chunks + chunk % chunks) as u64;
        let size = 16 * self.in_file.iter().product::<usize>() as u64 + index.checksum;
        let Some(last) = length.checked_sub(size) else {
            return Err(Fault::of(format!("an index of {size} bytes"), format!("{length} bytes")));
        };
        file.seek(SeekFrom::Start(16 * place + if index.is_last { last } else { 0 }))?;
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
    let text = match &json.value["fill_value"] {
        Value::Null => return Ok(None),
        Value::Bool(value) => u8::from(*value).to_string(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    let found = if meaning == Meaning::Halves {
        text.parse::<half::f16>().ok().map(|value| value.to_ne_bytes().to_vec())
    } else {
        // Integers may be written as numbers with a fraction of 0.
        let is_whole = numbers.coding() != Coding::Float;
        let text = text.strip_suffix(".0").filter(|_| is_whole).unwrap_or(&text);
        with_voxels!(numbers, T => bytes::<T>(text))
    };
    found.map(Some).ok_or_else(|| json.wrong("fill_value", format!("a number of {numbers}")))
}
