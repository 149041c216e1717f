"""Manual pages of findings without a rule: those of ``gen --check``, ``format`` and the lock of a service."""

from __future__ import annotations

from typing import NamedTuple

from babelreg.finding import Severity


class Check(NamedTuple):
    """The command that reports it, its severity, and its page in the layout of a rule's docstring."""

    verb: str
    severity: Severity
    docstring: str


_GENERATED = """
Generated files are checked in so that reviewers see how a change of the registry affects the code, and so that builds
do not need babelreg. This works only if the files match the registry.

Bad::

    $ babelreg gen python --out src --check
    {bad}

Good::

    $ babelreg gen python --out src --check
    src: up to date

Fix::

    Run the command of the finding: `babelreg gen` with the options of the check. Commit the files that it writes.
"""
_LOCKED = """
The code of a service is generated from the state that babelreg.lock pins. The registry has changed since, and a service
that sends or reads this message with the old code may break.

Bad::

    $ babelreg gen python --check
    {bad}

Good::

    $ babelreg update && babelreg gen python && babelreg gen python --check
    generated/python: up to date

Fix::

    Run `babelreg update`, which lists the changes and those that break the service, and generate the code again.
"""

CHECKS: dict[str, Check] = {
    "generated-file-missing": Check(
        "gen",
        Severity.ERROR,
        "A generated file that is missing.\n"
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

Nobody is asked to review changes of this owner's files. An owner that is spelled like an account, such as
`@acme/orders` or an email address, needs no entry.

Bad::

    # orders/_context.yaml
    owner: team-orders

Good::

    # babelreg.yaml
    version: 1
    owners: {team-orders: ["@acme/orders"]}

Fix::

    List the accounts of the owner in `owners` of babelreg.yaml.
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
        "A locked message whose pinned state is not on this machine.\n"
        + _LOCKED.format(
            bad="babelreg.lock: error: 'urn:babel:orders:created' changed in an unknown way [locked-message-unknown]"
        ),
    ),
    "file-unformatted": Check(
        "format",
        Severity.ERROR,
        """A registry file that is not formatted as by `babelreg format`.

A common format keeps changes small: a diff shows what changed, not who wrote it.

Bad::

    kind: event
    urn: urn:babel:orders:created

Good::

    urn: urn:babel:orders:created
    kind: event

Fix::

    Run `babelreg format`. To see the changes first, run `babelreg format --diff`. No value changes.
""",
    ),
    "layout-refused": Check(
        "format",
        Severity.ERROR,
        """A file that `babelreg format` cannot format safely.

The formatter compares the contents of a file before and after. If it cannot place a comment or a block without changing
the meaning, it leaves the file unchanged.

Bad::

    data: # about this line, or about the next ones?
      # one comment here
    # and one there
      type: object

Good::

    # one comment above its key
    data:
      type: object

Fix::

    Put the comment that the finding shows on a separate line above the key that it belongs to, and run the command
    again.
""",
    ),
}
