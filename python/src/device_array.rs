//! Arrays of other libraries that are already on a device: their curves, skeletons that stay there, and the bars of
//! planes.
//!
//! The current device is a property of each thread, and that of the caller's thread belongs to the caller. So devices
//! are opened and used only on other threads, and without the interpreter's lock, which the pending work of others
//! may need.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use lacuna::cubical::ecc::scales::Scales;
use lacuna::cubical::ecc::{Bins, EccRequest};
use lacuna::cubical::thinning::{Rule, ThinningRequest};
use lacuna::cubical::{CubicalError, Order, Shape, VoxelType};
use lacuna::internals::{
    Arrays, Buffer, Foreign, Gpu, MergeTreeKernels, Pending, Plain, Planes, ResidentForeground, device_of,
};
use lacuna::progress::interruptible;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::choices::named;
use crate::cubical::{Number, construction, range_of, told, value};
use crate::error::Failure;
use crate::run::{Run, on_threads};

/// The location of an array: its address; its shape; C or F; its dtype kind with its size in bytes; the stream on
/// which it may still be written, or −1 for none and 0 for all; and the object that owns the memory.
#[derive(FromPyObject)]
pub(crate) struct Lent(
    u64,
    Vec<usize>,
    String,
    String,
    i64,
    #[expect(dead_code, reason = "it keeps the memory")] Py<PyAny>,
);

impl Lent {
    fn shape(&self) -> Result<Shape, Failure> {
        Ok(Shape::new(&self.1, if self.2 == "F" { Order::F } else { Order::C })?)
    }

    /// The number of the device of the array. The current device does not change.
    fn device(&self) -> Result<usize, Failure> {
        Ok(device_of(self.0)?)
    }

    /// The type of the voxels.
    fn voxel_type(&self) -> Result<VoxelType, Failure> {
        Ok(match self.3.as_str() {
            "u1" => VoxelType::U8,
            "i1" => VoxelType::I8,
            "u2" => VoxelType::U16,
            "i2" => VoxelType::I16,
            "u4" => VoxelType::U32,
            "i4" => VoxelType::I32,
            "u8" => VoxelType::U64,
            "i8" => VoxelType::I64,
            "f4" => VoxelType::F32,
            "f8" => VoxelType::F64,
            other => return Err(Failure::Value(format!("expected a type of voxels, found {other:?}"))),
        })
    }

    /// The bytes of the voxels, on an open device.
    fn voxels(&self, open: &Open, shape: Shape) -> Result<Foreign<u8>, Failure> {
        self.elements(open, shape.count() * self.voxel_type()?.bytes())
    }

    /// The first `count` elements of the array on an open device, in the type of the array or as bytes.
    fn elements<T: Plain>(&self, open: &Open, count: usize) -> Result<Foreign<T>, Failure> {
        let pending = match usize::try_from(self.4) {
            Ok(0) => Pending::All,
            Ok(stream) => Pending::Stream(stream),
            Err(_) => Pending::Nothing,
        };
        // SAFETY: whoever made the array guarantees that this many voxels of this type are at the address, contiguous,
        // on the device that the driver reports, and that the stream exists. This value holds the owner of the memory.
        // The documentation requires that callers do not write the voxels meanwhile.
        #[allow(unsafe_code)]
        Ok(unsafe { open.gpu.foreign(self.0, count, pending) }?)
    }
}

/// An open device with the loaded kernels by voxel type.
struct Open {
    gpu: Gpu,
    arrays: Mutex<HashMap<VoxelType, Arc<Arrays>>>,
    merge_tree: Mutex<Option<Arc<MergeTreeKernels>>>,
}

/// The devices that arrays have been on so far. They stay open.
static DEVICES: Mutex<Vec<Arc<Open>>> = Mutex::new(Vec::new());

impl Open {
    /// Opens the device with the given number, unless it is open.
    fn at(ordinal: usize) -> Result<Arc<Open>, Failure> {
        let mut devices = DEVICES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = devices.iter().find(|open| open.gpu.ordinal() == ordinal) {
            return Ok(Arc::clone(open));
        }
        let open = Arc::new(Open {
            gpu: Gpu::open(ordinal, None)?,
            arrays: Mutex::default(),
            merge_tree: Mutex::default(),
        });
        devices.push(Arc::clone(&open));
        Ok(open)
    }

    /// Loads the kernels for arrays of a type, unless they are loaded.
    fn arrays(&self, voxels: VoxelType) -> Result<Arc<Arrays>, Failure> {
        let mut all = self.arrays.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(arrays) = all.get(&voxels) {
            return Ok(Arc::clone(arrays));
        }
        let arrays = Arc::new(Arrays::new(&self.gpu, voxels)?);
        all.insert(voxels, Arc::clone(&arrays));
        Ok(arrays)
    }

    /// Loads the kernels of merge trees, unless they are loaded.
    fn merge_tree(&self) -> Result<Arc<MergeTreeKernels>, Failure> {
        let mut loaded = self.merge_tree.lock().unwrap_or_else(PoisonError::into_inner);
        if loaded.is_none() {
            *loaded = Some(Arc::new(MergeTreeKernels::load(&self.gpu)?));
        }
        Ok(loaded.clone().expect("loaded"))
    }
}

/// Finds the bars of planes, whose levels and places are sorted, as [`MergeTreeKernels::bars`] does, and returns how
/// many there are.
#[pyfunction]
pub(crate) fn bars_of_planes(
    py: Python<'_>,
    levels: Lent,
    places: Lent,
    memory: Lent,
    touch: bool,
    dims: usize,
    threshold: f64,
) -> PyResult<Option<Vec<u32>>> {
    on_threads(py, Some(1), None, |_| {
        let &[count, rows, columns] = places.1.as_slice() else {
            return Err(Failure::Value(format!("expected planes (n, rows, columns), found {:?}", places.1)));
        };
        let open = Open::at(places.device()?)?;
        let shape = places.shape()?;
        let mut memory = memory.elements(&open, memory.1.iter().product())?;
        let (places, levels) = (places.elements(&open, shape.count())?, levels.voxels(&open, shape)?);
        let planes = Planes { count, rows, columns, touch, places: &places, levels: &levels };
        Ok(open.merge_tree()?.bars(&planes, dims, threshold, memory.output())?)
    })
}

/// Returns the Euler characteristic curves of an image on a device at the given scales, each as its values and
/// changes.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "they are those of the Python function")]
pub(crate) fn ecc_on_device<'py>(
    py: Python<'py>,
    array: Lent,
    bins: Option<usize>,
    range: Option<(Number, Number)>,
    construction: &str,
    superlevel: bool,
    scales: Option<(usize, f64, usize)>,
    run: &Run,
) -> PyResult<Bound<'py, PyList>> {
    let construction = self::construction(construction)?;
    let range = range_of(range)?;
    let bins = bins.map_or(Bins::Distinct, |count| Bins::Uniform { count, range });
    let request = EccRequest { construction, superlevel, bins };
    let scales = scales.map(|(count, sigma, taps)| Scales { count, sigma, taps });
    // An array without voxels may have no address.
    let shape = array.shape()?;
    let ordinal = array.device()?;
    let found = on_threads(py, Some(1), Some(run), |progress| {
        let open = Open::at(ordinal)?;
        let arrays = open.arrays(array.voxel_type()?)?;
        let image = arrays.image(array.voxels(&open, shape)?, shape)?;
        let Some(scales) = &scales else {
            return Ok(vec![image.curve(&request).map_err(CubicalError::from)?]);
        };
        interruptible(progress, |progress| {
            progress.begin("curve", None, (image.count() * scales.count) as u64);
            Ok(image.curves(&request, scales, &|voxels| progress.advance(voxels))?)
        })
    })?;
    told(py, found)
}

/// Returns the skeleton of an image on a device, which stays there.
#[pyfunction]
pub(crate) fn thin_on_device(
    py: Python<'_>,
    array: Lent,
    rule: Option<&str>,
    iterations: Option<usize>,
    threshold: Option<Number>,
    invert: bool,
    run: &Run,
) -> PyResult<DeviceArray> {
    let rule = rule.map(|name| named("rule", &Rule::ALL, name)).transpose()?;
    let request = ThinningRequest { rule, iterations };
    let above = threshold.map(|number| value("threshold", number)).transpose()?;
    let foreground = ResidentForeground { above, inverted: invert };
    let shape = array.shape()?;
    let ordinal = array.device()?;
    let (voxels, gpu) = on_threads(py, Some(1), Some(run), |progress| {
        let open = Open::at(ordinal)?;
        let arrays = open.arrays(array.voxel_type()?)?;
        let image = arrays.image(array.voxels(&open, shape)?, shape)?;
        interruptible(progress, |progress| {
            progress.begin("thinning", None, 1);
            // Reporting no progress still checks whether the run is to end.
            let watch = &mut |_| progress.advance(0);
            let found = image.skeleton(foreground, &request, watch).map_err(CubicalError::from)?;
            Ok((found.voxels, open.gpu.clone()))
        })
    })?;
    Ok(DeviceArray { voxels: Some(voxels), gpu, axes: array.1 })
}

/// An array of Booleans on a GPU in C order. `cupy.asarray(array)`, `torch.as_tensor(array, device="cuda")` and
/// `numba.cuda.as_cuda_array(array)` use it in place; `array.copy_to_host()` returns a NumPy array.
#[pyclass(module = "lacuna_tda._lacuna", frozen)]
pub(crate) struct DeviceArray {
    /// The voxels; `None` only while the array is dropped.
    voxels: Option<Buffer<u8>>,
    gpu: Gpu,
    axes: Vec<usize>,
}

#[pymethods]
impl DeviceArray {
    /// The number of voxels along each axis.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyTuple>> {
        pyo3::types::PyTuple::new(py, &self.axes)
    }

    /// The location of the array for other libraries. All work on it is done.
    #[getter]
    fn __cuda_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let interface = PyDict::new(py);
        interface.set_item("shape", self.shape(py)?)?;
        interface.set_item("typestr", "|b1")?;
        interface.set_item("data", (self.voxels.as_ref().map_or(0, Buffer::address), false))?;
        interface.set_item("strides", py.None())?;
        interface.set_item("stream", py.None())?;
        interface.set_item("version", 3)?;
        Ok(interface)
    }

    /// Copies the array to a NumPy array.
    fn copy_to_host<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let read = || match &self.voxels {
            Some(voxels) => self.gpu.read(voxels, 0..voxels.len()),
            None => Ok(Vec::new()),
        };
        // Pending writes of other libraries finish first.
        let voxels = on_threads(py, Some(1), None, |_| Ok(self.gpu.finish_all().and_then(|()| read())?))?;
        let array = PyArray1::from_vec(py, voxels).into_any();
        array.call_method1("view", ("bool",))?.call_method1("reshape", (self.shape(py)?,))
    }

    fn __repr__(&self) -> String {
        format!("<DeviceArray {:?} of bool on {}>", self.axes, self.gpu.name())
    }
}

impl Drop for DeviceArray {
    fn drop(&mut self) {
        let DeviceArray { voxels, gpu, .. } = self;
        let free = || {
            // Other libraries may still read it on their streams. An error of the driver is reported by another call.
            let _ = gpu.finish_all();
            voxels.take();
        };
        let is_free = Python::attach(|py| {
            py.detach(|| thread::scope(|scope| thread::Builder::new().spawn_scoped(scope, free).is_ok()))
        });
        // If no thread could be started, the memory is freed with the value, on this thread.
        if !is_free {
            let _ = gpu.finish_all();
        }
    }
}
