"""How often fields were sent, beside each field of the pages and the catalog."""

from __future__ import annotations

import json

import pytest

from babelreg import load
from babelreg.gen.target import files_by_path
from babelreg.gen.targets import TARGETS
from babelreg.load.files.tree import Memory

URN = "urn:babel:orders:created"
FILES = {
    "babelreg.yaml": "version: 1\ntraffic: coverage.json\n",
    "orders/_context.yaml": "owner: team-orders\n",
    "orders/created.yaml": f"urn: {URN}\nkind: event\ndescription: An order.\ndata:\n  type: object\n  properties:\n"
    "    a: {type: string}\n    b: {type: string}\n    kind: {enum: [x, y, z]}\n    new: {type: string}\n",
}
COVERAGE = {
    "version": 1,
    "window_days": 30,
    "messages": {
        URN: {
            "messages": "1000+",
            "fields": {"a": "always", "b": "0", "kind": "100+", "gone": "1+"},
            "enums": {"kind": {"x": "100+", "y": "0", "z": "0"}},
        }
    },
}


def files(name: str, coverage: object = None) -> dict[str, str]:
    more = {} if coverage is None else {"coverage.json": json.dumps(coverage)}
    registry = load.from_tree(Memory({path: text.encode() for path, text in {**FILES, **more}.items()}))
    assert not registry.defects
    return {path: file.text for path, file in files_by_path(TARGETS[name].files(registry, {})).items()}


def test_a_page_has_a_column_of_what_was_sent():
    page = files("docs", COVERAGE)["orders/created.md"]
    rows = [
        line.split(" | ")[-1].removesuffix(" |") for line in page.splitlines() if line.startswith(("| Field", "| `"))
    ]
    assert rows == ["Sent", "always", "never", "100+, never `y`, `z`", ""]


def test_the_catalog_has_it_in_the_order_of_the_fields():
    message = json.loads(files("catalog", COVERAGE)["catalog.json"])["messages"][URN]
    assert message["sent"] == ["always", "never", "100+, never `y`, `z`", ""]


@pytest.mark.parametrize("name", ["docs", "catalog"])
def test_without_a_coverage_file_nothing_is_shown(name):
    written = {path: text for path, text in files(name).items() if path in ("orders/created.md", "catalog.json")}
    assert [word for word in ("| Sent |", '"sent"', "always") if word in "".join(written.values())] == []
