"""Propose a source for a URL (`scrapy manifest add`): look at its site as `scrapy map` does, and derive method, scope,
bounds and expectations from what is there.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from scrapy import Request

from rori_spiders.content.encoding import decode
from rori_spiders.content.html import tree
from rori_spiders.content.html.links import absolute
from rori_spiders.crawl.page.conversion import convert_page
from rori_spiders.crawl.preview.map_inventory import MapEntry, MapInventory
from rori_spiders.crawl.preview.map_spider import MapSpider
from rori_spiders.crawl.tiers.official.ecfr import parse_cfr_part
from rori_spiders.crawl.tiers.official.federal_register import parse_search
from rori_spiders.crawl.tiers.official.registry import official_api_for
from rori_spiders.exceptions import ConversionError, JobStopped
from rori_spiders.items import PageItem
from rori_spiders.manifest.models import MediaWikiScope, Source
from rori_spiders.manifest.scope import start_folder
from rori_spiders.manifest.vocabulary import METHOD_SPIDERS, STATES
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.runtime.plurals import format_count
from rori_spiders.urls.canonical import host_of, normalise_url, path_and_query, registrable_domain

#: Of the source that is looked at, until its address tells a better one.
ID_WHILE_LOOKED_AT = "site-to-add"
#: Of the pages that are known, as many may go before a run fails.
_MAY_GO = 4
#: Room for growth: a run asks for twice as many pages as are known, at least for so many.
_LEAST_MAX_PAGES = 50


@dataclass(slots=True)
class StartPage:
    """What the page at the URL is."""

    url: str  # where it lies, after redirects
    content_type: str | None
    tier: str | None
    heading: str | None = None
    is_list: bool = False  # a feed, a sitemap, or a list of a publisher's API
    api_url: str | None = None  # of the wiki that it belongs to
    feeds: tuple[str, ...] = ()


@dataclass(slots=True)
class SiteLook:
    """What was seen of the site. ``start``: None where no page was got, ``why_not`` says why."""

    start: StartPage | None = None
    why_not: Reason | None = None
    redirected_to: str | None = field(default=None)


class ProposalSpider(MapSpider):
    """Maps the site of a URL, and keeps in *look* what its page is. The map of a wiki is that of its lists."""

    name = "look"

    def __init__(self, *args: Any, look: SiteLook, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._look = look

    async def _note(self, outputs: list[PageItem | Request]) -> list[Request]:
        further = await super()._note(outputs)
        item = next((one for one in outputs if isinstance(one, PageItem)), None)
        if item is None or self._look.start is not None:
            return further
        if item.visit.kind == "api" and item.state == "captured":  # of a publisher: its list is the start
            self._look.start = StartPage(self._wanted.source.url, None, item.attempts[-1].tier, is_list=True)
        elif item.visit.found_by not in {"start", "api"}:
            return further
        elif item.reason.code == ReasonCode.URL_LIST or item.state == "captured":
            self._look.start = await self._read_start(item)
            if self._look.start.api_url is not None:
                return await self._map_wiki(self._look.start.api_url)
        else:
            self._look.why_not = item.reason
            self._look.redirected_to = item.reason.detail.get("target_url")
        return further

    async def _read_start(self, item: PageItem) -> StartPage:
        facts = item.fetched
        assert facts is not None, "captured, so something was received"
        content_type = facts.header("Content-Type")
        tier = item.attempts[-1].tier if item.attempts else None
        start = StartPage(item.visit.url, content_type, tier, is_list=item.reason.code == ReasonCode.URL_LIST)
        if start.is_list:
            return start
        with suppress(ConversionError, JobStopped):
            markdown = (
                await convert_page(
                    self.job, facts.body, url=facts.final_url, content_type=content_type, source=self._wanted.source
                )
            ).markdown
            start.heading = phrase_to_expect(markdown)
        start.feeds, api_url = read_head_links(facts.body, facts.final_url, content_type)
        if api_url is not None and self._is_own_group(api_url):
            start.api_url = api_url
        return start

    def _is_own_group(self, url: str) -> bool:
        group = self.job.manifests.group
        return group(host_of(url)) == group(self._wanted.source.host)

    async def _map_wiki(self, api_url: str) -> list[Request]:
        """The first requests for the wiki's list of articles; what links and sitemaps said is left."""
        await self._log.write()
        config = self._wanted.source.scrape_config
        scope = MediaWikiScope(api_url=api_url, namespaces=(0,))
        wiki = self._wanted.source.model_copy(
            update={"method": "mediawiki", "scrape_config": config.model_copy(update={"mediawiki": scope})}
        )
        self._wanted = replace(self._wanted, source=wiki)
        self.inventory.entries.clear()
        begun = await self._begin(wiki)
        return [] if begun is None else list(self._taken(begun))


def read_head_links(body: bytes, url: str, content_type: str | None) -> tuple[tuple[str, ...], str | None]:
    """The feeds that an HTML page names, and the api.php of the MediaWiki that it belongs to."""
    try:
        root = tree.parse(decode(body, content_type).text)
    except ConversionError:
        return (), None
    feeds: dict[str, None] = {}
    api_url = None
    for element in root.iter("link"):
        rel, target = (element.get("rel") or "").lower().split(), absolute(element.get("href"), url)
        if target is None:
            continue
        if "alternate" in rel and (element.get("type") or "").lower() in {
            "application/rss+xml",
            "application/atom+xml",
        }:
            feeds.setdefault(target)
        # MediaWiki names its API so (Really Simple Discovery), WordPress has xmlrpc.php there.
        if "edituri" in rel and urlsplit(target).path.endswith("/api.php"):
            api_url = target.partition("?")[0]
    return tuple(feeds), api_url


def phrase_to_expect(markdown: str) -> str | None:
    """The page's first heading, or as much of it as is plain text: markdown and page must both hold it."""
    heading = re.search(r"^#{1,3}\s+(.+)$", markdown, re.MULTILINE)
    if heading is None:
        return None
    plain = max(re.split(r"[*_`\[\]\\|<>()#]+", heading[1]), key=len).strip()
    return plain[:120].strip() if len(plain) >= 4 else None


# From what was seen to an entry of the manifest. Steps: nothing is requested.


class Proposal(NamedTuple):
    """An entry for a manifest, and how many pages it is known to have."""

    entry: dict[str, Any]
    pages: int


def propose_source(
    source: Source, look: SiteLook, inventory: MapInventory, *, taken: Collection[str], now: datetime
) -> Proposal:
    """The entry for the site that was looked at as *source*, whose id is kept unless it was made up; *taken*: ids."""
    start = look.start
    assert start is not None, "proposed only where there is a page"
    url = start.url
    pages = [entry for entry in inventory.pages if entry.state == "collect"]
    inside = _pages_below(url, (entry.url for entry in pages))
    title = next((entry.title for entry in pages if entry.url == url and entry.title), None)
    name = " ".join((start.heading or title or _official_list_name(url) or host_of(url)).split())[:120]
    proposed: dict[str, Any] = {
        "id": source_id_for(url, taken) if source.id == ID_WHILE_LOOKED_AT else source.id,
        "name": name,
        "url": url,
        "domain": domain_for(url),
        "jurisdiction": source.jurisdiction,
        "source_type": source.source_type,
    }
    if content_type := _content_type_word(start):
        proposed["content_type"] = content_type
    method = _choose_method(start, inside)
    proposed |= {"method": method, "status": "active"}
    has_many = method != "scrape" or start.is_list
    found = 1 if not has_many else len(inside) if method == "crawl" and not start.is_list else len(pages)
    config: dict[str, Any] = {}
    notes = f"Seen on {now:%Y-%m-%d}, and added then."
    if method == "crawl" and not start.is_list:
        config["include_patterns"] = _patterns_for(url, inside)
        if refused := refused_sitemaps(inventory):  # no run would read them, and each would end incomplete
            named = [one for one in inventory.entries.values() if one.kind == "sitemap" and one.found_by == "robots"]
            config["sitemaps"] = [one.url for one in named if one not in refused]
            notes += "".join(f" Left out, since it cannot be read: {one.url} ({one.reason})." for one in refused)
    if has_many and parse_search(url) is None:  # a search grows by each document that is published
        config["max_pages"] = max(_LEAST_MAX_PAGES, 2 * found)
    if expect := _expectation(start, found, now):
        config["expect"] = expect
    if method == "mediawiki":
        config["mediawiki"] = {"api_url": start.api_url, "namespaces": [0]}
    proposed["scrape_config"] = config
    proposed["metadata"] = {"corroboration_status": "verified", "notes": notes}
    return Proposal(proposed, found)


def refused_sitemaps(inventory: MapInventory) -> list[MapEntry]:
    """The sitemaps that robots.txt names at addresses that this collector does not ask, such as another port's."""
    return [
        entry
        for entry in inventory.entries.values()
        if entry.kind == "sitemap" and entry.found_by == "robots" and entry.reason.code == ReasonCode.ADDRESS_NOT_PUBLIC
    ]


def _official_list_name(url: str) -> str | None:
    if (part := parse_cfr_part(url)) is not None:
        return f"{part.title} CFR Part {part.number}"
    if (search := parse_search(url)) is None:
        return None
    return f"Federal Register: {', '.join(value for _, value in search.conditions)}"


def _choose_method(start: StartPage, inside: Collection[str]) -> str:
    if start.api_url is not None:
        return "mediawiki"
    if official_api_for(start.url) is not None:
        return "scrape"  # what its API lists is collected by any method
    return "crawl" if start.is_list or len(inside) > 1 else "scrape"


def _pages_below(url: str, pages: Iterable[str]) -> list[str]:
    """Of *pages* the start and those in its scope: below its address where there are such, else below its folder."""
    same_host = [one for one in pages if host_of(one) == host_of(url)]
    own = path_and_query(url).partition("?")[0]
    below = [one for one in same_host if path_and_query(one).startswith(f"{own.rstrip('/')}/")]
    if not own.endswith("/") and below:
        return [url, *(one for one in below if one != url)]
    folder = start_folder(url)
    return [one for one in same_host if path_and_query(one).startswith(folder)]


def _patterns_for(url: str, inside: Iterable[str]) -> list[str]:
    own = path_and_query(url).partition("?")[0]
    if not own.endswith("/") and any(path_and_query(one).startswith(f"{own}/") for one in inside):
        return [own, f"{own}/*"]
    return [f"{start_folder(url)}*"]


def _expectation(start: StartPage, found: int, now: datetime) -> dict[str, Any]:
    expect: dict[str, Any] = {}
    why = []
    if found > 1:
        expect["min_pages"] = max(2, found - found // _MAY_GO)
        why.append(f"{format_count(found, 'page')} on {now:%Y-%m-%d}, of which a quarter may go")
    if start.heading is not None and start.api_url is None:
        expect["must_contain"] = [start.heading]
        why.append("the heading of the start page")
    return expect | {"why": "; ".join(why)} if why else {}


_CONTENT_TYPES = ("pdf", "json", "yaml", "html", "xml")


def _content_type_word(start: StartPage) -> str | None:
    """As the header calls it; XHTML is HTML."""
    header = (start.content_type or "").lower()
    return None if start.is_list else next((word for word in _CONTENT_TYPES if word in header), None)


def source_id_for(url: str, taken: Collection[str]) -> str:
    """An id made of the publisher's name and the last two parts of the path, unlike those that are *taken*."""
    host = host_of(url)
    publisher = registrable_domain(host)
    label = publisher.partition(".")[0] if not publisher.replace(".", "").isdigit() else publisher
    parts = [part for part in urlsplit(url).path.split("/") if part][-2:]
    queries = [value for values in parse_qs(urlsplit(url).query).values() for value in values]
    words = re.findall(r"[a-z0-9]+", "-".join([label, *parts, *queries[:1]]).lower())
    base = "-".join(words)[:70].strip("-") or "source"
    used = {*taken, *METHOD_SPIDERS}
    return base if base not in used else next(one for one in _numbered(base) if one not in used)


def _numbered(base: str) -> Iterator[str]:
    number = 2
    while True:
        yield f"{base}-{number}"
        number += 1


def domain_for(url: str) -> str:
    """The registrable domain of a site at its ``www.``, else the host itself."""
    host = host_of(url)
    return host.removeprefix("www.") if host == f"www.{registrable_domain(host)}" else host


def choose_jurisdiction(url: str, sources: Iterable[Source]) -> str:
    """That of all *sources* of the same publisher, where they agree; else by the address."""
    publisher = registrable_domain(host_of(url))
    same = {source.jurisdiction for source in sources if registrable_domain(source.host) == publisher}
    return same.pop() if len(same) == 1 else guess_jurisdiction(url)


def choose_source_type(url: str, sources: Iterable[Source]) -> str:
    """That of all *sources* of the same host, where they agree; else by the address."""
    host = host_of(url)
    same = {source.source_type for source in sources if source.host == host}
    return str(same.pop()) if len(same) == 1 else guess_source_type(url)


def guess_jurisdiction(url: str) -> str:
    """By the host: a state's own .gov or .us name, any other .gov or .mil, else a body that is not an agency."""
    labels = host_of(url).split(".")
    if labels[-1] in {"gov", "us"}:
        own = labels[-2] if len(labels) > 1 else ""
        if own.upper() in STATES and not (labels[-1] == "gov" and own == "va"):  # va.gov is the Veterans' department
            return f"state:{own.upper()}"
    return "federal" if labels[-1] in {"gov", "mil"} else "national"


def guess_source_type(url: str) -> str:
    """By words of the address."""
    words = set(re.findall(r"[a-z]+", normalise_url(url).lower()))
    for kind, telling in _TELLING_WORDS.items():
        if words & telling:
            return kind
    return "guidance"


_TELLING_WORDS = {
    "regulation": {
        "ecfr",
        "federalregister",
        "regulation",
        "regulations",
        "cfr",
        "rules",
        "statute",
        "statutes",
        "code",
        "law",
        "laws",
    },
    "enforcement": {"enforcement", "actions", "orders", "settlements"},
    "guide": {"handbook", "handbooks", "guide", "guides", "manual", "manuals", "programs"},
}
