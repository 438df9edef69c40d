//! Disjoint sets by union by size with path halving (Tarjan 1975).

/// Disjoint sets of the numbers below a bound.
pub(crate) struct DisjointSets {
    parent: Vec<usize>,
    /// Number of elements of each set, at the number that stands for it.
    pub(crate) size: Vec<usize>,
}

impl DisjointSets {
    /// Every number below `n` in a set of its own.
    pub(crate) fn new(n: usize) -> Self {
        DisjointSets { parent: (0..n).collect(), size: vec![1; n] }
    }

    /// The number that stands for the set of `x`.
    pub(crate) fn find(&mut self, mut x: usize) -> usize {
        while self.parent[x] != x {
            self.parent[x] = self.parent[self.parent[x]];
            x = self.parent[x];
        }
        x
    }

    /// Unites the sets of two numbers, and returns whether they were different.
    pub(crate) fn unite(&mut self, x: usize, y: usize) -> bool {
        let (x, y) = (self.find(x), self.find(y));
        if x == y {
            return false;
        }
        let (small, large) = if self.size[x] < self.size[y] { (x, y) } else { (y, x) };
        self.parent[small] = large;
        self.size[large] += self.size[small];
        true
    }
}
