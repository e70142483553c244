"""Did we get everything that the publisher lists? In: a list, the frontier of a run. Out: numbers, and names."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from rori_spiders.ledger.tables import run_urls
from rori_spiders.urls import url_hash

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.summaries.listed import Listed

#: As many names of missing pages as a person may want to look through; the number is always whole.
MOST_NAMES = 1000
_HOPS = 10
NOT_ASKED = "not_asked"
_COUNTED = ("captured", "unchanged", "elsewhere", "excluded", "failed", "gone", "pending", NOT_ASKED)
#: How the reason of an excluded URL names the address at which its page was read instead.
_ELSEWHERE = re.compile(r"(?:redirected to|the same page as|read at) (\S+)")

Ends = dict[str, tuple[str, str]]


def ends(conn: Connection, run_id: str) -> Ends:
    """How each page of the run ended: hash of its URL -> state and reason."""
    of_run = (run_urls.c.run_id == run_id) & (run_urls.c.kind == "page")
    query = select(run_urls.c.url_hash, run_urls.c.state, run_urls.c.reason).where(of_run)
    return {row.url_hash: (row.state, row.reason or "") for row in conn.execute(query)}


def coverage(listed: Listed, known: Ends) -> dict[str, Any]:
    """What became of the pages that *listed* names.

    ``elsewhere``: read under another address; ``not_asked``: nothing was asked there, and nothing is known of it. What
    the source's own rules exclude is counted by its reason, and is not ``missing``.
    """
    counts: Counter[str] = Counter()
    excluded: Counter[str] = Counter()
    missing = []
    for key, url in listed.urls.items():
        state, reason = _end(key, known)
        counts[state] += 1
        if state == "excluded":
            excluded[reason] += 1
        elif state not in {"captured", "unchanged", "elsewhere"}:
            missing.append({"url": url, "state": state, "reason": reason})
    return {
        "listed_by": listed.by,
        "listed_on": list(listed.on),
        "listed": len(listed.urls),
        "cut": listed.cut,
        **{state: counts[state] for state in _COUNTED},
        "excluded_by": dict(excluded.most_common()),
        "missing_in_all": len(missing),
        "missing": missing[:MOST_NAMES],
    }


def _end(key: str, known: Ends) -> tuple[str, str]:
    """How a listed page ended, at whatever address it was read."""
    state, reason = known.get(key, (NOT_ASKED, "not discovered by this run: its links are not followed that far"))
    for _ in range(_HOPS):
        found = _ELSEWHERE.search(reason) if state == "excluded" else None
        if found is None:
            break
        there = known.get(url_hash(found[1]))
        if there is None:
            break
        if there[0] in {"captured", "unchanged"}:
            return "elsewhere", reason
        state, reason = there[0], f"{found[0]}: {there[1]}" if there[0] != "excluded" else there[1]
    return state, reason
