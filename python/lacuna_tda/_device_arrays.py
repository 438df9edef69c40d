"""Arrays of other libraries that lie on a GPU: where they lie, and what lies there.

Libraries say so in one of two ways: CuPy, PyTorch, Numba and others by the attribute `__cuda_array_interface__`, a dictionary; and all that follow
the array API standard by the methods `__dlpack_device__` and `__dlpack__`, of which the second gives a capsule around a structure of C.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index
from typing import Any, NamedTuple

import numpy as np

# The legacy default stream, and the default stream of the thread that says so.
LEGACY, PER_THREAD = 1, 2
# There is nothing to wait for.
NOTHING = -1
# All work on the device is to be waited for.
ALL = 0

# What DLPack calls memory of a CUDA device, and such as moves between the device and the host.
CUDA, CUDA_MANAGED = 2, 13
# What DLPack calls types: signed integers, unsigned ones, floats, Booleans.
KINDS = {0: "i", 1: "u", 2: "f", 6: "b"}


class Lent(NamedTuple):
    """An array on a GPU, as the extension module takes it."""

    address: int
    shape: list[int]
    order: str
    """C or F: which axis varies fastest, the last or the first."""
    type: str
    """The letter of NumPy for the kind, i, u or f, and the number of bytes."""
    stream: int
    """The stream on which the array may still be written, or one of the constants here."""
    owner: Any
    """Keeps the memory."""


def lent(array: Any) -> Lent | None:
    """Where an array lies on a GPU; nothing if it lies elsewhere, or is no array."""
    if isinstance(array, np.ndarray):
        return None
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is not None:
        return _by_interface(array, interface)
    device = getattr(array, "__dlpack_device__", None)
    if device is not None and device()[0] in (CUDA, CUDA_MANAGED):
        return _by_dlpack(array)
    return None


def _by_interface(array: Any, interface: Mapping[str, Any]) -> Lent:
    try:
        mask, version = interface.get("mask"), index(interface["version"])
        dtype, address = np.dtype(interface["typestr"]), index(interface["data"][0])
        shape, steps = [index(extent) for extent in interface["shape"]], interface.get("strides")
        steps = None if steps is None else [index(step) for step in steps]
        # Since version 3 the interface says which stream to wait for, if there is any.
        stream = interface.get("stream") if version >= 3 else None
        stream = None if stream is None else index(stream)
    except KeyError as error:
        raise ValueError(f"__cuda_array_interface__: expected an entry {error}, found none") from None
    except (AttributeError, IndexError, TypeError) as error:
        raise ValueError(f"__cuda_array_interface__: expected entries as its version 3 has them: {error}") from error
    if mask is not None:
        raise ValueError("expected an array without a mask")
    if stream is not None and stream < 1:
        raise ValueError(f"stream: expected none or a number from 1 up, found {stream}")
    if steps is not None and len(steps) != len(shape):
        raise ValueError(f"strides: expected one for each of {len(shape)} axes, found {len(steps)}")
    return Lent(
        address=address,
        shape=shape,
        order=_order(shape, steps, dtype.itemsize),
        type=_type(dtype),
        stream=_awaited(stream) if version >= 3 else ALL,
        owner=array,
    )


def _by_dlpack(array: Any) -> Lent:
    # Other arrays need not wait for it to be imported.
    import ctypes

    class Tensor(ctypes.Structure):
        """`DLTensor` of DLPack, with which a managed tensor begins."""

        _fields_ = (
            ("data", ctypes.c_void_p),
            ("device_type", ctypes.c_int32),
            ("device_id", ctypes.c_int32),
            ("ndim", ctypes.c_int32),
            ("code", ctypes.c_uint8),
            ("bits", ctypes.c_uint8),
            ("lanes", ctypes.c_uint16),
            ("shape", ctypes.POINTER(ctypes.c_int64)),
            ("strides", ctypes.POINTER(ctypes.c_int64)),
            ("byte_offset", ctypes.c_uint64),
        )

    # The legacy default stream then waits for what is still to be written.
    capsule = array.__dlpack__(stream=LEGACY)
    prototype = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    pointer = prototype(("PyCapsule_GetPointer", ctypes.pythonapi))
    # A capsule that is not renamed frees what it holds when it goes, so it is kept as long as the memory is read.
    tensor = ctypes.cast(pointer(capsule, b"dltensor"), ctypes.POINTER(Tensor)).contents
    if tensor.lanes != 1 or tensor.code not in KINDS or tensor.bits % 8 != 0:
        found = f"one of {tensor.bits} bits of DLPack's type {tensor.code}"
        raise TypeError(f"expected an image on the GPU of numbers up to 64 bits, found {found}")
    size = tensor.bits // 8
    shape = list(tensor.shape[: tensor.ndim])
    steps = [step * size for step in tensor.strides[: tensor.ndim]] if tensor.strides else None
    return Lent(
        address=(tensor.data or 0) + tensor.byte_offset,
        shape=shape,
        order=_order(shape, steps, size),
        type=_type(np.dtype(f"{KINDS[tensor.code]}{size}")),
        stream=LEGACY,
        owner=capsule,
    )


def _awaited(stream: int | None) -> int:
    """The stream to wait for, of one that an interface names."""
    if stream is None:
        return NOTHING
    # It is another thread that waits, whose default stream is another.
    return ALL if stream == PER_THREAD else stream


def _order(shape: Sequence[int], steps: Sequence[int] | None, size: int) -> str:
    """Which axis varies fastest in memory, of voxels of so many bytes; steps are in bytes."""
    if steps is None:
        return "C"
    for order, axes in (("C", range(len(shape) - 1, -1, -1)), ("F", range(len(shape)))):
        expected, is_in_order = size, True
        for axis in axes:
            is_in_order &= shape[axis] == 1 or steps[axis] == expected
            expected *= shape[axis]
        if is_in_order:
            return order
    expected_order = "expected an array on the GPU that is contiguous in C's or Fortran's order"
    raise ValueError(f"{expected_order}, found shape {tuple(shape)} with strides {tuple(steps)}")


def _type(dtype: np.dtype[Any]) -> str:
    if dtype.kind == "b":
        return "u1"
    if dtype.kind not in "iuf" or dtype.itemsize > 8 or (dtype.kind == "f" and dtype.itemsize < 4):
        expected = "integers of 8 to 64 bits or floats of 32 or 64 bits"
        raise TypeError(f"expected an image on the GPU of {expected}, found one of type {dtype}")
    if not dtype.isnative:
        raise TypeError("expected an array on the GPU in the machine's byte order")
    return f"{dtype.kind}{dtype.itemsize}"
