"""Points, distances and weighted graphs in the form that the extension module takes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _lacuna
from ._arguments import flag, floats, hint, is_sparse, unmasked, word
from ._extras import extra
from ._options import RipsManyOptions


METRICS = {"manhattan": "cityblock", "l1": "cityblock", "l2": "euclidean"}
"""What scikit-learn calls metrics of SciPy."""


def are_points(options: RipsManyOptions) -> bool:
    """Whether inputs are points whose Euclidean distances count, and no other option is about distances."""
    metric = options["metric"]
    has_others = options["metric_params"] is not None or options["symmetrize"] is not None or options["shortest_paths"] is not False
    return isinstance(metric, str) and metric == "euclidean" and not has_others


def distances_of(X: Any, options: RipsManyOptions, births: bool, run: _lacuna.Run) -> _lacuna.Distances:
    """The input as the extension module has it. The run finds shortest paths."""
    metric, metric_params, symmetrize = options["metric"], options["metric_params"], options["symmetrize"]
    shortest_paths = flag("shortest_paths", options["shortest_paths"])
    is_precomputed = isinstance(metric, str) and metric == "precomputed"
    is_euclidean = isinstance(metric, str) and metric == "euclidean"
    if metric_params is not None and (is_precomputed or is_euclidean):
        raise ValueError(f"metric_params: expected beside a metric of SciPy only, found metric={metric!r}")
    if births and not is_precomputed:
        raise ValueError('weights="diagonal": expected metric="precomputed"')
    if symmetrize is not None:
        word("symmetrize", symmetrize, "lower, upper, mean, max or min")
    if symmetrize is not None and not is_precomputed:
        raise ValueError('symmetrize: expected metric="precomputed"')
    if is_sparse(X):
        if not is_precomputed:
            raise ValueError('a sparse matrix holds distances: expected metric="precomputed"; X.toarray() makes points of its rows')
        if symmetrize is not None:
            raise ValueError("symmetrize: expected an array of distances, found a sparse matrix")
        edges = _edges(X, births)
        return edges.shortest_paths(run) if shortest_paths else edges
    if shortest_paths:
        raise ValueError('shortest_paths: expected a graph, a sparse matrix with metric="precomputed"')
    if isinstance(X, (list, tuple)) and len(X) and (is_sparse(X[0]) or np.ndim(X[0]) >= 2):
        raise ValueError(f"expected one input, found a list of {len(X)}; rips_many takes several")
    if is_precomputed:
        array = floats(X)
        if array.ndim == 1:
            return _condensed(array, births, symmetrize)
        return _matrix(_of_two_axes(array, "distances of shape (n, n)"), births, symmetrize)
    if is_euclidean:
        return _lacuna.points(_points(floats(X)))
    if not (isinstance(metric, str) or callable(metric)):
        raise TypeError(f"metric: expected the name of a metric or a function of two points, found {metric!r}")
    pdist = extra("scipy.spatial.distance", "scipy", f"metric={metric!r}").pdist
    # Some metrics are of points whose coordinates are no numbers.
    points = _points(np.asarray(unmasked(X)))
    return _lacuna.condensed(len(points), pdist(points, METRICS.get(metric, metric) if isinstance(metric, str) else metric, **(metric_params or {})))


def _of_two_axes(array: NDArray[Any], expected: str) -> NDArray[Any]:
    if array.ndim != 2:
        several = "; rips_many takes several inputs" if array.ndim > 2 else ""
        raise ValueError(f"expected {expected}, found an array of shape {array.shape}{several}")
    return array


def _points(array: NDArray[Any]) -> NDArray[Any]:
    """An array whose rows are points."""
    expected = "points of shape (n, d)"
    if array.shape == (0,):
        raise ValueError(f"expected {expected}, one or more, found none")
    if array.ndim == 1:
        ways = 'X.reshape(-1, 1) makes points of one coordinate, metric="precomputed" takes distances as pdist lists them'
        raise ValueError(f"expected {expected}, found an array of shape {array.shape}; {ways}")
    _of_two_axes(array, expected)
    tell_of_distances(array)
    return array


def tell_of_distances(array: NDArray[Any]) -> bool:
    """Warns of an array, whose rows are points, if it looks like distances, and says whether it does: whether it is square, symmetric, 0 on its
    diagonal and nowhere negative, up to rounding, and large enough for that to be no chance."""
    if array.ndim != 2 or array.shape[0] != array.shape[1] or len(array) < 3 or array.dtype.kind not in "iuf":
        return False
    # What differs by rounding alone, as the program has it for files.
    rounding = 1e-4 * float(np.max(array, initial=0, where=np.isfinite(array)))
    if np.abs(array.diagonal()).max() > rounding or not array.min() >= -rounding:
        return False
    if not np.allclose(array, array.T, rtol=0, atol=rounding):
        return False
    found = f"the array of shape {array.shape} is symmetric and 0 on its diagonal, as distances are, and its rows are taken for points"
    hint(f'{found}; metric="precomputed" takes it for distances')
    return True


def _matrix(distances: NDArray[Any], births: bool, symmetrize: str | None) -> _lacuna.Distances:
    """Distances (n, n). An error about what an option allows names the option."""
    try:
        return _lacuna.matrix(distances, births, symmetrize)
    except ValueError as error:
        if distances.shape[0] != distances.shape[1] or not np.min(distances, initial=0) >= 0:
            raise
        if not births and distances.diagonal().any():
            ways = 'weights="diagonal" takes the diagonal for births; of similarities up to 1, 1 - X are distances'
        elif symmetrize is None and not np.array_equal(distances, distances.T):
            ways = 'symmetrize="upper" takes the upper half, "max" the greater of two'
        else:
            raise
        raise ValueError(f"{error}; {ways}") from None


def _condensed(distances: NDArray[Any], births: bool, symmetrize: str | None) -> _lacuna.Distances:
    """Distances as SciPy's `pdist` lists them."""
    found = len(distances)
    if births or symmetrize is not None:
        option = 'weights="diagonal"' if births else "symmetrize"
        raise ValueError(f"{option}: expected distances of shape (n, n), found a list of {found}")
    points = (1 + math.isqrt(1 + 8 * found)) // 2
    if not found or points * (points - 1) // 2 != found:
        raise ValueError(f"expected distances of shape (n, n), or n (n - 1) / 2 distances as SciPy's pdist lists them, found {found}")
    return _lacuna.condensed(points, distances)


def _edges(matrix: Any, births: bool) -> _lacuna.Distances:
    """The stored entries of a sparse matrix as edges; those of the diagonal are births, or must be zeros."""
    rows = matrix.tocsr()
    if rows.shape[0] != rows.shape[1]:
        raise ValueError(f"expected a square matrix, a row and a column for each point, found {rows.shape[0]} x {rows.shape[1]}")
    if not rows.has_sorted_indices:
        rows = rows.sorted_indices()
    starts, columns, entries = rows.indptr, rows.indices, floats(rows.data)
    if not births:
        return _lacuna.edges(rows.shape[0], starts, columns, entries, None)
    row_of = np.repeat(np.arange(rows.shape[0], dtype=columns.dtype), np.diff(starts))
    is_birth = row_of == columns
    born = np.zeros(rows.shape[0], dtype=entries.dtype)
    born[columns[is_birth]] = entries[is_birth]
    left = np.zeros_like(starts)
    np.cumsum(np.bincount(row_of[~is_birth], minlength=rows.shape[0]), out=left[1:])
    return _lacuna.edges(rows.shape[0], left, columns[~is_birth], entries[~is_birth], born)
