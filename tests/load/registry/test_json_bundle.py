"""A registry in one text says what the registry says."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg import load
from babelreg.errors import InputError, UsageError
from babelreg.load.registry.json_bundle import pack, unpack
from babelreg.model import Message, Registry

EXAMPLE = Path(__file__).resolve().parents[3] / "registry.example"

ODD = {
    "babelreg.yaml": b"""
version: 1
compatibility: {reader: strict, direction: both}
spark: {engine: local, fail_above: 0.000001%, hold_above: {total: 100%, each: 12.50%, urn:babel:odd:created: 0%}}
wires:
  flowlayer: {commands: {start: urn:babel:odd:created}}
  phpmq: {queues: {Odd: urn:babel:odd:created}}
  strata: {Odd: {create: {request: urn:babel:odd:created}}}
""",
    "odd/_context.yaml": b"owner: t\ncompatibility: {reader: tolerant, direction: both, since: v1}\n",
    "odd/created.yaml": """
urn: urn:babel:odd:created
kind: event
aliases: [Odd.Created, "com.odd.\u0085created"]
headers: true
description: "quotes \\" and \\\\ and \\u0085 and \U0001f600 and </script>"
delivery: {max_attempts: 7, backoff: {factor: 3}, time_limit_seconds: 0.5, on_failure: delete}
data: {type: object, properties: {a: {$ref: ../_common/more.yaml}, b: {const: 123456789012345678901234567890}}}
examples: [{a: 1}]
""".encode(),
    "_common/more.yaml": b"{type: integer, maximum: 1.5e300, x-gdpr-sensitive: email}",
    "odd/left.yaml": b"urn: urn:babel:odd:left\nstatus: retired\nretired_on: '2026-01-31'\n",
}


def odd() -> Registry:
    return load.from_tree(load.files.tree.Memory(ODD))


def told(one: Message) -> dict[str, Any]:
    """What is promised of a message: all but examples, comments and the lines it stands in."""
    names = Message.__dataclass_fields__.keys() - {"source", "data", "origins", "examples", "counterexamples"}
    return {**{name: getattr(one, name) for name in names}, "path": one.source.path, "place": one.place(()).path}


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: load.registry(EXAMPLE), id="the example"),
        pytest.param(odd, id="odd words, a strict reader, a tombstone"),
        pytest.param(
            lambda: load.from_tree(load.files.tree.Memory({"babelreg.yaml": b"version: 1\n"})), id="an empty one"
        ),
    ],
)
def test_what_was_packed_is_what_is_read(make: Any) -> None:
    registry = make()
    assert not registry.defects
    found = unpack(pack(registry), "x/registry.json")
    assert [told(one) for one in found.messages] == [told(one) for one in registry.messages]
    assert found.schemas == registry.schemas
    for urn, message in registry.by_urn.items():
        assert found.consumers(urn) == registry.consumers(urn)
        assert found.compatibility(message.context) == registry.compatibility(message.context)
        assert found.contexts[message.context].owner == registry.contexts[message.context].owner
    assert {name: (one.owner, one.lang) for name, one in found.services.items()} == {
        name: (one.owner, one.lang) for name, one in registry.services.items()
    }
    assert found.settings.spark == registry.settings.spark
    assert found.settings.wires == registry.settings.wires
    assert pack(found) == pack(registry)


def test_the_folder_is_not_told() -> None:
    assert pack(load.registry(EXAMPLE)) == pack(load.registry(EXAMPLE.parent / "tests" / ".." / EXAMPLE.name))
    assert str(EXAMPLE.parent) not in pack(load.registry(EXAMPLE))


def test_a_registry_with_defects_is_not_packed() -> None:
    broken = load.from_tree(load.files.tree.Memory({"babelreg.yaml": b"version: 1\n", "odd/_context.yaml": b"{"}))
    with pytest.raises(UsageError, match="has defects"):
        pack(broken)


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "null", "1", "x", "[" * 100_000, '{"compatibility": {"no": 1}}', '{"compatibility": {}}'],
    ids=lambda text: text[:30] or "nothing",
)
def test_what_is_no_packed_registry_is_refused_with_a_way_out(text: str) -> None:
    with pytest.raises(InputError, match=r"x\.json is not a packed registry") as refused:
        unpack(text, "x.json")
    assert "babelreg spark pack" in (refused.value.fix or "")


@pytest.mark.parametrize(
    "where, value, named",
    [
        pytest.param("messages/0/urn", 5, "messages[0].urn", id="a number for a URN"),
        pytest.param("messages/0/producers", "billing", "messages[0].producers", id="a text for a list"),
        pytest.param("messages/0/producers", [1], "messages[0].producers[0]", id="a number for a service"),
        pytest.param("messages/0/schema", [], "messages[0].schema", id="a list for a schema"),
        pytest.param("messages/0/upcast", ["x"], "messages[0].upcast[0]", id="a text for an operation"),
        pytest.param("messages/0/delivery/max_attempts", "7", "messages[0].delivery.max_attempts", id="a text for a number"),
        pytest.param("messages/0/delivery/backoff", {"factor": []}, "messages[0].delivery.backoff.factor", id="in a policy"),
        pytest.param("messages/0/path", None, "messages[0].path", id="no file"),
        pytest.param("messages/0/colour", "red", "colour", id="a member that nobody knows"),
        pytest.param("compatibility/reader", 1, "compatibility.reader", id="a number for a word"),
        pytest.param("contexts/odd/owner", ["t"], "contexts.odd.owner", id="a list for an owner"),
        pytest.param("wires/phpmq/queues", {"Odd": 1}, "wires.phpmq.queues.Odd", id="a number for the URN of a name"),
        pytest.param("services/s/consumes", [{"urn": "u", "reads": "abc"}], "services.s.consumes[0].reads", id="what is read"),
        pytest.param("spark/hold_above/total", "7", "'7' is not a percentage", id="a share that is none"),
    ],
)  # fmt: skip
def test_a_value_of_another_type_is_named(where: str, value: Any, named: str) -> None:
    whole = json.loads(pack(odd()))
    whole["services"]["s"] = {"path": "_services/s.yaml"}
    assert isinstance(unpack(json.dumps(whole), "x.json"), Registry)
    *steps, last = (int(step) if step.isdigit() else step for step in where.split("/"))
    at = whole
    for step in steps:
        at = at[step]
    at[last] = value
    with pytest.raises(InputError) as refused:
        unpack(json.dumps(whole), "x.json")
    assert named in str(refused.value)


@given(st.data())
def test_a_text_that_was_changed_anywhere_is_read_or_refused(data: st.DataObject) -> None:
    whole = json.loads(pack(odd()))
    at: Any = whole
    while True:
        key = data.draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
        if not isinstance(at[key], dict | list) or not at[key] or data.draw(st.booleans()):
            break
        at = at[key]
    at[key] = data.draw(st.sampled_from([None, 1, "x", [], {}, [1], {"x": 1}]))
    with contextlib.suppress(InputError):
        assert isinstance(unpack(json.dumps(whole), "x"), Registry)
