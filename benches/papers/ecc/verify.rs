//! Checks curves against the processor, a count cell by cell, their sum, and for noise against the expectation.

use lacuna::cubical::ecc::cuda::Prepared;
use lacuna::cubical::ecc::{EccRequest, Vcec, Voxels, curve, plain, reader_of};
use lacuna::cubical::thinning::BitImage;
use lacuna::cubical::thinning::topology::euler_characteristic;
use lacuna::cubical::{Image, Order, Shape, Voxel};
use rayon::prelude::*;
use zerocopy::IntoBytes as _;

use super::inputs;
use crate::Failure;

/// The rows at which cells are counted, as fractions of all rows.
const COUNTED: [f64; 3] = [0.1, 0.5, 0.8];

/// The processor's curve of an image. All rows must equal the device's, some rows a count of cells by words, and the
/// curve of a corner a count cell by cell.
pub fn verified<T: Voxel>(
    image: &Image<T>,
    request: &EccRequest,
    prepared: Option<&Prepared>,
) -> Result<Vcec, Failure> {
    let corner = corner(image)?;
    let expected = plain::curve(&corner, request)?;
    same("a corner, cells one by one", &expected, &curve(&corner, request)?)?;
    on_device("a corner", &corner, request, prepared, &expected)?;
    let found = curve(image, request)?;
    on_device("the image", image, request, prepared, &found)?;
    let euler = found.euler();
    COUNTED.par_iter().try_for_each(|part| {
        let row = (part * euler.len() as f64) as usize;
        let end = found.values.at(row).double();
        let cells = euler_characteristic(&BitImage::of(image, |voxel: T| voxel.value() <= end));
        if cells == euler[row] {
            return Ok(());
        }
        Err(format!("up to {end}: expected {cells}, by cells, found {}", euler[row]))
    })?;
    is_whole(&found)?;
    Ok(found)
}

/// Describes the checks of [`verified`].
pub fn words(has_device: bool) -> String {
    let whole = if has_device { "processor, every row; " } else { "" };
    format!("{whole}cells by words, 3 rows; a corner's cells one by one; sum 1")
}

/// Checks that the final complex is a box.
pub fn is_whole(curve: &Vcec) -> Result<(), Failure> {
    match curve.changes.iter().sum::<i64>() {
        1 => Ok(()),
        sum => Err(format!("changes of a box: expected the sum 1, found {sum}").into()),
    }
}

/// Checks that two curves are equal.
pub fn same(what: &str, expected: &Vcec, found: &Vcec) -> Result<(), Failure> {
    if expected == found {
        return Ok(());
    }
    let rows = expected.rows().zip(found.rows());
    let first = rows.into_iter().find(|(expected, found)| expected != found);
    Err(format!(
        "{what}: expected {} rows, found {}; first that differ: {first:?}",
        expected.changes.len(),
        found.changes.len()
    )
    .into())
}

fn on_device<T: Voxel>(
    what: &str,
    image: &Image<T>,
    request: &EccRequest,
    prepared: Option<&Prepared>,
    expected: &Vcec,
) -> Result<(), Failure> {
    let Some(prepared) = prepared else { return Ok(()) };
    let found = prepared.curve(&prepared.gpu().upload(image.voxels().as_bytes())?, image.shape(), request)?;
    same(&format!("{what}, device against processor"), expected, &found)
}

/// The part of an image next to its first voxel.
fn corner<T: Voxel>(image: &Image<T>) -> Result<Image<T>, Failure> {
    let axes = image.shape().axes();
    let most = if axes.len() == 3 { 21 } else { 85 };
    let few: Vec<usize> = axes.iter().map(|&axis| axis.min(most)).collect();
    let place = |mut number: usize| {
        let (mut place, mut stride) = (0, 1);
        for (&axis, &few) in axes.iter().zip(&few).rev() {
            place += number % few * stride;
            number /= few;
            stride *= axis;
        }
        place
    };
    let voxels = (0..few.iter().product()).map(|number| image.voxels()[place(number)]).collect();
    Ok(Image::new(Shape::new(&few, Order::C)?, voxels)?)
}

/// Checks that the device finds for a stream of noise the processor's curve of the same noise in memory.
pub fn streamed(prepared: &Prepared, axes: &[usize], request: &EccRequest) -> Result<(), Failure> {
    let shape = Shape::new(axes, Order::C)?;
    let expected = curve(&Image::new(shape, inputs::noise_of(shape.count()))?, request)?;
    let read = reader_of(|first: usize, room: &mut [f32]| {
        inputs::noise(first, room);
        Ok(())
    });
    let found = prepared.stream(shape, request, Voxels::anywhere(&read), &|_| ())?;
    same("a stream of noise", &expected, &found)
}

/// Checks that the curve of noise deviates from its expectation by at most 20 standard deviations of a sum of
/// independent numbers of variance 1, one per voxel. At a level that a voxel reaches with probability p, a cell
/// shared by k voxels is present with probability 1 − (1 − p)^k. Along an axis of n voxels there are n cells of one
/// voxel, n − 1 between two voxels, and 2 at the ends.
pub fn is_as_expected(curve: &Vcec, axes: &[usize]) -> Result<(), Failure> {
    let allowed = 20.0 * (axes.iter().product::<usize>() as f64).sqrt();
    // Signed numbers of cells, by the number of voxels that share them.
    let mut cells = vec![(1_u32, 1.0)];
    for &n in axes {
        // A cell that extends along the axis has one dimension more.
        let kinds = [(1, 2.0 - n as f64), (2, n as f64 - 1.0)];
        cells = cells
            .iter()
            .flat_map(|&(k, count)| kinds.map(|(more, signed)| (k * more, count * signed)))
            .collect();
    }
    for (end, _, euler) in curve.rows() {
        // Values are multiples of 2^−24 below 1.
        let reached = ((end.double() * 16_777_216.0).floor() + 1.0).min(16_777_216.0) / 16_777_216.0;
        let there = |k: u32| 1.0 - (1.0 - reached).powf(f64::from(k));
        let expected: f64 = cells.iter().map(|&(k, count)| count * there(k)).sum();
        if (euler as f64 - expected).abs() > allowed {
            return Err(format!("noise up to {end:?}: expected about {expected:.0}, found {euler}").into());
        }
    }
    Ok(())
}
