#!/usr/bin/env python3
"""Lacuna's cubical persistence against CubicalRipser and GUDHI: the same diagrams first, then the time.

    python3 benches/peers/images.py [--runs 3] [--threads N] [--peers cripser,gudhi] [--cases 2048,u8]

Makes a virtual environment under target/ and installs the peers there (requirements.txt), makes the images under
target/peers/images, builds Lacuna, and compares the bars of every image in both constructions: as sorted lists, exactly.
Where no two voxels have one value, the voxels at which classes are born and die are compared with CubicalRipser's, too.
`--via matrix`, by which images of four axes are done, is compared as well on all others but the largest.
Then the programs run in turn; medians and ratios go to benches/RESULTS.md. Lacuna is timed as a whole process, from
start to exit, reading the image and writing the bars as CSV, and by what it says the computation takes; the peers by
their call alone, on an array of doubles that is already in memory. Peak memory is that of the process, Python's own
included. Exits 1 when bars differ: a timing without the right answer is none.
"""

import argparse
import json
import os
import pathlib
import statistics
import sys
import tempfile

import image_cases
from run import HERE, Ran, built, enter_environment, known_peers, run

MARKS = "<!-- images: begin -->", "<!-- images: end -->"

CALL = "computation"
"""What Lacuna says it takes from the image to the classes."""

GREATEST = 1.7976931348623157e308
"""Where CubicalRipser's essential classes die."""


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", help="only images whose name contains one of these, separated by commas; "
                        f"without it, all but {image_cases.LARGE}")
    parser.add_argument("--peers", default="cripser,gudhi", help="default: %(default)s")
    parser.add_argument("--runs", type=int, default=3, help="runs of each program; 0: only compare (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="default: all cores")
    parser.add_argument("--lacuna", type=pathlib.Path, help="a binary that is already built")
    parser.add_argument("--no-venv", action="store_true", help="use the packages of this Python")
    parser.add_argument("--dry-run", action="store_true", help="print the table, leave benches/RESULTS.md alone")
    return parser.parse_args()


def sorted_rows(rows):
    """Rows in the order of all their columns, for bars have none that programs share."""
    import numpy as np

    rows = np.asarray(rows, dtype=float)
    return rows[np.lexsort(rows.T[::-1])]


def difference(ours, theirs):
    """None when both hold the same rows, else the first that only one has."""
    ours, theirs = sorted_rows(ours), sorted_rows(theirs)
    if len(ours) == len(theirs) and (ours == theirs).all():
        return None
    for k in range(min(len(ours), len(theirs))):
        if (ours[k] != theirs[k]).any():
            return f"row {k + 1} of {len(ours)} is {ours[k].tolist()}, theirs of {len(theirs)} {theirs[k].tolist()}"
    return f"{len(ours)} rows, theirs {len(theirs)}"


class Bench:
    """The programs on one case."""

    def __init__(self, case, options, scratch):
        self.case, self.options, self.scratch = case, options, scratch

    def lacuna(self, output="csv", via=None):
        """A run, and what it says the computation took."""
        out, stats = self.scratch / f"lacuna.{output}", self.scratch / "lacuna.json"
        command = [self.options.lacuna, "cubical", self.case.file, "--construction", self.case.construction]
        command += ["--frame", "all", "--threads", self.options.threads, "--quiet", *(["--via", via] if via else [])]
        ran = run([*command, "--output", output, "-o", out, "--stats", stats], self.scratch)
        return ran, Ran(json.loads(stats.read_text())["persistence_seconds"], ran.peak)

    def our_rows(self, via=None):
        """Nine columns, of four axes eleven, essential classes dying at infinity."""
        import numpy as np

        self.lacuna("cripser", via)
        rows = np.loadtxt(self.scratch / "lacuna.cripser", delimiter=",", ndmin=2)
        rows[rows[:, 2] == GREATEST, 2] = np.inf
        return rows

    def peer(self, name):
        import numpy as np

        result = self.scratch / f"{name}.npz"
        worker = [sys.executable, HERE / "image_peers.py", name, self.case.file, self.case.construction]
        ran = run([*worker, self.options.threads, result], self.scratch)
        return Ran(float(np.load(result)["seconds"]), ran.peak)

    def mismatches(self):
        """Runs every program once; what their answers say against ours. Also the number of our bars."""
        import numpy as np

        image = np.load(self.case.file)
        is_distinct = len(np.unique(image)) == image.size
        ours, found = self.our_rows(), []
        if image_cases.LARGE not in self.case.image and image.ndim < 4:
            found.append(("--via matrix", difference(ours, self.our_rows("matrix"))))
        for name in self.options.peer_names:
            self.peer(name)
            theirs = np.load(self.scratch / f"{name}.npz")["rows"]
            # With voxels where they have some and there is no choice of them.
            columns = theirs.shape[1] if is_distinct else 3
            found.append((name, difference(ours[:, :columns], theirs[:, :columns])))
        return [f"{self.case.name}, {who}: {what}" for who, what in found if what], len(ours)

    def measure(self):
        """Medians over the runs, the programs taking turns: {program: (seconds, peak)}."""
        runs = {name: [] for name in ["lacuna", CALL, *self.options.peer_names]}
        for _ in range(self.options.runs):
            whole, call = self.lacuna()
            runs["lacuna"].append(whole)
            runs[CALL].append(call)
            for name in self.options.peer_names:
                runs[name].append(self.peer(name))
        return {
            name: (statistics.median(r.seconds for r in ran), statistics.median(r.peak for r in ran))
            for name, ran in runs.items()
        }


def selected(options):
    wanted = options.cases.split(",") if options.cases else None
    if wanted is None:
        return [case for case in image_cases.every() if image_cases.LARGE not in case.image]
    chosen = [case for case in image_cases.every() if any(part in case.name for part in wanted)]
    if not chosen:
        raise SystemExit("no image has such a name")
    return chosen


def compare(options):
    """Every case verified and timed: the rows of the table, and what did not match."""
    rows, wrong = [], []
    for case in selected(options):
        with tempfile.TemporaryDirectory() as scratch:
            bench = Bench(case, options, pathlib.Path(scratch))
            found, bars = bench.mismatches()
            wrong += found
            print(f"{case.name}: {bars} bars, {'; '.join(found) or 'same as everyone'}", file=sys.stderr)
            if not found and options.runs > 0:
                rows.append((case.name, bars, bench.measure()))
    return rows, wrong


def markdown(rows, options):
    """The table."""
    import image_peers
    import report

    peers = image_peers.PEERS
    versions = [f"{name} {peers[name].version()} ({peers[name].note})" for name in options.peer_names]
    header = [
        f"- Commit {report.commit()}; {report.machine()}; {options.threads} threads; medians of {options.runs} runs.",
        f"- Against {', '.join(versions)}, by their calls alone on doubles in memory.",
        "- Lacuna: the whole process, image file to CSV file; in the next column its computation alone. A factor is a",
        "  program's time over Lacuna's computation; in brackets its time and peak memory.",
    ]
    titles = ["image", "bars", "Lacuna", CALL, *options.peer_names]
    lines = [*header, "", "| " + " | ".join(titles) + " |", "|---" * len(titles) + "|"]
    for name, bars, measured in rows:
        (whole, peak), (call, _) = measured["lacuna"], measured[CALL]
        cells = [name, str(bars), f"{whole:.3g} s, {peak / 1e6:.0f} MB", f"{call:.3g} s"]
        for peer in options.peer_names:
            seconds, memory = measured[peer]
            cells.append(f"**{seconds / call:.3g}×** ({seconds:.3g} s, {memory / 1e6:.0f} MB)")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    options = parse_arguments()
    if not options.no_venv:
        enter_environment()
    import image_peers
    import report

    options.peer_names = known_peers(options.peers, image_peers.PEERS)
    options.lacuna = options.lacuna or built()
    rows, wrong = compare(options)
    if wrong:
        raise SystemExit("bars differ, nothing written:\n" + "\n".join(wrong))
    if rows:
        table = markdown(rows, options)
        print(table)
        if not options.dry_run:
            report.write(table, marks=MARKS)


if __name__ == "__main__":
    main()
