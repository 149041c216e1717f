from __future__ import annotations

from collections.abc import Callable

import pytest

InData = Callable[..., list[str]]


@pytest.mark.parametrize(
    "field, found",
    [
        pytest.param("p: {type: string, format: byte}", ["p"], id="a format of OpenAPI"),
        pytest.param("p: {type: string, format: binary}", ["p"], id="raw bytes"),
        pytest.param("p: {type: string, contentEncoding: base64}", [], id="said"),
        pytest.param("p: {type: string, format: byte, description: The PNG in base64.}", [], id="said in words"),
        pytest.param("picture_base64: {type: string}", ["picture_base64"], id="by its name"),
        pytest.param("pictureB64: {type: string}", ["pictureB64"], id="by its short name"),
        pytest.param("raw_bytes: {type: string}", ["raw_bytes"], id="bytes as a string"),
        pytest.param("bytes: {type: integer}", [], id="a number of bytes"),
        pytest.param("max_bytes: {type: string, contentEncoding: base16}", [], id="another encoding"),
        pytest.param("p: {type: string, pattern: '^[A-Za-z0-9+/]*={0,2}$'}", ["p"], id="a pattern"),
        pytest.param("p: {type: string, pattern: '^[A-Za-z0-9]+$'}", [], id="a pattern of letters"),
        pytest.param("p: {type: string, examples: [iVBORw0KGgoAAAANSUhEUg]}", ["p"], id="a picture"),
        pytest.param("token: {type: string, examples: [eyJhbGciOiJIUzI1NiJ9]}", [], id="a token"),
        pytest.param("name: {type: string}", [], id="a word"),
        pytest.param("name: {type: string, format: {byte: 1}}", [], id="a mapping where a format belongs"),
        pytest.param(
            "p: {type: string, contentMediaType: image/png}", ["p.contentMediaType"], id="a picture by its type"
        ),
        pytest.param("p: {contentMediaType: application/pdf}", ["p.contentMediaType"], id="a document without a type"),
        pytest.param(
            "p: {type: string, contentMediaType: application/octet-stream; v=1}", ["p.contentMediaType"], id="any bytes"
        ),
        pytest.param(
            "p: {type: string, contentMediaType: application/vnd.openxmlformats-officedocument.x}",
            ["p.contentMediaType"],
            id="a document of an office",
        ),
        pytest.param("p: {type: string, contentMediaType: image/png, contentEncoding: base64}", [], id="said how"),
        pytest.param("p: {type: string, contentMediaType: image/png, description: In base64.}", [], id="said so"),
        pytest.param("p: {type: string, contentMediaType: image/svg+xml}", [], id="a picture that is text"),
        pytest.param("p: {type: string, contentMediaType: application/json}", [], id="JSON"),
        pytest.param("p: {type: string, contentMediaType: application/vnd.api+json}", [], id="JSON of a vendor"),
        pytest.param("p: {type: string, contentMediaType: text/html; charset=utf-8}", [], id="a page"),
        pytest.param("p: {type: string, format: uri, contentMediaType: image/png}", [], id="a link to a picture"),
        pytest.param("p: {type: object, contentMediaType: image/png}", [], id="an object"),
    ],
)
def test_base64_undocumented(field: str, found: list[str], in_data: InData) -> None:
    assert in_data("base64-undocumented", field) == found
