"""A Redis Cluster is refused by name: by senders, consumers and every command that moves messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis_server
import subscribed_messages as shop
from babelqueue import BabelQueue
from server import Server

from babelreg.cli import main
from babelreg.errors import UsageError
from babelreg.load.service.starter import example_folder

pytestmark = pytest.mark.servers
REFUSED = "Redis Cluster is not supported"


@pytest.fixture(scope="module")
def nodes() -> Iterator[list[Server]]:
    with redis_server.cluster() as servers:
        yield servers


def send(app: BabelQueue) -> object:
    return shop.PlacedProducer(app).send(shop.Placed(order_id=1))


def handle(app: BabelQueue, *, wait_for_broker: bool = False) -> object:
    consumer = shop.ShopConsumer(app, service="billing")
    consumer.on(shop.Placed)(lambda order, context: None)
    return consumer.run(timeout_seconds=0.01, wait_for_broker=wait_for_broker)


@pytest.mark.parametrize(
    "use",
    [
        pytest.param(send, id="a producer"),
        pytest.param(handle, id="a consumer"),
        pytest.param(lambda app: handle(app, wait_for_broker=True), id="a consumer that would wait"),
    ],
)
def test_code_refuses_it_on_every_node(nodes: list[Server], use: Callable[[BabelQueue], object]) -> None:
    for node in nodes:
        app = BabelQueue(node.url)
        with pytest.raises(UsageError, match=REFUSED):
            use(app)
        app.transport.close()


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["topology", "URL"], id="topology"),
        pytest.param(["topology", "URL", "--apply"], id="topology --apply"),
        pytest.param(["fanout", "URL"], id="fanout"),
        pytest.param(["drain", "redis", "URL", "orders.dlq", "--out", "DIR"], id="drain"),
        pytest.param(["redrive", "--broker", "URL", "--from", "orders.dlq"], id="redrive"),
    ],
)
def test_commands_refuse_it(
    nodes: list[Server], words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [{"URL": nodes[0].url, "DIR": str(tmp_path)}.get(word, word) for word in words]
    with pytest.raises(SystemExit) as ended:
        main([*given, "--registry", str(example_folder())])
    assert ended.value.code == 2
    assert REFUSED in capsys.readouterr().err
