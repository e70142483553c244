"""The Federal Register by its documents API (https://www.federalregister.gov/developers/documentation/api/v1).

A document is its full text in XML; the JSON before it says where that lies, when it was published, and what it is
called. Searches, and pages of agencies, are lists of documents, and none themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from rori_spiders.content.documents.file_types import kind_of
from rori_spiders.crawl.tiers.official.api import XML, ApiPage, ApiRequest, NoFullText, json_objects, parse_json_object
from rori_spiders.items import ApiMetadata
from rori_spiders.urls.canonical import host_of, origin_of

_NUMBER = "[A-Za-z0-9]+(?:-[A-Za-z0-9]+)+"
_DATED = re.compile(rf"/(?:documents|articles)/(\d{{4}})/(\d\d)/(\d\d)/({_NUMBER})(?:/[^/]*)?/?")
_SHORT = re.compile(rf"/d/({_NUMBER})(?:/[^/]*)?/?")
_AGENCY = re.compile(r"/agencies/([a-z0-9-]+)/?")
_FULL_TEXT = "/documents/full_text/"
#: The forms of a document's text, best first; documents before 2000 have the last alone.
_TEXTS = (("full_text_xml_url", XML), ("body_html_url", "text/html"), ("raw_text_url", "text/plain, text/html"))
_SEARCH_PATHS = frozenset({"/api/v1/documents.json", "/api/v1/documents"})
#: The API gives at most 2,000 documents of a search, in pages of up to 1,000.
MAX_PAGE_SIZE = 1000


class FederalRegisterApi:
    """The daily journal of the federal government."""

    name = "Federal Register"
    hosts = frozenset({"www.federalregister.gov", "federalregister.gov"})
    documentation = "https://www.federalregister.gov/developers/documentation/api/v1"
    setting = "RORI_FEDERAL_REGISTER_API"

    def serves(self, url: str) -> bool:
        return _is_api_url(url) or _parse_document_url(url) is not None or parse_search(url) is not None

    def ask(self, url: str, api: str, known: Mapping[str, str]) -> ApiRequest:
        if _is_api_url(url):
            return ApiRequest("api", url, "*/*", names_page=True, last=True)
        document = _parse_document_url(url)
        if document is None:
            search = parse_search(url)
            assert search is not None, "asked only for what it serves"
            return ApiRequest("list", search.url(api), names_page=True, last=True)
        number, _ = document
        if "document" not in known:
            return ApiRequest("document", f"{api}/documents/{number}.json", names_page=True)
        text, accept = full_text_url(_validate_document(url, known["document"]), api)
        return ApiRequest("text", text, accept, last=True)

    def learn(self, ask: ApiRequest, answer: bytes | None) -> dict[str, str]:
        parse_json_object(answer or b"")
        return {"document": (answer or b"").decode("utf-8", "replace")}

    def page(self, url: str, answer: bytes, content_type: str | None, known: Mapping[str, str]) -> ApiPage:
        if _is_api_url(url):
            return ApiPage(answer, content_type)
        if _parse_document_url(url) is None:
            return ApiPage(answer, content_type)
        document = _validate_document(url, known["document"])
        if full_text_url(document, url)[1] == XML and kind_of(answer, content_type) != "xml":
            raise ValueError("the API's full text is not XML")
        return ApiPage(answer, content_type, _document_metadata(document))

    def restored(self, url: str, received: bytes, content_type: str | None) -> tuple[bytes, str | None]:
        return received, content_type


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
        raise ValueError(f"the API returned another document instead of {number}")
    if day is not None and document.get("publication_date") != day:
        raise ValueError(f"the API's document {number} was published on another day than {day}")
    return document


def has_full_text_fields(document: Mapping[str, Any]) -> bool:
    """Whether a document of a list says where its full text lies, if it has one."""
    return any(name in document for name, _ in _TEXTS)


def full_text_url(document: dict[str, Any], api: str) -> tuple[str, str]:
    """Where the best full text lies, at the API's own origin whatever else the answer names, and what it is.

    Raises NoFullText, and ValueError for the text of another document.
    """
    number = str(document.get("document_number"))
    for name, accept in _TEXTS:
        named = urlsplit(str(document.get(name) or ""))
        if named.path.startswith(_FULL_TEXT) and named.hostname in FederalRegisterApi.hosts:
            if PurePosixPath(named.path).stem.casefold() != number.casefold():
                raise ValueError(f"the API's {name} of {number} is that of another document: {named.path}")
            return origin_of(api) + named.path, accept
    raise NoFullText(f"the Federal Register has no text of {number}")


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
        state_id=document_id(document),
        citation=str(document["citation"]) if document.get("citation") else None,
        document_number=str(document.get("document_number")),
        document_type=str(document["type"]) if document.get("type") else None,
        agencies=tuple(agencies),
        cfr_references=tuple(_cfr_references(document)),
        docket_ids=tuple(_string_list(document, "docket_ids")),
        corrects=_number_of(document.get("correction_of")),
        description=str(document["abstract"]) if document.get("abstract") else None,
        author="; ".join(agencies) or None,
        keywords=tuple(dict.fromkeys(str(word) for word in (*_string_list(document, "topics"), *keywords) if word)),
    )


def _cfr_references(document: dict[str, Any]) -> Iterator[str]:
    for one in json_objects(document.get("cfr_references")):
        parts = [one.get("part")] if one.get("part") else []
        yield " ".join(str(word) for word in (one.get("title"), "CFR", *parts) if word)


def _number_of(value: object) -> str | None:
    """The number of the document at an address of the API, or the number itself."""
    number = urlsplit(value).path.rstrip("/").rpartition("/")[2].removesuffix(".json") if isinstance(value, str) else ""
    return number if re.fullmatch(_NUMBER, number) else None


def _string_list(document: dict[str, Any], name: str) -> list[str]:
    value = document.get(name)
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _iso_date(value: object) -> str | None:
    return value if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value) else None


# --- lists of documents ----------------------------------------------------------------------------------------------

#: What is asked of each document, so that its full text is all that is left to ask for.
_FIELDS = (
    *("abstract", "agencies", "body_html_url", "cfr_references", "citation", "correction_of", "docket_ids"),
    *("document_number", "effective_on", "full_text_xml_url", "html_url", "publication_date", "raw_text_url"),
    *("regulation_id_numbers", "title", "topics", "type"),
)
_ORDERS = frozenset({"newest", "oldest"})


@dataclass(frozen=True, slots=True)
class Search:
    """A search for documents: its conditions, as the API has them. ``page_size``: documents of one answer."""

    conditions: tuple[tuple[str, str], ...]
    order: str = "newest"
    page_size: int = MAX_PAGE_SIZE

    def url(self, api: str) -> str:
        """The address of its first page."""
        fields = [("fields[]", name) for name in _FIELDS]
        query = [*self.conditions, ("order", self.order), ("per_page", str(self.page_size)), *fields]
        return f"{api}/documents.json?{urlencode(query)}"

    def beyond(self, day: str) -> Search:
        """The same from *day* on, as it is ordered: behind the most that the API gives of one search."""
        bound = "conditions[publication_date][lte]" if self.order == "newest" else "conditions[publication_date][gte]"
        return replace(self, conditions=(*(one for one in self.conditions if one[0] != bound), (bound, day)))


def parse_search(url: str) -> Search | None:
    """The search that *url*, of the API, of an agency's page or of the search page, stands for; None for any other."""
    parts = urlsplit(url)
    if host_of(url) not in FederalRegisterApi.hosts:
        return None
    pairs, path = parse_qsl(parts.query), parts.path.rstrip("/")
    agency, is_api = _AGENCY.fullmatch(parts.path), path in _SEARCH_PATHS
    if agency is None and not is_api and path != "/documents/search":
        return None
    if not is_api and any(name not in {"order", "page"} and not name.startswith("conditions[") for name, _ in pairs):
        return None
    conditions = [("conditions[agencies][]", agency[1])] if agency else []
    conditions += [pair for pair in pairs if pair[0].startswith("conditions[")]
    parameters = dict(pairs)
    order, size = parameters.get("order", ""), parameters.get("per_page", "")
    return Search(
        tuple(conditions),
        order if order in _ORDERS else "newest",
        min(int(size), MAX_PAGE_SIZE) if size.isdecimal() and int(size) else MAX_PAGE_SIZE,
    )


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """One answer to a search. ``count``: documents of the whole search, by the API; ``next_url``: None behind the last
    page.
    """

    count: int
    documents: tuple[dict[str, Any], ...]
    next_url: str | None


def parse_document_page(answer: bytes, api: str) -> DocumentPage:
    """Raises ValueError if it is not an answer to a search."""
    read = parse_json_object(answer)
    count, results = read.get("count"), read.get("results")
    if not isinstance(count, int) or (count and not isinstance(results, list)):
        raise ValueError("the API's response is not a list of documents")
    query = urlsplit(str(read.get("next_page_url") or "")).query
    return DocumentPage(count, tuple(json_objects(results)), f"{api}/documents.json?{query}" if query else None)


def document_id(document: Mapping[str, Any]) -> str:
    """What names a document for ever: numbers were used twice before 2016."""
    return f"{document.get('publication_date')} {document.get('document_number')}"


def document_path(document: Mapping[str, Any]) -> str | None:
    """The path of its page; None for what has no number."""
    number, path = str(document.get("document_number") or ""), urlsplit(str(document.get("html_url") or "")).path
    named = _parse_document_url(path)
    if named is not None and named[0] == number:
        return path
    return f"/d/{number}" if re.fullmatch(_NUMBER, number) else None
