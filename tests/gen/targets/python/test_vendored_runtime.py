"""The copy of the runtime in generated packages: every module they import, and no other."""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from pathlib import Path

import pytest

from babelreg import load
from babelreg.gen.python_code.models.kinds import KINDS
from babelreg.gen.targets.python import runtime_source, target, vendored_runtime

EXAMPLE = Path(__file__).resolve().parents[4] / "registry.example"
WHOLE_FOLDERS = {"pydantic": 4222, "typeddict": 4131}
RECORDING = 320
"""Code lines of ``record=``: it came after the limits were set."""
SERVICES = 1400
"""Those of ledgers in servers, delays, and the limit of deliveries: they came after the limits were set, too."""
TELEMETRY = 1140
"""Those of logs, hooks, OpenTelemetry, liveness and the worker command."""
CONCURRENCY = 1065
"""Those of ``run_async`` and ``run(workers=...)``, of reservations, of the stop flag, of ``AsyncProducer`` and its outbox."""
VALIDATION_COST = 380
"""Those of the bound for schemas of exponential cost, with the walks over schemas that it needs."""
EXACT_NUMBERS = 380
"""Those of numbers that no double returns, and of bounds that jsonschema-rs compares with their nearest double."""
SUBSCRIPTIONS = 1500
"""Those of inboxes, the fan-out, receivers that take from many queues at once, and limits of time."""
OWN_TRANSPORTS = 225
"""Those of transports for Redis and Kafka that are no subclasses of babelqueue's, whose private names they used."""
CONFIRMED_BATCHES = 525
"""Those of a connection to RabbitMQ that confirms the messages of a batch together, at two thirds of the CPU."""
EMPTY_NAMES = 40
"""Those of pointers and paths with names without letters, which jsonschema-rs drops."""
ENFORCEMENT = 80
"""Those of contracts that are only reported: routes of refused data, and what consumers and producers say of it."""
CONTEXT = 610
"""Those of headers, keys and delays: options of a message, what brokers carry, the column of an outbox, a fake broker."""
BROKER_LIMITS = 45
"""Those of the fake broker: what real ones refuse."""
FIELD_LIMITS = 95
"""Those of pydantic models alone: limits of fields, and validators without them."""
LATER = (
    RECORDING
    + SERVICES
    + TELEMETRY
    + CONCURRENCY
    + VALIDATION_COST
    + EXACT_NUMBERS
    + SUBSCRIPTIONS
    + OWN_TRANSPORTS
    + CONFIRMED_BATCHES
    + EMPTY_NAMES
    + ENFORCEMENT
    + CONTEXT
    + BROKER_LIMITS
)
MAX_CODE_LINES = {
    kind: lines + LATER + (FIELD_LIMITS if kind == "pydantic" else 0) for kind, lines in WHOLE_FOLDERS.items()
}
"""Without blank lines, comments and docstrings: the size of the copies when whole folders were copied (4624d65)."""
INSTALLED = {"babelqueue", "jsonschema_rs", "orjson", "pydantic", "pydantic_core", "typing_extensions"}
OPTIONAL = {
    "opentelemetry": ["copy/runtime/telemetry/messaging_spans.py", "copy/runtime/telemetry/open_telemetry.py"],
    "confluent_kafka": [f"copy/runtime/transports/kafka_{name}.py" for name in ("groups", "records", "writer")],
}
"""What only a service installs that uses it, and the modules that import it: the second for type checkers."""
NO_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


def copied(kind: str) -> dict[str, str]:
    return {file.path: file.text for file in vendored_runtime.vendored("copy", KINDS[kind].runtime)}


def imports(text: str) -> set[tuple[int, str]]:
    """The modules of all imports, each with how many packages up it is."""
    nodes = list(ast.walk(ast.parse(text)))
    plain = {(0, name.name) for node in nodes if isinstance(node, ast.Import) for name in node.names}
    return plain | {(node.level, node.module or "") for node in nodes if isinstance(node, ast.ImportFrom)}


def code_lines(text: str) -> int:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, documented) and ast.get_docstring(node) is not None:
            docstrings.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - docstrings)


@pytest.mark.parametrize("kind", KINDS)
def test_the_copy_imports_only_what_a_service_installs(kind):
    named = {name.partition(".")[0] for text in copied(kind).values() for level, name in imports(text) if not level}
    foreign = named - set(sys.stdlib_module_names)
    assert foreign & {"jinja2", "yaml", "click", "babelreg"} == set()
    assert foreign <= INSTALLED | OPTIONAL.keys()


@pytest.mark.parametrize("package", OPTIONAL)
def test_an_optional_package_is_imported_by_its_own_module_only(package):
    files = copied("pydantic")
    importing = [path for path, text in files.items() for _, name in imports(text) if name.split(".")[0] == package]
    assert sorted(set(importing)) == OPTIONAL[package]


@pytest.mark.parametrize("kind", KINDS)
def test_the_copy_holds_every_module_that_it_imports(kind):
    files = copied(kind)
    for path, text in files.items():
        for level, name in imports(text):
            if level:
                target = "/".join([*path.split("/")[:-level], *filter(None, name.split("."))])
                assert {f"{target}.py", f"{target}/__init__.py"} & files.keys(), f"{path} imports {name}"


@pytest.mark.parametrize("kind", KINDS)
def test_the_copy_has_not_grown(kind):
    assert sum(map(code_lines, copied(kind).values())) <= MAX_CODE_LINES[kind]


def test_models_of_one_kind_bring_no_other_kind():
    models = {name for kind in KINDS.values() for name in kind.runtime}
    for name, kind in KINDS.items():
        found = {path.partition("/runtime/")[2] for path in copied(name) if "/runtime/" in path}
        assert found & models == set(kind.runtime), name


def test_a_module_that_nothing_imports_is_not_copied(tmp_path, monkeypatch):
    for path, text in {
        "runtime/__init__.py": "",
        "runtime/testing.py": "def broker():\n    from babelreg.schema import used\n",
        "runtime/worker/__init__.py": "",
        "runtime/worker/command.py": "",
        "runtime/subscriptions/__init__.py": "",
        "runtime/subscriptions/topology.py": "",
        "runtime/models/__init__.py": "",
        "runtime/models/deprecated_decorator.py": "",
        "schema/__init__.py": "",
        "schema/used.py": "",
        "schema/unused.py": "",
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / path).write_text(text)
    monkeypatch.setattr(runtime_source, "_PACKAGE", tmp_path)
    runtime_source._source.cache_clear()
    found = [file.path for file in vendored_runtime.vendored("copy", [])]
    runtime_source._source.cache_clear()
    assert "copy/schema/used.py" in found
    assert "copy/schema/unused.py" not in found


@pytest.mark.parametrize("kind", KINDS)
def test_generated_code_imports_only_what_is_copied(kind):
    options = {"models": kind, "runtime": "vendored"}
    files = {file.path: file.text for file in target.files(load.registry(EXAMPLE), options)}
    used = {
        word.rstrip(".")
        for path, text in files.items()
        if path.endswith((".py", ".pyi")) and "/_babelreg/" not in path
        for word in re.findall(r"\._babelreg\.([\w.]+)", text)
    }
    assert used >= {"runtime", "runtime.testing"}
    for module in used:
        path = f"messages/_babelreg/{module.replace('.', '/')}"
        assert {f"{path}.py", f"{path}/__init__.py"} & files.keys(), module
