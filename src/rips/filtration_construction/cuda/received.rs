//! The transfer of entries from a device to a list on the host.
//!
//! Two buffers of page-locked memory are used in turn: the device fills one while threads copy from the other.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, available_parallelism};

use super::in_parallel;
use crate::cuda::{Buffer, CudaError, Gpu, Pinned};
use crate::parallel::lock;

/// Greatest number of threads that copy from page-locked memory. The first write to each page of the target makes the
/// system allocate it, so several threads pay.
const COPIERS: usize = 16;
/// Number of limbs in a piece of memory whose pages a thread touches at a time: a huge page.
const TOUCHED: usize = 1 << 18;
/// Number of limbs in the smallest page.
const PAGE: usize = 512;
/// Fewest entries for which another thread pays.
const LEAST_SHARE: usize = 1 << 14;

/// Runs `work`, which waits for a device, while threads write zeros to as much of `zeros` as they get through, from its
/// end on. The system allocates new pages at their first write, which takes longer than copying to them.
pub(super) fn touching_meanwhile<T>(
    zeros: &mut [u64],
    work: impl FnOnce() -> Result<T, CudaError>,
) -> Result<T, CudaError> {
    let is_done = AtomicBool::new(false);
    let pieces = Mutex::new(zeros.rchunks_mut(TOUCHED));
    let touch = || {
        while !is_done.load(Ordering::Relaxed) {
            let next = lock(&pieces).next();
            let Some(piece) = next else { return };
            piece.chunks_mut(PAGE).for_each(|page| page[0] = std::hint::black_box(0));
        }
    };
    thread::scope(|scope| {
        for _ in 0..copiers() {
            // If a thread cannot be started, its pages are allocated later.
            let _ = thread::Builder::new().name("sweep".into()).spawn_scoped(scope, touch);
        }
        let done = work();
        is_done.store(true, Ordering::Relaxed);
        done
    })
}

/// The number of threads that copy what a device sends.
fn copiers() -> usize {
    available_parallelism().map_or(1, |threads| threads.get().min(COPIERS))
}

/// Copies the first entries of a buffer in reverse order to `to`, which they fill. The device writes one staging buffer
/// while threads copy from the other.
pub(super) fn receive_reversed(
    gpu: &Gpu,
    buffer: &Buffer<u64>,
    to: &mut [u64],
    limbs: usize,
    staged: &mut [Pinned<u64>; 2],
) -> Result<(), CudaError> {
    let (all, length) = (to.len(), staged[0].len());
    let piece = |k: usize| (k * length).min(all)..((k + 1) * length).min(all);
    gpu.receive(buffer, piece(0), &mut staged[0])?;
    for (k, part) in to.rchunks_mut(length).enumerate() {
        gpu.receive(buffer, piece(k + 1), &mut staged[(k + 1) % 2])?;
        reverse_into(part, &staged[k % 2].slice()?[..part.len()], limbs)?;
    }
    Ok(())
}

/// Copies entries in reverse order, on several threads.
fn reverse_into(to: &mut [u64], from: &[u64], limbs: usize) -> Result<(), CudaError> {
    let share = (from.len() / limbs).div_ceil(copiers()).max(LEAST_SHARE) * limbs;
    let mut shares: Vec<_> = to.rchunks_mut(share).zip(from.chunks(share)).collect();
    let copy = |(to, from): &mut (&mut [u64], &[u64])| {
        let entries = to.chunks_exact_mut(limbs).rev().zip(from.chunks_exact(limbs));
        entries.for_each(|(to, from)| to.copy_from_slice(from));
        Ok(())
    };
    match &mut shares[..] {
        [share] => copy(share),
        shares => in_parallel(shares, copy),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_stays_zero_while_work_is_done() {
        for length in [0, 1, PAGE, TOUCHED + 3, 5 * TOUCHED] {
            let mut zeros = vec![0; length];
            assert_eq!(touching_meanwhile(&mut zeros, || Ok(length)), Ok(length));
            assert!(zeros.iter().all(|&limb| limb == 0));
            let failed = touching_meanwhile(&mut zeros, || Err::<(), _>(CudaError::NoDevice));
            assert_eq!(failed, Err(CudaError::NoDevice));
        }
    }

    #[test]
    fn entries_are_reversed_whole() {
        for limbs in [1, 2] {
            for entries in [1, 2, 5, LEAST_SHARE, LEAST_SHARE + 1, 3 * LEAST_SHARE + 7] {
                let from: Vec<u64> = (0..(entries * limbs) as u64).collect();
                let mut to = vec![0; from.len()];
                reverse_into(&mut to, &from, limbs).unwrap();
                let expected: Vec<u64> = from.chunks_exact(limbs).rev().flatten().copied().collect();
                assert_eq!(to, expected, "{entries} entries of {limbs} limbs");
            }
        }
    }
}
