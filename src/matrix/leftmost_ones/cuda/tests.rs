//! Tests of pieces and kernels: on a device, and by a transcription of the kernels for a machine without one.

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use super::*;
use crate::matrix::leftmost_ones::check;
use crate::matrix::leftmost_ones::tests::{Shape, gpu, matrices, matrix};

/// A transcription of the kernels.
struct Twin {
    leftmost: Vec<Option<usize>>,
    lows: Vec<usize>,
}

impl Twin {
    fn new(n: usize) -> Self {
        Twin { leftmost: vec![None; n], lows: vec![0; n] }
    }

    /// Transcription of `set_leftmost`.
    fn take(&mut self, rows: &[u32], starts: &[u32], piece: &Piece) {
        let (rows, starts) = (&rows[..piece.entries], &starts[..piece.columns]);
        assert!(starts[0] as usize <= piece.first_entry);
        assert!(*starts.last().unwrap() as usize <= piece.first_entry + piece.entries);
        for (place, &row) in rows.iter().enumerate() {
            let entry = piece.first_entry + place;
            let local = starts.partition_point(|&start| start as usize <= entry) - 1;
            let (row, column) = (row as usize, piece.first_column + local);
            self.leftmost[row] = Some(self.leftmost[row].map_or(column, |least| least.min(column)));
            let next = starts.get(local + 1).map(|&start| start as usize);
            if place + 1 == piece.entries || next == Some(entry + 1) {
                self.lows[column] = self.lows[column].max(row + 1);
            }
        }
    }

    /// Transcription of `set_lookup` and `set_unstable`.
    fn scan(&self) -> Scan<u32> {
        let n = self.lows.len();
        let lookup = CellTable::new(n);
        let mut destroyers = vec![false; n];
        for (row, column) in self.leftmost.iter().enumerate().filter_map(|(row, &c)| Some((row, c?))) {
            destroyers[column] = true;
            if self.lows[column] == row + 1 {
                lookup.set(row, column);
            }
        }
        let is_stable = |column: usize| self.leftmost[self.lows[column] - 1] == Some(column);
        let (stable, others): (Vec<usize>, Vec<usize>) =
            (0..n).filter(|&column| self.lows[column] > 0).partition(|&column| is_stable(column));
        let (cleared, unstable): (Vec<usize>, Vec<usize>) =
            others.into_iter().partition(|&column| lookup.get(column).is_some());
        let unstable = unstable.into_iter().map(|column| column as u32).collect();
        Scan { lookup, destroyers, stable: stable.len(), cleared: cleared.len(), unstable }
    }
}

#[test]
fn pieces_say_what_the_matrix_says() {
    for (what, matrix) in matrices::<u32>(7) {
        for room in [1, 2, 3, 7, 64, 1 << 20] {
            let mut twin = Twin::new(matrix.len());
            let mut entry = 0;
            while entry < matrix.entries() {
                let piece = piece(&matrix, entry, room);
                assert!((1..=room).contains(&piece.entries) && (1..=room).contains(&piece.columns));
                let rows = &matrix.rows()[entry..];
                twin.take(rows, &matrix.offsets()[piece.first_column..], &piece);
                entry += piece.entries;
            }
            assert_eq!(entry, matrix.entries(), "{what}, {room}");
            Scan::compare(&twin.scan(), &crate::matrix::leftmost_ones::scan(&matrix))
                .unwrap_or_else(|error| panic!("{what}, {room}: {error}"));
        }
    }
}

#[test]
fn pieces_leave_out_empty_columns_at_their_ends() {
    let mut matrix = BoundaryMatrix::<u32>::new();
    (0..4).for_each(|_| matrix.push(0, &[]).unwrap());
    for rows in [&[0, 1, 2][..], &[1, 3], &[], &[0, 1, 2, 3]] {
        matrix.push(1, rows).unwrap();
    }
    let piece_of = |entry, room| {
        let Piece { first_column, columns, first_entry, entries } = piece(&matrix, entry, room);
        assert_eq!(first_entry, entry);
        (first_column..first_column + columns, entry..entry + entries)
    };
    assert_eq!(piece_of(0, 9), (4..8, 0..9));
    assert_eq!(piece_of(0, 4), (4..6, 0..4));
    // The rest of a column is a piece that includes the column again.
    assert_eq!(piece_of(4, 3), (5..8, 4..7));
    assert_eq!(piece_of(0, 1), (4..5, 0..1));
    assert_eq!(piece_of(7, 9), (7..8, 7..9));
}

fn is_the_processors<I: SharedIndex>(gpu: &Gpu, seed: u64) {
    let mut prepared = Prepared::new(gpu).unwrap();
    for (what, matrix) in matrices::<I>(seed) {
        let expected = crate::matrix::leftmost_ones::scan(&matrix);
        let mut scanned = prepared.scan(&matrix).unwrap();
        scanned.scan().unwrap().compare(&expected).unwrap_or_else(|error| panic!("{what}: {error}"));
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_scan_is_the_processors() {
    let gpu = gpu(None);
    is_the_processors::<u32>(&gpu, 8);
    is_the_processors::<u64>(&gpu, 9);
    let matrix = matrix::<u32>(Shape::Mixed, 500, &mut Pcg64Mcg::seed_from_u64(9));
    scan(&gpu, &matrix).unwrap().compare(&crate::matrix::leftmost_ones::scan(&matrix)).unwrap();
}

/// The matrices have more entries than both slots hold, columns longer than a slot, and more tiles than a block adds up
/// at a time.
#[test]
#[ignore = "needs a CUDA device"]
fn gpu_scan_of_large_matrices() {
    let gpu = gpu(None);
    let mut rng = Pcg64Mcg::seed_from_u64(10);
    let mut prepared = Prepared::new(&gpu).unwrap();
    for (shape, n) in [(Shape::Mixed, 1_500_000), (Shape::Long, 9_000), (Shape::Ties, 400_000)] {
        let matrix = matrix::<u32>(shape, n, &mut rng);
        let mut scanned = prepared.scan(&matrix).unwrap();
        let expected = crate::matrix::leftmost_ones::scan(&matrix);
        Scan::compare(&scanned.scan().unwrap(), &expected).unwrap_or_else(|e| panic!("{shape:?}: {e}"));
        let leftmost = scanned.leftmost().unwrap();
        check::tables("leftmost", &leftmost, &super::super::cpu::leftmost(&matrix))
            .unwrap_or_else(|e| panic!("{shape:?}: {e}"));
    }
    let mut matrix = BoundaryMatrix::<u32>::new();
    (0..MOST + 5).for_each(|_| matrix.push(0, &[]).unwrap());
    let all: Vec<usize> = (0..MOST + 5).collect();
    for rows in [&all[..7], &all, &all[3..], &all[..1]] {
        matrix.push(1, rows).unwrap();
    }
    let expected = crate::matrix::leftmost_ones::scan(&matrix);
    let found = prepared.scan(&matrix).unwrap().scan().unwrap();
    Scan::compare(&found, &expected).unwrap();
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_scan_with_little_memory() {
    // An open device makes opening it again fast.
    let _open = gpu(None);
    for (what, matrix) in matrices::<u32>(12).filter(|(_, matrix)| matrix.len() == 3000) {
        // The tables, and room for pieces of 1024 entries; the lookup and a byte per cell take their place.
        let least = 2 * 4 * 3000 + 5 * 3000 + 1024;
        for memory in [least, least + 999, 1 << 20] {
            let gpu = gpu(Some(memory));
            let found = scan(&gpu, &matrix).unwrap();
            Scan::compare(&found, &crate::matrix::leftmost_ones::scan(&matrix))
                .unwrap_or_else(|error| panic!("{what}, {memory} bytes: {error}"));
            assert!(gpu.peak() <= memory);
        }
        let little = gpu(Some(20_000));
        assert!(matches!(scan(&little, &matrix).err(), Some(CudaError::OutOfMemory { .. })), "{what}");
    }
}

/// Kernels overwrite everything that is read later, so stale buffer contents do not matter.
#[test]
#[ignore = "needs a CUDA device"]
fn gpu_tables_do_not_depend_on_what_was_there() {
    let gpu = gpu(None);
    let kernels = LeftmostKernels::<u32>::load(&gpu).unwrap();
    for (what, matrix) in matrices::<u32>(14) {
        let (n, entries) = (matrix.len(), matrix.entries());
        let poisoned = |len| {
            let mut buffer = gpu.zeros::<u32>(len).unwrap();
            gpu.fill(&mut buffer, 0xab).unwrap();
            buffer
        };
        let mut destroyers = gpu.zeros::<u8>(n).unwrap();
        gpu.fill(&mut destroyers, 0xab).unwrap();
        let mut tables = Tables { leftmost: poisoned(n), lows: poisoned(n) };
        let mut lookup = poisoned(n);
        kernels.clear(&gpu, &mut tables).unwrap();
        let rows = gpu.upload(matrix.rows()).unwrap();
        let starts = gpu.upload(&matrix.offsets()[..n]).unwrap();
        let whole = Piece { entries, columns: n, first_entry: 0, first_column: 0 };
        if entries > 0 {
            // Running the kernel twice must give the same result as once.
            kernels.set_leftmost(&rows, &starts, &whole, &mut tables).unwrap();
            kernels.set_leftmost(&rows, &starts, &whole, &mut tables).unwrap();
        }
        kernels.set_lookup(&gpu, &tables, &mut lookup, &mut destroyers).unwrap();
        let (flags, [stable, cleared, count]) = kernels.find_unstable(&gpu, &tables).unwrap();
        let mut unstable = poisoned(count);
        kernels.set_unstable(&gpu, &flags, &mut unstable).unwrap();
        let found = Scan {
            lookup: CellTable::new(n),
            destroyers: gpu.read(&destroyers, 0..n).unwrap().iter().map(|&found| found == 1).collect(),
            stable,
            cleared,
            unstable: gpu.read(&unstable, 0..count).unwrap(),
        };
        for (row, &column) in gpu.read(&lookup, 0..n).unwrap().iter().enumerate() {
            if column > 0 {
                found.lookup.set(row, column as usize - 1);
            }
        }
        Scan::compare(&found, &crate::matrix::leftmost_ones::scan(&matrix))
            .unwrap_or_else(|e| panic!("{what}: {e}"));
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_resident_counts() {
    let gpu = gpu(None);
    for (what, matrix) in matrices::<u64>(15) {
        let expected = crate::matrix::leftmost_ones::scan(&matrix);
        let mut resident = Resident::load(&gpu, &matrix).unwrap();
        for _ in 0..2 {
            let counts = [expected.stable, expected.cleared, expected.unstable.len()];
            assert_eq!(resident.scan().unwrap(), counts, "{what}");
        }
    }
}
