"""PDF forms of boxes side by side: `python -m benchmarks.unseen.forms make FOLDER`, then `score FOLDER [--sealed]`.

`make` needs the Python of `document_templates.py`; `score` the project's. A form has rows of boxes, each a label and
its value, or boxes to tick. Looks: `stacked` (label above value, rows cut at other places), `open` (the same without
rules at the left and right), `beside` (label and value in boxes of their own), `fields` (stacked; where the producer
can, values are those of form fields without a name for people), `apart` (white between all boxes), `under` (label and
value on one line, a rule below the value alone). Values are drawn after all labels, as programs that fill in forms do.
Beside NAME.pdf stands NAME.pdf.json with what it says. Of sealed producers only totals are printed.

`joined`: values that follow their own label with nothing between; `ticks`: options to tick behind a mark with their
state; `once`: words that stand once (fields' names in the list of entries aside); `kept`: words; `order`: labels and
options in the order of the form.
"""

from __future__ import annotations

import argparse
import html
import json
import random
import re
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.unseen.document_templates import Text, print_by_chromium
from benchmarks.unseen.documents import print_totals

DEVELOPMENT = ("reportlab", "chromium")
SEALED = ("fpdf2", "weasyprint")
LOOKS = ("stacked", "open", "beside", "fields", "apart", "under")
EACH = 2
_WIDTH, _LEFT, _TOP = 500.0, 50.0, 40.0  # points, from the upper left corner
_MEASURES = ("joined", "ticks", "once", "kept", "order")


@dataclass
class Box:
    """A box of a form. Points from the upper left corner of the page."""

    x: float
    y: float
    width: float
    height: float
    label: str
    value: str = ""
    options: list[tuple[str, bool]] = field(default_factory=list)
    is_label: bool = False  # its value stands in the box to its right
    is_head: bool = False


def boxes(text: Text, look: str, chance: random.Random) -> list[list[Box]]:
    """The rows of a form of one page."""
    rows: list[list[Box]] = []
    y, number = _TOP, 0
    for row in range(14):
        if row in {0, 6}:
            rows.append([Box(_LEFT, y, _WIDTH, 18, f"Section {'AB'[row > 0]}. {text.mark('body')}", is_head=True)])
            y += 18
        height = chance.choice((28, 34, 42))
        count = 2 if look in {"beside", "under"} else chance.choice((2, 2, 3, 3, 4))
        cuts = [_WIDTH * place / count for place in range(1, count)]
        if look != "beside":
            cuts = [cut + chance.uniform(-45, 45) / (count - 1) for cut in cuts]
        edges = [0.0, *cuts, _WIDTH]
        line: list[Box] = []
        for start, end in pairwise(edges):
            number += 1
            width = end - start
            words = max(1, int(width // (130 if look in {"beside", "under"} else 75)))
            label = f"{number}. {' '.join(text.mark('body') for _ in range(chance.randint(1, words)))}".capitalize()
            made = Box(_LEFT + start, y, width, height, label)
            if look == "apart":
                made.width, made.height = width - 6, height - 5
            if look not in {"beside", "under"} and chance.random() < 0.3 and width > 120:
                chosen = chance.randint(0, 1)
                made.options = [(text.mark("body"), place == chosen) for place in range(2)]
            elif chance.random() < 0.9:
                made.value = " ".join(
                    text.mark("body")
                    for _ in range(chance.randint(1, max(1, int(width // (130 if look == "under" else 90)))))
                )
            if look == "beside":
                value = Box(made.x + width / 2, y, width / 2, height, "", made.value)
                made.width, made.value, made.is_label = width / 2, "", True
                line += [made, value]
            else:
                line.append(made)
        rows.append(line)
        y += height
    return rows


def _shapes(rows: list[list[Box]], look: str) -> tuple[list[tuple[float, ...]], list[tuple[Any, ...]]]:
    """Rules and boxes to tick: (x0, y0, x1, y1); and texts: (x, y of the baseline, size, bold, text, is a value)."""
    rules: list[tuple[float, ...]] = []
    texts: list[tuple[Any, ...]] = []
    for row in rows:
        for box in row:
            x0, y0, x1, y1 = box.x, box.y, box.x + box.width, box.y + box.height
            if look == "under":
                rules += [] if box.is_head else [(x0 + box.width / 2, y1, x1 - 6, y1)]
            else:
                rules += [(x0, y0, x1, y0), (x0, y1, x1, y1)]
                rules += [(x0, y0, x0, y1)] if look != "open" or x0 > _LEFT + 1 else []
                rules += [(x1, y0, x1, y1)] if look != "open" or x1 < _LEFT + _WIDTH - 1 else []
            if box.label:
                size = 10 if box.is_head or box.is_label else 7
                y = y1 - 3 if look == "under" else y0 + (12 if size == 10 else 9)
                texts.append((x0 + 3, y, size, box.is_head, box.label, False))
            if box.value:
                texts.append((x0 + (box.width / 2 if look == "under" else 8), y1 - 4, 10, False, box.value, True))
            for place, (option, is_on) in enumerate(box.options):
                x = x0 + 8 + place * (box.width - 10) / 2
                rules += [(x, y1 - 12, x + 8, y1 - 12), (x, y1 - 4, x + 8, y1 - 4)]
                rules += [(x, y1 - 12, x, y1 - 4), (x + 8, y1 - 12, x + 8, y1 - 4)]
                if is_on:
                    rules += [(x + 1, y1 - 11, x + 7, y1 - 5), (x + 1, y1 - 5, x + 7, y1 - 11)]
                texts.append((x + 11, y1 - 5, 8, False, option, False))
    return rules, [*(part for part in texts if not part[-1]), *(part for part in texts if part[-1])]


def by_reportlab(path: Path, rows: list[list[Box]], look: str) -> None:
    from reportlab.pdfgen.canvas import Canvas

    made = Canvas(str(path), pagesize=(612, 792))
    rules, texts = _shapes(rows, look)
    for x0, y0, x1, y1 in rules:
        made.setLineWidth(0.5)
        made.line(x0, 792 - y0, x1, 792 - y1)
    for x, y, size, bold, words, is_value in texts:
        if is_value and look == "fields":
            name = f"form1[0].Page1[0].f1_{int(x)}_{int(y)}[0]"
            made.acroForm.textfield(
                value=words, name=name, x=x, y=792 - y - 3, width=60 * len(words.split()), height=14, fontSize=10
            )
            continue
        made.setFont("Helvetica-Bold" if bold else "Helvetica", size)
        made.drawString(x, 792 - y, words)
    made.save()


def by_fpdf2(path: Path, rows: list[list[Box]], look: str) -> None:
    from fpdf import FPDF

    made = FPDF(unit="pt", format="letter")
    made.add_page()
    made.set_line_width(0.7)
    for row in rows:
        for box in row:
            if look not in {"open", "under"}:
                made.rect(box.x, box.y, box.width, box.height)
    rules, texts = _shapes(rows, look)
    for x0, y0, x1, y1 in rules:
        if look in {"open", "under"} or (abs(x0 - x1) < 9 and abs(y0 - y1) < 9):
            made.line(x0, y0, x1, y1)
    for x, y, size, bold, words, _ in texts:
        made.set_font("Times", "B" if bold else "", size + 1)
        made.text(x, y, words)
    made.output(str(path))


def _html(rows: list[list[Box]], look: str, *, with_fields: bool, ticks: str) -> str:
    parts = []
    later = []
    for row in rows:
        for box in row:
            sides = ["left"] * (box.x > _LEFT + 1 or look != "open")
            sides += ["right"] * (box.x + box.width < _LEFT + _WIDTH - 1 or look != "open")
            border = "".join(f"border-{side}:0.7pt solid #333;" for side in ("top", "bottom", *sides))
            border = border if look != "under" else ""
            place = f"position:absolute;left:{box.x}pt;top:{box.y}pt;width:{box.width}pt;height:{box.height}pt;"
            label_size = 10 if box.is_head or box.is_label else 7
            weight = "bold" if box.is_head else "normal"
            pad = f"padding:{box.height - 13 if look == 'under' and not box.is_head else 1}pt 3pt 0 3pt"
            width = f"width:{box.width / 2 if look == 'under' else box.width - 7}pt"
            label = f'<div style="font:{weight} {label_size}pt Arial;{pad};{width}">{html.escape(box.label)}</div>'
            parts.append(f'<div style="{place}{border}box-sizing:border-box">{label if box.label else ""}</div>')
            x = box.x + (box.width / 2 if look == "under" else 8)
            at = f"position:absolute;left:{x}pt;top:{box.y + box.height - 15}pt;font:10pt Arial;"
            if look == "under" and not box.is_head:
                at += f"width:{box.width / 2 - 6}pt;border-bottom:0.7pt solid #333;"
                later += [] if box.value else [f'<div style="{at}">&nbsp;</div>']
            if box.value and with_fields:
                later.append(
                    f'<input name="f{len(later)}" style="{at}width:{box.width - 12}pt;border:0" value="{box.value}">'
                )
            elif box.value:
                later.append(f'<div style="{at}">{box.value}</div>')
            for number, (option, is_on) in enumerate(box.options):
                x = box.x + 8 + number * (box.width - 10) / 2
                at = f"position:absolute;left:{x}pt;top:{box.y + box.height - 13}pt;"
                cross = ticks if is_on else ""
                square = "width:8pt;height:8pt;border:0.7pt solid black;box-sizing:border-box"
                parts.append(
                    f'<div style="{at}{square}">{cross}</div>'
                    f'<div style="{at}margin-left:11pt;font:8pt Arial">{option}</div>'
                )
    return (
        "<html><head><meta charset=utf-8><style>@page{size:letter;margin:0}body{margin:0}</style></head><body>"
        + "".join(parts + later)
        + "</body></html>"
    )


def by_chromium(path: Path, rows: list[list[Box]], look: str) -> None:
    cross = '<svg width=8 height=8 style="display:block"><path d="M1 1L7 7M7 1L1 7" stroke="black"/></svg>'
    print_by_chromium(path, _html(rows, look, with_fields=False, ticks=cross))


def by_weasyprint(path: Path, rows: list[list[Box]], look: str) -> None:
    import weasyprint

    cross = '<div style="font:bold 7pt/7pt Arial;text-align:center">X</div>'
    page = _html(rows, look, with_fields=look == "fields", ticks=cross)
    weasyprint.HTML(string=page).write_pdf(str(path), pdf_forms=True)


def make(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for place, name in enumerate((*DEVELOPMENT, *SEALED)):
        for number, look in enumerate(LOOKS * EACH):
            text = Text(701 + place * 20 + number)
            rows = boxes(text, look, random.Random(f"{name} {number}"))  # noqa: S311 (forms by chance)
            path = folder / f"{name}-{look}-{number}.pdf"
            globals()[f"by_{name}"](path, rows, look)
            truth = json.dumps([[asdict(box) for box in row] for row in rows])
            path.with_suffix(".pdf.json").write_text(truth, encoding="utf-8")
    print(f"{4 * EACH * len(LOOKS)} files in {folder}")


_WORD = re.compile(r"\b[a-z]{8}\b|[☐☑☒]")


def score(markdown: str, rows: list[list[dict[str, Any]]]) -> dict[str, tuple[int, int]]:
    """Right and all, of each measure."""
    body, _, entries = markdown.lower().partition("<!-- form fields -->")
    tokens, listed = _WORD.findall(body), _WORD.findall(entries)
    pairs: list[tuple[str, str]] = []
    options: list[tuple[str, bool]] = []
    words: list[str] = []
    flow: list[str] = []
    values: list[str] = []
    for row in rows:
        for at, box in enumerate(row):
            label, value = _WORD.findall(box["label"].lower()), _WORD.findall(box["value"])
            if box["value"] and not box["label"]:
                label, value = _WORD.findall(row[at - 1]["label"].lower()), value
            if value:
                pairs.append((" ".join(label), " ".join(value)))
            own = _WORD.findall(box["label"].lower())
            options += [(option, is_on) for option, is_on in box["options"]]
            flow += own + [option for option, _ in box["options"]]
            words += own + value + [option for option, _ in box["options"]]
            values += value
    shown = f" {' '.join(tokens)} | {' '.join(listed)} "
    joined = sum(f" {label} {value} " in shown for label, value in pairs)
    every = tokens + listed
    behind = {word: before for before, word in zip(["", *every], every, strict=False)}
    ticks = sum(behind.get(word, "") in (("☑", "☒") if is_on else ("☐",)) for word, is_on in options)
    in_list = set(listed) - set(values)
    once = sum(tokens.count(word) + listed.count(word) * (word not in in_list) == 1 for word in words)
    place = {word: at for at, word in enumerate(tokens)}
    steps = [(a in place and b in place and place[a] < place[b]) for a, b in pairwise(flow)]
    return {
        "joined": (joined, len(pairs)),
        "ticks": (ticks, len(options)),
        "once": (once, len(words)),
        "kept": (sum(word in every for word in words), len(words)),
        "order": (sum(steps), len(steps)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=("make", "score"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sealed", action="store_true", help="the other producers, totals only")
    args = parser.parse_args()
    if args.task == "make":
        make(args.folder)
        return
    from rori_spiders.content.documents import read

    scores = []
    for path in sorted(args.folder.glob("*.pdf")):
        producer, look, _ = path.stem.split("-")
        if producer not in (SEALED if args.sealed else DEVELOPMENT):
            continue
        markdown = read("pdf", path.read_bytes(), url=path.as_uri()).markdown
        truth = json.loads(path.with_suffix(".pdf.json").read_text(encoding="utf-8"))
        measured = score(markdown, truth)
        scores += [(group, measured) for group in (("all",) if args.sealed else ("all", f"{producer} {look}"))]
    print_totals(scores, _MEASURES)


if __name__ == "__main__":
    main()
