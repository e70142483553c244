"""`scrapy demo` as a newcomer runs it: once, again, and with one figure changed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rori_spiders.terminal.demo.report import Staged, _around_the_change, next_commands
from rori_spiders.terminal.demo.server import serve_folder
from tests.support.project import Project

if TYPE_CHECKING:
    from subprocess import CompletedProcess

pytestmark = [pytest.mark.crawl, pytest.mark.timeout(400)]  # the port may be in use by the tutorial

PAGE = "http://127.0.0.1:8799/rules-policy/regulations/1007/103/"


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory: pytest.TempPathFactory, demo_port: int) -> Project:
    assert str(demo_port) in PAGE
    return Project(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="module")
def first(newcomer: Project) -> CompletedProcess[str]:
    return newcomer.scrapy("demo")


@pytest.fixture(scope="module")
def again(newcomer: Project, first: CompletedProcess[str]) -> CompletedProcess[str]:
    assert first.returncode == 0
    return newcomer.scrapy("demo")


@pytest.fixture(scope="module")
def edited(newcomer: Project, again: CompletedProcess[str]) -> CompletedProcess[str]:
    assert again.returncode == 0
    return newcomer.scrapy("demo", "--edit")


def staged(project: Project) -> list[str]:
    """The URLs of the index, in its order."""
    return [json.loads(line)["url"] for line in (project.staging / "_index.jsonl").read_text().splitlines()]


def test_demo_first_run_lists_staged_and_excluded_pages(first: CompletedProcess[str], newcomer: Project) -> None:
    assert first.returncode == 0, first.stderr
    assert f"  new       {PAGE}" in first.stdout
    assert "demo-reg-g__1007-103__" in first.stdout
    assert "Disallowed by robots.txt; not requested." in first.stdout
    assert "Not found (HTTP 404)." in first.stdout
    assert "Blocked: the server answered HTTP 200 with an access-denied page" in first.stdout
    assert str(newcomer.staging) in first.stdout
    assert first.stderr == ""


def test_demo_second_run_reports_no_change(again: CompletedProcess[str]) -> None:
    assert "Nothing changed: checked 24 pages" in again.stdout
    assert "nothing staged." in again.stdout
    assert "modified" not in again.stdout


def test_demo_edit_stages_one_page_and_shows_changed_line(edited: CompletedProcess[str], newcomer: Project) -> None:
    assert edited.returncode == 0, edited.stderr
    assert f"  modified  {PAGE}" in edited.stdout
    assert "Staged, 1 page new or changed:" in edited.stdout
    assert "within 60 days from the effective date" in edited.stdout
    assert "within 61 days from the effective date" in edited.stdout
    assert "Next:         scrapy changes; " in edited.stdout
    assert staged(newcomer).count(PAGE) == 2
    assert len(staged(newcomer)) == 25


def test_demo_verify_agrees_afterwards(edited: CompletedProcess[str], newcomer: Project) -> None:
    assert edited.returncode == 0
    verified = newcomer.scrapy("verify")
    assert (verified.returncode, verified.stderr) == (0, "")
    assert "Everything agrees." in verified.stdout


def test_demo_leaves_active_manifests_unchanged(edited: CompletedProcess[str], newcomer: Project) -> None:
    assert edited.returncode == 0
    listed = newcomer.scrapy("list").stdout.split()
    assert "cfpb-reg-1002" in listed
    assert "demo-reg-g" not in listed


def test_demo_taken_port_is_reported(newcomer: Project, demo_port: int) -> None:
    (newcomer.folder / "elsewhere" / "_answers").mkdir(parents=True)
    (newcomer.folder / "elsewhere" / "_answers" / "answers.json").write_text("{}")
    with serve_folder(newcomer.folder / "elsewhere", port=demo_port):
        refused = newcomer.scrapy("demo")
    assert refused.returncode == 2
    assert f"Cannot serve the demo site on 127.0.0.1:{demo_port}" in refused.stderr
    assert "Traceback" not in refused.stderr


@pytest.mark.parametrize(
    ("change_types", "commands"),
    [
        (["new", "modified"], "scrapy changes"),
        (["new"], "scrapy demo --edit, then scrapy changes"),  # edited before anything was collected: the baseline
        ([], "scrapy demo --edit, then scrapy changes"),
    ],
)
def test_demo_next_commands_name_changes_only_where_there_are_some(change_types: list[str], commands: str) -> None:
    assert next_commands([Staged("a", PAGE, "a.json", change_type) for change_type in change_types]) == commands


@pytest.mark.parametrize(
    ("line", "other", "shown"),
    [
        ("short 1", "short 2", "short 1"),
        ("same", "", "same"),
        ("x " * 60 + "within 60 days" + " y" * 60, "x " * 60 + "within 61 days" + " y" * 60, "within 60 days"),
    ],
)
def test_demo_report_long_line_is_shortened_to_difference(line: str, other: str, shown: str) -> None:
    said = _around_the_change(line, other)
    assert shown in said
    assert len(said) < 160
