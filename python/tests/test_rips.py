"""Barcodes of distances: against the definition, for every kind of input, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import lacuna_tda
from conftest import DATA, assert_same_bars, brute_force

distance = pytest.importorskip("scipy.spatial.distance")
sparse = pytest.importorskip("scipy.sparse")


def square_of(points: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(distance.squareform(distance.pdist(points)))


def assert_same(found: lacuna_tda.Diagram, expected: list[NDArray[np.float64]], tolerance: float = 1e-12) -> None:
    assert len(found) <= len(expected)
    for dim, bars in enumerate(expected):
        assert_same_bars(found.bars(dim), bars, tolerance)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 11])
def test_barcodes_are_those_of_the_definition(n: int, rng: np.random.Generator) -> None:
    for points in (rng.random((n, 2)), rng.integers(0, 4, (n, 3)).astype(float)):
        distances = square_of(points)
        expected = brute_force(distances, 2)
        assert_same(lacuna_tda.rips(points, max_dim=2, threshold=np.inf), expected)
        for threads in (1, 3):
            found = lacuna_tda.rips(distances, metric="precomputed", max_dim=2, threshold=np.inf, threads=threads)
            assert_same(found, expected)


def test_the_layout_of_an_array_makes_no_difference(rng: np.random.Generator) -> None:
    points = rng.random((40, 3))
    expected = lacuna_tda.rips(points, max_dim=2)
    wide = np.zeros((80, 6))
    wide[::2, ::2] = points
    for other in (np.asfortranarray(points), wide[::2, ::2], points.tolist(), points.astype(">f8")):
        assert lacuna_tda.rips(other, max_dim=2) == expected
    read_only = points.copy()
    read_only.flags.writeable = False
    assert lacuna_tda.rips(read_only, max_dim=2) == expected
    assert np.array_equal(read_only, points)


def test_precision_is_that_of_the_array(rng: np.random.Generator) -> None:
    points = rng.random((30, 3))
    single = lacuna_tda.rips(points.astype(np.float32))
    for bars in single:
        np.testing.assert_array_equal(bars, bars.astype(np.float32))
    assert lacuna_tda.rips(points.astype(np.float32)) != lacuna_tda.rips(points)
    whole = rng.integers(0, 9, (30, 3))
    assert lacuna_tda.rips(whole) == lacuna_tda.rips(whole.astype(np.float64))
    assert lacuna_tda.rips(whole.astype(np.int8)) == lacuna_tda.rips(whole.astype(np.float32))


def test_metrics_of_scipy(rng: np.random.Generator) -> None:
    points = rng.random((25, 4))
    for metric, params in [("cityblock", {}), ("chebyshev", {}), ("cosine", {}), ("minkowski", {"p": 3})]:
        distances = distance.squareform(distance.pdist(points, metric, **params))
        expected = lacuna_tda.rips(distances, metric="precomputed")
        assert lacuna_tda.rips(points, metric=metric, metric_params=params or None) == expected
    assert lacuna_tda.rips(points, metric=distance.cityblock) == lacuna_tda.rips(points, metric="cityblock")


@pytest.mark.parametrize("form", ["csr_array", "csc_array", "coo_array", "lil_array", "csr_matrix", "dok_matrix"])
def test_sparse_matrices_are_edges(form: str, rng: np.random.Generator) -> None:
    n = 30
    distances = square_of(rng.random((n, 3)))
    is_edge = distances <= 0.6
    np.fill_diagonal(is_edge, False)
    expected = lacuna_tda.rips(np.where(is_edge, distances, np.where(np.eye(n) > 0, 0, np.inf)), metric="precomputed")
    both = getattr(sparse, form)(np.where(is_edge, distances, 0.0))
    one = getattr(sparse, form)(np.triu(np.where(is_edge, distances, 0.0)))
    for matrix in (both, one):
        found = lacuna_tda.rips(matrix, metric="precomputed")
        for dim in (0, 1):
            assert_same_bars(found.bars(dim), expected.bars(dim))


def test_directed_graphs_lose_their_directions(rng: np.random.Generator) -> None:
    distances = square_of(rng.random((60, 2)))
    nearest = np.argsort(distances, axis=1)[:, 1:6]
    rows = np.repeat(np.arange(60), 5)
    graph = sparse.csr_matrix((distances[rows, nearest.ravel()], (rows, nearest.ravel())), shape=(60, 60))
    either = graph.maximum(graph.T)
    assert (graph != graph.T).nnz > 0
    found, of_either, of_upper = (
        lacuna_tda.rips(matrix, metric="precomputed") for matrix in (graph, either, sparse.triu(graph))
    )
    assert found == of_either and found != of_upper


def test_shortest_paths_are_distances(rng: np.random.Generator) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    paths = pytest.importorskip("scipy.sparse.csgraph").shortest_path
    weights = np.triu(rng.integers(1, 9, (20, 20)) * (rng.random((20, 20)) < 0.15), 1).astype(float)
    graph = sparse.csr_array(weights)
    graph.eliminate_zeros()
    expected = lacuna_tda.rips(paths(graph, directed=False), metric="precomputed", threshold=np.inf)
    for threads in (None, 1):
        found = lacuna_tda.rips(graph, metric="precomputed", shortest_paths=True, threshold=np.inf, threads=threads)
        assert found == expected
    assert lacuna_tda.rips_many([graph], metric="precomputed", shortest_paths=True, threshold=np.inf) == [expected]
    assert lacuna_tda.rips(graph, metric="precomputed", threshold=np.inf) != expected
    for options in ({}, {"metric": "precomputed"}, {"metric": "cityblock"}):
        with pytest.raises(ValueError, match='^shortest_paths: expected a graph, a sparse matrix with metric="precomputed"'):
            lacuna_tda.rips(np.zeros((3, 3)), shortest_paths=True, **options)


def test_stored_zeros_are_edges() -> None:
    matrix = sparse.coo_array(([0.0, 2.0], ([0, 1], [1, 2])), shape=(4, 4))
    found = lacuna_tda.rips(matrix, metric="precomputed").bars(0)
    assert_same_bars(found, np.array([[0.0, 2.0], [0.0, np.inf], [0.0, np.inf]]))


def test_fields_differ_where_homology_has_torsion() -> None:
    plane = np.loadtxt(DATA / "projective_plane.dist", delimiter=",")
    assert len(lacuna_tda.rips(plane, metric="precomputed", max_dim=2).bars(2)) == 1
    assert len(lacuna_tda.rips(plane, metric="precomputed", max_dim=2, modulus=3).bars(2)) == 0


@pytest.mark.parametrize("as_sparse", [False, True])
def test_births_on_the_diagonal(as_sparse: bool) -> None:
    matrix = np.array([[0.5, 2.0, 4.0], [2.0, 1.5, 3.0], [4.0, 3.0, 0.0]])
    X = sparse.csr_array(matrix) if as_sparse else matrix
    found = lacuna_tda.rips(X, metric="precomputed", weights="diagonal")
    assert_same_bars(found.bars(0), np.array([[1.5, 2.0], [0.5, 3.0], [0.0, np.inf]]))
    with pytest.raises(ValueError, match="the distance of points 1 and 0: expected at least the birth of point 1"):
        lacuna_tda.rips([[0.0, 1.0], [1.0, 2.0]], metric="precomputed", weights="diagonal")


def test_weights_by_the_distance_to_a_measure() -> None:
    points = np.array([[0.0], [1.0], [3.0]])
    found = lacuna_tda.rips(points, weights="dtm", dtm_p=np.inf, dtm_r=1, dtm_neighbors=1)
    # The distances to the nearest other point, of a measure of two masses: 1/2, 1/2 and 1; births are twice these.
    assert_same_bars(found.bars(0), np.array([[1.0, np.inf]]))
    assert lacuna_tda.rips(points, weights="dtm", dtm_p=1, dtm_neighbors=2) != found
    with pytest.raises(ValueError, match="takes 3 neighbours of each point, point 0 has 2"):
        lacuna_tda.rips(points, weights="dtm")


def test_landmarks_cover_the_points(rng: np.random.Generator) -> None:
    points = rng.random((100, 2))
    found = lacuna_tda.rips(points, landmarks=20)
    assert found.landmarks is not None
    chosen, radius = found.landmarks
    assert len(chosen) == 20 and chosen[0] == 0
    apart = distance.cdist(points, points[chosen])
    assert radius == apart.min(axis=1).max()
    assert lacuna_tda.rips(points[chosen]) == found
    assert lacuna_tda.rips(points).landmarks is None


def test_representatives(rng: np.random.Generator) -> None:
    points = rng.random((40, 2))
    distances = square_of(points)
    found = lacuna_tda.rips(points, max_dim=1, modulus=3, representatives=["cocycles", "cycles"])
    assert found.representatives is not None
    zero, one = found.representatives
    assert zero.cocycles is None and zero.cycles is None
    assert zero.birth_edges.shape == (40, 0) and zero.birth_simplices.shape == (40, 1)
    np.testing.assert_array_equal(one.places, np.arange(len(found.bars(1))))
    lengths = distances[tuple(one.birth_edges.T)], distances[tuple(one.death_edges.T)]
    np.testing.assert_allclose(np.column_stack(lengths), found.bars(1), rtol=1e-12)
    assert one.death_simplices.shape == (len(one.places), 3)
    assert one.cocycles is not None and one.cycles is not None and len(one.cocycles) == len(one.places)
    for cycle, (birth, _) in zip(one.cycles, found.bars(1)):
        boundary = np.zeros(40, dtype=int)
        for (a, b), coefficient in zip(*cycle):
            boundary[[a, b]] += [-coefficient, coefficient]
        assert not np.any(boundary % 3)
        assert max(distances[a, b] for a, b in cycle.simplices) == pytest.approx(birth)
    chosen = lacuna_tda.rips(points, representatives="cycles", tighten=True, only=[(1, 2)]).representatives
    assert chosen is not None and chosen[1].places.tolist() == [2] and len(chosen[0].places) == 0


def test_death_simplices_of_essential_bars_are_marked() -> None:
    found = lacuna_tda.rips([[0.0], [1.0]], representatives="simplices", threshold=0.5)
    assert found.representatives is not None
    np.testing.assert_array_equal(found.representatives[0].death_simplices, [[-1, -1], [-1, -1]])


def test_what_is_done_otherwise_is_said(rng: np.random.Generator) -> None:
    with pytest.warns(UserWarning, match="edges are not collapsed"):
        lacuna_tda.rips(rng.random((10, 2)), max_dim=2, collapse="on", representatives="simplices")


def test_many_inputs_have_the_answers_of_each(rng: np.random.Generator) -> None:
    clouds = rng.random((50, 30, 3))
    expected = [lacuna_tda.rips(cloud, max_dim=2) for cloud in clouds]
    assert lacuna_tda.rips_many(clouds, max_dim=2) == expected
    assert lacuna_tda.rips_many(list(clouds), max_dim=2, threads=1) == expected
    assert lacuna_tda.rips_many([clouds[0][:k] for k in range(1, 9)]) == [
        lacuna_tda.rips(clouds[0][:k]) for k in range(1, 9)
    ]
    for others in (clouds.astype(np.float32), np.asfortranarray(clouds), clouds[::2, :, ::-1], (10 * clouds).astype(np.int16)):
        assert lacuna_tda.rips_many(others) == [lacuna_tda.rips(cloud) for cloud in others]
    large = [rng.random((400, 2)), rng.random((5, 2))]
    assert lacuna_tda.rips_many(large) == [lacuna_tda.rips(cloud) for cloud in large]
    assert lacuna_tda.rips_many([]) == []


def test_an_input_that_fails_does_not_stop_the_others() -> None:
    good, bad, worse = [[0.0], [1.0]], [[0.0], [np.nan]], "no array"
    found = lacuna_tda.rips_many([good, bad, good, worse, good], errors="return")
    assert [type(one).__name__ for one in found] == ["Diagram", "ValueError", "Diagram", "TypeError", "Diagram"]
    with pytest.raises(ValueError, match="input 1: coordinate 0 of point 1: expected a finite number, found NaN"):
        lacuna_tda.rips_many([good, bad, good])
    found = lacuna_tda.rips_many(np.array([good, bad, good], dtype=np.float32), errors="return")
    assert [type(one).__name__ for one in found] == ["Diagram", "ValueError", "Diagram"]
    with pytest.raises(ValueError, match="input 1: coordinate 0 of point 1: expected a finite number, found NaN"):
        lacuna_tda.rips_many(np.array([good, bad, good]))
    with pytest.raises(ValueError, match="input 1: landmarks: expected from 1 to 1"):
        lacuna_tda.rips_many([good, [[0.0]]], landmarks=2)


POINTS = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("X", "options", "error", "message"),
    [
        ([], {}, ValueError, "expected points of shape"),
        (np.empty((0, 3)), {}, ValueError, "expected at least one point, found none"),
        (np.empty((3, 0)), {}, ValueError, "expected at least one coordinate per point"),
        ([1.0, 2.0], {}, ValueError, "expected points of shape \\(n, d\\), found an array of shape \\(2,\\)"),
        ([["a"]], {}, TypeError, "expected an array of numbers"),
        ([[1j]], {}, TypeError, "expected an array of numbers"),
        ([[0.0, np.inf]], {}, ValueError, "coordinate 1 of point 0: expected a finite number, found inf"),
        ([[0.0, 1.0]], {"metric": "precomputed"}, ValueError, "expected a square matrix"),
        ([[0.0, 1.0], [2.0, 0.0]], {"metric": "precomputed"}, ValueError, "expected the same distance"),
        ([[0.0, -1.0], [-1.0, 0.0]], {"metric": "precomputed"}, ValueError, "expected a non-negative distance"),
        ([[1.0, 1.0], [1.0, 1.0]], {"metric": "precomputed"}, ValueError, "expected 0 on the diagonal"),
        (POINTS, {"max_dim": -1}, ValueError, "max_dim: expected 0 or more, found -1"),
        (POINTS, {"max_dim": 1.5}, TypeError, "max_dim: expected a whole number"),
        (POINTS, {"max_dim": 2**70}, ValueError, r"max_dim: expected a number below 2\*\*63"),
        (POINTS, {"collapse": True}, TypeError, "collapse: expected auto, off or on, found True"),
        (POINTS, {"modulus": 4}, ValueError, "modulus: expected a prime below 65536, found 4"),
        (POINTS, {"modulus": 2**40}, ValueError, "modulus: expected a prime below 65536"),
        (POINTS, {"threshold": -1}, ValueError, "threshold: expected a non-negative number, found -1"),
        (POINTS, {"threshold": np.nan}, ValueError, "threshold"),
        (POINTS, {"threads": 0}, ValueError, "threads: expected 1 or more, found 0"),
        (POINTS, {"backend": "tpu"}, ValueError, "backend: expected one of auto, cpu, cuda"),
        (POINTS, {"collapse": "maybe"}, ValueError, "collapse: expected one of auto, off, on"),
        (POINTS, {"metric": "no such metric"}, ValueError, "no such metric"),
        (POINTS, {"metric_params": {"p": 2}}, ValueError, "metric_params: expected beside a metric of SciPy"),
        (POINTS, {"weights": "diagonal"}, ValueError, 'expected metric="precomputed"'),
        (POINTS, {"weights": "heavy"}, ValueError, "weights: expected None, diagonal or dtm"),
        (POINTS, {"dtm_p": 2}, ValueError, 'expected beside weights="dtm" only'),
        (POINTS, {"weights": "dtm", "dtm_p": 3}, ValueError, "dtm_p: expected 1, 2 or inf"),
        (POINTS, {"landmarks": 4}, ValueError, "landmarks: expected from 1 to 3"),
        (POINTS, {"landmarks": 0}, ValueError, "landmarks: expected from 1 to 3"),
        (POINTS, {"representatives": "loops"}, ValueError, "representatives: expected one of simplices"),
        (POINTS, {"tighten": True}, ValueError, "tighten: chooses how representatives are made, and representatives is missing"),
        (POINTS, {"representatives": "cycles", "only": [(1, 5)]}, ValueError, "5"),
        (POINTS, {"representatives": "cycles", "longest": 1, "min_persistence": 0}, ValueError, "found several"),
        (sparse.csr_array(np.eye(3)), {}, ValueError, 'expected metric="precomputed"'),
        (sparse.csr_array(np.eye(3)), {"metric": "precomputed"}, ValueError, "expected 0 on the diagonal"),
        (sparse.csr_array((2, 3)), {"metric": "precomputed"}, ValueError, "expected a square matrix"),
        (POINTS, {"max_dim": 10**6, "threshold": 1}, None, ""),
    ],
)
def test_what_is_refused_and_how(X: object, options: dict[str, object], error: type[Exception] | None, message: str) -> None:
    if error is None:
        assert len(lacuna_tda.rips(X, **options)) == 2
        return
    with pytest.raises(error, match=message):
        lacuna_tda.rips(X, **options)


def test_entries_below_a_mask_are_no_data() -> None:
    points = np.ma.masked_greater(np.array([[0.0, 0.0], [1.0, 0.0], [999.0, 0.0]]), 900)
    for options in ({}, {"metric": "cityblock"}):
        with pytest.raises(ValueError, match=r"found 1 of 6 masked; array\.filled"):
            lacuna_tda.rips(points, **options)
    diagrams = lacuna_tda.rips_many(np.ma.stack([points, points.filled(2.0)]), errors="return")
    assert isinstance(diagrams[0], ValueError) and isinstance(diagrams[1], lacuna_tda.Diagram)
    unmasked = np.ma.masked_greater(points.filled(2.0), 900)
    assert np.array_equal(lacuna_tda.rips(unmasked).bars(0), lacuna_tda.rips(unmasked.data).bars(0))


def test_what_would_not_fit_is_an_error_of_memory() -> None:
    with pytest.raises(MemoryError, match="points"):
        lacuna_tda.rips(np.arange(3_000_000, dtype=np.float32).reshape(-1, 1))


def test_a_gpu_that_is_not_there_is_an_error() -> None:
    if lacuna_tda.info().devices:
        pytest.skip("this machine has a GPU")
    with pytest.raises(RuntimeError, match="(?i)cuda"):
        lacuna_tda.rips(POINTS, backend="cuda")


def test_progress_is_told(rng: np.random.Generator) -> None:
    told: list[tuple[str, int | None, int, int]] = []
    lacuna_tda.rips(rng.random((900, 6)), max_dim=2, threads=1, progress=lambda *stage: told.append(stage))
    assert told and all(0 <= done <= total for _, _, done, total in told)
    pytest.importorskip("tqdm")
    assert lacuna_tda.rips(POINTS, progress=True) == lacuna_tda.rips(POINTS)


def test_a_bar_of_tqdm_shows_the_stage(rng: np.random.Generator, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    points, stages = rng.random((900, 6)), set()
    lacuna_tda.rips(points, max_dim=2, threads=1, progress=lambda *stage: stages.add(stage[0]))
    lacuna_tda.rips(points, max_dim=2, threads=1, progress=True)
    shown = capsys.readouterr().err
    assert any(f"{stage} " in shown or f"{stage}: " in shown for stage in stages), shown


def test_what_progress_raises_ends_the_run(rng: np.random.Generator) -> None:
    def stop(*_: object) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        lacuna_tda.rips(rng.random((3000, 8)), max_dim=2, progress=stop)
