"""Atomic writes: the whole new content or the old, and nothing left over."""

from __future__ import annotations

from pathlib import Path

import pytest

import babelreg
from babelreg.atomic_write import (
    temporary,
    unfinished,
    write_all,
    write_whole,
)


@pytest.mark.parametrize(
    "before, mode, after",
    [
        pytest.param(0o640, None, 0o640, id="those of the file that is replaced"),
        pytest.param(0o640, 0o755, 0o755, id="those that are asked for"),
        pytest.param(None, 0o755, 0o755, id="those that are asked for, of a new file"),
    ],
)
def test_a_written_file_has_the_permissions(before, mode, after, tmp_path):
    path = tmp_path / "file"
    if before is not None:
        path.write_bytes(b"old")
        path.chmod(before)
    write_whole(path, b"new", mode)
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", after)
    assert list(tmp_path.iterdir()) == [path]


def test_a_body_that_cannot_be_written_changes_no_file(tmp_path):
    first, second = tmp_path / "first", tmp_path / "none" / "second"
    first.write_bytes(b"old")
    with pytest.raises(FileNotFoundError) as raised:
        write_all({first: b"new", second: b"new"})
    assert raised.value.filename == str(second)
    assert (first.read_bytes(), list(tmp_path.iterdir())) == (b"old", [first])


def test_what_is_written_step_by_step_appears_at_the_end(tmp_path):
    path = tmp_path / "file"
    with unfinished(path) as part:
        part.write_bytes(b"new")
        assert not path.exists()
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (b"new", [path])


def test_an_exception_leaves_the_old_file_alone(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def stopped() -> None:
        with unfinished(path) as part:
            part.write_bytes(b"half")
            raise KeyError(part)

    with pytest.raises(KeyError):
        stopped()
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (b"old", [path])


def test_a_name_of_any_length_has_a_temporary_one(tmp_path):
    path = tmp_path / ("é" * 127)
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert temporary(path) != temporary(path)


def test_no_other_module_makes_temporary_files_to_rename():
    package = Path(babelreg.__file__).parent
    texts = {path.relative_to(package).as_posix(): path.read_text("utf-8") for path in package.rglob("*.py")}
    by_hand = ("mkstemp", "NamedTemporaryFile", "os.replace", "os.rename", "temporary.replace(", "temporary.rename(")
    assert {name for name, text in texts.items() if any(sign in text for sign in by_hand)} == {"lake/durable_files.py"}
