#!/usr/bin/env python3
"""Lacuna's thinning against OpenCV and scikit-image: the same skeletons first, then the time.

    python3 benches/peers/thinning.py [--runs 3] [--threads N] [--lacuna BIN] [--no-venv] [--quick]

Skeletons are compared pixel by pixel where the rule is the same: `guo-hall` and `zhang-suen` with OpenCV's of the image in a
frame of background (it never deletes outermost pixels), `guo-hall` with scikit-image's `thin` after a turn by 180° (it begins
with the other subiteration), on random images and on blobs; so are the committed skeletons of data/. scikit-image's `skeletonize` is a variant of Zhang and Suen's
rule, and its `lee` another rule: these are timed beside ours, not compared; of `lee`, the shapes of which it returns
nothing are shown. Lacuna is timed by what it says thinning takes, from bits to bits, and as a whole process; the peers
by their call alone, on an array in memory. Exits 1 when skeletons differ.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from cases import ROOT
from run import built, comparing


class Lacuna:
    """The program; skeletons and what it says of them."""

    def __init__(self, options, folder):
        self.binary, self.threads, self.folder = options.lacuna or built(), options.threads, pathlib.Path(folder)

    def thin(self, image, rule, *more):
        """The skeleton, the statistics, and the seconds of the process."""
        import numpy as np

        source, out, stats = (self.folder / name for name in ("image.npy", "skeleton.npy", "stats.json"))
        np.save(source, image)
        command = [self.binary, "thin", "-q", "--rule", rule, "--threads", str(self.threads), *more]
        start = time.perf_counter()
        subprocess.run([*command, "--stats", stats, "-o", out, source], check=True)
        seconds = time.perf_counter() - start
        return np.load(out) > 0, json.loads(stats.read_text()), seconds


def framed(image, kind):
    """OpenCV's skeleton of the image in a frame of background."""
    import cv2
    import numpy as np

    frame = np.pad(np.asarray(image, np.uint8) * 255, 1)
    return cv2.ximgproc.thinning(frame, thinningType=kind)[1:-1, 1:-1] > 0


def peers():
    """Rule, who has it, and how it is asked."""
    import cv2
    import numpy as np
    from skimage.morphology import thin

    return [
        ("guo-hall", "OpenCV", lambda image: framed(image, cv2.ximgproc.THINNING_GUOHALL)),
        ("zhang-suen", "OpenCV", lambda image: framed(image, cv2.ximgproc.THINNING_ZHANGSUEN)),
        ("guo-hall", "scikit-image thin", lambda image: np.rot90(thin(np.rot90(image, 2)), 2)),
    ]


def field(seed, shape, sigma):
    """Blobs: where a smooth random field is positive."""
    import numpy as np
    from scipy.ndimage import gaussian_filter

    noise = np.random.default_rng([11, seed]).standard_normal(shape)
    return gaussian_filter(noise, sigma, mode="wrap") > 0 if sigma else noise > 0


def images(quick):
    """Names and images of the comparison."""
    import numpy as np

    rng = np.random.default_rng(3)
    for number in range(20 if quick else 100):
        shape = tuple(int(extent) for extent in rng.integers(1, 160, 2))
        sigma = (0, 0.7, 1.5, 4)[number % 4]
        yield f"random {number}, {shape[0]}x{shape[1]}", field(number, shape, sigma)
    yield "full 64x64", np.ones((64, 64), bool)
    if not quick:
        yield "blobs 4096x4096", field(8, (4096, 4096), 12)


def committed():
    """Whether the committed skeletons of the rules that OpenCV has are OpenCV's."""
    import cv2

    image = cv2.imread(str(ROOT / "data/thinning/shapes.png"), cv2.IMREAD_GRAYSCALE) > 0
    same = True
    for rule, peer, skeleton in peers():
        file = f"data/expected/shapes_{rule.replace('-', '_')}.png"
        if ((cv2.imread(str(ROOT / file), cv2.IMREAD_GRAYSCALE) > 0) != skeleton(image)).any():
            print(f"{file} differs from {peer}", file=sys.stderr)
            same = False
    return same


def compare(lacuna, quick):
    """Whether all skeletons are the same; says which are not."""
    same, count = committed(), 0
    for name, image in images(quick):
        found = {}
        for rule, peer, skeleton in peers():
            if rule not in found:
                found[rule] = lacuna.thin(image, rule)[0]
            count += 1
            if (found[rule] != skeleton(image)).any():
                print(f"{name}: {rule} differs from {peer}", file=sys.stderr)
                same = False
    print(f"{count} skeletons compared: {'all the same' if same else 'some differ'}")
    return same


def vanishing(lacuna):
    """What `lee` makes of shapes with one component, and what ours does."""
    import numpy as np
    from skimage.morphology import skeletonize

    for shape in ((4, 4, 100), (128, 128, 128)):
        image = np.ones(shape, bool)
        ours, stats, _ = lacuna.thin(image, "subfields", "--verify")
        theirs = int((skeletonize(image, method="lee") > 0).sum())
        name = "x".join(map(str, shape))
        print(f"{name}: subfields {int(ours.sum())} voxels, same topology {stats['same_topology']}; lee {theirs} voxels")


def timed(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def times(lacuna, runs):
    """The table: programs in turn, medians."""
    import cv2
    import numpy as np
    from skimage.morphology import skeletonize

    plane, space = field(8, (4096, 4096), 12), field(6, (256, 256, 256), 3)
    frame = np.pad(plane.astype(np.uint8) * 255, 1)
    cases = [
        ("blobs 4096x4096", plane, "guo-hall", "OpenCV THINNING_GUOHALL",
         lambda: cv2.ximgproc.thinning(frame, thinningType=cv2.ximgproc.THINNING_GUOHALL)),
        ("blobs 4096x4096", plane, "zhang-suen", "OpenCV THINNING_ZHANGSUEN",
         lambda: cv2.ximgproc.thinning(frame, thinningType=cv2.ximgproc.THINNING_ZHANGSUEN)),
        ("blobs 4096x4096", plane, "guo-hall", "scikit-image skeletonize", lambda: skeletonize(plane)),
        ("smooth 256x256x256", space, "subfields", "scikit-image lee", lambda: skeletonize(space, method="lee")),
    ]
    print("| image | rule | Lacuna, thinning | whole process | peer | its call | ratio |")
    print("|---|---|---|---|---|---|---|")
    for name, image, rule, peer, call in cases:
        ours, whole, theirs = [], [], []
        for _ in range(runs):
            _, stats, seconds = lacuna.thin(image, rule)
            ours.append(stats["thin_seconds"])
            whole.append(seconds)
            theirs.append(timed(call))
        ours, whole, theirs = map(statistics.median, (ours, whole, theirs))
        print(f"| {name} | {rule} | {ours:.3f} s | {whole:.3f} s | {peer} | {theirs:.2f} s | {theirs / ours:.0f} |")


def main():
    options = comparing(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        lacuna = Lacuna(options, folder)
        if not compare(lacuna, options.quick):
            sys.exit(1)
        if not options.quick:
            vanishing(lacuna)
            if options.runs:
                times(lacuna, options.runs)


if __name__ == "__main__":
    main()
