from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "path, urn, found",
    [
        pytest.param("orders/created.yaml", "urn:babel:orders:created", 0, id="where it belongs"),
        pytest.param("orders/created.v2.yaml", "urn:babel:orders:created.v2", 0, id="a version where it belongs"),
        pytest.param("orders/created.yaml", "urn:babel:orders:placed", 1, id="another name"),
        pytest.param("orders/created.yaml", "urn:babel:billing:created", 1, id="another context"),
        pytest.param("orders/created.yaml", "urn:babel:orders:created.v2", 1, id="a version in the file of the first"),
        pytest.param("orders/created-v2.yaml", "urn:babel:orders:created.v2", 1, id="a version spelled otherwise"),
        pytest.param("orders/created.yaml", "urn:babel:orders:created..x", 0, id="no URN at all is for another rule"),
    ],
)
def test_path_mismatch(path: str, urn: str, found: int, findings: Lint) -> None:
    reported = findings(f"# file: {path}\nurn: {urn}\n", "path-mismatch")
    assert [f.place.path for f in reported] == [path] * found
    assert all("git mv" in (f.fix or "") for f in reported)
