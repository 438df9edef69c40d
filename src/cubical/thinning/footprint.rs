//! Memory needed by thinning, computed from the shape of an image and checked before the run.
//!
//! Rows are padded to whole words and planes to whole tiles, so an image one voxel wide needs far more memory per
//! voxel.

use super::request::ThinError;
use super::rule::Rule;
use super::{bits, planar, subfields};
use crate::cubical::shape::Shape;
use crate::memory::{self, MemoryPlan};

/// Number of bytes up to which memory is not checked.
const FEW: u64 = 1 << 20;

/// Checks that memory suffices for the bits of an image and its skeleton, and for an output of `voxels` bytes per
/// voxel.
///
/// # Errors
/// [`ThinError::Memory`]: it does not.
pub fn check_bits(shape: Shape, voxels: usize) -> Result<(), ThinError> {
    let given = (shape.count() as u64).saturating_mul(voxels as u64);
    // Three bit images exist at a time; one of them is transposed.
    check(bits::bytes(shape).saturating_mul(3).saturating_add(given))
}

/// The memory plan of thinning on the CPU: an image of `image` bytes is binarised, thinned, written as 8-bit voxels.
pub fn memory_plan(shape: Shape, image: u64, rule: Rule) -> MemoryPlan {
    let bits = bits::bytes(shape);
    MemoryPlan::new()
        .stage("binarize", [("the image", image), ("its bits", bits)], false)
        .stage(
            "thin",
            [("bits of image and skeleton", 2 * bits), ("tiles of the rule", of_rule(shape, rule))],
            false,
        )
        .stage(
            "write",
            [("bits of image and skeleton", 3 * bits), ("voxels of the skeleton", shape.count() as u64)],
            false,
        )
}

/// Checks that memory suffices for a rule's tables on the CPU, beside the bits of image and skeleton.
pub(super) fn check_rule(shape: Shape, rule: Rule) -> Result<(), ThinError> {
    check(of_rule(shape, rule))
}

/// Bytes of a rule's tables on the CPU.
fn of_rule(shape: Shape, rule: Rule) -> u64 {
    if rule.is_planar() { planar::bytes(shape) } else { subfields::bytes(shape) }
}

fn check(bytes: u64) -> Result<(), ThinError> {
    if bytes > FEW {
        memory::probe(bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cubical::Order;

    #[test]
    fn narrow_images_take_more() {
        let shape = |axes: &[usize]| Shape::new(axes, Order::C).unwrap();
        assert_eq!([bits::bytes(shape(&[64, 64])), bits::bytes(shape(&[64, 65]))], [512, 1024]);
        assert_eq!(planar::bytes(shape(&[64, 64])), 9 * 1027);
        // For each parity a word between words of background, between planes of background; and a unit.
        assert_eq!(subfields::bytes(shape(&[2, 2, 2])), 8 * 8 * (3 * 3 * 18) + 1027);
        assert!(subfields::bytes(shape(&[1 << 20, 2, 2])) > 1000 << 20);
    }

    #[test]
    fn what_no_memory_has_room_for_is_refused() {
        let vast = Shape::new(&[1 << 20, 1 << 20, 1 << 20], Order::C).unwrap();
        assert!(matches!(check_bits(vast, 2), Err(ThinError::Memory(_))));
        assert!(matches!(check_rule(vast, Rule::Subfields), Err(ThinError::Memory(_))));
        let narrow = Shape::new(&[1 << 61, 1], Order::C).unwrap();
        assert!(matches!(check_rule(narrow, Rule::GuoHall), Err(ThinError::Memory(_))));
        assert_eq!(check_bits(Shape::new(&[3, 4], Order::C).unwrap(), 9), Ok(()));
    }
}
