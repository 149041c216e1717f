"""``babelreg new``: a message that lints."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def registry(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "registry.example", tmp_path / "registry")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "registry"


@pytest.mark.parametrize(
    "arguments, files",
    [
        pytest.param(["orders:shipped"], ["orders/shipped.yaml"], id="in a context that exists"),
        pytest.param(
            ["urn:babel:loyalty:member.joined", "--owner", "team-l"],
            ["loyalty/member.joined.yaml", "loyalty/_context.yaml"],
            id="in a new context",
        ),
        pytest.param(
            ["orders:shipped", "--producer", "shipper", "--producer", "orders-api"],
            ["orders/shipped.yaml", "_services/shipper.yaml"],
            id="with a new producer",
        ),
        pytest.param(["orders:thing", "--kind", "event"], ["orders/thing.yaml"], id="with a kind"),
        pytest.param(["orders:shipped", "--from", "samples.jsonl"], ["orders/shipped.yaml"], id="from samples"),
    ],
)
def test_a_new_message_lints_without_errors_and_is_formatted(run, registry, arguments, files):
    lines = [{"order_id": 7, "email": "bob@real.org", "lines": [{"sku": "A"}]}, {"order_id": 8, "at": "2026-11-20"}]
    Path("samples.jsonl").write_text("\n".join(map(json.dumps, lines)))
    code, out, _ = run("new", *arguments)
    assert (code, out.split()) == (0, [f"registry/{file}" for file in files])
    assert run("lint", "--fail-on", "error")[0] == 0
    assert run("format", "--check")[0] == 0
    assert "bob@real.org" not in (registry / files[0]).read_text()


PRODUCTION = {
    "name": "Bob Smith", "phone": "+49 170 1234567", "email": "bob@real.org", "card_number": "4539148803436467",
    "postcode": "10115", "api": "sk_live_51HxAbCdEfGhIjKlMnOp", "password": "hunter2!", "dob": "1984-02-03",
    "by_address": {"al@real.org": 83117}, "shipping_address": {"one": "Main Street 5"}, "account": "DE68210501700012345678",
    "database": "postgres://shop:s3cr3tpw@db/x", "remote": "10.1.2.3", "call": "https://shop.io/a?token=abcabcabc",
}  # fmt: skip
HARMLESS = {"status": "delivered", "carrier_number": 4711, "at": "2026-01-02T03:04:05Z", "lines": [{"sku": "AX-12"}]}


def _texts(value):
    if isinstance(value, dict):
        for key, below in value.items():
            yield from [key] if "@" in key else []
            yield from _texts(below)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    else:
        yield str(value)


@pytest.mark.parametrize(
    "options, kept",
    [
        pytest.param([], [], id="by default none"),
        pytest.param(["--keep-values"], list(_texts(HARMLESS)), id="with --keep-values the harmless ones"),
    ],
)
def test_values_of_samples_are_in_no_file(run, registry, options, kept):
    Path("samples.json").write_text(json.dumps(PRODUCTION | HARMLESS))
    assert run("new", "orders:shipped", "--producer", "shipper", "--from", "samples.json", *options)[0] == 0
    written = "".join(
        path.read_text() for path in (registry / "orders" / "shipped.yaml", *registry.glob("_services/*"))
    )
    assert [text for text in _texts(PRODUCTION) if text in written] == []
    assert [text for text in _texts(HARMLESS) if text in written] == kept
    assert (
        run("lint", "--profile", "strict", "--select", "example-invalid", "--select", "example-personal-data")[0] == 0
    )


def test_keep_values_needs_samples(run):
    code, _, err = run("new", "orders:shipped", "--keep-values")
    assert code == 2
    assert "--keep-values requires --from" in err


def test_samples_may_be_envelopes_and_those_of_other_messages_are_left_out(run, registry):
    envelopes = [
        {"job": "urn:babel:orders:shipped", "meta": {"id": "1"}, "data": {"weight": 3}},
        {"job": "urn:babel:orders:packed", "meta": {"id": "2"}, "data": {"boxes": 1}},
    ]
    Path("samples.json").write_text(json.dumps(envelopes))
    assert run("new", "orders:shipped", "--from", "samples.json")[0] == 0
    text = (registry / "orders" / "shipped.yaml").read_text()
    assert "weight" in text
    assert "boxes" not in text


@pytest.mark.parametrize(
    "arguments, message, fix",
    [
        pytest.param(
            ["orders:created"], "urn:babel:orders:created already exists", "babelreg mint", id="a message that exists"
        ),
        pytest.param(["orders:thing"], "has no verb that distinguishes", "add --kind event", id="no verb"),
        pytest.param(["loyalty:granted"], "the context 'loyalty' has no owner", "--owner", id="no owner"),
        pytest.param(["Orders:made"], "'O' is not allowed in a context", "urn:babel:CONTEXT:NAME", id="no URN"),
        pytest.param(
            ["orders:shipped", "--from", "bad.jsonl"], "bad.jsonl:2:2: error: not JSON", "one per line", id="no JSON"
        ),
        pytest.param(
            ["orders:shipped", "--from", "no.json"], "cannot read no.json", "a file with samples", id="no file"
        ),
        pytest.param(
            ["orders:shipped", "--from", "list.json"], "a sample is an integer, not an object", "data", id="no object"
        ),
    ],
)
def test_a_mistake_is_explained_and_nothing_is_written(run, registry, arguments, message, fix):
    Path("bad.jsonl").write_text('{"a": 1}\n{x\n')
    Path("list.json").write_text("[1]")
    before = sorted(registry.rglob("*"))
    code, _, err = run("new", *arguments)
    assert code == 2
    assert message in err
    assert fix in err
    assert sorted(registry.rglob("*")) == before


def test_a_preview_writes_nothing(run, registry):
    code, out, _ = run("new", "orders:shipped", "--diff")
    assert code == 0
    assert "+urn: urn:babel:orders:shipped" in out
    assert not (registry / "orders" / "shipped.yaml").exists()
