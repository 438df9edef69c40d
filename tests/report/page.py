#!/usr/bin/env python3
"""The page of --report in a browser: no errors, pointing, selecting, keyboard, dimensions, themes, print, the table, and 10^5 bars in time.

    tests/report/page.py --lacuna PROGRAM [--pictures FOLDER]

Wants Chromium, chromedriver and the package selenium; --pictures keeps what the pages look like. Exits with 0 if all checks pass.
"""

import argparse
import base64
import csv
import io
import random
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

DATA = Path(__file__).resolve().parents[2] / "data"

# What the page promises of 10^5 bars, in milliseconds.
FIRST_PAINT = 1000
HOVER = 50


def browser():
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,1400"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    # With both programs named, nothing is looked for on the network.
    options.binary_location = shutil.which("chromium") or sys.exit("chromium is not installed")
    driver = shutil.which("chromedriver") or sys.exit("chromedriver is not installed")
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))


class Page:
    """A page that is open."""

    def __init__(self, driver, path, pictures):
        self.driver, self.path, self.pictures = driver, path, pictures
        driver.get(path.as_uri())
        self.expect_no_errors()

    def expect_no_errors(self):
        # Of rendering the browser gives hints; the tests themselves read pixels back.
        errors = [entry for entry in self.driver.get_log("browser") if entry["source"] != "rendering"]
        assert not errors, f"{self.path.name}: {errors}"

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def state(self):
        return self.run("return lacunaReport.state()")

    def chart(self, name):
        return self.driver.find_element(By.CSS_SELECTOR, f"#{name} canvas:last-of-type")

    def click(self, selector):
        self.driver.find_element(By.CSS_SELECTOR, selector).click()

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def point_at(self, chart, x, y):
        """Moves the mouse to a point of a chart."""
        self.move(ActionChains(self.driver), chart, x, y).perform()

    def move(self, actions, chart, x, y):
        canvas = self.chart(chart)
        self.run("arguments[0].scrollIntoView({block: 'center'})", canvas)
        size = canvas.size
        return actions.move_to_element_with_offset(canvas, round(x - size["width"] / 2), round(y - size["height"] / 2))

    def drag(self, chart, start, end):
        actions = ActionChains(self.driver)
        self.move(actions, chart, *start).click_and_hold()
        self.move(actions, chart, *end).release().perform()

    def pixels(self, name, layer="first"):
        """What a chart shows, as one text that changes with it."""
        return self.run("return document.querySelector(arguments[0]).toDataURL()", f"#{name} canvas:{layer}-of-type")

    def picture(self, name):
        if self.pictures:
            height = self.run("return document.documentElement.scrollHeight")
            self.driver.set_window_size(1280, min(int(height) + 150, 4000))
            self.driver.save_screenshot(str(self.pictures / f"{name}.png"))


def check_pointing(page):
    """A bar that is pointed at in one picture is shown in both, with its values and simplices."""
    for chart in ("diagram", "barcode"):
        # The longest bar of dimension 1: all before it are of dimension 0.
        bar = page.run("return Number(document.querySelectorAll('#table tbody tr')[1].dataset.bar)")
        x, y = page.run("return lacunaReport.place(arguments[0], arguments[1])", chart, bar)
        other = "barcode" if chart == "diagram" else "diagram"
        before = page.pixels(other, "last")
        page.point_at(chart, x, y)
        assert page.state()["hovered"] == bar, f"{chart}: {page.state()}, not {bar}"
        words = page.text("#tooltip")
        for part in ("H₁", "birth 0.69", "death 1.8", "persistence", "birth simplex", "death simplex"):
            assert part in words, f"{part} is not in {words!r}"
        assert not page.run("return document.getElementById('tooltip').hidden")
        assert page.pixels(other, "last") != before, f"{other} does not follow {chart}"
        page.point_at(chart, 3, 3)
        assert page.state()["hovered"] == -1 and page.run("return document.getElementById('tooltip').hidden")


def check_selecting(page):
    """A rectangle selects in both pictures, and the table and its CSV follow."""
    width = page.chart("diagram").size["width"]
    for chart, start, end in (("diagram", (60, 60), (width - 30, 250)), ("barcode", (200, 12), (400, 200))):
        before = page.pixels("barcode", "last"), page.pixels("diagram", "last")
        page.drag(chart, start, end)
        selected = page.state()["selected"]
        assert 0 < selected < page.run("return lacunaReport.count"), f"{chart}: {selected}"
        after = page.pixels("barcode", "last"), page.pixels("diagram", "last")
        assert all(a != b for a, b in zip(before, after)), "both pictures show the selection"
        page.run("return new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")
        assert f"{selected} selected bar" in page.text("#table-count"), page.text("#table-count")
        rows = list(csv.DictReader(io.StringIO(page.run("return lacunaReport.csv()"))))
        assert len(rows) == selected and list(rows[0])[:3] == ["dim", "birth", "death"], rows[:1]
        page.click("#clear")
        assert page.state()["selected"] == 0


def check_keyboard(page):
    chart = page.chart("barcode")
    page.run("arguments[0].focus()", chart)
    chart.send_keys(Keys.END)
    last = page.state()["hovered"]
    chart.send_keys(Keys.ARROW_UP)
    assert last >= 0 and page.state()["hovered"] not in (-1, last)
    assert "persistence" in page.text("#status"), "what is walked to is said"
    chart.send_keys(Keys.ENTER)
    assert page.state()["selected"] == 1
    chart.send_keys(Keys.ESCAPE)
    assert page.state()["selected"] == 0 and page.state()["hovered"] == -1


def check_dimensions(page):
    before = page.pixels("diagram"), page.pixels("barcode"), page.pixels("curves")
    page.click("#dims input[data-dim='0']")
    after = page.pixels("diagram"), page.pixels("barcode"), page.pixels("curves")
    assert all(a != b for a, b in zip(before, after)) and page.state()["visible"][0] is False
    page.run("return new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")
    dims = {row["dim"] for row in csv.DictReader(io.StringIO(page.run("return lacunaReport.csv()")))}
    assert dims == {"1", "2"}, dims
    page.click("#dims input[data-dim='0']")
    assert page.pixels("diagram") == before[0]


def check_themes(page):
    paper = "return getComputedStyle(document.body).backgroundColor"
    light, drawn = page.run(paper), page.pixels("diagram")
    page.click("#theme")
    assert page.run(paper) != light and page.pixels("diagram") != drawn, "dark"
    page.picture("torus-dark")
    page.click("#theme")
    assert page.run(paper) == light and page.pixels("diagram") == drawn, "light"
    page.click("#theme")
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    page.run("return new Promise((done) => setTimeout(done, 100))")
    assert page.run(paper) != light and page.pixels("diagram") != drawn, "as the system has it"
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def check_cycles(page):
    """Cycles are drawn, turn, and stand out when their bar is pointed at."""
    before = page.pixels("space")
    page.run("arguments[0].focus()", page.chart("space"))
    page.chart("space").send_keys(Keys.ARROW_RIGHT)
    assert page.pixels("space") != before, "the arrow turns it"
    bar = page.run("return Number(document.querySelectorAll('#table tbody tr')[1].dataset.bar)")
    over = page.pixels("space", "last")
    page.point_at("diagram", *page.run("return lacunaReport.place('diagram', arguments[0])", bar))
    assert page.pixels("space", "last") != over, "its cycle stands out"
    page.picture("torus")
    page.point_at("diagram", 3, 3)


def times_of(page):
    """Milliseconds until the page is drawn, and from each move of the mouse until what it changes is painted."""
    drawn = page.run("""
        const [paint] = performance.getEntriesByName("first-contentful-paint");
        return Math.max(Number(document.body.dataset.drawn), paint ? paint.startTime : 0)""")
    return drawn, sorted(page.run("""return (async () => {
        const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
        const times = [];
        await painted();
        for (const name of ["diagram", "barcode"]) {
          const canvas = document.querySelector(`#${name} canvas:last-of-type`), box = canvas.getBoundingClientRect();
          for (let k = 0; k < 50; k++) {
            const [x, y] = [60 + (k * 37) % (box.width - 80), 20 + (k * 53) % (box.height - 80)];
            const start = performance.now();
            canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + x, clientY: box.top + y, bubbles: true }));
            await painted();
            times.push(performance.now() - start);
          }
        }
        return times;
      })()"""))


def check_print(page):
    """Printed, the page is light and narrow, its pictures as large as they are drawn, without controls; afterwards it is as it was."""
    page.run("lacunaReport.sizes = () => [...document.querySelectorAll('.chart canvas:first-of-type')].filter((c) => c.clientWidth).map((c) => [c.clientWidth, c.clientHeight, c.width, c.height])")
    before = page.run("return lacunaReport.sizes()")
    page.run("""dispatchEvent(new Event("beforeprint"))""")
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    for width, height, across, up in page.run("return lacunaReport.sizes()"):
        assert width <= 680 and (across, up) == (2 * width, 2 * height), (width, height, across, up)
    shown = "return [...document.querySelectorAll('.controls, .help, .status, .chart canvas:last-of-type')].filter((e) => e.offsetHeight > 0).length"
    assert page.run(shown) == 0
    white = "return getComputedStyle(document.body).backgroundColor"
    assert page.run(white) == "rgb(255, 255, 255)", page.run(white)
    dot = page.run("const c = document.querySelector('#diagram canvas'); return [...c.getContext('2d').getImageData(2, 2, 1, 1).data]")
    assert dot[3] == 0 or min(dot[:3]) > 240, dot
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    page.run("""dispatchEvent(new Event("afterprint"))""")
    assert page.run("return lacunaReport.sizes()") == before
    document = base64.b64decode(page.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"])
    assert document.startswith(b"%PDF-") and len(document) > 20_000, len(document)
    if page.pictures:
        (page.pictures / "printed.pdf").write_bytes(document)


def check_many(driver, path, pictures):
    # A busy machine may hold a page up: it is the best of some runs that tells what the page takes.
    best = []
    for _ in range(4):
        page = Page(driver, path, pictures)
        drawn, times = times_of(page)
        best.append((drawn, times[len(times) * 9 // 10]))
        if drawn <= FIRST_PAINT and best[-1][1] <= HOVER:
            break
    count = page.run("return lacunaReport.count")
    drawn, slow = (min(column) for column in zip(*best))
    print(f"{count} bars: drawn {drawn:.0f} ms after the page was asked for; pointing takes {slow:.0f} ms or less nine times of ten")
    assert count >= 100_000 and drawn <= FIRST_PAINT and slow <= HOVER, best
    page.drag("diagram", (120, 60), (400, 300))
    assert page.state()["selected"] > 0
    page.picture("many")


def noise(path, side):
    """An image of noise as a NumPy file, whose bars are many."""
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({side}, {side}), }}"
    head = head.ljust(117) + "\n"
    numbers = random.Random(1)
    voxels = struct.pack(f"<{side * side}f", *(numbers.random() for _ in range(side * side)))
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + voxels)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lacuna", required=True, help="the program")
    parser.add_argument("--pictures", type=Path, help="folder for screenshots")
    arguments = parser.parse_args()
    if arguments.pictures:
        arguments.pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)

        def report(name, *options):
            path = folder / f"{name}.html"
            subprocess.run([arguments.lacuna, *map(str, options), "-q", "--report", str(path)], check=True, stdout=subprocess.DEVNULL)
            size = path.stat().st_size
            print(f"{name}: {size} bytes")
            return path

        hostile = folder / "<img src=x onerror=alert(1)>.pts"
        hostile.write_bytes((DATA / "torus.pts").read_bytes())
        bars = folder / "bars.json"
        torus = report("torus", "rips", hostile, "--max-dim", 2, "--threshold", 2, "-o", bars,
                       "--representatives", "simplices,cycles", "--longest", 6, "--tighten")
        simplices = report("simplices", "rips", DATA / "torus.pts", "--max-dim", 2, "--threshold", 2, "-o", bars,
                           "--representatives", "simplices")
        assert simplices.stat().st_size < 400_000
        image = DATA / "cubical/waves.npy"
        others = [
            report("image", "cubical", image, "--superlevel"),
            report("matrix", "reduce", DATA / "octahedron_surface.dat"),
            report("curve", "ecc", image),
        ]
        noise(folder / "noise.npy", 600)
        many = report("many", "cubical", folder / "noise.npy", "-o", folder / "bars.npy")
        driver = browser()
        try:
            page = Page(driver, torus, arguments.pictures)
            assert page.text("#title").endswith("onerror=alert(1)>.pts"), page.text("#title")
            assert not driver.find_elements(By.CSS_SELECTOR, "img")
            assert "threshold" in page.text("#plan") and "dimension 1 reduction" in page.text("#stages")
            page.run("return new Promise((done) => setTimeout(done, 100))")
            check_cycles(page)
            page = Page(driver, simplices, arguments.pictures)
            page.run("return new Promise((done) => setTimeout(done, 100))")
            for check in (check_pointing, check_selecting, check_keyboard, check_dimensions, check_themes, check_print):
                check(page)
                page.expect_no_errors()
                print(f"   {check.__name__}: ok")
            for path in others:
                Page(driver, path, arguments.pictures).picture(path.stem)
            check_many(driver, many, arguments.pictures)
        finally:
            driver.quit()
    return 0


if __name__ == "__main__":
    sys.exit(main())
