//! How far apart points are, and what that costs.

use super::sides::Point;
use super::{DistanceError, Metric};

/// The ground norm and the order. Distances are of the plane as it is, costs of the plane scaled by a power of two, so that the powers of the
/// distances that matter neither overflow nor vanish.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cost {
    norm: Norm,
    order: f64,
    scale: f64,
    /// The most that it costs to move a point to the diagonal.
    limit: f64,
    /// Half the distance of a point to the diagonal by its length.
    factor: f64,
}

#[derive(Debug, Clone, Copy)]
enum Norm {
    Sum,
    Euclid,
    Most,
    Other(f64),
}

impl Cost {
    /// The costs of a metric, not scaled yet.
    pub(super) fn new(metric: &Metric) -> Result<Self, DistanceError> {
        let (order, q) = match *metric {
            Metric::Bottleneck => (1.0, f64::INFINITY),
            Metric::Wasserstein { order, internal_p } => (order, internal_p),
        };
        if !(order.is_finite() && order >= 1.0) {
            return Err(DistanceError::Order(order));
        }
        let norm = match q {
            1.0 => Norm::Sum,
            2.0 => Norm::Euclid,
            f64::INFINITY => Norm::Most,
            q if q > 1.0 => Norm::Other(q),
            q => return Err(DistanceError::InternalP(q)),
        };
        Ok(Cost { norm, order, scale: 1.0, limit: f64::INFINITY, factor: q.recip().exp2() })
    }

    /// The power of the distances that are added up.
    pub(super) fn order(&self) -> f64 {
        self.order
    }

    /// These costs in a plane that is scaled so that the distance `most` becomes 1 or little less.
    pub(super) fn scaled_to(self, most: f64) -> Self {
        // What is left of subnormal numbers is scaled less.
        let exponent = if most > 0.0 { most.log2().ceil().max(-1000.0) } else { 0.0 };
        Cost { scale: (-exponent).exp2(), ..self }
    }

    /// These costs where a matching is known whose distance is `known`, scaled to that. To move a point to the diagonal costs at most twice as much
    /// as that matching: so much is in no better matching, and none is lost.
    pub(super) fn limited_by(self, known: f64) -> Self {
        let scaled = self.scaled_to(known);
        Cost { limit: 2.0 * scaled.of_distance(known), ..scaled }
    }

    /// The norm of two differences, neither negative.
    #[inline]
    fn length(&self, x: f64, y: f64) -> f64 {
        match self.norm {
            Norm::Sum => x + y,
            Norm::Euclid => (x * x + y * y).sqrt(),
            Norm::Most => x.max(y),
            Norm::Other(q) => {
                let most = x.max(y);
                if most == 0.0 || most == f64::INFINITY {
                    return most;
                }
                most * ((x / most).powf(q) + (y / most).powf(q)).powf(q.recip())
            }
        }
    }

    /// The distance between two points.
    pub(super) fn distance(&self, p: Point, q: Point) -> f64 {
        let (x, y) = ((p[0] - q[0]).abs(), (p[1] - q[1]).abs());
        match self.norm {
            // Squares neither overflow nor vanish.
            Norm::Euclid => x.hypot(y),
            _ => self.length(x, y),
        }
    }

    /// The distance of a point to the diagonal.
    pub(super) fn distance_to_diagonal(&self, p: Point) -> f64 {
        // Each half for itself: the length may overflow.
        (p[1] / 2.0 - p[0] / 2.0).abs() * self.factor
    }

    /// The cost of a distance that is scaled.
    #[inline]
    fn power(&self, distance: f64) -> f64 {
        if self.order == 1.0 {
            distance
        } else if self.order == 2.0 {
            distance * distance
        } else {
            distance.powf(self.order)
        }
    }

    /// The cost of moving one point to another.
    #[inline]
    pub(super) fn of(&self, p: Point, q: Point) -> f64 {
        self.power(self.length((p[0] - q[0]).abs() * self.scale, (p[1] - q[1]).abs() * self.scale))
    }

    /// The cost of moving a point to the diagonal.
    pub(super) fn of_diagonal(&self, p: Point) -> f64 {
        self.of_distance(self.distance_to_diagonal(p)).min(self.limit)
    }

    /// The cost of a distance in the plane as it is.
    pub(super) fn of_distance(&self, distance: f64) -> f64 {
        self.power(distance * self.scale)
    }
}
