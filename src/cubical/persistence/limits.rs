//! Filtrations that end early: at a threshold, or before the voxels outside a mask.

use super::classes::{Class, Classes};
use super::request::PersistenceRequest;
use crate::cubical::image::AnyImage;
use crate::cubical::mask::Mask;
use crate::cubical::value::Value;

impl PersistenceRequest {
    /// Whether a filtration that ends at `threshold` includes this value: values up to it for sublevel sets, from it
    /// upwards for superlevel sets. The comparison is exact, whatever the types.
    pub fn reaches(&self, threshold: Value, value: Value) -> bool {
        if self.superlevel { value >= threshold } else { value <= threshold }
    }
}

/// Where a filtration ends.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits<'a> {
    /// The last value (default: none), compared exactly.
    pub threshold: Option<Value>,
    /// The voxels that the complex has (default: all).
    pub mask: Option<&'a Mask>,
}

impl Limits<'_> {
    /// A filtration that ends at a threshold, if there is one.
    pub fn up_to(threshold: impl Into<Option<Value>>) -> Self {
        Limits { threshold: threshold.into(), mask: None }
    }

    /// Whether the filtration of an image includes the voxel at a place in memory.
    pub fn reach(&self, image: &AnyImage, request: &PersistenceRequest, place: usize) -> bool {
        self.mask.is_none_or(|mask| mask.has(image.shape().c_place(place)))
            && self.threshold.is_none_or(|threshold| request.reaches(threshold, image.exact(place)))
    }
}

impl Classes {
    /// Ends the filtration early: classes born later are removed, those that die later become essential.
    #[must_use]
    pub fn cut(mut self, image: &AnyImage, request: &PersistenceRequest, limits: Limits<'_>) -> Classes {
        if limits.threshold.is_none() && limits.mask.is_none() {
            return self;
        }
        let reach = |place: usize| limits.reach(image, request, place);
        for classes in &mut self.dimensions {
            classes.retain(|class| reach(class.birth));
            for Class { death, .. } in classes.iter_mut() {
                *death = death.filter(|&place| reach(place));
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cubical::value::Threshold;
    use crate::cubical::{Image, Order, Shape};

    fn class(birth: usize, death: Option<usize>) -> Class {
        Class { birth, death }
    }

    #[test]
    fn classes_end_where_the_filtration_does() {
        let image = Image::new(Shape::new(&[5], Order::C).unwrap(), vec![1_u8, 9, 0, 7, 3]).unwrap().into();
        let all =
            Classes { dimensions: vec![vec![class(2, None), class(0, Some(1)), class(4, Some(3))], vec![]] };
        let sublevel = PersistenceRequest::default();
        let cut = |threshold: f64| {
            all.clone().cut(&image, &sublevel, Limits::up_to(Value::from(threshold))).dimensions
        };
        assert_eq!(cut(9.0), all.dimensions);
        assert_eq!(cut(8.5)[0], [class(2, None), class(0, None), class(4, Some(3))]);
        assert_eq!(cut(3.0)[0], [class(2, None), class(0, None), class(4, None)]);
        assert_eq!(cut(2.5)[0], [class(2, None), class(0, None)]);
        assert_eq!(cut(-0.5), [vec![], vec![]]);
    }

    #[test]
    fn superlevel_sets_end_below() {
        let image = Image::new(Shape::new(&[4], Order::C).unwrap(), vec![9_u8, 2, 5, 4]).unwrap().into();
        let all = Classes { dimensions: vec![vec![class(0, None), class(2, Some(1))]] };
        let superlevel = PersistenceRequest { superlevel: true, ..PersistenceRequest::default() };
        let cut = |threshold: f64| {
            all.clone().cut(&image, &superlevel, Limits::up_to(Value::from(threshold))).dimensions
        };
        assert_eq!(cut(2.0), all.dimensions);
        assert_eq!(cut(3.0)[0], [class(0, None), class(2, None)]);
        assert_eq!(cut(6.0)[0], [class(0, None)]);
    }

    /// Tests thresholds at consecutive 64-bit integers that doubles cannot distinguish, and at fractions between them.
    #[test]
    fn integers_past_2_to_the_53_are_compared_exactly() {
        let shape = Shape::new(&[2], Order::C).unwrap();
        let all = Classes { dimensions: vec![vec![class(0, Some(1))]] };
        let deaths = |image: &AnyImage, text: &str, superlevel| {
            let request = PersistenceRequest { superlevel, ..PersistenceRequest::default() };
            let threshold = text.parse::<Threshold>().unwrap().side(superlevel);
            let cut = all.clone().cut(image, &request, Limits::up_to(threshold));
            cut.dimensions[0].iter().map(|class| class.death).collect::<Vec<_>>()
        };
        let top = u64::MAX;
        let ascending: AnyImage = Image::new(shape, vec![top - 1, top]).unwrap().into();
        let descending: AnyImage = Image::new(shape, vec![top, top - 1]).unwrap().into();
        for (text, sublevel, superlevel) in [
            ("18446744073709551613", vec![], vec![Some(1)]),
            ("18446744073709551614", vec![None], vec![Some(1)]),
            ("18446744073709551614.5", vec![None], vec![None]),
            ("18446744073709551615", vec![Some(1)], vec![None]),
            ("18446744073709551615.5", vec![Some(1)], vec![]),
            ("18446744073709551616", vec![Some(1)], vec![]),
            ("1e300", vec![Some(1)], vec![]),
            ("-1", vec![], vec![Some(1)]),
        ] {
            assert_eq!(deaths(&ascending, text, false), sublevel, "{text}");
            assert_eq!(deaths(&descending, text, true), superlevel, "{text}, superlevel");
        }
        let low = i64::MIN;
        let image: AnyImage = Image::new(shape, vec![low, low + 1]).unwrap().into();
        assert_eq!(deaths(&image, "-9223372036854775808", false), [None]);
        assert_eq!(deaths(&image, "-9223372036854775807.5", false), [None]);
        assert_eq!(deaths(&image, "-9223372036854775807", false), [Some(1)]);
        assert_eq!(deaths(&image, "-9223372036854775809", false), []);
    }
}
