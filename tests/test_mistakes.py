"""The likeliest mistakes of a new user: each ends in an error that names the place and a way out to paste."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import commands
import pytest

ROOT = Path(__file__).parents[1]
CREATED = "orders/created.v2.yaml"
Change = Callable[[Path], None]


def edit(path: str, old: str, new: str) -> Change:
    def change(registry: Path) -> None:
        text = (registry / path).read_text("utf-8")
        assert old in text, old
        (registry / path).write_text(text.replace(old, new, 1), "utf-8")

    return change


def write(path: str, text: str) -> Change:
    def change(registry: Path) -> None:
        (registry / path).parent.mkdir(parents=True, exist_ok=True)
        (registry / path).write_text(text, "utf-8")

    return change


def move(old: str, new: str) -> Change:
    return lambda registry: shutil.move(registry / old, registry / new)  # type: ignore[return-value]


def nothing(registry: Path) -> None:
    """The mistake is in the command."""


def message(urn: str, kind: str = "event", data: str = "{type: object}") -> str:
    return f"urn: {urn}\nkind: {kind}\ndescription: d\nproducers: [orders-api]\nconsumers: [crm]\ndata: {data}\nexamples: [{{}}]\n"


ENVELOPE = '{"job":"%s","trace_id":"7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b","data":%s,"meta":{"id":"f1e2d3c4-b5a6-4789-90ab-cdef01234567","queue":"q","lang":"php","schema_version":1,"created_at":1749132727000},"attempts":0}\n'

MISTAKES = [
    # (what was done, the command, the exit code, the place, the way out)
    pytest.param(
        edit(CREATED, "  type: object\n", "\ttype: object\n"),
        "lint",
        1,
        rf"{CREATED}:\d+:\d+",
        "indent with spaces",
        id="a tab in YAML",
    ),
    pytest.param(
        edit(CREATED, "accepted and paid for", "accepted: and paid"),
        "lint",
        1,
        rf"{CREATED}:5:\d+",
        "quote the value",
        id="a colon in a description",
    ),
    pytest.param(
        edit(CREATED, "supersedes:", "queue: a\nsupersedes:"),
        "lint",
        1,
        rf"{CREATED}:8:1",
        "keep one of the two",
        id="a key twice",
    ),
    pytest.param(
        edit(CREATED, "producers:", "produces:"),
        "lint",
        1,
        rf"{CREATED}:\d+:1",
        "did you mean 'producers'?",
        id="a misspelt key",
    ),
    pytest.param(
        edit(CREATED, "kind: event", "kind: evnt"),
        "lint",
        1,
        rf"{CREATED}:3:7",
        "did you mean 'event'?",
        id="a misspelt kind",
    ),
    pytest.param(
        edit(CREATED, "status: active", "status: actve"),
        "lint",
        1,
        rf"{CREATED}:4:9",
        "did you mean 'active'?",
        id="a misspelt status",
    ),
    pytest.param(
        edit(CREATED, "producers: [orders-api]", "producers: orders-api"),
        "lint",
        1,
        rf"{CREATED}:\d+:12",
        "write [orders-api]",
        id="one producer, not a list",
    ),
    pytest.param(
        edit(CREATED, "[orders-api]", "[order-api]"),
        "lint",
        1,
        rf"{CREATED}:\d+:13",
        "did you mean 'orders-api'",
        id="a misspelt service",
    ),
    pytest.param(
        edit(CREATED, "_common/money.yaml", "_common/mony.yaml"),
        "lint",
        1,
        rf"{CREATED}:\d+:\d+",
        "_common/mony.yaml",
        id="a misspelt $ref",
    ),
    pytest.param(
        edit(CREATED, "../_common/money.yaml", "https://example.com/money.json"),
        "lint",
        1,
        rf"{CREATED}:\d+:\d+",
        "copy the schema below _common/",
        id="a $ref to the web",
    ),
    pytest.param(
        edit(CREATED, "../_common/money.yaml", "_common/money.yaml"),
        "lint",
        1,
        rf"{CREATED}:\d+:\d+",
        "../_common/money.yaml",
        id="a $ref relative to the registry",
    ),
    pytest.param(
        edit(CREATED, "- order_id: 1042", '- order_id: "1042"'),
        "lint",
        1,
        rf"{CREATED}:\d+:15",
        "",
        id="an example with a number in quotes",
    ),
    pytest.param(
        edit(
            CREATED,
            "because: no total, data: {order_id: 1042}",
            "because: no total, data: {order_id: 1, total: {minor: 1, currency: EUR}}",
        ),
        "lint",
        1,
        rf"{CREATED}:\d+:\d+",
        "",
        id="a counterexample that is valid",
    ),
    pytest.param(
        edit(CREATED, "channel: {type: string", "channel: {type: strng"),
        "lint",
        1,
        rf"{CREATED}:\d+:\d+",
        "did you mean 'string'",
        id="a misspelt type",
    ),
    pytest.param(
        edit(CREATED, "required: [order_id, total]", "required: order_id"),
        "lint",
        1,
        rf"{CREATED}:\d+:13",
        "[order_id]",
        id="required is no list",
    ),
    pytest.param(
        write("orders/shipped.yaml", message("urn:babel:orders:shipped", data="{type: array}")),
        "lint",
        1,
        r"orders/shipped.yaml:6:\d+",
        "type: object",
        id="data that is a list",
    ),
    pytest.param(
        write("orders/order-created.yaml", message("urn:babel:orders:OrderCreated")),
        "lint",
        1,
        r"orders/order-created.yaml:1:23",
        "urn:babel:orders:",
        id="a class name for a URN",
    ),
    pytest.param(
        write("orders/1042.yaml", message("urn:babel:orders:1042")),
        "lint",
        1,
        r"orders/1042.yaml:1:\d+",
        "data",
        id="an order number in the URN",
    ),
    pytest.param(
        write("orders/shipped.yaml", message("urn:bable:orders:shipped")),
        "lint",
        1,
        r"orders/shipped.yaml:1:\d+",
        "urn:babel:orders:shipped",
        id="a misspelt namespace",
    ),
    pytest.param(
        move(CREATED, "orders/created_v2.yaml"),
        "lint",
        1,
        r"orders/created_v2.yaml:\d+:\d+",
        "git mv",
        id="a file that is not named as its URN",
    ),
    pytest.param(
        write("orders/shipped.v3.yaml", message("urn:babel:orders:shipped.v3")),
        "lint",
        1,
        r"orders/shipped.v3.yaml:1:\d+",
        "urn:babel:orders:shipped",
        id="a version without the one before",
    ),
    pytest.param(
        move("orders/cancelled.yaml", "orders/cancelled.yml"),
        "lint",
        1,
        r"orders/cancelled.yml",
        "git mv orders/cancelled.yml orders/cancelled.yaml",
        id="the ending .yml",
    ),
    pytest.param(
        write("shipping/sent.yaml", message("urn:babel:shipping:sent")),
        "lint",
        1,
        r"shipping/sent.yaml:1:\d+",
        "shipping/_context.yaml",
        id="a context without its file",
    ),
    pytest.param(
        write("orders/ship.yaml", message("urn:babel:orders:parcel.deliver")),
        "lint --fail-on warning",
        1,
        r"orders/ship.yaml:\d+:\d+",
        "kind: command",
        id="an event named like a command",
    ),
    pytest.param(
        edit(CREATED, "producers: [orders-api]", "producers: [orders-api]\nconsumers: [warehouse]"),
        "lint",
        1,
        rf"{CREATED}:\d+:\d+",
        "warehouse",
        id="a consumer declared twice",
    ),
    pytest.param(
        edit("babelreg.yaml", "version: 1", "version: 2"),
        "lint",
        1,
        r"babelreg.yaml:\d+:10",
        "write 1",
        id="a format version that does not exist",
    ),
    pytest.param(nothing, "lint orders/creatd.yaml", 2, r"orders/creatd.yaml", "", id="a path that is not there"),
    pytest.param(
        nothing,
        "lint --registry elsewhere",
        2,
        r"--registry elsewhere does not exist",
        "--registry .",
        id="a registry that is not there",
    ),
    pytest.param(nothing, "gen pyhton --out out", 2, r"pyhton", "python", id="a misspelt target"),
    pytest.param(nothing, "explain urn-sintax", 2, r"urn-sintax", "urn-syntax", id="a misspelt rule"),
    pytest.param(
        nothing,
        "mint urn:babel:orders:creatd",
        2,
        r"urn:babel:orders:creatd",
        "urn:babel:orders:created",
        id="minting a URN that is not declared",
    ),
    pytest.param(nothing, "breaking", 2, r"git", "--against", id="breaking outside git"),
    pytest.param(
        write("m.jsonl", ENVELOPE % ("urn:babel:orders:creatd", "{}")),
        "validate m.jsonl",
        1,
        r"m.jsonl:1",
        "urn:babel:orders:created",
        id="a message of an unknown URN",
    ),
    pytest.param(
        write("m.jsonl", ENVELOPE % ("urn:babel:orders:cancelled", '{"order_id":1,"reason":"bored"}')),
        "validate m.jsonl",
        1,
        r"m.jsonl:1",
        "/reason",
        id="a message with invalid data",
    ),
    pytest.param(
        write("m.jsonl", '{"job": "urn:babel:orders:cancelled",}\n'),
        "validate m.jsonl",
        1,
        r"m.jsonl:1",
        "",
        id="a message with a trailing comma",
    ),
    pytest.param(nothing, "validate nowhere.jsonl", 2, r"nowhere.jsonl", "", id="a file of messages that is not there"),
    pytest.param(
        nothing,
        "lake ingest --input nowhere --lake lake",
        2,
        r"nowhere",
        "",
        id="a folder of messages that is not there",
    ),
    pytest.param(
        edit(CREATED, "kind: event", "kind: evnt"),
        "gen python --out out",
        2,
        rf"{CREATED}:3:7",
        "babelreg lint",
        id="generating from a defective registry",
    ),
]


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    folder = tmp_path / "registry"
    shutil.copytree(ROOT / "registry.example", folder)
    return folder


def babelreg(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    places = {"GIT_CEILING_DIRECTORIES": str(folder.parent), "BABELREG_CACHE_DIR": str(folder / ".cache")}
    return commands.run(*command.split(), at=folder, env={**os.environ, **places})


@pytest.mark.parametrize("mistake, command, code, place, way_out", MISTAKES)
def test_a_likely_mistake_ends_in_a_place_and_a_way_out(registry, mistake, command, code, place, way_out):
    mistake(registry)
    done = babelreg(command, registry)
    said = done.stdout + done.stderr
    assert done.returncode == code, said
    assert "Traceback" not in said
    assert re.search(place, said), said
    assert way_out in said, said
    assert "fix:" in said or "did you mean" in said or "Usage:" in said, said


def test_there_are_at_least_thirty():
    assert len(MISTAKES) >= 30
