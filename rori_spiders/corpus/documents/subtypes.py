"""What kind of page a document is: a table, read from above, the first row that fits decides.

In: a page's URL, the content type it came with, and what its source says of itself. Out: ``source_subtype``, and the
name of the row, for people who ask why. An id's prefix is told from the URL alone: it may not change with a server's
answer.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from rori_spiders.urls.canonical import host_of

Subtype = Literal[
    "web_page",
    "blog_post",
    "news",
    "case_study",
    "pricing_page",
    "competitive_battlecard",
    "faq",
    "form",
    "regulation",
    "rulemaking",
    "guidance",
    "guide",
    "enforcement",
    "wiki_page",
    "api_reference",
    "spreadsheet",
    "word_document",
    "pdf",
]


_OFFICE = "application/vnd.openxmlformats-officedocument"


class Row(NamedTuple):
    """One row: every column that is given must fit.

    ``path`` is looked for in the URL's path, ``host`` is a name or its parent, ``media`` are media types,
    ``source_types``, ``categories`` and ``methods`` those of the manifest.
    """

    name: str
    subtype: Subtype
    path: re.Pattern[str] | None = None
    host: str | None = None
    media: frozenset[str] = frozenset()
    source_types: frozenset[str] = frozenset()
    categories: frozenset[str] = frozenset()
    methods: frozenset[str] = frozenset()


def _segment(words: str) -> re.Pattern[str]:
    """A whole segment of a path that is one of *words*; an ending such as ``.html`` plays no part."""
    return re.compile(rf"/(?:{words})(?:\.\w{{2,5}})?(?:/|$)", re.IGNORECASE)


def _of(*names: str) -> frozenset[str]:
    return frozenset(names)


#: What a page came as goes before what its address says; the address before what its source says.
ROWS: tuple[Row, ...] = (
    Row("came as a PDF", "pdf", media=_of("application/pdf", "application/x-pdf")),
    Row("ends as a PDF", "pdf", path=re.compile(r"\.pdf$", re.IGNORECASE)),
    Row("came as a Word document", "word_document", media=_of(f"{_OFFICE}.wordprocessingml.document")),
    Row("came as a spreadsheet", "spreadsheet", media=_of(f"{_OFFICE}.spreadsheetml.sheet")),
    Row("came as an OpenAPI document", "api_reference", media=_of(
        "application/vnd.oai.openapi", "application/vnd.oai.openapi+json")),
    Row("of a wiki", "wiki_page", methods=_of("mediawiki")),
    Row("in a wiki's path", "wiki_page", path=re.compile(r"/wiki/[^/]|/index\.php/[^/]")),
    Row("eCFR", "regulation", host="ecfr.gov"),
    Row("Federal Register's documents", "rulemaking", host="federalregister.gov", path=_segment("documents")),
    Row("a source of the eCFR", "regulation", categories=_of("ecfr")),
    Row("a source of the Federal Register", "rulemaking", categories=_of("federal_register")),
    Row("questions and answers", "faq", path=_segment(r"faqs?|frequently-asked-questions|questions-and-answers")),
    Row("forms", "form", path=_segment(r"forms?|forms-and-\w+|[\w-]+-forms?")),
    Row("prices", "pricing_page", path=_segment(r"pricing|prices|plans-and-pricing|rates-and-fees")),
    Row("case studies", "case_study", path=_segment(r"case-stud(?:y|ies)|customer-stories|success-stories")),
    Row("comparisons", "competitive_battlecard", path=_segment(r"compare|comparisons?|battlecards?|[\w-]+-vs-[\w-]+")),
    Row("blog", "blog_post", path=_segment(r"blogs?|posts")),
    Row("news", "news", path=_segment(r"news|newsroom|press|press-releases?|media-releases?|announcements?")),
    Row("enforcement", "enforcement", path=_segment(r"enforcement|enforcement-actions?|consent-orders?|settlements?")),
    Row("regulations", "regulation", path=_segment(
        r"regulations?|statutes?|laws?|cfr|uscode|usc|rules|administrative-code|code-of-[\w-]+")),
    Row("guidance", "guidance", path=_segment(r"guidance|bulletins?|mortgagee-letters?|advisory-opinions?|handbooks?")),
    Row("a source of regulation", "regulation", source_types=_of("regulation")),
    Row("a source of guidance", "guidance", source_types=_of("guidance")),
    Row("a source of guides", "guide", source_types=_of("guide")),
    Row("a source of enforcement", "enforcement", source_types=_of("enforcement")),
    Row("any other page", "web_page"),
)  # fmt: skip
#: What an id begins with, by what the URL alone says; all else is a page of the web.
PREFIXES: dict[Subtype, str] = {"pdf": "pdf", "wiki_page": "wiki"}


def row_for(
    url: str,
    *,
    content_type: str | None = None,
    source_type: str | None = None,
    category: str | None = None,
    method: str | None = None,
) -> Row:
    """The row that decides what the page at *url* is: its ``subtype``, and its ``name`` as the reason.

    ``content_type`` as a server says it ("text/html; charset=utf-8"), the rest as the source's manifest does.
    """
    medium = (content_type or "").partition(";")[0].strip().lower()
    known = ("media", medium), ("source_types", source_type), ("categories", category), ("methods", method)
    path, host = urlsplit(url).path, host_of(url)
    for row in ROWS:
        if (
            all(not getattr(row, column) or value in getattr(row, column) for column, value in known)
            and (row.path is None or row.path.search(path))
            and (row.host is None or host == row.host or host.endswith(f".{row.host}"))
        ):
            return row
    raise AssertionError("the last row fits every page")


def prefix_of(url: str) -> str:
    """What the id of the page at *url* begins with."""
    return PREFIXES.get(row_for(url).subtype, "web")
