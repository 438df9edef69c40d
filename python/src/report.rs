//! The page of `--report` about bars in memory.

use lacuna::plot::{PlottedBar, Series};
use lacuna::report::Report;
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;

use crate::error::Failure;

/// Returns an HTML page about the bars of each dimension, arrays of shape (n, 2).
#[pyfunction]
pub(crate) fn report_page(
    py: Python<'_>,
    bars: Vec<PyReadonlyArray2<'_, f64>>,
    title: &str,
) -> PyResult<String> {
    let mut plotted = Vec::new();
    for (dim, bars) in (0..).zip(&bars) {
        let bar = |birth, death| PlottedBar { dim: Some(dim), birth, death };
        plotted.extend(bars.as_array().rows().into_iter().map(|row| bar(row[0], row[1])));
    }
    let page = py.detach(|| {
        let mut page = Vec::new();
        Report::new(title, &Series::of_bars(title, plotted)).write(&mut page).map(|()| page)
    });
    let page = page.map_err(|error| Failure::Runtime(error.to_string()))?;
    Ok(String::from_utf8(page).map_err(|error| Failure::Runtime(error.to_string()))?)
}
