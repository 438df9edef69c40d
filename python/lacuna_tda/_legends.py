"""Legends of pictures, placed where they hide nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.transforms import Bbox

Corner = Literal["lower right", "upper left"]

SHRINKS = 1.45
"""How many times smaller than now axes may become by the layout of their figure, without a legend hiding anything."""

FONTS = ("medium", "small", "x-small", "xx-small")
"""The sizes of the text of a legend: the first with which it fits in is taken."""

TIGHT: dict[str, Any] = {
    "borderaxespad": 0.4,
    "borderpad": 0.3,
    "columnspacing": 1.2,
    "handlelength": 1.2,
    "handletextpad": 0.5,
    "labelspacing": 0.3,
}
"""Distances within a legend, in sizes of its text."""


def add_legend(axes: Axes, handles: Sequence[Artist], top: float, corner: Corner | None = None, radius: float = 0.0) -> None:
    """Adds a legend, in a corner beyond the diagonal if it has room there, or else above what is drawn, which ends at `top`.

    Points on the diagonal have a `radius` in points of typography. The legend has room even if the axes become smaller by :data:`SHRINKS`.
    """
    handles = list({str(handle.get_label()): handle for handle in handles}.values())
    if not handles:
        return
    # Equal units along both axes decide where their corners are.
    axes.apply_aspect()
    if corner is not None:
        for font in FONTS:
            legend = axes.legend(handles=handles, loc=corner, fontsize=font, **TIGHT)
            if _is_beyond_diagonal(axes, legend.get_window_extent(), corner, radius * axes.figure.dpi / 72):
                return
    room = axes.get_position(original=True).transformed(axes.figure.transSubfigure)
    is_equal = axes.get_aspect() != "auto"
    width = min(room.width, room.height) if is_equal else room.width
    for font in FONTS:
        extent, fits = _add_legend_of_width(axes, handles, font, width / SHRINKS)
        taken = min(0.8, SHRINKS * extent.height / room.height)
        if fits and taken < 0.25:
            break
    (left, right), (bottom, _) = axes.get_xlim(), axes.get_ylim()
    above = (top - bottom) * taken / (1 - taken)
    if is_equal:
        # The higher the axes are, the narrower they become, unless their width decides how large they are.
        right = max(right, left + (top - bottom + above) * SHRINKS * extent.width / room.height)
        above = max(above, (right - left) * SHRINKS * extent.height / room.width)
    extend(axes, (left, right), (bottom, top + above))


def _is_beyond_diagonal(axes: Axes, legend: Bbox, corner: Corner, radius: float) -> bool:
    """Whether a legend in a corner leaves the diagonal free, and points on it with a radius in pixels."""
    box = axes.get_window_extent()
    if corner == "lower right":
        nearest = box.x1 - SHRINKS * (box.x1 - legend.x0) - radius, box.y0 + SHRINKS * (legend.y1 - box.y0) + radius
    else:
        nearest = box.x0 + SHRINKS * (legend.x1 - box.x0) + radius, box.y1 - SHRINKS * (box.y1 - legend.y0) - radius
    x, y = axes.transData.inverted().transform(nearest)
    return bool(y < x if corner == "lower right" else y > x)


def _add_legend_of_width(axes: Axes, handles: Sequence[Artist], font: str, width: float) -> tuple[Bbox, bool]:
    """Adds a legend at the upper left, in as many columns as a width in pixels permits. Returns its box with the distance to the axes."""
    for columns in range(len(handles), 0, -1):
        legend = axes.legend(handles=handles, loc="upper left", ncols=columns, fontsize=font, **TIGHT)
        size = float(legend.get_texts()[0].get_fontsize()) * axes.figure.dpi / 72
        extent = legend.get_window_extent().padded(TIGHT["borderaxespad"] * size)
        if extent.width < width:
            return extent, True
    return extent, False


def extend(axes: Axes, across: tuple[float, float], upward: tuple[float, float]) -> None:
    """Lets axes show a rectangle, besides what they show."""
    axes.update_datalim([(across[0], upward[0]), (across[1], upward[1])])
    axes.autoscale_view()
