"""Distances between diagrams against the assignment of SciPy and against GUDHI."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

import lacuna_tda

Bars = NDArray[np.float64]
METRICS = [(order, norm) for order in (1.0, 2.0, 3.0) for norm in (1.0, 2.0, np.inf)]


def random_bars(random: np.random.Generator, values: int) -> Bars:
    """Bars with many ties, some of them on the diagonal."""
    return np.sort(random.integers(-values, values, (int(random.integers(0, 30)), 2)) / 4, axis=1)


def by_definition(a: Bars, b: Bars, order: float, norm: float) -> float:
    """The Wasserstein distance as an assignment of all pairs, those with the diagonal among them."""
    n, m = len(a), len(b)
    costs = np.zeros((n + m, n + m))
    costs[:n, :m] = np.linalg.norm(a[:, None] - b[None], ord=norm, axis=2)
    costs[:n, m:] = (np.linalg.norm(a[:, [1]] - a[:, [0]], axis=1) * 2 ** (1 / norm - 1))[:, None]
    costs[n:, :m] = (np.linalg.norm(b[:, [1]] - b[:, [0]], axis=1) * 2 ** (1 / norm - 1))[None]
    return float((costs**order)[linear_sum_assignment(costs**order)].sum() ** (1 / order))


@pytest.mark.parametrize("seed", range(20))
def test_wasserstein_is_the_best_assignment(seed: int) -> None:
    random = np.random.default_rng(seed)
    a, b = (random_bars(random, [3, 20, 1000][seed % 3]) for _ in range(2))
    for order, norm in METRICS:
        expected = by_definition(a, b, order, norm)
        found = lacuna_tda.wasserstein(a, b, order=order, internal_p=norm, matching=True)
        assert found.distance == pytest.approx(expected, abs=1e-10)
        assert found.pairs is not None and found.distances is not None
        assert np.sum(found.distances**order) ** (1 / order) == pytest.approx(expected, abs=1e-10)
        for side, bars in enumerate((a, b)):
            places = found.pairs[:, side]
            assert np.array_equal(np.sort(places[places >= 0]), np.arange(len(bars)))


@pytest.mark.parametrize("seed", range(20))
def test_bottleneck_is_that_of_gudhi(seed: int) -> None:
    gudhi = pytest.importorskip("gudhi")
    random = np.random.default_rng(seed)
    a, b = (random_bars(random, [3, 20, 1000][seed % 3]) for _ in range(2))
    for bars in (a, b):
        bars[: min(3, len(bars)), 1] = np.inf
    assert lacuna_tda.bottleneck(a, b) == gudhi.bottleneck_distance(a, b)


def test_a_matching_of_many_bars_is_within_its_distance() -> None:
    random = np.random.default_rng(0)
    a, b = (np.sort(random.random((500, 2)), axis=1) for _ in range(2))
    found = lacuna_tda.bottleneck(a, b, matching=True)
    assert found.distances is not None and found.distances.max() == found.distance
    assert found.distance == lacuna_tda.bottleneck(a, b, threads=1) == lacuna_tda.bottleneck(b, a)


def test_diagrams_are_compared_in_a_dimension() -> None:
    points = np.random.default_rng(0).random((40, 2))
    one, another = lacuna_tda.rips(points), lacuna_tda.rips(points * 1.1)
    for dim in (0, 1):
        found = lacuna_tda.bottleneck(one, another, dim=dim)
        assert 0 < found == lacuna_tda.bottleneck(one.bars(dim), another.bars(dim))
    assert lacuna_tda.wasserstein(one, one, dim=0) == 0
    assert lacuna_tda.bottleneck(one, another, dim=5) == 0


def test_what_is_infinite() -> None:
    found = lacuna_tda.wasserstein([[0, np.inf]], np.empty((0, 2)), matching=True)
    assert found == (np.inf, None, None)
    assert lacuna_tda.bottleneck([[0, np.inf], [np.inf, np.inf]], [[1, np.inf]]) == 1
    assert lacuna_tda.bottleneck([], []) == 0


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([[0, 1, 2]], []), {}, r"a: expected an array of shape \(n, 2\), found \(1, 3\)"),
        (([], [[np.nan, 1]]), {}, "bar 0 of diagram B: expected a birth and a death"),
        (([], []), {"order": 0.5}, "order: expected a finite number from 1 up, found 0.5"),
        (([], []), {"order": np.inf}, "order: expected a finite number from 1 up, found inf"),
        (([], []), {"internal_p": np.nan}, "internal p: expected a number from 1 up or inf"),
        (([], []), {"dim": 1}, "a: expected a Diagram beside dim, found list"),
        ((lacuna_tda.Diagram([]), []), {}, "a: dim is missing: diagrams are compared in one dimension, as by dim=1"),
        (([], []), {"threads": 0}, "threads: expected 1 or more"),
    ],
)
def test_what_is_wrong_is_told(arguments: Any, options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        lacuna_tda.wasserstein(*arguments, **options)
