"""The program phat: its options, what it says of its times, and which options suit a matrix best."""

import dataclasses
import hashlib
import itertools
import json
import os
import re
import subprocess
import sys
import time

ALGORITHMS = ["twist", "chunk", "chunk_sequential", "spectral_sequence", "row", "standard"]
COLUMNS = [
    "bit_tree_pivot_column",
    "full_pivot_column",
    "sparse_pivot_column",
    "heap_pivot_column",
    "vector_vector",
    "vector_heap",
    "vector_set",
    "vector_list",
]

PATIENCE = 1.5
"""Options are given up on a matrix when they take this many times as long as the best so far …"""

LEAST_PATIENCE = 1
"""… but not before this many seconds."""

STANDARD_PATIENCE = 60
"""The standard algorithm on bit trees, primal, is what others are measured by: it has this many."""


@dataclasses.dataclass(frozen=True)
class Options:
    """One way to run PHAT."""

    algorithm: str
    columns: str
    dualize: bool

    def words(self):
        return [f"--{self.algorithm}", f"--{self.columns}"] + (["--dualize"] if self.dualize else [])

    def __str__(self):
        return f"{self.algorithm}, {self.columns}" + (", dualized" if self.dualize else "")


def every(columns):
    """Every algorithm on these representations, primal and dual."""
    return [Options(*choice) for choice in itertools.product(ALGORITHMS, columns, [False, True])]


def command(program, options, matrix, pairs):
    """From the binary file of a matrix to the binary file of its pairs."""
    return [program, "--binary", "--verbose", *options.words(), matrix, pairs]


def environment(threads):
    return {**os.environ, "OMP_NUM_THREADS": str(threads)}


def reduction_seconds(said):
    """Seconds that PHAT says the reduction took, without dualizing; none when it says so with one digit only."""
    found = re.search(r"Computing persistence pairs took (\d+\.\d\d+)s", said)
    return float(found[1]) if found else None


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclasses.dataclass(frozen=True)
class Trial:
    """One run of one way."""

    options: Options
    seconds: float
    """Whole process."""
    reduction: float
    """As PHAT says, or the whole process when it does not say it exactly enough."""


def trials(program, matrix, threads, scratch, cache, columns=COLUMNS):
    """Every way tried once on a matrix, those that give the right pairs in the time they have; kept in `cache`."""
    file = cache / f"{_key(program, matrix, threads, columns)}.json"
    if not file.exists():
        tried = [dataclasses.asdict(trial) for trial in _try_all(program, matrix, threads, scratch, columns)]
        cache.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(tried))
    return [Trial(**{**entry, "options": Options(**entry["options"])}) for entry in json.loads(file.read_text())]


def _key(program, matrix, threads, columns):
    stamps = [(str(path.resolve()), path.stat().st_size, path.stat().st_mtime_ns) for path in (program, matrix)]
    return f"{matrix.stem}-{hashlib.sha256(repr((stamps, threads, columns)).encode()).hexdigest()[:16]}"


def _try_all(program, matrix, threads, scratch, columns):
    expected, done = None, []
    for options in every(columns):
        best = min((trial.seconds for trial in done), default=float("inf"))
        limit = max(LEAST_PATIENCE, PATIENCE * best) if done else None
        if options == Options("standard", COLUMNS[0], False):
            limit = STANDARD_PATIENCE
        pairs = scratch / "trial.pairs"
        trial = _try(program, options, matrix, pairs, threads, limit)
        print(f"  {matrix.stem}: {options}: {trial.seconds if trial else 'given up'}", file=sys.stderr)
        if trial is None:
            continue
        # The first way is twist, which runs on one thread and has no races to lose.
        expected = expected or sha256(pairs)
        if sha256(pairs) == expected:
            done.append(trial)
        else:
            print(f"  {matrix.stem}: {options}: other pairs than the first way, left out", file=sys.stderr)
    return done


def _try(program, options, matrix, pairs, threads, limit):
    start = time.perf_counter()
    try:
        run = subprocess.run(
            command(program, options, matrix, pairs),
            env=environment(threads),
            timeout=limit,
            check=True,
            capture_output=True,
            text=True,
        )
    except subprocess.TimeoutExpired:
        return None
    seconds = time.perf_counter() - start
    return Trial(options, seconds, reduction_seconds(run.stdout) or seconds)
