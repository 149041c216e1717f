"""The options of ``babelreg redrive``, resolved, and the parts of a run that all its sources share."""

from __future__ import annotations

import shlex
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from babelreg.cli.redrive.summary import as_json, as_lines
from babelreg.errors import UsageError
from babelreg.report import printable
from babelreg.suggest import closest

if TYPE_CHECKING:
    from babelreg.contract import Contract
    from babelreg.model import Registry
    from babelreg.recording.broker_url import BrokerUrl
    from babelreg.recording.redrive.redrive import Redriven

LAKE = "lake:"
"""The beginning of ``--from`` that names a folder lake instead of a queue."""

_SHOWN_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class RedriveRequest:
    """The options of one run."""

    server: BrokerUrl
    source: str
    to: str | None
    reasons: frozenset[str]
    urns: frozenset[str]
    limit: int | None
    dry_run: bool
    style: str
    registry: Registry

    @property
    def declared(self) -> dict[str, frozenset[str]]:
        """The queues of each URN: the one that producers name, and those of its consumers."""
        from babelreg.model import topology

        known = topology(self.registry)
        return {
            message.urn: frozenset(filter(None, [message.queue, *(each.queue for each in known.of_urn(message.urn))]))
            for message in self.registry.messages
        }

    @property
    def queues(self) -> frozenset[str]:
        """The queues that the registry names."""
        return frozenset().union(*self.declared.values())

    def contract(self) -> Contract:
        """Return what a message must satisfy: the same as for `babelreg validate`."""
        from babelreg.contract import Contract

        registry = self.registry
        strict = [each.urn for each in registry.messages if registry.compatibility(each.context).reader == "strict"]
        return Contract(registry.schemas, strict=strict, aliases=registry.aliases)

    def print_summary(self, result: Redriven) -> None:
        """Print the counts of a run, and on stderr what to do about messages that stay."""
        from babelreg.recording.redrive.redrive import POISON, TARGET_UNKNOWN

        if self.style == "json":
            click.echo(as_json(self.source, result, dry_run=self.dry_run))
        else:
            click.echo("\n".join(as_lines(self.source, result, dry_run=self.dry_run)))
        reasons = [reason for reason, _ in result.staying]
        if TARGET_UNKNOWN in reasons:
            click.echo("some do not have the name of their queue; set it: --to QUEUE", err=True)
        if others := sorted(set(reasons) - {POISON, TARGET_UNKNOWN}):
            click.echo(f"Next: babelreg explain {shlex.quote(others[0])}", err=True)

    def check_selected(self, result: Redriven) -> None:
        """Raise UsageError for a URN that nothing declares, and for a reason that is probably misspelt.

        A run that its limit ended has not seen all dead letters. Any word may be a reason: one that
        no dead letter has is noted.
        """
        from babelreg.contract.reason import REASONS

        if self.limit is not None and result.sent.total() >= self.limit:
            return
        for urn in sorted(self.urns - result.seen_urns - self.registry.by_name.keys()):
            near = closest(urn, {*result.seen_urns, *self.registry.by_urn})
            fix = f"did you mean '{near}'?" if near else "`babelreg list` lists the messages"
            raise UsageError(
                f"no dead letter has --urn {shlex.quote(urn)}, and the registry does not declare it", fix=fix
            )
        for reason in sorted(self.reasons - result.seen_reasons):
            text = f"no dead letter has --reason {shlex.quote(reason)}"
            known = {*result.seen_reasons, *REASONS, "failed", "unknown_urn", "poison"}
            if reason not in known and (near := closest(reason, known)):
                raise UsageError(text, fix=f"did you mean '{near}'?")
            click.echo(printable(text), err=True)


class SentCount:
    """The count of sent messages on a terminal; nothing elsewhere."""

    def __init__(self) -> None:
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        self._shown_at = time.monotonic()

    def show(self, sent: int) -> None:
        """Show a count, at most ten times a second."""
        now = time.monotonic()
        if self._terminal and now - self._shown_at >= _SHOWN_SECONDS:
            self._shown_at = now
            click.echo(f"\r\x1b[K{sent:,} messages …", err=True, nl=False)

    def clear(self) -> None:
        """Remove the count."""
        if self._terminal:
            with suppress(OSError):
                click.echo("\r\x1b[K", err=True, nl=False)
