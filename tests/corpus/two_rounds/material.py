"""Real pages to build a site of: those that this repository carries, or some folders'; each marked with its edition.

In: HTML files. Out: pages whose text a program can be asked for by a sentence that nobody else has.
"""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.content.convert import convert
from rori_spiders.exceptions import ConversionError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ROOT = Path(__file__).parents[3]
_CARRIED = ("rori_spiders/terminal/demo/site/**/index.html", "tests/content/fixtures/*/page.html")
#: Texts that are longer, or next to nothing, say no more about versions, and take longer.
_SHORTEST, _LONGEST = 400, 60_000
#: What says where a page used to stand: it stands elsewhere here.
_OLD_PLACE = re.compile(rb"<base\b[^>]*>|<link\b[^>]*rel=[\"']?canonical[^>]*>|<meta\b[^>]*og:url[^>]*>", re.IGNORECASE)
_PARAGRAPH = re.compile(rb"<p[\s>].*?</p\s*>", re.IGNORECASE | re.DOTALL)
#: As tests/support/server/site.py serves it, and where.
_SERVED, _AT = "text/html; charset=utf-8", "http://127.0.1.1:8000/guide/record-1.html"
_DEMO = b'<p><a href="https://www.acme.example/demo">Book a demo</a></p>'


class Material(NamedTuple):
    """A real page, cut where the mark of its edition goes."""

    name: str
    before: bytes
    after: bytes

    def html(self, serial: int, edition: int, *, asks: bool = False) -> bytes:
        """The page as it is in *edition*; *asks*: with a call to action."""
        return b"%s<p>%s</p>%s%s" % (
            self.before, mark(serial, edition).encode(), _DEMO if asks else b"", self.after,
        )  # fmt: skip


def mark(serial: int, edition: int) -> str:
    """The sentence that tells a page's edition."""
    return f"This record bears the serial number {serial}, and this is its edition number {edition}."


def materials(folders: Sequence[Path], count: int) -> list[Material]:
    """*count* pages of *folders* (.html, .html.gz), then of this repository; fewer where there are fewer.

    Raises nothing: a page whose text would be without the mark, or that cannot be read, is passed over.
    """
    found: list[Material] = []
    for path in _files(folders):
        if len(found) == count:
            break
        if (one := _material(path)) is not None:
            found.append(one)
    return found


def _files(folders: Sequence[Path]) -> Iterator[Path]:
    for folder in folders:
        yield from (path for path in sorted(folder.iterdir()) if path.name.endswith((".html", ".html.gz")))
    for pattern in _CARRIED:
        yield from sorted(_ROOT.glob(pattern))


def _material(path: Path) -> Material | None:
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    raw = _OLD_PLACE.sub(b"", raw)
    longest = max(_PARAGRAPH.finditer(raw), key=lambda found: len(found[0]), default=None)
    if longest is None:
        return None
    made = Material(path.name, raw[: longest.end()], raw[longest.end() :])
    try:
        text = convert(made.html(1, 1), url=_AT, content_type=_SERVED).markdown
    except ConversionError:
        return None
    return made if mark(1, 1) in text and _SHORTEST < len(text) < _LONGEST else None
