from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]

BLOCK = """\
# file: web/clicked.yaml
urn: urn:babel:web:clicked
{clicked}
# file: web/viewed.yaml
urn: urn:babel:web:viewed
{viewed}
"""
RETIRED = "status: retired\nretired_on: '2026-01-31'"


@pytest.mark.parametrize(
    "clicked, viewed, found",
    [
        pytest.param(
            "aliases: [Web.Clicked, urn:babel:Web.Clicked]", "aliases: [web.viewed]", [], id="names of its own"
        ),
        pytest.param("aliases: [WEB.click]", "aliases: [web.click]", [], id="capitals make another name"),
        pytest.param(
            "aliases: [urn:babel:web:clicked]",
            "",
            ["web/clicked.yaml:2:11: is the URN of this message"],
            id="its own URN",
        ),
        pytest.param(
            "aliases: [x, urn:babel:web:viewed]",
            "",
            ["web/clicked.yaml:2:14: is the URN of another message (web/viewed.yaml)"],
            id="the URN of another message",
        ),
        pytest.param(
            "aliases: [urn:babel:web:viewed]", RETIRED, ["web/clicked.yaml:2:11: is the URN of a retired"], id="retired"
        ),
        pytest.param(
            "aliases: [web.event]",
            "aliases: [web.event]",
            ["web/viewed.yaml:2:11: is one of urn:babel:web:clicked, too"],
            id="an alias of another message",
        ),
        pytest.param(
            "aliases: [web.event]",
            f"aliases: [web.event]\n{RETIRED}",
            ["web/clicked.yaml:2:11: is one of the retired urn:babel:web:viewed"],
            id="a tombstone keeps its aliases, whichever path comes first",
        ),
    ],
)
def test_alias_taken(clicked: str, viewed: str, found: list[str], findings: Lint) -> None:
    reported = []
    for finding in findings(BLOCK.format(clicked=clicked, viewed=viewed), "alias-taken"):
        _, _, said = finding.message.partition("' ")
        reported.append(f"{finding.place}: {said}")
    assert len(reported) == len(found)
    assert all(line.startswith(start) for line, start in zip(reported, found, strict=True)), reported


def test_it_names_both_places_and_the_way_out(findings: Lint) -> None:
    (found,) = findings(BLOCK.format(clicked="aliases: [a, b]", viewed="aliases: [b]"), "alias-taken")
    assert str(found.against) == "web/clicked.yaml:2:14"
    assert found.fix == "remove it here, or from web/clicked.yaml: a name belongs to one message"


@pytest.mark.parametrize("key", ["consumes", "supersedes"])
def test_a_file_that_uses_an_alias_is_pointed_to_the_urn(key: str, findings: Lint) -> None:
    viewed = {"supersedes": "supersedes: Web.Clicked", "consumes": ""}[key]
    service = "# file: _services/report.yaml\nconsumes: [{urn: Web.Clicked}]\n" if key == "consumes" else ""
    block = BLOCK.format(clicked="aliases: [Web.Clicked]", viewed=viewed) + service
    rule = {"supersedes": "supersedes-unknown", "consumes": "consumed-urn-unknown"}[key]
    (found,) = findings(block, rule)
    assert "urn:babel:web:clicked" in str(found.fix)
