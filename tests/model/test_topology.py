"""The topology gives every consumer its events, and nobody else's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg import load
from babelreg.load.files.tree import Memory
from babelreg.load.service.starter import example_folder
from babelreg.model import Consumption, Message, Registry, Service, Topology, Urn, topology

CREATED, PAID, SHIP = "urn:babel:orders:created", "urn:babel:orders:paid", "urn:babel:orders:parcel.ship"


def of(*lines: str, **services: str) -> Topology:
    """The topology of messages, each ``urn kind queue``, and services, each a list of ``urn`` or ``urn@queue``."""
    messages = tuple(_message(*line.split()) for line in lines)
    uses = {name: tuple(_use(word) for word in words.split()) for name, words in services.items()}
    return topology(
        Registry(
            "",
            messages=messages,
            services={name: Service(name, _SOURCE, consumes=uses[name]) for name in uses},
        )
    )


def _message(urn: str, kind: str = "event", queue: str = "orders", status: str = "active") -> Message:
    return Message(urn, Urn.parse(urn), _SOURCE, kind=kind, queue=None if queue == "-" else queue, status=status)


def _use(word: str) -> Consumption:
    urn, _, queue = word.partition("@")
    return Consumption(urn, queue=queue or None)


_SOURCE = load.from_tree(Memory({"babelreg.yaml": b"version: 1\n"})).settings.source
assert _SOURCE is not None


def test_an_event_goes_to_the_inbox_of_every_service_that_consumes_it():
    known = of(CREATED, billing=CREATED, warehouse=CREATED)
    assert [(each.service, each.queue) for each in known.of_urn(CREATED)] == [
        ("billing", "billing"),
        ("warehouse", "warehouse"),
    ]


def test_a_service_names_another_queue_for_one_message():
    known = of(CREATED, PAID, billing=f"{CREATED}@work {PAID}")
    assert known.reads("billing") == {"billing": (PAID,), "work": (CREATED,)}
    assert [each.named for each in known.of_service("billing")] == [True, False]


@pytest.mark.parametrize(
    "lines, services, besides, fan_outs",
    [
        pytest.param([CREATED], {"billing": CREATED}, ("orders",), {}, id="alone on a queue, a service reads it"),
        pytest.param(
            [CREATED], {"billing": CREATED, "stock": CREATED}, (), {"orders": (CREATED,)}, id="two need a fan-out"
        ),
        pytest.param(
            [CREATED, PAID],
            {"billing": CREATED, "stock": PAID},
            (),
            {"orders": (CREATED, PAID)},
            id="two that consume different messages of a queue need one, too",
        ),
        pytest.param(
            [CREATED, PAID], {"billing": CREATED}, (), {"orders": (CREATED, PAID)}, id="a message that nobody consumes"
        ),
        pytest.param([CREATED], {"billing": f"{CREATED}@orders"}, (), {}, id="an inbox is not fanned out"),
        pytest.param([f"{CREATED} event -"], {"billing": CREATED}, (), {}, id="no queue"),
        pytest.param([f"{CREATED} event orders retired"], {"billing": CREATED}, (), {}, id="a retired message"),
        pytest.param([CREATED], {}, (), {}, id="nobody consumes anything"),
    ],
)
def test_a_queue_of_producers_is_read_or_fanned_out(lines, services, besides, fan_outs):
    known = of(*lines, **services)
    assert (known.read_besides("billing"), known.fan_outs) == (besides, fan_outs)


def test_the_messages_of_others_on_a_shared_queue_are_known():
    known = of(CREATED, PAID, billing=f"{CREATED}@work", stock=f"{PAID}@work")
    assert known.others("billing") == {"work": (PAID,)}


def test_a_group_knows_what_is_not_for_it_on_its_topics():
    known = of(CREATED, PAID, f"{SHIP} command parcels", billing=CREATED, stock=f"{PAID} {SHIP}")
    assert known.topics("billing") == {"orders": (PAID,)}
    assert known.topics("stock") == {"orders": (CREATED,), "parcels": ()}


def test_of_the_example_no_service_takes_messages_of_another():
    known = topology(load.registry(example_folder()))
    assert all(len({each.service for each in queue}) == 1 for queue in known.queues.values())
    assert set(known.fan_outs) == {"media", "orders"}


_URNS = [CREATED, PAID, SHIP]
_WORLDS = st.tuples(
    st.lists(st.tuples(st.sampled_from(_URNS), st.sampled_from(["orders", "parcels", "stock", "-"])), min_size=1),
    st.dictionaries(
        st.sampled_from(["billing", "stock", "mailer"]),
        st.lists(st.tuples(st.sampled_from(_URNS), st.sampled_from(["", "@orders", "@work"])), min_size=1),
    ),
)


@given(_WORLDS)
def test_every_consumer_has_one_queue_for_each_message_and_every_sent_message_one_way(world):
    messages, services = world
    known = of(
        *(f"{urn} event {queue}" for urn, queue in dict(messages).items()),
        **{name: " ".join(urn + queue for urn, queue in uses) for name, uses in services.items()},
    )
    declared = {(name, urn) for name, uses in services.items() for urn, _ in uses if urn in known.sources}
    assert {(each.service, each.urn) for each in known.subscriptions} == declared
    assert len(known.subscriptions) == len(declared)
    for queue, urns in known.sent_to.items():
        readers = [name for name in known.services if queue in known.read_besides(name)]
        assert len(readers) <= 1
        taken = [queue in known.queues, bool(readers), queue in known.fan_outs]
        assert sum(taken) == (1 if queue in known.queues or any(map(known.of_urn, urns)) else 0)
        if readers:
            assert all({each.service for each in known.of_urn(urn)} == set(readers) for urn in urns)
    for name in known.services:
        own = {each.urn for each in known.of_service(name)}
        assert not own & {urn for urns in known.others(name).values() for urn in urns}
        assert not own & {urn for urns in known.topics(name).values() for urn in urns}
