# The extension module: what the functions of the package call. It takes arrays of the right kinds, and names in full.

from collections.abc import Callable
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from . import _device_arrays, _ect, _files, _images, _matrices, _rips
from ._answers import CubicalAnswer, MachineAnswer, PairsAnswer, RipsAnswer

__all__ = [
    "Content",
    "DeviceArray",
    "Distances",
    "Run",
    "__version__",
    "bars_of_planes",
    "clouds",
    "condensed",
    "cubical",
    "cubical_many",
    "diagram_distance",
    "ecc",
    "ecc_on_device",
    "ect_of_complex",
    "ect_of_image",
    "edges",
    "generate_image",
    "generate_points",
    "kind_of_file",
    "kinds_written",
    "machine",
    "matrix",
    "points",
    "reduce_file",
    "reduce_matrix",
    "report_page",
    "rips",
    "rips_many",
    "skeleton_graph",
    "thin",
    "thin_on_device",
    "vectors",
]

__version__: str

_Progress = Callable[[str, int | None, int, int], None] | None
_Floats = NDArray[np.float32] | NDArray[np.float64]
_Numbers = NDArray[np.int32] | NDArray[np.int64]
_Indices = NDArray[np.int64]

@final
class Content:
    @staticmethod
    def of_image(array: NDArray[Any]) -> Content: ...
    @staticmethod
    def of_distances(distances: Distances) -> Content: ...
    @staticmethod
    def of_matrix(
        shape: tuple[int, int],
        starts: _Indices,
        cells: _Indices,
        entries: NDArray[np.float64],
        dims: NDArray[np.uint8] | None,
        values: NDArray[np.float64] | None,
    ) -> Content: ...
    @staticmethod
    def of_bars(bars: list[NDArray[np.float64]]) -> Content: ...
    @staticmethod
    def of_pairs(pairs: NDArray[np.uint64], essential: NDArray[np.uint64] | None) -> Content: ...
    @staticmethod
    def read(
        path: str, kind: str, format: str | None, reading: _files.Reading
    ) -> tuple[Content, list[str]]: ...
    def arrays(self) -> tuple[Any, ...]: ...
    def write(self, path: str, becoming: _files.Becoming) -> list[str]: ...
    @staticmethod
    def compare(
        contents: list[Content], names: list[str], tolerance: float, show: int
    ) -> tuple[bool, list[int], int, NDArray[Any], NDArray[Any], str]: ...

@final
class DeviceArray:
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def copy_to_host(self) -> NDArray[np.bool_]: ...

@final
class Distances:
    def shortest_paths(self, run: Run) -> Distances: ...

@final
class Run:
    def __new__(
        cls,
        threads: int | None,
        backend: str,
        progress: _Progress = None,
        time_limit: float | None = None,
        memory: int | None = None,
        checkpoint: tuple[str, float, list[tuple[str, str]]] | None = None,
    ) -> Run: ...
    @property
    def notes(self) -> list[str]: ...

def points(array: _Floats) -> Distances: ...
def clouds(array: _Floats) -> list[Distances | Exception]: ...
def matrix(array: _Floats, births: bool, symmetrize: str | None) -> Distances: ...
def condensed(points: int, list: _Floats) -> Distances: ...
def edges(
    points: int, starts: _Numbers, columns: _Numbers, entries: _Floats, births: _Floats | None
) -> Distances: ...
def rips(distances: Distances, request: _rips.Request, run: Run) -> RipsAnswer: ...
def rips_many(distances: list[Distances], request: _rips.Request, run: Run) -> list[RipsAnswer | Exception]: ...
def reduce_matrix(
    shape: tuple[int, int],
    starts: _Indices,
    cells: _Indices,
    entries: NDArray[np.float64],
    dims: NDArray[np.uint8] | None,
    request: _matrices.Request,
    run: Run,
) -> PairsAnswer: ...
def reduce_file(path: str, request: _matrices.Request, run: Run) -> PairsAnswer: ...
def cubical(array: NDArray[Any], request: _images.Request, run: Run) -> CubicalAnswer: ...
def cubical_many(images: list[NDArray[Any]], request: _images.Request, run: Run) -> list[CubicalAnswer | Exception]: ...
def ecc(
    array: NDArray[Any],
    bins: int | None,
    range: tuple[float, float] | None,
    construction: str,
    superlevel: bool,
    scales: tuple[int, float, int] | None,
    periodic: list[int] | None,
    run: Run,
) -> list[tuple[NDArray[Any], _Indices]]: ...
def ecc_on_device(
    array: _device_arrays.Lent,
    bins: int | None,
    range: tuple[float, float] | None,
    construction: str,
    superlevel: bool,
    scales: tuple[int, float, int] | None,
    run: Run,
) -> list[tuple[NDArray[Any], _Indices]]: ...
def bars_of_planes(
    levels: _device_arrays.Lent, places: _device_arrays.Lent, memory: _device_arrays.Lent, touch: bool, dims: int, threshold: float
) -> list[int] | None: ...
def ect_of_image(
    array: NDArray[Any], request: _ect.Request, run: Run
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]: ...
def ect_of_complex(
    vertices: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    cells: list[tuple[NDArray[np.int64], NDArray[np.float64] | None]],
    request: _ect.Request,
    run: Run,
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]: ...
def thin_on_device(
    array: _device_arrays.Lent,
    rule: str | None,
    iterations: int | None,
    threshold: float | None,
    invert: bool,
    run: Run,
) -> DeviceArray: ...
def thin(array: NDArray[Any], options: _images.Thinning, run: Run) -> tuple[NDArray[np.uint8], int, float | None]: ...
def skeleton_graph(
    array: NDArray[Any], skeleton: NDArray[Any] | None, spacing: list[float], options: _images.Thinning, run: Run
) -> tuple[
    _Indices,
    _Indices,
    NDArray[np.float64],
    _Indices,
    NDArray[np.uint8],
    NDArray[np.float64],
    _Indices,
    _Indices,
    NDArray[np.float64],
]: ...
def diagram_distance(
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    wasserstein: tuple[float, float] | None,
    wants_matching: bool,
    threads: int | None,
) -> tuple[float, tuple[_Indices, NDArray[np.float64]] | None]: ...
def generate_image(
    scene: str, shape: list[int], scale: float | None, density: float | None, seed: int
) -> NDArray[Any]: ...
def generate_points(
    space: str,
    points: int,
    noise: float,
    dimension: int | None,
    clusters: int | None,
    seed: int,
) -> NDArray[np.float32]: ...
def kind_of_file(
    path: str, format: str | None, to: str | None, output: str | None, out: str | None
) -> str: ...
def kinds_written(path: str, format: str | None) -> list[str]: ...
def report_page(bars: list[NDArray[np.float64]], title: str) -> str: ...
def vectors(
    bars: list[NDArray[np.float64]],
    kind: str,
    resolution: tuple[int, int],
    ranges: tuple[tuple[float, float] | None, tuple[float, float] | None],
    bandwidth: float,
    weight: float,
    count: int,
    length: int,
) -> NDArray[np.float64]: ...
def machine() -> MachineAnswer: ...
