"""What a timeline says a file held is what git itself says, for any history of adding, changing, moving and merging."""

from __future__ import annotations

import random
import subprocess
from functools import cache
from pathlib import Path

import pytest

from babelreg.breaking.baseline import history
from babelreg.breaking.baseline.blob_trees import CommitTree
from babelreg.breaking.baseline.repository import Repository

NAMES = ("babelreg.yaml", "orders/a.yaml", "orders/b.yaml", "_common/money.yaml", "_common/deep/x.json")


def stream(dice: random.Random, commits: int) -> bytes:
    """Random commits for ``git fast-import``; some move the whole registry, some merge a side branch."""
    said: list[str] = []
    files: dict[str, str] = {}
    place = "reg/"
    for number in range(1, commits + 1):
        changed = dict(files)
        if dice.random() < 0.15:
            there = dice.choice([p for p in ("reg/", "other/reg/", "") if p != place])
            changed = {path.replace(place, there, 1): text for path, text in files.items()}
            place = there
        for name in NAMES:
            if dice.random() < 0.3 and (name != "babelreg.yaml" or number == 1):
                changed[place + name] = str(dice.randint(0, 3))
            elif dice.random() < 0.1 and name != "babelreg.yaml":
                changed.pop(place + name, None)
        changed.setdefault(place + "babelreg.yaml", "0")
        about = f"committer A <a@example.com> {1_700_000_000 - number} +0000\ndata 1\n.\n"
        body = "deleteall\n" + "".join(f"M 644 inline {p}\ndata {len(t)}\n{t}\n" for p, t in changed.items())
        merged = number > 1 and dice.random() < 0.3
        if merged:
            said.append(f"commit refs/heads/side\n{about}from refs/heads/main\n{body}\n")
        merge = "merge refs/heads/side\n" if merged else ""
        said.append(f"commit refs/heads/main\n{about}{merge}{body}\n")
        files = changed
    return "".join(said).encode()


def git(folder: Path, *arguments: str, given: bytes = b"") -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], input=given, capture_output=True, check=True)
    return done.stdout.decode()


@cache
def places(folder: Path, commit: str) -> dict[str, str]:
    """The registry's files in a commit by their path below it, as ``git ls-tree`` lists them."""
    lines = git(folder, "ls-tree", "-r", commit).splitlines()
    files = {line.split("\t")[1]: line.split()[2] for line in lines}
    place = next(path.removesuffix("babelreg.yaml") for path in files if path.endswith("babelreg.yaml"))
    return {path.removeprefix(place): sha for path, sha in files.items()}


@pytest.mark.parametrize("seed", range(12))
def test_a_timeline_says_what_git_says(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "fast-import", "--quiet", given=stream(dice, 14))
    line = git(tmp_path, "rev-list", "--first-parent", "main").split()
    top = git(tmp_path, "ls-tree", "-r", "--name-only", "main").split()
    prefix = next(path.removesuffix("babelreg.yaml") for path in top if path.endswith("babelreg.yaml"))
    revision = CommitTree(Repository(tmp_path), line[0], prefix)
    timeline = history.read_history(revision.git, line[0], prefix, revision.ids, None)
    for path in NAMES:
        held = [timeline.id_at(path, 0)]
        for number, commit in enumerate(timeline.commits):
            expected = places(tmp_path, commit).get(path)
            assert timeline.id_at(path, number) == expected, (path, number)
            held.append(expected)
        assert timeline.id_at(path, len(timeline.commits)) is None
        told = [sha for sha in (places(tmp_path, commit).get(path) for commit in line) if sha]
        assert set(told) == {sha for sha in held if sha}
