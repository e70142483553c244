"""Replace controls, frames, drawings and fallbacks by the text that a reader sees, or remove them.

A form's field in a sentence or in a row of figures is a part of what that sentence or row says. What is only shown once
a reader or a script asks for it (the choices of a list, a template, a dialog) is what the page hides.
"""

import re
from collections.abc import Iterable
from itertools import accumulate, chain, islice, takewhile
from typing import Any

from lxml.html import HtmlElement

from rori_spiders.content.dom_names import names
from rori_spiders.content.html import tree
from rori_spiders.content.html.entries import has_headers
from rori_spiders.content.html.panels import Controls, is_overlay, named_as
from rori_spiders.content.markdown.links import leads_to_document
from rori_spiders.exceptions import UnreadableDocument

_SILENT = names("script style link meta title base head embed")
_REPORTED = names(
    "noscript template object video audio canvas applet select datalist dialog progress meter iframe textarea"
)
_ALL = _SILENT | _REPORTED | names("svg map input")
# Controls by which a form asks its reader something; a form without any only carries a site's state.
_TYPED = names("text email search tel radio checkbox url number password")
_TICKED = names("checkbox radio")
ASKS = "data-asks"
# A form that a page is made for: a complaint, an application. It asks five things in 200 characters, and what only its
# reader can answer, in words or with an address or a file: searches do not. Of 902 real pages no form of a site's own
# machinery does, but for those with a name below, and those that get a page.
ENTRIES = "entries"
_QUESTIONS, _QUESTIONS_CHARS = 5, 200
_MOST_LEVELS = 40  # of elements around a field, so that deep nesting takes no time
_ANSWERABLE = _TYPED - {"checkbox"} | names("date datetime-local month week time file textarea select")
_PERSONAL = names("textarea email tel file")
_MACHINERY = re.compile(
    r"search|filter|comment|respon|reply|subscri|newsletter|mailing|mc4wp|feedback|log-?in|sign-?(?:in|up)|jump|share",
    re.IGNORECASE,
)
# Longer lists are states, counties, countries and years: values that a reader knows.
_MOST_CHOICES = 30
_ANY = re.compile(r"\W*(?:all|any)\b", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
# Frames within frames; each level doubles the work of who reads them.
_MOST_FRAMES = 2
# The last word of a sentence that a choice completes; one of at least two words.
_LINKING_WORD = re.compile(r"\b(?:is|are|was|equals|exceeds?|than|within|least|most)\Z", re.IGNORECASE)
_WORD_BEFORE = re.compile(r"\w\s")
# What browsers read as text, never as elements.
_RAW = names("iframe textarea noscript")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")


def write_out(root: HtmlElement, *, level: int = 0) -> list[str]:
    """Replace controls and the like in *root* by the text that they show; what they hold unseen, in order."""
    _settle_ticked(root)
    _mark_forms(root)
    unseen: list[str] = []
    gone: set[HtmlElement] = set()
    for element in list(root.iter(*_ALL)):
        if element is root or element in gone or _writes_text(element, unseen, level):
            continue
        if element.tag in _REPORTED and (text := _text_of(element)):
            unseen.append(text)
            gone.update(element.iterdescendants())
        tree.drop(element)
    return unseen


def _writes_text(element: HtmlElement, unseen: list[str], level: int) -> bool:
    """Whether *element* is text of the page now."""
    write = _WRITERS.get(element.tag)
    return write is not None and bool(write(element, unseen=unseen, level=level))


def _mark_forms(root: HtmlElement) -> None:
    """Note on the forms of *root* that they ask something, or take entries; on fields of the latter, what to show."""
    questions: list[tuple[HtmlElement, HtmlElement]] = []
    for field in root.iter("input", "textarea", "select"):
        form = None if _is_fixed(field) else next(field.iterancestors("form"), None)
        if form is None:
            continue
        if field.tag == "textarea" or _kind(field) in _TYPED:
            form.set(ASKS, "")
        if (form.get("method") or "").lower() != "get" and _kind(field) in _ANSWERABLE:
            questions.append((field, form))
    full = _blocks_of_questions(questions)
    if not full:
        return
    titled = _above_titles(root)
    labelled = {label.get("for") for label in root.iter("label") if _says(label)}
    takes: dict[HtmlElement, bool] = {}
    for field, form in questions:
        # The innermost block that asks enough: some sites stand whole within one form.
        block = next((above for above in islice(field.iterancestors(), _MOST_LEVELS) if above in full), None)
        if block is None:
            continue
        if block not in takes:
            takes[block] = block not in titled and _takes_entries(block, form, full[block])
        if takes[block]:
            form.set(ASKS, ENTRIES)
            is_named = field.get("id") in labelled or any(map(_says, islice(field.iterancestors("label"), 1)))
            field.set(ASKS, "" if is_named else field.get("placeholder") or "")


def _above_titles(root: HtmlElement) -> set[HtmlElement]:
    titled: set[HtmlElement] = set()
    for heading in root.iter("h1"):
        titled.update(takewhile(lambda above: above not in titled, heading.iterancestors()))
    return titled


def _blocks_of_questions(questions: list[tuple[HtmlElement, HtmlElement]]) -> dict[HtmlElement, list[HtmlElement]]:
    """The elements that hold enough of the fields *questions*, up to their forms, with those fields."""
    blocks: dict[HtmlElement, list[HtmlElement]] = {}
    for field, form in questions:
        for above in islice(field.iterancestors(), _MOST_LEVELS):
            blocks.setdefault(above, []).append(field)
            if above is form:
                break
    named = {field: field.get("name") or field.get("id") or field for field, _ in questions}
    return {block: fields for block, fields in blocks.items() if len({named[one] for one in fields}) >= _QUESTIONS}


def _takes_entries(block: HtmlElement, form: HtmlElement, fields: list[HtmlElement]) -> bool:
    """Whether *block* of *form*, which asks enough, is what the page is made for."""
    named = (named_as(block), named_as(form), form.get("action") or "", form.get("role") or "")
    kinds = set(map(_kind, fields))
    if any(map(_MACHINERY.search, named)) or kinds & {"password", "search"} or not kinds & _PERSONAL:
        return False
    chars = accumulate(len(text.strip()) for text in block.itertext())
    return any(so_far >= _QUESTIONS_CHARS for so_far in chars)


def _says(label: HtmlElement) -> bool:
    return any(_has_words(str(text)) for text in label.itertext())


def _kind(field: HtmlElement) -> str:
    return (field.get("type") or "text").lower() if field.tag == "input" else field.tag


def _write_choices(select: HtmlElement) -> bool:
    """The choices of a question, which a reader opens before answering it."""
    if select.get("onchange") is not None or select.get(ASKS) is None:
        return False
    choices = [text for option in select.iter("option") if option.get("value") != "" and (text := _text_of(option))]
    if not 1 < len(choices) <= _MOST_CHOICES or any(map(_ANY.match, choices)):
        return False
    if len({_DIGITS.sub("", text) for text in choices}) == 1:  # years, amounts
        return False
    _make(select, "ul", None)
    for text in choices:
        item = select.makeelement("li")
        item.text = text
        select.append(item)
    return True


def _write_select(select: HtmlElement, *, unseen: list[str], level: int) -> bool:
    """Its choices, where it is a question of the page; the one that is shown, where the text around goes on with it."""
    if not _is_fixed(select) and not is_amid_sentence(select) and _write_choices(select):
        return True
    options = list(select.iter("option"))
    selected = next((option for option in options if option.get("selected") is not None), None)
    is_settled = _is_fixed(select) and selected is not None and selected.get("value") != ""
    if not options or not (is_settled or is_amid_sentence(select) or is_in_figures(select) or _ends_sentence(select)):
        return False
    chosen = options[0] if selected is None else selected
    others = " ".join(text for option in options if option is not chosen and (text := _text_of(option)))
    if others:
        unseen.append(others)
    _make(select, "span", _text_of(chosen))
    return True


def _write_textarea(area: HtmlElement, *, unseen: list[str], level: int) -> bool:
    text = area.text_content().strip()
    if not text:
        return _write_placeholder(area)
    if _TAG.search(text):
        _make(area, "pre", text)
        return True
    _make(area, "div", "")
    for part in re.split(r"\n\s*\n", text):
        lines = part.strip().split("\n")
        paragraph = area.makeelement("p")
        paragraph.text = lines[0]
        for line in lines[1:]:
            line_break = area.makeelement("br")
            line_break.tail = line
            paragraph.append(line_break)
        area.append(paragraph)
    return True


def _write_input(field: HtmlElement, *, unseen: list[str], level: int) -> bool:
    """What stands in a field that nobody can fill in."""
    kind = (field.get("type") or "text").lower()
    if kind not in _TYPED or kind == "password":
        return False
    if not _is_fixed(field) and not _is_part_of_sentence(field, kind):
        return _write_placeholder(field)
    shown = ("☑" if field.get("checked") is not None else "☐") if kind in _TICKED else field.get("value") or ""
    if shown.strip():
        _make(field, "span", shown)
    return bool(shown.strip())


def _write_placeholder(field: HtmlElement) -> bool:
    """What an empty field of a form that takes entries shows, where no label names it."""
    shown = (field.get(ASKS) or "").strip()
    if not shown or field.get("value"):
        return False
    _make(field, "span", shown)
    return True


def _write_frame(frame: HtmlElement, *, unseen: list[str], level: int) -> bool:
    source = frame.get("srcdoc") or ""
    if not source.strip() or level >= _MOST_FRAMES:
        return False
    try:
        body = tree.parse(source).find("body")
    except UnreadableDocument:
        return False
    unseen += write_out(body, level=level + 1)
    _make(frame, "div", body.text)
    frame.extend(list(body))
    return True


def _write_template(template: HtmlElement, *, unseen: list[str], level: int) -> bool:
    """A shadow root that is declared is shown; other templates wait for a script."""
    if not template.get("shadowrootmode"):
        return False
    template.tag = "div"
    return True


def _write_object(fallback: HtmlElement, *, unseen: list[str], level: int) -> bool:
    """A file that is shown in its own box: phones and many readers see the link to it instead."""
    if not any(leads_to_document(link.get("href") or "") for link in fallback.iter("a")):
        return False
    fallback.tag = "div"
    return True


def _write_dialog(dialog: HtmlElement, *, unseen: list[str], level: int) -> bool:
    if dialog.get("open") is None:
        return False
    dialog.tag = "div"
    dialog.set("role", "dialog")
    return True


def _write_drawing(drawing: HtmlElement, *, unseen: list[str], level: int) -> bool:
    """The words that are written in a drawing, in their order there."""
    words = [_text_of(part) for part in drawing.iter("text", "foreignobject")]
    if not any(len(word) > 1 for word in words):
        return False
    _make(drawing, "span", " ".join(word for word in words if word))
    return True


def _write_map(area: HtmlElement, *, unseen: list[str], level: int) -> bool:
    if not area.text_content().strip():
        return False
    area.tag = "div"
    return True


_WRITERS = {
    "select": _write_select,
    "textarea": _write_textarea,
    "input": _write_input,
    "iframe": _write_frame,
    "template": _write_template,
    "object": _write_object,
    "dialog": _write_dialog,
    "svg": _write_drawing,
    "map": _write_map,
}


def _is_fixed(field: HtmlElement) -> bool:
    above = islice(field.iterancestors(), _MOST_LEVELS)
    return (
        field.get("readonly") is not None
        or field.get("disabled") is not None
        or any(each.tag == "fieldset" and each.get("disabled") is not None for each in above)
    )


def _ends_sentence(select: HtmlElement) -> bool:
    """Whether the text before *select* is a sentence that only its choice completes: "The fee is [$5]"."""
    parent = select.getparent()
    before = (parent.text if select.getprevious() is None else select.getprevious().tail) if parent is not None else ""
    return _is_unfinished(before or "") and not (select.tail or "").strip()


def _is_unfinished(text: str) -> bool:
    text = text.rstrip()
    last = _LINKING_WORD.search(text)
    if last is None:
        return False
    line_start = max(0, text.rfind("\n", 0, last.start()) - 1)  # the line break may itself follow the other word
    return _WORD_BEFORE.search(text, line_start, last.start()) is not None


def _is_part_of_sentence(field: HtmlElement, kind: str) -> bool:
    """Whether a field that can be filled in stands, filled in, within a sentence and in no form."""
    is_free = kind in {"text", "number"} and next(field.iterancestors("form"), None) is None
    return is_free and bool((field.get("value") or "").strip()) and is_amid_sentence(field)


def _settle_ticked(root: HtmlElement) -> None:
    """Fix the boxes, in no form, of each list or paragraph of which some are ticked: all say whether they apply."""
    wholes: set[HtmlElement] = set()
    for box in root.iter("input"):
        if (box.get("type") or "").lower() != "checkbox" or box.get("checked") is None or is_switch(box):
            continue
        if next(box.iterancestors("form"), None) is None:
            lists = box.iterancestors("ul", "ol", "table", "fieldset")
            wholes.add(next(chain(lists, box.iterancestors("p")), box))
    for box in (box for whole in wholes for box in whole.iter("input")):
        if (box.get("type") or "").lower() == "checkbox" and not is_switch(box):
            box.set("disabled", "")


def _make(element: HtmlElement, tag: str, text: str | None) -> None:
    """Make *element* an element *tag* with *text* and nothing else, where it stands."""
    tail, own = element.tail, element.get("id")
    element.clear()
    element.tag, element.text, element.tail = tag, text, tail
    if own:
        element.set("id", own)


def _text_of(element: HtmlElement) -> str:
    """What *element* would say, white space folded, scripts and styles apart."""
    texts: Iterable[Any] = element.xpath(".//text()[not(ancestor::script or ancestor::style)]")
    if element.tag in _RAW:
        return " ".join(_TAG.sub(" ", "".join(map(str, texts))).split())
    return " ".join(" ".join(map(str, texts)).split())


# Buttons that carry text of the page: the head of a panel, the name of a tab, a word within a sentence. All others
# are controls, whose words ("Submit", "Print this page") are not text of the page.

_SAYS_ITSELF = names("h1 h2 h3 h4 h5 h6 summary dt")
_FOLDS = re.compile(r"accordion|collaps|toggle|expand|faq|question|unfold|(?:^|[\s_-])tab(?:$|[\s_-])", re.IGNORECASE)
# What a control does, and not what it opens: "Show more", "Print this page".
_ACTION = re.compile(
    r"(?:show|hide|expand|collapse|open|close|toggle|read|view|see|load|print|share|copy|search|menu|more|less|clear|reset"
    r"|sign up|subscribe|register|log ?in|sign in|send|start|continue|download|submit|apply|go|play|pause|stop"
    r"|next|previous|prev|back|top|edit|save|cancel|ok|yes|no|accept|dismiss|got it)"
    r"(?:\s+(?:all|more|less|this|the|details?|menu|sections?|full|table|contents?|pages?|links?|navigation|on|results?"
    r"|facebook|twitter|linkedin|e?-?mail|friend|a|with|by|filters?|answers?|text|to|clipboard|sub-?menu|panels?|questions?|cookies?|site|for))*\W*",
    re.IGNORECASE,
)
# A question of the text, "Is a mobile home a dwelling?"; what a page asks its reader is of "this page", or of "you".
_QUESTION = re.compile(
    r"(?!.*\b(?:this (?:page|site)|help you|your (?:password|question|location|state))\b)(?:\S+\s+){3,}\S+\?\W*",
    re.IGNORECASE,
)
_TARGETS = ("aria-controls", "data-target", "data-bs-target")
_INLINE = names("span a b strong i em u small abbr dfn mark font")
_LINES = names("p li td th dd dt div blockquote figcaption caption h1 h2 h3 h4 h5 h6") | _INLINE
_PARAGRAPHS = names("p li td dd blockquote")
_BOXES = names("div span h2 h3 h4 h5 h6 dt header")
# Labels of controls and of what they do are shorter.
_LINE_CHARS = 40
_GOES_ON = re.compile(r"[.,;:!?)\]’”\"'—–-]|\s+[(\[‘“\"']?\w|\w")


def keep_buttons(root: HtmlElement, controls: Controls) -> None:
    """Turn those buttons of *root* into text that are more than controls."""
    for button in list(root.iter("button")):
        if not (says := " ".join(button.text_content().split())) or _ACTION.fullmatch(says):
            continue
        if (button.get("type") or "").lower() in {"submit", "reset"} or is_overlay(named_as(button)):
            continue
        if is_amid_sentence(button) or is_in_paragraph(button) or _is_entry(button, says):
            button.tag = "span"
        elif not any(above.tag in _SAYS_ITSELF for above in button.iterancestors()) and _heads(button, controls, root):
            button.tag = "div"


def _heads(button: HtmlElement, controls: Controls, root: HtmlElement) -> bool:
    """Whether *button* says what the part of the page is about that it opens."""
    own = next(filter(None, (button.get(name) or "" for name in _TARGETS)), "").lstrip("#")
    is_tab = (button.get("role") or "") == "tab"
    opened = None
    if own:
        opened = next(iter(root.xpath(".//*[@id=$own]", own=own)), None)
        if own not in controls.expanded and not is_tab:
            return False
    elif button.get("aria-expanded") is not None or _FOLDS.search(f"{named_as(button)} {button.get('onclick') or ''}"):
        opened = _behind(button)
    asks = bool(_QUESTION.fullmatch(" ".join(button.text_content().split())))
    if asks and opened is None and not own:
        opened = _behind(button)
    if opened is None or is_overlay(named_as(opened)):
        return False
    least = 0 if is_tab or asks else len(button.text_content())
    return len(opened.text_content().strip()) > least


def _behind(button: HtmlElement) -> HtmlElement | None:
    """What follows *button*, or the box that holds nothing else."""
    holder = button
    while holder.getnext() is None:
        above = holder.getparent()
        if above is None or above.tag not in _BOXES or _has_words(holder.tail, above.text) or len(above) > 1:
            return None
        holder = above
    return holder.getnext()


def _is_entry(button: HtmlElement, says: str) -> bool:
    """Whether *button* is a figure in a table with headers, or one that nobody can press: "Effective"."""
    if not is_in_figures(button):
        return False
    return button.get("disabled") is not None or any(map(str.isdigit, says))


def is_in_figures(control: HtmlElement) -> bool:
    """Whether *control* is an entry of a table with headers."""
    cell = next(control.iterancestors("td", "th"), None)
    return cell is not None and has_headers(cell)


def is_switch(box: HtmlElement) -> bool:
    """Whether a checkbox is there to be clicked by a label far from it, which folds a part of the page or its menu."""
    named = named_as(box)
    is_unseen = box.get("hidden") is not None or box.get("style") is not None or "hidden" in named
    return is_unseen or is_overlay(named) or bool(_FOLDS.search(named))


def is_amid_sentence(control: HtmlElement) -> bool:
    """Whether a line of text leads to *control*, and goes on behind it."""
    parent = control.getparent()
    while parent is not None and parent.tag in _INLINE and not _has_words(parent.text, *(one.tail for one in parent)):
        control, parent = parent, parent.getparent()
    if parent is None or parent.tag not in _LINES or not _GOES_ON.match(control.tail or ""):
        return False
    before = _before(control, parent)
    return _has_words(before) and not before.rstrip().endswith(":")  # "Year: [ ] Category: [ ]"


def is_in_paragraph(inline: HtmlElement) -> bool:
    """Whether *inline* begins or ends a line of some length, and does not tell the page what to do."""
    parent = inline.getparent()
    if parent is None or parent.tag not in _PARAGRAPHS or _ACTION.fullmatch(" ".join(inline.text_content().split())):
        return False
    return sum(len(text.strip()) for text in (parent.text, *(one.tail for one in parent)) if text) >= _LINE_CHARS


def _before(control: HtmlElement, parent: HtmlElement) -> str:
    """The text of the line that *control* stands on, up to it."""
    pieces: list[str | None] = []
    for sibling in control.itersiblings(preceding=True):
        pieces.append(sibling.tail)
        if sibling.tag == "br":
            break
        pieces.append(sibling.text_content() if sibling.tag in _INLINE or sibling.tag == "label" else None)
    else:
        pieces.append(parent.text)
    return "".join(piece for piece in reversed(pieces) if piece)


def _has_words(*texts: str | None) -> bool:
    return any(any(map(str.isalnum, text)) for text in texts if text)
