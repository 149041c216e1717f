"""Messages in short."""

from __future__ import annotations

import json
from pathlib import Path

from babelreg import load
from babelreg.model.overview import overviews

ROOT = Path(__file__).resolve().parents[3]


def example():
    return {message.urn: message for message in overviews(load.from_tree(load.folder(ROOT / "registry.example")))}


def test_an_overview_says_who_sends_and_reads_a_message():
    message = example()["urn:babel:orders:created.v2"]
    assert message.producers == ("orders-api",)
    assert message.reads["warehouse"] == ("lines[].sku", "lines[].qty")
    assert message.supersedes == "urn:babel:orders:created"
    assert example()["urn:babel:orders:created"].superseded_by == "urn:babel:orders:created.v2"


def test_versions_follow_each_other():
    urns = list(example())
    assert urns.index("urn:babel:orders:created.v2") == urns.index("urn:babel:orders:created") + 1


def test_an_overview_is_json():
    for message in example().values():
        assert json.loads(json.dumps(message.as_json()))["urn"] == message.urn


def test_a_message_with_a_malformed_urn_comes_last():
    text = "urn: urn:babel:{0}\nkind: event\nowner: t\ndata: {{type: object}}\n"
    files = {"babelreg.yaml": "version: 1\n", "z/a.yaml": text.format("Z:a"), "z/b.yaml": text.format("z:b")}
    registry = load.from_tree(load.files.tree.Memory({path: text.encode() for path, text in files.items()}))
    assert [message.urn for message in overviews(registry)] == ["urn:babel:z:b", "urn:babel:Z:a"]
