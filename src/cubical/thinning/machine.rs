//! Thinning by the machine that a backend decides for.

use super::bits::BitImage;
use super::cpu::thin;
use super::cuda::{DeviceError, thin_device};
use super::figures::{Pass, ThinningFigures as Figures};
use super::request::{ThinError, ThinningRequest as Request};
use super::rule::Rule;
use crate::backend::{Backend, BackendError, Decision, Estimate};
use crate::cubical::shape::Shape;

/// Voxels that a core thins a second: in the plane, and by subfields. How deep they lie makes less of a difference than how many there are.
const CPU_RATES: [f64; 2] = [0.15e9, 0.1e9];
/// Voxels that a device thins a second, with the way there and back, an eighth of a byte each.
const DEVICE_RATE: f64 = 5e9;
/// Seconds that it takes on a device, however few voxels there are: loading kernels, and a few hundred launches.
const DEVICE_FIXED: f64 = 0.02;

/// Why there is no skeleton.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MachineError {
    /// The rule does not suit the image.
    #[error(transparent)]
    Thin(#[from] ThinError),
    /// A GPU was asked for, and there is none.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The device fails.
    #[error("backend cuda")]
    Device(#[source] DeviceError),
    /// The device finds something else than the processor.
    #[error("self-check: {0}")]
    Check(#[from] Difference),
}

/// What a device found otherwise than the processor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Difference {
    /// The first voxel that only one left.
    #[error("voxel {coordinates:?}: {} on the device, {} on the processor", state(*.on_device), state(!.on_device))]
    Voxel {
        /// Where, along the user's axes.
        coordinates: Vec<usize>,
        /// Whether the device left it.
        on_device: bool,
    },
    /// Iterations that deleted something.
    #[error("{device} iterations on the device, {processor} on the processor")]
    Iterations {
        /// On the device.
        device: usize,
        /// On the processor.
        processor: usize,
    },
}

fn state(is_left: bool) -> &'static str {
    if is_left { "left" } else { "deleted" }
}

/// How long thinning should take.
pub fn estimate(shape: Shape, rule: Rule) -> Estimate {
    let count = shape.count() as f64;
    let rate = CPU_RATES[usize::from(!rule.is_planar())];
    Estimate {
        work: format!("{} voxels to thin", shape.count()),
        cpu: count / (rate * rayon::current_num_threads() as f64),
        device: count / DEVICE_RATE + DEVICE_FIXED,
    }
}

/// The skeleton of an image, what was counted, and what found it. A device that fails is replaced by the processor unless it was asked for;
/// then `watch` is told of the iterations again, from the first.
///
/// # Errors
/// [`MachineError`]: the rule does not suit the image; a GPU was asked for and cannot be used, fails, or differs from the processor.
pub fn thin_by(
    image: &BitImage,
    request: &Request,
    backend: &Backend,
    watch: &mut dyn FnMut(Pass),
) -> Result<(BitImage, Figures, Decision), MachineError> {
    let rule = request.suiting(image.shape())?;
    let mut decision = backend.decide(&estimate(image.shape(), rule))?;
    let on_device = decision.on_device(|gpu| thin_device(gpu, image, request, watch));
    if let Some((skeleton, figures)) = on_device.map_err(MachineError::Device)? {
        if decision.self_check {
            let (expected, of_processor) = thin(image, request, &mut |_| ())?;
            compare((&skeleton, &figures), (&expected, &of_processor))?;
        }
        return Ok((skeleton, figures, decision));
    }
    let (skeleton, figures) = thin(image, request, watch)?;
    Ok((skeleton, figures, decision))
}

/// Compares what a device found with what the processor did.
///
/// # Errors
/// The first difference.
pub fn compare(
    (device, of_device): (&BitImage, &Figures),
    (processor, of_processor): (&BitImage, &Figures),
) -> Result<(), Difference> {
    let shape = processor.shape();
    if let Some(place) = (0..shape.count()).find(|&place| device.get(place) != processor.get(place)) {
        let coordinates = shape.coordinates(place);
        return Err(Difference::Voxel { coordinates, on_device: device.get(place) });
    }
    let [device, processor] = [of_device.iterations, of_processor.iterations];
    if device == processor { Ok(()) } else { Err(Difference::Iterations { device, processor }) }
}

#[cfg(test)]
mod tests {
    use super::super::tests::drawn;
    use super::*;
    use crate::backend::{self, Choice};
    use crate::cubical::Order;

    #[test]
    fn the_processor_unless_a_device_pays() {
        let image = drawn(&[9, 70], |_, y, x| (y + x) % 5 != 0);
        let request = Request::default();
        for choice in [Choice::Cpu, Choice::Auto] {
            let backend = Backend::new(backend::Request { choice, ..backend::Request::default() });
            let (found, figures, decision) = thin_by(&image, &request, &backend, &mut |_| ()).unwrap();
            assert_eq!((found, figures), thin(&image, &request, &mut |_| ()).unwrap());
            assert!(decision.gpus.is_empty(), "{decision}");
        }
    }

    #[test]
    #[ignore = "needs a CUDA device"]
    fn gpu_that_is_asked_for_and_checked() {
        let image = drawn(&[40, 30, 50], |z, y, x| z * y + x > 300);
        let asked =
            backend::Request { choice: Choice::Cuda, self_check: true, ..backend::Request::default() };
        let found = thin_by(&image, &Request::default(), &Backend::new(asked), &mut |_| ());
        let (found, _, decision) = found.unwrap();
        let expected = thin(&image, &Request::default(), &mut |_| ()).unwrap().0;
        assert_eq!((found, decision.gpus.len()), (expected, 1));
    }

    #[test]
    fn a_device_pays_where_there_is_much_to_thin() {
        let of = |axes: &[usize], rule| {
            let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            one.install(|| estimate(Shape::new(axes, Order::C).unwrap(), rule))
        };
        let small = of(&[100, 100], Rule::GuoHall);
        assert!(small.cpu < small.device && small.work == "10000 voxels to thin", "{small:?}");
        let large = of(&[512, 512, 512], Rule::Subfields);
        assert!(large.device + backend::OPENING < large.cpu, "{large:?}");
    }

    #[test]
    fn differences_are_named() {
        let (image, other) = (drawn(&[3, 4], |_, y, x| x > y), drawn(&[3, 4], |_, y, x| x > y || y == 2));
        let figures = Figures { iterations: 3, ..Figures::default() };
        let more = Figures { iterations: 4, words: 7, ..Figures::default() };
        assert_eq!(compare((&image, &figures), (&image, &figures)), Ok(()));
        let of = |device, processor| compare(device, processor).unwrap_err().to_string();
        assert_eq!(of((&image, &more), (&image, &figures)), "4 iterations on the device, 3 on the processor");
        let differing = of((&other, &figures), (&image, &figures));
        assert_eq!(differing, "voxel [2, 0]: left on the device, deleted on the processor");
        let differing = of((&image, &figures), (&other, &figures));
        assert_eq!(differing, "voxel [2, 0]: deleted on the device, left on the processor");
    }
}
