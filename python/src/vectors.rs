//! Diagrams as vectors of equal length.

use lacuna::diagram::vectors::{VectorKind, Vectors};
use lacuna::internals::available;
use lacuna::progress::interruptible;
use numpy::ndarray::Array2;
use numpy::{PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::choices::named;
use crate::error::Failure;
use crate::run::on_threads_unless;

/// Number of pairs of a bar and an entry of its vector up to which one thread is done before others wake up.
const FEW: usize = 50_000;

/// Number of bytes that are taken without asking the system whether it has them.
const UNASKED: u64 = 1 << 26;

/// Ranges of a grid along its first axis and, for images, its second.
type Ranges = (Option<(f64, f64)>, Option<(f64, f64)>);

/// Returns a vector for each array of bars, of shape (n, 2), as the rows of an array. A vector has `length` entries.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "one for each parameter of vectors")]
pub(crate) fn vectors<'py>(
    py: Python<'py>,
    bars: Vec<PyReadonlyArray2<'py, f64>>,
    kind: &str,
    resolution: (usize, usize),
    ranges: Ranges,
    bandwidth: f64,
    weight: f64,
    count: usize,
    length: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let kind = named("kind", &VectorKind::ALL, kind)?;
    let diagrams: Vec<Vec<(f64, f64)>> = bars
        .iter()
        .map(|bars| bars.as_array().rows().into_iter().map(|bar| (bar[0], bar[1])).collect())
        .collect();
    // The vectors, and the rows of the array.
    let needed = length.saturating_mul(diagrams.len()).saturating_mul(2 * size_of::<f64>()) as u64;
    // Asking the system takes longer than a small vector.
    let available = if needed > UNASKED { available() } else { None };
    if let Some(available) = available.filter(|&available| needed > available) {
        let of = diagrams.len();
        return Err(Failure::Memory(format!(
            "{of} vectors of {length} numbers need {needed} bytes, {available} are available"
        ))
        .into());
    }
    let vectors =
        Vectors { kind, resolution: Some(resolution), range: ranges.into(), bandwidth, weight, count };
    let pairs = diagrams.iter().map(Vec::len).sum::<usize>().saturating_mul(length);
    let rows = on_threads_unless(pairs <= FEW, py, None, None, |progress| {
        let found =
            interruptible(progress, |progress| Ok::<_, Failure>(vectors.watched(&diagrams, progress)))?;
        Array2::from_shape_vec((diagrams.len(), length), found.concat())
            .map_err(|error| Failure::Runtime(error.to_string()))
    })?;
    Ok(PyArray2::from_owned_array(py, rows))
}
