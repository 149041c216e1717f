"""``babelreg breaking`` as a user runs it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import commands
import pytest

OLD = """\
urn: urn:babel:orders:created
kind: event
producers: [orders-api]
data:
  type: object
  properties:
    order_id: {type: integer}
"""
NEW = OLD.replace("  properties:", "  required: [order_id]\n  properties:")
REPORT = """\
orders/created.yaml:6:13: error: property 'order_id' became required [property-required]
  against: orders/created.yaml:5:3
  direction: backward, new readers refuse old data
  breaks: orders-api (producer, php, team-orders) may still send {}
  rollout: producers first: orders-api; then, once no old message is queued, consumers
  fix: make it optional again, or run `babelreg mint urn:babel:orders:created`
"""


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def babelreg(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return commands.run(*arguments, at=folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "registry"
    for path, text in {
        "babelreg.yaml": "version: 1\n",
        "orders/_context.yaml": "owner: team-orders\n",
        "orders/created.yaml": OLD,
        "_services/orders-api.yaml": "owner: team-orders\nlang: php\n",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "one")
    return root


def test_a_report_of_a_part_of_the_breaks_says_so(folder: Path) -> None:
    many = "\n    ".join(f"p{number}: {{type: string, maxLength: 9}}" for number in range(70))
    (folder / "orders/created.yaml").write_text(OLD.replace("order_id: {type: integer}", many))
    git(folder, "commit", "-aqm", "two")
    (folder / "orders/created.yaml").write_text(OLD.replace("order_id: {type: integer}", many.replace("9}", "8}")))
    done = babelreg(folder, "breaking", "--against", "HEAD")
    assert "only the first 60 breaks of a direction are listed: urn:babel:orders:created" in done.stderr


def test_compatible_verdicts_without_a_certificate_are_counted(folder: Path) -> None:
    (folder / "orders/created.yaml").write_text(OLD.replace("type: integer", "type: string, format: email"))
    git(folder, "commit", "-aqm", "two")
    longer = OLD.replace("type: integer", "type: string, format: email, maxLength: 400")
    (folder / "orders/created.yaml").write_text(longer)
    done = babelreg(folder, "breaking", "--against", "HEAD")
    assert "1 verdict compatible without a certificate: see docs/proofs.md" in done.stderr


@pytest.mark.parametrize("reference", ["#/x-d/s", "#/%78-d/s", "#/properties/b/%64efault", "#/properties/b/default"])
def test_a_break_where_a_reference_leads_into_an_annotation(reference: str, folder: Path) -> None:
    data = {"$ref": reference}
    schema = (
        f"  x-d: {{s: {{type: string}}}}\n  properties: {{a: {json.dumps(data)}, b: {{default: {{type: string}}}}}}\n"
    )
    text = OLD.partition("  properties:")[0] + schema
    (folder / "orders/created.yaml").write_text(text)
    git(folder, "commit", "-aqm", "two")
    (folder / "orders/created.yaml").write_text(text.replace("{type: string}", "{type: string, minLength: 3}"))
    done = babelreg(folder, "breaking", "--format", "json")
    assert done.returncode == 1
    assert [finding["rule"] for finding in json.loads(done.stdout)["findings"]] == ["text-length-changed"]


def test_a_break_is_reported_and_the_exit_code_is_1(folder: Path) -> None:
    (folder / "orders/created.yaml").write_text(NEW)
    done = babelreg(folder, "breaking")
    assert (done.returncode, done.stdout) == (1, REPORT)
    assert done.stderr.startswith("compared with ")
    assert "Traceback" not in done.stderr


def test_from_outside_the_paths_can_be_opened(folder: Path) -> None:
    (folder / "orders/created.yaml").write_text(NEW)
    done = babelreg(folder.parent, "breaking", "registry", "--against", "HEAD")
    assert done.stdout.startswith("registry/orders/created.yaml:6:13: ")


def test_nothing_changed(folder: Path) -> None:
    done = babelreg(folder, "breaking")
    assert (done.returncode, done.stdout) == (0, "")


def test_json_carries_the_witness(folder: Path) -> None:
    (folder / "orders/created.yaml").write_text(NEW)
    done = babelreg(folder, "breaking", "--format", "jsonl")
    found = json.loads(done.stdout)
    assert (found["rule"], found["direction"], found["witness"]) == ("property-required", "backward", {})


def test_a_path_narrows_the_report(folder: Path) -> None:
    (folder / "orders/created.yaml").write_text(NEW)
    assert babelreg(folder, "breaking", "_services").returncode == 0
    assert babelreg(folder, "breaking", "orders").returncode == 1


def test_fail_on_never(folder: Path) -> None:
    (folder / "orders/created.yaml").write_text(NEW)
    assert babelreg(folder, "breaking", "--fail-on", "never").returncode == 0


def test_what_was_compared_is_said(folder: Path) -> None:
    """The commit, how many versions, or that there is just one."""
    (folder / "orders/created.yaml").write_text(OLD.replace("order_id: {type: integer}", "number: {}"))
    git(folder, "commit", "-aqm", "two")
    (folder / "orders/created.yaml").write_text(OLD.replace("integer", "string"))
    done = babelreg(folder, "breaking", "--against", "HEAD")
    first = subprocess.run(
        ["git", "rev-parse", "HEAD~1"], cwd=folder, capture_output=True, text=True, check=True
    ).stdout
    assert f"as {first[:8]} published it [type-changed]" in done.stdout
    assert "(HEAD)\n1 message changed; compared with 2 published versions, of " in done.stderr
    git(folder, "archive", "--format=tar.gz", "-o", str(folder.parent / "old.tar.gz"), "HEAD~1", ".")
    done = babelreg(folder, "breaking", "--against", "../old.tar.gz")
    assert "compared with the archive ../old.tar.gz" in done.stderr
    assert "an archive has one version of each message" in done.stderr
    assert "[type-changed]" in done.stdout


def test_the_next_run_reads_what_was_kept_and_says_the_same(folder: Path, tmp_path: Path) -> None:
    (folder / "orders/created.yaml").write_text(NEW)
    first, second, without = (babelreg(folder, "breaking", *more) for more in ([], [], ["--no-cache"]))
    assert first.stdout == second.stdout == without.stdout == REPORT
    assert first.stderr == second.stderr == without.stderr


@pytest.mark.parametrize(
    "arguments, said",
    [
        pytest.param(["--against", "nope"], "git has no revision 'nope'", id="an unknown revision"),
        pytest.param(["nowhere"], "does not exist", id="an unknown path"),
        pytest.param(["--against", ".git#x"], "is not one of", id="an option that is none"),
    ],
)
def test_wrong_use_is_2_and_says_what_to_type(folder: Path, arguments: list[str], said: str) -> None:
    done = babelreg(folder, "breaking", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "fix: " in done.stderr
    assert "Traceback" not in done.stderr


def test_a_defective_registry_is_2(folder: Path) -> None:
    (folder / "orders/created.yaml").write_text("urn: [\n")
    done = babelreg(folder, "breaking")
    assert done.returncode == 2
    assert "orders/created.yaml:" in done.stderr


def test_fix_mints_what_breaks_and_nothing_is_left(folder: Path) -> None:
    (folder / "orders/created.yaml").write_text(NEW)
    done = babelreg(folder, "breaking", "--fix")
    assert (done.returncode, done.stdout) == (0, "orders/created.v2.yaml\norders/created.yaml\n")
    assert "nothing breaks: compared 1 of 2 messages (1 new)\n" in done.stderr
    assert (folder / "orders/created.yaml").read_text() == OLD
    assert "required: [order_id]" in (folder / "orders/created.v2.yaml").read_text()
    again = babelreg(folder, "breaking", "--fix")
    assert (again.returncode, again.stdout) == (0, "")


def test_fix_leaves_a_report_for_programs_alone(folder: Path) -> None:
    (folder / "orders/created.yaml").write_text(NEW)
    done = babelreg(folder, "breaking", "--fix", "--format", "json")
    assert json.loads(done.stdout)["findings"] == []
    assert "orders/created.v2.yaml" in done.stderr


def test_fix_mends_only_what_was_asked_about(folder: Path) -> None:
    (folder / "orders/created.yaml").write_text(NEW)
    assert babelreg(folder, "breaking", "--fix", "_services").returncode == 0
    assert (folder / "orders/created.yaml").read_text() == NEW


def test_fix_cannot_mend_a_message_that_is_gone(folder: Path) -> None:
    (folder / "orders/created.yaml").unlink()
    done = babelreg(folder, "breaking", "--fix")
    assert done.returncode == 1
    assert "[urn-removed]" in done.stdout


def test_what_was_seen_is_not_retired(folder: Path) -> None:
    free = OLD.replace("producers: [orders-api]\n", "")
    (folder / "orders/created.yaml").write_text(free)
    git(folder, "commit", "-qam", "two")
    (folder / "orders/created.yaml").write_text(
        "urn: urn:babel:orders:created\nstatus: retired\nretired_on: '2026-01-31'\n"
    )
    (folder.parent / "seen.csv").write_text("urn,count\nurn:babel:orders:created,1204\n")
    assert babelreg(folder, "breaking").returncode == 0
    done = babelreg(folder, "breaking", "--traffic", "../seen.csv")
    assert done.returncode == 1
    assert "1,204 messages of it were seen" in done.stdout


def test_counts_of_undeclared_urns_are_refused_or_noted(folder: Path) -> None:
    (folder.parent / "seen.csv").write_text("urn,count\norders:created,4\n")
    done = babelreg(folder, "breaking", "--traffic", "../seen.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        "neither registry declares any of its URNs, such as 'orders:created'\n  fix: did you mean urn:" in done.stderr
    )
    (folder.parent / "seen.csv").write_text("urn:babel:orders:created,1\nurn:babel:orders:gone,4\n")
    done = babelreg(folder, "breaking", "--traffic", "../seen.csv")
    assert done.returncode == 0
    assert "--traffic: 1 of 2 URNs are not declared, such as urn:babel:orders:gone\n" in done.stderr


def test_a_file_of_counts_that_cannot_be_read_is_2(folder: Path) -> None:
    (folder.parent / "seen.csv").write_text("urn,count\nurn:babel:orders:created,many\n")
    done = babelreg(folder, "breaking", "--traffic", "../seen.csv")
    assert done.returncode == 2
    assert "seen.csv:2:1: error: " in done.stderr
    assert "Traceback" not in done.stderr


def test_a_place_that_is_not_there_is_no_success(folder: Path) -> None:
    done = babelreg(folder.parent, "breaking", "registry", "--against", ".git#ref=HEAD,subdir=registri")
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is no registry at registri/ of " in done.stderr
    assert "subdir=registry'" in done.stderr


def test_that_the_registry_is_new_is_the_first_line(folder: Path) -> None:
    git(folder.parent, "mv", "registry", "contracts")
    git(folder.parent, "rm", "-q", "-r", "--cached", "contracts")
    git(folder.parent, "commit", "-q", "-m", "gone")
    done = babelreg(folder.parent / "contracts", "breaking", "--against", "HEAD")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.splitlines()[0].startswith("the registry is new: there was none at contracts/ of ")
    done = babelreg(folder.parent / "contracts", "breaking", "--against", "HEAD", "--format", "markdown")
    assert "the registry is new: there was none at contracts/ of " in done.stdout


def test_a_message_that_was_never_published_is_not_minted(folder: Path) -> None:
    (folder / "orders/paid.yaml").write_text(OLD.replace("created", "paid"))
    done = babelreg(folder, "mint", "urn:babel:orders:paid")
    assert (done.returncode, done.stdout) == (2, "")
    assert "urn:babel:orders:paid was never published" in done.stderr
    assert not (folder / "orders/paid.v2.yaml").exists()


FIX = "  fix: set `status: active` in the files of messages that services use\n"


@pytest.mark.parametrize(
    "before, after, line",
    [
        pytest.param(
            {},
            {"orders/paid.yaml": "status: draft\n"},
            "nothing breaks: compared 1 of 2 messages; 1 draft is not compared\n" + FIX,
            id="a new draft",
        ),
        pytest.param(
            {"orders/paid.yaml": "status: draft\n", "orders/sent.yaml": "status: draft\n"},
            {},
            "nothing breaks: compared 1 of 3 messages; 2 drafts are not compared\n" + FIX,
            id="published drafts",
        ),
        pytest.param(
            {"orders/paid.yaml": "status: draft\n"},
            {"orders/paid.yaml": ""},
            "nothing breaks: compared 1 of 2 messages; 1 draft is not compared\n" + FIX,
            id="a draft that becomes active",
        ),
        pytest.param(
            {},
            {"orders/paid.yaml": "", "orders/sent.yaml": "status: draft\n"},
            "nothing breaks: compared 1 of 3 messages (1 new); 1 draft is not compared\n" + FIX,
            id="a new message and a new draft",
        ),
        pytest.param(
            {"orders/paid.yaml": "status: draft\n", "orders/created.yaml": "status: draft\n"},
            {},
            "compared 0 of 2 messages; 2 drafts are not compared\n" + FIX,
            id="drafts only: that nothing breaks is not said",
        ),
    ],
)
def test_drafts_are_counted_apart(folder: Path, before: dict[str, str], after: dict[str, str], line: str) -> None:
    def save(files: dict[str, str]) -> None:
        for path, status in files.items():
            name = path.removeprefix("orders/").removesuffix(".yaml")
            (folder / path).write_text(OLD.replace("created", name) + status)

    save(before)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", "two")
    save(after)
    done = babelreg(folder, "breaking", "--against", "HEAD")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.endswith(f"\n{line}")


def test_every_report_counts_the_drafts_that_were_not_compared(folder: Path) -> None:
    (folder / "orders/paid.yaml").write_text(OLD.replace("created", "paid") + "status: draft\n")
    (folder / "orders/created.yaml").write_text(NEW)
    reports = ("--output", "json:a.json", "--output", "sarif:a.sarif", "--output", "junit:a.xml")
    done = babelreg(folder, "breaking", "--format", "github", *reports, "--output", "markdown:a.md")
    text = "compared 1 of 2 messages; 1 draft is not compared"
    assert done.stdout.endswith(f"::notice title=babelreg breaking::{text}\n")
    assert json.loads((folder / "a.json").read_text())["summary"] == {
        "error": 1, "warning": 0, "info": 0,
        "messages": 2, "compared": 1, "drafts": 1, "new": 0, "unreadable": 0, "waived": 0,
    }  # fmt: skip
    run = json.loads((folder / "a.sarif").read_text())["runs"][0]
    assert run["invocations"][0]["toolExecutionNotifications"] == [{"level": "note", "message": {"text": text}}]
    assert f'<skipped message="{text}" />' in (folder / "a.xml").read_text()
    page = (folder / "a.md").read_text()
    assert "1 error in 1 file (1 of 2 messages compared); 1 draft is not compared" in page
    assert "set <code>status: active</code>" in page


def test_a_baseline_that_cannot_be_read_is_counted_apart(folder: Path) -> None:
    (folder / "orders/paid.yaml").write_text(
        OLD.replace("created", "paid").replace("type: integer", "$ref: ../_common/no.yaml")
    )
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "two")
    (folder / "orders/paid.yaml").write_text(OLD.replace("created", "paid"))
    done = babelreg(folder, "breaking", "--against", "HEAD")
    assert done.returncode == 1
    assert "[containment-unknown]" in done.stdout
    assert "compared 1 of 2 messages; 1 cannot be read in the published version\n" in done.stderr
