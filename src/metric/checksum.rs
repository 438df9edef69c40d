//! Checksums of distances, by which a resumed run recognises its input in any file format.

use xxhash_rust::xxh3::Xxh3;
use zerocopy::IntoBytes;

use super::{Distances, Edge, Value};

/// Number of numbers that are hashed together.
const GATHERED: usize = 1 << 13;

/// Adds numbers to a checksum.
fn add(sum: &mut Xxh3, numbers: impl IntoIterator<Item = u64>) {
    let mut numbers = numbers.into_iter().map(u64::to_le).peekable();
    let mut gathered = Vec::with_capacity(GATHERED);
    while numbers.peek().is_some() {
        gathered.clear();
        gathered.extend(numbers.by_ref().take(GATHERED));
        sum.update(gathered.as_bytes());
    }
}

/// Adds a list of values and its length to a checksum.
fn add_values<T: Value>(sum: &mut Xxh3, values: &[T]) {
    add(sum, [values.len() as u64]);
    add(sum, values.iter().map(|&value| value.into().to_bits()));
}

/// Computes the checksum of the shape, precision, values and births of distances.
pub(super) fn checksum<T: Value>(distances: &Distances<T>) -> u128 {
    let mut sum = Xxh3::new();
    add(&mut sum, [u64::from(T::NARROW), distances.len() as u64]);
    match distances {
        Distances::Matrix(matrix) => {
            add(&mut sum, [0]);
            add_values(&mut sum, matrix.lower());
        }
        Distances::Points(cloud) => {
            add(&mut sum, [1, cloud.dimension() as u64]);
            add(&mut sum, cloud.coordinates().iter().map(|&x| x.into().to_bits()));
        }
        Distances::Sparse(graph) => {
            add(&mut sum, [2]);
            let edge = |e: &Edge<T>| [u64::from(e.i) << 32 | u64::from(e.j), e.distance.into().to_bits()];
            add(&mut sum, graph.edges().iter().flat_map(edge));
        }
    }
    add_values(&mut sum, distances.births().unwrap_or_default());
    sum.digest128()
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
