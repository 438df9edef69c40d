"""Pages about diagrams: as the program writes them, in files, in notebooks and in browsers."""

from __future__ import annotations

import re
import sys
import webbrowser
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlparse
from urllib.request import url2pathname

import numpy as np
import pytest

import lacuna_tda

inf = np.inf
DIAGRAM = lacuna_tda.Diagram([[[0.0, 1.5], [0.0, inf]], [[0.75, 1.25]]])
TITLE = """A "noisy" <circle> & 'co' </iframe>"""


class Frames(HTMLParser):
    """The frames of a text of HTML: the attributes of each, as a browser reads them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[dict[str, str | None]] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "iframe":
            self.found.append(dict(attrs))


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that a browser was asked to open."""
    addresses: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: not addresses.append(address))
    return addresses


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """A notebook, as far as it can be told from the outside."""
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=object())))


def test_pages_have_all_bars(tmp_path: Path) -> None:
    page = DIAGRAM.report()
    assert page.startswith("<!doctype html>") and "<title>Persistence diagram</title>" in page
    assert '"name":"H₀","dim":0,"count":2' in page and '"name":"H₁","dim":1,"count":1' in page
    assert not re.search(r"https?://(?!www\.w3\.org)", page)
    file = tmp_path / "page.html"
    for path in (file, str(file)):
        assert DIAGRAM.report(path, title="Größe") is None
        assert file.read_text(encoding="utf-8") == DIAGRAM.report(title="Größe")
    # The old page stays whole until the new one takes its place.
    file.write_text("before")
    (tmp_path / "old.html").hardlink_to(file)
    DIAGRAM.report(file)
    assert (tmp_path / "old.html").read_text() == "before" and file.read_text(encoding="utf-8") == page
    empty = lacuna_tda.Diagram([]).report(title=TITLE)
    assert """<title>A "noisy" &lt;circle&gt; &amp; 'co' &lt;/iframe&gt;</title>""" in empty
    with pytest.raises(FileNotFoundError):
        DIAGRAM.report(tmp_path / "no" / "page.html")


def test_pages_are_shown_below_the_cell_of_a_notebook(notebook: None, opened: list[str]) -> None:
    shown = DIAGRAM.show(title=TITLE, height=500)
    frames = Frames(f"<p>before{shown._repr_html_()}<p>after")
    assert frames.tags == ["p", "iframe", "p"]
    (frame,) = frames.found
    assert frame["srcdoc"] == DIAGRAM.report(title=TITLE) and frame["title"] == TITLE and frame["height"] == "500"
    # The page may run its script and save its table, and nothing else: it has an origin of its own.
    assert frame["sandbox"] == "allow-scripts allow-downloads"
    assert opened == [] and shown.path is None and repr(shown) == f"<Page {TITLE!r}>"
    with pytest.raises(ValueError, match="height: expected 1 or more, found 0"):
        DIAGRAM.show(height=0)


@pytest.mark.parametrize("shell", ["none", "terminal"])
def test_pages_are_opened_in_the_browser(shell: str, opened: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    if shell == "terminal":
        monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: SimpleNamespace()))
    else:
        monkeypatch.delitem(sys.modules, "IPython", raising=False)
    shown = DIAGRAM.show()
    (address,) = opened
    assert shown.path == Path(url2pathname(urlparse(address).path)) and address.startswith("file://")
    assert shown.path.read_text(encoding="utf-8") == DIAGRAM.report() and str(shown.path) in repr(shown)
    shown.path.unlink()


def test_without_a_browser_a_warning_says_where_the_page_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    with pytest.warns(UserWarning, match=r"found no browser: open .*lacuna-.*\.html in one; Diagram.report\(path\) writes") as warned:
        shown = DIAGRAM.show()
    assert warned[0].filename == __file__
    assert shown.path is not None
    shown.path.unlink()
