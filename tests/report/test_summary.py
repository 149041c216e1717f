from __future__ import annotations

import pytest

from babelreg.finding import Finding, Place, Severity
from babelreg.report import summary


@pytest.mark.parametrize(
    "severities, checked, line",
    [
        pytest.param("", "", "no findings (2 waived)", id="nothing"),
        pytest.param("", "3 messages", "no findings in 3 messages (2 waived)", id="nothing in three"),
        pytest.param("e", "", "1 error in 1 file (2 waived)", id="one"),
        pytest.param("e", "9 messages", "1 error in 1 file (9 messages checked, 2 waived)", id="one in nine"),
    ],
)
def test_what_is_waived_is_counted_apart(severities: str, checked: str, line: str) -> None:
    findings = [Finding("r", Severity.ERROR, "m", Place(f"{n}.yaml")) for n, _ in enumerate(severities)]
    assert summary(findings, checked=checked, waived=2) == line


@pytest.mark.parametrize(
    "severities, checked, line",
    [
        pytest.param("", "", "no findings", id="nothing"),
        pytest.param("", "3 messages", "no findings in 3 messages", id="nothing in three"),
        pytest.param("e", "", "1 error in 1 file", id="one"),
        pytest.param("eew", "", "2 errors, 1 warning in 3 files", id="several"),
        pytest.param("wii", "9 messages", "1 warning, 2 info in 3 files (9 messages checked)", id="no error"),
    ],
)
def test_summary(severities: str, checked: str, line: str) -> None:
    kinds = {"e": Severity.ERROR, "w": Severity.WARNING, "i": Severity.INFO}
    findings = [Finding("r", kinds[s], "m", Place(f"{n}.yaml")) for n, s in enumerate(severities)]
    assert summary(findings, checked=checked) == line
