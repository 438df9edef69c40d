"""Time series are told apart by the shape of their delay embeddings, in a pipeline of scikit-learn.

Half of the series are periodic with noise, of random period and phase. The others are noise that swings with such periods, too:
autoregressive processes, whose amplitude and phase wander. The delay vectors of a periodic series lie along a closed curve around a hole,
and the bar of this loop lasts long; those of the others fill the hole. The search finds out which delay shows it best:

    pip install './python[sklearn]'
    python classify_series.py
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lacuna_tda.sklearn import DelayEmbedding, Lengths, Rips

Floats = NDArray[np.float64]


def series(is_periodic: bool, times: int, rng: np.random.Generator) -> Floats:
    """A series of mean 0 and standard deviation 1."""
    turn = 2 * np.pi / rng.uniform(12, 24)
    if is_periodic:
        values = np.sin(turn * np.arange(times) + rng.uniform(0, 2 * np.pi)) + rng.normal(0, 0.15, times)
    else:
        shocks, values = rng.normal(size=times + 100), np.zeros(times + 100)
        for t in range(2, len(values)):
            values[t] = 1.9 * np.cos(turn) * values[t - 1] - 0.95**2 * values[t - 2] + shocks[t]
        values = values[100:]
    scaled: Floats = (values - values.mean()) / values.std()
    return scaled


def search() -> GridSearchCV:
    """A search for the best pipeline from series to whether they are periodic."""
    pipeline = make_pipeline(DelayEmbedding(stride=2), Rips(), Lengths(), StandardScaler(), LogisticRegression())
    return GridSearchCV(pipeline, {"delayembedding__delay": [1, 4]}, cv=4)


def main(arguments: list[str] | None = None) -> float:
    """Prints the best delay and the accuracy on series that were not searched, and returns the accuracy."""
    parser = argparse.ArgumentParser(description="Tells periodic time series from noise by their delay embeddings.")
    parser.add_argument("--series", type=int, default=100, help="series of each kind (%(default)s)")
    parser.add_argument("--times", type=int, default=200, help="values of a series (%(default)s)")
    options = parser.parse_args(arguments)
    rng = np.random.default_rng(0)
    are_periodic = np.repeat([True, False], options.series)
    X = np.stack([series(is_periodic, options.times, rng) for is_periodic in are_periodic])
    X_train, X_test, y_train, y_test = train_test_split(X, are_periodic, random_state=0, stratify=are_periodic)
    found = search().fit(X_train, y_train)
    accuracy = found.score(X_test, y_test)
    delay = found.best_params_["delayembedding__delay"]
    print(f"{len(X)} series of {options.times} values: delay {delay}, accuracy {accuracy:.3f} on {len(X_test)} of them")
    return float(accuracy)


if __name__ == "__main__":
    main()
