//! Files that are written are read back unchanged.

use super::*;
use crate::metric::read::{Input, read_bytes};
use crate::metric::{PointCloud, SparseDistances};

/// The number of points, and every pair with its distance, or every coordinate, as doubles.
fn listed(input: &Input) -> (usize, Vec<(usize, usize, f64)>) {
    match input {
        Input::Single(distances) => (distances.len(), numbers(distances)),
        Input::Double(distances) => (distances.len(), numbers(distances)),
    }
}

fn numbers<T: Value>(distances: &Distances<T>) -> Vec<(usize, usize, f64)> {
    match distances {
        Distances::Points(points) => (0..points.len())
            .flat_map(|i| points.point(i).iter().enumerate().map(move |(axis, &x)| (i, axis, x.into())))
            .collect(),
        _ => doubles(distances),
    }
}

fn doubles<T: Value>(distances: &Distances<T>) -> Vec<(usize, usize, f64)> {
    connected(distances).map(|(i, j, distance)| (i, j, distance.into())).collect()
}

fn written<T: Value>(format: DistanceFile, distances: &Distances<T>) -> Vec<u8> {
    let mut file = Vec::new();
    format.write(distances, &mut file).unwrap_or_else(|error| panic!("{format}: {error}"));
    file
}

/// The reader's name for a format.
fn option(format: DistanceFile) -> crate::metric::read::DistanceFormat {
    format.to_string().parse().unwrap()
}

fn check<T: Value>(distances: impl Into<Distances<T>>) {
    let distances = distances.into();
    for format in DistanceFile::ALL {
        if format.holds(&distances).is_err() || format == DistanceFile::Npy && distances.len() == 1 {
            continue;
        }
        let file = written(format, &distances);
        let read = read_bytes("file", &file, option(format)).unwrap_or_else(|error| panic!("{error}"));
        let expected = if format.holds_points() { numbers(&distances) } else { doubles(&distances) };
        assert_eq!(listed(&read.input), (distances.len(), expected), "{format}");
        // Writing the result again gives the same file, in formats of single precision.
        let again = match &read.input {
            Input::Single(distances) => written(format, distances),
            Input::Double(distances) => written(format, distances),
        };
        assert!(again == file || !format.is_single(), "{format}");
    }
}

#[test]
fn single_precision_comes_back_whole() {
    check(DistanceMatrix::from_lower(vec![0.1_f32, 3.25, 1e-7, 2.0, 5.5, 0.3]).unwrap());
    check(DistanceMatrix::from_lower(vec![0.1_f32, f32::INFINITY, 7.0]).unwrap());
    check(SparseDistances::new(5, [(4, 0, 0.1_f32), (2, 1, 0.0), (3, 0, 12.5)]).unwrap());
    check(
        PointCloud::new(3, vec![0.1_f32, -2.0, 1e-3, 4.0, 5.0, 0.7, 1.0, 1.0, 1.0, 0.0, 0.0, 0.5]).unwrap(),
    );
}

#[test]
fn doubles_come_back_where_they_fit() {
    let doubles = DistanceMatrix::from_lower(vec![0.1_f64, 3.25, 1.0 / 3.0]).unwrap().into();
    for format in DistanceFile::ALL {
        if format == DistanceFile::PointCloud {
            continue;
        }
        assert_eq!(
            format.loses(&doubles).map(|loss| loss.found),
            format.is_single().then(|| "0.1".to_owned())
        );
        let file = written(format, &doubles);
        let read = read_bytes("file", &file, option(format)).unwrap();
        let same = listed(&read.input) == (3, self::doubles(&doubles));
        assert_eq!(same, !format.is_single(), "{format}");
    }
    let exact: Distances<f64> = DistanceMatrix::from_lower(vec![0.5, 3.25, 2.0]).unwrap().into();
    assert!(DistanceFile::ALL.iter().all(|format| format.loses(&exact).is_none()));
}

#[test]
fn a_single_point_comes_back_or_is_refused() {
    let point: Distances<f32> = DistanceMatrix::from_lower(Vec::new()).unwrap().into();
    for format in DistanceFile::ALL {
        if format.holds(&point).is_err() {
            continue;
        }
        let read = read_bytes("file", &written(format, &point), option(format));
        assert_eq!(listed(&read.unwrap().input), (1, Vec::new()), "{format}");
    }
    let kept = [DistanceFile::Distance, DistanceFile::Dipha, DistanceFile::Npy, DistanceFile::MatrixMarket];
    assert!(kept.iter().all(|format| format.holds(&point).is_ok()));
}

#[test]
fn what_does_not_fit_is_refused() {
    let graph: Distances<f32> = SparseDistances::new(4, [(0, 1, 1.0)]).unwrap().into();
    let refused = |format: DistanceFile, distances| format.holds(distances).unwrap_err().to_string();
    assert!(
        refused(DistanceFile::Sparse, &graph).contains("found point 3 alone; matrix-market, npy and dipha")
    );
    assert_eq!(
        refused(DistanceFile::PointCloud, &graph),
        "format point-cloud: expected points, found distances"
    );
    let born = DistanceMatrix::from_lower(vec![1.0_f32]).unwrap().with_births(vec![0.5, 1.0]).unwrap().into();
    assert!(refused(DistanceFile::Npy, &born).ends_with("found births"));
    assert!(DistanceFile::Npy.write(&born, &mut Vec::new()).is_err());
    // Two of 2^32 − 2 points are connected; the distances of all pairs exceed the memory.
    let points = u32::MAX as usize - 1;
    let wide: Distances<f32> = SparseDistances::new(points, [(0, points as u32 - 1, 1.0)]).unwrap().into();
    assert!(matches!(all_distances(&wide), Err(DistancesError::Memory(_))));
    assert!(DistanceFile::Binary.write(&wide, &mut Vec::new()).is_err());
}
