"""The process of the second validator, child of ``second_validator.py``: one JSON request a line in, one answer out.

It runs as a script. A hostile pattern may keep it busy without end; its parent then starts another. The first request
about a case includes it, ``"case": {"schemas": {name: schema}, ...}``. A request ``{"refuted": [inner, outer],
"documents": [...]}`` names two of its schemas; the answer is a list of booleans, whether inner allows the document and
outer refuses it by the second, independent validator (the Python ``jsonschema`` package).
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
from pathlib import Path
from types import ModuleType
from typing import Any

_MEMORY_BYTES = 768 << 20
# Python's ``re`` cannot be counted from outside (docs/proofs.md): beyond this time for all questions about one
# direction the process ends. No real schema of 5,700 takes a quarter of it. It is processor time, so a busy machine
# decides nothing.
_SECONDS_OF_A_DIRECTION = 2.0


class WorkerCase:
    """The schemas of one comparison, compiled when first needed."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.schemas = case["schemas"]
        self.validator_class = case["validator"]
        self.formats = case["formats"]
        self.spent: dict[str, float] = {}
        self._validators: dict[str, Any] = {}

    def refuted(self, inner: str, outer: str, documents: list[Any]) -> list[bool]:
        within, beyond = self._validator(inner), self._validator(outer)
        return [bool(within.is_valid(document) and not beyond.is_valid(document)) for document in documents]

    def _validator(self, name: str) -> Any:
        from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

        if name not in self._validators:
            cls = getattr(_jsonschema(), self.validator_class)
            checker = cls.FORMAT_CHECKER if self.formats else None
            # Without a registry of its own the package would fetch remote schemas from the network.
            self._validators[name] = cls(self.schemas[name], registry=REGISTRY, format_checker=checker)
        return self._validators[name]


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


def main() -> None:
    """Answer requests until the input ends."""
    _limit_memory()
    # Imported modules are no garbage.
    gc.set_threshold(100_000, 20, 100)
    # The parent's babelreg, wherever it was found; last, so that it shadows nothing.
    sys.path.append(str(Path(__file__).resolve().parents[2]))
    if "--ready" in sys.argv:
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
    inner, outer = request["refuted"]
    direction = f"{inner} {outer}"
    spent, start = case.spent.get(direction, 0.0), time.process_time() - _seconds_uncounted
    _limit_time(max(_SECONDS_OF_A_DIRECTION - spent, 0.1))
    try:
        return {"ok": case.refuted(inner, outer, request["documents"])}
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as err:
        return {"failed": f"{type(err).__name__}: {str(err)[:200]}"}
    finally:
        _limit_time(0)
        case.spent[direction] = spent + time.process_time() - _seconds_uncounted - start


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
