#!/usr/bin/env python3
"""Writes expected.json: diagrams, and the vectors that GUDHI makes of them (gudhi 3.13.0, with scikit-learn).

    python3 tests/vectors/make.py
"""

import json
import random
from pathlib import Path

import numpy as np
from gudhi.representations import BettiCurve, Entropy, Landscape, PersistenceImage, PersistenceLengths, Silhouette


def diagram(seed, count):
    numbers = random.Random(seed)
    births = [round(numbers.uniform(-1, 2), 3) for _ in range(count)]
    return [[birth, round(birth + 0.01 + numbers.expovariate(2), 3)] for birth in births]


# Births and deaths coincide in the last, and the second has fewer bars than there are functions of a landscape.
DIAGRAMS = [diagram(1, 17), diagram(2, 3), [[0.0, 1.0], [0.0, 1.0], [0.0, 2.0], [1.0, 2.0], [0.5, 1.0]]]

# Options of the program, and what they are in GUDHI.
CASES = [
    ("--kind image", PersistenceImage()),
    ("--kind image --bandwidth 0.2 --weight 1.5 --resolution 4x6", PersistenceImage(bandwidth=0.2, weight=lambda x: x[1] ** 1.5, resolution=[4, 6])),
    ("--kind image --bandwidth 0.5 --resolution 5 --range 0,1,0,2", PersistenceImage(bandwidth=0.5, resolution=[5, 5], im_range=[0, 1, 0, 2])),
    ("--kind landscape", Landscape()),
    ("--kind landscape --count 2 --resolution 7 --range=-1,3", Landscape(num_landscapes=2, resolution=7, sample_range=[-1, 3])),
    ("--kind betti", BettiCurve()),
    ("--kind betti --resolution 9 --range 0,2", BettiCurve(resolution=9, sample_range=[0, 2])),
    ("--kind silhouette", Silhouette()),
    ("--kind silhouette --weight 2 --resolution 11 --range 0,2", Silhouette(weight=lambda x: (x[1] - x[0]) ** 2, resolution=11, sample_range=[0, 2])),
    ("--kind entropy", Entropy()),
    ("--kind entropy-summary", Entropy(mode="vector")),
    ("--kind entropy-summary --resolution 13 --range=-0.5,2.5", Entropy(mode="vector", resolution=13, sample_range=[-0.5, 2.5])),
    ("--kind lengths", PersistenceLengths()),
    ("--kind lengths --count 2", PersistenceLengths(num_lengths=2)),
]


def main():
    arrays = [np.array(bars) for bars in DIAGRAMS]
    cases = []
    for options, method in CASES:
        vectors = np.asarray(method.fit(arrays).transform(arrays), dtype=float)
        cases.append({"options": options.split(), "vectors": [[float(f"{x:.9g}") for x in row] for row in vectors]})
    text = json.dumps({"diagrams": DIAGRAMS, "cases": cases}, separators=(",", ":"))
    Path(__file__).with_name("expected.json").write_text(text.replace('{"options"', '\n{"options"') + "\n")


if __name__ == "__main__":
    main()
