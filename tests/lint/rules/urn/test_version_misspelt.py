from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "name, meant",
    [
        pytest.param("created-v2", "created.v2", id="a hyphen"),
        pytest.param("created_v2", "created.v2", id="an underscore"),
        pytest.param("order.created-v3", "order.created.v3", id="behind a sub-part"),
        pytest.param("created-version-2", "created.v2", id="in full"),
        pytest.param("created.version2", "created.v2", id="in full, behind a dot"),
        pytest.param("created.v-2", "created.v2", id="a hyphen too many"),
        pytest.param("created.2", "created.v2", id="without a letter"),
        pytest.param("created.v", "created", id="without a number"),
        pytest.param("created-v1", "created", id="the first version has none"),
        pytest.param("created.v2", None, id="as it should be"),
        pytest.param("ip-v6", None, id="a protocol"),
        pytest.param("token.oauth-v2", None, id="a protocol behind a dot"),
        pytest.param("ipv4", None, id="a protocol in one word"),
        pytest.param("mp4-converted", None, id="a number elsewhere"),
        pytest.param("top-100", None, id="a number without a mark"),
        pytest.param("createdv2", None, id="it may be a word"),
        pytest.param("pain.001", None, id="the number of a standard message"),
    ],
)
def test_version_misspelt(name: str, meant: str | None, findings: Lint) -> None:
    found = findings(f"urn: urn:babel:orders:{name}\n", "version-misspelt")
    assert [f.fix for f in found] == ([f"urn: urn:babel:orders:{meant}"] if meant else [])


@pytest.mark.parametrize("name", ["createdv2", "created-v2", "created_2"])
def test_beside_the_first_version_there_is_less_doubt(name: str, findings: Lint) -> None:
    block = f"# file: orders/created.yaml\nurn: urn:babel:orders:created\n# file: orders/x.yaml\nurn: urn:babel:orders:{name}\n"
    assert len(findings(block, "version-misspelt")) == (name != "created_2")


def test_the_place_is_that_of_the_version(findings: Lint) -> None:
    (found,) = findings("urn: urn:babel:orders:order.created-v2\n", "version-misspelt")
    assert (found.place.line, found.place.column) == (1, 36)


def test_a_number_is_reported_once(findings: Lint) -> None:
    found = findings("urn: urn:babel:orders:created.2\n")
    assert [f.rule for f in found] == ["version-misspelt"]
