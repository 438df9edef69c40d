//! The two images of Table 1 that exceed the memory: noise that is generated while it is counted.

use std::cell::Cell;
use std::time::Instant;

use lacuna::cubical::ecc::cuda::Prepared;
use lacuna::cubical::ecc::slabs::{SlabCounter, Watch};
use lacuna::cubical::ecc::{Vcec, Voxels, curve, reader_of};
use lacuna::cubical::{Image, Order, Shape, VoxelType};
use rayon::prelude::*;

use super::inputs::{self, NOISE};
use super::{Bench, InputRows, table1, verify};
use crate::Failure;
use crate::rows::{Row, Unit};

/// Name and side; the paper's seconds: CPU overall, GPU overall, GPU disk, overhead, kernel; its GVox/s.
const CASES: [(&str, usize, [f64; 6]); 2] = [
    ("noise 4096³", 4096, [37.72 * 60.0, 9.10 * 60.0, 9.08 * 60.0, 0.67, 0.20 * 60.0, 5.62]),
    ("noise 2048³", 2048, [4.86 * 60.0, 0.71 * 60.0, 0.71 * 60.0, 0.41, 0.03 * 60.0, 5.61]),
];
/// Number of voxels of the planes whose kernel time is measured.
const PART: usize = 1 << 30;
/// Side of the box whose stream is compared with the processor's curve.
const PREFIX: usize = 512;
/// Memory limit of the processor's counter in bytes.
const MEMORY: usize = 4 << 30;

pub fn rows(bench: &Bench<'_>) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for (name, side, paper) in CASES {
        let side = if bench.small { side / 32 } else { side };
        let mut found = InputRows {
            input: name,
            verified: format!(
                "processor, on the first voxels as a box of {}³; the whole: expectation of noise, sum 1, number of voxels",
                if bench.small { PREFIX / 16 } else { PREFIX }
            ),
            rows: Vec::new(),
        };
        if bench.gpu.is_some() {
            on_device(bench, side, paper, &mut found)?;
        }
        // The larger image would take the processor half a minute on sixteen cores.
        if name == CASES[1].0 {
            on_processor(bench, side, paper[0], &mut found)?;
        }
        rows.extend(found.rows);
    }
    Ok(rows)
}

fn on_device(
    bench: &Bench<'_>,
    side: usize,
    paper: [f64; 6],
    rows: &mut InputRows<'_>,
) -> Result<(), Failure> {
    let Some(gpu) = &bench.gpu else { return Ok(()) };
    let request = NOISE.request();
    let prefix = if bench.small { PREFIX / 16 } else { PREFIX };
    verify::streamed(&Prepared::new(gpu, VoxelType::F32)?, &[prefix; 3], &request)?;
    let (shape, count) = (Shape::new(&[side; 3], Order::C)?, Cell::new(0));
    let start = Instant::now();
    let prepared = Prepared::new(gpu, VoxelType::F32)?;
    let read = reader_of(|first: usize, room: &mut [f32]| {
        inputs::noise(first, room);
        Ok(())
    });
    let found =
        prepared.stream(shape, &request, Voxels::anywhere(&read), &|more| count.set(count.get() + more))?;
    let seconds = start.elapsed().as_secs_f64();
    is_right(&found, side, count.get())?;
    let [_, overall, disk, _, kernel, rate] = paper;
    let (voxels, made) = (shape.count() as f64, generator(bench, shape.count()));
    let remark = format!(
        "{:.1} GB/s to the device, which the bus limits; the generator alone makes {made:.0} GB/s. The opened device is not in it: add the GPU overhead of noise 1024³",
        4.0 * voxels / seconds / 1e9
    );
    rows.add("overall", Unit::Seconds, (Some(overall), seconds), "cuda", &remark);
    let generated = "a generator on all threads, not a disk";
    rows.add("disk read", Unit::Seconds, (Some(disk), 4.0 * voxels / 1e9 / made), "cpu", generated);
    // The measured part consists of whole planes.
    let planes = (PART / (side * side)).clamp(2, side);
    let part = Shape::new(&[planes, side, side], Order::C)?;
    let image = Image::new(part, inputs::noise_of(part.count()))?;
    let expected = curve(&image, &request)?;
    let counted = table1::kernel_time(bench, &prepared, &image, &request, &expected)?;
    let whole = counted * side as f64 / planes as f64;
    let by = "cuda, kernel alone";
    rows.add(
        "kernel",
        Unit::Seconds,
        (Some(kernel), whole),
        by,
        &format!("{planes} of {side} planes, scaled"),
    );
    rows.add("kernel", Unit::VoxelsPerSecond, (Some(1e9 * rate), voxels / whole), by, "");
    Ok(())
}

fn on_processor(bench: &Bench<'_>, side: usize, paper: f64, rows: &mut InputRows<'_>) -> Result<(), Failure> {
    let (shape, count) = (Shape::new(&[side; 3], Order::C)?, Cell::new(0));
    let read = reader_of(|first: usize, room: &mut [f32]| {
        inputs::noise(first, room);
        Ok(())
    });
    let start = Instant::now();
    let mut counter = SlabCounter::new(&NOISE.request(), VoxelType::F32, MEMORY)?;
    let advance = |more| count.set(count.get() + more);
    let found = counter.curve(shape, None, Voxels::anywhere(&read), None, &Watch::telling(&advance))?;
    let found = found.into_vcec()?;
    let seconds = start.elapsed().as_secs_f64();
    is_right(&found, side, count.get())?;
    let remark = format!("{} threads count and generate", bench.threads);
    rows.add("CPU overall", Unit::Seconds, (Some(paper), seconds), "cpu", &remark);
    Ok(())
}

/// Checks properties of the curve that need no second way of counting.
fn is_right(found: &Vcec, side: usize, voxels: u64) -> Result<(), Failure> {
    verify::is_whole(found)?;
    verify::is_as_expected(found, &[side; 3])?;
    let expected = (side as u64).pow(3);
    if voxels != expected {
        return Err(format!("expected {expected} voxels, {voxels} were read").into());
    }
    Ok(())
}

/// The rate in GB/s at which all threads generate noise, each into its own memory.
fn generator(bench: &Bench<'_>, count: usize) -> f64 {
    const PIECE: usize = 1 << 19;
    let pieces = count.min(bench.threads << 28).div_ceil(PIECE);
    let start = Instant::now();
    (0..pieces).into_par_iter().for_each_init(
        || vec![0.0; PIECE],
        |room, piece| {
            inputs::noise(piece * PIECE, room);
            std::hint::black_box(&room);
        },
    );
    (4 * pieces * PIECE) as f64 / start.elapsed().as_secs_f64() / 1e9
}
