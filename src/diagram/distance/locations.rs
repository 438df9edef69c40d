//! Bars as points with multiplicities, called units.

use super::tree::Tree;
use crate::kd_tree::Point;

/// The distinct points of the finite bars of a diagram.
pub(super) struct Locations {
    pub(super) points: Vec<Point>,
    /// Indices of the bars of each point.
    pub(super) places: Vec<Vec<usize>>,
}

impl Locations {
    /// Makes the points from bars with their indices; sorted by birth and death.
    pub(super) fn new(bars: &[(Point, usize)]) -> Self {
        let mut bars = bars.to_vec();
        bars.sort_unstable_by(|p, q| {
            let points = p.0[0].total_cmp(&q.0[0]).then_with(|| p.0[1].total_cmp(&q.0[1]));
            // Indices descend, so that `pop` takes the first.
            points.then_with(|| q.1.cmp(&p.1))
        });
        let (mut points, mut places): (Vec<Point>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
        for (point, place) in bars {
            match places.last_mut() {
                Some(last) if points.last() == Some(&point) => last.push(place),
                _ => {
                    points.push(point);
                    places.push(vec![place]);
                }
            }
        }
        Locations { points, places }
    }

    /// Number of bars of each point.
    pub(super) fn units(&self) -> Vec<u32> {
        self.places.iter().map(|places| places.len() as u32).collect()
    }

    /// Points that still have bars, ordered so that near ones are close.
    pub(super) fn by_neighbourhood(mut self) -> Self {
        let there: Vec<usize> = (0..self.points.len()).filter(|&p| !self.places[p].is_empty()).collect();
        let points: Vec<Point> = there.iter().map(|&p| self.points[p]).collect();
        let order: Vec<usize> = Tree::new(&points).order().map(|p| there[p as usize]).collect();
        Locations {
            points: order.iter().map(|&p| self.points[p]).collect(),
            places: order.iter().map(|&p| std::mem::take(&mut self.places[p])).collect(),
        }
    }
}
