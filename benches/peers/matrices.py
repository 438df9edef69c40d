#!/usr/bin/env python3
"""Lacuna's boundary-matrix path against PHAT, lophat and oineus: the same pairs first, then the time.

    python3 benches/peers/matrices.py --phat PATH MATRICES [--runs 5] [--threads N] [--peers lophat,oineus]

MATRICES is a folder of boundary matrices as PHAT binary files, NAME.bin. PHAT is tried on each of them once with every
algorithm, representation, primal and dual; what was best is kept under target/peers/phat and measured again, in turn with
Lacuna, `--runs` times. Programs are timed as whole processes, binary matrix in, binary pairs out. Every run's pairs are compared,
byte for byte; a row with other pairs is void. The libraries are timed by their reduction alone, see matrix_peers.py.
Peak memory is that of the process.

A matrix has two rows. `auto`: Lacuna as it chooses, against the best PHAT there is. `primal`: `--dualize off`, against
PHAT's best without `--dualize`. Reductions are timed by what the programs say: Lacuna with `--stats`, without dualizing;
PHAT with `--verbose`. PHAT as it is published rounds that to a tenth of a second, too coarse for most matrices. Give it more digits:
in src/phat.cpp make each `setprecision( 1 )` a `setprecision( 4 )` and print the times themselves instead of the `..._rounded`
ones. Without that only whole processes are compared.

Writes a table to benches/RESULTS.md, and exits 1 when pairs differ.
"""

import argparse
import dataclasses
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

import phat
from run import HERE, ROOT, built, enter_environment, known_peers

CACHE = ROOT / "target" / "peers" / "phat"
MARKS = "<!-- matrices: begin -->", "<!-- matrices: end -->"

DUALIZING = "anti-transpose", "mirror"
"""The stages that dualizing adds to a reduction; PHAT does not count them either."""

LONGEST_STANDARD = 20
"""PHAT's standard algorithm is measured where it takes at most as many seconds."""


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("matrices", type=pathlib.Path, help="folder of PHAT binary matrices, NAME.bin")
    parser.add_argument("--phat", type=pathlib.Path, required=True, help="PHAT's program")
    parser.add_argument("--names", help="only these matrices, separated by commas, in this order")
    parser.add_argument("--columns", default=",".join(phat.COLUMNS), help="PHAT's representations to try (default: all)")
    parser.add_argument("--peers", default="lophat,oineus", help="default: %(default)s")
    parser.add_argument("--runs", type=int, default=5, help="runs of each program (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=2, help="default: %(default)s")
    parser.add_argument("--lacuna", type=pathlib.Path, help="a binary that is already built")
    parser.add_argument("--no-venv", action="store_true", help="use the packages of this Python")
    parser.add_argument("--dry-run", action="store_true", help="print the table, leave benches/RESULTS.md alone")
    return parser.parse_args()


@dataclasses.dataclass(frozen=True)
class Ran:
    """A finished process."""

    seconds: float
    """From start to exit."""
    reduction: float | None
    """As the program says."""
    peak: int
    """Bytes of resident memory."""


@dataclasses.dataclass(frozen=True)
class Measured:
    """Medians over the runs."""

    seconds: float
    reduction: float | None
    peak: float

    @staticmethod
    def of(runs):
        said = [run.reduction for run in runs]
        return Measured(
            statistics.median(run.seconds for run in runs),
            None if None in said else statistics.median(said),
            statistics.median(run.peak for run in runs),
        )


class Mismatch(Exception):
    """Other pairs than ours."""


class Bench:
    """The programs on one matrix."""

    def __init__(self, matrix, options, scratch):
        self.matrix, self.options, self.scratch = matrix, options, scratch
        self.expected = None
        self.trials = phat.trials(options.phat, matrix, options.threads, scratch, CACHE, options.columns.split(","))
        if not self.trials:
            raise SystemExit(f"{matrix}: PHAT found no pairs in time")

    def launch(self, command, environment=None):
        """Runs a command that must succeed: (seconds, peak, standard output)."""
        said, report = self.scratch / "said", self.scratch / "launched"
        launcher = [sys.executable, "-I", "-S", HERE / "launch.py", said, report]
        subprocess.run([str(word) for word in [*launcher, *command]], check=True, env=environment)
        seconds, peak, code = report.read_text().split()
        if int(code) != 0:
            raise SystemExit(f"exit code {code}: {' '.join(map(str, command))}")
        return float(seconds), int(peak), said.read_text()

    def check(self, pairs, who):
        """The first pairs are what all others are compared with."""
        found = phat.sha256(pairs)
        self.expected = self.expected or found
        if found != self.expected:
            raise Mismatch(f"{self.matrix.stem}: the pairs of {who} differ")

    def phat(self, options):
        pairs = self.scratch / "phat.pairs"
        command = phat.command(self.options.phat, options, self.matrix, pairs)
        seconds, peak, said = self.launch(command, phat.environment(self.options.threads))
        self.check(pairs, f"PHAT ({options})")
        return Ran(seconds, phat.reduction_seconds(said), peak)

    def lacuna(self, dualize):
        pairs, stats = self.scratch / "lacuna.pairs", self.scratch / "lacuna.json"
        command = [self.options.lacuna, "reduce", "--quiet", "--format", "phat-binary", "--output", "phat-binary"]
        command += ["--dualize", dualize, "--threads", self.options.threads, "-o", pairs, "--stats", stats]
        seconds, peak, _ = self.launch([*command, self.matrix])
        self.check(pairs, f"Lacuna (--dualize {dualize})")
        said = json.loads(stats.read_text())
        dualizing = sum(seconds for stage, seconds in said["figures"]["stages"] if stage in DUALIZING)
        return Ran(seconds, said["reduce_seconds"] - dualizing, peak)

    def programs(self):
        """{name: call}; PHAT's ways are by their options, so that none is run twice a round."""
        programs = {dualize: lambda dualize=dualize: self.lacuna(dualize) for dualize in ("auto", "off")}
        for options in {best.options for best in self.bests()}:
            programs[options] = lambda options=options: self.phat(options)
        return programs

    def bests(self):
        """PHAT's ways to be measured: the fastest by whole process and by reduction, of all and of the primal ones,
        and its standard algorithm."""
        primal = [trial for trial in self.trials if not trial.options.dualize]
        standard = [trial for trial in primal if trial.options.algorithm == "standard"]
        standard = [trial for trial in standard if trial.seconds <= LONGEST_STANDARD]
        for group in (self.trials, primal, standard):
            if group:
                yield min(group, key=lambda trial: trial.seconds)
                yield min(group, key=lambda trial: trial.reduction)

    def measure(self):
        """Medians over the runs, the programs taking turns in an order that changes, one round unmeasured; every run's pairs
        are compared. PHAT's spectral sequence races on several threads: a way that once gives other pairs is out, and
        the next best takes its place."""
        self.lacuna("auto")
        while True:
            programs = self.programs()
            runs = {name: [] for name in programs}
            order = random.Random(1)
            try:
                for round_ in range(self.options.runs + 1):
                    for name in order.sample(list(programs), len(programs)):
                        ran = programs[name]()
                        if round_ > 0:
                            runs[name].append(ran)
            except Mismatch as mismatch:
                if not isinstance(name, phat.Options):
                    raise
                print(f"{mismatch}: left out", file=sys.stderr)
                self.trials = [trial for trial in self.trials if trial.options != name]
                continue
            return {name: Measured.of(ran) for name, ran in runs.items()}

    def peer(self, name):
        """(way, median seconds, peak) of a library."""
        result, ran = self.scratch / "peer.json", []
        worker = [sys.executable, HERE / "matrix_peers.py", name, self.matrix, self.scratch / "phat.pairs", result]
        for _ in range(self.options.runs):
            _, peak, _ = self.launch([*worker, self.options.threads])
            said = json.loads(result.read_text())
            if said["wrong"]:
                raise Mismatch(f"{self.matrix.stem}: the pairs of {name} ({', '.join(said['wrong'])}) differ")
            ran.append((said["seconds"], said["way"], peak))
        seconds, way, peak = sorted(ran)[len(ran) // 2]
        return way, seconds, peak


def rows(matrix, measured, peers):
    """The two rows of a matrix."""
    ways = {way: took for way, took in measured.items() if isinstance(way, phat.Options)}
    standard = [took for way, took in ways.items() if way.algorithm == "standard" and not way.dualize]
    primal = {way: took for way, took in ways.items() if not way.dualize}
    yield _row(matrix, "auto", measured["auto"], ways, standard, peers)
    yield _row(matrix, "primal", measured["off"], primal, standard, {name: None for name in peers})


def _row(matrix, which, ours, ways, standard, peers):
    whole = min(ways, key=lambda way: ways[way].seconds)
    cells = [matrix, which, _seconds(ours.seconds), _against(ours.seconds, ways[whole].seconds, whole)]
    # PHAT's times have so many digits; what is zero with all of them is not to be divided.
    timed = {way: took for way, took in ways.items() if took.reduction}
    if timed and ours.reduction:
        best = min(timed, key=lambda way: timed[way].reduction)
        cells += [_seconds(ours.reduction), _against(ours.reduction, timed[best].reduction, best)]
        slow = min((took.reduction for took in standard if took.reduction), default=None)
        cells.append("–" if slow is None else _against(ours.reduction, slow))
    else:
        cells += ["–", "–", "–"]
    for peer in peers.values():
        cells.append("–" if peer is None else _against(ours.reduction, peer[1], peer[0]))
    share = ours.peak / ways[whole].peak
    return [*cells, f"{ours.peak / 1e6:.0f} MB, **{share:.0%}** of {ways[whole].peak / 1e6:.0f} MB"]


def _seconds(seconds):
    return f"{seconds:.3g} s"


def _against(ours, theirs, how=None):
    return f"**{theirs / ours:.3g}×** ({_seconds(theirs)}{f'; {how}' if how else ''})"


def table(body, options):
    import matrix_peers
    import report

    versions = "".join(f", {peer} {matrix_peers.version(peer)}" for peer in options.peer_names)
    lines = [
        f"- Commit {report.commit()}; {report.machine()}; {options.threads} threads; medians of {options.runs} runs.",
        f"- Against PHAT{versions}. A factor is the program's time over Lacuna's; in brackets its time and how it was run.",
        "- “Whole”: from file to file. “Reduction”: without reading, dualizing and writing. Memory: Lacuna's peak, and as a",
        "  share of PHAT's.",
        "",
    ]
    titles = ["matrix", "row", "Lacuna, whole", "PHAT's best, whole", "Lacuna, reduction", "PHAT's best, reduction"]
    titles += ["PHAT's `standard`, reduction", *options.peer_names, "peak memory"]
    lines += ["| " + " | ".join(titles) + " |", "|---" * len(titles) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in body]) + "\n"


def selected(options):
    if options.names:
        files = [options.matrices / f"{name}.bin" for name in options.names.split(",")]
    else:
        files = sorted(options.matrices.glob("*.bin"), key=lambda file: file.stat().st_size)
    missing = [str(file) for file in files if not file.is_file()]
    if missing or not files:
        raise SystemExit(f"no such file: {', '.join(missing) or options.matrices / '*.bin'}")
    return files


def compare(options):
    """Every matrix: the rows of the table, and what did not match."""
    body, wrong = [], []
    for matrix in selected(options):
        with tempfile.TemporaryDirectory() as scratch:
            try:
                bench = Bench(matrix, options, pathlib.Path(scratch))
                measured = bench.measure()
                peers = {name: bench.peer(name) for name in options.peer_names}
            except Mismatch as mismatch:
                print(mismatch, file=sys.stderr)
                wrong.append(str(mismatch))
                continue
            body += rows(matrix.stem, measured, peers)
            print(f"{matrix.stem}: the same pairs from all", file=sys.stderr)
    return body, wrong


def main():
    options = parse_arguments()
    if not options.no_venv:
        enter_environment()
    import matrix_peers
    import report

    options.peer_names = known_peers(options.peers, matrix_peers.PEERS)
    options.lacuna = options.lacuna or built()
    body, wrong = compare(options)
    text = table(body, options)
    print(text)
    if wrong:
        raise SystemExit("pairs differ, nothing written:\n" + "\n".join(wrong))
    if not options.dry_run:
        report.write(text, marks=MARKS)


if __name__ == "__main__":
    main()
