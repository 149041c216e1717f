"""The pictures of the documentation: up to date, readable in both colour schemes, with a text alternative on every page."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("pictures", ROOT / "tools" / "pictures.py")
assert SPEC is not None
assert SPEC.loader is not None
pictures = importlib.util.module_from_spec(SPEC)
sys.modules["pictures"] = pictures  # for its dataclasses
SPEC.loader.exec_module(pictures)
COLOURS, PICTURES = pictures.COLOURS, pictures.PICTURES
SVG = "{http://www.w3.org/2000/svg}"
SHOWN = re.compile(r"!\[([^\]]*)\]\([\w/.]*pictures/(\w+)\.svg\)")


@pytest.mark.parametrize("name", PICTURES)
def test_each_picture_is_as_the_script_draws_it(name):
    assert (pictures.FOLDER / f"{name}.svg").read_text("utf-8") == pictures.svg(PICTURES[name]), (
        "fix: python tools/pictures.py"
    )


@pytest.mark.parametrize("name", PICTURES)
def test_each_picture_has_a_title_a_description_and_both_schemes(name):
    root = ElementTree.fromstring(pictures.svg(PICTURES[name]))
    title, description = (root.findtext(f"{SVG}{kind}") for kind in ("title", "desc"))
    assert root.get("role") == "img"
    assert (title, description) == (PICTURES[name].title, PICTURES[name].description)
    assert "@media (prefers-color-scheme: dark)" in (root.findtext(f"{SVG}style") or "")


@pytest.mark.parametrize("name", PICTURES)
def test_everything_is_inside_of_the_picture(name):
    picture = PICTURES[name]
    corners = [(box.x + box.width, box.y + box.height) for box in picture.boxes]
    points = [point for arrow in picture.arrows for point in arrow.points]
    assert [(x, y) for x, y in corners + points if not (0 <= x < picture.width and 0 <= y < picture.height)] == []


def test_every_picture_is_shown_with_a_text_alternative():
    shown = [
        found
        for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
        for found in SHOWN.findall(page.read_text("utf-8"))
    ]
    assert {name for _, name in shown} == set(PICTURES)
    assert [name for text, name in shown if len(text) < 80] == []


def luminance(colour: str) -> float:
    """The relative luminance of WCAG 2.2."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", COLOURS)
@pytest.mark.parametrize(
    "front, back, ratio",
    [("text", "page", 4.5), ("text", "box", 4.5), ("text", "main", 4.5), ("line", "page", 3), ("line", "box", 3)],
)
def test_the_contrast_is_that_of_wcag(scheme, front, back, ratio):
    low, high = sorted(luminance(COLOURS[scheme][name]) for name in (front, back))
    assert (high + 0.05) / (low + 0.05) >= ratio


def test_a_line_that_does_not_fit_its_box_is_refused():
    picture = pictures.Picture("a", "b", 100, 100, (pictures.Box(0, 0, 60, 20, ("too long for it",)),), ())
    with pytest.raises(ValueError, match="'too long for it' is too long"):
        pictures.svg(picture)
