"""What ``gudhi.sklearn`` (GUDHI 3.13) offers: ``from lacuna_tda.compat.gudhi import RipsPersistence, CubicalPersistence``.

The field is Z/11 unless told otherwise, as there. Needs scikit-learn.

>>> import numpy as np
>>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
>>> RipsPersistence(homology_dimensions=1).fit_transform([square])
[array([[1.        , 1.41421356]])]
>>> CubicalPersistence(homology_dimensions=[0, 1]).fit_transform([np.array([[1.0, 1.0, 1.0], [1.0, 9.0, 1.0], [1.0, 1.0, 1.0]])])
[[array([[ 1., inf]]), array([[1., 9.]])]]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .. import cubical, rips_many
from .._arguments import numbers
from ._cells import cubical_pairs, is_beyond_voxels, may_have_torsion
from ._sklearn import OfCollections, Parallel, check_is_fitted, delayed, effective_n_jobs

__all__ = ["CubicalPersistence", "RipsPersistence"]

Bars = NDArray[Any]
Diagrams = list[Bars] | list[list[Bars]]


class _OfDimensions(OfCollections):
    """What both transformers have: which dimensions are wanted, one or a list of them."""

    homology_dimensions: Any

    def _check_dimensions(self) -> None:
        if np.asarray(self.homology_dimensions, dtype=int).ndim > 1:
            raise ValueError(
                f"homology_dimensions: expected a number or a list of numbers, found {self.homology_dimensions}"
            )

    def fit(self, X: Any, Y: Any = None) -> Any:
        """Nothing is learned from data but what the parameters say."""
        self._check_dimensions()
        dimensions = np.asarray(self.homology_dimensions, dtype=int)
        self._unwrap = dimensions.ndim == 0
        self._dim_list = dimensions.reshape(-1)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.no_validation = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_dim_list")

    def _chosen(self, diagrams: list[list[Bars]]) -> Diagrams:
        """The wanted dimensions' bars, without a list around a single one."""
        return [bars[0] for bars in diagrams] if self._unwrap else diagrams


class RipsPersistence(_OfDimensions):
    """Bars of Vietoris-Rips filtrations.

    Parameters
    ----------
    homology_dimensions : int or sequence of int
        The dimension wanted, or those wanted.
    threshold : float
        The greatest length of an edge; without effect on ``"distance coo_matrix"``.
    input_type : str
        What inputs are: ``"point cloud"``, (n, d); ``"full distance matrix"``, (n, n); ``"lower distance matrix"``, (n, n) or rows of growing
        length, of which the entries below the diagonal count; ``"distance coo_matrix"``, a sparse matrix with each edge once.
    num_collapses : int or "auto"
        0: edges are not collapsed; ``"auto"``: where it should be faster; otherwise always. Bars are the same.
    homology_coeff_field : int
        The prime p of the field Z/p.
    n_jobs : int, optional
        The number of threads, as joblib counts jobs.
    """

    def __init__(
        self,
        homology_dimensions: int | Sequence[int],
        threshold: float = float("inf"),
        input_type: Literal[
            "point cloud", "full distance matrix", "lower distance matrix", "distance coo_matrix"
        ] = "point cloud",
        num_collapses: int | Literal["auto"] = "auto",
        homology_coeff_field: int = 11,
        n_jobs: int | None = None,
    ) -> None:
        self.homology_dimensions = homology_dimensions
        self.threshold = threshold
        self.input_type = input_type
        self.num_collapses = num_collapses
        self.homology_coeff_field = homology_coeff_field
        self.n_jobs = n_jobs
        self._check_dimensions()

    def transform(self, X: Any, Y: Any = None) -> Diagrams:
        """The bars of each input.

        Where there are too many points to number their simplices, those without an edge up to the threshold are counted only: each is a bar of
        dimension 0 that never ends.

        Parameters
        ----------
        X : sequence
            The inputs, of the kind that `input_type` says.

        Returns
        -------
        list
            For each input an array (m, 2) of float64, or a list of such arrays if `homology_dimensions` is a list. Dimension 0 comes by death,
            essential bars last; higher dimensions by descending birth.

        Raises
        ------
        ValueError
            Another `input_type`, a modulus that is no prime, or an input that is none; a transformer that is not fitted.
        """
        makers = {
            "point cloud": _points,
            "full distance matrix": _square,
            "lower distance matrix": _square,
            "distance coo_matrix": _edges,
        }
        check_is_fitted(self)
        if self.input_type not in makers:
            raise ValueError(f"input_type: expected one of {', '.join(makers)}, found {self.input_type!r}")
        are_points, are_edges = self.input_type == "point cloud", self.input_type == "distance coo_matrix"
        max_dim = int(max(self._dim_list, default=0))
        is_cut = self.threshold < float("inf") and not are_edges
        inputs, counts_alone = [], []
        for one in X:
            made, alone = makers[self.input_type](one), 0
            if (are_edges or (are_points and is_cut)) and _is_too_wide(made.shape[0], max_dim):
                made, alone = _without_lone(made) if are_edges else _without_far(made, self.threshold)
            inputs.append(made)
            counts_alone.append(alone)
        found = iter(
            rips_many(
                [one for one in inputs if one.shape[0]],
                metric="euclidean" if are_points else "precomputed",
                symmetrize=None if are_points or are_edges else "lower",
                max_dim=max_dim,
                threshold=float(self.threshold) if is_cut else None,
                modulus=self.homology_coeff_field,
                collapse="auto" if self.num_collapses == "auto" else "on" if self.num_collapses else "off",
                threads=effective_n_jobs(self.n_jobs),
            )
        )
        diagrams = []
        for one, alone in zip(inputs, counts_alone):
            # No points have no bars.
            diagram: Any = next(found) if one.shape[0] else None
            bars = {int(dim): diagram.bars(int(dim)) if diagram else np.empty((0, 2)) for dim in self._dim_list}
            if 0 in bars:
                bars[0] = np.concatenate([bars[0], np.tile([0.0, np.inf], (alone, 1))])
            diagrams.append([bars[int(dim)] for dim in self._dim_list])
        return self._chosen(diagrams)

    def get_feature_names_out(self, input_features: Any = None) -> list[str]:
        """The names of the columns of ``set_output``: H and the dimension."""
        return [f"H{dim}" for dim in self._dim_list]


def _points(one: Any) -> NDArray[np.float64]:
    return numbers(one).astype(np.float64, copy=False)


def _square(one: Any) -> NDArray[np.float64]:
    """The entries below the diagonal of an array, or of rows that may end there."""
    if hasattr(one, "shape"):
        one = numbers(one)
    points = len(one)
    square = np.zeros((points, points))
    for row, entries in enumerate(one):
        if len(entries) < row:
            raise ValueError(f"row {row} of a distance matrix: expected {row} entries or more, found {len(entries)}")
        square[row, :row] = entries[:row]
    return square


def _edges(one: Any) -> Any:
    """A sparse matrix of double precision whose entries are above the diagonal."""
    from scipy.sparse import csr_matrix

    entries = one.tocoo()
    places = np.minimum(entries.row, entries.col), np.maximum(entries.row, entries.col)
    return csr_matrix((entries.data.astype(np.float64), places), shape=entries.shape)


def _is_too_wide(points: int, max_dim: int) -> bool:
    """Whether simplices of so many points are too many to be counted in 128 bits, so that points that are in none had better be left out."""
    vertices = min(points // 2, max_dim + 2)
    return math.comb(points, vertices) >= 1 << 128


def _without_lone(graph: Any) -> tuple[Any, int]:
    """A graph without the points that no edge has, and their number."""
    is_joined = np.zeros(graph.shape[0], dtype=bool)
    entries = graph.tocoo()
    is_joined[entries.row] = is_joined[entries.col] = True
    return graph[is_joined][:, is_joined], int(np.count_nonzero(~is_joined))


def _without_far(points: NDArray[np.float64], threshold: float) -> tuple[NDArray[np.float64], int]:
    """Points without those that are farther than the threshold from all others, and their number."""
    from scipy.spatial import KDTree

    nearest = KDTree(points).query(points, k=2)[0][:, 1]
    is_far = nearest > threshold * (1 + 1e-9)
    return points[~is_far], int(np.count_nonzero(is_far))


class CubicalPersistence(_OfDimensions):
    """Bars of images.

    Parameters
    ----------
    homology_dimensions : int or sequence of int
        The dimension wanted, or those wanted.
    input_type : "top_dimensional_cells" or "vertices"
        What voxels are.
    homology_coeff_field : int
        The prime p of the field Z/p. No bars of images of up to three axes depend on it; of more axes, bars are computed over Z/2 alone.
    min_persistence : float
        Only bars that last longer are wanted; -1 for all, those of length zero too.
    n_jobs : int, optional
        The number of threads, as joblib counts jobs; an image is one job.
    """

    def __init__(
        self,
        homology_dimensions: int | Sequence[int],
        input_type: Literal["top_dimensional_cells", "vertices"] = "top_dimensional_cells",
        homology_coeff_field: int = 11,
        min_persistence: float = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.homology_dimensions = homology_dimensions
        self.input_type = input_type
        self.homology_coeff_field = homology_coeff_field
        self.min_persistence = min_persistence
        self.n_jobs = n_jobs
        self._check_dimensions()

    def transform(self, X: Any, Y: Any = None) -> Diagrams:
        """The bars of each image.

        Parameters
        ----------
        X : sequence of arrays
            Images of any number of axes.

        Returns
        -------
        list
            For each image an array (m, 2) of float64, or a list of such arrays if `homology_dimensions` is a list; of float32 in dimension 0 for
            lines of float32, arrays of one axis, or of two of which one has at most two pixels that are top cells. Bars come by death; loops of
            pixels that are top cells by descending birth.

        Raises
        ------
        ValueError
            Another `input_type`; an image with NaN; a field other than Z/2 where bars may depend on it.
        """
        check_is_fitted(self)
        if self.input_type not in ("top_dimensional_cells", "vertices"):
            raise ValueError(f"input_type: expected top_dimensional_cells or vertices, found {self.input_type!r}")
        jobs = Parallel(n_jobs=self.n_jobs, prefer="threads")
        return self._chosen(jobs(delayed(self._bars)(numbers(image, "an image")) for image in X))

    def _bars(self, image: NDArray[Any]) -> list[Bars]:
        """The bars of an image in the dimensions that are wanted."""
        are_vertices = self.input_type == "vertices"
        is_flat = image.ndim == 1 or (image.ndim == 2 and not are_vertices)
        is_line = image.ndim == 1 or (is_flat and min(image.shape) <= 2)
        max_dim = int(max(self._dim_list, default=0))
        found: dict[int, Bars] = {}
        if self.homology_coeff_field != 2 and may_have_torsion(image.shape, [False] * image.ndim):
            raise ValueError(
                f"homology_coeff_field: expected 2 for images of {image.ndim} axes, whose bars may depend on the field, "
                f"found {self.homology_coeff_field}"
            )
        if image.size == 0:
            pass
        elif self.min_persistence < 0 or is_beyond_voxels(image.shape):
            pairs = cubical_pairs(image, vertices=are_vertices, max_dim=max_dim, threads=1)
            for dim, classes in enumerate(pairs):
                length = classes.bars[:, 1] - classes.bars[:, 0]
                found[dim] = classes.bars[~(length <= self.min_persistence)]
        else:
            diagram = cubical(image, construction="V" if are_vertices else "T", max_dim=max_dim, threads=1)
            for dim, bars in enumerate(diagram):
                by = -bars[:, 0] if is_flat and dim else bars[:, 1]
                found[dim] = bars[np.argsort(by, kind="stable")]
                if self.min_persistence > 0:
                    found[dim] = found[dim][found[dim][:, 1] - found[dim][:, 0] > self.min_persistence]
        if is_line and self.min_persistence >= 0 and image.dtype == np.float32 and 0 in found:
            found[0] = found[0].astype(np.float32)
        return [found.get(int(dim), np.empty((0, 2))) for dim in self._dim_list]
