"""``--setting KEY=VALUE``: the block of a wire format in a new ``babelreg.yaml``."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import orjson

from babelreg.errors import UsageError

if TYPE_CHECKING:
    from babelreg.model import Registry

_WORDS = {"true": True, "false": False}


def block_of(wire: str, settings: Sequence[str]) -> dict[str, Any]:
    """Return ``wires`` for messages of the format ``wire``; empty for one that needs no block.

    A setting is ``key=value`` or ``key.key=value``. Raises UsageError for a format without settings, and for settings
    that its block does not have, or lacks.
    """
    from babelreg.wire.formats import find

    names = find(wire).names
    if names is None or names.depth:
        if settings:
            raise UsageError(f"{wire} has no settings", fix="remove --setting")
        return {}
    block: dict[str, Any] = {}
    for setting in settings:
        _set(block, setting)
    _check(wire, block, names.block)
    return {wire: block}


def _set(block: dict[str, Any], setting: str) -> None:
    key, equals, value = setting.partition("=")
    *parents, last = key.split(".")
    if not (equals and value and all((*parents, last))):
        raise UsageError(
            f"--setting {shlex.quote(setting)} is not KEY=VALUE", fix="write it as in --setting time=received"
        )
    for name in parents:
        block = block.setdefault(name, {})
        if not isinstance(block, dict):
            raise UsageError(f"--setting: {name} is both a value and a mapping", fix="pass each key once")
    if last in block:
        raise UsageError(f"--setting: {key} is given twice", fix="pass each key once")
    block[last] = _WORDS.get(value, value)


def _check(wire: str, block: Mapping[str, Any], schema: Mapping[str, Any]) -> None:
    import jsonschema_rs

    error = next(iter(jsonschema_rs.validator_for(dict(schema)).iter_errors(block)), None)
    if error is None:
        return
    at = ".".join(map(str, error.instance_path))
    missing = sorted(set(schema.get("required", ())) - block.keys())
    if missing:
        message = f"{wire} needs the setting {missing[0]}"
    else:
        message = f"--setting: {error.message}{f' at {at}' if at else ''}"
    raise UsageError(message, fix=", or ".join(f"--setting {shlex.quote(one)}" for one in _offered(schema, missing)))


def _offered(schema: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Return the settings of ``schema``, or those named."""
    offered: list[str] = []
    for name, inner in schema.get("properties", {}).items():
        if names and name not in names:
            continue
        if "properties" in inner:
            offered += [f"{name}.{below}" for below in _offered(inner, ())]
        else:
            values = [inner["const"]] if "const" in inner else inner.get("enum", [name.upper()])
            offered += [f"{name}={str(value).lower() if isinstance(value, bool) else value}" for value in values]
    return offered


def registry_with(blocks: Mapping[str, Any], root: str = "") -> Registry:
    """Return a registry of settings alone, with the blocks ``wires``."""
    from dataclasses import replace

    from babelreg import load
    from babelreg.load.files.tree import Memory

    text = orjson.dumps({"version": 1, **({"wires": dict(blocks)} if blocks else {})})
    return replace(load.from_tree(Memory({"babelreg.yaml": text})), root=root)
