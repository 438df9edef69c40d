//! Closing a cochain: values of the triangles that an edge completes with which the coboundary is zero.
//!
//! Tetrahedra that the edge {u, v} completes are its unions with edges {w, x} of its link. Let c be the cochain, f(w)
//! the value to be found of the triangle {u, v, w}, and g(w, x) = c(u, w, x) + c(v, w, x). The coboundary is zero if
//! f(w) + f(x) = g(w, x) for all edges of the link: f is determined by one value on each of its components. On
//! triangles of the link g sums to zero, since the coboundary is zero on older tetrahedra. So if a vertex r is joined
//! to w and x, the equations of {r, w} and {r, x} imply that of {w, x}: with r joined to nearly all vertices of the
//! link, only equations with the few others are left to be tested.

use super::cochain::{Cochain, all_if, bits, has, insert, row_of};
use crate::simd::{Kernel, Simd};

impl Cochain {
    /// Extends the cochain to the triangles that an edge completes such that the coboundary is zero on all tetrahedra
    /// that it completes, if that is possible. The edge must be the last of the graph and no other may have its rank.
    /// Returns the number of values changed; `None` if it is not possible, and then nothing changes.
    pub(super) fn close(&mut self, edge: (u32, u32)) -> Option<u64> {
        let level = self.level;
        level.run(CloseTriangles { cochain: self, edge })
    }
}

/// Kernel of [`Cochain::close`].
struct CloseTriangles<'a> {
    cochain: &'a mut Cochain,
    edge: (u32, u32),
}

impl Kernel<u32> for CloseTriangles<'_> {
    type Output = Option<u64>;

    #[inline(always)]
    fn run<S: Simd<u32>>(self, _: S) -> Option<u64> {
        let CloseTriangles { cochain, edge: (u, v) } = self;
        let blocks = cochain.blocks;
        let link = cochain.link_row((u, v));
        let mut guesses = [u, v].into_iter().flat_map(|x| cochain.apexes[x as usize]);
        let guess = guesses.find_map(|guess| guessed(cochain, &link, guess));
        let Some((apex, others)) = guess.or_else(|| apex(cochain, &link)) else { return Some(0) };
        // The values of g on the edges of the link at a vertex.
        let sums =
            |w: u32| cochain.row(row_of(u, w)).iter().zip(cochain.row(row_of(v, w))).map(|(p, q)| p ^ q);
        let joined = |w: u32, k: usize| cochain.neighbours(w)[k] & link[k];
        let mut known: Vec<u64> = (0..blocks).map(|k| joined(apex, k)).collect();
        let mut values: Vec<u64> = known.iter().zip(sums(apex)).map(|(known, sum)| known & sum).collect();
        insert(&mut known, apex);
        // The rows are scattered in memory: loading them first, without branches, overlaps the loads.
        let mut rows = Vec::with_capacity(others.len() * blocks);
        others.iter().for_each(|&w| rows.extend(sums(w)));
        let mut left: Vec<(u32, &[u64])> = others.into_iter().zip(rows.chunks(blocks)).collect();
        let mut is_connected = true;
        while !left.is_empty() {
            let before = left.len();
            let mut next = Vec::new();
            for (w, sum) in left {
                let Some(k) = (0..blocks).find(|&k| joined(w, k) & known[k] != 0) else {
                    next.push((w, sum));
                    continue;
                };
                let x = (joined(w, k) & known[k]).trailing_zeros();
                let value = (values[k] ^ sum[k]) >> x & 1 == 1;
                let mut wrong = 0;
                for k in 0..blocks {
                    wrong |= joined(w, k) & known[k] & (values[k] ^ sum[k] ^ all_if(value));
                }
                if wrong != 0 {
                    return None;
                }
                insert(&mut known, w);
                if value {
                    insert(&mut values, w);
                }
            }
            if next.len() == before {
                // Another component of the link, with the value zero at its first vertex.
                is_connected = false;
                insert(&mut known, next.swap_remove(0).0);
            }
            left = next;
        }
        let ones = |values: &[u64]| values.iter().map(|word| word.count_ones()).sum::<u32>();
        if is_connected && 2 * ones(&values) > ones(&link) {
            // The other solution has fewer triangles.
            values.iter_mut().zip(&link).for_each(|(values, link)| *values ^= link);
        }
        for x in [u, v] {
            // The apex becomes the first of the point's.
            let known = &mut cochain.apexes[x as usize];
            let place = known.iter().position(|&other| other == apex).unwrap_or(APEXES - 1);
            known[..=place].rotate_right(1);
            known[0] = apex;
        }
        let mut changed = 0;
        for (value, own) in values.iter_mut().zip(cochain.row(row_of(u, v))) {
            *value ^= own;
        }
        for w in bits(values.into_iter()) {
            cochain.flip(&[u, v, w]);
            changed += 1;
        }
        Some(changed)
    }
}

/// Number of vertices remembered for each point as apexes of its links.
pub(super) const APEXES: usize = 8;
/// Number of vertices of a link that need not be joined to a guessed apex.
const FEW: u32 = 4;

/// A vertex and the vertices of a link that are not joined to it, if it is in the link and these are few.
#[inline(always)]
fn guessed(cochain: &Cochain, link: &[u64], apex: u32) -> Option<(u32, Vec<u32>)> {
    if !has(link, apex) {
        return None;
    }
    let near = cochain.neighbours(apex);
    let apart = |k: usize| link[k] & !near[k];
    // The apex is not its own neighbour.
    let count: u32 = (0..link.len()).map(|k| apart(k).count_ones()).sum();
    let others = || bits((0..link.len()).map(apart)).filter(|&w| w != apex).collect();
    (count <= FEW + 1).then(|| (apex, others()))
}

/// A vertex of a link that is joined to nearly all of them, and those to which it is not; `None` if the link is empty.
#[inline(always)]
fn apex(cochain: &Cochain, link: &[u64]) -> Option<(u32, Vec<u32>)> {
    let blocks = link.len();
    // The vertices that are joined to all vertices so far, or all but the others.
    let (mut common, mut fewer) = (link.to_vec(), vec![0; blocks]);
    let mut others = Vec::new();
    for w in bits(link.iter().copied()) {
        let near = cochain.neighbours(w);
        let is_common = has(&common, w);
        let mut any = u64::from(is_common);
        for k in 0..blocks {
            fewer[k] = common[k] & near[k];
            any |= fewer[k];
        }
        if any == 0 {
            others.push(w);
            continue;
        }
        if is_common {
            // A vertex is not its own neighbour.
            insert(&mut fewer, w);
        }
        std::mem::swap(&mut common, &mut fewer);
    }
    let apex = bits(common.into_iter()).next()?;
    Some((apex, others))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rips::random::random;
    use crate::simd::Level;

    /// Whether values of the triangles that an edge completes exist with which the coboundary is zero on the tetrahedra
    /// that it completes: from one vertex of each component of the link on, every edge determines a value.
    fn can_be_closed(cochain: &Cochain, (u, v): (u32, u32)) -> bool {
        let link: Vec<u32> = cochain.link((u, v)).collect();
        let mut values = std::collections::BTreeMap::new();
        for &first in &link {
            if values.contains_key(&first) {
                continue;
            }
            values.insert(first, false);
            let mut open = vec![first];
            while let Some(w) = open.pop() {
                for &x in link.iter().filter(|&&x| has(cochain.neighbours(w), x)) {
                    let value = values[&w] ^ cochain.value(&[u, w, x]) ^ cochain.value(&[v, w, x]);
                    match values.insert(x, value) {
                        None => open.push(x),
                        Some(before) if before != value => return false,
                        Some(_) => {}
                    }
                }
            }
        }
        true
    }

    /// Edges enter in random order, and triangles of an edge whose link is not connected take part in the cochain at
    /// random, so that after a while the cochain cannot be closed.
    #[test]
    fn cochains_are_closed_where_that_is_possible() {
        let mut state = 7_u64;
        let mut below = |bound: usize| random(&mut state) as usize % bound;
        let (mut closed, mut changed, mut impossible) = (0, 0, 0);
        for round in 0..200 {
            let n = [6, 9, 14, 70][round % 4];
            let mut edges: Vec<(u32, u32)> = (1..n).flat_map(|u| (0..u).map(move |v| (u, v))).collect();
            (1..edges.len()).rev().for_each(|k| edges.swap(k, below(k + 1)));
            edges.truncate(if n > 64 { 600 } else { edges.len() });
            let mut cochain = Cochain::new(n as usize, Level::detect()).unwrap();
            for (u, v) in edges {
                cochain.toggle_edge((u, v));
                let is_possible = can_be_closed(&cochain, (u, v));
                let before = cochain.values.clone();
                let Some(values) = cochain.close((u, v)) else {
                    assert!(!is_possible && cochain.values == before, "{n} points, edge {u}, {v}");
                    impossible += 1;
                    break;
                };
                assert!(is_possible, "{n} points, edge {u}, {v}");
                closed += 1;
                changed += values;
                let link: Vec<u32> = cochain.link((u, v)).collect();
                for &w in &link {
                    assert_eq!(cochain.defect(&[u, v, w]), None, "{n} points, triangle {u}, {v}, {w}");
                }
                // A vertex of the link that is joined to no other one.
                let is_alone = |w: &&u32| !link.iter().any(|&x| has(cochain.neighbours(**w), x));
                if let Some(&w) = link.iter().find(is_alone).filter(|_| below(2) == 0) {
                    cochain.flip(&[u, v, w]);
                }
            }
        }
        assert!(closed > 10_000 && changed > 100 && impossible > 20, "{closed}, {changed}, {impossible}");
    }
}
