"""Lists of a wiki's pages by its api.php: the address that is asked, and what an answer names. Steps.

https://www.mediawiki.org/wiki/API:Categorymembers, API:Allpages, API:Continue, and API:Query#Generators: each page is
named with its revision and its last touch, so that a page which is as it was needs no question of its own. A list's
address says all of it: what it is of, how deep it lies, where it goes on. So a run can go on from its frontier.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

from rori_spiders.wikis.answers import answer_of
from rori_spiders.wikis.page_info import info_of
from rori_spiders.wikis.query import (
    ALWAYS,
    asked_in,
    more_of,
    object_of,
    objects_of,
    query_in,
    time_of,
    warning_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from rori_spiders.wikis.page_info import PageInfo

#: What the API gives at once to those who are not logged in.
AT_A_TIME = 500
#: What it gives to programs with more rights: more than this nobody asked for.
_MOST = 5000
#: MediaWiki's titles have 255 bytes at most, beside their namespace's name.
_LONGEST = 512
#: Namespaces below have no pages of text; this one's are pictures and documents, described.
FIRST, FILES = 0, 6
_CATEGORIES = 14
#: ``continue`` without a value asks wikis before 1.26 for the form that all others answer in.
_LIST = ALWAYS | {"continue": ""}
#: What a list's first address holds; all else in an address says where the list goes on.
_OWN = _LIST.keys() - {"continue"} | {
    *("generator", "gcmtitle", "gcmtype", "gcmlimit", "gapnamespace", "gapprefix", "gapfilterredir", "gaplimit"),
    *("list", "cmtitle", "cmtype", "cmlimit", "titles", "prop", "requestid"),
}


class Listed(NamedTuple):
    """What one answer names: titles of pages, of files, and of sub-categories; ``more`` is sent back as it is.

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


def category_url(api: str, title: str, *, level: int, depth: int) -> str:
    """The list of a category's pages, and of its sub-categories where these are walked: up to *depth* levels.

    *title* with its ``Category:``. The same category at another level is another list, whose sub-categories may count.
    """
    kinds = "page|subcat" if level < depth else "page"
    asked = {"generator": "categorymembers", "gcmtitle": title, "gcmtype": kinds, "gcmlimit": AT_A_TIME}
    return f"{api}?{urlencode(_LIST | asked | {'prop': 'info', 'requestid': level})}"


def is_known_url(api: str, title: str) -> str:
    """The same list, of which only one thing is to be learnt: whether a category that lists nothing is one."""
    asked = {"list": "categorymembers", "cmtitle": title, "cmtype": "page", "cmlimit": AT_A_TIME}
    return f"{api}?{urlencode(_LIST | asked | {'titles': title, 'prop': 'categoryinfo'})}"


def is_plain(url: str) -> bool:
    return "list" in asked_in(url)


def namespace_url(api: str, number: int, prefix: str | None) -> str:
    """The list of a namespace's pages, without those that only redirect; *prefix*: only titles that begin so."""
    asked = {"generator": "allpages", "gapnamespace": number, "gapfilterredir": "nonredirects", "gaplimit": AT_A_TIME}
    begins = {"gapprefix": prefix} if prefix else {}
    return f"{api}?{urlencode(_LIST | asked | begins | {'prop': 'info'})}"


def site_url(api: str) -> str:
    """What the wiki says of itself: https://www.mediawiki.org/wiki/API:Siteinfo."""
    return f"{api}?{urlencode(ALWAYS | {'meta': 'siteinfo', 'siprop': 'general'})}"


def is_site(url: str) -> bool:
    return asked_in(url).get("meta") == "siteinfo"


def is_list(url: str) -> bool:
    return not asked_in(url).keys().isdisjoint({"list", "generator"})


def continued(url: str, more: Mapping[str, str]) -> str:
    """Where the list of *url* goes on: every key that the answer gave is sent back, and none of an earlier answer."""
    own = {name: value for name, value in asked_in(url).items() if name in _OWN}
    return f"{url.partition('?')[0]}?{urlencode(own | dict(more))}"


def is_first(url: str) -> bool:
    """Whether *url* is where a list begins."""
    return all(name in _OWN or not value for name, value in asked_in(url).items())


def first_of(url: str) -> str:
    """Where the list begins that *url* is of."""
    return continued(url, {})


def level_of(url: str) -> int:
    """How many categories lie above the one that *url* lists."""
    level = asked_in(url).get("requestid", "0")
    return int(level) if level.isdecimal() else 0


def category_of(url: str) -> str | None:
    """The category that *url* lists, with its ``Category:``."""
    query = asked_in(url)
    return query.get("gcmtitle", query.get("cmtitle"))


def namespace_of(url: str) -> tuple[int, str | None]:
    """The namespace whose pages *url* lists, and how their titles begin."""
    query = asked_in(url)
    number = query.get("gapnamespace", "0")
    return int(number) if number.isdecimal() else 0, query.get("gapprefix")


def words(url: str) -> str:
    """What *url* lists, for people."""
    if (title := category_of(url)) is not None:
        return f"the members of {title}"
    number, prefix = namespace_of(url)
    return f"the pages of namespace {number}{f' that begin with {prefix!r}' if prefix is not None else ''}"


def read(payload: bytes, *, of_category: bool = False) -> Listed:
    """What an answer names; *of_category*: to a question for its members.

    Raises ValueError for what is no answer to such a question.
    """
    answer = answer_of(payload)
    query = query_in(answer)
    is_plain = "categorymembers" in query
    entries = objects_of(query.get("categorymembers" if is_plain else "pages", []))
    if len(entries) > _MOST:
        raise ValueError(f"the API lists {len(entries)} pages at once, more than it was asked for")
    pages, files, categories = [], [], []
    for one in entries:
        title, namespace = one.get("title"), one.get("ns")
        if not isinstance(title, str) or not isinstance(namespace, int) or not 0 < len(title) <= _LONGEST:
            raise ValueError("the API lists what is no page of a wiki")
        if of_category and namespace == _CATEGORIES:
            categories.append(title)
        elif namespace < FIRST or namespace == FILES:
            files.append(title)
        else:
            pages.append(title)
    is_unknown = is_plain and _is_unknown(query) and not entries
    infos = () if is_plain else tuple(info for info in map(_info, entries) if info is not None)
    return Listed(
        tuple(pages), tuple(files), tuple(categories), more_of(answer), is_unknown, warning_of(answer), infos=infos
    )


def _info(one: dict[str, Any]) -> PageInfo | None:
    info = info_of(one)
    is_redirect = one.get("redirect", False) is not False
    return None if is_redirect or info.is_missing or not info.is_whole else info


def clock(payload: bytes) -> datetime | None:
    """What time it is for the wiki, as it says of itself; None where it does not."""
    try:
        return time_of(object_of(object_of(answer_of(payload).get("query", {})).get("general", {})).get("time"))
    except ValueError:
        return None


def article_prefix(payload: bytes) -> str | None:
    """What stands before a title in the wiki's URLs, as the wiki itself says; None where it does not.

    Raises ValueError.
    """
    general = object_of(object_of(answer_of(payload).get("query", {})).get("general", {}))
    path = general.get("articlepath")
    if not isinstance(path, str) or not path.startswith("/") or path.startswith("//") or path.count("$1") != 1:
        return None
    return path.removesuffix("$1") if path.endswith("$1") else None


def _is_unknown(query: dict[str, Any]) -> bool:
    pages = objects_of(query.get("pages", []))
    return any(one.get("missing", False) is not False and not one.get("categoryinfo") for one in pages)
