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
            r".*::test_2d_t_compute_pairs_matches_linkfind": "runs the program tcubicalripser with two of its algorithms, not the Python module",
        },
    ),
    "gtda": Suite(
        repository="giotto-ai/giotto-tda",
        release="v0.6.2",
        tests=("gtda/homology/tests/test_simplicial.py", "gtda/homology/tests/test_cubical.py"),
        left_out={
            r".*::test_(wrp|srp|wap|fp)_.*|test_simplicial\.py::test_cp_.*": "of transformers that have no counterpart here",
            r".*::test_vrp_wap_transform_circle\[WeakAlphaPersistence\]": "of a transformer that has no counterpart here",
            r".*::test_.*_plot.*": "draws with plotly, which the transformers here do not",
        },
    ),
}
