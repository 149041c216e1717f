"""The files that a supervisor watches."""

from __future__ import annotations

import itertools
from pathlib import Path

from babelreg.runtime.worker.reload import python_files


def test_python_files_are_watched_but_not_those_of_hidden_folders_and_environments(tmp_path: Path) -> None:
    for path in ("a.py", "b/c.py", "b/d.txt", ".git/e.py", "venv/pyvenv.cfg", "venv/lib/f.py", "b/__pycache__/g.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
    assert sorted(python_files(tmp_path)) == [str(tmp_path / "a.py"), str(tmp_path / "b" / "c.py")]


def test_a_new_a_changed_and_a_removed_file_are_each_a_change(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    snapshots = [python_files(tmp_path)]
    for text in ("1", "22"):
        file.write_text(text)
        snapshots.append(python_files(tmp_path))
    file.unlink()
    snapshots.append(python_files(tmp_path))
    assert all(one != other for one, other in itertools.pairwise(snapshots))


def test_a_link_to_nothing_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.py").symlink_to(tmp_path / "nothing.py")
    assert python_files(tmp_path) == {}
