//! Check of the bars of an image against its Euler characteristic curve.
//!
//! At every value, the Euler characteristic of the cells that have entered is the alternating sum of the Betti numbers,
//! which are the numbers of bars alive (Euler and Poincaré). The curve counts cells, and knows neither gradients nor
//! boundaries; so a bar that is missing, too many, or of wrong ends shows, unless another of the neighbouring dimension
//! makes up for it.

use super::ecc::{Bins, EccRequest, Vcec};
use super::error::CubicalError;
use super::euler::EulerCurve;
use super::image::AnyImage;
use super::persistence::{Classes, Limits, PersistenceRequest};
use super::shape::Shape;
use super::value::Value;
use crate::backend::Backend;
use crate::memory::{self, Refused};
use crate::progress::Progress;

/// Reasons why bars are not verified.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// Bars of some dimensions are not computed, so that there is no alternating sum.
    #[error("expected the bars of dimensions 0 to {expected}, found those up to {found} only")]
    Dimensions {
        /// The greatest dimension of bars of the image.
        expected: usize,
        /// The greatest dimension that is requested.
        found: usize,
    },
    /// The bars contradict the curve.
    #[error(
        "at {value}: expected bars whose alternating sum is {euler}, the Euler characteristic of the cells, found {bars}"
    )]
    Differs {
        /// The first value, in the order of the filtration, at which they do.
        value: Value,
        /// The Euler characteristic of the cells that have entered.
        euler: i64,
        /// The alternating sum of the numbers of bars alive.
        bars: i64,
    },
    /// The curve could not be computed.
    #[error(transparent)]
    Curve(#[from] CubicalError),
    /// Memory does not suffice for the ends of the bars.
    #[error(transparent)]
    Memory(#[from] Refused),
}

/// Checks that the request has the bars of all dimensions, without which they cannot be verified.
///
/// # Errors
/// [`VerifyError::Dimensions`].
pub fn check(shape: Shape, request: &PersistenceRequest) -> Result<(), VerifyError> {
    let all = PersistenceRequest { max_dim: None, ..*request };
    let (needed, requested) = (all.dimensions(shape), request.dimensions(shape));
    if requested < needed {
        return Err(VerifyError::Dimensions { expected: needed - 1, found: requested.saturating_sub(1) });
    }
    Ok(())
}

/// Compares the bars of an image, computed by `request` up to the limits, with the Euler characteristic curve of the
/// same filtration. The unit of work that is reported to `progress` is a voxel.
///
/// # Errors
/// [`VerifyError`]: the first value at which they differ; or the check is not possible.
pub fn verify(
    image: &AnyImage,
    classes: &Classes,
    request: &PersistenceRequest,
    limits: Limits<'_>,
    backend: &Backend,
    progress: &dyn Progress,
) -> Result<(), VerifyError> {
    check(image.shape(), request)?;
    if let Some(mask) = limits.mask {
        // Voxels outside the mask have the last rank, and the curve is that of ranks up to the last one reached.
        let ranks = mask.ranks(image, request.superlevel)?;
        let reached = (0..image.shape().count()).filter(|&place| limits.reach(image, request, place));
        let Some(last) = reached.max_by_key(|&place| ranks.exact(place).integer()) else { return Ok(()) };
        let limits = Limits::up_to(ranks.exact(last));
        let request = PersistenceRequest { superlevel: false, ..*request };
        return verify(&ranks, classes, &request, limits, backend, progress).map_err(|error| match error {
            VerifyError::Differs { value, euler, bars } => {
                let of_rank = (0..image.shape().count()).find(|&place| ranks.exact(place) == value);
                VerifyError::Differs { value: of_rank.map_or(value, |place| image.exact(place)), euler, bars }
            }
            error => error,
        });
    }
    let PersistenceRequest { construction, superlevel, periodic, .. } = *request;
    let curve = EccRequest { construction, superlevel, bins: Bins::Distinct };
    let curve = EulerCurve { periodic, backend: backend.clone(), ..EulerCurve::new(image, curve) };
    compare(image, classes, request, limits.threshold, &curve.solve(progress)?.vcec)
}

/// Compares the bars with a curve that has a row for each value of the image.
fn compare(
    image: &AnyImage,
    classes: &Classes,
    request: &PersistenceRequest,
    threshold: Option<Value>,
    curve: &Vcec,
) -> Result<(), VerifyError> {
    let count: usize = classes.dimensions.iter().map(Vec::len).sum();
    memory::probe(2 * count as u64 * size_of::<(Value, i64)>() as u64)?;
    let mut ends = Vec::with_capacity(2 * count);
    for (dim, classes) in classes.dimensions.iter().enumerate() {
        let sign = if dim.is_multiple_of(2) { 1 } else { -1 };
        for class in classes {
            ends.push((image.exact(class.birth), sign));
            ends.extend(class.death.map(|death| (image.exact(death), -sign)));
        }
    }
    ends.sort_unstable_by(|(a, _), (b, _)| a.in_filtration(b, request.superlevel));
    let (mut ends, mut bars) = (ends.into_iter().peekable(), 0);
    for (value, _, euler) in curve.rows() {
        if threshold.is_some_and(|threshold| !request.reaches(threshold, value)) {
            break;
        }
        while let Some((_, change)) = ends.next_if(|&(end, _)| request.reaches(value, end)) {
            bars += change;
        }
        if bars != euler {
            return Err(VerifyError::Differs { value, euler, bars });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;
    use crate::cubical::persistence::Class;
    use crate::cubical::{Construction, Cubical, Image, Order, Periodic};

    fn solved(image: &AnyImage, request: PersistenceRequest, threshold: Option<Value>) -> Classes {
        Cubical { limits: Limits::up_to(threshold), ..Cubical::new(image, request) }
            .solve(&())
            .unwrap()
            .classes
    }

    fn verified(image: &AnyImage, classes: &Classes, request: &PersistenceRequest) -> Result<(), String> {
        verify(image, classes, request, Limits::default(), &Backend::default(), &())
            .map_err(|error| error.to_string())
    }

    /// A ring of 1 around 9, and a 4 beside it.
    fn ring() -> AnyImage {
        let voxels = vec![1_u8, 1, 1, 4, 1, 9, 1, 4, 1, 1, 1, 4];
        Image::new(Shape::new(&[3, 4], Order::C).unwrap(), voxels).unwrap().into()
    }

    #[test]
    fn a_bar_that_is_taken_away_shows() {
        let (image, request) = (ring(), PersistenceRequest::default());
        let classes = solved(&image, request, None);
        assert_eq!(verified(&image, &classes, &request), Ok(()));
        let mut without = classes.clone();
        without.dimensions[1].clear();
        let message =
            "at 1: expected bars whose alternating sum is 0, the Euler characteristic of the cells, found 1";
        assert_eq!(verified(&image, &without, &request), Err(message.to_owned()));
        // A loop that ends too early: at the place of a 4.
        let mut early = classes.clone();
        early.dimensions[1][0].death = Some(3);
        let message =
            "at 4: expected bars whose alternating sum is 0, the Euler characteristic of the cells, found 1";
        assert_eq!(verified(&image, &early, &request), Err(message.to_owned()));
        let mut more = classes;
        more.dimensions[0].push(Class { birth: 3, death: None });
        let message =
            "at 4: expected bars whose alternating sum is 0, the Euler characteristic of the cells, found 1";
        assert_eq!(verified(&image, &more, &request), Err(message.to_owned()));
    }

    #[test]
    fn bars_of_all_dimensions_are_needed() {
        let image = ring();
        let request = PersistenceRequest { max_dim: Some(0), ..PersistenceRequest::default() };
        let message = verified(&image, &solved(&image, request, None), &request).unwrap_err();
        assert_eq!(message, "expected the bars of dimensions 0 to 1, found those up to 0 only");
        let request = PersistenceRequest { max_dim: Some(5), ..request };
        assert_eq!(verified(&image, &solved(&image, request, None), &request), Ok(()));
    }

    #[test]
    fn images_of_few_values_agree_in_every_filtration() {
        let mut random = Pcg64Mcg::seed_from_u64(37);
        for axes in [&[7][..], &[4, 5], &[3, 4, 3], &[2, 1, 3], &[1]] {
            for (construction, superlevel) in
                [Construction::T, Construction::V].into_iter().flat_map(|c| [(c, false), (c, true)])
            {
                let shape = Shape::new(axes, Order::F).unwrap();
                let periodic = Periodic::all(shape).nth(random.random_range(0..4)).unwrap_or_default();
                let request = PersistenceRequest { construction, superlevel, periodic, max_dim: None };
                let voxels: Vec<i16> = (0..shape.count()).map(|_| random.random_range(-3..4)).collect();
                let image = Image::new(shape, voxels).unwrap().into();
                let classes = solved(&image, request, None);
                assert_eq!(verified(&image, &classes, &request), Ok(()));
                // Each bar matters, up to a threshold, too.
                for dim in 0..classes.dimensions.len() {
                    for k in 0..classes.dimensions[dim].len() {
                        let mut without = classes.clone();
                        without.dimensions[dim].remove(k);
                        assert!(verified(&image, &without, &request).is_err());
                    }
                }
                let threshold = Value::Signed(random.random_range(-3..4));
                let classes = solved(&image, request, Some(threshold));
                let limits = Limits::up_to(threshold);
                verify(&image, &classes, &request, limits, &Backend::default(), &()).unwrap();
            }
        }
    }
}
