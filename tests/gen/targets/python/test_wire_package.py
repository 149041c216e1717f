"""Packages of `gen python --wire`: they run as they say, types hold, and their sides talk over sockets."""

from __future__ import annotations

import asyncio
import importlib
import itertools
import json
import os
import re
import subprocess
import sys
import textwrap
from collections import deque
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from generated import MYPY, write_package

from babelreg import __version__, load
from babelreg.errors import UsageError
from babelreg.gen.targets.python import target
from babelreg.gen.targets.python.wire_codec import offered
from babelreg.model import Registry
from babelreg.wire.formats import flowlayer as flowlayer_format
from babelreg.wire.formats.flowlayer.session import FlowLayerSession

sys.path.insert(0, str(Path(__file__).parents[3] / "wire"))
import peers

pytestmark = pytest.mark.mypy

EXAMPLE = Path(load.__file__).parents[2] / "registry.example"
GOLDEN = Path(__file__).parents[3] / "golden" / "python_wires"
WIRES, MODELS = ("flowlayer", "phpmq", "strata"), ("pydantic", "typeddict")
START, LOG = "urn:babel:ops:service.start", "urn:babel:ops:log.written"
CREATE, CREATED, MAIL = "urn:babel:orders:order.create", "urn:babel:orders:order.created", "urn:babel:mails:mail.send"
SETTINGS = f"""version: 1
wires:
  flowlayer: {{commands: {{start_service: {START}}}, events: {{log: {LOG}}}}}
  phpmq: {{queues: {{Mails: {MAIL}, Foo: {CREATE}}}}}
  strata: {{Orders: {{createOrder: {{request: {CREATE}, response: {CREATED}}}}}}}
"""
TEXT = {"type": "string"}
ENTRY = {"type": "object", "required": ["seq"], "properties": {"seq": {"type": "integer"}, "message": TEXT}}
LINES = {"type": "array", "items": {"type": "object", "required": ["sku"], "properties": {"sku": TEXT}}}
SCHEMAS: dict[str, Any] = {
    START: {"type": "object", "required": ["service"], "properties": {"service": TEXT}},
    LOG: {"type": "object", "required": ["entry"], "properties": {"entry": ENTRY}},
    CREATE: {
        "type": "object",
        "required": ["order_id"],
        "properties": {"order_id": {"type": "integer", "minimum": 1}, "lines": LINES},
    },
    CREATED: {
        "type": "object",
        "required": ["number"],
        "properties": {"number": {"type": "integer"}},
    },
    MAIL: {"type": "object", "required": ["content"], "properties": {"content": TEXT}},
}
EXAMPLES: dict[str, Any] = {
    START: {"service": "api"},
    LOG: {"entry": {"seq": 1, "message": "up"}},
    CREATE: {"order_id": 1042, "lines": [{"sku": "a"}]},
    CREATED: {"number": 7},
    MAIL: {"content": "Hello World"},
}


def registry() -> Registry:
    files = {"babelreg.yaml": SETTINGS.encode()}
    for urn, schema in SCHEMAS.items():
        context, name = urn.split(":")[2:]
        message = {"urn": urn, "kind": "command", "status": "active", "data": schema, "examples": [EXAMPLES[urn]]}
        files[f"{context}/_context.yaml"] = b"owner: team\n"
        files[f"{context}/{name}.yaml"] = json.dumps(message).encode()
    found = load.from_tree(load.files.tree.Memory(files))
    assert not found.defects
    return found


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a package of each wire and kind of model, all of one registry."""
    out, found = tmp_path_factory.mktemp("generated"), registry()
    for wire, models in itertools.product(WIRES, MODELS):
        options = {"wire": wire, "models": models, "package": f"{wire}_{models}", "runtime": "vendored"}
        write_package(out, found, options)
    return out


@pytest.fixture
def imported(packages: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(packages))

    def find(name: str) -> ModuleType:
        return importlib.import_module(name)

    return find


def run(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    settings = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "MYPYPATH")}
    return subprocess.run(
        [sys.executable, *args], cwd=folder, env=settings, capture_output=True, text=True, check=False
    )


def usage(package: ModuleType) -> str:
    assert package.__doc__ is not None
    code = package.__doc__.partition("\n\n")[2].partition("\n\nA reader returns")[0]
    return textwrap.dedent(code) + "\n"


@pytest.mark.parametrize(
    "path", ["__init__.py", "__init__.pyi", "_reader.py", "orders_order_create.py", "requirements.txt"]
)
@pytest.mark.parametrize("wire", ["strata"])
def test_what_a_user_reads(packages: Path, wire: str, path: str) -> None:
    options = {"wire": wire, "package": f"{wire}_pydantic"}
    (text,) = (
        file.text.replace(f"babelreg {__version__}", "babelreg VERSION")
        for file in target.files(registry(), options)
        if file.path == f"{wire}_pydantic/{path}"
    )
    text = re.sub("sha256=[0-9a-f]{64}", "sha256=...", text)
    text = "\n".join(line for line in text.split("\n") if "(sum " not in line)
    golden = GOLDEN / wire / path
    if os.environ.get("BABELREG_GOLDEN") == "write":
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(text, "utf-8")
    assert text == golden.read_text("utf-8"), "read the difference; BABELREG_GOLDEN=write pytest accepts it"


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("models", MODELS)
def test_the_usage_in_the_docstring_runs(packages: Path, imported: Any, wire: str, models: str) -> None:
    code = usage(imported(f"{wire}_{models}"))
    done = run(packages, "-c", code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1
    (packages / f"use_{wire}_{models}.py").write_text(code, "utf-8")


@pytest.mark.parametrize("wire", WIRES)
def test_the_usage_runs_on_the_runtime_as_a_package(imported: Any, wire: str, tmp_path: Path) -> None:
    write_package(tmp_path, registry(), {"wire": wire, "package": f"{wire}_pydantic"}, form="package")
    code = usage(imported(f"{wire}_pydantic"))
    check = "\nimport sys\nassert 'babelreg_runtime' in sys.modules\nassert 'babelqueue' not in sys.modules\n"
    done = run(tmp_path, "-c", code + check)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1


def test_types_hold_in_the_packages_and_in_their_usage(packages: Path, imported: Any) -> None:
    for wire in WIRES:
        for models in MODELS:
            (packages / f"use_{wire}_{models}.py").write_text(usage(imported(f"{wire}_{models}")), "utf-8")
    names = sorted(path.name for path in packages.iterdir() if path.name.startswith((*WIRES, "use_")))
    done = run(packages, *MYPY, *names)
    assert done.returncode == 0, done.stdout[-3000:]
    (packages / "misuse.py").write_text(
        "from strata_pydantic import OrdersOrderCreate, OrdersOrderCreateCodec, Reader\n"
        "codec = OrdersOrderCreateCodec()\n"
        'codec.request("text", response_queue="r")\n'
        "codec.request(OrdersOrderCreate(order_id=1), auth=5)\n"
        'for item in Reader().feed(b""):\n'
        "    if received := codec.received(item):\n"
        "        received.data.order_idd\n"
    )
    done = run(packages, *MYPY, "misuse.py")
    assert [line.split(":")[1] for line in done.stdout.splitlines() if ": error:" in line] == ["3", "4", "7"], (
        done.stdout
    )


@pytest.mark.parametrize("wire", WIRES)
def test_a_package_offers_what_its_runtime_has_and_needs_no_broker(packages: Path, imported: Any, wire: str) -> None:
    package = imported(f"{wire}_pydantic")
    runtime = importlib.import_module(f"babelreg.runtime.wires.{wire}")
    assert {*offered(wire), "Reader"} == {name for name in runtime.__all__ if not name.endswith("Codec")}
    assert all(getattr(package, name) is not None for name in package.__all__)
    copied = {path.parent.name for path in (packages / f"{wire}_pydantic" / "_babelreg").rglob("*.py")}
    assert wire in copied
    assert not copied & ({"consumer", "transports", "babelqueue"} | {*WIRES} - {wire})
    assert "babelqueue" not in (packages / f"{wire}_pydantic" / "requirements.txt").read_text("utf-8")
    program = f"import sys; from {wire}_pydantic import *; assert not {{'babelqueue', 'babelreg'}} & sys.modules.keys()"
    done = run(packages, "-c", program)
    assert done.returncode == 0, done.stderr


def test_a_wire_that_nothing_travels_in_is_told() -> None:
    with pytest.raises(UsageError, match="no message is sent in flowlayer"):
        list(target.files(load.registry(EXAMPLE), {"wire": "flowlayer"}))
    with pytest.raises(UsageError, match="wire cannot be 'amqp'"):
        list(target.files(load.registry(EXAMPLE), {"wire": "amqp"}))


class End:
    """One end of a connection on a generated package: it reads a few bytes at a time and writes in two pieces."""

    def __init__(self, package: ModuleType, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.package, self.stream, self.writer = package, reader, writer
        self.reader = package.Reader()
        self.end = b"" if package.__name__.startswith("phpmq") else b"\n"
        self.waiting: deque[Any] = deque()
        self.sent: list[bytes] = []

    async def send(self, message: Any) -> None:
        raw = self.package.encode(message)
        self.sent.append(raw)
        for part in (raw[: len(raw) // 2], raw[len(raw) // 2 :] + self.end):
            self.writer.write(part)
            await self.writer.drain()

    async def receive(self) -> Any:
        while not self.waiting:
            data = await self.stream.read(7)
            if not data:
                raise EOFError
            self.waiting.extend(self.reader.feed(data))
        return self.waiting.popleft()


def test_a_flowlayer_session_between_two_generated_sides(imported: Any) -> None:
    ours, theirs = imported("flowlayer_pydantic"), imported("flowlayer_pydantic")
    ends: dict[str, End] = {}

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        end, start, log = End(theirs, reader, writer), theirs.OpsServiceStartCodec(), theirs.OpsLogWrittenCodec()
        ends["server"] = end
        while True:
            item = await end.receive()
            received = start.received(item)
            if received is None:
                assert isinstance(item, theirs.Command)
                error = theirs.ErrorObject("unknown_command", "no such command")
                await end.send(theirs.Ack(item.id, accepted=False, error=error))
                continue
            await end.send(theirs.Ack(received.message.id, accepted=True))
            entry = {"seq": 1, "message": f"{received.data.service} is up"}
            await end.send(log.event(theirs.OpsLogWrittenCodec.message.parse({"entry": entry})))
            await end.send(theirs.Result(received.message.id, ok=True))

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        end, start, log = End(ours, reader, writer), ours.OpsServiceStartCodec(), ours.OpsLogWrittenCodec()
        ends["client"] = end
        command = start.command(ours.OpsServiceStart(service="api"))
        await end.send(command)
        ack, event, result = [await end.receive() for _ in range(3)]
        assert (type(ack), ack.id, ack.accepted) == (ours.Ack, command.id, True)
        assert log.received(event).data.entry.message == "api is up"
        assert (result.id, result.ok) == (command.id, True)
        await end.send(ours.Command("9", "fly"))
        refused = await end.receive()
        assert (refused.accepted, refused.error.code) == (False, "unknown_command")
        with pytest.raises(ours.InvalidDataError):
            start.command(ours.OpsServiceStart.model_construct(service=1))

    asyncio.run(peers.talk(serve, client))
    session = FlowLayerSession()
    server, asked = ends["server"], ends["client"]
    order = [asked.sent[0], *server.sent[:3], asked.sent[1], server.sent[3]]
    assert [defect for raw in order for defect in session.observe(flowlayer_format.decode(raw))] == []
    assert session.close() == []


def test_a_generated_client_talks_to_a_flowlayer_server(imported: Any) -> None:
    ours = imported("flowlayer_typeddict")

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        end, start, log = End(ours, reader, writer), ours.OpsServiceStartCodec(), ours.OpsLogWrittenCodec()
        hello, snapshot = await end.receive(), await end.receive()
        assert [hello.name, snapshot.name] == ["hello", "snapshot"]
        await end.send(start.command({"service": "api"}, id="7"))
        ack, status, event, result = [await end.receive() for _ in range(4)]
        assert (ack.id, ack.accepted, status.name, result.ok) == ("7", True, "service_status", True)
        assert log.received(event).data["entry"]["seq"] == 3

    asyncio.run(peers.talk(peers.flowlayer_server, client))


@pytest.mark.parametrize("models", MODELS)
def test_a_phpmq_producer_and_consumer_over_tcp(imported: Any, models: str) -> None:
    ours = imported(f"phpmq_{models}")
    broker = peers.Broker()
    mail = ours.MailsMailSendCodec.message.parse({"content": "Hello World"})
    order = ours.OrdersOrderCreateCodec.message.parse(EXAMPLES[CREATE])

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        end, mails, orders = End(ours, reader, writer), ours.MailsMailSendCodec(), ours.OrdersOrderCreateCodec()
        await end.send(mails.produce(mail, ttl_seconds=60))
        await end.send(orders.produce(order))
        await end.send(ours.MessageClientToServer(b"Others", b"\xff", 9))
        await end.send(ours.ConsumeRequest(b"Mails", 3))
        first, second, third = [await end.receive() for _ in range(3)]
        received, carried = mails.received(first), orders.received(second)
        assert (received.data, received.message.content, received.message.ttl_seconds) == (mail, b"Hello World", 59)
        assert carried.data == order
        assert carried.message.content.startswith(b'{"job":"urn:babel:orders:order.create"')
        assert isinstance(third, ours.Refused)  # the broker delivers it under the name of the asked queue
        await end.send(ours.Acknowledgement(b"Mails", received.message.message_id))

    asyncio.run(peers.talk(broker.serve, client))
    assert broker.deleted == [b"Hello World"]


def test_two_generated_sides_of_phpmq(imported: Any) -> None:
    ours, theirs = imported("phpmq_pydantic"), imported("phpmq_pydantic")

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        end, mails = End(theirs, reader, writer), theirs.MailsMailSendCodec()
        received = mails.received(await end.receive())
        request = await end.receive()
        assert (request.queue, request.count) == (b"Mails", 1)
        await end.send(mails.deliver(received.data, message_id=b"%032x" % 7, ttl_seconds=5))

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        end, mails = End(ours, reader, writer), ours.MailsMailSendCodec()
        await end.send(mails.produce(ours.MailsMailSend(content="a" * 5_000)))
        await end.send(ours.ConsumeRequest(b"Mails", 1))
        received = mails.received(await end.receive())
        assert (len(received.data.content), received.message.message_id) == (5_000, b"%032x" % 7)
        end.stream.feed_data(b"X0100103" + b"0" * 40)
        refused = await end.receive()
        assert (refused.code, end.reader.stopped) == ("invalid_message_flag", True)

    asyncio.run(peers.talk(serve, client))


def test_a_strata_chain_between_two_generated_sides(imported: Any) -> None:
    ours, theirs = imported("strata_pydantic"), imported("strata_typeddict")

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        end = End(theirs, reader, writer)
        create, created = theirs.OrdersOrderCreateCodec(client="Svc"), theirs.OrdersOrderCreatedCodec()
        while True:
            received = create.received(await end.receive())
            child = create.request({"order_id": 2}, response_queue="r", after=received.message)
            await end.send(child)
            done = {"number": received.data["order_id"]}
            slow = theirs.ResponseMessage("warning", "slow")
            await end.send(created.response(done, to=received.message, messages=[slow], service="Orders v1"))
            await end.send(created.unsuccessful(to=received.message, status="pending"))

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        end = End(ours, reader, writer)
        create, created = ours.OrdersOrderCreateCodec(client="Client:Web"), ours.OrdersOrderCreatedCodec()
        request = create.request(ours.OrdersOrderCreate(order_id=1), response_queue="Responses:Web:1", auth="S3CRET")
        assert "S3CRET" not in repr(request)
        await end.send(request)
        child, answer = create.received(await end.receive()), created.received(await end.receive())
        assert (child.message.prior_request, child.message.request_chain) == (request.id, (request.id,))
        assert (child.data.order_id, child.message.client) == (2, "Svc")
        assert (answer.message.id, answer.message.status, answer.data.number) == (request.id, "succeeded", 1)
        assert (answer.message.messages[0].message, answer.message.service) == ("slow", "Orders v1")
        pending = await end.receive()
        assert created.received(pending) is None
        assert created.not_succeeded(pending).status == "pending"
        with pytest.raises(ours.InvalidDataError, match="below its minimum"):
            create.request(ours.OrdersOrderCreate(order_id=0), response_queue="r")

    asyncio.run(peers.talk(serve, client))


def test_a_generated_client_talks_to_a_strata_service(imported: Any) -> None:
    ours = imported("strata_pydantic")

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        end, create, created = End(ours, reader, writer), ours.OrdersOrderCreateCodec(), ours.OrdersOrderCreatedCodec()
        request = create.request(ours.OrdersOrderCreate(order_id=1), response_queue="Responses:Web:1")
        await end.send(request)
        child, answer = await end.receive(), created.not_succeeded(await end.receive())
        assert (type(child), child.context) == (ours.Request, "Stock")  # no message of the registry
        assert (answer.status, answer.id, answer.messages[0].stack) == ("failed", request.id, "at S3CRET")
        assert "S3CRET" not in repr(answer)

    asyncio.run(peers.talk(peers.strata_service, client))


@pytest.mark.parametrize(
    "wire, raw, code",
    [
        pytest.param("strata", b'{"id":"1","context":"x"}\n', "missing_message_type", id="no message of Strata"),
        pytest.param("flowlayer", b"[]\n", "invalid_json", id="no message of FlowLayer"),
        pytest.param(
            "flowlayer", b'{"type":"command","id":"1","name":"start_service"}\n', "missing_required", id="wrong data"
        ),
        pytest.param("phpmq", b"X" * 40, "invalid_message_flag", id="no message of PHPMQ"),
    ],
)
def test_what_cannot_be_read_is_refused(imported: Any, wire: str, raw: bytes, code: str) -> None:
    package = imported(f"{wire}_pydantic")
    (item,) = package.Reader().feed(raw)
    assert isinstance(item, package.Refused)
    assert item.code == code


REQUEST = {
    "id": "V1StGXR8Z5jdHi6BmyT2",
    "messageType": "request",
    "context": "Orders",
    "operation": "createOrder",
    "timestamp": "2024-06-25T04:08:22.000Z",
    "payload": {"order_id": 0},
    "responseQueue": "Responses:Web:1",
    "metadata": {},
}


@pytest.mark.parametrize(
    "message, answer",
    [
        pytest.param(
            {"type": "command", "id": "7", "name": "start_service", "payload": {}},
            {"type": "ack", "id": "7", "payload": {"accepted": False, "error": ("invalid_payload",)}},
            id="a command without its payload",
        ),
        pytest.param(
            {"type": "command", "id": "7", "payload": {}},
            {"type": "error", "id": "7", "payload": ("missing_name",)},
            id="a command without a name",
        ),
        pytest.param({"type": "shout"}, {"type": "error", "payload": ("unknown_type",)}, id="an unknown type"),
        pytest.param([], {"type": "error", "payload": ("invalid_json",)}, id="no object"),
        pytest.param(
            {"type": "event", "name": "log", "payload": {}},
            {"type": "error", "payload": ("unsupported_message_type",)},
            id="an event of a client",
        ),
    ],
)
def test_flowlayer_answers_what_it_refuses(imported: Any, message: Any, answer: dict[str, Any]) -> None:
    package = imported("flowlayer_pydantic")
    (refused,) = package.Reader().feed(json.dumps(message).encode() + b"\n")
    sent = json.loads(package.encode(package.answer(refused)))
    error = sent["payload"].get("error", sent["payload"])
    assert error["message"]
    shown = (error["code"],)
    sent["payload"] = sent["payload"] | {"error": shown} if "error" in sent["payload"] else shown
    assert sent == answer


def test_flowlayer_answers_an_empty_frame(imported: Any) -> None:
    package = imported("flowlayer_pydantic")
    answer = package.answer(package.Reader().frame(b""))
    assert (type(answer), answer.code, answer.id) == (package.ErrorMessage, "invalid_json", None)


def test_phpmq_rejects_a_delivery_by_its_id(imported: Any) -> None:
    package = imported("phpmq_pydantic")
    identity, wrong = (
        b"%032x" % 7,
        b'{"job":"' + CREATE.encode() + b'","trace_id":"t","data":{},"meta":{"schema_version":1}',
    )
    wrong += b',"attempts":0}'
    reader = package.Reader()
    for queue, content in [(b"Foo", b"x"), (b"Foo", wrong)]:
        delivery = package.MessageServerToClient(queue, content, identity, 5)
        (refused,) = reader.feed(package.encode(delivery))
        assert (refused.message, refused.id, refused.kind) == (delivery, identity, "MessageServerToClient")
        assert package.answer(refused) == package.DeadLetter(queue, identity)
        assert content.decode() not in repr(refused)
    (produced,) = reader.feed(package.encode(package.MessageClientToServer(b"Foo", b"x")))
    assert (produced.id, package.answer(produced)) == (None, None)


@pytest.mark.parametrize(
    "change, code",
    [
        pytest.param({}, "below_minimum", id="wrong data"),
        pytest.param({"payload": 5}, "wrong_type", id="a broken envelope with its address"),
        pytest.param({"operation": ""}, None, id="no operation to answer for"),
        pytest.param({"messageType": "post"}, None, id="a post, which expects no response"),
    ],
)
def test_strata_answers_a_refused_request_with_a_failed_response(imported: Any, change: Any, code: Any) -> None:
    package = imported("strata_pydantic")
    (refused,) = package.Reader().feed(json.dumps(REQUEST | change).encode() + b"\n")
    assert isinstance(refused, package.Refused)
    assert (refused.id, refused.kind) == (REQUEST["id"], (REQUEST | change)["messageType"])
    answer = package.answer(refused, service="Orders v1")
    if code is None:
        assert answer is None
        return
    document = json.loads(package.encode(answer))
    assert [document[name] for name in ("id", "messageType", "context", "operation", "status", "service")] == [
        REQUEST["id"], "response", "Orders", "createOrder", "failed", "Orders v1",
    ]  # fmt: skip
    assert [(each["severity"], each["code"]) for each in document["messages"]] == [("error", code)]


def test_valid_responses_of_strata_are_received(imported: Any) -> None:
    package = imported("strata_pydantic")
    codec = package.OrdersOrderCreatedCodec()
    lines = [
        {name: value for name, value in REQUEST.items() if name not in ("responseQueue", "metadata")}
        | {"messageType": "response", "payload": {"number": n}, "status": "succeeded", "messages": [], "service": "s"}
        for n in range(200)
    ]
    items = package.Reader().feed(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    assert [codec.received(item).data.number for item in items] == list(range(200))
