//! Size classes of slots: four per doubling, so that a slot is at most a quarter longer than its content.

/// Bytes of a block, the unit of the file that is given to slots of one size or to a larger allocation; also the
/// greatest alignment.
pub(super) const BLOCK: usize = 2 << 20;

/// Bytes of the smallest slot.
pub(super) const LEAST: usize = 32;

/// Bytes of the largest slot.
pub(super) const GREATEST: usize = 1 << 20;

/// Number of size classes.
pub(super) const CLASSES: usize = 59;

/// Bytes of a slot: 32, 48, and from 64 on four sizes per doubling.
pub(super) fn size_of_class(class: usize) -> usize {
    match class {
        0 => LEAST,
        1 => 48,
        _ => (4 + (class - 2) % 4) << (4 + (class - 2) / 4),
    }
}

/// Smallest class whose slots hold `size` bytes at a multiple of `align`; `None` if whole blocks are needed.
pub(super) fn class_of(size: usize, align: usize) -> Option<usize> {
    // Slots whose size is a power of two lie at multiples of it, all others at multiples of 16.
    let size = if align <= 16 { size } else { size.max(align).checked_next_power_of_two()? };
    match size {
        0..=32 => Some(0),
        33..=48 => Some(1),
        49..=64 => Some(2),
        _ if size > GREATEST => None,
        _ => {
            let below = (size - 1).ilog2() as usize;
            let quarters = (size - (1 << below)).div_ceil(1 << (below - 2));
            Some(2 + 4 * (below - 6) + quarters)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_has_the_least_slot_that_holds_it() {
        let sizes: Vec<usize> = (0..CLASSES).map(size_of_class).collect();
        assert!(sizes.is_sorted_by(|a, b| a < b));
        assert_eq!((sizes[0], sizes[CLASSES - 1]), (LEAST, GREATEST));
        for size in (0..70_000).chain((70_000..=GREATEST).step_by(97)).chain([GREATEST]) {
            let class = class_of(size, 8).unwrap();
            assert!(sizes[class] >= size && (class == 0 || sizes[class - 1] < size), "{size}");
        }
        assert_eq!(class_of(GREATEST + 1, 1), None);
    }

    #[test]
    fn slots_are_aligned() {
        for align in (0..=20).map(|k| 1 << k) {
            for size in [1, 31, 33, 100, 5000, 70_000, GREATEST] {
                let slot = size_of_class(class_of(size, align).unwrap());
                assert!(slot >= size && slot.is_multiple_of(align), "{size} at multiples of {align}: {slot}");
            }
        }
        assert_eq!(class_of(8, BLOCK), None);
    }
}
