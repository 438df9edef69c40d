//! The keys of the voxels of an image, on a grid with a rim.

use std::ops::Range;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

use super::cell::{Cell, Entry, Packing, Shift, key_at};
use super::error::PersistenceError;
use super::footprint::{BYTES_OF_KEY, BYTES_OF_SORTING};
use super::layout::{GridLayout, dot};
use super::narrowing::Narrowing;
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
/// a place, it is [narrowed](Narrowing). Where that does not suffice, as with most doubles, voxels are sorted, and the
/// key is the number of the value among all.
///
/// Where memory does not suffice for the keys, they are [derived](Keys::Derived) from the voxels when they are asked
/// for, and [blocks](Grid::block) of the grid hold theirs one after the other.
pub(crate) struct Grid<'a> {
    pub(crate) layout: GridLayout,
    /// The complex whose vertices are the voxels.
    pub(crate) construction: Construction,
    pub(super) packing: Packing,
    keys: Keys<'a>,
    /// The place on the whole grid of the first place, if this is a block.
    pub(super) first: usize,
}

/// The keys of a grid.
enum Keys<'a> {
    /// Keys in a table, by place.
    Held(Vec<i32>),
    /// Keys that are found from the voxels when they are asked for.
    Derived(Derived<'a>),
}

/// Keys that are derived from voxels.
struct Derived<'a> {
    voxels: Box<dyn Voxels + 'a>,
    shift: Shift,
    rim: i32,
    /// The voxels that are in the complex, and the key of the others.
    mask: Option<(&'a Mask, i32)>,
}

impl Derived<'_> {
    /// Writes the keys of voxels from a place in memory on.
    fn keys(&self, layout: &GridLayout, from: usize, keys: &mut [i32]) {
        self.voxels.keys(from, self.shift, keys);
        if let Some((mask, outside)) = self.mask {
            let places = (from..).map(|place| layout.c_place(place)).zip(keys);
            places.filter(|(place, _)| !mask.has(*place)).for_each(|(_, key)| *key = outside);
        }
    }
}

/// Units of work per voxel.
pub(crate) const WORK_OF_VOXEL: u64 = 3;

/// Number of places that a thread takes at a time.
const PART: usize = 1 << 14;

/// Most places for each cell that is looked up in a table by place. Tables for fewer cells are mostly zeros, which take
/// memory, and time to be mapped, and are not looked at.
const SPARSE: usize = 256;

/// The key of places outside the image in the primal complex: later than every voxel.
pub(crate) const AFTER: i32 = i32::MAX;
/// The key of places outside the image in the dual complex: earlier than every voxel.
pub(crate) const BEFORE: i32 = i32::MIN;
/// Number of keys between [`BEFORE`] and [`AFTER`].
const MOST: u64 = u32::MAX as u64 - 1;

impl<'a> Grid<'a> {
    /// The keys of the voxels of an image, which are held if `are_held` or if they have to be sorted. Each voxel is
    /// [`WORK_OF_VOXEL`] units of work.
    ///
    /// # Errors
    /// [`PersistenceError`]: the grid has too many places, or memory does not suffice.
    pub(crate) fn new(
        image: &'a AnyImage,
        mask: Option<&'a Mask>,
        request: &PersistenceRequest,
        are_held: bool,
        progress: &dyn Progress,
    ) -> Result<Self, PersistenceError> {
        let layout = GridLayout::new(image.shape(), request.periodic)?;
        let voxels: Box<dyn Voxels + 'a> = with_image!(image, image => {
            Box::new(Keyed::new(image.voxels(), request.superlevel))
        });
        Grid::of(voxels, mask, layout, request.construction, are_held, progress)
    }

    fn of(
        voxels: Box<dyn Voxels + 'a>,
        mask: Option<&'a Mask>,
        layout: GridLayout,
        construction: Construction,
        are_held: bool,
        progress: &dyn Progress,
    ) -> Result<Self, PersistenceError> {
        // Voxels outside a mask have one more key: the last in the image, which the dual complex begins with.
        let outside = u64::from(mask.is_some());
        let is_reversed = construction.is_reversed();
        let rim = if is_reversed { BEFORE } else { AFTER };
        let ends = range(&*voxels);
        let packing = |greatest| Packing::new(layout.places(), greatest, is_reversed);
        let fitting = |narrowing: Option<Narrowing>| {
            let key = |key| narrowing.map_or(key, |narrowing| narrowing.key(key));
            let (least, greatest) = (key(ends.0), key(ends.1));
            let range = Some(greatest - least).filter(|&range| range < MOST - outside)?;
            Some((packing(range + 1 + outside)?, narrowing, least, greatest))
        };
        let narrowed = || fitting(Some(Narrowing::of(&*voxels, ends.1 - ends.0)?));
        let key_outside = |last| if is_reversed { key_at(1) } else { key_at(last) };
        if let Some((packing, narrowing, least, greatest)) = fitting(None).or_else(narrowed) {
            let first = greatest.wrapping_add(outside);
            let mut shift = if is_reversed { Shift::reversed(first) } else { Shift::new(least) };
            shift.narrowing = narrowing;
            let mask = mask.map(|mask| (mask, key_outside(greatest - least + 2)));
            let derived = Derived { voxels, shift, rim, mask };
            let grid = Grid { layout, construction, packing, keys: Keys::Derived(derived), first: 0 };
            return match are_held {
                true => grid.block(0..layout.slices.1, progress),
                false => Ok(grid),
            };
        }
        layout.check_sortable()?;
        memory::probe(layout.places() as u64 * (BYTES_OF_KEY + BYTES_OF_SORTING))?;
        let mut keys = memory::zeroed(layout.places())?;
        parallel::pieces_mut(&mut keys, PART, &|_, keys| keys.fill(rim));
        let levels;
        (levels, keys) = number_values(&*voxels, &layout, ends, is_reversed, keys, progress);
        let last = levels + outside;
        let packing = packing(last).expect("a grid that can be sorted has room for as many values");
        if let Some(mask) = mask {
            layout.each_line(&mut keys, &|_| (), &|line, keys| {
                for (place, key) in (line * layout.extents[2]..).zip(keys) {
                    *key = if mask.has(place) { *key + i32::from(is_reversed) } else { key_outside(last) };
                }
            });
        }
        layout.close_up(&mut keys);
        Ok(Grid { layout, construction, packing, keys: Keys::Held(keys), first: 0 })
    }

    /// Some slices of a grid whose keys are derived, with their keys and those of the slices beside them.
    ///
    /// # Errors
    /// Memory does not suffice.
    pub(super) fn block<'b>(
        &self,
        slices: Range<usize>,
        progress: &dyn Progress,
    ) -> Result<Grid<'b>, PersistenceError> {
        let layout = self.layout.block(slices.clone());
        let mut keys = memory::zeroed(layout.places())?;
        let (first, slice) = (slices.start * layout.slice(), layout.slice());
        if let Keys::Derived(derived) = &self.keys {
            fill(&mut keys, &layout, derived, progress);
        }
        for beside in [0, layout.places() - slice] {
            parallel::pieces_mut(&mut keys[beside..beside + slice], PART, &|part, keys| {
                let places = first + beside + part * PART..;
                places.zip(keys).for_each(|(place, key)| *key = self.key(place));
            });
        }
        layout.close_up(&mut keys);
        let Grid { construction, packing, .. } = *self;
        Ok(Grid { layout, construction, packing, keys: Keys::Held(keys), first })
    }

    /// Whether the keys of all places are held.
    pub(super) fn is_held(&self) -> bool {
        matches!(self.keys, Keys::Held(_))
    }

    /// Whether what is looked up for so many cells is held in a table by place. If they are few, or if the grid is too
    /// large to hold its keys, something smaller takes its place.
    pub(super) fn has_table_for(&self, cells: usize) -> bool {
        self.is_held() && !self.has_few(cells)
    }

    /// Whether so many cells are few beside the places.
    pub(super) fn has_few(&self, cells: usize) -> bool {
        cells.saturating_mul(SPARSE) < self.places()
    }

    /// The key at a place of the whole grid.
    #[inline(always)]
    pub(super) fn key(&self, place: usize) -> i32 {
        match &self.keys {
            Keys::Held(keys) => keys[place],
            Keys::Derived(derived) => self.derived(derived, place),
        }
    }

    /// The key at a place, from its voxel.
    #[cold]
    fn derived(&self, derived: &Derived<'_>, place: usize) -> i32 {
        let place = if self.layout.closes_up() { self.layout.home(place) } else { place };
        let Some(at) = self.layout.voxel(place) else { return derived.rim };
        let mut key = [0];
        derived.keys(&self.layout, dot(at, self.layout.strides_in_memory()), &mut key);
        key[0]
    }

    /// The column, row and plane of a voxel, and the keys of the 3 × 3 × 3 places around it, or of as many axes as
    /// there are, the fastest axis first. `None` on the rim.
    pub(super) fn around(&self, place: usize) -> Option<([usize; 3], [i32; 27])> {
        let (layout, axes) = (&self.layout, self.layout.axes);
        let at = layout.voxel(place)?;
        let mut keys = [0; 27];
        let is_inside = (0..axes).all(|axis| (1..layout.extents[2 - axis] - 1).contains(&at[axis]));
        let count = 3_usize.pow(axes as u32);
        match &self.keys {
            Keys::Derived(derived) if is_inside => {
                // Three voxels side by side in memory at a time.
                let strides = layout.strides_in_memory();
                let first = dot(at, strides) - strides[..axes].iter().sum::<usize>();
                let (side, powers) = (if strides[0] == 1 { 0 } else { axes - 1 }, [1, 3, 9]);
                let is_first = |number: &usize| (number / powers[side]).is_multiple_of(3);
                for number in (0..count).filter(is_first) {
                    let steps = powers.map(|power| number / power % 3);
                    let mut three = [0; 3];
                    derived.keys(layout, first + dot(steps, strides), &mut three);
                    three.into_iter().enumerate().for_each(|(k, key)| keys[number + k * powers[side]] = key);
                }
            }
            _ => {
                let corner = place - layout.shift();
                for (number, key) in keys.iter_mut().enumerate().take(count) {
                    let steps = [number % 3, number / 3 % 3, number / 9];
                    *key = self.key(corner + dot(steps, layout.strides));
                }
            }
        }
        Some((at, keys))
    }

    /// The keys of all places, if they are held.
    #[inline(always)]
    pub(crate) fn keys(&self) -> &[i32] {
        match &self.keys {
            Keys::Held(keys) => keys,
            Keys::Derived(_) => &[],
        }
    }

    /// Number of places.
    #[inline(always)]
    pub(crate) fn places(&self) -> usize {
        self.layout.places()
    }

    /// Number of voxels.
    pub(crate) fn voxels(&self) -> usize {
        self.layout.extents.iter().product()
    }

    /// The cell in a direction of the voxel at a place.
    #[inline(always)]
    pub(super) fn cell(&self, place: usize, direction: usize) -> Cell {
        self.packing.cell(self.key(place), direction, self.first + place)
    }

    /// When the voxel at a place enters.
    #[inline(always)]
    pub(super) fn entry(&self, place: usize) -> Entry {
        self.packing.entry(self.key(place), place)
    }

    /// Whether the voxel at one place enters before that at another. Places of the rim are compared like voxels.
    #[inline(always)]
    pub(super) fn is_earlier(&self, one: usize, other: usize) -> bool {
        self.are_in_order([one, other], [self.key(one), self.key(other)])
    }

    /// Whether the first of two voxels enters before the second, given their places and keys.
    #[inline(always)]
    pub(super) fn are_in_order(&self, places: [usize; 2], keys: [i32; 2]) -> bool {
        let is_before = (places[0] < places[1]) != self.construction.is_reversed();
        i64::from(keys[0]) < i64::from(keys[1]) + i64::from(is_before)
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

    /// The k of the place `corner + shifts[k]` whose voxel enters last, and the place of that voxel. Shifts ascend.
    #[inline(always)]
    pub(super) fn last_of<const N: usize>(&self, corner: usize, shifts: &[usize; N]) -> (usize, usize) {
        match &self.keys {
            Keys::Held(keys) if !self.layout.closes_up() => {
                let k = last_of(keys, self.slack(), corner, shifts);
                (k, corner + shifts[k])
            }
            _ => self.last_around(corner, shifts),
        }
    }

    /// The summand by which ties are settled: it is added to the key of a voxel that is compared with one at a lesser
    /// place.
    #[inline(always)]
    pub(super) fn slack(&self) -> i64 {
        i64::from(!self.construction.is_reversed())
    }

    /// Like [`last_of`](Self::last_of), where some of the places may stand for others, or keys are derived.
    #[cold]
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
}

/// The k of the place `corner + shifts[k]` whose voxel enters last, given the keys by place and the
/// [slack](Grid::slack). Shifts ascend. It is found without a branch on the keys, which would be unpredictable.
#[inline(always)]
pub(super) fn last_of<const N: usize>(keys: &[i32], slack: i64, corner: usize, shifts: &[usize; N]) -> usize {
    let key = |shift: usize| i64::from(keys[corner + shift]);
    let (mut last, mut at) = (key(shifts[0]), 0);
    for (k, &shift) in shifts.iter().enumerate().skip(1) {
        let key = key(shift);
        at = if key + slack > last { k } else { at };
        last = last.max(key);
    }
    at
}

/// Greatest number of places along the slowest axis of the grid that a thread transposes at a time.
const TRANSPOSED: usize = 16;

/// Writes the keys of the voxels of a block, and the rim around each slice. A voxel is [`WORK_OF_VOXEL`] units of
/// progress.
fn fill(keys: &mut [i32], layout: &GridLayout, derived: &Derived<'_>, progress: &dyn Progress) {
    let rim = derived.rim;
    let ([_, rows, columns], [plane, row, column]) = layout.memory();
    let advance = |voxels: usize| progress.advance(WORK_OF_VOXEL * voxels as u64);
    let (first, slices) = layout.slices;
    let voxels = layout.extents.iter().product::<usize>();
    if column <= 1 {
        let before = first * (voxels / layout.extents[3 - layout.axes.max(1)]);
        return layout.each_line(keys, &|keys| keys.fill(rim), &|number, keys| {
            derived.keys(layout, before + number * columns, keys);
            advance(keys.len());
        });
    }
    // The fastest axis in memory is the slowest on the grid, where it has a rim.
    let at_once = TRANSPOSED.min((columns + 2).div_ceil(rayon::current_num_threads()));
    let lines = voxels / columns;
    parallel::pieces_mut(keys, at_once * column, &|part, keys| {
        keys.fill(rim);
        let start = part * at_once;
        let some = start.max(1) - 1..(start + keys.len() / column - 1).min(columns);
        let mut buffer = [rim; TRANSPOSED];
        let buffer = &mut buffer[..some.len()];
        for line in 0..lines {
            derived.keys(layout, line * slices + first + some.start, buffer);
            let corner = line / rows * plane + line % rows * row + layout.shift();
            let places = some.clone().map(|at| corner + at * column - start * column);
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
                        Grid::new(&image, None, &request, true, &()).unwrap().keys().to_vec()
                    });
                    assert!(keys[0] == keys[1], "{axes:?} {construction}");
                }
            }
        }
    }
}
