"""What there is to compute with."""

from __future__ import annotations

from typing import NamedTuple

from . import _lacuna


class Device(NamedTuple):
    """A GPU."""

    number: int
    name: str
    capability: tuple[int, int]
    """The compute capability."""
    memory: int
    """Bytes of memory."""


class Info(NamedTuple):
    """What there is to compute with."""

    version: str
    """The version of Lacuna."""
    threads: int
    """The number of threads that work by default."""
    simd: str
    """The vector instructions that are used."""
    cuda: str
    """The driver of GPUs, or why there is none."""
    devices: tuple[Device, ...]
    """The GPUs."""


def info() -> Info:
    """The version, and what there is to compute with: threads, vector instructions, GPUs.

    >>> import lacuna_tda
    >>> lacuna_tda.info().version == lacuna_tda.__version__
    True
    """
    found = _lacuna.machine()
    devices = (Device(of["number"], of["name"], of["capability"], of["memory"]) for of in found["devices"])
    return Info(found["version"], found["threads"], found["simd"], found["cuda"], tuple(devices))
