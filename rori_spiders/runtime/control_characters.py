"""Control characters of text that others wrote, made harmless before a terminal, a file or a spreadsheet gets it.

In: text of a page, a URL, a reason, a log record. Out: the same text, legible, with nothing in it that acts. What is
stored is never changed but for lone surrogates, which no file can hold: this is applied where a format is written.
"""

import re

# All but the ends of lines and tabs. C0, DEL and C1 move the cursor, rename the window, or type for its user; marks of
# direction, embeddings, overrides and isolates show text in an order other than its own (Unicode, UAX #9); U+2028 and
# U+2029 end a line unseen; surrogates cannot be encoded, and XML has no U+FFFE and U+FFFF.
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ud800-\udfff\ufffe\uffff]"
)
_LINE_BREAKS = re.compile("[\t\r\n]")
# Spreadsheets run what begins with these, also after white space (https://owasp.org/www-community/attacks/CSV_Injection).
_FORMULA = re.compile(r"[\t\r\n]|\s*[=+\-@＝＋－＠]")


def escape_control_characters(text: str) -> str:
    r"""*text* with its control characters spelled out as JSON does, such as ``\u001b``; tabs and ends of lines stay.

    Of a JSON document this makes another spelling of the same document.
    """
    return text if text.isprintable() else _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def escape_one_line(text: str) -> str:
    """*text* as one line without control characters: what it says cannot begin a line of its own."""
    return text if text.isprintable() else escape_control_characters(_LINE_BREAKS.sub(" ", text))


def escape_csv_cell(text: str) -> str:
    """*text* as a cell of a CSV file: no control characters, and a leading ``'`` where a spreadsheet would run it."""
    if text[:1].isalnum():  # as most begin: no formula
        return escape_control_characters(text)
    return escape_control_characters(f"'{text}" if _FORMULA.match(text) else text)


def replace_surrogates(text: str) -> str:
    """*text* with U+FFFD for each lone surrogate, which UTF-8 cannot write. Everything else stays, NUL included."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
