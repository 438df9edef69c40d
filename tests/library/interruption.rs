//! Runs that are ended early by their progress at any point: they return the right error and leave no state that
//! would affect another run; or they keep a checkpoint from which another run reaches the same result.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use lacuna::backend::{Backend, BackendRequest, Choice};
use lacuna::cells::rips_complex;
use lacuna::cubical::ecc::EccRequest;
use lacuna::cubical::persistence::via_matrix::{self, MatrixCells, ViaMatrixError};
use lacuna::cubical::persistence::{Limits, PersistenceRequest};
use lacuna::cubical::thinning::{BitImage, ThinningRequest};
use lacuna::cubical::{AnyImage, Cubical, CubicalError, EulerCurve, Image, Skeleton};
use lacuna::matrix::cycles::{ClassSelection, CyclesError, cycles};
use lacuna::matrix::leftmost_ones::Scanner;
use lacuna::matrix::{Algorithm, Dualize, MatrixError, Plan, ReductionRequest, reduce, reduce_with};
use lacuna::metric::read::Input;
use lacuna::metric::{DistanceMatrix, DistancesError, PointCloud, SparseDistances};
use lacuna::progress::{Interrupted, Progress, Resumable, interruptible};
use lacuna::rips::{
    BarSelection, Collapse, RepresentativeKind, RepresentativesRequest, Rips, RipsError, RipsOptions,
    SecondLayer,
};
use lacuna::snapshot::{Checkpoint, Facts, Fill, Snapshot, SnapshotError};

/// A progress that ends the run after a number of checks, and counts the checks.
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

/// Points spread over a box as if at random.
fn cloud(points: usize) -> PointCloud<f32> {
    let coordinates = (0..3 * points as u64).map(|k| {
        let mixed = (k + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 40) as f32
    });
    PointCloud::new(3, coordinates.collect()).unwrap()
}

/// Repeats a run with increasing patience until it completes. Returns the number of checks of the completed run.
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
                Ok(reduce_with(&complex.matrix, &plan, &Scanner::processor(), progress)?.pairs)
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
        let found = cycles(&complex.matrix, &pairs, &ClassSelection::All, progress)?;
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
        let request = PersistenceRequest::default();
        let cubical = Cubical { threads: Some(threads), ..Cubical::new(&image, request) };
        let run = |progress: &dyn Progress| Ok(cubical.solve(progress)?.classes);
        assert!(at_all_times(run, is_interruption) > 5);
    }
    for cells in [MatrixCells::All, MatrixCells::Critical] {
        let run = |progress: &dyn Progress| {
            let (request, processor) = (PersistenceRequest::default(), Backend::default());
            let limits = Limits::default();
            Ok(via_matrix::persistence(&image, &request, cells, limits, &processor, progress)?.classes)
        };
        let is_end =
            |error: &ViaMatrixError| matches!(error, ViaMatrixError::Reduce(MatrixError::Interrupted(_)));
        assert!(at_all_times(run, is_end) > 5, "{cells:?}");
    }
    let square = BitImage::of(&Image::from_slice(&[1_u8; 1600], &[40, 40]).unwrap(), |voxel| voxel > 0);
    let skeleton = Skeleton::new(&square, ThinningRequest::default());
    let run = |progress: &dyn Progress| Ok(skeleton.solve(progress)?.skeleton);
    assert!(at_all_times(run, is_interruption) > 5);
}

/// Each cycle may take long.
#[test]
fn cycles_are_interrupted_one_by_one() {
    let is_interruption = |error: &CubicalError| matches!(error, CubicalError::Interrupted(_));
    let voxels: Vec<u32> = (0..12_u32.pow(3)).map(|k| k.wrapping_mul(0x9E37_79B9) >> 20).collect();
    let image = AnyImage::from_slice(&voxels, &[12, 12, 12]).unwrap();
    let representatives = Some(BarSelection::All);
    let cubical = Cubical { representatives, ..Cubical::new(&image, PersistenceRequest::default()) };
    let count = cubical.solve(&()).unwrap().representatives.unwrap().iter().count() as u64;
    let run = |progress: &dyn Progress| Ok(cubical.solve(progress)?.classes);
    assert!(count > 50 && at_all_times(run, is_interruption) > count);
    let is_interruption = |error: &RipsError| matches!(error, RipsError::Interrupted(_));
    let rips = |tighten| {
        let cycles = RepresentativesRequest::of([RepresentativeKind::Cycles]).tighten(tighten);
        Rips::new(cloud(60)).threads(1).representatives(cycles)
    };
    let loops = rips(false).run().unwrap().bars(1).len() as u64;
    let [plain, tight] = [false, true]
        .map(|tighten| at_all_times(|progress| Ok(rips(tighten).solve(progress)?.diagram), is_interruption));
    assert!(loops > 5 && tight >= plain + loops, "{loops} {plain} {tight}");
}

#[test]
fn curves_and_shortest_paths_are_interrupted() {
    let image = AnyImage::from_slice(&vec![1_u8; 200 << 14], &[200, 1 << 7, 1 << 7]).unwrap();
    let curve = EulerCurve { threads: Some(1), ..EulerCurve::new(&image, EccRequest::default()) };
    let is_interruption = |error: &CubicalError| matches!(error, CubicalError::Interrupted(_));
    let run = |progress: &dyn Progress| Ok(curve.solve(progress)?.vcec);
    assert!(at_all_times(run, is_interruption) > 2);
    let graph = SparseDistances::new(50, (1..50).map(|point| (point, point - 1, 1.0_f32))).unwrap();
    let is_interruption = |error: &Option<DistancesError>| error.is_none();
    let run = |progress: &dyn Progress| {
        interruptible(progress, |progress| {
            Input::from(graph.clone()).shortest_paths(progress).map_err(|error| Ended(Some(error)))
        })
        .map_err(|Ended(error)| error)
    };
    assert!(at_all_times(run, is_interruption) > 50);
}

/// The error of shortest paths; `None` if the run was ended.
struct Ended(Option<DistancesError>);

impl From<Interrupted> for Ended {
    fn from(_: Interrupted) -> Self {
        Ended(None)
    }
}

/// The first device, which may not be replaced: one that is blamed for an interruption would be another error.
fn device() -> Backend {
    Backend::new(BackendRequest { choice: Choice::Cuda, ..BackendRequest::default() })
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_barcodes_of_distances_are_interrupted_at_any_time() {
    let is_interruption = |error: &RipsError| matches!(error, RipsError::Interrupted(_));
    for layer in [SecondLayer::Implicit, SecondLayer::Sorted] {
        let rips = Rips::new(cloud(60)).max_dim(2).threads(2).pair_store(layer).backend(device());
        let run = |progress: &dyn Progress| Ok(rips.clone().solve(progress)?.diagram);
        assert!(at_all_times(run, is_interruption) > 20);
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_pairs_of_matrices_are_interrupted_at_any_time() {
    let is_interruption = |error: &MatrixError| matches!(error, MatrixError::Interrupted(_));
    let distances = DistanceMatrix::from_fn(24, |i, j| ((i * 37 + j * 91) % 53 + 60) as f64).unwrap();
    let complex = rips_complex::<u32, f64>(&distances.into(), 3, f64::INFINITY).unwrap();
    let backend = device();
    for algorithm in [Algorithm::Sieve, Algorithm::Hypha] {
        let request =
            ReductionRequest { algorithm: Some(algorithm), threads: Some(2), ..ReductionRequest::default() };
        let (plan, _) = Plan::choose(&complex.matrix, &request);
        let run = |progress: &dyn Progress| {
            let scanner = Scanner::choose(&backend, &complex.matrix).unwrap();
            Ok(reduce_with(&complex.matrix, &plan, &scanner, progress)?.pairs)
        };
        assert!(at_all_times(run, is_interruption) > 3, "{algorithm}");
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_images_are_interrupted_at_any_time() {
    let is_interruption = |error: &CubicalError| matches!(error, CubicalError::Interrupted(_));
    let voxels: Vec<u32> = (0..20_u32.pow(3)).map(|k| k.wrapping_mul(0x9E37_79B9) >> 20).collect();
    let image = AnyImage::from_slice(&voxels, &[20, 20, 20]).unwrap();
    let cubical = Cubical::new(&image, PersistenceRequest::default());
    let cubical = Cubical { backend: device(), ..cubical };
    let run = |progress: &dyn Progress| Ok(cubical.solve(progress)?.classes);
    assert!(at_all_times(run, is_interruption) > 3);
    let square = BitImage::of(&Image::from_slice(&[1_u8; 1600], &[40, 40]).unwrap(), |voxel| voxel > 0);
    let skeleton = Skeleton::new(&square, ThinningRequest::default());
    let skeleton = Skeleton { backend: device(), ..skeleton };
    let run = |progress: &dyn Progress| Ok(skeleton.solve(progress)?.skeleton);
    assert!(at_all_times(run, is_interruption) > 1);
    // A small image is one piece of work for the device.
    let curve = EulerCurve::new(&image, EccRequest::default());
    let curve = EulerCurve { backend: device(), ..curve };
    let run = |progress: &dyn Progress| Ok(curve.solve(progress)?.vcec);
    assert!(at_all_times(run, is_interruption) >= 1);
}

/// Keeps pieces in memory; every so often it is a thread's turn to save.
#[derive(Default)]
struct Kept {
    pieces: Mutex<BTreeMap<String, Vec<u8>>>,
    every: u64,
    asked: AtomicU64,
    saved: AtomicU64,
    loaded: Mutex<Vec<String>>,
}

impl Checkpoint for Kept {
    fn is_kept(&self) -> bool {
        true
    }

    fn takes_turn(&self) -> bool {
        self.every > 0 && self.asked.fetch_add(1, Ordering::Relaxed).is_multiple_of(self.every)
    }

    fn save(&self, name: &str, kind: &str, facts: &Facts, fill: Fill<'_>) -> bool {
        let snapshot = Snapshot::of(name, kind, facts, fill).unwrap();
        self.saved.fetch_add(1, Ordering::Relaxed);
        self.pieces.lock().unwrap().insert(name.to_owned(), snapshot.bytes);
        true
    }

    fn load(&self, name: &str, kind: &str) -> Result<Option<Snapshot>, SnapshotError> {
        let Some(bytes) = self.pieces.lock().unwrap().get(name).cloned() else { return Ok(None) };
        self.loaded.lock().unwrap().push(kind.to_owned());
        let snapshot = Snapshot::whole(PathBuf::from(name), bytes)?;
        snapshot.payload_of(kind).map(drop).map(|()| Some(snapshot))
    }

    fn forget(&self, name: &str) {
        self.pieces.lock().unwrap().remove(name);
    }
}

/// Random distances whose reduction has many long columns that take over each other's pivots.
fn reducible(modulus: u32, max_dim: usize) -> Rips {
    let mixed = |i: usize, j: usize| ((i * 64 + j) as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44;
    let distances = DistanceMatrix::from_fn(30, |i, j| mixed(i, j) as f32).unwrap();
    let options = Rips::new(distances).max_dim(max_dim).modulus(modulus).threshold(f64::INFINITY);
    options.collapse(Collapse::Off).threads(2)
}

/// Points for a run in dimension 0.
fn components() -> Rips {
    let mixed = |i: u64| (i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44;
    let points = PointCloud::new(2, (0..160).map(|i| mixed(i) as f32).collect()).unwrap();
    Rips::new(points).max_dim(0).threads(2)
}

/// A run that is interrupted and resumed repeatedly, at any point, has the diagram of an undisturbed run.
#[test]
fn what_is_kept_is_gone_on_from() {
    let on = |rips: Rips| rips.collapse(Collapse::On);
    let cases = [
        reducible(2, 2),
        reducible(3, 2),
        reducible(2, 3).pair_store(SecondLayer::Sorted),
        on(reducible(2, 3)),
        // This case has entries of 512 bits.
        reducible(2, 22).threshold(250_000.0),
        components(),
    ];
    let mut kinds = Vec::new();
    for (number, rips) in cases.into_iter().enumerate() {
        let expected = rips.clone().run().unwrap();
        for step in [3, 40] {
            let kept = Kept { every: if step == 40 { 5 } else { 0 }, ..Kept::default() };
            let mut patience = step;
            let mut rounds = 0;
            let found = loop {
                let progress = Patience::of(patience);
                let run = Resumable { progress: &progress, checkpoint: &kept };
                match rips.clone().solve(&run) {
                    Ok(outcome) => break outcome.diagram,
                    Err(RipsError::Interrupted(_)) => {
                        (patience, rounds) = (patience + patience / 5 + 1, rounds + 1)
                    }
                    Err(error) => panic!("case {number}: {error}"),
                }
            };
            assert_eq!(found, expected, "case {number}, step {step}");
            assert!(
                rounds > 0 && kept.saved.load(Ordering::Relaxed) > 0,
                "case {number}, step {step}: {rounds}"
            );
            kinds.append(&mut kept.loaded.lock().unwrap());
        }
    }
    // Every kind of snapshot was resumed.
    let graph = ["collapsed graph", "dimension of distances", "residue", "reduced columns of distances"];
    for kind in graph.into_iter().chain(["spanning tree"]) {
        assert!(kinds.iter().any(|found| found == kind), "{kind}");
    }
}

/// Snapshots of another graph are ignored, and inconsistent ones are errors.
#[test]
fn what_is_kept_of_another_run_is_not_gone_on_from() {
    let kept = Kept { every: 1, ..Kept::default() };
    let run = |rips: Rips, kept: &Kept| rips.solve(&Resumable { progress: &(), checkpoint: kept });
    let whole = run(reducible(2, 2), &kept).unwrap().diagram;
    kept.loaded.lock().unwrap().clear();
    // Other coefficients or another threshold mean another graph.
    for rips in [reducible(3, 2), reducible(2, 2).threshold(500_000.0)] {
        assert_eq!(run(rips.clone(), &kept).unwrap().diagram, rips.run().unwrap());
        assert_eq!(kept.loaded.lock().unwrap().len(), 0);
    }
    assert_eq!(run(reducible(2, 2), &kept).unwrap().diagram, whole);
    assert_eq!(*kept.loaded.lock().unwrap(), ["dimension of distances"; 2]);
    // A snapshot of another dimension under this name.
    let mut pieces = kept.pieces.lock().unwrap();
    let names: Vec<String> = pieces.keys().filter(|name| name.contains("dimension")).cloned().collect();
    let second = pieces.iter().find(|(name, _)| name.ends_with("dimension-2")).unwrap().1.clone();
    names.iter().for_each(|name| drop(pieces.insert(name.clone(), second.clone())));
    drop(pieces);
    let error = run(reducible(2, 2), &kept).unwrap_err();
    assert!(matches!(error, RipsError::Checkpoint(SnapshotError::Content { .. })), "{error}");
}

/// A progress that ends a run after a number of checks and requests the dimensions done by then.
struct InTime(Patience);

impl Progress for InTime {
    fn is_interrupted(&self) -> bool {
        self.0.is_interrupted()
    }

    fn takes_what_is_done(&self) -> bool {
        true
    }
}

/// Whenever the time limit is reached, the completed dimensions are those of the whole run.
#[test]
fn what_is_done_in_time_is_the_answer() {
    let request = || {
        let mut request = RepresentativesRequest::default();
        request.bars = BarSelection::Named(vec![(2, 0)]);
        request
    };
    for (collapse, request) in [(Collapse::Off, None), (Collapse::On, None), (Collapse::Off, Some(request()))]
    {
        let rips = reducible(2, 3).collapse(collapse).representatives(request.clone());
        let whole = rips.clone().run().unwrap();
        let mut seen = [0; 5];
        for left in (0..).step_by(23) {
            let found = match rips.clone().solve(&InTime(Patience::of(left))) {
                Err(RipsError::Interrupted(_)) => continue,
                found => found.unwrap(),
            };
            let done = found.unfinished.unwrap_or(4);
            assert_eq!(found.diagram.len(), done);
            assert!((0..done).all(|dim| found.diagram.bars(dim) == whole.bars(dim)), "{left}");
            assert_eq!(found.stats.dimensions.iter().filter(|stats| stats.dim >= done).count(), 0);
            // Without dimension 2 there is no answer, since a bar of it is requested.
            assert!(
                request.is_none()
                    || done > 2 && found.representatives().is_some_and(|found| found.len() == 1)
            );
            seen[done] += 1;
            if done == 4 {
                break;
            }
        }
        let expected = if request.is_some() { 2 } else { 3 };
        assert!(seen[1..].iter().filter(|&&count| count > 0).count() >= expected, "{seen:?}");
    }
}
