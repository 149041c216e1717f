"""``babelreg drift``: findings, the coverage file, ``--check``, windows, and no value of a message in any output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from inferred import envelope

DAY_MS = 86_400_000
FIRST_MS = 1_790_000_000_000 // DAY_MS * DAY_MS  # 2026-09-21
TODAY = "2026-09-27"  # the day of the messages that are sent last

MESSAGE = """\
urn: urn:babel:orders:created
kind: event
description: An order was accepted.
queue: orders
producers: [orders-api]
aliases: [com.shop.orders.created]
data:
  type: object
  required: [order_id]
  properties:
    order_id: {type: integer}
    email: {type: string, x-gdpr-sensitive: email}
    channel: {enum: [web, fax]}
"""
FILES = {
    "babelreg.yaml": "version: 1\n",
    "orders/_context.yaml": "owner: team-orders\n",
    "orders/created.yaml": MESSAGE,
    "_services/orders-api.yaml": "owner: team-orders\nlang: go\n",
    "_services/billing-worker.yaml": "owner: team-billing\nconsumes:\n  - urn: urn:babel:orders:created\n"
    "    reads: [channel]\n    expects: {channel: {enum: [web]}}\n",
}
SECRETS = {
    "email": "bob.smith@corp-mail.org", "card_number": "4539148803436467", "token": "sk_live_51HxAbCdEfGhIjKlMnOp",
    "password": "hunter2!", "first_name": "Zebediah", "note": "call Zebediah tomorrow", "channel": "Zebediah-fax-7",
}  # fmt: skip
NAMES = [secret for secret in SECRETS.values() if not secret.startswith("Zebediah")]  # that is like any other name


def message(
    number: int, data: dict, *, day: int = 6, name="urn:babel:orders:created", queue="orders", lang="go"
) -> bytes:
    body = json.loads(envelope(number, data))
    body["job"] = name
    body["meta"] |= {"queue": queue, "lang": lang, "created_at": FIRST_MS + day * DAY_MS + number}
    return json.dumps(body).encode()


def record(path: str, messages) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(b"\n".join(messages) + b"\n")


def orders(count: int, *, day: int = 6, **more):
    return [message(number, {"order_id": number, **more}, day=day) for number in range(count)]


@pytest.fixture(autouse=True)
def registry(tmp_path, monkeypatch):
    """A registry, and a recording of 150 messages."""
    monkeypatch.chdir(tmp_path)
    for path, text in FILES.items():
        Path("registry", path).parent.mkdir(parents=True, exist_ok=True)
        Path("registry", path).write_text(text)
    record("recordings/a.jsonl", orders(150, email="a"))


def test_each_finding_has_its_place_and_the_way_out(run):
    code, out, err = run("drift", "recordings")
    assert code == 0
    assert out.splitlines() == [
        "registry/_services/billing-worker.yaml:4:13: warning: 'billing-worker' reads 'channel', which nothing fills: 0 of 150 [read-unfilled]",
        "  fix: ask orders-api to send it, or remove it from `reads`",
        "registry/_services/billing-worker.yaml:5:15: warning: 'billing-worker' has an expectation on 'channel', which nothing fills: 0 of 150 [expectation-unfilled]",
        "  fix: ask orders-api to send it, or remove the path from `expects`",
        "registry/orders/created.yaml:6:11: info: nobody sent 'com.shop.orders.created': 0 of 150 [alias-unseen]",
        "  fix: remove it from `aliases` in orders/created.yaml",
        "registry/orders/created.yaml:12:5: info: 'email' is optional but always sent: 150 of 150 [field-always-sent]",
        "  fix: agree with orders-api and add 'email' to `required`",
        "registry/orders/created.yaml:13:5: info: 'channel' was never sent: 0 of 150 [field-unseen]",
        "  fix: ask orders-api; if it is not needed, remove it in a new version: `babelreg mint urn:babel:orders:created`",
    ]
    assert "2 warnings, 3 info in 2 files (150 messages, 1 of 1 declared kinds, in 1 day checked)" in err


def test_json_has_the_findings_and_the_numbers(run):
    code, out, _ = run("drift", "recordings", "--format", "json", "--fail-on", "warning")
    report = json.loads(out)
    assert code == 1
    assert [each["rule"] for each in report["findings"]] == [
        "read-unfilled", "expectation-unfilled", "alias-unseen", "field-always-sent", "field-unseen",
    ]  # fmt: skip


@pytest.mark.parametrize("style", ["jsonl", "github", "sarif", "junit", "gitlab", "markdown"])
def test_the_styles_of_lint_print_it(run, style):
    code, out, _ = run("drift", "recordings", "--format", style)
    assert code == 0
    assert "never sent" in out


def test_an_ignored_rule_is_left_out_and_told(run):
    record("in.jsonl", orders(150))
    every = {finding["rule"] for finding in json.loads(run("drift", "in.jsonl", "--format", "json")[1])["findings"]}
    code, out, err = run("drift", "in.jsonl", "--ignore", "field-unseen,read-unfilled", "--format", "json")
    report = json.loads(out)
    assert {"field-unseen", "read-unfilled"} <= every
    assert {finding["rule"] for finding in report["findings"]} == every - {"field-unseen", "read-unfilled"}
    assert (code, " of ignored rules" in err) == (0, True), err
    code, _, err = run("drift", "in.jsonl", "--ignore", "field-unsent")
    assert (code, "did you mean field-unseen?" in err) == (2, True), err


def test_the_coverage_is_written_once_and_stays(run):
    assert run("drift", "recordings", "--write", "coverage.json")[0] == 0
    before = Path("coverage.json").read_bytes()
    record("recordings/b.jsonl", orders(200, email="b"))
    code, _, err = run("drift", "recordings", "--write", "coverage.json", "--check")
    assert (code, "wrote" in err) == (0, False)
    assert Path("coverage.json").read_bytes() == before
    assert json.loads(before)["messages"]["urn:babel:orders:created"]["fields"] == {
        "order_id": "always", "email": "always", "channel": "0",
    }  # fmt: skip


def test_check_fails_where_a_class_fell_and_keeps_the_file(run):
    run("drift", "recordings", "--write", "coverage.json")
    before = Path("coverage.json").read_bytes()
    record("recordings/a.jsonl", [*orders(150, email="a"), *orders(1)])
    code, out, _ = run("drift", "recordings", "--check", "--write", "coverage.json")
    assert code == 1
    assert "error: 'email' is sent less than before: always then, 150 of 151 now [coverage-fallen]" in out
    assert Path("coverage.json").read_bytes() == before
    assert run("drift", "recordings", "--write", "coverage.json")[0] == 0
    assert Path("coverage.json").read_bytes() != before


def test_a_quiet_night_is_not_judged(run):
    run("drift", "recordings", "--write", "coverage.json")
    record("recordings/a.jsonl", orders(20))
    code, _, err = run("drift", "recordings", "--check", "--write", "coverage.json")
    assert code == 0
    assert "urn:babel:orders:created was not compared: 20 of 100 messages" in err


def test_check_compares_with_the_file_of_the_settings(run):
    Path("registry/babelreg.yaml").write_text("version: 1\ntraffic: coverage.json\n")
    code, _, err = run("drift", "recordings", "--check")
    assert (code, "nothing was compared: there is no coverage file yet (--write FILE)" in err) == (0, True)
    run("drift", "recordings", "--write", "registry/coverage.json")
    assert run("lint", "registry", "--fail-on", "error")[0] == 0
    record("recordings/a.jsonl", orders(150))
    assert run("drift", "recordings", "--check")[0] == 1


def test_check_without_a_file_says_how_to_name_one(run):
    code, _, err = run("drift", "recordings", "--check")
    assert code == 2
    assert "--write coverage.json, or `traffic: coverage.json` in babelreg.yaml" in err


def test_a_damaged_coverage_file_is_a_defect_of_the_registry(run):
    Path("registry/babelreg.yaml").write_text("version: 1\ntraffic: coverage.json\n")
    Path("registry/coverage.json").write_text('{"version": 1, "window_days": "all"}')
    code, _, err = run("drift", "recordings", "--check")
    assert code == 2
    assert "coverage.json" in err
    assert "'window_days' is not an integer" in err


def test_a_window_leaves_out_what_is_older(run):
    record("recordings/old.jsonl", orders(50, day=3, channel="fax"))
    code, _, err = run("drift", "recordings", "--window", "2d", "--today", TODAY)
    assert code == 0
    assert "150 messages, 1 of 1 declared kinds, in 2 days" in err
    assert "50 created outside the window" in err
    assert (
        "200 messages, 1 of 1 declared kinds, in 7 days"
        in run("drift", "recordings", "--window", "7d", "--today", TODAY)[2]
    )
    assert "200 messages, 1 of 1 declared kinds, in 4 days" in run("drift", "recordings")[2]


def test_windows_of_another_length_are_not_judged(run):
    run("drift", "recordings", "--window", "7d", "--today", TODAY, "--write", "coverage.json")
    record("recordings/a.jsonl", orders(150))
    arguments = ("drift", "recordings", "--today", TODAY, "--check", "--write", "coverage.json")
    code, _, err = run(*arguments, "--window", "1d")
    assert (code, "the coverage covers 7 days, this traffic 1" in err) == (0, True)


def test_a_wrong_window_is_refused(run):
    code, _, err = run("drift", "recordings", "--window", "month")
    assert (code, "--window 30d" in err) == (2, True)


def test_a_saved_sketch_gives_the_same_and_cannot_be_cut(run):
    record("recordings/a.jsonl", orders(150, email="a", channel="web"))
    assert run("infer", "recordings", "--owner", "t", "--sketch", "day.sketch")[0] == 0
    assert run("drift", "day.sketch")[1] == run("drift", "recordings")[1].replace("recordings", "day.sketch")
    code, _, err = run("drift", "day.sketch", "--window", "1d", "--today", "2026-11-30")
    assert code == 2
    assert "day.sketch is a sketch of messages from 2026-09-27 to 2026-09-27, which cannot be cut to the window" in err


def test_a_draft_that_is_sent_has_a_coverage(run):
    Path("registry/orders/created.yaml").write_text(MESSAGE.replace("kind: event", "kind: event\nstatus: draft"))
    run("drift", "recordings", "--write", "coverage.json")
    assert "urn:babel:orders:created" in json.loads(Path("coverage.json").read_text())["messages"]


def test_a_damaged_source_is_named_and_nothing_is_written(run):
    Path("recordings/b.jsonl.gz").write_bytes(b"\x1f\x8b\x08 no gzip")
    code, out, err = run("drift", "recordings", "--write", "coverage.json")
    assert (code, Path("coverage.json").exists()) == (2, False)
    assert "field-unseen" in out
    assert "b.jsonl.gz" in err


@pytest.mark.parametrize("style", ["text", "json", "jsonl", "github", "sarif", "junit", "gitlab", "markdown"])
def test_no_output_has_a_value_of_a_message(run, style):
    """Secrets as values, as property names, as names of messages, queues and languages, often enough to be kept."""
    lines = []
    for number in range(120):
        names = dict.fromkeys(NAMES, number)
        data = {"order_id": number, **SECRETS, "map": names, "customer": {"name": SECRETS["first_name"], **names}}
        lines.append(message(number, data))
    for number, secret in enumerate(NAMES):
        lines.append(message(number, {"order_id": 1}, name=f"urn:babel:orders:{secret}", queue=secret, lang=secret))
        lines.append(message(number, {"order_id": 1}, queue=secret, lang=secret))
    record("secret/a.jsonl", lines)
    results = [
        run("drift", "secret", "--write", "coverage.json", "--format", style, "--output", "json:report.json"),
        run("drift", "secret", "--write", "coverage.json", "--check", "--format", style),
    ]
    record("secret/a.jsonl", [*lines, *orders(20)])
    results.append(run("drift", "secret", "--write", "coverage.json", "--check", "--format", style))
    texts = [text for result in results for text in result[1:]]
    texts += [Path(path).read_text() for path in ("coverage.json", "report.json")]
    assert "property-undeclared" in "".join(texts)
    assert [secret for secret in SECRETS.values() if any(secret in text for text in texts)] == []


def test_generated_pages_follow_the_coverage_file(run):
    Path("registry/babelreg.yaml").write_text("version: 1\ntraffic: coverage.json\n")
    pages = ("gen", "docs", "--registry", "registry", "--out", "docs")
    assert run(*pages)[0] == run(*pages, "--check")[0] == 0
    run("drift", "recordings", "--write", "registry/coverage.json")
    assert run(*pages, "--check")[0] == 1
    assert run(*pages)[0] == run(*pages, "--check")[0] == 0
    assert "| email | always |" in Path("docs/orders/created.md").read_text()
    record("recordings/a.jsonl", orders(150, channel="web"))
    run("drift", "recordings", "--write", "registry/coverage.json")
    assert run(*pages, "--check")[0] == 1
