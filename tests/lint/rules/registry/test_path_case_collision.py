from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "first, second, found",
    [
        pytest.param("orders/Created.yaml", "orders/created.yaml", 1, id="file names"),
        pytest.param("orders/cre\u0301e.yaml", "orders/cr\u00e9e.yaml", 1, id="two Unicode forms"),
        pytest.param("orders/created.yaml", "orders/create.yaml", 0, id="two names"),
        pytest.param("_services/Orders-API.yaml", "orders/created.yaml", 1, id="services"),
    ],
)
def test_path_case_collision(first: str, second: str, found: int, findings: Lint) -> None:
    texts = {
        path: "owner: me\n" if path.startswith("_") else "urn: urn:babel:orders:created\n" for path in (first, second)
    }
    block = "".join(f"# file: {path}\n{text}" for path, text in texts.items())
    assert len(findings(block, "path-case-collision")) == found
