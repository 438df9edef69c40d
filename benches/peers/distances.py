#!/usr/bin/env python3
"""Distances between diagrams: those of `lacuna_tda` against GUDHI's, and how long both take.

    pip install ./python gudhi POT
    python3 benches/peers/distances.py [--pairs 500]
    python3 benches/peers/distances.py --times [--sizes 1000,10000,100000] [--limit 60] [--runs 3]

The pairs are random: many ties, bars without length, infinite ends, negative values, empty diagrams. The bottleneck distance is held against
`gudhi.bottleneck_distance`, the Wasserstein distance against `gudhi.wasserstein`, which solves it by POT, to 1e-9. GUDHI 3.13.0's
Hera crashes on some of these, so it is only timed, where it must be right up to its relative error.

With --times, diagrams are random (`uniform`: points above the diagonal; `noise`: near it; `bytes`: whole numbers below 256) and those of points on
two noisy circles (`rips`, dimension 1, at most what 10,000 points have). A peer that takes longer than the limit is not run on larger ones; an answer
that differs voids the timing. Exits 1 when an answer differs.
"""

import argparse
import importlib.util
import multiprocessing
import statistics
import sys
import time

ORDERS = [(1.0, float("inf")), (1.0, 2.0), (2.0, 2.0), (2.0, 1.0), (3.0, float("inf"))]

# Of the greatest values of a pair.
TOLERANCE = 1e-9

# Hera's relative error, with which it is timed: its default.
DELTA = 0.01


def random_pair(random):
    values = int(random.choice([2, 10, 100, 10**6]))
    ends = random.random() < 0.4
    diagrams = []
    for _ in range(2):
        count = 0 if random.random() < 0.05 else int(random.integers(1, 40))
        bars = np.sort(random.integers(-values, values + 1, (count, 2)) / 8, axis=1)
        if ends:
            bars[:3, 1] = np.inf
            bars[3:5, 0] = -np.inf
            if random.random() < 0.3:
                bars[5:6] = -np.inf, np.inf
        diagrams.append(bars)
    return diagrams


def differ(found, expected):
    return not (found == expected or abs(found - expected) <= TOLERANCE * max(1.0, abs(expected)))


def compare(pairs):
    differing = compared = 0

    def hold(seed, what, found, expected):
        nonlocal differing, compared
        compared += 1
        if differ(found, expected):
            differing += 1
            print(f"seed {seed}, {what}: expected {expected!r}, found {found!r}")

    for seed in range(pairs):
        a, b = random_pair(np.random.default_rng(seed))
        bottleneck = lacuna_tda.bottleneck(a, b)
        hold(seed, "bottleneck", bottleneck, gudhi.bottleneck_distance(a, b))
        for order, norm in ORDERS:
            found = lacuna_tda.wasserstein(a, b, order=order, internal_p=norm)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = float(wasserstein_distance(a, b, order=order, internal_p=norm))
            hold(seed, f"wasserstein {order} {norm}", found, expected)
    print(f"{compared} distances of {pairs} pairs compared, {differing} differ")
    return differing


def inputs(sizes):
    for size in sizes:
        draw = [np.random.default_rng(seed) for seed in (1, 2)]
        yield "uniform", size, [np.sort(random.random((size, 2)), axis=1) for random in draw]
        births = [random.random(size) for random in draw]
        yield "noise", size, [np.column_stack([b, b + r.exponential(0.01, size)]) for b, r in zip(births, draw)]
        yield "bytes", size, [np.sort(random.integers(0, 256, (size, 2)), axis=1).astype(float) for random in draw]
    circles = []
    for random in draw:
        angles = 2 * np.pi * random.random(10_000)
        circles.append(np.column_stack([np.cos(angles), np.sin(angles)]) + 0.1 * random.standard_normal((10_000, 2)))
    bars = [lacuna_tda.rips(points, threshold=0.3).bars(1) for points in circles]
    yield "rips", min(map(len, bars)), [bars[np.isfinite(bars[:, 1])] for bars in bars]


def subjects():
    yield (
        "bottleneck",
        lambda a, b: lacuna_tda.bottleneck(a, b),
        {"gudhi": lambda a, b: gudhi.bottleneck_distance(a, b), "hera": lambda a, b: hera.bottleneck_distance(a, b)},
    )
    for order, norm in [(1.0, float("inf")), (2.0, 2.0)]:
        yield (
            f"wasserstein {order:g}, {norm:g}",
            lambda a, b, order=order, norm=norm: lacuna_tda.wasserstein(a, b, order=order, internal_p=norm),
            {"hera": lambda a, b, order=order, norm=norm: hera.wasserstein_distance(a, b, order=order, internal_p=norm)},
        )


def once(work, a, b):
    start = time.perf_counter()
    value = float(work(a, b))
    return value, time.perf_counter() - start


def limited(work, a, b, limit):
    """The value and the seconds of a call in a process of its own, or None where it takes longer than the limit."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=lambda: sender.send(once(work, a, b)))
    process.start()
    # A process that crashes closes its end.
    sender.close()
    try:
        answer = receiver.recv() if receiver.poll(limit) else None
    except EOFError:
        answer = None
    process.kill()
    process.join()
    return answer


def timed(sizes, limit, runs):
    differing = 0
    print("| diagrams | bars | distance | lacuna s | gudhi s | hera s |\n|---|---|---|---|---|---|")
    late = set()
    for name, size, (a, b) in inputs(sizes):
        for what, ours, peers in subjects():
            # In a process of its own like the peers, so that neither has threads or memory that are warm.
            ran = [limited(ours, a, b, 10 * limit) for _ in range(runs)]
            if None in ran:
                print(f"| {name} | {size:,} | {what} | > {10 * limit:g} | | |", flush=True)
                continue
            found, seconds = ran[0][0], statistics.median(run[1] for run in ran)
            cells = [f"{seconds:.3f}"]
            for peer in ("gudhi", "hera"):
                if peer not in peers:
                    cells.append("")
                elif (name, what, peer) in late:
                    cells.append("not run")
                elif (answer := limited(peers[peer], a, b, limit)) is None:
                    late.add((name, what, peer))
                    cells.append(f"> {limit:g}")
                elif abs(answer[0] - found) > (DELTA if peer == "hera" else TOLERANCE) * found + TOLERANCE:
                    differing += 1
                    cells.append(f"differs: {answer[0]!r}, not {found!r}")
                else:
                    cells.append(f"{answer[1]:.3f}")
            print(f"| {name} | {size:,} | {what} | {' | '.join(cells)} |", flush=True)
    return differing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=500, help="random pairs (default: %(default)s)")
    parser.add_argument("--times", action="store_true", help="take times instead")
    parser.add_argument("--sizes", default="1000,10000,100000", help="bars of each diagram (default: %(default)s)")
    parser.add_argument("--limit", type=float, default=60, help="seconds that a peer may take (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=3, help="runs of ours, of which the median counts (default: %(default)s)")
    arguments = parser.parse_args()
    missing = [package for package in ("lacuna_tda", "gudhi", "ot") if importlib.util.find_spec(package) is None]
    if missing:
        print(f"skipped: not installed: {', '.join(missing)}")
        return 0
    import_peers()
    if arguments.times:
        differing = timed([int(size) for size in arguments.sizes.split(",")], arguments.limit, arguments.runs)
    else:
        differing = compare(arguments.pairs)
    return 1 if differing else 0


def import_peers():
    """Makes the packages global, now that they are known to be there."""
    global np, warnings, gudhi, hera, wasserstein_distance, lacuna_tda
    import warnings

    import gudhi
    import lacuna_tda
    import numpy as np
    from gudhi import hera
    from gudhi.wasserstein import wasserstein_distance


if __name__ == "__main__":
    sys.exit(main())
