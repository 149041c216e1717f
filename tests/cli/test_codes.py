"""``babelreg explain`` knows every code that the product prints: rules, defects, checks and reasons."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator

import pytest
from each import each
from syntax_trees import PACKAGE, modules

from babelreg.cli.manual.reason_pages import (
    ABSENT,
    CONFLICT,
    ENVELOPE,
    SAMPLES,
    page,
)
from babelreg.cli.manual.rule_catalog import entries, every_entry, reason_entries
from babelreg.cli.manual.wire_codes import wire_codes
from babelreg.contract import Contract
from babelreg.contract.reason import REASONS
from babelreg.contract.violation import _REASONS as OF_KEYWORDS
from babelreg.lint.manual.catalog import parse_page
from babelreg.load.files.defect import DEFECTS
from babelreg.typemap.spark.values import UNSTORABLE
from babelreg.wire.bridge import LOSS_CODES
from babelreg.wire.format import CONTROL_MESSAGE
from babelreg.wire.formats.table import FORMATS

# Functions and classes whose first argument is a code that a report prints.
MAKERS = {
    "Finding", "finding", "_finding", "Defect", "Verdict", "ParseError", "EnvelopeFault", "LintWaiverFault",
    "EmitError", "Unstorable", "Violation", "import_finding",
}  # fmt: skip
CODE = re.compile(r"[a-z]+(?:[-_][a-z0-9]+)+\Z")
URN = "urn:babel:orders:created"


def codes_in_source() -> dict[str, str]:
    """Every literal that the package makes a finding, a defect or a refusal of, and a file that does so."""
    found: dict[str, str] = {}
    for module in modules():
        for node in module.each(ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            first = node.args[0] if node.args else None
            if name in MAKERS and isinstance(first, ast.Constant) and CODE.match(str(first.value)):
                found[str(first.value)] = module.name
    return found


def conflict_in_source() -> str:
    text = (PACKAGE / "lake/ingest/quarantine.py").read_text("utf-8")
    return re.findall(r'^CONFLICT = "(.*)"$', text, re.MULTILINE)[0]


def every_code() -> Iterator[str]:
    yield from codes_in_source()
    yield from DEFECTS
    yield from REASONS
    yield from UNSTORABLE
    yield from (reason for reason, _ in OF_KEYWORDS.values())
    yield conflict_in_source()
    yield CONTROL_MESSAGE


def test_the_source_is_read():
    found = codes_in_source()
    assert {"generated-file-missing", "file-unformatted", "locked-message-behind", "missing_meta", "too_deep"} <= set(
        found
    )


def test_every_code_has_a_page():
    known = every_entry()
    assert sorted(set(every_code()) - set(known)) == []


def test_the_code_of_a_conflict_is_that_of_the_quarantine():
    assert conflict_in_source() == CONFLICT


@each("code", sorted({*every_entry()} - {"urn-uppercase"}))
def test_every_page_has_its_parts(code):
    entry = every_entry()[code].entry
    read = parse_page(entry.docstring)
    assert read.summary
    assert read.why
    assert read.bad.strip() != read.good.strip()
    assert read.fix or code not in {*reason_entries()}


@pytest.mark.parametrize(
    "code", ["generated-file-missing", "missing_required", "unstorable_date", CONFLICT, "toml-syntax"]
)
def test_a_code_is_explained(code, run):
    status, out, _ = run("explain", f"[{code}]")
    assert status == 0
    assert out.startswith(f"{code} (")
    assert "\nFix:\n" in out


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_code_of_a_wire_format_is_explained(name, run):
    known = {*every_entry(), *wire_codes()}
    assert set(FORMATS[name].CODES) <= known
    assert set(LOSS_CODES) <= known


@pytest.mark.parametrize(
    "code, lines",
    [
        pytest.param(
            "ack_repeated", ["flowlayer: a command is acknowledged twice. The code is babelreg's."], id="ours"
        ),
        pytest.param("missing_name", ["empty on command or event. The code is the format's own."], id="theirs"),
        pytest.param(
            "invalid_json", ["\nFix:\n", "\nIn other formats:\n\nflowlayer: ", "\nstrata: "], id="a reason, too"
        ),
        pytest.param("secret_removed", ["Reported by `babelreg wire convert`."], id="a loss"),
    ],
)
def test_a_code_of_a_wire_format_names_its_formats(code, lines, run):
    status, out, _ = run("explain", code)
    assert status == 0
    flat = " ".join(out.split())
    assert [line for line in lines if line not in out and " ".join(line.split()) not in flat] == []


def test_a_misspelt_reason_is_met_with_the_right_one(run):
    status, _, err = run("explain", "missing_requierd")
    assert status == 2
    assert "babelreg explain missing_required" in err


def test_reasons_are_listed_by_kind(run):
    out = run("rules", "--family", "reasons")[1]
    listed = [line.split()[0] for line in out.splitlines() if line.startswith("  ")]
    assert listed == [*reason_entries()]
    rows = json.loads(run("rules", "--family", "reasons", "--format", "json")[1])
    assert [(row["rule"], row["family"]) for row in rows] == [(code, "reasons") for code in listed]


def test_rules_are_listed_without_reasons(run):
    rows = json.loads(run("rules", "--format", "json")[1])
    assert [row["rule"] for row in rows] == [*entries()]


def envelope(value: object, **members: str) -> bytes:
    whole = {
        "job": json.dumps(URN),
        "trace_id": '"7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b"',
        "data": json.dumps(value),
        "meta": ENVELOPE["missing_meta"][2],
        "attempts": "0",
        **members,
    }
    return ("{" + ",".join(f'"{name}":{text}' for name, text in whole.items() if text != ABSENT) + "}").encode()


@pytest.mark.parametrize("code", SAMPLES)
def test_a_sample_of_data_is_refused_for_its_reason(code):
    schema, bad, good = SAMPLES[code]
    dialect = {key: schema[key] for key in ("$schema",) if key in schema}
    inner = {key: value for key, value in schema.items() if key not in dialect}
    contract = Contract({URN: {**dialect, "type": "object", "properties": {"v": inner}}}, strict=[URN])
    assert [contract.verdict(envelope({"v": value})).reason for value in (bad, good)] == [code, None]


@pytest.mark.parametrize("code", ENVELOPE)
def test_a_sample_of_an_envelope_is_refused_for_its_reason(code):
    member, bad, good = ENVELOPE[code]
    contract = Contract({URN: {"type": "object"}})
    assert [contract.verdict(envelope({}, **{member: text})).reason for text in (bad, good)] == [code, None]


def test_every_reason_of_data_has_a_sample():
    of_data = {code for code, reason in REASONS.items() if reason.kind == "data"}
    assert of_data - set(SAMPLES) == {"not_checkable", "too_complex"}


def test_no_page_is_left_with_words_for_a_sample():
    assert [code for code in reason_entries() if "a message for which" in page(code)] == []


@pytest.mark.parametrize(
    "words", [["rules"], ["rules", "--family", "reasons"], ["explain", "urn-syntax"]], ids=" ".join
)
def test_a_reader_that_has_enough_is_no_error(words):
    import subprocess
    import sys

    program = [sys.executable, "-m", "babelreg", *words]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        running.stdout.close()
        running.wait(60)
        assert running.stderr is not None
        assert running.returncode == 0, running.stderr.read()
