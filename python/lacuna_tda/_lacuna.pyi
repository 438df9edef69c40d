# The extension module: what the functions of the package call. It takes arrays of the right kinds, and names in full.

from collections.abc import Callable
from typing import Any, NotRequired, TypedDict, final

import numpy as np
from numpy.typing import NDArray

from . import _matrices, _rips

__version__: str

_Progress = Callable[[str, int | None, int, int], None] | None
_Floats = NDArray[np.float32] | NDArray[np.float64]
_Numbers = NDArray[np.int32] | NDArray[np.int64]
_Bars = NDArray[np.float64]
_Indices = NDArray[np.int64]

class Table(TypedDict):
    index: _Indices
    birth_simplices: _Indices
    death_simplices: _Indices
    birth_edges: NotRequired[_Indices]
    death_edges: _Indices
    cocycles: NotRequired[list[tuple[_Indices, _Indices]]]
    cycles: NotRequired[list[tuple[_Indices, _Indices]]]

class RipsAnswer(TypedDict):
    bars: list[_Bars]
    threshold: float
    edges: int
    notes: list[str]
    landmarks: NotRequired[tuple[_Indices, float]]
    representatives: NotRequired[list[Table]]

class PairsAnswer(TypedDict):
    pairs: _Indices
    essential: _Indices
    dimensions: NDArray[np.uint8]
    values: NDArray[np.float64] | None
    max_dim: int
    is_cut: bool
    warning: str | None
    cycles: NotRequired[list[tuple[int, _Indices]]]

class CubicalAnswer(TypedDict):
    bars: list[_Bars]
    locations: NotRequired[list[tuple[_Indices, _Indices]]]

class DeviceAnswer(TypedDict):
    number: int
    name: str
    capability: tuple[int, int]
    memory: int

class MachineAnswer(TypedDict):
    version: str
    threads: int
    simd: str
    cuda: str
    devices: list[DeviceAnswer]

@final
class Distances: ...

def points(array: _Floats) -> Distances: ...
def matrix(array: _Floats, births: bool, symmetrize: str | None) -> Distances: ...
def condensed(points: int, list: _Floats) -> Distances: ...
def edges(
    points: int, starts: _Numbers, columns: _Numbers, entries: _Floats, births: _Floats | None
) -> Distances: ...
def rips(
    distances: Distances, request: _rips.Request, threads: int | None, progress: _Progress
) -> RipsAnswer: ...
def rips_many(
    distances: list[Distances], request: _rips.Request, threads: int | None, progress: _Progress
) -> list[RipsAnswer | Exception]: ...
def reduce_matrix(
    shape: tuple[int, int],
    starts: _Indices,
    cells: _Indices,
    entries: NDArray[np.float64],
    dims: NDArray[np.uint8] | None,
    request: _matrices.Request,
    threads: int | None,
    backend: str,
    progress: _Progress,
) -> PairsAnswer: ...
def reduce_file(
    path: str,
    format: str | None,
    max_dim: int | None,
    request: _matrices.Request,
    threads: int | None,
    backend: str,
    progress: _Progress,
) -> PairsAnswer: ...
def cubical(
    array: NDArray[Any],
    construction: str,
    superlevel: bool,
    max_dim: int | None,
    threshold: float | None,
    locations: bool,
    threads: int | None,
    backend: str,
    progress: _Progress,
) -> CubicalAnswer: ...
def ecc(
    array: NDArray[Any],
    bins: int | None,
    range: tuple[float, float] | None,
    construction: str,
    superlevel: bool,
    scales: tuple[int, float, int] | None,
    threads: int | None,
    backend: str,
    progress: _Progress,
) -> list[tuple[NDArray[Any], _Indices]]: ...
def thin(
    array: NDArray[Any],
    rule: str | None,
    iterations: int | None,
    threshold: float | None,
    otsu: bool,
    invert: bool,
    threads: int | None,
    backend: str,
    progress: _Progress,
) -> tuple[NDArray[np.uint8], int, float | None]: ...
def machine() -> MachineAnswer: ...
