"""Turn meaning that only CSS expresses into elements: superscripts, subscripts, struck words.

Word processors write a footnote's mark as ``<span style="vertical-align: super">``: as text it would be one more digit
of the number before it.
"""

import re
from functools import lru_cache

import re2
from lxml.html import HtmlElement

from rori_spiders.content.dom_names import names

_STYLE_WORDS = ("vertical-align", "text-raise", "top:", "line-through", "VERTICAL-ALIGN", "LINE-THROUGH")
_CLASS_WORDS = ("uper", "ubscript", "noteReference", "strike", "line-through")
_STYLE = re.compile(
    r"(?:^|;)\s*(?:(?P<set>vertical-align\s*:\s*(?:text-top|\d[\d.]*(?:%|p[tx]|r?em|ex))|mso-text-raise\s*:\s*\d"
    r"|top\s*:\s*-[\d.]+(?:p[tx]|em))|vertical-align\s*:\s*(?P<raised>super|sub)(?:$|[\s;!])|text-decoration(?:-line)?\s*:[^;]*?(?P<struck>line-through))",
    re.IGNORECASE,
)
_CLASS = re.compile(
    r"(?:^|\s)(?:(?P<sup>super-?script|superior|MsoFootnoteReference|MsoEndnoteReference)|(?P<sub>subscript)"
    r"|(?P<del>strike|strike-?through|line-through|text-decoration-line-through))(?:$|\s)",
    re.IGNORECASE,
)
_INLINE = names("span font small b strong i em u a big tt code")
# A mark or an exponent; longer texts are set so for other reasons, such as a box in a row.
_MARK_CHARS = 12
_RAISED_A_LITTLE = "raised"
_MARK = re.compile(r"\[?\(?(?:\d{1,3}(?:, ?\d{1,3})*|[*†‡§]{1,3})\)?\]?")


# Without any of these words in its source a page has no such looks; to ask its tree takes a twentieth of all its time.
_WORDS = re2.compile(
    rb"vertical-align|line-through|text-raise|VERTICAL-ALIGN|LINE-THROUGH|uper-?script|uperior|ubscript|noteReference"
    rb"|strike"
)


def may_hold_distinctions(text: str) -> bool:
    """Whether the source of a page has any of the words by which `mark_distinctions` goes."""
    return _WORDS.search(text.encode("utf-8", "surrogatepass")) is not None


def mark_distinctions(root: HtmlElement) -> None:
    """Put ``sup``, ``sub`` and ``del`` into *root* where style or class alone say so."""
    for element in list(root.iterdescendants(*_INLINE)):
        tag = _meant(element.get("style") or "", element.get("class") or "")
        if tag == _RAISED_A_LITTLE:  # so are icons and boxes, too
            tag = "sup" if _MARK.fullmatch("".join(element.itertext()).strip()) else None
        if tag is None or not (text := "".join(element.itertext()).strip()):
            continue
        if tag != "del" and (len(text) > _MARK_CHARS or _is_marked(element)):
            continue
        inner = element.makeelement(tag)
        inner.text, element.text = element.text, None
        inner.extend(list(element))
        element.append(inner)


@lru_cache(maxsize=1024)
def _meant(style: str, named: str) -> str | None:
    if not any(word in style for word in _STYLE_WORDS) and not any(word in named for word in _CLASS_WORDS):
        return None
    if found := _STYLE.search(style):
        if found["set"]:
            return _RAISED_A_LITTLE
        return "del" if found["struck"] else "sup" if found["raised"].lower() == "super" else "sub"
    return found.lastgroup if (found := _CLASS.search(named)) else None


def _is_marked(element: HtmlElement) -> bool:
    """Whether a raised or lowered mark is written around *element*, or in it, already."""
    return any(above.tag in {"sup", "sub"} for above in element.iterancestors()) or any(
        True for _ in element.iter("sup", "sub")
    )
