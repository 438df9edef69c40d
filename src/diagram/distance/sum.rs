//! Compensated sums (Neumaier 1974), and roots of sums of powers.

/// Sum of numbers, as precise as with twice the digits.
pub(super) fn sum(numbers: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0_f64);
    for number in numbers {
        let next = sum + number;
        lost += if sum.abs() >= number.abs() { (sum - next) + number } else { (number - next) + sum };
        sum = next;
    }
    // If the sum is infinite, the compensation is NaN.
    if sum.is_finite() { sum + lost } else { sum }
}

/// Root of the sum of the powers of distances, each with a multiplicity.
pub(super) fn root_of_powers(distances: impl Iterator<Item = (f64, u32)> + Clone, order: f64) -> f64 {
    let times = |(distance, units): (f64, u32)| distance * f64::from(units);
    if order == 1.0 {
        return sum(distances.map(times));
    }
    let most = distances.clone().map(|(distance, _)| distance).fold(0.0, f64::max);
    if most == 0.0 || most == f64::INFINITY {
        return most;
    }
    let power = |distance: f64| if order == 2.0 { distance * distance } else { distance.powf(order) };
    let powers = sum(distances.map(|(distance, units)| times((power(distance / most), units))));
    most * if order == 2.0 { powers.sqrt() } else { powers.powf(order.recip()) }
}
