"""What is exported and imported again accepts the same documents."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from babelreg import load
from babelreg.load.service.starter import example_folder
from babelreg.schema.dialects import DEFAULT

OTHERS = (None, True, -1, 1.5, "", "x", [], {})


def variants(document):
    """The document, and it with one member left out or of another type."""
    yield document
    for name in document:
        yield {key: value for key, value in document.items() if key != name}
        for other in OTHERS:
            yield {**copy.deepcopy(document), name: other}


@pytest.mark.parametrize(
    "format_, source",
    [("asyncapi", "asyncapi.json"), ("bqschema", "registry.json"), ("jsonschema", ".")],
)
def test_an_export_imports_with_the_same_verdicts(format_, source, tmp_path, run, monkeypatch):
    exported, registry = tmp_path / "exported", tmp_path / "registry"
    registry.mkdir()
    (registry / "babelreg.yaml").write_text("version: 1\n")
    example = load.registry(example_folder())
    run("gen", format_, "--registry", example_folder(), "--out", exported)
    code, out, err = run("import", format_, Path(exported, source), "--registry", registry, "--owner", "team")
    assert code == 0, out + err
    imported = load.registry(registry)
    assert imported.defects == ()
    wanted = {message.urn for message in example.messages if message.schema is not None and message.status != "retired"}
    found = set(imported.by_urn)
    assert found <= wanted
    assert len(found) >= len(wanted) - 1  # a draft may stay at home
    for urn in found:
        old, new = (DEFAULT.validator_for(entry.by_urn[urn].schema) for entry in (example, imported))
        assert [example.data for example in imported.by_urn[urn].examples] == [
            example.data for example in example.by_urn[urn].examples
        ]
        for name in ("kind", "status", "supersedes", "sunset", "description"):
            if (format_, name) not in {("bqschema", "kind")}:
                assert getattr(imported.by_urn[urn], name) == getattr(example.by_urn[urn], name), (urn, name)
        examples = [example.data for example in example.by_urn[urn].examples]
        for document in (variant for one in examples for variant in variants(one)):
            assert old.is_valid(document) == new.is_valid(document), (urn, document)
