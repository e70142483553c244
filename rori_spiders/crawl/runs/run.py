"""A run in progress: what it has discovered, what is still out, and how it ended. A step: no I/O."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rori_spiders.runtime.plurals import format_count
from rori_spiders.urls import crawler_traps, sitemap_reader
from rori_spiders.urls.canonical import non_document_suffix, url_hash

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from rori_spiders.crawl.runs.baseline import Baseline
    from rori_spiders.items import FrontierUrl
    from rori_spiders.manifest.models import Expectation, Source
    from rori_spiders.manifest.scope import Scope


#: A source with under half of its usual pages is suspect (DESIGN §4.3 says the same of a page and its text).
MIN_BASELINE_SHARE = 0.5


@dataclass(slots=True)
class Run:
    """One collection of one source by this job. ``known`` and ``outstanding`` hold hashes of URLs."""

    run_id: str
    source: Source
    scope: Scope
    manifest_version: str
    started_at: datetime
    resumed: bool = False
    known: set[str] = field(default_factory=set)
    outstanding: dict[str, FrontierUrl] = field(default_factory=dict)
    tally: Counter[str] = field(default_factory=Counter)  # final states, over all jobs of the run
    good: int = 0  # pages that were found good, also those that are still to be recorded
    changed: int = 0
    requests: int = 0  # made since the last that was recorded
    seen: Mapping[str, datetime] = field(default_factory=dict)  # when its pages were last seen, before this run
    held: list[FrontierUrl] = field(default_factory=list)  # links that wait until the sitemaps have been read
    follow: bool | None = None  # whether links are followed; None: they wait until the sitemaps have been read
    sitemaps: set[str] = field(default_factory=set)  # asked for and not yet read
    sitemaps_known: int = 0
    sitemap_pages: int = 0
    alike: dict[bytes, str] = field(default_factory=dict)  # pages with several addresses (`pipelines/duplicates.py`)
    waits_for_named: set[str] = field(default_factory=set)  # pages that wait for the one that they say they are
    removals_held: bool = False  # too many pages would go at once: none does
    missing: set[str] = field(default_factory=set)  # pages that were not there when last asked for: hashes of URLs
    usual: Baseline | None = None  # how many pages the source has, where its history tells
    revisited: bool = False  # whether pages that nothing led to any more have been asked for
    robots_recorded: set[str] = field(default_factory=set)
    most_pages: int = crawler_traps.MAX_PAGES  # where the source names no max_pages
    pages_out: int = 0  # pages among those outstanding
    stopped: str | None = None  # why this job does not finish it
    taken_up_at: datetime | None = None  # when this job began or went on with it
    closes_at: datetime | None = None  # when the hours end in which it began; None: it keeps none
    rests: bool = False  # they have ended: nothing more of it leaves the queue
    left_alone: dict[str, str] = field(default_factory=dict)  # groups that nothing more is asked of -> why
    limited: str | None = None  # why the rest of it was not asked
    lacks: str | None = None  # why not all of its pages are known: a wiki's list could not be read
    remembered: dict[str, str] = field(default_factory=dict)  # kinds of pages -> the tier that last worked for them
    plain: set[str] = field(default_factory=set)  # hosts with a page that the first tier of its ladder gave whole
    unrecorded: bool = False  # no ledger knows it: a map's
    lastmods: dict[str, str] = field(default_factory=dict)  # of a map: what sitemaps say of pages, found by them or not
    browser_pages: int = 0  # that the browser has fetched, where no ledger counts them
    browser_spent: bool = False  # whether the browser has fetched as many of its pages as it may

    @property
    def source_id(self) -> str:
        return self.source.id

    def waits_for(self, pending: Iterable[FrontierUrl]) -> None:
        """Take in what an earlier job of this run left pending."""
        self.outstanding = {url_hash(visit.url): visit for visit in pending}
        self.pages_out = sum(visit.kind == "page" for visit in self.outstanding.values())

    def accept(self, visit: FrontierUrl) -> bool:
        """Whether *visit* is new to the run; from now on it is known, and out."""
        key = url_hash(visit.url)
        if key in self.known:
            return False
        self.known.add(key)
        self.outstanding[key] = visit
        self.pages_out += visit.kind == "page"
        return True

    def exclude(self, visit: FrontierUrl) -> bool:
        """Whether *visit* is new to the run; it then ends here, as excluded."""
        if not self.accept(visit):
            return False
        self.settle(visit, "excluded", changed=False)
        return True

    def sift(self, visits: Iterable[FrontierUrl]) -> tuple[list[FrontierUrl], list[tuple[FrontierUrl, str]]]:
        """Of *visits*, those to fetch and those to exclude (with the reason); known ones are neither.

        Of an address with a session id or a tracking parameter, the one without it is fetched.
        """
        accepted: list[FrontierUrl] = []
        excluded: list[tuple[FrontierUrl, str]] = []
        waiting = list(reversed(list(visits)))
        while waiting:
            visit = waiting.pop()
            if not self.accept(visit):
                continue
            reason = self._why_not(visit) if visit.kind == "page" else None
            if reason is None and (plain := self._plain(visit)) is not None:
                waiting.append(plain[0])
                reason = f"{plain[1]}; read at {plain[0].url}"
            if reason is None:
                accepted.append(visit)
            else:
                excluded.append((visit, reason))
                self.settle(visit, "excluded", changed=False)
        return accepted, excluded

    def _why_not(self, visit: FrontierUrl) -> str | None:
        config = self.source.scrape_config
        is_named = visit.found_by in {"start", "api"}  # by a person or a wiki: a title may end in ".js"
        if not is_named and (ending := non_document_suffix(visit.url)) is not None:
            return f"not a document: {ending}"
        if config.max_depth is not None and visit.depth > config.max_depth:
            return f"deeper than max_depth {config.max_depth}"
        if config.max_pages is not None and self.pages_known > config.max_pages:
            return f"max_pages {config.max_pages} reached"
        if config.max_pages is None and self.pages_known > self.most_pages:
            return f"{self.most_pages} pages reached, the most where a source names no max_pages"
        return None if is_named else crawler_traps.find_trap(visit.url, visit.depth)

    def _plain(self, visit: FrontierUrl) -> tuple[FrontierUrl, str] | None:
        """The visit without what changes in its address from time to time, and what that is."""
        if visit.kind != "page" or visit.found_by in {"start", "api"}:
            return None
        plain = crawler_traps.strip_session_and_tracking(visit.url)
        if plain is None or self.scope.excludes(plain[0]) is not None:
            return None
        return replace(visit, url=plain[0]), plain[1]

    def goes_first(self, visit: FrontierUrl) -> bool:
        """Whether *visit* is likely to bring something new: a page never seen before, or changed by its sitemap."""
        if not self.seen:
            return False
        last = self.seen.get(url_hash(visit.url))
        changed = sitemap_reader.parse_lastmod(visit.lastmod) if visit.lastmod is not None else None
        return last is None or (changed is not None and changed > last)

    def settle(self, visit: FrontierUrl, state: str, *, changed: bool) -> None:
        key = url_hash(visit.url)
        self.known.add(key)
        left = self.outstanding.pop(key, None)
        self.pages_out -= left is not None and left.kind == "page"
        if visit.kind == "page":
            self.tally[state] += 1
            self.changed += changed

    @property
    def pages_known(self) -> int:
        """Pages that were, or are to be, fetched."""
        fetched = sum(count for state, count in self.tally.items() if state != "excluded")
        return fetched + self.pages_out

    def rest(self, now: datetime) -> bool:
        """Whether its hours have ended just now; it is then stopped, and a later job goes on with it."""
        if self.closes_at is None or self.rests or self.stopped is not None or now < self.closes_at:
            return False
        self.rests, self.stopped = True, "its hours have ended"
        return True

    @property
    def few(self) -> str | None:
        """Why nothing of the source may be taken for gone yet: so far there are too few pages. None: there are enough.

        Good pages only become more: once there are enough, the run cannot end as suspect.
        """
        if self.usual is None or self.good >= MIN_BASELINE_SHARE * self.usual.pages:
            return None
        return f"{format_count(self.good, 'page')} where {self.usual}"

    @property
    def done(self) -> bool:
        return not self.outstanding


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """How a run ended, in a state of DESIGN §2 and a sentence."""

    state: str
    reason: str | None = None


def judge_run(
    counts: Mapping[str, int],
    *,
    start: tuple[str, str] | None,
    stopped: str | None,
    expect: Expectation | None,
    usual: Baseline | None = None,
    limited: str | None = None,
    unread: int = 0,
) -> RunOutcome:
    """The outcome of a run from its ledger counts: ``{"discovered": n, "pending": n, "captured": n, ...}``.

    *start* is the final state and reason of the start URL (None: it has none); *expect* is the source's own, *usual*
    what it has had until now; *stopped* says why the job ended early, *limited* why what was left was not asked any
    more; *unread* sitemaps, or lists of a wiki, are pending: they are not among the counts.
    """
    pending = counts.get("pending", 0)
    if stopped and (pending or unread):
        lists = f" and {format_count(unread, 'list of pages')}" if unread else ""
        remain = "remains" if pending == 1 and not unread else "remain"
        return RunOutcome(
            "partial", f"{stopped}; {pending} of {format_count(counts['discovered'], 'URL')}{lists} {remain}"
        )
    final = sum(counts.get(state, 0) for state in ("captured", "unchanged", "excluded", "failed", "gone"))
    if pending or final != counts["discovered"]:
        found = format_count(counts["discovered"], "URL")
        return RunOutcome("incomplete", f"{found} discovered, {final} ended, {pending} pending")
    if limited is not None:
        return RunOutcome("failed", limited)
    if start is not None and start[0] in {"failed", "gone"}:
        return RunOutcome("failed", f"the start URL failed: {start[1]}")
    if start is not None and start[0] == "excluded":
        return RunOutcome("failed", f"the start URL may not be fetched: {start[1]}")
    good = counts.get("captured", 0) + counts.get("unchanged", 0)
    failed = counts.get("failed", 0)
    if failed > good:
        return RunOutcome("failed", f"{failed} of {format_count(failed + good, 'URL')} that the run tried failed")
    if expect is not None and expect.min_pages is not None and good < expect.min_pages:
        why = f" ({expect.why})" if expect.why else ""
        return RunOutcome(
            "failed", f"{format_count(good, 'page')} where at least {_is_or_are(expect.min_pages)} expected{why}"
        )
    if usual is not None and good < MIN_BASELINE_SHARE * usual.pages:
        return RunOutcome("suspect", f"{format_count(good, 'page')} where {usual}; nothing of it is taken for gone")
    return RunOutcome("complete")


def _is_or_are(number: int) -> str:
    return f"{number} {'is' if number == 1 else 'are'}"
