"""The consumer that a command line names as ``module:attribute``."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable
from pathlib import Path

from babelreg.errors import UsageError
from babelreg.runtime.consumer.consume import Consumer
from babelreg.suggest import closest

_MAX_SHOWN = 80


def load_consumer(reference: str) -> Consumer:
    """Import the module and return its consumer. Modules are looked for in the working directory first.

    Raises UsageError where there is no such module, no such attribute, or where that is not a consumer of this package;
    and what the module itself raises.
    """
    module_name, colon, path = reference.partition(":")
    if sys.path[:1] not in ([""], [str(Path.cwd())]):
        sys.path.insert(0, str(Path.cwd()))
    shown = repr(reference[:_MAX_SHOWN])
    if module_name.endswith(".py") or not all(part.isidentifier() for part in module_name.split(".")):
        raise UsageError(f"{shown} does not name a module", fix=_form(module_name))
    module = _imported(module_name)
    if not colon or not path:
        names = _consumers(module)
        fix = f"{module_name}:{names[0]}" if names else f"name the consumer of the module: {module_name}:consumer"
        raise UsageError(f"{shown} does not name a consumer", fix=fix)
    value: object = module
    for name in path.split("."):
        if not hasattr(value, name):
            raise UsageError(f"module {module_name} has no {path!r}", fix=_other(module, module_name, path))
        value = getattr(value, name)
    if not isinstance(value, Consumer):
        kind = type(value).__qualname__
        fix = _other(module, module_name, path)
        if type(value).__name__ == Consumer.__name__:
            fix = "run the worker of the package that the consumer is from"
        raise UsageError(f"{module_name}:{path} is of type {kind}, not a Consumer of this package", fix=fix)
    return value


def _imported(name: str) -> object:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        # An import inside of the module that fails is the service's own error, and keeps its traceback.
        if error.name is None or not (name == error.name or name.startswith(f"{error.name}.")):
            raise
        raise UsageError(f"there is no module {error.name!r} in {Path.cwd()}", fix=_other_module(name)) from None


def _form(given: str) -> str:
    if given.endswith(".py") or "/" in given:
        name = given.removesuffix(".py").strip("./").replace("/", ".")
        return f"write it as Python imports it: {name}:consumer"
    return "write module:consumer, as in service:consumer"


def _other_module(name: str) -> str:
    modules = [path.stem for path in Path.cwd().glob("*.py") if path.stem.isidentifier()]
    if close := closest(name, modules):
        return f"did you mean {close}?"
    return "change to the folder that the module is in, or put that folder into PYTHONPATH"


def _other(module: object, module_name: str, path: str) -> str:
    names = _consumers(module)
    if names:
        return f"did you mean {module_name}:{closest(path, names) or names[0]}?"
    return f"create one in the module: {path if path.isidentifier() else 'consumer'} = Consumer(app)"


def _consumers(module: object) -> list[str]:
    members: Iterable[tuple[str, object]] = vars(module).items()
    return [name for name, value in members if isinstance(value, Consumer)]
