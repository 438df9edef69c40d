"""The options of functions: each is written once, with its type and its default."""

# Annotations are evaluated here, not strings: defaults are read from them.

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any, Literal, ParamSpec, TypedDict, TypeVar

from numpy.typing import NDArray

from ._keywords import refuse_unknown
from ._progress import Report

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


class RipsOptions(RunOptions, total=False):
    """Options of :func:`rips`, where they are documented, and of each input of :func:`rips_many`."""

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


class ReduceOptions(RunOptions, total=False):
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


class CubicalOptions(RunOptions, total=False):
    """Options of :func:`cubical`."""

    construction: Construction
    superlevel: Annotated[bool, False]
    max_dim: Annotated[int | None, None]
    threshold: Annotated[float | None, None]
    locations: Annotated[bool, False]
    nan: Nan


class EccOptions(RunOptions, total=False):
    """Options of :func:`ecc`."""

    bins: Annotated[int | None, None]
    range: Annotated[tuple[float, float] | None, None]
    construction: Construction
    superlevel: Annotated[bool, False]
    sigma: Annotated[float, 1.0]
    taps: Annotated[int, 13]
    nan: Nan


class ThinOptions(RunOptions, total=False):
    """Options of :func:`thin`."""

    rule: Annotated[Rule | None, None]
    iterations: Annotated[int | None, None]
    threshold: Annotated[float | Literal["otsu"] | None, None]
    invert: Annotated[bool, False]
    nan: Nan


def takes(table: type) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator for functions with ``**options: Unpack[table]``, which get the defaults of the options that are not given.

    Their signatures name all options, those of every computation last. An error about an unknown option names the one that was meant.
    """
    general = RunOptions.__annotations__
    annotations = dict(sorted(table.__annotations__.items(), key=lambda option: option[0] in general))
    defaults = {name: annotation.__metadata__[0] for name, annotation in annotations.items()}
    options = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=defaults[name], annotation=annotation.__origin__)
        for name, annotation in annotations.items()
    ]

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        written = signature(function)
        shown = written.replace(parameters=[*list(written.parameters.values())[:-1], *options])
        known = shown.parameters.keys()
        call: Callable[..., R] = function

        @wraps(function)
        def called(*args: P.args, **given: P.kwargs) -> R:
            if not given.keys() <= known:
                refuse_unknown(function.__name__, given, known)
            return call(*args, **{**defaults, **given})

        called.__annotations__ = {name: one.annotation for name, one in shown.parameters.items()} | {"return": shown.return_annotation}
        vars(called)["__signature__"] = shown
        return called

    return decorate


def expect_representatives(options: Mapping[str, Any], names: tuple[str, ...], chosen: str) -> None:
    """Raises an error about options that choose something about representatives where none are wanted."""
    given = [name for name in names if options[name] is not None and options[name] is not False]
    if given:
        chooses = "chooses" if len(given) == 1 else "choose"
        missing = 'representatives is missing, as representatives="cycles"'
        raise ValueError(f"{', '.join(given)}: {chooses} {chosen}, and {missing}")
