//! Reference implementation: enumerates the cubical complex cell by cell.
//!
//! It shares only types with the other implementations, which are tested against it. A cell has a coordinate along each
//! axis: along n voxels, from 0 to 2n (T) or from 0 to 2n − 2 (V), where even coordinates are vertices and odd ones
//! edges. The dimension of a cell is its number of odd coordinates. In T voxel i is the edge 2i + 1, and a cell takes
//! the least voxel that contains it; in V voxel i is the vertex 2i, and a cell takes its greatest vertex.

use std::collections::BTreeMap;

use super::bins::{Bins, BinsError, Edges};
use super::request::EccRequest;
use super::vcec::{Values, Vcec};
use crate::cubical::construction::Construction;
use crate::cubical::image::{Image, Voxel};
use crate::cubical::key::Key;
use crate::cubical::order::VoxelOrder;
use crate::cubical::value::Value;

/// Computes the curve by its definition.
///
/// # Errors
/// [`BinsError`]: the bins are invalid, or their range is to be found and no voxel is finite.
pub fn curve<T: Voxel>(image: &Image<T>, request: &EccRequest) -> Result<Vcec, BinsError> {
    let order = |voxel: &T| if request.superlevel { voxel.key().reversed() } else { voxel.key() };
    let keys: Vec<T::Key> = image.voxels().iter().map(order).collect();
    let mut changes: BTreeMap<T::Key, i64> = keys.iter().map(|&key| (key, 0)).collect();
    for (key, sign) in cells(&keys, image.shape().extents(), request.construction) {
        *changes.entry(key).or_insert(0) += sign;
    }
    let voxel = |key: T::Key| T::of_ordered(key, request.superlevel);
    Ok(match request.bins {
        Bins::Distinct => Vcec {
            values: Values::of(changes.keys().map(|&key| voxel(key))),
            changes: changes.into_values().collect(),
        },
        Bins::Uniform { count, range } => {
            let range = range.or_else(|| {
                let mut finite: Vec<Value> = changes.keys().map(|&key| voxel(key).into()).collect();
                finite.retain(|value| value.is_finite());
                finite.sort_by(|a, b| a.partial_cmp(b).expect("they are numbers"));
                finite.first().copied().zip(finite.last().copied())
            });
            let order = VoxelOrder::new(T::TYPE, request.superlevel);
            let edges = Edges::uniform(count, range.ok_or(BinsError::NoneFinite)?, order)?;
            let mut binned = vec![0; count];
            for (&key, change) in &changes {
                let value: Value = voxel(key).into();
                let reached = |end: Value| if request.superlevel { end <= value } else { end >= value };
                if let Some(bin) = edges.values.iter().position(reached) {
                    binned[bin] += change;
                }
            }
            Vcec { values: edges.values, changes: binned }
        }
    })
}

/// The key and (−1)^dim of every cell.
fn cells<K: Key>(keys: &[K], extents: [usize; 3], construction: Construction) -> Vec<(K, i64)> {
    // Number of coordinates along an axis of n voxels.
    let count = |n: usize| match construction {
        Construction::T => 2 * n + 1,
        Construction::V => 2 * n - 1,
    };
    // The two voxels that a coordinate lies between; the same voxel twice if there is only one.
    let voxels = |at: usize, n: usize| match construction {
        Construction::T if at % 2 == 1 => [at / 2; 2],
        Construction::T => [(at / 2).max(1) - 1, (at / 2).min(n - 1)],
        Construction::V => [at / 2, at.div_ceil(2)],
    };
    let [planes, rows, columns] = extents;
    let mut cells = Vec::new();
    for z in 0..count(planes) {
        for y in 0..count(rows) {
            for x in 0..count(columns) {
                let mut around = Vec::new();
                for i in voxels(z, planes) {
                    for j in voxels(y, rows) {
                        around.extend(voxels(x, columns).map(|k| keys[(i * rows + j) * columns + k]));
                    }
                }
                let key = match construction {
                    Construction::T => around.iter().min(),
                    Construction::V => around.iter().max(),
                };
                let dim = z % 2 + y % 2 + x % 2;
                cells.push((*key.expect("there are eight"), if dim % 2 == 0 { 1 } else { -1 }));
            }
        }
    }
    cells
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
