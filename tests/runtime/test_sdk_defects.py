"""The defects of babelqueue 1.24.0 that the runtime mends: each is still there, and ours is right.

A test of ``bare`` that fails means that a newer babelqueue has mended its defect: then see whether what we do about it
is still needed. The numbers are those of the list that the package was judged by.
"""

from __future__ import annotations

import asyncio
import json
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import runtime_messages as on
from babelqueue import BabelQueue, EnvelopeCodec, schema

from babelreg.errors import UsageError
from babelreg.runtime import Consumer, Context, InvalidDataError, MessageType

Body = str | dict[str, Any]


def fail(*given: Any) -> None:
    raise RuntimeError("no")


class Run:
    """What became of bodies that lay in ``orders``: what handlers saw, what is left, what is dead."""

    def __init__(self, app: BabelQueue, bodies: tuple[Body, ...]) -> None:
        self.app = app
        self.seen: list[Any] = []
        for body in bodies:
            on.put(app, body)

    @property
    def dead(self) -> list[dict[str, Any]]:
        return [json.loads(body) for body in on.bodies(self.app, "orders.dlq")]

    @property
    def left(self) -> list[str]:
        return on.bodies(self.app, "orders")


def bare(*bodies: Body, act: Callable[..., Any] | None = None, **settings: Any) -> Run:
    """The bodies handled by the bare package."""
    run = Run(on.app(**{"dead_letter": True, **settings}), bodies)

    @run.app.handler(on.CREATED)
    def handle(data: dict[str, Any], meta: dict[str, Any]) -> Any:
        run.seen.append(data)
        return act(data) if act else None

    run.app.consume(max_messages=10, timeout=0.01)
    return run


def ours(*bodies: Body, act: Callable[..., Any] | None = None, **settings: Any) -> Run:
    """The bodies handled by the runtime."""
    run = Run(on.app(**settings), bodies)
    consumer = Consumer(run.app)

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> Any:
        run.seen.append(order)
        return act(order) if act else None

    consumer.run(max_messages=10, timeout_seconds=0.01)
    return run


def version(number: object) -> dict[str, Any]:
    made = on.envelope()
    return {**made, "meta": {**made["meta"], "schema_version": number}}


def without(member: str) -> dict[str, Any]:
    made = on.envelope()
    del made[member]
    return made


NEVER_FOR_A_HANDLER = [
    pytest.param(version(99), id="1: an envelope version nobody knows"),
    pytest.param(on.envelope(attempts=-5), id="9: negative attempts"),
    pytest.param(without("trace_id"), id="9: no trace_id"),
    pytest.param(without("data"), id="9: no data"),
    pytest.param(on.envelope(data=None), id="9: null for data"),
    pytest.param(without("meta"), id="9: no meta"),
]


@pytest.mark.parametrize("body", NEVER_FOR_A_HANDLER)
def test_1_and_9_bare_lets_it_reach_the_handler(body: dict[str, Any]) -> None:
    run = bare(body)
    assert len(run.seen) == 1
    assert run.dead == []


@pytest.mark.parametrize("body", NEVER_FOR_A_HANDLER)
def test_1_and_9_ours_lays_it_among_the_dead(body: dict[str, Any]) -> None:
    run = ours(body)
    assert run.seen == []
    assert len(run.dead) == 1


def test_2_bare_dies_of_attempts_that_are_null() -> None:
    with pytest.raises(TypeError):
        bare(on.envelope(attempts=None), on.envelope(), act=fail)


def test_2_ours_goes_on() -> None:
    run = ours(on.envelope(attempts=None), on.envelope())
    assert (len(run.seen), len(run.dead)) == (1, 1)


async def later(*given: Any) -> None:
    await asyncio.sleep(0)
    raise RuntimeError("no")


def test_3_bare_acknowledges_what_an_async_handler_never_did() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # never awaited
        run = bare(on.envelope(), act=later)
    assert run.dead == run.left == []


def test_3_ours_awaits_it() -> None:
    run = ours(on.envelope(), act=later)
    assert (len(run.seen), len(run.dead)) == (3, 1)


def test_4_bare_sends_what_is_no_json() -> None:
    app = on.app()
    app.publish(on.CREATED, {"order_id": 1, "amount": float("nan")})
    assert "NaN" in on.bodies(app, "orders")[0]


def test_4_ours_sends_nothing() -> None:
    app = on.app()
    with pytest.raises(InvalidDataError, match="/amount is NaN"):
        on.OrdersCreatedProducer(app).send(on.OrdersCreated.model_construct(None, order_id=1, amount=float("nan")))
    assert on.bodies(app, "orders") == []


NESTED = on.envelope(data={"order_id": 1, "free": {"x": 1}})


def test_5_bare_lets_changes_of_a_handler_into_the_dead_letters() -> None:
    def spoil(data: dict[str, Any]) -> None:
        data["free"]["x"] = "MUTATED"
        fail()

    assert bare(NESTED, act=spoil).dead[0]["data"]["free"] == {"x": "MUTATED"}


def test_5_ours_does_not() -> None:
    def spoil(order: on.OrdersCreated) -> None:
        assert order.model_extra is not None
        order.model_extra["free"]["x"] = "MUTATED"
        fail()

    assert ours(NESTED, act=spoil).dead[0]["data"]["free"] == {"x": 1}


def test_6_bare_retries_for_as_long_as_attempts_are_negative() -> None:
    run = bare(on.envelope(attempts=-1000), act=fail)
    assert (len(run.seen), run.dead) == (10, [])


def test_6_ours_does_not_begin() -> None:
    run = ours(on.envelope(attempts=-1000), act=fail)
    assert (run.seen, len(run.dead)) == ([], 1)


def test_7_bare_begins_a_new_trace_for_what_a_handler_sends() -> None:
    app = on.app()
    envelope = on.envelope()
    on.put(app, envelope)
    app.register(on.CREATED, lambda data, meta: app.publish(on.CANCELLED, {"order_id": 1}, queue="next"))
    app.consume(max_messages=1, timeout=0.01)
    assert json.loads(on.bodies(app, "next")[0])["trace_id"] != envelope["trace_id"]


def test_7_ours_carries_it_on() -> None:
    app = on.app()
    envelope = on.envelope()
    on.put(app, envelope)
    consumer = Consumer(app)
    consumer.on(on.OrdersCreated)(
        lambda order, context: (
            on.OrdersCancelledProducer(app, queue="next").send(on.OrdersCancelled(order_id=1)) and None
        )
    )
    consumer.run(max_messages=1, timeout_seconds=0.01)
    assert json.loads(on.bodies(app, "next")[0])["trace_id"] == envelope["trace_id"]


def test_8_bare_drops_a_failing_message_by_default() -> None:
    run = bare(on.envelope(), act=fail, dead_letter=False)
    assert run.dead == run.left == []


def test_8_ours_keeps_it() -> None:
    assert len(ours(on.envelope(), act=fail).dead) == 1


def test_8_bare_takes_any_word_for_a_strategy() -> None:
    assert BabelQueue(on_unknown_urn="banana").on_unknown_urn == "banana"


def test_8_ours_does_not() -> None:
    with pytest.raises(UsageError):
        Consumer(on.app(on_unknown_urn="banana"))


UNSENDABLE = [
    pytest.param({"order_id": 1, "note": "\ud800"}, "/note", id="11: an unpaired surrogate"),
    pytest.param({"order_id": 1, 1: "a", "1": "b"}, "", id="11: two keys that become one"),
]


@pytest.mark.parametrize("data, pointer", UNSENDABLE)
def test_11_bare_sends_what_no_reader_reads_as_it_was(data: dict[Any, Any], pointer: str) -> None:
    app = on.app()
    app.publish(on.CREATED, data)
    (body,) = on.bodies(app, "orders")
    assert "\ud800" in body or body.count('"1":') == 2


@pytest.mark.parametrize("data, pointer", UNSENDABLE)
def test_11_ours_names_the_place(data: dict[Any, Any], pointer: str) -> None:
    class Loose(on.OrdersCreatedProducer):
        message = MessageType(on.CREATED, dict, {"type": "object"}, dict, dict)  # type: ignore[assignment]

    app = on.app()
    with pytest.raises(InvalidDataError) as caught:
        Loose(app).send(data)  # type: ignore[arg-type]
    assert (caught.value.reason, caught.value.pointer) == ("not_json", pointer)
    assert on.bodies(app, "orders") == []


@pytest.mark.parametrize("data", [[("a", 1)], ["ab"], ""], ids=repr)
def test_10_bare_makes_an_object_of_what_is_none(data: Any) -> None:
    app = on.app()
    app.publish(on.CREATED, data)
    assert isinstance(json.loads(on.bodies(app, "orders")[0])["data"], dict)


@pytest.mark.parametrize("data", [[("a", 1)], ["ab"], "", {"order_id": 1}], ids=repr)
def test_10_ours_takes_its_own_models_alone(data: Any) -> None:
    app = on.app()
    with pytest.raises(TypeError, match="takes OrdersCreated"):
        on.OrdersCreatedProducer(app).send(data)
    assert on.bodies(app, "orders") == []


DEEP = '{"job":"urn:babel:orders:created","data":' + '{"a":' * 100_000


def test_12_bare_cannot_decode_what_nests_deep() -> None:
    with pytest.raises(RecursionError):
        EnvelopeCodec.decode(DEEP)


def test_12_ours_calls_it_poison() -> None:
    run = ours(DEEP, on.envelope())
    assert (len(run.seen), [record["dead_letter"]["reason"] for record in run.dead]) == (1, ["poison"])


NUMBERS = json.dumps(on.envelope(data={"order_id": 1, "amount": 7})).replace('"amount": 7}', '"amount": 1.10}')


def test_13_bare_spells_numbers_anew_on_a_retry() -> None:
    app = on.app(dead_letter=True)
    on.put(app, NUMBERS)
    app.register(on.CREATED, fail)
    app.consume(max_messages=1, timeout=0.01)
    assert "1.10" not in on.bodies(app, "orders")[0]


def test_13_ours_leaves_every_byte() -> None:
    app = on.app()
    text = on.put(app, NUMBERS)
    consumer = Consumer(app)
    consumer.on(on.OrdersCreated)(fail)
    consumer.run(max_messages=1, timeout_seconds=0.01)
    assert on.bodies(app, "orders") == [text.replace('"attempts": 0', '"attempts": 1')]


def elsewhere() -> dict[str, Any]:
    made = on.envelope()
    return {**made, "meta": {**made["meta"], "queue": "../../payments"}}


def shout(*given: Any) -> None:
    raise RuntimeError("x" * 100_000)


def test_14_bare_believes_the_producers_queue_and_keeps_any_text() -> None:
    block = bare(elsewhere(), act=shout).dead[0]["dead_letter"]
    assert block["original_queue"] == "../../payments"
    assert len(block["error"]) == 100_000


def test_14_ours_says_where_it_was_taken_from_and_cuts() -> None:
    block = ours(elsewhere(), act=shout).dead[0]["dead_letter"]
    assert block["original_queue"] == "orders"
    assert len(block["error"]) == 500


BAD = on.envelope(data={"order_id": 0})


def test_15_bare_tries_bad_data_again_and_again() -> None:
    app = on.app(dead_letter=True)
    on.put(app, BAD)
    wrapped = schema.wrap(schema.MapProvider({on.CREATED: on.SCHEMA}), on.CREATED, lambda data, meta: None)
    app.register(on.CREATED, wrapped)
    assert app.consume(max_messages=10, timeout=0.01) == 3


def test_15_ours_gives_it_up_at_once() -> None:
    app = on.app()
    on.put(app, BAD)
    consumer = Consumer(app)
    consumer.on(on.OrdersCreated)(fail)
    assert consumer.run(max_messages=10, timeout_seconds=0.01) == 1


def test_16_bare_forgets_the_first_of_two_handlers() -> None:
    app = on.app()
    app.register(on.CREATED, fail)
    app.register(on.CREATED, print)
    assert app._handlers == {on.CREATED: print}


def test_16_ours_refuses_the_second() -> None:
    consumer = Consumer(on.app())
    consumer.on(on.OrdersCreated)(fail)
    with pytest.raises(UsageError):
        consumer.on(on.OrdersCreated)(fail)
