"""How far a service is behind: what breaks apart from what does not, messages that changed alike together."""

from __future__ import annotations

import pytest

from babelreg import load
from babelreg.breaking.outdated import outdated_messages
from babelreg.load.files.tree import Memory
from babelreg.model.service_subset import share_of

FILES = {
    "babelreg.yaml": "version: 1\n",
    "orders/_context.yaml": "owner: team\n",
    "_services/mailer.yaml": "lang: php\n",
    "_common/money.yaml": "type: object\nproperties: {minor: {type: integer, description: Cents.}}\n",
}
MESSAGE = """\
urn: urn:babel:orders:{name}
kind: event
status: active
description: It was made.
queue: orders
producers: [shop]
consumers: [mailer]
data:
  type: object
  required: [id]
  properties:
    id: {{type: integer, description: Number.}}
    note: {{type: string}}
    total: {{$ref: ../_common/money.yaml}}
"""


def share(files: dict[str, str]):
    registry = load.from_tree(Memory({path: text.encode() for path, text in files.items()}))
    assert not registry.defects
    return share_of(registry, "mailer")


def said(edits: list[tuple[str, str, str]], messages: str = "made"):
    old = FILES | {f"orders/{name}.yaml": MESSAGE.format(name=name) for name in messages.split()}
    new = dict(old)
    for path, before, after in edits:
        assert before in new[path]
        new[path] = new[path].replace(before, after)
    every = frozenset(f"urn:babel:orders:{name}" for name in messages.split())
    return outdated_messages(share(old), share({path: text for path, text in new.items() if text}), every)


M = "orders/made.yaml"


@pytest.mark.parametrize(
    "before, after, breaking, harmless",
    [
        pytest.param(
            "description: Number.", "description: Its number.", [], ["'id' changed its description"], id="words"
        ),
        pytest.param("    note:", "    more: {type: string}\n    note:", [], ["'more' is new"], id="a new field"),
        pytest.param("[id]", "[id, note]", ["property-required"], [], id="a required field"),
        pytest.param(
            "    note: {type: string}\n", "", ["property-removed"], [], id="a field is gone, which is told once"
        ),
        pytest.param("{type: string}", "{type: integer}", ["type-changed"], [], id="another type"),
        pytest.param("status: active", "status: deprecated", [], ["status: active -> deprecated"], id="the status"),
        pytest.param("queue: orders", "queue: others", [], ["queue: orders -> others"], id="the queue"),
        pytest.param("It was made.", "It is made.", [], ["the description changed"], id="the description"),
        pytest.param(
            "[mailer]\n", "[mailer]\ndelivery: {max_attempts: 9}\n", [], ["the delivery policy changed"], id="delivery"
        ),
        pytest.param("[shop]", "[shop, mailer]", [], ["mailer now produces it"], id="a part more"),
        pytest.param("kind: event", "kind: command", ["kind-changed"], [], id="the kind"),
        pytest.param("status: active", "status: draft", ["status-backward"], [], id="a step back"),
        pytest.param(
            "{type: string}",
            "{type: string, x-spark-type: binary}",
            [],
            ["'note' changed its x-spark-type"],
            id="a column",
        ),
    ],
)
def test_what_breaks_is_told_apart_from_what_does_not(before, after, breaking, harmless):
    (one,) = said([(M, before, after)])
    assert (one.kind, [finding.rule for finding in one.breaking], list(one.harmless)) == ("changed", breaking, harmless)


def test_a_message_that_is_gone_from_the_registry_breaks():
    (one,) = said([(M, MESSAGE.format(name="made"), "")])
    assert (one.kind, [finding.rule for finding in one.breaking]) == ("gone", ["urn-removed"])


def test_messages_that_changed_alike_are_told_together():
    edits = [("_common/money.yaml", "Cents.", "In cents."), ("orders/kept.yaml", "It was made.", "It is kept.")]
    first, second = said(edits, "made kept sent")
    assert (first.named, list(first.harmless)) == (
        "urn:babel:orders:kept",
        ["the description changed", "'total.minor' changed its description"],
    )
    assert (second.named, list(second.harmless)) == (
        "urn:babel:orders:made and urn:babel:orders:sent",
        ["'total.minor' changed its description"],
    )


def test_what_a_shared_fragment_breaks_is_told_once():
    edits = [("_common/money.yaml", "type: object\n", "type: object\nrequired: [minor]\n")]
    (one,) = said(edits, "made kept sent more")
    assert one.named == "urn:babel:orders:kept and 3 more"
    assert [finding.rule for finding in one.breaking] == ["property-required"]
