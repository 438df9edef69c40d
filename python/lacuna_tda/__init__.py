"""Persistent homology: barcodes of distances and images, pairs of boundary matrices, Euler characteristic curves, skeletons.

>>> import numpy as np
>>> import lacuna_tda
>>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
>>> diagram = lacuna_tda.rips(square)
>>> diagram.bars(1)
array([[1.        , 1.41421356]])

========================= =============================================================
:func:`rips`              barcode of points, distances or a weighted graph
:func:`rips_many`         barcodes of many of these
:func:`reduce`            persistence pairs of a boundary matrix
:func:`cubical`           barcode of an image
:func:`cubical_many`      barcodes of many images
:func:`ecc`               Euler characteristic curve of an image
:func:`thin`,             skeleton of a binary image, and its graph
:func:`skeleton_graph`
:func:`ect`               Euler characteristic transform of an image or a complex
:func:`bottleneck`,       distances between diagrams
:func:`wasserstein`
:func:`landscape`,        diagrams as vectors, as :func:`persistence_image` makes them
:func:`betti_curve`,
:func:`silhouette`,
:func:`entropy`,
:func:`entropy_summary`,
:func:`lengths`
:func:`read`,             files of images, matrices, distances and diagrams
:func:`write`,
:func:`convert`,
:func:`compare`
:func:`generate`          points and images of known shapes
:func:`info`              what there is to compute with
:class:`Diagram`          bars, an array for each dimension
:class:`EulerCurve`       an Euler characteristic curve
:class:`SkeletonGraph`    nodes and branches of a skeleton
:class:`EulerTransform`   an Euler characteristic transform
:func:`plot_diagram`,     pictures of a diagram and of a curve, with matplotlib
:func:`plot_barcode`,
:func:`plot_betti`,
:func:`plot_euler`,
:func:`plot_landscape`,
:func:`plot_persistence_image`
:class:`DeviceArray`      a skeleton on a GPU
:mod:`lacuna_tda.sklearn` transformers of scikit-learn
:mod:`lacuna_tda.torch`   bars, vectors, Euler curves and transforms that PyTorch differentiates
:mod:`lacuna_tda.jax`     bars and transforms that JAX differentiates
:mod:`lacuna_tda.compat`  modules in the places of other libraries
========================= =============================================================

All work is done without the interpreter's lock, on as many threads as there are cores unless ``threads`` says otherwise; no answer depends on
their number. Ctrl-C ends it. What is wrong with an argument is a ``ValueError`` or, of its type, a ``TypeError``; too little memory is a
``MemoryError``, a machine that does not do what it is asked to a ``RuntimeError``. Whole numbers may come as floats of their value; text is never
taken for a number.

Images are read where they lie until a call returns; all else is copied when it begins. Meanwhile NumPy refuses to resize the array with a
``ValueError``, also with ``refcheck=False``. Writes of other threads are not refused: of an array that is written to the answer is undefined, or
a ``RuntimeError``.
"""

from ._curves import EulerCurve
from ._diagram import CellChain, Chain, Diagram, ImageRepresentatives, Landmarks, Representatives
from ._distances import Matching, bottleneck, wasserstein
from ._ect import EulerTransform, ect
from ._files import BoundaryMatrix, CellPairs, Comparison, compare, convert, read, write
from ._generate import generate
from ._images import cubical, cubical_many, ecc, thin
from ._lacuna import DeviceArray, __version__
from ._machine import Device, Info, info
from ._matrices import Reduction, reduce
from ._plots import plot_barcode, plot_betti, plot_diagram, plot_euler, plot_landscape, plot_persistence_image
from ._rips import rips, rips_many
from ._skeletons import SkeletonGraph, skeleton_graph
from ._vectors import betti_curve, entropy, entropy_summary, landscape, lengths, persistence_image, silhouette

__all__ = [
    "BoundaryMatrix",
    "CellChain",
    "CellPairs",
    "Chain",
    "Comparison",
    "Device",
    "DeviceArray",
    "Diagram",
    "EulerCurve",
    "EulerTransform",
    "ImageRepresentatives",
    "Info",
    "Landmarks",
    "Matching",
    "Reduction",
    "Representatives",
    "SkeletonGraph",
    "__version__",
    "betti_curve",
    "bottleneck",
    "compare",
    "convert",
    "cubical",
    "cubical_many",
    "ecc",
    "ect",
    "entropy",
    "entropy_summary",
    "generate",
    "info",
    "landscape",
    "lengths",
    "persistence_image",
    "plot_barcode",
    "plot_betti",
    "plot_diagram",
    "plot_euler",
    "plot_landscape",
    "plot_persistence_image",
    "read",
    "reduce",
    "rips",
    "rips_many",
    "silhouette",
    "skeleton_graph",
    "thin",
    "wasserstein",
    "write",
]
