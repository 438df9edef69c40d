"""The lines of the package's README.md, of the repository's and of the book's page about Python do what they say."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

PYTHON = Path(__file__).resolve().parents[1]


PAGES = {
    "package": PYTHON / "README.md",
    "repository": PYTHON.parent / "README.md",
    "book": PYTHON.parent / "docs" / "src" / "python.md",
}


@pytest.mark.parametrize("readme", PAGES.values(), ids=PAGES.keys())
def test_the_examples_run(readme: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    pytest.importorskip("pandas")
    matplotlib.use("agg")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", readme.read_text(), re.MULTILINE | re.DOTALL)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        if re.search(r"^import torch", block, re.MULTILINE) and find_spec("torch") is None:
            continue
        exec(compile(block, str(readme), "exec"), names)
