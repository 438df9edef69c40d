"""Euler characteristic curves: `lacuna ecc` against a loop over block minima, and against scikit-image.

    python3 benches/peers/ecc.py [--lacuna BIN] [--threads N] [--size 256] [--check] [--no-venv]

The peer is what one writes in an afternoon with numba: for each voxel the least of the seven blocks that begin at it, counted
in a histogram a thread. Curves are compared before anything is timed; one that differs voids the run. Times are the least of
several runs, in turns: the peer's from array to curve, lacuna's `curve_seconds`, which begin at opening the file, reading
included. `--check` only compares curves, on small random images of both constructions, also with
scikit-image's `euler_number` of every sublevel set.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from run import built, enter_environment


def block_minima(image, threads):
    """The changes of the T-construction, of a volume of bytes with a border of 255 around it."""
    counts = np.zeros((threads, 256), np.int64)
    planes, rows, columns = image.shape
    for thread in numba.prange(threads):
        local = np.zeros(256, np.int64)
        for z in range((planes - 1) * thread // threads, (planes - 1) * (thread + 1) // threads):
            for y in range(rows - 1):
                for x in range(columns - 1):
                    a, b = image[z, y, x], image[z, y, x + 1]
                    c, d = image[z, y + 1, x], image[z, y + 1, x + 1]
                    e, f = image[z + 1, y, x], image[z + 1, y, x + 1]
                    g, h = image[z + 1, y + 1, x], image[z + 1, y + 1, x + 1]
                    ab, ac, ae = min(a, b), min(a, c), min(a, e)
                    abcd, abef = min(ab, min(c, d)), min(ab, min(e, f))
                    aceg = min(ac, min(e, g))
                    local[a] -= 1
                    local[ab] += 1
                    local[ac] += 1
                    local[ae] += 1
                    local[abcd] -= 1
                    local[abef] -= 1
                    local[aceg] -= 1
                    local[min(min(abcd, abef), min(min(aceg, g), h))] += 1
        counts[thread] = local
    return counts.sum(axis=0)


def peer(padded, threads):
    # Blocks of the border alone count at 255, and so do the ends of the image there: what is missing makes the sum that of a block, 1.
    changes = block_minima(padded, threads)
    changes[255] = 1 - changes[:255].sum()
    return changes


def pad(image):
    return np.pad(image, 1, constant_values=255)


def lacuna(program, path, *options):
    """The rows of a curve, and the seconds it took."""
    with tempfile.NamedTemporaryFile(suffix=".json") as stats:
        run = subprocess.run(
            [program, "ecc", "-q", "--stats", stats.name, *options, str(path)], capture_output=True, check=True, text=True
        )
        seconds = json.load(open(stats.name))["images"][0]["curve_seconds"]
    rows = [line.split(",") for line in run.stdout.splitlines()[1:]]
    return {float(value): (int(change), int(euler)) for value, change, euler in rows}, seconds


def same(found, changes):
    return {int(value): change for value, (change, _) in found.items() if change} == {
        value: int(change) for value, change in enumerate(changes) if change
    }


def smooth(size, rng):
    from scipy.ndimage import gaussian_filter

    field = gaussian_filter(rng.standard_normal((size,) * 3).astype(np.float32), 4)
    return np.interp(field, (field.min(), field.max()), (0, 255)).astype(np.uint8)


def check(program, folder, rng):
    """Small images against scikit-image and the peer."""
    from skimage.measure import euler_number

    compared = 0
    for shape in [(7,), (1,), (9, 11), (1, 6), (64, 3), (5, 6, 7), (1, 4, 5), (4, 1, 65), (3, 3, 130)]:
        for levels in (2, 5, 256):
            image = rng.integers(0, levels, shape).astype(np.uint8)
            path = folder / "small.npy"
            np.save(path, image)
            for construction, name in ((image.ndim, "t"), (1, "v")):
                found, _ = lacuna(program, path, "--construction", name)
                assert sorted(found) == sorted(set(image.ravel().tolist())), (shape, name)
                for value, (_, euler) in found.items():
                    # It counts planes and volumes; a line is a plane one voxel thick.
                    below = image <= value if image.ndim > 1 else (image <= value)[None]
                    connectivity = below.ndim if name == "t" else 1
                    expected = int(euler_number(below, connectivity=connectivity))
                    assert euler == expected, f"{shape} {name} at {value}: {euler}, scikit-image says {expected}"
                    compared += 1
            if image.ndim == 3:
                found, _ = lacuna(program, path)
                assert same(found, peer(pad(image), 2)), shape
    print(f"{compared} Euler characteristics are scikit-image's")


def load_packages():
    """Imports what the environment has, and compiles the peer."""
    global numba, np, block_minima
    import numba
    import numpy as np

    block_minima = numba.njit(parallel=True, cache=False)(block_minima)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lacuna", type=Path, help="a binary that is already built")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--no-venv", action="store_true", help="use the packages of this Python")
    arguments = parser.parse_args()
    if not arguments.no_venv:
        enter_environment()
    load_packages()
    arguments.lacuna = arguments.lacuna or built()
    numba.set_num_threads(arguments.threads)
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        check(arguments.lacuna, folder, rng)
        if arguments.check:
            return
        print(f"u8 {arguments.size}^3, {arguments.threads} threads, GVox/s: least time of {arguments.runs} runs")
        for name, image in (
            ("noise", rng.integers(0, 256, (arguments.size,) * 3, dtype=np.uint8)),
            ("smooth", smooth(arguments.size, rng)),
        ):
            path, padded = folder / f"{name}.npy", pad(image)
            np.save(path, image)
            threads = ["--threads", str(arguments.threads)]
            expected = peer(padded, arguments.threads)
            found, _ = lacuna(arguments.lacuna, path, *threads)
            if not same(found, expected):
                sys.exit(f"{name}: the curves differ, no times")
            times = {"numba": [], "lacuna": []}
            for _ in range(arguments.runs):
                start = time.perf_counter()
                peer(padded, arguments.threads)
                times["numba"].append(time.perf_counter() - start)
                times["lacuna"].append(lacuna(arguments.lacuna, path, *threads)[1])
            rates = {program: image.size / min(seconds) / 1e9 for program, seconds in times.items()}
            print(f"{name:8} numba {rates['numba']:.2f}  lacuna {rates['lacuna']:.2f}  ({rates['lacuna'] / rates['numba']:.1f} times)")


if __name__ == "__main__":
    main()
