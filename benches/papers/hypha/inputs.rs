//! The boundary matrices of HYPHA's Table 1, or their stand-ins.

use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use lacuna::cells::cubical_complex;
use lacuna::matrix::{BoundaryMatrix, Dimension};
use npyz::NpyFile;

use crate::{Failure, Run};

/// A data set of the paper, and its stand-in.
pub struct DataSet {
    /// The paper's name.
    pub paper: &'static str,
    /// Our name.
    pub name: &'static str,
    /// The difference from the paper's matrix; empty if it is the same.
    pub differs: &'static str,
    /// Checksum of PHAT's pairs, as lines "birth death" sorted by birth and separated by line feeds.
    pub pairs: &'static str,
    make: fn(&Run) -> Result<BoundaryMatrix<u32>, Failure>,
    make_small: fn() -> Result<BoundaryMatrix<u32>, Failure>,
}

/// The five data sets of Table 1 in its order.
pub const DATA_SETS: [DataSet; 5] = [
    DataSet {
        paper: "high_genus_extended",
        name: "high_genus",
        differs: "a stand-in: extended filtration by height of a closed gyroid surface, 2,640,129 columns",
        pairs: "6938055cc432637ae05189a2f13bb06ceee636e78e33f238212c2483527a6a89",
        make: |run| packed(&found(run, "high_genus.bin.gz")?),
        make_small: || image(&[13, 12, 4], |x, y, z| (0.9 * x).sin() * y.cos() + (2.0 * z + y).sin()),
    },
    DataSet {
        paper: "mumford",
        name: "mumford",
        differs: "a stand-in: 50 points of a normal distribution in R^8, not of the Mumford set; same complex, same size",
        pairs: "aaf1ff89539ced2e6ec21cbd4744bb95a8b05b148f68269bff2ac7fc0cd13826",
        make: |run| rips(&array(&found(run, "mumford.npy")?)?, 8, 5),
        make_small: || rips(&(0..30).map(|k| f64::from(k * k * 7919 % 101)).collect::<Vec<_>>(), 3, 4),
    },
    DataSet {
        paper: "torus",
        name: "torus",
        differs: "a stand-in: alpha complex of 10,000 other points of a torus, 498,327 columns",
        pairs: "a112a830c660d0a5ef9be164a9ffe135820b3d0fa15c3092672474ab437642bf",
        make: |run| packed(&found(run, "torus.bin.gz")?),
        make_small: || image(&[9, 8, 7], |x, y, z| (x * y).sin() + (y * z + 1.0).cos()),
    },
    DataSet {
        paper: "18-sphere",
        name: "sphere18",
        differs: "",
        pairs: "bda987d3de8f59155bf661fcbdac8dab9b4c091a0e6094734826b1483f09f446",
        make: |_| sphere(20),
        make_small: || sphere(8),
    },
    DataSet {
        paper: "saddle_orbit_64",
        name: "saddle64",
        differs: "a stand-in: a smooth image of 64³ voxels with a little noise; same complex, same size",
        pairs: "b924ce1b989ad555fc75d34e42a8664f82c6b59383aa9fbd469b1c3d76987658",
        make: |run| saddle(&array(&found(run, "saddle64.npy")?)?),
        make_small: || image(&[8, 8, 8], |x, y, z| x * y - z * z + (3.0 * x).sin()),
    },
];

impl DataSet {
    /// The matrix, or with `--small` a tiny one of the same kind.
    pub fn matrix(&self, run: &Run) -> Result<BoundaryMatrix<u32>, Failure> {
        if run.small { (self.make_small)() } else { (self.make)(run) }
    }
}

/// Finds a file of the data folder.
fn found(run: &Run, name: &str) -> Result<PathBuf, Failure> {
    let folder =
        run.data.as_ref().ok_or_else(|| format!("--data: expected a folder with {name}, found none"))?;
    let path = [folder.join("hypha").join(name), folder.join(name)].into_iter().find(|path| path.is_file());
    Ok(path.ok_or_else(|| format!("{}: expected {name}, found no such file", folder.display()))?)
}

/// Reads a binary matrix of PHAT that is compressed with gzip.
fn packed(path: &Path) -> Result<BoundaryMatrix<u32>, Failure> {
    let mut input = BufReader::with_capacity(1 << 20, GzDecoder::new(File::open(path)?));
    let mut next = || -> Result<usize, Failure> {
        let mut word = [0; 8];
        input.read_exact(&mut word).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(usize::try_from(i64::from_le_bytes(word))?)
    };
    let columns = next()?;
    let (mut dims, mut offsets, mut rows) = (Vec::new(), vec![0], Vec::new());
    for _ in 0..columns {
        dims.push(Dimension::try_from(next()?)?);
        for _ in 0..next()? {
            rows.push(u32::try_from(next()?)?);
        }
        offsets.push(u32::try_from(rows.len())?);
    }
    Ok(BoundaryMatrix::from_parts(dims, offsets, rows)?)
}

/// Reads the doubles of a NumPy file in the order of the file.
fn array(path: &Path) -> Result<Vec<f64>, Failure> {
    let bytes = fs::read(path)?;
    Ok(NpyFile::new(&bytes[..])
        .and_then(|file| file.into_vec())
        .map_err(|error| format!("{}: {error}", path.display()))?)
}

fn saddle(values: &[f64]) -> Result<BoundaryMatrix<u32>, Failure> {
    Ok(cubical_complex(&[64; 3], values, None)?.matrix)
}

/// The complex of an image whose voxels are values of a function.
fn image(shape: &[usize; 3], value: impl Fn(f64, f64, f64) -> f64) -> Result<BoundaryMatrix<u32>, Failure> {
    let [width, height, depth] = *shape;
    let place = |k: usize| (k % width, k / width % height, k / width / height);
    let values: Vec<f64> = (0..width * height * depth)
        .map(|k| {
            let (x, y, z) = place(k);
            value(x as f64, y as f64, z as f64)
        })
        .collect();
    Ok(cubical_complex(shape, &values, None)?.matrix)
}

/// All proper faces of a simplex, by dimension and then by the number whose bits are the vertices.
fn sphere(vertices: u32) -> Result<BoundaryMatrix<u32>, Failure> {
    let mut faces: Vec<u32> = (1..(1 << vertices) - 1).collect();
    faces.sort_by_key(|face| (face.count_ones(), *face));
    let mut places = vec![0; 1 << vertices];
    for (place, &face) in faces.iter().enumerate() {
        places[face as usize] = place as u32;
    }
    let facets = |&face: &u32| {
        let bits = (0..vertices).filter(move |bit| face >> bit & 1 == 1 && face.count_ones() > 1);
        bits.map(move |bit| face & !(1 << bit))
    };
    let columns = faces.iter().map(|face| {
        let rows: Vec<u32> = facets(face).map(|facet| places[facet as usize]).collect();
        (face.count_ones() as Dimension - 1, rows)
    });
    from_columns(columns)
}

/// The Rips filtration of points without threshold, up to simplices of `most` vertices, by diameter, then dimension,
/// then vertices.
fn rips(points: &[f64], coordinates: usize, most: usize) -> Result<BoundaryMatrix<u32>, Failure> {
    let points: Vec<&[f64]> = points.chunks_exact(coordinates).collect();
    let square = |(a, b): (&f64, &f64)| (a - b) * (a - b);
    let distance = |a: u8, b: u8| {
        let (a, b) = (points[usize::from(a)], points[usize::from(b)]);
        a.iter().zip(b).map(square).sum::<f64>().sqrt()
    };
    let mut simplices: Vec<(f64, Vec<u8>)> = Vec::new();
    let mut last: Vec<(f64, Vec<u8>)> = vec![(0.0, Vec::new())];
    for _ in 0..most {
        let longer = |(diameter, vertices): &(f64, Vec<u8>)| {
            let from = vertices.last().map_or(0, |last| last + 1);
            let (diameter, vertices) = (*diameter, vertices.clone());
            (from..points.len() as u8)
                .map(move |next| {
                    let all = vertices.iter().chain([&next]).copied().collect();
                    (vertices.iter().map(|&vertex| distance(vertex, next)).fold(diameter, f64::max), all)
                })
                .collect::<Vec<_>>()
        };
        last = last.iter().flat_map(longer).collect();
        simplices.extend_from_slice(&last);
    }
    simplices.sort_by(|(a, v), (b, w)| a.total_cmp(b).then(v.len().cmp(&w.len())).then(v.cmp(w)));
    let places: std::collections::HashMap<&[u8], u32> =
        simplices.iter().enumerate().map(|(place, (_, vertices))| (&vertices[..], place as u32)).collect();
    let columns = simplices.iter().map(|(_, vertices)| {
        let facet = |without: usize| [&vertices[..without], &vertices[without + 1..]].concat();
        let facets = if vertices.len() > 1 { vertices.len() } else { 0 };
        let rows = (0..facets).map(|without| places[&facet(without)[..]]).collect();
        (vertices.len() as Dimension - 1, rows)
    });
    from_columns(columns)
}

/// The matrix of columns whose rows are in any order.
fn from_columns(
    columns: impl Iterator<Item = (Dimension, Vec<u32>)>,
) -> Result<BoundaryMatrix<u32>, Failure> {
    let (mut dims, mut offsets, mut rows) = (Vec::new(), vec![0], Vec::new());
    for (dim, mut column) in columns {
        column.sort_unstable();
        dims.push(dim);
        rows.append(&mut column);
        offsets.push(u32::try_from(rows.len())?);
    }
    Ok(BoundaryMatrix::from_parts(dims, offsets, rows)?)
}

/// The first columns of a matrix: the subcomplex when the last of them has entered.
pub fn first(matrix: &BoundaryMatrix<u32>, columns: usize) -> Result<BoundaryMatrix<u32>, Failure> {
    let offsets = matrix.offsets()[..=columns].to_vec();
    let rows = matrix.rows()[..offsets[columns] as usize].to_vec();
    Ok(BoundaryMatrix::from_parts(matrix.dims()[..columns].to_vec(), offsets, rows)?)
}
