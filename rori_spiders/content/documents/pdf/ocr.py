"""Read pages that are pictures with Tesseract, where a source or an operator asks for it (`ocr`, RORI_OCR).

In: a page. Out: its paragraphs with the mean confidence of their words. Each paragraph begins with `MARK`: what a
program recognised is never taken for the document's own text, wherever the paragraph is shown. The same page, program
and model give the same words; both are a part of the converter's version.
"""

from __future__ import annotations

import csv
import ctypes
import os
import re
import shutil
import subprocess
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import groupby
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING

from rori_spiders.content.documents.escaping import block, escaped

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import pypdfium2  # type: ignore[import-untyped]  # it ships no types

#: Before each paragraph that OCR read.
MARK = "[OCR]"
#: What a source asks for that wants none, whatever RORI_OCR says.
OFF = "off"
#: A page that is less sure stays unread: on faxes of 100 dpi (0.87) every sixth number was wrong, on all other pages
#: (0.96) one in 500 (development half of benchmarks/unseen/ocr_templates.py, 2026-11). So does one of fewer words.
LEAST_CONFIDENCE, LEAST_WORDS = 0.9, 3
#: Pages of one document, where RORI_OCR_PAGES says nothing: a page takes two to four seconds of RORI_CONVERT_TIMEOUT.
PAGES = 10
# As Tesseract's manual advises; more pixels only take memory.
_DOTS_PER_INCH, _MOST_PIXELS = 300, 12_000_000
# Of one page. Limits of the processor's time, unlike the clock's, give the same text on a busy machine.
_CPU_S, _MEMORY_BYTES = 30, 256 * 2**20
_VERSION = re.compile(r"^tesseract v?(\S+)", re.MULTILINE)
_FOLDER = re.compile(r'"([^"]+)"')
_NO_LETTERS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Engine:
    """The program, its version and the languages that it was asked for. ``models`` identifies their data."""

    program: str
    version: str
    languages: str
    models: str

    @property
    def name(self) -> str:
        return f"tesseract {self.version}, {self.languages}"


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a page says by OCR, ready for markdown; without paragraphs where that may not be taken for it."""

    paragraphs: tuple[str, ...]
    confidence: float  # mean of its words, 0 to 1; 0 where it has none
    doubt: str = ""  # why there are no paragraphs


@dataclass(slots=True)
class _Block:
    """A block of print as Tesseract saw it: where it stands, and how many of its words are figures."""

    left: int
    top: int
    right: int
    bottom: int
    lines: int = 0
    words: int = 0
    figures: int = 0

    @property
    def is_of_figures(self) -> bool:
        return self.lines > 2 and 2 * self.figures >= self.words


def find_engine(languages: str | None = None) -> Engine | None:
    """What a source asks for, or RORI_OCR where it asks for nothing; None for "off" and for what is not installed."""
    languages = os.environ.get("RORI_OCR", "").strip() if languages is None else languages
    return _find_engine(languages) if languages and languages != OFF else None


def identity(languages: str | None = None) -> str:
    """What texts depend on: "" where OCR is off."""
    engine = find_engine(languages)
    return "" if engine is None else f"{engine.name} {engine.models} {most_pages()} {LEAST_CONFIDENCE}"


def most_pages() -> int:
    """How many pages of a document are read so."""
    return int(os.environ.get("RORI_OCR_PAGES") or PAGES)


@cache
def _find_engine(languages: str) -> Engine | None:
    program = shutil.which("tesseract")
    if program is None or shutil.which("prlimit") is None:
        return None
    about = _ask(program, "--version")
    listed = _ask(program, "--list-langs")
    version, folder = _VERSION.search(about), _FOLDER.search(listed)
    if version is None or folder is None:
        return None
    models = sha256()
    for language in languages.split("+"):
        try:
            models.update((Path(folder[1]) / f"{language}.traineddata").read_bytes())
        except OSError:
            return None
    return Engine(program, version[1], languages, models.hexdigest()[:12])


def _ask(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return f"{done.stdout}\n{done.stderr}"


def recognise(page: pypdfium2.PdfPage, engine: Engine, own_lines: Collection[str] = ()) -> Recognised:
    """The text of a page's picture, without lines that the page holds as its own text (*own_lines*: stamps)."""
    own = {_NO_LETTERS.sub("", line).casefold() for line in own_lines}
    words: list[float] = []
    paragraphs: list[str] = []
    table = _run(engine, _picture(page)).splitlines()
    rows = list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))
    for lines in _read_paragraphs(rows):
        new = [line for line in lines if _NO_LETTERS.sub("", " ".join(text for text, _ in line)).casefold() not in own]
        words += [confidence for line in new for _, confidence in line]
        first, *others = (escaped(" ".join(text for text, _ in line)) for line in new) if new else ("",)
        text = "\n".join((first, *map(block, others)))  # a row of a table stays a line of its own
        if _NO_LETTERS.sub("", text):
            paragraphs.append(f"{MARK} {text}")
    confidence = round(sum(words) / len(words), 2) if words else 0.0
    if confidence < LEAST_CONFIDENCE or len(words) < LEAST_WORDS:
        return Recognised((), confidence, f"OCR is not sure of it (confidence {confidence:.2f})")
    if _is_torn(rows):
        return Recognised((), confidence, "OCR tore the rows of its table apart")
    return Recognised(tuple(paragraphs), confidence)


def _is_torn(rows: list[dict[str, str]]) -> bool:
    """Whether figures were read column by column, away from their rows: a block of them stands beside another block."""
    blocks: dict[str, _Block] = {}
    for row in rows:
        if row["level"] == "2":
            left, top, width, height = (int(row[name]) for name in ("left", "top", "width", "height"))
            blocks[row["block_num"]] = _Block(left, top, left + width, top + height)
        elif (found := blocks.get(row["block_num"])) is not None and row["level"] == "4":
            found.lines += 1
        elif found is not None and row["level"] == "5":
            found.words += 1
            found.figures += any(character.isdigit() for character in row["text"])
    tall = [one for one in blocks.values() if one.lines > 2]
    return any(one.is_of_figures and _stand_side_by_side(one, other) for one in tall for other in tall)


def _stand_side_by_side(one: _Block, other: _Block) -> bool:
    shared = min(one.bottom, other.bottom) - max(one.top, other.top)
    lower = min(one.bottom - one.top, other.bottom - other.top)
    return (one.right <= other.left or other.right <= one.left) and 2 * shared >= lower


def _picture(page: pypdfium2.PdfPage) -> bytes:
    """The page as a portable graymap, as a scanner would have it."""
    width, height = page.get_size()
    scale = min(_DOTS_PER_INCH / 72, sqrt(_MOST_PIXELS / max(1.0, width * height)))
    with closing(page.render(scale=scale, grayscale=True, may_draw_forms=False)) as bitmap:
        rows = memoryview(ctypes.string_at(bitmap.buffer, bitmap.stride * bitmap.height))
        pixels = b"".join(rows[at : at + bitmap.width] for at in range(0, len(rows), bitmap.stride))
        return b"P5 %d %d 255\n%b" % (bitmap.width, bitmap.height, pixels)


def _run(engine: Engine, picture: bytes) -> str:
    """Tesseract's table of words; "" for a picture that takes too long or too much memory."""
    limits = ("prlimit", f"--cpu={_CPU_S}", f"--data={_MEMORY_BYTES}")
    command = (*limits, engine.program, "stdin", "stdout", "-l", engine.languages, "--psm", "3", "--dpi", "300", "tsv")
    environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}  # more threads take more processor time for the same words
    done = subprocess.run(command, input=picture, capture_output=True, env=environment, check=False)  # noqa: S603
    return "" if done.returncode else done.stdout.decode("utf-8", "replace")


def _read_paragraphs(rows: list[dict[str, str]]) -> Iterator[list[list[tuple[str, float]]]]:
    """Paragraphs as lines of words, each with its confidence."""
    words = [row for row in rows if row["level"] == "5" and row["text"].strip()]
    for _, of_paragraph in groupby(words, lambda row: (row["block_num"], row["par_num"])):
        yield [
            [(row["text"].strip(), float(row["conf"]) / 100) for row in of_line]
            for _, of_line in groupby(of_paragraph, lambda row: row["line_num"])
        ]
