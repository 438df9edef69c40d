//! Estimated time of the scan on the processor and on a GPU.

use phat_formats::MatrixSize;

use crate::backend::Estimate;
use crate::matrix::index::SharedIndex;

/// Entries and columns together that a core scans per second. An AMD EPYC (Zen 3) scans 0.2 to 0.5 thousand million,
/// depending on how far apart the rows of a column are.
const CPU_RATE: f64 = 0.4e9;
/// Bytes per second between page-locked memory and a device, in either direction.
const TRANSFER_RATE: f64 = 20e9;
/// Seconds that a device takes for a matrix of any size: loading kernels, page-locking memory.
const DEVICE_FIXED: f64 = 0.005;

/// The estimate for a matrix of size `size` whose rows are of type `I`.
///
/// The computing time of the device does not matter: it scans entries twenty times as fast as they arrive. The
/// processor may have less to do, since the sieve does not scan blocks that are graphs.
pub(crate) fn estimate<I: SharedIndex>(size: MatrixSize) -> Estimate {
    let MatrixSize { columns, entries } = size;
    let looked_at = (entries + columns) as f64;
    let width = size_of::<I>() as f64;
    // Entries and column starts are sent; two tables and a byte per column come back.
    let bytes = looked_at * width + columns as f64 * (2.0 * width + 1.0);
    Estimate {
        work: format!("{entries} entries in {columns} columns to scan"),
        cpu: looked_at / (CPU_RATE * rayon::current_num_threads() as f64),
        device: bytes / TRANSFER_RATE + DEVICE_FIXED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::OPENING;

    #[test]
    fn a_device_pays_only_where_it_is_open_and_the_processor_slow() {
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let on = |threads, size| pool(threads).install(|| estimate::<u32>(size));
        let image = MatrixSize { columns: 2_048_383, entries: 6_096_762 };
        let alone = on(1, image);
        assert!(alone.device < alone.cpu && alone.cpu < alone.device + OPENING, "{alone:?}");
        let together = on(16, image);
        assert!(together.cpu < together.device, "{together:?}");
        assert_eq!(together.work, "6096762 entries in 2048383 columns to scan");
        let huge = on(1, MatrixSize { columns: 700_000_000, entries: 2_100_000_000 });
        assert!(huge.device + OPENING < huge.cpu, "{huge:?}");
        assert!(estimate::<u64>(image).device > alone.device);
        assert_eq!(estimate::<u32>(MatrixSize { columns: 0, entries: 0 }).cpu, 0.0);
    }
}
