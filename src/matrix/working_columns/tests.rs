//! Tests every representation against an ordered set.

use std::collections::BTreeSet;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::{Index, WorkingColumn, column};
use crate::matrix::Representation;

const SIZES: [usize; 11] = [0, 1, 2, 63, 64, 65, 4095, 4096, 4097, 262_145, 70_000];

/// A working column and the set that it must equal.
struct Twins<I> {
    column: Box<dyn WorkingColumn<I>>,
    set: BTreeSet<I>,
    /// Initially not empty, since `take` has to clear it.
    rows: Vec<I>,
    what: String,
}

impl<I: Index> Twins<I> {
    fn new(representation: Representation, rows: usize) -> Self {
        Twins {
            column: column(representation, rows),
            set: BTreeSet::new(),
            rows: vec![I::default(); 3],
            what: format!("{representation}, {rows} rows"),
        }
    }

    fn add(&mut self, rows: &BTreeSet<I>) {
        let slice: Vec<I> = rows.iter().copied().collect();
        self.column.add(&slice);
        self.set = &self.set ^ rows;
    }

    fn pivot(&mut self) {
        assert_eq!(self.column.pivot(), self.set.last().copied(), "{}", self.what);
    }

    fn pop(&mut self) {
        assert_eq!(self.column.pop(), self.set.pop_last(), "{}", self.what);
    }

    fn take(&mut self) {
        self.column.take(&mut self.rows);
        assert!(self.rows.iter().eq(&self.set), "{}: {:?} is not {:?}", self.what, self.rows, self.set);
        self.set.clear();
        self.pivot();
    }
}

/// Up to `most` rows that are close to each other, far apart, or at the ends.
fn some_rows<I: Index>(rows: usize, most: usize, rng: &mut Pcg64) -> BTreeSet<I> {
    let count = if rows == 0 { 0 } else { rng.random_range(0..=most) };
    let centre = rng.random_range(0..rows.max(1));
    let kind = rng.random_range(0..3);
    let row = |rng: &mut Pcg64| match kind {
        0 => rng.random_range(0..rows),
        1 => (centre + rng.random_range(0..70)) % rows,
        _ => [0, 1, rows / 2, rows - 1, rows.saturating_sub(2), 62, 63, 64][rng.random_range(0..8)]
            .min(rows - 1),
    };
    (0..count).map(|_| I::from_usize(row(rng))).collect()
}

/// Random additions, pops, pivots and takes on one column that is reused.
fn random_walk<I: Index>(representation: Representation) {
    for (seed, rows) in SIZES.into_iter().enumerate() {
        let mut rng = Pcg64::seed_from_u64(seed as u64);
        let mut twins = Twins::<I>::new(representation, rows);
        for _ in 0..3000 {
            match rng.random_range(0..20) {
                0..10 => twins.add(&some_rows(rows, 5, &mut rng)),
                10 => twins.add(&some_rows(rows, 300, &mut rng)),
                11..15 => twins.pivot(),
                15..19 => twins.pop(),
                _ => twins.take(),
            }
        }
        twins.take();
    }
}

/// Adds the whole column twice, and then each row alone.
fn whole_and_single<I: Index>(representation: Representation) {
    for rows in SIZES.into_iter().filter(|&rows| rows < 5000) {
        let mut twins = Twins::<I>::new(representation, rows);
        let all: BTreeSet<I> = (0..rows).map(I::from_usize).collect();
        twins.add(&all);
        twins.pivot();
        twins.add(&all);
        twins.pivot();
        twins.pop();
        twins.add(&all);
        twins.take();
        for row in 0..rows {
            twins.add(&BTreeSet::from([I::from_usize(row)]));
            twins.pivot();
            if row % 3 == 0 {
                twins.take();
            } else if row % 3 == 1 {
                twins.pop();
            }
        }
        twins.take();
        twins.add(&BTreeSet::new());
        twins.pop();
    }
}

/// Additions as in a reduction: the pivot always cancels.
fn cancelling_pivots<I: Index>(representation: Representation) {
    let rows = 4097;
    let mut rng = Pcg64::seed_from_u64(7);
    let mut twins = Twins::<I>::new(representation, rows);
    for _ in 0..20 {
        twins.add(&some_rows(rows, 200, &mut rng));
        for _ in 0..500 {
            let Some(&pivot) = twins.set.last() else { break };
            let below: BTreeSet<I> = some_rows(pivot.to_usize(), 6, &mut rng);
            twins.add(&below.into_iter().chain([pivot]).collect());
            twins.pivot();
        }
        twins.take();
    }
}

#[test]
fn random_walks() {
    for representation in Representation::ALL {
        random_walk::<u32>(representation);
        random_walk::<u64>(representation);
    }
}

#[test]
fn whole_columns_and_single_rows() {
    Representation::ALL.into_iter().for_each(whole_and_single::<u32>);
}

#[test]
fn pivots_that_cancel() {
    Representation::ALL.into_iter().for_each(cancelling_pivots::<u32>);
}
