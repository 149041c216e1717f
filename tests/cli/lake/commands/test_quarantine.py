"""``babelreg lake quarantine``: rows selected, counted and masked, without Spark."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path

import pytest

from babelreg import load
from babelreg.spark import ingest

CREATED, PAID = "urn:babel:orders:created", "urn:babel:orders:paid"
Run = Callable[..., tuple[int, str, str]]
SECRETS = ["ann", "Kowalski", "4417", "secret"]


def _message(urn: str, identity: str, data: object) -> bytes:
    meta = {"id": identity, "queue": "orders", "lang": "go", "schema_version": 1, "created_at": 1_780_000_000_123}
    return json.dumps({"job": urn, "trace_id": "t", "data": data, "meta": meta, "attempts": 0}).encode()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake of two batches with four messages in quarantine, each with something that nobody else should read."""
    home = tmp_path_factory.mktemp("home")
    (home / "registry/orders").mkdir(parents=True)
    (home / "registry/babelreg.yaml").write_text("version: 1\n")
    (home / "registry/orders/_context.yaml").write_text("owner: t\n")
    schema = {
        "type": "object",
        "required": ["id"],
        "properties": {
            "id": {"type": "integer"},
            "state": {"enum": ["new", "paid"]},
            "card": {"type": "integer", "x-gdpr-sensitive": "payment"},
        },
    }
    for urn in (CREATED, PAID):
        name = urn.rpartition(":")[2]
        message = {"urn": urn, "kind": "event", "data": schema}
        (home / f"registry/orders/{name}.yaml").write_text(json.dumps(message))
    (home / "in").mkdir()
    first = [
        _message(CREATED, "c-1", {"id": "Kowalski", "state": "new", "card": 4417}),
        _message(PAID, "p-1", {"email": "ann@example.org"}),
        _message(CREATED, "c-2", {"id": 1}),
    ]
    (home / "in/a.jsonl").write_bytes(b"\n".join(first) + b"\n")
    registry = load.registry(home / "registry")
    ingest("local", registry, home / "in", home / "lake")
    second = [_message(PAID, "p-2", {"id": "secret"}), b"\xff secret words"]
    (home / "in/b.jsonl").write_bytes(b"\n".join(second) + b"\n")
    ingest("local", registry, home / "in", home / "lake")
    return home


@pytest.fixture
def shown(home: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str, str]]:
    monkeypatch.chdir(home)
    return lambda *options: run("lake", "quarantine", "--lake", "lake", *options)


def test_the_newest_come_first_with_place_reason_and_masked_message(shown: Run) -> None:
    code, out, err = shown()
    assert (code, err) == (0, "using registry/ (the only registry below this folder)\n")
    lines = out.splitlines()
    assert lines[:4] == [
        "4 messages in lake/quarantine, 4 shown",
        "         2  not_an_integer",
        "         1  invalid_utf8",
        "         1  missing_required",
    ]
    assert [line.partition(" (")[0] for line in lines if "(batch" in line] == [
        "b.jsonl, byte 0",
        "b.jsonl, byte 197",
        "a.jsonl, byte 0",
        "a.jsonl, byte 232",
    ]
    assert '        "state": "new"' in lines
    assert '        "card": payment' in lines
    assert not [secret for secret in SECRETS if secret in out]
    assert lines[-1] == "  babelreg lake redrive --lake lake --dry-run"


@pytest.mark.parametrize("style", ["text", "json", "jsonl"])
@pytest.mark.parametrize("options", [[], ["--registry", "registry"]])
def test_nothing_that_a_message_says_is_shown_unless_the_registry_allows_it(
    style: str, options: list[str], shown: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, _ = shown("--format", style, *options)
    assert code == 0
    assert not [secret for secret in SECRETS if secret in out]


@pytest.mark.parametrize(
    "options, selected, positions",
    [
        pytest.param(["--reason", "not_an_integer"], 2, [("b.jsonl", 0), ("a.jsonl", 0)], id="a reason"),
        pytest.param(["--urn", CREATED], 1, [("a.jsonl", 0)], id="a URN"),
        pytest.param(["--batch", "1"], 2, [("a.jsonl", 0), ("a.jsonl", 232)], id="a batch"),
        pytest.param(["--file", "b.jsonl"], 2, [("b.jsonl", 0), ("b.jsonl", 197)], id="a file"),
        pytest.param(["--urn", PAID, "--reason", "not_an_integer"], 1, [("b.jsonl", 0)], id="a URN and a reason"),
        pytest.param(["--limit", "1"], 4, [("b.jsonl", 0)], id="a limit, which does not limit the count"),
        pytest.param(["--since", "2"], 2, [("b.jsonl", 0), ("b.jsonl", 197)], id="a batch and later ones"),
        pytest.param(["--since", "3"], 0, [], id="only batches that are not there yet"),
    ],
)
def test_rows_are_selected(options: list[str], selected: int, positions: list[tuple[str, int]], shown: Run) -> None:
    found = json.loads(shown("--format", "json", *options)[1])
    assert (found["total"], found["selected"]) == (4, selected)
    assert [(row["file"], row["offset"]) for row in found["rows"]] == positions


def test_raw_shows_every_byte_and_says_so(shown: Run, home: Path) -> None:
    code, out, err = shown("--raw", "--format", "jsonl")
    rows = [json.loads(line) for line in out.splitlines()]
    lines = {name: (home / "in" / name).read_bytes() for name in ("a.jsonl", "b.jsonl")}
    for row in rows:
        body = row["body"].encode() if "body" in row else b64decode(row["body_base64"])
        assert lines[row["file"]][row["offset"] :].startswith(body)
        assert body
    assert code == 0
    assert "may contain personal data" in err


def test_a_misspelt_name_is_wrong_use(shown: Run) -> None:
    for more in ((), ("--reason", "not_an_integer")):  # also beside a name that matches
        code, _, err = shown("--reason", "not_an_intger", *more)
        assert (code, "did you mean 'not_an_integer'?" in err) == (2, True)
    assert shown("--urn", "urn:babel:orders:creatd")[0] == 2


def test_a_folder_without_a_lake_is_wrong_use(run: Run, tmp_path: Path) -> None:
    assert run("lake", "quarantine", "--lake", tmp_path / "none", "--raw")[0] == 2
