//! Checksums of distances, by which a resumed run recognises its input in any file format.

use xxhash_rust::xxh3::Xxh3;

use super::{Distances, Value};

/// Number of bytes that are hashed together.
const GATHERED: usize = 1 << 16;

/// The state of a checksum.
struct Sum {
    sum: Xxh3,
    gathered: Vec<u8>,
}

impl Sum {
    fn number(&mut self, number: u64) {
        self.gathered.extend_from_slice(&number.to_le_bytes());
        if self.gathered.len() >= GATHERED {
            self.sum.update(&self.gathered);
            self.gathered.clear();
        }
    }

    fn values<T: Value>(&mut self, values: &[T]) {
        self.number(values.len() as u64);
        values.iter().for_each(|&value| self.number(value.into().to_bits()));
    }

    fn end(mut self) -> u128 {
        self.sum.update(&self.gathered);
        self.sum.digest128()
    }
}

/// Computes the checksum of the shape, precision, values and births of distances.
pub(super) fn checksum<T: Value>(distances: &Distances<T>) -> u128 {
    let mut sum = Sum { sum: Xxh3::new(), gathered: Vec::with_capacity(GATHERED + 8) };
    sum.number(u64::from(T::NARROW));
    sum.number(distances.len() as u64);
    match distances {
        Distances::Matrix(matrix) => {
            sum.number(0);
            sum.values(matrix.lower());
        }
        Distances::Points(cloud) => {
            sum.number(1);
            (0..cloud.len()).for_each(|i| sum.values(cloud.point(i)));
        }
        Distances::Sparse(graph) => {
            sum.number(2);
            for edge in graph.edges() {
                sum.number(u64::from(edge.i) << 32 | u64::from(edge.j));
                sum.number(edge.distance.into().to_bits());
            }
        }
    }
    sum.values(distances.births().unwrap_or_default());
    sum.end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{DistanceMatrix, PointCloud, SparseDistances};

    #[test]
    fn what_differs_has_another_checksum() {
        let matrix = |values: &[f32]| DistanceMatrix::from_lower(values.to_vec()).unwrap();
        let cloud = |dimension, values: &[f32]| PointCloud::new(dimension, values.to_vec()).unwrap();
        let graph = |edge| SparseDistances::new(3, [edge]).unwrap();
        let of = |distances: Distances<f32>| checksum(&distances);
        let sums = [
            of(matrix(&[1.0, 2.0, 1.5]).into()),
            of(matrix(&[1.0, 2.0, 1.25]).into()),
            of(matrix(&[1.0, 2.0, 1.5]).with_births(vec![0.0, 0.5, 0.0]).unwrap().into()),
            of(cloud(1, &[1.0, 2.0, 1.5, 4.0]).into()),
            of(cloud(2, &[1.0, 2.0, 1.5, 4.0]).into()),
            of(graph((0, 1, 1.0)).into()),
            of(graph((0, 2, 1.0)).into()),
            checksum(&Distances::from(DistanceMatrix::from_lower(vec![1.0f64, 2.0, 1.5]).unwrap())),
        ];
        let different: std::collections::BTreeSet<u128> = sums.into_iter().collect();
        assert_eq!(different.len(), sums.len());
        assert_eq!(sums[0], of(matrix(&[1.0, 2.0, 1.5]).into()));
        // There are more values than are hashed together.
        let long = |last: f32| {
            let mut values = vec![1.0f32; 20_000];
            values[19_999] = last;
            of(PointCloud::new(1, values).unwrap().into())
        };
        assert_ne!(long(1.0), long(2.0));
    }
}
