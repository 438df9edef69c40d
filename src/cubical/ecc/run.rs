//! Sums by key.

use crate::cubical::key::Key;

/// Distinct keys, ascending, and the sum of each.
#[derive(Debug, Default)]
pub(crate) struct Run<K> {
    pub(crate) keys: Vec<K>,
    pub(crate) sums: Vec<i64>,
}

impl<K: Key> Run<K> {
    /// Merges two runs; the sums of equal keys are added.
    pub(crate) fn merged(a: &Run<K>, b: &Run<K>) -> Run<K> {
        let room = a.keys.len() + b.keys.len();
        let mut run = Run { keys: Vec::with_capacity(room), sums: Vec::with_capacity(room) };
        let (mut i, mut j) = (0, 0);
        while i < a.keys.len() && j < b.keys.len() {
            let (left, right) = (a.keys[i], b.keys[j]);
            let (from_a, from_b) = (left <= right, right <= left);
            run.keys.push(left.min(right));
            run.sums.push(if from_a { a.sums[i] } else { 0 } + if from_b { b.sums[j] } else { 0 });
            i += usize::from(from_a);
            j += usize::from(from_b);
        }
        for (rest, from) in [(a, i), (b, j)] {
            run.keys.extend_from_slice(&rest.keys[from..]);
            run.sums.extend_from_slice(&rest.sums[from..]);
        }
        run.keys.shrink_to_fit();
        run.sums.shrink_to_fit();
        run
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_equal_keys_are_added() {
        let mut all: Run<u32> = Run::default();
        for (keys, sums) in
            [(vec![2, 5], vec![1, -1]), (vec![1, 2, 6], vec![3, 4, 1]), (vec![], vec![]), (vec![5], vec![1])]
        {
            all = Run::merged(&all, &Run { keys, sums });
        }
        assert_eq!((all.keys, all.sums), (vec![1, 2, 5, 6], vec![3, 5, 0, 1]));
    }
}
