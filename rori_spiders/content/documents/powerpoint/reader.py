"""PowerPoint files (.pptx) to markdown: each slide behind ``<!-- slide 3 -->``, its title as a heading.

In: the bytes. Out: a `Document` of format ``markdown``. Shapes stand in the order of the file, which is that of the
selection pane and of screen readers, the title first. Tables and the data of charts are tables, notes of the speaker
stand below their slide. Hidden slides, dates, feet and numbers of slides are left out, and named.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rori_spiders.content.documents.document import Document
from rori_spiders.content.documents.escaping import block, collapsed, escaped
from rori_spiders.content.documents.excel.number_formats import Format
from rori_spiders.content.documents.office_package import Package
from rori_spiders.content.documents.tables import pipe_table
from rori_spiders.content.markdown.tables import repeated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element

# Paragraphs and cells of the file, counted in the bytes before they are parsed: as many as of a Word file.
MAX_ELEMENTS = 80_000
# Points of a chart: a sheet has rows enough for more, and nobody could read them on a slide.
_MOST_POINTS = 10_000
_BLOCK = re.compile(rb"<a:(?:p|tc)[ />]")
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_D = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_TITLES = frozenset({"title", "ctrTitle"})
# Placeholders of what each slide repeats.
_RUNNING = {"hdr": "page_header", "ftr": "page_footer", "dt": "page_footer", "sldNum": "page_number"}
_BULLETED = frozenset({"body", "obj"})
_DEEPEST = 8  # levels of a list; PowerPoint has nine

Related = dict[str, tuple[str, str]]


def read(body: bytes, /, *, url: str) -> Document:
    """The text of a presentation. Raises UnreadableDocument as `Package` does, for one too large or without text."""
    package = Package(body, url, "PowerPoint file")
    main = package.main("ppt/presentation.xml")
    presentation = package.required_xml(main)
    targets = package.targets(main)
    places = [targets.get(each.get(f"{_R}id", ""), ("", ""))[1] for each in presentation.iter(f"{_P}sldId")]
    if len(set(places)) < len(places) or any(place not in package.names for place in places):
        raise package.unreadable("is broken: a slide is missing, or named twice")
    slides = _Slides(package)
    texts = [slides.text(number, place) for number, place in enumerate(places, 1)]
    if not slides.has_text:
        raise package.unreadable("holds no text")
    return Document(
        "\n\n".join(texts) + "\n",
        "markdown",
        title=package.title() or slides.title,
        language=package.language(),
        metadata={**package.facts(), "kind": "pptx"},
        links=tuple(dict.fromkeys(slides.links)),
        removed=tuple(dict.fromkeys(slides.removed)),
    )


class _Slides:
    """The slides of a file, one after the other; what was left out of them, and their links."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._left = MAX_ELEMENTS
        self._related: Related = {}
        self.removed: list[str] = []
        self.links: list[str] = []
        self.title: str | None = None
        self.has_text = False

    def text(self, number: int, place: str) -> str:
        """The markdown of a slide behind its mark."""
        root = self._parsed(place)
        if root.get("show") in ("0", "false"):
            self.removed.append("hidden_slides")
            return f"<!-- hidden slide: {number} -->"
        self._related = self._package.targets(place)
        shapes = list(_shapes(root))
        blocks = [heading for shape in shapes if _kind(shape) in _TITLES and (heading := self._heading(shape))]
        self.title = self.title or (blocks[0].removeprefix("## ") if blocks else None)
        for shape in shapes:
            if _kind(shape) not in _TITLES:
                blocks += self._blocks(shape)
        for kind, target in list(self._related.values()):
            if kind == "notesSlide" and target in self._package.names:
                blocks += self._notes(target)
            elif kind == "comments" and target in self._package.names:
                self.removed.append("comments")
        self.has_text = self.has_text or bool(blocks)
        return "\n\n".join([f"<!-- slide {number} -->", *blocks])

    def _parsed(self, place: str) -> _Element:
        self._left -= len(_BLOCK.findall(self._package.bytes(place)))
        if self._left < 0:
            raise self._package.unreadable(f"holds more than {MAX_ELEMENTS:,} paragraphs and cells, the maximum")
        root = self._package.xml(place)
        if root is None:
            raise self._package.unreadable(f"is broken: {place} is missing")
        return root

    def _heading(self, shape: _Element) -> str:
        text = " ".join(part for paragraph in shape.iter(f"{_A}p") if (part := self._line(paragraph)))
        return f"## {collapsed(text.replace('  ' + chr(10), ' '))}" if text else ""

    def _blocks(self, shape: _Element) -> list[str]:
        about = shape.find(f".//{_P}cNvPr")
        if about is not None and about.get("hidden") in ("1", "true"):
            self.removed += ["hidden_text"] * (next(shape.iter(f"{_A}t"), None) is not None)
            return []
        if (running := _RUNNING.get(_kind(shape))) is not None:
            self.removed.append(running)
            return []
        if shape.tag == f"{_P}graphicFrame":
            return self._framed(shape)
        body = shape.find(f"{_P}txBody")
        return [] if body is None else self._paragraphs(body, is_list=_kind(shape) in _BULLETED)

    def _paragraphs(self, body: _Element, *, is_list: bool) -> list[str]:
        """Paragraphs, and items of lists by their levels; those that follow one another are one list."""
        blocks: list[str] = []
        counts = [0] * (_DEEPEST + 1)
        in_list, depth = False, 0
        paragraphs = [(paragraph, line) for paragraph in body.iter(f"{_A}p") if (line := self._line(paragraph))]
        for paragraph, line in paragraphs:
            about = paragraph.find(f"{_A}pPr")
            level = _number(about, "lvl", 0)
            auto = about.find(f"{_A}buAutoNum") if about is not None else None
            has_bullet = about is not None and about.find(f"{_A}buChar") is not None
            has_none = about is not None and about.find(f"{_A}buNone") is not None
            is_item = auto is not None or has_bullet or (is_list and not has_none and len(paragraphs) > 1)
            if not is_item:
                blocks.append("  \n".join(map(block, line.split("  \n"))))
                counts = [0] * (_DEEPEST + 1)
                in_list = False
                continue
            level = min(level, depth + 1) if in_list else 0  # a level that was left out would make code of it
            counts[level + 1 :] = [0] * (_DEEPEST - level)
            counts[level] = counts[level] + 1 if counts[level] else _number(auto, "startAt", 1)
            indent = "   " * level
            item = indent + _label(auto, counts[level]) + f"  \n{indent}   ".join(map(block, line.split("  \n")))
            if in_list:
                blocks[-1] += f"\n{item}"
            else:
                blocks.append(item)
            in_list, depth = True, level
        return blocks

    def _line(self, paragraph: _Element) -> str:
        """The runs of a paragraph as markdown; "" where it has no text."""
        pieces: list[str] = []
        for run in paragraph:
            if run.tag == f"{_A}br":
                pieces.append("  \n")
                continue
            text = run.findtext(f"{_A}t") or "".join(part.text or "" for part in run.iter(f"{_M}t"))
            text = escaped(text.replace("\v", " ").replace("\n", " "))
            about = run.find(f"{_A}rPr")
            if about is not None and text.strip():
                raised = _number(about, "baseline", 0)
                if raised:
                    name = "sup" if raised > 0 else "sub"
                    text = f"<{name}>{text}</{name}>"
                if about.get("strike", "noStrike") != "noStrike":
                    text = f"~~{text}~~"
                link = about.find(f"{_A}hlinkClick")
                kind, target = self._related.get(link.get(f"{_R}id", ""), ("", "")) if link is not None else ("", "")
                if kind == "hyperlink" and target.startswith(("http://", "https://")):
                    self.links.append(target)
                    text = f"[{text}](<{target}>)" if set(target) & set(" ()") else f"[{text}]({target})"
            pieces.append(text)
        lines = (" ".join(line.split()) for line in "".join(pieces).split("  \n"))
        return "  \n".join(line for line in lines if line)

    def _framed(self, frame: _Element) -> list[str]:
        """A table, the data of a chart, or the text of a diagram."""
        table, chart = frame.find(f".//{_A}tbl"), frame.find(f".//{_C}chart")
        if table is not None:
            return self._table(table)
        names = self._package.names
        if chart is not None:
            target = self._related.get(chart.get(f"{_R}id", ""), ("", ""))[1]
            return self._chart(self._parsed(target)) if target in names else []
        diagram = frame.find(f".//{_D}relIds")
        target = self._related.get(diagram.get(f"{_R}dm", ""), ("", ""))[1] if diagram is not None else ""
        if target not in names:
            return []
        points = (point for point in self._parsed(target).iter(f"{_D}pt") if point.get("type") != "pres")
        lines = [line for point in points for each in point.iter(f"{_A}p") if (line := self._line(each))]
        return ["\n".join(f"- {block(line.replace('  ' + chr(10), ' '))}" for line in lines)] if lines else []

    def _table(self, table: _Element) -> list[str]:
        about = table.find(f"{_A}tblPr")
        has_head = about is not None and about.get("firstRow") in ("1", "true")
        rows: list[list[str]] = []
        for row in table.iter(f"{_A}tr"):
            cells: list[str] = []
            across = ""
            for at, each in enumerate(row.iterchildren(f"{_A}tc")):
                if each.get("vMerge") in ("1", "true"):
                    text = repeated(rows[-1][at]) if rows and at < len(rows[-1]) else ""
                elif each.get("hMerge") in ("1", "true"):
                    text = across
                else:
                    lines = (self._line(paragraph) for paragraph in each.iter(f"{_A}p"))
                    text = "<br>".join(line.replace("  \n", "<br>") for line in lines if line)
                    across = repeated(text) if has_head and not rows else ""
                cells.append(text)
            rows.append(cells)
        if not any(map(any, rows)):
            return []
        return [pipe_table(rows[0], rows[1:]) if has_head and len(rows) > 1 else pipe_table([], rows)]

    def _chart(self, root: _Element) -> list[str]:
        """The title of a chart, and its figures: a row for each category, a column for each series."""
        title = root.find(f"{_C}chart/{_C}title")
        lines = [self._line(paragraph) for paragraph in title.iter(f"{_A}p")] if title is not None else []
        blocks = ["<!-- chart -->", *(block(line) for line in lines if line)]
        names: list[str] = []
        rows: dict[int, str] = {}
        columns: list[dict[int, str]] = []
        for series in root.iter(f"{_C}ser"):
            names.append(escaped(" ".join((series.findtext(f"{_C}tx//{_C}v") or "").split())))
            for tag in ("cat", "xVal"):
                for at, label in _points(series.find(f"{_C}{tag}")).items():
                    rows.setdefault(at, label)
            columns.append({**_points(series.find(f"{_C}val")), **_points(series.find(f"{_C}yVal"))})
        places = sorted({*rows, *(at for column in columns for at in column)})
        if len(places) * len(columns) > _MOST_POINTS:
            raise self._package.unreadable(f"holds a chart of more than {_MOST_POINTS:,} points, the maximum")
        if places and columns:
            lines_of = [[rows.get(at, ""), *(column.get(at, "") for column in columns)] for at in places]
            blocks.append(pipe_table(["", *names], lines_of))
        return blocks if len(blocks) > 1 else []

    def _notes(self, place: str) -> list[str]:
        root = self._parsed(place)
        above, self._related = self._related, self._package.targets(place)
        blocks: list[str] = []
        for shape in _shapes(root):
            body = shape.find(f"{_P}txBody")
            if body is not None and _kind(shape) not in _RUNNING:
                blocks += self._paragraphs(body, is_list=False)
        self._related = above
        return ["<!-- notes -->", *blocks] if blocks else []


def _shapes(root: _Element) -> Iterator[_Element]:
    """Shapes and frames in the order of the file, those of groups in their place; of alternatives the first."""
    waiting: list[_Element] = list(root.iter(f"{_P}spTree"))[:1]
    while waiting:
        element = waiting.pop()
        if element.tag in {f"{_P}spTree", f"{_P}grpSp", f"{_MC}Choice"}:
            about = element.find(f"{_P}nvGrpSpPr/{_P}cNvPr")
            if about is None or about.get("hidden") not in ("1", "true"):
                waiting += list(element)[::-1]
        elif element.tag == f"{_MC}AlternateContent":
            waiting += [part for part in element if part.tag == f"{_MC}Choice"][:1]
        elif element.tag in {f"{_P}sp", f"{_P}graphicFrame"}:
            yield element


def _kind(shape: _Element) -> str:
    """What a shape is a place for; "obj" for any content, "" for a shape of its own."""
    place = shape.find(f"{_P}nvSpPr/{_P}nvPr/{_P}ph")
    return "" if place is None else str(place.get("type", "obj"))


def _points(holder: _Element | None) -> dict[int, str]:
    """The values that a chart holds of its sheet, by their place."""
    if holder is None:
        return {}
    own = holder.findtext(f".//{_C}formatCode") or "General"
    is_number = next(holder.iter(f"{_C}numCache", f"{_C}numLit"), None) is not None
    found: dict[int, str] = {}
    for point in holder.iter(f"{_C}pt"):
        text = " ".join((point.findtext(f"{_C}v") or "").split())
        at = _number(point, "idx", -1)
        if text and at >= 0:
            shown = Format(point.get("formatCode", own)).shown(text) if is_number else text
            found[at] = f"{found[at]} / {escaped(shown)}" if at in found else escaped(shown)
    return found


def _label(auto: _Element | None, count: int) -> str:
    """How an item begins: ``- `` for a bullet, ``2. ``, or ``- (b) ``."""
    if auto is None:
        return "- "
    scheme = auto.get("type", "")
    shown = _shown(count, scheme)
    if scheme == "arabicPeriod" and count > 0:
        return f"{count}. "
    if scheme.endswith("ParenBoth"):
        return f"- ({shown}) "
    end = ")" if scheme.endswith("ParenR") else "." if scheme.endswith("Period") else ""
    return f"- {block(f'{shown}{end}')} "


def _shown(count: int, scheme: str) -> str:
    if scheme.startswith("alpha") and 0 < count <= 26:
        letter = chr(ord("a") + count - 1)
        return letter.upper() if scheme.startswith("alphaUc") else letter
    if scheme.startswith("roman") and 0 < count < 40:
        roman = "x" * (count // 10) + ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")[count % 10]
        return roman.upper() if scheme.startswith("romanUc") else roman
    return str(count)


def _number(element: _Element | None, name: str, otherwise: int) -> int:
    value = element.get(name, "") if element is not None else ""
    found = int(value) if re.fullmatch(r"-?[0-9]{1,6}", value) else otherwise
    return min(found, _DEEPEST) if name == "lvl" and found >= 0 else max(found, 0) if name == "lvl" else found
