"""The kinds of text that a manifest holds: ids, hosts, URLs, globs, selectors, dates, headers.

In: text. Out: the same text, or a ValueError whose sentence says what was expected; the JSON Schema carries a pattern
where one can.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from lxml.cssselect import CSSSelector
from pydantic import AfterValidator, Field, StringConstraints, WithJsonSchema

from rori_spiders import urls
from rori_spiders.manifest.vocabulary import METHOD_SPIDERS, STATES
from rori_spiders.redaction import holds_credentials

_ID = r"[a-z0-9]+(-[a-z0-9]+)*"
_HOST = r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*"
_IPV6 = r"[0-9a-f]*:[0-9a-f:.]+"
_HOURS = r"([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d"
_FIELD_NAME = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"  # RFC 9110 §5.6.2

# Four times the longest URL of fthb.json (a Federal Register query); browsers and proxies cut off not far above.
_LONGEST_URL = 2048


def _source_id(text: str) -> str:
    if not re.fullmatch(_ID, text) or len(text) > 80:
        raise ValueError("expected lower-case words joined by single hyphens, at most 80 characters (cfpb-reg-x)")
    if text in METHOD_SPIDERS:
        raise ValueError(f"a source may not be called {text!r}: that is the name of one of the collector's own spiders")
    return text


def _host(text: str) -> str:
    if len(text) <= 253 and (re.fullmatch(_HOST, text) or re.fullmatch(_IPV6, text)):
        return text
    raise ValueError("expected a host name in lower case, without scheme, port or path (www.hud.gov)")


def _url(text: str) -> str:
    if re.search(r"[\s\\]", text) or len(text) > _LONGEST_URL:
        raise ValueError(f"expected a URL without blanks and backslashes, at most {_LONGEST_URL} characters")
    try:
        named = urlsplit(text).username is not None
        _host(urls.host_of(urls.normalise(text)))
    except ValueError:
        raise ValueError("expected a full http or https URL with a host (https://www.hud.gov/fha)") from None
    if named:
        raise ValueError("a URL may not carry a user name or a password")
    if holds_credentials(text):
        raise ValueError('a URL may not carry a key or a password; send it in a header, as {"env": "NAME"}')
    return text


def _glob(text: str) -> str:
    if text.startswith(("/", "*")) and "#" not in text and not re.search(r"\s", text):
        return text
    raise ValueError(
        "expected a glob over path and query that begins with / or *; only * is special (/1024/*, *.pdf, *?*)"
    )


def _selector(text: str) -> str:
    try:
        CSSSelector(text)
    except Exception as error:  # cssselect, lxml and XPath each have their own
        raise ValueError(f"expected a CSS selector (main, div.content): {error}") from None
    return text


def _moment(text: str) -> str:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise ValueError("expected a date or a time as ISO 8601 writes it (2026-02-13, 2026-02-13T00:00:00Z)") from None
    return text


def _jurisdiction(text: str) -> str:
    kind, colon, place = text.partition(":")
    if not colon and kind in {"federal", "national"}:
        return text
    if kind == "state" and place in STATES:
        return text
    if kind == "local" and place.strip():
        return text
    raise ValueError(
        "expected federal, national, state: with a postal code in capitals (state:CA), or local: with a place"
        " (local:new-york-city)"
    )


def _hours(text: str) -> str:
    span, _, zone = text.partition(" ")
    if text == "any":
        return text
    if re.fullmatch(_HOURS, span) and (not zone or _is_zone(zone)):
        return text
    raise ValueError('expected hours such as "02:00-06:00", with a time zone if it is not New York\'s, or "any"')


def _header_name(text: str) -> str:
    if re.fullmatch(_FIELD_NAME, text):
        return text
    raise ValueError("expected the name of a header (Accept-Language)")


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


SourceId = Annotated[
    str, AfterValidator(_source_id), WithJsonSchema({"type": "string", "pattern": f"^{_ID}$", "maxLength": 80})
]
Host = Annotated[
    str,
    AfterValidator(_host),
    WithJsonSchema({"type": "string", "pattern": f"^({_HOST}|{_IPV6})$", "maxLength": 253}),
]
Url = Annotated[
    str,
    AfterValidator(_url),
    WithJsonSchema({"type": "string", "format": "uri", "pattern": "^https?://", "maxLength": _LONGEST_URL}),
]
Glob = Annotated[str, AfterValidator(_glob), WithJsonSchema({"type": "string", "pattern": r"^[/*][^\s#]*$"})]
OpenHours = Annotated[
    str, AfterValidator(_hours), WithJsonSchema({"type": "string", "pattern": f"^(any|{_HOURS}( .+)?)$"})
]
Jurisdiction = Annotated[
    str,
    AfterValidator(_jurisdiction),
    WithJsonSchema(
        {"type": "string", "pattern": f"^(federal|national|state:({'|'.join(sorted(STATES))})|local:.*\\S.*)$"}
    ),
]
Css = Annotated[str, AfterValidator(_selector)]
Moment = Annotated[str, AfterValidator(_moment)]
Line = Annotated[str, StringConstraints(min_length=1, max_length=300)]
Prose = Annotated[str, Field(max_length=20_000)]
HeaderName = Annotated[
    str, AfterValidator(_header_name), WithJsonSchema({"type": "string", "pattern": f"^{_FIELD_NAME}$"})
]
