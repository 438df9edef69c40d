//! Working column of the reduction of loops.

use std::mem;

use super::super::cell::Cell;

/// A sum of edges over Z/2, from which the last edge is popped.
///
/// It consists of ascending runs: a short front, to which single edges are added, and runs at most half as long as the
/// one before. A column added as a whole becomes a run; runs of similar length are merged, cancelling equal edges.
#[derive(Default)]
pub(super) struct Column {
    front: Vec<Cell>,
    runs: Vec<Vec<Cell>>,
    /// Empty runs, kept for their memory.
    spare: Vec<Vec<Cell>>,
}

/// Greatest length of the front.
const FEW: usize = 32;

impl Column {
    /// Adds one edge.
    #[inline]
    pub(super) fn add(&mut self, edge: Cell) {
        let mut place = self.front.len();
        while place > 0 && self.front[place - 1] > edge {
            place -= 1;
        }
        if place > 0 && self.front[place - 1] == edge {
            self.front.remove(place - 1);
            return;
        }
        self.front.insert(place, edge);
        if self.front.len() > FEW {
            self.push_front_back();
        }
    }

    #[cold]
    fn push_front_back(&mut self) {
        let empty = self.start_run();
        let run = mem::replace(&mut self.front, empty);
        self.push(run);
    }

    /// Returns an empty run to fill and pass to [`Column::add_run`].
    pub(super) fn start_run(&mut self) -> Vec<Cell> {
        self.spare.pop().unwrap_or_default()
    }

    /// Adds a run of ascending edges.
    pub(super) fn add_run(&mut self, run: Vec<Cell>) {
        if self.front.len() + run.len() <= FEW {
            let front = mem::take(&mut self.front);
            self.front = self.sum(front, run);
        } else {
            self.push(run);
        }
    }

    fn push(&mut self, mut run: Vec<Cell>) {
        while let Some(last) = self.runs.pop_if(|last| last.len() < 2 * run.len()) {
            run = self.sum(last, run);
        }
        self.runs.push(run);
    }

    /// Removes the last edge and returns it.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Cell> {
        if self.runs.is_empty() { self.front.pop() } else { self.pop_of_runs() }
    }

    // A call of it costs the loops of smooth volumes a twelfth more instructions.
    #[inline(always)]
    fn pop_of_runs(&mut self) -> Option<Cell> {
        loop {
            let of_runs = self.runs.iter().filter_map(|run| run.last()).max();
            let last = *of_runs.max(self.front.last())?;
            let mut odd = self.front.pop_if(|edge| *edge == last).is_some();
            let mut has_emptied = false;
            for run in &mut self.runs {
                if run.pop_if(|edge| *edge == last).is_some() {
                    odd = !odd;
                    has_emptied |= run.is_empty();
                }
            }
            if has_emptied {
                self.spare.extend(self.runs.extract_if(.., |run| run.is_empty()));
            }
            if odd {
                return Some(last);
            }
        }
    }

    /// Empties the column into one ascending run without repeated edges.
    pub(super) fn take(&mut self) -> Vec<Cell> {
        let mut all = mem::take(&mut self.front);
        while let Some(run) = self.runs.pop() {
            all = self.sum(run, all);
        }
        self.front = self.start_run();
        all
    }

    /// The sum of two runs.
    fn sum(&mut self, a: Vec<Cell>, b: Vec<Cell>) -> Vec<Cell> {
        let mut sum = self.start_run();
        merge(&a, &b, &mut sum);
        self.give_back(a);
        self.give_back(b);
        sum
    }

    /// Returns a run whose memory may be reused.
    pub(super) fn give_back(&mut self, mut run: Vec<Cell>) {
        run.clear();
        self.spare.push(run);
    }
}

/// Appends the sum over Z/2 of two ascending runs to `sum`.
fn merge(a: &[Cell], b: &[Cell], sum: &mut Vec<Cell>) {
    sum.reserve(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (of_a, of_b) = (a[i], b[j]);
        if of_a != of_b {
            sum.push(of_a.min(of_b));
        }
        i += usize::from(of_a <= of_b);
        j += usize::from(of_b <= of_a);
    }
    sum.extend_from_slice(&a[i..]);
    sum.extend_from_slice(&b[j..]);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;

    #[test]
    fn it_is_a_set_to_which_the_same_edge_twice_is_none() {
        let mut rng = Pcg64Mcg::seed_from_u64(3);
        let mut column = Column::default();
        for spread in [4, 40, 400, 4000] {
            let mut expected = BTreeSet::new();
            let toggle = |expected: &mut BTreeSet<Cell>, edge| {
                if !expected.remove(&edge) {
                    expected.insert(edge);
                }
            };
            for _ in 0..400 {
                let mut edge = || Cell::of_word(rng.random_range(0..spread));
                for _ in 0..3 {
                    let edge = edge();
                    column.add(edge);
                    toggle(&mut expected, edge);
                }
                let edges: BTreeSet<Cell> = (0..spread / 10).map(|_| edge()).collect();
                let mut run = column.start_run();
                run.extend(&edges);
                column.add_run(run);
                edges.into_iter().for_each(|edge| toggle(&mut expected, edge));
                assert_eq!(column.pop(), expected.pop_last());
            }
            let run = column.take();
            assert!(run.iter().eq(&expected));
            column.give_back(run);
            assert_eq!(column.pop(), None);
        }
    }
}
