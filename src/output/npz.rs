//! A zip archive of NumPy arrays, as `numpy.savez` writes it: the bars, and the simplices of their representatives.
//!
//! Arrays are stored without compression.

use std::io::{self, Write};

use npyz::{DType, NpyWriter, TypeStr, WriterBuilder};
use rawzip::{ErrorKind, ZipArchiveWriter};

use super::{Barcode, npy};
use crate::rips::{Chain, Representative, Representatives};

/// Writes the archive.
///
/// # Errors
/// Errors of `out`.
pub fn write(barcode: &Barcode<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut archive = ZipArchiveWriter::new(out);
    add(&mut archive, "bars", &|member| npy::write(barcode.diagram, member))?;
    if let Some(representatives) = barcode.representatives {
        for dim in 0..representatives.dimensions() {
            add_dimension(&mut archive, representatives, dim)?;
        }
    }
    archive.finish().map_err(io_error).map(drop)
}

/// An archive that is being written.
pub(crate) type Archive<'a> = ZipArchiveWriter<&'a mut dyn Write>;

/// Adds the arrays of one dimension.
fn add_dimension(archive: &mut Archive<'_>, representatives: &Representatives, dim: usize) -> io::Result<()> {
    let rows = representatives.of_dimension(dim);
    let count = rows.len();
    let mut table = |name: &str, width: usize, row: &dyn Fn(&Representative, &mut Vec<i64>)| {
        let write = |member: &mut dyn Write| {
            let mut array = integers(&[count as u64, width as u64], member)?;
            let mut values = Vec::with_capacity(width);
            for representative in rows {
                values.clear();
                row(representative, &mut values);
                // An essential bar has no death simplex.
                values.resize(width, -1);
                array.extend(values.iter().copied())?;
            }
            array.finish()
        };
        add(archive, &format!("{name}_{dim}"), &write)
    };
    let extend =
        |values: &mut Vec<i64>, simplex: &[u32]| values.extend(simplex.iter().map(|&v| i64::from(v)));
    table("birth_simplices", dim + 1, &|found, values| extend(values, &found.birth))?;
    table("death_simplices", dim + 2, &|found, values| {
        extend(values, found.death.as_deref().unwrap_or_default())
    })?;
    if dim > 0 {
        table("birth_edges", 2, &|found, values| extend(values, found.birth_edge.as_slice().as_flattened()))?;
    }
    table("death_edges", 2, &|found, values| extend(values, found.death_edge.as_slice().as_flattened()))?;
    let places = &|member: &mut dyn Write| {
        let mut array = integers(&[count as u64], member)?;
        array.extend(rows.iter().map(|found| found.index as i64))?;
        array.finish()
    };
    add(archive, &format!("index_{dim}"), places)?;
    let cocycles: Vec<&Chain> = rows.iter().filter_map(|found| found.cocycle.as_deref()).collect();
    add_chains(archive, "cocycle", dim, &cocycles)?;
    let cycles: Vec<&Chain> = rows.iter().filter_map(|found| found.cycle.as_deref()).collect();
    add_chains(archive, "cycle", dim, &cycles)
}

/// Adds the arrays of chains: the start of each chain and then the number of simplices, and the vertices and
/// coefficients of the concatenated chains.
fn add_chains(archive: &mut Archive<'_>, name: &str, dim: usize, chains: &[&Chain]) -> io::Result<()> {
    if chains.is_empty() {
        return Ok(());
    }
    let simplices: usize = chains.iter().map(|chain| chain.len()).sum();
    add(archive, &format!("{name}_offsets_{dim}"), &|member| {
        let mut array = integers(&[chains.len() as u64 + 1], member)?;
        let ends = chains.iter().scan(0, |end, chain| {
            *end += chain.len() as i64;
            Some(*end)
        });
        array.extend(std::iter::once(0).chain(ends))?;
        array.finish()
    })?;
    add(archive, &format!("{name}_simplices_{dim}"), &|member| {
        let mut array = integers(&[simplices as u64, dim as u64 + 1], member)?;
        array.extend(chains.iter().flat_map(|chain| chain.vertices()).map(|&vertex| i64::from(vertex)))?;
        array.finish()
    })?;
    add(archive, &format!("{name}_coefficients_{dim}"), &|member| {
        let mut array = integers(&[simplices as u64], member)?;
        array.extend(chains.iter().flat_map(|chain| chain.coefficients()).map(|&c| i64::from(c)))?;
        array.finish()
    })
}

/// Adds an array to an archive.
pub(crate) fn add(
    archive: &mut Archive<'_>,
    name: &str,
    write: &dyn Fn(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let (mut entry, config) = archive.new_file(format!("{name}.npy")).start().map_err(io_error)?;
    let mut member = config.wrap(&mut entry);
    write(&mut member)?;
    let (_, descriptor) = member.finish().map_err(io_error)?;
    entry.finish(descriptor).map_err(io_error).map(drop)
}

/// Begins an array of 64-bit integers in C order.
pub(crate) fn integers<'a>(
    shape: &[u64],
    out: &'a mut dyn Write,
) -> io::Result<NpyWriter<i64, &'a mut dyn Write>> {
    let integer: TypeStr = "<i8".parse().map_err(io::Error::other)?;
    npyz::WriteOptions::new().dtype(DType::Plain(integer)).shape(shape).writer(out).begin_nd()
}

/// Converts the error of an archive to that of its output.
pub(crate) fn io_error(error: rawzip::Error) -> io::Error {
    match error.into_kind() {
        ErrorKind::IO(error) => error,
        other => io::Error::other(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::npz::Archive;
    use crate::metric::DistanceMatrix;
    use crate::rips::{Outcome, RepresentativesRequest, Rips};

    fn shape_and_values<T: npyz::Deserialize>(archive: &Archive<'_>, name: &str) -> (Vec<u64>, Vec<T>) {
        let bytes = archive.read(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        let array = npyz::NpyFile::new(bytes.as_slice()).unwrap();
        (array.shape().to_vec(), array.into_vec().unwrap())
    }

    fn written(outcome: &Outcome) -> Vec<u8> {
        let Outcome { diagram, summary, .. } = outcome;
        let representatives = outcome.representatives();
        let mut bytes = Vec::new();
        write(
            &Barcode { diagram, summary, modulus: 2, landmarks: None, representatives, unfinished: &[] },
            &mut bytes,
        )
        .unwrap();
        bytes
    }

    /// A quadrilateral with sides of 1 and 2 and diagonals of 3.
    fn quadrilateral() -> Rips<f32> {
        Rips::new(DistanceMatrix::from_lower(vec![1.0, 3.0, 2.0, 2.0, 3.0, 1.0]).unwrap())
    }

    #[test]
    fn a_table_a_dimension() {
        let outcome = quadrilateral().representatives(RepresentativesRequest::default()).solve(&()).unwrap();
        let bytes = written(&outcome);
        let archive = Archive::open(&bytes).unwrap();
        let bars =
            [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [0.0, 0.0, 2.0], [0.0, 0.0, f64::INFINITY], [1.0, 2.0, 3.0]];
        assert_eq!(shape_and_values(&archive, "bars"), (vec![5, 3], bars.concat()));
        let table = |name: &str| shape_and_values::<i64>(&archive, name);
        assert_eq!(table("index_0"), (vec![4], vec![0, 1, 2, 3]));
        assert_eq!(table("birth_simplices_0"), (vec![4, 1], vec![2, 0, 1, 3]));
        assert_eq!(table("death_simplices_0"), (vec![4, 2], vec![2, 3, 0, 1, 0, 3, -1, -1]));
        assert_eq!(table("death_edges_0"), table("death_simplices_0"));
        assert_eq!(
            (table("index_1"), table("birth_simplices_1")),
            ((vec![1], vec![0]), (vec![1, 2], vec![1, 2]))
        );
        assert_eq!(table("birth_edges_1"), table("birth_simplices_1"));
        assert_eq!(table("death_simplices_1"), (vec![1, 3], vec![0, 1, 3]));
        assert_eq!(table("death_edges_1"), (vec![1, 2], vec![1, 3]));
        assert_eq!(archive.names().count(), 10);
    }

    #[test]
    fn bars_alone() {
        let bytes = written(&quadrilateral().max_dim(0).solve(&()).unwrap());
        let archive = Archive::open(&bytes).unwrap();
        assert_eq!(archive.names().collect::<Vec<_>>(), ["bars"]);
    }

    #[test]
    fn tables_without_rows_have_their_width() {
        let none = RepresentativesRequest::default().bars(crate::rips::BarSelection::Longest(0));
        let bytes = written(&quadrilateral().representatives(none).solve(&()).unwrap());
        let archive = Archive::open(&bytes).unwrap();
        assert_eq!(shape_and_values::<i64>(&archive, "death_simplices_1"), (vec![0, 3], vec![]));
    }
}
