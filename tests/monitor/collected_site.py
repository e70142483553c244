"""A site in two editions, really collected, and the monitor over what is left of it.

It has a page with a table that changes, a paragraph that moves, a page whose text is hostile, a PDF, a page that the
robots.txt excludes, one that the server refuses, one that is not there, and one that is not in the second edition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.content.documents.pdfs import pdf
from tests.support.pages import page
from tests.support.project import Project, source
from tests.support.server import Site
from tests.support.server.fixtures import next_address

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = '<script>document.title="ran"</script><img src=x onerror="alert(1)">'
_LAW = "A servicer shall credit a periodic payment as of the date of receipt, as 12 CFR 1026.36 requires."
_MOVED = "A creditor shall keep a copy of each disclosure that it has made under this part for two full years."


def collect_site(folder: Path) -> None:
    """Make *folder* a project that has collected a site twice; the site is up no longer."""
    with Site(next_address()) as site:
        project = Project(folder)
        config = {"sitemaps": [], "exclude_patterns": ["/drafts/*"]}
        project.manifest([source("guide", site.at("/"), "crawl", scrape_config=config)], delay_s=0.02)
        site.robots("User-agent: *\nDisallow: /private/\n")
        _edition(site, 1)
        _collect(project)
        _edition(site, 2)
        _collect(project)


def _collect(project: Project) -> None:
    done = project.scrapy("collect", "--force")
    assert done.returncode in {0, 1}, done.stdout + done.stderr


def _edition(site: Site, number: int) -> None:
    links = ("/fees", "/hostile", "/rule.pdf", "/private/notes", "/drafts/next", "/walled", "/broken", "/old")
    site.page("/", page("Guide", *links))
    site.page("/fees", _fees(number))
    site.page("/hostile", page(f"Hostile &lt;b&gt;{SCRIPT}", text=f"Edition {number}. {SCRIPT}"))
    site.page(
        "/rule.pdf",
        pdf(["The rule of the house.", *["A creditor shall retain it."] * 30]),
        content_type="application/pdf",
    )
    site.status("/walled", 403, body=f"<html><title>Access Denied</title><h1>Access Denied</h1>{SCRIPT}</html>")
    site.status("/broken", 404, body="<html><title>Not found</title><h1>Not found</h1></html>")
    if number == 1:
        site.page("/old", page("Old"))
    else:
        site.status("/old", 410, body="<html><title>Gone</title><h1>Gone</h1></html>")


def _fees(number: int) -> str:
    fee, day = ("25", "March 1, 2026") if number == 1 else ("30", "June 1, 2026")
    first, second = (f"<p>{_MOVED}</p>", "") if number == 1 else ("", f"<p>{_MOVED}</p>")
    table = f"<table><tr><th>Fee</th><th>Amount</th></tr><tr><td>Late</td><td>${fee}</td></tr></table>"
    body = f"<h2>Fees</h2>{first}<p>{_LAW} It applies from {day}.</p>{table}<h2>Records</h2><p>{_LAW}</p>{second}"
    return page("Fees").replace("<ul></ul>", body)
