"""A file in a folder that declares no context is read when it means to be a message, and left alone otherwise."""

from __future__ import annotations

import pytest

from babelreg import load
from babelreg.load.files.tree import Memory
from babelreg.load.registry.message_file_heuristic import like_a_message

SOUND = "urn: urn:babel:orders:created\nkind: event\ndata: {type: object}\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(SOUND, id="a message"),
        pytest.param(SOUND + "\tbroken: [\n", id="a message that is no YAML"),
        pytest.param("urn: urn:bable:orders:created\nkind: event\ndata: {\n", id="a misspelt namespace and no YAML"),
        pytest.param("urn: App\\Jobs\\Ship\nkind: command\n", id="a class name for a URN"),
        pytest.param("kind: event\ndata:\n  type: object\n", id="a forgotten URN"),
        pytest.param("urn: [\nretired_on: 2026-01-31\n", id="a tombstone that is no YAML"),
        pytest.param('"urn": x\n"kind": "event"\n', id="keys in quotes"),
        pytest.param("\ufeffurn: x\nkind: event\n", id="a byte-order mark"),
    ],
)
def test_what_means_to_be_a_message_looks_like_one(text: str) -> None:
    assert like_a_message(text.encode())
    assert like_a_message(text.encode("utf-16"))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("kind: ConfigMap\napiVersion: v1\ndata:\n  urn: x\n", id="a manifest of Kubernetes"),
        pytest.param("kind: Event\ndata: {}\n", id="an event of Kubernetes"),
        pytest.param("urn: urn:isbn:0451450523\ntitle: A book\n", id="the URN of a book"),
        pytest.param("services:\n  web:\n    kind: event\n    data: ./data\n", id="keys further in"),
        pytest.param("name: ci\non: push\njobs: {}\n", id="a workflow"),
        pytest.param("data: [1, 2]\nproducers: [a]\n", id="neither a URN nor a kind"),
        pytest.param("kind: event\n", id="one key"),
        pytest.param("openapi: 3.1.0\ninfo: {title: API}\n", id="a description of an API"),
    ],
)
def test_what_does_not_does_not(text: str) -> None:
    assert not like_a_message(text.encode())


@pytest.mark.parametrize(
    "path, text, found",
    [
        pytest.param("shop/a.yaml", "urn: urn:bable:shop:a\nkind: event\ndata: {\n", "yaml-syntax", id="no YAML"),
        pytest.param("shop/a.yaml", "kind: event\ndata: {}\n", "key-missing", id="no URN"),
        pytest.param("shop/a.yml", SOUND, "file-misplaced", id="the other ending"),
        pytest.param("shop/a.yml", "name: ci\n", None, id="something else with the other ending"),
        pytest.param("shop/a.yaml", "name: [\n", None, id="something else that is no YAML"),
    ],
)
def test_it_is_reported_where_no_context_is_declared(path: str, text: str, found: str | None) -> None:
    registry = load.from_tree(Memory({"babelreg.yaml": b"version: 1\n", path: text.encode()}))
    assert [(defect.rule, defect.place.path) for defect in registry.defects] == ([(found, path)] if found else [])
