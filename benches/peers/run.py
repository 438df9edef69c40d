#!/usr/bin/env python3
"""Lacuna against other programs: the same barcode first, then the time.

    python3 benches/peers/run.py [--data DIR | --shapes] [--runs 3] [--threads N] [--peers giotto-ph,gudhi] [--limit 60] [--ripser PATH]

Makes a virtual environment under target/ and installs the peers there (requirements.txt), builds Lacuna, compares the
barcodes of every case, then runs the programs in turn and writes medians and ratios to benches/RESULTS.md. Lacuna and
Ripser are timed as whole processes, from start to exit, reading the file and writing the answer; the peers by their
call alone, on an array that is already in memory. Peak memory is that of the process, Python's own included. Exits 1
when a barcode differs: a timing without the right answer is none.
"""

import argparse
import dataclasses
import json
import math
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import venv

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ENVIRONMENT = ROOT / "target" / "peers" / "venv"


def enter_environment():
    """Goes on in the virtual environment, which it makes when there is none or the requirements have changed."""
    if pathlib.Path(sys.prefix) == ENVIRONMENT:
        return
    python = ENVIRONMENT / "bin" / "python"
    wanted, installed = HERE / "requirements.txt", ENVIRONMENT / "requirements.txt"
    if not installed.exists() or installed.read_text() != wanted.read_text():
        print(f"installing the peers in {ENVIRONMENT}", file=sys.stderr)
        venv.create(ENVIRONMENT, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--requirement", wanted], check=True)
        installed.write_text(wanted.read_text())
    os.execv(python, [str(python), *sys.argv])


def comparing(description):
    """The options of a comparison that times programs after it, in the virtual environment of the peers."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3, help="runs of each program; 0: only compare (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="default: all cores")
    parser.add_argument("--lacuna", type=pathlib.Path, help="a binary that is already built")
    parser.add_argument("--no-venv", action="store_true", help="use the packages of this Python")
    parser.add_argument("--quick", action="store_true", help="compare only, on a few small images")
    options = parser.parse_args()
    if not options.no_venv:
        enter_environment()
    return options


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    inputs = parser.add_mutually_exclusive_group()
    inputs.add_argument("--data", type=pathlib.Path, help="folder with the real data sets; default: our own examples")
    inputs.add_argument("--shapes", action="store_true", help="the shapes of benches/growth.py")
    parser.add_argument("--limit", type=float, default=math.inf, help="seconds after which a peer is ended (default: none)")
    parser.add_argument("--cases", help="only cases whose name contains one of these, separated by commas")
    parser.add_argument("--peers", default="giotto-ph,ripser.py,gudhi", help="default: %(default)s")
    parser.add_argument("--ripser", type=pathlib.Path, help="a Ripser binary: its text must be ours, byte for byte")
    parser.add_argument("--runs", type=int, default=3, help="runs of each program (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="default: all cores")
    parser.add_argument("--lacuna", type=pathlib.Path, help="a binary that is already built")
    parser.add_argument("--no-venv", action="store_true", help="use the packages of this Python")
    parser.add_argument("--dry-run", action="store_true", help="print the table, leave benches/RESULTS.md alone")
    return parser.parse_args()


@dataclasses.dataclass(frozen=True)
class Ran:
    """A finished process."""

    seconds: float
    """From start to exit."""
    peak: int
    """Bytes of resident memory."""


class Failed(SystemExit):
    """A program has ended with an error, or was ended by the limit of time."""


def run(command, scratch, stdout=os.devnull, limit=math.inf):
    """Runs a command that must succeed within the limit."""
    command, report = [str(word) for word in command], scratch / "launched"
    launched = [sys.executable, "-I", "-S", HERE / "launch.py", stdout, report, *command]
    # In a group of its own, so that the limit ends the command with its launcher.
    with subprocess.Popen(launched, start_new_session=True) as process:
        try:
            process.wait(None if math.isinf(limit) else limit)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise Failed(f"more than {limit:g} s: {' '.join(command)}") from None
            raise
    if process.returncode:
        raise Failed(f"cannot be run: {' '.join(command)}")
    seconds, peak, code = report.read_text().split()
    if int(code) != 0:
        raise Failed(f"exit code {code}: {' '.join(command)}")
    return Ran(float(seconds), int(peak))


class Bench:
    """The programs on one case."""

    def __init__(self, case, options, scratch):
        self.case, self.options, self.scratch = case, options, scratch
        self.request = scratch / "request.npz"
        self.programs = {"lacuna": self.lacuna}
        if options.ripser:
            self.programs["ripser"] = self.ripser
        for name in options.peer_names:
            self.programs[name] = lambda name=name: self.peer(name)

    def lacuna(self, output="text"):
        command = [self.options.lacuna, "rips", *self.case.arguments(), "--threads", self.options.threads]
        options = ["--quiet", "--output", output, "-o", self.scratch / f"lacuna.{output}"]
        return run([*command, *options], self.scratch)

    def ripser(self):
        return run([self.options.ripser, *self.case.arguments()], self.scratch, self.scratch / "ripser.text")

    def peer(self, name):
        import numpy as np

        result = self.scratch / f"{name}.npz"
        ran = run([sys.executable, HERE / "worker.py", name, self.request, result], self.scratch, limit=self.options.limit)
        return Ran(float(np.load(result)["seconds"]), ran.peak)

    def write_request(self):
        import numpy as np

        np.savez(
            self.request,
            array=self.case.array(),
            is_points=self.case.is_points(),
            dim=self.case.dim,
            threshold=self.case.threshold,
            threads=self.options.threads,
        )

    def our_bars(self):
        """Lacuna's bars, a k × 2 array a dimension."""
        import numpy as np

        self.lacuna("json")
        answer = json.loads((self.scratch / "lacuna.json").read_text())
        bars = [[] for _ in range(self.case.dim + 1)]
        for bar in answer["bars"]:
            bars[bar["dim"]].append((bar["birth"], math.inf if bar["death"] is None else bar["death"]))
        return [np.array(b, dtype=float).reshape(-1, 2) for b in bars]

    def their_bars(self, name):
        import numpy as np

        result = np.load(self.scratch / f"{name}.npz")
        return [result[f"dim{k}"] for k in range(self.case.dim + 1) if f"dim{k}" in result]

    def attempt(self, name):
        """Runs a program, or leaves it out from now on if it is a peer that fails or takes longer than the limit: then None."""
        try:
            return self.programs[name]()
        except Failed as error:
            if name not in self.options.peer_names:
                raise
            print(f"{self.case.name}, {name}: {error}", file=sys.stderr)
            del self.programs[name]
            return None

    def mismatches(self):
        """Runs every program once; what their answers say against ours. Also the number of our bars."""
        import verify

        self.write_request()
        ours = self.our_bars()
        found = []
        for name in self.options.peer_names:
            if self.attempt(name):
                different = verify.difference(ours, self.their_bars(name), self.case.dim + 1)
                found += [f"{self.case.name}, {name}: {different}"] if different else []
        if self.options.ripser:
            self.lacuna()
            self.ripser()
            texts = [(self.scratch / f"{name}.text").read_bytes() for name in ("lacuna", "ripser")]
            found += [f"{self.case.name}, ripser: the text differs"] if texts[0] != texts[1] else []
        return found, sum(map(len, ours))

    def measure(self):
        """Medians over the runs, the programs taking turns: {program: (seconds, peak)}."""
        runs = {name: [] for name in self.programs}
        for _ in range(self.options.runs):
            for name in list(self.programs):
                runs[name].append(self.attempt(name))
        return {
            name: (statistics.median(r.seconds for r in ran), statistics.median(r.peak for r in ran))
            for name, ran in runs.items()
            if name in self.programs
        }


def header(options):
    """What was measured, where and how."""
    import peers
    import report

    versions = [f"{name} {peers.PEERS[name].version()} ({peers.PEERS[name].note})" for name in options.peer_names]
    versions += ["Ripser (whole process, one thread)"] if options.ripser else []
    limit = "" if math.isinf(options.limit) else f", or not done within {options.limit:g} s, the start of Python included"
    return [
        f"- Commit {report.commit()}; {report.machine()}; {options.threads} threads; medians of {options.runs} runs.",
        f"- Against {', '.join(versions)}.",
        f"- A factor is the program's time over Lacuna's; in brackets its time and peak memory. A dash: it failed{limit}.",
    ]


def selected(options):
    import cases

    every = cases.shapes() if options.shapes else cases.real(options.data) if options.data else cases.own()
    wanted = options.cases.split(",") if options.cases else [""]
    chosen = [case for case in every if any(part in case.name for part in wanted)]
    missing = [str(case.file) for case in chosen if not case.file.exists()]
    if missing or not chosen:
        raise SystemExit(f"no such file: {', '.join(missing)}" if missing else "no case has such a name")
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
            if not found:
                rows.append((case.name, bars, bench.measure()))
    return rows, wrong


def known_peers(names, known):
    """The peers of a list with commas between, each of them known."""
    names = [name for name in names.split(",") if name]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SystemExit(f"unknown peer {unknown[0]}: expected some of {', '.join(known)}")
    return names


def built():
    """Lacuna, built from this checkout."""
    subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=ROOT, check=True)
    return ROOT / "target" / "release" / "lacuna"


def main():
    options = parse_arguments()
    if not options.no_venv:
        enter_environment()
    import peers
    import report

    options.peer_names = known_peers(options.peers, peers.PEERS)
    options.lacuna = options.lacuna or built()
    rows, wrong = compare(options)
    names = (["ripser"] if options.ripser else []) + options.peer_names
    table = report.markdown(rows, names, header(options))
    print(table)
    if wrong:
        raise SystemExit("barcodes differ, nothing written:\n" + "\n".join(wrong))
    if not options.dry_run:
        report.write(table)


if __name__ == "__main__":
    main()
