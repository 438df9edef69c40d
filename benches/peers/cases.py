"""The inputs of the comparison, and how to read them."""

import dataclasses
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclasses.dataclass(frozen=True)
class Case:
    """One computation: a file, its format, how far."""

    name: str
    file: pathlib.Path
    format: str
    dim: int
    threshold: float = math.inf
    """inf: none is given, so that every program picks its own bound that loses no bar."""

    def is_points(self):
        """Whether the array is of points."""
        return self.format == "point-cloud" or self.format == "npy" and len(set(self.array().shape)) == 2

    def arguments(self):
        """Arguments that Lacuna and Ripser share, the file last."""
        threshold = [] if math.isinf(self.threshold) else ["--threshold", repr(self.threshold)]
        return ["--format", self.format, "--dim", str(self.dim), *threshold, str(self.file)]

    def array(self):
        """Points (n × m) or a full distance matrix (n × n), single precision."""
        import numpy as np

        if self.format == "npy":
            return np.load(self.file)
        numbers = np.array(re.findall(r"[-+.\deE]+", self.file.read_text()), dtype=np.float32)
        if self.format == "point-cloud":
            first = re.findall(r"[-+.\deE]+", self.file.open().readline())
            return numbers.reshape(-1, len(first))
        if self.format == "distance":
            n = math.isqrt(len(numbers))
            return numbers.reshape(n, n)
        if self.format == "lower-distance":
            return _full(numbers)
        raise ValueError(f"{self.name}: no reader for {self.format}")


def _full(lower):
    import numpy as np

    n = (1 + math.isqrt(1 + 8 * len(lower))) // 2
    matrix = np.zeros((n, n), dtype=np.float32)
    matrix[np.tril_indices(n, -1)] = lower
    return matrix + matrix.T


def real(folder):
    """Data sets of the literature, from a folder that has them."""
    folder = pathlib.Path(folder)
    return [
        Case("celegans d3", folder / "celegans.dist", "distance", 3),
        Case("vicsek300 d3", folder / "vicsek300.dist", "distance", 3),
        Case("HIV d2", folder / "HIV.dist", "distance", 2),
        Case("dragon1000 d2", folder / "dragon1000.dist", "distance", 2),
        Case("sphere_3_192 d3", folder / "sphere_3_192.lower", "lower-distance", 3),
        Case("o3_1024 t1.8 d3", folder / "o3_1024.pts", "point-cloud", 3, 1.8),
        Case("o3_4096 t1.4 d3", folder / "o3_4096.pts", "point-cloud", 3, 1.4),
        Case("rand3_2000 d1", folder / "rand3_2000.pts", "point-cloud", 1),
        Case("torus3_500 d2", folder / "torus3_500.pts", "point-cloud", 2),
    ]


def shapes():
    """The shapes of `benches/growth.py`, with fewer points in higher dimensions."""
    sys.path.append(str(ROOT / "benches"))
    import growth

    folder = ROOT / "target" / "peers"
    folder.mkdir(parents=True, exist_ok=True)
    return [
        Case(f"{shape} of {n} points d{dim}", growth.made(folder, shape, n), "npy", dim)
        for dim, n in [(1, 1000), (2, 250)]
        for shape in growth.SHAPES
    ]


def own():
    """The shipped examples, and random clouds made on the spot."""
    data = ROOT / "data"
    return [
        Case("circle d1", data / "circle.pts", "point-cloud", 1),
        Case("sphere d2", data / "sphere.pts", "point-cloud", 2),
        Case("torus t2 d2", data / "torus.pts", "point-cloud", 2, 2.0),
        Case("klein bottle t0.34 d2", data / "klein_bottle.lower", "lower-distance", 2, 0.34),
        Case("projective plane d2", data / "projective_plane.dist", "distance", 2),
        Case("random 600 d1", _random_cloud(600), "point-cloud", 1),
        Case("random 150 d2", _random_cloud(150), "point-cloud", 2),
        *_kinds(),
    ]


def _kinds():
    """Inputs of kinds on which other parts of the work decide, made on the spot."""
    import numpy as np

    random = np.random.Generator(np.random.PCG64(5))
    sphere = random.standard_normal((600, 3))
    x, y, z = (sphere / np.linalg.norm(sphere, axis=1)[:, None]).T
    angles = 2 * math.pi * random.random((6000, 2))
    torus = np.column_stack([np.cos(angles), np.sin(angles)])
    basis = np.linalg.qr(random.standard_normal((24, 24)))[0][:4]
    # A network in which each node has eight neighbours on average, and the lengths of its shortest paths.
    lengths = np.tril(np.where(random.random((400, 400)) < 8 / 399, random.random((400, 400)), np.inf), -1)
    paths = np.minimum(lengths, lengths.T)
    paths = np.where(paths == 0, np.maximum(lengths, lengths.T), paths)
    np.fill_diagonal(paths, 0)
    for node in range(400):
        paths = np.minimum(paths, paths[:, node, None] + paths[node])
    network = _cloud("network_400", paths)
    plane = _cloud("projective_plane_600", np.column_stack([x * x - y * y, x * y, x * z, y * z]))
    return [
        Case("projective plane of 600 points d2", plane, "point-cloud", 2),
        Case("torus of 6,000 points in R^24 t0.88 d1", _cloud("torus24_6000", torus @ basis), "point-cloud", 1, 0.88),
        Case("100 points in R^4 t0.6 d3", _cloud("cube4_100", random.random((100, 4))), "point-cloud", 3, 0.6),
        Case("shortest paths of a network of 400 nodes d2", network, "distance", 2),
    ]


def _random_cloud(n):
    """n uniform points in the unit cube, seeded by n."""
    import numpy as np

    return _cloud(f"random_{n}", np.random.Generator(np.random.PCG64(n)).random((n, 3)))


def _cloud(name, rows):
    """A file of these rows."""
    import numpy as np

    file = ROOT / "target" / "peers" / f"{name}.pts"
    file.parent.mkdir(parents=True, exist_ok=True)
    np.savetxt(file, rows, fmt="%.6f")
    return file
