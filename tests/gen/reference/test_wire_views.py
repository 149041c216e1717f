"""Pages of messages that travel in foreign wires show them as they look there."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from babelreg import load
from babelreg.gen.targets.docs import target
from babelreg.model import Registry
from babelreg.wire.formats import phpmq, strata

GOLDEN = Path(__file__).parents[2] / "golden" / "docs_wires.md"
CREATE, CREATED, MAIL = "urn:babel:orders:order.create", "urn:babel:orders:order.created", "urn:babel:mails:mail.send"
START = "urn:babel:ops:service.start"
SETTINGS = f"""version: 1
wires:
  flowlayer: {{commands: {{start_service: {START}}}}}
  phpmq: {{queues: {{Mails: {MAIL}, Orders: {CREATE}}}}}
  strata: {{Orders: {{createOrder: {{request: {CREATE}, response: {CREATED}}}}}}}
"""
EXAMPLES: dict[str, Any] = {
    START: {"service": "api"},
    CREATE: {"order_id": 1042},
    CREATED: {"status": "failed"},
    MAIL: {"content": "Hello World"},
}


def registry(examples: dict[str, Any]) -> Registry:
    files = {"babelreg.yaml": SETTINGS.encode()}
    for urn, example in examples.items():
        context, name = urn.split(":")[2:]
        message = {"urn": urn, "kind": "command", "data": {"type": "object"}, "examples": [example]}
        files[f"{context}/_context.yaml"] = b"owner: team\n"
        files[f"{context}/{name}.yaml"] = json.dumps(message).encode()
    return load.from_tree(load.files.tree.Memory(files))


def section(registry: Registry, urn: str) -> str:
    path = "/".join(urn.split(":")[2:]) + ".md"
    (page,) = [file.text for file in target.files(registry, {}) if file.path == path]
    return page.partition("## In other wire formats\n")[2].partition("\n## ")[0]


def test_what_a_reader_sees() -> None:
    found = registry(EXAMPLES)
    text = "".join(f"# {urn}\n{section(found, urn)}\n" for urn in EXAMPLES)
    if os.environ.get("BABELREG_GOLDEN") == "write":
        GOLDEN.write_text(text, "utf-8")
    assert text == GOLDEN.read_text("utf-8"), "read the difference; BABELREG_GOLDEN=write pytest accepts it"


def test_what_is_shown_is_what_is_on_the_wire() -> None:
    found = registry(EXAMPLES)
    block = section(found, MAIL).partition("```text\n")[2].partition("\n```")[0]
    lines = [line[5:] for line in block.split("\n")]
    parts = [line.partition("    ")[0] for line in lines]
    message = phpmq.decode("".join(parts).encode())
    assert (message.queue, message.content, message.ttl) == (b"Mails", b"Hello World", 3600)
    request = json.loads(section(found, CREATE).partition("```json\n")[2].partition("\n```")[0])
    assert strata.validate(request, profile="strict") == []
    assert request["payload"] == {"order_id": 1042}


def test_a_page_of_a_message_that_travels_nowhere_else_says_nothing() -> None:
    other = "urn:babel:ops:service.stop"
    assert section(registry({**EXAMPLES, other: {}}), other) == ""


@pytest.mark.parametrize(
    "urn, example, shown",
    [
        pytest.param(CREATED, {"number": 1}, '"payload": {"number": 1}', id="the payload of a response"),
        pytest.param(MAIL, {"content_base64": "//4="}, "ff fe", id="octets that are not text"),
        pytest.param(MAIL, {"content": "a\nb"}, "61 0a 62", id="a line break would not be seen"),
        pytest.param(MAIL, {"content": "`" * 5}, "``````text", id="a fence in a content ends no block"),
        pytest.param(MAIL, {"content": "x" * 5_000}, "x …", id="a long content is cut"),
    ],
)
def test_what_is_hard_to_show(urn: str, example: Any, shown: str) -> None:
    assert shown in section(registry({**EXAMPLES, urn: example}), urn)


def test_a_name_that_changes_makes_the_page_behind() -> None:
    def page(settings: str) -> str | None:
        files = {"babelreg.yaml": settings.encode(), "mails/_context.yaml": b"owner: team\n"}
        files["mails/mail.send.yaml"] = json.dumps(
            {"urn": MAIL, "kind": "command", "data": {"type": "object"}}
        ).encode()
        found = load.from_tree(load.files.tree.Memory(files))
        (line,) = [file.header_line for file in target.files(found, {}) if file.path == "mails/mail.send.md"]
        return line

    mapped = f"version: 1\nwires: {{phpmq: {{queues: {{NAME: {MAIL}}}}}}}\n"
    assert len({page("version: 1\n"), page(mapped), page(mapped.replace("NAME", "Other"))}) == 3


@pytest.mark.parametrize(
    "wires, title, message",
    [
        pytest.param("cloudevents: {}", "CloudEvents", {"type": MAIL, "source": "urn:babelqueue:default", "data": EXAMPLES[MAIL]},
                     id="CloudEvents"),
        pytest.param("json: {urn: {field: kind}, data: body}", "plain JSON", {"kind": MAIL, "body": EXAMPLES[MAIL]}, id="plain JSON"),
    ],
)  # fmt: skip
def test_a_block_of_settings_shows_every_message(wires: str, title: str, message: dict[str, Any]) -> None:
    files = {
        "babelreg.yaml": f"version: 1\nwires: {{{wires}}}\n".encode(),
        "mails/_context.yaml": b"owner: team\n",
        "mails/mail.send.yaml": json.dumps(
            {"urn": MAIL, "kind": "command", "data": {"type": "object"}, "examples": [EXAMPLES[MAIL]]}
        ).encode(),
    }
    text = section(load.from_tree(load.files.tree.Memory(files)), MAIL)
    assert f"### {title}\n" in text
    shown = json.loads(text.partition("```json\n")[2].partition("\n```")[0])
    assert message.items() <= shown.items()
