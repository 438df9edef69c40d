//! Thinning on the device that the backend chooses.

use super::bits::BitImage;
use super::cpu::thin;
use super::cuda::Prepared;
use super::footprint::check_rule;
use super::request::{ThinError, ThinningRequest};
use super::rule::Rule;
use super::statistics::{Pass, ThinningStatistics};
use crate::backend::{self, Backend, Decision, Difference, Estimate, Stage, expect_same};
use crate::cubical::shape::Shape;
use crate::cuda::Gpu;

/// Voxels per second thinned by a core, in the plane and by subfields. The number of voxels matters more than their
/// depth below the border of the foreground.
const CPU_RATES: [f64; 2] = [0.15e9, 0.1e9];
/// Voxels per second thinned by a GPU, including both transfers of an eighth of a byte each.
const DEVICE_RATE: f64 = 5e9;
/// Fixed cost in seconds of thinning on a GPU: loading kernels, and a few hundred launches.
const DEVICE_FIXED: f64 = 0.02;

/// Reasons why an image could not be thinned.
pub type MachineError = backend::MachineError<ThinError>;

impl From<ThinError> for MachineError {
    fn from(error: ThinError) -> Self {
        MachineError::Stage(error)
    }
}

/// Estimates the time of thinning on CPU and GPU.
pub(crate) fn estimate(shape: Shape, rule: Rule) -> Estimate {
    let count = shape.count() as f64;
    let rate = CPU_RATES[usize::from(!rule.is_planar())];
    Estimate {
        work: format!("{} voxels to thin", shape.count()),
        cpu: count / (rate * rayon::current_num_threads() as f64),
        device: count / DEVICE_RATE + DEVICE_FIXED,
    }
}

/// Computes the skeleton of an image, statistics, and the decision on where it ran. If a GPU fails that was chosen
/// automatically, the CPU takes over, and `watch` is called again from the first iteration.
///
/// # Errors
/// [`MachineError`]: the rule does not suit the image, or memory does not suffice; a requested GPU fails or differs
/// from the CPU.
pub fn thin_by(
    image: &BitImage,
    request: &ThinningRequest,
    backend: &Backend,
    watch: &mut dyn FnMut(Pass),
) -> Result<(BitImage, ThinningStatistics, Decision), MachineError> {
    let rule = request.suiting(image.shape())?;
    let mut decision = backend.decide(&estimate(image.shape(), rule))?;
    let (skeleton, statistics) = decision.run(&mut ThinningStage { image, request, watch })?;
    Ok((skeleton, statistics, decision))
}

/// Thinning as a stage of the backend.
struct ThinningStage<'a> {
    image: &'a BitImage,
    request: &'a ThinningRequest,
    watch: &'a mut dyn FnMut(Pass),
}

impl Stage for ThinningStage<'_> {
    type Found = (BitImage, ThinningStatistics);
    type Error = ThinError;

    fn on_device(&mut self, gpu: &Gpu) -> Result<Self::Found, MachineError> {
        let rule = self.request.suiting(self.image.shape())?;
        Prepared::new(gpu, rule)?.thin(self.image, self.request.iterations, self.watch)
    }

    fn on_processor(&mut self) -> Result<Self::Found, ThinError> {
        let rule = self.request.suiting(self.image.shape())?;
        check_rule(self.image.shape(), rule)?;
        thin(self.image, self.request, self.watch)
    }

    fn check(&mut self, (skeleton, statistics): &Self::Found) -> Result<(), MachineError> {
        // `watch` has already seen the iterations of the device.
        let (expected, of_processor) = thin(self.image, self.request, &mut |_| ())?;
        Ok(compare((skeleton, statistics), (&expected, &of_processor))?)
    }
}

/// Compares the skeleton that a device computed with the CPU's, voxel by voxel, then the numbers of iterations.
///
/// # Errors
/// The first difference.
pub fn compare(
    (device, of_device): (&BitImage, &ThinningStatistics),
    (processor, of_processor): (&BitImage, &ThinningStatistics),
) -> Result<(), Difference> {
    let shape = processor.shape();
    let state = |image: &BitImage, place| if image.get(place) { "left" } else { "deleted" };
    for place in 0..shape.count() {
        let voxel = || format!("voxel {:?}", shape.coordinates(place));
        expect_same(voxel, state(device, place), state(processor, place))?;
    }
    if of_device.iterations == of_processor.iterations {
        return Ok(());
    }
    let (device, processor) =
        (format!("{} iterations", of_device.iterations), of_processor.iterations.to_string());
    Err(Difference { place: String::new(), device, processor })
}

#[cfg(test)]
mod tests {
    use super::super::tests::drawn;
    use super::*;
    use crate::backend::{BackendRequest, Choice, OPENING};
    use crate::cubical::Order;

    #[test]
    fn the_processor_unless_a_device_pays() {
        let image = drawn(&[9, 70], |_, y, x| (y + x) % 5 != 0);
        let request = ThinningRequest::default();
        for choice in [Choice::Cpu, Choice::Auto] {
            let backend = Backend::new(BackendRequest { choice, ..BackendRequest::default() });
            let (found, statistics, decision) = thin_by(&image, &request, &backend, &mut |_| ()).unwrap();
            assert_eq!((found, statistics), thin(&image, &request, &mut |_| ()).unwrap());
            assert!(decision.gpus.is_empty(), "{decision}");
        }
    }

    #[test]
    #[ignore = "needs a CUDA device"]
    fn gpu_that_is_asked_for_and_checked() {
        let image = drawn(&[40, 30, 50], |z, y, x| z * y + x > 300);
        let asked = BackendRequest { choice: Choice::Cuda, self_check: true, ..BackendRequest::default() };
        let found = thin_by(&image, &ThinningRequest::default(), &Backend::new(asked), &mut |_| ());
        let (found, _, decision) = found.unwrap();
        let expected = thin(&image, &ThinningRequest::default(), &mut |_| ()).unwrap().0;
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
        assert!(large.device + OPENING < large.cpu, "{large:?}");
    }

    #[test]
    fn differences_are_named() {
        let (image, other) = (drawn(&[3, 4], |_, y, x| x > y), drawn(&[3, 4], |_, y, x| x > y || y == 2));
        let statistics = ThinningStatistics { iterations: 3, ..ThinningStatistics::default() };
        let more = ThinningStatistics { iterations: 4, words: 7, ..ThinningStatistics::default() };
        assert_eq!(compare((&image, &statistics), (&image, &statistics)), Ok(()));
        let of = |device, processor| compare(device, processor).unwrap_err().to_string();
        assert_eq!(
            of((&image, &more), (&image, &statistics)),
            "4 iterations on the device, 3 on the processor"
        );
        let differing = of((&other, &statistics), (&image, &statistics));
        assert_eq!(differing, "voxel [2, 0]: left on the device, deleted on the processor");
        let differing = of((&image, &statistics), (&other, &statistics));
        assert_eq!(differing, "voxel [2, 0]: deleted on the device, left on the processor");
    }
}
