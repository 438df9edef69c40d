//! The pairs of triangles over Z/2 by annotations, for bars alone, if not too many edges have the same rank.
//!
//! As [for edges](super), annotations are kept in filtration order, for all classes at once. But here they are those of
//! triangles, and they change edge by edge. Triangles that the edge {u, v} completes are its unions with vertices w of
//! its link, the points joined to both ends, and tetrahedra are its unions with edges {w, x} of the link. Let a be the
//! annotation, and g(w, x) = a(u, w, x) + a(v, w, x) for edges of the link. The annotations f(w) of the new triangles
//! {u, v, w} must fulfil the equations f(w) + f(x) = g(w, x), so that the boundary of each tetrahedron has none.
//!
//! ```text
//! for each edge {u, v}, in filtration order:
//!     for each component of its link:
//!         f ← 0 at one vertex, and at the others by the equations of a spanning tree
//!         if the triangle of its greatest vertex, the oldest, has a column:
//!             a class is born, and added to f on the component
//!     for each equation of the link's other edges that does not follow from these:
//!         sum ← f(w) + f(x) + g(w, x)                       a cycle that the tetrahedron fills
//!         if it is not empty: its youngest class dies, paired with the tetrahedron,
//!                             and the sum is added to each annotation with that class
//! ```
//!
//! The triangles of the other vertices die at once, paired with the tetrahedra of the spanning tree. The value of f at
//! the first vertex may be anything: changing it adds a coboundary, or a class that has just been born, to older ones.
//!
//! The sum of g over the sides of a triangle of the link is the annotation of two boundaries of older tetrahedra, so it
//! is empty. So with a vertex y that is joined to both w and x, the equations of {w, y} and {x, y} imply that of
//! {w, x}. If vertices enter the tree one after the other, one equation is needed for each component of a vertex's
//! neighbours in the tree. The first vertex is one that is joined to most others, which leaves few equations.
//!
//! Edges of equal rank are inserted together, and their tetrahedra are filled one by one. That is slower, so it is left
//! to other ways if most edges have the rank of another one.
//!
//! The time depends on the number of classes that are alive, and on the triangles that they contain, not on the lengths
//! of columns: with random lengths, where thousands are alive at the same time, columns are so long that each would be
//! added up from thousands of others.

use std::ops::Range;
use std::sync::atomic::Ordering;

use super::super::cochain::{bits, insert};
use super::super::edges::{ALL, Edges};
use super::super::queue::{Term, sort};
use super::super::rows::Rows;
use super::super::walk::cofacet;
use super::super::{LastRank, ReductionCounts, Shared, Submatrix};
use super::vectors::{Key, Vectors, add, key, vertices_of};
use crate::memory::{self, Refused};
use crate::parallel::lock;
use crate::progress::check;
use crate::rips::complex::apparent_pairs::{cofacet_of, join};
use crate::rips::complex::rank_of;
use crate::rips::field::Field;
use crate::rips::word::Word;
use crate::simd::{Kernel, Level, Simd};

/// Number of edges after which the run is checked for its end. A few thousand classes take a millisecond for each edge.
const AT_ONCE: usize = 1 << 6;
/// Maximum mean number of edges of a rank.
pub(in super::super) const MOST_ALIKE: usize = 2;
/// Number of classes that never die whose cochains are found together.
const ESSENTIAL: usize = 1 << 9;

/// The state between two edges.
struct Pass<'a, 's, W: Word, F: Field> {
    shared: &'s Shared<'a, W, F>,
    /// The edges so far.
    older: Rows,
    vectors: Vectors,
    /// Number of columns, which are in reverse filtration order, whose triangles are yet to come.
    unborn: usize,
    /// The classes that died after annotations were last settled: the column and the tetrahedron of each.
    dead: Vec<(usize, W)>,
    /// Up to which ranks cochains are wanted, if they are. Triangles with the same last rank are a group.
    wanted: Option<LastRank<'s>>,
    forest: Forest,
    sum: Vec<u64>,
    /// Classes that were added to others, and pairs.
    counts: ReductionCounts,
}

/// Finds the pairs of all columns of triangles, and stores them in the pair store of `shared`, which must be empty.
/// Returns `None` if most edges have the rank of another one.
///
/// # Errors
/// There is no memory for the annotations.
pub(in super::super) fn annotate_triangles<W: Word, F: Field>(
    shared: &Shared<'_, W, F>,
    wanted: Option<LastRank<'_>>,
) -> Result<Option<ReductionCounts>, Refused> {
    let &Submatrix { complex, columns, progress, .. } = shared.submatrix;
    let edges = Edges::of(complex, ALL, progress)?;
    if edges.len() > MOST_ALIKE * edges.ranks().0 {
        return Ok(None);
    }
    let mut pass = Pass {
        shared,
        older: Rows::new(complex.points())?,
        vectors: Vectors::new(Level::detect()),
        unborn: columns.len(),
        dead: Vec::new(),
        wanted,
        forest: Forest::new(complex.points())?,
        sum: Vec::new(),
        counts: ReductionCounts::default(),
    };
    let (mut reported, mut start) = (0, 0);
    progress.begin("annotation", Some(2), columns.len() as u64);
    while start < edges.len() && (pass.unborn > 0 || pass.vectors.alive() > 0) {
        let (rank, end) = (edges.rank(start), edges.end(start));
        if start / AT_ONCE != end / AT_ONCE {
            check(progress);
            let pairs = pass.counts.pair_store.layer1_writes;
            progress.advance(pairs - std::mem::replace(&mut reported, pairs));
        }
        let born = pass.born(rank);
        if pass.vectors.alive() > 0 || !born.is_empty() {
            if pass.vectors.is_full(born.len()) {
                pass.settle(born.len())?;
            }
            let mut equal = edges.at(start..end);
            match equal.next() {
                Some(edge) if equal.len() == 0 => pass.insert(edge, rank, born)?,
                _ => pass.insert_together(&edges, start..end, born)?,
            }
        } else {
            edges.at(start..end).for_each(|edge| pass.older.flip(edge));
        }
        start = end;
    }
    pass.settle(0)?;
    pass.keep_essential()?;
    progress.advance(columns.len() as u64 - reported);
    Ok(Some(pass.counts))
}

impl<W: Word, F: Field> Pass<'_, '_, W, F> {
    /// The columns of the next triangles, those of this rank.
    fn born(&mut self, rank: u32) -> Range<usize> {
        let Submatrix { code, columns, .. } = self.shared.submatrix;
        let first = columns[..self.unborn].partition_point(|&column| code.rank(column) > rank);
        first..std::mem::replace(&mut self.unborn, first)
    }

    /// Inserts an edge, and the triangles and tetrahedra that it completes.
    fn insert(&mut self, edge: (u32, u32), rank: u32, born: Range<usize>) -> Result<(), Refused> {
        let Pass { older, vectors, forest, .. } = self;
        vectors.level().run(Grow { forest, older, vectors, edge });
        born.rev().for_each(|j| self.bear(j, edge, rank));
        for place in 0..self.forest.equations.len() {
            let Pass { vectors, forest, sum, .. } = self;
            let [w, x] = forest.equations[place];
            vectors.level().run(Equation { forest, vectors, edge, ends: [w, x], sum });
            self.fill(cofacet(&self.shared.submatrix.cofacet_code, rank, edge, [w, x]));
        }
        self.annotate(edge, rank)?;
        self.older.flip(edge);
        Ok(())
    }

    /// Inserts all edges of a rank, then the triangles that they complete, then the tetrahedra, one by one. A triangle
    /// in an apparent pair gets the annotation that makes the boundary of its tetrahedron empty.
    fn insert_together(
        &mut self,
        edges: &Edges,
        equal: Range<usize>,
        born: Range<usize>,
    ) -> Result<(), Refused> {
        let &Submatrix { complex, code, cofacet_code, columns, .. } = self.shared.submatrix;
        let rank = edges.rank(equal.start);
        edges.at(equal.clone()).for_each(|edge| self.older.flip(edge));
        let (mut triangles, mut tetrahedra) = (Vec::new(), Vec::new());
        for (u, v) in edges.at(equal) {
            for w in self.common(&[u, v]) {
                memory::push(&mut triangles, cofacet(&code, rank, (u, v), [w; 2]))?;
            }
        }
        triangles.sort_unstable();
        triangles.dedup();
        let group = self.wanted.map_or(0, |last| last(rank));
        let (mut born, mut simplex) = (born.rev().peekable(), Vec::new());
        for triangle in triangles {
            code.vertices_of(triangle, &mut simplex);
            clear(&mut self.sum, self.vectors.width);
            if let Some(j) = born.next_if(|&j| columns[j] == triangle) {
                insert(&mut self.sum, self.vectors.bear(j));
            } else if let Some(added) = cofacet_of(complex, &simplex, rank) {
                add_boundary(&self.vectors, &mut self.sum, [added, simplex[0], simplex[1], simplex[2]]);
            }
            if self.sum.iter().any(|&word| word != 0) {
                self.vectors.insert(key([simplex[0], simplex[1], simplex[2]]), group, &self.sum)?;
            }
            for added in self.common(&simplex) {
                let mut tetrahedron = simplex.clone();
                join(&mut tetrahedron, added);
                memory::push(&mut tetrahedra, cofacet_code.entry(rank, tetrahedron))?;
            }
        }
        tetrahedra.sort_unstable();
        tetrahedra.dedup();
        for tetrahedron in tetrahedra {
            cofacet_code.vertices_of(tetrahedron, &mut simplex);
            clear(&mut self.sum, self.vectors.width);
            add_boundary(&self.vectors, &mut self.sum, [simplex[0], simplex[1], simplex[2], simplex[3]]);
            self.vectors.update(&mut self.sum);
            self.fill(tetrahedron);
        }
        Ok(())
    }

    /// The points joined to all vertices of a simplex.
    fn common(&self, simplex: &[u32]) -> Vec<u32> {
        let block = |k: usize| simplex.iter().fold(u64::MAX, |common, &v| common & self.older.row(v)[k]);
        bits((0..self.older.width).map(block)).collect()
    }

    /// Begins the class of column j, whose triangle the edge completes, or pairs the column with a tetrahedron that the
    /// edge completes, too.
    fn bear(&mut self, j: usize, edge: (u32, u32), rank: u32) {
        let (shared, Pass { vectors, forest, .. }) = (self.shared, &mut *self);
        let mut vertices = Vec::new();
        shared.submatrix.code.vertices_of(shared.submatrix.columns[j], &mut vertices);
        let w = vertices.into_iter().find(|&vertex| vertex != edge.0 && vertex != edge.1);
        let Some(vertex) = w.map(|w| forest.vertices[forest.places[w as usize] as usize]) else { return };
        match vertex.parent {
            Some(parent) => self.pair(
                j,
                cofacet(&shared.submatrix.cofacet_code, rank, edge, [vertex.vertex, parent]),
                Vec::new(),
            ),
            None => {
                let class = vectors.bear(j);
                let rows = forest.values.chunks_mut(vectors.width).zip(&forest.vertices);
                rows.filter(|(_, other)| other.component == vertex.component)
                    .for_each(|(row, _)| insert(row, class));
            }
        }
    }

    /// Fills a tetrahedron whose boundary has the annotation `sum`.
    fn fill(&mut self, tetrahedron: W) {
        let Submatrix { code, cofacet_code, columns, .. } = self.shared.submatrix;
        let Pass { vectors, sum, wanted, .. } = self;
        let Some((youngest, j)) = vectors.youngest(sum) else { return };
        let rank = cofacet_code.rank(tetrahedron);
        let group = wanted.map(|last| last(code.rank(columns[j]))).filter(|&last| last < rank);
        vectors.kill(youngest, sum, group);
        self.dead.push((j, tetrahedron));
        self.counts.additions += self.sum.iter().map(|word| u64::from(word.count_ones())).sum::<u64>() - 1;
    }

    /// Gives the triangles that an edge completes their annotations.
    fn annotate(&mut self, (u, v): (u32, u32), rank: u32) -> Result<(), Refused> {
        let Pass { vectors, forest, wanted, .. } = self;
        let group = wanted.map_or(0, |last| last(rank));
        for (row, vertex) in forest.values.chunks(vectors.width).zip(&forest.vertices) {
            if row.iter().any(|&word| word != 0) {
                vectors.insert(key([u, v, vertex.vertex]), group, row)?;
            }
        }
        Ok(())
    }

    /// Settles annotations, with room for `more` classes, and pairs the columns of the classes that have died.
    fn settle(&mut self, more: usize) -> Result<(), Refused> {
        let killed = self.vectors.settle(more)?;
        for ((j, tetrahedron), triangles) in std::mem::take(&mut self.dead).into_iter().zip(killed) {
            let terms = self.terms(&triangles);
            self.pair(j, tetrahedron, terms);
        }
        Ok(())
    }

    /// Pairs column j with a tetrahedron.
    fn pair(&mut self, j: usize, tetrahedron: W, terms: Vec<Term<W, F>>) {
        // The edges of links whose tetrahedra are paired are different ones.
        self.shared.pair(j, tetrahedron, terms);
        let code = self.shared.submatrix.cofacet_code;
        let (rank, oldest) = (code.rank(tetrahedron), self.shared.oldest_cofacet(j, &mut Vec::new()));
        let is_emergent = oldest.is_some_and(|(oldest, _)| code.rank(oldest) == rank);
        self.shared.touched[j].store(!is_emergent, Ordering::Relaxed);
        self.counts.pair_store.layer1_writes += 1;
    }

    /// Triangles as entries in filtration order.
    fn terms(&self, triangles: &[Key]) -> Vec<Term<W, F>> {
        let Shared { submatrix: Submatrix { complex, code, .. }, field, .. } = self.shared;
        let entry = |triangle: [u32; 3]| code.entry(rank_of(*complex, &triangle), triangle);
        let mut terms: Vec<Term<W, F>> =
            triangles.iter().map(|&key| (entry(vertices_of(key)), field.one())).collect();
        sort(&mut terms);
        terms
    }

    /// Keeps the cochains of the classes that are still alive, if they may be wanted. Annotations must be settled.
    fn keep_essential(&mut self) -> Result<(), Refused> {
        let Submatrix { code, columns, .. } = self.shared.submatrix;
        let (Some(essential), Some(last)) = (&self.shared.essential, self.wanted) else { return Ok(()) };
        loop {
            let alive: Vec<(u32, usize)> = self.vectors.living().take(ESSENTIAL).collect();
            if alive.is_empty() {
                return Ok(());
            }
            for &(class, j) in &alive {
                let mut row = vec![0; self.vectors.width];
                insert(&mut row, class);
                self.vectors.kill(class, &row, Some(last(code.rank(columns[j]))));
            }
            for ((_, j), triangles) in alive.into_iter().zip(self.vectors.settle(0)?) {
                lock(essential).insert(j, self.terms(&triangles));
            }
        }
    }
}

/// A vertex of a link.
#[derive(Debug, Clone, Copy)]
struct Vertex {
    vertex: u32,
    /// The next vertex on the way to the greatest one of the component.
    parent: Option<u32>,
    component: usize,
}

/// A spanning forest of the link of an edge, the values of f at its vertices, and the equations that do not follow.
struct Forest {
    vertices: Vec<Vertex>,
    /// For each point that is a vertex, its place among the vertices.
    places: Vec<u32>,
    /// One row for each vertex, out of date as the annotations from which they were computed.
    values: Vec<u64>,
    equations: Vec<[u32; 2]>,
    /// The vertices of the link that are not in the forest yet, those that are, and those among the latter which one
    /// of the former is joined to.
    left: Vec<u64>,
    reached: Vec<u64>,
    joined: Vec<u64>,
}

impl Forest {
    fn new(points: usize) -> Result<Self, Refused> {
        let row = || memory::zeroed::<u64>(points.div_ceil(64));
        let (left, reached, joined) = (row()?, row()?, row()?);
        let (vertices, values, equations) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Forest { vertices, places: memory::zeroed(points)?, values, equations, left, reached, joined })
    }

    /// The vertex in the forest that is this point.
    fn vertex(&mut self, point: u32) -> &mut Vertex {
        &mut self.vertices[self.places[point as usize] as usize]
    }

    /// Turns the ways to the first vertex of a component into ways to its greatest one.
    fn turn(&mut self, greatest: u32) {
        let (mut at, mut before) = (Some(greatest), None);
        while let Some(point) = at {
            at = std::mem::replace(&mut self.vertex(point).parent, before);
            before = Some(point);
        }
    }
}

/// Makes a forest that of an edge's link.
struct Grow<'a> {
    forest: &'a mut Forest,
    older: &'a Rows,
    vectors: &'a Vectors,
    edge: (u32, u32),
}

impl Kernel<u32> for Grow<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<u32>>(mut self, _: S) {
        let Grow { forest, older, edge: (u, v), .. } = &mut self;
        forest.vertices.clear();
        forest.values.clear();
        forest.equations.clear();
        forest.reached.fill(0);
        let ends = older.row(*u).iter().zip(older.row(*v));
        forest.left.iter_mut().zip(ends).for_each(|(left, (a, b))| *left = a & b);
        for component in 0.. {
            let Some(first) = self.most_joined() else { return };
            let from = self.forest.vertices.len();
            self.reach(first, None, component);
            for k in 0..self.forest.left.len() {
                let near = self.older.row(first)[k] & self.forest.left[k];
                bits_of(near, k).for_each(|w| self.reach(w, Some(first), component));
            }
            while let Some(w) = self.next() {
                self.join(w, component);
            }
            let greatest = self.forest.vertices[from..].iter().map(|vertex| vertex.vertex).max();
            greatest.into_iter().for_each(|greatest| self.forest.turn(greatest));
        }
    }
}

impl Grow<'_> {
    /// The vertex that is joined to most of those not in the forest.
    #[inline(always)]
    fn most_joined(&self) -> Option<u32> {
        let left = &self.forest.left;
        let joined = |&w: &u32| {
            let near = left.iter().zip(self.older.row(w));
            near.map(|(left, near)| (left & near).count_ones()).sum::<u32>()
        };
        bits(left.iter().copied()).max_by_key(joined)
    }

    /// A vertex not in the forest that is joined to one in it.
    #[inline(always)]
    fn next(&self) -> Option<u32> {
        let reached = &self.forest.reached;
        bits(self.forest.left.iter().copied())
            .find(|&w| self.older.row(w).iter().zip(reached).any(|(near, reached)| near & reached != 0))
    }

    /// Moves a vertex to the forest, joined to another.
    #[inline(always)]
    fn reach(&mut self, w: u32, parent: Option<u32>, component: usize) {
        let Grow { forest, vectors, edge: (u, v), .. } = self;
        let (place, width) = (forest.vertices.len(), vectors.width);
        // Points are numbers of 32 bits.
        forest.places[w as usize] = place as u32;
        forest.left[w as usize / 64] ^= 1 << (w % 64);
        insert(&mut forest.reached, w);
        forest.vertices.push(Vertex { vertex: w, parent, component });
        forest.values.resize((place + 1) * width, 0);
        if let Some(x) = parent {
            let (before, row) = forest.values.split_at_mut(place * width);
            add(row, &before[forest.places[x as usize] as usize * width..]);
            for end in [*u, *v] {
                vectors.get(key([end, w, x])).into_iter().for_each(|other| add(row, other));
            }
        }
    }

    /// Moves a vertex to the forest, joined to one of its neighbours there, with an equation for each further component
    /// of these.
    #[inline(always)]
    fn join(&mut self, w: u32, component: usize) {
        let Forest { joined, reached, .. } = &mut *self.forest;
        let near = self.older.row(w).iter().zip(reached);
        joined.iter_mut().zip(near).for_each(|(joined, (near, reached))| *joined = near & *reached);
        let (mut is_reached, mut open) = (false, Vec::new());
        loop {
            let Some(x) = bits(self.forest.joined.iter().copied()).next() else { return };
            open.push(x);
            self.forest.joined[x as usize / 64] ^= 1 << (x % 64);
            while let Some(y) = open.pop() {
                let mut any = 0;
                for (k, (joined, near)) in self.forest.joined.iter_mut().zip(self.older.row(y)).enumerate() {
                    let found = *joined & near;
                    *joined ^= found;
                    any |= *joined;
                    bits_of(found, k).for_each(|z| open.push(z));
                }
                if any == 0 {
                    open.clear();
                }
            }
            if std::mem::replace(&mut is_reached, true) {
                self.forest.equations.push([w, x]);
            } else {
                self.reach(w, Some(x), component);
            }
        }
    }
}

/// The bits of a block.
#[inline(always)]
fn bits_of(word: u64, block: usize) -> impl Iterator<Item = u32> {
    // Points are numbers of 32 bits.
    bits(std::iter::once(word)).map(move |bit| bit + 64 * block as u32)
}

/// Makes a row of `width` words empty.
fn clear(row: &mut Vec<u64>, width: usize) {
    row.clear();
    row.resize(width, 0);
}

/// Adds the annotations of the facets of a tetrahedron to a row.
fn add_boundary(vectors: &Vectors, row: &mut [u64], [a, b, c, d]: [u32; 4]) {
    for facet in [[a, b, c], [a, b, d], [a, c, d], [b, c, d]] {
        vectors.get(key(facet)).into_iter().for_each(|other| add(row, other));
    }
}

/// Computes the boundary of the tetrahedron of an edge and another.
struct Equation<'a> {
    forest: &'a Forest,
    vectors: &'a Vectors,
    edge: (u32, u32),
    ends: [u32; 2],
    sum: &'a mut Vec<u64>,
}

impl Kernel<u32> for Equation<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<u32>>(self, _: S) {
        let Equation { forest, vectors, edge: (u, v), ends: [w, x], sum } = self;
        clear(sum, vectors.width);
        for point in [w, x] {
            add(sum, &forest.values[forest.places[point as usize] as usize * vectors.width..]);
        }
        for end in [u, v] {
            vectors.get(key([end, w, x])).into_iter().for_each(|other| add(sum, other));
        }
        vectors.update(sum);
    }
}
