//! Euler characteristic curve on the GPU.
//!
//! | rows | method |
//! |---|---|
//! | keys of 8 or 16 bits | march along the slowest axis, counting by key (`kernels/ecc.cu`); bins are sums of keys |
//! | bins of wider keys | the same march, on an image of bin numbers |
//! | distinct wider keys | pairs of key and number are sorted and added up (`kernels/ecc_rows.cu`) |
//!
//! The bytes of the image are in one device buffer ([`Prepared::curve`]), or come in parts. Totals have 64 bits. If
//! device memory does not suffice to sort all pairs, or for the image of bin numbers, fewer voxels are processed at a
//! time; if it does not suffice for even a few, the run fails.

use std::sync::Mutex;

use zerocopy::IntoBytes as _;

use crate::cubical::construction::Construction;
use crate::cubical::ecc::bins::{Bins, BinsError, Edges, curve_of, finite_range, ordered};
use crate::cubical::ecc::error::{EccError, MachineError};
use crate::cubical::ecc::request::EccRequest;
use crate::cubical::ecc::run::Run;
use crate::cubical::ecc::vcec::{Values, Vcec};
use crate::cubical::order::VoxelOrder;
use crate::cubical::shape::Shape;
use crate::cubical::voxel::VoxelType;
use crate::cuda::ecc::{EccKernels, KeyOrder, Part, Totals};
use crate::cuda::ecc_rows::{Ends, PresentKernel, RowKernels};
use crate::cuda::{Buffer, CudaError, Gpu, Pinned};
use crate::with_voxels;

/// Least number of voxels whose pairs are sorted at a time.
const LEAST_PAIRS: usize = 1 << 16;

/// A device with the kernels for a type of voxels loaded.
pub struct Prepared {
    pub(super) gpu: Gpu,
    voxels: VoxelType,
    kernels: Kernels,
    /// Page-locked host memory kept for the next stream. Of streams counted concurrently, one's is kept.
    pub(super) spare: Mutex<Vec<Pinned<u8>>>,
}

enum Kernels {
    /// Kernels for keys of 8 or 16 bits, which march over the voxels themselves.
    Narrow { march: Box<EccKernels>, present: Box<PresentKernel> },
    /// Kernels for wider keys, which march over bin numbers of 16 bits, or of 32 bits if there are many bins.
    Wide { march: Box<EccKernels>, march_many: Box<EccKernels>, rows: Box<RowKernels> },
}

/// The keys that occur in an image.
pub(in crate::cubical::ecc) struct Present {
    low: u64,
    high: u64,
    /// A flag for each key, whether it occurs.
    flags: Buffer<u32>,
}

impl Prepared {
    /// Loads the kernels for voxels of a type onto the device.
    ///
    /// # Errors
    /// The error of the driver.
    pub fn new(gpu: &Gpu, voxels: VoxelType) -> Result<Self, CudaError> {
        let march = |voxels| EccKernels::load(gpu, voxels).map(Box::new);
        let kernels = if voxels.bits() <= 16 {
            Kernels::Narrow { march: march(voxels)?, present: Box::new(PresentKernel::load(gpu, voxels)?) }
        } else {
            let (march, march_many) = (march(VoxelType::U16)?, march(VoxelType::U32)?);
            Kernels::Wide { march, march_many, rows: Box::new(RowKernels::load(gpu, voxels)?) }
        };
        Ok(Prepared { gpu: gpu.clone(), voxels, kernels, spare: Mutex::default() })
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// The type of the voxels.
    pub fn voxels(&self) -> VoxelType {
        self.voxels
    }

    /// Computes the curve of an image whose bytes are in a buffer, in memory order.
    ///
    /// # Errors
    /// [`MachineError`]: the bins are invalid; the device fails, or has too little memory for the totals or for the
    /// pairs of a few voxels.
    ///
    /// # Panics
    /// Panics if the buffer has fewer voxels than the shape.
    pub fn curve(
        &self,
        image: &Buffer<u8>,
        shape: Shape,
        request: &EccRequest,
    ) -> Result<Vcec, MachineError> {
        let mut resident = self.resident(image, shape, request)?;
        resident.count()?;
        resident.finish()
    }

    /// Prepares repeated counts of an image in a buffer.
    ///
    /// # Errors
    /// The errors of [`Prepared::curve`].
    pub fn resident<'p>(
        &'p self,
        image: &'p Buffer<u8>,
        shape: Shape,
        request: &EccRequest,
    ) -> Result<Resident<'p>, MachineError> {
        request.check(shape)?;
        let part = whole(image, shape);
        Ok(Resident { counting: self.begin(&part, request)?, part })
    }

    /// Finds the key range where the count needs it, and begins the count.
    fn begin(&self, part: &Part<'_>, request: &EccRequest) -> Result<Counting<'_>, MachineError> {
        request.bins.check()?;
        let (gpu, order) = (&self.gpu, order_of(request));
        let mut request = *request;
        let mut present = None;
        match (&self.kernels, request.bins) {
            (Kernels::Narrow { present: kernel, .. }, _) if self.voxels.bits() > 8 => {
                // 2^16 counters are too many for a block, but few images have all of these keys.
                let mut flags = kernel.flags(gpu)?;
                kernel.mark(part, order, &mut flags)?;
                let found = PresentKernel::fetch(gpu, &flags)?;
                let ends = [found.iter().position(|&found| found), found.iter().rposition(|&found| found)];
                let [low, high] = ends.map(|key| key.expect("an image has a voxel") as u64);
                present = Some(Present { low, high, flags });
            }
            (Kernels::Wide { rows, .. }, Bins::Uniform { count, range: None }) => {
                let ends = rows.range(gpu, part, order)?;
                let order = VoxelOrder::new(self.voxels, request.superlevel);
                let [first, last] = ends.map(|key| order.value(key));
                let range = if first.is_finite() && last.is_finite() {
                    Some(ordered(first, last))
                } else {
                    // Bins divide the range of finite voxels; the CPU finds it in the rare case of infinite ones.
                    let count = part.planes * part.plane();
                    let bytes = gpu.read(part.voxels, 0..count * self.voxels.bytes())?;
                    with_voxels!(self.voxels, T => {
                        let mut voxels = vec![T::default(); count];
                        voxels.as_mut_bytes().copy_from_slice(&bytes);
                        finite_range(&voxels)
                    })
                };
                request.bins = Bins::Uniform { count, range: Some(range.ok_or(BinsError::NoneFinite)?) };
            }
            _ => {}
        }
        Counting::begin(self, &request, present)
    }
}

/// An image on a device, which can be counted repeatedly to measure the kernels alone.
pub struct Resident<'p> {
    counting: Counting<'p>,
    part: Part<'p>,
}

impl Resident<'_> {
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
pub(in crate::cubical::ecc) fn whole(voxels: &Buffer<u8>, shape: Shape) -> Part<'_> {
    let [planes, rows, columns] = arranged(shape);
    Part { voxels, planes, rows, columns, from: 0, to: planes }
}

fn order_of(request: &EccRequest) -> KeyOrder {
    KeyOrder { is_vertex: request.construction == Construction::V, superlevel: request.superlevel }
}

/// A curve in progress: parts of an image are counted one after another.
pub(in crate::cubical::ecc) struct Counting<'p> {
    pub(super) prepared: &'p Prepared,
    request: EccRequest,
    order: KeyOrder,
    found: Found<'p>,
}

/// Totals so far.
enum Found<'p> {
    /// Totals at each key from `low` on.
    Keys {
        march: &'p EccKernels,
        present: &'p PresentKernel,
        low: u64,
        totals: Totals,
        flags: Option<Buffer<u32>>,
    },
    /// Totals in each bin.
    Bins { rows: &'p RowKernels, values: Values, ends: Ends, totals: Totals, numbers: Numbers<'p> },
    /// Sums of the distinct keys so far, ascending in filtration order.
    Distinct { rows: &'p RowKernels, found: Run<u64> },
}

/// The bytes of an image of bin numbers, with the kernels that march over it.
struct Numbers<'p> {
    march: &'p EccKernels,
    buffer: Option<Buffer<u8>>,
}

impl<'p> Counting<'p> {
    /// Begins a count. Keys of up to 16 bits are counted in the range of `present`, if it is known.
    pub(in crate::cubical::ecc) fn begin(
        prepared: &'p Prepared,
        request: &EccRequest,
        present: Option<Present>,
    ) -> Result<Self, MachineError> {
        let (gpu, voxels) = (&prepared.gpu, prepared.voxels);
        let order = order_of(request);
        let found = match (&prepared.kernels, request.bins) {
            (Kernels::Narrow { march, present: kernel }, _) => {
                let (low, high, flags) = match present {
                    Some(Present { low, high, flags }) => (low, high, Some(flags)),
                    None => (0, (1 << voxels.bits()) - 1, None),
                };
                let totals = Totals::new(gpu, (high - low + 1) as usize)?;
                Found::Keys { march, present: kernel, low, totals, flags }
            }
            (Kernels::Wide { rows, .. }, Bins::Distinct) => Found::Distinct { rows, found: Run::default() },
            (Kernels::Wide { march, march_many, rows }, Bins::Uniform { count, range }) => {
                let range = range.ok_or(EccError::Range(voxels.name()))?;
                let edges = Edges::uniform(count, range, VoxelOrder::new(voxels, request.superlevel))?;
                let Edges { values, keys } = edges;
                let ends = Ends::new(gpu, voxels, &keys, order)?;
                // The number `count` stands for voxels past the last bin.
                let numbers =
                    Numbers { march: if count < 1 << 16 { march } else { march_many }, buffer: None };
                Found::Bins { rows, values, ends, totals: Totals::new(gpu, count)?, numbers }
            }
        };
        Ok(Counting { prepared, request: *request, order, found })
    }

    /// Counts a part of the image.
    pub(in crate::cubical::ecc) fn count(&mut self, part: &Part<'_>) -> Result<(), CudaError> {
        let gpu = &self.prepared.gpu;
        match &mut self.found {
            Found::Keys { march, low, totals, .. } => march.march(part, self.order, *low as u32, totals),
            Found::Bins { rows, ends, totals, numbers, .. } => {
                numbers.count(gpu, rows, ends, part, self.order, totals)
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
    pub(super) fn mark(&mut self, part: &Part<'_>) -> Result<(), CudaError> {
        let Found::Keys { present, flags, .. } = &mut self.found else { return Ok(()) };
        if flags.is_none() {
            *flags = Some(present.flags(&self.prepared.gpu)?);
        }
        flags.as_mut().map_or(Ok(()), |flags| present.mark(part, self.order, flags))
    }

    /// Returns the curve, after all parts have been counted. If there was only one `part`, its keys need not be marked
    /// before.
    pub(super) fn finish(mut self, part: Option<&Part<'_>>) -> Result<Vcec, MachineError> {
        let counted = self.fetch()?;
        // A key may occur although nothing was counted at it, so that its row would be missing.
        let may_lack_rows = matches!(self.found, Found::Keys { flags: None, .. })
            && counted.iter().any(|&(_, is_touched)| !is_touched);
        if let Some(part) = part.filter(|_| may_lack_rows) {
            self.mark(part)?;
        }
        let run = match self.found {
            Found::Bins { values, .. } => {
                let changes = counted.into_iter().map(|(change, _)| change).collect();
                return Ok(Vcec { values, changes });
            }
            Found::Distinct { found, .. } => found,
            Found::Keys { low, flags, .. } => {
                let gpu = &self.prepared.gpu;
                let present = flags.map(|flags| PresentKernel::fetch(gpu, &flags)).transpose()?;
                let is_present = |key: u64| present.as_ref().is_some_and(|present| present[key as usize]);
                let rows = (low..)
                    .zip(counted)
                    .filter(|&(key, (_, is_touched))| is_touched || is_present(key))
                    .map(|(key, (change, _))| (key, change));
                let (keys, sums) = rows.unzip();
                Run { keys, sums }
            }
        };
        let order = VoxelOrder::new(self.prepared.voxels, self.request.superlevel);
        Ok(curve_of(run, &self.request, order)?)
    }

    /// Number of totals if wide keys are counted in bins, else `None`.
    pub(in crate::cubical::ecc) fn levels(&self) -> Option<usize> {
        let Found::Bins { totals, .. } = &self.found else { return None };
        Some(totals.levels())
    }

    /// Starts the transfer of the totals of bins to the host and resets them to zero.
    pub(in crate::cubical::ecc) fn hand_over(&mut self, to: &mut Pinned<u64>) -> Result<(), CudaError> {
        let Found::Bins { totals, numbers, .. } = &mut self.found else { return Ok(()) };
        numbers.march.hand_over(totals, to)
    }

    /// The curve of transferred totals; `None` unless they are totals of bins.
    pub(in crate::cubical::ecc) fn curve_of_handed(&self, handed: &[u64]) -> Option<Vcec> {
        let Found::Bins { values, .. } = &self.found else { return None };
        Some(Vcec { values: values.clone(), changes: Totals::changes(handed, self.order) })
    }
}

impl Numbers<'_> {
    /// Counts a part in bins, with as many planes at a time as memory for bin numbers allows.
    fn count(
        &mut self,
        gpu: &Gpu,
        rows: &RowKernels,
        ends: &Ends,
        part: &Part<'_>,
        order: KeyOrder,
        totals: &mut Totals,
    ) -> Result<(), CudaError> {
        let Numbers { march, buffer } = self;
        let (mut from, mut step) = (part.from, part.to - part.from);
        while from < part.to {
            let to = part.to.min(from + step);
            let held = from.saturating_sub(1)..part.planes.min(to + 1);
            let voxels = held.start * part.plane()..held.end * part.plane();
            let bytes = voxels.len() * march.voxels.bytes();
            let numbers = match buffer.take().filter(|buffer| buffer.len() >= bytes) {
                Some(numbers) => Ok(numbers),
                None => gpu.zeros(bytes),
            };
            let mut numbers = match numbers {
                Err(CudaError::OutOfMemory { .. }) if step > 1 => {
                    step = step.div_ceil(2);
                    continue;
                }
                numbers => numbers?,
            };
            rows.bins(part.voxels, voxels, order, ends, (&mut numbers, march.voxels))?;
            let numbers = buffer.insert(numbers);
            let binned = Part {
                voxels: numbers,
                planes: held.len(),
                from: from - held.start,
                to: to - held.start,
                ..*part
            };
            // Bin numbers are in filtration order already.
            march.march(&binned, KeyOrder { superlevel: false, ..order }, 0, totals)?;
            from = to;
        }
        Ok(())
    }
}

/// Counts at distinct keys, with as many voxels at a time as memory for their pairs allows.
fn count_distinct(
    gpu: &Gpu,
    rows: &RowKernels,
    part: &Part<'_>,
    order: KeyOrder,
    found: &mut Run<u64>,
) -> Result<(), CudaError> {
    let counted = part.counted();
    let room = gpu.available()? as usize / rows.bytes();
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
