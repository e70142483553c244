"""A page that only leads to a PDF: its text is the PDF's, where the site's rules say so, and follows its editions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.content.documents.pdfs import pdf
from tests.terminal.commands.test_corpus import Corpus

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.server.site import Site

pytestmark = pytest.mark.crawl

STUB, PDF = "/rules/guide.html", "/files/guide.pdf"
SUMMARY = "<meta name=description content='What a lender may charge'>"
RULES = "take_linked_documents: true\ntriage: {exclude: ['/files/*']}\n"


@pytest.fixture
def corpus(tmp_path: Path, site: Site) -> Corpus:
    """A collected site, one page of which leads to a PDF."""
    made = Corpus(tmp_path, site)
    made.links.append(STUB)
    told = f"<p>The guide is a document:</p><p><a href='{PDF}'>Guide to fees (PDF)</a></p>"
    site.page(
        STUB, f"<html lang=en><title>Guide to fees</title>{SUMMARY}<main><h1>Guide to fees</h1>{told}</main></html>"
    )
    edition(site, 20)
    made.collect()
    (made.project.folder / "corpora").mkdir()
    return made


def edition(site: Site, days: int) -> None:
    lines = [f"A lender sends statement {number} within {days} days of the payment." for number in range(1, 31)]
    site.page(PDF, pdf(lines), content_type="application/pdf")


def rules(corpus: Corpus, text: str) -> None:
    (corpus.project.folder / "corpora" / f"{corpus.domain}.yaml").write_text(text, encoding="utf-8")


def findings(row: dict[str, Any]) -> dict[str, str]:
    return {one["code"]: one["says"] for one in row["findings"]}


def test_corpus_linked_document_is_published_and_followed(corpus: Corpus) -> None:
    rules(corpus, RULES)
    corpus.does("run")
    rows = corpus.rows()
    assert rows[PDF]["decision"] == "exclude"
    said = findings(rows[STUB])
    assert said["took_document"].endswith(corpus.url(PDF)) and "leads_to_document" not in said
    raw, text = (corpus.does("review", "--text", corpus.url(STUB), "--stage", which) for which in ("raw", "document"))
    for shown in (raw, text):
        assert "The guide is a document:" in shown and "statement 30 within 20 days" in shown
    assert 'description: "What a lender may charge"\nlanguage: en\n' in text
    corpus.approve_all()
    corpus.does("publish")
    [published] = [one for one in corpus.latest()["pages"] if one["source_url"] == corpus.url(STUB)]
    assert published["linked"]["url"] == corpus.url(PDF)
    assert [one for one in corpus.latest()["pages"] if "linked" in one] == [published]
    corpus.no_drift()
    assert "no changes since" in corpus.does("delta")

    edition(corpus.site, 25)
    assert "1 page changed" in corpus.collect()
    assert list(corpus.rows()) == [STUB]
    assert corpus.rows()[STUB]["review"] is None, "another edition takes another look"
    assert "statement 30 within 25 days" in corpus.does("review", "--text", corpus.url(STUB))
    # ... and once more, while its draft waits.
    edition(corpus.site, 40)
    corpus.collect()
    assert "statement 30 within 40 days" in corpus.does("review", "--text", corpus.url(STUB))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "set `take_linked_documents` in the site rules to take its text"),
        ("take_linked_documents: true\n", "it is itself a page of the corpus"),
    ],
)
def test_corpus_rejected_publication_has_reason(corpus: Corpus, text: str, says: str) -> None:
    rules(corpus, text)
    corpus.does("run")
    row = corpus.rows()[STUB]
    assert row["gate"] == "needs_review" and says in findings(row)["leads_to_document"]
    assert "statement" not in corpus.does("review", "--text", corpus.url(STUB))
