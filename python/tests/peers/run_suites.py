"""Runs the test suites of ripser.py, giotto-ph, GUDHI, CubicalRipser and giotto-tda with `lacuna_tda.compat` in their places.

    python tests/peers/run_suites.py [--only ripser,gph] [--from FOLDER]

Each suite is cloned from GitHub at the release that `suites.py` names, or taken from a checkout in FOLDER that is named as the repository, and is
run in a folder of its own that is deleted afterwards. Nothing of it becomes part of this repository. Needs git, pytest, hypothesis, persim, pandas,
scikit-learn, gudhi and cripser, whose other parts their own tests call. Ends with 1 if a test fails; tells which tests are left out and
why. It takes some minutes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from suites import SUITES, Suite

HERE = Path(__file__).resolve().parent


def checkout(suite: Suite, folder: Path, given: Path | None) -> Path:
    """The folder of the repository."""
    name = suite.repository.rpartition("/")[2]
    if given is not None:
        return given / name
    address = f"https://github.com/{suite.repository}.git"
    command = ["git", "clone", "--quiet", "--depth", "1", "--branch", suite.release, address, str(folder / name)]
    subprocess.run(command, check=True)
    return folder / name


def run(name: str, suite: Suite, given: Path | None) -> int:
    """Runs the tests of a library, and says how pytest ended."""
    with tempfile.TemporaryDirectory(prefix=f"suite-{name}-") as scratch:
        folder = Path(scratch)
        source = checkout(suite, folder, given)
        tests = folder / "tests"
        tests.mkdir()
        for path in suite.tests:
            files = sorted((source / path).glob("test_*.py")) if (source / path).is_dir() else [source / path]
            if not files or not all(file.is_file() for file in files):
                raise SystemExit(f"{name}: expected tests at {source / path}, found none")
            for file in files:
                if file.name not in suite.files_left_out:
                    shutil.copy(file, tests)
        environment = os.environ | {"LACUNA_REPLACES": name, "PYTHONPATH": str(HERE), "MPLBACKEND": "agg"}
        pytest = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "replaced",
            "-p",
            "no:cacheprovider",
            "--rootdir",
            str(tests),
        ]
        print(f"== {suite.repository} {suite.release}", flush=True)
        for skipped, reason in suite.files_left_out.items():
            print(f"left out: {skipped}, which {reason}", flush=True)
        return subprocess.run([*pytest, str(tests)], cwd=tests, env=environment, check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs the test suites of other libraries with their modules replaced.")
    parser.add_argument("--only", default=",".join(SUITES), help="the suites to run, with commas between them")
    parser.add_argument("--from", dest="given", type=Path, help="a folder with checkouts of the repositories")
    options = parser.parse_args()
    names = options.only.split(",")
    unknown = [name for name in names if name not in SUITES]
    if unknown:
        parser.error(f"--only: expected some of {', '.join(SUITES)}, found {', '.join(unknown)}")
    failed = [name for name in names if run(name, SUITES[name], options.given)]
    print(f"failed: {', '.join(failed)}" if failed else f"all suites pass: {', '.join(names)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
