"""The change could be neither proved compatible nor shown to be breaking.

The search found neither a document that shows a break nor a proof of compatibility. This counts as breaking: a gate
must not let through what it does not understand. The finding names the undecided keyword. A simpler form (no
look-around in a pattern, no recursion) often gives an answer.

If it does not and you know better, accept it: the finding has a waiver to paste, which applies until that keyword
changes. Once both versions are published, the finding disappears.

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

    Keep the published keyword, or simplify it. If that does not help, mint the next version: two versions side by side
    need no proof. Or paste the waiver that the finding shows, with your reason.
"""

from __future__ import annotations

from babelreg.finding import Severity

severity = Severity.ERROR
