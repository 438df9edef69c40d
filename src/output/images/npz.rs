//! A zip archive of NumPy arrays, as `numpy.savez` writes it: the bars, and cycles that represent them.

use std::io::{self, Write};

use rawzip::ZipArchiveWriter;

use super::Barcode;
use crate::cubical::persistence::representatives::{Representative, Representatives};
use crate::output::npz::{Archive, add, integers, io_error};

/// Writes the archive.
///
/// # Errors
/// Errors of `out`.
pub fn write(barcode: &Barcode<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut archive = ZipArchiveWriter::new(out);
    add(&mut archive, "bars", &|member| super::write_rows(barcode, member))?;
    if let Some(representatives) = barcode.representatives {
        for dim in 0..barcode.classes.dimensions.len() {
            add_dimension(&mut archive, representatives, dim)?;
        }
    }
    archive.finish().map_err(io_error).map(drop)
}

/// Adds the arrays of one dimension.
fn add_dimension(archive: &mut Archive<'_>, representatives: &Representatives, dim: usize) -> io::Result<()> {
    let shape = representatives.shape();
    let axes = shape.axes().len();
    let found: Vec<Representative<'_>> = representatives.of_dimension(dim).collect();
    let voxel = |place: usize| shape.coordinates(place).into_iter().map(|at| at as i64);
    let mut add = |name: &str, shape: &[usize], row: &dyn Fn(&Representative<'_>, &mut Vec<i64>)| {
        add_rows(archive, &format!("{name}_{dim}"), shape, &found, row)
    };
    add("index", &[found.len()], &|found, row| row.push(found.index as i64))?;
    add("birth_voxels", &[found.len(), axes], &|found, row| row.extend(voxel(found.class.birth)))?;
    add("death_voxels", &[found.len(), axes], &|found, row| match found.class.death {
        Some(death) => row.extend(voxel(death)),
        None => row.resize(axes, -1),
    })?;
    let cells = found.iter().map(|found| found.cells.len()).sum();
    add("cycle_cells", &[cells, axes], &|found, row| {
        row.extend(found.cells.iter().flatten().map(|&at| i64::from(at)));
    })?;
    let voxels = found.iter().map(|found| found.voxels.len()).sum();
    add("cycle_voxels", &[voxels, axes], &|found, row| {
        row.extend(found.voxels.iter().flat_map(|&place| voxel(place)));
    })?;
    add_offsets(archive, &format!("cycle_offsets_{dim}"), found.iter().map(|found| found.cells.len()))?;
    add_offsets(archive, &format!("cycle_voxel_offsets_{dim}"), found.iter().map(|found| found.voxels.len()))
}

/// Adds an array of integers; `row` appends the part of each representative.
fn add_rows(
    archive: &mut Archive<'_>,
    name: &str,
    shape: &[usize],
    found: &[Representative<'_>],
    row: &dyn Fn(&Representative<'_>, &mut Vec<i64>),
) -> io::Result<()> {
    let shape: Vec<u64> = shape.iter().map(|&extent| extent as u64).collect();
    add(archive, name, &|member| {
        let mut array = integers(&shape, member)?;
        let mut values = Vec::new();
        for representative in found {
            values.clear();
            row(representative, &mut values);
            array.extend(values.iter().copied())?;
        }
        array.finish()
    })
}

/// Adds the start of each of the lists of the given lengths, and then the sum of the lengths.
fn add_offsets(
    archive: &mut Archive<'_>,
    name: &str,
    lengths: impl ExactSizeIterator<Item = usize> + Clone,
) -> io::Result<()> {
    add(archive, name, &|member| {
        let mut array = integers(&[lengths.len() as u64 + 1], member)?;
        let ends = lengths.clone().scan(0, |end, length| {
            *end += length as i64;
            Some(*end)
        });
        array.extend(std::iter::once(0).chain(ends))?;
        array.finish()
    })
}
