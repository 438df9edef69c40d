"""Pictures of bars and curves, with matplotlib.

Each function draws into the axes that it is given, or into a new figure, and returns the axes. Limits are left to matplotlib's autoscaling:
axes that show several pictures, or share their limits with others, show all of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from . import _vectors as vectors
from ._arguments import births_and_deaths, count as whole, flag, number, optional_count, pair, two
from ._curves import EulerCurve
from ._diagram import Bars, Diagram, finite
from ._extras import extra
from ._keywords import suggests_keywords
from ._legends import Corner, add_legend, extend

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

MANY = 5000
"""More points of a dimension are counted in hexagons; more lines are an image where a picture is written as PDF or SVG."""

HEXAGONS = 100
"""The number of hexagons across a picture."""

ROOM = 400
"""The number of bars that a barcode has room for; more of them move closer together."""

FEW = 12
"""The number of bars of a dimension that do not move closer together, however many bars other dimensions have."""


@suggests_keywords
def plot_diagram(
    diagram: Diagram | Sequence[Any] | NDArray[Any],
    *,
    dims: Iterable[int] | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    legend: bool = True,
    size: float = 16.0,
    lifetime: bool = False,
) -> Axes:
    """Draw each bar as a point (birth, death), a colour for each dimension; infinite values have lines of their own.

    Bars with the same birth and death share a mark with a rim, whose area grows by the same amount with each doubling of their number. The
    legend shows marks of 10, 100, … bars and of the greatest number. More than 5000 points of a dimension are counted in hexagons, darker
    for more bars by the logarithm of their number; the legend shows the darkest one.

    Parameters
    ----------
    diagram : Diagram, an array (n, 2), or a sequence of arrays (n, 2)
        A diagram, the bars of one dimension, or those of each dimension from 0 up.
    dims : iterable of int, optional
        The dimensions to draw; by default all. Not beside the bars of one dimension.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure. Their margins become 0: what is drawn brings limits with room of its own.
    title : str, optional
        What stands above the axes.
    legend : bool
        Whether there is a legend. It lies where it hides nothing: beyond the diagonal, or above all that is drawn.
    size : float
        The area of the mark of one bar, in square points of typography.
    lifetime : bool
        Whether the ordinate is the length of a bar, ``abs(death - birth)``, instead of its death.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        Arrays of other shapes, or with NaN; a dimension that the diagram does not have; a size that is not above 0.

    Examples
    --------
    >>> import lacuna_tda, matplotlib
    >>> matplotlib.use("agg")
    >>> axes = lacuna_tda.plot_diagram(lacuna_tda.rips([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]))
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('birth', 'death')
    """
    size, lifetime, legend = number("size", size), flag("lifetime", lifetime), flag("legend", legend)
    if not 0 < size < np.inf:
        raise ValueError(f"size: expected a finite number above 0, found {size!r}")
    sections, axes = _sections(diagram, dims), _axes(ax)
    values = _concatenated(bars.ravel() for _, bars in sections)
    ends = [_lengths(bars) if lifetime else bars[:, 1] for _, bars in sections]
    low, high = _ends(values)
    across = _Scale.of(_concatenated(bars[:, 0] for _, bars in sections), low, high)
    upward = _Scale.of(_concatenated(ends), *((0.0, high - low) if lifetime else (low, high)))
    if lifetime:
        axes.plot(across.limits, (0.0, 0.0), color="0.6", linewidth=1, zorder=0)
    else:
        axes.plot(across.finite, across.finite, color="0.6", linewidth=1, zorder=0)
        axes.set_aspect("equal", adjustable="box")
    for axis, scale, other in ((axes.xaxis, across, upward), (axes.yaxis, upward, across)):
        _draw_infinities(axes, axis, scale, other)
    points = [np.column_stack([across.at(bars[:, 0]), upward.at(end)]) for (_, bars), end in zip(sections, ends)]
    handles, radius = _draw_points(axes, [dim for dim, _ in sections], points, size, (*across.limits, *upward.limits))
    _finish(axes, title, "birth", "lifetime" if lifetime else "death")
    extend(axes, across.limits, upward.limits)
    if legend:
        add_legend(axes, handles, upward.limits[1], None if lifetime else _corner_beyond_diagonal(sections), radius)
    return axes


@suggests_keywords
def plot_barcode(
    diagram: Diagram | Sequence[Any] | NDArray[Any],
    *,
    dims: Iterable[int] | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    legend: bool = True,
    most: int | None = None,
) -> Axes:
    """Draw each bar as a line from birth to death, dimension above dimension, in each by birth; infinite ends are arrows.

    Of more than 400 bars, the height of a dimension grows with the square root of their number, so that few bars remain visible above many.

    Parameters
    ----------
    diagram, dims, ax, title, legend
        As those of :func:`plot_diagram`.
    most : int, optional
        Of each dimension the longest bars alone, so many at most.

    Returns
    -------
    matplotlib.axes.Axes
    """
    most, legend = optional_count("most", most, 0), flag("legend", legend)
    sections, axes = _sections(diagram, dims), _axes(ax)
    if most is not None:
        sections = [(dim, bars[np.sort(np.argsort(-_lengths(bars), kind="stable")[:most])]) for dim, bars in sections]
    values = _concatenated(bars.ravel() for _, bars in sections)
    scale = _Scale.of(values, *_ends(values))
    counts = np.array([len(bars) for _, bars in sections], dtype=float)
    heights = _heights(counts)
    gap = max(1.0, heights.sum() / 20)
    top = max(heights.sum() + gap * (np.count_nonzero(counts) - 1), 1.0)
    points_a_unit = axes.get_window_extent().height * 72 / axes.figure.dpi / (1.2 * top)
    bottom, is_large = 0.0, counts.sum() > MANY
    for (dim, bars), height in zip(sections, heights):
        pitch = height / max(len(bars), 1)
        order = np.lexsort((bars[:, 1], bars[:, 0]))
        bars = bars[order[::-1] if _descends(bars) else order]
        levels = bottom + pitch * (np.arange(len(bars)) + 0.5)
        width, colour = float(np.clip(0.7 * pitch * points_a_unit, 0.5, 4.0)), _colour(dim)
        style: dict[str, Any] = {"color": colour, "rasterized": is_large}
        # Where pixels are hardly smaller than the gaps between lines, these would be rounded to different widths.
        lines = axes.hlines(levels, scale.at(bars[:, 0]), scale.at(bars[:, 1]), linewidth=width, snap=width > 2, **style)
        lines.set_label(_name(dim))
        for infinity, marker in ((np.inf, ">"), (-np.inf, "<")):
            at = np.any(bars == infinity, axis=1)
            if at.any():
                place = np.full(np.count_nonzero(at), scale.place[infinity])
                axes.plot(place, levels[at], marker, markersize=2 + 1.5 * width, **style)
        bottom += height + gap if len(bars) else 0.0
    _finish(axes, title, "value", "")
    axes.set_yticks([])
    extend(axes, scale.limits, (-0.05 * top, 1.05 * top))
    if legend:
        line = extra("matplotlib.lines", "matplotlib", "a picture").Line2D
        add_legend(axes, [line([], [], color=_colour(dim), linewidth=3, label=_name(dim)) for dim, _ in sections if dim is not None], top)
    return axes


@overload
def plot_betti(
    diagram: Diagram | Sequence[Any] | NDArray[Any],
    *,
    dims: Iterable[int] | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    legend: bool = True,
    panels: Literal[False] = False,
) -> Axes: ...
@overload
def plot_betti(
    diagram: Diagram | Sequence[Any] | NDArray[Any],
    *,
    dims: Iterable[int] | None = None,
    ax: None = None,
    title: str | None = None,
    legend: bool = True,
    panels: Literal[True],
) -> NDArray[Any]: ...
@overload
def plot_betti(
    diagram: Diagram | Sequence[Any] | NDArray[Any],
    *,
    dims: Iterable[int] | None = None,
    ax: Sequence[Axes] | NDArray[Any],
    title: str | None = None,
    legend: bool = True,
    panels: bool = False,
) -> NDArray[Any]: ...
@suggests_keywords
def plot_betti(
    diagram: Diagram | Sequence[Any] | NDArray[Any],
    *,
    dims: Iterable[int] | None = None,
    ax: Axes | Sequence[Axes] | NDArray[Any] | None = None,
    title: str | None = None,
    legend: bool = True,
    panels: bool = False,
) -> Axes | NDArray[Any]:
    """Draw the Betti curves: the number of bars of each dimension that are alive at each value, a step function.

    Parameters
    ----------
    diagram, dims
        As those of :func:`plot_diagram`.
    ax : matplotlib.axes.Axes, or an array of these, optional
        Where to draw; by default a new figure. An array has axes for each dimension, which are its panels.
    title, legend
        As those of :func:`plot_diagram`.
    panels : bool
        Whether each dimension has a panel with a scale of its own, whose ordinate is named by the dimension instead of a legend. The panels
        of a new figure lie above one another and share their abscissa.

    Returns
    -------
    matplotlib.axes.Axes
        With ``panels``, an array of them, one for each dimension.

    Examples
    --------
    >>> import lacuna_tda, matplotlib
    >>> matplotlib.use("agg")
    >>> diagram = lacuna_tda.Diagram([[[0.0, 2.0], [0.0, float("inf")]], [[1.0, 3.0]]])
    >>> lacuna_tda.plot_betti(diagram, panels=True).shape
    (2,)
    """
    sections, legend = _sections(diagram, dims), flag("legend", legend)
    low, high = _ends(_concatenated(bars.ravel() for _, bars in sections))
    if not flag("panels", panels) and not isinstance(ax, (list, tuple, np.ndarray)):
        axes = _axes(ax)
        tops = [_draw_betti(axes, dim, bars, low, high) for dim, bars in sections]
        _finish(axes, title, "value", "Betti number")
        if legend:
            add_legend(axes, axes.get_legend_handles_labels()[0], max(tops, default=1.0))
        return axes
    all_axes = _panels(ax, len(sections))
    for axes, (dim, bars) in zip(all_axes, sections):
        _draw_betti(axes, dim, bars, low, high)
        _finish(axes, title if axes is all_axes[0] else None, "value", "Betti number" if dim is None else rf"$\beta_{{{dim}}}$")
        if ax is None:
            axes.label_outer()
    return all_axes


@suggests_keywords
def plot_euler(
    curve: EulerCurve,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    label: str | None = None,
    legend: bool = True,
) -> Axes:
    """Draw an Euler characteristic curve: the Euler characteristic at each value, a step function.

    Parameters
    ----------
    curve : EulerCurve
        A curve of :func:`ecc`, of sublevel or superlevel sets. Several curves are drawn into one picture by as many calls.
    ax, title
        As those of :func:`plot_diagram`.
    label : str, optional
        The name of the curve in the legend.
    legend : bool
        Whether there is a legend, of the curves with a name.

    Returns
    -------
    matplotlib.axes.Axes
    """
    legend = flag("legend", legend)
    if not isinstance(curve, EulerCurve):
        several = "; draw those of several scales one by one" if isinstance(curve, (list, tuple)) else ""
        raise TypeError(f"curve: expected an EulerCurve, found {type(curve).__name__}{several}")
    axes, values = _axes(ax), curve.values.astype(np.float64)
    low, high = _ends(values)
    _draw_steps(axes, values, curve.euler, low, high, label=label)
    _finish(axes, title, "value", "Euler characteristic")
    named = axes.get_legend_handles_labels()[0]
    if legend and named:
        add_legend(axes, named, max(float(np.max(line.get_ydata())) for line in axes.lines))
    return axes


@suggests_keywords
def plot_landscape(
    diagram: Diagram | NDArray[Any],
    *,
    dim: int | None = None,
    count: int = 5,
    resolution: int = 500,
    range: tuple[float, float] | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    legend: bool = True,
) -> Axes:
    """Draw the first functions of a persistence landscape, on the scale of :func:`landscape`.

    Parameters
    ----------
    diagram : Diagram, or an array (count, resolution)
        A diagram, or what :func:`landscape` made of one.
    dim : int, optional
        The dimension of a diagram; by default 1.
    count, resolution : int
        The number of functions of a diagram and that of their values, as those of :func:`landscape`.
    range : pair of float, optional
        The first and the last value; expected beside an array. By default the finite bars of a diagram span it.
    ax, title, legend
        As those of :func:`plot_diagram`.

    Returns
    -------
    matplotlib.axes.Axes
    """
    legend = flag("legend", legend)
    if isinstance(diagram, Diagram):
        bars = finite(diagram.bars(1 if dim is None else dim))
        range = _ends(bars.ravel()) if range is None else range
        functions = vectors.landscape(bars, count=count, resolution=resolution, range=range)
    else:
        functions = _array(diagram, dim, range)
    axes, (low, high) = _axes(ax), pair("range", range)
    xs = np.linspace(low, high, functions.shape[1])
    for k, function in enumerate(functions, 1):
        axes.plot(xs, function, label=rf"$\lambda_{{{k}}}$", zorder=2 + 1 / k)
    top = float(functions.max(initial=0.0)) or 1.0
    _finish(axes, title, "value", "landscape")
    extend(axes, (low, high), (-0.02 * top, 1.05 * top))
    if legend:
        add_legend(axes, axes.get_legend_handles_labels()[0], top)
    return axes


@suggests_keywords
def plot_persistence_image(
    diagram: Diagram | NDArray[Any],
    *,
    dim: int | None = None,
    resolution: int | tuple[int, int] = (50, 50),
    range: tuple[tuple[float, float], tuple[float, float]] | None = None,
    bandwidth: float | None = None,
    weight: float = 0.0,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw a persistence image. ``axes.figure.colorbar(axes.images[0])`` adds a scale.

    Parameters
    ----------
    diagram : Diagram, or an array (persistences, births)
        A diagram, or what :func:`persistence_image` made of one.
    dim : int, optional
        The dimension of a diagram; by default 1.
    resolution : int or pair of int
        The number of pixels of the image of a diagram, as that of :func:`persistence_image`.
    range : pair of pairs of float, optional
        The first and the last birth, and the first and the last persistence; expected beside an array. By default the finite bars of a
        diagram span it, persistence from 0.
    bandwidth : float, optional
        The standard deviation of the Gaussians of a diagram; by default a twentieth of the longer side of the range.
    weight : float
        The exponent of the weights of the bars of a diagram, as that of :func:`persistence_image`.
    ax, title
        As those of :func:`plot_diagram`.

    Returns
    -------
    matplotlib.axes.Axes
    """
    if isinstance(diagram, Diagram):
        bars = finite(diagram.bars(1 if dim is None else dim))
        range = (_ends(bars.min(axis=1)), _ends(np.append(_lengths(bars), 0.0))) if range is None else range
        births, persistences = (pair("range", ends) for ends in two("range", range))
        width = max(births[1] - births[0], persistences[1] - persistences[0]) / 20 if bandwidth is None else bandwidth
        pixels = vectors.persistence_image(
            bars, resolution=resolution, range=(births, persistences), bandwidth=width, weight=weight
        )
    else:
        pixels = _array(diagram, dim, range)
        births, persistences = (pair("range", ends) for ends in two("range", range))
    axes = _axes(ax)
    (left, right), (bottom, top) = _sides(births, pixels.shape[1]), _sides(persistences, pixels.shape[0])
    axes.imshow(pixels, origin="lower", extent=(left, right, bottom, top), aspect="auto")
    _finish(axes, title, "birth", "persistence")
    return axes


class _Scale(NamedTuple):
    """Where values lie along an axis. Infinite ones have places beyond the finite ones."""

    finite: tuple[float, float]
    """The range of the finite values, with a margin on both sides."""
    place: dict[float, float]
    """The places of both infinities."""
    limits: tuple[float, float]
    """The range of the finite values and of those infinities that are among the values, with a margin on both sides."""
    has: dict[float, bool]
    """Whether an infinity is among the values."""

    @classmethod
    def of(cls, values: NDArray[np.float64], low: float, high: float) -> _Scale:
        """The axis for some values, of which finite ones lie from `low` to `high`."""
        margin = 0.05 * (high - low)
        place = {-np.inf: low - 2 * margin, np.inf: high + 2 * margin}
        has = {infinity: bool(np.any(values == infinity)) for infinity in place}
        limits = low - margin * (3 if has[-np.inf] else 1), high + margin * (3 if has[np.inf] else 1)
        return cls((low - margin, high + margin), place, limits, has)

    def at(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The places of values."""
        return np.clip(values, self.place[-np.inf], self.place[np.inf])


def _axes(ax: Any) -> Axes:
    """Where to draw."""
    if ax is None:
        ax = extra("matplotlib.pyplot", "matplotlib", "a picture").subplots(layout="constrained")[1]
    elif not hasattr(ax, "get_xlim"):
        raise TypeError(f"ax: expected axes of matplotlib, found {type(ax).__name__}")
    axes: Axes = ax
    # What is added to the limits contains the margins.
    axes.margins(0)
    return axes


def _panels(ax: Any, panels: int) -> NDArray[Any]:
    """Axes for each of some panels."""
    if ax is None:
        size = 6.4, max(4.8, 1.4 * panels)
        subplots = extra("matplotlib.pyplot", "matplotlib", "a picture").subplots
        ax = subplots(max(panels, 1), sharex=True, squeeze=False, layout="constrained", figsize=size)[1]
    all_axes: NDArray[Any] = np.asarray(ax, dtype=object).ravel()
    if len(all_axes) != max(panels, 1):
        raise ValueError(f"ax: expected axes for each of {panels} dimensions, found {len(all_axes)}")
    for k, axes in enumerate(all_axes):
        all_axes[k] = _axes(axes)
    return all_axes


def _sections(diagram: Any, dims: Iterable[int] | None) -> list[tuple[int | None, Bars]]:
    """The dimensions to draw and their bars; the bars of one dimension, whose number is not known."""
    found: list[tuple[int | None, Bars]]
    if isinstance(diagram, Mapping):
        raise TypeError("diagram: expected a diagram, found a mapping; the diagrams of ripser are under its key 'dgms'")
    if isinstance(diagram, np.ndarray) and diagram.ndim < 3 and diagram.dtype != object:
        if dims is not None:
            raise ValueError("dims: expected beside a diagram or arrays for each dimension, found the bars of one")
        found = [(None, births_and_deaths("diagram", diagram))]
    else:
        if dims is not None and not isinstance(dims, Iterable):
            raise TypeError(f"dims: expected dimensions, as in [0, 1], found {dims!r}")
        wanted = range(len(diagram)) if dims is None else [whole("dims", dim, 0) for dim in dims]
        if any(dim >= len(diagram) for dim in wanted):
            raise ValueError(f"dims: expected dimensions below {len(diagram)}, found {max(wanted)}")
        found = [(dim, births_and_deaths(f"bars of dimension {dim}", diagram[dim])) for dim in wanted]
    for dim, bars in found:
        if np.isnan(bars).any():
            raise ValueError(f"bars{'' if dim is None else f' of dimension {dim}'}: expected births and deaths, found NaN")
    return found


def _array(array: Any, dim: int | None, range: object) -> NDArray[np.float64]:
    """An array of two axes that was made of a diagram."""
    if dim is not None:
        raise ValueError(f"dim: expected beside a Diagram, found {type(array).__name__}")
    if range is None:
        raise ValueError("range is missing: expected beside an array, as it was given to the function that made it")
    found = np.asarray(array, dtype=np.float64)
    if found.ndim != 2:
        raise ValueError(f"diagram: expected a Diagram or an array of two axes, found one of shape {found.shape}")
    return found


def _sides(ends: tuple[float, float], values: int) -> tuple[float, float]:
    """The outer sides of the pixels of a row, in whose middle the values of a grid lie."""
    half = (ends[1] - ends[0]) / (2 * max(values - 1, 1))
    return ends[0] - half, ends[1] + half


def _concatenated(arrays: Iterable[NDArray[np.float64]]) -> NDArray[np.float64]:
    """One array of several, of which there may be none."""
    return np.concatenate([np.empty(0), *arrays])


def _ends(values: NDArray[np.float64]) -> tuple[float, float]:
    """The least and the greatest finite value, made to differ."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    return (low, high) if low < high else (low, low + max(1.0, 0.1 * abs(low)))


def _lengths(bars: Bars) -> NDArray[np.float64]:
    """The lengths of bars; bars from an infinity to the same one have none."""
    with np.errstate(invalid="ignore"):
        return np.where(bars[:, 0] == bars[:, 1], 0.0, np.abs(bars[:, 1] - bars[:, 0]))


def _descends(bars: Bars) -> bool:
    """Whether bars are of superlevel sets, which die below where they are born."""
    return bool(np.any(bars[:, 1] < bars[:, 0]))


def _draw_points(
    axes: Axes, dims: Sequence[int | None], points: Sequence[Bars], size: float, extent: tuple[float, float, float, float]
) -> tuple[list[Artist], float]:
    """Draws points, (n, 2) for each dimension. Returns the entries of the legend, and the greatest radius of a mark."""
    drawn, most, densest = [], 1, 0
    for dim, of_dim in zip(dims, points):
        places, counts = np.unique(of_dim, axis=0, return_counts=True)
        if len(counts) > MANY:
            drawn.append(_draw_hexagons(axes, places, counts, dim, extent))
            densest = max(densest, int(drawn[-1][0].get_array().max()))
        else:
            drawn.append(_draw_marks(axes, places, counts, dim, size))
            most = max(most, int(counts.max(initial=1)))
    # What covers less lies above what covers more, and marks above hexagons.
    drawn.sort(key=lambda of_dim: (len(of_dim), -sum(len(marks.get_offsets()) for marks in of_dim)))
    for layer, marks in enumerate(marks for of_dim in drawn for marks in of_dim):
        marks.set_zorder(2 + layer / 100)
    handles = [_mark(size, _colour(dim), label=_name(dim)) for dim in dims if dim is not None]
    shown = [*(10**power for power in range(1, 20) if 10**power < most), most]
    handles += [_mark(size * _growth(count), "0.7", _ink(axes), f"{count} bars") for count in shown if count > 1]
    handles += [_mark(4 * size, "0.3", label=f"{densest} bars", marker="h")] if densest else []
    return handles, float(np.sqrt(size * _growth(most)) / 2)


def _draw_marks(axes: Axes, places: Bars, counts: NDArray[np.int64], dim: int | None, size: float) -> list[Any]:
    """Draws marks at some places, of bars of some numbers: one collection of those of single bars, one of the others."""
    is_one = counts == 1
    alone, shared, sizes = places[is_one], places[~is_one], size * _growth(counts[~is_one])
    style: dict[str, Any] = {"facecolors": _colour(dim), "alpha": 0.8}
    return [
        axes.scatter(alone[:, 0], alone[:, 1], size, label=_name(dim), linewidths=0, **style),
        axes.scatter(shared[:, 0], shared[:, 1], sizes, edgecolors=_ink(axes), linewidths=0.8, **style),
    ]


def _draw_hexagons(
    axes: Axes, places: Bars, counts: NDArray[np.int64], dim: int | None, extent: tuple[float, float, float, float]
) -> list[Any]:
    """Draws hexagons whose shades tell how many bars lie in each, of bars of some numbers at some places."""
    colours = extra("matplotlib.colors", "matplotlib", "a picture")
    pure = np.array(colours.to_rgb(_colour(dim)))
    shades = colours.LinearSegmentedColormap.from_list("shades", [0.4 * pure + 0.6, pure, 0.4 * pure])
    style: dict[str, Any] = {"gridsize": HEXAGONS, "cmap": shades, "alpha": 0.8, "linewidths": 0, "label": _name(dim)}
    hexagons: Any = axes.hexbin(places[:, 0], places[:, 1], counts, reduce_C_function=np.sum, extent=extent, **style)
    hexagons.set_norm(colours.LogNorm(1, max(2, hexagons.get_array().max())))
    return [hexagons]


def _growth(count: Any) -> Any:
    """How many times as large as the mark of one bar that of some equal ones is."""
    return 1.0 + 0.6 * np.log2(count)


def _ink(axes: Axes) -> Any:
    """The colour of text, which differs from the background in every style of matplotlib."""
    return axes.xaxis.label.get_color()


def _mark(size: float, colour: str, rim: Any = "none", label: str | None = None, marker: str = "o") -> Artist:
    """A mark of the legend."""
    line = extra("matplotlib.lines", "matplotlib", "a picture").Line2D
    style = {"color": colour, "markeredgecolor": rim, "markeredgewidth": 0.8 if rim != "none" else 0.0}
    mark: Artist = line([], [], linestyle="none", marker=marker, markersize=np.sqrt(size), label=label, **style)
    return mark


def _draw_infinities(axes: Axes, axis: Any, scale: _Scale, other: _Scale) -> None:
    """Draws lines for the infinite values of an axis along the other one, with their names at the side where an axis has no other names."""
    there = {infinity: scale.place[infinity] for infinity in (-np.inf, np.inf) if scale.has[infinity]}
    is_upward = axis.axis_name == "y"
    for level in there.values():
        ends = ((level, level), other.limits)
        axes.plot(*(ends[::-1] if is_upward else ends), color="0.6", linewidth=1, linestyle="--", zorder=0)
    if there:
        sides = {"labelleft": False, "labelright": True} if is_upward else {"labelbottom": False, "labeltop": True}
        axis.set_ticks(list(there.values()), ["∞" if infinity > 0 else "−∞" for infinity in there], minor=True)
        axis.set_tick_params(which="minor", size=0, **sides)
        # A number at the same place is on the other side.
        axis.remove_overlapping_locs = False


def _heights(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The heights of the dimensions of a barcode, by their numbers of bars."""
    if counts.sum() <= ROOM:
        return counts
    roots = np.sqrt(counts)
    shares: NDArray[np.float64] = ROOM * roots / roots.sum()
    return shares.clip(np.minimum(counts, FEW), counts)


def _draw_betti(axes: Axes, dim: int | None, bars: Bars, low: float, high: float) -> float:
    """Draws a Betti curve, and returns where it is highest."""
    values = np.concatenate([bars.min(axis=1), bars.max(axis=1)])
    changes = np.repeat([1, -1], len(bars))
    steps, place = np.unique(values, return_inverse=True)
    numbers = np.cumsum(np.bincount(place, changes, len(steps)))
    top = _draw_steps(axes, steps, numbers, low, high, color=_colour(dim), label=_name(dim))
    return max(top, 1.0)


def _draw_steps(axes: Axes, values: NDArray[np.float64], levels: NDArray[Any], low: float, high: float, **style: Any) -> float:
    """Draws a function that is 0 up to the first of some values, and has a level from each of them on. Returns where it is highest.

    Values that descend go from the greatest to the least.
    """
    margin = 0.05 * (high - low)
    first, last = (low - margin, high + margin) if not len(values) or values[0] <= values[-1] else (high + margin, low - margin)
    is_finite = np.isfinite(values)
    # Before the first finite value there is at most one, an infinity.
    before = levels[:1] if len(values) and not is_finite[0] else np.zeros(1)
    heights = np.concatenate([before, levels[is_finite]])
    axes.step([first, *values[is_finite], last], [*heights, heights[-1]], where="post", **style)
    axes.yaxis.set_major_locator(extra("matplotlib.ticker", "matplotlib", "a picture").MaxNLocator("auto", integer=True, min_n_ticks=1))
    bottom, top = min(0.0, float(heights.min())), max(1.0, float(heights.max()))
    extend(axes, (low - margin, high + margin), (bottom - 0.02 * (top - bottom), top + 0.05 * (top - bottom)))
    return float(heights.max())


def _finish(axes: Axes, title: str | None, across: str, upward: str) -> None:
    """Names the axes."""
    axes.set_xlabel(across)
    axes.set_ylabel(upward)
    if title is not None:
        axes.set_title(title)


def _corner_beyond_diagonal(sections: Sequence[tuple[int | None, Bars]]) -> Corner | None:
    """The corner of a diagram beyond the diagonal, if no bar lies there."""
    bars = np.concatenate([np.empty((0, 2)), *(bars for _, bars in sections)])
    if not _descends(bars):
        return "lower right"
    return None if np.any(bars[:, 1] > bars[:, 0]) else "upper left"


def _name(dim: int | None) -> str | None:
    """The name of a dimension in a legend."""
    return None if dim is None else f"$H_{{{dim}}}$"


def _colour(dim: int | None) -> str:
    """The colour of a dimension, of matplotlib's cycle."""
    return f"C{dim or 0}"
