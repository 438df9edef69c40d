//! Construction of the simplices of a dense complex: sweeps of one matrix, divided among threads by the greatest
//! vertices.

use super::cuda::{DeviceSweep, OnSwept, Source};
use super::ordered;
use super::sweep::{Buffers, Sink, Sweep};
use super::{Construction, Enumerate, Parts, SimplexCounts};
use crate::cuda::KernelRank;
use crate::rips::binomial::{binomial, pair};
use crate::rips::complex::{Complex, Dense, MOST_SORTED};
use crate::simd::Rank;

/// Whether a part fixes the two greatest vertices of a simplex instead of one. From dimension 3 on it does: the blocks
/// of a part still share a prefix then.
fn fixes_two(dim: usize) -> bool {
    dim > 2
}

impl<R: Rank + KernelRank> Enumerate for Dense<R> {
    fn work(&self, dim: usize) -> u64 {
        binomial(self.points(), dim + 1)
    }

    fn parts(&self, dim: usize) -> usize {
        let n = self.points();
        if dim == 1 && n <= MOST_SORTED {
            1
        } else if fixes_two(dim) {
            n * n.saturating_sub(1) / 2
        } else {
            n
        }
    }

    fn enumerate(
        &self,
        construction: &Construction<'_>,
        parts: &Parts<'_>,
        sink: &mut dyn Sink,
    ) -> SimplexCounts {
        let dim = construction.dim;
        if dim == 1
            && let Some(edges) = self.ordered_edges()
        {
            // There is only one part.
            if parts.take().is_none() {
                return SimplexCounts::default();
            }
            let counts = ordered::enumerate(self.matrix(), edges, construction.lists_apparent(), sink);
            construction.progress.advance(self.work(dim));
            return counts;
        }
        let (mut buffers, mut counts) = (Buffers::default(), SimplexCounts::default());
        let last = self.parts(dim).saturating_sub(1);
        while let Some(taken) = parts.take() {
            for part in taken {
                // Greater vertices have more vertices below them, so the longest parts come first.
                let index = last - part;
                let fixed = if fixes_two(dim) { pair(index) } else { [index, 0] };
                let fixed = &fixed[..if fixes_two(dim) { 2 } else { 1 }];
                self.level().run(Sweep {
                    matrix: self.matrix(),
                    fixed,
                    dim,
                    neighbourhood: None,
                    lists_apparent: construction.lists_apparent(),
                    buffers: &mut buffers,
                    counts: &mut counts,
                    sink,
                });
                let simplices = binomial(fixed[fixed.len() - 1], dim + 1 - fixed.len());
                construction.progress.advance(simplices);
            }
        }
        counts
    }

    fn sweep_on(&self, devices: &DeviceSweep<'_>, found: OnSwept<'_>) {
        devices.run(&Source::Matrix(self.matrix()), found);
    }
}
