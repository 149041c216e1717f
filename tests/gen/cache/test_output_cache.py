"""What is kept between runs is used where everything is as it was, and nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from babelreg.cache import store
from babelreg.cache.store import CacheStore
from babelreg.gen.cache.output_cache import OutputCache
from babelreg.gen.target import File, header
from babelreg.gen.write import with_list, write
from babelreg.load.files.snapshot import TreeSnapshot
from babelreg.load.files.tree import Memory

LINE = header("t", "orders/created.yaml", 1)
FILES = [File("a.py", f"# {LINE}\na = 1\n", LINE), File("b.json", "{}\n")]
REGISTRY = {"babelreg.yaml": b"version: 1\n", "orders/created.yaml": b"urn: x\n"}


def question(folder: Path, registry: dict[str, bytes] = REGISTRY, *asked: str) -> OutputCache:
    return OutputCache(CacheStore(folder / "cache", "outputs"), TreeSnapshot(Memory(registry)), asked)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A folder that holds the files, which are kept."""
    write(tmp_path / "out", "t", FILES)
    question(tmp_path).put(with_list("t", FILES).values())
    return tmp_path / "out"


def test_what_stands_as_it_was_made_stands(out: Path) -> None:
    assert question(out.parent).unchanged(out) == (".babelreg-t.files", "a.py", "b.json")


@pytest.mark.parametrize(
    "path, body",
    [
        pytest.param("a.py", f"# {LINE}\na = 2\n", id="a sealed file was edited"),
        pytest.param("a.py", None, id="a sealed file is gone"),
        pytest.param("b.json", "{} \n", id="a file without a header was edited"),
        pytest.param("b.json", None, id="a file without a header is gone"),
        pytest.param(".babelreg-t.files", "a.py\n", id="the list was edited"),
    ],
)
def test_what_does_not_stand_as_it_was_made_does_not(out: Path, path: str, body: str | None) -> None:
    (out / path).unlink()
    if body is not None:
        (out / path).write_text(body)
    assert question(out.parent).unchanged(out) is None


@pytest.mark.parametrize(
    "registry, asked",
    [
        pytest.param({**REGISTRY, "orders/created.yaml": b"urn: y\n"}, (), id="a file of the registry changed"),
        pytest.param({**REGISTRY, "orders/more.yaml": b""}, (), id="a file of the registry is new"),
        pytest.param({"babelreg.yaml": b"version: 1\n"}, (), id="a file of the registry is gone"),
        pytest.param(REGISTRY, ("other",), id="something else was asked"),
    ],
)
def test_another_question_has_another_answer(out: Path, registry: dict[str, bytes], asked: tuple[str, ...]) -> None:
    assert question(out.parent, registry, *asked).unchanged(out) is None


@pytest.mark.parametrize(
    "spoilt",
    [
        pytest.param(lambda body: b"", id="empty"),
        pytest.param(lambda body: body[:-1], id="cut off"),
        pytest.param(lambda body: body.replace(b"a.py", b"c.py"), id="edited"),
        pytest.param(lambda body: b"\xff" * 100, id="no text"),
    ],
)
def test_an_entry_that_is_not_as_it_was_written_is_none(out: Path, spoilt: Any) -> None:
    (entry,) = (out.parent / "cache").iterdir()
    entry.write_bytes(spoilt(entry.read_bytes()))
    assert question(out.parent).unchanged(out) is None


@pytest.mark.parametrize("body", [b"[]", b"[[], 1]", b"[[1], []]", b'[[], [["a.py", 1, 2]]]', b"{}", b"[" * 100_000])
def test_an_entry_of_another_kind_is_none(out: Path, body: bytes) -> None:
    (entry,) = (out.parent / "cache").iterdir()
    entry.write_bytes(store._checksum(body) + body)
    assert question(out.parent).unchanged(out) is None
