"""`lacuna_tda.compat.cripser`: rows, places, duality and cycles by themselves, and against CubicalRipser where it is installed."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from conftest import assert_same_bars

pytest.importorskip("scipy.sparse")

import lacuna_tda
from lacuna_tda.compat.cripser import (
    compute_ph,
    computePH,
    computePH_T,
    dual_embedding,
    group_by_dim,
    to_gudhi_diagrams,
    to_gudhi_persistence,
)

SHAPES = [(9,), (7, 8), (5, 6, 4), (3, 4, 3, 3), (1, 1, 4)]


def shuffled(shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.float64]:
    """An image of which no two voxels have one value."""
    return rng.permutation(int(np.prod(shape))).reshape(shape).astype(np.float64)


def test_rows_of_a_ring() -> None:
    ring = np.array([[0.0, 1.0, 2.0], [7.0, 9.0, 3.0], [6.0, 5.0, 4.0]])
    table = compute_ph(ring)
    assert table.tolist() == [[0, 0, np.inf, 0, 0, 0, -1, -1, -1], [1, 7, 9, 1, 0, 0, 1, 1, 0]]
    never = float(np.finfo(np.float64).max)
    assert computePH(ring)[0, 2] == never and computePH_T(ring)[0, 2] == never
    assert compute_ph(ring, inf_cutoff=False)[0, 2] == never
    assert compute_ph(ring, maxdim=0).shape == (1, 9) and compute_ph(ring, top_dim=True).shape == (1, 9)
    # The top dimension is that of the array, whatever `maxdim` is.
    np.testing.assert_array_equal(compute_ph(ring, maxdim=0, top_dim=True), compute_ph(ring, top_dim=True))
    assert computePH_T(ring, 1)[1, :3].tolist() == [1, 7, 9]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("filtration", ["V", "T"])
def test_voxels_have_the_values_of_bars(shape: tuple[int, ...], filtration: str, rng: np.random.Generator) -> None:
    image = shuffled(shape, rng)
    table = compute_ph(image, filtration=filtration)
    axes = len(shape)
    assert table.shape[1] == (11 if axes == 4 else 9)
    births = table[:, 3 : 3 + max(axes, 3)].astype(int)
    deaths = table[:, 3 + max(axes, 3) :].astype(int)
    assert np.all(births[:, axes:] == 0)
    np.testing.assert_array_equal(image[tuple(births[:, :axes].T)], table[:, 1])
    is_finite = np.isfinite(table[:, 2])
    np.testing.assert_array_equal(image[tuple(deaths[is_finite, :axes].T)], table[is_finite, 2])
    assert np.all(deaths[~is_finite] == -1)
    if axes < 4:
        expected = lacuna_tda.cubical(image, construction="T" if filtration == "T" else "V")
        for dim in range(axes):
            assert_same_bars(table[table[:, 0] == dim, 1:3], expected.bars(dim))


@pytest.mark.parametrize("shape", SHAPES[1:4], ids=str)
@pytest.mark.parametrize("filtration", ["V", "T"])
def test_an_embedded_image_is_dual_to_the_other_construction(
    shape: tuple[int, ...], filtration: str, rng: np.random.Generator
) -> None:
    image, axes = shuffled(shape, rng), len(shape)
    never = float(np.finfo(np.float64).max)
    dual = compute_ph(image, filtration=filtration, embedded=True)
    table = compute_ph(image, filtration="T" if filtration == "V" else "V")
    for dim in range(axes):
        bars = table[table[:, 0] == axes - 1 - dim, 1:3]
        expected = -bars[:, ::-1]
        expected[np.isinf(expected)] = -never
        found = dual[dual[:, 0] == dim, 1:3]
        # The component of what is outside, which never ends.
        assert np.count_nonzero(np.isinf(found)) == (1 if dim == 0 else 0)
        assert_same_bars(found[np.isfinite(found[:, 1])], expected)


def test_four_axes() -> None:
    coordinates = np.stack(np.meshgrid(*[np.arange(5) - 2.0] * 4, indexing="ij"))
    radius = np.sqrt((coordinates**2).sum(axis=0))
    sphere = np.where(np.abs(radius - 2) <= 0.85, 0.0, 1.0)
    for filtration in "VT":
        table = compute_ph(sphere, filtration=filtration)
        assert [(row[0], row[1], row[2]) for row in table] == [(0, 0, np.inf), (3, 0, 1)]


def boundary(cells: list[list[int]], dim: int, axes: int) -> list[tuple[int, ...]]:
    """The boundary of a chain of a dimension over Z/2."""
    count: Counter[tuple[int, ...]] = Counter()
    for *corner, direction in cells:
        span = list(combinations(range(axes), dim))[direction]
        for axis in span:
            rest = tuple(other for other in span if other != axis)
            number = list(combinations(range(axes), dim - 1)).index(rest)
            for step in (0, 1):
                face = [at + step if place == axis else at for place, at in enumerate(corner)]
                count[(*face, number)] += 1
    return [face for face, times in count.items() if times % 2]


@pytest.mark.parametrize("filtration", ["V", "T"])
def test_cycles_are_cycles_that_are_born_with_their_bars(filtration: str, rng: np.random.Generator) -> None:
    image = shuffled((4, 5, 4), rng)
    table, cycles = compute_ph(image, filtration=filtration, representatives=True)
    assert_same_bars(table[:, 1:3], compute_ph(image, filtration=filtration)[:, 1:3])
    padded = np.pad(image, 1, constant_values=np.inf)
    for row, cycle in zip(table, cycles, strict=True):
        dim = int(row[0])
        assert boundary(cycle, dim, 3) == []
        births = []
        for *corner, direction in cycle:
            span = list(combinations(range(3), dim))[direction]
            low = np.array(corner)
            if filtration == "V":
                voxels = [slice(at, at + 2 if axis in span else at + 1) for axis, at in enumerate(low)]
                births.append(image[tuple(voxels)].max())
            else:
                voxels = [slice(at + 1, at + 2) if axis in span else slice(at, at + 2) for axis, at in enumerate(low)]
                births.append(padded[tuple(voxels)].min())
        assert max(births) == row[1]
    with pytest.raises(ValueError):
        compute_ph(image, representatives=True, top_dim=True)


def test_converters() -> None:
    table = computePH(np.array([[0.0, 2.0, 1.0], [2.0, 9.0, 2.0], [1.0, 2.0, 1.0]]))
    diagrams = to_gudhi_diagrams(table, maxdim=2)
    assert [len(diagram) for diagram in diagrams] == [4, 1, 0] and np.isinf(diagrams[0][-1, 1])
    assert len(to_gudhi_diagrams(table, maxdim=2, include_empty=False)) == 2
    assert to_gudhi_persistence(table)[-1] == (1, (2.0, 9.0))
    assert [len(rows) for rows in group_by_dim(table)] == [4, 1]
    assert dual_embedding(np.array([1.0, 0.0])).tolist() == [1.0, 0.0, 0.0]
    with pytest.raises(ValueError):
        to_gudhi_diagrams(np.zeros(3))
    with pytest.raises(ValueError, match="expected a table of 9 or 11 columns, found 3"):
        group_by_dim(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="expected an array of one to four axes, found 0"):
        dual_embedding(3.0)


def test_what_is_refused() -> None:
    refused: list[tuple[Any, type[Exception]]] = [
        (np.array([["a"]]), TypeError),
        (np.zeros((3, 3), dtype=bool), TypeError),
        (np.zeros((0, 3)), ValueError),
        (np.array(3.0), ValueError),
        (np.zeros((1,) * 5), ValueError),
        (np.array([[np.nan, 1.0]]), ValueError),
        (np.full((2, 2, 2, 2), np.nan), ValueError),
    ]
    for image, kind in refused:
        with pytest.raises(kind):
            compute_ph(image)
    with pytest.raises(TypeError, match=r"expected an image of numbers .*array\.astype\(float\)"):
        computePH(np.array([["1", "2"]]))


OPTIONS: list[dict[str, Any]] = [
    {},
    {"filtration": "T"},
    {"embedded": True},
    {"filtration": "t", "embedded": True},
    {"filtration": "T", "top_dim": True},
    {"maxdim": 0},
    {"maxdim": 0, "top_dim": True},
    {"location": "none", "n_threads": 0},
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_images_are_answered_as_by_the_original(
    shape: tuple[int, ...], options: dict[str, Any], rng: np.random.Generator
) -> None:
    original = pytest.importorskip("cripser").compute_ph
    image = shuffled(shape, rng)
    found, expected = compute_ph(image, **options), original(image, **options)

    def sorted_rows(table: NDArray[np.float64]) -> NDArray[np.float64]:
        return table[np.lexsort((table[:, 2], table[:, 1], table[:, 0]))] if table.size else np.empty(found.shape)

    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(sorted_rows(found), sorted_rows(expected))


def test_ties_have_the_bars_of_the_original(rng: np.random.Generator) -> None:
    original = pytest.importorskip("cripser").compute_ph
    for shape in ((8, 9), (5, 6, 5), (3, 3, 3, 4)):
        image = rng.integers(0, 4, shape)
        for options in OPTIONS:
            found, expected = compute_ph(image, **options), original(image, **options)
            for dim in range(len(shape)):
                theirs = expected[expected[:, 0] == dim, 1:3] if expected.size else np.empty((0, 2))
                assert_same_bars(found[found[:, 0] == dim, 1:3], theirs)
