"""The text of a page as markdown text: white space as a reader sees it, and no character that markdown would act on.

White space is folded as a browser folds it; non-breaking and typographic spaces become a space, soft hyphens and
zero-width characters go, control characters are read as Windows-1252 the way browsers read them.
"""

import re
import unicodedata
from collections.abc import Iterator

_SPACES = re.compile(r"[ \t\r\n\f\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\xa0]+")
# What `&#128;` to `&#159;` stand for on pages written on Windows; the five holes are dropped.
_WINDOWS = {code: bytes((code,)).decode("cp1252", "ignore") or None for code in range(0x80, 0xA0)}
_UNSEEN = dict.fromkeys((0xAD, 0x200B, 0x2060, 0xFEFF, 0x200E, 0x200F))
_CHARACTERS: dict[int, str | None] = {**_WINDOWS, **_UNSEEN}
_CHANGED = re.compile(f"[{''.join(map(chr, _CHARACTERS))}]")
_OTHER_SPACE = re.compile(_SPACES.pattern.replace("[ ", "[").removesuffix("+"))
_PLAIN = re.compile(r"[A-Za-z0-9 ,.;:()'\"“”’§–—/$%?\u00c0-\u024f]*\Z")

# Each match of the next begins with one of these; to look for them alone takes a fifth of the time.
_SPECIAL = re.compile(r"[\\*`_\]<&~]")
_ANYWHERE = re.compile(
    r"""\\(?=[!-/:-@\[-`{-~]|$)         # a backslash that would escape what follows
      | [*`]
      | (?<![^\W_])_|_(?![^\W_])        # inside a word an underscore is only an underscore
      | \](?=[(:])                      # would begin a link's target, or a definition
      | <(?=[A-Za-z/!?])                # would begin a tag
      | &(?=\#?\w+;)                    # would be a character reference
      | ~(?=~)
    """,
    re.VERBOSE,
)
_LINE_START = re.compile(
    r"""(?P<mark>\#(?=\#{0,5}(?:\s|$)) | [-+:](?=\s|$) | > | ~(?=~~) | [-=:|](?=[-=:|\s]*$) )
      | (?P<number>\d{1,9})(?=[.)](?:\s|$))
    """,
    re.VERBOSE,
)


def fold(text: str) -> str:
    """*text* with its white space folded and its unseen characters gone."""
    if not text.isascii() and _CHANGED.search(text):
        text = text.translate(_CHARACTERS)
    return _SPACES.sub(" ", text) if "  " in text or _OTHER_SPACE.search(text) else text


def verbatim(text: str) -> str:
    """*text* of a preformatted block: lines as they are, non-breaking spaces as spaces."""
    return text.translate(_CHARACTERS).replace("\xa0", " ").replace("\r\n", "\n").replace("\r", "\n")


def is_plain(text: str) -> bool:
    """Whether there is nothing in *text* that markdown could act on, wherever in a line it stands."""
    return _PLAIN.match(text) is not None


def escape(text: str) -> str:
    """*text* with a backslash before each character that markdown would act on anywhere in a line."""
    return _ANYWHERE.sub(r"\\\g<0>", text) if _SPECIAL.search(text) else text


def escape_line_start(text: str) -> str:
    """*text*, which begins a line, with a backslash where it would begin a list, a heading, a quote or a rule."""
    found = None if text[:1].isalpha() else _LINE_START.match(text)
    if found is None:
        return text
    if (number := found["number"]) is not None:
        return f"{number}\\{text[len(number) :]}"
    return "\\" + text


def one_line(text: str) -> str:
    """Converted *text* on one line, for headings and link texts."""
    return re.sub(r"\s+", " ", text.replace(BREAK, " ")).strip()


# Inline marks: put as placeholders while the tree is walked, written when each line and its neighbours are known.
# CommonMark takes `**` for a mark only between certain neighbours: ``**Sec. 1.**Text`` shows its asterisks. Such
# pairs, common in statutes, are written as HTML tags, which markdown allows. The placeholders are Unicode
# noncharacters; the parser removes those from every page.

STRONG, STRONG_END = "\ufdd0", "\ufdd1"
EM, EM_END = "\ufdd2", "\ufdd3"
DELETED, DELETED_END = "\ufdd4", "\ufdd5"
LINK, LINK_END = "\ufdd6", "\ufdd7"
BREAK = "\ufdd8"
IMAGE = "\ufdd9"  # before a LINK

_PAIRS = {
    STRONG: (STRONG_END, "**", "strong"),
    EM: (EM_END, "*", "em"),
    DELETED: (DELETED_END, "~~", "del"),
}
_SHOWN = {LINK: "[", LINK_END: ")", BREAK: " "}
_ENDS = {end: start for start, (end, _, _) in _PAIRS.items()}
_EMPHASIS = "".join((*_PAIRS, *_ENDS))
_EMPHASIS_MARK = re.compile(f"[{_EMPHASIS}]")
_ANY = re.compile("[\ufdd0-\ufdd9]")
# Brackets of the text that only met when elements were joined: they would make a link or a definition.
_CHANCE_LINK = re.compile(r"(?<![\ufdd7\\])\](?=\()|(?<=^\[)([^\[\]]*)(?<!\\)\](?=:)")
_ADJACENT = re.compile("\ufdd1\ufdd0|\ufdd3\ufdd2|\ufdd5\ufdd4")
_EMPTY = re.compile("\ufdd0( *)\ufdd1|\ufdd2( *)\ufdd3|\ufdd4( *)\ufdd5")
_SPACE_INSIDE_START = re.compile("([\ufdd0\ufdd2\ufdd4])([ \ufdd8]+)")
_SPACE_INSIDE_END = re.compile("(?<![ \ufdd8])([ \ufdd8]+)([\ufdd1\ufdd3\ufdd5])")
# What one of the rules above may apply to; most lines have nothing of it.
_UNTIDY = re.compile(
    "[\ufdd0\ufdd2\ufdd4][ \ufdd1\ufdd3\ufdd5\ufdd8]|[ \ufdd8][\ufdd1\ufdd3\ufdd5]"
    "|\ufdd1\ufdd0|\ufdd3\ufdd2|\ufdd5\ufdd4"
)
_EDGES = " " + BREAK
# What a line begins with before its own text: quote marks and list bullets, each followed by a space.
_LEAD = re.compile(r"(?:[ ]|>[ ]|[-*+][ ]|\d{1,9}[.)][ ])*")


def wrap(text: str, start: str) -> str:
    """*text* between the placeholders of a mark, its outer space outside; without content it stays as it is."""
    inner = text.strip()
    if not inner or "\n" in inner:
        return text
    end = _PAIRS[start][0]
    inner = inner.replace(start, "").replace(end, "")
    left, right = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{_edge(left)}{start}{inner}{end}{_edge(right)}"


def _edge(space: str) -> str:
    return "\n\n" if "\n" in space else " " if space else ""


def remove(text: str) -> str:
    """*text* without emphasis, for code."""
    return _ANY.sub("", text) if _ANY.search(text) else text


def write(line: str) -> str:
    """One line of markdown with its placeholders written; a line break makes two lines of it."""
    if line.startswith("[") or line.count("](") > line.count(LINK_END + "]("):
        line = _CHANCE_LINK.sub(r"\1\]", line)
    if not _ANY.search(line):
        return line
    lead = _LEAD.match(line)
    start = lead[0] if lead else ""
    body = _tidy(line[len(start) :])
    body = _write_emphasis(body)
    body = body.replace("!" + LINK, "\\!" + LINK).replace(IMAGE, "!").replace(LINK, "[").replace(LINK_END, "")
    if BREAK not in body:
        return start + body.strip()
    hang = re.sub(r"[^>]", " ", start)
    return start + f"  \n{hang}".join(part.strip() for part in body.split(BREAK))


def _tidy(body: str) -> str:
    """Neighbouring marks of one kind as one, empty ones gone, spaces outside."""
    body = body.strip(_EDGES)
    if not _EMPHASIS_MARK.search(body) or not _UNTIDY.search(body):
        return body
    before = None
    while before != body:
        before = body
        body = _ADJACENT.sub("", body)
        body = _EMPTY.sub(lambda found: found[1] or found[2] or found[3] or "", body)
        body = _SPACE_INSIDE_START.sub(r"\2\1", body)
        body = _SPACE_INSIDE_END.sub(r"\2\1", body)
    return body.strip(_EDGES)


def _write_emphasis(body: str) -> str:
    written: dict[int, str] = {}
    opened: list[int] = []
    for found in _EMPHASIS_MARK.finditer(body):
        at, character = found.start(), found[0]
        written[at] = ""  # of a mark without its partner nothing stays
        if character in _PAIRS:
            opened.append(at)
        elif (start := _partner(body, opened, _ENDS[character])) is not None:
            _, mark, tag = _PAIRS[body[start]]
            fits = _opens(body, start) and _closes(body, at)
            written[start], written[at] = (mark, mark) if fits else (f"<{tag}>", f"</{tag}>")
    return "".join(_pieces(body, written))


def _pieces(body: str, written: dict[int, str]) -> Iterator[str]:
    """*body*, in place of the characters at the places of *written*, which are in order, what is written there."""
    begin = 0
    for at, mark in written.items():
        yield body[begin:at]
        yield mark
        begin = at + 1
    yield body[begin:]


def _partner(body: str, opened: list[int], kind: str) -> int | None:
    for index in range(len(opened) - 1, -1, -1):
        if body[opened[index]] == kind:
            return opened.pop(index)
    return None


def _neighbour(body: str, at: int, step: int) -> str:
    at += step
    while 0 <= at < len(body) and body[at] in _EMPHASIS:
        at += step
    if not 0 <= at < len(body):
        return " "
    return _SHOWN.get(body[at], body[at])


def _opens(body: str, at: int) -> bool:
    """Whether a mark before *at* is left-flanking (CommonMark 0.31, §6.2)."""
    return _flanks(body, at, 1)


def _closes(body: str, at: int) -> bool:
    return _flanks(body, at, -1)


def _flanks(body: str, at: int, step: int) -> bool:
    inside = _neighbour(body, at, step)
    if inside.isspace() or not _is_punctuation(inside):
        return not inside.isspace()
    outside = _neighbour(body, at, -step)
    return outside.isspace() or _is_punctuation(outside)


def _is_punctuation(character: str) -> bool:
    return not character.isalnum() and unicodedata.category(character)[0] in "PS"
