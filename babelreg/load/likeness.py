"""Whether a file means to be a message, though nobody could read it or its URN is misspelt."""

from __future__ import annotations

import re

__all__ = ["like_a_message"]

_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
# Keys at the margin that only a message has together. A manifest of Kubernetes has a kind and data, and says ConfigMap.
_KEY = re.compile(
    rb"^[\"']?(?:(?P<name>urn|data|producers|consumers|supersedes|retired_on|counterexamples)[\"']?[ \t]*:"
    rb"|(?P<kind>kind)[\"']?[ \t]*:[ \t]*[\"']?(?:event|command)\b)",
    re.MULTILINE,
)


def like_a_message(body: bytes) -> bool:
    """True when ``body`` speaks of a URN of ours, or has the keys of a message, in whatever state it is."""
    if body.startswith(_UTF_16):
        body = body.decode("utf-16", "replace").encode()
    if b"urn:babel:" in body:
        return True
    keys = {match["name"] or match["kind"] for match in _KEY.finditer(body.removeprefix(b"\xef\xbb\xbf"))}
    return len(keys) > 1 and bool(keys & {b"urn", b"kind"})
