use std::cell::RefCell;
use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::super::cut::voxels_of;
use super::*;
use crate::cubical::ecc::{ReadVoxels, Vcec, curve, reader_of};
use crate::cubical::read::ImageReadError;
use crate::cubical::{Construction, Image, Order};
use crate::progress::Interrupted;
use crate::ranks::threads::on_ranks;

/// Error of reading voxels that are past the end of a slice, or broken from `place` on.
fn broken(place: usize) -> EccError {
    ImageReadError::Io { file: place.to_string(), error: io::Error::other("broken") }.into()
}

/// Reads the voxels of a slice in order, and checks that they are requested in order.
fn reader<T: Voxel>(voxels: &[T]) -> impl Fn(usize, &mut [u8]) -> Result<(), EccError> + Sync {
    let next = AtomicUsize::new(0);
    reader_of(move |first, out: &mut [T]| {
        assert_eq!(next.swap(first + out.len(), Ordering::Relaxed), first, "voxels in order");
        out.copy_from_slice(voxels.get(first..first + out.len()).ok_or_else(|| broken(voxels.len()))?);
        Ok(())
    })
}

fn sequential<'a>(read: &'a ReadVoxels<'a>) -> Voxels<'a> {
    Voxels { read, is_sequential: true }
}

fn image<T: Voxel>(axes: &[usize], seed: u64, voxel: impl Fn(u64) -> T) -> Image<T> {
    let mut rng = Pcg64::seed_from_u64(seed);
    let shape = Shape::new(axes, Order::C).unwrap();
    let voxels = (0..shape.count()).map(|_| voxel(rng.random_range(0..9))).collect();
    Image::new(shape, voxels).unwrap()
}

const NOT_TOLD: &dyn Fn(u64) = &|_| ();

/// A pass over a whole image, from its beginning.
fn from_start<'a>(voxels: Voxels<'a>, watch: &'a Watch<'a>, directory: &'a Path) -> Pass<'a> {
    Pass { range: None, voxels, since: None, watch, directory, ranks: &Alone }
}

/// Division of an image with much memory.
fn slabs_of<T: Voxel>(shape: Shape) -> Slabs {
    Slabs::new(shape, T::TYPE, &Bins::Distinct, 1 << 30, 4, part_of(shape, &Alone)).unwrap()
}

/// Tests slabs of one slice up to the whole image, with one counter.
fn any_slabs<T: Voxel>(image: &Image<T>) {
    let shape = image.shape();
    for construction in [Construction::T, Construction::V] {
        for bins in [Bins::Distinct, Bins::Uniform { count: 3, range: None }] {
            let request = EccRequest { construction, bins, superlevel: construction == Construction::V };
            let expected = curve(image, &request).unwrap();
            let mut streamer = SlabCounter::new(&request, T::TYPE, 1 << 30).unwrap();
            let slabs = slabs_of::<T>(shape);
            let range = Some(range_of(image));
            let read_at = reader_at(image.voxels());
            for own in (slabs.before..slabs.end() + slabs.before).step_by(slabs.before) {
                // With one buffer all threads share a slab.
                for buffers in [1, 2, 3, 4] {
                    let slabs = Slabs { own, buffers, ..slabs.clone() };
                    let told = AtomicU64::new(0);
                    let add = |voxels| {
                        told.fetch_add(voxels, Ordering::Relaxed);
                    };
                    let read = reader(image.voxels());
                    let watch = Watch::telling(&add);
                    for voxels in [sequential(&read), Voxels::anywhere(&read_at)] {
                        let (sums, directory) = (&mut streamer.sums, &streamer.directory);
                        let found =
                            sums.curve(&slabs, &Pass { range, ..from_start(voxels, &watch, directory) });
                        assert_eq!(in_memory(found), expected, "{shape} {own} {buffers} {request:?}");
                    }
                    assert_eq!(told.into_inner(), 2 * shape.count() as u64);
                }
            }
        }
    }
}

/// Pauses after every slab if possible, and resumes from each saved state with slabs of another height.
fn any_pause<T: Voxel>(image: &Image<T>) {
    let shape = image.shape();
    let range = Some(range_of(image));
    for bins in [Bins::Distinct, Bins::Uniform { count: 3, range: None }] {
        let request = EccRequest { bins, ..EccRequest::default() };
        let expected = curve(image, &request).unwrap();
        let slabs = |own: usize, buffers: usize| {
            let slabs = slabs_of::<T>(shape);
            Slabs { own: own * slabs.before, buffers, ..slabs }
        };
        // Runs one pass, checks curve and progress, and returns the states saved at pauses.
        let pass = |in_order: bool, since: Option<&PartialCurve>, slabs: &Slabs, pauses: bool| {
            let (told, kept) = (AtomicU64::new(0), RefCell::new(Vec::new()));
            let advance = |voxels| {
                told.fetch_add(voxels, Ordering::Relaxed);
            };
            let keep = |partial: Option<PartialCurve>| kept.borrow_mut().extend(partial);
            let watch = Watch { advance: &advance, pauses: &|| pauses, keep: &keep };
            let (read_at, read) = (reader_at(image.voxels()), reader(image.voxels()));
            let voxels = if in_order { sequential(&read) } else { Voxels::anywhere(&read_at) };
            let mut streamer = SlabCounter::new(&request, T::TYPE, 1 << 30).unwrap();
            let pass = Pass { range, since, ..from_start(voxels, &watch, &streamer.directory) };
            let found = streamer.sums.curve(slabs, &pass);
            assert_eq!(in_memory(found), expected, "{shape} {in_order} {since:?}");
            assert_eq!(told.into_inner(), shape.count() as u64, "{shape} {in_order} {since:?}");
            kept.into_inner()
        };
        for (in_order, buffers) in [(false, 1), (true, 1), (false, 2), (true, 2)] {
            let kept = pass(in_order, None, &slabs(1, buffers), true);
            // With a buffer for each thread they work apart, and may have begun all slabs before the first pause.
            let apart = buffers >= rayon::current_num_threads();
            assert!(apart || kept.len() == slabs_of::<T>(shape).end().div_ceil(slabs(1, 1).own));
            for partial in &kept {
                for own in [1, 2, 5] {
                    pass(true, Some(partial), &slabs(own, 2), false);
                    pass(false, Some(partial), &slabs(own, 2), own == 2);
                }
            }
        }
    }
}

/// A run may be told to end while it reads a slab. It then saves the slabs before, and another goes on from there.
#[test]
fn what_was_read_before_an_interruption_is_saved() {
    let image = image(&[9, 6, 70], 1, |v| v as u8);
    let (shape, range, request) = (image.shape(), Some(range_of(&image)), EccRequest::default());
    let expected = curve(&image, &request).unwrap();
    for (buffers, whole) in [1, 4].into_iter().flat_map(|buffers| (0..9).map(move |whole| (buffers, whole))) {
        let slabs = Slabs { own: 1, buffers, ..slabs_of::<u8>(shape) };
        let (told, kept) = (AtomicUsize::new(0), RefCell::new(Vec::new()));
        let read = reader(image.voxels());
        let broken_off = |first, bytes: &mut [u8]| match told.fetch_add(1, Ordering::Relaxed) {
            times if times < whole => read(first, bytes),
            _ => Err(Interrupted::default().into()),
        };
        let keep = |partial: Option<PartialCurve>| kept.borrow_mut().extend(partial);
        let watch = Watch { advance: NOT_TOLD, pauses: &|| false, keep: &keep };
        let mut streamer = SlabCounter::new(&request, VoxelType::U8, 1 << 30).unwrap();
        let (sums, directory) = (&mut streamer.sums, &streamer.directory);
        let pass = Pass { range, ..from_start(sequential(&broken_off), &watch, directory) };
        let found = sums.curve(&slabs, &pass);
        assert!(matches!(found, Err(EccError::Interrupted(_))), "{found:?}");
        let [partial] = &kept.into_inner()[..] else { panic!("one state") };
        assert_eq!(partial.slices, whole);
        let rest = reader(image.voxels());
        let watch = Watch::telling(NOT_TOLD);
        let pass = Pass { range, since: Some(partial), ..from_start(sequential(&rest), &watch, directory) };
        let found = sums.curve(&slabs, &pass);
        assert_eq!(in_memory(found), expected);
    }
}

#[test]
fn pauses_do_not_show() {
    any_pause(&image(&[9, 6, 70], 1, |v| v as u8));
    any_pause(&image(&[13, 66], 2, |v| v as u16));
    any_pause(&image(&[500], 3, |v| v as f32 - 4.5));
    any_pause(&image(&[11, 3, 5], 4, |v| v as i64 - 4));
    any_pause(&image(&[1], 5, |v| v as u8));
}

#[test]
fn sums_of_another_curve_are_refused() {
    let image = image(&[9, 6, 7], 1, |v| v as u8);
    let since = |slices, sums| {
        let watch = Watch::telling(NOT_TOLD);
        let mut streamer = SlabCounter::new(&EccRequest::default(), VoxelType::U8, 1 << 30).unwrap();
        let read = reader(image.voxels());
        let (voxels, since) = (sequential(&read), PartialCurve { slices, ..sums });
        streamer.curve(image.shape(), None, voxels, Some(&since), &watch).map(drop)
    };
    let keys =
        |keys: &[u64]| PartialCurve { slices: 0, bins: 0, keys: keys.to_vec(), sums: vec![1; keys.len()] };
    assert!(since(9, keys(&[0, 255])).is_ok());
    for (slices, sums) in [
        (10, keys(&[0])),
        (9, keys(&[0, 256])),
        (9, keys(&[3, 3])),
        (9, PartialCurve { sums: vec![], ..keys(&[1]) }),
        (9, PartialCurve { bins: 1, ..keys(&[0]) }),
    ] {
        let told = format!("{slices} {sums:?}");
        assert!(matches!(since(slices, sums), Err(EccError::Since)), "{told}");
    }
}

/// Reads the voxels of a slice at any place.
fn reader_at<T: Voxel>(voxels: &[T]) -> impl Fn(usize, &mut [u8]) -> Result<(), EccError> + Sync {
    reader_of(|first, out: &mut [T]| {
        out.copy_from_slice(&voxels[first..first + out.len()]);
        Ok(())
    })
}

fn range_of<T: Voxel>(image: &Image<T>) -> (Value, Value) {
    let mut next = 0;
    let read = |out: &mut [T]| {
        out.copy_from_slice(&image.voxels()[next..next + out.len()]);
        next += out.len();
        Ok(())
    };
    SlabCounter::range(image.shape().count(), read, NOT_TOLD).unwrap().unwrap()
}

#[test]
fn slabs_do_not_show() {
    any_slabs(&image(&[9, 6, 70], 1, |v| v as u8));
    any_slabs(&image(&[23, 66], 2, |v| v as u16));
    any_slabs(&image(&[500], 3, |v| v as f32 - 4.5));
    any_slabs(&image(&[64], 4, |v| v as i64 - 4));
    any_slabs(&image(&[1], 5, |v| v as u8));
    any_slabs(&image(&[2, 1, 3], 6, |v| v as f64));
}

#[test]
fn little_memory_gives_the_same_curve() {
    let image = image(&[200, 300, 130], 7, |v| v as u8);
    let request = EccRequest::default();
    let expected = curve(&image, &request).unwrap();
    // The whole image takes 7.8 MB.
    let in_order = |limit| stream(&image, &request, limit);
    let apart = |limit| {
        let mut streamer = SlabCounter::new(&request, VoxelType::U8, limit)?;
        let rows = anywhere(&mut streamer, image.shape(), image.voxels())?;
        Ok(in_memory(Ok(rows)))
    };
    for curve in [&in_order as &dyn Fn(usize) -> Result<Vcec, EccError>, &apart] {
        let EccError::Slabs { needed, .. } = curve(1 << 20).unwrap_err() else { panic!() };
        for limit in [needed, needed + 100_000, needed + 1_000_000, 1 << 30] {
            assert_eq!(curve(limit).unwrap(), expected);
        }
        assert!(matches!(curve(needed - 1), Err(EccError::Slabs { .. })));
    }
}

#[test]
fn of_several_faults_of_reading_the_first_counts() {
    let shape = Shape::new(&[400, 100, 100], Order::C).unwrap();
    let mut streamer = SlabCounter::new(&EccRequest::default(), VoxelType::U8, 1 << 30).unwrap();
    for at in [0, 1, 1_000_000, 3_999_999] {
        let read = |first: usize, out: &mut [u8]| {
            out.fill(3);
            let end = first + out.len();
            // The slab with the first broken voxel is the last to be reported.
            if (first..end).contains(&at) {
                thread::sleep(Duration::from_millis(5));
            }
            if end > at { Err(broken(first.max(at))) } else { Ok(()) }
        };
        let slabs = Slabs { own: 30, ..slabs_of::<u8>(shape) };
        let (voxels, watch) = (Voxels::anywhere(&read), Watch::telling(NOT_TOLD));
        let found = streamer.sums.curve(&slabs, &from_start(voxels, &watch, &streamer.directory));
        assert_eq!(found.unwrap_err().to_string(), broken(at).to_string());
    }
    let found = anywhere(&mut streamer, shape, &vec![3_u8; 4_000_000]);
    assert_eq!(in_memory(found), Vcec::new(vec![3.0], vec![1]));
}

fn stream<T: Voxel>(image: &Image<T>, request: &EccRequest, limit: usize) -> Result<Vcec, EccError> {
    let mut streamer = SlabCounter::new(request, T::TYPE, limit)?;
    let rows = in_order(&mut streamer, image.shape(), image.voxels())?;
    Ok(in_memory(Ok(rows)))
}

/// The rows of voxels that are read in order.
fn in_order<T: Voxel>(streamer: &mut SlabCounter, shape: Shape, voxels: &[T]) -> Result<VcecRows, EccError> {
    streamer.curve(shape, None, sequential(&reader(voxels)), None, &Watch::telling(NOT_TOLD))
}

/// The rows of voxels that are read at any place.
fn anywhere<T: Voxel>(streamer: &mut SlabCounter, shape: Shape, voxels: &[T]) -> Result<VcecRows, EccError> {
    let read = reader_at(voxels);
    streamer.curve(shape, None, Voxels::anywhere(&read), None, &Watch::telling(NOT_TOLD))
}

/// A curve that must be in memory.
fn in_memory(rows: Result<VcecRows, EccError>) -> Vcec {
    match rows.unwrap() {
        VcecRows::Memory(curve) => curve,
        rows => panic!("{rows:?}"),
    }
}

/// Tests streams with so little memory that most rows are spilled, in more runs than may be open at a time.
#[test]
fn rows_that_do_not_fit_into_memory_are_kept_in_files() {
    let shape = Shape::new(&[100, 100, 100], Order::C).unwrap();
    // The odd factor shuffles the numbers, so that no slab has rows of a narrow range.
    let voxel = |k: u32| k.wrapping_mul(2_654_435_761) >> 4;
    let image = Image::new(shape, (0..1_000_000).map(voxel).collect()).unwrap();
    for construction in [Construction::T, Construction::V] {
        let request =
            EccRequest { construction, superlevel: construction == Construction::V, ..EccRequest::default() };
        let expected = curve(&image, &request).unwrap();
        let EccError::Slabs { needed, .. } = stream(&image, &request, 0).unwrap_err() else { panic!() };
        for more in [0, 1 << 20] {
            let mut streamer = SlabCounter::new(&request, VoxelType::U32, needed + more).unwrap();
            let rows = in_order(&mut streamer, shape, image.voxels()).unwrap();
            assert!(matches!(rows, VcecRows::Disk(_)) && rows.count() == expected.changes.len() as u64);
            let read = rows.iter().unwrap().collect::<std::io::Result<Vec<_>>>().unwrap();
            assert!(read.into_iter().eq(expected.rows()));
            assert!(rows.into_vcec().unwrap() == expected);
            let mut streamer = SlabCounter::new(&request, VoxelType::U32, needed + (8 << 20) + more).unwrap();
            let rows = anywhere(&mut streamer, shape, image.voxels()).unwrap();
            assert!(matches!(rows, VcecRows::Disk(_)) && rows.into_vcec().unwrap() == expected);
        }
        assert_eq!(stream(&image, &request, 1 << 30).unwrap(), expected);
    }
}

#[test]
fn files_that_cannot_be_kept_are_an_error() {
    let shape = Shape::new(&[200, 100, 100], Order::C).unwrap();
    let image = Image::new(shape, (0..2_000_000_u32).collect()).unwrap();
    let request = EccRequest::default();
    let EccError::Slabs { needed, .. } = stream(&image, &request, 0).unwrap_err() else { panic!() };
    let streamer = |more| {
        let streamer = SlabCounter::new(&request, VoxelType::U32, needed + more).unwrap();
        streamer.spilling_to("no such directory".into())
    };
    let in_order = in_order(&mut streamer(0), shape, image.voxels());
    let anywhere = anywhere(&mut streamer(8 << 20), shape, image.voxels());
    for found in [in_order, anywhere] {
        let error = found.unwrap_err().to_string();
        assert!(error.starts_with("no such directory: cannot keep rows that "), "{error}");
    }
}

#[test]
fn bins_take_memory_of_their_own() {
    let shape = Shape::new(&[100, 100, 100], Order::C).unwrap();
    let image = Image::new(shape, (0..1_000_000).map(|k| k as f32).collect()).unwrap();
    let request = EccRequest::default();
    let EccError::Slabs { needed, .. } = stream(&image, &request, 0).unwrap_err() else { panic!() };
    let bins = Bins::Uniform { count: 10, range: Some((0.0.into(), 1e6.into())) };
    let binned = EccRequest { bins, ..request };
    assert_eq!(stream(&image, &binned, needed).unwrap(), curve(&image, &binned).unwrap());
    // 2^40 bins exceed the memory limit.
    let bins = Bins::Uniform { count: 1 << 40, range: Some((0.0.into(), 1e6.into())) };
    let error = Slabs::new(shape, f32::TYPE, &bins, 1 << 30, 4, part_of(shape, &Alone)).unwrap_err();
    assert!(error > 1 << 40);
}

#[test]
fn an_end_that_comes_early_is_an_error_and_no_curve() {
    let image = image(&[40, 20, 64], 8, |v| v as u8);
    let (shape, voxels) = (image.shape(), image.voxels());
    let mut streamer = SlabCounter::new(&EccRequest::default(), VoxelType::U8, 1 << 30).unwrap();
    let watch = Watch::telling(NOT_TOLD);
    for (own, buffers) in [(1, 2), (7, 3), (7, 1), (40, 1)] {
        let slabs = Slabs { own, buffers, ..slabs_of::<u8>(shape) };
        for found in [0, 1, 1279, 1280, 1281, 30_000, 51_199] {
            let read = reader(&voxels[..found]);
            let pass = from_start(sequential(&read), &watch, &streamer.directory);
            let short = streamer.sums.curve(&slabs, &pass);
            assert_eq!(short.unwrap_err().to_string(), broken(found).to_string());
        }
    }
    // The same counter works again after the error.
    let found = in_memory(in_order(&mut streamer, shape, voxels));
    assert_eq!(found, curve(&image, &EccRequest::default()).unwrap());
}

#[test]
fn wide_voxels_need_their_range_first() {
    let image = image(&[5, 5], 9, |v| v as f32);
    let request = EccRequest { bins: Bins::Uniform { count: 4, range: None }, ..EccRequest::default() };
    assert!(request.needs_range(VoxelType::F32) && !request.needs_range(VoxelType::U16));
    let error = stream(&image, &request, 1 << 30).unwrap_err();
    assert!(matches!(error, EccError::Range("f32")), "{error}");
    let mut streamer = SlabCounter::new(&request, VoxelType::F32, 1 << 30).unwrap();
    let range = range_of(&image);
    let (read, watch) = (reader(image.voxels()), Watch::telling(NOT_TOLD));
    let found = streamer.curve(image.shape(), Some(range), sequential(&read), None, &watch);
    assert_eq!((range, in_memory(found)), ((0.0.into(), 8.0.into()), curve(&image, &request).unwrap()));
}

/// A stack size that no system can map, so that threads without an explicit stack size cannot start.
const IMPOSSIBLE_STACK: (&str, &str) = ("RUST_MIN_STACK", "1125899906842624");

/// Runs in a child process, since a process reads the variable only once.
#[cfg(target_os = "linux")]
#[test]
fn threads_that_cannot_be_started_are_an_error() {
    const NAME: &str = "cubical::ecc::slabs::counter::tests::threads_that_cannot_be_started_are_an_error";
    if std::env::var(IMPOSSIBLE_STACK.0).as_deref() != Ok(IMPOSSIBLE_STACK.1) {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", NAME, "--nocapture", "--test-threads=1"]);
        let output = child.env(IMPOSSIBLE_STACK.0, IMPOSSIBLE_STACK.1).output().unwrap();
        let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        assert!(output.status.success() && said[0].contains("1 passed"), "{said:?}");
        return;
    }
    let image = image::<u8>(&[70, 256, 256], 5, |x| x as u8);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).stack_size(1 << 20).build().unwrap();
    pool.install(|| {
        let mut streamer = SlabCounter::new(&EccRequest::default(), VoxelType::U8, 1 << 30).unwrap();
        let in_order = in_order(&mut streamer, image.shape(), image.voxels());
        let anywhere = anywhere(&mut streamer, image.shape(), image.voxels());
        for found in [in_order, anywhere] {
            let Err(EccError::Threads(_)) = &found else { panic!("{found:?}") };
            let said = found.unwrap_err().to_string();
            assert!(said.starts_with("cannot start a thread for the voxels: "), "{said}");
        }
    });
}

/// The rows of an image that several ranks share, on each of them.
fn on_several<T: Voxel>(image: &Image<T>, request: &EccRequest, size: usize, limit: usize) -> Vec<VcecRows> {
    let (shape, read) = (image.shape(), reader_at(image.voxels()));
    let range = request.needs_range(T::TYPE).then(|| range_of(image));
    on_ranks(size, |ranks| {
        let mut streamer = SlabCounter::new(request, T::TYPE, limit).unwrap();
        let told = AtomicU64::new(0);
        let advance = |voxels| _ = told.fetch_add(voxels, Ordering::Relaxed);
        let watch = Watch::telling(&advance);
        let rows = streamer.curve_on(ranks, shape, range, Voxels::anywhere(&read), None, &watch).unwrap();
        assert_eq!(told.into_inner(), voxels_of(shape, ranks).len() as u64);
        rows
    })
}

fn ranks_do_not_show<T: Voxel>(image: &Image<T>) {
    for superlevel in [false, true] {
        for bins in [Bins::Distinct, Bins::Uniform { count: 5, range: None }] {
            for construction in [Construction::T, Construction::V] {
                let request = EccRequest { construction, superlevel, bins };
                let expected = curve(image, &request).unwrap();
                for size in [1, 2, 3, 4, 8] {
                    let mut rows = on_several(image, &request, size, 1 << 30).into_iter();
                    assert_eq!(in_memory(Ok(rows.next().unwrap())), expected, "{size} {request:?}");
                    rows.for_each(|other| assert_eq!(in_memory(Ok(other)), Vcec::default()));
                }
            }
        }
    }
}

#[test]
fn ranks_share_an_image() {
    ranks_do_not_show(&image(&[9, 6, 70], 11, |v| v as u8));
    ranks_do_not_show(&image(&[23, 66], 12, |v| v as u16));
    ranks_do_not_show(&image(&[500], 13, |v| v as f32 - 4.5));
    ranks_do_not_show(&image(&[64], 14, |v| v as i64 - 4));
    ranks_do_not_show(&image(&[1], 15, |v| v as u8));
    ranks_do_not_show(&image(&[2, 1, 3], 16, |v| v as f64));
    ranks_do_not_show(&image(&[5, 1, 1, 40], 17, |v| v as u32));
}

#[test]
fn ranks_share_rows_that_do_not_fit_into_memory() {
    let shape = Shape::new(&[100, 100, 100], Order::C).unwrap();
    let voxels = (0..1_000_000_u32).map(|k| k.wrapping_mul(2_654_435_761) >> 4).collect();
    let image = Image::new(shape, voxels).unwrap();
    let request = EccRequest::default();
    let expected = curve(&image, &request).unwrap();
    let EccError::Slabs { needed, .. } = stream(&image, &request, 0).unwrap_err() else { panic!() };
    for limit in [needed + (1 << 20), needed + (16 << 20), 1 << 30] {
        let rows = on_several(&image, &request, 3, limit).swap_remove(0);
        assert_eq!(matches!(rows, VcecRows::Disk(_)), limit < 1 << 30, "{limit}");
        assert_eq!(rows.into_vcec().unwrap(), expected);
    }
}

/// Parts of an image follow each other, begin where slabs may, and differ by one unit at most.
#[test]
fn parts_of_ranks_are_about_equal() {
    for (axes, unit) in [(&[7, 3, 5][..], 1), (&[1, 100, 3], 1), (&[1000], 64), (&[1], 64)] {
        let shape = Shape::new(axes, Order::C).unwrap();
        for size in [1, 2, 3, 8, 200] {
            let parts = on_ranks(size, |ranks| part_of(shape, ranks));
            let end = shape.extents().into_iter().find(|&extent| extent > 1).unwrap_or(1);
            assert_eq!((parts[0].start, parts[size - 1].end), (0, end));
            assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start));
            assert!(parts.iter().all(|part| part.start.is_multiple_of(unit) || part.is_empty()));
            let lengths = parts.iter().map(|part| part.len().div_ceil(unit));
            assert!(lengths.clone().max().unwrap() - lengths.min().unwrap() <= 1, "{axes:?} {size}");
        }
    }
}
