"""The base class of the manifest's models, and the text types of their fields: source IDs, hosts, URLs, globs,
hours, selectors.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from lxml.cssselect import CSSSelector
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, WithJsonSchema, model_validator

from rori_spiders.manifest.vocabulary import METHOD_SPIDERS, STATES
from rori_spiders.runtime.redaction import contains_credentials
from rori_spiders.urls import canonical

if TYPE_CHECKING:
    from pydantic import GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import CoreSchema


class StrictModel(BaseModel):
    """Base of the manifest's models."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _null_says_nothing(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        optional = {field.alias or name for name, field in cls.model_fields.items() if not field.is_required()}
        return {key: value for key, value in data.items() if value is not None or key not in optional}

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        reference = handler(core)
        schema = handler.resolve_ref_schema(reference)
        required = schema.get("required", [])
        for key, rule in schema.get("properties", {}).items():
            if key not in required:
                schema["properties"][key] = _allow_null(rule)
        return reference


def _allow_null(rule: dict[str, Any]) -> dict[str, Any]:
    if rule.get("type") == "null" or {"type": "null"} in rule.get("anyOf", ()):
        return rule
    spoken: dict[str, Any] = {key: rule[key] for key in ("description", "default", "examples") if key in rule}
    bare = {key: value for key, value in rule.items() if key not in {*spoken, "title"}}
    branches = bare["anyOf"] if set(bare) == {"anyOf"} else [bare]
    return {"anyOf": [*branches, {"type": "null"}], **spoken}


# The kinds of text that a manifest holds: ids, hosts, URLs, globs, selectors, dates, headers. In: text. Out: the same
# text, or a ValueError whose sentence says what was expected; the JSON Schema carries a pattern where one can.

_ID = r"[a-z0-9]+(-[a-z0-9]+)*"
_HOST = r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*"
_IPV6 = r"[0-9a-f]*:[0-9a-f:.]+"
_HOURS = r"([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d"
_FIELD_NAME = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"  # RFC 9110 §5.6.2

# Four times the longest URL of fthb.json (a Federal Register query); browsers and proxies cut off not far above.
_MAX_URL_LENGTH = 2048


def _check_source_id(text: str) -> str:
    if not re.fullmatch(_ID, text) or len(text) > 80:
        raise ValueError("expected lower-case words joined by single hyphens, at most 80 characters (cfpb-reg-x)")
    if text in METHOD_SPIDERS:
        raise ValueError(f"{text!r} is reserved: it is the name of one of the collector's own spiders")
    return text


def _check_source_ids(text: str) -> str:
    if not re.fullmatch(r"[a-z0-9*]+(-[a-z0-9*]+)*", text) or len(text) > 80:
        raise ValueError("expected the id of a source; `*` stands for any characters (cfpb-reg-*)")
    return text


def _check_host(text: str) -> str:
    if len(text) <= 253 and (re.fullmatch(_HOST, text) or re.fullmatch(_IPV6, text)):
        return text
    raise ValueError("expected a host name in lower case, without scheme, port or path (www.hud.gov)")


def _check_url(text: str) -> str:
    if re.search(r"[\s\\]", text) or len(text) > _MAX_URL_LENGTH:
        raise ValueError(f"expected a URL without spaces or backslashes, at most {_MAX_URL_LENGTH} characters")
    try:
        named = urlsplit(text).username is not None
        _check_host(canonical.host_of(canonical.normalise_url(text)))
    except ValueError:
        raise ValueError("expected a full http or https URL with a host (https://www.hud.gov/fha)") from None
    canonical.require_requestable(text)
    if named:
        raise ValueError("a URL may not carry a user name or a password")
    if contains_credentials(text):
        raise ValueError('a URL may not carry a key or a password; send it in a header, as {"env": "NAME"}')
    return text


def _check_glob(text: str) -> str:
    if text.startswith(("/", "*")) and "#" not in text and not re.search(r"\s", text):
        return text
    raise ValueError(
        "expected a glob over path and query that begins with / or *; only * is special (/1024/*, *.pdf, *?*)"
    )


def _check_exclude_glob(text: str) -> str:
    """A glob that may also name routes of single-page applications: `/app/#/*`."""
    page, mark, route = text.partition("#")
    if not mark or not re.match("!?/", route):
        return _check_glob(text)
    _check_glob(page + route)
    return text


def _check_selector(text: str) -> str:
    try:
        CSSSelector(text)
    except Exception as error:  # cssselect, lxml and XPath each have their own
        raise ValueError(f"expected a CSS selector (main, div.content): {error}") from None
    return text


def _check_datetime(text: str) -> str:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise ValueError("expected a date or a time as ISO 8601 writes it (2026-02-13, 2026-02-13T00:00:00Z)") from None
    return text


def _check_jurisdiction(text: str) -> str:
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


def _check_hours(text: str) -> str:
    span, _, zone = text.partition(" ")
    if text == "any":
        return text
    if re.fullmatch(_HOURS, span) and (not zone or _is_time_zone(zone)):
        return text
    raise ValueError('expected hours such as "02:00-06:00", with a time zone if it is not New York\'s, or "any"')


#: RFC 9110 §7.6.1, RFC 9112 §6: they say where a message ends, and what becomes of its connection. A server that
#: believes them takes our next request for a body.
_FRAMING_HEADERS = frozenset(
    {
        *("connection", "content-length", "expect", "http2-settings", "keep-alive"),
        *("proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"),
    }
)
#: The collector sets them where they are true: a part of a page, or one that did not change, would be recorded falsely.
_CONDITIONS = frozenset(["if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "range"])
#: They claim that somebody else asks.
_ORIGINS_OF_REQUESTS = frozenset({"forwarded", "x-forwarded-for", "x-real-ip"})
_NOT_OWN_HEADERS = _FRAMING_HEADERS | _CONDITIONS | _ORIGINS_OF_REQUESTS


def _check_header_name(text: str) -> str:
    if not re.fullmatch(_FIELD_NAME, text):
        raise ValueError("expected the name of a header (Accept-Language)")
    if text.lower() in _NOT_OWN_HEADERS:
        raise ValueError(
            f"a manifest cannot set {text}: it frames the request, asks for a part of the page, or claims another "
            "client"
        )
    return text


def _check_one_line(text: str) -> str:
    if text.splitlines() != [text]:
        raise ValueError("expected one line, without a line break")
    return text


#: Letters of a noise line beside `#` and `*`: with fewer it would cover lines of anything.
MIN_NOISE_LINE_LETTERS = 6


def _check_noise_line(line: str) -> str:
    if sum(map(str.isalpha, line)) < MIN_NOISE_LINE_LETTERS:
        raise ValueError(f"a noise line has {MIN_NOISE_LINE_LETTERS} letters or more, beside `#` and `*`")
    return line


def _is_time_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


SourceId = Annotated[
    str, AfterValidator(_check_source_id), WithJsonSchema({"type": "string", "pattern": f"^{_ID}$", "maxLength": 80})
]
#: An id, or with ``*`` all that are alike.
SourceIds = Annotated[
    str,
    AfterValidator(_check_source_ids),
    WithJsonSchema({"type": "string", "pattern": r"^[a-z0-9*]+(-[a-z0-9*]+)*$", "maxLength": 80}),
]
Host = Annotated[
    str,
    AfterValidator(_check_host),
    WithJsonSchema({"type": "string", "pattern": f"^({_HOST}|{_IPV6})$", "maxLength": 253}),
]
Url = Annotated[
    str,
    AfterValidator(_check_url),
    WithJsonSchema({"type": "string", "format": "uri", "pattern": "^https?://", "maxLength": _MAX_URL_LENGTH}),
]
Glob = Annotated[str, AfterValidator(_check_glob), WithJsonSchema({"type": "string", "pattern": r"^[/*][^\s#]*$"})]
ExcludeGlob = Annotated[
    str,
    AfterValidator(_check_exclude_glob),
    WithJsonSchema({"type": "string", "pattern": r"^[/*][^\s#]*(#!?/[^\s#]*)?$"}),
]
OpenHours = Annotated[
    str, AfterValidator(_check_hours), WithJsonSchema({"type": "string", "pattern": f"^(any|{_HOURS}( .+)?)$"})
]
Jurisdiction = Annotated[
    str,
    AfterValidator(_check_jurisdiction),
    WithJsonSchema(
        {"type": "string", "pattern": f"^(federal|national|state:({'|'.join(sorted(STATES))})|local:.*\\S.*)$"}
    ),
]
Css = Annotated[str, AfterValidator(_check_selector)]
IsoDatetime = Annotated[str, AfterValidator(_check_datetime)]
OneLineText = Annotated[str, StringConstraints(min_length=1, max_length=300), AfterValidator(_check_one_line)]
OcrLanguages = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_]{3,40}(?:\+[A-Za-z_]{3,40}){0,9}$")]
NoiseLine = Annotated[OneLineText, AfterValidator(_check_noise_line)]
LongText = Annotated[str, Field(max_length=20_000)]
HeaderName = Annotated[
    str, AfterValidator(_check_header_name), WithJsonSchema({"type": "string", "pattern": f"^{_FIELD_NAME}$"})
]
