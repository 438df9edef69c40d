//! The vector of changes in the Euler characteristic, VCEC (Wang, Wagner, Chen 2022), and the curve that its changes add up to.

use crate::cubical::image::Voxel;
use crate::cubical::value::Value;

/// The vector of changes in the Euler characteristic (VCEC) of a growing complex: a change for each value or bin. Its prefix sums are the
/// Euler characteristic curve (ECC).
///
/// VcecRows are in the order in which cells enter: values ascend; of superlevel sets they descend.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Vcec {
    /// The distinct values of the voxels, or the ends of the bins.
    pub values: Values,
    /// The change at each: the sum of (−1)^dim over the cells that enter there.
    pub changes: Vec<i64>,
}

/// The values of rows, none rounded. Values of two types are equal when they are the same numbers.
#[derive(Debug, Clone)]
pub enum Values {
    /// Values of integers without a sign.
    Unsigned(Vec<u64>),
    /// Values of integers with a sign.
    Signed(Vec<i64>),
    /// Values of floating-point numbers, and the ends of most bins.
    Doubles(Vec<f64>),
}

impl Default for Values {
    fn default() -> Self {
        Values::Doubles(Vec::new())
    }
}

impl From<Vec<f64>> for Values {
    fn from(values: Vec<f64>) -> Self {
        Values::Doubles(values)
    }
}

/// Collects values of one type.
impl FromIterator<Value> for Values {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Self {
        let mut values = values.into_iter().peekable();
        // What is cast is an integer of the type that it is cast to.
        let integers = |value: Value| value.integer().unwrap_or_default();
        match values.peek() {
            Some(Value::Unsigned(_)) => {
                Values::Unsigned(values.map(|value| integers(value) as u64).collect())
            }
            Some(Value::Signed(_)) => Values::Signed(values.map(|value| integers(value) as i64).collect()),
            Some(Value::Double(_)) | None => Values::Doubles(values.map(Value::double).collect()),
        }
    }
}

impl Values {
    /// Those of voxels.
    pub fn of<T: Voxel>(voxels: impl Iterator<Item = T>) -> Self {
        voxels.map(T::into).collect()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Values::Unsigned(values) => values.len(),
            Values::Signed(values) => values.len(),
            Values::Doubles(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a row.
    ///
    /// # Panics
    /// There is no such row.
    pub fn at(&self, row: usize) -> Value {
        match self {
            Values::Unsigned(values) => values[row].into(),
            Values::Signed(values) => values[row].into(),
            Values::Doubles(values) => values[row].into(),
        }
    }

    /// One after another.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Value> + '_ {
        (0..self.len()).map(|row| self.at(row))
    }
}

impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Vcec {
    /// The vector of these changes at these values.
    pub fn new(values: impl Into<Values>, changes: Vec<i64>) -> Self {
        Vcec { values: values.into(), changes }
    }

    /// The Euler characteristic from each value on, ECC: the prefix sums of the changes.
    pub fn euler(&self) -> Vec<i64> {
        self.rows().map(|(_, _, euler)| euler).collect()
    }

    /// VcecRows: value, change, Euler characteristic.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = (Value, i64, i64)> + '_ {
        let mut sum = 0;
        self.values.iter().zip(&self.changes).map(move |(value, &change)| {
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
        let curve = Vcec::new(vec![1.0, 2.0, 3.0], vec![2, -3, 2]);
        assert_eq!(curve.euler(), [2, -1, 1]);
        let expected =
            [(1.0, 2, 2), (2.0, -3, -1), (3.0, 2, 1)].map(|(value, a, b)| (Value::from(value), a, b));
        assert_eq!(curve.rows().collect::<Vec<_>>(), expected);
        assert!(Vcec::default().euler().is_empty());
    }

    #[test]
    fn values_are_numbers_whatever_their_type() {
        let top = [u64::MAX - 1, u64::MAX];
        assert_eq!(Values::of(top.into_iter()).at(1), Value::Unsigned(u64::MAX));
        assert_ne!(Values::of(top.into_iter()), Values::from(top.map(|value| value as f64).to_vec()));
        assert_eq!(Values::of([1_i8, 2].into_iter()), Values::from(vec![1.0, 2.0]));
    }
}
