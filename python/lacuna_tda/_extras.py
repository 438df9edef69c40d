"""Packages that are not installed with this one, which the functions that need them import."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def extra(module: str, package: str, purpose: str) -> Any:
    """A module of a package, or an ImportError that says what needs the package and how it is installed."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        # A package that is there and lacks something itself has a message of its own.
        if error.name is None or error.name.split(".")[0] != module.split(".")[0]:
            raise
        missing = f"{purpose} needs {package}, which is not installed: pip install {package}"
        raise ImportError(missing, name=error.name) from None
