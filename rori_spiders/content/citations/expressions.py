r"""Expressions that are tried where they may match. ``\b`` at the front of one has `re` try at every character of a
text; where it stands behind the first character, `re` looks for that character first, which takes a third to a
twentieth of the time. Most have a trigger, without which a text has no match: all triggers are looked for at once.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

import re2

#: What RE2 knows of ASCII alone, as `re` knows it.
_UNICODE = {
    r"\s": r"[\t-\r\x{1c}-\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]",
    r"\d": r"\p{Nd}",
}
_ESCAPE = re.compile(r"\\.", re.DOTALL)
_triggers: dict[str, "Trigger"] = {}


class Trigger(int):
    """A place among the triggers of all expressions."""

    def is_in(self, text: str) -> bool:
        """Whether *text* has it: of one text all triggers are looked for together."""
        found = _triggers_in(text)
        return self in found or not found


def trigger(pattern: str) -> Trigger:
    """What *pattern* is for a text. Of escapes it has ``\\s`` and ``\\d``, outside of classes, and those of signs."""
    return _triggers.setdefault(pattern, Trigger(len(_triggers) + 1))


@lru_cache(maxsize=2)  # every expression asks for those of the same text, some with hyphens for its dashes
def _triggers_in(text: str) -> frozenset[int]:
    """The triggers in *text*, and 0; none at all, where RE2 had not the memory to look."""
    return frozenset(_compiled(len(_triggers)).Match(text.encode("utf-8", "surrogatepass")))


@cache
def _compiled(_number: int) -> re2.Set:
    """All triggers; the first is in any text, so that what finds none is known to have failed."""
    together = re2.Set.SearchSet()
    for pattern in ("", *_triggers):
        together.Add(_ESCAPE.sub(lambda escape: _UNICODE.get(escape[0], escape[0]), pattern))
    together.Compile()
    return together


class Triggered(NamedTuple):
    """An expression, and what a text must have for it to match."""

    regex: re.Pattern[str]
    trigger: Trigger

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return self.regex.finditer(text) if self.trigger.is_in(text) else iter(())

    def search(self, text: str) -> re.Match[str] | None:
        return self.regex.search(text) if self.trigger.is_in(text) else None


def triggered(needed: str, pattern: str, flags: int = 0) -> Triggered:
    """*pattern*, tried where a text has the trigger *needed*."""
    return Triggered(compile_anywhere(pattern, flags), trigger(needed))


def compile_anywhere(pattern: str, flags: int = 0) -> re.Pattern[str]:
    r"""Compile *pattern*; a ``\b`` at its front stands behind its first letter, where it has one."""
    word = pattern.removeprefix(r"\b")
    at_word = word != pattern and _FIRST.match(word)
    return compile_at_word(word) if at_word else re.compile(pattern, flags)


#: Behind the sign or the word of a section its number.
SECTION_TRIGGER = r"(?:§|[Ss]ec(?:tions?|s?\.))\s{0,3}\d"

_FIRST = re.compile(r"(?:[A-Za-z]+|\[[A-Za-z]+\])(?![?*+{])")


def spelled(words: Iterable[str]) -> str:
    """Alternatives, the longest first; blanks of any kind between words."""
    longest = sorted(set(words), key=len, reverse=True)
    return "|".join(re.escape(word).replace(r"\ ", r"\s{1,3}") for word in longest)


def spelled_from_capital(words: Iterable[str]) -> str:
    """`spelled` words that begin with a capital, which stands first: `re` then passes over all other characters."""
    rest: dict[str, list[str]] = {}
    for word in words:
        rest.setdefault(word[0], []).append(word[1:])
    tails = "|".join(f"(?<={first})(?:{spelled(after)})" for first, after in sorted(rest.items()))
    return rf"[{''.join(sorted(rest))}](?<![\w.].)(?:{tails})"


def compile_at_word(pattern: str) -> re.Pattern[str]:
    r"""Compile ``\b`` + *pattern*, which begins with a letter or with a class of letters that is there once.

    Raises ValueError for one that does not.
    """
    first = _FIRST.match(pattern)
    if first is None:
        raise ValueError(f"{pattern!r} begins with no letter")
    return re.compile(rf"{first[0]}(?<=\b{first[0]}){pattern[first.end() :]}")
