from __future__ import annotations

from collections.abc import Callable

import pytest
from each import each
from hang import in_a_child

from babelreg.finding import Finding
from babelreg.lint.privacy.pii_values import (
    SAMPLE_CARDS,
    SAMPLE_IBANS,
    is_valid_iban,
    is_valid_luhn,
)
from babelreg.lint.rules import RULES
from babelreg.lint.scope import Scope
from babelreg.model import Registry

Lint = Callable[..., list[Finding]]
BLOCK = "urn: urn:babel:orders:created\nexamples:\n  - {%s}\n"

REAL = [
    pytest.param("email: j.lindqvist@gmail.com", "e-mail address, j***@gmail.com", id="an address at a mail provider"),
    pytest.param("email: J.Doe@outlook.com", "e-mail address, J***@outlook.com", id="somebody is called that"),
    pytest.param("note: 'Ada Lovelace <ada@lovelace.io>'", "e-mail address, a***@lovelace.io", id="with a name before"),
    pytest.param("email: a+orders@web.de", "e-mail address, a***@web.de", id="with a tag"),
    pytest.param("email: olga@mail.ru", "e-mail address, o***@mail.ru", id="a provider of that name"),
    pytest.param("x: {y: [{z: ada.k@gmx.net}]}", "e-mail address, a***@gmx.net", id="deep inside"),
    pytest.param("iban: DE68210501700012345678", "bank account, DE68***78", id="an account"),
    pytest.param("x: DE68 2105 0170 0012 3456 78", "bank account, DE68***78", id="an account in groups of four"),
    pytest.param("card_number: '4539 1488 0343 6467'", "card number, 4539***67", id="a card"),
    pytest.param("card: {number: '1', pan: 4539148803436467}", "card number, 4539***67", id="a card as a number"),
]
NOBODYS = [
    "email: ada@example.com",
    "email: ada@mail.example.org",
    "email: ada@shop.example",
    "email: ada@shop.test",
    "email: root@localhost",
    "email: ada@my-example.com",
    "email: ada@acme.com",
    "email: ada@myclient.com",
    "email: john.doe@gmail.com",
    "email: noreply@github.com",
    "email: no-reply@shop.io",
    "email: support+42@shop.io",
    "email: 21031067+octocat@users.noreply.github.com",
    "email: test@gmail.com",
    "email: user@gmail.com",
    "icon: icon@2x.png",
    "clone: git@github.com:acme/shop.git",
    "clone: https://ada@git.shop.io/shop.git",
    "package: '@acme/shop@1.2.0'",
    "handle: '@ada'",
    "text: write to j.lindqvist@gmail.com when you can",
    "iban: DE89370400440532013000",
    "iban: GB29 NWBK 6016 1331 9268 19",
    "iban: DE00000000000000000000",
    "iban: DE68210501700012345679",
    "sku: DE68210501700012345",
    "id: AB12CD34EF56GH78",
    "order_number: 4539148803436467",
    "tracking: '4539148803436467'",
    "card_number: '4242 4242 4242 4242'",
    "card_number: '4111111111111111'",
    "card_number: '4539148803436468'",
    "card_number: '1111111111111117'",
    "card_last4: '6467'",
    "at: 1732094400000",
    f"card_number: {10**300}",
    "empty: ''",
]


@pytest.mark.parametrize("example, shown", REAL)
def test_what_looks_real_is_reported_without_giving_it_away(example: str, shown: str, findings: Lint) -> None:
    (found,) = findings(BLOCK % example, "example-personal-data")
    assert found.message == f"the example has what looks like a real {shown}"
    assert found.place.line == 3


@pytest.mark.parametrize("example", NOBODYS)
def test_what_is_nobodys_is_not(example: str, findings: Lint) -> None:
    assert findings(BLOCK % example, "example-personal-data") == []


@each("iban", sorted(SAMPLE_IBANS))
def test_a_sample_would_be_reported_otherwise(iban: str) -> None:
    assert is_valid_iban(iban)


@pytest.mark.parametrize("card", sorted(SAMPLE_CARDS))
def test_a_test_card_would_be_reported_otherwise(card: str) -> None:
    assert is_valid_luhn(card)


@pytest.mark.parametrize(
    "block, found",
    [
        pytest.param(
            "urn: urn:babel:orders:created\ncounterexamples: [{because: b, data: {email: a.b@gmail.com}}]\n",
            ["/counterexamples/0/data/email"],
            id="a counterexample",
        ),
        pytest.param(
            "urn: urn:babel:orders:created\ndata:\n  type: object\n  properties:\n"
            "    mail: {type: string, examples: [ada@example.com, a.b@gmail.com], default: c.d@gmail.com}\n",
            ["/data/properties/mail/default", "/data/properties/mail/examples/1"],
            id="values that the schema shows",
        ),
        pytest.param(
            "urn: urn:babel:orders:created\ndata:\n  type: object\n  properties:\n"
            "    card_number: {type: string, examples: ['4539148803436467']}\n",
            ["/data/properties/card_number/examples/0"],
            id="a card that the schema shows",
        ),
        pytest.param(
            "urn: urn:babel:orders:created\nexamples: {file: created.jsonl}\n"
            '# file: orders/created.jsonl\n{}\n{"email": "a.b@gmail.com"}\n',
            ["/1/email"],
            id="a file of examples",
        ),
    ],
)
def test_wherever_it_is_shown(block: str, found: list[str], findings: Lint) -> None:
    assert sorted(f.pointer or "" for f in findings(block, "example-personal-data")) == found


def test_a_document_full_of_them_is_reported_five_times(findings: Lint) -> None:
    people = ", ".join(f"p{number}.q@gmail.com" for number in range(100))
    assert len(findings(BLOCK % f"people: [{people}]", "example-personal-data")) == 5


def test_long_texts_are_not_searched_again_from_every_character(registry: Callable[[str], Registry]) -> None:
    texts = ", ".join(f"'{text * 20000}'" for text in ("a@", "a.", "A1 ", "DE68 ", "9 ", "<", "a@a.a"))
    scope = Scope(registry(BLOCK % f"card: [{texts}]"))

    def check() -> None:
        assert list(RULES["example-personal-data"].check(scope)) == []

    in_a_child(check, cpu_seconds=5)
