"""Tables without rules between their columns: `python -m benchmarks.unseen.open_tables make FOLDER`, then `score`.

`make` needs the Python of `document_templates.py`, and soffice on its path; `score FOLDER [--sealed] [--long]` the
project's: with `--long` of the tables over pages and with heads of two levels, without it of the others.
Half of the producers and half of the templates are for development. Of the others, both at once, totals are printed.
A template is a content (tables with a head, or what only looks like one) in a look: rules across, a rule below the
head, tinted rows, or nothing. Beside NAME.pdf stands NAME.pdf.json: the words of the text, and the tables' cells.

Some go on over pages, their head printed again or not, with feet of pages between, or rows that a page's end parts;
some have heads of two levels, of which each column's label is expected as "upper: lower". These are ruled, too.

Cells count when their text, their column, and the first cell of their row are right. `kept` are words that stand as
often as in the text, `twice` figures that stand more often, `glued` cells that hold two of the text's figures, `false`
rows where no table is, `whole` tables whose rows all stand in one.
"""

from __future__ import annotations

import html
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from benchmarks.unseen.document_templates import print_by_chromium

DEVELOPMENT = ("reportlab", "weasyprint", "writer")
SEALED = ("typst", "fpdf2", "chromium")
LOOKS = ("lined", "headed", "tinted", "open")
CONTENTS = ("limits", "fees", "counties"), ("schedule", "staff", "notes")  # development, sealed
LONG_LOOKS = ("ruled", "lined", "headed", "open")
LONG = ("rolls", "duties", "bands"), ("registers", "grants", "tiers")  # over pages; the last on one, of two levels
OTHERS = ("contents", "form", "prose"), ("addresses", "pages", "signatures", "columns")  # not one is a table
EACH = 2
_NAMES = re.findall(
    r"\w+",
    "Adams Alpine Boulder Carson Douglas Eagle Fremont Garfield Huron Iowa Jackson Kent Lake Mesa Nevada Otero Pitkin"
    " Queens Routt Summit Teller Union Vernon Weld Yuma",
)
_WORDS = re.findall(
    r"\w+",
    "the lender must give each borrower a written notice of fees within three days after it receives an application"
    " for credit secured by first lien on dwelling unless exempt under state law or rule and keep record for years",
)
_FEES = (
    "Origination charge of the lender",
    "Appraisal by an independent appraiser who is certified in the state where the dwelling stands",
    "Recording",
    "Title search and title insurance for the lender and for the owner",
    "Flood determination for the life of the loan",
    "Credit report",
    "Survey of the boundaries of the lot, where the title company asks for one before closing",
)

Block = tuple[str, Any]


class Truth:
    """Text by chance, and the record of it."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)  # noqa: S311 (texts by chance)
        self.text: list[str] = []
        self.tables: list[list[list[str]]] = []

    def said(self, text: str) -> str:
        self.text.append(text)
        return text

    def sentence(self, words: int = 16) -> str:
        return " ".join(self.random.choices(_WORDS, k=words)).capitalize() + "."

    def paragraph(self, sentences: int = 4) -> Block:
        return "p", self.said(" ".join(self.sentence() for _ in range(sentences)))

    def heading(self) -> Block:
        return "h", self.said(f"{self.random.choice(_NAMES)} {self.random.choice(('limits', 'charges', 'terms'))}")

    def table(self, head: list[str], rows: list[list[str]], aligns: str) -> Block:
        self.tables.append([head, *rows])
        for row in [head, *rows]:
            self.text += row
        return "table", (head, rows, aligns)

    def long(
        self, top: list[tuple[str, int]], head: list[str], rows: list[list[str]], aligns: str, number: int
    ) -> Block:
        """A table whose head stands again on each page, or not. *top*: labels over so many columns, "" for none."""
        above = [label for label, width in top for _ in range(width)] or [""] * len(head)
        labels = [f"{over}: {label}" if over else label for over, label in zip(above, head, strict=True)]
        self.tables.append([labels, *rows])
        for row in [[label for label, _ in top if label], head, *rows]:
            self.text += row
        return "long", (top, head, rows, aligns, number % 2 == 0)

    def layout(self, rows: list[list[str]], aligns: str) -> Block:
        """A table that only places text: without head, and with none of the look's rules."""
        for row in rows:
            self.text += row
        return "layout", ([], rows, aligns)

    def amount(self, most: int = 900_000, form: str = "${:,}") -> str:
        return form.format(self.random.randrange(most // 100, most))

    def rate(self) -> str:
        return f"{self.random.randrange(125, 1300) / 100:.2f}%"


def blocks(truth: Truth, content: str, number: int) -> list[Block]:
    """The document of a content. Of long tables, those with an even *number* have their head on each page."""
    if content in {*LONG[0], *LONG[1]}:
        return [truth.heading(), truth.paragraph(), *globals()[f"_{content}"](truth, number)]
    made = globals()[f"_{content}"](truth)
    return [truth.heading(), truth.paragraph(), *made] if content in {*CONTENTS[0], *CONTENTS[1], "form"} else made


def _limits(truth: Truth) -> list[Block]:
    made = []
    for rows in (5, 12):
        names = truth.random.sample(_NAMES, rows)
        lines = [[name, *(truth.amount() for _ in range(3))] for name in names]
        made += [truth.table(["County", "One unit", "Two units", "Four units"], lines, "lrrr"), truth.paragraph()]
    return made


def _fees(truth: Truth) -> list[Block]:
    lines = [[fee, truth.amount(3000, "${:,}.50"), truth.rate()] for fee in truth.random.sample(_FEES, 6)]
    few = [[fee, truth.amount(3000)] for fee in truth.random.sample(_FEES, 4)]
    return [
        truth.table(["Charge", "Most that may be charged", "Share"], lines, "lrr"),
        truth.paragraph(),
        truth.heading(),
        truth.table(["Charge", "Amount"], few, "lr"),
        truth.paragraph(2),
    ]


def _counties(truth: Truth) -> list[Block]:
    lines = [
        [name, truth.random.choice(("Metropolitan area", "Rural", "High-cost area")), truth.amount(), truth.rate()]
        for name in truth.random.sample(_NAMES, 20)
    ]
    return [truth.table(["County", "Kind of area", "Limit", "Rate"], lines, "llrr"), truth.paragraph()]


def _schedule(truth: Truth) -> list[Block]:
    lines = []
    for year in range(1, 15):
        none = truth.random.random() < 0.15
        lines.append([str(2010 + year), truth.amount(90_000, "{:,}"), truth.rate(), "—" if none else truth.amount(900)])
    few = [[name, *(f"{truth.random.randrange(-90, 90) / 10}" for _ in range(4))] for name in _NAMES[:5]]
    return [
        truth.table(["Year", "Balance", "Rate", "Payment"], lines, "lrrr"),
        truth.paragraph(3),
        truth.table(["State", "2021", "2022", "2023", "2024"], few, "lrrrr"),
        truth.paragraph(),
    ]


def _staff(truth: Truth) -> list[Block]:
    lines = [
        [f"Office of {name}", truth.sentence(truth.random.randrange(3, 22)), truth.amount(80, "{}"), truth.amount()]
        for name in truth.random.sample(_NAMES, 8)
    ]
    return [truth.table(["Office", "What it does", "Staff", "Budget"], lines, "llrr"), truth.paragraph()]


def _notes(truth: Truth) -> list[Block]:
    made = []
    for count in (3, 9):
        lines = [
            [f"{name} loans", f"{truth.random.randrange(10, 40)} years", truth.rate(), truth.amount(), truth.amount()]
            for name in truth.random.sample(_NAMES, count)
        ]
        head = ["Program", "Term", "Annual percentage rate", "Monthly payment", "Total of payments"]
        made += [truth.table(head, lines, "lrrrr"), truth.paragraph(1), truth.paragraph()]
    return made


def _rolls(truth: Truth, number: int) -> list[Block]:
    """Two pages of figures, with a foot on each."""
    lines = [[f"{one} {other}", *(truth.amount() for _ in range(3))] for one in _NAMES[:9] for other in _NAMES[9:18]]
    made = truth.long([], ["County", "One unit", "Two units", "Four units"], lines, "lrrr", number)
    return [
        ("foot", truth.said(f"Roll of {truth.random.choice(_NAMES)}, not for publication")),
        made,
        truth.paragraph(),
    ]


def _duties(truth: Truth, number: int) -> list[Block]:
    """Text in cells of several lines, some of which a page's end parts."""
    lines = []
    for name in truth.random.sample(_NAMES, 20):
        duty = " ".join(truth.sentence(truth.random.randrange(9, 30)) for _ in range(2))
        lines.append([f"Office of {name}", f"{duty} It may not exceed {truth.amount()}.", truth.amount(80, "{}")])
    return [truth.long([], ["Office", "What it does", "Staff"], lines, "llr", number), truth.paragraph()]


def _bands(truth: Truth, number: int) -> list[Block]:
    """Heads of two levels, on one page."""
    lines = [[name, *(truth.amount() for _ in range(4))] for name in truth.random.sample(_NAMES, 8)]
    top = [("", 1), ("Limits for 2025", 2), ("Limits for 2026", 2)]
    few = [[name, truth.amount(90, "{}"), truth.rate(), truth.rate()] for name in truth.random.sample(_NAMES, 5)]
    return [
        truth.long(top, ["County", "One unit", "Two units", "One unit", "Two units"], lines, "lrrrr", number),
        truth.paragraph(),
        truth.long([("", 2), ("Share of loans", 2)], ["State", "Banks", "Fixed", "Adjustable"], few, "lrrr", number),
        truth.paragraph(),
    ]


def _registers(truth: Truth, number: int) -> list[Block]:
    """Three pages of names and figures, of two levels, with a foot on each."""
    lines = [
        [f"{one} {other}", truth.random.choice(("Bank", "Credit union")), truth.rate(), truth.amount(), truth.rate()]
        for one in _NAMES[:10]
        for other in _NAMES[10:21]
    ]
    top = [("", 2), ("Fixed rate", 1), ("Adjustable rate", 2)]
    made = truth.long(top, ["Lender", "Kind", "Rate", "Amount", "Index"], lines, "llrrr", number)
    return [("foot", truth.said(f"Register of {truth.random.choice(_NAMES)}")), made, truth.paragraph()]


def _grants(truth: Truth, number: int) -> list[Block]:
    lines = []
    for name in truth.random.sample(_NAMES, 16):
        duty = " ".join(truth.sentence(truth.random.randrange(5, 40)) for _ in range(2))
        lines.append([f"{name} housing", truth.amount(), f"{duty} Not more than {truth.rate()} is paid."])
    return [truth.long([], ["Grant", "Amount", "Conditions"], lines, "lrl", number), truth.paragraph()]


def _tiers(truth: Truth, number: int) -> list[Block]:
    lines = [[f"Tier {at}", *(truth.rate() for _ in range(3)), truth.amount()] for at in range(1, 8)]
    top = [("", 1), ("Annual percentage rate", 3), ("Fee", 1)]
    return [truth.long(top, ["Tier", "Lowest", "Median", "Highest", "Most"], lines, "lrrrr", number), truth.paragraph()]


def _contents(truth: Truth) -> list[Block]:
    page = 1
    rows = []
    for number in range(1, 19):
        page += truth.random.randrange(1, 9)
        name = f"{number}. {truth.sentence(5)[:-1]} {'. ' * truth.random.randrange(9, 20)}".rstrip()
        rows.append([name, str(page)])
    return [truth.heading(), truth.layout(rows, "lr"), truth.paragraph()]


def _pages(truth: Truth) -> list[Block]:
    page = 1
    rows = [["Chapter", "Page"]]
    for number in range(1, 17):
        page += truth.random.randrange(0, 9)
        rows.append([f"{number} {truth.sentence(4)[:-1]}", str(page)])
    return [truth.heading(), truth.layout(rows, "lr"), truth.paragraph()]


def _form(truth: Truth) -> list[Block]:
    rows = [
        [f"{n}. {truth.sentence(4)[:-1]}?", truth.random.choice(("$ ________", "Yes No", "____ %"))] for n in range(9)
    ]
    parts = [["Name:", "Date of birth:"], ["Address:", "Telephone: 555-0100"], ["Loan number: 1234", "Amount: $5,000"]]
    return [truth.layout(rows, "lr"), truth.paragraph(1), truth.layout(parts, "ll")]


def _prose(truth: Truth) -> list[Block]:
    items = [[f"({mark})", truth.sentence(30)] for mark in "abcdefgh"]
    return [truth.heading(), truth.paragraph(6), truth.layout(items, "ll"), truth.paragraph(5)]


def _addresses(truth: Truth) -> list[Block]:
    rows = [["Consumer Finance Bureau", "December 3, 2025"], ["1700 G Street NW", "Docket 2025-0044"]]
    rows += [["Washington, DC 20552", "Page 1 of 3"], ["Attention: Rules", "Room 5120"], ["Suite 400", "20552-0003"]]
    return [truth.layout(rows, "lr"), truth.paragraph(), truth.layout(rows[:3], "ll"), truth.paragraph()]


def _signatures(truth: Truth) -> list[Block]:
    rows = [["____________", "____________"], ["Borrower", "Co-borrower"], ["Date: 2025", "Date: 2025"]]
    sums = [["Total due", "$1,200.00"], ["Paid", "$300.00"], ["Left", "$900.00"]]
    return [
        truth.paragraph(),
        truth.layout(rows, "ll"),
        truth.paragraph(2),
        truth.layout(sums, "lr"),
        truth.paragraph(),
    ]


def _columns(truth: Truth) -> list[Block]:
    left, right = (" ".join(truth.sentence() for _ in range(14)) for _ in range(2))
    return [truth.heading(), truth.layout([[left, right]], "ll"), truth.paragraph(2)]


# --- producers -----------------------------------------------------------------------------------------------------


def by_reportlab(path: Path, found: list[Block], look: str) -> None:
    from reportlab.lib import colors
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

    styles = getSampleStyleSheet()
    body = styles["BodyText"]
    right = body.clone("right", alignment=2)
    story: list[Any] = []
    foot = _foot(found)
    for kind, content in found:
        if kind == "foot":
            continue
        if kind == "long":
            story += [_long_by_reportlab(content, look), Spacer(1, 10)]
            continue
        if kind in "hp":
            story.append(Paragraph(content, styles["Heading2"] if kind == "h" else body))
            continue
        head, rows, aligns = content
        lines = (
            [[Paragraph(f"<b>{t}</b>", right if a == "r" else body) for t, a in zip(head, aligns, strict=True)]]
            if head
            else []
        )
        lines += [[Paragraph(t, right if a == "r" else body) for t, a in zip(row, aligns, strict=True)] for row in rows]
        looks: list[Any] = [("VALIGN", (0, 0), (-1, -1), "TOP")]
        if kind == "table" and look == "lined":
            looks += [("LINEBELOW", (0, row), (-1, row), 0.5, colors.black) for row in range(len(lines))]
        if kind == "table" and look == "headed":
            looks += [("LINEBELOW", (0, row), (-1, row), 0.5, colors.black) for row in (0, len(lines) - 1)]
        if kind == "table" and look == "tinted":
            looks += [("BACKGROUND", (0, row), (-1, row), colors.lightgrey) for row in range(0, len(lines), 2)]
        narrow = 290 / (len(aligns) - 1) if len(aligns) > 2 else 160
        widths = [460 - narrow * (len(aligns) - 1), *[narrow] * (len(aligns) - 1)]
        story += [Table(lines, colWidths=widths, style=TableStyle(looks)), Spacer(1, 10)]

    def with_foot(canvas: Any, made: Any) -> None:
        canvas.setFont("Helvetica", 8)
        canvas.drawString(72, 40, f"{foot} - {made.page}" if foot else "")

    SimpleDocTemplate(str(path)).build(story, onFirstPage=with_foot, onLaterPages=with_foot)


def _long_by_reportlab(content: Any, look: str) -> Any:
    from reportlab.lib import colors
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import Paragraph, Table, TableStyle

    top, head, rows, aligns, again = content
    body = getSampleStyleSheet()["BodyText"]
    right = body.clone("right", alignment=2)
    sides = [right if a == "r" else body for a in aligns]
    cells = [[Paragraph(f"<b>{t}</b>", side) for t, side in zip(head, sides, strict=True)]]
    cells += [[Paragraph(t, side) for t, side in zip(row, sides, strict=True)] for row in rows]
    spans: list[Any] = [("VALIGN", (0, 0), (-1, -1), "TOP")]
    if top:
        middle = body.clone("middle", alignment=1)
        cells.insert(0, [Paragraph(f"<b>{t}</b>", middle) for t, n in top for t in [t, *[""] * (n - 1)]])
        for at, width in _starts(top):
            spans.append(("SPAN", (at, 0), (at + width - 1, 0)))
            if look != "open":
                spans.append(("LINEBELOW", (at, 0), (at + width - 1, 0), 0.5, colors.black))
    heads = 2 if top else 1
    if look == "ruled":
        spans.append(("GRID", (0, 0), (-1, -1), 0.5, colors.black))
    if look == "lined":
        spans += [("LINEBELOW", (0, row), (-1, row), 0.5, colors.black) for row in range(heads - 1, len(cells))]
    if look == "headed":
        spans.append(("LINEBELOW", (0, heads - 1), (-1, heads - 1), 0.5, colors.black))
    text = 460 / (len(aligns) + 1)
    widths = [text * (2 if at == _widest(rows) else 1) for at in range(len(aligns))]
    return Table(cells, colWidths=widths, style=TableStyle(spans), repeatRows=heads if again else 0)


def _foot(found: list[Block]) -> str:
    return next((content for kind, content in found if kind == "foot"), "")


def _starts(top: list[tuple[str, int]]) -> list[tuple[int, int]]:
    """Where the labels over columns stand, and how wide."""
    starts, at = [], 0
    for label, width in top:
        starts += [(at, width)] if label else []
        at += width
    return starts


def _widest(rows: list[list[str]]) -> int:
    return max(range(len(rows[0])), key=lambda at: sum(len(row[at]) for row in rows))


_CSS = {
    "ruled": "td{border:1px solid}th{border:1px solid}",
    "lined": "tr{border-bottom:1px solid}",
    "headed": "thead tr{border-bottom:1px solid}",
    "tinted": "tbody tr:nth-child(odd){background:#ddd}",
    "open": "",
}


def _page(found: list[Block], css: str, look: str) -> str:
    made = []
    for kind, content in found:
        if kind in "hp":
            made.append(f"<{'h2' if kind == 'h' else 'p'}>{html.escape(content)}</{'h2' if kind == 'h' else 'p'}>")
            continue
        if kind == "foot":
            continue
        if kind == "long":
            upper, head, rows, aligns, again = content
        else:
            upper, again = [], True
            head, rows, aligns = content

        def line(tag: str, row: list[str], aligns: str = aligns) -> str:
            cells = (f"<{tag} class={a}>{html.escape(text)}</{tag}>" for text, a in zip(row, aligns, strict=True))
            return f"<tr>{''.join(cells)}</tr>"

        over = "".join(f"<th class={'u' if t else 'e'} colspan={n}>{html.escape(t)}</th>" for t, n in upper)
        over = f"<tr class=over>{over}</tr>" if over else ""
        top = f"<thead{'' if again else ' class=once'}>{over}{line('th', head)}</thead>" if head else ""
        made.append(f"<table class={kind}>{top}<tbody>{''.join(line('td', row) for row in rows)}</tbody></table>")
    own = re.sub(r"(^|})(?=\w)", r"\1:is(.table,.long) ", _CSS[look])
    own += ".once{display:table-row-group}.u{text-align:center}.over{border:0!important}"
    own += "" if look == "open" else ".u{border-bottom:1px solid}"
    css = f"table{{border-collapse:collapse;width:100%}}.l{{text-align:left}}.r{{text-align:right}}{own}{css}"
    return f"<html><head><meta charset=utf-8><style>{css}</style></head><body>{''.join(made)}</body></html>"


def by_weasyprint(path: Path, found: list[Block], look: str) -> None:
    import weasyprint

    foot = _foot(found)
    shown = f"@bottom-center{{content:'{foot} ' counter(page);font:8pt serif}}" if foot else ""
    css = "body{font:10pt/1.3 serif}th,td{padding:2pt 6pt;vertical-align:top}"
    css += f"@page{{size:letter;margin:2.2cm;{shown}}}"
    weasyprint.HTML(string=_page(found, css, look)).write_pdf(str(path))


def by_chromium(path: Path, found: list[Block], look: str) -> None:
    css = "@page{size:A4;margin:18mm}body{font:12px/1.4 Arial,sans-serif}th,td{padding:4px 8px}"
    print_by_chromium(path, _page(found, css, look))


def _finish_in_writer(table: Any, top: list[tuple[str, int]], heads: int, look: str) -> None:
    """Put cells of labels together, and print so many rows again on each page."""
    from docx.oxml import parse_xml
    from docx.oxml.ns import nsdecls

    for at, width in _starts(top):
        table.cell(0, at).merge(table.cell(0, at + width - 1))
        for extra in table.cell(0, at).paragraphs[1:]:
            extra._p.getparent().remove(extra._p)
    if look == "ruled":
        table.style = "Table Grid"
    for row in table.rows[:heads]:
        row._tr.get_or_add_trPr().append(parse_xml(f"<w:tblHeader {nsdecls('w')}/>"))


def by_writer(path: Path, found: list[Block], look: str) -> None:
    """A Word file by python-docx, printed by LibreOffice Writer."""
    import docx
    from docx.oxml import parse_xml
    from docx.oxml.ns import nsdecls

    made = docx.Document()
    for kind, content in found:
        if kind == "foot":
            made.sections[0].footer.paragraphs[0].text = content
            continue
        if kind in "hp":
            made.add_heading(content, 2) if kind == "h" else made.add_paragraph(content)
            continue
        upper, again = [], False
        if kind == "long":
            upper, head, rows, aligns, again = content
        else:
            head, rows, aligns = content
        lines = [head, *rows] if head else rows
        heads = 2 if upper else int(bool(head))
        lines = [[label for t, n in upper for label in [t, *[""] * (n - 1)]], *lines] if upper else lines
        table = made.add_table(len(lines), len(aligns))
        for number, row in enumerate(lines):
            for cell, text, align in zip(table.rows[number].cells, row, aligns, strict=True):
                run = cell.paragraphs[0].add_run(text)
                run.bold = number < heads
                cell.paragraphs[0].alignment = 1 if number < heads - 1 else 2 if align == "r" else 0
                cell.paragraphs[0].paragraph_format.space_after = docx.shared.Pt(4)
                ruled = look == "lined" or (look == "headed" and number == heads - 1)
                ruled = ruled or (look != "open" and number < heads - 1 and bool(text))
                if kind in {"table", "long"} and ruled:
                    side = '<w:bottom w:val="single" w:sz="4" w:color="000000"/>'
                    edges = parse_xml(f"<w:tcBorders {nsdecls('w')}>{side}</w:tcBorders>")
                    cell._tc.get_or_add_tcPr().append(edges)
                if kind == "table" and look == "tinted" and number % 2:
                    fill = parse_xml(f'<w:shd {nsdecls("w")} w:val="clear" w:color="auto" w:fill="D9D9D9"/>')
                    cell._tc.get_or_add_tcPr().append(fill)
        if kind == "long":
            _finish_in_writer(table, upper, heads if again else 0, look)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / f"{path.stem}.docx"
        made.save(str(source))
        profile = f"-env:UserInstallation=file://{folder}/profile"
        command = ["soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", str(path.parent), str(source)]
        subprocess.run(command, check=True, capture_output=True, timeout=180)


def by_fpdf2(path: Path, found: list[Block], look: str) -> None:
    from fpdf import FPDF

    foot = _foot(found)

    class Made(FPDF):
        def footer(self) -> None:
            self.set_y(-15)
            self.set_font("Times", "", 8)
            self.cell(0, 5, _latin(f"{foot} {self.page_no()}") if foot else "", align="C")

    made = Made(format="letter")
    made.add_page()
    looks: dict[str, Any] = {
        "open": {"borders_layout": "NONE"},
        "headed": {"borders_layout": "SINGLE_TOP_LINE"},
        "lined": {"borders_layout": "HORIZONTAL_LINES"},
        "tinted": {"borders_layout": "NONE", "cell_fill_color": 220, "cell_fill_mode": "ROWS"},
        "ruled": {"borders_layout": "ALL"},
    }
    for kind, content in found:
        if kind == "foot":
            continue
        made.set_font("Times", "B" if kind == "h" else "", 13 if kind == "h" else 10)
        if kind in "hp":
            made.multi_cell(0, 5, _latin(content), new_x="LMARGIN", new_y="NEXT")
        else:
            upper: list[tuple[str, int]] = []
            style = looks["open" if kind == "layout" else look]
            if kind == "long":
                upper, head, rows, aligns, again = content
                style = style | {"num_heading_rows": 2 if upper else 1, "repeat_headings": int(again)}
                style["col_widths"] = tuple(2 if at == _widest(rows) else 1 for at in range(len(aligns)))
            else:
                head, rows, aligns = content
            place = tuple("LEFT" if a == "l" else "RIGHT" for a in aligns)
            with made.table(text_align=place, first_row_as_headings=bool(head), line_height=5, padding=1, **style) as t:
                line = t.row() if upper else None
                for text, width in upper:
                    line.cell(_latin(text), colspan=width, align="C")
                for row in [head, *rows] if head else rows:
                    line = t.row()
                    for text in row:
                        line.cell(_latin(text))
        made.ln(4)
    made.output(str(path))


def _latin(text: str) -> str:
    return text.replace("—", "-")


def by_typst(path: Path, found: list[Block], look: str) -> None:
    import typst

    def raw(text: str) -> str:
        return "#" + json.dumps(text, ensure_ascii=False)

    lines = ['#set page(paper: "us-letter")', "#set text(10pt)"]
    strokes = {
        "lined": "stroke: (x: none, y: 0.5pt), ",
        "headed": "stroke: (_, y) => if y == 0 { (bottom: 0.7pt) }, ",
        "tinted": "stroke: none, fill: (_, y) => if calc.odd(y) { luma(220) }, ",
        "open": "stroke: none, ",
        "ruled": "stroke: 0.5pt, ",
    }
    if foot := _foot(found):
        lines.append(f"#set page(footer: [#{json.dumps(foot)} #context counter(page).display()])")
    for kind, content in found:
        if kind == "foot":
            continue
        if kind in "hp":
            lines += [("== " if kind == "h" else "") + raw(content), ""]
            continue
        upper, again = [], True
        if kind == "long":
            upper, head, rows, aligns, again = content
        else:
            head, rows, aligns = content
        place = ", ".join("left" if a == "l" else "right" for a in aligns)
        under = "" if look in {"open", "ruled"} else "stroke: (bottom: 0.5pt), "
        top = [f"table.cell(colspan: {n}, align: center, {under if t else ''})[*{raw(t)}*]" for t, n in upper]
        top += [f"[*{raw(text)}*]" for text in head]
        top = [f"table.header(repeat: {str(again).lower()}, {', '.join(top)})"] if kind == "long" else top
        cells = top + [f"[{raw(text)}]" for row in rows for text in row]
        widths = ", ".join("1fr" if at == aligns.rindex("l") else "auto" for at in range(len(aligns)))
        look_of = strokes["open" if kind == "layout" else look]
        if upper and look == "headed":
            look_of = "stroke: (_, y) => if y == 1 { (bottom: 0.7pt) }, "
        if kind == "long":
            widths = ", ".join("2fr" if at == _widest(rows) else "1fr" for at in range(len(aligns)))
        lines += [f"#table(columns: ({widths}), align: ({place}), {look_of}{', '.join(cells)})", ""]
    with tempfile.NamedTemporaryFile("w", suffix=".typ") as source:
        source.write("\n".join(lines))
        source.flush()
        typst.compile(source.name, output=str(path))


def make(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for half, producers in enumerate((DEVELOPMENT, SEALED)):
        for producer in producers:
            for content in CONTENTS[half] + OTHERS[half] + LONG[half]:
                looks = LOOKS if content in CONTENTS[half] else LONG_LOOKS if content in LONG[half] else ("open",)
                for number in range(EACH):
                    for look in looks:
                        name = f"{producer}-{content}-{look}-{number}"
                        truth = Truth(name)
                        found = blocks(truth, content, number)
                        path = folder / f"{name}.pdf"
                        globals()[f"by_{producer}"](path, found, look)
                        text = [_latin(part) if producer == "fpdf2" else part for part in truth.text]
                        tables = (
                            json.loads(_latin(json.dumps(truth.tables, ensure_ascii=False)))
                            if producer == "fpdf2"
                            else truth.tables
                        )
                        record = {"text": text, "tables": tables}
                        path.with_suffix(".pdf.json").write_text(json.dumps(record), encoding="utf-8")


# --- the score -----------------------------------------------------------------------------------------------------

_FIGURE = re.compile(r"[$(]?-?\d[\d,.]*%?\)?")


def _plain(text: str) -> str:
    return " ".join(re.sub(r"\\(?=[^\w\s]|_)|<br>", " " if "<br>" in text else "", text).split())


def _tokens(text: str) -> Counter[str]:
    text = re.sub(r"<!--.*?-->|^#+ |  \n", " ", text, flags=re.DOTALL | re.MULTILINE)
    lines = (line for line in text.splitlines() if not re.fullmatch(r"[|\s-]+", line))
    return Counter(_plain(" ".join(lines).replace(" | ", " ").replace("|", " ").replace("**", "")).split())


def score(markdown: str, truth: dict[str, Any]) -> Counter[str]:
    markdown = re.sub(r"^\| <!-- page \d+ --> [ |]*\n", "", markdown, flags=re.MULTILINE)
    markdown = re.sub(r"<!-- page \d+ --> ?", "", markdown)
    rows = [[_plain(cell) for cell in line.strip("| ").split(" | ")] for line in _pipes(markdown)]
    right = Counter[str]()
    wanted = {tuple(row) for table in truth["tables"] for row in table}
    figures = {word for row in wanted for cell in row[1:] for word in cell.split() if _FIGURE.fullmatch(word)}
    last = 0
    for table in truth["tables"]:
        for row in table:
            place = next((at for at in range(last, len(rows)) if rows[at][0] == row[0]), None)
            last, found = (last, []) if place is None else (place + 1, rows[place])
            right["cells"] += sum(at < len(found) and found[at] == text for at, text in enumerate(row))
            right["of cells"] += len(row)
        right["whole"] += any(
            {row[0] for row in table} <= {_plain(line.strip("| ").split(" | ")[0]) for line in block.splitlines()}
            for block in markdown.split("\n\n")
        )
        right["of whole"] += 1
    labels = {row[0] for row in wanted}
    right["false"] += sum(not any(cell in labels or cell in "".join(labels) for cell in line[:1]) for line in rows)
    right["glued"] += sum(sum(word in figures for word in cell.split()) > 1 for line in rows for cell in line)
    said = Counter(word.rstrip(":") for part in truth["text"] for word in part.split())
    shown = Counter(word.rstrip(":") for word in _tokens(markdown).elements())
    heads = {word for table in truth["tables"] for label in table[0] for word in label.replace(":", "").split()}
    more = {word: count for word, count in (shown - said).items() if word in said and word not in heads}
    right["twice"] += sum(count for word, count in more.items() if _FIGURE.fullmatch(word))
    right["kept"] += (said & shown).total()
    right["of kept"] += said.total()
    return right


def _pipes(markdown: str) -> list[str]:
    return [line for line in markdown.splitlines() if line.startswith("|") and not re.fullmatch(r"[|\s-]+", line)]


def main() -> None:
    folder = Path(sys.argv[2])
    if sys.argv[1] == "make":
        make(folder)
        return
    from rori_spiders.content.documents import read

    sealed, long = "--sealed" in sys.argv, "--long" in sys.argv
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    for path in sorted(folder.glob("*.json")):
        producer, content, look, _ = path.name.split("-")
        if producer not in (SEALED if sealed else DEVELOPMENT) or (content in LONG[sealed]) != long:
            continue
        source = path.with_suffix("")
        markdown = read("pdf", source.read_bytes(), url=source.as_uri()).markdown
        measured = score(markdown, json.loads(path.read_text(encoding="utf-8")))
        groups = ["all"] if sealed else ["all", producer, content, look]
        for group in groups:
            totals[group] += measured
            totals[group]["files"] += 1
    for group, found in totals.items():
        cells, kept = found["cells"] / max(1, found["of cells"]), found["kept"] / found["of kept"]
        print(
            f"{group:12} files {found['files']:3}  cells {cells:.3f} ({found['of cells']})  kept {kept:.4f}"
            f" ({found['of kept'] - found['kept']} not)  twice {found['twice']}  glued {found['glued']}"
            f"  false rows {found['false']}  whole {found['whole']}/{found['of whole']}"
        )


if __name__ == "__main__":
    main()
