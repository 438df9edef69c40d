"""The lines of Python in the package's README.md, in the repository's and in the book do what they say."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

PYTHON = Path(__file__).resolve().parents[1]
BOOK = PYTHON.parent / "docs" / "src"
PEERS = ["cubicalripser", "giotto-ph", "giotto-tda", "gudhi", "persim", "ripser-py", "scikit-image", "torch-topological"]

PAGES = {
    "package": PYTHON / "README.md",
    "repository": PYTHON.parent / "README.md",
    "book": BOOK / "python.md",
    **{peer: BOOK / "coming-from" / f"{peer}.md" for peer in PEERS},
}


@pytest.mark.parametrize("readme", PAGES.values(), ids=PAGES.keys())
def test_the_examples_run(readme: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    pytest.importorskip("pandas")
    pytest.importorskip("sklearn")
    matplotlib.use("agg")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", readme.read_text(), re.MULTILINE | re.DOTALL)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        if any(re.search(rf"^import {name}", block, re.MULTILINE) and find_spec(name) is None for name in ("jax", "torch")):
            continue
        exec(compile(block, str(readme), "exec"), names)


def test_what_an_index_shows_has_no_links_into_the_repository() -> None:
    page = (PYTHON / "INDEX.md").read_text()
    assert page == (PYTHON / "README.md").read_text()
    assert re.findall(r"\]\((?!https://)[^)]*\)", page) == []
