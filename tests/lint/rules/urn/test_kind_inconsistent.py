from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "kinds, found",
    [
        pytest.param(["event", "event", "event"], [], id="all alike"),
        pytest.param(["event", "command"], [2], id="the second differs"),
        pytest.param(["event", "command", "event"], [2, 3], id="there and back"),
        pytest.param(["event", None, "command"], [3], id="over a tombstone"),
    ],
)
def test_kind_inconsistent(kinds: list[str | None], found: list[int], findings: Lint) -> None:
    block = ""
    for version, kind in enumerate(kinds, 1):
        name = "order.done" + (f".v{version}" if version > 1 else "")
        more = f"kind: {kind}" if kind else "status: retired\nretired_on: 2026-01-31"
        block += f"# file: orders/{name}.yaml\nurn: urn:babel:orders:{name}\n{more}\n"
    reported = findings(block, "kind-inconsistent")
    assert [f.place.path for f in reported] == [f"orders/order.done.v{version}.yaml" for version in found]
    assert all(f.place.line == 2 for f in reported)
