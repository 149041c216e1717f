from __future__ import annotations

from typing import Any

import pytest

from babelreg.breaking.changes.limit_edit import ABSENT, LimitEdit


@pytest.mark.parametrize(
    "before, after, message, fix",
    [
        pytest.param(ABSENT, 5, "maxLength 5 was added to 'a'", "remove maxLength", id="new"),
        pytest.param(5, ABSENT, "maxLength 5 was removed from 'a'", "restore maxLength 5", id="gone"),
        pytest.param(5, 6, "maxLength of 'a' changed from 5 to 6", "keep maxLength 5", id="changed"),
        pytest.param(
            "x" * 60,
            "y",
            f'maxLength of \'a\' changed from "{"x" * 60}" to "y"',
            "keep the published maxLength",
            id="long",
        ),
    ],
)
def test_an_edit_of_a_limit_is_told_and_can_be_undone(before: Any, after: Any, message: str, fix: str) -> None:
    edit = LimitEdit("maxLength", before, after)
    assert (edit.message("'a'"), edit.fix) == (message, fix)
