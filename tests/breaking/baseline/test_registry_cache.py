"""Records come back as they were stored; a damaged record is a miss."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from babelreg.breaking.baseline.registry_cache import CachedMessage, RegistryCache, cache_for
from babelreg.cache.store import CacheStore


def test_a_file_name_that_is_not_text_comes_back(tmp_path: Path) -> None:
    closure = (("_common/\udcff.yaml", "b" * 40),)
    cache = cache_for("here", tmp_path)
    cache.put("a", None, closure)
    cache.save()
    assert cache_for("here", tmp_path).get("a") == CachedMessage(None, None, None, (closure,))


@pytest.mark.parametrize(
    "record",
    [1, [], ["urn", None, []], [[], None, None, []], ["urn", None, None, [[1]]], ["urn", None, None, [[["a", 1]]]]],
)
def test_a_record_that_is_not_as_it_was_written_is_a_miss(record: Any, tmp_path: Path) -> None:
    store = CacheStore(tmp_path, "messages")
    store.put(["key"], {"a": record})
    assert RegistryCache(store, ["key"]).get("a") is None
