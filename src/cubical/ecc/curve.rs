//! The curve: a change for each value, and what the changes add up to.

/// The Euler characteristic of a growing complex, as the changes that it makes at ascending values.
///
/// Rows are in the order in which cells enter: values ascend; of superlevel sets they descend.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Curve {
    /// The distinct values of the voxels, or the ends of the bins.
    pub values: Vec<f64>,
    /// The change at each: the sum of (−1)^dim over the cells that enter there. The vector of changes, VCEC.
    pub changes: Vec<i64>,
}

impl Curve {
    /// The Euler characteristic from each value on, ECC: the prefix sums of the changes.
    pub fn euler(&self) -> Vec<i64> {
        let sums = self.changes.iter().scan(0, |sum, change| {
            *sum += change;
            Some(*sum)
        });
        sums.collect()
    }

    /// Rows: value, change, Euler characteristic.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = (f64, i64, i64)> + '_ {
        let mut sum = 0;
        self.values.iter().zip(&self.changes).map(move |(&value, &change)| {
            sum += change;
            (value, change, sum)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn euler_characteristics_are_prefix_sums() {
        let curve = Curve { values: vec![1.0, 2.0, 3.0], changes: vec![2, -3, 2] };
        assert_eq!(curve.euler(), [2, -1, 1]);
        assert_eq!(curve.rows().collect::<Vec<_>>(), [(1.0, 2, 2), (2.0, -3, -1), (3.0, 2, 1)]);
        assert!(Curve::default().euler().is_empty());
    }
}
