"""Diagrams: sequences of arrays that pickle and compare, and show themselves as tables and pages."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence

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


def test_it_has_the_names_of_diagrams_alone() -> None:
    names = [name for name in dir(lacuna_tda.Diagram) if not name.startswith("_")]
    assert names == [
        "bars",
        "betti",
        "betti_curve",
        "entropy",
        "entropy_summary",
        "landmarks",
        "landscape",
        "lengths",
        "locations",
        "persistence_image",
        "plot",
        "report",
        "representatives",
        "show",
        "silhouette",
        "threshold",
        "to_array",
        "to_frame",
    ]
    diagram = lacuna_tda.rips(CIRCLE)
    assert isinstance(diagram, Sequence) and not hasattr(diagram, "__dict__")
    assert [len(bars) for bars in reversed(diagram)] == [1, 30]
    match diagram:
        case [_, loops]:
            assert len(loops) == 1
        case _:
            pytest.fail("a diagram is no sequence to match")


def test_reprs_are_short_and_say_how_much_there_is(rng: np.random.Generator) -> None:
    found = lacuna_tda.rips(rng.random((300, 3)), landmarks=200, representatives=["cocycles", "cycles"])
    assert found.representatives is not None and found.landmarks is not None
    assert repr(found.landmarks) == f"<Landmarks: 200 points, covering radius {found.landmarks.covering_radius:.6g}>"
    zero, one = found.representatives
    assert repr(zero) == "<Representatives of 200 bars of dimension 0: simplices>"
    assert repr(one) == f"<Representatives of {len(found.bars(1))} bars of dimension 1: simplices, cocycles, cycles>"
    assert one.cycles is not None
    assert repr(one.cycles[0]) == f"<Chain of {len(one.cycles[0].coefficients)} simplices of dimension 1>"
    image = rng.permutation(4096).reshape(64, 64)
    assert repr(lacuna_tda.ecc(image)) == "<EulerCurve of 4096 values from 0 to 4095>"
    assert repr(lacuna_tda.EulerCurve(np.empty(0), np.empty(0, dtype=np.int64))) == "<EulerCurve of 0 values>"
    bars = np.sort(rng.random((300, 2)), axis=1)
    match = lacuna_tda.wasserstein(bars, bars + 0.25, matching=True)
    assert match.pairs is not None
    assert repr(match) == f"<Matching at distance {match.distance:.6g} of {len(match.pairs)} pairs>"
    assert repr(lacuna_tda.Matching(np.inf, None, None)) == "<Matching at distance inf>"
    sparse = pytest.importorskip("scipy.sparse")
    edge = sparse.csc_array(([1, 1], [0, 1], [0, 0, 0, 2]), shape=(3, 3))
    assert repr(lacuna_tda.reduce(edge)) == "<Reduction of 3 cells: 1 pairs, 1 essential>"
    assert repr(lacuna_tda.reduce(edge, representatives="cycles")).endswith("1 essential, 2 cycles>")


def test_equality_is_that_of_bars() -> None:
    diagram = lacuna_tda.rips(CIRCLE)
    assert diagram == lacuna_tda.rips(CIRCLE, representatives="simplices")
    assert diagram == lacuna_tda.Diagram([bars.copy() for bars in diagram])
    assert diagram != lacuna_tda.rips(CIRCLE * 2) and diagram != lacuna_tda.rips(CIRCLE, max_dim=2)
    # Higher dimensions may be missing where they have no bars.
    assert diagram == lacuna_tda.Diagram([*diagram, []])
    with_one = lacuna_tda.Diagram([*diagram, [[0.0, 1.0]]])
    assert diagram != with_one and with_one != diagram and lacuna_tda.Diagram([]) == lacuna_tda.Diagram([[], []])
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
