//! Figure 10 with Theorem 6: the share of edges that are apparent, by number of points.

use lacuna::internals::{Dense, Gpu, Level, Place};
use lacuna::metric::{DistanceMatrix, Distances};
use lacuna::rips::SecondLayer;
use lacuna::rips::filtration_construction::{Construction, DeviceSweep, Enumerate, SweepQueue, construct};
use lacuna::rips::pair_store::Pivots;
use lacuna::rips::rank::rank;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;

use super::Figure;
use crate::rows::{Row, Table, Unit};
use crate::{Failure, Run};

pub const TITLE: &str = "Figure 10. Share of apparent pairs, with Theorem 6";

const NOTES: [&str; 5] = [
    "Apparent pairs of dimension 1 over edges, of n points without a threshold. The figure has three curves on an axis from 0.91 to 1, \
     without numbers: the upper bound of Theorem 6, which it calls the case of all edges of equal length; a measurement; and a model \
     that is defined in the full version alone.",
    "Equal distances reach the upper bound (n − d − 1)/n exactly, which is then the paper's figure of the row.",
    "Points are uniform in the unit cube, doubles by seed. The random metric gives each pair a distance of its own in [1, 2), by a \
     bijection of 32 bits: no structure at all, and the triangle inequality holds.",
    "No two distances of either are equal, so that the lower bound 1/(d + 2) holds too; with ties it need not (`tests/table1.rs`). \
     A share outside the bounds would end this run.",
    "Each count is compared with one by the definition, edge by edge, from the distances alone; and with the device's where there is one.",
];

/// The source of the distances.
#[derive(Clone, Copy)]
enum Model {
    Equal,
    Points,
    Metric,
}

/// The table: the share of edges in apparent pairs, for each source of distances and number of points.
pub fn table(run: &Run) -> Result<Table, Failure> {
    let sizes: Vec<usize> =
        if run.small { vec![3, 4, 33, 100] } else { (1..=9).map(|thousands| 1000 * thousands).collect() };
    let gpu = Gpu::open(0, None).ok();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(run.threads).build()?;
    let mut rows = Vec::new();
    for model in [Model::Equal, Model::Points, Model::Metric] {
        for &n in &sizes {
            // Errors must be `Send` to leave the pool, so they become texts.
            rows.push(pool.install(|| row(model, n, gpu.as_ref()).map_err(|error| error.to_string()))?);
        }
    }
    Ok(super::table(TITLE, &NOTES, rows))
}

/// The share for a model at a size, checked against its bounds.
fn row(model: Model, n: usize, gpu: Option<&Gpu>) -> Result<Row, Failure> {
    let distances = model.distances(n)?;
    let expected = by_definition(&distances);
    let counted = counted(distances, model, gpu)?;
    let what = model.words();
    if counted != expected {
        return Err(format!("{n} {what}: {counted} apparent pairs, by the definition {expected}").into());
    }
    // In dimension 1, at most C(n−1, 2) of C(n, 2) edges are apparent, and at least a third of all.
    let (edges, most) = ((n * (n - 1) / 2) as u64, ((n - 1) * (n - 2) / 2) as u64);
    let is_within = match model {
        Model::Equal => counted == most,
        Model::Points | Model::Metric => 3 * counted >= edges && counted <= most,
    };
    if !is_within {
        return Err(
            format!("{n} {what}: {counted} apparent pairs, between {edges}/3 and {most} expected").into()
        );
    }
    let upper = (n - 2) as f64 / n as f64;
    let remark = match model {
        Model::Equal => String::from("the upper bound"),
        Model::Points | Model::Metric => format!("between 33.33333 % and {:.5} %", 100.0 * upper),
    };
    let figure = Figure {
        quantity: "apparent / edges",
        unit: Unit::Fraction,
        paper: matches!(model, Model::Equal).then_some(upper),
        ours: counted as f64 / edges as f64,
        backend: if gpu.is_some() { "cpu, cuda" } else { "cpu" },
        remark,
    };
    Ok(figure.of(&format!("{n} {what}"), "the definition, edge by edge"))
}

impl Model {
    fn words(self) -> &'static str {
        match self {
            Model::Equal => "points, equal distances",
            Model::Points => "uniform points",
            Model::Metric => "points, random metric",
        }
    }

    /// The distances of `n` points.
    fn distances(self, n: usize) -> Result<DistanceMatrix<f64>, Failure> {
        let mut random = Pcg64::seed_from_u64(n as u64);
        let points: Vec<[f64; 3]> =
            (0..n).map(|_| std::array::from_fn(|_| random.random_range(0.0..1.0))).collect();
        let row = |i: usize| {
            let points = &points;
            (0..i).map(move |j| match self {
                Model::Equal => 1.0,
                Model::Points => {
                    points[i].iter().zip(&points[j]).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
                }
                Model::Metric => 1.0 + f64::from(scrambled((i * (i - 1) / 2 + j) as u32)) / 2f64.powi(32),
            })
        };
        let rows: Vec<Vec<f64>> = (0..n).into_par_iter().map(|i| row(i).collect()).collect();
        Ok(DistanceMatrix::from_lower(rows.concat())?)
    }
}

/// A bijection of 32-bit numbers without visible order: invertible steps, namely multiplication by odd numbers and
/// exclusive or with higher bits.
fn scrambled(mut x: u32) -> u32 {
    for factor in [0x9e37_79b1, 0x85eb_ca77, 0xc2b2_ae3d] {
        x = (x ^ (x >> 15)).wrapping_mul(factor);
    }
    x ^ (x >> 16)
}

/// The number of apparent pairs of dimension 1 by definition. The oldest cofacet of an edge is the one of equal
/// diameter with the greatest additional vertex; the youngest facet of a triangle is the one of equal diameter with
/// the least index.
fn by_definition(distances: &DistanceMatrix<f64>) -> u64 {
    let n = distances.len();
    // A square matrix, so that the distances from a point are adjacent.
    let mut square = vec![0.0; n * n];
    square.par_chunks_mut(n).enumerate().for_each(|(i, row)| {
        let others = row.iter_mut().enumerate().filter(|&(j, _)| j != i);
        others.for_each(|(j, out)| *out = distances.get(i, j));
    });
    let row = |i: usize| &square[i * n..][..n];
    let distance = |a: usize, b: usize| square[a * n + b];
    let is_apparent = |i: usize, j: usize| {
        let diameter = distance(i, j);
        let mut near = row(i).iter().zip(row(j)).map(|(&a, &b)| a <= diameter && b <= diameter).enumerate();
        // The edge's own points have distance 0 from themselves.
        let third = near.rfind(|&(w, is_near)| is_near && w != i && w != j).map(|(w, _)| w);
        third.is_some_and(|w| {
            let mut triangle = [i, j, w];
            triangle.sort_unstable();
            let [c, b, a] = triangle;
            // The edges in ascending order of their indices.
            let youngest = [(b, c), (a, c), (a, b)].into_iter().find(|&(u, v)| distance(u, v) == diameter);
            youngest == Some((i, j))
        })
    };
    (1..n).into_par_iter().map(|i| (0..i).filter(|&j| is_apparent(i, j)).count() as u64).sum()
}

/// The number of apparent pairs of dimension 1, as counted by the sweeps of the processor and of a device.
fn counted(distances: DistanceMatrix<f64>, model: Model, gpu: Option<&Gpu>) -> Result<u64, Failure> {
    let n = distances.len();
    let ranking = rank(&Distances::from(distances), f64::INFINITY)?;
    let ranks = ranking.values.count();
    if !matches!(model, Model::Equal) && ranks != n * (n - 1) / 2 + 1 {
        return Err(format!("{n} {}: two distances are equal", model.words()).into());
    }
    let complex = Dense::<u32>::new(n, ranking.edges.square()?, Level::detect());
    let nothing = Pivots::with_capacity(0)?;
    let layer = SecondLayer::Implicit;
    let residue = construct::<u128>(&complex, &Construction::new(1, layer, 32, &()), &nothing);
    let Some(gpu) = gpu else { return Ok(residue.counts.apparent) };
    let rank_bits = usize::BITS - (ranks - 1).leading_zeros();
    let gpus = std::slice::from_ref(gpu);
    let sweep = DeviceSweep {
        gpus,
        points: n,
        max_dim: 1,
        layer,
        rank_bits,
        rank_width: 32,
        limbs: 2,
        process: Place::default(),
        queue: &SweepQueue::default(),
        progress: &(),
    };
    let mut swept = None;
    complex.sweep_on(&sweep, &mut |found| {
        swept = Some(found);
        true
    });
    let found = swept.ok_or("the device swept nothing")??;
    if found.counts != residue.counts {
        let (device, own) = (found.counts, residue.counts);
        return Err(format!("{n} {}: {device:?} on the device, {own:?} here", model.words()).into());
    }
    Ok(residue.counts.apparent)
}
