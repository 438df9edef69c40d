"""Diagrams: sequences of arrays that pickle, compare, and show themselves."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import lacuna_tda

ANGLES = np.linspace(0, 2 * np.pi, 31)[:30] + 0.01 * np.sin(np.arange(30))
CIRCLE = np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])


def test_it_is_a_sequence_of_arrays() -> None:
    diagram = lacuna_tda.rips(CIRCLE, max_dim=2)
    assert len(diagram) == 3 and len(list(diagram)) == 3 and len(diagram[:2]) == 2
    assert diagram[1] is diagram.bars(1) and diagram[-1] is diagram[2]
    assert all(bars.dtype == np.float64 and bars.shape[1] == 2 for bars in diagram)
    assert diagram.bars(9).shape == (0, 2)
    with pytest.raises(IndexError):
        diagram[3]
    with pytest.raises(ValueError, match="dim: expected 0 or more"):
        diagram.bars(-1)
    assert repr(diagram) == f"<Diagram H0: 30, H1: 1, H2: {len(diagram[2])}>"
    assert diagram.threshold == pytest.approx(2.0, abs=0.01)


def test_equality_is_that_of_bars() -> None:
    diagram = lacuna_tda.rips(CIRCLE)
    assert diagram == lacuna_tda.rips(CIRCLE, representatives="simplices")
    assert diagram == lacuna_tda.Diagram([bars.copy() for bars in diagram])
    assert diagram != lacuna_tda.rips(CIRCLE * 2) and diagram != lacuna_tda.rips(CIRCLE, max_dim=2)
    assert diagram != [1, 2]
    with pytest.raises(TypeError):
        hash(diagram)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_it_pickles_with_all_that_belongs_to_it(protocol: int) -> None:
    rips = lacuna_tda.rips(CIRCLE, landmarks=20, representatives=["cocycles", "cycles"])
    cubical = lacuna_tda.cubical(np.arange(12.0).reshape(3, 4), locations=True)
    for diagram in (rips, cubical):
        for again in (pickle.loads(pickle.dumps(diagram, protocol)), copy.deepcopy(diagram)):
            assert again == diagram and again.threshold == diagram.threshold
            for name in ("landmarks", "representatives", "locations"):
                np.testing.assert_equal(getattr(again, name), getattr(diagram, name))


def test_other_answers_pickle() -> None:
    curve = lacuna_tda.ecc(np.arange(6))
    np.testing.assert_equal(pickle.loads(pickle.dumps(curve)), curve)
    assert pickle.loads(pickle.dumps(lacuna_tda.info())) == lacuna_tda.info()


def test_frames_and_tables() -> None:
    pytest.importorskip("pandas")
    diagram = lacuna_tda.rips(CIRCLE)
    frame = diagram.to_frame()
    assert list(frame.columns) == ["dim", "birth", "death"] and len(frame) == 31
    np.testing.assert_array_equal(frame.to_numpy(dtype=float), diagram.to_array())
    assert lacuna_tda.Diagram([]).to_frame().empty
    table = diagram._repr_html_()
    assert table.count("<tr>") == 3 and "H1" in table


def test_betti_numbers() -> None:
    assert lacuna_tda.rips(CIRCLE).betti(1.0).tolist() == [1, 1]
    assert lacuna_tda.rips(CIRCLE).betti(0.0).tolist() == [30, 0]
    peaks = lacuna_tda.cubical([1.0, 5.0, 2.0, 4.0], superlevel=True)
    assert [peaks.betti(value).tolist() for value in (5.0, 4.0, 2.0)] == [[1], [2], [1]]


def test_bad_arrays_are_refused() -> None:
    with pytest.raises(ValueError, match=r"bars of dimension 1: expected an array of shape \(n, 2\), found \(3,\)"):
        lacuna_tda.Diagram([[], [1, 2, 3]])


@pytest.fixture
def axes() -> object:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    return None


def test_pictures_show_every_bar(axes: object) -> None:
    diagram = lacuna_tda.rips(CIRCLE)
    drawn = diagram.plot()
    assert sum(len(points.get_offsets()) for points in drawn.collections) == 31
    assert [text.get_text() for text in drawn.get_legend().get_texts()] == ["$H_{0}$", "$H_{1}$"]
    one = lacuna_tda.plot_diagram(diagram, dims=[1])
    assert sum(len(points.get_offsets()) for points in one.collections) == 1
    barcode = lacuna_tda.plot_barcode(diagram)
    assert sum(len(lines.get_segments()) for lines in barcode.collections) == 31
    few = lacuna_tda.plot_barcode(diagram, most=3, ax=barcode.figure.add_subplot())
    assert sum(len(lines.get_segments()) for lines in few.collections) == 4
    curve = lacuna_tda.plot_betti(diagram).lines[0]
    assert max(curve.get_ydata()) == 30 and curve.get_ydata()[-1] == 1
    for empty in (lacuna_tda.Diagram([]), lacuna_tda.Diagram([[]]), lacuna_tda.Diagram([[[2.0, np.inf]]])):
        for plot in (lacuna_tda.plot_diagram, lacuna_tda.plot_barcode, lacuna_tda.plot_betti):
            plot(empty)
