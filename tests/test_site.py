"""The documentation builds as a web site: strict, offline, every link checked, nothing loaded from elsewhere; pages as Markdown."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOADED = re.compile(
    r"<(?:script|img|iframe)\b[^>]*\bsrc=[\"']?(?:https?:)?//"
    r"|<link\b(?=[^>]*\brel=[\"']?(?:stylesheet|preconnect|icon|preload))[^>]*\bhref=[\"']?(?:https?:)?//"
    r"|@import\s+(?:url\()?[\"']?(?:https?:)?//|url\([\"']?(?:https?:)?//"
)
UNREACHABLE = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")


def _build(folder: Path, site: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)],
        cwd=folder,
        env={**os.environ, **UNREACHABLE, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def source(tmp_path) -> Path:
    """A copy of the pages and of the settings of the site."""
    shutil.copytree(ROOT / "docs", tmp_path / "source" / "docs")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path / "source")
    (tmp_path / "source" / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "site_markdown.py", tmp_path / "source" / "tools")
    return tmp_path / "source"


def test_the_site_builds_and_loads_nothing_from_elsewhere(source, tmp_path):
    done = _build(source, tmp_path / "site")
    assert done.returncode == 0, done.stdout + done.stderr
    pages = {page.relative_to(source / "docs").with_suffix(".html") for page in (source / "docs").rglob("*.md")}
    assert [page for page in pages if not (tmp_path / "site" / page).is_file()] == []
    for page in (source / "docs").rglob("*.md"):
        relative = page.relative_to(source / "docs")
        assert (tmp_path / "site" / relative).read_bytes() == page.read_bytes()
        assert f"]({relative.as_posix()})" in (tmp_path / "site" / "llms.txt").read_text("utf-8")
        html = (tmp_path / "site" / relative).with_suffix(".html").read_text("utf-8")
        assert f'<link rel="alternate" type="text/markdown" href="{relative.name}">' in html
    texts = {
        path: path.read_text("utf-8") for path in (tmp_path / "site").rglob("*") if path.suffix in {".html", ".css"}
    }
    assert [str(path) for path, text in texts.items() if LOADED.search(text)] == []


def test_broken_links_and_forgotten_pages_fail_the_build(source, tmp_path):
    """One build for all defects, as each takes a second."""
    links = "[a](missing.md) [b](lint.md#missing) [c](../README.md)"
    (source / "docs" / "quickstart.md").write_text(f"# Quickstart\n\n{links}\n", "utf-8")
    (source / "docs" / "forgotten.md").write_text("# Forgotten\n", "utf-8")
    done = _build(source, tmp_path / "site")
    assert done.returncode == 1
    for defect in ("'missing.md'", "'lint.md#missing'", "'../README.md'", "forgotten.md"):
        assert defect in done.stderr, done.stderr


@pytest.mark.servers
def test_the_search_works_from_the_disk_and_the_colours_follow_the_system(source, tmp_path):
    """In a real browser; needs Chromium on the path and the extra `browser`."""
    sync_api = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no Chromium on the path")
    done = _build(source, tmp_path / "site")
    assert done.returncode == 0, done.stdout + done.stderr
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(color_scheme="dark")
        page.goto((tmp_path / "site" / "reference" / "rules.html").as_uri() + "?q=quarantine")
        found = page.locator(".md-search-result__link").first
        found.wait_for(state="attached", timeout=60_000)
        assert found.get_attribute("href").startswith("file:")
        assert page.locator("body").get_attribute("data-md-color-scheme") == "slate"
        browser.close()


@pytest.mark.parametrize(
    "text, loaded",
    [
        pytest.param('<script src="https://cdn.example/x.js">', True, id="a script"),
        pytest.param('<link rel="stylesheet" href="//fonts.example/x.css">', True, id="a style sheet"),
        pytest.param("src: url(https://fonts.example/x.woff2)", True, id="a font"),
        pytest.param('<link rel="canonical" href="https://example.org/">', False, id="the page's own address"),
        pytest.param('<script src="assets/x.js">', False, id="a script of the site"),
        pytest.param('<a href="https://example.org/">', False, id="a link to follow"),
    ],
)
def test_what_counts_as_loaded_from_elsewhere(text, loaded):
    assert bool(LOADED.search(text)) == loaded
