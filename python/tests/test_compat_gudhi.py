"""`lacuna_tda.compat.gudhi`: against the definition, and against GUDHI where it is installed."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from conftest import assert_same_bars, brute_force, in_order

distance = pytest.importorskip("scipy.spatial.distance")
sparse = pytest.importorskip("scipy.sparse")
base = pytest.importorskip("sklearn.base")
exceptions = pytest.importorskip("sklearn.exceptions")

from lacuna_tda.compat.gudhi import CubicalPersistence, RipsPersistence


def square_of(points: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(distance.squareform(distance.pdist(points)))


def projective_plane() -> NDArray[np.float64]:
    """Distances 1 along the edges of the barycentric subdivision of the six-point projective plane, 2 elsewhere."""
    triangles = [
        (0, 1, 2),
        (0, 1, 3),
        (0, 2, 4),
        (0, 3, 5),
        (0, 4, 5),
        (1, 2, 5),
        (1, 3, 4),
        (1, 4, 5),
        (2, 3, 4),
        (2, 3, 5),
    ]
    edges = sorted({pair for a, b, c in triangles for pair in ((a, b), (a, c), (b, c))})
    faces = [frozenset([v]) for v in range(6)] + [frozenset(e) for e in edges] + [frozenset(t) for t in triangles]
    lengths = [[0.0 if a == b else 1.0 if a < b or b < a else 2.0 for b in faces] for a in faces]
    return np.array(lengths)


def test_bars_are_those_of_the_definition_in_double_precision(rng: np.random.Generator) -> None:
    clouds = [rng.random((n, 2)) for n in (1, 2, 5, 10)]
    for options in ({}, {"num_collapses": 0}, {"num_collapses": 3}, {"n_jobs": -1}, {"threshold": 5.0}):
        found = RipsPersistence(homology_dimensions=[2, 0, 1], **options).fit_transform(clouds)
        for cloud, diagram in zip(clouds, found):
            expected = brute_force(square_of(cloud), 2)
            assert len(diagram) == 3
            for bars, dim in zip(diagram, (2, 0, 1)):
                assert_same_bars(bars, expected[dim], 1e-12)


def test_one_dimension_has_no_list_around_it(rng: np.random.Generator) -> None:
    clouds = [rng.random((6, 2)), np.zeros((0, 2))]
    found = RipsPersistence(0).fit_transform(clouds)
    assert [bars.shape for bars in found] == [(6, 2), (0, 2)]
    assert [[bars.shape for bars in of] for of in RipsPersistence([0]).fit_transform(clouds)] == [[(6, 2)], [(0, 2)]]
    with pytest.raises(ValueError):
        RipsPersistence([[0]])


def test_the_field_is_z_modulo_11() -> None:
    plane = projective_plane()
    options: dict[str, Any] = {"homology_dimensions": [1, 2], "input_type": "full distance matrix", "threshold": 1.0}
    assert [len(bars) for bars in RipsPersistence(**options).fit_transform([plane])[0]] == [0, 0]
    assert [len(bars) for bars in RipsPersistence(homology_coeff_field=2, **options).fit_transform([plane])[0]] == [
        1,
        1,
    ]
    with pytest.raises(ValueError, match="prime"):
        RipsPersistence(homology_coeff_field=4, **options).fit_transform([plane])


def test_kinds_of_input_agree(rng: np.random.Generator) -> None:
    points = rng.random((15, 3))
    lengths = square_of(points)
    expected = RipsPersistence([0, 1], threshold=0.6).fit_transform([points])[0]
    inputs = {
        "full distance matrix": [lengths],
        "lower distance matrix": [
            lengths,
            np.tril(lengths) + np.triu(rng.random((15, 15))),
            [row[:i] for i, row in enumerate(lengths)],
        ],
        "distance coo_matrix": [
            part(sparse.coo_matrix(np.where(lengths <= 0.6, lengths, 0)), k)
            for part, k in ((sparse.triu, 1), (sparse.tril, -1))
        ],
    }
    for kind, several in inputs.items():
        for found in RipsPersistence([0, 1], threshold=0.6, input_type=kind).fit_transform(several):
            for bars, same in zip(found, expected):
                assert_same_bars(bars, same, 1e-12)
    # Without effect on edges.
    edges = inputs["distance coo_matrix"]
    cut = RipsPersistence(0, threshold=0.1, input_type="distance coo_matrix").fit_transform(edges)[0]
    assert_same_bars(cut, expected[0], 1e-12)
    with pytest.raises(ValueError, match="input_type"):
        RipsPersistence(0, input_type="points").fit_transform([points])


def test_points_far_from_all_others_leave_room_for_high_dimensions() -> None:
    angles = np.linspace(0, 2 * np.pi, 8, endpoint=False)
    points = np.column_stack([np.arange(200_000) * 100.0, np.zeros(200_000)])
    points[:8] = np.column_stack([np.cos(angles), np.sin(angles)]) - 50
    found = RipsPersistence([0, 1, 9], threshold=1.9).fit_transform([points])[0]
    assert len(found[0]) == 200_000 and np.count_nonzero(np.isinf(found[0][:, 1])) == 200_000 - 7
    np.testing.assert_allclose(found[1], [[2 * np.sin(np.pi / 8), 2 * np.sin(3 * np.pi / 8)]])
    assert len(found[2]) == 0
    rows, columns = np.array([0, 1, 2, 3]), np.array([1, 2, 3, 0])
    graph = sparse.coo_matrix(
        (np.ones(4), (np.minimum(rows, columns), np.maximum(rows, columns))), shape=(300_000, 300_000)
    )
    of_graph = RipsPersistence([0, 1, 12], input_type="distance coo_matrix").fit_transform([graph])[0]
    assert [len(bars) for bars in of_graph] == [300_000, 1, 0]


def test_images() -> None:
    ring = np.array([[1.0, 2.0, 1.0], [2.0, 9.0, 2.0], [1.0, 2.0, 1.0]])
    found = CubicalPersistence([0, 1, 2]).fit_transform([ring])[0]
    assert [bars.tolist() for bars in found] == [[[1.0, 2.0]] * 3 + [[1.0, np.inf]], [[2.0, 9.0]], []]
    found = CubicalPersistence([0, 1], input_type="vertices").fit_transform([ring])[0]
    assert found[0].tolist() == [[1.0, 2.0]] * 3 + [[1.0, np.inf]] and found[1].tolist() == [[2.0, 9.0]]
    assert CubicalPersistence(0, min_persistence=1.0).fit_transform([[[1, 3, 2, 5, 1]]])[0].tolist() == [
        [1.0, 5.0],
        [1.0, np.inf],
    ]
    with pytest.raises(ValueError, match="input_type"):
        CubicalPersistence(0, input_type="cells").fit_transform([ring])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="NaN"):
        CubicalPersistence(0).fit_transform([ring * np.nan])


def test_bars_of_length_zero_are_told_if_asked_for(rng: np.random.Generator) -> None:
    image = rng.integers(0, 4, (4, 5)).astype(float)
    some = CubicalPersistence([0, 1]).fit_transform([image])[0]
    every = CubicalPersistence([0, 1], min_persistence=-1.0).fit_transform([image])[0]
    for bars, more in zip(some, every):
        assert_same_bars(more[more[:, 0] != more[:, 1]], bars)
    # Each vertex is born with a class of dimension 0, each face ends one of dimension 1.
    assert [len(bars) for bars in every] == [30, 20]
    wide = CubicalPersistence([0, 1], min_persistence=-1.0).fit_transform([rng.random((3, 200))])[0]
    assert [len(bars) for bars in wide] == [4 * 201, 3 * 200]


def test_images_of_four_axes(rng: np.random.Generator) -> None:
    image = rng.random((3, 3, 3, 3))
    with pytest.raises(ValueError, match="homology_coeff_field"):
        CubicalPersistence(0).fit_transform([image])
    # The product with an axis of one voxel has the bars of the image itself.
    flat = CubicalPersistence([0, 1, 2], homology_coeff_field=2).fit_transform([image[0]])[0]
    doubled = np.repeat(image[:1], 2, axis=0)
    for bars, same in zip(CubicalPersistence([0, 1, 2], homology_coeff_field=2).fit_transform([doubled])[0], flat):
        assert_same_bars(bars, same)


@pytest.mark.filterwarnings("ignore:Can't test estimator")
def test_the_transformers_are_ones_of_scikit_learn(rng: np.random.Generator) -> None:
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    clouds = [rng.random((12, 2)) for _ in range(3)]
    for transformer, inputs in (
        (RipsPersistence([0, 1], threshold=0.5), clouds),
        (CubicalPersistence([0, 1], min_persistence=0.1), clouds),
    ):
        name = type(transformer).__name__
        checks.check_estimator(transformer)
        # That looks at very little where samples are no rows; so these, which need no samples. Parameters of any kind are not taken, as GUDHI's
        # are not: dimensions are looked at when a transformer is made.
        checks.check_no_attributes_set_in_init(name, transformer)
        checks.check_get_params_invariance(name, transformer)
        checks.check_estimator_repr(name, transformer)
        checks.check_estimator_cloneable(name, transformer)
        expected = transformer.fit_transform(inputs)
        for twin in (base.clone(transformer).fit(inputs), pickle.loads(pickle.dumps(transformer))):
            for ours, theirs in zip(twin.transform(inputs), expected):
                assert all(np.array_equal(one, other) for one, other in zip(ours, theirs))
        assert transformer.set_params(homology_dimensions=1).fit_transform(inputs)[0].ndim == 2
        with pytest.raises(exceptions.NotFittedError):
            base.clone(transformer).transform(inputs)


def test_answers_become_data_frames(rng: np.random.Generator) -> None:
    pytest.importorskip("pandas")
    clouds = [rng.random((12, 2)) for _ in range(3)]
    frame = RipsPersistence([0, 2]).set_output(transform="pandas").fit_transform(clouds)
    assert list(frame.columns) == ["H0", "H2"] and len(frame) == 3


def assert_equal_diagrams(found: Any, expected: Any, same_order: bool = True) -> None:
    if isinstance(expected, list):
        assert len(found) == len(expected)
        for ours, theirs in zip(found, expected):
            assert_equal_diagrams(ours, theirs, same_order)
    else:
        assert found.dtype == expected.dtype and found.shape == expected.shape
        np.testing.assert_array_equal(*((found, expected) if same_order else (in_order(found), in_order(expected))))


@pytest.mark.parametrize(
    "options",
    [{}, {"threshold": 0.4}, {"homology_coeff_field": 2}, {"num_collapses": 0}, {"num_collapses": 2}, {"n_jobs": 2}],
    ids=str,
)
def test_clouds_are_answered_as_by_the_original(options: dict[str, Any], rng: np.random.Generator) -> None:
    original = pytest.importorskip("gudhi.sklearn").RipsPersistence
    clouds = [rng.random((n, 3)) for n in (5, 30, 60)]
    for dims in (1, [0, 1, 2]):
        found = RipsPersistence(dims, **options).fit_transform(clouds)
        assert_equal_diagrams(found, original(dims, **options).fit_transform(clouds))


@pytest.mark.parametrize("shape", [(9,), (1, 9), (2, 9), (9, 3), (9, 8), (5, 6, 4), (3, 1, 4, 3), (1, 1)], ids=str)
@pytest.mark.parametrize(
    "options", [{}, {"min_persistence": 2.0}, {"min_persistence": -1.0}, {"input_type": "vertices"}], ids=str
)
def test_images_are_answered_as_by_the_original(
    shape: tuple[int, ...], options: dict[str, Any], rng: np.random.Generator
) -> None:
    original = pytest.importorskip("gudhi.sklearn").CubicalPersistence
    image = rng.permutation(int(np.prod(shape))).reshape(shape)
    for kind in (np.float64, np.float32, np.int32):
        found = CubicalPersistence([0, 1, 2], **options).fit_transform([image.astype(kind)])
        # Bars that end at one voxel come in another order.
        assert_equal_diagrams(
            found, original([0, 1, 2], **options).fit_transform([image.astype(kind)]), same_order=False
        )
