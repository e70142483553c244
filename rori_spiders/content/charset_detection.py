"""Tell the charset of bytes that declare none, or one that they are not in: by their shape, then by their letters.

Nothing is guessed of text in Latin letters without a sign: what is taken for Windows-1252 stays so unless its symbols
stand within words, its language is written in another charset, or its bytes come in runs as those of no Latin text do.
And tell words that were decoded by a wrong charset from the same words decoded rightly.
"""

import re
import unicodedata
from collections import Counter

#: Enough to tell a charset by, the longest stretches of text first.
_SAMPLE_BYTES = 4096
_PAGE_BYTES = 1 << 16  # from the first byte beyond ASCII on: 2 ms (2026-11)
#: Bytes beyond ASCII come one by one in Latin text, and as words in all other scripts: 4 to 40 of them in a row in
#: pages of eight languages, 1.0 to 1.3 in those of ten with Latin letters (2026-11).
_OTHER_SCRIPT_RUN = 2.5
_LEAST_BYTES, _LEAST_DISTINCT, _LETTERS = 8, 5, 0.7
_OTHER_SCRIPTS = [
    *("cp932", "euc_jp", "gb18030", "big5hkscs", "cp949", "koi8_r", "koi8_u", "cp1251", "cp866", "iso8859_5"),
    *("mac_cyrillic", "cp1253", "iso8859_7", "cp1255", "cp1256", "cp874"),
]
_PYTHON_NAMES = {"koi8_r": "koi8-r", "koi8_u": "koi8-u", "mac_cyrillic": "mac-cyrillic"} | {
    f"iso8859_{number}": f"iso8859-{number}" for number in (5, 7)
}
_RUN = re.compile(rb"[\x80-\xff]+")
_BETWEEN_TAGS = re.compile(rb"[<>\r\n\x00]+")
_LANG = re.compile(rb"<html[^>]{0,500}?\slang\s{0,9}=\s{0,9}[\"']?([a-z]{2})\b", re.IGNORECASE)
#: Languages whose letters are letters of Windows-1252, too, with what their pages without a charset are in.
_OF_LANGUAGE = {
    **dict.fromkeys(("cs", "hr", "hu", "pl", "ro", "sk", "sl"), ("cp1250", "iso8859-2")),
    **dict.fromkeys(("et", "lt", "lv"), ("cp1257",)),
    **dict.fromkeys(("az", "tr"), ("cp1254",)),
}
_CENTRAL = ("cp1250", "iso8859-2")
# A symbol between two letters, and a control character: no text has them, a wrong charset does. Apostrophes, hyphens
# and dashes stand between letters.
_STRAY = re.compile(r"(?<=[^\W\d_])[\xa1-\xa6\xa8\xa9\xab\xac\xae-\xb6\xb8-\xbf](?=[^\W\d_])|[\x80-\x84\x86-\x9f]")


def detect_charset(body: bytes, *, may_be_latin: bool = True) -> str | None:
    """Python's name of the charset of *body*, which is not UTF-8; None where it may be Windows-1252.

    Without *may_be_latin* charsets of other scripts alone.
    """
    if (first := _RUN.search(body)) is None:
        return None
    stretches = _stretches(body[first.start() : first.start() + _PAGE_BYTES])
    sample = b"\n".join(stretches)
    runs = _RUN.findall(sample)
    size = sum(map(len, runs))
    if len(runs) * _OTHER_SCRIPT_RUN > size or size < _LEAST_BYTES:
        return _of_latin(body, sample, len(runs)) if may_be_latin else None
    from charset_normalizer import from_bytes  # few pages need it

    for some in (sample, *stretches[:3]):  # a stretch may be damaged
        best = from_bytes(some, cp_isolation=_OTHER_SCRIPTS).best()
        if best is not None and _reads_as_words(str(best)):
            return _PYTHON_NAMES.get(best.encoding, best.encoding)
    return None


def count_strays(text: str) -> int:
    """How many characters of *text* stand where no text has them."""
    return len(_STRAY.findall(text))


def _stretches(body: bytes) -> list[bytes]:
    """The stretches between tags with bytes beyond ASCII, the longest first; without those in UTF-8."""
    found = {one: None for one in _BETWEEN_TAGS.split(body) if not one.isascii() and not _is_utf8(one)}
    longest, size = [], 0
    for one in sorted(found, key=len, reverse=True):
        longest.append(one[:_SAMPLE_BYTES])
        size += len(one)
        if size > _SAMPLE_BYTES:
            break
    return longest


def _is_utf8(stretch: bytes) -> bool:
    try:
        stretch.decode()
    except UnicodeDecodeError:
        return False
    return True


def _reads_as_words(text: str) -> bool:
    wide = [character for character in text if character > "\x7f"]
    letters = [character for character in wide if unicodedata.category(character)[0] in "LM"]
    return len(letters) >= _LETTERS * len(wide) and len(set(letters)) >= _LEAST_DISTINCT


def _of_latin(body: bytes, sample: bytes, runs: int) -> str | None:
    """The charset of Latin letters with the fewest characters that no text has, if Windows-1252 has any."""
    found = _LANG.search(body[:_SAMPLE_BYTES])
    own = _OF_LANGUAGE.get(found[1].decode().lower(), ()) if found else ()
    western = sample.decode("cp1252", "replace")
    # No language writes "ø" beside "ì" or "ù"; Czech in Windows-1250 has all three bytes.
    is_mixed = "ø" in western and ("ì" in western or "ù" in western)
    strays = count_strays(western)
    if not own and not is_mixed and strays * 20 <= runs:
        return None
    found_strays, name = min((count_strays(sample.decode(name, "replace")), name) for name in own or _CENTRAL)
    return name if own or is_mixed or found_strays * 4 <= strays else None


# What browsers fall back to, and the charsets that servers name for pages in another.
_WRONG = ("cp1252", "latin-1", "cp1251", "koi8-r", "cp1250", "mac-roman", "cp932", "gb18030", "big5hkscs", "cp949")
_LOST = "\ufffd"


def garbled_words(words: Counter[str], clean: Counter[str], charset: str) -> list[str]:
    """The words of *words* that are words of *clean*, a text decoded from *charset*, decoded wrongly.

    What has a replacement character where *clean* has none is garbled, too. Empty where *clean* is not better.
    """
    if any(_LOST in word for word in clean):
        return []
    return [word for word in words if not word.isascii() and word not in clean and _is_garbled(word, clean, charset)]


def _is_garbled(word: str, clean: Counter[str], charset: str) -> bool:
    return _LOST in word or any(_decoded_again(word, wrong, charset) in clean for wrong in _WRONG)


def _decoded_again(word: str, wrong: str, charset: str) -> str | None:
    """*word* as it would be, had it not been read as *wrong*. C1 controls stand for bytes that Windows-1252 has not."""
    try:
        return b"".join(_bytes_of(character, wrong) for character in word).decode(charset)
    except (UnicodeError, LookupError):
        return None


def _bytes_of(character: str, wrong: str) -> bytes:
    return bytes((ord(character),)) if "\x80" <= character <= "\x9f" else character.encode(wrong)
