"""Diagrams: what every computation of bars answers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

from . import _lacuna
from ._arguments import births_and_deaths, count, number
from ._extras import extra

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

    from ._page import Page

Bars = NDArray[np.float64]
Indices = NDArray[np.int64]


class Chain(NamedTuple):
    """A chain or a cochain: k simplices of dimension d with coefficients."""

    simplices: Indices
    """(k, d + 1): the vertices of each simplex, ascending."""
    coefficients: Indices
    """(k,): numbers from 1 to p - 1."""

    def __repr__(self) -> str:
        return f"<Chain of {len(self.simplices)} simplices of dimension {self.simplices.shape[1] - 1}>"


class Landmarks(NamedTuple):
    """The points that a computation was made on in the place of all."""

    points: Indices
    """(k,): their numbers among all points, in the order in which they were chosen."""
    covering_radius: float
    """The greatest distance of a point to its nearest landmark."""

    def __repr__(self) -> str:
        return f"<Landmarks: {len(self.points)} points, covering radius {self.covering_radius:.6g}>"


class Representatives(NamedTuple):
    """What m bars of one dimension d are made of. Vertices are numbers of points, from 0, ascending in a simplex."""

    places: Indices
    """(m,): the places of the bars in ``diagram.bars(d)``."""
    birth_simplices: Indices
    """(m, d + 1): the simplices with which classes are born."""
    death_simplices: Indices
    """(m, d + 2): the simplices with which they die; -1 for essential bars."""
    birth_edges: Indices
    """(m, 2): the longest edges of the birth simplices, whose lengths are the births; (m, 0) in dimension 0."""
    death_edges: Indices
    """(m, 2): the longest edges of the death simplices, likewise; -1 for essential bars."""
    cocycles: list[Chain] | None
    """A cocycle for each bar, if they were asked for and d >= 1."""
    cycles: list[Chain] | None
    """A cycle for each bar, likewise."""

    def __repr__(self) -> str:
        dim = self.birth_simplices.shape[1] - 1
        told = [name for name in ("cocycles", "cycles") if getattr(self, name) is not None]
        return f"<Representatives of {len(self.places)} bars of dimension {dim}: {', '.join(['simplices', *told])}>"


class CellChain(NamedTuple):
    """A chain of k cells of an image, over Z/2."""

    cells: Indices
    """(k, axes): twice the coordinates of the centre of each cell, where voxel (i, j) has the centre (i, j): halved, they lie on the image.

    A cell extends by 1 to either side along each axis, of more than one voxel, whose coordinate here is odd with ``construction="V"``,
    where vertices are voxels, and even with ``"T"``, where they are the corners of voxels."""
    voxels: Indices
    """(v, axes): the voxels of the cells, for masks: with ``construction="V"`` their vertices, with ``"T"`` for each cell the first to hold
    it."""

    def __repr__(self) -> str:
        return f"<CellChain of {len(self.cells)} cells, {len(self.voxels)} voxels>"


class ImageRepresentatives(NamedTuple):
    """Cycles of m bars of one dimension of an image."""

    places: Indices
    """(m,): the places of the bars in ``diagram.bars(d)``."""
    cycles: list[CellChain]
    """A cycle for each of them: cells that are there when the class is born, without boundary, and a boundary when it dies, not before."""

    def __repr__(self) -> str:
        return f"<ImageRepresentatives of {len(self.places)} bars>"


@Sequence.register
class Diagram:
    """The bars of each dimension from 0 up: ``diagram[d]`` is an array (n, 2) of births and deaths, of type float64.

    A bar that never ends has the death ``inf``, of superlevel sets of images ``-inf``. No bar has length zero. Bars come in an order that
    depends on the input alone: of distances, dimension 0 by death, essential bars last, and higher dimensions by descending birth, ties as
    Ripser has them; of images by birth.

    A diagram is a ``Sequence`` without the methods ``count`` and ``index``, which cannot compare arrays. Two diagrams are equal if they
    have the same bars in the same order, in each dimension; the highest ones may be missing where they have none, as in files, which hold
    bars alone. Diagrams are pickled with all that belongs to them.

    Parameters
    ----------
    arrays : sequence of array_like
        For each dimension births and deaths, (n, 2).
    threshold, landmarks, representatives, locations : optional
        The attributes of these names, where there are such.

    Examples
    --------
    >>> diagram = Diagram([[[0.0, 1.0], [0.0, np.inf]], [[1.0, 2.5]]])
    >>> len(diagram), diagram.bars(1), diagram.betti(1.5)
    (2, array([[1. , 2.5]]), array([1, 1]))
    >>> diagram.bars(7).shape
    (0, 2)
    """

    __slots__ = ("_arrays", "landmarks", "locations", "representatives", "threshold")

    threshold: float | None
    """The greatest diameter of a simplex, of a diagram of distances; the enclosing radius where no threshold was given."""
    landmarks: Landmarks | None
    """The points that were taken for all, if that was asked for."""
    representatives: list[Any] | None
    """What the bars of each dimension are made of, if that was asked for: :class:`Representatives`, of images
    :class:`ImageRepresentatives`."""
    locations: list[tuple[Indices, Indices]] | None
    """Of an image, if that was asked for: for each dimension the voxels of births and of deaths, (n, axes) each; -1 for essential bars."""

    def __init__(
        self,
        arrays: Sequence[Any],
        *,
        threshold: float | None = None,
        landmarks: Landmarks | None = None,
        representatives: list[Any] | None = None,
        locations: list[tuple[Indices, Indices]] | None = None,
    ) -> None:
        self._arrays = [births_and_deaths(f"bars of dimension {dim}", array) for dim, array in enumerate(arrays)]
        self.threshold = threshold
        self.landmarks = landmarks
        self.representatives = representatives
        self.locations = locations

    def bars(self, dim: int) -> Bars:
        """The bars of a dimension, (n, 2): a row of birth and death each. None of a dimension that was not computed."""
        dim = count("dim", dim, 0)
        return self._arrays[dim] if dim < len(self._arrays) else np.empty((0, 2))

    def betti(self, value: float) -> NDArray[np.int64]:
        """The number of bars of each dimension that are alive at a value: ``birth <= value < death``, in either direction."""
        value = number("value", value)
        alive = [((a[:, 0] <= value) & (value < a[:, 1])) | ((a[:, 0] >= value) & (value > a[:, 1])) for a in self._arrays]
        return np.array([np.count_nonzero(of) for of in alive], dtype=np.int64)

    def to_array(self) -> Bars:
        """All bars, (n, 3): a row of dimension, birth and death each, by dimension.

        >>> Diagram([[[0.0, np.inf]], [[1.0, 2.0]]]).to_array()
        array([[ 0.,  0., inf],
               [ 1.,  1.,  2.]])
        """
        columns = [np.column_stack([np.full(len(array), float(dim)), array]) for dim, array in enumerate(self._arrays)]
        return np.concatenate(columns) if columns else np.empty((0, 3))

    def to_frame(self) -> pandas.DataFrame:
        """All bars as a data frame of pandas with the columns ``dim``, ``birth`` and ``death``.

        >>> Diagram([[[0.0, np.inf]], [[1.0, 2.0]]]).to_frame()
           dim  birth  death
        0    0    0.0    inf
        1    1    1.0    2.0
        """
        frame = extra("pandas", "pandas", "Diagram.to_frame").DataFrame
        dims = np.repeat(np.arange(len(self._arrays)), [len(array) for array in self._arrays])
        bars = self.to_array()
        table: pandas.DataFrame = frame({"dim": dims, "birth": bars[:, 1], "death": bars[:, 2]})
        return table

    def persistence_image(self, dim: int = 1, **options: Any) -> NDArray[np.float64]:
        """The persistence image of a dimension, (persistences, births): see :func:`persistence_image`, also for the options."""
        from ._vectors import persistence_image

        return persistence_image(self, dim=dim, **options)

    def landscape(self, dim: int = 1, **options: Any) -> NDArray[np.float64]:
        """The persistence landscape of a dimension, (count, resolution): see :func:`landscape`."""
        from ._vectors import landscape

        return landscape(self, dim=dim, **options)

    def betti_curve(self, dim: int = 1, **options: Any) -> NDArray[np.float64]:
        """The Betti curve of a dimension, (resolution,): see :func:`betti_curve`."""
        from ._vectors import betti_curve

        return betti_curve(self, dim=dim, **options)

    def silhouette(self, dim: int = 1, **options: Any) -> NDArray[np.float64]:
        """The silhouette of a dimension, (resolution,): see :func:`silhouette`."""
        from ._vectors import silhouette

        return silhouette(self, dim=dim, **options)

    def entropy(self, dim: int = 1) -> float:
        """The persistence entropy of a dimension: see :func:`entropy`."""
        from ._vectors import entropy

        return float(entropy(self, dim=dim))

    def entropy_summary(self, dim: int = 1, **options: Any) -> NDArray[np.float64]:
        """The entropy summary function of a dimension, (resolution,): see :func:`entropy_summary`."""
        from ._vectors import entropy_summary

        return entropy_summary(self, dim=dim, **options)

    def lengths(self, dim: int = 1, **options: Any) -> NDArray[np.float64]:
        """The greatest persistences of a dimension, (count,): see :func:`lengths`.

        >>> Diagram([[], [[1.0, 2.5], [0.5, 2.5]]]).lengths(count=3)
        array([2. , 1.5, 0. ])
        """
        from ._vectors import lengths

        return lengths(self, dim=dim, **options)

    @overload
    def plot(self, kind: Literal["diagram", "barcode", "landscape", "image"] = "diagram", **options: Any) -> Axes: ...
    @overload
    def plot(self, kind: Literal["betti"], **options: Any) -> Any: ...
    def plot(self, kind: str = "diagram", **options: Any) -> Any:
        """A picture by matplotlib: points (birth, death), a barcode, Betti curves, a persistence landscape or image.

        Parameters
        ----------
        kind : "diagram", "barcode", "betti", "landscape" or "image"
            The picture: that of :func:`plot_diagram`, :func:`plot_barcode`, :func:`plot_betti`, :func:`plot_landscape` or
            :func:`plot_persistence_image`.
        **options
            The options of that function.

        Returns
        -------
        matplotlib.axes.Axes
            Of Betti curves with ``panels=True`` an array of them.
        """
        from . import _plots

        pictures: dict[str, Callable[..., Any]] = {
            "diagram": _plots.plot_diagram,
            "barcode": _plots.plot_barcode,
            "betti": _plots.plot_betti,
            "landscape": _plots.plot_landscape,
            "image": _plots.plot_persistence_image,
        }
        if kind not in pictures:
            raise ValueError(f"kind: expected {', '.join(pictures)}, found {kind!r}")
        return pictures[kind](self, **options)

    @overload
    def report(self, path: None = None, *, title: str = ...) -> str: ...
    @overload
    def report(self, path: str | os.PathLike[str], *, title: str = ...) -> None: ...
    def report(self, path: str | os.PathLike[str] | None = None, *, title: str = "Persistence diagram") -> str | None:
        """A page of HTML with linked pictures of the bars, Betti curves and a table, as the program's ``--report`` writes it.

        The page loads nothing from a network. :meth:`show` opens it.

        Parameters
        ----------
        path : path, optional
            The file to write, which is replaced as a whole on success; by default the page is returned as text.
        title : str
            The heading of the page.

        Returns
        -------
        str or None
            The page, if there is no path.
        """
        page = _lacuna.report_page(self._arrays, title)
        if path is None:
            return page
        from ._files import _replacement

        with _replacement(os.fsdecode(path)) as place, open(place, "w", encoding="utf-8", newline="\n") as file:
            file.write(page)
        return None

    def show(self, *, title: str = "Persistence diagram", height: int = 800) -> Page:
        """Show the page of :meth:`report` below a notebook's cell that ends with this call, or else in the browser.

        In the browser the page is a file in the folder of temporary files. Where there is no browser, a warning says where the file is.

        Parameters
        ----------
        title : str
            The heading of the page.
        height : int
            Its height in a notebook, in pixels; what is longer can be scrolled.

        Returns
        -------
        Page
            What a notebook shows.
        """
        from ._page import Page, is_in_notebook

        page = Page(self.report(title=title), title, count("height", height, 1))
        if not is_in_notebook():
            page.open()
        return page

    @overload
    def __getitem__(self, key: SupportsIndex) -> Bars: ...
    @overload
    def __getitem__(self, key: slice) -> list[Bars]: ...
    def __getitem__(self, key: SupportsIndex | slice) -> Bars | list[Bars]:
        try:
            return self._arrays[key]
        except IndexError:
            found = f"the bars of {len(self)} dimensions are there, and max_dim tells how many are computed"
            raise IndexError(f"expected a dimension below {len(self)}, found {key!r}: {found}") from None
        except TypeError:
            raise TypeError(f"expected the number of a dimension, as in diagram[1], found {key!r}") from None

    def __len__(self) -> int:
        return len(self._arrays)

    def __iter__(self) -> Iterator[Bars]:
        return iter(self._arrays)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Diagram):
            return NotImplemented
        return all(np.array_equal(self.bars(dim), other.bars(dim)) for dim in range(max(len(self), len(other))))

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._arrays, self.threshold, self.landmarks, self.representatives, self.locations)

    def __repr__(self) -> str:
        counts = ", ".join(f"H{dim}: {len(array)}" for dim, array in enumerate(self._arrays))
        return f"<Diagram {counts}>" if counts else "<Diagram without dimensions>"

    def _repr_html_(self) -> str:
        """A table with a row for each dimension: the number of bars, of those that never end, and the longest finite ones."""
        # Takes longer to import than all of this package.
        import html

        rows = []
        for dim, array in enumerate(self._arrays):
            finite = array[np.isfinite(array[:, 1])]
            longest = finite[np.argsort(-np.abs(finite[:, 1] - finite[:, 0]), kind="stable")[:3]]
            shown = ", ".join(f"[{birth:.6g}, {death:.6g})" for birth, death in longest)
            cells = (f"H{dim}", len(array), len(array) - len(finite), shown)
            rows.append("<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells) + "</tr>")
        names = "".join(f"<th>{name}</th>" for name in ("dimension", "bars", "essential", "longest finite bars"))
        return f"<table><thead><tr>{names}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def bars_of(name: str, diagram: Any, dim: int | None, use: str) -> Bars:
    """The bars of a diagram in the dimension that is given beside it, or births and deaths, (n, 2), as an array of type float64."""
    if isinstance(diagram, Diagram):
        if dim is None:
            raise ValueError(f"{name}: dim is missing: {use}, as by dim=1")
        return diagram.bars(dim)
    if dim is not None:
        raise ValueError(f"{name}: expected a Diagram beside dim, found {type(diagram).__name__}")
    return births_and_deaths(name, diagram)


def finite(bars: Bars) -> Bars:
    """The bars with two finite ends."""
    return bars[np.isfinite(bars).all(axis=1)]


def _restored(
    arrays: list[Bars],
    threshold: float | None,
    landmarks: Landmarks | None,
    representatives: list[Any] | None,
    locations: list[tuple[Indices, Indices]] | None,
) -> Diagram:
    """A diagram that was pickled."""
    return Diagram(
        arrays, threshold=threshold, landmarks=landmarks, representatives=representatives, locations=locations
    )
