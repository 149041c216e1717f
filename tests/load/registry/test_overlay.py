"""Files are written whole, inside the registry, as they were meant, or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from babelreg.errors import InputError
from babelreg.load.files.defect import Defect
from babelreg.load.files.tree import Folder, Memory
from babelreg.load.registry.overlay import FileChange, Overlay, save


def test_what_is_put_is_read_and_the_rest_is_read_once() -> None:
    files = {"a.yaml": b"a: 1\n", "b.yaml": b"b: 1\n"}
    overlay = Overlay(Memory(files))
    assert overlay.text("a.yaml") == "a: 1\n"
    overlay.put("a.yaml", "a: 2\n")
    overlay.read("b.yaml")
    files["b.yaml"] = b"b: 2\n"
    assert (overlay.text("a.yaml"), overlay.text("b.yaml")) == ("a: 2\n", "b: 1\n")
    assert overlay.changes() == {"a.yaml": FileChange(b"a: 1\n", b"a: 2\n")}


def test_what_is_put_back_is_no_change() -> None:
    overlay = Overlay(Memory({"a.yaml": "\ufeffa: 1\n".encode()}))
    overlay.put("a.yaml", f"{overlay.text('a.yaml')}b: 1\n")
    assert overlay.read("a.yaml") == "\ufeffa: 1\nb: 1\n".encode()
    overlay.put("a.yaml", "a: 1\n")
    assert overlay.changes() == {}


def test_a_file_too_large_for_one_reader_is_too_large_though_another_read_it() -> None:
    overlay = Overlay(Memory({"a.yaml": b"a" * 100}))
    assert len(overlay.read("a.yaml", 200)) == 100
    with pytest.raises(Defect):
        overlay.read("a.yaml", 50)
    overlay.put("a.yaml", "b" * 300)
    with pytest.raises(Defect):
        overlay.read("a.yaml", 200)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "registry/orders").mkdir(parents=True)
    (tmp_path / "registry/orders/a.yaml").write_bytes(b"a: 1\n")
    (tmp_path / "registry/orders/b.yaml").write_bytes(b"b: 1\n")
    (tmp_path / "outside.yaml").write_bytes(b"secret: 1\n")
    return tmp_path / "registry"


def changes(*names: str) -> dict[str, FileChange]:
    return {f"orders/{n}.yaml": FileChange(f"{n}: 1\n".encode(), f"{n}: 2\n".encode()) for n in names}


def test_a_file_is_replaced_with_its_permissions(folder: Path) -> None:
    (folder / "orders/a.yaml").chmod(0o640)
    save(folder, changes("a", "b"))
    assert (folder / "orders/a.yaml").read_bytes() == b"a: 2\n"
    assert (folder / "orders/a.yaml").stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in (folder / "orders").iterdir()) == ["a.yaml", "b.yaml"]


@pytest.mark.parametrize("now", [pytest.param(b"b: 3\n", id="changed"), pytest.param(None, id="removed")])
def test_a_file_that_is_not_as_it_was_read_is_left_alone_and_so_are_the_others(folder: Path, now: bytes | None) -> None:
    if now is None:
        (folder / "orders/b.yaml").unlink()
    else:
        (folder / "orders/b.yaml").write_bytes(now)
    with pytest.raises(InputError, match=r"b\.yaml changed while it was edited"):
        save(folder, changes("a", "b"))
    assert (folder / "orders/a.yaml").read_bytes() == b"a: 1\n"


def test_nothing_is_written_through_a_link_out_of_the_registry(folder: Path) -> None:
    (folder / "orders/link.yaml").symlink_to(folder.parent / "outside.yaml")
    with pytest.raises(InputError, match="points outside the registry"):
        save(folder, {"orders/link.yaml": FileChange(b"secret: 1\n", b"secret: 2\n")})
    with pytest.raises(InputError, match="points outside"):
        save(folder, {"../outside.yaml": FileChange(b"secret: 1\n", b"secret: 2\n")})
    assert (folder.parent / "outside.yaml").read_bytes() == b"secret: 1\n"


def test_a_link_within_the_registry_stays_one(folder: Path) -> None:
    (folder / "orders/link.yaml").symlink_to("a.yaml")
    save(folder, {"orders/link.yaml": FileChange(b"a: 1\n", b"a: 2\n")})
    assert (folder / "orders/link.yaml").is_symlink()
    assert Folder(folder).read("orders/a.yaml") == b"a: 2\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_to_is_said_so(folder: Path) -> None:
    (folder / "orders").chmod(0o500)
    with pytest.raises(InputError, match="cannot write"):
        save(folder, changes("a"))


def test_what_cannot_be_put_in_place_leaves_nothing_behind(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(InputError, match="No space left"):
        save(folder, changes("a"))
    assert sorted(path.name for path in (folder / "orders").iterdir()) == ["a.yaml", "b.yaml"]
