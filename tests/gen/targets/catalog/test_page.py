"""The page of the catalog: sealed by its policy, whole, and the same for the same registry."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import json
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import hostile
import pytest
from each import each
from hypothesis import given, settings

from babelreg import load
from babelreg.gen.target import files_by_path
from babelreg.gen.targets.catalog import target
from babelreg.model import Registry, topology

ROOT = Path(__file__).resolve().parents[4]
TEMPLATES = ROOT / "templates" / "catalog"
MAX_SCRIPT_BYTES = 25_000


_SPEC = importlib.util.spec_from_file_location("catalog_script", ROOT / "tools" / "catalog_script.py")
assert _SPEC is not None
assert _SPEC.loader is not None
catalog_script = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(catalog_script)


class Elements(HTMLParser):
    """Every start tag of a page with its attributes, and the text of scripts and style sheets."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self._inside = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.texts.append("")
        self._inside = True

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.texts[-1] += data

    def handle_endtag(self, tag: str) -> None:
        self._inside = False

    def of(self, tag: str, **attributes: str | None) -> list[str]:
        """Return the texts of the elements of that name with exactly these attributes."""
        return [
            text
            for (name, found), text in zip(self.tags, self.texts, strict=True)
            if (name, found) == (tag, attributes)
        ]


def texts(registry: Registry, options: dict[str, Any] | None = None) -> dict[str, str]:
    return {path: file.text for path, file in files_by_path(target.files(registry, options or {})).items()}


@cache
def example() -> dict[str, str]:
    return texts(load.registry(ROOT / "registry.example"))


def blocks(page: str) -> list[Any]:
    """Return the JSON of a page: the catalog, then the details of each message."""
    found = Elements(page)
    return [
        json.loads(text)
        for (name, attributes), text in zip(found.tags, found.texts, strict=True)
        if name == "script" and attributes.get("type") == "application/json"
    ]


def source_hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def held_to_its_policy(page: str) -> None:
    """The page runs one script and one style sheet, those that its policy names, and names nothing to load."""
    found = Elements(page)
    (script,), (style,) = found.of("script"), found.of("style")
    (policy,) = [attributes["content"] for name, attributes in found.tags if attributes.get("http-equiv")]
    assert policy == (
        f"default-src 'none'; script-src {source_hash(script)}; style-src {source_hash(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    assert script == (TEMPLATES / "catalog.min.js").read_text("utf-8")
    others = [attributes for name, attributes in found.tags if name == "script" and attributes]
    assert {attributes["type"] for attributes in others} == {"application/json"}
    for name, attributes in found.tags:
        assert not {"src", "srcset", "style", "action", "data"} & attributes.keys(), (name, attributes)
        assert not [key for key in attributes if key.startswith("on")], (name, attributes)
        assert attributes.get("href", "#").startswith("#"), (name, attributes)


def test_the_policy_names_the_script_and_the_style_sheet() -> None:
    held_to_its_policy(example()["index.html"])


def test_the_script_is_small_and_the_one_that_people_read() -> None:
    script = (TEMPLATES / "catalog.min.js").read_bytes()
    assert len(script) <= MAX_SCRIPT_BYTES
    first = catalog_script.first_line((TEMPLATES / "catalog.js").read_bytes())
    assert script.decode().startswith(first), "run tools/catalog_script.py"


def test_the_script_makes_no_html_of_texts_and_calls_nobody() -> None:
    script = (TEMPLATES / "catalog.js").read_text("utf-8")
    forbidden = r"innerHTML|outerHTML|insertAdjacent|document\.write|DOMParser|\beval\b|Function\(|fetch\(|XMLHttp|import\(|\.style\b"
    assert re.findall(forbidden, script) == []


def test_ids_are_unique() -> None:
    ids = [attributes["id"] for _, attributes in Elements(example()["index.html"]).tags if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_the_page_holds_the_json_beside_it() -> None:
    files = example()
    head, *details = blocks(files["index.html"])
    assert len(details) == len(head["messages"])
    joined = {urn: {**entry, **more} for (urn, entry), more in zip(head["messages"].items(), details, strict=True)}
    assert {**head, "messages": joined} == json.loads(files["catalog.json"])
    assert list(joined) == sorted(joined)


def test_a_message_is_one_line_of_the_json() -> None:
    lines = example()["catalog.json"].splitlines()
    assert sum(line.startswith('"urn:babel:') for line in lines) == len(blocks(example()["index.html"])[0]["messages"])


def test_the_same_registry_gives_the_same_bytes() -> None:
    assert texts(load.registry(ROOT / "registry.example")) == example()


def test_without_scripts_there_is_a_list_of_all_messages() -> None:
    page = example()["index.html"]
    shown = page.partition("<noscript>")[2].partition("</noscript>")[0]
    for urn in json.loads(example()["catalog.json"])["messages"]:
        assert f"<code>{urn}</code>" in shown


def test_every_name_in_the_json_leads_somewhere() -> None:
    catalog = json.loads(example()["catalog.json"])
    messages, services = catalog["messages"], catalog["services"]
    used = {i for entry in messages.values() for i in entry.get("fields", ())}
    assert used == set(range(len(catalog["fields"])))
    assert {urn for context in catalog["contexts"].values() for urn in context["messages"]} == set(messages)
    for entry in messages.values():
        assert set(entry.get("producers", ())) | set(entry.get("consumers", ())) <= set(services)
    for service in services.values():
        assert set(service.get("reads", ())) <= set(messages)


def test_the_queues_of_consumers_are_those_of_the_topology() -> None:
    messages = json.loads(example()["catalog.json"])["messages"]
    shown = {
        (urn, service, queue) for urn, entry in messages.items() for service, queue in entry.get("inboxes", {}).items()
    }
    known = topology(load.registry(ROOT / "registry.example")).subscriptions
    assert shown == {(each.urn, each.service, each.queue) for each in known if each.urn in messages}
    assert shown


@each("name", hostile.cases())
def test_a_hostile_message_stays_text(name: str) -> None:
    registry = hostile.registry({name: hostile.cases()[name]})
    files = texts(registry, {"title": hostile.CANARY})
    held_to_its_policy(files["index.html"])
    assert not re.search(f"[{hostile.BIDI}\u2028\u2029]", files["index.html"])
    head, *_ = blocks(files["index.html"])
    assert len(head["messages"]) == 1


@settings(max_examples=15, deadline=None)
@given(hostile.texts())
def test_no_text_gets_out(text: str) -> None:
    files = texts(hostile.registry({"fuzz": (text, hostile.of_text(text))}), {"title": text})
    files["catalog.json"].encode("utf-8")
    held_to_its_policy(files["index.html"])


@pytest.mark.parametrize(
    "text", ["</script><script>alert(1)</script>", "<!--<script>", "]]>", "\u2028 \u2029", "&lt;/script>", "__proto__"]
)
def test_json_cannot_end_its_block(text: str) -> None:
    page = texts(hostile.registry({"one": (text, hostile.of_text(text))}), {"title": text})["index.html"]
    data = page.partition('id="catalog">')[2].partition("</script>")[0]
    assert "<" not in data
    assert json.loads(data)["title"] == blocks(page)[0]["title"]
    held_to_its_policy(page)
