from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]
FILES = "# file: orders/created.yaml\nurn: urn:babel:orders:created\nexamples: {file: a.jsonl}\n# file: orders/a.jsonl\n{}\n"


@pytest.mark.parametrize(
    "path, fix",
    [
        pytest.param("orders/", None, id="a folder"),
        pytest.param("orders/created.yaml", None, id="a file"),
        pytest.param("orders/a.jsonl", None, id="a file of examples"),
        pytest.param("_services/", None, id="the services"),
        pytest.param("babelreg.yaml", None, id="the settings"),
        pytest.param("orders/broken.yaml", None, id="a file that cannot be read"),
        pytest.param("order/", "did you mean 'orders/'?", id="a folder misspelt"),
        pytest.param("orders/creatd.yaml", "did you mean 'orders/created.yaml'?", id="a file misspelt"),
        pytest.param("'[z]*'", "remove this entry, or name a file or folder of the registry", id="nothing like it"),
    ],
)
def test_lint_path_unmatched(path: str, fix: str | None, findings: Lint) -> None:
    settings = f"# file: babelreg.yaml\nversion: 1\nlint:\n  paths:\n  - {{path: {path}, profile: minimal}}\n"
    found = findings(f"{FILES}{settings}# file: orders/broken.yaml\nurn: [\n", "lint-path-unmatched")
    assert [(str(f.place), f.fix) for f in found] == ([("babelreg.yaml:4:12", fix)] if fix else [])
