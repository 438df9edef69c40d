//! Estimated run time of a curve, on the CPU and on the GPU.
//!
//! The rates were measured on noise, which takes longer than smooth images where it matters, on a machine with an H200
//! and 16 cores (Intel Xeon, AVX-512). One thread there counted u8 1024³ in 2.4 s and 1,024 bins of f32 2²⁸ in 1.8 s,
//! from file to curve. The rates of 16 bits and of sorted rows are from one core of an AMD EPYC (Zen 5; `apart` of
//! `RAYON_NUM_THREADS=1 cargo bench --bench ecc`, which counts u8 four times as fast). The rates of the GPU are from
//! `cargo bench --bench ecc_gpu`: streams from the page cache, and the distinct rows of f32 256³ noise, with kernels
//! loaded and memory locked. The read rate of one thread was derived from runs with 1 and 16 threads.

use super::bins::Bins;
use super::request::EccRequest;
use crate::backend::Estimate;
use crate::cubical::shape::Shape;
use crate::cubical::voxel::VoxelType;

/// Voxels per second counted by a core: for 8 and 16 bits, wider in bins, and wider with sorted rows.
const CPU_RATES: [f64; 4] = [0.45e9, 0.4e9, 0.15e9, 0.02e9];
/// Voxels per second of over 16 bits that all threads put in bins (`benches/PAPERS.md`: f32 noise on 16 threads).
const BINNED_RATE: f64 = 1e9;
/// Bytes per second that a thread reads from the page cache for a device, and that all threads together transfer.
const READ_RATE: f64 = 5e9;
const TRANSFER_RATE: f64 = 48e9;
/// Voxels per second whose rows a device sorts, including the transfer of the rows back.
const SORT_RATE: f64 = 0.041e9;
/// Fixed cost in seconds: loading kernels and locking memory.
const DEVICE_FIXED: f64 = 0.015;

/// Estimates the run time for an image of this shape and type of voxels.
///
/// For few keys or bins the device's own time is ignored: it counts ten times as fast as voxels arrive.
pub(crate) fn estimate(shape: Shape, voxels: VoxelType, request: &EccRequest) -> Estimate {
    let count = shape.count() as f64;
    let is_sorted = voxels.bits() > 16 && request.bins == Bins::Distinct;
    let kind = match voxels.bits() {
        _ if is_sorted => 3,
        8 => 0,
        16 => 1,
        _ => 2,
    };
    let threads = rayon::current_num_threads() as f64;
    let rate = CPU_RATES[kind] * threads;
    let rate = if kind == 2 { rate.min(BINNED_RATE) } else { rate };
    let transfer = (READ_RATE * threads).min(TRANSFER_RATE);
    let sorting = if is_sorted { count / SORT_RATE } else { 0.0 };
    Estimate {
        work: format!("{} {} voxels to count", shape.count(), voxels),
        cpu: count / rate,
        device: count * voxels.bytes() as f64 / transfer + sorting + DEVICE_FIXED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::OPENING;
    use crate::cubical::Order;

    #[test]
    fn a_device_pays_where_there_is_much_to_count() {
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let on = |threads, axes: &[usize], bins| {
            let request = EccRequest { bins, ..EccRequest::default() };
            pool(threads).install(|| estimate(Shape::new(axes, Order::C).unwrap(), VoxelType::F32, &request))
        };
        let of = |axes: &[usize], bins| on(1, axes, bins);
        let bins = Bins::Uniform { count: 100, range: None };
        let small = of(&[64, 64, 64], bins);
        assert!(small.cpu < small.device, "{small:?}");
        assert_eq!(small.work, "262144 f32 voxels to count");
        let large = of(&[1024, 1024, 1024], bins);
        assert!(large.device + OPENING < large.cpu, "{large:?}");
        // Sixteen threads take 1.2 s, a GPU half a second including opening; on an eighth the CPU is faster.
        let [many, fewer] = [1024, 512].map(|planes| on(16, &[planes, planes, planes], bins));
        assert!(many.device + OPENING < many.cpu && fewer.cpu < fewer.device + OPENING, "{many:?} {fewer:?}");
        let sorted = of(&[1024, 1024, 1024], Bins::Distinct);
        assert!(sorted.cpu > large.cpu && sorted.device > large.device && sorted.device < sorted.cpu);
    }
}
