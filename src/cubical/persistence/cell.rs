//! Cells of the complex, one word each.

use zerocopy::FromZeros;

use super::narrowing::Narrowing;

/// A cell, identified by its owner: from the high bits down the owner's key and place, and [`DIRECTION_BITS`] of the
/// cell's direction from the owner. [`Packing`] says how many bits key and place have. Words compare in filtration
/// order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, FromZeros)]
pub(crate) struct Cell(u64);

/// When a voxel enters: its key and its place, which breaks ties. The word of a cell without its direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Entry(u64);

/// Number of bits of the direction of a cell.
pub(super) const DIRECTION_BITS: u32 = 4;

impl Cell {
    /// The direction of the cell from its owner, numbered as in [`super::gradient::table`].
    #[inline(always)]
    pub(crate) fn direction(self) -> usize {
        (self.0 & ((1 << DIRECTION_BITS) - 1)) as usize
    }

    /// When the owner enters, and the cell with it.
    #[inline(always)]
    pub(crate) fn entry(self) -> Entry {
        Entry(self.0 >> DIRECTION_BITS)
    }

    /// The cell as a number that compares as the cell does.
    #[inline(always)]
    pub(super) fn word(self) -> u64 {
        self.0
    }

    /// The cell of a [word](Cell::word).
    #[inline(always)]
    pub(super) fn of_word(word: u64) -> Self {
        Cell(word)
    }
}

/// How the key and the place of an owner are packed into a word.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Packing {
    place_bits: u32,
    /// Mask of the bits of key and place.
    all: u64,
    /// Bits that are inverted: those of places if these descend in filtration order, those of keys if keys do.
    inverted: u64,
}

impl Packing {
    /// The packing of places below `places`, and of keys whose [offsets](offset) are at most `greatest`; places of one
    /// key descend in filtration order if `descend`. `None` if a word has too few bits.
    pub(super) fn new(places: usize, greatest: u64, descend: bool) -> Option<Self> {
        let bits = |greatest: u64| u64::BITS - greatest.leading_zeros();
        let place_bits = bits(places as u64);
        let bits = place_bits + bits(greatest);
        let inverted = if descend { (1 << place_bits) - 1 } else { 0 };
        (bits + DIRECTION_BITS <= u64::BITS).then(|| Packing { place_bits, all: (1 << bits) - 1, inverted })
    }

    /// The packing of the reverse order of owners.
    pub(super) fn reversed(self) -> Self {
        Packing { inverted: self.inverted ^ self.all, ..self }
    }

    /// Converts when a voxel enters between the order of this packing and its reverse.
    #[inline(always)]
    pub(super) fn mirrored(self, Entry(entry): Entry) -> Entry {
        Entry(entry ^ self.all)
    }

    /// When the voxel with this key at a place enters.
    #[inline(always)]
    pub(super) fn entry(self, key: i32, place: usize) -> Entry {
        Entry((offset(key) << self.place_bits | place as u64) ^ self.inverted)
    }

    /// The cell in a direction of the voxel with this key at a place.
    #[inline(always)]
    pub(super) fn cell(self, key: i32, direction: usize, place: usize) -> Cell {
        Cell(self.entry(key, place).0 << DIRECTION_BITS | direction as u64)
    }

    /// The place of a voxel that enters then.
    #[inline(always)]
    pub(super) fn place(self, Entry(entry): Entry) -> usize {
        ((entry ^ self.inverted) & ((1 << self.place_bits) - 1)) as usize
    }

    /// Whether two voxels have the same key.
    #[inline(always)]
    pub(super) fn are_equal(self, Entry(a): Entry, Entry(b): Entry) -> bool {
        a >> self.place_bits == b >> self.place_bits
    }
}

/// The offset of a key from the least of all.
#[inline(always)]
fn offset(key: i32) -> u64 {
    u64::from(key.cast_unsigned() ^ (1 << 31))
}

/// The key at this offset from the least of all.
#[inline(always)]
pub(super) fn key_at(offset: u64) -> i32 {
    (offset as u32 ^ (1 << 31)).cast_signed()
}

/// How a value as an unsigned integer becomes a key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shift {
    /// How values are narrowed before, if they are.
    pub(super) narrowing: Option<Narrowing>,
    inverted: u32,
    added: u32,
}

impl Shift {
    /// Keys that ascend from this value on, which has offset 1.
    pub(super) fn new(least: u64) -> Self {
        Shift {
            narrowing: None,
            inverted: 0,
            added: (1_u32 << 31).wrapping_sub(least as u32).wrapping_add(1),
        }
    }

    /// Keys that descend from this value on, which has offset 1.
    pub(super) fn reversed(greatest: u64) -> Self {
        // The negative of a number is its inverse plus one.
        let added = (1_u32 << 31).wrapping_add(greatest as u32).wrapping_add(2);
        Shift { narrowing: None, inverted: u32::MAX, added }
    }

    /// The key of a narrowed value, of which the lowest 32 bits suffice.
    #[inline(always)]
    pub(super) fn key(self, value: u64) -> i32 {
        (value as u32 ^ self.inverted).wrapping_add(self.added).cast_signed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_places_share_a_word() {
        assert!(Packing::new((1 << 28) - 1, u64::from(u32::MAX) - 1, false).is_some());
        assert!(Packing::new(1 << 28, u64::from(u32::MAX) - 1, false).is_none());
        assert!(Packing::new(1 << 31, 1 << 31, true).is_none());
        let (places, greatest) = ((1 << 32) - 1, (1 << 28) - 1);
        for descend in [false, true] {
            let packing = Packing::new(places, greatest, descend).unwrap();
            for packing in [packing, packing.reversed()] {
                let entry = |offset, place| packing.entry(key_at(offset), place);
                for (offset, place) in [(0, 0), (1, places - 1), (greatest, 7), (greatest, places - 1)] {
                    let cell = packing.cell(key_at(offset), 11, place);
                    assert_eq!((cell.direction(), cell.entry()), (11, entry(offset, place)));
                    assert_eq!(packing.place(entry(offset, place)), place);
                    assert_eq!(
                        packing.mirrored(packing.mirrored(entry(offset, place))),
                        entry(offset, place)
                    );
                }
                let is_reversed = entry(1, 5) > entry(2, 5);
                assert_eq!(entry(3, 1) > entry(3, 2), descend != is_reversed);
                let mirrored = |offset, place| packing.mirrored(entry(offset, place));
                assert_eq!(mirrored(1, 5) < mirrored(2, 5), is_reversed);
                assert!(
                    packing.are_equal(entry(3, 1), entry(3, 2))
                        && !packing.are_equal(entry(3, 1), entry(4, 1))
                );
            }
        }
    }

    #[test]
    fn keys_ascend_from_offset_1() {
        let most = u64::from(u32::MAX) - 2;
        for least in [0, 5, u64::MAX - most] {
            for value in [0, 1, most / 2, most] {
                assert_eq!(Shift::new(least).key(least + value), key_at(value + 1));
                assert_eq!(Shift::reversed(least + value).key(least), key_at(value + 1));
            }
        }
    }
}
