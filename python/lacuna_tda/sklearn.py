"""Transformers of scikit-learn: of point clouds, graphs, images and time series to diagrams, and of diagrams to rows of numbers.

>>> import numpy as np
>>> from sklearn.linear_model import LogisticRegression
>>> from sklearn.pipeline import make_pipeline
>>> from lacuna_tda.sklearn import Landscape, Rips
>>> rng = np.random.default_rng(0)
>>> is_disk = np.arange(60) % 2 == 1
>>> angles = rng.uniform(0, 2 * np.pi, (60, 40))
>>> radii = np.where(is_disk[:, None], np.sqrt(rng.random((60, 40))), 1)
>>> clouds = np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=-1)
>>> classifier = make_pipeline(Rips(), Landscape(dims=1), LogisticRegression())
>>> classifier.fit(clouds[:30], is_disk[:30]).score(clouds[30:], is_disk[30:])
1.0

==========================  =========================================================================
:class:`Rips`               clouds, distances or weighted graphs to diagrams
:class:`Cubical`            images to diagrams
:class:`EulerCurve`         images to Euler characteristic curves
:class:`DelayEmbedding`     time series to clouds
:class:`ShortestPaths`      graphs to distances
:class:`PersistenceImage`,  diagrams to vectors, as the functions of :mod:`lacuna_tda` of these names
:class:`Landscape`,
:class:`BettiCurve`,
:class:`Silhouette`,
:class:`Entropy`,
:class:`Lengths`
:class:`Amplitude`          diagrams to their distances from the diagram without bars
:class:`PairwiseDistance`   diagrams to their distances from those of ``fit``, or to a kernel
==========================  =========================================================================

Inputs come as a sequence, as an array whose first axis runs through them, or, beside ``input_shape``, as a table whose rows are flattened
inputs. Diagrams are a list of :class:`lacuna_tda.Diagram`, which scikit-learn splits like other samples. Vectors have the range that
``fit`` finds, so that all rows can be compared. Work is done on ``threads``, one a core by default; in the processes of scikit-learn's
``n_jobs``, ``threads=1`` is faster.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._arguments import births_and_deaths, count, flag, image as plain_image, is_sparse, optional_number, threads_of, unmasked, warn
from ._diagram import Bars, Diagram, finite
from ._distances import bottleneck, wasserstein
from ._extras import extra
from ._images import cubical_many, ecc
from ._machine import info
from ._options import CubicalManyOptions, EccOptions, RipsManyOptions, filled, takes
from ._rips import rips_many
from ._vectors import deviation, entropy, exponent, length, lengths, on_values, pair_of_ranges, persistence_image, sides, span, steps

_sklearn = extra("sklearn", "scikit-learn", "lacuna_tda.sklearn")

from .compat._sklearn import OfCollections, check_is_fitted

try:
    from sklearn.utils.validation import validate_data
except ImportError:
    found = _sklearn.__version__
    raise ImportError(f"lacuna_tda.sklearn needs scikit-learn 1.6 or later, found {found}: pip install -U scikit-learn") from None

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

__all__ = [
    "Amplitude",
    "BettiCurve",
    "Cubical",
    "DelayEmbedding",
    "Entropy",
    "EulerCurve",
    "Landscape",
    "Lengths",
    "PairwiseDistance",
    "PersistenceImage",
    "Rips",
    "ShortestPaths",
    "Silhouette",
]

Range = tuple[float, float]
Dims = int | Sequence[int] | None


class _ToNoTable(OfCollections):
    """A transformer whose answers are not rows of a table either, and which learns nothing."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags

    def set_output(self, *, transform: str | None = None) -> Self:
        """Changes nothing: a pipeline says to all of its transformers what is to become of rows."""
        return self


class _OfInputs(OfCollections):
    """A transformer of clouds or images, which may be flattened."""

    input_shape: tuple[int, ...] | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = self.input_shape is not None
        return tags

    def _set(self, table: type, options: Any) -> None:
        """Keeps options as attributes, as scikit-learn has it."""
        for name, value in filled(table, options).items():
            setattr(self, name, value)

    def _options(self, table: type) -> dict[str, Any]:
        """The options that were kept."""
        return {name: getattr(self, name) for name in table.__annotations__}

    def fit(self, X: Any, y: Any = None) -> Self:
        """Nothing is learned but the number of columns of a table.

        Parameters
        ----------
        X : sequence or array
            As that of ``transform``.
        """
        self._inputs(X, reset=True)
        return self

    def _must_be_finite(self) -> bool:
        """Whether infinities and NaN in a table are an error here. If not, the computation decides about them."""
        return False

    def _inputs(self, X: Any, reset: bool = False) -> Any:
        """The inputs: what is given, or the rows of a table in their shape."""
        if self.input_shape is None:
            if getattr(X, "ndim", 0) == 2:
                table = "input_shape=(rows, columns) takes each row for a flattened input of this shape"
                raise ValueError(f"X: expected a sequence of inputs or an array of three axes or more, found shape {X.shape}; {table}")
            return X
        rows = validate_data(self, X, reset=reset, ensure_all_finite=self._must_be_finite())
        try:
            return rows.reshape(len(rows), *self.input_shape)
        except (TypeError, ValueError):
            expected = f"expected a shape of {rows.shape[1]} numbers, as the rows of X have"
            raise ValueError(f"input_shape: {expected}, found {self.input_shape!r}") from None


class Rips(_ToNoTable, _OfInputs):
    """Diagrams of the Vietoris-Rips filtrations of point clouds, of distances, or of weighted graphs.

    Parameters
    ----------
    input_shape : tuple of int, optional
        The shape of an input whose numbers are a row of a table, such as ``(-1, 3)`` of points in space; by default each has its own.
    **options
        As those of :func:`lacuna_tda.rips`: ``metric``, ``max_dim``, ``threshold``, ``landmarks``, ``threads`` and all others.

    Examples
    --------
    >>> import numpy as np
    >>> from lacuna_tda.sklearn import Rips
    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> Rips(max_dim=1).fit_transform([square, square[:3]])
    [<Diagram H0: 4, H1: 1>, <Diagram H0: 3, H1: 0>]
    >>> Rips(input_shape=(-1, 2)).fit_transform(square.reshape(1, 8))
    [<Diagram H0: 4, H1: 1>]
    """

    @takes(RipsManyOptions)
    def __init__(self, *, input_shape: tuple[int, ...] | None = None, **options: Unpack[RipsManyOptions]) -> None:
        self.input_shape = input_shape
        self._set(RipsManyOptions, options)

    def _must_be_finite(self) -> bool:
        # Distances may be infinite.
        return bool(self._options(RipsManyOptions)["metric"] != "precomputed")

    def transform(self, X: Any) -> list[Diagram]:
        """The diagrams of all inputs, as :func:`lacuna_tda.rips_many` computes them.

        Parameters
        ----------
        X : sequence of arrays or sparse matrices, array (m, n, d) or (m, n, n), or table (m, numbers)
            Clouds; with ``metric="precomputed"`` distances or weighted graphs; with ``input_shape`` rows.

        Returns
        -------
        list of Diagram
            One for each input.
        """
        inputs = self._inputs(X)
        # An array of two axes holds distances as pdist lists them, which are no clouds.
        return rips_many(list(inputs) if getattr(inputs, "ndim", 3) == 2 else inputs, **self._options(RipsManyOptions))


class Cubical(_ToNoTable, _OfInputs):
    """Diagrams of images.

    Parameters
    ----------
    input_shape : tuple of int, optional
        The shape of an image whose voxels are a row of a table, such as ``(28, 28)``; by default each has its own.
    **options
        As those of :func:`lacuna_tda.cubical`: ``construction``, ``superlevel``, ``max_dim``, ``threads`` and all others.

    Examples
    --------
    >>> import numpy as np
    >>> from lacuna_tda.sklearn import Cubical
    >>> ring = np.array([[1, 1, 1], [1, 9, 1], [1, 1, 1]])
    >>> Cubical().fit_transform([ring])[0].bars(1)
    array([[1., 9.]])
    >>> Cubical(input_shape=(3, 3)).fit_transform(ring.reshape(1, 9))[0].bars(1)
    array([[1., 9.]])
    """

    @takes(CubicalManyOptions)
    def __init__(self, *, input_shape: tuple[int, ...] | None = None, **options: Unpack[CubicalManyOptions]) -> None:
        self.input_shape = input_shape
        self._set(CubicalManyOptions, options)

    def transform(self, X: Any) -> list[Diagram]:
        """The diagrams of all images.

        Parameters
        ----------
        X : sequence of arrays, array (m, ...) of three axes or more, or table (m, voxels)
            Images; with ``input_shape`` rows.

        Returns
        -------
        list of Diagram
            One for each image.
        """
        return cubical_many(self._inputs(X), **self._options(CubicalManyOptions))


class EulerCurve(_OfInputs):
    """Euler characteristic curves of images, at the bins of one range.

    Parameters
    ----------
    input_shape : tuple of int, optional
        As that of :class:`Cubical`.
    scales : int, optional
        As that of :func:`lacuna_tda.ecc`: the curves of all scales are one row.
    **options
        As those of :func:`lacuna_tda.ecc`; but ``bins`` are 100 by default, and their ``range`` is that of the finite voxels of all images
        of ``fit``. Of other images, a value below it is in the first bin, one above in none; of superlevel sets the other way round.

    Attributes
    ----------
    range_ : (low, high)
        Where bins begin and end.

    Examples
    --------
    >>> import numpy as np
    >>> from lacuna_tda.sklearn import EulerCurve
    >>> ring = np.array([[0, 0, 0], [0, 9, 0], [0, 0, 0]])
    >>> EulerCurve(bins=3).fit_transform([ring, np.zeros((3, 3))])
    array([[0, 0, 1],
           [1, 1, 1]])
    """

    @takes(EccOptions)
    def __init__(
        self, *, input_shape: tuple[int, ...] | None = None, scales: int | None = None, **options: Unpack[EccOptions]
    ) -> None:
        self.input_shape = input_shape
        self.scales = scales
        self._set(EccOptions, options)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the range of bins.

        Parameters
        ----------
        X : sequence or array
            As that of ``transform``; images that lie on a GPU only if ``range`` is given.
        """
        images, options = self._inputs(X, reset=True), self._options(EccOptions)
        self.range_ = _range_of_voxels(images, options["nan"]) if options["range"] is None else options["range"]
        return self

    def transform(self, X: Any) -> NDArray[np.int64]:
        """The Euler characteristic of each image at the ends of bins.

        Parameters
        ----------
        X : sequence of arrays, array (m, ...) of three axes or more, or table (m, voxels)
            Images; with ``input_shape`` rows.

        Returns
        -------
        ndarray
            (m, bins), or (m, scales * bins).
        """
        check_is_fitted(self)
        options = self._options(EccOptions) | {"bins": self._bins(), "range": self.range_}
        rows = []
        for image in self._inputs(X):
            found = ecc(image, scales=self.scales, **options)
            rows.append(np.concatenate([curve.euler for curve in (found if isinstance(found, list) else [found])]))
        return np.array(rows)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The names of columns: ``euler``, the scale if there are scales, and the bin, from 0."""
        scales = () if self.scales is None else (self.scales,)
        return _names("euler", (*scales, self._bins()))

    def _bins(self) -> int:
        bins = self._options(EccOptions)["bins"]
        return 100 if bins is None else count("bins", bins, 1)


def _range_of_voxels(images: Iterable[Any], nan: Any) -> Range:
    """The least and the greatest finite voxel of images."""
    ends: list[Any] = []
    for one in images:
        voxels = plain_image(one, nan)
        finite = voxels[np.isfinite(voxels)] if voxels.dtype.kind == "f" else voxels
        if finite.size:
            ends += [finite.min().item(), finite.max().item()]
    if not ends:
        raise ValueError("X: expected images with finite voxels, found none; range says where bins begin and end")
    return min(ends), max(ends)


class DelayEmbedding(_ToNoTable):
    """Clouds of the delay vectors of time series: points (x[t], x[t + delay], x[t + 2 delay], ...).

    Parameters
    ----------
    dimension : int
        The number of values of a series in a point.
    delay : int
        The number of steps from a value to the next.
    stride : int
        The number of steps from a point to the next.

    References
    ----------
    Takens, "Detecting strange attractors in turbulence" (1981).

    Examples
    --------
    >>> from lacuna_tda.sklearn import DelayEmbedding
    >>> DelayEmbedding(dimension=2, delay=2).fit_transform([[0.0, 1.0, 2.0, 3.0]])
    array([[[0., 2.],
            [1., 3.]]])
    """

    def __init__(self, *, dimension: int = 3, delay: int = 1, stride: int = 1) -> None:
        self.dimension = dimension
        self.delay = delay
        self.stride = stride

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Nothing is learned but the length of the series of an array.

        Parameters
        ----------
        X : array or sequence
            As that of ``transform``.
        """
        if not _is_ragged(X):
            validate_data(self, X, reset=True, allow_nd=True)
        return self

    def transform(self, X: Any) -> NDArray[Any] | list[NDArray[Any]]:
        """The clouds of all series.

        Parameters
        ----------
        X : array (m, times) or (m, times, channels), or sequence of arrays (times,) or (times, channels)
            Series, of one length in an array.

        Returns
        -------
        ndarray or list of ndarray
            (m, n, dimension), with channels (m, n, channels * dimension); of series that differ in length a list of clouds.
        """
        if _is_ragged(X):
            return [self._cloud(f"X[{k}]", np.asarray(unmasked(series))[None])[0] for k, series in enumerate(X)]
        return self._cloud("X", validate_data(self, X, reset=False, allow_nd=True))

    def _cloud(self, name: str, series: NDArray[Any]) -> NDArray[Any]:
        """The clouds of series of one length."""
        dimension, delay, stride = (count(option, getattr(self, option), 1) for option in ("dimension", "delay", "stride"))
        window = (dimension - 1) * delay + 1
        if series.ndim not in (2, 3) or series.shape[1] < window:
            expected = f"expected series of {window} values or more, which dimension={dimension} and delay={delay} take"
            raise ValueError(f"{name}: {expected}, found shape {series.shape[1:]}")
        windows = np.lib.stride_tricks.sliding_window_view(series, window, axis=1)[:, ::stride, ..., ::delay]
        return windows.reshape(*windows.shape[:2], -1)


def _is_ragged(series: Any) -> bool:
    """Whether something is a sequence of series that differ in length."""
    return isinstance(series, (list, tuple)) and len({np.shape(one)[:1] for one in series}) > 1


class ShortestPaths(_ToNoTable):
    """Distances in graphs: the lengths of shortest paths between all vertices.

    ``Rips(metric="precomputed")`` takes them. Edges have no direction: of two entries for one edge the lesser counts.

    Parameters
    ----------
    weighted : bool
        Whether entries are lengths of edges; otherwise every edge has the length 1.

    Examples
    --------
    A cycle of six vertices has one loop, until triangles fill it:

    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from lacuna_tda.sklearn import Rips, ShortestPaths
    >>> cycle = np.roll(np.eye(6), 1, axis=1)
    >>> make_pipeline(ShortestPaths(), Rips(metric="precomputed")).fit_transform([cycle])[0].bars(1)
    array([[1., 2.]])
    """

    def __init__(self, *, weighted: bool = True) -> None:
        self.weighted = weighted

    def fit(self, X: Any, y: Any = None) -> Self:
        """Nothing is learned.

        Parameters
        ----------
        X : sequence
            As that of ``transform``.
        """
        return self

    def transform(self, X: Any) -> list[NDArray[np.float64]]:
        """The distances in all graphs.

        Parameters
        ----------
        X : sequence of arrays or sparse matrices (n, n), or array (m, n, n)
            Adjacency matrices. In an array, 0 and infinity are no edges; in a sparse matrix, what is not stored.

        Returns
        -------
        list of ndarray
            (n, n) for each graph; infinite where no path is.
        """
        paths = extra("scipy.sparse.csgraph", "scipy", "ShortestPaths").shortest_path
        is_weighted = flag("weighted", self.weighted)
        found = []
        for k, graph in enumerate(X):
            matrix: Any = graph.tocsr() if is_sparse(graph) else np.asarray(unmasked(graph))
            if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
                raise ValueError(f"X[{k}]: expected an adjacency matrix of shape (n, n), found shape {matrix.shape}")
            lengths = matrix.data if is_sparse(matrix) else matrix
            if not np.all(lengths >= 0):
                raise ValueError(f"X[{k}]: expected lengths of edges from 0 up, found {lengths[~(lengths >= 0)][0]}")
            found.append(paths(matrix, directed=False, unweighted=not is_weighted))
        return found


class _OfDiagrams(OfCollections):
    """A transformer of diagrams, whose answers for each dimension stand side by side.

    A subclass tells what it makes of the bars of one dimension.
    """

    dims: Dims

    def fit(self, X: Any, y: Any = None) -> Self:
        """Looks at diagrams; learns from them what the class says.

        Parameters
        ----------
        X : sequence
            As that of ``transform``.
        """
        of_each = self._bars(X)
        for dim in self._dims():
            if dim is not None and all(len(diagram) <= dim for diagram in X):
                warn(f"dims: no diagram has dimension {dim}, which counts as without bars; max_dim={dim} of Rips or Cubical computes it")
        self._learn(of_each)
        return self

    def _learn(self, of_each: list[list[Bars]]) -> None:
        """Learns from the bars of each dimension, a list with those of all diagrams."""

    def _dims(self) -> list[int | None]:
        """The dimensions; None if diagrams are arrays."""
        if self.dims is None:
            return [None]
        dims = [count("dims", dim, 0) for dim in (self.dims if isinstance(self.dims, (list, tuple)) else [self.dims])]
        if not dims or len(set(dims)) < len(dims):
            raise ValueError(f"dims: expected different dimensions, as (0, 1), found {self.dims!r}")
        return list(dims)

    def _bars(self, X: Any) -> list[list[Bars]]:
        """The bars of each dimension, a list with those of all diagrams."""
        if isinstance(X, Diagram):
            raise ValueError("X: expected a list of diagrams, found one; [diagram] is a list of it")
        if not len(X):
            raise ValueError("X: expected a list of diagrams, found none")
        return [[_bars_of(f"X[{k}]", diagram, dim) for k, diagram in enumerate(X)] for dim in self._dims()]

    def _named(self, name: str, shape: tuple[int, ...]) -> NDArray[np.object_]:
        """Names of columns, an array of some shape for each dimension."""
        return np.concatenate([_names(name if dim is None else f"h{dim}_{name}", shape) for dim in self._dims()])


def _names(name: str, shape: tuple[int, ...]) -> NDArray[np.object_]:
    """Names for the entries of an array, row by row: the name and the numbers of the entry along all axes, from 0."""
    return np.array(["_".join([name, *map(str, place)]) for place in np.ndindex(*shape)], dtype=object)


def _bars_of(name: str, diagram: Any, dim: int | None) -> Bars:
    """The bars of a diagram in a dimension, or those of an array beside none."""
    if dim is None and isinstance(diagram, Diagram):
        raise ValueError(f"{name}: expected an array of shape (n, 2) beside dims=None, found a Diagram; dims=(0, 1) takes its bars")
    if dim is None:
        return births_and_deaths(name, diagram)
    if not isinstance(diagram, Diagram):
        raise ValueError(f"{name}: expected a Diagram, found {type(diagram).__name__}; dims=None takes arrays, the bars of one dimension")
    return diagram.bars(dim)


def _span(numbers: NDArray[np.float64]) -> Range:
    """The least and the greatest number; zeros if there are none."""
    return (float(numbers.min()), float(numbers.max())) if numbers.size else (0.0, 0.0)


class _Vectorizer(_OfDiagrams, ABC):
    """A transformer whose answer for each dimension is what a function of :mod:`lacuna_tda` answers."""

    def transform(self, X: Any) -> NDArray[np.float64]:
        """The vectors of all diagrams.

        Parameters
        ----------
        X : sequence of Diagram, or with ``dims=None`` of arrays (n, 2)
            The diagrams.

        Returns
        -------
        ndarray
            (m, columns): a row for each diagram, in it the vectors of all dimensions.
        """
        check_is_fitted(self)
        vectors = [self._vectors(place, bars) for place, bars in enumerate(self._bars(X))]
        return np.concatenate([of_dim.reshape(len(of_dim), -1) for of_dim in vectors], axis=1)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The names of columns: ``h`` and the dimension, what the vector is, and the place in it, each number from 0."""
        return self._named(*self._name_and_shape())

    @abstractmethod
    def _vectors(self, place: int, bars: list[Bars]) -> NDArray[np.float64]:
        """The vectors of the bars of one dimension, which is in that place of all."""

    @abstractmethod
    def _name_and_shape(self) -> tuple[str, tuple[int, ...]]:
        """What a vector is called, and its shape."""


class PersistenceImage(_Vectorizer):
    """Persistence images of diagrams, on the grid that the bars of ``fit`` span.

    Parameters
    ----------
    dims : int, sequence of int or None
        The dimensions, whose images stand side by side in a row; None for diagrams that are arrays (n, 2).
    resolution : int or pair of int
        As that of :func:`lacuna_tda.persistence_image`: the number of grid points along births and along persistence.
    range : pair of (low, high), optional
        As that of :func:`lacuna_tda.persistence_image`: of births and of persistence; what is None is found by ``fit``, for each dimension.
    bandwidth, weight : float
        As those of :func:`lacuna_tda.persistence_image`.

    Attributes
    ----------
    ranges_ : list of pair
        For each dimension the range of births and that of persistence.

    Examples
    --------
    >>> from lacuna_tda.sklearn import PersistenceImage
    >>> images = PersistenceImage(dims=None, resolution=(3, 2), bandwidth=0.5)
    >>> images.fit_transform([[[0.0, 1.0], [0.5, 3.0]], []]).round(2)
    array([[0.64, 0.57, 0.39, 0.39, 0.57, 0.64],
           [0.  , 0.  , 0.  , 0.  , 0.  , 0.  ]])
    >>> images.ranges_
    [((0.0, 0.5), (1.0, 2.5))]
    """

    def __init__(
        self,
        *,
        dims: Dims = (0, 1),
        resolution: int | tuple[int, int] = (20, 20),
        range: tuple[Range | None, Range | None] | None = None,
        bandwidth: float = 1.0,
        weight: float = 0.0,
    ) -> None:
        self.dims = dims
        self.resolution = resolution
        self.range = range
        self.bandwidth = bandwidth
        self.weight = weight

    def _learn(self, of_each: list[list[Bars]]) -> None:
        births, persistences = pair_of_ranges(self.range)
        sides(self.resolution)
        deviation(self.bandwidth)
        exponent(self.weight)
        self.ranges_ = []
        for bars in of_each:
            ends = np.sort(finite(np.concatenate(bars)), axis=1)
            found = _span(ends[:, 0]), _span(ends[:, 1] - ends[:, 0])
            self.ranges_.append((found[0] if births is None else births, found[1] if persistences is None else persistences))

    def _vectors(self, place: int, bars: list[Bars]) -> NDArray[np.float64]:
        return persistence_image(
            bars, resolution=self.resolution, range=self.ranges_[place], bandwidth=self.bandwidth, weight=self.weight
        )

    def _name_and_shape(self) -> tuple[str, tuple[int, ...]]:
        return "image", sides(self.resolution)[::-1]


class _Curves(_Vectorizer):
    """Functions of one variable at the values of a grid, which are between the least birth and the greatest death of ``fit``."""

    resolution: int
    range: Range | None

    def _learn(self, of_each: list[list[Bars]]) -> None:
        self._grid()
        self.ranges_ = [_span(finite(np.concatenate(bars))) if self.range is None else span(self.range) for bars in of_each]

    def _vectors(self, place: int, bars: list[Bars]) -> NDArray[np.float64]:
        kind, options, values = self._grid()
        if self.range is not None:
            return on_values(bars, None, kind, values, self.range, **options)
        # The functions are zero at the ends that were found, which are no values therefore.
        return on_values(bars, None, kind, values + 2, self.ranges_[place], **options)[..., 1:-1]

    def _grid(self) -> tuple[str, dict[str, Any], int]:
        """What the functions are, their options, and the number of values."""
        kind, options = self._functions()
        return kind, options, steps(self.resolution)

    @abstractmethod
    def _functions(self) -> tuple[str, dict[str, Any]]:
        """What the functions are called, and their options."""

    def _name_and_shape(self) -> tuple[str, tuple[int, ...]]:
        kind, options, values = self._grid()
        return kind, (options["count"], values) if "count" in options else (values,)


class Landscape(_Curves):
    """Persistence landscapes of diagrams, at values between the least birth and the greatest death of ``fit``.

    Parameters
    ----------
    dims : int, sequence of int or None
        As those of :class:`PersistenceImage`.
    count, resolution : int
        As those of :func:`lacuna_tda.landscape`: the number of functions, and of values.
    range : (low, high), optional
        The first and the last value; by default found by ``fit``, for each dimension.

    Attributes
    ----------
    ranges_ : list of (low, high)
        The range of each dimension.

    Examples
    --------
    >>> from lacuna_tda.sklearn import Landscape
    >>> landscape = Landscape(dims=None, count=2, resolution=3).fit([[[0.0, 4.0], [1.0, 3.0]]])
    >>> landscape.transform([[[0.0, 4.0], [1.0, 3.0]], [[1.0, 9.0]]]) / 2**0.5
    array([[1., 2., 1., 0., 1., 0.],
           [0., 1., 2., 0., 0., 0.]])
    """

    def __init__(self, *, dims: Dims = (0, 1), count: int = 5, resolution: int = 100, range: Range | None = None) -> None:
        self.dims = dims
        self.count = count
        self.resolution = resolution
        self.range = range

    def _functions(self) -> tuple[str, dict[str, Any]]:
        return "landscape", {"count": length(self.count)}


class BettiCurve(_Curves):
    """Betti curves of diagrams, at values between the least birth and the greatest death of ``fit``. Bars that never end are counted, too.

    Parameters
    ----------
    dims : int, sequence of int or None
        As those of :class:`PersistenceImage`.
    resolution : int
        As that of :class:`Landscape`.
    range : (low, high), optional
        As that of :class:`Landscape`.

    Attributes
    ----------
    ranges_ : list of (low, high)
        The range of each dimension.

    Examples
    --------
    >>> from lacuna_tda.sklearn import BettiCurve
    >>> BettiCurve(dims=None, resolution=3).fit_transform([[[0.0, 4.0], [1.0, 3.0]], [[2.0, float("inf")]]])
    array([[2., 2., 1.],
           [0., 1., 1.]])
    """

    def __init__(self, *, dims: Dims = (0, 1), resolution: int = 100, range: Range | None = None) -> None:
        self.dims = dims
        self.resolution = resolution
        self.range = range

    def _functions(self) -> tuple[str, dict[str, Any]]:
        return "betti", {}


class Silhouette(_Curves):
    """Silhouettes of diagrams, at values between the least birth and the greatest death of ``fit``.

    Parameters
    ----------
    dims : int, sequence of int or None
        As those of :class:`PersistenceImage`.
    weight : float
        As that of :func:`lacuna_tda.silhouette`.
    resolution : int
        As that of :class:`Landscape`.
    range : (low, high), optional
        As that of :class:`Landscape`.

    Attributes
    ----------
    ranges_ : list of (low, high)
        The range of each dimension.

    Examples
    --------
    >>> from lacuna_tda.sklearn import Silhouette
    >>> Silhouette(dims=None, resolution=3).fit_transform([[[0.0, 4.0], [1.0, 3.0]]]) / 2**0.5
    array([[0.5, 1.5, 0.5]])
    """

    def __init__(
        self, *, dims: Dims = (0, 1), weight: float = 0.0, resolution: int = 100, range: Range | None = None
    ) -> None:
        self.dims = dims
        self.weight = weight
        self.resolution = resolution
        self.range = range

    def _functions(self) -> tuple[str, dict[str, Any]]:
        return "silhouette", {"weight": exponent(self.weight)}


class _Statistics(_Vectorizer):
    """Numbers that have no range."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags


class Entropy(_Statistics):
    """Persistence entropies of diagrams, one for each dimension. No ``fit`` is needed.

    Parameters
    ----------
    dims : int, sequence of int or None
        As those of :class:`PersistenceImage`.

    Examples
    --------
    >>> from lacuna_tda.sklearn import Entropy
    >>> Entropy(dims=None).fit_transform([[[0.0, 1.0], [1.0, 2.0]], [[0.0, 5.0]]]).round(3)
    array([[0.693],
           [0.   ]])
    """

    def __init__(self, *, dims: Dims = (0, 1)) -> None:
        self.dims = dims

    def _vectors(self, place: int, bars: list[Bars]) -> NDArray[np.float64]:
        return np.asarray(entropy(bars))

    def _name_and_shape(self) -> tuple[str, tuple[int, ...]]:
        return "entropy", ()


class Lengths(_Statistics):
    """The lengths of the longest bars of diagrams, descending; zeros where there are fewer bars. No ``fit`` is needed.

    Parameters
    ----------
    dims : int, sequence of int or None
        As those of :class:`PersistenceImage`.
    count : int
        As that of :func:`lacuna_tda.lengths`: the number of lengths of each dimension.

    Examples
    --------
    >>> from lacuna_tda.sklearn import Lengths
    >>> Lengths(dims=None, count=2).fit_transform([[[0.0, 4.0], [1.0, 3.0]], [[0.0, 1.0]]])
    array([[4., 2.],
           [1., 0.]])
    """

    def __init__(self, *, dims: Dims = (0, 1), count: int = 5) -> None:
        self.dims = dims
        self.count = count

    def _vectors(self, place: int, bars: list[Bars]) -> NDArray[np.float64]:
        return lengths(bars, count=self.count)

    def _name_and_shape(self) -> tuple[str, tuple[int, ...]]:
        return "length", (self.count,)


class Amplitude(_Statistics):
    """The distances of diagrams from the diagram without bars, one for each dimension. No ``fit`` is needed.

    Bars that never end are left out: they are at an infinite distance from no bars.

    Parameters
    ----------
    dims : int, sequence of int or None
        As those of :class:`PersistenceImage`.
    metric : "bottleneck" or "wasserstein"
        The distance: half the length of the longest bar; or, of the distances that all bars have from the diagonal, the norm of ``order``.
    order, internal_p : float
        As those of :func:`lacuna_tda.wasserstein`; without effect on the bottleneck distance. With ``internal_p=1`` the amplitude is the
        norm L^order of the lengths of bars.

    Examples
    --------
    >>> from lacuna_tda.sklearn import Amplitude
    >>> diagrams = [[[0.0, 4.0], [1.0, 4.0]], [[0.0, 1.0]]]
    >>> Amplitude(dims=None).fit_transform(diagrams)
    array([[2. ],
           [0.5]])
    >>> Amplitude(dims=None, metric="wasserstein", order=2, internal_p=1).fit_transform(diagrams)
    array([[5.],
           [1.]])
    """

    def __init__(
        self,
        *,
        dims: Dims = (0, 1),
        metric: Literal["bottleneck", "wasserstein"] = "bottleneck",
        order: float = 1.0,
        internal_p: float = np.inf,
    ) -> None:
        self.dims = dims
        self.metric = metric
        self.order = order
        self.internal_p = internal_p

    def _vectors(self, place: int, bars: list[Bars]) -> NDArray[np.float64]:
        distance, none = _Distance(self.metric, self.order, self.internal_p), np.empty((0, 2))
        return np.array([distance.between(finite(of_one), none) for of_one in bars])

    def _name_and_shape(self) -> tuple[str, tuple[int, ...]]:
        return self.metric, ()


class _Distance(NamedTuple):
    """A distance between diagrams."""

    metric: str
    order: float
    internal_p: float

    def between(self, a: Bars, b: Bars) -> float:
        """The distance between two diagrams of one dimension."""
        if self.metric == "bottleneck":
            return bottleneck(a, b, threads=1)
        if self.metric == "wasserstein":
            return wasserstein(a, b, order=self.order, internal_p=self.internal_p, threads=1)
        raise ValueError(f"metric: expected bottleneck or wasserstein, found {self.metric!r}")

    def over_dimensions(self, a: Sequence[Bars], b: Sequence[Bars]) -> float:
        """The distance between two diagrams of several dimensions, whose bars are matched in each."""
        distances = [self.between(*of_dim) for of_dim in zip(a, b)]
        return float(np.linalg.norm(distances, ord=np.inf if self.metric == "bottleneck" else self.order))


class PairwiseDistance(_OfDiagrams):
    """The distances of diagrams from those of ``fit``, for estimators that take precomputed distances or kernels.

    Bars are matched with bars of their dimension. Over several dimensions, the bottleneck distance is the greatest of theirs, the
    Wasserstein distance the norm L^order.

    Parameters
    ----------
    dims : int, sequence of int or None
        The dimensions; None for diagrams that are arrays (n, 2).
    metric : "bottleneck" or "wasserstein"
        The distance.
    order, internal_p : float
        As those of :func:`lacuna_tda.wasserstein`; without effect on the bottleneck distance.
    essential : bool
        Whether bars that never end count. Two diagrams are infinitely far apart if their numbers of such bars differ.
    gamma : float, optional
        The kernel exp(-gamma * distance) is answered in the place of the distance.
    threads : int, optional
        The number of threads; by default one a core.

    Attributes
    ----------
    diagrams_ : list of list of ndarray
        For each diagram of ``fit`` the bars of each dimension.

    Examples
    --------
    >>> from lacuna_tda.sklearn import PairwiseDistance
    >>> distances = PairwiseDistance(dims=None).fit([[[0.0, 4.0]], []])
    >>> distances.transform([[[0.0, 4.0]], [[0.0, 3.0]]])
    array([[0. , 2. ],
           [1. , 1.5]])

    The nearest diagram:

    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> nearest = make_pipeline(PairwiseDistance(dims=None), KNeighborsClassifier(1, metric="precomputed"))
    >>> nearest.fit([[[0.0, 4.0]], []], ["long", "none"]).predict([[[0.0, 3.0]], [[0.0, 0.5]]]).tolist()
    ['long', 'none']
    """

    def __init__(
        self,
        *,
        dims: Dims = (0, 1),
        metric: Literal["bottleneck", "wasserstein"] = "bottleneck",
        order: float = 1.0,
        internal_p: float = np.inf,
        essential: bool = False,
        gamma: float | None = None,
        threads: int | None = None,
    ) -> None:
        self.dims = dims
        self.metric = metric
        self.order = order
        self.internal_p = internal_p
        self.essential = essential
        self.gamma = gamma
        self.threads = threads

    def _learn(self, of_each: list[list[Bars]]) -> None:
        none = np.empty((0, 2))
        _Distance(self.metric, self.order, self.internal_p).between(none, none)
        self._kernel(0.0)
        self.diagrams_ = self._compared(of_each)

    def _compared(self, of_each: list[list[Bars]]) -> list[list[Bars]]:
        """The bars that count, a list with those of each dimension for all diagrams."""
        essential = flag("essential", self.essential)
        return [[bars if essential else finite(bars) for bars in of_one] for of_one in zip(*of_each)]

    def transform(self, X: Any) -> NDArray[np.float64]:
        """The distances of diagrams from those of ``fit``.

        Parameters
        ----------
        X : sequence of Diagram, or with ``dims=None`` of arrays (n, 2)
            The diagrams.

        Returns
        -------
        ndarray
            (m, n): a row for each diagram, a column for each of ``fit``.
        """
        check_is_fitted(self)
        return self._kernel(self._rows([(of_one, self.diagrams_) for of_one in self._compared(self._bars(X))]))

    def fit_transform(self, X: Any, y: Any = None) -> NDArray[np.float64]:
        """The answer of ``transform`` for the diagrams of ``fit``, each pair of which is compared once.

        Parameters
        ----------
        X : sequence
            As that of ``transform``.

        Returns
        -------
        ndarray
            (m, m), symmetric.
        """
        diagrams = self.fit(X).diagrams_
        distances = np.zeros((len(diagrams), len(diagrams)))
        for k, row in enumerate(self._rows([(of_one, diagrams[:k]) for k, of_one in enumerate(diagrams)])):
            distances[k, :k] = distances[:k, k] = row
        return self._kernel(distances)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The names of columns: ``distance`` or ``kernel``, and the number of the diagram of ``fit``, from 0."""
        check_is_fitted(self)
        return _names("distance" if self.gamma is None else "kernel", (len(self.diagrams_),))

    def _rows(self, compared: list[tuple[list[Bars], list[list[Bars]]]]) -> list[list[float]]:
        """For each diagram and others the distances between them. A thread has a diagram at a time: one distance is too little to share."""
        distance = _Distance(self.metric, self.order, self.internal_p)

        def row(one: tuple[list[Bars], list[list[Bars]]]) -> list[float]:
            return [distance.over_dimensions(one[0], other) for other in one[1]]

        threads = threads_of(self.threads) or info().threads
        with ThreadPoolExecutor(max(1, min(threads, len(compared)))) as pool:
            return list(pool.map(row, compared))

    def _kernel(self, distances: Any) -> NDArray[np.float64]:
        """The distances, or what they are in the kernel."""
        gamma, of_all = optional_number("gamma", self.gamma), np.asarray(distances)
        if gamma is not None and not 0 <= gamma < np.inf:
            raise ValueError(f"gamma: expected a finite number, 0 or more, found {self.gamma!r}")
        return of_all if gamma is None else np.exp(-gamma * of_all)
