"""Output of findings: style, stdout and files, colour."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from babelreg.errors import UsageError
from babelreg.finding import Finding, Severity

if TYPE_CHECKING:
    from babelreg.model import Settings
    from babelreg.report import RunInfo

F = TypeVar("F", bound=Callable[..., Any])

# Those of report.STYLES, which would cost their import here.
STYLE_NAMES = (
    "text",
    "json",
    "jsonl",
    "github",
    "sarif",
    "junit",
    "gitlab",
    "markdown",
)
# Read by systems that open the files by their place in the repository, wherever the command ran.
_BY_REPOSITORY = frozenset({"github", "sarif", "gitlab"})


class Output(NamedTuple):
    """A file to write a report to. Without a style of its own it takes the place of stdout."""

    style: str | None
    path: Path


def _outputs(context: click.Context, parameter: click.Parameter, texts: Sequence[str]) -> tuple[Output, ...]:
    styles = next(param.type.choices for param in context.command.params if param.name == "style")  # type: ignore[attr-defined]
    outputs = tuple(parsed_output(text, styles) for text in texts)
    if sum(output.style is None for output in outputs) > 1:
        raise UsageError("--output: only one file can take the place of stdout", fix="--output json:FILE for the other")
    if len({os.path.realpath(output.path) for output in outputs}) < len(outputs):
        raise UsageError("--output: two reports would go to the same file", fix="give each a separate file")
    return outputs


def parsed_output(text: str, styles: Sequence[str]) -> Output:
    """Return what ``[STYLE:]FILE`` says. Raises UsageError."""
    style, colon, file = text.partition(":")
    # One letter is the drive of a path on Windows.
    if not colon or len(style) == 1 or not style.isalpha():
        style, file = "", text
    if style and style not in styles:
        fix = f"one of {', '.join(styles)}; for a file of that name, write {shlex.quote(f'./{text}')}"
        raise UsageError(f"--output {text}: there is no report style '{style}'", fix=fix)
    if not style and file in styles:
        fix = f"--output {file}:FILE; for a file of that name, write {shlex.quote(f'./{file}')}"
        raise UsageError(f"--output {text}: this is a style; the name of the file is missing", fix=fix)
    if not file or "\0" in file:
        raise UsageError(
            f"--output {text}: the name of the file is missing", fix=f"--output {shlex.quote(f'{text}report.txt')}"
        )
    if Path(file).is_dir():
        raise UsageError(
            f"--output {text}: this is a folder", fix=f"--output {shlex.quote(text.rstrip('/') + '/report.txt')}"
        )
    return Output(style or None, Path(file))


def _colour(context: click.Context, parameter: click.Parameter, mode: str | None) -> None:
    if mode is not None:
        from babelreg.report import colour_wanted

        context.color = colour_wanted(sys.stdout, mode)


def format_option_with(*more: str) -> Callable[[F], F]:
    """Return ``--format`` of a command that has ``more`` styles than the others."""
    return click.option(
        "--format",
        "style",
        type=click.Choice((*STYLE_NAMES, *more)),
        help="The style of the findings. Default: text; in GitHub Actions, github.",
    )


format_option: Callable[[F], F] = format_option_with()
output_option: Callable[[F], F] = click.option(
    "--output",
    metavar="[STYLE:]FILE",
    multiple=True,
    callback=_outputs,
    help="Write the report to FILE instead of stdout; with STYLE (sarif:FILE), additionally in that style. Repeatable.",
)
color_option: Callable[[F], F] = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    expose_value=False,
    callback=_colour,
    help="Colour the text report. Default: auto, on a terminal. The variable NO_COLOR takes precedence.",
)


def default_style() -> str:
    """Return the default style: annotations on GitHub Actions, else text."""
    return "github" if _in_actions() else "text"


def emit(
    findings: Sequence[Finding],
    style: str | None = None,
    *,
    output: Sequence[Output] = (),
    fail_on: str = "error",
    prefix: str = "",
    checked: str = "",
    notes: Sequence[str] = (),
    left_out: Sequence[str] = (),
    verb: str = "checked",
    counts: Mapping[str, int] | None = None,
    json_array: bool = False,
    prints: bool = True,
) -> int:
    """Print findings, write the reports asked for, and return the exit code.

    ``prefix`` is put before their paths; see ``common.shown_root``. ``checked`` describes the files that were checked.
    ``notes`` are for report files; a terminal has shown them already. ``left_out``, ``verb`` and ``counts`` are those
    of ``RunInfo``. ``json_array``: the style json is the array of findings. Without ``prints``, stdout is left to the
    caller.
    """
    placed = [finding.below(prefix) for finding in findings]
    run_info = _run_info(fail_on, checked)._replace(
        notes=tuple(notes), left_out=tuple(left_out), verb=verb, counts=counts or {}, json_array=json_array
    )
    instead = any(file.style is None for file in output)
    chosen = style or ("text" if instead else default_style())
    if prints and not instead:
        text = _rendered(_as_spelled(chosen, placed, findings), chosen, run_info, colour=_coloured())
        if text:
            click.echo(text, nl=False)
    for file in output:
        file_style = file.style or chosen
        write_report(file.path, _rendered(_as_spelled(file_style, placed, findings), file_style, run_info))
    if style is None and _in_actions():
        _write_job_summary(placed, run_info)
    return exit_code(placed, fail_on)


def _as_spelled(style: str, placed: Sequence[Finding], findings: Sequence[Finding]) -> Sequence[Finding]:
    """Return ``placed``; for a style to paste into the registry ``findings``, whose paths are relative to it."""
    return findings if style in ("waivers", "waivers-toml") else placed


def as_pasted(
    settings: Settings, style: str | None, output: tuple[Output, ...]
) -> tuple[str | None, tuple[Output, ...]]:
    """Return the styles with waivers as TOML if the waivers, or else the lint settings, are in a TOML file."""
    paths = [source.path for source, _ in settings.breaking] or [
        settings.lint_source.path if settings.lint_source else ""
    ]
    if not all(path.endswith(".toml") for path in paths):
        return style, output
    toml_styles = {"waivers": "waivers-toml"}
    files = tuple(
        file._replace(style=toml_styles.get(file.style, file.style) if file.style else None) for file in output
    )
    return toml_styles.get(style, style) if style else None, files


def exit_code(findings: Sequence[Finding], fail_on: str) -> int:
    """Return 1 when a finding is at least as bad as ``fail_on``, else 0."""
    if fail_on == "never":
        return 0
    return int(any(finding.severity.reaches(Severity(fail_on)) for finding in findings))


def _in_actions() -> bool:
    return os.environ.get("GITHUB_ACTIONS") == "true"


def _coloured() -> bool:
    from babelreg.report import colour_wanted

    context = click.get_current_context(silent=True)
    setting = None if context is None else context.color
    return colour_wanted(sys.stdout) if setting is None else setting


def _run_info(fail_on: str, checked: str) -> RunInfo:
    from babelreg import __version__
    from babelreg.report import RunInfo

    context = click.get_current_context(silent=True)
    least = Severity.ERROR if fail_on == "never" else Severity(fail_on)
    return RunInfo(context.command_path if context else "babelreg", __version__, checked, least)


def _rendered(findings: Sequence[Finding], style: str, run_info: RunInfo, *, colour: bool = False) -> str:
    from babelreg.report import render

    if style in _BY_REPOSITORY:
        findings = _by_repository(findings)
    if style == "sarif":
        from babelreg.cli.manual.rule_catalog import texts

        run_info = run_info._replace(rules=texts({finding.rule for finding in findings}))
    return render(findings, style, colour=colour, run_info=run_info)


def _by_repository(findings: Sequence[Finding]) -> Sequence[Finding]:
    """Return the findings with paths relative to the top of the repository."""
    return [replace(f, place=f.place._replace(path=_from_top(f.place.path))) for f in findings]


@lru_cache(maxsize=4096)  # validate asks for every message
def _from_top(path: str) -> str:
    current = Path.cwd()
    top = _top(current)
    if top is None:
        return path
    relative = os.path.relpath(os.path.normpath(current / path), top)
    return path if relative.startswith(os.pardir) else relative.replace(os.sep, "/")


def _top(start: Path) -> Path | None:
    for folder in (start, *start.parents):
        if (folder / ".git").exists():
            return folder
    workspace = os.environ.get("GITHUB_WORKSPACE") or os.environ.get("CI_PROJECT_DIR")
    return Path(workspace) if workspace and Path(workspace) in (start, *start.parents) else None


def _write_job_summary(findings: Sequence[Finding], run_info: RunInfo) -> None:
    """Write the summary of the job, and a note if GitHub does not show all findings."""
    from babelreg.finding import counts
    from babelreg.report import render
    from babelreg.report.styles.github import MAX_SHOWN

    if max(counts(findings).values()) > MAX_SHOWN:
        note = (
            f"GitHub shows {MAX_SHOWN} annotations of each severity per step; the log has all {len(findings)} findings"
        )
        click.echo(note, err=True)
    page = os.environ.get("GITHUB_STEP_SUMMARY")
    if page:
        try:
            with Path(page).open("ab") as file:
                file.write(f"{render(findings, 'markdown', run_info=run_info)}\n".encode(errors="backslashreplace"))
        except OSError as err:
            click.echo(f"the summary of the job was not written: {err.strerror}", err=True)


def write_report(path: Path, text: str) -> None:
    """Write the file atomically; anything but a regular file (a pipe, /dev/stdout) is written in place."""
    body = text.encode(errors="backslashreplace")
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(body)
            return
        from babelreg.atomic_write import write_whole

        write_whole(Path(os.path.realpath(path)), body)
    except OSError as err:
        raise cannot_write(path, err) from err


def cannot_write(path: Path, error: OSError) -> UsageError:
    """Return the error of a report that could not be written."""
    fix = "choose a file in an existing, writable folder"
    return UsageError(f"cannot write {path}: {error.strerror}", fix=fix)
