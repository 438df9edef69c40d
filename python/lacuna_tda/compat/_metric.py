"""Distances of points, in the precision that scikit-learn gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arguments import is_sparse, unmasked

Metric = str | Callable[[Any, Any], float]


def pairwise(points: Any, metric: Metric, params: Mapping[str, Any] | None = None) -> NDArray[Any]:
    """The distances of n points, (n, n): the Euclidean ones by SciPy, which does not lose digits of small ones; all others by scikit-learn."""
    if metric != "euclidean" or params or is_sparse(points):
        from sklearn.metrics.pairwise import pairwise_distances

        return np.asarray(pairwise_distances(points, metric=metric, **(params or {})))
    from scipy.spatial.distance import pdist, squareform

    array = np.asarray(unmasked(points))
    if array.ndim != 2:
        raise ValueError(f"expected points of shape (n, d), found an array of shape {array.shape}")
    if len(array) == 0:
        return np.zeros((0, 0))
    distances: NDArray[Any] = squareform(pdist(array))
    return distances.astype(np.float32) if array.dtype == np.float32 else distances


def from_point(points: Any, point: int, metric: Metric) -> NDArray[Any]:
    """The distances of all n points to one of them, (n,)."""
    if metric != "euclidean" or is_sparse(points):
        from sklearn.metrics.pairwise import pairwise_distances

        distances = pairwise_distances(points, points[[point]], metric=metric).ravel()
        distances[point] = 0
        return np.asarray(distances)
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(points, points[[point]]).ravel())
