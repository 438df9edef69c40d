"""A plugin of pytest that puts a module of `lacuna_tda.compat` in the place of the library named by LACUNA_REPLACES, and leaves tests out."""

from __future__ import annotations

import importlib
import os
import re
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from suites import SUITES

NAME = os.environ["LACUNA_REPLACES"]


def module(name: str, **content: Any) -> ModuleType:
    """A module with this content, in the place of any that has the name."""
    made = ModuleType(name)
    vars(made).update(content)
    sys.modules[name] = made
    return made


def public(ours: ModuleType) -> dict[str, Any]:
    return {name: getattr(ours, name) for name in ours.__all__}


def replace() -> None:
    """Puts the module in the library's place."""
    ours = importlib.import_module(f"lacuna_tda.compat.{NAME}")
    if NAME == "ripser":
        module(NAME, **public(ours))
    if NAME == "cripser":
        # Its other parts make images, and are called by tests of bars.
        for library in (importlib.import_module("cripser"), importlib.import_module("cripser.utils")):
            for name, found in public(ours).items():
                setattr(library, name, found)
        module("tcripser", computePH=ours.computePH_T)
    if NAME == "gph":
        # The greatest modulus, which a test asks the extension module for.
        limits = SimpleNamespace(get_max_coefficient_field_supported=lambda: 65521)
        collapser = module(
            "gph.modules.gph_collapser", flag_complex_collapse_edges_coo=None, flag_complex_collapse_edges_dense=None
        )
        module("gph.modules", gph_ripser=limits, gph_collapser=collapser)
        module("gph", **public(ours))
    if NAME == "gudhi":
        # Other parts of GUDHI make the inputs of its tests, and what answers are compared with.
        library = importlib.import_module("gudhi.sklearn")
        for name, found in public(ours).items():
            setattr(library, name, found)
    if NAME == "gtda":
        others = ("FlagserPersistence", "WeightedRipsPersistence", "SparseRipsPersistence", "WeakAlphaPersistence")
        missing = {name: type(name, (), {}) for name in (*others, "EuclideanCechPersistence")}
        package = module("gtda", __path__=[])
        package.homology = module("gtda.homology", **missing, **public(ours))  # type: ignore[attr-defined]
        io = module("plotly.io", renderers=SimpleNamespace(default=None))
        module("plotly", io=io)


replace()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves tests out; a reason that no test has is an error."""
    left_out: list[pytest.Item] = []
    for pattern, reason in SUITES[NAME].left_out.items():
        found = [item for item in items if re.fullmatch(pattern, item.nodeid) and item not in left_out]
        if not found:
            raise pytest.UsageError(f"{NAME}: no test is left out by {pattern}")
        names = sorted({item.nodeid.split("[")[0] for item in found})
        print(f"left out: {len(found)} tests, {reason}: {', '.join(names)}")
        left_out += found
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]
