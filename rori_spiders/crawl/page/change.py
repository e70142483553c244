"""Decide whether the text changed, by hash of the markdown (S0 §5.4), never across converters."""

import asyncio
import re
from collections.abc import Container
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.http.request import NO_CALLBACK
from sqlalchemy import Connection

from rori_spiders.content import converter_version
from rori_spiders.content.sections import content_hash
from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.page.conversion import convert_page
from rori_spiders.crawl.page.duplicates import find_copied_page
from rori_spiders.crawl.page_request import exchange, page_request
from rori_spiders.crawl.runs import tombstones
from rori_spiders.crawl.tiers import escalation
from rori_spiders.crawl.tiers.order import MEDIAWIKI, restore_page
from rori_spiders.crawl.tiers.refusals import NotOurs
from rori_spiders.crawl.walkers import page_items
from rori_spiders.exceptions import ConversionError, JobStopped
from rori_spiders.items import PERMANENT_REDIRECTS, Attempt, Change, Fetched, PageItem
from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.pages.page_history import PageRow
from rori_spiders.ledger.pages.page_state import PageText
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.reviews.events import MISSING_VERDICTS
from rori_spiders.runtime.control_characters import replace_surrogates
from rori_spiders.urls.canonical import host_of, normalise_url
from rori_spiders.verdicts.verdict import FiredRule, Verdict

#: A page with under half of its last good text is held before it is staged (DESIGN §4.3).
SUSPECT_SHARE = 0.5
#: Ends of addresses that bring no page of their own; where they lead stands in the reason.
_LED_AWAY = frozenset({ReasonCode.REDIRECTED, ReasonCode.REDIRECTED_OUT_OF_SCOPE, ReasonCode.REDIRECTED_OFF_SITE})
LED_AWAY_RULE = "held-page-redirects"
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class _HeldPage:
    """The ledger's data about a page."""

    page: PageRow
    text: PageText


class ChangeDetector:
    """new, modified or unchanged; held as suspect; or gone."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._job = Job.of(crawler)
        self._previous_tier = PreviousTierCheck(crawler)

    async def compare_with_held(self, item: PageItem) -> None:
        """Compare a page that was captured, unchanged or missing with the text that the ledger holds."""
        if item.led_away_by is not None and item.reason.code in _LED_AWAY and item.visit.found_by != "start":
            await self._note_led_away(item)
        is_missing = item.state == "failed" and item.verdict is not None and item.verdict.kind in MISSING_VERDICTS
        if not is_missing and item.state not in {"captured", "unchanged"}:
            return
        before = await self._before(item)
        if not is_missing:
            await self._compare(item, before)
        elif before is not None and before.page.gone_at is None:
            await self._missed(item, before)
        run = self._job.runs.get(item.visit.run_id)
        if run is not None and item.state in {"captured", "unchanged"}:
            run.frontier.count_good_page()

    async def _note_led_away(self, item: PageItem) -> None:
        """A page that we hold redirects: it is missing, unless its text may have moved with it."""
        before, target = await self._before(item), str(item.reason.detail["target_url"])
        if before is None or before.page.gone_at is not None:
            return
        if item.reason.code == ReasonCode.REDIRECTED and await self._job.storage.read(
            lambda conn: page_history.is_text_elsewhere(conn, before.page, normalise_url(target))
        ):
            return
        item.state, item.fetched, item.reason = "failed", item.led_away_by, item.reason.extended(ReasonCode.LED_AWAY)
        item.verdict = Verdict("not_found", None, 1.0, (FiredRule(LED_AWAY_RULE, "status"),))

    async def _missed(self, item: PageItem, before: _HeldPage) -> None:
        """A page that we hold is not found: a failure at first, gone on the second look.

        Where only its words say so, and no status, a person decides on the second look: words were judged.
        """
        run, now = self._job.runs.get(item.visit.run_id), item.at or self._job.now()
        missing = before.page.missing_since
        if run is None or missing is None or not tombstones.should_mark_gone(missing, now):
            return
        if item.led_away_by is not None and item.led_away_by.status not in PERMANENT_REDIRECTS:
            return  # for now, the server says; walls do so, too
        if run.history.removals_held:
            item.reason = Reason(ReasonCode.MASS_REMOVAL, before=str(item.reason))
            return
        if (missed := run.below_baseline) is not None:
            item.reason = Reason(ReasonCode.TOO_FEW_PAGES, before=str(item.reason), **missed)
            return
        since = f"{missing:%Y-%m-%d %H:%M} UTC"
        assert item.verdict is not None
        if item.verdict.kind != "not_found":
            item.reason = Reason(ReasonCode.SOFT_REMOVAL, before=str(item.reason), since=since)
            return
        if not tombstones.should_mark_gone(await self._status_since(before.page, missing), now):
            return
        target = item.reason.detail.get("target_url")
        item.state, item.reason = "gone", Reason(ReasonCode.GONE, since=since, target_url=target)
        item.change = Change("deleted", content_hash(""), before.text.content_hash, before.page.title)
        self._crawler.stats.inc_value(f"rori/change/{item.change.change_type}")

    async def _status_since(self, page: PageRow, missing: datetime) -> datetime | None:
        """Since when a status, not the page's words alone, says that it is not there; None: it never did before."""
        looks = await self._job.storage.read(
            lambda conn: audit_log.first_times(conn, page.source_id, page.url, since=missing)
        )
        return looks.get("not_found") if "soft_404" in looks else missing

    async def _before(self, item: PageItem) -> _HeldPage | None:
        known = await self._job.page_states.of(item.visit)
        return None if known is None or known.text is None else _HeldPage(known.page, known.text)

    async def _compare(self, item: PageItem, before: _HeldPage | None) -> None:
        if item.state == "unchanged":  # the server says so, of what we hold
            if before is None:
                item.state, item.reason = "failed", Reason(ReasonCode.NOT_MODIFIED_UNKNOWN)
            else:
                item.change = Change("unchanged", before.text.content_hash, before.text.content_hash)
            return
        assert item.converted is not None
        markdown = replace_surrogates(item.converted.markdown)
        digest_now = content_hash(markdown)
        if before is None:
            item.change = Change("new", digest_now)
        elif before.page.gone_at is not None:
            item.change = Change("modified", digest_now, before.text.content_hash)
        elif (why := await self._why_unchanged(item, before, digest_now)) is not None:
            item.change = Change("unchanged", before.text.content_hash, before.text.content_hash)
            item.state, item.reason = "unchanged", why
        elif (why := await self._why_held(item, before, markdown, digest_now)) is not None:
            item.state, item.reason = "failed", why
        else:
            item.change = Change("modified", digest_now, before.text.content_hash)
        if item.change is not None:
            self._crawler.stats.inc_value(f"rori/change/{item.change.change_type}")

    async def _why_held(self, item: PageItem, before: _HeldPage, markdown: str, digest_now: str) -> Reason | None:
        """Why the changed text waits for a person; None: it does not."""
        chars, chars_before = len(markdown), before.page.body_chars or 0
        if item.verdict is not None and item.verdict.is_doubtful:
            return Reason(ReasonCode.DOUBTFUL, rule=item.verdict.rules[0].rule)
        if (older := _older_edition(item, before.text)) is not None:
            return older
        if chars < SUSPECT_SHARE * chars_before:
            return Reason(ReasonCode.SUSPECT, percent=100 * chars // (chars_before or 1))
        if chars < chars_before and await self._has_lost_its_end(item, before, markdown):
            return Reason(ReasonCode.CUT_SHORT)
        other = await find_copied_page(self._job, item, held=before.text.content_hash, now=digest_now, chars=chars)
        return None if other is None else Reason(ReasonCode.COPY_OF_PAGE, target_url=other)

    async def _has_lost_its_end(self, item: PageItem, before: _HeldPage, markdown: str) -> bool:
        """Whether a program or a connection may have failed in the middle of the page, which no length told.

        Some pages have no end tag, and minifiers take it away: the last version must have had it, and the last line of
        its text must be missing.
        """
        assert item.converted is not None and item.fetched is not None
        if item.converted.html is None or _has_end(item.fetched.body):
            return False
        storage = self._job.storage
        held = await storage.run(lambda: storage.store.get_object(before.text.content_hash).decode())
        if held.rstrip().rpartition("\n")[2] in markdown:
            return False
        return _has_end(await storage.run(lambda: storage.store.get_object(before.text.raw_object)))

    async def _why_unchanged(self, item: PageItem, before: _HeldPage, digest_now: str) -> Reason | None:
        """Why the page is the one that we hold, whatever differs in how it was fetched and converted."""
        held = before.text.content_hash
        try:
            hashes = {held, held if digest_now == held else await self._held_today(item, before)}
            if digest_now in hashes:
                return Reason(ReasonCode.SAME_TEXT)
            if await self._previous_tier.shows(item, before.text, hashes):
                return Reason(ReasonCode.SAME_TEXT_BY_TIER, tier=before.text.tier)
        except (JobStopped, NotOurs) as error:
            raise DropItem(str(error)) from error  # it stays pending
        return None

    async def _held_today(self, item: PageItem, before: _HeldPage) -> str:
        """The hash of the bytes that we hold, converted as we convert today: by the charset that came with them."""
        source = self._job.manifests.catalog.source(item.visit.source_id)
        if before.text.converter_version == converter_version(source.scrape_config.ocr):
            return before.text.content_hash
        raw = await self._job.storage.run(lambda: self._job.storage.store.get_object(before.text.raw_object))
        came = await self._job.storage.read(
            lambda conn: audit_log.response_of_version(conn, before.text.run_id, before.page.url_hash)
        )
        url = (came and came.final_url) or item.visit.url
        body, content_type = restore_page(before.text.tier, raw, came.content_type if came else None, url)
        try:
            again = await convert_page(self._job, body, url=url, content_type=content_type, source=source)
        except ConversionError:
            return before.text.content_hash
        return content_hash(replace_surrogates(again.markdown))


def _older_edition(item: PageItem, held: PageText) -> Reason | None:
    """Where an API gives an earlier day or revision than the one that we hold: its caches may be behind."""
    assert item.fetched is not None
    now, then = item.fetched.api_metadata.publisher_version or "", held.publisher_version or ""
    if item.fetched.tier != held.tier:
        return None
    if _DAY.fullmatch(now) and _DAY.fullmatch(then) and now < then:
        return Reason(ReasonCode.OLDER_EDITION, as_of=now, since=then)
    if item.fetched.tier == MEDIAWIKI and now.isdecimal() and then.isdecimal() and int(now) < int(then):
        return Reason(ReasonCode.OLDER_EDITION, as_of=f"revision {now}", since=f"revision {then}")
    return None


def _has_end(body: bytes) -> bool:
    return b"</html" in body.lower()


# A page that came by another tier than the text that we hold: the former tier is asked once, before it is a change. A
# browser, an API and plain HTTP show the same page in other words: the page has not changed (DESIGN §4.3).


class PreviousTierCheck:
    """Checks that the previous tier still serves a page, for all pages of one crawler."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._job = Job.of(crawler)

    async def shows(self, item: PageItem, text: PageText, hashes: Container[str]) -> bool:
        """Whether the tier of *text* still shows it: a text of one of *hashes*. The try stands among the item's.

        False where that tier cannot say: it is not allowed or not here any more, it was tried for the page already, or
        it fails now. Raises JobStopped and NotOurs.
        """
        facts, request = item.fetched, cast("Request | None", item.request)
        if facts is None or request is None or facts.tier == text.tier:
            return False
        if text.tier in {attempt.tier for attempt in item.attempts} or text.tier not in (
            page_request(request).tier_order or ()
        ):
            return False
        if await self._job.storage.read(lambda conn: _was_identical_before(conn, text, facts)):
            return True
        answer = await self._ask(request, text.tier, item)
        if answer is None:
            return False
        return answer.status == 304 or await self._hash(answer, item) in hashes

    async def _ask(self, request: Request, tier: str, item: PageItem) -> Fetched | None:
        again = escalation.request_for_tier(tier, request, tier_order=(tier,), is_previous_tier_check=True).replace(
            callback=NO_CALLBACK, errback=None
        )
        group = self._job.manifests.group(host_of(again.url))
        await self._job.stop.unless_stopped(asyncio.sleep(self._job.politeness.due_in(group)))
        facts, verdict, failed = None, None, None
        try:
            response = await self._crawler.engine.download_async(again)
        except (NotOurs, JobStopped):
            raise
        except Exception as error:
            failed = f"{type(error).__name__}: {error}"
        else:
            facts = page_items.build_fetched(response, self._job.now())
            found = exchange(response.request).verdict if response.request is not None else None
            verdict = None if found is None else found.kind
        tried = Attempt(
            tier,
            self._job.now(),
            None if facts is None else facts.status,
            verdict,
            Reason(ReasonCode.PREVIOUS_TIER_CHECKED, error=failed),
            0 if facts is None else facts.response_time_ms,
            0 if facts is None else facts.credits,
        )
        item.attempts = (*item.attempts[:-1], tried, *item.attempts[-1:])
        self._crawler.stats.inc_value("rori/change/former_tier_asked")
        is_page = facts is not None and (facts.status == 304 or verdict == "content")
        return facts if is_page else None

    async def _hash(self, facts: Fetched, item: PageItem) -> str | None:
        kind, source = facts.header("Content-Type"), self._job.manifests.catalog.source(item.visit.source_id)
        try:
            page = await convert_page(self._job, facts.body, url=facts.final_url, content_type=kind, source=source)
        except ConversionError:
            return None
        return content_hash(replace_surrogates(page.markdown))


def _was_identical_before(conn: Connection, text: PageText, facts: Fetched) -> bool:
    """Whether these very bytes by this tier were found to be the same page before, since we hold its text."""
    known = page_history.find_validators(conn, text.page_id, facts.tier)
    return known is not None and known.raw_hash == facts.raw_hash and known.seen_at > text.captured_at
