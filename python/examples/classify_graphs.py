"""Graphs are told apart by the bars of their shortest paths, in a pipeline of scikit-learn.

Graphs have the shape of a line, of a ring, of a grid or of a torus, with some edges left out, and their vertices come in no order. A vertex
has four neighbours or a little less, so that degrees say little. The lengths of shortest paths have bars that show the one loop of a ring
and the two of a torus, and the Betti curves of these tell at which lengths there are how many loops:

    pip install './python[sklearn]'
    python classify_graphs.py
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from lacuna_tda.sklearn import BettiCurve, Rips, ShortestPaths

SHAPES = ("line", "ring", "grid", "torus")


def neighbors(shape: str, side: int) -> NDArray[np.bool_]:
    """Which of side x side vertices are joined in a shape, (n, n)."""
    if shape in ("line", "ring"):
        steps = np.abs(np.subtract.outer(np.arange(side**2), np.arange(side**2)))
        steps = np.minimum(steps, side**2 - steps) if shape == "ring" else steps
        return (steps > 0) & (steps <= 2)
    rows, columns = np.divmod(np.arange(side**2), side)
    along = [np.abs(np.subtract.outer(places, places)) for places in (rows, columns)]
    if shape == "torus":
        along = [np.minimum(steps, side - steps) for steps in along]
    joined: NDArray[np.bool_] = along[0] + along[1] == 1
    return joined


def graph(shape: str, side: int, rng: np.random.Generator) -> csr_array:
    """The adjacency matrix of a graph of some shape, a twentieth of its edges left out, its vertices in no order."""
    kept = np.triu(neighbors(shape, side) & (rng.random((side**2, side**2)) < 0.95))
    order = rng.permutation(side**2)
    return csr_array(kept[np.ix_(order, order)].astype(float))


def classifier() -> Pipeline:
    """From graphs to shapes."""
    # Paths have whole lengths.
    bars, loops = Rips(metric="precomputed"), BettiCurve(dims=1, resolution=8, range=(0, 7))
    return make_pipeline(ShortestPaths(weighted=False), bars, loops, StandardScaler(), LogisticRegression())


def main(arguments: list[str] | None = None) -> float:
    """Prints the accuracy on graphs that the classifier has not seen, and returns it."""
    parser = argparse.ArgumentParser(description="Classifies graphs by the bars of their shortest paths.")
    parser.add_argument("--graphs", type=int, default=20, help="graphs of each shape (%(default)s)")
    parser.add_argument("--side", type=int, default=12, help="the root of the number of vertices (%(default)s)")
    options = parser.parse_args(arguments)
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(len(SHAPES)), options.graphs)
    X = [graph(SHAPES[shape], options.side, rng) for shape in y]
    accuracy = cross_val_score(classifier(), X, y, cv=5).mean()
    print(f"{len(X)} graphs of {options.side**2} vertices, {len(SHAPES)} shapes: accuracy {accuracy:.3f} in 5 folds")
    return float(accuracy)


if __name__ == "__main__":
    main()
