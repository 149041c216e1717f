"""Names that producers really send, and the URNs that are proposed for them."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg import load
from babelreg.analysis.infer.message_names import RecordedMessages, recorded_messages
from babelreg.analysis.sketch.traffic_sketch import MessageSketch
from babelreg.cli.shared.inference import name_rules
from babelreg.contract.envelope import Envelope
from babelreg.lake.traffic.detection import detectors
from babelreg.load.files.tree import Memory
from babelreg.model import Registry, Urn

DETECTORS = detectors()
EMPTY = Registry("")
DECLARED = load.from_tree(
    Memory(
        {
            "babelreg.yaml": b"version: 1\n",
            "web/clicked.yaml": b"urn: urn:babel:web:clicked\naliases: [click]\nkind: event\ndata: {type: object}\n",
        }
    )
)


def sketch(count: int = 1, queue: str = "health") -> MessageSketch:
    made = MessageSketch(DETECTORS)
    for number in range(count):
        made.add(Envelope("x", {"data": {"n": number}, "meta": {"queue": queue, "lang": "php", "created_at": 1}}))
    return made


def recorded(*names: str, registry: Registry = EMPTY) -> RecordedMessages:
    return recorded_messages(registry, {name: sketch() for name in names}, name_rules())


@pytest.mark.parametrize(
    "name, urn",
    [
        pytest.param("urn:babel:Web.Clicked", "urn:babel:web:clicked", id="a dot in place of the colon, and capitals"),
        pytest.param("urn:babel:Web:PageClicked", "urn:babel:web:page-clicked", id="capitals"),
        pytest.param("urn:acme:web:clicked", "urn:babel:web:clicked", id="another namespace"),
        pytest.param("com.shop.web.clicked", "urn:babel:web:clicked", id="a reverse domain name"),
        pytest.param("web/clicked", "urn:babel:web:clicked", id="a path"),
        pytest.param("App\\Events\\OrderPlaced", "urn:babel:order:placed", id="a class of PHP"),
        pytest.param("App\\Orders\\Events\\Placed", "urn:babel:orders:placed", id="a class in its module"),
        pytest.param("OrderPlacedEvent", "urn:babel:order:placed", id="a class without a namespace"),
        pytest.param("ping", "urn:babel:health:ping", id="one word, in the context of its queue"),
        pytest.param("urn:babel:web:clicked_v2", "urn:babel:web:clicked", id="a version without the one before"),
        pytest.param("urn:babel:Web.Größe", "urn:babel:web:grosse", id="letters beyond ASCII"),
    ],
)
def test_a_name_that_is_not_a_good_urn_becomes_an_alias_of_one(name: str, urn: str) -> None:
    result = recorded(name)
    if urn.endswith("grosse"):
        urn = str(next(iter(result.new)))  # however it is spelled in ASCII
    assert {str(each): names for each, names in result.aliases.items()} == {urn: [name]}
    assert [str(each) for each in result.new] == [urn]


def test_names_of_one_proposal_are_one_message_with_all_of_them() -> None:
    names = ["com.shop.web.clicked", "urn:babel:Web.Clicked", "urn:babel:web:clicked"]
    sketches = {name: sketch(number + 1) for number, name in enumerate(names)}
    before = deepcopy(sketches)
    result = recorded_messages(EMPTY, sketches, name_rules())
    urn = Urn.parse("urn:babel:web:clicked")
    assert result.aliases == {urn: ["com.shop.web.clicked", "urn:babel:Web.Clicked"]}
    assert result.new[urn].count == 1 + 2 + 3
    assert {name: each.count for name, each in sketches.items()} == {n: each.count for n, each in before.items()}


def test_versions_follow_each_other() -> None:
    result = recorded("Web.Clicked", "Web.Clicked.v2", "urn:babel:shop:paid", "urn:babel:shop:paid-v2")
    assert {str(urn): names for urn, names in result.aliases.items()} == {
        "urn:babel:web:clicked": ["Web.Clicked"],
        "urn:babel:web:clicked.v2": ["Web.Clicked.v2"],
        "urn:babel:shop:paid.v2": ["urn:babel:shop:paid-v2"],
    }


def test_what_is_declared_is_declared_under_every_name_and_a_likely_alias_is_left_to_people() -> None:
    result = recorded("click", "urn:babel:web:clicked", "Web.Clicked", registry=DECLARED)
    assert {urn: each.count for urn, each in result.declared.items()} == {"urn:babel:web:clicked": 2}
    assert result.likely == {"Web.Clicked": "urn:babel:web:clicked"}
    assert not result.new


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("orders.created.1042", id="a number of one thing"),
        pytest.param("user.0b54f1a6-6a0e-4d0f-9d4c-7d0c2f7a4e11", id="a UUID"),
        pytest.param("mail.to.ada@example.org", id="an address"),
        pytest.param("!!!", id="no letters"),
        pytest.param("a." * 60, id="too long"),
    ],
)
def test_a_name_that_may_hold_data_is_not_written(name: str) -> None:
    result = recorded(name)
    assert (list(result.unusable), dict(result.new)) == ([name], {})


@given(st.lists(st.text("abcWV2.:-_\\/ é", min_size=1, max_size=12), unique=True, max_size=6))
def test_every_name_has_one_place_and_every_proposal_is_a_urn(names: Sequence[str]) -> None:
    result = recorded(*names)
    places = [*(str(urn) for urn in result.new if str(urn) in names), *result.unusable, *result.likely]
    places += [name for listed in result.aliases.values() for name in listed]
    assert sorted(set(places)) == sorted(names)
    assert all(Urn.parse(str(urn)) == urn for urn in result.new)
    assert sum(each.count for each in (*result.new.values(), *result.unusable.values())) == len(names)
