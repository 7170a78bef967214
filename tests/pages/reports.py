"""The pages of reports in a real browser, light and dark: they render, the console stays empty,
nothing is loaded, and every number that a cell shows is the one in the JSON beside the page.

reports.py KERNELLOOP WORK_DIR. Exit code 77 when there is no Chromium.
"""

import json
import math
import pathlib
import re
import shutil
import subprocess
import sys

from browser import Browser, find_browser
from sample import write_sample

UNITS = {"µs": 1, "ms": 1e3, "s": 1e6, "%": 1e-2, "×": 1, "$": 1, "MHz": 1, "W": 1, "B": 1, "": 1,
         **{f"{p}{u}": f for p, f in {"G": 1e9, "M": 1e6, "k": 1e3, "": 1}.items() for u in ["B/s", "op/s"]}}

NUMBERS = """[...document.querySelectorAll('[data-number]')].map(
  e => [e.dataset.number, e.innerText.trim(), e.getBoundingClientRect().width])"""

# Contrast of text and background, as WCAG 2 defines it, of each kind of element; texts of plots too.
CONTRAST = """(() => {
  const rgb = c => c.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const light = c => { const [r, g, b] = rgb(c).map(
    v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = e => { for (; e; e = e.parentElement) {
    const c = getComputedStyle(e).backgroundColor;
    if (!/, 0\\)$|transparent/.test(c)) return c; } return 'rgb(255, 255, 255)'; };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05); };
  const found = {};
  for (const e of document.querySelectorAll('p,h1,h2,th,td,caption,a,summary,pre span,svg text')) {
    const style = getComputedStyle(e);
    const kind = e.tagName + '.' + (e.className.baseVal ?? e.className);
    const value = ratio(e.tagName === 'text' ? style.fill : style.color, ground(e));
    found[kind] = Math.min(found[kind] ?? 99, value);
  }
  return found; })()"""

STRUCTURE = """({
  images: [...document.querySelectorAll('figure')].map(
    f => [f.getAttribute('role'), f.getAttribute('aria-label').length, f.querySelectorAll('svg path').length]),
  tables: [...document.querySelectorAll('table')].map(t => [!!t.caption,
    [...t.rows].every(r => r.cells.length === t.rows[0].cells.length),
    [...t.rows].every(r => r.cells[0].tagName === 'TH' && r.cells[0].scope !== '')]),
  ids: [...document.querySelectorAll('[id]')].map(e => e.id),
  planted: document.querySelectorAll('script, img, iframe, object').length,
  language: document.documentElement.lang,
  ground: getComputedStyle(document.body).backgroundColor,
  overflow: document.documentElement.scrollWidth > document.documentElement.clientWidth })"""


def fail(text):
    sys.exit(f"FAILED: {text}")


def check(condition, text):
    if not condition:
        fail(text)


def shown_value(text):
    """(value, half a unit of the last digit) of what a cell shows; None for a dash."""
    if text == "–":
        return None
    match = re.match(r"^(\$?)([\d.]+)\s*(\S*)", text)
    check(match, f"no number in '{text}'")
    unit = match[1] or match[3].rstrip(",")
    check(unit in UNITS, f"unknown unit in '{text}'")
    decimals = len(match[2].partition(".")[2])
    return float(match[2]) * UNITS[unit], 0.5 * 10 ** -decimals * UNITS[unit]


def value_at(root, pointer):
    for part in pointer.strip("/").split("/"):
        root = root[int(part)] if isinstance(root, list) else root[part]
    return root


def check_numbers(page, numbers):
    files = {}
    for pointer, text, width in numbers:
        name, _, place = pointer.rpartition("#")
        file = page.parent / name if name else page.with_name(page.stem + ".report.json")
        if file not in files:
            files[file] = json.loads(file.read_text())
        expected = value_at(files[file], place)
        if place.startswith("/roofs/launch"):
            expected *= 1e6  # seconds
        shown = shown_value(text)
        check(width > 0, f"{page}: {pointer} is not visible")
        if expected is None or shown is None:
            check(expected is None and shown is None, f"{page}: {pointer} shows {text} for {expected}")
        else:
            check(math.isclose(shown[0], expected, rel_tol=1e-9, abs_tol=shown[1] * 1.001),
                  f"{page}: {pointer} shows '{text}', the JSON says {expected}")


def check_complete(page, numbers):
    """Every figure of every version is on the page, not only right where it is."""
    report = json.loads(page.with_name(page.stem + ".report.json").read_text())
    pointers = {pointer for pointer, _, _ in numbers}
    for index in range(len(report["versions"])):
        for member in ("time_us", "speed_up", "sol", "against_baseline", "cost_usd"):
            check(f"/versions/{index}/{member}" in pointers, f"{page}: no {member} of version {index}")


def check_page(browser, page, plots):
    grounds = []
    for scheme in ("light", "dark"):
        browser.open(page.resolve().as_uri(), scheme)
        numbers = browser.evaluate(NUMBERS)
        structure = browser.evaluate(STRUCTURE)
        check(browser.complaints() == [], f"{page}, {scheme}: {browser.complaints()}")
        check(structure["planted"] == 0, f"{page}: what a model wrote became an element")
        check(structure["language"] == "en", f"{page}: no language")
        check(not structure["overflow"], f"{page}: wider than the window")
        check(len(set(structure["ids"])) == len(structure["ids"]), f"{page}: an id stands twice")
        for caption, even, headers in structure["tables"]:
            check(caption and even and headers, f"{page}: a table without caption or headers")
        check(len(structure["images"]) == plots, f"{page}: {structure['images']} for {plots} plots")
        for role, words, paths in structure["images"]:
            check(role == "img" and words > 20 and paths > 5, f"{page}: a plot is empty or mute")
        for kind, ratio in browser.evaluate(CONTRAST).items():
            check(ratio >= 4.5, f"{page}, {scheme}: contrast of {kind} is {ratio:.1f}")
        check(len(numbers) >= 5, f"{page}: no numbers")
        check_numbers(page, numbers)
        if page.stem != "index":
            check_complete(page, numbers)
        grounds.append(structure["ground"])
    check(grounds[0] != grounds[1], f"{page}: light and dark look the same")
    print(f"{page.name}: {len(numbers)} numbers as in the JSON, light and dark")


def main(kernelloop, work_dir):
    program = find_browser()
    if not program:
        print("skipped: there is no chromium here (tools/bootstrap.sh --dev installs it)")
        return 77
    work = pathlib.Path(work_dir)
    shutil.rmtree(work, ignore_errors=True)
    config = write_sample(work)
    subprocess.run([kernelloop, "report", "--config", config, "--write"], check=True)
    plots = 2 if shutil.which("gnuplot") else 0
    browser = Browser(program)
    try:
        check_page(browser, work / "reports/scale/nvidia-h200.html", plots)
        check_page(browser, work / "reports/index.html", 0)
    finally:
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
