"""Writes what became of a URL: transaction B of the order of writing (stores/staging.py), then its index or error line.

One transaction holds the final state, the version, the page's links and validators, what was discovered and excluded,
the robots.txt that allowed it, and the audit row. Either all of it is there after a crash, or the URL is still pending.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from rori_spiders import BUILD, reviews
from rori_spiders.content import CONVERTER_VERSION
from rori_spiders.envelope import clean, error_line
from rori_spiders.ledger import audit, frontier, history, robots, runs, tier_memory
from rori_spiders.ledger.audit import AuditRow
from rori_spiders.ledger.frontier import Settled
from rori_spiders.ledger.history import NewVersion
from rori_spiders.ledger.robots import RobotsSeen
from rori_spiders.redaction import MASK
from rori_spiders.stores import staging
from rori_spiders.tiers import HTTP
from rori_spiders.tiers.memory import template
from rori_spiders.urls import host_of, normalise, origin_of

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.items import Fetched, PageItem
    from rori_spiders.job import Job
    from rori_spiders.run import Run


class Recorder:
    """Records items of one job; all writing happens in the job's one ledger thread."""

    def __init__(self, job: Job) -> None:
        self._job = job

    async def record(self, run: Run, item: PageItem) -> None:
        """Record *item*; then the run counts it. Raises WriteError or LeaseLost, and nothing was recorded."""
        now = item.at or self._job.now()
        asked, run.requests = run.requests, 0
        await self._job.in_thread(lambda: self._record(run, item, now, asked))
        run.settle(item.visit, item.state, changed=item.change is not None and item.change.changed)

    def _record(self, run: Run, item: PageItem, now: datetime, asked: int) -> None:
        redact = self._job.redactor
        raw_hash = self._evidence(item)
        robots_object = self._robots_object(item)
        with self._job.ledger.begin() as conn:
            self._job.leasing.check(conn, self._job.group(host_of(run.source.url)))
            runs.add_requests(conn, run.run_id, requests=asked, credits=sum(one.credits for one in item.attempts))
            self._robots(conn, run, item, robots_object, now)
            self._frontier(conn, run, item, now)
            self._review(conn, run, item, now)
            self._tier(conn, run, item, now)
            page_id = self._page(conn, item, now)
            failed_before = _failed_before(conn, item)
            rows = [self._row(item, now, raw_hash, robots_object)]
            rows += [audit.excluded(visit, redact.url(reason), at=now) for visit, reason in item.excluded]
            audit.append_all(conn, rows)
            if item.envelope_id is not None:
                self._version(conn, item, page_id, now)
                staging.mark_staged(conn, item.envelope_id, now=now)
        self._lines(item, now, failed_before)

    # --- the parts of the transaction -----------------------------------------------------------------------------

    def _evidence(self, item: PageItem) -> str | None:
        """The hash of the bytes as received, which are kept as an object, unless the text is the one that we hold.

        Then the hash alone says what came: a page with a clock has other bytes at each visit.
        """
        if item.fetched is None or not item.fetched.received:
            return None
        if item.state == "unchanged":
            return item.fetched.raw_hash
        return self._job.store.put_object(item.fetched.received)

    def _robots_object(self, item: PageItem) -> str | None:
        file = self._job.robots.get(origin_of(item.visit.url))
        return None if file is None or file.status is None else self._job.store.put_object(file.body)

    def _robots(self, conn: Connection, run: Run, item: PageItem, robots_object: str | None, now: datetime) -> None:
        """What the run's robots.txt said, once for each origin: as a row of its own, and in the audit."""
        origin = origin_of(item.visit.url)
        file = self._job.robots.get(origin)
        if file is None or origin in run.robots_recorded:
            return
        run.robots_recorded.add(origin)
        reason = self._job.redactor.text(file.reason) or None
        seen = RobotsSeen(run.run_id, origin, file.at, file.outcome, file.status, reason, robots_object, file.delay_s)
        robots.record(conn, seen)
        audit.append(
            conn,
            AuditRow(
                run_id=run.run_id,
                timestamp=file.at,
                manifest_id=run.source_id,
                url=f"{origin}/robots.txt",
                engine=HTTP,
                kind="robots",
                state="failed" if file.outcome == "unavailable" else "fetched",
                reason=reason,
                http_status=file.status,
                error=reason if file.outcome == "unavailable" else None,
                raw_hash=robots_object,
                build=BUILD,
            ),
        )

    def _frontier(self, conn: Connection, run: Run, item: PageItem, now: datetime) -> None:
        excluded = [visit for visit, _ in item.excluded]
        frontier.discover(conn, run.run_id, [item.visit, *item.discovered, *excluded])
        tier = item.fetched.tier if item.fetched else (item.attempts[-1].tier if item.attempts else None)
        verdict = item.verdict.kind if item.verdict else None
        redact = self._job.redactor.url  # reasons name URLs of the run, by which they are found again
        ends = [Settled(item.visit.url, item.state, redact(item.reason), tier, verdict, len(item.attempts))]
        ends += [Settled(visit.url, "excluded", redact(reason)) for visit, reason in item.excluded]
        frontier.settle_all(conn, run.run_id, ends, now=now)

    def _review(self, conn: Connection, run: Run, item: PageItem, now: datetime) -> None:
        is_start = item.visit.found_by == "start" or item.visit.url == normalise(run.source.url)
        reviews.note_page(conn, item, is_start=is_start, reason=self._job.redactor.text(item.reason), now=now)

    @staticmethod
    def _tier(conn: Connection, run: Run, item: PageItem, now: datetime) -> None:
        """What its end says of the tier that pages of its kind begin with; not there is no fault of a tier."""
        kind = template(item.visit.url)
        is_missing = item.verdict is not None and item.verdict.kind == "not_found"
        if item.state in {"captured", "unchanged"} and item.remember is not None:
            tier_memory.remember(conn, run.source_id, kind, item.remember, now=now)
            run.remembered[kind] = item.remember
        elif item.state == "failed" and not is_missing and _was_tried(run.remembered.get(kind), item):
            tier_memory.forget(conn, run.source_id, kind)
            del run.remembered[kind]

    def _page(self, conn: Connection, item: PageItem, now: datetime) -> int | None:
        """What is known of the page from now on: seen, missing, its links, its validators, its aliases."""
        if item.alias_of is not None:
            target = history.page(conn, item.visit.source_id, item.alias_of)
            if target is not None:
                history.add_alias(conn, target.page_id, item.visit.url, kind="redirect", now=now)
            return None
        if item.visit.kind != "page" or item.fetched is None or item.state == "excluded":
            return None
        if item.state == "failed":
            self._missing(conn, item, now)
            return None
        page = history.ensure_page(conn, item.visit.source_id, item.visit.url, now=now)
        if item.state == "gone":
            return page.page_id  # its last links and validators stay as they were
        if item.state == "unchanged":
            history.confirm_seen(conn, page.page_id, now=now)
        if item.fetched.status != 304:
            history.set_links(conn, page.page_id, item.links)
            self._validators(conn, page.page_id, item.fetched, now)
        for _, url in item.fetched.redirects:
            if url != item.visit.url:
                history.add_alias(conn, page.page_id, self._job.redactor.url(url), kind="redirect", now=now)
        return page.page_id

    @staticmethod
    def _missing(conn: Connection, item: PageItem, now: datetime) -> None:
        page = history.page(conn, item.visit.source_id, item.visit.url)
        if page is not None and item.verdict is not None and item.verdict.kind == "not_found":
            history.mark_missing(conn, page.page_id, now=now)

    @staticmethod
    def _validators(conn: Connection, page_id: int, fetched: Fetched, now: datetime) -> None:
        history.set_validators(
            conn,
            page_id,
            fetched.tier,
            etag=_sent_back(fetched.header("ETag")),
            last_modified=_sent_back(fetched.header("Last-Modified")),
            raw_hash=fetched.raw_hash,
            now=now,
        )

    @staticmethod
    def _version(conn: Connection, item: PageItem, page_id: int | None, now: datetime) -> None:
        assert item.change is not None and item.fetched is not None
        assert page_id is not None
        made = item.converted
        html = made.html if made is not None else None
        version = NewVersion(
            run_id=item.visit.run_id,
            captured_at=item.fetched.at,
            change_type=item.change.change_type,
            content_hash=item.change.content_hash,
            html_hash=None if html is None else sha256(clean(html).encode()).hexdigest(),
            raw_object=item.fetched.raw_hash,
            body_object=item.change.content_hash,
            section_hashes=made.section_hashes if made is not None else [],
            converter_version=CONVERTER_VERSION,
            tier=item.fetched.tier,
            title=made.title if made is not None else item.change.previous_title,
            published=item.fetched.said.published_date or (made.metadata.published_date if made is not None else None),
            effective=item.fetched.said.effective,
            publisher_version=item.fetched.said.publisher_version,
        )
        history.add_version(conn, page_id, version, body_chars=len(clean(made.markdown)) if made is not None else 0)

    def _row(self, item: PageItem, now: datetime, raw_hash: str | None, robots_object: str | None) -> AuditRow:
        fetched, verdict, change = item.fetched, item.verdict, item.change
        redact = self._job.redactor
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
            error=redact.text(item.reason) if state == "failed" else None,
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

    # --- after the transaction ------------------------------------------------------------------------------------

    def _lines(self, item: PageItem, now: datetime, failed_before: bool) -> None:
        if item.envelope_id is not None:
            staging.index(self._job.ledger, self._job.store, [item.envelope_id])
        if item.visit.kind != "page":
            return
        failed = item.state == "failed"
        if failed or (failed_before and item.state in {"captured", "unchanged", "gone"}):
            self._job.store.append_error(
                error_line(
                    timestamp=now,
                    manifest_id=item.visit.source_id,
                    url=item.visit.url,
                    error=self._job.redactor.text(item.reason) if failed else "overcome",
                    retry_count=max(0, len(item.attempts) - 1),
                    engine=item.attempts[-1].tier if item.attempts else None,
                    resolved=not failed,
                )
            )


def _was_tried(tier: str | None, item: PageItem) -> bool:
    return tier is not None and tier in {attempt.tier for attempt in item.attempts}


def _sent_back(validator: str | None) -> str | None:
    """A validator as it is asked with next time; one in which a secret was masked says nothing any more."""
    return None if validator is None or MASK in validator else validator


def _failed_before(conn: Connection, item: PageItem) -> bool:
    """Whether the URL's last end, in an earlier run, was a failure."""
    if item.visit.kind != "page":
        return False
    last = next(audit.query(conn, source_id=item.visit.source_id, url=item.visit.url, limit=1), None)
    return last is not None and last["state"] == "failed"
