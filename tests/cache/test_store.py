"""The cache gives back what was stored for a key, or nothing: damage, links and unexpected values are misses."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.cache import store
from babelreg.cache.store import CacheLimits, CacheStore

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)  # fmt: skip


def same(value: Any) -> list[Any]:
    """Read a value in a list, so that a stored null is not taken for a miss."""
    return [value]


def entry(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


@settings(max_examples=100, deadline=None)
@given(JSON, st.lists(st.text(st.characters())))
def test_a_value_comes_back_as_it_was(tmp_path_factory: pytest.TempPathFactory, value: Any, key: list[str]) -> None:
    cache = CacheStore(tmp_path_factory.mktemp("cache"), "kind")
    cache.put(key, value)
    assert repr(cache.get(key, same)) == repr([value])


@pytest.mark.parametrize(
    "key",
    [
        pytest.param(["a", "c"], id="another part"),
        pytest.param(["ab"], id="the same letters"),
        pytest.param(["b", "a"], id="another order"),
        pytest.param(["a", "b", None], id="one part more"),
    ],
)
def test_another_key_has_another_entry(key: list[Any], tmp_path: Path) -> None:
    cache = CacheStore(tmp_path, "kind")
    cache.put(["a", "b"], 1)
    assert cache.get(key, same) is None


def test_kinds_in_one_folder_do_not_meet(tmp_path: Path) -> None:
    CacheStore(tmp_path, "one").put(["a"], 1)
    assert CacheStore(tmp_path, "two").get(["a"], same) is None


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda body: b"", id="empty"),
        pytest.param(lambda body: body[:-1], id="cut short"),
        pytest.param(lambda body: body + b" ", id="longer"),
        pytest.param(lambda body: b"\xff" * len(body), id="not text"),
        pytest.param(lambda body: body.replace(b"value", b"other"), id="edited"),
        pytest.param(lambda body: store._checksum(b"[" * 100_000) + b"[" * 100_000, id="brackets, with a checksum"),
        pytest.param(lambda body: store._checksum(b"\xff") + b"\xff", id="not JSON, with a checksum"),
    ],
)
def test_a_damaged_entry_is_a_miss(damage: Callable[[bytes], bytes], tmp_path: Path) -> None:
    cache = CacheStore(tmp_path, "kind")
    cache.put(["a"], "value")
    file = entry(tmp_path)
    file.write_bytes(damage(file.read_bytes()))
    assert cache.get(["a"], same) is None
    cache.put(["a"], "value")
    assert cache.get(["a"], same) == ["value"]


@pytest.mark.parametrize(
    "error", [ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError, OSError]
)
def test_a_value_that_its_reader_refuses_is_a_miss(error: type[Exception], tmp_path: Path) -> None:
    def refuse(value: Any) -> Any:
        raise error

    cache = CacheStore(tmp_path, "kind")
    cache.put(["a"], 1)
    assert cache.get(["a"], refuse) is None


@pytest.mark.parametrize("kind", ["folder", "pipe", "link to nowhere", "link to itself", "link to an entry"])
def test_an_entry_that_is_not_a_regular_file_is_a_miss(kind: str, tmp_path: Path) -> None:
    cache = CacheStore(tmp_path, "kind")
    cache.put(["a"], 1)
    file = entry(tmp_path)
    moved = file.rename(tmp_path / "moved")
    if kind == "folder":
        file.mkdir()
    elif kind == "pipe":
        os.mkfifo(file)
    else:
        file.symlink_to({"nowhere": tmp_path / "nowhere", "itself": file, "entry": moved}[kind.split()[-1]])
    assert cache.get(["a"], same) is None


def test_an_entry_replaces_a_link_and_leaves_its_target(tmp_path: Path) -> None:
    cache = CacheStore(tmp_path / "cache", "kind")
    cache.put(["a"], 1)
    (tmp_path / "mine").write_text("mine")
    file = entry(tmp_path / "cache")
    file.unlink()
    file.symlink_to(tmp_path / "mine")
    cache.put(["a"], 2)
    assert (cache.get(["a"], same), (tmp_path / "mine").read_text()) == ([2], "mine")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {1, 2}, b"bytes", "x" * 200])
def test_a_value_that_cannot_be_stored_is_not(value: Any, tmp_path: Path) -> None:
    CacheStore(tmp_path, "kind", CacheLimits(entry_bytes=100)).put(["a"], value)
    assert list(tmp_path.iterdir()) == []


def test_the_entries_used_longest_ago_are_removed_first(tmp_path: Path) -> None:
    cache = CacheStore(tmp_path, "kind", CacheLimits(entries=2))
    for number in range(2):
        cache.put([number], number)
    for age, file in enumerate(tmp_path.iterdir()):
        os.utime(file, (age, age))
    oldest = min(tmp_path.iterdir(), key=lambda file: file.stat().st_mtime_ns)
    CacheStore(tmp_path, "other").put(["a"], 1)
    cache.put([2], 2)
    assert not oldest.exists()
    assert len(list(tmp_path.iterdir())) == 3
    assert CacheStore(tmp_path, "other").get(["a"], same) == [1]


@pytest.mark.parametrize("folder", [None, "file/below"])
def test_without_a_folder_nothing_is_cached(folder: str | None, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = CacheStore(tmp_path / folder if folder else None, "kind")
    cache.put(["a"], 1)
    assert cache.get(["a"], same) is None
