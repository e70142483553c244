"""The state ``mapping``: every URL of the run's sources, with its outcome in the collection. Nothing is requested.

A site without a source is mapped when the run starts, through the gates of a collection (``RunContext.map``). What
a person added to an earlier run is on every later map: no collection may have found it.
"""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import Connection, Row

from rori_spiders.corpus.documents.titles import TitlesOfHosts
from rori_spiders.corpus.runs.run import RunContext, hosts_of
from rori_spiders.exceptions import ActionRefused
from rori_spiders.ledger.corpus import human_decisions, run_pages, source_texts
from rori_spiders.ledger.corpus.page_ids import page_id_for_url
from rori_spiders.ledger.pages import page_listing
from rori_spiders.urls.canonical import host_of

#: Rows read at once.
BATCH = 2_000
#: Path segment that is a number, a date or an id, in which pages of a template differ.
_DIGIT = re.compile(r"\d")


async def run_mapping(work: RunContext) -> None:
    """Create a row for every known URL of the sources. Raises UsageError when there is none."""
    run = work.run
    if work.sources:
        for source_id in sorted(work.sources):
            _map_source(work, source_id)
    elif work.map is not None:
        found = await work.map(run)
        work.ledger.write(lambda conn: run_pages.add_pages(conn, run.run_id, found))
    if not work.ledger.read(lambda conn: run_pages.count_values(conn, run.run_id, "met")):
        raise ActionRefused(f"no pages of {run.domain} yet. Collect its sources first: scrapy collect")
    _add_urls_of_people(work)


def title_endings(work: RunContext) -> TitlesOfHosts:
    """What the titles of each host end with: those of all texts that the sources hold, and of the run's pages."""
    rows = work.ledger.read(partial(run_pages.list_pages, run_id=work.run.run_id))
    held = work.ledger.read(partial(source_texts.load_titles, sources=sorted(work.sources)))
    return TitlesOfHosts([*held, *((row.url, row.title) for row in rows if row.title)])


def _add_urls_of_people(work: RunContext) -> None:
    hosts, domain = hosts_of(work.run, work.sources), work.run.domain
    urls = [
        url for url in work.ledger.read(partial(human_decisions.added_urls, domain=domain)) if host_of(url) in hosts
    ]
    found = [new_page_row(url, human_decisions.ADDED) for url in urls]
    work.ledger.write(partial(run_pages.add_pages, run_id=work.run.run_id, found=found))


def _map_source(work: RunContext, source_id: str) -> None:
    offset = 0
    while rows := work.ledger.read(partial(_listed_pages, source_id=source_id, offset=offset)):
        # URL -> its publication date, by which rules judge the age of news
        urls = [row.url for row in rows if row.last_seq]
        held = work.ledger.read(partial(source_texts.load_held_texts, urls=urls, sources=sorted(work.sources)))
        dates = {url: text.published for url, text in held.items()}
        found = [_page_row(row, source_id, dates.get(row.url)) for row in rows]
        work.ledger.write(partial(run_pages.add_pages, run_id=work.run.run_id, found=found))
        offset += len(rows)


def _listed_pages(conn: Connection, source_id: str, offset: int) -> list[Row[Any]]:
    return page_listing.list_pages(conn, source_id, offset=offset, limit=BATCH)


def _page_row(row: Row[Any], source_id: str, dated: str | None) -> Mapping[str, Any]:
    return {
        **new_page_row(row.url, "held" if row.last_seq else "map"),
        "source_id": source_id,
        "title": row.title,
        "dated": dated,
        "met": row.state,
        "met_reason": row.reason or None,
    }


def new_page_row(url: str, found_by: str) -> dict[str, Any]:
    """Create the row of a normalised *url*, with its section and template."""
    return {
        "page_id": page_id_for_url(url),
        "url": url,
        "found_by": found_by,
        "section": url_section(url),
        "template": url_template(url),
    }


def url_section(url: str) -> str:
    """Return the first folder of the path: ``/rules/`` for ``/rules/1024/5/``, ``/`` for ``/about``."""
    folders = urlsplit(url).path.split("/")[1:-1]
    return f"/{folders[0]}/" if folders else "/"


def url_template(url: str) -> str:
    """The path with a ``*`` for each part that has a digit in it, and for the last one."""
    *folders, name = urlsplit(url).path.split("/")[1:]
    shape = ["*" if _DIGIT.search(folder) else folder for folder in folders]
    return "/" + "/".join([*shape, "*" if name else ""])
