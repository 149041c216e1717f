"""A package for one service: what it sends, what it handles, and what it upcasts from; run as a service would."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from generated import FORMS, write_package

from babelreg import load
from babelreg.gen.targets.python import target
from babelreg.gen.targets.python.message_metadata import ancestor
from babelreg.model import Expectation, Registry
from babelreg.model.service_subset import share_of

ROOT = Path(__file__).resolve().parents[4]
EXAMPLE = ROOT / "registry.example"


def for_service(registry: Registry, service: str, **options: object) -> dict[str, str]:
    """The files for ``service``, as ``gen`` asks for them in the service's own repository."""
    share = share_of(registry, service)
    given = {"service": service, **share.urns, **options}
    return {file.path: file.text for file in target.files(share.part, given)}


def classes(files: dict[str, str]) -> set[str]:
    """What the package offers of messages."""
    imports = [node for node in ast.parse(files["messages/__init__.pyi"]).body if isinstance(node, ast.ImportFrom)]
    own = [node for node in imports if node.level and node.module and not node.module.startswith(("_", "common"))]
    return {name.name for node in own for name in node.names}


@pytest.mark.parametrize(
    "service, offered",
    [
        pytest.param("mailer", {"NotificationsEmailWelcomeSend"}, id="one that handles alone"),
        pytest.param(
            "media-worker",
            {"MediaThumbnailGenerate", "MediaThumbnailGenerated", "MediaThumbnailGeneratedProducer"},
            id="one that handles and sends",
        ),
        pytest.param(
            "warehouse",
            {"OrdersCreatedV2", "OrdersCancelled", "OrdersCreated"},
            id="one that handles v2 and may upcast v1 to it",
        ),
        pytest.param("nobody", set(), id="one that the registry does not know"),
    ],
)
def test_a_package_holds_what_its_service_has_a_part_in(service: str, offered: set[str]) -> None:
    assert classes(for_service(load.registry(EXAMPLE), service)) == offered


SERVICE = """
import warnings
warnings.simplefilter("error", ResourceWarning)
from babelqueue import BabelQueue
from messages import Consumer, Context, OrdersCreated, OrdersCreatedV2, OrdersCancelled
from messages.orders_created_v2 import Money
from messages.testing import Broker

app = BabelQueue("memory://")
consumer = Consumer(app)

@consumer.on(OrdersCreatedV2, upcast_from=[OrdersCreated])
async def handle(order: OrdersCreatedV2, context: Context) -> None:
    print(context.urn, order.order_id, order.total.minor, order.total.currency)

try:
    consumer.run(max_messages=1)
except Exception as error:
    print(error)

@consumer.on(OrdersCancelled)
def cancelled(order: OrdersCancelled, context: Context) -> None: ...

with Broker(app) as broker:
    print(broker.deliver(consumer, OrdersCreated(order_id=1, amount_minor=5)).kind)
    print(broker.deliver(consumer, OrdersCreatedV2(order_id=2, total=Money(minor=6, currency="SEK"))).kind)
    print(broker.deliver(consumer, OrdersCreatedV2(order_id=3, total=Money(minor=-6, currency="SEK"))).detail)
print(consumer.run(max_messages=1))
"""

SAID = """\
no handler for messages that this service consumes: urn:babel:orders:cancelled
  fix: add @consumer.on(...) for OrdersCancelled, or pass allow_missing=[OrdersCancelled]
urn:babel:orders:created 1 5 EUR
handled
urn:babel:orders:created.v2 2 6 SEK
handled
below_minimum: /total/minor is below its minimum (minimum: 0)
0
"""


@pytest.mark.parametrize("form", FORMS)
def test_a_service_runs_on_its_package(form: str, tmp_path: Path) -> None:
    registry = load.registry(EXAMPLE)
    share = share_of(registry, "warehouse")
    write_package(tmp_path, share.part, {"service": "warehouse", **share.urns}, form=form)
    (tmp_path / "service.py").write_text(SERVICE)
    env = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "MYPYPATH")}
    done = subprocess.run(
        [sys.executable, "service.py"], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert (done.stdout, [line for line in done.stderr.splitlines() if "Error" in line]) == (SAID, [])


EXPECTING = """
from babelqueue import BabelQueue
from messages import Consumer, Context, OrdersCreatedV2
from messages.orders_created_v2 import Money, OrdersCreatedV2Line
from messages.testing import Broker

for checks in (False, True):
    app = BabelQueue("memory://")
    consumer = Consumer(app, check_expectations=checks, **SERVICE)
    consumer.on(OrdersCreatedV2)(lambda order, context: None)
    with Broker(app) as broker:
        for currency, quantity in (("EUR", 1), ("SEK", 1), ("EUR", 20)):
            lines = [OrdersCreatedV2Line(sku="TEA-100", qty=quantity)]
            outcome = broker.deliver(consumer, OrdersCreatedV2(order_id=1, total=Money(minor=6, currency=currency), lines=lines))
            print(outcome.kind, outcome.reason, outcome.detail)
"""
OUTSIDE = """\
handled None None
dead_lettered failed expectation: /total/currency is not one of the values listed ('EUR', 'USD')
dead_lettered failed expectation: /lines/0/qty is above its maximum (maximum: 12)
"""


@pytest.mark.parametrize("service", [None, "warehouse"])
def test_a_consumer_checks_what_its_service_expects(service: str | None, tmp_path: Path) -> None:
    registry = load.registry(EXAMPLE)
    expected = ({"total.currency": {"enum": ["EUR", "USD"]}, "lines[].qty": {"maximum": 12}}).items()
    expects = tuple(Expectation(path, schema) for path, schema in expected)
    uses = tuple(
        replace(use, expects=expects, on_unexpected="dead_letter") if use.urn.endswith("created.v2") else use
        for use in registry.services["warehouse"].consumes
    )
    changed = registry.services["warehouse"]._replace(lang="python", consumes=uses)
    registry = replace(registry, services={**registry.services, "warehouse": changed})
    share = share_of(registry, "warehouse")
    if service is None:
        write_package(tmp_path, registry)
    else:
        write_package(tmp_path, share.part, {"service": service, **share.urns})
    arguments = {} if service is not None else {"service": "warehouse"}
    (tmp_path / "service.py").write_text(f"SERVICE = {arguments!r}\n{EXPECTING}")
    env = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "MYPYPATH")}
    done = subprocess.run(
        [sys.executable, "service.py"], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.returncode) == ("handled None None\n" * 3 + OUTSIDE, 0), done.stderr


def test_a_package_without_expectations_says_nothing_of_them() -> None:
    assert "expects" not in for_service(load.registry(EXAMPLE), "warehouse")["messages/_consumer.py"]


def in_memory(messages: dict[str, str]) -> Registry:
    files = {"babelreg.yaml": b"version: 1\n", "shop/_context.yaml": b"owner: t\n"}
    for name, text in messages.items():
        files[f"shop/{name}.yaml"] = f"urn: urn:babel:shop:{name}\nkind: event\nowner: t\n{text}".encode()
    return load.from_tree(load.files.tree.Memory(files))


DATA = "data: {type: object, properties: {a: {type: integer}}}\n"
STEP = "upcast: [{rename: {a: b}}]\n"


def imports(text: str) -> list[str]:
    """The messages that a generated module imports."""
    found = [node.module or "" for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]
    return [module for module in found if module.startswith("shop_")]


@pytest.mark.parametrize(
    "before, upcast, imported",
    [
        pytest.param(f"status: deprecated\nsunset: '2099-01-01'\n{DATA}", STEP, ["shop_made"], id="with steps"),
        pytest.param(f"status: deprecated\nsunset: '2099-01-01'\n{DATA}", "", [], id="without steps"),
        pytest.param("status: retired\nretired_on: '2020-01-01'\n", STEP, [], id="after a tombstone"),
        pytest.param(f"status: active\nsupersedes: urn:babel:shop:made.v2\n{STEP}{DATA}", STEP, [], id="in a circle"),
    ],
)
def test_a_later_version_imports_the_earlier_one_where_it_can_be_upcast(
    before: str, upcast: str, imported: list[str]
) -> None:
    after = f"status: active\nsupersedes: urn:babel:shop:made\n{upcast}{DATA}"
    files = {file.path: file.text for file in target.files(in_memory({"made": before, "made.v2": after}), {})}
    assert imports(files["messages/shop_made_v2.py"]) == imported
    assert ("supersedes=" in files["messages/shop_made_v2.py"]) == bool(imported)


def test_a_tombstone_has_no_producer() -> None:
    files = {
        file.path: file.text
        for file in target.files(in_memory({"made": "status: retired\nretired_on: '2020-01-01'\n"}), {})
    }
    assert "ShopMade" not in "".join(files.values())


def test_a_deprecated_message_says_what_to_send_instead() -> None:
    before = f"status: deprecated\nsunset: '2099-01-01'\n{DATA}"
    after = f"status: active\nsupersedes: urn:babel:shop:made\n{DATA}"
    files = {file.path: file.text for file in target.files(in_memory({"made": before, "made.v2": after}), {})}
    for line in ('status="deprecated"', 'successor="urn:babel:shop:made.v2"', 'sunset="2099-01-01"'):
        assert f"    {line},\n" in files["messages/shop_made.py"]


def test_a_message_that_is_called_as_a_part_of_the_runtime_takes_the_name() -> None:
    files = for_service(_named("sql", "outbox"), "svc")
    assert classes(files) == {"SqlOutbox", "SqlOutboxProducer"}
    assert files["messages/__init__.pyi"].count("import SqlOutbox as") == 1


def _named(context: str, name: str) -> Registry:
    text = f"urn: urn:babel:{context}:{name}\nkind: event\nstatus: active\nowner: t\nproducers: [svc]\n{DATA}"
    files = {"babelreg.yaml": b"version: 1\n", f"{context}/_context.yaml": b"owner: t\n"}
    return load.from_tree(load.files.tree.Memory({**files, f"{context}/{name}.yaml": text.encode()}))


@pytest.mark.parametrize("service", ['a"""b', "a\\", "a\nimport os", "{{ 7 * 7 }}"])
def test_the_name_of_a_service_is_text_wherever_it_stands(service: str) -> None:
    files = for_service(load.registry(EXAMPLE), service)
    for path in ("messages/__init__.py", "messages/_consumer.py"):
        tree = ast.parse(files[path])
        assert isinstance(tree.body[0], ast.Expr)
        assert not [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
        assert "{{" not in service or service in files[path]


def test_a_line_of_versions_too_long_to_be_imported_is_cut() -> None:
    names = ["made", *(f"made.v{number}" for number in range(2, 80))]
    steps = {
        name: f"status: active\n{f'supersedes: urn:babel:shop:{before}{chr(10)}{STEP}' if before else ''}{DATA}"
        for name, before in zip(names, [None, *names], strict=False)
    }
    registry = in_memory(steps)
    linked = [ancestor(registry, registry.by_urn[f"urn:babel:shop:{name}"]) is not None for name in names]
    assert linked == [False, *[True] * 50, *[False] * 28]


HOSTILE = ["'", '"', '"""', "\\", "\n", "{{ 7 * 7 }}", "__import__('os')", "\u202e", "\u2028", "\x7f"]


@pytest.mark.parametrize("text", HOSTILE, ids=repr)
def test_the_steps_between_versions_are_data_whatever_they_say(text: str) -> None:
    steps = [{"set": {f"a{text}": {text: [text, 1.5, None, True, 10**30]}}}, {"map": {"a": {text: text}}}]
    before = f"status: active\n{DATA}"
    after = f"status: active\nsupersedes: urn:babel:shop:made\nupcast: {json.dumps(steps)}\n{DATA}"
    files = {file.path: file.text for file in target.files(in_memory({"made": before, "made.v2": after}), {})}
    tree = ast.parse(files["messages/shop_made_v2.py"])
    (call,) = (node.value for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call))
    (found,) = (ast.literal_eval(keyword.value) for keyword in call.keywords if keyword.arg == "upcast")
    assert found == steps


def test_the_package_knows_the_aliases_of_its_messages_and_of_those_that_others_read_from_its_queues() -> None:
    registry = load.registry(EXAMPLE)
    names = {"urn:babel:orders:created.v2": "Orders.Created", "urn:babel:media:thumbnail.generate": "thumbs"}
    messages = tuple(replace(m, aliases=(names[m.urn],)) if m.urn in names else m for m in registry.messages)
    files = for_service(replace(registry, messages=messages), "warehouse")
    assert 'aliases=["Orders.Created"]' in files["messages/orders_created_v2.py"]
    assert '"Orders.Created": "urn:babel:orders:created.v2"' in files["messages/_topology.py"]
    assert "thumbs" not in "".join(files.values())
