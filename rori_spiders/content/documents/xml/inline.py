"""The text of one paragraph of legal XML: emphasis, raised footnote marks, lowered digits, everything escaped."""

from lxml import etree

from rori_spiders.content.documents.escaping import collapsed, escaped
from rori_spiders.content.documents.xml import vocabulary
from rori_spiders.content.documents.xml.vocabulary import local, role
from rori_spiders.content.dom_names import names

# What no blank stands behind, and before.
_OPENING = ("(", "[", "$", "“")
_CLOSING = (".", ",", ";", ":", ")", "]", "%", "”")


class Line:
    """A paragraph being written."""

    def __init__(self) -> None:
        self._parts: list[str] = []

    @property
    def empty(self) -> bool:
        return not any(part.strip() for part in self._parts)

    def text(self, words: str | None) -> None:
        if words:
            self._parts.append(escaped(collapsed(words)))

    def raw(self, markdown: str) -> None:
        self._parts.append(markdown)

    def apart(self) -> None:
        """A blank, where two elements stood side by side without one."""
        if self._parts and not self._parts[-1].endswith((" ", "\n")):
            self._parts.append(" ")

    def text_ends_with(self, characters: tuple[str, ...]) -> bool:
        return self._last() in characters

    def emphasised(self, inner: str, mark: str, following: str | None) -> None:
        """Emphasis, with blanks moved outside, where CommonMark wants them, and one put in where the print had one.

        The XML of the Federal Register drops the blank between an italic word and its neighbour:
        ``Act).<E>See</E>75 FR``.
        """
        words = inner.strip()
        if words and (inner[0].isspace() or self._last().isalnum() or self._last() in ".,;:)"):
            self.apart()
        # Within emphasis of the same kind a mark would end it.
        self._parts.append(f"{mark}{words}{mark}" if mark not in words or not mark else words)
        if inner[-1:].isspace() or (words and following and (following[0].isalnum() or following[0] in "($")):
            self.apart()

    def _last(self) -> str:
        return next((part[-1] for part in reversed(self._parts) if part), " ")

    def finished(self) -> str:
        return collapsed("".join(self._parts)).strip()


def line_of(element: etree._Element, *, emphasis: bool = True) -> str:
    """All text of an element as one line of markdown. ``emphasis`` is off in headings and cells' heads."""
    line = Line()
    line.text(element.text)
    for child in element:
        add(line, child, emphasis=emphasis)
        line.text(child.tail)
    return line.finished()


def add(line: Line, child: etree._Element, *, emphasis: bool = True) -> None:
    """One child of a paragraph, without its tail."""
    kind = vocabulary.role(child.tag)
    if kind == "skip":
        return
    if kind == "mark":
        line.apart()
        return
    if kind == "raised" or _face(child) in vocabulary.RAISED:
        _tagged(line, child, "sup")
    elif kind == "lowered" or _face(child) in vocabulary.LOWERED:
        _tagged(line, child, "sub")
    elif kind == "emphasis":
        _emphasis(line, child, emphasis=emphasis)
    else:
        _plain(line, child, emphasis=emphasis, apart=kind != "inline" or vocabulary.local(child.tag) == "LI")


def _face(element: etree._Element) -> str:
    return (element.get("T") or "") if vocabulary.local(element.tag) == "E" else ""


def _tagged(line: Line, child: etree._Element, tag: str) -> None:
    inner = line_of(child, emphasis=False)
    if inner:
        begins = line.empty
        line.raw(f"<{tag}>{inner}</{tag}>")
        if begins:  # the mark of a footnote stands before its text, not in a word of it
            line.apart()


def _emphasis(line: Line, child: etree._Element, *, emphasis: bool) -> None:
    name, face = vocabulary.local(child.tag), _face(child)
    inner = line_of(child, emphasis=False)
    raw = "".join(str(part) for part in child.itertext())
    inner = (" " if raw[:1].isspace() else "") + inner + (" " if raw[-1:].isspace() else "") if inner else raw[:1]
    mark = "**" if face in vocabulary.BOLD or name in ("B", "STRONG") else "*"
    if not emphasis or (name == "E" and face not in vocabulary.EMPHASISED):
        mark = ""
    line.emphasised(inner, mark, child.tail)


def _plain(line: Line, child: etree._Element, *, emphasis: bool, apart: bool) -> None:
    if apart and not line.text_ends_with(_OPENING):
        line.apart()
    facts = of(child)
    if facts and is_empty(child):
        line.raw(f"({alone(child)})")
    line.text(child.text)
    for grandchild in child:
        add(line, grandchild, emphasis=emphasis)
        line.text(grandchild.tail)
    if facts and not is_empty(child):
        line.apart()
        line.raw(f"({facts})")
    if apart and not (child.tail or "").startswith(_CLOSING):
        line.apart()


# What the attributes of XML say, where no vocabulary of the law says it: ``<rate date="2026-01-01">5.50</rate>``.

_OF_LAW = ("container", "section", "marked", "facts")
# Paragraphs' attributes are layout; a feed's links are links of the page.
_SILENT = frozenset({"P", "FP", "PARA", "LINK"})
# Of identity, looks and machinery.
_NO_FACTS = names(
    "id idref guid uuid class style href src url xmlns lang version encoding"
    " ispermalink identifier temporalid role rel target width height align size"
    " colspan rowspan rend schemalocation nonamespaceschemalocation"
)


def silence(root: etree._Element) -> None:
    """Take from a document in a vocabulary of the law the attributes that are told of others: there they are layout.

    Elements of nothing but attributes keep them: what they say stands nowhere else.
    """
    if not any(role(element.tag) in _OF_LAW for element in root.iter()):
        return
    for element in root.iter():
        if is_empty(element) or not of(element) or any(role(above.tag) == "table" for above in element.iterancestors()):
            continue
        for name in _stated_attributes(element):
            del element.attrib[name]


def of(element: etree._Element) -> str:
    """``date 2026-01-01, value 5.25``; "" for an element that the law's vocabularies know, or without such."""
    if role(element.tag) is not None or local(element.tag) in _SILENT:
        return ""
    return ", ".join(
        f"{escaped(name)} {escaped(collapsed(value))}" for name, value in _stated_attributes(element).items()
    )


def _stated_attributes(element: etree._Element) -> dict[str, str]:
    attributes = {str(name): str(value).strip() for name, value in element.items()}
    return {
        name: value for name, value in attributes.items() if value and "}" not in name and name.lower() not in _NO_FACTS
    }


def alone(element: etree._Element) -> str:
    """The same behind the element's name, which is then all there is to tell what it is: ``rate: value 5.25``."""
    facts = of(element)
    return f"{escaped(str(element.tag).rpartition('}')[2])}: {facts}" if facts else ""


def is_empty(element: etree._Element) -> bool:
    return not len(element) and not (element.text or "").strip()
