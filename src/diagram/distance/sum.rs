//! Sums without the rounding of their steps (Neumaier 1974).

/// The sum of numbers, as precise as if twice the digits were kept.
pub(super) fn sum(numbers: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0_f64);
    for number in numbers {
        let next = sum + number;
        lost += if sum.abs() >= number.abs() { (sum - next) + number } else { (number - next) + sum };
        sum = next;
    }
    // Beside an infinite sum, what was lost is NaN.
    if sum.is_finite() { sum + lost } else { sum }
}
