#!/usr/bin/env python3
"""Runs that are killed at random moments and go on: the answer, the work that is done twice, and what keeping the state costs.

    python3 benches/resume.py --lacuna BIN [--case rips] [--kills 50] [--every 1s] [--points 400] [--max-dim 2] [--seed 1] [--runs 3]
    python3 benches/resume.py --lacuna BIN --case reduce [--points 60] [--max-dim 2] [--algorithm auto] …
    python3 benches/resume.py --lacuna BIN --case ecc [--megabytes 2000] …

The input is a matrix of random distances, whose reduction is long; of `ecc` it is a volume of random voxels of 16 bits. Undisturbed runs with and
without `--checkpoint` take turns, and the overhead is that of the medians of their processor time. Then, `--kills` times: a run is killed at a random moment of its time,
and run again to its end. The output must be that of the undisturbed run byte for byte; the work is the time of both, as a part
of an undisturbed run that keeps its state.

Needs nothing but Python's standard library. Prints a row for benches/RESULTS.md; exits 1 when an output differs.
"""

import argparse
import pathlib
import random
import resource
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lacuna", type=pathlib.Path, required=True)
    parser.add_argument("--case", choices=["rips", "reduce", "ecc"], default="rips")
    parser.add_argument("--algorithm", default="auto")
    parser.add_argument("--megabytes", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--every", default="1s")
    parser.add_argument("--points", type=int, default=400)
    parser.add_argument("--max-dim", type=int, default=2)
    parser.add_argument("--threads", default="2")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=3)
    return parser.parse_args()


def write_input(path, points, generator):
    """Random distances below the diagonal, a row a point."""
    with path.open("w") as file:
        for row in range(1, points):
            file.write(",".join(f"{generator.random():.7f}" for _ in range(row)) + "\n")


def write_dipha(path, points, generator):
    """The same as DIPHA's distance matrix, which `reduce` takes the complex of."""
    distances = [[0.0] * points for _ in range(points)]
    for row in range(points):
        for column in range(row):
            distances[row][column] = distances[column][row] = generator.random()
    head = struct.pack("<3q", 8067171840, 7, points)
    path.write_bytes(head + b"".join(struct.pack(f"<{points}d", *row) for row in distances))


def write_volume(path, megabytes, generator):
    """Random voxels of 16 bits, planes of 1000 × 500."""
    with path.open("wb") as file:
        for _ in range(megabytes):
            file.write(generator.randbytes(1_000_000))


def subject(arguments, folder, generator):
    """Writes the input; what it is called, and the command on it."""
    points, dimension = arguments.points, ["--max-dim", str(arguments.max_dim)]
    if arguments.case == "rips":
        write_input(folder / "random.lower_distance_matrix", points, generator)
        return f"rips, {points} points, dimension {arguments.max_dim}", [*dimension, "random.lower_distance_matrix"]
    if arguments.case == "reduce":
        write_dipha(folder / "random.complex", points, generator)
        label = f"reduce, {points} points, dimension {arguments.max_dim}, {arguments.algorithm}"
        return label, [*dimension, "--algorithm", arguments.algorithm, "random.complex"]
    write_volume(folder / "random.raw", arguments.megabytes, generator)
    shape = f"{arguments.megabytes},1000,500"
    return f"ecc, {arguments.megabytes // 2} million voxels", ["--shape", shape, "--dtype", "u16", "random.raw"]


def children_seconds():
    """Processor time of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Run:
    """A command, and what its processes take."""

    def __init__(self, command, folder):
        self.command, self.folder = command, folder

    def start(self):
        return subprocess.Popen(self.command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def to_end(self):
        """Output, seconds of the clock, seconds of processors."""
        before, began = children_seconds(), time.monotonic()
        process = self.start()
        output, errors = process.communicate()
        if process.returncode != 0:
            sys.exit(f"{' '.join(map(str, self.command))}: exit code {process.returncode}: {errors.decode()}")
        return output, time.monotonic() - began, children_seconds() - before

    def killed(self, after):
        """Seconds of processors until the kill; none if the run ended before."""
        before = children_seconds()
        process = self.start()
        try:
            process.communicate(timeout=after)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        process.communicate()
        return children_seconds() - before if process.returncode == -signal.SIGKILL else None


def main():
    arguments = parse_arguments()
    generator = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        label, command = subject(arguments, folder, generator)
        plain = [arguments.lacuna.resolve(), arguments.case, *command, "--quiet"]
        plain += ["--threads", arguments.threads, "--backend", "cpu"]
        whole = Run(plain, folder)
        kept = Run([*plain, "--checkpoint", "kept", "--every", arguments.every], folder)
        expected = whole.to_end()[0]
        times = {whole: [], kept: []}
        for _ in range(arguments.runs):
            for run, taken in times.items():
                output, wall, work = run.to_end()
                taken.append((wall, work))
                if output != expected:
                    sys.exit("the output of a run that keeps its state differs")
        wall, work = (statistics.median(taken[k] for taken in times[kept]) for k in (0, 1))
        overhead = work / statistics.median(taken[1] for taken in times[whole]) - 1
        shares, differing = [], 0
        while len(shares) < arguments.kills:
            done = kept.killed(generator.uniform(0.02, 0.98) * wall)
            if done is None:
                continue
            output, _, rest = kept.to_end()
            differing += output != expected
            shares.append((done + rest) / work)
            print(f"  {len(shares)}: killed after {done:.2f} s of {work:.2f} s, {rest:.2f} s to the end", file=sys.stderr)
        row = [label, f"{work:.1f}", f"{100 * overhead:+.1f} %"]
        row += [str(len(shares)), str(differing), f"{statistics.mean(shares):.2f}", f"{max(shares):.2f}"]
        print("| random input | processor s | overhead | kills | other answers | work, mean | work, most |")
        print("|---|---|---|---|---|---|---|")
        print("| " + " | ".join(row) + " |")
        sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
