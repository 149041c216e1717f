"""What is said of a large file that was read before is what reading it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.breaking.baseline import registry_cache
from babelreg.breaking.baseline.registry_cache import RegistryCache, YamlCache, cache_for
from babelreg.load.files.defect import Defect
from babelreg.load.yaml import parser

PATH = "_services/billing-worker.yaml"
LARGE = "# nothing of note\n" * 300
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were read as YAML."""
    asked: list[str] = []
    read = parser.read

    def noted(text: str) -> Any:
        asked.append(text)
        return read(text)

    monkeypatch.setattr(parser, "read", noted)
    return asked


def again(folder: Path, path: str, text: str) -> Any:
    """What a run says of ``text``, with what the runs before it kept."""
    kept = cache_for("here", folder)
    value = YamlCache(kept).read(path, text)
    kept.save()
    return value


@settings(max_examples=60, deadline=None)
@given(JSON)
def test_whatever_stands_in_a_file_comes_back(value: Any) -> None:
    text = LARGE + json.dumps(value)
    try:
        said = parser.read(text)
    except Defect:
        return
    kept = RegistryCache()
    assert [repr(YamlCache(kept).read(PATH, text)) for _ in range(2)] == [repr(said)] * 2


def test_a_large_service_is_read_once(tmp_path: Path, reads: list[str]) -> None:
    assert [again(tmp_path, PATH, LARGE + "lang: go\n") for _ in range(3)] == [{"lang": "go"}] * 3
    assert len(reads) == 1


def test_one_run_reads_what_it_has_room_for_once(reads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry_cache, "_HELD", 12)
    run = YamlCache(RegistryCache())
    said = [run.read("orders/created.yaml", text) for text in ("a: 1\n", "b: 2\n", "c: 3\n") * 2]
    assert said == [{"a": 1}, {"b": 2}, {"c": 3}] * 2
    assert reads == ["a: 1\n", "b: 2\n", "c: 3\n", "c: 3\n"]


@pytest.mark.parametrize(
    "path, text",
    [
        pytest.param(PATH, "lang: go\n", id="what is small"),
        pytest.param("orders/created.yaml", LARGE + "lang: go\n", id="a message"),
        pytest.param(PATH, LARGE + "lang: " + "9" * 30 + "\n", id="a number that JSON would not hold"),
    ],
)
def test_all_else_is_read_in_each_run(tmp_path: Path, reads: list[str], path: str, text: str) -> None:
    assert again(tmp_path, path, text) == again(tmp_path, path, text)
    assert len(reads) == 2


def test_what_cannot_be_read_says_why_each_time(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(Defect, match="not YAML"):
            again(tmp_path, PATH, LARGE + "lang: [\n")


def test_a_value_that_nobody_asks_for_any_more_is_let_go(tmp_path: Path, reads: list[str]) -> None:
    for lang in ("go", "php", "go"):
        again(tmp_path, PATH, f"{LARGE}lang: {lang}\n")
    assert len(reads) == 3
