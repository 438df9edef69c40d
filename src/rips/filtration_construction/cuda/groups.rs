//! The tiles of a complex in groups, the matrices of a group being on a device at the same time.

use crate::cuda::constants::filtration_construction::LASTS;
use crate::cuda::filtration_construction::Tile;
use crate::rips::binomial::binomial;
use crate::rips::complex::{Sparse, stride};

/// Greatest number of bytes for the matrices of a group.
const MOST_MATRICES: u64 = 1 << 28;

/// Tiles whose matrices are on the device at the same time.
pub(super) struct Group {
    /// The tiles; the numbers of their first jobs are not set yet.
    pub(super) tiles: Vec<Tile>,
    /// The vertex of the complex for each row of the matrices.
    pub(super) ids: Vec<u32>,
    /// Number of elements of all matrices.
    pub(super) elements: usize,
}

impl Group {
    /// Number of jobs of a tile in a dimension.
    fn jobs_of(tile: &Tile, dim: usize) -> u64 {
        match dim {
            _ if (tile.top as usize) < dim => 0,
            1 => 1,
            2 => u64::from(tile.top.div_ceil(LASTS)),
            _ => u64::from(tile.top),
        }
    }

    /// Number of jobs of all tiles in a dimension.
    pub(super) fn jobs(&self, dim: usize) -> u64 {
        self.tiles.iter().map(|tile| Group::jobs_of(tile, dim)).sum()
    }

    /// Upper bound on the number of simplices in a dimension.
    pub(super) fn simplices(&self, dim: usize) -> u64 {
        self.tiles.iter().fold(0, |sum: u64, tile| sum.saturating_add(binomial(tile.top as usize, dim)))
    }

    /// The tiles with the numbers of their first jobs.
    pub(super) fn numbered(&self, dim: usize) -> Vec<Tile> {
        let mut next = 0;
        let number = |tile: &Tile| {
            let first_job = next;
            next += Group::jobs_of(tile, dim);
            Tile { first_job, ..*tile }
        };
        self.tiles.iter().map(number).collect()
    }

    /// The length of the longest row.
    pub(super) fn stride(&self) -> u32 {
        self.tiles.iter().map(|tile| tile.stride).max().unwrap_or(0)
    }
}

/// The group of a matrix of `n` rows of length `stride`, with one tile for each of these greatest vertices.
pub(super) fn of_matrix(n: usize, stride: usize, vertices: impl Iterator<Item = u32>) -> Group {
    // Vertices are numbers of 32 bits.
    let (rows, length) = (n as u32, stride as u32);
    let tile = |top| Tile { ranks: 0, first_job: 0, n: rows, stride: length, ids: 0, top };
    Group { tiles: vertices.map(tile).collect(), ids: (0..rows).collect(), elements: n * stride }
}

/// The neighbourhoods of those vertices that have smaller neighbours, in groups whose matrices of `size`-byte ranks
/// take at most `bytes` and [`MOST_MATRICES`]. A larger neighbourhood forms a group of its own.
pub(super) fn of_neighbourhoods(
    graph: &Sparse,
    vertices: impl Iterator<Item = u32>,
    bytes: u64,
    size: usize,
) -> Vec<Group> {
    let most = MOST_MATRICES.min(bytes) / size as u64;
    let mut groups: Vec<Group> = Vec::new();
    for v in vertices {
        let (neighbours, _) = graph.row(v);
        let top = neighbours.partition_point(|&w| w < v);
        if top == 0 {
            continue;
        }
        let n = neighbours.len() + 1;
        let elements = n * stride(n);
        let full = |group: &Group| {
            (group.elements + elements) as u64 > most || group.ids.len() + n > u32::MAX as usize
        };
        if groups.last().is_none_or(full) {
            groups.push(Group { tiles: Vec::new(), ids: Vec::new(), elements: 0 });
        }
        let group = groups.last_mut().expect("one was just made if there was none");
        group.tiles.push(Tile {
            ranks: group.elements as u64,
            first_job: 0,
            n: n as u32,
            stride: stride(n) as u32,
            ids: group.ids.len() as u32,
            top: top as u32,
        });
        group.ids.extend_from_slice(&neighbours[..top]);
        group.ids.push(v);
        group.ids.extend_from_slice(&neighbours[top..]);
        group.elements += elements;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbourhoods_are_grouped_by_what_fits() {
        let path: Vec<(u32, u32, u32)> = (1..10).map(|v| (v, v - 1, v)).collect();
        let graph = Sparse::new(10, &path).unwrap();
        let rows = |group: &Group| group.tiles.iter().map(|tile| tile.n as usize).sum::<usize>();
        let whole = of_neighbourhoods(&graph, 0..10, u64::MAX, 4);
        assert_eq!((whole.len(), whole[0].tiles.len()), (1, 9));
        let cut = of_neighbourhoods(&graph, 0..10, 0, 4);
        assert!(cut.len() == 9 && cut.iter().all(|group| group.tiles.len() == 1));
        assert_eq!(cut.iter().map(rows).sum::<usize>(), rows(&whole[0]));
        assert_eq!((whole[0].jobs(1), whole[0].simplices(1)), (9, 9));
        assert_eq!(whole[0].numbered(1).iter().map(|tile| tile.first_job).max(), Some(8));
    }
}
