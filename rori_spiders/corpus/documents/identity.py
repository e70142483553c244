"""The identity of a document: its ``doc_id`` and its ``source_subtype``.

``source_subtype`` is decided by a table (`ROWS`): the first row that fits the URL, the content type and the source
wins. A ``doc_id`` (``web_8f4d9b2a_pricing``) is made of the URL alone: prefix, 8 hex digits of its hash, slug; the
same URL has the same id in every version.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from rori_spiders.envelope.file_names import url_slug
from rori_spiders.urls.canonical import host_of, normalise_url, url_hash

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


class Rule(NamedTuple):
    """A row of the table; every given column must match.

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


def _path(words: str) -> re.Pattern[str]:
    """A whole segment of a path that is one of *words*; an ending such as ``.html`` plays no part."""
    return re.compile(rf"/(?:{words})(?:\.\w{{2,5}})?(?:/|$)", re.IGNORECASE)


def _media_types(*names: str) -> frozenset[str]:
    return frozenset(names)


#: The content type of a page decides before its URL, and the URL before its source.
ROWS: tuple[Rule, ...] = (
    Rule("came as a PDF", "pdf", media=_media_types("application/pdf", "application/x-pdf")),
    Rule("ends as a PDF", "pdf", path=re.compile(r"\.pdf$", re.IGNORECASE)),
    Rule("is a Word document", "word_document", media=_media_types(f"{_OFFICE}.wordprocessingml.document")),
    Rule("is a spreadsheet", "spreadsheet", media=_media_types(f"{_OFFICE}.spreadsheetml.sheet")),
    Rule("is an OpenAPI document", "api_reference", media=_media_types(
        "application/vnd.oai.openapi", "application/vnd.oai.openapi+json")),
    Rule("of a wiki", "wiki_page", methods=_media_types("mediawiki")),
    Rule("has a wiki's path", "wiki_page", path=re.compile(r"/wiki/[^/]|/index\.php/[^/]")),
    Rule("eCFR", "regulation", host="ecfr.gov"),
    Rule("a Federal Register document", "rulemaking", host="federalregister.gov", path=_path("documents")),
    Rule("a source of the eCFR", "regulation", categories=_media_types("ecfr")),
    Rule("a source of the Federal Register", "rulemaking", categories=_media_types("federal_register")),
    Rule("questions and answers", "faq", path=_path(r"faqs?|frequently-asked-questions|questions-and-answers")),
    Rule("forms", "form", path=_path(r"forms?|forms-and-\w+|[\w-]+-forms?")),
    Rule("prices", "pricing_page", path=_path(r"pricing|prices|plans-and-pricing|rates-and-fees")),
    Rule("case studies", "case_study", path=_path(r"case-stud(?:y|ies)|customer-stories|success-stories")),
    Rule("comparisons", "competitive_battlecard", path=_path(r"compare|comparisons?|battlecards?|[\w-]+-vs-[\w-]+")),
    Rule("blog", "blog_post", path=_path(r"blogs?|posts")),
    Rule("news", "news", path=_path(r"news|newsroom|press|press-releases?|media-releases?|announcements?")),
    Rule("enforcement", "enforcement", path=_path(r"enforcement|enforcement-actions?|consent-orders?|settlements?")),
    Rule("regulations", "regulation", path=_path(
        r"regulations?|statutes?|laws?|cfr|uscode|usc|rules|administrative-code|code-of-[\w-]+")),
    Rule("guidance", "guidance", path=_path(r"guidance|bulletins?|mortgagee-letters?|advisory-opinions?|handbooks?")),
    Rule("a source of regulation", "regulation", source_types=_media_types("regulation")),
    Rule("a source of guidance", "guidance", source_types=_media_types("guidance")),
    Rule("a source of guides", "guide", source_types=_media_types("guide")),
    Rule("a source of enforcement", "enforcement", source_types=_media_types("enforcement")),
    Rule("any other page", "web_page"),
)  # fmt: skip
#: The prefix of an id, by the URL alone; the default is a web page.
PREFIXES: dict[Subtype, str] = {"pdf": "pdf", "wiki_page": "wiki"}


def subtype_row_for(
    url: str,
    *,
    content_type: str | None = None,
    source_type: str | None = None,
    category: str | None = None,
    method: str | None = None,
) -> Rule:
    """Return the first matching row for *url*: its ``subtype``, and its ``name`` as the reason.

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
    raise AssertionError("the last row matches every page")


def doc_id_prefix(url: str) -> str:
    """Return the prefix of the id of the page at *url*."""
    return PREFIXES.get(subtype_row_for(url).subtype, "web")


# The ``doc_id``. Neither run nor text nor a server's answer plays a part.

_DIGITS = 8
#: Of two whose ids are the same, one gets so many digits, then all.
_MORE_DIGITS = (16, 64)


def doc_id_for(url: str, digits: int = _DIGITS) -> str:
    """Return the id of the page at *url*; pages may share it (see ``doc_ids``). Raises ValueError for other schemes."""
    address = normalise_url(url)
    return f"{doc_id_prefix(address)}_{url_hash(address)[:digits]}_{url_slug(address)}"


def doc_ids(urls: Iterable[str], held: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return distinct ids for a domain's pages, by normalised URL.

    *held* are ids by URL that were given before, also to pages that are gone: they are kept, and nobody else gets
    them. Else, of pages that would share an id, the first by the hash of its URL has it, and the others have one with
    more digits. The order of *urls* plays no part.
    """
    fixed_ids = {normalise_url(url): name for url, name in (held or {}).items()}
    taken = set(fixed_ids.values())
    named = {}
    for address in sorted(set(map(normalise_url, urls)), key=url_hash):
        if address not in fixed_ids:
            names = (doc_id_for(address, digits) for digits in (_DIGITS, *_MORE_DIGITS))
            fixed_ids[address] = next(name for name in names if name not in taken)
            taken.add(fixed_ids[address])
        named[address] = fixed_ids[address]
    return named
