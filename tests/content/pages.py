"""Shorthand of this room's tests: small pages and parts of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.content.convert import convert
from rori_spiders.content.html import tree
from rori_spiders.content.markdown.renderer import render

if TYPE_CHECKING:
    from lxml.html import HtmlElement

URL = "https://www.example.gov/rules/1099/"


def body_of(html: str) -> HtmlElement:
    """The parsed ``body`` around *html*."""
    return tree.parse(f"<html><body>{html}</body></html>").find("body")


def markdown_of(html: str) -> str:
    """*html* as markdown, without any choice of what is content."""
    return render(body_of(html), base=URL).rstrip("\n")


def page_text(html: str) -> str:
    """The markdown of a whole page whose body is *html*."""
    return convert(
        f"<html><body>{html}</body></html>".encode(), url=URL, content_type="text/html; charset=utf-8"
    ).markdown
