"""``action.yml``: no input is ever part of a script, and the scripts do what they say whatever the inputs hold."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import commands
import pytest
import yaml

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
INSTALL, CHECK, IMPACT = ACTION["runs"]["steps"]
DEFAULTS = {f"INPUT_{name.upper().replace('-', '_')}": said["default"] for name, said in ACTION["inputs"].items()}

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")

OLD = """\
urn: urn:babel:orders:created
kind: event
description: An order was made.
producers: [orders-api]
consumers: [worker]
data:
  type: object
  properties:
    order_id: {type: integer, minimum: 1, maximum: 9007199254740991}
examples: [{order_id: 1}]
"""
NEW = OLD.replace("  properties:", "  required: [order_id]\n  properties:")
HOSTILE = [
    "; touch pwned",
    "$(touch pwned)",
    "`touch pwned`",
    "' && touch pwned '",
    '" ; touch pwned ; "',
    "\ntouch pwned\n",
    "| touch pwned",
    "${IFS}touch${IFS}pwned",
    "*",
    "--help",
    "-",
]


def run(*command: str, at: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=at, env=env, capture_output=True, text=True, encoding="utf-8", timeout=120)


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    done = run("git", *who, "-c", "protocol.file.allow=always", *arguments, at=folder)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def repositories(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a registry on main, and a branch that breaks it; and a clone of both."""
    folder = tmp_path_factory.mktemp("repositories") / "origin"
    for path, text in {
        "babelreg.yaml": "version: 1\nlint: {profile: minimal}\n",
        "orders/_context.yaml": "owner: team-orders\n",
        "orders/created.yaml": OLD,
        "_services/orders-api.yaml": "owner: team-orders\nlang: php\n",
        "_services/worker.yaml": "owner: team-orders\nlang: go\n",
    }.items():
        (folder / "registry" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "registry" / path).write_text(text)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "one")
    git(folder, "checkout", "-q", "-b", "change")
    (folder / "registry/orders/created.yaml").write_text(NEW)
    git(folder, "commit", "-q", "-a", "-m", "two")
    git(folder.parent, "clone", "-q", "-b", "change", str(folder), "work")
    return folder.parent


@pytest.fixture
def work(repositories: Path, tmp_path: Path) -> Path:
    """A clone of the repository of all tests, in which a test may work."""
    return shutil.copytree(repositories / "work", tmp_path / "work")


def step(step: dict, at: Path, temp: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a step as the runner does: its script in a file, given to bash."""
    script = temp / "script.sh"
    script.write_text(step["run"], "utf-8")
    env = {**os.environ, **DEFAULTS, "RUNNER_TEMP": str(temp), "GITHUB_ACTIONS": "true", "GITHUB_BASE_REF": "",
           **environment}  # fmt: skip
    return run("bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script), at=at, env=env)


@pytest.fixture
def check(work: Path, tmp_path: Path):
    temp = tmp_path / "temp"
    (temp / "babelreg/bin").mkdir(parents=True)
    shim = temp / "babelreg/bin/babelreg"
    shim.write_text(f'#!/bin/sh\nexec {shlex.join(commands.words())} "$@"\n')
    shim.chmod(0o755)

    def checked(at: Path = work, **environment: str) -> subprocess.CompletedProcess[str]:
        return step(CHECK, at, temp, **environment)

    return checked


def test_no_script_has_an_expression_in_it() -> None:
    for part in ACTION["runs"]["steps"]:
        assert "${{" not in part["run"], part["name"]
        assert part["shell"] == "bash"


def test_every_input_is_given_to_a_script_and_is_used() -> None:
    given = {value: name for part in (INSTALL, CHECK, IMPACT) for name, value in part["env"].items()}
    for name in ACTION["inputs"]:
        if name == "working-directory":
            assert CHECK["working-directory"] == "${{ inputs.working-directory }}"
            continue
        variable = given[f"${{{{ inputs.{name} }}}}"]
        assert f"${variable}" in INSTALL["run"] + CHECK["run"] + IMPACT["run"]
    assert set(ACTION["inputs"]) >= {"version", "registry", "against", "lint", "breaking", "generate-check", "sarif"}


def test_the_workflow_in_the_docs_uses_inputs_that_are_there() -> None:
    text = (ROOT / "docs" / "ci.md").read_text("utf-8")
    (block,) = [block for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL) if "jobs:" in block]
    steps = yaml.safe_load(block)["jobs"]["registry"]["steps"]
    (ours,) = [step for step in steps if step["uses"].startswith("babelreg/")]
    assert set(ours["with"]) <= set(ACTION["inputs"])
    assert steps[0]["with"] == {"fetch-depth": 0}
    told = text.partition("## GitHub Actions")[2].partition("\n## ")[0]
    assert [name for name in ACTION["inputs"] if f"`{name}`" not in told and name not in ours["with"]] == []


def test_on_a_pull_request_the_break_is_found_against_its_base(check, work) -> None:
    page = work / "summary.md"
    done = check(GITHUB_BASE_REF="main", INPUT_REGISTRY="registry", GITHUB_STEP_SUMMARY=str(page))
    assert done.returncode == 1, done.stdout + done.stderr
    assert "::error file=registry/orders/created.yaml,line=8,col=13,title=property-required::" in done.stdout
    assert [line for line in page.read_text().splitlines() if line.startswith("###")] == [
        "### babelreg lint: no findings in 1 message",
        "### babelreg breaking: 1 error in 1 file (1 of 1 message compared)",
    ]


@pytest.mark.parametrize(
    "inputs, code, said",
    [
        pytest.param({}, 0, "", id="on a push nothing is compared"),
        pytest.param({"INPUT_BREAKING": "true", "INPUT_AGAINST": "origin/main"}, 1, "property-required", id="on demand"),
        pytest.param({"INPUT_BREAKING": "false", "GITHUB_BASE_REF": "main"}, 0, "", id="not on demand"),
        pytest.param({"INPUT_ARGS": "--profile  nosuch"}, 2, "babelreg lint could not be run", id="wrong options"),
        pytest.param({"INPUT_LINT": "perhaps"}, 2, "the input 'lint' is neither true nor false", id="no truth value"),
        pytest.param({"INPUT_GENERATE_CHECK": "docs --out docs\n\n"}, 1, "nothing has been generated here yet", id="files that are behind"),
        pytest.param({"GITHUB_BASE_REF": "main", "INPUT_FAIL_ON": "never"}, 0, "property-required", id="never fail"),
        pytest.param({"GITHUB_BASE_REF": "main", "INPUT_FORMAT": "text"}, 1, "error: property", id="as text"),
    ],
)  # fmt: skip
def test_inputs(inputs: dict[str, str], code: int, said: str, check) -> None:
    done = check(INPUT_REGISTRY="registry", **inputs)
    assert done.returncode == code, done.stdout + done.stderr
    assert said in done.stdout + done.stderr


@pytest.mark.parametrize(
    "inputs, code, said",
    [
        pytest.param({"GITHUB_BASE_REF": "main"}, 1, "file=plain/a.json,line=1,", id="on a pull request"),
        pytest.param({}, 0, "", id="on a push nothing is compared"),
        pytest.param({"GITHUB_BASE_REF": "main", "INPUT_REGISTRY": "registry"}, 1, "property-required",
                     id="beside a registry"),
    ],
)  # fmt: skip
def test_plain_schemas_need_no_registry(inputs: dict[str, str], code: int, said: str, check, work) -> None:
    (work / "plain").mkdir()
    (work / "plain" / "a.json").write_text('{"type": "object", "properties": {"x": {"type": "integer"}}}')
    git(work, "checkout", "-q", "-B", "base", "origin/main")
    git(work, "add", "plain")
    git(work, "commit", "-q", "-m", "plain")
    git(work, "update-ref", "refs/remotes/origin/main", "HEAD")
    git(work, "checkout", "-q", "change")
    git(work, "rebase", "-q", "base")
    (work / "plain" / "a.json").write_text('{"type": "object", "properties": {"x": {"type": "string"}}}')
    done = check(INPUT_SCHEMAS="plain", **inputs)
    assert done.returncode == code, done.stdout + done.stderr
    assert said in done.stdout
    assert ("type-changed" in done.stdout) == (code == 1)


def test_sarif_for_each_check(check, work) -> None:
    check(INPUT_REGISTRY="registry", GITHUB_BASE_REF="main", INPUT_SARIF="out/sarif files")
    ids = {}
    for file in (work / "out/sarif files").iterdir():
        run = json.loads(file.read_text("utf-8"))["runs"][0]
        ids[file.name] = (run["automationDetails"]["id"], len(run["results"]))
    assert ids == {"lint.sarif": ("babelreg-lint/", 0), "breaking.sarif": ("babelreg-breaking/", 1)}


def test_a_shallow_clone_is_told_what_to_do(check, repositories, tmp_path) -> None:
    git(tmp_path, "clone", "-q", "-b", "change", "--depth", "1", f"file://{repositories / 'origin'}", "shallow")
    done = check(at=tmp_path / "shallow", GITHUB_BASE_REF="main", INPUT_REGISTRY="registry")
    assert done.returncode == 2
    assert "`fetch-depth: 0` under actions/checkout" in done.stderr


WHOLE = {
    "INPUT_REGISTRY": ("--registry={}", 3),
    "INPUT_SCHEMAS": ("--\0{}", 1),
    "INPUT_AGAINST": ("--against={}", 1),
    "INPUT_FAIL_ON": ("--fail-on={}", 3),
    "INPUT_FORMAT": ("--format={}", 4),
    "INPUT_SARIF": ("--output=sarif:{}/lint.sarif", 1),
    "GITHUB_BASE_REF": ("--against=origin/{}", 2),
}
"""The word of an input, and how many commands of the script have it: lint, breaking twice, and gen."""


ALONE = ("INPUT_LINT", "INPUT_BREAKING", "INPUT_AGAINST")
"""The first two end the script where they are no truth value; where the third is given, the base is not looked at."""
TOGETHER = (*sorted({*DEFAULTS} & {*CHECK["env"]} - {*ALONE}), "GITHUB_BASE_REF")


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("names", [TOGETHER, *((name,) for name in ALONE)], ids=["the others", *ALONE])
def test_no_input_is_ever_run(names: tuple[str, ...], hostile: str, tmp_path) -> None:
    """With a babelreg that writes down what it was given."""
    shim = tmp_path / "babelreg/bin/babelreg"
    shim.parent.mkdir(parents=True)
    shim.write_text('#!/bin/sh\nprintf \'%s\\0\' "$@" >> "$RUNNER_TEMP/given"\n')
    shim.chmod(0o755)
    (tmp_path / "at").mkdir()
    done = step(CHECK, tmp_path / "at", tmp_path, **{"INPUT_BREAKING": "true", **dict.fromkeys(names, hostile)})
    assert not list(tmp_path.rglob("pwned"))
    assert "syntax error" not in done.stderr
    if wanted := {WHOLE[name][0].format(hostile): WHOLE[name][1] for name in names if name in WHOLE}:
        given = "\0" + (tmp_path / "given").read_text("utf-8")
        assert {word: given.count(f"\0{word}\0") for word in wanted} == wanted, (
            "an input is one word, as it was written"
        )


def test_options_are_split_at_spaces_and_nothing_else(tmp_path) -> None:
    shim = tmp_path / "babelreg/bin/babelreg"
    shim.parent.mkdir(parents=True)
    shim.write_text("#!/bin/sh\nprintf '<%s>' \"$@\"\necho\n")
    shim.chmod(0o755)
    done = step(
        CHECK, tmp_path, tmp_path, INPUT_ARGS=" --a  '*'\n$HOME ", INPUT_GENERATE_CHECK="python --out *\n\ndocs"
    )
    assert done.stdout.splitlines() == [
        "<lint><--fail-on=error><--a><'*'><$HOME>",
        "<gen><python><--check><--no-cache><--out><*>",
        "<gen><docs><--check><--no-cache>",
    ]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_version_is_ever_run(hostile: str, work, tmp_path) -> None:
    done = install(work, tmp_path, INPUT_VERSION=hostile)
    assert not list(tmp_path.rglob("pwned"))
    asked = re.findall(r"^pip: (.*)$", done.stdout, re.MULTILINE)
    assert asked in ([], [f"babelreg=={hostile}"])


def install(work: Path, tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The step that installs, with a pip that only says what it was asked for."""
    shims = tmp_path / "shims"
    shims.mkdir()
    python = shims / "python3"
    python.write_text(
        f'#!/bin/sh\ncase "$*" in "-I -m venv "*) mkdir -p "$4/bin"; cp "$0" "$4/bin/python";; '
        f'"-I -m pip install "*) for last; do case $last in *.txt) echo "with $last";; esac; done; echo "pip: $last";; *) exec "{sys.executable}" "$@";; esac\n'
    )
    python.chmod(0o755)
    path = f"{shims}{os.pathsep}{os.environ['PATH']}"
    return step(INSTALL, work, tmp_path, PATH=path, ACTION_FOLDER="/the/action", **environment)


@pytest.mark.parametrize(
    "version, asked",
    [
        pytest.param(
            "", "with /the/action/constraints.txt\npip: /the/action\n", id="its own, with pinned requirements"
        ),
        pytest.param("0.1.0", "pip: babelreg==0.1.0\n", id="another one"),
    ],
)
def test_what_is_installed(version: str, asked: str, work, tmp_path) -> None:
    done = install(work, tmp_path, INPUT_VERSION=version)
    assert (done.returncode, done.stdout) == (0, asked), done.stderr


def test_a_module_in_the_repository_is_not_taken_for_pip(work, tmp_path) -> None:
    for name in ("venv.py", "pip.py", "ensurepip.py"):
        (work / name).write_text("open('pwned', 'w')\n")
    temp = tmp_path / "temp"
    temp.mkdir()
    (temp / "constraints.txt").touch()
    # A folder that is no package: pip itself runs, says so, and nothing is fetched.
    done = step(INSTALL, work, temp, ACTION_FOLDER=str(temp))
    assert done.returncode != 0
    assert "Neither 'setup.py' nor 'pyproject.toml' found" in done.stderr
    assert not (work / "pwned").exists()


BODY = {
    "job": "urn:babel:orders:created", "trace_id": "t", "data": {}, "attempts": 0,
    "meta": {"id": "m", "queue": "orders", "lang": "php", "schema_version": 1, "created_at": 1_795_780_800_000},
}  # fmt: skip
MARK = "<!-- babelreg impact -->"
TOKEN = "ghs_secret"


class GitHubApi:
    """Comments of a pull request, and the requests that came; ``refuses`` is the status of all answers where it is set."""

    def __init__(self) -> None:
        self.comments: list[dict[str, Any]] = []
        self.requests: list[tuple[str, str]] = []
        self.refuses: int | None = None
        self.url = ""

    def add(self, body: str, kind: str = "Bot") -> None:
        number = len(self.comments) + 1
        self.comments.append({"id": number, "body": body, "html_url": f"u{number}", "user": {"type": kind}})

    def answer(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        self.requests.append((method, path.partition("?")[0]))
        if self.refuses:
            return self.refuses, {}
        if method == "GET":
            page = int(path.rpartition("page=")[2])
            return 200, self.comments[100 * (page - 1) : 100 * page]
        if method == "POST":
            self.add(body["body"])
            return 201, self.comments[-1]
        comment = self.comments[int(path.rpartition("/")[2]) - 1]
        comment["body"] = body["body"]
        return 200, comment


@pytest.fixture
def api() -> Iterator[GitHubApi]:
    served = GitHubApi()

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            assert self.headers["Authorization"] == f"Bearer {TOKEN}"
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            status, value = served.answer(self.command, self.path, body)
            content = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = _answer

        def log_message(self, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_port}"
    yield served
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def report(work, tmp_path, api, check):
    """A function that runs the step of the action on a pull request."""
    (work / "messages.jsonl").write_text(json.dumps(BODY) + "\n")
    python = tmp_path / "temp/babelreg/bin/python"
    python.symlink_to(sys.executable)
    event = tmp_path / "event.json"

    def reported(head: str | None = "o/r", **environment: str) -> subprocess.CompletedProcess[str]:
        repository = {"full_name": head} if head else None
        request = {"number": 7, "head": {"repo": repository}, "base": {"repo": {"full_name": "o/r"}}}
        event.write_text(json.dumps({"pull_request": request}))
        given = {
            "GITHUB_BASE_REF": "main", "GITHUB_EVENT_PATH": str(event), "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_API_URL": api.url, "GITHUB_REPOSITORY": "o/r", "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
            "INPUT_REGISTRY": "registry", "INPUT_IMPACT_MESSAGES": "messages.jsonl", "INPUT_TOKEN": TOKEN,
            "ACTION_FOLDER": str(ROOT),
        }  # fmt: skip
        return step(IMPACT, work, tmp_path / "temp", **{**given, **environment})

    return reported


def test_a_second_run_updates_the_comment(report, api, work):
    api.add("a review", "User")
    first = report()
    assert first.returncode == 1, first.stdout + first.stderr
    body = api.comments[1]["body"]
    assert body.startswith(f"{MARK}\n### babelreg impact: 1 message")
    assert "property 'order_id' became required" in body
    (work / "messages.jsonl").write_text(2 * (json.dumps(BODY) + "\n"))
    report()
    assert len(api.comments) == 2
    assert "2 messages" in api.comments[1]["body"]
    report()
    assert [method for method, _ in api.requests] == ["GET", "POST", "GET", "PATCH", "GET"]
    assert {path for _, path in api.requests} == {"/repos/o/r/issues/7/comments", "/repos/o/r/issues/comments/2"}


def test_a_comment_of_a_person_is_left_alone(report, api):
    api.add(f"{MARK}\nmine", "User")
    report()
    assert api.comments[0]["body"] == f"{MARK}\nmine"
    assert len(api.comments) == 2


def test_the_comment_is_found_on_a_later_page(report, api):
    for _ in range(120):
        api.add("talk", "User")
    api.add(f"{MARK}\nold")
    report()
    assert len(api.comments) == 121
    assert api.comments[-1]["body"] != f"{MARK}\nold"


@pytest.mark.parametrize(
    "head", [pytest.param("other/r", id="of a fork"), pytest.param(None, id="of a fork that is gone")]
)
def test_a_fork_gets_the_summary_of_the_job_alone(report, api, head, tmp_path):
    done = report(head)
    assert done.returncode == 1
    assert api.requests == []
    assert (tmp_path / "summary.md").read_text().startswith(MARK)


def test_a_token_that_may_not_write_is_a_warning(report, api):
    api.refuses = 403
    done = report()
    assert done.returncode == 1
    assert "::warning title=babelreg::the comment was not written (HTTP 403): give the job `permissions:" in done.stdout
    assert TOKEN not in done.stdout + done.stderr


def test_pull_request_target_is_refused(report, api):
    done = report(GITHUB_EVENT_NAME="pull_request_target")
    assert done.returncode == 2
    assert api.requests == []


def test_a_share_lets_the_change_pass(report):
    assert report(INPUT_IMPACT_FAIL_ABOVE="99%").returncode == 1
    assert report(INPUT_IMPACT_WINDOW="1d").returncode in (0, 1)


def test_messages_that_are_not_there_fail_without_a_comment(report, api):
    done = report(INPUT_IMPACT_MESSAGES="nowhere")
    assert done.returncode == 2
    assert "babelreg impact could not be run" in done.stdout
    assert api.requests == []


@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_input_of_the_step_is_ever_run(report, work, hostile):
    names = ("INPUT_IMPACT_MESSAGES", "INPUT_IMPACT_WINDOW", "INPUT_IMPACT_FAIL_ABOVE", "INPUT_REGISTRY")
    report(**dict.fromkeys(names, hostile))
    assert not list(work.rglob("pwned"))
