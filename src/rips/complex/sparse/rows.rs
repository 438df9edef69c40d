//! Construction of neighbour lists from an edge list, on all threads.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::NearAbove;
use crate::memory::{self, Refused};
use crate::parallel::{pieces_mut, ranges};

/// Number of edges that a thread takes at a time.
const EDGES: usize = 1 << 14;
/// Number of vertices whose lists a thread sorts at a time.
const VERTICES: usize = 1 << 8;

/// The start of each vertex's list, and the concatenated lists, each unsorted. An element has the neighbour in its
/// upper 32 bits and the rank in its lower 32 bits.
pub(super) fn scattered(
    n: usize,
    pairs: &[(u32, u32)],
    ranks: &[u32],
) -> Result<(Vec<usize>, Vec<AtomicU64>), Refused> {
    let mut next: Vec<AtomicUsize> = memory::zeroed(n + 1)?;
    ranges(pairs.len(), EDGES, &|range| {
        for &(i, j) in &pairs[range] {
            next[i as usize].fetch_add(1, Ordering::Relaxed);
            next[j as usize].fetch_add(1, Ordering::Relaxed);
        }
    });
    let (mut offsets, mut begin) = (memory::with_room(n + 1)?, 0);
    for next in &mut next {
        offsets.push(begin);
        begin += std::mem::replace(next.get_mut(), begin);
    }
    let rows: Vec<AtomicU64> = memory::zeroed(2 * pairs.len())?;
    let put = |v: u32, w: u32, rank: u32| {
        let place = next[v as usize].fetch_add(1, Ordering::Relaxed);
        rows[place].store(u64::from(w) << 32 | u64::from(rank), Ordering::Relaxed);
    };
    ranges(pairs.len(), EDGES, &|range| {
        for (&(i, j), &rank) in pairs[range.clone()].iter().zip(&ranks[range]) {
            put(i, j, rank);
            put(j, i, rank);
        }
    });
    Ok((offsets, rows))
}

/// The lists of consecutive vertices, from `first` on, and the slices to which they are written.
struct Part<'a> {
    first: usize,
    rows: &'a mut [AtomicU64],
    neighbours: &'a mut [u32],
    ranks: &'a mut [u32],
    near: &'a mut [NearAbove],
}

/// Sorts the lists, splits them into neighbours and ranks, and finds the nearest neighbours above each vertex.
pub(super) fn sort(
    offsets: &[usize],
    mut rows: &mut [AtomicU64],
    mut neighbours: &mut [u32],
    mut ranks: &mut [u32],
    near: &mut [NearAbove],
) {
    let mut parts = Vec::with_capacity(near.len() / VERTICES + 1);
    for (number, near) in near.chunks_mut(VERTICES).enumerate() {
        let first = number * VERTICES;
        let length = offsets[first + near.len()] - offsets[first];
        let part = Part {
            first,
            rows: rows.split_off_mut(..length).unwrap_or_default(),
            neighbours: neighbours.split_off_mut(..length).unwrap_or_default(),
            ranks: ranks.split_off_mut(..length).unwrap_or_default(),
            near,
        };
        parts.push(part);
    }
    pieces_mut(&mut parts, 1, &|_, part: &mut [Part<'_>]| part[0].sort(offsets));
}

impl Part<'_> {
    fn sort(&mut self, offsets: &[usize]) {
        let Part { first, rows, neighbours, ranks, near } = self;
        let first = *first;
        for (k, near) in near.iter_mut().enumerate() {
            let v = first + k;
            let range = offsets[v] - offsets[first]..offsets[v + 1] - offsets[first];
            let row = &mut rows[range.clone()];
            row.sort_unstable_by_key(|entry| entry.load(Ordering::Relaxed));
            let out = neighbours[range.clone()].iter_mut().zip(&mut ranks[range]);
            for (entry, (neighbour, rank)) in row.iter_mut().zip(out) {
                let entry = *entry.get_mut();
                (*neighbour, *rank) = ((entry >> 32) as u32, entry as u32);
                if *neighbour as usize > v {
                    near.add(*neighbour, *rank);
                }
            }
        }
    }
}
