"""What is exported and imported again has the same meaning."""

from __future__ import annotations

from pathlib import Path

import pytest

from babelreg import load

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "registry.example"


@pytest.mark.parametrize(
    "target, source",
    [
        pytest.param("jsonschema", ".", id="JSON Schema"),
        pytest.param("asyncapi", "asyncapi.json", id="AsyncAPI"),
        pytest.param("bqschema", "registry.json", id="bqschema"),
    ],
)
def test_the_example_registry_comes_back_and_nothing_breaks(run, tmp_path, monkeypatch, target, source):
    monkeypatch.chdir(tmp_path)
    Path("registry").mkdir()
    Path("registry/babelreg.yaml").write_text("version: 1\n")
    assert run("gen", target, "--registry", EXAMPLE, "--out", "exported")[0] == 0
    assert run("import", target, Path("exported", source), "--registry", "registry", "--owner", "team")[0] == 0
    before, after = (load.registry(path) for path in (EXAMPLE, Path("registry")))
    exported = [message for message in before.messages if message.status != "retired"]
    assert [(m.urn, m.kind, m.status) for m in after.messages] == [(m.urn, m.kind, m.status) for m in exported]
    for message in exported:
        again = after.by_urn[message.urn]
        assert [example.data for example in again.examples] == [example.data for example in message.examples]
    _, out, _ = run("breaking", "--registry", "registry", "--against", EXAMPLE)
    assert [line for line in out.splitlines() if "error" in line] == [
        "registry/orders/placed.yaml: error: urn:babel:orders:placed was removed [urn-removed]"
    ]
