"""Decide by overrides and rules whether a page belongs to the corpus; the first match decides. Select the sample
pages of a section.  Input: pages of the map, site rules, overrides, hosts, the time. Output: a decision for each
page id, or None: then a model or the default decides.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Final, Literal, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from rori_spiders.corpus.site_rules import TriageRules
from rori_spiders.manifest.scope import Glob
from rori_spiders.manifest.vocabulary import STATES
from rori_spiders.urls.canonical import host_of, path_and_query, url_hash

INCLUDE: Final = "include"
EXCLUDE: Final = "exclude"
NEEDS_REVIEW: Final = "needs_review"
Verdict = Literal["include", "exclude", "needs_review"]


@dataclass(frozen=True, slots=True)
class MappedPage:
    """A URL of the map. *met*: its outcome in the collection or map; *excerpt*: the start of its stored text."""

    page_id: str
    url: str
    section: str
    template: str
    title: str | None = None
    description: str | None = None
    dated: str | None = None
    source_id: str | None = None
    met: str | None = None
    met_reason: str | None = None
    language: str | None = None
    excerpt: str | None = None


@dataclass(frozen=True, slots=True)
class TriageDecision:
    """A decision about a page, with author and reason. *confidence*: 0 to 1; 1 for people and rules."""

    decision: Verdict
    decided_by: Literal["rule", "model", "override"]
    rule: str
    reason: str
    confidence: float = 1.0
    evidence: tuple[str, ...] = ()


# Kinds of pages that seldom belong to a corpus, by their URLs.


class Kind(NamedTuple):
    """Pages whose path (lower case) has *pattern*."""

    name: str
    pattern: re.Pattern[str]
    decision: Verdict
    reason: str


def _folders(*names: str) -> re.Pattern[str]:
    """Match a whole path segment, with an optional index file."""
    return re.compile(rf"/(?:{'|'.join(names)})(?:/|\.\w{{2,5}}$|$)")


#: The first match decides. The kinds are from sitemaps and maps of real agencies and wikis.
PAGE_KINDS = (
    Kind("tags", _folders("tags?", "topics?-tag", "keyword"), EXCLUDE, "a list of pages by tag"),
    Kind("authors", _folders("authors?", "by-author"), EXCLUDE, "a list of pages by author"),
    Kind(
        "pagination", re.compile(r"/page/\d+/?$|[?&](?:page|paged|offset)=\d+(?:&|$)"), EXCLUDE,
        "a later page of a list",
    ),
    Kind("archives", re.compile(r"/archives?(?:/\d{4}(?:/\d{1,2})?)?/?$"), EXCLUDE, "a list of pages by date"),
    Kind("search", _folders("search", "search-results", "find", "results"), EXCLUDE, "a search form or its results"),
    Kind("sign-in", _folders("log-?(?:in|out)", "sign-?(?:in|up)", "my-?account"), EXCLUDE, "a sign-in"),
    # At agencies it is as often "how to register": to vote, a vehicle, a business.
    Kind("register", _folders("register"), NEEDS_REVIEW, "a form to sign up, or rules about registering"),
    Kind(
        "forms",
        _folders("contact(?:-us)?", "feedback", "subscribe", "unsubscribe", "newsletter(?:-signup)?", "survey"),
        EXCLUDE, "a contact form",
    ),
    Kind(
        "print", re.compile(r"/print(?:able)?(?:/|$)|[?&]print=|[?&](?:format|view)=print"), EXCLUDE,
        "the printable version of a page",
    ),
    # As Sphinx has it below each of its pages: half of the documents of a real guide were these.
    Kind("page-source", re.compile(r"/_sources/|\.(?:rst|md|adoc)\.txt$"), EXCLUDE, "the source text of a page"),
    Kind("feeds", re.compile(r"/(?:feed|rss|atom)(?:/|\.xml|$)|\.(?:rss|atom)$"), EXCLUDE, "a feed of other pages"),
    Kind("events", _folders("events?", "calendars?", "webinars?"), EXCLUDE, "an event, or a calendar of them"),
    Kind("jobs", _folders("careers?", "jobs?", "vacancies"), EXCLUDE, "vacancies"),
    # Not a number further down: laws have parts 403, 404 and 500.
    Kind(
        "errors", re.compile(r"^/(?:404|403|500)(?:\.\w+)?/?$|/(?:error|page-not-found)(?:\.\w+)?/?$"), EXCLUDE,
        "an error page",
    ),
    Kind(
        "site-map", re.compile(r"/(?:site-?map|site-?index|a-z)(?:\.\w+)?/?$"), EXCLUDE, "a list of the site's pages",
    ),
    Kind(
        "calculators", re.compile(r"/[^/?]*(?:calculators?|estimators?|simulators?)[^/?]*"), NEEDS_REVIEW,
        "a calculator: one visit does not show its results (needs_variant_review)",
    ),
    Kind(
        "prices", re.compile(r"/[^/?]*(?:pricing|prices|rate-?quotes?|plans-and-pricing)[^/?]*"), NEEDS_REVIEW,
        "prices, which may depend on the visitor's choices (needs_variant_review)",
    ),
)  # fmt: skip
#: Sections of news and blogs, whose pages age.
NEWS_PATHS = _folders("news", "newsroom", "blogs?", "press(?:-releases?)?", "media-?cent(?:er|re)", "stories", "posts?")
#: A language as the first folder of a path.
LANGUAGE_PATH = re.compile(r"^/([a-z]{2})(?:-[a-z]{2})?/")
#: Two-letter first segments that are languages; others are states or short folder names.
LANGUAGES = frozenset({
    "ar", "de", "es", "fa", "fr", "he", "hi", "ht", "it", "ja", "km", "ko", "pl", "ps", "pt", "ru", "so", "sw", "th",
    "tl", "tr", "uk", "ur", "vi", "zh",
})  # fmt: skip
#: Arabic or Arkansas, German or Delaware, Hindi or Hawaii.
LANGUAGES_THAT_ARE_STATES = LANGUAGES & {state.lower() for state in STATES}
#: Titles of error pages and forms.
ERROR_TITLES = re.compile(
    r"^\W*(?:page not found|404\b|not found|access denied|forbidden|error\b|sign in|log ?in|search results|untitled)",
    re.IGNORECASE,
)


# The age of news: by the publisher's date, else by the date in the URL.

_PATH_DATE = re.compile(r"/((?:19|20)\d\d)[/-](\d{1,2})(?:[/-](\d{1,2}))?(?=[/-]|$)|/((?:19|20)\d\d)/")
_ISO_DATE = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?")


def publication_day(stated: str | None, path: str) -> date | None:
    """Return the day of *stated* (ISO 8601 or its beginning), else that in *path*; for a month or year its last day."""
    if stated and (found := _ISO_DATE.match(stated)):
        return _last_day(found[1], found[2], found[3])
    if found := _PATH_DATE.search(path):
        return _last_day(found[4], None, None) if found[4] else _last_day(found[1], found[2], found[3])
    return None


def _last_day(year: str, month: str | None, day: str | None) -> date | None:
    try:
        if day:
            return date(int(year), int(month or 0), int(day))
        following = date(int(year) + (month in {None, "12"}), int(month or 12) % 12 + 1, 1)
    except ValueError:
        return None
    return date.fromordinal(following.toordinal() - 1)


def months_old(day: date, now: datetime) -> int:
    """Return whole months from *day* to *now*; None for a future day."""
    today = now.astimezone(UTC).date()
    months = (today.year - day.year) * 12 + today.month - day.month - (today.day < day.day)
    return max(0, months)


# The decision about each page: a person's, else a rule's, else None, which leaves it to a model or the default.


@dataclass(frozen=True, slots=True)
class Override:
    """A person's decision about a URL."""

    decision: Verdict
    reason: str
    by: str


class RuleTriage:
    """Decide by overrides and rules. *hosts*: those of the sources, or of the site.

    *named_urls*: addresses that a manifest names itself, normalised; their parameters were reviewed with it.
    """

    def __init__(
        self,
        rules: TriageRules,
        hosts: Collection[str],
        overrides: Mapping[str, Override],
        now: datetime,
        named_urls: Collection[str] = (),
    ) -> None:
        self._rules = rules
        self._hosts = {*hosts, *rules.allowed_hosts}
        self._overrides = overrides
        self._now = now
        self._named_urls = frozenset(named_urls)
        self._globs = {
            name: [Glob(one) for one in getattr(rules, name)]
            for name in ("include", "exclude", "review", "news_sections")
        }

    def decide(self, pages: Iterable[MappedPage]) -> dict[str, TriageDecision | None]:
        """Return decisions by page id; None where no rule matches."""
        return {page.page_id: self._of(page) for page in pages}

    def default(self, page: MappedPage) -> TriageDecision:
        """Return the default decision for a page that neither a rule nor a model decided."""
        if (decision := self._rules.default_decision) is not None:
            return TriageDecision(
                decision, "rule", "default_decision", "no rule matches; this is the default of the site rules"
            )
        if page.source_id is not None:
            why = f"a page of the source {page.source_id}, whose manifest was reviewed; no other rule matches"
            return TriageDecision(INCLUDE, "rule", "reviewed source", why)
        return TriageDecision(NEEDS_REVIEW, "rule", "nobody decides", "no rule matches, and no model was asked")

    def _of(self, page: MappedPage) -> TriageDecision | None:
        if (override := self._overrides.get(page.page_id)) is not None:
            return TriageDecision(override.decision, "override", override.by, override.reason)
        steps = (self._collected, self._site_rules, self._address, self._kind, self._language, self._news, self._title)
        return next((found for step in steps if (found := step(page)) is not None), None)

    def _collected(self, page: MappedPage) -> TriageDecision | None:
        why = page.met_reason or page.met or ""
        if page.met == "excluded":
            return TriageDecision(EXCLUDE, "rule", "collection", f"the collection excludes it: {why}", evidence=(why,))
        if page.met == "gone":
            return TriageDecision(EXCLUDE, "rule", "gone", f"removed by the publisher: {why}", evidence=(why,))
        return None

    def _site_rules(self, page: MappedPage) -> TriageDecision | None:
        rules: tuple[tuple[str, Verdict], ...] = (
            ("exclude", EXCLUDE), ("review", NEEDS_REVIEW), ("include", INCLUDE),
        )  # fmt: skip
        address = path_and_query(page.url)
        for name, decision in rules:
            for glob in self._globs[name]:
                if glob.matches(address):
                    return _rule_decision(decision, f"{name}: {glob.pattern}", "the site rules name it", glob.pattern)
        return None

    def _address(self, page: MappedPage) -> TriageDecision | None:
        if (host := host_of(page.url)) not in self._hosts:
            return _rule_decision(EXCLUDE, "host", f"{host} is not among the hosts of this corpus", host)
        if page.url in self._named_urls:
            return None
        names = [name for name, _ in parse_qsl(urlsplit(page.url).query, keep_blank_values=True)]
        if other := [name for name in names if name not in self._rules.allowed_parameters]:
            why = f"its URL has parameters that `allowed_parameters` does not list: {', '.join(other)}"
            return _rule_decision(EXCLUDE, "query", why, urlsplit(page.url).query)
        return None

    def _kind(self, page: MappedPage) -> TriageDecision | None:
        address = path_and_query(page.url).lower()
        for kind in PAGE_KINDS:
            if found := kind.pattern.search(address):
                return _rule_decision(kind.decision, kind.name, kind.reason, found[0])
        return None

    def _language(self, page: MappedPage) -> TriageDecision | None:
        found = LANGUAGE_PATH.match(path_and_query(page.url).lower())
        by_path = found[1] if found and found[1] in LANGUAGES else None
        by_text = (page.language or "").partition("-")[0].lower()
        if by_path in LANGUAGES_THAT_ARE_STATES and by_path not in self._rules.languages:
            if not by_text:
                return _rule_decision(NEEDS_REVIEW, "language", f"/{by_path}/ may be a language or a state", by_path)
            by_path = None
        language = by_path or by_text
        if not language or language in self._rules.languages:
            return None
        evidence = found[0] if by_path and found else language
        return _rule_decision(EXCLUDE, "language", f"its language is {language}", evidence)

    def _news(self, page: MappedPage) -> TriageDecision | None:
        address = path_and_query(page.url)
        by_name = NEWS_PATHS.search(address.lower())
        if not by_name and not any(glob.matches(address) for glob in self._globs["news_sections"]):
            return None
        most = self._rules.recent_months
        day = publication_day(page.dated, address)
        if day is None:
            return _rule_decision(NEEDS_REVIEW, "undated news", "news of unknown age", page.section) if most else None
        age = months_old(day, self._now)
        if most and age >= most:
            return _rule_decision(
                EXCLUDE, "old news", f"news of {age} months ago, older than the limit of {most}", day.isoformat()
            )
        return _rule_decision(INCLUDE, "recent news", f"news of {age} months ago", day.isoformat())

    def _title(self, page: MappedPage) -> TriageDecision | None:
        if page.title and ERROR_TITLES.match(page.title):
            return _rule_decision(EXCLUDE, "title", "the title is that of a form or an error page", page.title[:200])
        return None


def _rule_decision(decision: Verdict, name: str, reason: str, evidence: str) -> TriageDecision:
    return TriageDecision(decision, "rule", name, reason, evidence=(evidence,))


# Sample pages of each section: some of each template. The same pages always give the same samples.

#: Samples per template, and per section.
SAMPLES_PER_TEMPLATE, SAMPLES_PER_SECTION = 2, 6


def select_samples(pages: Iterable[MappedPage]) -> set[str]:
    """Select sample page ids. Every section of a host has at least one; larger templates come first."""
    by_section: dict[tuple[str, str], dict[str, list[MappedPage]]] = defaultdict(lambda: defaultdict(list))
    for page in pages:
        by_section[host_of(page.url), page.section][page.template].append(page)
    chosen: set[str] = set()
    for templates in by_section.values():
        taken = 0
        for _, its in sorted(templates.items(), key=lambda one: (-len(one[1]), one[0])):
            room = min(SAMPLES_PER_TEMPLATE, SAMPLES_PER_SECTION - taken)
            # By hash, not by position: the first and last of a list are often untypical.
            chosen.update(page.page_id for page in sorted(its, key=lambda page: url_hash(page.url))[:room])
            taken += min(room, len(its))
    return chosen
