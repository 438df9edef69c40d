//! Parsers of option values. Each error says what was expected and what was found.

use std::ffi::OsStr;
use std::fmt::Display;
use std::iter;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::builder::{
    PathBufValueParser, PossibleValue, PossibleValuesParser, Resettable, StringValueParser, TypedValueParser,
};
use clap::{Arg, Command, ValueEnum};
use lacuna::cubical::Value;
use lacuna::cubical::ecc::bins::MOST_BINS;
use lacuna::cubical::value::Threshold;
use lacuna::internals::prime_modulus;

/// Largest number of threads that can be requested, the limit of a Rayon pool.
const MAX_THREADS: usize = 65_535;

/// Parses a number for which `holds` is true; `expected` says of which numbers that is.
fn number<T: FromStr>(found: &str, expected: impl Display, holds: impl Fn(&T) -> bool) -> Result<T, String> {
    found.parse().ok().filter(holds).ok_or_else(|| format!("expected {expected}, found {found}"))
}

/// Parses a diameter ≥ 0; infinity selects the whole filtration.
pub(crate) fn threshold(found: &str) -> Result<f64, String> {
    number(found, "a non-negative number or inf", |&t| t >= 0.0)
}

/// Parses the least persistence of bars, exact to all its digits.
pub(crate) fn least_persistence(found: &str) -> Result<Value, String> {
    let least = found.parse::<Threshold>().map(|least| least.side(true));
    let expected = || format!("expected a non-negative number or inf, found {found}");
    least.ok().filter(|&least| least >= Value::Unsigned(0)).ok_or_else(expected)
}

/// Parses the exponent of a mean, a finite number > 0.
pub(crate) fn exponent(found: &str) -> Result<f64, String> {
    number(found, "a finite number above 0", |&r: &f64| r > 0.0 && r.is_finite())
}

/// Parses a whole number ≥ 1.
pub(crate) fn at_least_one(found: &str) -> Result<usize, String> {
    number(found, "a whole number, 1 or more", |&count| count > 0)
}

/// Parses the exponent of a weight, a finite number ≥ 0.
pub(crate) fn power(found: &str) -> Result<f64, String> {
    number(found, "a finite number, 0 or more", |&p: &f64| p >= 0.0 && p.is_finite())
}

/// Parses the length of a vector.
pub(crate) fn length(found: &str) -> Result<usize, String> {
    const MOST: usize = 100_000;
    number(found, format_args!("a whole number from 1 to {MOST}"), |length| (1..=MOST).contains(length))
}

/// Parses a ratio of death to birth ≥ 1, compared in the precision of the distances. No bar has a ratio below 1.
pub(crate) fn ratio(found: &str) -> Result<f64, String> {
    number(found, "a finite number, 1 or more", |&r: &f64| r >= 1.0 && r.is_finite())
}

/// Parses a voxel value, any number but NaN.
pub(crate) fn level(found: &str) -> Result<f64, String> {
    number(found, "a number", |x: &f64| !x.is_nan())
}

/// Parses the replacement for NaN voxels: a number, or `lowest` or `highest` for −∞ or +∞.
pub(crate) fn in_place_of_nan(found: &str) -> Result<f64, String> {
    match found {
        "lowest" => Ok(f64::NEG_INFINITY),
        "highest" => Ok(f64::INFINITY),
        found => level(found).map_err(|_| format!("expected a number, lowest or highest, found {found}")),
    }
}

/// Parses a value to compare voxels with, exact to all its digits.
pub(crate) fn exact_level(found: &str) -> Result<Threshold, String> {
    found.parse::<Threshold>().map_err(|error| error.to_string())
}

/// Parses a number of bins.
pub(crate) fn bins(found: &str) -> Result<usize, String> {
    number(found, format_args!("a number of bins from 1 to {MOST_BINS}"), |bins| {
        (1..=MOST_BINS).contains(bins)
    })
}

/// Parses two finite numbers separated by a comma, the lower first.
pub(crate) fn bounds(found: &str) -> Result<(Value, Value), String> {
    let pair = found.split_once(',').and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    let bounds =
        pair.filter(|&(low, high): &(Value, Value)| low <= high && low.is_finite() && high.is_finite());
    let expected = || format!("expected two finite numbers, the lower first, such as 0,255, found {found}");
    bounds.ok_or_else(expected)
}

/// Parses one number of points, or two as in `20x30`.
pub(crate) fn grid_size(found: &str) -> Result<(usize, Option<usize>), String> {
    let count = |text: &str| text.parse().ok().filter(|count| (1..=10_000).contains(count));
    let size = match found.split_once(['x', '×']) {
        None => count(found).map(|across| (across, None)),
        Some((across, up)) => count(across).zip(count(up).map(Some)),
    };
    size.ok_or_else(|| format!("expected a number from 1 to 10000, or two such as 20x30, found {found}"))
}

/// Parses the range of a grid along its first axis and, if given, its second, as in `0,1` or `0,1,0,0.5`.
pub(crate) fn grid_range(found: &str) -> Result<[Option<(f64, f64)>; 2], String> {
    let numbers: Result<Vec<f64>, _> = found.split(',').map(str::parse).collect();
    let ascends = |pair: &[f64]| pair[0] <= pair[1] && pair.iter().all(|x| x.is_finite());
    let range = match numbers.as_deref() {
        Ok(&[low, high]) if ascends(&[low, high]) => Some([Some((low, high)), None]),
        Ok(&[low, high, least, most]) if ascends(&[low, high]) && ascends(&[least, most]) => {
            Some([Some((low, high)), Some((least, most))])
        }
        _ => None,
    };
    let expected =
        || format!("expected two finite numbers, the lower first, or four, such as 0,1,0,0.5, found {found}");
    range.ok_or_else(expected)
}

/// Parses a width and a height in pixels, as in `640x480`.
pub(crate) fn size(found: &str) -> Result<(u32, u32), String> {
    let pair = found
        .split_once(['x', '×'])
        .and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    pair.ok_or_else(|| format!("expected a width and a height such as 640x480, found {found}"))
}

/// Parses a whole number ≥ 0, such as a dimension, where more than the highest possible one is allowed.
pub(crate) fn count(found: &str) -> Result<usize, String> {
    number(found, "a whole number, 0 or more", |_| true)
}

/// Parses the dimension of a bar.
pub(crate) fn dimension_of_bars(found: &str) -> Result<u32, String> {
    number(found, format_args!("a whole number from 0 to {}", u32::MAX), |_| true)
}

/// Parses a number of text lines.
pub(crate) fn lines(found: &str) -> Result<usize, String> {
    number(found, "a number of lines, 0 or more", |_| true)
}

/// Parses a bar as `DIM:INDEX`: its dimension and its 0-based index within that dimension.
pub(crate) fn bar(found: &str) -> Result<(usize, usize), String> {
    let pair = found.split_once(':');
    let bar = pair.and_then(|(dim, index)| Some((dim.parse().ok()?, index.parse().ok()?)));
    bar.ok_or_else(|| format!("expected a dimension and a place from 0 on, such as 1:0, found {found}"))
}

/// Parses a 0-based cell number.
pub(crate) fn cell(found: &str) -> Result<usize, String> {
    number(found, "the number of a cell, 0 or more", |_| true)
}

pub(crate) fn modulus(found: &str) -> Result<u16, String> {
    let prime = found.parse().ok().and_then(|p| prime_modulus(p).ok());
    prime.ok_or_else(|| format!("expected a prime below 65536, found {found}"))
}

pub(crate) fn threads(found: &str) -> Result<usize, String> {
    number(found, format_args!("a number of threads from 1 to {MAX_THREADS}"), |n| {
        (1..=MAX_THREADS).contains(n)
    })
}

pub(crate) fn device(found: &str) -> Result<usize, String> {
    number(found, "the number of a device, 0 or more", |&device| device < 1024)
}

/// Parses a number of bytes; the suffixes K, M and G multiply by powers of 1024.
pub(crate) fn bytes(found: &str) -> Result<u64, String> {
    let unit = ['K', 'M', 'G'].iter().position(|&unit| found.ends_with(unit));
    let digits = unit.map_or(found, |_| &found[..found.len() - 1]);
    let shift = unit.map_or(0, |unit| 10 * (unit as u32 + 1));
    let number = digits.parse::<u64>().ok().filter(|&number| number > 0);
    let bytes = number.and_then(|number| number.checked_mul(1 << shift));
    bytes.ok_or_else(|| format!("expected a number of bytes such as 256M, found {found}"))
}

/// Parses a positive duration, such as `90s` or `2h 30m`.
pub(crate) fn time(found: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(found).ok().filter(|time| !time.is_zero());
    time.ok_or_else(|| format!("expected a time such as 90s, 15min or 2h 30m, found {found}"))
}

/// Parses a duration as [`time`] does, or zero, as in `0s`.
pub(crate) fn time_or_none(found: &str) -> Result<Duration, String> {
    humantime::parse_duration(found)
        .map_err(|_| format!("expected a time such as 90s, 15min or 0s, found {found}"))
}

/// Parses a number of bytes as [`bytes`] does, or `auto`.
pub(crate) fn bytes_or_auto() -> impl TypedValueParser<Value = OrAuto<u64>> {
    StringValueParser::new().try_map(|found| match &*found {
        AUTO => Ok(OrAuto(None)),
        found => bytes(found).map(|bytes| OrAuto(Some(bytes))),
    })
}

/// Parses the path of a file; rejects `-`, since standard output holds the bars.
pub(crate) fn file() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.to_str() {
        Some("-") => Err("expected the path of a file, found -, which is standard output"),
        _ => Ok(path),
    })
}

/// Parses `on` or `off`.
pub(crate) fn on_or_off() -> impl TypedValueParser<Value = bool> {
    Names(["on", "off"].map(PossibleValue::new).to_vec()).map(|name| name == "on")
}

/// Parses the name of a choice.
pub(crate) fn one_of<T: ValueEnum + Send + Sync + 'static>() -> impl TypedValueParser<Value = T> {
    Names(names::<T>().collect()).try_map(|name| T::from_str(&name, false))
}

/// Parses the name of a choice, or `auto`.
pub(crate) fn auto_or_one_of<T: ValueEnum + Send + Sync + 'static>()
-> impl TypedValueParser<Value = OrAuto<T>> {
    let auto = iter::once(PossibleValue::new(AUTO));
    Names(auto.chain(names::<T>()).collect()).try_map(|name| match &*name {
        AUTO => Ok(OrAuto(None)),
        name => T::from_str(name, false).map(|choice| OrAuto(Some(choice))),
    })
}

const AUTO: &str = "auto";

/// `auto`, which is `None`, or a choice.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OrAuto<T>(pub(crate) Option<T>);

/// The names of all choices. They carry no help of their own, since the help of the option explains them.
fn names<T: ValueEnum + 'static>() -> impl Iterator<Item = PossibleValue> {
    let named = T::value_variants().iter().filter_map(T::to_possible_value);
    named.map(|name| name.help(Resettable::Reset))
}

/// Parses the number of voxels along each axis, separated by commas.
pub(crate) fn extents(found: &str) -> Result<Box<[usize]>, String> {
    let extents: Result<Vec<usize>, _> = found.split(',').map(str::parse).collect();
    let extents = extents.ok().filter(|extents| extents.len() <= 4 && !extents.contains(&0));
    let expected = || format!("expected one to four numbers from 1 on, such as 512,512,40, found {found}");
    extents.map(Vec::into_boxed_slice).ok_or_else(expected)
}

/// The frames of an image that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Frames {
    /// The one with this number.
    One(usize),
    /// All of them, as an image of four axes.
    All,
}

/// Parses the number of a frame, or all.
pub(crate) fn frames(found: &str) -> Result<Frames, String> {
    if found == "all" {
        return Ok(Frames::All);
    }
    number(found, "a whole number, 0 or more, or all", |_| true).map(Frames::One)
}

/// Parses the distance of voxels along each axis, separated by commas.
pub(crate) fn spacing(found: &str) -> Result<Box<[f64]>, String> {
    let spacing: Result<Vec<f64>, _> = found.split(',').map(str::parse).collect();
    let spacing = spacing.ok().filter(|all| all.iter().all(|&one| one > 0.0 && one.is_finite()));
    let expected = || format!("expected finite numbers greater than 0, such as 0.5,0.5,2, found {found}");
    spacing.map(Vec::into_boxed_slice).ok_or_else(expected)
}

/// Parser that accepts one of some names, ignoring case.
#[derive(Clone)]
struct Names(Vec<PossibleValue>);

impl TypedValueParser for Names {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, found: &OsStr) -> Result<String, clap::Error> {
        PossibleValuesParser::new(self.0.clone()).parse_ref(command, arg, &found.to_ascii_lowercase())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().cloned()))
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Display;

    use lacuna::{cubical, matrix, output};

    use super::*;

    #[test]
    fn thresholds() {
        assert_eq!(threshold("0.5"), Ok(0.5));
        assert_eq!(threshold("inf"), Ok(f64::INFINITY));
        assert_eq!(threshold("0"), Ok(0.0));
        for bad in ["-1", "-inf", "nan", "NaN", "", "1,5", "abc", "1 "] {
            let error = threshold(bad).unwrap_err();
            assert_eq!(error, format!("expected a non-negative number or inf, found {bad}"));
            assert_eq!(least_persistence(bad), Err(error));
        }
        assert_eq!(least_persistence("9007199254740992.5"), Ok(Value::Unsigned((1 << 53) + 1)));
        assert_eq!(least_persistence("1e300"), Ok(Value::Double(1e300)));
    }

    #[test]
    fn levels() {
        assert_eq!((level("-0.5"), level("1e3")), (Ok(-0.5), Ok(1000.0)));
        assert_eq!(level("-inf"), Ok(f64::NEG_INFINITY));
        for bad in ["nan", "", "1,5", "x"] {
            assert_eq!(level(bad), Err(format!("expected a number, found {bad}")));
            let error = in_place_of_nan(bad).unwrap_err();
            assert_eq!(error, format!("expected a number, lowest or highest, found {bad}"));
        }
        let least = f64::NEG_INFINITY;
        assert_eq!(["lowest", "highest", "-2.5"].map(in_place_of_nan), [Ok(least), Ok(-least), Ok(-2.5)]);
    }

    #[test]
    fn bins_and_their_bounds() {
        assert_eq!((bins("1"), bins("16777216")), (Ok(1), Ok(1 << 24)));
        assert_eq!(
            (bounds("-1,2.5"), bounds("3,3")),
            (Ok(((-1).into(), 2.5.into())), Ok((3.into(), 3.into())))
        );
        assert_eq!(bounds("-1e308,1e308"), Ok(((-1e308).into(), 1e308.into())));
        let most = (u64::MAX.into(), u64::MAX.into());
        assert_eq!(bounds("18446744073709551615,18446744073709551615"), Ok(most));
        assert!(bounds("18446744073709551615,18446744073709551614").is_err());
        for bad in ["0", "16777217", "-1", "x", ""] {
            assert!(bins(bad).unwrap_err().contains("from 1 to 16777216"), "{bad}");
        }
        for bad in ["", "1", "2,1", "0,inf", "nan,1", "1,nan", "0,1,2", "0,1e309"] {
            assert!(bounds(bad).unwrap_err().contains("such as 0,255"), "{bad}");
        }
    }

    #[test]
    fn bars_by_name() {
        assert_eq!(bar("1:0"), Ok((1, 0)));
        assert_eq!(bar("0:12"), Ok((0, 12)));
        for bad in ["", "1", ":", "1:", ":1", "-1:0", "1:-1", "1:x", "1:2:3", "1.0:2"] {
            assert!(bar(bad).unwrap_err().ends_with(&format!("such as 1:0, found {bad}")), "{bad}");
        }
    }

    #[test]
    fn devices_and_their_memory() {
        assert_eq!((device("0"), device("7")), (Ok(0), Ok(7)));
        let auto = bytes_or_auto().parse_ref(&Command::new(""), None, AUTO.as_ref());
        assert_eq!(auto.unwrap().0, None);
        assert_eq!((bytes("1"), bytes("256M"), bytes("2G")), (Ok(1), Ok(256 << 20), Ok(2 << 30)));
        for bad in ["", "M", "-1", "1.5G", "0", "1T", "99999999999G", "x"] {
            assert!(bytes(bad).unwrap_err().contains("such as 256M"), "{bad}");
        }
        assert!(device("-1").is_err() && device("").is_err());
    }

    #[test]
    fn whole_numbers() {
        assert_eq!((count("0"), count("7")), (Ok(0), Ok(7)));
        assert_eq!((threads("1"), threads("65535")), (Ok(1), Ok(65_535)));
        assert_eq!((modulus("2"), modulus("65521")), (Ok(2), Ok(65_521)));
    }

    /// Plans, statistics and messages call a choice by its name on the command line.
    #[test]
    fn the_library_and_the_command_line_use_the_same_names() {
        fn agree<T: ValueEnum + Display>() {
            for choice in T::value_variants() {
                assert_eq!(choice.to_possible_value().unwrap().get_name(), choice.to_string());
            }
        }
        agree::<matrix::Algorithm>();
        agree::<lacuna::rips::RepresentativeKind>();
        agree::<matrix::Representation>();
        agree::<matrix::Dualize>();
        agree::<cubical::thinning::Rule>();
        agree::<cubical::read::VoxelType>();
        agree::<output::OutputFormat>();
        agree::<output::images::ImageBarsFormat>();
        agree::<output::curves::CurveFormat>();
        agree::<output::pairs::PairsFormat>();
        agree::<lacuna::matrix::read::MatrixFormat>();
        agree::<cubical::write::ImageFile>();
        agree::<lacuna::metric::write::DistanceFile>();
        agree::<lacuna::compare::write::BarcodeFile>();
    }
}
