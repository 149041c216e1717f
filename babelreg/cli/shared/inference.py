"""Settings of inference: the detectors of lint, and its words."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from babelreg.analysis.infer.message_names import NameRules
    from babelreg.analysis.infer.new_files import InferenceOptions
    from babelreg.model import Urn


def _category_of_name(name: str) -> str | None:
    """Return the category of personal data of a field with this name, None where it is likely none."""
    from babelreg.lint.privacy.pii_names import guess_pii
    from babelreg.lint.schema.field import words

    guess = guess_pii(words(name))
    return guess.category if guess else None


def inference_options(
    owner: str | None = None, status: str = "draft", tolerance: Fraction = Fraction(0), *, writes_values: bool = True
) -> InferenceOptions:
    """Return the settings of an inference; see :class:`InferenceOptions`."""
    from babelreg.analysis.infer.new_files import InferenceOptions
    from babelreg.analysis.infer.schema import Decisions
    from babelreg.lake.traffic.detection import detectors
    from babelreg.lint.english import VerbForm, form

    kinds = {VerbForm.PAST: "event", VerbForm.BASE: "command"}
    return InferenceOptions(
        detectors(),
        _category_of_name,
        lambda name: kinds.get(form(name)),
        owner,
        status,
        Decisions(tolerance=tolerance, writes_values=writes_values),
    )


def name_rules() -> NameRules:
    """Return the rules for names of recorded messages: those of imports and of lint."""
    from babelreg.analysis.infer.message_names import NameRules

    return NameRules(_proposed, _holds_data, _misspelt)


def _proposed(context: str, words: str) -> Urn:
    from babelreg.exchange.urn_guess import UrnGuess, context_of

    urn, _ = UrnGuess().guess(context_of(context) or "messages", words)
    return urn


def _holds_data(name: str) -> bool:
    from babelreg.lint.naming.urn_identifiers import identifier_in
    from babelreg.lint.privacy.publishable import is_publishable

    return identifier_in(name) is not None or not is_publishable((), name)


def _misspelt(urns: Collection[Urn]) -> frozenset[Urn]:
    from babelreg.lint.naming.version_spelling import misspelt_version

    declared = frozenset(urns)
    return frozenset(urn for urn in urns if misspelt_version(urn, declared) is not None)
