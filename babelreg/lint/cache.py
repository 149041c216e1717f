"""What lint found for the same files, so that nothing is judged twice: a folder of small files, each one verdict.

An entry is named by a digest of all that the verdict depends on: the files of the registry, what was asked, the day,
babelreg's own code, what it is built on, Python. So an entry is never old, only unused; what cannot be read as it was
written is no entry. Importing this module brings no rule, no YAML and no validator.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from babelreg.finding import NOTHING, Finding, Place, Severity
from babelreg.lint.verdict import Verdict
from babelreg.load import provenance
from babelreg.load.snapshot import Snapshot, TooLarge
from babelreg.load.tree import Tree

__all__ = ["Cache"]

MAX_ENTRY_BYTES = 8 << 20
MAX_ENTRIES = 256
MAX_TOTAL_BYTES = 64 << 20
_SUM_LENGTH = 40
_OUR_SUFFIX = ".verdict"


class Cache:
    """The verdicts kept in ``folder``. Nothing that goes wrong with it is an error: then lint just runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def verdict(self, tree: Tree, asked: Iterable[str], judge: Callable[[Tree], Verdict]) -> Verdict:
        """What ``judge`` says of ``tree``, or said of it before. ``asked`` is all else that it depends on."""
        try:
            files = Snapshot(tree)
        except (OSError, TooLarge):
            return judge(tree)
        judges = provenance.digest()
        if judges is None:
            return judge(files)
        key = json.dumps([files.digest, judges, *asked])
        entry = self.folder / (hashlib.blake2b(key.encode(), digest_size=20).hexdigest() + _OUR_SUFFIX)
        known = _read(entry, files)
        if known is not None:
            return known
        verdict = judge(files)
        with contextlib.suppress(OSError, ValueError):
            self._keep(entry, _written(verdict, files))
        return verdict

    def _keep(self, entry: Path, body: bytes) -> None:
        """Write a whole entry or none: whoever reads meanwhile sees the old one or nothing."""
        if len(body) > MAX_ENTRY_BYTES:
            return
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished = self.folder / f"{entry.stem}.{os.getpid()}.{os.urandom(4).hex()}.new"
        try:
            with unfinished.open("xb") as file:
                file.write(body)
            unfinished.replace(entry)
        finally:
            unfinished.unlink(missing_ok=True)
        self._prune()

    def _prune(self) -> None:
        """Drop what was used longest ago, and what a run that was stopped left behind."""
        with os.scandir(self.folder) as entries:
            ours = [(e.stat().st_mtime_ns, e.stat().st_size, e.path) for e in entries if _is_ours(e.name)]
        total = 0
        for count, (_, size, path) in enumerate(sorted(ours, reverse=True)):
            total += size
            if count >= MAX_ENTRIES or total > MAX_TOTAL_BYTES:
                with contextlib.suppress(OSError):
                    os.unlink(path)  # noqa: PTH108 - a Path for each would cost more than the rest


def _is_ours(name: str) -> bool:
    return name.endswith((_OUR_SUFFIX, ".new")) and len(name) > _SUM_LENGTH


def _read(entry: Path, files: Snapshot) -> Verdict | None:
    """The verdict of an entry that is whole and still true; None for anything else that may stand there."""
    try:
        descriptor = os.open(entry, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as file:
            body = file.read(MAX_ENTRY_BYTES + 1)
        if body[:_SUM_LENGTH] != _sum(body[_SUM_LENGTH:]):
            return None
        said = json.loads(body[_SUM_LENGTH:])
        if not files.agrees((path, limit, digest) for path, limit, digest in said["further"]):
            return None
        verdict = Verdict(tuple(map(_finding, said["findings"])), said["counts"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    with contextlib.suppress(OSError):
        os.utime(entry)  # what is used stays
    return verdict


def _written(verdict: Verdict, files: Snapshot) -> bytes:
    """Raises ValueError for what JSON cannot say, such as a number without end."""
    findings = [_said(finding) for finding in verdict.findings]
    said = {"further": files.further, "counts": dict(verdict.counts), "findings": findings}
    body = json.dumps(said, allow_nan=False, separators=(",", ":")).encode()
    return _sum(body) + body


def _sum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_SUM_LENGTH // 2).hexdigest().encode()


def _said(finding: Finding) -> list[Any]:
    place, other = finding.place, finding.against
    witness = [] if finding.witness is NOTHING else [finding.witness]
    return [
        finding.rule, finding.severity.value, finding.message, [place.path, place.line, place.column], finding.urn,
        finding.pointer, finding.fix, finding.reason, other and [other.path, other.line, other.column],
        finding.direction, finding.breaks, witness,
    ]  # fmt: skip


def _finding(said: list[Any]) -> Finding:
    rule, severity, message, place, urn, pointer, fix, reason, other, direction, breaks, witness = said
    return Finding(
        rule, Severity(severity), message, Place(*place), urn, pointer, fix, reason, Place(*other) if other else None,
        direction, tuple(breaks), witness[0] if witness else NOTHING,
    )  # fmt: skip
