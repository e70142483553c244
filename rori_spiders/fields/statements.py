"""What a sentence says of a yes or no: whether it denies, and the whole of the sentence that a quote was cut from.

In: plain text. Out: words of denial; stretches. English only.
"""

from __future__ import annotations

import re

_NOT = re.compile(
    r"\b(?:no|not|never|none|nor|neither|without|cannot|nothing|nobody|hardly|non)\b|n't\b|\b(?:non|un)-", re.IGNORECASE
)
_DENIALS = re.compile(
    r"\b(prohibit|forbid|forbad|bann|ban\b|exempt|exclud|waiv|lack|fail|refus|den(?:y|ie)|withdr|repeal|revok|discontinu)\w*",
    re.IGNORECASE,
)
_CONDITIONS = re.compile(r"\b(?:unless|except|only if|whether)\b", re.IGNORECASE)
_ENDS = re.compile(r"[.!?;][\"')]* (?=[A-Z\"'(\[])")
#: What is farther away, in characters, is taken for another sentence.
_REACH = 600


_SAYS_LITTLE = (
    "the and for are was has had not may any its all can who but one two whether this that these those with from have"
    " been were will would shall should must does which there their them they page value field true false when where"
    " what only also other such than then into upon each every more most"
)
_EMPTY = frozenset(_SAYS_LITTLE.split())
_SAYS_HOW_MUCH = (
    "minimum maximum min max least highest lowest longest shortest largest number numbers percent percentage amount"
    " day days month months year years hours dollars required allowed name names date list"
)
#: Words of a field that say how much or in what, and not of what.
_MEASURES = frozenset(_SAYS_HOW_MUCH.split())


def sentence_around(text: str, start: int, end: int) -> tuple[int, int]:
    """The whole sentences that ``text[start:end]`` is part of: what was left out of a quote may turn its meaning."""
    before = [one.end() for one in _ENDS.finditer(text, max(0, start - _REACH), start + 1) if one.end() <= start]
    after = _ENDS.search(text, max(start, end - 1), end + _REACH)
    return (before[-1] if before else max(0, start - _REACH)), (
        after.start() + 1 if after else min(len(text), end + _REACH)
    )


def says(sentence: str, about: str) -> bool | None:
    """Whether *sentence* asserts or denies; None where it may be either: denied twice, or on a condition.

    *about*: name and description of the field. What it denies itself ("whether penalties are prohibited") is no denial
    in the sentence.
    """
    asked = {found[1].lower() for found in _DENIALS.finditer(about)}
    denials = len(_NOT.findall(sentence))
    denials += sum(found[1].lower() not in asked for found in _DENIALS.finditer(sentence))
    if denials > 1 or _CONDITIONS.search(sentence):
        return None
    return denials == 0


def share_a_word(sentence: str, about: str) -> bool:
    """Whether both have a word of three letters or more in common, endings aside."""
    return bool(_stems(sentence) & _stems(about))


def speaks_of(said: str, name: str, description: str) -> bool:
    """Whether *said* has half of the words of *name*, or of *description*, and two at least where there are so many.

    Endings aside; words that only measure do not count, unless there are no others.
    """
    words = _stems(said)
    subjects = [_stems(about, _EMPTY | _MEASURES) or _stems(about) for about in (name, description)]
    return any(wanted and len(words & wanted) >= _needed(len(wanted)) for wanted in subjects)


def _needed(words: int) -> int:
    return max(min(words, 2), -(-words // 2))


def _stems(text: str, besides: frozenset[str] = _EMPTY) -> set[str]:
    words = re.findall(r"[a-z]{3,}", text.lower().replace("_", " "))
    return {_stem(word) for word in words if word not in besides}


def _stem(word: str) -> str:
    """ "form" is "forms", and "cancel" is "cancellation"."""
    return word.removesuffix("s")[:6] if len(word) > 3 else word
