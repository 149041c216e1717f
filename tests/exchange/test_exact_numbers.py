"""An import keeps each number of its sources, or reports the file."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from babelreg.errors import InputError
from babelreg.load import schema_file

SCHEMAS = {
    "order.json": '{"title":"Order","type":"object","properties":{"n":{"maximum":NUMBER},"m":{"enum":["NUMBER"]}}}',
    "order.yaml": "title: Order\ntype: object\nproperties:\n  n: {maximum: NUMBER}\n",
}
KEPT = ("9007199254740993", "9007199254740993.0", "123456789012345678901234567890", "0.30000000000000004", "1e22")
REPORTED = ("0.1234567890123456789", "12345678901234567.89", "1e-400", "1e400", "-1e400")


@pytest.mark.parametrize("name", SCHEMAS)
@pytest.mark.parametrize("number", [*KEPT, *REPORTED])
def test_no_number_of_a_source_is_rounded(name: str, number: str, import_folder: Callable[..., Any]) -> None:
    imported = import_folder({name: SCHEMAS[name].replace("NUMBER", number)})
    if number in REPORTED:
        assert imported.codes == ["import-file-unread"]
        assert not imported.registry.messages
    else:
        (message,) = imported.registry.messages
        assert Decimal(repr(message.schema["properties"]["n"]["maximum"])) == Decimal(number)


@pytest.mark.parametrize("name", SCHEMAS)
@pytest.mark.parametrize("number", REPORTED)
def test_no_number_of_a_compared_schema_is_rounded(name: str, number: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(SCHEMAS[name].replace("NUMBER", number))
    with pytest.raises(InputError, match="more digits than a double|exceeds the range|beyond"):
        schema_file.read(tmp_path / name)
