"""What the extension module answers, for those who check types: nothing imports this when the package runs."""

from __future__ import annotations

from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

Bars = NDArray[np.float64]
Indices = NDArray[np.int64]
Simplices = tuple[Indices, Indices]


class _Simplices(TypedDict):
    places: Indices
    birth_simplices: Indices
    death_simplices: Indices
    death_edges: Indices


class Table(_Simplices, total=False):
    """The representatives of a dimension; in dimension 0 there are no birth edges, and chains are there if there are any."""

    birth_edges: Indices
    cocycles: list[Simplices]
    cycles: list[Simplices]


class _Rips(TypedDict):
    bars: list[Bars]
    threshold: float
    edges: int
    notes: list[str]


class RipsAnswer(_Rips, total=False):
    """Bars of distances, and what else was asked for."""

    landmarks: tuple[Indices, float]
    representatives: list[Table]


class _Pairs(TypedDict):
    pairs: Indices
    essential: Indices
    dimensions: NDArray[np.uint8]
    values: NDArray[np.float64] | None
    max_dim: int
    is_cut: bool
    warning: str | None


class PairsAnswer(_Pairs, total=False):
    """Pairs of a boundary matrix, and cycles if they were asked for."""

    cycles: list[tuple[int, Indices]]


class _Cubical(TypedDict):
    bars: list[Bars]


class CubicalAnswer(_Cubical, total=False):
    """Bars of an image, and if they were asked for their voxels, and for each dimension places of bars and their cycles."""

    locations: list[tuple[Indices, Indices]]
    representatives: list[tuple[Indices, list[tuple[Indices, Indices]]]]


class DeviceAnswer(TypedDict):
    """A GPU."""

    number: int
    name: str
    capability: tuple[int, int]
    memory: int


class MachineAnswer(TypedDict):
    """What there is to compute with."""

    version: str
    threads: int
    simd: str
    cuda: str
    devices: list[DeviceAnswer]
