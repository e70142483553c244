"""Names of elements, roles, classes: sets of them, written as they are read, and what an element is called."""

from lxml.html import HtmlElement


def names(words: str) -> frozenset[str]:
    """The words of *words*, apart by white space, as a set."""
    return frozenset(words.split())


def class_and_id(element: HtmlElement) -> str:
    """What the author of a page calls *element*; " " for nothing."""
    return f"{element.get('class') or ''} {element.get('id') or ''}"
