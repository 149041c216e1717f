"""What the same registry gave before, so that a run that changes nothing makes nothing.

An entry is named by a digest of all that the files depend on: the registry's files, what was asked, our own code, what
it is built on, Python. It holds no file, only how to tell that a file stands as it was made. So an entry is never old,
only unused. Importing this module brings no YAML, no template and no generator of models.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from babelreg.cache.store import keep, kept
from babelreg.gen.seal import holds
from babelreg.gen.target import File
from babelreg.load.files.snapshot import TreeSnapshot

__all__ = ["OutputCache"]

_SUFFIX = ".made"


class OutputCache:
    """What is kept of one question: ``asked`` is all that the files depend on besides those of ``registry``."""

    def __init__(self, folder: Path, registry: TreeSnapshot, asked: Iterable[str]) -> None:
        self.registry = registry
        question = json.dumps([registry.digest, *asked])
        self._file = folder / (hashlib.blake2b(question.encode(), digest_size=20).hexdigest() + _SUFFIX)

    def beside(self, name: str) -> Path:
        """Another file of the same folder."""
        return self._file.with_name(name)

    def stands(self, out: Path) -> tuple[str, ...] | None:
        """The paths below ``out`` of all files, sorted, where each stands there as it would be made; else None."""
        body = kept(self._file)
        if body is None:
            return None
        try:
            further, files = json.loads(body)
            same = self.registry.agrees((path, limit, digest) for path, limit, digest in further)
            if same and all(_stands(out, path, line, digest) for path, line, digest in files):
                return tuple(sorted(path for path, _, _ in files))
        except (OSError, ValueError, TypeError, RecursionError):
            pass
        return None

    def keep(self, files: Iterable[File]) -> None:
        """Remember ``files``, which are what ``out`` holds now: all of them, and no other of ours."""
        known = [(file.path, file.line, None if file.line else _digest(file.text.encode())) for file in files]
        keep(self._file, json.dumps([self.registry.further, known]).encode())


def _stands(out: Path, path: str, line: str | None, digest: str | None) -> bool:
    content = (out / path).read_bytes()
    return holds(path, content, line) if line is not None else _digest(content) == digest


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=20).hexdigest()
