"""Bars of arrays of JAX: those of NumPy's, compiled or not, and gradients against differences. Skipped where JAX is not installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lacuna_tda
import lacuna_tda.jax as topology

jax = pytest.importorskip("jax", exc_type=ImportError)
jnp = jax.numpy


@pytest.fixture(autouse=True)
def double_precision() -> Iterator[None]:
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def assert_longest(found: Any, diagram: lacuna_tda.Diagram) -> None:
    """Asserts that an array holds the longest bars of each dimension, and zeros where there are no more."""
    assert len(found) >= len(diagram)
    for dim, bars in enumerate(np.asarray(found)):
        lengths = np.abs(np.diff(diagram.bars(dim), axis=1)).ravel()
        expected = diagram.bars(dim)[np.argsort(-lengths, kind="stable")][: len(bars)]
        np.testing.assert_allclose(bars[: len(expected)], expected, rtol=1e-12)
        assert np.all(bars[len(expected) :] == 0)


@pytest.mark.parametrize("wrapped", [lambda call: call, jax.jit], ids=["plain", "jit"])
@pytest.mark.parametrize("max_bars", [4, 60])
def test_bars_are_those_of_arrays(wrapped: Callable[..., Any], max_bars: int, rng: np.random.Generator) -> None:
    points = rng.random((40, 3))
    found = wrapped(lambda X: topology.rips(X, max_bars=max_bars, max_dim=2))(points)
    assert found.shape == (3, max_bars, 2)
    assert_longest(found, lacuna_tda.rips(points, max_dim=2))
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    found = wrapped(lambda X: topology.rips(X, max_bars=max_bars, max_dim=2, metric="precomputed"))(distances)
    assert_longest(found, lacuna_tda.rips(points, max_dim=2))
    assert_longest(wrapped(lambda X: topology.rips(X, max_bars=2, max_dim=3))(points[:2]), lacuna_tda.rips(points[:2], max_dim=3))
    for shape in ((30,), (7, 8), (4, 5, 6), (1, 7, 8)):
        image = rng.random(shape)
        several: list[dict[str, Any]] = [{}, {"superlevel": True, "construction": "V"}, {"threshold": 0.5, "max_dim": 0}]
        for options in several:
            found = wrapped(lambda image, options=options: topology.cubical(image, max_bars=max_bars, **options))(image)
            diagram = lacuna_tda.cubical(image, **options)
            assert found.shape == (len(diagram), max_bars, 2)
            assert_longest(found, diagram)


def finite(bars: Any) -> Any:
    return jnp.where(jnp.isfinite(bars), bars, 0)


def test_gradients_are_those_of_differences(rng: np.random.Generator) -> None:
    from jax.test_util import check_grads

    points, image = rng.random((12, 3)), rng.random((6, 7))
    square = np.linalg.norm(points[:, None] - points, axis=2)
    off = 1 - np.eye(12)
    calls: list[tuple[Callable[..., Any], Any]] = [
        (lambda X: finite(topology.rips(X, max_bars=20, max_dim=2)), points),
        (lambda X: finite(topology.rips(X * off, max_bars=20, metric="precomputed")), square),
        (lambda image: finite(topology.cubical(image, max_bars=9)), image),
        (lambda image: finite(topology.cubical(image, max_bars=9, superlevel=True)), image),
    ]
    for call, array in calls:
        check_grads(jax.jit(call), (jnp.asarray(array),), order=1, modes=["fwd", "rev"], eps=1e-6)


def test_batches_have_the_bars_and_gradients_of_each(rng: np.random.Generator) -> None:
    images = rng.random((2, 3, 6, 7))

    def loss(image: Any) -> Any:
        return (finite(topology.cubical(image, max_bars=5)) ** 2).sum()

    found = jax.jit(jax.vmap(jax.vmap(jax.grad(loss))))(images)
    for row, expected in zip(found, images):
        for gradient, image in zip(row, expected):
            np.testing.assert_allclose(gradient, jax.grad(loss)(image), rtol=1e-12)


def test_images_that_close_up_have_one_dimension_more(rng: np.random.Generator) -> None:
    for shape, axes, dims in (((4, 5), True, 3), ((4, 5), (0, -1), 3), ((4, 5), (1,), 2), ((1, 4, 5), (1, 2), 3), ((3, 4, 5), (0, 2), 3)):
        image = rng.random(shape)
        found = topology.cubical(image, max_bars=40, periodic=axes, mask=image > 0.1, verify=False)
        expected = lacuna_tda.cubical(image, periodic=axes, mask=image > 0.1)
        assert len(found) == len(expected) == dims
        for bars, of_dim in zip(found, expected, strict=True):
            there = bars[~np.isnan(bars[:, 0]) & (bars[:, 0] != bars[:, 1])]
            np.testing.assert_array_equal(sorted(there.tolist()), sorted(of_dim.tolist()))


def test_equal_points_have_a_gradient(rng: np.random.Generator) -> None:
    points = np.repeat(rng.random((6, 2)), 2, axis=0)
    gradient = jax.grad(lambda X: finite(topology.rips(X, max_bars=12)).sum())(points)
    assert np.isfinite(gradient).all() and np.abs(gradient).sum() > 0


def test_what_does_not_fit_is_refused() -> None:
    for call in (topology.rips, topology.cubical):
        with pytest.raises(TypeError, match="expected an array of type float32 or float64, found int64"):
            call(np.zeros((3, 2), dtype=np.int64), max_bars=1)
        with pytest.raises(ValueError, match="max_bars: expected 1 or more, found 0"):
            call(np.zeros((3, 2)), max_bars=0)
    with pytest.raises(ValueError, match=r"found an array of shape \(1, 3, 2\); jax.vmap takes several"):
        topology.rips(np.zeros((1, 3, 2)), max_bars=1)
    with pytest.raises(ValueError, match="metric: expected euclidean or precomputed, found 'cityblock'"):
        topology.rips(np.zeros((3, 2)), max_bars=1, metric="cityblock")  # type: ignore[arg-type]
    with pytest.raises(Exception, match="input 0: coordinate 1 of point 0: expected a finite number, found NaN"):
        jax.block_until_ready(jax.jit(lambda X: topology.rips(X, max_bars=1))(np.array([[0.0, np.nan]])))
