"""Profiles, severities and paths: which rules are in force where."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from each import each

from babelreg import lint
from babelreg.finding import Severity
from babelreg.lint.config import Config
from babelreg.lint.rule import PROFILES, Problem
from babelreg.lint.rules import RULES
from babelreg.lint.scope import Scope
from babelreg.model import Registry

Load = Callable[[str], Registry]

FILES = """\
# file: orders/created.yaml
urn: urn:babel:orders:created
# file: legacy/paid.yaml
urn: urn:babel:legacy:paid
"""


class Speaks:
    """A rule that has something to say of every message."""

    severity = Severity.WARNING
    family = "registry"

    def __init__(self, profile: str) -> None:
        self.profile = profile

    def check(self, scope: Scope) -> Iterator[Problem]:
        for message in scope.messages:
            yield Problem("here", message.source)


SPEAKERS = {profile: Speaks(profile) for profile in PROFILES}


def said(registry: Registry, profile: str | None = None) -> dict[str, str]:
    """``{rule: severity in legacy/, severity in orders/}``, for the speakers of all profiles."""
    found = lint.run(registry, rules=SPEAKERS, config=Config.of(registry.settings, profile))
    assert registry.defects == ()
    heard = {(f.rule, f.place.path.partition("/")[0]): f.severity.value for f in found}
    return {
        rule: " ".join(heard.get((rule, folder), "off") for folder in ("legacy", "orders"))
        for rule in PROFILES
        if {(rule, "legacy"), (rule, "orders")} & set(heard)
    }


BOTH = "warning warning"


@pytest.mark.parametrize(
    "settings, found",
    [
        pytest.param("{}", {"minimal": BOTH, "standard": BOTH}, id="standard is the default"),
        pytest.param("{profile: minimal}", {"minimal": BOTH}, id="the smallest profile"),
        pytest.param("{profile: strict}", dict.fromkeys(PROFILES, BOTH), id="the largest profile has all"),
        pytest.param(
            "{profile: minimal, rules: {strict: info}}",
            {"minimal": BOTH, "strict": "info info"},
            id="a rule that is named is in force whatever the profile",
        ),
        pytest.param(
            "{profile: strict, rules: {minimal: off, standard: error}}",
            {"standard": "error error", "strict": BOTH},
            id="a rule that is named off is off in every profile",
        ),
        pytest.param(
            "{paths: [{path: legacy/, profile: minimal}]}",
            {"minimal": BOTH, "standard": "off warning"},
            id="a smaller profile for a folder",
        ),
        pytest.param(
            "{profile: minimal, paths: [{path: orders/, profile: strict}]}",
            {"minimal": BOTH, "standard": "off warning", "strict": "off warning"},
            id="a larger profile for a folder",
        ),
        pytest.param(
            "{paths: [{path: legacy/, rules: {standard: off}}]}",
            {"minimal": BOTH, "standard": "off warning"},
            id="a rule off in a folder",
        ),
        pytest.param(
            "{rules: {standard: off}, paths: [{path: orders/, rules: {standard: error}}]}",
            {"minimal": BOTH, "standard": "off error"},
            id="a rule on in one folder alone",
        ),
        pytest.param(
            "{paths: [{path: /, rules: {standard: info}}, {path: legacy/, rules: {standard: error}}]}",
            {"minimal": BOTH, "standard": "error info"},
            id="the later entry wins",
        ),
        pytest.param(
            "{rules: {standard: error}, paths: [{path: legacy/, profile: minimal}]}",
            {"minimal": BOTH, "standard": "error error"},
            id="a rule that is named counts for more than the profile of a folder",
        ),
        pytest.param(
            "{paths: [{path: legacy/, profile: minimal}, {path: legacy/, rules: {strict: info}}]}",
            {"minimal": BOTH, "standard": "off warning", "strict": "info off"},
            id="entries for one folder add up",
        ),
    ],
)
def test_settings_say_what_is_in_force(settings: str, found: dict[str, str], registry: Load) -> None:
    assert said(registry(f"# file: babelreg.yaml\nversion: 1\nlint: {settings}\n{FILES}")) == found


def test_a_profile_for_one_run_stands_in_for_the_one_in_the_settings(registry: Load) -> None:
    settings = (
        "# file: babelreg.yaml\nversion: 1\nlint: {profile: strict, paths: [{path: orders/, profile: standard}]}\n"
    )
    found = said(registry(settings + FILES), "minimal")
    assert found == {"minimal": BOTH, "standard": "off warning"}


def test_a_rule_that_nobody_wants_does_not_run(registry: Load) -> None:
    class Costly(Speaks):
        def check(self, scope: Scope) -> Iterator[Problem]:
            raise AssertionError("asked")

    opened = registry(f"# file: babelreg.yaml\nversion: 1\nlint: {{paths: [{{path: /, profile: minimal}}]}}\n{FILES}")
    assert lint.run(opened, rules={"costly": Costly("strict")}) == []


@each("rule", RULES)
def test_each_profile_holds_those_before_it(rule: str) -> None:
    in_force = [Config(profile=profile).severity(rule, RULES[rule]) is not None for profile in PROFILES]
    assert in_force == sorted(in_force)
    assert in_force[-1]


@pytest.mark.parametrize(
    "settings, place, fix",
    [
        pytest.param("{profile: strickt}", "2:17", "did you mean 'strict'?", id="a profile misspelt"),
        pytest.param("{profil: strict}", "2:8", "did you mean 'profile'?", id="a key misspelt"),
        pytest.param("{rules: {urn-syntax: warn}}", "2:28", "did you mean 'warning'?", id="a severity misspelt"),
        pytest.param("{paths: [{path: a/}]}", "2:16", "add 'profile' or 'rules'", id="a path that changes nothing"),
        pytest.param(
            "{paths: [{rules: {}}]}", "2:16", "add 'path: PATTERN', such as orders/ or *.v1.yaml", id="no path"
        ),
        pytest.param("{waivers: [{rule: r, reason: s}]}", "2:18", "add 'urn' or 'path'", id="a waiver for nowhere"),
        pytest.param(
            "{waivers: [{rule: r, reason: s, urn: u, path: p}]}", "2:18", "keep 'urn' or 'path'", id="for two places"
        ),
        pytest.param(
            "{waivers: [{rule: r, urn: u}]}",
            "2:18",
            "say why the finding is accepted: 'reason: …'",
            id="a waiver without a reason",
        ),
        pytest.param(
            "{waivers: [{reason: r, urn: u}]}",
            "2:18",
            "add 'rule: RULE-ID', the id in brackets after the finding",
            id="a waiver of no rule",
        ),
    ],
)
def test_a_mistake_in_the_settings_has_a_place_and_a_way_out(
    settings: str, place: str, fix: str, registry: Load
) -> None:
    (defect,) = registry(f"# file: babelreg.yaml\nversion: 1\nlint: {settings}\n").defects
    assert (str(defect.place), defect.fix) == (f"babelreg.yaml:{place}", fix)
