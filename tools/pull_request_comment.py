"""Comment of a job on its pull request: written once, and updated by later runs.

``python tools/pull_request_comment.py FILE`` sends the Markdown in FILE to the pull request of the event that started
the job, with the job's own token (``GITHUB_TOKEN``). The comment is found again by the first line of FILE, a mark,
among those that a bot wrote: a person's comment with the same mark is left alone. A job that a fork's pull request
started has no token that may write: nothing is sent then, and the summary of the job has the text.

Exit 0, also where the comment could not be written, which is an annotation; 2 for wrong use. The action calls it; it
needs nothing but Python.
"""

from __future__ import annotations

import json
import os
import re
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

MAX_CHARACTERS = 65_000
PAGE, MOST_PAGES = 100, 30
SECONDS = 30


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    if os.environ.get("GITHUB_EVENT_NAME") == "pull_request_target":
        print("::error title=babelreg::run the action on pull_request: pull_request_target gives its token to the code")
        return 2
    text = Path(arguments[0]).read_text("utf-8")
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text("utf-8"))
    request = event.get("pull_request")
    if not request:
        print("not a pull request: the summary of the job has the report")
        return 0
    if is_fork(request) or not os.environ.get("GITHUB_TOKEN"):
        print("a pull request of a fork, or no token: the summary of the job has the report")
        return 0
    try:
        url = write(text[:MAX_CHARACTERS], int(request["number"]))
    except urllib.error.HTTPError as err:
        hint = (
            "give the job `permissions: {contents: read, pull-requests: write}`"
            if err.code in (401, 403)
            else "see the log"
        )
        print(f"::warning title=babelreg::the comment was not written (HTTP {err.code}): {hint}")
    except (urllib.error.URLError, TimeoutError, ValueError) as err:
        print(f"::warning title=babelreg::the comment was not written: {type(err).__name__}")
    else:
        print(f"comment: {url}")
    return 0


def is_fork(request: dict[str, Any]) -> bool:
    """Return True where the head is in another repository than the base, or in one that is gone."""
    head, base = request["head"].get("repo"), request["base"]["repo"]
    return head is None or head["full_name"] != base["full_name"]


def write(text: str, number: int) -> str:
    """Update the job's comment on the pull request, or add it; return its address."""
    repository = os.environ["GITHUB_REPOSITORY"]
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", repository):
        raise ValueError(repository)
    api = f"{os.environ.get('GITHUB_API_URL', 'https://api.github.com')}/repos/{repository}/issues"
    known = written_before(f"{api}/{number}/comments", text.partition("\n")[0])
    if known is None:
        return str(call("POST", f"{api}/{number}/comments", {"body": text})["html_url"])
    if known["body"] == text:
        return str(known["html_url"])
    return str(call("PATCH", f"{api}/comments/{int(known['id'])}", {"body": text})["html_url"])


def written_before(url: str, mark: str) -> dict[str, Any] | None:
    """Return the first comment that a bot wrote and that begins with ``mark``; None where there is none."""
    for page in range(1, MOST_PAGES + 1):
        comments = call("GET", f"{url}?per_page={PAGE}&page={page}")
        for comment in comments:
            if comment["user"]["type"] == "Bot" and comment["body"].startswith(mark):
                return dict(comment)
        if len(comments) < PAGE:
            return None
    return None


def call(method: str, url: str, body: Any = None) -> Any:
    """Return the answer of GitHub's API."""
    request = urllib.request.Request(
        url,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}",
            "Accept": "application/vnd.github+json",
            "Content-Type": "application/json",
            "X-GitHub-Api-Version": "2022-11-28",
        },
    )
    with urllib.request.urlopen(request, timeout=SECONDS) as answer:
        return json.load(answer)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
