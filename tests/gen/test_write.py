from __future__ import annotations

import os
from pathlib import Path

import pytest

from babelreg.errors import UsageError
from babelreg.gen.file_list import list_name
from babelreg.gen.target import MARK, File, header
from babelreg.gen.write import WriteResult, check, write

A = File("pkg/a.py", f"# {MARK}\na = 1\n")
B = File("pkg/deep/b.py", f"# {MARK}\nb = 1\n")
J = File("schema.json", "{}\n")
E = File("old/py.typed", "")


def snapshot(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_a_second_run_touches_nothing(tmp_path: Path) -> None:
    first = write(tmp_path, "t", [A, B])
    assert first.written == ("pkg/a.py", "pkg/deep/b.py")
    times = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    second = write(tmp_path, "t", [A, B])
    assert (second.written, second.unchanged) == ((), ("pkg/a.py", "pkg/deep/b.py"))
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()} == times


def test_only_what_changed_is_written(tmp_path: Path) -> None:
    write(tmp_path, "t", [A, B])
    done = write(tmp_path, "t", [File(A.path, A.text + "more = 1\n"), B])
    assert (done.written, done.unchanged) == (("pkg/a.py",), ("pkg/deep/b.py",))


def test_what_is_no_longer_made_is_removed_with_its_empty_folders(tmp_path: Path) -> None:
    write(tmp_path, "t", [A, B, J, E])
    compiled = tmp_path / "pkg/deep/__pycache__"
    compiled.mkdir()
    (compiled / "b.cpython-311.pyc").write_bytes(b"x")
    done = write(tmp_path, "t", [A])
    assert done.removed == ("old/py.typed", "pkg/deep/b.py", "schema.json")
    assert set(snapshot(tmp_path)) == {"pkg/a.py", list_name("t")}
    assert not (tmp_path / "pkg/deep").exists()
    assert not (tmp_path / "old").exists()


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda root: (root / B.path).write_text("mine = 1\n"), id="replaced by a user's own text"),
        pytest.param(lambda root: (root / "pkg/deep/c.py").write_text("mine = 1\n"), id="a user's file beside it"),
    ],
)
def test_a_users_file_is_never_removed(tmp_path: Path, spoil: object) -> None:
    write(tmp_path, "t", [A, B])
    assert callable(spoil)
    spoil(tmp_path)
    before = {path: text for path, text in snapshot(tmp_path).items() if text == b"mine = 1\n"}
    write(tmp_path, "t", [A])
    assert before.items() <= snapshot(tmp_path).items()


def test_a_users_file_in_the_way_stops_the_run_before_anything_is_written(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / A.path).write_text("mine = 1\n")
    with pytest.raises(UsageError, match="was not written by babelreg"):
        write(tmp_path, "t", [B, A])
    assert set(snapshot(tmp_path)) == {"pkg/a.py"}


def test_a_text_that_cannot_be_made_leaves_the_folder_as_it_was(tmp_path: Path) -> None:
    def refuse() -> str:
        raise UsageError("no text")

    write(tmp_path, "t", [A, B])
    before = snapshot(tmp_path)
    with pytest.raises(UsageError, match="no text"):
        write(tmp_path, "t", [File(A.path, A.text + "more = 1\n"), File("pkg/new.py", refuse, f"# {MARK}")])
    assert snapshot(tmp_path) == before


def test_targets_share_a_folder(tmp_path: Path) -> None:
    write(tmp_path, "one", [A])
    write(tmp_path, "two", [B])
    assert write(tmp_path, "one", [A]).removed == ()
    assert (tmp_path / B.path).exists()


def test_a_list_that_points_outside_removes_nothing_outside(tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text(f"# {MARK}\n")
    out = tmp_path / "out"
    write(out, "t", [A])
    with (out / list_name("t")).open("a") as stream:
        stream.write(f"../outside.py\n{outside}\n")
    write(out, "t", [A])
    assert outside.exists()


def test_check_names_what_is_missing_stale_and_extra(tmp_path: Path) -> None:
    write(tmp_path, "t", [A, B])
    assert check(tmp_path, "t", [A, B], "fix") == []
    found = check(tmp_path, "t", [File(A.path, A.text + "x = 1\n"), J], "babelreg gen t")
    assert [(finding.rule, Path(finding.place.path).name) for finding in found] == [
        ("generated-file-stale", list_name("t")),
        ("generated-file-stale", "a.py"),
        ("generated-file-extra", "b.py"),
        ("generated-file-missing", "schema.json"),
    ]
    assert {finding.fix for finding in found} == {"run `babelreg gen t`"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_a_clear_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(UsageError, match="cannot be written"):
        write(tmp_path, "t", [A])


def test_a_folder_where_a_file_belongs_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / A.path).mkdir(parents=True)
    with pytest.raises(UsageError, match="is a folder"):
        write(tmp_path, "t", [A])


def counting(path: str, text: str, *inputs: object) -> tuple[File, list[str]]:
    """A file that need not be made where it stands, and how often it was."""
    line = header("t", "a.yaml", text, *inputs)
    made: list[str] = []

    def make() -> str:
        made.append(path)
        return f"# {line}\n{text}"

    return File(path, make, line), made


def test_what_stands_as_it_was_made_is_not_made_again(tmp_path: Path) -> None:
    first, made = counting("a.py", "a = 1\n")
    write(tmp_path, "t", [first], "me")
    assert made == ["a.py"]
    again, made = counting("a.py", "a = 1\n")
    assert write(tmp_path, "t", [again], "me") == WriteResult((), ("a.py",), ())
    assert check(tmp_path, "t", [again], "fix", "me") == []
    assert made == []


@pytest.mark.parametrize(
    "maker",
    [pytest.param("another", id="made by another"), pytest.param(None, id="when nothing is to be trusted")],
)
def test_a_file_is_made_and_compared(tmp_path: Path, maker: str | None) -> None:
    file, made = counting("a.py", "a = 1\n")
    write(tmp_path, "t", [file], "me")
    made.clear()
    again, made = counting("a.py", "a = 1\n")
    assert write(tmp_path, "t", [again], maker).written == ()
    assert made == ["a.py"]


def test_an_edit_by_hand_is_noticed_and_mended(tmp_path: Path) -> None:
    file, _ = counting("a.py", "a = 1\n")
    write(tmp_path, "t", [file], "me")
    whole = snapshot(tmp_path)
    edited = (tmp_path / "a.py").read_text("utf-8").replace("a = 1", "a = 2")
    (tmp_path / "a.py").write_text(edited, "utf-8")
    assert [finding.rule for finding in check(tmp_path, "t", [file], "fix", "me")] == ["generated-file-stale"]
    assert write(tmp_path, "t", [file], "me").written == ("a.py",)
    assert snapshot(tmp_path) == whole


def test_another_maker_alone_makes_nothing_stale(tmp_path: Path) -> None:
    write(tmp_path, "t", [A], "me")
    assert check(tmp_path, "t", [A], "fix", "another") == []
