from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from babelreg.finding import Finding, Place, Severity
from babelreg.report import RunInfo
from babelreg.report.styles import junit

TEXT = st.text(st.characters(codec=None)) | st.text("<>&\"']]>\x00\x1b\ufffe\uffff\ud800\n\r\t", max_size=9)


def test_the_wording(findings, run_info, golden):
    golden("junit.xml", junit.render(findings, run_info=run_info))


@given(message=TEXT, path=TEXT, fix=TEXT)
def test_whatever_was_found_is_xml(message, path, fix):
    text = junit.render([Finding("r", Severity.ERROR, message, Place(path, 1, 1), fix=fix)])
    assert text.isascii()
    root = ElementTree.fromstring(text)
    assert [element.tag for element in root.iter()] == ["testsuites", "testsuite", "testcase", "failure"]


def test_a_suite_a_file_and_a_case_a_finding(findings):
    root = ElementTree.fromstring(junit.render([*findings, replace(findings[0], rule="other")]))
    suites = {suite.get("name"): [case.get("name") for case in suite] for suite in root}
    assert suites == {
        "registry/orders/created.yaml": ["property-required 14:9", "other 14:9"],
        "registry/key/sent.yaml": ["example-missing 1:1"],
        "registry/a,b:c.yaml": ["file-unreadable"],
    }


def test_what_fails_the_command_is_a_failure_and_the_rest_is_skipped(findings):
    for fail_on, tags in ((Severity.ERROR, ["failure", "skipped", "skipped"]), (Severity.WARNING, ["failure"] * 2 + ["skipped"])):  # fmt: skip
        root = ElementTree.fromstring(junit.render(findings, run_info=RunInfo(fail_on=fail_on)))
        assert [child.tag for case in root.iter("testcase") for child in case] == tags
        counted = {key: int(root.get(key, "")) for key in ("tests", "failures", "skipped")}
        assert counted == {"tests": 3, "failures": tags.count("failure"), "skipped": tags.count("skipped")}


def test_nothing_found_is_a_case_that_passed() -> None:
    root = ElementTree.fromstring(junit.render([], run_info=RunInfo("babelreg lint", checked="3 messages")))
    (case,) = root.iter("testcase")
    assert (case.get("name"), len(case), root.get("tests"), root.get("failures")) == (
        "no findings in 3 messages", 0, "1", "0")  # fmt: skip
