"""What consumers expect: errors that name them, removals that are listed, and laws."""

from __future__ import annotations

import json

import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st
from message_versions import of_texts, registry

from babelreg.breaking.check.run import check
from babelreg.finding import Severity

OPEN = "data: {{type: object, properties: {{currency: {{enum: {}, x-open-enum: true}}, note: {}}}}}\n"
BEFORE = OPEN.format("[EUR, USD]", "{type: string}")
MORE = OPEN.format("[EUR, USD, GBP]", "{type: string}")
OTHER = OPEN.format("[EUR, USD]", "{type: string, description: A remark.}")


def service(name: str, *expects: str, owner: str = "team-billing") -> dict[str, str]:
    uses = "".join(f"      {line}\n" for line in expects)
    body = f"owner: {owner}\nlang: go\nconsumes:\n  - urn: urn:babel:orders:created\n"
    return {f"_services/{name}.yaml": body + (f"    expects:\n{uses}" if uses else "")}


BILLING = service("billing-worker", "currency: {enum: [EUR, USD]}")


def rules(findings):
    return [(each.rule, each.severity) for each in findings]


def test_the_consumer_and_its_owner_are_named_where_the_shared_rules_are_content() -> None:
    (found,) = of_texts(BEFORE, MORE, **BILLING)
    assert rules([found]) == [("expectation-broken", Severity.ERROR)]
    assert found.message == (
        '\'billing-worker\' (team-billing) expects {"enum": ["EUR", "USD"]} of \'currency\', and it may be "GBP" now'
    )
    assert found.witness == {"currency": "GBP"}
    assert found.instance == ("currency",)
    assert found.breaks[0] == 'billing-worker (consumer, go, team-billing) does not expect {"currency": "GBP"}'
    assert found.rollout is not None
    assert found.rollout.first == ("billing-worker",)
    assert str(found.place).startswith("orders/created.yaml:")
    assert of_texts(BEFORE, MORE) == []


@pytest.mark.parametrize(
    "before, after, files, expected",
    [
        pytest.param(BEFORE, OTHER, BILLING, [], id="a change that keeps them"),
        pytest.param(MORE, MORE.replace("GBP", "CHF"), BILLING, [], id="one that did not hold before"),
        pytest.param(
            BEFORE,
            MORE,
            service("billing-worker", "currency: {enum: [EUR, USD, GBP]}"),
            [],
            id="one that allows the new value",
        ),
        pytest.param(BEFORE, MORE, service("billing-worker", "note: {type: string}"), [], id="one about another field"),
        pytest.param(
            BEFORE, "status: draft\n" + MORE, BILLING, ["status-backward"], id="a message that is a draft now"
        ),
    ],
)
def test_what_is_no_break_of_an_expectation(before, after, files, expected) -> None:
    assert [each.rule for each in of_texts(before, after, **files)] == expected


@pytest.mark.parametrize(
    "now, ends",
    [
        pytest.param(service("billing-worker"), "this change would break it", id="deleted"),
        pytest.param(
            service("billing-worker", "currency: {enum: [EUR, USD, GBP]}"), "this change would break it", id="widened"
        ),
        pytest.param(
            {"_services/billing-worker.yaml": "owner: team-billing\n"}, "would break it", id="not read any more"
        ),
    ],
)
def test_a_producer_cannot_pass_by_deleting_the_line(now, ends) -> None:
    before = {f"{path} before": text for path, text in BILLING.items()}
    (found,) = of_texts(BEFORE, MORE, **now, **before)
    assert rules([found]) == [("expectation-removed", Severity.INFO)]
    assert found.message.endswith(ends)
    assert found.message.startswith("'billing-worker' (team-billing) no longer expects")


def test_an_expectation_that_is_removed_and_would_hold_is_listed_so() -> None:
    before = {f"{path} before": text for path, text in BILLING.items()}
    (found,) = of_texts(BEFORE, OTHER, **service("billing-worker"), **before)
    assert found.message.endswith(": it is still satisfied")


def test_a_removed_expectation_that_did_not_hold_before_is_not_blamed_on_the_change() -> None:
    before = {f"{path} before": text for path, text in BILLING.items()}
    (found,) = of_texts(MORE, MORE.replace("GBP", "CHF"), **service("billing-worker"), **before)
    assert found.message.endswith(": it was not satisfied before either")


def test_a_removed_expectation_that_cannot_be_decided_says_so() -> None:
    text = "data: {{type: object, properties: {{note: {{type: string, pattern: '{}'}}}}}}\n"
    before = service("billing-worker", "note: {pattern: '^(?=a)'}")
    found = of_texts(
        text.format("^(?=a)"),
        text.format("^(?=ab)"),
        **service("billing-worker"),
        **{f"{path} before": body for path, body in before.items()},
    )
    (about,) = [each.message for each in found if each.rule == "expectation-removed"]
    assert about.endswith(": whether this change would break it cannot be decided")


def test_a_waiver_accepts_it() -> None:
    (found,) = of_texts(BEFORE, MORE, **BILLING)
    waiver = {
        "urn": "urn:babel:orders:created",
        "rule": found.rule,
        "change": found.change,
        "reason": "billing is deployed first",
        "expires": "2026-12-01",
    }
    settings = "version: 1\nbreaking: " + json.dumps({"waivers": [waiver]})
    assert of_texts(BEFORE, MORE, **BILLING, **{"babelreg.yaml": settings}) == []


def test_what_can_no_longer_be_decided_is_an_error() -> None:
    expects = service("billing-worker", "note: {pattern: '^(?=a)'}")
    text = "data: {{type: object, properties: {{note: {{type: string, pattern: '{}'}}}}}}\n"
    found = of_texts(text.format("^(?=a)"), text.format("^(?=ab)"), **expects)
    (about,) = [each.message for each in found if each.rule == "expectation-broken"]
    assert about.endswith("and whether producers satisfy that can no longer be decided")


VALUES = st.sampled_from(["EUR", "USD", "GBP", "CHF"])
SETS = st.sets(VALUES, min_size=1).map(lambda values: json.dumps(sorted(values)))


@settings(max_examples=fewer(40))
@given(SETS, SETS, st.lists(SETS, max_size=3))
def test_expectations_of_one_service_never_change_what_is_said_of_another(before, after, others) -> None:
    def broken(files):
        new, old = (registry(OPEN.format(values, "{}"), **files) for values in (after, before))
        return [
            each for each in check(old, new) if each.rule == "expectation-broken" and "'billing-worker'" in each.message
        ]

    more = {}
    for number, values in enumerate(others):
        more |= service(f"other-{number}", f"currency: {{enum: {values}}}")
    assert broken(BILLING) == broken({**BILLING, **more})


@settings(max_examples=fewer(50))
@given(SETS, SETS, SETS)
def test_adding_one_never_makes_a_change_fail(before, after, expected) -> None:
    old = registry(OPEN.format(before, "{}"))
    plain = check(old, registry(OPEN.format(after, "{}")))
    files = service("billing-worker", f"currency: {{enum: {expected}}}")
    assert rules(check(old, registry(OPEN.format(after, "{}"), **files))) == rules(plain)
