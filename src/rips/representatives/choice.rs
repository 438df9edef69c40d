//! The selection of bars, made dimension by dimension in the course of a run.
//!
//! The longest bars are known only at the end of a run. Until then a bar is a candidate if it is among the longest of
//! the dimensions so far, so no dimension has more candidates than bars are requested.

use crate::cubical::Value;
use crate::diagram::{Bar, BarSelection};

/// The indices, ascending, of the bars of dimension `dim` that are selected from `bars`, those of the dimensions from 0
/// up. More dimensions only make them fewer.
pub(super) fn selected(selection: &BarSelection, bars: &[Vec<Bar>], dim: usize) -> Vec<usize> {
    let persistence = |bar: &Bar| bar.death - bar.birth;
    let mut places: Vec<usize> = match selection {
        BarSelection::All => (0..bars[dim].len()).collect(),
        &BarSelection::Longest(count) => {
            let of_dimension = |dim: usize| (0..bars[dim].len()).map(move |place| (dim, place));
            let mut longest: Vec<(usize, usize)> = (1..bars.len()).flat_map(of_dimension).collect();
            // The sort is stable: bars of equal persistence stay in the order of the diagram.
            let key = |&(dim, place): &(usize, usize)| persistence(&bars[dim][place]);
            longest.sort_by(|a, b| key(b).total_cmp(&key(a)));
            longest.into_iter().take(count).filter(|bar| bar.0 == dim).map(|bar| bar.1).collect()
        }
        &BarSelection::Persistence(least) => {
            let lasts = |place: &usize| Value::from(persistence(&bars[dim][*place])) >= least;
            (0..bars[dim].len()).filter(lasts).collect()
        }
        BarSelection::Named(named) => {
            let of_dimension = named.iter().filter(|&&(of, place)| of == dim && place < bars[dim].len());
            of_dimension.map(|&(_, place)| place).collect()
        }
    };
    places.sort_unstable();
    places.dedup();
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bars of dimensions 0, 1 and 2, given by birth and death.
    fn dimensions() -> Vec<Vec<Bar>> {
        let bars = |bars: &[(f64, f64)]| bars.iter().map(|&(birth, death)| Bar { birth, death }).collect();
        vec![
            bars(&[(0.0, 9.0), (0.0, f64::INFINITY)]),
            bars(&[(1.0, 2.0), (1.0, 4.0), (2.0, 5.0)]),
            bars(&[(3.0, f64::INFINITY), (1.0, 4.0), (0.0, 0.5)]),
        ]
    }

    /// The dimensions and indices of the chosen bars, and the number of candidates.
    fn chosen(selection: &BarSelection) -> (Vec<(usize, usize)>, usize) {
        let (bars, mut candidates) = (dimensions(), 0);
        let mut chosen = Vec::new();
        for dim in 0..bars.len() {
            candidates += selected(selection, &bars[..=dim], dim).len();
            chosen.extend(selected(selection, &bars, dim).into_iter().map(|place| (dim, place)));
        }
        (chosen, candidates)
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
}
