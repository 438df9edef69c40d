"""Whether two barcodes are the same: as multisets, dimension by dimension, up to rounding.

Programs round distances differently (single or double precision, fused multiply-add or not), which moves the ends of a
bar by some 1e-7 and can give rise to a bar of about that length where another program has none.
"""

import bisect
import math

import numpy as np

TOLERANCE = 1e-5
"""Relative to the value, or to the greatest finite value of the barcode when that is a thousandth of it."""


def difference(ours, theirs, dimensions):
    """None when the barcodes agree, else what differs first. Both: a list of k × 2 arrays, one a dimension."""
    finite = [b[np.isfinite(b)] for b in (*ours[:dimensions], *theirs[:dimensions])]
    scale = max((b.max() for b in finite if b.size), default=0.0)
    for dim in range(dimensions):
        ours_left, theirs_left = _unmatched(_bars(ours, dim), _bars(theirs, dim), scale)
        for bar, who in [(b, "only ours") for b in ours_left] + [(b, "only theirs") for b in theirs_left]:
            if not _close(bar[0], bar[1], scale):
                return f"dimension {dim}: [{bar[0]:.9g}, {bar[1]:.9g}) is {who}"
    return None


def _bars(barcode, dim):
    return sorted(map(tuple, barcode[dim])) if dim < len(barcode) else []


def _close(a, b, scale):
    if a == b or not (math.isfinite(a) and math.isfinite(b)):
        return a == b
    return abs(a - b) <= TOLERANCE * max(abs(a), abs(b), 1e-3 * scale)


def _unmatched(ours, theirs, scale):
    """The bars of either side that have no partner on the other; each bar is a partner once."""
    births = [birth for birth, _ in theirs]
    free = [True] * len(theirs)
    left = []
    for birth, death in ours:
        slack = TOLERANCE * max(abs(birth), 1e-3 * scale)
        window = range(bisect.bisect_left(births, birth - slack), bisect.bisect_right(births, birth + slack))
        partners = [k for k in window if free[k] and _close(theirs[k][1], death, scale)]
        if not partners:
            left.append((birth, death))
            continue
        nearest = min(partners, key=lambda k: 0 if theirs[k][1] == death else abs(theirs[k][1] - death))
        free[nearest] = False
    return left, [bar for bar, is_free in zip(theirs, free) if is_free]
