"""Vietoris-Rips barcodes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np

from . import _lacuna
from ._arguments import bars_of, count, flag, floats, number, optional_count, optional_number, warn, word
from ._diagram import Chain, Diagram, Landmarks, Representatives
from ._inputs import are_points, distances_of, tell_of_distances
from ._many import answered, diagrams, each, expect_errors
from ._options import RipsManyOptions, RipsOptions, expect_representatives, filled, running, takes

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._answers import RipsAnswer, Table


@takes(RipsOptions)
def rips(X: Any, **options: Unpack[RipsOptions]) -> Diagram:
    """The barcode of the Vietoris-Rips filtration of points, distances or a weighted graph.

    Bars are those of Ripser, in its order. A class of dimension 0 is a component, of dimension 1 a loop, of dimension 2 a cavity; births and
    deaths are distances, in the units of the input.

    Parameters
    ----------
    X : array or sparse matrix
        With ``metric="precomputed"`` distances: a symmetric array (n, n), whose lower half counts where both differ by rounding; a list
        (n (n - 1) / 2,) as SciPy's ``pdist`` makes it; or a sparse matrix of SciPy (n, n), whose stored entries are edges, zeros too, and where
        pairs without an entry are never connected. Two points are joined if either of their two entries is stored, so a directed graph of
        nearest neighbours is taken without its directions. Otherwise points: an array (n, d). Distances are computed and compared in single
        precision, but those of doubles and of integers of 32 and 64 bits, and of SciPy's metrics, in double precision. Longer floats and
        objects that are numbers become doubles. The array is copied once. Entries that NumPy masks are an error.
    metric : str or callable
        ``"euclidean"``, ``"precomputed"``, or a metric of ``scipy.spatial.distance.pdist``, which then computes the distances;
        ``"manhattan"``, ``"l1"`` and ``"l2"`` are names that scikit-learn has for these.
    metric_params : mapping, optional
        Further arguments of SciPy's metric, such as ``{"p": 3}`` of ``"minkowski"``.
    max_dim : int
        The highest homology dimension, cut to n - 2.
    threshold : float, optional
        The greatest diameter of a simplex; ``inf`` for the whole filtration. By default the enclosing radius, past which nothing changes; a
        sparse matrix has none and is taken whole.
    modulus : int
        Coefficients are in Z/p, p a prime below 65536.
    collapse : "auto", "off" or "on"
        Whether edges are left out first without which the bars are the same: as long as it pays, never, or all of them.
    symmetrize : "lower", "upper", "mean", "max" or "min", optional
        Which of two distances counts in an array (n, n) that is not symmetric; by default that is an error.
    shortest_paths : bool
        Whether the edges of a sparse matrix are replaced by the lengths of shortest paths, which are distances of all pairs of points and are
        infinite where no path joins them.
    weights : "diagonal" or "dtm", optional
        When points are born: as the diagonal of precomputed distances says; or at twice their distance to the measure of all points. By default
        at 0.
    dtm_p : 1, 2 or inf, optional
        How balls grow with ``weights="dtm"`` (1).
    dtm_r : float, optional
        The exponent of distances with ``weights="dtm"`` (2).
    dtm_neighbors : int, optional
        The number of neighbours with ``weights="dtm"``, the point itself not counted (3).
    landmarks : int, optional
        So many points for all, each farthest from those before it, beginning with the first: ``n_perm`` of ripser.py. See
        :attr:`Diagram.landmarks`.
    representatives : "simplices", "cocycles", "cycles" or several of these, optional
        What is told of each bar in :attr:`Diagram.representatives`: the simplices with which its class is born and dies, always; a cocycle;
        a cycle. No edges are collapsed beside.
    cocycles_at : "birth" or "death", optional
        Up to which scale cocycles are given: of the complex at the birth of the bar, or of all up to its death (the default).
    tighten : bool
        Whether cycles of dimension 1 are made as short as their class has them at birth.
    only : sequence of (dimension, place), optional
        Representatives of these bars alone.
    longest : int, optional
        Representatives of so many bars of dimension 1 and above alone, those that last longest.
    min_persistence : float, optional
        Representatives of the bars alone that last so long or longer.
    threads : int, optional
        The number of threads; by default one a core. The answer does not depend on it.
    backend : "auto", "cpu" or "cuda"
        A GPU where it should finish first; never one; always one, or an error. A GPU stays open from the first call that uses it.
    progress : bool or callable
        Whether a bar of tqdm shows how far the run is; or a function of the stage, its dimension, the work that is done, and all of it.
    time_limit : float, optional
        The seconds after which the run ends with a TimeoutError. They and Ctrl-C are looked at twenty times a second, except while SciPy
        computes, while an input is copied, checked or read from a file, within the search for a single cycle, and while the answer is made
        into arrays.
    memory : int or str, optional
        The most memory that this process may have during the call, in bytes or as ``"500M"`` or ``"8G"``: all counts that it has when the
        call begins. MemoryError is raised before the run if its plan needs more, when a large table would pass the limit, and within a
        twentieth of a second once the process has more. Meanwhile other calls of the process are held to the limit as well. The memory
        of GPUs does not count. Only Linux tells what a process has; elsewhere nothing is limited.
    checkpoint : path, optional
        A directory in which the run saves its state. After Ctrl-C, after ``time_limit``, or if the process ends, the same call goes on from
        there, with the same bars; another input, and other options but for ``threads``, ``backend``, ``progress`` and limits, are a
        ValueError. When the run is done, the state is removed, and the directory if it was made for it.
    checkpoint_every : float, optional
        The seconds between two savings (60), which take a fortieth of the time at most; with 0 as often as possible, at any cost.

    Returns
    -------
    Diagram
        With the attributes ``threshold`` and, if they were asked for, ``landmarks`` and ``representatives``.

    Raises
    ------
    ValueError
        An input that is none, or an option that does not suit it.
    TypeError
        An argument of another type.
    MemoryError
        The run would not fit, or passes its limit.
    TimeoutError
        The run was stopped by ``time_limit``.
    OSError
        The checkpoint cannot be read or made.
    RuntimeError
        A GPU was asked for that is not there, or fails.

    Warns
    -----
    UserWarning
        Something was done in another way than asked for, and the bars are right all the same; or the rows of an array that looks like distances
        were taken for points.

    Examples
    --------
    The corners of a square, whose sides make a loop until the diagonals fill it:

    >>> import numpy as np
    >>> import lacuna_tda
    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> lacuna_tda.rips(square).bars(1)
    array([[1.        , 1.41421356]])

    The same by its distances, with the edges that create the loop and fill it:

    >>> from scipy.spatial.distance import pdist, squareform
    >>> diagram = lacuna_tda.rips(squareform(pdist(square)), metric="precomputed", representatives="simplices")
    >>> loops = diagram.representatives[1]
    >>> loops.birth_edges, loops.death_edges
    (array([[0, 1]]), array([[1, 3]]))
    """
    options = filled(RipsOptions, options)
    request, are_births = _requested(options)
    answer = running(options, lambda run: _lacuna.rips(distances_of(X, options, are_births, run), request, run), request)
    return _diagram(answer, request)


@overload
def rips_many(X: Any, *, errors: Literal["raise"] = ..., **options: Unpack[RipsManyOptions]) -> list[Diagram]: ...
@overload
def rips_many(X: Any, *, errors: Literal["return"], **options: Unpack[RipsManyOptions]) -> list[Diagram | Exception]: ...
@takes(RipsManyOptions)
def rips_many(
    X: Any, *, errors: Literal["raise", "return"] = "raise", **options: Unpack[RipsManyOptions]
) -> list[Diagram] | list[Diagram | Exception]:
    """The barcodes of many inputs, in their order: as :func:`rips` of each, and much faster where they are small.

    Inputs of some hundred points are done side by side, one a thread. An input that fails does not stop the others.

    Parameters
    ----------
    X : sequence of arrays or sparse matrices, or array (m, n, d) or (m, n, n)
        The inputs.
    errors : "raise" or "return"
        What becomes of inputs that fail: when all others are done, the exception of the first of them is raised, with its number; or their
        exceptions take the places of their diagrams.
    **options
        As those of :func:`rips`, without checkpoints; ``progress`` counts inputs.

    Returns
    -------
    list of Diagram
        One for each input; with ``errors="return"`` also exceptions.

    Examples
    --------
    >>> import numpy as np
    >>> import lacuna_tda
    >>> clouds = np.array([[[0.0], [1.0]], [[0.0], [2.0]]])
    >>> [diagram.bars(0)[0].tolist() for diagram in lacuna_tda.rips_many(clouds)]
    [[0.0, 1.0], [0.0, 2.0]]
    >>> lacuna_tda.rips_many([clouds[0], [[np.nan]]], errors="return")
    [<Diagram H0: 2>, ValueError('coordinate 0 of point 0: expected a finite number, found NaN')]
    """
    expect_errors(errors)
    options = filled(RipsManyOptions, options)
    request, are_births = _requested(options)
    if isinstance(X, np.ndarray) and X.dtype != object and X.ndim != 3:
        raise ValueError(f"expected several inputs, an array of three axes or a sequence, found shape {X.shape}; rips takes one")

    def inputs(run: _lacuna.Run) -> list[_lacuna.Distances | Exception]:
        # Of an array, one call makes all clouds: ten thousand calls take as long as the bars of two thousand small clouds.
        is_array = isinstance(X, np.ndarray) and X.dtype != object and not np.ma.is_masked(X)
        if not is_array or not are_points(options) or are_births:
            return each(X, lambda one: distances_of(one, options, are_births, run))
        for one in X if X.shape[1] == X.shape[2] else ():
            if tell_of_distances(one):
                break
        return _lacuna.clouds(floats(X))

    def answers(run: _lacuna.Run) -> list[RipsAnswer | Exception]:
        return answered(inputs(run), lambda inputs: _lacuna.rips_many(inputs, request, run))

    return diagrams(running(options, answers), lambda answer: _diagram(answer, request), errors)


class Request(NamedTuple):
    """What is asked of the extension module."""

    max_dim: int
    threshold: float | None
    modulus: int
    collapse: str
    dtm: tuple[str, float, int] | None
    landmarks: int | None
    representatives: tuple[str, ...]
    cocycles_at: str
    tighten: bool
    only: list[tuple[int, int]] | None
    longest: int | None
    min_persistence: float | None


def _requested(options: RipsManyOptions) -> tuple[Request, bool]:
    """What is asked of the extension module, and whether the diagonal holds births."""
    weights, representatives = options["weights"], options["representatives"]
    if weights is not None and (not isinstance(weights, str) or weights not in ("diagonal", "dtm")):
        found = repr(weights) if isinstance(weights, str) else f"{type(weights).__name__}; lacuna_tda.compat.gph takes weights of points"
        raise ValueError(f"weights: expected None, diagonal or dtm, found {found}")
    if representatives is None:
        kinds: tuple[str, ...] = ()
        expect_representatives(options, ("only", "longest", "min_persistence"), "bars for representatives")
        expect_representatives(options, ("cocycles_at", "tighten"), "how representatives are made")
    else:
        names = (representatives,) if isinstance(representatives, str) or not isinstance(representatives, Iterable) else representatives
        kinds = tuple(word("representatives", name, "simplices, cocycles or cycles") for name in names)
        if options["cocycles_at"] is not None and "cocycles" not in kinds:
            raise ValueError('cocycles_at: expected beside representatives="cocycles" only')
        if options["tighten"] and "cycles" not in kinds:
            raise ValueError('tighten: expected beside representatives="cycles" only')
    request = Request(
        max_dim=count("max_dim", options["max_dim"], 0),
        threshold=optional_number("threshold", options["threshold"]),
        modulus=_modulus(options["modulus"]),
        collapse=word("collapse", options["collapse"], "auto, off or on"),
        dtm=_dtm(options),
        landmarks=optional_count("landmarks", options["landmarks"], 0),
        representatives=kinds,
        cocycles_at="death" if options["cocycles_at"] is None else word("cocycles_at", options["cocycles_at"], "birth or death"),
        tighten=flag("tighten", options["tighten"]),
        only=bars_of("only", options["only"]),
        longest=optional_count("longest", options["longest"], 1),
        min_persistence=optional_number("min_persistence", options["min_persistence"]),
    )
    return request, weights == "diagonal"


def _dtm(options: RipsManyOptions) -> tuple[str, float, int] | None:
    """How points are born by their distance to measure: the growth of balls, the exponent and the number of neighbours."""
    dtm_p, dtm_r, neighbors = options["dtm_p"], options["dtm_r"], options["dtm_neighbors"]
    if options["weights"] != "dtm":
        if not (dtm_p is None and dtm_r is None and neighbors is None):
            raise ValueError('dtm_p, dtm_r, dtm_neighbors: expected beside weights="dtm" only')
        return None
    growths = {1: "1", 2: "2", float("inf"): "inf", "inf": "inf", None: "1"}
    if dtm_p not in growths:
        raise ValueError(f"dtm_p: expected 1, 2 or inf, found {dtm_p!r}")
    exponent = 2.0 if dtm_r is None else number("dtm_r", dtm_r)
    return growths[dtm_p], exponent, 3 if neighbors is None else count("dtm_neighbors", neighbors, 1)


def _modulus(modulus: Any) -> int:
    """A number that the extension module takes; whether it is a prime is known there."""
    number = count("modulus", modulus, 0)
    if number >= 65536:
        raise ValueError(f"modulus: expected a prime below 65536, found {number}")
    return number


def _diagram(answer: RipsAnswer, request: Request) -> Diagram:
    """What was found as a diagram; what is to be said of it is said."""
    for note in answer["notes"]:
        warn(note)
    landmarks, tables = answer.get("landmarks"), answer.get("representatives")
    return Diagram(
        answer["bars"],
        threshold=answer["threshold"],
        landmarks=None if landmarks is None else Landmarks(*landmarks),
        representatives=None
        if tables is None
        else [_table(dim, table, request.representatives) for dim, table in enumerate(tables)],
    )


def _table(dim: int, table: Table, kinds: tuple[str, ...]) -> Representatives:
    """The representatives of a dimension."""

    def chains(kind: Literal["cocycles", "cycles"]) -> list[Chain] | None:
        if kind not in kinds or dim == 0:
            return None
        return [Chain(simplices, coefficients) for simplices, coefficients in table.get(kind, [])]

    return Representatives(
        places=table["places"],
        birth_simplices=table["birth_simplices"],
        death_simplices=table["death_simplices"],
        birth_edges=table.get("birth_edges", np.empty((len(table["places"]), 0), dtype=np.int64)),
        death_edges=table["death_edges"],
        cocycles=chains("cocycles"),
        cycles=chains("cycles"),
    )
