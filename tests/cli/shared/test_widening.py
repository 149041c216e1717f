"""``babelreg infer`` on declared messages: what is written, what is held back for whom it breaks, and --in-place."""

from __future__ import annotations

import json

import pytest

URN = "urn:babel:orders:created"
MESSAGE = """\
urn: urn:babel:orders:created
kind: event
status: {status}
data:
  type: object
  required: [id]
  properties:
    # the number of the order
    id: {{type: integer}}
    code: {{type: string, pattern: ^A}}
examples: [{{id: 1}}]
"""


@pytest.fixture
def folder(tmp_path):
    """A registry of one message, and two recorded ones of which it declares and accepts less."""

    def make(status):
        (tmp_path / "registry" / "orders").mkdir(parents=True)
        (tmp_path / "registry" / "babelreg.yaml").write_text("version: 1\n")
        (tmp_path / "registry" / "orders" / "_context.yaml").write_text("owner: team-orders\n")
        (tmp_path / "registry" / "orders" / "created.yaml").write_text(MESSAGE.format(status=status))
        lines = []
        for number, data in enumerate([{"id": None, "note": "x y"}, {"id": 7, "code": "B"}]):
            meta = {"id": f"a{number}", "queue": "q", "lang": "go", "schema_version": 1, "created_at": 1}
            envelope = {"job": URN, "trace_id": "t", "data": data, "meta": meta, "attempts": 0}
            lines.append(json.dumps(envelope) + "\n")
        (tmp_path / "in.jsonl").write_text("".join(lines))
        return tmp_path

    return make


def infer(run, folder, *options):
    return run("infer", folder / "in.jsonl", "--registry", folder / "registry", *options)


def text(folder):
    return (folder / "registry" / "orders" / "created.yaml").read_text()


WIDENED = MESSAGE.replace("{{type: integer}}", '{{type: [integer, "null"]}}  # null in 1 of 2').replace(
    "examples:", "    note: {{type: string}}  # optional: 1 of 2\nexamples:"
)
PARTLY = MESSAGE.replace("examples:", "    note: {{type: string}}  # optional: 1 of 2\nexamples:")


@pytest.mark.parametrize(
    "status, options, expected",
    [
        pytest.param("draft", [], WIDENED, id="a draft is widened"),
        pytest.param("active", [], PARTLY, id="a published message is widened where that breaks nobody"),
        pytest.param("deprecated", [], PARTLY, id="a deprecated one too"),
        pytest.param("active", ["--in-place"], WIDENED, id="--in-place widens all"),
        pytest.param("draft", ["--dry-run"], MESSAGE, id="--dry-run writes nothing"),
        pytest.param("draft", ["--diff"], MESSAGE, id="--diff writes nothing"),
    ],
)
def test_a_declared_message_is_widened(run, folder, status, options, expected):
    at = folder(status)
    code, out, _ = infer(run, at, *options)
    assert code == 0
    assert "orders/created.yaml" in out
    assert text(at) == expected.format(status=status)


@pytest.mark.parametrize(
    "written",
    [
        pytest.param("required: [{id: 1}]", id="a required property that is no name"),
        pytest.param("required: 7", id="a keyword of another type"),
        pytest.param("required: [id]\n  enum: {id: 1}", id="an enumeration that is no list"),
        pytest.param("required: [id]\n  $defs: {part: {type: [strung, 3]}}", id="a definition that nothing uses"),
    ],
)
def test_a_schema_that_is_not_valid_is_left_alone(run, folder, written):
    at = folder("draft")
    message = at / "registry" / "orders" / "created.yaml"
    message.write_text(message.read_text().replace("required: [id]", written))
    code, out, err = infer(run, at)
    assert (code, out) == (0, "")
    assert "orders/created.yaml: not widened: the schema is not a valid JSON Schema\n  fix: babelreg lint" in err


def test_a_second_run_changes_nothing(run, folder):
    at = folder("draft")
    infer(run, at)
    assert infer(run, at)[1] == ""
    assert text(at) == WIDENED.format(status="draft")


def test_what_breaks_readers_is_held_back_with_the_way_out(run, folder):
    at = folder("active")
    err = infer(run, at)[2]
    assert "not widened: data.id may be null: null in 1 of 2\n" in err
    assert f"  fix: babelreg mint {URN}" in err
    assert "--in-place" in err


def test_what_no_sketch_decides_is_counted_at_its_place(run, folder):
    err = infer(run, folder("draft"))[2]
    assert "1 message is still refused\n  1 by `pattern` at " in err
    assert "orders/created.yaml:10:26: widen it by hand" in err
