"""Files of all kinds against the program, which converts to the same bytes, and against NumPy's, SciPy's and written-down content."""

from __future__ import annotations

import os
import re
import stat
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
import scipy.sparse

import lacuna_tda
from conftest import DATA, cases, in_order
from lacuna_tda import BoundaryMatrix, CellPairs, Diagram

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
EDGE = BoundaryMatrix(scipy.sparse.csc_array(([1, 1], [0, 1], [0, 0, 0, 2]), shape=(3, 3)), np.array([0, 0, 1], np.uint8), None)

# The input, the name of the output, the options of the program, and what they are here.
CONVERSIONS: list[tuple[str, str, str, dict[str, Any]]] = [
    ("images/plane.png", "a.npy", "", {}),
    ("images/plane.npy", "a.png", "", {}),
    ("images/plane.npz", "a.tif", "--key arr_0", {"key": "arr_0"}),
    ("images/volume.nii", "a.nii.gz", "", {}),
    ("images/volume.nii", "a.nii", "", {}),
    ("images/volume.tif", "a.tiff", "", {}),
    ("images/volume.npy", "a.perseus", "", {}),
    ("images/volume.npy", "a.raw", "", {}),
    ("images/volume.npy", "a.dipha", "--to image", {"to": "image"}),
    ("images/plane.u8", "a.npy", "--shape 8,6 --dtype u8", {"shape": (8, 6), "dtype": "u1"}),
    ("images/plane.npy", "a.bin", "", {}),
    ("images/plane.npy", "a.txt", "--construction v --superlevel", {"construction": "V", "superlevel": True}),
    ("images/volume.npy", "a.complex", "--max-dim 1", {"max_dim": 1}),
    ("images/plane.npy", "a.npz", "--to matrix", {"to": "matrix"}),
    ("triangle.dat", "a.bin", "", {}),
    ("triangle.npz", "a.mtx", "--from matrix", {"kind": "matrix"}),
    ("triangle.mtx", "a.npz", "--from matrix", {"kind": "matrix"}),
    ("torus_surface.bin", "a.complex", "", {}),
    ("octahedron_height.complex", "a.dat", "", {}),
    ("octahedron.pts", "a.npy", "--from distances", {"kind": "distances"}),
    ("octahedron.pts", "a.lower", "--to distances", {"to": "distances"}),
    ("octahedron.lower", "a.condensed", "", {}),
    ("octahedron.upper", "a.dist", "", {}),
    ("octahedron.dist", "a.out", "--output binary", {"output": "binary"}),
    ("octahedron.dipha", "a.mtx", "", {}),
    ("octahedron.csv.gz", "a.dist", "", {}),
    ("octahedron.sparse", "a.dipha", "", {}),
    ("octahedron.ply", "a.sparse", "--threshold 1.5", {"threshold": 1.5}),
    ("octahedron.npz", "a.lower", "--from distances", {"kind": "distances"}),
    ("octahedron_table.csv", "a.pts", "--columns 2-4", {"columns": "2-4"}),
    ("expected/waves_t.csv", "a.json", "", {}),
    ("expected/waves_cut.json", "a.txt", "", {}),
    ("expected/circle.txt", "a.npy", "--from diagram", {}),
    ("expected/signal_superlevel.txt", "a.npz", "", {}),
    ("expected/rings.diagram", "a.csv", "", {}),
    ("expected/levels_t.csv", "a.diagram", "", {}),
    ("expected/triangle_pairs.dat", "a.bin", "--from diagram", {"kind": "diagram"}),
    ("expected/octahedron_surface_pairs.bin", "a.json", "", {}),
]


@pytest.mark.parametrize(("source", "name", "words", "options"), CONVERSIONS)
def test_bytes_are_those_of_the_program(
    source: str, name: str, words: str, options: dict[str, Any], lacuna: Callable[..., str], tmp_path: Path
) -> None:
    theirs, ours = tmp_path / f"theirs{name}", tmp_path / f"ours{name}"
    lacuna("convert", "-q", *words.split(), DATA / source, theirs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        lacuna_tda.convert(DATA / source, ours, **options)
    assert ours.read_bytes() == theirs.read_bytes()
    assert sorted(os.listdir(tmp_path)) == sorted([ours.name, theirs.name])


@pytest.mark.parametrize("case", cases("images.tsv"), ids=lambda case: str(case["file"]))
def test_images_are_read(case: dict[str, str]) -> None:
    name = "plane" if "plane" in case["file"] else "volume"
    options: dict[str, Any] = {}
    if case["options"]:
        words = case["options"].split()
        given = dict(zip(words[::2], words[1::2]))
        options = {"shape": [int(axis) for axis in given["--shape"].split(",")]}
        options["order"] = given.get("--order", "c").upper()
        options["dtype"] = re.sub(r"\d+", lambda bits: str(int(bits[0]) // 8), given["--dtype"])
    found = lacuna_tda.read(DATA / case["file"], kind="image", **options)
    expected = np.load(DATA / "images" / f"{name}.npy")
    assert np.array_equal(found, expected)
    assert found.dtype == np.dtype(re.sub(r"\d+", lambda bits: str(int(bits[0]) // 8), case["dtype"]))
    assert found.flags.writeable


def test_what_is_in_an_image_keeps_its_order_and_nan_is_replaced(tmp_path: Path) -> None:
    fortran = lacuna_tda.read(DATA / "images/plane_fortran.npy")
    assert fortran.flags.f_contiguous and not fortran.flags.c_contiguous
    file = tmp_path / "a.npy"
    np.save(file, np.array([[1.0, np.nan]], np.float32))
    with pytest.raises(ValueError, match="NaN"):
        lacuna_tda.read(file)
    assert np.array_equal(lacuna_tda.read(file, nan="highest"), np.array([[1, np.inf]]))
    np.savez(tmp_path / "b.npz", x=SQUARE, y=SQUARE + 1)
    assert np.array_equal(lacuna_tda.read(tmp_path / "b.npz", key="y"), SQUARE + 1)


@pytest.mark.parametrize("name", ["pts", "xyz", "obj", "off", "ply"])
def test_points_are_read(name: str) -> None:
    found = lacuna_tda.read(DATA / f"octahedron.{name}", kind="distances")
    assert found.shape == (6, 3)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), np.linalg.norm(found[0]), rtol=1e-6)


@pytest.mark.parametrize("name", ["lower", "upper", "dist", "dipha", "bin", "mtx", "npz", "npy", "csv.gz"])
def test_distances_are_read(name: str) -> None:
    found = lacuna_tda.read(DATA / f"octahedron.{name}", kind="distances")
    expected = lacuna_tda.read(DATA / "octahedron.lower")
    assert found.shape == (6, 6) and expected.shape == (6, 6)
    assert np.array_equal(expected, expected.T) and not expected.diagonal().any()
    if not scipy.sparse.issparse(found):
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_tables_are_read_as_told(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("names of things\n7;1,5;2\n8;0,5;3\n")
    with pytest.raises(ValueError, match="expected a number, found .*; skip_rows leaves out lines at the top, columns says"):
        lacuna_tda.read(file)
    options: dict[str, Any] = {"kind": "distances", "format": "point-cloud", "skip_rows": 1, "columns": "2-"}
    assert lacuna_tda.read(file, decimal="comma", **options).tolist() == [[1.5, 2], [0.5, 3]]
    with pytest.raises(ValueError, match='decimal: expected one of point, comma, found "dot"'):
        lacuna_tda.read(file, decimal="dot", **options)  # type: ignore[arg-type]
    square = tmp_path / "b.dist"
    square.write_text("0 1\n3 0\n")
    with pytest.warns(UserWarning, match="their mean counts"):
        assert lacuna_tda.read(square, symmetrize="mean").tolist() == [[0, 2], [2, 0]]


def test_edges_are_read_and_written(tmp_path: Path) -> None:
    file = tmp_path / "a.sparse"
    file.write_text("0 1 1.5\n2 1 0\n")
    found = lacuna_tda.read(file, kind="distances", format="sparse")
    assert found.nnz == 4 and found.todense().tolist() == [[0, 1.5, 0], [1.5, 0, 0], [0, 0, 0]]
    bars = lacuna_tda.rips(found, metric="precomputed", max_dim=0).bars(0)
    assert np.array_equal(bars, [[0, 1.5], [0, np.inf]])
    lacuna_tda.write(tmp_path / "b.sparse", found)
    assert (tmp_path / "b.sparse").read_text().split() == ["1", "0", "1.5", "2", "1", "0.0"]
    with pytest.raises(ValueError, match='expected kind="matrix" or kind="distances" beside a sparse matrix, found none'):
        lacuna_tda.write(tmp_path / "c.mtx", found)
    lacuna_tda.write(tmp_path / "c.mtx", found, kind="distances")
    assert np.array_equal(scipy.io.mmread(tmp_path / "c.mtx").todense(), found.todense())


@pytest.mark.parametrize("name", ["a.dat", "a.bin", "a.npz", "a.mtx", "a.complex"])
def test_boundary_matrices_are_read_and_written(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    lacuna_tda.write(file, EDGE)
    found = lacuna_tda.read(file, kind="matrix")
    assert isinstance(found, BoundaryMatrix)
    assert np.array_equal(found.matrix.todense(), EDGE.matrix.todense()) and np.array_equal(found.dimensions, [0, 0, 1])
    values = [0.0, 1.0, 2.0] if name == "a.complex" else None
    assert (None if found.values is None else found.values.tolist()) == values
    assert repr(found) == "<BoundaryMatrix of 3 cells>"
    pairs = lacuna_tda.reduce(found.matrix, dimensions=found.dimensions)
    assert pairs.pairs.tolist() == [[1, 2]] and pairs.essential.tolist() == [0]


def test_sparse_matrices_are_boundary_matrices_where_that_is_said(tmp_path: Path) -> None:
    for name, kind in (("a.mtx", "matrix"), ("a.dat", None)):
        lacuna_tda.write(tmp_path / name, EDGE.matrix, kind=kind)
        assert np.array_equal(lacuna_tda.read(tmp_path / name, kind="matrix").matrix.todense(), EDGE.matrix.todense())


def test_values_of_cells(tmp_path: Path) -> None:
    valued = EDGE._replace(values=np.array([0.5, 0.5, 2.5]))
    lacuna_tda.write(tmp_path / "a.complex", valued)
    assert lacuna_tda.read(tmp_path / "a.complex").values.tolist() == [0.5, 0.5, 2.5]
    with pytest.warns(UserWarning, match="the values of the cells are left out, which npz cannot hold; dipha can"):
        lacuna_tda.write(tmp_path / "a.npz", valued)
    with pytest.raises(ValueError, match="values: expected one for each of 3 cells, ascending"):
        lacuna_tda.write(tmp_path / "b.complex", EDGE._replace(values=np.array([1.0, 0.0, 2.0])))
    loop = scipy.sparse.csc_array((3, 3))
    with pytest.raises(ValueError, match="format matrix-market: expected cells whose dimension is one above"):
        lacuna_tda.write(tmp_path / "c.mtx", BoundaryMatrix(loop, np.array([0, 0, 1]), None))


DIAGRAM = Diagram([[[0.0, 1.5], [0.0, np.inf]], [], [[0.1, 0.30000000000000004]]])


@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.npy", "a.npz", "a.txt", "a.diagram"])
def test_diagrams_are_read_and_written(name: str, tmp_path: Path) -> None:
    lacuna_tda.write(tmp_path / name, DIAGRAM)
    found = lacuna_tda.read(tmp_path / name, kind="diagram")
    # DIPHA has an order of its own.
    assert found == (Diagram([in_order(bars)[::-1] for bars in DIAGRAM]) if name == "a.diagram" else DIAGRAM)
    comparison = lacuna_tda.compare(tmp_path / name, DIAGRAM)
    assert comparison and comparison.sizes == (3, 3) and comparison.matched == 3
    assert comparison.text.splitlines()[-1] == f"same: 3 in {tmp_path / name}, 3 in b, 3 matched"


def test_superlevel_sets_are_read_and_written(tmp_path: Path) -> None:
    diagram = Diagram([[[3.0, 1.0], [5.0, -np.inf]]])
    for name in ("a.csv", "a.json", "a.txt", "a.npy"):
        lacuna_tda.write(tmp_path / name, diagram)
        assert lacuna_tda.read(tmp_path / name, kind="diagram") == diagram


def test_what_ripser_and_others_write_is_read() -> None:
    for case in cases("cases.tsv")[:6]:
        diagram = lacuna_tda.read(DATA / case["expected"])
        assert isinstance(diagram, Diagram) and len(diagram.bars(0))
        assert lacuna_tda.compare(DATA / case["expected"], diagram)
    expected = np.array([line.split(",") for line in (DATA / "expected/waves_t.csv").read_text().split()[1:]], float)
    assert np.array_equal(lacuna_tda.read(DATA / "expected/waves_t.csv").to_array(), expected[np.argsort(expected[:, 0], kind="stable")])


def test_pairs_of_cells(tmp_path: Path) -> None:
    reduction = lacuna_tda.reduce(EDGE.matrix)
    lacuna_tda.write(tmp_path / "a.json", reduction)
    found = lacuna_tda.read(tmp_path / "a.json")
    assert isinstance(found, CellPairs)
    assert found.pairs.tolist() == [[1, 2]] and found.essential is not None and found.essential.tolist() == [0]
    assert repr(found) == "<CellPairs: 1 pairs, 1 essential>"
    assert lacuna_tda.compare(reduction, tmp_path / "a.json")
    with pytest.warns(UserWarning, match="the cells of essential classes are left out, which phat-binary cannot hold"):
        lacuna_tda.write(tmp_path / "a.bin", reduction)
    assert lacuna_tda.read(tmp_path / "a.bin", kind="diagram").essential is None
    with pytest.warns(UserWarning):
        lacuna_tda.write(tmp_path / "a.txt", reduction)
    assert (tmp_path / "a.txt").read_text() == "1\n1 2\n"
    differs = lacuna_tda.compare(reduction, CellPairs(np.array([[0, 2]]), np.array([1])))
    assert not differs and [side.tolist() for side in differs.only] == [[[1, 2], [0, -1]], [[0, 2], [1, -1]]]


def test_a_dimension_that_no_diagram_has_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("dim,birth,death\n1000000,0.0,1.0\n")
    with pytest.raises(ValueError, match="expected bars of dimensions below .*, found one of dimension 1000000"):
        lacuna_tda.read(tmp_path / "a.csv")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_pipes_are_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "a.csv"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(pipe.read_text)
        lacuna_tda.write(pipe, DIAGRAM)
        assert found.result(timeout=60).startswith("dim,birth,death\n")
    assert pipe.is_fifo()


def test_comparisons_are_those_of_the_program(lacuna: Callable[..., str], tmp_path: Path) -> None:
    a, b = DATA / "expected/waves_t.csv", tmp_path / "b.csv"
    bars = lacuna_tda.read(a)
    lacuna_tda.write(b, Diagram([array + 1e-7 for array in bars]))
    found = lacuna_tda.compare(a, b, tolerance=1e-6)
    assert found.is_same and lacuna("compare", "-q", "--tolerance", "1e-6", a, b) == f"{found}\n"
    differs = lacuna_tda.compare(a, b, show=3)
    assert not differs.is_same and len(differs.text.splitlines()) == 5 and "and " in differs.text
    assert np.array_equal(np.concatenate([array for array in differs.only]).shape, (2 * differs.sizes[0], 3))
    assert repr(differs).startswith("<Comparison: different")


def test_arrays_are_points_images_or_distances(tmp_path: Path) -> None:
    apart = lacuna_tda.read(DATA / "octahedron.lower")
    lacuna_tda.write(tmp_path / "points.pts", SQUARE)
    assert (tmp_path / "points.pts").read_text().split("\n")[1].split() == ["1.0", "0.0"]
    lacuna_tda.write(tmp_path / "a.lower", apart, kind="distances")
    assert np.array_equal(lacuna_tda.read(tmp_path / "a.lower"), apart)
    lacuna_tda.write(tmp_path / "b.lower", SQUARE)
    assert np.allclose(lacuna_tda.read(tmp_path / "b.lower")[0], [0, 1, np.sqrt(2), 1])
    lacuna_tda.write(tmp_path / "c.dist", [1.0, 2.0, 2.5], kind="distances")
    assert lacuna_tda.read(tmp_path / "c.dist").tolist() == [[0, 1, 2], [1, 0, 2.5], [2, 2.5, 0]]
    lacuna_tda.write(tmp_path / "image.dipha", SQUARE)
    assert np.array_equal(lacuna_tda.read(tmp_path / "image.dipha"), SQUARE)
    for dtype in (np.uint8, np.int16, np.float32, np.float64, np.uint64, bool):
        voxels = np.arange(24).reshape(2, 3, 4).astype(dtype)
        lacuna_tda.write(str(tmp_path / "image.npy"), voxels.T)
        assert np.array_equal(np.load(tmp_path / "image.npy"), voxels.T)


def test_what_a_format_cannot_hold_is_refused_or_rounded(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="format png: expected an image of one or two axes"):
        lacuna_tda.write(tmp_path / "a.png", np.zeros((2, 3, 4), np.uint8))
    large = np.array([[2**53 + 1, 0]], np.uint64)
    with pytest.raises(ValueError, match="round=True takes the nearest double"):
        lacuna_tda.write(tmp_path / "a.perseus", large)
    lacuna_tda.write(tmp_path / "a.perseus", large, round=True)
    assert lacuna_tda.read(tmp_path / "a.perseus").max() == 2.0**53
    with pytest.raises(ValueError, match="expected numbers of single precision, .*; round=True takes the nearest"):
        lacuna_tda.write(tmp_path / "a.bin", SQUARE * 0.1, kind="points")
    lacuna_tda.write(tmp_path / "a.bin", SQUARE * 0.1, kind="points", round=True)
    with pytest.raises(ValueError, match="format sparse: expected a last point with a neighbour"):
        lacuna_tda.write(tmp_path / "a.sparse", scipy.sparse.csr_array((3, 3)))
    with pytest.raises(ValueError, match="format csv: expected bars with values, found pairs of cells"):
        lacuna_tda.write(tmp_path / "a.csv", lacuna_tda.reduce(EDGE.matrix))
    assert sorted(os.listdir(tmp_path)) == ["a.bin", "a.perseus"]


@pytest.mark.parametrize("ending", ["csv", "npy", "npz", "diagram"])
def test_diagrams_are_read_back_equal(ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"a.{ending}"
    diagram = Diagram([[[0, 1]], [], []])
    lacuna_tda.write(file, diagram)
    assert lacuna_tda.read(file, kind="diagram") == diagram


def test_files_are_replaced_as_a_whole(tmp_path: Path) -> None:
    file, link = tmp_path / "a.csv", tmp_path / "link.csv"
    file.write_text("before")
    file.chmod(0o640)
    link.symlink_to(file)
    with pytest.raises(ValueError, match="found NaN"):
        lacuna_tda.write(link, Diagram([[[np.nan, 1]]]))
    assert file.read_text() == "before"
    lacuna_tda.write(link, DIAGRAM)
    assert link.is_symlink() and lacuna_tda.read(file) == DIAGRAM
    # Windows knows of a mode only whether a file may be written.
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o640
    lacuna_tda.convert(file, file)
    assert lacuna_tda.read(file) == DIAGRAM
    with pytest.raises(FileNotFoundError, match="none"):
        lacuna_tda.write(tmp_path / "none" / "a.csv", DIAGRAM)
    with pytest.raises((IsADirectoryError, PermissionError)):
        lacuna_tda.write(tmp_path, DIAGRAM, format="csv")
    assert sorted(os.listdir(tmp_path)) == ["a.csv", "link.csv"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda path: lacuna_tda.read(path / "a.bin"), "expected a file of one kind, found matrix or distances or diagram possible"),
        (lambda path: lacuna_tda.read(path / "a.csv", shape=(1,), dtype="u1", columns="1"), "columns: expected beside a file of kind"),
        (lambda path: lacuna_tda.read(path / "a.csv", kind="film"), "kind: expected one of image, matrix"),  # type: ignore[arg-type]
        (lambda path: lacuna_tda.read(path / "a.csv", format="film"), "format: expected one of"),
        (lambda path: lacuna_tda.read(path / "a.csv", channel=1), "channel: expected beside a file of kind image only"),
        (lambda path: lacuna_tda.read(DATA / "images/plane.npy", max_dim=1), "max_dim: expected beside a file of kind matrix only"),
        (
            lambda path: lacuna_tda.read(DATA / "octahedron_surface.dat", kind="matrix", max_dim=1),
            r"expected no highest dimension \(max_dim\) with a boundary matrix, found one; its cells are those of the file",
        ),
        (lambda path: lacuna_tda.write(path / "b.csv", DIAGRAM, round=True), "round: expected beside a file of kind image or distances"),
        (lambda path: lacuna_tda.write(path / "b.mtx", EDGE, round=True), "round: .* found one of kind matrix"),
        (lambda path: lacuna_tda.write(path / "b.mtx", EDGE.matrix, kind="matrix", round=True), "round: .* found one of kind matrix"),
        (lambda path: lacuna_tda.read(path / "a.csv", order="F"), "shape, dtype: expected both"),
        (lambda path: lacuna_tda.read(path / "a.csv", shape=(3,), dtype=">u2"), "dtype: expected a type of little-endian"),
        (lambda path: lacuna_tda.write(path / "b.film", DIAGRAM), "expected the name of a file of kind diagram, or its format"),
        (lambda path: lacuna_tda.write(path / "b.csv", DIAGRAM, format="film"), 'format: expected one of kind diagram, .*"film"'),
        (lambda path: lacuna_tda.write(path / "b.csv", DIAGRAM, format="npy"), "expected another name of a file of format npy"),
        (lambda path: lacuna_tda.write(path / "b.csv", DIAGRAM, kind="image"), "kind: expected 'diagram' beside a Diagram, found 'image'"),
        (lambda path: lacuna_tda.write(path / "b.csv.gz", DIAGRAM, format="csv"), "expected a name that does not end in .gz"),
        (lambda path: lacuna_tda.write(path / "b.npy", SQUARE, kind="matrix"), 'expected "image", "points" or "distances" beside an array'),
        (lambda path: lacuna_tda.convert(path / "a.csv", path / "b.npy", to="image"), "to: expected a kind that a file of kind"),
        (lambda path: lacuna_tda.convert(path / "a.csv", path / "b.npy", threshold=1), "threshold: expected beside a file"),
        (
            lambda path: lacuna_tda.convert(DATA / "images/plane.npy", path / "b.png", construction="V"),
            "construction, superlevel, max_dim: expected beside the boundary matrix of an image only",
        ),
        (lambda path: lacuna_tda.convert(DATA / "images/plane.npy", path / "b.dat", round=True), "round: expected beside images"),
        (lambda path: lacuna_tda.compare(DIAGRAM, lacuna_tda.reduce(EDGE.matrix)), "found bars with values and pairs of cells"),
        (lambda path: lacuna_tda.compare(DIAGRAM, DIAGRAM, tolerance=-1), "tolerance: expected a non-negative number"),
    ],
)
def test_what_is_wrong_is_told(call: Callable[[Path], Any], message: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("dim,birth,death\n0,0,1\n")
    (tmp_path / "a.bin").write_bytes(bytes(24))
    with pytest.raises(ValueError, match=message):
        call(tmp_path)


def test_wrong_types_are_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        lacuna_tda.read(tmp_path / "none.csv")
    with pytest.raises(TypeError, match="expected a Diagram, a BoundaryMatrix, a sparse matrix or an array of numbers, found str"):
        lacuna_tda.write(tmp_path / "a.csv", "bars")
    with pytest.raises(TypeError, match="expected a Diagram, a Reduction, CellPairs or a path, found list"):
        lacuna_tda.compare([[0, 1]], DIAGRAM)
    with pytest.raises(TypeError, match="round: expected True or False"):
        lacuna_tda.write(tmp_path / "a.csv", DIAGRAM, round="yes")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="did you mean format"):
        lacuna_tda.read(tmp_path / "a.csv", formats="csv")  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda path: lacuna_tda.read(path, columns=3), "columns: expected a text such as .*, found 3"),  # type: ignore[arg-type]
        (lambda path: lacuna_tda.read(path, key=3), "key: expected the name of an array, found 3"),  # type: ignore[arg-type]
        (lambda path: lacuna_tda.read(path, kind=3), "kind: expected image, matrix, .*, found 3"),  # type: ignore[arg-type]
        (lambda path: lacuna_tda.read(path, format=3), "format: expected the name of .*, found 3"),  # type: ignore[arg-type]
        (lambda path: lacuna_tda.write(path, DIAGRAM, format=3), "format: expected the name of .*, found 3"),  # type: ignore[arg-type]
        (lambda path: lacuna_tda.write(path, SQUARE, kind=3), "kind: expected image, .*points, .*, found 3"),  # type: ignore[arg-type]
        (lambda path: lacuna_tda.convert(path, path, output=3), "output: expected the name of a format, found 3"),  # type: ignore[arg-type]
        (lambda path: lacuna_tda.read(path, max_dims=1), r"read\(\) got an unexpected .* 'max_dims': did you mean max_dim\?"),
    ],
)
def test_what_has_another_type_is_told(call: Callable[[Path], Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=f"^{message}$"):
        call(tmp_path / "a.csv")


def test_paths_of_bytes_are_compared(tmp_path: Path) -> None:
    lacuna_tda.write(tmp_path / "a.csv", DIAGRAM)
    found = lacuna_tda.compare(os.fsencode(tmp_path / "a.csv"), Diagram([[[0.0, 9.0]]]))
    assert not found and f"only in {tmp_path / 'a.csv'}" in str(found)


def test_bars_of_high_dimensions_are_read_where_they_belong(tmp_path: Path) -> None:
    file = tmp_path / "a.npy"
    rows = np.array([[2.0, 0.0, 3.0], [0.0, 1.0, 2.0], [60_000.0, 1.0, 5.0], [0.0, 0.0, 1.0], [2.0, 4.0, 5.0]])
    np.save(file, np.concatenate([rows, np.tile([[2.0, 0.0, 1.0]], (20_000, 1))]))
    start = time.process_time()
    diagram = lacuna_tda.read(file, kind="diagram")
    assert time.process_time() - start < 1.5
    assert diagram[0].tolist() == [[1, 2], [0, 1]] and diagram[60_000].tolist() == [[1, 5]] and not len(diagram[1])
    assert diagram[2][:3].tolist() == [[0, 3], [4, 5], [0, 1]] and len(diagram[2]) == 20_002 and len(diagram) == 60_001
    np.save(file, np.empty((0, 3)))
    assert len(lacuna_tda.read(file, kind="diagram")) == 0
