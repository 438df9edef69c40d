//! Thinning before persistence: of an image of two values, with the same bars.
//!
//! In the T-construction the voxels of the value that comes first are the foreground of a filtration of two steps: their
//! union, then all of the image, which has no homology but its one component. A rule that keeps topology keeps that of the
//! first step, and so all bars; only the voxels at which classes are born and die change. In the V-construction they are
//! 4- and 6-connected, which no rule here is made for.

use super::bits::BitImage;
use super::{Figures, Pass, Request, ThinError, thin};
use crate::cubical::{AnyImage, Image, Voxel};
use crate::with_image;

/// Why an image cannot be thinned.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TwoValuedError {
    /// There is a third value.
    #[error("voxel {coordinates:?}: expected one of two values, {values:?}, found {found}")]
    Third {
        /// Where, along the user's axes.
        coordinates: Vec<usize>,
        /// The values before, as they came.
        values: [f64; 2],
        /// The third.
        found: f64,
    },
    /// The rule does not suit it.
    #[error(transparent)]
    Thin(#[from] ThinError),
}

/// Thins the voxels whose value comes first: the less, or of superlevel sets the greater. What goes gets the other value.
///
/// # Errors
/// [`TwoValuedError`]: the image has a third value, or the rule does not suit it.
pub fn thin_first(
    image: &AnyImage,
    superlevel: bool,
    request: &Request,
    watch: &mut dyn FnMut(Pass),
) -> Result<(AnyImage, Figures), TwoValuedError> {
    with_image!(image, image => {
        let (thinned, figures) = first_thinned(image, superlevel, request, watch)?;
        Ok((thinned.into(), figures))
    })
}

fn first_thinned<T: Voxel>(
    image: &Image<T>,
    superlevel: bool,
    request: &Request,
    watch: &mut dyn FnMut(Pass),
) -> Result<(Image<T>, Figures), TwoValuedError> {
    let voxels = image.voxels();
    let one = voxels[0];
    let Some(other) = voxels.iter().copied().find(|voxel| voxel.key() != one.key()) else {
        // All of it comes at once: there is nothing to become of what goes.
        let all = voxels.len();
        return Ok((image.clone(), Figures { before: all, after: all, ..Figures::default() }));
    };
    let third = voxels.iter().position(|voxel| voxel.key() != one.key() && voxel.key() != other.key());
    if let Some(place) = third {
        let values = [one, other].map(Voxel::value);
        let coordinates = image.shape().coordinates(place);
        return Err(TwoValuedError::Third { coordinates, values, found: voxels[place].value() });
    }
    let (first, last) = if (one.key() < other.key()) != superlevel { (one, other) } else { (other, one) };
    let bits = BitImage::of(image, |voxel| voxel.key() == first.key());
    let (skeleton, figures) = thin(&bits, request, watch)?;
    let mut voxels = vec![last; voxels.len()];
    skeleton.places().into_iter().for_each(|place| voxels[place] = first);
    let thinned = Image::new(image.shape(), voxels).expect("a voxel was made for each place");
    Ok((thinned, figures))
}

#[cfg(test)]
mod tests {
    use super::super::Rule;
    use super::*;
    use crate::cubical::persistence::{self, persistence};
    use crate::cubical::{Order, Shape};

    fn bars(image: &Image<f32>, superlevel: bool) -> Vec<Vec<(f32, Option<f32>)>> {
        let classes = persistence(image, &persistence::Request { superlevel, ..Default::default() }).unwrap();
        let value = |place: usize| image.voxels()[place];
        let bars = |classes: &Vec<persistence::Class>| {
            classes.iter().map(|class| (value(class.birth), class.death.map(value))).collect()
        };
        classes.dimensions.iter().map(bars).collect()
    }

    #[test]
    fn bars_stay() {
        for axes in [&[30, 40][..], &[9, 13, 11]] {
            let shape = Shape::new(axes, Order::F).unwrap();
            let voxel = |place: usize| if place * place % 29 * (place % 7) % 5 < 3 { -1.5 } else { 2.5 };
            let image = Image::new(shape, (0..shape.count()).map(voxel).collect()).unwrap();
            for superlevel in [false, true] {
                let request = Request::default();
                let (thinned, figures) = first_thinned(&image, superlevel, &request, &mut |_| ()).unwrap();
                assert_eq!(bars(&thinned, superlevel), bars(&image, superlevel));
                assert!(figures.after < figures.before);
            }
        }
    }

    #[test]
    fn one_value_and_three() {
        let shape = Shape::new(&[2, 3], Order::F).unwrap();
        let request = Request { rule: Some(Rule::Kashani), iterations: None };
        let constant = Image::new(shape, vec![7_u8; 6]).unwrap();
        assert_eq!(first_thinned(&constant, false, &request, &mut |_| ()).unwrap().0, constant);
        let three = Image::new(shape, vec![1_u8, 4, 1, 4, 9, 1]).unwrap();
        let error = first_thinned(&three, false, &request, &mut |_| ()).unwrap_err().to_string();
        assert_eq!(error, "voxel [0, 2]: expected one of two values, [1.0, 4.0], found 9");
    }
}
