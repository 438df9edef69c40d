#!/usr/bin/env python3
"""Lacuna's graphs of skeletons against skan and kimimaro: the same graphs first, then the time.

    python3 benches/peers/skeletons.py [--runs 3] [--threads N] [--lacuna BIN] [--no-venv] [--quick]

Vessels are grown from a seed: branching walks that are dilated. Their graph is taken of two skeletons: scikit-image's
`skeletonize` and Lacuna's. Verified are, of each graph:

- components and independent cycles, against scikit-image's labels and Euler number of the skeleton;
- radii at every voxel of a branch, against SciPy's distance transform of the image in a frame of background;
- ends, junctions, branches and the length outside of clusters, against skan's graph. skan keeps a spanning tree of each
  cluster of junction pixels; its graph is brought into Lacuna's form first: a cluster is contracted, loops that arise
  where a pixel touches two junction pixels that touch each other are dropped, loops around holes of clusters, which the
  tree has lost, are added by their Euler numbers, and nodes where two branches end join them.

kimimaro finds other skeletons (TEASAR, trees), so only its time and total length are shown. Lacuna is timed by what it
says the stages take, and as a whole process; the others by their calls alone, on an array in memory. Exits 1 when graphs
differ.
"""

import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

from run import built, comparing


def vessels(seed, shape, walks, radii=(1.5, 2.5, 4.0, 6.5)):
    """A binary image of branching tubes: random walks from walks, dilated by one of some radii."""
    import numpy as np
    from scipy.ndimage import distance_transform_edt

    rng = np.random.default_rng([37, seed])
    marks = np.zeros((len(radii), *shape), bool)
    starts = [rng.random(len(shape)) * shape for _ in range(4)]
    for walk in range(walks):
        at = starts[rng.integers(len(starts))].copy()
        heading = rng.standard_normal(len(shape))
        level = rng.integers(len(radii))
        for step in range(max(shape) // 3):
            heading = heading / np.linalg.norm(heading) + 0.15 * rng.standard_normal(len(shape))
            at += heading / np.linalg.norm(heading)
            if not ((at >= 0) & (at < shape)).all():
                break
            marks[(level, *at.astype(int))] = True
            if step % 40 == 39:
                starts.append(at.copy())
    image = np.zeros(shape, bool)
    for radius, mark in zip(radii, marks):
        image |= distance_transform_edt(~mark) <= radius
    return image


class Lacuna:
    """The program; graphs and what it says of them."""

    def __init__(self, options, folder):
        self.binary, self.threads, self.folder = options.lacuna or built(), options.threads, pathlib.Path(folder)

    def graph(self, image, *more):
        """The graph, the skeleton, the statistics, and the seconds of the process."""
        import numpy as np

        names = ("image.npy", "skeleton.npy", "graph.json", "stats.json")
        source, out, graph, stats = (self.folder / name for name in names)
        np.save(source, image)
        command = [self.binary, "thin", "-q", "--threads", str(self.threads), *more]
        start = time.perf_counter()
        subprocess.run([*command, "--graph", graph, "--stats", stats, "-o", out, source], check=True)
        seconds = time.perf_counter() - start
        return json.loads(graph.read_text()), np.load(out) > 0, json.loads(stats.read_text()), seconds


def topology(skeleton):
    """Components and independent cycles of a skeleton whose pixels touch at corners."""
    import numpy as np
    from scipy.ndimage import label
    from skimage.measure import euler_number

    components = label(skeleton, np.ones([3] * skeleton.ndim))[1]
    background = label(~np.pad(skeleton, 1))[1] - 1
    euler = euler_number(skeleton, connectivity=skeleton.ndim)
    return components, background if skeleton.ndim == 2 else components + background - int(euler)


def multigraph(graph):
    """Lacuna's graph as a networkx.MultiGraph."""
    import networkx as nx

    found = nx.MultiGraph()
    found.add_nodes_from(range(len(graph["nodes"])))
    found.add_edges_from(branch["nodes"] for branch in graph["branches"])
    return found


def touch(a, b):
    """Whether two pixels touch or are the same."""
    return max(abs(a - b)) <= 1


def of_skan(skeleton):
    """skan's graph in Lacuna's form, with the loops of clusters, which it lacks; its paths; and the clusters."""
    import networkx as nx
    import numpy as np
    from scipy.ndimage import convolve, label
    from skan import Skeleton
    from skimage.measure import regionprops

    everything = np.ones([3] * skeleton.ndim)
    degrees = convolve(skeleton.astype(np.int16), everything, mode="constant") - 1
    clusters, _ = label(skeleton & (degrees > 2), everything)
    skan, found, paths = Skeleton(skeleton), nx.MultiGraph(), []

    def node(pixel):
        number = int(clusters[tuple(skan.coordinates[pixel])])
        return ("cluster", number) if number else int(pixel)

    for index in range(skan.n_paths):
        path = skan.path(index)
        coordinates, visited = skan.coordinates[path], [node(pixel) for pixel in path]
        # Links within a cluster, and a pixel beside it that closes a triangle.
        clusters_of_path = {one for one in visited if isinstance(one, tuple)}
        is_triangle = len(path) == 3 and visited[0] == visited[2] and touch(coordinates[0], coordinates[2])
        if len(clusters_of_path) == 1 and (all(isinstance(one, tuple) for one in visited) or is_triangle):
            continue
        found.add_edge(visited[0], visited[-1])
        paths.append(coordinates.tolist())
    for cluster in regionprops(clusters):
        found.add_edges_from([(("cluster", int(cluster.label)),) * 2] * topology(cluster.image)[1])
    return found, paths, clusters


def length(paths, clusters):
    """The length of all links of paths that do not lie within a cluster, each counted once."""
    links = {tuple(sorted((tuple(a), tuple(b)))) for path in paths for a, b in zip(path, path[1:])}
    return sum(math.dist(a, b) for a, b in links if not (clusters[a] and clusters[b]))


def joined(found):
    """Joins branches at nodes where two of them end; closed paths keep a node."""
    import networkx as nx

    found = nx.MultiGraph(found)
    for node in list(found.nodes):
        edges = list(found.edges(node))
        if len(edges) == 2 and all(a != b for a, b in edges):
            far = [b if a == node else a for a, b in edges]
            found.remove_node(node)
            found.add_edge(*far)
    return found


def counts(found):
    """Ends, junctions and branches."""
    degrees = [degree for _, degree in found.degree]
    return {"ends": degrees.count(1), "junctions": sum(d > 2 for d in degrees), "branches": found.number_of_edges()}


def verify(name, image, skeleton, graph):
    """The lines that say what differs."""
    import numpy as np
    from scipy.ndimage import distance_transform_edt

    wrong = []
    ours = multigraph(graph)
    import networkx as nx

    components = nx.number_connected_components(ours)
    found = components, ours.number_of_edges() - ours.number_of_nodes() + components
    expected = topology(skeleton)
    if found != expected:
        wrong.append(f"{name}: components and cycles {found}, of the skeleton {expected}")
    inner = (slice(1, -1),) * image.ndim
    radii = distance_transform_edt(np.pad(image, 1))[inner]
    for branch in graph["branches"]:
        if np.abs(radii[tuple(np.array(branch["voxels"]).T)] - branch["radii"]).max() > 1e-12:
            wrong.append(f"{name}: radii of a branch at {branch['voxels'][0]} differ from SciPy's")
            break
    theirs, paths, clusters = of_skan(skeleton)
    ours.remove_nodes_from([node for node, degree in list(ours.degree) if degree == 0])
    ours, theirs = counts(ours), counts(joined(theirs))
    lengths = [length(all_paths, clusters) for all_paths in ([branch["voxels"] for branch in graph["branches"]], paths)]
    print(f"{name}: {ours}, length outside of clusters {lengths[0]:.1f}; skan {theirs}, {lengths[1]:.1f}")
    if ours != theirs or not np.isclose(*lengths, rtol=1e-12):
        wrong.append(f"{name}: {ours}, {lengths[0]}, skan {theirs}, {lengths[1]}")
    return wrong


def images(quick):
    """Names and images of the comparison."""
    yield "vessels 256x256", vessels(1, (256, 256), 12)
    yield "vessels 48x48x48", vessels(2, (48, 48, 48), 8, (1.5, 2.5))
    if not quick:
        yield "vessels 2048x2048", vessels(3, (2048, 2048), 150)
        yield "vessels 256x256x256", vessels(4, (256, 256, 256), 120)


def compare(lacuna, quick):
    """Whether all graphs are right; says which are not."""
    from skimage.morphology import skeletonize

    wrong = []
    for name, image in images(quick):
        graph, skeleton, _, _ = lacuna.graph(image)
        wrong += verify(name, image, skeleton, graph)
        theirs = skeletonize(image) > 0
        graph, same, _, _ = lacuna.graph(theirs, "--iterations", "0")
        assert (same == theirs).all()
        wrong += verify(f"{name}, scikit-image's skeleton", theirs, theirs, graph)
    print("\n".join(wrong), file=sys.stderr)
    return not wrong


def timed(call):
    start = time.perf_counter()
    found = call()
    return time.perf_counter() - start, found


def with_skan(image):
    """Skeleton, radii and graph as skan's users make them; the seconds of each."""
    from scipy.ndimage import distance_transform_edt
    from skan import Skeleton, summarize
    from skimage.morphology import skeletonize

    thinning, skeleton = timed(lambda: skeletonize(image) > 0)
    radii, distances = timed(lambda: distance_transform_edt(image))
    graph, _ = timed(lambda: summarize(Skeleton(skeleton * distances), separator="_"))
    return thinning, radii, graph


def with_kimimaro(image, threads):
    import kimimaro
    import numpy as np

    seconds, found = timed(lambda: kimimaro.skeletonize(image.astype(np.uint8), progress=False, parallel=threads))
    return seconds, sum(one.cable_length() for one in found.values())


def times(lacuna, runs):
    """The table: programs in turn, medians."""
    print("| image | Lacuna thinning | its graph | whole process | skeletonize | EDT | skan | ratio of graphs with radii |")
    print("|---|---|---|---|---|---|---|---|")
    for name, image in images(False):
        ours, theirs = [], []
        for _ in range(runs + 1):
            _, _, stats, seconds = lacuna.graph(image)
            ours.append((stats["thin_seconds"], stats["graph_seconds"], seconds))
            theirs.append(with_skan(image))
        # The first run of skan compiles its functions.
        thin, graph, whole = (statistics.median(column) for column in zip(*ours[1:]))
        skeletonize, edt, skan = (statistics.median(column) for column in zip(*theirs[1:]))
        print(
            f"| {name} | {thin:.4f} s | {graph:.4f} s | {whole:.3f} s | {skeletonize:.3f} s | {edt:.3f} s | {skan:.3f} s "
            f"| {(edt + skan) / graph:.0f} |"
        )
        if image.ndim == 3:
            seconds, length = with_kimimaro(image, lacuna.threads)
            print(f"| | kimimaro: {seconds:.2f} s, length {length:.0f}; Lacuna's length {stats['length']:.0f} |")


def main():
    options = comparing(__doc__)
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        lacuna = Lacuna(options, folder)
        if not compare(lacuna, options.quick):
            sys.exit(1)
        if not options.quick and options.runs:
            times(lacuna, options.runs)


if __name__ == "__main__":
    main()
