//! Several inputs in one file: a NumPy array of three axes, whose first axis numbers the inputs. Each is read as an
//! array of two axes.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use npyz::{DType, WriterBuilder as _};

use super::{DistanceFormat, DistanceOptions, Loaded, ReadError, read_bytes};
use crate::input::npy::{Header, MAGIC, Scalar};
use crate::input::{Place, Problem};
use crate::input::{no_room, source};
use crate::memory;

/// Upper bound on the bytes of an array's magic, version and longest header.
const HEAD: u64 = 12 << 10;

/// Number of inputs in the file at `path`; `None` if it is not an array of three axes.
///
/// # Errors
/// The file cannot be read.
pub fn count_clouds(path: &Path) -> io::Result<Option<usize>> {
    if !std::fs::metadata(path)?.is_file() {
        return Ok(None);
    }
    let head = head_of(&File::open(path)?)?;
    // Errors in the header are reported when the file is read.
    let header = Some(head).filter(|head| head.starts_with(MAGIC)).and_then(|head| Header::parse(&head).ok());
    let of_three_axes = header.filter(|header| header.shape.len() == 3 && header.shape[0] > 0);
    Ok(of_three_axes.and_then(|header| usize::try_from(header.shape[0]).ok()))
}

/// Name of one input among several, for messages.
pub fn name_of_cloud(path: &Path, number: usize) -> String {
    format!("{}[{number}]", source::name_of(path))
}

/// Reads input `number` (0-based) of the file at `path`.
///
/// # Errors
/// The file cannot be read or is not an array of three axes in C order, or the input is malformed.
pub fn read_cloud(path: &Path, number: usize, options: &DistanceOptions) -> Result<Loaded, ReadError> {
    let file = name_of_cloud(path, number);
    let failed = |error| ReadError::Io { file: file.clone(), error };
    let source = File::open(path).map_err(failed)?;
    let length = source.metadata().map_err(failed)?.len();
    let head = head_of(&source).map_err(failed)?;
    let place = place_of(&head, number, length)
        .map_err(|problem| ReadError::of(file.clone(), Some(DistanceFormat::Npy), None, problem))?;
    let bytes = array_of(source, place).map_err(failed)?;
    read_bytes(&file, &bytes, options.clone())
}

fn head_of(file: &File) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(HEAD as usize);
    file.take(HEAD).read_to_end(&mut head)?;
    Ok(head)
}

/// Copies an input into the bytes of an `npy` file of its own.
fn array_of(mut file: File, place: InFile) -> io::Result<Vec<u8>> {
    let mut bytes = place.header;
    // The file has as many bytes, or had a moment ago.
    memory::reserve(&mut bytes, place.bytes as usize).map_err(no_room)?;
    file.seek(SeekFrom::Start(place.at))?;
    let found = file.take(place.bytes).read_to_end(&mut bytes)?;
    if found as u64 == place.bytes { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// Location of an input in its file.
struct InFile {
    at: u64,
    bytes: u64,
    /// Header for the input as an array of its own.
    header: Vec<u8>,
}

fn place_of(head: &[u8], number: usize, length: u64) -> Result<InFile, Problem> {
    let Header { dtype, shape, fortran, data_at } = Header::parse(head)?;
    let Scalar { size, .. } = Scalar::of(&dtype)?;
    let &[clouds, rows, columns] = &shape[..] else {
        let found = format!("{} of shape {shape:?}", shape.len());
        return Err(Problem::new(Place::Byte(10), "an array of 3 dimensions", found));
    };
    if fortran {
        let expected = "an array in C order, in which the numbers of each input lie together";
        let problem = Problem::new(Place::Byte(10), expected, "Fortran order");
        return Err(problem.note("numpy.save(path, numpy.ascontiguousarray(a)) writes it so"));
    }
    let bytes = rows.checked_mul(columns).and_then(|count| count.checked_mul(size as u64));
    let all = bytes.and_then(|bytes| bytes.checked_mul(clouds));
    let after = length.saturating_sub(data_at as u64);
    let (Some(bytes), true) = (bytes, all == Some(after)) else {
        let expected = format!("{clouds} × {rows} × {columns} elements of {size} bytes after the header");
        return Err(Problem::whole(expected, format!("{after} bytes")));
    };
    if number as u64 >= clouds {
        return Err(Problem::whole(format!("the number of an input, below {clouds}"), number.to_string()));
    }
    let header = npyz::WriteOptions::new_header_only().dtype(DType::Plain(dtype)).shape(&[rows, columns]);
    let header = header.writer(Vec::new()).write_header_only()?;
    Ok(InFile { at: data_at as u64 + number as u64 * bytes, bytes, header })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::npy::tests::file as npy_file;
    use crate::metric::Distances;
    use crate::metric::read::Input;

    fn saved(fortran: bool, shape: &str, numbers: &[f64]) -> tempfile::NamedTempFile {
        let data: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), npy_file("<f8", fortran, shape, &data)).unwrap();
        file
    }

    #[test]
    fn clouds_are_read_one_by_one() {
        let file = saved(false, "(3, 2, 1)", &[0.0, 1.0, 2.0, 4.0, 5.0, 9.0]);
        assert_eq!(count_clouds(file.path()).unwrap(), Some(3));
        for (number, expected) in [[0.0, 1.0], [2.0, 4.0], [5.0, 9.0]].iter().enumerate() {
            let loaded = read_cloud(file.path(), number, &DistanceOptions::default()).unwrap();
            let Input::Double(Distances::Points(cloud)) = loaded.input else { panic!("points") };
            assert_eq!([cloud.point(0)[0], cloud.point(1)[0]], *expected);
        }
        let past = read_cloud(file.path(), 3, &DistanceOptions::default()).unwrap_err().to_string();
        assert!(past.contains("[3]") && past.contains("below 3"), "{past}");
    }

    #[test]
    fn files_that_do_not_hold_several() {
        let flat = saved(false, "(3, 2)", &[0.0; 6]);
        assert_eq!(count_clouds(flat.path()).unwrap(), None);
        let error = |fortran: bool, numbers: usize| {
            let file = saved(fortran, "(3, 2, 1)", &vec![0.0; numbers]);
            read_cloud(file.path(), 0, &DistanceOptions::default()).unwrap_err().to_string()
        };
        let fortran = error(true, 6);
        assert!(fortran.contains("C order") && fortran.contains("ascontiguousarray"), "{fortran}");
        let short = error(false, 5);
        assert!(short.contains("3 × 2 × 1 elements of 8 bytes") && short.contains("40 bytes"), "{short}");
    }
}
