"""The output folder of ``babelreg gen``: whose files it holds, and which of them a run may replace or remove."""

from __future__ import annotations

from pathlib import Path

import pytest

from babelreg.gen.file_list import list_name

MESSAGE = "urn: urn:babel:{context}:{name}\nkind: event\nstatus: active\nowner: t\ndata: {{type: object}}\n"


def registry(folder: Path, context: str, *names: str) -> Path:
    (folder / context).mkdir(parents=True)
    (folder / "babelreg.yaml").write_text("version: 1\n")
    (folder / context / "_context.yaml").write_text("owner: t\n")
    for name in names:
        (folder / context / f"{name}.yaml").write_text(MESSAGE.format(context=context, name=name))
    return folder


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """Two registries, ``one`` and ``two``, in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BABELREG_CACHE_DIR", str(tmp_path / "cache"))
    registry(Path("one"), "shop", "made", "paid")
    registry(Path("two"), "crm", "joined")


def held(folder: str) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(Path(folder).rglob("*")) if path.is_file()}


def test_packages_share_a_folder(run):
    assert run("gen", "python", "--registry", "one", "--package", "alpha", "--out", "src")[0] == 0
    alpha = held("src")
    code, _, err = run("gen", "python", "--registry", "two", "--package", "gamma", "--out", "src")
    assert (code, err.endswith(" 0 unchanged, 0 removed\n")) == (0, True)
    assert alpha.items() < held("src").items()
    assert Path("src/alpha/.babelreg-python.files").is_file()
    assert Path("src/gamma/.babelreg-python.files").is_file()
    assert not Path("src/.babelreg-python.files").exists()
    for name, package in (("one", "alpha"), ("two", "gamma")):
        code, _, err = run("gen", "python", "--registry", name, "--package", package, "--out", "src", "--check")
        assert (code, err) == (0, "src: up to date\n")


def test_a_package_loses_only_its_own_files(run):
    for package in ("alpha", "beta"):
        run("gen", "python", "--registry", "one", "--package", package, "--out", "src")
    Path("one/shop/paid.yaml").unlink()
    assert run("gen", "python", "--registry", "one", "--package", "alpha", "--out", "src")[2].endswith("2 removed\n")
    assert not Path("src/alpha/shop_paid.py").exists()
    assert Path("src/beta/shop_paid.py").exists()


@pytest.mark.parametrize("check", [pytest.param([], id="to write"), pytest.param(["--check"], id="to check")])
@pytest.mark.parametrize("target", ["python", "spark", "docs"])
def test_the_files_of_another_registry_stay(run, target, check):
    assert run("gen", target, "--registry", "one", "--out", "made")[0] == 0
    before = held("made")
    code, out, err = run("gen", target, "--registry", "two", "--out", "made", *check)
    assert (code, out, held("made") == before) == (2, "", True)
    assert "generated from another registry, ../" in err
    assert "--out" in err
    assert run("gen", target, "--registry", "one", "--out", "made")[0] == 0


@pytest.mark.parametrize(
    "target, path",
    [("docs", "a/b/.babelreg-docs.files"), ("spark", "a/b/.babelreg-spark.files")],
)
def test_the_list_names_the_registry_from_where_it_lies(run, target, path):
    run("gen", target, "--registry", Path("one").resolve(), "--out", "a/b")
    assert "# registry: ../../one\n" in Path(path).read_text()


def test_a_registry_that_moved_goes_on_where_nothing_else_changed(run):
    run("gen", "docs", "--registry", "one", "--out", "pages")
    Path("one").rename("contracts")
    code, _, err = run("gen", "docs", "--registry", "contracts", "--out", "pages")
    assert (code, " 0 written," in err) == (0, True)
    assert "# registry: ../contracts\n" in Path("pages/.babelreg-docs.files").read_text()


def test_a_registry_that_moved_and_changed_goes_on_as_the_fix_says(run):
    run("gen", "docs", "--registry", "one", "--out", "pages")
    Path("one").rename("contracts")
    Path("contracts/shop/paid.yaml").unlink()
    code, _, err = run("gen", "docs", "--registry", "contracts", "--out", "pages")
    assert (code, "remove the line '# registry: ../one'" in err) == (2, True)
    files = Path("pages/.babelreg-docs.files")
    files.write_text(files.read_text().replace("# registry: ../one\n", ""))
    assert run("gen", "docs", "--registry", "contracts", "--out", "pages")[0] == 0
    assert not Path("pages/shop/paid.md").exists()


def as_before(*packages: str) -> None:
    """Lay one list into ``src`` for all packages, as earlier versions did."""
    text = ""
    for package in packages:
        own = Path("src", package, list_name("python"))
        text += own.read_text()
        own.unlink()
    Path("src", list_name("python")).write_text(text)


def test_a_package_with_the_list_beside_it_is_taken_over(run):
    run("gen", "python", "--registry", "one", "--package", "alpha", "--out", "src")
    as_before("alpha")
    Path("one/shop/paid.yaml").unlink()
    mine = Path("src/alpha/mine.py")
    mine.write_text("mine = 1\n")
    assert run("gen", "python", "--registry", "one", "--package", "alpha", "--out", "src")[2].endswith("2 removed\n")
    assert Path("src/alpha", list_name("python")).is_file()
    assert not Path("src", list_name("python")).exists()
    assert not Path("src/alpha/shop_paid.py").exists()
    assert mine.read_text() == "mine = 1\n"


def test_a_list_of_several_packages_keeps_those_of_the_others(run):
    run("gen", "python", "--registry", "one", "--package", "alpha", "--out", "src")
    run("gen", "python", "--registry", "two", "--package", "gamma", "--out", "src")
    gamma = held("src/gamma")
    as_before("alpha", "gamma")
    run("gen", "python", "--registry", "one", "--package", "alpha", "--out", "src")
    left = Path("src", list_name("python")).read_text()
    assert ("gamma/crm_joined.py" in left, "alpha/" in left) == (True, False)
    assert run("gen", "python", "--registry", "two", "--package", "gamma", "--out", "src")[0] == 0
    assert not Path("src", list_name("python")).exists()
    assert held("src/gamma") == gamma


@pytest.mark.parametrize("check", [pytest.param([], id="to write"), pytest.param(["--check"], id="to check")])
@pytest.mark.parametrize(
    "target, link",
    [
        pytest.param("python", "src/messages", id="the package"),
        pytest.param("python", "src/messages/_schemas", id="a folder in the package"),
        pytest.param("docs", "src/shop", id="a folder of pages"),
    ],
)
def test_nothing_is_written_through_a_link_that_leads_out(run, target, link, check):
    Path("elsewhere").mkdir()
    Path(link).parent.mkdir(parents=True)
    Path(link).symlink_to(Path("elsewhere").resolve())
    code, out, err = run("gen", target, "--registry", "one", "--out", "src", *check)
    assert (code, out, held("elsewhere"), held("src")) == (2, "", {}, {})
    assert "a link that points outside src" in err


def test_nothing_is_removed_through_a_link_that_leads_out(run):
    run("gen", "docs", "--registry", "one", "--out", "pages")
    Path("pages/shop").rename("elsewhere")
    Path("pages/shop").symlink_to(Path("elsewhere").resolve())
    before = held("elsewhere")
    for path in Path("one/shop").iterdir():
        path.unlink()
    Path("one/shop").rmdir()
    assert run("gen", "docs", "--registry", "one", "--out", "pages")[0] == 0
    assert held("elsewhere") == before


def test_a_link_within_the_output_folder_is_followed(run):
    Path("src/real").mkdir(parents=True)
    Path("src/messages").symlink_to("real")
    assert run("gen", "python", "--registry", "one", "--out", "src")[0] == 0
    assert Path("src/real/shop_made.py").is_file()


def test_an_output_folder_may_be_a_link(run):
    Path("real").mkdir()
    Path("src").symlink_to("real")
    assert run("gen", "python", "--registry", "one", "--out", "src")[0] == 0
    assert Path("real/messages/shop_made.py").is_file()


def test_a_report_is_not_taken_for_the_folder(run):
    code, _, err = run("gen", "python", "--registry", "one", "--output", "src")
    assert (code, "did you mean --out src?" in err) == (2, True)
    assert not Path("generated").exists()


@pytest.mark.parametrize(
    "words, file",
    [
        pytest.param(("--output", "report.txt"), "report.txt", id="a suffix"),
        pytest.param(("--output", "sarif:report"), "report", id="a style"),
        pytest.param(("--out", "src", "--output", "report"), "report", id="a folder beside it"),
    ],
)
def test_a_report_is_written_without_findings_too(words, file, run):
    assert run("gen", "python", "--registry", "one", *words)[0] == 0
    assert Path(file).is_file()
