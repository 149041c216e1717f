"""What lint found for the same files, so that nothing is judged twice: a folder of small files, each one verdict.

An entry is named by a digest of all that the verdict depends on: the files of the registry, what was asked, the day,
babelreg's own code, what it is built on, Python. So an entry is never old, only unused; what cannot be read as it was
written is no entry. Importing this module brings no rule, no YAML and no validator.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from babelreg.cache import fingerprint, store
from babelreg.finding import NOTHING, Finding, Place, Severity
from babelreg.lint.engine.result import RunResult
from babelreg.load.files.snapshot import TooLarge, TreeSnapshot
from babelreg.load.files.tree import Tree

__all__ = ["Cache"]

_SUFFIX = ".verdict"


class Cache:
    """The verdicts kept in ``folder``. Nothing that goes wrong with it is an error: then lint just runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def verdict(self, tree: Tree, asked: Iterable[str], judge: Callable[[Tree], RunResult]) -> RunResult:
        """What ``judge`` says of ``tree``, or said of it before. ``asked`` is all else that it depends on."""
        try:
            files = TreeSnapshot(tree)
        except (OSError, TooLarge):
            return judge(tree)
        judges = fingerprint.digest()
        if judges is None:
            return judge(files)
        key = json.dumps([files.digest, judges, *asked])
        entry = self.folder / (hashlib.blake2b(key.encode(), digest_size=20).hexdigest() + _SUFFIX)
        known = _known(entry, files)
        if known is not None:
            return known
        verdict = judge(files)
        with contextlib.suppress(ValueError):
            store.keep(entry, _written(verdict, files))
        return verdict


def _known(entry: Path, files: TreeSnapshot) -> RunResult | None:
    """The verdict of an entry that is still true; None for anything else that may stand there."""
    body = store.kept(entry)
    if body is None:
        return None
    try:
        said = json.loads(body)
        if not files.agrees((path, limit, digest) for path, limit, digest in said["further"]):
            return None
        return RunResult(tuple(map(_finding, said["findings"])), said["counts"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _written(verdict: RunResult, files: TreeSnapshot) -> bytes:
    """Raises ValueError for what JSON cannot say, such as a number without end."""
    findings = [_said(finding) for finding in verdict.findings]
    said = {"further": files.further, "counts": dict(verdict.counts), "findings": findings}
    return json.dumps(said, allow_nan=False, separators=(",", ":")).encode()


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
