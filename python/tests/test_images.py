"""Bars, curves and skeletons of images, against what their definitions say."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from numpy.typing import NDArray

import lacuna_tda
from conftest import assert_same_bars
from lacuna_tda import _options

TYPES = ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8"]


def euler_by_cells(image: NDArray[np.float64], value: float) -> int:
    """The Euler characteristic of the voxels up to a value as closed cubes: every cell that one of them has."""
    cells = set()
    for place in np.argwhere(image <= value):
        for corner in itertools.product((0, 1, 2), repeat=image.ndim):
            cells.add(tuple(2 * at + along for at, along in zip(place, corner)))
    return sum((-1) ** sum(at % 2 for at in cell) for cell in cells)


@pytest.mark.parametrize("shape", [(7,), (5, 6), (4, 3, 5), (3, 2, 4, 3)])
def test_curves_count_cells_and_bars(shape: tuple[int, ...], rng: np.random.Generator) -> None:
    image = rng.integers(0, 9, shape).astype(np.float64)
    curve = lacuna_tda.ecc(image)
    assert curve.values.tolist() == sorted(set(image.ravel()))
    assert curve.euler.tolist() == [euler_by_cells(image, value) for value in curve.values]
    for construction in ("T", "V"):
        diagram = lacuna_tda.cubical(image, construction=construction)
        curve = lacuna_tda.ecc(image, construction=construction)
        signs = (-1) ** np.arange(len(diagram))
        assert [int(diagram.betti(value) @ signs) for value in curve.values] == curve.euler.tolist()


@pytest.mark.parametrize("dtype", TYPES)
def test_every_type_of_voxel(dtype: str, rng: np.random.Generator) -> None:
    image = rng.integers(0, 100, (6, 7, 8))
    expected = lacuna_tda.cubical(image.astype(np.float64))
    for other in (image.astype(dtype), image.astype(dtype).astype(">" + dtype), np.asfortranarray(image.astype(dtype))):
        found = lacuna_tda.cubical(other)
        for dim, bars in enumerate(expected):
            assert_same_bars(found.bars(dim), bars)


def test_images_that_need_a_copy(rng: np.random.Generator) -> None:
    image = rng.random((20, 30))
    assert lacuna_tda.cubical(image[::2, ::3]) == lacuna_tda.cubical(image[::2, ::3].copy())
    assert lacuna_tda.cubical(image > 0.5) == lacuna_tda.cubical((image > 0.5).astype(np.uint8))
    half = image.astype(np.float16)
    assert lacuna_tda.cubical(half) == lacuna_tda.cubical(half.astype(np.float32))
    unaligned = np.frombuffer(b"x" + image.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(image.shape)
    assert lacuna_tda.cubical(unaligned) == lacuna_tda.cubical(image)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("superlevel", [False, True])
@pytest.mark.parametrize("shape", [(9, 8, 7), (4, 5, 3, 4)])
def test_locations_have_the_values_of_bars(
    order: str, superlevel: bool, shape: tuple[int, ...], rng: np.random.Generator
) -> None:
    image = np.array(rng.random(shape), order=order)
    diagram = lacuna_tda.cubical(image, superlevel=superlevel, locations=True)
    assert diagram.locations is not None and len(diagram.locations) == len(diagram) == len(shape)
    for bars, (births, deaths) in zip(diagram, diagram.locations):
        np.testing.assert_array_equal(image[tuple(births.T)], bars[:, 0])
        finite = np.isfinite(bars[:, 1])
        np.testing.assert_array_equal(image[tuple(deaths[finite].T)], bars[finite, 1])
        assert np.all(deaths[~finite] == -1)
    assert diagram.bars(0)[np.isinf(diagram.bars(0)[:, 1]), 1].tolist() == [-np.inf if superlevel else np.inf]
    assert lacuna_tda.cubical(image).locations is None


def test_thresholds_and_dimensions() -> None:
    line = np.array([1.0, 9.0, 0.5, 7.0, 3.0])
    found = lacuna_tda.cubical(line, threshold=8).bars(0)
    assert_same_bars(found, np.array([[0.5, np.inf], [1.0, np.inf], [3.0, 7.0]]))
    big = np.array([0, 2**63 + 2048, 0], dtype=np.uint64)
    assert len(lacuna_tda.cubical(big, threshold=2**63 + 2047).bars(0)) == 2
    assert len(lacuna_tda.cubical(np.zeros((4, 4, 4)), max_dim=0)) == 1


def bars_of_part(image: NDArray[Any], is_inside: NDArray[Any], superlevel: bool, **options: Any) -> list[NDArray[np.float64]]:
    """The bars of a part of an image: what is outside comes after all that is inside, and does not count."""
    last = -np.inf if superlevel else np.inf
    diagram = lacuna_tda.cubical(np.where(is_inside, image.astype(np.float64), last), superlevel=superlevel, **options)
    return [bars[bars[:, 0] != last] for bars in diagram]


PERIODIC = [((2,), (0,)), ((7,), (-1,)), ((5, 6), (1,)), ((5, 2), (0, 1)), ((4, 1, 5), (0, -1)), ((3, 4, 5), (2, -3)), ((3, 2, 4), True)]


@pytest.mark.parametrize(("shape", "periodic"), PERIODIC)
@pytest.mark.parametrize("construction", ["T", "V"])
@pytest.mark.parametrize("superlevel", [False, True])
def test_axes_close_up(
    shape: tuple[int, ...], periodic: Any, construction: Any, superlevel: bool, rng: np.random.Generator
) -> None:
    pytest.importorskip("scipy.sparse")
    from lacuna_tda.compat._cells import cubical_pairs

    axes = len(shape)
    wraps = [periodic is True or axis in periodic or axis - axes in periodic for axis in range(axes)]
    sign = -1 if superlevel else 1
    for order in "CF":
        image = np.array(rng.integers(0, 9, shape), order=order)
        found = lacuna_tda.cubical(image, periodic=periodic, construction=construction, superlevel=superlevel)
        expected = cubical_pairs(sign * image, vertices=construction == "V", max_dim=axes, periodic=wraps)
        is_torus = all(wraps[axis] or shape[axis] == 1 for axis in range(axes))
        assert len(found) == sum(extent > 1 for extent in shape) + is_torus
        for dim, bars in enumerate(found):
            of_dim = expected[dim].bars
            assert_same_bars(sign * bars, of_dim[of_dim[:, 0] < of_dim[:, 1]])
        if is_torus:
            assert found.bars(len(found) - 1).tolist() == [[image.min() if superlevel else image.max(), sign * np.inf]]
        assert lacuna_tda.cubical_many([image] * 3, periodic=periodic, construction=construction, superlevel=superlevel) == [found] * 3


@pytest.mark.parametrize("input_type", ["top_dimensional_cells", "vertices"])
def test_axes_close_up_as_those_of_gudhi(input_type: str, rng: np.random.Generator) -> None:
    gudhi = pytest.importorskip("gudhi")
    for shape, periodic in PERIODIC:
        wraps = [periodic is True or axis in periodic or axis - len(shape) in periodic for axis in range(len(shape))]
        image = rng.integers(0, 9, shape).astype(np.float64)
        theirs = gudhi.PeriodicCubicalComplex(**{input_type: image}, periodic_dimensions=wraps)
        theirs.compute_persistence(homology_coeff_field=2)
        found = lacuna_tda.cubical(image, periodic=periodic, construction="V" if input_type == "vertices" else "T")
        for dim, bars in enumerate(found):
            assert_same_bars(bars, theirs.persistence_intervals_in_dimension(dim).reshape(-1, 2))


def test_the_part_of_an_image_is_that_of_gudhi(rng: np.random.Generator) -> None:
    gudhi = pytest.importorskip("gudhi")
    image, is_inside = rng.random((6, 5, 7)), rng.random((6, 5, 7)) < 0.7
    for construction, input_type in (("T", "top_dimensional_cells"), ("V", "vertices")):
        theirs = gudhi.CubicalComplex(**{input_type: np.where(is_inside, image, np.inf)})
        theirs.compute_persistence(homology_coeff_field=2)
        for dim, bars in enumerate(lacuna_tda.cubical(image, construction=construction, mask=is_inside)):
            expected = theirs.persistence_intervals_in_dimension(dim).reshape(-1, 2)
            assert_same_bars(bars, expected[np.isfinite(expected[:, 0])])


@pytest.mark.parametrize("shape", [(30,), (9, 11), (5, 1, 6), (5, 6, 7)])
@pytest.mark.parametrize("construction", ["T", "V"])
@pytest.mark.parametrize("superlevel", [False, True])
def test_a_mask_leaves_the_part_inside(
    shape: tuple[int, ...], construction: Any, superlevel: bool, rng: np.random.Generator
) -> None:
    options: dict[str, Any] = {"construction": construction, "superlevel": superlevel}
    image, is_inside = rng.integers(-9, 9, shape).astype(np.int16), rng.random(shape) < 0.7
    expected = bars_of_part(image, is_inside, **options)
    for mask in (is_inside, 5 * is_inside.astype(np.int8), np.asfortranarray(is_inside), -0.5 * is_inside, is_inside.tolist()):
        found = lacuna_tda.cubical(image, mask=mask, verify=True, locations=True, **options)
        assert found.locations is not None
        for bars, of_dim, (births, deaths) in zip(found, expected, found.locations, strict=True):
            assert_same_bars(bars, of_dim)
            assert is_inside[tuple(births.T)].all() and is_inside[tuple(deaths[deaths[:, 0] >= 0].T)].all()
        assert lacuna_tda.cubical_many([image, image], mask=mask, verify=True, **options) == [found, found]
    cut = lacuna_tda.cubical(image, mask=is_inside, threshold=2, verify=True, **options)
    reached = image >= 2 if superlevel else image <= 2
    for bars, of_dim in zip(cut, bars_of_part(image, is_inside & reached, **options), strict=True):
        assert_same_bars(bars, of_dim)
    whole, none = lacuna_tda.cubical(image, **options), np.zeros(shape)
    assert lacuna_tda.cubical(image, mask=np.ones(shape), **options) == whole
    assert all(len(bars) == 0 for bars in lacuna_tda.cubical(image, mask=none, verify=True, **options))


def test_a_ring_of_a_torus_inside_a_mask() -> None:
    image = np.arange(12).reshape(3, 4)
    row = np.zeros((3, 4), dtype=bool)
    row[1] = True
    found = lacuna_tda.cubical(image, mask=row, periodic=(1,))
    assert [bars.tolist() for bars in found] == [[[4.0, np.inf]], [[7.0, np.inf]]]
    assert len(lacuna_tda.cubical(image, mask=row, periodic=(0,)).bars(1)) == 0


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"periodic": (2,)}, ValueError, "^periodic: expected axes from -2 to 1, found 2$"),
        ({"periodic": (0, -3)}, ValueError, "^periodic: expected axes from -2 to 1, found -3$"),
        ({"periodic": True}, ValueError, "^periodic axis 1: expected an axis of two voxels or more, found shape 3x1$"),
        ({"periodic": 1}, TypeError, r"^periodic: expected True, False or numbers of axes, such as \(0, 2\), found 1$"),
        ({"periodic": [True, False]}, TypeError, r"^periodic: expected True, False or numbers of axes, .* found \[True, False\]$"),
        ({"periodic": "x"}, TypeError, "^periodic: expected True, False or numbers of axes, .* found 'x'$"),
        ({"periodic": [0.5]}, TypeError, "^periodic: expected a whole number, found 0.5$"),
        ({"mask": np.ones((1, 3))}, ValueError, "^mask: expected one of shape 3x1, like the image, found shape 1x3$"),
        ({"mask": np.full((3, 1), np.nan)}, ValueError, r"^mask: voxel \[0, 0\]: expected a number, found NaN$"),
        ({"mask": np.array([["inside"]])}, TypeError, "^mask: expected an image of numbers"),
        ({"mask": np.ones((0, 1))}, ValueError, "^mask: expected at least one voxel along each axis"),
        ({"verify": 1}, TypeError, "^verify: expected True or False, found 1$"),
        ({"periodic_dimensions": [True]}, TypeError, "did you mean periodic\\?$"),
    ],
)
def test_axes_and_masks_that_are_refused(options: dict[str, Any], error: type[Exception], message: str) -> None:
    image = np.zeros((3, 1))
    with pytest.raises(error, match=message):
        lacuna_tda.cubical(image, **options)


def test_bars_are_verified_in_all_dimensions_alone(rng: np.random.Generator) -> None:
    image = rng.random((5, 6))
    for periodic in (False, (0,), True):
        assert lacuna_tda.cubical(image, periodic=periodic, verify=True) == lacuna_tda.cubical(image, periodic=periodic)
        essential = [sum(np.isinf(bars[:, 1])) for bars in lacuna_tda.cubical(image, periodic=periodic)]
        assert lacuna_tda.ecc(image, periodic=periodic).euler[-1] == sum(essential[0::2]) - sum(essential[1::2])
    with pytest.raises(ValueError, match=r"^periodic: expected axes from -2 to 1, found 2$"):
        lacuna_tda.ecc(image, periodic=(2,))
    with pytest.raises(ValueError, match=r"^periodic: expected no scales beside it$"):
        lacuna_tda.ecc(image, periodic=True, scales=2)
    with pytest.raises(ValueError, match=r"^verify: expected the bars of dimensions 0 to 1, found those up to 0 only$"):
        lacuna_tda.cubical(image, max_dim=0, verify=True)
    found = lacuna_tda.cubical_many([image, image[:, 0]], max_dim=0, verify=True, errors="return")
    assert isinstance(found[0], ValueError) and found[1] == lacuna_tda.cubical(image[:, 0])


def test_bins_and_scales(rng: np.random.Generator) -> None:
    image = rng.random((16, 16, 16)).astype(np.float32)
    every = lacuna_tda.ecc(image)
    bins = lacuna_tda.ecc(image, bins=10, range=(0.0, 1.0))
    np.testing.assert_allclose(bins.values, np.arange(1, 11) / 10)
    assert bins.euler.tolist() == [every.changes[every.values <= end].sum() for end in bins.values]
    ndimage = pytest.importorskip("scipy.ndimage")
    curves = lacuna_tda.ecc(image, scales=3, sigma=1.5, taps=9)
    assert len(curves) == 3 and np.array_equal(curves[0].changes, every.changes)
    smoothed = ndimage.gaussian_filter(image.astype(np.float64), 1.5, mode="reflect", radius=4)
    expected = lacuna_tda.ecc(smoothed, bins=20, range=(0.3, 0.7)).euler
    found = lacuna_tda.ecc(image, bins=20, range=(0.3, 0.7), scales=2, sigma=1.5, taps=9)[1].euler
    assert np.count_nonzero(found != expected) <= 1


def test_skeletons_keep_topology(rng: np.random.Generator) -> None:
    image = np.asarray(pytest.importorskip("scipy.ndimage").gaussian_filter(rng.random((60, 50)), 2))
    for threshold in ("otsu", float(np.median(image))):
        skeleton = lacuna_tda.thin(image, threshold=threshold)
        assert skeleton.dtype == bool and skeleton.shape == image.shape
    foreground = image > np.median(image)
    assert not np.any(skeleton & ~foreground) and skeleton.sum() < foreground.sum() / 2
    for one in (foreground, skeleton):
        assert lacuna_tda.cubical(~one).betti(0.0).tolist() == lacuna_tda.cubical(~skeleton).betti(0.0).tolist()
    assert np.array_equal(lacuna_tda.thin(foreground), skeleton)
    assert np.array_equal(lacuna_tda.thin(~foreground, invert=True), skeleton)
    assert np.array_equal(lacuna_tda.thin(np.asfortranarray(foreground)), skeleton)
    assert lacuna_tda.thin(foreground, iterations=1).sum() > skeleton.sum()
    assert np.array_equal(lacuna_tda.thin(foreground, iterations=0), foreground)


@pytest.mark.parametrize(
    ("image", "options", "error", "message"),
    [
        (np.zeros(()), {}, ValueError, "expected 1 to 4 axes"),
        (np.zeros((2, 2, 2, 2, 2)), {}, ValueError, "expected 1 to 4 axes of more than one voxel"),
        (np.zeros((0, 3)), {}, ValueError, "expected at least one voxel along each axis"),
        (np.array([[0.0, np.nan]]), {}, ValueError, r"voxel \[0, 1\]: expected a number, found NaN"),
        (np.zeros(3, dtype=complex), {}, TypeError, "expected an image of numbers"),
        (np.array(["a"]), {}, TypeError, "expected an image of numbers"),
        (np.zeros(3), {"construction": "W"}, ValueError, "construction: expected one of T, V"),
        (np.zeros(3), {"threshold": np.nan}, ValueError, "threshold: expected a number, found NaN"),
        (np.zeros(3), {"max_dim": -1}, ValueError, "max_dim: expected 0 or more"),
        (np.array([2**64 - 1, 2**64 - 2], dtype=np.uint64), {}, ValueError, "18446744073709551614"),
    ],
)
def test_what_is_refused_and_how(
    image: NDArray[np.float64], options: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        lacuna_tda.cubical(image, **options)


def test_what_curves_and_skeletons_refuse() -> None:
    with pytest.raises(ValueError, match="expected at least one bin"):
        lacuna_tda.ecc(np.zeros(3), bins=0)
    with pytest.raises(ValueError, match="range: expected beside bins"):
        lacuna_tda.ecc(np.zeros(3), range=(0, 1))
    with pytest.raises(ValueError, match="expected an odd number of taps"):
        lacuna_tda.ecc(np.zeros(3), scales=2, taps=4)
    with pytest.raises(ValueError, match="subfields is the rule for space"):
        lacuna_tda.thin(np.zeros((3, 3, 3)), rule="guo-hall")
    with pytest.raises(ValueError, match=f"rule: expected one of {', '.join(get_args(_options.Rule))}, found"):
        lacuna_tda.thin(np.zeros((3, 3)), rule="thick")
    with pytest.raises(ValueError, match="Otsu"):
        lacuna_tda.thin(np.zeros((3, 3)), threshold="otsu")


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f4"])
def test_nan_is_replaced(dtype: str, order: str, rng: np.random.Generator) -> None:
    whole = np.asarray(rng.integers(0, 9, (7, 8)), dtype=dtype, order=order)
    holed = whole.copy(order="K")
    holed[2, 3] = holed[4, :2] = np.nan
    for nan, value in ((2, 2.0), (-1.5, -1.5), (np.inf, np.inf), ("lowest", -np.inf), ("highest", np.inf)):
        filled = np.where(np.isnan(holed), value, holed).astype(dtype)
        assert lacuna_tda.cubical(holed, nan=nan) == lacuna_tda.cubical(filled)
        np.testing.assert_equal(lacuna_tda.ecc(holed, nan=nan), lacuna_tda.ecc(filled))
        np.testing.assert_equal(lacuna_tda.thin(holed, threshold=4, nan=nan), lacuna_tda.thin(filled, threshold=4))
    assert np.isnan(holed).sum() == 3
    with pytest.raises(ValueError, match="NaN"):
        lacuna_tda.cubical(holed)
    integers = whole.astype(np.int16)
    assert lacuna_tda.cubical(integers, nan=0) == lacuna_tda.cubical(integers)


@pytest.mark.parametrize(
    ("nan", "error", "message"),
    [
        (np.nan, ValueError, "^nan: expected a number, 'lowest' or 'highest', found nan"),
        ("low", ValueError, "^nan: expected a number, 'lowest' or 'highest', found 'low'"),
        ([0], TypeError, "^nan: expected a number, found"),
        (1e39, ValueError, "^nan: expected a number that float32 holds, found 1e"),
    ],
)
def test_what_does_not_replace_nan(nan: object, error: type[Exception], message: str) -> None:
    image = np.array([[0, np.nan], [1, 2]], dtype=np.float32)
    functions: list[Callable[..., object]] = [lacuna_tda.cubical, lacuna_tda.ecc, lacuna_tda.thin]
    for function in functions:
        with pytest.raises(error, match=message):
            function(image, nan=nan)


@pytest.mark.parametrize("function", [lacuna_tda.cubical, lacuna_tda.ecc, lacuna_tda.thin])
def test_voxels_below_a_mask_are_no_data(function: Callable[..., object]) -> None:
    image = np.ma.masked_equal(np.array([[1, 1, 1], [1, 9, 1], [1, 1, 1]], dtype=np.uint8), 9)
    with pytest.raises(ValueError, match=r"found 1 of 9 masked; array\.filled"):
        function(image)
    function(np.ma.masked_equal(image.filled(0), 9))


def boundary(cells: NDArray[np.int64], shape: tuple[int, ...], construction: str) -> set[tuple[int, ...]]:
    """The boundary over Z/2 of cells given by twice the coordinates of their centres."""
    found: set[tuple[int, ...]] = set()
    for cell in cells.tolist():
        for axis, at in enumerate(cell):
            if shape[axis] > 1 and at % 2 == (construction == "V"):
                found ^= {(*cell[:axis], at - 1, *cell[axis + 1 :]), (*cell[:axis], at + 1, *cell[axis + 1 :])}
    return found


@pytest.mark.parametrize("shape", [(40,), (9, 11), (1, 12, 1, 8), (6, 5, 7), (3, 4, 2, 5)])
@pytest.mark.parametrize("construction", ["T", "V"])
@pytest.mark.parametrize("superlevel", [False, True])
def test_representatives_are_cycles_that_are_born_with_their_bars(
    shape: tuple[int, ...], construction: Any, superlevel: bool, rng: np.random.Generator
) -> None:
    image = rng.permutation(np.prod(shape)).reshape(shape).astype(np.int16)
    options: dict[str, Any] = {"construction": construction, "superlevel": superlevel}
    diagram = lacuna_tda.cubical(image, representatives="cycles", **options)
    assert diagram == lacuna_tda.cubical(image, **options)
    assert pickle.loads(pickle.dumps(diagram)).representatives is not None
    assert diagram.representatives is not None and len(diagram.representatives) == len(diagram)
    for dim, (places, cycles) in enumerate(diagram.representatives):
        assert places.tolist() == list(range(len(diagram.bars(dim)))) and len(cycles) == len(places)
        for (birth, death), (cells, voxels) in zip(diagram.bars(dim), cycles):
            assert cells.shape[1:] == voxels.shape[1:] == (len(shape),) and cells.dtype == voxels.dtype == np.int64
            extends = (cells % 2 == (construction == "V")) & (np.array(shape) > 1)
            assert (extends.sum(axis=1) == dim).all()
            assert dim == 0 or not boundary(cells, shape, construction)
            assert len(cells) == (1 if np.isinf(death) and dim == 0 else max(len(cells), 2))
            values = image[tuple(voxels.T)]
            assert (values.min() if superlevel else values.max()) == birth
    said = [repr(diagram.representatives[0]), repr(diagram.representatives[0].cycles[0])]
    assert said[0] == f"<ImageRepresentatives of {len(diagram.bars(0))} bars>" and said[1].startswith("<CellChain of ")


def test_cycles_go_round_axes_that_close_up() -> None:
    image = np.full((4, 3), 5, dtype=np.uint8)
    image[:, 1] = 1
    found = lacuna_tda.cubical(image, construction="V", periodic=(0,), representatives="cycles")
    assert found.representatives is not None
    cells, voxels = found.representatives[1].cycles[0]
    assert cells.tolist() == [[1, 2], [3, 2], [5, 2], [7, 2]] and voxels.tolist() == [[0, 1], [1, 1], [2, 1], [3, 1]]


@pytest.mark.parametrize("construction", ["T", "V"])
@pytest.mark.parametrize(
    "chosen", [{}, {"longest": 3}, {"only": [(1, 2), (0, 1)]}, {"min_persistence": 100.5}, {"longest": 2, "max_dim": 0}]
)
def test_cycles_are_those_of_the_program(
    construction: Any, chosen: dict[str, Any], lacuna: Callable[..., str], rng: np.random.Generator, tmp_path: Path
) -> None:
    image = rng.integers(0, 256, (12, 9, 10), dtype=np.uint8)
    np.save(tmp_path / "image.npy", image)
    bars = ",".join(f"{dim}:{place}" for dim, place in chosen.get("only", []))
    options = {"construction": construction, **chosen, **({"only": bars} if bars else {})}
    arguments = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    answer = tmp_path / "bars.npz"
    lacuna("cubical", tmp_path / "image.npy", "--representatives=cycles", *arguments, "--output-file", answer)
    expected = np.load(answer)
    diagram = lacuna_tda.cubical(image, construction=construction, representatives="cycles", **chosen)
    np.testing.assert_array_equal(diagram.to_array(), expected["bars"])
    assert diagram.representatives is not None
    for dim, (places, cycles) in enumerate(diagram.representatives):
        np.testing.assert_array_equal(places, expected[f"index_{dim}"])
        for part, of in ((0, "cell"), (1, "voxel")):
            coordinates, starts = expected[f"cycle_{of}s_{dim}"], expected[f"cycle_{'voxel_' if part else ''}offsets_{dim}"]
            for k, cycle in enumerate(cycles):
                np.testing.assert_array_equal(cycle[part], coordinates[starts[k] : starts[k + 1]])


def test_cycles_that_are_not_there_are_refused() -> None:
    ring = np.array([[1, 1, 1], [1, 9, 1], [1, 1, 1]], dtype=np.uint8)
    with pytest.raises(ValueError, match=r"^representatives: expected None or cycles, found 'cocycles'$"):
        lacuna_tda.cubical(ring, representatives="cocycles")
    for option, value in {"longest": 1, "only": [(1, 0)], "min_persistence": 0.5}.items():
        with pytest.raises(ValueError, match=rf'^{option}: chooses bars for representatives.*representatives="cycles"'):
            lacuna_tda.cubical(ring, **{option: value})
    with pytest.raises(ValueError, match="expected one of only, longest and min_persistence at most"):
        lacuna_tda.cubical(ring, representatives="cycles", longest=1, min_persistence=1)
    with pytest.raises(ValueError, match=r"1:1"):
        lacuna_tda.cubical(ring, representatives="cycles", only=[(1, 1)])
    with pytest.raises(ValueError, match="min_persistence: expected a number, found NaN"):
        lacuna_tda.cubical(ring, representatives="cycles", min_persistence=float("nan"))
    cells, voxels = lacuna_tda.cubical(ring, representatives="cycles", longest=1, construction="V").representatives[1].cycles[0]
    assert len(cells) == 8 and [0, 1] in cells.tolist() and [1, 1] not in voxels.tolist() and len(voxels) == 8


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_many_images_have_the_bars_of_each(threads: int, rng: np.random.Generator) -> None:
    images = rng.integers(0, 50, (9, 8, 7, 6)).astype(np.float32)
    options: _options.CubicalManyOptions = {"construction": "V", "superlevel": True, "threshold": 20, "max_dim": 1}
    found = lacuna_tda.cubical_many(images, locations=True, threads=threads, **options)
    for diagram, image in zip(found, images, strict=True):
        expected = lacuna_tda.cubical(image, locations=True, **options)
        assert diagram == expected and expected.locations is not None and diagram.locations is not None
        for places, expected_places in zip(diagram.locations, expected.locations, strict=True):
            np.testing.assert_equal(places, expected_places)
    others = [rng.random(9), np.asfortranarray(rng.random((5, 6)).T), rng.integers(0, 9, (3, 4, 5)), rng.random((1025, 1024)) > 0.5]
    assert lacuna_tda.cubical_many(others, threads=threads) == [lacuna_tda.cubical(image) for image in others]
    assert lacuna_tda.cubical_many([], threads=threads) == []


def test_an_image_that_fails_does_not_stop_the_others() -> None:
    good, holed = np.arange(4.0), np.array([0.0, np.nan])
    found = lacuna_tda.cubical_many([good, holed, good, np.array(["text"]), good], errors="return")
    assert found[0] == found[2] == found[4] == lacuna_tda.cubical(good)
    assert isinstance(found[1], ValueError) and isinstance(found[3], TypeError)
    with pytest.raises(ValueError, match=r"input 1: voxel \[1\]: expected a number, found NaN"):
        lacuna_tda.cubical_many([good, holed])
    assert lacuna_tda.cubical_many([holed], nan=3) == [lacuna_tda.cubical(np.array([0.0, 3.0]))]
    with pytest.raises(ValueError, match=r"expected several images.* found shape \(4,\)"):
        lacuna_tda.cubical_many(good)
    with pytest.raises(ValueError, match="errors: expected raise or return, found 'ignore'"):
        lacuna_tda.cubical_many([good], errors="ignore")  # type: ignore[call-overload]


def test_a_number_is_not_several_images() -> None:
    for several in (lacuna_tda.cubical_many, lacuna_tda.rips_many):
        with pytest.raises(TypeError, match="^expected several inputs, a sequence or an array .*, found 5$"):
            several(5)
