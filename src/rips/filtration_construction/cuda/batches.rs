//! The jobs of a sweep in batches, which devices process one after the other.

use std::collections::VecDeque;
use std::ops::Range;

use super::groups::Group;
use crate::rips::binomial::binomial;

/// Greatest number of blocks per launch.
const MOST_BLOCKS: u64 = (1 << 31) - 1;
/// Greatest number of simplices per batch: a larger batch could leave more undecided simplices than there is room for,
/// and would have to be repeated.
const MOST_SIMPLICES: u64 = 1 << 28;
/// Number of batches per device if several devices share the work.
const SHARES: u64 = 16;

/// A range of the jobs of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Batch {
    /// The index of the group in the list of groups.
    pub(super) group: usize,
    /// The first job.
    pub(super) from: u64,
    /// One past the last job.
    pub(super) to: u64,
    /// The greatest vertices of the simplices, if these are all simplices with such a greatest vertex.
    pub(super) vertices: Option<Range<usize>>,
}

impl Batch {
    /// Splits the batch into `parts` parts, or as many as it has jobs if these are fewer. The parts with the longest
    /// jobs come first.
    pub(super) fn cut(self, parts: u64) -> impl Iterator<Item = Batch> {
        let jobs = self.to - self.from;
        let parts = parts.clamp(1, jobs.max(1));
        // The result fits 64 bits: there are fewer jobs than pairs of vertices.
        let at =
            move |part: u64| self.from + (u128::from(jobs) * u128::from(part) / u128::from(parts)) as u64;
        let group = self.group;
        (0..parts)
            .rev()
            .map(move |part| Batch { group, from: at(part), to: at(part + 1), vertices: None })
            .filter(|b| b.from < b.to)
    }
}

/// The greatest number of simplices of a group, over the dimensions from 1 to `max_dim`.
pub(super) fn most_simplices(groups: &[Group], max_dim: usize) -> u64 {
    let simplices = |group: &Group| (1..=max_dim).map(|dim| group.simplices(dim)).max();
    groups.iter().filter_map(simplices).max().unwrap_or(0)
}

/// The jobs of every group in a dimension, in batches for this many devices. A batch has about `most` simplices; by
/// default as many as are expected to leave no more undecided simplices than there is room for.
pub(super) fn of_groups(groups: &[Group], dim: usize, devices: u64, most: Option<u64>) -> VecDeque<Batch> {
    let most = most.unwrap_or(MOST_SIMPLICES);
    let mut batches = VecDeque::new();
    for (number, group) in groups.iter().enumerate() {
        let (jobs, simplices) = (group.jobs(dim), group.simplices(dim));
        let shares = if devices > 1 && simplices > MOST_SIMPLICES / SHARES { devices * SHARES } else { 1 };
        let parts = shares.max(simplices.div_ceil(most)).max(jobs.div_ceil(MOST_BLOCKS));
        batches.extend(Batch { group: number, from: 0, to: jobs, vertices: None }.cut(parts));
    }
    batches
}

/// The jobs of triangles of a matrix, in batches for this many devices. Each has all triangles with some greatest
/// vertices, the greatest first, about as many as a batch of [`of_groups`].
pub(super) fn of_triangles(matrix: &Group, devices: u64) -> VecDeque<Batch> {
    let tiles = matrix.numbered(2);
    let shares = if devices > 1 { devices * SHARES } else { 1 };
    let most = (matrix.simplices(2) / shares).min(MOST_SIMPLICES);
    let (mut batches, mut count) = (VecDeque::new(), 0);
    let (mut end, mut to) = (tiles.len(), matrix.jobs(2));
    for (vertex, tile) in tiles.iter().enumerate().rev() {
        count += binomial(tile.top as usize, 2);
        if count >= most || vertex == 0 {
            let vertices = Some(vertex..end);
            if tile.first_job < to {
                batches.push_back(Batch { group: 0, from: tile.first_job, to, vertices });
            }
            (count, end, to) = (0, vertex, tile.first_job);
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::super::groups::of_matrix;
    use super::*;

    #[test]
    fn parts_are_the_whole_and_none_is_empty() {
        for (jobs, parts) in [(0, 3), (1, 3), (10, 3), (10, 100), (u64::MAX, 7)] {
            let batch = Batch { group: 2, from: 5, to: jobs.saturating_add(5), vertices: None };
            let mut cut: Vec<Batch> = batch.clone().cut(parts).collect();
            assert!(cut.iter().all(|part| part.group == 2 && part.from < part.to), "{cut:?}");
            cut.reverse();
            assert!(cut.windows(2).all(|pair| pair[0].to == pair[1].from), "{cut:?}");
            let ends = cut.first().zip(cut.last()).map(|(first, last)| (first.from, last.to));
            assert_eq!(ends, (jobs > 0).then_some((batch.from, batch.to)));
        }
    }

    #[test]
    fn batches_of_triangles_have_all_vertices_and_jobs_once() {
        for (n, devices) in [(1, 1), (2, 1), (3, 2), (500, 1), (500, 3), (2000, 1), (2000, 2)] {
            let matrix = of_matrix(n, 2048, 0..n as u32);
            let batches = of_triangles(&matrix, devices);
            let (mut end, mut to) = (n, matrix.jobs(2));
            for batch in &batches {
                let vertices = batch.vertices.clone().unwrap();
                assert_eq!((vertices.end, batch.to), (end, to), "{n} {devices}");
                assert!(batch.from < batch.to);
                (end, to) = (vertices.start, batch.from);
            }
            // The first two vertices are the greatest of no triangle.
            assert!(to == 0 && end <= 2.min(n), "{n} {devices} {end}");
            assert!(n < 2000 || devices == 1 || batches.len() >= 32, "{}", batches.len());
        }
    }
}
