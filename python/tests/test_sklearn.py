"""`lacuna_tda.sklearn`: the checks of scikit-learn for every transformer, and its answers against other programs and other functions."""

from __future__ import annotations

import importlib
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import lacuna_tda

sparse = pytest.importorskip("scipy.sparse")
base = pytest.importorskip("sklearn.base")
checks = pytest.importorskip("sklearn.utils.estimator_checks")

from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted, validate_data

from lacuna_tda.sklearn import (
    Amplitude,
    BettiCurve,
    Cubical,
    DelayEmbedding,
    Entropy,
    EulerCurve,
    Landscape,
    Lengths,
    PairwiseDistance,
    PersistenceImage,
    Rips,
    ShortestPaths,
    Silhouette,
)

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
ON_GRIDS = (PersistenceImage(), Landscape(), BettiCurve(), Silhouette())
OF_DIAGRAMS = (*ON_GRIDS, Entropy(), Lengths(), Amplitude(), PairwiseDistance())
ALL = (Rips(), Cubical(), EulerCurve(), DelayEmbedding(), ShortestPaths(), *OF_DIAGRAMS)


def by_name(transformer: Any) -> str:
    return type(transformer).__name__


def diagrams_of_rows(rows: NDArray[Any]) -> list[lacuna_tda.Diagram]:
    """The diagrams of points on a line."""
    return lacuna_tda.rips_many(list(rows[:, :, None]), threads=1)


def complete_graphs(rows: NDArray[Any]) -> list[NDArray[Any]]:
    """Graphs whose edges are as long as two numbers of a row are apart."""
    return [np.abs(np.subtract.outer(row, row)) for row in rows]


def lengths_of_paths(paths: list[NDArray[Any]]) -> NDArray[Any]:
    return np.array([of_graph.sum(axis=0) for of_graph in paths])


class OfTables(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A transformer of tables, whose rows are made into what another one takes, for the checks of scikit-learn."""

    def __init__(self, transformer: Any, made: Callable[..., Any], told: Callable[..., Any] = np.asarray) -> None:
        self.transformer = transformer
        self.made = made
        self.told = told

    def fit(self, X: Any, y: Any = None) -> OfTables:
        self.transformer_ = base.clone(self.transformer).fit(self.made(validate_data(self, X)), y)
        return self

    def transform(self, X: Any) -> Any:
        check_is_fitted(self)
        return self.told(self.transformer_.transform(self.made(validate_data(self, X, reset=False))))

    def __repr__(self) -> str:
        return f"OfTables({by_name(self.transformer)})"


LIST = "answers a list of diagrams, where the check compares arrays; the same transformer before Lengths passes it"
INFINITE = "infinite voxels are values like others"
EXPECTED = {
    "Rips": dict.fromkeys(
        (
            "check_estimators_pickle",
            "check_methods_sample_order_invariance",
            "check_methods_subset_invariance",
            "check_pipeline_consistency",
            "check_transformer_data_not_an_array",
            "check_transformer_general",
            "check_transformers_unfitted_stateless",
        ),
        LIST,
    ),
    "EulerCurve": {"check_estimators_nan_inf": INFINITE},
}
EXPECTED["Cubical"] = EXPECTED["Rips"] | EXPECTED["EulerCurve"]


@checks.parametrize_with_checks(
    [
        Rips(input_shape=(-1, 1)),
        Cubical(input_shape=(-1,)),
        EulerCurve(input_shape=(-1,)),
        DelayEmbedding(dimension=2),
        OfTables(ShortestPaths(), complete_graphs, lengths_of_paths),
        OfTables(make_pipeline(Rips(input_shape=(-1, 1)), Lengths()), np.asarray),
        OfTables(make_pipeline(Cubical(input_shape=(-1,)), Lengths()), np.asarray),
        *(OfTables(transformer, diagrams_of_rows) for transformer in OF_DIAGRAMS),
    ],
    expected_failed_checks=lambda estimator: EXPECTED.get(by_name(estimator), {}),
)
@pytest.mark.filterwarnings("ignore:dims")
def test_the_checks_of_scikit_learn(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.mark.parametrize("transformer", ALL, ids=by_name)
def test_the_checks_that_need_no_samples(transformer: Any) -> None:
    for check in (
        checks.check_estimator_cloneable,
        checks.check_estimator_repr,
        checks.check_get_params_invariance,
        checks.check_mixin_order,
        checks.check_no_attributes_set_in_init,
        checks.check_parameters_default_constructible,
        checks.check_set_params,
        checks.check_valid_tag_types,
    ):
        check(by_name(transformer), transformer)
    assert by_name(transformer) in transformer._repr_html_()


@pytest.mark.filterwarnings("ignore:X (has|does not have valid) feature names")
@pytest.mark.parametrize("name", [name for name in dir(checks) if name.startswith(("check_set_output", "check_global"))])
def test_the_checks_of_data_frames(name: str) -> None:
    pytest.importorskip("polars" if "polars" in name else "pandas")
    getattr(checks, name)("EulerCurve", EulerCurve(input_shape=(-1,)))


def test_the_checks_of_names(rng: np.random.Generator) -> None:
    pytest.importorskip("pandas")
    checks.check_dataframe_column_names_consistency("EulerCurve", EulerCurve(input_shape=(-1,)))
    checks.check_dataframe_column_names_consistency("DelayEmbedding", DelayEmbedding(dimension=2))
    diagrams = lacuna_tda.rips_many(rng.random((4, 12, 2)))
    for transformer in OF_DIAGRAMS:
        rows = transformer.fit_transform(diagrams)
        names = transformer.get_feature_names_out()
        assert rows.shape == (4, len(names)) and len(set(names)) == len(names)
        frame = base.clone(transformer).set_output(transform="pandas").fit_transform(diagrams)
        assert list(frame.columns) == list(names)
        np.testing.assert_array_equal(frame.to_numpy(), rows)


def test_columns_are_named_by_dimension_and_place() -> None:
    diagrams = [lacuna_tda.Diagram([[[0.0, 1.0]], [[1.0, 3.0]]])]
    for transformer, names in (
        (PersistenceImage(dims=1, resolution=(2, 1)), ["h1_image_0_0", "h1_image_0_1"]),
        (Landscape(dims=1, count=2, resolution=1), ["h1_landscape_0_0", "h1_landscape_1_0"]),
        (BettiCurve(resolution=1), ["h0_betti_0", "h1_betti_0"]),
        (Silhouette(dims=[1], resolution=2), ["h1_silhouette_0", "h1_silhouette_1"]),
        (Entropy(), ["h0_entropy", "h1_entropy"]),
        (Lengths(dims=(1, 0), count=1), ["h1_length_0", "h0_length_0"]),
        (Amplitude(dims=1, metric="wasserstein"), ["h1_wasserstein"]),
        (PairwiseDistance(), ["distance_0"]),
        (PairwiseDistance(gamma=1.0), ["kernel_0"]),
    ):
        assert list(transformer.fit(diagrams).get_feature_names_out()) == names
    assert list(Lengths(dims=None, count=2).get_feature_names_out()) == ["length_0", "length_1"]
    assert list(EulerCurve(bins=2).get_feature_names_out()) == ["euler_0", "euler_1"]
    assert list(EulerCurve(bins=1, scales=2).get_feature_names_out()) == ["euler_0_0", "euler_1_0"]


def test_options_are_those_of_the_functions(rng: np.random.Generator) -> None:
    cloud, image = rng.random((20, 3)), rng.integers(0, 9, (12, 14))
    points = {"metric": "cityblock", "max_dim": 2, "threshold": 0.9, "representatives": "cycles", "threads": 1}
    voxels = {"construction": "V", "superlevel": True, "threshold": 2, "locations": True}
    (found,), (of_image,) = Rips(**points).fit_transform([cloud]), Cubical(**voxels).fit_transform([image])
    expected, expected_of_image = lacuna_tda.rips(cloud, **points), lacuna_tda.cubical(image, **voxels)
    assert found == expected and found.threshold == expected.threshold and found.representatives is not None
    assert of_image == expected_of_image and of_image.locations is not None
    for transformer, function in ((Rips, lacuna_tda.rips), (Cubical, lacuna_tda.cubical), (EulerCurve, lacuna_tda.ecc)):
        ours, theirs = transformer().get_params(), importlib.import_module("inspect").signature(function).parameters
        # A checkpoint is that of a single input.
        assert ours.keys() - {"input_shape"} == theirs.keys() - {"X", "image", "checkpoint", "checkpoint_every"}
        assert all(value == theirs[name].default for name, value in ours.items() if name != "input_shape")
    with pytest.raises(TypeError, match=r"^Rips\(\) got an unexpected keyword argument 'n_jobs': did you mean threads\?$"):
        Rips(n_jobs=2)


def test_clouds_distances_and_graphs(rng: np.random.Generator) -> None:
    distance = pytest.importorskip("scipy.spatial.distance")
    clouds = rng.random((5, 12, 3))
    expected = lacuna_tda.rips_many(clouds)
    lists = [distance.pdist(cloud) for cloud in clouds]
    squares = np.array([distance.squareform(one) for one in lists])
    assert Rips().fit_transform(clouds) == Rips().transform(list(clouds)) == expected
    assert Rips(input_shape=(-1, 3)).fit_transform(clouds.reshape(5, 36)) == expected
    for inputs in (squares, list(squares), lists, [sparse.csr_array(square) for square in squares]):
        found = Rips(metric="precomputed").fit_transform(inputs)
        assert all(np.allclose(one[1], other[1]) for one, other in zip(found, expected))
    assert Rips(metric="precomputed", input_shape=(-1,)).fit_transform(np.array(lists)) == Rips(metric="precomputed").transform(lists)
    infinite = np.full((1, 3), np.inf)
    assert len(Rips(metric="precomputed", input_shape=(-1,)).fit_transform(infinite)[0][0]) == 3


def test_tables_of_images(rng: np.random.Generator) -> None:
    pandas = pytest.importorskip("pandas")
    images = rng.integers(0, 255, (6, 4, 7)).astype(np.uint8)
    table = images.reshape(6, 28)
    assert Cubical(input_shape=(4, 7)).fit_transform(table) == [lacuna_tda.cubical(image) for image in images]
    options: dict[str, Any] = {"periodic": (0,), "mask": np.eye(4, 7)}
    transformer = base.clone(Cubical(input_shape=(4, 7), **options))
    assert transformer.fit_transform(table) == [lacuna_tda.cubical(image, **options) for image in images]
    frame = pandas.DataFrame(table).rename(columns=str)
    curves = EulerCurve(input_shape=(4, 7), bins=10).set_output(transform="pandas").fit_transform(frame.set_index(np.arange(6) * 2))
    np.testing.assert_array_equal(curves.to_numpy(), EulerCurve(bins=10).fit_transform(images))
    assert list(curves.index) == [0, 2, 4, 6, 8, 10]


@pytest.mark.parametrize("transformer", [Rips(), Cubical(), EulerCurve()], ids=by_name)
def test_tables_without_a_shape_are_refused(transformer: Any) -> None:
    with pytest.raises(ValueError, match=r"^X: expected a sequence of inputs .* found shape \(3, 6\); input_shape="):
        transformer.fit(np.zeros((3, 6)))
    for shape, found in (((5, 2), r"\(5, 2\)"), ("ab", "'ab'")):
        with pytest.raises(ValueError, match=rf"^input_shape: expected a shape of 6 numbers, as the rows of X have, found {found}$"):
            base.clone(transformer).set_params(input_shape=shape).fit(np.zeros((3, 6)))


def test_euler_curves_are_alternating_sums_of_betti_numbers(rng: np.random.Generator) -> None:
    train, test = rng.integers(3, 60, (5, 9, 11)), rng.integers(-10, 90, (4, 9, 11))
    for options in ({}, {"construction": "V"}, {"superlevel": True}):
        transformer = EulerCurve(bins=16, **options).fit(train)
        assert transformer.range_ == (train.min(), train.max())
        first, last = transformer.range_[::-1] if "superlevel" in options else transformer.range_
        ends = first + (last - first) * np.arange(1, 17) / 16
        for image, row in zip(test, transformer.transform(test)):
            betti = np.array([lacuna_tda.cubical(image, **options).betti(end) for end in ends])
            np.testing.assert_array_equal(row, betti[:, 0] - betti[:, 1])
    several = EulerCurve(bins=16, scales=2).fit(train).transform(test)
    assert several.shape == (4, 32)
    np.testing.assert_array_equal(several[:, :16], EulerCurve(bins=16).fit(train).transform(test))


def test_the_range_of_images(rng: np.random.Generator) -> None:
    images = [np.array([[0.5, np.inf], [-np.inf, 2.0]]), np.array([[np.nan, 1.0], [1.0, 9.0]])]
    assert EulerCurve(nan=11.0).fit(images).range_ == (0.5, 11.0)
    assert EulerCurve(nan="highest").fit(images).range_ == (0.5, 9.0)
    assert EulerCurve(range=(0, 3)).fit(images).range_ == (0, 3)
    assert EulerCurve(bins=4).fit_transform([np.ones((3, 3))]).tolist() == [[1, 1, 1, 1]]
    with pytest.raises(ValueError, match="^X: expected images with finite voxels, found none; range says"):
        EulerCurve().fit([np.full((2, 2), np.inf)])


GUDHI = {
    "PersistenceImage": (
        PersistenceImage(resolution=(6, 5), bandwidth=0.3, weight=2.0),
        {"resolution": [6, 5], "bandwidth": 0.3, "weight": lambda bar: bar[1] ** 2},
    ),
    "Landscape": (Landscape(count=3, resolution=31), {"num_landscapes": 3, "resolution": 31}),
    "BettiCurve": (BettiCurve(resolution=31), {"resolution": 31}),
    "Silhouette": (Silhouette(weight=1.5, resolution=31), {"weight": lambda bar: (bar[1] - bar[0]) ** 1.5, "resolution": 31}),
    "Entropy": (Entropy(), {}),
    "Lengths": (Lengths(count=4), {"num_lengths": 4}),
}


@pytest.mark.parametrize("name", GUDHI)
def test_vectors_of_a_test_set_are_those_of_gudhi(name: str, rng: np.random.Generator) -> None:
    theirs = pytest.importorskip("gudhi.representations")
    train, test = (lacuna_tda.rips_many(scale * rng.random((7, 25, 2))) for scale in (1.0, 1.3))
    transformer, options = GUDHI[name]
    found = transformer.fit(train).transform(test)
    expected = []
    for dim in (0, 1):
        of_gudhi = getattr(theirs, {"Lengths": "PersistenceLengths"}.get(name, name))(**options)
        finite, of_test = ([diagram[dim][np.isfinite(diagram[dim][:, 1])] for diagram in diagrams] for diagrams in (train, test))
        if name == "BettiCurve":
            of_test = [diagram[dim] for diagram in test]
        expected.append(np.reshape(of_gudhi.fit(finite).transform(of_test), (7, -1)))
    np.testing.assert_allclose(found, np.concatenate(expected, axis=1), rtol=1e-9, atol=1e-12)


def test_vectors_of_the_diagrams_of_fit_are_those_of_the_functions(rng: np.random.Generator) -> None:
    """To the last digit: whole values are alive at their births."""
    diagrams = [lacuna_tda.cubical(image) for image in rng.integers(0, 10, (6, 8, 8))]
    for transformer, function in (
        (PersistenceImage(dims=1), lacuna_tda.persistence_image),
        (Landscape(dims=1, resolution=26), lacuna_tda.landscape),
        (BettiCurve(dims=1, resolution=26), lacuna_tda.betti_curve),
        (Silhouette(dims=1, resolution=26), lacuna_tda.silhouette),
    ):
        options = {"resolution": transformer.resolution}
        found = transformer.fit_transform(diagrams)
        np.testing.assert_array_equal(found, function(diagrams, dim=1, **options).reshape(6, -1))
        np.testing.assert_array_equal(found[:2], transformer.transform(diagrams[:2]))


def test_ranges_that_are_given_are_kept() -> None:
    diagrams = [lacuna_tda.Diagram([[], [[1.0, 3.0]]])]
    for curve, function in ((BettiCurve, lacuna_tda.betti_curve), (Landscape, lacuna_tda.landscape), (Silhouette, lacuna_tda.silhouette)):
        transformer = curve(dims=1, resolution=5, range=(0.0, 4.0)).fit([lacuna_tda.Diagram([[], [[7.0, 8.0]]])])
        assert transformer.ranges_ == [(0.0, 4.0)]
        np.testing.assert_array_equal(
            transformer.transform(diagrams), function(diagrams, dim=1, resolution=5, range=(0.0, 4.0)).reshape(1, -1)
        )
    image = PersistenceImage(dims=(1,), range=((0.0, 5.0), None)).fit(diagrams)
    assert image.ranges_ == [((0.0, 5.0), (2.0, 2.0))]
    # Bars of superlevel sets go down.
    assert PersistenceImage(dims=(1,)).fit([lacuna_tda.Diagram([[], [[5.0, 4.0], [3.0, -np.inf]]])]).ranges_ == [((4.0, 4.0), (1.0, 1.0))]
    for transformer in ON_GRIDS:
        assert not base.clone(transformer).set_params(dims=None).fit_transform([np.empty((0, 2))] * 2).any()


def test_amplitudes(rng: np.random.Generator) -> None:
    diagrams = lacuna_tda.rips_many(rng.random((4, 30, 2)))
    lengths = [[diagram[dim][:-1] if dim == 0 else diagram[dim] for dim in (0, 1)] for diagram in diagrams]
    lengths = [[bars[:, 1] - bars[:, 0] for bars in of_one] for of_one in lengths]
    for transformer, norm, scale in (
        (Amplitude(), np.inf, 0.5),
        (Amplitude(metric="wasserstein"), 1, 0.5),
        (Amplitude(metric="wasserstein", order=2.0, internal_p=2.0), 2, 0.5**0.5),
        (Amplitude(metric="wasserstein", order=3.0, internal_p=1.0), 3, 1.0),
    ):
        expected = [[scale * np.linalg.norm(of_dim, ord=norm) for of_dim in of_one] for of_one in lengths]
        np.testing.assert_allclose(transformer.fit_transform(diagrams), expected, rtol=1e-12)


def test_distances_from_the_diagrams_of_fit(rng: np.random.Generator) -> None:
    gudhi = pytest.importorskip("gudhi")
    wasserstein = pytest.importorskip("gudhi.hera").wasserstein_distance
    train, test = lacuna_tda.rips_many(rng.random((4, 15, 2))), lacuna_tda.rips_many(rng.random((3, 15, 2)))
    finite = {id(diagram): [diagram[0][:-1], diagram[1]] for diagram in train + test}

    def expected(between: Callable[..., float], norm: float, **options: Any) -> Any:
        def over_dimensions(one: lacuna_tda.Diagram, other: lacuna_tda.Diagram) -> Any:
            return np.linalg.norm([between(*bars, **options) for bars in zip(finite[id(one)], finite[id(other)])], ord=norm)

        return [[over_dimensions(one, other) for other in train] for one in test]

    bottleneck = PairwiseDistance().fit(train)
    np.testing.assert_allclose(bottleneck.transform(test), expected(gudhi.bottleneck_distance, np.inf), atol=1e-12)
    transformer = PairwiseDistance(metric="wasserstein", order=2.0, internal_p=2.0).fit(train)
    found = expected(wasserstein, 2.0, order=2.0, internal_p=2.0, delta=1e-6)
    np.testing.assert_allclose(transformer.transform(test), found, rtol=1e-5)
    for one in (bottleneck, transformer):
        np.testing.assert_allclose(one.fit_transform(train), one.transform(train), atol=1e-12)
    np.testing.assert_array_equal(PairwiseDistance(threads=3).fit(train).transform(test), bottleneck.transform(test))
    with pytest.raises(ValueError, match="^threads: expected 1 or more, found 0$"):
        PairwiseDistance(threads=0).fit_transform(train)
    kernel = PairwiseDistance(gamma=3.0).fit(train).transform(test)
    np.testing.assert_allclose(kernel, np.exp(-3 * bottleneck.transform(test)))


def test_bars_that_never_end_count_if_they_are_to() -> None:
    apart, joined = ([[0.0, np.inf], [0.0, np.inf]], [[0.0, 1.0], [0.5, np.inf]])
    assert PairwiseDistance(dims=None).fit([joined]).transform([apart, joined]).tolist() == [[0.5], [0.0]]
    every = PairwiseDistance(dims=None, essential=True).fit([joined])
    assert every.transform([apart, joined, joined[1:], [[0.0, np.inf]]]).tolist() == [[np.inf], [0.0], [0.5], [0.5]]
    assert every.set_params(gamma=1.0).transform([apart]).tolist() == [[0.0]]


def test_delay_embeddings_are_those_of_gudhi(rng: np.random.Generator) -> None:
    timedelay = pytest.importorskip("gudhi.point_cloud.timedelay")
    for dimension, delay, stride in ((3, 1, 1), (2, 4, 3), (5, 2, 7), (1, 3, 2)):
        ours = DelayEmbedding(dimension=dimension, delay=delay, stride=stride)
        theirs = timedelay.TimeDelayEmbedding(dim=dimension, delay=delay, skip=stride)
        series = rng.random((4, 50))
        np.testing.assert_array_equal(ours.fit_transform(series), theirs.transform(series))
        ragged = [series[0], series[1, :30]]
        for found, expected in zip(ours.fit_transform(ragged), theirs.transform(ragged)):
            np.testing.assert_array_equal(found, expected)
        channels = rng.random((2, 50, 3))
        of_channels = np.stack([ours.fit_transform(channels[:, :, channel]) for channel in range(3)], axis=2)
        np.testing.assert_array_equal(ours.fit_transform(channels), of_channels.reshape(2, -1, 3 * dimension))
        np.testing.assert_array_equal(ours.transform([channels[0], channels[1, :40]])[0], ours.transform(channels)[0])
    expected = "expected series of 9 values or more, which dimension=3 and delay=4 take"
    with pytest.raises(ValueError, match=rf"^X: {expected}, found shape \(8,\)$"):
        DelayEmbedding(delay=4).fit_transform(np.zeros((2, 8)))
    with pytest.raises(ValueError, match=r"^X\[1\]: expected series of 3 values or more.*found shape \(2,\)$"):
        DelayEmbedding().fit_transform([[1.0, 2.0, 3.0], [1.0, 2.0]])


def test_shortest_paths_are_those_of_rips(rng: np.random.Generator) -> None:
    lengths = [sparse.random_array((30, 30), density=0.06, rng=rng, format="csr") for _ in range(5)]
    graphs = [sparse.triu(graph, 1).tocsr() for graph in lengths]
    graphs = [graph + graph.T for graph in graphs]
    expected = Rips(metric="precomputed", shortest_paths=True).fit_transform(graphs)
    for inputs in (graphs, [sparse.triu(graph) for graph in graphs], [graph.toarray() for graph in graphs]):
        found = make_pipeline(ShortestPaths(), Rips(metric="precomputed")).fit_transform(inputs)
        for one, other in zip(found, expected):
            assert all(np.allclose(bars, of_other) for bars, of_other in zip(one, other))
    steps = ShortestPaths(weighted=False).fit_transform([np.where(graph.toarray() > 0, 7.0, 0.0) for graph in graphs])
    for one, graph in zip(steps, graphs):
        np.testing.assert_array_equal(one == 1, graph.toarray() > 0)
    assert np.isinf(ShortestPaths().fit_transform([np.zeros((2, 2))])[0][0, 1])
    # A stored zero is an edge.
    zero = sparse.csr_array(([0.0], ([0], [1])), shape=(2, 2))
    assert ShortestPaths().fit_transform([zero])[0].tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_graphs_that_are_none_are_refused() -> None:
    square = r"an adjacency matrix of shape \(n, n\), found shape \(2, 3\)"
    for graph, found in ((np.zeros((2, 3)), square), (-np.eye(2), "lengths of edges from 0 up, found -1.0")):
        for one in (graph, sparse.csr_array(graph)):
            with pytest.raises(ValueError, match=rf"^X\[1\]: expected {found}$"):
                ShortestPaths().fit_transform([np.eye(2), one])
    with pytest.raises(ValueError, match="found nan"):
        ShortestPaths().fit_transform([np.array([[0, np.nan], [0, 0]])])
    with pytest.raises(TypeError, match="^weighted: expected True or False, found 'no'$"):
        ShortestPaths(weighted="no").fit_transform([np.eye(2)])


def test_what_is_no_diagram_is_refused() -> None:
    diagram, bars = lacuna_tda.Diagram([[[0.0, 1.0]], []]), np.array([[0.0, 1.0]])
    for transformer in OF_DIAGRAMS:
        fresh = base.clone(transformer)
        for X, message in (
            (diagram, r"X: expected a list of diagrams, found one; \[diagram\] is a list of it"),
            ([], "X: expected a list of diagrams, found none"),
            ([diagram, bars], r"X\[1\]: expected a Diagram, found ndarray; dims=None takes arrays, the bars of one dimension"),
        ):
            with pytest.raises(ValueError, match=f"^{message}$"):
                fresh.fit(X)
        for dims in ((), (1, 1)):
            with pytest.raises(ValueError, match=r"^dims: expected different dimensions, as \(0, 1\), found"):
                base.clone(transformer).set_params(dims=dims).fit([diagram])
        with pytest.raises(TypeError, match="^dims: expected a whole number, found 'H1'$"):
            base.clone(transformer).set_params(dims="H1").fit([diagram])
        with pytest.raises(ValueError, match=r"^X\[0\]: expected an array of shape \(n, 2\) beside dims=None, found a Diagram"):
            base.clone(transformer).set_params(dims=None).fit([diagram])
        with pytest.warns(UserWarning, match="^dims: no diagram has dimension 2, which counts as without bars; max_dim=2"):
            base.clone(transformer).set_params(dims=(1, 2)).fit([diagram])
    with pytest.raises(ValueError, match="^metric: expected bottleneck or wasserstein, found 'hera'$"):
        Amplitude(metric="hera").fit_transform([diagram])


def test_pipelines_are_searched(rng: np.random.Generator) -> None:
    """The loop of a circle is found among clouds of its size, on whichever transformers."""
    angles, radii = rng.uniform(0, 2 * np.pi, (40, 30)), np.ones((40, 30))
    radii[20:] = np.sqrt(rng.random((20, 30)))
    clouds, y = np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=-1), np.repeat([0, 1], 20)
    pipeline = make_pipeline(Rips(threads=1), Landscape(resolution=20), LogisticRegression())
    grid = {"rips__max_dim": [0, 1], "landscape__dims": [0, (0, 1)], "landscape__count": [1, 3]}
    with pytest.warns(UserWarning, match="dims: no diagram"):
        search = GridSearchCV(pipeline, grid, cv=3).fit(list(clouds), y)
    assert search.best_params_["rips__max_dim"] == 1 and search.best_score_ > 0.95
    diagrams = Rips().fit_transform(clouds)
    union = make_union(Lengths(dims=1), Entropy(), PersistenceImage(dims=1, bandwidth=0.2)).set_output(transform="pandas")
    assert union.fit_transform(diagrams).shape == (40, 5 + 2 + 400)
    for estimator in (
        make_pipeline(union, LogisticRegression()),
        make_pipeline(PairwiseDistance(metric="wasserstein", dims=1), KNeighborsClassifier(3, metric="precomputed")),
        make_pipeline(PairwiseDistance(dims=1, gamma=5.0), SVC(kernel="precomputed")),
    ):
        assert cross_val_score(estimator, diagrams, y, cv=4).mean() > 0.95


def test_a_pipeline_makes_data_frames(rng: np.random.Generator) -> None:
    pandas = pytest.importorskip("pandas")
    series = pandas.DataFrame(rng.random((3, 20)), index=["a", "b", "c"]).rename(columns=str)
    pipeline = make_pipeline(DelayEmbedding(), Rips(), Lengths(count=2)).set_output(transform="pandas")
    frame = pipeline.fit_transform(series)
    assert list(frame.columns) == ["h0_length_0", "h0_length_1", "h1_length_0", "h1_length_1"]
    np.testing.assert_array_equal(pipeline[-1].get_feature_names_out(), frame.columns)


@pytest.mark.parametrize("transformer", OF_DIAGRAMS, ids=by_name)
def test_what_was_learned_is_pickled(transformer: Any, rng: np.random.Generator) -> None:
    train, test = lacuna_tda.rips_many(rng.random((3, 12, 2))), lacuna_tda.rips_many(rng.random((2, 12, 2)))
    fitted = base.clone(transformer).fit(train)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).transform(test), fitted.transform(test))


def test_results_are_cached_and_made_in_processes(rng: np.random.Generator, tmp_path: Path) -> None:
    clouds, y = rng.random((12, 10, 2)), np.repeat([0, 1], 6)
    estimator = make_pipeline(Rips(threads=1), Lengths(), LogisticRegression(), memory=str(tmp_path))
    alone = cross_val_score(estimator, clouds, y, cv=3)
    np.testing.assert_array_equal(cross_val_score(estimator, clouds, y, cv=3, n_jobs=2), alone)
    assert any(tmp_path.rglob("*.pkl"))


def test_scikit_learn_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "sklearn" or name == "lacuna_tda.sklearn"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ImportError, match="^lacuna_tda.sklearn needs scikit-learn, which is not installed: pip install scikit-learn$"):
        importlib.import_module("lacuna_tda.sklearn")


def test_an_older_scikit_learn_serves_compat_and_is_refused_here() -> None:
    code = """
import sklearn.base
from sklearn.utils import validation

newer = validation.check_array

def older(array, *, accept_sparse=False, force_all_finite=True):
    return newer(array, accept_sparse=accept_sparse, ensure_all_finite=force_all_finite)

validation.check_array = older
del validation.validate_data
sklearn.__version__ = "1.5.2"
from lacuna_tda.compat.gtda import VietorisRipsPersistence
print(VietorisRipsPersistence().fit_transform([[[0.0, 0.0], [1.0, 0.0]]]).tolist())
import lacuna_tda.sklearn
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.stdout == "[[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]]\n"
    message = "ImportError: lacuna_tda.sklearn needs scikit-learn 1.6 or later, found 1.5.2: pip install -U scikit-learn"
    assert found.stderr.splitlines()[-1] == message


@pytest.mark.parametrize(
    ("transformer", "message"),
    [
        (PairwiseDistance(metric="hera"), "metric: expected bottleneck or wasserstein, found 'hera'"),  # type: ignore[arg-type]
        (PairwiseDistance(metric="wasserstein", order=-3), "order: expected .*, found -3"),
        (PairwiseDistance(gamma=-3), "gamma: expected a finite number, 0 or more, found -3"),
        (PairwiseDistance(threads=-1), "threads: expected 1 or more, or None for one a core, found -1"),
        (Landscape(resolution=-1), "resolution: expected 1 or more, found -1"),
        (Landscape(count=0), "count: expected 1 or more, found 0"),
        (BettiCurve(range=(1, 0)), r"range: expected two finite numbers, the lower first, found \(1, 0\)"),
        (Silhouette(weight=-1), "weight: expected a finite number, 0 or more, found -1"),
        (PersistenceImage(bandwidth=0), "bandwidth: expected a finite number above 0, found 0"),
        (PersistenceImage(range=(0, 1)), "range: expected two pairs, of births and of persistence"),  # type: ignore[arg-type]
    ],
    ids=str,
)
def test_options_are_looked_at_by_fit(transformer: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        transformer.fit_transform([lacuna_tda.rips(SQUARE)])


def test_grids_are_as_fine_as_those_of_functions() -> None:
    diagrams = [lacuna_tda.rips(SQUARE), lacuna_tda.rips(SQUARE * 2)]
    for transformer, function in (
        (Landscape(dims=1, count=1, resolution=10_000), lacuna_tda.landscape),
        (BettiCurve(dims=1, resolution=10_000), lacuna_tda.betti_curve),
        (Silhouette(dims=1, resolution=10_000), lacuna_tda.silhouette),
    ):
        options: dict[str, Any] = {"count": 1} if isinstance(transformer, Landscape) else {}
        expected = function(diagrams, dim=1, resolution=10_000, **options)
        np.testing.assert_allclose(transformer.fit_transform(diagrams), expected.reshape(2, -1), atol=1e-9)
    with pytest.raises(ValueError, match="resolution: expected 10000 or less, found 10001"):
        Landscape(resolution=10_001).fit(diagrams)


def test_ranges_come_as_arrays() -> None:
    diagrams, ends = [lacuna_tda.rips(SQUARE)], ((0.0, 1.0), (0.0, 2.0))
    images = [PersistenceImage(range=range).fit_transform(diagrams) for range in (ends, np.array(ends))]
    assert np.array_equal(*images)


def test_distances_take_the_threads_that_there_are_to_take(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    class Recorded(ThreadPoolExecutor):
        def __init__(self, threads: int) -> None:
            made.append(threads)
            super().__init__(threads)

    monkeypatch.setattr("lacuna_tda.sklearn.ThreadPoolExecutor", Recorded)
    monkeypatch.setattr("lacuna_tda.sklearn.info", lambda: lacuna_tda.info()._replace(threads=2))
    diagrams = [lacuna_tda.rips(SQUARE * k) for k in (1, 2, 3)]
    for threads in (None, 1, 2, 1_000_000):
        PairwiseDistance(threads=threads).fit_transform(diagrams)
    # By default those that may be used, not all of the machine; never more than there are rows.
    assert made == [2, 1, 2, 3]
