"""`python3 -m unittest` in this folder: benches/gpu.py compares what it should, and says what it finds."""

import argparse
import contextlib
import json
import math
import pathlib
import stat
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import device
import gpu
import gpu_report
import ripserpp
from cases import Case

BARS = "persistence intervals in dim 0:\n [0,0.5)\n [0, )\npersistence intervals in dim 1:\n [1,2.5)\n"

STDERR = """\
num cols to reduce: dim 1, 90
gpu scan kernel time for dim: 1: 0.001s
num apparent for dim: 1 is: 80
INSERTION POSTPROCESSING FOR GPU IN DIM 1: 0.002s
-SUM OF GPU MATRIX SCAN and post processing time for dim 1: 0.004s
SUBMATRIX REDUCTION TIME for dim 1: 0.25s

(sparse) num simplices for dim 2: 700
columns to reduce for dim: 2: 600
ASSEMBLE COLS TIME for dim 2: 0.5s
gpu scan kernel time for dim: 2: 1e-05s
"""

STATS = {
    "backend": "cuda",
    "device_memory": 5_000_000,
    "dimensions": [
        {
            "dim": 1, "simplices": 100, "cleared": 10, "apparent": 80, "shortcut": 82, "emergent": 83, "pairs": 89,
            "essential": 1, "residue": 10, "additions": 7, "assembly_seconds": 0.001, "device_seconds": 0.002,
            "reduction_seconds": 0.5,
            "pair_store": {"layer1_reads": 1, "layer1_writes": 2, "layer2_reads": 3, "layer2_writes": 0},
        }
    ],
}  # fmt: skip

# A program in place of both: LACUNA rips …, LACUNA compare … A B, RIPSERPP …; behaves as its folder's files say.
PROGRAM = """\
#!{python}
import pathlib, sys, time
here, words = pathlib.Path(__file__).parent, sys.argv[1:]
option = lambda name: pathlib.Path(words[words.index(name) + 1])
if words[0] == "compare":
    sys.exit(int(pathlib.Path(words[-1]).read_text() != pathlib.Path(words[-2]).read_text()))
if words[0] != "rips":
    print((here / "theirs").read_text(), end="")
    print((here / "messages").read_text(), file=sys.stderr)
    sys.exit(int((here / "code").read_text()))
backend = str(option("--backend"))
if (here / f"no-{{backend}}").exists():
    sys.exit("error: no such backend")
option("-o").write_text((here / "ours").read_text().replace("2.5", "2.6" if (here / f"wrong-{{backend}}").exists() else "2.5"))
option("--stats").write_text((here / "stats").read_text())
"""


def result(**changes):
    runs = {name: [{"seconds": took, "peak": peak, "stats": STATS}] for name, took, peak in
            [("auto", 0.5, 10**8), ("cpu", 1.0, 10**7), ("cuda", 0.4, 10**8), ("Ripser++", 8.0, 4 * 10**9)]}  # fmt: skip
    every = {"case": "some d1", "bars": 3, "runs": runs, "device": {"cuda": 6 * 10**8, "Ripser++": 2 * 10**10}}
    return {**every, "failed": {}, "notes": [], "profile": {}, "void": None, **changes}


def cells(table):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


class Text(unittest.TestCase):
    def test_bars_behind_a_header(self):
        found = ripserpp.bars("value range: [0,2]\ndistance matrix with 3 points\n" + BARS)
        self.assertEqual(found, {0: [(0, 0.5), (0, math.inf)], 1: [(1, 2.5)]})
        self.assertEqual(ripserpp.greatest(found), 2.5)

    def test_what_is_no_barcode(self):
        for text in ("", "no heading\n", BARS + "Failed: Cuda error x\n", BARS + " [1;2)\n", BARS + " [1,x)\n"):
            with self.assertRaises(ripserpp.NoBarcode, msg=text):
                ripserpp.bars(text)

    def test_short_bars_are_left_out_and_others_kept_exactly(self):
        text, dropped = ripserpp.without_short({0: [(0.0, math.inf)], 1: [(1.0, 1.00001), (0.1, 0.30000001)]}, 1e-4)
        self.assertEqual(dropped, 1)
        self.assertEqual(ripserpp.bars(text), {0: [(0, math.inf)], 1: [(0.1, 0.30000001)]})

    def test_sparse_with_a_threshold_only(self):
        case = Case("some d1", pathlib.Path("file"), "distance", 1)
        self.assertEqual(ripserpp.command("ripser++", case)[1:3], ["--format", "distance"])
        bounded = Case("some d1", pathlib.Path("file"), "distance", 1, 1.4)
        self.assertEqual(ripserpp.command("ripser++", bounded)[1:2], ["--sparse"])

    def test_complaints(self):
        self.assertIsNone(ripserpp.complaint(BARS, "num apparent for dim: 1 is: 80"))
        self.assertIn("x.cu:1", ripserpp.complaint("Failed: Cuda error x.cu:1 'no'", ""))
        self.assertIn("without the GPU", ripserpp.complaint(BARS, "CPU-ONLY MODE FOR REMAINDER"))

    def test_stages(self):
        found = ripserpp.profile(STDERR)
        self.assertEqual(found[1], {"columns": 90, "kernel": 0.001, "apparent": 80, "search": 0.004, "reduction": 0.25})
        self.assertEqual(found[2], {"columns": 600, "assembly": 0.5, "kernel": 1e-5})


class Counts(unittest.TestCase):
    def test_a_count_that_differs(self):
        ours = gpu.counts(STATS)
        self.assertIsNone(gpu.difference(ours, gpu.counts(STATS)))
        for key in gpu.COUNTS:
            self.assertIn(key, gpu.difference(ours, [{**ours[0], key: 0}]))
        self.assertIn("dimensions", gpu.difference(ours, []))

    def test_table_1(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "table.tsv"
            file.write_text("# name\tn\nSome (t=1)\t9\t1\t80\t82\t84\t90\t1,2\nother\t9\t1\t1\t2\t3\t4\t\n")
            table = gpu.read_table1(file)
        self.assertEqual(list(table), ["some", "other"])
        self.assertEqual(gpu.table1_difference(gpu.counts(STATS), table["some"]), "emergent 83, there 84")


class Report(unittest.TestCase):
    def test_whole_processes(self):
        titles, _, row = cells(gpu_report.whole([result()]))
        self.assertEqual(len(titles), len(row))
        self.assertEqual(row[2:7], ["8 s", "**16×** (0.5 s, cuda)", "**8×** (1 s)", "**20×** (0.4 s)", "1.25"])
        self.assertEqual(row[7], "100 MB, **1/40** of 4 GB")
        self.assertEqual(row[9:], ["600 MB, own buffers 5 MB", "20 GB"])

    def test_void_and_failed(self):
        titles, _, void = cells(gpu_report.whole([result(void="other bars")]))
        self.assertEqual((len(void), void[1]), (len(titles), "void: other bars"))
        alone = result(failed={"Ripser++": "no GPU"})
        del alone["runs"]["Ripser++"], alone["runs"]["cuda"]
        self.assertEqual(cells(gpu_report.whole([alone]))[2][2:7], ["–", "0.5 s, cuda", "1 s", "–", "–"])
        self.assertEqual(gpu_report.stages([alone, result(void="other bars")]), [])
        self.assertIn("Ripser++ failed: no GPU", gpu_report.tables([alone], ["header"]))

    def test_stages(self):
        titles, _, row = cells(gpu_report.stages([result()]))
        self.assertEqual((titles[-1], row[2:]), ("reduction", ["100", "2 ms", "0.05 M", "1 ms", "0.5 s"]))
        titles, _, row = cells(gpu_report.stages([result(profile=ripserpp.profile(STDERR))]))
        self.assertEqual(len(titles), len(row))
        self.assertEqual(row[7:], ["–", "4 ms (1 ms)", "0.025 M", "**2×**", "0.25 s"])

    def test_pair_store(self):
        self.assertEqual(cells(gpu_report.pair_store([result()]))[2][1:], ["80", "10", "2", "1", "3", "7"])


class Programs(unittest.TestCase):
    """Bench with programs that behave as told."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.scratch = self.folder / "scratch"
        self.scratch.mkdir()
        program = self.folder / "program"
        program.write_text(PROGRAM.format(python=sys.executable))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        self.set(ours=BARS, theirs=BARS, messages=STDERR, code="0", stats=json.dumps(STATS))
        self.options = argparse.Namespace(
            lacuna=program, ripserpp=program, profiling=program, table1=self.folder, runs=2, timeout=60.0
        )

    def set(self, **files):
        for name, text in files.items():
            (self.folder / name).write_text(text)

    def work(self, deadline=math.inf):
        case = Case("some d1", self.folder / "input", "distance", 1)
        bench = gpu.Bench(case, self.options, self.scratch, Steps())
        bench.work(deadline, {"apparent": 80, "shortcut": 82, "emergent": 83, "all": 90})
        found = bench.result()
        json.dumps(found)
        return found

    def test_all_the_same(self):
        found = self.work()
        self.assertEqual((found["void"], found["failed"], found["bars"]), (None, {}, 3))
        self.assertEqual({name: len(runs) for name, runs in found["runs"].items()},
                         {"auto": 2, "cpu": 2, "cuda": 2, "Ripser++": 2})  # fmt: skip
        self.assertEqual(set(found["device"]), {"auto", "cpu", "cuda", "Ripser++"})
        self.assertEqual(found["profile"][1]["apparent"], 80)
        self.assertEqual(found["notes"], ["whole filtration, `cuda` counts as `cpu`; Table 1: equal"])

    def test_a_bar_of_the_length_of_the_last_digit(self):
        self.set(theirs=BARS + " [1.2,1.20001)\n")
        found = self.work()
        self.assertIsNone(found["void"])
        said = "bars no longer than 2.5e-05 not compared: 0 of Lacuna's, 1 of Ripser++'s"
        self.assertEqual([note for note in found["notes"] if "not compared" in note], [said])

    def test_a_longer_bar(self):
        self.set(theirs=BARS + " [1.2,1.2001)\n")
        self.assertIn("Ripser++ differ", self.work()["void"])

    def test_other_bars(self):
        self.set(theirs=BARS.replace("2.5", "2.6"))
        self.assertIn("Ripser++ differ", self.work()["void"])

    def test_other_bars_of_a_backend(self):
        self.set(**{"wrong-cuda": ""})
        self.assertIn("`cuda` differ", self.work()["void"])

    def test_a_text_that_is_no_barcode(self):
        self.set(theirs="Killed")
        self.assertIn("Ripser++'s text", self.work()["void"])

    def test_a_program_that_fails_is_left_out(self):
        self.set(code="1", theirs="Failed: Cuda error out of memory", **{"no-cuda": ""})
        found = self.work()
        self.assertIsNone(found["void"])
        self.assertEqual(set(found["runs"]), {"auto", "cpu"})
        self.assertIn("out of memory", found["failed"]["Ripser++"])
        self.assertEqual(found["failed"]["cuda"], "exit code 1: error: no such backend")

    def test_without_a_gpu_it_does_not_count(self):
        self.set(messages=ripserpp.NO_GPU)
        self.assertIn("without the GPU", self.work()["failed"]["Ripser++"])

    def test_no_answer_of_ours(self):
        self.set(**{"no-cpu": ""})
        self.assertEqual(self.work()["void"], "no answer to compare with")

    def test_no_time(self):
        self.assertEqual(self.work(deadline=-math.inf)["void"], "no time left to measure it")

    def test_counts_of_the_other_program(self):
        self.set(messages=STDERR.replace("is: 80", "is: 81"))
        self.assertIn("counts 81 apparent pairs, Lacuna 80", self.work()["notes"][0])


class Arguments(unittest.TestCase):
    def test_programs_are_where_they_are_said_to_be(self):
        relative = pathlib.Path(sys.executable).relative_to("/")
        with contextlib.chdir("/"):
            self.assertEqual(gpu.program(str(relative)), pathlib.Path(sys.executable).resolve())
        with self.assertRaises(argparse.ArgumentTypeError):
            gpu.program("no such program")


class Running(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.scratch = pathlib.Path(folder.name)

    def python(self, code, timeout=60):
        return gpu.run([sys.executable, "-S", "-c", code], self.scratch, timeout)

    def test_figures_and_texts(self):
        ran = self.python("import sys; x = b'x' * 50_000_000; print('out'); print('err', file=sys.stderr)")
        self.assertEqual((ran.stdout, ran.stderr), ("out\n", "err\n"))
        self.assertGreater(ran.peak, 50_000_000)
        self.assertLess(ran.seconds, 60)

    def test_failures(self):
        with self.assertRaisesRegex(gpu.Failed, "exit code 3: why"):
            self.python("import sys; print('why', file=sys.stderr); sys.exit(3)")
        with self.assertRaisesRegex(gpu.Failed, "exit code -9"):
            self.python("import os; os.kill(os.getpid(), 9)")
        with self.assertRaisesRegex(gpu.Failed, "No such file"):
            gpu.run([self.scratch / "nothing"], self.scratch, 60)

    def test_a_process_that_takes_too_long_is_ended(self):
        alive = self.scratch / "alive"
        with self.assertRaisesRegex(gpu.Failed, "no end after 1 s"):
            self.python(f"import time; time.sleep(2.5); open({str(alive)!r}, 'w')", timeout=1)
        time.sleep(2.5)
        self.assertFalse(alive.exists())


class Steps:
    """A device whose memory in use goes up by 100 bytes a sample, ten times."""

    period = 0.001

    def __init__(self):
        self.samples = 0

    def used(self):
        self.samples = min(self.samples + 1, 11)
        return 1000 + 100 * self.samples


class Device(unittest.TestCase):
    def test_the_peak_above_what_was_there(self):
        with device.Peak(Steps()) as peak:
            time.sleep(0.2)
        self.assertEqual(peak.bytes, 1000)

    def test_a_device_that_stops_answering(self):
        steps = Steps()
        with device.Peak(steps) as peak:
            steps.used = lambda: (_ for _ in ()).throw(device.NoDevice("gone"))
            time.sleep(0.2)
        self.assertIsNone(peak.bytes)


if __name__ == "__main__":
    unittest.main()
