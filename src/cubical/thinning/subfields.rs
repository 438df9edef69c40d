//! Thinning by simple points in eight subfields, for three-dimensional images; preserves topology.
//!
//! A subfield is the set of voxels whose coordinates have the same three parities. An iteration
//!
//! 1. takes as candidates the voxels that have background across one of their six faces (in a plane: of the four within
//!    it) and are not ends, where an end is a voxel with exactly one foreground voxel among its 26 neighbours;
//! 2. visits the subfields in the order of the binary numbers formed by the parities of z, y, x, and deletes the
//!    candidates in each that are simple in what remains.
//!
//! Sources: simple points are from Bertrand, Malandain 1994, "A new characterization of three-dimensional simple
//! points"; subfields with candidates chosen once per iteration from Németh, Kardos, Palágyi 2011, "Thinning combined
//! with iteration-level smoothing", which keeps other ends too.
//!
//! Guarantee: the skeleton has the Betti numbers of the image. No two voxels of a subfield are neighbours, so deleting
//! one does not affect whether another is simple: an iteration is a sequence of deletions of simple points, whatever
//! their order. Besides topology, the ends of lines are preserved once they are lines. So arms remain, sheets become
//! lines, and a ball becomes a point or nearly so.
//!
//! # Layout
//!
//! Each subfield is a bit image of its own, with half the extents. All 26 neighbours of a voxel are in the seven other
//! subfields, at the same place or next to it, so a subfield is changed in place while the others are only read. Words
//! run along x; the next word in memory is the next in y, so the y-neighbours of a vector of words are one word further
//! on. The image is surrounded by a layer of background.
//!
//! A unit consists of 16 words along y of each subfield. Its candidates are stored, and chosen again only when
//! something changed that they depend on. A subfield examines a unit only if there was a change near it in this
//! iteration or the last.

mod fields;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::bits::BitImage;
use super::cpu::{Thinning, each_part};
use super::simple::{MIDDLE, border, end, simple};
use crate::cubical::shape::Shape;
use crate::simd::{Kernel, Level, Simd};
use fields::{Parity, SPAN, Span, SubfieldLayout, Subfields, span};

/// Bytes needed for thinning an image: words, candidates and three marks of each unit, and the surrounding background.
pub(super) fn bytes(shape: Shape) -> u64 {
    let SubfieldLayout { planes, strips, units } = SubfieldLayout::of(shape);
    let [planes, strips, units] = [planes, strips, units].map(|count| count as u64);
    let words = (planes + 2).saturating_mul(strips + 2).saturating_mul(units * SPAN as u64 + 2);
    let of_unit = size_of::<[Span; 8]>() as u64 + 3;
    let of_units = planes.saturating_mul(strips).saturating_mul(units).saturating_mul(of_unit);
    words.saturating_mul(8 * 8).saturating_add(of_units)
}

/// Fewest units to examine for which threads pay.
const ALONE: usize = 64;

/// Kernel that chooses the candidates of a plane's units.
struct Choose<'a> {
    fields: &'a Subfields,
    planar: bool,
    plane: usize,
    active: &'a [bool],
    candidates: &'a mut [[Span; 8]],
}

impl Kernel<u32> for Choose<'_> {
    type Output = ();

    /// Works on plain words, which the compiler turns into vectors of the instruction set's width.
    #[inline(always)]
    fn run<S: Simd<u32>>(self, _: S) {
        let layout = self.fields.layout;
        for (unit, candidates) in
            self.candidates.iter_mut().enumerate().filter(|(unit, _)| self.active[*unit])
        {
            for (subfield, candidates) in candidates.iter_mut().enumerate() {
                let plane = &self.fields.fields[subfield][(self.plane + 1) * layout.plane()..];
                let middle = span(plane, layout.first(unit));
                let around = self.fields.around(Parity::of(subfield), self.plane, unit, middle);
                let mut chosen = [0; SPAN];
                for k in 0..SPAN {
                    let a = std::array::from_fn(|j| around[j][k]);
                    chosen[k] = a[MIDDLE] & border(&a, self.planar) & !end(&a);
                }
                *candidates = chosen;
            }
        }
    }
}

/// Kernel that deletes the simple candidates of a subfield's plane.
struct Delete<'a> {
    /// The other subfields; the entry of this subfield is empty.
    fields: &'a Subfields,
    subfield: usize,
    plane: usize,
    /// The words of this subfield's plane.
    field: &'a mut [u64],
    active: &'a [bool],
    candidates: &'a [[Span; 8]],
    touched: &'a mut [u8],
}

/// Flags of a unit with deletions: whether the next unit in y or x sees them too.
const CHANGED: u8 = 1;
const NEXT_IN_Y: u8 = 2;
const NEXT_IN_X: u8 = 4;

impl Kernel<u32> for Delete<'_> {
    /// Number of voxels deleted, and number of words examined.
    type Output = (usize, u64);

    /// Works on plain words, which the compiler turns into vectors of the instruction set's width.
    #[inline(always)]
    fn run<S: Simd<u32>>(self, _: S) -> (usize, u64) {
        let (layout, parity) = (self.fields.layout, Parity::of(self.subfield));
        let (mut deleted, mut words) = (0, 0);
        for unit in 0..self.active.len() {
            let candidates = &self.candidates[unit][self.subfield];
            if !self.active[unit] || *candidates == [0; SPAN] {
                continue;
            }
            let first = layout.first(unit);
            let around = self.fields.around(parity, self.plane, unit, span(self.field, first));
            let mut gone = [0; SPAN];
            for k in 0..SPAN {
                let a = std::array::from_fn(|j| around[j][k]);
                gone[k] = a[MIDDLE] & candidates[k] & simple(&a);
            }
            words += SPAN as u64;
            let all = gone.iter().fold(0, |all, word| all | word);
            if all == 0 {
                continue;
            }
            deleted += gone.iter().map(|word| word.count_ones() as usize).sum::<usize>();
            self.field[first..first + SPAN].iter_mut().zip(gone).for_each(|(word, gone)| *word &= !gone);
            let next_in_y = if parity.y == 0 { gone[0] } else { gone[SPAN - 1] };
            let next_in_x = if parity.x == 0 { all & 1 } else { all >> 63 };
            self.touched[unit] = CHANGED
                | if next_in_y != 0 { NEXT_IN_Y } else { 0 }
                | if next_in_x != 0 { NEXT_IN_X } else { 0 };
        }
        (deleted, words)
    }
}

/// An image being thinned, and the units still to be examined.
pub(super) struct InPlace {
    fields: Subfields,
    planar: bool,
    level: Level,
    /// For each unit of each plane, whether something changed near it in this iteration or the last.
    active: Vec<bool>,
    /// For each unit of each plane, whether something changed near it in this iteration.
    next: Vec<bool>,
    /// The candidates of each unit, by subfield.
    candidates: Vec<[Span; 8]>,
    touched: Vec<u8>,
    words: u64,
}

impl InPlace {
    pub(super) fn new(image: &BitImage) -> Self {
        let fields = Subfields::of(image);
        let units = fields.layout.planes * fields.layout.units_of_plane();
        InPlace {
            fields,
            planar: image.shape().extents()[0] == 1,
            level: Level::detect(),
            active: vec![true; units],
            next: vec![true; units],
            candidates: vec![[[0; SPAN]; 8]; units],
            touched: vec![0; units],
            words: 0,
        }
    }

    /// Whether so many units are to be examined that threads pay.
    fn is_much(&self) -> bool {
        self.active.iter().filter(|&&active| active).count() >= ALONE
    }

    fn choose(&mut self) {
        let (is_much, units) = (self.is_much(), self.fields.layout.units_of_plane());
        let InPlace { ref fields, planar, level, ref active, ref mut candidates, .. } = *self;
        let planes = active.chunks_exact(units).zip(candidates.chunks_exact_mut(units)).enumerate();
        each_part(planes, is_much, &|(plane, (active, candidates))| {
            level.run(Choose { fields, planar, plane, active, candidates });
        });
    }

    fn delete(&mut self, subfield: usize) -> usize {
        let (is_much, layout) = (self.is_much(), self.fields.layout);
        let units = layout.units_of_plane();
        let mut field = std::mem::take(&mut self.fields.fields[subfield]);
        let (level, fields) = (self.level, &self.fields);
        let (deleted, words) = (AtomicUsize::new(0), AtomicU64::new(0));
        let planes = field[layout.plane()..].chunks_exact_mut(layout.plane());
        let planes = planes.zip(self.active.chunks_exact(units)).zip(self.candidates.chunks_exact(units));
        let planes = planes.zip(self.touched.chunks_exact_mut(units)).enumerate();
        each_part(planes, is_much, &|(plane, (((field, active), candidates), touched))| {
            let found = level.run(Delete { fields, subfield, plane, field, active, candidates, touched });
            deleted.fetch_add(found.0, Ordering::Relaxed);
            words.fetch_add(found.1, Ordering::Relaxed);
        });
        self.fields.fields[subfield] = field;
        self.words += words.into_inner();
        let deleted = deleted.into_inner();
        if deleted > 0 {
            self.spread(Parity::of(subfield));
        }
        deleted
    }

    /// Activates every unit whose neighbourhood lost a voxel: along each axis, deletions at even coordinates affect the
    /// previous unit and deletions at odd ones the next.
    fn spread(&mut self, parity: Parity) {
        let SubfieldLayout { planes, strips, units } = self.fields.layout;
        let next = |at: usize, parity: usize, count: usize| {
            if parity == 0 { at.checked_sub(1) } else { Some(at + 1).filter(|&next| next < count) }
        };
        for place in 0..self.touched.len() {
            let touched = std::mem::take(&mut self.touched[place]);
            if touched == 0 {
                continue;
            }
            let (z, x, y) = (place / units / strips, place / units % strips, place % units);
            let in_z = next(z, parity.z, planes);
            let in_x = next(x, parity.x, strips).filter(|_| touched & NEXT_IN_X != 0);
            let in_y = next(y, parity.y, units).filter(|_| touched & NEXT_IN_Y != 0);
            for z in [Some(z), in_z].into_iter().flatten() {
                for x in [Some(x), in_x].into_iter().flatten() {
                    for y in [Some(y), in_y].into_iter().flatten() {
                        let place = (z * strips + x) * units + y;
                        self.active[place] = true;
                        self.next[place] = true;
                    }
                }
            }
        }
    }
}

impl Thinning for InPlace {
    fn iterate(&mut self) -> usize {
        std::mem::swap(&mut self.active, &mut self.next);
        self.next.fill(false);
        self.choose();
        (0..8).map(|subfield| self.delete(subfield)).sum()
    }

    fn finish(&self, skeleton: &mut BitImage) -> u64 {
        self.fields.write_to(skeleton);
        self.words
    }
}
