"""Bars of tensors: those of arrays, and their gradients against differences. Skipped where PyTorch is not installed."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import lacuna_tda
import lacuna_tda.torch as topology

torch = pytest.importorskip("torch", exc_type=ImportError)

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def assert_same(found: list[Any], diagram: lacuna_tda.Diagram, tolerance: float) -> None:
    """Asserts that tensors hold the bars of a diagram, in its order."""
    assert len(found) == len(diagram)
    for tensor, bars in zip(found, diagram, strict=True):
        np.testing.assert_allclose(tensor.detach().numpy(), bars, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-14), (np.float32, 1e-6)])
def test_bars_are_those_of_arrays(rng: np.random.Generator, dtype: type, tolerance: float) -> None:
    points: NDArray[Any] = rng.random((40, 3)).astype(dtype)
    found = topology.rips(torch.from_numpy(points), max_dim=2)
    assert all(bars.dtype == torch.from_numpy(points).dtype for bars in found)
    assert_same(found, lacuna_tda.rips(points, max_dim=2), tolerance)
    image: NDArray[Any] = rng.random((9, 8, 7)).astype(dtype)
    several: list[dict[str, Any]] = [{}, {"superlevel": True, "construction": "V"}, {"threshold": 0.5, "max_dim": 1}]
    for options in several:
        assert_same(topology.cubical(torch.from_numpy(image), **options), lacuna_tda.cubical(image, **options), 0)


def finite(diagrams: list[Any]) -> Any:
    """All births and deaths that are finite, in one tensor."""
    return torch.cat([bars[torch.isfinite(bars).all(dim=1)].ravel() for bars in diagrams])


@pytest.mark.parametrize("options", [{"max_dim": 2}, {"max_dim": 1, "threshold": 0.7}, {"max_dim": 1, "modulus": 3}])
def test_gradients_of_points_are_those_of_differences(rng: np.random.Generator, options: dict[str, Any]) -> None:
    points = torch.from_numpy(rng.random((14, 3))).requires_grad_()
    assert len(finite(topology.rips(points, **options))) > 13
    assert torch.autograd.gradcheck(lambda points: finite(topology.rips(points, **options)), points)


def test_gradients_of_distances_are_those_of_differences(rng: np.random.Generator) -> None:
    square = rng.random((12, 12)) + 1
    square += square.T
    np.fill_diagonal(square, 0)
    distances = torch.from_numpy(square).requires_grad_()

    def bars(distances: Any) -> Any:
        # The diagonal stays what it is: a distance from a point to itself is no argument.
        off = distances * (1 - torch.eye(12, dtype=torch.float64))
        return finite(topology.rips(off, metric="precomputed", max_dim=2))

    assert torch.autograd.gradcheck(bars, distances)


@pytest.mark.parametrize("options", [{}, {"superlevel": True}, {"construction": "V"}])
@pytest.mark.parametrize("shape", [(30,), (7, 8), (4, 5, 6)])
def test_gradients_of_images_are_those_of_differences(
    rng: np.random.Generator, shape: tuple[int, ...], options: dict[str, Any]
) -> None:
    image = torch.from_numpy(rng.permutation(np.prod(shape)).reshape(shape) / 10.0).requires_grad_()
    assert torch.autograd.gradcheck(lambda image: finite(topology.cubical(image, **options)), image)


def test_equal_points_have_a_gradient(rng: np.random.Generator) -> None:
    points = torch.from_numpy(np.repeat(rng.random((6, 2)), 2, axis=0)).requires_grad_()
    finite(topology.rips(points)).sum().backward()
    assert torch.isfinite(points.grad).all() and points.grad.abs().sum() > 0


def test_what_has_no_bars() -> None:
    one = topology.rips(torch.zeros(1, 2, dtype=torch.float64, requires_grad=True))
    assert one[0].tolist() == [[0.0, np.inf]]
    two = topology.rips(torch.tensor([[0.0], [2.0]]), max_dim=1)
    assert two[0].tolist() == [[0.0, 2.0], [0.0, np.inf]]


@pytest.mark.parametrize(
    "X", [np.zeros((3, 2)), torch.zeros(3, 2, dtype=torch.int32), torch.zeros(3, 2, dtype=torch.float16)]
)
def test_what_is_no_tensor_of_floats_is_refused(X: Any) -> None:
    for call in (topology.rips, topology.cubical):
        with pytest.raises(TypeError, match="expected a tensor of"):
            call(X)
    with pytest.raises(ValueError, match="metric: expected euclidean or precomputed"):
        topology.rips(torch.zeros(3, 2), metric="cityblock")  # type: ignore[arg-type]


def test_points_are_optimised() -> None:
    before, after = runpy.run_path(str(EXAMPLES / "optimise_points.py"))["main"](["--points", "30", "--steps", "60"])
    assert after > 3 * before
