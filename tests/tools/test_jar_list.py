"""The jars of tests with real parts are pinned, and nothing but the pinned bytes is kept."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import sys
from pathlib import Path

import jars
import pytest

CONTENT = b"classes"
PATH = "org/example/one/1.0/one-1.0.jar"


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A mirror with one jar, and a list that pins it."""
    jar = tmp_path / "mirror" / PATH
    jar.parent.mkdir(parents=True)
    jar.write_bytes(CONTENT)
    pinned = tmp_path / "jars.json"
    pinned.write_text(json.dumps({"one": {PATH: hashlib.sha256(CONTENT).hexdigest()}}))
    monkeypatch.setattr(jars, "_PINNED", pinned)
    monkeypatch.setattr(jars, "_ATTEMPTS", 1)
    monkeypatch.setenv("BABELREG_TESTS_MAVEN", f"{(tmp_path / 'mirror').as_uri()}/")
    monkeypatch.setenv("BABELREG_TESTS_CACHE", str(tmp_path / "cache"))
    return jar


def test_a_fetched_jar_is_kept(mirror: Path) -> None:
    first = jars.paths("one")
    mirror.unlink()
    assert jars.paths("one") == first
    assert first[0].read_bytes() == CONTENT


def test_a_jar_with_other_bytes_is_refused_and_leaves_nothing(mirror: Path) -> None:
    mirror.write_bytes(b"something else")
    with pytest.raises(AssertionError, match="has SHA-256"):
        jars.paths("one")
    assert not [path for path in jars.cache().rglob("*") if path.is_file()]


def test_every_set_of_the_tool_is_pinned() -> None:
    spec = importlib.util.spec_from_file_location("jar_list", Path(__file__).parents[2] / "tools" / "jar_list.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = tool
    spec.loader.exec_module(tool)
    pinned = json.loads(tool.TARGET.read_text())
    assert list(pinned) == list(tool.SETS)
    for name, wanted in tool.SETS.items():
        assert {tool._path(coordinates) for coordinates in wanted.alone + wanted.roots} <= set(pinned[name])
