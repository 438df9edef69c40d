#!/usr/bin/env python3
"""What several processes of `lacuna` send, and how long they take: a model of cost to 1,024 processes, held against measurements.

    python3 benches/ranks.py run --lacuna target/release/lacuna --mpiexec venv/bin/mpiexec -o ranks.jsonl
    python3 benches/ranks.py table ranks.jsonl
    python3 benches/ranks.py picture ranks.jsonl -o docs/src/how/processes.png

`run` needs NumPy and MPICH. Each process has one thread; the least of several runs counts, and every run must write the bytes of one process.
`table` takes the parameters of the model from one process alone and compares: bytes as `--stats` counts them on process 0 with those of the
formula, and times with the model's where there is a core for each process. `picture` draws the speed-up of the model, and measured ones as dots.
"""

import argparse
import collections
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import types

BINS = 1000
# Bytes of a value and its number, and the most bytes of the values that are on their way together.
RECORD, MESSAGES = 16, 16 << 20
# How many times as many slices larger images have.
LARGER = 1000
# Seconds until the first byte arrives, and bytes a second.
NETWORKS = {"shared memory": (1e-6, 5e9), "InfiniBand, 100 Gbit/s": (2e-6, 12.5e9)}
# Seconds that a launcher and MPI take to start.
START = 0.1

# Name: shape and type of noise, options, slices that processes share.
IMAGES = {
    "image, 8 bits": ((512, 512, 512), "u1", []),
    "image, 16 bits": ((256, 512, 512), "u2", []),
    f"image, {BINS} bins": ((128, 512, 512), "f4", ["--bins", str(BINS), "--range", "0,1"]),
    "image, 32 bits": ((64, 128, 256), "u4", []),
}
# Name: points of `lacuna generate cube`, dimension.
CLOUDS = {"rips, 2,000 points": (2000, 2), "rips, 3,000 points": (3000, 2), "rips, 300 points": (300, 3)}


def made(args, folder, case):
    """The command of a case, whose input is made."""
    file = folder / "input.npy"
    if case in CLOUDS:
        points, dim = CLOUDS[case]
        subprocess.run([args.lacuna, "generate", "cube", "--points", str(points), "--seed", "1", "-q", "-o", file], check=True)
        return ["rips", "--max-dim", str(dim), "--collapse", "off", file]
    import numpy as np

    shape, kind, options = IMAGES[case]
    random, kind = np.random.default_rng(1), np.dtype(kind)
    np.save(file, random.random(shape, kind) if kind.kind == "f" else random.integers(np.iinfo(kind).max, size=shape, dtype=kind, endpoint=True))
    return ["ecc", *options, file]


def once(args, folder, command, ranks):
    """A run on this number of processes: its seconds, statistics and output."""
    output, stats = folder / "output", folder / "stats"
    launcher = [args.mpiexec, "-n", str(ranks)] if ranks > 1 else []
    program = [args.lacuna, command[0], "--threads", "1", "--backend", "cpu", "-q", "-o", output, "--stats", stats, *command[1:]]
    # The library of MPI is looked for beside the first launcher of the path.
    path = os.pathsep.join([os.path.dirname(args.mpiexec), os.environ["PATH"]])
    start = time.perf_counter()
    subprocess.run([*launcher, *program], check=True, env={**os.environ, "PATH": path, "LACUNA_JOINED": "1"})
    seconds = time.perf_counter() - start
    return seconds, json.loads(stats.read_text()), output.read_bytes()


def row(case, ranks, seconds, stats):
    """Of a run, what the model speaks of."""
    dims = stats.get("dimensions", [])
    shared = sum(d["assembly_seconds"] for d in dims) if dims else stats["images"][0]["curve_seconds"]
    found = {"case": case, "ranks": ranks, "cores": os.cpu_count(), "wall": seconds, "shared": shared}
    if dims:
        undecided = [d["pair_store"]["clearing_reads"] for d in dims]
        found |= {"entry": stats["plan"]["entry_width"] // 8, "undecided": undecided}
    return found | stats.get("traffic", {})


def run(args):
    args.mpiexec = shutil.which(args.mpiexec) or sys.exit(f"expected a launcher of MPI, found no program {args.mpiexec}")
    with open(args.output, "a", encoding="utf-8") as lines, tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for case in args.cases or [*IMAGES, *CLOUDS]:
            command = made(args, folder, case)
            expected = once(args, folder, command, 1)[2]
            best = {}
            for _ in range(args.runs):
                for ranks in args.ranks:
                    seconds, stats, output = once(args, folder, command, ranks)
                    if output != expected:
                        sys.exit(f"{case}, {ranks} processes: the output differs from that of one process")
                    found = row(case, ranks, seconds, stats)
                    best[ranks] = min(best.get(ranks, found), found, key=lambda r: r["wall"])
            for found in best.values():
                print(json.dumps(found), file=lines, flush=True)


def sent(case, alone, ranks):
    """Bytes that process 0 broadcasts, that each process adds to those of the others, and that process 0 receives."""
    others = (ranks - 1) / ranks
    if case in CLOUDS:
        points = CLOUDS[case][0]
        return 2 * points * (points - 1), 0, others * alone.entry * sum(alone.undecided)
    shape, kind, options = IMAGES[case]
    if not options and kind == "u4":
        return 0, 0, others * RECORD * math.prod(shape)
    return 0, RECORD * (BINS if options else 256 ** int(kind[1])), 0


def modelled(case, alone, calls, ranks, network, times=1):
    """Seconds on this number of processes, for an image with `times` as many slices."""
    latency, bandwidth = NETWORKS[network]
    share = 1 / ranks
    if case in IMAGES:
        slices = times * IMAGES[case][0][0]
        share = math.ceil(slices / ranks) / slices
    seconds = alone.wall - alone.shared + times * alone.shared * share
    if ranks == 1:
        return seconds
    broadcast, summed, received = sent(case, alone, ranks)
    # Long messages are scattered and collected again, as sums are, so that each process passes their bytes on twice.
    passed = 2 * (broadcast + summed) * (ranks - 1) / ranks + received
    # Before single processes send, each tells each other how much: once for a dimension, or a part of distinct values.
    gathers = len(alone.undecided) if case in CLOUDS else math.ceil(received / MESSAGES)
    return START + seconds + latency * (calls * math.ceil(math.log2(ranks)) + gathers * ranks) + passed / bandwidth


def sizes(case, alone):
    """Factors of the number of slices: 1, and a large one where only the shared part grows with it."""
    return (1, LARGER) if case in IMAGES and not sent(case, alone, 2)[2] else (1,)


def measured(file):
    """Rows by case and number of processes."""
    found = collections.defaultdict(dict)
    for line in open(file, encoding="utf-8"):
        r = types.SimpleNamespace(**json.loads(line))
        found[r.case][r.ranks] = r
    return found


def table(args):
    found = measured(args.file)
    print("| input | processes | bytes sent | by the formula | seconds | by the model | shared part | 1 / p of one process |")
    print("|---|---|---|---|---|---|---|---|")
    for case, rows in found.items():
        for ranks, r in sorted(rows.items()):
            counted = [sum((r.broadcast_bytes, r.summed_bytes, r.received_bytes)), sum(sent(case, rows[1], ranks))] if ranks > 1 else []
            model = modelled(case, rows[1], calls(rows), ranks, args.network)
            times = [r.wall, model, r.shared, rows[1].shared / ranks] if ranks <= r.cores else []
            cells = [*(f"{bytes:,.0f}" for bytes in counted or [0, 0]), *([f"{t:.3f}" for t in times] or ["–"] * 4)]
            print(f"| {case} | {ranks} | " + " | ".join(cells) + " |")
    print("\n| input | " + " | ".join(f"{p:,}" for p in args.ranks) + " |\n|---|" + "---|" * len(args.ranks))
    for case, rows in found.items():
        for times in sizes(case, rows[1]):
            seconds = (modelled(case, rows[1], calls(rows), p, args.network, times) for p in args.ranks)
            words = case if times == 1 else f"{case}, {times:,} times as many slices"
            print(f"| {words} | " + " | ".join(f"{s:,.0f}" if s >= 100 else f"{s:.3g}" for s in seconds) + " |")


def calls(rows):
    """Number of collective calls, which hardly depends on that of the processes."""
    return next((r.calls for ranks, r in sorted(rows.items()) if ranks > 1), 0)


def picture(args):
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    counts = sorted({round(2 ** (k / 4)) for k in range(41)})
    figure, ax = pyplot.subplots(figsize=(8, 5))
    for number, (case, rows) in enumerate(measured(args.file).items()):
        for times in sizes(case, rows[1]):
            seconds = [modelled(case, rows[1], calls(rows), p, args.network, times) for p in counts]
            ax.plot(counts, [seconds[0] / s for s in seconds], f"C{number}" + ("-" if times == 1 else "--"), label=case if times == 1 else None)
        ax.plot(*zip(*((ranks, rows[1].wall / r.wall) for ranks, r in rows.items() if 1 < ranks <= r.cores)), f"C{number}o", markersize=4)
    ticks = [4**k for k in range(6)]
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xticks(ticks, labels=ticks)
    ax.set_yticks(ticks, labels=ticks)
    ax.minorticks_off()
    ax.grid(alpha=0.3)
    ax.set_xlabel(f"processes of one thread; dashed: {LARGER:,} times as many slices; dots: measured")
    ax.set_ylabel("times as fast as one process")
    ax.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(args.output, dpi=80, metadata={"Software": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    of_run = commands.add_parser("run", help="take times and count bytes")
    of_run.add_argument("--lacuna", default="target/release/lacuna")
    of_run.add_argument("--mpiexec", default="mpiexec")
    of_run.add_argument("--cases", nargs="*", choices=[*IMAGES, *CLOUDS], metavar="CASE")
    of_run.add_argument("--ranks", nargs="*", type=int, default=[1, 2, 4, 8, 16], help="numbers of processes, with 1")
    of_run.add_argument("--runs", type=int, default=2, help="runs of each command")
    of_run.add_argument("-o", "--output", required=True, help="file of JSON lines, to which rows are appended")
    of_run.set_defaults(work=run)
    of_table = commands.add_parser("table", help="bytes and times, counted and modelled")
    of_table.add_argument("file")
    of_table.add_argument("--network", choices=NETWORKS, default="shared memory")
    of_table.add_argument("--ranks", nargs="*", type=int, default=[1, 16, 64, 256, 1024], help="columns of the model")
    of_table.set_defaults(work=table)
    of_picture = commands.add_parser("picture", help="speed-up over processes")
    of_picture.add_argument("file")
    of_picture.add_argument("--network", choices=NETWORKS, default="InfiniBand, 100 Gbit/s")
    of_picture.add_argument("-o", "--output", required=True)
    of_picture.set_defaults(work=picture)
    args = parser.parse_args()
    args.work(args)


if __name__ == "__main__":
    main()
