"""Sources whose URL is a list of an official API: a part of the CFR, a search of the Federal Register, `titles.json`.
What it names is collected, whatever the method; the parts of a chapter or title of the CFR, where it is crawled.

Answers of the API are rows of the frontier of kind `api`, as lists of wikis are. Pages that one answer holds or
confirms end with it; the others are asked for by the tier `official`.
"""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from rori_spiders.crawl.page_request import update_request
from rori_spiders.crawl.tiers.official.api import PageNotFound, shared_answers
from rori_spiders.crawl.tiers.official.cfr_part import PartPlace, PartVersions, parse_versions, split_part
from rori_spiders.crawl.tiers.official.ecfr import (
    CFR_LEVELS,
    HTML,
    CfrPlace,
    EcfrApi,
    list_parts,
    parse_cfr_part,
    parse_cfr_url,
    parse_titles,
    render_contents,
)
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
from rori_spiders.ledger.pages.page_history import CONFIRMED_FOR
from rori_spiders.ledger.runs import frontier
from rori_spiders.reasons import CAPTURED, Reason, ReasonCode
from rori_spiders.urls.canonical import normalise_url, origin_of, url_hash
from rori_spiders.verdicts import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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
_TAG = re.compile(r"<[^<>]*>")
#: A text that was issued so shortly before the day of its title is read again at the next visit. An answer out of a
#: cache from before the issue would be taken for the new text, and the versions would confirm it ever after. How long
#: the eCFR's caches live is not documented.
_SETTLED_AFTER = timedelta(days=2)
#: The day in an address of the eCFR's API.
_DAY_IN_URL = re.compile(r"(?:/structure/|/full/|issue_date%5Blte%5D=)(\d{4}-\d\d-\d\d)")


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
        """Take over what earlier jobs of the run found: *rows* are all of its frontier."""

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
            else:
                self.exclude(item, visit, reason)
        return found

    async def _held(self) -> dict[str, ConfirmablePage]:
        """The pages that an API gave and that are not missing, by hash of the URL."""
        held = await self.job.storage.read(
            lambda conn: page_state.load_confirmable_pages(conn, self.run.source_id, OFFICIAL)
        )
        return {key: one for key, one in held.items() if key not in self.run.history.missing}


# --- parts of the CFR -----------------------------------------------------------------------------------------------


class _CutPage(NamedTuple):
    body: bytes
    answer: Fetched
    api_metadata: ApiMetadata


@dataclass(slots=True)
class _Part:
    """A part that is collected. ``url``: of its page; those of its sections lie below it."""

    place: CfrPlace
    url: str
    versions: PartVersions = field(default_factory=PartVersions)

    @property
    def number(self) -> str:
        return str(dict(self.place.within)["part"])


class CfrWalker(OfficialListWalker):
    """A part: its sections and appendices, each at its own URL, and what stands around them at the part's. Or all parts
    of a chapter or title, and its table of contents.

    First `titles.json` says up to which day the title is current, and the structure of the title which parts there are;
    then a part's versions whether anything is new since its pages were read; only then is its text asked for.
    """

    def __init__(self, crawler: Crawler, run: Run) -> None:
        super().__init__(crawler, run)
        place = parse_cfr_url(run.source.url)
        assert place is not None, "made for what is one"
        self._place, self._is_part = place, parse_cfr_part(run.source.url) is not None
        self._api = self.job.settings["RORI_ECFR_API"].rstrip("/")
        self._url = normalise_url(run.source.url)
        self._day = ""
        self._parts: dict[tuple[tuple[str, str], ...], _Part] = {}
        self._cut: dict[str, _CutPage] = {}
        self._confirmed: dict[str, tuple[Fetched, str | None]] = {}  # and when its versions were issued

    def start(self) -> list[FrontierUrl]:
        day = self._days().get(f"title-{self._place.title}")
        return [self._ask_titles() if day is None else self._ask_first(day)]

    def _days(self) -> dict[str, str]:
        """Up to which day titles are current, as far as this job has learnt it."""
        return shared_answers(self.job).get(EcfrApi.name, {})

    def _ask_titles(self) -> FrontierUrl:
        return self._api_visit(f"{self._api}/titles.json")

    def _ask_first(self, day: str) -> FrontierUrl:
        """What says of the source's place what there is."""
        self._day = day
        if self._is_part:
            return self._ask_versions(self._place)
        return self._api_visit(f"{self._api}/structure/{day}/title-{self._place.title}.json")

    def _ask_versions(self, part: CfrPlace) -> FrontierUrl:
        query = urlencode([("issue_date[lte]", self._day), *part.within])
        return self._api_visit(f"{self._api}/versions/title-{part.title}.json?{query}")

    def _ask_text(self, part: _Part) -> FrontierUrl:
        query = urlencode(part.place.within, quote_via=quote)
        return self._api_visit(f"{self._api}/full/{self._day}/title-{part.place.title}.xml?{query}")

    def _part_of(self, api_url: str) -> _Part:
        """The part that an address of the API asks for; it has the source's own URL where it is the source."""
        named = dict(parse_qsl(urlsplit(api_url).query))
        within = tuple((level, named[level]) for level in CFR_LEVELS if level in named)
        if within not in self._parts:
            place = CfrPlace(self._place.title, within)
            url = self._url if self._is_part else normalise_url(f"{origin_of(self._url)}{place.path}")
            self._parts[within] = _Part(place, url)
        return self._parts[within]

    async def _take(self, item: PageItem, answer: Fetched) -> list[FrontierUrl]:
        url = item.visit.url
        if url == self._ask_titles().url:
            return [self._ask_first(self._day_of_title(answer.body))]
        if "/structure/" in url:
            return self._take_structure(item, answer)
        if "/versions/" in url:
            return await self._take_versions(item, answer, self._part_of(url))
        return await self._take_text(item, answer, self._part_of(url))

    def _is_needed(self, url: str) -> bool:
        return "/versions/" not in url

    def _without(self, item: PageItem) -> list[FrontierUrl]:
        """Without versions nothing says that the text is as it was: it is read."""
        if not self._is_needed(item.visit.url) and self._recalled_day(item.visit.url):
            return [self._ask_text(self._part_of(item.visit.url))]
        return super()._without(item)

    def _day_of_title(self, titles: bytes) -> str:
        shared_answers(self.job)[EcfrApi.name] = parse_titles(titles)
        if (day := self._days().get(f"title-{self._place.title}")) is None:
            raise ValueError(f"the eCFR reports no current date for title {self._place.title}")
        return day

    def _recalled_day(self, url: str) -> str:
        """The day that an earlier job of the run asked for, by the address of its question."""
        if not self._day and (found := _DAY_IN_URL.search(url)) is not None:
            self._day = found[1]
        return self._day

    # --- which parts --------------------------------------------------------------------------------------------------

    def _take_structure(self, item: PageItem, answer: Fetched) -> list[FrontierUrl]:
        self._recalled_day(item.visit.url)
        try:
            contents = render_contents(answer.body, self._place)
            parts = list_parts(answer.body, self._place)
        except PageNotFound as error:
            raise ValueError(str(error)) from error
        words = " ".join(html.unescape(_TAG.sub(" ", contents)).split())
        if (missed := self._unmet_expectation(words)) is not None:
            item.state, item.reason = "failed", missed
            return []
        as_page = replace(answer, headers={"Content-Type": [HTML]}, raw=answer.body)
        metadata = ApiMetadata(publisher_version=self._day)
        self._cut[self._url] = _CutPage(contents.encode(), as_page, metadata)
        return [self.visit(self._url, found_on=item.visit.url, found_by="api"), *self._parts_in_scope(item, parts)]

    def _parts_in_scope(self, item: PageItem, parts: Iterable[CfrPlace]) -> list[FrontierUrl]:
        """The questions for the versions of *parts*; *item* notes those of which no page belongs to the source."""
        found = []
        for place in parts:
            question = self._ask_versions(place)
            part = self._part_of(question.url)
            page, section = self.visit(part.url), PartPlace("section", f"{part.number}.1").url(part.url)
            reason = self.run.scope.excludes(page.url)
            if reason is None or self.run.scope.excludes(normalise_url(section)) is None:
                found.append(question)
            else:
                self.exclude(item, page, reason)
        return found

    # --- their versions -----------------------------------------------------------------------------------------------

    async def _take_versions(self, item: PageItem, answer: Fetched, part: _Part) -> list[FrontierUrl]:
        part.versions = parse_versions(answer.body)
        self._recalled_day(item.visit.url)
        held = await self._held_of(part)
        if not self._is_as_held(part, held):
            return [self._ask_text(part)]
        visits = [self.visit(one.url, found_on=item.visit.url, found_by="api") for one in held.values()]
        self._confirmed |= {visit.url: (answer, part.versions.issued) for visit in visits}
        return self._in_scope(item, visits)

    async def _held_of(self, part: _Part) -> dict[str, ConfirmablePage]:
        below = f"{part.url}/"
        return {key: one for key, one in (await self._held()).items() if f"{one.url}/".startswith(below)}

    def _is_as_held(self, part: _Part, held: Mapping[str, ConfirmablePage]) -> bool:
        """Whether all that we hold was read at these versions, and all that they name is held."""
        state, scope, since = part.versions.state_id, self.run.scope, self.job.now() - CONFIRMED_FOR
        if not state or any(one.etag != state or one.read_at < since for one in held.values()):
            return False
        named = (self.visit(url).url for url in (part.url, *(place.url(part.url) for place in part.versions.places)))
        return all(url_hash(url) in held or scope.excludes(url) is not None for url in named)

    # --- their texts --------------------------------------------------------------------------------------------------

    async def _take_text(self, item: PageItem, answer: Fetched, part: _Part) -> list[FrontierUrl]:
        day = self._recalled_day(item.visit.url)
        self._check_day(day, await self._held_of(part))
        text = await self.job.workers.run(len(answer.body), split_part, answer.body, part.number)
        if self._is_part and (missed := self._unmet_expectation(text.words)) is not None:
            item.state, item.reason = "failed", missed
            return []
        self._note_missing_sections(item, text, part)
        citation, known = f"{part.place.title} CFR", part.versions
        state_id = known.state_id and (known.state_id if _is_settled(known, day) else f"{known.state_id} on {day}")
        common = ApiMetadata(publisher_version=day, state_id=state_id or None)
        metadata = replace(common, citation=f"{citation} Part {part.number}", issued=known.issued or None)
        cut = {part.url: _CutPage(text.front, answer, metadata)}
        for place, body in text.sections.items():
            version = known.current.get(place.key)
            metadata = replace(common, citation=f"{citation} {_cited(place.level, place.name, part.number)}")
            if version is not None:
                metadata = replace(
                    metadata, modified_date=version.amended, effective=version.effective, issued=version.issued
                )
            cut[self.visit(place.url(part.url)).url] = _CutPage(body, answer, metadata)
        self._cut |= cut
        return self._in_scope(item, [self.visit(url, found_on=item.visit.url, found_by="api") for url in cut])

    def _check_day(self, day: str, held: Mapping[str, ConfirmablePage]) -> None:
        """Raises ValueError for a day that is to come, and for one before the text that we hold."""
        title, newest = self._place.title, max((one.publisher_version or "" for one in held.values()), default="")
        if date.fromisoformat(day) > self.job.now().date() + timedelta(days=1):
            raise ValueError(f"the eCFR gives title {title} as of {day}, which is to come")
        if day < newest:
            raise ValueError(f"the eCFR gives title {title} as of {day}, before {newest}, of which we hold it")

    def _unmet_expectation(self, words: str) -> Reason | None:
        """What the source expects of its part, or of its table of contents; headings of parts are in capitals."""
        expect, folded = self.run.source.scrape_config.expect, words.casefold()
        if expect is None:
            return None
        missed = next(
            (f"the text {one!r} is missing" for one in expect.must_contain or () if one.casefold() not in folded), None
        )
        if expect.min_chars is not None and len(folded) < expect.min_chars:
            missed = f"{len(folded)} characters, fewer than min_chars {expect.min_chars}"
        return None if missed is None else Reason(ReasonCode.EXPECTATION, error=missed, note=expect.why or None)

    def _note_missing_sections(self, item: PageItem, text: PartText, part: _Part) -> None:
        """Sections that the versions name and the text does not hold: then it is not all of the part."""
        there = {place.key for place in text.sections}
        missing = [place.name for place in part.versions.places if place.key not in there]
        if missing:
            named = f"{len(missing)} ({', '.join(missing[:_MAX_EXAMPLES])})"
            item.reason = Reason(_WARNING, error=f"sections that the versions name and the XML lacks: {named}")
            self._lacks(f"{item.visit.url}: {item.reason}")

    # --- their pages --------------------------------------------------------------------------------------------------

    async def requests(self, visits: Sequence[FrontierUrl]) -> list[Request]:
        """Pages that an answer held or confirmed end; the others, such as those that have left the part, are asked."""
        to_ask = []
        for visit in visits:
            if (cut := self._cut.pop(visit.url, None)) is not None:
                self._ended.append(_captured_item(visit, cut))
            elif (confirmed := self._confirmed.pop(visit.url, None)) is not None:
                answer, issued = confirmed
                reason = Reason(ReasonCode.SAME_VERSIONS, since=issued)
                self._ended.append(build_ended_item(visit, PageResult("unchanged", reason), answer))
            else:
                to_ask.append(visit)
        return await super().requests(to_ask)


def _is_settled(known: PartVersions, day: str) -> bool:
    return known.issued <= str(date.fromisoformat(day) - _SETTLED_AFTER)


def _cited(level: str, name: str, part: str) -> str:
    """How a section or appendix of *part* is cited behind its title: ``1024.5``, ``Part 1024, Appendix A``."""
    if level == "section":
        return name
    return f"Part {part}, {re.sub(rf' to part {re.escape(part)}$', '', name, flags=re.IGNORECASE)}"


def _captured_item(visit: FrontierUrl, cut: _CutPage) -> PageItem:
    """The item of a page whose text an answer holds."""
    facts = replace(cut.answer, url=visit.url, final_url=visit.url, body=cut.body, api_metadata=cut.api_metadata)
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
        self._documents: dict[str, str] = {}  # what it said of documents, by their URL
        self._final: dict[str, Fetched] = {}
        expect = run.source.scrape_config.expect
        self._expected = set(expect.must_contain or ()) if expect is not None else set()

    def start(self) -> list[FrontierUrl]:
        return [self._api_visit(self._search.url(self._api))]

    def _recall(self, rows: Sequence[UrlRow]) -> None:
        """The documents that earlier jobs found, and what they read of the lists."""
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
        held_url = held.get(document_id(document))
        url = held_url or f"{origin_of(normalise_url(self.run.source.url))}{path}"
        visit = self.visit(url, found_on=item.visit.url, found_by="api")
        self._named.add(visit.url)
        if held_url is not None:
            self._final[visit.url] = answer
        else:
            self.job.claimed_documents.setdefault(url_hash(visit.url), self.run.source_id)
            if has_full_text_fields(document):
                self._documents[visit.url] = json.dumps(document)
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
        if (document := self._documents.pop(visit.url, None)) is not None:
            update_request(request, learnt={"document": document})
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
    """`titles.json`: it says what changed, for sources of parts, and is not a document."""

    def start(self) -> list[FrontierUrl]:
        return [self._api_visit(self.run.source.url)]

    async def _take(self, item: PageItem, answer: Fetched) -> list[FrontierUrl]:
        shared_answers(self.job)[EcfrApi.name] = found = parse_titles(answer.body)
        item.reason = Reason(ReasonCode.LISTED, listed=len(found) - 1)
        return []
