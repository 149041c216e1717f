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
from dataclasses import asdict, dataclass, fields
from typing import Any

from babelreg import __version__
from babelreg.errors import InputError, UsageError
from babelreg.finding import Place
from babelreg.model import (
    BoundedContext,
    Compatibility,
    Consumption,
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
from babelreg.typed_json import typed
from babelreg.wire.mapping import leaves

_LIMITS = ("fail_above", "hold_above")


@dataclass(frozen=True, slots=True)
class _Context:
    path: str
    owner: str | None = None
    description: str | None = None
    contact: str | None = None
    compatibility: Compatibility | None = None


@dataclass(frozen=True, slots=True)
class _Service:
    path: str
    owner: str | None = None
    lang: str | None = None
    repo: str | None = None
    contact: str | None = None
    description: str | None = None
    consumes: tuple[Consumption, ...] = ()


@dataclass(frozen=True, slots=True)
class _Message:
    path: str
    urn: str
    kind: str | None = None
    status: str = "active"
    description: str | None = None
    owner: str | None = None
    queue: str | None = None
    headers: bool = False
    supersedes: str | None = None
    sunset: str | None = None
    retired_on: str | None = None
    schema: dict[str, Any] | None = None
    producers: tuple[str, ...] = ()
    declared_consumers: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    upcast: tuple[dict[str, Any], ...] = ()
    delivery: Delivery | None = None


@dataclass(frozen=True, slots=True)
class _Spark:
    fail_above: dict[str, str]
    hold_above: dict[str, str]
    engine: str | None = None


@dataclass(frozen=True, slots=True)
class _Bundle:
    babelreg: str
    compatibility: Compatibility
    spark: _Spark
    wires: dict[str, dict[str, Any]]
    contexts: dict[str, _Context]
    services: dict[str, _Service]
    messages: tuple[_Message, ...]


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
        packed = typed(_Bundle, json.loads(text))
        _check_names(packed.wires)
        return Registry(
            root=name,
            settings=Settings(
                compatibility=packed.compatibility, spark=_as_spark(packed.spark), wires=Wires(packed.wires)
            ),
            contexts={key: _as_context(key, part) for key, part in packed.contexts.items()},
            services={key: _as_service(key, part) for key, part in packed.services.items()},
            messages=tuple(map(_as_message, packed.messages)),
        )
    except (UsageError, ValueError, RecursionError) as err:
        raise InputError(
            f"{name} is not a packed registry: {err}",
            fix="write it again with `babelreg spark pack`, of the version that reads it",
        ) from err


def _check_names(wires: dict[str, dict[str, Any]]) -> None:
    """Raise ValueError for a name whose value is not a text: a URN, or a setting."""
    for key, value in leaves(wires):
        if not isinstance(value, (str, bool)):
            raise ValueError(f"'wires.{'.'.join(key)}' is not a string")


def _given(part: Any, kind: type) -> dict[str, Any]:
    """Return what ``part`` says of the members of ``kind``, without those that it leaves out."""
    values = {member.name: getattr(part, member.name) for member in fields(kind) if member.name != "path"}
    return {name: value for name, value in values.items() if value not in (None, (), False)}


def _compatibility(part: Compatibility) -> dict[str, Any]:
    return {name: getattr(part, name) for name in ("reader", "direction", "open_objects", "since")}


def _spark(part: SparkSettings) -> dict[str, Any]:
    limits = {key: getattr(part, key).percents for key in _LIMITS}
    shares = {key: {scope: f"{limit:f}%" for scope, limit in limits[key].items()} for key in _LIMITS}
    return {**shares, **({"engine": part.engine} if part.engine else {})}


def _as_spark(packed: _Spark) -> SparkSettings:
    return SparkSettings(**{key: parsed(getattr(packed, key), key) for key in _LIMITS}, engine=packed.engine)


def _context(part: BoundedContext) -> dict[str, Any]:
    own = {"compatibility": _compatibility(part.compatibility)} if part.compatibility else {}
    return {"path": part.source.path, **_given(part, _Context), **own}


def _as_context(name: str, packed: _Context) -> BoundedContext:
    return BoundedContext(
        name, _BundledFile(packed.path), packed.owner, packed.description, packed.contact, packed.compatibility
    )


def _service(part: Service) -> dict[str, Any]:
    return {
        "path": part.source.path,
        **_given(part, _Service),
        "consumes": [_consumption(each) for each in part.consumes],
    }


def _consumption(each: Consumption) -> dict[str, Any]:
    return {
        "urn": each.urn,
        "reads": list(each.reads),
        **({"queue": each.queue} if each.queue else {}),
        **({"expects": [asdict(expectation) for expectation in each.expects]} if each.expects else {}),
        **({"on_unexpected": each.on_unexpected} if each.on_unexpected != "handle" else {}),
    }


def _as_service(name: str, packed: _Service) -> Service:
    return Service(name, _BundledFile(packed.path), **_members(packed))


def _message(part: Message) -> dict[str, Any]:
    delivery = part.delivery
    policy = {name: value for name, value in asdict(delivery).items() if value is not None} if delivery else {}
    return {"path": part.source.path, **_given(part, _Message), **({"delivery": policy} if delivery else {})}


def _as_message(packed: _Message) -> Message:
    try:
        urn = Urn.parse(packed.urn)
    except UrnError:
        urn = None
    return Message(parsed=urn, source=_BundledFile(packed.path), data=packed.schema, **_members(packed))


def _members(packed: _Message | _Service) -> dict[str, Any]:
    return {member.name: getattr(packed, member.name) for member in fields(packed) if member.name != "path"}
