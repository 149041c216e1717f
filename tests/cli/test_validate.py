"""babelreg validate: files and pipes, envelopes and bare data, each bad message at its line."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hang import limited

from babelreg.cli import main
from babelreg.cli.validate import command
from babelreg.errors import InputError, UsageError

URN = "urn:babel:orders:created"
REGISTRY = {
    "babelreg.yaml": "version: 1\n",
    "orders/_context.yaml": "owner: team-orders\ndescription: Orders.\ncontact: orders@example.com\n",
    "orders/created.yaml": f"""\
urn: {URN}
kind: event
description: An order was accepted.
owner: team-orders
queue: orders
data:
  type: object
  required: [order_id]
  properties:
    order_id: {{type: integer, minimum: 1}}
    email: {{type: string, format: email}}
""",
}


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    root = tmp_path / "registry"
    for path, text in REGISTRY.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    return root


def message(data: Any = None, **changes: Any) -> dict[str, Any]:
    meta = {"id": "f1e2d3c4-b5a6-4789-90ab-cdef01234567", "queue": "q", "lang": "php", "schema_version": 1}
    whole = {"job": URN, "trace_id": "t", "data": data or {"order_id": 1}, "meta": {**meta, "created_at": 0}}
    return {**whole, "attempts": 0, **changes}


def run(registry: Path, *arguments: str, given: bytes = b"") -> Result:
    return CliRunner().invoke(command, [*arguments, "--registry", str(registry)], input=given, standalone_mode=False)


def lines(*messages: Any) -> bytes:
    return b"".join((m if isinstance(m, bytes) else json.dumps(m).encode()) + b"\n" for m in messages)


def test_a_small_message_does_not_keep_the_command_busy(registry: Path) -> None:
    schema = """\
urn: urn:babel:orders:created
kind: event
data:
  type: object
  $ref: "#/$defs/n"
  $defs:
    n: {properties: {m: {oneOf: [{$ref: "#/$defs/n"}, {$ref: "#/$defs/n"}]}}}
"""
    (registry / "orders/created.yaml").write_text(schema, "utf-8")
    deep: dict[str, Any] = {}
    for _ in range(24):
        deep = {"m": deep}
    with limited(20):
        done = run(registry, given=lines(message(deep)))
    assert done.return_value == 1
    assert "[too_complex]" in done.stdout


def test_good_messages_are_silent(registry: Path) -> None:
    done = run(registry, given=lines(message(), message({"order_id": 2, "new": 1})))
    assert (done.return_value, done.stdout, done.stderr) == (0, "", "2 messages: 2 good, 0 refused\n")


def test_each_bad_message_is_told_at_its_line_with_a_reason_and_a_way_out(registry: Path, tmp_path: Path) -> None:
    file = tmp_path / "sent.jsonl"
    file.write_bytes(
        lines(message(), message({"order_id": "7"}), b"{", message(job="urn:babel:orders:creatd"), message(meta=None))
    )
    done = run(registry, str(file))
    found = [line for line in done.stdout.splitlines() if not line.startswith("  ")]
    assert done.return_value == 1
    assert [line.partition(": ")[0].removeprefix(file.as_posix()) for line in found] == [
        ":2:1", ":3:1", ":4:1", ":5:1",
    ]  # fmt: skip
    assert [line.rpartition("[")[2] for line in found] == [
        "not_an_integer]", "invalid_json]", "unknown_urn]", "missing_meta]",
    ]  # fmt: skip
    assert done.stdout.count("  fix: ") == 4
    assert f"did you mean {URN}?" in done.stdout
    assert "orders/created.yaml" in done.stdout
    assert done.stderr.startswith("5 messages: 1 good, 4 refused (")


def test_the_summary_groups_digits_and_lists_the_most_frequent_reasons(registry: Path, tmp_path: Path) -> None:
    file = tmp_path / "many.jsonl"
    meta = {"id": "m", "queue": "q", "lang": "go", "schema_version": 1, "created_at": 1}
    whole = {"job": URN, "trace_id": "t", "data": {}, "meta": meta, "attempts": 0}
    others: list[Any] = [
        [],
        {**whole, "job": "urn:babel:a:b"},
        {**whole, "job": ""},
        {**whole, "meta": None},
        {**whole, "trace_id": ""},
        {**whole, "trace_id": 1},
        {**whole, "attempts": -1},
        {**whole, "attempts": 2**63},
        {**whole, "data": None},
        {**whole, "meta": {**meta, "schema_version": 2}},
    ]
    file.write_text("x\n" * 1200 + "".join(json.dumps(other) + "\n" for other in others))
    done = run(registry, str(file), "--statistics")
    assert done.stderr.startswith("1,210 messages: 0 good, 1,210 refused (invalid_json 1,200, ")
    assert done.stderr.count(" 1, ") == 7
    assert done.stderr.endswith(", 3 more reasons)\n")


def test_json_lines_hold_what_programs_need(registry: Path) -> None:
    done = run(registry, "--format", "jsonl", given=lines(message({"order_id": 0})))
    found = json.loads(done.stdout)
    expected = {"rule": "below_minimum", "reason": "below_minimum", "path": "<stdin>", "line": 1, "urn": URN}
    assert found.items() >= {**expected, "pointer": "/data/order_id", "severity": "error"}.items()


def test_json_is_one_document_even_when_all_is_well(registry: Path) -> None:
    assert json.loads(run(registry, "--format", "json", given=lines(message())).stdout)["findings"] == []


def test_messages_printed_over_several_lines(registry: Path) -> None:
    given = b"".join(json.dumps(one, indent=2).encode() + b"\n" for one in (message(), message({"order_id": 0})))
    done = run(registry, given=given)
    assert done.stdout.startswith("<stdin>:16:1: error:")


def test_bare_data(registry: Path) -> None:
    done = run(registry, "--data", URN, "--format", "jsonl", given=lines({"order_id": 1}, {}, [], b"{"))
    found = [(one["line"], one["reason"], one.get("pointer")) for one in map(json.loads, done.stdout.splitlines())]
    assert found == [(2, "missing_required", ""), (3, "not_an_object", ""), (4, "invalid_json", "")]


def test_forbidden_keys_are_warnings(registry: Path) -> None:
    given = lines(message(timestamp=1, urn="urn:x"))
    assert run(registry, given=given).return_value == 0
    assert run(registry, "--fail-on", "warning", given=given).return_value == 1
    assert "2 warnings" in run(registry, given=given).stderr


def test_values_of_the_data_are_never_printed(registry: Path) -> None:
    secret = "4111111111111111"
    done = run(registry, given=lines(message({"order_id": secret, "email": secret}), b'{"job":"' + secret.encode()))
    assert secret not in done.output


def test_a_strict_registry_takes_the_schema_as_written(registry: Path) -> None:
    schema = registry / "orders/created.yaml"
    schema.write_text(schema.read_text("utf-8") + "  additionalProperties: false\n", "utf-8")
    given = lines(message({"order_id": 1, "new": 1}))
    assert run(registry, given=given).return_value == 0
    (registry / "babelreg.yaml").write_text("version: 1\ncompatibility: {reader: strict}\n", "utf-8")
    assert "additional_not_allowed" in run(registry, given=given).stdout


@pytest.mark.parametrize(
    "arguments, says",
    [
        pytest.param(["no-such-file"], "does not exist", id="a file that is not there"),
        pytest.param(["empty"], "contains no files", id="an empty folder"),
        pytest.param(["-", "--wire", "pigeon"], "use one of: babelqueue", id="an unknown wire format"),
        pytest.param(["-", "--data", "urn:babel:orders:creatd"], f"did you mean {URN}?", id="an unknown URN"),
    ],
)
def test_wrong_use_ends_in_2_with_a_way_out(
    registry: Path, arguments: list[str], says: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (registry.parent / "empty").mkdir()
    monkeypatch.chdir(registry.parent)
    with pytest.raises(SystemExit) as ended:
        main(["validate", *arguments, "--registry", str(registry)])
    shown = capsys.readouterr().err
    assert ended.value.code == 2
    assert says in shown
    assert "fix: " in shown


@pytest.fixture
def typed(registry: Path) -> Path:
    """A registry of columns that hold less than the schema admits."""
    (registry / "orders/paid.yaml").write_text(
        """\
urn: urn:babel:orders:paid
kind: event
description: An order was paid for.
owner: team-orders
queue: orders
data:
  type: object
  properties:
    id: {type: integer}
    at: {type: string, format: date-time}
    total: {type: number, x-spark-type: "decimal(7,2)"}
    scan: {type: string, x-spark-type: binary}
    note: {type: string}
""",
        "utf-8",
    )
    return registry


@pytest.mark.parametrize(
    "data, found",
    [
        pytest.param({"id": 2**63}, ("unstorable_integer", "/data/id"), id="an integer that does not fit into 64 bits"),
        pytest.param({"at": "2026-06-30T23:59:60Z"}, ("unstorable_timestamp", "/data/at"), id="a leap second"),
        pytest.param({"total": 1.005}, ("unstorable_decimal", "/data/total"), id="a digit that is rounded away"),
        pytest.param({"scan": "x"}, ("unstorable_binary", "/data/scan"), id="no base64"),
        pytest.param({"note": "\ud800"}, ("unstorable_string", "/data"), id="an unpaired surrogate"),
        pytest.param({"id": 1, "at": "2026-06-30t23:59:59z", "total": 1.5}, None, id="what every column holds"),
    ],
)
def test_spark_foretells_what_no_column_can_hold(typed: Path, data: Any, found: tuple[str, str] | None) -> None:
    given = lines(message(data, job="urn:babel:orders:paid"))
    done = run(typed, "--spark", "--format", "jsonl", given=given)
    told = [(one["reason"], one["pointer"]) for one in map(json.loads, done.stdout.splitlines())]
    assert told == ([found] if found else [])
    assert done.return_value == (1 if found else 0)
    if found and found[0].startswith("unstorable_"):
        assert run(typed, given=given).return_value == 0


def test_spark_looks_at_the_columns_of_the_envelope(typed: Path) -> None:
    given = message(job="urn:babel:orders:paid")
    given["meta"]["created_at"] = 2**62
    done = run(typed, "--spark", "--format", "jsonl", given=lines(given))
    (told,) = map(json.loads, done.stdout.splitlines())
    assert (told["reason"], told["pointer"]) == ("unstorable_timestamp", "/meta/created_at")


def test_spark_says_what_to_do(typed: Path) -> None:
    bare = run(
        typed, "--spark", "--data", "urn:babel:orders:paid", given=lines({"id": 2**63}, {"id": 1.0}, {"id": "1"})
    )
    assert bare.stdout.splitlines()[:2] == [
        "<stdin>:1:1: error: urn:babel:orders:paid: the message is valid, but its table cannot store this integer "
        "[unstorable_integer]",
        "  fix: keep it within 64 bits, or declare a `maximum`, from which a column with more digits is made",
    ]
    assert "3 messages: 1 good, 2 refused" in bare.stderr


def test_with_spark_a_message_is_one_line(typed: Path) -> None:
    good = json.dumps(message(job="urn:babel:orders:paid", data={"id": 1}), indent=1).encode()
    given = good.replace(b"\n", b"") + b"\r\n \t\n\n" + good + b"\n"
    done = run(typed, "--spark", "--format", "jsonl", given=given)
    told = [(one["line"], one["reason"]) for one in map(json.loads, done.stdout.splitlines())]
    assert told == [(number, "invalid_json") for number in range(4, 4 + len(good.splitlines()))]
    assert "2 good, 0 refused" in run(typed, given=given).stderr


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.jsonl.zst", "a.frames", "a.frames.gz", "a.frames.zst"])
def test_packed_and_framed_files_are_read_as_ingest_reads_them(name: str, registry: Path, tmp_path: Path) -> None:
    file = tmp_path / "inbox" / "monday" / name
    file.parent.mkdir(parents=True)
    write_packed(file, [json.dumps(message({"order_id": one})).encode() for one in (1, 0, 3)])
    for path in (file, tmp_path / "inbox"):
        done = run(registry, str(path), "--format", "jsonl")
        assert [(one["path"], one["line"], one["reason"]) for one in map(json.loads, done.stdout.splitlines())] == [
            (file.as_posix(), 2, "below_minimum")
        ]
        assert "3 messages: 2 good, 1 refused" in done.stderr


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.jsonl.zst"])
def test_packed_standard_input_is_unpacked(name: str, registry: Path, tmp_path: Path) -> None:
    file = tmp_path / name
    write_packed(file, [json.dumps(message({"order_id": one})).encode() for one in (1, 0, 3)])
    for arguments in ((), ("-",)):
        done = run(registry, *arguments, "--format", "jsonl", given=file.read_bytes())
        assert [(one["line"], one["reason"]) for one in map(json.loads, done.stdout.splitlines())] == [
            (2, "below_minimum")
        ]
        assert "3 messages: 2 good, 1 refused" in done.stderr


def test_packed_standard_input_that_was_cut_off_is_an_error(registry: Path) -> None:
    with pytest.raises(InputError, match="<stdin> is not a complete gzip file"):
        raise run(registry, given=gzip.compress(lines(message()))[:-12]).exception or AssertionError("nothing was told")


def test_a_folder_is_read_without_hidden_files(registry: Path, tmp_path: Path) -> None:
    inbox = tmp_path / "inbox"
    (inbox / "_state").mkdir(parents=True)
    for name in ("b.jsonl", "a.jsonl", ".hidden.jsonl", "_state/c.jsonl"):
        (inbox / name).write_bytes(lines(message({"order_id": 0})))
    done = run(registry, str(inbox), "--format", "jsonl")
    told = [Path(json.loads(line)["path"]).name for line in done.stdout.splitlines()]
    assert told == ["a.jsonl", "b.jsonl"]


def test_a_file_that_was_cut_off_costs_its_rest_only(registry: Path, tmp_path: Path) -> None:
    bodies = [json.dumps(message({"order_id": 0})).encode()] * 4
    for name in ("a.frames", "b.frames", "c.frames"):
        write_packed(tmp_path / name, bodies)
    for name in ("a.frames", "b.frames"):
        (tmp_path / name).write_bytes((tmp_path / name).read_bytes()[:-5])
    paths = [str(tmp_path / name) for name in ("a.frames", "b.frames", "c.frames")]
    done = run(registry, *paths)
    assert "... 7 more like it in 2 files: " in done.stdout
    assert "10 messages: 0 good, 10 refused" in done.stderr
    with pytest.raises(InputError, match=r"a\.frames ends within the frame .*b\.frames ends within the frame"):
        raise done.exception or AssertionError("nothing was told")


def test_packed_messages_may_be_printed_over_several_lines(registry: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.gz"
    file.write_bytes(gzip.compress(json.dumps(message(), indent=1).encode() + b"\n" + lines(message())))
    assert "2 messages: 2 good, 0 refused" in run(registry, str(file)).stderr


def test_gzip_and_frames_need_no_other_package_and_zstd_names_it(registry: Path, tmp_path: Path) -> None:
    framed, zstd = tmp_path / "a.frames.gz", tmp_path / "a.zst"
    write_packed(framed, [json.dumps(message()).encode()])
    zstd.write_bytes(b"\x28\xb5\x2f\xfd and more")
    program = (
        "import sys\n"
        "sys.modules.update(pyspark=None, pyarrow=None, pandas=None, numpy=None)\n"
        "from babelreg.cli import main\n"
        f"main(['validate', '--registry', {str(registry)!r}, *sys.argv[1:]])\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}

    def validate(path: Path) -> tuple[int, str]:
        command = [sys.executable, "-c", program, str(path)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        return done.returncode, done.stderr

    assert validate(framed) == (0, "1 message: 1 good, 0 refused\n")
    code, shown = validate(zstd)
    assert (code, "pyarrow is not installed" in shown, "zstdcat" in shown) == (2, True, True), shown


def write_packed(file: Path, bodies: list[bytes]) -> None:
    """Write messages as the name of ``file`` says: framed or as lines, compressed or not."""
    framed = b"".join(len(body).to_bytes(4, "big") + body for body in bodies)
    content = framed if ".frames" in file.name else b"\n".join(bodies)
    if file.suffix == ".gz":
        content = gzip.compress(content)
    elif file.suffix == ".zst":
        content = pytest.importorskip("pyarrow").compress(content, codec="zstd", asbytes=True)
    file.write_bytes(content)


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.jsonl.zst", "a.frames", "a.frames.gz"])
def test_with_spark_files_are_read_as_ingest_reads_them(name: str, typed: Path, tmp_path: Path) -> None:
    bodies = [json.dumps(message({"id": one}, job="urn:babel:orders:paid")).encode() for one in (1, 2**63, 3)]
    file = tmp_path / name
    write_packed(file, bodies)
    done = run(typed, str(file), "--spark", "--format", "jsonl")
    assert [(one["line"], one["reason"]) for one in map(json.loads, done.stdout.splitlines())] == [
        (2, "unstorable_integer")
    ]
    assert "3 messages: 2 good, 1 refused" in done.stderr


def test_with_spark_a_packed_file_that_was_cut_off_is_told(typed: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.gz"
    file.write_bytes(gzip.compress(lines(message({"order_id": 1})))[:-12])
    with pytest.raises(InputError, match="is not a complete gzip file"):
        raise run(typed, str(file), "--spark").exception or AssertionError("nothing was told")


def test_spark_is_asked_without_spark(typed: Path) -> None:
    program = (
        "import sys\n"
        "sys.modules.update(pyspark=None, pyarrow=None, pandas=None)\n"
        "from babelreg.cli import main\n"
        f"main(['validate', '--spark', '--registry', {str(typed)!r}])\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    given = lines(message({"id": 2**63}, job="urn:babel:orders:paid"))
    done = subprocess.run([sys.executable, "-c", program], input=given, capture_output=True, env=environment)
    assert (done.returncode, b"[unstorable_integer]" in done.stdout) == (1, True), done.stderr


def test_a_registry_with_defects_is_refused(registry: Path) -> None:
    (registry / "orders/created.yaml").write_text("urn: [\n", "utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["validate", "-", "--registry", str(registry)])
    assert ended.value.code == 2


def test_a_long_pipe_takes_no_more_memory_than_a_short_one(registry: Path) -> None:
    program = (
        "import resource, sys\n"
        "from babelreg.cli import main\n"
        "try:\n"
        f"    main(['validate', '--registry', {str(registry)!r}, '--fail-on', 'never', '--format', 'jsonl'])\n"
        "except SystemExit as end:\n"
        "    print(end.code, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)\n"
    )

    def peak(count: int) -> int:
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
        command = [sys.executable, "-c", program]
        given = lines(message(), message({"order_id": 0})) * count
        done = subprocess.run(command, input=given, capture_output=True, env=environment, check=True)
        assert done.stdout.count(b"\n") == count
        code, kilobytes = done.stderr.split()[-2:]
        assert code == b"0"
        return int(kilobytes)

    assert peak(20_000) < peak(10) + 8_000


def test_output_that_nobody_reads_any_more_is_no_bug(registry: Path, tmp_path: Path) -> None:
    file = tmp_path / "sent.jsonl"
    file.write_bytes(lines(message({"order_id": 0})) * 20_000)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-m", "babelreg", "validate", str(file), "--registry", str(registry)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(100)
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()


def test_the_views_alone_load_nothing_heavy() -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", "import sys, babelreg.contract.views; print(' '.join(sys.modules))"],
        capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2],
    ).stdout.split()  # fmt: skip
    heavy = {"pyspark", "jinja2", "jsonschema", "pydantic", "datamodel_code_generator", "importlib.metadata"}
    assert not heavy & set(loaded)


def test_a_file_without_a_message_is_named(registry: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n\n")
    done = run(registry, str(empty))
    assert (done.return_value, done.stdout) == (0, "")
    assert done.stderr == f"{empty.as_posix()} contains no message\n0 messages: 0 good, 0 refused\n"


def test_of_many_findings_alike_the_first_few_are_printed(registry: Path, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.jsonl", "b.jsonl", "c.jsonl")]
    for path in paths:
        path.write_bytes(lines(*[message({"order_id": number}) for number in (0, -1, -2, -3)], message({"id": 1})))
    done = run(registry, *map(str, paths))
    shown = [line for line in done.stdout.splitlines() if not line.startswith("  ")]
    assert done.return_value == 1
    assert [line.rpartition("[")[2] for line in shown[:-1]] == ["below_minimum]"] * 3 + ["missing_required]"] * 3
    assert shown[-1].startswith("... 9 more like it in 3 files: ")
    assert "raise --max-per-problem" in done.stderr
    assert "15 messages: 0 good, 15 refused (below_minimum 12, missing_required 3)" in done.stderr
    every = run(registry, *map(str, paths), "--max-per-problem", "12")
    assert (every.stdout.count("[below_minimum]"), "more like it" in every.stdout) == (12, False)


def test_other_styles_and_files_have_every_finding(registry: Path, tmp_path: Path) -> None:
    given = lines(*[message({"order_id": 0})] * 10)
    assert len(run(registry, "--format", "jsonl", given=given).stdout.splitlines()) == 10
    assert len(json.loads(run(registry, "--format", "json", given=given).stdout)["findings"]) == 10
    report = tmp_path / "report.json"
    done = run(registry, "--output", f"json:{report}", given=given)
    assert (done.return_value, done.stdout.count("[below_minimum]")) == (1, 4)
    assert len(json.loads(report.read_text("utf-8"))["findings"]) == 10
    page = tmp_path / "report.txt"
    assert run(registry, "--output", str(page), given=given).stdout == ""
    assert page.read_text("utf-8").count("[below_minimum]") == 10


def test_statistics_count_the_findings_of_each_problem(registry: Path) -> None:
    given = lines(*[message({"order_id": 0})] * 1200, message({"a": 1}), b"{")
    done = run(registry, "--statistics", given=given)
    assert done.return_value == 1
    assert done.stdout.splitlines() == [
        f"1,200  error    below_minimum {URN} /data/order_id",
        f"    1  error    missing_required {URN} /data/order_id",
        "    1  error    invalid_json",
    ]
    rows = json.loads(run(registry, "--statistics", "--format", "json", given=given).stdout)
    assert rows[0] == {
        "rule": "below_minimum", "severity": "error", "urn": URN, "pointer": "/data/order_id", "count": 1200,
    }  # fmt: skip


@pytest.mark.parametrize("wrong", [["--format", "sarif"], ["--output", "json:a"]], ids=["a style", "a file"])
def test_statistics_are_no_report(registry: Path, wrong: list[str]) -> None:
    with pytest.raises(UsageError, match="--statistics"):
        raise run(registry, "--statistics", *wrong).exception or AssertionError("nothing was told")


@pytest.mark.parametrize("options", [[], ["--spark"]], ids=["as JSON", "as lines"])
@pytest.mark.parametrize(
    "broken",
    [
        *[
            pytest.param(lambda line, part=part: line[: len(line) * part // 20], id=f"cut {part}")
            for part in range(1, 20)
        ],
        pytest.param(lambda line: line.replace(b"php", b"p\xffp"), id="a bad byte"),
        pytest.param(lambda line: b"\0" * len(line), id="zeros, as after a crash"),
    ],
)
def test_a_broken_line_costs_that_line(registry: Path, broken: Callable[[bytes], bytes], options: list[str]) -> None:
    good = lines(message())
    done = run(registry, *options, "--format", "jsonl", given=good + broken(good.strip()) + b"\n" + good * 3)
    assert [json.loads(line)["line"] for line in done.stdout.splitlines()] == [2]
    assert "5 messages: 4 good, 1 refused" in done.stderr


@pytest.mark.parametrize("spark", [[], ["--spark"]], ids=["", "with its columns"])
def test_messages_under_an_alias_are_judged_as_the_message(registry: Path, spark: list[str]) -> None:
    path = registry / "orders" / "created.yaml"
    path.write_text(path.read_text().replace("kind: event", "aliases: [Orders.Created]\nkind: event"))
    sent = [
        message(job="Orders.Created"),
        message({"order_id": 0}, job="Orders.Created"),
        message(job="orders.created"),
    ]
    done = run(registry, "--format", "jsonl", *spark, given=lines(*sent))
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(f["rule"], f["line"], f["urn"]) for f in found] == [
        ("below_minimum", 2, URN),
        ("unknown_urn", 3, "orders.created"),
    ]
    assert found[1]["fix"] == f"did you mean {URN}? Otherwise, add it to `aliases` in orders/created.yaml"
    bare = run(registry, "--data", "Orders.Created", "--format", "jsonl", *spark, given=lines({"order_id": 0}))
    assert [json.loads(line)["urn"] for line in bare.stdout.splitlines()] == [URN]
