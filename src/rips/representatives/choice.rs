//! The selection of bars, made dimension by dimension in the course of a run.
//!
//! The longest bars are known only at the end of a run. Until then a bar is a candidate if it is among the longest of
//! the dimensions so far, so no dimension has more candidates than bars are requested.

use crate::cubical::Value;
use crate::diagram::{Bar, BarSelection};

/// The state of a selection in the course of a run.
#[derive(Debug)]
pub(super) struct Choice<'a> {
    selection: &'a BarSelection,
    /// The longest bars of the dimensions so far, in descending order, if the longest are requested: the persistence, and
    /// the dimension and place of the bar.
    longest: Vec<(f64, [usize; 2])>,
}

impl<'a> Choice<'a> {
    /// The state before the first dimension.
    pub(super) fn new(selection: &'a BarSelection) -> Self {
        Choice { selection, longest: Vec::new() }
    }

    /// The indices of a dimension's bars that may be chosen, ascending. Must be called for all dimensions from 0 up in
    /// order.
    pub(super) fn candidates(&mut self, dim: usize, bars: &[Bar]) -> Vec<usize> {
        match self.selection {
            BarSelection::All => (0..bars.len()).collect(),
            &BarSelection::Longest(count) => {
                if dim > 0 {
                    self.prolong(dim, bars, count);
                }
                self.longest_of(dim)
            }
            &BarSelection::Persistence(least) => {
                let lasts = |place: &usize| Value::from(persistence(&bars[*place])) >= least;
                (0..bars.len()).filter(lasts).collect()
            }
            BarSelection::Named(named) => {
                let of_dimension = named.iter().filter(|&&(of, place)| of == dim && place < bars.len());
                let mut places: Vec<usize> = of_dimension.map(|&(_, place)| place).collect();
                places.sort_unstable();
                places.dedup();
                places
            }
        }
    }

    /// Merges the bars of a dimension into the longest.
    fn prolong(&mut self, dim: usize, bars: &[Bar], count: usize) {
        self.longest.extend(bars.iter().enumerate().map(|(place, bar)| (persistence(bar), [dim, place])));
        // The sort is stable: bars of equal persistence stay in the order of the diagram.
        self.longest.sort_by(|a, b| b.0.total_cmp(&a.0));
        self.longest.truncate(count);
    }

    /// The indices of the chosen bars of a dimension, ascending, once all dimensions have been processed; `None` if all
    /// its candidates are chosen.
    pub(super) fn chosen(&self, dim: usize) -> Option<Vec<usize>> {
        matches!(self.selection, BarSelection::Longest(_)).then(|| self.longest_of(dim))
    }

    /// The indices of those of the longest bars so far that have this dimension, ascending.
    fn longest_of(&self, dim: usize) -> Vec<usize> {
        let of_dimension = self.longest.iter().filter(|(_, bar)| bar[0] == dim);
        let mut places: Vec<usize> = of_dimension.map(|(_, bar)| bar[1]).collect();
        places.sort_unstable();
        places
    }
}

/// The persistence of a bar, its death minus its birth.
fn persistence(bar: &Bar) -> f64 {
    bar.death - bar.birth
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagram::Diagram;

    /// Bars of dimensions 0, 1 and 2, given by birth and death.
    fn diagram() -> Diagram {
        let bars = |bars: &[(f64, f64)]| bars.iter().map(|&(birth, death)| Bar { birth, death }).collect();
        Diagram::new(vec![
            bars(&[(0.0, 9.0), (0.0, f64::INFINITY)]),
            bars(&[(1.0, 2.0), (1.0, 4.0), (2.0, 5.0)]),
            bars(&[(3.0, f64::INFINITY), (1.0, 4.0), (0.0, 0.5)]),
        ])
    }

    /// The dimensions and indices of the chosen bars, and the number of candidates.
    fn chosen(selection: &BarSelection) -> (Vec<(usize, usize)>, usize) {
        let (diagram, mut choice) = (diagram(), Choice::new(selection));
        let candidates: Vec<(usize, usize)> = (0..diagram.len())
            .flat_map(|dim| {
                choice.candidates(dim, diagram.bars(dim)).into_iter().map(move |place| (dim, place))
            })
            .collect();
        let is_chosen =
            |&(dim, place): &(usize, usize)| choice.chosen(dim).is_none_or(|places| places.contains(&place));
        let kept = candidates.iter().copied().filter(is_chosen).collect();
        (kept, candidates.len())
    }

    #[test]
    fn each_selection_takes_its_bars() {
        assert_eq!(chosen(&BarSelection::All).1, 8);
        assert_eq!(chosen(&BarSelection::Longest(0)).0, []);
        assert_eq!(chosen(&BarSelection::Longest(1)), (vec![(2, 0)], 2));
        // The first two of three bars of equal persistence.
        assert_eq!(chosen(&BarSelection::Longest(3)), (vec![(1, 1), (1, 2), (2, 0)], 4));
        assert_eq!(chosen(&BarSelection::Longest(99)).0.len(), 6);
        let long = vec![(0, 0), (0, 1), (1, 1), (1, 2), (2, 0), (2, 1)];
        assert_eq!(chosen(&BarSelection::Persistence(3.0.into())), (long, 6));
        assert_eq!(chosen(&BarSelection::Persistence(f64::INFINITY.into())).0, [(0, 1), (2, 0)]);
        let named = BarSelection::Named(vec![(2, 1), (0, 1), (2, 1)]);
        assert_eq!(chosen(&named).0, [(0, 1), (2, 1)]);
    }

    #[test]
    fn a_bar_that_is_not_there_is_an_error() {
        let check = |named: &[(usize, usize)]| {
            BarSelection::Named(named.to_vec())
                .check_named(|dim| diagram().bars(dim).len())
                .map_err(|error| error.to_string())
        };
        assert_eq!(check(&[(0, 1), (2, 2)]), Ok(()));
        assert!(check(&[(0, 1), (1, 3)]).unwrap_err().contains("1:3"));
        assert!(check(&[(3, 0)]).unwrap_err().contains("3:0"));
    }
}
