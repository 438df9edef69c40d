//! Memory in a program whose allocator does not take part in the limit: what reading would take past the limit is
//! refused, and a run takes what its plan says. Limit and count are those of the process, so this is a program of its
//! own, whose tests run one at a time.

#![cfg(all(target_os = "linux", feature = "codecs"))]
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::f64::consts::TAU;
use std::fs::File;
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use flate2::Compression;
use flate2::write::GzEncoder;
use lacuna::matrix::read::{MatrixReadOptions, read_source};
use lacuna::memory::MemoryStage;
use lacuna::metric::read::{DistanceOptions, read_bytes, read_mesh, read_path};
use lacuna::metric::{Distances, PointCloud, Value};
use lacuna::rips::{Collapse, Progress, RepresentativeKind, RepresentativesRequest, Rips};
use lacuna::{Classified, ErrorKind};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Bytes allocated now, and their peak since it was last set.
static ALLOCATED: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// Held by the test that runs.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// The system's allocator, whose bytes are counted.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count(more: usize, fewer: usize) {
    let before = ALLOCATED.fetch_add(more, Relaxed);
    PEAK.fetch_max(before + more - fewer, Relaxed);
    ALLOCATED.fetch_sub(fewer, Relaxed);
}

// SAFETY: all methods are those of the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: the caller's promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: the caller's promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size, layout.size());
        // SAFETY: the caller's promises.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, layout.size());
        // SAFETY: the caller's promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Records the peak up to the first reduction.
#[derive(Default)]
struct UpToReduction(AtomicUsize);

impl Progress for UpToReduction {
    fn begin(&self, stage: &'static str, _: Option<usize>, _: u64) {
        if stage == "reduction" && self.0.load(Relaxed) == 0 {
            self.0.store(PEAK.load(Relaxed), Relaxed);
        }
    }
}

/// Bytes of the buffers of threads and of tables per point, which no plan lists.
const UNLISTED: u64 = 128 << 10;

/// Compares the plan of a run with the counted peak: that of the tables up to the first reduction, and that of the
/// whole run.
fn compare<T: Value>(
    what: &str,
    points: impl FnOnce() -> Distances<T>,
    options: impl FnOnce(Rips<T>) -> Rips<T>,
) -> [u64; 2] {
    let before = ALLOCATED.load(Relaxed);
    PEAK.store(before, Relaxed);
    let up_to_reduction = UpToReduction::default();
    let outcome = options(Rips::new(points())).threads(2).solve(&up_to_reduction).unwrap();
    let since_before = |bytes: &AtomicUsize| (bytes.load(Relaxed) - before) as u64;
    let (tables, whole) = (since_before(&up_to_reduction.0), since_before(&PEAK));
    let memory = &outcome.plan.memory;
    let walking = memory.bytes_of("edges in order and cochains, for long columns");
    let of_stage = |stage: &MemoryStage| stage.bytes() - if stage.grows { walking } else { 0 };
    let planned = memory.stages.iter().map(of_stage).max().unwrap();
    eprintln!("{what}: tables {tables} of {planned}, whole {whole} of {} walking {walking}", memory.peak());
    assert!(tables <= planned + UNLISTED, "{what}: {tables} bytes, {planned} planned\n{memory}");
    assert!(planned <= 2 * tables, "{what}: {tables} bytes, {planned} planned\n{memory}");
    assert!(memory.peak() <= 4 * whole, "{what}: {whole} bytes\n{memory}");
    [memory.peak(), whole]
}

/// Coordinates in the plane: around a circle, or in a square.
fn plane(points: usize, is_circle: bool) -> Vec<f64> {
    let mut rng = Pcg64::seed_from_u64(1);
    let point = |_| {
        let [x, y] = [(); 2].map(|()| rng.random::<f64>());
        let (angle, radius) = (TAU * x, 1.0 + 0.5 * y);
        if is_circle { [radius * angle.cos(), radius * angle.sin()] } else { [x, y] }
    };
    (0..points).flat_map(point).collect()
}

/// The plan lists the tables of every stage, so it bounds the peak up to the first reduction from above. It may be up
/// to twice that peak: lists that grow are planned with twice their length, and edges of a collapsed graph as if none
/// went. The columns of a reduction cannot be planned, since their lengths are known only once they are reduced; a
/// whole run stays within its plan where its columns are short, as among points without a large hole. Cochains of
/// representatives are columns. Tables for walking are planned for each thread, and threads whose columns stay
/// short do not make them: so the whole plan may be more than the peak, here up to four times.
#[test]
fn a_run_takes_what_its_plan_says() {
    let _running = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let double =
        |points, is_circle| move || Distances::from(PointCloud::new(2, plane(points, is_circle)).unwrap());
    let single = |points, is_circle| {
        let coordinates = plane(points, is_circle).into_iter().map(|x| x as f32).collect();
        move || Distances::from(PointCloud::new(2, coordinates).unwrap())
    };
    let kinds = [RepresentativeKind::Cocycles, RepresentativeKind::Cycles];
    let [planned, peak] = compare("representatives", double(600, false), |rips| {
        rips.representatives(RepresentativesRequest::of(kinds))
    });
    assert!(peak <= planned, "representatives: {peak} bytes, {planned} planned");
    let [planned, peak] = compare("coefficients in Z/3", double(600, false), |rips| rips.modulus(3));
    assert!(peak <= planned, "coefficients in Z/3: {peak} bytes, {planned} planned");
    // The columns of the large hole are walked once they are long, and have grown until then.
    let [planned, peak] = compare("long columns", single(1000, true), |rips| rips);
    assert!(peak <= 2 * planned, "long columns: {peak} bytes, {planned} planned");
    compare("edge collapse", double(250, true), |rips| rips.max_dim(2).collapse(Collapse::On));
    compare("near points", double(2500, true), |rips| rips.threshold(0.2));
}

#[test]
fn inputs_are_read_within_the_limit() {
    let _running = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    let line = b"0 0 0\n".repeat(1 << 10);
    for _ in 0..1 << 14 {
        packed.write_all(&line).unwrap();
    }
    let packed = packed.finish().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("points.txt");
    File::create(&plain).unwrap().set_len(96 << 20).unwrap();

    lacuna::memory::limit(64 << 20);
    let limit = "out of memory: the limit of 67.1 MB leaves no room for ";
    let error = read_bytes("points.txt.gz", &packed, DistanceOptions::default()).unwrap_err();
    assert!(
        error.error_kind() == ErrorKind::Memory && error.to_string().starts_with("points.txt.gz: "),
        "{error}"
    );
    assert!(error.to_string().contains(limit), "{error}");
    let error = read_source("matrix.gz", &packed[..], &MatrixReadOptions::default()).unwrap_err();
    assert!(error.error_kind() == ErrorKind::Memory && error.to_string().contains(limit), "{error}");
    let error = read_path(&plain, DistanceOptions::default()).unwrap_err();
    assert!(error.error_kind() == ErrorKind::Memory && error.to_string().contains(limit), "{error}");
    // What has room is read.
    assert!(read_bytes("points.txt", b"0 0\n3 4\n", DistanceOptions::default()).is_ok());
    lacuna::memory::limit(u64::MAX);
}

#[test]
fn polygons_of_meshes_are_read_within_the_limit() {
    let _running = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    const FACES: usize = 4 << 20;
    let folder = tempfile::tempdir().unwrap();
    let ply = format!(
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nelement face {FACES}\n\
         property list uchar int vertex_indices\nend_header\n0 0\n"
    );
    for (name, head, face) in [
        ("points.off", format!("OFF\n1 {FACES} 0\n0 0 0\n"), "1 0\n"),
        ("points.obj", "v 0 0 0\n".to_owned(), "f 1\n"),
        ("points.ply", ply, "1 0\n"),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, head + &face.repeat(FACES)).unwrap();
        // What was freed may still be resident, and would be room that the limit does not know of.
        #[cfg(target_env = "gnu")]
        // SAFETY: free pages go back to the system, nothing else changes.
        unsafe {
            libc::malloc_trim(0);
        }
        // There is room for the file, and not for the corners and ends of as many polygons.
        lacuna::memory::limit(lacuna::memory::resident().unwrap() + (40 << 20));
        let read = read_mesh(&path, &DistanceOptions::default());
        lacuna::memory::limit(u64::MAX);
        let error = read.expect_err(name);
        assert!(
            error.error_kind() == ErrorKind::Memory && error.to_string().contains("no room for"),
            "{error}"
        );
    }
}
