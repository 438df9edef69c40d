//! Ticks of an axis and their labels: multiples of 1, 2 or 5 times a power of ten.

/// Powers of ten that are written out in full.
const WRITTEN_OUT: std::ops::RangeInclusive<i32> = -3..=5;

/// The ticks of an axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Ticks {
    /// Values in ascending order.
    pub(super) values: Vec<f64>,
    /// Labels of the values.
    pub(super) labels: Vec<String>,
    /// Power of ten by which all labels are to be multiplied; 0 for none.
    pub(super) exponent: i32,
}

impl Ticks {
    /// About `wanted` ticks from `low` to `high`, which are finite and differ; only at whole numbers if `whole`.
    pub(super) fn new(low: f64, high: f64, wanted: usize, whole: bool) -> Ticks {
        // Half the values cannot overflow.
        let span = high / 2.0 - low / 2.0;
        let step = nice((span / wanted.max(1) as f64 * 2.0).min(f64::MAX));
        let step = if whole { step.max(1.0) } else { step };
        let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
        if !step.is_finite() || step <= 0.0 || !first.is_finite() || !last.is_finite() || last - first > 1e3 {
            return Ticks::default();
        }
        let values: Vec<f64> = (0..=(last - first) as usize).map(|k| (first + k as f64) * step).collect();
        let most = values.iter().fold(0f64, |most, value| most.max(value.abs()));
        let power = if most > 0.0 { exponent_of(most) } else { 0 };
        let exponent = if WRITTEN_OUT.contains(&power) { 0 } else { power };
        let digits = (exponent - exponent_of(step)).max(0) as usize;
        let label = |&value: &f64| {
            let text = format!("{:.digits$}", scaled(value, -exponent));
            // A minus sign has the width of the digits; a hyphen does not. Zero has no sign.
            if text.trim_start_matches(['-', '0', '.']).is_empty() {
                return text.trim_start_matches('-').to_owned();
            }
            text.replace('-', "−")
        };
        let labels = values.iter().map(label).collect();
        Ticks { values, labels, exponent }
    }

    /// Title of an axis with these ticks.
    pub(super) fn title(&self, title: &str) -> String {
        if self.exponent == 0 {
            title.to_owned()
        } else {
            format!("{title} (×{})", power_of_ten(self.exponent))
        }
    }
}

/// Smallest of 1, 2 and 5 times a power of ten that is at least `step`.
fn nice(step: f64) -> f64 {
    let power = exponent_of(step);
    let unit = scaled(1.0, power);
    let of_units = step / unit;
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| of_units <= factor * (1.0 + 1e-9));
    factor.unwrap_or(10.0) * unit
}

/// Exponent of the leading digit.
fn exponent_of(x: f64) -> i32 {
    let power = x.abs().log10().floor() as i32;
    // The logarithm is rounded.
    if scaled(1.0, power + 1) <= x.abs() * (1.0 + 1e-12) { power + 1 } else { power }
}

/// x · 10^power, without intermediate overflow.
fn scaled(x: f64, power: i32) -> f64 {
    let half = power / 2;
    let times = |x: f64, power: i32| if power < 0 { x / 10f64.powi(-power) } else { x * 10f64.powi(power) };
    times(times(x, half), power - half)
}

/// The power of ten with a raised exponent, as `10⁻³⁰`.
pub(super) fn power_of_ten(power: i32) -> String {
    let raised = |digit: char| match digit {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '0' => '⁰',
        digit => char::from_u32('⁴' as u32 + digit as u32 - '4' as u32).unwrap_or(digit),
    };
    format!("10{}", power.to_string().chars().map(raised).collect::<String>())
}

/// The number in subscript digits, as `₁₂`.
pub(super) fn lowered(number: impl ToString) -> String {
    let lower = |digit: char| char::from_u32('₀' as u32 + digit as u32 - '0' as u32).unwrap_or(digit);
    number.to_string().chars().map(lower).collect()
}

/// A count with its digits in groups of three.
pub(super) fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push('\u{a0}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64) -> (Vec<String>, i32) {
        let ticks = Ticks::new(low, high, 5, false);
        (ticks.labels, ticks.exponent)
    }

    #[test]
    fn ticks_are_at_round_numbers() {
        assert_eq!(labels(0.0, 1.0).0, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(-0.31, 0.29).0, ["−0.2", "0.0", "0.2"]);
        assert_eq!(labels(0.0, 260.0).0, ["0", "100", "200"]);
        assert_eq!(labels(1_000_000.0, 1_000_000.01).0[0], "1.000000000");
        assert_eq!(labels(0.0, 5e-30), (["0", "1", "2", "3", "4", "5"].map(String::from).to_vec(), -30));
        assert_eq!(
            labels(-1e30, 1e30),
            (["−1.0", "−0.5", "0.0", "0.5", "1.0"].map(String::from).to_vec(), 30)
        );
        assert_eq!(Ticks::new(0.0, 2.0, 5, true).labels, ["0", "1", "2"]);
    }

    #[test]
    fn any_range_of_doubles_has_ticks() {
        for (low, high) in
            [(-f64::MAX, f64::MAX), (0.0, 5e-324), (0.0, 1e-310), (1.0, 1.0 + 1e-12), (-1e300, 1e-300)]
        {
            for wanted in [0, 1, 6] {
                let ticks = Ticks::new(low, high, wanted, false);
                assert!(ticks.values.len() <= 14, "{low} to {high}: {ticks:?}");
                assert!(ticks.values.iter().all(|value| value.is_finite()));
            }
        }
        assert_eq!(power_of_ten(-304), "10⁻³⁰⁴");
        assert_eq!((grouped(1), grouped(1_234_567).as_str()), ("1".into(), "1\u{a0}234\u{a0}567"));
    }
}
