//! Filtrations that end at a threshold.

use super::{Class, Classes, Request};
use crate::cubical::AnyImage;

impl Request {
    /// Whether a filtration that ends at a threshold reaches this value: sublevel sets those up to it, superlevel sets those
    /// from it up.
    pub fn reaches(&self, threshold: f64, value: f64) -> bool {
        if self.superlevel { value >= threshold } else { value <= threshold }
    }
}

impl Classes {
    /// The classes of the filtration that ends at a threshold: those that are born later vanish, those that die later are essential.
    ///
    /// Voxels are compared with it as doubles.
    #[must_use]
    pub fn cut(mut self, image: &AnyImage, request: &Request, threshold: f64) -> Classes {
        let is_reached = |place: usize| request.reaches(threshold, image.value(place));
        for classes in &mut self.dimensions {
            classes.retain(|class| is_reached(class.birth));
            for Class { death, .. } in classes.iter_mut() {
                *death = death.filter(|&place| is_reached(place));
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cubical::{Image, Order, Shape};

    fn class(birth: usize, death: Option<usize>) -> Class {
        Class { birth, death }
    }

    #[test]
    fn classes_end_where_the_filtration_does() {
        let image = Image::new(Shape::new(&[5], Order::C).unwrap(), vec![1_u8, 9, 0, 7, 3]).unwrap().into();
        let all =
            Classes { dimensions: vec![vec![class(2, None), class(0, Some(1)), class(4, Some(3))], vec![]] };
        let sublevel = Request::default();
        let cut = |threshold| all.clone().cut(&image, &sublevel, threshold).dimensions;
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
        let superlevel = Request { superlevel: true, ..Request::default() };
        let cut = |threshold| all.clone().cut(&image, &superlevel, threshold).dimensions;
        assert_eq!(cut(2.0), all.dimensions);
        assert_eq!(cut(3.0)[0], [class(0, None), class(2, None)]);
        assert_eq!(cut(6.0)[0], [class(0, None)]);
    }
}
