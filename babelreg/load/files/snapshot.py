"""Snapshot of a tree, with a digest of all files that a registry could be built from.

Equal digests and equal further reads mean equal registries. Files are read once, so the digested content is the content
that is used, also when another process writes meanwhile; time stamps are not trusted.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence

from babelreg.load.files.defect import Defect
from babelreg.load.files.registry_paths import SETTINGS
from babelreg.load.files.tree import MAX_BYTES, Tree

MAX_TOTAL_BYTES = 64 << 20
Further = tuple[str, int, str]
"""A read beyond the files that every registry reads: path, limit, and a digest of the answer."""

_Answer = bytes | Defect | FileNotFoundError


class TooLarge(Exception):
    """The files hold more than :data:`MAX_TOTAL_BYTES`, too much to keep in memory."""


class TreeSnapshot:
    """A tree with the content that another had at its first read.

    ``digest`` is over the names of all files and over every file that a registry reads whatever the others say: the
    settings, and YAML one folder down. What is read beyond that (a file of examples, a fragment further down, a file
    that is not there) is remembered in ``further``.
    """

    def __init__(self, tree: Tree) -> None:
        """Raises TooLarge, and OSError as ``Tree.paths`` does."""
        self._tree = tree
        self._paths = tree.paths()
        self._others = tree.others()
        self._answers: dict[str, _Answer] = {}
        self._further: dict[tuple[str, int], _Answer] = {}
        self.digest = self._digested()

    def _digested(self) -> str:
        hashed = hashlib.blake2b(digest_size=20)
        add = hashed.update
        total = 0
        for path in self._paths:
            name = os.fsencode(path)
            if not (path == SETTINGS or (path.endswith(".yaml") and "/" in path)):
                add(b"N%d " % len(name) + name)
                continue
            answer = self._answers[path] = _read_answer(self._tree, path, MAX_BYTES)
            if type(answer) is bytes:
                total += len(answer)
                if total > MAX_TOTAL_BYTES:
                    raise TooLarge
            head, body = _encoded(answer)
            add(b"%s%d %d " % (head, len(name), len(body)) + name)
            add(body)
        for path in self._others:
            name = os.fsencode(path)
            add(b"O%d " % len(name) + name)
        return hashed.hexdigest()

    def paths(self) -> Sequence[str]:
        return self._paths

    def others(self) -> Sequence[str]:
        return self._others

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        if limit == MAX_BYTES and path in self._answers:
            return _content(self._answers[path])
        if (path, limit) not in self._further:
            self._further[path, limit] = _read_answer(self._tree, path, limit)
        return _content(self._further[path, limit])

    @property
    def further(self) -> list[Further]:
        """The reads beyond the digest, in their order."""
        return [(path, limit, _digest_of(answer)) for (path, limit), answer in self._further.items()]

    def agrees(self, further: Iterable[Further]) -> bool:
        """Return True when each of these reads gives the same answer now."""
        for path, limit, digest in further:
            if path in self._answers and limit == MAX_BYTES:
                return False  # a file of the digest is never a further read
            if _digest_of(_read_answer(self._tree, path, limit)) != digest:
                return False
        return True


def _read_answer(tree: Tree, path: str, limit: int) -> _Answer:
    try:
        return tree.read(path, limit)
    except (Defect, FileNotFoundError) as err:
        return err


def _content(answer: _Answer) -> bytes:
    if isinstance(answer, bytes):
        return answer
    raise answer


def _encoded(answer: _Answer) -> tuple[bytes, bytes]:
    """Return the letter of the answer's kind, and its content as bytes."""
    if isinstance(answer, bytes):
        return b"F", answer
    if isinstance(answer, Defect):
        parts = (answer.rule, answer.message, answer.line, answer.column, answer.fix)
        return b"D", repr(parts).encode("utf-8", "backslashreplace")
    return b"0", b""


def _digest_of(answer: _Answer) -> str:
    head, body = _encoded(answer)
    return hashlib.blake2b(head + body, digest_size=20).hexdigest()
