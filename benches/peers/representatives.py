#!/usr/bin/env python3
"""Representatives of `lacuna rips` against those of giotto-ph and ripser.py, and what they cost.

    python3 benches/peers/representatives.py [--lacuna BIN] [--inputs 200] [--no-venv]
    python3 benches/peers/representatives.py --times [--data DIR] [--runs 3] [--limit 60]

Inputs are random; all distances differ, so that every program must find the same simplices.

- The longest edges of birth and death simplices are giotto-ph's `return_generators`, as sets.
- Cocycles are those of ripser.py's `do_cocycles` up to what is free. Of a bar [b, d) the class at a scale is determined up to a factor and up to
  the classes of bars alive there that are born at b or later and die at d or later. So at each scale that is looked at, just below d and at b, both
  programs' cocycles must span the same modulo coboundaries and those classes, over Z/2, Z/3 and Z/5; and both must be cocycles up to d.

With --times, Lacuna is timed as a whole process, file to JSON, and ripser.py by its call alone; a barcode that differs voids the timing. A program
that is not installed is reported as skipped. Exits 1 when something differs.
"""

import argparse
import collections
import importlib.util
import itertools
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from run import HERE, built, enter_environment, run

PEERS = {"giotto-ph": "gph", "ripser.py": "ripser"}


def answer(program, path, *options):
    command = [program, "rips", "-q", "--output", "json", *map(str, options), str(path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {ran.stderr}")
    return json.loads(ran.stdout)


def drawn(random, most):
    """A matrix of distances that all differ in single precision: a random order, or points near a circle."""
    while True:
        n = int(random.integers(5, most + 1))
        if random.random() < 0.5:
            matrix = np.zeros((n, n), dtype=np.float32)
            above = np.triu_indices(n, 1)
            matrix[above] = random.permutation(len(above[0])) + 1
            matrix += matrix.T
        else:
            angles = 2 * math.pi * random.random(n)
            points = np.column_stack([np.cos(angles), np.sin(angles)]) + 0.1 * random.standard_normal((n, 2))
            matrix = squareform(pdist(points)).astype(np.float32)
        above = matrix[np.triu_indices(n, 1)]
        if len(np.unique(above)) == len(above):
            return matrix, np.sort(above)


def bound(random, lengths):
    """No threshold, or a length."""
    return math.inf if random.random() < 0.5 else float(random.choice(lengths))


def same_edges(program, path, random):
    """What differs from giotto-ph's generators, if anything does, and how many were compared."""
    matrix, lengths = drawn(random, 30)
    np.save(path, matrix)
    threshold, modulus = bound(random, lengths), int(random.choice([2, 3]))
    options = ["--representatives", "simplices", "--max-dim", 2, "--modulus", modulus, "--threshold", threshold]
    ours = collections.Counter()
    for found in answer(program, path, *options)["representatives"]:
        # Of the points that are born together giotto-ph takes another one than we do.
        birth = tuple(sorted(found["birth_edge"])) if found["dim"] else ()
        ours[found["dim"], birth, tuple(sorted(found["death_edge"] or []))] += 1
    theirs = collections.Counter()
    finite, others, essential, essential_others = gph(
        matrix, maxdim=2, thresh=threshold, coeff=modulus, metric="precomputed", return_generators=True
    )["gens"]
    rows = [(0, (), row[1:]) for row in finite] + [(0, (), ()) for _ in essential]
    rows += [(dim, row[:2], row[2:]) for dim, gens in enumerate(others, 1) for row in gens]
    rows += [(dim, row, ()) for dim, gens in enumerate(essential_others, 1) for row in gens]
    for dim, birth, death in rows:
        theirs[dim, tuple(sorted(map(int, birth))), tuple(sorted(map(int, death)))] += 1
    missing, added = theirs - ours, ours - theirs
    differs = f"only theirs {dict(missing)}, only ours {dict(added)}" if missing or added else None
    return differs, sum(theirs.values())


def rank(matrix, p):
    """The rank of a matrix over Z/p."""
    matrix = matrix.copy() % p
    found = 0
    for column in range(matrix.shape[1]):
        rows = np.flatnonzero(matrix[found:, column])
        if not len(rows):
            continue
        pivot = found + rows[0]
        matrix[[found, pivot]] = matrix[[pivot, found]]
        matrix[found] = matrix[found] * pow(int(matrix[found, column]), -1, p) % p
        below = matrix[found + 1 :]
        below -= np.outer(below[:, column], matrix[found])
        below %= p
        found += 1
        if found == matrix.shape[0]:
            break
    return found


class Cochains:
    """Cochains of one dimension of the whole complex of a matrix."""

    def __init__(self, matrix, dim):
        def simplices(dim):
            found = list(itertools.combinations(range(len(matrix)), dim + 1))
            diameters = [max((matrix[edge] for edge in itertools.combinations(s, 2)), default=0) for s in found]
            return {simplex: k for k, simplex in enumerate(found)}, np.array(diameters)

        below, self.simplices, above = (simplices(d) for d in (dim - 1, dim, dim + 1))
        self.coboundaries = self.coboundary(below[0], self.simplices[0])
        self.coboundary_above = self.coboundary(self.simplices[0], above[0])
        self.places, self.diameters = self.simplices
        self.diameters_above = above[1]

    @staticmethod
    def coboundary(simplices, cofacets):
        matrix = np.zeros((len(cofacets), len(simplices)), dtype=np.int64)
        for cofacet, row in cofacets.items():
            for k in range(len(cofacet)):
                matrix[row, simplices[cofacet[:k] + cofacet[k + 1 :]]] = (-1) ** k
        return matrix

    def vector(self, terms):
        cochain = np.zeros(len(self.places), dtype=np.int64)
        for *simplex, coefficient in terms:
            cochain[self.places[tuple(sorted(map(int, simplex)))]] = coefficient
        return cochain

    def is_cocycle(self, cochain, death, threshold, p):
        inside = (self.diameters_above < death) & (self.diameters_above <= threshold)
        return not ((self.coboundary_above[inside] @ cochain) % p).any()

    def difference(self, ours, theirs, bar, inside, scale, p):
        """What is wrong with the cocycles of a bar in the complex of the simplices that are `inside`, up to `scale`."""
        birth, death = bar
        better = [c for (b, d), cs in theirs.items() for c in cs if birth <= b <= scale and d >= death and (b, d) != bar]

        def dimension(cochains):
            return rank(np.column_stack([self.coboundaries[inside], *(c[inside] for c in cochains)]).T, p)

        free, theirs_too, both = dimension(better), dimension(better + theirs[bar]), dimension(better + theirs[bar] + ours)
        if theirs_too != free + len(theirs[bar]):
            return "theirs depend on each other"
        if both != theirs_too:
            return "ours are of other classes"
        return None if dimension(better + ours) == theirs_too else "ours depend on each other"


def same_classes(program, path, random):
    """What differs from ripser.py's cocycles, if anything does, and how many bars were compared."""
    most, max_dim = (15, 1) if random.random() < 0.6 else (10, 2)
    matrix, lengths = drawn(random, most)
    np.save(path, matrix)
    threshold, p = bound(random, lengths), int(random.choice([2, 3, 5]))
    options = ["--representatives", "cocycles", "--max-dim", max_dim, "--modulus", p, "--threshold", threshold]
    at_death, at_birth = (answer(program, path, *options, "--cocycles-at", scale) for scale in ("death", "birth"))
    theirs = ripser(matrix, maxdim=max_dim, thresh=threshold, coeff=p, distance_matrix=True, do_cocycles=True)
    compared = 0
    for dim in range(1, at_death["max_dim"] + 1):
        cochains = Cochains(matrix, dim)

        def by_bar(answer):
            bars = collections.defaultdict(list)
            for found in answer["representatives"]:
                if found["dim"] == dim:
                    death = math.inf if found["death"] is None else found["death"]
                    bars[found["birth"], death].append(cochains.vector(found["cocycle"]))
            return bars

        of_theirs = collections.defaultdict(list)
        for (birth, death), terms in zip(theirs["dgms"][dim], theirs["cocycles"][dim]):
            of_theirs[float(birth), float(death)].append(cochains.vector(terms))
        of_death, of_birth = by_bar(at_death), by_bar(at_birth)
        bars = [{bar: len(found) for bar, found in by.items()} for by in (of_theirs, of_death, of_birth)]
        if bars[0] != bars[1] or bars[0] != bars[2]:
            return f"dimension {dim}: bars {bars}", compared
        for bar in of_theirs:
            birth, death = bar
            for who, found in [("theirs", of_theirs), ("ours", of_death)]:
                if not all(cochains.is_cocycle(c, death, threshold, p) for c in found[bar]):
                    return f"dimension {dim}, bar {bar}: {who} is no cocycle", compared
            below = (cochains.diameters < death) & (cochains.diameters <= threshold)
            scale = cochains.diameters[below].max()
            at = cochains.diameters <= birth
            for what, ours, inside, scale in [
                ("below the death", of_death, below, scale),
                ("at the birth", of_death, at, birth),
                ("at the birth, of the birth", of_birth, at, birth),
            ]:
                if found := cochains.difference(ours[bar], of_theirs, bar, inside, scale, p):
                    return f"dimension {dim}, bar {bar} {what}: {found}", compared
            compared += len(of_theirs[bar])
    return None, compared


CHECKS = [("giotto-ph", "generators", same_edges), ("ripser.py", "cocycles", same_classes)]


def check(program, arguments, missing):
    differing = 0
    with tempfile.TemporaryDirectory() as folder:
        for peer, what, compare in CHECKS:
            if peer in missing:
                continue
            total = 0
            for seed in range(arguments.inputs):
                found, compared = compare(program, pathlib.Path(folder) / "matrix.npy", np.random.default_rng(seed))
                total += compared
                if found:
                    differing += 1
                    print(f"{peer}, {what}, seed {seed}: {found}")
            print(f"{peer}: {arguments.inputs} inputs, {total} {what} compared")
    print(f"{differing} inputs differ")
    return 1 if differing else 0


OURS = {
    "bars": [],
    "cocycles of 10": ["--representatives", "cocycles", "--longest", "10"],
    "cocycles of all": ["--representatives", "cocycles"],
    "cycles of 10": ["--representatives", "cycles", "--longest", "10"],
    "cycles of 10, tightened": ["--representatives", "cycles", "--longest", "10", "--tighten"],
}
"""What is asked of Lacuna: options for each."""

THEIRS = "ripser.py-cocycles"


def times(program, arguments):
    """Prints a table of medians, a row a case."""
    import cases
    import peers
    import report
    from verify import difference

    chosen = [*cases.own(), *(cases.real(arguments.data) if arguments.data else [])]
    if arguments.cases:
        chosen = [case for case in chosen if any(part in case.name for part in arguments.cases.split(","))]
    print(f"- Commit {report.commit()}; {report.machine()}; medians of {arguments.runs}; a limit of {arguments.limit} s.")
    print(f"- Lacuna on {arguments.threads} threads; ripser.py {peers.PEERS[THEIRS].version()} ({peers.PEERS[THEIRS].note}).\n")
    names = [*OURS, "ripser.py, cocycles of all (over ours of 10, of all)"]
    print("| case | " + " | ".join(names) + " |\n|" + "---|" * (len(names) + 1))
    wrong = 0
    for case in chosen:
        with tempfile.TemporaryDirectory() as folder:
            row, differs = measured(program, case, arguments, pathlib.Path(folder), difference)
        wrong += differs is not None
        print(f"| {case.name} | " + (differs or " | ".join(row)) + " |", flush=True)
    return 1 if wrong else 0


def measured(program, case, arguments, scratch, difference):
    """Medians of each program on a case, in words, and how the barcodes differ if they do."""
    request, result, json_file = scratch / "request.npz", scratch / "result.npz", scratch / "bars.json"
    is_points = case.format == "point-cloud"
    np.savez(request, array=case.array(), is_points=is_points, dim=case.dim, threshold=case.threshold, threads=1)
    limit = ["timeout", str(arguments.limit)]

    def ours(options):
        command = [program, "rips", *case.arguments(), "--threads", arguments.threads, "-q", "-o", json_file, *options]
        return run([*limit, *command], scratch).seconds

    def theirs():
        run([*limit, sys.executable, HERE / "worker.py", THEIRS, request, result], scratch)
        return float(np.load(result)["seconds"])

    programs = [*(lambda options=options: ours(options) for options in OURS.values()), theirs]
    runs = [[] for _ in programs]
    for turn in range(arguments.runs):
        for seconds, program_of in zip(runs, programs):
            # What has once run past the limit is not run again.
            if seconds == [None]:
                continue
            try:
                seconds.append(program_of())
            except SystemExit as failed:
                if "exit code 124:" not in str(failed):
                    raise
                seconds[:] = [None]
        if turn == 0 and result.exists():
            answer = json.loads(json_file.read_text())
            bars = [[] for _ in range(case.dim + 1)]
            for bar in answer["bars"]:
                bars[bar["dim"]].append((bar["birth"], math.inf if bar["death"] is None else bar["death"]))
            rows = [np.array(b, dtype=float).reshape(-1, 2) for b in bars]
            arrays = np.load(result)
            found = [arrays[f"dim{k}"] for k in range(case.dim + 1) if f"dim{k}" in arrays]
            if differs := difference(rows, found, case.dim + 1):
                return [], differs
    medians = [None if seconds == [None] else statistics.median(seconds) for seconds in runs]
    words = [f"over {arguments.limit} s" if median is None else f"{median:.3g} s" for median in medians]
    if medians[-1] is not None:
        factors = [f"{medians[-1] / m:.3g}×" if m else "–" for m in medians[1:3]]
        words[-1] += f" ({', '.join(factors)})"
    return words, None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lacuna", type=pathlib.Path, help="a binary that is already built")
    parser.add_argument("--inputs", type=int, default=200, help="inputs of each kind (default: %(default)s)")
    parser.add_argument("--times", action="store_true", help="take times instead of comparing")
    parser.add_argument("--data", type=pathlib.Path, help="folder with the real data sets, timed too")
    parser.add_argument("--cases", help="only cases whose name contains one of these, separated by commas")
    parser.add_argument("--runs", type=int, default=3, help="runs of each program (default: %(default)s)")
    parser.add_argument("--limit", type=int, default=60, help="seconds that a run may last (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="default: all cores")
    parser.add_argument("--no-venv", action="store_true", help="use the packages of this Python")
    arguments = parser.parse_args()
    if not arguments.no_venv:
        enter_environment()
    missing = [name for name, package in PEERS.items() if importlib.util.find_spec(package) is None]
    for name in missing:
        print(f"skipped: {name} is not installed")
    if len(missing) == len(PEERS) or arguments.times and "ripser.py" in missing:
        return 0
    import_peers(missing)
    program = arguments.lacuna or built()
    return times(program, arguments) if arguments.times else check(program, arguments, missing)


def import_peers(missing):
    """Makes the packages global: they are there only now, in the virtual environment."""
    global np, pdist, squareform, gph, ripser
    import numpy as np
    from scipy.spatial.distance import pdist, squareform

    if "ripser.py" not in missing:
        from ripser import ripser
    if "giotto-ph" not in missing:
        from gph import ripser_parallel as gph


if __name__ == "__main__":
    sys.exit(main())
