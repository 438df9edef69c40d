"""What ``ripser`` (ripser.py 0.6) offers: ``from lacuna_tda.compat.ripser import ripser, Rips, lower_star_img``.

Bars have the values of single precision that ripser.py's have. Dimension 0 comes by death, essential bars last; higher dimensions by descending
birth.

>>> import numpy as np
>>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.5, 0.5]])
>>> ripser(square[:4])["dgms"][1]
array([[1.        , 1.41421354]])
>>> lower_star_img(np.array([[0.0, 5.0, 1.0]]))
array([[ 1.,  5.],
       [ 0., inf]])
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import Diagram, cubical
from .._arguments import is_sparse, numbers, unmasked
from ._filtration import Graph, barcode_of_graph, barcode_of_matrix
from ._metric import Metric, from_point, pairwise

if TYPE_CHECKING:
    from ._ripser_transformer import Rips

__all__ = ["Rips", "correlation_to_distance", "lower_star_img", "ripser"]


def __getattr__(name: str) -> Any:
    # The class is scikit-learn's, which the functions do not need.
    if name == "Rips":
        from ._ripser_transformer import Rips

        return Rips
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def ripser(
    X: Any,
    maxdim: int = 1,
    thresh: float = np.inf,
    coeff: int = 2,
    distance_matrix: bool = False,
    do_cocycles: bool = False,
    metric: Metric = "euclidean",
    n_perm: int | None = None,
) -> dict[str, Any]:
    """The barcode of points or of distances.

    Parameters
    ----------
    X : array (n, d), array (n, n) or sparse matrix (n, n)
        Points, or distances if `distance_matrix` says so. Of distances the entries above the diagonal count; those of the diagonal are when
        points are born. What a sparse matrix does not store is no edge.
    maxdim : int
        The highest homology dimension.
    thresh : float
        The greatest length of an edge.
    coeff : int
        The prime p of the field Z/p.
    distance_matrix : bool
        Whether `X` holds distances.
    do_cocycles : bool
        Whether cocycles are wanted.
    metric : str or function
        The metric of points, as scikit-learn names it.
    n_perm : int, optional
        Of so many points alone, each the farthest from those before it, starting with point 0.

    Returns
    -------
    dict
        ``dgms``: for each dimension an array (m, 2) of float64. ``cocycles``: for each dimension a list, of a cocycle for each bar if
        `do_cocycles`, without any in dimension 0; a cocycle is an array (k, d + 2) of int64, a row the descending vertices of a simplex and its
        coefficient. ``num_edges``: the number of edges up to the threshold, or to the enclosing radius where there is none. ``dperm2all``: the
        distances (n, n), or (n_perm, n) from the chosen points. ``idx_perm``: the chosen points, or all. ``r_cover``: the greatest distance of
        a point to the nearest chosen one.

    Raises
    ------
    ValueError
        Distances that are not square, NaN, or shorter than the births of their points; `n_perm` that is negative, greater than the number of
        points, or comes with a sparse matrix; a modulus that is no prime.

    Warns
    -----
    UserWarning
        Points that may be meant as distances, being square, or as their transpose, being wider than high.
    """
    X = X if is_sparse(X) else np.asarray(unmasked(X))
    if X.ndim != 2:
        way = "; scipy.spatial.distance.squareform makes one of the distances that pdist lists" if distance_matrix and X.ndim == 1 else ""
        raise ValueError(f"X: expected an array of two axes, found shape {X.shape}{way}")
    height, width = X.shape
    if distance_matrix and height != width:
        raise ValueError(f"Distance matrix is not square: found {height} x {width}")
    if not distance_matrix and height == width:
        warnings.warn(
            "The input matrix is square, but the distance_matrix flag is off: its rows are taken for points",
            stacklevel=2,
        )
    elif not distance_matrix and height < width:
        warnings.warn("The input point cloud has more columns than rows: each row is taken for a point", stacklevel=2)
    distances, from_chosen, chosen, radius = _distances(X, distance_matrix, metric, n_perm)
    is_chosen = n_perm is not None and 0 < n_perm < height
    options: dict[str, Any] = {"modulus": coeff, "representatives": "cocycles" if do_cocycles else None}
    if is_sparse(distances):
        graph = _graph(distances)
        edges = int(np.count_nonzero(graph.lengths <= thresh))
        found = barcode_of_graph(graph, maxdim, thresh, **options)
    else:
        single = distances.astype(np.float32, copy=False)
        edges = _edges_up_to(single, thresh)
        found = barcode_of_matrix(single, maxdim, thresh, **options)
    return {
        "dgms": [found.bars(dim) for dim in range(maxdim + 1)],
        "cocycles": [_cocycles(found, dim, chosen if is_chosen else None) for dim in range(maxdim + 1)],
        "num_edges": edges,
        "dperm2all": from_chosen,
        "idx_perm": chosen,
        "r_cover": radius,
    }


def _distances(
    X: Any, are_distances: bool, metric: Metric, wanted: int | None
) -> tuple[Any, Any, NDArray[np.int64], float]:
    """The distances of the points that count, their distances to all points, their numbers, and their covering radius."""
    points = X.shape[0]
    if wanted:
        if are_distances and is_sparse(X):
            raise ValueError("Greedy permutation is not supported for sparse distance matrices")
        if wanted > points:
            raise ValueError(
                f"Number of points in greedy permutation is greater than the number of points: {wanted} of {points}"
            )
        if wanted < 0:
            raise ValueError(f"n_perm: Should be a strictly positive number, found {wanted}")
    if not wanted or wanted == points:
        all_distances = X if are_distances else pairwise(X, metric)
        return all_distances, all_distances, np.arange(points), 0.0
    chosen, rows = [0], [X[0] if are_distances else from_point(X, 0, metric)]
    nearest = rows[0]
    while len(chosen) < wanted:
        farthest = int(np.argmax(nearest))
        chosen.append(farthest)
        rows.append(X[farthest] if are_distances else from_point(X, farthest, metric))
        nearest = np.minimum(nearest, rows[-1])
    from_chosen, numbers = np.array(rows), np.array(chosen, dtype=np.int64)
    return from_chosen[:, numbers], from_chosen, numbers, float(np.max(nearest))


def _graph(matrix: Any) -> Graph:
    """The entries above the diagonal of a sparse matrix as edges, and those of the diagonal as births."""
    entries = matrix.tocoo()
    lengths = entries.data.astype(np.float32)
    births = np.zeros(matrix.shape[0], dtype=np.float32)
    is_birth, is_edge = entries.row == entries.col, entries.row < entries.col
    births[entries.row[is_birth]] = lengths[is_birth]
    return Graph(births, entries.row[is_edge], entries.col[is_edge], lengths[is_edge])


def _edges_up_to(distances: NDArray[np.float32], threshold: float) -> int:
    """The number of entries above the diagonal that are not above the threshold, or the enclosing radius where there is none."""
    if len(distances) < 2:
        return 0
    if threshold == np.inf and not distances.diagonal().any():
        upper = np.where(np.tri(len(distances), dtype=bool), np.float32(-np.inf), distances)
        threshold = float(np.maximum(upper.max(axis=0), upper.max(axis=1)).min())
    return int(np.count_nonzero(np.triu(distances <= threshold, 1)))


def _cocycles(found: Diagram, dim: int, numbers: NDArray[np.int64] | None) -> list[NDArray[np.int64]]:
    """The cocycles of a dimension, in the order of its bars: rows of descending vertices and a coefficient each."""
    tables = found.representatives
    if tables is None or dim >= len(tables) or tables[dim].cocycles is None:
        return []
    rows = []
    for simplices, coefficients in tables[dim].cocycles or []:
        vertices = simplices[:, ::-1] if numbers is None else numbers[simplices[:, ::-1]]
        rows.append(np.column_stack([vertices, coefficients]))
    return rows


def lower_star_img(img: Any) -> NDArray[np.float64]:
    """The components of the sublevel sets of an image, whose pixels touch at corners as well.

    Parameters
    ----------
    img : array (m, n)
        The image, taken in single precision.

    Returns
    -------
    array (k, 2)
        Births and deaths by death, essential bars last.

    Raises
    ------
    ValueError
        An array that has not two axes, or holds NaN.
    """
    image = numbers(img, "an image")
    if image.ndim != 2:
        raise ValueError(f"img: expected an array of two axes, found shape {image.shape}")
    bars = cubical(image.astype(np.float32), construction="T", max_dim=0).bars(0)
    return bars[np.argsort(bars[:, 1], kind="stable")]


def correlation_to_distance(C: Any, check_input: bool = True) -> NDArray[np.float64]:
    """The distances sqrt(2 (1 - c)) of correlations c, those of unit vectors with these inner products.

    Parameters
    ----------
    C : array (n, n)
        Symmetric, with correlations from -1 to 1.
    check_input : bool
        Whether it is looked at whether it is.

    Returns
    -------
    array (n, n)
        From 0 to 2, and 0 on the diagonal.

    Raises
    ------
    ValueError
        An array of another shape or that is not symmetric; a number that is more than 0.05 off the range of correlations.

    Warns
    -----
    RuntimeWarning
        A number that is less off, and is set to the nearest correlation; a diagonal whose entries are not 1 to within 0.001.

    Examples
    --------
    >>> correlation_to_distance([[1.0, -1.0], [-1.0, 1.0]])
    array([[0., 2.],
           [2., 0.]])
    """
    correlations = np.asarray(C, dtype=np.float64)
    if check_input:
        if correlations.ndim != 2:
            raise ValueError(f"Input must be a 2D matrix, found an array of {correlations.ndim} axes")
        if correlations.shape[0] != correlations.shape[1]:
            raise ValueError(f"Matrix must be square, found shape {correlations.shape}")
        if not np.allclose(correlations, correlations.T, rtol=1e-5, atol=1e-5):
            raise ValueError("Matrix must be symmetric, found entries that differ from those across the diagonal")
        size = np.abs(correlations).max(initial=0.0)
        if size > 1.05:
            raise ValueError(
                f"Values are significantly outside the valid correlation bounds [-1, 1]: found one of magnitude {size:g}"
            )
        if size > 1.0:
            warnings.warn(
                "Some values are slightly outside the valid correlation bounds [-1, 1] and are taken for the bounds",
                RuntimeWarning,
                stacklevel=2,
            )
        if not np.allclose(correlations.diagonal(), 1.0, atol=1e-3):
            warnings.warn(
                "The matrix diagonal elements deviate from 1.0, as those of correlations do not",
                RuntimeWarning,
                stacklevel=2,
            )
    distances = np.sqrt(2.0 * (1.0 - np.clip(correlations, -1.0, 1.0)))
    np.fill_diagonal(distances, 0.0)
    return distances
