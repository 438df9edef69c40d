#!/usr/bin/env python3
"""Weighted filtrations and landmarks: the bars of `lacuna rips` against those of ripser.py and giotto-ph.

    python3 benches/peers/filtrations.py [--lacuna BIN] [--inputs 50] [--no-venv]

Nothing is timed. Inputs are random and full of ties. Births on the diagonal of dense and sparse matrices go to ripser.py and giotto-ph,
weights by the distance to a measure to giotto-ph, landmarks to ripser.py. A program that is not installed is reported as
skipped. Exits 1 when a barcode differs.
"""

import argparse
import functools
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile

from run import built, enter_environment

PEERS = {"ripser.py": "ripser", "giotto-ph": "gph"}


def lacuna(program, path, *options):
    """The bars of each dimension, and the whole answer."""
    run = subprocess.run(
        [program, "rips", "-q", "--output", "json", *options, str(path)], capture_output=True, text=True, check=False
    )
    if run.returncode:
        sys.exit(f"{program} {' '.join(options)} {path}: {run.stderr}")
    answer = json.loads(run.stdout)
    bars = [[] for _ in range(answer["max_dim"] + 1)]
    for bar in answer["bars"]:
        bars[bar["dim"]].append((bar["birth"], np.inf if bar["death"] is None else bar["death"]))
    return [np.array(b, dtype=float).reshape(-1, 2) for b in bars], answer


def born(random, n):
    """A matrix of distances with births on its diagonal, of few different values."""
    births = random.integers(0, 6, n) / 2
    distances = random.integers(1, 12, (n, n)) / 2
    distances = np.triu(distances, 1) + np.triu(distances, 1).T
    matrix = np.maximum(distances, np.maximum.outer(births, births))
    np.fill_diagonal(matrix, births)
    return matrix


def thinned(random, matrix):
    """A sparse matrix with some of the edges."""
    upper = np.triu(matrix)
    upper[np.triu(random.random(matrix.shape) < 0.4, 1)] = 0
    return sparse.coo_matrix(upper)


def on_the_diagonal(random, folder):
    matrix = born(random, int(random.integers(3, 14)))
    modulus = int(random.choice([2, 3]))
    dense, some = folder / "matrix.npy", folder / "matrix.npz"
    np.save(dense, matrix)
    graph = thinned(random, matrix)
    sparse.save_npz(some, graph)
    options = ["--weights", "diagonal", "--max-dim", "2", "--modulus", str(modulus)]
    whole = ["--threshold", "inf"]

    def of_ripser(data):
        return ripser(data, maxdim=2, coeff=modulus, distance_matrix=True)["dgms"]

    def of_gph(data):
        return gph(data, maxdim=2, coeff=modulus, metric="precomputed")["dgms"]

    yield "ripser.py, dense", dense, options, lambda: of_ripser(matrix), None
    yield "ripser.py, dense, all of it", dense, options + whole, lambda: of_ripser(matrix), None
    yield "ripser.py, sparse", some, options, lambda: of_ripser(graph), None
    yield "giotto-ph, dense", dense, options, lambda: of_gph(matrix), None
    yield "giotto-ph, sparse", some, options, lambda: of_gph(graph), None
    yield "giotto-ph, sparse, collapsed", some, options + ["--collapse", "on"], lambda: of_gph(graph), None


def by_measure(random, folder):
    n = int(random.integers(6, 25))
    points = random.integers(0, 5, (n, 2)).astype(float) if random.random() < 0.3 else random.random((n, 3))
    path, table = folder / "points.npy", folder / "table.npy"
    np.save(path, points)
    np.save(table, squareform(pdist(points)))
    p = [1, 2, np.inf][int(random.integers(3))]
    r, neighbors = int(random.integers(1, 4)), int(random.integers(1, 6))
    options = ["--weights", "dtm", "--max-dim", "2", "--dtm-p", str(p), "--dtm-r", str(r)]
    options += ["--dtm-neighbors", str(neighbors)]
    weights = {"weights": "DTM", "weight_params": {"p": p, "r": r, "n_neighbors": neighbors}}
    # Among points at distance 0 giotto-ph leaves out another one than the point itself, which changes nothing.
    yield "giotto-ph, points", path, options, lambda: gph(points, maxdim=2, **weights)["dgms"], None
    yield "giotto-ph, matrix", table, options, lambda: gph(np.load(table), maxdim=2, metric="precomputed", **weights)["dgms"], None
    if random.random() < 0.5:
        default = {"weights": "DTM"}
        options = ["--weights", "dtm", "--max-dim", "2"]
        yield "giotto-ph, defaults", path, options, lambda: gph(points, maxdim=2, **default)["dgms"], None


def of_landmarks(random, folder):
    n = int(random.integers(5, 60))
    k = int(random.integers(1, n))
    points = random.integers(0, 8, (n, 2)).astype(float) if random.random() < 0.3 else random.random((n, 3))
    # What is computed in two ways is to tie in both.
    table = np.round(squareform(pdist(points)), 3)
    path, matrix = folder / "points.npy", folder / "table.npy"
    np.save(path, points)
    np.save(matrix, table)
    options = ["--landmarks", str(k), "--max-dim", "1"]

    def same(theirs, answer):
        ids, radius = list(theirs["idx_perm"]), theirs["r_cover"]
        # ripser.py chooses a point again when all are at a distance of 0, and the rest does not matter.
        if len(set(ids)) == k and answer["landmarks"] != ids:
            return f"landmarks {ids} expected, found {answer['landmarks']}"
        if abs(answer["covering_radius"] - radius) > 1e-6:
            return f"covering radius {radius} expected, found {answer['covering_radius']}"
        return None

    for what, path, data, is_matrix in [("points", path, points, False), ("matrix", matrix, table, True)]:
        theirs = ripser(data, maxdim=1, n_perm=k, distance_matrix=is_matrix)
        # Distances of points on a grid tie for us and, by their rounding, not for scikit-learn.
        check = functools.partial(same, theirs) if is_matrix or points.max() < 1 else None
        yield f"ripser.py, landmarks of {what}", path, options, functools.partial(theirs.get, "dgms"), check


SUBJECTS = [on_the_diagonal, by_measure, of_landmarks]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lacuna", type=pathlib.Path, help="a binary that is already built")
    parser.add_argument("--inputs", type=int, default=50, help="inputs of each kind (default: %(default)s)")
    parser.add_argument("--no-venv", action="store_true", help="use the packages of this Python")
    arguments = parser.parse_args()
    if not arguments.no_venv:
        enter_environment()
    missing = [name for name, package in PEERS.items() if importlib.util.find_spec(package) is None]
    for name in missing:
        print(f"skipped: {name} is not installed")
    if len(missing) == len(PEERS):
        return 0
    import_peers(missing)
    program = arguments.lacuna or built()
    compared, differing = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(arguments.inputs):
            for subject in SUBJECTS:
                for what, path, options, peer, check in subject(np.random.default_rng(seed), pathlib.Path(folder)):
                    if what.split(",")[0] in missing:
                        continue
                    bars, answer = lacuna(program, path, *options)
                    found = difference(bars, peer(), len(bars)) or (check and check(answer))
                    compared += 1
                    if found:
                        differing += 1
                        print(f"seed {seed}, {what}, {' '.join(options)}: {found}")
    print(f"{compared} barcodes compared, {differing} differ")
    return 1 if differing else 0


def import_peers(missing):
    """Makes the packages global: they are there only now, in the virtual environment."""
    global np, sparse, pdist, squareform, difference, ripser, gph
    import numpy as np
    from scipy import sparse
    from scipy.spatial.distance import pdist, squareform

    from verify import difference

    if "ripser.py" not in missing:
        from ripser import ripser
    if "giotto-ph" not in missing:
        from gph import ripser_parallel as gph


if __name__ == "__main__":
    sys.exit(main())
