"""Many inputs of one call: each has an answer or an exception of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from ._diagram import Diagram

Input = TypeVar("Input")
Answer = TypeVar("Answer")


def expect_errors(errors: object) -> None:
    """Raises an error if an option does not say what becomes of inputs that fail."""
    if errors not in ("raise", "return"):
        raise ValueError(f"errors: expected raise or return, found {errors!r}")


def each(inputs: Iterable[Any], prepared: Callable[[Any], Input]) -> list[Input | Exception]:
    """The inputs as the extension module takes them, with an exception in the place of one that is none."""
    if not isinstance(inputs, Iterable):
        raise TypeError(f"expected several inputs, a sequence or an array whose first axis runs through them, found {inputs!r}")
    found: list[Input | Exception] = []
    for one in inputs:
        try:
            found.append(prepared(one))
        except (TypeError, ValueError) as error:
            found.append(error)
    return found


def answered(
    inputs: Sequence[Input | Exception], answers_of: Callable[[list[Input]], Iterable[Answer | Exception]]
) -> list[Answer | Exception]:
    """The answers about all inputs, in their order, with exceptions in the places of those that are none."""
    answers = iter(answers_of([one for one in inputs if not isinstance(one, Exception)]))
    return [one if isinstance(one, Exception) else next(answers) for one in inputs]


def diagrams(answers: Iterable[Answer | Exception], diagram: Callable[[Answer], Diagram], errors: str) -> list[Diagram | Exception]:
    """The diagrams of all inputs, with exceptions in the places of those that failed, unless these are to be raised."""
    found = [answer if isinstance(answer, Exception) else diagram(answer) for answer in answers]
    if errors == "raise":
        for number, one in enumerate(found):
            if isinstance(one, Exception):
                raise type(one)(f"input {number}: {one}") from one
    return found
