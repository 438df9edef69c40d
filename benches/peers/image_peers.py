"""One call of one program on an image, in a process of its own:

    image_peers.py PROGRAM IMAGE.npy CONSTRUCTION THREADS RESULT.npz

RESULT.npz gets the seconds of the call and the rows (dim, birth, death), after which CubicalRipser's have two voxels.
Classes that die where they are born are left out; essential ones die at infinity.
"""

import dataclasses
import sys
import time
from importlib import metadata

import numpy as np


@dataclasses.dataclass(frozen=True)
class Peer:
    """A Python package and its call."""

    package: str
    load: callable
    """construction, threads → the call, everything imported: image → what it answers."""
    rows: callable
    """What it answers → rows."""
    note: str

    def version(self):
        return metadata.version(self.package)


def _cripser(construction, threads):
    import cripser

    def call(image):
        return cripser.compute_ph(
            image, filtration=construction.upper(), maxdim=image.ndim - 1, n_threads=threads
        )

    return call


def _cripser_rows(found):
    return found[found[:, 1] != found[:, 2]]


def _gudhi(construction, threads):
    from gudhi.sklearn import CubicalPersistence

    input_type = {"t": "top_dimensional_cells", "v": "vertices"}[construction]

    def call(image):
        persistence = CubicalPersistence(
            homology_dimensions=list(range(image.ndim)),
            input_type=input_type,
            homology_coeff_field=2,
            min_persistence=0.0,
            n_jobs=threads,
        )
        return persistence.fit_transform([image])[0]

    return call


def _lacuna(construction, threads):
    import lacuna_tda

    def call(image):
        return lacuna_tda.cubical(image, construction=construction.upper(), threads=threads)

    return call


def _rows_by_dimension(found):
    rows = [np.column_stack([np.full(len(bars), dim), bars]) for dim, bars in enumerate(found)]
    rows = np.concatenate(rows)
    return rows[rows[:, 1] != rows[:, 2]]


PEERS = {
    "cripser": Peer("cripser", _cripser, _cripser_rows, "`compute_ph`, as many threads"),
    "gudhi": Peer("gudhi", _gudhi, _rows_by_dimension, "`sklearn.CubicalPersistence`, one thread"),
    "lacuna_tda": Peer("lacuna_tda", _lacuna, _rows_by_dimension, "`cubical`, as many threads"),
}


def main(program, image, construction, threads, result):
    peer = PEERS[program]
    call = peer.load(construction, int(threads))
    # CubicalRipser knows doubles only; the conversion is not its time.
    array = np.load(image).astype(np.float64)
    # Nor is what a program imports or starts when it is first called.
    call(np.zeros((2,) * array.ndim))
    start = time.perf_counter()
    found = call(array)
    seconds = time.perf_counter() - start
    np.savez(result, seconds=seconds, rows=peer.rows(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
