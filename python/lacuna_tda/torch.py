"""Bars that PyTorch differentiates, of points, distances and images. PyTorch is imported by the first call.

A bar is born and dies with a simplex, whose diameter is the length of one edge: of a bar of points, birth and death are the distances of two
points each. Of an image they are values of two voxels. Where no two distances or values are the same, these edges and voxels stay the same while
what they belong to changes a little. So births and deaths are differentiable, and their gradients are those of a few distances or voxels.

>>> import lacuna_tda.torch as topology  # doctest: +SKIP
>>> points = torch.rand(100, 2, requires_grad=True)  # doctest: +SKIP
>>> births, deaths = topology.rips(points)[1].T  # doctest: +SKIP
>>> (deaths - births).sum().backward()  # doctest: +SKIP

Where two distances are equal, the gradient is that of one of several edges. A distance of two equal points has the gradient zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from . import _images, _rips
from ._extras import extra
from ._keywords import suggests_keywords

if TYPE_CHECKING:
    from torch import Tensor

    from ._progress import Report

__all__ = ["cubical", "rips"]

Backend = Literal["auto", "cpu", "cuda"]
Indices = NDArray[np.int64]


@suggests_keywords
def rips(
    X: Tensor,
    *,
    metric: Literal["euclidean", "precomputed"] = "euclidean",
    max_dim: int = 1,
    threshold: float | None = None,
    modulus: int = 2,
    threads: int | None = None,
    backend: Backend = "auto",
    progress: bool | Report = False,
) -> list[Tensor]:
    """The Vietoris-Rips barcode of points or distances, differentiable.

    Parameters
    ----------
    X : tensor
        Points (n, d), or with ``metric="precomputed"`` distances (n, n), of single or double precision, on any device: they are copied to the
        processor. Of distances the mean of both halves counts.
    metric : "euclidean" or "precomputed"
        What ``X`` holds.
    max_dim, threshold, modulus, threads, backend, progress
        As those of :func:`lacuna_tda.rips`.

    Returns
    -------
    list of tensor
        For each dimension births and deaths, (m, 2), in the order of :func:`lacuna_tda.rips`, with the type and the device of ``X``. The death
        of a bar that never ends is ``inf``; it and the births of dimension 0, which are 0, have no gradient.

    Raises
    ------
    ValueError, TypeError, MemoryError, RuntimeError
        As :func:`lacuna_tda.rips`; ``X`` is no tensor of floats.
    ImportError
        PyTorch is not installed.
    """
    torch = _torch()
    _expect_floats(torch, X)
    if metric not in ("euclidean", "precomputed"):
        raise ValueError(f"metric: expected euclidean or precomputed, found {metric!r}")
    is_precomputed = metric == "precomputed"
    if is_precomputed and X.ndim != 2:
        raise ValueError(f"expected distances of shape (n, n), found a tensor of shape {tuple(X.shape)}")
    diagram = _rips.rips(
        X.detach().cpu().numpy(),
        metric=metric,
        max_dim=max_dim,
        threshold=threshold,
        modulus=modulus,
        symmetrize="mean" if is_precomputed else None,
        representatives="simplices",
        threads=threads,
        backend=backend,
        progress=progress,
    )

    def lengths(edges: Indices) -> Tensor:
        i, j = torch.from_numpy(edges.T.copy()).to(X.device)
        if is_precomputed:
            return (X[i, j] + X[j, i]) / 2
        # Its gradient is zero where two points are equal.
        apart: Tensor = torch.linalg.vector_norm(X[i] - X[j], dim=1)
        return apart

    tables = diagram.representatives or []
    return [
        _bars(
            torch,
            lengths,
            X.new_zeros(len(table.places)) if dim == 0 else lengths(table.birth_edges),
            table.death_edges,
            X.new_full((len(table.places),), np.inf),
        )
        for dim, table in enumerate(tables)
    ]


@suggests_keywords
def cubical(
    image: Tensor,
    *,
    construction: Literal["T", "V"] = "T",
    superlevel: bool = False,
    max_dim: int | None = None,
    threshold: float | None = None,
    threads: int | None = None,
    backend: Backend = "auto",
    progress: bool | Report = False,
) -> list[Tensor]:
    """The barcode of an image, differentiable.

    Parameters
    ----------
    image : tensor
        Up to three axes of more than one voxel, of single or double precision, on any device: it is copied to the processor.
    construction, superlevel, max_dim, threshold, threads, backend, progress
        As those of :func:`lacuna_tda.cubical`.

    Returns
    -------
    list of tensor
        For each dimension births and deaths, (m, 2), in the order of :func:`lacuna_tda.cubical`, with the type and the device of the image. The
        death of a bar that never ends is ``inf``, of superlevel sets ``-inf``, without a gradient.

    Raises
    ------
    ValueError, TypeError, MemoryError, RuntimeError
        As :func:`lacuna_tda.cubical`; the image is no tensor of floats.
    ImportError
        PyTorch is not installed.
    """
    torch = _torch()
    _expect_floats(torch, image)
    diagram = _images.cubical(
        image.detach().cpu().numpy(),
        construction=construction,
        superlevel=superlevel,
        max_dim=max_dim,
        threshold=threshold,
        locations=True,
        threads=threads,
        backend=backend,
        progress=progress,
    )

    def values(voxels: Indices) -> Tensor:
        return image[tuple(torch.from_numpy(voxels.T.copy()).to(image.device))]

    never = -np.inf if superlevel else np.inf
    return [
        _bars(torch, values, values(births), deaths, image.new_full((len(deaths),), never))
        for births, deaths in diagram.locations or []
    ]


def _torch() -> Any:
    return extra("torch", "torch", "lacuna_tda.torch")


def _expect_floats(torch: Any, tensor: Any) -> None:
    """Raises an error if something is no tensor of single or double precision."""
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"expected a tensor of PyTorch, found {type(tensor).__name__}")
    if tensor.dtype not in (torch.float32, torch.float64):
        raise TypeError(f"expected a tensor of type float32 or float64, found {tensor.dtype}")


def _bars(torch: Any, at: Callable[[Indices], Tensor], births: Tensor, deaths: Indices, never: Tensor) -> Tensor:
    """Births and deaths of a dimension. Where there is no death, a row of which is negative, it is the number in `never`."""
    ends = np.flatnonzero((deaths >= 0).all(axis=1))
    places = torch.from_numpy(ends).to(never.device)
    bars: Tensor = torch.stack([births, never.index_put((places,), at(deaths[ends]))], dim=1)
    return bars
