#!/usr/bin/env python3
"""Lacuna's Vietoris–Rips path against Ripser++ on a machine with a GPU: the same barcode first, then time and memory.

    python3 benches/gpu.py --lacuna BIN --ripserpp BIN --data DIR [--runs 3] [--profiling BIN] [--table1 FILE]

Ripser++ must have been built to print its pairs. For each of the data sets of its paper, Lacuna with `--backend auto`, `cpu` and
`cuda` and Ripser++ take turns, one round unmeasured, then `--runs` rounds: whole processes, from start to exit, file to
text. Every run's bars are compared. Lacuna's texts must be equal, byte for byte; Ripser++'s bars, of six digits, must be matched
one to one (`lacuna compare`), if need be without those no longer than that precision, which is said. A row whose bars or
counts differ is void.

Peak host memory is that of the process. Peak device memory is what the device has in use above what it had before, the
CUDA context included, sampled in the unmeasured round only. Times of stages are what the programs say of themselves: Lacuna with
`--stats`, Ripser++ in a run of its own of `--profiling`, a binary that prints them. `--table1` is a file with the counts of
the paper's Table 1, a line a data set: name, n, d, apparent, shortcut, emergent, all, separated by tabs.

Needs nothing but Python's standard library. Prints tables for benches/RESULTS.md; exits 1 when a row is void or a program failed.
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
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "peers"))

import cases  # noqa: E402
import device  # noqa: E402
import gpu_report  # noqa: E402
import report  # noqa: E402
import ripserpp  # noqa: E402

NAMES = "celegans d3", "dragon1000 d2", "HIV d2", "o3_4096 t1.4 d3", "vicsek300 d3", "sphere_3_192 d3"
"""The data sets of Ripser++'s paper."""

SIX_DIGITS = 1.01e-5
"""How much two texts of six digits may differ, relative to the greatest value: one in the last of its digits."""

COUNTS = "simplices", "cleared", "apparent", "shortcut", "emergent", "pairs", "essential", "residue"
"""What no machine may change."""


def program(text):
    """An absolute path: a bare name would be looked for on PATH."""
    path = pathlib.Path(text).resolve()
    if not os.access(path, os.X_OK):
        raise argparse.ArgumentTypeError(f"{path}: expected a program")
    return path


def parse_arguments(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lacuna", type=program, required=True)
    parser.add_argument("--ripserpp", type=program, help="without it: Lacuna's backends alone")
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder of the data sets")
    parser.add_argument("--profiling", type=program, help="a Ripser++ that also prints times of stages")
    parser.add_argument("--table1", type=pathlib.Path, help="the paper's counts, to compare whole filtrations with")
    parser.add_argument("--cases", default="", help="only cases whose name contains one of these, separated by commas")
    parser.add_argument("--runs", type=int, default=3, help="measured rounds (default: %(default)s)")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for a process (default: %(default)s)")
    parser.add_argument("--budget", type=float, default=460, help="seconds after which no round begins (default: %(default)s)")
    parser.add_argument("--device", type=int, default=0, help="whose memory is watched (default: %(default)s)")
    parser.add_argument("--commit", help="what to call the commit (default: what git says)")
    parser.add_argument("--results", type=pathlib.Path, help="a file whose part between the markers is replaced")
    parser.add_argument("--json", type=pathlib.Path, help="write every run's figures to FILE")
    return parser.parse_args(arguments)


class Failed(Exception):
    """A process that did not do what it should."""


class Mismatch(Exception):
    """Another answer."""


@dataclasses.dataclass(frozen=True)
class Ran:
    """A finished process."""

    seconds: float
    """From start to exit."""
    peak: int
    """Bytes of resident memory."""
    stdout: str
    stderr: str


def run(command, scratch, timeout):
    """Runs a command that must succeed.

    Raises Failed."""
    out, err, said = scratch / "stdout", scratch / "stderr", scratch / "launched"
    said.unlink(missing_ok=True)
    words = [sys.executable, "-I", "-S", HERE / "peers" / "launch.py", out, said, *command]
    environment = {**os.environ, "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
    with open(err, "wb") as stderr:
        process = subprocess.Popen(
            [str(word) for word in words], stderr=stderr, start_new_session=True, env=environment
        )
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired as error:
            raise Failed(f"no end after {timeout:g} s") from error
        finally:
            _end(process)
    stdout, stderr = (path.read_text(errors="replace") if path.exists() else "" for path in (out, err))
    if process.returncode != 0 or not said.exists():
        raise Failed(_last_line(stderr) or "could not be started")
    seconds, peak, code = said.read_text().split()
    if int(code) != 0:
        why = ripserpp.complaint(stdout, "") or _last_line(stderr)
        raise Failed(f"exit code {code}{f': {why}' if why else ''}")
    return Ran(float(seconds), int(peak), stdout, stderr)


def _end(process):
    """Ends the launcher and what it has launched, if they still run."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _last_line(text):
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else ""


class Bench:
    """The programs on one case."""

    def __init__(self, case, options, scratch, gpu=None):
        self.case, self.options, self.scratch, self.gpu = case, options, scratch, gpu
        self.text, self.counts, self.barcode = None, None, {}
        self.runs, self.device, self.failed, self.notes = {}, {}, {}, []
        self.profile, self.void = {}, None
        self.programs = {backend: lambda backend=backend: self.lacuna(backend) for backend in ("cpu", "cuda", "auto")}
        if options.ripserpp:
            self.programs["Ripser++"] = lambda: self.ripserpp(options.ripserpp)

    def run(self, command):
        return run(command, self.scratch, self.options.timeout)

    def lacuna(self, backend):
        """One run; the first one's text and counts are what all others are compared with."""
        text, stats = self.scratch / "lacuna.txt", self.scratch / "lacuna.json"
        command = [self.options.lacuna, "rips", *self.case.arguments(), "--backend", backend, "--quiet"]
        ran = self.run([*command, "--output", "text", "-o", text, "--stats", stats])
        text, stats = text.read_text(), json.loads(stats.read_text())
        if self.text is None:
            self.text, self.counts, self.barcode = text, counts(stats), ripserpp.bars(text)
        if text != self.text:
            raise Mismatch(f"the bars of `{backend}` differ")
        if found := difference(self.counts, counts(stats)):
            raise Mismatch(f"the counts of `{backend}` differ: {found}")
        return {"seconds": ran.seconds, "peak": ran.peak, "stats": stats}

    def ripserpp(self, binary):
        ran = self.run(ripserpp.command(binary, self.case))
        if why := ripserpp.complaint(ran.stdout, ran.stderr):
            raise Failed(why)
        self.compare(ran.stdout)
        return {"seconds": ran.seconds, "peak": ran.peak, "stderr": ran.stderr}

    def compare(self, text):
        """Whether the bars of a text are ours.

        Raises Mismatch."""
        try:
            theirs = ripserpp.bars(text)
        except ripserpp.NoBarcode as error:
            raise Mismatch(f"Ripser++'s text: {error}") from error
        tolerance = SIX_DIGITS * ripserpp.greatest(self.barcode)
        for length in (-math.inf, tolerance, 3 * tolerance):
            different, dropped = self.difference(theirs, length, tolerance)
            if not different:
                break
        else:
            raise Mismatch(f"the bars of Ripser++ differ: {different}")
        note = f"bars no longer than {length:.2g} not compared: {dropped[0]} of Lacuna's, {dropped[1]} of Ripser++'s"
        if any(dropped) and note not in self.notes:
            self.notes.append(note)

    def difference(self, theirs, length, tolerance):
        """What `lacuna compare` says of the bars longer than `length`, None when they are the same; how many are not longer."""
        files, dropped = (self.scratch / "ours.txt", self.scratch / "theirs.txt"), []
        for file, barcode in zip(files, (self.barcode, theirs)):
            text, short = ripserpp.without_short(barcode, length)
            file.write_text(text)
            dropped.append(short)
        formats = ["--format-a", "ripser", "--format-b", "ripser"]
        command = [self.options.lacuna, "compare", "--quiet", "--show", "2", "--tolerance", repr(tolerance), *formats]
        said = subprocess.run([*command, *files], capture_output=True, text=True, timeout=self.options.timeout)
        if said.returncode == 0:
            return None, dropped
        lines = (said.stdout or said.stderr).strip().replace(f"{self.scratch}/", "").splitlines()
        return "; ".join(lines) or f"exit code {said.returncode}", dropped

    def round(self, measured):
        """Every program once. One that fails is not tried again."""
        for name, program in list(self.programs.items()):
            try:
                if measured:
                    self.runs.setdefault(name, []).append(program())
                else:
                    self.watched(name, program)
            except Failed as error:
                self.failed[name] = str(error)
                del self.programs[name]
                self.runs.pop(name, None)

    def watched(self, name, program):
        """A run under watch of the device's memory."""
        if self.gpu is None:
            program()
            return
        device.settle(self.gpu)
        with device.Peak(self.gpu) as peak:
            program()
        self.device[name] = peak.bytes

    def profiled(self):
        """What Ripser++ says of its stages."""
        try:
            self.profile = ripserpp.profile(self.ripserpp(self.options.profiling)["stderr"])
        except Failed as error:
            self.failed["profiled Ripser++"] = str(error)
            return
        for dimension in self.counts:
            theirs = self.profile.get(dimension["dim"], {}).get("apparent")
            if theirs not in (None, dimension["apparent"]):
                self.notes.append(f"dimension {dimension['dim']}: Ripser++ counts {theirs} apparent pairs, Lacuna {dimension['apparent']}")

    def whole_filtration(self, expected):
        """Counts without a threshold (where the case has none), `cuda` against `cpu` and against Table 1."""
        bound = ["--threshold", "inf"] if self.case.threshold == math.inf else []
        found = {}
        for backend in ("cpu", "cuda"):
            stats = self.scratch / "lacuna.json"
            command = [self.options.lacuna, "rips", *bound, *self.case.arguments(), "--backend", backend, "--quiet"]
            try:
                self.run([*command, "-o", self.scratch / "lacuna.txt", "--stats", stats])
            except Failed as error:
                self.failed[f"{backend}, whole filtration"] = str(error)
                return
            found[backend] = counts(json.loads(stats.read_text()))
        if different := difference(found["cpu"], found["cuda"]):
            raise Mismatch(f"the counts of `cuda` on the whole filtration differ: {different}")
        against = table1_difference(found["cuda"], expected) if expected else "not in it"
        self.notes.append(f"whole filtration, `cuda` counts as `cpu`; Table 1: {against or 'equal'}")

    def work(self, deadline, expected):
        """All of it, as far as time allows."""
        try:
            self.round(measured=False)
            if "cpu" in self.failed:
                raise Mismatch("no answer to compare with")
            if self.options.profiling and self.options.ripserpp:
                self.profiled()
            if self.options.table1:
                self.whole_filtration(expected)
            for _ in range(self.options.runs):
                if time.monotonic() < deadline:
                    self.round(measured=True)
        except Mismatch as mismatch:
            self.void = str(mismatch)
        if not self.void and not self.runs:
            self.void = "no time left to measure it"
        short = {len(runs) for runs in self.runs.values()} - {self.options.runs}
        if short and not self.void:
            self.notes.append(f"time for {min(short)} of {self.options.runs} runs only")

    def result(self):
        """What gpu_report reads."""
        for run_ in (run_ for runs in self.runs.values() for run_ in runs):
            run_.pop("stderr", None)
        kept = "runs", "device", "failed", "notes", "profile", "void"
        bars = sum(map(len, self.barcode.values()))
        return {"case": self.case.name, "bars": bars, **{key: getattr(self, key) for key in kept}}


def counts(stats):
    """The counts of every dimension."""
    return [{key: dimension[key] for key in ("dim", *COUNTS)} for dimension in stats["dimensions"]]


def difference(ours, theirs):
    """The first count that differs, or None."""
    if len(ours) != len(theirs):
        return f"{len(ours)} dimensions, {len(theirs)}"
    for one, other in zip(ours, theirs):
        for key in COUNTS:
            if one[key] != other[key]:
                return f"dimension {one['dim']}, {key}: {one[key]}, {other[key]}"
    return None


def read_table1(path):
    """{name in lower case: {count: value}}."""
    table = {}
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, _, *values = line.split("\t")[:7]
            table[name.split()[0].lower()] = dict(zip(("apparent", "shortcut", "emergent", "all"), map(int, values)))
    return table


def table1_difference(dimensions, expected):
    """Sums over the dimensions against the table's."""
    sums = {key: sum(dimension[key] for dimension in dimensions) for key in ("apparent", "shortcut", "emergent")}
    sums["all"] = sum(dimension["pairs"] + dimension["essential"] for dimension in dimensions)
    return ", ".join(f"{key} {sums[key]}, there {expected[key]}" for key in sums if sums[key] != expected[key])


def selected(options):
    wanted = options.cases.split(",")
    known = {case.name: case for case in cases.real(options.data)}
    chosen = [known[name] for name in NAMES if any(part in name for part in wanted)]
    missing = [str(case.file) for case in chosen if not case.file.is_file()]
    if missing or not chosen:
        raise SystemExit(f"no such file: {', '.join(missing)}" if missing else "no case has such a name")
    return chosen


def commit():
    """What git says, where there is a repository."""
    try:
        return report.commit()
    except (OSError, subprocess.CalledProcessError):
        return "not known"


def header(options, gpu):
    of = gpu.description() if gpu else "a GPU whose memory cannot be watched"
    return [
        f"- Commit {options.commit or commit()}; {of}; {report.machine()}; medians of {options.runs} runs.",
        "- A factor is Ripser++'s time over Lacuna's, whole processes; in brackets Lacuna's time.",
        "- Device memory as seen from outside, the CUDA context included.",
    ]


def compare(options, gpu):
    """Every case's result."""
    deadline = time.monotonic() + options.budget
    table1 = read_table1(options.table1) if options.table1 else {}
    results = []
    for case in selected(options):
        with tempfile.TemporaryDirectory() as scratch:
            bench = Bench(case, options, pathlib.Path(scratch), gpu)
            bench.work(deadline, table1.get(case.name.split()[0].lower()))
        results.append(bench.result())
        print(f"{case.name}: {progress(bench)}", file=sys.stderr, flush=True)
    return results


def progress(bench):
    """A line for those who wait."""
    state = f"void: {bench.void}" if bench.void else "same bars"
    took = (f"{name} {statistics.median(run['seconds'] for run in runs):.3f} s" for name, runs in bench.runs.items())
    failed = (f"{name} failed: {why}" for name, why in bench.failed.items())
    return "; ".join([state, *took, *failed, *bench.notes])


def main():
    options = parse_arguments()
    try:
        gpu = device.find(options.device)
    except device.NoDevice as error:
        print(f"device memory is not watched: {error}", file=sys.stderr)
        gpu = None
    results = compare(options, gpu)
    text = gpu_report.tables(results, header(options, gpu))
    begin, end = gpu_report.MARKS
    print(f"{begin}\n{text}{end}")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    wrong = [result["case"] for result in results if result["void"] or result["failed"]]
    if options.results and not any(result["void"] for result in results):
        report.write(text, options.results, gpu_report.MARKS)
    if wrong:
        raise SystemExit(f"not all is well: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
