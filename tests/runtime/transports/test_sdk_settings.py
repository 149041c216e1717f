"""The only place where names that are private to babelqueue are used."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import babelqueue
import pytest
from babelqueue.kafka_transport import KafkaTransport
from babelqueue.pika_transport import PikaTransport
from babelqueue.redis_transport import RedisTransport

from babelreg.errors import UsageError
from babelreg.runtime.transports import sdk_settings

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
    """The uses of private names of babelqueue: imports, and attributes of objects other than ``self``.

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
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("getattr", "setattr"):
            found += [a.value for a in node.args if isinstance(a, ast.Constant) and a.value in theirs]
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


class Reads(dict[str, object]):
    """The attributes of an object, with the names that are read."""

    def __init__(self, of: object) -> None:
        super().__init__(vars(of))
        self.names: list[str] = []
        of.__dict__ = self

    def __getitem__(self, name: str) -> object:
        self.names.append(name)
        return super().__getitem__(name)


def test_the_private_names_are_these() -> None:
    """Three stand in a table with their reasons, the others have the name of a public parameter."""
    assert sorted(sdk_settings._NAMES.values()) == ["_batch", "_brokers", "_redis"]
    redis, kafka, rabbitmq = RedisTransport(client=object()), KafkaTransport(), PikaTransport("amqp://a/b")
    reads = [Reads(transport) for transport in (redis, kafka, rabbitmq)]
    sdk_settings.redis_settings(redis)
    sdk_settings.kafka_settings(kafka)
    sdk_settings.rabbitmq_url(rabbitmq)
    assert [sorted(read.names) for read in reads] == [
        [
            "_batch",
            "_block_for",
            "_clock",
            "_key_prefix",
            "_laravel_compat",
            "_processing_suffix",
            "_redis",
            "_retry_after",
        ],
        [
            "_brokers",
            "_client_config",
            "_consumer_factory",
            "_delivery_timeout",
            "_group_id",
            "_producer",
            "_retry_tiers_ms",
        ],
        ["_url"],
    ]


def test_every_setting_is_taken_over() -> None:
    clock = lambda: 1.0  # noqa: E731
    redis = {
        "processing_suffix": ":work", "laravel_compat": True, "key_prefix": "q:", "retry_after": 7, "block_for": 2.0,
        "migration_batch_size": 5, "clock": clock, "client": object(),
    }  # fmt: skip
    assert sdk_settings.redis_settings(RedisTransport(**redis)) == redis  # type: ignore[arg-type]
    kafka = {
        "producer": object(), "consumer_factory": object(), "group_id": "billing", "delivery_timeout": 3.0,
        "retry_tiers_ms": [5],
    }  # fmt: skip
    transport = KafkaTransport("kafka://a:1,b:2/x", **kafka, linger=1)  # type: ignore[arg-type]
    expected = {**kafka, "brokers": "a:1,b:2", "client_config": {"linger": 1}}
    assert sdk_settings.kafka_settings(transport) == expected
    assert sdk_settings.rabbitmq_url(PikaTransport("amqp://a/b")) == "amqp://a/b"
    for kind, settings in ((RedisTransport, redis), (KafkaTransport, {**kafka, "client_config": 0})):
        assert set(inspect.signature(kind).parameters) - {"url"} == set(settings), "a parameter is new"


def test_a_setting_that_is_kept_elsewhere_is_an_error() -> None:
    transport = PikaTransport("amqp://a/b")
    del transport._url
    with pytest.raises(UsageError, match="keeps 'url' of its PikaTransport in an unknown way"):
        sdk_settings.rabbitmq_url(transport)
