"""Patterns ignore what git ignores by them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from babelreg.load.files.gitignore import Ignored

CASES = [
    pytest.param(["*.bak"], "orders/created.yaml.bak", True, id="a star in a name at any depth"),
    pytest.param(["*.bak"], "orders/created.yaml", False, id="another ending"),
    pytest.param(["docs/"], "docs/a/b.yaml", True, id="a folder and all below"),
    pytest.param(["docs/"], "docs", False, id="a slash at the end asks for a folder"),
    pytest.param(["/paid.yaml"], "orders/paid.yaml", False, id="a slash in front ties it to the top"),
    pytest.param(["/paid.yaml"], "paid.yaml", True, id="a file at the top"),
    pytest.param(["orders/*.json"], "orders/paid.json", True, id="a slash within ties it too"),
    pytest.param(["orders/*.json"], "orders/old/paid.json", False, id="a star stays within one name"),
    pytest.param(["**/old/*.yaml"], "a/b/old/c.yaml", True, id="any folders in front"),
    pytest.param(["a/**/z.yaml"], "a/z.yaml", True, id="any folders between, or none"),
    pytest.param(["a/**"], "a/b/c.yaml", True, id="all below"),
    pytest.param(["*.yaml", "!keep.yaml"], "a/keep.yaml", False, id="a later pattern takes it back"),
    pytest.param(["!keep.yaml", "*.yaml"], "a/keep.yaml", True, id="an earlier one does not"),
    pytest.param(["old/", "!old/keep.yaml"], "old/keep.yaml", True, id="nothing comes back from an ignored folder"),
    pytest.param(["v[0-9].yaml"], "a/v1.yaml", True, id="a range"),
    pytest.param(["v[!0-9].yaml"], "a/v1.yaml", False, id="all but a range"),
    pytest.param(["v[]x].yaml"], "v].yaml", True, id="a bracket in brackets"),
    pytest.param(["a?c.yaml"], "abc.yaml", True, id="one letter"),
    pytest.param([r"\!a.yaml"], "!a.yaml", True, id="an escaped exclamation mark"),
    pytest.param([r"a\*.yaml"], "ab.yaml", False, id="an escaped star"),
    pytest.param(["# a.yaml"], "# a.yaml", False, id="a comment"),
    pytest.param(["a.yaml  "], "a.yaml", True, id="blanks at the end"),
    pytest.param([""], "a.yaml", False, id="a blank line"),
    pytest.param(["*a*b*c.yaml"], "xaybzc.yaml", True, id="several stars"),
    pytest.param(["*a*b*c.yaml"], "xaybz.yaml", False, id="several stars that find nothing"),
    pytest.param(["*"], "a/b.yaml", True, id="everything"),
]


@pytest.mark.parametrize("lines, path, ignored", CASES)
def test_a_pattern_ignores_what_it_means(lines: list[str], path: str, ignored: bool) -> None:
    patterns = Ignored()
    patterns.add(lines, "")
    assert patterns.ignores(path) is ignored


@pytest.mark.parametrize("lines, path, ignored", CASES)
def test_git_reads_the_pattern_alike(lines: list[str], path: str, ignored: bool, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text("\n".join(lines) + "\n", "utf-8")
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text("", "utf-8")
    done = subprocess.run(["git", "check-ignore", "-q", "--no-index", path], cwd=tmp_path, check=False)
    assert (done.returncode == 0) is ignored


def test_patterns_of_a_folder_above_read_paths_from_there() -> None:
    patterns = Ignored("contracts/registry/")
    patterns.add(["contracts/registry/build/", "registry/", "/paid.yaml"], "")
    assert patterns.ignores("build/paid.yaml")
    assert not patterns.ignores("paid.yaml")
    assert not patterns.ignores("orders/paid.yaml")  # that the registry itself is ignored does not matter


def test_patterns_of_a_folder_below_hold_there_alone() -> None:
    patterns = Ignored()
    patterns.add(["/paid.yaml", "*.bak"], "orders/")
    assert patterns.ignores("orders/paid.yaml")
    assert patterns.ignores("orders/old/a.bak")
    assert not patterns.ignores("paid.yaml")
    assert not patterns.ignores("billing/a.bak")
