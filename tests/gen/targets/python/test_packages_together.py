"""Two generated packages in one process and in one folder: they import, and know each other's errors and messages."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import python_copies
from generated import FORMS, write_package

from babelreg import load
from babelreg.model import Registry

pair = pytest.mark.parametrize(
    "first, second",
    [
        pytest.param("vendored", "vendored", id="two copies of the runtime"),
        pytest.param("package", "package", id="one runtime"),
        pytest.param("vendored", "package", id="a copy beside the package"),
    ],
)


def registry(context: str) -> Registry:
    files = {
        "babelreg.yaml": "version: 1\n",
        f"{context}/_context.yaml": "owner: t\n",
        f"{context}/paid.yaml": f"urn: urn:babel:{context}:paid\nkind: event\nowner: t\nqueue: {context}\n"
        "data: {type: object, required: [n], properties: {n: {type: integer, minimum: 1}}}\nexamples: [{n: 1}]\n",
    }
    return load.from_tree(load.files.tree.Memory({path: text.encode() for path, text in files.items()}))


def run(folder: Path, script: str) -> str:
    done = python_copies.run(folder, script, strict=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def both(folder: Path, first: str, second: str) -> Path:
    """A folder with the packages ``shop_messages`` and ``bank_messages``, generated one after the other."""
    write_package(folder, registry("shop"), {"package": "shop_messages"}, form=first)
    return write_package(folder, registry("bank"), {"package": "bank_messages"}, form=second)


USE = """
import asyncio, json
import bank_messages, shop_messages
from bank_messages import BankPaid, BankPaidProducer
from babelqueue import BabelQueue
from shop_messages import Consumer, Context, ShopPaid
from shop_messages.testing import Broker

app = BabelQueue("memory://", queue="shop")
consumer = Consumer(app)
bank = BankPaidProducer(app)

@consumer.on(ShopPaid)
async def handle(data: ShopPaid, context: Context) -> None:
    if data.n == 1:
        await asyncio.to_thread(bank.send, BankPaid(n=1))
    if data.n == 2:
        raise bank_messages.Reject("the bank says no")
    async with asyncio.TaskGroup() as group:
        if data.n == 3:
            group.create_task(refuse())

async def refuse() -> None:
    raise bank_messages.Reject("the bank says no later")

with Broker(app) as broker:
    trace = "0b6a2a34-5c1f-4f63-8f3b-7f2f2f1f0d11"
    print(broker.deliver(consumer, ShopPaid(n=1), trace_id=trace).kind)
    print([envelope["trace_id"] == trace for envelope in broker.envelopes])
    for n in (2, 3):
        outcome = broker.deliver(consumer, ShopPaid(n=n))
        print(outcome.kind, outcome.detail)
    print(bank.send(BankPaid(n=1)) and broker.envelopes[-1]["trace_id"] != trace)
"""
USED = """\
handled
[True]
dead_lettered rejected: the bank says no
dead_lettered rejected: the bank says no later
True
"""


@pair
def test_a_consumer_knows_the_reject_of_another_package_and_hands_on_its_trace(
    first: str, second: str, tmp_path: Path
) -> None:
    assert run(both(tmp_path, first, second), USE) == USED


CURRENT = """
import bank_messages
from babelqueue import BabelQueue
from shop_messages import Consumer, Context, ShopPaid
from shop_messages.testing import Broker
from {runtime}.runtime import Context as BankContext, current

app = BabelQueue("memory://", queue="shop")
consumer = Consumer(app)

@consumer.on(ShopPaid)
def handle(data: ShopPaid, context: Context) -> None:
    seen = current()
    print(type(seen) is BankContext, seen.trace_id == context.trace_id, seen.meta == context.meta, seen.queue)

with Broker(app) as broker:
    print(broker.deliver(consumer, ShopPaid(n=1)).kind, current())
"""


@pair
def test_the_message_being_handled_is_known_to_both(first: str, second: str, tmp_path: Path) -> None:
    runtime = "bank_messages._babelreg" if second == "vendored" else "babelreg_runtime"
    said = run(both(tmp_path, first, second), CURRENT.replace("{runtime}", runtime))
    assert said == "True True True shop\nhandled None\n"


def test_packages_on_one_runtime_share_its_classes(tmp_path: Path) -> None:
    script = (
        "import bank_messages, shop_messages\n"
        "shared = sorted(set(bank_messages.__all__) & set(shop_messages.__all__))\n"
        "assert {'Consumer', 'Context', 'InvalidDataError', 'MISSING', 'Reject'} <= set(shared)\n"
        "own = ('Consumer', 'OutboxRelay')  # each has the topology of its registry\n"
        "for name in own:\n"
        "    assert getattr(bank_messages, name).__base__ is getattr(shop_messages, name).__base__\n"
        "shared = [name for name in shared if name not in own]\n"
        "print([name for name in shared if getattr(bank_messages, name) is not getattr(shop_messages, name)])\n"
    )
    assert run(both(tmp_path, "package", "package"), script) == "[]\n"


@pytest.mark.parametrize("form", FORMS)
def test_a_second_package_in_one_folder_leaves_the_first_one_alone(form: str, tmp_path: Path) -> None:
    write_package(tmp_path, registry("shop"), {"package": "shop_messages"}, form=form)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    write_package(tmp_path, registry("bank"), {"package": "bank_messages"}, form=form)
    assert {path: path.read_bytes() for path in before} == before
    said = run(tmp_path, "import bank_messages as b, shop_messages as s\nprint(b.BankPaid(n=1).n, s.ShopPaid(n=2).n)")
    assert said == "1 2\n"
    for package in ("bank_messages", "shop_messages"):
        about = ast.get_docstring(ast.parse((tmp_path / package / "__init__.py").read_text()))
        assert f"from {package} import " in str(about)


@pytest.mark.parametrize("form", FORMS)
def test_a_package_changes_its_form_in_place(form: str, tmp_path: Path) -> None:
    (other,) = set(FORMS) - {form}
    write_package(tmp_path, registry("shop"), form=other)
    write_package(tmp_path, registry("shop"), form=form)
    assert (tmp_path / "messages" / "_babelreg").exists() == (form == "vendored")
    assert run(tmp_path, "from messages import ShopPaid, Consumer; print(ShopPaid(n=1).n)") == "1\n"


@pytest.mark.parametrize(
    "script, strict, code, told",
    [
        pytest.param("print('well')", True, 0, "", id="a program that ends"),
        pytest.param("import sys; sys.exit(3)", False, 3, "", id="a code of its own"),
        pytest.param("import no_such", False, 1, "ModuleNotFoundError: No module named 'no_such'", id="a crash"),
        pytest.param("import warnings; warnings.warn('w')", True, 1, "UserWarning: w", id="a warning is an error"),
        pytest.param("import messages", False, 1, "No module named 'messages'", id="a package of an earlier folder"),
    ],
)
def test_a_copy_ends_as_a_new_interpreter(script: str, strict: bool, code: int, told: str, tmp_path: Path) -> None:
    write_package(tmp_path / "earlier", registry("shop"), form="package")
    assert python_copies.run(tmp_path / "earlier", "import messages").returncode == 0
    done = python_copies.run(tmp_path, script, strict=strict)
    assert (done.returncode, told in done.stderr) == (code, True), done.stderr
    assert bool(told) == bool(done.stderr)
