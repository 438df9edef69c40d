"""The images of the comparison, made on the spot."""

import dataclasses

from cases import ROOT

FOLDER = ROOT / "target" / "peers" / "images"

CONSTRUCTIONS = "t", "v"
"""Voxels as top cells, or as vertices."""


@dataclasses.dataclass(frozen=True)
class Case:
    """The persistence of an image in all dimensions."""

    image: str
    construction: str

    @property
    def name(self):
        return f"{self.image} {self.construction.upper()}"

    @property
    def file(self):
        """The image as a NumPy array; made when there is none."""
        import numpy as np

        file = FOLDER / f"{self.image}.npy"
        if not file.exists():
            FOLDER.mkdir(parents=True, exist_ok=True)
            np.save(file, MAKERS[self.image]())
        return file


def _random(seed):
    import numpy as np

    return np.random.Generator(np.random.PCG64(seed))


def noise(seed, *shape):
    """Independent uniform doubles: all distinct."""
    return _random(seed).random(shape)


def _smooth(seed, sigma, *shape):
    """White noise after a Gaussian filter."""
    from scipy.ndimage import gaussian_filter

    return gaussian_filter(_random(seed).standard_normal(shape), sigma, mode="wrap")


def _bytes(image):
    """Stretched over 0 to 255: ties everywhere."""
    import numpy as np

    low, high = image.min(), image.max()
    return np.clip((image - low) / (high - low) * 256, 0, 255).astype(np.uint8)


MAKERS = {
    "noise 2048²": lambda: noise(1, 2048, 2048),
    "smooth 2048²": lambda: _smooth(2, 4, 2048, 2048),
    "noise 128³": lambda: noise(3, 128, 128, 128),
    "smooth 128³": lambda: _smooth(4, 3, 128, 128, 128),
    "noise 256³": lambda: noise(5, 256, 256, 256),
    "smooth 256³": lambda: _smooth(6, 3, 256, 256, 256),
    "u8 noise 300×200": lambda: _bytes(noise(7, 300, 200)),
    "u8 smooth 300×200": lambda: _bytes(_smooth(8, 3, 300, 200)),
    "u8 noise 40×30×50": lambda: _bytes(noise(9, 40, 30, 50)),
    "u8 smooth 40×30×50": lambda: _bytes(_smooth(10, 2, 40, 30, 50)),
    "noise 48×1×64": lambda: noise(11, 48, 1, 64),
    "noise 24⁴": lambda: noise(12, 24, 24, 24, 24),
    "smooth 24⁴": lambda: _smooth(13, 2, 24, 24, 24, 24),
    "u8 noise 10×9×8×11": lambda: _bytes(noise(14, 10, 9, 8, 11)),
}

LARGE = "256³"
"""Images that some programs take minutes and gigabytes for are compared only when they are asked for."""


def every():
    """All cases, small images first."""
    images = sorted(MAKERS, key=lambda image: ("²" in image) + 2 * ("³" in image) + 3 * ("⁴" in image))
    return [Case(image, construction) for image in images for construction in CONSTRUCTIONS]
