"""The Federal Register by its documents API (https://www.federalregister.gov/developers/documentation/api/v1).

A document is its full text in XML; the JSON before it says where that lies, when it was published, and what it is
called. Pages of agencies and searches are lists of documents.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from rori_spiders.content.documents.file_types import kind_of
from rori_spiders.crawl.tiers.official.api import XML, ApiPage, ApiRequest, NoFullText, json_objects, parse_json_object
from rori_spiders.crawl.tiers.official.ecfr import render_list_page
from rori_spiders.items import ApiMetadata
from rori_spiders.urls.canonical import origin_of

_NUMBER = "[A-Za-z0-9]+(?:-[A-Za-z0-9]+)+"
_DATED = re.compile(rf"/(?:documents|articles)/(\d{{4}})/(\d\d)/(\d\d)/({_NUMBER})(?:/[^/]*)?/?")
_SHORT = re.compile(rf"/d/({_NUMBER})(?:/[^/]*)?/?")
_AGENCY = re.compile(r"/agencies/([a-z0-9-]+)/?")
_FULL_TEXT = "/documents/full_text/xml/"
#: The API gives at most 2,000 documents of a query; in pages of up to 1,000.
PER_PAGE, MAX_DOCUMENTS = 100, 2000
HTML = "text/html; charset=utf-8"


class FederalRegisterApi:
    """The daily journal of the federal government."""

    name = "Federal Register"
    hosts = frozenset({"www.federalregister.gov", "federalregister.gov"})
    documentation = "https://www.federalregister.gov/developers/documentation/api/v1"
    setting = "RORI_FEDERAL_REGISTER_API"

    def serves(self, url: str) -> bool:
        return _is_api_url(url) or _parse_document_url(url) is not None or _list_query(url) is not None

    def ask(self, url: str, api: str, known: Mapping[str, str]) -> ApiRequest:
        if _is_api_url(url):
            return ApiRequest("api", url, "*/*", names_page=True, last=True)
        document = _parse_document_url(url)
        if document is None:
            return ApiRequest(
                "list", f"{api}/documents.json?{urlencode(_list_query(url) or [])}", names_page=True, last=True
            )
        number, _ = document
        if "document" not in known:
            return ApiRequest("document", f"{api}/documents/{number}.json", names_page=True)
        return ApiRequest("text", _full_text_url(_validate_document(url, known["document"]), api), XML, last=True)

    def learn(self, ask: ApiRequest, answer: bytes | None) -> dict[str, str]:
        parse_json_object(answer or b"")
        return {"document": (answer or b"").decode("utf-8", "replace")}

    def page(self, url: str, answer: bytes, content_type: str | None, known: Mapping[str, str]) -> ApiPage:
        if _is_api_url(url):
            return ApiPage(answer, content_type)
        if _parse_document_url(url) is None:
            return ApiPage(render_document_list(answer, url).encode(), HTML, raw=answer)
        if kind_of(answer, content_type) != "xml":
            raise ValueError("the API's full text is something else than XML")
        return ApiPage(answer, content_type, _document_metadata(_validate_document(url, known["document"])))

    def restored(self, url: str, received: bytes, content_type: str | None) -> tuple[bytes, str | None]:
        if _is_api_url(url) or _list_query(url) is None:
            return received, content_type
        return render_document_list(received, url).encode(), HTML


# --- a document ------------------------------------------------------------------------------------------------------


def _is_api_url(url: str) -> bool:
    return urlsplit(url).path.startswith(("/api/v1/", _FULL_TEXT))


def _parse_document_url(url: str) -> tuple[str, str | None] | None:
    """The number of the document at *url*, and its day, which only the long form of its address tells."""
    path = urlsplit(url).path
    if found := _DATED.fullmatch(path):
        return found[4], f"{found[1]}-{found[2]}-{found[3]}"
    found = _SHORT.fullmatch(path)
    return None if found is None else (found[1], None)


def _validate_document(url: str, payload: str) -> dict[str, Any]:
    """The API's document. Raises ValueError when it is another one: numbers were used twice before 2016."""
    document, named = parse_json_object(payload.encode()), _parse_document_url(url)
    number, day = named or ("", None)
    if str(document.get("document_number")).casefold() != number.casefold():
        raise ValueError(f"the API answered with another document than {number}")
    if day is not None and document.get("publication_date") != day:
        raise ValueError(f"the API's document {number} was published on another day than {day}")
    return document


def _full_text_url(document: dict[str, Any], api: str) -> str:
    """Where the full text lies: at the API's own origin, whatever else the answer names. Raises NoFullText."""
    named = urlsplit(str(document.get("full_text_xml_url") or ""))
    if not named.path.startswith(_FULL_TEXT) or named.hostname not in FederalRegisterApi.hosts:
        raise NoFullText(f"the Federal Register has no XML of {document.get('document_number')}")
    return origin_of(api) + named.path


def _document_metadata(document: dict[str, Any]) -> ApiMetadata:
    agencies = [str(one["name"]) for one in json_objects(document.get("agencies")) if one.get("name")]
    keywords = [
        document.get("citation"),
        *_string_list(document, "docket_ids"),
        *_string_list(document, "regulation_id_numbers"),
    ]
    return ApiMetadata(
        published_date=_iso_date(document.get("publication_date")),
        effective=_iso_date(document.get("effective_on")),
        publisher_version=str(document.get("document_number")),
        description=str(document["abstract"]) if document.get("abstract") else None,
        author="; ".join(agencies) or None,
        keywords=tuple(dict.fromkeys(str(word) for word in (*_string_list(document, "topics"), *keywords) if word)),
    )


def _string_list(document: dict[str, Any], name: str) -> list[str]:
    value = document.get(name)
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _iso_date(value: object) -> str | None:
    return value if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value) else None


# --- lists of documents ----------------------------------------------------------------------------------------------


def _list_query(url: str) -> list[tuple[str, str]] | None:
    """The API's query for the list at *url*; None for what is no list of documents."""
    parts = urlsplit(url)
    asked = parse_qsl(parts.query)
    agency = _AGENCY.fullmatch(parts.path)
    if agency is None and parts.path.rstrip("/") != "/documents/search":
        return None
    if any(name not in {"order", "page"} and not name.startswith("conditions[") for name, _ in asked):
        return None
    conditions = [("conditions[agencies][]", agency[1])] if agency else []
    conditions += [pair for pair in asked if pair[0].startswith("conditions[")]
    order = dict(asked).get("order", "newest")
    return [*conditions, ("order", order), ("page", str(_page_number(url))), ("per_page", str(PER_PAGE))]


def _page_number(url: str) -> int:
    number = dict(parse_qsl(urlsplit(url).query)).get("page", "1")
    return int(number) if re.fullmatch(r"[1-9]\d{0,3}", number) else 1


def render_document_list(answer: bytes, url: str) -> str:
    """The list of documents as a page, with a link to the next one. Raises ValueError for what is no list."""
    read = parse_json_object(answer)
    if not isinstance(read.get("count"), int):
        raise ValueError("the API's answer is no list of documents")  # noqa: TRY004  (it is a value of the server)
    rows = json_objects(read.get("results"))
    entries = ["<ul>", *(_render_entry(one) for one in rows), "</ul>"] if rows else ["<p>No documents were found.</p>"]
    page = _page_number(url)
    if page * PER_PAGE < min(read["count"], MAX_DOCUMENTS):
        entries.append(f'<p><a href="{html.escape(_next_page_url(url, page + 1))}">Next page</a></p>')
    return render_list_page(str(read.get("description") or "Documents"), entries)


def _render_entry(document: dict[str, Any]) -> str:
    title = html.escape(str(document.get("title") or document.get("document_number")))
    address = urlsplit(str(document.get("html_url") or ""))
    if address.hostname in FederalRegisterApi.hosts:
        title = f'<a href="{html.escape(address.path)}">{title}</a>'
    named = (str(document.get(name) or "") for name in ("type", "publication_date", "document_number"))
    facts = " · ".join(html.escape(fact) for fact in named if fact)
    abstract = f"<p>{html.escape(str(document['abstract']))}</p>" if document.get("abstract") else ""
    return f"<li><p>{title}</p><p>{facts}</p>{abstract}</li>"


def _next_page_url(url: str, page: int) -> str:
    parts = urlsplit(url)
    others = [pair for pair in parse_qsl(parts.query) if pair[0] != "page"]
    return f"{parts.path}?{urlencode([*others, ('page', str(page))])}"
