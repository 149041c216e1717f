"""The process of the second validator, child of ``second_validator.py``: one JSON request a line in, one answer out.

It runs as a script. A hostile pattern may keep it busy without end; its parent then starts another. The first request
about a case includes it, ``"case": {"schemas": {name: schema}, ...}``. A request ``{"refuted": [inner, outer],
"documents": [...]}`` names two of its schemas; the answer is a list of booleans, whether inner allows the document and
outer refuses it by the second, independent validator (the Python ``jsonschema`` package).
"""

from __future__ import annotations

import faulthandler
import gc
import importlib.util
import json
import signal
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

_GRAMMAR = "rfc3987_syntax"
_DURATIONS = "isoduration"
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
        # Here, as it takes most of the time that a question has.
        text = json.dumps(self.schemas) if self.formats else ""
        for library, named in _FORMATS.items():
            if named in text and _is_wanted(library):
                importlib.import_module(library)

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
    """Import ``jsonschema`` without the libraries of two formats, whose import takes longer than the rest.

    :class:`WorkerCase` imports them for schemas that name such a format, with the same results.
    """
    if known := sys.modules.get("jsonschema"):
        return known
    stubs = {name: stub() for name, stub in _STUBS.items() if _is_wanted(name)}
    sys.modules.update(stubs)
    try:
        return importlib.import_module("jsonschema")
    finally:
        for name in stubs:
            del sys.modules[name]


def _is_wanted(library: str) -> bool:
    """Return whether a library is installed and not imported yet."""
    return library not in sys.modules and importlib.util.find_spec(library) is not None


def _iris() -> ModuleType:
    stub = ModuleType(_GRAMMAR)
    vars(stub)["is_valid_syntax"] = lambda term, value: importlib.import_module(_GRAMMAR).is_valid_syntax(term, value)
    return stub


def _durations() -> ModuleType:
    class DurationParsingException(Exception):
        pass

    def parse_duration(text: str) -> Any:
        library = importlib.import_module(_DURATIONS)
        try:
            return library.parse_duration(text)
        except library.DurationParsingException as err:
            raise DurationParsingException from err

    stub = ModuleType(_DURATIONS)
    vars(stub).update(parse_duration=parse_duration, DurationParsingException=DurationParsingException)
    return stub


_STUBS = {_GRAMMAR: _iris, _DURATIONS: _durations}
_FORMATS = {_GRAMMAR: '"iri', _DURATIONS: '"duration"'}
"""What a schema has that names a format of the library."""


def main() -> None:
    """Answer requests until the input ends."""
    _limit_memory()
    # Imported modules are no garbage.
    gc.set_threshold(100_000, 20, 100)
    # The parent's babelreg, wherever it was found; last, so that it shadows nothing.
    sys.path.append(str(Path(__file__).resolve().parents[2]))
    hang_seconds = float(sys.argv[1])
    if "--ready" in sys.argv:
        _jsonschema()
    case: WorkerCase | None = None
    for line in sys.stdin:
        request = json.loads(line)
        if "case" in request:
            case = WorkerCase(request["case"])
        faulthandler.dump_traceback_later(hang_seconds, exit=True)
        sys.stdout.write(json.dumps(_guarded(case, request)) + "\n")
        faulthandler.cancel_dump_traceback_later()
        sys.stdout.flush()


def _guarded(case: WorkerCase | None, request: dict[str, Any]) -> dict[str, Any]:
    assert case is not None
    inner, outer = request["refuted"]
    direction = f"{inner} {outer}"
    spent, start = case.spent.get(direction, 0.0), time.process_time()
    _limit_time(max(_SECONDS_OF_A_DIRECTION - spent, 0.1))
    try:
        return {"ok": case.refuted(inner, outer, request["documents"])}
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as err:
        return {"failed": f"{type(err).__name__}: {str(err)[:200]}"}
    finally:
        _limit_time(0)
        case.spent[direction] = spent + time.process_time() - start


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
