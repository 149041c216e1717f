from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]

PLACEHOLDERS = [
    "Say what weight is.",
    "Say what note is. Only null was seen: add its type.",
    "Say what happened, and when this is sent.",
    "Say what is to be done, and who asks for it.",
    "Something was created; say what, and when exactly this is sent.",
    "Number of the thing.",
    "TODO",
    "todo: describe this",
    "TBD",
    "...",
    "Lorem ipsum dolor sit amet",
    "Add a description here.",
    "<description of the field>",
]
DESCRIPTIONS = [
    "",
    "Gross weight in grams.",
    "Say what you want in 140 characters.",
    "Todos of the user, newest first.",
    "To be done by the courier before noon.",
    "Number of the order.",
    "An order was created ... and paid for.",
]


@pytest.mark.parametrize("description", PLACEHOLDERS)
def test_a_placeholder_is_reported_wherever_it_stands(description: str, findings: Lint) -> None:
    block = (
        f"urn: urn:babel:orders:created\ndescription: '{description}'\n"
        f"data:\n  type: object\n  properties:\n    weight: {{type: number, description: '{description}'}}\n"
    )
    places = [(finding.place.line, finding.message) for finding in findings(block, "placeholder-left")]
    assert places == [
        (2, f"the description is a placeholder: '{description}'"),
        (6, f"the description of 'weight' is a placeholder: '{description}'"),
    ]


@pytest.mark.parametrize("description", DESCRIPTIONS)
def test_a_description_is_no_placeholder(description: str, findings: Lint) -> None:
    block = (
        f"urn: urn:babel:orders:created\ndescription: '{description}'\n"
        f"data:\n  type: object\n  properties:\n    weight: {{type: number, description: '{description}'}}\n"
    )
    assert findings(block, "placeholder-left") == []


def test_a_context_and_a_service_can_have_one_too(findings: Lint) -> None:
    block = (
        "# file: orders/_context.yaml\nowner: team-orders\ndescription: Say what belongs to orders.\n"
        "# file: _services/orders-api.yaml\nowner: team-orders\ndescription: Say what orders-api does.\n"
    )
    assert {finding.place.path for finding in findings(block, "placeholder-left")} == {
        "orders/_context.yaml",
        "_services/orders-api.yaml",
    }
