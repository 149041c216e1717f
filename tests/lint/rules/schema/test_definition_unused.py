from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding
from babelreg.lint.rules.schema import definition_unused
from babelreg.lint.scope import Scope
from babelreg.model import Edit, Registry
from babelreg.schema.pointer import Pointer

Lint = Callable[..., list[Finding]]
RULE = "definition-unused"
MESSAGE = "urn: urn:babel:orders:created\ndata:\n  type: object\n"


def reported(findings: Lint, block: str) -> list[str]:
    return [f"{f.place.path}{f.pointer}" for f in findings(block, RULE)]


@pytest.mark.parametrize(
    "block, found",
    [
        pytest.param(MESSAGE + "  $defs: {x: {}}\n", ["orders/created.yaml/data/$defs/x"], id="by nothing"),
        pytest.param(
            MESSAGE + "  definitions: {x: {}}\n", ["orders/created.yaml/data/definitions/x"], id="the old word"
        ),
        pytest.param(
            MESSAGE + "  properties: {a: {$ref: '#/$defs/x'}}\n  $defs: {x: {}, y: {}}\n",
            ["orders/created.yaml/data/$defs/y"],
            id="one of two",
        ),
        pytest.param(
            MESSAGE + "# file: _common/money.yaml\ntype: object\n", ["_common/money.yaml"], id="a shared file"
        ),
        pytest.param(
            MESSAGE + "  properties: {a: {$ref: ../_common/m.yaml}}\n# file: _common/m.yaml\n$defs: {x: {}}\n",
            ["_common/m.yaml/$defs/x"],
            id="a definition of a shared file",
        ),
        pytest.param(
            MESSAGE + "  $defs: {x: {}}\n  properties: {a: {enum: [{$ref: '#/$defs/x'}]}}\n",
            ["orders/created.yaml/data/$defs/x"],
            id="data that looks like a reference",
        ),
    ],
)
def test_what_nothing_refers_to_is_reported(block: str, found: list[str], findings: Lint) -> None:
    assert reported(findings, block) == found


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(MESSAGE + "  properties: {a: {$ref: '#/$defs/x'}}\n  $defs: {x: {}}\n", id="referred to"),
        pytest.param(
            MESSAGE + "  properties: {a: {$ref: '#/$defs/x/items'}}\n  $defs: {x: {items: {}}}\n", id="within"
        ),
        pytest.param(MESSAGE + "  properties: {a: {$ref: '#/$defs/a~1b'}}\n  $defs: {a/b: {}}\n", id="a slash in it"),
        pytest.param(MESSAGE + "  properties: {a: {$ref: '#/$defs/a%20b'}}\n  $defs: {a b: {}}\n", id="a space in it"),
        pytest.param(MESSAGE + "  properties: {a: {$ref: '#/%24defs/x'}}\n  $defs: {x: {}}\n", id="with an escape"),
        pytest.param(
            MESSAGE + "  properties: {a: {$ref: '../_common/m.yaml#/%24defs/x'}}\n"
            "# file: _common/m.yaml\n$defs: {x: {}}\n",
            id="with an escape, from another file",
        ),
        pytest.param(
            MESSAGE
            + "  properties: {a: {$ref: '../_common/m.yaml#/$defs/x'}}\n# file: _common/m.yaml\n$defs: {x: {}}\n",
            id="from another file",
        ),
        pytest.param(
            MESSAGE + "  properties: {a: {$ref: ../_common/m.yaml}}\n# file: _common/m.yaml\nitems: {$ref: n.yaml}\n"
            "# file: _common/n.yaml\ntype: string\n",
            id="by a shared file",
        ),
        pytest.param(
            MESSAGE + "  $defs: {x: {}}\n# file: orders/paid.yaml\nurn: urn:babel:orders:paid\n"
            "data: {type: object, properties: {a: {$ref: 'created.yaml#/data/$defs/x'}}}\n",
            id="by another message",
        ),
        pytest.param(MESSAGE + "  properties: {$defs: {type: string}}\n", id="a property of that name"),
        pytest.param(
            MESSAGE
            + "# file: _common/money.yaml\ntype: object\n# file: orders/paid.yaml\nurn: urn:babel:orders:paid\nx: [\n",
            id="a shared file where another file cannot be read",
        ),
    ],
)
def test_what_something_refers_to_is_not(block: str, findings: Lint) -> None:
    assert reported(findings, block) == []


@pytest.mark.parametrize(
    "definitions, removed",
    [
        pytest.param("{x: {}}", ("data", "$defs"), id="the last one with its keyword"),
        pytest.param("{x: {}, y: {items: {$ref: '#/$defs/y'}}}", ("data", "$defs", "x"), id="one of two alone"),
    ],
)
def test_what_nothing_refers_to_can_be_taken_out(
    definitions: str, removed: Pointer, registry: Callable[[str], Registry]
) -> None:
    scope = Scope(registry(MESSAGE + f"  $defs: {definitions}\n"))
    edits = [edit for problem in definition_unused.check(scope) for edit in problem.edits]
    assert edits == [Edit("orders/created.yaml", "remove", removed)]
