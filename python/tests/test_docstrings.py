"""Docstrings of public names are what numpydoc takes, but for the checks that pyproject.toml leaves out."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

validate = pytest.importorskip("numpydoc.validate").validate
tomllib = pytest.importorskip("tomllib")

PYPROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
LEFT_OUT = set(tomllib.loads(PYPROJECT.read_text())["tool"]["numpydoc_validation"]["checks"])
MODULES = ["", ".sklearn", ".torch", ".jax", ".compat.cripser", ".compat.gph", ".compat.gtda", ".compat.gudhi", ".compat.ripser"]
# Parameters that scikit-learn passes and transformers ignore.
IGNORED = {"y", "Y", "input_features"}


def public(module: str) -> Iterator[tuple[str, object]]:
    """The functions and classes of a module that are documented in Python, and the methods that classes have themselves."""
    try:
        found = import_module(module)
    except ImportError as error:
        pytest.skip(str(error))
    for name in found.__all__:
        thing = getattr(found, name)
        # The extension module and its classes are documented in Rust.
        if not callable(thing) or thing.__module__ == "lacuna_tda._lacuna":
            continue
        yield f"{module}.{name}", thing
        if inspect.isclass(thing):
            for method, of in vars(thing).items():
                if not method.startswith("_") and inspect.isfunction(of):
                    yield f"{module}.{name}.{method}", of


def faults(name: str, thing: object) -> list[str]:
    """What numpydoc says of a docstring."""
    doc = inspect.getdoc(thing) or ""
    found = []
    for code, said in validate(name)["errors"]:
        named = set(re.findall(r"'([^']+)'", said))
        # Fields of named tuples have docstrings of their own, options are in a table, and a method's summary may name its parameters.
        is_told_elsewhere = hasattr(thing, "_fields") or "**options" in doc or ("." in getattr(thing, "__qualname__", "") and "Parameters\n" not in doc)
        if code in LEFT_OUT or (code == "PR01" and (is_told_elsewhere or named <= IGNORED)) or (code == "PR02" and named == {"**options"}):
            continue
        found.append(f"{name}: {code} {said}")
    return found


@pytest.mark.parametrize("module", [f"lacuna_tda{name}" for name in MODULES])
def test_docstrings_are_in_numpydoc_form(module: str) -> None:
    names = list(public(module))
    assert names
    assert [fault for name, thing in names for fault in faults(name, thing)] == []
