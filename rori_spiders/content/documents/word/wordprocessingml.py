"""Names of WordprocessingML (ECMA-376 part 1, §17), and its ways to say yes and no."""

from lxml import etree
from lxml.etree import _Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_NO = {"0", "false", "off", "none"}


def value(parent: _Element | None, *path: str) -> str | None:
    """The ``w:val`` at the end of a path of tags; "" when the element is there without one, None when it is not."""
    found = parent
    for tag in path:
        found = found.find(W + tag) if found is not None else None
    return None if found is None else found.get(f"{W}val", "")


def is_on(parent: _Element | None, *path: str) -> bool | None:
    """A toggle: None when nothing is said."""
    setting = value(parent, *path)
    return None if setting is None else setting.lower() not in _NO


def text_run(text: str, style: str | None = None) -> _Element:
    """A run with *text*, in a style that `Styles.map` knows."""
    made = etree.Element(f"{W}r")
    if style:
        etree.SubElement(etree.SubElement(made, f"{W}rPr"), f"{W}rStyle").set(f"{W}val", style)
    inner = etree.SubElement(made, f"{W}t")
    inner.text = text
    inner.set(SPACE, "preserve")
    return made


def unwrap(element: _Element) -> None:
    """Put the children of *element* in its place."""
    parent = element.getparent()
    if parent is None:
        return
    at = parent.index(element)
    parent[at : at + 1] = list(element)


# A Word file without what has no text and no structure: most of what Word writes is how letters look. mammoth holds
# several objects for each element that it meets; what it would not use, it need not meet.

# What is kept of the properties of runs, paragraphs, rows and cells; of the others nothing is.
_NEEDED = {
    f"{W}rPr": {f"{W}{name}" for name in ("rStyle", "b", "i", "strike", "vertAlign", "del")},
    f"{W}pPr": {f"{W}{name}" for name in ("pStyle", "numPr", "rPr")},
    f"{W}trPr": {f"{W}tblHeader"},
    f"{W}tcPr": {f"{W}gridSpan", f"{W}vMerge"},
    f"{W}tblPr": set[str](),
}
_NEEDLESS = tuple(
    W + name
    for name in (
        *("tblGrid", "sectPr", "proofErr", "lastRenderedPageBreak", "bookmarkStart", "bookmarkEnd", "permStart"),
        *("permEnd", "commentRangeStart", "commentRangeEnd", "commentReference", "annotationRef", "tblPrEx"),
    )
)


# Word has no table of more columns.
_MOST_COLUMNS = 63


def _fill_rows(root: _Element) -> None:
    """Cells where a row begins after the first column of its table, or ends before the last: mammoth knows none."""
    for about in root.iter(f"{W}trPr"):
        row = about.getparent()
        cells = [] if row is None else row.findall(f"{W}tc")
        for name, at in (("gridAfter", -1), ("gridBefore", 0)):
            skipped = about.find(f"{W}{name}")
            count = "" if skipped is None else skipped.get(f"{W}val", "")
            if cells and count.isdecimal() and 0 < int(count[:4]) <= _MOST_COLUMNS:
                filler = etree.Element(f"{W}tc")
                span = etree.SubElement(etree.SubElement(filler, f"{W}tcPr"), f"{W}gridSpan")
                span.set(f"{W}val", count)
                etree.SubElement(filler, f"{W}p")
                cells[at].addnext(filler) if at else cells[at].addprevious(filler)


def reduce(root: _Element) -> int:
    """Take out of the tree what is not needed, and join runs that look alike. Returns how many elements are left."""
    _fill_rows(root)
    for tab in root.iter(f"{W}ptab"):  # to a place of the page: mammoth knows those of paragraphs alone
        tab.tag = f"{W}tab"
    etree.strip_elements(root, *_NEEDLESS, with_tail=False)
    for tag, needed in _NEEDED.items():
        for about in list(root.iter(tag)):
            for each in about:
                if each.tag not in needed:
                    about.remove(each)
            parent = about.getparent()
            if not len(about) and parent is not None:
                parent.remove(about)
    before: _Element | None = None
    for run in list(root.iter(f"{W}r")):
        before = before if before is not None and _joined(before, run) else run
    for element in root.iter():
        for name in [name for name in element.attrib if "rsid" in str(name) or "paraId" in str(name)]:
            del element.attrib[name]
    return sum(1 for _ in root.iter())


def _joined(before: _Element, run: _Element) -> bool:
    """Add the text of *run* to the one right before it, if they differ in nothing."""
    parent = run.getparent()
    if parent is None or run.getprevious() is not before or _look(before) != _look(run):
        return False
    texts, more = before.findall(f"{W}t"), run.findall(f"{W}t")
    if (
        len(texts) != 1
        or len(more) != 1
        or before[-1] is not texts[0]
        or len(run) - len(more) != (run[0].tag == f"{W}rPr")
    ):
        return False
    texts[0].text = (texts[0].text or "") + (more[0].text or "")
    texts[0].set(SPACE, "preserve")
    parent.remove(run)
    return True


def _look(run: _Element) -> bytes:
    about = run.find(f"{W}rPr")
    return b"" if about is None else etree.tostring(about)
