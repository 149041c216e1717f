"""One change, one finding: both directions of it, and every message that shares the fragment it is in."""

from __future__ import annotations

from typing import Any

import pytest

from babelreg import load
from babelreg.breaking.check.run import check
from babelreg.finding import NOTHING, Finding, Hurt, Rollout
from babelreg.load.files.tree import Memory

CREATED, PAID = "urn:babel:orders:created", "urn:babel:orders:paid"
MONEY = "type: object\nproperties:\n  minor: {type: integer, minimum: 0}\n  currency: {type: string}\n"


def registry(money: str, *, messages: int = 2, **more: str) -> Any:
    files = {
        "babelreg.yaml": "version: 1\n",
        "_common/money.yaml": money,
        "_services/orders-api.yaml": "owner: team-orders\nlang: php\n",
        "_services/crm.yaml": f"owner: team-crm\nlang: go\nconsumes: [{{urn: '{PAID}', reads: [price.minor]}}]\n",
        "orders/_context.yaml": "owner: team-orders\n",
    }
    for number in range(messages):
        name, field = (("created", "total"), ("paid", "price"))[number] if number < 2 else (f"m{number}", "cost")
        files[f"orders/{name}.yaml"] = (
            f"urn: urn:babel:orders:{name}\nkind: event\nproducers: [orders-api]\n"
            f"data: {{type: object, properties: {{{field}: {{$ref: ../_common/money.yaml}}}}}}\n"
        )
    files.update(more)
    read = load.from_tree(Memory({path: text.encode() for path, text in files.items()}))
    assert not read.defects
    return read


def breaks(old: str, new: str, **more: Any) -> list[Finding]:
    return check(registry(old, **more), registry(new, **more))


def test_a_fragment_is_one_finding_that_lists_the_messages_it_breaks() -> None:
    (found,) = breaks(MONEY, MONEY.replace("minimum: 0", "minimum: 5"))
    assert str(found.place) == "_common/money.yaml:3:35"
    assert (found.message, found.urn) == ("minimum of 'minor' changed from 0 to 5", None)
    assert [(use.urn, use.field) for use in found.messages] == [(CREATED, "total.minor"), (PAID, "price.minor")]
    assert found.change is None
    assert len({use.change for use in found.messages}) == 2
    assert found.fix == "keep minimum 0, or run `babelreg mint --fragment _common/money.yaml`"
    assert found.breaks == (
        f"{CREATED} at total.minor",
        f"{PAID} at price.minor",
        'orders-api (producer, php, team-orders) may still send {"total": {"minor": 0}}',
        "crm (consumer, go, team-crm; reads price.minor) refuses it",
    )
    assert found.rollout == Rollout("producers", ("orders-api",), ("crm",))
    assert found.as_json()["messages"][1] == {"urn": PAID, "field": "price.minor", "change": found.messages[1].change}


def test_what_a_service_reads_of_any_message_is_said() -> None:
    reads = (
        f"owner: t\nlang: go\nconsumes: [{{urn: '{CREATED}', reads: [id]}}, {{urn: '{PAID}', reads: [price.minor]}}]\n"
    )
    (found,) = breaks(MONEY, MONEY.replace("minimum: 0", "minimum: 5"), **{"_services/crm.yaml": reads})
    assert "crm (consumer, go, t; reads price.minor) refuses it" in found.breaks


def test_a_service_is_hurt_once_for_each_message_as_data() -> None:
    (found,) = breaks(MONEY, MONEY.replace("minimum: 0", "minimum: 5"))
    assert [(hurt.service, hurt.urn) for hurt in found.hurts] == [
        ("orders-api", CREATED),
        ("orders-api", PAID),
        ("crm", PAID),
    ]


def test_a_change_that_breaks_both_ways_is_one_finding_with_both_witnesses() -> None:
    both = [f for f in breaks(MONEY, MONEY.replace("integer, minimum: 0", "string")) if f.rule == "type-changed"]
    assert [f.direction for f in both] == ["both"]
    assert both[0].witnesses == {"backward": {"total": {"minor": 0}}, "forward": {"total": {"minor": ""}}}
    assert both[0].witness == both[0].witnesses["backward"]
    sends = 'sends {"total": {"minor": 0}} before, {"total": {"minor": ""}} after'
    assert both[0].hurts[0] == Hurt("orders-api", "producer", sends, "php", "team-orders", urn=CREATED)
    assert both[0].rollout == Rollout("none")


def test_a_service_is_shown_with_what_it_sends_itself() -> None:
    ships = {"_services/ship.yaml": "owner: team-ship\nlang: go\n"}
    paid = f"urn: {PAID}\nkind: event\nproducers: [ship]\ndata: {{properties: {{price: {{$ref: ../_common/money.yaml}}}}}}\n"
    changed = breaks(MONEY, MONEY.replace("integer, minimum: 0", "string"), **ships, **{"orders/paid.yaml": paid})
    said = [line for found in changed if found.rule == "type-changed" for line in found.breaks]
    assert (
        'orders-api (producer, php, team-orders) sends {"total": {"minor": 0}} before, {"total": {"minor": ""}} after'
        in said
    )
    assert 'ship (producer, go, team-ship) sends {"price": {"minor": 0}} before, {"price": {"minor": ""}} after' in said


READS = {"_services/crm.yaml": f"owner: t\nlang: go\nconsumes: [{{urn: '{CREATED}', reads: [id]}}]\n"}
SAYS_NOTHING = {"_services/etl.yaml": f"owner: t\nlang: go\nconsumes: [{{urn: '{CREATED}'}}]\n"}
IN_TURN = {
    "_services/crm.yaml": f"owner: t\nlang: go\nconsumes: [{{urn: '{CREATED}', reads: [id]}}, {{urn: '{PAID}'}}]\n"
}


@pytest.mark.parametrize(
    "services, lines",
    [
        pytest.param(READS, ["no declared consumer: crm reads other fields"], id="nobody reads it"),
        pytest.param(
            READS | SAYS_NOTHING,
            ["etl (consumer, go, t) relies on it", "nobody else: crm reads other fields"],
            id="one may read it",
        ),
        pytest.param(IN_TURN, ["crm (consumer, go, t) relies on it"], id="it may read it of another message"),
    ],
)
def test_who_reads_other_fields_is_not_broken(services: dict[str, str], lines: list[str]) -> None:
    (found,) = breaks(MONEY, MONEY.replace("  currency: {type: string}\n", ""), **services)
    assert list(found.breaks[2:]) == lines


def test_what_only_informs_comes_last() -> None:
    old = MONEY.replace("minimum: 0", "description: Cents.")
    new = old.replace("Cents.", "Minor units.").replace("  currency: {type: string}\n", "")
    assert [finding.rule for finding in breaks(old, new)] == ["property-removed", "description-changed"]


@pytest.mark.parametrize(
    "new, message",
    [
        pytest.param(MONEY + "required: [minor]\n", "property 'minor' became required", id="a required name"),
        pytest.param(
            MONEY.replace("  currency: {type: string}\n", ""), "property 'currency' was removed", id="a property gone"
        ),
        pytest.param(
            MONEY.replace("currency:", "currency_code:"),
            "property 'currency' was renamed to 'currency_code'",
            id="a property renamed",
        ),
        pytest.param(
            MONEY.replace("type: object", "type: array", 1),
            "the type of '_common/money.yaml' changed from object to array",
            id="the fragment itself",
        ),
    ],
)
def test_a_change_is_told_in_the_words_of_the_fragment(new: str, message: str) -> None:
    found = breaks(MONEY, new)
    assert message in [f.message for f in found]
    assert all(f.urn is None and len(f.messages) >= 2 for f in found if f.message == message)


def test_hundreds_of_messages_are_not_a_wall_of_text() -> None:
    (found,) = breaks(MONEY, MONEY.replace("minimum: 0", "minimum: 5"), messages=40)
    assert len(found.messages) == 40
    assert len(found.breaks) == 12 + 1 + 2
    assert found.breaks[12] == "and 28 more; `--format json` lists all of them"


def test_findings_of_a_message_about_other_places_stay_apart() -> None:
    new = MONEY.replace("minimum: 0", "minimum: 5").replace("{type: string}", "{type: string, minLength: 1}")
    assert [f.rule for f in breaks(MONEY, new)] == ["number-range-changed", "text-length-changed"]


def test_a_description_is_one_info_for_all_messages() -> None:
    old, new = (MONEY.replace("minimum: 0", f"description: {words}") for words in ("Cents.", "Minor units."))
    (found,) = breaks(old, new)
    assert found.message == 'the description of \'minor\' changed from "Cents." to "Minor units."'
    assert [use.field for use in found.messages] == ["total.minor", "price.minor"]


def test_a_fragment_that_is_not_published_yet_is_no_way_out() -> None:
    message = f"urn: {CREATED}\nkind: event\ndata: {{type: object, properties: {{total: {{$ref: ../_common/FILE}}}}}}\n"
    old = registry(MONEY, **{"orders/created.yaml": message.replace("FILE", "money.yaml")})
    new = registry(
        MONEY,
        **{
            "orders/created.yaml": message.replace("FILE", "money.v2.yaml"),
            "_common/money.v2.yaml": MONEY.replace("minimum: 0", "minimum: 5"),
        },
    )
    (found,) = check(old, new)
    assert found.fix == f"keep minimum 0, or run `babelreg mint {CREATED}`"


def test_other_properties_are_told_in_the_words_of_the_fragment_too() -> None:
    rates = MONEY + "  rates: {type: object, additionalProperties: {type: integer}}\n"
    (found,) = breaks(
        rates,
        rates.replace("additionalProperties: {type: integer}", "additionalProperties: {type: integer, minimum: 5}"),
    )
    assert found.message == "minimum 5 was added to other properties of 'rates'"


def test_the_same_change_in_two_message_files_stays_two_findings() -> None:
    inline = "urn: {}\nkind: event\ndata: {{type: object, properties: {{x: {{type: integer{}}}}}}}\n"
    old, new = (
        registry(MONEY, **{f"orders/{n}.yaml": inline.format(f"urn:babel:orders:{n}", more) for n in ("a", "b")})
        for more in ("", ", minimum: 1")
    )
    assert [(f.urn, f.messages) for f in check(old, new)] == [("urn:babel:orders:a", ()), ("urn:babel:orders:b", ())]


def test_a_contract_rule_has_no_witness_in_a_fragment_either() -> None:
    (found,) = breaks(MONEY, MONEY.replace("  currency: {type: string}\n", ""))
    assert (found.witness, found.direction) == (NOTHING, None)
    assert found.rollout == Rollout("consumers", ("crm",), ("orders-api",))


TEXT = {"type": "string"}
NAMES = "abcdefgh"


@pytest.mark.parametrize(
    "old, new, message",
    [
        pytest.param(
            {"type": "object", "additionalProperties": True, "properties": {"z": TEXT}},
            {"type": "object", "additionalProperties": True, "properties": {"z": TEXT, "a": TEXT, "b": TEXT}},
            "properties 'x.a' and 'x.b' are declared now, but could be sent with any value before",
            id="an object gains properties",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": TEXT, "b": TEXT}, "required": ["a", "b"]},
            {"type": "object", "properties": {"a": TEXT, "b": TEXT}},
            "properties 'x.a' and 'x.b' are no longer required",
            id="properties become optional",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": TEXT, "b": TEXT}},
            {"type": "object", "properties": {"a": TEXT, "b": TEXT}, "required": ["a", "b"]},
            "properties 'x.a' and 'x.b' became required",
            id="properties become required",
        ),
    ],
)
def test_properties_of_one_object_are_one_finding(old: Any, new: Any, message: str, data_breaks: Any) -> None:
    (found,) = data_breaks(old, new)
    assert found.message == message
    assert found.as_json()["properties"] == ["x.a", "x.b"]
    assert [part.properties.names for part in found.parts] == [("x.a",), ("x.b",)]
    assert "them" in found.fix


def test_properties_that_are_new_and_required_are_one_finding(data_breaks: Any) -> None:
    old = {"type": "object", "additionalProperties": True, "properties": {"z": TEXT}}
    new = {**old, "properties": dict.fromkeys("zabc", TEXT), "required": ["a", "b"]}
    (found,) = data_breaks(old, new)
    assert found.rule == "property-declared"
    assert found.message.endswith("with any value before; 'x.a' and 'x.b' are required")
    assert sorted(part.rule for part in found.parts) == ["property-declared"] * 3 + ["property-required"] * 2


def test_an_old_property_that_becomes_required_is_a_finding_of_its_own(data_breaks: Any) -> None:
    old = {"type": "object", "additionalProperties": True, "properties": {"z": TEXT}}
    new = {**old, "properties": {"z": TEXT, "a": TEXT}, "required": ["z"]}
    assert [finding.rule for finding in data_breaks(old, new)] == ["property-declared", "property-required"]


def test_properties_of_two_objects_are_two_findings(data_breaks: Any) -> None:
    old, new = (
        {"type": "object", "properties": {"p": {"type": "object", **more}, "q": {"type": "object", **more}}}
        for more in ({}, {"properties": {"a": TEXT, "b": TEXT}})
    )
    found = data_breaks(old, new)
    assert [finding.as_json()["properties"] for finding in found] == [["x.p.a", "x.p.b"], ["x.q.a", "x.q.b"]]


def test_a_long_list_of_properties_is_abbreviated_in_the_text_alone(data_breaks: Any) -> None:
    new = {"type": "object", "properties": {f"p{number:02}": TEXT for number in range(20)}}
    (found,) = data_breaks({"type": "object"}, new)
    assert "'x.p07' and 12 more are declared now" in found.message
    assert len(found.as_json()["properties"]) == 20


def test_the_column_of_an_object_that_gains_properties_is_told_once(data_breaks: Any) -> None:
    (found,) = data_breaks({"type": "object"}, {"type": "object", "properties": dict.fromkeys(NAMES, TEXT)})
    assert [line for line in found.breaks if "Spark" in line] == ["its Spark column changes from STRING to STRUCT"]


def test_properties_of_a_fragment_are_listed_once_for_all_messages() -> None:
    (found,) = breaks(MONEY, f"required: [minor, currency]\n{MONEY}")
    assert found.message == "properties 'minor' and 'currency' became required"
    assert {use.urn for use in found.messages} == {CREATED, PAID}
    assert found.as_json()["properties"] == ["minor", "currency"]


def test_properties_that_become_required_in_two_ways_are_one_finding(data_breaks: Any) -> None:
    old = {"type": "object", "properties": {"a": TEXT}, "required": []}
    new = {"type": "object", "properties": {"a": TEXT, "b": TEXT}, "required": ["b", "a"]}
    found = [finding for finding in data_breaks(old, new) if finding.rule == "property-required"]
    assert [finding.message for finding in found] == [
        "required property 'x.b' was added; property 'x.a' became required"
    ]
    assert found[0].as_json()["properties"] == ["x.b", "x.a"]
    assert found[0].fix.startswith("make them optional")


def test_renamed_properties_of_one_object_are_one_finding(data_breaks: Any) -> None:
    old = {"type": "object", "properties": {"order_number": {"type": "integer"}, "order_state": {"type": "boolean"}}}
    new = {"type": "object", "properties": {"number": {"type": "integer"}, "state": {"type": "boolean"}}}
    (found,) = data_breaks(old, new)
    assert found.message == ("properties 'x.order_number' and 'x.order_state' were renamed to 'x.number' and 'x.state'")
    assert [part.message for part in found.parts] == [
        "property 'x.order_number' was renamed to 'x.number'",
        "property 'x.order_state' was renamed to 'x.state'",
    ]
    assert found.fix.startswith("keep the published names next to the new ones, or run")


def test_the_items_of_data_that_are_no_array_any_more_are_no_finding_of_their_own() -> None:
    message = f"urn: {CREATED}\nkind: event\ndata: {{type: array, items: {{properties: {{a: {{}}, b: {{}}}}}}}}\n"
    old = registry(MONEY, **{"orders/created.yaml": message})
    new = registry(MONEY, **{"orders/created.yaml": f"urn: {CREATED}\nkind: event\ndata: {{type: object}}\n"})
    (found,) = [finding for finding in check(old, new) if finding.rule != "spark-type-changed"]
    assert (found.rule, found.message) == ("type-changed", "the type of the data changed from array to object")
