"""Convert runs of text: accept tracked changes, drop hidden text, keep superscripts and subscripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from rori_spiders.content.documents.word.wordprocessingml import MC, M, W, is_on, text_run, unwrap, value

if TYPE_CHECKING:
    from lxml.etree import _Element

    from rori_spiders.content.documents.word.styles import Styles


# Wrappers of runs that mammoth does not look into.
_WRAPPERS = ("fldSimple", "bdo", "dir", "rubyBase")
_DELETED = (f"{W}del", f"{W}moveFrom")
_INSERTED = (f"{W}ins", f"{W}moveTo")
# There they say of a paragraph's mark, a row, a number or a sign of a formula that it was deleted or inserted.
_ABOUT = {f"{W}{name}" for name in ("rPr", "trPr", "numPr")} | {f"{M}ctrlPr"}


def write_runs(root: _Element, styles: Styles) -> list[str]:
    """Change the tree so that mammoth loses nothing. Returns what was taken out: hidden text, tracked
    deletions, and the marks of tracked insertions, whose text stays.
    """
    _open_wrappers(root)
    removed = _accept_changes(root)
    for run in root.iter(f"{W}r"):
        _raise(run, styles)
    return removed + (["hidden_text"] if _drop_hidden(root, styles) else [])


def _open_wrappers(root: _Element) -> None:
    for ruby in list(root.iter(f"{W}ruby")):  # the reading above a word, then the word
        ruby[:] = [part for part in ruby if part.tag == f"{W}rubyBase"]
        unwrap(ruby)
    for name in _WRAPPERS:
        for wrapper in list(root.iter(W + name)):
            for about in wrapper.findall(f"{W}fldData"):
                wrapper.remove(about)
            unwrap(wrapper)
    for nested in [run for run in root.iter(f"{W}r") if run.find(f"{W}r") is not None]:
        unwrap(nested)  # runs of a word under a reading
    for drawing in list(root.iter(f"{W}drawing")):  # a text box without the picture of it that Word writes
        parent = drawing.getparent()
        if (
            parent is not None
            and _text(drawing)
            and not any(True for _ in drawing.iterancestors(f"{MC}AlternateContent"))
        ):
            choices = etree.Element(f"{MC}AlternateContent")
            parent.replace(drawing, choices)
            etree.SubElement(choices, f"{MC}Choice").append(drawing)
    for choices in list(root.iter(f"{MC}AlternateContent")):
        # mammoth reads the fallback. Where that has no text and the choice has, the choice it is.
        fallback, choice = choices.find(f"{MC}Fallback"), choices.find(f"{MC}Choice")
        if choice is not None and _text(choice) and not _text(fallback):
            boxes = choice.findall(f".//{W}txbxContent")
            choices[:] = [etree.Element(f"{MC}Fallback")]
            choices[0].extend(boxes or list(choice))


def _text(element: _Element | None) -> str:
    return "" if element is None else "".join(text.text or "" for text in element.iter(f"{W}t")).strip()


def _accept_changes(root: _Element) -> list[str]:
    """Leave the text as it is to be: what was inserted is text, what was deleted is gone. Which of both had text."""
    deleted = [each for each in root.iter(*_DELETED) if _parent_tag(each) not in _ABOUT]
    for cell in root.iter(f"{W}tc"):
        if cell.find(f"{W}tcPr/{W}cellDel") is not None:
            deleted += cell.iter(f"{W}r")
    for row in root.iter(f"{W}tr"):
        if any(row.find(f"{W}trPr/{name}") is not None for name in _DELETED):
            table = row.getparent()
            deleted.append(row if table is None or len(table.findall(f"{W}tr")) > 1 else table)
    dropped = False
    for each in deleted:
        dropped = dropped or any((text.text or "").strip() for text in each.iter(f"{W}t", f"{W}delText"))
        parent = each.getparent()
        if parent is not None:
            parent.remove(each)
    inserted = False
    for wrapper in [each for each in root.iter(*_INSERTED) if _parent_tag(each) not in _ABOUT]:
        inserted = inserted or bool(_text(wrapper))
        unwrap(wrapper)
    return [name for name, is_there in (("tracked_deletions", dropped), ("tracked_insertions", inserted)) if is_there]


def _parent_tag(element: _Element) -> str:
    parent = element.getparent()
    return "" if parent is None else str(parent.tag)


def _raise(run: _Element, styles: Styles) -> None:
    about = run.find(f"{W}rPr")
    raised = styles.raises(value(about, "rStyle"))
    if about is not None and raised and about.find(f"{W}vertAlign") is None:
        etree.SubElement(about, f"{W}vertAlign").set(f"{W}val", raised)


def _drop_hidden(root: _Element, styles: Styles) -> bool:
    dropped = False
    for run in list(root.iter(f"{W}r")):
        about = run.find(f"{W}rPr")
        own = is_on(about, "vanish")
        if own is None:
            own = styles.hides(value(about, "rStyle")) or styles.hides(_paragraph_style(run))
        parent = run.getparent()
        if own and parent is not None:
            dropped = dropped or bool(_text(run))
            for part in run.findall(f"{W}t"):
                run.remove(part)
    return dropped


def _paragraph_style(run: _Element) -> str | None:
    paragraph = next(run.iterancestors(f"{W}p"), None)
    return value(paragraph, "pPr", "pStyle")


# Formulas (Office Math) as a line of text: mammoth drops them, and a fraction without its bar would be a number.

_SILENT = "Pr"  # m:fPr, m:rPr ...: how it looks


def write_formulas(root: _Element) -> None:
    """Replace each formula of the tree by a run: ``(a+b)/(c)``, ``x^(2)``, ``√(y)``."""
    for formula in list(root.iter(f"{M}oMath")):
        if next(formula.iterancestors(f"{M}oMath"), None) is not None:
            continue
        parent = formula.getparent()
        if parent is None:
            continue
        made = text_run(_line(formula))
        made.tail = None
        parent.replace(formula, made)
    for wrapper in list(root.iter(f"{M}oMathPara")):
        parent = wrapper.getparent()
        if parent is not None:
            at = parent.index(wrapper)
            parent[at : at + 1] = [part for part in wrapper if not str(part.tag).endswith(_SILENT)]


def _line(element: _Element) -> str:
    name = str(element.tag).rpartition("}")[2]
    if name.endswith(_SILENT):
        return ""
    if name == "t":
        return element.text or ""
    written = _WRITTEN.get(name)
    if written is None:
        return "".join(_line(part) for part in element)
    return written(element)


def _part(element: _Element, name: str) -> str:
    found = element.find(M + name)
    return "" if found is None else _line(found)


def _fraction(element: _Element) -> str:
    return f"({_part(element, 'num')})/({_part(element, 'den')})"


def _script(element: _Element) -> str:
    below, above = _part(element, "sub"), _part(element, "sup")
    return _part(element, "e") + (f"_({below})" if below else "") + (f"^({above})" if above else "")


def _radical(element: _Element) -> str:
    degree = _part(element, "deg")
    return f"√[{degree}]({_part(element, 'e')})" if degree else f"√({_part(element, 'e')})"


def _sign(element: _Element, name: str, otherwise: str) -> str:
    found = element.find(f"{M}{str(element.tag).rpartition('}')[2]}Pr/{M}{name}")
    return otherwise if found is None else found.get(f"{M}val", "")


def _delimited(element: _Element) -> str:
    inner = _sign(element, "sepChr", "|").join(_line(part) for part in element.findall(f"{M}e"))
    return f"{_sign(element, 'begChr', '(')}{inner}{_sign(element, 'endChr', ')')}"


def _nary(element: _Element) -> str:
    below, above = _part(element, "sub"), _part(element, "sup")
    limits = (f"_({below})" if below else "") + (f"^({above})" if above else "")
    return f"{_sign(element, 'chr', '∫')}{limits} {_part(element, 'e')}"


def _matrix(element: _Element) -> str:
    rows = ("; ".join(", ".join(_line(cell) for cell in row) for row in element.findall(f"{M}mr")),)
    return f"[{rows[0]}]"


_WRITTEN = {
    "f": _fraction,
    "sSup": _script,
    "sSub": _script,
    "sSubSup": _script,
    "sPre": _script,
    "rad": _radical,
    "d": _delimited,
    "nary": _nary,
    "m": _matrix,
}
