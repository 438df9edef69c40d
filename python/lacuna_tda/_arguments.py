"""Arguments of several functions, brought into the form that the extension module takes."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray


def count(name: str, value: Any, least: int) -> int:
    """A whole number that is not below the least one."""
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{name}: expected a whole number, found {value!r}") from None
    if number < least:
        raise ValueError(f"{name}: expected {least} or more, found {number}")
    if number >= 2**63:
        raise ValueError(f"{name}: expected a number below 2**63, found {number}")
    return number


def word(name: str, value: Any, expected: str) -> str:
    """A name of a choice. Whether it is one of them is known to the extension module."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected {expected}, found {value!r}")
    return value


def optional_count(name: str, value: Any, least: int) -> int | None:
    """A whole number that is not below the least one, if any is given."""
    return None if value is None else count(name, value, least)


def is_sparse(matrix: Any) -> bool:
    """Whether something is a sparse matrix or array of SciPy, which need not be imported to know it."""
    return hasattr(matrix, "tocsr") and hasattr(matrix, "tocsc") and hasattr(matrix, "nnz")


def precision(dtype: np.dtype[Any]) -> type[np.float32] | type[np.float64]:
    """The precision that distances have which are given in a type: single, but for doubles and integers of 32 and 64 bits."""
    kind, size = dtype.kind, dtype.itemsize
    if (kind == "f" and size == 8) or (kind in "iu" and size >= 4):
        return np.float64
    if kind in "iub" or (kind == "f" and size <= 4):
        return np.float32
    raise TypeError(f"expected an array of numbers up to 64 bits, found one of type {dtype}")


def unmasked(array: Any) -> Any:
    """What is given, unless it is an array of which NumPy masks entries: the numbers below a mask are no data."""
    if np.ma.is_masked(array):
        masked, of = np.count_nonzero(array.mask), np.size(array)
        raise ValueError(f"expected an array without masked entries, found {masked} of {of} masked; array.filled(value) gives them a value")
    return array


def floats(array: Any) -> NDArray[Any]:
    """An array of single or double precision, the array itself where it is one."""
    found = np.asarray(unmasked(array))
    return found.astype(precision(found.dtype), copy=False)


def image(array: Any) -> NDArray[Any]:
    """An array that holds an image, contiguous in C's or Fortran's order: the array itself where it is one."""
    found = np.asarray(unmasked(array))
    kind, size = found.dtype.kind, found.dtype.itemsize
    if kind == "b":
        found = found.view(np.uint8)
    elif kind == "f" and size == 2:
        found = found.astype(np.float32)
    elif kind not in "iuf" or size > 8:
        raise TypeError(f"expected an image of numbers up to 64 bits, found one of type {found.dtype}")
    if not found.dtype.isnative:
        found = found.astype(found.dtype.newbyteorder("="))
    flags = found.flags
    is_plain = flags.aligned and (flags.c_contiguous or flags.f_contiguous)
    return found if is_plain else np.array(found, order="C")
