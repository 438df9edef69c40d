//! Distances between diagrams.

use lacuna::Bar;
use lacuna::diagram::distance::{Metric, distance, matching};
use lacuna::progress::Progress;
use numpy::{PyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::error::Failure;
use crate::run::on_threads_unless;

/// Number of bars of both diagrams up to which one thread finds the distance faster than others would wake up.
const FEW: usize = 200;

/// A distance; and, if a matching is requested and exists, the indices of both bars of each pair, interleaved, −1 for
/// the diagonal, and the distances of the pairs.
type Answer<'py> = (f64, Option<(Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>)>);

/// Returns the Wasserstein distance of the given order and norm between two arrays of shape (n, 2), or without these
/// the bottleneck distance.
#[pyfunction]
pub(crate) fn diagram_distance<'py>(
    py: Python<'py>,
    a: PyReadonlyArray2<'py, f64>,
    b: PyReadonlyArray2<'py, f64>,
    wasserstein: Option<(f64, f64)>,
    wants_matching: bool,
    threads: Option<usize>,
) -> PyResult<Answer<'py>> {
    let metric = wasserstein
        .map_or(Metric::Bottleneck, |(order, internal_p)| Metric::Wasserstein { order, internal_p });
    let [a, b] = [a, b].map(|bars| {
        let rows = bars.as_array();
        rows.rows().into_iter().map(|bar| Bar { birth: bar[0], death: bar[1] }).collect::<Vec<Bar>>()
    });
    let work = |progress: &dyn Progress| -> Result<_, Failure> {
        if !wants_matching {
            return Ok((distance(&a, &b, &metric, progress)?, None));
        }
        let found = matching(&a, &b, &metric, progress)?;
        Ok((found.distance, found.pairs))
    };
    let (distance, pairs) = on_threads_unless(a.len() + b.len() <= FEW, py, threads, None, work)?;
    let place = |place: Option<usize>| place.map_or(-1, |place| place as i64);
    let arrays = pairs.map(|pairs| {
        let places = pairs.iter().flat_map(|pair| [place(pair.a), place(pair.b)]).collect();
        let distances = pairs.iter().map(|pair| pair.distance).collect();
        (PyArray1::from_vec(py, places), PyArray1::from_vec(py, distances))
    });
    Ok((distance, arrays))
}
