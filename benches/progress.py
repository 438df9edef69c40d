#!/usr/bin/env python3
"""How honest the time left is that a run tells.

    python3 benches/progress.py [--objects FILE] -- lacuna rips points.txt --max-dim 2 -o bars.txt

runs the command with `--progress json` and prints, at 20, 40, 60 and 80 % of the time that it took in the end, how much time was said
to be left and how much was left. `worst` is the greatest factor between the two from 20 % on, until 2 s or 5 % of the run are left, whichever is
more; `known` is the part of that time in which anything was said. Exits with 1 if `worst` is above 2. `--objects` keeps what was told.
"""

import argparse
import json
import subprocess
import sys
import time

PARTS = [0.2, 0.4, 0.6, 0.8]


def run(command):
    """What was told, each with the second of its arrival, and the seconds of the whole run."""
    start = time.monotonic()
    process = subprocess.Popen([*command, "--progress", "json"], stderr=subprocess.PIPE, text=True)
    told = []
    for line in process.stderr:
        if line.startswith("{"):
            told.append((time.monotonic() - start, json.loads(line)))
        else:
            print(line, end="", file=sys.stderr)
    if process.wait() != 0:
        sys.exit(f"{command[0]}: expected it to succeed, found exit code {process.returncode}")
    return told, time.monotonic() - start


def where(told):
    dimension = "" if told["dimension"] is None else f"dimension {told['dimension']}, "
    counted = "" if told["total"] is None else f" {100 * told['done'] / told['total']:.0f} %"
    return f"{dimension}{told['stage']}{counted}"


def factor(said, true):
    return max(said, true) / max(min(said, true), 1e-9)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", help="file of what was told, with the second of the run before each")
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    told, total = run(arguments.command)
    if arguments.objects:
        with open(arguments.objects, "w") as file:
            file.writelines(f"{at:.3f} {json.dumps(what)}\n" for at, what in told)
    print(f"{total:.1f} s in all")
    print(f"{'of the run':>10} {'said':>8} {'left':>8} {'factor':>7}  where")
    for part in PARTS:
        at, what = min(told, key=lambda each: abs(each[0] - part * total))
        said, left = what["seconds_left"], total - at
        shown = ("unknown", "") if said is None else (f"{said:.1f} s", f"{factor(said, left):.2f}")
        print(f"{100 * part:>9.0f}% {shown[0]:>8} {left:>6.1f} s {shown[1]:>7}  {where(what)}")
    late = [(at, what) for at, what in told if 0.2 * total <= at <= total - max(2, 0.05 * total)]
    known = [factor(what["seconds_left"], total - at) for at, what in late if what["seconds_left"] is not None]
    worst = max(known, default=float("nan"))
    print(f"worst {worst:.2f}, known {100 * len(known) / max(len(late), 1):.0f} %")
    sys.exit(1 if known and worst > 2 else 0)


if __name__ == "__main__":
    main()
