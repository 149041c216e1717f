"""Ajv with its defaults compiles plain exports, in both dialects. Needs node, and npm with a package index."""

from __future__ import annotations

import json
import re
from pathlib import Path

import npm
import pytest

from babelreg import load
from babelreg.gen.targets.jsonschema import target

pytestmark = pytest.mark.servers

ROOT = Path(__file__).resolve().parents[4]
SCRIPT = """
const {readFileSync} = require("fs"), Ajv = require(process.argv[2]).default, formats = require("ajv-formats").default;
const {schemas} = JSON.parse(readFileSync("index.json")), results = {};
for (const [urn, file] of Object.entries(schemas)) {
  const ajv = new Ajv(), schema = JSON.parse(readFileSync(file));
  formats(ajv);
  if (process.argv[3]) ajv.addVocabulary(process.argv[3].split(","));
  try { const valid = ajv.compile(schema); results[urn] = schema.examples.every((each) => valid(each)) ? "" : "invalid"; }
  catch (error) { results[urn] = error.message; }
}
console.log(JSON.stringify(results));
"""
VOCABULARY = ",".join(re.findall(r'"(x-[a-z-]+)"', (ROOT / "docs/export.md").read_text()))


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    """A folder with Ajv."""
    folder = tmp_path_factory.mktemp("ajv")
    npm.install(folder, "ajv@8", "ajv-formats@3")
    return folder


@pytest.mark.parametrize(
    "options, module, vocabulary",
    [
        pytest.param({"plain": True}, "ajv/dist/2020", "", id="plain"),
        pytest.param({"plain": True, "dialect": "draft-07"}, "ajv", "", id="plain draft-07"),
        pytest.param({}, "ajv/dist/2020", VOCABULARY, id="with the vocabulary of the manual"),
    ],
)
def test_ajv_compiles_every_file_and_accepts_its_examples(modules, options, module, vocabulary):
    for file in target.files(load.from_tree(load.folder(ROOT / "registry.example")), options):
        path = modules / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text)
    (modules / "check.js").write_text(SCRIPT)
    results = json.loads(npm.node(modules, "check.js", module, vocabulary))
    assert len(results) == 10
    assert set(results.values()) == {""}
