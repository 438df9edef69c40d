"""Euler characteristic transforms of images, point sets, graphs and meshes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _lacuna
from ._arguments import count, flag, image as plain_image, number, numbers, optional_number, word
from ._options import EctOptions, filled, running, takes

if TYPE_CHECKING:
    from typing_extensions import Unpack


class EulerTransform(NamedTuple):
    """An Euler characteristic transform: n directions, and m heights at which each is sampled."""

    values: NDArray[np.float64]
    """(n, m): the Euler characteristic, or the sum of signed weights, of what is not above each height."""
    directions: NDArray[np.float64]
    """(n, d): unit vectors."""
    heights: NDArray[np.float64]
    """(m,): from minus the radius to the radius."""

    def __repr__(self) -> str:
        n, m = self.values.shape
        return f"<EulerTransform of {n} directions and {m} heights up to {self.heights[-1]:.6g}>"


class Request(NamedTuple):
    """What is asked of the extension module."""

    directions: int | NDArray[np.float64]
    bins: int
    radius: float | None
    center: str
    smooth: bool
    weighted: bool
    construction: str


@takes(EctOptions)
def ect(X: Any, cells: Sequence[Any] | None = None, *, weights: Any = None, **options: Unpack[EctOptions]) -> EulerTransform:
    """The Euler characteristic transform of an image, or of points with cells on them.

    For a direction and a height it is the Euler characteristic of the part of the shape up to this height; a cell enters with its highest
    vertex.

    Parameters
    ----------
    X : array
        Without ``cells`` an image, as of :func:`cubical`: its shape are the voxels that are not 0, and components of directions belong to its
        axes, but not to those of one voxel. With ``cells`` the vertices of a complex, (n, d).
    cells : sequence of arrays, or of pairs of arrays, optional
        Edges, faces and so on, all that there are: of each dimension from 1 on an array of integers, a cell per row by the indices of its
        vertices, or a pair of such an array and weights. Without weights a cell has the greatest weight of its vertices. Of a point set it is
        empty.
    weights : array, optional
        Weights of the vertices of a complex; by default 1.
    directions : int or array
        The number of directions, which are spread evenly: on the circle from the first axis towards the second, on the sphere by the
        Fibonacci lattice; or vectors, one per row.
    bins : int
        The number of heights, evenly spaced from minus the radius to the radius; a single one is the radius.
    radius : float, optional
        From 1e-290 to 1e300; by default the greatest distance of a vertex from the center. What is above it is in no value.
    center : "origin", "mean" or "box"
        Where heights are 0: at the origin, which of an image is the center of its grid; at the mean of the vertices; in the middle of their
        bounding box.
    smooth : bool
        Whether values are those of the smooth transform: the sums of the deviations from the mean of a direction.
    weighted : bool
        Whether a cell of an image counts by the greatest value of its voxels.
    construction : "V" or "T"
        As that of :func:`cubical`; ``"V"``, with voxels as vertices, is the complex of the package ``pyect``.
    nan : number, "lowest" or "highest", optional
        As that of :func:`cubical`, of an image.
    threads, backend, progress, time_limit, memory
        As those of :func:`rips`; all is done by the processor.

    Returns
    -------
    EulerTransform
        Values, directions and heights.

    Raises
    ------
    ValueError, TypeError, MemoryError, TimeoutError, RuntimeError
        As :func:`cubical`; directions or cells that do not suit the vertices.

    References
    ----------
    Turner, Mukherjee, Boyer, "Persistent homology transform for modeling shapes and surfaces" (2014).

    Examples
    --------
    A ring of pixels: first one side, then two, then a cycle.

    >>> import numpy as np
    >>> import lacuna_tda
    >>> ring = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]], dtype=np.uint8)
    >>> found = lacuna_tda.ect(ring, directions=[[1, 0]], bins=9)
    >>> found.values
    array([[0., 0., 1., 1., 1., 1., 1., 0., 0.]])

    The same ring as points and edges:

    >>> points = np.argwhere(ring) - 1.0
    >>> edges = [(a, b) for a in range(8) for b in range(a) if abs(points[a] - points[b]).sum() == 1]
    >>> bool((lacuna_tda.ect(points, [edges], directions=[[1, 0]], bins=9).values == found.values).all())
    True
    """
    options = filled(EctOptions, options)
    if options["backend"] == "cuda":
        raise ValueError("backend: expected auto or cpu, found cuda")
    directions = options["directions"]
    request = Request(
        directions=count("directions", directions, 1) if np.ndim(directions) == 0 else _table("directions", directions),
        bins=count("bins", options["bins"], 1),
        radius=optional_number("radius", options["radius"]),
        center=word("center", options["center"], "origin, mean or box"),
        smooth=flag("smooth", options["smooth"]),
        weighted=flag("weighted", options["weighted"]),
        construction=word("construction", options["construction"], "T or V"),
    )
    if cells is None:
        if weights is not None:
            raise ValueError("weights: expected beside cells; weighted=True takes the values of an image")
        array = plain_image(X, options["nan"])
        values, vectors, radius = running(options, lambda run: _lacuna.ect_of_image(array, request, run))
    else:
        of_images = {"weighted": request.weighted, "nan": options["nan"] is not None, "construction": request.construction != "V"}
        for name, is_given in of_images.items():
            if is_given:
                raise ValueError(f"{name}: expected beside an image, found cells")
        vertices, listed = _table("X", X), [_cells(dim, of) for dim, of in enumerate(cells, 1)]
        of_vertices = None if weights is None else _row("weights", weights)
        values, vectors, radius = running(options, lambda run: _lacuna.ect_of_complex(vertices, of_vertices, listed, request, run))
    bins = request.bins
    heights = radius * (np.arange(bins) * 2 / (bins - 1) - 1) if bins > 1 else np.array([radius])
    return EulerTransform(values, vectors, heights)


def _table(name: str, array: Any) -> NDArray[np.float64]:
    """Rows of doubles."""
    found = numbers(array, name)
    if found.ndim != 2 or found.shape[1] == 0:
        raise ValueError(f"{name}: expected an array of shape (n, d), found {found.shape}")
    return found.astype(np.float64, copy=False)


def _row(name: str, array: Any) -> NDArray[np.float64]:
    """Doubles."""
    found = numbers(array, name)
    if found.ndim != 1:
        raise ValueError(f"{name}: expected an array of shape (n,), found {found.shape}")
    return found.astype(np.float64, copy=False)


def sampled(points: Any, directions: Any, of: str, bins: Any, radius: Any, scale: Any) -> tuple[int, float, float]:
    """Number of samples, radius and scale of a transform with gradients, whose points and directions are of some kind."""
    if points.ndim != 2 or directions.ndim != 2 or points.shape[1] != directions.shape[1]:
        found = f"{of} of shapes {tuple(points.shape)} and {tuple(directions.shape)}"
        raise ValueError(f"expected points (n, d) and directions (k, d), found {found}")
    bins, radius, scale = count("bins", bins, 1), number("radius", radius), number("scale", scale)
    for name, value in (("radius", radius), ("scale", scale)):
        if not 0 < value < math.inf:
            raise ValueError(f"{name}: expected a positive number, found {value!r}")
    return bins, radius, scale


def cells_alone(dim: int, cells: Any, points: int) -> NDArray[np.int64]:
    """Cells of a dimension without weights, of this number of points, for transforms with gradients."""
    if isinstance(cells, tuple) and len(cells) == 2 and np.ndim(cells[0]) == 2:
        raise ValueError(f"cells of dimension {dim}: expected an array, a cell per row, found a pair; cells have no weights here")
    found, _ = _cells(dim, cells)
    for vertex in (found.min(), found.max()) if found.size else ():
        if not 0 <= vertex < points:
            raise ValueError(f"cells of dimension {dim}: expected vertices below {points}, found {vertex}")
    # The caller's own array may be read-only, or change.
    return found.copy()


def _cells(dim: int, cells: Any) -> tuple[NDArray[np.int64], NDArray[np.float64] | None]:
    """Cells of a dimension by their vertices, of which there may not be as many, and their weights."""
    name, weights = f"cells of dimension {dim}", None
    if isinstance(cells, tuple) and len(cells) == 2 and np.ndim(cells[0]) == 2:
        cells, weights = cells[0], _row(f"weights of {name}", cells[1])
    found = numbers(cells, name)
    if found.size == 0:
        found = np.zeros((0, dim + 1), dtype=np.int64)
    if found.dtype.kind not in "iu":
        raise TypeError(f"{name}: expected whole numbers, found an array of type {found.dtype}")
    if found.ndim != 2:
        raise ValueError(f"{name}: expected a cell per row, found an array of shape {found.shape}")
    if found.dtype == np.uint64 and found.size and found.max() >= 2**32:
        raise ValueError(f"{name}: expected indices of vertices, found {found.max()}")
    return found.astype(np.int64, copy=False), weights
