"""Bars of tensors and what is made of them: that of arrays, and gradients against differences. Skipped where PyTorch is not installed."""

from __future__ import annotations

import itertools
import runpy
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

import lacuna_tda
import lacuna_tda.torch as topology
from lacuna_tda import _planes

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


def test_channels_are_no_axis_of_space() -> None:
    for call in (topology.cubical, lambda image, batch=False: topology.ecc(image, bins=2, range=(0, 1), batch=batch)):
        for shape, batch in (((3, 8, 9), False), ((2, 4, 8, 8), True)):
            with pytest.warns(UserWarning, match="is taken for a volume of . slices; if they are channels") as warned:
                call(torch.zeros(shape), batch=batch)
            assert [one.filename for one in warned] == [__file__]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            call(torch.zeros(3, 8, 9), batch=True)


@pytest.mark.parametrize(
    "X", [3, np.zeros((3, 2)), torch.zeros(3, 2, dtype=torch.int32), torch.zeros(3, 2, dtype=torch.float16)]
)
def test_what_is_no_tensor_of_floats_is_refused(X: Any) -> None:
    for call in (topology.rips, topology.cubical):
        with pytest.raises(TypeError, match="expected a tensor of"):
            call(X)
    with pytest.raises(ValueError, match="metric: expected euclidean or precomputed"):
        topology.rips(torch.zeros(3, 2), metric="cityblock")  # type: ignore[arg-type]


def clouds(rng: np.random.Generator, counts: list[int]) -> list[Any]:
    """Clouds of points in space, of which a gradient is wanted."""
    return [torch.from_numpy(rng.random((count, 3))).requires_grad_() for count in counts]


def assert_as_each(batch: list[list[Any]], each: list[list[Any]]) -> None:
    """Asserts that a batch has the bars of each input, in as many dimensions."""
    for found, expected in zip(batch, each, strict=True):
        for bars, expected_bars in zip(found, expected, strict=True):
            assert bars.dtype == expected_bars.dtype
            torch.testing.assert_close(bars, expected_bars, rtol=1e-13, atol=0)


@pytest.mark.parametrize("threads", [1, 2])
def test_batches_of_points_have_the_bars_of_each(rng: np.random.Generator, threads: int) -> None:
    several = clouds(rng, [1, 2, 30, 9, 30])
    each = [topology.rips(cloud, max_dim=2) for cloud in several]
    assert_as_each(topology.rips(several, max_dim=2, threads=threads), each)
    assert_as_each(topology.rips(torch.stack([several[2], several[4]]), max_dim=2), [each[2], each[4]])
    distances = [torch.cdist(cloud, cloud) for cloud in several]
    each = [topology.rips(one, max_dim=2, metric="precomputed") for one in distances]
    assert_as_each(topology.rips(distances, max_dim=2, metric="precomputed"), each)
    stacked = torch.stack([distances[2], distances[4]])
    assert_as_each(topology.rips(stacked, max_dim=2, metric="precomputed"), [each[2], each[4]])
    assert topology.rips([]) == topology.rips(torch.zeros(0, 5, 2)) == []


@pytest.mark.parametrize("superlevel", [False, True])
def test_batches_of_images_have_the_bars_of_each(rng: np.random.Generator, superlevel: bool) -> None:
    for shape in ((6, 30), (6, 7, 8), (6, 4, 5, 3), (6, 1, 7, 8)):
        images = torch.from_numpy(rng.random(shape))
        each = [topology.cubical(image, superlevel=superlevel) for image in images]
        assert_as_each(topology.cubical(images, batch=True, superlevel=superlevel), each)
        # In another order in memory.
        assert_as_each(topology.cubical(images.mT.contiguous().mT, batch=True, superlevel=superlevel), each)
    assert topology.cubical(torch.zeros(0, 3, 3), batch=True) == []


def test_gradients_of_batches_are_those_of_differences(rng: np.random.Generator) -> None:
    def all_bars(batch: list[list[Any]]) -> Any:
        return finite([bars for of in batch for bars in of])

    several = clouds(rng, [5, 8, 2])
    assert torch.autograd.gradcheck(lambda *several: all_bars(topology.rips(several)), several)
    stacked = torch.from_numpy(rng.random((3, 7, 2))).requires_grad_()
    assert torch.autograd.gradcheck(lambda stacked: all_bars(topology.rips(stacked)), stacked)
    images = torch.from_numpy(rng.permutation(60).reshape(3, 4, 5) / 10.0).requires_grad_()
    assert torch.autograd.gradcheck(lambda images: all_bars(topology.cubical(images, batch=True)), images)


BARS = [[[0.0, 1.5], [0.25, 0.75], [1.0, 2.5], [0.5, np.inf]], [[3.0, 0.5], [2.0, 1.25]], [], [[0.0, np.inf]]]
"""Bars of four inputs, with some that never end, some that go down, and none."""


def bars_of(several: list[Any]) -> list[Any]:
    return [torch.tensor(bars, dtype=torch.float64).reshape(-1, 2) for bars in several]


def vectors(name: str, bars: Any, **options: Any) -> Any:
    """Vectors of a kind, on grids that no end of a bar is on."""
    ranges = {"persistence_image": ((-0.3, 2.1), (0.1, 3.2))}
    grid = {} if name == "total_persistence" else {"range": ranges.get(name, (-0.31, 3.17))}
    return getattr(topology, name)(bars, **grid, **options)


VECTORS: list[tuple[str, dict[str, Any]]] = [
    ("persistence_image", {"resolution": (5, 4), "bandwidth": 0.4, "weight": 1.5}),
    ("landscape", {"count": 3, "resolution": 17}),
    ("silhouette", {"resolution": 17, "weight": 1.5}),
    ("total_persistence", {"order": 2}),
]


def test_vectors_are_those_of_gudhi() -> None:
    representations = pytest.importorskip("gudhi.representations", exc_type=ImportError)
    up = [np.sort(np.reshape([bar for bar in bars if np.isfinite(bar).all()], (-1, 2))) for bars in BARS]
    expected = {
        "persistence_image": representations.PersistenceImage(
            bandwidth=0.4, weight=lambda bar: bar[1] ** 1.5, resolution=[5, 4], im_range=[-0.3, 2.1, 0.1, 3.2]
        ),
        "landscape": representations.Landscape(num_landscapes=3, resolution=17, sample_range=[-0.31, 3.17]),
        "silhouette": representations.Silhouette(
            weight=lambda bar: (bar[1] - bar[0]) ** 1.5, resolution=17, sample_range=[-0.31, 3.17]
        ),
    }
    for name, options in VECTORS[:3]:
        found = vectors(name, bars_of(BARS), **options)
        for bars, one in zip(up[:2], found):
            np.testing.assert_allclose(one.ravel(), expected[name].fit_transform([bars])[0], rtol=1e-12, atol=1e-12)
        assert torch.all(found[2:] == 0)


def test_total_persistence_is_the_sum_of_powers() -> None:
    assert topology.total_persistence(bars_of(BARS)).tolist() == [3.5, 3.25, 0, 0]
    assert topology.total_persistence(bars_of(BARS), order=2).tolist() == [4.75, 6.8125, 0, 0]


@pytest.mark.parametrize(("name", "options"), VECTORS)
def test_vectors_have_gradients_and_axes_for_inputs(name: str, options: dict[str, Any], rng: np.random.Generator) -> None:
    ends = [bars.requires_grad_() for bars in bars_of(BARS[:3])]
    assert torch.autograd.gradcheck(lambda *ends: vectors(name, ends, **options), ends)
    all_of_them = vectors(name, ends, **options)
    assert len(all_of_them) == 3
    for bars, expected in zip(ends, all_of_them):
        torch.testing.assert_close(vectors(name, bars, **options), expected)
    all_of_them.sum().backward()
    assert all(torch.isfinite(bars.grad).all() for bars in ends)
    # By dimension.
    diagrams = topology.cubical(torch.from_numpy(rng.random((3, 9, 8))), batch=True)
    by_dim = vectors(name, diagrams, dim=1, **options)
    torch.testing.assert_close(by_dim, vectors(name, [of[1] for of in diagrams], **options))
    torch.testing.assert_close(vectors(name, diagrams[0], dim=1, **options), by_dim[0])
    assert torch.all(vectors(name, diagrams[0], dim=7, **options) == 0)


def test_losses_of_images_have_gradients(rng: np.random.Generator) -> None:
    images = torch.from_numpy(rng.permutation(60).reshape(3, 4, 5) / 30.0).requires_grad_()
    for name, options in VECTORS:
        assert torch.autograd.gradcheck(lambda images: vectors(name, topology.cubical(images, batch=True), dim=0, **options), images)


@pytest.mark.parametrize("construction", ["T", "V"])
@pytest.mark.parametrize("superlevel", [False, True])
@pytest.mark.parametrize("shape", [(9,), (7, 8), (4, 5, 3), (1, 7, 8)])
def test_euler_curves_are_means_of_the_exact_ones(
    shape: tuple[int, ...], superlevel: bool, construction: Literal["T", "V"], rng: np.random.Generator
) -> None:
    images = rng.random((2, *shape)) * 3 - 1
    # Some voxels are beyond each end.
    low, high, bins = -0.8, 1.9, 11
    found = topology.ecc(
        torch.from_numpy(images), bins=bins, range=(low, high), construction=construction, superlevel=superlevel, batch=True
    )
    sign = -1 if superlevel else 1
    first, width = min(sign * low, sign * high), (high - low) / bins
    for image, means in zip(images, found, strict=True):
        exact = lacuna_tda.ecc(image, construction=construction, superlevel=superlevel)
        # A change counts with the part of the bin that lies behind it.
        parts = (first + width * np.arange(1, bins + 1) - sign * exact.values[:, None]) / width
        np.testing.assert_allclose(means.numpy(), exact.changes @ parts.clip(0, 1), atol=1e-12)


def test_gradients_of_euler_curves_are_those_of_differences(rng: np.random.Generator) -> None:
    image = torch.from_numpy(rng.permutation(24).reshape(4, 6) / 10.0).requires_grad_()
    for construction in ("T", "V"):
        assert torch.autograd.gradcheck(lambda image: topology.ecc(image, bins=7, range=(0.31, 2.04), construction=construction), image)


def bars_one_by_one(planes: _planes.Sorted, memory: torch.Tensor) -> list[int] | None:
    """What the kernels of merge trees write, by their definition."""
    count, rows, columns = planes.levels.shape
    size, voxels = rows * columns, planes.levels.numel()
    levels = planes.levels.flatten().tolist()
    places = (planes.places.view(count, -1) + size * torch.arange(count)[:, None]).flatten().tolist()
    if np.isnan(levels).any():
        return None
    counts, bars = [0] * (planes.dims * count), []
    for dim in range(planes.dims):
        order = places if dim == 0 else places[::-1]
        times = {voxel: time for time, voxel in enumerate(order)}
        # Of each voxel an older one of its component, and that of what lies outside.
        older, joins = {voxels: voxels}, dict.fromkeys(range(voxels), -1)

        def oldest(end: int, older: dict[int, int] = older) -> int:
            while older[end] != end:
                end = older[end]
            return end

        touch = planes.touch == (dim == 0)
        steps = [step for step in itertools.product((-1, 0, 1), repeat=2) if any(step) and (touch or 0 in step)]
        for voxel in order:
            older[voxel] = voxel
            _, row, column = np.unravel_index(voxel, (count, rows, columns))
            for down, right in steps:
                is_inside = 0 <= row + down < rows and 0 <= column + right < columns
                other = voxel + down * columns + right if is_inside else voxels
                if other not in older or (not is_inside and dim == 0):
                    continue
                ends = sorted({oldest(voxel), oldest(other)}, key=lambda end: -1 if end == voxels else times[end])
                for younger in ends[1:]:
                    older[younger], joins[younger] = ends[0], times[voxel]
        for voxel, joined in joins.items():
            birth, death = (times[voxel], joined) if dim == 0 else (voxels - 1 - joined, voxels - 1 - times[voxel])
            if levels[birth] <= planes.threshold and (joined < 0 or levels[birth] < levels[death]):
                dies = joined >= 0 and levels[death] <= planes.threshold
                counts[dim * count + birth // size] += 1
                bars.append(((dim << 62) + (birth << 31) + max(death, 0), (places[death] if dies else -1) << 32 | places[birth]))
    # In any order.
    for row, words in zip(memory[1:3], zip(*bars[::-1], strict=True), strict=False):
        row[: len(bars)] = torch.tensor(words)
    return counts


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("construction", ["T", "V"])
@pytest.mark.parametrize("superlevel", [False, True])
def test_planes_that_stay_on_their_device_have_the_same_bars(
    superlevel: bool, construction: Literal["T", "V"], device: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    if device == "cpu":
        monkeypatch.setattr(_planes, "_bars", bars_one_by_one)
    elif not torch.cuda.is_available():
        pytest.skip("no GPU that PyTorch can use")
    sizes = [(1, 2, 2), (3, 2, 9), (2, 12, 13), (1, 40, 31)] + [(50, 70, 90), (3, 513, 257)] * (device == "cuda")
    for levels in (2, 5, 1000):
        for shape in sizes:
            planes = torch.from_numpy(rng.integers(0, levels, shape) / 4 - 0.25)
            planes[planes == 0] *= -1
            planes[torch.from_numpy(rng.random(shape) < 0.1)] = np.inf * rng.choice([-1, 1])
            for max_dim, threshold in ((None, None), (0, None), (1, 0.5), (5, -np.inf)):
                options: Any = {"construction": construction, "superlevel": superlevel, "max_dim": max_dim, "threshold": threshold}
                answers = []
                for is_on_device in (False, True):
                    leaf = planes.to(device if is_on_device else "cpu", copy=True).requires_grad_()
                    if is_on_device:
                        bars = topology._bars_of_planes(leaf, options)
                    else:
                        bars = topology.cubical(leaf, batch=True, **options)
                    # The gradient tells which voxels the bars are of.
                    ends = [of.cpu() for one in bars for of in one]
                    weights = [(k + 1) * torch.arange(1.0, 1 + of.numel()).view(of.shape) for k, of in enumerate(ends)]
                    weighted = [(weight * of).where(of.isfinite(), 0.0).sum() for weight, of in zip(weights, ends, strict=True)]
                    torch.stack(weighted).sum().backward()
                    answers.append(([len(one) for one in bars], ends, leaf.grad.cpu()))
                for found, expected in zip(answers[1], answers[0], strict=True):
                    torch.testing.assert_close(found, expected, rtol=0, atol=0)


def test_the_processor_takes_over_from_a_gpu_that_fails(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    class OnDevice(torch.Tensor):
        is_cuda = True

    def fail(*_: object) -> None:
        raise RuntimeError("no driver")

    monkeypatch.setattr(topology, "_bars_of_planes", fail)
    plane = torch.from_numpy(rng.random((6, 7)))
    there = plane.as_subclass(OnDevice)
    with pytest.warns(UserWarning, match="the processor takes over from the GPU: no driver"):
        found = topology.cubical(there)
    for bars, expected in zip(found, topology.cubical(plane), strict=True):
        assert (bars == expected).all()
    with pytest.raises(RuntimeError, match="no driver"):
        topology.cubical(there, backend="cuda")


def test_bars_of_a_batch_have_gradients_of_their_own(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_planes, "_bars", bars_one_by_one)
    planes = torch.from_numpy(rng.random((3, 5, 6))).requires_grad_()
    gradients = []
    # Bars as they are found, those that are cut, those whose gradients are wanted, and copies.
    for change in (None, lambda bar: bar, lambda bar: bar.retain_grad() or bar, lambda bar: bar.clone(), lambda bar: bar.flip(1)):
        bars = topology._bars_of_planes(planes, {})
        changed: Any = bars if change is None else [[change(of) for of in one] for one in bars]
        planes.grad = None
        (topology.total_persistence(changed, dim=0).sum() + 2 * topology.total_persistence(changed[1:], dim=1).sum()).backward()
        gradients.append(planes.grad)
        for k, one in enumerate(changed):
            for dim, of in enumerate(one):
                if of.retains_grad:
                    factor = 1 if dim == 0 else 2 * (k > 0)
                    expected = factor * torch.tensor([-1.0, 1.0]).where(of.isfinite().all(dim=1, keepdim=True), 0.0).double()
                    torch.testing.assert_close(expected if of.grad is None else of.grad, expected)
                    assert (of.grad is None) == (factor == 0)
    for gradient in gradients[1:]:
        torch.testing.assert_close(gradient, gradients[0])


def test_tori_and_parts_of_images(rng: np.random.Generator) -> None:
    images = torch.from_numpy(rng.random((3, 6, 7))).requires_grad_()
    mask = images[0].detach() > 0.2
    for options in ({"periodic": True}, {"periodic": (1,)}, {"mask": mask}, {"mask": mask, "periodic": (0, 1)}, {"verify": True}):
        numbers = {**options, "mask": mask.numpy() if "mask" in options else None}
        found = topology.cubical(images, batch=True, **options)
        expected = lacuna_tda.cubical_many(images.detach().numpy(), **numbers)
        for bars, diagram in zip(found, expected, strict=True):
            for of_dim, known in zip(bars, diagram, strict=True):
                np.testing.assert_array_equal(of_dim.detach().numpy(), known)


def test_images_on_a_gpu_keep_what_is_made_of_them_there(rng: np.random.Generator) -> None:
    if not torch.cuda.is_available():
        pytest.skip("no GPU that PyTorch can use")
    images = torch.from_numpy(rng.random((5, 20, 20)))
    points = torch.from_numpy(rng.random((5, 20, 2)))
    for call, tensor in ((lambda x: topology.cubical(x, batch=True), images), (topology.rips, points)):
        gradients = []
        for device in ("cpu", "cuda"):
            there = tensor.to(device).detach().requires_grad_()
            loss = vectors("persistence_image", call(there), dim=1).square().sum()
            assert loss.device.type == device
            loss.backward()
            gradients.append(there.grad.cpu())
        torch.testing.assert_close(*gradients)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: topology.rips([torch.zeros(3, 2), torch.zeros(3, 3)]), "expected tensors of one type and device"),
        (lambda: topology.rips([torch.zeros(3, 2), torch.zeros(3, 2).double()]), "expected tensors of one type and device"),
        (lambda: topology.rips(torch.tensor([[[0.0], [np.nan]]])), "input 0: coordinate 0 of point 1: expected a finite number"),
        (lambda: topology.rips(torch.zeros(1, 2, 3, 4)), r"found an array of shape \(1, 2, 3, 4\)"),
        (lambda: topology.cubical(torch.tensor([[0.0, 1.0], [np.nan, 0.0]]), batch=True), r"input 1: voxel \[0\]: expected a number"),
        (lambda: topology.cubical(torch.zeros(3), batch=True), r"expected several images.* found shape \(3,\)"),
        (lambda: topology.landscape(torch.zeros(3, 3), range=(0, 1)), r"expected births and deaths of shape \(n, 2\), found.* \(3, 3\)"),
        (lambda: topology.total_persistence([[torch.zeros(3, 2)]]), "dim is missing"),
        (lambda: topology.landscape([], range=(0, 1)), "expected the bars of one input or more, found none"),
        (lambda: topology.landscape(torch.zeros(3, 2), range=(0, np.inf)), r"range: expected two finite numbers, .*, found \(0, inf\)"),
        (
            lambda: topology.landscape(torch.zeros(3, 2), range=0),  # type: ignore[arg-type]
            "range: expected two numbers, the lower first, found 0",
        ),
        (lambda: topology.landscape(torch.zeros(3, 2), range=(1, 0)), r"range: expected two finite numbers, .*, found \(1, 0\)"),
        (lambda: topology.silhouette(torch.zeros(3, 2), range=(0, 1), weight=-1), "weight: expected a finite number, 0 or more, found -1"),
        (lambda: topology.total_persistence([[], []], dim=0), "expected the bars of one input or more, found none"),
        (
            lambda: topology.persistence_image(torch.zeros(3, 2), range=((0, 1), None)),  # type: ignore[arg-type]
            "range: expected two pairs, of births and of persistence",
        ),
        (lambda: topology.landscape(torch.zeros(3, 2), range=(0, 1), dim=1), "dim: expected beside bars of all dimensions"),
        (
            lambda: topology.persistence_image(torch.zeros(3, 2), range=0),  # type: ignore[arg-type]
            "range: expected two pairs, of births and of persistence",
        ),
        (lambda: topology.persistence_image(torch.zeros(3, 2), range=((0, 1), (0, 1)), bandwidth=0), "bandwidth: expected a finite number"),
        (lambda: topology.ecc(torch.tensor([0.0, np.nan]), bins=3, range=(0, 1)), "expected an image of numbers, found NaN"),
        (lambda: topology.ecc(torch.zeros(3, 2), bins=3, range=(1, 0)), "range: expected two finite numbers in ascending order"),
        (
            lambda: topology.ecc(torch.zeros(3, 2), bins=3, range=(0, 1), construction="U"),  # type: ignore[arg-type]
            "construction: expected T or V, found 'U'",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_options_are_taken_as_numpys_functions_take_them() -> None:
    bars, ends = torch.tensor([[0.0, 1.0], [0.5, 3.0]]), ((0.0, 1.0), (0.0, 3.0))
    found = topology.persistence_image(bars, range=ends, resolution=6)
    np.testing.assert_allclose(found, lacuna_tda.persistence_image(bars, range=ends, resolution=6), rtol=1e-5)
    image = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    for construction in ("t", "v"):
        curve = topology.ecc(image, bins=2, range=(0, 1), construction=construction)  # type: ignore[arg-type]
        upper = topology.ecc(image, bins=2, range=(0, 1), construction=construction.upper())  # type: ignore[arg-type]
        assert torch.equal(curve, upper)
    assert topology.total_persistence([[], [bars]], dim=0).tolist() == [0.0, 3.5]


def test_points_are_optimised() -> None:
    before, after = runpy.run_path(str(EXAMPLES / "optimise_points.py"))["main"](["--points", "30", "--steps", "60"])
    assert after > 3 * before


def test_images_are_cleaned() -> None:
    before, after = runpy.run_path(str(EXAMPLES / "clean_images.py"))["main"](["--images", "3", "--side", "40", "--steps", "40"])
    # A loop and a component of each image stay.
    assert after == 3 * 2 and before > 10 * after
