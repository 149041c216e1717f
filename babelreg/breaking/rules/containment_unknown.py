"""The change could be neither proved compatible nor shown to be breaking.

A search met no document that shows a break, and the prover is not sure either. This counts as breaking: a gate that
lets through what it does not understand is none. Splitting the change, or writing the schema in simpler words (fewer
patterns, none with look-around, no recursion), often gives an answer.

Bad::

    # before
    data:
      type: object
      properties:
        ref: {type: string, pattern: "^(?!tmp)[a-z]+$"}
    # after
    data:
      type: object
      properties:
        ref: {type: string, pattern: "^(?!tmp)[a-z][a-z]*$"}

Good::

    # before
    data:
      type: object
      properties:
        ref: {type: string, pattern: "^[a-z]+$"}
    # after
    data:
      type: object
      properties:
        ref: {type: string, pattern: "^[a-z][a-z]*$"}

Fix::

    Make the change in steps that can be proved, or write the schema in simpler words. Where that does not help, mint
    the next version: two versions side by side need no proof.
"""

from __future__ import annotations

from babelreg.finding import Severity

severity = Severity.ERROR
