use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::*;
use crate::cubical::ecc::cpu::PartialSums;
use crate::cubical::ecc::{Vcec, curve};
use crate::cubical::{Construction, Image, Order};

/// Reads the voxels of a slice in order, then ends or fails.
fn reader<T: Copy>(
    voxels: &[T],
    end: Result<(), &'static str>,
) -> impl FnMut(&mut [T]) -> Result<usize, &'static str> {
    let mut left = voxels;
    move |out| {
        let count = out.len().min(left.len());
        out[..count].copy_from_slice(&left[..count]);
        left = &left[count..];
        if count < out.len() { end.map(|()| count) } else { Ok(count) }
    }
}

fn image<T: Voxel>(axes: &[usize], seed: u64, voxel: impl Fn(u64) -> T) -> Image<T> {
    let mut rng = Pcg64::seed_from_u64(seed);
    let shape = Shape::new(axes, Order::C).unwrap();
    let voxels = (0..shape.count()).map(|_| voxel(rng.random_range(0..9))).collect();
    Image::new(shape, voxels).unwrap()
}

const NOT_TOLD: &dyn Fn(u64) = &|_| ();

/// Tests slabs of one slice up to the whole image, with one counter.
fn any_slabs<T: Voxel>(image: &Image<T>) {
    let shape = image.shape();
    for construction in [Construction::T, Construction::V] {
        for bins in [Bins::Distinct, Bins::Uniform { count: 3, range: None }] {
            let request = EccRequest { construction, bins, superlevel: construction == Construction::V };
            let expected = curve(image, &request).unwrap();
            let mut streamer = SlabCounter::<T>::new(&request, 1 << 30).unwrap();
            let slabs = Slabs::new::<T>(shape, &Bins::Distinct, 1 << 30, Use::InOrder).unwrap();
            let range = Some(range_of(image));
            let read_at = reader_at(image.voxels());
            for own in (slabs.before..shape.extents()[slabs.axis] + slabs.before).step_by(slabs.before) {
                for buffers in [2, 3, 4] {
                    let mut slabs = Slabs { own, buffers, ..slabs.clone() };
                    let told = AtomicU64::new(0);
                    let add = |voxels| {
                        told.fetch_add(voxels, Ordering::Relaxed);
                    };
                    let read = reader(image.voxels(), Err("read on"));
                    let watch = Watch::telling(&add);
                    let job = streamer.begin::<&str>(&mut slabs, None, shape, range, &watch).unwrap();
                    in_order::add_up(&mut Job { threads: buffers, ..job }, &slabs, &mut Vec::new(), read)
                        .unwrap();
                    assert_eq!(in_memory(streamer.counter.finish()), expected, "{shape} {own} {request:?}");
                    let job = streamer.begin::<&str>(&mut slabs, None, shape, range, &watch).unwrap();
                    apart::add_up(&mut Job { threads: buffers - 1, ..job }, &slabs, &read_at).unwrap();
                    assert_eq!(
                        in_memory(streamer.counter.finish()),
                        expected,
                        "{shape} {own} {request:?}, apart"
                    );
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
        let slabs = |own: usize| {
            let slabs = Slabs::new::<T>(shape, &Bins::Distinct, 1 << 30, Use::InOrder).unwrap();
            Slabs { own: own * slabs.before, buffers: 2, ..slabs }
        };
        // Runs one pass, in order or apart, checks curve and progress, and returns the states saved at pauses.
        let pass = |is_apart: bool, since: Option<&PartialCurve>, own: usize, pauses: bool| {
            let (told, kept) = (AtomicU64::new(0), RefCell::new(Vec::new()));
            let advance = |voxels| {
                told.fetch_add(voxels, Ordering::Relaxed);
            };
            let keep = |partial: Option<PartialCurve>| kept.borrow_mut().extend(partial);
            let watch = Watch { advance: &advance, pauses: &|| pauses, keep: &keep };
            let (read_at, mut read) = (reader_at(image.voxels()), reader(image.voxels(), Err("read on")));
            let mut streamer = SlabCounter::<T>::new(&request, 1 << 30).unwrap();
            let mut slabs = slabs(own);
            let mut job = streamer.begin::<&str>(&mut slabs, since, shape, range, &watch).unwrap();
            job.threads = 2;
            let mut collar = Vec::new();
            if !is_apart && slabs.count() > 0 {
                in_order::skip(&mut job, &slabs, &mut read).unwrap();
            }
            job.run(&mut slabs, |job, slabs| {
                if is_apart {
                    return apart::add_up(job, slabs, &read_at);
                }
                in_order::add_up(job, slabs, &mut collar, &mut read)
            })
            .unwrap();
            assert_eq!(in_memory(streamer.counter.finish()), expected, "{shape} {is_apart} {since:?}");
            assert_eq!(told.into_inner(), shape.count() as u64, "{shape} {is_apart} {since:?}");
            kept.into_inner()
        };
        for is_apart in [false, true] {
            let kept = pass(is_apart, None, 1, true);
            // Threads that work apart may have begun all slabs before the first pause.
            assert!(is_apart || kept.len() == slabs(1).count(), "{shape} {}", kept.len());
            for partial in &kept {
                for own in [1, 2, 5] {
                    pass(false, Some(partial), own, false);
                    pass(true, Some(partial), own, own == 2);
                }
            }
        }
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
        let mut streamer = SlabCounter::<u8>::new(&EccRequest::default(), 1 << 30).unwrap();
        let read = reader(image.voxels(), Err("read on"));
        let since = PartialCurve { slices, sums };
        streamer.curve_since(Some(&since), image.shape(), None, read, &watch).map(drop)
    };
    let keys = |keys: &[u64]| PartialSums::Keys { keys: keys.to_vec(), sums: vec![1; keys.len()] };
    assert!(since(9, keys(&[0, 255])).is_ok());
    for (slices, sums) in [
        (10, keys(&[0])),
        (9, keys(&[0, 256])),
        (9, keys(&[3, 3])),
        (9, PartialSums::Keys { keys: vec![1], sums: vec![] }),
        (9, PartialSums::Bins(vec![1])),
    ] {
        let told = format!("{slices} {sums:?}");
        assert!(matches!(since(slices, sums), Err(SlabError::Since(_))), "{told}");
    }
}

/// Reads the voxels of a slice at any place.
fn reader_at<T: Copy + Sync>(voxels: &[T]) -> impl Fn(usize, &mut [T]) -> Result<(), &'static str> + Sync {
    |first, out| {
        out.copy_from_slice(&voxels[first..first + out.len()]);
        Ok(())
    }
}

fn range_of<T: Voxel>(image: &Image<T>) -> (Value, Value) {
    let mut streamer = SlabCounter::<T>::new(&EccRequest::default(), 1 << 30).unwrap();
    streamer.range(image.shape(), reader(image.voxels(), Err("read on")), NOT_TOLD).unwrap()
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
    let SlabError::Slabs { needed, .. } = stream(&image, &request, 1 << 20).unwrap_err() else { panic!() };
    for limit in [needed, needed + 100_000, needed + 1_000_000, 1 << 30] {
        assert_eq!(stream(&image, &request, limit).unwrap(), expected);
    }
    assert!(matches!(stream(&image, &request, needed - 1), Err(SlabError::Slabs { .. })));
    let apart = |limit| {
        let mut streamer = SlabCounter::new(&request, limit)?;
        let rows = streamer.curve_anywhere(image.shape(), None, &reader_at(image.voxels()), NOT_TOLD)?;
        Ok::<_, SlabError<&str>>(in_memory::<std::io::Error>(Ok(rows)))
    };
    let SlabError::Slabs { needed, .. } = apart(1 << 20).unwrap_err() else { panic!() };
    for limit in [needed, needed + 100_000, needed + 1_000_000, 1 << 30] {
        assert_eq!(apart(limit).unwrap(), expected);
    }
    assert!(matches!(apart(needed - 1), Err(SlabError::Slabs { .. })));
}

#[test]
fn of_several_faults_of_reading_the_first_counts() {
    let shape = Shape::new(&[400, 100, 100], Order::C).unwrap();
    let mut streamer = SlabCounter::<u8>::new(&EccRequest::default(), 1 << 30).unwrap();
    for broken in [0, 1, 1_000_000, 3_999_999] {
        let read = |first: usize, out: &mut [u8]| {
            out.fill(3);
            let end = first + out.len();
            // The slab with the first broken voxel is the last to be reported.
            if (first..end).contains(&broken) {
                thread::sleep(Duration::from_millis(5));
            }
            if end > broken { Err(first.max(broken)) } else { Ok(()) }
        };
        let slabs = streamer.slabs::<usize>(shape, Use::Apart(4)).unwrap();
        let mut slabs = Slabs { own: 30, ..slabs };
        let watch = Watch::telling(NOT_TOLD);
        let mut job = streamer.begin::<usize>(&mut slabs, None, shape, None, &watch).unwrap();
        let found = apart::add_up(&mut job, &slabs, &read);
        assert!(matches!(found, Err(SlabError::Read(place)) if place == broken), "{found:?}");
    }
    let found = streamer.curve_anywhere::<&str>(shape, None, &reader_at(&vec![3; 4_000_000]), NOT_TOLD);
    assert_eq!(in_memory(found), Vcec::new(vec![3.0], vec![1]));
}

fn stream<T: Voxel>(
    image: &Image<T>,
    request: &EccRequest,
    limit: usize,
) -> Result<Vcec, SlabError<&'static str>> {
    let mut streamer = SlabCounter::<T>::new(request, limit)?;
    let rows = streamer.curve(image.shape(), None, reader(image.voxels(), Ok(())), NOT_TOLD)?;
    Ok(in_memory::<std::io::Error>(Ok(rows)))
}

/// A curve that must be in memory.
fn in_memory<E: std::fmt::Debug>(rows: Result<VcecRows, E>) -> Vcec {
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
        let SlabError::Slabs { needed, .. } = stream(&image, &request, 0).unwrap_err() else { panic!() };
        for more in [0, 1 << 20] {
            let mut streamer = SlabCounter::new(&request, needed + more).unwrap();
            let rows = streamer.curve(shape, None, reader(image.voxels(), Ok(())), NOT_TOLD).unwrap();
            assert!(matches!(rows, VcecRows::Disk(_)) && rows.count() == expected.changes.len() as u64);
            let read = rows.iter().unwrap().collect::<std::io::Result<Vec<_>>>().unwrap();
            assert!(read.into_iter().eq(expected.rows()));
            assert!(rows.into_vcec().unwrap() == expected);
            let mut streamer = SlabCounter::new(&request, needed + (8 << 20) + more).unwrap();
            let rows = streamer.curve_anywhere(shape, None, &reader_at(image.voxels()), NOT_TOLD).unwrap();
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
    let SlabError::Slabs { needed, .. } = stream(&image, &request, 0).unwrap_err() else { panic!() };
    let streamer = |more| {
        let streamer = SlabCounter::<u32>::new(&request, needed + more).unwrap();
        streamer.spilling_to("no such directory".into())
    };
    let in_order = streamer(0).curve(shape, None, reader(image.voxels(), Ok(())), NOT_TOLD);
    let apart = streamer(8 << 20).curve_anywhere::<&str>(shape, None, &reader_at(image.voxels()), NOT_TOLD);
    for found in [in_order, apart] {
        let error = found.unwrap_err().to_string();
        assert!(error.starts_with("no such directory: cannot keep rows that "), "{error}");
    }
}

#[test]
fn bins_take_memory_of_their_own() {
    let shape = Shape::new(&[100, 100, 100], Order::C).unwrap();
    let image = Image::new(shape, (0..1_000_000).map(|k| k as f32).collect()).unwrap();
    let request = EccRequest::default();
    let SlabError::Slabs { needed, .. } = stream(&image, &request, 0).unwrap_err() else { panic!() };
    let bins = Bins::Uniform { count: 10, range: Some((0.0.into(), 1e6.into())) };
    let binned = EccRequest { bins, ..request };
    assert_eq!(stream(&image, &binned, needed).unwrap(), curve(&image, &binned).unwrap());
    // 2^40 bins exceed the memory limit.
    let bins = Bins::Uniform { count: 1 << 40, range: Some((0.0.into(), 1e6.into())) };
    let error = Slabs::new::<f32>(shape, &bins, 1 << 30, Use::InOrder).unwrap_err();
    assert!(error > 1 << 40);
}

#[test]
fn an_end_that_comes_early_is_an_error_and_no_curve() {
    let image = image(&[40, 20, 64], 8, |v| v as u8);
    let (shape, voxels) = (image.shape(), image.voxels());
    let mut streamer = SlabCounter::<u8>::new(&EccRequest::default(), 1 << 30).unwrap();
    for own in [1, 7, 40] {
        let slabs = streamer.slabs::<&str>(shape, Use::InOrder).unwrap();
        let mut slabs = Slabs { own, buffers: 2, ..slabs };
        let watch = Watch::telling(NOT_TOLD);
        for found in [0, 1, 1279, 1280, 1281, 30_000, 51_199] {
            let mut job = streamer.begin::<&str>(&mut slabs, None, shape, None, &watch).unwrap();
            let short = in_order::add_up(&mut job, &slabs, &mut Vec::new(), reader(&voxels[..found], Ok(())));
            let at = found;
            assert!(
                matches!(short, Err(SlabError::Short { expected: 51_200, found }) if found == at),
                "{found}"
            );
            let mut job = streamer.begin::<&str>(&mut slabs, None, shape, None, &watch).unwrap();
            let broken =
                in_order::add_up(&mut job, &slabs, &mut Vec::new(), reader(&voxels[..found], Err("broken")));
            assert!(matches!(broken, Err(SlabError::Read("broken"))), "{found}");
        }
    }
    // The same counter works again after the error.
    let found = in_memory(streamer.curve(shape, None, reader(voxels, Ok(())), NOT_TOLD));
    assert_eq!(found, curve(&image, &EccRequest::default()).unwrap());
}

#[test]
fn wide_voxels_need_their_range_first() {
    let image = image(&[5, 5], 9, |v| v as f32);
    let request = EccRequest { bins: Bins::Uniform { count: 4, range: None }, ..EccRequest::default() };
    assert!(SlabCounter::<f32>::needs_range(&request) && !SlabCounter::<u16>::needs_range(&request));
    let error = stream(&image, &request, 1 << 30).unwrap_err();
    assert!(matches!(error, SlabError::Range("f32")), "{error}");
    let mut streamer = SlabCounter::<f32>::new(&request, 1 << 30).unwrap();
    let range = range_of(&image);
    let found = streamer.curve(image.shape(), Some(range), reader(image.voxels(), Ok(())), NOT_TOLD);
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
    let image = image::<u8>(&[70, 90, 80], 5, |x| x as u8);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).stack_size(1 << 20).build().unwrap();
    pool.install(|| {
        let mut streamer = SlabCounter::<u8>::new(&EccRequest::default(), 1 << 30).unwrap();
        let in_order = streamer.curve(image.shape(), None, reader(image.voxels(), Err("read on")), NOT_TOLD);
        let read_at = reader_at(image.voxels());
        let anywhere = streamer.curve_anywhere(image.shape(), None, &read_at, NOT_TOLD);
        for found in [in_order, anywhere] {
            let Err(SlabError::Threads(_)) = &found else { panic!("{found:?}") };
            let said = found.unwrap_err().to_string();
            assert!(said.starts_with("cannot start a thread that adds up voxels: "), "{said}");
        }
    });
}
