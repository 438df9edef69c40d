//! Simple points in eight subfields: thinning of space, topology kept.
//!
//! A subfield is the voxels whose coordinates have the same three parities. An iteration
//!
//! 1. takes as candidates the voxels that have background across one of their six faces (of a plane: of the four in the
//!    plane) and are no ends, an end being a voxel with exactly one of its 26 neighbours in the foreground;
//! 2. goes through the subfields (z, y, x odd: the order of binary numbers) and deletes of each the candidates that are simple
//!    in what is left.
//!
//! Source of simple points: Bertrand, Malandain 1994, "A new characterization of three-dimensional simple points"; of
//! subfields with candidates chosen once an iteration: Németh, Kardos, Palágyi 2011, "Thinning combined with iteration-level
//! smoothing"; there, other ends are kept, too.
//!
//! Guarantee: the skeleton has the Betti numbers of the image. Two voxels of a subfield are no neighbours, so that one
//! of them is deleted does not make the other more or less simple: an iteration is a series of deletions of simple points
//! whatever their order. What stays besides topology: the ends of lines, once they are lines; so arms stay, sheets become
//! lines, and a ball a point or nearly so.
//!
//! # Layout
//!
//! Each subfield is an image of bits by itself, of half the extents. All 26 neighbours of a voxel are in the seven others,
//! at the same place or next to it, so that a subfield is changed in place while the others are only read. Words run
//! along x; the next word in memory is the next in y, so that a vector of words has its neighbours one word further on, too.
//! A layer of background is all around.
//!
//! A unit is 16 words along y of each subfield. Its candidates are kept, and taken anew only when something changed that
//! they depend on; it is looked at by a subfield only if there was a change near it in this iteration or the last.

mod fields;

use rayon::prelude::*;

use super::bits::BitImage;
use super::figures::{Pass, ThinningFigures};
use super::simple::{MIDDLE, border, end, simple};
use crate::cubical::shape::Shape;
use crate::simd::{Kernel, Level, Simd};
use fields::{Parity, SPAN, Span, SubfieldLayout, Subfields, span};

/// Bytes that thinning of an image takes: of each unit its words in all subfields, its candidates and three marks; and the background
/// around.
pub(super) fn bytes(shape: Shape) -> u64 {
    let SubfieldLayout { planes, strips, units } = SubfieldLayout::of(shape);
    let [planes, strips, units] = [planes, strips, units].map(|count| count as u64);
    let words = (planes + 2).saturating_mul(strips + 2).saturating_mul(units * SPAN as u64 + 2);
    let of_unit = size_of::<[Span; 8]>() as u64 + 3;
    let of_units = planes.saturating_mul(strips).saturating_mul(units).saturating_mul(of_unit);
    words.saturating_mul(8 * 8).saturating_add(of_units)
}

/// Units to look at below which threads cost more than they bring.
const ALONE: usize = 64;

/// Takes the candidates of a plane's units.
struct Choose<'a> {
    fields: &'a Subfields,
    planar: bool,
    plane: usize,
    active: &'a [bool],
    candidates: &'a mut [[Span; 8]],
}

impl Kernel<u32> for Choose<'_> {
    type Output = ();

    /// Plain words: the compiler makes vectors of them, of the width that the instruction set at hand has.
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

/// Deletes the simple candidates of a subfield's plane.
struct Delete<'a> {
    /// The others; the subfield's own place is empty.
    fields: &'a Subfields,
    subfield: usize,
    plane: usize,
    /// The subfield's plane.
    field: &'a mut [u64],
    active: &'a [bool],
    candidates: &'a [[Span; 8]],
    touched: &'a mut [u8],
}

/// What a change of a unit touches: bits of a byte.
const CHANGED: u8 = 1;
const NEXT_IN_Y: u8 = 2;
const NEXT_IN_X: u8 = 4;

impl Kernel<u32> for Delete<'_> {
    /// Voxels deleted, and words looked at.
    type Output = (usize, u64);

    /// Plain words: the compiler makes vectors of them, of the width that the instruction set at hand has.
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

/// An image being thinned, and what is still to be looked at.
struct Thinning {
    fields: Subfields,
    planar: bool,
    level: Level,
    /// Whether something changed near each unit of each plane, in this iteration or the last.
    active: Vec<bool>,
    /// Whether something changed near each unit of each plane, in this iteration.
    next: Vec<bool>,
    /// The candidates of each unit in each subfield.
    candidates: Vec<[Span; 8]>,
    touched: Vec<u8>,
    words: u64,
}

impl Thinning {
    fn new(image: &BitImage) -> Thinning {
        let fields = Subfields::of(image);
        let units = fields.layout.planes * fields.layout.units_of_plane();
        Thinning {
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

    /// Planes to do on a thread of their own.
    fn planes_together(&self) -> usize {
        let active = self.active.iter().filter(|&&active| active).count();
        if active < ALONE { usize::MAX } else { 1 }
    }

    /// Runs an iteration; the number of voxels deleted.
    fn iterate(&mut self) -> usize {
        std::mem::swap(&mut self.active, &mut self.next);
        self.next.fill(false);
        self.choose();
        (0..8).map(|subfield| self.delete(subfield)).sum()
    }

    fn choose(&mut self) {
        let (together, units) = (self.planes_together(), self.fields.layout.units_of_plane());
        let Thinning { fields, planar, level, active, candidates, .. } = self;
        let (fields, planar) = (&*fields, *planar);
        let planes = active.par_chunks_exact(units).zip(candidates.par_chunks_exact_mut(units)).enumerate();
        planes.with_min_len(together).for_each(|(plane, (active, candidates))| {
            level.run(Choose { fields, planar, plane, active, candidates });
        });
    }

    fn delete(&mut self, subfield: usize) -> usize {
        let (together, layout) = (self.planes_together(), self.fields.layout);
        let units = layout.units_of_plane();
        let mut field = std::mem::take(&mut self.fields.fields[subfield]);
        let (level, fields) = (self.level, &self.fields);
        let planes = field[layout.plane()..].par_chunks_exact_mut(layout.plane());
        let planes =
            planes.zip(self.active.par_chunks_exact(units)).zip(self.candidates.par_chunks_exact(units));
        let planes = planes.zip(self.touched.par_chunks_exact_mut(units)).enumerate();
        let run = |(plane, (((field, active), candidates), touched))| {
            level.run(Delete { fields, subfield, plane, field, active, candidates, touched })
        };
        let sum = |a: (usize, u64), b: (usize, u64)| (a.0 + b.0, a.1 + b.1);
        let (deleted, words) = planes.with_min_len(together).map(run).reduce(|| (0, 0), sum);
        self.fields.fields[subfield] = field;
        self.words += words;
        if deleted > 0 {
            self.spread(Parity::of(subfield));
        }
        deleted
    }

    /// Has units looked at that a change of a subfield touches: of its even voxels those before, of its odd ones those
    /// after.
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

/// Thins an image until nothing changes, or for so many iterations. `watch` is told of each.
pub(super) fn thin(
    image: &BitImage,
    limit: Option<usize>,
    watch: &mut dyn FnMut(Pass),
) -> (BitImage, ThinningFigures) {
    let mut figures = ThinningFigures { before: image.count(), ..ThinningFigures::default() };
    let mut thinning = Thinning::new(image);
    while limit.is_none_or(|limit| figures.iterations < limit) {
        let deleted = thinning.iterate();
        if deleted == 0 {
            break;
        }
        figures.iterations += 1;
        watch(Pass { iteration: figures.iterations, deleted });
    }
    let mut skeleton = BitImage::new(image.shape());
    thinning.fields.write_to(&mut skeleton);
    figures.after = skeleton.count();
    figures.words = thinning.words;
    (skeleton, figures)
}
