"""Pages that name another address as their own: that one is read first, so that it can be told whether they are one.

What has the very text of the page that its canonical link names ends as its alias (``pipelines/canonical.py``). A page
that comes before the one that it names is put back once, behind it.
"""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

from rori_spiders.ladder import HTTP
from rori_spiders.ledger import history
from rori_spiders.urls import normalise, url_hash

if TYPE_CHECKING:
    from scrapy.http import Response
    from sqlalchemy import Connection

    from rori_spiders.items import Visit
    from rori_spiders.job import Job
    from rori_spiders.run import Run

# The link as pages write it: most name themselves, and are not parsed for that.
_LINK = re.compile(rb"<link\b[^>]*\brel\s*=\s*[\"']?canonical\b[^>]*>", re.IGNORECASE)
_HREF = re.compile(rb"\bhref\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+))", re.IGNORECASE)
#: The link stands in the head.
_HEAD_BYTES = 65_536


def named_in(body: bytes, url: str) -> str | None:
    """The address that the page at *url* names as its own, normalised; None when it names none."""
    link = _LINK.search(body, 0, _HEAD_BYTES)
    href = _HREF.search(link[0]) if link is not None else None
    if href is None:
        return None
    text = next(group for group in href.groups() if group is not None).decode("utf-8", "replace")
    try:
        return normalise(unescape(text), url)
    except ValueError:
        return None


async def to_read_first(job: Job, run: Run, response: Response, visit: Visit) -> str | None:
    """The page of the source that *response* says it is, when that has not ended in this run, and is not held yet.

    None also for a page that is held: it has been a page of its own until now, and stays one; and for one that came
    by a tier that costs something.
    """
    verdict = response.meta.get("verdict")
    if visit.found_by == "start" or verdict is None or verdict.kind != "content" or response.meta.get("tier") != HTTP:
        return None
    url = named_in(response.body, response.url)
    if url is None or url == visit.url or run.scope.excludes(url) is not None:
        return None
    key = url_hash(url)
    if key in run.known and key not in run.outstanding:
        return None
    return url if await job.read(lambda conn: _are_new(conn, visit, url)) else None


def _are_new(conn: Connection, visit: Visit, url: str) -> bool:
    found = (history.page(conn, visit.source_id, one) for one in (visit.url, url))
    return all(page is None or page.content_hash is None for page in found)
