"""Documents that nobody has collected: fetched through all gates, or told why not."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from rori_spiders.corpus.cleaning.cleaner import append_document
from rori_spiders.corpus.runs import review
from rori_spiders.corpus.runs.page_texts import linked_document_of, own_text, run_scraping
from rori_spiders.corpus.runs.review import lock_run
from rori_spiders.crawl.adhoc.messages import FetchedPage, PageNotFetched
from tests.corpus.factories import DOMAIN, address, page_id, row_of
from tests.corpus.runs.test_steps import Site, site, through_triage
from tests.ledger.factories import at

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from rori_spiders.corpus.runs.run import RunContext

__all__ = ["site"]
PDF = address("files/fees.pdf")
RULES = "take_linked_documents: true\n"


class Fetching:
    """What is fetched: each stub, and of documents what the test says."""

    def __init__(self, stub: str, *documents: FetchedPage | PageNotFetched) -> None:
        self.requests: list[str] = []
        self._stub = stub
        self._documents = {one.url: one for one in documents}

    async def __call__(self, urls: Sequence[str]) -> AsyncIterator[FetchedPage | PageNotFetched]:
        for url in urls:
            self.requests.append(url)
            if (document := self._documents.get(url)) is not None:
                yield document
            else:
                yield page(url, f"# Fees\n\nSee the [fees]({self._stub}).\n")


def page(url: str, body: str, final_url: str | None = None) -> FetchedPage:
    told = {"tier": "http", "status": 200, "at": at(5), "depth": 0, "content_hash": "0" * 64, "title": "Fees"}
    return FetchedPage.model_validate({"fetch_id": 1, "url": url, "final_url": final_url or url, "body": body, **told})


def taken(site: Site, fetch: Fetching, rules: str = RULES) -> tuple[RunContext, str]:
    """The stub's row after its text was asked for, and the text."""
    run = through_triage(site, rules)
    with lock_run(site.ledger, run.run_id, by="ann", now=at()) as mine:
        review.add_url(mine, address("fees"), "wanted", {DOMAIN})
        review.decide_page(mine, page_id("rules/3"), "exclude", "not asked for here")
    work = site.work(run, rules, fetch=fetch)
    asyncio.run(run_scraping(work))
    return work, work.text(row_of(site.ledger, run, "fees").raw_object)


def test_linked_document_not_held_is_fetched(site: Site) -> None:
    fetch = Fetching(f"{PDF}#page=2", page(PDF, "# Fees\n\n## Small\n\nA fee of $5.\n"))
    work, text = taken(site, fetch)
    assert fetch.requests == [address("fees"), PDF]
    assert text == f"# Fees\n\nSee the [fees]({PDF}#page=2).\n\n## Fees\n\n### Small\n\nA fee of $5.\n"
    row = row_of(site.ledger, work.run, "fees")
    made = linked_document_of(row)
    assert made is not None and (made.url, made.own_hash) == (PDF, own_text(row))
    assert work.text(made.raw_hash).startswith("# Fees\n\n## Small")
    asyncio.run(run_scraping(work))
    assert fetch.requests == [address("fees"), PDF], "what was asked once is not asked again"


@pytest.mark.parametrize(
    ("stub", "document", "says"),
    [
        (PDF, PageNotFetched(fetch_id=1, url=PDF, state="excluded", reason="robots"), "robots"),
        (PDF, page(PDF, "# Viewer\n", address("view?file=fees.pdf")), "which is not a PDF"),
        ("https://files.example.org/fees.pdf", None, "its host is not one of this corpus"),
    ],
)
def test_linked_document_unavailable_is_reported(
    site: Site, stub: str, document: FetchedPage | PageNotFetched | None, says: str
) -> None:
    fetch = Fetching(stub, *([document] if document else []))
    work, text = taken(site, fetch)
    row = row_of(site.ledger, work.run, "fees")
    assert text == f"# Fees\n\nSee the [fees]({stub}).\n" and says in row.linked["reason"]
    assert linked_document_of(row) is None and own_text(row) == row.raw_object


def test_linked_document_on_allowed_host_is_fetched(site: Site) -> None:
    elsewhere = "https://files.example.org/fees.pdf"
    rules = f"{RULES}triage: {{allowed_hosts: [files.example.org]}}\n"
    _, text = taken(site, Fetching(elsewhere, page(elsewhere, "A fee of $5.\n")), rules)
    assert text.endswith("\n\nA fee of $5.\n")


def test_linked_document_without_rule_is_not_taken(site: Site) -> None:
    fetch = Fetching(PDF, page(PDF, "A fee.\n"))
    work, text = taken(site, fetch, "")
    assert fetch.requests == [address("fees")] and "A fee" not in text
    assert row_of(site.ledger, work.run, "fees").linked is None


@pytest.mark.parametrize(
    ("document", "below"),
    [
        ("## A\n\nb\n", "## A\n\nb\n"),
        ("# A\n\n```\n# no heading\n```\n\n###### F\n", "## A\n\n```\n# no heading\n```\n\n###### F\n"),
        ("a # b\n\n- # c\n", "a # b\n\n- # c\n"),
        ("\n\n# A\n", "## A\n"),
    ],
)
def test_linked_document_headings_go_below_those_of_page(document: str, below: str) -> None:
    assert append_document("# Page\n\nSee it.\n", document) == f"# Page\n\nSee it.\n\n{below}"
