"""``babelreg.containment`` as another project imports it: its names, its documentation, and what it loads."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from babelreg import containment
from babelreg.containment import CertificateRefused, certify, compare, verify
from babelreg.errors import SchemaError, UsageError

PAGE = Path(__file__).parents[2] / "docs" / "proofs.md"
CORE = {"containment", "contract", "schema", "typed_json", "lazy_pattern", "errors", "finding", "suggest", "place"}
"""What containment may load of babelreg."""
NOT_LOADED = {"yaml", "click", "babelqueue", "jinja2", "pyspark", "pyarrow", "pydantic"}
USE = """
import json, sys
from babelreg.containment import certify, compare, verify
old, new = {"properties": {"a": {"type": "integer"}}}, {"properties": {"a": {"type": "number"}}}
for options in ({"reader": "strict"}, {"reader": "tolerant", "formats": "asserted"}):
    assert compare(old, new, **options).backward.kind == "compatible"
    assert verify(certify(old, new, **options)[1], old, new, **options) == ["backward"]
print(json.dumps(sorted(sys.modules)))
"""


def test_the_names_are_typed_and_documented() -> None:
    for name in containment.__all__:
        member = getattr(containment, name)
        assert inspect.getdoc(member), name
    for function in (certify, compare, verify):
        signature = inspect.signature(function)
        assert all(parameter.annotation is not parameter.empty for parameter in signature.parameters.values())
        assert signature.return_annotation is not signature.empty
        assert [signature.parameters[option].default for option in ("reader", "formats", "dialect")] == [
            "tolerant", "ignored", None,
        ]  # fmt: skip


def test_neither_registries_nor_yaml_are_loaded() -> None:
    done = subprocess.run([sys.executable, "-c", USE], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout))
    assert {name for name in loaded if name in NOT_LOADED} == set()
    assert {name.split(".")[1] for name in loaded if name.startswith("babelreg.")} <= CORE


def test_the_example_of_the_page_runs() -> None:
    examples = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert examples
    for example in examples:
        exec(compile(example, str(PAGE), "exec"), {})


@pytest.mark.parametrize(
    "certificates, reason",
    [
        pytest.param(None, "is not a file of certificates", id="null"),
        pytest.param([], "is not a file of certificates", id="an array"),
        pytest.param({"format": "babelreg-certificate"}, "is not a file of certificates", id="most keys are missing"),
        pytest.param({"version": 2}, "version 2; this release reads version 3", id="an older version"),
        pytest.param({"backward": 7}, "backward: ", id="a proof that is a number"),
        pytest.param({"backward": None}, "certifies no direction", id="no proof"),
        pytest.param({"reader": []}, "was made with reader", id="an option of another type"),
    ],
)
def test_untrusted_certificates_are_refused(certificates: Any, reason: str) -> None:
    old, new = {"type": "integer"}, {"type": "number"}
    if isinstance(certificates, dict) and "format" not in certificates:
        certificates = {**certify(old, new)[1], **certificates}
    with pytest.raises(CertificateRefused, match=reason):
        verify(certificates, old, new)


def test_proofs_survive_a_round_trip_as_json() -> None:
    old, new = {"type": "string", "pattern": "^a"}, {"pattern": "^[ab]"}
    certificates = json.loads(json.dumps(certify(old, new)[1]))
    assert verify(certificates, old, new) == ["backward"]


def test_a_schema_that_cannot_be_used_is_unknown_and_verifies_nothing() -> None:
    certificates = certify({"type": "integer"}, {"type": "number"})[1]
    unusable = {"$ref": "#/$defs/gone"}
    assert compare(unusable, {"type": "number"}).backward.kind == "unknown"
    with pytest.raises(SchemaError):
        verify(certificates, unusable, {"type": "number"})


@pytest.mark.parametrize("option", [{"reader": "lenient"}, {"formats": "yes"}, {"dialect": "draft3"}])
def test_a_wrong_option_is_an_error(option: Any) -> None:
    for function in (compare, certify):
        with pytest.raises(UsageError):
            function(True, True, **option)
    with pytest.raises(UsageError):
        verify({}, True, True, **option)
