#!/usr/bin/env python3
"""`lacuna ecc` beside GPU-ECC, its authors' program, on one machine with a GPU: the same curves first, then the time.

    python3 benches/peers/gpu_ecc.py --gpu-ecc path/to/GPU_ECC [--lacuna target/release/lacuna] [--runs 3]

Images are smooth, f32, of 256 levels: GPU-ECC loses values past 512. It writes no row where nothing changes, so such rows
of Lacuna's are left out before every value and every Euler characteristic is compared. Times are those of whole processes,
images in the page cache, the programs taking turns, the least of the runs. Exits 1 when curves differ. Needs NumPy.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

LEVELS = 256
SHAPES = [(4096, 4096), (256,) * 3, (512,) * 3]
BATCH, OF_BATCH = 40, (128,) * 3


def smooth(shape, seed):
    """A sum of waves of random directions, rounded down to levels."""
    random = np.random.default_rng(seed)
    axes = np.meshgrid(*[np.linspace(0, 2 * np.pi, n, dtype=np.float32) for n in shape], indexing="ij", sparse=True)
    image = np.zeros(shape, np.float32)
    for _ in range(12):
        phase = np.float32(2 * np.pi * random.random())
        image += np.cos(sum(int(k) * x for k, x in zip(random.integers(1, 9, len(shape)), axes)) + phase)
    image = (image - image.min()) / (image.max() - image.min())
    return np.minimum((image * LEVELS).astype(np.int32), LEVELS - 1).astype(np.float32)


def seconds(command):
    start = time.perf_counter()
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if ran.returncode:
        raise SystemExit(f"{command[0]} failed: {ran.stdout[-300:]}{ran.stderr[-300:]}")
    return time.perf_counter() - start


def difference(theirs, ours):
    """None when the curves are the same."""
    theirs = np.loadtxt(theirs, ndmin=2)
    ours = np.loadtxt(ours, delimiter=",", skiprows=1, ndmin=2)
    ours = ours[ours[:, 1] != 0]
    if len(theirs) != len(ours):
        return f"{len(theirs)} rows, Lacuna {len(ours)}"
    wrong = np.flatnonzero((theirs[:, 0] != ours[:, 0]) | (theirs[:, 1] != ours[:, 2]))
    return None if wrong.size == 0 else f"row {wrong[0] + 1}: {theirs[wrong[0]]}, Lacuna {ours[wrong[0], [0, 2]]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpu-ecc", type=pathlib.Path, required=True, help="its binary")
    parser.add_argument("--lacuna", type=pathlib.Path, default="target/release/lacuna", help="default: %(default)s")
    parser.add_argument("--runs", type=int, default=3, help="default: %(default)s")
    options = parser.parse_args()
    wrong = []

    def row(name, commands, outputs):
        least = [min(times) for times in zip(*[[seconds(c) for c in commands] for _ in range(options.runs)])]
        for theirs, *ours in outputs:
            found = [d for d in (difference(theirs, curve) for curve in ours) if d]
            wrong.extend(f"{name}: {d}" for d in found)
        print("| " + " | ".join([name, *[f"{t:.3g} s" for t in least]]) + " |", flush=True)

    print("| image | GPU-ECC | Lacuna, `cuda` | Lacuna, `auto` |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)

        def lacuna(shape, backend, out, images):
            axes = ",".join(map(str, shape))
            return [options.lacuna.resolve(), "ecc", "-q", "--backend", backend, "--format", "raw", "--shape", axes,
                    "--dtype", "f32", "--output", "csv", "-o", out, images]

        for shape in SHAPES:
            image, theirs = scratch / "image.dat", scratch / "theirs.txt"
            smooth(shape, 3).tofile(image)
            depth, height, width = (0, *shape) if len(shape) == 2 else shape
            ours = {backend: scratch / f"{backend}.csv" for backend in ("cuda", "auto")}
            commands = [[options.gpu_ecc.resolve(), "s", image, theirs, height, width, depth]]
            commands += [lacuna(shape, backend, out, image) for backend, out in ours.items()]
            row("×".join(map(str, shape)), commands, [(theirs, *ours.values())])
        images = scratch / "images"
        images.mkdir()
        for seed in range(BATCH):
            smooth(OF_BATCH, seed).tofile(images / f"{seed:03}.dat")
        folders = {who: scratch / who for who in ("theirs", "cuda", "auto")}
        for folder in folders.values():
            folder.mkdir()
        commands = [[options.gpu_ecc.resolve(), "b", images, folders["theirs"], *OF_BATCH]]
        commands += [lacuna(OF_BATCH, backend, folders[backend], images) for backend in ("cuda", "auto")]
        row(f"{BATCH} of {'×'.join(map(str, OF_BATCH))}, one run", commands, [])
        found = [sorted(folder.iterdir()) for folder in folders.values()]
        if len({len(files) for files in found}) != 1:
            wrong.append(f"the batch: {[len(files) for files in found]} curves")
        for theirs, *ours in zip(*found):
            wrong.extend(f"{theirs.name}: {d}" for d in (difference(theirs, curve) for curve in ours) if d)
    if wrong:
        sys.exit("curves differ:\n" + "\n".join(wrong))


if __name__ == "__main__":
    main()
