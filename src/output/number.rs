//! Numbers as C++ streams print them by default: `printf`'s `%g`, six significant digits.

use std::fmt;

/// Displays its number as `%g` does.
///
/// ```
/// use lacuna::output::number::General;
///
/// assert_eq!(General(0.1 + 0.2).to_string(), "0.3");
/// assert_eq!(General(999_999.5).to_string(), "1e+06");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct General(
    /// The number.
    pub f64,
);

/// Displays its number, finite and not negative, with the fewest digits that read back as the same double, in the
/// style of [`General`].
///
/// ```
/// use lacuna::output::number::Shortest;
///
/// assert_eq!(Shortest(0.1 + 0.2).to_string(), "0.30000000000000004");
/// assert_eq!(Shortest(1e22).to_string(), "1e+22");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shortest(
    /// The number.
    pub f64,
);

/// Number of digits before the point from which [`Shortest`] uses an exponent for greater numbers: doubles have up to
/// 17.
const LONGEST: usize = 17;

impl fmt::Display for Shortest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:e}", self.0);
        let Some((mantissa, exponent)) = text.split_once('e') else { return f.write_str(&text) };
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        laid_out(f, &digits, exponent, LONGEST)
    }
}

/// Number of significant digits.
const DIGITS: usize = 6;

impl fmt::Display for General {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}

impl General {
    /// Writes the number.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write(self, out: &mut impl fmt::Write) -> fmt::Result {
        let x = self.0;
        if x.is_nan() {
            return out.write_str(if x.is_sign_negative() { "-nan" } else { "nan" });
        }
        if x.is_sign_negative() {
            out.write_str("-")?;
        }
        if x.is_infinite() {
            return out.write_str("inf");
        }
        let rounded = Rounded::of(x.abs());
        let mut buffer = itoa::Buffer::new();
        let digits = buffer.format(rounded.digits);
        let zeros = digits.bytes().skip(1).rev().take_while(|&digit| digit == b'0').count();
        let digits = &digits[..digits.len() - zeros];
        laid_out(out, digits, rounded.exponent, DIGITS)
    }
}

/// A number rounded to the significant digits, correctly and half to even. Rounding happens only here, so that the
/// exponent is that of the rounded number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rounded {
    /// The significant digits as an integer, without leading zeros unless it is 0.
    digits: u32,
    /// The power of ten of the first digit.
    exponent: i32,
}

impl Rounded {
    /// Rounds a finite number that is not negative.
    fn of(x: f64) -> Self {
        Rounded::from_scaled(x).unwrap_or_else(|| Rounded::from_exact(x))
    }

    /// Rounds quickly, by one multiplication or division; returns `None` if that does not decide the rounding.
    ///
    /// The number is scaled by an exact power of ten such that six digits are before the point; the result is off by
    /// less than 1e-9. So the rounding is certain unless the fraction is that close to a half. The exponent may be
    /// wrong only if the scaled number is that close to 10⁵ or 10⁶, and then it rounds to that power.
    fn from_scaled(x: f64) -> Option<Self> {
        /// A bound above 10⁶ · 2⁻⁵³, the error of the scaled number.
        const SLACK: f64 = 1e-9;
        /// The powers of ten that are exact as doubles.
        const POWERS: [f64; 23] = [
            1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
            1e18, 1e19, 1e20, 1e21, 1e22,
        ];
        /// The least exponent that is handled.
        const LEAST: i32 = -16;
        if x == 0.0 {
            return Some(Rounded { digits: 0, exponent: 0 });
        }
        let (above, least) = if x < 1.0 { (x * POWERS[-LEAST as usize], LEAST) } else { (x, 0) };
        if !(POWERS[0]..POWERS[POWERS.len() - 1]).contains(&above) {
            return None;
        }
        let exponent = least + POWERS.partition_point(|&power| power <= above) as i32 - 1;
        let shift = DIGITS as i32 - 1 - exponent;
        let power = POWERS[shift.unsigned_abs() as usize];
        let scaled = if shift < 0 { x / power } else { x * power };
        let whole = scaled as u32;
        let rest = scaled - f64::from(whole);
        if (rest - 0.5).abs() < SLACK {
            return None;
        }
        let digits = whole + u32::from(rest > 0.5);
        let is_carried = digits == 10_u32.pow(DIGITS as u32);
        Some(Rounded {
            digits: if is_carried { digits / 10 } else { digits },
            exponent: exponent + i32::from(is_carried),
        })
    }

    /// Rounds by all digits of `x`.
    fn from_exact(x: f64) -> Self {
        let text = format!("{:.*e}", DIGITS - 1, x);
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let digits = mantissa.bytes().filter(u8::is_ascii_digit);
        Rounded {
            digits: digits.fold(0, |digits, byte| 10 * digits + u32::from(byte - b'0')),
            exponent: exponent.parse().unwrap_or(0),
        }
    }
}

/// Writes digits of which the first stands for a power of ten, with an exponent if that is below -4, or if there are more
/// than `longest` digits before the point.
fn laid_out(out: &mut impl fmt::Write, digits: &str, exponent: i32, longest: usize) -> fmt::Result {
    match usize::try_from(exponent) {
        Ok(exponent) if exponent < longest => positional(out, digits, exponent + 1),
        Err(_) if exponent >= -4 => {
            out.write_str(&"0.000"[..1 + exponent.unsigned_abs() as usize])?;
            out.write_str(digits)
        }
        _ => scientific(out, digits, exponent),
    }
}

/// Writes `places` digits before the point and the others, if any, after it.
fn positional(out: &mut impl fmt::Write, digits: &str, places: usize) -> fmt::Result {
    match digits.split_at_checked(places) {
        Some((whole, "")) => out.write_str(whole),
        Some((whole, fraction)) => [whole, ".", fraction].iter().try_for_each(|part| out.write_str(part)),
        None => write!(out, "{digits:0<places$}"),
    }
}

/// Writes one digit before the point, and an exponent of at least two digits.
fn scientific(out: &mut impl fmt::Write, digits: &str, exponent: i32) -> fmt::Result {
    let sign = if exponent < 0 { '-' } else { '+' };
    let (whole, fraction) = digits.split_at(1);
    let point = if fraction.is_empty() { "" } else { "." };
    write!(out, "{whole}{point}{fraction}e{sign}{:02}", exponent.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers and their output of C's `printf("%g")`.
    const PRINTF: &[(f64, &str)] = &[
        (0.0, "0"),
        (-0.0, "-0"),
        (1.0, "1"),
        (-1.0, "-1"),
        (10.0, "10"),
        (100.0, "100"),
        (12345.0, "12345"),
        (123456.0, "123456"),
        (999999.0, "999999"),
        (100000.0, "100000"),
        (1000000.0, "1e+06"),
        (1234567.0, "1.23457e+06"),
        (999999.4, "999999"),
        (999999.5, "1e+06"),
        (999999.6, "1e+06"),
        (1234565.0, "1.23456e+06"),
        (1234575.0, "1.23458e+06"),
        (123456.5, "123456"),
        (123457.5, "123458"),
        (0.5, "0.5"),
        (0.25, "0.25"),
        (0.1, "0.1"),
        (0.3, "0.3"),
        (0.30000001192092896, "0.3"),
        (0.10000000149011612, "0.1"),
        (1.5, "1.5"),
        (2.828427, "2.82843"),
        (2.8284270763397217, "2.82843"),
        (3.7182818, "3.71828"),
        (0.001, "0.001"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (0.000123456, "0.000123456"),
        (0.0001234565, "0.000123457"),
        (0.00012345649, "0.000123456"),
        (0.00009999995, "0.0001"),
        (0.000099999949, "9.99999e-05"),
        (0.00001234, "1.234e-05"),
        (1e-5, "1e-05"),
        (9.9999995, "10"),
        (9.99999949, "10"),
        (9.9999994, "10"),
        (99.99995, "99.9999"),
        (99.99994, "99.9999"),
        (5e-324, "4.94066e-324"),
        (2.2250738585072014e-308, "2.22507e-308"),
        (1.1754943508222875e-38, "1.17549e-38"),
        (1.401298464324817e-45, "1.4013e-45"),
        (3.4028234663852886e38, "3.40282e+38"),
        (1.7976931348623157e308, "1.79769e+308"),
        (1e10, "1e+10"),
        (1e21, "1e+21"),
        (1e22, "1e+22"),
        (1e100, "1e+100"),
        (1e-100, "1e-100"),
        (4294967296.0, "4.29497e+09"),
        (16777216.0, "1.67772e+07"),
        (16777217.0, "1.67772e+07"),
        (0.000030517578125, "3.05176e-05"),
        (65536.0, "65536"),
        (65535.5, "65535.5"),
        (131071.5, "131072"),
        (1048575.5, "1.04858e+06"),
        (2.5, "2.5"),
        (100.5, "100.5"),
        (10000.05, "10000"),
        (33333.35, "33333.3"),
        (1e15, "1e+15"),
        (123456789.0, "1.23457e+08"),
        (f64::INFINITY, "inf"),
        (f64::NEG_INFINITY, "-inf"),
        (f64::NAN, "nan"),
    ];

    #[test]
    fn as_printf_does() {
        for &(x, expected) in PRINTF {
            assert_eq!(General(x).to_string(), expected, "{x:e}");
        }
    }

    #[test]
    fn the_fewest_digits_that_read_back() {
        let numbers = [0.0, 1.0, 1.000000001, 0.00012345678, 1e-5, 123456790.0, 1e16, 1e17, 1.5e300, 5e-324];
        let texts = numbers.map(|x| Shortest(x).to_string());
        let expected = [
            "0",
            "1",
            "1.000000001",
            "0.00012345678",
            "1e-05",
            "123456790",
            "10000000000000000",
            "1e+17",
            "1.5e+300",
            "5e-324",
        ];
        assert_eq!(texts, expected);
        assert!(numbers.iter().zip(&texts).all(|(x, text)| text.parse() == Ok(*x)));
    }

    /// Numbers of six digits, of seven digits whose last is near a half, and of all lengths.
    #[test]
    fn scaling_tells_what_all_digits_do() {
        let mut random = 1_u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            random >> 11
        };
        let mut told = 0;
        let mut check = |x: f64| {
            for x in [x, x.next_up(), x.next_down().abs()].into_iter().filter(|x| x.is_finite()) {
                if let Some(rounded) = Rounded::from_scaled(x) {
                    assert_eq!(rounded, Rounded::from_exact(x), "{x:e}");
                    told += 1;
                }
            }
        };
        for round in 0..100_000 {
            let exponent = (next() % 50) as i32 - 28;
            check(match round % 5 {
                0 => f64::from_bits(next() << 11 >> 1),
                1 => format!("{}e{exponent}", next() % 10_000_000).parse().unwrap(),
                2 => format!("{}5e{exponent}", 100_000 + next() % 900_000).parse().unwrap(),
                3 => (next() % 100_000_000) as f64 / 64.0,
                _ => (next() % 100_000) as f64 * 1e-17,
            });
        }
        for exponent in -30..30 {
            check(format!("1e{exponent}").parse().unwrap());
            check(format!("9.999995e{exponent}").parse().unwrap());
        }
        assert!(told > 150_000, "{told}");
    }

    /// Printing the parsed text again changes nothing, and no text is longer than `%g` allows.
    #[test]
    fn printing_is_idempotent_over_all_exponents() {
        for exponent in -323..=308 {
            for mantissa in ["1", "9.999995", "9.9999949", "1.234565", "7.00004"] {
                let x: f64 = format!("{mantissa}e{exponent}").parse().unwrap();
                let text = General(x).to_string();
                let back: f64 = text.parse().unwrap();
                assert_eq!(General(back).to_string(), text);
                assert!(text.len() <= 12, "{text}");
                assert!(back.is_infinite() || (back - x).abs() <= x * 5.000_001e-6, "{x:e} became {text}");
            }
        }
    }
}
