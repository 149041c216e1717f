"""The catalog against ``gen docs``, and in headless Chromium: how it opens, and how fast the search answers.

    python benchmarks/catalog_browser.py [--messages 1000] [--more 10000] [--runs 5] [--rounds 5]

Needs Chromium on the path and ``pip install 'babelreg[browser]'``. Prints processor seconds and bytes of ``gen catalog
--verdicts no`` beside ``gen docs``, nothing kept between runs; the time from the start of the navigation until the page
is loaded and shows its heading, for both sizes in turn; and that of a keystroke, from the event until its results are
laid out.

Bars: time <= 1.5x and bytes <= those of ``gen docs``; the larger opens in <= 4x the time of the smaller; a keystroke's
99th percentile <= 16 ms at 1,000 messages.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(Path(__file__).parent))

import machine  # noqa: E402
import registry_of  # noqa: E402

QUERIES = (
    "orders created",
    "total.minor",
    "warehouse-worker",
    "invoice-line",
    "team-bill",
    "paymnt apprvd",
    "zzzz qqqq",
    "e",
)
OPENED = """() => new Promise((done) => {
  const told = () => {
    const entry = performance.getEntriesByType("navigation")[0];
    const shown = document.querySelector("main h1");
    shown && entry.loadEventEnd ? done([entry.loadEventEnd, performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0]) : setTimeout(told, 1);
  };
  told();
})"""
KEYSTROKES = """(values) => {
  const query = document.getElementById("query"), times = [];
  query.focus();
  for (const value of values) {
    query.value = value;
    const start = performance.now();
    query.dispatchEvent(new Event("input", { bubbles: true }));
    document.getElementById("hits").getBoundingClientRect();
    times.push(performance.now() - start);
  }
  return times;
}"""


def generated(target: str, source: Path, out: Path, *more: str) -> float:
    """Write ``target`` into the empty folder ``out`` and return the seconds of the processor that it took."""
    shutil.rmtree(out, ignore_errors=True)
    command = [
        sys.executable,
        "-m",
        "babelreg",
        "-q",
        "gen",
        target,
        "--no-cache",
        "--registry",
        str(source),
        "--out",
        str(out),
    ]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [*command, *more], check=True, cwd=ROOT, env={**os.environ, "BABELREG_CACHE_DIR": str(out / "cache")}
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def size_of(folder: Path) -> int:
    """Return the bytes of all files below ``folder``."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def build(source: Path, scratch: Path, runs: int) -> None:
    """Print time and bytes of the catalog beside those of the docs."""
    seconds: dict[str, list[float]] = {"docs": [], "catalog": []}
    for _ in range(runs):
        seconds["docs"].append(generated("docs", source, scratch / "docs"))
        seconds["catalog"].append(generated("catalog", source, scratch / "catalog", "--verdicts", "no"))
    docs, catalog = (statistics.median(seconds[name]) for name in ("docs", "catalog"))
    print(
        f"cpu: docs {docs:.2f} s, catalog {catalog:.2f} s, ratio {catalog / docs:.2f}  {machine.beside(catalog, processor=True)}"
    )
    docs_bytes, catalog_bytes = size_of(scratch / "docs"), size_of(scratch / "catalog")
    page = (scratch / "catalog" / "index.html").stat().st_size
    print(
        f"bytes: docs {docs_bytes:,}, catalog {catalog_bytes:,} (of these index.html {page:,}), ratio {catalog_bytes / docs_bytes:.2f}"
    )


def opening(browser: Any, pages: dict[int, Path], runs: int) -> None:
    """Print how long each page takes until it is loaded, in turn."""
    seconds: dict[int, list[tuple[float, float]]] = {size: [] for size in pages}
    for _ in range(runs + 1):
        for size, path in pages.items():
            context = browser.new_context()
            page = context.new_page()
            page.goto(path.as_uri())
            seconds[size].append(tuple(page.evaluate(OPENED)))
            context.close()
    loaded = {size: statistics.median(load for load, _ in times[1:]) for size, times in seconds.items()}
    for size, times in seconds.items():
        paint = statistics.median(first for _, first in times[1:])
        print(
            f"opens, {size:>6,} messages: loaded {loaded[size]:.0f} ms, first paint {paint:.0f} ms  {machine.beside(loaded[size] / 1000)}"
        )
    small, large = min(loaded), max(loaded)
    print(f"ratio {loaded[large] / loaded[small]:.2f}")


def keystrokes(browser: Any, path: Path, rounds: int) -> None:
    """Print the percentiles of a keystroke in the search, over the prefixes of several queries.

    Of each keystroke the least of ``rounds`` counts: in the others, the machine did something else.
    """
    prefixes = [query[:end] for query in QUERIES for end in range(1, len(query) + 1)]
    context = browser.new_context()
    page = context.new_page()
    page.goto(path.as_uri())
    page.evaluate(OPENED)
    every = [page.evaluate(KEYSTROKES, prefixes) for _ in range(rounds)]
    context.close()
    times = sorted(min(times) for times in zip(*every, strict=True))
    at = [times[int(len(times) * share)] for share in (0.5, 0.9, 0.99)]
    first = max(every[0])
    print(
        f"{len(times)} keystrokes, least of {rounds}: p50 {at[0]:.1f} ms, p90 {at[1]:.1f} ms, p99 {at[2]:.1f} ms; "
        f"worst of the first round {first:.1f} ms  {machine.beside(at[2] / 1000)}"
    )


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=1000)
    parser.add_argument("--more", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=5, help="of all keystrokes")
    chosen = parser.parse_args()
    print(machine.described())
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        registry_of.write(scratch / "registry", chosen.messages)
        build(scratch / "registry", scratch, chosen.runs)
        registry_of.write(scratch / "larger", chosen.more)
        generated("catalog", scratch / "larger", scratch / "larger-catalog")
        pages = {
            chosen.messages: scratch / "catalog" / "index.html",
            chosen.more: scratch / "larger-catalog" / "index.html",
        }
        in_browser(pages, chosen.runs, chosen.rounds)


def in_browser(pages: dict[int, Path], runs: int, rounds: int) -> None:
    """Measure the pages in Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        opening(browser, pages, runs)
        keystrokes(browser, next(iter(pages.values())), rounds)
        browser.close()


if __name__ == "__main__":
    main()
