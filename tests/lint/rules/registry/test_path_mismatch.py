from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from babelreg import lint, load
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


def test_the_fix_can_be_pasted_where_the_command_was_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path, text in {
        "registry/babelreg.yaml": "version: 1\n",
        "registry/orders/made.yaml": "urn: urn:babel:orders:created\nkind: event\ndata: {type: object}\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    monkeypatch.chdir(tmp_path)
    fixes = {f.rule: f.fix for f in lint.run(load.registry("registry"))}
    moved = "git mv registry/orders/made.yaml registry/orders/created.yaml, or change the urn"
    assert fixes["path-mismatch"] == moved
    assert (fixes["context-undeclared"] or "").startswith("create registry/orders/_context.yaml ")
