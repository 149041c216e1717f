"""``babelreg infer``: a registry from recordings, also messy ones, and no value of a message in it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from inferred import envelope

from babelreg.wire.length_frames import frame

SECRETS = {
    "email": "bob.smith@corp-mail.org", "card_number": "4539148803436467", "iban": "DE68210501700012345678",
    "token": "sk_live_51HxAbCdEfGhIjKlMnOp", "password": "hunter2!", "first_name": "Zebediah", "remote": "10.1.2.3",
    "note": "call Zebediah tomorrow", "callback": "https://shop.io/a?token=abcabcabc", "phone": "+49 170 1234567",
}  # fmt: skip


def order(number, **more):
    data = {
        "order_id": number,
        "status": ["new", "paid", "shipped"][number % 3],
        "total": {"minor": number * 5, "currency": "EUR"},
        "placed_at": "2026-11-20T09:30:00Z",
        **more,
    }
    return message("orders:created", number, data)


def message(name, number, data, queue="orders"):
    body = json.loads(envelope(number, data))
    body["job"] = name if ":" in name and name.startswith("urn:") else f"urn:babel:{name}"
    body["meta"]["queue"] = queue
    return json.dumps(body).encode()


@pytest.fixture(autouse=True)
def recordings(tmp_path, monkeypatch):
    """Nine files of messages, some of them packed, framed or damaged."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "recordings"
    folder.mkdir()
    for number in range(6):
        lines = [order(number * 20 + at) for at in range(20)]
        (folder / f"{number}.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    (folder / "6.jsonl.gz").write_bytes(gzip.compress(b"\n".join(order(200 + at) for at in range(20))))
    (folder / "7.frames").write_bytes(b"".join(frame(order(300 + at, coupon=None)) for at in range(10)))
    broken = [b"{", b"\xff\xfe", b"[]", b'{"job": "urn:babel:orders:created"}', b"", order(400, gift=True)]
    shipped = [message("shop:parcel.shipped", 500 + at, {"parcel": f"P-{at:05}"}, "parcels") for at in range(25)]
    odd = [message("urn:babel:Web.Clicked", 600, {"x": 1}), message("urn:babel:Web.Clicked", 601, {"x": 1})]
    (folder / "8.jsonl").write_bytes(b"\n".join([*broken, *shipped, *odd]))
    return folder


@pytest.fixture
def registry(run, tmp_path):
    assert run("init", "registry", "--empty")[0] == 0
    return tmp_path / "registry"


def test_all_messages_of_messy_recordings_become_drafts_that_lint(run, registry):
    code, out, _ = run("infer", "recordings", "--owner", "team-shop", "--registry", "registry")
    assert code == 0
    assert set(out.split()) == {
        "registry/orders/_context.yaml", "registry/orders/created.yaml", "registry/shop/_context.yaml",
        "registry/shop/parcel.shipped.yaml", "registry/web/_context.yaml", "registry/web/clicked.yaml",
    }  # fmt: skip
    assert run("lint", "--registry", "registry", "--fail-on", "error")[0] == 0
    assert run("format", "--check", "registry")[0] == 0
    text = (registry / "orders/created.yaml").read_text()
    assert "required: [order_id, placed_at, status, total]" in text
    assert "enum: [new, paid, shipped], x-open-enum: true}  # required: 151 of 151; 3 values in 151 texts" in text
    assert "coupon: {}  # optional: 10 of 151; only null was seen: add the type" in text
    assert "queue: orders" in text


def test_a_name_that_is_no_urn_becomes_an_alias_of_a_proposed_one(run, registry, recordings):
    assert run("infer", "recordings", "--owner", "team-shop", "--registry", "registry")[0] == 0
    text = (registry / "web/clicked.yaml").read_text()
    assert text.startswith("urn: urn:babel:web:clicked  # 2 messages")
    assert "aliases: [urn:babel:Web.Clicked]\n" in text
    code, out, err = run("infer", "recordings", "--registry", "registry")
    assert (code, out) == (0, "")
    assert "declared already: 3 messages" in err
    lines = [line for line in (recordings / "8.jsonl").read_bytes().splitlines() if b"Web.Clicked" in line]
    (recordings / "clicks.jsonl").write_bytes(b"\n".join(lines))
    assert run("validate", str(recordings / "clicks.jsonl"), "--registry", "registry")[0] == 0


def test_a_name_that_is_likely_an_alias_of_a_declared_message_is_reported_with_the_way_out(run, registry, recordings):
    (registry / "web").mkdir()
    (registry / "web/_context.yaml").write_text("owner: team-web\n")
    (registry / "web/clicked.yaml").write_text("urn: urn:babel:web:clicked\nkind: event\ndata: {type: object}\n")
    _, _, err = run("infer", str(recordings / "8.jsonl"), "--owner", "t", "--registry", "registry")
    assert "urn:babel:Web.Clicked is probably urn:babel:web:clicked: add it to `aliases` in web/clicked.yaml" in err


def test_its_counts_are_those_of_the_recordings(run, registry):
    _, _, err = run("infer", "recordings", "--owner", "team-shop", "--registry", "registry")
    assert err.splitlines()[0] == (
        "182 messages: 178 readable, 1 invalid_json, 1 invalid_utf8, 1 missing_meta, 1 root_not_an_object"
    )


def test_what_was_seen_is_valid_and_a_second_run_writes_nothing(run, registry, recordings):
    assert run("infer", "recordings", "--owner", "team-shop", "--registry", "registry")[0] == 0
    before = {path: path.read_bytes() for path in registry.rglob("*.yaml")}
    code, out, err = run("infer", "recordings", "--registry", "registry")
    assert (code, out) == (0, "")
    assert "declared already: 3 messages" in err
    assert {path: path.read_bytes() for path in registry.rglob("*.yaml")} == before
    for number in range(6):
        assert run("validate", str(recordings / f"{number}.jsonl"), "--registry", "registry")[0] == 0


def test_saved_sketches_give_the_files_of_their_messages(run, registry, recordings):
    halves = [[str(recordings / f"{n}.jsonl") for n in numbers] for numbers in ((0, 1, 2), (3, 4, 5))]
    for number, half in enumerate(halves):
        code, _, _ = run(
            "infer", *half, "--registry", "registry", "--owner", "t", "--dry-run", "--sketch", f"{number}.s"
        )
        assert code == 0
    assert run("infer", "0.s", "1.s", "--registry", "registry", "--owner", "t")[0] == 0
    from_sketches = (registry / "orders/created.yaml").read_bytes()
    (registry / "orders/created.yaml").unlink()
    assert run("infer", *halves[0], *halves[1], "--registry", "registry", "--owner", "t")[0] == 0
    assert (registry / "orders/created.yaml").read_bytes() == from_sketches


def test_no_value_of_a_message_is_in_a_file_or_a_sketch(run, registry):
    lines = [order(n, **SECRETS, by={SECRETS["email"]: 1}) for n in range(60)]
    Path("secret.jsonl").write_bytes(b"\n".join(lines))
    code, out, err = run("infer", "secret.jsonl", "--registry", "registry", "--owner", "t", "--sketch", "day.sketch")
    assert code == 0
    written = [path.read_text() for path in registry.rglob("*.yaml")] + [Path("day.sketch").read_text(), out, err]
    assert [secret for secret in SECRETS.values() if any(secret in text for text in written)] == []
    text = (registry / "orders/created.yaml").read_text()
    assert text.count("x-gdpr-sensitive") >= 4


def test_no_values_writes_no_members_of_enumerations(run, registry):
    assert run("infer", "recordings", "--registry", "registry", "--owner", "t", "--no-values")[0] == 0
    assert "shipped," not in (registry / "orders/created.yaml").read_text()


def test_tolerated_exceptions_are_named(run, registry):
    lines = [order(number) for number in range(1000)]
    odd = json.loads(lines[7])
    odd["data"] = {"order_id": "seven", "status": "new"}
    lines[7] = json.dumps(odd).encode()
    Path("many.jsonl").write_bytes(b"\n".join(lines))
    run("infer", "many.jsonl", "--registry", "registry", "--owner", "t", "--dry-run")
    code, _, err = run("infer", "many.jsonl", "--registry", "registry", "--owner", "t", "--tolerate", "0.1%")
    assert code == 0
    assert "urn:babel:orders:created: order_id is a string in 1 of 1,000 values" in err
    assert "is one sender wrong?" not in err
    assert "urn:babel:orders:created: total is missing in 1 of 1,000 objects" in err
    text = (registry / "orders/created.yaml").read_text()
    assert "required: [order_id, placed_at, status, total]" in text


def test_exceptions_and_notes_on_one_message_are_both_printed(run, registry):
    lines = [order(number) for number in range(1000)]
    for number, data in (
        (7, {"order_id": "seven", "status": "new"}),
        (8, {"order_id": 8, "status": 1}),
        (9, {"order_id": 8, "status": 1}),
    ):
        odd = json.loads(lines[number])
        odd["data"] = data
        lines[number] = json.dumps(odd).encode()
    Path("many.jsonl").write_bytes(b"\n".join(lines))
    code, _, err = run("infer", "many.jsonl", "--registry", "registry", "--owner", "t", "--tolerate", "0.1%")
    assert code == 0
    assert "urn:babel:orders:created: order_id is a string in 1 of 1,000 values" in err
    assert (
        "urn:babel:orders:created: status is a string in 998, a number in 2 of 1,000 values: is one sender wrong?"
        in err
    )


def test_a_property_that_took_the_place_of_another_is_told_with_its_day(run, registry):
    lines = [message("orders:packed", n, {"id": n, ("created_at" if n < 30 else "createdAt"): 1}) for n in range(60)]
    Path("renamed.jsonl").write_bytes(b"\n".join(lines))
    _, _, err = run("infer", "renamed.jsonl", "--registry", "registry", "--owner", "t")
    assert "urn:babel:orders:packed: created_at became createdAt on 1970-01-14" in err


def test_objects_at_three_places_are_one_fragment(run, registry):
    who = {"id": 7, "login": "x", "site_admin": False, "kind": "person"}
    lines = [
        message(f"git:{verb}", n, {"sender": who, "n": n}) for n, verb in enumerate(("pushed", "forked", "starred"))
    ]
    Path("shared.jsonl").write_bytes(b"\n".join(lines))
    code, out, _ = run("infer", "shared.jsonl", "--registry", "registry", "--owner", "t")
    assert code == 0
    assert "registry/_common/sender.yaml" in out
    assert "sender: {$ref: ../_common/sender.yaml}" in (registry / "git/pushed.yaml").read_text()
    assert run("lint", "--registry", "registry", "--fail-on", "error")[0] == 0


def test_a_text_that_decides_the_other_properties_is_the_tag_of_a_union(run, registry):
    kinds = [{"method": "card", "last4": "x"}, {"method": "transfer", "reference": "y"}]
    lines = [message("billing:paid", n, {"id": n, "by": kinds[n % 2]}) for n in range(60)]
    Path("tagged.jsonl").write_bytes(b"\n".join(lines))
    assert run("infer", "tagged.jsonl", "--registry", "registry", "--owner", "t")[0] == 0
    text = (registry / "billing/paid.yaml").read_text()
    assert "method: {const: card}" in text
    assert run("lint", "--registry", "registry", "--fail-on", "error")[0] == 0
    assert run("validate", "tagged.jsonl", "--registry", "registry")[0] == 0


@pytest.mark.parametrize(
    "arguments, message",
    [
        pytest.param(["recordings"], "nobody owns the contexts 'orders', 'shop'", id="no owner"),
        pytest.param(["nowhere", "--owner", "t"], "nowhere does not exist", id="no such file"),
        pytest.param(["recordings", "--owner", "t", "--tolerate", "50%"], "not a share below 10 %", id="a large share"),
        pytest.param(["damaged.sketch", "--owner", "t"], "damaged.sketch is not a sketch", id="a damaged sketch"),
        pytest.param(["cut.jsonl.gz", "--owner", "t"], "is not a complete gzip file", id="a file that is cut off"),
    ],
)
def test_mistakes_are_told_with_a_way_out(run, registry, arguments, message):
    Path("damaged.sketch").write_bytes(b'{"babelreg_sketch":1,')
    Path("cut.jsonl.gz").write_bytes(gzip.compress(b"\n".join(order(n) for n in range(2000)))[:900])
    code, _, err = run("infer", *arguments, "--registry", "registry")
    assert code == 2
    assert message in err
    assert "fix:" in err


def test_init_starts_a_registry_from_recordings(run, tmp_path):
    code, out, _ = run("init", "fresh", "--from", "recordings", "--owner", "team-shop")
    assert code == 0
    assert "fresh/orders/created.yaml" in out
    assert run("lint", "--registry", "fresh", "--fail-on", "error")[0] == 0


@pytest.mark.parametrize(
    "arguments, message",
    [
        pytest.param(["--from", "recordings"], "the messages would have no owner", id="no owner"),
        pytest.param(
            ["--from", "recordings", "--owner", "t", "--schemas"], "--from does not allow --schemas", id="schemas"
        ),
        pytest.param(["--from", "nowhere", "--owner", "t"], "nowhere does not exist", id="no such folder"),
    ],
)
def test_init_from_recordings_writes_nothing_after_a_mistake(run, tmp_path, arguments, message):
    code, _, err = run("init", "fresh", *arguments)
    assert (code, (tmp_path / "fresh").exists()) == (2, False)
    assert message in err


@pytest.mark.parametrize(
    "words, note",
    [
        pytest.param(
            (), "name the format: --wire cloudevents, or --wire json with `wires: {json:", id="without --wire"
        ),
        pytest.param(
            ("--wire", "json"), "fix: `wires: {json: {urn: {field: FIELD}}}` in babelreg.yaml", id="in a format"
        ),
    ],
)
def test_where_nothing_is_readable_the_command_fails_with_a_fix(words, note, run, registry, tmp_path):
    (tmp_path / "clicks.jsonl").write_text('{"type": "clicked"}\n', "utf-8")
    code, _, err = run("infer", "clicks.jsonl", "--owner", "team-web", "--registry", "registry", *words)
    reason = "no_settings" if words else "missing_urn"
    assert code == 2
    assert f"error: no message is readable (1 {reason})\n  fix: " in err
    assert note in err


def test_a_single_readable_message_is_enough(run, registry, tmp_path):
    (tmp_path / "mixed.jsonl").write_bytes(b'{"type": "clicked"}\n' + message("orders:created", 1, {}) + b"\n")
    assert run("infer", "mixed.jsonl", "--owner", "team-web", "--registry", "registry")[0] == 0


def test_readable_messages_bring_no_note_on_formats(run, registry):
    assert "--wire" not in run("infer", "recordings", "--owner", "team-shop", "--registry", "registry")[2]
