"""Pairs of boundary matrices, against the standard algorithm on sets."""

from __future__ import annotations

import numpy as np
import pytest

import lacuna_tda
from conftest import DATA, assert_same_bars

sparse = pytest.importorskip("scipy.sparse")


def random_complex(rng: np.random.Generator, vertices: int) -> list[tuple[int, ...]]:
    """Simplices of a random complex, faces before cofaces, as tuples of vertices."""
    triangles = {tuple(sorted(rng.choice(vertices, 3, replace=False).tolist())) for _ in range(3 * vertices)}
    edges = {(t[i], t[j]) for t in triangles for i, j in ((0, 1), (0, 2), (1, 2))}
    return [(v,) for v in range(vertices)] + sorted(edges) + sorted(triangles)


def matrix_of(cells: list[tuple[int, ...]]) -> object:
    place = {cell: k for k, cell in enumerate(cells)}
    entries = [
        (place[cell[:k] + cell[k + 1 :]], j, (-1) ** k)
        for j, cell in enumerate(cells)
        for k in range(len(cell))
        if len(cell) > 1
    ]
    rows, columns, values = zip(*entries)
    return sparse.coo_array((values, (rows, columns)), shape=(len(cells), len(cells)))


def standard(matrix: object) -> list[tuple[int, int]]:
    columns = [set(column.nonzero()[0].tolist()) for column in matrix.toarray().T]  # type: ignore[attr-defined]
    of_low: dict[int, int] = {}
    for j, column in enumerate(columns):
        while column and max(column) in of_low:
            column ^= columns[of_low[max(column)]]
        if column:
            of_low[max(column)] = j
    return sorted(of_low.items())


@pytest.mark.parametrize("form", ["tocsc", "tocsr", "tocoo"])
@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32])
def test_pairs_are_those_of_the_standard_algorithm(form: str, dtype: type, rng: np.random.Generator) -> None:
    cells = random_complex(rng, 12)
    matrix = matrix_of(cells)
    found = lacuna_tda.reduce(getattr(matrix, form)().astype(dtype))
    expected = standard(matrix)
    assert [tuple(pair) for pair in found.pairs.tolist()] == expected
    paired = {cell for pair in expected for cell in pair}
    assert found.essential.tolist() == [cell for cell in range(len(cells)) if cell not in paired]
    assert found.dimensions.tolist() == [len(cell) - 1 for cell in cells]
    assert found.values is None and found.cycles is None
    for algorithm in ("standard", "twist", "chunk", "lock-free"):
        other = lacuna_tda.reduce(matrix, algorithm=algorithm, dualize="on", threads=2)
        np.testing.assert_array_equal(other.pairs, found.pairs)


def test_cycles_have_no_boundary(rng: np.random.Generator) -> None:
    matrix = matrix_of(random_complex(rng, 10))
    found = lacuna_tda.reduce(matrix, representatives="cycles")
    assert found.cycles is not None and len(found.cycles) == len(found.pairs) + len(found.essential)
    boundary = np.abs(matrix.toarray())  # type: ignore[attr-defined]
    for birth, cycle in found.cycles.items():
        assert cycle.max() == birth and not np.any(boundary[:, cycle].sum(axis=1) % 2)
    of_some = lacuna_tda.reduce(matrix, representatives="cycles", only=[int(found.pairs[3, 0])]).cycles
    assert of_some is not None and list(of_some) == [found.pairs[3, 0]]


def test_bars_by_values(rng: np.random.Generator) -> None:
    edge = sparse.csc_array(np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]]))
    found = lacuna_tda.reduce(edge)
    assert_same_bars(found.diagram([0.0, 1.0, 1.0]).bars(0), np.array([[0.0, np.inf]]))
    assert_same_bars(found.diagram().bars(0), np.array([[0.0, np.inf], [1.0, 2.0]]))
    with pytest.raises(ValueError, match="values: expected one for each of 3 cells"):
        found.diagram([1.0])


def test_files_with_values() -> None:
    found = lacuna_tda.reduce(DATA / "rings.complex", max_dim=0)
    assert found.values is not None and found.is_cut and len(found.diagram()) == 1
    assert len(lacuna_tda.reduce(str(DATA / "rings.complex")).diagram()) == 3


def square(rows: list[list[int]]) -> object:
    return sparse.csc_array(np.array(rows))


@pytest.mark.parametrize(
    ("matrix", "options", "error", "message"),
    [
        (sparse.csc_array((2, 3)), {}, ValueError, "expected a square matrix"),
        (square([[0, 2], [0, 0]]), {}, ValueError, "row 0, column 1: expected an entry 0, 1 or -1, found 2"),
        (square([[0, 0], [1, 0]]), {}, ValueError, "column 0"),
        (square([[0, 1], [0, 0]]), {"dimensions": [0, 5]}, ValueError, "column 1"),
        (square([[0, 1], [0, 0]]), {"dimensions": [0]}, ValueError, "expected a dimension for each of 2 cells"),
        (square([[0, 1], [0, 0]]), {"dimensions": [0, 300]}, ValueError, "from 0 to 255"),
        (square([[0, 1, 0], [0, 0, 1], [0, 0, 0]]), {}, ValueError, "boundary"),
        (square([[0]]), {"algorithm": "magic"}, ValueError, "algorithm: expected one of sieve"),
        (square([[0]]), {"format": "npz"}, ValueError, "expected beside a file only"),
        (square([[0]]), {"only": [0]}, ValueError, "representatives is missing"),
        (square([[0]]), {"representatives": "cycles", "only": [7]}, ValueError, "7"),
        (DATA / "nothing.dat", {}, FileNotFoundError, "nothing.dat"),
        (DATA / "torus.pts", {}, ValueError, "torus.pts"),
        (DATA / "triangle.dat", {"format": "phat"}, ValueError, "format: expected one of phat-ascii"),
        (5.0, {}, TypeError, "expected a sparse matrix or a path, found float"),
    ],
)
def test_what_is_refused_and_how(
    matrix: object, options: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        lacuna_tda.reduce(matrix, **options)
