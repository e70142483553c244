"""Dated versions of a text are copies where the current text is beside them: without it no run is complete."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

START = "/regulations/1024/"
SECTIONS = (1, 2, 3)


def sections(site: Site, folder: str, *more: str) -> set[str]:
    """A page of contents at *folder* and three sections; gives all four paths."""
    paths = [f"{folder}{number}/" for number in SECTIONS]
    site.page(folder, page(f"Contents of {folder}", *paths, *more))
    for path in paths:
        site.page(path, page(f"Section {path}"))
    return {folder, *paths}


def collect(site: Site, project: Project) -> CrawlOutput:
    project.manifest([source("reg-x", site.at(START), "crawl")], delay_s=0.02)
    project.scrapy("collect")
    return CrawlOutput(project)


def test_start_url_redirects_to_a_dated_version_that_version_is_collected(site: Site, project: Project) -> None:
    older = f"{START}2020-01-01/1/"
    expected = sections(site, f"{START}2024-10-01/", older)
    site.page(older, page("Section 1, as it was"))
    site.redirect(START, f"{START}2024-10-01/")
    left = collect(site, project)
    assert left.in_state("reg-x", "captured") == expected
    assert left.urls("reg-x")[older][0] == "excluded"
    assert left.last_run("reg-x")["state"] == "complete"


def test_dated_version_without_current_text_makes_run_incomplete(site: Site, project: Project) -> None:
    dated = [f"{START}2024-10-01/{number}/" for number in SECTIONS]
    site.page(START, page("Regulation X", *dated))
    for path in dated:
        site.page(path, page(f"Section {path}"))
    left = collect(site, project)
    run = left.last_run("reg-x")
    assert (run["state"], run["reason_code"]) == ("incomplete", "only_dated")
    assert f"versions excluded: 3, such as {site.at(dated[0])}" in run["reason"]
    assert left.in_state("reg-x", "captured") == {START}


@pytest.mark.parametrize(
    "copy",
    [
        f"{START}2020-01-01/",  # the first page of a version: its current text is the start page
        f"{START}2020-01-01/1/",
        f"{START}2020-01-01/99/",  # a section that is no more, beside one that is
        "/regulations/on/2020-01-01/1024/1/",
        f"{START}versions/",
        f"{START}print/",
    ],
)
def test_dated_copies_with_current_text_leave_run_complete(site: Site, project: Project, copy: str) -> None:
    other_copy = f"{START}2020-01-01/2/"
    expected = sections(site, START, copy, other_copy)
    left = collect(site, project)
    assert left.in_state("reg-x", "captured") == expected
    assert left.last_run("reg-x")["state"] == "complete"
    assert not any(copy == path or other_copy == path for path in site.report().hits)
