"""Images: bars, Euler characteristic curves, skeletons."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from . import _lacuna
from ._arguments import bars_of, count, flag, image as plain_image, number, optional_count, optional_number, pair, tell_of_colours, word
from ._curves import EulerCurve
from ._device_arrays import Lent, lent
from ._diagram import CellChain, Diagram, ImageRepresentatives
from ._many import answered, diagrams, each, expect_errors
from ._options import CubicalManyOptions, CubicalOptions, EccOptions, ThinOptions, expect_representatives, filled, running, takes

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._answers import CubicalAnswer


@takes(CubicalOptions)
def cubical(image: Any, **options: Unpack[CubicalOptions]) -> Diagram:
    """The barcode of an image, over Z/2.

    Parameters
    ----------
    image : array
        Up to four axes of more than one voxel; integers of 8 to 64 bits or floats, longer ones as
        doubles. An array that is contiguous, in C's or Fortran's order, is read where it is. NaN is an error unless ``nan`` replaces it, and so are entries that NumPy masks;
        infinities are values like others. A last axis of 3 or 4 voxels is an axis of space like the others: of pictures in colours, which
        have such arrays, a warning says so.
    construction : "T" or "V"
        ``"T"``: voxels are top cells and touch at corners as well (8 neighbours in the plane, 26 in space), GUDHI's ``top_dimensional_cells``.
        ``"V"``: voxels are vertices, joined along the axes (4, 6), GUDHI's ``vertices``.
    superlevel : bool
        Whether the filtration starts from the greatest value. Bars are then born above where they die, and essential ones die at ``-inf``.
    max_dim : int, optional
        The highest homology dimension; by default all.
    threshold : number, optional
        The value at which the filtration ends; what dies past it is essential. Integers are compared exactly.
    periodic : bool or sequence of int
        The axes along which the image closes up, so that the last voxel is next to the first: numbers of axes, negative ones counted from
        the end, or True for all. Each has two voxels or more. Where all axes close up, the image is a torus, and there are bars of its own
        dimension too.
    mask : array, optional
        Only the part of the image where this array of the same shape is not 0 is looked at. With ``construction="V"``, cells are in this
        part if all their voxels are, with ``"T"``, if one of their voxels is.
    verify : bool
        Whether the bars are checked against the Euler characteristic curve, which is computed from the cells: at every value, the
        alternating sum of the bars alive has to be the Euler characteristic. It needs the bars of all dimensions.
    locations : bool
        Whether :attr:`Diagram.locations` holds the voxels at which classes are born and die.
    representatives : "cycles", optional
        Whether :attr:`Diagram.representatives` holds a cycle of each bar, an :class:`ImageRepresentatives` a dimension.
    only : sequence of (dimension, place), optional
        Cycles of these bars alone.
    longest : int, optional
        Cycles of so many bars of dimension 1 and above alone, those that last longest; of dimension 0 if there are no others.
    min_persistence : number, optional
        Cycles of the bars alone that last so long or longer.
    nan : number, "lowest" or "highest", optional
        The value of voxels that are NaN, ``-inf`` or ``inf`` by the names; by default NaN is an error. The image is copied then.
    threads, backend, progress, time_limit, memory, checkpoint, checkpoint_every
        As those of :func:`rips`.

    Returns
    -------
    Diagram
        Births and deaths are values of voxels.

    Raises
    ------
    ValueError
        An array that is no image, 2**30 voxels or more, or a bar whose value is an integer that no double is; an axis or a mask that does
        not suit the image.
    TypeError, MemoryError, TimeoutError, OSError, RuntimeError
        As :func:`rips`.

    Examples
    --------
    A ring of ones around a nine:

    >>> import numpy as np
    >>> import lacuna_tda
    >>> ring = np.array([[1, 1, 1], [1, 9, 1], [1, 1, 1]], dtype=np.uint8)
    >>> diagram = lacuna_tda.cubical(ring, locations=True)
    >>> diagram.bars(1)
    array([[1., 9.]])
    >>> births, deaths = diagram.locations[1]
    >>> deaths
    array([[1, 1]])

    The pixels that go round it:

    >>> found = lacuna_tda.cubical(ring, construction="V", representatives="cycles")
    >>> found.representatives[1].cycles[0].voxels.tolist()
    [[0, 0], [0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1], [2, 2]]

    A torus, which has two loops and one cavity that are never filled:

    >>> torus = lacuna_tda.cubical(ring, periodic=True)
    >>> [bars.tolist() for bars in torus]
    [[[1.0, inf]], [[1.0, inf], [1.0, inf]], [[9.0, inf]]]

    The ring without what is inside:

    >>> lacuna_tda.cubical(ring, mask=ring < 9, verify=True).bars(1)
    array([[ 1., inf]])
    """
    options = filled(CubicalOptions, options)
    request = requested(options)
    array = plain_image(image, options["nan"])
    with telling_of_nan(array):
        return _diagram(running(options, lambda run: _lacuna.cubical(array, request, run), request))


@overload
def cubical_many(images: Any, *, errors: Literal["raise"] = ..., **options: Unpack[CubicalManyOptions]) -> list[Diagram]: ...
@overload
def cubical_many(images: Any, *, errors: Literal["return"], **options: Unpack[CubicalManyOptions]) -> list[Diagram | Exception]: ...
@takes(CubicalManyOptions)
def cubical_many(
    images: Any, *, errors: Literal["raise", "return"] = "raise", **options: Unpack[CubicalManyOptions]
) -> list[Diagram] | list[Diagram | Exception]:
    """The barcodes of many images, in their order: as :func:`cubical` of each, and faster where there are several cores.

    Images up to a million voxels are done side by side, one a thread, larger ones one after the other. An image that fails does not stop
    the others.

    Parameters
    ----------
    images : sequence of arrays, or array of up to four axes
        The images; of an array, the first axis runs through them. A ``mask`` is one for all.
    errors : "raise" or "return"
        What becomes of images that fail, as of :func:`rips_many`.
    **options
        As those of :func:`cubical`, without checkpoints; ``progress`` counts images.

    Returns
    -------
    list of Diagram
        One for each image; with ``errors="return"`` also exceptions.

    Raises
    ------
    ValueError, TypeError, MemoryError, TimeoutError, RuntimeError
        As :func:`cubical`.

    Examples
    --------
    >>> import numpy as np
    >>> import lacuna_tda
    >>> ring = np.array([[1, 1, 1], [1, 9, 1], [1, 1, 1]], dtype=np.uint8)
    >>> [diagram.bars(1).tolist() for diagram in lacuna_tda.cubical_many([ring, 2 * ring])]
    [[[1.0, 9.0]], [[2.0, 18.0]]]
    """
    expect_errors(errors)
    options = filled(CubicalManyOptions, options)
    request = requested(options)
    if isinstance(images, np.ndarray) and images.dtype != object and images.ndim < 2:
        raise ValueError(f"expected several images, an array whose first axis runs through them or a sequence, found shape {images.shape}")
    arrays = each(images, lambda image: plain_image(image, options["nan"]))

    def answers(run: _lacuna.Run) -> list[CubicalAnswer | Exception]:
        return answered(arrays, lambda arrays: _lacuna.cubical_many(arrays, request, run))

    return diagrams(running(options, answers), _diagram, errors)


class Request(NamedTuple):
    """What is asked of the extension module about the bars of an image."""

    construction: str
    superlevel: bool
    max_dim: int | None
    threshold: float | None
    periodic: list[int] | None
    mask: NDArray[Any] | None
    verify: bool
    locations: bool
    representatives: bool
    only: list[tuple[int, int]] | None
    longest: int | None
    min_persistence: float | None


def requested(options: CubicalManyOptions) -> Request:
    representatives = options["representatives"]
    if representatives not in (None, "cycles"):
        raise ValueError(f"representatives: expected None or cycles, found {representatives!r}")
    if representatives is None:
        expect_representatives(options, ("only", "longest", "min_persistence"), "bars for representatives")
    return Request(
        construction=word("construction", options["construction"], "T or V"),
        superlevel=flag("superlevel", options["superlevel"]),
        max_dim=optional_count("max_dim", options["max_dim"], 0),
        threshold=optional_number("threshold", options["threshold"]),
        periodic=_periodic(options["periodic"]),
        mask=_mask(options["mask"]),
        verify=flag("verify", options["verify"]),
        locations=flag("locations", options["locations"]),
        representatives=representatives is not None,
        only=bars_of("only", options["only"]),
        longest=optional_count("longest", options["longest"], 1),
        min_persistence=optional_number("min_persistence", options["min_persistence"]),
    )


def _periodic(axes: Any) -> list[int] | None:
    """The numbers of axes, or None for all."""
    if isinstance(axes, (bool, np.bool_)):
        return None if axes else []
    expected = "True, False or numbers of axes, such as (0, 2)"
    if np.ndim(axes) != 1 or any(isinstance(axis, (str, bytes, bool, np.bool_)) for axis in axes):
        raise TypeError(f"periodic: expected {expected}, found {axes!r}")
    return [count("periodic", axis, -(2**63)) for axis in axes]


def _mask(mask: Any) -> NDArray[Any] | None:
    """A mask in the form in which the extension module takes images."""
    if mask is None:
        return None
    try:
        return plain_image(mask, None)
    except (TypeError, ValueError) as error:
        raise type(error)(f"mask: {error}") from error


def _diagram(answer: CubicalAnswer) -> Diagram:
    found = answer.get("representatives")
    cycles = None if found is None else [ImageRepresentatives(of, [CellChain(*cycle) for cycle in cycles]) for of, cycles in found]
    return Diagram(answer["bars"], locations=answer.get("locations"), representatives=cycles)


@overload
def ecc(image: Any, *, scales: None = ..., **options: Unpack[EccOptions]) -> EulerCurve: ...
@overload
def ecc(image: Any, *, scales: int, **options: Unpack[EccOptions]) -> list[EulerCurve]: ...
@takes(EccOptions)
def ecc(image: Any, *, scales: int | None = None, **options: Unpack[EccOptions]) -> EulerCurve | list[EulerCurve]:
    """The Euler characteristic curve of an image, or of the image at several scales.

    Parameters
    ----------
    image : array
        As of :func:`cubical`; or an array that lies on a GPU, of CuPy, PyTorch or another library that has ``__cuda_array_interface__`` or
        DLPack. It is read where it lies, and its curves are computed there.
    scales : int, optional
        The number of curves: that of the image, of the image smoothed once by a Gaussian, twice, and so on. Smoothed voxels are floats of 32
        bits. They are found by the processor, of an array on a GPU there.
    bins : int, optional
        Rows for so many bins of one width; by default one for each distinct value.
    range : (low, high), optional
        Where bins begin and end; by default the least finite value and the greatest. A value below is in the first bin, one above in none.
    construction, superlevel
        As those of :func:`cubical`.
    periodic : bool or sequence of int
        As that of :func:`cubical`; not with ``scales``, and not for an array on a GPU.
    sigma : float
        The standard deviation of the Gaussian, in voxels.
    taps : int
        The number of its weights, odd.
    nan : number, "lowest" or "highest", optional
        As that of :func:`cubical`; not for an array on a GPU.
    threads, backend, progress, time_limit, memory
        As those of :func:`rips`.

    Returns
    -------
    EulerCurve
        With ``scales``, a list of them.

    Raises
    ------
    ValueError, TypeError, MemoryError, TimeoutError, RuntimeError
        As :func:`cubical`; there are no such bins or scales.

    Examples
    --------
    >>> import numpy as np
    >>> import lacuna_tda
    >>> ring = np.array([[1, 1, 1], [1, 9, 1], [1, 1, 1]], dtype=np.uint8)
    >>> curve = lacuna_tda.ecc(ring)
    >>> curve.values, curve.changes, curve.euler
    (array([1, 9], dtype=uint64), array([0, 1]), array([0, 1]))
    """
    options = filled(EccOptions, options)
    bins = optional_count("bins", options["bins"], 0)
    range, nan, backend = options["range"], options["nan"], options["backend"]
    if range is not None and bins is None:
        raise ValueError("range: expected beside bins only")
    wanted = None
    if scales is not None:
        wanted = count("scales", scales, 1), number("sigma", options["sigma"]), count("taps", options["taps"], 1)
    ends = None if range is None else pair("range", range, "two numbers, the ends of the bins")
    request = bins, ends, options["construction"], flag("superlevel", options["superlevel"]), wanted
    periodic = _periodic(options["periodic"])
    if periodic != [] and scales is not None:
        raise ValueError("periodic: expected no scales beside it")
    on_device = lent(image)
    if on_device is not None:
        _expect_device(on_device, backend, nan)
        if periodic != []:
            raise ValueError("periodic: expected an array of the host, found one on a GPU")
    elif scales is not None and backend == "cuda":
        raise ValueError("scales: expected backend auto or cpu for an array of the host, found cuda")
    if on_device is not None:
        curves = running(options, lambda run: _lacuna.ecc_on_device(on_device, *request, run))
    else:
        array = plain_image(image, nan)
        with telling_of_nan(array):
            curves = running(options, lambda run: _lacuna.ecc(array, *request, periodic, run))
    found = [EulerCurve(values, changes) for values, changes in curves]
    return found[0] if scales is None else found


@overload
def thin(image: NDArray[Any], **options: Unpack[ThinOptions]) -> NDArray[np.bool_]: ...
@overload
def thin(image: Any, **options: Unpack[ThinOptions]) -> NDArray[np.bool_] | _lacuna.DeviceArray: ...
@takes(ThinOptions)
def thin(image: Any, **options: Unpack[ThinOptions]) -> NDArray[np.bool_] | _lacuna.DeviceArray:
    """The skeleton of a binary image: foreground is deleted at its border until nothing changes.

    Foreground touches at corners (8 neighbours in the plane, 26 in space); outside the image is background.

    Parameters
    ----------
    image : array
        As of :func:`ecc`. The first axis runs through rows, the second through columns.
    rule : str, optional
        Which foreground an iteration deletes: ``"guo-hall"``, ``"zhang-suen"``, ``"kashani"`` or ``"kashani-safe"`` in the plane,
        ``"subfields"`` in plane and space. Zhang and Suen's rule and Kashani's do not keep topology. By default Guo and Hall's in the plane,
        subfields in space.
    iterations : int, optional
        The most iterations.
    threshold : number or "otsu", optional
        Foreground is what is greater than this, or than Otsu's threshold, which arrays on a GPU do not have; by default what is not 0.
    invert : bool
        Whether foreground and background change places.
    nan : number, "lowest" or "highest", optional
        As that of :func:`ecc`.
    threads, backend, progress, time_limit, memory
        As those of :func:`rips`.

    Returns
    -------
    array of bool
        The skeleton, in the shape of the image; of an array on a GPU a :class:`DeviceArray`, which stays there.

    Raises
    ------
    ValueError, TypeError, MemoryError, TimeoutError, RuntimeError
        As :func:`cubical`; a rule of the plane in space, voxels of one value for Otsu's threshold.

    Examples
    --------
    >>> import numpy as np
    >>> import lacuna_tda
    >>> bar = np.zeros((5, 7), dtype=bool)
    >>> bar[1:4, 1:6] = True
    >>> lacuna_tda.thin(bar).astype(int)
    array([[0, 0, 0, 0, 0, 0, 0],
           [0, 0, 0, 0, 0, 0, 0],
           [0, 0, 1, 1, 1, 0, 0],
           [0, 0, 0, 0, 0, 0, 0],
           [0, 0, 0, 0, 0, 0, 0]])
    """
    options = filled(ThinOptions, options)
    request = thinning(options)
    nan, backend = options["nan"], options["backend"]
    on_device = lent(image)
    if on_device is not None:
        _expect_device(on_device, backend, nan)
        rule, iterations, above, otsu, invert = request
        if otsu:
            raise ValueError("threshold: expected a number for an array on a GPU, found 'otsu'")
        return running(options, lambda run: _lacuna.thin_on_device(on_device, rule, iterations, above, invert, run))
    array = plain_image(image, nan)
    with telling_of_nan(array):
        voxels, _, _ = running(options, lambda run: _lacuna.thin(array, request, run))
    return voxels.view(np.bool_).reshape(array.shape)


class Thinning(NamedTuple):
    """How the extension module thins an image."""

    rule: str | None
    iterations: int | None
    threshold: float | None
    otsu: bool
    invert: bool


def thinning(options: ThinOptions) -> Thinning:
    """The options of thinning that are not of every computation."""
    threshold = options["threshold"]
    otsu = isinstance(threshold, str)
    if otsu and threshold != "otsu":
        raise ValueError(f"threshold: expected a number or 'otsu', found {threshold!r}")
    return Thinning(
        rule=options["rule"],
        iterations=optional_count("iterations", options["iterations"], 0),
        threshold=None if isinstance(threshold, str) else optional_number("threshold", threshold),
        otsu=otsu,
        invert=flag("invert", options["invert"]),
    )


@contextmanager
def telling_of_nan(image: NDArray[Any]) -> Iterator[None]:
    """Tells of the option for NaN where an image has some and is refused."""
    try:
        yield
    except ValueError as error:
        if image.dtype.kind != "f" or not np.isnan(image).any():
            raise
        raise ValueError(f'{error}; nan="lowest", "highest" or a number takes its place') from None


def _expect_device(image: Lent, backend: str, nan: object) -> None:
    """Raises an error if an array that lies on a GPU is to be worked on elsewhere, and warns if it holds colours."""
    tell_of_colours(image.shape, np.dtype(image.type))
    if nan is not None:
        raise ValueError("nan: expected an array of the host, found one on a GPU")
    if backend == "cpu":
        raise ValueError("backend: expected auto or cuda for an array on a GPU, found cpu")
    if backend not in ("auto", "cuda"):
        raise ValueError(f"backend: expected auto, cpu or cuda, found {backend!r}")
