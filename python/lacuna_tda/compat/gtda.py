"""What ``gtda.homology`` (giotto-tda 0.6) offers for clouds and images: ``from lacuna_tda.compat.gtda import VietorisRipsPersistence``.

Diagrams of a collection are one array, (samples, features, 3): birth, death, dimension, dimensions ascending. Each dimension has as many rows as
the sample with most bars in it, and one at least; those that a sample lacks are filled up by rows of length zero, at the least birth of the
dimension among all samples, or 0. An essential bar of dimension 0 is left out unless ``reduced_homology=False``. Needs scikit-learn.

>>> import numpy as np
>>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
>>> VietorisRipsPersistence().fit_transform([square, square[:2]])[1]
array([[0., 1., 0.],
       [0., 0., 0.],
       [0., 0., 0.],
       [1., 1., 1.]])
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import cubical
from .._arguments import is_sparse, numbers
from ._cells import cubical_pairs, is_beyond_voxels, may_have_torsion
from ._metric import Metric
from ._sklearn import FINITE, DataDimensionalityWarning, OfCollections, Parallel, check_array, check_is_fitted, delayed
from .gph import ripser_parallel

__all__ = ["CubicalPersistence", "VietorisRipsPersistence"]

OfSample = dict[int, NDArray[np.float64]]


class _Transformer(OfCollections):
    """What both transformers have: parameters that are looked at, and how diagrams become one array."""

    homology_dimensions: Sequence[int]
    coeff: int
    infinity_values: float | None
    reduced_homology: bool

    def _check_parameters(self) -> None:
        """Looks at what both transformers have, and keeps the dimensions, ascending."""
        dimensions = self.homology_dimensions
        _expect("homology_dimensions", dimensions, (list, tuple), "a list or tuple")
        for dim in dimensions:
            _expect("homology_dimensions", dim, Integral, "whole numbers")
            if dim < 0:
                raise ValueError(f"homology_dimensions: expected numbers from 0 up, found {dim}")
        if not dimensions:
            raise ValueError("homology_dimensions: expected one or more, found none")
        _expect("coeff", self.coeff, Integral, "a whole number")
        if self.coeff < 2:
            raise ValueError(f"coeff: expected a prime, found {self.coeff}")
        _expect("infinity_values", self.infinity_values, (Real, type(None)), "a number or None")
        _expect("reduced_homology", self.reduced_homology, (bool, np.bool_), "a truth value")
        self._dimensions = sorted(dimensions)

    def _array(self, samples: list[OfSample], infinity: float, spare: int) -> NDArray[np.float64]:
        """The diagrams of samples as one array, essential bars dying at `infinity`; of dimension 0 the row `spare` is that which may be left out."""
        blocks = []
        for dim in self._dimensions:
            kept = []
            for of_sample in samples:
                bars = of_sample[dim].copy()
                if dim == 0 and self.reduced_homology and len(bars):
                    bars = np.delete(bars, spare, axis=0)
                bars[bars[:, 1] == np.inf, 1] = infinity
                kept.append(bars[bars[:, 0] < bars[:, 1]])
            rows = max([1, *(len(bars) for bars in kept)])
            least = min((float(bars[:, 0].min()) for bars in kept if len(bars)), default=0.0)
            block = np.full((len(samples), rows, 3), least)
            block[:, :, 2] = dim
            for row, bars in zip(block, kept):
                row[: len(bars), :2] = bars
            blocks.append(block)
        return np.concatenate(blocks, axis=1)


class VietorisRipsPersistence(_Transformer):
    """Bars of Vietoris-Rips filtrations of a collection of clouds, of distances, or of weighted graphs.

    Parameters
    ----------
    metric : str or function
        The metric of points, as scikit-learn names it, or ``"precomputed"``.
    metric_params : dict
        Parameters of the metric.
    homology_dimensions : list or tuple of int
        The dimensions wanted.
    collapse_edges : bool
        Whether edges are collapsed first whatever it costs; bars are the same.
    coeff : int
        The prime p of the field Z/p.
    max_edge_length : float
        The greatest length of an edge.
    infinity_values : float, optional
        The deaths of essential bars; by default `max_edge_length`.
    reduced_homology : bool
        Whether one essential bar of dimension 0 is left out.
    n_jobs : int, optional
        The number of threads, as joblib counts jobs; a cloud is one job.

    Attributes
    ----------
    infinity_values_ : float
        The deaths of essential bars.
    """

    def __init__(
        self,
        metric: Metric = "euclidean",
        metric_params: Mapping[str, Any] = {},
        homology_dimensions: Sequence[int] = (0, 1),
        collapse_edges: bool = False,
        coeff: int = 2,
        max_edge_length: float = np.inf,
        infinity_values: float | None = None,
        reduced_homology: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.metric = metric
        self.metric_params = metric_params
        self.homology_dimensions = homology_dimensions
        self.collapse_edges = collapse_edges
        self.coeff = coeff
        self.max_edge_length = max_edge_length
        self.infinity_values = infinity_values
        self.reduced_homology = reduced_homology
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> VietorisRipsPersistence:
        """Check parameters and a collection, and set `infinity_values_`.

        Parameters
        ----------
        X : array (samples, n, d) or (samples, n, n), or list of arrays or sparse matrices
            The collection, as of :func:`lacuna_tda.compat.gph.ripser_parallel` each.

        Raises
        ------
        TypeError, ValueError
            A parameter of another type or out of its range; a collection that is none.

        Warns
        -----
        DataDimensionalityWarning
            Points that may be meant as distances, all being square.
        """
        self._check_parameters()
        _expect("metric", self.metric, (str, Callable), "a name or a function")
        _expect("metric_params", self.metric_params, dict, "a dict")
        _expect("collapse_edges", self.collapse_edges, (bool, np.bool_), "a truth value")
        _expect("max_edge_length", self.max_edge_length, Real, "a number")
        _clouds(X, self.metric == "precomputed")
        self.infinity_values_ = self.max_edge_length if self.infinity_values is None else self.infinity_values
        return self

    def transform(self, X: Any, y: Any = None) -> NDArray[np.float64]:
        """The diagrams of a collection, (samples, features, 3), as the module's documentation says."""
        check_is_fitted(self)
        jobs = Parallel(n_jobs=self.n_jobs, prefer="threads")
        samples = jobs(delayed(self._bars)(one) for one in _clouds(X, self.metric == "precomputed"))
        return self._array(samples, float(self.infinity_values_), spare=-1)

    def _bars(self, one: Any) -> OfSample:
        """The bars of one cloud, essential ones last."""
        diagrams = ripser_parallel(
            one,
            maxdim=self._dimensions[-1],
            thresh=self.max_edge_length,
            coeff=self.coeff,
            metric=self.metric,
            metric_params=self.metric_params,
            collapse_edges=self.collapse_edges,
        )["dgms"]
        return {dim: np.asarray(diagram, dtype=np.float64) for dim, diagram in enumerate(diagrams)}


class CubicalPersistence(_Transformer):
    """Bars of a collection of images, whose voxels are top cells.

    Parameters
    ----------
    homology_dimensions : list or tuple of int
        The dimensions wanted.
    coeff : int
        The prime p of the field Z/p. Bars may depend on it only if three axes are periodic or there are more than three; then they are computed
        over Z/2 alone.
    periodic_dimensions : array of bool, optional
        Of each axis, whether its end meets its beginning; by default no one's does.
    infinity_values : float, optional
        The deaths of essential bars; by default the greatest value among all images.
    reduced_homology : bool
        Whether the essential bar of dimension 0 that is born first is left out.
    n_jobs : int, optional
        The number of threads, as joblib counts jobs; an image is one job.

    Attributes
    ----------
    infinity_values_ : float
        The deaths of essential bars.
    periodic_dimensions_ : array of bool
        Of each axis, whether it is periodic.
    """

    def __init__(
        self,
        homology_dimensions: Sequence[int] = (0, 1),
        coeff: int = 2,
        periodic_dimensions: NDArray[np.bool_] | None = None,
        infinity_values: float | None = None,
        reduced_homology: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.homology_dimensions = homology_dimensions
        self.coeff = coeff
        self.periodic_dimensions = periodic_dimensions
        self.infinity_values = infinity_values
        self.reduced_homology = reduced_homology
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> CubicalPersistence:
        """Check parameters and a collection, and set `infinity_values_`.

        Parameters
        ----------
        X : array (samples, ...), or list of arrays
            The images.

        Raises
        ------
        TypeError, ValueError
            A parameter of another type or out of its range; a collection that is none.
        """
        images = _images(X)
        self._check_parameters()
        axes = images[0].ndim
        if self.periodic_dimensions is None:
            self.periodic_dimensions_ = np.zeros(axes, dtype=bool)
        else:
            _expect("periodic_dimensions", self.periodic_dimensions, np.ndarray, "an array")
            if self.periodic_dimensions.dtype != np.bool_:
                raise TypeError(f"periodic_dimensions: expected truth values, found {self.periodic_dimensions.dtype}")
            if self.periodic_dimensions.shape != (axes,):
                raise ValueError(
                    f"periodic_dimensions: expected one for each of {axes} axes, found shape {self.periodic_dimensions.shape}"
                )
            self.periodic_dimensions_ = self.periodic_dimensions.copy()
        greatest = max(float(np.max(image)) for image in images)
        self.infinity_values_ = greatest if self.infinity_values is None else self.infinity_values
        return self

    def transform(self, X: Any, y: Any = None) -> NDArray[np.float64]:
        """The diagrams of a collection, (samples, features, 3), as the module's documentation says; each dimension's bars by descending length.

        Raises
        ------
        ValueError
            Images of another number of axes than those that the transformer was fitted to, or with NaN; a field other than Z/2 where bars may
            depend on it.
        """
        check_is_fitted(self)
        jobs = Parallel(n_jobs=self.n_jobs, prefer="threads")
        samples = jobs(delayed(self._bars)(image) for image in _images(X))
        return self._array(samples, float(self.infinity_values_), spare=0)

    def _bars(self, image: NDArray[Any]) -> OfSample:
        """The bars of one image, longest first, of those of one length the first born."""
        periodic = self.periodic_dimensions_.tolist()
        if len(periodic) != image.ndim:
            raise ValueError(f"expected an image of {len(periodic)} axes, found {image.ndim}")
        if self.coeff != 2 and may_have_torsion(image.shape, periodic):
            raise ValueError(
                f"coeff: expected 2 for such images, whose bars may depend on the field, found {self.coeff}"
            )
        max_dim = self._dimensions[-1]
        # An axis of one voxel, whose end meets its beginning, is a circle there.
        are_circles = any(wraps and length == 1 for wraps, length in zip(periodic, image.shape))
        if are_circles or is_beyond_voxels(image.shape):
            pairs = cubical_pairs(image, vertices=False, max_dim=max_dim, periodic=periodic, threads=1)
            diagram = [of_dim.bars[of_dim.bars[:, 0] < of_dim.bars[:, 1]] for of_dim in pairs]
        else:
            axes = [axis for axis, wraps in enumerate(periodic) if wraps]
            diagram = list(cubical(image, max_dim=max_dim, periodic=axes, threads=1))
        diagram += [np.empty((0, 2))] * (max_dim + 1 - len(diagram))
        return {dim: bars[np.lexsort((bars[:, 0], bars[:, 0] - bars[:, 1]))] for dim, bars in enumerate(diagram)}


def _expect(name: str, value: Any, kinds: Any, expected: str) -> None:
    """Raises a ``TypeError`` if a parameter is of no such type."""
    if not isinstance(value, kinds):
        raise TypeError(f"{name}: expected {expected}, found {value!r}")


def _images(X: Any) -> list[NDArray[Any]]:
    """The images of a collection."""
    if hasattr(X, "shape") and np.ndim(X) < 2:
        raise ValueError(f"expected a collection of images, found an array of shape {np.shape(X)}")
    images = [numbers(image, "an image") for image in X]
    if not images:
        raise ValueError("expected one or more images, found none")
    return images


def _clouds(X: Any, are_distances: bool) -> list[Any]:
    """The clouds or distances of a collection, after a look at each."""
    if hasattr(X, "shape") and hasattr(X, "ndim"):
        if X.ndim != 3:
            hint = "; a single one is X[None, :, :]" if X.ndim == 2 else ""
            raise ValueError(f"expected an array of three axes or a list of arrays, found shape {X.shape}{hint}")
        if are_distances and X.shape[1] != X.shape[2]:
            raise ValueError(f"expected distances of shape (samples, n, n), found {X.shape}")
    clouds, problems = [], []
    for number, one in enumerate(X):
        try:
            cloud = check_array(one, accept_sparse=True, **{FINITE: not are_distances})
            if np.isnan(cloud.data if is_sparse(cloud) else cloud).any():
                raise ValueError("expected numbers or infinity, found NaN")
            if are_distances and not is_sparse(cloud) and cloud.shape[0] != cloud.shape[1]:
                raise ValueError(f"expected distances of shape (n, n), found {cloud.shape}")
            clouds.append(cloud)
        except ValueError as error:
            problems.append(f"input {number}: {error}")
    if problems:
        raise ValueError("\n".join(problems))
    if not clouds:
        raise ValueError("expected one or more inputs, found none")
    if not are_distances and all(cloud.shape[0] == cloud.shape[1] for cloud in clouds):
        warnings.warn(
            "All inputs are square, as distances are, but metric is not 'precomputed': their rows are taken for points",
            DataDimensionalityWarning,
            stacklevel=3,
        )
    return clouds
