"""What one page has shown after another: the text that a later state replaced, put back where it stood.

In: two states of one page as HTML, before and after a step that its source asks for. Out: the later one, with the rows,
panels and paragraphs that it no longer has before those that came in their place. A dialog that a step opened, which
the browser marks, becomes a section of the main part.
"""

from collections import Counter
from collections.abc import Iterator
from copy import deepcopy

from lxml import etree
from lxml.html import HtmlElement

from rori_spiders.content.dom_names import names
from rori_spiders.content.html import tree
from rori_spiders.content.html.visible_text import NOT_TEXT, is_hidden, is_loading

_INLINE = NOT_TEXT | names(
    "a abbr b bdi bdo big br cite code data del dfn em font i img ins kbd label mark q rp rt ruby s samp small span"
    " strike strong sub sup time tt u var wbr"
)
#: What is kept or left out as a whole, whatever it holds.
_WHOLE = names("tr p pre h1 h2 h3 h4 h5 h6 dt caption legend summary")
_LEFT_OUT = NOT_TEXT | names("nav label dialog link meta")
_OF_DIALOGS = ("role", "aria-modal", "open", "popover", "class", "data-dialog-shown")
_CONTROL_ROLES = names("button tab tablist navigation progressbar status dialog alertdialog")


def keep_replaced_text(before: str, after: str) -> str:
    """*after* with what *before* showed and it does not: as it came where that is nothing. Raises UnreadableDocument.

    What stands in *after* is neither changed nor repeated.
    """
    if before == after:
        return after
    old, new = _with_blocks(tree.parse(before)), tree.parse(after)
    has_opened = _place_opened_dialogs(new)
    shown = " \n ".join(["", *map(_text, _parts(_with_blocks(deepcopy(new)))), ""])
    if not _merge(old, new, shown) and not has_opened:
        return after
    doctype = after[: after.index(">") + 1] if after[:9].lower() == "<!doctype" else ""
    return doctype + etree.tostring(new, method="html", encoding="unicode")


def _place_opened_dialogs(root: HtmlElement) -> bool:
    """Make sections of the dialogs that a step has opened, at the end of the main part; whether there are any."""
    opened = root.xpath("//*[@data-dialog-shown='step'][not(ancestor::*[@data-dialog-shown='step'])]")
    main = next(iter(root.xpath("//main | //*[@role='main']")), None)
    for dialog in opened:
        tree.move_to_main(dialog, main, without=_OF_DIALOGS)
    return bool(opened)


def _with_blocks(root: HtmlElement) -> HtmlElement:
    """*root* with what a reader sees: words that stand beside blocks have a block of their own."""
    for element in list(root.iterdescendants()):
        if not _is_kept(element):
            tree.drop(element)
    for element in list(root.iter(etree.Element)):
        if not _is_container(element):
            continue
        run = etree.Element("p")
        run.text, element.text = element.text, None
        children = list(element)
        for child in [*children, None]:
            if child is not None and _is_inline(child):
                run.append(child)
                continue
            if _text(run):
                element.insert(len(element) if child is None else element.index(child), run)
            if child is not None:
                run = etree.Element("p")
                run.text, child.tail = child.tail, None
    return root


def _merge(old: HtmlElement, new: HtmlElement, shown: str) -> bool:
    """Put what *old* lost into *new*, which stands in its place; whether it lost anything."""
    left = list(new)
    keys, of_old = Counter(map(_key, left)), Counter(map(_key, old))
    places: dict[object, int] = {}
    for place, one in enumerate(left):
        places[_key(one) if keys[_key(one)] == 1 else (one.tag, _text(one))] = place
    at, is_changed = 0, False
    for child in old:
        key = _key(child)
        # Items of a numbered list would get other numbers in the list that took its place.
        is_paired = _is_container(child) and keys[key] == of_old[key] == 1 and child.tag != "ol"
        place = places.get(key if is_paired or keys[key] == 1 else (child.tag, _text(child)), -1)
        if is_paired:
            is_changed |= _merge(child, left[place], shown)
        elif (lost := _lost_part(child, shown)) is not None:
            is_changed = True
            if at < len(left):
                left[at].addprevious(lost)
            else:
                new.append(lost)
            continue
        at = max(at, place + 1)
    return is_changed


def _lost_part(element: HtmlElement, shown: str) -> HtmlElement | None:
    """A copy of *element* with what is not in *shown*; None of nothing. An id names one element: it has none."""
    if not _is_container(element):
        text = _text(element)
        if not text or f" {text} " in shown or is_loading(text):
            return None
        copy = deepcopy(element)
    else:
        if element.tag == "ol":
            start = element.get("start", "1")
            for number, item in enumerate(element.iterchildren("li"), int(start) if start.isdecimal() else 1):
                item.set("value", item.get("value", str(number)))
        parts = [lost for one in element if (lost := _lost_part(one, shown)) is not None]
        if not parts:
            return None
        copy = etree.Element(element.tag, dict(element.attrib))
        copy.extend(parts)
    copy.tail = None
    for one in copy.iter(etree.Element):
        one.attrib.pop("id", None)
    return copy


def _parts(root: HtmlElement) -> Iterator[HtmlElement]:
    """What is kept or left out as a whole."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if _is_container(element):
            waiting.extend(element)
        else:
            yield element


def _is_container(element: HtmlElement) -> bool:
    return element.tag not in _WHOLE and not _is_inline(element) and not all(map(_is_inline, element))


def _is_inline(element: HtmlElement) -> bool:
    return element.tag in _INLINE and all(map(_is_inline, element))


def _is_kept(element: HtmlElement) -> bool:
    is_shown = isinstance(element.tag, str) and element.tag not in _LEFT_OUT and not is_hidden(element)
    return is_shown and element.get("role") not in _CONTROL_ROLES


def _key(element: HtmlElement) -> tuple[object, ...]:
    return element.tag, element.get("id"), element.get("class")


def _text(element: HtmlElement) -> str:
    if not isinstance(element.tag, str):
        return ""
    return " ".join(etree.tostring(element, method="text", encoding="unicode", with_tail=False).split())
