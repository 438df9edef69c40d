#!/usr/bin/env python3
"""Images of the benchmark of persistence diagrams by Guillou, Vidal and Tierny: the same bars first, then the time.

    pip install ./python cripser gudhi scikit-learn
    python3 benches/peers/pdiags.py [--dipha path/to/dipha] [--mpiexec path/to/mpiexec] [--threads N] [--runs 3] [--limit 900]
    python3 benches/peers/pdiags.py --sizes 4096,128,24 --images random,marschner_lobb --runs 1

The protocol is that of pdiags_bench ("Discrete Morse Sandwich", arXiv:2206.13932), on those of its images that can be computed: `elevation`
and `random` are volumes of 192³, `marschner_lobb` is one of 41³ bytes. Linear interpolation makes a volume of 192³ vertices of each, a
plane of 4096² (the slice through the middle) and a line of 2^20 (the middle row of that slice), in single precision. All programs get the
*order field*, the rank of each vertex, ties by place, as doubles, and compute the persistence of its sublevel sets in the V-construction.
Random values come from NumPy's PCG64. As interpolated noise is smooth, lines and planes have `noise` too, a value for each vertex.

Each run is a process of its own, and those of the first turn have to give Lacuna's bars, essential ones included. Seconds are those of
the call in Python on an array in memory. DIPHA's are what it says, less reading and writing, as in the protocol; below a second, where it
says one digit only, they are those of its whole process. On lines it has one process, as in the protocol: of 2^20 vertices, two wait for
each other for ever. Memory is the peak of the process, with Python, its packages and the image, and for DIPHA the sum over its processes.
What takes longer than the limit, start and files included, is not run again. Prints a table in Markdown. Exits 1 when bars differ.
"""

import argparse
import os
import pathlib
import re
import shlex
import statistics
import sys
import tempfile

import numpy as np

import report
from image_peers import PEERS
from images import difference
from run import HERE, Failed, Ran, known_peers, run

EDGE = 192
"""Vertices along each axis of the volumes that have no size of their own."""

DIPHA, IMAGE_DATA = 8067171840, 1
"""The numbers with which files of DIPHA begin, and with which they say that they hold an image."""


def elevation(shape, random):
    """The place along the diagonal, from 0 to 1."""
    return sum(np.ix_(*(np.linspace(0, 1 / 3, EDGE) for _ in range(3))))


def uniform(shape, random):
    """Independent values in single precision."""
    return random.random((EDGE,) * 3, dtype=np.float32)


def noise(shape, random):
    """As `uniform`, one for each vertex of the result."""
    return random.random(shape, dtype=np.float32)


def marschner_lobb(shape, random, f_m=6, alpha=0.25):
    """The signal of Marschner and Lobb, "An evaluation of reconstruction filters for volume rendering", Visualization '94, as bytes."""
    z, y, x = np.ix_(*(np.linspace(-1, 1, 41) for _ in range(3)))
    rings = np.cos(2 * np.pi * f_m * np.cos(np.pi * np.hypot(x, y) / 2))
    signal = (1 - np.sin(np.pi * z / 2) + alpha * (1 + rings)) / (2 * (1 + alpha))
    return np.rint(255 * signal)


IMAGES = {"elevation": elevation, "random": uniform, "noise": noise, "marschner_lobb": marschner_lobb}


def resampled(volume, shape):
    """Linear interpolation along each axis, from end to end, or in the middle where one vertex is wanted."""
    for axis, (had, wanted) in enumerate(zip(volume.shape, shape)):
        if had == wanted:
            continue
        places = np.linspace(0, had - 1, wanted) if wanted > 1 else np.array([(had - 1) / 2])
        lower = np.minimum(places.astype(int), had - 2)
        share = (places - lower).reshape([-1 if k == axis else 1 for k in range(3)])
        volume = (1 - share) * volume.take(lower, axis) + share * volume.take(lower + 1, axis)
    return volume.astype(np.float32)


def order_field(image):
    """The rank of each vertex by value, then by place with x fastest."""
    ranks = np.empty(image.size)
    ranks[np.argsort(image, axis=None, kind="stable")] = np.arange(image.size)
    return ranks.reshape([size for size in image.shape if size > 1])


class Bench:
    """The programs on one image."""

    def __init__(self, image, options, scratch):
        self.options, self.scratch, self.is_line = options, scratch, image.ndim == 1
        np.save(scratch / "image.npy", image)
        if options.dipha:
            # DIPHA has no lines, but planes of one row.
            shape = image.shape[::-1] if image.ndim > 1 else (image.size, 1)
            with open(scratch / "image.complex", "wb") as file:
                np.array([DIPHA, IMAGE_DATA, image.size, len(shape), *shape], "<i8").tofile(file)
                image.astype("<f8").tofile(file)

    def package(self, name, threads):
        """A run of a Python package, and its rows (dim, birth, death)."""
        result = self.scratch / "result.npz"
        worker = [sys.executable, HERE / "image_peers.py", name, self.scratch / "image.npy", "v", threads, result]
        ran = run(worker, self.scratch, limit=self.options.limit)
        found = np.load(result)
        return Ran(float(found["seconds"]), ran.peak), found["rows"][:, :3]

    def dipha(self, _, processes):
        """As `package`, of DIPHA."""
        said = [self.scratch / f"said{rank}" for rank in range(processes)]
        reports = [self.scratch / f"report{rank}" for rank in range(processes)]
        diagram = self.scratch / "image.diagram"
        command = shlex.split(self.options.mpiexec)
        for rank in range(processes):
            command += [*([":"] if rank else []), "-n", 1, sys.executable, "-I", "-S", HERE / "launch.py", said[rank], reports[rank]]
            command += [*shlex.split(self.options.dipha), "--benchmark", self.scratch / "image.complex", diagram]
        run(command, self.scratch, limit=self.options.limit)
        seconds, peaks, codes = zip(*(map(float, path.read_text().split()) for path in reports))
        if any(codes):
            raise Failed(f"exit codes {codes}: {self.options.dipha}")
        text = said[0].read_text()
        own = float(re.search(r"Overall running time in seconds: *\n(\S+)", text)[1])
        own -= sum(map(float, re.findall(r"(\S+)s .*(?:load_binary|save_persistence_diagram)\(", text)))
        return Ran(own if own >= 1 else max(seconds), int(sum(peaks))), self.dipha_rows(diagram)

    @staticmethod
    def dipha_rows(diagram):
        """Essential bars have a dimension of −1 − dim there, and die at the greatest value."""
        rows = np.fromfile(diagram, "<i8", offset=24).reshape(-1, 3)
        dims, essential = rows[:, 0], rows[:, 0] < 0
        births, deaths = rows[:, 1:].copy().view("<f8").T
        return np.column_stack([np.where(essential, -1 - dims, dims), births, np.where(essential, np.inf, deaths)])

    def measure(self):
        """Median (seconds, peak) of each program, or why there is none; the rows of all bars; and which program has others."""
        ours, ran, found = None, {column: [] for column in self.options.columns}, {}
        if self.is_line and self.options.dipha and self.options.threads > 1:
            found[f"DIPHA, {self.options.threads}"] = "–"
        for turn in range(self.options.runs):
            for column, (name, threads) in self.options.columns.items():
                if column in found:
                    continue
                try:
                    measured, rows = (self.dipha if name == "dipha" else self.package)(name, threads)
                except Failed as error:
                    if name == "lacuna_tda":
                        raise
                    print(f"{column}: {error}", file=sys.stderr)
                    found[column] = f"over {self.options.limit:g} s" if str(error).startswith("more than") else "failed"
                    continue
                ours = rows if ours is None else ours
                if turn == 0 and (wrong := difference(ours, rows)):
                    return None, ours, f"{column}: {wrong}"
                ran[column].append(measured)
        for column in ran.keys() - found.keys():
            found[column] = tuple(map(statistics.median, zip(*((run.seconds, run.peak) for run in ran[column]))))
        return found, ours, None


def row(title, shape, options):
    """The cells of a line of the table, and whether bars differ."""
    random = np.random.Generator(np.random.PCG64(options.seed))
    image = order_field(resampled(IMAGES[title](shape, random), shape))
    with tempfile.TemporaryDirectory() as scratch:
        measured, rows, wrong = Bench(image, options, pathlib.Path(scratch)).measure()
    finite = rows[np.isfinite(rows[:, 2]), 0].astype(int)
    pairs = " + ".join(f"{count:,}" for count in np.bincount(finite, minlength=image.ndim))
    cells = [title, "×".join(map(str, image.shape)), pairs]
    if wrong:
        return [*cells, wrong], True
    ours, _ = measured[options.ours]
    for column in options.columns:
        found = measured[column]
        if not isinstance(found, str):
            text = f"{found[0]:.3g} s, {found[1] / 1e6:,.0f} MB"
            found = text if column == options.ours else f"**{found[0] / ours:.3g}×** ({text})"
        cells.append(found)
    return cells, False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", default=",".join(IMAGES), help="default: %(default)s")
    parser.add_argument("--sizes", default="1048576,4096,192", help="of line, plane, volume on each axis; 0: none (default: %(default)s)")
    parser.add_argument("--peers", default="cripser,gudhi", help="default: %(default)s")
    parser.add_argument("--dipha", help="the program, with options such as --dual")
    parser.add_argument("--mpiexec", default="mpiexec", help="what starts DIPHA's processes, with options (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="or processes; default: all cores")
    parser.add_argument("--runs", type=int, default=3, help="runs of each program (default: %(default)s)")
    parser.add_argument("--limit", type=float, default=900, help="seconds that a run may last (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of random values (default: %(default)s)")
    options = parser.parse_args()
    peers = known_peers(options.peers, PEERS)
    programs = [("Lacuna", "lacuna_tda", 1), ("Lacuna", "lacuna_tda", options.threads)]
    programs += [(name, name, 1 if name == "gudhi" else options.threads) for name in peers]
    programs += [("DIPHA", "dipha", 1), ("DIPHA", "dipha", options.threads)] if options.dipha else []
    options.columns = {f"{title}, {threads}": (name, threads) for title, name, threads in programs}
    options.ours = f"Lacuna, {options.threads}"
    versions = ", ".join(f"{name} {PEERS[name].version()} ({PEERS[name].note})" for name in ["lacuna_tda", *peers])
    print(f"- Commit {report.commit()}; {report.machine()}; runs: {options.runs}; limit: {options.limit:g} s; seed: {options.seed}.")
    print(f"- {versions}{', DIPHA' if options.dipha else ''}; behind a program's name its threads or processes.")
    print(f"- Pairs: finite bars, dimension 0 first. A factor is a program's time over {options.ours}'s; in brackets time and memory.\n")
    titles = ["image", "vertices", "pairs", *options.columns]
    print("| " + " | ".join(titles) + " |\n" + "|---" * len(titles) + "|", flush=True)
    differs = False
    for axes, size in enumerate(map(int, options.sizes.split(",")), 1):
        for title in known_peers(options.images, IMAGES):
            # A volume of noise is that of `random`.
            if size and not (axes == 3 and title == "noise"):
                cells, wrong = row(title, (1,) * (3 - axes) + (size,) * axes, options)
                differs |= wrong
                print("| " + " | ".join(cells) + " |", flush=True)
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main())
