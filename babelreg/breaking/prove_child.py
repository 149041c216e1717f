"""The child process of ``prove.py``: one JSON request a line in, one JSON answer a line out.

It runs as a script. The prover may kill it, a hostile pattern may keep it busy for ever; its parent then starts
another. The first request about a case has it beside it, ``"case": {"schemas": {name: schema}, ...}``. Requests name
the inner schema and the outer one:

- ``{"covers": [inner, outer]}`` answers whether inner lies within outer: ``"yes"``, ``"no"``, ``"unknown"``;
- ``{"within": [inner, outer]}`` answers whether our own proof (``structure``) says so: true or false;
- ``{"difference": [inner, outer]}`` answers with a schema of what inner allows and outer refuses;
- ``{"refuted": [inner, outer], "documents": [...]}`` answers with a list of booleans: the second, independent
  judgement (the Python ``jsonschema`` package) on whether inner allows the document and outer refuses it.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

_MEMORY_BYTES = 3 << 30


class Case:
    """The schemas of one comparison, read by the prover and by the second validator, each when first asked for."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.schemas = case["schemas"]
        self.draft = case["draft"]
        self.dialect = case["dialect"]
        self.peer = case["peer"]
        self.formats = case["formats"]
        self._canonical: dict[str, Any] = {}
        self._validators: dict[str, Any] = {}

    def covers(self, inner: str, outer: str) -> str:
        return str(self._canonicalized(outer).covers(self._canonicalized(inner)))

    def within(self, inner: str, outer: str) -> bool:
        from babelreg.breaking.structure import lies_within
        from babelreg.schema.dialects import DIALECTS

        dialect = DIALECTS[self.dialect]
        return lies_within(self.schemas[inner], self.schemas[outer], dialect, formats=self.formats)

    def difference(self, inner: str, outer: str) -> Any:
        return self._canonicalized(inner).subtract(self._canonicalized(outer)).to_json_schema()

    def refuted(self, inner: str, outer: str, documents: list[Any]) -> list[bool]:
        within, beyond = self._validator(inner), self._validator(outer)
        return [bool(within.is_valid(document) and not beyond.is_valid(document)) for document in documents]

    def _canonicalized(self, name: str) -> Any:
        import jsonschema_rs

        if name not in self._canonical:
            self._canonical[name] = jsonschema_rs.canonicalize(
                self.schemas[name], draft=self.draft, validate_formats=self.formats, offline=True
            )
        return self._canonical[name]

    def _validator(self, name: str) -> Any:
        from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

        if name not in self._validators:
            cls = getattr(_jsonschema(), self.peer)
            checker = cls.FORMAT_CHECKER if self.formats else None
            # Without a registry of its own the package would fetch remote schemas from the network.
            self._validators[name] = cls(self.schemas[name], registry=REGISTRY, format_checker=checker)
        return self._validators[name]


def _jsonschema() -> Any:
    """The package, without the grammar of IRIs that it builds when imported: that takes longer than all the rest.

    It is built when the format of an IRI is first asked about, and answers as if it had been there from the start.
    """
    grammar = "rfc3987_syntax"
    if "jsonschema" in sys.modules or importlib.util.find_spec(grammar) is None:
        return importlib.import_module("jsonschema")

    def is_valid_syntax(term: str, value: str) -> bool:
        return bool(importlib.import_module(grammar).is_valid_syntax(term, value))

    instead = ModuleType(grammar)
    instead.is_valid_syntax = is_valid_syntax  # type: ignore[attr-defined]
    sys.modules[grammar] = instead
    try:
        return importlib.import_module("jsonschema")
    finally:
        del sys.modules[grammar]


def answer(case: Case, request: dict[str, Any]) -> Any:
    """What the request asks about ``case``."""
    if "covers" in request:
        return case.covers(*request["covers"])
    if "within" in request:
        return case.within(*request["within"])
    if "difference" in request:
        return case.difference(*request["difference"])
    inner, outer = request["refuted"]
    return case.refuted(inner, outer, request["documents"])


def main() -> None:
    """Answer requests until the input ends."""
    _limit_memory()
    # The same babelreg as the parent's, wherever that was found; last, so that it hides nothing.
    sys.path.append(str(Path(__file__).resolve().parents[2]))
    if "--ready" in sys.argv:
        importlib.import_module("jsonschema_rs")
        _jsonschema()
    case: Case | None = None
    for line in sys.stdin:
        request = json.loads(line)
        if "case" in request:
            case = Case(request["case"])
        sys.stdout.write(json.dumps(_guarded(case, request)) + "\n")
        sys.stdout.flush()


def _guarded(case: Case | None, request: dict[str, Any]) -> dict[str, Any]:
    assert case is not None
    try:
        return {"ok": answer(case, request)}
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as err:  # a Rust panic arrives as a BaseException
        return {"failed": f"{type(err).__name__}: {str(err)[:200]}"}


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or hard > _MEMORY_BYTES:
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, hard))


if __name__ == "__main__":
    main()
