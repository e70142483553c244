"""Whether a page knows whom and what a field's description calls by name.

In: a description; a page's text. Out: the first name that the page does not have. A made-up programme has no fee.
"""

from __future__ import annotations

import re

#: Words in capitals that do not merely begin a sentence.
_NAME = re.compile(r"(?<![.!?;:(] )(?<!^)\b[A-Z][\w'-]*(?: (?:(?:of|the|and|for|to|in) )*[A-Z][\w'-]*)*")
_CAPITAL = re.compile(r"[A-Z][\w'-]*")


def unknown_name(description: str, page: str) -> str | None:
    """The first name in *description* that *page* does not have; None where it has all.

    A page has a name by more than half of its words, or by its initials.
    """
    return next((found[0] for found in _NAME.finditer(description) if not _has(page, _CAPITAL.findall(found[0]))), None)


def _has(page: str, words: list[str]) -> bool:
    known = sum(re.search(rf"\b{re.escape(word)}\b", page, re.IGNORECASE) is not None for word in words)
    initials = "".join(word[0] for word in words)
    return 2 * known > len(words) or (len(words) > 1 and re.search(rf"\b{initials}\b", page) is not None)
