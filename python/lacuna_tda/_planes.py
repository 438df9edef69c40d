"""The bars of planes, by operations of PyTorch, on the device where the planes are.

In the plane bars are merges of components: in dimension 0 those of sublevel sets, in dimension 1 those of what is left of the plane, which
grows as the filtration is run backwards, together with what lies outside the image. Where voxels touch at corners in the one, they do not
in the other.

Components are merged in rounds, as by Borůvka. Each voxel leads to the least around it, and so to a minimum. Pairs of neighbours that lead
to different minima are edges, which enter with the later voxel. In a round, each component finds its first edge. If this leads to an older
component, the component dies by it: had the older one met it by a later edge only, that edge would not have been its own first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from torch import Tensor

    from ._images import Request


class PlaneBars(NamedTuple):
    """The bars of planes in one dimension, those of the first plane first, in the order of :func:`lacuna_tda.cubical`."""

    counts: list[int]
    """How many each plane has."""
    births: Tensor
    """(m,): the place of the birth voxel in all planes, as C numbers them."""
    deaths: Tensor
    """(m,): the place of the death voxel."""
    dies: Tensor
    """(m,): whether the bar dies; if not, its death voxel is its birth voxel."""


def bars_of_planes(torch: Any, planes: Tensor, request: Request) -> list[PlaneBars]:
    """The bars of each dimension of planes (n, rows, columns), floats without NaN, with more than one row and column.

    Of the request, the construction counts, the direction, the highest dimension and the threshold.
    """
    superlevel, threshold = request.superlevel, request.threshold
    # Adding to 0 makes zeros of both signs the same.
    levels = (0 - planes if superlevel else 0 + planes).flatten(1)
    places = levels.sort(dim=1, stable=True).indices
    places = (places + torch.arange(0, levels.numel(), levels.shape[1], device=levels.device)[:, None]).flatten()
    ranks = torch.empty_like(places)
    ranks[places] = torch.arange(len(places), device=places.device)
    ranks = ranks.view(planes.shape)
    levels, last = levels.flatten(), len(places) - 1
    dimensions = 2 if request.max_dim is None else min(2, request.max_dim + 1)
    touch = [(request.construction == "T") == (dim == 0) for dim in range(dimensions)]
    found = [_edges(torch, (ranks, last - ranks)[dim], touch[dim], has_outside=dim == 1) for dim in range(dimensions)]
    oldest = [one for one, _, _ in found]
    # Rounds take as long for both dimensions as for one, so the components of the second are numbered after those of
    # the first.
    ends = torch.cat([pairs + dim * len(oldest[0]) for dim, (_, _, pairs) in enumerate(found)], dim=1)
    deaths_of_all = _deaths(torch, torch.cat([times for _, times, _ in found]), ends, sum(map(len, oldest)))
    ended = torch.split(deaths_of_all, [len(one) for one in oldest])
    bars: list[PlaneBars] = []
    for dim, (born, died) in enumerate(zip(oldest, ended, strict=True)):
        if dim == 1:
            # All but the outside. Bars are born where components end.
            born, by_birth = (last - died[1:]).flip(0).sort(stable=True)
            died = (last - oldest[1][1:]).flip(0)[by_birth]
        births = places[born]
        deaths = places[died].where(died >= 0, births)
        is_bar, dies = (levels[births] != levels[deaths]) | (died < 0), died >= 0
        if threshold is not None:
            # Both are doubles, so that the comparison is exact.
            reached = levels.double() <= (-threshold if superlevel else threshold)
            is_bar, dies = is_bar & reached[births], dies & reached[deaths]
        births, deaths, dies = births[is_bar], deaths[is_bar], dies[is_bar]
        counts = torch.bincount(births // planes[0].numel(), minlength=len(planes)).tolist()
        bars.append(PlaneBars(counts, births, deaths.where(dies, births), dies))
    return bars


def _edges(torch: Any, ranks: Tensor, touch: bool, has_outside: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Of planes whose voxels enter by rank, the oldest voxel of each component, and of each edge its time and its two components.

    Voxels and times are ranks, components are numbered from the oldest on. Voxels are neighbours along the axes, and where they `touch`, at
    corners. What lies outside the planes, if anything does, is component 0, next to the voxels at the border; its oldest voxel is -1.
    """
    every, before, after = slice(None), slice(None, -1), slice(1, None)
    # Slices of voxels and of their neighbours, and how far these are apart.
    shifts: list[tuple[Any, Any, int]] = [((every, after), (every, before), ranks.shape[2]), ((..., after), (..., before), 1)]
    if touch:
        shifts.append(((every, after, after), (every, before, before), ranks.shape[2] + 1))
        shifts.append(((every, after, before), (every, before, after), ranks.shape[2] - 1))
    needed = _needed(torch, ranks, touch)
    least = ranks.clone()
    for one, other, _ in shifts:
        least[one] = torch.minimum(least[one], ranks[other])
        least[other] = torch.minimum(least[other], ranks[one])
    ranks = ranks.flatten()
    itself = torch.arange(len(ranks), device=ranks.device)
    leads = _followed(torch, torch.empty_like(ranks).scatter(0, ranks, least.flatten()))
    is_oldest = leads == itself
    oldest = is_oldest.nonzero().flatten()
    # The outside is after the last voxel.
    components = (is_oldest.cumsum(0) - 1 + has_outside)[leads][ranks]
    shaped = components.view(least.shape)
    ones, others = [], []
    for (one, other, apart), are_needed in zip(shifts, needed, strict=True):
        joins = torch.zeros(least.shape, dtype=torch.bool, device=ranks.device)
        joins[one] = are_needed & (shaped[one] != shaped[other])
        ones.append(joins.flatten().nonzero().flatten())
        others.append(ones[-1] - apart)
    if has_outside:
        for side in ((every, 0), (every, -1), (..., 0), (..., -1)):
            # What enters beside an earlier voxel of the border joins nothing more.
            border = ranks.view(least.shape)[side]
            is_first = torch.ones_like(border, dtype=torch.bool)
            is_first[:, 1:] &= border[:, 1:] < border[:, :-1]
            is_first[:, :-1] &= border[:, :-1] < border[:, 1:]
            ones.append(itself.view(least.shape)[side][is_first])
            others.append(torch.full_like(ones[-1], len(ranks)))
        nowhere = ranks.new_tensor([-1])
        oldest, ranks, components = torch.cat([nowhere, oldest]), torch.cat([ranks, nowhere]), torch.cat([components, nowhere + 1])
    pairs = torch.stack([torch.cat(ones), torch.cat(others)])
    times: Tensor = ranks[pairs].amax(0)
    return oldest, times, components[pairs]


def _deaths(torch: Any, times: Tensor, ends: Tensor, count: int) -> Tensor:
    """When each of some components dies, -1 if it does not, by the times and the components (2, n) of edges; lesser ones are older."""
    times, by_time = times.sort()
    ends = ends[:, by_time]
    itself = torch.arange(count, device=times.device)
    died: Tensor = torch.full_like(itself, -1)
    while len(times):
        numbers = torch.arange(len(times), dtype=torch.int32, device=times.device).expand(2, -1)
        first = torch.full_like(itself, len(times), dtype=torch.int32).scatter_reduce(0, ends.flatten(), numbers.flatten(), "amin")
        edges = first.clamp(max=len(times) - 1).long()
        others = (ends[0] + ends[1])[edges] - itself
        dies = (first < len(times)) & (others < itself)
        died = times[edges].where(dies, died)
        ends = _followed(torch, others.where(dies, itself))[ends]
        joins = (ends[0] != ends[1]).nonzero().flatten()
        times, ends = times[joins], ends[:, joins]
    return died


def _needed(torch: Any, ranks: Tensor, touch: bool) -> list[Tensor]:
    """Which pairs of neighbours may join components: down, to the right, and where voxels `touch`, down to the right and to the left.

    Of the pairs in a square of voxels that enter with the last of them, one is enough: the others are joined by pairs that enter before.
    """
    down, right = (ranks[:, :-1], ranks[:, 1:]), (ranks[..., :-1], ranks[..., 1:])
    first_down, first_right = torch.minimum(*down), torch.minimum(*right)
    are_down, are_right = torch.ones_like(first_down, dtype=torch.bool), torch.ones_like(first_right, dtype=torch.bool)
    if touch:
        # All four voxels are neighbours. Of the pairs that enter with a voxel, that with the first of all is kept.
        first = torch.minimum(first_right[:, :-1], first_right[:, 1:])
        are_right[:, :-1] &= first_right[:, :-1] == first
        are_right[:, 1:] &= first_right[:, 1:] == first
        are_down[..., :-1] &= first_down[..., :-1] == first
        are_down[..., 1:] &= first_down[..., 1:] == first
        to_right = torch.minimum(ranks[:, :-1, :-1], ranks[:, 1:, 1:]) == first
        return [are_down, are_right, to_right, torch.minimum(ranks[:, :-1, 1:], ranks[:, 1:, :-1]) == first]
    # Two pairs enter with the last voxel, one in each direction. That with the later neighbour is left out.
    last_down, last_right = torch.maximum(*down), torch.maximum(*right)
    is_upper, is_left = last_right[:, :-1] > last_right[:, 1:], last_down[..., :-1] > last_down[..., 1:]
    of_right = first_right[:, :-1].where(is_upper, first_right[:, 1:])
    is_right = of_right > first_down[..., :-1].where(is_left, first_down[..., 1:])
    are_right[:, :-1] &= ~(is_right & is_upper)
    are_right[:, 1:] &= ~(is_right & ~is_upper)
    are_down[..., :-1] &= is_right | ~is_left
    are_down[..., 1:] &= is_right | is_left
    return [are_down, are_right]


def _followed(torch: Any, leads: Tensor) -> Tensor:
    """Where each number leads to in the end, if each leads to a lesser one or to itself."""
    while True:
        # To ask whether this is the end takes as long as to go on.
        further = leads[leads]
        further = further[further]
        if torch.equal(further, leads):
            return leads
        leads = further
