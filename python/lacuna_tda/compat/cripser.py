"""What ``cripser`` (CubicalRipser 0.0.37) offers to compute bars: ``from lacuna_tda.compat.cripser import compute_ph``.

Rows are those of CubicalRipser: dimension, birth, death, the voxel of the birth, the voxel of the death. Images are done by
:func:`lacuna_tda.cubical`; their cycles come from boundary matrices, which takes longer.

>>> import numpy as np
>>> ring = np.array([[1.0, 1.0, 1.0], [1.0, 9.0, 1.0], [1.0, 1.0, 1.0]])
>>> compute_ph(ring)[:, :3]
array([[ 0.,  1., inf],
       [ 1.,  1.,  9.]])
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import cubical
from .._arguments import numbers, unmasked
from ._cells import cubical_pairs, is_beyond_voxels

__all__ = [
    "computePH",
    "computePH_T",
    "compute_ph",
    "dual_embedding",
    "group_by_dim",
    "to_gudhi_diagrams",
    "to_gudhi_persistence",
]

Table = NDArray[np.float64]
Cycles = list[list[list[int]]]

NEVER = float(np.finfo(np.float64).max)
"""The death of essential classes in :func:`computePH`, and the birth of what is outside an embedded image."""


def compute_ph(
    arr: Any,
    *,
    filtration: str = "V",
    maxdim: int = 3,
    top_dim: bool = False,
    embedded: bool = False,
    location: str = "yes",
    representatives: bool = False,
    n_threads: int = 1,
    inf_cutoff: bool = True,
) -> Table | tuple[Table, Cycles]:
    """The bars of an image.

    Parameters
    ----------
    arr : array
        Of one to four axes, of numbers; taken in double precision.
    filtration : str
        ``"T"`` or ``"t"``: voxels are top cells; anything else: they are vertices.
    maxdim : int
        The highest homology dimension.
    top_dim : bool
        Whether only the dimension one below the number of axes is wanted; `maxdim` then has no effect, as in CubicalRipser.
    embedded : bool
        Whether the complement is meant: the negative image, in a sphere whose other voxels are there from the beginning. By Alexander's duality
        its bars are those of the other construction, negated. Of a line only the bar of what is outside is told, as in CubicalRipser.
    location : str
        Without effect, as in CubicalRipser: voxels are always told.
    representatives : bool
        Whether cycles are wanted too.
    n_threads : int
        The number of threads; 0 is one a core.
    inf_cutoff : bool
        Whether deaths of essential classes are ``inf`` instead of the greatest double.

    Returns
    -------
    array (n, 9), or (n, 11) of four axes
        A row a class: dimension, birth, death, and the coordinates of the two voxels, filled up by 0; -1 of the deaths of essential classes and
        of what is outside the image. By dimension; in dimension 0 by death, above by descending birth.
    list of cycles
        If `representatives`: for each row the cells of a cycle over Z/2, each a list of the coordinates of its least corner and of the number of
        its direction. Of an embedded image the coordinates are those of the image with a border of one voxel.

    Raises
    ------
    ValueError
        An array of another number of axes, an empty one, or NaN; cycles of the top dimension only.
    TypeError
        An array of something else than numbers.
    """
    image = np.asarray(unmasked(arr))
    if not 1 <= image.ndim <= 4:
        raise ValueError(f"expected an array of one to four axes, found {image.ndim}")
    if not np.issubdtype(image.dtype, np.number):
        raise TypeError(f"expected an array of numbers, found one of {image.dtype}")
    compute = computePH_T if filtration.upper() == "T" else computePH
    answer = compute(
        image,
        maxdim=maxdim,
        top_dim=top_dim,
        embedded=embedded,
        location=location,
        representatives=representatives,
        n_threads=n_threads,
    )
    if inf_cutoff:
        table = answer[0] if isinstance(answer, tuple) else answer
        table[table[:, 2] >= NEVER / 2, 2] = np.inf
    return answer


def computePH(
    arr: Any,
    maxdim: int = 3,
    top_dim: bool = False,
    embedded: bool = False,
    location: str = "yes",
    representatives: bool = False,
    n_threads: int = 1,
) -> Table | tuple[Table, Cycles]:
    """The bars of an image whose voxels are vertices, as those of :func:`compute_ph`; essential classes die at the greatest double.

    Parameters
    ----------
    arr, maxdim, top_dim, embedded, location, representatives, n_threads
        As those of :func:`compute_ph`.
    """
    return _computed(arr, False, maxdim, top_dim, embedded, representatives, n_threads)


def computePH_T(
    arr: Any,
    maxdim: int = 3,
    top_dim: bool = False,
    embedded: bool = False,
    location: str = "yes",
    representatives: bool = False,
    n_threads: int = 1,
) -> Table | tuple[Table, Cycles]:
    """The bars of an image whose voxels are top cells, as those of :func:`computePH`.

    Parameters
    ----------
    arr, maxdim, top_dim, embedded, location, representatives, n_threads
        As those of :func:`compute_ph`.
    """
    return _computed(arr, True, maxdim, top_dim, embedded, representatives, n_threads)


def _computed(
    arr: Any, are_top: bool, maxdim: int, top_dim: bool, embedded: bool, representatives: bool, n_threads: int
) -> Table | tuple[Table, Cycles]:
    """The classes of an image in either construction."""
    if representatives and top_dim:
        raise ValueError("representatives, top_dim: expected one of them at most")
    image = numbers(arr, "an image").astype(np.float64, copy=False)
    if not 1 <= image.ndim <= 4:
        raise ValueError(f"expected an array of one to four axes, found {image.ndim}")
    if image.size == 0:
        raise ValueError(f"expected an image without an axis of length 0, found an array of shape {image.shape}")
    axes, shape = image.ndim, image.shape
    if embedded:
        image = np.pad(-image, 1, constant_values=-NEVER)
    threads = n_threads if n_threads > 0 else None
    highest = axes - 1 if top_dim else min(max(maxdim, 0), axes - 1)
    tables: list[Table] = []
    cycles: Cycles = []
    bars: NDArray[np.float64]
    births: NDArray[np.int64]
    deaths: NDArray[np.int64]
    for dim, (bars, births, deaths, of_bars) in enumerate(_classes(image, are_top, highest, representatives, threads)):
        if top_dim and dim != axes - 1:
            continue
        kept = np.flatnonzero((bars[:, 0] < bars[:, 1]) & (bars[:, 0] != np.inf))
        if embedded and axes == 1:
            kept = kept[bars[kept, 1] == np.inf]
        kept = kept[np.argsort(bars[kept, 1] if dim == 0 else -bars[kept, 0], kind="stable")]
        bars, births, deaths = bars[kept], births[kept], deaths[kept]
        # A voxel of value inf never appears, so what it would end does not end.
        deaths[bars[:, 1] == np.inf] = -1
        if embedded:
            births, deaths = (_inside(voxels - 1, shape) for voxels in (births, deaths))
        filled = np.zeros((len(bars), max(axes, 3) - axes))
        missing = [np.where(voxels[:, :1] < 0, -1.0, filled) for voxels in (births, deaths)]
        columns = [np.full(len(bars), float(dim)), bars, births, missing[0], deaths, missing[1]]
        tables.append(np.column_stack(columns))
        if of_bars is not None:
            cycles += [
                [[*cell[:-1], *[0] * (max(axes, 3) - axes), cell[-1]] for cell in of_bars[place]] for place in kept
            ]
    width = 3 + 2 * max(axes, 3)
    table = np.concatenate([np.empty((0, width)), *tables])
    table[table[:, 2] == np.inf, 2] = NEVER
    return (table, cycles) if representatives else table


def _classes(
    image: NDArray[np.float64], are_top: bool, max_dim: int, representatives: bool, threads: int | None
) -> list[Any]:
    """For each dimension bars, the voxels of their births and deaths, and cycles if they are wanted."""
    if representatives or is_beyond_voxels(image.shape):
        return list(
            cubical_pairs(image, vertices=not are_top, max_dim=max_dim, cycles=representatives, threads=threads)
        )
    found = cubical(image, construction="T" if are_top else "V", max_dim=max_dim, locations=True, threads=threads)
    places = found.locations or []
    return [(bars, births, deaths, None) for bars, (births, deaths) in zip(found, places)]


def _inside(voxels: NDArray[np.int64], shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Voxels, with -1 for those outside the image."""
    is_outside = np.any((voxels < 0) | (voxels >= np.array(shape)), axis=1)
    found = voxels.copy()
    found[is_outside] = -1
    return found


def dual_embedding(arr: Any) -> NDArray[np.float64]:
    """The least values around the corners of voxels: an array that is longer by one along each axis.

    Parameters
    ----------
    arr : array
        An image of one to four axes.
    """
    image = numbers(arr, "an image").astype(np.float64, copy=False)
    if not 1 <= image.ndim <= 4:
        raise ValueError(f"expected an array of one to four axes, found {image.ndim}")
    corners = np.full([length + 1 for length in image.shape], np.inf)
    for corner in product((0, 1), repeat=image.ndim):
        part = corners[tuple(slice(at, at + length) for at, length in zip(corner, image.shape))]
        np.minimum(part, image, out=part)
    return corners


def to_gudhi_diagrams(ph: Any, *, maxdim: int | None = None, include_empty: bool = True) -> list[NDArray[np.float64]]:
    """For each dimension births and deaths, (k, 2), of a table.

    Parameters
    ----------
    ph : array
        A table of :func:`compute_ph`.
    maxdim : int, optional
        The last dimension; by default the last of the table.
    include_empty : bool
        Whether dimensions without bars are there, too.
    """
    table = _table(ph)
    last = (int(table[:, 0].max()) if len(table) else 0) if maxdim is None else maxdim
    bars = np.column_stack([table[:, 1], _deaths(table)])
    diagrams = [bars[table[:, 0] == dim] for dim in range(last + 1)]
    return [diagram for diagram in diagrams if include_empty or len(diagram)]


def to_gudhi_persistence(ph: Any) -> list[tuple[int, tuple[float, float]]]:
    """The rows of a table as pairs of a dimension and a pair of birth and death.

    Parameters
    ----------
    ph : array
        A table of :func:`compute_ph`.
    """
    table = _table(ph)
    return [
        (int(dim), (float(birth), float(death))) for dim, birth, death in zip(table[:, 0], table[:, 1], _deaths(table))
    ]


def group_by_dim(ph: Any) -> list[NDArray[np.float64]]:
    """For each dimension the rows of a table.

    Parameters
    ----------
    ph : array
        A table of :func:`compute_ph`.
    """
    table = _table(ph)
    if table.shape[1] not in (9, 11):
        raise ValueError(f"expected a table of 9 or 11 columns, found {table.shape[1]}")
    last = int(table[:, 0].max()) if len(table) else 0
    return [table[table[:, 0] == dim] for dim in range(last + 1)]


def _table(ph: Any) -> NDArray[np.float64]:
    table = np.asarray(ph, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 3:
        raise ValueError(f"expected a table of 3 columns or more, found an array of shape {table.shape}")
    return table


def _deaths(table: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(table[:, 2] >= NEVER / 2, np.inf, table[:, 2])
