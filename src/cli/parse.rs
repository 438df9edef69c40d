//! Values of options: each error says what was expected and what was found.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{PathBufValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command};
use lacuna::backend::Choice;
use lacuna::cubical::ecc::bins::MOST_BINS;
use lacuna::cubical::read::VoxelType;
use lacuna::cubical::thinning::Rule;
use lacuna::cubical::value::Threshold;
use lacuna::cubical::write;
use lacuna::cubical::{Construction, Order, Value};
use lacuna::matrix::{self, Algorithm, Dualize, Representation};
use lacuna::metric::read::{Decimal, Symmetrize};
use lacuna::output::{self, curves, images, pairs};
use lacuna::rips::PairStore;
use lacuna::rips::modulus::prime_modulus;

use super::cubical::Way;

/// Threads that can be asked for: more than any pool takes would be cut without a word.
const MAX_THREADS: usize = 65_535;

/// Non-negative; infinity asks for the whole filtration.
pub(crate) fn threshold(found: &str) -> Result<f64, String> {
    match found.parse() {
        Ok(t) if t >= 0.0 => Ok(t),
        _ => Err(format!("expected a non-negative number or inf, found {found}")),
    }
}

/// It is compared in the precision of the distances. Below 1 it would mean nothing: no bar is of length zero.
pub(crate) fn ratio(found: &str) -> Result<f64, String> {
    match found.parse::<f64>() {
        Ok(r) if r >= 1.0 && r.is_finite() => Ok(r),
        _ => Err(format!("expected a finite number, 1 or more, found {found}")),
    }
}

/// Any value of a voxel.
pub(crate) fn level(found: &str) -> Result<f64, String> {
    match found.parse::<f64>() {
        Ok(x) if !x.is_nan() => Ok(x),
        _ => Err(format!("expected a number, found {found}")),
    }
}

/// The value of a voxel at which a filtration ends, of all its digits.
pub(crate) fn end_of_filtration(found: &str) -> Result<Threshold, String> {
    found.parse::<Threshold>().map_err(|error| error.to_string())
}

/// How many bins.
pub(crate) fn bins(found: &str) -> Result<usize, String> {
    match found.parse() {
        Ok(bins) if (1..=MOST_BINS).contains(&bins) => Ok(bins),
        _ => Err(format!("expected a number of bins from 1 to {MOST_BINS}, found {found}")),
    }
}

/// The least value and the greatest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounds(pub(crate) Value, pub(crate) Value);

/// Two finite numbers with a comma between, the lower first.
pub(crate) fn bounds(found: &str) -> Result<Bounds, String> {
    let pair = found.split_once(',').and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    let bounds =
        pair.filter(|&(low, high): &(Value, Value)| low <= high && low.is_finite() && high.is_finite());
    let expected = || format!("expected two finite numbers, the lower first, such as 0,255, found {found}");
    bounds.map(|(low, high)| Bounds(low, high)).ok_or_else(expected)
}

pub(crate) fn curves_format() -> impl TypedValueParser<Value = curves::Format> {
    one_of(curves::Format::ALL.map(|format| (format.name(), format)))
}

pub(crate) fn dimension(found: &str) -> Result<usize, String> {
    found.parse().map_err(|_| format!("expected a whole number, 0 or more, found {found}"))
}

/// Of a text.
pub(crate) fn lines(found: &str) -> Result<usize, String> {
    found.parse().map_err(|_| format!("expected a number of lines, 0 or more, found {found}"))
}

pub(crate) fn decimal() -> impl TypedValueParser<Value = Decimal> {
    one_of(Decimal::ALL.map(|sign| (sign.name(), sign)))
}

pub(crate) fn symmetrize() -> impl TypedValueParser<Value = Symmetrize> {
    one_of(Symmetrize::ALL.map(|which| (which.name(), which)))
}

/// Of iterations.
pub(crate) fn count(found: &str) -> Result<usize, String> {
    found.parse().map_err(|_| format!("expected a whole number, 0 or more, found {found}"))
}

pub(crate) fn modulus(found: &str) -> Result<u16, String> {
    let prime = found.parse().ok().and_then(|p| prime_modulus(p).ok());
    prime.ok_or_else(|| format!("expected a prime below 65536, found {found}"))
}

pub(crate) fn threads(found: &str) -> Result<usize, String> {
    match found.parse() {
        Ok(n) if (1..=MAX_THREADS).contains(&n) => Ok(n),
        _ => Err(format!("expected a number of threads from 1 to {MAX_THREADS}, found {found}")),
    }
}

pub(crate) fn device(found: &str) -> Result<usize, String> {
    let number = found.parse().ok().filter(|&number: &usize| number < 1024);
    number.ok_or_else(|| format!("expected the number of a device, 0 or more, found {found}"))
}

/// A number, with K, M or G for powers of 1024.
pub(crate) fn bytes(found: &str) -> Result<u64, String> {
    let unit = ['K', 'M', 'G'].iter().position(|&unit| found.ends_with(unit));
    let digits = unit.map_or(found, |_| &found[..found.len() - 1]);
    let shift = unit.map_or(0, |unit| 10 * (unit as u32 + 1));
    let number = digits.parse::<u64>().ok().filter(|&number| number > 0);
    let bytes = number.and_then(|number| number.checked_mul(1 << shift));
    bytes.ok_or_else(|| format!("expected a number of bytes such as 256M, found {found}"))
}

/// A file of its own: standard output holds the bars.
pub(crate) fn file() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.to_str() {
        Some("-") => Err("expected the path of a file, found -, which is standard output"),
        _ => Ok(path),
    })
}

pub(crate) fn output_format() -> impl TypedValueParser<Value = output::OutputFormat> {
    one_of(output::OutputFormat::ALL.map(|format| (format.name(), format)))
}

pub(crate) fn image_bars_format() -> impl TypedValueParser<Value = images::Format> {
    one_of(images::Format::ALL.map(|format| (format.name(), format)))
}

pub(crate) fn image_format() -> impl TypedValueParser<Value = write::Format> {
    one_of(write::Format::ALL.map(|format| (format.name(), format)))
}

pub(crate) fn rule() -> impl TypedValueParser<Value = Rule> {
    one_of(Rule::ALL.map(|rule| (rule.name(), rule)))
}

/// `auto` is the rule that suits the image.
pub(crate) fn rule_or_auto() -> impl TypedValueParser<Value = OrAuto<Rule>> {
    let mut choices = [("auto", OrAuto(None)); Rule::ALL.len() + 1];
    for (choice, rule) in choices[1..].iter_mut().zip(Rule::ALL) {
        *choice = (rule.name(), OrAuto(Some(rule)));
    }
    one_of(choices)
}

pub(crate) fn matrix_format() -> impl TypedValueParser<Value = matrix::read::Format> {
    use matrix::read::Format::{Dipha, PhatAscii, PhatBinary};
    one_of([PhatAscii, PhatBinary, Dipha].map(|format| (format.name(), format)))
}

pub(crate) fn construction() -> impl TypedValueParser<Value = Construction> {
    one_of([("t", Construction::T), ("v", Construction::V)])
}

pub(crate) fn way() -> impl TypedValueParser<Value = Way> {
    one_of([Way::Gradient, Way::Matrix].map(|way| (way.name(), way)))
}

pub(crate) fn backend() -> impl TypedValueParser<Value = Choice> {
    let choices = [("auto", Choice::Auto), ("cpu", Choice::Cpu), ("cuda", Choice::Cuda)];
    one_of_or(choices, [("gpu", Choice::Cuda)])
}

pub(crate) fn pair_store() -> impl TypedValueParser<Value = PairStore> {
    one_of([("implicit", PairStore::Implicit), ("sorted", PairStore::Sorted)])
}

/// `auto`, which is none, or a choice by name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OrAuto<T>(pub(crate) Option<T>);

pub(crate) fn pairs_format() -> impl TypedValueParser<Value = pairs::Format> {
    one_of(pairs::Format::ALL.map(|format| (format.name(), format)))
}

pub(crate) fn algorithm() -> impl TypedValueParser<Value = OrAuto<Algorithm>> {
    let mut choices = [("auto", OrAuto(None)); Algorithm::ALL.len() + 1];
    for (choice, algorithm) in choices[1..].iter_mut().zip(Algorithm::ALL) {
        *choice = (algorithm.name(), OrAuto(Some(algorithm)));
    }
    one_of(choices)
}

pub(crate) fn columns() -> impl TypedValueParser<Value = Representation> {
    one_of(Representation::ALL.map(|columns| (columns.name(), columns)))
}

pub(crate) fn on_or_off() -> impl TypedValueParser<Value = bool> {
    one_of([("on", true), ("off", false)])
}

pub(crate) fn dualize() -> impl TypedValueParser<Value = Dualize> {
    one_of([("auto", Dualize::Auto), ("on", Dualize::On), ("off", Dualize::Off)])
}

/// Voxels along each axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Extents(pub(crate) Vec<usize>);

/// Extents separated by commas.
pub(crate) fn extents(found: &str) -> Result<Extents, String> {
    let extents: Result<Vec<usize>, _> = found.split(',').map(str::parse).collect();
    let extents = extents.ok().filter(|extents| extents.len() <= 3 && !extents.contains(&0));
    let expected = || format!("expected one to three numbers from 1 on, such as 512,512,40, found {found}");
    extents.map(Extents).ok_or_else(expected)
}

pub(crate) fn voxels() -> impl TypedValueParser<Value = VoxelType> {
    one_of(VoxelType::ALL.map(|voxels| (voxels.name(), voxels)))
}

pub(crate) fn order() -> impl TypedValueParser<Value = Order> {
    one_of([("c", Order::C), ("f", Order::F)])
}

/// A choice by name, in letters of either case.
fn one_of<const N: usize, T>(choices: [(&'static str, T); N]) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    one_of_or(choices, [])
}

/// A choice by name, or by one of other names that people try.
fn one_of_or<const N: usize, const M: usize, T>(
    choices: [(&'static str, T); N],
    others: [(&'static str, T); M],
) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let shown = choices.map(|(name, _)| PossibleValue::new(name));
    let hidden = others.map(|(name, _)| PossibleValue::new(name).hide(true));
    let names = PossibleValuesParser::new(shown.into_iter().chain(hidden));
    SmallLetters(names.try_map(move |found| {
        let named = choices.iter().chain(&others).find(|(name, _)| *name == found);
        named.map(|&(_, choice)| choice).ok_or_else(|| format!("unexpected {found}"))
    }))
}

/// Takes a value for the same in small letters.
#[derive(Clone)]
struct SmallLetters<P>(P);

impl<P: TypedValueParser> TypedValueParser for SmallLetters<P> {
    type Value = P::Value;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        found: &OsStr,
    ) -> Result<P::Value, clap::Error> {
        self.0.parse_ref(command, arg, &found.to_ascii_lowercase())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds() {
        assert_eq!(threshold("0.5"), Ok(0.5));
        assert_eq!(threshold("inf"), Ok(f64::INFINITY));
        assert_eq!(threshold("0"), Ok(0.0));
        for bad in ["-1", "-inf", "nan", "NaN", "", "1,5", "abc", "1 "] {
            let error = threshold(bad).unwrap_err();
            assert_eq!(error, format!("expected a non-negative number or inf, found {bad}"));
        }
    }

    #[test]
    fn levels() {
        assert_eq!((level("-0.5"), level("1e3")), (Ok(-0.5), Ok(1000.0)));
        assert_eq!(level("-inf"), Ok(f64::NEG_INFINITY));
        for bad in ["nan", "", "1,5", "x"] {
            assert_eq!(level(bad), Err(format!("expected a number, found {bad}")));
        }
    }

    #[test]
    fn bins_and_their_bounds() {
        assert_eq!((bins("1"), bins("16777216")), (Ok(1), Ok(1 << 24)));
        assert_eq!(
            (bounds("-1,2.5"), bounds("3,3")),
            (Ok(Bounds((-1).into(), 2.5.into())), Ok(Bounds(3.into(), 3.into())))
        );
        assert_eq!(bounds("-1e308,1e308"), Ok(Bounds((-1e308).into(), 1e308.into())));
        let most = Bounds(u64::MAX.into(), u64::MAX.into());
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
    fn ratios() {
        assert_eq!(ratio("1.5"), Ok(1.5));
        for bad in ["0.9", "-1", "nan", "inf", "x", ""] {
            assert!(ratio(bad).unwrap_err().contains("1 or more"), "{bad}");
        }
    }

    #[test]
    fn devices_and_their_memory() {
        assert_eq!((device("0"), device("7")), (Ok(0), Ok(7)));
        assert_eq!((bytes("1"), bytes("256M"), bytes("2G")), (Ok(1), Ok(256 << 20), Ok(2 << 30)));
        for bad in ["", "M", "-1", "1.5G", "0", "1T", "99999999999G", "x"] {
            assert!(bytes(bad).unwrap_err().contains("such as 256M"), "{bad}");
        }
        assert!(device("-1").is_err() && device("").is_err());
    }

    #[test]
    fn whole_numbers() {
        assert_eq!((dimension("0"), dimension("7")), (Ok(0), Ok(7)));
        assert_eq!((threads("1"), threads("65535")), (Ok(1), Ok(65_535)));
        assert_eq!((modulus("2"), modulus("65521")), (Ok(2), Ok(65_521)));
        for bad in ["-1", "1.5", "x", "", "99999999999999999999"] {
            assert!(dimension(bad).is_err() && threads(bad).is_err() && modulus(bad).is_err(), "{bad}");
        }
        assert!(threads("0").is_err() && threads("65536").is_err());
        for bad in ["0", "1", "4", "65535", "65537"] {
            assert_eq!(modulus(bad).unwrap_err(), format!("expected a prime below 65536, found {bad}"));
        }
    }
}
