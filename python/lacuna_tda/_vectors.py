"""Diagrams as vectors of equal length, for statistics and learning."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _lacuna
from ._arguments import count as whole, number, pair
from ._diagram import Bars, Diagram, bars_of
from ._keywords import suggests_keywords

Vectors = NDArray[np.float64]
Range = tuple[float, float]


@suggests_keywords
def persistence_image(
    diagrams: Any,
    *,
    dim: int | None = None,
    resolution: int | tuple[int, int] = (20, 20),
    range: tuple[Range | None, Range | None] | None = None,
    bandwidth: float = 1.0,
    weight: float = 0.0,
) -> Vectors:
    """The persistence image: a Gaussian around each point (birth, persistence), added up at the points of a grid.

    As all functions of this kind, it has the definition, the scale and the defaults of ``gudhi.representations`` and takes finite
    bars only; bars of superlevel sets, which go down, are turned. Several diagrams share one grid, so that their vectors can be compared.

    Parameters
    ----------
    diagrams : Diagram, array_like or sequence of these
        A diagram, whose bars of dimension ``dim`` are taken, or an array (n, 2) of births and deaths; or several of either, as a list
        or as an array (m, n, 2).
    dim : int, optional
        The dimension; expected beside diagrams, and beside these only.
    resolution : int or pair of int
        The number of grid points along births and along persistence, from 1 to 10,000.
    range : pair of pairs of float, optional
        The first and the last birth of the grid and the first and the last persistence, each None for the least and the greatest of
        all bars.
    bandwidth : float
        The standard deviation of the Gaussians, in the unit of the bars.
    weight : float
        A bar has the weight persistence ** weight, from 0 up.

    Returns
    -------
    ndarray
        (persistences, births) of one diagram, (m, persistences, births) of m diagrams.

    Raises
    ------
    ValueError
        Arrays of other shapes, or with NaN; numbers that are out of range; a dimension is missing or too much.
    MemoryError
        The vectors need more memory than there is.

    References
    ----------
    Adams and others, "Persistence images: a stable vector representation of persistent homology" (2017).

    Examples
    --------
    >>> import lacuna_tda
    >>> image = lacuna_tda.persistence_image([[0.0, 1.0], [0.5, 3.0]], resolution=(3, 2), bandwidth=0.5)
    >>> image.round(2)
    array([[0.64, 0.57, 0.39],
           [0.39, 0.57, 0.64]])
    """
    shape, ranges = sides(resolution), pair_of_ranges(range)
    return _of(diagrams, dim, "image", shape[::-1], shape, ranges, bandwidth=deviation(bandwidth), weight=exponent(weight))


@suggests_keywords
def landscape(
    diagrams: Any, *, dim: int | None = None, count: int = 5, resolution: int = 100, range: Range | None = None
) -> Vectors:
    """The first functions of the persistence landscape times the root of 2, at the values of a grid.

    Parameters
    ----------
    diagrams, dim
        As those of :func:`persistence_image`.
    count : int
        The number of functions, from 1 to 100,000.
    resolution : int
        The number of values, from 1 to 10,000.
    range : pair of float, optional
        The first and the last value. By default values go from the least birth to the greatest death of all bars, without these ends, where
        functions are 0.

    Returns
    -------
    ndarray
        (count, resolution) of one diagram, (m, count, resolution) of m diagrams.

    Raises
    ------
    ValueError, MemoryError
        As :func:`persistence_image`.

    References
    ----------
    Bubenik, "Statistical topological data analysis using persistence landscapes" (2015).

    Examples
    --------
    >>> import lacuna_tda
    >>> lacuna_tda.landscape([[0.0, 4.0], [1.0, 3.0]], count=2, resolution=5, range=(0, 4)) / 2**0.5
    array([[0., 1., 2., 1., 0.],
           [0., 0., 1., 0., 0.]])
    """
    count = length(count)
    return on_values(diagrams, dim, "landscape", steps(resolution), range, count=count)


@suggests_keywords
def betti_curve(
    diagrams: Any, *, dim: int | None = None, resolution: int = 100, range: Range | None = None
) -> Vectors:
    """The Betti curve, the number of bars that are alive, at the values of a grid. Infinite bars are counted, too.

    Parameters
    ----------
    diagrams, dim
        As those of :func:`persistence_image`.
    resolution, range
        As those of :func:`landscape`; by default the finite bars span the grid.

    Returns
    -------
    ndarray
        (resolution,) of one diagram, (m, resolution) of m diagrams.

    Raises
    ------
    ValueError, MemoryError
        As :func:`persistence_image`.

    Examples
    --------
    >>> import lacuna_tda
    >>> lacuna_tda.betti_curve([[0.0, 4.0], [1.0, 3.0]], resolution=5, range=(0, 4))
    array([1., 2., 2., 1., 0.])
    """
    return on_values(diagrams, dim, "betti", steps(resolution), range)


@suggests_keywords
def silhouette(
    diagrams: Any,
    *,
    dim: int | None = None,
    weight: float = 0.0,
    resolution: int = 100,
    range: Range | None = None,
) -> Vectors:
    """The silhouette: the weighted mean of the tents of all bars times the root of 2, at the values of a grid.

    Parameters
    ----------
    diagrams, dim, weight
        As those of :func:`persistence_image`.
    resolution, range
        As those of :func:`landscape`.

    Returns
    -------
    ndarray
        (resolution,) of one diagram, (m, resolution) of m diagrams.

    Raises
    ------
    ValueError, MemoryError
        As :func:`persistence_image`.

    References
    ----------
    Chazal and others, "Stochastic convergence of persistence landscapes and silhouettes" (2014).

    Examples
    --------
    >>> import lacuna_tda
    >>> lacuna_tda.silhouette([[0.0, 4.0], [1.0, 3.0]], resolution=5, range=(0, 4)) / 2**0.5
    array([0. , 0.5, 1.5, 0.5, 0. ])
    """
    return on_values(diagrams, dim, "silhouette", steps(resolution), range, weight=exponent(weight))


@suggests_keywords
def entropy(diagrams: Any, *, dim: int | None = None) -> float | Vectors:
    """The persistence entropy: -sum p log p of the shares p that bars have of the sum of their persistence.

    Parameters
    ----------
    diagrams, dim
        As those of :func:`persistence_image`.

    Returns
    -------
    float or ndarray
        A number of one diagram, (m,) of m diagrams.

    Raises
    ------
    ValueError
        As :func:`persistence_image`.

    References
    ----------
    Atienza and others, "On the stability of persistent entropy and new summary functions for topological data analysis" (2020).

    Examples
    --------
    >>> import lacuna_tda
    >>> round(lacuna_tda.entropy([[0.0, 1.0], [1.0, 2.0]]), 6)
    0.693147
    """
    found = _of(diagrams, dim, "entropy", (), (1, 1), (None, None))
    return found if found.ndim else float(found)


@suggests_keywords
def entropy_summary(
    diagrams: Any, *, dim: int | None = None, resolution: int = 100, range: Range | None = None
) -> Vectors:
    """The entropy summary function: the part of the entropy that the bars have which are alive, at the values of a grid.

    It is divided by the sum of its values on the grid, as GUDHI does.

    Parameters
    ----------
    diagrams, dim
        As those of :func:`persistence_image`.
    resolution, range
        As those of :func:`landscape`; by default, as in GUDHI, the first value is the least birth and the last two before the greatest
        death are left out.

    Returns
    -------
    ndarray
        (resolution,) of one diagram, (m, resolution) of m diagrams.

    Raises
    ------
    ValueError, MemoryError
        As :func:`persistence_image`.

    References
    ----------
    Atienza and others, "On the stability of persistent entropy and new summary functions for topological data analysis" (2020).

    Examples
    --------
    >>> import lacuna_tda
    >>> lacuna_tda.entropy_summary([[0.0, 2.0], [2.0, 4.0]], resolution=5, range=(0, 4))
    array([0.25, 0.25, 0.25, 0.25, 0.  ])
    """
    return on_values(diagrams, dim, "entropy-summary", steps(resolution), range)


@suggests_keywords
def lengths(diagrams: Any, *, dim: int | None = None, count: int = 5) -> Vectors:
    """The greatest persistences, descending; zeros where there are fewer bars.

    Parameters
    ----------
    diagrams, dim
        As those of :func:`persistence_image`.
    count : int
        Their number, from 1 to 100,000.

    Returns
    -------
    ndarray
        (count,) of one diagram, (m, count) of m diagrams.

    Raises
    ------
    ValueError, MemoryError
        As :func:`persistence_image`.

    Examples
    --------
    >>> import lacuna_tda
    >>> lacuna_tda.lengths([[0.0, 4.0], [1.0, 1.5]], count=3)
    array([4. , 0.5, 0. ])
    """
    count = length(count)
    return _of(diagrams, dim, "lengths", (count,), (1, 1), (None, None), count=count)


def on_values(
    diagrams: Any,
    dim: int | None,
    kind: str,
    values: int,
    range: Range | None,
    *,
    weight: float = 0.0,
    count: int | None = None,
) -> Vectors:
    """Functions of one variable at so many values of a grid; with ``count`` so many of each diagram."""
    shape = (values,) if count is None else (count, values)
    ends = None if range is None else span(range)
    return _of(diagrams, dim, kind, shape, (values, values), (ends, None), weight=weight, count=count or 1)


def _of(
    diagrams: Any,
    dim: int | None,
    kind: str,
    shape: tuple[int, ...],
    resolution: tuple[int, int],
    ranges: tuple[Range | None, Range | None],
    *,
    bandwidth: float = 1.0,
    weight: float = 0.0,
    count: int = 1,
) -> Vectors:
    """The vectors of one or several diagrams, each in its shape."""
    several, is_one = _listed(diagrams)
    bars = [_bars("diagrams" if is_one else f"diagrams[{k}]", one, dim) for k, one in enumerate(several)]
    found = _lacuna.vectors(bars, kind, resolution, ranges, bandwidth, weight, count, math.prod(shape))
    return found.reshape(shape if is_one else (len(bars), *shape))


def _listed(diagrams: Any) -> tuple[Sequence[Any], bool]:
    """A list of diagrams, and whether it was made of a single one."""
    if isinstance(diagrams, Diagram):
        return [diagrams], True
    if isinstance(diagrams, (list, tuple)):
        # Rows of a birth and a death are a diagram; what has two axes, or no bars, is one of several.
        is_one = any(not isinstance(one, Diagram) and np.ndim(one) == 1 and np.size(one) for one in diagrams)
        several: Sequence[Any] = [diagrams] if is_one else diagrams
    else:
        array = np.asarray(diagrams)
        is_one = array.ndim == 2
        several = [array] if is_one else list(array) if array.ndim else []
    if not several:
        raise ValueError(
            f"diagrams: expected a Diagram, an array of shape (n, 2) or a sequence of these, found {diagrams!r}; "
            "np.empty((0, 2)) is a diagram without bars"
        )
    return several, is_one


def _bars(name: str, diagram: Any, dim: int | None) -> Bars:
    """The bars of a diagram as an array of type float64 without NaN."""
    bars = bars_of(name, diagram, dim, "a vector is made of the bars of one dimension")
    is_nan = np.isnan(bars).any(axis=1)
    if is_nan.any():
        place = int(is_nan.argmax())
        raise ValueError(f"{name}: bar {place}: expected a birth and a death, found {bars[place]}")
    return bars


def steps(value: Any) -> int:
    """A number of grid points."""
    return _at_most("resolution", value, 10_000)


def length(value: Any) -> int:
    """A number of functions or of persistences."""
    return _at_most("count", value, 100_000)


def _at_most(name: str, value: Any, most: int) -> int:
    """A whole number from 1 to the greatest one: there is memory for a vector of it."""
    found = whole(name, value, 1)
    if found > most:
        raise ValueError(f"{name}: expected {most} or less, found {found}")
    return found


def exponent(value: Any) -> float:
    """The exponent of weights."""
    found = number("weight", value)
    if not 0 <= found < np.inf:
        raise ValueError(f"weight: expected a finite number, 0 or more, found {value!r}")
    return found


def sides(resolution: Any) -> tuple[int, int]:
    """The number of grid points along births and along persistence."""
    across, up = resolution if isinstance(resolution, (tuple, list)) and len(resolution) == 2 else (resolution, resolution)
    return steps(across), steps(up)


def deviation(bandwidth: Any) -> float:
    """The standard deviation of Gaussians."""
    found = number("bandwidth", bandwidth)
    if not 0 < found < np.inf:
        raise ValueError(f"bandwidth: expected a finite number above 0, found {bandwidth!r}")
    return found


def span(value: Any) -> Range:
    """The ends of a grid."""
    low, high = pair("range", value, "two numbers, the lower first")
    if not -np.inf < low <= high < np.inf:
        raise ValueError(f"range: expected two finite numbers, the lower first, found {value!r}")
    return low, high


def pair_of_ranges(value: Any) -> tuple[Range | None, Range | None]:
    """The ends of the grid of an image along births and along persistence."""
    if value is None:
        return None, None
    is_pair = isinstance(value, (tuple, list, np.ndarray)) and len(value) == 2
    if not is_pair or any(one is not None and np.ndim(one) == 0 for one in value):
        raise ValueError(f"range: expected two pairs, of births and of persistence, as ((0, 1), (0, 2)), found {value!r}")
    births, persistences = (None if one is None else span(one) for one in value)
    return births, persistences
