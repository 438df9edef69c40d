"""Distances between diagrams."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from . import _lacuna
from ._arguments import flag, number, threads_of
from ._diagram import Indices, bars_of
from ._keywords import suggests_keywords


class Matching(NamedTuple):
    """A distance between two diagrams and a matching of k pairs that has it."""

    distance: float
    """The distance."""
    pairs: Indices | None
    """(k, 2): the row of each bar of the first diagram and of its partner in the second, -1 for the diagonal; None if the distance is infinite."""
    distances: NDArray[np.float64] | None
    """(k,): how far apart the bars of each pair are in the ground norm; None if the distance is infinite."""

    def __repr__(self) -> str:
        return f"<Matching at distance {self.distance:.6g}{'' if self.pairs is None else f' of {len(self.pairs)} pairs'}>"


@overload
def bottleneck(
    a: Any, b: Any, *, dim: int | None = None, matching: Literal[False] = False, threads: int | None = None
) -> float: ...
@overload
def bottleneck(
    a: Any, b: Any, *, dim: int | None = None, matching: Literal[True], threads: int | None = None
) -> Matching: ...
@suggests_keywords
def bottleneck(
    a: Any, b: Any, *, dim: int | None = None, matching: bool = False, threads: int | None = None
) -> float | Matching:
    """The bottleneck distance between two diagrams: the least that the greatest distance of a pair can be, exactly.

    Bars are matched with bars or with the diagonal, at distances in the maximum norm. Bars with one infinite end are matched with bars that
    have the same one, sorted by the other; where their numbers differ, the distance is infinite. Bars of length zero change nothing.

    Parameters
    ----------
    a, b : array_like or Diagram
        (n, 2) and (m, 2): births and deaths, in the unit of the distance. Or diagrams, whose bars of dimension ``dim`` are compared.
    dim : int, optional
        The dimension; expected beside diagrams, and beside these only.
    matching : bool
        Whether a matching that has the distance is returned, too.
    threads : int, optional
        The number of threads; the answer does not depend on it.

    Returns
    -------
    float or Matching

    Raises
    ------
    ValueError
        Arrays of other shapes, or with NaN; a dimension is missing or too much.

    Examples
    --------
    >>> import lacuna_tda
    >>> lacuna_tda.bottleneck([[0.0, 4.0], [1.0, 1.5]], [[0.5, 4.0]])
    0.5
    >>> lacuna_tda.bottleneck([[0.0, 4.0], [1.0, 1.5]], [[0.5, 4.0]], matching=True).pairs
    array([[ 0,  0],
           [ 1, -1]])
    """
    return _measured(a, b, None, dim, matching, threads)


@overload
def wasserstein(
    a: Any,
    b: Any,
    *,
    order: float = 1.0,
    internal_p: float = np.inf,
    dim: int | None = None,
    matching: Literal[False] = False,
    threads: int | None = None,
) -> float: ...
@overload
def wasserstein(
    a: Any,
    b: Any,
    *,
    order: float = 1.0,
    internal_p: float = np.inf,
    dim: int | None = None,
    matching: Literal[True],
    threads: int | None = None,
) -> Matching: ...
@suggests_keywords
def wasserstein(
    a: Any,
    b: Any,
    *,
    order: float = 1.0,
    internal_p: float = np.inf,
    dim: int | None = None,
    matching: bool = False,
    threads: int | None = None,
) -> float | Matching:
    """The Wasserstein distance between two diagrams: the root of the least sum that the powers of all distances can have, up to rounding.

    Bars are matched as for :func:`bottleneck`. The defaults are those of GUDHI; persim's distance has ``internal_p=2``.

    Parameters
    ----------
    a, b : array_like or Diagram
        As those of :func:`bottleneck`.
    order : float
        The power, from 1 up and finite.
    internal_p : float
        The ground norm, from 1 up: q of the norm L^q in the plane, infinity for the maximum norm.
    dim, matching, threads
        As those of :func:`bottleneck`.

    Returns
    -------
    float or Matching

    Raises
    ------
    ValueError
        As :func:`bottleneck`; an order or a norm below 1.

    Examples
    --------
    >>> import lacuna_tda
    >>> lacuna_tda.wasserstein([[0.0, 4.0], [1.0, 1.5]], [[0.5, 4.0]])
    0.75
    >>> lacuna_tda.wasserstein([[0.0, 3.0]], [[0.0, 0.0]], order=2, internal_p=1)
    3.0
    """
    return _measured(a, b, (number("order", order), number("internal_p", internal_p)), dim, matching, threads)


def _measured(
    a: Any, b: Any, metric: tuple[float, float] | None, dim: int | None, matching: bool, threads: int | None
) -> float | Matching:
    use = "diagrams are compared in one dimension"
    arrays = bars_of("a", a, dim, use), bars_of("b", b, dim, use)
    threads = threads_of(threads)
    distance, found = _lacuna.diagram_distance(*arrays, metric, flag("matching", matching), threads)
    if not matching:
        return distance
    if found is None:
        return Matching(distance, None, None)
    pairs, distances = found
    return Matching(distance, pairs.reshape(-1, 2), distances)
