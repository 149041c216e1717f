"""babelreg validate --wire: messages of other formats against the registry."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import ENVELOPE, PHPMQ, STRATA, URN, lines

Run = Callable[..., tuple[int, bytes, str]]
ORDER = {**STRATA, "context": "Orders", "operation": "createdOrder"}
EVENT = {"type": "event", "name": "OrderCreated", "payload": {"order_id": 1042}}
CONSUME = b"H0100202P0100000000000000000000000000003FooP04000000000000000000000000000015"


def carrier(envelope: dict[str, Any]) -> bytes:
    content = json.dumps(envelope).encode()
    return b"H0100103P01%029dordersP02%029d%sP05%029d0" % (6, len(content), content, 1)


def findings(out: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.parametrize(
    "name, given, good",
    [
        pytest.param("strata", lines(ORDER, STRATA), 2, id="strata, by mapping and by rule"),
        pytest.param("flowlayer", lines(EVENT), 1, id="flowlayer"),
        pytest.param("phpmq", carrier(ENVELOPE), 1, id="phpmq"),
        pytest.param("babelqueue", lines(ENVELOPE), 1, id="babelqueue"),
    ],
)
def test_good_messages_are_silent(name: str, given: bytes, good: int, wire: Run, registry: Path) -> None:
    code, out, err = wire("validate", "--wire", name, "--registry", registry, given=given)
    assert (code, out) == (0, b"")
    assert err == f"{good} message{'s' * (good > 1)}: {good} good, 0 refused\n"


@pytest.mark.parametrize(
    "name, given, expected",
    [
        pytest.param("strata", lines(STRATA, {**ORDER, "payload": {"order_id": 0}}),
                     {"rule": "below_minimum", "line": 2, "column": 1, "pointer": "/payload/order_id", "urn": URN}, id="strata"),
        pytest.param("flowlayer", lines({**EVENT, "payload": {}}),
                     {"rule": "missing_required", "line": 1, "pointer": "/payload"}, id="flowlayer"),
        pytest.param("flowlayer", b"\n" + lines({"type": "ack"}),
                     {"rule": "missing_id", "code": "missing_id", "line": 2, "offset": 1}, id="a defect of the envelope"),
        pytest.param("phpmq", PHPMQ, {"rule": "missing_required", "line": 0, "offset": 0, "pointer": "/data"},
                     id="opaque content"),
        pytest.param("phpmq", carrier(ENVELOPE) + carrier({**ENVELOPE, "data": {"order_id": "7"}}),
                     {"rule": "not_an_integer", "offset": len(carrier(ENVELOPE)), "pointer": "/data/order_id"}, id="a carrier"),
        pytest.param("phpmq", carrier({**ENVELOPE, "meta": {"schema_version": 2}}),
                     {"rule": "unsupported_schema_version", "offset": 0}, id="a carried envelope of another version"),
        pytest.param("phpmq", PHPMQ.replace(b"Foo", b"foo"),
                     {"rule": "unknown_urn", "fix": "map its name in babelreg.yaml: wires: {phpmq: {queues: {foo: URN}}}"},
                     id="a URN that is not declared"),
        pytest.param("phpmq", PHPMQ.replace(b"Foo", b"F o"),
                     {"rule": "unmapped_name", "fix": 'in babelreg.yaml: wires: {phpmq: {queues: {"F o": URN}}}'},
                     id="a name that nothing maps"),
        pytest.param("phpmq", PHPMQ[:-1], {"rule": "truncated", "offset": len(PHPMQ) - 1}, id="bytes that are no message"),
        pytest.param("strata", lines(ENVELOPE), {"fix": "did you mean --wire babelqueue?"}, id="another format"),
    ],
)  # fmt: skip
def test_a_finding_has_place_code_and_pointer(
    name: str, given: bytes, expected: dict[str, Any], wire: Run, registry: Path
) -> None:
    words = ["validate", "--wire", name, "--registry", registry, "--format", "jsonl"]
    code, out, _ = wire(*words, given=given)
    (finding,) = findings(out)
    assert code == 1
    assert expected.items() <= finding.items(), finding


def test_warnings_of_the_format_are_told(wire: Run, registry: Path) -> None:
    given = lines({**ORDER, "timestamp": "soon"})
    code, out, err = wire("validate", "--wire", "strata", "--registry", registry, given=given)
    assert code == 0
    assert b"warning: timestamp is not an ISO 8601 instant [invalid_timestamp]" in out
    assert err == "1 message: 1 good, 0 refused, 1 warning\n"


def test_control_messages_are_counted(wire: Run, registry: Path) -> None:
    code, out, err = wire("validate", "--wire", "phpmq", "--registry", registry, given=carrier(ENVELOPE) + CONSUME)
    assert (code, out) == (0, b"")
    assert err == "1 message: 1 good, 0 refused; 1 control message without payload\n"


def test_a_file_is_one_message(wire: Run, registry: Path, tmp_path: Path) -> None:
    file = tmp_path / "order.json"
    file.write_text(json.dumps(ORDER, indent=2))
    assert wire("validate", "--wire", "strata", "--whole", "--registry", registry, file)[0] == 0


@pytest.mark.parametrize("style", ["text", "json", "jsonl", "github", "sarif", "junit", "gitlab", "markdown"])
def test_secrets_are_in_no_report(style: str, wire: Run, registry: Path, tmp_path: Path) -> None:
    response = {"messageType": "response", "status": "failed", "service": "s",
                "messages": [{"severity": "error", "message": "m", "stack": "S3CRET"}]}  # fmt: skip
    given = lines(
        {**STRATA, "auth": "S3CRET", "payload": {}},
        {**STRATA, "auth": {"token": "S3CRET"}, "payload": 5},
        {**STRATA, **response, "operation": "Created"},
        {**STRATA, "auth": "S3CRET", "timestamp": 5},
    )
    broken = b'{"auth": "S3CRET"\n{"auth": "S3CRET\n["S3CRET"]\n"S3CRET"\nS3CRET\n'
    for words in (["validate", "--registry", registry], ["wire", "validate"]):
        for name in ("strata", "flowlayer", "phpmq", "babelqueue"):
            output = tmp_path / "report"
            code, out, err = wire(
                *words, "--wire", name, "--format", style, "--output", f"{style}:{output}", given=given + broken
            )
            assert code == 1
            assert "S3CRET" not in out.decode() + err + output.read_text()


def test_bare_data_has_no_format(wire: Run, registry: Path) -> None:
    words = ["validate", "--wire", "strata", "--data", URN, "--registry", registry]
    code, _, err = wire(*words, given=b"{}")
    assert code == 2
    assert "--data: bare data is in no wire format" in err


def test_what_no_table_holds_is_told_on_demand(wire: Run, registry: Path) -> None:
    path = registry / "orders/created.yaml"
    path.write_text(path.read_text().replace(', "minimum": 1', ""))
    given = lines({**EVENT, "payload": {"order_id": 2**63}})
    words = ["validate", "--wire", "flowlayer", "--registry", registry, "--format", "jsonl"]
    assert wire(*words, given=given)[0] in (0, 1)
    code, out, _ = wire(*words, "--spark", given=given)
    assert code == 1
    assert findings(out)[0]["line"] == 1


@pytest.mark.parametrize(
    "name, file",
    [
        pytest.param("strata", "a.jsonl.gz", id="compressed lines"),
        pytest.param("strata", "a.frames", id="frames, of which one is printed over several lines"),
        pytest.param("phpmq", "a.frames.gz", id="compressed frames of packets"),
    ],
)
def test_with_spark_files_are_read_as_ingest_reads_them(
    name: str, file: str, wire: Run, registry: Path, tmp_path: Path
) -> None:
    wrong = {**ORDER, "payload": {"order_id": 0}}
    if name == "strata":
        bodies = [json.dumps(ORDER, indent=None if file.endswith("gz") else 2).encode(), json.dumps(wrong).encode()]
    else:
        bodies = [carrier(ENVELOPE), carrier({**ENVELOPE, "data": {"order_id": 0}})]
    framed = b"".join(len(body).to_bytes(4, "big") + body for body in bodies)
    content = framed if ".frames" in file else b"\n".join(bodies)
    path = tmp_path / file
    path.write_bytes(gzip.compress(content) if file.endswith("gz") else content)
    words = ["validate", "--wire", name, "--registry", registry, "--format", "jsonl", path]
    code, out, err = wire(*words, "--spark")
    assert [finding["rule"] for finding in findings(out)] == ["below_minimum"]
    assert (code, err) == (1, "2 messages: 1 good, 1 refused (below_minimum 1)\n")
