"""The table of benches/RESULTS.md."""

import os
import pathlib
import platform
import re
import subprocess

from cases import ROOT

RESULTS = ROOT / "benches" / "RESULTS.md"
MARKS = "<!-- peers: begin -->", "<!-- peers: end -->"


def commit():
    """The commit measured, marked when the working tree differs from it (RESULTS.md itself aside)."""
    head = _git("rev-parse", "--short=12", "HEAD")
    changed = [line for line in _git("status", "--porcelain").splitlines() if not line.endswith("RESULTS.md")]
    return head + (" with local changes" if changed else "")


def _git(*arguments):
    run = subprocess.run(["git", "-C", ROOT, *arguments], check=True, capture_output=True, text=True)
    return run.stdout.strip()


def machine():
    """Processor and the cores this process may use."""
    info = pathlib.Path("/proc/cpuinfo")
    model = re.search(r"model name\s*: (.*)", info.read_text()) if info.exists() else None
    return f"{model[1] if model else platform.processor()}, {len(os.sched_getaffinity(0))} cores"


def markdown(rows, names, header):
    """`header`: list of lines; `rows`: (case name, bars, {program: (median seconds, peak bytes)})."""
    titles = ["case", "bars", "Lacuna"] + names
    lines = [*header, "", "| " + " | ".join(titles) + " |", "|---" * len(titles) + "|"]
    for case, bars, measured in rows:
        ours = measured["lacuna"]
        cells = [case, str(bars), _cell(ours)]
        cells += [_cell(measured[name], ours) if name in measured else "–" for name in names]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _cell(measured, ours=None):
    seconds, peak = measured
    text = f"{seconds:.3g} s, {peak / 1e6:.0f} MB"
    return text if ours is None else f"**{seconds / ours[0]:.3g}×** ({text})"


def write(table, path=RESULTS, marks=MARKS):
    """Puts the table between the markers of the file, and leaves the rest alone."""
    text, (begin, end) = path.read_text(), marks
    if text.count(begin) != 1 or text.count(end) != 1:
        raise SystemExit(f"{path}: expected one line {begin} and one line {end}")
    before, rest = text.split(begin)
    path.write_text(before + begin + "\n" + table + end + rest.split(end)[1])
