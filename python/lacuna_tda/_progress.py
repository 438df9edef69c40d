"""Progress of a run, shown by tqdm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ._arguments import flag
from ._extras import extra

Report = Callable[[str, "int | None", int, int], None]


@contextmanager
def shown(progress: bool | Report) -> Iterator[Report | None]:
    """What a run is to tell of its progress: nothing, a bar of tqdm, or the function that is given.

    The function is called some twenty times a second with the name of the stage, its dimension or None, the units of work that are done, and
    all of them (1 where they are not counted). What it raises ends the run.
    """
    if callable(progress):
        yield progress
        return
    if not flag("progress", progress, "True, False or a function"):
        yield None
        return
    with extra("tqdm.auto", "tqdm", "progress=True").tqdm(total=1, leave=False) as bar:

        def report(stage: str, dim: int | None, done: int, total: int) -> None:
            name = stage if dim is None else f"{stage} {dim}"
            if (bar.desc, bar.total) != (f"{name}: ", total):
                bar.reset(total=total)
                bar.set_description(name, refresh=False)
            bar.n = done
            bar.refresh()

        yield report


