"""The changes since an earlier version are those of ``diff``, on the page and in the catalog."""

from __future__ import annotations

from pathlib import Path

from babelreg import load
from babelreg.gen.reference.version_changes import version_changes
from babelreg.gen.targets import TARGETS

EXAMPLE = Path(__file__).resolve().parents[3] / "registry.example"
NEW, OLD = "urn:babel:orders:created.v2", "urn:babel:orders:created"


def test_a_message_without_an_earlier_version_has_none() -> None:
    registry = load.registry(EXAMPLE)
    assert version_changes(registry, registry.by_urn[OLD]) == []


def test_the_page_and_the_catalog_show_each_change() -> None:
    registry = load.registry(EXAMPLE)
    lines = [line for change in version_changes(registry, registry.by_urn[NEW]) for line in change.lines]
    assert "amount_minor was removed" in lines
    page = next(file.text for file in TARGETS["docs"].files(registry, {}) if file.path == "orders/created.v2.md")
    assert all(f"- {line.replace('_', chr(92) + '_')}\n" in page or f"- {line}\n" in page for line in lines)
    catalog = next(file.text for file in TARGETS["catalog"].files(registry, {}) if file.path == "catalog.json")
    assert all(line in catalog for line in lines)
