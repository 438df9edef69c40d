"""Runs that end early: limits of time and memory, and checkpoints from which they go on."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import lacuna_tda

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
IMAGES = [lacuna_tda.cubical, lacuna_tda.cubical_many]
LIMITED = [lacuna_tda.rips, lacuna_tda.rips_many, lacuna_tda.reduce, *IMAGES, lacuna_tda.ecc, lacuna_tda.thin]
KEPT = [lacuna_tda.rips, lacuna_tda.reduce, lacuna_tda.cubical]

# Seconds after which nobody hears: guards against hanging, whatever else the machine does.
HANGS = 60.0


def dipha_image(path: Path, voxels: NDArray[np.float64]) -> Path:
    """A file of DIPHA that holds an image."""
    shape = voxels.shape
    header = np.array([8067171840, 1, voxels.size, len(shape), *shape], dtype="<i8")
    path.write_bytes(header.tobytes() + voxels.astype("<f8").tobytes())
    return path


def resident() -> int:
    """Bytes of memory that this process has."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) << 10


def of_seconds(function: Callable[..., Any], rng: np.random.Generator, folder: Path) -> Callable[..., Any]:
    """A call of the function that takes half a second or more, of some hundred megabytes at most."""
    calls: dict[Callable[..., Any], Callable[..., Any]] = {
        lacuna_tda.rips: lambda **options: lacuna_tda.rips(rng_points, max_dim=2, threads=1, **options),
        lacuna_tda.rips_many: lambda **options: lacuna_tda.rips_many(rng_clouds, max_dim=2, threads=1, **options),
        lacuna_tda.reduce: lambda **options: lacuna_tda.reduce(file, algorithm="standard", dualize="off", threads=1, **options),
        lacuna_tda.cubical: lambda **options: lacuna_tda.cubical(volume, threads=1, **options),
        lacuna_tda.cubical_many: lambda **options: lacuna_tda.cubical_many([volume] * 20, threads=1, **options),
        lacuna_tda.ecc: lambda **options: lacuna_tda.ecc(volume, scales=12, threads=1, **options),
        lacuna_tda.thin: lambda **options: lacuna_tda.thin(voxels, threshold=5, threads=1, **options),
    }
    rng_points, rng_clouds = rng.random((1500, 8)), rng.random((100_000, 30, 3))
    volume = rng.random((100, 100, 100) if function in IMAGES else (200, 200, 200))
    voxels = rng.integers(0, 256, (480, 480, 480) if function is lacuna_tda.thin else (1,), dtype=np.uint8)
    file = dipha_image(folder / "image.dipha", rng.random((48, 48, 48))) if function is lacuna_tda.reduce else None
    return calls[function]


@pytest.mark.parametrize("function", LIMITED)
def test_a_run_is_stopped_when_its_time_is_up(function: Callable[..., Any], rng: np.random.Generator, tmp_path: Path) -> None:
    call = of_seconds(function, rng, tmp_path)
    began = time.monotonic()
    with pytest.raises(TimeoutError, match=r"^stage .*: stopped after 0\.2 s, as time_limit says$"):
        call(time_limit=0.2)
    assert 0.2 <= time.monotonic() - began < HANGS


def of_stage(name: str, rng: np.random.Generator, folder: Path) -> Callable[..., Any]:
    """A call with a stage that takes seconds."""
    if name == "ecc":
        volume = rng.random((300, 300, 300))
        return lambda **options: lacuna_tda.ecc(volume, threads=1, **options)
    if name == "cubical":
        volume = rng.random((100, 100, 100))
        return lambda **options: lacuna_tda.cubical(volume, representatives="cycles", threads=1, **options)
    if name == "reduce":
        image = dipha_image(folder / "image.dipha", rng.random((130, 130, 130)))
        return lambda **options: lacuna_tda.reduce(image, threads=1, **options)
    if name == "tighten":
        points = rng.random((700, 4))
        return lambda **options: lacuna_tda.rips(points, representatives="cycles", tighten=True, threads=1, **options)
    sparse, n = pytest.importorskip("scipy.sparse"), 9000
    ends = np.arange(20 * n) % n
    others = (ends + rng.integers(1, n, 20 * n)) % n
    above = np.minimum(ends, others), np.maximum(ends, others)
    graph = sparse.csr_array(sparse.coo_array((rng.random(20 * n), above), shape=(n, n)))
    return lambda **options: lacuna_tda.rips(graph, metric="precomputed", shortest_paths=True, threads=1, **options)


@pytest.mark.parametrize(
    ("name", "stage"),
    [("paths", "shortest paths"), ("tighten", "annotation"), ("reduce", "order of cells"), ("cubical", "finding cycles"), ("ecc", "curve")],
)
def test_a_long_stage_is_left_soon_after_its_run_is_to_end(name: str, stage: str, rng: np.random.Generator, tmp_path: Path) -> None:
    call, raised = of_stage(name, rng, tmp_path), 0.0

    def stop(found: str, _dim: int | None, done: int, total: int) -> None:
        nonlocal raised
        # The cycles that follow it have no stage of their own.
        if found == stage and (name != "tighten" or done == total):
            raised = time.monotonic()
            raise Stop

    with pytest.raises(Stop):
        call(progress=stop)
    assert time.monotonic() - raised < 0.5 * slowness()


def slowness() -> float:
    """How many times as long as they should things may take: more where other programs have most of the machine."""
    return float(os.environ.get("LACUNA_TEST_PATIENCE", "4"))


def test_a_run_that_is_done_in_time_answers_as_without_a_limit(rng: np.random.Generator) -> None:
    points, image = rng.random((300, 3)), rng.random((30, 30, 30))
    assert lacuna_tda.rips(points, time_limit=600) == lacuna_tda.rips(points)
    assert lacuna_tda.rips(SQUARE, time_limit=600.0, memory="64G") == lacuna_tda.rips(SQUARE)
    assert lacuna_tda.cubical(image, time_limit=np.float32(600), memory=2**40) == lacuna_tda.cubical(image)
    assert np.array_equal(lacuna_tda.thin(image > 0.5, time_limit=600), lacuna_tda.thin(image > 0.5))


@pytest.mark.parametrize("function", LIMITED)
def test_limits_that_are_none_are_refused(function: Callable[..., Any]) -> None:
    one: Any = [SQUARE] if function is lacuna_tda.rips_many else np.zeros((3, 3))
    if function is lacuna_tda.reduce:
        one = pytest.importorskip("scipy.sparse").csc_array((3, 3))
    for limit in (0, -1.0, float("nan")):
        with pytest.raises(ValueError, match=rf"^time_limit: expected seconds, more than 0, found {limit!r}$"):
            function(one, time_limit=limit)
    for given in ("2s", True):
        with pytest.raises(TypeError, match=rf"^time_limit: expected a number, found {given!r}$"):
            function(one, time_limit=given)
    for text in ("", "8X", "0", "-1M", "1.5G", "G"):
        with pytest.raises(ValueError, match=rf"^memory: expected a number of bytes such as 256M, found {text!r}$"):
            function(one, memory=text)
    with pytest.raises(ValueError, match=r"^memory: expected 1 or more, found 0$"):
        function(one, memory=0)
    with pytest.raises(TypeError, match=r"^memory: expected a whole number, found 0\.5$"):
        function(one, memory=0.5)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a process has")
class TestMemory:
    """What a process may have."""

    @pytest.mark.parametrize("function", LIMITED)
    def test_a_process_that_has_more_does_not_begin(self, function: Callable[..., Any], rng: np.random.Generator, tmp_path: Path) -> None:
        call = of_seconds(function, rng, tmp_path)
        with pytest.raises(MemoryError, match=r"^stage start: the process has .* [MG]B of memory, more than the limit of 1\.0 MB allows$"):
            call(memory="1M")

    def test_what_is_known_not_to_fit_does_not_begin(self) -> None:
        # Pages that are never written, so that the process does not have them.
        volume = np.zeros((512, 512, 512), dtype=np.uint8)
        limit = resident() + (1 << 30)
        message = r"^memory: the stage pair needs 2\.0 GB at the least, .* are available of the limit of .*ecc"
        with pytest.raises(MemoryError, match=message):
            lacuna_tda.cubical(volume, representatives="cycles", memory=limit)
        with pytest.raises(MemoryError, match=r"limit of .* leaves no room for|are available"):
            lacuna_tda.rips(np.zeros((40_000, 2)), threshold=1.0, memory=limit)
        with pytest.raises(MemoryError, match="stage .* needs"):
            lacuna_tda.thin(np.zeros((1 << 22, 2, 2), dtype=bool), memory=limit)

    def test_a_process_that_grows_past_the_limit_ends_its_run(self, rng: np.random.Generator) -> None:
        grown: list[NDArray[np.float64]] = []
        with pytest.raises(MemoryError, match=r"^stage .*: the process has .* of memory, more than the limit of"):
            lacuna_tda.rips(
                rng.random((600, 10)),
                max_dim=3,
                memory=resident() + (300 << 20),
                time_limit=HANGS,
                progress=lambda *_: grown.append(np.ones(1 << 23)),
            )

    def test_a_limit_ends_with_its_call(self, rng: np.random.Generator) -> None:
        volume = np.zeros((128, 128, 128), dtype=np.uint8)
        with pytest.raises(MemoryError, match="^memory: the stage pair needs"):
            lacuna_tda.cubical(volume, representatives="cycles", memory=resident() + (16 << 20))
        assert len(lacuna_tda.cubical(volume)) == 3

    def test_an_image_that_does_not_fit_is_taken_by_blocks(self, rng: np.random.Generator) -> None:
        volume = (rng.random((160, 160, 160)) < 0.001).astype(np.uint8)
        within = lacuna_tda.cubical(volume, memory=resident() + (40 << 20))
        assert within == lacuna_tda.cubical(volume)


    @pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
    def test_a_limit_does_not_reach_a_forked_process(self, rng: np.random.Generator) -> None:
        points, begun, ended = rng.random((3000, 8)), threading.Event(), threading.Event()

        def report(*_: Any) -> None:
            begun.set()
            if ended.is_set():
                raise Stop

        def run() -> None:
            with pytest.raises((Stop, MemoryError)):
                lacuna_tda.rips(points, max_dim=2, threads=1, memory=resident() + (1 << 30), time_limit=HANGS, progress=report)

        other = threading.Thread(target=run)
        other.start()
        assert begun.wait(HANGS)
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            volume = np.zeros((512, 512, 512), dtype=np.uint8)
            try:
                lacuna_tda.cubical(volume, threads=1, time_limit=0.2)
            except TimeoutError:
                os._exit(0)
            except MemoryError:
                os._exit(1)
            os._exit(2)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        ended.set()
        other.join()
        assert status == 0

    def test_a_table_that_the_system_refuses_is_a_memory_error(self, tmp_path: Path) -> None:
        path = tmp_path / "distances.bin"
        np.ones(5000 * 4999 // 2, dtype="<f4").tofile(path)
        code = f"""
import resource, lacuna_tda, numpy
lacuna_tda.rips(numpy.zeros((300, 2)))
read = lambda: lacuna_tda.read({str(path)!r}, kind="distances", format="binary")
has = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (has + (140 << 20),) * 2)
try:
    read()
except MemoryError as error:
    print(error)
"""
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
        assert child.returncode == 0, child.stderr
        assert child.stdout.startswith("out of memory: "), child.stdout


@pytest.mark.parametrize("function", KEPT)
def test_a_checkpoint_is_gone_on_from(function: Callable[..., Any], rng: np.random.Generator, tmp_path: Path) -> None:
    call = of_seconds(function, rng, tmp_path)
    kept = tmp_path / "kept"
    expected = call()

    def stop(*_: Any) -> None:
        if len(list(kept.glob("*.lac"))) >= 2:
            raise Stop

    with pytest.raises(Stop):
        call(checkpoint=kept, checkpoint_every=0, progress=stop)
    state = sorted(kept.glob("*.lac"))
    # Damage is noticed, so what is there is read.
    largest = max(state, key=lambda path: path.stat().st_size)
    content = largest.read_bytes()
    largest.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(ValueError, match="checksum"):
        call(checkpoint=kept)
    largest.write_bytes(content)
    # Where it is kept, how often, and what looks at it are no part of what it is.
    found = call(checkpoint=str(kept), checkpoint_every=1.0, progress=lambda *_: None)
    assert same(found, expected)
    assert not kept.exists()


class Stop(Exception):
    """What ends a run that has kept something."""


def same(found: Any, expected: Any) -> bool:
    """Whether two answers hold the same."""
    if isinstance(found, lacuna_tda.Diagram):
        return bool(found == expected)
    return np.array_equal(found.pairs, expected.pairs) and np.array_equal(found.essential, expected.essential)


def test_a_checkpoint_stays_until_its_answer_is_there(rng: np.random.Generator, tmp_path: Path) -> None:
    volume, kept, seen = rng.random((100, 100, 100)), tmp_path / "kept", False

    def stop(*_: Any) -> None:
        nonlocal seen
        # That the state is gone would be all that is left of the run.
        if (kept / "run.lac").exists():
            seen = True
        elif seen:
            raise Stop

    lacuna_tda.cubical(volume, locations=True, checkpoint=kept, progress=stop, threads=1)
    assert seen and not kept.exists()


def test_numbers_that_are_equal_are_of_one_run(rng: np.random.Generator, tmp_path: Path) -> None:
    points, kept = rng.random((1500, 8)), tmp_path / "kept"
    with pytest.raises(TimeoutError):
        lacuna_tda.rips(points, max_dim=2, threshold=1, checkpoint=kept, time_limit=0.1, threads=1)
    with pytest.raises(TimeoutError):
        lacuna_tda.rips(points, max_dim=2, threshold=1.0, checkpoint=kept, time_limit=0.1, threads=1)


def test_a_directory_that_was_there_stays(tmp_path: Path) -> None:
    lacuna_tda.rips(SQUARE, checkpoint=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_checkpoint_of_another_run_is_refused(rng: np.random.Generator, tmp_path: Path) -> None:
    points, kept = rng.random((1500, 8)), tmp_path / "kept"
    said = f"as time_limit says; what is done is kept in {re.escape(str(kept))}, where the same call goes on$"
    with pytest.raises(TimeoutError, match=said):
        lacuna_tda.rips(points, max_dim=2, checkpoint=kept, time_limit=0.1, threads=1)
    another = r"expected the checkpoint of this run, found that of another: {}; name another directory, or remove this one"
    with pytest.raises(ValueError, match=another.format(r"threshold was None, is 1\.5")):
        lacuna_tda.rips(points, max_dim=2, threshold=1.5, checkpoint=kept)
    with pytest.raises(ValueError, match=another.format(r"input was 1500 points in dimension 8 .*, is 1500 points in dimension 8 .*")):
        lacuna_tda.rips(points + 1.0, max_dim=2, checkpoint=kept)
    with pytest.raises(ValueError, match="command was rips, is cubical"):
        lacuna_tda.cubical(points, checkpoint=kept)
    image = rng.random((100, 100, 50))
    with pytest.raises(TimeoutError):
        lacuna_tda.cubical(image, checkpoint=tmp_path / "image", time_limit=0.05, threads=1)
    image[99, 99, 49] += 1.0
    with pytest.raises(ValueError, match=r"input was a 100x100x50 image of f64 with .* is a 100x100x50 image of f64 with"):
        lacuna_tda.cubical(image, checkpoint=tmp_path / "image")


def test_axes_and_masks_belong_to_a_checkpoint(rng: np.random.Generator, tmp_path: Path) -> None:
    image, kept = rng.random((100, 100, 50)), tmp_path / "kept"
    mask = rng.random(image.shape) < 0.9
    with pytest.raises(TimeoutError):
        lacuna_tda.cubical(image, periodic=(0,), mask=mask, checkpoint=kept, time_limit=0.05, threads=1)
    less = mask.copy()
    less[np.unravel_index(np.flatnonzero(mask)[0], mask.shape)] = False
    for periodic, other in (((0,), less), ((0,), None), ((1,), mask), (False, mask)):
        with pytest.raises(ValueError, match="expected the checkpoint of this run, found that of another: input was a 100x100x50 image"):
            lacuna_tda.cubical(image, periodic=periodic, mask=other, checkpoint=kept)
    # However they are written.
    found = lacuna_tda.cubical(image, periodic=[-3], mask=np.array(mask), locations=True, checkpoint=kept)
    assert found == lacuna_tda.cubical(image, periodic=(0,), mask=mask)


def test_a_matrix_is_known_by_its_content(rng: np.random.Generator, tmp_path: Path) -> None:
    csc_array = pytest.importorskip("scipy.sparse").csc_array
    triangle = csc_array(([1] * 6, [0, 1, 0, 2, 1, 2], [0, 0, 0, 0, 2, 4, 6]), shape=(6, 6))
    kept = tmp_path / "kept"
    found = lacuna_tda.reduce(triangle, checkpoint=kept, dimensions=[0, 0, 0, 1, 1, 1])
    assert found.pairs.tolist() == [[1, 3], [2, 4]] and not kept.exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="cannot"):
        lacuna_tda.reduce(triangle, checkpoint=tmp_path / "file")


def test_what_a_checkpoint_is_not(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^checkpoint_every: expected beside checkpoint only$"):
        lacuna_tda.rips(SQUARE, checkpoint_every=1)
    with pytest.raises(TypeError, match=r"^checkpoint: expected the path of a directory, found 3$"):
        lacuna_tda.rips(SQUARE, checkpoint=3)
    with pytest.raises(ValueError, match=r"^checkpoint_every: "):
        lacuna_tda.rips(SQUARE, checkpoint=tmp_path / "kept", checkpoint_every=-1)
    with pytest.raises(TypeError, match=r"rips_many\(\) got an unexpected keyword argument 'checkpoint'"):
        lacuna_tda.rips_many([SQUARE], checkpoint=tmp_path / "kept")
    assert lacuna_tda.rips(SQUARE, checkpoint=tmp_path / "kept") == lacuna_tda.rips(SQUARE)
    assert not (tmp_path / "kept").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_a_checkpoint_outlives_ctrl_c_and_a_kill(rng: np.random.Generator, tmp_path: Path) -> None:
    points, kept = tmp_path / "points.npy", tmp_path / "kept"
    np.save(points, rng.random((400, 8)))
    options = f"max_dim=2, threads=1, checkpoint={str(kept)!r}, checkpoint_every=0"
    code = f"import lacuna_tda, numpy; lacuna_tda.rips(numpy.load({str(points)!r}), {options})"
    for sent, raised in ((signal.SIGINT, "KeyboardInterrupt"), (signal.SIGKILL, "")):
        hears = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        child = subprocess.Popen([sys.executable, "-c", f"{hears}; {code}"], stderr=subprocess.PIPE, text=True, env=environment)
        until = time.monotonic() + HANGS
        while child.poll() is None and len(list(kept.glob("*.lac"))) < 2 and time.monotonic() < until:
            time.sleep(0.01)
        child.send_signal(sent)
        _, errors = child.communicate(timeout=HANGS)
        assert child.returncode != 0 and raised in errors
        assert len(list(kept.glob("*.lac"))) >= 2
    expected = lacuna_tda.rips(np.load(points), max_dim=2)
    assert lacuna_tda.rips(np.load(points), max_dim=2, checkpoint=kept) == expected
    assert not kept.exists()


def test_a_directory_serves_one_run_at_a_time(rng: np.random.Generator, tmp_path: Path) -> None:
    points, kept = rng.random((3000, 8)), tmp_path / "kept"
    raised: list[pytest.ExceptionInfo[TimeoutError]] = []

    def run() -> None:
        with pytest.raises(TimeoutError) as info:
            lacuna_tda.rips(points, max_dim=2, checkpoint=kept, time_limit=2, threads=1)
        raised.append(info)

    first = threading.Thread(target=run)
    first.start()
    until = time.monotonic() + HANGS
    while not (kept / "run.lac").exists() and time.monotonic() < until:
        time.sleep(0.01)
    with pytest.raises(ValueError, match="another run keeps its checkpoint there"):
        lacuna_tda.rips(points, max_dim=2, checkpoint=kept)
    first.join()
    assert raised
