"""Graphs of skeletons: what :func:`lacuna_tda.skeleton_graph` answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _lacuna
from ._arguments import image as plain_image, number
from ._extras import extra
from ._images import telling_of_nan, thinning
from ._options import ThinOptions, filled, running, takes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from networkx import MultiGraph
    from typing_extensions import Unpack

KINDS: tuple[Literal["end-end", "junction-end", "junction-junction", "cycle"], ...] = (
    "end-end",
    "junction-end",
    "junction-junction",
    "cycle",
)
"""Names of the kinds of branches, by their numbers."""


class SkeletonGraph(NamedTuple):
    """The graph of a skeleton: n nodes, m branches, d axes."""

    shape: tuple[int, ...]
    """The shape of the image."""
    spacing: NDArray[np.float64]
    """(d,): the distance of neighbouring voxels along each axis."""
    nodes: NDArray[np.int64]
    """(n, d): the voxel of each node: an end, the middle of a junction, an isolated voxel, or one voxel of a closed path without junction."""
    degrees: NDArray[np.int64]
    """(n,): the number of ends of branches at each node: 1, 3 or more, 0, and 2, in this order."""
    node_radii: NDArray[np.float64]
    """(n,): the distance of each node from the nearest voxel of background."""
    branches: NDArray[np.int64]
    """(m, 2): the nodes at both ends of each branch."""
    kinds: NDArray[np.uint8]
    """(m,): 0 between two ends, 1 between a junction and an end, 2 between junctions, 3 a closed path without junction, as in skan."""
    lengths: NDArray[np.float64]
    """(m,): the length of each branch, the sum of the distances between consecutive voxels."""
    starts: NDArray[np.int64]
    """(m + 1,): branch i has the voxels from ``starts[i]`` up to ``starts[i + 1]``."""
    voxels: NDArray[np.int64]
    """(k, d): the voxels of all branches, from node to node."""
    radii: NDArray[np.float64]
    """(k,): the distance of each of these from the nearest voxel of background."""

    def __repr__(self) -> str:
        return f"<SkeletonGraph of {len(self.nodes)} nodes and {len(self.branches)} branches>"

    def path(self, branch: int) -> NDArray[np.int64]:
        """The voxels of a branch, from node to node: an array with a row a voxel."""
        branch = range(len(self.branches))[branch]
        return self.voxels[self.starts[branch] : self.starts[branch + 1]]

    def to_networkx(self) -> MultiGraph:
        """The graph as a ``MultiGraph`` of networkx.

        Nodes have ``voxel``, ``position``, ``degree`` and ``radius``; edges ``kind``, ``length``, ``voxels`` and ``radii``.

        >>> graph = skeleton_graph(np.array([[1, 1, 1, 1, 1], [0, 0, 1, 0, 0], [0, 0, 1, 0, 0]]))
        >>> [graph.to_networkx().degree(node) for node in range(4)]
        [1, 3, 1, 1]
        """
        graph: MultiGraph = extra("networkx", "networkx", "SkeletonGraph.to_networkx").MultiGraph()
        for index, (voxel, degree, radius) in enumerate(zip(self.nodes, self.degrees, self.node_radii)):
            graph.add_node(index, voxel=voxel, position=voxel * self.spacing, degree=int(degree), radius=float(radius))
        for index, ((a, b), kind, length) in enumerate(zip(self.branches, self.kinds, self.lengths)):
            along = slice(self.starts[index], self.starts[index + 1])
            graph.add_edge(
                int(a), int(b), key=index, kind=KINDS[kind], length=float(length), voxels=self.voxels[along], radii=self.radii[along]
            )
        return graph


@takes(ThinOptions)
def skeleton_graph(
    image: Any, *, spacing: float | Sequence[float] = 1.0, skeleton: Any = None, **options: Unpack[ThinOptions]
) -> SkeletonGraph:
    """The skeleton of a binary image as a graph, with the radius of the foreground along it.

    Voxels of the skeleton that have two neighbours make branches; junction voxels that touch are one node. The graph has the components and
    the independent cycles of the skeleton.

    Parameters
    ----------
    image : array
        As of :func:`thin`.
    spacing : number or sequence of numbers
        The distance of neighbouring voxels, along all axes or along each.
    skeleton : array, optional
        A skeleton of the image of another program, of the same shape: voxels that are not 0. By default, the image is thinned.
    **options
        As those of :func:`thin`, without arrays on a GPU; with ``skeleton`` neither ``rule`` nor ``iterations``.

    Returns
    -------
    SkeletonGraph
        Nodes, branches, their voxels and radii. A radius is the exact Euclidean distance to the nearest voxel of background; outside the image
        is background.

    Raises
    ------
    ValueError, TypeError, MemoryError, TimeoutError, RuntimeError
        As :func:`thin`; another number of spacings than axes, or one that is not greater than 0.

    Examples
    --------
    >>> import numpy as np
    >>> import lacuna_tda
    >>> bar = np.zeros((5, 9), dtype=bool)
    >>> bar[1:4, 1:8] = True
    >>> graph = lacuna_tda.skeleton_graph(bar, spacing=0.5)
    >>> graph.nodes.tolist(), graph.lengths.tolist(), graph.node_radii.tolist()
    ([[2, 2], [2, 6]], [2.0], [1.0, 1.0])
    """
    options = filled(ThinOptions, options)
    array, request = plain_image(image, options["nan"]), thinning(options)
    for name, value in (("rule", options["rule"]), ("iterations", options["iterations"])):
        if skeleton is not None and value is not None:
            raise ValueError(f"{name}: expected without skeleton, found {value!r}; a given skeleton is not thinned")
    other = None if skeleton is None else plain_image(skeleton, None)
    if other is not None and other.shape != array.shape:
        raise ValueError(f"skeleton: expected the shape of the image, {array.shape}, found {other.shape}")
    given: list[Any] = [spacing] * array.ndim if np.ndim(spacing) == 0 else list(spacing)  # type: ignore[arg-type]
    distances = [number("spacing", one) for one in given]
    with telling_of_nan(array):
        nodes, degrees, node_radii, branches, kinds, lengths, starts, voxels, radii = running(
            options, lambda run: _lacuna.skeleton_graph(array, other, distances, request, run)
        )

    def coordinates(places: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.stack(np.unravel_index(places, array.shape), axis=1)

    return SkeletonGraph(
        array.shape,
        np.array(distances, dtype=np.float64),
        coordinates(nodes),
        degrees,
        node_radii,
        branches.reshape(-1, 2),
        kinds,
        lengths,
        starts,
        coordinates(voxels),
        radii,
    )
