from __future__ import annotations

import jinja2
import pytest

from babelreg.gen.render import folder, render
from babelreg.gen.targets import TARGETS


def test_every_target_has_its_templates() -> None:
    written_as_json = {"jsonschema", "asyncapi", "bqschema"}
    assert {name for name in TARGETS if not (folder() / name).is_dir()} == {*written_as_json, "agents", "codeowners"}


def test_a_name_that_the_view_lacks_is_an_error_and_never_a_blank() -> None:
    with pytest.raises(jinja2.UndefinedError):
        render("python", "schema.py.jinja", {"docstring": '"""x"""', "header": "x"})


def test_the_last_newline_stays() -> None:
    text = render("python", "schema.py.jinja", {"docstring": '"""x"""', "header": "x", "schema": "{}"})
    assert text.endswith("= {}\n")
