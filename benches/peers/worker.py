"""One call of one peer in a process of its own: `worker.py PEER ARRAY.npz RESULT.npz`.

ARRAY.npz holds the array, is_points, dim, threshold and threads; RESULT.npz gets the seconds and the bars.
"""

import sys

import numpy as np

import peers


def main(name, request, result):
    asked = np.load(request)
    peers.import_all(name)
    seconds, bars = peers.PEERS[name].timed(
        asked["array"],
        bool(asked["is_points"]),
        int(asked["dim"]),
        float(asked["threshold"]),
        int(asked["threads"]),
    )
    arrays = {f"dim{k}": np.asarray(b, dtype=float).reshape(-1, 2) for k, b in enumerate(bars)}
    np.savez(result, seconds=seconds, **arrays)


if __name__ == "__main__":
    main(*sys.argv[1:])
