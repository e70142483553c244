"""Styles of a Word file: which are headings, which hide text or raise it, and how mammoth is to map them."""

from collections.abc import Iterator

from lxml.etree import _Element

from rori_spiders.content.documents.word.wordprocessingml import W, is_on, value

#: A character style of ours, which no file has: what `numbering` writes.
LABEL = "RoriLabel"
_OWN = (
    f"r.{LABEL} => span.enumerator\n"
    "p[style-name='Title'] => h1.title:fresh\np[style-name='Subtitle'] => p.subtitle:fresh\n"
)
# mammoth knows bullets of five levels; Word has nine.
_DEEPER = "\n".join(
    f"p:unordered-list({level}) => {'ul|ol > li > ' * (level - 1)}ul > li:fresh" for level in range(6, 10)
)
_MAX_BASES = 20


class Styles:
    """The styles part. Absent, nothing has a style."""

    def __init__(self, root: _Element | None) -> None:
        found = root.findall(f"{W}style") if root is not None else []
        self._by_id = {style.get(f"{W}styleId", ""): style for style in found}
        defaults = root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr") if root is not None else None
        self.language = value(defaults, "lang") or None
        self._default = next(
            (style.get(f"{W}styleId") for style in found if style.get(f"{W}default") and _is_paragraph(style)), None
        )

    def map(self) -> str:
        """A style map for mammoth: our own styles, headings by their outline level, deep lists."""
        lines = [
            f"p.{style_id} => h{min(6, level + 1)}:fresh"
            for style_id, style in self._by_id.items()
            if _is_paragraph(style) and (level := self.outline(style_id)) is not None and style_id.isalnum()
        ]
        return _OWN + "\n".join(lines) + "\n" + _DEEPER

    def outline(self, style_id: str | None) -> int | None:
        """The level, from 0, of a heading style; None for text."""
        level_text = next(
            (level for style in self._bases(style_id) if (level := value(style, "pPr", "outlineLvl"))), ""
        )
        return int(level_text) if level_text.isdecimal() and int(level_text) < 9 else None

    def numbering(self, style_id: str | None) -> tuple[str, int] | None:
        """The list (numId) and level that a paragraph style stands in."""
        for style in self._bases(style_id or self._default):
            number = value(style, "pPr", "numPr", "numId")
            if number is not None:
                level = value(style, "pPr", "numPr", "ilvl") or ""
                return number, int(level) if level.isdecimal() else 0
        return None

    def hides(self, style_id: str | None) -> bool:
        """Whether text in the style is hidden."""
        toggles = (is_on(style, "rPr", "vanish") for style in self._bases(style_id))
        return next((each for each in toggles if each is not None), False)

    def raises(self, style_id: str | None) -> str | None:
        """``superscript`` or ``subscript``, where the style says so."""
        return next(
            (alignment for style in self._bases(style_id) if (alignment := value(style, "rPr", "vertAlign"))), None
        )

    def _bases(self, style_id: str | None) -> Iterator[_Element]:
        """The style and those that it is based on."""
        for _ in range(_MAX_BASES):
            style = self._by_id.get(style_id or "")
            if style is None:
                return
            yield style
            style_id = value(style, "basedOn")


def _is_paragraph(style: _Element) -> bool:
    return style.get(f"{W}type") == "paragraph"
