//! The paper's frame rates: volumes of 512³ at 30 Hz, and 7680 × 4320 pixels at 120 Hz.

use std::time::Instant;

use lacuna::cubical::ecc::cuda::Prepared;
use lacuna::cubical::ecc::{EccRequest, Voxels, curve, reader_of};
use lacuna::cubical::{Image, Order, Shape, Voxel};
use zerocopy::IntoBytes as _;

use super::inputs::{self, NOISE};
use super::{Bench, InputRows, verify};
use crate::Failure;
use crate::rows::{Row, Table, Unit};

pub const TITLE: &str = "Claims. Frames a second";

const NOTES: &[&str] = &[
    "The paper names the rates that its kernel's GVox/s suffice for. Ours are sustained: frame after frame for half a second or more, each from image to curve on the host.",
    "*from memory*: each frame lies in ordinary memory of the host, from which threads copy it to page-locked memory, and the bus to the device. *on the device*: each frame lies there.",
    "Frames are noise; f32 in 1,024 bins, u8 with a row a level.",
];

/// Minimum number of seconds during which frames are counted.
const SECONDS: f64 = 0.5;

pub fn table(bench: &Bench<'_>) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    for (name, axes, rate) in [("512³", &[512; 3][..], 30.0), ("7680×4320", &[4320, 7680], 120.0)] {
        let axes = bench.scaled(axes);
        let shape = Shape::new(&axes, Order::C)?;
        let floats = inputs::noise_of(shape.count());
        let bytes = floats.iter().map(|voxel| (voxel * 256.0) as u8).collect();
        rows.extend(frames(
            bench,
            &format!("{name} u8"),
            &Image::new(shape, bytes)?,
            &EccRequest::default(),
            rate,
        )?);
        rows.extend(frames(
            bench,
            &format!("{name} f32"),
            &Image::new(shape, floats)?,
            &NOISE.request(),
            rate,
        )?);
    }
    Ok(super::table(NOTES, rows))
}

fn frames<T: Voxel>(
    bench: &Bench<'_>,
    input: &str,
    image: &Image<T>,
    request: &EccRequest,
    rate: f64,
) -> Result<Vec<Row>, Failure> {
    let prepared = bench.gpu.as_ref().map(|gpu| Prepared::new(gpu, T::TYPE)).transpose()?;
    let expected = verify::verified(image, request, prepared.as_ref())?;
    let verified = format!("{}; every timed curve", verify::words(bench.gpu.is_some()));
    let mut rows = InputRows { input, verified, rows: Vec::new() };
    let is_right = |found| verify::same("a frame", &expected, &found);
    let seconds = if bench.small { 0.01 } else { SECONDS };
    if let Some(prepared) = &prepared {
        let read = reader_of(|first: usize, room: &mut [T]| {
            room.copy_from_slice(&image.voxels()[first..first + room.len()]);
            Ok(())
        });
        let found = sustained(seconds, || {
            is_right(prepared.stream(image.shape(), request, Voxels::anywhere(&read), &|_| ())?)
        })?;
        let bytes = size_of_val(image.voxels()) as f64 * found / 1e9;
        let remark = format!("{bytes:.1} GB/s come to the device: the bus and the copies limit it");
        rows.add("from memory", Unit::Hertz, (Some(rate), found), "cuda", &remark);
        let voxels = prepared.gpu().upload(image.voxels().as_bytes())?;
        let found = sustained(seconds, || is_right(prepared.curve(&voxels, image.shape(), request)?))?;
        rows.add("on the device", Unit::Hertz, (Some(rate), found), "cuda", "");
    }
    let found = sustained(seconds, || is_right(curve(image, request)?))?;
    rows.add("from memory", Unit::Hertz, (Some(rate), found), "cpu", &format!("{} threads", bench.threads));
    Ok(rows.rows)
}

/// The number of times per second that `once` runs, measured for at least `seconds` seconds after a first run.
fn sustained(seconds: f64, mut once: impl FnMut() -> Result<(), Failure>) -> Result<f64, Failure> {
    once()?;
    let (start, mut count) = (Instant::now(), 0);
    while start.elapsed().as_secs_f64() < seconds {
        once()?;
        count += 1;
    }
    Ok(f64::from(count) / start.elapsed().as_secs_f64())
}
