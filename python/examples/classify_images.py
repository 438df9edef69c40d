"""Images of disks and of rings are told apart by their bars and by their Euler characteristic curves, in a pipeline of scikit-learn.

Each image has some spots at random places, of random size, all of them disks or all of them rings, and noise. Pixels say little about which
they are, and topology all: a ring has a hole. Two sets of features stand side by side: the lengths of the longest bars, and the Euler
characteristic of the superlevel sets at the bins of one range:

    pip install './python[sklearn]'
    python classify_images.py
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline, make_union
from sklearn.preprocessing import StandardScaler

from lacuna_tda.sklearn import Cubical, EulerCurve, Lengths

Floats = NDArray[np.float64]


def image(are_rings: bool, width: int, rng: np.random.Generator) -> Floats:
    """A square image of bright spots, disks or rings, with noise."""
    rows, columns = np.indices((width, width))
    drawn = np.zeros((width, width))
    for _ in range(rng.integers(3, 7)):
        row, column = rng.uniform(0, width, 2)
        radius = width * rng.uniform(0.08, 0.16)
        distance = np.hypot(rows - row, columns - column)
        edge = np.abs(distance - radius) if are_rings else np.maximum(distance - radius, 0)
        drawn = np.maximum(drawn, np.exp(-((edge / 1.5) ** 2)))
    return drawn + rng.normal(0, 0.15, drawn.shape)


def images(of_each: int, width: int, rng: np.random.Generator) -> tuple[Floats, NDArray[np.int64]]:
    """Images of disks and of rings, (images, width, width), and which they are of."""
    kinds = np.repeat([0, 1], of_each)
    return np.stack([image(bool(kind), width, rng) for kind in kinds]), kinds


def classifier() -> Pipeline:
    """From images to kinds."""
    bars = make_pipeline(Cubical(superlevel=True), Lengths(count=10))
    features = make_union(bars, EulerCurve(superlevel=True, bins=20))
    return make_pipeline(features, StandardScaler(), LogisticRegression(max_iter=1000))


def main(arguments: list[str] | None = None) -> float:
    """Prints the accuracy on images that the classifier has not seen, and returns it."""
    parser = argparse.ArgumentParser(description="Classifies images of disks and rings by their topology.")
    parser.add_argument("--images", type=int, default=100, help="images of each kind (%(default)s)")
    parser.add_argument("--width", type=int, default=64, help="pixels of an image along each axis (%(default)s)")
    options = parser.parse_args(arguments)
    X, y = images(options.images, options.width, np.random.default_rng(0))
    accuracy = cross_val_score(classifier(), X, y, cv=5).mean()
    print(f"{len(X)} images of {options.width} x {options.width} pixels: accuracy {accuracy:.3f} in 5 folds")
    return float(accuracy)


if __name__ == "__main__":
    main()
