//! Thinning on the CPU.

use super::bits::BitImage;
use super::guo_hall::GuoHall;
use super::kashani::{Kashani, KashaniSafe};
use super::planar::TwoBuffers;
use super::request::{ThinError, ThinningRequest};
use super::rule::Rule;
use super::statistics::{Pass, ThinningStatistics};
use super::subfields::InPlace;
use super::zhang_suen::ZhangSuen;
use crate::parallel;

/// An image that is being thinned on the CPU by a rule.
pub(super) trait Thinning {
    /// Runs an iteration and returns the number of voxels deleted.
    fn iterate(&mut self) -> usize;
    /// Writes what is left to an image of background, and returns the number of words of 64 voxels examined.
    fn finish(&self, skeleton: &mut BitImage) -> u64;
}

/// Calls `work` with each part of an image, on several threads only if there is much to examine.
pub(super) fn each_part<I: ExactSizeIterator + Send>(
    parts: I,
    is_much: bool,
    work: &(dyn Fn(I::Item) + Sync),
) {
    if is_much { parallel::each_of(parts, work) } else { parts.for_each(work) }
}

/// Computes the skeleton of an image, calling `watch` after each iteration.
///
/// # Errors
/// [`ThinError::Space`]: a planar rule was requested for a three-dimensional image.
pub fn thin(
    image: &BitImage,
    request: &ThinningRequest,
    watch: &mut dyn FnMut(Pass),
) -> Result<(BitImage, ThinningStatistics), ThinError> {
    let mut thinning: Box<dyn Thinning> = match request.suiting(image.shape())? {
        Rule::GuoHall => Box::new(TwoBuffers::of::<GuoHall>(image)),
        Rule::ZhangSuen => Box::new(TwoBuffers::of::<ZhangSuen>(image)),
        Rule::Kashani => Box::new(TwoBuffers::of::<Kashani>(image)),
        Rule::KashaniSafe => Box::new(TwoBuffers::of::<KashaniSafe>(image)),
        Rule::Subfields => Box::new(InPlace::new(image)),
    };
    let mut statistics = ThinningStatistics { before: image.count(), ..ThinningStatistics::default() };
    while request.iterations.is_none_or(|limit| statistics.iterations < limit) {
        let deleted = thinning.iterate();
        if deleted == 0 {
            break;
        }
        statistics.iterations += 1;
        watch(Pass { iteration: statistics.iterations, deleted });
    }
    let mut skeleton = BitImage::new(image.shape());
    statistics.words = thinning.finish(&mut skeleton);
    statistics.after = skeleton.count();
    Ok((skeleton, statistics))
}
