"""Instructions to configure and waive one rule: sentences with lines to paste."""

from __future__ import annotations

from babelreg.lint.defects import PAGES
from babelreg.lint.manual.catalog import RuleEntry
from babelreg.lint.waivers import UNWAIVABLE


def configuration_help(entry: RuleEntry) -> list[tuple[str, str]]:
    """Return pairs of a sentence and a block to paste, which may be empty."""
    if entry.rule in PAGES:
        return [("It can be neither switched off nor waived, because all other findings depend on the file.", "")]
    other = "off" if entry.severity.value == "error" else "error"
    instructions = [
        (
            "To change its severity or switch it off, in babelreg.yaml:",
            _SEVERITY.format(rule=entry.rule, severity=other),
        ),
        ("For some of the files:", _PATHS.format(rule=entry.rule)),
    ]
    if entry.rule in UNWAIVABLE:
        return [*instructions, ("It cannot be waived, because it is about waivers.", "")]
    printed = "`babelreg lint --format waivers` prints an entry of the settings for each finding."
    return [
        *instructions,
        ("For one finding, a comment on its line or directly above it:", _WAIVER.format(rule=entry.rule)),
        (printed, ""),
    ]


_SEVERITY = """\
lint:
  rules:
    {rule}: {severity}  # error, warning, info or off
"""
_PATHS = """\
lint:
  paths:
    - path: orders/  # a folder, a file, or a pattern such as *.v1.yaml
      rules: {{{rule}: off}}
"""
_WAIVER = """\
# babelreg: allow {rule} until 2027-03-31 -- why it is acceptable here
"""
