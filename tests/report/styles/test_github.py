from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.finding import Finding, Place, Severity
from babelreg.report.styles import github

HOSTILE = st.one_of(
    st.text(),
    st.lists(
        st.sampled_from(
            ["\n", "\r", "\x85", "\u2028", "\x0b", "::", "::set-output name=x::y", "##[add-mask]", "%0A", "%", ",", "=", "x"]
        ),
        max_size=8,
    ).map("".join),
)  # fmt: skip


def test_the_wording(findings, run_info, golden):
    golden("github.txt", github.render(findings, run_info=run_info))


def runner(line: str) -> tuple[str, dict[str, str], str] | None:
    """The command that GitHub's runner reads from a line of a log, by ActionCommand.cs."""
    line = line.lstrip()
    end = line.find("::", 2)
    if not line.startswith("::") or end < 0:
        return None
    name, _, listed = line[2:end].partition(" ")
    properties = dict(one.split("=", 1) for one in listed.split(",") if "=" in one)

    def undo(text: str, signs: dict[str, str]) -> str:
        return re.sub("|".join(signs), lambda match: signs[match[0]], text)

    message = {"%0D": "\r", "%0A": "\n", "%25": "%"}
    return (
        name,
        {key: undo(value, {**message, "%3A": ":", "%2C": ","}) for key, value in properties.items()},
        undo(line[end + 2 :], message),
    )


@given(message=HOSTILE, path=HOSTILE, fix=HOSTILE, breaks=HOSTILE, against=HOSTILE, line=st.integers(0, 3))
def test_no_text_starts_a_command_of_its_own_or_leaves_its_place(message, path, fix, breaks, against, line):
    finding = Finding("some-rule", Severity.WARNING, message, Place(path, line, line), fix=fix,
                      breaks=(breaks,), against=Place(against, 1, 1))  # fmt: skip
    text = github.render([finding])
    # The runner reads lines as .NET does: at CR, LF or both. Nothing else that splits lines may stand there either.
    assert text.splitlines() == [text[:-1]]
    command = runner(text[:-1])
    assert command is not None
    name, properties, said = command
    assert name == "warning"
    assert properties.keys() == {"file", "title"} | ({"line", "col"} if line else set())
    assert properties["title"] == "some-rule"
    assert said.count("\n") == 2 + bool(fix)


def test_a_text_comes_back_as_it_was() -> None:
    said = "100%0A of a, b: c=d"
    command = runner(github.render([Finding("r", Severity.ERROR, said, Place(said, 2, 0))]))
    assert command == ("error", {"file": said, "line": "2", "col": "1", "title": "r"}, f"{said}:2:0: {said} [r]\n")


@pytest.mark.parametrize(
    "severity, name", [(Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.INFO, "notice")]
)
def test_each_severity_has_its_command(severity: Severity, name: str) -> None:
    assert github.render([Finding("r", severity, "m", Place("a"))]).startswith(f"::{name} ")


def test_nothing_found_is_nothing_printed() -> None:
    assert github.render([]) == ""
