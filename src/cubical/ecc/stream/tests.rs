use std::sync::atomic::{AtomicU64, Ordering};

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::*;
use crate::cubical::ecc::curve;
use crate::cubical::{Construction, Image, Order};

/// Gives the voxels of a slice, then an error or nothing.
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

/// With slabs of one slice up to all, in the same streamer.
fn any_slabs<T: Voxel>(image: &Image<T>) {
    let shape = image.shape();
    for construction in [Construction::T, Construction::V] {
        for bins in [Bins::Distinct, Bins::Uniform { count: 3, range: None }] {
            let request = Request { construction, bins, superlevel: construction == Construction::V };
            let expected = curve(image, &request).unwrap();
            let mut streamer = Streamer::<T>::new(&request, 1 << 30).unwrap();
            let slabs = Slabs::new::<T>(shape, &Bins::Distinct, 1 << 30).unwrap();
            for own in (slabs.before..shape.extents()[slabs.axis] + slabs.before).step_by(slabs.before) {
                let told = AtomicU64::new(0);
                let add = |voxels| {
                    told.fetch_add(voxels, Ordering::Relaxed);
                };
                streamer.counter.begin(Some(range_of(image)));
                let read = reader(image.voxels(), Err("read on"));
                streamer.add_up(&Slabs { own, ..slabs.clone() }, shape.count(), read, &add).unwrap();
                assert_eq!(streamer.counter.finish(), expected, "{shape} {own} {request:?}");
                assert_eq!(told.into_inner(), shape.count() as u64);
            }
        }
    }
}

fn range_of<T: Voxel>(image: &Image<T>) -> (f64, f64) {
    let mut streamer = Streamer::<T>::new(&Request::default(), 1 << 30).unwrap();
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
    let request = Request::default();
    let expected = curve(&image, &request).unwrap();
    // All of the image takes 7.8 MB.
    let StreamError::Slabs { needed, .. } = stream(&image, &request, 1 << 20).unwrap_err() else { panic!() };
    for limit in [needed, needed + 100_000, needed + 1_000_000, 1 << 30] {
        assert_eq!(stream(&image, &request, limit).unwrap(), expected);
    }
    assert!(matches!(stream(&image, &request, needed - 1), Err(StreamError::Slabs { .. })));
}

fn stream<T: Voxel>(
    image: &Image<T>,
    request: &Request,
    limit: usize,
) -> Result<Curve, StreamError<&'static str>> {
    let mut streamer = Streamer::<T>::new(request, limit)?;
    streamer.curve(image.shape(), None, reader(image.voxels(), Ok(())), NOT_TOLD)
}

#[test]
fn rows_that_do_not_fit_are_an_error() {
    let shape = Shape::new(&[100, 100, 100], Order::C).unwrap();
    let image = Image::new(shape, (0..1_000_000).map(|k| k as f32).collect()).unwrap();
    let request = Request::default();
    let StreamError::Slabs { needed, .. } = stream(&image, &request, 0).unwrap_err() else { panic!() };
    let error = stream(&image, &request, needed + (1 << 20)).unwrap_err();
    assert!(matches!(error, StreamError::Rows { voxels, .. } if voxels < 1_000_000), "{error}");
    assert_eq!(stream(&image, &request, 1 << 30).unwrap(), curve(&image, &request).unwrap());
    let bins = Bins::Uniform { count: 10, range: Some((0.0, 1e6)) };
    let binned = Request { bins, ..request };
    assert_eq!(stream(&image, &binned, needed).unwrap(), curve(&image, &binned).unwrap());
    // So many bins take more than there is.
    let bins = Bins::Uniform { count: 1 << 40, range: Some((0.0, 1e6)) };
    let error = Slabs::new::<f32>(shape, &bins, 1 << 30).unwrap_err();
    assert!(error > 1 << 40);
}

#[test]
fn an_end_that_comes_early_is_an_error_and_no_curve() {
    let image = image(&[40, 20, 64], 8, |v| v as u8);
    let (shape, voxels) = (image.shape(), image.voxels());
    let mut streamer = Streamer::<u8>::new(&Request::default(), 1 << 30).unwrap();
    for own in [1, 7, 40] {
        let slabs = Slabs { own, ..Slabs::new::<u8>(shape, &Bins::Distinct, 1 << 30).unwrap() };
        for found in [0, 1, 1279, 1280, 1281, 30_000, 51_199] {
            let short = streamer.add_up(&slabs, shape.count(), reader(&voxels[..found], Ok(())), NOT_TOLD);
            let at = found;
            assert!(
                matches!(short, Err(StreamError::Short { expected: 51_200, found }) if found == at),
                "{found}"
            );
            let broken =
                streamer.add_up(&slabs, shape.count(), reader(&voxels[..found], Err("broken")), NOT_TOLD);
            assert!(matches!(broken, Err(StreamError::Read("broken"))), "{found}");
        }
    }
    // Afterwards the same streamer is as good as new.
    let found = streamer.curve(shape, None, reader(voxels, Ok(())), NOT_TOLD).unwrap();
    assert_eq!(found, curve(&image, &Request::default()).unwrap());
}

#[test]
fn wide_voxels_need_their_range_first() {
    let image = image(&[5, 5], 9, |v| v as f32);
    let request = Request { bins: Bins::Uniform { count: 4, range: None }, ..Request::default() };
    assert!(Streamer::<f32>::needs_range(&request) && !Streamer::<u16>::needs_range(&request));
    let error = stream(&image, &request, 1 << 30).unwrap_err();
    assert!(matches!(error, StreamError::Range("f32")), "{error}");
    let mut streamer = Streamer::<f32>::new(&request, 1 << 30).unwrap();
    let range = range_of(&image);
    let found = streamer.curve(image.shape(), Some(range), reader(image.voxels(), Ok(())), NOT_TOLD).unwrap();
    assert_eq!((range, found), ((0.0, 8.0), curve(&image, &request).unwrap()));
}
