"""The package ``jsonschema`` without the grammar of IRIs until a format asks for it.

To build the grammar takes longer than the rest of the import, in each process that collects a test, and few tests
validate an IRI. The answers are those of the grammar.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from types import ModuleType

__all__ = ["import_jsonschema"]

_GRAMMAR = "rfc3987_syntax"


def import_jsonschema() -> None:
    """Import ``jsonschema``, where it is installed; the grammar is built when a text is first held to it."""
    if {"jsonschema", _GRAMMAR} & sys.modules.keys() or importlib.util.find_spec(_GRAMMAR) is None:
        return
    stub = ModuleType(_GRAMMAR)
    vars(stub)["is_valid_syntax"] = lambda term, value: importlib.import_module(_GRAMMAR).is_valid_syntax(term, value)
    sys.modules[_GRAMMAR] = stub
    try:
        importlib.import_module("jsonschema")
    finally:
        del sys.modules[_GRAMMAR]
