"""Diagrams as vectors against gudhi.representations, against definitions, and against each other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import lacuna_tda
from lacuna_tda import Diagram

Bars = NDArray[np.float64]


def random_bars(seed: int, count: int) -> Bars:
    """Bars, some of which share their births."""
    random = np.random.default_rng(seed)
    births = random.integers(-8, 16, count) / 8
    return np.column_stack([births, births + 0.01 + random.exponential(0.5, count)])


BARS = [random_bars(1, 17), random_bars(2, 3), random_bars(3, 400)]


def power(exponent: float) -> Callable[[Any], Any]:
    """GUDHI's weight of a point (birth, persistence) of images, and of a bar (birth, death) of silhouettes."""
    return lambda point: point[1] ** exponent


def gudhis(name: str, **options: Any) -> Any:
    """A vectorization of GUDHI."""
    return getattr(pytest.importorskip("gudhi.representations"), name)(**options)


# The function, its options, GUDHI's name, and the options there.
CASES: list[tuple[Callable[..., Any], dict[str, Any], str, dict[str, Any]]] = [
    (lacuna_tda.persistence_image, {}, "PersistenceImage", {}),
    (
        lacuna_tda.persistence_image,
        {"bandwidth": 0.2, "weight": 1.5, "resolution": (4, 6)},
        "PersistenceImage",
        {"bandwidth": 0.2, "weight": power(1.5), "resolution": [4, 6]},
    ),
    (
        lacuna_tda.persistence_image,
        {"bandwidth": 0.5, "resolution": 5, "range": ((0, 1), (0, 2))},
        "PersistenceImage",
        {"bandwidth": 0.5, "resolution": [5, 5], "im_range": [0, 1, 0, 2]},
    ),
    (lacuna_tda.landscape, {}, "Landscape", {}),
    (
        lacuna_tda.landscape,
        {"count": 2, "resolution": 7, "range": (-1, 3)},
        "Landscape",
        {"num_landscapes": 2, "resolution": 7, "sample_range": [-1, 3]},
    ),
    (lacuna_tda.betti_curve, {}, "BettiCurve", {}),
    (lacuna_tda.betti_curve, {"resolution": 9, "range": (0, 2)}, "BettiCurve", {"resolution": 9, "sample_range": [0, 2]}),
    (lacuna_tda.silhouette, {}, "Silhouette", {}),
    (
        lacuna_tda.silhouette,
        {"weight": 2, "resolution": 11, "range": (0, 2)},
        "Silhouette",
        {"weight": lambda bar: (bar[1] - bar[0]) ** 2, "resolution": 11, "sample_range": [0, 2]},
    ),
    (lacuna_tda.entropy, {}, "Entropy", {}),
    (lacuna_tda.entropy_summary, {}, "Entropy", {"mode": "vector"}),
    (
        lacuna_tda.entropy_summary,
        {"resolution": 13, "range": (-0.5, 2.5)},
        "Entropy",
        {"mode": "vector", "resolution": 13, "sample_range": [-0.5, 2.5]},
    ),
    (lacuna_tda.lengths, {}, "PersistenceLengths", {}),
    (lacuna_tda.lengths, {"count": 2}, "PersistenceLengths", {"num_lengths": 2}),
]
FUNCTIONS = list(dict.fromkeys(function for function, *_ in CASES))


@pytest.mark.parametrize(("function", "options", "name", "options_there"), CASES)
def test_vectors_are_those_of_gudhi(
    function: Callable[..., Any], options: dict[str, Any], name: str, options_there: dict[str, Any]
) -> None:
    expected = np.asarray(gudhis(name, **options_there).fit(BARS).transform(BARS), dtype=float)
    found = function(BARS, **options)
    assert found.shape[0] == len(BARS)
    np.testing.assert_allclose(found.reshape(len(BARS), -1), expected, rtol=1e-9, atol=1e-12)
    # Of one diagram alone, on a grid of its own.
    alone = gudhis(name, **options_there).fit(BARS[:1]).transform(BARS[:1])
    one = function(BARS[0], **options)
    assert np.shape(one) == found.shape[1:]
    np.testing.assert_allclose(np.ravel(one), np.ravel(alone), rtol=1e-9, atol=1e-12)


# What the program is asked for, and the function with its options.
COMMANDS: list[tuple[str, Callable[..., Any], dict[str, Any]]] = [
    ("--kind image", lacuna_tda.persistence_image, {}),
    (
        "--kind image --bandwidth 0.2 --weight 1.5 --resolution 4x6 --range 0,1,0,2",
        lacuna_tda.persistence_image,
        {"bandwidth": 0.2, "weight": 1.5, "resolution": (4, 6), "range": ((0, 1), (0, 2))},
    ),
    ("--kind landscape --count 2 --resolution 7", lacuna_tda.landscape, {"count": 2, "resolution": 7}),
    ("--kind betti", lacuna_tda.betti_curve, {}),
    ("--kind silhouette --weight 2", lacuna_tda.silhouette, {"weight": 2}),
    ("--kind entropy", lacuna_tda.entropy, {}),
    ("--kind entropy-summary --range=-0.5,2", lacuna_tda.entropy_summary, {"range": (-0.5, 2)}),
    ("--kind lengths --count 7", lacuna_tda.lengths, {"count": 7}),
]


@pytest.mark.parametrize(("command", "function", "options"), COMMANDS)
def test_vectors_are_those_of_the_program(
    command: str, function: Callable[..., Any], options: dict[str, Any], lacuna: Callable[..., str], tmp_path: Path
) -> None:
    all_bars = [np.concatenate([bars, [[0.25, np.inf]]]) for bars in BARS]
    files = [tmp_path / f"{k}.npy" for k in range(len(BARS))]
    for file, bars in zip(files, all_bars):
        np.save(file, Diagram([[[-9.0, 9.0]], bars]).to_array())
    found = tmp_path / "found.npy"
    lacuna("vectorize", "-q", *command.split(), "-o", found, *files)
    vectors = function(all_bars, **options)
    assert np.array_equal(vectors.reshape(len(BARS), -1), np.load(found))


def test_shapes() -> None:
    one, several = BARS[0], BARS
    assert lacuna_tda.persistence_image(one, resolution=(3, 2)).shape == (2, 3)
    assert lacuna_tda.persistence_image(several, resolution=(3, 2)).shape == (3, 2, 3)
    assert lacuna_tda.landscape(one, count=4, resolution=7).shape == (4, 7)
    assert lacuna_tda.landscape(several[:1], count=4, resolution=7).shape == (1, 4, 7)
    assert isinstance(lacuna_tda.entropy(one), float)
    assert lacuna_tda.entropy(several).shape == (3,)  # type: ignore[union-attr]
    assert lacuna_tda.lengths(one, count=2).shape == (2,)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_diagrams_and_arrays_of_all_kinds_have_the_same_vectors(function: Callable[..., Any]) -> None:
    diagrams = [Diagram([[], bars]) for bars in BARS]
    expected = function(BARS)
    assert np.array_equal(function(diagrams, dim=1), expected)
    assert np.array_equal(function([bars.tolist() for bars in BARS]), expected)
    assert np.array_equal(function(tuple(BARS)), expected)
    same = np.stack([BARS[0], BARS[0][::-1]])
    assert np.array_equal(function(same), function(list(same)))
    method = getattr(diagrams[0], function.__name__)
    assert np.array_equal(method(), function(BARS[0])) and np.array_equal(method(dim=1), function(BARS[0].tolist()))
    assert np.array_equal(method(dim=0), function(np.empty((0, 2))))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_bars_that_go_down_are_turned_and_infinite_ones_left_out(function: Callable[..., Any]) -> None:
    up, ends = BARS[0], [[0.5, np.inf]]
    assert np.array_equal(function(up[:, ::-1]), function(up))
    if function is lacuna_tda.betti_curve:
        values = np.linspace(-2, 4, 50)
        alive = (up[:, :1] <= values) & (values < up[:, 1:])
        found = function([up, [*up, *ends]], range=(-2, 4), resolution=50)
        np.testing.assert_array_equal(found, [alive.sum(axis=0), alive.sum(axis=0) + (values >= 0.5)])
        assert np.array_equal(function(np.array([[0.5, -np.inf]]), range=(0, 1), resolution=3), [1, 0, 0])
    else:
        assert np.array_equal(function([*up, *ends]), function(up))


def test_the_default_grid_spans_all_diagrams() -> None:
    near, far = np.array([[0.0, 1.0]]), np.array([[3.0, 5.0]])
    grid = np.linspace(0, 5, 102)[1:-1]
    assert np.array_equal(lacuna_tda.betti_curve([near, far]), [(grid < 1), (grid >= 3)])
    image = lacuna_tda.persistence_image([near, far], resolution=(4, 2), bandwidth=0.1)
    assert [np.unravel_index(of.argmax(), of.shape) for of in image] == [(0, 0), (1, 3)]
    with_one = lacuna_tda.persistence_image([near, far], resolution=(4, 2), bandwidth=0.1, range=((0, 3), None))
    assert np.array_equal(with_one, image)


def test_an_image_of_persistence_is_that_of_superlevel_sets() -> None:
    voxels = np.random.default_rng(0).random((20, 20))
    diagram = lacuna_tda.cubical(voxels, superlevel=True)
    finite = diagram.bars(1)[np.isfinite(diagram.bars(1)[:, 1])]
    assert len(finite) and np.all(finite[:, 0] > finite[:, 1])
    assert np.array_equal(diagram.landscape(), lacuna_tda.landscape(finite[:, ::-1]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lacuna_tda.landscape([]), r"expected a Diagram, an array of shape \(n, 2\) or a sequence of these"),
        (lambda: lacuna_tda.landscape([[0, 1, 2]]), r"diagrams: expected an array of shape \(n, 2\), found \(1, 3\)"),
        (lambda: lacuna_tda.landscape([BARS[0], np.ones((2, 3))]), r"diagrams\[1\]: expected an array of shape \(n, 2\)"),
        (lambda: lacuna_tda.landscape(BARS[0], dim=1), "diagrams: expected a Diagram beside dim, found (list|ndarray)"),
        (lambda: lacuna_tda.landscape(Diagram([])), "dim is missing: a vector is made of the bars of one dimension, as by dim=1"),
        (lambda: lacuna_tda.landscape([[0, 1], [np.nan, 1]]), r"diagrams: bar 1: expected a birth and a death, found \[nan"),
        (lambda: lacuna_tda.landscape(BARS[0], count=0), "count: expected 1 or more, found 0"),
        (lambda: lacuna_tda.lengths(BARS[0], count=100_001), "count: expected 100000 or less, found 100001"),
        (lambda: lacuna_tda.betti_curve(BARS[0], resolution=10_001), "resolution: expected 10000 or less"),
        (lambda: lacuna_tda.betti_curve(BARS[0], range=(1, 0)), r"range: expected two finite numbers, the lower first, found \(1, 0\)"),
        (lambda: lacuna_tda.betti_curve(BARS[0], range=(0, np.inf)), "range: expected two finite numbers"),
        (lambda: lacuna_tda.betti_curve(BARS[0], range=(0, 1, 0, 2)), "range: expected two numbers"),  # type: ignore[arg-type]
        (lambda: lacuna_tda.persistence_image(BARS[0], range=(0, 1)), "range: expected two pairs, of births"),  # type: ignore[arg-type]
        (lambda: lacuna_tda.persistence_image(BARS[0], range=[0, 1, 0, 2]), "range: expected two pairs"),  # type: ignore[arg-type]
        (lambda: lacuna_tda.persistence_image(BARS[0], bandwidth=0), "bandwidth: expected a finite number above 0, found 0"),
        (lambda: lacuna_tda.persistence_image(BARS[0], weight=-1), "weight: expected a finite number, 0 or more, found -1"),
    ],
)
def test_what_is_wrong_is_told(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_wrong_types_and_names_are_told() -> None:
    with pytest.raises(TypeError, match="resolution: expected a whole number, found 'many'"):
        lacuna_tda.betti_curve(BARS[0], resolution="many")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="did you mean resolution"):
        lacuna_tda.betti_curve(BARS[0], resolutions=5)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="did you mean bandwidth"):
        Diagram([[], []]).persistence_image(bandwith=5)


def test_vectors_beyond_memory_are_refused() -> None:
    with pytest.raises(MemoryError, match="vectors of 100000000 numbers need"):
        lacuna_tda.persistence_image([BARS[0]] * 10_000, resolution=10_000)
