#!/usr/bin/env python3
"""Runs that are killed at random moments and go on: the answer, the work that is done twice, and what keeping the state costs.

    python3 benches/resume.py --lacuna BIN [--case rips] [--kills 50] [--every 1s] [--points 400] [--max-dim 2] [--seed 1] [--runs 3]
    python3 benches/resume.py --lacuna BIN --case reduce [--points 60] [--max-dim 2] [--algorithm auto] [--dualize auto] …
    python3 benches/resume.py --lacuna BIN --case ecc [--megabytes 2000] [--type u16|u32] …
    python3 benches/resume.py … [--side-by-side 16 --threads 1] [--backend cuda] [--directory DIR]

The input is a matrix of random distances, whose reduction is long; of `ecc` it is a volume of random voxels: of 16 bits, or of
32 bits with a million values. Undisturbed runs with and without `--checkpoint` take turns, and the overhead is that of the medians of their processor
time. Then, `--kills` times: a run is killed at a random moment of its processor time, and run again to its end. The output must be that of the first undisturbed
run byte for byte; the work is the time of both, as a part of an undisturbed run that keeps its state. A machine may become slower meanwhile, so
undisturbed runs are made before and after, and their median counts. With --side-by-side so many of all these are done at a time.

Needs Linux, and nothing but Python's standard library. Prints a row for benches/RESULTS.md; exits 1 when an output differs.
"""

import argparse
import concurrent.futures
import filecmp
import os
import pathlib
import random
import shutil
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
    parser.add_argument("--dualize", default="auto")
    parser.add_argument("--megabytes", type=int, default=2000)
    parser.add_argument("--type", choices=["u16", "u32"], default="u16")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--every", default="1s")
    parser.add_argument("--points", type=int, default=400)
    parser.add_argument("--max-dim", type=int, default=2)
    parser.add_argument("--threads", default="2")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--side-by-side", type=int, default=1)
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--directory", help="where the input and what is kept lie")
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


def write_volume(path, megabytes, is_wide, generator):
    """Voxels that look random, planes of a megabyte: 256 megabytes again and again, each time from another place on. Those of 32 bits have 20 of them."""
    tile = bytearray(generator.randbytes(256_000_000))
    if is_wide:
        tile[2::4] = tile[2::4].translate(bytes(byte & 15 for byte in range(256)))
        tile[3::4] = bytes(len(tile) // 4)
    with path.open("wb") as file:
        for _ in range(megabytes // 64):
            start = 4 * generator.randrange(1, 48_000_000)
            file.write(tile[start : start + 64_000_000])
        file.write(tile[: megabytes % 64 * 1_000_000])


def subject(arguments, folder, generator):
    """Writes the input; what it is called, and the command on it."""
    points, dimension = arguments.points, ["--max-dim", str(arguments.max_dim)]
    if arguments.case == "rips":
        write_input(folder / "random.lower_distance_matrix", points, generator)
        return f"rips, {points} points, dimension {arguments.max_dim}", [*dimension, "random.lower_distance_matrix"]
    if arguments.case == "reduce":
        write_dipha(folder / "random.complex", points, generator)
        label = f"reduce, {points} points, dimension {arguments.max_dim}, {arguments.algorithm}"
        if arguments.dualize != "auto":
            label += f", --dualize {arguments.dualize}"
        return label, [*dimension, "--algorithm", arguments.algorithm, "--dualize", arguments.dualize, "random.complex"]
    size = int(arguments.type[1:]) // 8
    write_volume(folder / "random.raw", arguments.megabytes, size == 4, generator)
    shape = f"{arguments.megabytes},1000,{1000 // size}"
    label = f"ecc, {arguments.megabytes // size} million voxels of {8 * size} bits"
    return label, ["--shape", shape, "--dtype", arguments.type, "random.raw"]


class Run:
    """A command, and what its processes take."""

    def __init__(self, command, folder):
        self.command, self.folder = command, folder

    def ended(self, output, kill_after=None):
        """Exit code, seconds of processors; killed after so many of these if it lasts that long."""
        with (self.folder / output).open("wb") as stdout, tempfile.TemporaryFile() as stderr:
            process = subprocess.Popen(self.command, cwd=self.folder, stdout=stdout, stderr=stderr)
            if kill_after is not None:
                self.kill_after(process, kill_after)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode not in (0, -signal.SIGKILL):
                stderr.seek(0)
                raise SystemExit(f"{self.command}: exit code {process.returncode}: {stderr.read().decode()}")
        return process.returncode, used.ru_utime + used.ru_stime

    @staticmethod
    def kill_after(process, seconds):
        """Kills a process when it has had so many seconds of processors; gives up when it has ended, which nobody has waited for yet."""
        ticks = os.sysconf("SC_CLK_TCK")
        stat = pathlib.Path(f"/proc/{process.pid}/stat")
        while True:
            # The name, which is the second field, may have spaces.
            state, *fields = stat.read_text().rpartition(")")[2].split()
            if state == "Z":
                return
            if (int(fields[10]) + int(fields[11])) / ticks >= seconds:
                os.kill(process.pid, signal.SIGKILL)
                return
            time.sleep(0.01)

    def to_end(self, output):
        """Seconds of processors."""
        code, work = self.ended(output)
        if code != 0:
            raise SystemExit(f"{self.command}: killed by somebody else")
        return work


def main():
    arguments = parse_arguments()
    generator = random.Random(arguments.seed)
    with (
        tempfile.TemporaryDirectory(dir=arguments.directory) as folder,
        concurrent.futures.ThreadPoolExecutor(arguments.side_by_side) as pool,
    ):
        folder = pathlib.Path(folder)
        label, command = subject(arguments, folder, generator)
        *options, name = command
        plain = [arguments.lacuna.resolve(), arguments.case, *options, folder / name, "--quiet"]
        plain += ["--threads", arguments.threads, "--backend", arguments.backend]
        keeping = [*plain, "--checkpoint", "kept", "--every", arguments.every]

        def place(number):
            """A folder for a run and what it keeps."""
            path = folder / f"run-{number}"
            path.mkdir(exist_ok=True)
            return path

        def same(path):
            return filecmp.cmp(folder / "expected", path / "output", shallow=False)

        def undisturbed(number):
            """What a run takes that keeps its state, or one that does not."""
            return Run(keeping if number % 2 else plain, place(number)).to_end("output")

        numbers = range(2 * max(arguments.runs, arguments.side_by_side // 2))

        def all_undisturbed(taken_before):
            """What all undisturbed runs have taken by now, how long one takes that keeps its state, and the overhead of that."""
            taken = taken_before + list(pool.map(undisturbed, numbers))
            if not taken_before:
                shutil.copy(place(0) / "output", folder / "expected")
            if not all(same(place(number)) for number in numbers):
                raise SystemExit("the output of an undisturbed run differs")
            work = statistics.median(taken[1::2])
            overhead = work / statistics.median(taken[::2]) - 1
            told = f"undisturbed: {work:.2f} s, {100 * overhead:+.1f} % for what is kept"
            print(told, file=sys.stderr, flush=True)
            return taken, work, overhead

        taken, expected_work, _ = all_undisturbed([])

        def killed(number):
            """The work of a run that is killed and goes on, in seconds; and whether its output is the same."""
            run = Run(keeping, place(number))
            moments = random.Random(arguments.seed * 1000 + number)
            code = 0
            # A run that was quicker than the moment is begun again.
            while code == 0:
                code, done = run.ended("output", moments.uniform(0.02, 0.98) * expected_work)
            rest, is_same = run.to_end("output"), same(run.folder)
            answer = "the same answer" if is_same else "ANOTHER ANSWER"
            told = f"  {number}: killed after {done:.2f} s of {expected_work:.2f} s, {rest:.2f} s to the end, {answer}"
            print(told, file=sys.stderr, flush=True)
            return done + rest, is_same

        results = list(pool.map(killed, range(arguments.kills)))
        _, work, overhead = all_undisturbed(taken)
        shares, differing = [done / work for done, _ in results], sum(not is_same for _, is_same in results)
        row = [label, f"{work:.1f}", f"{100 * overhead:+.1f} %"]
        row += [str(len(shares)), str(differing), f"{statistics.mean(shares):.2f}", f"{max(shares):.2f}"]
        print("| random input | processor s | overhead | kills | other answers | work, mean | work, most |")
        print("|---|---|---|---|---|---|---|")
        print("| " + " | ".join(row) + " |")
        sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
