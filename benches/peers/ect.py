#!/usr/bin/env python3
"""Euler characteristic transforms: those of `lacuna_tda` against pyect's and ect's, and how long each takes.

    pip install ./python pyect ect scipy scikit-image
    python3 benches/peers/ect.py [--seeds 20]
    python3 benches/peers/ect.py --times [--threads 2] [--directions 100] [--bins 100] [--runs 3]

Compared are the examples and tests of both packages, random images as `weighted_cubical` and `weighted_freudenthal` of pyect make complexes of them, meshes,
volumes whose cells are listed here, and the smooth and the differentiable transforms of ect. ect computes in double precision as Lacuna does; in pyect, which has single
precision, a vertex may be in the bin before or after the right one if its height is that of a sample but for 2e-5 of the distance of two: values at such samples
are counted and left out.

With --times, images are those of `lacuna_tda.generate` and noise, and meshes surfaces in volumes. What pyect and ect take is made before (for ect by arrays,
as its graphs take minutes), and both get their directions in the number at a time that is fastest of several. The answers are compared first; one that differs voids the timing. Exits 1 if an answer differs.
"""

import argparse
import importlib.metadata
import statistics
import sys
import time
import warnings
from functools import partial
from itertools import product

# In units of the distance of two samples: what single precision may move a height by.
NEAR = 2e-5


def complex_of(image):
    """Coordinates, and vertices and weights of the cells of each dimension, of the voxels of an image that are not 0."""
    there = image != 0
    numbers = np.cumsum(there).reshape(image.shape) - 1
    coordinates = np.argwhere(there) - (np.array(image.shape) - 1) / 2
    weights = image[there].astype(float)
    cells = [[] for _ in range(image.ndim + 1)]
    for steps in product((0, 1), repeat=image.ndim):
        if not any(steps):
            continue
        moved = [tuple(slice(c, None if s == c else -1) for c, s in zip(corner, steps)) for corner in product(*((0, 1) if s else (0,) for s in steps))]
        all_there = np.logical_and.reduce([there[at] for at in moved])
        cells[sum(steps)].append(np.stack([numbers[at][all_there] for at in moved], axis=1))
    listed = [np.concatenate(of) for of in cells[1:]]
    return coordinates, weights, [(of, weights[of].max(axis=1) if len(of) else np.zeros(0)) for of in listed]


def of_pyect(coordinates, weights, cells, directions, bins, at_once=None):
    """pyect's transform, of so many directions at a time."""
    tensors = [(torch.from_numpy(np.asarray(a)), torch.from_numpy(np.asarray(w, dtype=np.float32))) for a, w in [(coordinates, weights), *cells]]
    whole = pyect.Complex(*tensors, n_type="cubical" if cells and cells[-1][0].shape[1] == 2 ** len(cells) else "simplicial")
    return transform_of_pyect(whole, directions, bins, at_once)


def transform_of_pyect(whole, directions, bins, at_once=None):
    at_once = at_once or len(directions)
    parts = [torch.as_tensor(directions[k : k + at_once], dtype=torch.float32) for k in range(0, len(directions), at_once)]
    return torch.cat([pyect.WECT(part, bins).eval()(whole) for part in parts]).numpy()


def surface(values, width):
    """Like `complex_of`, of the mesh where a smoothed volume is 0."""
    corners, faces, _, _ = skimage.measure.marching_cubes(scipy.ndimage.gaussian_filter(values, width), 0.0)
    coordinates, faces = corners.astype(float) - (np.array(values.shape) - 1) / 2, faces.astype(np.int64)
    edges = np.unique(np.sort(np.concatenate([faces[:, pair] for pair in ([0, 1], [1, 2], [0, 2])]), axis=1), axis=0)
    return coordinates, np.ones(len(coordinates)), [(of, np.ones(len(of))) for of in (edges, faces)]


class Listed:
    """What ect.ECT takes of a graph, as arrays."""

    def __init__(self, coordinates, cells):
        self.coord_matrix, self.dim = coordinates, coordinates.shape[1]
        sizes = np.concatenate([np.full(len(of), of.shape[1]) for of, _ in cells] or [np.zeros(0, int)])
        pointers = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        signs = np.concatenate([np.full(len(of), (-1) ** dim) for dim, (of, _) in enumerate(cells, 1)] or [np.zeros(0)])
        corners = np.concatenate([of.ravel() for of, _ in cells] or [np.zeros(0)]).astype(np.int32)
        self.csr = pointers, corners, signs.astype(np.int32), len(coordinates)

    def _build_incidence_csr(self):
        return self.csr

    def get_bounding_radius(self, center_type="bounding_box"):
        return float(np.linalg.norm(self.coord_matrix, axis=1).max())


def of_ect(graph, directions, bins, radius):
    vectors = ect.Directions.from_vectors(directions)
    return np.asarray(ect.ECT(directions=vectors, num_thresh=bins, bound_radius=radius).calculate(graph))


class Comparison:
    def __init__(self):
        self.compared = self.differing = self.left_out = 0

    def hold(self, what, found, expected, coordinates=None):
        """Compares transforms, at samples that are not too near to a height if coordinates are given."""
        values, expected = found.values, np.asarray(expected)
        sure = np.ones(values.shape, dtype=bool)
        if coordinates is not None and len(coordinates) and values.shape[1] > 1:
            bins, radius = values.shape[1], found.heights[-1]
            for row, direction in zip(sure, found.directions):
                places = (coordinates @ direction / radius + 1) * (bins - 1) / 2
                near = np.abs(places - np.rint(places)) < NEAR
                row[np.rint(places[near]).astype(int).clip(0, bins - 1)] = False
        self.left_out += np.count_nonzero(~sure)
        self.compared += np.count_nonzero(sure)
        tolerance = 1e-4 * max(1.0, np.abs(expected).max(initial=0)) if coordinates is not None else 1e-9 * max(1.0, np.abs(expected).max(initial=0))
        wrong = np.count_nonzero(np.abs(values - expected)[sure] > tolerance)
        self.differing += wrong
        if wrong:
            print(f"{what}: {wrong} of {np.count_nonzero(sure)} values differ")
        return wrong == 0


def on_plane(directions):
    """Directions of pyect, (x, y) with y upwards, as directions along the axes of an array."""
    return np.column_stack([-directions[:, 1], directions[:, 0]])


def compare(seeds):
    held = Comparison()
    # Tests and examples of pyect: a triangle without and with weights, a tetrahedron, a single point and no point.
    points, edges, face = np.array([[-1.0, 0], [0, 1], [1, 0]]), [[0, 1], [1, 2], [2, 0]], [[0, 1, 2]]
    right = np.array([[1.0, 0.0]])
    held.hold("pyect, triangle", lacuna_tda.ect(points, [edges, face], directions=right, bins=3), [[1, 1, 1]])
    weighted = lacuna_tda.ect(points, [(np.array(edges), [0.5, 1, 0.5]), (np.array(face), [0.5])], weights=[0.5, 1, 1.5], directions=right, bins=3)
    held.hold("pyect, weights", weighted, [[0.5, 1.0, 1.5]])
    corners = np.array([[0, 0, 0], [1.0, 0, 0], [0.5, 1, 0], [0.5, 0.5, 1]])
    simplices = [np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]), np.array([[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]), np.array([[0, 1, 2, 3]])]
    spread = pyect.sample_directions_3d(40).numpy().astype(float)
    for vertices, cells in ([corners, simplices], [np.zeros((1, 3)), []], [np.zeros((0, 3)), []]):
        expected = of_pyect(vertices, np.ones(len(vertices)), [(of, np.ones(len(of))) for of in cells], spread, 10)
        held.hold("pyect, simplices", lacuna_tda.ect(vertices, cells, directions=spread, bins=10), expected, vertices)
    assert np.abs(lacuna_tda.ect(corners, simplices, directions=40, bins=3).directions - spread).max() < 1e-5
    circle = pyect.sample_directions_2d(25).numpy().astype(float)
    assert np.abs(lacuna_tda.ect(points, [edges, face], directions=25, bins=3).directions - circle).max() < 1e-6
    for seed in range(seeds):
        random = np.random.default_rng(seed)
        shape = random.integers(1, 60, 2)
        gray = (random.random(shape) * (random.random(shape) < random.random())).astype(np.float32)
        bins, angles = int(random.integers(1, 120)), random.uniform(0, 2 * np.pi, 23)
        directions = np.column_stack([np.cos(angles), np.sin(angles)])
        whole = pyect.preprocessing.image_processing.weighted_cubical(torch.from_numpy(gray))
        expected = transform_of_pyect(whole, directions, bins)
        if min(shape) > 1:
            found = lacuna_tda.ect(gray, directions=on_plane(directions), bins=bins, weighted=True)
            held.hold(f"pyect, image {seed}", found._replace(directions=directions), expected, whole.get_coords(0).numpy().astype(float))
        diagonal = pyect.weighted_freudenthal(torch.from_numpy(gray))
        coordinates = diagonal.get_coords(0).numpy().astype(float)
        cells = [(diagonal.get_coords(dim).numpy(), diagonal.get_weights(dim).numpy()) for dim in (1, 2)]
        found = lacuna_tda.ect(coordinates, cells, weights=diagonal.get_weights(0).numpy(), directions=directions, bins=bins)
        held.hold(f"pyect, freudenthal {seed}", found, transform_of_pyect(diagonal, directions, bins), coordinates)
        # Volumes, for both packages.
        binary = random.random(random.integers(2, 12, 3)) < random.random()
        coordinates, ones, cells = complex_of(binary.astype(np.uint8))
        directions = random.standard_normal((17, 3))
        found = lacuna_tda.ect(binary, directions=directions, bins=bins)
        held.hold(f"pyect, volume {seed}", found, of_pyect(coordinates, ones, cells, directions, bins), coordinates)
        radius = float(random.uniform(1, 9))
        found = lacuna_tda.ect(binary, directions=directions, bins=bins + 1, radius=radius)
        held.hold(f"ect, volume {seed}", found, of_ect(Listed(coordinates, cells), directions, bins + 1, radius))
    from ect.utils import examples

    shapes = [examples.create_example_graph(), examples.create_example_cw(), examples.create_example_3d_complex(), examples.create_random_graph()]
    for number, graph in enumerate(shapes):
        cells = [graph.edge_indices] + [np.array(of) for of in ([graph.cells[dim] for dim in sorted(graph.cells) if dim > 1]) if len({len(c) for c in of}) == 1]
        if any(len({len(c) for c in graph.cells[dim]}) > 1 for dim in graph.cells if dim > 1):
            # Faces with different numbers of vertices repeat their last one.
            cells = [graph.edge_indices]
            for dim in sorted(dim for dim in graph.cells if dim > 1):
                most = max(map(len, graph.cells[dim]))
                cells.append(np.array([list(c) + [c[-1]] * (most - len(c)) for c in graph.cells[dim]]))
        vectors = ect.Directions.uniform(31, dim=graph.dim, seed=number).vectors
        for radius in (graph.get_bounding_radius(), 2.3):
            found = lacuna_tda.ect(graph.coord_matrix, cells, directions=vectors, bins=40, radius=radius)
            held.hold(f"ect, example {number}", found, of_ect(graph, vectors, 40, radius))
            directions = ect.Directions.from_vectors(vectors)
            smooth = ect.SECT(directions=directions, num_thresh=40, bound_radius=radius).calculate(graph)
            held.hold(f"SECT, example {number}", lacuna_tda.ect(graph.coord_matrix, cells, directions=vectors, bins=40, radius=radius, smooth=True), smooth)
            # DECT has 1 less for each cell, with its sign.
            soft = np.asarray(ect.DECT(directions=directions, num_thresh=40, bound_radius=radius, dtype=np.float64).calculate(graph))
            euler = len(graph.coord_matrix) + sum((-1) ** dim * len(of) for dim, of in enumerate(cells, 1))
            tensors = torch.from_numpy(graph.coord_matrix), [torch.from_numpy(np.asarray(of)) for of in cells]
            ours = lacuna_tda.torch.ect(*tensors, directions=torch.from_numpy(vectors), bins=40, radius=radius, scale=10.0)
            held.hold(f"DECT, example {number}", found._replace(values=ours.numpy()), soft + euler)
    print(f"{held.compared} values compared, {held.left_out} too near to a sample left out, {held.differing} differ")
    return held.differing


def taken(work, runs):
    """The answer, and the median of seconds."""
    answer, seconds = work(), []
    for _ in range(runs):
        start = time.perf_counter()
        answer = work()
        seconds.append(time.perf_counter() - start)
    return answer, statistics.median(seconds)


def times(arguments):
    held, threads, bins = Comparison(), arguments.threads, arguments.bins
    torch.set_num_threads(threads)
    numba.set_num_threads(threads)
    packages = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("lacuna-tda", "pyect", "ect", "torch", "numba"))
    print(f"{packages}; {threads} threads, {arguments.directions} directions, {bins} bins")
    print("shape | vertices | lacuna s | pyect s | ect s | pyect / lacuna | ect / lacuna")
    print("---|---|---|---|---|---|---")
    blobs = {name: lacuna_tda.generate("blobs", shape=shape, seed=1) != 0 for name, shape in (("blobs 512²", (512, 512)), ("blobs 128³", (128, 128, 128)))}
    random = np.random.default_rng(1)
    images = {**blobs, "noise 512²": random.random((512, 512)) < 0.5, "noise 128³": random.random((128, 128, 128)) < 0.5}
    shapes = {name: (image, *complex_of(image.astype(np.uint8))) for name, image in images.items()}
    for width in (6, 1):
        shapes[f"surface of noise 128³, smoothed by {width}"] = None, *surface(random.standard_normal((128, 128, 128)), width)
    for name, (image, coordinates, ones, cells) in shapes.items():
        call = partial(lacuna_tda.ect, *((coordinates, [of for of, _ in cells]) if image is None else (image,)), bins=bins)
        given = call(directions=arguments.directions).directions
        found, ours = taken(lambda: call(directions=given, threads=threads), arguments.runs)
        tensors = [(torch.from_numpy(np.asarray(a)), torch.from_numpy(np.asarray(w, dtype=np.float32))) for a, w in [(coordinates, ones), *cells]]
        whole, best = pyect.Complex(*tensors, n_type="simplicial" if image is None else "cubical"), []
        for at_once in (1, 4, 10, 25):
            # A few directions tell which number is fastest.
            few = given[:at_once]
            best.append((taken(lambda: transform_of_pyect(whole, few, bins), 1)[1] / at_once, at_once))
        expected, pyects = taken(lambda: transform_of_pyect(whole, given, bins, min(best)[1]), 1)
        right = held.hold(f"pyect, {name}", found, expected, coordinates)
        graph = Listed(coordinates, cells)
        expected, ects = taken(lambda: of_ect(graph, given, bins, found.heights[-1]), 1)
        right &= held.hold(f"ect, {name}", found, expected, coordinates)
        row = f"{ours:.4f} | {pyects:.2f} | {ects:.2f} | {pyects / ours:.0f} × | {ects / ours:.1f} ×" if right else "void"
        print(f"{name} | {len(coordinates)} | {row}", flush=True)
    return held.differing


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--directions", type=int, default=100)
    parser.add_argument("--bins", type=int, default=100)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    # The folder of this file, which has the name of the package.
    sys.path.pop(0)
    import ect
    import numba
    import numpy as np
    import pyect
    import pyect.preprocessing.image_processing
    import scipy.ndimage
    import skimage.measure
    import torch

    import lacuna_tda
    import lacuna_tda.torch

    sys.exit(1 if (times(given) if given.times else compare(given.seeds)) else 0)
