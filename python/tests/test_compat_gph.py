"""`lacuna_tda.compat.gph`: against the definition, and against giotto-ph where it is installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from conftest import assert_same_bars, brute_force

distance = pytest.importorskip("scipy.spatial.distance")
sparse = pytest.importorskip("scipy.sparse")

from lacuna_tda.compat.gph import ripser_parallel


def square_of(points: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(distance.squareform(distance.pdist(points)))


def with_births(points: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Distances of at least 0.5, with births below on the diagonal."""
    distances = square_of(points) + 0.5
    np.fill_diagonal(distances, rng.random(len(points)) / 2)
    return distances


def test_bars_are_those_of_the_definition(rng: np.random.Generator) -> None:
    points = rng.random((10, 2))
    single = square_of(points).astype(np.float32)
    for options in ({}, {"collapse_edges": True}, {"n_threads": -1}, {"n_threads": 3}):
        answer = ripser_parallel(points, maxdim=2, **options)
        assert list(answer) == ["dgms"] and len(answer["dgms"]) == 3
        for found, expected in zip(answer["dgms"], brute_force(single.astype(np.float64), 2)):
            assert found.dtype == np.float32
            assert_same_bars(found, expected)


def test_bars_that_never_end_come_last(rng: np.random.Generator) -> None:
    pytest.importorskip("sklearn")
    for bars in ripser_parallel(rng.random((60, 2)), thresh=0.2)["dgms"]:
        is_finite = np.isfinite(bars[:, 1])
        assert np.all(np.diff(is_finite.astype(int)) <= 0) and not is_finite.all()


def test_generators_have_the_lengths_of_bars(rng: np.random.Generator) -> None:
    pytest.importorskip("sklearn")
    points = rng.random((60, 3))
    lengths = square_of(points).astype(np.float32)
    for thresh in (np.inf, 0.4):
        answer = ripser_parallel(points, maxdim=2, thresh=thresh, return_generators=True)
        finite_0, finite, essential_0, essential = answer["gens"]
        assert len(finite) == len(essential) == 2
        assert sorted([*finite_0[:, 0], *essential_0]) == list(range(60))
        bars = answer["dgms"][0]
        np.testing.assert_array_equal(lengths[finite_0[:, 1], finite_0[:, 2]], bars[: len(finite_0), 1])
        assert np.all(finite_0[:, 1] > finite_0[:, 2])
        for bars, of_finite, of_essential in zip(answer["dgms"][1:], finite, essential):
            assert of_finite.shape[1] == 4 and of_essential.shape[1] == 2
            assert of_finite.dtype == of_essential.dtype == np.int64
            count = len(of_finite)
            np.testing.assert_array_equal(lengths[of_finite[:, 0], of_finite[:, 1]], bars[:count, 0])
            np.testing.assert_array_equal(lengths[of_finite[:, 2], of_finite[:, 3]], bars[:count, 1])
            np.testing.assert_array_equal(lengths[of_essential[:, 0], of_essential[:, 1]], bars[count:, 0])
    with pytest.raises(NotImplementedError):
        ripser_parallel(points, collapse_edges=True, return_generators=True)


def test_generators_of_nothing_have_their_shapes() -> None:
    empty = ripser_parallel(sparse.coo_matrix((0, 0)), metric="precomputed", return_generators=True)
    assert [bars.shape for bars in empty["dgms"]] == [(0, 2), (0, 2)]
    shapes = [empty["gens"][0].shape, empty["gens"][1][0].shape, empty["gens"][2].shape, empty["gens"][3][0].shape]
    assert shapes == [(0, 3), (0, 4), (0,), (0, 2)]


def test_an_edge_may_be_stored_on_either_side_and_the_upper_one_counts() -> None:
    expected = [[0.0, 2.0], [0.0, 3.0], [0.0, np.inf]]
    for rows, columns, lengths in (
        ([0, 0], [1, 2], [2.0, 3.0]),
        ([1, 2], [0, 0], [2.0, 3.0]),
        ([0, 2, 1], [1, 0, 0], [2.0, 3.0, 9.0]),
        ([1, 0, 2, 0], [0, 1, 0, 2], [9.0, 2.0, 1.0, 3.0]),
    ):
        graph = sparse.coo_matrix((lengths, (rows, columns)), shape=(3, 3))
        assert ripser_parallel(graph, metric="precomputed")["dgms"][0].tolist() == expected


def test_points_in_one_place_are_near() -> None:
    pytest.importorskip("sklearn")
    for thresh in (np.inf, 1.0):
        assert ripser_parallel(np.zeros((3, 2)), thresh=thresh)["dgms"][0].tolist() == [[0.0, np.inf]]


def test_weights_are_births() -> None:
    # Balls that grow from 1 and from 0 at rates that p says, three apart.
    points, weights = np.array([[0.0], [3.0]]), np.array([1.0, 0.0])
    meeting = {1: 3.5, 2: np.sqrt((9 + 0.25) * (9 + 0.25)) / 3, np.inf: 3.0}
    for p, length in meeting.items():
        bars = ripser_parallel(points, weights=weights, weight_params={"p": p})["dgms"][0]
        np.testing.assert_allclose(bars, [[1.0, length], [0.0, np.inf]], rtol=1e-6)
        graph = sparse.csr_matrix(square_of(points))
        bars = ripser_parallel(graph, metric="precomputed", weights=weights, weight_params={"p": p})["dgms"][0]
        np.testing.assert_allclose(bars, [[1.0, length], [0.0, np.inf]], rtol=1e-6)
    # The nearest neighbours of three points on a line are at 1, 1 and 2.
    line = np.array([[0.0], [1.0], [3.0]])
    found = ripser_parallel(line, weights="DTM", weight_params={"p": np.inf, "n_neighbors": 1, "r": 1})["dgms"][0]
    np.testing.assert_allclose(found, [[1.0, np.inf]], rtol=1e-6)


def test_what_is_refused(rng: np.random.Generator) -> None:
    points = rng.random((6, 2))
    refused: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
        (points, {"coeff": 4}, ValueError, "prime"),
        (points, {"weights": "foo"}, ValueError, "only allowed string is 'DTM'"),
        (points, {"weights": np.ones(5)}, ValueError, "6 points"),
        (points, {"weights": -np.ones(6)}, ValueError, "not negative"),
        (points, {"weights": np.ones(6), "weight_params": {"p": 3}}, NotImplementedError, "1, 2 or inf"),
        (points, {"weights": "DTM", "weight_params": {"n_neighbors": 6}}, ValueError, "n_neighbors"),
        (-square_of(points), {"metric": "precomputed", "weights": np.ones(6)}, ValueError, "not negative"),
        (points, {"metric": "precomputed"}, ValueError, r"shape \(n, n\)"),
        (np.array([[0, np.nan], [np.nan, 0]]), {"metric": "precomputed"}, ValueError, "NaN"),
    ]
    for X, options, kind, message in refused:
        with pytest.raises(kind, match=message):
            ripser_parallel(X, **options)


OPTIONS: list[dict[str, Any]] = [
    {},
    {"maxdim": 2},
    {"maxdim": 2, "thresh": 0.4},
    {"coeff": 3},
    {"metric": "manhattan"},
    {"metric": "minkowski", "metric_params": {"p": 3}},
    {"thresh": 0.3, "nearest_neighbors_params": {"algorithm": "brute"}},
    {"weights": "DTM"},
    {"weights": "DTM", "weight_params": {"p": 2, "n_neighbors": 5, "r": 3}},
    {"weights": np.linspace(0, 1, 50), "weight_params": {"p": 2}},
    {"maxdim": 2, "collapse_edges": True},
    {"maxdim": 2, "return_generators": True},
    {"maxdim": 2, "return_generators": True, "thresh": 0.4},
]


def assert_equal_answers(found: dict[str, Any], expected: dict[str, Any]) -> None:
    """Asserts that answers are the same to the last bit, but for the order of bars of dimension 0 that never end, and their points."""
    assert found.keys() == expected.keys() and len(found["dgms"]) == len(expected["dgms"])
    for dim, (ours, theirs) in enumerate(zip(found["dgms"], expected["dgms"])):
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
        finite = np.count_nonzero(np.isfinite(ours[:, 1])) if dim == 0 else len(ours)
        np.testing.assert_array_equal(ours[:finite], theirs[:finite])
        assert_same_bars(ours[finite:], theirs[finite:])
    if "gens" in expected:
        np.testing.assert_array_equal(found["gens"][0][:, 1:], expected["gens"][0][:, 1:])
        assert found["gens"][2].shape == expected["gens"][2].shape
        for place in (1, 3):
            for ours, theirs in zip(found["gens"][place], expected["gens"][place]):
                assert ours.dtype == theirs.dtype
                np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_points_are_answered_as_by_the_original(options: dict[str, Any], rng: np.random.Generator) -> None:
    original = pytest.importorskip("gph").ripser_parallel
    points = rng.random((50, 3))
    assert_equal_answers(ripser_parallel(points, **options), original(points, **options))


@pytest.mark.parametrize("options", [{}, {"maxdim": 2, "return_generators": True}, {"weights": "DTM"}], ids=str)
def test_distances_are_answered_as_by_the_original(options: dict[str, Any], rng: np.random.Generator) -> None:
    original = pytest.importorskip("gph").ripser_parallel
    lengths = square_of(rng.random((40, 3)))
    born = with_births(rng.random((40, 3)), rng)
    graph = sparse.coo_matrix(np.where(born < 1.1, born, 0))
    # What is below the diagonal counts for the enclosing radius there, and must not be less.
    upper = np.triu(lengths) + 5 * np.tril(lengths)
    matrices = [lengths, born, upper, graph, graph.tocsr(), sparse.triu(graph), sparse.tril(graph)]
    if "weights" not in options:
        matrices += [born - 1, graph - 0.75 * (graph != 0)]
    for matrix in matrices:
        found = ripser_parallel(matrix, metric="precomputed", **options)
        assert_equal_answers(found, original(matrix, metric="precomputed", **options))
