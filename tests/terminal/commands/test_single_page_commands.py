"""`scrapy parse`, `fetch`, `view` and `shell` on one page: what a collection would make of it, under its limits."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.support.output_schema import find_problems
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


@pytest.fixture
def collection(site: Site, project: Project) -> Project:
    """A site with a page, one that robots.txt forbids, and one that a firewall answers."""
    site.robots("User-agent: *\nDisallow: /secret\n")
    site.page("/law/", page("Rule", "/law/1", "/other"))
    site.page("/secret", page("Secret"))
    site.page("/law/blocked", "<title>Just a moment...</title><h1>Checking your browser</h1>", status=403)
    project.manifest([source("a", site.at("/law/"), "crawl")], delay_s=0.02)
    return project


def test_parse_shows_verdict_source_item_and_links(site: Site, collection: Project) -> None:
    done = collection.scrapy("parse", site.at("/law/"), "--nolog")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert find_problems("parse", found) == []
    assert (found["verdict"], found["source"], found["item"]["title"]) == ("content", "a", "Rule")
    assert [link["url"] for link in found["links"] if link["excluded"] is None] == [site.at("/law/1")]
    assert [link["url"] for link in found["links"] if link["excluded"] is not None] == [site.at("/other")]
    assert not collection.staging.exists() or not list(collection.staging.glob("[!_]*"))


def test_parse_blocked_page_has_no_item(site: Site, collection: Project) -> None:
    done = collection.scrapy("parse", site.at("/law/blocked"), "--nolog")
    found = json.loads(done.stdout)
    assert (done.returncode, found["verdict"], found["item"]) == (1, "challenge", None)


def test_fetch_forbidden_url_is_not_requested_and_fails(site: Site, collection: Project) -> None:
    done = collection.scrapy("fetch", site.at("/secret"), "--nolog")
    assert (done.returncode, done.stdout) == (1, "")
    assert re.search(r"^No response: .*robots\.txt", done.stderr), done.stderr
    assert [hit.path for hit in site.log.hits()] == ["/robots.txt"]


def test_view_opens_html_and_pdf(site: Site, collection: Project, tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text('#!/bin/sh\nprintf "%s " "$1" >> "$0.opened"; cat "${1#file://}" >> "$0.opened"\n')
    browser.chmod(0o755)
    site.page("/law/form.pdf", b"%PDF-1.4 \x01 form", content_type="application/pdf")
    collection.env["BROWSER"] = str(browser)
    for path in ("/law/", "/law/form.pdf"):
        done = collection.scrapy("view", site.at(path), "--nolog")
        assert (done.returncode, done.stderr) == (0, "")
    opened = (tmp_path / "browser.opened").read_bytes()
    assert re.search(rb"file://\S+\.html <.*Rule.*file://\S+\.pdf %PDF-1\.4 \x01 form$", opened, re.DOTALL)


def test_view_without_a_browser_names_the_file_and_fails(site: Site, collection: Project, tmp_path: Path) -> None:
    collection.env |= {"BROWSER": "/bin/false", "PATH": str(tmp_path)}
    done = collection.scrapy("view", site.at("/law/"), "--nolog")
    found = re.fullmatch(r"No browser can be opened here\. What was received is in file://(\S+)\n", done.stderr)
    assert (done.returncode, found is not None) == (1, True), done.stderr


def test_shell_names_show_page_as_collected(site: Site, collection: Project) -> None:
    assert collection.scrapy("crawl", "a").returncode == 0
    site.set("/law/", page("Rule", "/law/1", "/other", text="Pay within 61 days."))
    code = "(preview('h1'), preview('.nope'), diff(), print(source.id, verdict.kind, page.title, len(markdown) > 99))"
    done = collection.scrapy("shell", site.at("/law/"), "--nolog", "-c", code)
    assert "'h1' matches 1; " in done.stdout, done.stderr
    assert "'.nope' matches 0; 0 characters" in done.stdout
    assert re.search(r"\{\+[^}]*61 days", done.stdout)
    assert "a content Rule True" in done.stdout
