"""Points and images of known shapes."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any, Literal, get_args

from numpy.typing import NDArray

from . import _lacuna
from ._arguments import axes_of, count, number, optional_count, optional_number, word
from ._keywords import suggests_keywords

Name = Literal[
    "circle",
    "sphere",
    "torus",
    "klein-bottle",
    "projective-plane",
    "swiss-roll",
    "clustered",
    "cube",
    "noise",
    "field",
    "blobs",
    "vessels",
]
_SCENES = ("noise", "field", "blobs", "vessels")
_ONLY = {
    "dimension": ("sphere", "clustered", "cube"),
    "clusters": ("clustered",),
    "scale": ("field", "blobs", "vessels"),
    "density": ("blobs", "vessels"),
}
"""Options that only some shapes have."""


@suggests_keywords
def generate(
    name: Name,
    *,
    points: int | None = None,
    noise: float | None = None,
    dimension: int | None = None,
    clusters: int | None = None,
    shape: int | Sequence[int] | None = None,
    scale: float | None = None,
    density: float | None = None,
    seed: int = 0,
) -> NDArray[Any]:
    """Draw points or an image of a known shape, for examples and tests. A seed gives the same numbers on every machine, and in the program.

    ====================  =============================================================================================
    ``circle``            the unit circle
    ``sphere``            the unit sphere of some dimension, uniform
    ``torus``             ((2 + cos a) cos b, (2 + cos a) sin b, sin a), uniform by area
    ``klein-bottle``      ((2 + cos a) cos b, (2 + cos a) sin b, sin a cos b/2, sin a sin b/2), uniform by area
    ``projective-plane``  (x², y², z², √2 xy, √2 xz, √2 yz) of uniform points of the unit sphere
    ``swiss-roll``        (t cos t, h, t sin t), t uniform from 3π/2 to 9π/2, h from 0 to 21
    ``clustered``         Gaussian with standard deviation 0.02 around centres that are uniform in the unit cube
    ``cube``              uniform in the unit cube
    ``noise``             an image, uniform in [0, 1)
    ``field``             an image, a periodic Gaussian random field of mean 0 and variance 1
    ``blobs``             an image, 255 where such a field is low, else 0
    ``vessels``           an image, 255 in tubes around random walks, else 0
    ====================  =============================================================================================

    Parameters
    ----------
    name : str
        The shape, of the table.
    points : int
        The number of points; of images there is none.
    noise : float, optional
        The standard deviation of a Gaussian that is added to every coordinate of points.
    dimension : int, optional
        The dimension of a sphere, by default 2, or of the cube, also of that of clusters, by default 3.
    clusters : int, optional
        The number of clusters, by default 5.
    shape : int or sequence of int
        The number of voxels along each axis of an image, one to three.
    scale : float, optional
        The standard deviation of the Gaussian that smooths fields and blobs, or the greatest radius of vessels, in voxels; by default 4.
    density : float, optional
        The fraction of voxels that are 255, by default 0.5 of blobs and about 0.05 of vessels.
    seed : int
        From 0 to 2**64 - 1.

    Returns
    -------
    ndarray
        Points (n, d) of type float32; an image of type float32, blobs and vessels of type uint8.

    Raises
    ------
    ValueError
        There is no such shape, an option is missing, out of range, or of other shapes.
    MemoryError
        There is not enough memory.

    Examples
    --------
    >>> import lacuna_tda
    >>> torus = lacuna_tda.generate("torus", points=500, seed=1)
    >>> torus.shape, torus.dtype
    ((500, 3), dtype('float32'))
    >>> blobs = lacuna_tda.generate("blobs", shape=(64, 64), density=0.25)
    >>> int((blobs == 255).sum())
    1024
    """
    if word("name", name, "the name of a shape") not in get_args(Name):
        raise ValueError(f"name: expected one of {', '.join(get_args(Name))}, found {name!r}")
    is_image = name in _SCENES
    of_points = {"points": points, "noise": noise, "dimension": dimension, "clusters": clusters}
    of_images = {"shape": shape, "scale": scale, "density": density}
    for option, value in (of_points if is_image else of_images).items():
        if value is not None:
            raise ValueError(f"{option}: expected beside {'points' if is_image else 'an image'} only, found {name!r}")
    for option, value in {**of_points, **of_images}.items():
        if value is not None and name not in _ONLY.get(option, (name,)):
            raise ValueError(f"{option}: expected beside {' or '.join(_ONLY[option])} only, found {name!r}")
    start = _seed(seed)
    if not is_image:
        sigma = 0.0 if noise is None else number("noise", noise)
        sizes = optional_count("dimension", dimension, 1), optional_count("clusters", clusters, 1)
        if points is None:
            raise ValueError(f"{name}: points is missing, the number of them")
        return _lacuna.generate_points(name, count("points", points, 1), sigma, *sizes, start)
    if shape is None:
        raise ValueError(f"{name}: shape is missing, the number of voxels along each axis")
    axes = axes_of("shape", shape)
    options = optional_number("scale", scale), optional_number("density", density)
    return _lacuna.generate_image(name, axes, *options, start).reshape(axes)


def _seed(value: Any) -> int:
    """A seed, which has 64 bits."""
    try:
        seed = index(value)
    except TypeError:
        return count("seed", value, 0)
    if seed >= 2**64:
        raise ValueError(f"seed: expected a number below 2**64, found {seed}")
    return seed if seed >= 2**63 else count("seed", seed, 0)
