"""Formulas of a page (MathML) as text: without its bar a fraction would be a number, without its place a power a digit.

`1/2` for a fraction, `(a + b)/(c)` for one with signs in it; powers and indices as `sup` and `sub`; `√(x)`. The other
notations of the same formula, for programs, are left out.
"""

import re

from lxml.html import HtmlElement

from rori_spiders.content.dom_names import names

_ALTERNATIVES = names("annotation annotation-xml mphantom maligngroup malignmark")
_SIGN = re.compile(r"[=<>≤≥≠≈≡+−±×÷·∈→⇒⇔⟺]|-")
_SCRIPTS = {
    "msup": ("sup",),
    "msub": ("sub",),
    "msubsup": ("sub", "sup"),
    "munder": ("sub",),
    "munderover": ("sub", "sup"),
}
_SIMPLE = re.compile(r"\w*(?:\.\w+)?")


def write_out(root: HtmlElement) -> None:
    """Replace each formula of *root* by its text, in place."""
    for formula in list(root.iter("math")):
        if next(formula.iterancestors("math"), None) is None:
            _write(formula)
            formula.tag = "span"
            formula.attrib.clear()


def _write(formula: HtmlElement) -> None:
    """Innermost first: what a part needs around it depends on what its own parts became."""
    _unindent(formula)
    for part in reversed(list(formula.iterdescendants())):
        if part.tag in _ALTERNATIVES:
            _take_out(part)
            continue
        if part.tag == "mfrac" and len(part) == 2:
            _between(part, "", "/", "")
        elif part.tag in _SCRIPTS and len(part) == 1 + len(_SCRIPTS[part.tag]):
            for script, tag in zip(part[1:], _SCRIPTS[part.tag], strict=True):
                script.tag = tag
        elif part.tag in {"msqrt", "mroot"}:
            _root(part)
        elif part.tag == "mfenced":
            _between(part, part.get("open", "("), part.get("separators", ",")[:1] + " ", part.get("close", ")"))
        elif part.tag in {"mtr", "mtd", "mspace"}:
            part.tail = (" " if part.tag != "mtr" else "; " if part.getnext() is not None else "") + (part.tail or "")
        elif part.tag == "mo":
            _space(part)
        _settle(part)


def _unindent(formula: HtmlElement) -> None:
    """Of how the source of a formula is laid out nothing stays but blanks between things on one line."""
    for part in formula.iter():
        part.text = part.text if (part.text or "").strip() else None
        if part is not formula and part.tail and not part.tail.strip():
            before_script = part.getnext() is None or part.getparent().tag in _SCRIPTS or part.getnext().tag == "mo"
            part.tail = None if before_script or part.tag == "mo" else " "


def _settle(part: HtmlElement) -> None:
    if part.tag in {"mi", "mn"}:
        part.text = (part.text or "").strip()
    if part.tag not in {"sub", "sup"}:
        part.tag = "span"


def _between(part: HtmlElement, before: str, sign: str, after: str) -> None:
    last = len(part) - 1
    if sign == "/":
        for side in part:
            if not _SIMPLE.fullmatch("".join(side.text_content().split())):
                side.text, side.tail = "(" + (side.text or ""), ")"
    for at, inner in enumerate(part):
        inner.tail = (inner.tail or "").strip() + (after if at == last else sign)
    part.text = before


def _root(part: HtmlElement) -> None:
    if part.tag == "mroot" and len(part) == 2:
        radicand, degree = part
        degree.tag, degree.tail = "sup", "√("
        part.insert(0, degree)
        radicand.tail = ")"
        return
    part.text = "√(" + (part.text or "").strip()
    if len(part):
        part[-1].tail = (part[-1].tail or "").strip() + ")"
    else:
        part.text += ")"


def _space(sign: HtmlElement) -> None:
    """Blanks around a sign between two things, none around one before a thing: "a − b", "−b"."""
    words = "".join((sign.text or "").split())
    sign.text = f" {words} " if _SIGN.fullmatch(words) and sign.getprevious() is not None else words


def _take_out(part: HtmlElement) -> None:
    parent = part.getparent()
    if parent is not None:
        parent.remove(part)
