"""Users and passwords in the addresses that a page links to: taken out, the links themselves stay.

In: markdown, HTML, a URL. Out: the same without ``user:password@`` where a link leads. What a page says in its text is
the publisher's, and stays as it is said.
"""

from __future__ import annotations

import re

_IN_URL = re.compile(r"(?<=//)[^/?#\s]*@")
# The target of a link or a picture, and the tags that tables keep.
_TARGET = re.compile(r"(\]\(<?(?:https?:)?//)[^/?#\s()<>]*@", re.IGNORECASE)
_TAG = re.compile(r"<[a-zA-Z][^<>]*>")
_ATTRIBUTE = re.compile(r"(=\s*[\"']?(?:https?:)?//)[^/?#\s\"'<>]*@", re.IGNORECASE)


def without_userinfo(url: str) -> str:
    """An absolute URL without its user and password."""
    return _IN_URL.sub("", url, count=1) if "@" in url else url


def out_of_markdown(markdown: str) -> str:
    """Markdown whose links carry none."""
    return out_of_html(_TARGET.sub(r"\1", markdown)) if "@" in markdown else markdown


def out_of_html(html: str) -> str:
    """HTML whose attributes carry none."""
    return _TAG.sub(_out_of_tag, html) if "@" in html else html


def _out_of_tag(tag: re.Match[str]) -> str:
    return _ATTRIBUTE.sub(r"\1", tag[0]) if "@" in tag[0] else tag[0]
