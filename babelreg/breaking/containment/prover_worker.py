"""The child process of ``prover.py``: one JSON request a line in, one JSON answer a line out.

It runs as a script. The prover may kill it, a hostile pattern may keep it busy for ever; its parent then starts
another. The first request about a case has it beside it, ``"case": {"schemas": {name: schema}, ...}``. Requests name
the inner schema and the outer one:

- ``{"covers": [inner, outer], "engine": "ecma"}`` answers whether inner lies within outer: ``"yes"``, ``"no"``,
  ``"unknown"``. With the engine ``"python"`` patterns mean what they do to Python's ``re``, and the answer is
  ``"same"`` where that is no other meaning; ``"python-reader"`` differs from that in the ``$`` of inner, which is the
  end alone;
- ``{"within": [inner, outer], "engine": ...}`` answers whether our own proof (``proof``) says so: true or false;
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


class WorkerCase:
    """The schemas of one comparison, read by the prover and by the second validator, each when first asked for."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.schemas = case["schemas"]
        self.draft = case["draft"]
        self.dialect = case["dialect"]
        self.peer = case["peer"]
        self.formats = case["formats"]
        self._canonical: dict[tuple[str, str], Any] = {}
        self._validators: dict[str, Any] = {}
        self._rewritten: dict[tuple[str, str], Any] = {}

    def covers(self, inner: str, outer: str, engine: str) -> str:
        if engine != "ecma":
            sides = [self._as_python(name, reading) for name, reading in _readings(inner, outer, engine)]
            if any(side.opaque for side in sides):
                return "unknown"
            if not any(side.changed for side in sides):
                return "same"
        within, beyond = (self._canonicalized(name, reading) for name, reading in _readings(inner, outer, engine))
        return str(beyond.covers(within))

    def within(self, inner: str, outer: str, engine: str) -> bool:
        from babelreg.breaking.containment.proof.subschema import is_subschema
        from babelreg.schema.dialects import DIALECTS

        opaque: set[str] = set()
        within, beyond = self.schemas[inner], self.schemas[outer]
        if engine != "ecma":
            sides = [self._as_python(name, reading) for name, reading in _readings(inner, outer, engine)]
            within, beyond, opaque = sides[0].schema, sides[1].schema, sides[0].opaque | sides[1].opaque
        return is_subschema(within, beyond, DIALECTS[self.dialect], formats=self.formats, opaque=opaque)

    def difference(self, inner: str, outer: str) -> Any:
        return self._canonicalized(inner, "ecma").subtract(self._canonicalized(outer, "ecma")).to_json_schema()

    def refuted(self, inner: str, outer: str, documents: list[Any]) -> list[bool]:
        within, beyond = self._validator(inner), self._validator(outer)
        return [bool(within.is_valid(document) and not beyond.is_valid(document)) for document in documents]

    def _canonicalized(self, name: str, reading: str) -> Any:
        import jsonschema_rs

        if (name, reading) not in self._canonical:
            schema = self.schemas[name] if reading == "ecma" else self._as_python(name, reading).schema
            self._canonical[name, reading] = jsonschema_rs.canonicalize(
                schema, draft=self.draft, validate_formats=self.formats, offline=True
            )
        return self._canonical[name, reading]

    def _as_python(self, name: str, reading: str) -> Any:
        """The schema with its patterns as Python reads them, written out for the prover."""
        from babelreg.schema.regex.python_patterns import rewritten

        if (name, reading) not in self._rewritten:
            self._rewritten[name, reading] = rewritten(self.schemas[name], dollar=reading != "python-sender")
        return self._rewritten[name, reading]

    def _validator(self, name: str) -> Any:
        from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

        if name not in self._validators:
            cls = getattr(_jsonschema(), self.peer)
            checker = cls.FORMAT_CHECKER if self.formats else None
            # Without a registry of its own the package would fetch remote schemas from the network.
            self._validators[name] = cls(self.schemas[name], registry=REGISTRY, format_checker=checker)
        return self._validators[name]


def _readings(inner: str, outer: str, engine: str) -> tuple[tuple[str, str], tuple[str, str]]:
    """How each of the two schemas is read."""
    if engine == "python-reader":
        return (inner, "python-sender"), (outer, "python")
    return (inner, engine), (outer, engine)


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


def answer(case: WorkerCase, request: dict[str, Any]) -> Any:
    """What the request asks about ``case``."""
    if "covers" in request:
        inner, outer = request["covers"]
        return case.covers(inner, outer, request["engine"])
    if "within" in request:
        inner, outer = request["within"]
        return case.within(inner, outer, request["engine"])
    if "difference" in request:
        inner, outer = request["difference"]
        return case.difference(inner, outer)
    inner, outer = request["refuted"]
    return case.refuted(inner, outer, request["documents"])


def main() -> None:
    """Answer requests until the input ends."""
    _limit_memory()
    # The same babelreg as the parent's, wherever that was found; last, so that it hides nothing.
    sys.path.append(str(Path(__file__).resolve().parents[3]))
    if "--ready" in sys.argv:
        importlib.import_module("jsonschema_rs")
        _jsonschema()
    case: WorkerCase | None = None
    for line in sys.stdin:
        request = json.loads(line)
        if "case" in request:
            case = WorkerCase(request["case"])
        sys.stdout.write(json.dumps(_guarded(case, request)) + "\n")
        sys.stdout.flush()


def _guarded(case: WorkerCase | None, request: dict[str, Any]) -> dict[str, Any]:
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
