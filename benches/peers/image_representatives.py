#!/usr/bin/env python3
"""Representatives of `lacuna cubical` against those of CubicalRipser: both are checked first, then the time.

    python3 benches/peers/image_representatives.py [--sizes 32,48,64] [--runs 3] [--threads N] [--limit 120]
    python3 benches/peers/image_representatives.py --chosen --sizes 128

The images are noise of n³ doubles that all differ, in the V-construction. Bars must be the same, and of each bar above dimension 0 both programs'
cycles must have no boundary over Z/2 and be born with the bar: its birth is their greatest voxel. So they represent classes, which bound when
the bar dies or, added to cycles of others, at another time; that is checked by the tests of Lacuna and not here.

Lacuna is timed as a whole process, NumPy's file to NumPy's archive: the bars alone, cycles of the ten longest bars, and of all. CubicalRipser is
timed by its call `compute_ph(representatives=True)` alone, on as many threads; it has no choice of bars. With --chosen, cycles of all bars are left
out, which of large images fill the memory. Prints a table of medians. Exits 1 when something differs.
"""

import argparse
import os
import pathlib
import statistics
import sys
import tempfile
import time

import image_cases
from images import difference
from run import built, enter_environment, run

OURS = {
    "bars": [],
    "cycles of 10": ["--representatives", "cycles", "--longest", "10"],
    "cycles of all": ["--representatives", "cycles"],
}
"""What is asked of Lacuna: options for each."""

FACES = (0, 1), (0, 2), (1, 2)
"""The axes along which CubicalRipser's faces extend, by the type of the cell; edges of type k extend along axis k."""


def call(image, threads, result):
    """The worker: one call of CubicalRipser in a process of its own."""
    import cripser
    import numpy as np

    array = np.load(image)
    start = time.perf_counter()
    rows, cycles = cripser.compute_ph(
        array, filtration="V", maxdim=array.ndim - 1, n_threads=int(threads), representatives=True
    )
    seconds = time.perf_counter() - start
    cells = np.array([cell for cycle in cycles for cell in cycle], dtype=np.int64).reshape(-1, 4)
    offsets = np.cumsum([0, *map(len, cycles)])
    np.savez(result, seconds=seconds, rows=rows, cells=cells, offsets=offsets)


def theirs(arrays):
    """Rows of bars, and for each dimension (birth, twice the centres of the cells of its cycle) of each bar."""
    rows, cells, offsets = arrays["rows"], arrays["cells"], arrays["offsets"]
    found = {1: [], 2: []}
    lasting = rows[:, 1] != rows[:, 2]
    for k, row in enumerate(rows):
        if row[0] in found and lasting[k]:
            of_bar = cells[offsets[k]:offsets[k + 1]]
            centres = 2 * of_bar[:, :3]
            for centre, kind in zip(centres, of_bar[:, 3]):
                for axis in [kind] if row[0] == 1 else FACES[kind]:
                    centre[axis] += 1
            found[int(row[0])].append((row[1], centres))
    return rows[lasting, :3], found


def ours(arrays):
    """As `theirs`, of Lacuna's archive."""
    bars, found = arrays["bars"], {}
    for dim in (1, 2):
        births = bars[bars[:, 0] == dim, 1][arrays[f"index_{dim}"]]
        cells, offsets = arrays[f"cycle_cells_{dim}"], arrays[f"cycle_offsets_{dim}"]
        found[dim] = [(birth, cells[offsets[k]:offsets[k + 1]]) for k, birth in enumerate(births)]
    return bars, found


def ends(cells):
    """Cells one dimension lower, or vertices: for each axis along which a cell extends, those on both sides."""
    import numpy as np

    return np.concatenate(
        [cells[cells[:, axis] % 2 == 1] + step * np.eye(3, dtype=np.int64)[axis] for axis in range(3) for step in (-1, 1)]
    )


def flaw(image, found):
    """What is wrong with a cycle, of the first with which something is."""
    import numpy as np

    for dim, cycles in found.items():
        for k, (birth, cells) in enumerate(cycles):
            if not len(cells) or ((cells % 2).sum(axis=1) != dim).any():
                return f"the cycle of bar {dim}:{k} is not of cells of dimension {dim}"
            boundary, counts = np.unique(ends(cells), axis=0, return_counts=True)
            if (counts % 2).any():
                return f"the cycle of bar {dim}:{k} has a boundary"
            vertices = (boundary if dim == 1 else ends(boundary)) // 2
            if image[tuple(vertices.T)].max() != birth:
                return f"the cycle of bar {dim}:{k} is not born with it"
    return None


def measured(size, options, scratch):
    """The number of bars and medians of each program, in words; or what differs."""
    import numpy as np

    image, result = scratch / "image.npy", scratch / "theirs.npz"
    np.save(image, image_cases.noise(3, size, size, size))
    limit = ["timeout", str(options.limit)]
    commands = {}
    for k, (name, kinds) in enumerate(options.ours.items()):
        command = [options.lacuna, "cubical", image, "--construction", "v", "--threads", options.threads, "-q"]
        commands[name] = [*limit, *command, "-o", scratch / f"{k}.npz", *kinds]
    if not options.chosen:
        commands["cripser"] = [*limit, sys.executable, pathlib.Path(__file__), "--call", image, options.threads, result]
    runs = {name: [] for name in commands}
    for turn in range(options.runs):
        for name, command in commands.items():
            # What has once run past the limit is not run again.
            if None in runs[name]:
                continue
            try:
                seconds = run(command, scratch).seconds
            except SystemExit as failed:
                if "exit code 124:" not in str(failed):
                    raise
                seconds = None
            runs[name].append(float(np.load(result)["seconds"]) if name == "cripser" and seconds else seconds)
        if turn == 0:
            array = np.load(image)
            our_bars, our_cycles = ours(np.load(scratch / f"{len(options.ours) - 1}.npz"))
            wrong = [("lacuna", flaw(array, our_cycles))]
            if runs.get("cripser", [None]) != [None]:
                their_bars, their_cycles = theirs(np.load(result))
                wrong += [("bars", difference(our_bars, their_bars)), ("cripser", flaw(array, their_cycles))]
            if wrong := [f"{who}: {what}" for who, what in wrong if what]:
                return None, "; ".join(wrong)
    medians = {name: None if None in seconds else statistics.median(seconds) for name, seconds in runs.items()}
    words = [str(len(our_bars))]
    words += [f"over {options.limit} s" if median is None else f"{median:.3g} s" for median in medians.values()]
    if medians.get("cripser") and medians["cycles of all"]:
        words[-1] = f"**{medians['cripser'] / medians['cycles of all']:.3g}×** ({words[-1]})"
    return words, None


def main():
    if sys.argv[1:2] == ["--call"]:
        return call(*sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="32,48,64", help="voxels along each of the three axes (default: %(default)s)")
    parser.add_argument("--chosen", action="store_true", help="cycles of ten bars alone, and Lacuna alone")
    parser.add_argument("--runs", type=int, default=3, help="runs of each program (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="default: all cores")
    parser.add_argument("--limit", type=int, default=120, help="seconds that a run may last (default: %(default)s)")
    parser.add_argument("--lacuna", type=pathlib.Path, help="a binary that is already built")
    parser.add_argument("--no-venv", action="store_true", help="use the packages of this Python")
    options = parser.parse_args()
    if not options.no_venv:
        enter_environment()
    import report
    from importlib import metadata

    options.lacuna = options.lacuna or built()
    options.ours = {name: kinds for name, kinds in OURS.items() if not (options.chosen and name == "cycles of all")}
    titles = ["image", "bars", *(f"Lacuna, {name}" for name in options.ours), *([] if options.chosen else ["cripser"])]
    print(f"- Commit {report.commit()}; {report.machine()}; {options.threads} threads; medians of {options.runs}.")
    peer = "" if options.chosen else f"; cripser {metadata.version('cripser')} by its call alone, with cycles of all bars"
    print(f"- Lacuna as a whole process{peer}.\n")
    print("| " + " | ".join(titles) + " |\n" + "|---" * len(titles) + "|")
    is_wrong = False
    for size in map(int, options.sizes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            words, wrong = measured(size, options, pathlib.Path(folder))
        is_wrong |= wrong is not None
        print(f"| noise {size}³ V | {wrong or ' | '.join(words)} |", flush=True)
    return 1 if is_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
