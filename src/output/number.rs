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

/// Significant digits.
const DIGITS: usize = 6;

impl fmt::Display for General {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let x = self.0;
        if x.is_nan() {
            return f.write_str(if x.is_sign_negative() { "-nan" } else { "nan" });
        }
        if x.is_sign_negative() {
            f.write_str("-")?;
        }
        if x.is_infinite() {
            return f.write_str("inf");
        }
        // Rounded here and only here, correctly and half to even, so that the exponent is that of the rounded number.
        let rounded = format!("{:.*e}", DIGITS - 1, x.abs());
        let (mantissa, exponent) = rounded.split_once('e').unwrap_or((&rounded, "0"));
        let exponent: i32 = exponent.parse().map_err(|_| fmt::Error)?;
        let digits = mantissa.replace('.', "");
        let digits = digits.trim_end_matches('0');
        match usize::try_from(exponent) {
            Ok(exponent) if exponent < DIGITS => positional(f, digits, exponent + 1),
            Err(_) if exponent >= -4 => {
                let places = digits.len() + exponent.unsigned_abs() as usize - 1;
                write!(f, "0.{digits:0>places$}")
            }
            _ => scientific(f, digits, exponent),
        }
    }
}

/// `places` digits before the point, the others, if any, after it.
fn positional(f: &mut fmt::Formatter<'_>, digits: &str, places: usize) -> fmt::Result {
    match digits.split_at_checked(places) {
        Some((whole, "")) => f.write_str(whole),
        Some((whole, fraction)) => write!(f, "{whole}.{fraction}"),
        None => write!(f, "{digits:0<places$}"),
    }
}

/// One digit before the point, an exponent of two digits at least.
fn scientific(f: &mut fmt::Formatter<'_>, digits: &str, exponent: i32) -> fmt::Result {
    let sign = if exponent < 0 { '-' } else { '+' };
    let (whole, fraction) = digits.split_at(1);
    let point = if fraction.is_empty() { "" } else { "." };
    write!(f, "{whole}{point}{fraction}e{sign}{:02}", exponent.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers and what C's `printf("%g")` makes of them.
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
    ];

    #[test]
    fn as_printf_does() {
        for &(x, expected) in PRINTF {
            assert_eq!(General(x).to_string(), expected, "{x:e}");
        }
    }

    #[test]
    fn what_is_no_number() {
        assert_eq!(General(f64::INFINITY).to_string(), "inf");
        assert_eq!(General(f64::NEG_INFINITY).to_string(), "-inf");
        assert_eq!(General(f64::NAN).to_string(), "nan");
    }

    /// Reading the text back and printing it again changes nothing, and no text is longer than `%g` allows.
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
