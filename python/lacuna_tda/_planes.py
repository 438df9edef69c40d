"""The bars of planes on a GPU, where they are.

In the plane bars are merges of components: in dimension 0 those of sublevel sets, in dimension 1 those of what is left of the plane, which
grows as the filtration is run backwards, together with what lies outside the image. Where voxels touch at corners in the one, they do not
in the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _lacuna
from ._device_arrays import Lent, lent

if TYPE_CHECKING:
    from torch import Tensor

    from ._images import Request


class PlaneBars(NamedTuple):
    """The bars of n planes: those of dimension 0 first, and of each the first plane's first, in the order of :func:`lacuna_tda.cubical`."""

    counts: list[list[int]]
    """How many there are, for each dimension and each plane."""
    births: Tensor
    """(m,): the place of the birth voxel in all planes, as C numbers them."""
    deaths: Tensor
    """(m,): the place of the death voxel."""
    dies: Tensor
    """(m,): whether the bar dies; if not, its death voxel is its birth voxel."""


class Order(NamedTuple):
    """When the voxels of planes enter, and what they join."""

    times: Tensor
    """(n, rows, columns): when each voxel enters, integers of 32 bits."""
    touch: bool
    """Whether voxels are neighbours at corners, too."""
    has_outside: bool
    """Whether what lies outside is a component, which is older than all."""
    joins: Tensor
    """Integers of 64 bits, to be written: one for each voxel, and others after them. In their upper halves are times: that in which the
    component of a minimum meets an older one, or -1, and for other voxels that in which they enter."""


def bars_of_planes(torch: Any, planes: Tensor, request: Request) -> PlaneBars:
    """The bars of planes (n, rows, columns): fewer than 2^31 floats without NaN, in more than one row and column.

    Of the request, the construction counts, the direction, the highest dimension and the threshold.
    """
    superlevel, threshold = request.superlevel, request.threshold
    # Adding to 0 makes zeros of both signs the same.
    levels = (0 - planes if superlevel else 0 + planes).flatten(1)
    starts = torch.arange(0, levels.numel(), levels.shape[1], device=levels.device)
    places = (levels.sort(dim=1, stable=True).indices + starts[:, None]).flatten()
    levels, voxels = levels.flatten(), len(places)
    forwards = torch.arange(voxels, dtype=torch.int32, device=places.device)
    forwards = torch.empty_like(forwards).scatter_(0, places, forwards).view(planes.shape)
    times = torch.stack([forwards, voxels - 1 - forwards][: 2 if request.max_dim is None else request.max_dim + 1])
    # The outside has a join, too. Their number is even, since memory that is written has a multiple of 16 bytes.
    joins = torch.empty((len(times), (voxels + 2) // 2 * 2), dtype=torch.int64, device=places.device)
    touch = request.construction == "T"
    _join([Order(times[dim], touch == (dim == 0), dim == 1, joins[dim]) for dim in range(len(times))])
    joined, entered = joins[:, :voxels] >> 32, times.flatten(1)
    minima = (joined != entered).nonzero().unbind(1)
    born, died = entered[minima].long(), joined[minima]
    dims = minima[0]
    # What joins as time runs backwards is born then.
    born, died = (voxels - 1 - died).where(dims == 1, born), (voxels - 1 - born).where(dims == 1, died)
    in_order = (((dims * voxels + born) << 31) + died).argsort()
    dims, born, died = dims[in_order], born[in_order], died[in_order]
    births, dies = places[born], died >= 0
    deaths = places[died].where(dies, births)
    is_bar = (levels[births] != levels[deaths]) | ~dies
    if threshold is not None:
        # Both are doubles, so that the comparison is exact.
        reached = levels.double() <= (-threshold if superlevel else threshold)
        is_bar, dies = is_bar & reached[births], dies & reached[deaths]
    bars = is_bar.nonzero().flatten()
    births, dies = births[bars], dies[bars]
    firsts = torch.arange(len(times), device=starts.device)[:, None] * voxels + starts
    ends = torch.searchsorted((dims * voxels + born)[bars], (firsts + voxels // len(planes)).flatten())
    counts = ends.diff(prepend=ends.new_zeros(1)).view(firsts.shape).tolist()
    return PlaneBars(counts, births, deaths[bars].where(dies, births), dies)


def _join(orders: Sequence[Order]) -> None:
    """Writes the joins of planes on a GPU."""
    _lacuna.joins_on_device([(_lent(order.times), _lent(order.joins), order.touch, order.has_outside) for order in orders])


def _lent(tensor: Tensor) -> Lent:
    where = lent(tensor)
    assert where is not None
    return where
