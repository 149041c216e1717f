"""The plan of an import: the URN of each source and the file name of each shared definition, for people to edit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from babelreg.errors import InputError
from babelreg.finding import Place
from babelreg.load.files.defect import Defect
from babelreg.load.registry.document import Document, decode
from babelreg.load.yaml.emitter import spell
from babelreg.model import Urn, UrnError

_KINDS = ("event", "command")
STATES = ("draft", "active", "deprecated")
"""The states that an import gives a message."""
_FRAGMENT = re.compile(r"[a-z0-9][a-z0-9_.-]*\.yaml\Z")
_HEADER = """\
# Plan of `babelreg import`: which message each source becomes. Edit it, then run the same command again.
# Remove a line to leave its source out. A draft message may still change freely.
"""
_UNSURE = "  # the name is not in the past tense: check the kind"


@dataclass(frozen=True, slots=True)
class PlannedMessage:
    """The message that a source becomes; ``unsure`` where its kind is a guess."""

    urn: str
    kind: str
    status: str
    unsure: bool = False


@dataclass
class ImportPlan:
    """The messages by source, and the file names below ``_common/`` of shared definitions by source.

    A source is the path of a file, with ``#/pointer`` for a part of it.
    """

    messages: dict[str, PlannedMessage] = field(default_factory=dict)
    fragments: dict[str, str] = field(default_factory=dict)


def render_plan(plan: ImportPlan) -> str:
    """Return the text of the plan file."""
    lines = [_HEADER.rstrip("\n"), "version: 1", "messages:" if plan.messages else "messages: {}"]
    for source, message in plan.messages.items():
        entry = {"urn": message.urn, "kind": message.kind, "status": message.status}
        lines.append(f"  {spell(source)}: {spell(entry)}{_UNSURE if message.unsure else ''}")
    if plan.fragments:
        lines.append("fragments:")
        lines += [f"  {spell(source)}: {spell(name)}" for source, name in plan.fragments.items()]
    return "".join(f"{line}\n" for line in lines)


def read_plan(path: str, body: bytes) -> ImportPlan:
    """Read a plan file. Raises InputError at the place of the first defect."""
    try:
        document = Document(path, decode(body))
    except Defect as defect:
        raise InputError(
            defect.message, place=Place(path, defect.line, defect.column), fix=defect.fix_of(path)
        ) from defect
    reader = _PlanReader(document)
    value = reader.mapping(())
    reader.known(value, (), ("version", "messages", "fragments"))
    if value.get("version") != 1:
        raise reader.error(("version",), "the version of a plan must be 1", "version: 1")
    plan = ImportPlan()
    taken: dict[str, str] = {}
    for source in reader.mapping(("messages",)) if value.get("messages") is not None else ():
        plan.messages[source] = reader.message(("messages", source))
        urn = plan.messages[source].urn
        if urn in taken:
            text = f"{urn} is planned twice, also for '{taken[urn]}'"
            raise reader.error(("messages", source), text, "give one of them another URN")
        taken[urn] = source
    for source, name in (reader.mapping(("fragments",)) if value.get("fragments") is not None else {}).items():
        plan.fragments[source] = reader.fragment(("fragments", source), name, plan.fragments)
    return plan


class _PlanReader:
    def __init__(self, document: Document) -> None:
        self.document = document

    def error(self, at: tuple[str, ...], message: str, fix: str) -> InputError:
        return InputError(message, place=self.document.place(at), fix=fix)

    def value(self, at: tuple[str, ...]) -> Any:
        value = self.document.value
        for step in at:
            value = value[step]
        return value

    def mapping(self, at: tuple[str, ...]) -> dict[str, Any]:
        value = self.value(at)
        if not isinstance(value, dict):
            name = at[-1] if at else "the plan"
            raise self.error(at, f"{name} is not a mapping", "run `babelreg import` to write the plan again")
        return value

    def known(self, value: Mapping[str, Any], at: tuple[str, ...], keys: tuple[str, ...]) -> None:
        for key in value:
            if key not in keys:
                raise self.error((*at, key), f"a plan has no key '{key}'", f"use {', '.join(keys)}")

    def message(self, at: tuple[str, ...]) -> PlannedMessage:
        value = self.mapping(at)
        self.known(value, at, ("urn", "kind", "status"))
        try:
            urn = str(Urn.parse(str(value.get("urn", ""))))
        except UrnError as err:
            fix = "write it as urn:babel:<context>:<name>[.vN]"
            raise self.error((*at, "urn"), f"{value.get('urn')!r} is not a URN: {err.problem}", fix) from err
        for key, allowed in (("kind", _KINDS), ("status", STATES)):
            if value.get(key, allowed[0]) not in allowed:
                raise self.error((*at, key), f"'{key}' is not one of {', '.join(allowed)}", f"{key}: {allowed[0]}")
        return PlannedMessage(urn, value.get("kind", "event"), value.get("status", "active"))

    def fragment(self, at: tuple[str, ...], name: Any, others: Mapping[str, str]) -> str:
        if not isinstance(name, str) or not _FRAGMENT.match(name):
            raise self.error(at, f"{name!r} is not the file name of a fragment", "write it in lower case: money.yaml")
        if name in others.values():
            raise self.error(at, f"{name} is planned twice", "give one of them another name")
        return name
