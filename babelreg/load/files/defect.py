"""The closed table of what can be wrong with a registry's files themselves, before any rule about their meaning.

Each id is a rule of ``lint`` too, with a page of its own.
"""

from __future__ import annotations

import posixpath
import re
import shlex

from babelreg.finding import Finding, Place, Severity

_LONGEST = 1000

DEFECTS: dict[str, str] = {
    "file-unreadable": "a registry file is a folder, cannot be opened, or is not UTF-8 text",
    "file-too-large": "a registry file exceeds the size limit",
    "file-name-reserved": "a file name that some operating systems forbid (con, aux, nul, …)",
    "file-misplaced": "a message file is in a folder that cannot contain messages",
    "settings-missing": "the registry folder has no babelreg.yaml",
    "yaml-syntax": "a file is not YAML, or contains more than one document",
    "yaml-too-deep": "a YAML file exceeds the nesting limit",
    "yaml-duplicate-key": "a mapping names the same key twice",
    "yaml-feature": "a YAML file uses a tag, an anchor, an alias or a merge key",
    "toml-syntax": "a pyproject.toml that mentions babelreg is not valid TOML",
    "yaml-number": "a number that fits neither a double nor a 64-bit integer",
    "key-unknown": "an unknown key",
    "key-missing": "a required key is missing",
    "value-invalid": "a value of the wrong type, or one that is not allowed",
    "ref-outside-registry": "a $ref or file name points outside the registry folder",
    "ref-missing": "a $ref points to nothing",
    "ref-circular": "a $ref refers to itself without a property or item in between",
    "ref-unsupported": "a kind of reference that cannot be bundled ($id, $dynamicRef, mixed dialects)",
    "examples-unreadable": "a file of examples does not contain JSON lines",
}


class Defect(Exception):
    """A defect met while reading one file; it becomes a finding. ``line`` and ``column`` count from 1.

    The word FILE in ``fix`` stands for the path of the file, which the code that reads it does not know.
    """

    def __init__(self, rule: str, message: str, line: int = 0, column: int = 0, *, fix: str | None = None) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message
        self.line = line
        self.column = column
        self.fix = fix

    def at(self, path: str, root: str = "") -> Finding:
        """Return the finding, in the file ``path`` of the registry in the folder ``root``."""
        fix = self.fix_of(posixpath.normpath(posixpath.join(root.replace("\\", "/"), path)))
        return finding(self.rule, self.message, Place(path, self.line, self.column), fix=fix)

    def fix_of(self, path: str) -> str | None:
        """Return the fix for the file that is ``path`` where the command was run."""
        return re.sub(r"\bFILE\b", lambda _: shlex.quote(path), self.fix) if self.fix else None


def finding(
    rule: str, message: str, place: Place, *, fix: str | None = None, urn: str | None = None, pointer: str | None = None
) -> Finding:
    """Return a finding for one of the :data:`DEFECTS`, which are all errors. Long quotations lose their middle."""
    assert rule in DEFECTS, rule
    return Finding(
        rule, Severity.ERROR, bounded(message), place, fix=bounded(fix) if fix else None, urn=urn, pointer=pointer
    )


def bounded(text: str) -> str:
    """Return ``text``, shortened in the middle where it is long."""
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]}…{text[-half:]}"
