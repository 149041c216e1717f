"""README.md shows what really happens: every console block is run, the reference is what the code says."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

_SPEC = importlib.util.spec_from_file_location("readme", Path(__file__).with_name("readme.py"))
assert _SPEC is not None
assert _SPEC.loader is not None
readme = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(readme)


@pytest.mark.spark
def test_the_tour_prints_what_the_readme_shows(tmp_path):
    text = readme.README.read_text("utf-8")
    assert readme.renewed(text, tmp_path) == text, "README.md is behind: python tests/readme.py --write"
