from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding
from babelreg.gen.targets import TARGETS
from babelreg.lint.rules.topology import alias_foreign_reader
from babelreg.model.service import LANGUAGES

MESSAGE = "# file: web/clicked.yaml\nurn: urn:babel:web:clicked\n"
SERVICE = "# file: _services/report.yaml\nowner: team-web\nconsumes: [{{urn: urn:babel:web:clicked}}]\n{}"


@pytest.mark.parametrize(
    "message, service, found",
    [
        pytest.param("aliases: [Web.Clicked]\n", "lang: java\n", ["2:10"], id="a reader in Java"),
        pytest.param("aliases: [Web.Clicked]\n", "lang: dotnet\n", ["2:10"], id="a reader in .NET"),
        pytest.param("aliases: [Web.Clicked]\n", "lang: python\n", [], id="generated code knows the alias"),
        pytest.param("aliases: [Web.Clicked]\n", "", [], id="a service without a language, which has its own finding"),
        pytest.param("", "lang: java\n", [], id="no alias"),
        pytest.param(
            "aliases: [Web.Clicked]\nstatus: retired\nretired_on: '2026-01-31'\n", "lang: java\n", [], id="retired"
        ),
    ],
)
def test_alias_foreign_reader(
    message: str, service: str, found: list[str], findings: Callable[..., list[Finding]]
) -> None:
    reported = findings(MESSAGE + message + SERVICE.format(service), "alias-foreign-reader")
    assert [f"{f.place.line}:{f.place.column}" for f in reported] == found
    assert all("'report'" in f.message and "'Web.Clicked'" in f.message for f in reported)


def test_it_knows_the_languages_that_code_is_generated_for() -> None:
    target = {"node": "typescript"}
    generated = {language for language in LANGUAGES if target.get(language, language) in TARGETS}
    assert generated.isdisjoint(alias_foreign_reader._WITHOUT_GENERATED_CODE)
    assert generated | alias_foreign_reader._WITHOUT_GENERATED_CODE.keys() == set(LANGUAGES)
