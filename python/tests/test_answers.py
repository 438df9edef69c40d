"""The answers of the program on the examples of the repository, which an oracle of its own vouches for."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import lacuna_tda
from conftest import DATA, assert_same_bars, cases

RIPS = [
    case
    for case in cases("cases.tsv")
    if case["format"] in ("point-cloud", "lower-distance", "upper-distance", "distance", "sparse", "npy", "npz", "matrix-market")
    and "--ratio" not in case["arguments"]
    and not case["file"].endswith((".gz", ".csv"))
]


def option(arguments: str, name: str) -> str | None:
    found = re.search(rf"{name} (\S+)", arguments)
    return found and found[1]


def read_distances(path: Path, format: str) -> tuple[object, str]:
    """An example as a user would have it in memory, and the metric."""
    if format == "point-cloud":
        return np.loadtxt(path, dtype=np.float32, ndmin=2), "euclidean"
    if format == "npy":
        return np.load(path), "precomputed"
    if format == "npz":
        return scipy_sparse(path), "precomputed"
    if format == "matrix-market":
        from scipy.io import mmread

        return mmread(path), "precomputed"
    numbers = np.array(re.split(r"[\s,]+", path.read_text().strip()), dtype=np.float64)
    if format == "distance":
        side = round(len(numbers) ** 0.5)
        return numbers.astype(np.float32).reshape(side, side), "precomputed"
    if format == "sparse":
        from scipy.sparse import coo_array

        i, j, distance = numbers.reshape(-1, 3).T
        n = int(max(i.max(), j.max())) + 1
        return coo_array((distance.astype(np.float32), (i.astype(int), j.astype(int))), shape=(n, n)), "precomputed"
    n = round((1 + (1 + 8 * len(numbers)) ** 0.5) / 2)
    square = np.zeros((n, n), dtype=np.float32)
    rows, columns = np.tril_indices(n, -1) if format == "lower-distance" else np.triu_indices(n, 1)
    square[rows, columns] = square[columns, rows] = numbers
    return square, "precomputed"


def scipy_sparse(path: Path) -> object:
    arrays = np.load(path)
    if "shape" not in arrays:
        return arrays[arrays.files[0]]
    from scipy.sparse import load_npz

    return load_npz(path)


def ripser_text(path: Path) -> list[list[tuple[float, float]]]:
    bars: list[list[tuple[float, float]]] = []
    for line in path.read_text().splitlines():
        if line.startswith("persistence intervals"):
            bars.append([])
        elif line.startswith(" ["):
            birth, death = line.strip(" [)").split(",")
            bars[-1].append((float(birth), float(death.strip() or "inf")))
    return bars


@pytest.mark.parametrize("case", RIPS, ids=[case["name"] for case in RIPS])
def test_barcodes_of_distances_in_the_order_of_the_program(case: dict[str, str]) -> None:
    X, metric = read_distances(DATA / case["file"], case["format"])
    threshold = option(case["arguments"], "--threshold")
    diagram = lacuna_tda.rips(
        X,
        metric=metric,
        max_dim=int(option(case["arguments"], "--dim") or 1),
        threshold=None if threshold is None else float(threshold),
        modulus=int(option(case["arguments"], "--modulus") or 2),
    )
    expected = ripser_text(DATA / case["expected"])
    assert len(diagram) == len(expected)
    for found, of in zip(diagram, expected):
        np.testing.assert_allclose(found, np.array(of).reshape(-1, 2), rtol=1e-5)


def csv_bars(path: Path) -> NDArray[np.float64]:
    return np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2).reshape(-1, 3)


def by_text(path: Path) -> NDArray[np.float64]:
    return np.array([(dim, *bar) for dim, bars in enumerate(ripser_text(path)) for bar in bars])


@pytest.mark.parametrize("case", cases("cubical.tsv"), ids=lambda case: Path(case["expected"]).name)
def test_barcodes_of_images(case: dict[str, str]) -> None:
    arguments, path = case["arguments"], DATA / case["expected"]
    output = option(arguments, "--output")
    if output in ("dipha", "json"):
        pytest.skip(f"the same bars are in a file of another format than {output}")
    image = np.load(DATA / case["file"])
    threshold, max_dim = option(arguments, "--threshold"), option(arguments, "--max-dim")
    diagram = lacuna_tda.cubical(
        image,
        construction="V" if option(arguments, "--construction") == "v" else "T",
        superlevel="--superlevel" in arguments,
        threshold=None if threshold is None else float(threshold),
        max_dim=None if max_dim is None else int(max_dim),
        locations=True,
    )
    if output == "cripser":
        rows = np.loadtxt(path, delimiter=",", ndmin=2)
        assert diagram.locations is not None
        places = [np.hstack([births, deaths]) for births, deaths in diagram.locations]
        axes = image.ndim
        expected = rows[:, [*range(3, 3 + axes), *range(6, 6 + axes)]]
        np.testing.assert_array_equal(np.concatenate(places), expected)
        bars = diagram.to_array()
        finite = np.isfinite(bars[:, 2])
        np.testing.assert_array_equal(bars[finite], rows[finite, :3])
        assert np.all(np.abs(rows[~finite, 2]) == np.finfo(np.float64).max)
    else:
        expected = csv_bars(path) if output == "csv" else by_text(path)
        if output == "text" and "--superlevel" in arguments:
            # The text leaves the death of an essential bar out.
            expected[np.isinf(expected[:, 2]), 2] = -np.inf
        np.testing.assert_allclose(diagram.to_array(), expected, rtol=0 if output == "csv" else 1e-5)


@pytest.mark.parametrize("case", cases("thinning.tsv"), ids=lambda case: Path(case["expected"]).name)
def test_skeletons(case: dict[str, str]) -> None:
    def read(name: str) -> NDArray[np.float64]:
        if name.endswith(".npy"):
            return np.load(DATA / name)
        image = pytest.importorskip("matplotlib.image").imread(DATA / name)
        return np.asarray(image)

    skeleton = lacuna_tda.thin(read(case["file"]), rule=option(case["arguments"], "--rule"))
    np.testing.assert_array_equal(skeleton, read(case["expected"]) > 0)


@pytest.mark.parametrize("case", cases("reductions.tsv"), ids=lambda case: f"{case['file']}-{Path(case['expected']).name}")
def test_pairs_of_files(case: dict[str, str]) -> None:
    found = lacuna_tda.reduce(DATA / case["file"], format=case["format"])
    path = DATA / case["expected"]
    if path.suffix == ".dat":
        np.testing.assert_array_equal(found.pairs, np.loadtxt(path, dtype=np.int64, skiprows=1))
    elif path.suffix == ".bin":
        np.testing.assert_array_equal(found.pairs.ravel(), np.fromfile(path, dtype="<i8")[1:])
    elif path.suffix == ".csv":
        expected, bars = csv_bars(path), found.diagram().to_array()
        for dim in np.unique(expected[:, 0]):
            assert_same_bars(bars[bars[:, 0] == dim, 1:], expected[expected[:, 0] == dim, 1:])
        assert len(bars) == len(expected)
    else:
        pytest.skip("DIPHA's diagram has the bars of the CSV file")
