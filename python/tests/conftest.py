"""What several tests need: random inputs, the program's answers, and an oracle that is written down as the definition says."""

from __future__ import annotations

import csv
import itertools
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"

# These run the tests of other libraries, by themselves.
collect_ignore = ["peers"]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20210)


@pytest.fixture
def lacuna() -> Callable[..., str]:
    """Runs the program, which is that of LACUNA_PROGRAM, the one that this repository has built, or the one on the PATH."""
    built = ROOT / "target" / "release" / "lacuna"
    program = os.environ.get("LACUNA_PROGRAM") or (str(built) if built.exists() else shutil.which("lacuna"))
    if program is None:
        pytest.skip("no program lacuna: cargo build --release makes it, LACUNA_PROGRAM names another")

    def run(*arguments: object) -> str:
        ran = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    return run


def cases(name: str) -> list[dict[str, str]]:
    """The lines of a table of runs with a known answer."""
    with (DATA / name).open(newline="") as table:
        return list(csv.DictReader(table, delimiter="\t"))


def brute_force(distances: NDArray[np.float64], max_dim: int) -> list[NDArray[np.float64]]:
    """The barcode of a distance matrix over Z/2: all simplices, and the standard column algorithm."""
    n = len(distances)
    simplices = []
    for size in range(1, max_dim + 3):
        for simplex in itertools.combinations(range(n), size):
            diameter = max((distances[i, j] for i, j in itertools.combinations(simplex, 2)), default=0.0)
            simplices.append((diameter, size, simplex))
    simplices.sort()
    place = {simplex: k for k, (_, _, simplex) in enumerate(simplices)}
    column_of_low: dict[int, set[int]] = {}
    death_of: dict[int, int] = {}
    creators = []
    for k, (_, size, simplex) in enumerate(simplices):
        column = {place[facet] for facet in itertools.combinations(simplex, size - 1)} if size > 1 else set()
        while column and max(column) in column_of_low:
            column ^= column_of_low[max(column)]
        if column:
            column_of_low[max(column)] = column
            death_of[max(column)] = k
        else:
            creators.append(k)
    bars: list[list[tuple[float, float]]] = [[] for _ in range(max_dim + 1)]
    for k in creators:
        birth, size, _ = simplices[k]
        death = simplices[death_of[k]][0] if k in death_of else np.inf
        if size - 1 <= max_dim and death > birth:
            bars[size - 1].append((birth, death))
    return [np.array(of, dtype=np.float64).reshape(-1, 2) for of in bars]


def in_order(bars: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bars sorted by birth, then by death."""
    return bars[np.lexsort((bars[:, 1], bars[:, 0]))]


def assert_same_bars(found: NDArray[np.float64], expected: NDArray[np.float64], tolerance: float = 0.0) -> None:
    """Asserts that two arrays hold the same bars, in any order."""
    np.testing.assert_allclose(in_order(found), in_order(expected), rtol=0, atol=tolerance)
