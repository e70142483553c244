"""Sources whose URL is a list of an official API: a part of the CFR, a search of the Federal Register, `titles.json`.
What it names is collected, whatever the method.

Answers of the API are rows of the frontier of kind `api`, as lists of wikis are. Pages that one answer holds or
confirms end with it; the others are asked for by the tier `official`.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, urlencode

from rori_spiders.crawl.page_request import update_request
from rori_spiders.crawl.tiers.official.api import shared_answers
from rori_spiders.crawl.tiers.official.cfr_part import PartVersions, parse_versions, split_part
from rori_spiders.crawl.tiers.official.ecfr import EcfrApi, parse_cfr_part, parse_titles
from rori_spiders.crawl.tiers.official.federal_register import (
    document_id,
    document_path,
    has_full_text_fields,
    parse_document_page,
    parse_search,
)
from rori_spiders.crawl.tiers.order import OFFICIAL
from rori_spiders.crawl.walkers.base import Walker
from rori_spiders.crawl.walkers.wiki_updates import PageResult, build_ended_item
from rori_spiders.exceptions import ConversionError
from rori_spiders.items import ApiMetadata, Attempt, PageItem
from rori_spiders.ledger.pages import page_state
from rori_spiders.ledger.runs import frontier
from rori_spiders.reasons import CAPTURED, Reason, ReasonCode
from rori_spiders.urls.canonical import normalise_url, origin_of, url_hash
from rori_spiders.verdicts import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy import Request
    from scrapy.crawler import Crawler

    from rori_spiders.crawl.runs.run import Run
    from rori_spiders.crawl.tiers.official.cfr_part import PartText
    from rori_spiders.crawl.tiers.official.federal_register import DocumentPage
    from rori_spiders.items import Fetched, FrontierUrl
    from rori_spiders.ledger.pages.page_state import ConfirmablePage
    from rori_spiders.ledger.runs.frontier import UrlRow

_WARNING = ReasonCode.API_WARNING
#: Examples in a sentence.
_MAX_EXAMPLES = 3


class OfficialListWalker(Walker):
    """Asks for the answers of an API, one after the other, under the robots.txt and the pace of the source's URL."""

    def __init__(self, crawler: Crawler, run: Run) -> None:
        super().__init__(crawler, run)
        self._ended: list[PageItem] = []  # pages that need no request; they go with the item that brought them
        run.frontier.limit_pages(self.job.settings.getint("RORI_MAX_PAGES"))

    async def resume(self, pending: list[FrontierUrl]) -> list[FrontierUrl]:
        """What an earlier job could not read, or found to be missing, is missing still."""
        rows = await self.job.storage.read(lambda conn: frontier.list_urls(conn, self.run.run_id))
        for row in rows:
            if (
                row.kind == "api"
                and self._is_needed(row.url)
                and (row.state == "failed" or row.reason_code == _WARNING)
            ):
                self._lacks(f"{row.url}: {row.reason}")
        self._recall(rows)
        return await super().resume(pending)

    def _recall(self, rows: Sequence[UrlRow]) -> None:
        """Take over what earlier jobs of the run were told: *rows* are all of its frontier."""

    def _is_needed(self, url: str) -> bool:
        """Whether pages may be unknown without the answer at *url*."""
        return True

    def tier_order(self, visit: FrontierUrl) -> tuple[str, ...]:
        if visit.kind != "api":
            return super().tier_order(visit)
        order = super().tier_order(self.visit(self.run.source.url))
        return (OFFICIAL,) if OFFICIAL in order else ()

    def request(self, visit: FrontierUrl) -> Request:
        """Of the API: as if the source's own URL were asked for, whose robots.txt, host and pace hold for it."""
        request = super().request(visit)
        return request if visit.kind != "api" else request.replace(url=normalise_url(self.run.source.url), priority=100)

    async def finish(self, item: PageItem) -> list[PageItem | Request]:
        outputs = await super().finish(item)
        ended, self._ended = self._ended, []
        return [*outputs, *ended]

    async def leads_to(self, item: PageItem) -> list[FrontierUrl]:
        if item.visit.kind != "api":
            return []
        found: list[FrontierUrl] = []
        if item.state == "captured" and item.fetched is not None:
            try:
                found = await self._take(item, item.fetched)
            except (ValueError, ConversionError) as error:
                item.state, item.reason = "failed", Reason(ReasonCode.BAD_ANSWER, error=str(error))
        return found if item.state == "captured" else self._without(item)

    async def _take(self, item: PageItem, answer: Fetched) -> list[FrontierUrl]:
        """What *answer* leads to. Raises ValueError and ConversionError for what it should not be."""
        raise NotImplementedError

    def _without(self, item: PageItem) -> list[FrontierUrl]:
        """What is asked for instead of *item*, an answer that failed; without it not all pages are known."""
        self._lacks(f"{item.visit.url}: {item.reason}")
        return []

    def _lacks(self, what: str) -> None:
        self.run.limits.mark_incomplete(Reason(ReasonCode.PAGES_UNKNOWN, error=what))

    def _api_visit(self, url: str) -> FrontierUrl:
        return self.visit(url, kind="api", found_by="api")

    def _in_scope(self, item: PageItem, visits: Sequence[FrontierUrl]) -> list[FrontierUrl]:
        """Those of *visits* that belong to the source; *item* notes the others."""
        found = []
        for visit in visits:
            reason = self.run.scope.excludes(visit.url)
            if reason is None:
                found.append(visit)
            elif self.run.frontier.exclude(visit):
                item.excluded = (*item.excluded, (visit, reason))
        return found

    async def _held(self) -> dict[str, ConfirmablePage]:
        """The pages that an API gave and that are not missing, by hash of the URL."""
        held = await self.job.storage.read(
            lambda conn: page_state.load_confirmable_pages(conn, self.run.source_id, OFFICIAL)
        )
        return {key: one for key, one in held.items() if key not in self.run.history.missing}


# --- a part of the CFR -----------------------------------------------------------------------------------------------


class _CutPage(NamedTuple):
    body: bytes
    answer: Fetched
    said: ApiMetadata


class CfrPartWalker(OfficialListWalker):
    """A part: its sections and appendices, each at its own URL, and what stands around them at the part's.

    First `titles.json` says up to which day the title is current, then the part's versions whether anything is new
    since the pages were read; only then is the text asked for.
    """

    def __init__(self, crawler: Crawler, run: Run) -> None:
        super().__init__(crawler, run)
        part = parse_cfr_part(run.source.url)
        assert part is not None, "made for what is one"
        self._part, self._number = part, str(dict(part.within)["part"])
        self._api = self.job.settings["RORI_ECFR_API"].rstrip("/")
        self._url = normalise_url(run.source.url)
        self._day = ""
        self._versions = PartVersions()
        self._cut: dict[str, _CutPage] = {}
        self._confirmed: dict[str, Fetched] = {}

    def start(self) -> list[FrontierUrl]:
        day = self._days().get(f"title-{self._part.title}")
        return [self._ask_titles() if day is None else self._ask_versions(day)]

    def _days(self) -> dict[str, str]:
        """Up to which day titles are current, as far as this job has learnt it."""
        return shared_answers(self.job).get(EcfrApi.name, {})

    def _ask_titles(self) -> FrontierUrl:
        return self._api_visit(f"{self._api}/titles.json")

    def _ask_versions(self, day: str) -> FrontierUrl:
        self._day = day
        query = urlencode([("issue_date[lte]", day), *self._part.within])
        return self._api_visit(f"{self._api}/versions/title-{self._part.title}.json?{query}")

    def _ask_text(self) -> FrontierUrl:
        query = urlencode(self._part.within, quote_via=quote)
        return self._api_visit(f"{self._api}/full/{self._day}/title-{self._part.title}.xml?{query}")

    async def _take(self, item: PageItem, answer: Fetched) -> list[FrontierUrl]:
        url = item.visit.url
        if url == self._ask_titles().url:
            return [self._ask_versions(self._day_of_title(answer.body))]
        if "/versions/" in url:
            return await self._take_versions(item, answer)
        return await self._take_text(item, answer)

    def _is_needed(self, url: str) -> bool:
        return "/versions/" not in url

    def _without(self, item: PageItem) -> list[FrontierUrl]:
        """Without versions nothing says that the text is as it was: it is read."""
        if not self._is_needed(item.visit.url) and self._recalled_day(item.visit.url):
            return [self._ask_text()]
        return super()._without(item)

    def _day_of_title(self, titles: bytes) -> str:
        shared_answers(self.job)[EcfrApi.name] = parse_titles(titles)
        if (day := self._days().get(f"title-{self._part.title}")) is None:
            raise ValueError(f"the eCFR names no day up to which title {self._part.title} is current")
        return day

    def _recalled_day(self, versions_url: str) -> str:
        """The day that an earlier job of the run asked for, by the address of its question."""
        if not self._day:
            self._day = versions_url.partition("issue_date%5Blte%5D=")[2][:10]
        return self._day

    # --- its versions -------------------------------------------------------------------------------------------------

    async def _take_versions(self, item: PageItem, answer: Fetched) -> list[FrontierUrl]:
        self._versions = parse_versions(answer.body)
        self._recalled_day(item.visit.url)
        below = f"{self._url}/"
        held = {key: one for key, one in (await self._held()).items() if f"{one.url}/".startswith(below)}
        if not self._is_as_held(held):
            return [self._ask_text()]
        visits = [self.visit(one.url, found_on=item.visit.url, found_by="api") for one in held.values()]
        self._confirmed = {visit.url: answer for visit in visits}
        return self._in_scope(item, visits)

    def _is_as_held(self, held: Mapping[str, ConfirmablePage]) -> bool:
        """Whether all that we hold was read at these versions, and all that they name is held."""
        state = self._versions.state_id
        if not state or url_hash(self._url) not in held or any(one.etag != state for one in held.values()):
            return False
        named = (self.visit(place.url(self._url)).url for place in self._versions.places)
        return all(url_hash(url) in held or self.run.scope.excludes(url) is not None for url in named)

    # --- its text -----------------------------------------------------------------------------------------------------

    async def _take_text(self, item: PageItem, answer: Fetched) -> list[FrontierUrl]:
        text = await self.job.workers.run(len(answer.body), split_part, answer.body, self._number)
        if (missed := self._unmet_expectation(text)) is not None:
            item.state, item.reason = "failed", missed
            return []
        self._note_missing_sections(item, text)
        day = self._day or item.visit.url.partition("/full/")[2][:10]
        citation = f"{self._part.title} CFR"
        known = self._versions
        common = ApiMetadata(publisher_version=day, state_id=known.state_id or None)
        self._cut[self._url] = _CutPage(
            text.front, answer, replace(common, citation=f"{citation} Part {self._number}", issued=known.issued or None)
        )
        for place, body in text.sections.items():
            version = known.current.get(place.key)
            said = replace(common, citation=f"{citation} {_cited(place.level, place.name, self._number)}")
            if version is not None:
                said = replace(said, modified_date=version.amended, effective=version.effective, issued=version.issued)
            self._cut[self.visit(place.url(self._url)).url] = _CutPage(body, answer, said)
        return self._in_scope(item, [self.visit(url, found_on=item.visit.url, found_by="api") for url in self._cut])

    def _unmet_expectation(self, text: PartText) -> Reason | None:
        """What the source expects of its part; headings of parts are in capitals."""
        expect, words = self.run.source.scrape_config.expect, text.words.casefold()
        if expect is None:
            return None
        missed = next(
            (f"the text {one!r} is missing" for one in expect.must_contain or () if one.casefold() not in words), None
        )
        if expect.min_chars is not None and len(words) < expect.min_chars:
            missed = f"{len(words)} characters, fewer than min_chars {expect.min_chars}"
        return None if missed is None else Reason(ReasonCode.EXPECTATION, error=missed, note=expect.why or None)

    def _note_missing_sections(self, item: PageItem, text: PartText) -> None:
        """Sections that the versions name and the text does not hold: then it is not all of the part."""
        there = {place.key for place in text.sections}
        missing = [place.name for place in self._versions.places if place.key not in there]
        if missing:
            named = f"{len(missing)} ({', '.join(missing[:_MAX_EXAMPLES])})"
            item.reason = Reason(_WARNING, error=f"sections that the versions name and the XML lacks: {named}")
            self._lacks(f"{item.visit.url}: {item.reason}")

    # --- its pages ----------------------------------------------------------------------------------------------------

    async def requests(self, visits: Sequence[FrontierUrl]) -> list[Request]:
        """Pages that an answer held or confirmed end; the others, such as those that have left the part, are asked."""
        to_ask = []
        for visit in visits:
            if (cut := self._cut.pop(visit.url, None)) is not None:
                self._ended.append(_captured_item(visit, cut))
            elif (answer := self._confirmed.pop(visit.url, None)) is not None:
                reason = Reason(ReasonCode.SAME_VERSIONS, since=self._versions.issued)
                self._ended.append(build_ended_item(visit, PageResult("unchanged", reason), answer))
            else:
                to_ask.append(visit)
        return await super().requests(to_ask)


def _cited(level: str, name: str, part: str) -> str:
    """How a section or appendix of *part* is cited behind its title: ``1024.5``, ``Part 1024, Appendix A``."""
    if level == "section":
        return name
    return f"Part {part}, {re.sub(rf' to part {re.escape(part)}$', '', name, flags=re.IGNORECASE)}"


def _captured_item(visit: FrontierUrl, cut: _CutPage) -> PageItem:
    """The item of a page whose text an answer holds."""
    facts = replace(cut.answer, url=visit.url, final_url=visit.url, body=cut.body, said=cut.said)
    tried = Attempt(facts.tier, facts.at, facts.status, "content", CAPTURED, facts.response_time_ms)
    verdict = Verdict("content", None, 1.0)
    return PageItem(visit, "captured", fetched=facts, verdict=verdict, attempts=(tried,), at=facts.at)


# --- a search of the Federal Register --------------------------------------------------------------------------------


class FederalRegisterWalker(OfficialListWalker):
    """A search: all that it names is listed at each visit, and what is not held yet is read.

    A published document never changes: one that is held is not asked for again, nor one that another search holds or
    asks for. Documents that are corrected are corrected by other documents.
    """

    revisits = False

    def __init__(self, crawler: Crawler, run: Run) -> None:
        super().__init__(crawler, run)
        search = parse_search(run.source.url)
        assert search is not None, "made for what is one"
        self._search = search
        self._api = self.job.settings["RORI_FEDERAL_REGISTER_API"].rstrip("/")
        self._total: int | None = None  # documents of the search, by the API's first answer
        self._named: set[str] = set()  # documents that it has named
        self._told: dict[str, str] = {}  # what it said of documents, by their URL
        self._final: dict[str, Fetched] = {}
        expect = run.source.scrape_config.expect
        self._expected = set(expect.must_contain or ()) if expect is not None else set()

    def start(self) -> list[FrontierUrl]:
        return [self._api_visit(self._search.url(self._api))]

    def _recall(self, rows: Sequence[UrlRow]) -> None:
        """The documents that earlier jobs were told of, and what they read of the lists."""
        self._named = {row.url for row in rows if row.kind == "page"}
        self.run.scope.limit_to(self._named)
        lists = [row for row in rows if row.kind == "api"]
        read = [row for row in lists if row.state == "captured"]
        if read:
            self._total = max((row.reason_detail or {}).get("listed", 0) for row in read)
            self._expected = set()  # in answers that were read then
        if read and not any(row.state == "pending" for row in lists):
            self._note_missing()

    async def _take(self, item: PageItem, answer: Fetched) -> list[FrontierUrl]:
        found = parse_document_page(answer.body, self._api)
        self._total = found.count if self._total is None else self._total
        item.reason = Reason(ReasonCode.LISTED, listed=self._total, pages=len(found.documents))
        text = answer.body.decode("utf-8", "replace").casefold()
        self._expected -= {one for one in self._expected if one.casefold() in text}
        held = {one.etag: one.url for one in (await self._held()).values()}
        visits = [visit for one in found.documents if (visit := self._document(item, one, held, answer)) is not None]
        self.run.scope.limit_to(visit.url for visit in visits)
        further = self._next(item.visit.url, found)
        if further is None:
            self._note_missing()
        return [*([self._api_visit(further)] if further else []), *self._in_scope(item, visits)]

    def _document(
        self, item: PageItem, document: dict[str, Any], held: Mapping[str, str], answer: Fetched
    ) -> FrontierUrl | None:
        """The visit of a document that an answer names; None for what has no number."""
        path = document_path(document)
        if path is None:
            return None
        kept = held.get(document_id(document))
        url = kept or f"{origin_of(normalise_url(self.run.source.url))}{path}"
        visit = self.visit(url, found_on=item.visit.url, found_by="api")
        self._named.add(visit.url)
        if kept is not None:
            self._final[visit.url] = answer
        else:
            self.job.claimed_documents.setdefault(url_hash(visit.url), self.run.source_id)
            if has_full_text_fields(document):
                self._told[visit.url] = json.dumps(document)
        return visit

    def _next(self, url: str, found: DocumentPage) -> str | None:
        """The next page; behind the last that the API gives of a search, the rest of it by its days."""
        if found.next_url is not None and found.documents:
            return self._new(found.next_url)
        days = [str(one.get("publication_date") or "") for one in found.documents]
        if self._total is None or len(self._named) >= self._total or not days or not days[-1]:
            return None
        return self._new(self._search.beyond(days[-1]).url(self._api))

    def _new(self, url: str) -> str | None:
        """*url*, unless it was asked already: then it leads nowhere."""
        return None if url_hash(normalise_url(url)) in self.run.frontier.known else url

    def _note_missing(self) -> None:
        """Fewer documents than the search has: not all of them are known."""
        if self._total is not None and len(self._named) < self._total:
            self._lacks(f"the search has {self._total} documents, and its pages name {len(self._named)}")
        elif self._expected:
            expect = self.run.source.scrape_config.expect
            missed = f"the text {min(self._expected)!r} is missing"
            note = expect.why if expect is not None else None
            self.run.limits.mark_incomplete(Reason(ReasonCode.EXPECTATION, error=missed, note=note or None))

    def request(self, visit: FrontierUrl) -> Request:
        request = super().request(visit)
        if (told := self._told.pop(visit.url, None)) is not None:
            update_request(request, learnt={"document": told})
        return request

    async def requests(self, visits: Sequence[FrontierUrl]) -> list[Request]:
        to_ask = []
        for visit in visits:
            if (answer := self._final.pop(visit.url, None)) is None:
                to_ask.append(visit)
            else:
                reason = Reason(ReasonCode.FINAL_DOCUMENT, revision=visit.url.rstrip("/").split("/")[-1])
                self._ended.append(build_ended_item(visit, PageResult("unchanged", reason), answer))
        return await super().requests(to_ask)


# --- titles.json -----------------------------------------------------------------------------------------------------


class TitlesWalker(OfficialListWalker):
    """`titles.json`: it says what changed, for sources of parts, and is no document."""

    def start(self) -> list[FrontierUrl]:
        return [self._api_visit(self.run.source.url)]

    async def _take(self, item: PageItem, answer: Fetched) -> list[FrontierUrl]:
        shared_answers(self.job)[EcfrApi.name] = found = parse_titles(answer.body)
        item.reason = Reason(ReasonCode.LISTED, listed=len(found) - 1)
        return []
