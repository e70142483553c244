"""Formulas (Office Math) as a line of text: mammoth drops them, and a fraction without its bar would be a number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.content.documents.word.words import M, run

if TYPE_CHECKING:
    from lxml.etree import _Element

_TEXT = {"oMath", "oMathPara", "e", "r", "num", "den", "sub", "sup", "deg", "lim", "fName", "box", "groupChr", "phant"}
_SILENT = "Pr"  # m:fPr, m:rPr ...: how it looks


def write_out(root: _Element) -> None:
    """Replace each formula of the tree by a run: ``(a+b)/(c)``, ``x^(2)``, ``√(y)``."""
    for formula in list(root.iter(f"{M}oMath")):
        if next(formula.iterancestors(f"{M}oMath"), None) is not None:
            continue
        parent = formula.getparent()
        if parent is None:
            continue
        made = run(_line(formula))
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
