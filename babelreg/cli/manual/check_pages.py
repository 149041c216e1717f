"""The pages of findings that no rule makes: those of ``gen --check``, ``format`` and a service's lock."""

from __future__ import annotations

from typing import NamedTuple

from babelreg.finding import Severity


class Check(NamedTuple):
    """The command that reports it, its severity, and its page in the layout of a rule's docstring."""

    verb: str
    severity: Severity
    docstring: str


_GENERATED = """
Generated files are checked in, so that reviewers see what a change of the registry does to code, and so that nobody
needs babelreg to build. They are worth that only while they say what the registry says.

Bad::

    $ babelreg gen python --out src --check
    {bad}

Good::

    $ babelreg gen python --out src --check
    src: up to date

Fix::

    Run the command that the finding names; it is `babelreg gen` with the options of the check. Commit what it writes.
"""
_LOCKED = """
A service's code is generated from the state that babelreg.lock pins. The registry has changed since, and a service that
sends or reads this message with the old code may break.

Bad::

    $ babelreg gen python --check
    {bad}

Good::

    $ babelreg update && babelreg gen python && babelreg gen python --check
    generated/python: up to date

Fix::

    Run `babelreg update`, which says what has changed and what of it breaks, and generate again.
"""

CHECKS: dict[str, Check] = {
    "generated-file-missing": Check(
        "gen",
        Severity.ERROR,
        "A generated file that is not there.\n"
        + _GENERATED.format(bad="src/messages/orders_created.py: error: the file is missing [generated-file-missing]"),
    ),
    "generated-file-stale": Check(
        "gen",
        Severity.ERROR,
        "A generated file that does not match the registry.\n"
        + _GENERATED.format(
            bad="src/messages/orders_created.py: error: the file does not match the registry [generated-file-stale]"
        ),
    ),
    "generated-file-extra": Check(
        "gen",
        Severity.ERROR,
        "A generated file that the registry no longer generates.\n"
        + _GENERATED.format(
            bad="src/messages/orders_gone.py: error: the registry no longer generates this file [generated-file-extra]"
        ),
    ),
    "owner-unmapped": Check(
        "gen",
        Severity.WARNING,
        """An owner without an account, which `babelreg gen codeowners` leaves out.

Nobody is asked to review a change of what this owner has. An owner that is spelled like an account, such as
`@acme/orders` or an email address, needs no entry.

Bad::

    # orders/_context.yaml
    owner: team-orders

Good::

    # babelreg.yaml
    version: 1
    owners: {team-orders: ["@acme/orders"]}

Fix::

    Name the accounts of the owner below `owners` in babelreg.yaml.
""",
    ),
    "locked-message-behind": Check(
        "gen",
        Severity.WARNING,
        "A message that has changed since babelreg.lock was written.\n"
        + _LOCKED.format(
            bad="babelreg.lock: warning: 'urn:babel:orders:created' has changed since [locked-message-behind]"
        ),
    ),
    "locked-message-unknown": Check(
        "gen",
        Severity.ERROR,
        "A locked message of which the pinned state is not on this machine.\n"
        + _LOCKED.format(
            bad="babelreg.lock: error: 'urn:babel:orders:created' changed, and how is not known "
            "[locked-message-unknown]"
        ),
    ),
    "file-unformatted": Check(
        "format",
        Severity.ERROR,
        """A file of the registry that is not laid out as `babelreg format` does it.

One layout for all files keeps changes small: a diff then shows what changed, not who wrote it.

Bad::

    kind: event
    urn: urn:babel:orders:created

Good::

    urn: urn:babel:orders:created
    kind: event

Fix::

    Run `babelreg format`; `babelreg format --diff` shows first what it would change. No value changes.
""",
    ),
    "layout-refused": Check(
        "format",
        Severity.ERROR,
        """A file whose layout `babelreg format` cannot change with certainty.

The formatter compares what a file says before and after. Where a comment or a block cannot be placed so that both say
the same, the file stays as it is.

Bad::

    data: # belongs to what follows, or to the line?
      # one comment here
    # and one there
      type: object

Good::

    # one comment above what it is about
    data:
      type: object

Fix::

    Put the comment that the finding names on a line of its own above what it is about, and run the command again.
""",
    ),
}
