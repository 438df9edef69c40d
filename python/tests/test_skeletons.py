"""Graphs of skeletons, against the skeletons, bars and SciPy's distances."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

import lacuna_tda


def blobs(shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.bool_]:
    image = rng.standard_normal(shape)
    for axis in range(len(shape)):
        for _ in range(3):
            image = image + np.roll(image, 1, axis)
    return image > 0


@pytest.mark.parametrize("shape", [(40, 50), (12, 14, 16), (30,), (9, 1, 20)])
def test_graphs_are_those_of_their_skeletons(shape: tuple[int, ...], rng: np.random.Generator) -> None:
    distance_transform_edt = pytest.importorskip("scipy.ndimage").distance_transform_edt
    image = blobs(shape, rng)
    spacing = [0.5, 2.0, 1.0][: len(shape)]
    graph = lacuna_tda.skeleton_graph(image, spacing=spacing)
    skeleton = lacuna_tda.thin(image)
    assert graph.shape == shape and graph.spacing.tolist() == spacing
    assert skeleton[tuple(graph.voxels.T)].all() and skeleton[tuple(graph.nodes.T)].all()
    long = [axis for axis in range(len(shape)) if shape[axis] > 1]
    framed = np.pad(np.squeeze(image), 1)
    inner = (slice(1, -1),) * len(long)
    distances = distance_transform_edt(framed, sampling=[spacing[axis] for axis in long])[inner].reshape(shape)
    np.testing.assert_allclose(graph.radii, distances[tuple(graph.voxels.T)], rtol=1e-12)
    np.testing.assert_allclose(graph.node_radii, distances[tuple(graph.nodes.T)], rtol=1e-12)
    ends = np.zeros(len(graph.nodes), dtype=int)
    for branch, nodes in enumerate(graph.branches):
        path = graph.path(branch)
        np.testing.assert_array_equal(path[[0, -1]], graph.nodes[nodes])
        steps = np.abs(np.diff(path, axis=0))
        assert steps.max() == 1
        np.testing.assert_allclose(graph.lengths[branch], np.linalg.norm(steps * spacing, axis=1).sum(), rtol=1e-12)
        np.add.at(ends, nodes, 1)
    np.testing.assert_array_equal(ends, graph.degrees)
    betti = lacuna_tda.cubical(~skeleton).betti(0.0).tolist()
    cycles = betti[1] if len(betti) > 1 else 0
    assert len(graph.nodes) - len(graph.branches) == betti[0] - cycles


def test_graphs_for_networkx(rng: np.random.Generator) -> None:
    networkx = pytest.importorskip("networkx")
    image = blobs((60, 60), rng)
    graph = lacuna_tda.skeleton_graph(image, threshold=0)
    found = graph.to_networkx()
    assert [found.degree(node) for node in range(len(graph.nodes))] == graph.degrees.tolist()
    assert networkx.number_connected_components(found) == lacuna_tda.cubical(~lacuna_tda.thin(image)).betti(0.0)[0]
    for a, b, branch, data in found.edges(keys=True, data=True):
        assert {a, b} == set(graph.branches[branch].tolist()) and data["length"] == graph.lengths[branch]
        assert data["kind"] == ("end-end", "junction-end", "junction-junction", "cycle")[graph.kinds[branch]]
        assert len(data["voxels"]) == len(data["radii"])


def test_skeletons_of_other_programs() -> None:
    image = np.ones((5, 9), dtype=bool)
    line = np.zeros_like(image)
    line[2, 1:8] = True
    graph = lacuna_tda.skeleton_graph(image, skeleton=line)
    assert graph.lengths.tolist() == [6.0] and graph.kinds.tolist() == [0]
    assert graph.radii.tolist() == [2.0, 3.0, 3.0, 3.0, 3.0, 3.0, 2.0]
    same = lacuna_tda.skeleton_graph(np.asfortranarray(image), skeleton=np.asfortranarray(line))
    np.testing.assert_equal(graph, same)
    assert repr(graph) == "<SkeletonGraph of 2 nodes and 1 branches>"
    assert np.array_equal(graph.path(-1), graph.voxels)
    with pytest.raises(IndexError):
        graph.path(1)


def test_nothing_and_points() -> None:
    nothing = lacuna_tda.skeleton_graph(np.zeros((3, 4)))
    assert nothing.nodes.shape == (0, 2) and nothing.branches.shape == (0, 2) and nothing.starts.tolist() == [0]
    point = lacuna_tda.skeleton_graph(np.ones(1))
    assert point.degrees.tolist() == [0] and point.node_radii.tolist() == [1.0]


def test_what_graphs_refuse() -> None:
    image = np.ones((5, 9))
    for spacing, said in itertools.chain(
        [((1.0,), "spacing: expected 2 numbers, one for each axis of the image of 5x9, found 1")],
        (((1.0, bad), "spacing along axis 1: expected a finite number greater than 0, found") for bad in (0, -1, np.inf, np.nan)),
    ):
        with pytest.raises(ValueError, match=said):
            lacuna_tda.skeleton_graph(image, spacing=spacing)
    with pytest.raises(TypeError, match="spacing: expected a number, found 'a'"):
        lacuna_tda.skeleton_graph(image, spacing=["a", "b"])  # type: ignore[list-item]
    with pytest.raises(ValueError, match=r"skeleton: expected the shape of the image, \(5, 9\), found \(9, 5\)"):
        lacuna_tda.skeleton_graph(image, skeleton=image.T)
    with pytest.raises(ValueError, match="iterations: expected without skeleton, found 0; a given skeleton is not thinned"):
        lacuna_tda.skeleton_graph(image, skeleton=image, iterations=0)
    with pytest.raises(ValueError, match="rule: expected without skeleton"):
        lacuna_tda.skeleton_graph(image, skeleton=image, rule="guo-hall")
    with pytest.raises(ValueError, match="rule guo-hall: expected an image of one plane"):
        lacuna_tda.skeleton_graph(np.ones((2, 3, 4)), rule="guo-hall")
