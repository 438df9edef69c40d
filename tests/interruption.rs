//! Runs that are ended early by their progress: wherever that is, they end with the error that says so, and leave nothing behind that another
//! run would feel.

use std::sync::atomic::{AtomicU64, Ordering};

use lacuna::cells::rips_complex;
use lacuna::cubical::thinning::BitImage;
use lacuna::cubical::{AnyImage, Cubical, CubicalError, Image, Skeleton};
use lacuna::matrix::cycles::{ClassSelection, CyclesError, cycles_watched};
use lacuna::matrix::leftmost_ones::Scanner;
use lacuna::matrix::{Algorithm, Dualize, MatrixError, Plan, ReductionRequest, reduce, reduce_watched};
use lacuna::metric::{DistanceMatrix, PointCloud};
use lacuna::progress::Progress;
use lacuna::rips::{Collapse, Rips, RipsError, RipsOptions};

/// Counts how often it is asked whether the run is to end, and says so from some time on.
struct Patience {
    left: u64,
    asked: AtomicU64,
}

impl Patience {
    fn of(left: u64) -> Self {
        Patience { left, asked: AtomicU64::new(0) }
    }

    fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Progress for Patience {
    fn is_interrupted(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) >= self.left
    }
}

/// Points that are spread over a box like random ones.
fn cloud(points: usize) -> PointCloud<f32> {
    let coordinates = (0..3 * points as u64).map(|k| {
        let mixed = (k + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 40) as f32
    });
    PointCloud::new(3, coordinates.collect()).unwrap()
}

/// Runs with more and more patience, until it is enough. Returns how often the run that ended by itself was asked.
fn at_all_times<T: PartialEq + std::fmt::Debug, E>(
    run: impl Fn(&dyn Progress) -> Result<T, E>,
    is_interruption: impl Fn(&E) -> bool,
) -> u64 {
    let whole = run(&()).unwrap_or_else(|_| panic!("nobody interrupts it"));
    let mut left = 0;
    loop {
        let patience = Patience::of(left);
        match run(&patience) {
            Err(error) => assert!(is_interruption(&error)),
            Ok(found) => {
                assert_eq!(found, whole);
                return patience.asked();
            }
        }
        left += 1 + left / 4;
    }
}

#[test]
fn barcodes_of_distances_are_interrupted_at_any_time() {
    let is_interruption = |error: &RipsError| matches!(error, RipsError::Interrupted(_));
    for threads in [1, 3] {
        for (threshold, collapse) in [(None, Collapse::Off), (None, Collapse::On), (Some(4e6), Collapse::Off)]
        {
            let mut rips = Rips::new(cloud(60)).max_dim(2).threads(threads).collapse(collapse);
            if let Some(threshold) = threshold {
                rips = rips.threshold(threshold);
            }
            let run = |progress: &dyn Progress| Ok(rips.clone().solve(progress)?.diagram);
            assert!(at_all_times(run, is_interruption) > 20);
        }
    }
}

#[test]
fn many_inputs_are_interrupted_together() {
    let inputs = || (0..40).map(|_| cloud(20).into()).collect();
    let outcomes = RipsOptions::default().solve_each(inputs(), &Patience::of(100));
    assert_eq!(outcomes.len(), 40);
    let interrupted = |outcome: &&Result<_, RipsError>| matches!(outcome, Err(RipsError::Interrupted(_)));
    let count = outcomes.iter().filter(interrupted).count();
    assert!(count > 20, "{count}");
}

#[test]
fn pairs_of_matrices_are_interrupted_at_any_time() {
    let is_interruption = |error: &MatrixError| matches!(error, MatrixError::Interrupted(_));
    let distances = DistanceMatrix::from_fn(24, |i, j| ((i * 37 + j * 91) % 53 + 60) as f64).unwrap();
    let complex = rips_complex::<u32, f64>(&distances.into(), 3, f64::INFINITY).unwrap();
    for algorithm in Algorithm::ALL {
        for dualize in [Dualize::Auto, Dualize::Off] {
            let request = ReductionRequest {
                dualize,
                algorithm: Some(algorithm),
                threads: Some(2),
                ..ReductionRequest::default()
            };
            let (plan, _) = Plan::choose(&complex.matrix, &request);
            let run = |progress: &dyn Progress| {
                Ok(reduce_watched(&complex.matrix, &plan, &Scanner::processor(), progress)?.pairs)
            };
            let asked = at_all_times(run, is_interruption);
            assert!(asked > 5, "{algorithm}, asked {asked} times");
        }
    }
}

#[test]
fn cycles_of_matrices_are_interrupted_at_any_time() {
    let is_interruption = |error: &CyclesError| matches!(error, CyclesError::Interrupted(_));
    let distances = DistanceMatrix::from_fn(24, |i, j| ((i * 37 + j * 91) % 53 + 60) as f64).unwrap();
    let complex = rips_complex::<u32, f64>(&distances.into(), 3, f64::INFINITY).unwrap();
    let (plan, _) = Plan::choose(&complex.matrix, &ReductionRequest::default());
    let pairs = reduce(&complex.matrix, &plan);
    let run = |progress: &dyn Progress| {
        let found = cycles_watched(&complex.matrix, &pairs, &ClassSelection::All, progress)?;
        Ok(found.cells().to_vec())
    };
    assert!(at_all_times(run, is_interruption) > 5);
}

#[test]
fn images_are_interrupted_at_any_time() {
    let is_interruption = |error: &CubicalError| matches!(error, CubicalError::Interrupted(_));
    let voxels: Vec<u32> = (0..20_u32.pow(3)).map(|k| k.wrapping_mul(0x9E37_79B9) >> 20).collect();
    let image = AnyImage::from_slice(&voxels, &[20, 20, 20]).unwrap();
    for threads in [1, 3] {
        let run =
            |progress: &dyn Progress| Ok(Cubical::new(&image).threads(threads).solve(progress)?.classes);
        assert!(at_all_times(run, is_interruption) > 5);
    }
    let square = BitImage::of(&Image::from_slice(&[1_u8; 1600], &[40, 40]).unwrap(), |voxel| voxel > 0);
    let run = |progress: &dyn Progress| Ok(Skeleton::new(&square).solve(progress)?.skeleton);
    assert!(at_all_times(run, is_interruption) > 5);
}
