"""Some names are personal data beside a person alone, and are a hint there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding, Severity

InData = Callable[..., list[str]]
RULE = "personal-data-likely"
MARKED = ", x-gdpr-sensitive: true}"


@pytest.mark.parametrize(
    "name", ["zip", "zipCode", "postcode", "postal_code", "city", "town", "to", "cc", "notes", "note"]
)
@pytest.mark.parametrize(
    "beside",
    [
        pytest.param("last_name: {type: string", id="a name"),
        pytest.param("street: {type: string", id="a street"),
        pytest.param("email: {type: string", id="a mail address"),
        pytest.param("phoneNumber: {type: [string, 'null']", id="a phone number"),
        pytest.param("email: {$ref: ../_common/email.yaml", id="a shared schema"),
    ],
)
def test_it_is_reported_beside_a_person(name: str, beside: str, in_data: InData) -> None:
    more = "# file: _common/email.yaml\ntype: string\n"
    for end in ("}", MARKED):
        assert in_data(RULE, f"{beside}{end}\n{name}: {{type: string}}", more=more) == [name]


@pytest.mark.parametrize(
    "properties, urn, found",
    [
        ("customer: {type: object, properties: {name: {type: string}, city: {type: string}}}", "", ["customer.city"]),
        ("name: {type: string}\nzip: {type: string}", "urn:babel:customers:moved", ["zip"]),
        (
            "guests: {type: array, items: {properties: {name: {type: string}, notes: {type: string}}}}",
            "",
            ["guests.notes"],
        ),
        ("product: {type: object, properties: {name: {type: string}, city: {type: string}}}", "", []),
        (
            "store: {type: object, properties: {name: {type: string}, city: {type: string}}}",
            "urn:babel:customers:moved",
            [],
        ),
    ],
)
def test_a_name_counts_where_the_object_is_a_person(
    properties: str, urn: str, found: list[str], in_data: InData
) -> None:
    assert in_data(RULE, properties, urn=urn or "urn:babel:orders:created") == found


def test_it_is_an_info(findings: Callable[..., list[Finding]]) -> None:
    block = "urn: urn:babel:orders:created\ndata:\n  type: object\n  properties:\n"
    block += "    email: {type: string, x-gdpr-sensitive: email}\n    city: {type: string}\n"
    (found,) = findings(block, RULE)
    assert found.severity is Severity.INFO
    assert found.message == "'city' is next to 'email' and may be personal data (address), but is not marked"
    assert found.fix == "x-gdpr-sensitive: address, or false if it is not"


@pytest.mark.parametrize(
    "properties, urn",
    [
        pytest.param("city: {type: string}\nzip: {type: string}\nnotes: {type: string}", "", id="nobody beside it"),
        pytest.param("name: {type: string}\ncity: {type: string}", "", id="a name of anything"),
        pytest.param("from: {type: string}\nto: {type: string}", "", id="a way"),
        pytest.param("last_name: {type: string}\nfrom: {type: string}\nto: {type: string}", "", id="a passenger's way"),
        pytest.param("email: {type: string}\nto: {type: string, format: date}", "", id="the end of a time"),
        pytest.param("email: {type: string}\ncity: {type: string, x-gdpr-sensitive: address}", "", id="a mark"),
        pytest.param("email: {type: string}\ncity: {type: string, x-gdpr-sensitive: false}", "", id="said to be none"),
        pytest.param("email: {type: string, x-gdpr-sensitive: false}\ncity: {type: string}", "", id="a mail of nobody"),
        pytest.param("support_email: {type: string}\ncity: {type: string}", "", id="a mail of a company"),
        pytest.param("email: {type: boolean}\ncity: {type: string}", "", id="whether there is a mail"),
        pytest.param("email: {type: string}\ncity: {type: string, enum: [Oslo, Bergen]}", "", id="one of a few"),
        pytest.param("email: {type: string}\ncity: {type: object}", "", id="an object"),
        pytest.param("email: {type: string}\nzip: {type: string, format: binary}", "", id="a file"),
        pytest.param("email: {type: string}\nnotes_count: {type: integer}", "", id="how many"),
        pytest.param("email: {type: string}\ncity_id: {type: integer}", "", id="a number of a city"),
        pytest.param("street: {type: string}\ncity: {type: string}\nstore_id: {type: string}", "", id="a store"),
        pytest.param(
            "warehouse: {type: object, properties: {street: {type: string}, zip: {type: string}}}", "", id="a house"
        ),
        pytest.param(
            "customer: {type: object, properties: {name: {type: string}, city: {type: string}, branch: {type: string}}}",
            "",
            id="the branch of a customer",
        ),
        pytest.param("street: {type: string}\ncity: {type: string}", "urn:babel:venues:opened", id="a venue"),
        pytest.param(
            "who: {type: object, x-gdpr-sensitive: true, properties: {email: {type: string}, city: {type: string}}}",
            "",
            id="marked around it",
        ),
    ],
)
def test_nothing_else_is(properties: str, urn: str, in_data: InData) -> None:
    assert in_data(RULE, properties, urn=urn or "urn:babel:orders:created") == []


def test_a_mail_has_an_address_though_it_has_a_sender(in_data: InData) -> None:
    properties = "email: {type: string}\nfrom: {type: string}\nto: {type: string}\nsubject: {type: string}"
    assert in_data(RULE, properties) == ["to"]


def test_each_object_is_looked_at_once(monkeypatch: pytest.MonkeyPatch, in_data: InData) -> None:
    from babelreg.lint.rules.privacy import personal_data_likely

    counted: list[object] = []
    whole = personal_data_likely._person
    monkeypatch.setattr(personal_data_likely, "_person", lambda siblings: counted.append(1) or whole(siblings))
    properties = "email: {type: string}\n" + "".join(f"zip{'_' * n}: {{type: string}}\n" for n in range(300))
    assert len(in_data(RULE, properties)) == 300
    assert len(counted) == 1
