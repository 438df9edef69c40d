//! Euler characteristic curve on the GPU.
//!
//! | rows | method |
//! |---|---|
//! | keys of 8 or 16 bits | march along the slowest axis, counting by key (`kernels/ecc.cu`); bins are sums of keys |
//! | bins of wider keys | the same march, on an image of bin numbers |
//! | distinct wider keys | pairs of key and number are sorted and added up (`kernels/ecc_rows.cu`) |
//!
//! The image is in one device buffer ([`ecc_device`]), or comes in parts. Totals have 64 bits. If device memory does
//! not suffice to sort all pairs, or for the image of bin numbers, fewer voxels are processed at a time; if it does not
//! suffice for even a few, the run fails.

use std::ops::Range;
use std::sync::Mutex;

use crate::cubical::construction::Construction;
use crate::cubical::ecc::bins::{Bins, BinsError, Edges, curve_of, finite_range, ordered};
use crate::cubical::ecc::error::{EccError, MachineError};
use crate::cubical::ecc::request::EccRequest;
use crate::cubical::ecc::run::Run;
use crate::cubical::ecc::vcec::Vcec;
use crate::cubical::key::Key;
use crate::cubical::shape::Shape;
use crate::cubical::value::Value;
use crate::cuda::ecc::{EccKernels, KeyOrder, Part, Totals};
use crate::cuda::ecc_rows::{Ends, PresentKernel, RowKernels, RowNumber};
use crate::cuda::{Buffer, CudaError, Gpu, KernelVoxel, Pinned};

/// Least number of voxels whose pairs are sorted at a time.
const LEAST_PAIRS: usize = 1 << 16;

/// Computes the curve of an image that is in a device buffer, in memory order.
///
/// # Errors
/// [`MachineError`]: the bins are invalid; the device fails, or has too little memory for the totals or for the pairs
/// of a few voxels.
///
/// # Panics
/// Panics if the buffer has fewer voxels than the shape.
pub fn ecc_device<T: KernelVoxel>(
    gpu: &Gpu,
    voxels: &Buffer<T>,
    shape: Shape,
    request: &EccRequest,
) -> Result<Vcec, MachineError> {
    Prepared::new(gpu)?.curve(voxels, shape, request)
}

/// A device with the kernels for voxels of type `T` loaded.
pub struct Prepared<T: KernelVoxel> {
    pub(super) gpu: Gpu,
    kernels: Kernels<T>,
    /// Page-locked host memory kept for the next stream. Of streams counted concurrently, one's is kept.
    pub(super) spare: Mutex<Vec<Pinned<T>>>,
}

enum Kernels<T: KernelVoxel> {
    /// Kernels for keys of 8 or 16 bits, which march over the voxels themselves.
    Narrow { march: Box<EccKernels<T>>, present: Box<PresentKernel<T>> },
    /// Kernels for wider keys, which march over bin numbers.
    Wide { march: Box<EccKernels<u16>>, march_many: Box<EccKernels<u32>>, rows: Box<RowKernels<T>> },
}

/// The keys that occur in an image.
pub(in crate::cubical::ecc) struct Present {
    low: u64,
    high: u64,
    /// A flag for each key, whether it occurs.
    flags: Buffer<u32>,
}

impl<T: KernelVoxel> Prepared<T> {
    /// Loads the kernels onto the device.
    ///
    /// # Errors
    /// The error of the driver.
    pub fn new(gpu: &Gpu) -> Result<Self, CudaError> {
        let kernels = if T::Key::BITS <= 16 {
            let (march, present) = (EccKernels::load(gpu)?, PresentKernel::load(gpu)?);
            Kernels::Narrow { march: Box::new(march), present: Box::new(present) }
        } else {
            let (march, march_many) = (EccKernels::load(gpu)?, EccKernels::load(gpu)?);
            let rows = Box::new(RowKernels::load(gpu)?);
            Kernels::Wide { march: Box::new(march), march_many: Box::new(march_many), rows }
        };
        Ok(Prepared { gpu: gpu.clone(), kernels, spare: Mutex::default() })
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Computes the curve of an image in a buffer, like [`ecc_device`].
    ///
    /// # Errors
    /// The errors of [`ecc_device`].
    ///
    /// # Panics
    /// Panics like [`ecc_device`].
    pub fn curve(
        &self,
        voxels: &Buffer<T>,
        shape: Shape,
        request: &EccRequest,
    ) -> Result<Vcec, MachineError> {
        let mut resident = self.resident(voxels, shape, request)?;
        resident.count()?;
        resident.finish()
    }

    /// Prepares repeated counts of an image in a buffer.
    ///
    /// # Errors
    /// The errors of [`ecc_device`].
    pub fn resident<'p>(
        &'p self,
        voxels: &'p Buffer<T>,
        shape: Shape,
        request: &EccRequest,
    ) -> Result<Resident<'p, T>, MachineError> {
        let part = whole(voxels, shape);
        Ok(Resident { counting: self.begin(&part, request)?, part })
    }

    /// Finds the key range where the count needs it, and begins the count.
    fn begin(&self, part: &Part<'_, T>, request: &EccRequest) -> Result<Counting<'_, T>, MachineError> {
        request.bins.check()?;
        let (gpu, order) = (&self.gpu, order_of(request));
        let mut request = *request;
        let mut present = None;
        match (&self.kernels, request.bins) {
            (Kernels::Narrow { present: kernel, .. }, _) if T::Key::BITS > 8 => {
                // 2^16 counters are too many for a block, but few images have all of these keys.
                let mut flags = PresentKernel::<T>::flags(gpu)?;
                kernel.mark(part, order, &mut flags)?;
                let found = PresentKernel::<T>::fetch(gpu, &flags)?;
                let ends = [found.iter().position(|&found| found), found.iter().rposition(|&found| found)];
                let [low, high] = ends.map(|key| key.expect("an image has a voxel") as u64);
                present = Some(Present { low, high, flags });
            }
            (Kernels::Wide { rows, .. }, Bins::Uniform { count, range: None }) => {
                let (first, last) = rows.range(gpu, part, order)?;
                let [first, last]: [Value; 2] =
                    [first, last].map(|key| T::of_ordered(key, request.superlevel).into());
                let range = if first.is_finite() && last.is_finite() {
                    ordered(first, last)
                } else {
                    // Bins divide the range of finite voxels; the CPU finds it in the rare case of infinite ones.
                    let voxels = gpu.read(part.voxels, 0..part.planes * part.plane())?;
                    finite_range(&voxels).ok_or(BinsError::NoneFinite)?
                };
                request.bins = Bins::Uniform { count, range: Some(range) };
            }
            _ => {}
        }
        Counting::begin(self, &request, present)
    }
}

/// An image on a device, which can be counted repeatedly to measure the kernels alone.
pub struct Resident<'p, T: KernelVoxel> {
    counting: Counting<'p, T>,
    part: Part<'p, T>,
}

impl<T: KernelVoxel> Resident<'_, T> {
    /// Starts one more count without waiting for it.
    ///
    /// # Errors
    /// The error of the driver.
    pub fn count(&mut self) -> Result<(), CudaError> {
        self.counting.count(&self.part)
    }

    /// Returns the changes, summed over all counts.
    ///
    /// # Errors
    /// [`MachineError`]: the driver reports an error, or the bins are invalid for the range of the voxels.
    pub fn finish(self) -> Result<Vcec, MachineError> {
        self.counting.finish(Some(&self.part))
    }
}

/// Extents for the kernels: an image of one plane becomes planes of one row each, which does not affect the curve.
pub(super) fn arranged(shape: Shape) -> [usize; 3] {
    let [planes, rows, columns] = shape.extents();
    if planes == 1 { [rows, 1, columns] } else { [planes, rows, columns] }
}

/// The whole image as one part for the kernels.
pub(in crate::cubical::ecc) fn whole<T>(voxels: &Buffer<T>, shape: Shape) -> Part<'_, T> {
    let [planes, rows, columns] = arranged(shape);
    Part { voxels, planes, rows, columns, from: 0, to: planes }
}

fn order_of(request: &EccRequest) -> KeyOrder {
    KeyOrder { is_vertex: request.construction == Construction::V, superlevel: request.superlevel }
}

/// A curve in progress: parts of an image are counted one after another.
pub(in crate::cubical::ecc) struct Counting<'p, T: KernelVoxel> {
    pub(super) prepared: &'p Prepared<T>,
    request: EccRequest,
    order: KeyOrder,
    found: Found<'p, T>,
}

/// Totals so far.
enum Found<'p, T: KernelVoxel> {
    /// Totals at each key from `low` on.
    Keys {
        march: &'p EccKernels<T>,
        present: &'p PresentKernel<T>,
        low: u64,
        totals: Totals,
        flags: Option<Buffer<u32>>,
    },
    /// Totals in each bin.
    Bins {
        rows: &'p RowKernels<T>,
        edges: Edges<T::Key>,
        ends: Ends<T>,
        totals: Totals,
        numbers: Numbers<'p>,
    },
    /// Sums of the distinct keys so far, ascending in filtration order.
    Distinct { rows: &'p RowKernels<T>, found: Run<T::Key> },
}

/// Buffer for an image of bin numbers, with the kernels that march over it.
enum Numbers<'p> {
    Narrow(&'p EccKernels<u16>, Option<Buffer<u16>>),
    Wide(&'p EccKernels<u32>, Option<Buffer<u32>>),
}

impl<'p, T: KernelVoxel> Counting<'p, T> {
    /// Begins a count. Keys of up to 16 bits are counted in the range of `present`, if it is known.
    pub(in crate::cubical::ecc) fn begin(
        prepared: &'p Prepared<T>,
        request: &EccRequest,
        present: Option<Present>,
    ) -> Result<Self, MachineError> {
        let gpu = &prepared.gpu;
        let order = order_of(request);
        let found = match (&prepared.kernels, request.bins) {
            (Kernels::Narrow { march, present: kernel }, _) => {
                let (low, high, flags) = match present {
                    Some(Present { low, high, flags }) => (low, high, Some(flags)),
                    None => (0, T::Key::MAX.to_u64(), None),
                };
                let totals = Totals::new(gpu, (high - low + 1) as usize)?;
                Found::Keys { march, present: kernel, low, totals, flags }
            }
            (Kernels::Wide { rows, .. }, Bins::Distinct) => Found::Distinct { rows, found: Run::default() },
            (Kernels::Wide { march, march_many, rows }, Bins::Uniform { count, range }) => {
                let range = range.ok_or(EccError::Range(T::NAME))?;
                let edges = Edges::uniform::<T>(count, range, request.superlevel)?;
                let ends = Ends::new(gpu, &edges.keys, order)?;
                // The number `count` stands for voxels past the last bin.
                let numbers = if count < 1 << 16 {
                    Numbers::Narrow(march, None)
                } else {
                    Numbers::Wide(march_many, None)
                };
                Found::Bins { rows, edges, ends, totals: Totals::new(gpu, count)?, numbers }
            }
        };
        Ok(Counting { prepared, request: *request, order, found })
    }

    /// Counts a part of the image.
    pub(in crate::cubical::ecc) fn count(&mut self, part: &Part<'_, T>) -> Result<(), CudaError> {
        let gpu = &self.prepared.gpu;
        match &mut self.found {
            Found::Keys { march, low, totals, .. } => march.march(part, self.order, *low as u32, totals),
            Found::Bins { rows, ends, totals, numbers, .. } => {
                let binned = Binned { gpu, rows, ends, order: self.order };
                match numbers {
                    Numbers::Narrow(march, buffer) => binned.count(march, part, buffer, totals),
                    Numbers::Wide(march, buffer) => binned.count(march, part, buffer, totals),
                }
            }
            Found::Distinct { rows, found } => count_distinct(gpu, rows, part, self.order, found),
        }
    }

    /// The total of each key or bin, and whether anything was counted there; empty for distinct wider keys.
    fn fetch(&self) -> Result<Vec<(i64, bool)>, CudaError> {
        match &self.found {
            Found::Keys { totals, .. } | Found::Bins { totals, .. } => {
                totals.fetch(&self.prepared.gpu, self.order)
            }
            Found::Distinct { .. } => Ok(Vec::new()),
        }
    }

    /// Flags the keys that occur in a part, including those at which nothing was counted.
    pub(super) fn mark(&mut self, part: &Part<'_, T>) -> Result<(), CudaError> {
        let Found::Keys { present, flags, .. } = &mut self.found else { return Ok(()) };
        if flags.is_none() {
            *flags = Some(PresentKernel::<T>::flags(&self.prepared.gpu)?);
        }
        flags.as_mut().map_or(Ok(()), |flags| present.mark(part, self.order, flags))
    }

    /// Returns the curve, after all parts have been counted. If there was only one `part`, its keys need not be marked
    /// before.
    pub(super) fn finish(mut self, part: Option<&Part<'_, T>>) -> Result<Vcec, MachineError> {
        let counted = self.fetch()?;
        // A key may occur although nothing was counted at it, so that its row would be missing.
        let may_lack_rows = matches!(self.found, Found::Keys { flags: None, .. })
            && counted.iter().any(|&(_, is_touched)| !is_touched);
        if let Some(part) = part.filter(|_| may_lack_rows) {
            self.mark(part)?;
        }
        let run = match self.found {
            Found::Bins { edges, .. } => {
                let changes = counted.into_iter().map(|(change, _)| change).collect();
                return Ok(Vcec { values: edges.values, changes });
            }
            Found::Distinct { found, .. } => found,
            Found::Keys { low, flags, .. } => {
                let gpu = &self.prepared.gpu;
                let present = flags.map(|flags| PresentKernel::<T>::fetch(gpu, &flags)).transpose()?;
                let is_present = |key: u64| present.as_ref().is_some_and(|present| present[key as usize]);
                let rows = (low..)
                    .zip(counted)
                    .filter(|&(key, (_, is_touched))| is_touched || is_present(key))
                    .map(|(key, (change, _))| (T::Key::from_u64(key), change));
                let (keys, sums) = rows.unzip();
                Run { keys, sums }
            }
        };
        Ok(curve_of::<T>(run, &self.request)?)
    }

    /// Number of totals if wide keys are counted in bins, else `None`.
    pub(in crate::cubical::ecc) fn levels(&self) -> Option<usize> {
        let Found::Bins { totals, .. } = &self.found else { return None };
        Some(totals.levels())
    }

    /// Starts the transfer of the totals of bins to the host and resets them to zero.
    pub(in crate::cubical::ecc) fn hand_over(&mut self, to: &mut Pinned<u64>) -> Result<(), CudaError> {
        let Found::Bins { totals, numbers, .. } = &mut self.found else { return Ok(()) };
        match numbers {
            Numbers::Narrow(march, _) => march.hand_over(totals, to),
            Numbers::Wide(march, _) => march.hand_over(totals, to),
        }
    }

    /// The curve of transferred totals; `None` unless they are totals of bins.
    pub(in crate::cubical::ecc) fn curve_of_handed(&self, handed: &[u64]) -> Option<Vcec> {
        let Found::Bins { edges, .. } = &self.found else { return None };
        Some(Vcec { values: edges.values.clone(), changes: Totals::changes(handed, self.order) })
    }
}

/// Counts voxels in bins.
struct Binned<'a, T: KernelVoxel> {
    gpu: &'a Gpu,
    rows: &'a RowKernels<T>,
    ends: &'a Ends<T>,
    order: KeyOrder,
}

impl<T: KernelVoxel> Binned<'_, T> {
    /// Counts a part, with as many planes at a time as memory for bin numbers allows.
    fn count<R: RowNumber>(
        &self,
        march: &EccKernels<R>,
        part: &Part<'_, T>,
        buffer: &mut Option<Buffer<R>>,
        totals: &mut Totals,
    ) -> Result<(), CudaError> {
        // Bin numbers are in filtration order already.
        let order = KeyOrder { superlevel: false, ..self.order };
        let (mut from, mut step) = (part.from, part.to - part.from);
        while from < part.to {
            let to = part.to.min(from + step);
            let held = from.saturating_sub(1)..part.planes.min(to + 1);
            let voxels = held.start * part.plane()..held.end * part.plane();
            match self.numbers(part, voxels, buffer) {
                Ok(numbers) => {
                    let (from, to) = (from - held.start, to - held.start);
                    let Part { rows, columns, .. } = *part;
                    let part = Part { voxels: numbers, planes: held.len(), rows, columns, from, to };
                    march.march(&part, order, 0, totals)?;
                }
                Err(CudaError::OutOfMemory { .. }) if step > 1 => {
                    step = step.div_ceil(2);
                    continue;
                }
                Err(error) => return Err(error),
            }
            from = to;
        }
        Ok(())
    }

    /// Computes the bin numbers of a range of voxels, at the start of the buffer.
    fn numbers<'b, R: RowNumber>(
        &self,
        part: &Part<'_, T>,
        voxels: Range<usize>,
        buffer: &'b mut Option<Buffer<R>>,
    ) -> Result<&'b Buffer<R>, CudaError> {
        let mut numbers = match buffer.take().filter(|buffer| buffer.len() >= voxels.len()) {
            Some(numbers) => numbers,
            None => self.gpu.zeros(voxels.len())?,
        };
        self.rows.bins(part.voxels, voxels, self.order, self.ends, &mut numbers)?;
        Ok(buffer.insert(numbers))
    }
}

/// Counts at distinct keys, with as many voxels at a time as memory for their pairs allows.
fn count_distinct<T: KernelVoxel>(
    gpu: &Gpu,
    rows: &RowKernels<T>,
    part: &Part<'_, T>,
    order: KeyOrder,
    found: &mut Run<T::Key>,
) -> Result<(), CudaError> {
    let counted = part.counted();
    let room = gpu.available()? as usize / RowKernels::<T>::BYTES;
    let (mut first, mut most) = (counted.start, (room - room / 16).max(LEAST_PAIRS));
    while first < counted.end {
        let end = counted.end.min(first.saturating_add(most));
        match rows.rows(gpu, part, first..end, order) {
            Ok((keys, sums)) if found.keys.is_empty() => *found = Run { keys, sums },
            Ok((keys, sums)) => *found = Run::merged(found, &Run { keys, sums }),
            Err(CudaError::OutOfMemory { .. }) if end - first > LEAST_PAIRS => {
                most = (end - first) / 2;
                continue;
            }
            Err(error) => return Err(error),
        }
        first = end;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
