//! Tightening: replaces a cycle of dimension 1 by a shortest one in its class at the scale of its birth.
//!
//! At the birth b of a bar, two cycles are in the same class if all cocycles of the classes alive at b agree on them:
//! these cocycles are a basis of the cohomology there. So each edge of the complex gets a *signature*, the values of
//! all these cocycles, and the goal is a shortest closed walk whose signatures add up to that of the cycle. The cocycle
//! of the bar itself, restricted to b, is zero except on few edges (only the birth simplex if all edges differ in
//! length), and its value on the cycle is not zero. So the walk contains one of these edges, and the rest of it is a
//! shortest path between the ends:
//!
//! ```text
//! for each edge {u, v} of the bar's cocycle at b:
//!     find a shortest path from v to u by A*, on pairs of a vertex and the signature of the path so far;
//!     the distance to u, whatever the signature, is a lower bound on the remaining length
//! ```
//!
//! First, paths are tried that consist of a shortest path from v to some vertex, an edge, and a shortest path on to u:
//! the best of them bounds the search. If the search is abandoned because too many signatures occur, that path is the
//! result; it may not be the shortest then. If nothing is shorter than the cycle, the cycle remains.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::{HashMap, HashSet};

use crate::rips::code::Code;
use crate::rips::complex::{Band, Cofacet, Complex};
use crate::rips::field::{Field, Modulo};
use crate::rips::rank::Values;
use crate::rips::submatrix_reduction::Multiple;
use crate::rips::word::Word;

/// Greatest number of states of a search.
const MOST_STATES: usize = 1 << 16;
/// Greatest length of a signature. If more classes are alive, each number is a random linear combination over all of
/// them, and a walk is checked against the cocycles themselves.
const MOST_NUMBERS: usize = 64;

/// The values on an edge or a walk of the cocycles of all classes alive at a scale.
type Signature = Vec<u16>;

/// The complex at the birth of a bar of dimension 1.
pub(super) struct AtBirth<'a, W> {
    complex: &'a dyn Complex,
    values: &'a Values,
    code: Code<W>,
    field: Modulo,
    /// The rank of the birth.
    rank: u32,
    /// The nonzero signatures of edges u < v, oriented from u to v.
    signatures: HashMap<[u32; 2], Signature>,
    /// The length of a signature.
    numbers: usize,
}

/// A path to a vertex, as a state of the search.
struct State {
    vertex: u32,
    /// The index of its signature.
    signature: usize,
    length: f64,
    /// The index of the preceding state; the first state is its own predecessor.
    before: usize,
}

/// A vertex in a tree of shortest paths.
struct Reached {
    length: f64,
    /// The parent of the vertex; the root is its own parent.
    before: u32,
    /// The signature of the path from the root.
    signature: Signature,
}

/// The vertices on the path from one to the root of a tree.
fn way(tree: &HashMap<u32, Reached>, from: u32) -> Vec<u32> {
    let before =
        |&vertex: &u32| tree.get(&vertex).map(|reached| reached.before).filter(|&before| before != vertex);
    std::iter::successors(Some(from), before).collect()
}

impl<'a, W: Word> AtBirth<'a, W> {
    /// The complex at the scale of a rank. `alive` are the cocycles of all classes alive there.
    pub(super) fn new(
        complex: &'a dyn Complex,
        values: &'a Values,
        code: Code<W>,
        modulus: u16,
        rank: u32,
        alive: &[&[Multiple<W>]],
    ) -> Self {
        let (field, numbers) = (Modulo::new(modulus), alive.len().min(MOST_NUMBERS));
        let mut at = AtBirth { complex, values, code, field, rank, signatures: HashMap::new(), numbers };
        for (class, cocycle) in alive.iter().enumerate() {
            let factors = factors(class, alive.len(), modulus);
            for &(edge, c) in cocycle.iter().filter(|&&(edge, _)| code.rank(edge) <= rank) {
                let signature = at.signatures.entry(at.ends(edge)).or_insert_with(|| vec![0; numbers]);
                for (number, &factor) in signature.iter_mut().zip(&factors) {
                    *number = field.add(*number, field.mul(c, factor));
                }
            }
        }
        at
    }

    /// The ends of an edge, ascending.
    fn ends(&self, edge: W) -> [u32; 2] {
        let mut vertices = Vec::with_capacity(2);
        self.code.vertices_of(edge, &mut vertices);
        [vertices[1], vertices[0]]
    }

    /// Adds a multiple of the signature of an edge, oriented from u to v.
    fn add(&self, signature: &mut [u16], [u, v]: [u32; 2], c: u16) {
        let Some(own) = self.signatures.get(&[u.min(v), u.max(v)]) else { return };
        let c = if u < v { c } else { self.field.neg(c) };
        for (number, &own) in signature.iter_mut().zip(own) {
            *number = self.field.add(*number, self.field.mul(own, c));
        }
    }

    /// The total length of a cycle.
    fn length(&self, cycle: &[Multiple<W>]) -> f64 {
        cycle.iter().map(|&(edge, _)| self.values.distance(self.code.rank(edge))).sum()
    }

    /// A shortest cycle in the class of a cycle, in filtration order. `cocycle` is that of its bar, `alive` are all
    /// cocycles alive at its birth.
    pub(super) fn tightened(
        &self,
        cycle: Vec<Multiple<W>>,
        cocycle: &[Multiple<W>],
        alive: &[&[Multiple<W>]],
    ) -> Vec<Multiple<W>> {
        let field = self.field;
        let mut wanted = vec![0; self.numbers];
        for &(edge, c) in &cycle {
            self.add(&mut wanted, self.ends(edge), c);
        }
        let own = evaluate(field, cocycle, &cycle);
        if own == 0 {
            return cycle;
        }
        let class: Vec<u16> = alive.iter().map(|cocycle| evaluate(field, cocycle, &cycle)).collect();
        let mut best = cycle;
        for &(edge, value) in cocycle.iter().filter(|&&(edge, _)| self.code.rank(edge) <= self.rank) {
            // The coefficient of this edge for which the walk has the same value under the bar's cocycle as the cycle.
            let coefficient = field.mul(own, field.inverse(value));
            let [u, v] = self.ends(edge);
            let unit = field.inverse(coefficient);
            let mut path_wanted: Signature = wanted.iter().map(|&number| field.mul(number, unit)).collect();
            self.add(&mut path_wanted, [u, v], field.neg(1));
            let bound = self.length(&best) - self.values.distance(self.code.rank(edge));
            let Some(path) = self.path(v, u, &path_wanted, bound) else { continue };
            let steps = path.windows(2).map(|step| [step[0], step[1]]).chain([[u, v]]);
            let walk = self.cycle_of(steps, coefficient);
            let is_of_class =
                alive.iter().zip(&class).all(|(cocycle, &value)| evaluate(field, cocycle, &walk) == value);
            if is_of_class && self.length(&walk) < self.length(&best) {
                best = walk;
            }
        }
        best
    }

    /// The cycle that the steps of a closed walk add up to.
    fn cycle_of(&self, steps: impl Iterator<Item = [u32; 2]>, coefficient: u16) -> Vec<Multiple<W>> {
        let mut sums: HashMap<W, u16> = HashMap::new();
        for [a, b] in steps {
            let edge = self.code.entry(self.complex.edge(a, b), [a.max(b), a.min(b)]);
            let c = if a < b { coefficient } else { self.field.neg(coefficient) };
            let sum = sums.entry(edge).or_default();
            *sum = self.field.add(*sum, c);
        }
        let mut cycle: Vec<Multiple<W>> = sums.into_iter().filter(|&(_, sum)| sum != 0).collect();
        cycle.sort_unstable();
        cycle
    }

    /// The neighbours of a vertex at this scale.
    fn neighbours(&self, vertex: u32, found: &mut Vec<Cofacet>) {
        self.complex.cofacets(&[vertex], 0, Band { from: 0, to: self.rank }, 0, found);
    }

    /// The tree of shortest paths from `root`, up to the length `bound`. The queue orders lengths by their bits, which
    /// have the order of the numbers, since these are not negative.
    fn tree(&self, root: u32, bound: f64) -> HashMap<u32, Reached> {
        let mut reached: HashMap<u32, Reached> = HashMap::new();
        let (mut open, mut found) = (BinaryHeap::from([(Reverse(0), root, root)]), Vec::new());
        while let Some((Reverse(bits), vertex, before)) = open.pop() {
            let length = f64::from_bits(bits);
            if reached.contains_key(&vertex) {
                continue;
            }
            let mut signature =
                reached.get(&before).map_or_else(|| vec![0; self.numbers], |r| r.signature.clone());
            self.add(&mut signature, [before, vertex], 1);
            reached.insert(vertex, Reached { length, before, signature });
            self.neighbours(vertex, &mut found);
            for &Cofacet { vertex: next, rank } in &found {
                let length = length + self.values.distance(rank);
                if length <= bound && !reached.contains_key(&next) {
                    open.push((Reverse(length.to_bits()), next, vertex));
                }
            }
        }
        reached
    }

    /// A shortest path with this signature, shorter than `bound`, among those that consist of a shortest path from the
    /// start, an edge, and a shortest path to the goal; and its length. The trees are rooted at the start and at the
    /// goal.
    fn path_of_three(
        &self,
        trees: [&HashMap<u32, Reached>; 2],
        wanted: &Signature,
        bound: f64,
    ) -> Option<(Vec<u32>, f64)> {
        let [from_start, from_goal] = trees;
        let (mut best, mut ends, mut found) = (bound, None, Vec::new());
        for (&x, reached) in from_start {
            self.neighbours(x, &mut found);
            for &Cofacet { vertex: y, rank } in &found {
                let Some(rest) = from_goal.get(&y) else { continue };
                let length = reached.length + self.values.distance(rank) + rest.length;
                // Ties are broken by the ends, so that the result does not depend on the order of the table.
                if length > best || length == best && ends.is_none_or(|ends| ends < [x, y]) {
                    continue;
                }
                let mut sum = reached.signature.clone();
                self.add(&mut sum, [x, y], 1);
                for (number, &other) in sum.iter_mut().zip(&rest.signature) {
                    *number = self.field.add(*number, self.field.neg(other));
                }
                if sum == *wanted {
                    (best, ends) = (length, Some([x, y]));
                }
            }
        }
        let [x, y] = ends?;
        let mut path = way(from_start, x);
        path.reverse();
        path.extend(way(from_goal, y));
        Some((path, best))
    }

    /// The vertices of a shortest path with this signature, shorter than `bound`. If the search needs too many states,
    /// the result may be a longer path or `None`.
    fn path(&self, start: u32, goal: u32, wanted: &Signature, bound: f64) -> Option<Vec<u32>> {
        let (to_go, from_start) = (self.tree(goal, bound), self.tree(start, bound));
        let simple = self.path_of_three([&from_start, &to_go], wanted, bound);
        let bound = simple.as_ref().map_or(bound, |&(_, length)| length);
        let simple = simple.map(|(path, _)| path);
        let mut signatures: Vec<Signature> = vec![vec![0; self.numbers]];
        let mut places: HashMap<Signature, usize> = HashMap::from([(signatures[0].clone(), 0)]);
        let mut states = vec![State { vertex: start, signature: 0, length: 0.0, before: 0 }];
        let mut done: HashSet<(u32, usize)> = HashSet::new();
        let mut open = BinaryHeap::from([(Reverse(to_go.get(&start)?.length.to_bits()), 0)]);
        let mut found = Vec::new();
        while let Some((_, place)) = open.pop() {
            let State { vertex, signature, length, .. } = states[place];
            if !done.insert((vertex, signature)) {
                continue;
            }
            if vertex == goal && signatures[signature] == *wanted {
                let mut path = vec![vertex];
                let mut at = place;
                while states[at].before != at {
                    at = states[at].before;
                    path.push(states[at].vertex);
                }
                path.reverse();
                return Some(path);
            }
            self.neighbours(vertex, &mut found);
            for &Cofacet { vertex: next, rank } in &found {
                let Some(&Reached { length: rest, .. }) = to_go.get(&next) else { continue };
                let length = length + self.values.distance(rank);
                if length + rest >= bound {
                    continue;
                }
                let mut signature = signature;
                if self.signatures.contains_key(&[vertex.min(next), vertex.max(next)]) {
                    let mut sum = signatures[signature].clone();
                    self.add(&mut sum, [vertex, next], 1);
                    signature = *places.entry(sum.clone()).or_insert_with(|| {
                        signatures.push(sum);
                        signatures.len() - 1
                    });
                }
                if done.contains(&(next, signature)) {
                    continue;
                }
                if states.len() == MOST_STATES {
                    return simple;
                }
                open.push((Reverse((length + rest).to_bits()), states.len()));
                states.push(State { vertex: next, signature, length, before: place });
            }
        }
        simple
    }
}

/// The factors with which the cocycle of a class enters the numbers of a signature.
fn factors(class: usize, classes: usize, modulus: u16) -> Vec<u16> {
    if classes <= MOST_NUMBERS {
        return (0..classes).map(|number| u16::from(number == class)).collect();
    }
    let mut state = class as u64 + 1;
    let mut random = || {
        // The generator is SplitMix64 (Steele, Lea, Flood 2014).
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        // A remainder is less than the modulus, which has 16 bits.
        ((mixed >> 31) % u64::from(modulus)) as u16
    };
    (0..MOST_NUMBERS).map(|_| random()).collect()
}

/// The value of a cocycle on a cycle, both in filtration order.
fn evaluate<W: Word>(field: Modulo, cocycle: &[Multiple<W>], cycle: &[Multiple<W>]) -> u16 {
    let value =
        |edge: &W| cocycle.binary_search_by(|other| other.0.cmp(edge)).map_or(0, |place| cocycle[place].1);
    cycle.iter().fold(0, |sum, &(edge, c)| field.add(sum, field.mul(value(&edge), c)))
}
