"""The options of functions: each is written once, with its type and its default."""

# Annotations are evaluated here, not strings: defaults are read from them.

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import Parameter, signature
from os import PathLike, fsdecode
from typing import Annotated, Any, Literal, ParamSpec, TypedDict, TypeVar, cast

from numpy.typing import NDArray

from . import _lacuna
from ._arguments import bytes_of, number, optional_number, threads_of, warn, word
from ._keywords import refuse_unknown
from ._progress import Report, shown

P = ParamSpec("P")
R = TypeVar("R")

Kind = Literal["simplices", "cocycles", "cycles"]
Algorithm = Literal["sieve", "hypha", "hypha-twist", "ss-plus", "spectral-sequence", "twist", "standard", "row", "chunk", "lock-free"]
Rule = Literal["guo-hall", "zhang-suen", "kashani", "kashani-safe", "subfields"]
Construction = Annotated[Literal["T", "V"], "T"]
Nan = Annotated[float | Literal["lowest", "highest"] | None, None]


class RunOptions(TypedDict, total=False):
    """How a computation runs."""

    threads: Annotated[int | None, None]
    backend: Annotated[Literal["auto", "cpu", "cuda"], "auto"]
    progress: Annotated[bool | Report, False]
    time_limit: Annotated[float | None, None]
    memory: Annotated[int | str | None, None]


class LongRunOptions(RunOptions, total=False):
    """How a computation runs that saves its state."""

    checkpoint: Annotated[str | PathLike[str] | None, None]
    checkpoint_every: Annotated[float | None, None]


class RipsManyOptions(RunOptions, total=False):
    """Options of :func:`rips_many`."""

    metric: Annotated[str | Callable[[Any, Any], float], "euclidean"]
    metric_params: Annotated[Mapping[str, Any] | None, None]
    max_dim: Annotated[int, 1]
    threshold: Annotated[float | None, None]
    modulus: Annotated[int, 2]
    collapse: Annotated[Literal["auto", "off", "on"], "auto"]
    symmetrize: Annotated[Literal["lower", "upper", "mean", "max", "min"] | None, None]
    shortest_paths: Annotated[bool, False]
    weights: Annotated[Literal["diagonal", "dtm"] | None, None]
    dtm_p: Annotated[float | Literal["inf"] | None, None]
    dtm_r: Annotated[float | None, None]
    dtm_neighbors: Annotated[int | None, None]
    landmarks: Annotated[int | None, None]
    representatives: Annotated[Kind | Sequence[Kind] | None, None]
    cocycles_at: Annotated[Literal["birth", "death"] | None, None]
    tighten: Annotated[bool, False]
    only: Annotated[Sequence[tuple[int, int]] | None, None]
    longest: Annotated[int | None, None]
    min_persistence: Annotated[float | None, None]


class RipsOptions(RipsManyOptions, LongRunOptions, total=False):
    """Options of :func:`rips`, where all are documented."""


class ReduceOptions(LongRunOptions, total=False):
    """Options of :func:`reduce`."""

    dimensions: Annotated[Sequence[int] | NDArray[Any] | None, None]
    format: Annotated[Literal["phat-ascii", "phat-binary", "dipha", "npz", "matrix-market"] | None, None]
    max_dim: Annotated[int | None, None]
    algorithm: Annotated[Algorithm | None, None]
    dualize: Annotated[Literal["auto", "on", "off"], "auto"]
    check: Annotated[bool, True]
    representatives: Annotated[Literal["cycles"] | None, None]
    only: Annotated[Sequence[int] | None, None]
    min_persistence: Annotated[int | None, None]


class CubicalTensorOptions(RunOptions, total=False):
    """Options of :func:`lacuna_tda.torch.cubical`."""

    construction: Construction
    superlevel: Annotated[bool, False]
    max_dim: Annotated[int | None, None]
    threshold: Annotated[float | None, None]
    periodic: Annotated[bool | Sequence[int], False]
    mask: Annotated[Any, None]
    verify: Annotated[bool, False]


class CubicalManyOptions(CubicalTensorOptions, total=False):
    """Options of :func:`cubical_many`."""

    locations: Annotated[bool, False]
    representatives: Annotated[Literal["cycles"] | None, None]
    only: Annotated[Sequence[tuple[int, int]] | None, None]
    longest: Annotated[int | None, None]
    min_persistence: Annotated[float | None, None]
    nan: Nan


class CubicalOptions(CubicalManyOptions, LongRunOptions, total=False):
    """Options of :func:`cubical`, where all are documented."""


class RipsTensorOptions(RunOptions, total=False):
    """Options of :func:`lacuna_tda.torch.rips`."""

    metric: Annotated[Literal["euclidean", "precomputed"], "euclidean"]
    max_dim: Annotated[int, 1]
    threshold: Annotated[float | None, None]
    modulus: Annotated[int, 2]


class EccOptions(RunOptions, total=False):
    """Options of :func:`ecc`."""

    bins: Annotated[int | None, None]
    range: Annotated[tuple[float, float] | None, None]
    construction: Construction
    superlevel: Annotated[bool, False]
    periodic: Annotated[bool | Sequence[int], False]
    sigma: Annotated[float, 1.0]
    taps: Annotated[int, 13]
    nan: Nan


class EctOptions(RunOptions, total=False):
    """Options of :func:`ect`."""

    directions: Annotated[Any, 100]
    bins: Annotated[int, 100]
    radius: Annotated[float | None, None]
    center: Annotated[Literal["origin", "mean", "box"], "origin"]
    smooth: Annotated[bool, False]
    weighted: Annotated[bool, False]
    construction: Annotated[Literal["T", "V"], "V"]
    nan: Nan


class ThinOptions(RunOptions, total=False):
    """Options of :func:`thin`."""

    rule: Annotated[Rule | None, None]
    iterations: Annotated[int | None, None]
    threshold: Annotated[float | Literal["otsu"] | None, None]
    invert: Annotated[bool, False]
    nan: Nan


class FileOptions(TypedDict, total=False):
    """How a file is read, by :func:`read` and :func:`convert`."""

    kind: Annotated[Literal["image", "matrix", "distances", "diagram"] | None, None]
    format: Annotated[str | None, None]
    key: Annotated[str | None, None]
    shape: Annotated[int | Sequence[int] | None, None]
    dtype: Annotated[Any, None]
    order: Annotated[Literal["C", "F"] | None, None]
    channel: Annotated[int | None, None]
    frame: Annotated[int | Literal["all"] | None, None]
    nan: Nan
    skip_rows: Annotated[int | None, None]
    columns: Annotated[str | None, None]
    decimal: Annotated[Literal["point", "comma"] | None, None]
    symmetrize: Annotated[Literal["lower", "upper", "mean", "max", "min"] | None, None]
    max_dim: Annotated[int | None, None]


class ConvertOptions(FileOptions, total=False):
    """Options of :func:`convert`."""

    to: Annotated[Literal["image", "matrix", "distances", "diagram"] | None, None]
    output: Annotated[str | None, None]
    threshold: Annotated[float | None, None]
    round: Annotated[bool, False]
    construction: Annotated[Literal["T", "V"] | None, None]
    superlevel: Annotated[bool, False]


def takes(table: type) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator for functions with ``**options: Unpack[table]``.

    Their signatures name all options with their defaults, those of every computation last. An error about an unknown option names the one
    that was meant.
    """
    general = LongRunOptions.__annotations__
    annotations = dict(sorted(table.__annotations__.items(), key=lambda option: option[0] in general))
    defaults = {name: annotation.__metadata__[0] for name, annotation in annotations.items()}
    DEFAULTS[table] = defaults
    options = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=defaults[name], annotation=annotation.__origin__)
        for name, annotation in annotations.items()
    ]

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        written = signature(function)
        shown = written.replace(parameters=[*list(written.parameters.values())[:-1], *options])
        known = shown.parameters.keys()

        @wraps(function)
        def called(*args: P.args, **given: P.kwargs) -> R:
            if not given.keys() <= known:
                # Of a class it is the class that is called.
                refuse_unknown(function.__qualname__.removesuffix(".__init__"), given, known)
            return function(*args, **given)

        called.__annotations__ = {name: one.annotation for name, one in shown.parameters.items()} | {"return": shown.return_annotation}
        vars(called)["__signature__"] = shown
        return called

    return decorate


DEFAULTS: dict[type, dict[str, Any]] = {}
"""The defaults of the options of each table that a function takes."""


def filled(table: type[R], given: R) -> R:
    """All options of a table, those that are not given with their defaults. To pass all by keywords would take microseconds."""
    known: Any = given
    options: Any = {**DEFAULTS[table], **known}
    return cast(R, options)


def running(options: RunOptions, work: Callable[[_lacuna.Run], R], request: Any = None) -> R:
    """What work answers that runs as the options say. A checkpoint is known by the request, a named tuple."""
    progress = options["progress"]
    if progress is False:
        return _done(_begun(options, request, None), work)
    with shown(progress) as report:
        return _done(_begun(options, request, report), work)


def _done(run: _lacuna.Run, work: Callable[[_lacuna.Run], R]) -> R:
    try:
        return work(run)
    finally:
        for note in run.notes:
            warn(note)


WITHOUT_EFFECT = {"check", "locations", "mask", "periodic", "verify"}
"""Parts of requests that what a checkpoint holds does not depend on, or that belong to its input."""


def _begun(options: RunOptions, request: Any, report: Report | None) -> _lacuna.Run:
    threads, backend = threads_of(options["threads"]), word("backend", options["backend"], "auto, cpu or cuda")
    if isinstance(options["time_limit"], bool):
        raise TypeError(f"time_limit: expected a number, found {options['time_limit']}")
    limit = optional_number("time_limit", options["time_limit"])
    if limit is not None and not limit > 0:
        raise ValueError(f"time_limit: expected seconds, more than 0, found {limit!r}")
    return _lacuna.Run(threads, backend, report, limit, bytes_of("memory", options["memory"]), _checkpoint(options, request))


def _checkpoint(options: Mapping[str, Any], request: Any) -> tuple[str, float, list[tuple[str, str]]] | None:
    """The directory of a checkpoint, if there is to be one, the seconds between two savings, and what the run is known by."""
    path, every = options.get("checkpoint"), options.get("checkpoint_every")
    if path is None:
        if every is not None:
            raise ValueError("checkpoint_every: expected beside checkpoint only")
        return None
    if not isinstance(path, (str, PathLike)):
        raise TypeError(f"checkpoint: expected the path of a directory, found {path!r}")
    facts = [(name, repr(_fact(value))) for name, value in request._asdict().items() if name not in WITHOUT_EFFECT]
    return fsdecode(path), 60.0 if every is None else number("checkpoint_every", every), facts


def _fact(value: Any) -> Any:
    """What a part of a request means: 1 and 1.0 are the same."""
    if isinstance(value, tuple):
        return tuple(map(_fact, value))
    return int(value) if isinstance(value, float) and value.is_integer() else value


def expect_representatives(options: Mapping[str, Any], names: tuple[str, ...], chosen: str) -> None:
    """Raises an error about options that choose something about representatives where none are wanted."""
    given = []
    for name in names:
        if options[name] is not None and options[name] is not False:
            given.append(name)
    if given:
        chooses = "chooses" if len(given) == 1 else "choose"
        missing = 'representatives is missing, as representatives="cycles"'
        raise ValueError(f"{', '.join(given)}: {chooses} {chosen}, and {missing}")
