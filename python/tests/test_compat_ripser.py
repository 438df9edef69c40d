"""`lacuna_tda.compat.ripser`: against the definition, and against ripser.py where it is installed."""

from __future__ import annotations

import pickle
import subprocess
import sys
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from conftest import assert_same_bars, brute_force

distance = pytest.importorskip("scipy.spatial.distance")
sparse = pytest.importorskip("scipy.sparse")

from lacuna_tda.compat import ripser as module
from lacuna_tda.compat.ripser import correlation_to_distance, lower_star_img, ripser


def square_of(points: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(distance.squareform(distance.pdist(points)))


def with_births(points: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Distances of at least 0.5, with births below on the diagonal."""
    distances = square_of(points) + 0.5
    np.fill_diagonal(distances, rng.random(len(points)) / 2)
    return distances


def assert_equal_answers(found: dict[str, Any], expected: dict[str, Any]) -> None:
    """Asserts that answers are the same to the last bit, but for cocycles and for the order of bars that never end."""
    assert found.keys() == expected.keys()
    assert len(found["dgms"]) == len(expected["dgms"])
    for ours, theirs in zip(found["dgms"], expected["dgms"]):
        assert ours.dtype == theirs.dtype
        is_finite = np.isfinite(ours[:, 1])
        np.testing.assert_array_equal(ours[is_finite], theirs[np.isfinite(theirs[:, 1])])
        assert_same_bars(ours[~is_finite], theirs[~np.isfinite(theirs[:, 1])])
    assert found["num_edges"] == expected["num_edges"]
    np.testing.assert_array_equal(found["idx_perm"], expected["idx_perm"])
    assert found["r_cover"] == pytest.approx(expected["r_cover"])
    assert [len(of) for of in found["cocycles"]] == [len(of) for of in expected["cocycles"]]
    if not sparse.issparse(found["dperm2all"]):
        np.testing.assert_allclose(found["dperm2all"], expected["dperm2all"], atol=1e-7)


@pytest.mark.parametrize("n", [1, 2, 3, 9])
def test_bars_are_those_of_the_definition_in_single_precision(n: int, rng: np.random.Generator) -> None:
    points = rng.random((n, 2))
    single = square_of(points).astype(np.float32)
    answer = ripser(square_of(points), distance_matrix=True, maxdim=2)
    for dim, bars in enumerate(brute_force(single.astype(np.float64), 2)):
        assert_same_bars(answer["dgms"][dim], bars)
        assert answer["dgms"][dim].shape[1] == 2


def test_shapes_and_kinds_are_those_of_ripser(rng: np.random.Generator) -> None:
    answer = ripser(rng.random((20, 2)), maxdim=3)
    assert list(answer) == ["dgms", "cocycles", "num_edges", "dperm2all", "idx_perm", "r_cover"]
    assert len(answer["dgms"]) == 4 and answer["cocycles"] == [[], [], [], []]
    assert answer["dperm2all"].shape == (20, 20) and answer["dperm2all"].dtype == np.float64
    assert answer["idx_perm"].tolist() == list(range(20)) and answer["r_cover"] == 0.0
    finite, last = answer["dgms"][0][:-1], answer["dgms"][0][-1]
    assert last.tolist() == [0.0, np.inf] and np.all(np.diff(finite[:, 1]) >= 0)
    assert np.all(np.diff(answer["dgms"][1][:, 0]) <= 0)


def test_edges_are_counted_up_to_the_threshold_or_the_enclosing_radius(rng: np.random.Generator) -> None:
    points = rng.random((15, 2))
    lengths = square_of(points)
    upper = lengths[np.triu_indices(15, 1)]
    assert ripser(points)["num_edges"] == np.count_nonzero(upper <= lengths.max(axis=1).min())
    assert ripser(points, thresh=0.4)["num_edges"] == np.count_nonzero(upper <= 0.4)
    graph = sparse.csr_matrix(np.where(lengths <= 0.4, lengths, 0))
    assert ripser(graph, distance_matrix=True, thresh=0.3)["num_edges"] == np.count_nonzero(upper <= 0.3)


def test_the_entries_above_the_diagonal_count(rng: np.random.Generator) -> None:
    lengths = square_of(rng.random((12, 3)))
    upper = np.triu(lengths) + np.tril(rng.random((12, 12)), -1)
    for dim in (0, 1):
        np.testing.assert_array_equal(
            ripser(upper, distance_matrix=True)["dgms"][dim], ripser(lengths, distance_matrix=True)["dgms"][dim]
        )
    # Of a directed graph too.
    directed = sparse.csr_matrix(np.where(rng.random((12, 12)) < 0.5, lengths, 0))
    for dim in (0, 1):
        np.testing.assert_array_equal(
            ripser(directed, distance_matrix=True)["dgms"][dim],
            ripser(sparse.triu(directed), distance_matrix=True)["dgms"][dim],
        )
    below = sparse.csr_matrix(np.tril(lengths))
    answer = ripser(below, distance_matrix=True)
    assert answer["num_edges"] == 0 and len(answer["dgms"][0]) == 12


def test_the_diagonal_holds_births() -> None:
    distances = np.array([[1.0, 3.0], [3.0, 2.0]])
    for matrix in (distances, sparse.coo_matrix(distances)):
        bars = ripser(matrix, distance_matrix=True, maxdim=0)["dgms"][0]
        assert bars.tolist() == [[2.0, 3.0], [1.0, np.inf]]


def test_what_is_negative_moves_with_the_zero(rng: np.random.Generator) -> None:
    # Multiples of 1/64, which single precision adds without rounding.
    births = np.round(with_births(rng.random((14, 2)), rng) * 64) / 64
    expected = ripser(births, distance_matrix=True, maxdim=2)["dgms"]
    for shift in (0.25, 4.0):
        for matrix in (births - shift, sparse.coo_matrix(births - shift)):
            for ours, theirs in zip(ripser(matrix, distance_matrix=True, maxdim=2)["dgms"], expected):
                assert_same_bars(ours, theirs - shift)
    for thresh in (0.5, 0.75):
        for ours, theirs in zip(
            ripser(births - 1.0, distance_matrix=True, thresh=thresh - 1.0)["dgms"],
            ripser(births, distance_matrix=True, thresh=thresh)["dgms"],
        ):
            assert_same_bars(ours, theirs - 1.0)


@pytest.mark.parametrize("modulus", [2, 3, 7])
def test_cocycles_have_no_coboundary_until_their_deaths(modulus: int, rng: np.random.Generator) -> None:
    angles = np.linspace(0, 2 * np.pi, 14, endpoint=False)
    points = np.column_stack([np.cos(angles), np.sin(angles)]) + rng.normal(0, 0.05, (14, 2))
    answer = ripser(points, do_cocycles=True, coeff=modulus)
    lengths = answer["dperm2all"].astype(np.float32)
    assert answer["cocycles"][0] == [] and len(answer["cocycles"][1]) == len(answer["dgms"][1]) > 0
    for (birth, death), cocycle in zip(answer["dgms"][1], answer["cocycles"][1]):
        assert cocycle.dtype == np.int64 and cocycle.shape[1] == 3
        assert np.all(cocycle[:, 0] > cocycle[:, 1]) and np.all((0 < cocycle[:, 2]) & (cocycle[:, 2] < modulus))
        value = {(i, j): int(c) for i, j, c in cocycle}
        assert any(lengths[i, j] == birth for i, j in value)
        for k, j, i in combinations(range(13, -1, -1), 3):
            if max(lengths[i, j], lengths[i, k], lengths[j, k]) < death:
                around = value.get((j, i), 0) - value.get((k, i), 0) + value.get((k, j), 0)
                assert around % modulus == 0


def test_landmarks_are_the_farthest_points(rng: np.random.Generator) -> None:
    points = rng.random((40, 3))
    lengths = square_of(points)
    for answer in (ripser(points, n_perm=7, do_cocycles=True), ripser(lengths, distance_matrix=True, n_perm=7)):
        chosen = answer["idx_perm"]
        assert chosen[0] == 0 and len(set(chosen.tolist())) == 7
        for count in range(1, 7):
            nearest = lengths[chosen[:count]].min(axis=0)
            assert nearest[chosen[count]] == pytest.approx(nearest.max())
        assert answer["r_cover"] == pytest.approx(lengths[chosen].min(axis=0).max())
        np.testing.assert_allclose(answer["dperm2all"], lengths[chosen])
        whole = ripser(lengths[np.ix_(chosen, chosen)], distance_matrix=True)
        assert_same_bars(answer["dgms"][1], whole["dgms"][1])
        for cocycle in answer["cocycles"][1]:
            assert set(cocycle[:, :2].ravel().tolist()) <= set(chosen.tolist())


def test_warnings_and_errors(rng: np.random.Generator) -> None:
    with pytest.warns(UserWarning, match="The input matrix is square, but the distance_matrix flag is off"):
        ripser(rng.random((4, 4)))
    with pytest.warns(UserWarning, match="more columns than rows"):
        ripser(rng.random((2, 4)))
    refused = [
        (rng.random((3, 4)), {"distance_matrix": True}, "Distance matrix is not square"),
        (rng.random((5, 2)), {"n_perm": 6}, "greedy permutation is greater"),
        (rng.random((5, 2)), {"n_perm": -1}, "strictly positive"),
        (sparse.eye(4).tocsr(), {"distance_matrix": True, "n_perm": 2}, "Greedy permutation is not supported"),
        (rng.random((5, 2)), {"coeff": 4}, "prime"),
        (np.array([[0, np.nan], [np.nan, 0]]), {"distance_matrix": True}, "NaN"),
        (np.zeros(3), {}, "two axes"),
    ]
    for points, options, message in refused:
        with pytest.raises(ValueError, match=message):
            ripser(points, **options)


def test_lower_stars() -> None:
    image = np.array([[0.0, 5.0, 1.0], [6.0, 7.0, 8.0], [2.0, 9.0, 0.5]])
    # 2 meets 0 at 6; 0.5 meets what is around it at 7, and is younger; 1 meets 0 at 5.
    assert lower_star_img(image).tolist() == [[1.0, 5.0], [2.0, 6.0], [0.5, 7.0], [0.0, np.inf]]
    assert lower_star_img(-image)[-1].tolist() == [-9.0, np.inf]
    with pytest.raises(ValueError, match="two axes"):
        lower_star_img(np.zeros(4))


def test_correlations_become_distances() -> None:
    correlations = np.array([[1.0, 0.0, -1.0], [0.0, 1.0, 0.5], [-1.0, 0.5, 1.0]])
    found = correlation_to_distance(correlations)
    np.testing.assert_allclose(found, [[0, np.sqrt(2), 2], [np.sqrt(2), 0, 1], [2, 1, 0]])
    for wrong in ([1.0, 2.0], [[1.0, 0.5]], [[1.0, 0.1], [0.2, 1.0]], [[1.0, 1.1], [1.1, 1.0]]):
        with pytest.raises(ValueError):
            correlation_to_distance(wrong)
    with pytest.warns(RuntimeWarning, match="slightly outside"):
        assert correlation_to_distance([[1.0, 1.02], [1.02, 1.0]])[0, 1] == 0.0
    with pytest.warns(RuntimeWarning, match="diagonal elements deviate"):
        correlation_to_distance([[0.9, 0.5], [0.5, 1.0]])
    assert correlation_to_distance([[5.0, -9.0], [9.0, 5.0]], check_input=False).shape == (2, 2)


def test_the_transformer_is_one_of_scikit_learn(rng: np.random.Generator, capsys: pytest.CaptureFixture[str]) -> None:
    base = pytest.importorskip("sklearn.base")
    transformer = module.Rips(maxdim=2, do_cocycles=True)
    assert "Rips(maxdim=2, thresh=inf" in capsys.readouterr().out
    points = rng.random((20, 2))
    diagrams = transformer.fit_transform(points)
    assert diagrams is transformer.dgms_ and len(diagrams) == 3
    for dim, bars in enumerate(ripser(points, maxdim=2)["dgms"]):
        np.testing.assert_array_equal(diagrams[dim], bars)
    assert transformer.num_edges_ > 0 and transformer.dperm2all_.shape == (20, 20) and transformer.r_cover_ == 0.0
    twin = base.clone(transformer.set_params(coeff=3, verbose=False))
    assert twin.get_params() == transformer.get_params() and twin.dgms_ is None
    again = pickle.loads(pickle.dumps(transformer))
    np.testing.assert_array_equal(again.dgms_[1], diagrams[1])
    assert transformer.transform(square_of(points), distance_matrix=True)[1].shape[1] == 2


def test_the_functions_do_not_need_scikit_learn() -> None:
    lines = "import sys; from lacuna_tda.compat.ripser import ripser; ripser([[0.0], [1.0], [3.0]]); print('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=True).stdout == "False\n"


OPTIONS: list[dict[str, Any]] = [
    {},
    {"maxdim": 2},
    {"maxdim": 2, "thresh": 0.4},
    {"maxdim": 0},
    {"coeff": 3},
    {"n_perm": 20},
    {"metric": "manhattan"},
    {"metric": "cosine", "n_perm": 20},
    {"metric": lambda x, y: float(np.abs(x - y).max())},
    {"do_cocycles": True},
    {"thresh": -1},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_points_are_answered_as_by_the_original(options: dict[str, Any], rng: np.random.Generator) -> None:
    original = pytest.importorskip("ripser").ripser
    for points in (rng.random((50, 3)), rng.integers(1, 5, (30, 2))):
        assert_equal_answers(ripser(points, **options), original(points, **options))


@pytest.mark.parametrize("options", [{}, {"thresh": 0.7}, {"maxdim": 2}], ids=str)
def test_distances_are_answered_as_by_the_original(options: dict[str, Any], rng: np.random.Generator) -> None:
    original = pytest.importorskip("ripser").ripser
    lengths = square_of(rng.random((40, 3)))
    born = with_births(rng.random((40, 3)), rng)
    graph = sparse.coo_matrix(np.where(born < 0.9, born, 0))
    matrices = [
        lengths,
        born,
        born - 1,
        np.triu(lengths, 1),
        graph,
        graph.tocsr(),
        graph.tocsc(),
        sparse.triu(graph),
        sparse.tril(graph),
    ]
    for matrix in matrices:
        found = ripser(matrix, distance_matrix=True, **options)
        assert_equal_answers(found, original(matrix, distance_matrix=True, **options))


def test_lower_stars_are_those_of_the_original(rng: np.random.Generator) -> None:
    original = pytest.importorskip("ripser").lower_star_img
    for image in (rng.normal(size=(20, 30)), rng.integers(-3, 4, (20, 30))):
        assert_same_bars(lower_star_img(image), original(image))
