"""What a real run writes is what a report reads."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from babelreg import load
from babelreg.lake.report import ReportPaths, html
from babelreg.spark import LocalEngine, ingest, redrive


def counts(page: str) -> list[int]:
    assert "The counts add up." in page
    return [int(count.replace(",", "")) for count in re.findall(r'<span class="count">([0-9,]+)</span>', page)]


def test_a_report_says_what_ingest_and_redrive_said(
    engine: LocalEngine, make_registry: Callable[..., Any], messages: ModuleType, tmp_path: Path
) -> None:
    messages.write_registry(tmp_path / "registry")
    messages.write_input(tmp_path / "in", 400, files=2, bad_share=0.2)
    registry = load.registry(tmp_path / "registry")
    first = ingest(engine, registry, tmp_path / "in", tmp_path / "out")
    page = html(tmp_path / "out", registry, where=ReportPaths("out", "registry"))
    assert counts(page) == [first.read, first.accepted, first.duplicates, first.quarantined]
    assert all(f"<code>{reason}</code>" in page for reason in first.reasons)
    assert "Accepted messages, by " in page

    schema = {**messages.schema(0), "required": []}
    known = {messages.urn(number): messages.schema(number) for number in range(messages.URNS)}
    mended = make_registry({**known, messages.urn(0): schema, "urn:babel:nobody:knows": True})
    second = redrive(engine, mended, tmp_path / "out")
    assert second.accepted
    whole = counts(html(tmp_path / "out", mended))
    assert whole == [
        first.read,
        first.accepted + second.accepted,
        first.duplicates + second.duplicates,
        second.quarantined,
    ]
    assert counts(html(tmp_path / "out", mended, 2)) == [
        second.read,
        second.accepted,
        second.duplicates,
        second.quarantined,
    ]
    assert "have since been validated again" in html(tmp_path / "out", mended, 1)
