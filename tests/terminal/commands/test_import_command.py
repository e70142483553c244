"""`scrapy import`, typed: exit codes, what is listed, and that as-of and diff show what was imported as such."""

from __future__ import annotations

import csv
import json
import shutil
from contextlib import closing
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from rori_spiders.evidence.imports import pooled_assessor
from rori_spiders.staging.store_factory import DiskStore
from tests.envelope.factories import an_id
from tests.evidence.imports.samples import FIXTURES, HOST, InProcess, law
from tests.house.code import REPOSITORY
from tests.staging.job_driver import Job, begin
from tests.support.databases import open_empty_ledger
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.project import Project
    from tests.terminal.commands.conftest import Result

    Typed = Callable[..., Result]

RULE = f"{HOST}/rules/1.html"


class _Assessor(InProcess):
    """Assesses without processes, which take half a second to start."""

    def __init__(self, _pool: object) -> None:
        super().__init__()

    def __enter__(self) -> _Assessor:
        return self

    def __exit__(self, *_: object) -> None:
        pass


@pytest.fixture
def law_project(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project that collects the site of the files, and has collected nothing."""
    monkeypatch.setattr(pooled_assessor, "PooledAssessor", _Assessor)
    project.manifest([source("law", f"{HOST}/", "crawl")])
    for name in ("wget.warc.gz", "py-wacz.wacz"):
        shutil.copy(FIXTURES / name, project.folder)
    return project


def _rows(result: Result) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(result.out)
    return found


def test_import_warc_and_the_wacz_made_of_it(law_project: Project, typed: Typed) -> None:
    first = typed("import", "warc", "wget.warc.gz")
    assert (first.code, first.err) == (0, "")
    assert first.out.startswith("wget.warc.gz: 4 imported, 4 refused, 1 of no source, ")
    assert typed("import", "warc", "wget.warc.gz").out.startswith("wget.warc.gz: 8 recorded before, ")
    assert typed("import", "wacz", "py-wacz.wacz").out.startswith("py-wacz.wacz: 4 imported, 4 refused, ")
    files = _rows(typed("import", "list", "--format", "json"))
    assert [(one["kind"], one["file"], one["imported"], one["refused"]) for one in files] == [
        ("wacz", "py-wacz.wacz", 4, 4),
        ("warc", "wget.warc.gz", 4, 4),
    ]
    captures = _rows(typed("import", "list", "--page", RULE, "--format", "json"))
    assert {(one["provenance"], one["trust"], one["source"]) for one in captures} == {("imported", "archived", "law")}
    assert len(captures) == 4  # wget asked for it twice, behind a redirect too
    assert typed("verify").code == 0


def test_import_as_of_shows_an_imported_text_as_not_seen(law_project: Project, typed: Typed) -> None:
    typed("import", "warc", "wget.warc.gz")
    answer = typed("as-of", "2026-11-27", "--page", RULE, "--format", "json", env={"TZ": "UTC"})
    assert answer.code == 1  # nothing of ours was held
    [row] = _rows(answer)
    assert (row["state"], row["provenance"], row["imported_from"]) == ("imported", "imported", "wget.warc.gz")
    assert row["last_seen"] is None and row["version"] is None
    assert "Not seen by this collector" in typed("as-of", "2026-11-27", "--page", RULE).out
    text = typed("as-of", "2026-11-27", "--page", RULE, "--format", "markdown")
    assert (text.code, text.out) == (1, "")
    imported = typed("as-of", "2026-11-27", "--page", RULE, "--format", "markdown", "--imported")
    assert imported.code == 0 and "within 60 days" in imported.out
    assert typed("as-of", "2026-11-26", "--page", RULE, "--format", "markdown", "--imported").code == 1
    listed = typed("as-of", "2026-11-27")
    assert listed.code == 1
    assert listed.out.endswith("Not counted: 3 pages with an imported text (scrapy import list).\n")


def test_import_damaged_file_is_named_with_exit_code_1(law_project: Project, typed: Typed) -> None:
    path = law_project.folder / "wget.warc.gz"
    path.write_bytes(path.read_bytes()[:-300])
    done = typed("import", "warc", "wget.warc.gz")
    assert done.code == 1
    assert "1 damaged" in done.out
    assert "Damaged: wget.warc.gz, record " in done.err and "the file ends within it" in done.err


def test_import_refuses_what_is_no_such_file_and_an_unknown_source(law_project: Project, typed: Typed) -> None:
    for args, error in (
        (("warc", "py-wacz.wacz"), "py-wacz.wacz is not a WARC file"),
        (("wacz", "wget.warc.gz"), "wget.warc.gz is not a WACZ file"),
        (("warc", "missing.warc"), "missing.warc: no such file"),
        (("warc", "wget.warc.gz", "--source", "lew"), "Did you mean 'law'?"),
        (("folder", "missing"), "missing: no such folder"),
    ):
        refused = typed("import", *args)
        assert refused.code == 2 and error in refused.err, args
    assert typed("import", "list").out == "Nothing imported.\n"


def _save_folder(folder: Path) -> None:
    folder.mkdir()
    rows = [("fee.html", f"{HOST}/fee", "2018-05-04"), ("later.html", f"{HOST}/fee", "2019-05-04T08:00:00Z")]
    for days, (name, _, _) in enumerate(rows, 30):
        (folder / name).write_bytes(law(days))
    with (folder / "index.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("file", "url", "captured_at"), *rows])


def test_import_folder_gives_texts_that_diff_compares(law_project: Project, typed: Typed) -> None:
    _save_folder(law_project.folder / "saved")
    changed = "1 change between imported texts: scrapy changes --imported\n"
    assert typed("import", "folder", "saved").out == f"saved: 2 imported.\n{changed}"
    assert typed("import", "folder", "saved").out == f"saved: 2 recorded before.\n{changed}"
    trusts = {one["trust"] for one in _rows(typed("import", "list", "--source", "law", "--format", "json"))}
    assert trusts == {"stated"}
    url = f"{HOST}/fee"
    diff = typed("diff", "law", url)
    assert diff.code == 0
    assert "from imported text, captured 2018-05-04 23:59 UTC" in diff.out
    assert "An imported text was captured by others: this collector has not seen it." in diff.out
    assert "[-30-]{+31+}" in diff.out
    named = typed(
        "diff", "law", url, "--from", "imported:2018-12-31", "--to", "imported:2019-12-31", "--format", "json"
    )
    ends = [json.loads(named.out)[name] for name in ("from", "to")]
    assert [(one["provenance"], one["captured_at"]) for one in ends] == [
        ("imported", "2018-05-04T23:59:59Z"),
        ("imported", "2019-05-04T08:00:00Z"),
    ]


def test_changes_imported_lists_what_differs_between_imported_texts(law_project: Project, typed: Typed) -> None:
    _save_folder(law_project.folder / "saved")
    typed("import", "folder", "saved")
    [row] = _rows(typed("changes", "--imported", "--format", "json"))
    schema = json.loads((REPOSITORY / "docs" / "reference" / "command-output.schema.json").read_text())
    jsonschema.validate([row], schema["$defs"]["changes-list.imported"])
    assert (row["provenance"], row["trust"], row["trust_before"]) == ("imported", "stated", "stated")
    assert (row["previously_stated_at"], row["stated_at"]) == ("2018-05-04T23:59:59Z", "2019-05-04T08:00:00Z")
    assert (row["kind"], row["source"], row["imported_from"]) == ("number", "law", "later.html")
    assert "30 → 31" in row["sentence"]
    assert "An imported text was captured by others: this collector has not seen it." in row["notes"]
    assert _rows(typed("changes", "--format", "json")) == []  # nothing that this collector saw
    assert "Not seen by this collector: 1 change between imported texts" in typed("changes").out
    assert "saw none of them" in typed("changes", "--imported").out
    assert _rows(typed("changes", "--imported", "--since", "2019-06-01", "--format", "json")) == []
    assert typed("verify").code == 0
    for refused in (["--mine"], ["--review", "open"], ["--format", "atom"]):
        done = typed("changes", "--imported", *refused)
        assert done.code == 2 and "is not known of imported texts" in done.err, refused


def test_changes_imported_leaves_out_a_withdrawn_text_and_compares_its_neighbours(
    law_project: Project, typed: Typed
) -> None:
    folder = law_project.folder / "saved"
    folder.mkdir()
    for year, days in ((2018, 30), (2019, 31), (2020, 32)):
        (folder / f"{year}.html").write_bytes(law(days))
    rows = [(f"{year}.html", f"{HOST}/fee", f"{year}-05-04") for year in (2018, 2019, 2020)]
    with (folder / "index.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("file", "url", "captured_at"), *rows])
    typed("import", "folder", "saved")
    assert len(_rows(typed("changes", "--imported", "--format", "json"))) == 2
    [middle] = [one for one in _rows(typed("import", "list", "--format", "json")) if one["file"] == "2019.html"]
    typed("import", "withdraw", middle["import_id"], "--reason", "another server's")
    [row] = _rows(typed("changes", "--imported", "--format", "json"))
    assert row["previously_stated_at"].startswith("2018") and "30 → 32" in row["sentence"]


def test_import_leaves_the_versions_of_a_page_as_they_are(law_project: Project, typed: Typed) -> None:
    with closing(open_empty_ledger(law_project.ledger)) as ledger:
        job = Job(ledger, DiskStore(law_project.staging), an_id(1))
        visit = begin(job, f"{HOST}/fee")[0]
        job.page(visit, "old")
    law_project.manifest([source(visit.source_id, f"{HOST}/", "crawl")])
    before = typed("sources", "--format", "json").out, typed("changes", "--format", "json").out
    _save_folder(law_project.folder / "saved")
    typed("import", "folder", "saved")
    assert (typed("sources", "--format", "json").out, typed("changes", "--format", "json").out) == before
    own, imported = _rows(typed("as-of", "2026-11-01", "--page", f"{HOST}/fee", "--format", "json"))
    assert (own["state"], own["version"], own["provenance"]) == ("held", 1, "collected")
    assert (imported["state"], imported["captured"]) == ("imported", "2019-05-04T08:00:00Z")
    refused = typed("diff", visit.source_id, f"{HOST}/fee")
    assert refused.code == 2 and "version 1 is the first" in refused.err
    assert "imported  " in refused.err
    assert typed("diff", visit.source_id, f"{HOST}/fee", "--from", "imported:2019-12-31").code == 0


def test_import_lists_add_proposed_sources_once(law_project: Project, typed: Typed) -> None:
    (law_project.folder / "pages.txt").write_text(f"{HOST}/fee Fees\nftp://x/\n{HOST}/\n{HOST}/fee\n")
    added = typed("import", "urls", "pages.txt", "--to", "mine.json")
    assert added.code == 1
    assert "pages.txt, line 2: not added: ftp://x/" in added.err
    assert f"line 1: example-fee: {HOST}/fee" in added.out
    assert f"line 3: {HOST}/ is the source law already." in added.out
    assert f"line 4: {HOST}/fee is the source example-fee already." in added.out
    assert "mine.json: added 1 source (proposed).\nAdd mine.json to RORI_MANIFEST. Then: scrapy manifest" in added.out
    [entry] = json.loads((law_project.folder / "mine.json").read_text())["sources"]
    assert (entry["name"], entry["status"], entry["url"]) == ("Fees", "proposed", f"{HOST}/fee")
    again = typed("import", "urls", "pages.txt", "--to", "mine.json")
    assert "added 0 sources (proposed)" in again.out
    assert typed("manifest", "validate", "mine.json").code == 0
    assert typed("import", "urlwatch", "missing.yaml", "--to", "mine.json").code == 2
    (law_project.folder / "urls.yaml").write_text("name: Disk\ncommand: df -h\n")
    left_out = typed("import", "urlwatch", "urls.yaml", "--to", "mine.json")
    assert left_out.code == 1 and "urls.yaml, job 1: not added: Disk: it has no URL\n" in left_out.err
    own = typed("import", "urls", "pages.txt", "--to", "manifest.json")
    assert "Activate what you want collected: scrapy manifest activate-source ID. The next `scrapy collect`" in own.out


def test_import_withdrawn_is_not_shown_until_it_is_restored(law_project: Project, typed: Typed) -> None:
    typed("import", "warc", "wget.warc.gz")
    [file] = _rows(typed("import", "list", "--format", "json"))
    done = typed("import", "withdraw", file["import_id"][:8], "--reason", "of the test server")
    assert (done.code, done.err) == (0, "")
    [row] = _rows(typed("import", "list", "--format", "json"))
    assert (row["imported"], row["withdrawn"]) == (4, "of the test server")
    assert row["withdrawn_at"] and row["withdrawn_by"]
    assert _rows(typed("import", "list", "--page", RULE, "--format", "json")) == []
    assert _rows(typed("as-of", "2026-11-27", "--page", RULE, "--format", "json")) == []
    assert "imported" not in typed("as-of", "2026-11-27").out
    assert typed("diff", "law", RULE).code == 2
    for again in (["import", "warc", "wget.warc.gz"], ["import", "withdraw", file["import_id"], "--reason", "x"]):
        refused = typed(*again)
        assert refused.code == 2 and "was withdrawn" in refused.err
    assert typed("verify").code == 0
    assert typed("import", "restore", file["import_id"], "--reason", "it was the real one").code == 0
    assert len(_rows(typed("import", "list", "--page", RULE, "--format", "json"))) == 2
    assert _rows(typed("import", "list", "--format", "json"))[0]["withdrawn"] is None
    assert typed("verify").code == 0


@pytest.mark.parametrize(("import_id", "reason"), [("none", "why"), ("", " ")])
def test_import_withdraw_without_an_import_or_a_reason_is_refused(
    law_project: Project, typed: Typed, import_id: str, reason: str
) -> None:
    typed("import", "warc", "wget.warc.gz")
    refused = typed(
        "import",
        "withdraw",
        import_id or _rows(typed("import", "list", "--format", "json"))[0]["import_id"],
        "--reason",
        reason,
    )
    assert refused.code == 2 and refused.err
