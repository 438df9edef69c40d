//! A JSON object: pairs and essential classes, or bars.

use std::io::{self, Write};

use serde::Serialize;

use super::{Solution, ValuedClass};
use crate::cubical::Value;
use crate::matrix::Index;
use crate::matrix::cycles::Cycle;

/// Writes the object with one line per pair or bar.
///
/// # Errors
/// Errors of `out`.
pub fn write<I: Index>(solution: &Solution<'_, I>, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{{\"cells\":{},", solution.matrix.len())?;
    match solution.valued_classes() {
        Some(classes) => write_bars(&classes, out),
        None => write_cells(solution, out),
    }?;
    if let Some(cycles) = solution.cycles {
        out.write_all(b",\"representatives\":[")?;
        let representative = |cycle| Representative::new(solution, &cycle);
        write_lines(cycles.iter().map(representative), out)?;
        out.write_all(b"\n]")?;
    }
    out.write_all(b"}\n")
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
        let values = solution.valued_class(cycle);
        Representative {
            dim: cycle.dim.into(),
            values: values.map(|ValuedClass { birth, death, .. }| Values {
                birth: Value::Double(birth),
                death: death.map(Value::Double),
            }),
            birth_cell: cycle.birth.to_usize(),
            death_cell: cycle.death.map(I::to_usize),
            cycle: cycle.cells.iter().map(|cell| cell.to_usize()).collect(),
        }
    }
}

/// A bar. JSON has no infinity, so infinite values are the strings `inf` and `-inf`.
#[derive(Serialize)]
struct Bar {
    dim: usize,
    birth: Value,
    /// `null` for an essential class.
    death: Option<Value>,
}

fn write_bars(classes: &[ValuedClass], out: &mut dyn Write) -> io::Result<()> {
    let bars = classes.iter().map(|&ValuedClass { dim, birth, death }| Bar {
        dim,
        birth: Value::Double(birth),
        death: death.map(Value::Double),
    });
    out.write_all(b"\"bars\":[")?;
    write_lines(bars, out)?;
    out.write_all(b"\n]")
}

fn write_cells<I: Index>(solution: &Solution<'_, I>, out: &mut dyn Write) -> io::Result<()> {
    let essential: Vec<usize> = solution.pairs.essential().into_iter().map(I::to_usize).collect();
    out.write_all(b"\"pairs\":[")?;
    write_lines(solution.cell_pairs(), out)?;
    out.write_all(b"\n],\"essential\":")?;
    Ok(serde_json::to_writer(&mut *out, &essential)?)
}

/// Writes the elements of a list, one per line.
fn write_lines(elements: impl Iterator<Item = impl Serialize>, out: &mut dyn Write) -> io::Result<()> {
    for (k, element) in elements.enumerate() {
        out.write_all(if k == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut *out, &element)?;
    }
    Ok(())
}
