"""The audit rows of a run: of its pages, sitemaps and API answers, and of the robots.txt that allowed them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders import BUILD
from rori_spiders.ladder import HTTP
from rori_spiders.ledger.audit import AuditRow

if TYPE_CHECKING:
    from datetime import datetime

    from rori_spiders.items import Fetched, PageItem
    from rori_spiders.ledger.robots import RobotsSeen
    from rori_spiders.redaction import Redactor


#: Of an answer that is no content, so much is kept for diagnosis (specification §7.2): walls have some KiB.
MOST_OF_REFUSED = 2**20


def kept(item: PageItem, fetched: Fetched) -> bytes:
    """The bytes to keep of an answer: all of what may be content, the beginning of what was judged to be none."""
    is_refused = item.state == "failed" and item.verdict is not None and item.verdict.kind != "content"
    return fetched.received[:MOST_OF_REFUSED] if is_refused else fetched.received


def _cut(item: PageItem) -> str:
    fetched = item.fetched
    if fetched is None or len(kept(item, fetched)) == len(fetched.received):
        return ""
    return f"; of {len(fetched.received)} bytes the first {MOST_OF_REFUSED} are kept"


def of_page(
    item: PageItem, redact: Redactor, *, now: datetime, raw_hash: str | None, robots_object: str | None
) -> AuditRow:
    """The audit row of a URL at its end: what was asked, what came, what was made of it. No secret is in it."""
    fetched, verdict, change = item.fetched, item.verdict, item.change
    good = item.state in {"captured", "unchanged"}
    state = item.state if item.visit.kind == "page" else ("fetched" if good else "failed")
    return AuditRow(
        run_id=item.visit.run_id,
        timestamp=now,
        manifest_id=item.visit.source_id,
        url=item.visit.url,
        engine=fetched.tier if fetched else (item.attempts[-1].tier if item.attempts else HTTP),
        state=state,
        build=BUILD,
        kind=item.visit.kind,
        http_status=fetched.status if fetched else None,
        content_hash=change.content_hash if change else None,
        content_changed=change.changed if change else None,
        response_time_ms=fetched.response_time_ms if fetched else None,
        credits_consumed=sum(attempt.credits for attempt in item.attempts),
        retry_count=fetched.retry_count if fetched else max(0, len(item.attempts) - 1),
        error=redact.text(item.reason) + _cut(item) if state == "failed" else None,
        staged_path=item.staged_path,
        reason=redact.text(item.reason) or None,
        verdict=verdict.kind if verdict else None,
        rules=[fired.rule for fired in verdict.rules] if verdict else None,
        final_url=redact.text(fetched.final_url) if fetched else None,
        redirects=[(status, redact.text(url)) for status, url in fetched.redirects] if fetched else None,
        ip_address=fetched.ip_address if fetched else None,
        request_headers=redact.headers(fetched.request_headers) if fetched else None,
        response_headers=redact.headers(fetched.headers) if fetched else None,
        raw_hash=raw_hash,
        robots_object=robots_object,
        attempts=[attempt.as_json() | {"reason": redact.text(attempt.reason)} for attempt in item.attempts],
    )


def of_robots(seen: RobotsSeen, source_id: str) -> AuditRow:
    """The audit row of a robots.txt, as it was seen."""
    return AuditRow(
        run_id=seen.run_id,
        timestamp=seen.fetched_at,
        manifest_id=source_id,
        url=f"{seen.origin}/robots.txt",
        engine=HTTP,
        kind="robots",
        state="failed" if seen.outcome == "unavailable" else "fetched",
        reason=seen.reason,
        http_status=seen.status,
        error=seen.reason if seen.outcome == "unavailable" else None,
        raw_hash=seen.object,
        build=BUILD,
    )
