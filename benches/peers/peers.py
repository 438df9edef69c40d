"""One adapter a program: the call that is timed, and the barcode it gives."""

import dataclasses
import time
from importlib import metadata

import numpy as np


@dataclasses.dataclass(frozen=True)
class Peer:
    """A Python package and its call."""

    package: str
    call: callable
    """(array, is_points, dim, threshold, threads) → bars (k × 2) of dimension 0, 1, …"""
    note: str

    def version(self):
        return metadata.version(self.package)

    def timed(self, *arguments):
        """Seconds of the call alone, and the bars."""
        start = time.perf_counter()
        bars = self.call(*arguments)
        return time.perf_counter() - start, bars


def _giotto_ph(array, is_points, dim, threshold, threads):
    from gph import ripser_parallel

    metric = "euclidean" if is_points else "precomputed"
    return ripser_parallel(
        array, maxdim=dim, thresh=threshold, metric=metric, collapse_edges=False, n_threads=threads
    )["dgms"]


def _giotto_ph_collapsed(array, is_points, dim, threshold, threads):
    from gph import ripser_parallel

    metric = "euclidean" if is_points else "precomputed"
    return ripser_parallel(
        array, maxdim=dim, thresh=threshold, metric=metric, collapse_edges=True, n_threads=threads
    )["dgms"]


def _ripser_py(array, is_points, dim, threshold, threads):
    from ripser import ripser

    del threads
    return ripser(array, maxdim=dim, thresh=threshold, distance_matrix=not is_points)["dgms"]


def _ripser_py_cocycles(array, is_points, dim, threshold, threads):
    from ripser import ripser

    del threads
    return ripser(array, maxdim=dim, thresh=threshold, distance_matrix=not is_points, do_cocycles=True)["dgms"]


def _gudhi(array, is_points, dim, threshold, threads):
    from gudhi.sklearn.rips_persistence import RipsPersistence

    rips = RipsPersistence(
        homology_dimensions=list(range(dim + 1)),
        threshold=threshold,
        input_type="point cloud" if is_points else "full distance matrix",
        homology_coeff_field=2,
        n_jobs=threads,
    )
    return rips.fit_transform([array])[0]


def _gudhi_collapsed(array, is_points, dim, threshold, threads):
    import gudhi

    del threads
    if is_points:
        rips = gudhi.RipsComplex(points=array, max_edge_length=threshold)
    else:
        rips = gudhi.RipsComplex(distance_matrix=array, max_edge_length=_bound(array, threshold))
    tree = rips.create_simplex_tree(max_dimension=1)
    tree.collapse_edges()
    tree.expansion(dim + 1)
    tree.compute_persistence(homology_coeff_field=2, min_persistence=0)
    bars = [tree.persistence_intervals_in_dimension(d) for d in range(dim + 1)]
    # The diagonal is no bar.
    return [b[b[:, 0] < b[:, 1]] if len(b) else b.reshape(-1, 2) for b in bars]


def _redzed(array, is_points, dim, threshold, threads):
    import redzed_tda

    del threads
    # It reads all distances; those of points are part of its call, as they are of the others'.
    distances = _distances(array) if is_points else array
    bars = redzed_tda.rips(distances, maxdim=dim, threshold=_bound(distances, threshold))
    return [np.asarray(b, dtype=float).reshape(-1, 2) for b in bars]


def _distances(points):
    from scipy.spatial.distance import pdist, squareform

    return squareform(pdist(points)).astype(np.float32)


def _bound(matrix, threshold):
    """The enclosing radius, past which nothing is born or dies, unless the threshold is lower."""
    return min(threshold, float(matrix.max(axis=1).min()))


PEERS = {
    "giotto-ph": Peer("giotto-ph", _giotto_ph, "`collapse_edges=False`"),
    "giotto-ph-collapsed": Peer("giotto-ph", _giotto_ph_collapsed, "`collapse_edges=True`"),
    "ripser.py": Peer("ripser", _ripser_py, "one thread"),
    "ripser.py-cocycles": Peer("ripser", _ripser_py_cocycles, "`do_cocycles=True`, one thread"),
    "redzed": Peer("redzed-tda", _redzed, "one thread"),
    "gudhi": Peer("gudhi", _gudhi, "edge collapse as it chooses"),
    "gudhi-collapsed": Peer("gudhi", _gudhi_collapsed, "`collapse_edges()` of the graph, then `expansion`; one thread"),
}


def import_all(name):
    """Loads a peer's module, so that its call is timed without the import."""
    PEERS[name].timed(np.zeros((3, 3), dtype=np.float32), False, 1, np.inf, 1)
