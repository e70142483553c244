"""What the end of a URL means beyond its page: its state in the frontier, its review, the tier that worked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders import reviews
from rori_spiders.ladder import HTTP
from rori_spiders.ledger import alerts, frontier, tier_memory
from rori_spiders.ledger.frontier import Settled
from rori_spiders.tiers import memory
from rori_spiders.urls import normalise

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.items import PageItem
    from rori_spiders.redaction import Redactor
    from rori_spiders.run import Run


def settle(conn: Connection, run: Run, ended: Sequence[tuple[PageItem, datetime]], redact: Redactor) -> None:
    """The final states of the items' URLs and of those that they exclude; and what they discovered, pending.

    *ended* has when each was recorded.
    """
    found = [
        visit for item, _ in ended for visit in (item.visit, *item.discovered, *(visit for visit, _ in item.excluded))
    ]
    frontier.discover(conn, run.run_id, found)
    ends: list[Settled] = []
    for item, now in ended:
        tier = item.fetched.tier if item.fetched else (item.attempts[-1].tier if item.attempts else None)
        verdict = item.verdict.kind if item.verdict else None
        # Reasons name URLs of the run, by which they are found again: as URLs they are redacted.
        reason = redact.url(item.reason)
        ends.append(Settled(item.visit.url, item.state, reason, tier, verdict, len(item.attempts), at=now))
        ends += [Settled(visit.url, "excluded", redact.url(why), at=now) for visit, why in item.excluded]
    frontier.settle_all(conn, run.run_id, ends)


def review(conn: Connection, run: Run, ended: Iterable[tuple[PageItem, datetime]], redact: Redactor) -> None:
    """What a person must look at because of them, or need not any more."""
    start = normalise(run.source.url)
    is_open = bool(alerts.open_alerts(conn, run.source_id))
    for item, now in ended:
        is_start = item.visit.found_by == "start" or item.visit.url == start
        was_redirected = is_start and item.fetched is not None and bool(item.fetched.redirects)
        # Other good pages only clear what is open.
        if is_open or was_redirected or item.state not in {"captured", "unchanged"}:
            reviews.note_page(conn, item, is_start=is_start, reason=redact.text(item.reason), now=now)
            is_open = True


def remember_tier(conn: Connection, run: Run, item: PageItem, now: datetime) -> None:
    """What its end says of the tier that pages of its kind begin with; not there is no fault of a tier."""
    url, known = item.visit.url, run.remembered
    is_missing = item.verdict is not None and item.verdict.kind == "not_found"
    if item.state in {"captured", "unchanged"} and item.remember is not None:
        _remember(conn, run, memory.template(url), item.remember, now)
        # The pages of a wiki are of one make, and each title is a kind of its own: one that was walled is enough.
        is_walled = run.source.method == "mediawiki" and item.remember != HTTP
        agreed = memory.agreed(url, known, 1 if is_walled else memory.KINDS_OF_A_HOST)
        is_plain = memory.host(url) in run.plain and agreed != HTTP  # many of its pages need no more than the first
        _remember(conn, run, memory.host(url), None if is_plain else agreed, now)
    elif item.state == "failed" and not is_missing:
        for kind in (memory.template(url), memory.host(url)):
            if _was_tried(known.get(kind), item):
                _remember(conn, run, kind, None, now)


def _remember(conn: Connection, run: Run, kind: str, tier: str | None, now: datetime) -> None:
    if tier is not None:
        tier_memory.remember(conn, run.source_id, kind, tier, now=now)
        run.remembered[kind] = tier
    elif run.remembered.pop(kind, None) is not None:
        tier_memory.forget(conn, run.source_id, kind)


def _was_tried(tier: str | None, item: PageItem) -> bool:
    return tier is not None and tier in {attempt.tier for attempt in item.attempts}
