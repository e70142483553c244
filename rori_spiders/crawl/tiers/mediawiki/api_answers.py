"""Answers of a wiki's api.php: shapes that all of them share, a page (`action=parse`), an error that came with HTTP
200. Steps: nothing is requested here.
"""

import html
import json
import re
import unicodedata
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from lxml import etree

from rori_spiders.items import ApiMetadata

BASE_PARAMETERS = {"action": "query", "format": "json", "formatversion": "2", "utf8": "1", "maxlag": "5"}
_MAX_WARNING_CHARS = 300
_TRUNCATED = re.compile(r"\btruncated\b", re.IGNORECASE)


def parse_continuation(answer: dict[str, Any]) -> dict[str, str]:
    """Where the answer goes on; wikis before 1.21 nest it by list. Raises ValueError."""
    old = require_object(answer.get("query-continue", {}))
    nested = {name: value for one in old.values() for name, value in require_object(one).items()}
    return {str(name): str(value) for name, value in (nested | require_object(answer.get("continue", {}))).items()}


def parse_warnings(answer: dict[str, Any]) -> str:
    """What the API warns of, shortened; "" for nothing. Its form differs by version: texts are taken from anywhere."""
    return " ".join(_collect_texts(answer.get("warnings"), 0))[:_MAX_WARNING_CHARS]


def parse_query_result(answer: dict[str, Any]) -> dict[str, Any]:
    """What *answer* says to the question. Raises ValueError where the API left something out, and not how to go on."""
    if _TRUNCATED.search(parse_warnings(answer)) is not None and not parse_continuation(answer):
        raise ValueError(f"the API truncated its response without a continuation: {parse_warnings(answer)}")
    return require_object(answer.get("query", {}))


def query_parameters(url: str) -> dict[str, str]:
    """What *url* asks an API for, by the names of its parameters."""
    return dict(parse_qsl(urlsplit(url).query, keep_blank_values=True))


def _collect_texts(value: object, level: int) -> list[str]:
    if isinstance(value, str):
        return [" ".join(value.split())]
    if level > 4:
        return []
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in inner for text in _collect_texts(one, level + 1)]


def parse_timestamp(stamp: object) -> datetime | None:
    """A time as the API writes it (``2026-02-13T10:00:00Z``); None for anything else."""
    try:
        time = datetime.fromisoformat(stamp) if isinstance(stamp, str) else None
    except ValueError:
        return None
    return None if time is None else (time if time.tzinfo else time.replace(tzinfo=UTC))


def require_objects(value: object) -> list[dict[str, Any]]:
    """The objects of a list, or, as wikis of old answer, of an object by their numbers. Raises ValueError."""
    return [require_object(one) for one in (value.values() if isinstance(value, dict) else require_list(value))]


def require_object(value: object) -> dict[str, Any]:
    """*value*, as the JSON object that it must be. Raises ValueError."""
    if isinstance(value, dict):
        return value
    if value == []:
        return {}  # PHP's empty array, in answers of old wikis
    raise ValueError("the API's response does not have the form of a list")


def require_list(value: object) -> list[Any]:
    """*value*, as the JSON list that it must be. Raises ValueError."""
    if not isinstance(value, list):
        raise ValueError("the API's response does not have the form of a list")  # noqa: TRY004  (it is a value of the server)
    return value


# What a wiki's ``api.php`` answers: a page, an error that came with HTTP 200, or something else.
# https://www.mediawiki.org/wiki/API:Parsing_wikitext and API:Errors_and_warnings. Old wikis answer in the form of
# ``formatversion=1`` whatever they are asked for.

_STATUS_OF_ERROR = {
    **dict.fromkeys(("maxlag", "readonly", "concurrency-limit", "pool-timeout", "pool-queuefull"), 503),
    **dict.fromkeys(("ratelimited", "actionthrottledtext"), 429),
    **dict.fromkeys(("readapidenied", "permissiondenied", "blocked", "autoblocked", "mustbeloggedin"), 403),
    **dict.fromkeys(("unknown_action", "unknown_format", "badvalue", "module-disabled", "moduledisabled"), 400),
    **dict.fromkeys(("unknown_formatversion", "badparameter", "invalidparammix", "missingparam"), 400),
    **dict.fromkeys(("missingtitle", "nosuchpageid", "nosuchrevid", "missingcontent"), 404),
    **dict.fromkeys(("missingcontent-pageid", "missingcontent-revid", "invalidtitle", "pagecannotexist"), 404),
}
_LANG = re.compile(r'^\s*<div[^>]{0,200}?\slang="([A-Za-z0-9-]{2,20})"')
#: Where the API, asked for a page that redirects in a circle, gives the stub of the redirect itself.
_REDIRECT_STUB = re.compile(r'^\s*(?:<div class="[^"]*mw-parser-output[^"]*"[^>]*>\s*)?<div class="redirectMsg">')


def parse_page_html(payload: bytes, url: str | None = None) -> str:
    """The HTML of a page from the API's JSON. Raises ValueError for JSON that holds no page.

    *url*: the page's own, where it is another than the one that was asked for.
    """
    parsed = _parse_object(parse_answer(payload))
    if parsed is None:
        raise ValueError("the API's response has no parsed page")
    shown = html.escape(_display_title(parsed))
    keywords = html.escape(", ".join(_visible_categories(parsed)))
    lang = _LANG.match(parsed["text"])
    lang_attribute = f' lang="{lang[1]}"' if lang else ""
    canonical = f'<link rel="canonical" href="{html.escape(url)}">' if url else ""
    robots = '<meta name="robots" content="noindex">' if "noindex" in _page_properties(parsed) else ""
    return (
        f'<!DOCTYPE html><html{lang_attribute}><head><title>{shown}</title><meta name="keywords" content="{keywords}">'
        f"{canonical}{robots}</head><body><main><h1>{shown}</h1>{parsed['text']}</main></body></html>"
    )


def parse_api_error(payload: bytes, *, is_list: bool = False) -> tuple[int, str] | None:
    """Status and code of an API error; None for an answer that holds a page, or, with *is_list*, one to a query."""
    try:
        answer = parse_answer(payload)
    except ValueError:
        return 502, "the API's response is not JSON"
    errors = answer.get("errors")
    error = answer.get("error") or (errors[0] if isinstance(errors, list) and errors else None)
    if error:
        code = str(error.get("code", "unknown") if isinstance(error, dict) else error)[:200]
        return _STATUS_OF_ERROR.get(code, 502), code
    if is_list:
        is_answered = bool(answer.keys() & {"query", "batchcomplete", "continue"})
        return None if is_answered else (502, "the API's response has no list")
    if _parse_object(answer) is None:
        return 502, "the API's response has no parsed page"
    return None


def is_api_error(payload: bytes) -> bool:
    """Whether *payload* is an error as the API words them, whatever its HTTP status was."""
    try:
        answer = parse_answer(payload)
    except ValueError:
        return False
    return bool(answer.get("error") or answer.get("errors"))


def is_redirect_loop(payload: bytes) -> bool:
    """Whether the page redirects in a circle: the API does not fail, it gives the stub of the redirect."""
    parsed = _parse_object(parse_answer(payload))
    return parsed is not None and _REDIRECT_STUB.match(parsed["text"]) is not None


def redirect_target(payload: bytes) -> str | None:
    """The title of the page that the asked one redirects to; None where it does not."""
    parsed = _parse_object(parse_answer(payload)) or {}
    return str(parsed["title"]) if parsed.get("redirects") and parsed.get("title") else None


def other_page(payload: bytes, by: str, value: str) -> str | None:
    """What the answer holds in place of the page that was asked for *by* `page`, `pageid` or `oldid`; None: that page.

    Titles are compared as wikis spell them: without regard to case, blanks, and the name of a namespace, which has
    aliases.
    """
    parsed = _parse_object(parse_answer(payload)) or {}
    hops = parsed.get("redirects")
    field = {"pageid": "pageid", "oldid": "revid"}.get(by)
    if field is not None:
        got = parsed.get(field)
        return None if got is None or hops or str(got) == value else f"{field} {got}"
    first = hops[0].get("from") if isinstance(hops, list) and hops and isinstance(hops[0], dict) else None
    title = first or parsed.get("title")
    return None if not isinstance(title, str) or _title_key(title) == _title_key(value) else title


def _title_key(title: str) -> str:
    plain = unicodedata.normalize("NFKC", html.unescape(title)).replace("_", " ").casefold()
    plain = "".join(char for char in plain if unicodedata.category(char) != "Cf")  # wikis drop direction marks
    return " ".join((plain.partition(":")[2] or plain).split())


def parse_page_metadata(payload: bytes, as_of: str | None = None) -> ApiMetadata:
    """What the API tells of the page: its revision and its categories, but those that the wiki hides.

    *as_of*: when, as the answer's Date header has it.
    """
    parsed = _parse_object(parse_answer(payload)) or {}
    revision = parsed.get("revid")
    is_number = isinstance(revision, int) and not isinstance(revision, bool) and revision > 0
    categories = tuple(_visible_categories(parsed))
    return ApiMetadata(
        publisher_version=str(revision) if is_number else None,
        revision_id=revision if is_number else None,
        categories=categories,
        keywords=categories,
        disambiguation="disambiguation" in _page_properties(parsed),
        as_of=as_of,
    )


def parse_answer(payload: bytes) -> dict[str, Any]:
    """The API's answer. Raises ValueError if it is not a JSON object, however deeply it is nested."""
    try:
        answer = json.loads(payload)
    except RecursionError as error:
        raise ValueError("JSON that is nested too deeply") from error
    if not isinstance(answer, dict):
        raise ValueError("the API's response is not a JSON object")  # noqa: TRY004  (it is a value of the server)
    return answer


def _parse_object(answer: dict[str, Any]) -> dict[str, Any] | None:
    parsed = answer.get("parse")
    if not isinstance(parsed, dict):
        return None
    text = parsed.get("text")
    if isinstance(text, dict):  # formatversion=1
        parsed = parsed | {"text": text.get("*")}
    return parsed if isinstance(parsed.get("text"), str) else None


def _visible_categories(parsed: dict[str, Any]) -> list[str]:
    found = parsed.get("categories")
    names = (
        str(one.get("category") or one.get("*") or "")
        for one in (found if isinstance(found, list) else ())
        if isinstance(one, dict) and one.get("hidden", False) is False
    )
    return list(dict.fromkeys(name.replace("_", " ") for name in names if name))


def _page_properties(parsed: dict[str, Any]) -> set[str]:
    found = parsed.get("properties")
    if isinstance(found, list):  # formatversion=1
        return {str(one.get("name")) for one in found if isinstance(one, dict)}
    return set(found) if isinstance(found, dict) else set()


def _display_title(parsed: dict[str, Any]) -> str:
    """The title as the wiki shows it, without its markup: `iShares`, where the page's name is `IShares`."""
    shown, title = parsed.get("displaytitle"), str(parsed.get("title", ""))
    if not isinstance(shown, str) or not shown.strip():
        return title
    try:
        root = etree.fromstring(f"<p>{shown}</p>".encode(), etree.HTMLParser(encoding="utf-8", no_network=True))
    except (etree.XMLSyntaxError, ValueError):
        return title
    text = "" if root is None else " ".join("".join(map(str, root.itertext())).split())
    return text or title
