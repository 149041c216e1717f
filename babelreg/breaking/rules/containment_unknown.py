"""The change could be neither proved compatible nor shown to be breaking.

A search met no document that shows a break, and no proof was found either. This counts as breaking: a gate that
lets through what it does not understand is none. The finding names the keyword that could not be decided. Writing that
keyword in simpler words (no look-around in a pattern, no recursion) often gives an answer.

Where it does not and you know better, accept it: the finding has the waiver to paste. It holds until that keyword
changes, whatever else does. Once both versions are published, the unknown is history.

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

    Keep the keyword as it is published, or write it in simpler words. Where that does not help, mint the next version:
    two versions side by side need no proof. Or paste the waiver that the finding shows, with your reason.
"""

from __future__ import annotations

from babelreg.finding import Severity

severity = Severity.ERROR
