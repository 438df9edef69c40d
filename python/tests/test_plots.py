"""Pictures: what is drawn where, checked on the artists of matplotlib, and that no legend hides any of it."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from numpy.typing import NDArray

import lacuna_tda
from lacuna_tda import Diagram

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")

import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.collections import LineCollection, PathCollection, PolyCollection  # noqa: E402
from matplotlib.colors import to_rgba  # noqa: E402

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Bbox

inf = np.inf
ANGLES = np.linspace(0, 2 * np.pi, 31)[:30] + 0.01 * np.sin(np.arange(30))
CIRCLE = np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])
UNTIL = np.sort(np.random.default_rng(1).random(60))

DIAGRAMS = {
    "without dimensions": Diagram([]),
    "without bars": Diagram([[], []]),
    "of one bar": Diagram([[[1.0, 3.0]]]),
    "of essential bars": Diagram([[[0.0, inf]], [[1.0, inf], [0.2, inf]]]),
    "of equal bars": Diagram([[[0.0, 1.0]] * 150 + [[0.0, inf]], [[0.5, 0.7]] * 4 + [[0.5, 2.0]]]),
    "of one value": Diagram([[[2.0, inf]]]),
    "of a circle": lacuna_tda.rips(CIRCLE, max_dim=2),
    # The bars that last longest are those at the corner where a legend finds most room.
    "of late bars": Diagram([np.column_stack([np.zeros(60), 0.3 + UNTIL]), np.column_stack([UNTIL, UNTIL + 1]), [[0.9, 2.0], [0.2, inf]]]),
    "of superlevel sets": lacuna_tda.cubical(np.random.default_rng(2).integers(0, 9, (20, 20)), superlevel=True),
    "of infinities at both ends": Diagram([[[-inf, 1.0], [0.0, inf], [-inf, inf], [0.2, 0.6]], [[-inf, 0.5]]]),
    "of infinities, descending": Diagram([[[inf, 1.0], [0.0, -inf], [inf, -inf], [0.6, 0.2]], [[0.5, 0.1]]]),
    "of both directions": Diagram([[[0.0, 1.0], [0.0, inf]], [[1.0, 0.0], [1.0, 0.2], [0.3, -inf]]]),
}

PICTURES: dict[str, Callable[..., Any]] = {
    "diagram": lacuna_tda.plot_diagram,
    "lifetimes": lambda diagram, **options: lacuna_tda.plot_diagram(diagram, lifetime=True, **options),
    "barcode": lacuna_tda.plot_barcode,
    "betti": lacuna_tda.plot_betti,
}


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def large() -> Diagram:
    """100,000 bars in two dimensions, and a few in a third."""
    rng = np.random.default_rng(3)
    births = rng.random(60_000), rng.random(40_000)
    short, long = (np.column_stack([at, at + rng.exponential(mean, len(at))]) for at, mean in zip(births, (0.03, 0.1)))
    return Diagram([short, long, [[0.3, 1.9], [0.2, 1.5], [0.2, inf]]])


def in_pixels(length: float, axes: Axes) -> float:
    """A length in points of typography."""
    return float(length * axes.figure.dpi / 72)


def hidden(axes: Axes, box: Bbox) -> list[str]:
    """What is drawn within a box: marks, with their radii, and lines."""
    found = []
    for collection in axes.collections:
        if isinstance(collection, LineCollection):
            paths = [collection.get_transform().transform_path(path) for path in collection.get_paths()]
            found += ["line" for path in paths if path.intersects_bbox(box, filled=False)]
            continue
        points = collection.get_offset_transform().transform(collection.get_offsets())
        # Hexagons are smaller than this.
        radii = in_pixels(0.5, axes) * np.sqrt(collection.get_sizes()) if isinstance(collection, PathCollection) else np.array([3.0])
        beyond = np.maximum(np.maximum(box.p0 - points, points - box.p1).max(axis=1), 0)
        found += ["mark"] * int(np.count_nonzero(beyond < radii))
    for line in axes.lines:
        path = line.get_transform().transform_path(line.get_path())
        if line.get_linestyle() != "None" and path.intersects_bbox(box.padded(in_pixels(line.get_linewidth() / 2, axes)), filled=False):
            found.append("line")
        if line.get_marker() not in ("None", ""):
            grown = box.padded(in_pixels(line.get_markersize() / 2, axes))
            found += ["arrow" for x, y in path.vertices if grown.contains(x, y)]
    return found


def assert_legends_hide_nothing(all_axes: NDArray[Any]) -> None:
    all_axes[0].figure.canvas.draw()
    for axes in all_axes:
        legend = axes.get_legend()
        if legend is not None:
            box = legend.get_window_extent()
            # Nor does it reach into other axes.
            assert axes.bbox.x0 - 1 < box.x0 and box.x1 < axes.bbox.x1 + 1 and axes.bbox.y0 - 1 < box.y0 and box.y1 < axes.bbox.y1 + 1
            assert hidden(axes, box) == []


@pytest.mark.parametrize("layout", [None, "constrained", "tight"])
@pytest.mark.parametrize("picture", PICTURES)
def test_legends_hide_nothing_in_panels(picture: str, layout: str | None) -> None:
    figure, grid = plt.subplots(3, 4, figsize=(9, 6.5), layout=layout)
    assert len(DIAGRAMS) == grid.size
    for diagram, axes in zip(DIAGRAMS.values(), grid.ravel()):
        assert PICTURES[picture](diagram, ax=axes, title="A title") is axes
    assert_legends_hide_nothing(grid.ravel())
    assert [axes.get_legend() is None for axes in grid.ravel()] == [len(diagram) == 0 for diagram in DIAGRAMS.values()]


@pytest.mark.parametrize("size", [(6.4, 4.8), (4, 3.2), (3, 2), (12, 8)])
@pytest.mark.parametrize("layout", [None, "constrained", "tight"])
def test_legends_hide_nothing_in_figures(size: tuple[float, float], layout: str | None) -> None:
    for name in ("of equal bars", "of late bars", "of infinities at both ends"):
        for draw in PICTURES.values():
            figure, axes = plt.subplots(figsize=size, layout=layout)
            draw(DIAGRAMS[name], ax=axes)
            assert_legends_hide_nothing(np.array([axes]))
            plt.close(figure)


@pytest.mark.parametrize("name", DIAGRAMS)
@pytest.mark.parametrize("picture", PICTURES)
def test_what_is_drawn_lies_within_the_axes(picture: str, name: str) -> None:
    diagram = DIAGRAMS[name]
    axes = PICTURES[picture](diagram)
    axes.figure.canvas.draw()
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    assert left < right and bottom < top
    for collection in axes.collections:
        parts = collection.get_segments() if isinstance(collection, LineCollection) else [collection.get_offsets()]
        for part in parts:
            assert np.all((part > [left, bottom]) & (part < [right, top]))
    assert axes.get_xlabel() in ("birth", "value") and axes.get_title() == ""
    texts = [] if axes.get_legend() is None else [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts[: len(diagram)] == [f"$H_{{{dim}}}$" for dim in range(len(diagram))]
    assert all(text.endswith(" bars") for text in texts[len(diagram) :])
    assert PICTURES[picture](diagram, legend=False, title="so").get_legend() is None


def places(axes: Axes) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """The points and the numbers of bars of each dimension of a diagram, as its marks tell them."""
    marks = [(np.asarray(of.get_offsets()), of.get_sizes()) for of in axes.collections if isinstance(of, PathCollection)]
    found = []
    for (single, _), (several, sizes) in zip(marks[::2], marks[1::2]):
        numbers = 2 ** ((sizes / 16 - 1) / 0.6) if len(several) else []
        found.append((np.concatenate([single, several]), np.concatenate([np.ones(len(single)), numbers])))
    return found


@pytest.mark.parametrize("name", [name for name in DIAGRAMS if not name.startswith("of infinities")])
def test_marks_tell_how_many_bars_lie_at_a_point(name: str) -> None:
    diagram = DIAGRAMS[name]
    axes = lacuna_tda.plot_diagram(diagram)
    found = places(axes)
    assert len(found) == len(diagram)
    for bars, (points, numbers) in zip(diagram, found):
        finite = bars[np.isfinite(bars[:, 1])]
        is_finite = (points[:, 1] >= finite.min(initial=inf)) & (points[:, 1] <= finite.max(initial=-inf))
        expected, counts = np.unique(finite, axis=0, return_counts=True)
        order = np.lexsort((points[is_finite, 1], points[is_finite, 0]))
        np.testing.assert_allclose(points[is_finite][order], expected.reshape(-1, 2))
        np.testing.assert_allclose(numbers[is_finite][order], counts)
        assert round(numbers.sum()) == len(bars)


def test_the_legend_tells_numbers_of_bars() -> None:
    axes = lacuna_tda.plot_diagram(DIAGRAMS["of equal bars"], size=20)
    single, several = axes.collections[:2]
    assert single.get_sizes().tolist() == [20] and several.get_linewidths().tolist() == [0.8] and single.get_linewidths().tolist() == [0]
    legend = axes.get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["$H_{0}$", "$H_{1}$", "10 bars", "100 bars", "150 bars"]
    areas = [line.get_markersize() ** 2 for line in legend.get_lines()]
    np.testing.assert_allclose(areas, [20, 20, *(20 * (1 + 0.6 * np.log2([10, 100, 150])))])
    assert several.get_sizes()[0] == pytest.approx(areas[-1])
    few = lacuna_tda.plot_diagram(Diagram([[[0, 1], [0, 1], [0, 2]]])).get_legend()
    assert [text.get_text() for text in few.get_texts()] == ["$H_{0}$", "2 bars"]


def test_infinite_values_have_lines_with_names() -> None:
    axes = lacuna_tda.plot_diagram(DIAGRAMS["of infinities at both ends"])
    (dashed_up, dashed_across, _) = sorted(axes.lines, key=lambda line: line.get_linestyle() != "--")
    left, top = dashed_up.get_xdata()[0], dashed_across.get_ydata()[0]
    assert left < 0.0 and top > 1.0
    points = places(axes)[0][0]
    np.testing.assert_allclose(points[np.lexsort(points.T[::-1])], [[left, 1.0], [left, top], [0.0, top], [0.2, 0.6]])
    named = [[text.get_text() for text in axis.get_ticklabels(minor=True)] for axis in (axes.xaxis, axes.yaxis)]
    assert named == [["−∞"], ["∞"]]
    assert axes.xaxis.get_ticklocs(minor=True).tolist() == [left] and axes.yaxis.get_ticklocs(minor=True).tolist() == [top]
    down = lacuna_tda.plot_diagram(DIAGRAMS["of superlevel sets"])
    assert [text.get_text() for text in down.yaxis.get_ticklabels(minor=True)] == ["−∞"]
    assert list(lacuna_tda.plot_diagram([[[0.0, 1.0]]]).yaxis.get_ticklocs(minor=True)) == []


def test_colours_are_those_of_matplotlib() -> None:
    with plt.rc_context({"axes.prop_cycle": plt.cycler(color=["#102030", "#405060", "#708090"])}):
        for draw in (lacuna_tda.plot_diagram, lacuna_tda.plot_barcode):
            drawn = draw(DIAGRAMS["of late bars"]).collections
            found = [of.get_facecolor()[0] if isinstance(of, PathCollection) else of.get_color()[0] for of in drawn]
            assert {tuple(colour[:3]) for colour in found} == {to_rgba(f"C{dim}")[:3] for dim in range(3)}
        lines = lacuna_tda.plot_betti(DIAGRAMS["of late bars"], dims=[2, 1]).lines
        assert [line.get_color() for line in lines] == ["C2", "C1"]


def test_dimensions_are_chosen() -> None:
    diagram = lacuna_tda.rips(CIRCLE)
    drawn = diagram.plot()
    assert sum(numbers.sum() for _, numbers in places(drawn)) == 31
    one = lacuna_tda.plot_diagram(diagram, dims=[1])
    assert sum(len(points.get_offsets()) for points in one.collections) == 1
    barcode = lacuna_tda.plot_barcode(diagram)
    assert sum(len(lines.get_segments()) for lines in barcode.collections) == 31
    few = lacuna_tda.plot_barcode(diagram, most=3, ax=barcode.figure.add_subplot())
    assert sum(len(lines.get_segments()) for lines in few.collections) == 4
    lone = lacuna_tda.plot_diagram(diagram.bars(1))
    np.testing.assert_array_equal(lone.collections[0].get_offsets(), diagram.bars(1))
    assert lone.get_legend() is None


def test_lifetimes_are_those_of_persim() -> None:
    persim = pytest.importorskip("persim")
    diagram = lacuna_tda.rips(CIRCLE, max_dim=1)
    theirs = plt.figure().add_subplot()
    persim.plot_diagrams(list(diagram), lifetime=True, ax=theirs)
    ours = lacuna_tda.plot_diagram(diagram, lifetime=True)
    assert ours.get_ylabel() == theirs.get_ylabel().lower() == "lifetime"
    for dim, (points, _) in enumerate(places(ours)):
        expected = np.asarray(theirs.collections[dim].get_offsets())[np.isfinite(diagram[dim][:, 1])]
        found = points[points[:, 1] <= np.ptp(diagram[1])]
        np.testing.assert_allclose(found[found[:, 1].argsort()], expected[expected[:, 1].argsort()], atol=1e-6)
    down = lacuna_tda.plot_diagram(Diagram([[[3.0, 1.0]]]), lifetime=True)
    assert down.collections[0].get_offsets().tolist() == [[3.0, 2.0]]


def test_barcodes_have_their_bars_in_order() -> None:
    for diagram in (DIAGRAMS["of a circle"], DIAGRAMS["of superlevel sets"]):
        axes = lacuna_tda.plot_barcode(diagram)
        heights = []
        for bars, lines in zip(diagram, axes.collections):
            segments = np.array(lines.get_segments()).reshape(-1, 2, 2)
            assert np.array_equal(segments[:, 0, 1], segments[:, 1, 1]) and np.all(np.diff(segments[:, 0, 1]) > 0)
            found = segments[:, :, 0]
            is_finite = np.isfinite(bars[:, 1])
            assert len(found) == len(bars)
            order = np.lexsort((bars[:, 1], bars[:, 0]))
            down = bool(np.any(bars[:, 1] < bars[:, 0]))
            expected = bars[order[::-1] if down else order]
            np.testing.assert_array_equal(found[np.isfinite(expected[:, 1])], expected[np.isfinite(expected[:, 1])])
            heights += segments[:, 0, 1].tolist()
            arrows = {line.get_ydata()[0] for line in axes.lines if line.get_marker() == ("<" if down else ">")}
            assert is_finite.all() or not arrows.isdisjoint(heights)
        assert np.all(np.diff(heights) > 0)


def test_arrows_are_where_bars_never_end() -> None:
    axes = lacuna_tda.plot_barcode(DIAGRAMS["of infinities at both ends"])
    arrows = {(line.get_marker(), line.get_color()): len(line.get_xdata()) for line in axes.lines}
    assert arrows == {("<", "C0"): 2, (">", "C0"): 2, ("<", "C1"): 1}
    ends = {line.get_xdata()[0] for line in axes.lines}
    assert {min(ends), max(ends)} == ends and min(ends) < 0.0 and max(ends) > 1.0


def test_few_bars_remain_visible_above_many(large: Diagram) -> None:
    axes = lacuna_tda.plot_barcode(large)
    heights = [np.array([segment[0][1] for segment in lines.get_segments()]) for lines in axes.collections]
    of_points = np.diff(axes.transData.transform([(0, heights[2][0]), (0, heights[2][-1])])[:, 1])[0] * 72 / axes.figure.dpi
    # Three bars, and as much between dimensions as can be seen.
    assert of_points > 0.9 and heights[2][0] - heights[1][-1] > 0.04 * heights[2][-1]
    assert np.ptp(heights[0]) == pytest.approx(1.5**0.5 * np.ptp(heights[1]), rel=1e-3)
    assert all(lines.get_rasterized() for lines in axes.collections)


def test_large_diagrams_are_counted_in_hexagons(large: Diagram) -> None:
    axes = lacuna_tda.plot_diagram(large)
    hexagons = [of for of in axes.collections if isinstance(of, PolyCollection)]
    assert [of.get_array().sum() for of in hexagons] == [60_000, 40_000]
    assert max(len(of.get_array()) for of in hexagons) < 6000
    (points, numbers), = places(axes)
    assert len(points) == 3 and numbers.tolist() == [1, 1, 1]
    most = int(max(of.get_array().max() for of in hexagons))
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["$H_{0}$", "$H_{1}$", "$H_{2}$", f"{most} bars"]
    # Few marks lie above many hexagons, and the dimension that covers less above the other.
    order = sorted(axes.collections, key=lambda of: of.get_zorder())
    assert isinstance(order[0], PolyCollection) and isinstance(order[-1], PathCollection)
    assert len(order[0].get_offsets()) > len(order[1].get_offsets())
    assert_legends_hide_nothing(np.array([axes]))


def test_large_pictures_are_small_files(large: Diagram) -> None:
    for draw in PICTURES.values():
        file = BytesIO()
        draw(large).figure.savefig(file, format="svg")
        assert file.tell() < 1_000_000


def at(axes: Axes, line: int, value: float) -> float:
    """What a step function is at a value."""
    assert axes.lines[line].get_drawstyle() == "steps-post"
    xs, ys = axes.lines[line].get_data()
    order = np.argsort(xs, kind="stable")
    xs, ys = np.asarray(xs)[order], np.asarray(ys)[order]
    # A step ends with the value that it has up to its end, in the direction in which it was drawn.
    drawn_down = axes.lines[line].get_xdata()[0] > axes.lines[line].get_xdata()[-1]
    place = np.searchsorted(xs, value, "left") if drawn_down else np.searchsorted(xs, value, "right") - 1
    return float(ys[place])


@pytest.mark.parametrize("name", [name for name in DIAGRAMS if name != "without dimensions"])
def test_betti_curves_are_betti_numbers(name: str, rng: np.random.Generator) -> None:
    diagram = DIAGRAMS[name]
    axes = lacuna_tda.plot_betti(diagram)
    panels = lacuna_tda.plot_betti(diagram, panels=True)
    for value in rng.uniform(*axes.get_xlim(), 40):
        expected = diagram.betti(value).tolist()
        assert [at(axes, dim, value) for dim in range(len(diagram))] == expected
        assert [at(panel, 0, value) for panel in panels] == expected


@pytest.mark.parametrize("superlevel", [False, True])
def test_euler_curves_are_sums_of_betti_numbers(superlevel: bool, rng: np.random.Generator) -> None:
    image = rng.permutation(400).reshape(20, 20)
    axes = lacuna_tda.ecc(image, superlevel=superlevel).plot()
    diagram = lacuna_tda.cubical(image, superlevel=superlevel)
    for value in (*rng.uniform(-30, 430, 60), -0.5, 399.5):
        shown = min(max(value, axes.get_xlim()[0]), axes.get_xlim()[1])
        assert at(axes, 0, shown) == diagram.betti(value) @ [1, -1]
    assert axes.get_ylabel() == "Euler characteristic"


def test_euler_curves_share_axes() -> None:
    axes = None
    curves = lacuna_tda.ecc(np.random.default_rng(4).normal(size=(30, 30)), scales=3)
    for scale, curve in enumerate(curves):
        axes = curve.plot(ax=axes, label=f"scale {scale}", title="Scales")
    assert axes is not None and axes.get_title() == "Scales" and len(axes.lines) == 3
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["scale 0", "scale 1", "scale 2"]
    assert_legends_hide_nothing(np.array([axes]))
    low, high = axes.get_xlim()
    assert all(low < curve.values[0] and curve.values[-1] < high for curve in curves)
    unnamed = lacuna_tda.plot_euler(curves[0])
    assert unnamed.get_legend() is None
    assert lacuna_tda.plot_euler(lacuna_tda.EulerCurve(np.empty(0), np.empty(0, dtype=np.int64))).lines[0].get_ydata().max() == 0
    infinite = lacuna_tda.ecc(np.array([[-inf, 1.0], [2.0, inf]])).plot()
    assert np.isfinite(infinite.lines[0].get_xydata()).all() and at(infinite, 0, 1.5) == 1


def test_euler_curves_become_frames(rng: np.random.Generator) -> None:
    pytest.importorskip("pandas")
    curve = lacuna_tda.ecc(rng.integers(0, 50, (9, 9), dtype=np.uint8))
    frame = curve.to_frame()
    assert list(frame.columns) == ["value", "change", "euler"]
    np.testing.assert_array_equal(frame["value"], curve.values)
    np.testing.assert_array_equal(frame["euler"], frame["change"].cumsum())
    assert frame["value"].dtype == curve.values.dtype


def test_panels_share_their_abscissa() -> None:
    diagram = DIAGRAMS["of late bars"]
    panels = lacuna_tda.plot_betti(diagram, panels=True, title="Curves")
    panels[0].figure.canvas.draw()
    assert [axes.get_ylabel() for axes in panels] == [rf"$\beta_{{{dim}}}$" for dim in range(3)]
    assert [axes.get_title() for axes in panels] == ["Curves", "", ""]
    assert [axes.xaxis.get_label().get_visible() and axes.get_xlabel() for axes in panels][-1] == "value"
    assert not any(axes.xaxis.get_label().get_visible() and axes.get_xlabel() for axes in panels[:-1])
    assert len({axes.get_xlim() for axes in panels}) == 1 and all(axes.get_legend() is None for axes in panels)
    assert panels[0].get_ylim()[1] > 60 and panels[2].get_ylim()[1] < 3
    row = plt.figure().subplots(1, 2)
    assert lacuna_tda.plot_betti(diagram, ax=row, dims=[2, 0]).tolist() == row.tolist()
    assert [axes.get_ylabel() for axes in row] == [r"$\beta_{2}$", r"$\beta_{0}$"] and row[0].get_xlabel() == "value"
    assert lacuna_tda.plot_betti(Diagram([]), panels=True).shape == (1,)
    with pytest.raises(ValueError, match="ax: expected axes for each of 3 dimensions, found 2"):
        lacuna_tda.plot_betti(diagram, ax=row)


def test_axes_that_share_limits_show_all_pictures() -> None:
    small, large = Diagram([[[0.0, 1.0], [0.0, inf]]]), Diagram([[[-5.0, 40.0]]])
    for draw in (lacuna_tda.plot_diagram, lacuna_tda.plot_barcode, lacuna_tda.plot_betti):
        for first, second in ((small, large), (large, small)):
            row = plt.figure().subplots(1, 2, sharex=True, sharey=True)
            draw(first, ax=row[0])
            draw(second, ax=row[1])
            row[0].figure.canvas.draw()
            assert row[0].get_xlim() == row[1].get_xlim() and row[0].get_xlim()[0] <= -5.0
            assert row[0].get_xlim()[1] >= (40.0 if draw is not lacuna_tda.plot_diagram else -5.0)
            assert row[0].get_ylim() == row[1].get_ylim()
        both = draw(large, ax=draw(small))
        assert both.get_xlim()[0] <= -5.0 and [text.get_text() for text in both.get_legend().get_texts()] == ["$H_{0}$"]


def test_landscapes_are_those_of_the_function() -> None:
    diagram = DIAGRAMS["of late bars"]
    axes = diagram.plot("landscape", count=3, resolution=50)
    assert len(axes.lines) == 3 and [line.get_label() for line in axes.lines] == [rf"$\lambda_{{{k}}}$" for k in (1, 2, 3)]
    ends = diagram.bars(1).min(), diagram.bars(1).max()
    functions = lacuna_tda.landscape(diagram, dim=1, count=3, resolution=50, range=ends)
    xs, first = axes.lines[0].get_data()
    np.testing.assert_allclose(xs, np.linspace(*ends, 50))
    assert first.max() > 0
    for line, function in zip(axes.lines, functions):
        np.testing.assert_array_equal(line.get_ydata(), function)
    assert_legends_hide_nothing(np.array([axes]))
    again = lacuna_tda.plot_landscape(functions, range=ends, title="again")
    np.testing.assert_array_equal([line.get_ydata() for line in again.lines], functions)
    # The tent of a bar has its top in the middle, on the scale of GUDHI.
    tent = lacuna_tda.plot_landscape(Diagram([[[1.0, 3.0], [0.0, inf]]]), dim=0, count=1, resolution=3).lines[0]
    np.testing.assert_allclose(tent.get_xydata(), [[1, 0], [2, 2**0.5], [3, 0]])
    assert lacuna_tda.plot_landscape(DIAGRAMS["of essential bars"]).lines[0].get_ydata().max() == 0
    with pytest.raises(ValueError, match="range is missing: expected beside an array"):
        lacuna_tda.plot_landscape(functions)
    with pytest.raises(ValueError, match="dim: expected beside a Diagram, found ndarray"):
        lacuna_tda.plot_landscape(functions, dim=1, range=ends)
    with pytest.raises(ValueError, match="range: expected a pair, found 3"):
        lacuna_tda.plot_landscape(functions, range=3)
    with pytest.raises(ValueError, match=r"diagram: expected a Diagram or an array of two axes, found one of shape \(50,\)"):
        lacuna_tda.plot_landscape(functions[0], range=ends)


def test_images_have_their_points_in_the_middle_of_pixels() -> None:
    diagram = Diagram([[], [[0.0, 1.0], [2.0, 5.0], [1.0, inf]]])
    axes = diagram.plot("image", resolution=(3, 4), bandwidth=0.5, title="Image")
    (image,) = axes.images
    ends = (0.0, 2.0), (0.0, 3.0)
    expected = lacuna_tda.persistence_image(diagram, dim=1, resolution=(3, 4), bandwidth=0.5, range=ends)
    np.testing.assert_array_equal(image.get_array(), expected)
    assert image.get_extent() == [-0.5, 2.5, -0.5, 3.5] and image.origin == "lower"
    assert (axes.get_xlim(), axes.get_ylim()) == ((-0.5, 2.5), (-0.5, 3.5))
    again = lacuna_tda.plot_persistence_image(expected, range=ends).images[0]
    np.testing.assert_array_equal(again.get_array(), expected)
    # By default the Gaussians are narrow enough to be told apart.
    pixels = diagram.plot("image").images[0].get_array()
    assert pixels[16, 0] > 0.5 * pixels.max() and pixels[49, 49] > 0.5 * pixels.max() and pixels[25, 25] < 0.01 * pixels.max()
    down = lacuna_tda.plot_persistence_image(Diagram([[[5.0, 2.0]]]), dim=0).images[0]
    assert down.get_array().argmax() == 49 * 50 and np.isfinite(down.get_array()).all()
    with pytest.raises(ValueError, match="range: expected a pair, found 1.0"):
        lacuna_tda.plot_persistence_image(expected, range=(1.0, 2.0))
    with pytest.raises(ValueError, match="range is missing"):
        lacuna_tda.plot_persistence_image(expected)


def test_kinds_of_pictures_take_options() -> None:
    diagram = DIAGRAMS["of a circle"]
    assert len(diagram.plot("barcode", most=1, title="Longest").collections) == 3
    assert diagram.plot(kind="diagram", lifetime=True).get_ylabel() == "lifetime"
    assert diagram.plot(kind="betti").get_ylabel() == "Betti number"
    assert diagram.plot(kind="betti", panels=True).shape == (3,)
    with pytest.raises(ValueError, match="kind: expected diagram, barcode, betti, landscape, image, found 'density'"):
        diagram.plot(kind="density")
    with pytest.raises(TypeError, match=r"plot_diagram\(\) got an unexpected keyword argument 'panel'"):
        diagram.plot(panel=True)


def test_figures_are_pickled() -> None:
    for diagram in (DIAGRAMS["of infinities at both ends"], DIAGRAMS["of equal bars"]):
        for draw in PICTURES.values():
            again = pickle.loads(pickle.dumps(draw(diagram).figure))
            again.canvas.draw()


def test_wrong_arguments_are_told() -> None:
    diagram = DIAGRAMS["of a circle"]
    for draw in (lacuna_tda.plot_diagram, lacuna_tda.plot_barcode, lacuna_tda.plot_betti):
        with pytest.raises(ValueError, match="dims: expected dimensions below 3, found 7"):
            draw(diagram, dims=[0, 7])
        with pytest.raises(TypeError, match=r"dims: expected dimensions, as in \[0, 1\], found 1"):
            draw(diagram, dims=1)
        with pytest.raises(ValueError, match="dims: expected beside a diagram or arrays for each dimension, found the bars of one"):
            draw(diagram.bars(0), dims=[0])
        with pytest.raises(ValueError, match="bars of dimension 1: expected births and deaths, found NaN"):
            draw([[[0.0, 1.0]], [[0.0, np.nan]]])
        with pytest.raises(ValueError, match=r"diagram: expected an array of shape \(n, 2\), found \(4, 3\)"):
            draw(np.zeros((4, 3)))
        with pytest.raises(ValueError, match=r"bars of dimension 0: expected an array of shape \(n, 2\), found \(2,\)"):
            draw([[0.0, 1.0], [0.0, 2.0]])
        with pytest.raises(TypeError, match="ax: expected axes of matplotlib, found Figure"):
            draw(diagram, ax=plt.figure())
        with pytest.raises(TypeError, match="legend: expected True or False, found 'best'"):
            draw(diagram, legend="best")
    with pytest.raises(ValueError, match="size: expected a finite number above 0, found 0"):
        diagram.plot(size=0)


def test_curves_are_drawn_one_by_one() -> None:
    curves = lacuna_tda.ecc(np.arange(12.0).reshape(3, 4), scales=2)
    with pytest.raises(TypeError, match="^curve: expected an EulerCurve, found list; draw those of several scales one by one$"):
        lacuna_tda.plot_euler(curves)  # type: ignore[arg-type]
