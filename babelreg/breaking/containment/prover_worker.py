"""The prover process, child of ``prover.py``: one JSON request per line in, one JSON answer per line out.

It runs as a script. The prover may crash it, a hostile pattern may keep it busy without end; its parent then starts
another. The first request about a case includes it, ``"case": {"schemas": {name: schema}, ...}``. Requests name the
inner schema and the outer one:

- ``{"covers": [inner, outer], "engine": "ecma"}``: whether outer contains inner, ``"yes"``, ``"no"`` or ``"unknown"``.
  With the engine ``"python"`` patterns are read as by Python's ``re``, and the answer is ``"same"`` where that makes no
  difference; ``"python-reader"`` differs from it in the ``$`` of inner, which matches at the end only;
- ``{"difference": [inner, outer]}``: a schema of what inner allows and outer refuses;
- ``{"refuted": [inner, outer], "documents": [...]}``: a list of booleans, whether inner allows the document and outer
  refuses it by the second, independent validator (the Python ``jsonschema`` package).
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import json
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

_MEMORY_BYTES = 768 << 20
# The prover and Python's ``re`` cannot be counted from outside (docs/proofs.md): beyond
# this time for all questions of one kind about one direction the process ends. No real schema of 5,700 takes a quarter
# of it. It is processor time, so a busy machine decides nothing.
_SECONDS_OF_A_KIND = 2.0
_MOST_OF_A_DIFFERENCE = 20_000
"""Mappings in a difference; a search within more than that takes too long to prepare."""


class WorkerCase:
    """The schemas of one comparison, compiled for the prover and for the second validator when first needed."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.schemas = case["schemas"]
        self.draft = case["draft"]
        self.peer = case["peer"]
        self.formats = case["formats"]
        self.spent: dict[str, float] = {}
        self._canonical: dict[tuple[str, str, bool], Any] = {}
        self._validators: dict[str, Any] = {}
        self._rewritten: dict[tuple[str, str], Any] = {}

    def covers(self, inner: str, outer: str, engine: str) -> str:
        if engine != "ecma":
            sides = [self._as_python(name, reading) for name, reading in _readings(inner, outer, engine)]
            if any(side.opaque for side in sides):
                return "unknown"
            if not any(side.changed for side in sides):
                return "same"
        within, beyond = _readings(inner, outer, engine)
        return str(self._canonicalized(*beyond).covers(self._canonicalized(*within, lengths=self.formats)))

    def difference(self, inner: str, outer: str) -> Any:
        from babelreg.schema.subschemas import mappings

        left = self._canonicalized(inner, "ecma").subtract(self._canonicalized(outer, "ecma")).to_json_schema()
        if any(True for _ in islice(mappings(left), _MOST_OF_A_DIFFERENCE, None)):
            raise ValueError(f"the difference has more than {_MOST_OF_A_DIFFERENCE:,} mappings")
        return left

    def refuted(self, inner: str, outer: str, documents: list[Any]) -> list[bool]:
        within, beyond = self._validator(inner), self._validator(outer)
        return [bool(within.is_valid(document) and not beyond.is_valid(document)) for document in documents]

    def _canonicalized(self, name: str, reading: str, *, lengths: bool = False) -> Any:
        import jsonschema_rs

        from babelreg.breaking.containment.format_assertions import with_format_lengths

        if (name, reading, lengths) not in self._canonical:
            schema = self.schemas[name] if reading == "ecma" else self._as_python(name, reading).schema
            self._canonical[name, reading, lengths] = jsonschema_rs.canonicalize(
                with_format_lengths(schema) if lengths else schema,
                draft=self.draft,
                validate_formats=self.formats,
                offline=True,
            )
        return self._canonical[name, reading, lengths]

    def _as_python(self, name: str, reading: str) -> Any:
        """Return the schema with its patterns translated from Python's reading to that of the prover."""
        from babelreg.schema.regex.python_to_ecma import rewritten

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
    """Return the name and the pattern reading of each of the two schemas."""
    if engine == "python-reader":
        return (inner, "python-sender"), (outer, "python")
    return (inner, engine), (outer, engine)


def _jsonschema() -> Any:
    """Import ``jsonschema`` without the IRI grammar, whose construction takes longer than the rest of the import.

    The grammar is built when an IRI format is first checked, with the same results.
    """
    grammar = "rfc3987_syntax"
    if "jsonschema" in sys.modules or importlib.util.find_spec(grammar) is None:
        return importlib.import_module("jsonschema")

    def is_valid_syntax(term: str, value: str) -> bool:
        if grammar not in sys.modules:
            with _uncounted():
                importlib.import_module(grammar)
        return bool(sys.modules[grammar].is_valid_syntax(term, value))

    stub = ModuleType(grammar)
    stub.is_valid_syntax = is_valid_syntax  # type: ignore[attr-defined]
    sys.modules[grammar] = stub
    try:
        return importlib.import_module("jsonschema")
    finally:
        del sys.modules[grammar]


@contextmanager
def _uncounted() -> Iterator[None]:
    """Do what takes the same for every schema, and too much of the time that a question has."""
    global _seconds_uncounted
    left = signal.getitimer(signal.ITIMER_PROF)[0] if hasattr(signal, "getitimer") else 0.0
    start = time.process_time()
    _limit_time(0)
    try:
        yield
    finally:
        _seconds_uncounted += time.process_time() - start
        _limit_time(left)


_seconds_uncounted = 0.0


def answer(case: WorkerCase, request: dict[str, Any]) -> Any:
    """Return the answer to ``request`` about ``case``."""
    if "covers" in request:
        inner, outer = request["covers"]
        return case.covers(inner, outer, request["engine"])
    if "difference" in request:
        inner, outer = request["difference"]
        return case.difference(inner, outer)
    inner, outer = request["refuted"]
    return case.refuted(inner, outer, request["documents"])


def main() -> None:
    """Answer requests until the input ends."""
    _limit_memory()
    # Imported modules are no garbage.
    gc.set_threshold(100_000, 20, 100)
    # The parent's babelreg, wherever it was found; last, so that it shadows nothing.
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
    kind = next((f"{name} {request[name]}" for name in ("covers", "difference", "refuted") if name in request), "")
    spent, start = case.spent.get(kind, 0.0), time.process_time() - _seconds_uncounted
    _limit_time(max(_SECONDS_OF_A_KIND - spent, 0.1))
    try:
        return {"ok": answer(case, request)}
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as err:  # a Rust panic arrives as a BaseException
        return {"failed": f"{type(err).__name__}: {str(err)[:200]}"}
    finally:
        _limit_time(0)
        case.spent[kind] = spent + time.process_time() - _seconds_uncounted - start


def _limit_time(seconds: float) -> None:
    """End the process by a signal after ``seconds`` of processor time; 0 for no limit."""
    if hasattr(signal, "setitimer"):  # not on Windows
        signal.setitimer(signal.ITIMER_PROF, seconds)


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
