//! The vector of changes in the Euler characteristic, VCEC (Wang, Wagner, Chen 2022), and its prefix sums, the curve.

use serde::{Deserialize, Serialize};

use crate::cubical::value::Value;

/// The vector of changes in the Euler characteristic (VCEC) of a filtered complex: a change for each value or bin. Its
/// prefix sums are the Euler characteristic curve (ECC).
///
/// Rows are in filtration order: values ascend, or descend for superlevel sets.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Vcec {
    /// The distinct values of the voxels, or the ends of the bins.
    pub values: Values,
    /// The change at each value: the sum of (−1)^dim over the cells that enter there.
    pub changes: Vec<i64>,
}

/// Exact values of rows. Two `Values` are equal if they are the same numbers, whatever their types.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Values {
    /// Unsigned integers.
    Unsigned(Vec<u64>),
    /// Signed integers.
    Signed(Vec<i64>),
    /// Floating-point numbers, also for the ends of most bins.
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

/// Collects values, which must all have the type of the first.
impl FromIterator<Value> for Values {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Self {
        let mut values = values.into_iter().peekable();
        // An integer value always fits the type it is cast to, as all values have one type.
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
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Values::Unsigned(values) => values.len(),
            Values::Signed(values) => values.len(),
            Values::Doubles(values) => values.len(),
        }
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of row `row`.
    ///
    /// # Panics
    /// Panics if there is no such row.
    pub fn at(&self, row: usize) -> Value {
        match self {
            Values::Unsigned(values) => values[row].into(),
            Values::Signed(values) => values[row].into(),
            Values::Doubles(values) => values[row].into(),
        }
    }

    /// Iterates over the values.
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
    /// A vector of these changes at these values.
    pub fn new(values: impl Into<Values>, changes: Vec<i64>) -> Self {
        Vcec { values: values.into(), changes }
    }

    /// The Euler characteristic at each value: the prefix sums of the changes.
    pub fn euler(&self) -> Vec<i64> {
        self.rows().map(|(_, _, euler)| euler).collect()
    }

    /// Iterates over the rows: value, change, Euler characteristic.
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
        let (top, signed) = ([u64::MAX - 1, u64::MAX], [1_i8, 2]);
        let values: Values = top.into_iter().map(Value::from).collect();
        assert_eq!(values.at(1), Value::Unsigned(u64::MAX));
        assert_ne!(values, Values::from(top.map(|value| value as f64).to_vec()));
        assert_eq!(signed.into_iter().map(Value::from).collect::<Values>(), Values::from(vec![1.0, 2.0]));
    }
}
