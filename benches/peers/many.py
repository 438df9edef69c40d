#!/usr/bin/env python3
"""Many small clouds: `lacuna_tda.rips_many` beside giotto-ph and ripser.py, which are called once a cloud.

    pip install ./python giotto-ph ripser
    python3 benches/peers/many.py [--clouds 10000] [--points 50] [--threads 2] [--runs 3]

The peers are timed in a loop on one thread, which for so small clouds is giotto-ph's fastest setting, and in a pool of as many processes as
there are threads for Lacuna, which is started beforehand. The bars of the first clouds are compared before anything is timed: peers give deaths in
single precision. Times are minima, in turn. Exits 1 when bars differ.
"""

import argparse
import multiprocessing
import sys
import time

import numpy as np

import lacuna_tda

COMPARED = 100


def by_giotto_ph(cloud):
    from gph import ripser_parallel

    return ripser_parallel(cloud, maxdim=1, n_threads=1)["dgms"]


def by_ripser(cloud):
    from ripser import ripser

    return ripser(cloud, maxdim=1)["dgms"]


PEERS = {"giotto-ph": by_giotto_ph, "ripser.py": by_ripser}


def same(ours, theirs):
    """Whether the bars are those of a peer, which has bars in any order, and rounds."""
    theirs = [np.asarray(bars)[np.asarray(bars)[:, 0] != np.asarray(bars)[:, 1]] for bars in theirs]

    def in_order(bars):
        bars = np.asarray(bars, dtype=np.float64)
        return bars[np.lexsort((bars[:, 1], bars[:, 0]))]

    pairs = [(in_order(ours.bars(dim)), in_order(bars)) for dim, bars in enumerate(theirs)]
    return all(a.shape == b.shape and np.allclose(a, b, rtol=1e-5, atol=1e-6) for a, b in pairs)


def seconds(work):
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clouds", type=int, default=10_000)
    parser.add_argument("--points", type=int, default=50)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    threads = arguments.threads
    clouds = np.random.default_rng(0).random((arguments.clouds, arguments.points, 3), dtype=np.float32)
    ours = lacuna_tda.rips_many(clouds[:COMPARED], max_dim=1, threads=threads)
    for name, peer in PEERS.items():
        wrong = [place for place, cloud in enumerate(clouds[:COMPARED]) if not same(ours[place], peer(cloud))]
        if wrong:
            print(f"{name}: bars of clouds {wrong} differ", file=sys.stderr)
            return 1
    ways = {
        ("Lacuna", 1): lambda: lacuna_tda.rips_many(clouds, max_dim=1, threads=1),
        ("Lacuna", threads): lambda: lacuna_tda.rips_many(clouds, max_dim=1, threads=threads),
    }
    with multiprocessing.get_context("spawn").Pool(threads) as pool:
        for name, peer in PEERS.items():
            # The modules are imported before.
            pool.map(peer, clouds[: 8 * threads], chunksize=1)
            ways[name, 1] = lambda peer=peer: [peer(cloud) for cloud in clouds]
            ways[name, threads] = lambda peer=peer: pool.map(peer, clouds, chunksize=64)
        best = dict.fromkeys(ways, float("inf"))
        for _ in range(arguments.runs):
            for way, work in ways.items():
                best[way] = min(best[way], seconds(work))
    print(f"{arguments.clouds} clouds of {arguments.points} points in space, dimension 1, minima of {arguments.runs}\n")
    print(f"| | one thread | {threads} threads or processes | one thread / Lacuna on {threads} |\n|---|---|---|---|")
    for name in ("Lacuna", *PEERS):
        one, many = best[name, 1], best[name, threads]
        print(f"| {name} | {one:.3f} s | {many:.3f} s | {one / best['Lacuna', threads]:.1f}× |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
