"""Filtrations of cubical complexes as boundary matrices: for images of any number of axes, with periodic ones, and for cycles.

:func:`lacuna_tda.cubical` never writes these matrices, and is much faster; it takes up to four axes, of which periodic ones have two voxels
or more. Everything else is done here, over Z/2: the cells of the complex are the elements of a grid of twice the image's resolution, where an
odd coordinate is an interval and an even one an end of intervals; they are sorted by value and dimension; and :func:`lacuna_tda.reduce` pairs
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import reduce
from .._extras import extra

Indices = NDArray[np.int64]


class Pairs(NamedTuple):
    """The classes of one dimension, n of them, those of length zero among them, by death."""

    bars: NDArray[np.float64]
    """(n, 2): births and deaths."""
    births: Indices
    """(n, axes): the voxels that have the values of births."""
    deaths: Indices
    """(n, axes): the voxels that have the values of deaths; -1 for essential classes."""
    cycles: list[list[list[int]]] | None
    """For each class the cells of a cycle, if asked for: the least corner of a cell, and the number of its direction among those of its
    dimension, which are the sets of axes in lexicographic order."""


class Grid(NamedTuple):
    """The cells of a cubical complex, each at an element of a grid."""

    values: NDArray[np.float64]
    """When cells are born."""
    voxels: Indices
    """The numbers of the voxels that have these values, in C's order."""
    is_periodic: tuple[bool, ...]
    """Of each axis."""


def cubical_pairs(
    image: NDArray[Any],
    *,
    vertices: bool,
    max_dim: int,
    periodic: Sequence[bool] | None = None,
    cycles: bool = False,
    threads: int | None = None,
) -> list[Pairs]:
    """The classes of each dimension up to `max_dim` of the sublevel sets of an image whose voxels are vertices, or else top cells."""
    if image.size == 0:
        raise ValueError(f"expected an image, found an array of shape {image.shape}")
    if np.isnan(image).any():
        raise ValueError("expected an image of numbers, found NaN")
    grid = _grid(image, vertices, tuple(periodic or [False] * image.ndim))
    dims = _dimensions(grid.values.shape)
    order = np.lexsort((dims.ravel(), grid.values.ravel()))
    place = np.empty(order.size, dtype=np.int64)
    place[order] = np.arange(order.size)
    boundary = _boundary(grid, place)
    dim_of = dims.ravel()[order]
    found = reduce(
        boundary, dimensions=dim_of, check=False, representatives="cycles" if cycles else None, threads=threads
    )
    values, voxels = grid.values.ravel()[order], grid.voxels.ravel()[order]

    def located(cells: Indices) -> Indices:
        return np.column_stack(np.unravel_index(voxels[cells], image.shape))

    classes = []
    for dim in range(min(max_dim, image.ndim) + 1):
        finite = found.pairs[dim_of[found.pairs[:, 0]] == dim]
        finite = finite[np.argsort(finite[:, 1], kind="stable")]
        essential = found.essential[dim_of[found.essential] == dim]
        births = np.concatenate([finite[:, 0], essential])
        deaths = np.concatenate([values[finite[:, 1]], np.full(len(essential), np.inf)])
        missing = np.full((len(essential), image.ndim), -1, dtype=np.int64)
        classes.append(
            Pairs(
                np.column_stack([values[births], deaths]),
                located(births),
                np.concatenate([located(finite[:, 1]), missing]),
                [_named(order[found.cycles[int(cell)]], dims) for cell in births] if found.cycles is not None else None,
            )
        )
    return classes


def _grid(image: NDArray[Any], vertices: bool, is_periodic: tuple[bool, ...]) -> Grid:
    """The cells of an image. A cell is born with the last of its vertices, or with the first of the top cells that it is in."""
    values: NDArray[Any] = np.asarray(image, dtype=np.float64)
    voxels: NDArray[Any] = np.arange(values.size).reshape(values.shape)
    for axis, wraps in enumerate(is_periodic):
        values, voxels = (np.moveaxis(of, axis, 0) for of in (values, voxels))
        next_values, next_voxels = np.roll(values, -1, axis=0), np.roll(voxels, -1, axis=0)
        # Between voxel i and voxel i + 1, with the first after the last.
        takes_next = next_values > values if vertices else next_values < values
        between: tuple[NDArray[Any], NDArray[Any]] = (
            np.where(takes_next, next_values, values),
            np.where(takes_next, next_voxels, voxels),
        )
        length = len(values)
        grids = []
        for own, joint in zip((values, voxels), between):
            size = 2 * length if wraps else 2 * length - 1 if vertices else 2 * length + 1
            grid = np.empty((size, *own.shape[1:]), dtype=own.dtype)
            if vertices:
                grid[::2] = own
                grid[1::2] = joint if wraps else joint[:-1]
            elif wraps:
                grid[1::2] = own
                grid[2::2], grid[0] = joint[:-1], joint[-1]
            else:
                grid[1::2] = own
                grid[2:-1:2], grid[0], grid[-1] = joint[:-1], own[0], own[-1]
            grids.append(np.moveaxis(grid, 0, axis))
        values, voxels = grids
    return Grid(values, voxels, is_periodic)


def _dimensions(shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """The dimension of each cell: how many of its coordinates are odd."""
    dims = np.zeros(shape, dtype=np.uint8)
    for axis, size in enumerate(shape):
        is_interval = (np.arange(size) % 2).astype(np.uint8)
        dims += is_interval.reshape([-1 if other == axis else 1 for other in range(len(shape))])
    return dims


def _boundary(grid: Grid, place: Indices) -> Any:
    """The boundary matrix of cells in the order of their places."""
    csc_matrix = extra("scipy.sparse", "scipy", "an image of four axes, a cycle, or a bar of length zero").csc_matrix
    cells = np.arange(place.size).reshape(grid.values.shape)
    rows, columns = [], []
    for axis, wraps in enumerate(grid.is_periodic):
        along = np.moveaxis(cells, axis, 0)
        # Both ends of the one interval of a periodic axis are the same.
        if wraps and len(along) == 2:
            continue
        intervals = along[1::2]
        after = np.concatenate([along[2::2], along[:1]]) if wraps else along[2::2]
        for ends in (along[0::2][: len(intervals)], after):
            rows.append(place[ends.ravel()])
            columns.append(place[intervals.ravel()])
    if not rows:
        return csc_matrix((place.size, place.size))
    row, column = np.concatenate(rows), np.concatenate(columns)
    return csc_matrix((np.ones(len(row)), (row, column)), shape=(place.size, place.size))


def _named(cells: Indices, dims: NDArray[np.uint8]) -> list[list[int]]:
    """Cells by their least corners and directions."""
    coordinates = np.column_stack(np.unravel_index(np.sort(cells), dims.shape))
    directions = {
        axes: number for dim in range(dims.ndim + 1) for number, axes in enumerate(combinations(range(dims.ndim), dim))
    }
    return [
        [*(int(at) // 2 for at in cell), directions[tuple(axis for axis, at in enumerate(cell) if at % 2)]]
        for cell in coordinates
    ]


def is_beyond_voxels(shape: tuple[int, ...]) -> bool:
    """Whether an image has more axes of several voxels than :func:`lacuna_tda.cubical` takes."""
    return sum(length > 1 for length in shape) > 4


def may_have_torsion(shape: tuple[int, ...], periodic: Sequence[bool]) -> bool:
    """Whether bars may depend on the field. Subsets of space, of surfaces, and of the product of a torus and an interval have no torsion; those
    of more dimensions, or of a torus of three, may have."""
    return sum(length > 1 or wraps for length, wraps in zip(shape, periodic)) > 3 or sum(periodic) > 2
