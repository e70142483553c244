"""Make PDF, Word and Excel files whose text is known: `python benchmarks/unseen/document_templates.py FOLDER`.

Needs a Python of its own with reportlab, fpdf2, weasyprint, typst, pillow, python-docx, openpyxl and xlsxwriter, and
chromium on its path. Each file has a template of its producer (a layout) and a text by number. Beside NAME.pdf
stands NAME.json: the words that the text holds, in reading order, each of eight letters and nowhere else,
by what they are: `body`, `cell` (rows of them), `spanned` (in a merged cell), `head` (short, may repeat), `heading`,
`note`, `running`. The producers are split: those of SEALED are scored without being looked at.
"""

from __future__ import annotations

import html
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

DEVELOPMENT = ("reportlab", "weasyprint", "python-docx", "openpyxl")
SEALED = ("typst", "fpdf2", "chromium", "xlsxwriter")
EACH = 6
_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]


def _word(number: int) -> str:
    """A word of eight letters that no other number has."""
    left = number * 7_368_787 % 70**4
    return "".join(_SYLLABLES[left // 70**place % 70] for place in range(4))


class Text:
    """Sentences with marks, and the record of them."""

    def __init__(self, seed: int) -> None:
        self.count = seed * 10_000
        self.marks: list[tuple[str, str]] = []  # kind, mark; in reading order
        self.rows: list[list[str]] = []
        self.levels: list[tuple[int, str]] = []

    def mark(self, kind: str) -> str:
        self.count += 1
        made = _word(self.count)
        if kind != "running":
            self.marks.append((kind, made))
        return made

    def sentence(self, kind: str = "body", count: int = 14) -> str:
        return " ".join(self.mark(kind) for _ in range(count)).capitalize() + "."

    def paragraph(self, sentences: int = 4) -> str:
        return " ".join(self.sentence() for _ in range(sentences))

    def heading(self, level: int) -> str:
        made = self.mark("heading")
        self.levels.append((level, made))
        return f"{made.title()} of {self.mark('heading')} and {self.mark('heading')}"

    def cell(self) -> str:
        return f"{self.mark('cell')} {self.count % 9000 + 1000}"

    def table(self, columns: int, rows: int) -> list[list[tuple[str, int, int]]]:
        """Rows of (text, columns, rows): a head over two columns, a passage across all, a label down two rows."""
        half = columns - 2
        lines = [
            [
                (f"Item {self.mark('head')}", 1, 1),
                (f"Limits {self.mark('head')}", half, 1),
                (f"Year {self.mark('head')}", 1, 1),
            ]
        ]
        label = rows // 2
        for row in range(rows):
            before = len(self.marks)
            if row == label - 1:
                lines.append([(self.sentence("spanned", 24), columns, 1)])
                continue
            if row == label:
                lines.append([(f"Both {self.mark('head')}", 1, 2), *((self.cell(), 1, 1) for _ in range(columns - 1))])
            elif row == label + 1:
                lines.append([(self.cell(), 1, 1) for _ in range(columns - 1)])
            elif row == rows - 1:
                lines.append([(self.cell(), 1, 1), (self.sentence("spanned", 12), half, 1), (self.cell(), 1, 1)])
            else:
                lines.append([(self.cell(), 1, 1) for _ in range(columns)])
            cells = [mark for kind, mark in self.marks[before:] if kind == "cell"]
            self.rows.append(cells)
        return lines

    def spans(self, columns: int, rows: int) -> list[list[tuple[str, int, int]]]:
        """Rows of (text, columns, rows) below a head, a third of the cells over several places, some of them empty."""
        lines = [[(f"Part {self.mark('head')}", 1, 1) for _ in range(columns)]]
        free = {(row, column) for row in range(rows) for column in range(columns)}
        for row in range(rows):
            line, alone = [], []
            for column in range(columns):
                if (row, column) not in free:
                    continue
                draw = (self.count * 2_654_435_761 >> 7) % 9
                across, down = {0: (2, 1), 1: (1, 2), 2: (2, 2), 3: (columns, 1)}.get(draw, (1, 1))
                taken = {(row + r, column + c) for r in range(down) for c in range(across)}
                if not taken <= free:
                    across, down, taken = 1, 1, {(row, column)}
                free -= taken
                self.count += 1
                if draw == 8:
                    line.append(("", 1, 1))
                elif across * down == 1:
                    line.append((self.cell(), 1, 1))
                    alone.append(self.marks[-1][1])
                else:
                    line.append((f"not {self.count % 9000 + 1000} {self.sentence('spanned', 4)}", across, down))
            self.rows.append(alone)
            lines.append(line)
        return lines

    def save(self, path: Path, **more: Any) -> None:
        truth = {"marks": self.marks, "rows": self.rows, "headings": self.levels, **more}
        path.with_suffix(path.suffix + ".json").write_text(json.dumps(truth), encoding="utf-8")


def parts(text: Text, template: str) -> list[tuple[str, Any]]:
    """What a document of a template holds: (kind, content) in reading order."""
    found: list[tuple[str, Any]] = [("h1", text.heading(1))]
    if template in BOLD + SHORT:
        return found + _sections(text, template)
    if template in SPANS:
        for size in ((5, 9), (3, 14), (7, 6)):
            found += [("h2", text.heading(2)), ("p", text.paragraph(2)), ("table", text.spans(*size))]
        return [*found, ("p", text.paragraph(3))]
    if template == "form":
        for _ in range(2):
            found += [("h2", text.heading(2)), ("p", text.paragraph(2)), ("table", text.table(4, 6))]
        return [*found, ("p", text.paragraph(3))]
    for section in range(4):
        found += [("h2", text.heading(2)), ("p", text.paragraph(5))]
        if section == 1:
            found += [("table", text.table(4, 5))]
        if section == 2:
            found += [("h3", text.heading(3))]
        found += [("p", text.paragraph(4)), ("li", text.sentence()), ("li", text.sentence()), ("p", text.paragraph(6))]
    return found


def _sections(text: Text, template: str) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    if template in SHORT:
        for _ in range(4):
            found += [("h2", text.heading(2)), ("p", text.paragraph(5)), ("p", text.paragraph(6))]
        return found
    for above, below in ((1, 0), (2, 0), (2, 1), (2, 2), (3, 0), (3, 1), (4, 0)):
        heading = text.heading(3 if below else 2)
        if template == "circular":
            heading = f"{above}.{below} {heading}" if below else f"{above}. {heading}"
        elif template == "directive":
            heading = f"{'AB'[below - 1]}. {heading}" if below else f"{('I', 'II', 'III', 'IV')[above - 1]}. {heading}"
        elif template == "order":
            heading = heading if below else heading.upper()
        found += [("bold", heading), ("p", text.paragraph(5)), ("p", text.paragraph(6))]
    return found


TEMPLATES = ("report", "notice", "form")  # one column with running lines and notes, two columns, merged cells
#: Tables with spans at random places, by their rules: all, none, across alone, none but tinted rows; PDF alone.
SPANS = ("ruled", "open", "lined", "tinted")
#: Two pages with running lines; PDF alone.
SHORT = ("letter",)
#: Headings that are bold alone: numbered in one style or in two, in capitals, without a sign of their level; PDF alone.
BOLD = ("circular", "directive", "order", "flat")


def running(text: Text) -> str:
    return f"Agency manual {text.mark('running')}"


def with_notes(text: Text, found: list[tuple[str, Any]], template: str) -> list[tuple[str, Any]]:
    """Notes at two paragraphs of a report; their marks are last, for each producer puts them where its page ends."""
    if template != "report":
        return found
    notes = 0
    made = []
    for kind, content in found:
        if kind == "p" and notes < 2:
            notes += 1
            made.append(("noted", (content, text.sentence("note", 10))))
        else:
            made.append((kind, content))
    return made


# --- producers -----------------------------------------------------------------------------------------------------


def _reportlab_looks(template: str, rows: int) -> list[tuple[Any, ...]]:
    from reportlab.lib import colors

    looks: list[tuple[Any, ...]] = [("VALIGN", (0, 0), (-1, -1), "TOP")]
    if template == "lined":
        return looks + [("LINEBELOW", (0, row), (-1, row), 0.5, colors.black) for row in range(rows)]
    if template == "tinted":
        return looks + [("BACKGROUND", (0, row), (-1, row), colors.lightgrey) for row in range(0, rows, 2)]
    return looks if template == "open" else [*looks, ("GRID", (0, 0), (-1, -1), 0.5, colors.black)]


def by_reportlab(path: Path, text: Text, template: str) -> None:
    from reportlab.lib.pagesizes import LETTER
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph, Spacer, Table, TableStyle

    head = running(text)
    found = [(kind, content) for kind, content in parts(text, template)]
    styles = getSampleStyleSheet()
    body, small = styles["BodyText"], styles["BodyText"].clone("small", fontSize=7, leading=9)
    body.alignment = 4 if template == "notice" else 0
    story: list[Any] = []
    for kind, content in found:
        if kind in ("h1", "h2", "h3"):
            story.append(Paragraph(content, styles[f"Heading{kind[1]}"]))
        elif kind in ("li", "bold", "p"):
            shown = {"li": "• {}", "bold": "<b>{}</b>", "p": "{}"}[kind]
            story.append(Paragraph(shown.format(content), body))
        else:
            columns = sum(across for _, across, _ in content[0])
            grid: list[list[Any]] = []
            looks = _reportlab_looks(template, len(content))
            taken: set[tuple[int, int]] = set()
            for row, cells in enumerate(content):
                line: list[Any] = [""] * columns
                column = 0
                for words, across, down in cells:
                    while (row, column) in taken:
                        column += 1
                    shown = f"<b>{words}</b>" if row == 0 else words
                    line[column] = Paragraph(shown, small)
                    if across > 1 or down > 1:
                        looks.append(("SPAN", (column, row), (column + across - 1, row + down - 1)))
                    taken |= {(row + r, column + c) for r in range(down) for c in range(across)}
                    column += across
                grid.append(line)
            width = (225 if template == "notice" else 460) / columns
            story += [Table(grid, colWidths=[width] * columns, style=TableStyle(looks)), Spacer(1, 10)]

    def page(canvas: Any, document: Any) -> None:
        canvas.setFont("Helvetica", 8)
        canvas.drawString(72, 760, head)
        canvas.drawCentredString(306, 30, f"Page {document.page}")

    frames = [Frame(60, 60, 240, 680), Frame(312, 60, 240, 680)] if template == "notice" else [Frame(72, 60, 468, 680)]
    made = BaseDocTemplate(str(path), pagesize=LETTER)
    made.addPageTemplates([PageTemplate(frames=frames, onPage=page)])
    made.build(story)
    text.save(path, running=head.split()[-1])


def _html_table(content: list[list[tuple[str, int, int]]]) -> str:
    rows = []
    for row, cells in enumerate(content):
        tag = "th" if row == 0 else "td"
        rows.append(
            "<tr>"
            + "".join(f"<{tag} colspan={a} rowspan={d}>{html.escape(words)}</{tag}>" for words, a, d in cells)
            + "</tr>"
        )
    return f"<table>{''.join(rows)}</table>"


_CSS_OF_SPANS = {
    "open": "th,td{border:0!important}",
    "lined": "th,td{border:0!important;border-bottom:1px solid!important}",
    "tinted": "th,td{border:0!important;background:0}tr:nth-child(odd) *{background:#ddd!important}",
}


def _html(text: Text, template: str, css: str, *, notes: str) -> tuple[str, str]:
    head = running(text)
    css += _CSS_OF_SPANS.get(template, "")
    blocks = []
    for kind, content in with_notes(text, parts(text, template), template if notes else ""):
        if kind == "table":
            blocks.append(_html_table(content))
        elif kind == "noted":
            blocks.append(f"<p>{content[0]}<span class=note>{content[1]}</span></p>")
        elif kind == "li":
            blocks.append(f"<ul><li>{content}</li></ul>")
        elif kind == "bold":
            blocks.append(f"<p><b>{content}</b></p>")
        else:
            blocks.append(f"<{kind}>{content}</{kind}>")
    return head, f"<html><head><meta charset=utf-8><style>{css}</style></head><body>{''.join(blocks)}</body></html>"


def by_weasyprint(path: Path, text: Text, template: str) -> None:
    import weasyprint

    columns = "body{columns:2;column-gap:24px;text-align:justify}table{column-span:all}h1{column-span:all}"
    css = (
        "@page{size:letter;margin:2.2cm;@top-center{content:'HEAD';font-size:8pt}"
        "@bottom-right{content:counter(page);font-size:8pt}}body{font:10pt/1.25 serif}"
        "table{border-collapse:collapse;width:100%}th,td{border:1px solid;padding:2px 4px}"
        ".note{float:footnote;font-size:8pt}" + (columns if template == "notice" else "")
    )
    head, page = _html(text, template, css, notes="footnote")
    weasyprint.HTML(string=page.replace("HEAD", head)).write_pdf(str(path))
    text.save(path, running=head.split()[-1])


def print_by_chromium(path: Path, page: str) -> None:
    """The PDF that Chromium makes of *page*."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "page.html"
        source.write_text(page, encoding="utf-8")
        options = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={folder}/p",
            "--no-pdf-header-footer",
        ]
        command = [shutil.which("chromium") or "chromium", *options, f"--print-to-pdf={path}", source.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)


def by_chromium(path: Path, text: Text, template: str) -> None:
    css = (
        "@page{size:A4;margin:18mm}body{font:11px/1.4 Arial,sans-serif}h1{font-size:22px}h2{font-size:16px}"
        "h3{font-size:13px}table{border-collapse:collapse;width:100%;margin:8px 0}th{background:#dde}"
        "th,td{border:1px solid #777;padding:3px}"
        + (
            "body{column-count:2;column-gap:10mm}table{break-inside:avoid;font-size:9px}"
            if template == "notice"
            else ""
        )
    )
    _, page = _html(text, template, css, notes="")
    print_by_chromium(path, page)
    text.save(path)


def by_fpdf2(path: Path, text: Text, template: str) -> None:
    from fpdf import FPDF

    head = running(text)

    class Made(FPDF):
        def header(self) -> None:
            self.set_font("Times", "I", 8)
            self.cell(0, 8, head, new_x="LMARGIN", new_y="NEXT", align="R")
            self.ln(4)

        def footer(self) -> None:
            self.set_y(-14)
            self.set_font("Times", "", 8)
            self.cell(0, 8, f"{self.page_no()}", align="C")

    made = Made(format="letter")
    made.add_page()
    sizes = {"h1": 18, "h2": 14, "h3": 12}
    found = parts(text, template)
    if template == "notice":
        first = found.index(next(part for part in found if part[0] == "table"))
        for block, columns in ((found[:first], 2), ([found[first]], 1), (found[first + 1 :], 2)):
            if columns == 1:
                _fpdf_blocks(made, block, sizes)
                continue
            with made.text_columns(ncols=2, gutter=8, text_align="J") as pieces:
                for kind, content in block:
                    made.set_font("Times", "B" if kind in sizes else "", sizes.get(kind, 10))
                    pieces.write(f"- {content}" if kind == "li" else content)
                    pieces.ln(10)
    else:
        _fpdf_blocks(made, found, sizes, template)
    made.output(str(path))
    text.save(path, running=head.split()[-1])


def _fpdf_blocks(made: Any, found: list[tuple[str, Any]], sizes: dict[str, int], template: str = "") -> None:
    looks = {
        "open": {"borders_layout": "NONE"},
        "lined": {"borders_layout": "HORIZONTAL_LINES"},
        "tinted": {"borders_layout": "NONE", "cell_fill_color": 220, "cell_fill_mode": "ROWS"},
    }.get(template, {})
    for kind, content in found:
        made.set_font("Times", "B" if kind in {*sizes, "bold"} else "", sizes.get(kind, 10))
        if kind == "table":
            with made.table(first_row_as_headings=True, **looks) as table:
                for cells in content:
                    row = table.row()
                    for words, across, down in cells:
                        row.cell(words, colspan=across, rowspan=down)
        else:
            made.multi_cell(0, 5, f"- {content}" if kind == "li" else content, new_x="LMARGIN", new_y="NEXT")
        made.ln(3)


def by_typst(path: Path, text: Text, template: str) -> None:
    import typst

    head = running(text)
    columns, foot = 2 if template == "notice" else 1, "context align(center, text(8pt)[#counter(page).display()])"
    page = f'"us-letter", columns: {columns}, header: align(right, text(8pt)[{head}]), footer: {foot}'
    lines = [f"#set page(paper: {page})", "#set par(justify: true)", "#set text(10pt)"]
    for kind, content in with_notes(text, parts(text, template), template):
        if kind in ("h1", "h2", "h3"):
            lines.append("=" * int(kind[1]) + " " + content)
        elif kind == "li":
            lines.append(f"- {content}")
        elif kind == "noted":
            lines.append(f"{content[0]}#footnote[{content[1]}]")
        elif kind == "bold":
            lines.append(f"#strong({json.dumps(content)})")
        elif kind == "p":
            lines.append(content)
        else:
            columns = sum(across for _, across, _ in content[0])
            cells = [
                f"table.cell(colspan: {a}, rowspan: {d})[{'*' + words + '*' if row == 0 else words}]"
                for row, line in enumerate(content)
                for words, a, d in line
            ]
            look = {
                "open": "stroke: none, ",
                "lined": "stroke: (x: none, y: 0.5pt), ",
                "tinted": "stroke: none, fill: (_, y) => if calc.odd(y) { luma(220) }, ",
            }.get(template, "")
            lines.append(f"#table(columns: ({'1fr, ' * columns}), {look}{', '.join(cells)})")
        lines.append("")
    with tempfile.NamedTemporaryFile("w", suffix=".typ") as source:
        source.write("\n".join(lines))
        source.flush()
        typst.compile(source.name, output=str(path))
    text.save(path, running=head.split()[-1])


def by_python_docx(path: Path, text: Text, template: str) -> None:
    import docx

    made = docx.Document()
    made.sections[0].header.paragraphs[0].text = head = running(text)
    for kind, content in parts(text, template):
        if kind in ("h1", "h2", "h3"):
            made.add_heading(content, int(kind[1]))
        elif kind == "li":
            made.add_paragraph(content, style="List Bullet")
        elif kind == "p":
            made.add_paragraph(content)
        else:
            columns = sum(across for _, across, _ in content[0])
            table = made.add_table(len(content), columns)
            taken: set[tuple[int, int]] = set()
            for row, cells in enumerate(content):
                column = 0
                for words, across, down in cells:
                    while (row, column) in taken:
                        column += 1
                    cell = table.cell(row, column)
                    if across > 1 or down > 1:
                        cell = cell.merge(table.cell(row + down - 1, column + across - 1))
                    cell.text = words
                    taken |= {(row + r, column + c) for r in range(down) for c in range(across)}
                    column += across
    made.save(str(path))
    text.save(path, running=head.split()[-1])


def _in_sheet(text: Text, template: str) -> list[tuple[int, int, int, int, str]]:
    """Cells of a sheet: row, column, rows, columns, text."""
    found, row = [], 0
    for kind, content in parts(text, "form" if template == "form" else "report"):
        if kind != "table":
            found.append((row, 0, 1, 1, content))
            row += 2
            continue
        taken: set[tuple[int, int]] = set()
        for line, cells in enumerate(content):
            column = 0
            for words, across, down in cells:
                while (line, column) in taken:
                    column += 1
                found.append((row + line, column, down, across, words))
                taken |= {(line + r, column + c) for r in range(down) for c in range(across)}
                column += across
        row += len(content) + 1
    return found


def by_openpyxl(path: Path, text: Text, template: str) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    for row, column, down, across, words in _in_sheet(text, template):
        sheet.cell(row + 1, column + 1, words)
        if down > 1 or across > 1:
            sheet.merge_cells(
                start_row=row + 1, start_column=column + 1, end_row=row + down, end_column=column + across
            )
    book.save(path)
    text.levels.clear()
    text.save(path)


def by_xlsxwriter(path: Path, text: Text, template: str) -> None:
    import xlsxwriter

    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet("Limits")
    wrapped = book.add_format({"text_wrap": True})
    for row, column, down, across, words in _in_sheet(text, template):
        if down > 1 or across > 1:
            sheet.merge_range(row, column, row + down - 1, column + across - 1, words, wrapped)
        else:
            sheet.write(row, column, words)
    book.close()
    text.levels.clear()
    text.save(path)


SUFFIXES = {"python-docx": "docx", "openpyxl": "xlsx", "xlsxwriter": "xlsx"}
PRODUCERS = {name: globals()[f"by_{name.replace('-', '_')}"] for name in DEVELOPMENT + SEALED}


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for place, (name, produce) in enumerate(PRODUCERS.items()):
        for number in range(EACH):
            template = TEMPLATES[number % len(TEMPLATES)]
            path = folder / f"{name}-{template}-{number}.{SUFFIXES.get(name, 'pdf')}"
            produce(path, Text(1 + place * EACH + number), template)
        for number, template in enumerate(SPANS * 3 if name not in SUFFIXES else ()):
            produce(folder / f"{name}-{template}-{number}.pdf", Text(101 + place * 12 + number), template)
        for number in range(EACH if name not in SUFFIXES else 0):
            produce(folder / f"{name}-{SHORT[0]}-{number}.pdf", Text(301 + place * EACH + number), SHORT[0])
        for number, template in enumerate(BOLD * 3 if name not in SUFFIXES else ()):
            produce(folder / f"{name}-{template}-{number}.pdf", Text(401 + place * 12 + number), template)
    print(f"{len(PRODUCERS) * EACH} files in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
