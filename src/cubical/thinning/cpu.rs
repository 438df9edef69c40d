//! Thinning on the CPU.

use super::bits::BitImage;
use super::figures::{Pass, ThinningFigures};
use super::guo_hall::GuoHall;
use super::kashani::{Kashani, KashaniSafe};
use super::request::{ThinError, ThinningRequest};
use super::rule::Rule;
use super::zhang_suen::ZhangSuen;
use super::{planar, subfields};

/// Computes the skeleton of an image, calling `watch` after each iteration.
///
/// # Errors
/// [`ThinError::Space`]: a planar rule was requested for a three-dimensional image.
pub fn thin(
    image: &BitImage,
    request: &ThinningRequest,
    watch: &mut dyn FnMut(Pass),
) -> Result<(BitImage, ThinningFigures), ThinError> {
    let (rule, limit) = (request.suiting(image.shape())?, request.iterations);
    Ok(match rule {
        Rule::GuoHall => planar::thin::<GuoHall>(image, limit, watch),
        Rule::ZhangSuen => planar::thin::<ZhangSuen>(image, limit, watch),
        Rule::Kashani => planar::thin::<Kashani>(image, limit, watch),
        Rule::KashaniSafe => planar::thin::<KashaniSafe>(image, limit, watch),
        Rule::Subfields => subfields::thin(image, limit, watch),
    })
}
