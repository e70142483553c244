"""What kind of page it is: by a table, from above."""

from __future__ import annotations

from rori_spiders.corpus.documents.identity import ROWS, doc_id_prefix, subtype_row_for
from tests.support.cases import cases

CASES: list[tuple[str, dict[str, str], str]] = [
    ("/", {}, "web_page"),
    ("/pricing", {}, "pricing_page"),
    ("/pricing.html", {}, "pricing_page"),
    ("/pricing-of-risk/", {}, "web_page"),
    ("/blog/2024/rates", {}, "blog_post"),
    ("/about-us/newsroom/bureau-acts/", {}, "news"),
    ("/customer-stories/acme", {}, "case_study"),
    ("/compare/us-vs-them", {}, "competitive_battlecard"),
    ("/help/faq/", {}, "faq"),
    ("/forms/1003", {}, "form"),
    ("/rules-policy/regulations/1024/5/", {}, "regulation"),
    ("/enforcement/actions/x/", {}, "enforcement"),
    ("/wiki/Escrow", {}, "wiki_page"),
    ("/Escrow", {"method": "mediawiki"}, "wiki_page"),
    ("/report.pdf", {}, "pdf"),
    ("/report", {"content_type": "application/PDF; qs=1"}, "pdf"),
    ("/x", {"source_type": "guidance"}, "guidance"),
    ("/blog/x", {"source_type": "guidance"}, "blog_post"),
    ("/x", {"category": "ecfr", "source_type": "regulation"}, "regulation"),
    ("/x", {"source_type": "educational", "category": "cfpb", "method": "crawl"}, "web_page"),
]


@cases(("path", "known", "subtype"), CASES)
def test_document_subtype_of_url_and_title(path: str, known: dict[str, str], subtype: str) -> None:
    assert subtype_row_for(f"https://www.example.gov{path}", **known).subtype == subtype


def test_document_subtype_of_official_hosts() -> None:
    assert subtype_row_for("https://www.ecfr.gov/current/title-12/part-1024").subtype == "regulation"
    assert subtype_row_for("https://www.federalregister.gov/documents/2014/1/2/x").subtype == "rulemaking"
    assert subtype_row_for("https://notecfr.gov/x").subtype == "web_page"


def test_doc_id_starts_with_url_words() -> None:
    assert doc_id_prefix("https://www.example.gov/blog/x") == "web"
    assert doc_id_prefix("https://www.example.gov/x.pdf") == "pdf"


def test_subtype_table_last_row_fits_all_and_names_are_unique() -> None:
    assert ROWS[-1][2:] == (None, None, *[frozenset()] * 4)
    assert len({row.name for row in ROWS}) == len(ROWS)
