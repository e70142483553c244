"""Edits and noise drawn by a seed from real pages, for `benchmarks.change_history`: nobody wrote them, or chose them.

Edits: sentences of documents of the Federal Register, each changed by one of the operators below. Noise: lists of real
pages that show other items each time, and short lines of theirs with other figures. Documents and pages are split in
halves by the hash of their names, and so are the operators: what was made with `development` in sight was never
measured on `sealed`. From the folder of `benchmarks.real_changes`.
"""

from __future__ import annotations

import gzip
import html
import re
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from lxml.html import document_fromstring

from benchmarks.real_changes import FOLDER, plain_text

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

_EDITS = 20
_LISTS, _LINES = 10, 6
_DUTY = re.compile(r"\b(?:must|shall)\b")
_PERIOD = re.compile(r"\b\d{1,3}(?= (?:calendar |business )?(?:days|months|years)\b)")
_AMOUNT = re.compile(r"\$\d[\d,]*\d")
_DATE = re.compile(r"\b(?:January|March|April|June|July|August|October|December) \d{1,2}, 20\d\d\b")
_EXCEPTION = re.compile(r",? (?:except|unless) [^,;.]{8,90}(?=[,;.])")
_WORD = re.compile(r"\b[a-z]{7,12}\b")
_SAYS_HOW_MUCH = re.compile(r"[$%]|\b(?:days?|months?|years?|percent|must|shall|may not|fees?)\b", re.IGNORECASE)


class DrawnEdit(NamedTuple):
    """A passage before and after; an empty one came, or went."""

    part: str
    name: str
    old: str
    new: str


def _is_sealed(name: str) -> bool:
    return sha256(name.encode()).digest()[0] % 2 == 1


def _files(folder: str, prefix: str, *, sealed: bool) -> list[Path]:
    return [path for path in sorted((FOLDER / folder).glob(f"{prefix}*")) if _is_sealed(path.name) == sealed]


def _read(path: Path) -> str:
    body = path.read_bytes()
    return (gzip.decompress(body) if path.suffix == ".gz" else body).decode("utf-8", "replace")


def _paragraphs(*, sealed: bool) -> list[str]:
    found = []
    for path in _files("xml", "fr-", sealed=sealed):
        texts = (html.unescape(plain_text(one)) for one in re.findall(r"<P>(.*?)</P>", _read(path), re.DOTALL))
        found += [text for text in texts if 120 < len(text) < 700 and text.endswith(".")]
    return found


def _replaced(pattern: re.Pattern[str], new: Callable[[random.Random, str], str]) -> Callable[..., tuple[str, str]]:
    def change(dice: random.Random, text: str) -> tuple[str, str]:
        found = dice.choice(list(pattern.finditer(text)))
        return text, f"{text[: found.start()]}{new(dice, found[0])}{text[found.end() :]}"

    return change


#: By half: what a paragraph must have, and how it is changed.
_OPERATORS: dict[str, dict[str, tuple[re.Pattern[str], Callable[..., tuple[str, str]]]]] = {
    "development": {
        "period": (_PERIOD, _replaced(_PERIOD, lambda dice, old: str(int(old) + dice.randint(1, 30)))),
        "duty": (_DUTY, _replaced(_DUTY, lambda dice, _: dice.choice(("may", "should", "need not")))),
        "passage went": (_DUTY, lambda _, text: (text, "")),
        "passage came": (_DUTY, lambda _, text: ("", text)),
    },
    "sealed": {
        "amount": (_AMOUNT, _replaced(_AMOUNT, lambda dice, old: f"${dice.randint(10, 99)},{old[-3:]}")),
        "date": (_DATE, _replaced(_DATE, lambda dice, old: f"{old[:-4]}{int(old[-4:]) + dice.randint(1, 3)}")),
        "exception went": (_EXCEPTION, _replaced(_EXCEPTION, lambda *_: "")),
        "or": (re.compile(r" or "), _replaced(re.compile(r" or "), lambda *_: " and ")),
        "word": (_WORD, _replaced(_WORD, lambda dice, _: dice.choice(("certified", "affiliated", "resident")))),
        "plain passage went": (re.compile(r"^(?!.*\b(?:must|shall)\b)"), lambda _, text: (text, "")),
    },
}


def draw_edits(dice: random.Random) -> Iterator[DrawnEdit]:
    """Edits of each half, its operators in turn."""
    for part, operators in _OPERATORS.items():
        texts = _paragraphs(sealed=part == "sealed")
        for number in range(_EDITS):
            name, (needs, change) = list(operators.items())[number % len(operators)]
            old, new = change(dice, dice.choice([text for text in texts if needs.search(text)]))
            yield DrawnEdit(part, name, old, new)


def draw_duties(dice: random.Random, number: int) -> list[str]:
    """Passages that bind, for lines that stand on all pages of a site."""
    return dice.sample([text for text in _paragraphs(sealed=True) if _DUTY.search(text)], number)


def _short_texts(page: str, path: str) -> list[str]:
    texts = (" ".join("".join(one.itertext()).split()) for one in document_fromstring(page).iterfind(path))
    return list(dict.fromkeys(text for text in texts if 8 < len(text) < 120))


def _rotating(heading: str, items: list[str]) -> Callable[[random.Random, datetime], str]:
    def show(dice: random.Random, _: datetime) -> str:
        shown = "".join(f"<li>{html.escape(one)}</li>" for one in dice.sample(items, 4))
        return f"<h2>{html.escape(heading)}</h2><ul>{shown}</ul>"

    return show


def _counting(line: str) -> Callable[[random.Random, datetime], str]:
    return lambda dice, _: f"<p>{re.sub(r'[0-9]', lambda _: str(dice.randint(1, 9)), html.escape(line))}</p>"


def draw_noise(dice: random.Random, part: str) -> tuple[Callable[[random.Random, datetime], str], ...]:
    """Lists that rotate, and lines that count, each of another real page of the half."""
    rotating: list[Callable[[random.Random, datetime], str]] = []
    counting: list[Callable[[random.Random, datetime], str]] = []
    files = _files("html", "", sealed=part == "sealed")
    for path in dice.sample(files, len(files)):
        page = re.sub(r"^\s*<\?xml[^>]*\?>", "", _read(path))
        if not page.strip():
            continue
        items, headings = _short_texts(page, ".//li"), _short_texts(page, ".//h2")
        if len(rotating) < _LISTS and len(items) > 7 and headings:
            rotating.append(_rotating(dice.choice(headings), items))
        lines = [text for text in _short_texts(page, ".//p") if re.search(r"\d", text) and not text.endswith(".")]
        lines = [text for text in lines if not _SAYS_HOW_MUCH.search(text)]
        if len(counting) < _LINES and lines:
            counting.append(_counting(dice.choice(lines)))
    return (*rotating, *counting)
