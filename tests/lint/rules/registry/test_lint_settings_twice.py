from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]
TABLE = '# file: pyproject.toml\n[project]\nname = "shop"\n\n[tool.babelreg.lint]\nprofile = "strict"\n'


@pytest.mark.parametrize(
    "settings, found",
    [
        pytest.param("version: 1\n", [], id="only there"),
        pytest.param("version: 1\ngen: {python: {}}\n", [], id="other settings"),
        pytest.param("version: 1\nlint: {profile: strict}\n", ["pyproject.toml:4:1"], id="both"),
        pytest.param("version: 1\nlint: {}\n", ["pyproject.toml:4:1"], id="both, one of them empty"),
    ],
)
def test_lint_settings_twice(settings: str, found: list[str], findings: Lint) -> None:
    reported = findings(f"{TABLE}# file: babelreg.yaml\n{settings}", "lint-settings-twice")
    assert [str(f.place) for f in reported] == found
    assert all(str(f.against) == "babelreg.yaml:2:1" for f in reported)


def test_elsewhere_in_the_file_is_nothing_of_ours(findings: Lint) -> None:
    block = '# file: pyproject.toml\n[tool.other]\nbabelreg = "lint"\n# file: babelreg.yaml\nversion: 1\nlint: {}\n'
    assert findings(block, "lint-settings-twice") == []
