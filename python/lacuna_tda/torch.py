"""Topology in training with PyTorch: bars of points, distances and images, vectors of bars, Euler curves and transforms, differentiable.

A bar is born and dies with a simplex, whose diameter is the length of one edge: of a bar of points, birth and death are the distances of
two points each. Of an image they are values of two voxels. Where no two distances or values are the same, these edges and voxels stay the
same while what they belong to changes a little. So births and deaths are differentiable, and their gradients are those of a few distances
or voxels.

>>> import lacuna_tda.torch as topology  # doctest: +SKIP
>>> points = torch.rand(100, 2, requires_grad=True)  # doctest: +SKIP
>>> births, deaths = topology.rips(points)[1].T  # doctest: +SKIP
>>> (deaths - births).sum().backward()  # doctest: +SKIP

Where two distances are equal, the gradient is that of one of several edges. A distance of two equal points has the gradient zero.

Of a batch, the bars of all inputs are found by one call on all cores, those of planes on a GPU there. Births and deaths are gathered, and
their gradients added up, where the tensor lies. Functions of bars take those of a whole batch:

>>> images = torch.rand(256, 28, 28, requires_grad=True)  # doctest: +SKIP
>>> bars = topology.cubical(images, batch=True)  # doctest: +SKIP
>>> topology.total_persistence(bars, dim=1, order=2).mean().backward()  # doctest: +SKIP

PyTorch is imported by the first call.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from . import _images, _rips
from ._arguments import count as whole, flag, hint, number, pair, warn, word
from ._ect import cells_alone, sampled
from ._extras import extra
from ._keywords import suggests_keywords
from ._options import CubicalManyOptions, CubicalTensorOptions, RipsTensorOptions, filled, running, takes
from ._planes import bars_of_planes
from ._vectors import deviation, exponent, length, pair_of_ranges, sides, span, steps

if TYPE_CHECKING:
    from torch import Tensor
    from typing_extensions import Unpack

__all__ = ["cubical", "ecc", "ect", "landscape", "persistence_image", "rips", "silhouette", "total_persistence"]

Indices = NDArray[np.int64]
Range = tuple[float, float]


@overload
def rips(X: Sequence[Tensor], **options: Unpack[RipsTensorOptions]) -> Sequence[list[Tensor]]: ...
@overload
def rips(X: Tensor, **options: Unpack[RipsTensorOptions]) -> Sequence[Any]: ...
@takes(RipsTensorOptions)
def rips(X: Tensor | Sequence[Tensor], **options: Unpack[RipsTensorOptions]) -> Sequence[Any]:
    """The Vietoris-Rips barcode of points or distances, or of each of a batch, differentiable.

    Parameters
    ----------
    X : tensor or sequence of tensors
        Points (n, d), or with ``metric="precomputed"`` distances (n, n), of single or double precision, on any device: they are copied to
        the processor. Of distances the mean of both halves counts. A batch has one more axis in front, or is a sequence of tensors, in
        which numbers of points may differ.
    metric : "euclidean" or "precomputed"
        What ``X`` holds.
    max_dim, threshold, modulus, threads, backend, progress, time_limit, memory
        As those of :func:`lacuna_tda.rips`; of a batch, of :func:`lacuna_tda.rips_many`.

    Returns
    -------
    list of tensor
        For each dimension births and deaths, (m, 2), in the order of :func:`lacuna_tda.rips`, with the type and the device of ``X``. The
        death of a bar that never ends is ``inf``; it and the births of dimension 0, which are 0, have no gradient. Of a batch, a sequence
        of such lists.

    Raises
    ------
    ValueError, TypeError, MemoryError, TimeoutError, RuntimeError
        As :func:`lacuna_tda.rips`; ``X`` is no tensor of floats, or tensors of a sequence differ in more than their numbers of points.
    ImportError
        PyTorch is not installed.
    """
    torch = _torch()
    options = filled(RipsTensorOptions, options)
    if options["metric"] not in ("euclidean", "precomputed"):
        raise ValueError(f"metric: expected euclidean or precomputed, found {options['metric']!r}")
    is_precomputed = options["metric"] == "precomputed"
    batch: Any = X
    is_tensor = isinstance(X, torch.Tensor)
    is_one = is_tensor and batch.ndim != 3
    inputs = _several(torch, [batch] if is_one else batch)
    for one in inputs:
        if is_precomputed and one.ndim != 2:
            raise ValueError(f"expected distances of shape (n, n), found a tensor of shape {tuple(one.shape)}")
    kinds = {(one.dtype, one.device, () if is_precomputed else tuple(one.shape[1:])) for one in inputs}
    if len(kinds) > 1:
        raise ValueError(f"expected tensors of one type and device, of points with as many coordinates, found {sorted(map(str, kinds))}")
    asked: dict[str, Any] = {**options, "representatives": "simplices", "symmetrize": "mean" if is_precomputed else None}
    arrays: Any = batch.detach().cpu().numpy() if is_tensor else [one.detach().cpu().numpy() for one in inputs]
    diagrams = [_rips.rips(arrays, **asked)] if is_one else _rips.rips_many(arrays, **asked)
    tables = [diagram.representatives or [] for diagram in diagrams]
    if not tables:
        return []
    # In dimension 0 births have no edges.
    in_order = _by_dimension(tables)
    births = [table.birth_edges if dim else np.full_like(table.death_edges, -1) for dim, _, table in in_order]
    deaths = [table.death_edges for _, _, table in in_order]
    edges = np.stack([np.concatenate(births), np.concatenate(deaths)], axis=1)
    found = _Ends([[len(table.places) for table in one] for one in tables], edges[:, :, 0] >= 0)
    i, j = edges[found.known].T
    n = np.array([len(one) for one in inputs])
    if is_precomputed:
        row, first = n[found.inputs], _starts(n**2)[found.inputs]
        distances = torch.cat([one.reshape(-1) for one in inputs])
        places = first + row * i + j, first + row * j + i
        bars = found.bars(torch, distances, np.inf, lambda upper, lower: (distances[upper] + distances[lower]) / 2, *places)
    else:
        first = _starts(n)[found.inputs]
        points = torch.cat(inputs)
        # Its gradient is zero where two points are equal.
        bars = found.bars(torch, points, np.inf, lambda i, j: torch.linalg.vector_norm(points[i] - points[j], dim=1), first + i, first + j)
    return bars[0] if is_one else bars


@overload
def cubical(image: Tensor, *, batch: Literal[False] = ..., **options: Unpack[CubicalTensorOptions]) -> list[Tensor]: ...
@overload
def cubical(image: Tensor, *, batch: Literal[True], **options: Unpack[CubicalTensorOptions]) -> Sequence[list[Tensor]]: ...
@takes(CubicalTensorOptions)
def cubical(image: Tensor, *, batch: bool = False, **options: Unpack[CubicalTensorOptions]) -> Sequence[Any]:
    """The barcode of an image, or of each of a batch, differentiable.

    Parameters
    ----------
    image : tensor
        Up to three axes of more than one voxel, of single or double precision, on any device. What has two axes stays on a GPU, if it lies
        there, except with ``periodic``, ``mask``, ``verify`` or ``backend="cpu"``; all else is copied to the processor. Where CUDA 12.4 is
        missing, or the GPU fails, the processor takes over with a warning, unless ``backend="cuda"``. A batch has one more axis in front; of
        images with channels, ``image.flatten(0, 1)`` is the batch of all channels.
    batch : bool
        Whether the first axis runs through images.
    construction, superlevel, max_dim, threshold, periodic, mask, verify, threads, backend, progress, time_limit, memory
        As those of :func:`lacuna_tda.cubical`; of a batch, of :func:`lacuna_tda.cubical_many`. The mask may be a tensor.

    Returns
    -------
    list of tensor
        For each dimension births and deaths, (m, 2), in the order of :func:`lacuna_tda.cubical`, with the type and the device of the image.
        The death of a bar that never ends is ``inf``, of superlevel sets ``-inf``, without a gradient. Of a batch, a sequence of such lists.

    Raises
    ------
    ValueError, TypeError, MemoryError, TimeoutError, RuntimeError
        As :func:`lacuna_tda.cubical`; the image is no tensor of floats.
    ImportError
        PyTorch is not installed.
    """
    torch = _torch()
    options = filled(CubicalTensorOptions, options)
    _expect_floats(torch, image)
    is_one = not flag("batch", batch)
    _tell_of_channels(image.shape if is_one else image.shape[1:])
    if isinstance(options["mask"], torch.Tensor):
        options["mask"] = options["mask"].detach().cpu().numpy()
    is_plain = options["periodic"] is False and options["mask"] is None and options["verify"] is False and options["backend"] != "cpu"
    is_of_planes = image.ndim == 3 - is_one and 0 < image.numel() < 2**31 and min(image.shape[-2:]) > 1
    if image.is_cuda and is_plain and is_of_planes:
        try:
            of_planes = _bars_of_planes(image[None] if is_one else image, options)
            # NaN is refused on the processor, with its place.
            if of_planes is not None:
                return of_planes[0] if is_one else of_planes
        except RuntimeError as error:
            if options["backend"] == "cuda":
                raise
            warn(f"the processor takes over from the GPU: {error}")
    array = image.detach().cpu().numpy()
    asked: dict[str, Any] = {**options, "locations": True}
    diagrams = [_images.cubical(array, **asked)] if is_one else _images.cubical_many(array, **asked)
    tables = [diagram.locations or [] for diagram in diagrams]
    if not tables:
        return []
    in_order = _by_dimension(tables)
    births, deaths = (np.concatenate([voxels[end] for _, _, voxels in in_order]) for end in (0, 1))
    voxels = np.stack([births, deaths], axis=1)
    found = _Ends([[len(births) for births, _ in one] for one in tables], voxels[:, :, 0] >= 0)
    places = np.ravel_multi_index((found.inputs, *voxels[found.known].T), (1, *image.shape) if is_one else image.shape)
    values = image.reshape(-1)
    bars = found.bars(torch, values, -np.inf if options["superlevel"] else np.inf, lambda at: values[at], places)
    return bars[0] if is_one else bars


@suggests_keywords
def total_persistence(bars: Any, *, dim: int | None = None, order: float = 1.0) -> Tensor:
    """The sum of the lengths of bars, or of a power of them.

    As all functions of bars here, it takes those of one input or of several, does all at once, and leaves out bars that never end; bars of
    superlevel sets, which go down, are turned.

    Parameters
    ----------
    bars : tensor, or list of tensors, or list of these
        Births and deaths (n, 2), or a list of such, one for each input; with ``dim``, what :func:`rips` and :func:`cubical` return.
    dim : int, optional
        The dimension; expected beside what they return, and beside that only.
    order : float
        The power.

    Returns
    -------
    tensor
        A number, of several inputs (m,).

    Raises
    ------
    ValueError, TypeError
        Bars of another shape or type; there are none of any input.
    """
    ends = _Finite.of(bars, dim)
    return ends.answer(ends.powers(number("order", order)).sum(dim=1))


@suggests_keywords
def persistence_image(
    bars: Any,
    *,
    range: tuple[Range, Range],
    dim: int | None = None,
    resolution: int | tuple[int, int] = (20, 20),
    bandwidth: float = 1.0,
    weight: float = 0.0,
) -> Tensor:
    """The persistence image: a Gaussian around each point (birth, persistence), added up at the points of a grid.

    It is that of :func:`lacuna_tda.persistence_image`, on a grid that is always given: one that followed the bars would change while they
    are trained.

    Parameters
    ----------
    bars, dim
        As those of :func:`total_persistence`.
    range : pair of pairs of float
        The first and the last birth of the grid, and the first and the last persistence.
    resolution : int or pair of int
        The number of grid points along births and along persistence, from 1 to 10,000.
    bandwidth : float
        The standard deviation of the Gaussians, in the unit of the bars.
    weight : float
        A bar has the weight persistence ** weight, from 0 up. From 1 up, bars that appear and vanish do so without a jump.

    Returns
    -------
    tensor
        (persistences, births), of several inputs (m, persistences, births).

    Raises
    ------
    ValueError, TypeError
        As :func:`total_persistence`; no pairs, or no positive bandwidth.
    """
    ends = _Finite.of(bars, dim)
    width, (across, up), (births, persistences) = deviation(bandwidth), sides(resolution), pair_of_ranges(range)
    if births is None or persistences is None:
        raise ValueError(f"range: expected two pairs, of births and of persistence, as ((0, 1), (0, 2)), found {range!r}")
    along_births = ends.bells(ends.births_and_deaths()[0], births, across, width)
    along_persistence = ends.bells(ends.lengths, persistences, up, width)
    weighted = along_persistence * ends.powers(exponent(weight))[:, :, None]
    return ends.answer(weighted.transpose(1, 2) @ along_births / (2 * math.pi * width**2))


@suggests_keywords
def landscape(
    bars: Any, *, range: Range, dim: int | None = None, count: int = 5, resolution: int = 100
) -> Tensor:
    """The first functions of the persistence landscape times the root of 2, at the values of a grid.

    It is that of :func:`lacuna_tda.landscape`, on a grid that is always given. Memory holds a number for each bar and value of the grid.

    Parameters
    ----------
    bars, dim
        As those of :func:`total_persistence`.
    range : pair of float
        The first and the last value.
    count : int
        The number of functions, from 1 to 100,000.
    resolution : int
        The number of values, from 1 to 10,000.

    Returns
    -------
    tensor
        (count, resolution), of several inputs (m, count, resolution).

    Raises
    ------
    ValueError, TypeError
        As :func:`total_persistence`; no pair.
    """
    ends = _Finite.of(bars, dim)
    count = length(count)
    tents = ends.tents(range, resolution)
    few = max(0, count - tents.shape[1])
    tents = _torch().nn.functional.pad(tents, (0, 0, 0, few))
    return ends.answer(math.sqrt(2) * tents.topk(count, dim=1).values)


@suggests_keywords
def silhouette(
    bars: Any, *, range: Range, dim: int | None = None, weight: float = 0.0, resolution: int = 100
) -> Tensor:
    """The silhouette, the mean of the tents of all bars, weighted, times the root of 2, at the values of a grid.

    It is that of :func:`lacuna_tda.silhouette`, on a grid that is always given. Memory holds a number for each bar and value of the grid.

    Parameters
    ----------
    bars, dim
        As those of :func:`total_persistence`.
    range, resolution
        As those of :func:`landscape`.
    weight : float
        A bar has the weight persistence ** weight, from 0 up.

    Returns
    -------
    tensor
        (resolution,), of several inputs (m, resolution).

    Raises
    ------
    ValueError, TypeError
        As :func:`landscape`.
    """
    ends = _Finite.of(bars, dim)
    weights = ends.powers(exponent(weight))
    total = weights.sum(dim=1, keepdim=True)
    shares = weights / total.where(total > 0, total.new_ones(()))
    return ends.answer(math.sqrt(2) * (shares[:, :, None] * ends.tents(range, resolution)).sum(dim=1))


@suggests_keywords
def ecc(
    image: Tensor,
    *,
    bins: int,
    range: Range,
    construction: Literal["T", "V"] = "T",
    superlevel: bool = False,
    batch: bool = False,
) -> Tensor:
    """The mean of the Euler characteristic over each of several bins of values, of an image or of each of a batch, differentiable.

    The Euler characteristic curve jumps where a cell enters, and so has no gradient. Its mean over a bin has one: a cell counts with the
    part of the bin that lies past its value. No other parameter is needed than the bins, and means times the width of a bin add up to the
    integral of the exact curve. All is done where the image lies. The exact curve, without a gradient, is :func:`lacuna_tda.ecc`, which
    takes tensors, too.

    Parameters
    ----------
    image : tensor
        Of single or double precision, on any device.
    bins : int
        The number of bins of one width.
    range : pair of float
        Where bins begin and end. Cells of lower values are there from the beginning, those of greater values never enter.
    construction : "T" or "V"
        As that of :func:`lacuna_tda.cubical`.
    superlevel : bool
        Whether the filtration starts from the greatest value. Bins are then in descending order.
    batch : bool
        Whether the first axis runs through images.

    Returns
    -------
    tensor
        (bins,) means of the Euler characteristic, in the order in which cells enter; of a batch (m, bins).

    Raises
    ------
    ValueError, TypeError
        The image is no tensor of floats; no ascending range, no bins; there is no such construction.
    ImportError
        PyTorch is not installed.
    """
    torch = _torch()
    _expect_floats(torch, image)
    _tell_of_channels(image.shape[1:] if flag("batch", batch) else image.shape)
    bins, (low, high) = whole("bins", bins, 1), pair("range", range, "two numbers")
    if not -np.inf < low < high < np.inf:
        raise ValueError(f"range: expected two finite numbers in ascending order, found {range!r}")
    name = word("construction", construction, "T or V").upper()
    if name not in ("T", "V"):
        raise ValueError(f"construction: expected T or V, found {construction!r}")
    is_v = name == "V"
    if image.isnan().any():
        raise ValueError("expected an image of numbers, found NaN")
    values = image if batch else image[None]
    if flag("superlevel", superlevel):
        values, low, high = -values, -high, -low
    # In which bin a value lies, and where in it. The map is monotone, so the place of a cell is the least or the
    # greatest of those of its voxels.
    places = ((values - low) * (bins / (high - low))).clamp(0, bins)
    # Cells by the axes along which they extend, with their signs. Those of T lie between two voxels, at the border
    # beside one.
    cells = [(1 if is_v or values.ndim % 2 else -1, places)]
    for axis, _ in enumerate(values.shape[1:], 1):
        for sign, of in cells.copy():
            if is_v:
                n = of.shape[axis] - 1
                joined = torch.maximum(of.narrow(axis, 0, n), of.narrow(axis, 1, n))
            else:
                rim = torch.full_like(of.narrow(axis, 0, 1), bins)
                joined = torch.minimum(torch.cat([rim, of], dim=axis), torch.cat([of, rim], dim=axis))
            cells.append((-sign, joined))
    # From its bin on a cell counts in full, but there only with the part that lies behind it. Sums of opposite signs
    # need double precision.
    entered = values.new_zeros((len(values), bins + 1), dtype=torch.float64)
    missed = entered
    for sign, of in cells:
        of = of.flatten(1)
        at = of.detach().long()
        entered = entered.scatter_add(1, at, entered.new_full((), sign).expand_as(at))
        missed = missed.scatter_add(1, at, (sign * (of - at)).double())
    curves: Tensor = (entered.cumsum(dim=1) - missed)[:, :bins].to(image.dtype)
    return curves if batch else curves[0]


@suggests_keywords
def ect(
    points: Tensor,
    cells: Sequence[Any] = (),
    *,
    directions: Tensor,
    bins: int,
    radius: float,
    scale: float,
) -> Tensor:
    """The Euler characteristic transform of points with cells on them, differentiable: each cell counts by a sigmoid of the heights above it.

    The transform, :func:`lacuna_tda.ect`, jumps where a cell enters, and so has no gradient. Here a cell whose highest vertex has the height h
    counts at height t as sigmoid(scale (t - h)), as in the paper, and the gradient goes to the coordinates of vertices and to directions.
    The greater the scale, the nearer is the transform.

    Parameters
    ----------
    points : tensor
        (n, d), of single or double precision, on any device; all is done there.
    cells : sequence of tensors or arrays
        Edges, faces and so on, as of :func:`lacuna_tda.ect`: a cell per row by the indices of its vertices.
    directions : tensor
        (k, d), of the type of the points; of vectors of other lengths than 1 the heights are longer.
    bins : int
        The number of heights, evenly spaced from minus the radius to the radius.
    radius : float
        The greatest height, which is always given: one that followed the points would change while they are trained.
    scale : float
        The steepness of the sigmoid, per unit of height.

    Returns
    -------
    tensor
        (k, bins). Memory holds a number for each direction, cell and bin.

    Raises
    ------
    ValueError, TypeError
        Points or directions are no tensors of floats, or of different dimensions; no positive radius or scale.
    ImportError
        PyTorch is not installed.

    References
    ----------
    Röell, Rieck, "Differentiable Euler characteristic transforms for shape classification" (2024).
    """
    torch = _torch()
    for tensor in (points, directions):
        _expect_floats(torch, tensor)
    bins, radius, scale = sampled(points, directions, "tensors", bins, radius, scale)
    heights = directions @ points.T
    samples = torch.linspace(-radius, radius, bins, dtype=points.dtype, device=points.device)
    answer = directions.new_zeros((len(directions), bins))
    for dim, of in enumerate((None, *cells)):
        if of is None:
            of_cells = heights
        else:
            known = cells_alone(dim, of.detach().cpu().numpy() if isinstance(of, torch.Tensor) else of, len(points))
            of_cells = heights[:, torch.as_tensor(known, device=points.device)].amax(dim=2)
        counted: Tensor = torch.sigmoid(scale * (samples - of_cells[:, :, None])).sum(dim=1)
        answer = answer + (-1) ** dim * counted
    return answer


class Bars(Sequence[Any]):
    """The bars of a batch: of each input, for each dimension births and deaths, (m, 2).

    They are cut off one tensor when the first are asked for. Functions of bars take what is not cut as it is: cutting, and putting the
    gradients of the parts together, would take as long as all the rest of a step in training.
    """

    def __init__(self, ends: Tensor, counts: Indices) -> None:
        self._ends = ends
        """Those of dimension 0 first, and of each the first input's first."""
        self._counts = counts
        """(dimensions, inputs), -1 where an input does not have a dimension."""
        self._parts: list[list[Tensor]] | None = None

    def __len__(self) -> int:
        return int(self._counts.shape[1])

    def __getitem__(self, index: Any) -> Any:
        if self._parts is None:
            self._parts = [[] for _ in range(len(self))]
            ends: Any = self._ends
            _, inputs = np.nonzero(self._counts >= 0)
            for k, part in zip(inputs, ends.split(self._counts[self._counts >= 0].tolist()), strict=True):
                self._parts[k].append(part)
        return self._parts[index]

    def together(self, dim: int) -> tuple[Tensor, Indices] | None:
        """The bars of one dimension, if they are not cut, and how many of them each input has."""
        if self._parts is not None or dim >= len(self._counts):
            return None
        counts = self._counts.clip(min=0)
        return self._ends.narrow(0, counts[:dim].sum(), counts[dim].sum()), counts[dim]


def _by_dimension(tables: Sequence[Sequence[Any]]) -> list[tuple[int, int, Any]]:
    """Dimension, input, and what the input has for it: dimension 0 of all inputs first."""
    dims = range(max(map(len, tables), default=0))
    return [(dim, k, of[dim]) for dim in dims for k, of in enumerate(tables) if dim < len(of)]


def _bars_of_planes(planes: Tensor, options: CubicalTensorOptions) -> Bars | None:
    """The bars of planes (n, rows, columns), found where they are; nothing if there is NaN."""
    some: Any = options
    asked = filled(CubicalManyOptions, some)
    request = _images.requested(asked)
    found = running(asked, lambda _: bars_of_planes(_torch(), planes.detach(), request))
    if found is None:
        return None
    counts, ends = found
    values = planes.reshape(-1)[ends.long()].where(ends >= 0, -np.inf if request.superlevel else np.inf)
    return Bars(values, np.array(counts).reshape(-1, len(planes)))


class _Ends:
    """Births and deaths of the bars of several inputs, some of which are gathered from a tensor."""

    def __init__(self, counts: list[list[int]], known: NDArray[np.bool_]) -> None:
        in_order = _by_dimension(counts)
        self.counts = np.full((max(map(len, counts)), len(counts)), -1)
        """The number of bars of each dimension and input, -1 where an input does not have a dimension."""
        for dim, k, count in in_order:
            self.counts[dim, k] = count
        self.known = known
        """(n, 2): which births and deaths of all bars are gathered."""
        self.inputs = np.repeat([k for _, k, _ in in_order], [count for _, _, count in in_order]).repeat(known.sum(axis=1))
        """The input of each that is."""

    def bars(self, torch: Any, tensor: Tensor, never: float, values: Callable[..., Tensor], *indices: Indices) -> Bars:
        """The bars of each input and dimension, of the type and on the device of a tensor.

        What is known are the values at the indices, which are copied there at once. Other births are 0, and bars that do not die do so at
        `never`.
        """
        places, *at = torch.from_numpy(np.stack([np.flatnonzero(self.known), *indices])).to(tensor.device)
        ends = tensor.new_zeros(self.known.shape)
        ends[:, 1] = never
        return Bars(ends.ravel().index_put((places,), values(*at)).reshape(-1, 2), self.counts)


class _Finite(NamedTuple):
    """The finite bars of m inputs, as many of each: those that are missing are not to count."""

    births: Tensor
    """(k,): those of all bars, one input after the other; of superlevel sets, the deaths."""
    deaths: Tensor
    """(k,): in the same way."""
    places: Tensor
    """(m, n): which are those of an input."""
    is_bar: Tensor
    """(m, n): whether they are."""
    lengths: Tensor
    """(m, n); those that are missing are 1, of which powers have a gradient."""
    is_one: bool
    """Whether there is one input alone, whose answer has no axis for inputs."""

    @classmethod
    def of(cls, bars: Any, dim: int | None) -> _Finite:
        torch = _torch()
        is_one, together, counts = _together(torch, bars, dim)
        if not len(together):
            together = together.new_zeros((1, 2))
        births, deaths = together.unbind(1)
        # One copy to the device, for which nothing waits.
        counted = torch.from_numpy(np.stack([_starts(counts), np.cumsum(counts)]))
        starts, stops = counted.to(together.device, non_blocking=True)[:, :, None]
        numbers = starts + torch.arange(counts.max(), device=together.device)
        places = numbers.clamp(max=len(together) - 1)
        lengths = _taken((deaths - births).abs(), places)
        is_bar = (numbers < stops) & (lengths < np.inf)
        return cls(births, deaths, places, is_bar, lengths.where(is_bar, 1.0), is_one)

    def births_and_deaths(self) -> tuple[Tensor, Tensor]:
        """(m, n) each, of superlevel sets turned; those that are missing are from 0 to 1."""
        births, deaths = _taken(self.births, self.places).where(self.is_bar, 0.0), _taken(self.deaths, self.places).where(self.is_bar, 1.0)
        return births.minimum(deaths), births.maximum(deaths)

    def powers(self, exponent: float) -> Tensor:
        """(m, n): powers of the lengths of bars."""
        powers: Tensor = self.lengths.pow(exponent) * self.is_bar
        return powers

    def bells(self, points: Tensor, range: Range, resolution: int, width: float) -> Tensor:
        """(m, n, resolution): bell curves around points, of height 1."""
        return (-((self._grid(range, resolution) - points[:, :, None]) / width).square() / 2).exp()

    def tents(self, range: Range, resolution: int) -> Tensor:
        """(m, n, resolution): for each bar the function that rises from its birth and falls to its death, with slope 1."""
        grid = self._grid(range, resolution)
        births, deaths = self.births_and_deaths()
        tents: Tensor = _torch().minimum(grid - births[:, :, None], deaths[:, :, None] - grid).clamp(min=0)
        return tents * self.is_bar[:, :, None]

    def _grid(self, range: Range, resolution: int) -> Tensor:
        low, high = span(range)
        grid: Tensor = _torch().linspace(low, high, steps(resolution), dtype=self.lengths.dtype, device=self.lengths.device)
        return grid

    def answer(self, vectors: Tensor) -> Tensor:
        return vectors[0] if self.is_one else vectors


def _taken(values: Tensor, places: Tensor) -> Tensor:
    """The values at some places, which have any shape."""
    return values.gather(0, places.flatten()).view(places.shape)


def _torch() -> Any:
    return extra("torch", "torch", "lacuna_tda.torch")


def _expect_floats(torch: Any, tensor: Any) -> None:
    """Raises an error if something is no tensor of single or double precision."""
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"expected a tensor of PyTorch, found {type(tensor).__name__}; torch.as_tensor makes one of an array")
    if tensor.dtype not in (torch.float32, torch.float64):
        raise TypeError(f"expected a tensor of type float32 or float64, found {tensor.dtype}")


def _several(torch: Any, inputs: Any) -> list[Tensor]:
    """The tensors of a sequence, all of single or double precision."""
    # What is no sequence is no tensor, either.
    several = list(inputs) if hasattr(inputs, "__iter__") else [inputs]
    for one in several:
        _expect_floats(torch, one)
    return several


def _together(torch: Any, bars: Any, dim: int | None) -> tuple[bool, Tensor, Indices]:
    """Whether bars are of one input alone; those of all inputs, one after the other; and how many each has."""
    is_tensor = isinstance(bars, torch.Tensor)
    if dim is None:
        is_one = is_tensor and bars.ndim == 2
        several = [bars] if is_one else bars
    elif is_tensor:
        raise ValueError("dim: expected beside bars of all dimensions, as rips and cubical return them, found a tensor")
    else:
        dim = whole("dim", dim, 0)
        together = bars.together(dim) if isinstance(bars, Bars) else None
        if together is not None:
            return False, *together
        is_one = len(bars) > 0 and isinstance(bars[0], torch.Tensor)
        inputs = [bars] if is_one else bars
        # Those of an input without dimensions are of the type of another's.
        some = next((one[0] for one in inputs if len(one)), None)
        if some is None:
            raise ValueError("expected the bars of one input or more, found none")
        several = [one[dim] if dim < len(one) else some[:0] for one in inputs]
    if dim is None and not is_tensor and any(isinstance(one, (list, tuple)) for one in several):
        raise ValueError("dim is missing: bars of all dimensions are given, and those of one are taken, as by dim=1")
    tensors = _several(torch, several)
    for one in tensors:
        if one.ndim != 2 or one.shape[1] != 2:
            raise ValueError(f"expected births and deaths of shape (n, 2), found a tensor of shape {tuple(one.shape)}")
    if not tensors:
        raise ValueError("expected the bars of one input or more, found none")
    return is_one, torch.cat(tensors), np.array([one.shape[0] for one in tensors])


def _tell_of_channels(shape: Sequence[int]) -> None:
    """Warns of an image with channels: they are no axis of space."""
    if len(shape) == 3 and shape[0] in (3, 4) and min(shape[1:]) >= 8:
        taken = f"an image of shape {tuple(shape)} is taken for a volume of {shape[0]} slices"
        hint(f"{taken}; if they are channels, batch=True takes them one by one, and those of a batch as image.flatten(0, 1)")


def _starts(sizes: Indices) -> Indices:
    """Where parts of these sizes begin that lie one after the other."""
    return np.cumsum(sizes) - sizes
