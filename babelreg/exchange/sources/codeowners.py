"""Owners of files by CODEOWNERS, as GitHub and GitLab read it: the last pattern that matches counts.

Sources: GitHub documentation, "About code owners"; GitLab documentation, "Code Owners", sections.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
_MOST_BYTES = 3 << 20  # GitHub ignores larger files
_SPLIT = re.compile(r"(?<!\\)[ \t]+")
_SECTION = re.compile(r"\^?\[[^\]]+\](?:\[[0-9]+\])?")


@dataclass(frozen=True, slots=True)
class CodeOwners:
    """The rules of a CODEOWNERS file: a pattern and its owners each. ``top`` is the folder they are relative to."""

    top: Path
    rules: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]

    def owners(self, path: Path) -> tuple[str, ...]:
        """Return the owners of the file ``path``, as written: ``@acme/orders``, ``@ada``, ``ada@example.com``."""
        try:
            name = path.resolve().relative_to(self.top.resolve()).as_posix()
        except ValueError:
            return ()
        return next((owners for pattern, owners in reversed(self.rules) if pattern.search(name)), ())


def find_codeowners(start: Path) -> CodeOwners | None:
    """Return the CODEOWNERS of the repository around ``start``; without a repository that of ``start`` itself."""
    folders = (start.resolve(), *start.resolve().parents)
    top = next((folder for folder in folders if (folder / ".git").exists()), folders[0])
    for place in _PLACES:
        path = top / place
        try:
            if not path.is_file() or path.stat().st_size > _MOST_BYTES:
                continue
            text = path.read_bytes().decode("utf-8-sig", "replace")
        except OSError:
            continue
        return CodeOwners(top, tuple(_rules(text)))
    return None


def owner_name(owner: str, names: Mapping[str, Sequence[str]]) -> str:
    """Return the owner's name in the registry: by ``names``, which maps names to owners, else from its own spelling."""
    for name, spellings in names.items():
        if owner in spellings:
            return name
    if owner.startswith("@"):
        return owner.rpartition("/")[2].lstrip("@") or owner
    return owner.partition("@")[0] or owner


def _rules(text: str) -> list[tuple[re.Pattern[str], tuple[str, ...]]]:
    rules: list[tuple[re.Pattern[str], tuple[str, ...]]] = []
    default: tuple[str, ...] = ()
    for raw in text.splitlines():
        line = raw.partition(" #")[0].strip()
        if not line or line.startswith("#"):
            continue
        section = _SECTION.match(line)
        if section:
            default = tuple(line[section.end() :].split())
            continue
        pattern, *owners = _SPLIT.split(line)
        if not pattern.startswith("!"):
            rules.append((_compiled(pattern.replace("\\ ", " ")), tuple(owners) or default))
    return rules


def _compiled(pattern: str) -> re.Pattern[str]:
    """Return the expression of a pattern, whose rules are those of gitignore without ``[ ]`` and ``!``."""
    anchored = "/" in pattern.rstrip("/")
    folder = pattern.endswith("/")
    parts: list[str] = []
    body = pattern.strip("/")
    at = 0
    while at < len(body):
        if body.startswith("**/", at):
            parts, at = [*parts, "(?:.*/)?"], at + 3
        elif body.startswith("**", at):
            parts, at = [*parts, ".*"], at + 2
        elif body[at] == "*":
            parts, at = [*parts, "[^/]*"], at + 1
        elif body[at] == "?":
            parts, at = [*parts, "[^/]"], at + 1
        else:
            parts, at = [*parts, re.escape(body[at])], at + 1
    start = r"\A" if anchored else r"(?:\A|/)"
    # `docs/*` owns the files of the folder itself only (GitHub), `docs` and `docs/` everything below.
    end = "/" if folder else r"\Z" if body.endswith("/*") else r"(?:/|\Z)"
    return re.compile(f"{start}{''.join(parts)}{end}" if body else "")
