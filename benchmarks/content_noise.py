"""Pages fetched again: what changes by itself must not show, one changed digit must: `... content_noise FOLDER`.

Ten kinds of noise are put into 100 pages each; then one digit of a page's text is changed, 500 times. A change is seen
when the text differs, and placed when the hash of exactly one section differs, which holds the digit.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from lxml import etree

from benchmarks.reading import body_of
from rori_spiders.content.convert import convert
from rori_spiders.content.encoding import decode
from rori_spiders.content.html import tree
from rori_spiders.content.sections import outline, section_hashes
from rori_spiders.exceptions import ConversionError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lxml.html import HtmlElement

_URL = "https://www.example.gov/page"
_MONTHS = ("January", "March", "June", "October")


def _token(dice: random.Random) -> str:
    return f"{dice.getrandbits(96):024x}"


def _day(dice: random.Random) -> str:
    return f"{dice.choice(_MONTHS)} {dice.randint(1, 28)}, {dice.randint(2019, 2026)}"


def _time(dice: random.Random) -> str:
    return f"{dice.randint(1, 12)}:{dice.randint(10, 59)}:{dice.randint(10, 59)} PM"


#: Kind -> the HTML that differs from fetch to fetch, put before or after the page's own content.
NOISE: dict[str, Callable[[random.Random], str]] = {
    "clock": lambda dice: f"<p>Current time: {_time(dice)}</p>",
    "stamp": lambda dice: f"<div>Page last updated: {_day(dice)}</div>",
    "ago": lambda dice: f"<span>Updated {dice.randint(2, 59)} minutes ago</span>",
    "counter": lambda dice: f"<p>You are visitor number {dice.randint(1000, 999_999):,}</p>",
    "token": lambda dice: f'<form><input type="hidden" name="csrf_token" value="{_token(dice)}"></form>',
    "session": lambda dice: f'<p><a href="/law;jsessionid={_token(dice)}?part=4">The law in full</a></p>',
    "banner": lambda dice: f'<div role="alert">Call us at extension {dice.randint(100, 999)} today</div>',
    "trace": lambda dice: f"<p>Request ID: {_token(dice)}</p>",
    "script": lambda dice: f'<script nonce="{_token(dice)}">var t="{_token(dice)}";</script><!-- {_token(dice)} -->',
    "names": lambda dice: f'<div id="view-{_token(dice)}" class="js-{_token(dice)}" data-ts="{_token(dice)}"></div>',
}


def fetched_again(root: HtmlElement, noise: str, *, at_end: bool) -> bytes:
    """The page with *noise* in it."""
    html = etree.tostring(root, encoding="unicode", method="html")
    place = html.rfind("</body>") if at_end else re.search(r"<body[^>]*>", html).end()  # type: ignore[union-attr]
    return f"<!DOCTYPE html>{html[:place]}{noise}{html[place:]}".encode()


def markdown_of(body: bytes) -> str:
    return convert(body, url=_URL, content_type="text/html; charset=utf-8").markdown


def false_changes(pages: list[HtmlElement], dice: random.Random, times: int) -> Counter[str]:
    """By kind of noise, how many of so many refetches differed."""
    seen: Counter[str] = Counter()
    for kind, noise in NOISE.items():
        for number in range(times):
            page = pages[(number * 7 + len(kind)) % len(pages)]
            bodies = [fetched_again(page, noise(dice), at_end=number % 2 == 0) for _ in range(2)]
            first, second = map(markdown_of, bodies)
            seen[kind] += first != second
    return seen


def edited(page: HtmlElement, dice: random.Random) -> tuple[bytes, bytes, str, str] | None:
    """The page before and after one digit of it was changed, and the texts around the digit; None without digits."""
    before = etree.tostring(page, encoding="unicode", method="html")
    shown = markdown_of(before.encode())
    lines = [line for line in shown.split("\n") if re.fullmatch(r"[A-Za-z0-9 ,.;:'()-]{20,}", line)]
    places = [(line, found) for line in lines for found in re.finditer(r"\d", line) if _is_once_in_text(line, before)]
    if not places:
        return None
    line, found = dice.choice(places)
    digit = str((int(found[0]) + dice.randint(1, 9)) % 10)
    other = line[: found.start()] + digit + line[found.end() :]
    return before.encode(), before.replace(line, other).encode(), line, other


def _is_once_in_text(line: str, html: str) -> bool:
    at = html.find(line)
    return html.count(line) == 1 and html.rfind("<", 0, at) <= html.rfind(">", 0, at)


def changed_sections(first: str, second: str) -> list[str]:
    before, after = section_hashes(first), section_hashes(second)
    return [path for (path, old), (_, new) in zip(before, after, strict=False) if old != new]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.content_noise", description=__doc__)
    parser.add_argument("folder", type=Path, help="pages, *.html or *.html.gz")
    parser.add_argument("--refetches", type=int, default=100, help="of each kind of noise")
    parser.add_argument("--edits", type=int, default=500)
    given = parser.parse_args(arguments)
    dice, pages = random.Random(5), []  # noqa: S311 - the same pages each time
    for path in sorted([*given.folder.glob("*.html"), *given.folder.glob("*.html.gz")]):
        try:
            page = tree.parse(decode(body_of(path)).text)
            markdown_of(etree.tostring(page, method="html"))
        except ConversionError:
            continue
        pages.append(page)
    if not pages:
        parser.error(f"no *.html or *.html.gz that can be read in {given.folder}")
    seen = false_changes(pages, dice, given.refetches)
    print(f"{given.refetches * len(NOISE)} refetches, changes seen: {seen.total()} {dict(+seen)}")
    tried = noticed = placed = 0
    while tried < given.edits:
        if (edit := edited(dice.choice(pages), dice)) is None:
            continue
        first, second = markdown_of(edit[0]), markdown_of(edit[1])
        tried, noticed = tried + 1, noticed + (first != second)
        if first == second:
            print(f"not seen: {edit[2][:100]!r}")
        paths = changed_sections(first, second)
        within = [one for one in outline(second) if edit[3] in second[one.start : one.end]]
        placed += len(paths) == 1 and any(paths[0].startswith(one.path) for one in within)
    print(f"{tried} digits changed: seen {noticed}, in one section and the right one {placed}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
