"""The eCFR by its versioner API (https://www.ecfr.gov/developers/documentation/api/v1).

A page of a part or below is the XML of its text, as of the day up to which its title is current, or of the day that its
URL names (`/on/2024-01-01/`). Pages above a part show a table of contents: so do ours, from the title's structure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode, urlsplit

from rori_spiders.content.documents.sniff import kind_of
from rori_spiders.items import Said
from rori_spiders.publishers.contents import contents_html
from rori_spiders.publishers.places import Place, place_of
from rori_spiders.publishers.publisher import XML, Ask, Made, NotThere, objects, read_object

if TYPE_CHECKING:
    from collections.abc import Mapping

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
HTML = "text/html; charset=utf-8"


class Ecfr:
    """Electronic Code of Federal Regulations."""

    name = "eCFR"
    hosts = frozenset({"www.ecfr.gov", "ecfr.gov"})
    documentation = "https://www.ecfr.gov/developers/documentation/api/v1"
    setting = "RORI_ECFR_API"

    def serves(self, url: str) -> bool:
        return _is_api(url) or place_of(url) is not None

    def ask(self, url: str, api: str, known: Mapping[str, str]) -> Ask:
        if _is_api(url):
            return Ask("api", url, "*/*", names_page=True, last=True)
        place = _place(url)
        if place.date is None and "titles" not in known:
            return Ask("titles", f"{api}/titles.json", shared=True)
        date = place.date or known.get(f"title-{place.title}")
        if not date:
            raise NotThere(f"the eCFR names no date up to which title {place.title} is current")
        if not place.has_text:
            return Ask("structure", f"{api}/structure/{date}/title-{place.title}.json", names_page=True, last=True)
        within = list(place.within)
        if "amended" not in known:
            query = urlencode([("issue_date[lte]", date), *within])
            return Ask("versions", f"{api}/versions/title-{place.title}.json?{query}", needed=False)
        # The documentation asks for spaces as %20: names of appendices have them.
        text = f"{api}/full/{date}/title-{place.title}.xml?{urlencode(within, quote_via=quote)}"
        return Ask("text", text, XML, names_page=True, last=True)

    def learn(self, ask: Ask, answer: bytes | None) -> dict[str, str]:
        if ask.step == "versions":
            return {"amended": _amended(answer) if answer is not None else ""}
        titles = objects(read_object(answer or b"").get("titles"))
        if not titles:
            raise ValueError("the list of titles is empty")
        dates = {f"title-{one.get('number')}": str(one.get("up_to_date_as_of") or "") for one in titles}
        return {"titles": "known"} | {title: date for title, date in dates.items() if _DAY.fullmatch(date)}

    def page(self, url: str, answer: bytes, content_type: str | None, known: Mapping[str, str]) -> Made:
        if _is_api(url):
            return Made(answer, content_type)
        place = _place(url)
        date = place.date or known.get(f"title-{place.title}")
        if not place.has_text:
            body = contents_html(answer, place).encode()
            return Made(body, HTML, Said(publisher_version=date), raw=answer)
        if kind_of(answer, content_type) != "xml":
            raise ValueError("the API answered with something else than XML")
        if place.number is not None and place.number.encode() not in answer:
            raise ValueError(f"the API's answer does not hold {place.number}")
        return Made(answer, content_type, Said(modified_date=known.get("amended") or None, publisher_version=date))

    def restored(self, url: str, received: bytes, content_type: str | None) -> tuple[bytes, str | None]:
        place = place_of(url)
        if place is None or place.has_text:
            return received, content_type
        return contents_html(received, place).encode(), HTML


def _is_api(url: str) -> bool:
    return urlsplit(url).path.startswith("/api/")


def _place(url: str) -> Place:
    place = place_of(url)
    assert place is not None, "asked only for what it serves"
    return place


def _amended(answer: bytes) -> str:
    """The day of the last amendment that is in the text; "" when the answer does not tell.

    The API gives a thousand versions at once; what comes after them is in its summary only.
    """
    try:
        read = read_object(answer)
    except ValueError:
        return ""
    meta = read.get("meta")
    days = [one.get("amendment_date") for one in objects(read.get("content_versions"))]
    if days and isinstance(meta, dict):
        days.append(meta.get("latest_amendment_date"))
    return max((day for day in days if isinstance(day, str) and _DAY.fullmatch(day)), default="")
