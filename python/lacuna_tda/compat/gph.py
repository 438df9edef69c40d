"""What ``gph`` (giotto-ph 0.2) offers: ``from lacuna_tda.compat.gph import ripser_parallel``.

Bars are arrays of single precision, as giotto-ph's are. Dimension 0 comes by death and higher dimensions by descending birth, essential bars
last.

>>> import numpy as np
>>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
>>> ripser_parallel(square)["dgms"][1]
array([[1.       , 1.4142135]], dtype=float32)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .. import Diagram
from .._arguments import is_sparse, unmasked
from .._extras import extra
from ._filtration import Graph, barcode_of_graph, barcode_of_matrix
from ._metric import Metric, pairwise

__all__ = ["ripser_parallel"]

Weights = Literal["DTM"] | NDArray[Any] | None
Edges = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]


def ripser_parallel(
    X: Any,
    maxdim: int = 1,
    thresh: float = np.inf,
    coeff: int = 2,
    metric: Metric = "euclidean",
    metric_params: Mapping[str, Any] = {},
    nearest_neighbors_params: Mapping[str, Any] = {},
    weights: Weights = None,
    weight_params: Mapping[str, Any] | None = None,
    collapse_edges: bool = False,
    n_threads: int = 1,
    return_generators: bool = False,
) -> dict[str, Any]:
    """The barcode of points, of distances, or of a weighted graph.

    Parameters
    ----------
    X : array (n, d), array (n, n) or sparse matrix
        Points; or with ``metric="precomputed"`` distances, of which the entries above the diagonal count and those of the diagonal are when
        points are born. A sparse matrix may store an edge on either side of the diagonal; of two that differ the upper one counts. What it does
        not store is no edge.
    maxdim : int
        The highest homology dimension.
    thresh : float
        The greatest length of an edge. If it is finite and `X` holds points, only the distances up to it are computed.
    coeff : int
        The prime p of the field Z/p.
    metric, metric_params
        The metric of points, as scikit-learn names it, and its parameters.
    nearest_neighbors_params : mapping
        Arguments of scikit-learn's ``NearestNeighbors``, which computes distances up to a threshold.
    weights : "DTM" or array (n,), optional
        The weights of points in a weighted filtration: their distances to measure, or those given, which are not negative.
    weight_params : mapping, optional
        ``"p"``: 1 (the default), 2 or ``numpy.inf``, how weights and distances make the lengths of edges. Of distances to measure also
        ``"n_neighbors"`` (3) and ``"r"`` (2), the exponent. Weights are births of sparse inputs too, where giotto-ph leaves points born at 0.
    collapse_edges : bool
        Whether edges are collapsed first whatever it costs; bars are the same.
    n_threads : int
        The number of threads; -1 is one a core.
    return_generators : bool
        Whether the simplices are wanted that bars begin and end with.

    Returns
    -------
    dict
        ``dgms``: for each dimension an array (m, 2) of float32. If `return_generators`, ``gens``: four things, whose rows are those of the
        finite or the essential bars in their order, and whose edges have the greater vertex first. An array (m, 3), the point a finite bar of
        dimension 0 is born with and the edge that ends it; for each dimension from 1 on an array (m, 4), the longest edges of the simplices a
        finite bar begins and ends with; an array (m,), the points of essential bars of dimension 0; for each dimension from 1 on an array
        (m, 2), the longest edges that essential bars begin with. All of int64.

    Raises
    ------
    NotImplementedError
        Generators of a collapsed filtration, or another ``"p"``.
    ValueError
        A modulus that is no prime, another name of weights, weights that are negative or of another number, negative distances that are to be
        weighted, NaN.
    """
    if collapse_edges and return_generators:
        raise NotImplementedError(
            "collapse_edges, return_generators: expected one of them at most, as simplices of a collapsed filtration are others"
        )
    options: dict[str, Any] = {
        "modulus": coeff,
        "collapse": "on" if collapse_edges else "auto",
        "threads": None if n_threads < 0 else max(n_threads, 1),
        "representatives": "simplices" if return_generators else None,
    }
    if metric == "precomputed":
        distances = X if is_sparse(X) else np.asarray(unmasked(X))
    elif thresh != np.inf:
        distances = _near(X, thresh, metric, metric_params, nearest_neighbors_params, n_threads)
    else:
        distances = pairwise(X, metric, metric_params)
    if is_sparse(distances):
        points = max(distances.shape)
        graph = _weighted_graph(points, _undirected(distances), weights, weight_params)
        found = barcode_of_graph(graph, maxdim, thresh, **options)
    else:
        if weights is not None:
            distances = _weighted_matrix(distances, weights, weight_params)
        found = barcode_of_matrix(distances, maxdim, thresh, **options)
    answer: dict[str, Any] = {"dgms": [_finite_first(found.bars(dim)) for dim in range(maxdim + 1)]}
    if return_generators:
        answer["gens"] = _generators(found, maxdim)
    return answer


def _finite_first(bars: NDArray[np.float64]) -> NDArray[np.float32]:
    """Bars in single precision, those that never end last."""
    order = np.argsort(bars[:, 1] == np.inf, kind="stable")
    return bars[order].astype(np.float32)


def _near(
    points: Any,
    threshold: float,
    metric: Metric,
    metric_params: Mapping[str, Any],
    neighbor_params: Mapping[str, Any],
    threads: int,
) -> Any:
    """The distances up to a threshold, as a sparse matrix."""
    neighbors = extra("sklearn.neighbors", "scikit-learn", "a threshold of points")
    near = neighbors.NearestNeighbors(
        radius=threshold, metric=metric, metric_params=dict(metric_params), n_jobs=threads, **neighbor_params
    )
    return near.fit(points).radius_neighbors_graph(mode="distance")


def _undirected(matrix: Any) -> Edges:
    """The entries of a sparse matrix with the lesser index first; of two across the diagonal the upper one."""
    entries = matrix.tocoo()
    lesser, greater = np.minimum(entries.row, entries.col), np.maximum(entries.row, entries.col)
    is_below = entries.row > entries.col
    if not is_below.any():
        return lesser, greater, entries.data
    places = lesser.astype(np.int64) * max(matrix.shape) + greater
    is_kept = ~is_below | ~np.isin(places, places[~is_below])
    return lesser[is_kept], greater[is_kept], entries.data[is_kept]


def _weighted_graph(points: int, edges: Edges, weights: Weights, params: Mapping[str, Any] | None) -> Graph:
    """The graph whose points are born at the diagonal's entries, or at their weights."""
    lesser, greater, lengths = edges
    is_edge = lesser != greater
    births = np.zeros(points)
    if weights is None:
        births[lesser[~is_edge]] = lengths[~is_edge]
        lesser, greater, lengths = lesser[is_edge], greater[is_edge], lengths[is_edge]
    else:
        _check_weighted(lengths)
        lesser, greater, lengths = lesser[is_edge], greater[is_edge], lengths[is_edge]
        if _are_to_measure(weights):
            ends, others = np.concatenate([lesser, greater]), np.concatenate([greater, lesser])
            births = _to_measure_in_graph(points, ends, others, np.concatenate([lengths, lengths]), params)
        else:
            births = _checked(weights, points)
        lengths = _weighted(lengths, births[lesser], births[greater], params)
    return Graph(births.astype(np.float32), lesser, greater, lengths.astype(np.float32))


def _weighted_matrix(
    distances: NDArray[Any], weights: Weights, params: Mapping[str, Any] | None
) -> NDArray[np.float64]:
    """The lengths of edges in a weighted filtration, with the weights on the diagonal."""
    _check_weighted(distances)
    upper = np.triu(distances.astype(np.float64), 1)
    symmetric = upper + upper.T
    points = len(symmetric)
    if _are_to_measure(weights):
        neighbors = _neighbors(params)
        if neighbors >= points:
            raise ValueError(f"n_neighbors: expected fewer than {points}, the number of points, found {neighbors}")
        others = symmetric.copy()
        np.fill_diagonal(others, np.inf)
        births = _distance_to_measure(np.partition(others, neighbors - 1, axis=1)[:, :neighbors], params)
    else:
        births = _checked(weights, points)
    lengths = _weighted(symmetric, births[:, None], births[None, :], params)
    np.fill_diagonal(lengths, births)
    return lengths


def _are_to_measure(weights: Weights) -> bool:
    if isinstance(weights, str) and weights != "DTM":
        raise ValueError(f"'{weights}' passed for `weights` but the only allowed string is 'DTM'")
    return isinstance(weights, str)


def _check_weighted(distances: NDArray[Any]) -> None:
    if np.any(distances < 0):
        raise ValueError(f"weights: expected distances that are not negative, found {distances.min()}")


def _checked(weights: Any, points: int) -> NDArray[np.float64]:
    """Weights that are given for each point."""
    found = np.asarray(weights, dtype=np.float64).ravel()
    if len(found) != points:
        raise ValueError(f"weights: expected one for each of {points} points, found {len(found)}")
    if np.any(found < 0):
        raise ValueError(f"weights: expected numbers that are not negative, found {found.min()}")
    return found


def _neighbors(params: Mapping[str, Any] | None) -> int:
    return int((params or {}).get("n_neighbors", 3))


def _distance_to_measure(nearest: NDArray[Any], params: Mapping[str, Any] | None) -> NDArray[np.float64]:
    """Twice the distance to measure of points whose k nearest others are at these distances, (n, k): the point itself is one of k + 1."""
    exponent = float((params or {}).get("r", 2))
    mean = np.sum(nearest.astype(np.float64) ** exponent, axis=1) / (nearest.shape[1] + 1)
    return np.asarray(2.0 * mean ** (1.0 / exponent))


def _to_measure_in_graph(
    points: int,
    ends: NDArray[Any],
    others: NDArray[Any],
    lengths: NDArray[Any],
    params: Mapping[str, Any] | None,
) -> NDArray[np.float64]:
    """The weights of points whose neighbours are those of a graph, whose edges are listed once for each of their ends."""
    neighbors = _neighbors(params)
    by_end = np.lexsort((others, lengths, ends))
    degrees = np.bincount(ends, minlength=points)
    if degrees.min() < neighbors:
        point = int(degrees.argmin())
        raise ValueError(
            f"n_neighbors: expected {neighbors} edges or more at each point, found {degrees[point]} at point {point}"
        )
    firsts = np.concatenate([[0], np.cumsum(degrees)[:-1]])
    nearest = lengths[by_end][firsts[:, None] + np.arange(neighbors)[None, :]]
    return _distance_to_measure(nearest, params)


def _weighted(
    lengths: NDArray[Any], births: NDArray[Any], other_births: NDArray[Any], params: Mapping[str, Any] | None
) -> NDArray[np.float64]:
    """When two balls meet whose radii grow from their births on: Anai et al., DTM-based filtrations, section 3."""
    growth = (params or {}).get("p", 1)
    later, apart = np.maximum(births, other_births), np.abs(births - other_births)
    if growth == np.inf:
        return np.asarray(np.maximum(lengths, later), dtype=np.float64)
    if growth == 1:
        return np.asarray(np.where(2 * lengths <= apart, later, lengths + (births + other_births) / 2))
    if growth == 2:
        is_inside = 4 * lengths**2 <= np.abs(births**2 - other_births**2)
        squares = lengths**2
        with np.errstate(divide="ignore", invalid="ignore"):
            meeting = np.sqrt((squares + ((births + other_births) / 2) ** 2) * (squares + (apart / 2) ** 2)) / lengths
        return np.asarray(np.where(is_inside, later, np.where(np.isinf(lengths), np.inf, meeting)))
    raise NotImplementedError(f"weight_params: expected p to be 1, 2 or inf, found {growth}")


def _generators(
    found: Diagram, max_dim: int
) -> tuple[NDArray[Any], list[NDArray[Any]], NDArray[Any], list[NDArray[Any]]]:
    """The simplices of bars, as the documentation of :func:`ripser_parallel` has them."""
    tables = found.representatives or []
    of_finite, of_essential = [], []
    for dim in range(max_dim + 1):
        if dim >= len(tables):
            of_finite.append(np.empty((0, 4 if dim else 3), dtype=np.int64))
            of_essential.append(np.empty((0, 2), dtype=np.int64) if dim else np.empty(0, dtype=np.int64))
            continue
        table = tables[dim]
        births = table.birth_edges[:, ::-1] if dim else table.birth_simplices
        deaths = table.death_edges[:, ::-1]
        is_essential = deaths[:, 0] < 0
        of_finite.append(np.column_stack([births, deaths])[~is_essential])
        of_essential.append(births[is_essential] if dim else births[is_essential, 0])
    return of_finite[0], of_finite[1:], of_essential[0], of_essential[1:]
