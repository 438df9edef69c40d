"""Arguments of several functions, brought into the form that the extension module takes."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray


def count(name: str, value: Any, least: int) -> int:
    """A whole number that is not below the least one. It may come as a float, as NumPy and others compute them."""
    if isinstance(value, (float, np.floating)) and value.is_integer():
        value = int(value)
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


def optional_word(name: str, value: Any, expected: str) -> str | None:
    """A name of a choice, if any is given."""
    return None if value is None else word(name, value, expected)


def optional_count(name: str, value: Any, least: int) -> int | None:
    """A whole number that is not below the least one, if any is given."""
    return None if value is None else count(name, value, least)


def axes_of(name: str, value: Any) -> list[int]:
    """The number of voxels along each axis; that of one axis may be a number."""
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{name}: expected whole numbers, found {value!r}")
    return [count(name, axis, 1) for axis in (value if np.ndim(value) else [value])]


def threads_of(value: Any) -> int | None:
    """The number of threads, if any is given. Other libraries write -1 for one a core."""
    if value is not None and count("threads", value, -1) == -1:
        raise ValueError("threads: expected 1 or more, or None for one a core, found -1")
    return optional_count("threads", value, 1)


def flag(name: str, value: Any, expected: str = "True or False") -> bool:
    """A boolean of Python or of NumPy: other values would be true or false too, as the word "no" is true."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}: expected {expected}, found {value!r}")
    return bool(value)


def number(name: str, value: Any) -> float:
    """A real number; a whole one as an int, however many digits it has."""
    try:
        whole = index(value)
    except TypeError:
        pass
    else:
        if abs(whole) >= 2**1023:
            raise ValueError(f"{name}: expected a number that a double holds, found one of {whole.bit_length()} bits")
        return whole
    # They would be parsed.
    if not isinstance(value, (str, bytes, bytearray)):
        try:
            return float(value)
        except (TypeError, ValueError):
            pass
    raise TypeError(f"{name}: expected a number, found {value!r}")


def pair(name: str, value: Any, expected: str = "a pair") -> tuple[float, float]:
    """Two numbers, such as the ends of a range."""
    low, high = two(name, value, expected)
    return number(name, low), number(name, high)


def two(name: str, value: Any, expected: str = "a pair") -> tuple[Any, Any]:
    """Two of something."""
    try:
        first, second = value
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected {expected}, found {value!r}") from None
    return first, second


def optional_number(name: str, value: Any) -> float | None:
    """A real number, if any is given."""
    return None if value is None else number(name, value)


def bars_of(name: str, bars: Any) -> list[tuple[int, int]] | None:
    """Bars by dimension and place, if any are given."""
    return None if bars is None else [(count(name, dim, 0), count(name, place, 0)) for dim, place in bars]


def bytes_of(name: str, value: Any) -> int | None:
    """A number of bytes, if any is given, as a whole number or as a text such as "500M"."""
    if not isinstance(value, str):
        return optional_count(name, value, 1)
    digits, power = (value[:-1], "KMG".index(value[-1]) + 1) if value[-1:] in ("K", "M", "G") else (value, 0)
    if not (digits.isascii() and digits.isdigit()) or int(digits) == 0:
        raise ValueError(f"{name}: expected a number of bytes such as 256M, found {value!r}")
    return count(name, int(digits) << 10 * power, 1)


def warn(message: str) -> None:
    """Warns of something in the name of the line that called the package."""
    warnings.warn(message, stacklevel=len(_modules()) + 1)


def hint(message: str) -> None:
    """Warns of something that may not be meant, unless a module of `compat` called, which warns where the library does whose place it takes."""
    if not any(module.startswith("lacuna_tda.compat") for module in _modules()):
        warn(message)


def _modules() -> list[str]:
    """The modules of this package that have called one another, the latest first."""
    modules, frame = [], sys._getframe().f_back
    while frame is not None and (module := str(frame.f_globals.get("__name__"))).split(".")[0] == "lacuna_tda":
        modules.append(module)
        frame = frame.f_back
    return modules


def is_sparse(matrix: Any) -> bool:
    """Whether something is a sparse matrix or array of SciPy, which need not be imported to know it."""
    return hasattr(matrix, "tocsr") and hasattr(matrix, "tocsc") and hasattr(matrix, "nnz")


def precision(dtype: np.dtype[Any]) -> type[np.float32] | type[np.float64]:
    """The precision that distances have which are given in a type: single, but for doubles and integers of 32 and 64 bits."""
    kind, size = dtype.kind, dtype.itemsize
    if (kind == "f" and size == 8) or (kind in "iu" and size >= 4):
        return np.float64
    return np.float32


def unmasked(array: Any) -> Any:
    """What is given, unless it is an array of which NumPy masks entries: the numbers below a mask are no data."""
    if np.ma.is_masked(array):
        masked, of = np.count_nonzero(array.mask), np.size(array)
        raise ValueError(f"expected an array without masked entries, found {masked} of {of} masked; array.filled(value) gives them a value")
    return array


def numbers(array: Any, expected: str = "an array") -> NDArray[Any]:
    """An array of booleans, or of integers or floats up to 64 bits, itself where it is one. Longer floats and objects that are numbers, which data
    frames with nullable columns have, become doubles."""
    unmasked(array)
    try:
        found = np.asarray(array)
    except ValueError as error:
        raise ValueError(f"expected rows of one length: {error}") from error
    except (TypeError, RuntimeError) as error:
        raise TypeError(f"expected {expected} of numbers, found a {type(array).__name__} that NumPy does not take: {error}") from error
    kind = found.dtype.kind
    if kind in "biu" or (kind == "f" and found.dtype.itemsize <= 8):
        return found
    if kind == "f":
        return found.astype(np.float64)
    if kind == "O" and found.ndim:
        # Of rows of several lengths NumPy makes an array of lists before 1.24.
        if any(isinstance(entry, (list, tuple)) for entry in found.flat):
            raise ValueError("expected rows of one length")
        entries = [number(f"entry {list(at)}", entry) for at, entry in np.ndenumerate(found)]
        return np.array(entries, np.float64).reshape(found.shape)
    raise TypeError(f"expected {expected} of numbers up to 64 bits, found {_no_numbers(array, found.dtype)}")


def _no_numbers(array: Any, dtype: np.dtype[Any]) -> str:
    """What was found in the place of an array of numbers, and what makes one of it."""
    if isinstance(array, (str, os.PathLike)):
        return f"{array!r}; lacuna_tda.read reads files"
    if is_sparse(array):
        return "a sparse matrix; .toarray() makes an array of it"
    if dtype.kind == "O":
        return f"a {type(array).__name__}"
    way = "abs(array) or array.real has real numbers" if dtype.kind == "c" else "array.astype(float) makes numbers of it"
    return f"one of type {dtype}; {way}"


def floats(array: Any) -> NDArray[Any]:
    """An array of single or double precision, the array itself where it is one."""
    found = numbers(array)
    return found.astype(precision(found.dtype), copy=False)


_DOUBLE = np.dtype(np.float64)


def births_and_deaths(name: str, array: Any) -> NDArray[np.float64]:
    """Births and deaths, (n, 2), as an array of type float64, the array itself where it is one."""
    # As every computation answers them: of many small inputs the checks below would take a twentieth of the time.
    if type(array) is np.ndarray and array.ndim == 2 and array.shape[1] == 2 and array.dtype == _DOUBLE:
        return array
    if not isinstance(array, np.ndarray) and isinstance(array, Mapping):
        raise TypeError(f"{name}: expected an array of shape (n, 2), found a mapping; the diagrams of ripser are under its key 'dgms'")
    try:
        found = np.asarray(array)
    except ValueError as error:
        way = "of a list of diagrams take one, as diagrams[1]"
        raise ValueError(f"{name}: expected an array of shape (n, 2), found rows of several lengths; {way}") from error
    if found.size == 0:
        found = found.reshape(0, 2)
    if found.ndim != 2 or found.shape[1] != 2:
        raise ValueError(f"{name}: expected an array of shape (n, 2), found {found.shape}")
    if found.dtype.kind in "SUc":
        raise TypeError(f"{name}: expected an array of numbers, found one of type {found.dtype}")
    return found.astype(np.float64, copy=False)


def image(array: Any, nan: float | str | None) -> NDArray[Any]:
    """An array that holds an image, contiguous in C's or Fortran's order: the array itself where it is one and no NaN is replaced."""
    value = in_place_of_nan(nan)
    found = numbers(array, "an image")
    if found.ndim > 4 and sum(voxels > 1 for voxels in found.shape) > 4:
        others = "lacuna_tda.compat.gudhi takes any number of axes"
        raise ValueError(f"expected 1 to 4 axes of more than one voxel, found shape {list(found.shape)}; {others}")
    tell_of_colours(found.shape, found.dtype)
    kind, size = found.dtype.kind, found.dtype.itemsize
    if kind == "b":
        found = found.view(np.uint8)
    elif kind == "f" and size == 2:
        found = found.astype(np.float32)
    if not found.dtype.isnative:
        found = found.astype(found.dtype.newbyteorder("="))
    flags = found.flags
    is_plain = flags.aligned and (flags.c_contiguous or flags.f_contiguous)
    plain = found if is_plain else np.array(found, order="C")
    return plain if value is None or kind != "f" else _with_nan(plain, value)


def in_place_of_nan(nan: Any) -> float | None:
    """The number that takes the place of NaN, if any is given."""
    ends = {"lowest": float("-inf"), "highest": float("inf")}
    value = ends.get(nan) if isinstance(nan, str) else optional_number("nan", nan)
    if value != value or (value is None and nan is not None):
        raise ValueError(f"nan: expected a number, 'lowest' or 'highest', found {nan!r}")
    return value


def _with_nan(image: NDArray[Any], value: float) -> NDArray[Any]:
    """The image with another value for NaN, a copy where it has such voxels."""
    is_nan = np.isnan(image)
    if not is_nan.any():
        return image
    with np.errstate(over="ignore"):
        nearest = image.dtype.type(value)
    if np.isinf(nearest) and abs(value) != np.inf:
        raise ValueError(f"nan: expected a number that {image.dtype} holds, found {value!r}")
    image = image.copy(order="K")
    image[is_nan] = nearest
    return image


def tell_of_colours(shape: Sequence[int], dtype: np.dtype[Any]) -> None:
    """Warns of a picture in colours: a row of voxels along its last axis is no part of space."""
    is_colour = len(shape) == 3 and shape[2] in (3, 4) and min(shape[:2]) >= 8
    if is_colour and (dtype.kind == "f" or (dtype.kind == "u" and dtype.itemsize <= 2)):
        taken = f"the image of shape {tuple(shape)} is taken for a volume of {shape[2]} slices"
        hint(f"{taken}; if they are colours, make it gray first, as image.mean(axis=-1) does, or take one, image[..., 0]")
