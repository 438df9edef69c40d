//! Reference implementation: enumerates the cubical complex cell by cell.
//!
//! It shares only types, the order of voxels and the ends of bins with the other implementations, which are tested
//! against it. In T a cell takes the least voxel that contains it, in V its greatest vertex.

use std::collections::BTreeMap;

use super::bins::{Bins, BinsError, Edges};
use super::request::EccRequest;
use super::vcec::Vcec;
use crate::cubical::construction::Construction;
use crate::cubical::image::{Image, Voxel};
use crate::cubical::key::Key;
use crate::cubical::order::VoxelOrder;
use crate::cubical::plain_cells::{PlainCells, dim};
use crate::cubical::value::Value;

/// Computes the curve by its definition.
///
/// # Errors
/// [`BinsError`]: the bins are invalid, or their range is to be found and no voxel is finite.
pub fn curve<T: Voxel>(image: &Image<T>, request: &EccRequest) -> Result<Vcec, BinsError> {
    let shape = image.shape();
    curve_of(image, PlainCells::new(shape.four_extents(), shape.dim(), request.construction), request)
}

/// Like [`curve`], of these cells of the image.
pub(crate) fn curve_of<T: Voxel>(
    image: &Image<T>,
    cells: PlainCells,
    request: &EccRequest,
) -> Result<Vcec, BinsError> {
    let keys: Vec<T::Key> = image.voxels().iter().map(|voxel| voxel.ordered(request.superlevel)).collect();
    let mut changes: BTreeMap<T::Key, i64> = keys.iter().map(|&key| (key, 0)).collect();
    for cell in cells.all() {
        let around = cells.voxels(cell).into_iter().map(|place| keys[place]);
        let key = match request.construction {
            Construction::T => around.min(),
            Construction::V => around.max(),
        };
        let change = if dim(&cell).is_multiple_of(2) { 1 } else { -1 };
        *changes.entry(key.expect("each cell has a voxel around it or as a vertex")).or_insert(0) += change;
    }
    let order = VoxelOrder::new(T::TYPE, request.superlevel);
    let value = |key: &T::Key| order.value(key.to_u64());
    Ok(match request.bins {
        Bins::Distinct => {
            Vcec { values: changes.keys().map(value).collect(), changes: changes.into_values().collect() }
        }
        Bins::Uniform { count, range } => {
            let range = range.or_else(|| {
                let mut finite: Vec<Value> = changes.keys().map(value).collect();
                finite.retain(|value| value.is_finite());
                finite.sort_by(|a, b| a.partial_cmp(b).expect("they are numbers"));
                finite.first().copied().zip(finite.last().copied())
            });
            let edges = Edges::uniform(count, range.ok_or(BinsError::NoneFinite)?, order)?;
            let mut binned = vec![0; count];
            for (key, change) in &changes {
                let value = value(key);
                let reached = |end: Value| if request.superlevel { end <= value } else { end >= value };
                if let Some(bin) = edges.values.iter().position(reached) {
                    binned[bin] += change;
                }
            }
            Vcec { values: edges.values, changes: binned }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cubical::{Order, Shape};

    fn of(axes: &[usize], voxels: &[u8], request: EccRequest) -> Vec<(f64, i64)> {
        let image = Image::new(Shape::new(axes, Order::C).unwrap(), voxels.to_vec()).unwrap();
        let curve = curve(&image, &request).unwrap();
        curve.rows().map(|(value, change, _)| (value.double(), change)).collect()
    }

    #[test]
    fn by_hand() {
        let t = EccRequest::default();
        let v = EccRequest { construction: Construction::V, ..t };
        // A ring of ones whose hole is filled at 5, then four pixels that touch diagonally.
        let ring = [1, 1, 1, 1, 5, 1, 1, 1, 1];
        assert_eq!(of(&[3, 3], &ring, t), [(1.0, 0), (5.0, 1)]);
        assert_eq!(of(&[3, 3], &ring, v), [(1.0, 0), (5.0, 1)]);
        let diagonal = [0, 9, 9, 0];
        assert_eq!(of(&[2, 2], &diagonal, t), [(0.0, 1), (9.0, 0)]);
        assert_eq!(of(&[2, 2], &diagonal, v), [(0.0, 2), (9.0, -1)]);
        // A hollow cube is a sphere.
        let mut sphere = [3; 27];
        sphere[13] = 4;
        assert_eq!(of(&[3, 3, 3], &sphere, t), [(3.0, 2), (4.0, -1)]);
        // A line with two minima; for superlevel sets, two maxima that then merge.
        let line = [0, 2, 1];
        assert_eq!(of(&[3], &line, t), [(0.0, 1), (1.0, 1), (2.0, -1)]);
        assert_eq!(of(&[3], &line, EccRequest { superlevel: true, ..v }), [(2.0, 1), (1.0, 0), (0.0, 0)]);
        let bins = Bins::Uniform { count: 2, range: Some((0.5.into(), 1.5.into())) };
        assert_eq!(of(&[3], &line, EccRequest { bins, ..t }), [(1.0, 2), (1.5, 0)]);
    }
}
