//! Comparison with complexes whose cells are listed and sorted by definition.

use phat_formats::BoundaryMatrix;
use phat_formats::dipha::DiagramPoint;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::*;
use crate::matrix::Pairs;
use crate::metric::{DistanceMatrix, Distances, PointCloud, SparseDistances};
use crate::output::pairs::Solution;

/// Value, dimension and name of a cell. Cells of a dimension are numbered in the order of their names.
type Cell = (f64, usize, Vec<usize>);

/// Builds the filtration of cells that are listed in the order of their numbers.
fn by_definition(
    mut cells: Vec<Cell>,
    facets: impl Fn(&Cell) -> Vec<Vec<usize>>,
    max_dim: u8,
) -> WeightedBoundaryMatrix<u32> {
    // The sort is stable: ties stay in the order of the numbers.
    cells.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut matrix = BoundaryMatrix::new();
    for cell in &cells {
        let place = |name: &Vec<usize>| cells.iter().position(|other| other.2 == *name).unwrap();
        let mut rows: Vec<usize> = facets(cell).iter().map(place).collect();
        rows.sort_unstable();
        matrix.push(cell.1 as u8, &rows).unwrap();
    }
    WeightedBoundaryMatrix { matrix, values: cells.into_iter().map(|cell| cell.0).collect(), max_dim }
}

fn euler_characteristic(filtration: &WeightedBoundaryMatrix<u32>) -> i64 {
    filtration.matrix.dims().iter().map(|dim| if dim % 2 == 0 { 1 } else { -1 }).sum()
}

/// All tuples below `extents`, the first entry fastest.
fn tuples(extents: &[usize]) -> Vec<Vec<usize>> {
    let Some((last, others)) = extents.split_last() else { return vec![vec![]] };
    let all = (0..*last).flat_map(|x| tuples(others).into_iter().map(move |tuple| [tuple, vec![x]].concat()));
    all.collect()
}

fn cubical_by_definition(shape: &[usize], values: &[f64], max_dim: usize) -> WeightedBoundaryMatrix<u32> {
    let extents: Vec<usize> = shape.iter().map(|voxels| 2 * voxels - 1).collect();
    let voxel = |at: &[usize]| at.iter().zip(shape).rev().fold(0, |sum, (x, voxels)| sum * voxels + x);
    let value = |cell: &[usize]| {
        let is_vertex = |v: &Vec<usize>| v.iter().zip(cell).all(|(v, c)| (2 * v).abs_diff(*c) <= c % 2);
        let vertices = tuples(shape).into_iter().filter(is_vertex);
        vertices.map(|v| values[voxel(&v)]).fold(f64::NEG_INFINITY, f64::max)
    };
    let dim = |cell: &[usize]| cell.iter().filter(|c| *c % 2 == 1).count();
    let cells = tuples(&extents).into_iter().filter(|cell| dim(cell) <= max_dim);
    let facets = |cell: &Cell| {
        let odd = (0..shape.len()).filter(|&axis| cell.2[axis] % 2 == 1);
        let beside = |axis: usize| [cell.2[axis] - 1, cell.2[axis] + 1].map(|x| (axis, x));
        let moved = odd.flat_map(beside).map(|(axis, x)| {
            let mut facet = cell.2.clone();
            facet[axis] = x;
            facet
        });
        moved.collect()
    };
    by_definition(cells.map(|cell| (value(&cell), dim(&cell), cell)).collect(), facets, max_dim as u8)
}

#[test]
fn images_are_as_defined() {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    for round in 0..300 {
        let axes = 1 + round % 5;
        let most = [9, 5, 3, 2, 2][axes - 1];
        let shape: Vec<usize> = (0..axes).map(|_| rng.random_range(1..=most)).collect();
        let ties = rng.random_range(1..20);
        let values: Vec<f64> =
            (0..shape.iter().product()).map(|_| f64::from(rng.random_range(0..ties)) - 3.0).collect();
        for upper_dim in [None, Some(0), Some(1), Some(2), Some(axes + 1)] {
            let filtration = cubical_complex::<u32>(&shape, &values, upper_dim).unwrap();
            let max_dim = upper_dim.unwrap_or(axes).min(axes);
            assert_eq!(
                filtration,
                cubical_by_definition(&shape, &values, max_dim),
                "{shape:?} {upper_dim:?}"
            );
            assert_eq!(filtration.matrix.check(), Ok(()));
            if max_dim == axes {
                assert_eq!(euler_characteristic(&filtration), 1);
            }
        }
    }
}

/// There are more columns than in a task; also with wider indices.
#[test]
fn larger_images_are_complexes() {
    let mut rng = Pcg64Mcg::seed_from_u64(2);
    let shape = [40, 31, 17];
    let values: Vec<f64> = (0..shape.iter().product()).map(|_| rng.random()).collect();
    let filtration = cubical_complex::<u32>(&shape, &values, None).unwrap();
    assert_eq!(filtration.matrix.len(), 79 * 61 * 33);
    assert_eq!(filtration.matrix.check(), Ok(()));
    assert!(filtration.values.is_sorted());
    assert_eq!(euler_characteristic(&filtration), 1);
    let wide = cubical_complex::<u64>(&shape, &values, None).unwrap();
    assert_eq!(wide.values, filtration.values);
    assert!((0..wide.matrix.len()).all(|k| {
        let narrow = filtration.matrix.column(k).iter().map(|&row| u64::from(row));
        wide.matrix.column(k).iter().copied().eq(narrow)
    }));
}

#[test]
fn zeros_are_equal_and_infinities_are_values() {
    let inf = f64::INFINITY;
    let filtration = cubical_complex::<u32>(&[4], &[0.0, -0.0, inf, -inf], None).unwrap();
    assert_eq!(filtration.values, [-inf, 0.0, 0.0, 0.0, inf, inf, inf]);
    assert_eq!(filtration.matrix.dims(), [0, 0, 0, 1, 0, 1, 1]);
}

fn image_error(shape: &[usize], values: &[f64]) -> String {
    cubical_complex::<u32>(shape, values, None).unwrap_err().to_string()
}

#[test]
fn images_that_are_none() {
    let shape = "expected an image with at least one voxel along each of 1 to 32 axes, found shape";
    assert_eq!(image_error(&[], &[]), format!("{shape} []"));
    assert_eq!(image_error(&[2, 0], &[]), format!("{shape} [2, 0]"));
    assert!(image_error(&[1; 33], &[0.0]).starts_with(shape));
    let voxels = "expected a value for each voxel of an image of shape";
    assert_eq!(image_error(&[2, 3], &[0.0; 5]), format!("{voxels} [2, 3], found 5"));
    assert_eq!(
        image_error(&[usize::MAX, 3], &[0.0; 5]),
        format!("{voxels} [18446744073709551615, 3], found 5")
    );
    assert_eq!(image_error(&[3], &[0.0, f64::NAN, 0.0]), "voxel 1: expected a number, found NaN");
}

#[test]
fn sizes_that_no_index_numbers() {
    let most = u32::MOST;
    assert_eq!(ComplexError::check_size::<u32>("cells", Some(most)), Ok(most));
    let error = |found| ComplexError::check_size::<u32>("cells", found).unwrap_err().to_string();
    let expected = format!("expected at most {most} cells, which 32-bit indices number, found");
    assert_eq!(error(Some(most + 1)), format!("{expected} {}", most + 1));
    assert_eq!(error(None), format!("{expected} more than 2^64"));
}

/// An image of few voxels with many axes may have too many cells: here 3^20.
#[test]
fn an_image_of_too_many_cells() {
    let error = image_error(&[2; 20], &vec![0.0; 1 << 20]);
    assert_eq!(error, "expected at most 2147483647 cells, which 32-bit indices number, found 3486784401");
}

fn rips_by_definition(
    n: usize,
    distance: impl Fn(usize, usize) -> f64,
    upper_dim: usize,
    threshold: f64,
) -> WeightedBoundaryMatrix<u32> {
    let mut cells: Vec<Cell> = Vec::new();
    for set in 1u32..1 << n {
        let vertices: Vec<usize> = (0..n).rev().filter(|v| set & (1 << v) != 0).collect();
        let pairs = vertices.iter().flat_map(|&i| vertices.iter().map(move |&j| (i, j)));
        let diameter = pairs.filter(|(i, j)| i != j).map(|(i, j)| distance(i, j)).fold(0.0, f64::max);
        let near = vertices.len() == 1 || (diameter <= threshold && diameter.is_finite());
        if near && vertices.len() <= upper_dim + 1 {
            cells.push((diameter / 2.0, vertices.len() - 1, vertices));
        }
    }
    // Sets in the order of their bits, by size, are simplices in the order of the combinatorial number system.
    let facets = |cell: &Cell| {
        let without =
            |k: usize| cell.2.iter().enumerate().filter(move |(l, _)| *l != k).map(|(_, &v)| v).collect();
        if cell.1 == 0 { Vec::new() } else { (0..=cell.1).map(without).collect() }
    };
    by_definition(cells, facets, upper_dim as u8)
}

#[test]
fn rips_complexes_are_as_defined() {
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    for round in 0..200 {
        let n = 1 + round % 8;
        let ties = rng.random_range(1..12);
        let mut value = |_, _| match rng.random_range(0..10) {
            0 => f64::INFINITY,
            _ => f64::from(rng.random_range(0..=ties)) / 2.0,
        };
        let matrix = DistanceMatrix::from_fn(n, &mut value).unwrap();
        let lower = (0..n).flat_map(|i| (0..i).map(move |j| (i as u32, j as u32)));
        let triplets: Vec<_> = lower.map(|(i, j)| (j, i, matrix.get(i as usize, j as usize))).collect();
        let sparse = SparseDistances::new(n, triplets).unwrap();
        for (upper_dim, threshold) in [(0, 9.0), (1, 9.0), (2, 2.5), (3, f64::INFINITY), (9, 4.0), (2, 0.0)] {
            let expected = rips_by_definition(n, |i, j| matrix.get(i, j), upper_dim, threshold);
            for distances in [Distances::Matrix(matrix.clone()), Distances::Sparse(sparse.clone())] {
                let filtration = rips_complex::<u32, f64>(&distances, upper_dim, threshold).unwrap();
                assert_eq!(filtration, expected, "{distances:?}, {upper_dim}, {threshold}");
            }
            assert_eq!(expected.matrix.check(), Ok(()));
        }
    }
}

#[test]
fn points_with_births_enter_when_they_are_born() {
    let matrix = DistanceMatrix::from_lower(vec![2.0, 3.0, 4.0]).unwrap().with_births(vec![0.5, 1.0, 2.5]);
    let filtration = rips_complex::<u32, f64>(&matrix.unwrap().into(), 2, f64::INFINITY).unwrap();
    assert_eq!(filtration.values, [0.25, 0.5, 1.0, 1.25, 1.5, 2.0, 2.0]);
    assert_eq!(filtration.matrix.dims(), [0, 0, 1, 0, 1, 1, 2]);
    assert_eq!(filtration.matrix.check(), Ok(()));
}

/// There are more simplices than a task lists.
#[test]
fn larger_rips_complexes_are_complexes() {
    let mut rng = Pcg64Mcg::seed_from_u64(4);
    let points: Vec<f32> = (0..60 * 3).map(|_| rng.random()).collect();
    let distances = Distances::Points(PointCloud::new(3, points).unwrap());
    let all = rips_complex::<u32, f32>(&distances, 3, f64::INFINITY).unwrap();
    assert_eq!(all.matrix.len(), 60 + 1_770 + 34_220 + 487_635);
    let near = rips_complex::<u64, f32>(&distances, 5, 0.4).unwrap();
    let count = |dim| near.matrix.dims().iter().filter(|&&d| d == dim).count();
    assert!(count(3) > 100 && count(1) < 1_770);
    assert_eq!((all.matrix.check(), near.matrix.check()), (Ok(()), Ok(())));
    assert!(all.values.is_sorted() && near.values.is_sorted());
}

#[test]
fn a_full_simplex_is_contractible() {
    let distances = Distances::Matrix(DistanceMatrix::from_fn(11, |i, j| (i + j) as f64).unwrap());
    let filtration = rips_complex::<u32, f64>(&distances, 10, f64::INFINITY).unwrap();
    assert_eq!((filtration.matrix.len(), euler_characteristic(&filtration)), ((1 << 11) - 1, 1));
}

#[test]
fn a_dimension_that_cells_cannot_have() {
    let distances = Distances::Matrix(DistanceMatrix::from_fn(3, |_, _| 1.0).unwrap());
    let error = rips_complex::<u32, f64>(&distances, 256, 1.0).unwrap_err();
    assert_eq!(error.to_string(), "expected a dimension up to 255, found 256");
    assert_eq!(rips_complex::<u32, f64>(&distances, 255, 1.0).unwrap().matrix.len(), 7);
}

/// The points that DIPHA writes for these pairs.
fn diagram(filtration: &WeightedBoundaryMatrix<u32>, pairs: &[(u32, u32)]) -> Vec<DiagramPoint> {
    let WeightedBoundaryMatrix { matrix, values, max_dim } = filtration;
    let pairs = Pairs { pairs: pairs.to_vec(), cells: matrix.len(), ..Pairs::default() };
    let (values, max_dim) = (Some(&values[..]), *max_dim);
    Solution { matrix, pairs: &pairs, values, max_dim, cut: false, cycles: None }.dipha_points()
}

#[test]
fn diagrams_keep_what_dipha_keeps() {
    // Two voxels at 0 and one at 1 between them, with a second axis of one voxel.
    let filtration = cubical_complex::<u32>(&[3, 1], &[0.0, 1.0, 0.0], None).unwrap();
    // Cells in order: vertices 0 and 2, vertex 1, both edges.
    let point = |birth, death, essential| DiagramPoint { dim: 0, birth, death, essential };
    assert_eq!(diagram(&filtration, &[(1, 4), (2, 3)]), [point(0.0, 1.0, true), point(0.0, 1.0, false)]);
    // In a complex of dimension 2 a class of dimension 1 counts; in one cut at dimension 1 it may be killed by
    // missing cells.
    let circle = [DiagramPoint { dim: 1, birth: 1.0, death: 1.0, essential: true }];
    assert_eq!(diagram(&filtration, &[(0, 1), (2, 3)])[..1], circle);
    let cut = WeightedBoundaryMatrix { max_dim: 1, ..filtration };
    assert_eq!(diagram(&cut, &[(0, 1), (2, 3)]), []);
}
