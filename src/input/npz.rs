//! `npz`: several NumPy arrays in a zip archive, as `numpy.savez`, `numpy.savez_compressed` and `scipy.sparse.save_npz` write it.
//!
//! Members are stored or deflated; large archives (zip64) are read like others. What a member holds is unpacked only as far as the
//! archive's directory says it goes, and its length and check sum are compared with the directory's.

use super::gzip::{GrowthFault, out_of_memory, read_growing};
use super::npy::Array;
use super::triplets::{Triplet, Triplets};
use super::{Place, Problem, codecs};
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveEntryWayfinder, ZipSliceArchive};
use std::io::Read;

/// What the file of an archive with members begins with.
pub(crate) const MAGIC: &[u8] = b"PK\x03\x04";

/// Arrays of one archive. NumPy writes a member for each argument of `savez`, so this is far more than any script needs.
const MOST_ARRAYS: usize = 1 << 16;

const ARCHIVE: &str = "a zip archive of NumPy arrays";

/// An `.npz` file in memory.
pub(crate) struct Archive<'a> {
    zip: ZipSliceArchive<&'a [u8]>,
    members: Vec<Member>,
}

struct Member {
    /// As `numpy.load` calls it: without the ending `.npy`.
    name: String,
    place: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
    /// Bytes of the array, unpacked, as the directory has it.
    size: u64,
}

impl<'a> Archive<'a> {
    /// Reads the directory of an archive.
    ///
    /// # Errors
    /// The file is no zip archive, or its members are not arrays.
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Self, Problem<Place>> {
        let broken = |error: rawzip::Error| Problem::new(Place::Whole, ARCHIVE, error.to_string());
        let zip = ZipArchive::from_slice(bytes).map_err(broken)?;
        let mut members = Vec::new();
        let mut entries = zip.entries();
        while let Some(entry) = entries.next_entry().map_err(broken)? {
            let path = String::from_utf8_lossy(entry.file_path().as_ref()).into_owned();
            let Some(name) = path.strip_suffix(".npy") else {
                let note = "the file is not one that numpy.savez or scipy.sparse.save_npz writes";
                let found = format!("{path:?} in it");
                return Err(Problem::new(Place::Whole, ARCHIVE, found).note(note));
            };
            if members.len() == MOST_ARRAYS {
                let found = format!("more than {MOST_ARRAYS}");
                return Err(Problem::new(Place::Whole, "an archive of fewer arrays", found));
            }
            members.push(Member {
                name: name.to_owned(),
                place: entry.wayfinder(),
                method: entry.compression_method(),
                size: entry.uncompressed_size_hint(),
            });
        }
        Ok(Archive { zip, members })
    }

    /// The names of the arrays, in the order of the archive.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|member| member.name.as_str())
    }

    /// Whether there is an array of this name.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.names().any(|member| member == name)
    }

    /// The `npy` file of the archive's only array.
    ///
    /// # Errors
    /// There are several arrays or none, which the error names, or the array is damaged.
    pub(crate) fn single(&self) -> Result<Vec<u8>, Problem<Place>> {
        match &self.members[..] {
            [member] => self.unpack(member),
            [] => Err(Problem::new(Place::Whole, "an archive with one array", "none")),
            members => {
                const SHOWN: usize = 8;
                let mut names: Vec<&str> = self.names().take(SHOWN).collect();
                if members.len() > SHOWN {
                    names.push("…");
                }
                let found = format!("{}: {}", members.len(), names.join(", "));
                let note = "save the one you mean with numpy.save";
                Err(Problem::new(Place::Whole, "an archive with one array", found).note(note))
            }
        }
    }

    /// The `npy` file of the array `name`.
    ///
    /// # Errors
    /// There is none of that name, or it is damaged.
    pub(crate) fn read(&self, name: &str) -> Result<Vec<u8>, Problem<Place>> {
        match self.members.iter().find(|member| member.name == name) {
            Some(member) => self.unpack(member),
            None => {
                Err(Problem::new(Place::Whole, format!("an array called {name:?} in the archive"), "none"))
            }
        }
    }

    fn unpack(&self, member: &Member) -> Result<Vec<u8>, Problem<Place>> {
        let expected = || format!("a sound array {:?}", member.name);
        let damaged = |error: String| Problem::new(Place::Whole, expected(), error);
        let entry = self.zip.get_entry(member.place).map_err(|error| damaged(error.to_string()))?;
        let stream: Box<dyn Read> = match member.method {
            CompressionMethod::STORE => Box::new(entry.data()),
            CompressionMethod::DEFLATE => {
                codecs::require("a compressed array, as numpy.savez_compressed writes it")?;
                Box::new(codecs::deflate(entry.data()).map_err(|error| damaged(error.to_string()))?)
            }
            method => {
                let found = format!("zip's compression method {method:?}");
                let note = "save it with numpy.savez_compressed or numpy.savez";
                return Err(Problem::new(Place::Whole, expected(), found).note(note));
            }
        };
        // A byte more than is promised, so that a longer array is noticed and not unpacked.
        let mut stream = entry.verifying_reader(stream.take(member.size.saturating_add(1)));
        read_growing(&mut stream).map_err(|fault| match fault {
            GrowthFault::Memory(size) => out_of_memory(size),
            GrowthFault::Io(error) => damaged(error.to_string()),
        })
    }

    /// Whether this is a sparse matrix of SciPy.
    pub(crate) fn is_sparse(&self) -> bool {
        self.contains("format") && self.contains("shape")
    }

    /// The sparse matrix that `scipy.sparse.save_npz` wrote, of the formats csr, csc, coo and dia.
    ///
    /// # Errors
    /// There is none, it is of another format, or what it says of itself does not agree.
    pub(crate) fn sparse(&self) -> Result<Triplets, Problem<Place>> {
        let [rows, columns] = self.shape()?;
        let file = self.read("format")?;
        let format = self.array("format", &file)?.text().unwrap_or_default();
        let entries = match format.as_str() {
            "csr" => {
                self.compressed(rows, columns, "row", |row, column, value| Triplet { row, column, value })
            }
            "csc" => {
                self.compressed(columns, rows, "column", |column, row, value| Triplet { row, column, value })
            }
            "coo" => self.coordinates(rows, columns),
            "dia" => self.diagonals(rows, columns),
            _ => {
                let note = "save A.tocsc() or A.tocsr() instead of A";
                return Err(Problem::new(
                    Place::Whole,
                    "a sparse matrix of format csr, csc, coo or dia",
                    format!("format {format:?}"),
                )
                .note(note));
            }
        }?;
        Ok(Triplets { rows, columns, entries, symmetric: false, lines: Vec::new() })
    }

    fn shape(&self) -> Result<[usize; 2], Problem<Place>> {
        let extents = self.integers("shape")?;
        match extents[..] {
            [rows, columns] if rows >= 0 && columns >= 0 => Ok([rows as usize, columns as usize]),
            _ => Err(Problem::new(
                Place::Whole,
                "a sparse matrix of two axes",
                format!("the shape {extents:?}"),
            )),
        }
    }

    /// The entries of a matrix stored line after line, `lines` of them; a line is a row or a column, as `line` says.
    fn compressed(
        &self,
        lines: usize,
        width: usize,
        line: &str,
        triplet: impl Fn(usize, usize, f64) -> Triplet,
    ) -> Result<Vec<Triplet>, Problem<Place>> {
        let starts = self.integers("indptr")?;
        let (indices, values) = (self.integers("indices")?, self.numbers("data")?);
        if starts.len().checked_sub(1) != Some(lines) {
            let expected = format!("one number more in \"indptr\" than the {lines} {line}s");
            return Err(Problem::new(Place::Whole, expected, starts.len().to_string()));
        }
        let count = values.len().min(indices.len());
        let sound = starts[0] == 0 && starts.is_sorted() && starts[lines] <= count as i64;
        if !sound {
            let expected = format!("\"indptr\" that ascends from 0 to at most the {count} entries");
            let found = format!("it from {} to {}", starts[0], starts[lines]);
            return Err(Problem::new(Place::Whole, expected, found));
        }
        let mut entries = Vec::with_capacity(starts[lines] as usize);
        for (number, range) in starts.windows(2).enumerate() {
            for at in range[0] as usize..range[1] as usize {
                let index = within(indices[at], width, || format!("\"indices\" of {line} {number}"))?;
                entries.push(triplet(number, index, values[at]));
            }
        }
        Ok(entries)
    }

    fn coordinates(&self, rows: usize, columns: usize) -> Result<Vec<Triplet>, Problem<Place>> {
        let (row, column, data) = (self.integers("row")?, self.integers("col")?, self.numbers("data")?);
        if row.len() != data.len() || column.len() != data.len() {
            let expected = format!("{} numbers in \"row\" and in \"col\", as in \"data\"", data.len());
            return Err(Problem::new(Place::Whole, expected, format!("{} and {}", row.len(), column.len())));
        }
        let entries = row.iter().zip(&column).zip(&data).enumerate();
        let triplet = |(at, ((&row, &column), &value)): (usize, ((&i64, &i64), &f64))| {
            let row = within(row, rows, || format!("element {at} of \"row\""))?;
            let column = within(column, columns, || format!("element {at} of \"col\""))?;
            Ok(Triplet { row, column, value })
        };
        entries.map(triplet).collect()
    }

    /// Diagonal k holds at place j the entry of row j − offset, column j.
    fn diagonals(&self, rows: usize, columns: usize) -> Result<Vec<Triplet>, Problem<Place>> {
        let offsets = self.integers("offsets")?;
        let file = self.read("data")?;
        let array = self.array("data", &file)?;
        let &[count, width] = &array.shape[..] else {
            return Err(self.wrong_shape("data", "two axes", &array));
        };
        if count != offsets.len() as u64 {
            return Err(self.wrong_shape("data", "a row for each of \"offsets\"", &array));
        }
        let (count, width) = (count as usize, width as usize);
        let values = array.numbers().map_err(|problem| in_array("data", problem))?;
        let mut entries = Vec::new();
        for (k, &offset) in offsets.iter().enumerate() {
            for column in 0..width.min(columns) {
                let value = values[if array.fortran { column * count + k } else { k * width + column }];
                let row = (column as i64).checked_sub(offset).and_then(|row| usize::try_from(row).ok());
                if let Some(row) = row.filter(|&row| row < rows && value != 0.0) {
                    entries.push(Triplet { row, column, value });
                }
            }
        }
        Ok(entries)
    }

    fn array<'f>(&self, name: &str, file: &'f [u8]) -> Result<Array<'f>, Problem<Place>> {
        Array::parse(file).map_err(|problem| in_array(name, problem))
    }

    fn integers(&self, name: &str) -> Result<Vec<i64>, Problem<Place>> {
        let file = self.read(name)?;
        self.list(name, &file)?.integers().map_err(|problem| in_array(name, problem))
    }

    fn numbers(&self, name: &str) -> Result<Vec<f64>, Problem<Place>> {
        let file = self.read(name)?;
        self.list(name, &file)?.numbers().map_err(|problem| in_array(name, problem))
    }

    fn list<'f>(&self, name: &str, file: &'f [u8]) -> Result<Array<'f>, Problem<Place>> {
        let array = self.array(name, file)?;
        if array.shape.len() == 1 { Ok(array) } else { Err(self.wrong_shape(name, "one axis", &array)) }
    }

    fn wrong_shape(&self, name: &str, expected: &str, array: &Array<'_>) -> Problem<Place> {
        let found = format!("the shape {:?}", array.shape);
        Problem::new(Place::Whole, format!("an array {name:?} with {expected}"), found)
    }
}

/// A problem of the array `name`. Its bytes are those of the array unpacked, so they are named with it and not as a place of the file.
fn in_array(name: &str, problem: Problem<Place>) -> Problem<Place> {
    let expected = format!("{} in array {name:?}", problem.expected);
    Problem { place: Place::Whole, expected, ..problem }
}

/// The index, when it is less than `extent`.
fn within(index: i64, extent: usize, place: impl FnOnce() -> String) -> Result<usize, Problem<Place>> {
    let found = usize::try_from(index).ok().filter(|&index| index < extent);
    found.ok_or_else(|| {
        Problem::new(Place::Whole, format!("numbers below {extent} in {}", place()), index.to_string())
    })
}

#[cfg(all(test, feature = "codecs"))]
pub(crate) mod tests {
    use super::super::npy::tests::file;
    use super::*;
    use flate2::write::DeflateEncoder;
    use rawzip::ZipArchiveWriter;
    use std::io::Write;

    /// An archive of arrays as NumPy writes it.
    pub(crate) fn archive(arrays: &[(&str, Vec<u8>)], deflated: bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut zip = ZipArchiveWriter::new(&mut bytes);
        for (name, array) in arrays {
            let method = if deflated { CompressionMethod::DEFLATE } else { CompressionMethod::STORE };
            let (mut entry, config) =
                zip.new_file(format!("{name}.npy")).compression_method(method).start().unwrap();
            let descriptor = if deflated {
                let mut writer = config.wrap(DeflateEncoder::new(&mut entry, flate2::Compression::default()));
                writer.write_all(array).unwrap();
                let (encoder, descriptor) = writer.finish().unwrap();
                encoder.finish().unwrap();
                descriptor
            } else {
                let mut writer = config.wrap(&mut entry);
                writer.write_all(array).unwrap();
                writer.finish().unwrap().1
            };
            entry.finish(descriptor).unwrap();
        }
        zip.finish().unwrap();
        bytes
    }

    fn longs(values: &[i64]) -> Vec<u8> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        file("<i8", &format!("({},)", values.len()), &bytes)
    }

    /// The matrix with rows (0 1 0) and (2 0 −3), compressed by rows.
    fn by_rows() -> Vec<(&'static str, Vec<u8>)> {
        vec![
            ("indices", longs(&[1, 2, 0])),
            ("indptr", longs(&[0, 1, 3])),
            ("format", file("|S3", "()", b"csr")),
            ("shape", longs(&[2, 3])),
            ("data", longs(&[1, -3, 2])),
        ]
    }

    fn sparse(arrays: &[(&str, Vec<u8>)]) -> Result<Triplets, String> {
        let bytes = archive(arrays, true);
        Archive::open(&bytes).and_then(|archive| archive.sparse()).map_err(|problem| problem.to_string())
    }

    fn entries(found: &Triplets) -> Vec<(usize, usize, f64)> {
        let mut entries: Vec<_> =
            found.entries.iter().map(|entry| (entry.row, entry.column, entry.value)).collect();
        entries.sort_by_key(|&(row, column, _)| (row, column));
        entries
    }

    #[test]
    fn arrays_by_name() {
        for deflated in [false, true] {
            let bytes = archive(&by_rows(), deflated);
            let found = Archive::open(&bytes).unwrap();
            assert_eq!(found.names().collect::<Vec<_>>(), ["indices", "indptr", "format", "shape", "data"]);
            assert_eq!(found.read("shape").unwrap(), longs(&[2, 3]));
            assert!(found.is_sparse());
            let missing = found.read("row").unwrap_err().to_string();
            assert_eq!(missing, "expected an array called \"row\" in the archive, found none");
            let several = found.single().unwrap_err().to_string();
            assert!(
                several.contains("found 5: indices, indptr, format, shape, data; save the one"),
                "{several}"
            );
            let one = archive(&[("arr_0", longs(&[7]))], deflated);
            assert_eq!(Archive::open(&one).unwrap().single().unwrap(), longs(&[7]));
        }
    }

    #[test]
    fn sparse_matrices_of_each_format() {
        let expected = [(0, 1, 1.0), (1, 0, 2.0), (1, 2, -3.0)];
        let by_rows = by_rows();
        let found = sparse(&by_rows).unwrap();
        assert_eq!((found.rows, found.columns, &entries(&found)[..]), (2, 3, &expected[..]));
        let format = |name: &str| {
            file("<U3", "()", &name.bytes().flat_map(|byte| [byte, 0, 0, 0]).collect::<Vec<_>>())
        };
        let by_columns = [
            ("indices", longs(&[1, 0, 1])),
            ("indptr", longs(&[0, 1, 2, 3])),
            ("format", format("csc")),
            ("shape", longs(&[2, 3])),
            ("data", file("<f4", "(3,)", &[0, 0, 0, 0x40, 0, 0, 0x80, 0x3f, 0, 0, 0x40, 0xc0])),
        ];
        assert_eq!(entries(&sparse(&by_columns).unwrap()), expected);
        let coordinates = [
            ("row", longs(&[1, 0, 1])),
            ("col", longs(&[2, 1, 0])),
            ("format", format("coo")),
            ("shape", longs(&[2, 3])),
            ("data", longs(&[-3, 1, 2])),
        ];
        assert_eq!(entries(&sparse(&coordinates).unwrap()), expected);
        let diagonals = [
            ("offsets", longs(&[1, -1])),
            ("format", format("dia")),
            ("shape", longs(&[2, 3])),
            ("data", file("|i1", "(2, 3)", &[9, 1, 0xfd, 2, 9, 9])),
        ];
        assert_eq!(entries(&sparse(&diagonals).unwrap()), expected);
    }

    #[test]
    fn what_does_not_agree_is_named() {
        let with = |name: &'static str, array: Vec<u8>| {
            let mut arrays = by_rows();
            arrays.iter_mut().find(|(of, _)| *of == name).unwrap().1 = array;
            sparse(&arrays).unwrap_err()
        };
        assert_eq!(
            with("format", file("|S3", "()", b"bsr")),
            "expected a sparse matrix of format csr, csc, coo or dia, found format \"bsr\"; save A.tocsc() or A.tocsr() instead of A"
        );
        assert_eq!(
            with("indptr", longs(&[0, 3])),
            "expected one number more in \"indptr\" than the 2 rows, found 2"
        );
        assert_eq!(
            with("indptr", longs(&[0, 4, 3])),
            "expected \"indptr\" that ascends from 0 to at most the 3 entries, found it from 0 to 3"
        );
        assert_eq!(
            with("indices", longs(&[1, 3, 0])),
            "expected numbers below 3 in \"indices\" of row 1, found 3"
        );
        assert_eq!(with("shape", longs(&[6])), "expected a sparse matrix of two axes, found the shape [6]");
        assert_eq!(
            with("data", file("<c8", "(3,)", &[0; 24])),
            "expected real numbers of at most 8 bytes in array \"data\", found complex numbers of 8 bytes"
        );
    }

    #[test]
    fn damage_is_noticed() {
        let good = archive(&[("x", vec![7; 1000])], false);
        let mut flipped = good.clone();
        flipped[500] ^= 1;
        let damaged = |bytes: &[u8]| match Archive::open(bytes) {
            Ok(archive) => archive.single().unwrap_err().to_string(),
            Err(problem) => problem.to_string(),
        };
        assert!(
            damaged(&flipped).starts_with("expected a sound array \"x\", found "),
            "{}",
            damaged(&flipped)
        );
        assert!(damaged(&good[..900]).starts_with("expected a zip archive of NumPy arrays, found "));
        // A member that unpacks to more than the directory has of it.
        let mut bomb = archive(&[("x", vec![0; 1 << 20])], true);
        let size = (1u32 << 20).to_le_bytes();
        let directory = bomb.windows(4).rposition(|bytes| bytes == size).unwrap();
        bomb[directory..directory + 4].copy_from_slice(&10u32.to_le_bytes());
        assert!(damaged(&bomb).starts_with("expected a sound array \"x\", found "), "{}", damaged(&bomb));
        for end in 0..good.len() {
            damaged(&good[..end]);
        }
    }
}
