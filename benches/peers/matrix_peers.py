"""Libraries that reduce a boundary matrix, in a process of their own: `matrix_peers.py PEER MATRIX PAIRS RESULT THREADS`.

MATRIX and PAIRS are PHAT binary files: the input, and what every way of a peer must find. RESULT gets, as JSON, the
seconds of the library's reduction, the way in which it was fastest, and the ways that found other pairs. Every way is run
once.

| peer | ways | what is timed |
|---|---|---|
| lophat | the matrix, or its anti-transpose | the call: the only thing there is; it holds the conversion of Python's lists |
| oineus | the matrix; its anti-transpose; simplices or voxels, homology or cohomology | `Decomposition.reduce` |

A matrix tells oineus no dimensions, and so nothing can be cleared. Therefore it gets the simplices of a simplicial complex
too, with their places as values, and of a cubical one the image, MATRIX with the suffix .npy, if there is one: then it
orders equal cells as it likes, and what is compared are bars that are not of length zero.
"""

import json
import pathlib
import sys
import time
from importlib import metadata

import numpy as np


class Matrix:
    """The boundary matrix of a PHAT binary file, as lists."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        words = np.fromfile(path, "<i8").tolist()
        self.dims, self.columns, k = [], [], 1
        for _ in range(words[0]):
            end = k + 2 + words[k + 1]
            self.dims.append(words[k])
            self.columns.append(words[k + 2 : end])
            k = end

    def __len__(self):
        return len(self.columns)

    def anti_transpose(self):
        """The columns of the anti-transpose."""
        last = len(self) - 1
        columns = [[] for _ in self.columns]
        for j in range(last, -1, -1):
            for i in self.columns[j]:
                columns[last - i].append(last - j)
        return columns

    def simplices(self):
        """The vertices of every cell, or none when some cell is no simplex."""
        vertices = []
        for cell, (dim, boundary) in enumerate(zip(self.dims, self.columns)):
            found = sorted({vertex for face in boundary for vertex in vertices[face]}) if boundary else [cell]
            if len(found) != dim + 1:
                return None
            vertices.append(found)
        return vertices

    def values(self, image):
        """The values of the cells when vertices are the voxels of an image, ascending."""
        voxels = iter(np.sort(image, axis=None))
        values = np.empty(len(self))
        for cell, boundary in enumerate(self.columns):
            values[cell] = values[max(boundary)] if boundary else next(voxels)
        return values


def mirrored(pairs, cells):
    """Pairs of the anti-transpose as those of the matrix."""
    return (cells - 1 - pairs)[:, ::-1]


def in_order(rows):
    """An array's rows, sorted."""
    return rows[np.lexsort(rows.T[::-1])]


def timed(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def lophat(matrix, threads):
    import lophat

    cells = list(zip(matrix.dims, matrix.columns))
    options = lophat.LoPhatOptions(num_threads=threads)
    for way, anti_transpose in [("primal", False), ("dual", True)]:
        seconds, diagram = timed(lambda: lophat.compute_pairings(cells, anti_transpose, options))
        yield way, seconds, np.array(sorted(diagram.paired), dtype=np.int64).reshape(-1, 2)


def oineus(matrix, threads):
    import oineus

    for way, columns in [("primal", matrix.columns), ("dual", matrix.anti_transpose())]:
        decomposition = oineus.Decomposition(columns, len(matrix), skip_check=True)
        seconds, _ = timed(lambda: decomposition.reduce(n_threads=threads))
        pairs = _lows(decomposition.r_as_csc())
        yield way, seconds, mirrored(pairs, len(matrix)) if way == "dual" else pairs
    yield from _oineus_simplices(oineus, matrix, threads)
    yield from _oineus_voxels(oineus, matrix, threads)


def _lows(reduced):
    """(greatest row, column) of every column that is not zero."""
    reduced.sort_indices()
    starts, ends = reduced.indptr[:-1], reduced.indptr[1:]
    columns = np.nonzero(ends > starts)[0]
    return np.column_stack([reduced.indices[ends[columns] - 1], columns]).astype(np.int64)


def _oineus_simplices(oineus, matrix, threads):
    simplices = matrix.simplices()
    if simplices is None:
        return
    cells = [oineus.Simplex(vertices, float(place)) for place, vertices in enumerate(simplices)]
    for way, seconds, points in _oineus_filtration(oineus.Filtration(cells), matrix, threads):
        yield f"{way}, simplices", seconds, points.astype(np.int64)


def _oineus_voxels(oineus, matrix, threads):
    image = matrix.path.with_suffix(".npy")
    if image.exists():
        filtration = oineus.cube_filtration(np.load(image))
        for way, seconds, points in _oineus_filtration(filtration, matrix, threads):
            yield f"{way}, voxels", seconds, points


def _oineus_filtration(filtration, matrix, threads):
    import oineus

    for way, dualize in [("primal", False), ("dual", True)]:
        decomposition = oineus.Decomposition(filtration, dualize)
        seconds, _ = timed(lambda: decomposition.reduce(n_threads=threads))
        diagrams = decomposition.diagram(filtration, include_inf_points=False)
        dimensions = [diagrams.in_dimension(dim) for dim in range(max(matrix.dims) + 1)]
        yield way, seconds, np.concatenate([np.asarray(p, dtype=float).reshape(-1, 2) for p in dimensions])


PEERS = {"lophat": lophat, "oineus": oineus}


def version(peer):
    return metadata.version(peer)


def is_right(matrix, pairs, found):
    """Whether a way found the pairs, or, when it answers in values, the bars that are not of length zero."""
    if found.dtype == float:
        values = matrix.values(np.load(matrix.path.with_suffix(".npy")))
        bars = values[pairs]
        pairs = bars[bars[:, 0] < bars[:, 1]]
    return np.array_equal(in_order(pairs), in_order(found))


def main(peer, path, expected, result, threads):
    matrix = Matrix(path)
    pairs = np.fromfile(expected, "<i8")[1:].reshape(-1, 2)
    best, wrong = None, []
    for way, seconds, found in PEERS[peer](matrix, int(threads)):
        if not is_right(matrix, pairs, found):
            wrong.append(way)
        if best is None or seconds < best[1]:
            best = (way, seconds)
    with open(result, "w", encoding="ascii") as out:
        json.dump({"way": best[0], "seconds": best[1], "wrong": wrong}, out)


if __name__ == "__main__":
    main(*sys.argv[1:])
