"""Ripser++: its command line, and what it prints.

It must have been built to print its pairs (PRINT_PERSISTENCE_PAIRS). A second binary with PROFILING and COUNTING also says on
standard error how long each stage took.
"""

import math
import re

NO_GPU = "CPU-ONLY MODE"
"""Standard error has it when some dimension did not fit the GPU's memory, and was computed without it."""

FAILED = "Failed: Cuda error"
"""Standard output has it when a CUDA call fails."""


def command(binary, case):
    """`--sparse` where a threshold is given, as in Ripser++'s own experiments."""
    sparse = [] if math.isinf(case.threshold) else ["--sparse"]
    return [binary, *sparse, *case.arguments()]


def complaint(stdout, stderr):
    """Why a run does not count, though it may have ended well."""
    for line in stdout.splitlines():
        if FAILED in line:
            return line.strip()
    return "computed without the GPU: too little device memory" if NO_GPU in stderr else None


class NoBarcode(Exception):
    """A text that is no barcode."""


_HEADING = re.compile(r"persistence intervals in dim (\d+):")
_BAR = re.compile(r"\[(?P<birth>[^,]+),(?P<death>[^)]*)\)")


def bars(text):
    """{dimension: [(birth, death)]} of what Ripser and its kin print; whatever precedes the first heading is skipped.

    Raises NoBarcode."""
    found, current = {}, None
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if heading := _HEADING.fullmatch(line):
            current = found.setdefault(int(heading[1]), [])
        elif line and current is not None:
            current.append(_bar(line, number))
    if not found:
        raise NoBarcode("expected a line `persistence intervals in dim 0:`, found none")
    return found


def _bar(line, number):
    try:
        bar = _BAR.fullmatch(line)
        return float(bar["birth"]), float(bar["death"].strip() or math.inf)
    except (TypeError, ValueError) as error:
        raise NoBarcode(f"line {number}: expected a bar, found {line!r}") from error


def greatest(barcode):
    """The greatest finite value."""
    values = (value for pairs in barcode.values() for bar in pairs for value in bar)
    return max((value for value in values if math.isfinite(value)), default=0.0)


def without_short(barcode, length):
    """Text of the bars longer than `length`, and how many are not.

    Programs that round distances differently disagree on bars of about the length of the rounding."""
    lines, dropped = [], 0
    for dim in sorted(barcode):
        lines.append(f"persistence intervals in dim {dim}:")
        for birth, death in barcode[dim]:
            if death - birth > length:
                lines.append(f" [{birth!r},{' ' if math.isinf(death) else repr(death)})")
            else:
                dropped += 1
    return "\n".join(lines) + "\n", dropped


_SECONDS = {
    "assembly": re.compile(r"ASSEMBLE COLS TIME for dim (\d+): ([\d.e+-]+)s"),
    "kernel": re.compile(r"gpu scan kernel time for dim: (\d+): ([\d.e+-]+)s"),
    "search": re.compile(r"SUM OF GPU MATRIX SCAN and post processing time for dim (\d+): ([\d.e+-]+)s"),
    "reduction": re.compile(r"SUBMATRIX REDUCTION TIME for dim (\d+): ([\d.e+-]+)s"),
}
_COUNTS = {
    "columns": re.compile(r"(?:num cols to reduce for dim |num cols to reduce: dim |columns to reduce for dim: )(\d+)(?:,|:) (\d+)"),
    "apparent": re.compile(r"num apparent for dim: (\d+) is: ?(\d+)"),
}


def profile(stderr):
    """{dimension: {stage: seconds, count: number}} of the binary that says so.

    `assembly`: filtration construction with clearing, none for dimension 1, whose columns come out of dimension 0.
    `kernel`: the kernel that finds apparent pairs; `search`: with the copies, the sorting and the copies back around it."""
    found = {}
    for patterns, number in ((_SECONDS, float), (_COUNTS, int)):
        for what, pattern in patterns.items():
            for dim, value in pattern.findall(stderr):
                found.setdefault(int(dim), {})[what] = number(value)
    return found
