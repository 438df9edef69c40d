"""Points and images of known shapes against the program, which has the same numbers for the same seed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lacuna_tda

CASES: list[tuple[str, dict[str, Any]]] = [
    ("circle", {"points": 50}),
    ("sphere", {"points": 20, "dimension": 4, "noise": 0.1, "seed": 3}),
    ("torus", {"points": 30, "seed": 2**64 - 1}),
    ("klein-bottle", {"points": 10, "seed": 7}),
    ("projective-plane", {"points": 10}),
    ("swiss-roll", {"points": 10, "noise": 1}),
    ("clustered", {"points": 40, "clusters": 3, "dimension": 2}),
    ("cube", {"points": 10, "dimension": 5}),
    ("noise", {"shape": (7, 5), "seed": 4}),
    ("field", {"shape": (8, 9, 10), "scale": 2}),
    ("blobs", {"shape": (40,), "density": 0.25}),
    ("vessels", {"shape": (20, 21, 22), "scale": 2.5, "density": 0.1, "seed": 9}),
]


@pytest.mark.parametrize(("name", "options"), CASES)
def test_numbers_are_those_of_the_program(
    name: str, options: dict[str, Any], lacuna: Callable[..., str], tmp_path: Path
) -> None:
    file = tmp_path / "generated.npy"
    words = []
    for option, value in options.items():
        words += [f"--{option}", ",".join(map(str, value)) if isinstance(value, tuple) else value]
    lacuna("generate", "-q", name, *words, "-o", file)
    expected, found = np.load(file), lacuna_tda.generate(name, **options)  # type: ignore[arg-type]
    assert found.dtype == expected.dtype and np.array_equal(found, expected)


def test_shapes_have_their_topology() -> None:
    sphere = lacuna_tda.generate("sphere", points=200, seed=1)
    np.testing.assert_allclose(np.linalg.norm(sphere, axis=1), 1, rtol=1e-6)
    clusters = lacuna_tda.generate("clustered", points=200, clusters=4, seed=1)
    lengths = np.sort(lacuna_tda.rips(clusters, max_dim=0).bars(0)[:, 1])
    assert np.sum(lengths > 0.15) == 4
    assert not np.array_equal(sphere, lacuna_tda.generate("sphere", points=200, seed=2))
    assert lacuna_tda.generate("noise", shape=12).shape == (12,)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "doughnut", "points": 5}, "name: expected one of circle, sphere, .*, vessels, found 'doughnut'"),
        ({"name": "torus"}, "torus: points is missing"),
        ({"name": "field"}, "field: shape is missing"),
        ({"name": "torus", "points": 0}, "points: expected 1 or more, found 0"),
        ({"name": "torus", "points": 5, "shape": (3, 3)}, "shape: expected beside an image only, found 'torus'"),
        ({"name": "field", "shape": (3, 3), "noise": 1}, "noise: expected beside points only, found 'field'"),
        ({"name": "torus", "points": 5, "dimension": 2}, "dimension: expected beside sphere or clustered or cube only"),
        ({"name": "cube", "points": 5, "clusters": 2}, "clusters: expected beside clustered only"),
        ({"name": "noise", "shape": (3, 3), "scale": 1}, "scale: expected beside field or blobs or vessels only"),
        ({"name": "cube", "points": 5, "noise": -1}, "noise: expected a finite number from 0 on, found -1"),
        ({"name": "blobs", "shape": (3, 3), "density": 2}, "density: expected a number from 0 to 1, found 2"),
        ({"name": "field", "shape": (3, 3, 3, 3)}, r"^expected 1 to 3 axes of more than one voxel, found shape \[3, 3, 3, 3\]$"),
        ({"name": "cube", "points": 5, "seed": -1}, "seed: expected 0 or more, found -1"),
        ({"name": "cube", "points": 5, "seed": 2**64}, r"seed: expected a number below 2\*\*64"),
    ],
)
def test_what_is_wrong_is_told(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        lacuna_tda.generate(**arguments)


def test_numbers_come_as_numpy_has_them() -> None:
    for seed in (np.uint64(2**63), np.uint64(2**64 - 1), np.int32(7), 7.0):
        expected = lacuna_tda.generate("cube", points=5, seed=int(seed))
        assert np.array_equal(lacuna_tda.generate("cube", points=5, seed=seed), expected)  # type: ignore[arg-type]
    shape = np.array([4, 6])
    assert lacuna_tda.generate("noise", shape=shape).shape == (4, 6)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="^shape: expected whole numbers, found '4x6'$"):
        lacuna_tda.generate("noise", shape="4x6")  # type: ignore[arg-type]
