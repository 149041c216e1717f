"""A registry against its published version: places, directions, whom it hurts, what is exempt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from babelreg import load
from babelreg.breaking.check.run import check
from babelreg.finding import NOTHING, Finding, FragmentUse, Hurt, PropertyList, Rollout
from babelreg.load.files.tree import Memory

Break = Callable[..., list[Finding]]

OLD = """\
data:
  type: object
  properties:
    order_id: {type: integer}
    channel: {type: string, enum: [web, app]}
"""
REQUIRED = OLD.replace("  properties:", "  required: [order_id]\n  properties:")
GROWN = OLD.replace("app]", "app, phone]")


def registry(
    message: str, *, settings: str = "version: 1\n", context: str = "owner: team-orders\n", **more: str
) -> Any:
    files = {
        "babelreg.yaml": settings,
        "orders/_context.yaml": context,
        "orders/created.yaml": "urn: urn:babel:orders:created\nkind: event\nproducers: [orders-api]\n" + message,
        "_services/orders-api.yaml": "owner: team-orders\nlang: php\n",
        **more,
    }
    return load.from_tree(Memory({path: text.encode() for path, text in files.items()}))


def test_a_finding_says_all_there_is_to_say() -> None:
    reader = "owner: team-billing\nlang: go\nconsumes: [{urn: 'urn:babel:orders:created', reads: [order_id]}]\n"
    services = {"_services/billing-worker.yaml": reader}
    (found,) = check(registry(OLD, **services), registry(REQUIRED, **services))
    assert found == Finding(
        "property-required",
        found.severity,
        "property 'order_id' became required",
        found.place,
        urn="urn:babel:orders:created",
        pointer="/data/required",
        fix="make it optional again, or run `babelreg mint urn:babel:orders:created`",
        reason='"order_id" is a required property',
        against=found.against,
        direction="backward",
        breaks=(
            "orders-api (producer, php, team-orders) may still send {}",
            "billing-worker (consumer, go, team-billing; reads order_id) refuses it",
        ),
        witness={},
        instance=("order_id",),
        hurts=(
            Hurt("orders-api", "producer", "may still send {}", "php", "team-orders", urn=found.urn),
            Hurt("billing-worker", "consumer", "refuses it", "go", "team-billing", ("order_id",), found.urn),
        ),
        rollout=Rollout("producers", ("orders-api",), ("billing-worker",)),
        properties=PropertyList(
            ("order_id",),
            "/data/required",
            "properties {} became required",
            "make them optional again, or run `babelreg mint urn:babel:orders:created`",
        ),
        change="8e46deb4687a",
    )
    assert str(found.place) == "orders/created.yaml:6:13"
    assert str(found.against) == "orders/created.yaml:5:3"


def test_forward_hurts_those_who_read_with_the_published_schema() -> None:
    (found,) = check(registry(OLD), registry(GROWN))
    assert (found.rule, found.direction, found.witness) == ("enum-value-added", "forward", {"channel": "phone"})
    assert found.breaks == (
        'a consumer that reads with the published schema refuses {"channel": "phone"}',
        "orders-api (producer, php, team-orders) will send it",
    )


@pytest.mark.parametrize(
    "direction, rules",
    [
        pytest.param("both", ["property-required", "enum-value-added"], id="both"),
        pytest.param("backward", ["property-required"], id="backward only"),
        pytest.param("forward", ["enum-value-added"], id="forward only"),
    ],
)
@pytest.mark.parametrize("where", ["settings", "context"])
def test_the_direction_that_counts(direction: str, rules: list[str], where: str) -> None:
    line = f"compatibility: {{direction: {direction}}}\n"
    settings = (
        {"settings": "version: 1\n" + line} if where == "settings" else {"context": "owner: team-orders\n" + line}
    )
    new = REQUIRED.replace("app]", "app, phone]")
    assert [f.rule for f in check(registry(OLD), registry(new, **settings))] == rules


def test_strict_readers_refuse_undeclared_properties() -> None:
    closed = OLD.replace("  properties:", "  additionalProperties: false\n  properties:")
    assert check(registry(OLD), registry(closed)) == []
    strict = registry(closed, settings="version: 1\ncompatibility: {reader: strict}\n")
    assert [f.rule for f in check(registry(OLD), strict)] == ["property-names-changed"]


@pytest.mark.parametrize(
    "old, new",
    [
        pytest.param(OLD, OLD, id="the same"),
        pytest.param("status: draft\n" + OLD, REQUIRED, id="a draft may change"),
        pytest.param(
            OLD, OLD.replace("{type: integer}", "{type: integer, description: The number.}"), id="a description"
        ),
        pytest.param(OLD, "description: Said better.\n" + OLD, id="the message's description"),
    ],
)
def test_what_breaks_nothing(old: str, new: str) -> None:
    assert check(registry(old), registry(new)) == []


def test_a_new_message_breaks_nothing() -> None:
    empty = load.from_tree(Memory({"babelreg.yaml": b"version: 1\n"}))
    assert check(empty, registry(OLD)) == []


def test_a_change_in_a_fragment_is_placed_there_and_names_the_message() -> None:
    message = "data: {type: object, properties: {total: {$ref: ../_common/money.yaml}}}\n"
    old, new = (
        registry(message, **{"_common/money.yaml": f"type: object\nproperties:\n  minor: {{type: {kind}}}\n"})
        for kind in ("integer", "string")
    )
    found = [f for f in check(old, new) if f.rule == "type-changed"]
    assert {str(f.place) for f in found} == {"_common/money.yaml:3:17"}
    assert {f.pointer for f in found} == {"/properties/minor/type"}
    assert [f.messages for f in found] == [(FragmentUse("urn:babel:orders:created", "total.minor", found[0].change),)]


def test_every_refused_keyword_is_found_once_with_a_witness_of_its_own() -> None:
    old = "data:\n  type: object\n  properties: {a: {type: integer}, b: {type: string}, c: {enum: [x, y]}}\n"
    new = "data:\n  type: object\n  properties: {a: {type: integer, minimum: 5}, b: {type: boolean}, c: {enum: [x]}}\n"
    backward = [f for f in check(registry(old), registry(new)) if f.direction in ("backward", "both")]
    assert sorted((f.rule, str(f.witness)) for f in backward) == [
        ("enum-value-removed", "{'c': 'y'}"),
        ("number-range-changed", "{'a': 0}"),
        ("type-changed", "{'b': ''}"),
    ]


def test_what_a_contract_rule_answers_for_is_said_once() -> None:
    old = "data: {type: object, required: [a], properties: {a: {type: integer}}}\n"
    new = "data: {type: object, properties: {}}\n"
    (found,) = check(registry(old), registry(new))
    assert (found.rule, found.direction, found.witness) == ("property-removed", "forward", {})


def test_a_contract_rule_says_both_directions_that_documents_show() -> None:
    old = "data: {type: object, required: [amount], properties: {amount: {type: integer}}}\n"
    (found,) = check(registry(old), registry(old.replace("amount", "amount_minor")))
    assert (found.rule, found.direction) == ("property-renamed", "both")
    assert found.witnesses == {"backward": {"amount": 0}, "forward": {"amount_minor": 0}}
    assert found.rollout == Rollout("none")


def test_a_contract_rule_needs_no_witness() -> None:
    (found,) = check(registry(OLD), registry(OLD.replace("    order_id: {type: integer}\n", "")))
    assert (found.rule, found.witness) == ("property-removed", NOTHING)


def test_a_published_file_that_cannot_be_read_is_unknown() -> None:
    (found,) = check(registry("data: {type: object, type: object}\n"), registry(OLD))
    assert found.rule == "containment-unknown"
    assert "cannot be read" in found.message


REFERRING = "data: {type: object, properties: {a: {$ref: ../_common/none.yaml}}}\n"


@pytest.mark.parametrize(
    "status, rules",
    [
        pytest.param("", ["containment-unknown"], id="active"),
        pytest.param("status: draft\n", [], id="a draft"),
    ],
)
def test_a_published_schema_with_a_reference_to_nowhere_is_unknown(status: str, rules: list[str]) -> None:
    assert [found.rule for found in check(registry(status + REFERRING), registry(status + OLD))] == rules


SEVEN = '  $schema: "http://json-schema.org/draft-07/schema#"\n'


@pytest.mark.parametrize(
    "old, new, rules",
    [
        pytest.param(OLD, OLD.replace("  type", f"{SEVEN}  type", 1), [], id="the same meaning"),
        pytest.param(OLD.replace("  type", f"{SEVEN}  type", 1), OLD, [], id="the same meaning in the newer one"),
        pytest.param(
            OLD.replace("  type", f"{SEVEN}  type", 1), REQUIRED, ["property-required"], id="a break beside the dialect"
        ),
        pytest.param(
            OLD.replace("  type", f"{SEVEN}  contentEncoding: base64\n  type", 1),
            OLD.replace("app]", "phone]"),
            ["containment-unknown"],
            id="a keyword that means something else",
        ),
    ],
)
def test_a_new_dialect_alone_is_no_change(old: str, new: str, rules: list[str]) -> None:
    assert sorted({f.rule for f in check(registry(old), registry(new))}) == rules


def test_the_order_does_not_depend_on_chance() -> None:
    new = REQUIRED.replace("app]", "phone]")
    first, second = (check(registry(OLD), registry(new)) for _ in range(2))
    assert first == second
    assert first == sorted(first, key=lambda finding: finding.sort_key)


@pytest.mark.parametrize(
    "root, fix",
    [
        pytest.param("", "", id="here"),
        pytest.param("..", "", id="from a folder of it"),
        pytest.param("registry", " --registry registry", id="from above"),
        pytest.param("my registry", " --registry 'my registry'", id="from above, with a space"),
    ],
)
def test_the_command_to_mint_names_the_registry_where_it_would_not_be_found(root: str, fix: str) -> None:
    (found,) = check(registry(OLD), replace(registry(REQUIRED), root=root))
    assert found.fix == f"make it optional again, or run `babelreg mint urn:babel:orders:created{fix}`"
