"""The summary of a run: at 80 columns, whatever the number of tables and the length of their names."""

from __future__ import annotations

import shlex

from babelreg.cli.lake.summary import compacted, ingested, redriven
from babelreg.spark import Compacted, Summary


def summary(**said: object) -> Summary:
    given = {"input": "in", "output": "lake", "batch": 3, "files": 2, "read": 12, "accepted": 12, **said}
    return Summary(**given)  # type: ignore[arg-type]


def test_of_a_thousand_tables_the_largest_are_named_and_the_others_counted() -> None:
    tables = {f"urn:babel:shop:thing-{number:04}": number * 1_000 for number in range(1_000)}
    lines = ingested(summary(read=499_500_000, accepted=499_500_000, tables=tables))
    assert lines[:5] == [
        "read 499,500,000 messages from 2 files in in (batch 3)",
        "  = 499,500,000 accepted + 0 duplicates + 0 quarantined",
        "",
        "         rows  duplicates  table, in lake/tables",
        "      999,000           0  urn:babel:shop:thing-0999",
    ]
    assert lines[24] == "  479,710,000           0  in 980 more tables"
    assert max(map(len, lines[:26])) < 80
    assert "thing-0999" in lines[-1]


def test_a_table_that_got_duplicates_alone_is_named() -> None:
    lines = ingested(summary(accepted=10, duplicates=2, tables={"urn:babel:a:b": 10}, repeated={"urn:babel:c:d": 2}))
    assert lines[4:6] == ["        10           0  urn:babel:a:b", "         0           2  urn:babel:c:d"]


def test_what_was_refused_is_counted_by_reason_with_a_line_to_paste() -> None:
    refused = {"poison": 9, "missing_required": 1_200_000}
    lines = ingested(summary(output="my lake", quarantine="my lake/quarantine", reasons=refused), "reg")
    assert lines[3:6] == [
        "    refused  reason, in my lake/quarantine",
        "  1,200,000  missing_required",
        "          9  poison",
    ]
    words = ["babelreg", "lake", "report", "--registry", "reg", "--lake", "my lake"]
    assert shlex.split(lines[-1]) == words


def test_a_name_that_would_move_the_cursor_is_written_out() -> None:
    assert "in \\x1b[2J (" in ingested(summary(input="in \x1b[2J"))[0]


def test_a_redrive_that_changed_nothing_says_so() -> None:
    assert redriven(summary(batch=None, read=1)) == ["validated 1 message again: it stays in in for the same reason"]


def test_a_compaction_tells_files_and_rows() -> None:
    assert compacted(Compacted("lake", 4, {"urn:babel:a:b": 17}, {"urn:babel:a:b": 1_000}))[2:] == [
        "     files      rows  table",
        "        17     1,000  urn:babel:a:b",
    ]
