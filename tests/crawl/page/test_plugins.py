"""A crawl with plug-ins: what they do to its pages, and that it is recorded with the run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rori_spiders.content import CONVERTER_VERSION
from rori_spiders.runtime.plugins import GROUP
from tests.support.crawl_output import CrawlOutput
from tests.support.example_plugins import install_example, install_metadata
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


@pytest.mark.timeout(240)  # its first command is an interpreter of its own
def test_crawl_with_plugins_applies_and_records_them(project: Project, site: Site) -> None:
    packages = project.folder / "packages"
    packages.mkdir()
    install_example(packages)
    install_metadata(packages, "broken", "0.1", **{GROUP: {"gone": "no_such_module:P"}})
    listing = page("Files", "/files/hearings.ics").replace("</main>", "<p>Portal ticket no. 7</p></main>")
    site.page("/files/", listing)
    site.page("/files/hearings.ics", "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Hearing\nEND:VEVENT\nEND:VCALENDAR\n")
    project.manifest([source("files", site.at("/files/"), "crawl")], delay_s=0.05)

    done = project.scrapy("crawl", "files", env={"PYTHONPATH": f"{project.env['PYTHONPATH']}:{packages}"})
    assert done.returncode == 0, done.stderr
    assert "A plug-in is left out: gone of broken: ModuleNotFoundError" in done.stderr
    output = CrawlOutput(project)
    assert output.states("files") == {"/files/": "captured", "/files/hearings.ics": "captured"}
    assert output.envelope("/files/hearings.ics")["content"]["body"] == "## Hearing\n"
    assert output.envelope("/files/")["processing"]["removed"] == ["plug-in ticket-lines"]
    version = output.envelope("/files/")["integrity"]["converter_version"]
    assert version.startswith(f"{CONVERTER_VERSION}+")
    assert {row["converter_version"] for row in output.rows("SELECT converter_version FROM versions")} == {version}
    names = ["append-file", "calendars", "mirrored", "office-of", "portal-walls", "ticket-lines"]
    assert [one["name"] for one in json.loads(output.last_run("files")["plugins"])] == names
    site.page("/files/", listing.replace("</main>", "</main><!-- another day -->"))
    again = project.scrapy("crawl", "files")
    assert again.returncode == 0, again.stderr
    assert CrawlOutput(project).states("files")["/files/"] == "unchanged", "only the rule is gone"
