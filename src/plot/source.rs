//! Conversions from results to [`Series`].

use std::io;

use super::{PlottedBar, Series};
use crate::compare;
use crate::cubical::curves::CurvesFound;
use crate::diagram::Diagram;
use crate::matrix::any::AnyReduced;
use crate::output::pairs::solution_of;
use crate::output::{BarTable, Row, images};

impl Series {
    /// Makes a series of the bars of a diagram.
    pub fn of_diagram(name: impl Into<String>, diagram: &Diagram) -> Series {
        Series::of_table(name, &BarTable::of_diagram(diagram))
    }

    /// Makes a series of the bars of an image, rounded to doubles.
    pub fn of_image(name: impl Into<String>, barcode: &images::Barcode<'_>) -> Series {
        Series::of_table(name, &barcode.table())
    }

    /// Makes a series of the bars of a boundary matrix: by values, if it has them, else by cells.
    pub fn of_reduction(name: impl Into<String>, reduced: &AnyReduced<'_>) -> Series {
        match reduced {
            AnyReduced::Narrow(reduced) => Series::of_table(name, &solution_of(reduced).table()),
            AnyReduced::Wide(reduced) => Series::of_table(name, &solution_of(reduced).table()),
        }
    }

    /// Makes a series of bars, their values rounded to doubles.
    fn of_table(name: impl Into<String>, table: &BarTable<'_>) -> Series {
        let bar = |row: Row| PlottedBar {
            dim: Some(row.dim),
            birth: row.birth.double(),
            death: row.death.double(),
        };
        Series::of_bars(name, table.iter().map(bar).collect())
    }

    /// Makes a series of the curve of an image, or of its curves at several scales.
    ///
    /// # Errors
    /// Rows in a temporary file cannot be read.
    pub fn of_found_curves(name: impl Into<String>, found: &CurvesFound) -> io::Result<Series> {
        let first: io::Result<Vec<(f64, f64)>> = found
            .rows
            .iter()?
            .map(|row| row.map(|(value, _, euler)| (value.double(), euler as f64)))
            .collect();
        let smoothed = found.smoothed.iter();
        let smoothed = smoothed
            .map(|curve| curve.rows().map(|(value, _, euler)| (value.double(), euler as f64)).collect());
        Ok(Series::of_curves(name, std::iter::once(first?).chain(smoothed).collect()))
    }

    /// Makes a series of the bars of a file. Essential bars die at infinity or, if other bars descend, at minus
    /// infinity.
    pub fn of_barcode(name: impl Into<String>, barcode: &compare::Barcode) -> Series {
        match barcode {
            compare::Barcode::Bars(bars) => {
                let bars = &bars.bars;
                let goes_down = bars.iter().any(|bar| bar.death < bar.birth);
                let end = if goes_down { f64::NEG_INFINITY } else { f64::INFINITY };
                let bar = |bar: &phat_formats::dipha::DiagramPoint| PlottedBar {
                    dim: Some(bar.dim),
                    birth: bar.birth,
                    death: if bar.essential { end } else { bar.death },
                };
                Series::of_bars(name, bars.iter().map(bar).collect())
            }
            compare::Barcode::CellPairs(pairs) => {
                let bar = |birth: u64, death: f64| PlottedBar { dim: None, birth: birth as f64, death };
                let finite = pairs.pairs.iter().map(|&(birth, death)| bar(birth, death as f64));
                let essential = pairs.essential.iter().flatten().map(|&birth| bar(birth, f64::INFINITY));
                Series::of_bars(name, finite.chain(essential).collect())
            }
        }
    }
}
