"""Text summary of a run of ``babelreg lake``: counts that add up, the largest of many, and a line to paste.

Numbers precede names, so that columns stay aligned whatever the length of the names.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.plural import counted
from babelreg.report import printable

if TYPE_CHECKING:
    from babelreg.lake.ingest.thresholds import ExceededThreshold
    from babelreg.lake.operations.redrive_preview import RedrivePreview
    from babelreg.spark import Compacted, Summary

_MOST = 20
_NOT_LINES = (".frames", ".gz", ".zst", ".zstd")


def ingested(summary: Summary, registry: str | None = None, *, reported: bool = False) -> list[str]:
    """Return the lines about a run of ``ingest``; ``registry`` is how a line to paste must name it, where it must.

    ``reported``: there is a page about the run already.
    """
    if summary.held:
        return _printable(_held(summary, registry))
    if summary.batch is None:
        nothing = f"nothing new: {_known(summary)}"
        return _printable([nothing + _moved(summary), *_copies(summary), *_set_aside(summary)])
    skipped = f", {counted(summary.known_files, 'file')} ingested before" if summary.known_files else ""
    read = f"read {counted(summary.read, 'message')} from {_source(summary)}"
    return _printable(
        [
            f"{read} (batch {summary.batch}{skipped}{_moved(summary)})",
            *_counts(summary),
            *_copies(summary),
            *_set_aside(summary),
            *_spaced(exceeded_lines(summary.exceeded, held=summary.held)),
            *_next(summary, registry, reported),
        ]
    )


def redriven(summary: Summary, registry: str | None = None, *, reported: bool = False) -> list[str]:
    """Return the lines about a run of ``redrive``."""
    if not summary.read:
        return [f"nothing to validate again in {summary.input}"]
    validated = f"validated {counted(summary.read, 'message')}"
    if summary.batch is None:
        which = "it" if summary.read == 1 else "each"
        return [f"{validated} again: {which} stays in {summary.input} for the same reason"]
    lines = [f"{validated} of {summary.input} again (batch {summary.batch})", *_counts(summary)]
    lines += _next(summary, registry, reported)
    return _printable(lines)


def previewed(found: RedrivePreview, lake: str) -> list[str]:
    """Return the lines about what a run of ``redrive`` would do."""
    if not found.messages:
        return [f"nothing to validate again in {lake}/quarantine"]
    passing, staying = sum(found.passing.values()), sum(found.staying.values())
    result = f"{passing:,} pass now, {staying:,} stay in quarantine"
    return [
        f"would validate {counted(found.messages, 'message')} of {lake} again: {result}",
        *_table(("pass", "stay"), "reason in quarantine", "reasons", found.reasons),
        *_table(("pass",), "table", "tables", {urn: (count,) for urn, count in found.passing.items()}),
        *_table(("stay",), "reason now", "reasons", {reason: (count,) for reason, count in found.staying.items()}),
        *(["", "nothing was written; the run itself also finds duplicates"] if passing else []),
    ]


def compacted(result: Compacted) -> list[str]:
    """The lines about a run of ``compact``."""
    if result.batch is None:
        return [f"nothing to compact in {result.output}: no table has enough small files"]
    rows = {urn: (count, result.rows[urn]) for urn, count in result.files.items()}
    return [f"compacted {result.output} (batch {result.batch})", *_table(("files", "rows"), "table", "tables", rows)]


def exceeded_lines(exceeded: Sequence[ExceededThreshold], *, held: bool = False) -> list[str]:
    """Return the lines about the thresholds that a batch exceeds."""
    if not exceeded:
        return []
    option, went = ("hold", "would go") if held else ("fail", "went")
    lines = [f"above --{option}-above:"]
    for above in exceeded[:_MOST]:
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in list(above.reasons.items())[:3])
        more = f", and {len(above.reasons) - 3:,} more" if len(above.reasons) > 3 else ""
        numbers = f"{above.quarantined:,} of {counted(above.read, 'message')} {went} to quarantine"
        lines.append(f"  {above.scope}: {numbers}, {above.share}; the limit is {above.limit} ({reasons}{more})")
    hidden = len(exceeded) - _MOST
    return [*lines, *([f"  and {hidden:,} more"] if hidden > 0 else [])]


def _held(summary: Summary, registry: str | None) -> list[str]:
    """Return the lines about a batch that was not committed."""
    named = ["--registry", registry] if registry else []
    places = [
        f"  {example.file}, byte {example.offset:,}: {example.reason}"
        f"{f' at {example.pointer}' if example.pointer else ''}{f' of {example.urn}' if example.urn else ''}"
        f"{f': {example.detail}' if example.detail else ''}"
        for example in summary.examples
    ]
    readable = [example.file for example in summary.examples if not example.file.endswith(_NOT_LINES)]
    file = _readable_file(summary, readable)
    again = [f"--hold-above {shlex.quote(f'{above.scope}=100%')}" for above in summary.exceeded[:_MOST]]
    return [
        f"held: nothing was committed; {_source(summary)} {_again(summary)}",
        *_counts(summary),
        *_copies(summary),
        *_set_aside(summary),
        *_spaced(exceeded_lines(summary.exceeded, held=summary.held)),
        *_spaced(["some of the refused messages:", *places]),
        *(_spaced(["next, all of a file:", f"  {shlex.join(['babelreg', 'validate', *named, file])}"]) if file else []),
        *_spaced([f"to commit the batch anyway: {' '.join(again)}"]),
    ]


def _source(summary: Summary) -> str:
    """Return the files of the input as the text names them: a single one, and standard input, by name."""
    if _is_stdin(summary):
        return "standard input"
    return summary.input if _is_single(summary) else f"{counted(summary.files, 'file')} in {summary.input}"


def _known(summary: Summary) -> str:
    """Return how the text names an input without new messages."""
    if _is_stdin(summary):
        return "standard input has been read before" if summary.known_files else "standard input is empty"
    if not summary.known_files and not summary.set_aside:
        where = summary.input if _is_single(summary) else f"no file in {summary.input}"
        return f"{where} has {'no' if _is_single(summary) else 'a'} complete message"
    known = summary.input if _is_single(summary) else f"{counted(summary.known_files, 'file')} in {summary.input}"
    return f"{known}, ingested before"


def _again(summary: Summary) -> str:
    return "has to be piped in again" if _is_stdin(summary) else "will be read again by the next run"


def _is_stdin(summary: Summary) -> bool:
    from babelreg.sources.message_input import is_stdin

    return is_stdin(Path(summary.input))


def _is_single(summary: Summary) -> bool:
    """Return True where the input is one file, or a pipe with a name."""
    path = Path(summary.input)
    return path.exists() and not path.is_dir()


def _readable_file(summary: Summary, files: Sequence[str]) -> str | None:
    """Return a path of the first of ``files``, if there is one."""
    if not files or _is_stdin(summary):
        return None
    return summary.input if _is_single(summary) else str(Path(summary.input) / files[0])


def _spaced(lines: list[str]) -> list[str]:
    return ["", *lines] if lines else []


def _moved(summary: Summary) -> str:
    if summary.moved and (_is_stdin(summary) or _is_single(summary)):
        return ", which begins with data that was read before" if summary.batch else ", under another name"
    return f", {summary.moved:,} of them moved since" if summary.moved else ""


def _copies(summary: Summary) -> list[str]:
    """Return the lines about files that hold what was read before, at most twenty."""
    if not summary.copies or _is_stdin(summary):
        return []
    shown, hidden = summary.copies[:_MOST], len(summary.copies) - _MOST
    copies = "1 copy" if len(summary.copies) == 1 else f"{len(summary.copies):,} copies"
    return [
        "",
        f"not read again: {copies} of files that were read",
        *(f"  {name}" for name in shown),
        *([f"  and {hidden:,} more"] if hidden > 0 else []),
    ]


def _set_aside(summary: Summary) -> list[str]:
    """Return the lines about files that were not read on, at most twenty."""
    from babelreg.lake.input.set_aside import FIX

    if not summary.set_aside:
        return []
    shown = list(summary.set_aside.items())[:_MOST]
    hidden = len(summary.set_aside) - len(shown)
    return [
        "",
        f"set aside: {counted(len(summary.set_aside), 'file')} that cannot be read further",
        *(f"  {name}: {why}" for name, why in shown),
        *([f"  and {hidden:,} more"] if hidden else []),
        f"  fix: {FIX}",
    ]


def _printable(lines: Sequence[str]) -> list[str]:
    return [printable(line) for line in lines]


def _counts(summary: Summary) -> list[str]:
    urns = {*summary.tables, *summary.repeated}
    tables = {urn: (summary.tables.get(urn, 0), summary.repeated.get(urn, 0)) for urn in urns}
    table = "table" if summary.held else f"table, in {summary.output}/tables"
    reasons = {reason: (count,) for reason, count in summary.reasons.items()}
    return [
        f"  = {summary.accepted:,} accepted + {summary.duplicates:,} duplicates + {summary.quarantined:,} quarantined",
        *_table(("rows", "duplicates"), table, "tables", tables),
        *_table(
            ("refused",), f"reason, in {summary.quarantine}" if summary.quarantine else "reason", "reasons", reasons
        ),
    ]


def _table(heads: Sequence[str], head: str, names: str, rows: Mapping[str, tuple[int, ...]]) -> list[str]:
    """Return ``rows`` under their heads, the largest first, at most twenty, and what the others are together."""
    if not rows:
        return []
    ordered = sorted(rows.items(), key=lambda row: (tuple(-count for count in row[1]), row[0]))
    shown, hidden = (ordered, []) if len(ordered) <= _MOST + 1 else (ordered[:_MOST], ordered[_MOST:])
    lines = [(name, counts) for name, counts in shown]
    if hidden:
        together = tuple(sum(counts[at] for _, counts in hidden) for at in range(len(heads)))
        lines.append((f"in {len(hidden):,} more {names}", together))
    wide = [max(len(text), *(len(f"{counts[at]:,}") for _, counts in lines), 8) for at, text in enumerate(heads)]
    titles = "  ".join(f"{text:>{width}}" for text, width in zip(heads, wide, strict=True))
    spelled = [
        "  ".join(f"{count:>{width},}" for count, width in zip(counts, wide, strict=True)) for _, counts in lines
    ]
    return [
        "",
        f"  {titles}  {head}",
        *(f"  {numbers}  {name}" for numbers, (name, _) in zip(spelled, lines, strict=True)),
    ]


def _next(summary: Summary, registry: str | None, reported: bool) -> list[str]:
    """Return a line to paste: at what was refused, else at the largest table."""
    named = ["--registry", registry] if registry else []
    if summary.quarantine and summary.exceeded:
        words = ["babelreg", "lake", "quarantine", *named, "--lake", summary.output]
        return ["", "next, some of the refused messages:", f"  {shlex.join(words)}"]
    if summary.quarantine and reported:
        return [""]
    if summary.quarantine:
        words = ["babelreg", "lake", "report", *named, "--lake", summary.output]
        return ["", "next, a report on the refused messages:", f"  {shlex.join(words)}"]
    if not summary.tables:
        return []
    table = max(sorted(summary.tables), key=lambda urn: summary.tables[urn])
    if find_spec("pandas"):
        read = f"pandas.read_parquet(files({summary.output!r}, {table!r}))"
        program = f"import pandas; from babelreg.lake import files; print({read}.head(20).to_string())"
    else:  # as with the extra of the engine without a JVM
        read = f"dataset({summary.output!r}, {table!r}).head(20)"
        program = f"from babelreg.lake import dataset; print(*{read}.to_pylist(), sep='\\n')"
    return ["", "next, to see rows of a table:", f"  {_python()} -c {_quoted(program)}"]


def _python() -> str:
    program = shutil.which("python")
    return "python" if program and Path(program).samefile(sys.executable) else shlex.quote(sys.executable)


def _quoted(program: str) -> str:
    """In double quotes, which reads better, where nothing in the program means anything to a shell within them."""
    return shlex.quote(program) if any(sign in program for sign in '"$`\\!') else f'"{program}"'
