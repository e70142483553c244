"""A small wiki with an api.php that answers as MediaWiki's does: pages, categories, what is asked of many at once.

In: pages that a test makes, edits, moves, removes. Out: answers over HTTP. Times are the wiki's own: a page that is
made is touched long ago, one that is edited is touched in the future, as if the visit before had been yesterday's.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import parse_qs, urlsplit

from tests.support.project import source
from tests.support.server import Reply, Site
from tests.support.server.fixtures import next_address

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project

API = "/w/api.php"
LONG_AGO, LATER = "2026-01-01T00:00:00Z", "2036-01-01T00:00:00Z"
#: What an anonymous client gets at once.
TITLES, MEMBERS = 50, 500
_HELP, _TEMPLATE = 12, 10


@dataclass
class WikiPage:
    """One page: its text, and what the API says of it."""

    text: str
    revision: int
    touched: str = LONG_AGO
    categories: tuple[str, ...] = ()
    redirects_to: str | None = None
    properties: dict[str, str] = field(default_factory=dict)


class Wiki:
    """The wiki, on a site of its own. ``answers`` may be changed by a test: by what is asked for."""

    def __init__(self) -> None:
        self.site = Site(next_address())
        self.pages: dict[str, WikiPage] = {}
        self.log: list[dict[str, Any]] = []  # as list=recentchanges and list=logevents name it
        self.content: tuple[int, ...] = (0,)  # its content namespaces
        self.articles: int | None = None  # as its statistics count them; None: as many as there are pages
        self.uses: dict[str, list[str]] = {}  # template -> titles
        self.refuse: Callable[[dict[str, str]], Reply | None] = lambda _: None
        self._revision = 100
        taken = self.site._listener.replies.take
        self.site._listener.replies.take = lambda target: self._reply(target) or taken(target)  # type: ignore[method-assign]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.site.close()

    # --- what a test does -----------------------------------------------------------------------------------------

    def add(self, title: str) -> None:
        """A new page, as the list of changes has it."""
        self.make(title, touched=LATER)
        self.note("new", title)

    def make(self, title: str, text: str = "", *, touched: str = LONG_AGO, **facts: Any) -> None:
        self._revision += 1
        prose = text or f"<p>{title}. " + "Lending is a matter of federal law and of its regulations. " * 12 + "</p>"
        self.pages[title] = WikiPage(prose, self._revision, touched, **facts)

    def edit(self, title: str, text: str) -> None:
        """A new revision."""
        self._revision += 1
        page = self.pages[title]
        page.text, page.revision, page.touched = text, self._revision, LATER
        self.note("edit", title)

    def touch(self, title: str, text: str) -> None:
        """Another text under the same revision, as when a template that it uses has changed."""
        self.pages[title].text, self.pages[title].touched = text, LATER

    def remove(self, title: str) -> None:
        del self.pages[title]
        self.note("log", title, logtype="delete", logaction="delete")

    def move(self, old: str, new: str, *, leaving_redirect: bool) -> None:
        self.pages[new] = self.pages.pop(old)
        if leaving_redirect:
            self.make(old, redirects_to=new, touched=LATER)
        self.note("log", old, logtype="move", logaction="move", logparams={"target_title": new, "target_ns": 0})

    def queries(self, **wanted: str) -> list[dict[str, str]]:
        """The questions to the API that say all of *wanted*, in their order."""
        questions = [_query(hit.path) for hit in self.site.log.hits() if hit.path.startswith(API)]
        return [one for one in questions if wanted.items() <= one.items()]

    def note(self, kind: str, title: str, **facts: Any) -> None:
        """An entry of the list of changes."""
        self.log.append({"type": kind, "ns": _namespace(title), "title": title, "timestamp": LATER, **facts})

    # --- what the API answers -------------------------------------------------------------------------------------

    def _reply(self, target: str) -> Reply | None:
        if urlsplit(target).path != API:
            return None
        query = _query(target)
        refused = self.refuse(query)
        if refused is not None:
            return refused
        return answer(self._parse(query) if query["action"] == "parse" else self._query(query))

    def _query(self, query: dict[str, str]) -> dict[str, Any]:
        if query.get("meta") == "siteinfo":
            general = {"articlepath": "/wiki/$1", "server": "https://elsewhere.example", "time": _now()}
            sections = {"namespaces": self._namespaces(), "statistics": {"articles": self.articles or len(self.pages)}}
            answer = {"general": general} | {
                name: sections[name] for name in query["siprop"].split("|") if name in sections
            }
            return {"batchcomplete": True, "query": answer}
        listed = query.get("generator", query.get("list"))
        return self._info(query) if listed is None else getattr(self, f"_{listed}")(query)

    def _namespaces(self) -> dict[str, Any]:
        numbers = (-1, 0, 1, 6, _TEMPLATE, _HELP, 14)
        return {str(one): {"id": one, "name": "", "content": one in self.content} for one in numbers}

    def _parse(self, query: dict[str, str]) -> dict[str, Any]:
        title, hops = self._followed(query["page"])
        if title not in self.pages:
            return {"error": {"code": "missingtitle", "info": "The page you specified doesn't exist."}}
        page = self.pages[title]
        parsed = {"title": title, "pageid": 7, "revid": page.revision, "text": page.text, "links": []}
        categories = [{"category": name.replace(" ", "_"), "hidden": False} for name in page.categories]
        return {"parse": parsed | {"categories": categories, "properties": page.properties, "redirects": hops}}

    def _info(self, query: dict[str, str]) -> dict[str, Any]:
        titles = query["titles"].split("|")
        assert len(titles) <= TITLES
        pages: dict[str, Any] = {}
        redirects: dict[str, Any] = {}
        for one in titles:
            title, hops = self._followed(one)
            redirects |= {hop["from"]: hop for hop in hops}
            page = self.pages.get(title)
            known = {"missing": True} if page is None else {"lastrevid": page.revision, "touched": page.touched}
            pages[title] = {"ns": _namespace(title), "title": title, **known}
        found: dict[str, Any] = {"pages": list(pages.values())}
        return {"batchcomplete": True, "query": found | ({"redirects": list(redirects.values())} if redirects else {})}

    def _categorymembers(self, query: dict[str, str]) -> dict[str, Any]:
        name = query["gcmtitle"].removeprefix("Category:")
        return self._listed("categorymembers", [one for one in self.pages if name in self.pages[one].categories], query)

    def _allpages(self, query: dict[str, str]) -> dict[str, Any]:
        wanted = int(query["gapnamespace"])
        plain = [title for title, page in self.pages.items() if page.redirects_to is None]
        return self._listed("allpages", [title for title in plain if _namespace(title) == wanted], query)

    def _embeddedin(self, query: dict[str, str]) -> dict[str, Any]:
        return self._listed("embeddedin", self.uses.get(query["eititle"], []), query)

    def _listed(self, name: str, titles: list[str], query: dict[str, str]) -> dict[str, Any]:
        at = int(query.get("from", "0"))
        named = sorted(titles)[at : at + MEMBERS]
        more = {"continue": {"from": str(at + MEMBERS), "continue": "-||"}} if at + MEMBERS < len(titles) else {}
        if "generator" in query:
            found = {"query": {"pages": [self._page_info(one) for one in named]}} if named else {}
        else:
            found = {"query": {name: [{"ns": _namespace(one), "title": one} for one in named]}}
        return {"batchcomplete": True} | found | more

    def _page_info(self, title: str) -> dict[str, Any]:
        page = self.pages[title]
        info = {"ns": _namespace(title), "title": title, "lastrevid": page.revision, "touched": page.touched}
        return info | ({} if page.redirects_to is None else {"redirect": True})

    def _recentchanges(self, query: dict[str, str]) -> dict[str, Any]:
        return {"batchcomplete": True, "query": {"recentchanges": self.log}}

    def _logevents(self, query: dict[str, str]) -> dict[str, Any]:
        found = [_as_event(one) for one in self.log if one.get("logtype") == query.get("letype")]
        return {"batchcomplete": True, "query": {"logevents": found}}

    def _followed(self, title: str) -> tuple[str, list[dict[str, str]]]:
        hops: list[dict[str, str]] = []
        while title in self.pages and (to := self.pages[title].redirects_to) is not None and len(hops) < 5:
            hops.append({"from": title, "to": to})
            title = to
        return title, hops


def manifest(project: Project, wiki: Wiki, **scope: object) -> None:
    """A manifest with the wiki as its only source, `a`."""
    config = {"mediawiki": {"api_url": wiki.site.at(API), **scope}}
    project.manifest([source("a", wiki.site.at("/wiki/Rule_0"), "mediawiki", scrape_config=config)], delay_s=0.02)


def visit(project: Project, wiki: Wiki) -> None:
    """One visit of it; what was asked before is forgotten."""
    wiki.site.log.clear()
    done = project.scrapy("collect", "--force", env={"RORI_RETRY_SCALE": "0.001"})
    assert "Traceback" not in done.stderr, done.stderr


def answer(payload: object, **headers: str) -> Reply:
    """A reply with JSON."""
    return Reply(200, {"Content-Type": "application/json", **headers}, json.dumps(payload).encode())


def _as_event(change: dict[str, Any]) -> dict[str, Any]:
    event = {name: change[name] for name in ("ns", "title", "timestamp")}
    return event | {"type": change["logtype"], "action": change["logaction"], "params": change.get("logparams", {})}


def _now() -> str:
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _query(target: str) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(urlsplit(target).query, keep_blank_values=True).items()}


def _namespace(title: str) -> int:
    return {"Talk": 1, "Help": _HELP, "Template": _TEMPLATE, "Category": 14}.get(title.partition(":")[0], 0)
