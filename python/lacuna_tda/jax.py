"""Bars and Euler characteristic transforms that JAX differentiates, under ``jit``, ``grad`` and ``vmap``. JAX is imported by the first call.

JAX compiles for shapes that it knows beforehand, so the number of bars is an argument: the longest are kept, in this order, and rows for
bars that are not there are zeros, as of a bar of length 0. What else there is to say of gradients is said in :mod:`lacuna_tda.torch`.

>>> import lacuna_tda.jax as topology  # doctest: +SKIP
>>> points = jax.random.uniform(jax.random.key(0), (100, 2))  # doctest: +SKIP
>>> longest = lambda points: topology.rips(points, max_bars=1)[1, 0]  # doctest: +SKIP
>>> jax.jit(jax.grad(lambda points: jnp.diff(longest(points))[0]))(points)  # doctest: +SKIP

Under ``vmap`` the bars of all inputs are found by one call, on all cores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _images, _rips
from ._arguments import count
from ._ect import cells_alone, sampled
from ._extras import extra
from ._keywords import suggests_keywords
from ._options import CubicalManyOptions, CubicalTensorOptions, RipsTensorOptions, filled, takes

if TYPE_CHECKING:
    from jax import Array
    from typing_extensions import Unpack

    from ._diagram import Diagram

__all__ = ["cubical", "ect", "rips"]

Indices = NDArray[np.int32]

# In the place of an index: the bar never dies, or the number is 0.
NEVER, ZERO = -1, -2


@takes(RipsTensorOptions)
def rips(X: Any, *, max_bars: int, **options: Unpack[RipsTensorOptions]) -> Array:
    """The longest bars of the Vietoris-Rips filtration of points or distances, differentiable.

    Parameters
    ----------
    X : array
        Points (n, d), or with ``metric="precomputed"`` distances (n, n), of single or double precision.
    max_bars : int
        The number of bars of each dimension.
    metric, max_dim, threshold, modulus, threads, backend, progress, time_limit, memory
        As those of :func:`lacuna_tda.torch.rips`.

    Returns
    -------
    array
        (max_dim + 1, max_bars, 2): births and deaths of each dimension, those that last longest first, then zeros. The death of a bar that
        never ends is ``inf``.

    Raises
    ------
    ValueError, TypeError, MemoryError, TimeoutError, RuntimeError
        As :func:`lacuna_tda.torch.rips`; under ``jit``, what only the numbers show is an error of JAX with the same message.
    ImportError
        JAX is not installed.
    """
    jax = extra("jax", "jax", "lacuna_tda.jax")
    options = filled(RipsTensorOptions, options)
    X = _floats(jax, X)
    is_precomputed = options["metric"] == "precomputed"
    if not is_precomputed and options["metric"] != "euclidean":
        raise ValueError(f"metric: expected euclidean or precomputed, found {options['metric']!r}")
    if X.ndim != 2:
        raise ValueError(f"expected points (n, d) or distances (n, n), found an array of shape {X.shape}; jax.vmap takes several")
    asked: dict[str, Any] = {**options, "representatives": "simplices", "symmetrize": "mean" if is_precomputed else None}

    def edges(diagram: Diagram, dim: int) -> Indices:
        table = (diagram.representatives or [])[dim]
        births = table.birth_edges if dim else np.full_like(table.death_edges, ZERO)
        return np.stack([births, table.death_edges], axis=1).astype(np.int32)

    dims = count("max_dim", options["max_dim"], 0) + 1
    ends = _longest(jax, X, lambda arrays: _rips.rips_many(arrays, **asked), edges, (dims, count("max_bars", max_bars, 1), 2, 2))
    i, j = (ends[..., k].clip(0) for k in (0, 1))
    if is_precomputed:
        lengths = (X[i, j] + X[j, i]) / 2
    else:
        squares = ((X[i] - X[j]) ** 2).sum(axis=-1)
        # The gradient is zero where two points are equal.
        lengths = jax.numpy.where(squares > 0, jax.numpy.sqrt(jax.numpy.where(squares > 0, squares, 1)), 0)
    return _bars(jax, ends[..., 0], lengths, np.inf)


@takes(CubicalTensorOptions)
def cubical(image: Any, *, max_bars: int, **options: Unpack[CubicalTensorOptions]) -> Array:
    """The longest bars of an image, differentiable.

    Parameters
    ----------
    image : array
        Up to three axes of more than one voxel, of single or double precision.
    max_bars : int
        The number of bars of each dimension.
    construction, superlevel, max_dim, threshold, periodic, mask, verify, threads, backend, progress, time_limit, memory
        As those of :func:`lacuna_tda.cubical`.

    Returns
    -------
    array
        (dimensions, max_bars, 2): births and deaths, as of :func:`rips`; of superlevel sets the death of a bar that never ends is ``-inf``.

    Raises
    ------
    ValueError, TypeError, MemoryError, TimeoutError, RuntimeError, ImportError
        As :func:`rips`.
    """
    jax = extra("jax", "jax", "lacuna_tda.jax")
    options = filled(CubicalTensorOptions, options)
    image = _floats(jax, image)
    asked: dict[str, Any] = {**options, "locations": True}

    def voxels(diagram: Diagram, dim: int) -> Indices:
        births, deaths = (diagram.locations or [])[dim]
        dies = deaths[:, 0] >= 0
        ends = np.full((len(births), 2), NEVER, dtype=np.int32)
        ends[:, 0] = np.ravel_multi_index(tuple(births.T), image.shape)
        ends[dies, 1] = np.ravel_multi_index(tuple(deaths[dies].T), image.shape)
        return ends

    some: Any = options
    request = _images.requested(filled(CubicalManyOptions, some))
    closed = range(image.ndim) if request.periodic is None else request.periodic
    are_closed = [axis in closed or axis - image.ndim in closed for axis, extent in enumerate(image.shape) if extent > 1]
    # A torus has bars of its own dimension.
    dims = max(1, len(are_closed) + (len(closed) > 0 and all(are_closed)))
    dims = dims if request.max_dim is None else min(dims, request.max_dim + 1)
    ends = _longest(jax, image, lambda arrays: _images.cubical_many(arrays, **asked), voxels, (dims, count("max_bars", max_bars, 1), 2))
    return _bars(jax, ends, image.reshape(-1)[ends.clip(0)], -np.inf if options["superlevel"] else np.inf)


@suggests_keywords
def ect(points: Any, cells: Sequence[Any] = (), *, directions: Any, bins: int, radius: float, scale: float) -> Array:
    """The Euler characteristic transform of points with cells on them, differentiable.

    Parameters
    ----------
    points : array
        (n, d), of single or double precision.
    cells, directions, bins, radius, scale
        As those of :func:`lacuna_tda.torch.ect`, which says what it computes; directions are an array.

    Returns
    -------
    array
        (k, bins).

    Raises
    ------
    ValueError, TypeError, ImportError
        As :func:`lacuna_tda.torch.ect`.
    """
    jax = extra("jax", "jax", "lacuna_tda.jax")
    points, directions = _floats(jax, points), _floats(jax, directions)
    bins, radius, scale = sampled(points, directions, "arrays", bins, radius, scale)
    heights = directions @ points.T
    samples = jax.numpy.linspace(-radius, radius, bins, dtype=points.dtype)
    answer: Array = jax.numpy.zeros((len(directions), bins), dtype=points.dtype)
    for dim, of in enumerate((None, *cells)):
        if of is not None and not isinstance(of, jax.core.Tracer):
            of = cells_alone(dim, of, points.shape[0])
        of_cells = heights if of is None else heights[:, of].max(axis=2)
        answer = answer + (-1) ** dim * jax.nn.sigmoid(scale * (samples - of_cells[:, :, None])).sum(axis=1)
    return answer


def _floats(jax: Any, array: Any) -> Any:
    found = jax.numpy.asarray(array)
    if found.dtype not in (np.float32, np.float64):
        raise TypeError(f"expected an array of type float32 or float64, found {found.dtype}")
    return found


def _longest(
    jax: Any,
    array: Any,
    diagrams_of: Callable[[NDArray[Any]], list[Diagram]],
    indices: Callable[[Diagram, int], Indices],
    shape: tuple[int, ...],
) -> Any:
    """Where the births and deaths of the longest bars of each dimension come from, found by the host."""

    def found(of: Any) -> Indices:
        several = np.asarray(of)
        before = several.shape[: several.ndim - array.ndim]
        diagrams = diagrams_of(several.reshape(-1, *array.shape))
        ends = np.full((len(diagrams), *shape), ZERO, dtype=np.int32)
        for one, diagram in zip(ends, diagrams):
            for dim, bars in enumerate(diagram):
                order = np.argsort(-np.abs(bars[:, 1] - bars[:, 0]), kind="stable")[: shape[1]]
                one[dim, : len(order)] = indices(diagram, dim)[order]
        return ends.reshape(*before, *shape)

    answer = jax.ShapeDtypeStruct(shape, np.int32)
    # Bars are where they are, whatever small changes: indices have no gradient.
    return jax.pure_callback(found, answer, jax.lax.stop_gradient(array), vmap_method="broadcast_all")


def _bars(jax: Any, indices: Any, values: Any, never: float) -> Array:
    """Births and deaths: the values, except where there is no index."""
    bars: Array = jax.numpy.where(indices >= 0, values, jax.numpy.where(indices == NEVER, never, 0.0).astype(values.dtype))
    return bars
