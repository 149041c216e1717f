"""Settings of inference: the detectors of lint, and its words."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from babelreg.analysis.infer.new_files import InferenceOptions

__all__ = ["inference_options"]


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
