"""The dialect of a schema that names it, as people spell it."""

from __future__ import annotations

import pytest

from babelreg.exchange.sources.schema_detection import likely_dialect


@pytest.mark.parametrize(
    "uri, name",
    [
        pytest.param("http://json-schema.org/draft-07/schema#", "draft7", id="as it is"),
        pytest.param("https://json-schema.org/draft-07/schema#", "draft7", id="https"),
        pytest.param("https://json-schema.org/draft-04/schema", "draft4", id="https without the hash sign"),
        pytest.param("http://json-schema.org/draft/2020-12/schema", "draft2020-12", id="http"),
    ],
)
def test_the_scheme_of_the_dialect_does_not_matter(uri, name):
    assert likely_dialect({"$schema": uri, "type": "object"}, None).name == name
