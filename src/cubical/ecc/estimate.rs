//! How long a curve should take, on the processor and on a GPU.

use super::{Bins, Request};
use crate::backend::Estimate;
use crate::cubical::{Key, Shape, Voxel};

/// Voxels that a core counts a second (AMD EPYC, in round numbers): of 8 and 16 bits, of more in bins, and where rows are sorted.
const CPU_RATES: [f64; 3] = [1e9, 0.3e9, 0.02e9];
/// Bytes a second to a device, from memory that has to be read first.
const TRANSFER_RATE: f64 = 10e9;
/// Voxels a second that a device sorts the rows of, with the way of the rows back.
const SORT_RATE: f64 = 0.06e9;
/// Seconds that it takes whatever there is to count: loading kernels, locking memory.
const DEVICE_FIXED: f64 = 0.03;

/// The estimate for an image of this shape whose voxels are of type `T`.
///
/// Where voxels have few keys or bins, the device's own time does not matter: it counts ten times as fast as they come.
pub fn estimate<T: Voxel>(shape: Shape, request: &Request) -> Estimate {
    let count = shape.count() as f64;
    let is_sorted = T::Key::BITS > 16 && request.bins == Bins::Distinct;
    let kind = if is_sorted { 2 } else { usize::from(T::Key::BITS > 16) };
    let sorting = if is_sorted { count / SORT_RATE } else { 0.0 };
    Estimate {
        work: format!("{} {} voxels to count", shape.count(), T::NAME),
        cpu: count / (CPU_RATES[kind] * rayon::current_num_threads() as f64),
        device: count * size_of::<T>() as f64 / TRANSFER_RATE + sorting + DEVICE_FIXED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::OPENING;
    use crate::cubical::Order;

    #[test]
    fn a_device_pays_where_there_is_much_to_count() {
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let of = |axes: &[usize], bins| {
            let request = Request { bins, ..Request::default() };
            one.install(|| estimate::<f32>(Shape::new(axes, Order::C).unwrap(), &request))
        };
        let bins = Bins::Uniform { count: 100, range: None };
        let small = of(&[64, 64, 64], bins);
        assert!(small.cpu < small.device, "{small:?}");
        assert_eq!(small.work, "262144 f32 voxels to count");
        let large = of(&[1024, 1024, 1024], bins);
        assert!(large.device + OPENING < large.cpu, "{large:?}");
        let sorted = of(&[1024, 1024, 1024], Bins::Distinct);
        assert!(sorted.cpu > large.cpu && sorted.device > large.device && sorted.device < sorted.cpu);
    }
}
