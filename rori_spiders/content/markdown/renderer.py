"""Markdown from an lxml tree: CommonMark with pipe tables, that says what the page says and nothing else.

Rendered back it gives the same words in the same order. Deterministic; no recursion, so that depth cannot stop it.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from lxml.html import HtmlElement
from markdownify import ATX, MarkdownConverter

from rori_spiders.content.dom_names import names
from rori_spiders.content.markdown import inline, links, tables
from rori_spiders.content.markdown.lists import Items


def render(root: HtmlElement, *, base: str = "") -> str:
    """The markdown of *root*, links made absolute against *base*. The tree may be changed: give it a copy."""
    return LegalMarkdown(base).document(root)


# Markdownify on the lxml tree: its tag conversions, driven without a second parse, without recursion.
# `MarkdownConverter` walks a BeautifulSoup tree that it builds by recursion; that costs more than the conversion
# itself and ends at a few hundred levels. `LegalMarkdown` keeps its conversions by tag (``convert_h2``,
# ``convert_code`` ...), walks the tree that was parsed already, and replaces those conversions that would change what
# a legal text says.

Tags = frozenset[str]

_UNREAD = names(
    "script style noscript template head svg math-annotation iframe object embed video audio canvas map select option"
    " input textarea datalist img source link meta annotation annotation-xml button dialog applet param"
)
_BLOCKS = names(
    "address article aside body center dd details dialog dir div dl dt fieldset figcaption figure footer form header"
    " hgroup html legend li main menu nav ol optgroup p pre section summary table tbody td tfoot th thead tr ul"
    " blockquote h1 h2 h3 h4 h5 h6 hr caption frameset noframes search"
)
# What a figure is called, outside of a ``figure``; symbols, logos and photographs are called otherwise.
_FIGURE = re.compile(
    r"\b(?:charts?|graphs?|figures?|diagrams?|flow ?charts?|maps?|formulas?|equations?|tables?|timelines?|"
    r"infographics?)\b",
    re.IGNORECASE,
)
_SYMBOL = re.compile(r"\b(?:logo|icon|seal|banner|arrow|button|photo|portrait|download)\b", re.IGNORECASE)
_ALT_WORDS = 4
_WORD = re.compile(r"\w")
_IN_LINE = names("b strong i em u span font sub sup small")
_LITERAL = names("code kbd samp tt")
_FENCE = re.compile(r"[> ]*(?:(?:[-*]|\d+[.)]) +)*(`{3,}|<pre>|</pre>)$")


class _Kind(NamedTuple):
    """Properties of an element that follow from its name."""

    is_block: bool
    convert: Callable[..., str] | None


class _Frame:
    __slots__ = ("children", "element", "name", "parts", "tags", "within")

    def __init__(self, element: HtmlElement, name: str, tags: Tags, within: Tags) -> None:
        self.element = element
        self.name = name
        self.tags = tags  # what it stands in
        self.within = within  # what stands in it stands in
        self.children: Iterator[HtmlElement] = iter(element)
        self.parts: list[str] = []


class LegalMarkdown(MarkdownConverter):
    """One conversion: make a new one for each page. ``base`` is the address that relative links start from."""

    def __init__(self, base: str = "") -> None:
        super().__init__(heading_style=ATX, sup_symbol="<sup>", sub_symbol="<sub>", bullets="-")
        self._base = base
        self._inner: dict[tuple[Tags, str], Tags] = {}
        self._kinds: dict[str, _Kind] = {}
        self._at_line_start = True
        self._after_space = True
        self._items = Items()

    def document(self, root: HtmlElement) -> str:
        """The markdown of *root*: one blank line between blocks, a newline at its end."""
        lines = [inline.write(line.rstrip(" ")) for line in self.process_tag(root).split("\n")]
        return "\n".join(_without_doubled_blanks(lines)).strip("\n") + "\n"

    def process_tag(self, node: HtmlElement, parent_tags: Tags = frozenset()) -> str:
        """*node* as markdown, its inline marks still placeholders; its tail is not part of it."""
        stack = [self._enter(node, parent_tags)]
        while True:
            frame = stack[-1]
            child = next(frame.children, None)
            if child is None:
                converted = self._leave(frame)
                stack.pop()
                if not stack:
                    return converted
                stack[-1].parts.append(converted)
                self._tail(stack[-1], frame.element)
            elif (name := _name(child)) in _ATOMS or name in _UNREAD:
                frame.parts.append(self._atom(child, name, frame))
                self._tail(frame, child)
            elif not len(child) and name not in _LITERAL:
                frame.parts.append(self._leaf(child, name, frame.within))
                if tail := child.tail:
                    self._text(tail, frame, frame.within)
            else:
                stack.append(self._enter(child, frame.within))

    def _enter(self, element: HtmlElement, tags: Tags) -> _Frame:
        name = _name(element)
        if name in _LITERAL and links.has_meant_marks(element):
            name = "marked-code"  # backticks would show the marks' text without the marks
        frame = _Frame(element, name, tags, self._tags_within(name, tags))
        if frame.name in _BLOCKS:
            self._begin_line()
        self._text(element.text, frame, frame.within)
        return frame

    def _leave(self, frame: _Frame) -> str:
        kind = self._kinds.get(frame.name) or self._kind(frame.name)
        return self._converted(frame.element, kind, _joined(frame.parts), frame.tags)

    def _leaf(self, element: HtmlElement, name: str, tags: Tags) -> str:
        """An element of nothing but text, as most are: what entering and leaving it comes to."""
        kind = self._kinds.get(name) or self._kind(name)
        if kind.is_block:
            self._begin_line()
        raw = element.text
        return self._converted(element, kind, self._folded(raw, tags) if raw else "", tags)

    def _converted(self, element: HtmlElement, kind: _Kind, content: str, tags: Tags) -> str:
        if kind.convert is not None:
            content = kind.convert(element, content, parent_tags=tags)
        elif kind.is_block:
            content = _block(content)
        if kind.is_block:
            self._begin_line()
        return content

    def _kind(self, name: str) -> _Kind:
        return self._kinds.setdefault(name, _Kind(name in _BLOCKS, self.get_conv_fn(name)))  # type: ignore[attr-defined]

    def _tags_within(self, name: str, tags: Tags) -> Tags:
        key = (tags, name)
        if key not in self._inner:
            more = {name}
            if name in _LITERAL:
                more.add("_noformat")
            if name in _HEADINGS:
                more.add("_heading")
            self._inner[key] = tags | more
        return self._inner[key]

    def _begin_line(self) -> None:
        self._at_line_start = self._after_space = True

    def _tail(self, frame: _Frame, element: HtmlElement) -> None:
        self._text(element.tail, frame, frame.within)

    def _text(self, raw: str | None, frame: _Frame, tags: Tags) -> None:
        if not raw or not (content := self._folded(raw, tags)):
            return
        if content[0] in ".)" and content[1:2] in {"", " "} and _is_number(frame.parts) and "_noformat" not in tags:
            content = "\\" + content
        frame.parts.append(content)

    def _folded(self, raw: str, tags: Tags) -> str:
        """The text *raw* as markdown text; "" for white space that follows another or begins a line."""
        folded = inline.fold(raw)
        if self._after_space:
            folded = folded.lstrip(" ")
        if folded:
            self._after_space = folded[-1] == " "
            folded = self._escaped(folded, tags)
            self._at_line_start = False
        return folded

    def _escaped(self, folded: str, tags: Tags) -> str:
        if "_noformat" not in tags:
            folded = inline.escape(folded)
            if self._at_line_start:
                folded = inline.escape_line_start(folded)
        return folded.replace("|", "\\|") if "_cell" in tags else folded

    def _atom(self, element: HtmlElement, name: str, frame: _Frame) -> str:
        """An element that is not walked into: a break, a rule, preformatted text, a table, or what is not text."""
        tags = frame.within
        if name == "br":
            self._begin_line()
            return inline.BREAK
        if name == "button":
            # A button is a control, but the head of an accordion is a heading that happens to be clickable.
            if not tags & {"_heading", "summary", "dt"} and "accordion" not in (element.get("class") or ""):
                return ""
            element.tag = "span"
            return self.process_tag(element, tags)
        if name == "img":
            return self._alternative_text(element, tags)
        if name in _UNREAD:
            return ""
        self._begin_line()
        out = self._pre(element, tags) if name == "pre" else "\n\n---\n\n" if name == "hr" else ""
        if name == "table":
            out = tables.convert(element, self.process_tag, tags)
        self._begin_line()
        return out

    def _alternative_text(self, image: HtmlElement, tags: Tags) -> str:
        """What a figure says to those who do not see it; symbols and logos are labelled with less."""
        text = " ".join((image.get("alt") or "").split())
        if not _is_figure(image, text):
            return self._folded(text, tags) if _is_word(image, text) else ""
        if "a" in tags:  # it is the link's name
            return inline.escape(text)
        source = (image.get("data-src") or image.get("src") or "").strip()
        address = "" if source.startswith("data:") else links.target(source.partition("?")[0], self._base)
        self._at_line_start = self._after_space = False
        return f"{inline.IMAGE}{inline.LINK}{inline.escape(text)}{inline.LINK_END}]({address})"

    def _pre(self, element: HtmlElement, tags: Tags) -> str:
        if any(_name(inner) in _BLOCKS for inner in element.iterdescendants()):
            element.tag = "div"
            return self.process_tag(element, tags)
        for line_break in element.iter("br"):
            line_break.text = "\n"
        content = inline.verbatim(element.text_content()).strip("\n")
        if not content.strip():
            return ""
        if "_cell" in tags:
            return _block(inline.BREAK.join(inline.escape(line).replace("|", "\\|") for line in content.split("\n")))
        if links.needs_markup(element):
            return links.preformatted(element, self._base)
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", content)), default=0))
        return f"\n\n{fence}\n{content}\n{fence}\n\n"

    def convert_a(self, el: HtmlElement, content: str, parent_tags: Tags) -> str:
        if "_noformat" in parent_tags or inline.LINK in content:  # of links in links the inner one is the page's
            return content
        href = (el.get("href") or "").strip()
        if not content.strip(_EDGES) and links.leads_to_document(href) and (name := links.spoken(el)):
            content = content + inline.escape(name)
            self._at_line_start = self._after_space = False
        if "#" in href and "sup" not in parent_tags and links.is_note_mark(el, content):
            content = f"<sup>{content.strip(_EDGES)}</sup>"  # or it would be one more digit of the number before it
        if not content.strip(_EDGES) or not links.leads_somewhere(href):
            return content
        return links.link(content, links.target(href, self._base))

    def convert_b(self, el: HtmlElement, content: str, parent_tags: Tags) -> str:
        return content if parent_tags & _UNMARKED else inline.wrap(content, inline.STRONG)

    def convert_em(self, el: HtmlElement, content: str, parent_tags: Tags) -> str:
        return content if "_noformat" in parent_tags else inline.wrap(content, inline.EM)

    def convert_del(self, el: HtmlElement, content: str, parent_tags: Tags) -> str:
        if "\n" in content.strip():
            return _between_tags("del", content)
        return content if "_noformat" in parent_tags else inline.wrap(content, inline.DELETED)

    def convert_ins(self, el: HtmlElement, content: str, parent_tags: Tags) -> str:
        if "\n" in content.strip():
            return _between_tags("ins", content)
        inner = content.strip(" \n")
        return content if not inner else content.replace(inner, f"<ins>{inner}</ins>", 1)

    convert_strong = convert_b
    convert_i = convert_em
    convert_s = convert_strike = convert_del

    def convert_tt(self, el: HtmlElement, content: str, parent_tags: Tags) -> str:
        return str(self.convert_code(el, content, parent_tags))  # type: ignore[attr-defined]

    def convert_rt(self, el: HtmlElement, content: str, parent_tags: Tags) -> str:
        """What is said above a character stands behind it, in the parentheses of pages that bring none."""
        ruby = next(el.iterancestors("ruby"), None)
        has_own = ruby is not None and next(ruby.iter("rp"), None) is not None
        return content if has_own or not content.strip() else f"({content})"

    def convert_marked_code(self, el: HtmlElement, content: str, parent_tags: Tags) -> str:
        inner = content.strip(" \n")
        if not inner or "\n" in inner or "_noformat" in parent_tags:
            return content
        return content.replace(inner, f"<code>{inner}</code>", 1)

    def convert_hN(self, n: int, el: HtmlElement, content: str, parent_tags: Tags) -> str:  # noqa: N802
        if content.lstrip("\n").startswith("#"):  # headings in headings: the inner ones stand
            return _block(content)
        line = inline.one_line(content)
        if not line:
            return ""
        if "_cell" in parent_tags:
            return _block(inline.wrap(line, inline.STRONG))
        # Trailing hashes would be read as the closing of the heading.
        line = re.sub(r"(?<=\s)(#+)$", r"\\\1", line)
        return f"\n\n{'#' * min(6, max(1, n))} {line}\n\n"

    def convert_p(self, el: HtmlElement, content: str, parent_tags: Tags) -> str:
        return _block(content)

    convert_article = convert_caption = convert_figcaption = convert_p
    convert_dl = convert_td = convert_th = convert_tr = convert_p

    def convert_div(self, el: HtmlElement, content: str, parent_tags: Tags) -> str:
        return _block(links.join_label(el, content))

    convert_section = convert_aside = convert_div

    def convert_dt(self, el: HtmlElement, content: str, parent_tags: Tags) -> str:
        """A term; of several with one definition each stands on a line of its own, as in PHP Markdown Extra."""
        line = inline.one_line(content)
        before = next(el.itersiblings("*", preceding=True), None)
        behind = next((part for part in el.itersiblings("*") if part.tag != "dt"), None)
        is_further = before is not None and before.tag == "dt" and behind is not None and behind.tag == "dd"
        start = "\n" if is_further else "\n\n"
        return f"{start}{line}\n" if line else ""

    def convert_dd(self, el: HtmlElement, content: str, parent_tags: Tags) -> str:
        """Pandoc's definition: a colon, further blocks under its text. Others show it as a paragraph, colon and all."""
        content = content.strip(" \n" + inline.BREAK)
        if not content or "_cell" in parent_tags:
            return _block(content)
        indented = re.sub(r"\n(?=[^\n])", "\n  ", content)
        return f"\n: {indented}\n\n" if "\n\n" in content else f"\n: {indented}\n"

    def convert_blockquote(self, el: HtmlElement, content: str, parent_tags: Tags) -> str:
        content = content.strip(" \n")
        if not content or "_cell" in parent_tags:
            return _block(content)
        quoted = "\n".join(f"> {line}" if line else ">" for line in content.split("\n"))
        return f"\n\n{quoted}\n\n"

    def convert_q(self, el: HtmlElement, content: str, parent_tags: Tags) -> str:
        return f"“{content}”"

    def convert_li(self, el: HtmlElement, content: str, parent_tags: Tags) -> str:
        return self._items.item(el, content, in_cell="_cell" in parent_tags)

    def convert_list(self, el: HtmlElement, content: str, parent_tags: Tags) -> str:
        return self._items.list(el, content, nested="li" in parent_tags)

    convert_ul = convert_ol = convert_menu = convert_dir = convert_list


_HEADINGS = names("h1 h2 h3 h4 h5 h6")
_ATOMS = names("br hr pre table")
_EDGES = " \n" + inline.BREAK
_UNMARKED = names("_heading _noformat _header_cell")


def _name(element: Any) -> str:
    """The tag, lower case, without a prefix; "" for comments and entities."""
    tag = element.tag
    return tag if isinstance(tag, str) else ""


def _is_number(parts: list[str]) -> bool:
    """Whether *parts* are a line's first word, a number: with a stop after it, it would be a list's."""
    return bool(parts) and parts[-1].isdigit() and not "".join(parts[:-1]).strip(" \n")


def _without_doubled_blanks(lines: list[str]) -> Iterator[str]:
    """*lines*, of blank ones that follow each other the first; preformatted text as it is."""
    fence, blank = "", False
    for line in lines:
        if found := _FENCE.match(line):
            fence = "" if found[1] == fence else fence or found[1].replace("<pre>", "</pre>")
        if line or fence or not blank:
            yield line
        blank = not line


def _between_tags(tag: str, content: str) -> str:
    """Blocks that are deleted or inserted: a tag alone on a line, as CommonMark has it (0.31, §4.6), may hold them."""
    return _block(f"<{tag}>{_block(content)}</{tag}>")


def _block(content: str) -> str:
    content = content.strip(_EDGES)
    return f"\n\n{content}\n\n" if content else "\n\n"  # an empty block still parts what stands around it


def _joined(parts: list[str]) -> str:
    """Inline runs and blocks in order, with as many newlines between them as the more demanding neighbour asks."""
    together = "".join(parts)
    if "\n" not in together:
        return together
    out: list[str] = []
    pending = 0
    for part in parts:
        content = part.lstrip("\n")
        pending = max(pending, len(part) - len(content))
        if not content:
            continue
        body = content.rstrip("\n")
        if pending and out:
            out[-1] = out[-1].rstrip(" " + inline.BREAK)
            body = body.lstrip(inline.BREAK)
        out += ["\n" * min(2, pending), body]
        pending = len(content) - len(content.rstrip("\n"))
    return "".join((*out, "\n" * min(2, pending)))


_CLOSES_SENTENCE = re.compile(r"[.,;:)%]")


def _is_word(image: HtmlElement, text: str) -> bool:
    """Whether *image* stands for a word of a line: between words or at their end, as a rate that was drawn."""
    above, before, behind = image.getparent(), image.getprevious(), image.getnext()
    if above is None or not text or image.get("role") in {"presentation", "none"} or _SYMBOL.search(text):
        return False
    left = (above.text if before is None else before.tail) or ""
    sides = [(left, before), (image.tail or "", behind)]
    if _CLOSES_SENTENCE.match(image.tail or ""):
        sides.pop()
    return all(_WORD.search(words) if words.strip() else _has_words(neighbour) for words, neighbour in sides)


def _has_words(element: HtmlElement | None) -> bool:
    """Whether an element stands in a line, is no link, and has words."""
    return element is not None and _name(element) in _IN_LINE and any(map(_WORD.search, element.itertext()))


def _is_figure(image: HtmlElement, text: str) -> bool:
    """Whether *image*, with the alternative *text*, shows something that the page says with it."""
    if len(text.split()) < _ALT_WORDS or (image.get("role") or "") in {"presentation", "none"} or _SYMBOL.search(text):
        return False
    return bool(_FIGURE.search(text)) or any(True for _ in image.iterancestors("figure"))
