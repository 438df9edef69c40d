//! The description of an array, which is a file of JSON beside its chunks: `.zarray` in version 2, `zarr.json` in 3.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;

use npyz::TypeStr;
use serde_json::Value;

use super::block::transposed;
use super::codec::{self, Broken, Codec};
use crate::cubical::image::Voxel;
use crate::cubical::key::Coding;
use crate::cubical::read::error::{Fault, ImageProblem, Place, room};
use crate::cubical::read::layout::{Meaning, swap};
use crate::cubical::read::npy;
use crate::cubical::voxel::VoxelType;
use crate::input::source;
use crate::with_voxels;

/// Meaning of the numbers of an array.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Content {
    Numbers,
    /// Numbers of `u8`, 0 or 1.
    Truths,
    /// Numbers of `u16`, the bits of 16-bit floats.
    Halves,
}

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
    pub(super) content: Content,
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
        self.value.get(key)?.as_str()
    }

    fn at(&self, key: &str) -> Option<Json<'a>> {
        Some(Json { file: self.file, value: self.value.get(key).filter(|value| !value.is_null())? })
    }

    fn numbers(&self, key: &str) -> Result<Vec<usize>, ImageProblem> {
        let list = self.value.get(key).and_then(Value::as_array);
        let number = |value: &Value| usize::try_from(value.as_u64()?).ok();
        let numbers = list.and_then(|list| list.iter().map(number).collect::<Option<Vec<usize>>>());
        numbers.ok_or_else(|| self.wrong(key, "a list of whole numbers"))
    }
}

impl Array {
    /// The array in `folder` that the metadata of version 2 describe.
    pub(super) fn second(folder: PathBuf, json: &Json<'_>) -> Result<Array, ImageProblem> {
        let (extents, chunk) = (json.numbers("shape")?, json.numbers("chunks")?);
        let dtype = json.text("dtype").and_then(|dtype| dtype.parse::<TypeStr>().ok());
        let dtype = dtype.ok_or_else(|| json.wrong("dtype", "a type of numbers, such as \"<u2\""))?;
        let (numbers, big_endian, meaning) = npy::voxels(&dtype).map_err(|_| {
            json.wrong("dtype", "truth values, integers of 8 to 64 bits, or floats of 16 to 64")
        })?;
        if json
            .at("filters")
            .is_some_and(|filters| filters.value.as_array().is_none_or(|list| !list.is_empty()))
        {
            return Err(json.wrong("filters", "none").note(REMEDY));
        }
        let codec = match json.at("compressor") {
            None => Vec::new(),
            Some(compressor) => match compressor.text("id") {
                Some("gzip") => vec![Codec::Gzip],
                Some("zlib") => vec![Codec::Zlib],
                Some("zstd") => vec![Codec::Zstd],
                Some("blosc") => vec![Codec::Blosc],
                _ => return Err(json.wrong("compressor", "null, gzip, zlib, zstd or blosc").note(REMEDY)),
            },
        };
        let count = extents.len();
        let order = match json.text("order") {
            Some("C") => (0..count).collect(),
            Some("F") => (0..count).rev().collect(),
            _ => return Err(json.wrong("order", "C or F")),
        };
        let separator = match json.text("dimension_separator") {
            None => '.',
            Some(separator) => {
                one_of(separator).ok_or_else(|| json.wrong("dimension_separator", "\".\" or \"/\""))?
            }
        };
        let content = match meaning {
            Meaning::Truths => Content::Truths,
            Meaning::Halves => Content::Halves,
            Meaning::Values | Meaning::Scaled(_) => Content::Numbers,
        };
        let fill = fill(json, numbers, content)?;
        let array = Array {
            folder,
            names: Vec::new(),
            extents,
            chunk,
            numbers,
            content,
            big_endian,
            order,
            codecs: codec,
            fill,
            key: ("", separator),
            shards: None,
        };
        array.checked(json)
    }

    /// The array in `folder` that the metadata of version 3 describe.
    pub(super) fn third(folder: PathBuf, json: &Json<'_>) -> Result<Array, ImageProblem> {
        let (numbers, content) = match json.text("data_type") {
            Some("bool") => (VoxelType::U8, Content::Truths),
            Some("float16") => (VoxelType::U16, Content::Halves),
            Some(name) => {
                let numbers = VoxelType::ALL.into_iter().find(|numbers| named(*numbers) == name);
                (numbers.ok_or_else(|| wrong_type(json))?, Content::Numbers)
            }
            None => return Err(wrong_type(json)),
        };
        let grid = json.at("chunk_grid").filter(|grid| grid.text("name") == Some("regular"));
        let grid = grid.and_then(|grid| grid.at("configuration"));
        let chunk = grid.ok_or_else(|| json.wrong("chunk_grid", "a regular grid"))?.numbers("chunk_shape")?;
        let encoding = json.at("chunk_key_encoding");
        let separator =
            encoding.as_ref().and_then(|encoding| encoding.at("configuration")?.text("separator"));
        let key = match (encoding.as_ref().and_then(|encoding| encoding.text("name")), separator.map(one_of))
        {
            (Some("default"), None) => ("c", '/'),
            (Some("default"), Some(Some(separator))) => ("c", separator),
            (Some("v2"), None) => ("", '.'),
            (Some("v2"), Some(Some(separator))) => ("", separator),
            _ => return Err(json.wrong("chunk_key_encoding", "default or v2, with \".\" or \"/\"")),
        };
        if json
            .at("storage_transformers")
            .is_some_and(|list| list.value.as_array().is_none_or(|list| !list.is_empty()))
        {
            return Err(json.wrong("storage_transformers", "none").note(REMEDY));
        }
        let names = json.value.get("dimension_names").and_then(Value::as_array);
        let names =
            names.map(|list| list.iter().map(|name| name.as_str().unwrap_or("").to_owned()).collect());
        let count = chunk.len();
        let array = Array {
            folder,
            names: names.unwrap_or_default(),
            extents: json.numbers("shape")?,
            chunk,
            numbers,
            content,
            big_endian: false,
            order: (0..count).collect(),
            codecs: Vec::new(),
            fill: fill(json, numbers, content)?,
            key,
            shards: None,
        };
        array.with_codecs(json, json)?.checked(json)
    }

    /// Adds the codecs of a list in version 3, in shards those of their chunks.
    fn with_codecs(mut self, json: &Json<'_>, owner: &Json<'_>) -> Result<Array, ImageProblem> {
        let wrong = |expected: &str| owner.wrong("codecs", expected).note(REMEDY);
        let list = owner.value.get("codecs").and_then(Value::as_array).ok_or_else(|| wrong("a list"))?;
        let mut has_bytes = false;
        for value in list {
            let codec = Json { file: json.file, value };
            let options = codec.at("configuration");
            match codec.text("name").or(value.as_str()) {
                Some("transpose") if !has_bytes => {
                    let given = options.as_ref().map(|options| options.numbers("order"));
                    let given = given.ok_or_else(|| wrong("an order to transpose"))??;
                    let mut sorted = given.clone();
                    sorted.sort_unstable();
                    if sorted.iter().copied().ne(0..self.chunk.len()) {
                        return Err(wrong("an order of all axes to transpose"));
                    }
                    self.order = given.iter().map(|&axis| self.order[axis]).collect();
                }
                Some("bytes") if !has_bytes => {
                    has_bytes = true;
                    self.big_endian = match options.as_ref().and_then(|options| options.text("endian")) {
                        Some("little") => false,
                        Some("big") => true,
                        None if self.numbers.bytes() == 1 => false,
                        _ => return Err(wrong("bytes, little or big endian")),
                    };
                }
                Some("sharding_indexed") if !has_bytes && self.shards.is_none() && list.len() == 1 => {
                    let options = options.ok_or_else(|| wrong("shards with a configuration"))?;
                    return self.with_shards(json, &options);
                }
                Some("gzip") if has_bytes => self.codecs.push(Codec::Gzip),
                Some("zstd") if has_bytes => self.codecs.push(Codec::Zstd),
                Some("blosc") if has_bytes => self.codecs.push(Codec::Blosc),
                Some("numcodecs.zlib") if has_bytes => self.codecs.push(Codec::Zlib),
                Some("crc32c") if has_bytes => self.codecs.push(Codec::Checksum),
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
    fn with_shards(mut self, json: &Json<'_>, options: &Json<'_>) -> Result<Array, ImageProblem> {
        let chunk = options.numbers("chunk_shape")?;
        let divides =
            |(&shard, &chunk): (&usize, &usize)| shard > 0 && chunk > 0 && shard.is_multiple_of(chunk);
        if chunk.len() != self.chunk.len() || !self.chunk.iter().zip(&chunk).all(divides) {
            return Err(options.wrong("chunk_shape", format!("a part of the shards of {:?}", self.chunk)));
        }
        let index = options.value.get("index_codecs").and_then(Value::as_array);
        let names: Vec<&str> = index
            .map_or(Vec::new(), |list| list.iter().filter_map(|codec| codec.get("name")?.as_str()).collect());
        let is_big =
            index.is_some_and(|list| list.iter().any(|codec| codec["configuration"]["endian"] == "big"));
        let checksum = match names[..] {
            ["bytes"] if !is_big => 0,
            ["bytes", "crc32c"] if !is_big => 4,
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
        self.with_codecs(json, options)
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
        let stored = File::open(self.folder.join(&name)).map(Some).or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Ok(None),
            _ => Err(error),
        })?;
        let stored = match (stored, &self.shards) {
            (None, _) => None,
            (Some(mut file), None) => Some(source::all_of(&mut file, 0)?),
            (Some(file), Some(shards)) => {
                shards.read(file, chunk).map_err(|broken| in_chunk(&name, broken))?
            }
        };
        let Some(mut bytes) = stored else {
            let expected = "a file for each chunk, as there is no fill value";
            let missing = || ImageProblem::new(Place::Named(name), expected, "none");
            return Ok(Chunk::Missing(self.fill.as_deref().ok_or_else(missing)?));
        };
        for (k, codec) in self.codecs.iter().enumerate() {
            // At most one step is not a checksum, and what comes after it are checksums of four bytes.
            let expected = length + 4 * (self.codecs.len() - k - 1);
            bytes = codec.decode(bytes, expected).map_err(|broken| in_chunk(&name, broken))?;
        }
        codec::check_length(bytes.len(), length).map_err(|broken| in_chunk(&name, broken))?;
        if self.order.iter().copied().ne(0..self.chunk.len()) {
            room(&Vec::<u8>::new(), length)?;
            bytes = transposed(&bytes, &self.chunk, &self.order, size);
        }
        if self.big_endian != cfg!(target_endian = "big") {
            swap(&mut bytes, size);
        }
        Ok(Chunk::Numbers(bytes))
    }
}

impl Shards {
    /// The bytes of a chunk, which are `None` if there are none.
    fn read(&self, mut file: File, chunk: &[usize]) -> Result<Option<Vec<u8>>, Broken> {
        let system = |error: io::Error| Broken::Fault(error.into());
        let length = file.metadata().map_err(system)?.len();
        let places = chunk.iter().zip(&self.chunks);
        let place = places.fold(0, |place, (chunk, chunks)| place * chunks + chunk % chunks) as u64;
        let index = 16 * self.chunks.iter().product::<usize>() as u64 + self.checksum;
        let at = if self.is_index_last { length.checked_sub(index) } else { Some(0) };
        let at =
            at.ok_or_else(|| Broken::of(format!("an index of {index} bytes"), format!("{length} bytes")))?;
        let mut entry = [0; 16];
        file.seek(SeekFrom::Start(at + 16 * place)).map_err(system)?;
        file.read_exact(&mut entry)
            .map_err(|_| Broken::of("an entry of the index", "the end of the file"))?;
        let [start, count] =
            [0, 8].map(|at| u64::from_le_bytes(entry[at..at + 8].try_into().unwrap_or_default()));
        if start == u64::MAX && count == u64::MAX {
            return Ok(None);
        }
        if start.checked_add(count).is_none_or(|end| end > length) {
            return Err(Broken::of(
                format!("chunks within {length} bytes"),
                format!("{count} bytes from {start} on"),
            ));
        }
        file.seek(SeekFrom::Start(start)).map_err(system)?;
        let bytes = source::all_of(&mut file.take(count), 0).map_err(system)?;
        Ok(Some(bytes))
    }
}

/// The fault of a chunk that is broken.
fn in_chunk(name: &str, broken: Broken) -> Fault {
    match broken {
        Broken::Content(expected, found) => {
            ImageProblem::new(Place::Named(format!("chunk {name}")), expected, found).into()
        }
        Broken::Fault(fault) => fault,
    }
}

/// A separator of the numbers in names of chunks.
fn one_of(separator: &str) -> Option<char> {
    match separator {
        "." => Some('.'),
        "/" => Some('/'),
        _ => None,
    }
}

/// The name of a type in version 3.
fn named(numbers: VoxelType) -> &'static str {
    match numbers {
        VoxelType::U8 => "uint8",
        VoxelType::I8 => "int8",
        VoxelType::U16 => "uint16",
        VoxelType::I16 => "int16",
        VoxelType::U32 => "uint32",
        VoxelType::I32 => "int32",
        VoxelType::U64 => "uint64",
        VoxelType::I64 => "int64",
        VoxelType::F32 => "float32",
        VoxelType::F64 => "float64",
    }
}

fn wrong_type(json: &Json<'_>) -> ImageProblem {
    json.wrong("data_type", "bool, int8 to int64, uint8 to uint64, or float16 to float64")
}

/// The bytes of the fill value, in the byte order of this machine; `None` if there is none.
fn fill(json: &Json<'_>, numbers: VoxelType, content: Content) -> Result<Option<Vec<u8>>, ImageProblem> {
    fn bytes<T: Voxel + std::str::FromStr>(text: &str) -> Option<Vec<u8>> {
        text.parse::<T>().ok().map(|value| value.as_bytes().to_vec())
    }
    let Some(Json { value, .. }) = json.at("fill_value") else { return Ok(None) };
    let text = match value {
        Value::Bool(value) => u8::from(*value).to_string(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    let found = if content == Content::Halves {
        text.parse::<f32>().ok().map(|value| half::f16::from_f32(value).to_ne_bytes().to_vec())
    } else {
        // Integers may be written as numbers with a fraction of 0.
        let is_whole = numbers.coding() != Coding::Float;
        let text = text.strip_suffix(".0").filter(|_| is_whole).unwrap_or(&text);
        with_voxels!(numbers, T => bytes::<T>(text))
    };
    found.map(Some).ok_or_else(|| json.wrong("fill_value", format!("a number of {numbers}")))
}
