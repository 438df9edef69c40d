"""Vietoris-Rips filtrations as Ripser's descendants take them: of single precision, with births on the diagonal, of any sign.

:func:`lacuna_tda.rips` takes lengths that are not negative. Bars depend on the order of lengths alone, so those of a filtration with negative
ones are computed from the ranks of its lengths, and then given the lengths of these ranks: exactly what a computation on the lengths has.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import Diagram, rips

Floats = NDArray[np.float32]


class Graph(NamedTuple):
    """A weighted graph on n points, each edge once."""

    births: Floats
    """(n,): when the points are born."""
    lesser: NDArray[Any]
    """(m,): the point of an edge with the lesser number."""
    greater: NDArray[Any]
    """(m,): its other point."""
    lengths: Floats
    """(m,): when the edges are born."""


def barcode_of_matrix(matrix: NDArray[Any], max_dim: int, threshold: float, **options: Any) -> Diagram:
    """The barcode of the entries above the diagonal of a square matrix, points being born at the entries of the diagonal."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"expected distances of shape (n, n), found an array of shape {matrix.shape}")
    if len(matrix) == 0:
        return _nothing(max_dim)
    matrix = matrix.astype(np.float32, copy=False)
    births = matrix.diagonal()
    least = matrix.min()
    options |= {"metric": "precomputed", "max_dim": max_dim}
    if least >= 0 and threshold >= 0 and not births.any():
        return rips(matrix, symmetrize="upper", threshold=None if threshold == np.inf else float(threshold), **options)
    if np.isnan(least):
        row, column = np.argwhere(np.isnan(matrix))[0]
        raise ValueError(f"the distance of points {row} and {column}: expected a number or infinity, found NaN")
    # A point is there however late it is born, so the threshold cuts edges alone.
    lengths = np.triu(np.where(matrix > threshold, np.float32(np.inf), matrix), 1)
    lengths += lengths.T
    np.fill_diagonal(lengths, births)
    if least >= 0:
        return rips(lengths, weights="diagonal", **options)
    values = np.unique(lengths[np.isfinite(lengths)])
    ranks = _ranks(lengths, values)
    return _with_values(rips(ranks, weights="diagonal", **options), values)


def barcode_of_graph(graph: Graph, max_dim: int, threshold: float, **options: Any) -> Diagram:
    """The barcode of a weighted graph."""
    from scipy.sparse import csr_matrix

    points = len(graph.births)
    if points == 0:
        return _nothing(max_dim)
    is_kept = ~(graph.lengths > threshold)
    lesser, greater = graph.lesser[is_kept], graph.greater[is_kept]
    lengths: NDArray[Any] = graph.lengths[is_kept]
    options |= {"metric": "precomputed", "max_dim": max_dim, "threshold": np.inf}
    if not graph.births.any() and not np.any(lengths < 0):
        return rips(csr_matrix((lengths, (lesser, greater)), shape=(points, points)), **options)
    births: NDArray[Any] = graph.births
    values = None
    if np.any(births < 0) or np.any(lengths < 0):
        values = np.unique(np.concatenate([births, lengths]))
        if np.isnan(values).any():
            raise ValueError("expected lengths that are numbers, found NaN")
        births, lengths = _ranks(births, values), _ranks(lengths, values)
    diagonal = np.arange(points)
    rows, columns = np.concatenate([lesser, diagonal]), np.concatenate([greater, diagonal])
    matrix = csr_matrix((np.concatenate([lengths, births]), (rows, columns)), shape=(points, points))
    found = rips(matrix, weights="diagonal", **options)
    return found if values is None else _with_values(found, values)


def _nothing(max_dim: int) -> Diagram:
    """The barcode of no points."""
    return Diagram([np.empty((0, 2)) for _ in range(max_dim + 1)])


def _ranks(lengths: NDArray[Any], values: NDArray[Any]) -> NDArray[np.float64]:
    """The places of lengths among ascending values; infinity stays what it is."""
    ranks = np.searchsorted(values, lengths).astype(np.float64)
    ranks[lengths == np.inf] = np.inf
    return ranks


def _with_values(ranked: Diagram, values: NDArray[Any]) -> Diagram:
    """A diagram of ranks as one of the values that have these ranks."""

    def valued(bars: NDArray[np.float64]) -> NDArray[np.float64]:
        is_finite = np.isfinite(bars)
        found = bars.copy()
        found[is_finite] = values[bars[is_finite].astype(np.int64)]
        return found

    return Diagram([valued(bars) for bars in ranked], representatives=ranked.representatives)
