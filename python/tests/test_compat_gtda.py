"""`lacuna_tda.compat.gtda`: against the definition, with the padding of giotto-tda."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from conftest import assert_same_bars, brute_force

distance = pytest.importorskip("scipy.spatial.distance")
sparse = pytest.importorskip("scipy.sparse")
base = pytest.importorskip("sklearn.base")
exceptions = pytest.importorskip("sklearn.exceptions")

from lacuna_tda.compat.gtda import CubicalPersistence, VietorisRipsPersistence

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def of_dimension(diagram: NDArray[np.float64], dim: int) -> NDArray[np.float64]:
    """The bars of a dimension that last."""
    rows = diagram[(diagram[:, 2] == dim) & (diagram[:, 0] < diagram[:, 1])]
    return rows[:, :2]


def test_bars_are_those_of_the_definition(rng: np.random.Generator) -> None:
    clouds = [rng.random((n, 2)) for n in (3, 7, 10)]
    found = VietorisRipsPersistence(homology_dimensions=(0, 1, 2)).fit_transform(clouds)
    assert found.shape[0] == 3 and found.shape[2] == 3 and found.dtype == np.float64
    assert np.all(np.diff(found[:, :, 2], axis=1) >= 0)
    for cloud, diagram in zip(clouds, found):
        single = np.asarray(distance.squareform(distance.pdist(cloud))).astype(np.float32)
        for dim, bars in enumerate(brute_force(single.astype(np.float64), 2)):
            finite = bars[np.isfinite(bars[:, 1])]
            assert_same_bars(of_dimension(diagram, dim), finite)


def test_samples_are_filled_up_at_the_least_birth() -> None:
    wide = 3 * np.column_stack([SQUARE, np.zeros(4)])
    found = VietorisRipsPersistence(homology_dimensions=[1, 0]).fit_transform([wide, wide[:2]])
    assert found.shape == (2, 4, 3)
    assert found[1].tolist() == [[0.0, 3.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [3.0, 3.0, 1.0]]
    # No bars at all in dimension 2: a row of zeros each.
    assert (
        VietorisRipsPersistence(homology_dimensions=(2,)).fit_transform([wide, wide]).tolist()
        == [[[0.0, 0.0, 2.0]]] * 2
    )


def test_essential_bars_die_where_they_are_told_to() -> None:
    pair = np.array([[0.0, 0.0, 0.0], [5.0, 0.0, 0.0]])
    far = {"max_edge_length": 2.0}
    assert VietorisRipsPersistence(**far).fit_transform([pair])[0, 0].tolist() == [0.0, 2.0, 0.0]
    assert VietorisRipsPersistence(infinity_values=7, **far).fit_transform([pair])[0, 0].tolist() == [0.0, 7.0, 0.0]
    every = VietorisRipsPersistence(reduced_homology=False).fit_transform([pair])[0]
    assert every[every[:, 2] == 0].tolist() == [[0.0, 5.0, 0.0], [0.0, np.inf, 0.0]]
    low = VietorisRipsPersistence(infinity_values=-1, **far).fit_transform([pair])
    np.testing.assert_array_equal(low[:, :, :2], 0)


def test_distances_and_graphs(rng: np.random.Generator) -> None:
    clouds = [rng.random((12, 3)) for _ in range(3)]
    squares = np.array([distance.squareform(distance.pdist(cloud)) for cloud in clouds])
    expected = VietorisRipsPersistence(n_jobs=2).fit_transform(clouds)
    for several in (squares, list(squares), [sparse.csr_matrix(square) for square in squares]):
        found = VietorisRipsPersistence(metric="precomputed", collapse_edges=True).fit_transform(several)
        np.testing.assert_allclose(found, expected, atol=1e-7)
    by_function = VietorisRipsPersistence(metric=lambda x, y: float(np.linalg.norm(x - y))).fit_transform(clouds)
    np.testing.assert_allclose(by_function, expected, atol=1e-6)


def test_images(rng: np.random.Generator) -> None:
    ring = np.array([[1.0, 3.0, 1.0], [1.0, 9.0, 1.0], [1.0, 1.0, 1.0]])
    found = CubicalPersistence().fit_transform([ring, ring + 1])
    assert found.tolist() == [[[0.0, 0.0, 0.0], [3.0, 9.0, 1.0]], [[0.0, 0.0, 0.0], [4.0, 10.0, 1.0]]]
    whole = CubicalPersistence(reduced_homology=False, infinity_values=20).fit_transform([ring])
    assert whole[0].tolist() == [[1.0, 20.0, 0.0], [3.0, 9.0, 1.0]]
    line = CubicalPersistence(homology_dimensions=(0,)).fit_transform(np.array([[3.0, 9.0, 1.0, 4.0, 2.0]]))
    assert line.tolist() == [[[3.0, 9.0, 0.0], [2.0, 4.0, 0.0]]]


@pytest.mark.parametrize("shape", [(3, 4), (1, 1), (2, 1), (3, 2, 4)], ids=str)
def test_periodic_images_are_tori(shape: tuple[int, ...]) -> None:
    """A constant image has the homology of a torus, of as many dimensions as it has periodic axes."""
    axes = len(shape)
    for periodic in ([True] * axes, [True] + [False] * (axes - 1)):
        transformer = CubicalPersistence(
            homology_dimensions=tuple(range(axes + 1)),
            periodic_dimensions=np.array(periodic),
            infinity_values=5.0,
            reduced_homology=False,
        )
        found = transformer.fit_transform([np.ones(shape)])[0]
        circles = sum(periodic)
        betti = [len(of_dimension(found, dim)) for dim in range(axes + 1)]
        choose = {0: [1, 0, 0, 0], 1: [1, 1, 0, 0], 2: [1, 2, 1, 0], 3: [1, 3, 3, 1]}
        assert betti == choose[circles][: axes + 1]


def test_a_periodic_axis_joins_its_ends() -> None:
    line = np.array([[0.0, 5.0, 1.0, 7.0]])
    options: dict[str, Any] = {"homology_dimensions": (0, 1), "infinity_values": 9.0}
    assert CubicalPersistence(**options).fit_transform(line)[0].tolist() == [[1.0, 5.0, 0.0], [0.0, 0.0, 1.0]]
    joined = CubicalPersistence(periodic_dimensions=np.array([True]), **options).fit_transform(line)[0]
    assert joined.tolist() == [[1.0, 5.0, 0.0], [7.0, 9.0, 1.0]]


def test_fields_are_refused_where_bars_may_depend_on_them() -> None:
    for periodic in ([True, True, True], [True, True, True, False], [True, False, False, False]):
        axes = len(periodic)
        with pytest.raises(ValueError, match="coeff"):
            CubicalPersistence(coeff=3, periodic_dimensions=np.array(periodic)).fit_transform([np.zeros((2,) * axes)])
    for periodic in ([True, True], [True, True, False], [False, False, False]):
        axes = len(periodic)
        found = CubicalPersistence(coeff=3, periodic_dimensions=np.array(periodic), infinity_values=1.0)
        assert len(of_dimension(found.fit_transform([np.zeros((2,) * axes)])[0], 1)) == sum(periodic)


def test_what_is_refused(rng: np.random.Generator) -> None:
    clouds = rng.random((2, 5, 2))
    with pytest.raises(exceptions.NotFittedError):
        VietorisRipsPersistence().transform(clouds)
    with pytest.raises(exceptions.NotFittedError):
        CubicalPersistence().transform(clouds)
    refused: list[tuple[dict[str, Any], type[Exception]]] = [
        ({"metric": "not a metric"}, ValueError),
        ({"metric": 3}, TypeError),
        ({"homology_dimensions": 1}, TypeError),
        ({"homology_dimensions": (0, 0.5)}, TypeError),
        ({"homology_dimensions": (-1,)}, ValueError),
        ({"coeff": "2"}, TypeError),
        ({"coeff": 1}, ValueError),
        ({"coeff": 4}, ValueError),
        ({"infinity_values": "x"}, TypeError),
        ({"max_edge_length": None}, TypeError),
        ({"metric": "precomputed"}, ValueError),
    ]
    for options, kind in refused:
        with pytest.raises(kind):
            VietorisRipsPersistence(**options).fit_transform(clouds)
    for wrong in (clouds[0], [np.array([[np.nan, 1.0]])], []):
        with pytest.raises(ValueError):
            VietorisRipsPersistence().fit(wrong)
    with pytest.raises(ValueError, match="NaN"):
        VietorisRipsPersistence(metric="precomputed").fit([np.full((2, 2), np.nan)])
    images = rng.random((2, 4, 5))
    for periodic, error, message in (
        (np.array([1, 0]), TypeError, "periodic_dimensions: expected truth values, found int64"),
        (np.array([True]), ValueError, r"periodic_dimensions: expected one for each of 2 axes, found shape \(1,\)"),
    ):
        with pytest.raises(error, match=message):
            CubicalPersistence(periodic_dimensions=periodic).fit(images)
    with pytest.raises(ValueError, match="expected an image of 2 axes, found 3"):
        CubicalPersistence().fit(images).transform(images[None])
    with pytest.raises(TypeError, match=r"expected an image of numbers .*array\.astype\(float\)"):
        CubicalPersistence().fit([images[0].astype(str)])
    with pytest.warns(exceptions.DataDimensionalityWarning):
        VietorisRipsPersistence().fit(rng.random((2, 3, 3)))


@pytest.mark.filterwarnings("ignore:Can't test estimator")
def test_the_transformers_are_ones_of_scikit_learn(rng: np.random.Generator) -> None:
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    inputs = rng.random((3, 12, 2))
    for transformer in (VietorisRipsPersistence(max_edge_length=0.5), CubicalPersistence(infinity_values=2.0)):
        name = type(transformer).__name__
        checks.check_estimator(transformer)
        # That looks at very little where samples are no rows; so these, which need no samples.
        checks.check_no_attributes_set_in_init(name, transformer)
        checks.check_do_not_raise_errors_in_init_or_set_params(name, transformer)
        checks.check_get_params_invariance(name, transformer)
        checks.check_set_params(name, transformer)
        checks.check_estimator_repr(name, transformer)
        checks.check_estimator_cloneable(name, transformer)
        expected = transformer.fit_transform(inputs)
        for twin in (base.clone(transformer).fit(inputs), pickle.loads(pickle.dumps(transformer))):
            np.testing.assert_array_equal(twin.transform(inputs), expected)
        assert transformer.set_params(homology_dimensions=(1,)).fit_transform(inputs)[0, 0, 2] == 1
