"""Pages that cleanings are made over: those of the demo site, of the converter's fixtures, and some made by us."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

from rori_spiders.content.convert import convert

_ROOT = Path(__file__).parents[3]
_MADE = Path(__file__).parent / "pages_made"
_SITE = "https://www.example.gov/"
#: Longer pages say nothing more about the guards, and take longer.
_LONGEST = 14_000


class Page(NamedTuple):
    """A deterministic draft, and what is known of it."""

    name: str
    body: str
    title: str | None
    url: str


@cache
def pages() -> tuple[Page, ...]:
    """All of them, in the order of their names."""
    found = [*_of_site(_ROOT / "rori_spiders/terminal/demo/site"), *_of_fixtures(), *_made()]
    return tuple(page for page in found if 200 < len(page.body) < _LONGEST)


def _of_site(folder: Path) -> list[Page]:
    found = []
    for path in sorted(folder.rglob("index.html")):
        url = f"{_SITE}{path.parent.relative_to(folder)}/"
        read = convert(path.read_bytes(), url=url, content_type="text/html; charset=utf-8")
        found.append(Page(str(path.parent.relative_to(folder)), read.markdown, read.metadata.title, url))
    return found


def _of_fixtures() -> list[Page]:
    found = []
    for path in sorted((_ROOT / "tests/content/fixtures").glob("*/expected.md")):
        told = json.loads(path.with_name("expected.json").read_text())
        title = told.get("title") if isinstance(told, dict) else None
        found.append(Page(f"fixture-{path.parent.name}", path.read_text(), title, f"{_SITE}{path.parent.name}/"))
    return found


def _made() -> list[Page]:
    found = []
    for path in sorted(_MADE.glob("*.md")):
        title, _, body = path.read_text().partition("\n\n")
        found.append(Page(path.stem, body, title, f"{_SITE}{path.stem}/"))
    return found
