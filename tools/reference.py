"""Reference tables as Markdown, generated from the code: commands, rules, reasons, keys of the registry's files."""

from __future__ import annotations

import inspect
import json
import tomllib
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from babelreg.load.registry import file_validation

__all__ = ["TABLES", "keys"]

Schema = dict[str, Any]
ROOT = Path(__file__).parents[1]


def _commands() -> str:
    from babelreg.cli import GROUPS
    from babelreg.cli.shared.common_options import add_shared_options

    shared = click.Command("babelreg", params=[])
    add_shared_options(shared)
    lines = ["Every command takes:\n", *_options(shared, click.Context(shared), shared=True)]
    for title, group in GROUPS.items():
        lines.append(f"## {title}\n")
        for name, (module, summary) in group.items():
            command = import_module(module).command
            lines.append(f"### `babelreg {name}`\n\n{summary}\n")
            lines.extend(_options(command, click.Context(command, info_name=name)))
            inner = dict(sorted(getattr(command, "commands", {}).items()))
            rows = {below: _options(inner[below], click.Context(inner[below], info_name=below)) for below in inner}
            common = [row for row in next(iter(rows.values()), ()) if row and all(row in its for its in rows.values())]
            if common:
                lines.extend(["Each of them takes:\n", *common, ""])
            for below, its in rows.items():
                lines.append(f"#### `babelreg {name} {below}`\n\n{inner[below].get_short_help_str(200)}\n")
                own = [row for row in its if row not in common]
                lines.extend(own if any(own) else [])
    return "\n".join(lines).rstrip("\n")


def _options(command: click.Command, context: click.Context, *, shared: bool = False) -> list[str]:
    rows = []
    for param in command.get_params(context):
        record = param.get_help_record(context)
        if not shared and {"-C", "-q"} & set(param.opts):
            continue  # listed once, above all commands
        if record and record[1] and "--help" not in record[0]:
            rows.append(f"- `{record[0]}` {' '.join(record[1].split())}")
    return [*rows, ""] if rows else []


def _rules() -> str:
    from babelreg.cli.manual.rule_catalog import entries

    rows = ["| Rule | Command | Severity | Reports |", "| --- | --- | --- | --- |"]
    for verb, entry in entries().values():
        rows.append(f"| `{entry.rule}` | {verb} | {entry.severity.value} | {_cell(entry.summary)} |")
    return "\n".join(rows)


def _reasons() -> str:
    from babelreg.cli.manual.reason_pages import reasons, sentence

    rows = ["| Reason | Kind | Means |", "| --- | --- | --- |"]
    rows.extend(f"| `{code}` | {kind} | {_cell(sentence(meaning))} |" for code, (kind, meaning) in reasons().items())
    return "\n".join(rows)


def _proof_rules() -> str:
    from babelreg.containment.certificates.rules import FOR_ALL_TYPES, RULES

    rows = ["| Rule | For values of | Premises and conditions | Why |", "| --- | --- | --- | --- |"]
    for name, rule in RULES.items():
        types = "all types, or one" if name in FOR_ALL_TYPES else "one type"
        types = "all types" if name == "types" else types
        rows.append(f"| `{name}` | {types} | {' | '.join(map(_cell, _statement(rule)))} |")
    return "\n".join(rows)


def _statement(rule: Callable[..., Any]) -> tuple[str, str]:
    """Return the premises of a rule of proofs, and why it is sound. Raises ValueError where its docstring has none."""
    _, _, statement = inspect.cleandoc(rule.__doc__ or "").partition("\nPremises: ")
    premises, _, why = statement.partition("\nWhy: ")
    if not (premises and why):
        raise ValueError(f"{rule.__name__} does not state its premises, and why it is sound")
    return premises.removesuffix("."), why.removesuffix(".")


def _schema(name: str) -> Schema:
    schema: Schema = json.loads(file_validation.schema_text(name))
    return schema


def keys(schema: Schema) -> Iterator[tuple[str, Schema, bool]]:
    """Yield every key of a format: path (``gen.python.models``, ``upcast[].rename``), schema, and whether required."""
    yield from _keys(schema, schema, "")


def _keys(root: Schema, node: Schema, prefix: str) -> Iterator[tuple[str, Schema, bool]]:
    for name, written in node.get("properties", {}).items():
        if written is False:
            continue  # reserved for later
        below = _resolved(root, written if isinstance(written, dict) else {})
        path = f"{prefix}{name}"
        yield path, below, name in node.get("required", ())
        if name == "data":
            continue  # a JSON Schema, or any document
        for variant in (below, *below.get("anyOf", ())):
            if isinstance(variant, dict) and "$ref" not in variant:
                yield from _keys(root, variant, f"{path}.")
                items = variant.get("items")
                if isinstance(items, dict):
                    yield from _keys(root, _resolved(root, items), f"{path}[].")
                yield from _keys_of_any_name(root, variant, f"{path}.")


def _keys_of_any_name(root: Schema, node: Schema, prefix: str) -> Iterator[tuple[str, Schema, bool]]:
    """Yield the keys of mappings whose own names are free: ``wires.strata.*.*.request``."""
    values = node.get("additionalProperties")
    if isinstance(values, dict):
        below = _resolved(root, values)
        yield from _keys(root, below, f"{prefix}*.")
        yield from _keys_of_any_name(root, below, f"{prefix}*.")


def _resolved(root: Schema, node: Schema) -> Schema:
    reference = node.get("$ref", "")
    if not reference.startswith("#/$defs/"):
        return node
    own = {key: value for key, value in node.items() if key != "$ref"}
    return {**root["$defs"][reference.removeprefix("#/$defs/")], **own}


def _key_table(name: str) -> str:
    rows = ["| Key | Value | Meaning |", "| --- | --- | --- |"]
    for path, node, required in keys(_schema(name)):
        need = " **Required.**" if required else ""
        rows.append(f"| `{path}` | {_value(node)} | {_cell(node.get('description', ''))}{need} |")
    return "\n".join(rows)


def _value(node: Schema) -> str:
    """Return a short description of the values of a key."""
    if "const" in node:
        return f"`{json.dumps(node['const'])}`"
    if "enum" in node:
        words = ", ".join(
            f"`{value}`" if isinstance(value, str) else f"`{json.dumps(value)}`" for value in node["enum"]
        )
    elif str(node.get("pattern", "")).startswith("^[0-9]{4}-"):
        words = "date"
    elif "type" in node:
        types = node["type"] if isinstance(node["type"], list) else [node["type"]]
        words = " or ".join({"object": "mapping", "array": "list", "string": "text"}.get(name, name) for name in types)
    elif "anyOf" in node and all("type" in variant for variant in node["anyOf"]):
        words = " or ".join(_value(variant) for variant in node["anyOf"])
    else:
        words = "any" if "anyOf" not in node else "JSON Schema"
    if "default" in node:
        words += f"; default `{node['default'] if isinstance(node['default'], str) else json.dumps(node['default'])}`"
    return words


def _cell(text: str) -> str:
    """Return plain text, code spans aside, as the cell of a table."""
    parts = " ".join(text.split()).replace("|", "\\|").split("`")
    parts[::2] = (part.replace("<", "&lt;").replace("*", "\\*") for part in parts[::2])
    return "`".join(parts)


def _layers() -> str:
    """Return the layers of the code, from the contract that import-linter checks."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (layers,) = (each for each in contracts if each.get("containers") == ["babelreg"])
    return "\n".join(["```text", *layers["layers"], "```"])


TABLES: dict[str, Callable[[], str]] = {
    "commands": _commands,
    "rules": _rules,
    "reasons": _reasons,
    "rules of proofs": _proof_rules,
    "layers": _layers,
    **{
        f"keys of {name}": lambda name=name: _key_table(name)
        for name in (*file_validation.FORMATS, "service-repo", "lock")
    },  # type: ignore[misc]
}
"""Content of a page between ``<!-- generated: NAME -->`` and ``<!-- /generated -->``, by name."""
