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
pub type Thinned<I> = (I, ThinningStatistics, Option<Decision>);

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
) -> Result<Thinned<AnyImage>, TwoValuedError> {
    with_image!(image, image => {
        let (thinned, statistics, decision) = first_thinned(image, superlevel, request, backend, watch)?;
        Ok((thinned.into(), statistics, decision))
    })
}

fn first_thinned<T: Voxel>(
    image: &Image<T>,
    superlevel: bool,
    request: &ThinningRequest,
    backend: &Backend,
    watch: &mut dyn FnMut(Pass),
) -> Result<Thinned<Image<T>>, TwoValuedError> {
    let voxels = image.voxels();
    let one = voxels[0];
    let Some(other) = voxels.iter().copied().find(|voxel| voxel.key() != one.key()) else {
        // All voxels have one value, so there is no other for deleted ones.
        let all = voxels.len();
        let statistics = ThinningStatistics { before: all, after: all, ..ThinningStatistics::default() };
        return Ok((image.clone(), statistics, None));
    };
    let third = voxels.iter().position(|voxel| voxel.key() != one.key() && voxel.key() != other.key());
    if let Some(place) = third {
        let values = [one, other].map(Voxel::value);
        let coordinates = image.shape().coordinates(place);
        return Err(TwoValuedError::Third { coordinates, values, found: voxels[place].value() });
    }
    let (first, last) = if (one.key() < other.key()) != superlevel { (one, other) } else { (other, one) };
    check_bits(image.shape(), 1 + size_of::<T>()).map_err(MachineError::from)?;
    let bits = outside(image, last, last);
    let (skeleton, statistics, decision) = thin_by(&bits, request, backend, watch)?;
    let skeleton = skeleton.to_image(1, image.shape().order()).into_voxels();
    let voxels = skeleton.into_iter().map(|is_left| if is_left == 1 { first } else { last });
    let thinned = Image::new(image.shape(), voxels.collect()).expect("a voxel was made for each place");
    Ok((thinned, statistics, Some(decision)))
}

#[cfg(test)]
mod tests {
    use super::super::Rule;
    use super::*;
    use crate::cubical::persistence;
    use crate::cubical::{Cubical, Order, Shape};

    fn bars(image: &Image<f32>, superlevel: bool) -> Vec<Vec<(f32, Option<f32>)>> {
        let request = persistence::PersistenceRequest { superlevel, ..Default::default() };
        let classes = Cubical::new(&image.clone().into(), request).solve(&()).unwrap().classes;
        let value = |place: usize| image.voxels()[place];
        let bars = |classes: &Vec<persistence::Class>| {
            classes.iter().map(|class| (value(class.birth), class.death.map(value))).collect()
        };
        classes.dimensions.iter().map(bars).collect()
    }

    fn first<T: Voxel>(
        image: &Image<T>,
        superlevel: bool,
        request: &ThinningRequest,
    ) -> Result<(Image<T>, ThinningStatistics), TwoValuedError> {
        let thinned = first_thinned(image, superlevel, request, &Backend::default(), &mut |_| ());
        thinned.map(|(image, statistics, _)| (image, statistics))
    }

    #[test]
    fn bars_stay() {
        for axes in [&[30, 40][..], &[9, 13, 11]] {
            let shape = Shape::new(axes, Order::F).unwrap();
            let voxel = |place: usize| if place * place % 29 * (place % 7) % 5 < 3 { -1.5 } else { 2.5 };
            let image = Image::new(shape, (0..shape.count()).map(voxel).collect()).unwrap();
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
        let constant = Image::new(shape, vec![7_u8; 6]).unwrap();
        assert_eq!(first(&constant, false, &request).unwrap().0, constant);
        let three = Image::new(shape, vec![1_u8, 4, 1, 4, 9, 1]).unwrap();
        let error = first(&three, false, &request).unwrap_err().to_string();
        assert_eq!(error, "voxel [0, 2]: expected one of two values, [1.0, 4.0], found 9");
    }
}
