"""Distances of points, in the precision that scikit-learn gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arguments import is_sparse, numbers
from .._extras import extra

Metric = str | Callable[[Any, Any], float]


def pairwise(points: Any, metric: Metric, params: Mapping[str, Any] | None = None) -> NDArray[Any]:
    """The distances of n points, (n, n): the Euclidean ones by SciPy, which does not lose digits of small ones; all others by scikit-learn."""
    if metric != "euclidean" or params or is_sparse(points):
        return np.asarray(_of_sklearn(metric)(points, metric=metric, **(params or {})))
    distance = extra("scipy.spatial.distance", "scipy", "distances of points")
    array = numbers(points)
    if array.ndim != 2:
        raise ValueError(f"expected points of shape (n, d), found an array of shape {array.shape}")
    if len(array) == 0:
        return np.zeros((0, 0))
    distances: NDArray[Any] = distance.squareform(distance.pdist(array))
    return distances.astype(np.float32) if array.dtype == np.float32 else distances


def from_point(points: Any, point: int, metric: Metric) -> NDArray[Any]:
    """The distances of all n points to one of them, (n,)."""
    if metric != "euclidean" or is_sparse(points):
        distances = _of_sklearn(metric)(points, points[[point]], metric=metric).ravel()
        distances[point] = 0
        return np.asarray(distances)
    cdist = extra("scipy.spatial.distance", "scipy", "distances of points").cdist
    return np.asarray(cdist(points, points[[point]]).ravel())


def _of_sklearn(metric: Metric) -> Callable[..., Any]:
    """scikit-learn's function of distances between points."""
    distances: Callable[..., Any] = extra("sklearn.metrics.pairwise", "scikit-learn", f"metric={metric!r}").pairwise_distances
    return distances
