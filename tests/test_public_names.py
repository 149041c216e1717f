"""Names that users import: of babelreg, and of the packages that ``gen python`` writes.

``tests/golden/public_names.txt`` lists them, one dotted name a line; of what the runtime offers below them, such as
``Consumer.run``, the members, and a line for each parameter: ``Consumer.run(queue)``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from babelreg import load
from babelreg.gen.targets.python import target
from babelreg.gen.write import write

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "tests" / "golden" / "public_names.txt"
LOST = """names that users import are gone: {names}
Code that imports them breaks with the next release: of babelreg, or of the package that `babelreg gen python` writes.
Give the names back, if only as another name of what replaces them. Where that cannot be, say in CHANGELOG.md what to
import instead, and accept the new list with BABELREG_GOLDEN=write pytest tests/test_public_names.py"""
NEW = """there are new names that users can import: {names}
From now on they stay: give a name that is not meant for users a leading underscore, or leave it out of __all__. Accept
the others with BABELREG_GOLDEN=write pytest tests/test_public_names.py"""
EXPORTS = """
import importlib, inspect, json, sys

def ours(thing):
    return "babelreg" in getattr(thing, "__module__", "")

def calls(name, thing):
    parameters = [p for p in inspect.signature(thing).parameters if p[0] != '_' and p != 'self']
    return [f"{name}({parameter})" for parameter in parameters] or [f"{name}()"]

def members(base):
    for name, member in vars(base).items():
        if name == "__init__":
            yield from calls(base.__qualname__, member)
        elif name[0] != "_":
            member = getattr(member, "__func__", member)
            path = f"{base.__qualname__}.{name}"
            yield from calls(path, member) if inspect.isroutine(member) else [path]

def names(module):
    for export in importlib.import_module(module).__all__:
        thing = getattr(importlib.import_module(module), export)
        yield f"{module}.{export}"
        if inspect.isclass(thing):
            for base in filter(ours, thing.__mro__):
                yield from members(base)
        elif inspect.isfunction(thing) and ours(thing):
            yield from calls(export, thing)

print(json.dumps([name for module in sys.argv[1:] for name in names(module)]))
"""


def exports(folder: Path, modules: list[str]) -> list[str]:
    """The names that ``modules`` export, when they are imported in ``folder``, and their members."""
    done = subprocess.run(
        [sys.executable, "-c", EXPORTS, *modules], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    names: list[str] = json.loads(done.stdout)
    return names


def generated_names(folder: Path, models: str, wire: str = "babelqueue") -> list[str]:
    """The exports of a generated package and of its modules without a leading underscore."""
    package = f"messages_{models}" if wire == "babelqueue" else f"messages_{wire}"
    options = {"package": package, "models": models, "wire": wire, "runtime": "vendored"}
    files = list(target.files(load.registry(ROOT / "registry.example"), options))
    write(folder / package, "python", files)
    public = [file.path for file in files if file.path.endswith(".py") and "/_" not in file.path]
    return exports(folder / package, [package, *(path.removesuffix(".py").replace("/", ".") for path in public)])


@pytest.fixture(scope="module")
def public_names(tmp_path_factory) -> list[str]:
    folder = tmp_path_factory.mktemp("generated")
    generated = [name for models in ("pydantic", "typeddict") for name in generated_names(folder, models)]
    for wire in ("phpmq", "strata"):  # which the example maps names for
        generated += generated_names(folder, "pydantic", wire)
    return sorted({*exports(ROOT, ["babelreg", "babelreg.load", "babelreg.spark"]), *generated})


def test_names_that_users_import_stay(public_names):
    if os.environ.get("BABELREG_GOLDEN") == "write":
        GOLDEN.write_text("".join(f"{name}\n" for name in public_names), "utf-8")
    golden = GOLDEN.read_text("utf-8").splitlines()
    lost, new = sorted(set(golden) - set(public_names)), sorted(set(public_names) - set(golden))
    assert not lost, LOST.format(names=", ".join(lost))
    assert not new, NEW.format(names=", ".join(new))


@pytest.mark.parametrize("name", ["babelreg.load.registry", "messages_pydantic.OrdersCreatedProducer",
                                  "messages_pydantic.MISSING", "messages_typeddict.testing.Broker",
                                  "messages_pydantic.orders_created_v2.OrdersCreatedV2Line", "Consumer.check()"])  # fmt: skip
def test_the_list_holds_names_of_every_kind(name, public_names):
    assert name in public_names
