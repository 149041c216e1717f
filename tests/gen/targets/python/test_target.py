from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from generated import FORMS, MYPY, write_package

from babelreg import __version__, load
from babelreg.errors import BabelregError, UsageError
from babelreg.gen.target import File
from babelreg.gen.targets.python import target
from babelreg.model import Registry

pytestmark = pytest.mark.mypy

ROOT = Path(__file__).resolve().parents[4]
EXAMPLE = ROOT / "registry.example"
GOLDEN = ROOT / "tests" / "golden" / "python"


def in_memory(messages: dict[str, str]) -> Registry:
    files = {"babelreg.yaml": b"version: 1\n"}
    for path, data in messages.items():
        context, _, name = path.partition("/")
        head = f"urn: urn:babel:{context}:{name}\nkind: event\nstatus: draft\nowner: t\n"
        files[f"{context}/_context.yaml"] = b"owner: t\n"
        files[f"{path}.yaml"] = (head + data).encode()
    return load.from_tree(load.files.tree.Memory(files))


def own(registry: Registry, options: dict[str, Any] | None = None) -> dict[str, str]:
    """The files of the package without the copied runtime."""
    files = {file.path: file.text for file in target.files(registry, options or {})}
    return {path: text for path, text in files.items() if "/_babelreg/" not in path}


@pytest.fixture(scope="module", params=FORMS)
def package(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package ``messages`` of the example registry."""
    return write_package(tmp_path_factory.mktemp("generated"), load.registry(EXAMPLE), form=request.param)


def run(package: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Python in the package's folder, without this repository on its path."""
    settings = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "MYPYPATH")}
    return subprocess.run(
        [sys.executable, *args], cwd=package, env={**settings, **env}, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "path",
    [
        "messages/orders_created_v2.py",
        "messages/_schemas/orders_cancelled.py",
        "messages/__init__.py",
        "messages/__init__.pyi",
    ],
)
def test_what_a_user_reads(path: str) -> None:
    text = own(load.registry(EXAMPLE))[path].replace(f"babelreg {__version__}", "babelreg VERSION")
    golden = GOLDEN / Path(path).relative_to("messages")
    if os.environ.get("BABELREG_GOLDEN") == "write":
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(text, "utf-8")
    assert text == golden.read_text("utf-8"), "read the difference; BABELREG_GOLDEN=write pytest accepts it"


BEFORE = "data: {type: object, properties: {b: {type: object, properties: {c: {type: string}}}, d: {type: integer}}}\n"
AFTER = BEFORE.replace("{b:", "{a: {type: object, properties: {c: {type: string}}}, b:")


def test_adding_a_field_changes_that_messages_files_and_few_lines_of_them() -> None:
    before = own(in_memory({"orders/created": BEFORE, "orders/cancelled": BEFORE, "billing/captured": BEFORE}))
    after = own(in_memory({"orders/created": AFTER, "orders/cancelled": BEFORE, "billing/captured": BEFORE}))
    changed = {path for path in after if after[path] != before.get(path)}
    assert changed == {"messages/orders_created.py", "messages/_schemas/orders_created.py"}
    assert before.keys() == after.keys()
    lines = [set(after[path].splitlines()) ^ set(before[path].splitlines()) for path in changed]
    assert max(map(len, lines)) <= 15


def test_classes_keep_their_names_when_fields_are_added() -> None:
    before = own(in_memory({"orders/created": BEFORE}))["messages/orders_created.py"]
    after = own(in_memory({"orders/created": AFTER}))["messages/orders_created.py"]
    assert "class OrdersCreatedB(Model, frozen=True)" in before
    assert {line for line in before.splitlines() if line.startswith("class ")} <= set(after.splitlines())


@pytest.mark.parametrize(
    "one, two",
    [
        pytest.param("a-b/c.done", "a/b.c.done", id="contexts and names that join alike"),
        pytest.param("orders/sent_out", "orders/sent.out", id="an underscore and a dot"),
        pytest.param("orders/created", "orders/created.producer", id="a message called as another's producer"),
    ],
)
def test_messages_that_would_share_a_name_are_refused_by_name(one: str, two: str) -> None:
    with pytest.raises(BabelregError) as caught:
        own(in_memory({one: BEFORE, two: BEFORE}))
    for path in (one, two):
        assert "urn:babel:" + path.replace("/", ":") in str(caught.value)


@pytest.mark.parametrize("name", ["Messages", "2nd", "a-b", "class", "", "../up", "a.b", 7])
def test_a_package_name_that_is_none_is_refused(name: object) -> None:
    with pytest.raises(UsageError, match="package"):
        own(in_memory({}), {"package": name})


def test_the_package_name_can_be_chosen() -> None:
    assert all(path.startswith("shop_messages/") for path in own(in_memory({}), {"package": "shop_messages"}))


def test_the_package_needs_neither_babelreg_nor_what_only_babelreg_needs(package: Path) -> None:
    refused = {"babelreg", "click", "datamodel_code_generator", "jinja2", "jsonschema", "pyspark", "redis", "yaml"}
    script = (
        f"import sys; refused = {refused}\n"
        "class Refuse:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in refused: raise AssertionError(name)\n"
        "sys.meta_path.insert(0, Refuse())\n"
        "import importlib, messages, pkgutil\n"
        "for found in pkgutil.walk_packages(messages.__path__, 'messages.'): importlib.import_module(found.name)\n"
        "print('well')"
    )
    done = run(package, "-W", "error", "-c", script)
    assert (done.stdout, done.stderr) == ("well\n", "")


def test_reviews_fold_the_files_of_the_package(package: Path) -> None:
    subprocess.run(["git", "init", "--quiet"], cwd=package, check=True)
    paths = ["messages/__init__.py", "messages/_schemas/orders_created.py", "service.py"]
    told = subprocess.run(
        ["git", "check-attr", "linguist-generated", *paths], cwd=package, capture_output=True, text=True, check=True
    )
    assert [line.rpartition(": ")[2] for line in told.stdout.splitlines()] == ["set", "set", "unspecified"]


def test_the_index_reads_a_message_when_it_is_asked_for(package: Path) -> None:
    script = (
        "import sys, messages\n"
        "print(sorted(m for m in sys.modules if m.startswith('messages.') and '_babelreg' not in m))\n"
        "print('pydantic' in sys.modules)\n"
        "from messages import OrdersCreated, MISSING\n"
        "print(sorted(m for m in sys.modules if m.startswith('messages.') and '_babelreg' not in m))\n"
        "assert set(messages.__all__) <= set(dir(messages))\n"
        "for name in messages.__all__: getattr(messages, name)\n"
    )
    done = run(package, "-c", script)
    lines = ["[]", "False", "['messages._schemas', 'messages._schemas.orders_created', 'messages.orders_created']", ""]
    assert (done.stdout, done.stderr) == ("\n".join(lines), "")


def test_the_index_works_from_an_archive_as_from_a_folder(package: Path, tmp_path: Path) -> None:
    shutil.make_archive(str(tmp_path / "site"), "zip", package)
    script = (
        "import sys; sys.path.insert(0, 'site.zip')\n"
        "import messages; from messages import *\n"
        "print('.zip' in messages.__file__, OrdersCreated.__name__, len(messages.__all__) == len(set(messages.__all__)))"
    )
    done = run(tmp_path, "-c", script)
    assert (done.stdout, done.stderr) == ("True OrdersCreated True\n", "")


def test_a_package_without_its_stub_says_what_is_missing(package: Path, tmp_path: Path) -> None:
    shutil.copytree(package, tmp_path / "site")
    (tmp_path / "site" / "messages" / "__init__.pyi").unlink()
    done = run(tmp_path / "site", "-c", "from messages import OrdersCreated")
    path = tmp_path / "site" / "messages" / "__init__.pyi"
    assert done.stderr.splitlines()[-1] == (
        f"ImportError: messages lacks {path}: install it with the package, as py.typed"
    )


def test_a_name_that_the_package_lacks_is_an_attribute_error(package: Path) -> None:
    done = run(package, "-c", "import messages\nprint(hasattr(messages, '__wrapped__'))\nmessages.OrdersCraeted")
    assert done.stdout == "False\n"
    problem = "AttributeError: module 'messages' has no attribute 'OrdersCraeted'"
    assert done.stderr.splitlines()[-1] == f"{problem}. Did you mean: 'OrdersCreated'?"


USER = """
import sqlite3

from babelqueue import BabelQueue

from messages import MISSING, Consumer, Context, OrdersCreated, OrdersCreatedV2, OrdersCreatedV2Producer
from messages import OutboxRelay, SqliteLedger, SqlOutbox
from messages.orders_created_v2 import Money
from messages.testing import Broker

app = BabelQueue("memory://")
order = OrdersCreatedV2(order_id=1042, total=Money(minor=9990, currency="EUR"))
sent: str = OrdersCreatedV2Producer(app).send(order)
several: list[str] = OrdersCreatedV2Producer(app).send_many([order, order])
outbox = SqlOutbox(sqlite3.connect("service.db"))
kept: str = OrdersCreatedV2Producer(app).write(outbox, order)
OutboxRelay(app.transport, outbox).drain()
consumer = Consumer(app, ledger=SqliteLedger("service.db"), allow_missing=[OrdersCreated])


@consumer.on(OrdersCreatedV2)
def handle(order: OrdersCreatedV2, context: Context) -> None:
    if order.email is not MISSING:
        print(order.email.lower(), context.trace_id)


@consumer.on(OrdersCreatedV2, upcast_from=[OrdersCreated])
async def handle_async(order: OrdersCreatedV2, context: Context) -> None:
    print(order.total.minor)


def test(broker: Broker) -> list[OrdersCreatedV2]:
    assert broker.deliver(consumer, order).kind == "handled"
    return broker.sent(OrdersCreatedV2)
"""

WRONG = {
    "a type": ("order_id=1042", 'order_id="1042"'),
    "an unknown field": ("order_id=1042", "order_id=1042, emial='a@b.se'"),
    "a missing field": ("order_id=1042, ", ""),
    "null where it is not allowed": ("order_id=1042", "order_id=1042, email=None"),
    "a field that may be absent": ("if order.email is not MISSING:", "if True:"),
    "one of many of another message": ("[order, order]", "[order, Money(minor=1, currency='EUR')]"),
    "another message": (".send(order)", ".send(Money(minor=1, currency='EUR'))"),
    "a handler of another message": (
        "def handle(order: OrdersCreatedV2, context: Context) -> None:\n    if order.email is not MISSING:\n"
        "        print(order.email.lower(), context.trace_id)",
        "def handle(order: Money, context: Context) -> None:\n    pass",
    ),
    "a handler without a context": ("handle_async(order: OrdersCreatedV2, context: Context)", "handle_async(order: OrdersCreatedV2)"),
    "a name the package lacks": ("import MISSING, ", "import MISSING, OrdersCraeted, "),
}  # fmt: skip


def test_mypy_strict_and_ruff_pass_on_the_package_and_on_code_that_uses_it(package: Path) -> None:
    (package / "service.py").write_text(USER)
    checked = run(package, *MYPY, "messages", "service.py")
    assert checked.stdout.startswith("Success"), checked.stdout
    installed = 'lint.isort.known-third-party=["babelreg_runtime"]'  # though it lies beside the package here
    linted = run(package, "-m", "ruff", "check", "--isolated", "--no-cache", "--config", installed, "messages")
    assert linted.returncode == 0, linted.stdout


def test_mypy_catches_a_wrong_use(package: Path) -> None:
    cases = {f"wrong_{number}": USER.replace(*change, 1) for number, change in enumerate(WRONG.values())}
    assert all(text != USER for text in cases.values())
    for name, text in cases.items():
        (package / f"{name}.py").write_text(text)
    checked = run(package, *MYPY, *(f"{name}.py" for name in cases))
    caught = {line.partition(".py:")[0] for line in checked.stdout.splitlines() if ": error:" in line}
    missed = [what for what, name in zip(WRONG, cases, strict=True) if name not in caught]
    assert missed == [], checked.stdout


def test_files_are_plain_data() -> None:
    for file in target.files(load.registry(EXAMPLE), {}):
        assert isinstance(file, File)
        assert file.text.endswith("\n") or file.path.endswith("py.typed")
