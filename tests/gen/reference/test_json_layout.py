from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.gen.reference.json_layout import json_text
from babelreg.typemap.names import visible

CHARACTERS = st.one_of(st.characters(), st.sampled_from("\\`*_[]()<>&|~$#+-=!.:\n\t1 ab"))
TEXTS = st.text(CHARACTERS, max_size=24)
LAW = settings(max_examples=150, deadline=None)


@LAW
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
        lambda below: st.lists(below, max_size=4) | st.dictionaries(TEXTS, below, max_size=4),
        max_leaves=12,
    )
)
def test_json_for_people_is_the_same_json_and_hides_nothing(value: Any) -> None:
    text = json_text(value)
    assert json.loads(text) == value
    assert visible(text) == text
