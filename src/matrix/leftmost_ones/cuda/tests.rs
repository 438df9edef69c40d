//! Tests of pieces and kernels: on a device, and by a transcription of the kernels for a machine without one.

use std::ops::Range;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::pieces::LEAST_ENTRIES;
use super::*;
use crate::matrix::leftmost_ones::check;
use crate::matrix::leftmost_ones::tests::{Shape, gpu, matrices, matrix};

fn size<I: SharedIndex>(matrix: &BoundaryMatrix<I>) -> MatrixSize {
    MatrixSize { columns: matrix.len(), entries: matrix.entries() }
}

/// Divides the columns of a matrix into random parts in random order.
fn parts(n: usize, most: usize, rng: &mut Pcg64Mcg) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut first = 0;
    while first < n {
        let end = n.min(first + rng.random_range(1..=most));
        parts.push(first..end);
        first = end;
    }
    parts.shuffle(rng);
    parts
}

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
        let rows = &rows[piece.rows_at..][..piece.entries];
        let starts = &starts[piece.starts_at..][..piece.columns];
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
        let lookup = PivotLookup::new(n);
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
fn pieces_of_any_parts_say_what_the_matrix_says() {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    for (what, matrix) in matrices::<u32>(7) {
        for (entries, columns) in [(1, 1), (2, 1), (3, 2), (7, 64), (64, 7), (1 << 20, 1 << 20)] {
            let most = Room { entries, columns };
            let mut twin = Twin::new(matrix.len());
            let (mut rows, mut starts) = (vec![0; matrix.entries()], vec![0; matrix.entries().max(1)]);
            let mut queue = Queue::default();
            let mut seen = 0;
            let mut send = |queue: &mut Queue, rows: &[u32], starts: &[u32]| {
                let Queue { used, pieces } = std::mem::take(queue);
                assert!(used.entries <= entries && used.columns <= columns);
                seen += used.entries;
                pieces.iter().for_each(|piece| twin.take(rows, starts, piece));
            };
            for part in parts(matrix.len(), 40, &mut rng) {
                let part = matrix.part(part);
                let first = part.starts[0] as usize;
                let mut entry = first;
                while entry < first + part.rows.len() {
                    let room = Room {
                        entries: most.entries - queue.used.entries,
                        columns: most.columns - queue.used.columns,
                    };
                    if room.entries == 0 || room.columns == 0 {
                        send(&mut queue, &rows, &starts);
                        continue;
                    }
                    let cut = cut(&part, entry, room);
                    assert!(cut.entries.start == entry && !cut.entries.is_empty() && !cut.columns.is_empty());
                    assert!(cut.entries.len() <= room.entries && cut.columns.len() <= room.columns);
                    entry = cut.entries.end;
                    let at = queue.push(&part, &cut);
                    rows[at.rows_at..at.rows_at + at.entries].copy_from_slice(cut.rows(&part));
                    if starts.len() < at.starts_at + at.columns {
                        starts.resize(at.starts_at + at.columns, 0);
                    }
                    starts[at.starts_at..at.starts_at + at.columns].copy_from_slice(cut.starts(&part));
                }
            }
            send(&mut queue, &rows, &starts);
            assert_eq!(seen, matrix.entries(), "{what}, {most:?}");
            check::scan(&twin.scan(), &crate::matrix::leftmost_ones::scan(&matrix))
                .unwrap_or_else(|error| panic!("{what}, {most:?}: {error}"));
        }
    }
}

#[test]
fn pieces_that_go_on_are_one() {
    let mut matrix = BoundaryMatrix::<u32>::new();
    (0..4).for_each(|_| matrix.push(0, &[]).unwrap());
    for rows in [&[0, 1, 2][..], &[1, 3], &[], &[0, 1, 2, 3]] {
        matrix.push(1, rows).unwrap();
    }
    let whole = matrix.part(0..8);
    let room = |entries, columns| Room { entries, columns };
    // Empty columns before the first entry are left out; empty columns inside the cut are not.
    assert_eq!(cut(&whole, 0, room(9, 9)), Cut { columns: 4..8, entries: 0..9 });
    assert_eq!(cut(&whole, 0, room(9, 2)), Cut { columns: 4..6, entries: 0..5 });
    assert_eq!(cut(&whole, 0, room(4, 9)), Cut { columns: 4..6, entries: 0..4 });
    assert_eq!(cut(&whole, 4, room(3, 9)), Cut { columns: 5..8, entries: 4..7 });
    assert_eq!(cut(&whole, 7, room(9, 1)), Cut { columns: 7..8, entries: 7..9 });
    let mut queue = Queue::default();
    let [a, b] = [matrix.part(0..5), matrix.part(5..8)];
    queue.push(&a, &cut(&a, 0, room(9, 9)));
    queue.push(&b, &cut(&b, 3, room(9, 9)));
    assert_eq!(queue.pieces.len(), 1, "{queue:?}");
    assert_eq!((queue.pieces[0].entries, queue.pieces[0].columns), (9, 4));
    // The rest of a column is a piece of its own, which includes the column again.
    let mut queue = Queue::default();
    queue.push(&whole, &cut(&whole, 0, room(4, 9)));
    queue.push(&whole, &cut(&whole, 4, room(9, 9)));
    assert_eq!(queue.pieces.len(), 2, "{queue:?}");
    assert_eq!((queue.pieces[1].first_column, queue.pieces[1].starts_at), (5, 2));
}

#[test]
fn memory_is_asked_for_before_anything_is_done() {
    let size = MatrixSize { columns: 100_000, entries: 300_000 };
    let wanted = Wanted::by::<u32>(size);
    // Three numbers and a byte per cell.
    assert_eq!(wanted.least(), 1_301_024);
    assert_eq!(wanted.room::<u32>(wanted.least() - 1), None);
    let little = wanted.room::<u32>(wanted.least()).expect("enough");
    assert!(little.entries >= LEAST_ENTRIES && little.columns >= LEAST_ENTRIES / 2, "{little:?}");
    let bytes = 4 * (little.entries + little.columns) as u64;
    assert!(wanted.tables + bytes <= wanted.least());
    let plenty = wanted.room::<u32>(1 << 40).expect("enough");
    assert_eq!(plenty, Room { entries: 300_000, columns: 100_000 });
    let large = MatrixSize { columns: 10_000_000, entries: 30_000_000 };
    let plenty = Wanted::by::<u64>(large).room::<u64>(1 << 40).expect("enough");
    assert_eq!(plenty, Room { entries: MOST_ENTRIES, columns: MOST_COLUMNS });
    for n in 0..4 {
        let size = MatrixSize { columns: n, entries: n / 2 };
        let wanted = Wanted::by::<u32>(size);
        let room = wanted.room::<u32>(wanted.least()).expect("enough");
        assert!(room.entries >= n / 2 && (room.columns > 0 || n < 2), "{n}: {room:?}");
    }
}

fn is_the_processors<I: SharedIndex>(gpu: &Gpu, seed: u64) {
    let mut prepared = Prepared::new(gpu).unwrap();
    for (what, matrix) in matrices::<I>(seed) {
        let expected = crate::matrix::leftmost_ones::scan(&matrix);
        let mut scanned = prepared.scan(&matrix).unwrap();
        scanned.scan().unwrap().compare(&expected).unwrap_or_else(|error| panic!("{what}: {error}"));
        prepared = scanned.release();
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

/// The matrices have more entries than both slots hold, columns longer than a slot, and more tiles than a block adds
/// up at a time.
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
        check::scan(&scanned.scan().unwrap(), &expected).unwrap_or_else(|e| panic!("{shape:?}: {e}"));
        let leftmost = scanned.leftmost().unwrap();
        check::leftmost(n, &leftmost, &Leftmost::of(&matrix)).unwrap_or_else(|e| panic!("{shape:?}: {e}"));
        prepared = scanned.release();
    }
    let mut matrix = BoundaryMatrix::<u32>::new();
    (0..MOST_ENTRIES + 5).for_each(|_| matrix.push(0, &[]).unwrap());
    let all: Vec<usize> = (0..MOST_ENTRIES + 5).collect();
    for rows in [&all[..7], &all, &all[3..], &all[..1]] {
        matrix.push(1, rows).unwrap();
    }
    let expected = crate::matrix::leftmost_ones::scan(&matrix);
    let found = prepared.scan(&matrix).unwrap().scan().unwrap();
    check::scan(&found, &expected).unwrap();
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_scan_of_parts_in_any_order_with_little_memory() {
    // An open device makes opening it again fast.
    let _open = gpu(None);
    let mut rng = Pcg64Mcg::seed_from_u64(11);
    let some = |matrix: &BoundaryMatrix<u32>| [0, 2, 33, 1025, 3000].contains(&matrix.len());
    for (what, matrix) in matrices::<u32>(12).filter(|(_, matrix)| some(matrix)) {
        let least = Wanted::by::<u32>(size(&matrix)).least();
        for memory in [least, least + 999, 1 << 20] {
            let gpu = gpu(Some(memory));
            let mut scanning = Prepared::new(&gpu).unwrap().begin(size(&matrix)).unwrap();
            for part in parts(matrix.len(), 300, &mut rng) {
                scanning.feed(&matrix.part(part)).unwrap();
            }
            let found = scanning.finish().unwrap().scan().unwrap();
            check::scan(&found, &crate::matrix::leftmost_ones::scan(&matrix))
                .unwrap_or_else(|error| panic!("{what}, {memory} bytes: {error}"));
            assert!(gpu.peak() <= memory);
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_scan_without_memory_says_so() {
    let mut rng = Pcg64Mcg::seed_from_u64(13);
    let matrix = matrix::<u32>(Shape::Mixed, 3000, &mut rng);
    let least = Wanted::by::<u32>(size(&matrix)).least();
    let gpu = gpu(Some(least - 1));
    match scan(&gpu, &matrix).err() {
        Some(CudaError::OutOfMemory { asked, available, .. }) => {
            assert_eq!((asked, available), (least, least - 1));
        }
        other => panic!("{other:?}"),
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
        // The pieces are not at the start of their buffers.
        let rows = gpu.upload(&[&[9; 3][..], matrix.rows()].concat()).unwrap();
        let starts = gpu.upload(&[&[9; 5][..], &matrix.offsets()[..n]].concat()).unwrap();
        let whole = Piece { rows_at: 3, starts_at: 5, entries, columns: n, first_entry: 0, first_column: 0 };
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
            lookup: PivotLookup::new(n),
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
        check::scan(&found, &crate::matrix::leftmost_ones::scan(&matrix))
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
