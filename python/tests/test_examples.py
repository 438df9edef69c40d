"""The examples do what they say. Those for what is not installed are skipped."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import runpy
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import lacuna_tda

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def executed(source: str, names: dict[str, Any]) -> str:
    """What a cell prints, and the value of its last expression as a notebook shows it."""
    body = ast.parse(source).body
    last = ast.Expression(body[-1].value) if isinstance(body[-1], ast.Expr) else None
    if last is not None:
        body.pop()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        value = None if last is None else eval(compile(last, "cell", "eval"), names)
    return printed.getvalue() + ("" if value is None else repr(value))


def saved(cell: dict[str, Any]) -> str:
    """What the notebook holds of what a cell prints and shows, pictures left out."""
    outputs = [output for output in cell["outputs"] if "image/png" not in output.get("data", {})]
    return "".join("".join(output.get("text") or output["data"]["text/plain"]) for output in outputs)


def test_the_notebook_shows_what_it_computes() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    pytest.importorskip("sklearn")
    matplotlib.use("agg")
    cells = json.loads((EXAMPLES / "first_barcode_to_classifier.ipynb").read_text())["cells"]
    names: dict[str, Any] = {}
    shown = 0
    for cell in cells:
        if cell["cell_type"] == "code":
            # Lists of several diagrams are broken into lines there.
            found, expected = executed("".join(cell["source"]), names), saved(cell)
            assert found.split() == expected.split()
            shown += bool(expected)
    assert shown >= 7
    assert names["scores"].mean() > 0.9


@pytest.mark.parametrize(
    ("name", "options", "accuracy"),
    [
        ("classify_shapes", ["--clouds", "20"], 0.85),
        ("classify_images", ["--images", "30", "--width", "40"], 0.9),
        ("classify_series", ["--series", "40"], 0.9),
        ("classify_graphs", ["--graphs", "8"], 0.85),
    ],
)
def test_classes_are_told_apart(name: str, options: list[str], accuracy: float, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sklearn")
    found = runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"](options)
    assert found > accuracy
    assert f"accuracy {found:.3f}" in capsys.readouterr().out


@pytest.fixture
def scale_out(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The example as a module that other processes find."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.setenv("PYTHONPATH", str(EXAMPLES), prepend=":")
    monkeypatch.delitem(sys.modules, "scale_out", raising=False)
    return __import__("scale_out")


@pytest.mark.parametrize("on", ["joblib", "dask", "ray"])
@pytest.mark.filterwarnings("ignore")
def test_results_of_other_processes_are_the_same(on: str, rng: np.random.Generator, scale_out: ModuleType) -> None:
    pytest.importorskip("dask.distributed" if on == "dask" else on, exc_type=ImportError)
    clouds, images = rng.random((250, 20, 3)), rng.integers(0, 99, (250, 12, 12))
    assert scale_out.ON[on](scale_out.bars_of_clouds, clouds) == lacuna_tda.rips_many(clouds)
    assert scale_out.ON[on](scale_out.bars_of_images, images) == [lacuna_tda.cubical(image) for image in images]


@pytest.mark.parametrize("on", ["joblib", "dask", "ray"])
def test_what_runs_the_processes_is_named_where_it_is_missing(
    on: str, scale_out: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == on]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, on, None)
    with pytest.raises(SystemExit):
        scale_out.main(["--on", on, "--inputs", "1"])
    package = scale_out.PACKAGES[on]
    assert f"--on {on} needs {package}, which is not installed: pip install {package}" in capsys.readouterr().err
