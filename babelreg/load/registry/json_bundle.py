"""A registry as one JSON text, for where no checkout is: what ingesting, reading and reporting ask of it.

::

    {"babelreg": "0.1.0", "compatibility": {"reader": "tolerant", ...},
     "contexts": {"orders": {"owner": ...}}, "services": {"billing-worker": {"consumes": [...]}},
     "messages": [{"path": "orders/created.yaml", "urn": ..., "schema": ..., "upcast": [...]}]}

Schemas stand there bundled, so that reading it back needs no YAML and no other file. Examples and comments stay behind.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from babelreg import __version__
from babelreg.errors import InputError, UsageError
from babelreg.finding import Place
from babelreg.model import (
    Compatibility,
    Consumption,
    Context,
    Delivery,
    Message,
    Registry,
    Service,
    Settings,
    Urn,
    UrnError,
)
from babelreg.schema.pointer import Pointer

__all__ = ["pack", "unpack"]

_MESSAGE = ("urn", "kind", "status", "description", "owner", "queue", "supersedes", "sunset", "retired_on", "schema")
_LISTS = ("producers", "declared_consumers", "upcast")
_CONTEXT = ("owner", "description", "contact")
_SERVICE = ("owner", "lang", "repo", "contact", "description")


@dataclass(frozen=True, slots=True)
class _BundledFile:
    """Where a message stood; lines are not known any more."""

    path: str

    def place(self, pointer: Pointer = (), *, key: bool = False, offset: int = 0) -> Place:
        return Place(self.path)

    def bare(self, pointer: Pointer | None, text: str, *, key: bool = False) -> bool:
        return False


def pack(registry: Registry) -> str:
    """The text. The same registry gives the same, whatever its folder is called. Raises UsageError for defects."""
    if registry.defects:
        raise UsageError(f"the registry {registry.root} has defects", fix="mend them; `babelreg lint` shows all")
    said = {
        "babelreg": __version__,
        "compatibility": _compatibility(registry.settings.compatibility),
        "contexts": {name: _context(one) for name, one in sorted(registry.contexts.items())},
        "services": {name: _service(one) for name, one in sorted(registry.services.items())},
        "messages": [_message(one) for one in registry.messages],
    }
    return json.dumps(said, indent=1) + "\n"


def unpack(text: str | bytes, name: str) -> Registry:
    """The registry that :func:`pack` wrote. Raises InputError for any other text; ``name`` says where it stood."""
    try:
        said = json.loads(text)
        return Registry(
            root=name,
            settings=Settings(compatibility=Compatibility(**said["compatibility"])),
            contexts={key: _as_context(key, one) for key, one in said["contexts"].items()},
            services={key: _as_service(key, one) for key, one in said["services"].items()},
            messages=tuple(_as_message(one) for one in said["messages"]),
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as err:
        raise InputError(
            f"{name} is no packed registry: {type(err).__name__} {err}",
            fix="write it anew with `babelreg spark pack`, of the version that reads it",
        ) from err


def _given(one: Any, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name in names if (value := getattr(one, name)) is not None}


def _compatibility(one: Compatibility) -> dict[str, Any]:
    return {"reader": one.reader, "direction": one.direction, "since": one.since}


def _context(one: Context) -> dict[str, Any]:
    own = {"compatibility": _compatibility(one.compatibility)} if one.compatibility else {}
    return {"path": one.source.path, **_given(one, _CONTEXT), **own}


def _as_context(name: str, said: dict[str, Any]) -> Context:
    own = Compatibility(**said["compatibility"]) if "compatibility" in said else None
    return Context(name, _BundledFile(said["path"]), compatibility=own, **{key: said.get(key) for key in _CONTEXT})


def _service(one: Service) -> dict[str, Any]:
    consumes = [{"urn": each.urn, "reads": list(each.reads)} for each in one.consumes]
    return {"path": one.source.path, **_given(one, _SERVICE), "consumes": consumes}


def _as_service(name: str, said: dict[str, Any]) -> Service:
    consumes = tuple(Consumption(each["urn"], tuple(each["reads"])) for each in said["consumes"])
    return Service(name, _BundledFile(said["path"]), consumes=consumes, **{key: said.get(key) for key in _SERVICE})


def _message(one: Message) -> dict[str, Any]:
    delivery = one.delivery
    policy = {"max_attempts": delivery.max_attempts, "on_failure": delivery.on_failure} if delivery else None
    lists = {name: list(value) for name in _LISTS if (value := getattr(one, name))}
    return {
        "path": one.source.path,
        **_given(one, _MESSAGE),
        **lists,
        **({"delivery": policy} if policy else {}),
    }


def _as_message(said: dict[str, Any]) -> Message:
    try:
        parsed = Urn.parse(said["urn"])
    except UrnError:
        parsed = None
    known = {name: said[name] for name in _MESSAGE if name in said}
    lists: dict[str, Any] = {name: tuple(said[name]) for name in _LISTS if name in said}
    delivery = Delivery(**said["delivery"]) if "delivery" in said else None
    return Message(
        parsed=parsed, source=_BundledFile(said["path"]), data=said.get("schema"), delivery=delivery, **known, **lists
    )
