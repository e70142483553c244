"""One response as a collection would read it: for ``scrapy shell`` and ``scrapy parse``. Nothing is staged."""

from dataclasses import replace
from functools import cached_property
from typing import Any

from parsel import Selector
from scrapy.http import Response

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.configuration.locations import Locations
from rori_spiders.content.changes.compare import compare
from rori_spiders.content.convert import Converted, digest
from rori_spiders.content.options import Options
from rori_spiders.crawl.conversion_options import conversion_options
from rori_spiders.crawl.source_finder import SourceFinder
from rori_spiders.crawl.tiers.base import join_header_values
from rori_spiders.exceptions import ConversionError, RoriError
from rori_spiders.ledger.pages import page_history
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.models import Source
from rori_spiders.manifest.scope import Scope
from rori_spiders.staging.store_factory import open_store
from rori_spiders.terminal.comparison.diff import write_diff_text
from rori_spiders.terminal.listing import format_for_people
from rori_spiders.urls.canonical import normalise_url
from rori_spiders.verdicts import judge
from rori_spiders.verdicts.verdict import Verdict


class PagePreview:
    """*response* with its verdict, its text and the source that would collect it."""

    def __init__(self, response: Response, catalog: Catalog, places: Locations) -> None:
        self._response = response
        self._catalog = catalog
        self._places = places
        self.url = normalise_url(response.url)

    @cached_property
    def source(self) -> Source | None:
        """The active source that would collect the page; None where none would."""
        finder = SourceFinder(self._catalog, statuses=("active",))
        request = self._response.request
        former = request.meta.get("redirect_urls", []) if request is not None else []  # what a single page is named by
        found = (finder.find(normalise_url(url)) for url in (self.url, *former))
        return next((one for one in found if one is not None), None)

    @cached_property
    def verdict(self) -> Verdict:
        """What the response is."""
        known: Verdict | None = self._response.meta.get("verdict") if self._response.request else None
        return known or judge(
            status=self._response.status,
            url=self._response.url,
            headers=join_header_values(self._response.headers),
            body=self._response.body,
        )

    @cached_property
    def page(self) -> Converted | None:
        """The page as it would be staged, with the source's selectors; None if it is not content, or not a page."""
        if not self.verdict.is_content:
            return None
        try:
            return self.convert(conversion_options(self.source) if self.source else Options())
        except ConversionError as error:
            print(f"Not converted: {error}")
            return None

    @property
    def markdown(self) -> str | None:
        """The text of the page; None as for ``page``."""
        return None if self.page is None else self.page.markdown

    def convert(self, options: Options) -> Converted:
        """The page with other selectors. Raises ConversionError."""
        content_type = self._response.headers.get("Content-Type")
        kind = content_type.decode("latin-1") if content_type else None
        return digest(self._response.body, url=self._response.url, content_type=kind, options=options)

    def preview(self, selector: str | None = None, chars: int = 800) -> None:
        """Print what *selector* would keep as content; without one, what the source's ``content_selector`` keeps."""
        options = conversion_options(self.source) if self.source else Options()
        selector = selector or options.content_selector
        whole = self._text(replace(options, content_selector=None))
        if selector is None:
            print(f"No content_selector: the main text is found by itself, {len(whole)} characters.\n\n{whole[:chars]}")
            return
        matched = len(Selector(body=self._response.body).css(selector))
        selected = self._text(replace(options, content_selector=selector)) if matched else ""
        print(f"{selector!r} matches {matched}; {len(selected)} characters, without a selector {len(whole)}.")
        print(f"\n{selected[:chars]}" if matched else "Each page that it does not match would fail.")

    def _text(self, options: Options) -> str:
        try:
            return self.convert(options).markdown
        except ConversionError as error:
            print(f"Not converted: {error}")
            return ""

    def diff(self) -> None:
        """Print what changed since the version that is held, or why there is nothing to compare."""
        if self.page is None or self.source is None:
            print("Nothing to compare: no active source collects this page, or it is not content.")
            return
        try:
            held = self._held_text()
        except (RoriError, FileNotFoundError) as error:
            print(f"Nothing to compare: {error}")
            return
        if held is None:
            print("Nothing to compare: no version of this page is held.")
            return
        text, head = held
        write_diff_text(compare(text, self.page.markdown), [f"{self.source.id}  {self.url}", head])

    def _held_text(self) -> tuple[str, str] | None:
        assert self.source is not None
        with open_existing_ledger(self._places) as ledger:
            if ledger is None:
                return None
            with ledger.connect() as conn:
                page = page_history.find_page(conn, self.source.id, self.url)
                version = page and page_history.newest_text(conn, page.page_id)
            if not version:
                return None
            body = open_store(self._places.staging).get_object(version.body_object)
        return body.decode(), f"from version {version.seq}, captured {format_for_people(version.captured_at)} UTC"

    def document(self) -> dict[str, Any]:
        """For programs: what a collection would make of the response."""
        page, verdict = self.page, self.verdict
        return {
            "url": self._response.url,
            "http_status": self._response.status,
            "verdict": verdict.kind,
            "rules": [fired.rule for fired in verdict.rules],
            "source": None if self.source is None else self.source.id,
            "item": None
            if page is None
            else {
                "title": page.metadata.title or page.title,
                "format": page.format,
                "language": page.language,
                "body_length_chars": len(page.markdown),
                "published_date": page.metadata.published_date,
                "modified_date": page.metadata.modified_date,
                "citations": list(dict.fromkeys(one.canonical for one in page.citations)),
                "sections": [part.path for part in page.outline],
                "body": page.markdown,
            },
            "links": self._links(page),
        }

    def _links(self, page: Converted | None) -> list[dict[str, str | None]]:
        """The links to the same host, each with the reason for which the source would not follow it."""
        if page is None or self.source is None or self.source.method != "crawl":
            return []
        scope, links = Scope(self.source), []
        for link in page.links_internal:
            url = normalise_url(self._response.urljoin(link))
            reason = scope.excludes(url)
            links.append({"url": url, "excluded": None if reason is None else str(reason)})
        return links
