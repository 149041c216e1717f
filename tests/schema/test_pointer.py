"""Pointers of errors lead to the value that is wrong, also where a name consists of digits."""

from __future__ import annotations

import jsonschema_rs
import pytest

from babelreg import contract
from babelreg.schema import pointer

SCHEMA = {"additionalProperties": {"type": "array", "items": {"additionalProperties": {"type": "string"}}}}


@pytest.mark.parametrize("name", ["12", "012", "+1", "00", "0", "٣", "a", "1 ", "99999999999999999999"])
def test_an_error_is_located_by_the_name_as_it_is_written(name):
    document = {"7": [{}, {name: 1}]}
    (error,) = jsonschema_rs.Draft202012Validator(SCHEMA).iter_errors(document)
    assert pointer.located(document, error.instance_path) == ("7", 1, name)
    assert pointer.find(document, pointer.located(document, error.instance_path)) == 1


def test_of_two_names_of_one_number_the_plain_one_is_taken():
    assert pointer.located({"01": 1, "1": 2}, [1]) == ("1",)


def test_a_refused_message_names_the_property_as_it_is_written():
    registry = contract.Contract({"urn:babel:a:b": {"type": "object", "properties": {"012": {"type": "string"}}}})
    (violation,) = registry.violations("urn:babel:a:b", {"012": 1})
    assert violation.pointer == "/012"
