"""Pictures of diagrams, with matplotlib."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._arguments import count, number, optional_count
from ._extras import extra
from ._keywords import suggests_keywords

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._diagram import Diagram


@suggests_keywords
def plot_diagram(
    diagram: Diagram | Sequence[NDArray[Any]],
    *,
    dims: Iterable[int] | None = None,
    ax: Axes | None = None,
    size: float = 16.0,
) -> Axes:
    """Draws each bar as a point (birth, death), a colour for each dimension; essential bars lie on the line of infinity.

    Parameters
    ----------
    diagram : Diagram, or a sequence of arrays (n, 2)
    dims : iterable of int, optional
        The dimensions to draw; by default all.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    size : float
        The area of a point, in square points of typography.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import lacuna_tda, matplotlib
    >>> matplotlib.use("agg")
    >>> axes = lacuna_tda.plot_diagram(lacuna_tda.rips([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]))
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('birth', 'death')
    """
    size = number("size", size)
    axes, drawn = _axes(ax), _drawn(diagram, dims)
    low, high = _range(drawn)
    margin = 0.05 * (high - low)
    above = {np.inf: high + 2 * margin, -np.inf: low - 2 * margin}
    bottom, top = low - margin, high + margin
    for infinity, sign in ((np.inf, "∞"), (-np.inf, "−∞")):
        if any(np.any(bars[:, 1] == infinity) for _, bars in drawn):
            level = above[infinity]
            axes.axhline(level, color="0.6", linewidth=1, linestyle="--", zorder=0)
            # Beside the axes, whose place in the figure is not to depend on it.
            label = axes.text(1.01, level, sign, transform=axes.get_yaxis_transform(), va="center")
            label.set_in_layout(False)
            bottom, top = min(bottom, level - margin), max(top, level + margin)
    axes.plot([low - margin, high + margin], [low - margin, high + margin], color="0.6", linewidth=1, zorder=0)
    for dim, bars in drawn:
        deaths = np.array([above.get(death, death) for death in bars[:, 1]])
        axes.scatter(bars[:, 0], deaths, s=size, color=_colour(dim), label=_name(dim), alpha=0.8, linewidths=0)
    axes.set_xlim(low - margin, high + margin)
    axes.set_ylim(bottom, top)
    axes.set_xlabel("birth")
    axes.set_ylabel("death")
    axes.set_aspect("equal", adjustable="box")
    if drawn:
        descends = any(np.any(bars[:, 1] < bars[:, 0]) for _, bars in drawn)
        axes.legend(loc="upper left" if descends else "lower right")
    return axes


@suggests_keywords
def plot_barcode(
    diagram: Diagram | Sequence[NDArray[Any]],
    *,
    dims: Iterable[int] | None = None,
    ax: Axes | None = None,
    most: int | None = None,
) -> Axes:
    """Draws each bar as a line from birth to death, dimension above dimension, in each by birth; essential bars end in an arrow.

    Parameters
    ----------
    diagram, dims, ax
        As those of :func:`plot_diagram`.
    most : int, optional
        Of each dimension the longest bars alone, so many at most.

    Returns
    -------
    matplotlib.axes.Axes
    """
    most = optional_count("most", most, 0)
    axes, drawn = _axes(ax), _drawn(diagram, dims)
    low, high = _range(drawn)
    margin = 0.05 * (high - low)
    above = {np.inf: high + margin, -np.inf: low - margin}
    bottom = 0
    for dim, bars in drawn:
        if most is not None:
            longest = np.argsort(-np.abs(bars[:, 1] - bars[:, 0]), kind="stable")[:most]
            bars = bars[np.sort(longest)]
        bars = bars[np.lexsort((bars[:, 1], bars[:, 0]))]
        heights = bottom + np.arange(len(bars))
        ends = np.array([above.get(death, death) for death in bars[:, 1]])
        axes.hlines(heights, bars[:, 0], ends, color=_colour(dim), linewidth=_width(drawn, most), label=_name(dim))
        endless = ~np.isfinite(bars[:, 1])
        for infinity, marker in ((np.inf, ">"), (-np.inf, "<")):
            at = bars[:, 1] == infinity
            (ends_of,) = axes.plot(ends[at], heights[at], marker, color=_colour(dim), markersize=4, clip_on=False)
            ends_of.set_in_layout(False)
        bottom += len(bars) + max(1, len(bars) // 20) if len(bars) or endless.any() else 0
    axes.set_xlim(low - margin, high + margin)
    axes.set_yticks([])
    axes.set_xlabel("value")
    _legend_above(axes, drawn, -1, max(bottom, 1))
    return axes


@suggests_keywords
def plot_betti(
    diagram: Diagram | Sequence[NDArray[Any]],
    *,
    dims: Iterable[int] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draws the Betti curves: the number of bars of each dimension that are alive at each value, a step function.

    Parameters
    ----------
    diagram, dims, ax
        As those of :func:`plot_diagram`.

    Returns
    -------
    matplotlib.axes.Axes
    """
    axes, drawn = _axes(ax), _drawn(diagram, dims)
    low, high = _range(drawn)
    margin = 0.05 * (high - low)
    most_alive = 1
    for dim, bars in drawn:
        first, last = np.minimum(bars[:, 0], bars[:, 1]), np.maximum(bars[:, 0], bars[:, 1])
        values = np.concatenate([first, last])
        changes = np.concatenate([np.ones(len(first)), -np.ones(len(last))])
        before = np.count_nonzero(values == -np.inf)
        is_finite = np.isfinite(values)
        steps, place = np.unique(values[is_finite], return_inverse=True)
        counts = before + np.cumsum(np.bincount(place, changes[is_finite], len(steps)))
        xs = np.concatenate([[low - margin], steps, [high + margin]])
        ys = np.concatenate([[before], counts, counts[-1:] if len(counts) else [before]])
        most_alive = max(most_alive, int(ys.max()))
        axes.step(xs, ys, where="post", color=_colour(dim), label=_name(dim))
    axes.set_xlim(low - margin, high + margin)
    axes.set_xlabel("value")
    axes.set_ylabel("Betti number")
    _legend_above(axes, drawn, 0, most_alive)
    return axes


def _legend_above(axes: Axes, drawn: Sequence[object], bottom: float, top: float) -> None:
    """Puts the legend in one row above what is drawn from `bottom` to `top`, within the axes, where it hides nothing of these or of others."""
    axes.set_ylim(bottom, top + 0.05 * (top - bottom))
    if not drawn:
        return
    legend = axes.legend(loc="upper left", ncols=len(drawn), handlelength=1.2, columnspacing=1.2)
    # Of the height of the axes, which the layout of a figure may yet make less.
    taken = 1.5 * legend.get_window_extent().height / axes.get_window_extent().height
    axes.set_ylim(bottom, bottom + 1.02 * (top - bottom) / (1 - min(taken, 0.6)))


def _axes(ax: Axes | None) -> Axes:
    """Where to draw."""
    if ax is not None:
        return ax
    axes: Axes = extra("matplotlib.pyplot", "matplotlib", "a picture").subplots(layout="constrained")[1]
    return axes


def _drawn(
    diagram: Diagram | Sequence[NDArray[Any]], dims: Iterable[int] | None
) -> list[tuple[int, NDArray[np.float64]]]:
    """The dimensions to draw, and their bars."""
    wanted = range(len(diagram)) if dims is None else [count("dims", dim, 0) for dim in dims]
    return [(dim, np.asarray(diagram[dim], dtype=np.float64).reshape(-1, 2)) for dim in wanted]


def _range(drawn: Sequence[tuple[int, NDArray[np.float64]]]) -> tuple[float, float]:
    """The least and the greatest finite value."""
    values = np.concatenate([np.empty(0), *(bars.ravel() for _, bars in drawn)])
    finite = values[np.isfinite(values)]
    if not finite.size:
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    return (low, high) if low < high else (low, low + 1.0)


def _width(drawn: Sequence[tuple[int, NDArray[np.float64]]], most: int | None) -> float:
    """The width of a line where so many are drawn."""
    bars = sum(len(bars) if most is None else min(len(bars), most) for _, bars in drawn)
    return min(4.0, max(0.5, 200.0 / max(bars, 1)))


def _name(dim: int) -> str:
    return f"$H_{{{dim}}}$"


def _colour(dim: int) -> str:
    return f"C{dim}"
