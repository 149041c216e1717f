"""A registry as one JSON text, for machines without a checkout: all that ingestion, reading and reports need.

::

    {"babelreg": "0.1.0", "compatibility": {"reader": "tolerant", ...},
     "spark": {"hold_above": {"total": "5%"}}, "wires": {"phpmq": {...}},
     "contexts": {"orders": {"owner": ...}}, "services": {"billing-worker": {"consumes": [...]}},
     "messages": [{"path": "orders/created.yaml", "urn": ..., "schema": ..., "upcast": [...]}]}

Schemas are bundled, so that reading it needs no YAML and no other file. Examples and comments are omitted.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
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
    SparkSettings,
    Urn,
    UrnError,
    Wires,
)
from babelreg.model.thresholds import parsed
from babelreg.schema.pointer import Pointer

__all__ = ["pack", "unpack"]

_MESSAGE = ("urn", "kind", "status", "description", "owner", "queue", "supersedes", "sunset", "retired_on", "schema")
_LISTS = ("producers", "declared_consumers", "upcast")
_CONTEXT = ("owner", "description", "contact")
_LIMITS = ("fail_above", "hold_above")
_SERVICE = ("owner", "lang", "repo", "contact", "description")


@dataclass(frozen=True, slots=True)
class _BundledFile:
    """Source of a bundled message: the file without line numbers."""

    path: str

    def place(self, pointer: Pointer = (), *, key: bool = False, offset: int = 0) -> Place:
        return Place(self.path)

    def bare(self, pointer: Pointer | None, text: str, *, key: bool = False) -> bool:
        return False


def pack(registry: Registry) -> str:
    """Return the registry as text, which does not depend on the folder's name. Raises UsageError for defects."""
    if registry.defects:
        raise UsageError(f"the registry {registry.root} has defects", fix="fix them; `babelreg lint` lists them")
    packed = {
        "babelreg": __version__,
        "compatibility": _compatibility(registry.settings.compatibility),
        "spark": _spark(registry.settings.spark),
        "wires": {wire: block for wire, block in registry.settings.wires.blocks.items() if block},
        "contexts": {name: _context(part) for name, part in sorted(registry.contexts.items())},
        "services": {name: _service(part) for name, part in sorted(registry.services.items())},
        "messages": [_message(part) for part in registry.messages],
    }
    return json.dumps(packed, indent=1) + "\n"


def unpack(text: str | bytes, name: str) -> Registry:
    """Return the registry that :func:`pack` wrote. Raises InputError for other text; ``name`` is its file."""
    try:
        packed = json.loads(text)
        return Registry(
            root=name,
            settings=Settings(
                compatibility=Compatibility(**packed["compatibility"]),
                spark=_as_spark(packed["spark"]),
                wires=_as_wires(packed["wires"]),
            ),
            contexts={key: _as_context(key, part) for key, part in packed["contexts"].items()},
            services={key: _as_service(key, part) for key, part in packed["services"].items()},
            messages=tuple(_as_message(part) for part in packed["messages"]),
        )
    except (UsageError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as err:
        raise InputError(
            f"{name} is not a packed registry: {type(err).__name__} {err}",
            fix="write it anew with `babelreg spark pack`, of the version that reads it",
        ) from err


def _given(part: Any, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name in names if (value := getattr(part, name)) is not None}


def _compatibility(part: Compatibility) -> dict[str, Any]:
    return {name: getattr(part, name) for name in ("reader", "direction", "open_objects", "since")}


def _spark(part: SparkSettings) -> dict[str, Any]:
    limits = {key: getattr(part, key).percents for key in _LIMITS}
    shares = {key: {scope: f"{limit:f}%" for scope, limit in limits[key].items()} for key in _LIMITS}
    return {**shares, **_given(part, ("engine",))}


def _as_spark(packed: dict[str, Any]) -> SparkSettings:
    return SparkSettings(**{key: parsed(packed[key], key) for key in _LIMITS}, engine=packed.get("engine"))


def _as_wires(packed: dict[str, Any]) -> Wires:
    for wire, block in packed.items():
        if not isinstance(block, dict):
            raise TypeError(f"wires.{wire} is not a mapping")
    return Wires(**packed)


def _context(part: Context) -> dict[str, Any]:
    own = {"compatibility": _compatibility(part.compatibility)} if part.compatibility else {}
    return {"path": part.source.path, **_given(part, _CONTEXT), **own}


def _as_context(name: str, packed: dict[str, Any]) -> Context:
    own = Compatibility(**packed["compatibility"]) if "compatibility" in packed else None
    return Context(name, _BundledFile(packed["path"]), compatibility=own, **{key: packed.get(key) for key in _CONTEXT})


def _service(part: Service) -> dict[str, Any]:
    consumes = [
        {"urn": each.urn, "reads": list(each.reads), **({"queue": each.queue} if each.queue else {})}
        for each in part.consumes
    ]
    return {"path": part.source.path, **_given(part, _SERVICE), "consumes": consumes}


def _as_service(name: str, packed: dict[str, Any]) -> Service:
    consumes = tuple(Consumption(each["urn"], tuple(each["reads"]), each.get("queue")) for each in packed["consumes"])
    return Service(name, _BundledFile(packed["path"]), consumes=consumes, **{key: packed.get(key) for key in _SERVICE})


def _message(part: Message) -> dict[str, Any]:
    delivery = part.delivery
    policy = {name: value for name, value in asdict(delivery).items() if value is not None} if delivery else None
    lists = {name: list(value) for name in _LISTS if (value := getattr(part, name))}
    return {
        "path": part.source.path,
        **_given(part, _MESSAGE),
        **lists,
        **({"delivery": policy} if policy else {}),
    }


def _as_message(packed: dict[str, Any]) -> Message:
    try:
        parsed = Urn.parse(packed["urn"])
    except UrnError:
        parsed = None
    known = {name: packed[name] for name in _MESSAGE if name in packed}
    lists: dict[str, Any] = {name: tuple(packed[name]) for name in _LISTS if name in packed}
    delivery = Delivery.of(packed["delivery"]) if "delivery" in packed else None
    return Message(
        parsed=parsed,
        source=_BundledFile(packed["path"]),
        data=packed.get("schema"),
        delivery=delivery,
        **known,
        **lists,
    )
