"""The registry for bqschema and the SDKs: read by the Python SDK's own provider."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from babelqueue.schema import DirProvider, check

from babelreg import load
from babelreg.gen.target import files_by_path, generated_messages
from babelreg.gen.targets.bqschema import target
from babelreg.gen.write import write

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture(scope="module")
def registry():
    return load.from_tree(load.folder(ROOT / "registry.example"))


@pytest.fixture
def manifest(tmp_path, registry):
    write(tmp_path, "bqschema", target.files(registry, {}))
    return tmp_path / "registry.json"


def test_the_manifest_has_owner_and_status(registry):
    files = files_by_path(target.files(registry, {}))
    entries = {entry["urn"]: entry for entry in json.loads(files["registry.json"].text)["schemas"]}
    assert entries["urn:babel:orders:created.v2"] == {
        "urn": "urn:babel:orders:created.v2",
        "schema": "schemas/orders.created.v2.json",
        "status": "active",
        "owner": "team-orders",
    }


def test_the_python_sdk_accepts_every_example(registry, manifest):
    provider = DirProvider(str(manifest))
    for message in generated_messages(registry):
        for example in message.examples:
            assert check(provider, message.urn, example.data) is None


@pytest.mark.parametrize(
    "keyword, change",
    [
        pytest.param("type", {"order_id": "1042"}, id="type"),
        pytest.param("required", {"order_id": None, "total": None}, id="required"),
        pytest.param("minimum", {"order_id": 0}, id="minimum"),
        pytest.param("items", {"lines": [7]}, id="items"),
        pytest.param("properties", {"total": {"minor": "1", "currency": "EUR"}}, id="properties, through a shared schema"),
        pytest.param("minLength", {"ship_to": {"line1": "", "city": "X", "country": "SE"}}, id="minLength"),
    ],
)  # fmt: skip
def test_the_python_sdk_refuses_by_the_keywords_it_knows(manifest, keyword, change):
    data = {"order_id": 1042, "total": {"minor": 1, "currency": "EUR"}, **change}
    if keyword == "required":
        data = {"order_id": 1042}
    assert check(DirProvider(str(manifest)), "urn:babel:orders:created.v2", data) is not None


def test_what_is_not_enforced_is_listed(registry):
    text = files_by_path(target.files(registry, {}))["NOT-ENFORCED.md"].text
    assert "- `format` at `/properties/email`" in text.partition("orders:created.v2")[2]


@pytest.mark.skipif(shutil.which("bqschema") is None, reason="bqschema is not installed")
def test_bqschema_accepts_the_registry(manifest):
    subprocess.run(["bqschema", "check", "--registry", str(manifest)], check=True)
