"""What a wiki's api.php says of many pages at once, without their text: revision, last touch, missing or not. Steps.

https://www.mediawiki.org/wiki/API:Info. ``touched`` moves with each edit, and when a template that the page uses, or a
page that it links to, is made, changed or removed: the text shown may be another then, under the same revision.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlencode

from rori_spiders.wikis.answers import answer_of
from rori_spiders.wikis.query import ALWAYS, items_of, more_of, object_of, objects_of, time_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

#: What the API takes at once from those who are not logged in.
AT_A_TIME = 50
#: Servers take 8,190 characters of address and more (Apache's LimitRequestLine); long titles come in smaller batches.
MOST_CHARS = 6000
#: As many redirects as a wiki follows, and more.
_MOST_HOPS = 10


class PageInfo(NamedTuple):
    """What is said of one page; ``touched`` by the wiki's clock, None where it does not say."""

    title: str
    revision: int | None
    touched: datetime | None
    is_missing: bool

    @property
    def is_whole(self) -> bool:
        """Whether enough is said to tell it from what we hold."""
        return self.is_missing or (self.revision is not None and self.touched is not None)


class Told(NamedTuple):
    """One answer: pages by title, what led to them, and where it goes on."""

    pages: Mapping[str, PageInfo]
    spelt: Mapping[str, str]  # title as asked -> as the wiki spells it
    redirects: Mapping[str, str]
    more: Mapping[str, str]

    def of(self, title: str) -> PageInfo | None:
        """Of the page that *title* is, or redirects to; None where the answer does not say, or goes round."""
        at = self.spelt.get(title, title)
        for _ in range(_MOST_HOPS):
            if at not in self.redirects:
                return self.pages.get(at)
            at = self.redirects[at]
        return None

    def is_redirect(self, title: str) -> bool:
        return self.spelt.get(title, title) in self.redirects


def info_url(api: str, titles: Sequence[str], more: Mapping[str, str] | None = None) -> str:
    """The address that asks for *titles*; *more*: where an answer to it went on."""
    asked = {"prop": "info", "redirects": "1", "continue": "", "titles": "|".join(titles)}
    return f"{api}?{urlencode(ALWAYS | asked | dict(more or {}))}"


def batches(titles: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """*titles*, as many at a time as one question may hold."""
    batch: list[str] = []
    chars = 0
    for title in titles:
        size = len(urlencode({"": f"|{title}"}))
        if batch and (len(batch) == AT_A_TIME or chars + size > MOST_CHARS):
            yield tuple(batch)
            batch, chars = [], 0
        batch.append(title)
        chars += size
    if batch:
        yield tuple(batch)


def read(payload: bytes) -> Told:
    """What an answer says. Raises ValueError for what is no answer to such a question."""
    answer = answer_of(payload)
    query = object_of(answer.get("query", {}))
    pages = [info_of(one) for one in objects_of(query.get("pages", [])) if isinstance(one.get("title"), str)]
    spelt = dict(_spelt(one) for one in _pairs(query, "normalized"))
    redirects = {one["from"]: one["to"] for one in _pairs(query, "redirects")}
    return Told({page.title: page for page in pages}, spelt, redirects, more_of(answer))


def info_of(one: dict[str, Any]) -> PageInfo:
    """What an answer says of one page, which has a title."""
    revision = one.get("lastrevid")
    is_number = isinstance(revision, int) and not isinstance(revision, bool) and revision > 0
    is_missing = one.get("missing", False) is not False and "known" not in one and "special" not in one
    return PageInfo(one["title"], revision if is_number else None, time_of(one.get("touched")), is_missing)


def _pairs(query: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = [object_of(one) for one in items_of(query.get(name, []))]
    return [one for one in found if isinstance(one.get("from"), str) and isinstance(one.get("to"), str)]


def _spelt(one: dict[str, Any]) -> tuple[str, str]:
    """What cannot stand in JSON as it was asked is escaped."""
    asked = unquote(one["from"]) if one.get("fromencoded") is True else one["from"]
    return asked, one["to"]
