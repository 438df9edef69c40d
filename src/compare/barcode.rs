//! The content of a file: bars, or pairs of cells.

use std::borrow::Cow;
use std::collections::BTreeSet;

use phat_formats::dipha::DiagramPoint;

/// The content of a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Barcode {
    /// Bars: births and deaths are filtration values.
    Bars(Bars),
    /// Persistence pairs: births and deaths are cells.
    CellPairs(CellPairs),
}

/// Bars of all dimensions, in the order of the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bars {
    /// The bars, without NaN. An essential bar dies at infinity; for superlevel sets at minus infinity; and if `ends`
    /// is set, at the greatest value of the filtration.
    pub bars: Vec<DiagramPoint>,
    /// The dimensions that have bars or are named in the file.
    pub dims: BTreeSet<u32>,
    /// The greatest dimension, if the file gives it: all dimensions up to it are known.
    pub max_dim: Option<u32>,
    /// The dimensions that the file marks as unfinished because the run was ended early.
    pub unfinished: BTreeSet<u32>,
    /// Whether essential bars die at the end of the filtration, as in DIPHA's diagrams.
    pub ends: bool,
    /// Whether the file distinguishes essential bars from bars that die at infinity.
    pub tells_essential: bool,
    /// Whether all values are written as whole numbers from 0, like cells.
    pub whole: bool,
}

/// Persistence pairs of cells, numbered from 0, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CellPairs {
    /// Pairs (birth, death).
    pub pairs: Vec<(u64, u64)>,
    /// The cells of essential classes, if the file gives them.
    pub essential: Option<Vec<u64>>,
}

/// The kind of a barcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
pub enum Kind {
    /// Bars.
    #[strum(to_string = "bars with values")]
    Bars,
    /// Pairs of cells.
    #[strum(to_string = "pairs of cells")]
    CellPairs,
}

impl Barcode {
    /// The kind of the barcode.
    pub fn kind(&self) -> Kind {
        match self {
            Barcode::Bars(_) => Kind::Bars,
            Barcode::CellPairs(_) => Kind::CellPairs,
        }
    }

    /// The pairs of cells; for bars, only if all their values can be cells.
    pub(super) fn cell_pairs(&self) -> Option<Cow<'_, CellPairs>> {
        match self {
            Barcode::CellPairs(pairs) => Some(Cow::Borrowed(pairs)),
            Barcode::Bars(bars) => bars.whole.then(|| Cow::Owned(bars.as_cells())),
        }
    }
}

impl Bars {
    /// Creates a barcode whose only known dimensions are those of the bars.
    pub fn new(bars: Vec<DiagramPoint>) -> Self {
        let dims = bars.iter().map(|bar| bar.dim).collect();
        Bars { bars, dims, ..Bars::default() }
    }

    /// Whether the file has all bars of a dimension.
    pub fn has_dim(&self, dim: u32) -> bool {
        let is_said = self.dims.contains(&dim) || self.max_dim.is_some_and(|most| dim <= most);
        is_said && !self.unfinished.contains(&dim)
    }

    /// Makes essential bars die at minus infinity if the file says that these are superlevel sets, or if finite bars
    /// descend.
    pub(super) fn going_down_if(mut self, says_so: bool) -> Self {
        if says_so || self.bars.iter().any(|bar| !bar.essential && bar.death < bar.birth) {
            let essential = self.bars.iter_mut().filter(|bar| bar.essential);
            essential.for_each(|bar| bar.death = f64::NEG_INFINITY);
        }
        self
    }

    /// Whether essential bars die at minus infinity, as for superlevel sets.
    pub(super) fn goes_down(&self) -> bool {
        self.bars.iter().any(|bar| bar.essential && bar.death == f64::NEG_INFINITY)
    }

    /// Converts bars whose births and deaths are whole numbers to pairs of cells.
    fn as_cells(&self) -> CellPairs {
        let finite = self.bars.iter().filter(|bar| !bar.essential);
        let essential = self.bars.iter().filter(|bar| bar.essential);
        // Cells are written as whole numbers that are exact as doubles.
        CellPairs {
            pairs: finite.map(|bar| (bar.birth as u64, bar.death as u64)).collect(),
            essential: Some(essential.map(|bar| bar.birth as u64).collect()),
        }
    }
}
