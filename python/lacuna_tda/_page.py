"""Pages of HTML, shown in notebooks and browsers."""

from __future__ import annotations

import html
import sys
import tempfile
import webbrowser
from pathlib import Path

from ._arguments import warn


class Page:
    """A page of HTML, which a notebook shows in a frame of its own."""

    __slots__ = ("height", "path", "text", "title")

    text: str
    """The page."""
    title: str
    """Its heading."""
    height: int
    """The height of the frame, in pixels."""
    path: Path | None
    """The file that a browser was asked to open."""

    def __init__(self, text: str, title: str, height: int) -> None:
        self.text = text
        self.title = title
        self.height = height
        self.path = None

    def open(self) -> None:
        """Opens the page in the browser, from a temporary file."""
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", prefix="lacuna-", suffix=".html", delete=False) as file:
            file.write(self.text)
        self.path = Path(file.name)
        if not webbrowser.open(self.path.as_uri()):
            warn(f"found no browser: open {self.path} in one; Diagram.report(path) writes the page to another place")

    def __repr__(self) -> str:
        return f"<Page {self.title!r}{'' if self.path is None else f' in {self.path}'}>"

    def _repr_html_(self) -> str:
        """A frame that may run the page's script and save its table, but reaches nothing of the notebook."""
        attributes = f'sandbox="allow-scripts allow-downloads" width="100%" height="{self.height}" style="border: 0"'
        return f'<iframe title="{html.escape(self.title)}" {attributes} srcdoc="{html.escape(self.text)}"></iframe>'


def is_in_notebook() -> bool:
    """Whether results are shown by a notebook, or by another front end of IPython's kernel."""
    # Where there is a notebook, it has been imported.
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and hasattr(shell, "kernel")
