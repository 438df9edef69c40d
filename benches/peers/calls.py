#!/usr/bin/env python3
"""Calls of `lacuna_tda` beside the program's computation of the same.

    pip install ./python
    python3 benches/peers/calls.py [--lacuna target/release/lacuna] [--data DIR] [--threads 2] [--runs 7] [--cases celegans,HIV]

The computation of the program is its `total_seconds` without `read_seconds` and `write_seconds`, as `--stats` has them. A call is given an array
and returns a diagram. Both run in turn; medians are compared. The first call of a process, in which threads start, is not counted. Each
barcode is compared before its time counts. Exits 1 when a barcode differs, or a call takes longer than the computation by more than 5 % and 2 ms.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import cases

# What a call may take beyond the computation: the greater of a part of it, and so many seconds.
PART = 0.05
SECONDS = 0.002


def program(binary, case, threads, backend, folder):
    """The seconds of the program's computation, and the bars of each dimension, sorted."""
    stats, answer = folder / "stats.json", folder / "bars.npz"
    options = ["--threads", str(threads), "--backend", backend, "--stats", str(stats), "-o", str(answer)]
    subprocess.run([binary, "rips", *case.arguments(), *options, "--quiet"], check=True)
    found = json.loads(stats.read_text())
    seconds = found["total_seconds"] - found["read_seconds"] - found["write_seconds"]
    bars = np.load(answer)["bars"]
    return seconds, [ordered(bars[bars[:, 0] == dim, 1:]) for dim in range(case.dim + 1)]


def ordered(bars):
    return sorted(map(tuple, np.float32(bars).tolist()))


def call(lacuna_tda, array, case, threads, backend):
    metric = "euclidean" if case.format == "point-cloud" else "precomputed"
    threshold = None if case.threshold == float("inf") else case.threshold
    began = time.perf_counter()
    diagram = lacuna_tda.rips(array, metric=metric, max_dim=case.dim, threshold=threshold, threads=threads, backend=backend)
    return time.perf_counter() - began, diagram


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lacuna", default="target/release/lacuna", help="the program")
    parser.add_argument("--data", type=pathlib.Path, help="folder with the data sets of the literature, besides the inputs made here")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--backend", default="cpu", choices=["auto", "cpu", "cuda"])
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--cases", default="", help="only those whose names contain one of these, separated by commas")
    arguments = parser.parse_args()
    import lacuna_tda

    wanted = arguments.cases.split(",")
    chosen = [*cases.own(), *(cases.real(arguments.data) if arguments.data else [])]
    chosen = [case for case in chosen if any(name in case.name for name in wanted)]
    failed = False
    print("| case | program's computation | call | call more |\n|---|---|---|---|", flush=True)
    for case in chosen:
        array = case.array()
        how = case, arguments.threads, arguments.backend
        with tempfile.TemporaryDirectory() as folder:
            programs, calls = [], []
            for run in range(1 + arguments.runs):
                seconds, expected = program(arguments.lacuna, *how, pathlib.Path(folder))
                programs.append(seconds)
                seconds, diagram = call(lacuna_tda, array, *how)
                calls.append(seconds)
                if run == 0:
                    if [ordered(diagram.bars(dim)) for dim in range(case.dim + 1)] != expected:
                        print(f"{case.name}: the barcodes differ", file=sys.stderr)
                        failed = True
        computed, called = statistics.median(programs[1:]), statistics.median(calls[1:])
        more = called - computed
        is_slow = more > max(PART * computed, SECONDS)
        failed |= is_slow
        print(f"| {case.name} | {1e3 * computed:.1f} ms | {1e3 * called:.1f} ms | {1e3 * more:+.1f} ms, {100 * more / computed:+.0f} % |{' slow' * is_slow}")
        sys.stdout.flush()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
