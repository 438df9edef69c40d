//! Thinning on a device: rules of the plane by `kernels/thinning.cu`, subfields by `kernels/thinning_subfields.cu`.
//!
//! The image goes there as words of bits, and what is left comes back. In between are launches, of 16 iterations in the plane and of one in
//! space, that make each other's lists of tiles to look at; every few of them it is asked what the iterations deleted. Iterations past
//! the last that deletes something change nothing.

use super::{BitImage, Figures, Pass, Request, Rule, ThinError};
use crate::cuda::thinning::ThinningKernel;
use crate::cuda::{CudaError, Gpu};

/// Launches before it is asked for the first time what they deleted, and at most: twice as many each time.
const LAUNCHES: std::ops::RangeInclusive<usize> = 4..=64;

/// Why there is no skeleton.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DeviceError {
    /// The rule does not suit the image.
    #[error(transparent)]
    Thin(#[from] ThinError),
    /// The device fails.
    #[error(transparent)]
    Cuda(#[from] CudaError),
}

/// A device with the kernel of a rule loaded.
pub struct Prepared {
    gpu: Gpu,
    rule: Rule,
    kernel: ThinningKernel,
}

impl Prepared {
    /// Loads the kernel.
    ///
    /// # Errors
    /// What the driver says.
    pub fn new(gpu: &Gpu, rule: Rule) -> Result<Self, CudaError> {
        Ok(Prepared { gpu: gpu.clone(), rule, kernel: ThinningKernel::load(gpu, rule)? })
    }

    /// The skeleton of an image, as [`thin`](super::thin) finds it by this rule, in so many iterations at most.
    ///
    /// # Errors
    /// The rule does not suit the image, or the device fails.
    pub fn thin(
        &self,
        image: &BitImage,
        iterations: Option<usize>,
        watch: &mut dyn FnMut(Pass),
    ) -> Result<(BitImage, Figures), DeviceError> {
        let Prepared { gpu, rule, kernel } = self;
        Request { rule: Some(*rule), iterations }.suiting(image.shape())?;
        let [planes, rows, _] = image.shape().extents();
        let (mut launches, most) = (*LAUNCHES.start(), kernel.most());
        let counted = LAUNCHES.end() * most;
        let mut work = kernel.begin(gpu, image.words(), [planes, rows, image.width()], counted)?;
        let mut figures = Figures { before: image.count(), ..Figures::default() };
        let mut left = iterations.unwrap_or(usize::MAX);
        'batches: while left > 0 {
            let batch = left.min(launches * most);
            for first in (0..batch).step_by(most) {
                kernel.iterate(&mut work, most.min(batch - first), first)?;
            }
            for deleted in work.deleted(gpu, batch)? {
                if deleted == 0 {
                    break 'batches;
                }
                figures.iterations += 1;
                // No more than there are.
                watch(Pass { iteration: figures.iterations, deleted: deleted as usize });
            }
            left -= batch;
            launches = (2 * launches).min(*LAUNCHES.end());
        }
        let mut skeleton = BitImage::new(image.shape());
        skeleton.words_mut().copy_from_slice(&work.words(gpu)?);
        figures.after = skeleton.count();
        figures.words = work.looked_at(gpu)?;
        Ok((skeleton, figures))
    }
}

/// The skeleton of an image, as [`thin`](super::thin) finds it.
///
/// # Errors
/// The rule does not suit the image, or the device fails.
pub fn thin_device(
    gpu: &Gpu,
    image: &BitImage,
    request: &Request,
    watch: &mut dyn FnMut(Pass),
) -> Result<(BitImage, Figures), DeviceError> {
    let rule = request.suiting(image.shape())?;
    Prepared::new(gpu, rule)?.thin(image, request.iterations, watch)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_pcg::Pcg64Mcg;

    use super::super::tests::{drawn, random};
    use super::super::thin;
    use super::*;

    fn device(memory: Option<u64>) -> Option<Gpu> {
        Gpu::open(0, memory).map_err(|error| eprintln!("skipped: {error}")).ok()
    }

    fn same(gpu: &Gpu, image: &BitImage, rule: Rule, iterations: Option<usize>) {
        let request = Request { rule: Some(rule), iterations };
        let (mut expected_passes, mut passes) = (Vec::new(), Vec::new());
        let (expected, cpu) = thin(image, &request, &mut |pass| expected_passes.push(pass)).unwrap();
        let (found, figures) = thin_device(gpu, image, &request, &mut |pass| passes.push(pass)).unwrap();
        assert!(found == expected, "{rule}, {}, at most {iterations:?}", image.shape());
        assert_eq!(passes, expected_passes, "{rule}, {}", image.shape());
        let counts = |f: &Figures| (f.before, f.after, f.iterations);
        assert_eq!(counts(&figures), counts(&cpu));
    }

    #[test]
    fn gpu_thins_planes_as_the_processor() {
        let Some(gpu) = device(None) else { return };
        let mut rng = Pcg64Mcg::seed_from_u64(60);
        let sizes: [&[usize]; 14] = [
            &[1],
            &[300],
            &[1, 1],
            &[1, 200],
            &[200, 1],
            &[31, 33],
            &[63, 65],
            &[64, 64],
            &[65, 63],
            &[127, 128],
            &[128, 129],
            &[257, 259],
            &[1023, 500],
            &[700, 1025],
        ];
        for axes in sizes {
            let image = random(axes, &mut rng);
            for rule in Rule::ALL {
                for iterations in [None, Some(0), Some(1), Some(17)] {
                    same(&gpu, &image, rule, iterations);
                }
            }
        }
    }

    #[test]
    fn gpu_thins_shapes_as_the_processor() {
        let Some(gpu) = device(None) else { return };
        let shapes = [
            drawn(&[400, 400], |_, _, _| true),
            drawn(&[641, 700], |_, y, x| (50..633).contains(&y) && (9..635).contains(&x)),
            drawn(&[640, 640], |_, y, x| (2 * y - 639).pow(2) + (2 * x - 639).pow(2) < 630 * 630),
            drawn(&[530, 600], |_, y, x| {
                (70_i64.pow(2)..260_i64.pow(2)).contains(&((y - 265).pow(2) + (x - 299).pow(2)))
            }),
            drawn(&[200, 300], |_, _, _| false),
        ];
        for image in &shapes {
            Rule::ALL.into_iter().for_each(|rule| same(&gpu, image, rule, None));
        }
    }

    #[test]
    fn gpu_thins_space_as_the_processor() {
        let Some(gpu) = device(None) else { return };
        let mut rng = Pcg64Mcg::seed_from_u64(61);
        let sizes = [
            [2, 1, 1],
            [3, 5, 130],
            [9, 70, 7],
            [5, 33, 65],
            [17, 31, 63],
            [16, 32, 64],
            [33, 65, 129],
            [70, 40, 200],
        ];
        for axes in sizes {
            for _ in 0..3 {
                let image = random(&axes, &mut rng);
                for iterations in [None, Some(0), Some(1), Some(3)] {
                    same(&gpu, &image, Rule::Subfields, iterations);
                }
            }
        }
        let solid = drawn(&[70, 90, 140], |_, _, _| true);
        same(&gpu, &solid, Rule::Subfields, None);
        let ball =
            drawn(&[80, 80, 80], |z, y, x| (z - 40).pow(2) + (y - 39).pow(2) + (x - 41).pow(2) < 37 * 37);
        same(&gpu, &ball, Rule::Subfields, None);
    }

    #[test]
    fn gpu_without_room_says_so() {
        let Some(gpu) = device(Some(10_000)) else { return };
        let image = drawn(&[1000, 1000], |_, _, _| true);
        let error = thin_device(&gpu, &image, &Request::default(), &mut |_| ()).unwrap_err();
        assert!(matches!(error, DeviceError::Cuda(CudaError::OutOfMemory { .. })), "{error}");
    }
}
