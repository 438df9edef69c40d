//! A zip archive of NumPy arrays, as `numpy.savez` writes it: the bars, and cycles that represent them.

use std::io::{self, Write};

use super::Barcode;
use crate::cubical::persistence::representatives::{Representative, Representatives};
use crate::output::npz::Archive;

/// Writes the archive.
///
/// # Errors
/// Errors of `out`.
pub fn write(barcode: &Barcode<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut archive = Archive::new(out);
    archive.bars(&barcode.table())?;
    if let Some(representatives) = barcode.representatives {
        for dim in 0..barcode.classes.dimensions.len() {
            add_dimension(&mut archive, representatives, dim)?;
        }
    }
    archive.finish()
}

/// Adds the arrays of one dimension.
fn add_dimension(archive: &mut Archive<'_>, representatives: &Representatives, dim: usize) -> io::Result<()> {
    let shape = representatives.shape();
    let axes = shape.axes().len();
    let found: Vec<&Representative> = representatives.of_dimension(dim).collect();
    let voxel = |place: usize| shape.coordinates(place).into_iter().map(|at| at as i64);
    let name = |array: &str| format!("{array}_{dim}");
    archive.numbers(&name("index"), &[found.len()], found.iter().map(|found| found.index as i64))?;
    let births = found.iter().flat_map(|found| voxel(found.class.birth));
    archive.numbers(&name("birth_voxels"), &[found.len(), axes], births)?;
    let none = vec![-1; axes];
    let death = |death: Option<usize>| death.map_or(none.clone(), |place| voxel(place).collect());
    let deaths = found.iter().flat_map(|found| death(found.class.death));
    archive.numbers(&name("death_voxels"), &[found.len(), axes], deaths)?;
    let cells = found.iter().map(|found| found.cells.len());
    let places = found.iter().flat_map(|found| found.cells.iter().flatten()).map(|&at| i64::from(at));
    archive.numbers(&name("cycle_cells"), &[cells.clone().sum(), axes], places)?;
    let voxels = found.iter().map(|found| found.voxels.len());
    let places = found.iter().flat_map(|found| found.voxels.iter().flat_map(|&place| voxel(place)));
    archive.numbers(&name("cycle_voxels"), &[voxels.clone().sum(), axes], places)?;
    archive.offsets(&name("cycle_offsets"), cells)?;
    archive.offsets(&name("cycle_voxel_offsets"), voxels)
}
