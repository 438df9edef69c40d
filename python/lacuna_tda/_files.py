"""Files of all kinds: images, boundary matrices, points and distances, diagrams."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _lacuna
from ._arguments import (
    axes_of,
    count,
    flag,
    image,
    in_place_of_nan,
    is_sparse,
    number,
    optional_count,
    optional_number,
    optional_word,
    warn,
)
from ._diagram import Diagram, Indices
from ._extras import extra
from ._inputs import distances_of
from ._keywords import suggests_keywords
from ._matrices import Reduction, columns_of
from ._options import ConvertOptions, FileOptions, RipsManyOptions, filled, takes

if TYPE_CHECKING:
    from typing_extensions import Unpack

Path = str | os.PathLike[str]

_MOST_DIMENSIONS = 2**16
"""The number of dimensions up to which a diagram is made of a file: there is an array for each."""


class BoundaryMatrix(NamedTuple):
    """A boundary matrix of n cells in filtration order, as :func:`reduce` takes it."""

    matrix: Any
    """(n, n): a sparse array of SciPy, compressed by columns, with a 1 for each cell of a boundary."""
    dimensions: NDArray[np.uint8]
    """(n,): the dimension of each cell."""
    values: NDArray[np.float64] | None
    """(n,): the value at which each cell enters, if the file has values."""

    def __repr__(self) -> str:
        return f"<BoundaryMatrix of {len(self.dimensions)} cells>"


class CellPairs(NamedTuple):
    """Persistence pairs of cells, which are numbered from 0, of a file that does not say what the cells are."""

    pairs: Indices
    """(m, 2): the cell that creates a class and the one that destroys it."""
    essential: Indices | None
    """(k,): the cells that create classes which are never destroyed, if the file has them."""

    def __repr__(self) -> str:
        essential = "" if self.essential is None else f", {len(self.essential)} essential"
        return f"<CellPairs: {len(self.pairs)} pairs{essential}>"


class Comparison(NamedTuple):
    """How two diagrams differ. It is true if they do not."""

    is_same: bool
    """Whether all bars, or all pairs of cells, have been matched."""
    sizes: tuple[int, int]
    """The number of bars of each."""
    matched: int
    """The number of bars of the first that were matched, each with one of the second."""
    only: tuple[NDArray[Any], NDArray[Any]]
    """The others of each: (k, 3), a row of dimension, birth and death each; of pairs of cells (k, 2), -1 for no death."""
    text: str
    """The first differences and the counts, as the program prints them."""

    def __bool__(self) -> bool:
        return self.is_same

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        verdict = "same" if self.is_same else "different"
        return f"<Comparison: {verdict}, {self.sizes[0]} and {self.sizes[1]}, {self.matched} matched>"


@takes(FileOptions)
def read(path: Path, **options: Unpack[FileOptions]) -> Any:
    """What a file holds: an image, a boundary matrix, points, distances or a diagram, in any format that the program reads.

    Parameters
    ----------
    path : path
        The file, which may be compressed with gzip.
    kind : "image", "matrix", "distances" or "diagram", optional
        What it holds, "distances" also if these are points; by default its content and name tell. An ``.npy`` file is read as an image,
        that is, as its numbers.
    format : str, optional
        The format, as of ``lacuna convert --format``; by default content and name tell.
    key : str, optional
        The array to read of an archive of NumPy that has several.
    shape, dtype, order
        What a file without header holds: little-endian voxels of a type of NumPy, so many along each axis, the last of which varies
        fastest, or with the order "F" the first.
    channel : int, optional
        Which one to read of an image that has several, from 0.
    frame : int or "all", optional
        Which one to read, from 0; "all" reads four axes as those of one image, which :func:`cubical` and :func:`ecc` take.
    nan : number, "lowest" or "highest", optional
        What replaces NaN in an image; by default it is an error.
    skip_rows : int, optional
        The number of lines to leave out at the beginning of a text of points or distances.
    columns : str, optional
        The columns of such a text to read, such as "1-3,5", from 1.
    decimal : "point" or "comma", optional
        The decimal separator of such a text, where 2,5 may be one number or two.
    symmetrize : "lower", "upper", "mean", "max" or "min", optional
        Which of two different distances of a pair counts.
    max_dim : int, optional
        Of the boundary matrix of an image or of distances in DIPHA's format, cells for homology up to this dimension.

    Returns
    -------
    ndarray, sparse array, BoundaryMatrix, Diagram or CellPairs
        An image in its own type and order; points (n, d) or distances (n, n), of type float32 or, where the file has doubles, float64; a
        list of edges as a symmetric sparse array of SciPy (n, n); a boundary matrix; bars as a diagram; pairs of cells.

    Raises
    ------
    ValueError
        The file is malformed, or it may be of several kinds; an option is of other kinds.
    OSError
        The file cannot be read; of its kind, as FileNotFoundError.
    MemoryError
        There is not enough memory.

    Warns
    -----
    UserWarning
        Something in the file was left out or corrected.
    """
    source, options = _path(path), filled(FileOptions, options)
    kind, format, reading = _kind("kind", options["kind"]), _format("format", options["format"]), _reading(options)
    return _arrays(_content(source, kind or _detected(source, format, reading), format, reading))


@suggests_keywords
def write(
    path: Path,
    what: Any,
    *,
    kind: Literal["image", "matrix", "points", "distances", "diagram"] | None = None,
    format: str | None = None,
    round: bool = False,
) -> None:
    """Write an image, a boundary matrix, points, distances or a diagram to a file, which is replaced as a whole on success.

    Parameters
    ----------
    path : path
        The file.
    what : Diagram, Reduction, BoundaryMatrix, sparse matrix or array
        The bars of a diagram, the pairs of cells of a reduction, or what :func:`read` returns.
    kind : str, optional
        What an array or a sparse matrix is. By default an array is an image if images are written in the format, and else points, one a
        row. An array of distances is square, or a list as SciPy's ``pdist`` makes it. A sparse matrix is a boundary matrix ("matrix") or
        edges ("distances"); by default that of both which the format holds, and where it holds both, the kind is expected.
    format : str, optional
        The format, as of ``lacuna convert --output``; by default the name of the file tells.
    round : bool
        Whether numbers are rounded that the format cannot hold, instead of being refused.

    Raises
    ------
    ValueError
        The format cannot hold this; there is no such format.
    TypeError
        This is nothing that is written to files.
    OSError
        The file cannot be written; of its kind, as PermissionError.

    Warns
    -----
    UserWarning
        The format leaves something out, as PHAT's pairs leave out essential classes.

    Examples
    --------
    >>> import lacuna_tda, os, tempfile
    >>> diagram = lacuna_tda.Diagram([[[0.0, 1.5], [0.0, float("inf")]]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "bars.csv")
    ...     lacuna_tda.write(path, diagram)
    ...     print(open(path).read(), end="")
    ...     lacuna_tda.read(path) == diagram
    dim,birth,death
    0,0.0,1.5
    0,0.0,inf
    True
    """
    target, format, round = _path(path), _format("format", format), flag("round", round)
    # An array becomes no boundary matrix.
    becoming = Becoming(
        name=target,
        kind="image",
        format=format,
        threshold=None,
        round=round,
        construction=None,
        superlevel=False,
        max_dim=None,
    )
    held = _held(what, optional_word("kind", kind, "image, matrix, points, distances or diagram"), target, format, round)
    _write(held, becoming, target)


@takes(ConvertOptions)
def convert(source: Path, target: Path, **options: Unpack[ConvertOptions]) -> None:
    """Convert a file to another format of its kind, an image also to its boundary matrix and points to distances, as ``lacuna convert``.

    Parameters
    ----------
    source, target : path
        The file to read, and the one to write, which is replaced as a whole on success.
    kind, format
        Kind and format of ``source``, as those of :func:`read`.
    key, shape, dtype, order, channel, frame, nan, skip_rows, columns, decimal, symmetrize
        As those of :func:`read`.
    max_dim : int, optional
        The cells of a boundary matrix suffice for homology up to this dimension; by default there are all.
    to : str, optional
        The kind of ``target``: "matrix" makes the boundary matrix of an image, "distances" the distances of points. By default an image
        becomes a matrix where the format or the name is one of a matrix.
    output : str, optional
        The format of ``target``; by default its name tells.
    threshold : float, optional
        Pairs of points that are farther apart are left out.
    round : bool
        As that of :func:`write`.
    construction, superlevel
        Those of the boundary matrix of an image, as those of :func:`cubical`.

    Raises
    ------
    ValueError, OSError, MemoryError
        As :func:`read` and :func:`write`.

    Warns
    -----
    UserWarning
        As :func:`read` and :func:`write`.
    """
    start, target, options = _path(source), _path(target), filled(ConvertOptions, options)
    kind, format, reading = _kind("kind", options["kind"]), _format("format", options["format"]), _reading(options)
    to, output = _kind("to", options["to"]), _format("output", options["output"])
    found = kind or _detected(start, format, reading, to, output, target)
    if to is not None and to != found and (found, to) != ("image", "matrix"):
        raise ValueError(f"to: expected a kind that a file of kind {found!r} can become, found {to!r}; kind says otherwise")
    becoming = Becoming(
        name=target,
        kind=to,
        format=output,
        threshold=optional_number("threshold", options["threshold"]),
        round=flag("round", options["round"]),
        construction=optional_word("construction", options["construction"], "T or V"),
        superlevel=flag("superlevel", options["superlevel"]),
        max_dim=reading.max_dim,
    )
    options_of_target = ("threshold", "round", "construction", "superlevel", "max_dim")
    _check(found, {option: getattr(becoming, option) for option in options_of_target}, _WRITTEN)
    if found == "image":
        reading = reading._replace(max_dim=None)
    _write(_content(start, found, format, reading), becoming, target)


@suggests_keywords
def compare(a: Any, b: Any, *, tolerance: float = 0.0, show: int = 10) -> Comparison:
    """Whether two diagrams hold the same bars, or two reductions the same pairs of cells, in any order.

    Parameters
    ----------
    a, b : Diagram, Reduction, CellPairs or path
        What is compared; of a path what its file holds, in any format of ``lacuna compare``.
    tolerance : float
        By how much births and deaths may differ each; pairs of cells may not.
    show : int
        The number of differences that the text names.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        One holds bars and the other pairs of cells, or a file is malformed.
    OSError
        A file cannot be read.

    Examples
    --------
    >>> import lacuna_tda
    >>> bars = lacuna_tda.Diagram([[[0.0, 1.0], [0.0, 2.0]]])
    >>> print(lacuna_tda.compare(bars, lacuna_tda.Diagram([[[0.0, 2.1], [0.0, 1.0]]])))
    only in a: dim 0 [0.0,2.0)
    only in b: dim 0 [0.0,2.1)
    different: 2 in a, 2 in b, 1 matched
    >>> lacuna_tda.compare(bars, lacuna_tda.Diagram([[[0.0, 2.1], [0.0, 1.0]]]), tolerance=0.2).is_same
    True
    """
    contents, names = [], []
    for name, one in (("a", a), ("b", b)):
        is_path = isinstance(one, (str, bytes, os.PathLike))
        names.append(os.fsdecode(one) if is_path else name)
        contents.append(_content(_path(one), "diagram", None, _NOTHING) if is_path else _held(one, "diagram", "", None))
    found = _lacuna.Content.compare(contents, names, number("tolerance", tolerance), count("show", show, 0))
    is_same, sizes, matched, only_a, only_b, text = found
    return Comparison(is_same, (sizes[0], sizes[1]), matched, (only_a, only_b), text.rstrip("\n"))


class Reading(NamedTuple):
    """How a file is read, for the extension module."""

    key: str | None = None
    shape: list[int] | None = None
    dtype: str | None = None
    order: str | None = None
    channel: int | None = None
    frame: int | None = None
    four_axes: bool = False
    nan: float | None = None
    skip_rows: int | None = None
    columns: str | None = None
    decimal: str | None = None
    symmetrize: str | None = None
    max_dim: int | None = None


class Becoming(NamedTuple):
    """What a file becomes, for the extension module."""

    name: str
    kind: str | None
    format: str | None
    threshold: float | None
    round: bool
    construction: str | None
    superlevel: bool
    max_dim: int | None


_NOTHING = Reading()

_KINDS = {
    "key": ("image", "distances"),
    "skip_rows": ("distances",),
    "columns": ("distances",),
    "decimal": ("distances",),
    "symmetrize": ("distances",),
    "max_dim": ("matrix",),
}
"""The kinds of files that options of reading are for; all others are for images."""

_WRITTEN = {"threshold": ("distances",), "round": ("image", "distances"), "max_dim": ("image", "matrix")}
"""The same of options of writing."""


def _check(kind: str, options: Mapping[str, Any], kinds_of: Mapping[str, tuple[str, ...]] = _KINDS) -> None:
    """Refuses options that are for other kinds of files."""
    for option, value in options.items():
        kinds = kinds_of.get(option, ("image",))
        if value is not None and value is not False and kind not in kinds:
            raise ValueError(f"{option}: expected beside a file of kind {' or '.join(kinds)} only, found one of kind {kind}")


def _path(path: Any) -> str:
    """A path as text. To the program ``-`` is standard input; here it is a file as any other."""
    text = os.fsdecode(path)
    return os.path.join(os.curdir, text) if text == "-" else text


def _reading(options: FileOptions) -> Reading:
    """How a file is read."""
    shape, dtype, order = options["shape"], options["dtype"], options["order"]
    if (shape is None) != (dtype is None) or (shape is None and order is not None):
        raise ValueError("shape, dtype: expected both, of a file that has voxels and nothing else")
    return Reading(
        key=optional_word("key", options["key"], "the name of an array"),
        shape=None if shape is None else axes_of("shape", shape),
        dtype=None if dtype is None else _voxels(dtype),
        order=optional_word("order", order, "C or F"),
        channel=optional_count("channel", options["channel"], 0),
        frame=None if options["frame"] == "all" else optional_count('frame, if not "all"', options["frame"], 0),
        four_axes=options["frame"] == "all",
        nan=in_place_of_nan(options["nan"]),
        skip_rows=optional_count("skip_rows", options["skip_rows"], 0),
        columns=optional_word("columns", options["columns"], "a text such as '1-3,5'"),
        decimal=optional_word("decimal", options["decimal"], "point or comma"),
        symmetrize=optional_word("symmetrize", options["symmetrize"], "lower, upper, mean, max or min"),
        max_dim=optional_count("max_dim", options["max_dim"], 0),
    )


def _kind(name: str, value: Any) -> str | None:
    return optional_word(name, value, "image, matrix, distances or diagram")


def _format(name: str, value: Any) -> str | None:
    return optional_word(name, value, "the name of a format")


def _voxels(dtype: Any) -> str:
    """The library's name of a type of voxels, such as u8."""
    found = np.dtype(dtype)
    if found.kind not in "uif" or found.itemsize > 8 or found.newbyteorder("<") != found:
        raise ValueError(f"dtype: expected a type of little-endian numbers of 8 to 64 bits, found {found}")
    return f"{found.kind}{8 * found.itemsize}"


def _detected(
    path: str,
    format: str | None,
    reading: Reading,
    to: str | None = None,
    output: str | None = None,
    target: str | None = None,
) -> str:
    """The kind of a file, as the program has it."""
    return "image" if reading.shape is not None else _lacuna.kind_of_file(path, format, to, output, target)


def _content(path: str, kind: str, format: str | None, reading: Reading) -> _lacuna.Content:
    """The content of a file."""
    _check(kind, reading._asdict())
    content, notes = _lacuna.Content.read(path, kind, format, reading)
    for note in notes:
        warn(f"{path}: {note}")
    return content


def _arrays(content: _lacuna.Content) -> Any:
    """What a file holds as arrays."""
    kind, *parts = content.arrays()
    if kind == "image":
        voxels, shape, order = parts
        return voxels.reshape(shape, order=order)
    if kind == "matrix":
        dims, starts, cells, values = parts
        index = np.dtype(f"i{starts.itemsize}")
        ones = np.ones(len(cells), np.int8)
        csc_array = extra("scipy.sparse", "scipy", "a boundary matrix").csc_array
        matrix = csc_array((ones, cells.view(index), starts.view(index)), shape=(len(dims), len(dims)))
        return BoundaryMatrix(matrix, dims, values)
    if kind == "edges":
        points, i, j, lengths = parts
        coo_array = extra("scipy.sparse", "scipy", "a list of edges").coo_array
        ends = np.concatenate([i, j]), np.concatenate([j, i])
        return coo_array((np.concatenate([lengths, lengths]), ends), shape=(points, points)).tocsr()
    if kind == "bars":
        rows, dims = parts
        if dims > _MOST_DIMENSIONS:
            raise ValueError(f"expected bars of dimensions below {_MOST_DIMENSIONS}, found one of dimension {dims - 1}")
        rows = rows[np.argsort(rows[:, 0], kind="stable")]
        return Diagram(np.split(rows[:, 1:], np.searchsorted(rows[:, 0], np.arange(1, dims))) if dims else [])
    return CellPairs(*parts) if kind == "pairs" else parts[0]


def _held(what: Any, kind: str | None, path: str, format: str | None, round: bool = False) -> _lacuna.Content:
    """Something that is written to a file, as the extension module has it."""
    if isinstance(what, Diagram):
        _expect(kind, "diagram", what, round)
        return _lacuna.Content.of_bars([_without_nan(dim, bars) for dim, bars in enumerate(what)])
    if isinstance(what, (Reduction, CellPairs)):
        _expect(kind, "diagram", what, round)
        essential = None if what.essential is None else what.essential.astype(np.uint64)
        return _lacuna.Content.of_pairs(what.pairs.astype(np.uint64), essential)
    if isinstance(what, BoundaryMatrix):
        _expect(kind, "matrix", what, round)
        return _of_matrix(what.matrix, what.dimensions, what.values)
    if kind == "diagram":
        raise TypeError(f"expected a Diagram, a Reduction, CellPairs or a path, found {type(what).__name__}")
    written = _lacuna.kinds_written(path, format)
    if is_sparse(what):
        kinds = [one for one in ("matrix", "distances") if one in written] if kind is None else [kind]
        if len(kinds) > 1:
            raise ValueError(f'{path}: expected kind="matrix" or kind="distances" beside a sparse matrix, found none')
        one = (kinds or ["distances"])[0]
        _expect(one, "matrix" if one == "matrix" else "distances", what, round)
        if one == "matrix":
            return _of_matrix(what, None, None)
        return _of_distances(what, "precomputed")
    array = np.asarray(what)
    if array.dtype.kind not in "buif":
        raise TypeError(f"expected a Diagram, a BoundaryMatrix, a sparse matrix or an array of numbers, found {type(what).__name__}")
    if kind == "image" or (kind is None and ("image" in written or "distances" not in written)):
        return _lacuna.Content.of_image(image(what, None))
    if kind not in (None, "points", "distances"):
        raise ValueError(f'kind: expected "image", "points" or "distances" beside an array, found {kind!r}')
    metric = "precomputed" if kind == "distances" else "euclidean"
    return _of_distances(what, metric)


def _of_distances(what: Any, metric: str) -> _lacuna.Content:
    options = filled(RipsManyOptions, RipsManyOptions(metric=metric))
    return _lacuna.Content.of_distances(distances_of(what, options, False, _lacuna.Run(None, "auto")))


def _expect(kind: str | None, expected: str, what: Any, round: bool) -> None:
    """Raises an error if something is to be written as what it is not, or to be rounded where nothing is."""
    if kind not in (None, expected):
        raise ValueError(f"kind: expected {expected!r} beside a {type(what).__name__}, found {kind!r}")
    _check(expected, {"round": round}, _WRITTEN)


def _without_nan(dim: int, bars: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bars, which have no NaN."""
    if np.isnan(bars).any():
        raise ValueError(f"bars of dimension {dim}: expected numbers, found NaN")
    return bars


def _of_matrix(matrix: Any, dimensions: Any, values: Any) -> _lacuna.Content:
    """The content of a file of a boundary matrix."""
    columns = columns_of(matrix, dimensions)
    cells = columns[0][1]
    numbers = None if values is None else np.asarray(values, np.float64)
    if numbers is not None and (numbers.shape != (cells,) or not np.all(numbers[:-1] <= numbers[1:])):
        raise ValueError(f"values: expected one for each of {cells} cells, ascending, found shape {numbers.shape}")
    return _lacuna.Content.of_matrix(*columns, numbers)


def _write(content: _lacuna.Content, becoming: Becoming, target: str) -> None:
    """Writes a content to a file, and warns of what is lost."""
    with _replacement(target) as place:
        notes = content.write(place, becoming)
    for note in notes:
        warn(f"{target}: {note}")


@contextmanager
def _replacement(path: str) -> Iterator[str]:
    """The path of a new file, which takes the place of the one at ``path``, or of what a link there names, unless an exception is raised.
    Pipes and devices are written themselves."""
    name = path.lower()
    if name.endswith(".gz") and not name.endswith(".nii.gz"):
        raise ValueError(f"{path}: expected a name that does not end in .gz, found one that does: what is written is not compressed")
    place = os.path.realpath(path)
    is_file = os.path.isfile(place)
    if is_file or os.path.isdir(place):
        # A file that may not be written is not replaced, and a directory is none.
        with open(place, "r+b"):
            pass
    elif os.path.exists(place):
        yield place
        return
    # Names have 255 bytes at most, and a letter up to 4.
    new = os.path.join(os.path.dirname(place), f".{os.path.basename(place)[:50]}.{os.urandom(8).hex()}")
    try:
        yield new
        # Else a crash of the system may leave an empty file in place of the old one.
        with open(new, "r+b") as file:
            os.fsync(file.fileno())
        if is_file:
            os.chmod(new, os.stat(place).st_mode)
        os.replace(new, place)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(new)
        raise
