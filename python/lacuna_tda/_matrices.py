"""Persistence pairs of boundary matrices."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _lacuna
from ._arguments import count, flag, floats, is_sparse, optional_count, warn, word
from ._diagram import Diagram, Indices
from ._options import ReduceOptions, expect_representatives, filled, running, takes

if TYPE_CHECKING:
    from typing_extensions import Unpack

class Reduction(NamedTuple):
    """The persistence pairs of a filtration of n cells, which are numbered from 0."""

    pairs: Indices
    """(m, 2): the cell that creates a class and the one that destroys it, by the first."""
    essential: Indices
    """(k,): the cells that create classes which are never destroyed, ascending."""
    dimensions: NDArray[np.uint8]
    """(n,): the dimension of each cell."""
    values: NDArray[np.float64] | None
    """(n,): the value at which each cell enters, if the file has values."""
    max_dim: int
    """The dimension of the complex."""
    is_cut: bool
    """Whether cells above ``max_dim`` may have been left out, so that essential classes of that dimension mean nothing."""
    cycles: dict[int, Indices] | None
    """By the cell that creates a class, the cells of a cycle that represents it, ascending; if cycles were asked for."""

    def __repr__(self) -> str:
        cycles = "" if self.cycles is None else f", {len(self.cycles)} cycles"
        return f"<Reduction of {len(self.dimensions)} cells: {len(self.pairs)} pairs, {len(self.essential)} essential{cycles}>"

    def diagram(self, values: Any = None) -> Diagram:
        """The bars of each dimension: by the values of cells, (n,), without bars of length zero; or by the numbers of cells if there are none.

        >>> import numpy as np
        >>> import lacuna_tda
        >>> edge = Reduction(np.array([[1, 2]]), np.array([0]), np.array([0, 0, 1], np.uint8), None, 1, False, None)
        >>> edge.diagram([0.0, 0.0, 1.5]).bars(0)
        array([[0. , 1.5],
               [0. , inf]])
        """
        given = self.values if values is None else floats(values).astype(np.float64)
        cells = len(self.dimensions)
        if given is not None and given.shape != (cells,):
            raise ValueError(f"values: expected one for each of {cells} cells, found shape {given.shape}")
        at = np.arange(cells, dtype=np.float64) if given is None else given
        births = np.concatenate([self.pairs[:, 0], self.essential])
        deaths = np.concatenate([at[self.pairs[:, 1]], np.full(len(self.essential), np.inf)])
        of = self.dimensions[births]
        bars = np.column_stack([at[births], deaths])
        is_kept = bars[:, 0] != bars[:, 1]
        dimensions = self.max_dim if self.is_cut else self.max_dim + 1
        return Diagram([bars[is_kept & (of == dim)] for dim in range(dimensions)] if cells else [])


@takes(ReduceOptions)
def reduce(matrix: Any, **options: Unpack[ReduceOptions]) -> Reduction:
    """The persistence pairs of a boundary matrix over Z/2.

    Parameters
    ----------
    matrix : sparse matrix or path
        A sparse matrix of SciPy (n, n): rows and columns are the cells in filtration order, entries 0, 1 or -1. Or the path of a file: a
        boundary matrix of PHAT or DIPHA, an image or distances of DIPHA, or a sparse matrix that SciPy or Matrix Market wrote.
    dimensions : sequence of int, optional
        (n,): the dimensions of the cells of a sparse matrix. By default a cell whose column is zero is a vertex, and another one has one
        dimension more than the cells of its boundary.
    format : str, optional
        The format of the file; by default its content and name tell.
    max_dim : int, optional
        Of DIPHA's images and distances, homology up to this dimension.
    algorithm : str, optional
        By default the sieve, which settles each dimension in the way that suits it. All have the same pairs.
    dualize : "auto", "on" or "off"
        Whether the anti-transpose is reduced, which has the same pairs.
    check : bool
        Whether a matrix is refused whose boundaries have boundaries, of which the algorithms find different pairs.
    representatives : "cycles", optional
        Whether :attr:`Reduction.cycles` holds a cycle of each class.
    only : sequence of int, optional
        Cycles of the classes alone that these cells create.
    min_persistence : int, optional
        Cycles of the classes alone that last so many cells or more, and of essential ones.
    threads, backend, progress, time_limit, memory, checkpoint, checkpoint_every
        As those of :func:`rips`.

    Returns
    -------
    Reduction

    Raises
    ------
    ValueError
        A matrix that is no boundary matrix, or a file that holds none.
    OSError
        The file cannot be read; of its kind, as FileNotFoundError.
    TypeError, MemoryError, TimeoutError, RuntimeError
        As :func:`rips`.

    Examples
    --------
    A triangle: vertices 0 to 2, edges 3 to 5, and the face 6, which fills it.

    >>> import lacuna_tda
    >>> from scipy.sparse import csc_array
    >>> edges, ones = [[0, 1], [0, 2], [1, 2]], [1] * 9
    >>> rows = [0, 1, 0, 2, 1, 2, 3, 4, 5]
    >>> triangle = csc_array((ones, rows, [0, 0, 0, 0, 2, 4, 6, 9]), shape=(7, 7))
    >>> found = lacuna_tda.reduce(triangle)
    >>> found.pairs
    array([[1, 3],
           [2, 4],
           [5, 6]])
    >>> found.essential
    array([0])
    """
    options = filled(ReduceOptions, options)
    representatives, algorithm, only = options["representatives"], options["algorithm"], options["only"]
    if representatives not in (None, "cycles"):
        raise ValueError(f"representatives: expected None or cycles, found {representatives!r}")
    if representatives is None:
        expect_representatives(options, ("only", "min_persistence"), "cycles")
    request = Request(
        format=options["format"],
        max_dim=optional_count("max_dim", options["max_dim"], 0),
        algorithm=None if algorithm is None else word("algorithm", algorithm, "the name of an algorithm"),
        dualize=word("dualize", options["dualize"], "auto, on or off"),
        check=flag("check", options["check"]),
        cycles=representatives is not None,
        only=None if only is None else [count("only", cell, 0) for cell in only],
        min_persistence=optional_count("min_persistence", options["min_persistence"], 0),
    )
    dimensions = options["dimensions"]
    if is_sparse(matrix):
        if request.format is not None or request.max_dim is not None:
            raise ValueError("format, max_dim: expected beside a file only")
        columns = columns_of(matrix, dimensions)
        answer = running(options, lambda run: _lacuna.reduce_matrix(*columns, request, run), request)
    else:
        try:
            path = os.fsdecode(matrix)
        except TypeError:
            found = f"{type(matrix).__name__}; scipy.sparse.csc_array makes a sparse one of an array"
            raise TypeError(f"expected a sparse matrix or a path, found {found}") from None
        if dimensions is not None:
            raise ValueError("dimensions: expected beside a sparse matrix only")
        answer = running(options, lambda run: _lacuna.reduce_file(path, request, run), request)
    if answer["warning"] is not None:
        warn(answer["warning"])
    cycles = answer.get("cycles")
    return Reduction(
        pairs=answer["pairs"],
        essential=answer["essential"],
        dimensions=answer["dimensions"],
        values=answer["values"],
        max_dim=answer["max_dim"],
        is_cut=answer["is_cut"],
        cycles=None if cycles is None else dict(cycles),
    )


class Request(NamedTuple):
    """What is asked of the extension module."""

    format: str | None
    max_dim: int | None
    algorithm: str | None
    dualize: str
    check: bool
    cycles: bool
    only: list[int] | None
    min_persistence: int | None


Columns = tuple[tuple[int, int], Indices, Indices, NDArray[np.float64], "NDArray[np.uint8] | None"]


def columns_of(matrix: Any, dimensions: Any) -> Columns:
    """The columns of a sparse matrix as the extension module has them."""
    columns = matrix.tocsc()
    if not columns.has_sorted_indices:
        columns = columns.sorted_indices()
    dims = None
    if dimensions is not None:
        given = np.asarray(dimensions)
        dims = given.astype(np.uint8)
        if given.ndim != 1 or not np.array_equal(dims, given):
            raise ValueError("dimensions: expected a whole number from 0 to 255 for each cell")
    starts, rows = columns.indptr.astype(np.int64), columns.indices.astype(np.int64)
    return columns.shape, starts, rows, columns.data.astype(np.float64), dims
