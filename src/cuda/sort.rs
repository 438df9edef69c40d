//! The kernels of `kernels/sort.cu`, which sort keys in descending order.
#![allow(unsafe_code)]

use super::constants::sort::{BLOCK, DIGIT_BITS, ROUNDS};
use super::{Buffer, CudaError, Gpu, Kernel, Ptx, blocks_of, ptx};

/// Number of values of a digit.
const DIGITS: usize = 1 << DIGIT_BITS;

/// The kernels of `sort.cu` for keys of one or two limbs.
pub(crate) struct SortKernels {
    count: Kernel,
    offsets: Kernel,
    digits: Kernel,
    scatter: Kernel,
    limbs: usize,
}

impl SortKernels {
    /// Loads the kernels for keys of `limbs` limbs of 64 bits, 1 or 2.
    pub(crate) fn load(gpu: &Gpu, limbs: usize) -> Result<Self, CudaError> {
        const PTX: [Ptx; 2] = [ptx!("sort_1"), ptx!("sort_2")];
        let module = gpu.module(PTX[limbs - 1])?;
        let kernel = |name| module.kernel(name);
        Ok(SortKernels {
            count: kernel(c"sort_count")?,
            offsets: kernel(c"sort_offsets")?,
            digits: kernel(c"sort_digits")?,
            scatter: kernel(c"sort_scatter")?,
            limbs,
        })
    }

    /// Sorts the first `n` keys in descending order. They may differ only in their low `bits` bits.
    pub(crate) fn sort(&self, gpu: &Gpu, keys: &mut Buffer<u64>, n: u64, bits: u32) -> Result<(), CudaError> {
        let fits = usize::try_from(n).ok().and_then(|n| n.checked_mul(self.limbs));
        assert!(fits.is_some_and(|limbs| limbs <= keys.len()), "{n} keys in {} limbs", keys.len());
        assert!(bits as usize <= 64 * self.limbs, "{bits} bits in {} limbs", self.limbs);
        if n < 2 {
            return Ok(());
        }
        let blocks = blocks_of(n as usize, BLOCK * ROUNDS);
        let mut other = gpu.zeros::<u64>(n as usize * self.limbs)?;
        let mut totals = gpu.zeros::<u64>(blocks as usize * DIGITS)?;
        let mut sums = gpu.zeros::<u64>(DIGITS)?;
        let (of_digit, digits) = (u64::from(blocks), DIGITS as u64);
        let mut in_other = false;
        for shift in (0..bits).step_by(DIGIT_BITS as usize) {
            let (from, to) = if in_other { (&mut other, &mut *keys) } else { (&mut *keys, &mut other) };
            let count = self.count.launch(blocks, BLOCK, 0).input(from).value(&n).value(&shift);
            // SAFETY: the kernel reads the n keys and writes a total per digit and block.
            unsafe { count.output(&mut totals).go() }?;
            let offsets = self.offsets.launch(DIGITS as u32, 1024, 0).output(&mut totals).value(&of_digit);
            // SAFETY: each block reads and writes the totals of its digit, one per block of keys, and writes their
            // sum.
            unsafe { offsets.output(&mut sums).go() }?;
            // SAFETY: the kernel reads and writes the sums.
            unsafe { self.digits.launch(1, 1024, 0).output(&mut sums).value(&digits).go() }?;
            let scatter = self.scatter.launch(blocks, BLOCK, 0).input(from).value(&n).value(&shift);
            // SAFETY: the totals, with the sums of their digits, are the places of the n keys, each once.
            unsafe { scatter.input(&totals).input(&sums).output(to).go() }?;
            in_other = !in_other;
        }
        if in_other {
            gpu.copy(&other, 0..n as usize * self.limbs, keys)?;
        }
        Ok(())
    }
}
