"""A site, a wiki, a page and a PDF that appear in edition after edition, each page with a figure of its own in each.

Out: the sources of a manifest, what each page said over time, and which pages were asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self
from urllib.parse import parse_qs, urlsplit

from tests.content.documents.pdfs import pdf
from tests.crawl.walkers.mediawiki.wiki_server import API, Wiki
from tests.support.pages import page
from tests.support.project import source
from tests.support.server import Site
from tests.support.server.fixtures import next_address

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

#: Pages of the site and of the wiki, links on a page of the site, and of how many pages one changes in an edition.
PAGES, TITLES, LINKS, CHANGED = 24, 9, 4, 3
#: Of so many pages of the site, one is so large that it is converted in the pool.
LARGE, LARGE_TEXT = 9, "A creditor shall retain evidence of compliance for two years. " * 1500
PAGE, PDF = "/rule", "/rule.pdf"
#: A page of the site that is there in every other edition, with the same text.
AT_TIMES = "/page/at-times"


class Editions:
    """What is published. ``figures``: by source and path, the figures of a page, oldest first."""

    def __init__(self) -> None:
        self.site, self.documents, self.wiki = Site(next_address()), Site(next_address()), Wiki()
        self.figures: dict[str, dict[str, list[str]]] = {
            "guide": {path: [] for path in ("/", *(f"/page/{number}" for number in range(1, PAGES)), AT_TIMES)},
            "wiki": {f"/wiki/Rule_{number}": [] for number in range(TITLES)},
            "rule": {PAGE: []},
            "pdf": {PDF: []},
        }
        self.number = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for one in (self.site, self.documents, self.wiki.site):
            one.close()

    def sources(self) -> list[dict[str, Any]]:
        wiki = {"mediawiki": {"api_url": self.wiki.site.at(API), "namespaces": [0]}}
        return [
            source("guide", self.site.at("/"), "crawl"),
            source("wiki", self.wiki.site.at("/wiki/Rule_0"), "mediawiki", scrape_config=wiki),
            source("rule", self.documents.at(PAGE)),
            source("pdf", self.documents.at(PDF)),
        ]

    def publish(self) -> None:
        """A new edition: at first of everything, then of a part of it."""
        self.number += 1
        for name, publish in (("guide", self._site), ("wiki", self._wiki), ("rule", self._page), ("pdf", self._pdf)):
            for at, (path, figures) in enumerate(self.figures[name].items()):
                if path == AT_TIMES:
                    self._at_times(figures)
                elif self.number == 1 or at % CHANGED == self.number % CHANGED:
                    figure = f"{at},{self.number:03d}"
                    publish(at, path, f"The limit of this page is {figure} dollars.")
                    figures.append(figure)

    def _site(self, at: int, path: str, text: str) -> None:
        links = list(self.figures["guide"])[at * LINKS + 1 : (at + 1) * LINKS + 1]
        html = page(f"Page {at}", *links, text=text + LARGE_TEXT * (at % LARGE == 1))
        if self.number == 1:
            self.site.page(path, html, validators=at % 2 == 0)
        else:
            self.site.set(path, html)

    @property
    def is_there(self) -> bool:
        """Whether the page that is there at times is there now."""
        return self.number % 2 == 0

    def _at_times(self, figures: list[str]) -> None:
        text = "The limit of this page is at,times dollars."
        self.site.page(AT_TIMES, page("At times", text=text), status=200 if self.is_there else 404)
        if self.number == 2:
            figures.append("at,times")

    def _wiki(self, at: int, path: str, text: str) -> None:
        title, html = f"Rule {at}", f"<p>{text}</p><p>{'Lending is a matter of federal law. ' * 20}</p>"
        if self.number == 1:
            self.wiki.make(title, html)
        else:
            self.wiki.edit(title, html)

    def _page(self, at: int, path: str, text: str) -> None:
        self.documents.page(path, page("The rule", text=text), validators=True)

    def _pdf(self, at: int, path: str, text: str) -> None:
        self.documents.page(path, pdf([text, *["A creditor shall retain it."] * 30]), content_type="application/pdf")

    def request_counts(self) -> dict[str, int]:
        """How many requests each server has had until now, for `pages_asked`."""
        return {name: len(site.log.hits()) for name, site in self._servers().items()}

    def pages_asked(self, since: Mapping[str, int]) -> set[str]:
        """The paths of the pages that were asked for since then."""
        hits = {hit.path for name, site in self._servers().items() for hit in site.log.hits()[since[name] :]}
        return {_page_of(path) for path in hits}

    def _servers(self) -> dict[str, Site]:
        return {"site": self.site, "wiki": self.wiki.site, "documents": self.documents}


def _page_of(path: str) -> str:
    """The page that a request is for; of the wiki's API, the one that it reads."""
    query = parse_qs(urlsplit(path).query)
    return f"/wiki/{query['page'][0].replace(' ', '_')}" if query.get("action") == ["parse"] else path
