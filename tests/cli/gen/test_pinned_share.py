"""``babelreg gen`` in a service's own repository: its part of the registry, as the lock pins it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[3] / "registry.example"
SETTINGS = "version: 1\nservice: orders-api\nregistry: {registry}\ngen:\n  python: {{out: src, package: events}}\n"


def git(folder: Path, *args: str) -> str:
    who = {f"GIT_{role}_{what}": "a@b" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = {**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull}
    return subprocess.run(
        ["git", *args], cwd=folder, env=env, capture_output=True, text=True, check=True
    ).stdout.strip()


def commit(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "change")


@pytest.fixture
def registry(tmp_path, monkeypatch, run):
    """A copy of the example registry; the current folder is the repository of orders-api, pinned and generated."""
    shutil.copytree(EXAMPLE, tmp_path / "registry")
    (tmp_path / "service").mkdir()
    monkeypatch.chdir(tmp_path / "service")
    monkeypatch.setenv("BABELREG_CACHE_DIR", str(tmp_path / "cache"))
    Path("babelreg.service.yaml").write_text(SETTINGS.format(registry="{path: ../registry}"))
    assert run("update")[0] == 0
    assert run("gen", "python")[0] == 0
    return tmp_path / "registry"


def edit(registry: Path, old: str, new: str, file: str = "orders/cancelled.yaml") -> None:
    path = registry / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def break_it(registry: Path) -> None:
    edit(registry, "required: [order_id, reason]", "required: [order_id, reason, cancelled_at]")


def test_only_what_the_service_has_a_part_in_is_written(registry):
    modules = {path.stem for path in Path("src/events").glob("[a-z]*_*.py")}
    assert "billing_payment_captured" in modules  # it consumes this one
    assert "orders_cancelled" in modules  # and produces this one
    assert not {name for name in modules if name.startswith(("media", "customers", "notifications"))}
    assert "Producer" not in Path("src/events/billing_payment_captured.py").read_text()
    assert "class OrdersCancelledProducer" in Path("src/events/orders_cancelled.py").read_text()
    script = (
        "from babelqueue import BabelQueue\nfrom events import Consumer, OrdersCancelledProducer\n"
        "print(sorted(Consumer.consumes))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd="src", capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("['urn:babel:billing:payment.captured']\n", "")


CANCELLED = "  - urn: urn:babel:orders:cancelled\n"
READS = "reads: [order_id, captured_at]"


@pytest.mark.parametrize(
    "file, old, new",
    [
        pytest.param("_services/crm.yaml", "consumes:\n", f"consumes:\n{CANCELLED}", id="another consumer"),
        pytest.param("_services/orders-api.yaml", READS, f"{READS}\n    queue: paid", id="its own queue"),
        pytest.param("_services/warehouse.yaml", "lang: dotnet", "lang: node", id="a consumer's language"),
        pytest.param("_services/orders-api.yaml", READS, f"{READS}\n    expects: {{order_id: {{minimum: 1}}}}", id="its own expectation"),
        pytest.param("orders/cancelled.yaml", "status: active", "status: deprecated", id="the status"),
        pytest.param("orders/cancelled.yaml", "team-orders", "team-shop", id="the owner"),
    ],
)  # fmt: skip
def test_what_changes_the_code_makes_the_lock_outdated(registry, run, file, old, new):
    assert run("gen", "python", "--check")[0] == run("update", "--check")[0] == 0
    edit(registry, old, new, file)
    assert run("gen", "python", "--check")[0] == 0, "code is of what the lock pins"
    assert run("update", "--check")[0] == 1
    assert run("update")[0] == run("update", "--check")[0] == 0
    assert run("gen", "python", "--check")[0] == 1
    assert run("gen", "python")[0] == run("gen", "python", "--check")[0] == 0


@pytest.mark.parametrize("target", ["docs", "spark"])
def test_the_other_targets_write_the_same_part(registry, run, target):
    assert run("gen", target)[0] == 0
    written = "\n".join(str(path) for path in Path("generated").rglob("*"))
    assert "payment" in written
    assert "thumbnail" not in written
    assert "mailer" not in written


def test_a_service_in_several_languages_has_its_part_in_each(registry, run):
    settings = SETTINGS.format(registry="{path: ../registry}")
    more = "  go: {out: internal, package: events}\n  php: {out: lib}\n  typescript: {out: web/messages}\n"
    Path("babelreg.service.yaml").write_text(settings + more)
    for target in ("python", "go", "php", "typescript"):
        assert run("gen", target)[0] == 0
        assert run("gen", target, "--check")[0] == 0
    assert [path.name for path in sorted(Path("internal/events").glob("orders-*.go"))] == sorted(
        f"{path.stem.replace('_', '-')}.go" for path in Path("src/events").glob("orders_*.py")
    )
    assert Path("lib/BillingPaymentCaptured.php").is_file()
    assert not list(Path("lib").glob("Media*"))
    assert not Path("web/messages/media").exists()


def test_the_pages_of_a_service_show_the_package_that_it_has(registry, run):
    edit(registry, "lang: php", "lang: python", "_services/orders-api.yaml")
    run("update")
    assert run("gen", "docs")[0] == 0
    sent, received = (
        Path("generated/docs", name).read_text() for name in ("orders/cancelled.md", "billing/payment.captured.md")
    )
    assert ("from events.orders_cancelled import" in sent, "## Handle it" in sent) == (True, False)
    assert ("from events import" in received, "## Send it" in received, "## On the queue" in received) == (
        True,
        False,
        True,
    )


def test_what_an_upcast_starts_from_is_written_too(registry, run):
    Path("babelreg.service.yaml").write_text(
        SETTINGS.format(registry="{path: ../registry}").replace("orders-api", "warehouse")
    )
    run("update")
    assert run("gen", "python")[0] == 0
    assert Path("src/events/orders_created.py").is_file()
    assert Path("src/events/orders_created_v2.py").is_file()
    assert not Path("src/events/billing_payment_captured.py").exists()


def test_a_registry_that_is_named_is_taken_whole(registry, run):
    assert run("gen", "python", "--registry", registry, "--out", "all")[0] == 0
    assert Path("all/messages/media_thumbnail_generate.py").is_file()


def test_a_subfolder_of_the_service_is_the_service(registry, run, monkeypatch):
    monkeypatch.chdir("src")
    assert run("gen", "python", "--check")[0] == 0


def test_a_setting_that_is_none_is_told_where_it_stands(registry, run):
    path = Path("babelreg.service.yaml")
    path.write_text(path.read_text().replace("package:", "pakage:"))
    code, _, err = run("gen", "python")
    assert code == 2
    assert err.startswith("babelreg.service.yaml:5:22: error: gen.python has no setting 'pakage'")


def test_without_a_lock_it_says_what_to_do(registry, run):
    Path("babelreg.lock").unlink()
    for args in ([], ["--check"]):
        code, _, err = run("gen", "python", *args)
        assert code == 2
        assert "run `babelreg update`" in err


def test_what_is_not_pinned_is_not_generated(registry, run):
    edit(registry, "Order number.", "The number.")
    before = Path("src/events/orders_cancelled.py").read_text()
    code, _, err = run("gen", "python")
    assert code == 2
    assert "the registry has changed since babelreg.lock was written: urn:babel:orders:cancelled" in err
    assert Path("src/events/orders_cancelled.py").read_text() == before
    run("update")
    assert run("gen", "python")[0] == 0
    assert "The number." in Path("src/events/orders_cancelled.py").read_text()


def test_what_changes_for_others_is_nothing(registry, run):
    edit(registry, "status: active", "status: draft", "media/thumbnail.generated.yaml")
    assert run("gen", "python", "--check")[:2] == (0, "")
    assert run("gen", "python")[2].startswith("src: 0 written")


def test_a_harmless_change_is_a_warning_at_the_line_of_the_lock(registry, run):
    edit(registry, "Order number.", "The number.")
    code, out, err = run("gen", "python", "--check")
    line = (
        Path("babelreg.lock")
        .read_text()
        .splitlines()
        .index(next(line for line in Path("babelreg.lock").read_text().splitlines() if "orders:cancelled" in line))
    )
    assert (code, err) == (0, "src: up to date\n")
    assert out == (
        f"babelreg.lock:{line + 1}:3: warning: urn:babel:orders:cancelled has changed since, but nothing breaks: "
        "'order_id' changed its description [locked-message-behind]\n  fix: run `babelreg update` and generate again\n"
    )
    assert run("gen", "python", "--check", "--fail-on", "warning")[0] == 1


def test_a_breaking_change_is_an_error_with_whom_it_hurts(registry, run):
    break_it(registry)
    code, out, _ = run("gen", "python", "--check")
    assert code == 1
    assert "urn:babel:orders:cancelled has changed since: property 'cancelled_at' became required" in out
    assert "[property-required]" in out
    assert "against: ../registry/orders/cancelled.yaml:" in out
    assert "breaks: orders-api (producer" in out
    found = json.loads(run("gen", "python", "--check", "--format", "json")[1])
    findings = found["findings"] if isinstance(found, dict) else found
    assert [(one["rule"], one["path"]) for one in findings] == [("property-required", "babelreg.lock")]


def test_files_are_held_against_what_is_pinned_not_against_what_is_new(registry, run):
    break_it(registry)
    Path("src/events/orders_created_v2.py").unlink()
    out = run("gen", "python", "--check")[1]
    assert "[generated-file-missing]" in out
    assert "[generated-file-stale]" not in out


def test_where_the_pinned_state_is_lost_nothing_is_called_harmless(registry, run):
    edit(registry, "Order number.", "The number.")
    shutil.rmtree(registry.parent / "cache")
    code, out, _ = run("gen", "python", "--check")
    assert code == 1
    assert "so the effect is unknown [locked-message-unknown]" in out


def test_in_one_repository_the_commit_of_the_lock_has_what_was_pinned(registry, run):
    top = registry.parent
    (top / ".gitignore").write_text("cache/\n")
    git(top, "init", "-q", "-b", "main")
    commit(top)
    shutil.rmtree(top / "cache")
    edit(registry, "Order number.", "The number.")
    commit(top)
    code, out, _ = run("gen", "python", "--check")
    assert (code, "[locked-message-behind]" in out) == (0, True)


def test_a_registry_in_git_is_compared_offline_with_what_was_fetched_last(registry, run, monkeypatch):
    git(registry, "init", "-q", "-b", "main")
    commit(registry)
    Path("babelreg.service.yaml").write_text(SETTINGS.format(registry=f"{{git: '{registry.as_uri()}', ref: main}}"))
    run("update")
    run("gen", "python")
    assert run("gen", "python", "--check")[:2] == (0, "")
    break_it(registry)
    commit(registry)
    assert run("gen", "python", "--check")[:2] == (0, "")  # nothing is fetched
    assert run("update", "--check")[0] == 1
    shutil.rmtree(registry)
    code, out, err = run("gen", "python", "--check")
    assert code == 1
    assert "became required" in out
    assert err == "src: up to date\n"
    assert run("gen", "python")[2].startswith("src: 0 written")  # what is pinned is what is made


def test_a_check_of_what_has_not_changed_imports_no_generator(registry):
    script = (
        "import sys\nfrom babelreg.cli import main\n"
        "try:\n    main(['gen', 'python', '--check'])\nexcept SystemExit as ended:\n    print(ended.code)\n"
        "print([name for name in ('jinja2', 'datamodel_code_generator', 'pydantic', 'yaml') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["0", "['yaml']"]
