"""The page: it loads nothing, runs nothing, and says the same for the same folder, whatever messages hold."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from babelreg.errors import UsageError
from babelreg.lake.report import ReportPaths, html
from babelreg.lake.storage.log import manifest
from babelreg.lake.storage.log.manifest import Batch, TableRows
from babelreg.model import Registry

URN = "urn:babel:orders:created.v2"
HOSTILE = "</script></style><img src=x onerror=alert(1)>\"'`&{{7*7}}{% raw %}"
HIDDEN = "\u202egnp.exe\u2066\u200b\u0000"
Ingest = Callable[..., Batch]


def envelope(number: int, data: Any, urn: str = URN, lang: str = "php", **meta: Any) -> bytes:
    known = {"id": f"f1e2d3c4-b5a6-4789-90ab-{number:012x}", "queue": "orders", "lang": lang, "schema_version": 1}
    body = {
        "job": urn,
        "trace_id": "t",
        "data": data,
        "meta": {**known, "created_at": 1_780_000_000_000 + number, **meta},
    }
    return json.dumps({**body, "attempts": 0}, ensure_ascii=False).encode()


def good(number: int) -> bytes:
    return envelope(number, {"order_id": 7, "total": {"minor": 1, "currency": "EUR"}, "email": "ada@example.com"})


def hostile(start: int) -> Iterator[bytes]:
    yield good(start)
    yield good(start)
    yield envelope(start + 1, {"order_id": HOSTILE, "total": None, HOSTILE: HIDDEN})
    yield envelope(start + 2, {"email": HIDDEN + HOSTILE, "order_id": 1}, lang=HOSTILE, queue=HIDDEN)
    yield envelope(start + 3, {}, urn=f"urn:babel:{HOSTILE}")
    yield envelope(start + 4, {"a": 1}, urn="urn:babel:who:knows")
    yield HOSTILE.encode() * 40
    yield b"\xff" + HIDDEN.encode()


class _Page(HTMLParser):
    """What elements there are, that each is closed, and which attributes they carry."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: Counter[str] = Counter()
        self.attributes: Counter[str] = Counter()
        self.links: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[tag] += 1
        self.attributes.update(name for name, _ in attrs)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        if tag not in ("meta", "br"):
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[tag] += 1
        self.attributes.update(name for name, _ in attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag


@pytest.fixture
def page(tmp_path: Path, ingested: Ingest, example: Registry) -> str:
    for number in range(3):
        ingested(tmp_path / "lake", example, hostile(100 * number), f"{HOSTILE}/{HIDDEN}.jsonl")
    return html(tmp_path / "lake", example, where=ReportPaths("lake", "registry"))


def test_no_message_breaks_out_of_the_page(page: str) -> None:
    read = _Page(page)
    assert set(read.elements).isdisjoint(
        {"script", "img", "link", "iframe", "object", "form", "input", "base", "image", "use"}
    )
    assert not [
        name for name in read.attributes if name.startswith("on") or name in ("style", "src", "srcset", "xlink:href")
    ]
    assert all(link.startswith("#") for link in read.links)
    assert "http:" not in page
    assert "https:" not in page
    assert not re.search("[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]", page)


def test_the_policy_lets_the_pages_own_style_in_and_nothing_else(page: str) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    style = re.search(r"<style>(.*)</style>", page, re.DOTALL)
    assert policy is not None
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    said = policy[1].replace("&#39;", "'").replace("&#43;", "+")
    assert said == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert "url(" not in style[1]
    assert "@import" not in style[1]


def test_no_personal_value_is_on_the_page(page: str) -> None:
    assert "ada@example" not in page
    assert "alert(1)" not in page.replace("onerror=alert(1)&gt;&#34;&#39;`&amp;{{7*7}}{% raw %}/\\u202egnp", "")


def test_the_headline_adds_up_and_says_what_to_do(page: str) -> None:
    counts = re.findall(r'<span class="count">([0-9,]+)</span>', page)
    assert counts == ["24", "3", "3", "18"]
    assert "The counts add up." in page
    assert "babelreg lake redrive --registry registry --lake lake --reason unknown_urn" in page
    assert "Share refused, by batch" in page


def test_each_cure_says_whose_messages_it_is_for(page: str) -> None:
    assert re.findall(r"<p>([A-Z][a-z]+) are of <code class=\"urn\">([^<]*)", page) == [
        ("Some", "urn:babel:who:knows"),
        ("All", URN),
    ]


def test_every_heading_leads_on_and_every_link_leads_somewhere(page: str) -> None:
    levels = [int(level) for level in re.findall(r"<h([1-6])", page)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert {link[1:] for link in re.findall(r'href="(#[a-z]+)"', page)} <= set(re.findall(r' id="([a-z]+)"', page))
    assert '<html lang="en">' in page


def luminance(colour: str) -> float:
    """Relative luminance. Source: WCAG 2.2."""
    digits = colour[1:] if len(colour) == 7 else "".join(c * 2 for c in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize(
    "theme", [pytest.param(0, id="light"), pytest.param(1, id="dark"), pytest.param(2, id="print")]
)
@pytest.mark.parametrize(
    "ink, least", [("ink", 7), ("soft", 4.5), ("bad", 4.5), ("good", 4.5), ("accepted", 3), ("quarantined", 3)]
)
def test_what_is_to_be_read_stands_out_from_its_ground(ink: str, least: float, theme: int, page: str) -> None:
    colours = dict(re.findall(r"--([a-z]+): (#[0-9a-f]{3,6});", page.split(":root {")[theme + 1].split("}")[0]))
    for ground in ("paper", "card", "wash", "mark")[: 4 if least > 3 else 1]:
        bright, dim = sorted((luminance(colours[ink]), luminance(colours[ground])), reverse=True)
        assert (bright + 0.05) / (dim + 0.05) >= least, (ink, ground)


def test_the_same_folder_gives_the_same_page(page: str, tmp_path: Path, example: Registry) -> None:
    assert html(tmp_path / "lake", example, where=ReportPaths("lake", "registry")) == page


def test_one_batch_is_told_alone_and_marked_among_the_others(page: str, tmp_path: Path, example: Registry) -> None:
    one = html(tmp_path / "lake", example, 2, ReportPaths("lake", None))
    assert re.findall(r'<span class="count">([0-9,]+)</span>', one) == ["8", "1", "1", "6"]
    assert "ingest of batch 2 of 3" in one
    assert one.count(" marked") == 2
    assert "redrive --lake lake" in one


def test_without_a_registry_there_is_a_page_and_all_is_masked(page: str, tmp_path: Path) -> None:
    bare = html(tmp_path / "lake")
    assert "every value is masked" in bare
    assert "order_id&#34;" not in bare


def test_of_a_redrive_only_what_it_judged_is_told(
    tmp_path: Path, ingested: Ingest, committed: Any, example: Registry
) -> None:
    first = ingested(tmp_path / "lake", example, hostile(0))
    kept = {"batch_read": 1, "reason": "poison", "pointer": "", "detail": "", "body": b"{", "source_offset": 1}
    committed(
        tmp_path / "lake",
        2,
        2,
        {URN: [{}]},
        [{**kept, "reason": "not_an_integer"}],
        Counter(),
        "redrive",
        first.quarantine.files,
    )
    folder = tmp_path / "lake" / "quarantine" / "batch=000002"
    schema = parquet.read_schema(folder / "part-00000.parquet")
    parquet.write_table(pa.Table.from_pylist([kept] * 4, schema), folder / "part-00001.parquet")
    batch = manifest.read_batch(tmp_path / "lake", 2)
    named = (*batch.quarantine.files, "quarantine/batch=000002/part-00001.parquet")
    manifest.write(tmp_path / "lake", replace(batch, quarantine=TableRows(5, named)))
    one = html(tmp_path / "lake", example, 2)
    assert re.findall(r'<span class="count">([0-9,]+)</span>', one) == ["2", "1", "0", "1"]
    assert "holds 1 of them" in one
    assert "not_an_integer" in one
    assert "poison" not in one
    assert "holds 5 of them" in html(tmp_path / "lake", example)


def test_files_that_are_gone_are_told(tmp_path: Path, ingested: Ingest, example: Registry, committed: Any) -> None:
    ingested(tmp_path / "lake", example, hostile(0))
    committed(tmp_path / "lake", 2, 5, {}, [], Counter())
    assert "The counts do not add up." in html(tmp_path / "lake", example)


def test_an_empty_run_has_a_page(tmp_path: Path, ingested: Ingest, example: Registry) -> None:
    ingested(tmp_path / "lake", example, [])
    said = html(tmp_path / "lake", example)
    assert "Nothing to do" in said
    _Page(said)


def test_a_folder_without_batches_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="contains no batch"):
        html(tmp_path)


def test_a_large_quarantine_makes_a_page_of_bounded_size(tmp_path: Path, ingested: Ingest, example: Registry) -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    urns = [f"urn:babel:{a}{b}{c}:x" for a in letters[:8] for b in letters for c in letters]
    ingested(
        tmp_path / "lake", example, (envelope(n, {HOSTILE * 200: 1}, urn) for n, urn in enumerate(urns)), "a" * 3_000
    )
    assert len(html(tmp_path / "lake", example)) < 60_000
