"""Two versions of a small registry in memory: what a test does not show is supplied."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from babelreg import load
from babelreg.breaking.changes.waivers import BreakingWaivers
from babelreg.breaking.check.run import check
from babelreg.breaking.rules import WAIVABLE
from babelreg.finding import Finding
from babelreg.load.files.tree import Memory
from babelreg.model import Registry

URN = "urn:babel:orders:created"
PATH = "orders/created.yaml"
TODAY = date(2026, 11, 21)
SUPPLIED = {
    "urn": f"urn: {URN}\n",
    "kind": "kind: event\n",
    "producers": "producers: [orders-api]\n",
    "consumers": "consumers: [billing-worker]\n",
    "data": "data: {type: object}\n",
}

Text = str | None
Break = Callable[..., list[Finding]]


def message(shown: str) -> str:
    """A message file with the keys that ``shown`` lacks put before it; a tombstone gets its URN alone."""
    keys = ["urn"] if re.search(r"^status: retired", shown, re.MULTILINE) else list(SUPPLIED)
    missing = [SUPPLIED[key] for key in keys if not re.search(rf"^{key}:", shown, re.MULTILINE)]
    return "".join(missing) + shown


def registry(shown: Text, **more: str) -> Registry:
    """A registry with the one message, or without it where ``shown`` is None."""
    files = {
        "babelreg.yaml": "version: 1\n",
        "orders/_context.yaml": "owner: team-orders\n",
        "_services/orders-api.yaml": "owner: team-orders\nlang: php\n",
        "_services/billing-worker.yaml": "owner: team-billing\nlang: go\n",
        **more,
    }
    if shown is not None:
        files[PATH] = message(shown)
    read = load.from_tree(Memory({path: text.encode() for path, text in files.items()}))
    assert not read.defects, read.defects
    return read


def of_texts(before: Text, after: Text, **more: str) -> list[Finding]:
    now = {path: text for path, text in more.items() if not path.endswith(" before")}
    earlier = {**now, **{path.removesuffix(" before"): text for path, text in more.items() if path not in now}}
    new = registry(after, **now)
    return check(registry(before, **earlier), new, waivers=BreakingWaivers.of(new.settings, WAIVABLE, TODAY))


@pytest.fixture
def breaks() -> Break:
    """What breaks between two message files, given as YAML."""
    return of_texts


@pytest.fixture
def data_breaks() -> Callable[[Any, Any], list[Finding]]:
    """What breaks between two schemas of the property ``x``."""

    def compared(before: Any, after: Any) -> list[Finding]:
        texts = [
            "data:\n  type: object\n  properties:\n    x: " + json.dumps(schema) + "\n" for schema in (before, after)
        ]
        return of_texts(*texts)

    return compared


class Repository:
    """A git repository with a registry in the folder ``registry``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "registry"
        self.root.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self.write("babelreg.yaml", "version: 1\n")
        self.write("orders/_context.yaml", "owner: team-orders\n")

    def git(self, *arguments: str) -> str:
        who = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"]
        command = ["git", *who, "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main", *arguments]
        return subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True).stdout.strip()

    def write(self, path: str, text: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")

    def commit(self, data: str, path: str = PATH) -> str:
        """A commit that sets ``data`` of the message; its full hash."""
        self.write(path, message(f"data: {data}\n"))
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "change")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repo")
