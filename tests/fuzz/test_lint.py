"""Whatever a registry holds, lint ends soon with findings or a clear error, and touches nothing but its cache.

No traceback, no network, nothing written elsewhere, nothing executed, no file outside the registry read; and the cache
says what lint says.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from examples import fewer
from fuzzing import case, lint_case, traps
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

HERE = Path(__file__).parent
SHORT = range(40)
LONG = [range(start, start + 2500) for start in range(100_000, 152_500, 2500)]


@pytest.fixture(scope="module")
def bench() -> Iterator[case.Bench]:
    with case.bench() as made:
        yield made
        gc.enable()


def test_damaged_registries(bench: case.Bench) -> None:
    assert [wrong for seed in SHORT for wrong in lint_case.hold(bench, seed)] == []


@pytest.mark.long
@pytest.mark.parametrize("seeds", [pytest.param(s, id=f"cases from {s.start:,}") for s in LONG])
def test_fifty_thousand_damaged_registries(seeds: range) -> None:
    command = [sys.executable, "-m", "fuzzing", str(seeds.start), str(seeds.stop), "lint"]
    ran = subprocess.run(command, cwd=HERE, capture_output=True, text=True, encoding="utf-8", errors="replace")
    assert (ran.returncode, ran.stdout) == (0, ""), ran.stderr[-3000:]


@pytest.mark.parametrize("name", traps.TRAPS)
def test_a_trap_is_a_finding_or_nothing(name: str, bench: case.Bench) -> None:
    try:
        traps.TRAPS[name](bench.registry, bench.top / "outside")
        assert lint_case.judged(bench) == []
    finally:
        lint_case.renew(bench)


OUTSIDE = "ref-outside-registry"


@pytest.mark.parametrize(
    "name, rule",
    [
        pytest.param("a reference that climbs to YAML", OUTSIDE, id="climbing"),
        pytest.param("an absolute reference to YAML", OUTSIDE, id="from the root"),
        pytest.param("a file: URL", OUTSIDE, id="by a file: URL"),
        pytest.param("an http: URL", OUTSIDE, id="by an http: URL"),
        pytest.param("a reference in escapes", OUTSIDE, id="in escapes"),
        pytest.param("examples that climb", OUTSIDE, id="examples that climb"),
        pytest.param("a link to a message outside", OUTSIDE, id="behind a link"),
        pytest.param("a link to a device", OUTSIDE, id="a device"),
        pytest.param("a link to itself", "file-unreadable", id="a circle of links"),
        pytest.param("a pipe", "file-unreadable", id="a pipe"),
        pytest.param("a file of a terabyte", "file-too-large", id="a file of a terabyte"),
        pytest.param("examples that cannot be sent", "examples-unreadable", id="examples that cannot be sent"),
    ],
)
def test_the_way_out_is_told(name: str, rule: str, bench: case.Bench) -> None:
    try:
        traps.TRAPS[name](bench.registry, bench.top / "outside")
        ran, _ = bench.run("lint", "--registry", str(bench.registry), "--format", "json")
        assert rule in {finding["rule"] for finding in json.loads(ran.out)["findings"]}
    finally:
        lint_case.renew(bench)


def test_what_is_written_elsewhere_is_seen(bench: case.Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache in the registry itself is what the guard is there to see."""
    monkeypatch.setenv("BABELREG_CACHE_DIR", str(bench.registry / "orders"))
    try:
        assert any("written:" in wrong or "lint changed a file" in wrong for wrong in lint_case.judged(bench))
    finally:
        lint_case.renew(bench)


SEVERAL = ["urn", "kind", "status", "owner", "queue", "description", "supersedes", "producers", "consumers", "sunset", "retired_on",
           "delivery", "data", "examples", "counterexamples", "upcast", "version", "compatibility", "lint", "gen", "lang", "consumes",
           "reads", "file", "rules", "paths", "waivers", "profile", "rule", "reason", "expires", "pointer", "because", "successor"]  # fmt: skip
KEYWORDS = ["$ref", "$defs", "$schema", "type", "properties", "required", "items", "prefixItems", "additionalProperties", "allOf", "anyOf",
            "oneOf", "not", "if", "then", "enum", "const", "default", "examples", "minimum", "maximum", "multipleOf", "pattern", "format",
            "minLength", "maxLength", "patternProperties", "dependentSchemas", "x-gdpr-sensitive", "x-open-enum", "email", "price"]  # fmt: skip
WORDS = ["urn:babel:orders:created", "urn:babel:orders:created.v2", "event", "command", "active", "deprecated", "retired", "php", "go",
         "orders-api", "object", "string", "integer", "array", "null", "#", "#/$defs/a", "../_common/money.yaml", "../../etc/passwd",
         "(a+)+$", "[", "date-time", "2027-03-31", "2027-13-99", "strict", "off", "error", "urn-syntax", "lines[].qty", "/data/x", "**/*",
         "a.b\\.c", "DE89370400440532013000", "4111111111111111", "ada@example.com", "::error::", "\x1b[2J", "\u202e"]  # fmt: skip
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.sampled_from(WORDS)
    | st.text(max_size=8)
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(KEYWORDS), inner, max_size=5)
        | st.dictionaries(st.sampled_from(SEVERAL), inner, max_size=5)
    ),
    max_leaves=25,
)
documents = st.dictionaries(st.sampled_from(SEVERAL), values, max_size=8) | values
PATHS = ["babelreg.yaml", "_common/money.yaml", "_services/orders-api.yaml", "orders/_context.yaml", "orders/created.yaml",
         "orders/created.v2.yaml", "orders/new.yaml", "orders/Odd.yaml", "new/thing.yaml", "_common/more.yaml"]  # fmt: skip


def text_of(document: Any) -> bytes:
    """The document in JSON, one member a line, so that findings have lines to stand on."""
    if not isinstance(document, dict):
        return json.dumps(document).encode()
    lines = (f"{json.dumps(key)}: {json.dumps(value)}\n" for key, value in document.items())
    return "".join(lines).encode() or b"{}\n"


SLOWLY = settings(deadline=None, suppress_health_check=list(HealthCheck))


@settings(SLOWLY, max_examples=fewer(15, 25))
@given(files=st.dictionaries(st.sampled_from(PATHS), documents, min_size=1, max_size=4))
def test_registries_of_any_structure(files: dict[str, Any], bench: case.Bench) -> None:
    changed = {path: text_of(document) for path, document in files.items()}
    assert lint_case.hold_files(bench, changed, []) == []


@pytest.mark.long
@settings(SLOWLY, max_examples=5000)
@given(files=st.dictionaries(st.sampled_from(PATHS), documents, min_size=1, max_size=4))
def test_many_registries_of_any_structure(files: dict[str, Any], bench: case.Bench) -> None:
    changed = {path: text_of(document) for path, document in files.items()}
    assert lint_case.hold_files(bench, changed, []) == []
