from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]

RETIRED = "status: retired\nretired_on: 2026-01-31\n"


@pytest.mark.parametrize(
    "versions, missing",
    [
        pytest.param([1, 2, 3], [], id="no gap"),
        pytest.param([1, 3], [3], id="the second is missing"),
        pytest.param([2], [2], id="the first is missing"),
        pytest.param([1, 2, 5, 6], [5], id="a wide gap is reported once"),
        pytest.param([10], [10], id="a number of two digits"),
        pytest.param([1], [], id="one version"),
    ],
)
def test_version_gap(versions: list[int], missing: list[int], findings: Lint) -> None:
    names = {version: "created" + (f".v{version}" if version > 1 else "") for version in versions}
    block = "".join(f"# file: orders/{name}.yaml\nurn: urn:babel:orders:{name}\n" for name in names.values())
    assert [f.urn for f in findings(block, "version-gap")] == [f"urn:babel:orders:{names[v]}" for v in missing]


def test_a_tombstone_is_no_gap(findings: Lint) -> None:
    block = f"""\
# file: orders/created.yaml
urn: urn:babel:orders:created
{RETIRED}# file: orders/created.v2.yaml
urn: urn:babel:orders:created.v2
"""
    assert findings(block) == []


def test_an_unreadable_predecessor_is_no_gap(findings: Lint) -> None:
    block = """\
# file: orders/created.yaml
urn: [
# file: orders/created.v2.yaml
urn: urn:babel:orders:created.v2
"""
    assert {f.rule for f in findings(block)} == {"yaml-syntax"}
