//! The keys of the voxels of an image, on a grid with a rim.

use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

use super::cell::{Cell, Entry, Packing, Shift, key_at};
use super::error::PersistenceError;
use super::footprint::BYTES_OF_SORTING;
use super::layout::GridLayout;
use super::order::{FIRST, Keyed, Voxels, order, range};
use super::request::PersistenceRequest;
use crate::cubical::construction::Construction;
use crate::cubical::image::AnyImage;
use crate::cubical::mask::Mask;
use crate::memory;
use crate::parallel;
use crate::progress::Progress;
use crate::with_image;

/// The keys of the voxels of an image in the filtration of the complex whose vertices they are, on a grid with a rim.
///
/// The order is the filtration order of the image for [`Construction::V`], and its reverse for [`Construction::T`]:
/// keys ascend, and of two voxels with equal keys the one at the lesser place is earlier for V, and later for T. Rim
/// places have the key [`BEFORE`] in the dual complex, where the rim is a single vertex older than all others, and
/// [`AFTER`] in the primal complex, where they stand for no vertex.
///
/// A key is the value as an unsigned integer, less that of the least value. Where such a key does not fit a word beside
/// a place, as with most doubles, voxels are sorted, and the key is the number of the value among all.
pub(crate) struct Grid {
    pub(crate) layout: GridLayout,
    /// The complex whose vertices are the voxels.
    pub(crate) construction: Construction,
    pub(super) packing: Packing,
    keys: Vec<i32>,
}

/// Units of work per voxel.
pub(crate) const WORK_OF_VOXEL: u64 = 3;

/// Number of places that a thread takes at a time.
const PART: usize = 1 << 14;

/// The key of places outside the image in the primal complex: later than every voxel.
pub(crate) const AFTER: i32 = i32::MAX;
/// The key of places outside the image in the dual complex: earlier than every voxel.
pub(crate) const BEFORE: i32 = i32::MIN;
/// Number of keys between [`BEFORE`] and [`AFTER`].
const MOST: u64 = u32::MAX as u64 - 1;

impl Grid {
    /// The keys of the voxels of an image. Each voxel is [`WORK_OF_VOXEL`] units of work.
    ///
    /// # Errors
    /// [`PersistenceError`]: the grid has too many places, or memory does not suffice.
    pub(crate) fn new(
        image: &AnyImage,
        mask: Option<&Mask>,
        request: &PersistenceRequest,
        progress: &dyn Progress,
    ) -> Result<Self, PersistenceError> {
        let layout = GridLayout::new(image.shape(), request.periodic)?;
        with_image!(image, image => {
            Grid::of(&Keyed::new(image.voxels(), request.superlevel), mask, layout, request.construction, progress)
        })
    }

    fn of(
        voxels: &dyn Voxels,
        mask: Option<&Mask>,
        layout: GridLayout,
        construction: Construction,
        progress: &dyn Progress,
    ) -> Result<Self, PersistenceError> {
        // Voxels outside a mask have one more key: the last in the image, which the dual complex begins with.
        let outside = u64::from(mask.is_some());
        let is_reversed = construction.is_reversed();
        let rim = if is_reversed { BEFORE } else { AFTER };
        let mut keys = memory::zeroed(layout.places())?;
        let (least, greatest) = range(voxels);
        let packing = |greatest| Packing::new(layout.places(), greatest, is_reversed);
        let fitting = Some(greatest - least)
            .filter(|&range| range < MOST - outside)
            .and_then(|range| packing(range + 1 + outside));
        let (packing, last) = match fitting {
            Some(packing) => {
                let first = greatest.wrapping_add(outside);
                let shift = if is_reversed { Shift::reversed(first) } else { Shift::new(least) };
                fill(&mut keys, &layout, rim, &|from, keys| voxels.keys(from, shift, keys), progress);
                (packing, greatest - least + 1 + outside)
            }
            None => {
                layout.check_sortable()?;
                memory::probe(layout.places() as u64 * BYTES_OF_SORTING)?;
                parallel::pieces_mut(&mut keys, PART, &|_, keys| keys.fill(rim));
                let levels;
                (levels, keys) =
                    number_values(voxels, &layout, (least, greatest), is_reversed, keys, progress);
                if is_reversed {
                    parallel::pieces_mut(&mut keys, PART, &|_, keys| {
                        keys.iter_mut().filter(|key| **key != rim).for_each(|key| *key += outside as i32);
                    });
                }
                let last = levels + outside;
                (packing(last).expect("a grid that can be sorted has room for as many values"), last)
            }
        };
        if let Some(mask) = mask {
            let key = key_at(if is_reversed { 1 } else { last });
            let (columns, inside) = (layout.extents[2], mask.inside());
            layout.each_line(&mut keys, &|_| (), &|line, keys| {
                let outside = keys.iter_mut().zip(&inside[line * columns..]).filter(|(_, inside)| !**inside);
                outside.for_each(|(at, _)| *at = key);
            });
        }
        layout.close_up(&mut keys);
        Ok(Grid { layout, construction, packing, keys })
    }

    /// The keys of all places.
    #[inline(always)]
    pub(crate) fn keys(&self) -> &[i32] {
        &self.keys
    }

    /// Number of places.
    #[inline(always)]
    pub(crate) fn places(&self) -> usize {
        self.keys.len()
    }

    /// Number of voxels.
    pub(crate) fn voxels(&self) -> usize {
        self.layout.extents.iter().product()
    }

    /// The cell in a direction of the voxel at a place.
    #[inline(always)]
    pub(super) fn cell(&self, place: usize, direction: usize) -> Cell {
        self.packing.cell(self.keys[place], direction, place)
    }

    /// When the voxel at a place enters.
    #[inline(always)]
    pub(super) fn entry(&self, place: usize) -> Entry {
        self.packing.entry(self.keys[place], place)
    }

    /// Whether the voxel at one place enters before that at another. Places of the rim are compared like voxels.
    #[inline(always)]
    pub(super) fn is_earlier(&self, one: usize, other: usize) -> bool {
        let is_before = (one < other) != self.construction.is_reversed();
        i64::from(self.keys[one]) < i64::from(self.keys[other]) + i64::from(is_before)
    }

    /// The place of the owner of a cell.
    #[inline(always)]
    pub(super) fn place(&self, cell: Cell) -> usize {
        self.packing.place(cell.entry())
    }

    /// Converts between the order of this complex and that of the image.
    #[inline(always)]
    pub(super) fn in_image(&self, entry: Entry) -> Entry {
        if self.construction.is_reversed() { self.packing.mirrored(entry) } else { entry }
    }

    /// The k of the place `corner + shifts[k]` whose voxel enters last, and the place of that voxel. Shifts ascend. It
    /// is found without a branch on the keys, which would be unpredictable.
    #[inline(always)]
    pub(super) fn last_of<const N: usize>(&self, corner: usize, shifts: &[usize; N]) -> (usize, usize) {
        if self.layout.closes_up() {
            return self.last_around(corner, shifts);
        }
        let slack = i64::from(!self.construction.is_reversed());
        let key = |shift: usize| i64::from(self.keys[corner + shift]);
        let (mut last, mut at) = (key(shifts[0]), 0);
        for (k, &shift) in shifts.iter().enumerate().skip(1) {
            let key = key(shift);
            at = if key + slack > last { k } else { at };
            last = last.max(key);
        }
        (at, corner + shifts[at])
    }

    /// Like [`last_of`](Self::last_of), where some of the places may stand for others.
    fn last_around(&self, corner: usize, shifts: &[usize]) -> (usize, usize) {
        let places = shifts.iter().map(|shift| self.layout.home(corner + shift)).enumerate();
        places.max_by_key(|&(_, place)| self.entry(place)).expect("a cell has corners")
    }

    /// The neighbour of a place along axis `edge / 2`: the one before it if `edge` is even, the one after it if odd.
    #[inline(always)]
    pub(crate) fn neighbour(&self, place: usize, edge: usize) -> usize {
        let stride = self.layout.strides[edge / 2];
        let next = if edge.is_multiple_of(2) { place - stride } else { place + stride };
        if self.layout.is_periodic[edge / 2] { self.layout.home(next) } else { next }
    }

    /// Returns the step from a place to its [neighbour](Self::neighbour) by an edge.
    pub(super) fn steps(&self) -> impl Fn(usize, usize) -> isize + Sync + '_ {
        let closes_up = self.layout.closes_up();
        let steps: [isize; 6] = std::array::from_fn(|edge| {
            let stride = self.layout.strides[edge / 2].cast_signed();
            if edge % 2 == 0 { -stride } else { stride }
        });
        move |place, edge| {
            if closes_up {
                self.neighbour(place, edge).wrapping_sub(place).cast_signed()
            } else {
                steps[edge]
            }
        }
    }
}

/// Greatest number of places along the slowest axis of the grid that a thread transposes at a time.
const TRANSPOSED: usize = 16;

/// Fills in the rim, and lets `write` fill in the keys of voxels, from a place in memory on. A voxel is
/// [`WORK_OF_VOXEL`] units of progress.
fn fill(
    keys: &mut [i32],
    layout: &GridLayout,
    rim: i32,
    write: &(dyn Fn(usize, &mut [i32]) + Sync),
    progress: &dyn Progress,
) {
    let ([_, rows, columns], [plane, row, column]) = layout.memory();
    let advance = |voxels: usize| progress.advance(WORK_OF_VOXEL * voxels as u64);
    if column <= 1 {
        return layout.each_line(keys, &|keys| keys.fill(rim), &|number, keys| {
            write(number * columns, keys);
            advance(keys.len());
        });
    }
    // The fastest axis in memory is the slowest on the grid, where it has a rim.
    let at_once = TRANSPOSED.min((columns + 2).div_ceil(rayon::current_num_threads()));
    let lines = layout.extents.iter().product::<usize>() / columns;
    parallel::pieces_mut(keys, at_once * column, &|part, keys| {
        keys.fill(rim);
        let first = part * at_once;
        let some = first.max(1) - 1..(first + keys.len() / column - 1).min(columns);
        let mut buffer = [rim; TRANSPOSED];
        let buffer = &mut buffer[..some.len()];
        for line in 0..lines {
            write(line * columns + some.start, buffer);
            let start = line / rows * plane + line % rows * row + layout.shift();
            let places = some.clone().map(|at| start + at * column - first * column);
            places.zip(&*buffer).for_each(|(place, &key)| keys[place] = key);
        }
        advance(lines * some.len());
    });
}

/// Replaces the keys of voxels by the numbers of their values, from 1 on in filtration order. Returns the number of
/// values, and the keys.
fn number_values(
    voxels: &dyn Voxels,
    layout: &GridLayout,
    range: (u64, u64),
    is_reversed: bool,
    keys: Vec<i32>,
    progress: &dyn Progress,
) -> (u64, Vec<i32>) {
    let order = order(voxels, layout, range, is_reversed, progress);
    let parts: Vec<&[u32]> = order.chunks(PART).collect();
    let is_first = |place: &&u32| **place & FIRST != 0;
    let mut before = parallel::map(parts.len(), &|part| parts[part].iter().filter(is_first).count() as u64);
    let count = before.iter_mut().fold(0, |sum, count| sum + std::mem::replace(count, sum));
    let keys: Vec<AtomicI32> = keys.into_iter().map(AtomicI32::new).collect();
    parallel::each(parts.len(), &|part| {
        let mut level = before[part];
        for &place in parts[part] {
            level += u64::from(place / FIRST);
            keys[(place & !FIRST) as usize].store(key_at(level), Relaxed);
        }
        progress.advance(parts[part].len() as u64);
    });
    (count, keys.into_iter().map(AtomicI32::into_inner).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cubical::{Image, Order, Shape};

    #[test]
    fn keys_do_not_depend_on_the_order_in_memory() {
        // What threads transpose at a time ends within the image, at its end, and beyond.
        for slow in (1..4).chain(13..20).chain(30..35) {
            for axes in [vec![slow, 3], vec![slow, 2, 3]] {
                let [in_c, in_fortran] = [Order::C, Order::F].map(|order| Shape::new(&axes, order).unwrap());
                let voxel = |place: usize| (place * 37 % 101) as u16;
                let voxels = (0..in_c.count()).map(voxel).collect();
                let transposed = (0..in_c.count()).map(|place| voxel(in_fortran.c_place(place))).collect();
                let images = [Image::new(in_c, voxels), Image::new(in_fortran, transposed)];
                for construction in [Construction::T, Construction::V] {
                    let request = PersistenceRequest { construction, ..PersistenceRequest::default() };
                    let keys = images.each_ref().map(|image| {
                        let image = image.clone().unwrap().into();
                        Grid::new(&image, None, &request, &()).unwrap().keys
                    });
                    assert!(keys[0] == keys[1], "{axes:?} {construction}");
                }
            }
        }
    }
}
