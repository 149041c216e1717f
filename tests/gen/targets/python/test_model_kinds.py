"""Every kind of model: what is generated runs, is type checked, and refuses to change what was received."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from generated import FORMS, MYPY, write_package
from packaging.requirements import Requirement

from babelreg import load
from babelreg.gen.python_code import requirements
from babelreg.gen.python_code.models.kinds import KINDS
from babelreg.gen.python_code.package_options import PackageOptions

pytestmark = pytest.mark.mypy

ROOT = Path(__file__).resolve().parents[4]
MYPY_OPTIONS = ("--exclude", "^babelreg_runtime/", ".")
"""The runtime is checked where generated code imports it, as an installed package would be."""

REGISTRY = {
    "babelreg.yaml": "version: 1\n",
    "orders/_context.yaml": "owner: t\n",
    "orders/paid.yaml": """\
urn: urn:babel:orders:paid
kind: event
status: deprecated
sunset: 2099-01-01
owner: t
queue: orders
description: An order was paid for.
data:
  type: object
  required: [order_id, payment, class]
  properties:
    order_id: {type: integer, description: Order number.}
    class: {type: string, description: How fast it goes.}
    email: {type: string, format: email, deprecated: true, description: Where to write.}
    lines: {type: array, items: {type: object, required: [sku], properties: {sku: {type: string}, qty: {type: integer}}}}
    labels: {type: object, additionalProperties: {type: string}}
    payment:
      oneOf:
        - {type: object, required: [kind, digits], properties: {kind: {const: card}, digits: {type: string}}}
        - {type: object, required: [kind, iban], properties: {kind: {const: transfer}, iban: {type: string}}}
""",
}

DATA = {
    "order_id": 10**25,
    "class": "slow",
    "lines": [{"sku": "a", "qty": 2}],
    "labels": {"a": "b"},
    "payment": {"kind": "transfer", "iban": "SE1"},
}

# How each kind builds and reads the same message. "{order}" is a received one.
BUILD = {
    "pydantic": """
order = OrdersPaid(
    order_id=1, class_="slow", lines=[OrdersPaidLine(sku="a")], labels={"a": "b"},
    payment=OrdersPaidPaymentTransfer(kind="transfer", iban="SE1"),
)
""",
    "typeddict": """
order: OrdersPaid = {
    "order_id": 1, "class": "slow", "lines": [{"sku": "a"}], "labels": {"a": "b"},
    "payment": {"kind": "transfer", "iban": "SE1"},
}
""",
}
READ = {
    "pydantic": """
    number: int = order.order_id
    if order.lines is not MISSING:
        for line in order.lines:
            sku: str = line.sku
    if order.payment.kind == "card":
        digits: str = order.payment.digits
""",
    "typeddict": """
    number: int = order["order_id"]
    for line in order.get("lines", []):
        sku: str = line["sku"]
    if order["payment"]["kind"] == "card":
        digits: str = order["payment"]["digits"]
""",
}
# Each line is an error: a change of what was received, or a wrong field.
REFUSED = {
    "pydantic": [
        "order.order_id = 2",
        "order.email = MISSING",
        "order.payment.kind = 'card'",
        "order.lines is MISSING or order.lines.append(OrdersPaidLine(sku='b'))",
        "order.labels is MISSING or order.labels.update(a='c')",
        "order.oder_id",
        "OrdersPaidLine(sku=1)",
        "OrdersPaidLine(sku='a', qyt=1)",
        "OrdersPaidLine()",
        "order.email.lower()",
    ],
    "typeddict": [
        "order['order_id'] = 2",
        "order['class'] = 'fast'",
        "order['payment']['kind'] = 'card'",
        "order['lines'].append({'sku': 'b'})",
        "order['labels'].update(a='c')",
        "order['oder_id']",
        "line: OrdersPaidLine = {'sku': 1}",
        "line: OrdersPaidLine = {'sku': 'a', 'qyt': 1}",
        "line: OrdersPaidLine = {}",
        "del order['order_id']",
    ],
}
DEPRECATED = "# mypy: enable-error-code=deprecated\n# pyright: reportDeprecated=true"
"""What the author of a service says to be told of deprecated messages: it makes the import of this one an error."""
for lines in REFUSED.values():
    lines.append(DEPRECATED)
ABSENT = {"pydantic": ", MISSING", "typeddict": ""}


def service(kind: str) -> str:
    """A service that sends the message and handles it, as its author writes it."""
    return f"""
import json
from babelqueue import BabelQueue
from messages import Consumer, Context, OrdersPaid, OrdersPaidProducer{ABSENT[kind]}
from messages.orders_paid import ORDERS_PAID, OrdersPaidLine, OrdersPaidPaymentTransfer

app = BabelQueue("memory://")
{BUILD[kind]}
sent: str = OrdersPaidProducer(app).send(order)
consumer = Consumer(app)


@consumer.on(OrdersPaid)
def handle(order: OrdersPaid, context: Context) -> None:
{READ[kind]}
    print(json.dumps(ORDERS_PAID.dump(order), sort_keys=True))
"""


def generated(out: Path, options: dict[str, str], form: str = "vendored") -> Path:
    files = {path: text.encode() for path, text in REGISTRY.items()}
    return write_package(out, load.from_tree(load.files.tree.Memory(files)), options, form=form)


@pytest.fixture(scope="module", params=FORMS)
def packages(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """By kind, a folder with the package, a service, and one module for each wrong line."""
    found = {}
    for kind in KINDS:
        folder = found[kind] = generated(tmp_path_factory.mktemp(kind), {"models": kind}, request.param)
        (folder / "service.py").write_text(service(kind))
        for number, line in enumerate(REFUSED[kind]):
            head = service(kind).partition("@consumer.on")[0]
            (folder / f"wrong_{number}.py").write_text(f"{head}\n{line}\n")
    return found


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """A command in ``folder``, without this repository on the path."""
    env = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "MYPYPATH")}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("kind", KINDS)
def test_a_service_sends_and_handles_with_nothing_installed_for_another_kind(
    kind: str, packages: dict[str, Path]
) -> None:
    others = {"pydantic", "typing_extensions", "babelreg"}
    if kind == "pydantic":
        others -= {"pydantic", "typing_extensions"}
    others -= {"typing_extensions"} if kind == "typeddict" else set()
    script = (
        f"import sys; refused = {others}\n"
        "class Refuse:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in refused: raise AssertionError(name)\n"
        "sys.meta_path.insert(0, Refuse())\n"
        "import service; service.consumer.run(max_messages=1)"
    )
    done = run(packages[kind], sys.executable, "-c", script)
    assert done.stdout == (
        '{"class": "slow", "labels": {"a": "b"}, "lines": [{"sku": "a"}], "order_id": 1, '
        '"payment": {"iban": "SE1", "kind": "transfer"}}\n'
    ), done.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_received_is_what_was_sent(kind: str, packages: dict[str, Path]) -> None:
    script = (
        f"from messages.orders_paid import ORDERS_PAID\ndata = {DATA!r}\n"
        "assert ORDERS_PAID.dump(ORDERS_PAID.parse(data)) == data; print('well')"
    )
    done = run(packages[kind], sys.executable, "-c", script)
    assert done.stdout == "well\n", done.stderr


def test_a_handler_that_changes_what_it_got_fails_at_run_time_too(packages: dict[str, Path]) -> None:
    script = (
        f"from messages.orders_paid import ORDERS_PAID\norder = ORDERS_PAID.parse({DATA!r})\n"
        "for one in (order, order.payment, order.lines[0]):\n"
        "    for name in ('order_id', 'iban', 'sku'):\n"
        "        if hasattr(one, name):\n"
        "            try: setattr(one, name, 'x')\n"
        "            except Exception: print(name)\n"
    )
    done = run(packages["pydantic"], sys.executable, "-c", script)
    assert done.stdout.split() == ["order_id", "iban", "sku"], done.stderr


@pytest.mark.parametrize(
    "options, said",
    [
        pytest.param({"models": "pydantic"}, "that was not sent is ``MISSING``", id="what may be absent in pydantic"),
        pytest.param({"models": "typeddict"}, "``key in data`` says", id="how keys are read"),
        pytest.param({"formats": "typed"}, "preserve a value but not its spelling", id="what rich types keep"),
    ],
)
def test_the_index_says_how_data_is_read_and_what_is_not_kept(
    options: dict[str, str], said: str, tmp_path: Path
) -> None:
    assert said in " ".join((generated(tmp_path, options) / "messages/__init__.py").read_text().split())


@pytest.mark.parametrize("kind", KINDS)
def test_mypy_passes_on_the_package_and_its_use_and_refuses_what_is_wrong(kind: str, packages: dict[str, Path]) -> None:
    checked = run(packages[kind], sys.executable, *MYPY, *MYPY_OPTIONS)
    found = re.findall(r"^([^:]+):\d+: error:", checked.stdout, re.MULTILINE)
    assert sorted(set(found)) == sorted(f"wrong_{number}.py" for number in range(len(REFUSED[kind]))), checked.stdout


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_pyright_passes_on_the_package_and_its_use_and_refuses_what_is_wrong(
    kind: str, packages: dict[str, Path]
) -> None:
    pyright = os.environ.get("BABELREG_PYRIGHT") or shutil.which("pyright")
    if pyright is None:
        pytest.skip("NOT CHECKED BY PYRIGHT: pip install pyright (its first run downloads it), or set BABELREG_PYRIGHT")
    checked = run(packages[kind], pyright, "--outputjson", "--pythonpath", sys.executable, ".")
    told = json.loads(checked.stdout)["generalDiagnostics"]
    found = {Path(one["file"]).name for one in told if one["severity"] == "error"}
    assert sorted(found) == sorted(f"wrong_{number}.py" for number in range(len(REFUSED[kind]))), checked.stdout


@pytest.mark.parametrize("kind", KINDS)
def test_ruff_finds_nothing_in_the_package(kind: str, packages: dict[str, Path]) -> None:
    installed = 'lint.isort.known-third-party=["babelreg_runtime"]'
    command = ["-m", "ruff", "check", "--isolated", "--no-cache", "--config", installed, "messages"]
    linted = run(packages[kind], sys.executable, *command)
    assert linted.returncode == 0, linted.stdout


@pytest.mark.parametrize("kind", KINDS)
def test_a_package_accepts_what_babelreg_is_tested_with(kind: str) -> None:
    for need in map(Requirement, PackageOptions(models=kind).needs):
        assert need.specifier.contains(version(need.name)), need
        assert {clause.operator for clause in need.specifier} == {">=", "<"}, f"{need} is no range"


def test_the_extra_of_the_runtime_is_what_a_package_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needs = PackageOptions().needs
    assert set(project["optional-dependencies"]["runtime"]) == set(needs) - set(requirements.CONTRACT)
    assert set(project["optional-dependencies"]["otel"]) == set(requirements.OPTIONAL["otel"])
