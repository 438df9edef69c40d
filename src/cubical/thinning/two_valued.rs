//! Thinning before persistence, for images of two values; the bars stay the same.
//!
//! In the T-construction, the voxels with the first value are the foreground of a filtration of two steps: their union,
//! then the whole image, whose only homology is its one component. A rule that preserves topology preserves the
//! homology of the first step, and thus all bars; only the voxels at which classes are born and die change. In the
//! V-construction the foreground is 4- or 6-connected, which no rule here supports.

use super::binary::outside;
use super::dispatch::{MachineError, thin_by};
use super::footprint::check_bits;
use super::request::ThinningRequest;
use super::statistics::{Pass, ThinningStatistics};
use crate::backend::{Backend, Decision};
use crate::cubical::image::{AnyImage, Image, Voxel};
use crate::with_image;

/// Reasons why an image of two values cannot be thinned.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TwoValuedError {
    /// The image has a third value.
    #[error("voxel {coordinates:?}: expected one of two values, {values:?}, found {found}")]
    Third {
        /// Coordinates of its first occurrence, along the user's axes.
        coordinates: Vec<usize>,
        /// The two values that occur before, in that order.
        values: [f64; 2],
        /// The third value.
        found: f64,
    },
    /// The rule does not suit the image, memory does not suffice, or a requested GPU failed.
    #[error(transparent)]
    Thin(#[from] MachineError),
}

/// The thinned image, statistics, and the decision on where it ran; `None` if there was nothing to do.
pub type Thinned = (AnyImage, ThinningStatistics, Option<Decision>);

/// Thins the voxels with the first value in filtration order: the lesser, or for superlevel sets the greater. Deleted
/// voxels get the other value.
///
/// # Errors
/// [`TwoValuedError`]: the image has a third value, the rule does not suit it, memory is too short, or a requested GPU
/// failed.
pub fn thin_first(
    image: &AnyImage,
    superlevel: bool,
    request: &ThinningRequest,
    backend: &Backend,
    watch: &mut dyn FnMut(Pass),
) -> Result<Thinned, TwoValuedError> {
    let differing = |places| with_image!(image, image => differing(image, places));
    let Some(other) = differing([0; 2]) else {
        // All voxels have one value, so there is no other for deleted ones.
        let all = image.shape().count();
        let statistics = ThinningStatistics { before: all, after: all, ..ThinningStatistics::default() };
        return Ok((image.clone(), statistics, None));
    };
    if let Some(third) = differing([0, other]) {
        let values = [0, other].map(|place| image.value(place));
        let coordinates = image.shape().coordinates(third);
        return Err(TwoValuedError::Third { coordinates, values, found: image.value(third) });
    }
    let is_first = (image.exact(0) < image.exact(other)) != superlevel;
    let (first, last) = if is_first { (0, other) } else { (other, 0) };
    check_bits(image.shape(), 1 + image.voxel_type().bytes()).map_err(MachineError::from)?;
    let bits = with_image!(image, image => outside(image, image.voxels()[last], image.voxels()[last]));
    let (skeleton, statistics, decision) = thin_by(&bits, request, backend, watch)?;
    let skeleton = skeleton.to_image(1, image.shape().order());
    let thinned = with_image!(image, image => painted(image, skeleton, first, last));
    Ok((thinned, statistics, Some(decision)))
}

/// The place of the first voxel whose value is not that of either of two others.
fn differing<T: Voxel>(image: &Image<T>, others: [usize; 2]) -> Option<usize> {
    let [a, b] = others.map(|place| image.voxels()[place].key());
    image.voxels().iter().position(|voxel| voxel.key() != a && voxel.key() != b)
}

/// An image with the value of the voxel at `first` in the skeleton, and with that of the one at `last` elsewhere.
fn painted<T: Voxel>(image: &Image<T>, skeleton: Image<u8>, first: usize, last: usize) -> AnyImage {
    let [first, last] = [first, last].map(|place| image.voxels()[place]);
    let voxels = skeleton.into_voxels().into_iter().map(|is_left| if is_left == 1 { first } else { last });
    Image::new(image.shape(), voxels.collect()).expect("a voxel was made for each place").into()
}

#[cfg(test)]
mod tests {
    use super::super::Rule;
    use super::*;
    use crate::cubical::persistence;
    use crate::cubical::{Cubical, Order, Shape};

    fn bars(image: &AnyImage, superlevel: bool) -> Vec<Vec<(f64, Option<f64>)>> {
        let request = persistence::PersistenceRequest { superlevel, ..Default::default() };
        let classes = Cubical::new(image, request).solve(&()).unwrap().classes;
        let value = |place: usize| image.value(place);
        let bars = |classes: &Vec<persistence::Class>| {
            classes.iter().map(|class| (value(class.birth), class.death.map(value))).collect()
        };
        classes.dimensions.iter().map(bars).collect()
    }

    fn first(
        image: &AnyImage,
        superlevel: bool,
        request: &ThinningRequest,
    ) -> Result<(AnyImage, ThinningStatistics), TwoValuedError> {
        let thinned = thin_first(image, superlevel, request, &Backend::default(), &mut |_| ());
        thinned.map(|(image, statistics, _)| (image, statistics))
    }

    #[test]
    fn bars_stay() {
        for axes in [&[30, 40][..], &[9, 13, 11]] {
            let shape = Shape::new(axes, Order::F).unwrap();
            let voxel = |place: usize| if place * place % 29 * (place % 7) % 5 < 3 { -1.5 } else { 2.5 };
            let image = Image::new(shape, (0..shape.count()).map(voxel).collect()).unwrap();
            let image = AnyImage::F32(image);
            for superlevel in [false, true] {
                let request = ThinningRequest::default();
                let (thinned, statistics) = first(&image, superlevel, &request).unwrap();
                assert_eq!(bars(&thinned, superlevel), bars(&image, superlevel));
                assert!(statistics.after < statistics.before);
            }
        }
    }

    #[test]
    fn one_value_and_three() {
        let shape = Shape::new(&[2, 3], Order::F).unwrap();
        let request = ThinningRequest { rule: Some(Rule::Kashani), iterations: None };
        let constant = AnyImage::U8(Image::new(shape, vec![7; 6]).unwrap());
        assert_eq!(first(&constant, false, &request).unwrap().0, constant);
        let three = AnyImage::U8(Image::new(shape, vec![1, 4, 1, 4, 9, 1]).unwrap());
        let error = first(&three, false, &request).unwrap_err().to_string();
        assert_eq!(error, "voxel [0, 2]: expected one of two values, [1.0, 4.0], found 9");
    }
}
