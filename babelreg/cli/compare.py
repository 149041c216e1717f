"""``babelreg compare``: two schema files, containment alone."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babelreg.cli.shared.common_options import LocalPath, examples, style_option
from babelreg.errors import UsageError

if TYPE_CHECKING:
    from babelreg.containment import Comparison, DirectionVerdict

_QUESTIONS = {"backward": "new readers accept old data", "forward": "old readers accept new data"}


@click.command(
    epilog=examples(
        "babelreg compare old.schema.json new.schema.json",
        "git show main:order.yaml > old.yaml && babelreg compare old.yaml order.yaml",
    )
)
@click.argument("old", type=LocalPath())
@click.argument("new", type=LocalPath())
@click.option(
    "--reader",
    type=click.Choice(["tolerant", "strict"]),
    default="tolerant",
    show_default=True,
    help="tolerant: producers send only declared properties, readers ignore others. strict: schemas apply as written.",
)
@click.option(
    "--assert-formats",
    is_flag=True,
    help="A string that is not a date breaks `format: date`, as it does for messages of a registry.",
)
@click.option(
    "--dialect",
    type=click.Choice(["draft4", "draft6", "draft7", "draft2019-09", "draft2020-12"]),
    help="The dialect of both files. Default: the one that $schema names, else draft2020-12.",
)
@click.option(
    "--certificate",
    type=LocalPath(dir_okay=False),
    metavar="FILE",
    help="Write the proofs of the compatible directions to FILE, for --verify.",
)
@click.option(
    "--verify",
    type=LocalPath(dir_okay=False),
    metavar="FILE",
    help="Check the proofs in FILE instead of searching; exit 1 if one is invalid.",
)
@style_option("answer")
@click.pass_context
def command(
    ctx: click.Context,
    old: Path,
    new: Path,
    reader: Any,
    assert_formats: bool,
    dialect: str | None,
    certificate: Path | None,
    verify: Path | None,
    style: str,
) -> None:
    """Compare two JSON Schema files, YAML or JSON: does each side accept what the other sends?

    Only containment is checked; `babelreg breaking` also applies the contract rules (a removed property, a changed
    unit), and `babelreg diff` lists the changes. For a message file, its `data` is compared.

    Exit 0: compatible both ways. 1: breaking one way or both, or unknown. 2: a file cannot be read. With --verify,
    exit 0: every proof in FILE holds for these two schemas. 1: one does not, or there is none.
    """
    from babelreg import containment
    from babelreg.load import schema_file

    if certificate is not None and verify is not None:
        raise UsageError("--certificate writes a file that --verify reads", fix="use one of them")

    schemas = [_read(schema_file.read_with_notes, path) for path in (old, new)]
    if os.path.realpath(old) == os.path.realpath(new):
        from babelreg.report import printable

        click.echo(f"{printable(str(old))} is compared with itself", err=True)
    options: Any = {"reader": reader, "formats": "asserted" if assert_formats else "ignored", "dialect": dialect}
    if verify is not None:
        ctx.exit(_verify(verify, schemas, options, style))
    if certificate is None:
        comparison = containment.compare(*schemas, **options)
    else:
        comparison, content = containment.certify(*schemas, **options)
        _write(certificate, content)
    click.echo(_json(comparison) if style == "json" else _text(comparison))
    ctx.exit(0 if comparison.backward.kind == comparison.forward.kind == "compatible" else 1)


def _write(path: Path, content: dict[str, Any]) -> None:
    from babelreg.atomic_write import write_whole
    from babelreg.containment.certificates import files

    write_whole(path, files.text(content).encode())


def _verify(path: Path, schemas: list[Any], options: dict[str, Any], style: str) -> int:
    """Print what the certificate file shows, and return the exit code."""
    from babelreg import containment
    from babelreg.containment.certificates import files
    from babelreg.report import printable

    content = files.read(path)
    verified: list[str] = []
    reason = None
    try:
        verified = containment.verify(content, *schemas, **options)
    except containment.CertificateRefused as refused:
        reason = str(refused)
    if style == "json":
        click.echo(json.dumps({"question": "certificate", "verified": verified, "refused": reason}))
    elif reason is not None:
        click.echo(f"refused: {printable(reason)}")
    else:
        for direction in files.DIRECTIONS:
            state = "certificate holds" if direction in verified else "no certificate"
            click.echo(f"{direction} ({_QUESTIONS[direction]}): {state}")
    return 0 if reason is None else 1


def _read(read_with_notes: Callable[[Path], tuple[Any, list[str]]], path: Path) -> Any:
    from babelreg.report import printable

    schema, notes = read_with_notes(path)
    for note in notes:
        click.echo(printable(note), err=True)
    return schema


_LONGEST_WITNESS = 2_000


def _json(comparison: Comparison) -> str:
    return json.dumps({"question": "containment", **comparison.as_json()})


def _text(comparison: Comparison) -> str:
    return "\n".join(
        f"{direction} ({_QUESTIONS[direction]}): {_verdict_text(verdict)}"
        for direction, verdict in (("backward", comparison.backward), ("forward", comparison.forward))
    )


def _verdict_text(verdict: DirectionVerdict) -> str:
    from babelreg.report import printable

    if verdict.kind == "compatible":
        return "compatible, not certified" if verdict.certified is False else verdict.kind
    if verdict.kind == "unknown":
        fix = f"\n  fix: {printable(verdict.fix)}" if verdict.fix else ""
        return f"unknown\n  reason: {printable(verdict.reason or '')}{fix}"
    witness = printable(json.dumps(verdict.witness, ensure_ascii=False))
    if len(witness) > _LONGEST_WITNESS:
        witness = f"{witness[:_LONGEST_WITNESS]}... ({len(witness):,} characters; --format json has all)"
    refused = printable(f"{verdict.pointer or 'the root'}: {verdict.reason}")
    return f"breaking\n  witness: {witness}\n  refused at {refused}"
