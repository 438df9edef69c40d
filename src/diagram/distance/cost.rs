//! Distances of points and the costs of matching them.

use super::{DistanceError, Metric};
use crate::kd_tree::Point;

/// The ground norm and the order. Distances are measured in the original plane, costs in the plane scaled by a power of
/// two, so that the powers of the relevant distances neither overflow nor underflow.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cost {
    norm: Norm,
    order: f64,
    scale: f64,
    /// Upper limit on the cost of matching a point with the diagonal.
    limit: f64,
    /// Ratio of a point's distance to the diagonal to half its length.
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
    /// Costs of a metric, not scaled yet.
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

    /// Exponent of the distances in the sum.
    pub(super) fn order(&self) -> f64 {
        self.order
    }

    /// These costs in a plane scaled so that the distance `most` becomes 1 or slightly less.
    pub(super) fn scaled_to(self, most: f64) -> Self {
        // Subnormal distances are scaled less.
        let exponent = if most > 0.0 { most.log2().ceil().max(-1000.0) } else { 0.0 };
        Cost { scale: (-exponent).exp2(), ..self }
    }

    /// These costs, given a matching whose distance is `known`: scaled to that distance, and with the cost of the
    /// diagonal limited to twice the cost of the matching. No better matching contains a more expensive pair, so none
    /// is lost.
    pub(super) fn limited_by(self, known: f64) -> Self {
        let scaled = self.scaled_to(known);
        Cost { limit: 2.0 * scaled.of_distance(known), ..scaled }
    }

    /// Norm of a vector with nonnegative coordinates.
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

    /// Distance between two points.
    pub(super) fn distance(&self, p: Point, q: Point) -> f64 {
        let (x, y) = ((p[0] - q[0]).abs(), (p[1] - q[1]).abs());
        match self.norm {
            // `hypot` avoids overflow and underflow of the squares.
            Norm::Euclid => x.hypot(y),
            _ => self.length(x, y),
        }
    }

    /// Distance of a point to the diagonal.
    pub(super) fn distance_to_diagonal(&self, p: Point) -> f64 {
        // Halved before the subtraction, since the length may overflow.
        (p[1] / 2.0 - p[0] / 2.0).abs() * self.factor
    }

    /// Cost of a scaled distance.
    #[inline]
    pub(super) fn power(&self, distance: f64) -> f64 {
        if self.order == 1.0 {
            distance
        } else if self.order == 2.0 {
            distance * distance
        } else {
            distance.powf(self.order)
        }
    }

    /// Cost of matching two points.
    #[inline]
    pub(super) fn of(&self, p: Point, q: Point) -> f64 {
        self.power(self.length((p[0] - q[0]).abs() * self.scale, (p[1] - q[1]).abs() * self.scale))
    }

    /// Cost of matching a point with the diagonal.
    pub(super) fn of_diagonal(&self, p: Point) -> f64 {
        self.of_distance(self.distance_to_diagonal(p)).min(self.limit)
    }

    /// Cost of a distance in the original plane.
    pub(super) fn of_distance(&self, distance: f64) -> f64 {
        self.power(distance * self.scale)
    }
}
