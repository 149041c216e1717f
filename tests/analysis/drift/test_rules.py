"""Every rule of drift: its page, and what it reports of a registry and its traffic."""

from __future__ import annotations

from pathlib import Path

import pytest
from drifting import scope_in, scope_of

from babelreg.analysis.drift.findings import drift_findings
from babelreg.analysis.drift.rules import PAGES, RULES, SEVERITIES
from babelreg.finding import Severity
from babelreg.lint.manual.catalog import parse_page

URN = "urn:babel:orders:created"
SERVICES = {
    "_services/orders-api.yaml": "lang: php\n",
    "_services/billing-worker.yaml": f"consumes: [{{urn: '{URN}', reads: [a], expects: {{a: {{minLength: 1}}}}}}]\n",
}


def message(schema: str, more: str = "") -> dict[str, str]:
    return {
        "orders/created.yaml": f"urn: {URN}\nkind: event\nqueue: orders\nproducers: [orders-api]\n{more}data: {schema}\n"
    }


def sent(data, times: int = 150, **more):
    return {"urn": URN, "data": data, "times": times, **more}


def found(files, messages, before=None, **more) -> list[tuple[str, str]]:
    scope = scope_of({"_services/orders-api.yaml": "lang: php\n", **files}, messages, before, **more)
    assert not scope.registry.defects, scope.registry.defects
    return [(finding.rule, finding.message) for finding in drift_findings(scope)]


def test_the_table_names_every_module():
    folder = Path(__file__).parents[3] / "babelreg/analysis/drift/rules"
    modules = {path.stem.replace("_", "-") for path in folder.glob("*.py")} - {"--init--", "rule"}
    assert modules == set(RULES) == set(PAGES) == set(SEVERITIES)
    assert all(isinstance(severity, Severity) for severity in SEVERITIES.values())


@pytest.mark.parametrize("rule", RULES)
def test_the_page_of_a_rule_tells_the_truth(rule):
    page = parse_page(PAGES[rule])
    for block, expected in ((page.bad, True), (page.good, False)):
        scope = scope_in(block)
        assert not scope.registry.defects, scope.registry.defects
        findings = list(drift_findings(scope))
        assert (rule in {finding.rule for finding in findings}) is expected, block
        assert all(finding.fix for finding in findings)
    assert page.fix


@pytest.mark.parametrize(
    "schema, messages, expected",
    [
        pytest.param("{type: object, properties: {a: {type: string}}}", [sent({}, 99)], [], id="too few messages"),
        pytest.param("{type: object, properties: {a: {type: object, properties: {b: {type: string}}}}}", [sent({})], [("field-unseen", "'a' was never sent: 0 of 150")], id="what is below an absent field is not named"),
        pytest.param("{type: object, properties: {a: {type: object, properties: {b: {type: string}}}}}", [sent({}), sent({"a": {}}, 9)], [], id="too few objects"),
        pytest.param("{type: object, properties: {a: {type: array, items: {type: object, properties: {b: {type: string}}}}}}", [sent({"a": [{}]}), sent({})], [("field-unseen", "'a[].b' was never sent: 0 of 150")], id="items"),
        pytest.param("{type: object, properties: {a: {type: 'null'}}}", [sent({"a": None}), sent({})], [], id="null is a value"),
        pytest.param("{type: object, properties: {a: {type: object, additionalProperties: {type: integer}}}}", [sent({"a": {}}), sent({})], [], id="a map without entries"),
        pytest.param("{type: object, properties: {'4711': {type: integer}}}", [sent({})], [], id="a name that is data is not told apart"),
        pytest.param("{type: object, properties: {a: {enum: [x, y, 1, null]}}}", [sent({"a": "x"}), sent({})], [("enum-value-unseen", "'y' of 'a' was never sent: 0 of 150")], id="only texts are judged"),
        pytest.param("{type: object, properties: {a: {enum: [x, y], x-open-enum: true}}}", [sent({"a": f"k{n}"}, 6) for n in range(26)] + [sent({})], [], id="too many texts to tell"),
        pytest.param("{type: object, properties: {password: {enum: [x, y]}}}", [sent({"password": "x"}), sent({})], [], id="texts that are not kept"),
        pytest.param("{type: object, properties: {a: {type: string}}}", [sent({"a": "x"})], [("field-always-sent", "'a' is optional but always sent: 150 of 150")], id="optional and always there"),
        pytest.param("{type: object, anyOf: [{required: [a]}, {properties: {a: {type: string}}, required: [a]}]}", [sent({"a": "x"})], [], id="required by alternatives"),
        pytest.param("{type: object, properties: {a: {type: string}}}", [sent({"a": "x"}), sent({"a": "x", "bb": 1}), sent({})], [("property-undeclared", "'bb' is sent but not declared: 150 of 450")], id="a property that is not declared"),
        pytest.param("{type: object, properties: {a: {type: array, items: {type: object, properties: {b: {}}}}}}", [sent({"a": [{"b": 1}, {"c": 1}]}), sent({})], [("property-undeclared", "'a[].c' is sent but not declared: 150 of 300")], id="a property of items"),
        pytest.param("{type: object, properties: {a: {type: string}}, additionalProperties: true}", [sent({"a": "x"}), sent({"z": 1})], [], id="an open object"),
        pytest.param("{type: object, properties: {a: {type: string}}}", [sent({"a": "x"}), sent({"ada@example.com": 1})], [], id="a name that is personal data"),
    ],
)  # fmt: skip
def test_fields_and_members_are_compared_with_what_was_sent(schema, messages, expected):
    assert found(message(schema), messages) == expected


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param("{type: texts, properties: {a: {required: true}}}", id="wrong keywords"),
        pytest.param("{$schema: 'urn:unknown', properties: {a: {}}}", id="an unknown dialect"),
        pytest.param("{properties: {a: {pattern: '('}}}", id="no regular expression"),
        pytest.param("{$ref: '#/nowhere'}", id="a reference that leads nowhere"),
        pytest.param("false", id="false"),
        pytest.param("true", id="true"),
    ],
)
def test_an_unusable_schema_is_no_failure(schema):
    files = message(schema) | {
        "_services/billing-worker.yaml": EXPECTING.format(urn=URN, path="a", schema="{minLength: 1, pattern: '('}")
    }
    scope = scope_of(files, [sent({"a": "x", "b": {"a": 1}})])
    assert {finding.rule for finding in drift_findings(scope)} <= {"expectation-unproved", "producer-undeclared"}
    assert scope.messages[0].coverage().fields == {}


@pytest.mark.parametrize(
    "more, messages, expected",
    [
        pytest.param("", [sent({}, lang="go")], ["150 of 150 are sent by 'go'; declared: orders-api (php)"], id="another language"),
        pytest.param("", [sent({}, queue="other")], ["150 of 150 are sent to 'other'; declared: 'orders'"], id="another queue"),
        pytest.param("", [sent({}, queue="billing-worker")], [], id="the inbox of a consumer"),
        pytest.param("", [sent({}, queue="user-4711@example.com")], ["150 of 150 are sent to others, whose names may contain data; declared: 'orders'"], id="a queue whose name may hold data"),
    ],
)  # fmt: skip
def test_producers_are_compared_by_language_and_queue(more, messages, expected):
    files = message("{type: object}", more) | {"_services/billing-worker.yaml": f"consumes: [{{urn: '{URN}'}}]\n"}
    assert [text for rule, text in found(files, messages) if rule == "producer-undeclared"] == expected


def test_a_service_without_a_language_may_be_any():
    files = message("{type: object}") | {"_services/orders-api.yaml": "owner: team\n"}
    assert found(files, [sent({}, lang="go")]) == []


def test_a_name_that_may_hold_data_is_counted_and_not_printed():
    (unknown,) = found({}, [{"urn": "urn:babel:orders:user-ada@example.com", "data": {}, "times": 3}])
    assert unknown == ("urn-undeclared", "3 messages under 1 name that may contain data, which are not printed")


@pytest.mark.parametrize(
    "status, day, expected",
    [
        pytest.param("status: deprecated\nsunset: '2026-06-30'\n", "2026-06-30", [], id="on its last day"),
        pytest.param("status: deprecated\nsunset: '2026-06-30'\n", "2026-07-01", ["sunset-overrun"], id="after it"),
        pytest.param("status: deprecated\n", "2026-07-01", [], id="without a day"),
        pytest.param("status: draft\n", "2026-07-01", [], id="a draft"),
    ],
)
def test_a_deprecated_message_ends_with_its_sunset(status, day, expected):
    from datetime import date

    messages = [sent({}, 1, day=date.fromisoformat(day))]
    assert [rule for rule, _ in found(message("{type: object}", status), messages)] == expected


def test_what_was_sent_after_the_sunset_is_counted_apart():
    from datetime import date

    files = message("{type: object}", "status: deprecated\nsunset: '2026-06-30'\n")
    days = [(date(2026, 6, 29), 7), (date(2026, 6, 30), 2), (date(2026, 7, 1), 1), (date(2026, 7, 3), 2)]
    (said,) = [text for rule, text in found(files, [sent({}, times, day=day) for day, times in days])
               if rule == "sunset-overrun"]  # fmt: skip
    assert "until 2026-07-03: 3 of 12 messages after it, by 'php'" in said


def test_a_retired_message_that_is_still_sent_is_reported():
    from datetime import date

    files = {"orders/created.yaml": f"urn: {URN}\nkind: event\nstatus: retired\nretired_on: '2026-01-01'\n"}
    assert [rule for rule, _ in found(files, [sent({}, 1, day=date(2026, 2, 1))])] == ["sunset-overrun"]


EXPECTING = "consumes: [{{urn: '{urn}', expects: {{{path}: {schema}}}}}]\n"


@pytest.mark.parametrize(
    "path, schema, messages, expected",
    [
        pytest.param("a", "{enum: [x, y]}", [sent({"a": "x"}), sent({})], ("expectation-unproved", "satisfied by 150 of 150 in 7 days"), id="held"),
        pytest.param("a", "{enum: [x]}", [sent({"a": "x"}), sent({"a": "y"}, 2), sent({})], ("expectation-refuted", "failed for 2 of 152 in 7 days"), id="failed"),
        pytest.param("a", "{maxLength: 3}", [sent({"a": "ada@example.com"}), sent({})], ("expectation-unproved", "a sketch of the traffic cannot decide it"), id="undecided"),
        pytest.param(".", "{required: [a]}", [sent({"a": "x"}), sent({}, 2)], ("expectation-refuted", "failed for 2 of 152 in 7 days"), id="presence"),
    ],
)  # fmt: skip
def test_an_expectation_beyond_the_schema_rests_on_evidence(path, schema, messages, expected):
    files = message("{type: object, properties: {a: {type: string}}}") | {
        "_services/billing-worker.yaml": EXPECTING.format(urn=URN, path=path, schema=schema)
    }
    rule, text = expected
    assert [
        (name, said) for name, said in found(files, messages) if name.startswith("expectation") and said.endswith(text)
    ] == [(rule, next(said for name, said in found(files, messages) if name == rule))]


def test_an_undecided_expectation_names_the_command_that_judges_the_messages():
    files = message("{type: object, properties: {a: {type: array}}}") | {
        "_services/billing-worker.yaml": EXPECTING.format(urn=URN, path="a", schema="{minItems: 2}")
    }
    findings = list(drift_findings(scope_of(files, [sent({"a": [1]})])))
    (finding,) = [each for each in findings if each.rule == "expectation-unproved"]
    assert finding.fix == "`babelreg impact recordings` checks the messages themselves"
