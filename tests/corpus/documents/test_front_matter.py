"""Front matter: one form, byte for byte; any reader of YAML reads it; what is no front matter is refused in words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as some

from rori_spiders.content.metadata.statements import PageStatements, statements_in
from rori_spiders.corpus.documents.document import (
    Document,
    NotADocument,
    build_document,
    content_hash,
    format_document,
    parse_document,
)
from rori_spiders.corpus.documents.identity import doc_id_for
from rori_spiders.corpus.documents.provenance import provenance_of
from rori_spiders.ledger.corpus.page_ids import page_id_for_url
from tests.house.code import docs
from tests.support.cases import cases

PRICING = "https://www.acme.com/pricing"
BODY = "# Acme pricing plans\n\n## Pricing - Starter plan\n\nThe Acme Starter plan includes ..."
FILE = """---
title: "Acme pricing plans"
description: "Acme plan tiers: limits, \\"enterprise\\" pricing, 50 % off."
language: en
source_url: https://www.acme.com/pricing
source_subtype: pricing_page
doc_id: web_a13c3d34_pricing
published_at: "2026-06-11"
run_id: "0b7e9f0e-5d0c-4e53-9a52-8a4a3f6f0001"
page_id: "{page_id}"
content_hash: "{content_hash}"
---

# Acme pricing plans

## Pricing - Starter plan

The Acme Starter plan includes ...
"""


def document(body: str = BODY, **other: Any) -> Document:
    known: dict[str, Any] = {
        "title": "Acme pricing plans",
        "description": 'Acme plan tiers: limits, "enterprise" pricing, 50 % off.',
        "language": "en",
        "source_url": PRICING,
        "source_subtype": "pricing_page",
        "doc_id": "web_a13c3d34_pricing",
        "published_at": "2026-06-11",
        "run_id": "0b7e9f0e-5d0c-4e53-9a52-8a4a3f6f0001",
    }
    return build_document(body, **{**known, **other})


def test_front_matter_format() -> None:
    front = document().front
    hashed = content_hash(front.title, front.description, BODY)
    assert format_document(document()) == FILE.format(page_id=page_id_for_url(PRICING), content_hash=hashed)
    assert parse_document(format_document(document())) == document()


def test_front_matter_provenance_is_written_where_known() -> None:
    url = "https://www.ecfr.gov/on/2024-01-02/title-12/section-1024.17"
    at = datetime(2026, 11, 27, 9, 0, tzinfo=UTC)
    known = provenance_of(url, None, source=None, effective="2024-01-01", retrieved_at=at, stated=PageStatements())
    text = format_document(document(source_url=url, doc_id=doc_id_for(url), provenance=known))
    assert (
        yaml.safe_load(text.split("---\n")[1]).items()
        >= {
            "citation": "12 C.F.R. § 1024.17",
            "part": "1024",
            "effective_date": "2024-01-01",
            "version_of": "https://www.ecfr.gov/current/title-12/section-1024.17",
            "retrieved_at": "2026-11-27T09:00:00Z",
        }.items()
    )
    assert "agency" not in text
    assert parse_document(text).front.citation == "12 C.F.R. § 1024.17"


@cases(
    ("url", "title", "citation"),
    [
        ("https://www.ecfr.gov/current/title-12/part-1024", None, "12 C.F.R. Part 1024"),
        ("https://www.law.cornell.edu/uscode/text/15/1601", None, "15 U.S.C. § 1601"),
        ("https://www.hud.gov/a", "12 CFR 1024.17 Escrow accounts", "12 C.F.R. § 1024.17"),
        ("https://www.hud.gov/a", "What 12 CFR 1024.17 means", None),
        ("https://www.hud.gov/a", None, None),
    ],
)
def test_provenance_of_cites_the_place_of_the_page(url: str, title: str | None, citation: str | None) -> None:
    known = provenance_of(url, title, source=None, effective=None, retrieved_at=None, stated=PageStatements())
    assert (known["citation"], known["version_of"], known["retrieved_at"]) == (citation, None, None)


def test_front_matter_has_what_the_page_states() -> None:
    crumbs = '<nav aria-label="Breadcrumb"><ol><li>Home</li><li>Fees</li></ol></nav>'
    page = f'<html><head><link rel="license" href="/cc0"></head><body>{crumbs}</body></html>'.encode()
    stated = statements_in(page, PRICING)
    known = provenance_of(PRICING, None, source=None, effective=None, retrieved_at=None, stated=stated)
    front = parse_document(format_document(document(provenance=known))).front
    assert (front.breadcrumbs, front.rights) == ("Home > Fees", "https://www.acme.com/cc0")
    assert statements_in(b"%PDF-1.7 <html", PRICING) != stated and statements_in(b"", PRICING) == PageStatements()


def test_front_matter_unknown_values_are_omitted() -> None:
    text = format_document(document(title=None, description=" ", language=None, published_at=None))
    assert list(yaml.safe_load(text.split("---\n")[1])) == [
        "source_url", "source_subtype", "doc_id", "run_id", "page_id", "content_hash",
    ]  # fmt: skip
    assert parse_document(text).front.title is None


@pytest.mark.parametrize("language", ["no", "on", "yes"])
def test_front_matter_yaml_types_are_preserved(language: str) -> None:
    front = document(title="2026-11-23", description="1e3", language=language, run_id="0o17").front
    values = yaml.safe_load(format_document(Document(front, BODY)).split("---\n")[1])
    assert values == front.model_dump(exclude_none=True)


_lines = some.text(some.characters(), max_size=60)


@given(_lines, _lines, some.text(some.characters(), max_size=200))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_front_matter_any_value_round_trips(title: str, description: str, body: str) -> None:
    it = document(body, title=title, description=description)
    text = format_document(it)
    text.encode()
    assert parse_document(text) == it and format_document(parse_document(text)) == text
    head = text[4 : text.index("\n---\n", 3) + 1]
    values = yaml.safe_load(head)
    assert values == it.front.model_dump(exclude_none=True)
    # Readers that go line by line see each value whole.
    assert [line.partition(":")[0] for line in head.removesuffix("\n").split("\n")] == list(values)


def test_front_matter_text_is_unchanged() -> None:
    body = "\n\n    code\n\n---\nline  \r\n\ttab\u00a0\n\n"
    assert parse_document(format_document(document(body))).body == body.strip("\n")


def test_content_hash_covers_indexed_text() -> None:
    one = document().front.content_hash
    assert one == document(run_id="another", published_at=None, language=None).front.content_hash
    assert one == document(f"\n{BODY}\n \n").front.content_hash
    others = (document(BODY + "!"), document(title="Acme"), document(description=None), document(title=None))
    assert len({one, *(other.front.content_hash for other in others)}) == 5


@cases(
    ("change", "says"),
    [
        (("---\n", "", 1), "the file does not begin with front matter between two lines of ---"),
        (("---\n", "---\r\n", 2), "the file does not begin with front matter between two lines of ---"),
        (('title: "', "title: [", 1), "the front matter is not valid YAML at line"),
        (("language: en", "language: en\nlanguage: es", 1), "language is given twice in the front matter"),
        (("language: en", "language: English", 1), "language: "),
        (("language: en", "language: en\nurl: x", 1), "url: Extra inputs are not permitted"),
        (("doc_id: web_a13c3d34_pricing\n", "", 1), "doc_id: Field required"),
        (("web_a13c3d34_pricing", "../pricing", 1), "doc_id: "),
        (("https://www.acme.com/pricing", "https://www.ACME.com/pricing#x", 1), "source_url: "),
        (("2026-06-11", "June 2026", 1), "published_at: "),
        (("2026-06-11", "20260611", 1), "published_at: "),
        (("Acme pricing plans", "Acme\\npricing", 1), "title: "),
        (("source_subtype: pricing_page", "source_subtype: page", 1), "source_subtype: "),
    ],
)
def test_parse_front_matter_invalid_text_is_refused(change: tuple[str, str, int], says: str) -> None:
    with pytest.raises(NotADocument) as refused:
        parse_document(format_document(document()).replace(*change))
    assert any(problem.startswith(says) for problem in refused.value.problems), refused.value.problems


def test_parse_front_matter_lists_every_problem() -> None:
    text = (
        format_document(document()).replace("language: en", "language: 1\nrun_id: 2").replace("source_url: ", "url: ")
    )
    with pytest.raises(NotADocument) as refused:
        parse_document(text)
    assert {problem.partition(":")[0] for problem in refused.value.problems} == {
        "run_id is given twice in the front matter", "language", "source_url", "url",
    }  # fmt: skip


def test_front_matter_example_in_docs_is_current() -> None:
    shown = docs("corpus.md").partition("## Documents\n")[2].partition("```\n")[2].partition("```")[0]
    front = build_document(
        shown.partition("---\n\n")[2],
        title="Acme pricing plans",
        description="Acme plan tiers, limits, and enterprise pricing policy.",
        language="en",
        source_url=PRICING,
        source_subtype="pricing_page",
        doc_id=doc_id_for(PRICING),
        published_at="2026-06-11",
        run_id="0b7e9f0e-5d0c-4e53-9a52-8a4a3f6f0001",
    )
    assert shown.replace('"..."', f'"{front.front.content_hash}"') == format_document(front)
