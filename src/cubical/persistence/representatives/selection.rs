//! Selection of the bars that get representatives.

use std::cmp::Ordering;

use hashbrown::HashSet;

use super::super::classes::{Class, Classes};
use super::super::limits::Limits;
use super::super::request::PersistenceRequest;
use super::Wanted;
use crate::cubical::image::AnyImage;
use crate::cubical::value::Value;
use crate::diagram::{BarSelection, SelectionError};

/// The selected bars, by dimension and index, of a filtration that ends at the limits. `classes` are those without the
/// limits.
///
/// # Errors
/// A selected bar does not exist, or a persistence is invalid.
pub(in super::super) fn wanted(
    classes: &Classes,
    image: &AnyImage,
    request: &PersistenceRequest,
    limits: Limits<'_>,
    selection: &BarSelection,
) -> Result<Vec<Wanted>, SelectionError> {
    let reaches = |place: usize| limits.reach(image, request, place);
    let length = |class: &Class| {
        let death = class.death.filter(|&death| reaches(death));
        death.map(|death| distance(image.exact(class.birth), image.exact(death)))
    };
    selection.check()?;
    let mut bars = all(classes, reaches);
    let before = |dim: usize| bars.partition_point(|bar| bar.dim < dim);
    selection.check_named(|dim| before(dim + 1) - before(dim))?;
    match selection {
        BarSelection::All => {}
        &BarSelection::Longest(count) => {
            // Without bars above dimension 0, the longest of dimension 0 are selected.
            let least = usize::from(before(1) < bars.len());
            bars.retain(|bar| bar.dim >= least);
            if count < bars.len() {
                // Ties are broken by dimension and index.
                let mut longest: Vec<_> = bars.iter().map(|bar| length(&bar.class)).zip(0..).collect();
                longest.select_nth_unstable_by(count, |&(a, i), &(b, j)| longer_first(a, b).then(i.cmp(&j)));
                let mut kept: Vec<usize> = longest[..count].iter().map(|&(_, place)| place).collect();
                kept.sort_unstable();
                bars = kept.into_iter().map(|place| bars[place]).collect();
            }
        }
        &BarSelection::Persistence(least) => {
            bars.retain(|bar| length(&bar.class).is_none_or(|length| length >= least));
        }
        BarSelection::Named(named) => {
            let named: HashSet<_> = named.iter().copied().collect();
            bars.retain(|bar| named.contains(&(bar.dim, bar.index)));
        }
    }
    Ok(bars)
}

/// The bars born within the filtration, by dimension and index.
fn all(classes: &Classes, reaches: impl Fn(usize) -> bool) -> Vec<Wanted> {
    let mut bars = Vec::new();
    for (dim, classes) in classes.dimensions.iter().enumerate() {
        let mut index = 0;
        // Classes with the same voxels are adjacent.
        for same in classes.chunk_by(|a, b| a == b) {
            for (before, &class) in same.iter().enumerate().filter(|(_, class)| reaches(class.birth)) {
                bars.push(Wanted { dim, index, class, before });
                index += 1;
            }
        }
    }
    bars
}

/// Compares persistences in descending order; `None`, a bar that never dies, is the longest.
fn longer_first(a: Option<Value>, b: Option<Value>) -> Ordering {
    match (a, b) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Less,
        (Some(_), None) => Ordering::Greater,
        // The persistence of a bar of an image is never NaN.
        (Some(a), Some(b)) => b.partial_cmp(&a).unwrap_or(Ordering::Equal),
    }
}

/// The absolute difference of two values of one type, exact for integers.
fn distance(a: Value, b: Value) -> Value {
    match (a.integer(), b.integer()) {
        // Integers of 64 bits differ by less than 2^64.
        (Some(a), Some(b)) => Value::Unsigned(u64::try_from(a.abs_diff(b)).unwrap_or(u64::MAX)),
        _ => Value::Double((a.double() - b.double()).abs()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cubical::{Image, Order, Shape};

    fn class(birth: usize, death: impl Into<Option<usize>>) -> Class {
        Class { birth, death: death.into() }
    }

    /// A line of 64-bit integers, some of which round to the same double, and classes of two dimensions.
    fn example() -> (AnyImage, Classes) {
        let top = u64::MAX;
        let image = Image::new(Shape::new(&[6], Order::C).unwrap(), vec![0, top, 1, top - 1, 5, 8]).unwrap();
        let first = vec![class(0, None), class(2, 1), class(4, 5)];
        let second = vec![class(0, 1), class(2, 3), class(2, 3), class(4, 5)];
        (image.into(), Classes { dimensions: vec![first, second] })
    }

    fn chosen(
        threshold: Option<u64>,
        superlevel: bool,
        selection: &BarSelection,
    ) -> Result<Vec<(usize, usize, usize)>, String> {
        let (image, classes) = example();
        let request = PersistenceRequest { superlevel, ..PersistenceRequest::default() };
        let found =
            wanted(&classes, &image, &request, Limits::up_to(threshold.map(Value::Unsigned)), selection);
        let places = |found: Vec<Wanted>| found.iter().map(|bar| (bar.dim, bar.index, bar.before)).collect();
        found.map(places).map_err(|error| error.to_string())
    }

    #[test]
    fn each_selection_takes_its_bars() {
        use BarSelection::{All, Longest, Named, Persistence};
        let plain = |selection: &BarSelection| chosen(None, false, selection).unwrap();
        assert_eq!(plain(&All).len(), 7);
        assert_eq!(plain(&Longest(0)), []);
        assert_eq!(plain(&Longest(2)), [(1, 0, 0), (1, 1, 0)]);
        assert_eq!(plain(&Longest(9)).len(), 4);
        assert_eq!(plain(&Persistence(4.0.into())).len(), 5);
        assert_eq!(plain(&Persistence(f64::INFINITY.into())), [(0, 0, 0)]);
        // Persistences of 2^64 − 1, 2^64 − 2 and 2^64 − 3 round to the same double.
        assert_eq!(plain(&Persistence(u64::MAX.into())), [(0, 0, 0), (1, 0, 0)]);
        assert_eq!(plain(&Named(vec![(1, 2), (0, 1), (1, 2)])), [(0, 1, 0), (1, 2, 1)]);
        // 1 to 2^64 − 1 is shorter than 0 to 2^64 − 1 by one, which no double says.
        let (image, classes) = example();
        let classes = Classes { dimensions: vec![vec![classes.dimensions[0][1], class(0, 1)]] };
        let request = PersistenceRequest::default();
        let found = wanted(&classes, &image, &request, Limits::default(), &Longest(1)).unwrap();
        assert_eq!(found[0].index, 1);
    }

    #[test]
    fn the_longest_are_of_dimension_0_where_no_other_bar_is() {
        let (image, mut classes) = example();
        let request = PersistenceRequest::default();
        let longest = |classes: &Classes, threshold: Option<u64>| -> Vec<(usize, usize)> {
            let selection = BarSelection::Longest(2);
            let found =
                wanted(classes, &image, &request, Limits::up_to(threshold.map(Value::Unsigned)), &selection)
                    .unwrap();
            found.iter().map(|bar| (bar.dim, bar.index)).collect()
        };
        classes.dimensions[1] = vec![class(1, 3)];
        assert_eq!(longest(&classes, None), [(1, 0)]);
        // The loop is born past the threshold.
        assert_eq!(longest(&classes, Some(9)), [(0, 0), (0, 1)]);
        classes.dimensions[1].clear();
        assert_eq!(longest(&classes, None), [(0, 0), (0, 1)]);
    }

    #[test]
    fn bars_are_numbered_as_they_are_cut() {
        let all = |threshold, superlevel| chosen(Some(threshold), superlevel, &BarSelection::All).unwrap();
        assert_eq!(all(2, false), [(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0), (1, 2, 1)]);
        assert_eq!(all(3, true), [(0, 0, 0), (1, 0, 0)]);
        // Past the threshold a bar never dies.
        let longest = chosen(Some(9), false, &BarSelection::Persistence(f64::INFINITY.into())).unwrap();
        assert_eq!(longest, [(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0), (1, 2, 1)]);
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        let named = |bar| chosen(None, false, &BarSelection::Named(vec![(0, 0), bar])).unwrap_err();
        assert_eq!(
            named((1, 4)),
            "bar 1:4: expected the place of a bar of dimension 1, of which there are 4, found 4"
        );
        assert!(named((7, 0)).contains("of which there are 0"));
        for least in [f64::NAN, -1.0] {
            assert!(chosen(None, false, &BarSelection::Persistence(least.into())).is_err());
        }
    }
}
