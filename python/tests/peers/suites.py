"""The test suites of the libraries whose places `lacuna_tda.compat` takes: where they are, what is replaced, and what is left out and why."""

from __future__ import annotations

from typing import NamedTuple


class Suite(NamedTuple):
    """The tests of one library."""

    repository: str
    """On GitHub, owner and name."""
    release: str
    """The tag of the release whose tests these are."""
    tests: tuple[str, ...]
    """The files, or folders of files, in the repository."""
    left_out: dict[str, str]
    """For each test that is not run, or for a regular expression that several match, the reason."""
    files_left_out: dict[str, str] = {}
    """For each file of the folders that is not run, the reason."""


SUITES = {
    "ripser": Suite(
        repository="scikit-tda/ripser.py",
        release="v0.6.15",
        tests=("tests",),
        left_out={},
    ),
    "gph": Suite(
        repository="giotto-ai/giotto-ph",
        release="v0.2.4",
        tests=("gph/python/test",),
        left_out={
            r"test_collapser\.py::.*": "calls the C++ function that collapses edges, which is not part of the interface of the package",
        },
    ),
    "gudhi": Suite(
        repository="GUDHI/gudhi-devel",
        release="tags/gudhi-release-3.13.0",
        tests=(
            "src/python/test/test_sklearn_rips_persistence.py",
            "src/python/test/test_sklearn_cubical_persistence.py",
        ),
        left_out={
            r".*::test_ripser_interfaces": "calls the C++ functions of GUDHI alone, none of which is replaced",
        },
    ),
    "cripser": Suite(
        repository="shizuo-kaji/CubicalRipser_3dim",
        release="v0.0.37",
        tests=("tests",),
        left_out={
            r".*::test_oversized_axis_is_rejected.*": "asks for the limit of 2^15 voxels along an axis, which is not one here",
            r".*::test_representatives_return_closed_homology_cycles\[cripser\]": (
                "asks for the same voxels with cycles and without, also where voxels have equal values"
            ),
        },
        files_left_out={
            "test_compare_gudhi_helpers.py": "tests a script of the repository",
            "test_golden_outputs.py": (
                "compares digests of whole tables and of cycles, whose order among bars that end at one voxel, voxels of ties and "
                "simplices are others here"
            ),
            "test_cli_threshold.py": "runs the programs cubicalripser and tcubicalripser",
            "test_datasets.py": "makes images",
            "test_distance.py": "computes distances of diagrams with PyTorch",
            "test_image_loader.py": "reads and writes files of images",
            "test_plots.py": "draws diagrams",
            "test_rips_utils.py": "computes Vietoris-Rips bars with other libraries",
            "test_torch_utils.py": "computes with tensors of PyTorch",
            "test_transform.py": "prepares images",
            "test_vectorization.py": "makes vectors of tables",
            "test_zigzag.py": "computes zigzag persistence",
        },
    ),
    "gtda": Suite(
        repository="giotto-ai/giotto-tda",
        release="v0.6.0",
        tests=("gtda/homology/tests/test_simplicial.py", "gtda/homology/tests/test_cubical.py"),
        left_out={
            r".*::test_(wrp|srp|wap|fp)_.*|test_simplicial\.py::test_cp_.*": "of transformers that have no counterpart here",
            r".*::test_vrp_wap_transform_circle\[WeakAlphaPersistence\]": "of a transformer that has no counterpart here",
            r".*::test_.*_plot.*": "draws with plotly, which the transformers here do not",
        },
    ),
}
