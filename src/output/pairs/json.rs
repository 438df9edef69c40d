//! A JSON object: pairs and essential classes, or bars.

use std::io::{self, Write};

use serde::Serialize;

use super::Solution;
use crate::cubical::Value;
use crate::matrix::Index;
use crate::matrix::cycles::Cycle;
use crate::output::json::Object;

/// Writes the object with one line per pair or bar.
///
/// # Errors
/// Errors of `out`.
pub fn write<I: Index>(solution: &Solution<'_, I>, out: &mut dyn Write) -> io::Result<()> {
    let cells = solution.matrix.len();
    let mut object = Object::begin(format!("{{\"cells\":{cells}}}"), out)?;
    if solution.values.is_some() {
        object.bars(&solution.table())?;
    } else {
        object.list("pairs", solution.cell_pairs())?;
        let essential: Vec<usize> = solution.pairs.essential().into_iter().map(I::to_usize).collect();
        serde_json::to_writer(object.key("essential")?, &essential)?;
    }
    if let Some(cycles) = solution.cycles {
        let representative = |cycle| Representative::new(solution, &cycle);
        object.list("representatives", cycles.iter().map(representative))?;
    }
    object.end()
}

/// A class and a cycle that represents it.
#[derive(Serialize)]
struct Representative {
    dim: usize,
    #[serde(flatten)]
    values: Option<Values>,
    birth_cell: usize,
    /// `null` for an essential class.
    death_cell: Option<usize>,
    cycle: Vec<usize>,
}

/// The values of a class.
#[derive(Serialize)]
struct Values {
    birth: Value,
    /// `null` for an essential class.
    death: Option<Value>,
}

impl Representative {
    fn new<I: Index>(solution: &Solution<'_, I>, cycle: &Cycle<'_, I>) -> Self {
        let row = solution.row(cycle.birth, cycle.death);
        let death = (!row.is_essential).then_some(row.death);
        Representative {
            dim: cycle.dim.into(),
            values: solution.values.map(|_| Values { birth: row.birth, death }),
            birth_cell: cycle.birth.to_usize(),
            death_cell: cycle.death.map(I::to_usize),
            cycle: cycle.cells.iter().map(|cell| cell.to_usize()).collect(),
        }
    }
}
