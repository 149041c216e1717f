"""The only place where names that are private to babelqueue are used."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import textwrap
from collections.abc import Iterator
from pathlib import Path

import babelqueue
import pytest
import redis
from babelqueue.kafka_transport import KafkaTransport
from babelqueue.pika_transport import PikaTransport
from babelqueue.redis_transport import RedisTransport
from babelqueue.transport import Transport

from babelreg import runtime
from babelreg.errors import UsageError
from babelreg.runtime.transports import sdk_settings
from babelreg.runtime.transports.replacements import confirmed

PACKAGE = Path(__file__).parents[3] / "babelreg"
ALLOWED = Path(sdk_settings.__file__)


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def their_names() -> set[str]:
    """All private names that babelqueue defines or assigns to."""
    names: set[str] = set()
    for path in Path(babelqueue.__file__).parent.glob("*.py"):
        names.add(path.stem)
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                names.add(node.attr)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
    return {name for name in names if is_private(name)}


def private_uses(source: str, theirs: set[str]) -> list[str]:
    """The uses of private names of babelqueue: imports, texts, and attributes of objects other than ``self``.

    A class of ours may have an attribute of such a name if it does not inherit from a class of babelqueue that does.
    """
    tree, found, concrete = ast.parse(source), [], set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "babelqueue":
            names = [*str(node.module).split("."), *(alias.name for alias in node.names)]
            found += [name for name in names if is_private(name)]
            if str(node.module).endswith("_transport"):
                concrete |= {alias.asname or alias.name for alias in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            bases = {base.id for base in node.bases if isinstance(base, ast.Name)}
            found += [f"class {node.name}({base})" for base in bases & concrete]
        elif isinstance(node, ast.Attribute) and node.attr in theirs:
            if not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")):
                found.append(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in theirs - {"_"}:
            found.append(node.value)
    return found


def test_nothing_else_uses_private_names_of_babelqueue() -> None:
    theirs = their_names()
    assert {"_redis", "_url", "_brokers", "_pending", "_poison_record", "_frame_value"} <= theirs
    paths = [path for path in PACKAGE.rglob("*.py") if path != ALLOWED and "babelqueue" in path.read_text("utf-8")]
    paths += [path for path in (PACKAGE / "runtime").rglob("*.py") if path != ALLOWED and path not in paths]
    uses = {path.relative_to(PACKAGE).as_posix(): private_uses(path.read_text("utf-8"), theirs) for path in paths}
    assert {path: names for path, names in uses.items() if names} == {}


@pytest.mark.parametrize(
    "source, found",
    [
        pytest.param("from babelqueue._poison_record import build", ["_poison_record"], id="a private module"),
        pytest.param("from babelqueue.redis_transport import _wire", ["_wire"], id="a private function"),
        pytest.param("transport._redis.ping()", ["_redis"], id="a private attribute"),
        pytest.param("getattr(transport, '_redis', None)", ["_redis"], id="a private attribute by its name"),
        pytest.param("vars(transport)['_redis']", ["_redis"], id="a private attribute in a dictionary"),
        pytest.param("super()._migrate(key)", ["_migrate"], id="a private method of a base"),
        pytest.param(
            "from babelqueue.kafka_transport import KafkaTransport\nclass K(KafkaTransport): ...",
            ["class K(KafkaTransport)"],
            id="a subclass, whose attributes and methods are theirs",
        ),
        pytest.param("self._redis.ping()", [], id="an attribute of our own"),
    ],
)
def test_the_check_finds(source: str, found: list[str]) -> None:
    assert private_uses(source, their_names()) == found


def own_names(kind: type) -> set[str]:
    """The private names that the source of a class has."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    methods = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    return set(filter(is_private, attributes | methods))


def derived() -> Iterator[tuple[type, type]]:
    """The classes of the runtime, each with every class of babelqueue that it inherits from."""
    for found in pkgutil.walk_packages(runtime.__path__, "babelreg.runtime."):
        module = importlib.import_module(found.name)
        for kind in vars(module).values():
            if inspect.isclass(kind) and kind.__module__ == found.name:
                yield from ((kind, base) for base in kind.__mro__[1:] if base.__module__.startswith("babelqueue."))


def test_attributes_of_derived_classes_are_their_own() -> None:
    pairs = list(derived())
    assert {kind.__name__ for kind, _ in pairs} >= {"Kafka", "OutboxRelay", "PlainRedis", "RabbitMQ"}
    assert [(kind, base, names) for kind, base in pairs if (names := own_names(kind) & own_names(base))] == []


def test_the_private_names_are_three() -> None:
    """All that stand in the module, as attributes or as texts. What it compares, it compares without names."""
    tree = ast.parse(ALLOWED.read_text("utf-8"))
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert (texts | attributes) & their_names() - {"_"} == {"_brokers", "_redis", "_url"}


def test_the_broker_is_taken_over() -> None:
    client = object()
    assert sdk_settings.redis_client(RedisTransport(client=client)) is client
    assert sdk_settings.kafka_brokers(KafkaTransport("kafka://a:1,b:2/x")) == "a:1,b:2"
    assert sdk_settings.rabbitmq_url(PikaTransport("amqp://a/b")) == "amqp://a/b"


@pytest.mark.parametrize(
    "transport, settings, instead",
    [
        pytest.param(
            RedisTransport(client=redis.Redis(), retry_after=2), "retry_after", "redis_transport", id="a lease on Redis"
        ),
        pytest.param(
            RedisTransport(client=redis.Redis(), laravel_compat=True),
            "laravel_compat",
            "redis_transport",
            id="a layout",
        ),
        pytest.param(
            RedisTransport(client=redis.Redis(), migration_batch_size=5),
            "batch",
            "redis_transport",
            id="a setting under another name than its parameter",
        ),
        pytest.param(
            RedisTransport(client=redis.Redis(), clock=lambda: 1.0, block_for=1.0),
            "block_for and clock",
            "redis_transport",
            id="two settings",
        ),
        pytest.param(KafkaTransport(group_id="billing"), "group_id", "kafka_transport", id="a group on Kafka"),
        pytest.param(KafkaTransport(acks="1"), "client_config", "kafka_transport", id="settings of Kafka's client"),
        pytest.param(KafkaTransport(producer=object()), "producer", "kafka_transport", id="a producer"),
        pytest.param(KafkaTransport(retry_tiers_ms=[5]), "retry_tiers_ms", "kafka_transport", id="retry topics"),
    ],
)
def test_other_settings_are_refused_with_a_way_out(transport: Transport, settings: str, instead: str) -> None:
    with pytest.raises(UsageError) as refused:
        confirmed(transport)
    kind = type(transport).__name__
    assert str(refused.value) == (
        f"{settings} of a {kind} cannot be applied, because babelqueue does not expose it\n  fix: from babelreg.runtime import {instead};"
        f" BabelQueue(transport={instead}(...)) takes the arguments of {kind}"
    )


def parameters(kind: type) -> list[str]:
    return [name for name in inspect.signature(kind).parameters if name not in ("url", "client")]


@pytest.mark.parametrize("kind", [RedisTransport, KafkaTransport, PikaTransport])
def test_every_parameter_is_noticed(kind: type) -> None:
    """Also one that a later version adds."""
    given = (
        {"client": redis.Redis()} if kind is RedisTransport else {"url": "amqp://a/b"} if kind is PikaTransport else {}
    )
    for name in parameters(kind):
        transport = kind(**given)
        (kept,) = [
            kept
            for kept in vars(transport)
            if kept.lstrip("_") in (name, name.replace("migration_batch_size", "batch"))
        ]
        setattr(transport, kept, object())
        with pytest.raises(UsageError, match=f"^{kept.lstrip('_')} of a {kind.__name__} cannot"):
            confirmed(transport)


def test_a_transport_that_was_used_is_replaced() -> None:
    """Connections and queues that were declared are no settings."""
    rabbitmq = PikaTransport("amqp://a/b")
    vars(rabbitmq).update(_connection=object(), _channel=object(), _declared={"orders"})
    kafka = KafkaTransport()
    vars(kafka).update(_consumers={"orders": object()}, _pending={"orders": [object()]})
    assert [type(confirmed(transport)).__name__ for transport in (rabbitmq, kafka)] == ["RabbitMQ", "Kafka"]


def test_a_broker_that_is_kept_elsewhere_is_an_error() -> None:
    transport = PikaTransport("amqp://a/b")
    del transport._url
    with pytest.raises(UsageError, match="keeps 'url' of its PikaTransport in an unknown way"):
        sdk_settings.rabbitmq_url(transport)
