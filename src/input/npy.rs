//! Arrays in the `npy` format: headers, numbers and strings; and the writer of all arrays.

use super::text::quote;
use super::{Place, Problem};
use half::f16;
use npyz::{AutoSerialize, Endianness, NpyWriter, TypeChar, TypeStr, WriterBuilder};
use std::io::{self, Write};
use std::ops::Range;

/// Magic bytes of an array file.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// Largest header that NumPy accepts by default.
const LONGEST_HEADER: usize = 10_000;

/// Type of a real number in a binary file: a truth value, an integer or a floating-point number, and its size in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scalar {
    pub(crate) kind: TypeChar,
    pub(crate) size: usize,
}

impl Scalar {
    /// The type of the elements of an array.
    pub(crate) fn of(dtype: &TypeStr) -> Result<Self, Problem> {
        let scalar = dtype.num_bytes().map(|size| Scalar { kind: dtype.type_char(), size });
        let is_real = |&Scalar { kind, size }: &Scalar| match kind {
            TypeChar::Bool => size == 1,
            TypeChar::Int | TypeChar::Uint => matches!(size, 1 | 2 | 4 | 8),
            TypeChar::Float => matches!(size, 2 | 4 | 8),
            _ => false,
        };
        scalar.filter(is_real).ok_or_else(|| dtype_problem(dtype))
    }

    /// Whether the type has numbers that single precision does not hold exactly.
    pub(crate) fn is_wide(self) -> bool {
        self.size == 8 || self.size == 4 && self.kind != TypeChar::Float
    }

    /// The double nearest to a number, given by its bytes as an unsigned integer.
    pub(crate) fn number(self, word: u64) -> f64 {
        match (self.kind, self.size) {
            (TypeChar::Float, 2) => f16::from_bits(word as u16).to_f64(),
            (TypeChar::Float, 4) => f32::from_bits(word as u32).into(),
            (TypeChar::Float, _) => f64::from_bits(word),
            (TypeChar::Int, _) => self.signed(word) as f64,
            _ => word as f64,
        }
    }

    /// The signed integer that these bytes are.
    fn signed(self, word: u64) -> i64 {
        let unused = 64 - 8 * self.size as u32;
        (word << unused) as i64 >> unused
    }

    /// The integer that these bytes are.
    fn integer(self, word: u64) -> i128 {
        if self.kind == TypeChar::Int { self.signed(word).into() } else { word.into() }
    }

    /// Whether a double holds the number exactly.
    fn is_exact(self, word: u64) -> bool {
        self.size < 8 || self.kind == TypeChar::Float || self.number(word) as i128 == self.integer(word)
    }
}

/// The bytes of a number as an unsigned integer.
pub(crate) fn word_of(bytes: &[u8], big_endian: bool) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    if big_endian {
        word[..bytes.len()].reverse();
    }
    u64::from_le_bytes(word)
}

/// An array in the bytes of an `npy` file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Array<'a> {
    /// Extents of the axes; empty for a single element.
    pub(crate) shape: Vec<u64>,
    /// Whether the first axis is the fastest.
    pub(crate) fortran: bool,
    dtype: TypeStr,
    /// Size of an element in bytes.
    size: usize,
    big_endian: bool,
    /// Offset of the elements in the file.
    data_at: usize,
    data: &'a [u8],
}

impl<'a> Array<'a> {
    /// Parses an `npy` file.
    ///
    /// # Errors
    /// The header is malformed, or the data is not as long as the header says.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, Problem> {
        let Header { dtype, shape, fortran, data_at } = Header::parse(bytes)?;
        let size = dtype.num_bytes().ok_or_else(|| dtype_problem(&dtype))?;
        let data = &bytes[data_at..];
        let expected = shape.iter().try_fold(size as u64, |bytes, &extent| bytes.checked_mul(extent));
        if expected != Some(data.len() as u64) {
            let extents: Vec<String> = shape.iter().map(u64::to_string).collect();
            let expected = format!("{} elements of {size} bytes after the header", extents.join(" × "));
            return Err(Problem::whole(expected, format!("{} bytes", data.len())));
        }
        let big_endian = dtype.endianness() == Endianness::Big;
        Ok(Array { shape, fortran, dtype, size, big_endian, data_at, data })
    }

    /// The type of the elements.
    ///
    /// # Errors
    /// The elements are not real numbers.
    pub(crate) fn scalar(&self) -> Result<Scalar, Problem> {
        Scalar::of(&self.dtype)
    }

    /// The place in the file of element `k`, in file order.
    pub(crate) fn place(&self, k: usize) -> Place {
        Place::Byte(self.data_at + self.size * k)
    }

    /// The elements in file order as singles. Booleans are 0 and 1.
    ///
    /// # Errors
    /// The elements are not real numbers.
    pub(crate) fn singles(&self) -> Result<Vec<f32>, Problem> {
        let scalar = self.scalar()?;
        Ok(match (scalar.kind, scalar.size) {
            (TypeChar::Float, 4) => self.elements(f32::from_le_bytes),
            _ => self.words().map(|word| scalar.number(word) as f32).collect(),
        })
    }

    /// The elements in file order as doubles, and how many of them had to be rounded. Booleans are 0 and 1.
    ///
    /// # Errors
    /// The elements are not real numbers.
    pub(crate) fn doubles(&self) -> Result<(Vec<f64>, usize), Problem> {
        let scalar = self.scalar()?;
        if (scalar.kind, scalar.size) == (TypeChar::Float, 8) {
            return Ok((self.elements(f64::from_le_bytes), 0));
        }
        let mut rounded = 0;
        let number = |word| {
            rounded += usize::from(!scalar.is_exact(word));
            scalar.number(word)
        };
        let numbers = self.words().map(number).collect();
        Ok((numbers, rounded))
    }

    /// The elements in file order as doubles. Booleans are 0 and 1.
    ///
    /// # Errors
    /// The elements are not real numbers, or are integers that a double cannot represent.
    pub(crate) fn numbers(&self) -> Result<Vec<f64>, Problem> {
        let (scalar, (numbers, rounded)) = (self.scalar()?, self.doubles()?);
        if rounded > 0
            && let Some(word) = self.words().find(|&word| !scalar.is_exact(word))
        {
            return Err(Problem::whole("numbers that double precision holds exactly", scalar.integer(word)));
        }
        Ok(numbers)
    }

    /// The place in file order of an element of an array with two axes.
    pub(crate) fn index(&self, row: usize, column: usize) -> usize {
        let [rows, columns] = [0, 1].map(|axis| self.shape[axis] as usize);
        if self.fortran { column * rows + row } else { row * columns + column }
    }

    /// The elements in file order as integers.
    ///
    /// # Errors
    /// The elements are not integers, or exceed 63 bits.
    pub(crate) fn integers(&self) -> Result<Vec<i64>, Problem> {
        let scalar = self.scalar()?;
        if !matches!(scalar.kind, TypeChar::Int | TypeChar::Uint) {
            let found = format!("dtype {:?}", self.dtype.to_string());
            return Err(Problem::new(Place::Byte(10), "whole numbers", found));
        }
        let integer = |word| {
            let integer = scalar.integer(word);
            let large = || Problem::whole("whole numbers below 2^63", integer);
            i64::try_from(integer).map_err(|_| large())
        };
        self.words().map(integer).collect()
    }

    /// Text of an array that holds a single ASCII string; `None` for any other array.
    pub(crate) fn text(&self) -> Option<String> {
        // A character of Unicode takes four bytes, of which ASCII uses the lowest.
        let width = match self.dtype.type_char() {
            TypeChar::ByteStr => 1,
            TypeChar::UnicodeStr => 4,
            _ => return None,
        };
        let letters = self.data.chunks_exact(width).map(|code| word_of(code, self.big_endian) as u8);
        let text: String = letters.map(char::from).collect();
        self.shape.is_empty().then(|| text.trim_end_matches('\0').to_owned())
    }

    /// The bytes of each element as an unsigned integer.
    fn words(&self) -> impl Iterator<Item = u64> + '_ {
        self.data.chunks_exact(self.size).map(|element| word_of(element, self.big_endian))
    }

    /// The elements of a type of `SIZE` bytes; `convert` receives them in little-endian order.
    fn elements<T, const SIZE: usize>(&self, convert: impl Fn([u8; SIZE]) -> T) -> Vec<T> {
        let in_order = |&(mut element): &[u8; SIZE]| {
            if self.big_endian {
                element.reverse();
            }
            convert(element)
        };
        self.data.as_chunks().0.iter().map(in_order).collect()
    }
}

/// Content of the header of an array.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Header {
    /// The type of the elements.
    pub(crate) dtype: TypeStr,
    /// Extents of the axes; empty for a single element.
    pub(crate) shape: Vec<u64>,
    /// Whether the first axis is the fastest.
    pub(crate) fortran: bool,
    /// Offset of the data in bytes.
    pub(crate) data_at: usize,
}

impl Header {
    /// Parses the header at the beginning of an `npy` file.
    ///
    /// # Errors
    /// It does not describe one plain array.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Problem> {
        let range = header_range(bytes)?;
        let header = &bytes[range.clone()];
        Header::of_dictionary(header, range.end).ok_or_else(|| {
            let expected = "a header with the descr, fortran_order and shape of one plain array";
            Problem::new(Place::Byte(8), expected, quote(header.trim_ascii()))
        })
    }

    /// Parses a dictionary of Python; its three keys may come in any order.
    fn of_dictionary(header: &[u8], data_at: usize) -> Option<Self> {
        let text = std::str::from_utf8(header).ok()?.replace('"', "'");
        let text: String = text.split_ascii_whitespace().collect();
        let value = |key: &str| Some(text.split_once(&format!("'{key}':"))?.1);
        let (dtype, _) = value("descr")?.strip_prefix('\'')?.split_once('\'')?;
        let fortran = value("fortran_order")?.starts_with("True");
        let (shape, _) = value("shape")?.strip_prefix('(')?.split_once(')')?;
        // A tuple of one extent ends with a comma, and that of none is empty.
        let extents = shape.strip_suffix(',').unwrap_or(shape).split(',').filter(|_| !shape.is_empty());
        let is_number = |extent: &str| extent.bytes().all(|byte| byte.is_ascii_digit());
        let shape = extents.map(|extent| extent.parse().ok().filter(|_| is_number(extent)));
        Some(Header { dtype: dtype.parse().ok()?, shape: shape.collect::<Option<_>>()?, fortran, data_at })
    }
}

/// The bytes of the header.
fn header_range(bytes: &[u8]) -> Result<Range<usize>, Problem> {
    const AT: usize = 8;
    if !bytes.starts_with(MAGIC) {
        let found = quote(&bytes[..bytes.len().min(MAGIC.len())]);
        return Err(Problem::new(Place::Byte(0), "NumPy's magic bytes \"\\x93NUMPY\"", found));
    }
    let width = match bytes.get(6..AT) {
        Some([1, 0]) => 2,
        Some([2 | 3, 0]) => 4,
        Some(version) => {
            let found = format!("{}.{}", version[0], version[1]);
            return Err(Problem::new(Place::Byte(6), "version 1.0, 2.0 or 3.0 of the array format", found));
        }
        None => 2,
    };
    let Some(field) = bytes.get(AT..AT + width) else {
        return Err(Problem::new(Place::Byte(bytes.len()), "a header", "the end of the file"));
    };
    let (start, length) = (AT + width, word_of(field, false) as usize);
    if length > LONGEST_HEADER || length > bytes.len() - start {
        let expected = format!("a header length of at most {LONGEST_HEADER} and within the file");
        return Err(Problem::new(Place::Byte(AT), expected, length));
    }
    Ok(start..start + length)
}

/// The error for an unsupported element type.
fn dtype_problem(dtype: &TypeStr) -> Problem {
    let expected = "dtype f2, f4, f8, i1, i2, i4, i8, u1, u2, u4, u8 or b1";
    let problem = Problem::new(Place::Byte(10), expected, quote(dtype.to_string().as_bytes()));
    problem.note(match dtype.type_char() {
        TypeChar::Complex => "numpy.abs(a) has the magnitudes of complex numbers",
        _ => "numpy.save(\"x.npy\", a.astype(float)) makes an array of doubles, where that has a meaning",
    })
}

/// Writes an array of this shape, in C order; a row is any number of its elements.
///
/// # Errors
/// Errors of `out` and `rows`; or the number of elements is not that of the shape.
pub fn write_rows<T: AutoSerialize, R: IntoIterator<Item = T>>(
    shape: &[usize],
    rows: impl IntoIterator<Item = io::Result<R>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut array = begin(shape, out)?;
    rows.into_iter().try_for_each(|row| array.extend(row?))?;
    array.finish()
}

/// Writes the header of an array; unlike its rows, this is compiled once for all arrays of a type.
fn begin<'a, T: AutoSerialize>(
    shape: &[usize],
    out: &'a mut dyn Write,
) -> io::Result<NpyWriter<T, &'a mut dyn Write>> {
    let shape: Vec<u64> = shape.iter().map(|&extent| extent as u64).collect();
    npyz::WriteOptions::new().default_dtype().shape(&shape).writer(out).begin_nd()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Makes an `npy` file of version 1.
    pub(crate) fn file(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
        let order = if fortran { "True" } else { "False" };
        let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
        [&headed(&header), data].concat()
    }

    fn headed(text: &str) -> Vec<u8> {
        let length = u16::try_from(text.len()).unwrap().to_le_bytes();
        [MAGIC, &[1, 0], &length, text.as_bytes()].concat()
    }

    #[test]
    fn numbers_of_every_type() {
        for (descr, data, expected) in [
            ("|b1", &[0, 1][..], [0.0, 1.0]),
            ("|i1", &[0xff, 2], [-1.0, 2.0]),
            (">i2", &[0xff, 0xfe, 0, 3], [-2.0, 3.0]),
            ("<u4", &[1, 0, 0, 0x80, 2, 0, 0, 0], [2_147_483_649.0, 2.0]),
            ("<f2", &[0x00, 0xc0, 0x01, 0x00], [-2.0, 2f64.powi(-24)]),
            (">f4", &[0x3f, 0x80, 0, 0, 0xff, 0x80, 0, 0], [1.0, f64::NEG_INFINITY]),
        ] {
            let bytes = file(descr, false, "(2,)", data);
            let array = Array::parse(&bytes).unwrap();
            assert_eq!(array.numbers().unwrap(), expected, "{descr}");
            assert_eq!(array.integers().is_ok(), descr.contains(['i', 'u']), "{descr}");
        }
    }

    #[test]
    fn what_is_no_number_is_named() {
        let problem = |bytes: &[u8]| match Array::parse(bytes) {
            Ok(array) => array.numbers().unwrap_err().to_string(),
            Err(problem) => problem.to_string(),
        };
        let large = file("<i8", false, "(1,)", &((1i64 << 53) + 1).to_le_bytes());
        assert_eq!(
            problem(&large),
            "expected numbers that double precision holds exactly, found 9007199254740993"
        );
        let complex = problem(&file("<c8", false, "(1,)", &[0; 8]));
        assert!(complex.starts_with("byte 10: expected dtype f2, f4, f8") && complex.contains("numpy.abs"));
        let short = problem(&file("<i4", false, "(3,)", &[0; 8]));
        assert_eq!(short, "expected 3 elements of 4 bytes after the header, found 8 bytes");
        assert_eq!(Array::parse(&file("|S4", false, "()", b"csr\0")).unwrap().text().as_deref(), Some("csr"));
        assert_eq!(
            Array::parse(&file("<U2", false, "()", b"c\0\0\0o\0\0\0")).unwrap().text().as_deref(),
            Some("co")
        );
    }

    /// Headers as NumPy and other programs write them are read as a parser of Python reads them.
    #[test]
    fn headers_of_plain_arrays() {
        for (descr, shape) in [
            ("<f8", "(3, 4)"),
            (">i2", "(7,)"),
            ("|b1", "(2, 3, 4)"),
            ("<f4", "(0,5)"),
            ("<U5", "(1, 1, )"),
            ("<f8", "()"),
        ] {
            for fortran in ["False", "True"] {
                for text in [
                    format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}  \n"),
                    format!("{{\"shape\":{shape},'fortran_order':{fortran},\"descr\":\"{descr}\"}}"),
                ] {
                    let bytes = headed(&text);
                    let found = Header::parse(&bytes).unwrap();
                    let parsed = npyz::NpyHeader::from_reader(bytes.as_slice()).unwrap();
                    assert_eq!(npyz::DType::Plain(found.dtype), parsed.dtype(), "{text}");
                    assert_eq!((&found.shape[..], found.data_at), (parsed.shape(), bytes.len()), "{text}");
                    assert_eq!(found.fortran, parsed.order() == npyz::Order::Fortran);
                }
            }
        }
    }

    #[test]
    fn headers_of_other_things() {
        for text in [
            "{'descr': '<f8', 'fortran_order': False, 'shape': (+3, 4), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (0x3, 4), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3, , 4), }",
            "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3, 4), }",
            "{'descr': 'what', 'fortran_order': False, 'shape': (3, 4), }",
            "{'descr': '<f8', 'shape': (3, 4), }",
        ] {
            assert!(Header::parse(&headed(text)).is_err(), "{text}");
        }
    }
}
