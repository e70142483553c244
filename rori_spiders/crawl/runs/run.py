"""A run in progress: what it has discovered, what is still out, and how it ended. A step: no I/O."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rori_spiders.items import (
    RANK_DEFERRED,
    RANK_MISSING,
    RANK_NEW,
    RANK_PAGE,
    RANK_RENDERED_NEXT,
    RANK_UNRENDERED,
)
from rori_spiders.reasons import COMPLETE, Reason, ReasonCode
from rori_spiders.urls import crawler_traps, sitemap_reader
from rori_spiders.urls.canonical import host_of, non_document_suffix, normalise_url, url_hash
from rori_spiders.urls.hash_table import UrlHashTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence, Set

    from rori_spiders.crawl.runs.baseline import Baseline
    from rori_spiders.items import FrontierUrl
    from rori_spiders.manifest.models import Expectation, Source
    from rori_spiders.manifest.scope import Scope


#: How pages are found that a person or a wiki names.
_NAMED = frozenset({"start", "api"})
#: Requests of one group of hosts that are made at once, of however many groups a run has pages.
_LEAST_OF_GROUP = 2
#: What `RunFrontier.known` says of a URL: the ledger alone has its visit, and no request for it was made. Of others: 0.
_STORED = 1


class Classified(NamedTuple):
    """Visits that are new to a run: those to fetch now, those to exclude, and those that lie too deep so far."""

    accepted: list[FrontierUrl]
    excluded: list[tuple[FrontierUrl, Reason]]
    deferred: list[FrontierUrl]


class RunFrontier:
    """The URLs of a run: those that are known, those that wait for their end, and how many ended in which state.

    ``known``, ``outstanding`` and ``deferred`` hold hashes of URLs. Of those that wait for their end, ``outstanding``
    are those for which a request was made: at most so many pages as ``limit_requests`` says. The others are stored:
    their visits are in the ledger alone, and are loaded from it as requests end. Deferred pages wait until all else
    has ended: they lie below ``max_depth`` by the ways found so far, and a shorter one may still lead there; or another
    source collects them (*other_source* gives its id for a URL), unless it turns out not to.
    """

    def __init__(
        self,
        source: Source,
        scope: Scope,
        other_source: Callable[[str], str | None] = lambda _url: None,
        rank_of: Callable[[FrontierUrl], int] = lambda _visit: RANK_PAGE,
        group_of: Callable[[str], str] = lambda _host: "",
        held: Set[str] = frozenset(),
    ) -> None:
        self._source = source
        self._scope = scope
        self.other_source = other_source
        self._rank_of = rank_of
        self._group_of = group_of
        self._held = held
        self._unmet = set(held)  # of those, the pages that this run has not met yet
        self._most_requests: int | None = None  # of a group, made at once; None: as many as there are visits
        self._made: Counter[str] = Counter()  # outstanding URLs by group, without pages that were missing last time
        self._stored: Counter[str] = Counter()  # by group
        self.unrecorded = 0  # URLs found by pages and lists that are not recorded yet
        self._unheld: set[str] = set()  # hashes of URLs that the narrower source does not hold
        self._copy_of_start = crawler_traps.find_copy(normalise_url(source.url))
        self._start_target = ""  # the page to which the start URL redirects
        self.max_pages = crawler_traps.MAX_PAGES  # where the source names no max_pages
        self.known = UrlHashTable()
        self.outstanding: dict[str, FrontierUrl] = {}
        self.deferred: dict[str, FrontierUrl] = {}
        self.pages_outstanding = 0  # the stored ones, too
        self.tally: Counter[str] = Counter()  # pages by final state, over all jobs of the run
        self.good_pages = 0  # captured or unchanged, also those that are still to be recorded
        self.changed_pages = 0

    def start_at(self, url: str) -> None:
        """Take in what is a copy as *url* is, to which the start URL redirects: the version that is current, say."""
        self._start_target = url

    def limit_pages(self, most: int) -> None:
        """Know at most *most* pages, where the source names no max_pages."""
        self.max_pages = most

    def restore(self, known: Iterable[str], pending: Iterable[FrontierUrl], tally: Mapping[str, int]) -> None:
        """Take over what earlier jobs of this run have found, what they left *pending*, and what they counted.

        Lists are outstanding from now on; pages are stored. Called again, it begins again.
        """
        self.known, self.outstanding, self.deferred = UrlHashTable(), {}, {}
        self.pages_outstanding = 0
        self._made.clear()
        self._stored.clear()
        for visit in pending:
            key = url_hash(visit.url)
            if self._must_wait(visit):
                self.deferred[key] = visit
            elif visit.kind == "page":
                self.known.set(key, _STORED)
                self._stored[self._group(visit)] += 1
                self.pages_outstanding += 1
            else:
                self.accept(visit)
        self._know(key for key in known if key not in self.deferred)
        self._unmet = {key for key in self._held if key not in self.known}
        self.tally = Counter(tally)
        self.good_pages = self.tally["captured"] + self.tally["unchanged"]

    def restore_counted(self, keys: Iterable[str]) -> None:
        """Know the URLs that earlier jobs of this run counted with its lists."""
        self._know(keys)

    def _know(self, keys: Iterable[str]) -> None:
        for key in keys:
            if key not in self.known:
                self.known.set(key)

    # --- what is asked now, and what is stored ------------------------------------------------------------------------

    def limit_requests(self, most: int) -> None:
        """Have requests for at most *most* pages at once.

        Each group of hosts has its share: none waits until the pages of another, which lie less deep, have ended.
        """
        groups = {self._group_of(host) for host in self._scope.hosts}
        self._most_requests = max(most // max(1, len(groups)), _LEAST_OF_GROUP)

    def _group(self, visit: FrontierUrl) -> str:
        return self._group_of(host_of(visit.url))

    def group_of_stored(self, visit: FrontierUrl) -> str | None:
        """The group of hosts of a stored page; None of any other."""
        return self._group(visit) if self.is_stored(url_hash(visit.url)) else None

    @property
    def stored(self) -> int:
        """How many pages are stored."""
        return self._stored.total()

    def admit(self, visits: Sequence[FrontierUrl]) -> list[FrontierUrl]:
        """Those of *visits*, which were accepted, to make requests for now; the others are stored from now on.

        The caller records all of them. Lists, start pages and what a redirect leads to are asked for at once.
        """
        if self._most_requests is None:
            return list(visits)
        room = Counter({group: -made for group, made in self._made.items()})
        for visit in visits:  # they are outstanding already
            room[self._group(visit)] += visit.rank != RANK_MISSING
        admitted: list[FrontierUrl] = []
        for visit in sorted(visits, key=lambda one: one.rank):
            group = self._group(visit)
            if visit.kind == "page" and not visit.hops and visit.found_by != "start":
                if self._stored[group] or room[group] + self._most_requests <= 0:
                    self._store(visit)
                    continue
                room[group] -= 1
            admitted.append(visit)
        return admitted

    def _store(self, visit: FrontierUrl) -> None:
        key = url_hash(visit.url)
        if self._take_in(key) is not None:
            self.known.set(key, _STORED)
            self._stored[self._group(visit)] += 1

    def give_up_stored(self) -> bool:
        """Wait no more for stored pages that the ledger does not have after all; whether there are any."""
        given_up = self.stored
        self._stored.clear()
        self.pages_outstanding -= given_up
        return given_up > 0

    def is_stored(self, key: str) -> bool:
        return self.known.get(key) == _STORED

    def is_pending(self, key: str) -> bool:
        """Whether the URL is to be fetched, and has not ended."""
        return key in self.outstanding or self.is_stored(key)

    @property
    def wanted_from_ledger(self) -> Counter[str]:
        """For how many stored pages requests are to be made now, by group: once half of those made have ended."""
        most = self._most_requests
        wanted: Counter[str] = Counter()
        for group, stored in self._stored.items():
            made = self._made[group]
            if stored and (most is None or 2 * made <= most):
                wanted[group] = stored if most is None else min(stored, most - made)
        return wanted

    def load(self, visits: Iterable[FrontierUrl]) -> list[FrontierUrl]:
        """Those of *visits* that were stored: requests are made for them now."""
        loaded: list[FrontierUrl] = []
        for visit in visits:
            key = url_hash(visit.url)
            if self.is_stored(key):
                self._unstore(key, visit)
                self._take_out(key, visit)
                loaded.append(visit)
        return loaded

    def _unstore(self, key: str, visit: FrontierUrl) -> None:
        self.known.set(key)
        self._stored[self._group(visit)] -= 1

    def _take_out(self, key: str, visit: FrontierUrl) -> None:
        self.outstanding[key] = visit
        self._made[self._group(visit)] += visit.rank != RANK_MISSING

    def _take_in(self, key: str) -> FrontierUrl | None:
        if (visit := self.outstanding.pop(key, None)) is not None:
            self._made[self._group(visit)] -= visit.rank != RANK_MISSING
        return visit

    def note_found(self, urls: int) -> None:
        """A page or list that names so many new *urls* waits to be recorded."""
        self.unrecorded += urls

    def note_recorded(self, urls: int) -> None:
        """It has been recorded, or the job stopped first."""
        self.unrecorded -= urls

    # --- what is found, and what ends ---------------------------------------------------------------------------------

    def accept(self, visit: FrontierUrl) -> bool:
        """Whether *visit* is new to the run; from now on it is known, and out."""
        key = url_hash(visit.url)
        if key in self.known:
            return False
        self.known.set(key)
        self._unmet.discard(key)
        self._take_out(key, visit)
        self.pages_outstanding += visit.kind == "page"
        return True

    def exclude(self, visit: FrontierUrl) -> bool:
        """Whether *visit* is new to the run; it then ends here, as excluded."""
        if not self.accept(visit):
            return False
        self.settle(visit, "excluded", changed=False)
        return True

    def classify(self, visits: Iterable[FrontierUrl]) -> Classified:
        """Of *visits*, those to fetch, those to exclude (with the reason) and those that lie too deep; none twice.

        Of an address with a session id or a tracking parameter, the one without it is fetched.
        """
        found = Classified([], [], [])
        waiting = list(reversed(list(visits)))
        while waiting:
            visit = waiting.pop()
            key = url_hash(visit.url)
            if key in self.known:
                continue
            if self._must_wait(visit):
                if key not in self.deferred:
                    self.deferred[key] = replace(visit, rank=RANK_DEFERRED)
                    found.deferred.append(self.deferred[key])
                continue
            self.deferred.pop(key, None)
            if (rank := self._rank_of(visit)) != visit.rank:
                visit = replace(visit, rank=rank)
            self.accept(visit)
            reason = self._why_not(visit) if visit.kind == "page" else None
            if reason is None and (plain := self._plain(visit)) is not None:
                waiting.append(plain[0])
                reason = Reason(ReasonCode.ADDRESS_SIMPLIFIED, rule=plain[1], target_url=plain[0].url)
            if reason is None:
                found.accepted.append(visit)
            else:
                found.excluded.append((visit, reason))
                self.settle(visit, "excluded", changed=False)
        return found

    def exclude_deferred(self) -> list[tuple[FrontierUrl, Reason]]:
        """End the deferred pages: no way within ``max_depth`` leads there."""
        limit = self._source.scrape_config.max_depth
        too_deep = [visit for visit in list(self.deferred.values()) if self.exclude(visit)]
        return [(visit, Reason(ReasonCode.MAX_DEPTH, limit=limit)) for visit in too_deep]

    def shared_pages(self) -> list[FrontierUrl]:
        """The deferred pages that wait for another source."""
        return [visit for visit in self.deferred.values() if self._is_shared(visit)]

    def take_unheld(self, visits: Iterable[FrontierUrl]) -> None:
        """Let *visits*, which no other source holds, be asked for."""
        self._unheld |= {url_hash(visit.url) for visit in visits}

    def _must_wait(self, visit: FrontierUrl) -> bool:
        return self._is_too_deep(visit) or self._is_shared(visit)

    def _is_shared(self, visit: FrontierUrl) -> bool:
        if visit.kind != "page" or url_hash(visit.url) in self._unheld:
            return False
        return self._file_ending(visit) is None and self.other_source(visit.url) is not None

    def _is_too_deep(self, visit: FrontierUrl) -> bool:
        limit = self._source.scrape_config.max_depth
        return visit.kind == "page" and limit is not None and visit.depth > limit and self._file_ending(visit) is None

    def _file_ending(self, visit: FrontierUrl) -> str | None:
        """The ending of a file that is not a document; a person or a wiki may name a page that ends in ``.js``."""
        return None if visit.found_by in _NAMED else non_document_suffix(visit.url)

    def _why_not(self, visit: FrontierUrl) -> Reason | None:
        if (ending := self._file_ending(visit)) is not None:
            return Reason(ReasonCode.NOT_A_DOCUMENT, rule=ending)
        if (repeats := self._why_repeated(visit)) is not None:
            return repeats
        most = self._source.scrape_config.max_pages
        if most is not None and self.pages_known + self._kept_free(visit) > most:
            return Reason(ReasonCode.MAX_PAGES, limit=most)
        if most is None and self.pages_known > self.max_pages:
            return Reason(ReasonCode.PAGE_CAP, limit=self.max_pages)
        return None

    def _kept_free(self, visit: FrontierUrl) -> int:
        """How many pages stand before *visit*: what we hold would go stale unseen where new pages took its place."""
        return 0 if visit.found_by in _NAMED or url_hash(visit.url) in self._held else len(self._unmet)

    def _why_repeated(self, visit: FrontierUrl) -> Reason | None:
        """Whether the site makes such addresses without end, or gives other pages once more at this one."""
        if visit.found_by in _NAMED:
            return None
        if (trap := crawler_traps.find_trap(visit.url, visit.depth)) is not None:
            return Reason(ReasonCode.CRAWLER_TRAP, rule=trap)
        copy = crawler_traps.find_copy(visit.url)
        # Where the start URL is such a copy itself, its manifest wants those below it.
        if copy is None or copy in self._source.scrape_config.allowed_copies or copy == self._copy_of_start:
            return None
        if crawler_traps.is_same_version(visit.url, self._start_target):
            return None
        return Reason(ReasonCode.COPY, rule=copy)

    def _plain(self, visit: FrontierUrl) -> tuple[FrontierUrl, str] | None:
        """The visit without what changes in its address from time to time, and what that is."""
        if visit.kind != "page" or visit.found_by in _NAMED:
            return None
        plain = crawler_traps.strip_session_and_tracking(visit.url)
        if plain is None or self._scope.excludes(plain[0]) is not None:
            return None
        return replace(visit, url=plain[0]), plain[1]

    def settle(self, visit: FrontierUrl, state: str, *, changed: bool) -> None:
        key = url_hash(visit.url)
        if self.is_stored(key):
            self._unstore(key, visit)
            self.pages_outstanding -= 1
        self.known.set(key)
        self.deferred.pop(key, None)
        left = self._take_in(key)
        self.pages_outstanding -= left is not None and left.kind == "page"
        if visit.kind == "page":
            self.tally[state] += 1
            self.changed_pages += changed

    def note_list(self, visit: FrontierUrl) -> None:
        """Count *visit* no more among the pages to be fetched: it is a list of pages."""
        key = url_hash(visit.url)
        if key in self.outstanding and self.outstanding[key].kind == "page":
            self.outstanding[key] = replace(visit, kind="sitemap")
            self.pages_outstanding -= 1

    @property
    def pages_known(self) -> int:
        """Pages that were, or are to be, fetched."""
        fetched = sum(count for state, count in self.tally.items() if state != "excluded")
        return fetched + self.pages_outstanding

    def count_good_page(self) -> None:
        """Count a page that was found good, and is still to be recorded."""
        self.good_pages += 1

    @property
    def urls_pending(self) -> int:
        """URLs that are to be fetched, deferred ones left out."""
        return len(self.outstanding) + self.stored

    @property
    def lists_outstanding(self) -> int:
        """Sitemaps and lists of an API that were not read yet."""
        return self.urls_pending - self.pages_outstanding

    @property
    def is_done(self) -> bool:
        return not self.urls_pending


@dataclass(slots=True)
class RunLimits:
    """Reasons for which a run does not request all of its URLs, or does not know all of its pages."""

    closes_at: datetime | None = None  # when the crawl window closes in which it began; None: it keeps none
    is_window_closed: bool = False  # nothing more of it leaves the queue
    stop_reason: Reason | None = None  # why this job does not finish it
    rate_limited_groups: dict[str, Reason] = field(default_factory=dict)  # of which nothing more is asked -> why
    rate_limit_reason: Reason | None = None  # why the rest of it was not asked
    incomplete_reason: Reason | None = None  # why not all of its pages are known: a wiki's list could not be read

    def stop(self, reason: Reason) -> None:
        """Let a later job go on with the run, for *reason*; the first one stays."""
        self.stop_reason = self.stop_reason or reason

    def close_window(self, now: datetime) -> bool:
        """Whether its crawl window has closed just now; it is then stopped, and a later job goes on with it."""
        if self.closes_at is None or self.stop_reason is not None or now < self.closes_at:
            return False
        self.is_window_closed = True
        self.stop(Reason(ReasonCode.WINDOW_CLOSED))
        return True

    def rate_limit(self, group: str, reason: Reason) -> None:
        """Ask nothing more of *group* in this run."""
        self.rate_limited_groups[group] = reason

    def leave_unasked(self, reason: Reason) -> None:
        """Note that URLs of the run end without being asked, as their server limits us."""
        self.rate_limit_reason = reason

    def mark_incomplete(self, reason: Reason) -> None:
        """Note that not all pages of the source are known."""
        self.incomplete_reason = reason


@dataclass(slots=True)
class RunUsage:
    """Resources that a run has used, as far as its ledger row does not count them yet."""

    requests: int = 0  # made since the last that was recorded
    browser_pages: int = 0  # that the browser has fetched, where no ledger counts them
    is_browser_budget_spent: bool = False
    rendering_s: float = 0.0  # of the pages that this job has rendered
    rendered: int = 0

    def note_rendering(self, seconds: float) -> None:
        self.rendering_s += seconds
        self.rendered += 1

    def count_request(self) -> None:
        self.requests += 1

    def take_requests(self) -> int:
        """The requests to be recorded now."""
        taken, self.requests = self.requests, 0
        return taken

    def give_back_requests(self, taken: int) -> None:
        """Count again those that could not be recorded."""
        self.requests += taken

    def add_browser_pages(self, pages: int) -> int:
        """Count *pages* of a run that no ledger counts; gives how many they are now."""
        self.browser_pages += pages
        return self.browser_pages

    def mark_browser_budget(self, *, spent: bool) -> None:
        self.is_browser_budget_spent = spent


class LearntTiers:
    """The tier to start with for the next page of each kind."""

    def __init__(self, remembered: Mapping[str, str]) -> None:
        self.remembered = dict(remembered)  # kinds of pages -> the tier that last worked for them
        self.first_tier_hosts: set[str] = set()  # with a page that the first tier of its order gave whole

    def remember(self, kind: str, tier: str) -> None:
        self.remembered[kind] = tier

    def forget(self, kind: str) -> bool:
        """Forget the tier of *kind*; whether there was one."""
        return self.remembered.pop(kind, None) is not None

    def restore(self, remembered: Mapping[str, str]) -> None:
        """Go back to what was *remembered* before the ledger rolled back."""
        self.remembered = dict(remembered)

    def note_first_tier(self, host: str) -> None:
        self.first_tier_hosts.add(host)


class SeenTimes:
    """When each page of a source was last seen, to the second: (hash of the URL, time) pairs, 19 bytes each."""

    def __init__(self, times: Iterable[tuple[str, datetime]] = ()) -> None:
        self._seconds = UrlHashTable(number_bytes=4)
        for key, at in times:
            self._seconds.set(key, int(at.timestamp()))

    def __len__(self) -> int:
        return len(self._seconds)

    def __contains__(self, key: str) -> bool:
        return key in self._seconds

    def get(self, key: str) -> datetime | None:
        seconds = self._seconds.get(key)
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


@dataclass(frozen=True, slots=True)
class SourceHistory:
    """Results of earlier runs of a source. ``last_seen`` and ``missing`` are by hashes of URLs."""

    last_seen: SeenTimes = field(default_factory=lambda: SeenTimes())
    missing: Set[str] = frozenset()  # pages that were not there when last asked for
    held: Set[str] = frozenset()  # pages in scope that have a text, by hash; only of a source with `max_pages`
    baseline: Baseline | None = None  # how many pages the source has, where its history tells
    #: URL hashes of pages that the last run left because its browser budget was spent, those unseen for longest first.
    unrendered: Mapping[str, int] = field(default_factory=dict)  # to their places in this order
    browser_budget: int = 0  # of this run
    removals_held: bool = False  # too many pages would go at once: none does

    def rank(self, visit: FrontierUrl) -> int:
        """What is asked for first: pages that may bring something new. What was missing goes last.

        Whether that may be recorded as gone is known once the others have been seen.
        """
        if visit.kind != "page" or not (self.missing or self.last_seen or self.unrendered):
            return RANK_PAGE
        key = url_hash(visit.url)
        if (place := self.unrendered.get(key)) is not None:
            return RANK_RENDERED_NEXT if place < self.browser_budget else RANK_UNRENDERED
        if key in self.missing:
            return RANK_MISSING
        return RANK_NEW if self._is_new_or_changed(visit) else RANK_PAGE

    def _is_new_or_changed(self, visit: FrontierUrl) -> bool:
        """Whether *visit* is likely to bring something new: a page never seen before, or changed by its sitemap."""
        if not self.last_seen:
            return False
        last = self.last_seen.get(url_hash(visit.url))
        changed = sitemap_reader.parse_lastmod(visit.lastmod) if visit.lastmod is not None else None
        return last is None or (changed is not None and changed > last)


class Run:
    """One collection of one source by this job. Its parts are changed by their own methods alone."""

    def __init__(
        self,
        run_id: str,
        source: Source,
        scope: Scope,
        manifest_version: str,
        started_at: datetime,
        *,
        resumed: bool = False,
        is_in_ledger: bool = True,
        taken_up_at: datetime | None = None,
        closes_at: datetime | None = None,
        history: SourceHistory | None = None,
        remembered_tiers: Mapping[str, str] | None = None,
        other_source: Callable[[str], str | None] = lambda _url: None,
        group_of: Callable[[str], str] = lambda _host: "",
    ) -> None:
        self.run_id: Final = run_id
        self.source: Final = source
        self.scope: Final = scope
        self.manifest_version: Final = manifest_version
        self.started_at: Final = started_at
        self.resumed: Final = resumed
        self.is_in_ledger: Final = is_in_ledger  # no map is, and no ad hoc fetch
        self.taken_up_at: Final = taken_up_at  # when this job began or went on with it
        self.history: Final = history or SourceHistory()
        self.frontier: Final = RunFrontier(source, scope, other_source, self.history.rank, group_of, self.history.held)
        self.limits: Final = RunLimits(closes_at)
        self.usage: Final = RunUsage()
        self.tiers: Final = LearntTiers(remembered_tiers or {})

    @property
    def source_id(self) -> str:
        return self.source.id

    @property
    def below_baseline(self) -> dict[str, Any] | None:
        """Details of why no page of the source may be recorded as gone yet: too few pages so far. None: enough.

        Good pages only become more: once there are enough, the run cannot end as suspect.
        """
        baseline = self.history.baseline
        return None if baseline is None else baseline.missed_by(self.frontier.good_pages)


@dataclass(frozen=True, slots=True)
class StartOutcome:
    """The outcome of a run's start URL, or of the page that it leads to: final state, sentence and code."""

    state: str
    reason: str
    reason_code: str | None


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The outcome of a run: its state and the reason."""

    state: str
    reason: Reason = COMPLETE


def judge_run(
    counts: Mapping[str, int],
    *,
    start: StartOutcome | None,
    stopped: Reason | None,
    expect: Expectation | None,
    baseline: Baseline | None = None,
    limited: Reason | None = None,
    incomplete: Reason | None = None,
    beyond: Reason | None = None,
    unread: int = 0,
    shared: int = 0,
    unrendered: int = 0,
) -> RunOutcome:
    """The outcome of a run from its ledger counts: ``{"discovered": n, "pending": n, "captured": n, ...}``.

    *start* is how the start URL ended (None: it has none); *expect* is the source's own, *baseline* what it has had
    until now; *stopped* says why the job ended early, *limited* why its server was not asked for the rest, *incomplete*
    why not all of its pages are known, *beyond* which of them the source's own limit left out; *unread* sitemaps, or
    lists of a wiki, are pending, and not among the counts; *shared* pages are excluded because another source collects
    them, and are good; *unrendered* ones failed because the browser budget was spent: nothing is wrong with the site,
    and the next runs go on with them.
    """
    pending = counts.get("pending", 0)
    if stopped and (pending or unread):
        return RunOutcome(
            "partial", stopped.extended(pending=pending, discovered=counts["discovered"], lists=unread or None)
        )
    final = sum(counts.get(state, 0) for state in ("captured", "unchanged", "excluded", "failed", "gone"))
    if pending or final != counts["discovered"]:
        without = counts["discovered"] - final
        return RunOutcome(
            "incomplete", Reason(ReasonCode.URLS_PENDING, pending=without, discovered=counts["discovered"])
        )
    good = counts.get("captured", 0) + counts.get("unchanged", 0) + shared
    if (failure := limited or _why_start_failed(start)) is not None:
        return RunOutcome("failed", failure)
    failed = counts.get("failed", 0)
    by_sum = _why_sum_failed(good, failed - unrendered, expect)
    if by_sum is None and unrendered and failed > good:
        incomplete = incomplete or Reason(ReasonCode.PAGES_UNRENDERED, count=unrendered, tried=failed + good)
    if incomplete is not None:
        # Of a run that fails by its sum too, this is the reason: accepted pages mend the sum, not what is unknown.
        return RunOutcome("incomplete" if good and by_sum is None else "failed", incomplete)
    if by_sum is not None:
        return RunOutcome("failed", by_sum)
    if baseline is not None and (missed := baseline.missed_by(good)) is not None:
        return RunOutcome("suspect", Reason(ReasonCode.BELOW_BASELINE, **missed))
    return RunOutcome("complete", beyond or COMPLETE)


def _why_start_failed(start: StartOutcome | None) -> Reason | None:
    if start is not None and start.state in {"failed", "gone"}:
        return Reason(ReasonCode.START_FAILED, error=start.reason, start_code=start.reason_code)
    if start is not None and start.state == "excluded":
        return Reason(ReasonCode.START_EXCLUDED, error=start.reason, start_code=start.reason_code)
    return None


def _why_sum_failed(good: int, failed: int, expect: Expectation | None) -> Reason | None:
    if failed > good:
        return Reason(ReasonCode.MOSTLY_FAILED, failed=failed, tried=failed + good)
    if expect is not None and expect.min_pages is not None and good < expect.min_pages:
        return Reason(ReasonCode.BELOW_MIN_PAGES, pages=good, limit=expect.min_pages, note=expect.why or None)
    return None
