"""Exceptions of the runtime survive pickling and copying: a worker pool passes them on."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import pytest

from babelreg.errors import BabelregError, UsageError
from babelreg.runtime.errors import InvalidDataError, PartlySentError

ERRORS = [
    InvalidDataError("urn:babel:a:b", "/x", "wrong_type", "/x is not text", {"y": 1}, index=3),
    PartlySentError("urn:babel:a:b", ["1", "2"], 5),
    UsageError("no", fix="yes"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("copied", [lambda error: pickle.loads(pickle.dumps(error)), copy.copy, copy.deepcopy])
def test_an_error_survives(copied: Callable[[BabelregError], BabelregError], error: BabelregError) -> None:
    again = copied(error)
    assert type(again) is type(error)
    assert (str(again), again.args, vars(again)) == (str(error), error.args, vars(error))
