"""Lists and ranges behind a head: "1026.35, .37, and 1026.43(c) through (e)" is four citations."""

import re
from dataclasses import dataclass

# A pin in words belongs to the item before: "sections 47.206, subdivision 1; 82.17, subd. 4; and 82.18".
_SEPARATOR = re.compile(
    r"(?:,?\s(?:sub(?:d(?:ivisions?|s?\.)|sections?)|par(?:agraphs?|\.)|cl(?:ause|\.))\s[\w()]{1,8}"
    r"(?:(?:,\s(?:and\s|or\s)?|\s(?:and|or|to)\s)\d{1,2}[a-z]?(?![\w.:-])){0,9}){0,3}"
    r"(?:\s*[,;]\s*(?:and/or|and|or|to|through|&|except(?:\s+for)?)?\s*|\s+(?:and/or|and|or|to|through|&|except(?:\s+for)?)\s+|\s*[–—-]\s*)(?:§§?\s*|"
    r"[Ss]ections?\s+)?"
)
# A number that begins another thing: a statute's volume, another title, a count, a year.
_NO_SECTION = re.compile(
    r"\s+(?:U\.?\s?S\.?\s?C|C\.?\s?F\.?\s?R|Stat\b|FR\b|F\.R|Fed\.?\s|days?\b|years?\b|months?\b|percent|"
    r"hours?\b|business|calendar|U\.S\.|[A-Z][A-Za-z.]{0,7}\.\s?[A-Z\d]|[A-Z]{2,6}\s(?:[\d§]|Part\s)|(?:Pa|Del|Va|Ill|Tex)\.\s)"
    r"|\s+[A-Z]{4,6}(?=[;,.)]|$)|%|,\d{3}|\.\d|-[a-z]{3}|-\d{1,3}\s?%"
)
# The longest list of a year of the Federal Register (an authority line) has 61 items.
_MAX_ITEMS = 200
_GLOSS = re.compile(r"\s\([A-Za-z][^()]{2,60}\)(?=,?\s(?:and\s)?\d{1,4}[A-Z]?[.:-]\d)")
# "42 U.S.C. 1490 and section 520 of the Housing Act": the second is of another law, and so are those behind it:
# "R.C. 1349.01; sections 1322.01 to 1322.99 of the Revised Code".
_OF_ANOTHER = re.compile(
    r"(?:(?:,?\s(?:and|or|to|through)\s|,\s|[–-])\d[\w.:-]{0,16}(?:\(\w{1,4}\)){0,4}){0,12}"
    r"(?:,\s(?:[A-Z]\.){2,4}|,\s[A-Z]{3,4}\b|\s+of\s+(?:the\s+[A-Z]|title\s+\d|\d{1,3}\s+[A-Z]|[A-Z]{3,5}\b))"
)
_HEADS_DASH = re.compile(r"\s[–—-]\s")
_SHORT = re.compile(r"\.\d{1,4}|-\d{2,4}(?:\.\d{1,2})?(?![\w-])")
_YEAR = re.compile(r"(?:19|20)\d{2}(?!\d)")


@dataclass(frozen=True, slots=True)
class Item:
    """One citation of a list: its section or part, and its paragraphs."""

    start: int
    end: int
    number: str
    path: tuple[str, ...]

    @property
    def pinned(self) -> str:
        return self.number + written(self.path)


def read_list(text: str, at: int, number: re.Pattern[str], *, pinned: bool = True) -> list[Item]:
    """The items from ``at`` on, where the first number stands.

    ``number`` matches one number of the kind of the head.
    """
    first = number.match(text, at)
    if first is None:
        return []
    path, end = read_pins(text, first.end()) if pinned else ((), first.end())
    return continued(text, Item(first.start(), end, mended(first[0]), path), number, pinned=pinned)


def continued(text: str, first: Item, number: re.Pattern[str] | None = None, *, pinned: bool = True) -> list[Item]:
    """The list that goes on behind its first item; without ``number`` only paragraphs go on."""
    items = [first]
    while len(items) < _MAX_ITEMS and (separator := _separator(text, items[-1])):
        following = _next(text, separator.end(), number, items[-1], pinned=pinned)
        if following is None:
            break
        items.append(following)
    return items


def _separator(text: str, before: Item) -> re.Match[str] | None:
    """What stands between two items; also a gloss: "1024.35 (error resolution), 1024.36"."""
    gloss = None if before.number.isalnum() else _GLOSS.match(text, before.end)
    return _SEPARATOR.match(text, gloss.end() if gloss else before.end)


def _next(text: str, at: int, number: re.Pattern[str] | None, before: Item, *, pinned: bool) -> Item | None:
    if pinned and text.startswith("(", at):
        return _same_section(text, at, before)
    if number is None:
        return None
    if short := _SHORT.match(text, at):  # "§§ 1026.35 and .37", "§§ 32-9-104, -116"
        chapter, joint, _ = before.number.rpartition(short[0][0])
        if joint and not text[before.end : at].isspace():
            path, end = read_pins(text, short.end())
            return Item(at, end, chapter + short[0], path)
    match = number.match(text, at)
    if match is None or _NO_SECTION.match(text, match.end()):
        return None
    if ":" in before.number and match[0].isdecimal() and _names_section(text, at):
        return None  # "907 KAR 1:604, Section 2": a section of the regulation
    if _HEADS_DASH.search(text, before.end, at) and not _is_higher(match[0], before.number):
        return None  # "26 U.S.C. § 67 - 2 percent floor": what the section is about
    if "." not in match[0] and _YEAR.fullmatch(match[0]) and not _YEAR.fullmatch(before.number):
        return None  # ", 2010" after a section is when it was passed
    path, end = read_pins(text, match.end()) if pinned else ((), match.end())
    number_of_range = _without_ellipsis(match[0], before.number) if text[before.end : at] in _DASHES else match[0]
    return (
        None
        if _OF_ANOTHER.match(text, end) and _names_section(text, at)
        else Item(match.start(), end, mended(number_of_range), path)
    )


_DASHES = {"-", "–", "—"}
_LAST_TWO = re.compile(r"\d{2}[a-z]{0,2}")


def _without_ellipsis(number: str, before: str) -> str:
    """The end of a range in full, of which the Bluebook (rule 3.2) keeps two digits: "§§ 3601-19" ends at 3619."""
    first = re.fullmatch(r"(\d{1,3})(\d{2})[a-z]{0,2}", before)
    is_short = first and _LAST_TWO.fullmatch(number) and number[:2] >= first[2]
    return first[1] + number if first and is_short else number


def _is_higher(number: str, before: str) -> bool:
    """Whether a range could go from *before* to *number*, by the digits that they begin with."""
    first, second = (re.match(r"\d+", one) for one in (before, number))
    return first is not None and second is not None and int(second[0]) >= int(first[0])


def mended(number: str) -> str:
    """A number as it was before the scan and the typesetter: "l024.41" is 1024.41, "1395w–4" 1395w-4."""
    number = number.replace("–", "-").replace("—", "-")
    if number[0] in "lI" and number[1:2].isdecimal():
        return "1" + number[1:].replace("O", "0")
    return number


def _names_section(text: str, at: int) -> bool:
    return bool(re.search(r"(?:[Ss]ections?\s|§\s?)$", text[max(0, at - 10) : at]))


def _same_section(text: str, at: int, before: Item) -> Item | None:
    path, end = read_pins(text, at)
    full = resolved(before.path, path) if path else None
    return Item(at, end, before.number, full) if full else None


# Paragraph designations: ``(a)(1)(ii)`` as a path, and what "(B)" after it means. In the CFR the levels run
# (a)(1)(i)(A)(1)(i), in the U.S.C. (a)(1)(A)(i)(I); both are told by the form of the designation, so that "(c) or
# (d)" after ``553(b)`` replaces (b), and "(C)" after ``(a)(1)(B)`` the last level only.

# One designation: a number, a roman numeral, one or two letters. "(1968)" and "(the)" are none.
PIN = re.compile(r" ?\((?:\*)?(\d{1,2}-[A-Z]|\d{1,3}|[ivx]{1,6}|[IVX]{1,6}|[a-z]{1,2}|[A-Z]{1,2})(?:\*)?\)")
_ROMAN = re.compile(r"[ivx]+$")
_UPPER_ROMAN = re.compile(r"[IVX]+$")


def read_pins(text: str, at: int) -> tuple[tuple[str, ...], int]:
    """The path that begins at ``at`` and the offset behind it. A blank before the first designation is not allowed."""
    path: list[str] = []
    while (match := PIN.match(text, at)) and not (match[0][0] == " " and not path):
        if match[0][0] == " " and not _goes_on(path, match[1]):
            break
        path.append(match[1])
        at = match.end()
    return tuple(path), at


def read_spaced_pins(text: str, at: int) -> tuple[tuple[str, ...], int]:
    """The path that begins behind a blank, as some states write it: "224.77 (1) (m)"; the end of none is *at*."""
    whole: tuple[str, ...] = ()
    while text.startswith(" (", at) and (found := read_pins(text, at + 1))[0]:
        whole, at = whole + found[0], found[1]
    return whole, at


def _goes_on(path: list[str], designation: str) -> bool:
    """After a blank a designation belongs to the path only as its first sub-level: "1026.43 (a)" is a new thought."""
    return bool(path) and designation in ("1", "i", "A")


def written(path: tuple[str, ...]) -> str:
    return "".join(f"({designation})" for designation in path)


def resolved(before: tuple[str, ...], path: tuple[str, ...]) -> tuple[str, ...] | None:
    """The full path of "(C)" or "(d)(1)" in a list after ``before``; None when nothing in it is of the same form."""
    wanted = _form(path[0])
    if len(before) == 1 and before[0] in {"i", "I"} and not wanted & {"letter", "capital", "number"}:
        return path  # "clauses (i) and (ii)": no letter (i), but the number one
    for level in range(len(before) - 1, -1, -1):
        if wanted & _form_at(before, level):
            return (*before[:level], *path)
    return None


def _form_at(path: tuple[str, ...], level: int) -> set[str]:
    """ "(i)" is the letter after (h) at the first level, and the number one below a number or a capital."""
    forms = _form(path[level])
    if len(forms) < 2:
        return forms
    return forms - {"roman", "upper roman"} if level == 0 else forms - {"letter", "capital"}


def _form(designation: str) -> set[str]:
    if designation[0].isdecimal():
        return {"number"}
    forms: set[str] = set()
    if _ROMAN.match(designation):
        forms.add("roman")
    if _UPPER_ROMAN.match(designation):
        forms.add("upper roman")
    if len(designation) == 1 or not forms:
        forms.add("letter" if designation.islower() else "capital")
    return forms
