"""A diff is what git and patch take, also of files without an end and of very long ones."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from steps import steps

from babelreg.report import unified_diff
from babelreg.report.unified_diff import unified

LINES = st.lists(st.sampled_from(["a\n", "b\n", "\n", "c \r\n", "é\n"]), max_size=12)


def test_a_change_is_shown_with_what_stands_around_it() -> None:
    assert unified("x.yaml", "a\nb\nc\n", "a\nB\nc\n") == (
        "--- a/x.yaml\n+++ b/x.yaml\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
    )


def test_no_change_is_no_text() -> None:
    assert unified("x.yaml", "a\n", "a\n") == ""


def test_a_missing_line_end_is_said() -> None:
    assert unified("x", "a", "a\n").endswith("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n")


@pytest.mark.parametrize("most", [pytest.param(1 << 40, id="compared"), pytest.param(0, id="too long to compare")])
@settings(max_examples=25, deadline=None)
@given(old=LINES, new=LINES, end=st.booleans())
def test_git_applies_it(
    most: int, old: list[str], new: list[str], end: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("diff")
    before, after = "".join(["first\n", *old, "z"]), "".join(["first\n", *new, "z\n" if end else "z"])
    (folder / "x.yaml").write_bytes(before.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unified_diff, "_MAX_LINE_PAIRS", most)
        text = unified("x.yaml", before, after)
    if text:
        done = subprocess.run(
            ["git", "apply", "--whitespace=nowarn", "-p1"], cwd=folder, input=text.encode(), capture_output=True
        )
        assert done.returncode == 0, done.stderr.decode() + text
    assert (folder / "x.yaml").read_bytes() == after.encode()


def test_the_lines_of_a_long_file_are_not_compared_with_one_another() -> None:
    # each line occurs often, and rarely enough that difflib compares all of its occurrences
    old = "".join(f"{n % 150}\n" for n in range(5_000))
    new = old.replace("3\n", "three\n")
    assert steps(lambda: unified("x", old, new), most=1_000_000) > 5_000
    assert unified("x", old, new).count("\n") > 5_000
