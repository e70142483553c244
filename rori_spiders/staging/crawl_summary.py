"""The crawl summary (specification §3.4, step 5): the outcome of a run as a document, the coverage of what the
publisher lists, and notes.  In: a run that has ended, in the ledger. Out: JSON. The file is written by
``ledger_logs.py``, from its row.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from sqlalchemy import Connection, func, select

from rori_spiders.envelope.log_lines import format_wire_time
from rori_spiders.ledger.operations import activity_log
from rori_spiders.ledger.runs import frontier, listed_urls, run_records
from rori_spiders.ledger.tables import audit, page_links, pages, run_urls
from rori_spiders.reasons import ReasonCode
from rori_spiders.urls import list_marks, sitemap_reader
from rori_spiders.urls.canonical import normalise_url, url_hash
from rori_spiders.urls.hash_table import UrlHashTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from rori_spiders.ledger.runs.run_records import RunRow
    from rori_spiders.manifest.models import Source


#: Methods with a summary; a single page needs none, its audit row has everything.
SUMMARY_METHODS = frozenset({"crawl", "mediawiki"})
SUMMARY_VERSION = "1.0"
_MAX_ACTIONS = 1000


def make_summary(
    conn: Connection, run_id: str, source: Source, sitemaps: Coverage | None, note: str | None, *, now: datetime
) -> str:
    """Return the summary of the run as text, at the time *now*.

    *sitemaps* is what became of what those of the run name, *note* is what ``explain_empty_run`` says of it.
    """
    run = run_records.get_run(conn, run_id)
    counts = {**run_records.count_pages(conn, run_id), "changed": (run.counts or {}).get("changed", 0)}
    lists = [sitemaps, *_other_coverage(conn, run, source.url)]
    document: dict[str, Any] = {
        "summary_version": SUMMARY_VERSION,
        "scrape_run_id": run_id,
        "parent_crawl_id": run_id,
        "manifest_id": run.source_id,
        "manifest_version": run.manifest_version,
        "method": run.method,
        "state": run.state,
        "reason": run.reason,
        "reason_code": run.reason_code,
        "operator": run.operator,
        "started_at": format_wire_time(run.started_at),
        "finished_at": format_wire_time(run.finished_at) if run.finished_at else None,
        "written_at": format_wire_time(now),
        "pages_found": counts["discovered"],
        "pages_scraped": counts["captured"] + counts["unchanged"],
        "pages_changed": counts["changed"],
        "errors": counts["failed"],
        "pages": {state: counts[state] for state in ("captured", "unchanged", "excluded", "failed", "gone")},
        "seconds": round(run.seconds, 1),
        "requests": run.requests,
        "browser_pages": run.browser_pages,
        "credits": run.credits,
        "notes": [note] if note is not None else [],
        "accepted": _acceptances(conn, run_id),
        "coverage": [coverage for one in lists if one is not None and (coverage := one.document()) is not None],
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _other_coverage(conn: Connection, run: RunRow, start_url: str) -> Iterator[Coverage]:
    """Coverage of each table of contents, of the feeds, and of the lists of a wiki."""
    for url, named in contents_links(conn, run, start_url):
        contents = Coverage("contents", run.run_id)
        contents.add(conn, named, url)
        yield contents
    feeds, api = Coverage("feed", run.run_id), Coverage("api", run.run_id)
    for url, named in feed_listed_pages(conn, run.run_id).items():
        feeds.add(conn, named, url)
    for row in listed_urls.list_exclusions(conn, run.run_id):
        found = frontier.find_url(conn, run.run_id, row.list_url)
        if row.kind == "page" and found is not None and found.reason_code in frontier.LIST_CODES:
            feeds.add_counted(row.list_url, row.reason, row.urls)
        elif run.method == "mediawiki":
            api.add_counted(None, row.reason, row.urls)
    yield feeds
    api.add(conn, api_listed_pages(conn, run.run_id))
    yield api


def _acceptances(conn: Connection, run_id: str) -> list[dict[str, Any]]:
    """Return the acceptances of the run, oldest first: held pages, or the page count."""
    done = [
        one
        for one in activity_log.recent_actions(conn, target=run_id, limit=_MAX_ACTIONS)
        if one["action"] in {"accept", activity_log.ACCEPT_RUN}
    ]
    return [
        {"at": format_wire_time(one["at"]), "by": one["actor"], "reason": one["reason"], **(one["details"] or {})}
        for one in reversed(done)
    ]


# Coverage of the publisher's lists: compares lists with the frontier of a run. Lists are added one by one and only
# counted, because twenty sitemaps may name a million URLs.

#: Most missing pages that are named; the number counts all.
MAX_NAMES = 1000
#: Twenty full sitemaps of sitemaps.org's 50,000; more are counted up to here, and the summary says so.
MAX_URLS = 1_000_000
_MAX_HOPS = 10
_BATCH_SIZE = 500
NOT_ASKED = "not_asked"
_READ_STATES = {"captured", "unchanged"}
_COUNTED_STATES = ("captured", "unchanged", "elsewhere", "excluded", "failed", "gone", "pending", NOT_ASKED)
#: An excluded URL whose page was read at its `target_url`.
_ELSEWHERE = frozenset(
    {
        ReasonCode.REDIRECTED,
        ReasonCode.REDIRECTED_OUT_OF_SCOPE,
        ReasonCode.ONLY_FRAMES,
        ReasonCode.SAME_BYTES,
        ReasonCode.CANONICAL_LINK,
        ReasonCode.ADDRESS_SIMPLIFIED,
    }
)


class PageEnd(NamedTuple):
    """Final state of a page; *target_url*: the URL that it redirected to."""

    state: str
    reason: str
    target_url: str | None = None


_UNKNOWN_END = PageEnd(NOT_ASKED, "not discovered by this run: its links are not followed that far")
#: Hash of a page's URL -> how it ended.
PageEnds = dict[str, PageEnd]


class Coverage:
    """Coverage of the pages in lists of one kind: ``sitemap``, ``contents``, ``feed`` or ``api``."""

    def __init__(self, by: str, run_id: str) -> None:
        self.on: list[str] = []
        self._by = by
        self._run_id = run_id
        self._seen = UrlHashTable()
        self._counts: Counter[str] = Counter()
        self._excluded: Counter[str] = Counter()
        self._missing: list[dict[str, str]] = []
        self._missing_in_all = 0
        self._listed = 0  # beside those that were seen one by one

    def add(
        self,
        conn: Connection,
        urls: Mapping[str, str],
        on: str | None = None,
        excluded: Mapping[str, str] | None = None,
    ) -> None:
        """Count *urls* (hash of the URL -> URL), which the list at *on* names, each once.

        *excluded* has the reasons of those that the run counts with that list, and has no rows of.
        """
        counted = {key: PageEnd("excluded", reason) for key, reason in (excluded or {}).items()}
        if len(self._seen) >= MAX_URLS:
            return
        keys = list(urls)
        for some in (keys[at : at + _BATCH_SIZE] for at in range(0, len(keys), _BATCH_SIZE)):
            known = _load_ends(conn, self._run_id, some)
            for key in some:
                if key not in self._seen:
                    found = known.get(key) or counted.get(key, _UNKNOWN_END)
                    end = _resolve_end(conn, self._run_id, found)  # first: it may fail, and come again
                    self._seen.set(key)
                    self._count(urls[key], *end)
        if on is not None:
            self.on.append(on)

    def add_counted(self, on: str | None, reason: str, urls: int) -> None:
        """Count *urls* that the run counts with a list, that at *on*, and leaves out for *reason*."""
        self._listed += urls
        self._counts["excluded"] += urls
        self._excluded[reason] += urls
        if on is not None and on not in self.on:
            self.on.append(on)

    def _count(self, url: str, state: str, reason: str) -> None:
        self._counts[state] += 1
        if state == "excluded":
            self._excluded[reason] += 1
        elif state not in {*_READ_STATES, "elsewhere"}:
            self._missing_in_all += 1
            if len(self._missing) < MAX_NAMES:
                self._missing.append({"url": url, "state": state, "reason": reason})

    def document(self) -> dict[str, Any] | None:
        """Return numbers and names; None without a list that names a page (an empty sitemap counts as one).

        ``elsewhere``: read under another address; ``not_asked``: nothing was asked there, and nothing is known of it.
        What the source's own rules exclude is counted by its reason, and is not ``missing``.
        """
        if not len(self._seen) and not self._listed and not (self._by == "sitemap" and self.on):
            return None
        return {
            "listed_by": self._by,
            "listed_on": self.on,
            "listed": len(self._seen) + self._listed,
            "cut": len(self._seen) >= MAX_URLS,
            **{state: self._counts[state] for state in _COUNTED_STATES},
            "excluded_by": dict(self._excluded.most_common()),
            "missing_in_all": self._missing_in_all,
            "missing": self._missing,
        }


def _load_ends(conn: Connection, run_id: str, keys: Iterable[str]) -> PageEnds:
    """Load the final states of the run's pages."""
    of_run = (run_urls.c.run_id == run_id) & (run_urls.c.kind == "page") & run_urls.c.url_hash.in_(list(keys))
    columns = (run_urls.c.reason, run_urls.c.reason_code, run_urls.c.reason_detail)
    ends = {}
    for row in conn.execute(select(run_urls.c.url_hash, run_urls.c.state, *columns).where(of_run)):
        is_elsewhere = row.state == "excluded" and row.reason_code in _ELSEWHERE
        target = (row.reason_detail or {}).get("target_url") if is_elsewhere else None
        ends[row.url_hash] = PageEnd(row.state, row.reason or "", target)
    return ends


def _resolve_end(conn: Connection, run_id: str, end: PageEnd) -> tuple[str, str]:
    """The final state of a listed page, at whatever URL it was read."""
    for _ in range(_MAX_HOPS):
        if end.target_url is None:
            break
        key = url_hash(end.target_url)
        there = _load_ends(conn, run_id, [key]).get(key)
        if there is None:
            break
        if there.state in _READ_STATES:
            return "elsewhere", end.reason
        end = there if there.state == "excluded" else there._replace(reason=f"{end.reason}: {there.reason}")
    return end.state, end.reason


# The publisher's lists: sitemaps and tables of contents that the run read, from its objects and rows. No requests.

#: Most tables of contents: a site has one, a guide of several books one each.
_MAX_CONTENTS_PAGES = 10
_CONTENTS_TITLE = re.compile(r"\b(?:table of contents|contents|site ?map|site index)\b", re.IGNORECASE)
_CONTENTS_SEGMENT = re.compile(r"(?:table-of-|tableof)?contents|toc|site-?map", re.IGNORECASE)
_COLLECTED_STATES = ("captured", "unchanged")


class ReadSitemap(NamedTuple):
    """A sitemap that a run read: its URL, and the objects with its bytes and with the marks of what it names."""

    url: str
    body: str
    marks: str | None


def list_read_sitemaps(conn: Connection, run_id: str) -> list[ReadSitemap]:
    """Return the sitemaps that the run read."""
    of_run = (audit.c.run_id == run_id) & (audit.c.kind == "sitemap") & (audit.c.state == "fetched")
    query = select(audit.c.url, audit.c.raw_hash).where(of_run, audit.c.raw_hash.is_not(None)).order_by(audit.c.seq)
    marks = {row.list_url: row.marks_object for row in listed_urls.list_exclusions(conn, run_id)}
    return [ReadSitemap(row.url, row.raw_hash, marks.get(row.url)) for row in conn.execute(query)]


def sitemap_pages(body: bytes, url: str, marks: bytes | None) -> tuple[dict[str, str], dict[str, str]]:
    """The pages that the sitemap *body* names; and the reasons of those that its *marks* leave out.

    Both by the hash of their URLs; 50,000 take seconds. Raises ValueError.
    """
    named = dict(_key_by_hash(sitemap_reader.read_sitemap(body, url).pages))
    listed = list_marks.marked_urls(body, url, marks) if marks is not None else ()
    return named, {url_hash(one.url): str(one.reason) for one in listed if one.reason is not None}


def _key_by_hash(named: Iterable[str]) -> Iterator[tuple[str, str]]:
    for one in named:
        try:
            url = normalise_url(one)
        except ValueError:
            continue
        yield url_hash(url), url


def contents_links(conn: Connection, run: RunRow, start_url: str) -> Iterator[tuple[str, dict[str, str]]]:
    """What the start page, and pages that call themselves contents, name inside the source's scope, each by its URL."""
    here = (run_urls.c.run_id == run.run_id) & (run_urls.c.kind == "page") & run_urls.c.state.in_(_COLLECTED_STATES)
    joined = (pages.c.url_hash == run_urls.c.url_hash) & (pages.c.source_id == run.source_id)
    query = select(pages.c.page_id, pages.c.url, pages.c.title).join_from(run_urls, pages, joined).where(here)
    start = normalise_url(start_url)
    found = []
    for row in conn.execute(query.order_by(run_urls.c.depth, run_urls.c.url)):
        if row.url == start or is_contents_page(row.url, row.title):
            found.append((row.url, row.page_id))
        if len(found) == _MAX_CONTENTS_PAGES:
            break
    for url, page_id in found:
        yield url, _load_page_links(conn, page_id)


def is_contents_page(url: str, title: str | None = None) -> bool:
    """Return whether a page is a table of contents, by its URL or *title*."""
    last = urlsplit(url).path.rstrip("/").rpartition("/")[2].partition(".")[0]
    return bool(_CONTENTS_SEGMENT.fullmatch(last) or (title and _CONTENTS_TITLE.search(title)))


def _load_page_links(conn: Connection, page_id: int) -> dict[str, str]:
    links = conn.execute(select(page_links.c.url).where(page_links.c.page_id == page_id)).scalars()
    return {url_hash(url): url for url in links}


def api_listed_pages(conn: Connection, run_id: str) -> dict[str, str]:
    """The pages named by the lists of a wiki."""
    named = (run_urls.c.run_id == run_id) & (run_urls.c.kind == "page") & (run_urls.c.found_by == "api")
    return {row.url_hash: row.url for row in conn.execute(select(run_urls.c.url_hash, run_urls.c.url).where(named))}


def feed_listed_pages(conn: Connection, run_id: str) -> dict[str, dict[str, str]]:
    """The pages named by feeds, and by sitemaps at a page's place, each by the list that names it."""
    named = (run_urls.c.run_id == run_id) & (run_urls.c.kind == "page") & (run_urls.c.found_by == "feed")
    query = select(run_urls.c.found_on, run_urls.c.url_hash, run_urls.c.url).where(named).order_by(run_urls.c.found_on)
    found: dict[str, dict[str, str]] = {}
    for row in conn.execute(query):
        found.setdefault(row.found_on, {})[row.url_hash] = row.url
    return found


# The note for a run that found only its start page.


def explain_empty_run(conn: Connection, run_id: str, source: Source) -> str | None:
    """Return why a site's run found only its start page, if the manifest may be the cause; None: it found more."""
    others = (run_urls.c.run_id == run_id) & (run_urls.c.kind == "page") & (run_urls.c.found_by != "start")
    query = select(run_urls.c.state, func.count()).where(others).group_by(run_urls.c.state)
    found = {row[0]: row[1] for row in conn.execute(query)}
    excluded = found.pop("excluded", 0) + listed_urls.count_listed(conn, run_id)
    if source.method != "crawl" or found:
        return None
    patterns = ", ".join(source.scrape_config.include_patterns)
    if patterns:
        return f"nothing was found beside the start page: include_patterns ({patterns}) match no page that it leads to"
    if excluded:
        return f"nothing was found beside the start page: all of {excluded} pages that it leads to are excluded"
    return "nothing was found beside the start page: it leads to no other page of the source's hosts"
