//! Representatives of bars as arrays.

use lacuna::rips::{Chain, Representative, Representatives};
use numpy::PyArray1;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::rips::rows;

/// Stands for the vertices of a missing simplex.
const NO_VERTEX: i64 = -1;

/// For each dimension a dictionary of arrays with one row per bar, see `_answers.py`.
pub(crate) fn tables<'py>(
    py: Python<'py>,
    representatives: &Representatives,
) -> PyResult<Bound<'py, PyList>> {
    let tables =
        (0..representatives.dimensions()).map(|dim| table(py, dim, representatives.of_dimension(dim)));
    PyList::new(py, tables.collect::<PyResult<Vec<_>>>()?)
}

fn table<'py>(py: Python<'py>, dim: usize, found: &[Representative]) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    let places = found.iter().map(|representative| representative.index as i64);
    table.set_item(intern!(py, "places"), PyArray1::from_iter(py, places))?;
    let births = found.iter().map(|representative| Some(&representative.birth[..]));
    table.set_item(intern!(py, "birth_simplices"), simplices(py, dim + 1, births)?)?;
    let deaths = found.iter().map(|representative| representative.death.as_deref());
    table.set_item(intern!(py, "death_simplices"), simplices(py, dim + 2, deaths)?)?;
    if dim > 0 {
        let births =
            found.iter().map(|representative| representative.birth_edge.as_ref().map(|edge| &edge[..]));
        table.set_item(intern!(py, "birth_edges"), simplices(py, 2, births)?)?;
    }
    let deaths = found.iter().map(|representative| representative.death_edge.as_ref().map(|edge| &edge[..]));
    table.set_item(intern!(py, "death_edges"), simplices(py, 2, deaths)?)?;
    let cocycles = found.iter().map(|representative| representative.cocycle.as_deref());
    if let Some(cocycles) = chains(py, cocycles)? {
        table.set_item(intern!(py, "cocycles"), cocycles)?;
    }
    let cycles = found.iter().map(|representative| representative.cycle.as_deref());
    if let Some(cycles) = chains(py, cycles)? {
        table.set_item(intern!(py, "cycles"), cycles)?;
    }
    Ok(table)
}

/// An array with one row per simplex of `vertices` vertices.
fn simplices<'py, 'a>(
    py: Python<'py>,
    vertices: usize,
    simplices: impl Iterator<Item = Option<&'a [u32]>>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut numbers: Vec<i64> = Vec::new();
    for simplex in simplices {
        match simplex {
            Some(simplex) => numbers.extend(simplex.iter().map(|&vertex| i64::from(vertex))),
            None => numbers.extend(std::iter::repeat_n(NO_VERTEX, vertices)),
        }
    }
    Ok(rows(py, vertices, numbers)?.into_any())
}

/// For each chain its simplices, one per row, and their coefficients; `None` if there are no chains.
fn chains<'py, 'a>(
    py: Python<'py>,
    chains: impl Iterator<Item = Option<&'a Chain>>,
) -> PyResult<Option<Bound<'py, PyList>>> {
    let Some(chains) = chains.collect::<Option<Vec<&Chain>>>().filter(|chains| !chains.is_empty()) else {
        return Ok(None);
    };
    let told = chains.into_iter().map(|chain| {
        let vertices = chain.vertices().iter().map(|&vertex| i64::from(vertex)).collect();
        let coefficients = chain.coefficients().iter().map(|&coefficient| i64::from(coefficient));
        Ok((rows(py, chain.dimension() + 1, vertices)?, PyArray1::from_iter(py, coefficients)))
    });
    Ok(Some(PyList::new(py, told.collect::<PyResult<Vec<_>>>()?)?))
}
