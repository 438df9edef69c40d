"""Names of options, and what other libraries call them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import wraps
from inspect import signature
from typing import NoReturn, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

ELSEWHERE = {
    "coeff": "modulus",
    "collapse_edges": "collapse",
    "connectivity": "construction",
    "distance_matrix": 'metric="precomputed"',
    "do_cocycles": 'representatives="cocycles"',
    "filtration": "construction",
    "homology_coeff_field": "modulus",
    "homology_dimensions": "max_dim",
    "im_range": "range",
    "location": "locations",
    "max_dimension": "max_dim",
    "max_edge_length": "threshold",
    "max_intervals": "most",
    "max_num_iter": "iterations",
    "maxdim": "max_dim",
    "method": "rule",
    "n_bins": "resolution",
    "n_jobs": "threads",
    "n_layers": "count",
    "n_perm": "landmarks",
    "n_samples": "points",
    "n_threads": "threads",
    "num_collapses": "collapse",
    "num_landscapes": "count",
    "p": "order",
    "periodic_dimensions": "periodic",
    "plot_only": "dims",
    "return_generators": 'representatives="simplices"',
    "sample_range": "range",
    "sigma": "bandwidth",
    "thresh": "threshold",
    "top_dimensional_cells": 'construction="T"',
    "vertices": 'construction="V"',
}
"""What ripser.py, persim, giotto-ph, giotto-tda, GUDHI, CubicalRipser and scikit-image call options, and how they are written here."""


def suggests_keywords(function: Callable[P, R]) -> Callable[P, R]:
    """The function, whose error about an option that it does not have names the one that was meant."""
    known = signature(function).parameters.keys()

    @wraps(function)
    def checked(*args: P.args, **options: P.kwargs) -> R:
        if not options.keys() <= known:
            refuse_unknown(function.__name__, options, known)
        return function(*args, **options)

    return checked


def refuse_unknown(function: str, options: Iterable[str], known: Collection[str]) -> NoReturn:
    """Raises an error about the first option that is not known, which names the one that was meant."""
    unknown = next(name for name in options if name not in known)
    unexpected = f"{function}() got an unexpected keyword argument {unknown!r}"
    meant = _meant(unknown, known)
    raise TypeError(unexpected if meant is None else f"{unexpected}: did you mean {meant}?")


def _meant(unknown: str, known: Collection[str]) -> str | None:
    """The option that is called otherwise elsewhere, or else the one whose name is most alike."""
    # Only errors need it.
    from difflib import get_close_matches

    elsewhere = ELSEWHERE.get(unknown)
    if elsewhere is not None and elsewhere.split("=")[0] in known:
        return elsewhere
    return next(iter(get_close_matches(unknown, known, n=1)), None)
