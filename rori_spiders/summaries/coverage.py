"""Did we get everything that the publisher lists? In: lists, and the frontier of a run. Out: numbers, and names.

Lists are added one by one, and only what is counted is kept of them: twenty sitemaps may name a million addresses.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from rori_spiders.ledger.tables import run_urls
from rori_spiders.urls import url_hash

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlalchemy import Connection

#: As many names of missing pages as a person may want to look through; the number is always whole.
MOST_NAMES = 1000
#: Twenty full sitemaps of sitemaps.org's 50,000; more are counted up to here, and the summary says so.
MOST_URLS = 1_000_000
_HOPS = 10
_AT_ONCE = 500
NOT_ASKED = "not_asked"
_UNKNOWN = (NOT_ASKED, "not discovered by this run: its links are not followed that far")
_READ = {"captured", "unchanged"}
_COUNTED = ("captured", "unchanged", "elsewhere", "excluded", "failed", "gone", "pending", NOT_ASKED)
#: How the reason of an excluded URL names the address at which its page was read instead.
_ELSEWHERE = re.compile(r"(?:redirected to|the same page as|read at) (\S+)")

#: Hash of a page's URL -> how it ended: state and reason.
Ends = dict[str, tuple[str, str]]


class Coverage:
    """What became of the pages that lists of one kind name: ``sitemap``, ``contents`` (of a page) or ``api``."""

    def __init__(self, by: str, run_id: str) -> None:
        self.on: list[str] = []
        self._by = by
        self._run_id = run_id
        self._seen: set[int] = set()
        self._counts: Counter[str] = Counter()
        self._excluded: Counter[str] = Counter()
        self._missing: list[dict[str, str]] = []
        self._missing_in_all = 0

    def add(self, conn: Connection, urls: Mapping[str, str], on: str | None = None) -> None:
        """Count *urls* (hash of the URL -> URL), which the list at *on* names, each once."""
        if len(self._seen) >= MOST_URLS:
            return
        keys = list(urls)
        for some in (keys[at : at + _AT_ONCE] for at in range(0, len(keys), _AT_ONCE)):
            known = _ends(conn, self._run_id, some)
            for key in some:
                short = int(key[:16], 16)  # of a million, two agree in these 64 bits once in 37 million times
                if short not in self._seen:
                    end = _end(conn, self._run_id, known.get(key, _UNKNOWN))  # first: it may fail, and come again
                    self._seen.add(short)
                    self._count(urls[key], *end)
        if on is not None:
            self.on.append(on)

    def _count(self, url: str, state: str, reason: str) -> None:
        self._counts[state] += 1
        if state == "excluded":
            self._excluded[reason] += 1
        elif state not in {*_READ, "elsewhere"}:
            self._missing_in_all += 1
            if len(self._missing) < MOST_NAMES:
                self._missing.append({"url": url, "state": state, "reason": reason})

    def document(self) -> dict[str, Any] | None:
        """The numbers and names; None when no list was added, or none that names a page, but for sitemaps.

        ``elsewhere``: read under another address; ``not_asked``: nothing was asked there, and nothing is known of it.
        What the source's own rules exclude is counted by its reason, and is not ``missing``.
        """
        if not self._seen and not (self._by == "sitemap" and self.on):
            return None
        return {
            "listed_by": self._by,
            "listed_on": self.on,
            "listed": len(self._seen),
            "cut": len(self._seen) >= MOST_URLS,
            **{state: self._counts[state] for state in _COUNTED},
            "excluded_by": dict(self._excluded.most_common()),
            "missing_in_all": self._missing_in_all,
            "missing": self._missing,
        }


def _ends(conn: Connection, run_id: str, keys: Iterable[str]) -> Ends:
    """How pages of the run ended, those of them that it knows."""
    of_run = (run_urls.c.run_id == run_id) & (run_urls.c.kind == "page") & run_urls.c.url_hash.in_(list(keys))
    query = select(run_urls.c.url_hash, run_urls.c.state, run_urls.c.reason).where(of_run)
    return {row.url_hash: (row.state, row.reason or "") for row in conn.execute(query)}


def _end(conn: Connection, run_id: str, end: tuple[str, str]) -> tuple[str, str]:
    """How a listed page ended, at whatever address it was read."""
    state, reason = end
    for _ in range(_HOPS):
        found = _ELSEWHERE.search(reason) if state == "excluded" else None
        if found is None:
            break
        key = url_hash(found[1])
        there = _ends(conn, run_id, [key]).get(key)
        if there is None:
            break
        if there[0] in _READ:
            return "elsewhere", reason
        state, reason = there[0], f"{found[0]}: {there[1]}" if there[0] != "excluded" else there[1]
    return state, reason
