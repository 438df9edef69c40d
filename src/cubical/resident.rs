//! Images in device memory: curves, also at several scales, and skeletons, without a transfer to the host and back.
//!
//! Such an image is an array of another library (CuPy, PyTorch), read in place if its alignment allows
//! ([`Gpu::foreign`]). Checks that the host does elsewhere are done by kernels: that no voxel is NaN, and that all can
//! be smoothed. A skeleton stays on the device, one byte per voxel.

use zerocopy::FromBytes as _;

use super::ecc::EccRequest;
use super::ecc::cuda::Prepared;
use super::ecc::scales::{Scales, curves_on_device};
use super::ecc::{EccError, MachineError as CurveError, Vcec};
use super::image::Voxel;
use super::key::{Coding, Key};
use super::shape::{Order, Shape, ShapeError};
use super::thinning::MachineError as SkeletonError;
use super::thinning::binary::greatest_up_to;
use super::thinning::cuda::Prepared as PreparedThinning;
use super::thinning::{Pass, ThinningRequest};
use super::value::Value;
use super::voxel::VoxelType;
use crate::cuda::array::{ArrayKernels, Binary, Strided};
use crate::cuda::{Buffer, CudaError, Foreign, Gpu};
use crate::with_voxels;

/// A device with the kernels for arrays of a type of voxels loaded.
pub struct Arrays {
    curves: Prepared,
    arrays: ArrayKernels,
}

/// Reasons why an array is not usable as an image.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ResidentError {
    /// The array and the shape do not make an image, or a voxel is NaN.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The driver reported an error.
    #[error(transparent)]
    Cuda(#[from] CudaError),
}

/// An image in device memory.
pub struct ResidentImage<'a> {
    on: &'a Arrays,
    /// The bytes of the voxels.
    voxels: Foreign<u8>,
    shape: Shape,
}

/// Selection of the foreground of an image in device memory.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ResidentForeground {
    /// If given, voxels greater than this are foreground, compared exactly; else those that are not 0.
    pub above: Option<Value>,
    /// Whether to exchange foreground and background.
    pub inverted: bool,
}

/// A skeleton in device memory.
#[derive(Debug)]
pub struct ResidentSkeleton {
    /// The voxels in C order of the user's axes, with the values 0 and 1.
    pub voxels: Buffer<u8>,
    /// Number of iterations that deleted voxels.
    pub iterations: usize,
}

impl Arrays {
    /// Loads the kernels for voxels of a type onto the device.
    ///
    /// # Errors
    /// The error of the driver.
    pub fn new(gpu: &Gpu, voxels: VoxelType) -> Result<Self, CudaError> {
        Ok(Arrays { curves: Prepared::new(gpu, voxels)?, arrays: ArrayKernels::load(gpu, voxels)? })
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        self.curves.gpu()
    }

    /// Wraps the bytes of an array of the device as an image.
    ///
    /// # Errors
    /// [`ResidentError`]: the number of voxels is not that of the shape, or a voxel is NaN; the device fails.
    pub fn image(&self, voxels: Foreign<u8>, shape: Shape) -> Result<ResidentImage<'_>, ResidentError> {
        let found = voxels.len() / self.curves.voxels().bytes();
        if found != shape.count() {
            return Err(ShapeError::Voxels { expected: shape.count(), found }.into());
        }
        if self.curves.voxels().coding() == Coding::Float
            && let Some(place) = self.arrays.first_nan(self.gpu(), &voxels)?
        {
            return Err(ShapeError::NotANumber { voxel: shape.coordinates(place) }.into());
        }
        Ok(ResidentImage { on: self, voxels, shape })
    }
}

impl ResidentImage<'_> {
    /// Number of voxels.
    pub fn count(&self) -> usize {
        self.shape.count()
    }

    /// Computes the Euler characteristic curve.
    ///
    /// # Errors
    /// [`CurveError`]: the bins are invalid; the device fails.
    pub fn curve(&self, request: &EccRequest) -> Result<Vcec, CurveError> {
        self.on.curves.curve(&self.voxels, self.shape, request)
    }

    /// Computes the curves at several scales. `advance` receives the number of voxels done, counted at all scales.
    ///
    /// # Errors
    /// [`CurveError`]: the bins or weights are invalid, or a voxel cannot be smoothed; the device fails, or has no
    /// memory for two copies of the image as floats.
    pub fn curves(
        &self,
        request: &EccRequest,
        scales: &Scales,
        advance: &dyn Fn(u64),
    ) -> Result<Vec<Vcec>, CurveError> {
        let gpu = self.on.gpu();
        let as_floats = || {
            let (floats, infinite) = self.on.arrays.floats(gpu, &self.voxels)?;
            let Some(place) = infinite else { return Ok(floats) };
            let size = self.on.curves.voxels().bytes();
            let found = gpu.read(&self.voxels, place * size..(place + 1) * size)?;
            let found = with_voxels!(self.on.curves.voxels(), T => T::read_from_bytes(&found).expect("the bytes of a voxel").value());
            Err(EccError::Infinite { voxel: self.shape.coordinates(place), found }.into())
        };
        let first = || self.on.curves.curve(&self.voxels, self.shape, request);
        curves_on_device(gpu, self.shape, &first, &as_floats, request, scales, advance)
    }

    /// Computes the skeleton, calling `watch` after each iteration.
    ///
    /// # Errors
    /// [`SkeletonError`]: the rule does not suit the image; the device fails, or lacks memory for bits and bytes.
    pub fn skeleton(
        &self,
        foreground: ResidentForeground,
        request: &ThinningRequest,
        watch: &mut dyn FnMut(Pass),
    ) -> Result<ResidentSkeleton, SkeletonError> {
        let (gpu, arrays) = (self.on.gpu(), &self.on.arrays);
        let rule = request.suiting(self.shape)?;
        let image = strided(self.shape);
        let binary = with_voxels!(self.on.curves.voxels(), T => in_the_type_of_voxels::<T>(foreground));
        let words = arrays.bits(gpu, &self.voxels, &image, binary)?;
        let shape = self.shape.in_order(Order::C);
        let prepared = PreparedThinning::new(gpu, rule)?;
        let mut thinning = prepared.resident(words, shape)?;
        thinning.thin(request.iterations, watch)?;
        let (words, iterations) = thinning.into_words();
        let voxels = arrays.bytes(gpu, &words, image.extents)?;
        // The caller reads the voxels on another stream.
        gpu.finish()?;
        Ok(ResidentSkeleton { voxels, iterations })
    }
}

/// The selection of foreground as comparisons of voxels with a value of their own type.
fn in_the_type_of_voxels<T: Voxel>(foreground: ResidentForeground) -> Binary {
    let ResidentForeground { above, inverted } = foreground;
    let bits = |voxel: T| Some(T::bits(&[voxel])[0].to_u64());
    match above.map(greatest_up_to) {
        None => Binary { above: None, inverted },
        Some(Some(value)) => Binary { above: bits(value), inverted },
        // The threshold is below all integers of the type: no voxel is above the greatest of them, inverted all are.
        Some(None) => Binary { above: bits(T::of_key(T::Key::MAX)), inverted: !inverted },
    }
}

/// Extents of an image in C order of the user's axes, with the steps in memory along them.
fn strided(shape: Shape) -> Strided {
    let [_, rows, columns] = shape.extents();
    let mut steps = [rows * columns, columns, 1];
    if shape.order() == Order::F {
        steps[3 - shape.dim()..].reverse();
    }
    Strided { extents: shape.in_order(Order::C).extents(), steps }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;
    use zerocopy::IntoBytes as _;

    use super::*;
    use crate::cubical::ecc::scales;
    use crate::cubical::ecc::{Bins, curve};
    use crate::cubical::image::Image;
    use crate::cubical::thinning::{BitImage, thin};
    use crate::cuda::Pending;

    #[test]
    fn rows_lie_where_the_image_has_them() {
        for axes in [&[5][..], &[4, 7], &[1, 4, 7], &[3, 4, 5], &[2, 1, 3, 70]] {
            for order in [Order::C, Order::F] {
                let shape = Shape::new(axes, order).unwrap();
                let Strided { extents: [planes, rows, columns], steps } = strided(shape);
                let in_c = shape.in_order(Order::C);
                for place in 0..shape.count() {
                    let at = [place / columns / rows, place / columns % rows, place % columns];
                    assert!(at[0] < planes);
                    let memory: usize = at.iter().zip(steps).map(|(at, step)| at * step).sum();
                    assert_eq!(shape.coordinates(memory), in_c.coordinates(place), "{axes:?} {order:?}");
                }
            }
        }
    }

    /// Lends a buffer of the test as a foreign array.
    fn lent(gpu: &Gpu, buffer: &Buffer<u8>, skipped: usize, len: usize) -> Foreign<u8> {
        gpu.finish().unwrap();
        let address = buffer.address() + skipped as u64;
        // SAFETY: `len` bytes lie at `address`, and the tests keep the buffer alive for longer.
        #[allow(unsafe_code)]
        unsafe { gpu.foreign(address, len, Pending::All) }.unwrap()
    }

    /// Compares all computations on a device array with those of the CPU.
    fn same<T: Voxel>(gpu: &Gpu, axes: &[usize], make: &mut dyn FnMut() -> T) {
        let arrays = Arrays::new(gpu, T::TYPE).unwrap();
        for order in [Order::C, Order::F] {
            let shape = Shape::new(axes, order).unwrap();
            let image = Image::new(shape, (0..shape.count()).map(|_| make()).collect()).unwrap();
            for skipped in [0, 3] {
                let ahead = std::iter::repeat_n(image.voxels()[0], skipped);
                let memory: Vec<T> = ahead.chain(image.voxels().iter().copied()).collect();
                let buffer = gpu.upload(memory.as_bytes()).unwrap();
                let resident = arrays
                    .image(lent(gpu, &buffer, skipped * size_of::<T>(), size_of_val(image.voxels())), shape)
                    .unwrap();
                let range = Some((0.0.into(), 90.0.into()));
                for bins in [
                    Bins::Distinct,
                    Bins::Uniform { count: 7, range: None },
                    Bins::Uniform { count: 9, range },
                ] {
                    let request = EccRequest { bins, ..EccRequest::default() };
                    assert_eq!(
                        resident.curve(&request).unwrap(),
                        curve(&image, &request).unwrap(),
                        "{shape}"
                    );
                    let scales = Scales { count: 3, ..Scales::default() };
                    let found = resident.curves(&request, &scales, &|_| ()).unwrap();
                    assert_eq!(found, scales::curves(&image, &request, &scales, &|_| ()).unwrap(), "{shape}");
                }
                for (above, inverted) in [(None, false), (Some(40.5), false), (Some(40.0), true)] {
                    let above = above.map(Value::from);
                    let is_above =
                        |voxel: T| above.map_or(voxel.value() != 0.0, |above| voxel.into() > above);
                    let bits = BitImage::of(&image, |voxel| is_above(voxel) != inverted);
                    for iterations in [None, Some(2)] {
                        let request = ThinningRequest { rule: None, iterations };
                        let (expected, figures) = thin(&bits, &request, &mut |_| ()).unwrap();
                        let foreground = ResidentForeground { above, inverted };
                        let found = resident.skeleton(foreground, &request, &mut |_| ()).unwrap();
                        let voxels = gpu.read(&found.voxels, 0..shape.count()).unwrap();
                        assert_eq!(voxels, expected.to_image(1, Order::C).into_voxels(), "{shape}");
                        assert_eq!(found.iterations, figures.iterations);
                    }
                }
            }
        }
    }

    #[test]
    #[ignore = "needs a CUDA device"]
    fn gpu_arrays_are_what_images_are() {
        let gpu = Gpu::open(0, None).unwrap();
        let mut rng = Pcg64Mcg::seed_from_u64(20);
        for axes in [&[16][..], &[100], &[33, 70], &[64, 64], &[5, 1, 66], &[9, 31, 65], &[16, 16, 128]] {
            same::<u8>(&gpu, axes, &mut || rng.random_range(0..90));
            same::<i8>(&gpu, axes, &mut || rng.random_range(-20..90));
            same::<u16>(&gpu, axes, &mut || rng.random_range(0..90));
            same::<i16>(&gpu, axes, &mut || rng.random_range(-300..90));
            same::<u32>(&gpu, axes, &mut || rng.random_range(0..90));
            same::<i32>(&gpu, axes, &mut || rng.random_range(-9..90));
            same::<u64>(&gpu, axes, &mut || rng.random_range(0..90));
            same::<i64>(&gpu, axes, &mut || rng.random_range(-9..90));
            same::<f32>(&gpu, axes, &mut || rng.random_range(-9.0..90.0));
            same::<f64>(&gpu, axes, &mut || rng.random_range(-9.0..90.0));
        }
    }

    /// The foreground of pixels, which is the skeleton after no iteration.
    fn foreground<T: Voxel>(gpu: &Gpu, pixels: &[T], foreground: ResidentForeground) -> Vec<bool> {
        let arrays = Arrays::new(gpu, T::TYPE).unwrap();
        let shape = Shape::new(&[1, pixels.len()], Order::C).unwrap();
        let buffer = gpu.upload(pixels.as_bytes()).unwrap();
        let resident = arrays.image(lent(gpu, &buffer, 0, size_of_val(pixels)), shape).unwrap();
        let request = ThinningRequest { rule: None, iterations: Some(0) };
        let found = resident.skeleton(foreground, &request, &mut |_| ()).unwrap();
        gpu.read(&found.voxels, 0..pixels.len()).unwrap().iter().map(|&voxel| voxel == 1).collect()
    }

    /// Compares the foreground on a device with exact comparisons of voxels and thresholds.
    fn exactly<T: Voxel>(gpu: &Gpu, pixels: &[T], thresholds: &[Value]) {
        for (&threshold, inverted) in thresholds.iter().flat_map(|above| [(above, false), (above, true)]) {
            let expected: Vec<bool> =
                pixels.iter().map(|&pixel| (pixel.into() > threshold) != inverted).collect();
            let found = foreground(gpu, pixels, ResidentForeground { above: Some(threshold), inverted });
            assert_eq!(found, expected, "{threshold}, inverted: {inverted}");
        }
    }

    #[test]
    #[ignore = "needs a CUDA device"]
    fn gpu_voxels_are_compared_with_the_threshold_exactly() {
        let gpu = Gpu::open(0, None).unwrap();
        let past = 1_u64 << 53;
        let thresholds = [
            Value::Unsigned(past),
            Value::Unsigned(past + 1),
            Value::Unsigned(u64::MAX - 1),
            Value::Unsigned(u64::MAX),
            Value::Signed(i64::MIN),
            Value::Signed(i64::MIN + 1),
            Value::Signed(i64::MAX - 1),
            Value::Signed(-1),
            Value::Double(past as f64 - 1.0),
            Value::Double(0.1),
            Value::Double(-0.5),
            Value::Double(f64::INFINITY),
            Value::Double(f64::NEG_INFINITY),
        ];
        exactly(&gpu, &[0, past - 1, past, past + 1, past + 2, u64::MAX - 1, u64::MAX], &thresholds);
        exactly(&gpu, &[i64::MIN, i64::MIN + 1, -1, 0, i64::MAX - 1, i64::MAX], &thresholds);
        exactly(&gpu, &[past as f64, past as f64 + 2.0, 0.1, -0.0, f64::INFINITY], &thresholds);
        exactly(&gpu, &[0.1, 0.1_f32.next_up(), -0.5, -0.0, past as f32, f32::NEG_INFINITY], &thresholds);
        exactly(&gpu, &[-128_i8, -1, 0, 1, 127], &thresholds);
        exactly(&gpu, &[0_u8, 1, 255], &thresholds);
    }

    #[test]
    #[ignore = "needs a CUDA device"]
    fn gpu_arrays_that_are_no_images() {
        let gpu = Gpu::open(0, None).unwrap();
        let shape = Shape::new(&[4, 4], Order::C).unwrap();
        let mut voxels = [1.0_f32; 16];
        voxels[6] = f32::NAN;
        let arrays = Arrays::new(&gpu, VoxelType::F32).unwrap();
        let buffer = gpu.upload(voxels.as_bytes()).unwrap();
        let error = arrays.image(lent(&gpu, &buffer, 0, 64), shape).err().unwrap();
        assert_eq!(error, ShapeError::NotANumber { voxel: vec![1, 2] }.into());
        let error = arrays.image(lent(&gpu, &buffer, 0, 48), shape).err().unwrap();
        assert_eq!(error, ShapeError::Voxels { expected: 16, found: 12 }.into());
        voxels[6] = f32::INFINITY;
        let buffer = gpu.upload(voxels.as_bytes()).unwrap();
        let resident = arrays.image(lent(&gpu, &buffer, 0, 64), shape).unwrap();
        let error = resident.curves(&EccRequest::default(), &Scales::default(), &|_| ()).unwrap_err();
        assert_eq!(error.to_string(), "voxel [1, 2]: expected a 32-bit float to be smoothed, found inf");
        assert!(crate::cuda::device_of(buffer.address()).is_ok());
        assert!(crate::cuda::device_of(4096).is_err());
    }
}
