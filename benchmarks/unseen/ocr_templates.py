"""Scanned pages whose every word is known: `python benchmarks/unseen/ocr_templates.py FOLDER`, with a Python that has
Pillow; it needs Debian's fonts-dejavu-core, fonts-liberation and fonts-freefont-ttf.
`RORI_OCR=eng python -m benchmarks.unseen.ocr_templates FOLDER [--sealed]` counts words and numbers that OCR read.

Templates are split, and with them fonts: letters and lists in DejaVu and Liberation Sans for development; notices,
tables and two columns in Liberation Serif, FreeSerif, FreeSans and Liberation Mono sealed, printed as totals only. Each
page is spoilt in one of `SPOILT` ways, as scanners, copiers and faxes do.
"""

from __future__ import annotations

import io
import json
import os
import random
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

FONTS = {
    "letter": ("dejavu/DejaVuSans", "liberation/LiberationSans-Regular"),
    "list": ("dejavu/DejaVuSerif", "liberation/LiberationSans-Regular"),
    "notice": ("liberation/LiberationSerif-Regular", "freefont/FreeSerif"),
    "table": ("liberation/LiberationSerif-Regular", "liberation/LiberationMono-Regular"),
    "columns": ("liberation/LiberationSerif-Regular", "freefont/FreeSans"),
}
DEVELOPMENT, SEALED = ("letter", "list"), ("notice", "table", "columns")
SPOILT = ("clean", "200 dpi", "skew", "noise", "faded", "jpeg", "copied", "150 dpi", "fax")
COARSE = {"200 dpi": 200, "150 dpi": 150, "fax": 100}
EACH = 18
KINDS = {"words": r"\S+", "numbers": r"\d[\d.,/]*\d|\d"}
SENTENCES = (
    "The servicer must acknowledge a notice of error within {} days (excluding legal holidays) of its receipt.",
    "A borrower whose income does not exceed {}% of the area median may receive up to ${} in assistance.",
    "See 12 CFR {}.{}(b)({}) and 24 CFR {}.{}; the effective date is {}/{}/20{}.",
    "The maximum loan amount for a {}-unit property in county {} is ${},{}00 as of January {}, 20{}.",
    "No fee shall be charged unless the agency approved it in writing under section {}.{} of this chapter.",
    "Applicants shall submit Form HUD-{} not later than {} business days before settlement.",
    "The annual percentage rate may not exceed {}.{}% and the margin is {}.{}% for loans made after {} March 20{}.",
)


def sentence(choose: random.Random) -> str:
    return re.sub(r"\{\}", lambda _: str(choose.randint(1, 98)), choose.choice(SENTENCES))


def plan(template: str, choose: random.Random) -> list[tuple[int, int, int, list[str]]]:
    """Blocks of a page of 2,550 by 3,300 dots: x, y, width, and paragraphs."""

    def paragraphs(count: int, sentences: int) -> list[str]:
        return [" ".join(sentence(choose) for _ in range(sentences)) for _ in range(count)]

    def row(county: int) -> str:
        limit, share = f"${choose.randint(100, 999)},{choose.randint(100, 999)}", f"{choose.randint(1, 60)}.5%"
        return f"County {county} {limit} {share} {choose.randint(2, 30)} days"

    if template == "columns":
        return [(x, 300, 1000, paragraphs(6, 2)) for x in (220, 1330)]
    if template == "table":
        return [(250, 300, 2050, paragraphs(1, 1)), (250, 600, 2050, [row(county) for county in range(101, 122)])]
    if template == "list":
        return [(300, 300, 1950, [f"({at}) {one}" for at, one in enumerate(paragraphs(14, 1), 1)])]
    case = f"Re: Case No. {choose.randint(10**6, 10**7)}"
    head = "DEPARTMENT OF HOUSING AND URBAN DEVELOPMENT" if template == "notice" else case
    return [(260, 260, 2030, [head, *paragraphs(7, 3)])]


def draw(template: str, choose: random.Random) -> tuple[Any, str]:
    """The page's image and its words."""
    from PIL import Image, ImageDraw, ImageFont

    name, size = choose.choice(FONTS[template]), choose.choice((42, 46, 50))
    font = ImageFont.truetype(f"/usr/share/fonts/truetype/{name}.ttf", size)
    image = Image.new("L", (2550, 3300), 255)
    pen, words = ImageDraw.Draw(image), []
    for x, y, width, paragraphs in plan(template, choose):
        for paragraph in paragraphs:
            words.append(paragraph)
            line = ""
            for word in paragraph.split():
                if pen.textlength(f"{line} {word}", font=font) > width:
                    pen.text((x, y), line, font=font, fill=20)
                    line, y = "", y + round(1.35 * size)
                line = f"{line} {word}".strip()
            pen.text((x, y), line, font=font, fill=20)
            y += round((1.5 if template == "table" else 2.1) * size)
    return image, " ".join(words)


def spoil(image: Any, how: str, choose: random.Random) -> Any:
    """The image as it comes from a scanner, a copier or a fax."""
    from PIL import Image, ImageFilter

    if how in COARSE:
        share = COARSE[how] / 300
        image = image.resize((round(2550 * share), round(3300 * share)), Image.Resampling.BILINEAR)
    if how in {"skew", "copied"}:
        image = image.rotate(choose.uniform(-1.5, 1.5), Image.Resampling.BICUBIC, fillcolor=255)
    if how in {"noise", "copied", "fax"}:
        image = Image.blend(image, Image.effect_noise(image.size, 90), 0.25)
    if how == "faded":
        image = image.point([150 + round(value * 100 / 255) for value in range(256)])
    if how == "copied":
        image = image.filter(ImageFilter.GaussianBlur(1.6))
    if how == "fax":
        image = image.point([0 if value < 150 else 255 for value in range(256)])
    if how == "jpeg":
        packed = io.BytesIO()
        image.save(packed, "JPEG", quality=15)
        image = Image.open(packed)
    return image


def make(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for template in FONTS:
        choose = random.Random(f"{template} 27")  # noqa: S311 - for looks
        for number in range(EACH):
            spoilt = SPOILT[number % len(SPOILT)]
            image, words = draw(template, choose)
            image = spoil(image, spoilt, choose)
            path = folder / f"{template}-{number}.pdf"
            image.save(path, "PDF", resolution=image.width / 8.5)
            path.with_suffix(".pdf.json").write_text(json.dumps({"spoilt": spoilt, "words": words}), encoding="utf-8")


def count(folder: Path, templates: tuple[str, ...], *, by_spoilt: bool) -> None:
    from rapidfuzz.distance import LCSseq

    from rori_spiders.content.documents import read
    from rori_spiders.exceptions import UnreadableDocument

    totals: dict[str, Counter[str]] = {}
    for path in sorted(folder.glob("*.pdf")):
        if path.stem.rpartition("-")[0] not in templates:
            continue
        truth = json.loads(path.with_suffix(".pdf.json").read_text(encoding="utf-8"))
        of = totals.setdefault(truth["spoilt"] if by_spoilt else "all", Counter())
        of["pages"] += 1
        try:
            document = read("pdf", path.read_bytes(), url=path.as_uri())
        except UnreadableDocument:
            continue
        of["read"] += 1
        of["confidence"] += round(100 * float(document.metadata["ocr_pages"].partition("=")[2]))
        text = re.sub(r"<!--.*?-->|^\[OCR\] |\\", "", document.markdown, flags=re.MULTILINE)
        for kind, pattern in KINDS.items():
            known, found = re.findall(pattern, truth["words"]), re.findall(pattern, text)
            of.update({f"{kind} known": len(known), f"{kind} given": len(found)})
            of[f"{kind} right"] += LCSseq.similarity(known, found)
    for name, of in sorted(totals.items()):
        print(
            f"{name}: {of['read']} of {of['pages']} pages read, confidence {of['confidence'] / max(1, of['read']):.0f}"
        )
        for kind in KINDS:
            right, known, given = (of[f"{kind} {which}"] for which in ("right", "known", "given"))
            print(
                f"  {kind}: {right / max(1, known):.4f} of {known} read, {right / max(1, given):.4f} of {given} right"
            )


if __name__ == "__main__":
    if __package__:
        assert os.environ.get("RORI_OCR"), "set RORI_OCR"
        is_sealed = "--sealed" in sys.argv
        count(Path(sys.argv[1]), SEALED if is_sealed else DEVELOPMENT, by_spoilt=not is_sealed)
    else:
        make(Path(sys.argv[1]))
