"""Arguments that are easily mistaken: what is told of them, and how evenly."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import lacuna_tda

POINTS = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.5, 2.0]])
DISTANCES = np.linalg.norm(POINTS[:, None] - POINTS[None], axis=2)
CONDENSED = DISTANCES[np.triu_indices(len(POINTS), 1)]


@pytest.mark.parametrize("function", [lacuna_tda.cubical, lacuna_tda.ecc, lacuna_tda.thin])
@pytest.mark.parametrize(("shape", "dtype"), [((8, 9, 3), "u1"), ((8, 9, 4), "u1"), ((8, 9, 4), "f4"), ((8, 8, 3), "u2")])
def test_colours_are_not_silently_a_volume(
    function: Callable[..., object], shape: tuple[int, ...], dtype: str, rng: np.random.Generator
) -> None:
    picture = rng.integers(0, 2, shape).astype(dtype)
    with pytest.warns(UserWarning, match=rf"taken for a volume of {shape[2]} slices.*image\.mean\(axis=-1\)") as told:
        function(picture)
    assert [warning.filename for warning in told] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for volume in (picture[..., 0], np.moveaxis(picture, -1, 0).copy(), picture.astype(np.int16), picture[:, :, :2].copy(), picture[:7].copy()):
            function(volume)


def test_drop_ins_take_volumes_as_their_originals_do(rng: np.random.Generator) -> None:
    cripser = pytest.importorskip("lacuna_tda.compat.cripser")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cripser.compute_ph(rng.integers(0, 2, (8, 9, 3)).astype(np.uint8))


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_distances_are_not_silently_points(metric: str, dtype: str) -> None:
    apart = DISTANCES.astype(dtype)
    rounded = apart.copy()
    rounded[0, 1] *= 1 + 1e-6
    rounded[2, 2] = 1e-7
    for square in (apart, rounded):
        with pytest.warns(UserWarning, match='metric="precomputed" takes it for distances') as told:
            lacuna_tda.rips(square, metric=metric)
        assert [warning.filename for warning in told] == [__file__]
        with pytest.warns(UserWarning, match='metric="precomputed"'):
            lacuna_tda.rips_many(np.array([POINTS[:, [0, 1, 0, 1, 0]], square], dtype=dtype), metric=metric)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lacuna_tda.rips(apart, metric="precomputed")
        skewed = apart.copy()
        skewed[0, 1] += 1
        for points in (skewed, -apart, apart + 1, apart[:2, :2]):
            lacuna_tda.rips(points, metric=metric)


def test_condensed_distances_are_taken() -> None:
    expected = lacuna_tda.rips(DISTANCES, metric="precomputed")
    assert lacuna_tda.rips(CONDENSED, metric="precomputed") == expected
    assert lacuna_tda.rips(CONDENSED.tolist(), metric="precomputed") == expected
    assert lacuna_tda.rips(CONDENSED.astype(np.float32), metric="precomputed") == lacuna_tda.rips(
        DISTANCES.astype(np.float32), metric="precomputed"
    )
    assert lacuna_tda.rips_many([CONDENSED, DISTANCES], metric="precomputed") == [expected, expected]
    for options in ({"symmetrize": "mean"}, {"weights": "diagonal"}):
        with pytest.raises(ValueError, match=r"expected distances of shape \(n, n\), found a list of 10"):
            lacuna_tda.rips(CONDENSED, metric="precomputed", **options)
    for length in (0, 2, 11):
        with pytest.raises(ValueError, match=rf"n \(n - 1\) / 2 distances as SciPy's pdist lists them, found {length}"):
            lacuna_tda.rips(np.ones(length), metric="precomputed")


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.arange(5.0), r"found an array of shape \(5,\); X\.reshape\(-1, 1\)"),
        (CONDENSED, 'metric="precomputed" takes distances as pdist lists them'),
        ([POINTS, POINTS], "rips_many takes several"),
        ([POINTS, POINTS[:2]], "rips_many takes several"),
        ([POINTS.tolist(), POINTS[:2].tolist()], "rips_many takes several"),
        (np.array([POINTS, POINTS]), r"found an array of shape \(2, 5, 2\).*rips_many takes several"),
        ([[0.0, 1.0], [2.0]], "expected rows of one length"),
    ],
)
def test_other_shapes_are_told_what_to_do(X: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        lacuna_tda.rips(X)


RING = np.array([[1, 1, 1], [1, 9, 1], [1, 1, 1]], dtype=np.uint8)
A, B = [[0.0, 4.0]], [[0.5, 4.0]]
EDGE = pytest.importorskip("scipy.sparse").csc_array(([1, 1], [0, 1], [0, 0, 0, 2]), shape=(3, 3))
CYCLES = {"representatives": "cycles"}
DTM = {"weights": "dtm"}
NUMBERS: list[tuple[Callable[..., object], tuple[object, ...], dict[str, object], str, float]] = [
    (lacuna_tda.rips, (POINTS,), {}, "threshold", 0.5),
    (lacuna_tda.rips, (POINTS,), DTM, "dtm_r", 2),
    (lacuna_tda.rips, (POINTS,), CYCLES, "min_persistence", 0.1),
    (lacuna_tda.rips, (POINTS,), {}, "time_limit", 600),
    (lacuna_tda.rips_many, ([POINTS],), {}, "threshold", 0.5),
    (lacuna_tda.cubical, (RING,), {}, "threshold", 2),
    (lacuna_tda.cubical, (RING,), {}, "time_limit", 600),
    (lacuna_tda.ecc, (RING,), {"scales": 2}, "sigma", 1.5),
    (lacuna_tda.ect, (RING,), {}, "radius", 1.5),
    (lacuna_tda.wasserstein, (A, B), {}, "order", 2),
    (lacuna_tda.wasserstein, (A, B), {}, "internal_p", 2),
    (lacuna_tda.Diagram([A]).betti, (), {}, "value", 1),
]
WHOLE: list[tuple[Callable[..., object], tuple[object, ...], dict[str, object], str, int]] = [
    (lacuna_tda.rips, (POINTS,), {}, "max_dim", 1),
    (lacuna_tda.rips, (POINTS,), {}, "modulus", 3),
    (lacuna_tda.rips, (POINTS,), {}, "landmarks", 3),
    (lacuna_tda.rips, (POINTS,), {}, "threads", 1),
    (lacuna_tda.rips, (POINTS,), DTM, "dtm_neighbors", 2),
    (lacuna_tda.rips, (POINTS,), CYCLES, "longest", 1),
    (lacuna_tda.rips_many, ([POINTS],), {}, "max_dim", 1),
    (lacuna_tda.reduce, (EDGE,), {}, "threads", 1),
    (lacuna_tda.reduce, (EDGE,), CYCLES, "min_persistence", 1),
    (lacuna_tda.cubical, (RING,), {}, "max_dim", 1),
    (lacuna_tda.cubical, (RING,), CYCLES, "longest", 1),
    (lacuna_tda.ecc, (RING,), {}, "bins", 3),
    (lacuna_tda.ecc, (RING,), {}, "scales", 2),
    (lacuna_tda.ecc, (RING,), {"scales": 2}, "taps", 5),
    (lacuna_tda.ect, (RING,), {}, "directions", 4),
    (lacuna_tda.ect, (RING,), {}, "bins", 3),
    (lacuna_tda.thin, (RING,), {}, "iterations", 1),
    (lacuna_tda.skeleton_graph, (RING,), {}, "iterations", 1),
    (lacuna_tda.bottleneck, (lacuna_tda.Diagram([A]), lacuna_tda.Diagram([B])), {}, "dim", 0),
    (lacuna_tda.Diagram([A]).bars, (), {}, "dim", 0),
]


@pytest.mark.parametrize(("function", "arguments", "options", "name", "value"), NUMBERS)
def test_numbers_are_numbers(
    function: Callable[..., object], arguments: tuple[object, ...], options: dict[str, object], name: str, value: float
) -> None:
    expected = function(*arguments, **options, **{name: value})
    for same in (float(value), np.float32(value), np.array(value)):
        np.testing.assert_equal(function(*arguments, **options, **{name: same}), expected)
    for other in (str(value), str(value).encode(), [value], 1j):
        with pytest.raises(TypeError, match=f"{name}: expected a number, found"):
            function(*arguments, **options, **{name: other})


@pytest.mark.parametrize(("function", "arguments", "options", "name", "value"), WHOLE)
def test_whole_numbers_may_be_floats(
    function: Callable[..., object], arguments: tuple[object, ...], options: dict[str, object], name: str, value: int
) -> None:
    expected = function(*arguments, **options, **{name: value})
    for same in (float(value), np.float32(value), np.int8(value)):
        np.testing.assert_equal(function(*arguments, **options, **{name: same}), expected)
    for other in (value + 0.5, np.inf, np.nan, str(value)):
        with pytest.raises(TypeError, match=f"{name}: expected a whole number, found"):
            function(*arguments, **options, **{name: other})


BOOLEANS: list[tuple[Callable[..., object], tuple[object, ...], dict[str, object], str]] = [
    (lacuna_tda.rips, (EDGE,), {"metric": "precomputed"}, "shortest_paths"),
    (lacuna_tda.rips, (POINTS,), CYCLES, "tighten"),
    (lacuna_tda.rips_many, ([POINTS],), CYCLES, "tighten"),
    (lacuna_tda.reduce, (EDGE,), {}, "check"),
    (lacuna_tda.cubical, (RING,), {}, "superlevel"),
    (lacuna_tda.cubical, (RING,), {}, "locations"),
    (lacuna_tda.ecc, (RING,), {}, "superlevel"),
    (lacuna_tda.ect, (RING,), {}, "smooth"),
    (lacuna_tda.ect, (RING,), {}, "weighted"),
    (lacuna_tda.thin, (RING,), {}, "invert"),
    (lacuna_tda.skeleton_graph, (RING,), {}, "invert"),
    (lacuna_tda.bottleneck, (A, B), {}, "matching"),
    (lacuna_tda.wasserstein, (A, B), {}, "matching"),
]


@pytest.mark.parametrize(("function", "arguments", "options", "name"), BOOLEANS)
def test_booleans_are_booleans(
    function: Callable[..., object], arguments: tuple[object, ...], options: dict[str, object], name: str
) -> None:
    for value in (True, False):
        np.testing.assert_equal(
            function(*arguments, **options, **{name: np.bool_(value)}), function(*arguments, **options, **{name: value})
        )
    for other in ("no", "yes", 1, 0, 1.0, None, [True]):
        with pytest.raises(TypeError, match=rf"^{name}: expected True or False, found "):
            function(*arguments, **options, **{name: other})


@pytest.mark.parametrize("function", [lacuna_tda.rips, lacuna_tda.cubical, lacuna_tda.ecc, lacuna_tda.thin])
def test_progress_is_a_boolean_or_a_function(function: Callable[..., object]) -> None:
    function(RING, progress=np.bool_(False))
    with pytest.raises(TypeError, match="^progress: expected True, False or a function, found 'no'"):
        function(RING, progress="no")


def test_bars_are_numbers() -> None:
    text = [["0", "4"]]
    with pytest.raises(TypeError, match="bars of dimension 0: expected an array of numbers, found one of type <U1"):
        lacuna_tda.Diagram([text])
    with pytest.raises(TypeError, match="b: expected an array of numbers"):
        lacuna_tda.bottleneck(A, text)
    with pytest.raises(TypeError, match="expected an array of numbers"):
        lacuna_tda.reduce(EDGE).diagram(["0", "1", "2"])


def test_numbers_in_pairs_are_numbers() -> None:
    assert lacuna_tda.ecc(RING, bins=2, range=[np.float32(0), 10]).values.tolist() == [5.0, 10.0]
    with pytest.raises(TypeError, match="range: expected a number, found '10'"):
        lacuna_tda.ecc(RING, bins=2, range=(0, "10"))
    for ends in (5, (1, 2, 3)):
        with pytest.raises(ValueError, match="range: expected two numbers, the ends of the bins, found"):
            lacuna_tda.ecc(RING, bins=2, range=ends)
    with pytest.raises(ValueError, match="dtm_p: expected 1, 2 or inf, found '2'"):
        lacuna_tda.rips(POINTS, weights="dtm", dtm_p="2")
    with pytest.raises(ValueError, match="threshold: expected a number that a double holds"):
        lacuna_tda.rips(POINTS, threshold=10**400)
    with pytest.raises(ValueError, match="threshold: expected a number or 'otsu', found '3'"):
        lacuna_tda.thin(RING, threshold="3")


@pytest.mark.parametrize(
    ("function", "arguments", "name", "meant"),
    [
        (lacuna_tda.rips, (POINTS,), "maxdim", "max_dim"),
        (lacuna_tda.rips, (POINTS,), "thresh", "threshold"),
        (lacuna_tda.rips, (POINTS,), "max_edge_length", "threshold"),
        (lacuna_tda.rips, (POINTS,), "coeff", "modulus"),
        (lacuna_tda.rips, (POINTS,), "n_perm", "landmarks"),
        (lacuna_tda.rips, (POINTS,), "distance_matrix", 'metric="precomputed"'),
        (lacuna_tda.rips, (POINTS,), "do_cocycles", 'representatives="cocycles"'),
        (lacuna_tda.rips, (POINTS,), "treshold", "threshold"),
        (lacuna_tda.rips_many, ([POINTS],), "homology_coeff_field", "modulus"),
        (lacuna_tda.rips_many, ([POINTS],), "n_jobs", "threads"),
        (lacuna_tda.cubical, (RING,), "maxdim", "max_dim"),
        (lacuna_tda.cubical, (RING,), "location", "locations"),
        (lacuna_tda.ecc, (RING,), "bin", "bins"),
        (lacuna_tda.thin, (RING,), "iteration", "iterations"),
        (lacuna_tda.reduce, (EDGE,), "n_threads", "threads"),
        (lacuna_tda.wasserstein, (A, B), "internal", "internal_p"),
        (lacuna_tda.bottleneck, (A, B), "dims", "dim"),
        (lacuna_tda.plot_barcode, ([A],), "dim", "dims"),
        (lacuna_tda.plot_barcode, ([A],), "max_intervals", "most"),
        (lacuna_tda.plot_diagram, ([A],), "plot_only", "dims"),
        (lacuna_tda.plot_diagram, ([A],), "axes", "ax"),
    ],
)
def test_names_of_other_libraries_are_told_ours(
    function: Callable[..., object], arguments: tuple[object, ...], name: str, meant: str
) -> None:
    with pytest.raises(TypeError) as raised:
        function(*arguments, **{name: 1})
    said = f"{function.__name__}() got an unexpected keyword argument '{name}'"
    assert str(raised.value) == f"{said}: did you mean {meant}?"


def test_a_name_that_is_like_none_gets_no_hint() -> None:
    with pytest.raises(TypeError, match=r"rips\(\) got an unexpected keyword argument 'colour'$"):
        lacuna_tda.rips(POINTS, colour="red")
    with pytest.raises(TypeError, match=r"cubical\(\) got an unexpected keyword argument 'coeff'$"):
        lacuna_tda.cubical(RING, coeff=2)


IMAGES = [lacuna_tda.cubical, lacuna_tda.cubical_many, lacuna_tda.ecc, lacuna_tda.skeleton_graph, lacuna_tda.thin]
COMPUTATIONS = [lacuna_tda.rips, lacuna_tda.rips_many, *IMAGES, lacuna_tda.reduce]


@pytest.mark.parametrize("function", COMPUTATIONS)
def test_options_are_shown_with_their_defaults_and_documented(function: Callable[..., object]) -> None:
    parameters = inspect.signature(function).parameters
    kinds = [parameter.kind for parameter in parameters.values()]
    assert kinds == [inspect.Parameter.POSITIONAL_OR_KEYWORD] + [inspect.Parameter.KEYWORD_ONLY] * (len(kinds) - 1)
    assert parameters["threads"].default is None and parameters["backend"].default == "auto"
    assert function.__annotations__.keys() == {*parameters, "return"}
    heads = re.findall(r"^    (\w[\w, ]*)(?: : .*)?\n        ", str(function.__doc__), re.MULTILINE)
    documented = {name for head in heads for name in head.split(", ")}
    elsewhere = {
        lacuna_tda.rips_many: {"X", "errors"},
        lacuna_tda.cubical_many: {"images", "errors"},
        lacuna_tda.skeleton_graph: {"image", "spacing", "skeleton"},
    }
    assert elsewhere.get(function, parameters.keys()) <= documented


def test_defaults_are_what_is_shown() -> None:
    for function, one in ((lacuna_tda.rips, POINTS), (lacuna_tda.cubical, RING)):
        options = list(inspect.signature(function).parameters.values())[1:]
        assert function(one, **{option.name: option.default for option in options}) == function(one)
    assert lacuna_tda.rips(X=POINTS) == lacuna_tda.rips(POINTS)
    with pytest.raises(TypeError, match=r"rips\(\) takes 1 positional argument but 2 were given"):
        lacuna_tda.rips(POINTS, 1)
    with pytest.raises(TypeError, match=r"rips\(\) missing 1 required positional argument: 'X'"):
        lacuna_tda.rips()


def test_what_is_missing_is_said() -> None:
    diagram = lacuna_tda.rips(POINTS)
    for function in (lacuna_tda.bottleneck, lacuna_tda.wasserstein):
        with pytest.raises(ValueError, match=r"dim is missing: diagrams are compared in one dimension, as by dim=1"):
            function(diagram, diagram)
    for option, value in {"longest": 1, "only": [(1, 0)], "min_persistence": 0.5}.items():
        with pytest.raises(ValueError, match=rf'^{option}: chooses bars for representatives.*representatives="cycles"'):
            lacuna_tda.rips(POINTS, **{option: value})
    with pytest.raises(ValueError, match='^only, min_persistence: choose cycles.*representatives="cycles"'):
        lacuna_tda.reduce(EDGE, only=[1], min_persistence=0)


EXTRAS: list[tuple[str, str, Callable[[], object]]] = [
    ("pandas", "pandas", lambda: lacuna_tda.Diagram([A]).to_frame()),
    ("pandas", "pandas", lambda: lacuna_tda.ecc(RING).to_frame()),
    ("matplotlib", "matplotlib", lambda: lacuna_tda.Diagram([A]).plot()),
    ("matplotlib", "matplotlib", lambda: lacuna_tda.Diagram([A]).plot("betti", panels=True)),
    ("matplotlib", "matplotlib", lambda: lacuna_tda.ecc(RING).plot()),
    ("scipy", "scipy", lambda: lacuna_tda.rips(POINTS, metric="cityblock")),
    ("tqdm", "tqdm", lambda: lacuna_tda.rips(POINTS, progress=True)),
    ("torch", "torch", lambda: importlib.import_module("lacuna_tda.torch").rips(POINTS)),
    ("sklearn", "scikit-learn", lambda: importlib.import_module("lacuna_tda.compat.gudhi")),
    ("sklearn", "scikit-learn", lambda: importlib.import_module("lacuna_tda.compat.gtda")),
    ("sklearn", "scikit-learn", lambda: importlib.import_module("lacuna_tda.compat.ripser").Rips),
    ("joblib", "joblib", lambda: importlib.import_module("lacuna_tda.compat.gudhi")),
    ("scipy", "scipy", lambda: importlib.import_module("lacuna_tda.compat.ripser").ripser(POINTS)),
]


@pytest.mark.parametrize(("module", "package", "use"), EXTRAS)
def test_packages_that_are_not_there_are_named(
    module: str, package: str, use: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == module or name.startswith("lacuna_tda.compat")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf" needs {package}, which is not installed: pip install {package}$"):
        use()


def test_a_package_that_lacks_something_itself_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "auto.py").write_text("import no_such_package_at_all\n")
    for name in [name for name in sys.modules if name.split(".")[0] == "tqdm"]:
        monkeypatch.delitem(sys.modules, name)
    package = ModuleType("tqdm")
    package.__path__ = [str(tmp_path)]
    monkeypatch.setitem(sys.modules, "tqdm", package)
    with pytest.raises(ModuleNotFoundError, match="No module named 'no_such_package_at_all'"):
        lacuna_tda.rips(POINTS, progress=True)
