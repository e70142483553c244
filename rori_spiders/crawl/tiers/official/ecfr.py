"""The eCFR by its versioner API (https://www.ecfr.gov/developers/documentation/api/v1)."""

import html
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

from rori_spiders.content.documents.file_types import kind_of
from rori_spiders.crawl.tiers.official.api import (
    XML,
    ApiPage,
    ApiRequest,
    PageNotFound,
    json_objects,
    parse_json_object,
)
from rori_spiders.items import ApiMetadata
from rori_spiders.urls.canonical import host_of

#: From the top down, as the API orders and names them.
CFR_LEVELS = ("subtitle", "chapter", "subchapter", "part", "subpart", "section", "appendix")
_TEXTS = frozenset({"part", "subpart", "section", "appendix"})

_HUMAN = re.compile(r"/(?:current|on/(?P<date>\d{4}-\d{2}-\d{2}))/title-(?P<title>[1-9]\d?)(?P<rest>/.*)?")
_SEGMENT = re.compile(rf"({'|'.join(CFR_LEVELS)})-(.+)")
# The site as it was until 2021, and as it is still linked: pt12.9.1026, sp12.9.1026.c, se12.9.1026_132 (§ 1026.32).
_OLD = re.compile(
    r"(?P<kind>pt|sp|se)(?P<title>[1-9]\d?)\.[\d.]{0,20}?(?P<part>\d{1,9})"
    r"(?:\.(?P<subpart>[a-z]{1,2})|_1(?P<section>\d{1,9}))?"
)
_OLD_PATHS = frozenset({"/cgi-bin/text-idx", "/cgi-bin/retrieveECFR", "/cgi-bin/retrieveecfr"})


@dataclass(frozen=True, slots=True)
class CfrPlace:
    """A place in the CFR. ``within``: levels below the title with their names, from the top down."""

    title: str
    within: tuple[tuple[str, str], ...] = ()
    date: str | None = None  # None: as it is now

    @property
    def has_text(self) -> bool:
        """Whether its page shows text; above a part it shows a table of contents."""
        return any(level in _TEXTS for level, _ in self.within)

    @property
    def number(self) -> str | None:
        """The number that its text must hold: of the section, else of the part."""
        named = dict(self.within)
        return named.get("section") or named.get("part")

    @property
    def root(self) -> str:
        """The path of the title's page."""
        return f"/on/{self.date}/title-{self.title}" if self.date else f"/current/title-{self.title}"

    @property
    def path(self) -> str:
        """The path of its page."""
        return self.root + "".join(f"/{level}-{quote(name, safe='')}" for level, name in self.within)


def parse_cfr_url(url: str) -> CfrPlace | None:
    """What *url* names; None for pages outside the text of the CFR: searches, comparisons, lists of changes."""
    parts = urlsplit(url)
    if parts.path in _OLD_PATHS:
        return _parse_old_query(parts.query)
    found = _HUMAN.fullmatch(parts.path)
    if found is None or parts.query not in {"", "toc=1"}:
        return None
    within = _parse_segments(segment for segment in (found["rest"] or "").split("/") if segment)
    return None if within is None else CfrPlace(found["title"], within, found["date"])


def parse_cfr_part(url: str) -> CfrPlace | None:
    """The part that *url* names as it is now; None for any other page."""
    place = parse_cfr_url(url)
    is_part = place is not None and place.date is None and bool(place.within) and place.within[-1][0] == "part"
    return place if is_part and host_of(url) in EcfrApi.hosts else None


def parse_cfr_contents(url: str) -> CfrPlace | None:
    """The title, chapter or the like that *url* names as it is now, whose page lists parts; None for any other page."""
    place = parse_cfr_url(url)
    is_list = place is not None and place.date is None and not place.has_text
    return place if is_list and host_of(url) in EcfrApi.hosts else None


def _parse_segments(segments: Iterable[str]) -> tuple[tuple[str, str], ...] | None:
    named: dict[str, str] = {}
    group = False
    for segment in segments:
        if segment.startswith("subject-group-"):
            group = True  # a heading between sections, which the API does not know
            continue
        found = _SEGMENT.fullmatch(unquote(segment))
        if found is None or found[1] in named:
            return None
        named[found[1]] = found[2]
    if group and not {"section", "appendix"} & named.keys():
        return None
    if "section" in named and "part" not in named:  # the API asks for a section by its part
        part, point, _ = named["section"].partition(".")
        if not point:
            return None
        named["part"] = part
    if ("subpart" in named and "part" not in named) or ("appendix" in named and len(named) == 1):
        return None
    return tuple((level, named[level]) for level in CFR_LEVELS if level in named)


def _parse_old_query(query: str) -> CfrPlace | None:
    parameters = parse_qs(query)
    node = (parameters.get("node") or parameters.get("n") or [""])[0]
    found = _OLD.fullmatch(node)
    if found is None:
        return None
    below = {"pt": None, "sp": found["subpart"], "se": found["section"]}
    within = [("part", found["part"])]
    if found["kind"] != "pt":
        if (name := below[found["kind"]]) is None:
            return None
        is_section = found["kind"] == "se"
        within.append(("section", f"{found['part']}.{name}") if is_section else ("subpart", name.upper()))
    elif found["subpart"] or found["section"]:
        return None
    return CfrPlace(found["title"], tuple(within))


# Pages that are lists: the table of contents of a title or chapter, the documents of an agency or a search. Each is
# plain HTML, with links to the human pages: so that a site is walked, and read, as people do.

_ABOVE_SECTIONS = CFR_LEVELS[: CFR_LEVELS.index("part") + 1]


def render_list_page(title: str, main: Iterable[str]) -> str:
    """A page of one heading and *main*."""
    named = html.escape(title)
    head = f'<!DOCTYPE html><html lang="en"><head><title>{named}</title></head>'
    return f"{head}<body><main><h1>{named}</h1>{''.join(main)}</main></body></html>"


def render_contents(structure: bytes, place: CfrPlace) -> str:
    """The table of contents of *place*, down to parts, from the structure of its title.

    Raises PageNotFound when the title does not have it, and ValueError if it is not a structure.
    """
    node, found = _find_node(structure, place)
    return render_list_page(_node_label(node), _render_children(node, found.path))


def list_parts(structure: bytes, place: CfrPlace) -> list[CfrPlace]:
    """The parts of *place* that have a text, by the structure of its title. Raises as `render_contents` does."""
    return list(_parts_below(*_find_node(structure, place)))


def _parts_below(node: dict[str, Any], place: CfrPlace) -> Iterator[CfrPlace]:
    for child in json_objects(node.get("children")):
        level = str(child.get("type"))
        below = replace(place, within=(*place.within, (level, str(child.get("identifier")))))
        if level == "part" and not child.get("reserved"):
            yield below
        elif level in _ABOVE_SECTIONS[:-1]:
            yield from _parts_below(child, below)


def _find_node(structure: bytes, place: CfrPlace) -> tuple[dict[str, Any], CfrPlace]:
    """What the structure says of *place*, and the place with all levels above it."""
    node = parse_json_object(structure)
    if node.get("type") != "title" or str(node.get("identifier")) != place.title:
        raise ValueError(f"the API's response is not the structure of title {place.title}")
    found = replace(place, within=())
    for level, name in place.within:
        below = _find_descendants(node, level, name)
        if below is None:
            raise PageNotFound(f"title {place.title} has no {level} {name}")
        steps = [(str(step.get("type")), str(step.get("identifier"))) for step in below]
        found, node = replace(found, within=(*found.within, *steps)), below[-1]
    return node, found


def _find_descendants(node: dict[str, Any], level: str, name: str) -> list[dict[str, Any]] | None:
    """The way down from *node* to the *level* named *name*, which a URL may name without those between."""
    for child in json_objects(node.get("children")):
        if child.get("type") == level and str(child.get("identifier")) == name:
            return [child]
        if child.get("type") in _ABOVE_SECTIONS[:-1] and (way := _find_descendants(child, level, name)) is not None:
            return [child, *way]
    return None


def _render_children(node: dict[str, Any], path: str) -> Iterator[str]:
    """All parts below *node*, linked: the pages that have text. What lies between is named, and not asked for."""
    children = [child for child in json_objects(node.get("children")) if child.get("type") in _ABOVE_SECTIONS]
    if not children:
        return
    yield "<ul>"
    for child in children:
        below, label = path + _path(child), html.escape(_node_label(child))
        has_text = child.get("type") == "part" and not child.get("reserved")
        yield f'<li><a href="{html.escape(below)}">{label}</a>' if has_text else f"<li>{label}"
        yield from _render_children(child, below)
        yield "</li>"
    yield "</ul>"


def _path(node: dict[str, Any]) -> str:
    return f"/{node.get('type')}-{quote(str(node.get('identifier')), safe='')}"


def _node_label(node: dict[str, Any]) -> str:
    return " ".join(str(node.get("label") or f"{node.get('type')} {node.get('identifier')}").split())


_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def is_titles_url(url: str) -> bool:
    """Whether *url* is the API's list of titles."""
    return host_of(url) in EcfrApi.hosts and urlsplit(url).path == "/api/versioner/v1/titles.json"


def parse_titles(answer: bytes) -> dict[str, str]:
    """The day up to which each title is current: ``{"titles": "known", "title-12": "2026-11-19"}``.

    Raises ValueError if it is not a list of titles.
    """
    titles = json_objects(parse_json_object(answer).get("titles"))
    if not titles:
        raise ValueError("the list of titles is empty")
    days = {f"title-{one.get('number')}": str(one.get("up_to_date_as_of") or "") for one in titles}
    return {"titles": "known"} | {title: day for title, day in days.items() if _DAY.fullmatch(day)}


HTML = "text/html; charset=utf-8"


class EcfrApi:
    """Electronic Code of Federal Regulations."""

    name = "eCFR"
    hosts = frozenset({"www.ecfr.gov", "ecfr.gov"})
    documentation = "https://www.ecfr.gov/developers/documentation/api/v1"
    setting = "RORI_ECFR_API"

    def serves(self, url: str) -> bool:
        return _is_api_url(url) or parse_cfr_url(url) is not None

    def ask(self, url: str, api: str, known: Mapping[str, str]) -> ApiRequest:
        if _is_api_url(url):
            return ApiRequest("api", url, "*/*", names_page=True, last=True)
        place = _require_place(url)
        if place.date is None and "titles" not in known:
            return ApiRequest("titles", f"{api}/titles.json", shared=True)
        date = place.date or known.get(f"title-{place.title}")
        if not date:
            raise PageNotFound(f"the eCFR reports no current date for title {place.title}")
        if not place.has_text:
            return ApiRequest(
                "structure", f"{api}/structure/{date}/title-{place.title}.json", names_page=True, last=True
            )
        within = list(place.within)
        if "amended" not in known:
            query = urlencode([("issue_date[lte]", date), *within])
            return ApiRequest("versions", f"{api}/versions/title-{place.title}.json?{query}", needed=False)
        # The documentation asks for spaces as %20: names of appendices have them.
        text = f"{api}/full/{date}/title-{place.title}.xml?{urlencode(within, quote_via=quote)}"
        return ApiRequest("text", text, XML, names_page=True, last=True)

    def learn(self, ask: ApiRequest, answer: bytes | None) -> dict[str, str]:
        if ask.step == "versions":
            return {"amended": _last_amendment(answer) if answer is not None else ""}
        return parse_titles(answer or b"")

    def page(self, url: str, answer: bytes, content_type: str | None, known: Mapping[str, str]) -> ApiPage:
        if _is_api_url(url):
            return ApiPage(answer, content_type)
        place = _require_place(url)
        date = place.date or known.get(f"title-{place.title}")
        if not place.has_text:
            body = render_contents(answer, place).encode()
            return ApiPage(body, HTML, ApiMetadata(publisher_version=date), raw=answer)
        if kind_of(answer, content_type) != "xml":
            raise ValueError("the API's response is not XML")
        if place.number is not None and place.number.encode() not in answer:
            raise ValueError(f"the API's response does not have {place.number}")
        return ApiPage(
            answer, content_type, ApiMetadata(modified_date=known.get("amended") or None, publisher_version=date)
        )

    def restored(self, url: str, received: bytes, content_type: str | None) -> tuple[bytes, str | None]:
        place = parse_cfr_url(url)
        if place is None or place.has_text:
            return received, content_type
        return render_contents(received, place).encode(), HTML


def _is_api_url(url: str) -> bool:
    return urlsplit(url).path.startswith("/api/")


def _require_place(url: str) -> CfrPlace:
    place = parse_cfr_url(url)
    assert place is not None, "asked only for what it serves"
    return place


def _last_amendment(answer: bytes) -> str:
    """The day of the last amendment that is in the text; "" when the answer does not tell.

    The API gives a thousand versions at once; what comes after them is in its summary only.
    """
    try:
        read = parse_json_object(answer)
    except ValueError:
        return ""
    meta = read.get("meta")
    days = [one.get("amendment_date") for one in json_objects(read.get("content_versions"))]
    if days and isinstance(meta, dict):
        days.append(meta.get("latest_amendment_date"))
    return max((day for day in days if isinstance(day, str) and _DAY.fullmatch(day)), default="")
