from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


def owners(context: str, service: str, message: str | None = None) -> str:
    own = f"owner: {message}\n" if message else ""
    return (
        f"# file: orders/_context.yaml\nowner: {context}\n# file: _services/crm.yaml\nowner: {service}\n"
        f"# file: orders/created.yaml\nurn: urn:babel:orders:created\n{own}"
    )


@pytest.mark.parametrize(
    "block, found",
    [
        pytest.param(owners("team-a-b", "Team-A-B"), ["_services/crm.yaml"], id="capitals"),
        pytest.param(owners("team-a-b", "team a_b"), ["orders/_context.yaml"], id="of two alike one is right"),
        pytest.param(owners("crms", "crm"), ["orders/_context.yaml"], id="a plural"),
        pytest.param(owners("Crew", "crew", "crew"), ["orders/_context.yaml"], id="what is used most is right"),
        pytest.param(owners("crew", "crew", "CREW"), ["orders/created.yaml"], id="in a message"),
        pytest.param(owners("team-a", "team-b"), [], id="two teams"),
        pytest.param(owners("crew-order", "crew-ordering"), [], id="two words"),
        pytest.param(owners("crew", "crew"), [], id="one spelling"),
        pytest.param(owners("crew", "crew", "crew"), [], id="said twice"),
    ],
)
def test_owner_lookalike(block: str, found: list[str], findings: Lint) -> None:
    assert [f.place.path for f in findings(block, "owner-lookalike")] == found


def test_it_offers_the_other_spelling_and_says_where_it_is(findings: Lint) -> None:
    (found,) = findings(owners("crew", "Crew"), "owner-lookalike")
    (context,) = findings(owners("crew", "crew", "Crew"), "owner-lookalike")
    assert found.fix == context.fix == "owner: crew"
    assert found.against is not None
    assert found.against.path == "orders/_context.yaml"
