"""Versions of a small registry, in memory and in git."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from message_versions import PATH, message, of_texts

from babelreg.finding import Finding

Break = Callable[..., list[Finding]]


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
