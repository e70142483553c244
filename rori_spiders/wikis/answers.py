"""What a wiki's ``api.php`` answers: a page, an error that came with HTTP 200, or something else.

https://www.mediawiki.org/wiki/API:Parsing_wikitext and API:Errors_and_warnings. Old wikis answer in the form of
``formatversion=1`` whatever they are asked for.
"""

from __future__ import annotations

import html
import json
import re
from typing import Any

from lxml import etree

from rori_spiders.items import Said

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
_STUB = re.compile(r'^\s*(?:<div class="[^"]*mw-parser-output[^"]*"[^>]*>\s*)?<div class="redirectMsg">')


def page_html(payload: bytes, url: str | None = None) -> str:
    """The HTML of a page from the API's JSON. Raises ValueError for JSON that holds no page.

    *url*: the page's own, where it is another than the one that was asked for.
    """
    parsed = _parsed(answer_of(payload))
    if parsed is None:
        raise ValueError("the API's answer holds no parsed page")
    shown = html.escape(_shown_title(parsed))
    keywords = html.escape(", ".join(_categories(parsed)))
    lang = _LANG.match(parsed["text"])
    said = f' lang="{lang[1]}"' if lang else ""
    canonical = f'<link rel="canonical" href="{html.escape(url)}">' if url else ""
    robots = '<meta name="robots" content="noindex">' if "noindex" in _properties(parsed) else ""
    return (
        f'<!DOCTYPE html><html{said}><head><title>{shown}</title><meta name="keywords" content="{keywords}">'
        f"{canonical}{robots}</head><body><main><h1>{shown}</h1>{parsed['text']}</main></body></html>"
    )


def error_of(payload: bytes, *, is_list: bool = False) -> tuple[int, str] | None:
    """Status and code of an API error; None for an answer that holds a page, or, with *is_list*, one to a query."""
    try:
        answer = answer_of(payload)
    except ValueError:
        return 502, "the API answered with something else than JSON"
    errors = answer.get("errors")
    error = answer.get("error") or (errors[0] if isinstance(errors, list) and errors else None)
    if error:
        code = str(error.get("code", "unknown") if isinstance(error, dict) else error)[:200]
        return _STATUS_OF_ERROR.get(code, 502), code
    if is_list:
        is_answered = bool(answer.keys() & {"query", "batchcomplete", "continue"})
        return None if is_answered else (502, "the API's answer holds no list")
    if _parsed(answer) is None:
        return 502, "the API's answer holds no parsed page"
    return None


def is_api_error(payload: bytes) -> bool:
    """Whether *payload* is an error as the API words them, whatever its HTTP status was."""
    try:
        answer = answer_of(payload)
    except ValueError:
        return False
    return bool(answer.get("error") or answer.get("errors"))


def is_circle(payload: bytes) -> bool:
    """Whether the page redirects in a circle: the API does not fail, it gives the stub of the redirect."""
    parsed = _parsed(answer_of(payload))
    return parsed is not None and _STUB.match(parsed["text"]) is not None


def final_title(payload: bytes) -> str | None:
    """The title of the page that the asked one redirects to; None where it does not."""
    parsed = _parsed(answer_of(payload)) or {}
    return str(parsed["title"]) if parsed.get("redirects") and parsed.get("title") else None


def said(payload: bytes, as_of: str | None = None) -> Said:
    """What the API tells of the page: its revision and its categories, but those that the wiki hides.

    *as_of*: when, as the answer's Date header has it.
    """
    parsed = _parsed(answer_of(payload)) or {}
    revision = parsed.get("revid")
    is_number = isinstance(revision, int) and not isinstance(revision, bool) and revision > 0
    categories = tuple(_categories(parsed))
    return Said(
        publisher_version=str(revision) if is_number else None,
        revision_id=revision if is_number else None,
        categories=categories,
        keywords=categories,
        disambiguation="disambiguation" in _properties(parsed),
        as_of=as_of,
    )


def answer_of(payload: bytes) -> dict[str, Any]:
    """The API's answer. Raises ValueError for what is no JSON object, however deeply it is nested."""
    try:
        answer = json.loads(payload)
    except RecursionError as error:
        raise ValueError("JSON that is nested too deeply") from error
    if not isinstance(answer, dict):
        raise ValueError("the API's answer is no JSON object")  # noqa: TRY004  (it is a value of the server)
    return answer


def _parsed(answer: dict[str, Any]) -> dict[str, Any] | None:
    parsed = answer.get("parse")
    if not isinstance(parsed, dict):
        return None
    text = parsed.get("text")
    if isinstance(text, dict):  # formatversion=1
        parsed = parsed | {"text": text.get("*")}
    return parsed if isinstance(parsed.get("text"), str) else None


def _categories(parsed: dict[str, Any]) -> list[str]:
    found = parsed.get("categories")
    names = (
        str(one.get("category") or one.get("*") or "")
        for one in (found if isinstance(found, list) else ())
        if isinstance(one, dict) and one.get("hidden", False) is False
    )
    return list(dict.fromkeys(name.replace("_", " ") for name in names if name))


def _properties(parsed: dict[str, Any]) -> set[str]:
    found = parsed.get("properties")
    if isinstance(found, list):  # formatversion=1
        return {str(one.get("name")) for one in found if isinstance(one, dict)}
    return set(found) if isinstance(found, dict) else set()


def _shown_title(parsed: dict[str, Any]) -> str:
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
