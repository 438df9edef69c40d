#!/usr/bin/env python3
"""How the time of `lacuna rips` grows with the number of points, by shape, dimension, threads and edge collapse.

    python3 benches/growth.py run --lacuna target/release/lacuna -o growth.jsonl
    python3 benches/growth.py table growth.jsonl
    python3 benches/growth.py picture growth.jsonl -o growth.png

`run` doubles the number of points of every shape until a run takes longer than the limit. A time is that of the whole process, the least of
several runs; the collapse modes alternate, and so do the numbers of threads. All runs of an input must print the same bytes. Making the inputs
needs NumPy and SciPy; for a machine without them, `inputs` writes them to a folder, which `run --inputs` reads. `picture` needs Matplotlib.

`table` lists, for each input, the time of `auto` beside those of `on` and `off`, and marks where `auto` is slower than the better one by more
than 15 % and 10 ms, where more threads are slower than fewer by more than 5 % and 10 ms, and where a doubling takes more than twice the factor
of the doubling before.
"""

import argparse
import collections
import hashlib
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import time

MODES = ("auto", "on", "off")
FIRST = 125


def cloud(dimension):
    return lambda random, n: random.random((n, dimension))


def gaussian(random, n):
    return random.normal(size=(n, 3))


def clusters(random, n):
    return 10 * random.normal(size=(20, 3))[random.integers(20, size=n)] + random.normal(size=(n, 3))


def noisy_circle(random, n):
    import numpy as np

    angle = random.uniform(0, 2 * np.pi, n)
    return np.c_[np.cos(angle), np.sin(angle)] + 0.1 * random.normal(size=(n, 2))


def sphere(random, n):
    import numpy as np

    points = random.normal(size=(n, 3))
    return points / np.linalg.norm(points, axis=1)[:, None]


def torus(random, n):
    import numpy as np

    a, b = random.uniform(0, 2 * np.pi, (2, n))
    return np.c_[(2 + np.cos(b)) * np.cos(a), (2 + np.cos(b)) * np.sin(a), np.sin(b)]


def swiss_roll(random, n):
    import numpy as np

    t = 1.5 * np.pi * (1 + 2 * random.random(n))
    return np.c_[t * np.cos(t), 21 * random.random(n), t * np.sin(t)]


def delay_embedding(random, n):
    """Windows of a sum of two sines whose frequencies have no common multiple."""
    import numpy as np

    t = 0.1 * np.arange(n + 40)
    signal = np.sin(t) + np.sin(math.sqrt(3) * t) + 0.02 * random.normal(size=n + 40)
    return np.c_[tuple(signal[10 * k : 10 * k + n] for k in range(5))]


def grid(_, n):
    """Points of a square grid: many distances are equal."""
    import numpy as np

    side = math.ceil(math.sqrt(n))
    return np.array([divmod(k, side) for k in range(n)], dtype=float)


def random_weights(random, n):
    import numpy as np

    weights = np.triu(random.random((n, n)), 1)
    return weights + weights.T


def hops(random, n):
    """Hops between the vertices of a graph that grows by preferential attachment, four edges a vertex."""
    import numpy as np
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import shortest_path

    ends, edges = [0, 1], {(0, 1)}
    for v in range(2, n):
        for u in {ends[k] for k in random.integers(len(ends), size=4)}:
            edges.add((u, v))
            ends += [u, v]
    i, j = np.array(sorted(edges)).T
    return shortest_path(csr_matrix((np.ones(len(i)), (i, j)), shape=(n, n)), directed=False, unweighted=True)


SHAPES = {
    "uniform R2": cloud(2),
    "uniform R3": cloud(3),
    "uniform R8": cloud(8),
    "gaussian R3": gaussian,
    "clusters": clusters,
    "noisy circle": noisy_circle,
    "sphere": sphere,
    "torus": torus,
    "swiss roll": swiss_roll,
    "delay embedding": delay_embedding,
    "grid": grid,
    "random weights": random_weights,
    "hops": hops,
}


def place(folder, shape, n):
    return folder / f"{shape.replace(' ', '-')}-{n}.npy"


def made(folder, shape, n):
    """The file of a shape with n points, made unless it exists."""
    import numpy as np

    file = place(folder, shape, n)
    if not file.exists():
        np.save(file, SHAPES[shape](np.random.default_rng(n), n).astype(np.float32))
    return file


def inputs(args):
    for shape in SHAPES:
        for n in sizes(args.most):
            made(args.folder, shape, n)


def sizes(most):
    return [FIRST << k for k in range(20) if FIRST << k <= most]


def timed(command, limit):
    """Seconds of a run and its output, or none of both after the limit or a refusal."""
    start = time.perf_counter()
    try:
        run = subprocess.run(command, capture_output=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, None
    seconds = time.perf_counter() - start
    if run.returncode:
        print(f"{' '.join(command)}: {run.stderr.decode(errors='replace').strip()}", file=sys.stderr)
        return None, None
    return seconds, hashlib.sha256(run.stdout).hexdigest()


def series(args, folder, shape, dim, write):
    """The runs of one shape and dimension, by doubling sizes."""
    alive = {(threads, mode) for threads in args.threads for mode in MODES}
    for n in sizes(args.most):
        file = made(folder, shape, n) if args.inputs is None else place(folder, shape, n)
        if not alive or not file.exists():
            return
        best, seen = {}, set()
        for number in range(args.runs):
            for key in sorted(alive):
                if number and best.get(key, math.inf) > args.again:
                    continue
                threads, mode = key
                command = [args.lacuna, "rips", "--max-dim", str(dim), "--threads", str(threads), "--collapse", mode]
                seconds, output = timed([*command, "--backend", args.backend, str(file)], 4 * args.limit)
                if seconds is not None:
                    seen.add(output)
                    best[key] = min(best.get(key, math.inf), seconds)
        if len(seen) > 1:
            sys.exit(f"{shape}, {n} points, dimension {dim}: outputs differ")
        for (threads, mode), seconds in best.items():
            write({"shape": shape, "points": n, "dim": dim, "threads": threads, "collapse": mode, "seconds": round(seconds, 4)})
        alive = {key for key in alive if best.get(key, math.inf) <= args.limit}


def run(args):
    with open(args.output, "a", encoding="utf-8") as output:

        def write(record):
            print(json.dumps(record), file=output, flush=True)

        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch) if args.inputs is None else args.inputs
            for shape in args.shapes or SHAPES:
                for dim in args.dims:
                    series(args, folder, shape, dim, write)


def times(file):
    """Seconds by (shape, dimension, points), then by (threads, mode)."""
    found = collections.defaultdict(dict)
    for line in open(file, encoding="utf-8"):
        r = json.loads(line)
        found[r["shape"], r["dim"], r["points"]][r["threads"], r["collapse"]] = r["seconds"]
    return found


def table(args):
    found = times(args.file)
    threads = sorted({t for row in found.values() for t, _ in row})
    print("| shape | d | points | " + " | ".join(f"{t} thr: auto, on, off" for t in threads) + " | marks |")
    print("|---|---|---|" + "---|" * (len(threads) + 1))
    wrong, count = 0, 0
    for (shape, dim, n), row in sorted(found.items()):
        marks = []
        for t in threads:
            auto = row.get((t, "auto"))
            better = min((row[t, mode] for mode in ("on", "off") if (t, mode) in row), default=None)
            if auto and better:
                count += 1
                if auto > max(1.15 * better, better + 0.01):
                    wrong += 1
                    marks.append(f"auto {auto / better:.2f}× on {t}")
            before = [row[s, "auto"] for s in threads if s < t and (s, "auto") in row]
            if auto and before and auto > max(1.05 * min(before), min(before) + 0.01):
                marks.append(f"{t} threads {auto / min(before):.2f}× slower")
            steps = [found.get((shape, dim, n // k), {}).get((t, "auto")) for k in (1, 2, 4)]
            if all(steps) and steps[1] > 0.02 and steps[0] / steps[1] > 2 * steps[1] / steps[2]:
                marks.append(f"step {steps[0] / steps[1]:.1f}× after {steps[1] / steps[2]:.1f}× on {t}")
        cell = lambda t: ", ".join(f"{row[t, mode]:.3f}" if (t, mode) in row else "–" for mode in MODES)
        print(f"| {shape} | {dim} | {n} | " + " | ".join(cell(t) for t in threads) + f" | {'; '.join(marks)} |")
    print(f"\n`auto` is slower than the better of `on` and `off` by more than 15 % and 10 ms in {wrong} of {count} inputs.")


def picture(args):
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    found = times(args.file)
    threads = max(t for row in found.values() for t, _ in row)
    shapes = [shape for shape in SHAPES if any(key[0] == shape for key in found)]
    columns = 4
    rows = math.ceil(len(shapes) / columns)
    figure, axes = pyplot.subplots(rows, columns, figsize=(3 * columns, 2.6 * rows), sharex=True, sharey=True, squeeze=False)
    for place, ax in enumerate(axes.flat):
        if place >= len(shapes):
            ax.set_axis_off()
            continue
        for dim in (1, 2, 3):
            line = sorted((n, row[threads, "auto"]) for (s, d, n), row in found.items() if (s, d) == (shapes[place], dim) and (threads, "auto") in row)
            ax.loglog(*zip(*line), marker=".", label=f"d{dim}") if line else None
        counts = sorted({n for _, _, n in found})
        ax.set_xticks(counts, labels=counts, fontsize=7)
        ax.minorticks_off()
        ax.tick_params(labelbottom=True)
        ax.set_title(shapes[place], fontsize=9)
        ax.grid(alpha=0.3)
    axes[0][0].legend()
    figure.supxlabel("points")
    figure.supylabel(f"seconds, {threads} threads")
    figure.tight_layout()
    figure.savefig(args.output, dpi=80, metadata={"Software": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    of_run = commands.add_parser("run", help="take times")
    of_run.add_argument("--lacuna", default="target/release/lacuna")
    of_run.add_argument("--shapes", nargs="*", choices=sorted(SHAPES), metavar="SHAPE")
    of_run.add_argument("--dims", nargs="*", type=int, default=[1, 2, 3])
    of_run.add_argument("--threads", nargs="*", type=int, default=[1, 2])
    of_run.add_argument("--backend", default="cpu")
    of_run.add_argument("--limit", type=float, default=2.0, help="seconds after which a mode gets no more points")
    of_run.add_argument("--runs", type=int, default=3, help="runs of each command")
    of_run.add_argument("--again", type=float, default=0.5, help="seconds up to which a command is run again")
    of_run.add_argument("--most", type=int, default=64_000, help="maximum number of points")
    of_run.add_argument("--inputs", type=pathlib.Path, metavar="FOLDER", help="folder with the inputs")
    of_run.add_argument("-o", "--output", required=True, help="file of JSON lines, to which times are appended")
    of_run.set_defaults(work=run)
    of_inputs = commands.add_parser("inputs", help="write the inputs to a folder")
    of_inputs.add_argument("folder", type=pathlib.Path)
    of_inputs.add_argument("--most", type=int, default=4000, help="maximum number of points")
    of_inputs.set_defaults(work=inputs)
    of_table = commands.add_parser("table", help="times as a table, with marks")
    of_table.add_argument("file")
    of_table.set_defaults(work=table)
    of_picture = commands.add_parser("picture", help="times over points")
    of_picture.add_argument("file")
    of_picture.add_argument("-o", "--output", required=True)
    of_picture.set_defaults(work=picture)
    args = parser.parse_args()
    args.work(args)


if __name__ == "__main__":
    main()
