from __future__ import annotations

from collections.abc import Callable

import pytest
from each import each
from steps import growth

from babelreg.finding import Finding
from babelreg.lint.rules import RULES
from babelreg.lint.scope import Scope
from babelreg.model import Registry

InData = Callable[..., list[str]]
Lint = Callable[..., list[Finding]]

PERSONAL = [
    "email: {type: string}",
    "email: {type: string, format: email}",
    "email: {type: [string, 'null'], maxLength: 255}",
    "contact: {type: string, format: email}",
    "eMail: {type: string}",
    "billing_email: {type: string}",
    "customerEmailAddress: {type: string}",
    "cc_emails: {type: array, items: {type: string}}",
    "email2: {type: string}",
    "phone: {type: string}",
    "phone_number: {type: integer}",
    "mobilePhone: {type: string}",
    "msisdn: {type: string, pattern: '^[0-9]{8,15}$'}",
    "first_name: {type: string}",
    "lastName: {type: string}",
    "surname: {type: string}",
    "familyName: {type: string}",
    "customer_family_name: {type: string}",
    "recipient_name: {type: string}",
    "cardholder_name: {type: string}",
    "birth_date: {type: string, format: date}",
    "date_of_birth: {type: string}",
    "dob: {type: integer}",
    "ssn: {type: string}",
    "passport_number: {type: string}",
    "national_id: {type: string}",
    "iban: {type: string}",
    "payer_iban: {type: string}",
    "credit_card_number: {type: string}",
    "client_ip: {type: string, format: ipv4}",
    "remote_addr: {type: string}",
    "shipping_address: {type: string}",
    "ethnicity: {type: string}",
    "userId: {type: string}",
    "user_id: {type: integer, minimum: 1}",
    "user_id: {type: string, format: uuid}",
    "assigneeUserId: {type: [string, 'null']}",
    "userid: {type: string}",
    "user_ids: {type: array, items: {type: integer}}",
]
NOT = [
    "email_sent_count: {type: integer}",
    "phone_verified: {type: boolean}",
    "email_verified: {type: string}",
    "email_template_id: {type: integer}",
    "ip_version: {type: integer}",
    "email: {type: boolean}",
    "email: {type: object, properties: {subject: {type: string}}}",
    "email: {type: string, format: uuid}",
    "email_status: {type: string}",
    "email_subject: {type: string}",
    "emails_sent: {type: integer}",
    "email_domain: {type: string}",
    "email_hash: {type: string}",
    "hashed_email: {type: string}",
    "email: {type: string, pattern: '^[a-f0-9]{64}$'}",
    "email: {type: string, description: SHA-256 of the address in lower case.}",
    "support_email: {type: string, format: email}",
    "company_phone: {type: string}",
    "contact_email: {type: string, description: The address of our support desk.}",
    "has_email: {type: string}",
    "phone_model: {type: string}",
    "phone: {type: string, enum: [mobile, landline]}",
    "email: {const: email}",
    "name: {type: string}",
    "full_name: {type: string}",
    "product_name: {type: string}",
    "display_name: {type: string}",
    "font_family_name: {type: string}",
    "PackageFamilyName: {type: string}",
    "street: {type: string}",
    "address: {type: string}",
    "ip: {type: string}",
    "ip_address: {type: string, format: ipv4}",
    "server_ip: {type: string}",
    "subnet_ip_address: {type: string}",
    "mac_address: {type: string}",
    "shipping_address: {type: object, properties: {city: {type: string}}}",
    "card_type: {type: string}",
    "gift_card_number: {type: string}",
    "merchant_iban: {type: string}",
    "account_number: {type: string}",
    "birth_rate: {type: number}",
    "channel: {type: string, enum: [email, phone]}",
    "email: {type: string, not: {format: email}, x-gdpr-sensitive: false}",
    "avatar: {type: string, format: uri}",
    "email: true",
    "email: {}",
    "bot_user_id: {type: string}",
    "hashed_user_id: {type: string}",
    "user_id_count: {type: integer}",
    "user_id: {type: string, pattern: '^[a-f0-9]{64}$'}",
    "user_id: {type: string, format: uri}",
    "user_id: {type: string, description: A pseudonym for this message alone.}",
    "customer_id: {type: string}",
    "user_agent: {type: string}",
    "is_user_id: {type: string}",
]


@pytest.mark.parametrize("field", PERSONAL)
def test_what_means_a_person_is_reported(field: str, in_data: InData) -> None:
    assert in_data("personal-data-unmarked", field) == [field.partition(":")[0]]


@each("field", NOT)
def test_what_does_not_is_not(field: str, in_data: InData) -> None:
    assert in_data("personal-data-unmarked", field) == []


@pytest.mark.parametrize(
    "properties, urn, found",
    [
        pytest.param(
            "street: {type: string}\nlast_name: {type: string, x-gdpr-sensitive: name}", "", ["street"], id="a"
        ),
        pytest.param("customer: {type: object, properties: {street: {type: string}}}", "", ["customer.street"], id="b"),
        pytest.param("shop: {type: object, properties: {street: {type: string}}}", "", [], id="the street of a shop"),
        pytest.param("street: {type: string}", "urn:babel:customers:moved", ["street"], id="the street of customers"),
        pytest.param("ip: {type: string}\nuser_id: {type: integer}", "", ["ip", "user_id"], id="the address of a user"),
        pytest.param("street: {type: string}\nuser_id: {type: integer}", "", ["user_id"], id="an id says nothing more"),
        pytest.param("ip: {type: string}\nnode_id: {type: integer}", "", [], id="the address of a machine"),
        pytest.param("full_name: {type: string}\nstars: {type: integer}", "", [], id="the full name of a repository"),
        pytest.param(
            "full_name: {type: string}\nbirthday: {type: string, x-gdpr-sensitive: true}", "", ["full_name"], id="f"
        ),
    ],
)
def test_some_names_mean_a_person_among_persons(properties: str, urn: str, found: list[str], in_data: InData) -> None:
    assert in_data("personal-data-unmarked", properties, urn=urn or "urn:babel:orders:created") == found


@pytest.mark.parametrize(
    "field",
    [
        pytest.param("email: {type: string, x-gdpr-sensitive: email}", id="a category"),
        pytest.param("email: {type: string, x-gdpr-sensitive: true}", id="true"),
        pytest.param("email: {type: string, x-gdpr-sensitive: false}", id="said to be none"),
        pytest.param(
            "who: {type: object, x-gdpr-sensitive: person, properties: {email: {type: string}}}", id="its object"
        ),
        pytest.param(
            "who: {type: array, x-gdpr-sensitive: person, items: {properties: {email: {type: string}}}}", id="its list"
        ),
        pytest.param("email: {x-gdpr-sensitive: email, anyOf: [{type: string}, {type: 'null'}]}", id="around a choice"),
        pytest.param("email: {type: string, allOf: [{x-gdpr-sensitive: email}]}", id="in a part of allOf"),
        pytest.param("email: {$ref: ../_common/email.yaml}", id="what it refers to"),
    ],
)
def test_a_mark_on_it_or_around_it_will_do(field: str, in_data: InData) -> None:
    more = "# file: _common/email.yaml\ntype: string\nformat: email\nx-gdpr-sensitive: email\n"
    assert in_data("personal-data-unmarked", field, more=more) == []


def test_a_property_named_like_the_mark_is_no_mark(in_data: InData) -> None:
    field = "who: {type: object, properties: {x-gdpr-sensitive: {type: string}, email: {type: string}}}"
    assert in_data("personal-data-unmarked", field) == ["who.email"]


def test_a_choice_is_reported_once(in_data: InData) -> None:
    field = "email: {anyOf: [{type: string, maxLength: 9}, {type: string, format: email}, {type: 'null'}]}"
    assert in_data("personal-data-unmarked", field) == ["email.anyOf.0"]


PERSON = "# file: _common/person.yaml\ntype: object\nproperties: {email: {type: string}}\n"
DEFS = "  $defs: {person: {type: object, properties: {email: {type: string}}}}\n"


@pytest.mark.parametrize(
    "properties, more, found",
    [
        pytest.param("a: {$ref: ../_common/person.yaml}", PERSON, 1, id="a fragment without a mark"),
        pytest.param("a: {$ref: ../_common/person.yaml, x-gdpr-sensitive: person}", PERSON, 0, id="marked where used"),
        pytest.param(
            "a: {$ref: ../_common/person.yaml, x-gdpr-sensitive: person}\nb: {$ref: ../_common/person.yaml}",
            PERSON,
            1,
            id="marked at one of two",
        ),
        pytest.param(
            "a: {$ref: ../_common/team.yaml, x-gdpr-sensitive: person}",
            PERSON + "# file: _common/team.yaml\ntype: array\nitems: {$ref: person.yaml}\n",
            0,
            id="marked at a remove",
        ),
        pytest.param("a: {$ref: '#/$defs/person'}", DEFS, 1, id="a definition without a mark"),
        pytest.param(
            "a: {$ref: '#/$defs/person', x-gdpr-sensitive: true}", DEFS, 0, id="a definition marked where used"
        ),
        pytest.param("a: {type: string}", PERSON, 1, id="a fragment that nobody uses"),
        pytest.param(
            "a: {$ref: '#/$defs/node', x-gdpr-sensitive: true}",
            "  $defs: {node: {type: object, properties: {email: {type: string}, next: {$ref: '#/$defs/node'}}}}\n",
            0,
            id="one that refers to itself",
        ),
        pytest.param(
            "a: {$ref: '#/$defs/node'}\nemail: {type: string}",
            "  $defs: {node: {type: object, properties: {up: {$ref: '#', x-gdpr-sensitive: true}}}}\n",
            1,
            id="the whole, which a part refers to",
        ),
        pytest.param(
            "a: {$ref: '#/$defs/list'}",
            "  $defs: {list: {type: array, items: {$ref: '#/$defs/one'}}, one: {properties: {email: {type: string}}}}\n",
            1,
            id="through another definition",
        ),
    ],
)
def test_a_shared_schema_is_covered_when_every_use_is(
    properties: str, more: str, found: int, in_data: InData, findings: Lint
) -> None:
    assert len(in_data("personal-data-unmarked", properties, more=more)) == found


def test_a_tombstone_has_no_data_to_mark(findings: Lint) -> None:
    block = "urn: urn:babel:orders:created\nstatus: retired\nretired_on: 2026-01-31\n"
    block += "data: {type: object, properties: {email: {type: string}}}\n"
    assert findings(block, "personal-data-unmarked") == []


def test_the_way_out_can_be_pasted(findings: Lint) -> None:
    block = "urn: urn:babel:orders:created\ndata:\n  type: object\n  properties:\n    email: {type: string}\n"
    (found,) = findings(block, "personal-data-unmarked")
    assert found.fix == "x-gdpr-sensitive: email, or false if it is not"
    assert str(found.place) == "orders/created.yaml:5:12"


def test_thousands_of_fields_side_by_side_take_linear_steps(registry: Callable[[str], Registry]) -> None:
    def check(count: int) -> None:
        fields = "".join(f"    ip{number}: {{type: string}}\n" for number in range(count))
        scope = Scope(registry(f"urn: urn:babel:orders:created\ndata:\n  type: object\n  properties:\n{fields}"))
        assert len(scope.fields) >= count
        assert list(RULES["personal-data-unmarked"].check(scope)) == []

    assert growth(check, 100, 1000) < 1.5
