"""The bars of planes on a GPU, where they are.

In the plane bars are merges of components: in dimension 0 those of sublevel sets, in dimension 1 those of what is left of the plane, which
grows as the filtration is run backwards, together with what lies outside the image. Where voxels touch at corners in the one, they do not
in the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _lacuna
from ._device_arrays import Lent, lent

if TYPE_CHECKING:
    from torch import Tensor

    from ._images import Request


class Sorted(NamedTuple):
    """The voxels of planes in the order in which they enter."""

    levels: Tensor
    """(n, rows, columns): for each plane its values, ascending."""
    places: Tensor
    """(n, rows, columns): the voxels of each plane that have them, as C numbers them."""
    touch: bool
    """Whether voxels are neighbours at corners, too, in dimension 0."""
    dims: int
    """The number of dimensions, 1 or 2."""
    threshold: float
    """The greatest value."""


def bars_of_planes(torch: Any, planes: Tensor, request: Request) -> tuple[list[int], Tensor] | None:
    """The bars of planes (n, rows, columns): fewer than 2^31 floats, in more than one row and column.

    Of the request, the construction counts, the direction, the highest dimension and the threshold. Returns the number of bars for each
    dimension and each plane, one after the other, and the voxels where they are born and die, (m, 2), as C numbers those of all planes, in
    the order of :func:`lacuna_tda.cubical` by dimension and plane. For a bar that does not end, the second is -1. Returns nothing if there
    is NaN.
    """
    # Adding to 0 makes zeros of both signs the same.
    levels, places = (0 - planes if request.superlevel else 0 + planes).flatten(1).sort(dim=1, stable=True)
    threshold = np.inf if request.threshold is None else -request.threshold if request.superlevel else request.threshold
    dims = 2 if request.max_dim is None else min(request.max_dim + 1, 2)
    # What lies outside has a word, too. Their number is even, since memory that is lent has a multiple of 16 bytes.
    memory = torch.empty((4, (planes.numel() + 2) // 2 * 2), dtype=torch.int64, device=planes.device)
    in_order = Sorted(levels.view(planes.shape), places.view(planes.shape), request.construction == "T", dims, threshold)
    counts = _bars(in_order, memory)
    if counts is None:
        return None
    _, keys, ends, _ = memory[:, : sum(counts)]
    return counts, ends[keys.argsort()].view(torch.int32).view(-1, 2)


def _bars(planes: Sorted, memory: Tensor) -> list[int] | None:
    """Writes the bars of planes into memory on a GPU, and returns how many there are."""
    levels, places, touch, dims, threshold = planes
    return _lacuna.bars_of_planes(_lent(levels), _lent(places), _lent(memory), touch, dims, threshold)


def _lent(tensor: Tensor) -> Lent:
    where = lent(tensor)
    assert where is not None
    return where
