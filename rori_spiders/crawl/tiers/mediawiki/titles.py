"""Convert between URLs and page titles of a wiki. Steps; sends no request.

Forms of https://www.mediawiki.org/wiki/Manual:Parameters_to_index.php and Manual:Short_URL.
"""

import re
from dataclasses import dataclass
from urllib.parse import parse_qs, unquote, urlsplit

from rori_spiders.urls.canonical import escape_wiki_title, origin_of

#: What wikis place before their titles; any other folder counts only where a source's own URL shows it.
_ARTICLES = re.compile(r"^(?:.*?/index\.php5?/|.*?/wiki/|/(?:w|title|view|page|pages|article|articles)/)")
_SCRIPT = re.compile(r"/(?:index|load|api|rest)\.php5?$")
_VIEWS = frozenset({"view", "render"})
# Under these canonical names, which every wiki understands, there are no pages of text. Localised ones the API tells.
_NO_PAGES = frozenset({"special", "media"})
_MAIN_PAGE = "Main Page"


@dataclass(frozen=True, slots=True)
class PageReference:
    """A page as the API's ``action=parse`` is asked for it: ``by`` is ``page``, ``pageid`` or ``oldid``."""

    by: str
    value: str


class NotAPage(ValueError):
    """Raised for a URL of a wiki that names no page: a special page, a form, a history, a comparison."""


def article_path(url: str) -> str:
    """What stands before a title in the URLs of a wiki, by the one URL of it that is known: ``/wiki/``, as a rule.

    It ends in ``?title=`` where that URL has the long form.
    """
    parts = urlsplit(url)
    known = _ARTICLES.match(parts.path)
    if _SCRIPT.search(parts.path) or (known is None and "title" in parse_qs(parts.query)):
        return f"{parts.path}?title="
    if known is not None:
        return known[0]
    return "/wiki/" if parts.path in {"", "/", "/wiki"} else parts.path[: parts.path.rfind("/") + 1]


def title_url(title: str, like: str, prefix: str | None = None) -> str:
    """The URL of *title* in the wiki of the URL *like*, whose titles stand behind *prefix*."""
    path = article_path(like) if prefix is None else prefix
    return f"{origin_of(like)}{path}{escape_wiki_title(_normalise_title(title))}"


def parse_page_url(url: str, prefix: str | None = None) -> PageReference | None:
    """The page that *url* names; None for a URL that is none of a wiki's, as far as one can see without *prefix*.

    Raises NotAPage.
    """
    parts = urlsplit(url)
    query = {name: values[-1] for name, values in parse_qs(parts.query).items()}  # PHP takes the last, too
    path_title = _title_in_path(parts.path, prefix)
    if not (path_title or _SCRIPT.search(parts.path) or query.keys() & {"title", "curid", "oldid"}):
        return PageReference("page", _MAIN_PAGE) if path_title == "" else None
    title = _normalise_title(path_title or query.get("title") or "")
    _reject_non_pages(parts.path, query, title)
    for name, by in (("oldid", "oldid"), ("curid", "pageid")):
        if query.get(name, "").strip("0") != "":
            if not (query[name].isascii() and query[name].isdigit()):
                raise NotAPage(f"{name}={query[name][:40]} is not a number")
            return PageReference(by, query[name].lstrip("0"))
    return PageReference("page", title or _MAIN_PAGE)


def is_page_url(url: str) -> bool:
    """Whether *url*, of a wiki's host, is plainly that of a page of text."""
    try:
        return parse_page_url(url) is not None
    except NotAPage:
        return False


def _title_in_path(path: str, prefix: str | None) -> str | None:
    """The title that a path ends in; "" for the folder of titles itself, None for a path that is not below it."""
    if _SCRIPT.search(path):
        return None
    before = prefix
    if before is None or "?" in before or not path.startswith(before):
        known = _ARTICLES.match(path)
        before = known[0] if known is not None else None
    if before is not None:
        text = path.removeprefix(before)
        try:
            return unquote(text, errors="strict")
        except UnicodeDecodeError:
            return unquote(text, "cp1252", "replace")  # old links: MediaWiki's $wgFallback8bitEncoding
    return "" if path in {"", "/", "/wiki"} and prefix is not None else None


def _reject_non_pages(path: str, query: dict[str, str], title: str) -> None:
    if _SCRIPT.search(path) and "/index." not in path:
        raise NotAPage(f"{path.rpartition('/')[2]} is a script for programs, not a page")
    if (action := query.get("action", "view").lower()) not in _VIEWS:
        raise NotAPage(f"action={action[:40]} does not show a page")
    if "diff" in query:
        raise NotAPage("a comparison of two revisions")
    if "search" in query and not title:
        raise NotAPage("a search")
    if title.partition(":")[0].strip().lower() in _NO_PAGES and ":" in title:
        raise NotAPage(f"{title[:80]} is not a text page")


def _normalise_title(title: str) -> str:
    """A title as people write it: blanks for underscores, without a leading colon and without a section's name."""
    return " ".join(title.partition("#")[0].replace("_", " ").split()).lstrip(": ")
