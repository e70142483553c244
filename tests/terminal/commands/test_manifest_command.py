"""`scrapy manifest`: validate, diff, activate, schema, prompt; and which manifest is in force then."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.operations import source_status
from rori_spiders.ledger.runs import run_records
from rori_spiders.manifest.loading import load_packaged, packaged_path
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.project import Project
    from tests.terminal.commands.conftest import Result


def manifest(project: Project, name: str, *sources: dict[str, Any], version: str = "1.0.0") -> Path:
    path = project.folder / f"{name}.json"
    path.write_text(json.dumps({"version": version, "sources": sources}), encoding="utf-8")
    return path


def one(manifest_id: str = "a", **more: Any) -> dict[str, Any]:
    return source(manifest_id, f"https://www.example.org/{manifest_id}", **more)


def active_ids(typed: Callable[..., Result]) -> list[str]:
    return [row["id"] for row in json.loads(typed("sources", "--format", "json").out)]


def test_manifest_validate_accepts_valid_file(project: Project, typed: Callable[..., Result]) -> None:
    path = manifest(project, "mine", one("a"), one("b", status="proposed"))
    said = typed("manifest", "validate", str(path))
    assert (said.code, said.err) == (0, "")
    valid, coverage, _, _, row = said.out.splitlines()
    assert valid == f"{path}: valid. Version 1.0.0, 2 sources (1 active, 1 proposed)."
    assert coverage == (
        "Coverage: 0 of 1 categories with all sources active. Active sources with a complete run here: 0 of 1."
    )
    assert "in part: 1 of 2" in row and row.endswith("a; not b (proposed)")


def test_manifest_validate_lists_sources_of_each_subject(project: Project, typed: Callable[..., Result]) -> None:
    path = project.folder / "mine.json"
    subjects = [
        {"name": "Mortgagee Letters", "category": "hud", "sources": ["a"]},
        {"name": "Selling Guide", "category": "gse_guide", "why": "Its terms forbid it"},
    ]
    content = {"version": "1.0.0", "subjects": subjects, "sources": [one("a"), one("b", status="retired")]}
    path.write_text(json.dumps(content), encoding="utf-8")
    lines = typed("manifest", "validate", str(path)).out.splitlines()
    assert lines[1] == (
        "Coverage: 1 of 2 subjects with all sources active. Active sources with a complete run here: 0 of 1."
    )
    assert [line.split("  ")[0] for line in lines[4:6]] == ["gse_guide", "hud"]
    assert "none" in lines[4] and lines[4].endswith("Its terms forbid it")
    assert "active" in lines[5] and "weekly" in lines[5]
    assert lines[6] == "Beside these: 1 source (1 retired)."


def test_manifest_validate_counts_sources_with_a_complete_run(project: Project, typed: Callable[..., Result]) -> None:
    path = manifest(project, "mine", one("a"), one("b", frequency="monthly"))
    assert typed("manifest", "activate", str(path)).code == 0
    now = datetime(2026, 11, 1, tzinfo=UTC)
    with closing(open_ledger(f"sqlite:///{project.ledger}")) as ledger, ledger.begin() as conn:
        row = run_records.open_run(
            conn,
            source_id="a",
            manifest_version="1.0.0",
            method="scrape",
            operator="system",
            job_id="j",
            now=now,
            resume_after=now,
        )
        source_status.record_outcome(
            conn, "a", run_id=row.run_id, state="complete", operator="system", changed=True, now=now
        )
    lines = typed("manifest", "validate", str(path)).out.splitlines()
    assert lines[1].endswith("Active sources with a complete run here: 1 of 2.")
    assert "(default " in lines[4]


def test_manifest_validate_lists_every_problem_of_every_file(project: Project, typed: Callable[..., Result]) -> None:
    first = manifest(project, "first", one("a", frequency="hourly"), one("a"))
    second = manifest(project, "second", one("b", colour="red"))
    said = typed("manifest", "validate", str(first), str(second))
    assert said.code == 2
    assert said.out == ""
    for expected in ("first.json", "frequency", "hourly", "second.json", "colour"):
        assert expected in said.err


def test_manifest_validate_finds_shared_ids(project: Project, typed: Callable[..., Result]) -> None:
    paths = [str(manifest(project, name, one("a"))) for name in ("first", "second")]
    said = typed("manifest", "validate", *paths)
    assert said.code == 2
    assert "the id is taken by a source of" in said.err


def test_manifest_validate_reads_stdin_with_code_fences(project: Project) -> None:
    text = "```json\n" + manifest(project, "x", one()).read_text(encoding="utf-8") + "\n```\n"
    done = project.scrapy("manifest", "validate", "-", stdin=text)
    assert (done.returncode, done.stderr) == (0, "")
    assert "valid. Version 1.0.0, 1 source (1 active)." in done.stdout


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--source", "a"), "--source and --format need --online"),
        (("--format", "json"), "--source and --format need --online"),
        (("--online", "--source", "nobody"), "no source 'nobody'"),
        (("--online", "--format", "xml"), "invalid choice: 'xml'"),
    ],
)
def test_manifest_validate_options_of_online(
    project: Project, typed: Callable[..., Result], options: tuple[str, ...], told: str
) -> None:
    said = typed("manifest", "validate", str(manifest(project, "mine", one("a"))), *options)
    assert said.code == 2
    assert told in said.err
    assert not project.ledger.parent.exists()


def test_manifest_validate_without_file_checks_active_manifests(project: Project, typed: Callable[..., Result]) -> None:
    assert typed("manifest", "validate").out.startswith("packaged: valid.")
    project.env["RORI_MANIFEST"] = str(manifest(project, "mine", one()))
    assert "mine.json: valid." in typed("manifest", "validate").out
    assert not project.ledger.parent.exists()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\0\0\0", b'{"version": "1.0.0", "sources": ['])
def test_manifest_validate_other_text_is_refused(
    project: Project, typed: Callable[..., Result], content: bytes
) -> None:
    path = project.folder / "bad.json"
    path.write_bytes(content)
    for verb in ("validate", "activate"):
        said = typed("manifest", verb, str(path))
        assert said.code == 2
        assert "bad.json" in said.err
        assert "Traceback" not in said.err
    assert not project.ledger.parent.exists()


def test_manifest_validate_folder_and_missing_file_are_refused(project: Project, typed: Callable[..., Result]) -> None:
    for name in (str(project.folder), str(project.folder / "none.json")):
        said = typed("manifest", "validate", name)
        assert said.code == 2
        assert name in said.err


def test_manifest_diff_of_two_files(project: Project, typed: Callable[..., Result]) -> None:
    old = manifest(project, "old", one("a"), one("b"))
    new = manifest(project, "new", one("a", frequency="daily"), one("c"), version="1.1.0")
    lines = typed("manifest", "diff", str(old), str(new)).out.splitlines()
    assert lines[0] == 'version: "1.0.0" -> "1.1.0"'
    assert lines[1] == 'source a: frequency: "weekly" -> "daily"'
    assert lines[2].startswith("source c: added")
    assert lines[3].startswith("source b: removed")
    assert typed("manifest", "diff", str(old), str(old)).out.startswith("No differences between")


def test_manifest_diff_against_active_version(project: Project, typed: Callable[..., Result]) -> None:
    path = manifest(project, "mine", one("a"))
    said = typed("manifest", "diff", str(path))
    assert said.code == 0
    assert said.out.startswith("No manifest named 'mine' is active; this would be its first version. Version 1.0.0, 1")
    typed("manifest", "activate", str(path))
    manifest(project, "mine", one("a"), one("b"))
    assert typed("manifest", "diff", str(path)).out.startswith("source b: added")


def test_manifest_activate_lists_removed_sources_before_and_after(
    project: Project, typed: Callable[..., Result]
) -> None:
    path = str(manifest(project, "mine", one("a"), one("b")))
    packaged = load_packaged("fthb")
    ids = [it.id for it in packaged.manifest.sources if it.status == "active"]
    before, after = typed("manifest", "diff", path).out, typed("manifest", "activate", path).out
    assert f"No longer collected once this is activated: {len(ids)} sources of fthb, which ends:" in before
    assert f"No longer collected: {len(ids)} sources of fthb, which has ended:" in after
    for said in (before, after):
        assert not set(ids) - set(said.replace(",", " ").split())
        assert said.endswith(f"scrapy manifest activate {packaged_path('fthb')}\n")
    manifest(project, "mine", one("a"), one("b", status="retired"), one("c"))
    assert typed("manifest", "activate", path).out.endswith("No longer collected: 1 source of mine:\n  b\n")
    other = str(manifest(project, "other", one("d")))
    assert "No longer collected" not in typed("manifest", "activate", other).out
    said = typed("manifest", "activate", "--exclusive", other).out
    assert said.endswith("No longer collected: 2 sources of mine, which has ended:\n  a, c\n")


def test_manifest_activate_makes_manifest_active(project: Project, typed: Callable[..., Result]) -> None:
    said = typed("manifest", "activate", str(manifest(project, "mine", one("a"))))
    assert said.code == 0
    first = "mine: activated. Version 1.0.0, 1 source (1 active). First version of this name.\n"
    assert said.out.startswith(first)
    assert active_ids(typed) == ["a"]
    path = manifest(project, "mine", one("a"), one("b"), version="1.1.0")
    assert active_ids(typed) == ["a"], "the ledger keeps what was activated, not the file"
    said = typed("manifest", "activate", str(path))
    assert "2 differences from the previous version" in said.out
    assert active_ids(typed) == ["a", "b"]
    assert "No differences from the previous version." in typed("manifest", "activate", str(path)).out


def test_manifest_activate_keeps_others_unless_exclusive(project: Project, typed: Callable[..., Result]) -> None:
    typed("manifest", "activate", str(manifest(project, "mine", one("a"))))
    said = typed("manifest", "activate", str(manifest(project, "wikis", one("b"))))
    assert "Still active: mine." in said.out
    assert active_ids(typed) == ["a", "b"]
    said = typed("manifest", "activate", "--exclusive", str(manifest(project, "wikis", one("b"))))
    assert "No longer active: mine." in said.out
    assert active_ids(typed) == ["b"]


def test_manifest_activate_id_active_twice_is_refused(project: Project, typed: Callable[..., Result]) -> None:
    typed("manifest", "activate", str(manifest(project, "mine", one("a"))))
    said = typed("manifest", "activate", str(manifest(project, "other", one("a"), one("b"))))
    assert said.code == 2
    assert "the id is taken" in said.err
    assert active_ids(typed) == ["a"], "nothing changed"


def test_manifest_activate_broken_file_changes_nothing(project: Project, typed: Callable[..., Result]) -> None:
    typed("manifest", "activate", str(manifest(project, "mine", one("a"))))
    good, bad = manifest(project, "good", one("b")), manifest(project, "bad", one("c", what=1))
    assert typed("manifest", "activate", str(good), str(bad)).code == 2
    assert active_ids(typed) == ["a"]


def test_manifest_explicit_file_wins_over_active_one(project: Project, typed: Callable[..., Result]) -> None:
    project.env["RORI_MANIFEST"] = str(manifest(project, "mine", one("a")))
    said = typed("manifest", "activate", str(manifest(project, "other", one("b"))))
    assert "RORI_MANIFEST is set and overrides this" in said.err
    assert active_ids(typed) == ["a"]


def test_manifest_schema_and_prompt_are_printed(project: Project, typed: Callable[..., Result]) -> None:
    schema = json.loads(typed("manifest", "schema").out)
    assert "sources" in schema["properties"]
    seed = project.folder / "seed.txt"
    seed.write_text("The Office of Example publishes rules.", encoding="utf-8")
    said = typed("manifest", "prompt", "--seed", str(seed))
    assert "The Office of Example publishes rules." in said.out
    assert typed("manifest", "prompt", "--seed", "none.txt").code == 2
    assert not project.ledger.parent.exists()


def test_manifest_activate_source_activates_proposed_source(project: Project, typed: Callable[..., Result]) -> None:
    path = manifest(project, "mine", one("a", status="proposed", metadata={"notes": "Ask first."}), one("b"))
    typed("manifest", "activate", str(path))
    said = typed("manifest", "activate-source", "a")
    assert said.code == 2
    assert "add --yes" in said.err
    said = typed("manifest", "activate-source", "a", "--yes")
    assert said.code == 0, said.err
    assert "  Ask first.\n" in said.out
    assert "2 sources (2 active). 1 difference from the previous version." in said.out
    assert [row["status"] for row in json.loads(typed("sources", "--format", "json").out)] == ["pending", "pending"]


def test_manifest_activate_source_of_file_names_overlay(project: Project, typed: Callable[..., Result]) -> None:
    path = manifest(project, "mine", one("a", status="proposed"))
    said = typed("manifest", "activate-source", "a", "--yes", "-s", f"RORI_MANIFEST={path}")
    assert said.code == 2
    assert '{"override": "a", "status": "active"}' in said.err


def test_manifest_validate_finds_packaged_manifest_by_name(project: Project, typed: Callable[..., Result]) -> None:
    said = typed("manifest", "validate", "wikis.json")
    assert (said.code, said.out.startswith(packaged_path("wikis"))) == (0, True), said.err
