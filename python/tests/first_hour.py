"""Calls of the first hour with the package by users of ripser.py, giotto-ph, giotto-tda, GUDHI, CubicalRipser, persim and scikit-learn.

Each has an answer, that of another library where there is one that answers, or an error or a warning that names what to do instead.
`python first_hour.py` prints a line for each; `test_first_hour.py` runs them as tests. A call whose packages are not installed is skipped.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from re import search
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import lacuna_tda


class Call(NamedTuple):
    """What is called, and what is expected: the answer, or a pattern of the error or the warning."""

    what: str
    call: Callable[[], Any]
    expected: Callable[[], Any] | str


def module(name: str) -> Any:
    """A module that may not be installed."""
    return import_module(name)


STEPS = np.arange(20.0)
P = np.column_stack([np.cos(STEPS), np.sin(STEPS)]) * (1 + 0.1 * np.sin(7 * STEPS))[:, None]
D: NDArray[np.float64] = np.linalg.norm(P[:, None] - P[None], axis=2)
C = D[np.triu_indices(20, 1)]
NEAR = np.where(D < 0.9, D, 0)
UPPER = np.triu(D)
WITH_BIRTHS = D + np.diag(np.full(20, 0.05))
ONE_NAN = np.where(P == P[3, 1], np.nan, P)
A = np.random.default_rng(0).random((9, 10))
WHOLE = (A * 9).astype(np.int64)
VOLUME = np.random.default_rng(1).random((4, 5, 6))
FOUR_AXES = np.random.default_rng(2).random((3, 4, 2, 5))
LINE = VOLUME[0, 0]
NAN_VOXEL = np.where(A > 0.99 * A.max(), np.nan, A)
NO_POINTS = np.empty((0, 2))
READ_ONLY = P.copy()
READ_ONLY.flags.writeable = False
MASKED = np.ma.masked_greater(P, 1.0)
DIAGRAM = lacuna_tda.rips(P)
OTHER = lacuna_tda.rips(P[:15])
ESSENTIAL = np.array([[0.0, np.inf]])


def rips(X: Any, **options: Any) -> Any:
    return lacuna_tda.rips(X, **options)


def distances(X: Any, **options: Any) -> Any:
    return lacuna_tda.rips(X, metric="precomputed", **options)


def cubical(image: Any, **options: Any) -> Any:
    return lacuna_tda.cubical(image, **options)


def plot(diagram: Any) -> Any:
    return lacuna_tda.plot_diagram(diagram)


def distances_in(kind: str) -> Call:
    """A call with the distances of near points in a sparse matrix."""
    return Call(
        f"distances in a {kind}",
        lambda: distances(sparse(kind)),
        lambda: ripser_py(sparse("csr_matrix"), distance_matrix=True),
    )


def sparse(kind: str, matrix: Any = NEAR) -> Any:
    return getattr(module("scipy.sparse"), kind)(matrix)


def frame(columns: Any) -> Any:
    return module("pandas").DataFrame(columns)


def nullable(points: Any, missing: bool = False) -> Any:
    table = frame(points).astype("Float64")
    if missing:
        table.iloc[2, 0] = None
    return table


def tensor(array: Any, **options: Any) -> Any:
    return module("torch").tensor(array, **options)


# Answers of others.


def ripser_py(X: Any, **options: Any) -> Any:
    return module("ripser").ripser(X, **options)["dgms"]


def giotto_ph(X: Any, **options: Any) -> Any:
    return module("gph").ripser_parallel(X, **options)["dgms"]


def gudhi_rips(X: Any) -> Any:
    tree = module("gudhi").RipsComplex(points=X).create_simplex_tree(max_dimension=2)
    tree.compute_persistence(homology_coeff_field=2)
    return [tree.persistence_intervals_in_dimension(dim) for dim in (0, 1)]


def gudhi_cubical(axes: int, **image: Any) -> Any:
    cells = module("gudhi").CubicalComplex(**image)
    cells.compute_persistence(homology_coeff_field=2)
    return [cells.persistence_intervals_in_dimension(dim) for dim in range(axes)]


def cripser(image: Any) -> Any:
    table = module("cripser").compute_ph(image)
    return [table[table[:, 0] == dim, 1:3] for dim in range(image.ndim)]


def taken_from(table: Any, axes: int) -> Any:
    return [table[table[:, 0] == dim, 1:3] for dim in range(axes)]


def gudhi_transformer(transformer: str, inputs: list[Any], dims: list[int]) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """A transformer of `compat` and its original."""

    def of(name: str) -> Any:
        return getattr(module(name), transformer)(dims).fit_transform(inputs)[0]

    return (lambda: of("lacuna_tda.compat.gudhi")), (lambda: of("gudhi.sklearn"))


def in_pipeline() -> Any:
    """The diagrams of a transformer in the place of ripser.py's that is a step of a pipeline, behind one that scales coordinates."""
    scaler = module("sklearn.preprocessing").StandardScaler()
    steps = module("sklearn.pipeline").make_pipeline(scaler, compat("ripser", "Rips", verbose=False))
    return steps.fit(P).transform(P)


def ours_as_giotto_ph(X: Any, **options: Any) -> Any:
    return compat("gph", "ripser_parallel", X, **options)["dgms"]


def plotted(name: str) -> Any:
    """The number of collections of points that a transformer draws."""
    pyplot = module("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    transformer = module(name).Rips(verbose=False)
    transformer.fit_transform(P)
    transformer.plot(show=False)
    drawn = len(pyplot.gca().collections)
    pyplot.close("all")
    return drawn


def unsorted() -> Any:
    """A sparse matrix whose rows are not in the order of columns."""
    rows = sparse("csr_array")
    for start, end in zip(rows.indptr, rows.indptr[1:]):
        rows.indices[start:end] = rows.indices[start:end][::-1].copy()
        rows.data[start:end] = rows.data[start:end][::-1].copy()
    rows.has_sorted_indices = False
    return rows


def compat(name: str, function: str, *arguments: Any, **options: Any) -> Any:
    return getattr(module(f"lacuna_tda.compat.{name}"), function)(*arguments, **options)


POINTS = [
    Call("rips of lists of lists", lambda: rips(P.tolist()), lambda: ripser_py(P)),
    Call("rips of float32", lambda: rips(P.astype(np.float32)), lambda: ripser_py(P.astype(np.float32))),
    Call("rips of integers", lambda: rips((100 * P).astype(int)), lambda: ripser_py((100 * P).astype(int))),
    Call("rips of bytes", lambda: rips((100 + 50 * P).astype(np.uint8)), lambda: ripser_py((100 + 50 * P).astype(np.uint8))),
    Call("rips of Fortran order", lambda: rips(np.asfortranarray(P)), lambda: ripser_py(P)),
    Call("rips of every second row", lambda: rips(np.repeat(P, 2, axis=0)[::2]), lambda: ripser_py(P)),
    Call("rips of reversed rows", lambda: rips(P[::-1]), lambda: ripser_py(P[::-1])),
    Call("rips of a read-only array", lambda: rips(READ_ONLY), lambda: ripser_py(P)),
    Call("rips of big-endian floats", lambda: rips(P.astype(">f8")), lambda: ripser_py(P)),
    Call("rips of long doubles", lambda: rips(P.astype(np.longdouble)), lambda: gudhi_rips(P.astype(np.longdouble))),
    Call("rips of objects", lambda: rips(P.astype(object)), lambda: ripser_py(P.astype(object))),
    Call("rips of a DataFrame", lambda: rips(frame(P)), lambda: ripser_py(frame(P))),
    Call("rips of nullable columns", lambda: rips(nullable(P)), lambda: ripser_py(nullable(P))),
    Call("rips of a missing value", lambda: rips(nullable(P, missing=True)), r"TypeError: entry \[2, 0\]: expected a number, found <NA>"),
    Call("rips of a tensor", lambda: rips(tensor(P)), lambda: gudhi_rips(tensor(P))),
    Call("rips of a tensor with gradient", lambda: rips(tensor(P, requires_grad=True)), r"TypeError: .*Use tensor\.detach\(\)"),
    Call("rips of a list of rows", lambda: rips(list(P)), lambda: ripser_py(P)),
    Call("rips of a mask without entries", lambda: rips(np.ma.array(P)), lambda: ripser_py(P)),
    Call("rips of masked entries", lambda: rips(MASKED), r"ValueError: .* masked; array\.filled\(value\)"),
    Call("rips of one point", lambda: rips(P[:1]), lambda: [ESSENTIAL, []]),
    Call("rips of no points", lambda: rips(NO_POINTS), "ValueError: expected at least one point, found none"),
    Call("rips of an empty list", lambda: rips([]), "ValueError: expected points .*, one or more, found none"),
    Call("rips of one column", lambda: rips(P[:, 0]), r"ValueError: .*X\.reshape\(-1, 1\) makes points of one coordinate"),
    Call("rips of one column as points", lambda: rips(P[:, :1]), lambda: ripser_py(P[:, :1])),
    Call("rips of three axes", lambda: rips(P[None]), "ValueError: .*rips_many takes several inputs"),
    Call("rips of several clouds", lambda: rips([P, P[:5]]), "ValueError: .*rips_many takes several"),
    Call("rips of rows of two lengths", lambda: rips([[0.0, 1.0], [2.0]]), "ValueError: expected rows of one length"),
    Call("rips of a path", lambda: rips("points.csv"), r"TypeError: .*found 'points\.csv'; lacuna_tda\.read reads files"),
    Call("rips of text", lambda: rips(P.astype(str)), r"TypeError: .*array\.astype\(float\) makes numbers of it"),
    Call("rips of complex numbers", lambda: rips(P + 0j), r"TypeError: .*abs\(array\) or array\.real"),
    Call("rips of None", lambda: rips(None), "TypeError: expected an array of numbers.*found a NoneType"),
    Call("rips of NaN", lambda: rips(ONE_NAN), "ValueError: coordinate 1 of point 3: expected a finite number, found NaN"),
    Call("rips of a sparse matrix", lambda: rips(sparse("csr_array")), r'ValueError: .*metric="precomputed"; X\.toarray\(\) makes points'),
    Call("rips of distances", lambda: rips(D), 'UserWarning: .*metric="precomputed" takes it for distances'),
    Call("rips with another metric", lambda: rips(P, metric="cityblock"), lambda: ripser_py(P, metric="cityblock")),
    Call("rips with a metric of scikit-learn", lambda: rips(P, metric="manhattan"), lambda: ripser_py(P, metric="manhattan")),
    Call("rips with a function", lambda: rips(P, metric=lambda a, b: abs(a - b).max()), lambda: ripser_py(P, metric="chebyshev")),
    Call("rips without a metric", lambda: rips(P, metric=None), "TypeError: metric: expected the name of a metric or a function"),
]

DISTANCES = [
    Call("distances", lambda: distances(D), lambda: ripser_py(D, distance_matrix=True)),
    Call("distances as lists", lambda: distances(D.tolist()), lambda: ripser_py(D, distance_matrix=True)),
    Call("distances as a DataFrame", lambda: distances(frame(D)), lambda: giotto_ph(D, metric="precomputed")),
    Call("distances as pdist lists them", lambda: distances(C), lambda: ripser_py(D, distance_matrix=True)),
    Call(
        "distances with infinity",
        lambda: distances(np.where(D < 1.5, D, np.inf)),
        lambda: ripser_py(D, distance_matrix=True, thresh=1.5),
    ),
    *[distances_in(kind) for kind in ("csr_array", "csc_array", "coo_array", "coo_matrix", "lil_matrix")],
    Call("distances in unsorted rows", lambda: distances(unsorted()), lambda: ripser_py(sparse("csr_matrix"), distance_matrix=True)),
    Call("distances of one half", lambda: distances(UPPER), 'ValueError: .*symmetrize="upper" takes the upper half'),
    Call("distances of the upper half", lambda: distances(UPPER, symmetrize="upper"), lambda: ripser_py(UPPER, distance_matrix=True)),
    Call("distances with births", lambda: distances(WITH_BIRTHS), 'ValueError: .*weights="diagonal" takes the diagonal for births'),
    Call(
        "distances with births, meant",
        lambda: distances(WITH_BIRTHS, weights="diagonal"),
        lambda: ripser_py(WITH_BIRTHS, distance_matrix=True),
    ),
    Call("distances below zero", lambda: distances(-D), "ValueError: row 1, column 0: expected a non-negative distance"),
    Call("distances of a rectangle", lambda: distances(D[:5]), "ValueError: expected a square matrix"),
    Call(
        "distances with NaN",
        lambda: distances(np.where(D > 1.9, np.nan, D)),
        "ValueError: row .*expected a non-negative distance or inf, found NaN",
    ),
]

OPTIONS = [
    Call("maxdim of ripser.py", lambda: rips(P, maxdim=1), "TypeError: .*did you mean max_dim"),
    Call("thresh of ripser.py", lambda: rips(P, thresh=1.0), "TypeError: .*did you mean threshold"),
    Call("coeff of ripser.py", lambda: rips(P, coeff=3), "TypeError: .*did you mean modulus"),
    Call("distance_matrix of ripser.py", lambda: rips(D, distance_matrix=True), 'TypeError: .*did you mean metric="precomputed"'),
    Call("do_cocycles of ripser.py", lambda: rips(P, do_cocycles=True), 'TypeError: .*did you mean representatives="cocycles"'),
    Call("n_perm of ripser.py", lambda: rips(P, n_perm=9), "TypeError: .*did you mean landmarks"),
    Call("max_edge_length of GUDHI", lambda: rips(P, max_edge_length=1.0), "TypeError: .*did you mean threshold"),
    Call("homology_dimensions of giotto-tda", lambda: rips(P, homology_dimensions=[0, 1]), "TypeError: .*did you mean max_dim"),
    Call("n_threads of giotto-ph", lambda: rips(P, n_threads=2), "TypeError: .*did you mean threads"),
    Call("threads as joblib counts them", lambda: rips(P, threads=-1), "ValueError: threads: expected 1 or more, or None for one a core"),
    Call("a threshold", lambda: rips(P, threshold=0.8), lambda: ripser_py(P, thresh=0.8)),
    Call("a threshold of infinity", lambda: rips(P, threshold=np.inf), lambda: ripser_py(P)),
    Call("a threshold as text", lambda: rips(P, threshold="1"), "TypeError: threshold: expected a number, found '1'"),
    Call("three dimensions", lambda: rips(P, max_dim=2), lambda: ripser_py(P, maxdim=2)),
    Call("a list of dimensions", lambda: rips(P, max_dim=[0, 1]), r"TypeError: max_dim: expected a whole number, found \[0, 1\]"),
    Call("another field", lambda: rips(P, modulus=11), lambda: ripser_py(P, coeff=11)),
    Call("a field that is none", lambda: rips(P, modulus=4), "ValueError: modulus: expected a prime below 65536, found 4"),
    Call("landmarks", lambda: rips(P, landmarks=9), lambda: ripser_py(P, n_perm=9)),
    Call(
        "representatives=True",
        lambda: rips(P, representatives=True),
        "TypeError: representatives: expected simplices, cocycles or cycles",
    ),
    Call("symmetrize of points", lambda: rips(P, symmetrize="max"), 'ValueError: symmetrize: expected metric="precomputed"'),
    Call(
        "symmetrize of a sparse matrix",
        lambda: distances(sparse("csr_array"), symmetrize="max"),
        "ValueError: symmetrize: expected an array of distances, found a sparse matrix",
    ),
    Call("symmetrize=True", lambda: distances(UPPER, symmetrize=True), "TypeError: symmetrize: expected lower, upper, mean, max or min"),
    Call(
        "cocycles_at of cycles",
        lambda: rips(P, representatives="cycles", cocycles_at="birth"),
        'ValueError: cocycles_at: expected beside representatives="cocycles"',
    ),
    Call(
        "tighten of cocycles",
        lambda: rips(P, representatives="cocycles", tighten=True),
        'ValueError: tighten: expected beside representatives="cycles"',
    ),
    Call("collapse=True", lambda: rips(P, collapse=True), "TypeError: collapse: expected auto, off or on, found True"),
    Call(
        "weights of points",
        lambda: rips(P, weights=np.ones(20)),
        r"ValueError: weights: .*lacuna_tda\.compat\.gph takes weights of points",
    ),
    Call("backend='gpu'", lambda: rips(P, backend="gpu"), 'ValueError: backend: expected one of auto, cpu, cuda, found "gpu"'),
    Call("max_dim by place", lambda: lacuna_tda.rips(P, 2), r"TypeError: rips\(\) takes 1 positional argument"),  # type: ignore[call-arg]
]

IMAGES = [
    Call("cubical of integers", lambda: cubical(WHOLE), lambda: gudhi_cubical(2, top_dimensional_cells=WHOLE)),
    Call("cubical of lists", lambda: cubical(WHOLE.tolist()), lambda: gudhi_cubical(2, top_dimensional_cells=WHOLE)),
    Call("cubical of vertices", lambda: cubical(A, construction="V"), lambda: cripser(A)),
    Call("cubical of float32", lambda: cubical(A.astype(np.float32)), lambda: gudhi_cubical(2, top_dimensional_cells=A.astype(np.float32))),
    Call("cubical of float16", lambda: cubical(A.astype(np.float16)), lambda: gudhi_cubical(2, top_dimensional_cells=A.astype(np.float16))),
    Call("cubical of long doubles", lambda: cubical(A.astype(np.longdouble)), lambda: gudhi_cubical(2, top_dimensional_cells=A)),
    Call("cubical of booleans", lambda: cubical(A > 0.4), lambda: gudhi_cubical(2, top_dimensional_cells=A > 0.4)),
    Call("cubical of a line", lambda: cubical(LINE), lambda: gudhi_cubical(1, top_dimensional_cells=LINE)),
    Call("cubical of a volume", lambda: cubical(VOLUME), lambda: gudhi_cubical(3, top_dimensional_cells=VOLUME)),
    Call("cubical of Fortran order", lambda: cubical(np.asfortranarray(VOLUME), construction="V"), lambda: cripser(VOLUME)),
    Call("cubical of every second column", lambda: cubical(A[:, ::2]), lambda: gudhi_cubical(2, top_dimensional_cells=A[:, ::2])),
    Call("cubical of a DataFrame", lambda: cubical(frame(A)), lambda: gudhi_cubical(2, top_dimensional_cells=A)),
    Call("cubical of a tensor", lambda: cubical(tensor(A)), lambda: gudhi_cubical(2, top_dimensional_cells=tensor(A))),
    Call(
        "cubical with infinity",
        lambda: cubical(np.where(A > 0.9, np.inf, A)),
        lambda: gudhi_cubical(2, top_dimensional_cells=np.where(A > 0.9, np.inf, A)),
    ),
    Call("cubical of four axes", lambda: cubical(FOUR_AXES), lambda: gudhi_cubical(4, top_dimensional_cells=FOUR_AXES)),
    Call("cubical of five axes", lambda: cubical(np.zeros((2,) * 5)), r"ValueError: .*lacuna_tda\.compat\.gudhi takes any number of axes"),
    Call("cubical of colours", lambda: cubical(np.ones((9, 9, 3))), r"UserWarning: .*image\.mean\(axis=-1\)"),
    Call("cubical with NaN", lambda: cubical(NAN_VOXEL), 'ValueError: .*found NaN; nan="lowest", "highest" or a number'),
    Call("cubical with NaN replaced", lambda: cubical(NAN_VOXEL, nan=2), lambda: cubical(np.nan_to_num(NAN_VOXEL, nan=2.0))),
    Call("cubical of masked voxels", lambda: cubical(np.ma.masked_greater(A, 0.9)), r"ValueError: .* masked; array\.filled\(value\)"),
    Call("cubical of nothing", lambda: cubical(np.empty((0, 3))), "ValueError: expected at least one voxel along each axis"),
    Call("cubical of a path", lambda: cubical("slice.png"), r"TypeError: .*found 'slice\.png'; lacuna_tda\.read reads files"),
    Call("cubical of a sparse matrix", lambda: cubical(sparse("csr_array")), r"TypeError: .*\.toarray\(\) makes an array of it"),
    Call("filtration of CubicalRipser", lambda: cubical(A, filtration="V"), "TypeError: .*did you mean construction"),
    Call("vertices of GUDHI", lambda: cubical(A, vertices=A), 'TypeError: .*did you mean construction="V"'),
    Call("construction of another name", lambda: cubical(A, construction="vertices"), "ValueError: construction: expected one of T, V"),
    Call(
        "ecc of an image",
        lambda: lacuna_tda.ecc(WHOLE).euler,
        lambda: np.array([cubical(WHOLE).betti(value) @ [1, -1] for value in np.unique(WHOLE)]),
    ),
    Call(
        "thin with a method of scikit-image",
        lambda: lacuna_tda.thin(A > 0.4, method="lee"),  # type: ignore[call-overload]
        "TypeError: .*did you mean rule",
    ),
    Call("thin with NaN", lambda: lacuna_tda.thin(NAN_VOXEL, threshold=0.5), "ValueError: .*found NaN; nan="),
]

DIAGRAMS = [
    Call("diagram['dgms']", lambda: DIAGRAM["dgms"], r"TypeError: .*as in diagram\[1\], found 'dgms'"),  # type: ignore[call-overload]
    Call("diagram[2]", lambda: DIAGRAM[2], "IndexError: .*max_dim tells how many are computed"),
    Call(
        "bottleneck",
        lambda: lacuna_tda.bottleneck(DIAGRAM[1], OTHER[1]),
        lambda: module("gudhi").bottleneck_distance(DIAGRAM[1], OTHER[1]),
    ),
    Call(
        "bottleneck as persim has it",
        lambda: lacuna_tda.bottleneck(DIAGRAM[1], OTHER[1]),
        lambda: module("persim").bottleneck(DIAGRAM[1], OTHER[1]),
    ),
    Call("bottleneck of diagrams", lambda: lacuna_tda.bottleneck(DIAGRAM, OTHER), "ValueError: a: dim is missing: .*dim=1"),
    Call(
        "bottleneck of lists of diagrams",
        lambda: lacuna_tda.bottleneck(list(DIAGRAM), list(OTHER)),
        r"ValueError: a: .*take one, as diagrams\[1\]",
    ),
    Call(
        "bottleneck of ripser's answers",
        lambda: lacuna_tda.bottleneck({"dgms": []}, {"dgms": []}),
        "TypeError: a: .*under its key 'dgms'",
    ),
    Call(
        "bottleneck of three columns",
        lambda: lacuna_tda.bottleneck(DIAGRAM.to_array(), ESSENTIAL),
        r"ValueError: a: expected an array of shape \(n, 2\)",
    ),
    Call(
        "wasserstein as persim has it",
        lambda: lacuna_tda.wasserstein(DIAGRAM[1], OTHER[1], internal_p=2),
        lambda: module("persim").wasserstein(DIAGRAM[1], OTHER[1]),
    ),
    Call(
        "p of wasserstein",
        lambda: lacuna_tda.wasserstein(DIAGRAM[1], OTHER[1], p=2),  # type: ignore[call-overload]
        "TypeError: .*did you mean order",
    ),
    Call(
        "landscape",
        lambda: lacuna_tda.landscape(DIAGRAM, dim=1, count=2, resolution=9, range=(0, 2)).ravel(),
        lambda: module("gudhi.representations").Landscape(num_landscapes=2, resolution=9, sample_range=[0, 2])(DIAGRAM[1]),
    ),
    Call(
        "num_landscapes of GUDHI",
        lambda: lacuna_tda.landscape(DIAGRAM, dim=1, num_landscapes=2),  # type: ignore[call-arg]
        "TypeError: .*did you mean count",
    ),
    Call("plot_diagram of ripser's answer", lambda: plot({"dgms": []}), "TypeError: diagram: .*under its key 'dgms'"),
    Call("reduce of an array", lambda: lacuna_tda.reduce(np.zeros((3, 3))), r"TypeError: .*scipy\.sparse\.csc_array makes a sparse one"),
    Call(
        "reduce with cocycles",
        lambda: lacuna_tda.reduce(sparse("csc_array", np.zeros((3, 3))), representatives="cocycles"),  # type: ignore[arg-type]
        "ValueError: representatives: expected None or cycles, found 'cocycles'",
    ),
    Call(
        "reduce of a file with dimensions",
        lambda: lacuna_tda.reduce("matrix.phat", dimensions=[0]),
        "ValueError: dimensions: expected beside a sparse matrix only",
    ),
    Call("rips_many of one cloud", lambda: lacuna_tda.rips_many(P), "ValueError: expected several inputs, .*rips takes one"),
    Call("rips_many of DataFrames", lambda: lacuna_tda.rips_many([frame(P)])[0], lambda: ripser_py(P)),
]

DROP_INS = [
    Call("compat.ripser of lists", lambda: compat("ripser", "ripser", P.tolist())["dgms"], lambda: ripser_py(P)),
    Call("compat.ripser of nullable columns", lambda: compat("ripser", "ripser", nullable(P))["dgms"], lambda: ripser_py(nullable(P))),
    Call("compat.ripser of text", lambda: compat("ripser", "ripser", P.astype(str)), r"TypeError: .*array\.astype\(float\)"),
    Call(
        "compat.ripser of a list of pdist",
        lambda: compat("ripser", "ripser", C, distance_matrix=True),
        "ValueError: .*squareform makes one",
    ),
    Call(
        "compat.ripser of no points",
        lambda: compat("ripser", "ripser", np.empty((0, 0)), distance_matrix=True)["dgms"],
        lambda: [[], []],
    ),
    Call(
        "compat.ripser.Rips",
        lambda: compat("ripser", "Rips", verbose=False).fit_transform(P),
        lambda: module("ripser").Rips(verbose=False).fit_transform(P),
    ),
    Call("compat.ripser.Rips in a pipeline", in_pipeline, lambda: ripser_py((P - P.mean(0)) / P.std(0))),
    Call("compat.ripser.Rips.plot", lambda: plotted("lacuna_tda.compat.ripser"), lambda: plotted("ripser")),
    Call("compat.ripser.lower_star_img", lambda: compat("ripser", "lower_star_img", A), lambda: module("ripser").lower_star_img(A)),
    Call("compat.gph of no points", lambda: ours_as_giotto_ph(NO_POINTS), lambda: [[], []]),
    Call("compat.gph of one column", lambda: ours_as_giotto_ph(P[:, 0]), r"ValueError: expected points of shape \(n, d\)"),
    Call(
        "compat.gph of a graph with too few neighbours",
        lambda: ours_as_giotto_ph(sparse("coo_matrix"), metric="precomputed", weights="DTM", weight_params={"n_neighbors": 15}),
        "ValueError: n_neighbors: expected 15 edges or more at each point, found",
    ),
    Call("compat.gph of objects", lambda: ours_as_giotto_ph(P.astype(object)), lambda: giotto_ph(P.astype(object))),
    Call(
        "compat.gph of collapsed edges",
        lambda: ours_as_giotto_ph(P, collapse_edges=True),
        lambda: giotto_ph(P, collapse_edges=True),
    ),
    Call("compat.gudhi.RipsPersistence", *gudhi_transformer("RipsPersistence", [P], [0, 1])),
    Call(
        "compat.gudhi of an image without pixels",
        lambda: compat("gudhi", "CubicalPersistence", [0, 1]).fit_transform([np.empty((0, 3))])[0],
        lambda: [[], []],
    ),
    Call("compat.gudhi.CubicalPersistence", *gudhi_transformer("CubicalPersistence", [A], [0, 1])),
    Call(
        "compat.gudhi of a DataFrame of distances",
        lambda: compat("gudhi", "RipsPersistence", [0, 1], input_type="full distance matrix").fit_transform([frame(D)])[0],
        lambda: ripser_py(D, distance_matrix=True),
    ),
    Call("compat.gtda of one cloud", lambda: compat("gtda", "VietorisRipsPersistence").fit_transform(P), r"ValueError: .*X\[None, :, :\]"),
    Call(
        "compat.gtda of one line",
        lambda: compat("gtda", "CubicalPersistence").fit_transform(LINE),
        "ValueError: expected a collection of images, found an array of shape",
    ),
    Call(
        "compat.gtda of no images",
        lambda: compat("gtda", "CubicalPersistence").fit_transform([]),
        "ValueError: expected one or more images",
    ),
    Call(
        "compat.gtda of a rectangle of distances",
        lambda: compat("gtda", "VietorisRipsPersistence", metric="precomputed").fit_transform([D[:5]]),
        r"ValueError: input 0: expected distances of shape \(n, n\), found \(5, 20\)",
    ),
    Call(
        "compat.gtda without dimensions",
        lambda: compat("gtda", "VietorisRipsPersistence", homology_dimensions=()).fit([P]),
        "ValueError: homology_dimensions: expected one or more",
    ),
    Call(
        "compat.gudhi of a short row",
        lambda: compat("gudhi", "RipsPersistence", 1, input_type="lower distance matrix").fit_transform([[[], [1.0], [2.0]]]),
        "ValueError: row 2 of a distance matrix: expected 2 entries or more, found 1",
    ),
    Call(
        "compat.cripser of five axes",
        lambda: compat("cripser", "computePH", np.zeros((1,) * 5)),
        "ValueError: expected an array of one to four axes",
    ),
    Call("compat.cripser", lambda: taken_from(compat("cripser", "compute_ph", VOLUME), 3), lambda: cripser(VOLUME)),
]

CALLS = POINTS + DISTANCES + OPTIONS + IMAGES + DIAGRAMS + DROP_INS


def check(call: Call) -> str:
    """What a call says or answers, in short; an AssertionError if that is not what is expected, an ImportError if a package is missing."""
    with warnings.catch_warnings():
        if isinstance(call.expected, str):
            warnings.simplefilter("error")
            try:
                found = call.call()
            except ImportError:
                raise
            except Exception as error:
                said = f"{type(error).__name__}: {error}"
                assert search(call.expected, said), f"expected {call.expected}, found {said}"
                return said.partition("\n")[0]
            raise AssertionError(f"expected {call.expected}, found {found!r}")
        warnings.simplefilter("ignore")
        expected, found = call.expected(), call.call()
    if not isinstance(expected, (list, lacuna_tda.Diagram)):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
        return repr(found).partition("\n")[0]
    counts = []
    for dim in range(max(len(found), len(expected))):
        bars = _bars(found, dim)
        np.testing.assert_allclose(bars, _bars(expected, dim), rtol=1e-5, atol=1e-6)
        counts.append(f"H{dim}: {len(bars)}")
    return ", ".join(counts)


def _bars(diagram: Any, dim: int) -> NDArray[np.float64]:
    """The bars of a dimension, sorted; none of a dimension that was not computed."""
    bars = np.asarray(diagram[dim] if dim < len(diagram) else [], dtype=np.float64).reshape(-1, 2)
    return bars[np.lexsort((bars[:, 1], bars[:, 0]))]


def main() -> int:
    failed = 0
    for number, call in enumerate(CALLS, 1):
        try:
            state, said = "ok", check(call)
        except ImportError as error:
            state, said = "skipped", str(error)
        except Exception as error:
            state, said = "FAILED", f"{type(error).__name__}: {error}"
            failed += 1
        print(f"{number:3} {state:8}{call.what:42}{said}")
    print(f"{len(CALLS)} calls, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
