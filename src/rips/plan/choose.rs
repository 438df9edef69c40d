//! The choice of widths and shapes for ranked distances.

use super::{Plan, SecondLayer, Shape};
use crate::memory::MemoryPlan;
use crate::rips::code::vertex_bits;
use crate::rips::complex::Sparse;
use crate::rips::rank::{PairSearch, Ranking, Values};
use crate::rips::submatrix_reduction::Walking;
use crate::rips::{RipsError, RipsOptions, Summary, footprint};
use crate::simd::Level;

/// Bits of a stored rank: 16 if all ranks fit.
fn rank_width(ranks: usize) -> u32 {
    if ranks <= MOST_NARROW_RANKS { 16 } else { 32 }
}

/// Maximum number of distinct ranks stored in 16 bits: one 16-bit value stands for absent edges.
const MOST_NARROW_RANKS: usize = u16::MAX as usize;

/// Available widths of entries in bits, narrowest first.
const ENTRY_WIDTHS: [u32; 3] = [64, 128, 512];

/// Chooses the widths of ranks and entries, and the shape of the complex.
///
/// # Errors
/// [`RipsError::TooWide`].
pub(in crate::rips) fn choose(
    options: &RipsOptions,
    asked_dim: usize,
    modulus: u16,
    search: PairSearch,
    summary: &Summary,
    Ranking { values, edges }: &Ranking,
) -> Result<Plan, RipsError> {
    let (n, ranks) = (summary.points, values.count());
    let max_dim = cut(asked_dim, n);
    let (index_width, entry_width) = entry_widths(n, max_dim, ranks)?;
    let (mut pair_store, mut memory) = (options.pair_store, MemoryPlan::new());
    if pair_store == SecondLayer::Sorted
        && let Some(why) = footprint::too_large_sorted_layer(edges, max_dim, entry_width)
    {
        pair_store = SecondLayer::Implicit;
        memory.shed("the sorted pair store, which is implicit instead", why);
    }
    let too_large = if summary.is_dense() {
        footprint::too_large_matrix(edges, summary.edges, rank_width(ranks))
    } else {
        None
    };
    let is_dense = summary.is_dense() && too_large.is_none();
    if let Some(why) = too_large {
        memory.shed("a square matrix of ranks, neighbour lists are searched instead", why);
    }
    // Components are found edge by edge and need no bitsets.
    let wants_bitsets = !is_dense && max_dim > 0 && Sparse::gains_by_bitsets(n, summary.edges);
    let too_large = footprint::affordable_caches(Sparse::bitset_bytes(n), 0, 0).1.filter(|_| wants_bitsets);
    let bitsets = wants_bitsets && too_large.is_none();
    if let Some(why) = too_large {
        memory.shed("adjacency bitsets, neighbour lists are searched instead", why);
    }
    let walkers = if modulus == 2 && entry_width < 512 {
        [1, 2].map(|dim| if dim <= max_dim { walkers(summary, dim, &mut memory) } else { 0 })
    } else {
        [0; 2]
    };
    Ok(Plan {
        points: n,
        edges: summary.edges,
        max_dim,
        asked_dim,
        modulus,
        threshold: summary.threshold,
        enclosing_radius: summary.enclosing_radius,
        search,
        ranks,
        keys_are_ranks: matches!(values, Values::Keys { .. }),
        rank_width: rank_width(ranks),
        index_width,
        entry_width,
        shape: if is_dense { Shape::Dense } else { Shape::Sparse { bitsets } },
        pair_store,
        representatives: options.representatives.as_ref().map_or(Vec::new(), |request| request.kinds.clone()),
        walkers,
        threads: rayon::current_num_threads(),
        backend: String::new(),
        memory,
        simd: Level::detect().name().into(),
    })
}

/// The number of tables for long columns of a dimension: see [`Plan::walkers`].
fn walkers(summary: &Summary, dim: usize, memory: &mut MemoryPlan) -> usize {
    let Some(Walking { edges, table, tables }) = Walking::of(summary.points, summary.edges, dim + 1) else {
        return 0;
    };
    let (least, most) = (tables.0, tables.1.unwrap_or_else(rayon::current_num_threads));
    let (affordable, why) = footprint::affordable_caches(edges, table, most);
    let walkers = if affordable < least { 0 } else { affordable };
    if let Some(why) = why {
        let what = match walkers {
            0 => format!("tables for long columns of dimension {dim}, they are reduced entry by entry"),
            _ => format!("{most} tables for long columns of dimension {dim}, there are {walkers}"),
        };
        memory.shed(what, why);
    }
    walkers
}

/// The dimension computed for this number of points if `max_dim` is requested.
fn cut(max_dim: usize, points: usize) -> usize {
    max_dim.min(points.saturating_sub(2))
}

/// Bits of the index of a cofacet of the greatest dimension, and of the narrowest entry that holds it with a rank.
pub(in crate::rips) fn entry_widths(
    points: usize,
    max_dim: usize,
    ranks: usize,
) -> Result<(u32, u32), RipsError> {
    let max_dim = cut(max_dim, points);
    let index_width = u64::from(vertex_bits(points)) * (max_dim as u64 + 2);
    let bits = index_width + u64::from(rank_bits(ranks));
    match ENTRY_WIDTHS.into_iter().find(|&width| bits < u64::from(width)) {
        // Below 512, as was just checked.
        Some(entry_width) => Ok((index_width as u32, entry_width)),
        None => {
            let widest = ENTRY_WIDTHS[ENTRY_WIDTHS.len() - 1];
            Err(RipsError::TooWide { dim: max_dim, points, bits, widest })
        }
    }
}

/// Number of bits of the greatest of `ranks` ranks.
pub(in crate::rips) fn rank_bits(ranks: usize) -> u32 {
    usize::BITS - (ranks - 1).leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_at_their_limits() {
        // Five vertices of 9 bits and a rank: one bit of the word stays free.
        assert_eq!(entry_widths(297, 3, 1 << 18), Ok((45, 64)));
        assert_eq!(entry_widths(297, 3, (1 << 18) + 1), Ok((45, 128)));
        assert_eq!(entry_widths(40, 18, 100), Ok((120, 128)));
        assert_eq!(entry_widths(40, 19, 100), Ok((126, 512)));
        let refused = entry_widths(128, 98, 100);
        assert_eq!(refused, Err(RipsError::TooWide { dim: 98, points: 128, bits: 707, widest: 512 }));
        // Dimensions above n - 2 are not computed.
        assert_eq!(entry_widths(40, 98, 100), entry_widths(40, 38, 100));
        assert_eq!([65_535, 65_536].map(rank_width), [16, 32]);
        assert_eq!([1, 2, 3, 256, 257].map(rank_bits), [0, 1, 2, 8, 9]);
    }
}
