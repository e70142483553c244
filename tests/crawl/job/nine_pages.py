"""Nine pages of a site, and their collector with a ledger on PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.server import Site

PATHS = ("/", *(f"/{number}" for number in range(8)))


def nine_pages(site: Site, project: Project, database_url: str) -> None:
    site.page("/", page("Start", *PATHS[1:]), validators=True)
    for path in PATHS[1:]:
        site.page(path, page(f"Page {path}"))
    project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.02)
    project.env["RORI_DATABASE_URL"] = database_url


def collected(project: Project, *options: str) -> None:
    done = project.scrapy("collect", *options)
    assert done.returncode == 0, done.stderr
