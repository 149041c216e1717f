"""A text that was parsed in this run has the same value again; a damaged record is a miss."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from babelreg.breaking.baseline import registry_cache
from babelreg.breaking.baseline.registry_cache import CachedMessage, ParsedYaml, RegistryCache, cache_for
from babelreg.cache.store import CacheStore
from babelreg.load.files.defect import Defect
from babelreg.load.yaml import parser


def test_a_run_parses_what_it_has_room_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    read = parser.read

    def noted(text: str) -> Any:
        parsed.append(text)
        return read(text)

    monkeypatch.setattr(parser, "read", noted)
    monkeypatch.setattr(registry_cache, "_MOST_CHARACTERS", 12)
    run = ParsedYaml()
    values = [run.read("orders/created.yaml", text) for text in ("a: 1\n", "b: 2\n", "c: 3\n") * 2]
    assert values == [{"a": 1}, {"b": 2}, {"c": 3}] * 2
    assert parsed == ["a: 1\n", "b: 2\n", "c: 3\n", "c: 3\n"]


def test_what_cannot_be_read_says_why_each_time() -> None:
    run = ParsedYaml()
    for _ in range(2):
        with pytest.raises(Defect, match="not YAML"):
            run.read("_services/api.yaml", "lang: [\n")


def test_a_file_name_that_is_not_text_comes_back(tmp_path: Path) -> None:
    closure = (("_common/\udcff.yaml", "b" * 40),)
    cache = cache_for("here", tmp_path)
    cache.put("a", None, None, closure)
    cache.save()
    assert cache_for("here", tmp_path).get("a") == CachedMessage(None, None, (closure,))


@pytest.mark.parametrize(
    "record", [1, [], ["urn", None], [[], None, []], ["urn", None, [[1]]], ["urn", None, [[["a", 1]]]]]
)
def test_a_record_that_is_not_as_it_was_written_is_a_miss(record: Any, tmp_path: Path) -> None:
    store = CacheStore(tmp_path, "messages")
    store.put(["key"], {"a": record})
    assert RegistryCache(store, ["key"]).get("a") is None
