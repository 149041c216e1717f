"""``babelreg impact``: recorded messages by two registries, the exit code, and no value of a message in any output."""

from __future__ import annotations

import html
import json
import os
import shutil
from pathlib import Path

import pytest
from recorded_changes import body

from babelreg.lake.engine.local_engine import LocalEngine
from babelreg.lake.traffic import splits

GOLDEN = Path(__file__).with_name("four_edits.txt")
EXAMPLE = Path(__file__).parents[3] / "registry.example"
V2 = "urn:babel:orders:created.v2"
TODAY = "2026-11-27"
NOW = 1_795_780_800_000  # noon of that day
DAY_MS = 86_400_000
EDITS = {
    "orders/created.v2.yaml": [
        ("required: [order_id, total]", "required: [order_id, total, email]"),
        ("maximum: 9007199254740991, description: Order number.", "maximum: 100000, description: Order number."),
        ("maximum: 9999", "maximum: 500"),
    ],
    "_common/money.yaml": [("    maximum: 9007199254740991", "    maximum: 100000000")],
}
"""Four edits of the example registry, one of them in a fragment that messages share. All four break by proof."""


def order(number: int, **more: object) -> dict[str, object]:
    total = {"minor": number * 5, "currency": ["EUR", "USD"][number % 2]}
    email = {} if number % 2 else {"email": f"person{number}@example.com"}
    return {"order_id": number, "total": total, **email, "lines": [{"sku": "TEA-100", "qty": 3}], **more}


def recording(count: int, **more: object) -> list[bytes]:
    return [
        body(order(number), urn=V2, created_at=NOW - number * DAY_MS // 10, **more) for number in range(1, count + 1)
    ]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The example registry, its edited copy, and recordings: good, damaged, and refused before the edits."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(EXAMPLE, "published")
    shutil.copytree(EXAMPLE, "edited")
    for path, edits in EDITS.items():
        text = Path("edited", path).read_text()
        for old, new in edits:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        Path("edited", path).write_text(text)
    Path("in").mkdir()
    refused = [body({"order_id": 1}, urn=V2, created_at=NOW), b"{", body({}, urn="urn:babel:no:body", created_at=NOW)]
    Path("in/a.jsonl").write_bytes(b"\n".join([*recording(40), *refused]))
    return tmp_path


@pytest.fixture
def impact(run):
    """A function that runs the command on the edited registry."""

    def run_command(*arguments, against="published", registry="edited", sources=("in",)):
        return run("impact", *sources, "--registry", registry, "--against", against, "--today", TODAY, *arguments)

    return run_command


def finding(report, rule):
    return next(each for each in report["findings"] if each["rule"] == rule)


def told(out):
    return {(each["rule"], each["path"], each["pointer"]): each["count"] for each in json.loads(out)["findings"]}


def test_of_four_edits_that_break_by_proof_one_breaks_messages(impact):
    code, out, err = impact()
    assert code == 1
    if os.environ.get("BABELREG_GOLDEN") == "write":
        GOLDEN.write_text(out, "utf-8")
    assert out == GOLDEN.read_text("utf-8"), "read the difference; BABELREG_GOLDEN=write pytest accepts it"
    assert err == ("compared with the folder published as it is now\n")


def test_json_has_the_count_of_each_finding(impact):
    code, out, _ = impact("--format", "json")
    assert code == 1
    assert told(out) == {
        ("property-required", "edited/orders/created.v2.yaml", "/data/required"): 20,
        ("number-range-changed", "edited/orders/created.v2.yaml", "/data/properties/order_id/maximum"): 0,
        ("number-range-changed", "edited/orders/created.v2.yaml", "/data/properties/lines/items/properties/qty/maximum"): 0,
        ("number-range-changed", "edited/_common/money.yaml", "/properties/minor/maximum"): 0,
    }  # fmt: skip
    report = json.loads(out)
    assert sum(row["count"] for row in report["matrix"]) == report["messages"] == 43
    assert report["refused_now"] == report["hurt"][V2] == 20
    assert finding(report, "property-required")["producers"] == {"orders-api": 20}


def test_the_order_of_registries_decides_what_is_rescued(impact):
    code, out, _ = impact("--format", "json", against="edited", registry="published")
    report = json.loads(out)
    assert code == 0
    assert (report["refused_now"], report["rescued_now"]) == (0, 20)
    assert [(each["urn"], each["reason"], each["count"]) for each in report["rescued"]] == [
        (V2, "missing_required", 20)
    ]


@pytest.mark.parametrize("share, code", [
    pytest.param("46%", 1, id="below the share of all: 20 of 43"),
    pytest.param("47%", 0, id="above it"),
    pytest.param("each=48%", 1, id="below the share of one URN: 20 of 41"),
    pytest.param("each=49%", 0, id="above it for each URN"),
    pytest.param("orders:created.v2=48%", 1, id="for one URN"),
    pytest.param("0%", 1, id="any message"),
])  # fmt: skip
def test_the_exit_code_follows_the_share(impact, share, code):
    assert impact("--fail-above", share)[0] == code


@pytest.mark.parametrize("option, value, message", [
    pytest.param("--fail-above", "120%", "--fail-above: '120%' is not a percentage", id="a share above 100 %"),
    pytest.param("--window", "30", "--window 30 is not a number of days", id="a window without a unit"),
    pytest.param("--window", "0d", "--window 0d is not a number of days", id="an empty window"),
])  # fmt: skip
def test_a_wrong_value_is_refused_with_an_example(impact, option, value, message):
    code, _, err = impact(option, value)
    assert code == 2
    assert message in err
    assert "fix: " in err


def test_messages_outside_the_window_do_not_count(impact):
    code, out, err = impact("--window", "2d")
    assert code == 1
    assert out.startswith("18 messages in the 2 days to 2026-11-27: 8 good before are refused now\n")
    assert "25 messages outside the window: not counted\n1 message without a time: counted as in the window\n" in err


def test_a_window_without_messages_of_a_finding_says_that_nothing_is_known(impact):
    code, out, _ = impact("--window", "1d", "--today", "2026-06-01")
    assert code == 0
    assert "no such message in the 1 day to 2026-06-01: its effect is" in out
    assert "orders-api: no message of urn:babel:orders:created.v2 in the 1 day to" in out
    assert "0 of 0" not in out


def test_a_producer_whose_language_sent_nothing_is_named(impact):
    Path("in/a.jsonl").write_bytes(b"\n".join(recording(4, lang="go")))
    _, out, _ = impact("--format", "json")
    report = json.loads(out)
    assert report["silent"][V2] == ["orders-api"]
    assert finding(report, "property-required")["producers"] == {"go, queue orders": 2}


def test_what_a_waiver_accepts_is_shown_and_does_not_fail(impact, run):
    _, waivers, _ = run("breaking", "edited", "--against", "published", "--format", "waivers")
    settings = Path("edited/babelreg.yaml")
    settings.write_text(settings.read_text() + waivers.replace("TODO: say why", "nobody reads it"))
    code, out, _ = impact()
    assert code == 0
    assert "waived error: property 'email' became required" in out
    assert "refuses 20 of 41 messages" in out


def test_a_lake_is_a_source_with_its_quarantine(impact, run):
    assert run("lake", "ingest", "--input", "in", "--lake", "lake", "--registry", "published")[0] == 0
    code, out, err = impact("--format", "json", sources=["lake"])
    assert code == 1
    report = json.loads(out)
    assert report["messages"] == 43
    assert report["refused_now"] == 20
    assert "lake: the rows of its tables and of its quarantine" in err


def test_a_sketch_is_refused_by_name(impact, run):
    run("infer", "in", "--registry", "published", "--owner", "t", "--dry-run", "--sketch", "day.sketch")
    code, _, err = impact(sources=["day.sketch"])
    assert code == 2
    assert "day.sketch is a sketch, which contains no messages to validate" in err


def test_a_damaged_source_is_an_error_after_the_report(impact):
    Path("in/b.frames").write_bytes(b"\0\0\0\x09cut")
    code, out, err = impact()
    assert code == 2
    assert "43 messages" in out
    assert "in/b.frames" in err


def test_processes_give_the_report_of_one_pass(impact, monkeypatch):
    Path("in/a.jsonl").write_bytes(b"\n".join(recording(300)))
    _, alone, _ = impact("--format", "json")
    monkeypatch.setattr("babelreg.sources.recording_splits._MIN_SPLIT_BYTES", 5_000)
    monkeypatch.setattr(splits, "_PARALLEL_BYTES", 0)
    monkeypatch.setattr("babelreg.lake.engine.local_engine._WORKER_BYTES", 1)
    monkeypatch.setattr(LocalEngine, "parallelism", lambda self, size=None: 3)
    _, shared, _ = impact("--format", "json")
    assert shared == alone


SECRETS = {
    "email": "bob.smith@corp-mail.org", "channel": "hunter2", "coupon": "sk_live_51HxAbCdEfGhIjKlMnOp",
    "ship_to": {"line1": "1 Zebediah Lane", "city": "Zebediahville", "country": "SE"},
}  # fmt: skip
ODD = {"job": "urn:babel:zebediah:hunter2", "lang": "zebediah", "queue": "hunter2-queue"}


@pytest.mark.parametrize("style", ["text", "json", "markdown"])
def test_no_value_of_a_message_is_in_any_output(impact, style):
    bodies = [
        body(order(1, **{key: value for key, value in SECRETS.items() if key != "email"}), urn=V2, created_at=NOW),
        body({**order(200_000), **SECRETS}, urn=V2, created_at=NOW, lang=ODD["lang"], queue=ODD["queue"]),
        body({"note": "hunter2"}, urn=ODD["job"], created_at=NOW),
        b'{"job": "hunter2"',
    ]
    Path("in/a.jsonl").write_bytes(b"\n".join(bodies))
    code, out, err = impact("--format", style)
    assert code == 1
    assert "order_id" in out
    for secret in ("hunter2", "Zebediah", "zebediah", "sk_live", "bob.smith", "corp-mail"):
        assert secret not in out + err


def test_what_one_version_marks_as_personal_is_masked(impact):
    path = Path("edited/orders/created.v2.yaml")
    marked = path.read_text().replace(
        "minimum: 1, maximum: 100000", "x-gdpr-sensitive: id, minimum: 1, maximum: 100000"
    )
    path.write_text(marked)
    _, out, _ = impact()
    sample = next(part for part in out.split("sample") if "refused at" in part)
    assert '"order_id": id' in sample


def test_names_in_markdown_mention_nobody_and_break_nothing(impact):
    path = Path("edited/orders/created.v2.yaml")
    odd = "|</pre></details> @octocat #1 https://evil.example [x](http://y) ![i](z)"
    text = path.read_text().replace("required: [order_id, total, email]", f"required: [order_id, total, '{odd}']")
    path.write_text(text.replace("  properties:\n", f"  properties:\n    '{odd}': {{type: string}}\n", 1))
    _, out, _ = impact("--format", "markdown")
    assert out.startswith("<!-- babelreg impact -->\n### babelreg impact: ")
    for harmful in ("@octocat", "#1 ", "https://", "http://", "|</pre>", "![i]", "[x]("):
        assert harmful not in out
    assert out.count("<pre>") == out.count("</pre>")
    assert out.count("<details>") == out.count("</details>")


def test_reports_go_to_files_in_their_styles(impact):
    code, out, _ = impact("--output", "json:a.json", "--output", "markdown:a.md")
    assert code == 1
    assert "property 'email' became required" in out
    assert json.loads(Path("a.json").read_text())["babelreg_impact"] == 1
    assert Path("a.md").read_text().startswith("<!-- babelreg impact -->")


def test_breaking_shows_the_counts_and_writes_waivers_that_expire(impact, run):
    impact("--window", "30d", "--output", "json:impact.json")
    arguments = ("breaking", "edited", "--against", "published", "--traffic", "impact.json", "--today", TODAY)
    _, out, err = run(*arguments)
    assert out.count("  breaks: in theory; 0 of 41 messages in the 30 days to 2026-11-27\n") == 3
    assert out.count("  breaks: 20 of 41 messages in the 30 days to 2026-11-27 (48.8 %)\n") == 1
    assert "--traffic" not in err
    _, waivers, _ = run(*arguments, "--format", "waivers")
    assert waivers.count('expires: "2026-12-27"') == waivers.count("rule:") == 6
    assert waivers.count('reason: "0 of 41 messages in the 30 days to 2026-11-27 would have been refused"') == 5
    assert waivers.count('reason: "TODO: say why; 20 of 41 messages in') == 1
    _, comment, _ = impact("--window", "30d", "--format", "markdown")
    assert html.escape(waivers) in comment
    settings = Path("edited/babelreg.yaml")
    settings.write_text(settings.read_text() + waivers)
    assert run(*arguments[:4], "--today", "2026-12-27")[1].count("[number-range-changed]") == 0
    assert run(*arguments[:4], "--today", "2026-12-28")[1].count("[number-range-changed]") == 3


def test_breaking_says_where_the_report_is_of_another_change(impact, run):
    impact("--output", "json:impact.json")
    path = Path("edited/orders/created.v2.yaml")
    path.write_text(path.read_text().replace("maximum: 500", "maximum: 400"))
    _, out, err = run("breaking", "edited", "--against", "published", "--traffic", "impact.json", "--today", TODAY)
    assert "--traffic: the report is of another change: it does not count 4 of 4 findings" in err
    assert "in theory" not in out
