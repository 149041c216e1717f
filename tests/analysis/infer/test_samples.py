"""Files of samples: every form, and mistakes with their place."""

from __future__ import annotations

import pytest

from babelreg.analysis.infer.samples import read_samples
from babelreg.errors import InputError

URN = "urn:babel:orders:shipped"


@pytest.mark.parametrize(
    "content, samples",
    [
        pytest.param(b'{"a": 1}', [{"a": 1}], id="a document"),
        pytest.param(b'[{"a": 1}, {"a": 2}]', [{"a": 1}, {"a": 2}], id="a list"),
        pytest.param(b'{"a": 1}\r\n\r\n{"a": 2}\r\n', [{"a": 1}, {"a": 2}], id="an object a line"),
        pytest.param(b'\xef\xbb\xbf{\n  "a": 1\n}\n', [{"a": 1}], id="a byte order mark, and several lines"),
        pytest.param(
            b'{"a": "\xe2\x80\xa8"}\n{"a": 2}\n', [{"a": "\u2028"}, {"a": 2}], id="a line separator in a text"
        ),
        pytest.param(
            b'{"job": "urn:babel:orders:shipped", "meta": {}, "data": {"a": 1}}\n'
            b'{"urn": "urn:babel:orders:shipped", "meta": {}, "data": {"a": 2}}\n'
            b'{"job": "urn:babel:orders:packed", "meta": {}, "data": []}\n',
            [{"a": 1}, {"a": 2}],
            id="envelopes, and those of another message",
        ),
        pytest.param(b'{"a": 12345678901234567890123}', [{"a": 12345678901234567890123}], id="a long integer"),
        pytest.param(b'{"a": "\\ud800"}', [{"a": "\ud800"}], id="an unpaired surrogate"),
    ],
)
def test_read(tmp_path, content, samples):
    path = tmp_path / "samples"
    path.write_bytes(content)
    assert read_samples(path, URN) == samples


def test_no_sample_is_passed_over(tmp_path):
    path = tmp_path / "samples.jsonl"
    path.write_text("".join(f'{{"a": {n}}}\n' for n in range(2_500)))
    assert len(read_samples(path, URN)) == 2_500


@pytest.mark.parametrize(
    "content, message",
    [
        pytest.param(b'{"a": 1}\n{x\n', "2:2: not JSON", id="a line"),
        pytest.param(b'{\n "a": 1,\n "b" 2\n}', "3:6: not JSON", id="a document, at its own line"),
        pytest.param(b'{"a": NaN}', "1:1: not JSON: NaN", id="NaN"),
        pytest.param(b'{"a": 1e400}', "a number exceeds the range of a double", id="a number that no message may have"),
        pytest.param(b'{"a":' * 1100 + b"1" + b"}" * 1100, "is nested", id="too deep"),
        pytest.param(b"\xff", "not UTF-8", id="not text"),
        pytest.param(b'["bob@real.org"]', "a sample is a string, not an object", id="no object"),
        pytest.param(
            b'{"job": "urn:babel:orders:shipped", "meta": {}, "data": ["bob@real.org"]}',
            "a sample is an array, not an object",
            id="an envelope whose data is no object",
        ),
        pytest.param(b"", "not JSON", id="an empty file"),
        pytest.param(b"[]", "no sample of", id="an empty list"),
    ],
)
def test_a_mistake_has_its_place_and_shows_no_value(tmp_path, content, message):
    path = tmp_path / "samples"
    path.write_bytes(content)
    with pytest.raises(InputError) as raised:
        read_samples(path, URN)
    assert message in str(raised.value)
    assert "bob@real.org" not in str(raised.value)


def test_a_file_in_another_encoding_names_the_command_that_converts_it(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"a": 1}', "utf-16")
    with pytest.raises(InputError) as raised:
        read_samples(path, "urn:babel:a:b")
    assert raised.value.fix == f"iconv -f UTF-16 -t UTF-8 {path}"
