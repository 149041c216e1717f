from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from babelreg import load
from babelreg.errors import BabelregError
from babelreg.gen.target import files_by_path
from babelreg.gen.targets.typescript import target
from babelreg.model import Message, Registry, Urn

ROOT = Path(__file__).resolve().parents[4]
EXAMPLE = ROOT / "registry.example"
GOLDEN = ROOT / "tests" / "golden" / "typescript"


def texts(registry: Registry, **options: Any) -> dict[str, str]:
    return {path: file.text for path, file in files_by_path(target.files(registry, options)).items()}


class Source:
    path = "orders/x.yaml"


def of(*urns: str, **more: Any) -> Registry:
    """Return a registry with messages of ``urns``."""
    data = {"type": "object"}
    messages = tuple(
        Message(urn=urn, parsed=Urn.parse(urn), source=Source(), data=data, schema=data, **more)  # type: ignore[arg-type]
        for urn in urns
    )
    return Registry("", messages=messages)


@pytest.mark.parametrize("name", ["index.ts", "orders/created.v2.ts", "billing/payment.captured.ts"])
def test_what_a_user_reads(name: str) -> None:
    text = texts(load.registry(EXAMPLE))[name]
    golden = GOLDEN / name
    if os.environ.get("BABELREG_GOLDEN") == "write":
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(text, "utf-8")
    assert text == golden.read_text("utf-8"), "read the difference; BABELREG_GOLDEN=write pytest accepts it"


@pytest.mark.parametrize(
    "more, line",
    [
        pytest.param({"status": "deprecated"}, " * @deprecated\n", id="without a date"),
        pytest.param({"status": "deprecated", "sunset": "2030-06-30"}, " * @deprecated Goes away on 2030-06-30.\n",
                     id="with its sunset"),
        pytest.param({"status": "active"}, None, id="an active one is not"),
    ],
)  # fmt: skip
def test_a_deprecated_message_is_deprecated_in_editors(more: dict[str, str], line: str | None) -> None:
    text = texts(of("urn:babel:orders:x", **more))["orders/x.ts"]
    assert (line or "@deprecated") in text if line else "@deprecated" not in text


def test_a_service_sends_what_it_produces_and_handles_all_that_it_consumes() -> None:
    produced, consumed = "urn:babel:orders:sent", "urn:babel:orders:read"
    options = {"service": "shop", "produces": (produced,), "consumes": (consumed,)}
    index = texts(of(produced, consumed), **options)["index.ts"]
    assert f'export type Produced =\n  | "{produced}";' in index
    assert f'export type Consumed =\n  | "{consumed}";' in index
    assert "readonly [U in Consumed]: Handler<U>" in index


def test_two_messages_of_one_name_are_refused() -> None:
    with pytest.raises(BabelregError, match="would both be OrdersAB in TypeScript"):
        texts(of("urn:babel:orders:a-b", "urn:babel:orders:a_b"))


def test_retired_messages_are_left_out() -> None:
    assert list(texts(of("urn:babel:orders:x", status="retired"))) == ["index.ts"]
