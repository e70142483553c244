"""PDFs with scanned pages that are known: `python benchmarks/unseen/scan_templates.py FOLDER`, with the Python that
`document_templates.py` needs, and pymupdf. `python -m benchmarks.unseen.scan_templates FOLDER [--sealed]` counts.

Each file has eight pages, scans and pages that only look like some: NAME.pdf.json has the numbers of scans. Producers
are split: reportlab and Pillow for development; fpdf2, weasyprint and pymupdf sealed, printed as totals only.
"""

from __future__ import annotations

import io
import json
import random
import sys
from pathlib import Path
from typing import Any

DEVELOPMENT, SEALED = ("reportlab", "pillow"), ("fpdf2", "weasyprint", "pymupdf")
EACH = 10
WIDTH, HEIGHT = 612, 792
TEXT = "The servicer shall answer each notice of error within thirty days of its receipt and shall not charge a fee. "
SCANS = ("bare", "court", "bates", "side", "small", "strips")
OTHERS = ("text", "background", "logo", "photo", "blank", "slide")


def picture(kind: str, seed: int) -> bytes:
    """A page of print, as a scanner sees it; or a photograph's colours."""
    from PIL import Image, ImageDraw

    shade = random.Random(seed)  # noqa: S311 - for looks
    image = Image.new("RGB", (425, 550), "white" if kind in SCANS else (200, 210, 230))
    draw = ImageDraw.Draw(image)
    for row in range(36):
        draw.text((30, 30 + 14 * row), "".join(shade.choice("abcdefghij ") for _ in range(60)), fill=(40, 40, 40))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def plan(kind: str, seed: int) -> tuple[list[tuple[float, float, float, float]], list[tuple[float, float, float, str]]]:
    """Pictures (x, y from the top, width, height) and texts (x, y, size, words) of a page."""
    whole, words = [(0.0, 0.0, float(WIDTH), float(HEIGHT))], f"{TEXT * 2}"
    rows = [(72.0, 90.0 + 14 * row, 10.0, TEXT[: 80 + row % 9]) for row in range(30)]
    return {
        "bare": (whole, []),
        "court": (whole, [(90.0, 20.0, 9.0, f"Case 2:{seed:02}-cv-01234 Document {seed} Filed 0{seed % 9 + 1}/12/24")]),
        "bates": (whole, [(480.0, 775.0, 8.0, f"AGENCY-{seed:07}")]),
        "side": (whole, [(10.0, 30.0, 7.0, "RECEIVED"), (540.0, 30.0, 7.0, f"{seed}/30/24")]),
        "small": ([(60.0, 90.0, 490.0, 600.0)], [(250.0, 770.0, 9.0, f"Exhibit {seed}")]),
        "strips": ([(0.0, 66.0 * strip, float(WIDTH), 66.0) for strip in range(12)], []),
        "text": ([], rows),
        "background": (whole, rows),
        "logo": ([(72.0, 20.0, 120.0, 50.0)], rows[:8]),
        "photo": ([(72.0, 400.0, 300.0, 250.0)], rows[:12]),
        "blank": ([], []),
        "slide": (
            whole,
            [(80.0, 200.0, 24.0, "Ability to repay"), *((100.0, 300.0 + 40 * at, 14.0, words[:70]) for at in range(4))],
        ),
    }[kind]  # fmt: skip


Pages = list[tuple[str, int]]


def by_reportlab(path: Path, pages: Pages) -> None:
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(path), pagesize=(WIDTH, HEIGHT))
    for kind, seed in pages:
        pictures, texts = plan(kind, seed)
        for x, y, width, height in pictures:
            canvas.drawImage(ImageReader(io.BytesIO(picture(kind, seed))), x, HEIGHT - y - height, width, height)
        for x, y, size, words in texts:
            canvas.setFont("Helvetica", size)
            canvas.drawString(x, HEIGHT - y, words)
        canvas.showPage()
    canvas.save()


def by_pillow(path: Path, pages: Pages) -> None:
    """Scans alone: what programs of scanners write."""
    from PIL import Image

    images = [Image.open(io.BytesIO(picture("bare", seed))) for _, seed in pages]
    images[0].save(path, "PDF", save_all=True, append_images=images[1:])


def by_fpdf2(path: Path, pages: Pages) -> None:
    from fpdf import FPDF

    made = FPDF(unit="pt", format=(WIDTH, HEIGHT))
    made.set_auto_page_break(auto=False)
    for kind, seed in pages:
        made.add_page()
        pictures, texts = plan(kind, seed)
        for x, y, width, height in pictures:
            made.image(io.BytesIO(picture(kind, seed)), x, y, width, height)
        for x, y, size, words in texts:
            made.set_font("Helvetica", "", size)
            made.text(x, y, words)
    made.output(str(path))


def by_weasyprint(path: Path, pages: Pages) -> None:
    import base64

    import weasyprint

    sheets = []
    for kind, seed in pages:
        pictures, texts = plan(kind, seed)
        source = base64.b64encode(picture(kind, seed)).decode()
        parts = [
            f"<img src='data:image/png;base64,{source}' style='left:{x}pt;top:{y}pt;width:{width}pt;height:{height}pt'>"
            for x, y, width, height in pictures
        ]
        parts += [
            f"<div style='left:{x}pt;top:{y - size}pt;font-size:{size}pt'>{words}</div>" for x, y, size, words in texts
        ]
        sheets.append(f"<section>{''.join(parts)}</section>")
    css = (
        f"@page{{size:{WIDTH}pt {HEIGHT}pt;margin:0}}section{{position:relative;height:{HEIGHT}pt;break-after:page;"
        "overflow:hidden}img,div{position:absolute;white-space:nowrap;line-height:1}"
    )
    weasyprint.HTML(string=f"<style>{css}</style>{''.join(sheets)}").write_pdf(str(path))


def by_pymupdf(path: Path, pages: Pages) -> None:
    import pymupdf

    made = pymupdf.open()
    for kind, seed in pages:
        page = made.new_page(width=WIDTH, height=HEIGHT)
        pictures, texts = plan(kind, seed)
        for x, y, width, height in pictures:
            page.insert_image((x, y, x + width, y + height), stream=picture(kind, seed), keep_proportion=False)
        for x, y, size, words in texts:
            page.insert_text((x, y), words, fontsize=size)
    made.save(str(path))


def make(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    choose = random.Random(27)  # noqa: S311 - for looks
    for name in DEVELOPMENT + SEALED:
        for number in range(EACH):
            kinds = SCANS[:1] if name == "pillow" else SCANS if number % 5 == 0 else SCANS + OTHERS
            pages = [(choose.choice(kinds), 10 * number + at) for at in range(8)]
            path = folder / f"{name}-{number}.pdf"
            globals()[f"by_{name}"](path, pages)
            scans = [at for at, (kind, _) in enumerate(pages, 1) if kind in SCANS]
            path.with_suffix(".pdf.json").write_text(
                json.dumps({"scans": scans, "pages": len(pages)}), encoding="utf-8"
            )
    print(f"{len(DEVELOPMENT + SEALED) * EACH} files in {folder}")


def count(folder: Path, producers: tuple[str, ...]) -> None:
    from rori_spiders.content.documents import read
    from rori_spiders.exceptions import UnreadableDocument

    totals: dict[str, Any] = dict.fromkeys(
        ("scans", "named", "other pages", "false alarms", "only scans", "refused"), 0
    )
    for path in sorted(folder.glob("*.pdf")):
        if path.stem.rpartition("-")[0] not in producers:
            continue
        truth = json.loads(path.with_suffix(".pdf.json").read_text(encoding="utf-8"))
        scans, every = set(truth["scans"]), range(1, truth["pages"] + 1)
        only = len(scans) == len(every)
        try:
            named = read("pdf", path.read_bytes(), url=path.as_uri()).metadata.get("unread_pages", "")
            found = {int(number) for number in named.split(", ") if number}
        except UnreadableDocument:
            found = set(every)
            totals["refused"] += only
        totals["scans"] += len(scans)
        totals["named"] += len(scans & found)
        totals["other pages"] += len(every) - len(scans)
        totals["false alarms"] += len(found - scans)
        totals["only scans"] += only
    print("  ".join(f"{name} {value}" for name, value in totals.items()))


if __name__ == "__main__":
    if __package__:
        count(Path(sys.argv[1]), SEALED if "--sealed" in sys.argv else DEVELOPMENT)
    else:
        make(Path(sys.argv[1]))
