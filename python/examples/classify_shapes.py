"""Shapes are told apart by their bars, in a pipeline of scikit-learn.

Clouds of points are drawn from a circle, a sphere, a torus and a ball, each with noise, of random size and turned at random: coordinates say
little about which shape it is, and distances among the points all. The pipeline computes the bars of each cloud, takes for features how long
the longest of each dimension last, as shares of their sum, and fits a linear classifier:

    pip install './python[sklearn]'
    python classify_shapes.py
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from lacuna_tda.sklearn import Lengths, Rips

SHAPES = ("circle", "sphere", "torus", "ball")

Floats = NDArray[np.float64]


def cloud(shape: str, points: int, rng: np.random.Generator) -> Floats:
    """Points of a shape in space, (points, 3): with noise, of random size, turned at random."""
    normal = rng.normal(size=(points, 3))
    sphere = normal / np.linalg.norm(normal, axis=1, keepdims=True)
    around, along = rng.uniform(0, 2 * np.pi, (2, points))
    if shape == "circle":
        drawn = np.column_stack([np.cos(along), np.sin(along), np.zeros(points)])
    elif shape == "sphere":
        drawn = sphere
    elif shape == "torus":
        distance = 1 + 0.5 * np.cos(around)
        drawn = np.column_stack([distance * np.cos(along), distance * np.sin(along), 0.5 * np.sin(around)])
    elif shape == "ball":
        drawn = sphere * np.cbrt(rng.random((points, 1)))
    else:
        raise ValueError(f"shape: expected one of {', '.join(SHAPES)}, found {shape!r}")
    rotation, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    turned: Floats = (drawn + rng.normal(0, 0.05, drawn.shape)) @ rotation
    return rng.uniform(0.5, 2) * turned


def clouds(of_each: int, points: int, rng: np.random.Generator) -> tuple[Floats, NDArray[np.int64]]:
    """Clouds of all shapes, (clouds, points, 3), and the number of the shape of each."""
    shapes = np.repeat(np.arange(len(SHAPES)), of_each)
    return np.stack([cloud(SHAPES[shape], points, rng) for shape in shapes]), shapes


def classifier() -> Pipeline:
    """From clouds to shapes."""
    dims = (0, 1, 2)
    return make_pipeline(Rips(max_dim=2), Lengths(dims=dims, count=3), Normalizer("l1"), StandardScaler(), LogisticRegression())


def main(arguments: list[str] | None = None) -> float:
    """Prints the accuracy on clouds that the classifier has not seen, and returns it."""
    parser = argparse.ArgumentParser(description="Classifies shapes by their bars.")
    parser.add_argument("--clouds", type=int, default=30, help="clouds of each shape (%(default)s)")
    parser.add_argument("--points", type=int, default=100, help="points of a cloud (%(default)s)")
    options = parser.parse_args(arguments)
    X, y = clouds(options.clouds, options.points, np.random.default_rng(0))
    accuracy = cross_val_score(classifier(), X, y, cv=5).mean()
    print(f"{len(X)} clouds of {options.points} points, {len(SHAPES)} shapes: accuracy {accuracy:.3f} in 5 folds")
    return float(accuracy)


if __name__ == "__main__":
    main()
