"""What the package does to the process that it lives in: the interpreter's lock, signals, threads, memory, imports."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import sysconfig
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import lacuna_tda


@pytest.fixture(autouse=True)
def ctrl_c() -> Iterator[None]:
    """Ctrl-C is heard, also in a process that a shell has started in the background, where it is ignored from the start.

    No garbage is collected meanwhile: what is raised in a callback of that, as of a thread of another test, is raised to nobody.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.collect()
    gc.disable()
    yield
    gc.enable()
    signal.signal(signal.SIGINT, before)


def press_ctrl_c() -> None:
    """Ctrl-C. On Windows ``os.kill`` would end the process instead."""
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGINT)
    else:
        os.kill(os.getpid(), signal.SIGINT)


def long_work(rng: np.random.Generator) -> NDArray[np.float64]:
    """Points whose barcode in dimension 2 takes minutes, also on many threads."""
    return rng.random((8000, 8))


@pytest.mark.parametrize("seconds", [0.1, 1.0])
@pytest.mark.parametrize("options", [{"max_dim": 2}, {"max_dim": 2, "collapse": "on"}, {"max_dim": 3, "modulus": 3}])
def test_ctrl_c_ends_a_long_run(seconds: float, options: dict[str, object], rng: np.random.Generator) -> None:
    points = long_work(rng)
    sent: list[float] = []

    def interrupt() -> None:
        sent.append(time.monotonic())
        press_ctrl_c()

    timer = threading.Timer(seconds, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        lacuna_tda.rips(points, **options)
    took = time.monotonic() - sent[0]
    assert took < HANGS, f"{took} s"
    # Nothing of it is left that would disturb another run.
    assert len(lacuna_tda.rips(points[:50])) == 2


# Seconds after which nobody hears: guards against hanging, whatever else the machine does.
HANGS = 60.0


def slowness() -> float:
    """How many times as long as they should things may take: more where other programs have most of the machine."""
    return float(os.environ.get("LACUNA_TEST_PATIENCE", "4"))


def test_many_inputs_images_and_vectors_are_interrupted(rng: np.random.Generator) -> None:
    clouds, volume = rng.random((200_000, 30, 3)), rng.random((160, 160, 160))
    diagrams = np.sort(rng.random((5000, 2000, 2)), axis=2)
    for run in (
        lambda: lacuna_tda.rips_many(clouds, max_dim=2),
        lambda: lacuna_tda.cubical(volume),
        lambda: lacuna_tda.persistence_image(diagrams, resolution=100),
    ):
        timer = threading.Timer(0.4, press_ctrl_c)
        timer.start()
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            run()
            # Hears it after all, so that no other test does.
            time.sleep(HANGS)
        assert time.monotonic() - began < HANGS


@pytest.mark.parametrize(
    "options",
    [{"name": "field", "shape": (400, 400, 400)}, {"name": "sphere", "points": 2_000_000, "dimension": 30, "noise": 0.1}],
    ids=["image", "points"],
)
def test_ctrl_c_ends_what_is_drawn(options: dict[str, Any]) -> None:
    sent: list[float] = []

    def interrupt() -> None:
        sent.append(time.monotonic())
        press_ctrl_c()

    timer = threading.Timer(0.4, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        lacuna_tda.generate(**options)
        # Hears it after all, so that no other test does.
        time.sleep(HANGS)
    assert time.monotonic() - sent[0] < 0.5 * slowness()


@pytest.mark.parametrize("options", [{"algorithm": "standard"}, {"algorithm": "row"}, {"representatives": "cycles"}])
def test_ctrl_c_ends_reductions(options: dict[str, Any], rng: np.random.Generator, tmp_path: Path) -> None:
    # An image in DIPHA's format, which takes seconds.
    sides = 64
    image = tmp_path / "image.dipha"
    header = np.array([8067171840, 1, sides**3, 3, sides, sides, sides], dtype="<i8")
    image.write_bytes(header.tobytes() + rng.random(sides**3).astype("<f8").tobytes())
    sent: list[float] = []

    def interrupt() -> None:
        sent.append(time.monotonic())
        press_ctrl_c()

    timer = threading.Timer(0.3, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        lacuna_tda.reduce(image, check=False, dualize="off", threads=1, **options)
        # Hears it after all, so that no other test does.
        time.sleep(HANGS)
    took = time.monotonic() - sent[0]
    assert took < HANGS, f"{took} s"


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="the system has no signals of the user's")
def test_handlers_of_signals_run_and_may_let_the_run_go_on(rng: np.random.Generator) -> None:
    handled: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, _: handled.append(number))
    try:
        timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGUSR1))
        timer.start()
        lacuna_tda.rips(rng.random((1500, 6)), max_dim=1, threads=1)
        timer.join()
        until = time.monotonic() + HANGS
        while not handled and time.monotonic() < until:
            time.sleep(0.01)
        assert handled == [signal.SIGUSR1]
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_other_threads_of_the_interpreter_go_on(rng: np.random.Generator) -> None:
    points, turns = rng.random((2500, 6)), 0
    worker = threading.Thread(target=lambda: lacuna_tda.rips(points, max_dim=1, threads=1))
    worker.start()
    # To wait for an event is to give way to other programs again and again, where the interpreter has no lock.
    while worker.is_alive():
        time.sleep(0.001)
        turns += 1
    worker.join()
    assert turns > 10


def test_calls_of_several_threads_at_once(rng: np.random.Generator) -> None:
    clouds = rng.random((8, 150, 3))
    expected = [lacuna_tda.rips(cloud, max_dim=2) for cloud in clouds]
    found: list[list[lacuna_tda.Diagram]] = [[] for _ in range(4)]

    def work(number: int) -> None:
        found[number] = [lacuna_tda.rips(cloud, max_dim=2, threads=1 + number) for cloud in clouds]

    workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(one == expected for one in found)


def test_calls_on_one_thread_each_do_not_wait_for_each_other(rng: np.random.Generator) -> None:
    points, begun, ended = long_work(rng), threading.Event(), threading.Event()

    def report(*_: object) -> None:
        begun.set()
        if ended.is_set():
            raise InterruptedError

    def run() -> None:
        with pytest.raises(InterruptedError):
            lacuna_tda.rips(points, max_dim=2, threads=1, progress=report)

    other = threading.Thread(target=run)
    other.start()
    assert begun.wait(HANGS)
    try:
        assert len(lacuna_tda.rips(points[:400], threads=1, time_limit=HANGS / 4)) == 2
        assert other.is_alive()
    finally:
        ended.set()
        other.join()


@pytest.mark.parametrize("workers", [2, 8])
def test_a_pool_of_threads_answers_as_one_thread_does(workers: int, rng: np.random.Generator) -> None:
    """Calls that the calling thread does itself, that others do, and that are shared out, in any order."""
    clouds, image = rng.random((60, 50, 3)), rng.integers(0, 50, (20, 20, 20))
    calls: list[Callable[[], Any]] = [partial(lacuna_tda.rips, cloud) for cloud in clouds]
    calls += [partial(lacuna_tda.rips, cloud, max_dim=2, threads=2) for cloud in clouds[:8]]
    calls += [partial(lacuna_tda.rips, rng.random((400, 3))), partial(lacuna_tda.rips_many, clouds, max_dim=1)]
    calls += [partial(lacuna_tda.cubical, image), partial(lacuna_tda.wasserstein, *map(lacuna_tda.rips, clouds[:2]), dim=1)]
    calls += [partial(lacuna_tda.rips, [[0.0], [np.nan]])]

    def answer(call: Callable[[], Any]) -> Any:
        try:
            return call()
        except ValueError as error:
            return str(error)

    expected = [answer(call) for call in calls]
    assert "NaN" in expected[-1]
    with ThreadPoolExecutor(workers) as pool:
        for _ in range(3):
            assert list(pool.map(answer, calls)) == expected


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this interpreter has a lock")
def test_importing_it_leaves_the_lock_off() -> None:
    code = "import sys, lacuna_tda; sys.exit(sys._is_gil_enabled())"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHON_GIL"}
    assert subprocess.run([sys.executable, "-c", code], env=environment).returncode == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_starts_threads_of_its_own(rng: np.random.Generator) -> None:
    points = rng.random((300, 3))
    expected = lacuna_tda.rips(points)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(0 if lacuna_tda.rips(points) == expected and lacuna_tda.rips(points[:5]) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def resident() -> int:
    """Bytes of memory that are resident."""
    with open("/proc/self/statm") as figures:
        return int(figures.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells resident memory so")
def test_thousands_of_calls_leak_nothing(rng: np.random.Generator) -> None:
    points, image = rng.random((40, 3)), rng.integers(0, 99, (12, 12, 12))
    bad = np.full((3, 2), np.nan)

    def calls(count: int) -> None:
        for _ in range(count):
            lacuna_tda.rips(points, representatives=["cocycles", "cycles"])
            lacuna_tda.rips_many([points, points, points])
            lacuna_tda.cubical(image, locations=True)
            lacuna_tda.ecc(image)
            lacuna_tda.thin(image)
            with pytest.raises(ValueError):
                lacuna_tda.rips(bad)

    calls(300)
    before = resident()
    # Five kinds of calls, and one that fails.
    calls(2000)
    assert resident() - before < 5 << 20


def python(code: str) -> str:
    """What another interpreter prints that runs this."""
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def test_an_image_is_read_where_it_is() -> None:
    pytest.importorskip("resource")
    code = """
import resource
import numpy as np
import lacuna_tda
image = np.zeros(1 << 28, dtype=np.uint8)
image[::4096] = 1
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
lacuna_tda.ecc(image, threads=1)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    # Kilobytes. A copy would be 2^18 of them.
    assert int(python(code)) < 1 << 16


def test_importing_it_imports_numpy_alone() -> None:
    found = python(
        "import sys, numpy; before = set(sys.modules); import lacuna_tda;"
        "print(*sorted({name.split('.')[0] for name in set(sys.modules) - before}))"
    )
    names = set(found.split())
    assert "lacuna_tda" in names
    assert names - {"lacuna_tda", "numpy"} <= set(sys.stdlib_module_names), names


def test_run_as_a_module_it_tells_its_version_and_the_machine() -> None:
    found = lacuna_tda.info()
    printed = subprocess.run([sys.executable, "-m", "lacuna_tda"], check=True, capture_output=True, text=True).stdout
    first, *devices = printed.splitlines()
    assert first == f"lacuna-tda {lacuna_tda.__version__}: {found.threads} threads, {found.simd}; GPUs: {found.cuda}"
    assert len(devices) == len(found.devices)
    # Who only imports all modules, as tools that document them do, sees nothing.
    assert python("import lacuna_tda.__main__") == ""


def test_importing_it_is_quick() -> None:
    code = "import numpy, time; began = time.perf_counter(); import lacuna_tda; print(time.perf_counter() - began)"
    assert min(float(python(code)) for _ in range(5)) < 0.02 * slowness()


def test_a_file_is_on_the_disk_before_it_takes_the_place_of_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    for name in ("fsync", "replace"):
        known = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *args, name=name, known=known: (done.append(name), known(*args)))
    lacuna_tda.write(tmp_path / "a.npy", np.zeros((3, 3)))
    assert done == ["fsync", "replace"]
    # The greatest length of a name.
    long = tmp_path / ("ä" * 125 + "b.npy")
    lacuna_tda.write(long, np.ones((3, 3)))
    assert np.array_equal(lacuna_tda.read(long), np.ones((3, 3)))


def test_an_image_is_not_resized_while_it_is_read(rng: np.random.Generator) -> None:
    volume = rng.random((120, 120, 120))
    refused: list[str] = []

    def resize(*_: object) -> None:
        for shape in ((1 << 25,), (1,)):
            with pytest.raises(ValueError, match="cannot resize"):
                volume.resize(shape, refcheck=False)
            refused.append("resize")

    # A view reads the memory of what it is a view of.
    expected = lacuna_tda.cubical(volume, progress=resize)
    of_the_whole = len(refused)
    assert lacuna_tda.cubical(volume[:], progress=resize) == expected
    assert 0 < of_the_whole < len(refused)
    # Until the call returns, and no longer.
    volume.resize((1, 1, 1), refcheck=False)
    assert volume.shape == (1, 1, 1)


def test_distances_are_not_resized_while_they_are_read(rng: np.random.Generator) -> None:
    distances = np.ones((3000, 3000))
    np.fill_diagonal(distances, 0)
    refused = threading.Event()
    ended = threading.Event()

    def resize() -> None:
        while not ended.is_set():
            # One who reads without the interpreter's lock refers to it.
            if weakref.getweakrefcount(distances):
                try:
                    distances.resize((1 << 25,), refcheck=False)
                except ValueError:
                    refused.set()
                    return

    other = threading.Thread(target=resize)
    other.start()
    for _ in range(50):
        lacuna_tda.rips(distances, metric="precomputed", max_dim=0, threshold=0.5)
        if refused.is_set():
            break
    ended.set()
    other.join()
    assert refused.is_set() and distances.shape == (3000, 3000)


def test_a_tiny_call_is_quick() -> None:
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    took = []
    for _ in range(30):
        began = time.perf_counter()
        for _ in range(100):
            lacuna_tda.rips(square)
        took.append((time.perf_counter() - began) / 100)
    assert min(took) < 100e-6 * slowness(), min(took)
