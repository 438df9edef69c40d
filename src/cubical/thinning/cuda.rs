//! Thinning on the GPU: planar rules by `kernels/thinning.cu`, subfields by `kernels/thinning_subfields.cu`.
//!
//! The image is uploaded as words of bits, and the skeleton is downloaded. Each launch runs 16 iterations in the plane
//! or one in space, and lists the tiles that the next launch must examine. After several launches the host fetches the
//! number of voxels that each iteration deleted. Iterations after the last that deletes something change nothing.

use super::bits::{BitImage, WORD};
use super::dispatch::MachineError;
use super::request::ThinningRequest;
use super::rule::Rule;
use super::statistics::{Pass, ThinningStatistics};
use crate::cubical::shape::Shape;
use crate::cuda::thinning::{Thinning, ThinningKernel};
use crate::cuda::{Buffer, CudaError, Gpu};

/// Number of launches between two fetches of the counts: it starts at the lower bound and doubles up to the upper.
const LAUNCHES: std::ops::RangeInclusive<usize> = 4..=64;

/// A device with the kernel of a rule loaded.
pub struct Prepared {
    gpu: Gpu,
    rule: Rule,
    kernel: ThinningKernel,
}

impl Prepared {
    /// Loads the kernel onto the device.
    ///
    /// # Errors
    /// The error of the driver.
    pub fn new(gpu: &Gpu, rule: Rule) -> Result<Self, CudaError> {
        let name = match rule {
            Rule::GuoHall => c"thinning_guo_hall",
            Rule::ZhangSuen => c"thinning_zhang_suen",
            Rule::Kashani => c"thinning_kashani",
            Rule::KashaniSafe => c"thinning_kashani_safe",
            Rule::Subfields => c"thinning_subfields",
        };
        let kernel = ThinningKernel::load(gpu, name, rule.is_planar())?;
        Ok(Prepared { gpu: gpu.clone(), rule, kernel })
    }

    /// Computes the skeleton of an image, as [`thin`](super::thin) does by this rule, in at most `iterations`
    /// iterations.
    ///
    /// # Errors
    /// The rule does not suit the image, or the device fails.
    pub fn thin(
        &self,
        image: &BitImage,
        iterations: Option<usize>,
        watch: &mut dyn FnMut(Pass),
    ) -> Result<(BitImage, ThinningStatistics), MachineError> {
        let mut resident = self.bring(image)?;
        resident.thin(iterations, watch)?;
        Ok(resident.fetch()?)
    }

    /// Uploads an image to the device.
    ///
    /// # Errors
    /// The errors of [`Prepared::thin`].
    pub fn bring(&self, image: &BitImage) -> Result<Resident<'_>, MachineError> {
        let mut resident = self.resident(self.gpu.upload(image.words())?, image.shape())?;
        self.gpu.finish()?;
        resident.statistics.before = image.count();
        Ok(resident)
    }

    /// Takes an image whose bits are on the device, laid out as in a [`BitImage`] of this shape. Its statistics lack
    /// the number of voxels, which is not counted on the device.
    ///
    /// # Errors
    /// The errors of [`Prepared::thin`].
    ///
    /// # Panics
    /// Panics if the number of words is not that of the shape.
    pub(crate) fn resident(&self, words: Buffer<u64>, shape: Shape) -> Result<Resident<'_>, MachineError> {
        let Prepared { gpu, rule, kernel } = self;
        ThinningRequest { rule: Some(*rule), iterations: None }.suiting(shape)?;
        let [planes, rows, columns] = shape.extents();
        // The counts are fetched after at most so many iterations.
        let iterations = LAUNCHES.end() * kernel.most();
        let work = kernel.begin(gpu, words, [planes, rows, columns.div_ceil(WORD)], iterations)?;
        Ok(Resident { prepared: self, shape, work, statistics: ThinningStatistics::default() })
    }
}

/// An image on a device.
pub struct Resident<'p> {
    prepared: &'p Prepared,
    shape: Shape,
    work: Thinning,
    statistics: ThinningStatistics,
}

impl Resident<'_> {
    /// Thins the image in at most `iterations` iterations.
    ///
    /// # Errors
    /// The error of the driver.
    pub fn thin(&mut self, iterations: Option<usize>, watch: &mut dyn FnMut(Pass)) -> Result<(), CudaError> {
        let Resident { prepared: Prepared { gpu, kernel, .. }, work, statistics, .. } = self;
        let (mut launches, most) = (*LAUNCHES.start(), kernel.most());
        let mut left = iterations.unwrap_or(usize::MAX);
        while left > 0 {
            let batch = left.min(launches * most);
            for first in (0..batch).step_by(most) {
                kernel.iterate(work, most.min(batch - first), first)?;
            }
            for deleted in work.deleted(gpu, batch)? {
                if deleted == 0 {
                    return Ok(());
                }
                statistics.iterations += 1;
                // The number of deleted voxels is at most that of voxels, which is a `usize`.
                watch(Pass { iteration: statistics.iterations, deleted: deleted as usize });
            }
            left -= batch;
            launches = (2 * launches).min(*LAUNCHES.end());
        }
        Ok(())
    }

    /// Downloads the thinned image, with statistics.
    ///
    /// # Errors
    /// The error of the driver.
    pub fn fetch(mut self) -> Result<(BitImage, ThinningStatistics), CudaError> {
        let (gpu, mut skeleton) = (&self.prepared.gpu, BitImage::new(self.shape));
        skeleton.words_mut().copy_from_slice(&self.work.words(gpu)?);
        self.statistics.after = skeleton.count();
        self.statistics.words = self.work.looked_at(gpu)?;
        Ok((skeleton, self.statistics))
    }

    /// The bits of the thinned image, which stay on the device, and the number of iterations.
    pub(crate) fn into_words(self) -> (Buffer<u64>, usize) {
        (self.work.into_words(), self.statistics.iterations)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_pcg::Pcg64Mcg;

    use super::super::tests::{drawn, random};
    use super::super::thin;
    use super::*;

    /// Opens the first device, with a limit of its memory in bytes.
    fn device(memory: Option<u64>) -> Gpu {
        Gpu::open(0, memory).unwrap()
    }

    fn prepared(gpu: &Gpu) -> [Prepared; Rule::ALL.len()] {
        Rule::ALL.map(|rule| Prepared::new(gpu, rule).unwrap())
    }

    fn same(prepared: &Prepared, image: &BitImage, iterations: Option<usize>) {
        let rule = prepared.rule;
        let request = ThinningRequest { rule: Some(rule), iterations };
        let (mut expected_passes, mut passes) = (Vec::new(), Vec::new());
        let (expected, cpu) = thin(image, &request, &mut |pass| expected_passes.push(pass)).unwrap();
        let (found, statistics) = prepared.thin(image, iterations, &mut |pass| passes.push(pass)).unwrap();
        assert!(found == expected, "{rule}, {}, at most {iterations:?}", image.shape());
        assert_eq!(passes, expected_passes, "{rule}, {}", image.shape());
        let counts = |f: &ThinningStatistics| (f.before, f.after, f.iterations);
        assert_eq!(counts(&statistics), counts(&cpu));
    }

    #[test]
    #[ignore = "needs a CUDA device"]
    fn gpu_thins_planes_as_the_processor() {
        let gpu = device(None);
        let (prepared, mut rng) = (prepared(&gpu), Pcg64Mcg::seed_from_u64(60));
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
            for prepared in &prepared {
                for iterations in [None, Some(0), Some(1), Some(17)] {
                    same(prepared, &image, iterations);
                }
            }
        }
    }

    #[test]
    #[ignore = "needs a CUDA device"]
    fn gpu_thins_shapes_as_the_processor() {
        let gpu = device(None);
        let shapes = [
            drawn(&[400, 400], |_, _, _| true),
            drawn(&[641, 700], |_, y, x| (50..633).contains(&y) && (9..635).contains(&x)),
            drawn(&[640, 640], |_, y, x| (2 * y - 639).pow(2) + (2 * x - 639).pow(2) < 630 * 630),
            drawn(&[530, 600], |_, y, x| {
                (70_i64.pow(2)..260_i64.pow(2)).contains(&((y - 265).pow(2) + (x - 299).pow(2)))
            }),
            drawn(&[200, 300], |_, _, _| false),
        ];
        for prepared in prepared(&gpu) {
            shapes.iter().for_each(|image| same(&prepared, image, None));
        }
    }

    #[test]
    #[ignore = "needs a CUDA device"]
    fn gpu_thins_space_as_the_processor() {
        let gpu = device(None);
        let prepared = Prepared::new(&gpu, Rule::Subfields).unwrap();
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
                    same(&prepared, &image, iterations);
                }
            }
        }
        let solid = drawn(&[70, 90, 140], |_, _, _| true);
        same(&prepared, &solid, None);
        let ball =
            drawn(&[80, 80, 80], |z, y, x| (z - 40).pow(2) + (y - 39).pow(2) + (x - 41).pow(2) < 37 * 37);
        same(&prepared, &ball, None);
    }

    #[test]
    #[ignore = "needs a CUDA device"]
    fn gpu_goes_on_where_it_stopped() {
        let gpu = device(None);
        let image = random(&[300, 400], &mut Pcg64Mcg::seed_from_u64(62));
        for prepared in prepared(&gpu) {
            let mut resident = prepared.bring(&image).unwrap();
            for iterations in [1, 0, 2, 5] {
                resident.thin(Some(iterations), &mut |_| ()).unwrap();
            }
            let found = resident.fetch().unwrap();
            let expected = prepared.thin(&image, Some(8), &mut |_| ()).unwrap();
            assert_eq!(
                (found.0, found.1.iterations),
                (expected.0, expected.1.iterations),
                "{}",
                prepared.rule
            );
        }
    }

    #[test]
    #[ignore = "needs a CUDA device"]
    fn gpu_without_room_says_so() {
        let gpu = device(Some(10_000));
        let image = drawn(&[1000, 1000], |_, _, _| true);
        let prepared = Prepared::new(&gpu, Rule::GuoHall).unwrap();
        let error = prepared.thin(&image, None, &mut |_| ()).unwrap_err();
        assert!(matches!(error, MachineError::Device(CudaError::OutOfMemory { .. })), "{error}");
    }
}
