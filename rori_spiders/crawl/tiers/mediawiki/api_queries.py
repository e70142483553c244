"""Queries about many pages by a wiki's api.php (`action=query`): page revisions, page lists, recent changes and
moves. Each has a URL to request and a parser for the answer. Steps: nothing is requested here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import unquote, urlencode

from rori_spiders.crawl.tiers.mediawiki.api_answers import (
    BASE_PARAMETERS,
    parse_answer,
    parse_continuation,
    parse_query_result,
    parse_timestamp,
    parse_warnings,
    query_parameters,
    require_list,
    require_object,
    require_objects,
)

#: What the API takes at once from those who are not logged in.
MAX_TITLES_PER_QUERY = 50
#: Servers take 8,190 characters of address and more (Apache's LimitRequestLine); long titles come in smaller batches.
MAX_TITLES_CHARS = 6000
#: As many redirects as a wiki follows, and more.
_MAX_REDIRECTS = 10


class PageInfo(NamedTuple):
    """The API's data about one page; ``touched`` by the wiki's clock, None if missing."""

    title: str
    revision: int | None
    touched: datetime | None
    is_missing: bool

    @property
    def is_whole(self) -> bool:
        """Whether enough is said to tell it from what we hold."""
        return self.is_missing or (self.revision is not None and self.touched is not None)


class PageInfoAnswer(NamedTuple):
    """One answer: pages by title, what led to them, and where it goes on."""

    pages: Mapping[str, PageInfo]
    spelt: Mapping[str, str]  # title as asked -> as the wiki spells it
    redirects: Mapping[str, str]
    more: Mapping[str, str]

    def of(self, title: str) -> PageInfo | None:
        """Of the page that *title* is, or redirects to; None where the answer does not say, or goes round."""
        at = self.spelt.get(title, title)
        for _ in range(_MAX_REDIRECTS):
            if at not in self.redirects:
                return self.pages.get(at)
            at = self.redirects[at]
        return None

    def is_redirect(self, title: str) -> bool:
        return self.spelt.get(title, title) in self.redirects


def page_info_url(api: str, titles: Sequence[str], more: Mapping[str, str] | None = None) -> str:
    """The address that asks for *titles*; *more*: where an answer to it went on."""
    parameters = {"prop": "info", "redirects": "1", "continue": "", "titles": "|".join(titles)}
    return f"{api}?{urlencode(BASE_PARAMETERS | parameters | dict(more or {}))}"


def batch_titles(titles: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """*titles*, as many at a time as one question may hold."""
    batch: list[str] = []
    chars = 0
    for title in titles:
        size = len(urlencode({"": f"|{title}"}))
        if batch and (len(batch) == MAX_TITLES_PER_QUERY or chars + size > MAX_TITLES_CHARS):
            yield tuple(batch)
            batch, chars = [], 0
        batch.append(title)
        chars += size
    if batch:
        yield tuple(batch)


def parse_page_info_answer(payload: bytes) -> PageInfoAnswer:
    """What an answer says. Raises ValueError if it does not answer such a question."""
    answer = parse_answer(payload)
    query = require_object(answer.get("query", {}))
    pages = [
        parse_page_info(one) for one in require_objects(query.get("pages", [])) if isinstance(one.get("title"), str)
    ]
    spelt = dict(_escape_title(one) for one in _parse_pairs(query, "normalized"))
    redirects = {one["from"]: one["to"] for one in _parse_pairs(query, "redirects")}
    return PageInfoAnswer({page.title: page for page in pages}, spelt, redirects, parse_continuation(answer))


def parse_page_info(one: dict[str, Any]) -> PageInfo:
    """What an answer says of one page, which has a title."""
    revision = one.get("lastrevid")
    is_number = isinstance(revision, int) and not isinstance(revision, bool) and revision > 0
    is_missing = one.get("missing", False) is not False and "known" not in one and "special" not in one
    return PageInfo(one["title"], revision if is_number else None, parse_timestamp(one.get("touched")), is_missing)


def _parse_pairs(query: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = [require_object(one) for one in require_list(query.get(name, []))]
    return [one for one in found if isinstance(one.get("from"), str) and isinstance(one.get("to"), str)]


def _escape_title(one: dict[str, Any]) -> tuple[str, str]:
    """What cannot stand in JSON as it was asked is escaped."""
    requested = unquote(one["from"]) if one.get("fromencoded") is True else one["from"]
    return requested, one["to"]


# Lists of a wiki's pages by its api.php: the address that is asked, and what an answer names. Steps.
# https://www.mediawiki.org/wiki/API:Categorymembers, API:Allpages, API:Continue, and API:Query#Generators: each page
# is named with its revision and its last touch, so that a page which is as it was needs no question of its own. A
# list's address says all of it: what it is of, how deep it lies, where it goes on. So a run can go on from its
# frontier.

#: What the API gives at once to those who are not logged in.
PAGES_PER_ANSWER = 500
#: What it gives to programs with more rights: more than this nobody asked for.
_MAX_PAGES_PER_ANSWER = 5000
#: MediaWiki's titles have 255 bytes at most, beside their namespace's name.
_MAX_TITLE_CHARS = 512
#: Namespaces below have no pages of text; this one's are pictures and documents, described.
MAIN_NAMESPACE, FILE_NAMESPACE = 0, 6
_CATEGORY_NAMESPACE = 14
#: ``continue`` without a value asks wikis before 1.26 for the form that all others answer in.
_LIST_PARAMETERS = BASE_PARAMETERS | {"continue": ""}
#: What a list's first address holds; all else in an address says where the list goes on.
_QUESTION_PARAMETERS = _LIST_PARAMETERS.keys() - {"continue"} | {
    *("generator", "gcmtitle", "gcmtype", "gcmlimit", "gapnamespace", "gapprefix", "gapfilterredir", "gaplimit"),
    *("list", "cmtitle", "cmtype", "cmlimit", "titles", "prop", "requestid"),
}


class ListAnswer(NamedTuple):
    """The titles of pages, files and sub-categories in one answer; ``more`` is sent back unchanged.

    ``infos`` is what is said of pages, but those that redirect: what they lead to is for a question of their own.
    """

    pages: tuple[str, ...]
    files: tuple[str, ...]
    categories: tuple[str, ...]
    more: Mapping[str, str]
    is_unknown: bool = False  # a category without a page of its own and without members
    warning: str = ""
    infos: tuple[PageInfo, ...] = ()

    @property
    def named(self) -> set[str]:
        """All that it tells, for comparing it with what another told: an answer may name pages again, to say more."""
        return {*self.pages, *self.files, *self.categories, *(f"{one.title}#{one.revision}" for one in self.infos)}

    @property
    def is_empty(self) -> bool:
        return not (self.pages or self.files or self.categories or self.more)


def category_list_url(api: str, title: str, *, level: int, depth: int) -> str:
    """The list of a category's pages, and of its sub-categories where these are walked: up to *depth* levels.

    *title* with its ``Category:``. The same category at another level is another list, whose sub-categories may count.
    """
    kinds = "page|subcat" if level < depth else "page"
    parameters = {"generator": "categorymembers", "gcmtitle": title, "gcmtype": kinds, "gcmlimit": PAGES_PER_ANSWER}
    return f"{api}?{urlencode(_LIST_PARAMETERS | parameters | {'prop': 'info', 'requestid': level})}"


def category_exists_url(api: str, title: str) -> str:
    """The same list, of which only one thing is to be learnt: whether a category that lists nothing is one."""
    parameters = {"list": "categorymembers", "cmtitle": title, "cmtype": "page", "cmlimit": PAGES_PER_ANSWER}
    return f"{api}?{urlencode(_LIST_PARAMETERS | parameters | {'titles': title, 'prop': 'categoryinfo'})}"


def is_category_exists_url(url: str) -> bool:
    return "list" in query_parameters(url)


def namespace_list_url(api: str, number: int, prefix: str | None) -> str:
    """The list of a namespace's pages, without those that only redirect; *prefix*: only titles that begin so."""
    parameters = {
        "generator": "allpages",
        "gapnamespace": number,
        "gapfilterredir": "nonredirects",
        "gaplimit": PAGES_PER_ANSWER,
    }
    begins = {"gapprefix": prefix} if prefix else {}
    return f"{api}?{urlencode(_LIST_PARAMETERS | parameters | begins | {'prop': 'info'})}"


def site_info_url(api: str, *, with_content: bool = False) -> str:
    """What the wiki says of itself: https://www.mediawiki.org/wiki/API:Siteinfo. *with_content*: also which of its
    namespaces hold its content, and how many pages these have.
    """
    properties = "general|namespaces|statistics" if with_content else "general"
    return f"{api}?{urlencode(BASE_PARAMETERS | {'meta': 'siteinfo', 'siprop': properties})}"


class WikiContent(NamedTuple):
    """The namespaces that a wiki calls its content, and how many articles it counts in them; None: it does not say."""

    namespaces: tuple[int, ...]
    articles: int | None


def parse_wiki_content(payload: bytes | None) -> WikiContent:
    """By the answer to ``site_info_url``; where it does not say, the namespace of the articles, of unknown size."""
    try:
        query = {} if payload is None else require_object(parse_answer(payload).get("query", {}))
        spaces = [require_object(one) for one in require_object(query.get("namespaces", {})).values()]
        articles = require_object(query.get("statistics", {})).get("articles")
    except ValueError:
        spaces, articles = [], None
    content = {one["id"] for one in spaces if one.get("content", False) is not False and isinstance(one.get("id"), int)}
    wanted = sorted(number for number in content if number >= MAIN_NAMESPACE and number != FILE_NAMESPACE)
    return WikiContent(tuple(wanted) or (MAIN_NAMESPACE,), articles if isinstance(articles, int) else None)


def is_site_info_url(url: str) -> bool:
    return query_parameters(url).get("meta") == "siteinfo"


def is_list_url(url: str) -> bool:
    return not query_parameters(url).keys().isdisjoint({"list", "generator"})


def continue_list_url(url: str, more: Mapping[str, str]) -> str:
    """Where the list of *url* goes on: every key that the answer gave is sent back, and none of an earlier answer."""
    own = {name: value for name, value in query_parameters(url).items() if name in _QUESTION_PARAMETERS}
    return f"{url.partition('?')[0]}?{urlencode(own | dict(more))}"


def is_first_list_url(url: str) -> bool:
    """Whether *url* is where a list begins."""
    return all(name in _QUESTION_PARAMETERS or not value for name, value in query_parameters(url).items())


def first_list_url(url: str) -> str:
    """Where the list begins that *url* is of."""
    return continue_list_url(url, {})


def category_level(url: str) -> int:
    """How many categories lie above the one that *url* lists."""
    level = query_parameters(url).get("requestid", "0")
    return int(level) if level.isdecimal() else 0


def listed_category(url: str) -> str | None:
    """The category that *url* lists, with its ``Category:``."""
    query = query_parameters(url)
    return query.get("gcmtitle", query.get("cmtitle"))


def listed_namespace(url: str) -> tuple[int, str | None]:
    """The namespace whose pages *url* lists, and how their titles begin."""
    query = query_parameters(url)
    number = query.get("gapnamespace", "0")
    return int(number) if number.isdecimal() else 0, query.get("gapprefix")


def describe_list_url(url: str) -> str:
    """What *url* lists, for people."""
    if (title := listed_category(url)) is not None:
        return f"the members of {title}"
    number, prefix = listed_namespace(url)
    return f"the pages of namespace {number}{f' that begin with {prefix!r}' if prefix is not None else ''}"


def parse_list_answer(payload: bytes, *, of_category: bool = False) -> ListAnswer:
    """What an answer names; *of_category*: to a question for its members.

    Raises ValueError if it does not answer such a question.
    """
    answer = parse_answer(payload)
    query = parse_query_result(answer)
    is_plain = "categorymembers" in query
    entries = require_objects(query.get("categorymembers" if is_plain else "pages", []))
    if len(entries) > _MAX_PAGES_PER_ANSWER:
        raise ValueError(f"the API listed {len(entries)} pages at once, more than requested")
    pages, files, categories = [], [], []
    for one in entries:
        title, namespace = one.get("title"), one.get("ns")
        if not isinstance(title, str) or not isinstance(namespace, int) or not 0 < len(title) <= _MAX_TITLE_CHARS:
            raise ValueError("the API listed an entry that is not a wiki page")
        if of_category and namespace == _CATEGORY_NAMESPACE:
            categories.append(title)
        elif namespace < MAIN_NAMESPACE or namespace == FILE_NAMESPACE:
            files.append(title)
        else:
            pages.append(title)
    is_unknown = is_plain and _is_unknown_category(query) and not entries
    infos = () if is_plain else tuple(info for info in map(_listed_page_info, entries) if info is not None)
    return ListAnswer(
        tuple(pages),
        tuple(files),
        tuple(categories),
        parse_continuation(answer),
        is_unknown,
        parse_warnings(answer),
        infos=infos,
    )


def _listed_page_info(one: dict[str, Any]) -> PageInfo | None:
    info = parse_page_info(one)
    is_redirect = one.get("redirect", False) is not False
    return None if is_redirect or info.is_missing or not info.is_whole else info


def parse_wiki_time(payload: bytes) -> datetime | None:
    """What time it is for the wiki, as it says of itself; None where it does not."""
    try:
        return parse_timestamp(
            require_object(require_object(parse_answer(payload).get("query", {})).get("general", {})).get("time")
        )
    except ValueError:
        return None


def parse_article_prefix(payload: bytes) -> str | None:
    """What stands before a title in the wiki's URLs, as the wiki itself says; None where it does not.

    Raises ValueError.
    """
    general = require_object(require_object(parse_answer(payload).get("query", {})).get("general", {}))
    path = general.get("articlepath")
    if not isinstance(path, str) or not path.startswith("/") or path.startswith("//") or path.count("$1") != 1:
        return None
    return path.removesuffix("$1") if path.endswith("$1") else None


def _is_unknown_category(query: dict[str, Any]) -> bool:
    pages = require_objects(query.get("pages", []))
    return any(one.get("missing", False) is not False and not one.get("categoryinfo") for one in pages)


# What changed in a wiki since a time, by its api.php: edits, moves, deletions, and who uses a template. Steps.
# https://www.mediawiki.org/wiki/API:RecentChanges, API:Logevents and API:Embeddedin.

#: Templates and modules: their changes show on the pages that use them.
_TRANSCLUDED_NAMESPACES = frozenset({10, 828})
_CHANGES_PARAMETERS = BASE_PARAMETERS | {"continue": ""}


class ChangedTitle(NamedTuple):
    """A page that changed, by its namespace's number and its name."""

    namespace: int
    text: str


class ChangesAnswer(NamedTuple):
    """The changes in one answer. ``moved``: old name -> new one."""

    titles: frozenset[ChangedTitle]
    moved: Mapping[str, str]
    more: Mapping[str, str]

    @property
    def templates(self) -> frozenset[str]:
        return frozenset(one.text for one in self.titles if one.namespace in _TRANSCLUDED_NAMESPACES)


def changes_url(api: str, since: datetime) -> str:
    """All changes since then, oldest first: what is added meanwhile comes at the end."""
    parameters = {"list": "recentchanges", "rcdir": "newer", "rcstart": f"{since:%Y-%m-%dT%H:%M:%SZ}", "rclimit": 500}
    wanted = {"rctype": "edit|new|log|external", "rcprop": "title|loginfo|timestamp"}
    return f"{api}?{urlencode(_CHANGES_PARAMETERS | parameters | wanted)}"


def moves_url(api: str, since: datetime) -> str:
    """Pages that got another name since then."""
    parameters = {"list": "logevents", "letype": "move", "ledir": "newer", "lestart": f"{since:%Y-%m-%dT%H:%M:%SZ}"}
    wanted = {"leprop": "title|type|timestamp|details", "lelimit": 500}
    return f"{api}?{urlencode(_CHANGES_PARAMETERS | parameters | wanted)}"


def transclusions_url(api: str, title: str) -> str:
    """The pages that show the template or module *title*, also by way of others."""
    return f"{api}?{urlencode(_CHANGES_PARAMETERS | {'list': 'embeddedin', 'eititle': title, 'eilimit': 500})}"


def is_changes_url(url: str) -> bool:
    return query_parameters(url).get("list") in {"recentchanges", "embeddedin"}


def is_moves_url(url: str) -> bool:
    return query_parameters(url).get("list") == "logevents"


def continue_changes_url(url: str, more: Mapping[str, str]) -> str:
    """Where the list of *url* goes on."""
    return f"{url.partition('?')[0]}?{urlencode(query_parameters(url) | dict(more))}"


def parse_changes_answer(payload: bytes) -> ChangesAnswer:
    """What an answer names. Raises ValueError for what is none, and where a change is hidden from us."""
    answer = parse_answer(payload)
    query = parse_query_result(answer)
    titles: set[ChangedTitle] = set()
    moved: dict[str, str] = {}
    for name in ("recentchanges", "embeddedin", "logevents"):
        for one in map(require_object, require_list(query.get(name, []))):
            titles.add(_changed_title(one.get("ns"), one.get("title")))
            params = one.get("logparams", one.get("params"))
            if isinstance(params, dict) and "target_title" in params:
                target = _changed_title(params.get("target_ns"), params["target_title"])
                titles.add(target)
                moved[str(one["title"])] = target.text
    return ChangesAnswer(frozenset(titles), moved, parse_continuation(answer))


def _changed_title(namespace: Any, text: Any) -> ChangedTitle:
    if not isinstance(namespace, int) or not isinstance(text, str) or not text:
        raise ValueError("a change without a page title")
    return ChangedTitle(namespace, text)
