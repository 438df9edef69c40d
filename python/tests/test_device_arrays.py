"""Arrays that lie on a GPU: what they say of themselves, which needs none; and on a GPU what is computed of them, against arrays of the host."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import lacuna_tda
from lacuna_tda._device_arrays import ALL, NOTHING, lent

HAS_GPU = bool(lacuna_tda.info().devices)
on_gpu = pytest.mark.skipif(not HAS_GPU, reason="this machine has no GPU")


class Interface:
    """An array that has `__cuda_array_interface__`, whatever it says."""

    def __init__(self, array: NDArray[Any], **others: Any) -> None:
        self.array = array
        interface = {**array.__array_interface__, "version": 3, **others}
        self.__cuda_array_interface__ = {key: value for key, value in interface.items() if key != "descr"}


def without(entry: str) -> Interface:
    """An array whose interface lacks an entry."""
    array = Interface(np.zeros((4, 4)))
    del array.__cuda_array_interface__[entry]
    return array


class Capsule:
    """An array that has DLPack and says that it lies on a GPU."""

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array
        self.streams: list[int] = []

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0

    def __dlpack__(self, *, stream: int) -> Any:
        self.streams.append(stream)
        return self.array.__dlpack__()


@pytest.mark.parametrize("as_other", [Interface, Capsule])
@pytest.mark.parametrize(
    ("array", "order", "kind"),
    [
        (np.zeros((3, 4), dtype=np.uint8), "C", "u1"),
        (np.zeros((3, 4), dtype=bool), "C", "u1"),
        (np.zeros((3, 4, 5), dtype=np.float64, order="F"), "F", "f8"),
        (np.zeros((3, 4, 5), dtype=np.int16)[1:], "C", "i2"),
        (np.zeros((1, 4, 5), dtype=np.uint64)[:, 1:3], "C", "u8"),
        (np.zeros(7, dtype=np.float32), "C", "f4"),
    ],
)
def test_where_arrays_lie_and_how(as_other: Callable[..., Any], array: NDArray[Any], order: str, kind: str) -> None:
    found = lent(as_other(array))
    assert found is not None
    assert (found.address, found.shape, found.order, found.type) == (array.ctypes.data, list(array.shape), order, kind)


@pytest.mark.parametrize("function", [lacuna_tda.ecc, lacuna_tda.thin])
def test_colours_on_a_gpu_are_told(function: Callable[..., object]) -> None:
    # What is computed of them, if a GPU is there to find out that this memory is not its own, does not matter.
    with pytest.warns(UserWarning, match="taken for a volume of 3 slices"), contextlib.suppress(RuntimeError, ValueError):
        function(Interface(np.zeros((8, 9, 3), dtype=np.uint8)))


def test_which_stream_is_waited_for() -> None:
    array = np.zeros((2, 2), dtype=np.uint8)

    def stream_of(other: Any) -> int | None:
        found = lent(other)
        return None if found is None else found.stream

    assert stream_of(Interface(array)) == NOTHING
    assert stream_of(Interface(array, stream=None)) == NOTHING
    assert stream_of(Interface(array, stream=7)) == 7
    # The default stream of the caller's thread, which another thread cannot wait for.
    assert stream_of(Interface(array, stream=2)) == ALL
    assert stream_of(Interface(array, version=2)) == ALL
    capsule = Capsule(array)
    assert (stream_of(capsule), capsule.streams) == (1, [1])
    for nothing in (array, [1, 2], object(), np.float64(2)):
        assert lent(nothing) is None


@pytest.mark.parametrize(
    ("other", "error", "message"),
    [
        (Interface(np.zeros((4, 4))[:, ::2]), ValueError, r"contiguous in C's or Fortran's order, found shape \(4, 2\)"),
        (Capsule(np.zeros((4, 4))[::2]), ValueError, r"contiguous in C's or Fortran's order, found shape \(2, 4\)"),
        (Interface(np.zeros((4, 4)), stream=0), ValueError, "stream: expected none or a number from 1 up, found 0"),
        (Interface(np.zeros((4, 4)), mask=np.zeros((4, 4))), ValueError, "without a mask"),
        (Interface(np.zeros((4, 4), dtype=np.complex64)), TypeError, "found one of type complex64"),
        (Interface(np.zeros((4, 4), dtype=np.float16)), TypeError, "found one of type float16"),
        (without("shape"), ValueError, "__cuda_array_interface__: expected an entry 'shape', found none"),
        (without("version"), ValueError, "__cuda_array_interface__: expected an entry 'version', found none"),
        (Interface(np.zeros((4, 4)), data=None), ValueError, "__cuda_array_interface__: expected entries as its version 3 has them"),
        (Interface(np.zeros((4, 4)), shape=(4.0, 4.0)), ValueError, "__cuda_array_interface__: expected entries as its version 3 has them"),
        (Interface(np.zeros((4, 4)), strides=(8,)), ValueError, "strides: expected one for each of 2 axes, found 1"),
        (Capsule(np.zeros((4, 4), dtype=np.complex64)), TypeError, "64 bits of DLPack's type 5"),
        (Interface(np.zeros((4, 4), dtype=">i4")), TypeError, "byte order"),
    ],
)
def test_arrays_that_are_no_images_are_refused(other: Any, error: type[Exception], message: str) -> None:
    for call in (lacuna_tda.ecc, lacuna_tda.thin):
        with pytest.raises(error, match=message):
            call(other)


def test_options_that_do_not_suit_arrays_on_a_gpu() -> None:
    other = Interface(np.zeros((4, 4), dtype=np.uint8))
    for call in (lacuna_tda.ecc, lacuna_tda.thin):
        with pytest.raises(ValueError, match="expected auto or cuda for an array on a GPU, found cpu"):
            call(other, backend="cpu")
        with pytest.raises(ValueError, match="backend: expected auto, cpu or cuda, found 'gpu'"):
            call(other, backend="gpu")
        with pytest.raises(ValueError, match="nan: expected an array of the host, found one on a GPU"):
            call(other, nan=0)
    with pytest.raises(ValueError, match="scales: expected backend auto or cpu for an array of the host, found cuda"):
        lacuna_tda.ecc(np.zeros((4, 4)), scales=2, backend="cuda")
    with pytest.raises(ValueError, match="expected a number for an array on a GPU, found 'otsu'"):
        lacuna_tda.thin(other, threshold="otsu")


def test_arrays_without_voxels_are_refused_wherever_they_lie() -> None:
    for call in (lacuna_tda.ecc, lacuna_tda.thin):
        with pytest.raises(ValueError, match=r"at least one voxel along each axis"):
            call(Interface(np.zeros((0, 4), dtype=np.uint8), data=(0, False)))


@pytest.mark.skipif(HAS_GPU, reason="this machine has a GPU")
def test_without_a_gpu_it_is_said() -> None:
    for call in (lacuna_tda.ecc, lacuna_tda.thin):
        with pytest.raises(RuntimeError, match="CUDA"):
            call(Interface(np.zeros((4, 4), dtype=np.uint8)))


class Driver:
    """CUDA's driver: memory of a device without any other library."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL("libcuda.so.1")
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.context = context
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.taken: list[ctypes.c_uint64] = []

    def call(self, name: str, *arguments: Any) -> None:
        assert getattr(self.library, name)(*arguments) == 0, name

    def array(self, array: NDArray[Any]) -> Interface:
        """An array of the device, which lives as long as this."""
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(array.nbytes))
        self.taken.append(address)
        self.call("cuMemcpyHtoD_v2", address, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes))
        return Interface(array, data=(address.value, False))

    def close(self) -> None:
        for address in self.taken:
            self.call("cuMemFree_v2", address)


@pytest.fixture(params=["driver", "cupy", "cupy with DLPack", "torch", "torch with DLPack", "numba"])
def to_device(request: pytest.FixtureRequest) -> Iterator[Callable[[NDArray[Any]], Any]]:
    """What brings arrays to the device."""
    name, *by_dlpack = request.param.split(" ")

    class Dlpack:
        def __init__(self, array: Any) -> None:
            self.array, self.__dlpack__, self.__dlpack_device__ = array, array.__dlpack__, array.__dlpack_device__

    if name == "driver":
        driver = Driver()
        yield driver.array
        driver.close()
        return
    if name == "numba":
        cuda = pytest.importorskip("numba.cuda", exc_type=ImportError)
        if not cuda.is_available():
            pytest.skip("numba finds no GPU")
        yield cuda.to_device
        return
    library = pytest.importorskip(name, exc_type=ImportError)

    def bring(array: NDArray[Any]) -> Any:
        if name == "cupy":
            found = library.asarray(array)
        else:
            if array.dtype in (np.uint16, np.uint32, np.uint64):
                pytest.skip("PyTorch has few unsigned integers")
            found = library.from_numpy(array.copy()).cuda()
        return Dlpack(found) if by_dlpack else found

    yield bring


TYPES = [np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.uint64, np.int64, np.float32, np.float64]


def assert_same(found: Any, expected: Any) -> None:
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@on_gpu
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(100,), (33, 70), (64, 64), (9, 31, 65), (16, 16, 128)])
def test_gpu_arrays_are_what_arrays_of_the_host_are(
    rng: np.random.Generator, to_device: Callable[[NDArray[Any]], Any], shape: tuple[int, ...], dtype: type
) -> None:
    array: NDArray[Any] = rng.integers(0, 90, shape).astype(dtype)
    on_device = to_device(array)
    options: list[dict[str, Any]] = [{}, {"bins": 7}, {"bins": 5, "range": (3, 60), "superlevel": True, "construction": "V"}]
    for option in options:
        assert_same(lacuna_tda.ecc(on_device, **option), lacuna_tda.ecc(array, backend="cpu", **option))
        scales = lacuna_tda.ecc(on_device, scales=3, **option)
        for one, other in zip(scales, lacuna_tda.ecc(array, scales=3, **option), strict=True):
            assert_same(one, other)
    options = [{"threshold": 40}, {"threshold": 50.5, "invert": True}, {"iterations": 1}]
    for option in options:
        skeleton = lacuna_tda.thin(on_device, **option)
        assert isinstance(skeleton, lacuna_tda.DeviceArray) and skeleton.shape == shape
        np.testing.assert_array_equal(skeleton.copy_to_host(), lacuna_tda.thin(array, backend="cpu", **option))


@on_gpu
def test_gpu_skeletons_are_arrays_of_other_libraries(rng: np.random.Generator) -> None:
    image = rng.random((40, 50)) > 0.3
    expected = lacuna_tda.thin(image, backend="cpu")
    driver = Driver()
    skeleton: Any = lacuna_tda.thin(driver.array(image))
    checked = 0
    try:
        import cupy

        np.testing.assert_array_equal(cupy.asarray(skeleton).get(), expected)
        checked += 1
    except ImportError:
        pass
    try:
        import torch

        if torch.cuda.is_available():
            np.testing.assert_array_equal(torch.as_tensor(skeleton, device="cuda").cpu().numpy(), expected)
            checked += 1
    except ImportError:
        pass
    # What was computed stays on the device, and can be worked on again.
    curve = lacuna_tda.ecc(skeleton)
    assert_same(curve, lacuna_tda.ecc(expected))
    np.testing.assert_array_equal(skeleton.copy_to_host(), expected)
    print(f"{checked} other libraries have the skeleton")
    driver.close()


@on_gpu
def test_gpu_the_current_context_of_the_caller_stays() -> None:
    driver = Driver()
    image = np.eye(8, dtype=np.uint8)
    on_device = driver.array(image)
    driver.call("cuCtxSetCurrent", ctypes.c_void_p())
    lacuna_tda.ecc(on_device)
    skeleton = lacuna_tda.thin(on_device)
    assert isinstance(skeleton, lacuna_tda.DeviceArray)
    np.testing.assert_array_equal(skeleton.copy_to_host(), lacuna_tda.thin(image, backend="cpu"))
    assert skeleton.__cuda_array_interface__["shape"] == (8, 8)
    del skeleton
    current = ctypes.c_void_p()
    driver.call("cuCtxGetCurrent", ctypes.byref(current))
    assert current.value is None
    driver.call("cuCtxSetCurrent", driver.context)
    driver.close()


@on_gpu
def test_gpu_arrays_that_are_no_images() -> None:
    driver = Driver()
    image = np.ones((6, 7), dtype=np.float32)
    image[2, 3] = np.nan
    for call in (lacuna_tda.ecc, lacuna_tda.thin):
        with pytest.raises(ValueError, match=r"voxel \[2, 3\]: expected a number, found NaN"):
            call(driver.array(image))
    image[2, 3] = np.inf
    with pytest.raises(ValueError, match=r"voxel \[2, 3\]: expected a 32-bit float to be smoothed, found inf"):
        lacuna_tda.ecc(driver.array(image), scales=2)
    with pytest.raises(RuntimeError, match="looking for its device"):
        lacuna_tda.ecc(Interface(image, data=(4096, False)))
    driver.close()


@on_gpu
def test_gpu_tensors_have_the_bars_of_the_host(rng: np.random.Generator) -> None:
    torch = pytest.importorskip("torch", exc_type=ImportError)
    if not torch.cuda.is_available():
        pytest.skip("PyTorch finds no GPU")
    import lacuna_tda.torch as topology

    points = torch.from_numpy(rng.random((30, 3))).cuda().requires_grad_()
    found = topology.rips(points)
    assert all(bars.is_cuda for bars in found)
    for bars, expected in zip(found, lacuna_tda.rips(points.detach().cpu().numpy()), strict=True):
        np.testing.assert_allclose(bars.detach().cpu().numpy(), expected)
    torch.cat([bars[torch.isfinite(bars)] for bars in found]).sum().backward()
    assert points.grad is not None and points.grad.is_cuda
