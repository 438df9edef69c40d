"""Euler characteristic transforms against direction by direction in NumPy, against each other, and against PyTorch's gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import lacuna_tda

Cells = list[NDArray[np.int64]]
RING = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]], dtype=np.uint8)


def plain(points: Any, cells: Cells, directions: Any, heights: Any) -> NDArray[np.float64]:
    """The transform by its definition."""
    rows = []
    for direction in np.asarray(directions, dtype=float):
        above = points @ direction
        # The last height is the greatest but for rounding.
        entered = [above, *(above[of].max(axis=1) for of in cells)]
        rows.append([sum((-1) ** dim * np.count_nonzero(of <= height + 1e-9) for dim, of in enumerate(entered)) for height in heights])
    return np.array(rows, dtype=float)


def random_mesh(seed: int) -> tuple[NDArray[np.float64], Cells]:
    """Random points with edges and triangles."""
    random = np.random.default_rng(seed)
    return random.standard_normal((20, 3)), [random.integers(0, 20, (30, 2)), random.integers(0, 20, (11, 3))]


@pytest.mark.parametrize("seed", range(5))
def test_complexes_are_those_of_the_definition(seed: int) -> None:
    points, cells = random_mesh(seed)
    found = lacuna_tda.ect(points, cells, directions=33, bins=14)
    assert found.values.shape == (33, 14) and found.directions.shape == (33, 3)
    assert found.heights[-1] == pytest.approx(np.linalg.norm(points, axis=1).max())
    assert np.array_equal(found.values, plain(points, cells, found.directions, found.heights))
    scattered = lacuna_tda.ect(points, [], directions=3, bins=14, radius=1.5)
    assert np.array_equal(scattered.values, plain(points, [], scattered.directions, scattered.heights))


def test_images_in_either_order_and_centers() -> None:
    random = np.random.default_rng(1)
    image = random.integers(0, 3, (7, 9, 5))
    found = lacuna_tda.ect(image, directions=20, bins=12)
    for same in (np.asfortranarray(image), image.astype(np.float32), image != 0):
        assert np.array_equal(lacuna_tda.ect(same, directions=20, bins=12).values, found.values)
    wide = np.zeros((30, 40, 20), dtype=np.int64)
    wide[3:10, 30:39, 1:6] = image
    moved, there = (lacuna_tda.ect(of, directions=20, bins=12, center="box", weighted=True) for of in (image, wide))
    assert np.array_equal(moved.values, there.values)
    with pytest.raises(ValueError, match="directions of 3 components, found 2"):
        lacuna_tda.ect(image, directions=[[1.0, 0.0]])


def test_weights_and_options() -> None:
    found = lacuna_tda.ect(RING, directions=[[2, 0]], bins=9)
    assert found.directions.tolist() == [[1, 0]] and found.values.tolist() == [[0, 0, 1, 1, 1, 1, 1, 0, 0]]
    assert np.array_equal(lacuna_tda.ect(3 * RING, directions=[[1, 0]], bins=9, weighted=True).values, 3 * found.values)
    smooth = lacuna_tda.ect(RING, directions=[[1, 0]], bins=9, smooth=True)
    assert np.allclose(smooth.values, np.cumsum(found.values - found.values.mean(axis=1, keepdims=True), axis=1))
    assert lacuna_tda.ect(RING, directions=8, bins=5, construction="T").values[:, -1].tolist() == [0] * 8
    ends, edges = np.array([[-1.0, 0.0], [1.0, 0.0]]), np.array([[0, 1]])
    up = [[1.0, 0.0]]
    assert lacuna_tda.ect(ends, [edges], directions=up, bins=2, weights=[2, 5]).values.tolist() == [[2, 2]]
    assert lacuna_tda.ect(ends, [(edges, [4])], directions=up, bins=2, weights=[2, 5]).values.tolist() == [[2, 3]]
    assert repr(found) == "<EulerTransform of 1 directions and 9 heights up to 1.41421>"
    assert lacuna_tda.ect(np.zeros((0, 2)), [], directions=3, bins=4).values.tolist() == [[0] * 4] * 3


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((RING,), {"directions": 0}, ValueError, "directions: expected 1 or more, found 0"),
        ((RING,), {"directions": [[0.0, 0.0]]}, ValueError, "finite vectors other than 0"),
        ((RING,), {"directions": [1.0, 0.0]}, ValueError, r"directions: expected an array of shape \(n, d\)"),
        ((RING,), {"bins": 0}, ValueError, "bins: expected 1 or more, found 0"),
        ((RING,), {"radius": 1e-310}, ValueError, "it is from 1e-290 to 1e300"),
        ((RING, []), {"construction": "T"}, ValueError, "construction: expected beside an image, found cells"),
        ((RING, []), {"directions": 10**12}, MemoryError, "fewer directions or bins take less"),
        ((RING,), {"radius": -1}, ValueError, "radius: expected a positive finite number, found -1"),
        ((RING,), {"center": "top"}, ValueError, "center: expected"),
        ((RING,), {"construction": "U"}, ValueError, "construction: expected"),
        ((RING,), {"backend": "cuda"}, ValueError, "backend: expected auto or cpu, found cuda"),
        ((RING,), {"weights": [1.0]}, ValueError, "weights: expected beside cells"),
        (([[0.0]], [], ), {"weighted": True}, ValueError, "weighted: expected beside an image, found cells"),
        (([[0.0, 0.0]], [[[0, 1]]]), {}, ValueError, "cell 0 of dimension 1: expected vertices below 1, found 1"),
        (([[0.0, 0.0]], [[[0, -1]]]), {}, ValueError, "cell 0 of dimension 1: expected vertices below 1, found -1"),
        (([[0.0, 0.0]], [np.array([[0, 2**63]], dtype=np.uint64)]), {}, ValueError, f"cells of dimension 1: expected indices of vertices, found {2**63}"),
        (([[0.0, 0.0]], [[[0.0, 1.0]]]), {}, TypeError, "cells of dimension 1: expected whole numbers"),
        (([[0.0, 0.0]], []), {"weights": [1.0, 2.0]}, ValueError, "weights of vertices: expected 1, found 2"),
        ((np.array([np.inf, 1.0]),), {"weighted": True, "directions": 1}, ValueError, "expected finite coordinates and weights, found inf"),
    ],
)
def test_wrong_arguments(arguments: Any, options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        lacuna_tda.ect(*arguments, **options)


def test_the_differentiable_transform_is_near_and_has_gradients() -> None:
    torch = pytest.importorskip("torch")
    topology = pytest.importorskip("lacuna_tda.torch")
    points, cells = random_mesh(7)
    exact = lacuna_tda.ect(points, cells, directions=10, bins=25, radius=4.0)
    vertices, vectors = (torch.tensor(of, requires_grad=True) for of in (points, exact.directions))
    # Where no height is near to a sample.
    heights = points @ exact.directions.T
    sure = np.abs(heights[:, :, None] - exact.heights).min(axis=0) > 1e-3
    near = topology.ect(vertices, cells, directions=vectors, bins=25, radius=4.0, scale=1e5)
    assert sure.any() and np.allclose(near.detach().numpy()[sure], exact.values[sure])
    few, edges = vertices[:6], [torch.tensor([[0, 1], [2, 5]]), torch.tensor([[1, 2, 4]])]
    few, vectors = few.detach().requires_grad_(), vectors[:4].detach().requires_grad_()
    assert torch.autograd.gradcheck(lambda x, v: topology.ect(x, edges, directions=v, bins=5, radius=2.0, scale=3.0), (few, vectors))
    for options, error, message in [
        ({"radius": 0.0}, ValueError, "radius: expected a positive number, found 0.0"),
        ({"scale": float("inf")}, ValueError, "scale: expected a positive number, found inf"),
        ({"directions": vectors[:, :2]}, ValueError, "found tensors of shapes"),
        ({"directions": exact.directions}, TypeError, "expected a tensor of PyTorch"),
    ]:
        with pytest.raises(error, match=message):
            topology.ect(few, edges, **{"directions": vectors, "bins": 5, "radius": 2.0, "scale": 3.0, **options})


# Indices from the end, and those that JAX would clamp, are no vertices.
BAD_CELLS = [
    ([[0, 20]], "expected vertices below 20, found 20"),
    ([[0, -1]], "expected vertices below 20, found -1"),
    (([[0, 1]], [1.0]), "found a pair; cells have no weights here"),
]


@pytest.mark.parametrize("package", ["torch", "jax"])
def test_cells_of_the_differentiable_transforms_are_checked(package: str) -> None:
    of = pytest.importorskip(package)
    topology = pytest.importorskip(f"lacuna_tda.{package}")
    points = of.zeros((20, 3)) if package == "torch" else of.numpy.zeros((20, 3))
    options: dict[str, Any] = {"directions": points[:4], "bins": 5, "radius": 1.0, "scale": 2.0}
    assert np.array_equal(topology.ect(points, [[]], **options), topology.ect(points, **options))
    for cells, message in BAD_CELLS:
        with pytest.raises(ValueError, match=message):
            topology.ect(points, [cells], **options)


def test_jax_has_the_same_transform_and_gradient() -> None:
    jax = pytest.importorskip("jax")
    torch = pytest.importorskip("torch")
    points, cells = random_mesh(3)
    vectors = lacuna_tda.ect(points, cells, directions=5, bins=2).directions
    options: dict[str, Any] = {"bins": 7, "radius": 3.0, "scale": 2.0}
    tensors = [torch.tensor(of, dtype=torch.float32, requires_grad=True) for of in (points, vectors)]
    expected = pytest.importorskip("lacuna_tda.torch").ect(tensors[0], cells, directions=tensors[1], **options)
    topology = pytest.importorskip("lacuna_tda.jax")
    arrays = [np.asarray(of, dtype=np.float32) for of in (points, vectors)]
    found = jax.jit(lambda x, v: topology.ect(x, cells, directions=v, **options))(*arrays)
    assert np.allclose(found, expected.detach().numpy(), atol=1e-4)
    expected.square().sum().backward()
    gradients = jax.grad(lambda x, v: (topology.ect(x, cells, directions=v, **options) ** 2).sum(), argnums=(0, 1))(*arrays)
    for found, tensor in zip(gradients, tensors):
        assert np.allclose(found, tensor.grad.numpy(), rtol=1e-3, atol=1e-2)
