"""A page as the rivals write it: main content by readability, markdown by markdownify, one JSON file."""

import json
from pathlib import Path

from markdownify import markdownify
from readability import Document


def write_document(url: str, html: str, folder: str) -> None:
    """Write the page's document to *folder*. Where readability finds no content, the whole page is converted."""
    document = Document(html)
    try:
        title, content = document.title(), document.summary()
    except Exception:  # lxml and readability raise what they like over broken pages
        title, content = "", html
    write_json(url, title, markdownify(content), folder)


def write_json(url: str, title: str, markdown: str, folder: str) -> None:
    """Write one file, named for the URL's last segment."""
    whole = json.dumps({"url": url, "title": title, "markdown": markdown}, ensure_ascii=False)
    Path(folder, url.rpartition("/")[2] + ".json").write_text(whole, encoding="utf-8", errors="replace")
