//! The content of data/: the inputs, and the runs whose barcodes are committed.

use lacuna::metric::read::DistanceFormat;
use lacuna::metric::{Distances, MetricError};

use super::spaces;

/// A committed input.
pub(super) struct Input {
    /// The file name.
    pub(super) file: &'static str,
    /// The format of the file.
    pub(super) format: DistanceFormat,
    /// The additions around the numbers in the file.
    pub(super) dress: Dress,
    /// The call that generates the input.
    pub(super) generator: &'static str,
    /// The seed of its random numbers, if it has any.
    pub(super) seed: Option<u64>,
    /// A description of the input, and what the barcode should show and why.
    pub(super) shows: &'static str,
    /// The distances.
    pub(super) space: Distances<f64>,
}

/// The additions around the numbers of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dress {
    /// No additions.
    Bare,
    /// The file is compressed with gzip.
    Gzip,
    /// The rows and columns of the text are numbered from 0, as pandas writes a table.
    Numbered,
}

/// A run whose output is committed as `expected/NAME.txt`.
pub(super) struct Case {
    /// The name of the case.
    pub(super) name: &'static str,
    /// The input's file name.
    pub(super) file: &'static str,
    /// `--dim`.
    pub(super) dim: usize,
    /// The argument of `--threshold`, if given.
    pub(super) threshold: Option<f32>,
    /// The argument of `--ratio`, if given.
    pub(super) ratio: Option<f32>,
    /// The argument of `--modulus`, if given.
    pub(super) modulus: Option<u16>,
}

impl Case {
    const fn new(name: &'static str, file: &'static str, dim: usize) -> Self {
        Case { name, file, dim, threshold: None, ratio: None, modulus: None }
    }

    const fn threshold(mut self, threshold: f32) -> Self {
        self.threshold = Some(threshold);
        self
    }

    const fn ratio(mut self, ratio: f32) -> Self {
        self.ratio = Some(ratio);
        self
    }

    const fn modulus(mut self, modulus: u16) -> Self {
        self.modulus = Some(modulus);
        self
    }

    /// The arguments after the format and before the file.
    pub(super) fn arguments(&self) -> String {
        let option =
            |name, value: Option<String>| value.map(|v| format!(" --{name} {v}")).unwrap_or_default();
        format!("--dim {}", self.dim)
            + &option("threshold", self.threshold.map(|t| t.to_string()))
            + &option("ratio", self.ratio.map(|r| r.to_string()))
            + &option("modulus", self.modulus.map(|p| p.to_string()))
    }
}

/// Every run with a committed answer.
pub(super) const CASES: [Case; 32] = [
    Case::new("circle", "circle.pts", 1),
    Case::new("figure_eight", "figure_eight.pts", 1),
    Case::new("figure_eight_threshold", "figure_eight.pts", 1).threshold(0.8),
    Case::new("sphere", "sphere.pts", 2),
    Case::new("torus", "torus.pts", 2).threshold(2.0),
    Case::new("torus_ratio", "torus.pts", 2).threshold(2.0).ratio(1.7),
    Case::new("klein_bottle", "klein_bottle.lower", 2).threshold(0.34),
    Case::new("klein_bottle_z3", "klein_bottle.lower", 2).threshold(0.34).modulus(3),
    Case::new("projective_plane", "projective_plane.dist", 2),
    Case::new("projective_plane_z3", "projective_plane.dist", 2).modulus(3),
    Case::new("cube", "cube.pts", 2),
    Case::new("cube_ratio", "cube.pts", 2).ratio(1.1),
    Case::new("grid", "grid.upper", 2),
    Case::new("grid_z5", "grid.upper", 1).modulus(5),
    Case::new("grid_threshold", "grid.upper", 1).threshold(1.5),
    Case::new("two_cycles", "two_cycles.sparse", 1),
    Case::new("octahedron_lower", "octahedron.lower", 2),
    Case::new("octahedron_upper", "octahedron.upper", 2),
    Case::new("octahedron_dist", "octahedron.dist", 2),
    Case::new("octahedron_pts", "octahedron.pts", 2),
    Case::new("octahedron_sparse", "octahedron.sparse", 2),
    Case::new("octahedron_dipha", "octahedron.dipha", 2),
    Case::new("octahedron_bin", "octahedron.bin", 2),
    Case::new("octahedron_npy", "octahedron.npy", 2),
    Case::new("octahedron_npz", "octahedron.npz", 2),
    Case::new("octahedron_gz", "octahedron.csv.gz", 2),
    Case::new("octahedron_table", "octahedron_table.csv", 2),
    Case::new("octahedron_mtx", "octahedron.mtx", 2),
    Case::new("octahedron_off", "octahedron.off", 2),
    Case::new("octahedron_obj", "octahedron.obj", 2),
    Case::new("octahedron_ply", "octahedron.ply", 2),
    Case::new("octahedron_xyz", "octahedron.xyz", 2),
];

/// Every committed input.
///
/// # Errors
/// A generator returned invalid distances.
pub(super) fn inputs() -> Result<Vec<Input>, MetricError> {
    let mut inputs = shapes()?;
    inputs.extend(one_per_format()?);
    Ok(inputs)
}

/// The spaces, each in one format.
fn shapes() -> Result<Vec<Input>, MetricError> {
    Ok(vec![
        Input {
            file: "circle.pts",
            format: DistanceFormat::PointCloud,
            dress: Dress::Bare,
            generator: "circle(48)",
            seed: Some(1),
            shows: "unit circle, radii off by up to 0.1: one long bar in dimension 1",
            space: spaces::circle(48, 1)?,
        },
        Input {
            file: "figure_eight.pts",
            format: DistanceFormat::PointCloud,
            dress: Dress::Bare,
            generator: "figure_eight(60)",
            seed: Some(2),
            shows: "two unit circles that touch: two long bars in dimension 1, alike in length",
            space: spaces::figure_eight(60, 2)?,
        },
        Input {
            file: "sphere.pts",
            format: DistanceFormat::PointCloud,
            dress: Dress::Bare,
            generator: "sphere(40)",
            seed: Some(3),
            shows: "unit sphere: one long bar in dimension 2, short ones in dimension 1",
            space: spaces::sphere(40, 3)?,
        },
        Input {
            file: "torus.pts",
            format: DistanceFormat::PointCloud,
            dress: Dress::Bare,
            generator: "torus(180, 1.0)",
            seed: Some(4),
            shows: "torus of radii 2 and 1: two long bars in dimension 1 (around the tube, around the hole) and one in \
                    dimension 2 (the inside of the tube)",
            space: spaces::torus(180, 1.0, 4)?,
        },
        Input {
            file: "klein_bottle.lower",
            format: DistanceFormat::LowerDistance,
            dress: Dress::Bare,
            generator: "klein_bottle(90)",
            seed: Some(5),
            shows: "flat Klein bottle: over Z/2 two long bars in dimension 1 and one in dimension 2; over Z/3 one in \
                    dimension 1 and none in dimension 2, because H₁ = Z ⊕ Z/2 and H₂ = 0",
            space: spaces::klein_bottle(90, 5)?,
        },
        Input {
            file: "projective_plane.dist",
            format: DistanceFormat::Distance,
            dress: Dress::Bare,
            generator: "projective_plane()",
            seed: None,
            shows: "barycentric subdivision of the six-vertex projective plane, distance 1 along an edge and else 2: over \
                    Z/2 one bar [1, 2) in dimension 1 and one in dimension 2, over Z/3 neither, because H₁ = Z/2",
            space: spaces::projective_plane()?,
        },
        Input {
            file: "cube.pts",
            format: DistanceFormat::PointCloud,
            dress: Dress::Bare,
            generator: "cube(40)",
            seed: Some(6),
            shows: "uniform points in the unit cube: noise, short bars only",
            space: spaces::cube(40, 6)?,
        },
        Input {
            file: "grid.upper",
            format: DistanceFormat::UpperDistance,
            dress: Dress::Bare,
            generator: "grid(6)",
            seed: None,
            shows: "6 × 6 grid with the city-block distance, ten distinct values: 25 bars [1, 2) in dimension 1, one for \
                    each square; the order of equal simplices decides everything else",
            space: spaces::grid(6)?,
        },
        Input {
            file: "two_cycles.sparse",
            format: DistanceFormat::Sparse,
            dress: Dress::Bare,
            generator: "two_cycles(9, 14)",
            seed: Some(7),
            shows: "a graph of two cycles joined by an edge: one essential bar in dimension 0, two in dimension 1, each \
                    born with the longest edge of its cycle",
            space: spaces::two_cycles(9, 14, 7)?,
        },
    ])
}

/// The octahedron in every format.
fn one_per_format() -> Result<Vec<Input>, MetricError> {
    let matrix = spaces::octahedron_distances()?;
    let matrix_in = |file, format| Input {
        file,
        format,
        dress: Dress::Bare,
        generator: "octahedron_distances()",
        seed: None,
        shows: "all distances of the octahedron's vertices: [1.41421, 2) in dimension 2",
        space: matrix.clone(),
    };
    let edges = spaces::octahedron_edges()?;
    let edges_in = |file, format| Input {
        file,
        format,
        dress: Dress::Bare,
        generator: "octahedron_edges()",
        seed: None,
        shows: "the octahedron's edges alone: its surface is never filled, so the bar in dimension 2 is essential",
        space: edges.clone(),
    };
    let points = spaces::octahedron()?;
    let points_in = |file, format| Input {
        file,
        format,
        dress: Dress::Bare,
        generator: "octahedron()",
        seed: None,
        shows: "the octahedron's vertices ±e₁, ±e₂, ±e₃: [1.41421, 2) in dimension 2, a hollow sphere",
        space: points.clone(),
    };
    Ok(vec![
        matrix_in("octahedron.lower", DistanceFormat::LowerDistance),
        matrix_in("octahedron.upper", DistanceFormat::UpperDistance),
        matrix_in("octahedron.dist", DistanceFormat::Distance),
        matrix_in("octahedron.dipha", DistanceFormat::Dipha),
        matrix_in("octahedron.bin", DistanceFormat::Binary),
        matrix_in("octahedron.npy", DistanceFormat::Npy),
        matrix_in("octahedron.npz", DistanceFormat::Npz),
        Input { dress: Dress::Gzip, ..matrix_in("octahedron.csv.gz", DistanceFormat::Distance) },
        Input {
            dress: Dress::Numbered,
            shows: "the same below a header of column numbers and beside a column of row numbers, as pandas writes a \
                    table: both are left out",
            ..matrix_in("octahedron_table.csv", DistanceFormat::Distance)
        },
        edges_in("octahedron.sparse", DistanceFormat::Sparse),
        edges_in("octahedron.mtx", DistanceFormat::MatrixMarket),
        points_in("octahedron.pts", DistanceFormat::PointCloud),
        points_in("octahedron.off", DistanceFormat::Off),
        points_in("octahedron.obj", DistanceFormat::Obj),
        points_in("octahedron.ply", DistanceFormat::Ply),
        points_in("octahedron.xyz", DistanceFormat::Xyz),
    ])
}
